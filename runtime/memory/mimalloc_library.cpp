#include "runtime/memory/mimalloc_library.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAIRN_WATCHED_HEAP
#endif
#endif

#ifdef CAIRN_WATCHED_HEAP
// A request that cannot be met answers null, as the allocation guard wants, in place of ending the process.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" __attribute__((used, visibility("default"))) const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
// NOLINTEND(bugprone-reserved-identifier)
#endif

namespace cairn {

namespace {

#ifdef CAIRN_WATCHED_HEAP
// Under the address sanitizer owners live in the heap it watches, and an instance that ends frees none of them: an
// owner that a program did not release is a leak it reports, one released twice an error.
mi_heap_t* watched_heap() noexcept {
  static char heap = 0;
  return reinterpret_cast<mi_heap_t*>(&heap);
}
void* watched_zalloc_aligned(mi_heap_t*, std::size_t bytes, std::size_t align) noexcept {
  void* block = nullptr;
  if (::posix_memalign(&block, align, bytes) != 0 || block == nullptr) return nullptr;
  return std::memset(block, 0, bytes);
}
void* watched_zalloc(mi_heap_t*, std::size_t bytes) noexcept { return std::calloc(1, bytes); }
void forget_heap(mi_heap_t*) noexcept {}

MimallocLibrary load(bool& complete) {
  complete = true;
  return {watched_heap, watched_zalloc, watched_zalloc_aligned, forget_heap, std::free};
}
#else

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

MimallocLibrary load(bool& complete) {
  MimallocLibrary table;
  void* library = ::dlopen("libmimalloc.so.2", RTLD_NOW | RTLD_LOCAL);
  complete = library != nullptr && find(library, "mi_heap_new", table.heap_new) &&
             find(library, "mi_heap_zalloc", table.heap_zalloc) &&
             find(library, "mi_heap_zalloc_aligned", table.heap_zalloc_aligned) &&
             find(library, "mi_heap_destroy", table.heap_destroy) && find(library, "mi_free", table.free);
  if (!complete) {
    const char* reason = ::dlerror();
    std::fprintf(stderr, "cairn: no memory can be allocated without libmimalloc.so.2: %s\n",
                 reason != nullptr ? reason : "it lacks a function");
  }
  return table;
}
#endif

}  // namespace

const MimallocLibrary* MimallocLibrary::open() {
  static bool complete = false;
  static const MimallocLibrary table = load(complete);
  return complete ? &table : nullptr;
}

}  // namespace cairn
