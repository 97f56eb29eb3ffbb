// Runs SSA as it is defined, on the engine's own frames, without machine code: every call of the module is evaluated
// too.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jit/ssa/ir.hpp"
#include "vm/interpreter/thread.hpp"

namespace cairn::verify {

// Operations on floats that are numbers; nothing where a NaN comes out, whose bits are not fixed, or a conversion
// fails.
[[nodiscard]] std::optional<std::uint64_t> float_number(jit::ssa::Opcode op, jit::Kind kind, std::uint64_t a,
                                                        std::uint64_t b, std::uint64_t c);
[[nodiscard]] std::optional<std::uint64_t> converted_float(jit::Kind kind, jit::Kind source, std::uint64_t bits);
[[nodiscard]] bool float_relation_holds(jit::Relation relation, jit::Kind kind, std::uint64_t a, std::uint64_t b);

class SsaEvaluator {
 public:
  /// `functions`: by index; none where the function was left to the baseline (its calls are interpreted).
  SsaEvaluator(const Image& image, const std::vector<std::optional<jit::ssa::Function>>& functions, OutputSink& output,
               const Limits& limits);
  ~SsaEvaluator();
  SsaEvaluator(const SsaEvaluator&) = delete;
  SsaEvaluator& operator=(const SsaEvaluator&) = delete;

  struct Ending {
    std::uint64_t value = 0, second = 0;
    std::string trap;  // its words and position, without notes; empty: none
    friend bool operator==(const Ending&, const Ending&) = default;
  };
  /// Arguments and results are slots. A trap does not end the instance.
  Ending call(std::uint32_t function, std::span<const std::uint64_t> arguments);
  /// What the form promised and did not keep in the last call, an exact sum that is none for example; empty: nothing.
  [[nodiscard]] std::string_view fault() const { return fault_; }
  /// How many loop versions and stack guards left to the interpreter.
  [[nodiscard]] std::uint64_t exits() const { return exits_; }
  /// Instructions evaluated.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// False after a trap or a fault.
  bool run(std::uint32_t function, std::uint64_t* base, std::uint8_t* memory);
  bool interpret(std::uint32_t function, std::uint32_t word, std::uint64_t* base, std::uint8_t* memory);
  bool trap(TrapKind kind, std::uint32_t function, std::uint32_t word, std::uint64_t* base);
  bool call_function(std::uint64_t function, std::uint64_t* window, std::uint8_t* memory, std::uint32_t caller,
                     std::uint32_t word, std::uint64_t* caller_base);

  const Image& image_;
  const std::vector<std::optional<jit::ssa::Function>>& functions_;
  Instance instance_;
  Thread thread_;
  std::vector<std::uint64_t> stack_;
  std::string_view fault_;
  std::uint64_t exits_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace cairn::verify
