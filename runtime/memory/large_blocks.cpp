#include "runtime/memory/large_blocks.hpp"

#include <sys/mman.h>

#include <utility>
#include <vector>

namespace cairn {

LargeBlocks& LargeBlocks::of_process() {
  static auto& blocks = *new LargeBlocks;  // for as long as any thread releases: never destroyed
  return blocks;
}

void* LargeBlocks::allocate(std::uint64_t bytes, const void* owner) {
  // One huge page more, so that a boundary lies in it; what is not the block's goes back.
  if (bytes > ~std::uint64_t{0} - 2 * kBoundary) return nullptr;
  const std::uint64_t mapped = (bytes + kPage - 1) / kPage * kPage;
  void* const range = ::mmap(nullptr, mapped + kBoundary, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (range == MAP_FAILED) return nullptr;
  auto* const start = static_cast<std::uint8_t*>(range);
  const std::uint64_t before = -reinterpret_cast<std::uintptr_t>(range) % kBoundary;
  if (before != 0) ::munmap(start, before);
  ::munmap(start + before + mapped, kBoundary - before);
  std::uint8_t* const block = start + before;
  // Whether there are such pages says how fast the memory is, nothing else.
  static_cast<void>(::madvise(block, mapped, MADV_HUGEPAGE));
  const std::lock_guard lock(mutex_);
  blocks_.emplace(block, Block{mapped, owner});
  return block;
}

bool LargeBlocks::release(void* block) {
  if (reinterpret_cast<std::uintptr_t>(block) % kBoundary != 0) return false;
  std::uint64_t bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(block);
    if (found == blocks_.end()) return false;
    bytes = found->second.bytes;
    blocks_.erase(found);
  }
  ::munmap(block, bytes);
  return true;
}

void LargeBlocks::release_all(const void* owner) {
  std::vector<std::pair<void*, std::uint64_t>> owned;  // given back without the lock, which every instance takes
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(blocks_, [&](const auto& each) {
      if (each.second.owner != owner) return false;
      owned.emplace_back(each.first, each.second.bytes);
      return true;
    });
  }
  for (const auto& [block, bytes] : owned) ::munmap(block, bytes);
}

}  // namespace cairn
