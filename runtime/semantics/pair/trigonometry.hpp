// sin, cos, tan and their inverses (pair floats, 5).
//
// Arguments of few quarter turns that end next to no multiple of pi/2 are reduced by Cody and Waite's method (Software
// Manual for the Elementary Functions, 1980), all others by Payne and Hanek's (Radian reduction for trigonometric
// functions, SIGNUM Newsletter 18, 1983): the significands times the bits of 2/pi that matter, in integers, so that the
// rest keeps its relative accuracy next to every multiple of pi/2. Sines and arc tangents then come from tables at
// multiples of 1/32 and the addition theorems, in three limbs.
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

/// An angle as quadrant pi/2 + rest, |rest| at most about pi/4.
template <class T>
struct Angle {
  WholeOf<T> quadrant;  // 0 to 3
  Triple<T> rest;
};

/// Fixed-point words of x 2/pi: one of integer bits, then the fraction, most significant first. 24 or 53 bits of a
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

/// Adds (or, when `negative`, takes away) a limb's magnitude times 2/pi, modulo 2^32.
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
    const U64 word = two_over_pi(parts.exponent - 32 + 32 * k);
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

/// Below 2^(p/3), and where 2^-(p/3) or more is left: four limbs of pi/2 leave errors of 2^(2p/3) u^4 of the rest, the
/// sums of small terms as much. x >= 0.
template <class T>
inline constexpr LimbOf<T> kFewTurns = power_of_two<LimbOf<T>>(kPrecision<T> / 3);
template <class T>
inline constexpr LimbOf<T> kSmallAngle = LimbOf<T>(0.785);
template <class T>
CAIRN_PAIR_INLINE Angle<T> few_turns(Pair<T> x) {
  using Limb = LimbOf<T>;
  const T n = nearest(x.hi * T(2 * inv_pi<Limb>().hi));
  const Limb* const turn = QuarterTurn<Limb>::limbs;
  // The difference of the leading limbs is exact (Sterbenz).
  const Pair<T> first = two_prod(n, T(turn[0]));
  const Pair<T> second = two_prod(n, T(turn[1]));
  const Pair<T> u = two_sum(x.lo, -first.lo);
  const Pair<T> v = two_sum(u.hi, -second.hi);
  const Pair<T> top = two_sum(x.hi - first.hi, v.hi);
  const T low = (u.lo + v.lo) - fused(n, T(turn[2]), fused(n, T(turn[3]), second.lo));
  const Pair<T> rest = two_sum(top.lo, low);
  return {whole_of(n) & 3, {top.hi, rest.hi, rest.lo}};
}
/// Whether enough is left of few turns.
template <class T>
CAIRN_PAIR_INLINE TruthOf<T> is_far_from_axes(const Triple<T>& rest) {
  return magnitude(rest.a) >= T(1 / kFewTurns<T>);
}

/// Of any x >= 0, in integers.
template <class T>
inline Angle<T> many_turns(Pair<T> x) {
  U32 turn[kTurnWords<T>] = {};
  turn_by<T>(turn, x.hi, false);
  turn_by<T>(turn, x.lo, sign_bit(x.lo));
  // To the nearest quadrant: what is left is a fraction of either sign.
  const bool up = (turn[1] >> 31) != 0;
  const int quadrant = static_cast<int>((turn[0] + (up ? 1U : 0U)) & 3U);
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
  return {quadrant, fraction * entry(Angles<T>::limbs, 1)};
}
/// x >= 0.
template <class T>
CAIRN_PAIR_INLINE Angle<T> angle_of(Pair<T> x) {
  if (x.hi < kSmallAngle<T>) return {0, triple(x)};
  if (x.hi < kFewTurns<T>) {
    const Angle<T> few = few_turns(x);
    if (is_far_from_axes(few.rest)) return few;
  }
  return many_turns(x);
}

