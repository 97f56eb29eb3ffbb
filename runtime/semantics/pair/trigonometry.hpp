// sin, cos, tan and their inverses (pair floats, 5).
//
// Angles are taken from the nearest multiple of pi/64. Of moderate arguments it is subtracted by Cody and Waite's
// method (Software Manual for the Elementary Functions, 1980), with fused operations (Boldo, Daumas and Li, Formally
// verified argument reduction with a fused multiply-add, IEEE Transactions on Computers 58, 2009); of others, and next
// to a multiple of pi/2, by Payne and Hanek's (Radian reduction for trigonometric functions, SIGNUM Newsletter 18,
// 1983): the significands times the bits of 64/pi that matter, in integers, so that what is left keeps its relative
// accuracy. Sines then come from a table and the addition theorem, arc tangents from one at multiples of 1/32, in three
// limbs.
#pragma once

#include "runtime/semantics/pair/constants.hpp"
#include "runtime/semantics/pair/naturals.hpp"
#include "runtime/semantics/pair/tables/trigonometry.hpp"
#include "runtime/semantics/pair/triple.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

template <class T>
struct SinCos {
  Pair<T> sin;
  Pair<T> cos;
};

/// An angle as n pi/64 + rest, |rest| at most about pi/128.
template <class T>
struct Angle {
  WholeOf<T> n;  // 0 to 127
  Pair<T> rest;
};

/// Fixed-point words of x 64/pi: one of integer bits, then the fraction, most significant first. 24 or 53 bits of a
/// significand leave 232 or 331 bits of fraction right.
template <class T>
inline constexpr int kTurnWords = sizeof(T) == 4 ? 9 : 13;

/// 32 bits of 2/pi from bit `from` after the point on; zeros before it.
CAIRN_PAIR_INLINE U32 two_over_pi(int from) {
  if (from <= -32) return 0;
  if (from < 0) return kTwoOverPi[0] >> -from;
  const int word = from >> 5;
  const int part = from & 31;
  if (part == 0) return kTwoOverPi[word];
  return kTwoOverPi[word] << part | kTwoOverPi[word + 1] >> (32 - part);
}

/// Adds (or, when `negative`, takes away) a limb's magnitude times 64/pi, modulo 2^32.
template <class T>
inline void turn_by(U32 (&turn)[kTurnWords<T>], T limb, bool negative) {
  if (limb == T(0)) return;
  const Dissected<T> parts = dissected(limb);
  const auto low = static_cast<U32>(parts.significand);
  const auto high = static_cast<U32>(parts.significand >> 32);
  U64 carry = 0;  // of the product
  U64 above = 0;  // the high half's product of the word before
  U64 into_turn = negative ? 1 : 0;
  for (int k = kTurnWords<T> - 1; k >= 0; --k) {
    const U64 word = two_over_pi(parts.exponent + 5 - 32 + 32 * k);
    const U64 product = word * low;
    // carry and above are below 2^33 and 2^32, so that the sums fit.
    const U64 sum = (product & 0xffffffffU) + carry + (above & 0xffffffffU);
    carry = (product >> 32) + (sum >> 32) + (above >> 32);
    above = word * high;
    const auto digit = static_cast<U32>(sum);
    into_turn += U64{turn[k]} + (negative ? static_cast<U32>(~digit) : digit);
    turn[k] = static_cast<U32>(into_turn);
    into_turn >>= 32;
  }
}

/// Arguments below this are reduced by one subtraction.
template <class T>
inline constexpr LimbOf<T> kFewTurns = power_of_two<LimbOf<T>>(kPrecision<T> == 24 ? 8 : 20);
template <class T>
struct FewTurns {
  Angle<T> angle;
  TruthOf<T> known;  // the rest has its relative accuracy
};
/// Of 0 <= x < kFewTurns.
template <class T>
CAIRN_PAIR_INLINE FewTurns<T> few_turns(Pair<T> x) {
  using Limb = LimbOf<T>;
  constexpr int p = kPrecision<T>;
  const Limb* const step = CircleStep<Limb>::limbs;
  const Rounded<T> steps = rounded(x.hi, T(CircleSteps<Limb>::value));
  const T n = steps.limb;
  // Exact: a multiple of the last bit of the step, or of x.hi where that is less, and at most half a step.
  const T top = fused(-n, T(step[0]), x.hi);
  const Pair<T> second = two_prod(n, T(step[1]));
  const Pair<T> next = two_sum(x.lo, -second.hi);
  const Pair<T> rest = fast_two_sum(top, next.hi);
  const T low = fused(-n, T(step[2]), next.lo - second.lo);
  // The terms beside `top` are below 2^(1-p) x, the roundings of `low` add up to 2^(1-3p) x. Where the rest itself is
  // the sine or cosine it may not be small beside that, elsewhere not beside the terms.
  const TruthOf<T> on_axis = (steps.whole & 31) == 0;
  const T least = x.hi * either(on_axis, T(power_of_two<Limb>(6 - p)), T(power_of_two<Limb>(2 - p)));
  return {{steps.whole & 127, {rest.hi, rest.lo + low}}, magnitude(rest.hi) >= least};
}

