// Numbers in three limbs, which the functions carry where a pair would cost them their bound (pair floats, 5.4): sums,
// products, quotients and roots with relative errors of a few u^3, and the way back to a pair. The limbs of a Triple
// descend, each at most about an ulp of the one before; a sum that cancels keeps an error of a few u^3 of its terms.
#pragma once

#include "runtime/semantics/pair/conversions.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

template <class T>
struct Triple {
  T a;
  T b;
  T c;
};

template <class T>
CAIRN_PAIR_INLINE Triple<T> triple(Pair<T> x) {
  return {x.hi, x.lo, T(0)};
}
template <class T>
CAIRN_PAIR_INLINE Triple<T> triple(T x) {
  return {x, T(0), T(0)};
}
/// Entry k of a table of triples.
template <class T>
CAIRN_PAIR_INLINE Triple<T> entry(const T* limbs, int k) {
  return {limbs[3 * k], limbs[3 * k + 1], limbs[3 * k + 2]};
}
/// The same in every lane, or each lane's.
template <class T>
CAIRN_PAIR_INLINE Triple<T> constant_entry(const LimbOf<T>* limbs, int k) {
  return {T(limbs[3 * k]), T(limbs[3 * k + 1]), T(limbs[3 * k + 2])};
}
template <class T>
CAIRN_PAIR_INLINE Triple<T> entry_at(const LimbOf<T>* limbs, WholeOf<T> k) {
  return {looked_up(limbs, k, 3, 0), looked_up(limbs, k, 3, 1), looked_up(limbs, k, 3, 2)};
}

/// The first `columns` limbs of row k of a table of rows of `stride` limbs, of each lane's row.
template <int columns, class T>
struct Row {
  T limbs[columns];
};
template <int columns, class T>
CAIRN_PAIR_INLINE Row<columns, T> row_of(const LimbOf<T>* limbs, WholeOf<T> k, int stride) {
  Row<columns, T> row;
  for (int at = 0; at < columns; ++at) row.limbs[at] = looked_up(limbs, k, stride, at);
  return row;
}

/// The same number with limbs that do not overlap, whatever cancelled in it.
template <class T>
CAIRN_PAIR_INLINE Triple<T> settled(T a, T b, T c) {
  const Pair<T> low = two_sum(b, c);
  const Pair<T> top = two_sum(a, low.hi);
  const Pair<T> middle = two_sum(top.lo, low.lo);
  const Pair<T> first = two_sum(top.hi, middle.hi);
  const Pair<T> second = two_sum(first.lo, middle.lo);
  return {first.hi, second.hi, second.lo};
}

template <class T>
CAIRN_PAIR_INLINE Triple<T> operator-(Triple<T> x) {
  return {-x.a, -x.b, -x.c};
}
template <class T>
inline Triple<T> operator+(Triple<T> x, Triple<T> y) {
  const Pair<T> top = two_sum(x.a, y.a);
  const Pair<T> middle = two_sum(x.b, y.b);
  const Pair<T> second = two_sum(middle.hi, top.lo);
  return settled(top.hi, second.hi, (x.c + y.c) + (middle.lo + second.lo));
}
template <class T>
CAIRN_PAIR_INLINE Triple<T> operator-(Triple<T> x, Triple<T> y) {
  return x + -y;
}
template <class T>
CAIRN_PAIR_INLINE Triple<T> operator+(Triple<T> x, Pair<T> y) {
  return x + triple(y);
}
template <class T>
CAIRN_PAIR_INLINE Triple<T> operator+(Triple<T> x, T y) {
  return x + triple(y);
}

template <class T>
inline Triple<T> operator*(Triple<T> x, Triple<T> y) {
  const Pair<T> top = two_prod(x.a, y.a);
  const Pair<T> left = two_prod(x.a, y.b);
  const Pair<T> right = two_prod(x.b, y.a);
  const T low = fused(x.a, y.c, fused(x.c, y.a, x.b * y.b)) + (left.lo + right.lo);
  const Pair<T> sides = two_sum(left.hi, right.hi);
  const Pair<T> second = two_sum(top.lo, sides.hi);
  return settled(top.hi, second.hi, low + (sides.lo + second.lo));
}
template <class T>
CAIRN_PAIR_INLINE Triple<T> operator*(Triple<T> x, Pair<T> y) {
  return x * triple(y);
}
template <class T>
inline Triple<T> operator*(Triple<T> x, T y) {
  const Pair<T> top = two_prod(x.a, y);
  const Pair<T> middle = two_prod(x.b, y);
  const Pair<T> second = two_sum(top.lo, middle.hi);
  return settled(top.hi, second.hi, fused(x.c, y, middle.lo + second.lo));
}

