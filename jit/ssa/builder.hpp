// The state of a function being built (build.hpp).
#pragma once

#include <string_view>

#include "jit/optimizing/flow.hpp"
#include "jit/ssa/build.hpp"
#include "runtime/semantics/pair/kernels.hpp"

namespace cairn::jit::ssa {

class PairLimb;

class Builder {
 public:
  Builder(const bytecode::Module& module, std::uint32_t function, const BuildOptions& options);
  /// False when the function is none that can be built.
  bool run();
  Function take() { return std::move(f_); }

 private:
  friend class PairLimb;
  using Word = bytecode::Word;
  using Op = bytecode::Op;

  // ---- variables (build.cpp)
  void find_left();
  void find_known();
  void order_blocks();
  Value read(std::uint32_t slot) { return read_in(slot, at_block_); }
  Value read_in(std::uint32_t slot, BlockId block);
  void define(std::uint32_t slot, Value value);
  Value new_phi(std::uint32_t slot, BlockId block);
  void fill_phi(Value phi, std::uint32_t slot);
  void fill_pending();
  void seal(BlockId block);
  Value undefined_before_end(Kind kind);
  [[nodiscard]] bool is_undefined(Value value) const;
  bool is_part_undefined(Value value);
  void poll_back_edges();
  Value resolve(Value value);
  Value undefined(Kind kind);
  void finish();
  [[nodiscard]] Kind kind_of(std::uint32_t slot) const;
  Value& variable(std::uint32_t slot, BlockId block) { return variables_[std::size_t{block} * slots_ + slot]; }

  // ---- making instructions
  Value add(Instruction instruction);
  Value add_checked(Instruction instruction);
  Value constant(Kind kind, std::uint64_t bits);
  Value as(Kind kind, Value value);
  Value integer(std::uint32_t slot) { return as(Kind::U64, read(slot)); }
  Value binary(Opcode op, Kind kind, Value a, Value b, Mode mode);
  Value frame_address(std::uint64_t offset, std::int64_t& rest);
  void guard(TrapKind trap, Relation relation, Value a, Value b);
  void told_uses();  // collects what a trap of the instruction at pc_ tells
  void lane_uses();  // and where a lane or a kernel's thread is
  void live_uses(std::uint32_t word);

  // ---- instructions (lower.cpp, lower_calls.cpp, lower_pairs.cpp)
  void block(std::uint32_t flow_block);
  bool instruction();
  void arithmetic(const Shape& shape);
  void floating(const Shape& shape);
  void convert(const Shape& shape);
  void memory(const Shape& shape);
  void references();
  void moves();
  void call();
  void results(Value call, const bytecode::Signature& signature, std::uint32_t window);
  void step();
  bool pair_operation(std::string_view native, const bytecode::Signature& signature, std::uint32_t window);
  semantics::pair::Pair<PairLimb> pair_function(Kind kind, std::uint32_t index, std::uint32_t operands,
                                                const semantics::pair::Pair<PairLimb>& x,
                                                const semantics::pair::Pair<PairLimb>& y);
  void end_block(std::uint32_t flow_block);
  void end(Instruction instruction, std::vector<BlockId> successors);
  [[nodiscard]] Instruction condition(const Shape& shape);
  void guard_entry();
  void leave_by(const Shape& shape);
  Value load(Kind kind, Value base, Value index, std::uint32_t scale, std::int64_t offset);
  void store(Kind kind, Value base, Value index, std::uint32_t scale, std::int64_t offset, Value value);

  [[nodiscard]] std::uint32_t a() const { return bytecode::a_of(pc_[0]); }
  [[nodiscard]] std::uint32_t b() const { return bytecode::b_of(pc_[0]); }
  [[nodiscard]] std::uint32_t c() const { return bytecode::c_of(pc_[0]); }
  [[nodiscard]] std::uint32_t d() const { return bytecode::d_of(pc_[1]); }
  [[nodiscard]] std::uint32_t e() const { return bytecode::e_of(pc_[1]); }
  [[nodiscard]] std::uint32_t m() const { return bytecode::m_of(pc_[1]); }
  [[nodiscard]] std::uint32_t n() const { return bytecode::n_of(pc_[0]); }

  const bytecode::Module& module_;
  const bytecode::Function& source_;
  const BuildOptions options_;
  const Flow flow_;
  Function f_;
  const std::uint32_t slots_;
  const bool tells_lane_;
  std::vector<BlockId> block_of_;             // by block of the flow
  std::vector<std::uint8_t> is_left_;         // by block of the flow: a loop's start that is gone on at by other code
  std::vector<std::optional<Word>> known_;    // by slot: the number it holds where the frame is taken up
  std::vector<std::uint32_t> flow_order_;     // reachable ones, in the order they are built
  std::vector<Value> variables_;              // by block and slot: the value at its end so far
  std::vector<Value> forward_;                // by value: what a phi that is none stands for
  std::vector<std::uint32_t> open_;           // by block: predecessors still to be built
  std::vector<std::vector<Use>> incomplete_;  // by block: slots and their phis
  std::vector<Use> pending_;                  // phis to be filled
  std::vector<Value> missing_;                // phis of floats that take what is undefined
  std::vector<Use> list_;
  Value undefined_[3] = {};  // of integers, f32, f64
  BlockId at_block_ = 0;
  std::uint32_t at_ = 0;
  const Word* pc_ = nullptr;
  bool filling_ = false;
  bool failed_ = false;
};

}  // namespace cairn::jit::ssa
