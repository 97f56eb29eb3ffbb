// Which machine registers hold the values of which slots, within a block. Every value that is written is stored to its
// slot at once, so that a register can be given up, or everything forgotten, without a word: exits need nothing saved.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "jit/code/machine.hpp"

namespace cairn::jit {

/// By slot, the registers that hold it.
struct CacheStorage {
  std::vector<std::uint8_t> general_of, vector_of;
};

class SlotCache {
 public:
  SlotCache(x86::Assembler& assembler, std::uint32_t slots, CacheStorage& storage)
      : a_(assembler), general_of_(storage.general_of), vector_of_(storage.vector_of) {
    general_of_.assign(slots, kNone);
    vector_of_.assign(slots, kNone);
  }

  [[nodiscard]] static x86::Mem at(std::uint32_t slot) {
    return x86::qword_ptr(kBase, static_cast<std::int32_t>(8 * slot));
  }

  /// Starts an instruction: what the last one used may be given to others.
  void begin() { pinned_general_ = pinned_vector_ = 0; }
  /// Control comes from elsewhere, or C++ ran.
  void forget_all();
  /// The slot was written in memory.
  void forget(std::uint32_t slot);

  /// The register that holds the slot.
  x86::Gp in(std::uint32_t slot);
  x86::Xmm in_f32(std::uint32_t slot) { return in_vector(slot, false); }
  x86::Xmm in_f64(std::uint32_t slot) { return in_vector(slot, true); }
  [[nodiscard]] bool in_vector_register(std::uint32_t slot) const { return vector_of_[slot] != kNone; }

  /// A register free until the next instruction.
  x86::Gp out();
  x86::Xmm out_vector();
  /// The same, or the one that holds `left` when the result goes to that very slot and `right` is another.
  x86::Gp out_over(std::uint32_t result, std::uint32_t left, std::uint32_t right);
  x86::Xmm out_vector_over(std::uint32_t result, std::uint32_t left, std::uint32_t right);

  /// The register's value becomes the slot's. An f32's upper half is zero.
  void commit(std::uint32_t slot, x86::Gp value);
  void commit(std::uint32_t slot, x86::Xmm value);

 private:
  static constexpr std::uint8_t kNone = 0xff;
  static constexpr std::uint32_t kNoSlot = 0xffffffff;
  struct Held {
    std::uint32_t slot = kNoSlot;
    std::uint32_t used = 0;  // when
  };

  x86::Xmm in_vector(std::uint32_t slot, bool wide);
  std::uint8_t take_general();
  std::uint8_t take_vector();

  x86::Assembler& a_;
  std::vector<std::uint8_t>&general_of_, &vector_of_;  // by slot
  std::array<Held, 16> general_{}, vector_{};          // by register
  std::uint32_t pinned_general_ = 0, pinned_vector_ = 0;
  std::uint32_t clock_ = 0;
};

}  // namespace cairn::jit
