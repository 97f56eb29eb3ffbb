// Exact sums beside a vectorized sum in any order (the floor) and the fold in written order: nanoseconds a term of the
// longest lane, the least of some runs, and ratios; for f64 also two other exact methods. Terms of like magnitude, and
// terms spread over 60 binades.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "bench/micro/sum_methods.hpp"
#include "bench/micro/thread_time.hpp"
#include "runtime/sums/exact_sum.hpp"

namespace {

using cairn::bench::thread_nanoseconds;
using cairn::runtime::ExactSum;
using cairn::runtime::SumEngine;

/// Eight vectors of 64 bytes, added in any order: what a sum costs when nothing is asked of its bits.
template <class Term>
[[gnu::always_inline]] inline Term vector_sum(std::span<const Term> terms) {
  using Vector [[gnu::vector_size(64), gnu::aligned(sizeof(Term))]] = Term;
  constexpr std::size_t kWidth = 64 / sizeof(Term);
  Vector sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 * kWidth <= terms.size(); i += 8 * kWidth) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < 8; ++k) sums[k] += *reinterpret_cast<const Vector*>(terms.data() + i + k * kWidth);
  }
  for (std::size_t k = 1; k < 8; ++k) sums[0] += sums[k];
  Term total = 0;
  for (std::size_t k = 0; k < kWidth; ++k) total += sums[0][k];
  for (; i < terms.size(); ++i) total += terms[i];
  return total;
}

template <class Term>
[[gnu::noinline, gnu::target("avx2")]] Term vector_sum_avx2(std::span<const Term> terms) {
  return vector_sum(terms);
}

template <class Term>
[[gnu::noinline, gnu::target("avx512f")]] Term vector_sum_avx512(std::span<const Term> terms) {
  return vector_sum(terms);
}

template <class Term>
Term sum_in_any_order(std::span<const Term> terms) {
  return cairn::runtime::best_sum_engine() == SumEngine::Avx512 ? vector_sum_avx512(terms) : vector_sum_avx2(terms);
}

template <class Term>
[[gnu::noinline]] Term fold_in_order(std::span<const Term> terms) {
  Term total = 0;
  for (const Term term : terms) total += term;
  return total;
}

/// Nanoseconds of the longest of `lanes` lanes, each of which sums its part.
template <class Term, class SumOf>
double run_in_lanes(std::span<const Term> terms, unsigned lanes, SumOf sum_of) {
  std::vector<double> taken(lanes);
  std::vector<std::jthread> threads;
  const std::size_t size = terms.size() / lanes;
  const std::size_t repeats = std::max<std::size_t>(1, (std::size_t{1} << 22U) / terms.size());
  const auto run = [&](unsigned lane) {
    const auto part = lane + 1 == lanes ? terms.subspan(lane * size) : terms.subspan(lane * size, size);
    const double begin = thread_nanoseconds();
    for (std::size_t i = 0; i < repeats; ++i) {
      auto sum = sum_of(part);
      asm volatile("" : "+m"(sum) : : "memory");
    }
    taken[lane] = (thread_nanoseconds() - begin) / static_cast<double>(repeats);
  };
  for (unsigned lane = 1; lane < lanes; ++lane) threads.emplace_back(run, lane);
  run(0);
  threads.clear();
  return std::ranges::max(taken);
}

template <class Term, class SumOf>
double nanoseconds_a_term(std::span<const Term> terms, unsigned lanes, SumOf sum_of) {
  double best = 1e30;
  for (int round = 0; round < 7; ++round) best = std::min(best, run_in_lanes(terms, lanes, sum_of));
  return best / static_cast<double>(terms.size());
}

template <class Term>
void measure(std::size_t count, int binades, unsigned lanes) {
  std::vector<Term> terms(count);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(1, 2);
  for (auto& term : terms) {
    const int shift = binades == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(binades)) - binades / 2;
    term = static_cast<Term>(std::ldexp(random() % 2 == 0 ? unit(random) : -unit(random), shift));
  }
  const std::span<const Term> all(terms);
  const double floor = nanoseconds_a_term(all, lanes, sum_in_any_order<Term>);
  const double fold = nanoseconds_a_term(all, 1, fold_in_order<Term>);
  std::printf("f%zu %8zu terms, %2d binades, %u lanes: any order %.3f, in order %.3f", sizeof(Term) * 8, count, binades,
              lanes, floor, fold);
  const SumEngine best = cairn::runtime::best_sum_engine();
  for (const auto& [name, engine] : {std::pair{"avx512", SumEngine::Avx512}, std::pair{"avx2", SumEngine::Avx2}}) {
    if (engine > best) continue;
    const double exact = nanoseconds_a_term(all, lanes, [&](std::span<const Term> part) {
      ExactSum<Term> sum;
      sum.add_with(part, engine);
      return sum.result();
    });
    std::printf("; exact %s %.3f (%.2fx any order, %.2fx in order)", name, exact, exact / floor, exact / fold);
  }
  if constexpr (sizeof(Term) == 8) {
    using Method = double (*)(std::span<const double>);
    const Method expansions =
        best == SumEngine::Avx512 ? cairn::bench::expansion_sum_avx512 : cairn::bench::expansion_sum_avx2;
    const Method large = cairn::bench::large_accumulator_sum;
    for (const auto& [name, method] :
         {std::pair{"eight expansions", expansions}, std::pair{"large accumulator", large}}) {
      ExactSum<double> sum;
      sum.add(all);
      if (method(all) != sum.result()) std::printf("; %s differs", name);
      std::printf("; %s %.3f", name, nanoseconds_a_term(all, lanes, method));
    }
  }
  std::puts("");
}

}  // namespace

int main() {
  for (const int binades : {0, 60}) {
    for (const std::size_t count : {1000UZ, 2000UZ, 5000UZ, 20000UZ, 100000UZ, 4UZ << 20U}) {
      measure<double>(count, binades, 1);
      measure<float>(count, binades, 1);
    }
    for (const unsigned lanes : {1U, 2U}) {
      measure<double>(std::size_t{64} << 20U, binades, lanes);
      measure<float>(std::size_t{64} << 20U, binades, lanes);
    }
  }
}
