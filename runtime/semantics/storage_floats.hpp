// The storage floats f16, bf16, f8e4m3, f8e5m2 (numerics, 2): one integer routine rounds every format, from the
// operand's own type and only once. A storage float is its pattern.
#pragma once

#include "runtime/semantics/base.hpp"

namespace cairn::semantics {

/// Sign bit, kExponent exponent bits, kFraction fraction bits (numerics, 2.1).
template <class PatternType, unsigned exponent_bits, unsigned fraction_bits, bool infinities>
struct StorageFormat {
  using Pattern = PatternType;
  static constexpr unsigned kExponent = exponent_bits;
  static constexpr unsigned kFraction = fraction_bits;
  static constexpr bool kHasInfinity = infinities;
  static constexpr I32 kBias = (1 << (exponent_bits - 1)) - 1;
  static constexpr U32 kSign = 1U << (exponent_bits + fraction_bits);
  static constexpr U32 kTop = kSign - (1U << fraction_bits);  // exponent field all ones, fraction 0
  static constexpr U32 kLargest = infinities ? kTop - 1 : kSign - 2;
  static constexpr U32 kQuietNan = infinities ? kTop | (1U << (fraction_bits - 1)) : kSign - 1;
};
using F16 = StorageFormat<U16, 5, 10, true>;
using BF16 = StorageFormat<U16, 8, 7, true>;
using F8E4M3 = StorageFormat<U8, 4, 3, false>;
using F8E5M2 = StorageFormat<U8, 5, 2, true>;

/// A finite magnitude cut to a format's grid: the pattern on the side of zero, and what was dropped.
struct Cut {
  U32 pattern = 0;  // of the value toward zero; may lie past the largest finite one
  U64 rest = 0;     // the dropped bits of the significand,
  U32 dropped = 0;  // and how many they are, at least 1
};

/// Cuts |x| (numerics, 2.3): m * 2^q with m below 2^53, b the binade of the result, d bits dropped. A pattern past the
/// format's range is any above kLargest.
template <class Format>
constexpr Cut cut(double x) {
  const U64 bits = bit_cast<U64>(x) & 0x7fffffffffffffffULL;
  const U64 fraction = bits & 0xfffffffffffffULL;
  const I32 field = static_cast<I32>(bits >> 52);
  constexpr I32 kLeast = 1 - Format::kBias;  // the binade of subnormals and of the least normal
  const U64 m = field == 0 ? fraction : fraction | (U64{1} << 52);
  const I32 q = field == 0 ? -1074 : field - 1075;
  // A subnormal f64 lies below every format's least normal, so its binade is kLeast; of a normal one bit 52 is the
  // highest.
  const I32 own = field - 1023;
  const I32 binade = own > kLeast ? own : kLeast;
  const I32 dropped = (binade - static_cast<I32>(Format::kFraction)) - q;
  Cut result;
  result.dropped = static_cast<U32>(dropped);
  const U64 n = dropped < 64 ? m >> dropped : 0;
  result.rest = dropped < 64 ? m & ((U64{1} << dropped) - 1) : m;
  // Addition, so that a normal's leading bit counts one binade up; no f64 makes this overflow.
  result.pattern = static_cast<U32>(n) + (static_cast<U32>(binade + Format::kBias - 1) << Format::kFraction);
  return result;
}

/// True when what was dropped is more than half a step, or half of one and the pattern is odd.
constexpr bool rounds_up(const Cut& part) {
  if (part.dropped > 54) return false;  // the rest, below 2^53, is less than half
  const U64 half = U64{1} << (part.dropped - 1);
  return part.rest > half || (part.rest == half && (part.pattern & 1) != 0);
}

/// The dropped fraction of a step as 32 bits, truncated (numerics, 3.2).
constexpr U32 dropped_fraction(const Cut& part) {
  if (part.dropped >= 96) return 0;
  return static_cast<U32>(part.dropped <= 32 ? part.rest << (32 - part.dropped) : part.rest >> (part.dropped - 32));
}

template <class Format>
constexpr U32 storage_sign(double x) {
  return (bit_cast<U64>(x) >> 63) != 0 ? Format::kSign : 0;
}

/// out = x rounded once, ties to even; past the range an infinity, and false where the format has none. A NaN gives the
/// format's quiet NaN with its sign. An f32 operand is widened by the caller, which is exact.
template <class Format>
constexpr bool narrow(double x, typename Format::Pattern& out) {
  using Pattern = typename Format::Pattern;
  const U32 sign = storage_sign<Format>(x);
  const U64 magnitude = bit_cast<U64>(x) & 0x7fffffffffffffffULL;
  if (magnitude > 0x7ff0000000000000ULL) {
    out = static_cast<Pattern>(sign | Format::kQuietNan);
    return true;
  }
  U32 pattern = Format::kSign;  // past
  if (magnitude != 0x7ff0000000000000ULL) {
    const Cut part = cut<Format>(x);
    pattern = part.pattern + (rounds_up(part) ? 1 : 0);
  }
  if (pattern > Format::kLargest) {
    if constexpr (!Format::kHasInfinity) return false;
    pattern = Format::kTop;
  }
  out = static_cast<Pattern>(sign | pattern);
  return true;
}

/// The value of a pattern, exact. A NaN keeps its sign, its fraction at the top and the quiet bit.
template <class Format, class F>
constexpr F widen(typename Format::Pattern pattern) {
  constexpr unsigned kWideFraction = sizeof(F) == 4 ? 23 : 52;
  constexpr I32 kWideBias = sizeof(F) == 4 ? 127 : 1023;
  using Bits = Unsigned<F>;
  const Bits sign = (pattern & Format::kSign) != 0 ? Bits{1} << (kWidth<F> - 1) : Bits{0};
  const U32 magnitude = pattern & (Format::kSign - 1);
  const U32 fraction = magnitude & ((1U << Format::kFraction) - 1);
  const I32 field = static_cast<I32>(magnitude >> Format::kFraction);
  const Bits moved = static_cast<Bits>(fraction) << (kWideFraction - Format::kFraction);
  if (magnitude > (Format::kHasInfinity ? Format::kTop : Format::kLargest)) {
    constexpr Bits kQuiet = ((Bits{2} * kWideBias + 1) << kWideFraction) | (Bits{1} << (kWideFraction - 1));
    return bit_cast<F>(static_cast<Bits>(sign | kQuiet | moved));
  }
  if (Format::kHasInfinity && magnitude == Format::kTop) {
    return bit_cast<F>(static_cast<Bits>(sign | ((Bits{2} * kWideBias + 1) << kWideFraction)));
  }
  if (field == 0) {
    if constexpr (Format::kBias == kWideBias) return bit_cast<F>(static_cast<Bits>(sign | moved));  // bf16 in f32
    // fraction * 2^(1 - bias - fraction bits), both exact
    constexpr I32 kExponent = 1 - Format::kBias - static_cast<I32>(Format::kFraction);
    const F unit = bit_cast<F>(
        static_cast<Bits>(static_cast<Bits>(kExponent + kWideBias > 0 ? kExponent + kWideBias : 1) << kWideFraction));
    const F value = static_cast<F>(fraction) * unit;
    return bit_cast<F>(static_cast<Bits>(sign | bit_cast<Bits>(value)));
  }
  return bit_cast<F>(
      static_cast<Bits>(sign | (static_cast<Bits>(field - Format::kBias + kWideBias) << kWideFraction) | moved));
}

}  // namespace cairn::semantics
