#include "cuda/writer/product_text.hpp"

#include <string_view>

#include "vm/bytecode/types.hpp"

namespace cairn::cuda::writer {

KernelText product_text(std::uint32_t scalar) {
  using bytecode::ScalarKind;
  std::string_view factor = "FactorF16";
  switch (static_cast<ScalarKind>(scalar)) {
    case ScalarKind::BF16:
      factor = "FactorBF16";
      break;
    case ScalarKind::F8E4M3:
      factor = "FactorF8<sem::F8E4M3>";
      break;
    case ScalarKind::F8E5M2:
      factor = "FactorF8<sem::F8E5M2>";
      break;
    default:
      break;
  }
  KernelText text;
  text.name = "mma_unordered";
  text.text =
      "#include \"cuda/kernel/product.hpp\"\n\nusing namespace cairn;\nusing namespace cairn::kernel;\n\n"
      "extern \"C\" __global__ void __launch_bounds__(256) product(const Product p, U64 count) {\n  multiply<" +
      std::string(factor) + ">(p, count);\n}\n";
  text.environment_bytes = 48;
  text.entries = {{"product", Grid::Blocks, 256, 37888, {Argument::Environment, Argument::Count}}};
  return text;
}

}  // namespace cairn::cuda::writer
