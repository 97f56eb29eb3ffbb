// Exact models for the tests of the reference, in rationals and apart from the library: formats from their table,
// rounding by comparing with both neighbours, sums in the written order.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "runtime/reference/matmul.hpp"

namespace cairn::model {

namespace ref = cairn::reference;

/// A number of section 1.1: finite, or '+', '-' or 'n' for the infinities and NaN.
struct Number {
  char kind = 'f';
  mpq_class q;
};

inline Number finite(mpq_class q) { return {'f', std::move(q)}; }
inline Number special(char kind) { return {kind, 0}; }

inline mpq_class two_to(int exponent) {
  mpq_class power = 1;
  if (exponent >= 0) {
    mpq_mul_2exp(power.get_mpq_t(), power.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_div_2exp(power.get_mpq_t(), power.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  }
  return power;
}

inline mpq_class rational(const ref::Value& value) {
  return mpq_class(value.significand()) * two_to(static_cast<int>(value.exponent()));
}

inline Number number(const ref::Value& value) {
  using Kind = ref::Value::Kind;
  return value.kind() == Kind::Finite          ? finite(rational(value))
         : value.kind() == Kind::PlusInfinity  ? special('+')
         : value.kind() == Kind::MinusInfinity ? special('-')
                                               : special('n');
}

inline bool same(const Number& a, const Number& b) { return a.kind == b.kind && (a.kind != 'f' || a.q == b.q); }

inline Number operator+(const Number& a, const Number& b) {
  if (a.kind == 'f' && b.kind == 'f') return finite(a.q + b.q);
  if (a.kind == 'n' || b.kind == 'n') return special('n');
  if (a.kind != 'f' && b.kind != 'f') return a.kind == b.kind ? a : special('n');
  return a.kind != 'f' ? a : b;
}

inline Number operator*(const Number& a, const Number& b) {
  if (a.kind == 'f' && b.kind == 'f') return finite(a.q * b.q);
  const auto sign = [](const Number& x) {
    return x.kind == '+' ? 1 : x.kind == '-' ? -1 : x.kind == 'n' ? 0 : sgn(x.q);
  };
  const int signs = sign(a) * sign(b);
  return special(signs == 0 ? 'n' : signs > 0 ? '+' : '-');
}

/// The table of section 1.2.
struct Spec {
  int p, emin, emax;
  mpq_class largest;
  bool infinities;
  [[nodiscard]] mpq_class edge() const { return largest + two_to(emax - p); }
  [[nodiscard]] mpq_class eta() const { return two_to(emin - p); }
  [[nodiscard]] mpq_class normal() const { return two_to(emin); }
  [[nodiscard]] mpq_class u() const { return two_to(-p); }
};

inline Spec spec(ref::Format format) {
  switch (format) {
    case ref::Format::F16:
      return {11, -14, 15, 65504, true};
    case ref::Format::Bf16:
      return {8, -126, 127, (2 - two_to(-7)) * two_to(127), true};
    case ref::Format::F8E4M3:
      return {4, -6, 8, 448, false};
    case ref::Format::F8E5M2:
      return {3, -14, 15, 57344, true};
    case ref::Format::F32:
      return {24, -126, 127, (2 - two_to(-23)) * two_to(127), true};
    case ref::Format::F64:
      break;
  }
  return {53, -1022, 1023, (2 - two_to(-52)) * two_to(1023), true};
}

inline mpz_class floor_of(const mpq_class& q) {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), q.get_num().get_mpz_t(), q.get_den().get_mpz_t());
  return result;
}

/// floor(log2 |q|), by trying.
inline int log2_floor(const mpq_class& q) {
  const mpq_class size = abs(q);
  int e = static_cast<int>(mpz_sizeinbase(size.get_num().get_mpz_t(), 2)) -
          static_cast<int>(mpz_sizeinbase(size.get_den().get_mpz_t(), 2)) - 1;
  while (two_to(e + 1) <= size) ++e;
  return e;
}

/// Both neighbours of a rational on a format's grid without an upper end.
inline std::pair<mpq_class, mpq_class> neighbours(const mpq_class& q, const Spec& f) {
  if (q == 0) return {0, 0};
  const mpq_class step = two_to(std::max(log2_floor(q), f.emin) - f.p + 1);
  const mpq_class below = mpq_class(floor_of(q / step)) * step;
  return {below, below == q ? below : mpq_class(below + step)};
}

inline mpq_class nearest(const mpq_class& q, const Spec& f, bool away) {
  const auto [below, above] = neighbours(q, f);
  const mpq_class to_below = q - below;
  const mpq_class to_above = above - q;
  if (to_below != to_above) return to_below < to_above ? below : above;
  if (below == above) return below;
  if (away) return q > 0 ? above : below;
  // The even one of two neighbours is the one that is a multiple of two steps.
  const mpq_class step = above - below;
  return mpq_class(below / (2 * step)).get_den() == 1 ? below : above;
}

inline bool past(const mpq_class& q, const Spec& f, bool away) { return abs(nearest(q, f, away)) > f.largest; }

enum class Over { Default, Saturate, Nan };

inline Number rounded(const Number& x, const Spec& f, bool away, Over over = Over::Default, bool flush = false) {
  if (x.kind == 'n') return x;
  const bool negative = x.kind == '-' || (x.kind == 'f' && x.q < 0);
  if (x.kind == 'f') {
    const mpq_class r = nearest(x.q, f, away);
    if (abs(r) <= f.largest) return finite(flush && abs(r) < f.normal() ? mpq_class(0) : r);
  }
  if (over == Over::Saturate) return finite(negative ? -f.largest : f.largest);
  if (over == Over::Nan || !f.infinities) return special('n');
  return special(negative ? '-' : '+');
}

// ------------------------------------------------------------------------------------------------- random operands

/// How many trials a test of random operands makes; CAIRN_REFERENCE_TRIALS multiplies it for a long run, and
/// CAIRN_REFERENCE_SEED, from 0, makes other trials, so that a long run may be taken in parts.
inline int trials(int count) {
  const char* factor = std::getenv("CAIRN_REFERENCE_TRIALS");
  return factor == nullptr ? count : count * std::atoi(factor);
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) {
    const char* part = std::getenv("CAIRN_REFERENCE_SEED");
    random_.seed(seed + (part == nullptr ? 0 : std::strtoull(part, nullptr, 10) << 16U));
  }

  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  std::uint64_t word() { return random_(); }
  ref::Format format() { return static_cast<ref::Format>(below(6)); }

