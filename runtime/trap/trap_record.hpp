// A trap as a value: what the command line prints and an embedding host is given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/trap/trap.hpp"

namespace cairn {

struct TrapRecord {
  TrapKind kind = TrapKind::None;
  std::string message;  // the whole first line: "trap: bounds: index 9, length 9"
  std::string file;     // empty: no position
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::vector<std::string> notes;  // "in histogram", "called at src/main.cairn:20:3, in main"
};

/// The text of tools 6.3, newline included.
[[nodiscard]] std::string render(const TrapRecord& record);

}  // namespace cairn
