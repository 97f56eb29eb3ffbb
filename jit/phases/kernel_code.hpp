// The machine code of a kernel's blocks (jit.hpp, KernelCode) being made.
#pragma once

#include <asmjit/x86.h>

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "jit/jit.hpp"
#include "jit/phases/graph.hpp"

namespace cairn::jit::phases {

namespace x86 = asmjit::x86;

inline constexpr std::int32_t kThreadAt = 8;  // in a group's frame: the number of its first thread

#define BLOCK_FIELD(member) x86::qword_ptr(block_, static_cast<std::int32_t>(offsetof(KernelBlock, member)))

/// Translates one kernel. Its code runs a whole block: group after group up to the next barrier, then the first again.
/// Of a device lane it runs groups of indices, each to its end.
class Emitter {
 public:
  Emitter(asmjit::CodeHolder& holder, const Graph& graph, const bytecode::Function& function, KernelExchange exchange);

  /// False when some instruction has no form here.
  bool emit();

  KernelLayout layout;

  /// The instruction that has no form here, after emit() failed.
  [[nodiscard]] const Instruction* untranslated() const { return at_; }

 private:
  using Gp = x86::Gp;
  using Vec = x86::Vec;
  using K = x86::KReg;
  using Label = asmjit::Label;

  /// Where a value is while its group runs.
  struct Home {
    Gp gp;
    Vec vec;
  };
  struct Cold {
    Label label;
    std::uint32_t site = 0;
    std::vector<ValueId> saved;
    K mask;
    bool masked = false;
  };
  struct Move {
    ValueId to = kNone, from = kNone;
    K mask;
    bool masked = false;
  };

  // ---- the frame of the code (emitter.cpp)
  void prologue();
  void phased_prologue();
  void lane_prologue();
  void enter(std::uint32_t slot, const x86::Mem& from);
  void enter_threads(std::uint32_t slot);
  [[nodiscard]] bool is_hoisted(const Instruction& each) const;
  void node(NodeId k, bool is_masked);
  void end_of(NodeId k, const Instruction& last);
  void branch(NodeId k, const Instruction& last);
  std::optional<std::size_t> jump_together(const Instruction& last, const Label& all, const Label& none,
                                           const Label& rest);
  [[nodiscard]] bool stands_for_rest(NodeId from, NodeId to) const;
  void go(NodeId from, NodeId to, bool falls);
  [[nodiscard]] Label label_of(NodeId k) const { return has_mask_ ? masked_labels_[k] : labels_[k]; }
  void dispatch(NodeId from);
  void add_moves(NodeId from, NodeId to, std::vector<Move>& moves, const K* mask);
  void make_moves(std::vector<Move>& moves);
  void wait(NodeId k, const Instruction& last);
  void arrive(std::int32_t state);
  void resume(NodeId k, std::uint32_t sync);
  void spill(const std::vector<ValueId>& ids);
  void exchange_trapped();
  void cold_ends();
  Label leave();
  std::vector<KernelValue> places(const std::vector<ValueId>& state, const std::vector<std::uint64_t>& live,
                                  bool waits);
  void save(ValueId id, const x86::Mem& to);
  std::uint32_t group_home(ValueId id);
  std::uint32_t block_home(ValueId id);
  [[nodiscard]] bool is_of_block(ValueId id) const { return layout.is_phased && value(id).of_block; }
  [[nodiscard]] bool is_thread(ValueId id) const {
    return layout.is_phased && id != kNone && id == graph_.nodes[0].in[1];
  }
  std::uint32_t spill_home(ValueId id);
  [[nodiscard]] bool is_invariant(ValueId id) const { return invariant_[id]; }
  [[nodiscard]] bool needs_home(ValueId id) const;
  void find_invariants();

