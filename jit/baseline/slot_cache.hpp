// Which machine registers hold the values of which slots, within a block.
//
// Plain: every value that is written is stored to its slot at once, so that a register can be given up, or everything
// forgotten, without a word: exits need nothing saved.
//
// Deferring (the optimizing tier): a value is stored when its register is needed, or where control leaves with it
// alive. Slots that are *held* have a register of their own over a whole loop; their slots are stale meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "jit/code/machine.hpp"

namespace cairn::jit {

/// By slot, the registers that hold it.
struct CacheStorage {
  std::vector<std::uint8_t> general_of, vector_of;
};

/// A slot that has a machine register over a loop.
struct HeldSlot {
  std::uint32_t slot = 0;
  std::uint8_t id = 0;
  bool vector = false;
  bool wide = true;      // of a vector register: an f64
  bool written = false;  // in the loop
};

/// A register whose value the slot lacks.
struct PendingStore {
  std::uint32_t slot = 0;
  std::uint8_t id = 0;
  bool vector = false;
};

class SlotCache {
 public:
  SlotCache(x86::Assembler& assembler, std::uint32_t slots, CacheStorage& storage, bool deferring);

  [[nodiscard]] static x86::Mem at(std::uint32_t slot) {
    return x86::qword_ptr(kBase, static_cast<std::int32_t>(8 * slot));
  }
  static void put(x86::Assembler& assembler, const PendingStore& store);

  /// Starts an instruction: what the last one used may be given to others.
  void begin() { pinned_general_ = pinned_vector_ = 0; }
  /// Control comes from elsewhere, or C++ ran. Held slots stay held.
  void forget_all();
  /// False when some instruction needed more registers than there are.
  [[nodiscard]] bool had_room() const { return had_room_; }

  /// The register that holds the slot.
  x86::Gp in(std::uint32_t slot);
  x86::Xmm in_f32(std::uint32_t slot) { return in_vector(slot, false); }
  x86::Xmm in_f64(std::uint32_t slot) { return in_vector(slot, true); }
  [[nodiscard]] bool in_vector_register(std::uint32_t slot) const { return vector_of_[slot] != kNone; }

  /// A register free until the next instruction.
  x86::Gp out();
  x86::Xmm out_vector();
  /// One for the result of an instruction that has read its operands, or writes in one step: the result's own when it
  /// is held.
  x86::Gp out_for(std::uint32_t result);
  x86::Xmm out_vector_for(std::uint32_t result);
  /// One for an instruction that overwrites its left operand: the very one that holds `left` when the result goes to
  /// that slot and `right` is another. `traps`: the left operand must survive.
  x86::Gp out_over(std::uint32_t result, std::uint32_t left, std::uint32_t right, bool traps = false);
  x86::Xmm out_vector_over(std::uint32_t result, std::uint32_t left, std::uint32_t right);

  /// The register's value becomes the slot's. An f32's upper half is zero.
  void commit(std::uint32_t slot, x86::Gp value);
  void commit(std::uint32_t slot, x86::Xmm value);

  // ---- deferring
  /// While an instruction that ends a block is translated: results are stored at once.
  void store_at_once(bool on) { at_once_ = on; }
  /// Up to where in the block slots are read: what is given up behind its last read is not stored. `last_read` is by
  /// slot, in words; the translation is at `word`.
  void expect_reads(const std::vector<std::uint32_t>& last_read) { last_read_ = &last_read; }
  void go_to(std::uint32_t word) { word_ = word; }
  /// Stores what is pending and `live`, slots as bits; all of it when that is empty.
  void store_pending(std::span<const std::uint64_t> live);
  /// What the slot's value must be stored from before the interpreter looks at it; false: nothing.
  bool pending(std::uint32_t slot, PendingStore& store) const;
  /// From here on these slots are held; their registers hold them already. The span outlives the hold.
  void hold(std::span<const HeldSlot> held);
  void release_held();
  /// Some slot is held in that general register.
  [[nodiscard]] bool holds(std::uint8_t id) const { return general_[id].held; }

 private:
  static constexpr std::uint8_t kNone = 0xff;
  static constexpr std::uint32_t kNoSlot = 0xffffffff;
  struct Content {
    std::uint32_t slot = kNoSlot;
    std::uint32_t used = 0;  // when
    bool dirty = false;      // the slot lacks the value
    bool held = false;
  };

  x86::Xmm in_vector(std::uint32_t slot, bool wide);
  std::uint8_t take_general();
  std::uint8_t take_vector();
  void give_up(std::uint8_t id, bool vector);
  void forget(std::uint32_t slot);
  [[nodiscard]] bool is_held(std::uint32_t slot) const;

  x86::Assembler& a_;
  std::vector<std::uint8_t>&general_of_, &vector_of_;  // by slot
  std::array<Content, 16> general_{}, vector_{};       // by register
  const bool deferring_;
  bool at_once_ = false;
  bool had_room_ = true;
  const std::vector<std::uint32_t>* last_read_ = nullptr;
  std::uint32_t word_ = 0;
  std::uint32_t pinned_general_ = 0, pinned_vector_ = 0;
  std::uint32_t clock_ = 0;
};

/// Registers slots may be held in, best first. rax, rcx and rdx, xmm0 and xmm1 are every instruction's own.
std::span<const std::uint8_t> general_registers();
inline constexpr std::uint8_t kFirstVector = 2, kVectorRegisters = 16;

}  // namespace cairn::jit
