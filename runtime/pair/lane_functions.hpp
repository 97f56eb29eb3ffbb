// The functions of section 5 for several arguments side by side: the main way of each, without branches, from the same
// parts as the function itself and in the same order, so that the bits are the same. `known` says for which lanes that
// is the answer; of the others the caller asks the function. V is Lanes<limb, n>.
#pragma once

#include "runtime/pair/lanes.hpp"
#include "runtime/semantics/pair/functions.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

template <class V>
struct Answer {
  Pair<V> value;
  TruthOf<V> known;
};

template <class V>
CAIRN_PAIR_INLINE TruthOf<V> is_normalized(Pair<V> x) {
  return x.hi + x.lo == x.hi;
}
/// Lanes whose way is another get an argument that every way can take.
template <class V>
CAIRN_PAIR_INLINE Pair<V> where_known(TruthOf<V> known, Pair<V> x, LimbOf<V> otherwise) {
  return either(known, x, of(V(otherwise)));
}

// ------------------------------------------------------------------------------------------------------- exponential

/// Arguments up to here have results far from the ends of the range.
template <class V>
inline constexpr LimbOf<V> kModerateExponent = LimbOf<V>(0.6931) * (kMaxExponent<V> - 4);

template <class V>
CAIRN_PAIR_INLINE Answer<V> exp_of_lanes(Pair<V> x) {
  const TruthOf<V> known = is_normalized(x) & (magnitude(x.hi) < V(kModerateExponent<V>));
  const ShortExponential<V> e = short_exponential(triple(where_known(known, x, 1)));
  return {assembled_within(e.m, e.k), known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> exp10_of_lanes(Pair<V> x) {
  const TruthOf<V> known = is_normalized(x) & (magnitude(x.hi) < V(kModerateExponent<V> / LimbOf<V>(2.303)));
  const Triple<V> scale = constant_entry<V>(ExponentialStep<LimbOf<V>>::limbs, 1);
  const ShortExponential<V> e = short_exponential(scale * where_known(known, x, 1));
  return {assembled_within(e.m, e.k), known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> exp2_of_lanes(Pair<V> x) {
  const TruthOf<V> known = is_normalized(x) & (magnitude(x.hi) < V(kMaxExponent<V> - 4));
  x = where_known(known, x, 1);
  const V n = nearest(x.hi);
  const Triple<V> rest = triple(two_sum(x.hi - n, x.lo));
  const ShortExponential<V> e = short_exponential(constant_entry<V>(ExponentialStep<LimbOf<V>>::limbs, 2) * rest);
  return {assembled_within(e.m, e.k + whole_of(n)), known};
}
template <class V>
CAIRN_PAIR_INLINE Triple<V> expm1_within(Triple<V> x) {
  const Exponential<V> e = exponential(x);
  return either(e.whole, e.part, (scaled_within(e.step, e.k) + V(-1)) + scaled_within(e.step * e.part, e.k));
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> expm1_of_lanes(Pair<V> x) {
  const TruthOf<V> known = is_normalized(x) & (magnitude(x.hi) >= V(kTinySquare<LimbOf<V>>)) &
                           (x.hi >= V(kExpm1Lowest<V>)) & (x.hi <= V(kExpm1Highest<V>));
  return {to_pair(expm1_within(triple(where_known(known, x, 1)))), known};
}

// --------------------------------------------------------------------------------------------------------- logarithm

/// Logarithms of these need no scaling.
template <class V>
CAIRN_PAIR_INLINE TruthOf<V> is_moderate(V x) {
  using Limb = LimbOf<V>;
  return (x >= V(kLeastNormal<Limb> * power_of_two<Limb>(2 * kPrecision<Limb>))) &
         (x < V(power_of_two<Limb>(kMaxExponent<Limb> - 2)));
}
template <class V>
CAIRN_PAIR_INLINE Pair<V> without_negative_zeros(Pair<V> x) {
  return {x.hi + V(0), x.lo + V(0)};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> log_of_lanes(Pair<V> x) {
  const TruthOf<V> known = is_normalized(x) & is_moderate(x.hi);
  const auto parts = logarithm_within(triple(where_known(known, x, 1)));
  return {without_negative_zeros(to_pair(natural(parts))), known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> log2_of_lanes(Pair<V> x) {
  const TruthOf<V> known = is_normalized(x) & is_moderate(x.hi);
  return {without_negative_zeros(log2_of(logarithm_within(triple(where_known(known, x, 1))))), known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> log10_of_lanes(Pair<V> x) {
  const TruthOf<V> known = is_normalized(x) & is_moderate(x.hi);
  return {without_negative_zeros(log10_of(logarithm_within(triple(where_known(known, x, 1))))), known};
}
/// log(1 + v) for v with 1 + v moderate.
template <class V>
CAIRN_PAIR_INLINE Triple<V> log1p_within(Triple<V> v) {
  const TruthOf<V> small = magnitude(v.a) < V(kNearOne<LimbOf<V>>);
  const Triple<V> near = either(small, v, triple(V(0)));
  const Triple<V> far = natural(logarithm_within(either(small, triple(V(1)), v + V(1))));
  return either(small, log1p_series(near), far);
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> log1p_of_lanes(Pair<V> x) {
  const TruthOf<V> known =
      is_normalized(x) & (x.hi > V(-0.5)) & is_moderate(x.hi + V(1)) & (magnitude(x.hi) >= V(kTinySquare<LimbOf<V>>));
  return {to_pair(log1p_within(triple(where_known(known, x, 1)))), known};
}

// ------------------------------------------------------------------------------------------------------ trigonometric

/// Of magnitudes of few turns. What other lanes hold is of no use but harmless: a multiple is within the table.
template <class V>
CAIRN_PAIR_INLINE FewTurns<V> angle_of_lanes(Pair<V> x) {
  const FewTurns<V> few = few_turns(abs(x));
  return {few.angle, few.known & is_normalized(x) & (magnitude(x.hi) < V(kFewTurns<V>))};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> sin_of_lanes(Pair<V> x) {
  const FewTurns<V> few = angle_of_lanes(x);
  return {sine_at(x.hi, arc_of(few.angle.rest), few.angle.n), few.known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> cos_of_lanes(Pair<V> x) {
  const FewTurns<V> few = angle_of_lanes(x);
  return {cosine_at(arc_of(few.angle.rest), few.angle.n), few.known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> tan_of_lanes(Pair<V> x) {
  const FewTurns<V> few = angle_of_lanes(x);
  const TruthOf<V> known = few.known & (magnitude(x.hi) >= V(kTiny<LimbOf<V>>));
  return {tangent_at(x.hi, arc_of(few.angle.rest), few.angle.n), known};
}

/// The sine of pi x and `shift` quadrants, x >= 0, where it is no multiple of a half nor next to one.
template <class V>
CAIRN_PAIR_INLINE Answer<V> sinpi_within(Pair<V> x, int shift) {
  const HalfTurns<V> turns = half_turns(x);
  const Pair<V> angle = to_pair(constant_entry<V>(Angles<LimbOf<V>>::limbs, 0) * turns.rest);
  return {sine_of(arc_of(angle), (turns.n + 32 * shift) & 127), magnitude(turns.rest.hi) >= V(kTiny<LimbOf<V>>)};
}
template <class V>
CAIRN_PAIR_INLINE TruthOf<V> has_halves(Pair<V> x) {
  return is_normalized(x) & (magnitude(x.hi) < V(power_of_two<LimbOf<V>>(kPrecision<V> - 2)));
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> sinpi_of_lanes(Pair<V> x) {
  const TruthOf<V> known = has_halves(x);
  const Answer<V> at = sinpi_within(abs(where_known(known, x, LimbOf<V>(0.25))), 0);
  const TruthOf<V> exact = (at.value.lo == V(0)) & ((at.value.hi == V(0)) | (magnitude(at.value.hi) == V(1)));
  return {either(exact, of(flip(at.value.hi, x.hi)), odd_value(at.value, x.hi)), known & at.known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> cospi_of_lanes(Pair<V> x) {
  const TruthOf<V> known = has_halves(x);
  const Answer<V> at = sinpi_within(abs(where_known(known, x, LimbOf<V>(0.25))), 1);
  return {at.value, known & at.known};
}

template <class V>
CAIRN_PAIR_INLINE Answer<V> asin_of_lanes(Pair<V> x) {
  const V size = magnitude(x.hi);
  const TruthOf<V> known = is_normalized(x) & (size >= V(kTiny<LimbOf<V>>)) & (size < V(1));
  const Pair<V> y = where_known(known, x, LimbOf<V>(0.5));
  return {odd_value(to_pair(arc(triple(abs(y)), other_leg(y))), x.hi), known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> acos_of_lanes(Pair<V> x) {
  const V size = magnitude(x.hi);
  const TruthOf<V> known = is_normalized(x) & (size >= V(power_of_two<LimbOf<V>>(-3 * kPrecision<V>))) & (size < V(1));
  const Pair<V> y = where_known(known, x, LimbOf<V>(0.5));
  const Triple<V> value = arc(other_leg(y), triple(abs(y)));
  return {to_pair(either(y.hi < V(0), constant_entry<V>(Angles<LimbOf<V>>::limbs, 0) - value, value)), known};
}
/// The angle of (x, y), both positive, moderate and not far from each other, between 0 and pi.
template <class V>
CAIRN_PAIR_INLINE Pair<V> direction_within(Pair<V> y, Pair<V> x, TruthOf<V> left) {
  const WholeOf<V> upper = normal_exponent(y.hi);
  const WholeOf<V> lower = normal_exponent(x.hi);
  const WholeOf<V> apart = upper - lower;
  const TruthOf<V> above = apart > 0;
  const WholeOf<V> none{};
  const Triple<V> first = scaled_within(scaled_within(triple(y), -upper), either(above, none, apart));
  const Triple<V> second = scaled_within(scaled_within(triple(x), -lower), either(above, -apart, none));
  const Triple<V> value = arc(first, second);
  return to_pair(either(left, constant_entry<V>(Angles<LimbOf<V>>::limbs, 0) - value, value));
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> atan_of_lanes(Pair<V> x) {
  const V size = magnitude(x.hi);
  const TruthOf<V> known =
      is_normalized(x) & (size >= V(kTiny<LimbOf<V>>)) & (size < V(power_of_two<LimbOf<V>>(2 * kPrecision<V>)));
  const Pair<V> y = abs(where_known(known, x, 1));
  return {odd_value(direction_within(y, of(V(1)), y.hi < V(0)), x.hi), known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> atan2_of_lanes(Pair<V> y, Pair<V> x) {
  const V sizes[] = {magnitude(y.hi), magnitude(x.hi)};
  TruthOf<V> known = is_normalized(x) & is_normalized(y) & is_moderate(sizes[0]) & is_moderate(sizes[1]);
  const Pair<V> above = abs(where_known(known, y, 1));
  const Pair<V> below = abs(where_known(known, x, 1));
  const WholeOf<V> apart = normal_exponent(above.hi) - normal_exponent(below.hi);
  const TruthOf<V> near = (apart < 2 * kPrecision<V>)&(apart > -2 * kPrecision<V>);
  known = known & near;
  const Pair<V> angle = direction_within(either(near, above, of(V(1))), either(near, below, of(V(1))), x.hi < V(0));
  return {odd_value(angle, y.hi), known};
}

// --------------------------------------------------------------------------------------------------------- hyperbolic

template <class V>
CAIRN_PAIR_INLINE Answer<V> sinh_of_lanes(Pair<V> x) {
  const V size = magnitude(x.hi);
  const TruthOf<V> known = is_normalized(x) & (size >= V(kTiny<LimbOf<V>>)) & (size < V(kModerateExponent<V>));
  const Pair<V> y = abs(where_known(known, x, 1));
  const Exponential<V> e = exponential(triple(y));
  const TruthOf<V> small = y.hi < V(1);
  const TruthOf<V> both = y.hi < V(kReciprocalEnds<V>);
  const WholeOf<V> none{};
  const WholeOf<V> k = either(small, e.k, none);
  const Triple<V> product = e.step * e.part;
  const Triple<V> less_one = either(e.whole, e.part, (scaled_within(e.step, k) + V(-1)) + scaled_within(product, k));
  const Triple<V> m = e.step + product;
  const Triple<V> quotient = either(small, less_one, triple(V(1))) / either(small, less_one + V(1), m);
  const Pair<V> near = to_pair((less_one + quotient) * V(0.5));
  const Triple<V> rest = scaled_within(quotient, either(both, -(e.k + e.k), none));
  const Pair<V> far = assembled_within(to_pair(either(both, m - rest, m)), e.k + -1);
  return {odd_value(either(small, near, far), x.hi), known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> cosh_of_lanes(Pair<V> x) {
  const TruthOf<V> known = is_normalized(x) & (magnitude(x.hi) < V(kModerateExponent<V>));
  const Pair<V> y = abs(where_known(known, x, 1));
  const Exponential<V> e = exponential(triple(y));
  const TruthOf<V> both = y.hi < V(kReciprocalEnds<V>);
  const Triple<V> m = value_of(e);
  const Triple<V> rest = scaled_within(triple(V(1)) / m, either(both, -(e.k + e.k), WholeOf<V>{}));
  return {assembled_within(to_pair(either(both, m + rest, m)), e.k + -1), known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> tanh_of_lanes(Pair<V> x) {
  const V size = magnitude(x.hi);
  const TruthOf<V> known = is_normalized(x) & (size >= V(kTiny<LimbOf<V>>)) & (size <= V(kReciprocalEnds<V>));
  const Pair<V> y = abs(where_known(known, x, 1));
  const Triple<V> m = expm1_within(triple(Pair<V>{y.hi + y.hi, y.lo + y.lo}));
  return {odd_value(to_pair(m / (m + V(2))), x.hi), known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> asinh_of_lanes(Pair<V> x) {
  const V size = magnitude(x.hi);
  const TruthOf<V> known = is_normalized(x) & (size >= V(kTiny<LimbOf<V>>)) & (size <= V(kLarge<LimbOf<V>>));
  const Pair<V> y = abs(where_known(known, x, 1));
  const Triple<V> square = triple(y) * triple(y);
  const Triple<V> v = triple(y) + square / (positive_root(square + V(1)) + V(1));
  return {odd_value(to_pair(log1p_within(v)), x.hi), known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> acosh_of_lanes(Pair<V> x) {
  TruthOf<V> known = is_normalized(x) & (x.hi >= V(1)) & (x.hi <= V(kLarge<LimbOf<V>>));
  Triple<V> t = triple(where_known(known, x, 2)) + V(-1);
  const TruthOf<V> positive = t.a > V(0);
  known = known & positive;
  t = either(positive, t, triple(V(1)));
  return {to_pair(log1p_within(t + positive_root(t * (t + V(2))))), known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> atanh_of_lanes(Pair<V> x) {
  const V size = magnitude(x.hi);
  const TruthOf<V> known = is_normalized(x) & (size >= V(kTiny<LimbOf<V>>)) & (size < V(1));
  const Pair<V> y = abs(where_known(known, x, LimbOf<V>(0.5)));
  const Triple<V> left = triple(neg(y)) + V(1);
  const Triple<V> v = triple(Pair<V>{y.hi + y.hi, y.lo + y.lo}) / left;
  return {odd_value(to_pair(log1p_within(v) * V(0.5)), x.hi), known};
}

// ----------------------------------------------------------------------------------------------------- roots, lengths

/// Floor of a third, of magnitudes below 2^11.
template <class V>
CAIRN_PAIR_INLINE WholeOf<V> third_of(WholeOf<V> e) {
  return (((e + 3072) * 21846) >> 16) + -1024;
}
template <class V>
struct ByEights {
  Triple<V> m;
  WholeOf<V> k;
};
template <class V>
CAIRN_PAIR_INLINE ByEights<V> by_eights_of_lanes(Pair<V> y) {
  const WholeOf<V> k = third_of<V>(normal_exponent(y.hi));
  return {scaled_within(triple(y), k * -3), k};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> cbrt_of_lanes(Pair<V> x) {
  const TruthOf<V> known = is_normalized(x) & is_moderate(magnitude(x.hi));
  const ByEights<V> parts = by_eights_of_lanes(abs(where_known(known, x, 1)));
  return {odd_value(assembled_within(to_pair(cube_root(parts.m)), parts.k), x.hi), known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> rcbrt_of_lanes(Pair<V> x) {
  const TruthOf<V> known = is_normalized(x) & is_moderate(magnitude(x.hi));
  const ByEights<V> parts = by_eights_of_lanes(abs(where_known(known, x, 1)));
  const Triple<V> inverse = triple(V(1)) / cube_root(parts.m);
  return {odd_value(assembled_within(to_pair(inverse), -parts.k), x.hi), known};
}
template <class V>
struct Length {
  Triple<V> root;  // 2^-e of it
  WholeOf<V> e;
  TruthOf<V> known;
};
template <class V>
CAIRN_PAIR_INLINE Length<V> length_of_lanes(Pair<V> x, Pair<V> y) {
  const V first = magnitude(x.hi);
  const V second = magnitude(y.hi);
  const V largest = either(second > first, second, first);
  const TruthOf<V> known = is_normalized(x) & is_normalized(y) & is_moderate(largest) & (first <= largest);
  const WholeOf<V> e = normal_exponent(either(known, largest, V(1)));
  const Triple<V> across = scaled_within(triple(where_known(known, x, 1)), -e);
  const Triple<V> up = scaled_within(triple(where_known(known, y, 1)), -e);
  const Triple<V> a = across * across;
  const Triple<V> b = up * up;
  const TruthOf<V> below = (b.a < a.a) | ((b.a == a.a) & ((b.b < a.b) | ((b.b == a.b) & (b.c < a.c))));
  return {positive_root(either(below, b, a) + either(below, a, b)), e, known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> hypot_of_lanes(Pair<V> x, Pair<V> y) {
  const Length<V> length = length_of_lanes(x, y);
  return {assembled_within(to_pair(length.root), length.e), length.known};
}
template <class V>
CAIRN_PAIR_INLINE Answer<V> rhypot_of_lanes(Pair<V> x, Pair<V> y) {
  const Length<V> length = length_of_lanes(x, y);
  return {assembled_within(to_pair(triple(V(1)) / length.root), -length.e), length.known};
}

/// Of a positive base.
template <class V>
CAIRN_PAIR_INLINE Answer<V> pow_of_lanes(Pair<V> x, Pair<V> y) {
  using Limb = LimbOf<V>;
  TruthOf<V> known = is_normalized(x) & is_moderate(x.hi) & is_normalized(y) & is_moderate(magnitude(y.hi));
  const Triple<V> logarithm = natural(logarithm_within(triple(where_known(known, x, 2))));
  const V size = magnitude(logarithm.a * y.hi);
  known = known & (size < V(kModerateExponent<V>)) & (size >= V(power_of_two<Limb>(4 - 3 * kPrecision<Limb>)));
  const Triple<V> product = logarithm * where_known(known, y, 0);
  const ShortExponential<V> e = short_exponential(product);
  return {assembled_within(e.m, e.k), known};
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
