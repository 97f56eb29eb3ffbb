// Numbers as the language prints them (syntax and values, 1.12 and 1.13). Every function writes into a caller's buffer
// of at least kNumberText bytes and returns the bytes written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cairn {

inline constexpr std::size_t kNumberText = 40;

std::size_t write_unsigned(std::uint64_t value, std::span<char, kNumberText> out);
std::size_t write_signed(std::int64_t value, std::span<char, kNumberText> out);
/// The fewest digits that read back as the same value of its own type, in the layout of 1.12.
std::size_t write_float(float value, std::span<char, kNumberText> out);
std::size_t write_float(double value, std::span<char, kNumberText> out);
/// As assert_eq shows it: C's %.9g and %.17g.
std::size_t write_assert_float(float value, std::span<char, kNumberText> out);
std::size_t write_assert_float(double value, std::span<char, kNumberText> out);

}  // namespace cairn
