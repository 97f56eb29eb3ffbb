#include "runtime/memory/mimalloc_library.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

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
// Under the address sanitizer owners live in the heap it watches, so that one released twice, or used after its
// release, is an error. Destroying a heap frees its blocks, as always; with CAIRN_KEEP_LEAKS set it frees none of them,
// so that an owner the program did not release is a leak that is reported.
bool keeps_leaks() noexcept {
  static const bool keeps = std::getenv("CAIRN_KEEP_LEAKS") != nullptr;
  return keeps;
}

/// Which heap each block is of. Empty while leaks are kept: a block that is listed here would be none.
struct WatchedBlocks {
  std::mutex mutex;
  std::unordered_map<void*, const void*> heap_of;
};
WatchedBlocks& watched_blocks() noexcept {
  static auto* blocks = new WatchedBlocks;  // outlives every thread's heap
  return *blocks;
}
void* watched(const void* heap, void* block) noexcept {
  if (block == nullptr || keeps_leaks()) return block;
  WatchedBlocks& blocks = watched_blocks();
  const std::lock_guard lock(blocks.mutex);
  blocks.heap_of.emplace(block, heap);
  return block;
}

mi_heap_t* watched_heap() noexcept { return reinterpret_cast<mi_heap_t*>(new char); }
void* watched_zalloc(mi_heap_t* heap, std::size_t bytes) noexcept { return watched(heap, std::calloc(1, bytes)); }
void* watched_zalloc_aligned(mi_heap_t* heap, std::size_t bytes, std::size_t align) noexcept {
  void* block = nullptr;
  if (::posix_memalign(&block, align, bytes) != 0 || block == nullptr) return nullptr;
  return watched(heap, std::memset(block, 0, bytes));
}
void watched_free(void* block) noexcept {
  if (!keeps_leaks()) {
    WatchedBlocks& blocks = watched_blocks();
    const std::lock_guard lock(blocks.mutex);
    blocks.heap_of.erase(block);
  }
  std::free(block);
}
void watched_destroy(mi_heap_t* heap) noexcept {
  if (!keeps_leaks()) {
    WatchedBlocks& blocks = watched_blocks();
    const std::lock_guard lock(blocks.mutex);
    std::erase_if(blocks.heap_of, [&](const auto& block) {
      if (block.second != heap) return false;
      std::free(block.first);
      return true;
    });
  }
  delete reinterpret_cast<char*>(heap);
}

MimallocLibrary load(bool& complete) {
  complete = true;
  return {watched_heap, watched_zalloc, watched_zalloc_aligned, watched_destroy, watched_free};
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
