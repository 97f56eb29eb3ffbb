// Loads, stores, copies and wide accesses of kernels. Addresses are generic; the compiler finds the space of those it
// can follow. `align` is what is known of both addresses.
#pragma once

#include "cuda/kernel/guards.hpp"

namespace cairn::kernel {

/// A sum's payloads share their bytes, so that accesses of two types may meet.
template <class T>
struct Aliasing {
  typedef T __attribute__((may_alias)) Type;
};
struct __attribute__((may_alias)) alignas(16) Words {
  U64 first, second;
};

template <class T>
__forceinline__ T load(const unsigned char* at) {
  return *reinterpret_cast<const typename Aliasing<T>::Type*>(at);
}
template <class T>
__forceinline__ void store(unsigned char* at, T value) {
  *reinterpret_cast<typename Aliasing<T>::Type*>(at) = value;
}
template <>
__forceinline__ bool load<bool>(const unsigned char* at) {
  return *at != 0;
}
template <>
__forceinline__ void store<bool>(unsigned char* at, bool value) {
  *at = value ? 1 : 0;
}
__forceinline__ Pair load_pair(const unsigned char* at) { return {load<Bytes>(at), load<U64>(at + 8)}; }
__forceinline__ void store_pair(unsigned char* at, Bytes first, U64 second) {
  store<Bytes>(at, first);
  store<U64>(at + 8, second);
}

/// 16 bytes in one access.
__forceinline__ void copy_words(unsigned char* to, const unsigned char* from) {
  *reinterpret_cast<Words*>(to) = *reinterpret_cast<const Words*>(from);
}

/// Both addresses hold values of one type: they are the same or disjoint.
template <U32 bytes, unsigned align>
__forceinline__ void copy(unsigned char* to, const unsigned char* from) {
  if constexpr (bytes > 128) {
    memcpy(__builtin_assume_aligned(to, align), __builtin_assume_aligned(from, align), bytes);
  } else if constexpr (align >= 16 && bytes >= 16) {
    copy_words(to, from);
    if constexpr (bytes > 16) copy<bytes - 16, align>(to + 16, from + 16);
  } else if constexpr (bytes != 0) {
    constexpr unsigned kFits = bytes >= 8 ? 8 : bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
    constexpr unsigned kStep = kFits < align ? kFits : (align > 8 ? 8 : align);
    using Word = typename UnsignedOfSize<kStep>::Type;
    store<Word>(to, load<Word>(from));
    copy<bytes - kStep, align>(to + kStep, from + kStep);
  }
}

template <U32 bytes>
__forceinline__ void zero(unsigned char* to) {
  memset(to, 0, bytes);
}

template <U32 bytes>
__forceinline__ void swap(unsigned char* left, unsigned char* right) {
  if (left == right) return;
  for (U32 k = 0; k < bytes; ++k) {
    const unsigned char kept = left[k];
    left[k] = right[k];
    right[k] = kept;
  }
}

/// `count` elements of `size` bytes, which may overlap.
template <U32 size, unsigned align>
__forceinline__ void copy_elements(unsigned char* to, const unsigned char* from, U64 count) {
  if (to <= from) {
    for (U64 k = 0; k < count; ++k) copy<size, align>(to + k * size, from + k * size);
  } else {
    for (U64 k = count; k != 0; --k) copy<size, align>(to + (k - 1) * size, from + (k - 1) * size);
  }
}

}  // namespace cairn::kernel
