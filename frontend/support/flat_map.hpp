// A hash map from a nonzero 64-bit key to a small value: open addressing, linear probing, no deletion. Used where the
// checker looks names and instances up, which is its hottest path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cairn {

template <class Value>
class FlatMap {
 public:
  [[nodiscard]] Value* find(std::uint64_t key) {
    return const_cast<Value*>(static_cast<const FlatMap*>(this)->find(key));
  }
  [[nodiscard]] const Value* find(std::uint64_t key) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = start(key);; at = (at + 1) & mask()) {
      if (slots_[at].first == key) return &slots_[at].second;
      if (slots_[at].first == 0) return nullptr;
    }
  }
  /// The value of a key, default-made when absent, and whether it was absent. References die with the next insertion.
  std::pair<Value*, bool> insert(std::uint64_t key) {
    if ((used_ + 1) * 2 > slots_.size()) grow(slots_.empty() ? 64 : slots_.size() * 2);
    for (std::size_t at = start(key);; at = (at + 1) & mask()) {
      if (slots_[at].first == key) return {&slots_[at].second, false};
      if (slots_[at].first == 0) {
        slots_[at].first = key;
        ++used_;
        return {&slots_[at].second, true};
      }
    }
  }
  /// Room for this many keys without rehashing.
  void reserve(std::size_t keys) {
    std::size_t slots = 64;
    while (slots < keys * 2) slots *= 2;
    if (slots > slots_.size()) grow(slots);
  }
  [[nodiscard]] std::size_t size() const { return used_; }

 private:
  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  [[nodiscard]] std::size_t start(std::uint64_t key) const {
    const std::uint64_t mixed = (key ^ (key >> 32)) * 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(mixed >> 20) & mask();
  }
  void grow(std::size_t slots) {
    std::vector<std::pair<std::uint64_t, Value>> old(slots);
    old.swap(slots_);
    for (auto& slot : old) {
      if (slot.first == 0) continue;
      std::size_t at = start(slot.first);
      while (slots_[at].first != 0) at = (at + 1) & mask();
      slots_[at] = std::move(slot);
    }
  }

  std::vector<std::pair<std::uint64_t, Value>> slots_;
  std::size_t used_ = 0;
};

}  // namespace cairn
