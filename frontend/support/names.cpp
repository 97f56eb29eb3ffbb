#include "frontend/support/names.hpp"

#include <utility>

namespace cairn {

namespace {

NameHash hash_of(std::string_view text) {
  NameHash hash;
  for (const char c : text) hash.add(c);
  return hash;
}

}  // namespace

NameTable::NameTable() {
  texts_.emplace_back();  // id 0
  rehash(1024);
}

void NameTable::rehash(std::size_t slots) {
  std::vector<Slot> old(slots);
  std::swap(old, slots_);
  for (const Slot& slot : old) {
    if (slot.id == 0) continue;
    std::size_t at = slot.hash & (slots - 1);
    while (slots_[at].id != 0) at = (at + 1) & (slots - 1);
    slots_[at] = slot;
  }
}

Name NameTable::find(std::string_view text) const {
  const std::uint32_t hash = hash_of(text).value();
  for (std::size_t at = hash & (slots_.size() - 1); slots_[at].id != 0; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].hash == hash && texts_[slots_[at].id] == text) return {slots_[at].id};
  }
  return {};
}

Name NameTable::intern(std::string_view text) { return intern(text, hash_of(text)); }

Name NameTable::intern(std::string_view text, NameHash hashed) {
  const std::uint32_t hash = hashed.value();
  std::size_t at = hash & (slots_.size() - 1);
  for (; slots_[at].id != 0; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].hash == hash && texts_[slots_[at].id] == text) return {slots_[at].id};
  }
  const Name name{static_cast<std::uint32_t>(texts_.size())};
  texts_.push_back(arena_.copy(text));
  slots_[at] = {hash, name.id};
  if (texts_.size() * 2 > slots_.size()) rehash(slots_.size() * 2);
  return name;
}

}  // namespace cairn
