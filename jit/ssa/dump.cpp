#include "jit/jit.hpp"
#include "jit/ssa/build.hpp"
#include "jit/ssa/host.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/text.hpp"

namespace cairn::jit {

std::string ssa_text(const bytecode::Module& module, std::uint32_t function, bool every_pass) {
  const std::string& name = module.functions[function].name;
  auto form = ssa::build(module, function, {});
  if (!form) return "; " + name + ": left to the baseline\n";
  std::string text;
  const auto show = [&](std::string_view pass, const ssa::Function& of) {
    text += "; " + name + (pass.empty() ? "" : ", " + std::string(pass)) + "\n" + ssa::write(of);
    if (const std::string fault = ssa::verify(of); !fault.empty()) text += "; wrong: " + fault + "\n";
  };
  if (every_pass) show("built", *form);
  ssa::optimize(*form, {module, false, ssa::host_vector_bytes()}, [&](std::string_view pass, const ssa::Function& of) {
    if (every_pass) show(pass, of);
  });
  show("", *form);
  return text;
}

}  // namespace cairn::jit
