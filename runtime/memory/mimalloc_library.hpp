// mimalloc, opened when a program first allocates: linked, it would cost every start a tenth of a millisecond and
// replace the allocator of the rest of the machine, which is slower for it.
#pragma once

#include <mimalloc.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAIRN_WATCHED_HEAP
#endif
#endif

namespace cairn {

/// Under the address sanitizer every block lives in the heap it watches.
#ifdef CAIRN_WATCHED_HEAP
inline constexpr bool kHeapIsWatched = true;
#else
inline constexpr bool kHeapIsWatched = false;
#endif

/// The functions of mimalloc that heaps use.
struct MimallocLibrary {
  decltype(&::mi_heap_new) heap_new = nullptr;
  decltype(&::mi_heap_zalloc) heap_zalloc = nullptr;
  decltype(&::mi_heap_zalloc_aligned) heap_zalloc_aligned = nullptr;
  decltype(&::mi_heap_destroy) heap_destroy = nullptr;
  decltype(&::mi_free) free = nullptr;

  /// Opened by the first call, for the rest of the process. Null, and said on standard error, when the library or one
  /// of these functions is missing.
  static const MimallocLibrary* open();
};

}  // namespace cairn