/// What sin and cos of an angle of magnitude up to about pi/4 share: those of the nearest multiple of 1/32, and of what
/// is left.
template <class T>
struct Circle {
  Triple<T> table_sin;
  Triple<T> table_cos;
  Pair<T> sin;           // of the rest
  Pair<T> cosine;        // of the rest, less 1
  TruthOf<T> near_zero;  // the multiple is 0
  TruthOf<T> negative;   // the angle is; what is here is of its opposite
};
template <class T>
CAIRN_PAIR_INLINE Circle<T> circle(Triple<T> angle) {
  using Limb = LimbOf<T>;
  const TruthOf<T> negative = angle.a < T(0);
  angle = either(negative, -angle, angle);
  const T step = nearest(angle.a * T(32));
  const WholeOf<T> j = whole_of(step);
  // This difference too is exact.
  const Pair<T> top = two_sum(angle.a - step * T(0.03125), angle.b);
  const Pair<T> low = two_sum(top.lo, angle.c);
  const Pair<T> t = fast_two_sum(top.hi, low.hi);
  const Pair<T> square = sqr<Level::Mid>(t);
  const Pair<T> cube = mul<Level::Low>(square, t);
  const Pair<T> tail = mul<Level::Low>(cube, falling_polynomial_of<SineTail>(square));
  const Pair<T> sine = pair_with_smaller(Triple<T>{t.hi, t.lo, low.lo}, tail);
  const Pair<T> cosine = mul<Level::Low>(square, falling_polynomial_of<CosineTail>(square));
  return {entry_at<T>(Sines<Limb>::limbs, j), entry_at<T>(Cosines<Limb>::limbs, j), sine, cosine, j == 0, negative};
}
/// The sine of the angle and `quadrant` quarter turns, by the addition theorem: of an odd number it is the cosine's.
template <class T>
CAIRN_PAIR_INLINE Pair<T> sine_of(const Circle<T>& c, WholeOf<T> quadrant) {
  const TruthOf<T> odd = (quadrant & 1) != 0;
  const Triple<T> along = either(odd, c.table_cos, c.table_sin);
  const Triple<T> across = either(odd, -c.table_sin, c.table_cos);
  // Next to zero the sum is half of what is in the table: three limbs keep the error near one rounding.
  const Pair<T> turned = two_prod(across.a, c.sin.hi);
  const Pair<T> beside = two_sum(turned.lo, fused(across.b, c.sin.hi, across.a * c.sin.lo));
  const Pair<T> shrunk = mul<Level::Low>(Pair<T>{along.a, along.b}, c.cosine);
  const Pair<T> both = two_sum(turned.hi, shrunk.hi);
  const Pair<T> low = two_sum(both.lo, beside.hi);
  const Pair<T> sum = pair_with_smaller(along, Triple<T>{both.hi, low.hi, low.lo + (beside.lo + shrunk.lo)});
  const Pair<T> value = either(c.near_zero & !odd, c.sin, sum);
  const TruthOf<T> below = (quadrant & 2) != 0;
  return either(below != (c.negative & !odd), neg(value), value);
}
/// sin x and cos x from the angle and circle of |x|.
template <class T>
CAIRN_PAIR_INLINE Pair<T> sine_at(Pair<T> x, const Circle<T>& circle, WholeOf<T> quadrant) {
  return either(magnitude(x.hi) < T(kTiny<LimbOf<T>>), x, odd_value(sine_of(circle, quadrant), x.hi));
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> cosine_at(const Circle<T>& circle, WholeOf<T> quadrant) {
  const Pair<T> result = sine_of(circle, quadrant + 1);
  return {result.hi, result.lo + T(0)};
}

template <class T>
inline Pair<T> sin(Pair<T> x) {
  x = ordinary(x);
  if (!finite(x.hi)) return of(kNan<T>);
  if (magnitude(x.hi) < kTiny<T>) return x;
  const Angle<T> angle = angle_of(abs(x));
  return sine_at(x, circle(angle.rest), angle.quadrant);
}
template <class T>
inline Pair<T> cos(Pair<T> x) {
  x = ordinary(x);
  if (!finite(x.hi)) return of(kNan<T>);
  const Angle<T> angle = angle_of(abs(x));
  return cosine_at(circle(angle.rest), angle.quadrant);
}
template <class T>
inline SinCos<T> sincos(Pair<T> x) {
  x = ordinary(x);
  if (!finite(x.hi)) return {of(kNan<T>), of(kNan<T>)};
  const Angle<T> angle = angle_of(abs(x));
  const Circle<T> both = circle(angle.rest);
  return {sine_at(x, both, angle.quadrant), cosine_at(both, angle.quadrant)};
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> tangent_at(Pair<T> x, const Circle<T>& circle, WholeOf<T> quadrant) {
  return odd_value(div<Level::High>(sine_of(circle, quadrant), sine_of(circle, quadrant + 1)), x.hi);
}
template <class T>
inline Pair<T> tan(Pair<T> x) {
  x = ordinary(x);
  if (!finite(x.hi)) return of(kNan<T>);
  if (magnitude(x.hi) < kTiny<T>) return x;
  const Angle<T> angle = angle_of(abs(x));
  return tangent_at(x, circle(angle.rest), angle.quadrant);
}

/// x modulo 2 as quadrant/2 + rest with |rest| <= 1/4, exact. x >= 0 and finite.
template <class T>
CAIRN_PAIR_INLINE Pair<T> half_turns(Pair<T> x, WholeOf<T>& quadrant) {
  const Pair<T> rest = two_sum(x.hi - T(2) * truncated(x.hi * T(0.5)), x.lo - T(2) * truncated(x.lo * T(0.5)));
  const T n = nearest(rest.hi * T(2));
  quadrant = whole_of(n) & 3;
  return two_sum(rest.hi - n * T(0.5), rest.lo);
}
/// What sinpi and cospi share, `shift` quadrants on: a multiple of 1/2 is exact.
template <class T>
inline Pair<T> sinpi_of(Pair<T> x, int shift) {
  int quadrant = 0;
  const Pair<T> rest = half_turns(x, quadrant);
  quadrant += shift;
  if (rest.hi == T(0)) return of((quadrant & 1) == 0 ? T(0) : (quadrant & 2) != 0 ? T(-1) : T(1));
  if (magnitude(rest.hi) < kTiny<T> && (quadrant & 1) == 0) {
    constexpr int kShift = 3 * kPrecision<T>;  // so that no error term falls below the subnormals
    const Triple<T> value = entry(Angles<T>::limbs, 0) * ldexp(rest, kShift);
    return assembled((quadrant & 2) != 0 ? -value : value, -kShift);
  }
  return sine_of(circle(entry(Angles<T>::limbs, 0) * rest), quadrant);
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