  // ---- values
  [[nodiscard]] const Value& value(ValueId id) const { return graph_.values[id]; }
  void move_masked(const K& mask, const Vec& to, const Vec& from, Type type);
  Gp gp(ValueId id);
  Vec vec(ValueId id);
  Vec fresh_vec(Type type);
  Gp fresh_gp() { return cc_.newInt64(); }
  /// The value is what was made; a register it has already, of uses translated before, gets it.
  void define(ValueId id, const Gp& made);
  void define(ValueId id, const Vec& made);
  Vec constant_vec(std::uint64_t bits, Type type);
  x86::Mem constants(std::uint64_t first, std::uint64_t step);
  Vec broadcast(const Gp& from);
  /// The compiler, with the node's mask on the next instruction when there is one.
  x86::Compiler& masked() { return has_mask_ ? static_cast<x86::Compiler&>(cc_.k(mask_)) : cc_; }
  x86::Compiler& zeroed() { return has_mask_ ? static_cast<x86::Compiler&>(cc_.k(mask_).z()) : cc_; }
  K active();
  void leave_if_any(const K& bad);
  /// Leaves where a lane, computed in 64 bits, is no number of the kind, which is narrower.
  void leave_unless_fits(const Vec& lanes, Kind kind);
  void refuse() { failed_ = true; }

  // ---- instructions (instructions.cpp, integers.cpp, floats.cpp, comparisons.cpp)
  void instruction(const Instruction& each);
  bool reuse(const Instruction& each);
  void integer(const Instruction& each);
  void uniform_integer(const Instruction& each);
  void linear_integer(const Instruction& each);
  void varying_integer(const Instruction& each);
  void uniform_division(const Instruction& each, const Gp& l);
  void varying_division(const Instruction& each);
  void leave_unless_half(const Vec& words);
  void shift(const Instruction& each);
  void check_uniform(const Instruction& each, const Gp& result);
  void check_top(const Gp& start, std::uint64_t stride, std::uint64_t greatest);
  void floating(const Instruction& each);
  void compare(const Instruction& each);
  void select(const Instruction& each);
  void convert(const Instruction& each);
  void bits(const Instruction& each);
  K relation(const Instruction& each, bool jump);
  x86::CondCode uniform_relation(const Instruction& each, bool jump);
  [[nodiscard]] bool is_float_relation(const Instruction& each) const;
  Gp right_gp(const Instruction& each);
  Vec right_vec(const Instruction& each);
  [[nodiscard]] std::uint64_t right_high(const Instruction& each) const;
  [[nodiscard]] std::uint64_t right_low(const Instruction& each) const;
  [[nodiscard]] bool right_constant(const Instruction& each, std::uint64_t& number) const;

  // ---- memory (accesses.cpp)
  void load(const Instruction& each);
  void load_at(const Instruction& each);
  void store_at(const Instruction& each);
  void guard_bounds(const Instruction& each, ValueId view_length, ValueId index);
  x86::Mem element(const Gp& base, ValueId index, std::uint32_t scale);
  x86::Mem spread(const Gp& base, ValueId index, std::uint32_t size, bool own);
  void load_from(const Instruction& each, const Gp& base, ValueId index, bool own);
  void store_to(const Instruction& each, const Gp& base, ValueId index, ValueId stored, bool own);
  void frame_zero(const Instruction& each);
  void part(const Instruction& each);
  Gp own_memory(std::uint64_t offset);

  x86::Compiler cc_;
  const Graph& graph_;
  const bytecode::Function& function_;
  const KernelExchange exchange_;
  bool failed_ = false;

  Gp block_, frame_, group_, masks_;
  std::vector<Home> homes_;
  std::vector<bool> invariant_;
  std::vector<Label> labels_, masked_labels_;
  std::vector<std::pair<NodeId, Label>> resumes_;  // by sync point
  std::map<ValueId, std::uint32_t> group_homes_, block_homes_, spill_homes_;
  std::vector<Cold> colds_;
  Label enter_, advance_, again_, trapped_;
  std::vector<Label> renewals_;  // by sync point of a phased kernel: all groups have come to it

  // ---- of the node being translated
  NodeId node_ = 0;
  bool has_mask_ = false;
  K mask_;
  std::vector<ValueId> state_;
  const std::vector<std::uint64_t>* live_ = nullptr;
  const Instruction* at_ = nullptr;
  Label leave_;
  bool has_leave_ = false;
  std::map<ValueId, Vec> vectors_;                 // of uniform and linear values
  std::set<std::pair<ValueId, ValueId>> guarded_;  // lengths, and indices that are below them
  std::map<std::tuple<Op, ValueId, ValueId, ValueId, std::uint64_t>, ValueId> made_;
};

}  // namespace cairn::jit::phases