/// Long division: three quotients of leading limbs.
template <class T>
inline Triple<T> operator/(Triple<T> x, Triple<T> y) {
  const T first = x.a / y.a;
  Triple<T> rest = x - y * first;
  const T second = rest.a / y.a;
  rest = rest - y * second;
  return settled(first, second, rest.a / y.a);
}

/// x 2^e; exact but for what falls below the subnormals.
template <class T>
CAIRN_PAIR_INLINE Triple<T> scaled(Triple<T> x, int e) {
  return {scaled(x.a, e), scaled(x.b, e), scaled(x.c, e)};
}

/// The square root of a positive triple: a limb's, then two corrections from exact residuals (Newton).
template <class T>
inline Triple<T> positive_root(Triple<T> x) {
  const T first = square_root(x.a);
  const T twice = first + first;
  Triple<T> rest = x - triple(two_prod(first, first));
  const T second = rest.a / twice;
  rest = rest - triple(two_prod(twice, second)) - triple(two_prod(second, second));
  return settled(first, second, rest.a / twice);
}
template <class T>
inline Triple<T> square_root(Triple<T> x) {
  return x.a > T(0) ? positive_root(x) : triple(T(0));
}

/// The nearest pair, or one next to it.
template <class T>
CAIRN_PAIR_INLINE Pair<T> to_pair(Triple<T> x) {
  return fast_two_sum(x.a, x.b + x.c);
}