  /// A value of a format: often of a few binades, sometimes subnormal, at the edge, zero, a power of two.
  ref::Value value(ref::Format format, bool specials) {
    const Spec f = spec(format);
    if (specials && one_in(12)) {
      const int which = below(f.infinities ? 3 : 1);
      return which == 0 ? ref::Value::nan() : ref::Value::infinity(which == 1);
    }
    if (one_in(10)) return {};
    int e = below(7) - 3;
    if (one_in(6)) e = f.emin - below(f.p);
    if (one_in(8)) e = f.emax - below(3);
    if (one_in(8)) e = f.emin + below(f.emax - f.emin + 1);
    e = std::max(e, f.emin - f.p + 1);
    const int bits = std::min(f.p, e - (f.emin - f.p + 1) + 1);
    std::uint64_t n = std::uint64_t{1} << (bits - 1);
    const int form = below(4);
    if (form == 1) n |= n - 1;
    if (form >= 2) n |= random_() & (n - 1);
    ref::Value made(mpz_class(n), e - bits + 1);
    if (rational(made) > f.largest) made = ref::Value(f.largest.get_num(), 0);
    return one_in(2) ? made.negated() : made;
  }

  ref::Array array(ref::Format format, ref::Shape shape, bool specials) {
    ref::Array made(format, std::move(shape));
    for (std::size_t i = 0; i < made.size(); ++i) made.set(i, value(format, specials));
    return made;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace cairn::model
