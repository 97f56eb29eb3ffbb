#include "runtime/semantics/storage_floats.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "runtime/semantics/quantize.hpp"
#include "tests/runtime/storage_float_model.hpp"

namespace sem = cairn::semantics;
using cairn::tests::StorageModel;

namespace {

template <class Format>
std::size_t wrong_roundings() {
  const StorageModel<Format> model;
  std::size_t wrong = 0;
  for (const double x : model.interesting()) {
    typename Format::Pattern out{};
    const bool fine = sem::narrow<Format>(x, out);
    const auto expected = model.narrow(x);
    wrong += fine != expected.has_value() || (fine && out != *expected);
  }
  return wrong;
}

}  // namespace

TEMPLATE_TEST_CASE("narrowing rounds once, to the nearest value, ties to even", "[storage]", sem::F16, sem::BF16,
                   sem::F8E4M3, sem::F8E5M2) {
  CHECK(wrong_roundings<TestType>() == 0);
}

TEMPLATE_TEST_CASE("every pattern widens to its value and narrows back to itself", "[storage]", sem::F16, sem::BF16,
                   sem::F8E4M3, sem::F8E5M2) {
  using Pattern = typename TestType::Pattern;
  const StorageModel<TestType> model;
  for (std::uint32_t p = 0; p <= std::numeric_limits<Pattern>::max(); ++p) {
    const auto pattern = static_cast<Pattern>(p);
    const auto wide = sem::widen<TestType, double>(pattern);
    const auto single = sem::widen<TestType, float>(pattern);
    const double value = model.value(pattern);
    if (std::isnan(value)) {
      REQUIRE(std::isnan(wide));
      REQUIRE(std::isnan(single));
      REQUIRE(std::signbit(wide) == ((pattern & TestType::kSign) != 0));
      REQUIRE(std::signbit(single) == std::signbit(wide));
      continue;
    }
    REQUIRE(std::bit_cast<std::uint64_t>(wide) == std::bit_cast<std::uint64_t>(value));
    REQUIRE(static_cast<double>(single) == value);
    REQUIRE(std::signbit(single) == std::signbit(value));
    Pattern back{};
    const bool infinite = std::isinf(value);
    REQUIRE(sem::narrow<TestType>(wide, back));
    REQUIRE((infinite || back == pattern));
  }
}

TEST_CASE("the specification's table of narrowings", "[storage]") {
  struct Row {
    double x;
    int f16, bf16, e4m3, e5m2;  // -1: traps
  };
  const Row rows[] = {
      {1.0 / 3, 0x3555, 0x3eab, 0x2b, 0x35},  {0.1, 0x2e66, 0x3dcd, 0x1d, 0x2e},
      {-3.14159, 0xc248, 0xc049, 0xc5, 0xc2}, {2049, 0x6800, 0x4500, -1, 0x68},
      {2051, 0x6802, 0x4500, -1, 0x68},       {0.001, 0x1419, 0x3a83, 0x01, 0x14},
      {0x1p-25, 0x0000, 0x3300, 0x00, 0x00},  {0x3p-25, 0x0002, 0x33c0, 0x00, 0x00},
      {60000, 0x7b53, 0x476a, -1, 0x7b},      {65520, 0x7c00, 0x4780, -1, 0x7c},
      {464.5, 0x5f42, 0x43e8, -1, 0x5f},      {1e-7, 0x0002, 0x33d7, 0x00, 0x00},
  };
  const auto check = [](auto format, double x, int expected) {
    using Format = decltype(format);
    typename Format::Pattern out{};
    const bool fine = sem::narrow<Format>(x, out);
    CHECK((fine ? static_cast<int>(out) : -1) == expected);
  };
  for (const Row& row : rows) {
    check(sem::F16{}, row.x, row.f16);
    check(sem::BF16{}, row.x, row.bf16);
    check(sem::F8E4M3{}, row.x, row.e4m3);
    check(sem::F8E5M2{}, row.x, row.e5m2);
  }
  check(sem::F16{}, 65519.99, 0x7bff);
  check(sem::F8E5M2{}, 61440.0, 0x7c);
  check(sem::F8E4M3{}, 464.0, 0x7e);
  check(sem::F8E4M3{}, std::numeric_limits<double>::infinity(), -1);
  check(sem::F16{}, 1 + 0x1p-11 + 0x1p-40, 0x3c01);
  check(sem::F16{}, static_cast<double>(static_cast<float>(1 + 0x1p-11 + 0x1p-40)), 0x3c00);
  check(sem::F8E4M3{}, -std::nan(""), 0xff);
  check(sem::BF16{}, std::nan(""), 0x7fc0);
}