/// x 2^k where 2^k is a normal limb, and m 2^k for m from 1/2 to 4 where that is far from the ends of the range.
template <class T>
CAIRN_PAIR_INLINE Triple<T> scaled_within(Triple<T> x, WholeOf<T> k) {
  const T power = normal_power<LimbOf<T>>(k);
  return {x.a * power, x.b * power, x.c * power};
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> assembled_within(Pair<T> p, WholeOf<T> k) {
  const T power = normal_power<LimbOf<T>>(k);
  const Pair<T> q = fast_two_sum(p.hi * power, p.lo * power);
  return {q.hi, q.lo + T(0)};
}

/// m 2^k as a pair, whatever k: an infinity beyond the range; below it each limb is rounded once, and a result whose
/// high limb is subnormal is rounded once as a whole.
template <class T>
inline Pair<T> assembled(Pair<T> p, int k) {
  if (p.hi == T(0) || !finite(p.hi)) return of(p.hi);
  const int top = exponent_of(p.hi) + k;
  if (top > kMaxExponent<T>) return of(flip(kInfinity<T>, p.hi));
  if (top >= kMinExponent<T>) {
    if (k >= kMinExponent<T> && k < kMaxExponent<T> && top < kMaxExponent<T>) return assembled_within(p, k);
    const Pair<T> q = joined(scaled(p.hi, k), scaled(p.lo, k));
    return {q.hi, q.lo + T(0)};
  }
  // To odd first: then the one rounding sees the low limb.
  if (p.lo != T(0) && (bits_of(p.hi) & 1) == 0) {
    p.hi = limb_of<T>(sign_bit(p.hi) == sign_bit(p.lo) ? bits_of(p.hi) + 1 : bits_of(p.hi) - 1);
  }
  return of(scaled(p.hi, k));
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> assembled(Triple<T> m, int k) {
  return assembled(to_pair(m), k);
}

/// The part of sum q_k v^k whose coefficients are limbs, over v^first.
template <class Table, class T, class Coefficient>
CAIRN_PAIR_INLINE T limb_terms(Coefficient coefficient, T v) {
  constexpr int kLimbs = Table::count + Table::first;
  T sum = coefficient(kLimbs - 1);
  for (int k = kLimbs - 2; k >= 2 * Table::first; --k) sum = fused(sum, v, coefficient(k));
  return sum;
}
/// sum q_k v^k of a table's polynomial: limbs, then pairs.
/// `coefficient(k)` is number k of the table, alike in all lanes or each lane's own.
template <class Table, class T, class Coefficient>
CAIRN_PAIR_INLINE Pair<T> polynomial_by(Coefficient coefficient, Pair<T> v) {
  Pair<T> sum = of(limb_terms<Table>(coefficient, v.hi));
  for (int k = Table::first - 1; k >= 0; --k) {
    sum = add<Level::Mid>(mul<Level::Low>(sum, v), Pair<T>{coefficient(2 * k), coefficient(2 * k + 1)});
  }
  return sum;
}
template <class Table, class T>
CAIRN_PAIR_INLINE Pair<T> polynomial_of(const T* coefficients, Pair<T> v) {
  return polynomial_by<Table>([=](int k) { return coefficients[k]; }, v);
}
/// Of Table<limb>.
template <template <class> class Table, class T>
CAIRN_PAIR_INLINE Pair<T> polynomial_of(Pair<T> v) {
  return polynomial_by<Table<LimbOf<T>>>([](int k) { return T(Table<LimbOf<T>>::coefficients[k]); }, v);
}

/// x + y where y is not above x (3.2), not renormalized.
template <class T>
CAIRN_PAIR_INLINE Pair<T> add_smaller(Pair<T> x, Pair<T> y) {
  const Pair<T> sum = fast_two_sum(x.hi, y.hi);
  return {sum.hi, sum.lo + (x.lo + y.lo)};
}
/// x y to a few u^2, not renormalized.
template <class T>
CAIRN_PAIR_INLINE Pair<T> mul_short(Pair<T> x, Pair<T> y) {
  const Pair<T> product = two_prod(x.hi, y.hi);
  return {product.hi, fused(x.lo, y.hi, fused(x.hi, y.lo, product.lo))};
}
/// sum q_k v^k of a Table<limb> whose terms fall for this v: limbs, then pairs. The sums need not ask which operand is
/// larger, and the low limb of one enters only the last operation of the next.
template <template <class> class TableOf, class T>
CAIRN_PAIR_INLINE Pair<T> falling_polynomial_of(Pair<T> v) {
  using Table = TableOf<LimbOf<T>>;
  const auto coefficient = [](int k) { return T(Table::coefficients[k]); };
  Pair<T> sum{limb_terms<Table>(coefficient, v.hi), T(0)};
  for (int k = Table::first - 1; k >= 0; --k) {
    const Pair<T> product = two_prod(sum.hi, v.hi);
    const Pair<T> top = fast_two_sum(coefficient(2 * k), product.hi);
    const T rest = (top.lo + coefficient(2 * k + 1)) + fused(sum.hi, v.lo, product.lo);
    const bool is_first = k == Table::first - 1;  // the sum is a limb
    sum = {top.hi, is_first ? rest : fused(sum.lo, v.hi, rest)};
  }
  return sum;
}
/// x + y as a pair, y.a not above x.a, with an error near that of one rounding.
template <class T>
CAIRN_PAIR_INLINE Pair<T> pair_with_smaller(Triple<T> x, Pair<T> y) {
  const Pair<T> top = fast_two_sum(x.a, y.hi);
  const Pair<T> low = two_sum(top.lo, x.b);
  const Pair<T> sum = fast_two_sum(top.hi, low.hi);
  return fast_two_sum(sum.hi, sum.lo + (low.lo + (y.lo + x.c)));
}

/// An odd function of x from its value at |x|.
template <class T>
CAIRN_PAIR_INLINE Pair<T> odd_value(Pair<T> value, T x) {
  const TruthOf<T> alone = (value.hi == T(0)) | !finite(value.hi);
  return {flip(value.hi, x), either(alone, T(0), flip(value.lo, x))};
}

/// Below this magnitude x + O(x^2) rounds to x where the series goes on with x^3.
template <class T>
inline constexpr T kTiny = power_of_two<T>(-kPrecision<T> - 2);
/// The same where it goes on with x^2.
template <class T>
inline constexpr T kTinySquare = power_of_two<T>(-2 * kPrecision<T> - 4);

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
