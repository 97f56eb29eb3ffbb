// mma_unordered's host order against a model that rounds in double: the product of two storage floats and the sum of
// two f32 rounded first to 53 and then to 24 bits are what rounding once gives (53 >= 2 * 24 + 2; Figueroa 1995).
#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "runtime/matrices/multiply.hpp"
#include "runtime/semantics/storage_floats.hpp"
#include "tests/runtime/storage_float_model.hpp"

using cairn::runtime::multiply_add;
using cairn::runtime::StorageFloat;
namespace semantics = cairn::semantics;

namespace {

/// The patterns of some finite storage floats, and their values as the model tells them.
template <class Format>
class Matrix {
 public:
  Matrix(std::size_t count, std::mt19937_64& random) {
    static const cairn::tests::StorageModel<Format> model;
    while (patterns_.size() < count) {
      const auto pattern = static_cast<typename Format::Pattern>(random());
      if (!std::isfinite(model.value(pattern))) continue;
      patterns_.push_back(pattern);
      values_.push_back(model.value(pattern));
    }
  }
  [[nodiscard]] double at(std::size_t i) const { return values_[i]; }
  [[nodiscard]] const void* data() const { return patterns_.data(); }

 private:
  std::vector<typename Format::Pattern> patterns_;
  std::vector<double> values_;
};

template <class Format>
void holds(StorageFloat format, std::size_t m, std::size_t n, std::size_t k, std::mt19937_64& random) {
  const Matrix<Format> a(m * k, random);
  const Matrix<Format> b(k * n, random);
  std::vector<float> c(m * n);
  for (float& each : c)
    each = std::ldexp(static_cast<float>(random() % 4001) - 2000.0F, static_cast<int>(random() % 12));
  std::vector<float> want = c;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t p = 0; p < k; ++p) {
        const auto product = static_cast<float>(a.at(i * k + p) * b.at(p * n + j));
        want[i * n + j] = static_cast<float>(static_cast<double>(want[i * n + j]) + static_cast<double>(product));
      }
    }
  }
  multiply_add(format, m, n, k, c.data(), a.data(), b.data());
  std::size_t differ = 0;
  for (std::size_t i = 0; i < m * n; ++i) {
    const bool both_nan = std::isnan(c[i]) && std::isnan(want[i]);
    differ += !both_nan && std::bit_cast<std::uint32_t>(c[i]) != std::bit_cast<std::uint32_t>(want[i]);
  }
  INFO("format " << static_cast<int>(format) << ", " << m << " x " << n << " x " << k);
  CHECK(differ == 0);
}

}  // namespace

TEST_CASE("a whole-matrix multiply adds in increasing p, whatever its shape and format", "[matrices]") {
  std::mt19937_64 random(11);
  for (const std::size_t m : {1U, 3U, 8U, 17U}) {
    for (const std::size_t n : {1U, 5U, 32U, 67U}) {
      for (const std::size_t k : {1U, 2U, 31U, 256U, 513U}) {
        holds<semantics::F16>(StorageFloat::F16, m, n, k, random);
        holds<semantics::BF16>(StorageFloat::BF16, m, n, k, random);
        holds<semantics::F8E4M3>(StorageFloat::F8E4M3, m, n, k, random);
        holds<semantics::F8E5M2>(StorageFloat::F8E5M2, m, n, k, random);
      }
    }
  }
}

TEST_CASE("a multiply of nothing writes nothing, and no products keep c", "[matrices]") {
  float c[4] = {1, -0.0F, 3, 4};
  multiply_add(StorageFloat::F16, 2, 2, 0, c, nullptr, nullptr);
  multiply_add(StorageFloat::F16, 0, 2, 3, c, nullptr, nullptr);
  CHECK(c[0] == 1);
  CHECK(std::signbit(c[1]));
}

TEST_CASE("a whole-matrix multiply stays within its bound of the exact sum", "[matrices]") {
  // f8e5m2 products are multiples of 2^-32 below 2^32: the exact sum of few fits 128 bits.
  std::mt19937_64 random(5);
  const std::size_t k = 1000;
  const Matrix<semantics::F8E5M2> a(k, random);
  const Matrix<semantics::F8E5M2> b(k, random);
  float c = 0.75F;
  __int128 exact = static_cast<__int128>(std::ldexp(0.75, 32));
  double magnitudes = 0.75;
  for (std::size_t p = 0; p < k; ++p) {
    exact += static_cast<__int128>(std::ldexp(a.at(p) * b.at(p), 32));
    magnitudes += std::fabs(a.at(p) * b.at(p));
  }
  multiply_add(StorageFloat::F8E5M2, 1, 1, k, &c, a.data(), b.data());
  const double distance =
      std::fabs(static_cast<double>(static_cast<__int128>(std::ldexp(static_cast<double>(c), 32)) - exact));
  CHECK(std::ldexp(distance, -32) <= static_cast<double>(k + 1) * std::ldexp(1.0, -22) * magnitudes);
}