/// Of any x >= 0, in integers.
template <class T>
inline Angle<T> many_turns(Pair<T> x) {
  U32 turn[kTurnWords<T>] = {};
  turn_by<T>(turn, x.hi, false);
  turn_by<T>(turn, x.lo, sign_bit(x.lo));
  // To the nearest multiple: what is left is a fraction of either sign.
  const bool up = (turn[1] >> 31) != 0;
  const int n = static_cast<int>((turn[0] + (up ? 1U : 0U)) & 127U);
  if (up) {
    U64 carry = 1;
    for (int k = kTurnWords<T> - 1; k > 0; --k) {
      carry += static_cast<U32>(~turn[k]);
      turn[k] = static_cast<U32>(carry);
      carry >>= 32;
    }
  }
  int first = 1;
  while (first < kTurnWords<T> - 1 && turn[first] == 0) ++first;
  int at = 32 * (first - 1) + (turn[first] == 0 ? 0 : leading_zeros(turn[first]));  // bits after the point
  T limbs[3];
  for (T& limb : limbs) {
    U64 bits = 0;
    for (int taken = 0; taken < kPrecision<T>;) {
      const int word = 1 + (at + taken) / 32;
      const int inside = (at + taken) % 32;
      const int left = kPrecision<T> - taken;
      const int count = 32 - inside < left ? 32 - inside : left;
      const U32 source = word < kTurnWords<T> ? turn[word] : 0;
      bits = bits << count | (source << inside) >> (32 - count);
      taken += count;
    }
    at += kPrecision<T>;
    limb = scaled(static_cast<T>(bits), -at);
  }
  Triple<T> fraction = settled(limbs[0], limbs[1], limbs[2]);
  if (up) fraction = -fraction;
  return {n, to_pair(fraction * entry(CircleStep<T>::limbs, 0))};
}
/// x >= 0.
template <class T>
CAIRN_PAIR_INLINE Angle<T> angle_of(Pair<T> x) {
  if (x.hi < kFewTurns<T>) {
    const FewTurns<T> few = few_turns(x);
    if (few.known) return few.angle;
  }
  return many_turns(x);
}

/// What sines and cosines next to a multiple of pi/64 share: the angle t from there, t^2, and the tails of the series.
template <class T>
struct Arc {
  Pair<T> t;
  Pair<T> square;
  Pair<T> sine;    // (sin t - t)/t^3
  Pair<T> cosine;  // (cos t - 1)/t^2
};
template <class T>
CAIRN_PAIR_INLINE Arc<T> arc_of(Pair<T> t) {
  const Pair<T> first = two_prod(t.hi, t.hi);
  const Pair<T> square = {first.hi, fused(t.hi + t.hi, t.lo, first.lo)};
  return {t, square, falling_polynomial_of<SineTail>(square), falling_polynomial_of<CosineTail>(square)};
}
/// sin(n pi/64 + t) = S + C t + t^2 (S cosine + C t sine) with S and C the sine and cosine of the multiple, t^2 (...)
/// in a short way. Next to a multiple of pi S is 0, else at least twice as large as what comes beside it.
template <class T>
CAIRN_PAIR_INLINE Pair<T> sine_of(const Arc<T>& arc, WholeOf<T> n) {
  const auto row = row_of<5, T>(Circle<LimbOf<T>>::limbs, n, 6);
  const Pair<T> s = {row.limbs[0], row.limbs[1]};
  const Pair<T> c = {row.limbs[3], row.limbs[4]};
  const Pair<T> turned = two_prod(c.hi, arc.t.hi);
  const T beside = fused(c.lo, arc.t.hi, c.hi * arc.t.lo);
  const Pair<T> ct = {turned.hi, turned.lo + beside};
  const Pair<T> tail = mul_short(arc.square, add_smaller(mul_short(s, arc.cosine), mul_short(ct, arc.sine)));
  const Pair<T> top = fast_two_sum(s.hi, ct.hi);
  const Pair<T> sum = fast_two_sum(top.hi, tail.hi);
  // What may be as large as a last place of the sum is added without error.
  const Pair<T> own = two_sum(top.lo, s.lo);
  const Pair<T> others = two_sum(turned.lo, beside);
  const Pair<T> both = two_sum(own.hi, others.hi);
  const Pair<T> low = two_sum(both.hi, sum.lo);
  const T least = ((own.lo + others.lo) + (both.lo + low.lo)) + (tail.lo + row.limbs[2]);
  const Pair<T> value = fast_two_sum(sum.hi, low.hi);
  return fast_two_sum(value.hi, value.lo + least);
}
/// sin x and cos x from the arc of |x|.
template <class T>
CAIRN_PAIR_INLINE Pair<T> sine_at(T x, const Arc<T>& arc, WholeOf<T> n) {
  return odd_value(sine_of(arc, n), x);
}
/// A quarter turn on.
template <class T>
CAIRN_PAIR_INLINE Pair<T> cosine_at(const Arc<T>& arc, WholeOf<T> n) {
  const Pair<T> result = sine_of(arc, (n + 32) & 127);
  return {result.hi, result.lo + T(0)};
}

