// A verified module made ready to run: code addresses, frame sizes, owners inside each type, natives found. Immutable
// and shared by all threads and tiers of an instance.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vm/bytecode/code_entry.hpp"
#include "vm/bytecode/module.hpp"
#include "vm/interpreter/native.hpp"

namespace cairn {

/// An owner inside a value: where, and how it is released.
struct OwnerPart {
  enum class Kind : std::uint8_t { Buf, Dyn, Nested, Array };
  Kind kind{};
  std::uint64_t offset = 0;
  std::uint32_t type = bytecode::kNone;  // Buf, Array: element. Nested: what lies there
  std::uint64_t count = 0;               // Array
};

/// How a type is released: its owners in order. Empty for types that own nothing.
struct OwnerMap {
  std::vector<OwnerPart> parts;                  // not of a sum
  std::vector<std::vector<OwnerPart>> variants;  // of a sum, by tag
};

class Image {
 public:
  /// Takes a module the verifier has accepted. A native that the host's table lacks, or has with another signature, is
  /// missing: calling it traps.
  Image(bytecode::Module module, const NativeTable& natives);
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  [[nodiscard]] const bytecode::Module& module() const { return module_; }
  [[nodiscard]] const CodeEntry* functions() const { return functions_.data(); }
  [[nodiscard]] const OwnerMap& owners(std::uint32_t type) const { return owners_[type]; }
  /// A native of the module as a call needs it.
  struct NativeSite {
    NativeFunction function = nullptr;  // null when the host has none of that signature
    std::uint32_t window_slots = 2;     // arguments or result, whichever takes more
  };
  [[nodiscard]] const NativeSite& native(std::uint32_t index) const { return natives_[index]; }

  /// The function whose code holds `pc`, or kNone.
  [[nodiscard]] std::uint32_t function_at(const bytecode::Word* pc) const;
  /// The function of that qualified name, or kNone.
  [[nodiscard]] std::uint32_t find(std::string_view name) const;

 private:
  void prepare_natives(const NativeTable& natives);
  void prepare_functions();
  void prepare_owners();

  bytecode::Module module_;
  std::vector<CodeEntry> functions_;
  std::vector<bytecode::Word> prologues_;  // a word per function
  std::vector<ZeroRange> zeros_;
  std::vector<OwnerMap> owners_;
  std::vector<NativeSite> natives_;
  std::vector<std::uint32_t> by_code_;  // function indices, ascending by code address
};

}  // namespace cairn
