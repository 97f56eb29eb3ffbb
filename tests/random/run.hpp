// A program on every tier, and the first difference from what the interpreter does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace cairn::tests::random {

struct Comparison {
  bool accepted = false;  // by the checker
  std::string refusal;    // why not
  std::uint64_t calls = 0, trapped = 0;
  std::string difference;  // empty: it is lowered, and every tier ends each call alike
};

/// Runs `entry` of a program a few times on the interpreter, in baseline code, in optimized code of both kinds, and on
/// the automatic tier with so little fuel that its loops go on in other code wherever they stand. Values, output, traps
/// with their positions and notes, and the memory that is still held have to agree. `seed` chooses limits.
[[nodiscard]] Comparison compare(const std::string& text, std::uint64_t seed);

/// How the difference of a process that crashed, or compared for longer than three seconds, begins.
inline constexpr std::string_view kEndsBySignal = "ends by signal ";
/// The difference that comparing in a process of its own finds; a crash there is one.
[[nodiscard]] std::string difference_apart(const std::string& text, std::uint64_t seed);

/// A text of fewer lines for which `fails` still holds: lines, blocks, and the heads of blocks are left out while it
/// does. `fails` is asked at most `attempts` times.
[[nodiscard]] std::string reduced(const std::string& text, const std::function<bool(const std::string&)>& fails,
                                  unsigned attempts = 4000);

}  // namespace cairn::tests::random
