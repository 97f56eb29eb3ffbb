// Natural numbers of a fixed capacity, for what needs every bit of a pair: remainders and decimal text. On the stack;
// a result beyond the capacity is a mistake of the caller, who knows the range of what he computes.
#pragma once

#include "runtime/semantics/pair/limb.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

/// Little-endian words of 32 bits; `count` leaves out leading zeros.
template <unsigned capacity>
struct Natural {
  U32 words[capacity];
  unsigned count = 0;

  Natural() = default;
  explicit Natural(U64 value) {
    for (; value != 0; value >>= 32) words[count++] = static_cast<U32>(value);
  }
  Natural(const Natural& other) : count(other.count) {
    for (unsigned i = 0; i < count; ++i) words[i] = other.words[i];
  }
  Natural& operator=(const Natural& other) {  // NOLINT(bugprone-unhandled-self-assignment): its own words stay
    count = other.count;
    for (unsigned i = 0; i < count; ++i) words[i] = other.words[i];
    return *this;
  }

  [[nodiscard]] bool is_zero() const { return count == 0; }
  [[nodiscard]] bool is_odd() const { return count != 0 && (words[0] & 1) != 0; }
  /// The number of bits without leading zeros.
  [[nodiscard]] int bits() const {
    return count == 0 ? 0 : static_cast<int>(count) * 32 - leading_zeros(words[count - 1]);
  }
  /// Bit k; zero beyond the top.
  [[nodiscard]] bool bit(int k) const {
    const auto word = static_cast<unsigned>(k) / 32;
    return word < count && ((words[word] >> (static_cast<unsigned>(k) % 32)) & 1) != 0;
  }
  /// Whether any of the lowest k bits is set.
  [[nodiscard]] bool any_below(int k) const {
    for (unsigned i = 0; i < count && static_cast<int>(i) * 32 < k; ++i) {
      const int left = k - static_cast<int>(i) * 32;
      if ((left >= 32 ? words[i] : words[i] & ((1U << left) - 1)) != 0) return true;
    }
    return false;
  }
  /// Bits from `low` on, `width` (at most 64) of them.
  [[nodiscard]] U64 slice(int low, int width) const {
    U64 value = 0;
    for (int k = width; k-- > 0;) value = value << 1 | (low + k >= 0 && bit(low + k) ? 1U : 0U);
    return value;
  }

  /// times `factor`, plus `more`.
  void multiply_add(U32 factor, U32 more) {
    U64 carry = more;
    for (unsigned i = 0; i < count; ++i) {
      carry += U64{words[i]} * factor;
      words[i] = static_cast<U32>(carry);
      carry >>= 32;
    }
    if (carry != 0) words[count++] = static_cast<U32>(carry);
  }
  void multiply_power_of_ten(int power) {
    for (; power >= 9; power -= 9) multiply_add(1000000000U, 0);
    for (; power > 0; --power) multiply_add(10U, 0);
  }
  void shift_left(int by) {
    if (count == 0 || by == 0) return;
    const auto whole = static_cast<unsigned>(by) / 32;
    const auto part = static_cast<unsigned>(by) % 32;
    const U32 top = part == 0 ? 0 : words[count - 1] >> (32 - part);
    for (unsigned i = count; i-- > 0;) {
      const U32 below = part == 0 || i == 0 ? 0 : words[i - 1] >> (32 - part);
      words[i + whole] = words[i] << part | below;
    }
    for (unsigned i = 0; i < whole; ++i) words[i] = 0;
    count += whole;
    if (top != 0) words[count++] = top;
  }
  void add(const Natural& other) {
    U64 carry = 0;
    for (unsigned i = 0; i < other.count || carry != 0; ++i) {
      if (i == count) words[count++] = 0;
      carry += U64{words[i]} + (i < other.count ? other.words[i] : 0);
      words[i] = static_cast<U32>(carry);
      carry >>= 32;
    }
  }
  /// minus `other`, which is not larger.
  void subtract(const Natural& other) {
    U64 borrow = 0;
    for (unsigned i = 0; i < count; ++i) {
      const U64 taken = borrow + (i < other.count ? other.words[i] : 0);
      borrow = words[i] < taken ? 1 : 0;
      words[i] = static_cast<U32>(words[i] - taken);
    }
    while (count != 0 && words[count - 1] == 0) --count;
  }
  /// This times a limb's integer significand.
  void multiply(U64 factor) {
    Natural high = *this;
    multiply_add(static_cast<U32>(factor), 0);
    while (count != 0 && words[count - 1] == 0) --count;
    if (factor >> 32 == 0) return;
    high.multiply_add(static_cast<U32>(factor >> 32), 0);
    high.shift_left(32);
    add(high);
  }
  [[nodiscard]] int compare(const Natural& other) const {
    if (count != other.count) return count < other.count ? -1 : 1;
    for (unsigned i = count; i-- > 0;)
      if (words[i] != other.words[i]) return words[i] < other.words[i] ? -1 : 1;
    return 0;
  }
};

