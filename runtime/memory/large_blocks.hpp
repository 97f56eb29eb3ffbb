// Blocks so large that each has a mapping of its own. The system zeroes their pages when they are first touched, by
// whichever thread does, and is asked for huge ones: page faults and misses of the TLB would take much of the time of a
// plain loop over a large array.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace cairn {

/// Any thread may call.
class LargeBlocks {
 public:
  /// Those of the process: like mimalloc's, a block may be released by another instance than the one that took it (a
  /// session runs each of its entries in one).
  [[nodiscard]] static LargeBlocks& of_process();

  /// Smaller blocks are mimalloc's, which would map each of these by itself, too, but writes zeros over all of it.
  static constexpr std::uint64_t kLeastBytes = std::uint64_t{16} << 20;

  /// Zeroed storage of so many bytes, on a boundary of kBoundary; null when it cannot be had.
  [[nodiscard]] void* allocate(std::uint64_t bytes, const void* owner);
  /// False for what is no block of these.
  bool release(void* block);
  /// Releases every block that was allocated for the owner.
  void release_all(const void* owner);

 private:
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kBoundary = std::uint64_t{1} << 21;  // a huge page
  struct Block {
    std::uint64_t bytes = 0;
    const void* owner = nullptr;
  };
  std::mutex mutex_;
  std::unordered_map<void*, Block> blocks_;
};

}  // namespace cairn
