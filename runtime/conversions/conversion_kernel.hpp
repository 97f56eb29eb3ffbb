// The template behind both vector widths of element_conversion.hpp; only the .cpp files that are compiled for one
// instruction set each include it. V gives vectors of kLanes 32-bit lanes and masks of them: load, splat, add, sub,
// both (and), either (or), sign_and (sign | low bits), down (logical shift), greater_of (unsigned), larger (signed, a
// mask), unordered (of floats, a mask), join (of masks), any, any_but, pick(mask, yes, no), add_floats, pack (the low
// halves or bytes of 2 or 4 vectors, in order), store, narrow_f16 (of 2 vectors), widen_f16 and widen_bf16.
//
// Elements that need care (NaNs, and what lies past a format's range) are rare: a group of vectors is tested for them
// once, and mended when there are some.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/conversions/element_conversion.hpp"
#include "runtime/semantics/storage_floats.hpp"

namespace cairn::runtime {
namespace {

constexpr std::uint32_t kMagnitude = 0x7fffffff;
constexpr std::uint32_t kFloatInfinity = 0x7f800000;

/// Vectors whose results fill one vector.
template <class Pattern>
constexpr std::size_t kGroup = 4 / sizeof(Pattern);

/// Which elements of a group need care, and what they become.
template <class V>
struct Care {
  typename V::Mask past;  // or NaN
  typename V::Mask is_nan;
};

/// How f32 narrows to an 8-bit format. Adding 2^k to |x|, k such that the last bit of the sum is the last of the
/// result, rounds it there, ties to even; k follows the binade of x, down to that of the least normal, below which the
/// step stays the same. The low bits of the sum then count steps, and the binades are added to them. What binades are
/// counted from is even, so it may stand in the low bits of 2^k from the start.
template <class V, class FormatType>
struct NarrowByte {
  using Format = FormatType;
  using Vector = typename V::Vector;
  static constexpr unsigned kCut = 23 - Format::kFraction;
  static constexpr std::uint32_t kLeastNormal = static_cast<std::uint32_t>(128 - Format::kBias) << 23U;
  // A normal's leading bit counts one binade up, so binades are counted from the one below the least normal's.
  static constexpr std::uint32_t kBinadesFrom = (std::uint32_t{0} - (kLeastNormal >> kCut)) & 0xffU;
  static_assert(kBinadesFrom % 2 == 0);
  // Greatest f32 pattern that does not round past the largest value: half a step above it where that one is even.
  static constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - Format::kBias) << Format::kFraction;
  static constexpr std::uint32_t kGreatest =
      ((Format::kLargest + kRebias) << kCut) + (std::uint32_t{1} << (kCut - 1)) - (Format::kLargest & 1U);

  static Vector pattern(Vector bits) {
    const Vector binade = V::greater_of(V::both(bits, V::splat(kFloatInfinity)), V::splat(kLeastNormal));
    const Vector rounder = V::add(binade, V::splat((kCut << 23U) + kBinadesFrom));
    const Vector steps = V::add_floats(V::both(bits, V::splat(kMagnitude)), rounder);
    const Vector low = V::both(V::add(steps, V::template down<kCut>(binade)), V::splat(Format::kSign - 1));
    return V::sign_and(V::template down<24>(bits), Format::kSign, low);
  }
  static Care<V> care(Vector bits) {
    const Vector magnitude = V::both(bits, V::splat(kMagnitude));
    return {V::larger(magnitude, V::splat(kGreatest)), V::larger(magnitude, V::splat(kFloatInfinity))};
  }
  static typename V::Mask needs_care(Vector bits) {
    return V::larger(V::both(bits, V::splat(kMagnitude)), V::splat(kGreatest));
  }
};

/// bf16 is the upper half of an f32: just under half a step and the lowest kept bit are added, then it is cut. A carry
/// past the range gives the infinity.
template <class V>
struct NarrowBrain {
  using Format = semantics::BF16;
  using Vector = typename V::Vector;

