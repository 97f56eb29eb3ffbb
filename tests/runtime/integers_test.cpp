#include "runtime/semantics/integers.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace sem = cairn::semantics;

namespace {

using Wide = __int128;

template <class T>
bool fits(Wide value) {
  return value >= static_cast<Wide>(std::numeric_limits<T>::min()) &&
         value <= static_cast<Wide>(std::numeric_limits<T>::max());
}

/// Every value of eight bits; else the edges, powers of two with their neighbours, and random values.
template <class T>
std::vector<T> operands() {
  std::vector<T> values;
  if constexpr (sizeof(T) == 1) {
    for (int v = std::numeric_limits<T>::min(); v <= std::numeric_limits<T>::max(); ++v)
      values.push_back(static_cast<T>(v));
    return values;
  }
  for (unsigned bit = 0; bit < sizeof(T) * 8; ++bit) {
    const auto power = static_cast<T>(std::uint64_t{1} << bit);
    for (int d = -1; d <= 1; ++d) {
      values.push_back(static_cast<T>(static_cast<std::uint64_t>(power) + static_cast<std::uint64_t>(d)));
      values.push_back(static_cast<T>(0 - (static_cast<std::uint64_t>(power) + static_cast<std::uint64_t>(d))));
    }
  }
  std::mt19937_64 random(sizeof(T));
  for (int i = 0; i < 40; ++i) values.push_back(static_cast<T>(random() >> (random() % 64)));
  return values;
}

/// Where the model says a result, the operation gives it; where it says none, the guard fails.
template <class T, class Operation>
std::size_t disagreements(Operation operation, std::vector<T> left, std::vector<T> right, bool (*model)(T, T, Wide&)) {
  std::size_t wrong = 0;
  for (const T a : left) {
    for (const T b : right) {
      Wide exact = 0;
      const bool defined = model(a, b, exact) && fits<T>(exact);
      T out{};
      const bool fine = operation(a, b, out);
      if (fine != defined || (fine && static_cast<Wide>(out) != exact)) ++wrong;
    }
  }
  return wrong;
}

template <class T>
void check_guarded() {
  const std::vector<T> values = operands<T>();
  CHECK(disagreements<T>([](T a, T b, T& o) { return sem::add(a, b, o); }, values, values,
                         [](T a, T b, Wide& e) {
                           e = static_cast<Wide>(a) + b;
                           return true;
                         }) == 0);
  CHECK(disagreements<T>([](T a, T b, T& o) { return sem::sub(a, b, o); }, values, values,
                         [](T a, T b, Wide& e) {
                           e = static_cast<Wide>(a) - b;
                           return true;
                         }) == 0);
  CHECK(disagreements<T>([](T a, T b, T& o) { return sem::mul(a, b, o); }, values, values,
                         [](T a, T b, Wide& e) {
                           e = static_cast<Wide>(a) * b;
                           return true;
                         }) == 0);
  CHECK(disagreements<T>([](T a, T b, T& o) { return sem::div(a, b, o); }, values, values,
                         [](T a, T b, Wide& e) {
                           if (b == 0) return false;
                           e = static_cast<Wide>(a) / b;
                           return true;
                         }) == 0);
  CHECK(disagreements<T>([](T a, T b, T& o) { return sem::rem(a, b, o); }, values, values,
                         [](T a, T b, Wide& e) {
                           if (b == 0 || !fits<T>(static_cast<Wide>(a) / b)) return false;
                           e = static_cast<Wide>(a) % b;
                           return true;
                         }) == 0);
  CHECK(sem::kMin<T> == std::numeric_limits<T>::min());
  CHECK(sem::kMax<T> == std::numeric_limits<T>::max());
}

}  // namespace

TEMPLATE_TEST_CASE("guarded integer operations give the exact result or fail", "[semantics]", std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t) {
  check_guarded<TestType>();
}

TEMPLATE_TEST_CASE("negation and magnitude fail at the minimum only", "[semantics]", std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t) {
  for (const TestType x : operands<TestType>()) {
    TestType out{};
    const bool minimum = x == std::numeric_limits<TestType>::min();
    CHECK(sem::neg(x, out) == !minimum);
    if (!minimum) CHECK(static_cast<Wide>(out) == -static_cast<Wide>(x));
    CHECK(sem::abs(x, out) == !minimum);
    if (!minimum) CHECK(static_cast<Wide>(out) == (x < 0 ? -static_cast<Wide>(x) : static_cast<Wide>(x)));
  }
}

TEMPLATE_TEST_CASE("wrapping operations are modulo the width", "[semantics]", std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
  using T = TestType;
  const std::vector<T> values = operands<T>();
  std::size_t wrong = 0;
  for (const T a : values) {
    for (const T b : values) {
      const auto wide_a = static_cast<unsigned __int128>(a);
      wrong += sem::add_wrap(a, b) != static_cast<T>(wide_a + b);
      wrong += sem::sub_wrap(a, b) != static_cast<T>(wide_a - b);
      wrong += sem::mul_wrap(a, b) != static_cast<T>(wide_a * b);
      wrong += sem::min(a, b) != (a < b ? a : b);
      wrong += sem::max(a, b) != (a < b ? b : a);
    }
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("a shift fails at the width and above", "[semantics]", std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
  using T = TestType;
  constexpr std::uint64_t kWidth = sizeof(T) * 8;
  for (const T a : operands<T>()) {
    for (std::uint64_t k = 0; k < kWidth; ++k) {
      T out{};
      REQUIRE(sem::shl_wrap(a, k, out));
      CHECK(out == static_cast<T>(static_cast<unsigned __int128>(a) << k));
      REQUIRE(sem::shr(a, k, out));
      CHECK(out == static_cast<T>(static_cast<unsigned __int128>(a) >> k));
    }
    for (const std::uint64_t k : {kWidth, kWidth + 1, std::uint64_t{64}, ~std::uint64_t{0}}) {
      T out{};
      CHECK_FALSE(sem::shl_wrap(a, k, out));
      CHECK_FALSE(sem::shr(a, k, out));
    }
  }
}

TEST_CASE("the upper half of a product", "[semantics]") {
  for (const std::uint64_t a : operands<std::uint64_t>()) {
    for (const std::uint64_t b : operands<std::uint64_t>()) {
      CHECK(sem::mul_high(a, b) == static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b >> 64));
    }
  }
}
