// The exact sum against sums of rationals (GMP), which know nothing of floating point.
#include "runtime/sums/exact_sum.hpp"

#include <gmp.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

namespace cairn::runtime {
namespace {

/// The exact sum of finite terms as a multiple of 2^-1140, rounded once by comparing what is cut off with a half.
template <class Term>
Term rational_sum(const std::vector<Term>& terms) {
  using Limits = std::numeric_limits<Term>;
  constexpr int kScale = 1140;  // finer than half the least subnormal of either type
  mpz_t sum;
  mpz_t term;
  mpz_inits(sum, term, nullptr);
  for (const Term x : terms) {
    if (x == 0) continue;
    int exponent = 0;
    const double fraction = std::frexp(static_cast<double>(x), &exponent);
    mpz_set_si(term, static_cast<long>(std::ldexp(fraction, 53)));
    mpz_mul_2exp(term, term, static_cast<mp_bitcnt_t>(exponent - 53 + kScale));
    mpz_add(sum, sum, term);
  }
  const int sign = mpz_sgn(sum);
  Term result = 0;
  if (sign != 0) {
    mpz_abs(sum, sum);
    const long lead = static_cast<long>(mpz_sizeinbase(sum, 2)) - 1;
    const long least = kScale + Limits::min_exponent - Limits::digits;
    const long cut = std::max(lead - (Limits::digits - 1), least);
    mpz_t half;
    mpz_init_set_ui(half, 1);
    mpz_mul_2exp(half, half, static_cast<mp_bitcnt_t>(cut - 1));
    mpz_fdiv_r_2exp(term, sum, static_cast<mp_bitcnt_t>(cut));
    mpz_fdiv_q_2exp(sum, sum, static_cast<mp_bitcnt_t>(cut));
    const int against_half = mpz_cmp(term, half);
    if (against_half > 0 || (against_half == 0 && mpz_odd_p(sum) != 0)) mpz_add_ui(sum, sum, 1);
    const double significand = mpz_get_d(sum);
    const long exponent = cut - kScale;
    const bool overflows = significand != 0 && std::ilogb(significand) + exponent >= Limits::max_exponent;
    result = overflows ? Limits::infinity() : static_cast<Term>(std::ldexp(significand, static_cast<int>(exponent)));
    if (sign < 0) result = -result;
    mpz_clear(half);
  }
  mpz_clears(sum, term, nullptr);
  return result;
}

template <class Term>
Term exact_sum(const std::vector<Term>& terms, SumEngine engine, std::size_t blocks) {
  ExactSum<Term> total;
  const std::size_t size = terms.size() / blocks + 1;
  for (std::size_t begin = 0; begin < terms.size(); begin += size) {
    ExactSum<Term> block;
    block.add_with(std::span(terms).subspan(begin, std::min(size, terms.size() - begin)), engine);
    total.join(block);
  }
  return total.result();
}

std::vector<SumEngine> engines() {
  std::vector<SumEngine> all{SumEngine::Scalar};
  if (best_sum_engine() != SumEngine::Scalar) all.push_back(SumEngine::Avx2);
  if (best_sum_engine() == SumEngine::Avx512) all.push_back(SumEngine::Avx512);
  return all;
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
std::uint64_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

constexpr int kKinds = 10;

/// One kind of array a round: like magnitudes, 60 binades, every binade, small integers, powers of two, subnormals,
/// near overflow, mostly zeros, one tiny term, near the least normal.
template <class Term>
std::vector<Term> terms_of_kind(int kind, std::size_t count, std::mt19937_64& random) {
  using Limits = std::numeric_limits<Term>;
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto any = [&](int span) { return static_cast<int>(random() % static_cast<std::uint64_t>(span)); };
  std::vector<Term> terms(count);
  for (auto& term : terms) {
    double x = unit(random);
    switch (kind) {
      case 0:
        break;
      case 1:
        x = std::ldexp(x, any(60));
        break;
      case 2:
        x = std::ldexp(x, any(Limits::max_exponent - Limits::min_exponent) + Limits::min_exponent - 20);
        break;
      case 3:
        x = any(7) - 3;
        break;
      case 4:
        x = std::ldexp(any(2) == 0 ? 1.0 : -1.0, any(100) - 50);
        break;
      case 5:
        x = std::ldexp(any(9) - 4, Limits::min_exponent - Limits::digits);
        break;
      case 6:
        x = std::ldexp(x, Limits::max_exponent - 1);
        break;
      case 7:
        x = any(3) != 0 ? 0 : x;
        break;
      case 8:
        x = any(50) == 0 ? std::ldexp(x, Limits::min_exponent + 2) : 1;
        break;
      default:
        x = std::ldexp(x, Limits::min_exponent + any(50));
        break;
    }
    term = static_cast<Term>(x);
  }
  if (random() % 3 == 0) {  // cancellation
    for (std::size_t i = 0; i + 1 < count; i += 2) terms[i + 1] = -terms[i];
    if (count > 3) terms[count / 2] = static_cast<Term>(std::ldexp(1.0, -70));
  }
  return terms;
}

/// Terms whose sum stands half way between two numbers, or one tiny step beside that, after much has cancelled; at the
/// least numbers and at the greatest too, where half way past the last is an infinity.
template <class Term>
std::vector<Term> terms_about_a_tie(std::size_t count, std::mt19937_64& random) {
  using Limits = std::numeric_limits<Term>;
  const auto any = [&](int span) { return static_cast<int>(random() % static_cast<std::uint64_t>(span)); };
  const int binades[] = {any(200) - 100, Limits::min_exponent - 1 + any(40), Limits::max_exponent - 1};
  const int binade = binades[any(3)];
  Term base = std::ldexp(Term{1}, binade);
  switch (any(3)) {
    case 0:
      base = std::nextafter(std::ldexp(base, 1 - (binade == Limits::max_exponent - 1)), Term{0});
      break;
    case 1:
      base += std::ldexp(static_cast<Term>(any(1 << 20)), binade - Limits::digits + 1);
      break;
    default:
      break;
  }
  const int half = binade - Limits::digits;
  std::vector<Term> terms{base};
  const int least = Limits::min_exponent - Limits::digits;
  if (half >= least) {
    const int pieces = half - 3 >= least ? 8 : 1;
    for (int i = 0; i < pieces; ++i) terms.push_back(std::ldexp(Term{1}, pieces == 8 ? half - 3 : half));
    if (any(3) != 0) terms.push_back(std::ldexp(any(2) == 0 ? Term{1} : Term{-1}, least + any(half - least + 1)));
  }
  if (any(2) == 0) {
    for (auto& term : terms) term = -term;
  }
  while (terms.size() + 1 < count) {
    const Term noise = std::ldexp(static_cast<Term>(any(1 << 24) + 1),
                                  any(2) == 0 ? binade - 30 + any(3) : Limits::min_exponent + any(100));
    terms.push_back(noise);
    terms.push_back(-noise);
  }
  std::ranges::shuffle(terms, random);
  return terms;
}

/// CAIRN_SUM_ARRAYS=1000000 for a long run.
int rounds() {
  const char* asked = std::getenv("CAIRN_SUM_ARRAYS");
  return asked != nullptr ? std::atoi(asked) : 4000;
}

TEMPLATE_TEST_CASE("an exact sum is the sum of rationals rounded once, with every vector width and any blocks",
                   "[runtime][sums]", float, double) {
  std::mt19937_64 random(20240611);
  for (int round = 0; round < rounds(); ++round) {
    const int kind = round % (kKinds + 2);
    const auto count = static_cast<std::size_t>(random() % (round % 64 == 0 ? 5000 : round % 8 == 0 ? 1500 : 200));
    const auto terms =
        kind < kKinds ? terms_of_kind<TestType>(kind, count, random) : terms_about_a_tie<TestType>(count, random);
    const TestType wanted = rational_sum(terms);
    for (const SumEngine engine : engines()) {
      const std::size_t all = round % 16 == 0 ? 16 : 1;  // every number of lanes now and then, else some
      for (std::size_t k = 1; k <= all; ++k) {
        const std::size_t lanes = all == 16 ? k : 1 + random() % 16;
        const TestType got = exact_sum(terms, engine, lanes);
        if (got == wanted) continue;
        INFO("kind " << kind << ", " << count << " terms, " << lanes << " lanes, engine " << static_cast<int>(engine));
        REQUIRE(got == wanted);
      }
    }
  }
}

TEMPLATE_TEST_CASE("an exact sum keeps its grids over millions of terms and changes them as magnitudes do",
                   "[runtime][sums]", float, double) {
  std::mt19937_64 random(7);
  std::vector<TestType> terms;
  for (const int kind : {0, 1, 3, 0, 2, 1, 6, 0}) {
    const auto more = terms_of_kind<TestType>(kind, 100000 + random() % 100000, random);
    terms.insert(terms.end(), more.begin(), more.end());
  }
  // All at the top of one grid, so that its integers fill.
  terms.insert(terms.end(), 2000000, std::nextafter(TestType{2}, TestType{0}));
  const TestType wanted = rational_sum(terms);
  for (const SumEngine engine : engines()) CHECK(exact_sum(terms, engine, 1) == wanted);
}

TEMPLATE_TEST_CASE("an exact sum settles infinities, NaNs and signed zeros by the table", "[runtime][sums]", float,
                   double) {
  using Limits = std::numeric_limits<TestType>;
  const TestType infinity = Limits::infinity();
  const TestType nan = Limits::quiet_NaN();
  const std::uint64_t canonical_nan = sizeof(TestType) == 8 ? 0x7FF8000000000000U : 0x7FC00000U;
  for (const SumEngine engine : engines()) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{600}, std::size_t{2000}}) {
      const auto sum_of = [&](TestType filler, std::vector<TestType> special) {
        std::vector<TestType> terms(size, filler);
        terms.insert(terms.begin() + static_cast<std::ptrdiff_t>(size / 2), special.begin(), special.end());
        return exact_sum(terms, engine, 1);
      };
      CHECK(bits(sum_of(1, {nan})) == canonical_nan);
      CHECK(bits(sum_of(1, {-nan})) == canonical_nan);
      CHECK(bits(sum_of(1, {infinity, -infinity})) == canonical_nan);
      CHECK(sum_of(-1, {infinity}) == infinity);
      CHECK(sum_of(1, {-infinity}) == -infinity);
      CHECK(bits(sum_of(-TestType{0}, {-TestType{0}})) == bits(-TestType{0}));
      CHECK(bits(sum_of(-TestType{0}, {TestType{0}})) == bits(TestType{0}));
      CHECK(bits(sum_of(TestType{0}, {1, -1})) == bits(TestType{0}));
      CHECK(sum_of(TestType{0}, {Limits::max(), Limits::max(), -Limits::max()}) == Limits::max());
      CHECK(sum_of(TestType{0}, {Limits::max(), std::ldexp(Limits::max(), -Limits::digits - 1)}) == Limits::max());
      CHECK(sum_of(TestType{0}, {-Limits::max(), -Limits::max()}) == -infinity);
    }
    CHECK(bits(exact_sum(std::vector<TestType>{}, engine, 1)) == bits(TestType{0}));
  }
}

TEST_CASE("an f32 sum is rounded from the exact total, never from an f64 one", "[runtime][sums]") {
  const std::vector<float> terms{1.0F, std::ldexp(1.0F, -24), std::ldexp(1.0F, -100)};
  for (const SumEngine engine : engines()) CHECK(bits(exact_sum(terms, engine, 1)) == 0x3F800001U);
}

}  // namespace
}  // namespace cairn::runtime
