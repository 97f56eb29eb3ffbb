// Names the language itself gives (syntax and values, 1.7.4; abstractions, 2.2), interned once per program so that
// asking what a name is costs an array read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/support/names.hpp"

namespace cairn {

enum class BuiltinClass : std::uint8_t {
  None,
  Scalar,     // scalar types, storage floats and void
  Intrinsic,  // Buf Array fn dyn Dyn Ticket Atomic Mutex Group IoRing and the fragment types
  Hard,       // a builtin function no declaration of the root may take
  Soft,       // a builtin function a visible function of the program wins over
};

class BuiltinNames {
 public:
  explicit BuiltinNames(NameTable& names);
  [[nodiscard]] BuiltinClass class_of(Name name) const {
    return name.id < classes_.size() ? classes_[name.id] : BuiltinClass::None;
  }
  [[nodiscard]] bool is_function(Name name) const {
    const auto c = class_of(name);
    return c == BuiltinClass::Hard || c == BuiltinClass::Soft;
  }
  /// Every builtin function's spelling, for "Did you mean".
  [[nodiscard]] static std::span<const std::string_view> functions();

 private:
  std::vector<BuiltinClass> classes_;  // by name id
};

}  // namespace cairn