/// A finite limb is significand 2^exponent.
template <class T>
struct Dissected {
  U64 significand;
  int exponent;
};
template <class T>
CAIRN_PAIR_INLINE Dissected<T> dissected(T x) {
  const Bits<T> bits = bits_of(magnitude(x));
  const int biased = static_cast<int>(bits >> (kPrecision<T> - 1));
  const U64 fraction = bits & ((Bits<T>{1} << (kPrecision<T> - 1)) - 1);
  if (biased == 0) return {fraction, kLeastExponent<T>};
  return {fraction | U64{1} << (kPrecision<T> - 1), biased - LimbFormat<T>::bias - kPrecision<T> + 1};
}

/// The words a pair needs as an integer: every bit from the least subnormal to the largest limb, and some to spare.
template <class T>
inline constexpr unsigned kPairWords = static_cast<unsigned>(kMaxExponent<T> - kLeastExponent<T>) / 32 + 3;

/// The magnitude of a finite pair, whose high limb is not zero, in units of 2^unit, which divides both limbs.
template <unsigned capacity, class T>
inline Natural<capacity> exact_magnitude(T hi, T lo, int unit) {
  const Dissected<T> high = dissected(hi);
  const Dissected<T> low = dissected(lo);
  Natural<capacity> total(high.significand);
  total.shift_left(high.exponent - unit);
  if (lo == T(0)) return total;
  Natural<capacity> small(low.significand);
  small.shift_left(low.exponent - unit);
  if (sign_bit(hi) == sign_bit(lo)) {
    total.add(small);
  } else {
    total.subtract(small);
  }
  return total;
}

/// The exponent of the lowest unit both limbs of a finite pair are integers of.
template <class T>
CAIRN_PAIR_INLINE int unit_of(T hi, T lo) {
  const int high = dissected(hi).exponent;
  if (lo == T(0)) return high;
  const int low = dissected(lo).exponent;
  return low < high ? low : high;
}

/// n 2^unit rounded once, to nearest, ties to even.
template <class T, unsigned capacity>
inline T rounded(const Natural<capacity>& n, int unit) {
  if (n.is_zero()) return T(0);
  const int top = n.bits() + unit - 1;  // exponent of the leading bit
  const int last = top - kPrecision<T> + 1 > kLeastExponent<T> ? top - kPrecision<T> + 1 : kLeastExponent<T>;
  const int drop = last - unit;  // bits below the result's last one
  U64 significand = n.slice(drop, kPrecision<T>);
  if (drop > 0 && n.bit(drop - 1) && (n.any_below(drop - 1) || (significand & 1) != 0)) ++significand;
  if (top > kMaxExponent<T>) return kInfinity<T>;
  return scaled(static_cast<T>(significand), last);
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
