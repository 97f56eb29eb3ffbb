// Where owners live. Every instance of the machine counts what it holds (InstanceMemory) and has one mimalloc heap for
// each thread it runs on (ThreadHeap), for all but large blocks: a heap allocates only on its own thread, any thread
// may release. Destroying the heaps frees everything the program left, whatever it did.
//
// Nothing is touched before the first allocation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cairn {

struct MimallocLibrary;

/// Bytes an instance may hold, counted only when there is a limit.
class InstanceMemory {
 public:
  explicit InstanceMemory(std::uint64_t limit = 0) : limit_(limit) {}

  [[nodiscard]] bool limited() const { return limit_ != 0; }
  /// False, and nothing counted, when the limit would be passed.
  bool take(std::uint64_t bytes);
  /// What another instance of one host took may be given back here: no more than is held.
  void give_back(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t limit() const { return limit_; }

 private:
  std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
};

class ThreadHeap {
 public:
  explicit ThreadHeap(InstanceMemory& memory) : memory_(memory) {}
  ~ThreadHeap() { destroy(); }
  ThreadHeap(const ThreadHeap&) = delete;
  ThreadHeap& operator=(const ThreadHeap&) = delete;

  /// The size test of the allocation guard (ownership and memory, 2.2): count elements of `size` bytes are a size at
  /// all.
  [[nodiscard]] static constexpr bool representable(std::uint64_t count, std::uint64_t size) {
    return size == 0 || count <= 0x7fffffffffffffffULL / size;
  }

  /// Zeroed storage for count elements, aligned to at least 16 where it holds 16 bytes, else to 8. Null for no
  /// elements; null, too, when the size is none or the memory cannot be had: `count != 0 && result == nullptr` is the
  /// failed guard.
  [[nodiscard]] void* allocate(std::uint64_t count, std::uint64_t size, std::uint32_t align);

  /// Releases what any heap of the process allocated; `bytes` is count * size then. Null is fine.
  void release(void* block, std::uint64_t bytes);

  /// Frees every block of this heap. On the thread that allocates from it, or when that thread has ended.
  void destroy();

 private:
  [[nodiscard]] void* allocate_small(std::uint64_t bytes, std::uint32_t align);

  InstanceMemory& memory_;
  const MimallocLibrary* library_ = nullptr;  // there when this thread's heap allocated or released anything
  void* heap_ = nullptr;                      // mi_heap_t
};

}  // namespace cairn
