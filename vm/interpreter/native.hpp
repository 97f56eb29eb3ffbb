// Functions of the host that bytecode calls by name: the natives behind the standard library, and what an embedding
// host adds. A table is given to an instance; nothing is there by default.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/trap/trap.hpp"

namespace cairn {

class Thread;

/// What a program may ask of its host. A host chooses by it which natives
/// its table offers; a program that calls one its host left out traps.
enum class Capability : std::uint8_t { None, Output, Input, Files, Network, Environment, Time, Process, Memory, Rings };

/// One call of a native: its argument slots, where its result goes too.
class NativeCall {
 public:
  NativeCall(Thread& thread, std::uint64_t* slots) : thread_(thread), slots_(slots) {}

  [[nodiscard]] Thread& thread() const { return thread_; }
  [[nodiscard]] std::uint64_t* slots() const { return slots_; }

  /// The argument in slot k (a view or buf takes two: pointer, length).
  template <class T>
  [[nodiscard]] T get(std::uint32_t k) const {
    T value;
    std::memcpy(&value, slots_ + k, sizeof(T));
    return value;
  }
  template <class T>
  [[nodiscard]] T* pointer(std::uint32_t k) const {
    return reinterpret_cast<T*>(slots_[k]);
  }
  template <class T>
  [[nodiscard]] std::span<T> view(std::uint32_t k) const {
    return {reinterpret_cast<T*>(slots_[k]), slots_[k + 1]};
  }

  /// The result, in the slot form of its type.
  template <class T>
  void result(T value) {
    if constexpr (sizeof(T) == 8) {
      std::memcpy(slots_, &value, 8);
    } else if constexpr (static_cast<T>(-1) < T{0} && static_cast<T>(0.5) == T{0}) {
      slots_[0] = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    } else {
      slots_[0] = 0;
      std::memcpy(slots_, &value, sizeof(T));
    }
  }

  /// The call traps with this kind and detail; the native returns right after.
  void trap(TrapKind kind, std::string detail);

 private:
  Thread& thread_;
  std::uint64_t* slots_;
};

/// A native. Traps by `call.trap`. Runs on the thread that called it. One of the machine itself (its name has a dot)
/// writes a result that goes through a reference after it has read every argument: the two may overlap.
using NativeFunction = void (*)(NativeCall& call);

struct NativeEntry {
  std::string_view name;  // "std.fs.open"
  /// As `bytecode::native_signature_text` writes it: "(view u8, u64) -> i32". A module that declares another is
  /// refused.
  std::string_view signature;
  Capability capability = Capability::None;
  NativeFunction function = nullptr;
};

class NativeTable {
 public:
  void add(std::span<const NativeEntry> entries) { entries_.insert(entries_.end(), entries.begin(), entries.end()); }
  [[nodiscard]] const NativeEntry* find(std::string_view name) const;
  [[nodiscard]] std::span<const NativeEntry> entries() const { return entries_; }

 private:
  std::vector<NativeEntry> entries_;
};

}  // namespace cairn
