// Interned names. A Name is a 32-bit handle; two names are equal exactly when their texts are. The table belongs to
// one program and outlives every tree made from it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/support/arena.hpp"

namespace cairn {

struct Name {
  std::uint32_t id = 0;  // 0 is "no name"
  explicit operator bool() const { return id != 0; }
  friend bool operator==(Name, Name) = default;
  friend auto operator<=>(Name, Name) = default;
};

/// FNV-1a (Fowler, Noll, Vo) over a name's bytes, one at a time, so that a lexer can hash a word while it reads it.
struct NameHash {
  std::uint64_t state = 14695981039346656037U;
  void add(char c) { state = (state ^ static_cast<unsigned char>(c)) * 1099511628211U; }
  [[nodiscard]] std::uint32_t value() const { return static_cast<std::uint32_t>(state ^ (state >> 32U)); }
};

class NameTable {
 public:
  NameTable();

  Name intern(std::string_view text);
  /// The same for a caller that has hashed the text's bytes already.
  Name intern(std::string_view text, NameHash hash);
  /// The name with this text when something interned it before, else no name.
  [[nodiscard]] Name find(std::string_view text) const;
  [[nodiscard]] std::string_view text(Name name) const { return texts_[name.id]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = 0;  // 0: free
  };
  void rehash(std::size_t slots);

  Arena arena_;
  std::vector<std::string_view> texts_;
  std::vector<Slot> slots_;
};

}  // namespace cairn

template <>
struct std::hash<cairn::Name> {
  std::size_t operator()(cairn::Name name) const noexcept { return name.id * std::size_t{0x9E3779B97F4A7C15}; }
};
