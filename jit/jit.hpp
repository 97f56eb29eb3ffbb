// Machine code for x86-64, the one header other parts see.
//
// Typed assembly (abstractions, 14.5): a template in AT&T order becomes code through asmjit. The code takes the
// operands' values in one array, puts each in a register of its own, runs the instructions and stores every operand
// back.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cairn::jit {

enum class AsmClass : std::uint8_t { Integer, F32, F64 };

struct AsmRegister {
  AsmClass kind = AsmClass::Integer;
  std::uint8_t bytes = 8;  // an integer's width; 8 for an address
};

/// Executable code of one assembly statement.
class AssembledCode {
 public:
  virtual ~AssembledCode() = default;
  /// `values` holds one word an operand, an f32 in its low four bytes; each is what its register holds afterwards.
  virtual void run(std::uint64_t* values) const = 0;
};

/// Assembles a template for x86-64. What it cannot assemble is said: an unknown instruction or operand, a label or
/// jump, too few registers beside those that are clobbered.
[[nodiscard]] std::expected<std::unique_ptr<AssembledCode>, std::string> assemble_x86_64(
    std::string_view text, std::span<const AsmRegister> operands, std::span<const std::string_view> clobbers);

}  // namespace cairn::jit
