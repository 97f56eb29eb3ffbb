#include "runtime/reference/algorithm.hpp"

#include "runtime/reference/attention.hpp"
#include "runtime/reference/matmul.hpp"
#include "runtime/reference/spelling.hpp"

namespace cairn::reference {

namespace {

using Made = std::expected<std::unique_ptr<Algorithm>, Refusal>;

Made finished(Spelling& spelling, const MatmulAlgorithm::Parts& parts) {
  if (auto fault = spelling.fault()) return std::unexpected(std::move(*fault));
  return std::make_unique<MatmulAlgorithm>(parts);
}

/// The accumulator's format, which every matmul row but the contract states first.
Format accumulator(Spelling& spelling) {
  const auto written = spelling.positional();
  if (!written) spelling.refuse("the accumulator's format is missing");
  return spelling.format_of(written, "the accumulator's format").value_or(Format::F32);
}

Made parse_matmul(Spelling& spelling, MatmulAlgorithm::Sum sum) {
  using Sum = MatmulAlgorithm::Sum;
  MatmulAlgorithm::Parts parts;
  parts.sum = sum;
  if (sum == Sum::TensorCores) return finished(spelling, parts);
  parts.format = accumulator(spelling);
  if (sum == Sum::AnyOrder) {
    const auto standard = spelling.keyed("standard");
    if (standard && *standard != "normal" && *standard != "strict") {
      spelling.refuse("standard is normal or strict, not " + *standard);
    }
    if (standard == "strict") parts.standard = Standard::Strict;
    parts.flush_to_zero = spelling.flag("flush_to_zero", false);
    return finished(spelling, parts);
  }
  if (sum == Sum::Blocked) {
    auto written = spelling.positional();
    if (!written) written = spelling.keyed("block_size");
    if (!written) spelling.refuse("the block size is missing");
    parts.block_size = spelling.count(written, "the block size").value_or(1);
  }
  if (sum == Sum::Slots16) {
    parts.fma = false;
  } else if (sum != Sum::Exact) {
    parts.fma = spelling.flag("fma", true);
  }
  parts.rounding = spelling.rounding();
  return finished(spelling, parts);
}

Made parse_attention(Spelling& spelling) {
  AttentionAlgorithm::Options options;
  options.online_softmax = spelling.flag("online_softmax", false);
  options.block_size = spelling.count(spelling.keyed("block_size"), "block_size");
  options.exp2 = spelling.flag("exp2", false);
  options.weights = spelling.format("weights");
  options.accumulate = spelling.format("accumulate");
  options.bias = spelling.format("bias");
  options.reciprocal = spelling.flag("reciprocal", false);
  options.mma = spelling.flag("mma", false);
  if (auto fault = spelling.fault()) return std::unexpected(std::move(*fault));
  return std::make_unique<AttentionAlgorithm>(options);
}

struct MatmulName {
  std::string_view name;
  MatmulAlgorithm::Sum sum;
};
constexpr MatmulName kMatmulNames[] = {
    {"matmul_sequential", MatmulAlgorithm::Sum::Sequential}, {"matmul_pairwise", MatmulAlgorithm::Sum::Pairwise},
    {"matmul_blocked", MatmulAlgorithm::Sum::Blocked},       {"matmul_exact_accumulation", MatmulAlgorithm::Sum::Exact},
    {"matmul_slots16", MatmulAlgorithm::Sum::Slots16},       {"matmul", MatmulAlgorithm::Sum::AnyOrder},
    {"mma_unordered", MatmulAlgorithm::Sum::TensorCores},
};

}  // namespace

Made parse_algorithm(std::string_view text) {
  auto spelling = Spelling::read(text);
  if (!spelling) return std::unexpected(spelling.error());
  for (const MatmulName& each : kMatmulNames) {
    if (each.name == spelling->name()) return parse_matmul(*spelling, each.sum);
  }
  if (spelling->name() == "attention") return parse_attention(*spelling);
  return std::unexpected(Refusal{"there is no algorithm " + spelling->name()});
}

}  // namespace cairn::reference
