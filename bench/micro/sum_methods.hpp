// Other exact methods for sums of finite f64, to be measured beside ExactSum: what runtime/sums chose against.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "runtime/sums/superaccumulator.hpp"

namespace cairn::bench {

/// Eight vectors of expansions hi + lo by two-sums; what both leave over goes to the superaccumulator (numerics, 6.3).
[[gnu::always_inline]] inline double expansion_sum(std::span<const double> terms) {
  using Vector [[gnu::vector_size(64), gnu::aligned(8)]] = double;
  using Bits [[gnu::vector_size(64)]] = std::int64_t;
  constexpr std::size_t kVectors = 8;
  runtime::Superaccumulator total;
  Vector hi[kVectors] = {};
  Vector lo[kVectors] = {};
  const auto two_sum = [](Vector& sum, Vector& term) __attribute__((always_inline)) {  // term becomes what is left
    const Vector s = sum + term;
    const Vector t = s - sum;
    term = (sum - (s - t)) + (term - t);
    sum = s;
  };
  std::size_t i = 0;
  for (; i + 8 * kVectors <= terms.size(); i += 8 * kVectors) {
    Vector left[kVectors];
    Bits any = {};
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kVectors; ++k) {
      left[k] = *reinterpret_cast<const Vector*>(terms.data() + i + 8 * k);
      two_sum(hi[k], left[k]);
      two_sum(lo[k], left[k]);
      any |= reinterpret_cast<Bits>(left[k] != Vector{});
    }
    std::int64_t some = 0;
    for (int lane = 0; lane < 8; ++lane) some |= any[lane];
    if (some == 0) continue;
    for (const Vector& vector : left) {
      for (int lane = 0; lane < 8; ++lane) {
        if (vector[lane] != 0) total.add(vector[lane]);
      }
    }
  }
  for (std::size_t k = 0; k < kVectors; ++k) {
    for (int lane = 0; lane < 8; ++lane) {
      total.add(hi[k][lane]);
      total.add(lo[k][lane]);
    }
  }
  for (; i < terms.size(); ++i) total.add(terms[i]);
  return total.to_f64();
}

[[gnu::noinline, gnu::target("avx2")]] inline double expansion_sum_avx2(std::span<const double> terms) {
  return expansion_sum(terms);
}

[[gnu::noinline, gnu::target("avx512f,avx512dq")]] inline double expansion_sum_avx512(std::span<const double> terms) {
  return expansion_sum(terms);
}

/// R. M. Neal's large superaccumulator (2015): a bucket of fractions for every sign and exponent, two arrays of them in
/// turn, emptied before one can overflow.
[[gnu::noinline]] inline double large_accumulator_sum(std::span<const double> terms) {
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52U) - 1;
  constexpr std::size_t kMost =
      2048;  // terms between two emptyings of an array: a bucket takes 2^11 fractions of 53 bits
  struct Buckets {
    std::uint64_t sums[4096];
    std::uint32_t counts[4096];
  };
  const auto buckets = std::make_unique<Buckets[]>(2);
  runtime::Superaccumulator total;
  const auto empty = [&](Buckets& of) {
    for (std::uint64_t at = 0; at < 4096; ++at) {
      if (of.counts[at] == 0) continue;
      const auto exponent = static_cast<int>(at & 0x7ffU);
      const std::uint64_t sum = of.sums[at] + (exponent != 0 ? std::uint64_t{of.counts[at]} << 52U : 0);
      for (const auto& [count, shift] : {std::pair{sum & 0xffffffffU, 0}, std::pair{sum >> 32U, 32}}) {
        const auto magnitude = static_cast<std::int64_t>(count);
        total.add_scaled(at > 0x7ff ? -magnitude : magnitude, (exponent != 0 ? exponent : 1) - 1075 + shift);
      }
      of.sums[at] = 0;
      of.counts[at] = 0;
    }
  };
  const auto add = [&](Buckets& of, double term) {
    const auto bits = std::bit_cast<std::uint64_t>(term);
    const std::uint64_t at = bits >> 52U;
    of.sums[at] += bits & kFraction;
    if (++of.counts[at] == kMost) empty(of);
  };
  std::size_t i = 0;
  for (; i + 2 <= terms.size(); i += 2) {
    add(buckets[0], terms[i]);
    add(buckets[1], terms[i + 1]);
  }
  if (i < terms.size()) add(buckets[0], terms[i]);
  empty(buckets[0]);
  empty(buckets[1]);
  return total.to_f64();
}

}  // namespace cairn::bench
