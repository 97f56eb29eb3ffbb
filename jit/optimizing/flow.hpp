// A function's blocks, and which slots are alive where: over bytecode, which has no other form here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vm/bytecode/module.hpp"

namespace cairn::jit {

/// Calls visit(slot, reads, writes) for each slot the instruction at `code` names. Windows are read up to slot `slots`.
template <class Visit>
void each_slot(const bytecode::Word* code, std::uint32_t slots, Visit visit);

/// The slot behind the last one that the instruction at `code` may read of its window; `slots` where that is not known.
[[nodiscard]] std::uint32_t window_end(const bytecode::Module& module, const bytecode::Word* code, std::uint32_t slots);

/// Whether the register operand has two slots.
[[nodiscard]] bool is_pair(const bytecode::OperationInfo& row, const bytecode::Operand& operand);

/// Slots as bits.
using SlotSet = std::vector<std::uint64_t>;
inline bool contains(std::span<const std::uint64_t> set, std::uint32_t slot) {
  return (set[slot / 64] >> (slot % 64) & 1) != 0;
}

struct Block {
  std::uint32_t begin = 0, end = 0;  // words
  std::vector<std::uint32_t> next;   // blocks; the one control falls into first, when it does
  bool falls = false;                // next[0] is the block behind
};

class Flow {
 public:
  /// Without the function's module a call is taken to read all slots from its window on.
  explicit Flow(const bytecode::Function& function, const bytecode::Module* module = nullptr);

  [[nodiscard]] std::span<const Block> blocks() const { return blocks_; }
  /// The block that begins at the word.
  [[nodiscard]] std::uint32_t block_at(std::uint32_t word) const { return block_at_[word]; }
  /// Slots whose values are read on some way from the block's start. The word begins a block.
  [[nodiscard]] std::span<const std::uint64_t> live_at(std::uint32_t word) const {
    return {live_.data() + block_at_[word] * words_, words_};
  }
  [[nodiscard]] std::size_t set_words() const { return words_; }

 private:
  void find_blocks();
  void find_live();

  const bytecode::Function& function_;
  const bytecode::Module* module_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> block_at_;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> live_;
};

/// Calls visit(target word) for each target of the jump at `code`, which stands at `word`.
template <class Visit>
void each_target(const bytecode::Word* code, std::uint32_t word, Visit visit) {
  using bytecode::Op;
  const Op op = bytecode::op_of(code[0]);
  if (op < Op::Jump || op > Op::JumpNotLeF64) return;
  if (op == Op::Switch) {
    const std::uint32_t count = bytecode::n_of(code[0]);
    for (std::uint32_t k = 0; k < count; ++k) {
      visit(word + static_cast<std::int64_t>(static_cast<std::int32_t>(code[1 + k / 2] >> (k % 2 * 32))));
    }
  } else if (op <= Op::JumpIfNot) {
    visit(word + static_cast<std::int64_t>(static_cast<std::int32_t>(bytecode::n_of(code[0]))));
  } else {
    visit(word + std::int64_t{bytecode::t_of(code[1])});
  }
}

template <class Visit>
void each_slot(const bytecode::Word* code, std::uint32_t slots, Visit visit) {
  using bytecode::Op;
  using bytecode::Role;
  const bytecode::OperationInfo& row = bytecode::info(bytecode::op_of(code[0]));
  for (const bytecode::Operand& operand : row.all()) {
    if (!operand.is_register()) continue;
    const auto slot = static_cast<std::uint32_t>(bytecode::operand_bits(code, operand.place));
    if (operand.role == Role::Window) {
      for (std::uint32_t k = slot; k < slots; ++k) visit(k, true, false);
      continue;
    }
    const bool reads = operand.role != Role::Write;
    const bool writes = operand.role != Role::Read;
    visit(slot, reads, writes);
    if (is_pair(row, operand)) visit(slot + 1, reads, writes);
  }
  const Op op = bytecode::op_of(code[0]);
  if (op == Op::Print || op == Op::Format) {
    for (std::uint32_t k = 0; k < bytecode::list_items(code); ++k) {
      const auto item = static_cast<std::uint32_t>(code[row.words + k / 2] >> (k % 2 * 32));
      visit(item >> 16, true, false);
      if ((item & 0xffff) == static_cast<std::uint32_t>(bytecode::PrintAs::Bytes)) visit((item >> 16) + 1, true, false);
    }
  }
}

}  // namespace cairn::jit
