// SSA evaluated in a test: what the form promises and does not keep fails it.
#pragma once

#include "tests/jit/both_tiers.hpp"
#include "vm/verify/ssa/evaluator.hpp"

namespace cairn::tests {

class SsaEvaluator {
 public:
  SsaEvaluator(const Image& image, const std::vector<std::optional<jit::ssa::Function>>& functions,
               const Limits& limits)
      : evaluator_(image, functions, output_, limits) {}

  /// The trap is its words and position, without notes.
  Ending call(std::uint32_t function, std::span<const std::uint64_t> arguments) {
    const auto ending = evaluator_.call(function, arguments);
    if (!evaluator_.fault().empty()) FAIL(evaluator_.fault());
    return {ending.value, ending.second, ending.trap};
  }
  [[nodiscard]] const std::string& output() const { return output_.text; }
  [[nodiscard]] std::uint64_t exits() const { return evaluator_.exits(); }
  [[nodiscard]] std::uint64_t steps() const { return evaluator_.steps(); }

 private:
  CollectedOutput output_;
  verify::SsaEvaluator evaluator_;
};

}  // namespace cairn::tests
