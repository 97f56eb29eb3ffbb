// One function's form worked off block by block: the encoder's own.
#pragma once

#include <array>

#include "vm/verify/ssa/encoder.hpp"

namespace cairn::verify {

class SsaEncoder::Run {
 public:
  /// `frame`: of SsaEncoder's table, 0 the function itself. `slots`: what it finds in its frame, where that is not what
  /// the function's parameters are. `is_own`: its returns are the encoder's ends. `is_rest`: control left to it.
  Run(SsaEncoder& encoder, const jit::ssa::Function& function, std::uint32_t frame, std::vector<SsaValue> slots,
      bool is_own, bool is_rest = false);

  struct Returned {
    SsaState state;
    std::array<SsaValue, 2> values;
  };
  /// What is behind its returns, when they are not the encoder's ends; nothing when it does not return.
  std::optional<Returned> go(SsaState start);

 private:
  using Instruction = jit::ssa::Instruction;
  using Position = std::vector<std::uint32_t>;  // number of the header and turn of every loop around, then the block's

  [[nodiscard]] std::vector<std::uint32_t> loops_around(jit::ssa::BlockId block) const;
  void take(jit::ssa::BlockId to, Term condition);
  void block(jit::ssa::BlockId block);
  void instruction(jit::ssa::Value value);
  void scalar(jit::ssa::Value value, const Instruction& i);
  void vector(jit::ssa::Value value, const Instruction& i);
  void kept(jit::ssa::Value value, const Instruction& i);
  Term is_bit_set(Term of, std::uint32_t k);
  Term lane_of(const Instruction& i, std::uint32_t k);
  Term address_of(const Instruction& i, std::uint32_t& unit);
  void access(jit::ssa::Value value, const Instruction& i);
  void call(jit::ssa::Value value, const Instruction& i);
  bool follow(const Instruction& i);
  void leak_operands(const Instruction& i);
  void leak_computed(const Instruction& i);
  void ends(const Instruction& i);
  void fail(const Instruction& i, Term failed, TrapKind trap);
  void leave(const Instruction& i, SsaState state);
  void give_back(const Instruction& i);
  /// What an operation that fails where `fails` holds means by its mode.
  void judge(const Instruction& i, Term fails, TrapKind trap);

  [[nodiscard]] std::uint32_t frame_of(const Instruction& i) const { return frame_ != 0 ? frame_ : i.frame; }
  [[nodiscard]] Place object_of(const Instruction& i, std::uint64_t offset) const {
    return {Place::Kind::Object, std::uint64_t{frame_of(i)} << 32 | offset};
  }
  static bool is_object_of(const Place& place, std::uint32_t frame) {
    return place.kind == Place::Kind::Object && place.id >> 32 == frame;
  }
  [[nodiscard]] std::uint32_t slot_base() const { return encoder_.frames_[frame_].base; }
  [[nodiscard]] const bytecode::Function& source_of(const Instruction& i) const {
    return encoder_.module_.functions[encoder_.frames_[frame_of(i)].function];
  }
  SsaValue& at(jit::ssa::Value value) { return state_.values[value]; }
  Term bits(jit::ssa::Value value);
  Term lane(jit::ssa::Value value, std::uint32_t k);
  /// A slot, which leads where `like` does.
  void set(jit::ssa::Value value, Term bits, const SsaValue& like = {}) {
    state_.values[value] = {bits, like.place, like.ways, like.unit, nullptr};
  }

  SsaEncoder& encoder_;
  Terms& terms_;
  jit::ssa::Function f_;
  const std::uint32_t frame_;
  const std::vector<SsaValue> slots_;
  const bool is_own_;
  const bool is_rest_;
  const jit::ssa::Dominators dominators_;
  const jit::ssa::Loops loops_;
  std::vector<std::uint32_t> number_;  // by block: in the order of the dominators
  std::map<Position, SsaState> open_;
  std::optional<Returned> returned_;
  std::array<SsaValue, 2> results_;                // of the call that was followed last
  jit::ssa::Value followed_ = jit::ssa::kNoValue;  // that call
  SsaState state_;
  Position here_;
  jit::ssa::BlockId block_ = 0;
};

}  // namespace cairn::verify
