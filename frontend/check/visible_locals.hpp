// The locals in scope at one point of a body, by declaration. No two have one name (E-SHADOW), and scopes end in the
// reverse order they began, so a name is found through a chain that only its head changes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontend/check/program.hpp"

namespace cairn {

class VisibleLocals {
 public:
  [[nodiscard]] checked::Local* find(Name name) const {
    for (std::uint32_t at = heads_[bucket(name)]; at != 0; at = entries_[at - 1].next) {
      if (entries_[at - 1].local->name == name) return entries_[at - 1].local;
    }
    return nullptr;
  }
  void push_back(checked::Local* local) {
    std::uint32_t& head = heads_[bucket(local->name)];
    entries_.push_back({local, head});
    head = static_cast<std::uint32_t>(entries_.size());
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Ends the scope of every local declared since there were `size` of them.
  void resize(std::size_t size) {
    for (; entries_.size() > size; entries_.pop_back()) {
      heads_[bucket(entries_.back().local->name)] = entries_.back().next;
    }
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entry& each : entries_) visit(*each.local);
  }

 private:
  struct Entry {
    checked::Local* local = nullptr;
    std::uint32_t next = 0;  // 1 + index of the entry of this bucket declared before; 0: none
  };
  static constexpr std::size_t kBuckets = 128;
  static std::size_t bucket(Name name) { return name.id % kBuckets; }

  std::vector<Entry> entries_;
  std::array<std::uint32_t, kBuckets> heads_{};
};

}  // namespace cairn
