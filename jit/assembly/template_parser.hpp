// The text of an assembly statement, instruction by instruction: AT&T operands as asmjit's.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::jit {

/// Where each operand of the statement lives.
struct AsmHome {
  bool vector = false;
  std::uint8_t bytes = 8;
  std::uint32_t id = 0;  // register number
};

struct AsmInstruction {
  asmjit::InstId id = 0;
  std::vector<asmjit::Operand> operands;  // destination first
};

[[nodiscard]] std::expected<std::vector<AsmInstruction>, std::string> parse_template(std::string_view text,
                                                                                     std::span<const AsmHome> homes);

}  // namespace cairn::jit
