// A set of locals of one function by their slot number: which of them are dead on the path being judged. Copied at
// every branch, so sets of up to 64 owners are one word; functions with more spill into a vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cairn {

class OwnerSet {
 public:
  [[nodiscard]] bool contains(std::uint32_t slot) const {
    if (slot < 64) return (first_ >> slot & 1) != 0;
    const std::size_t word = slot / 64 - 1;
    return word < more_.size() && (more_[word] >> (slot % 64) & 1) != 0;
  }
  void insert(std::uint32_t slot) { word(slot) |= std::uint64_t{1} << (slot % 64); }
  void erase(std::uint32_t slot) {
    if (contains(slot)) word(slot) &= ~(std::uint64_t{1} << (slot % 64));
  }
  void unite(const OwnerSet& other) {
    first_ |= other.first_;
    if (more_.size() < other.more_.size()) more_.resize(other.more_.size());
    for (std::size_t i = 0; i < other.more_.size(); ++i) more_[i] |= other.more_[i];
  }
  /// The lowest slot below `limit` that is in this set and not in `other`; 0 when there is none.
  [[nodiscard]] std::uint32_t first_beyond(const OwnerSet& other, std::uint32_t limit) const {
    for (std::uint32_t slot = 0; slot < limit; ++slot) {
      if (slot < 64 && slot % 64 == 0 && (first_ & ~other.first_) == 0) {
        slot = 63;
        continue;
      }
      if (contains(slot) && !other.contains(slot)) return slot;
    }
    return 0;
  }

 private:
  std::uint64_t& word(std::uint32_t slot) {
    if (slot < 64) return first_;
    const std::size_t index = slot / 64 - 1;
    if (index >= more_.size()) more_.resize(index + 1);
    return more_[index];
  }

  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;  // slots from 64 on
};

}  // namespace cairn
