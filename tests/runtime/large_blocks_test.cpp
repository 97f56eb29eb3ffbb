#include <catch2/catch.hpp>

#include <cstdint>
#include <thread>

#include "runtime/memory/heap.hpp"
#include "runtime/memory/large_blocks.hpp"

using cairn::InstanceMemory;
using cairn::LargeBlocks;
using cairn::ThreadHeap;

namespace {

constexpr std::uint64_t kBytes = LargeBlocks::kLeastBytes + 12345;

std::uint8_t* written(void* block) {
  auto* const bytes = static_cast<std::uint8_t*>(block);
  for (std::uint64_t k = 0; k < kBytes; k += 4096) bytes[k] = 7;
  bytes[kBytes - 1] = 7;
  return bytes;
}

}  // namespace

TEST_CASE("a large block is zeroed, again where another lay, and on a boundary of any alignment", "[memory]") {
  InstanceMemory memory(4 * kBytes);
  ThreadHeap heap(memory);
  for (int round = 0; round < 3; ++round) {
    void* const block = heap.allocate(kBytes, 1, 4096);
    REQUIRE(block != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(block) % 4096 == 0);
    CHECK(memory.used() == kBytes);
    const auto* const bytes = static_cast<const std::uint8_t*>(block);
    bool is_zero = true;
    for (std::uint64_t k = 0; k < kBytes; ++k) is_zero = is_zero && bytes[k] == 0;
    CHECK(is_zero);
    heap.release(written(block), kBytes);
    CHECK(memory.used() == 0);
  }
}

TEST_CASE("large blocks go with their heap, or when another thread releases them", "[memory]") {
  InstanceMemory memory;
  ThreadHeap other(memory);
  void* kept = nullptr;
  {
    ThreadHeap heap(memory);
    static_cast<void>(written(heap.allocate(kBytes, 1, 16)));  // ends with the heap
    void* const given = heap.allocate(kBytes, 1, 16);
    std::thread([&] {
      ThreadHeap mine(memory);
      mine.release(given, kBytes);
    }).join();
    kept = other.allocate(kBytes, 1, 16);
    heap.destroy();
    CHECK(written(kept)[kBytes - 1] == 7);
  }
  other.release(kept, kBytes);
}

TEST_CASE("a large block may be released by another instance than the one that took it", "[memory]") {
  InstanceMemory first;
  InstanceMemory second(4 * kBytes);
  ThreadHeap taker(first);
  ThreadHeap other(second);
  void* const block = taker.allocate(kBytes, 1, 16);
  other.release(written(block), kBytes);
  CHECK(second.used() == 0);
  void* const again = taker.allocate(kBytes, 1, 16);
  REQUIRE(again != nullptr);
  taker.release(written(again), kBytes);
}

TEST_CASE("a large block that cannot be had is null, and counts for nothing", "[memory]") {
  InstanceMemory memory(2 * kBytes);
  ThreadHeap heap(memory);
  void* const one = heap.allocate(kBytes, 1, 16);
  CHECK(one != nullptr);
  CHECK(heap.allocate(kBytes, 2, 16) == nullptr);
  CHECK(memory.used() == kBytes);
  CHECK(heap.allocate(std::uint64_t{1} << 60, 1, 16) == nullptr);
  heap.release(one, kBytes);
  CHECK(memory.used() == 0);
}
