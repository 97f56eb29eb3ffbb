#include "runtime/print/number_text.hpp"

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace {

template <class T>
std::string shown(T value) {
  std::array<char, cairn::kNumberText> text{};
  return {text.data(), cairn::write_float(value, text)};
}
template <class T>
std::string asserted(T value) {
  std::array<char, cairn::kNumberText> text{};
  return {text.data(), cairn::write_assert_float(value, text)};
}

}  // namespace

TEST_CASE("floats print the fewest digits in the layout of their size", "[print]") {
  CHECK(shown(0.0) == "0");
  CHECK(shown(-0.0) == "-0");
  CHECK(shown(1.0) == "1");
  CHECK(shown(12.5) == "12.5");
  CHECK(shown(100000.0) == "100000");
  CHECK(shown(123456789012345680000.0) == "123456789012345680000");
  CHECK(shown(1e21) == "1e+21");
  CHECK(shown(1e20) == "100000000000000000000");
  CHECK(shown(0.000001) == "0.000001");
  CHECK(shown(1e-7) == "1e-7");
  CHECK(shown(1.5e-7) == "1.5e-7");
  CHECK(shown(0.1 + 0.2) == "0.30000000000000004");
  CHECK(shown(0.1F) == "0.1");
  CHECK(shown(-1.5) == "-1.5");
  CHECK(shown(5e-324) == "5e-324");
  CHECK(shown(1.7976931348623157e308) == "1.7976931348623157e+308");
  CHECK(shown(16777216.0F) == "16777216");
  CHECK(shown(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(shown(-std::numeric_limits<float>::infinity()) == "-inf");
  CHECK(shown(std::bit_cast<double>(0x7ff8000000000000ULL)) == "nan");
  CHECK(shown(std::bit_cast<float>(0xffc00000U)) == "-nan");
}

TEST_CASE("assertions show floats as C does", "[print]") {
  CHECK(asserted(0.1 + 0.2) == "0.30000000000000004");
  CHECK(asserted(0.3) == "0.29999999999999999");
  CHECK(asserted(0.1F) == "0.100000001");
  CHECK(asserted(2.0) == "2");
}

TEST_CASE("every float reads back as itself", "[print]") {
  std::mt19937_64 random(17);
  std::size_t wrong = 0;
  for (int i = 0; i < 200000; ++i) {
    const auto wide = std::bit_cast<double>(random());
    const auto single = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (wide == wide) wrong += std::strtod(shown(wide).c_str(), nullptr) != wide;
    if (single == single) wrong += std::strtof(shown(single).c_str(), nullptr) != single;
  }
  CHECK(wrong == 0);
}

TEST_CASE("integers print in decimal", "[print]") {
  std::array<char, cairn::kNumberText> text{};
  CHECK(std::string(text.data(), cairn::write_signed(std::numeric_limits<std::int64_t>::min(), text)) ==
        "-9223372036854775808");
  CHECK(std::string(text.data(), cairn::write_unsigned(~std::uint64_t{0}, text)) == "18446744073709551615");
}