template <class T>
inline Pair<T> sin(Pair<T> x) {
  x = ordinary(x);
  if (!finite(x.hi)) return of(kNan<T>);
  const Angle<T> angle = angle_of(abs(x));
  return sine_at(x.hi, arc_of(angle.rest), angle.n);
}
template <class T>
inline Pair<T> cos(Pair<T> x) {
  x = ordinary(x);
  if (!finite(x.hi)) return of(kNan<T>);
  const Angle<T> angle = angle_of(abs(x));
  return cosine_at(arc_of(angle.rest), angle.n);
}
template <class T>
inline SinCos<T> sincos(Pair<T> x) {
  x = ordinary(x);
  if (!finite(x.hi)) return {of(kNan<T>), of(kNan<T>)};
  const Angle<T> angle = angle_of(abs(x));
  const Arc<T> arc = arc_of(angle.rest);
  return {sine_at(x.hi, arc, angle.n), cosine_at(arc, angle.n)};
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> tangent_at(T x, const Arc<T>& arc, WholeOf<T> n) {
  return odd_value(div<Level::High>(sine_of(arc, n), sine_of(arc, (n + 32) & 127)), x);
}
template <class T>
inline Pair<T> tan(Pair<T> x) {
  x = ordinary(x);
  if (!finite(x.hi)) return of(kNan<T>);
  if (magnitude(x.hi) < kTiny<T>) return x;
  const Angle<T> angle = angle_of(abs(x));
  return tangent_at(x.hi, arc_of(angle.rest), angle.n);
}

/// x modulo 2 as n/64 + rest with |rest| <= 1/128, exact. x >= 0 and finite.
template <class T>
struct HalfTurns {
  WholeOf<T> n;  // 0 to 127
  Pair<T> rest;
};
template <class T>
CAIRN_PAIR_INLINE HalfTurns<T> half_turns(Pair<T> x) {
  const Pair<T> rest = two_sum(x.hi - T(2) * truncated(x.hi * T(0.5)), x.lo - T(2) * truncated(x.lo * T(0.5)));
  const Rounded<T> n = rounded(rest.hi, T(64));
  return {n.whole & 127, two_sum(fused(-n.limb, T(0.015625), rest.hi), rest.lo)};
}
/// What sinpi and cospi share, `shift` quadrants on: a multiple of 1/2 is exact.
template <class T>
inline Pair<T> sinpi_of(Pair<T> x, int shift) {
  HalfTurns<T> turns = half_turns(x);
  const int n = (turns.n + 32 * shift) & 127;
  const bool at_axis = (n & 31) == 0;
  if (turns.rest.hi == T(0) && at_axis) return of((n & 32) == 0 ? T(0) : (n & 64) != 0 ? T(-1) : T(1));
  if (magnitude(turns.rest.hi) < kTiny<T> && (n & 63) == 0) {
    constexpr int kShift = 3 * kPrecision<T>;  // so that no error term falls below the subnormals
    const Triple<T> value = entry(Angles<T>::limbs, 0) * ldexp(turns.rest, kShift);
    return assembled((n & 64) != 0 ? -value : value, -kShift);
  }
  return sine_of(arc_of(to_pair(entry(Angles<T>::limbs, 0) * turns.rest)), n);
}
template <class T>
inline Pair<T> sinpi(Pair<T> x) {
  x = ordinary(x);
  if (!finite(x.hi)) return of(kNan<T>);
  const Pair<T> value = sinpi_of(abs(x), 0);
  if (value.lo == T(0) && (value.hi == T(0) || magnitude(value.hi) == T(1))) return of(flip(value.hi, x.hi));
  return odd_value(value, x.hi);
}
template <class T>
inline Pair<T> cospi(Pair<T> x) {
  x = ordinary(x);
  if (!finite(x.hi)) return of(kNan<T>);
  return sinpi_of(abs(x), 1);
}
template <class T>
inline SinCos<T> sincospi(Pair<T> x) {
  x = ordinary(x);
  return {sinpi(x), cospi(x)};
}

// ---------------------------------------------------------------------------------------------------------- inverses

/// atan(y/x) for 0 <= y, 0 <= x, not both zero, between 2^-80 and 2^80 of each other.
template <class T>
inline Triple<T> arc(Triple<T> y, Triple<T> x) {
  using Limb = LimbOf<T>;
  const TruthOf<T> steep = (y.a > x.a) | ((y.a == x.a) & (y.b > x.b));
  const Triple<T> above = either(steep, x, y);
  const Triple<T> below = either(steep, y, x);
  const T step = nearest(above.a / below.a * T(32));
  const T c = step * T(0.03125);
  const Triple<T> t = (above - below * c) / (below + above * c);
  const Pair<T> short_t = to_pair(t);
  const Pair<T> square = sqr<Level::Mid>(short_t);
  const Pair<T> cube = mul<Level::Low>(square, short_t);
  const Triple<T> rest = t + mul<Level::Low>(cube, polynomial_of<ArcTangentTail>(square));
  const Triple<T> value = entry_at<T>(ArcTangents<Limb>::limbs, whole_of(step)) + rest;
  return either(steep, constant_entry<T>(Angles<Limb>::limbs, 1) - value, value);
}

/// sqrt(1 - x^2) for |x| < 1.
template <class T>
CAIRN_PAIR_INLINE Triple<T> other_leg(Pair<T> x) {
  return positive_root((triple(neg(x)) + T(1)) * (triple(x) + T(1)));
}
/// Whether |x| exceeds 1: 1; equals it: 0; else -1. NaN gives 1.
template <class T>
CAIRN_PAIR_INLINE int against_one(Pair<T> x) {
  const Pair<T> y = abs(x);
  if (lt(y, of(T(1)))) return -1;
  return y.hi == T(1) && y.lo == T(0) ? 0 : 1;
}

template <class T>
inline Pair<T> asin(Pair<T> x) {
  x = ordinary(x);
  const int side = against_one(x);
  if (side > 0) return of(kNan<T>);
  if (side == 0) return odd_value(half_pi<T>(), x.hi);
  if (magnitude(x.hi) < kTiny<T>) return x;
  return odd_value(to_pair(arc(triple(abs(x)), other_leg(x))), x.hi);
}
template <class T>
inline Pair<T> acos(Pair<T> x) {
  x = ordinary(x);
  const int side = against_one(x);
  if (side > 0) return of(kNan<T>);
  if (side == 0) return x.hi > T(0) ? of(T(0)) : pi<T>();
  if (magnitude(x.hi) < power_of_two<T>(-3 * kPrecision<T>)) return half_pi<T>();
  const Triple<T> value = arc(other_leg(x), triple(abs(x)));
  return to_pair(x.hi < T(0) ? entry(Angles<T>::limbs, 0) - value : value);
}

/// The angle of (x, y), both positive and finite, between 0 and pi; `left` puts x on the other side.
template <class T>
inline Pair<T> direction(Pair<T> y, Pair<T> x, bool left) {
  const int apart = exponent_of(y.hi) - exponent_of(x.hi);
  constexpr int kFar = 2 * kPrecision<T> + 16;
  if (apart > kFar) return half_pi<T>();
  if (apart < -kFar && left) return pi<T>();
  const Triple<T> above = scaled(triple(y), -exponent_of(y.hi));
  const Triple<T> below = scaled(triple(x), -exponent_of(x.hi));
  if (apart < -kFar) return assembled(above / below, apart);
  const Triple<T> value = apart > 0 ? arc(above, scaled(below, -apart)) : arc(scaled(above, apart), below);
  return to_pair(left ? entry(Angles<T>::limbs, 0) - value : value);
}
template <class T>
inline Pair<T> atan(Pair<T> x) {
  x = ordinary(x);
  if (nan(x.hi)) return of(kNan<T>);
  if (magnitude(x.hi) < kTiny<T>) return x;
  if (infinite(x.hi)) return odd_value(half_pi<T>(), x.hi);
  return odd_value(direction(abs(x), of(T(1)), false), x.hi);
}
template <class T>
inline Pair<T> atan2(Pair<T> y, Pair<T> x) {
  x = ordinary(x);
  y = ordinary(y);
  if (nan(x.hi) || nan(y.hi)) return of(kNan<T>);
  const bool left = sign_bit(x.hi);
  if (infinite(y.hi) && infinite(x.hi)) {
    const Triple<T> eighth = entry(Angles<T>::limbs, left ? 3 : 2);
    return odd_value(to_pair(eighth), y.hi);
  }
  if (y.hi == T(0) || infinite(x.hi)) return left ? odd_value(pi<T>(), y.hi) : of(flip(T(0), y.hi));
  if (x.hi == T(0) || infinite(y.hi)) return odd_value(half_pi<T>(), y.hi);
  return odd_value(direction(abs(y), abs(x), left), y.hi);
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
