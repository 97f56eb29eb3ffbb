// A map from pairs of names, such as a module and a declaration, that only grows: open addressing over flat slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "frontend/support/names.hpp"

namespace cairn::syntax {

template <class Value>
class NamePairMap {
 public:
  /// The value of the pair when it was known, else null after adding it. `second` must be a name.
  const Value* insert(Name first, Name second, const Value& value) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    const std::size_t at = find(first, second);
    if (slots_[at].second) return &slots_[at].value;
    slots_[at] = {first, second, value};
    ++count_;
    return nullptr;
  }

 private:
  struct Slot {
    Name first;
    Name second;  // no name: free
    Value value{};
  };

  [[nodiscard]] std::size_t find(Name first, Name second) const {
    const std::uint64_t pair = std::uint64_t{first.id} << 32U | second.id;
    std::size_t at = (pair * 0x9E3779B97F4A7C15U) >> 32U & (slots_.size() - 1);
    while (slots_[at].second && (slots_[at].first != first || slots_[at].second != second)) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    std::swap(old, slots_);
    for (const Slot& slot : old) {
      if (slot.second) slots_[find(slot.first, slot.second)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace cairn::syntax
