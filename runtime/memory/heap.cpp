#include "runtime/memory/heap.hpp"

#include <algorithm>

#include "runtime/memory/large_blocks.hpp"
#include "runtime/memory/mimalloc_library.hpp"

namespace cairn {

bool InstanceMemory::take(std::uint64_t bytes) {
  if (!limited()) return true;
  const std::uint64_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes <= limit_ && before + bytes >= before) return true;
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

void InstanceMemory::give_back(std::uint64_t bytes) {
  if (!limited()) return;
  std::uint64_t before = used_.load(std::memory_order_relaxed);
  while (!used_.compare_exchange_weak(before, before - std::min(before, bytes), std::memory_order_relaxed)) continue;
}

void* ThreadHeap::allocate(std::uint64_t count, std::uint64_t size, std::uint32_t align) {
  if (count == 0 || !representable(count, size)) return nullptr;
  // Elements without bytes still lie somewhere.
  const std::uint64_t bytes = std::max<std::uint64_t>(count * size, 1);
  if (!memory_.take(bytes)) return nullptr;
  void* const block = bytes >= LargeBlocks::kLeastBytes && !kHeapIsWatched
                          ? LargeBlocks::of_process().allocate(bytes, this)
                          : allocate_small(bytes, align);
  if (block == nullptr) memory_.give_back(bytes);
  return block;
}

void* ThreadHeap::allocate_small(std::uint64_t bytes, std::uint32_t align) {
  if (heap_ == nullptr) {
    library_ = MimallocLibrary::open();
    if (library_ != nullptr) heap_ = library_->heap_new();
  }
  auto* const heap = static_cast<mi_heap_t*>(heap_);
  if (heap == nullptr) return nullptr;
  return align <= 16 ? library_->heap_zalloc(heap, bytes) : library_->heap_zalloc_aligned(heap, bytes, align);
}

void ThreadHeap::release(void* block, std::uint64_t bytes) {
  if (block == nullptr) return;
  if (!LargeBlocks::of_process().release(block)) {
    // Of another thread's heap perhaps, so that this one may not have asked for the library yet.
    if (library_ == nullptr) library_ = MimallocLibrary::open();
    library_->free(block);
  }
  memory_.give_back(std::max<std::uint64_t>(bytes, 1));
}

void ThreadHeap::destroy() {
  LargeBlocks::of_process().release_all(this);
  if (heap_ != nullptr) library_->heap_destroy(static_cast<mi_heap_t*>(heap_));
  heap_ = nullptr;
}

}  // namespace cairn