  static Vector pattern(Vector bits) {
    const Vector odd = V::both(V::template down<16>(bits), V::splat(1));
    return V::template down<16>(V::add(V::add(bits, V::splat(0x7fff)), odd));
  }
  static Care<V> care(Vector bits) { return {V::unordered(bits), V::unordered(bits)}; }
  static typename V::Mask needs_care(Vector bits) { return V::unordered(bits); }
};

/// Gives how many were converted, in whole groups: it stops before one with an element that has no place.
template <class V, class Rule, bool Streams>
std::size_t narrow_groups(void* to, const float* from, std::size_t count) {
  using Format = typename Rule::Format;
  using Vector = typename V::Vector;
  using Pattern = typename Format::Pattern;
  constexpr std::size_t kVectors = kGroup<Pattern>;
  constexpr unsigned kSignDown = 32 - 8 * sizeof(Pattern);
  auto* out = static_cast<Pattern*>(to);
  std::size_t i = 0;
  for (; i + kVectors * V::kLanes <= count; i += kVectors * V::kLanes) {
    Vector patterns[kVectors];
    typename V::Mask care = Rule::needs_care(V::load(from + i));
    for (std::size_t k = 0; k < kVectors; ++k) {
      const Vector bits = V::load(from + i + k * V::kLanes);
      patterns[k] = Rule::pattern(bits);
      care = V::join(care, Rule::needs_care(bits));
    }
    if (V::any(care)) [[unlikely]] {
      for (std::size_t k = 0; k < kVectors; ++k) {
        const Vector bits = V::load(from + i + k * V::kLanes);
        const Care<V> found = Rule::care(bits);
        if (!Format::kHasInfinity && V::any_but(found.past, found.is_nan)) return i;
        const Vector mended = V::pick(found.is_nan, V::splat(Format::kQuietNan), V::splat(Format::kTop));
        patterns[k] =
            V::pick(found.past, V::sign_and(V::template down<kSignDown>(bits), Format::kSign, mended), patterns[k]);
      }
    }
    V::template store<Streams>(out + i, V::pack(patterns));
  }
  return i;
}

/// The processor's own conversion, which would keep a NaN's payload.
template <class V, bool Streams>
std::size_t narrow_f16(void* to, const float* from, std::size_t count) {
  using Vector = typename V::Vector;
  auto* out = static_cast<std::uint16_t*>(to);
  std::size_t i = 0;
  for (; i + 2 * V::kLanes <= count; i += 2 * V::kLanes) {
    Vector bits[2] = {V::load(from + i), V::load(from + i + V::kLanes)};
    if (V::any(V::join(V::unordered(bits[0]), V::unordered(bits[1])))) [[unlikely]] {
      for (Vector& each : bits) {
        each = V::pick(V::unordered(each), V::sign_and(each, 0x80000000, V::splat(0x7fc00000)), each);
      }
    }
    V::template store<Streams>(out + i, V::narrow_f16(bits));
  }
  return i;
}

template <class V, bool Streams>
std::size_t widen_f16(void* to, const std::uint16_t* from, std::size_t count) {
  std::size_t i = 0;
  for (; i + V::kLanes <= count; i += V::kLanes) {
    V::template store<Streams>(static_cast<float*>(to) + i, V::widen_f16(from + i));
  }
  return i;
}

template <class V, bool Streams>
std::size_t widen_bf16(void* to, const std::uint16_t* from, std::size_t count) {
  std::size_t i = 0;
  for (; i + V::kLanes <= count; i += V::kLanes) {
    const auto bits = V::widen_bf16(from + i);
    const auto quiet = V::pick(V::unordered(bits), V::splat(0x00400000), V::splat(0));
    V::template store<Streams>(static_cast<float*>(to) + i, V::either(bits, quiet));
  }
  return i;
}

template <class V, bool Streams>
std::size_t convert_vectors(ElementConversion conversion, void* to, const void* from, std::size_t count) {
  const auto* floats = static_cast<const float*>(from);
  const auto* patterns = static_cast<const std::uint16_t*>(from);
  if (!conversion.narrows) {
    return conversion.storage == StorageFloat::F16 ? widen_f16<V, Streams>(to, patterns, count)
                                                   : widen_bf16<V, Streams>(to, patterns, count);
  }
  switch (conversion.storage) {
    case StorageFloat::F16:
      return narrow_f16<V, Streams>(to, floats, count);
    case StorageFloat::BF16:
      return narrow_groups<V, NarrowBrain<V>, Streams>(to, floats, count);
    case StorageFloat::F8E4M3:
      return narrow_groups<V, NarrowByte<V, semantics::F8E4M3>, Streams>(to, floats, count);
    case StorageFloat::F8E5M2:
      return narrow_groups<V, NarrowByte<V, semantics::F8E5M2>, Streams>(to, floats, count);
  }
  return 0;
}

}  // namespace
}  // namespace cairn::runtime
