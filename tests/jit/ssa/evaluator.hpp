// Runs SSA as it is defined, on the engine's own frames, so that passes can be tested without machine code: every call
// of the module is evaluated too.
#pragma once

#include <vector>

#include "jit/ssa/ir.hpp"
#include "tests/jit/both_tiers.hpp"

namespace cairn::tests {

class SsaEvaluator {
 public:
  /// `functions`: by index; none where the function was left to the baseline (its calls are interpreted).
  SsaEvaluator(const Image& image, const std::vector<std::optional<jit::ssa::Function>>& functions,
               const Limits& limits);
  ~SsaEvaluator();

  /// The trap is its words and position, without notes.
  Ending call(std::uint32_t function, std::span<const std::uint64_t> arguments);
  [[nodiscard]] const std::string& output() const { return output_.text; }
  /// How many loop versions and stack guards left to the interpreter.
  [[nodiscard]] std::uint64_t exits() const { return exits_; }
  /// Instructions evaluated.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// False after a trap.
  bool run(std::uint32_t function, std::uint64_t* base, std::uint8_t* memory);
  bool interpret(std::uint32_t function, std::uint32_t word, std::uint64_t* base, std::uint8_t* memory);
  bool trap(TrapKind kind, std::uint32_t function, std::uint32_t word, std::uint64_t* base);
  bool call_function(std::uint64_t function, std::uint64_t* window, std::uint8_t* memory, std::uint32_t caller,
                     std::uint32_t word, std::uint64_t* caller_base);

  const Image& image_;
  const std::vector<std::optional<jit::ssa::Function>>& functions_;
  CollectedOutput output_;
  Instance instance_;
  Thread thread_;
  std::vector<std::uint64_t> stack_;
  std::uint64_t exits_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace cairn::tests
