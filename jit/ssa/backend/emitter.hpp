// Machine code of a function whose values have their places. Hot code in the order of the blocks; behind it the stubs
// of failed guards and of what is rare.
//
// Entered with arguments in registers (`fast`), or with the frame as the interpreter has it (`entry`): then the
// arguments are loaded. Results go back in registers to a caller of this tier, whose return point says so
// (kFastReturn); to any other they are stored, and the frame is left as the interpreter leaves it.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "jit/code/machine.hpp"
#include "jit/ssa/backend/resolution.hpp"

namespace cairn::jit::ssa {

/// A return point to be: its addresses are known when the code has been placed.
struct ReturnPoint {
  asmjit::Label address, fast;
  bool is_fast = false;
  const bytecode::Word* pc = nullptr;
  std::vector<InlinedCall> inlined;
};

/// A callee that takes arguments in registers: what stores them and goes to code of any tier.
struct ArgumentStub {
  std::uint32_t function = 0;
  asmjit::Label label;
};

/// Where in the code an instruction of bytecode begins.
struct CodeLine {
  std::uint32_t offset = 0, function = 0, word = 0;
};

/// Where in the code the instructions of other functions begin: those taken in, the innermost first.
struct CodeFrame {
  std::uint32_t offset = 0;
  std::vector<std::uint32_t> inlined;
};

struct EmitOptions {
  bool listed = false;
  bool wants_lines = false;
  const std::atomic<bool>* given_up = nullptr;  // set by another thread: no code is needed any more
  /// The machine code of the baseline at that word of the function, or null.
  std::function<const void*(std::uint32_t function, std::uint32_t word)> baseline_at;
  /// Whether the function's arguments go to registers by a stub that is made already.
  std::function<bool(std::uint32_t function)> has_argument_stub;
};

/// How vcmpps and vcmppd ask for the relation: quietly; a NaN is unequal and in no order.
[[nodiscard]] constexpr std::uint8_t float_predicate(Relation relation) {
  constexpr std::uint8_t kPredicates[] = {0x00, 0x04, 0x11, 0x12, 0x1e, 0x1d, 0x15, 0x16};
  return kPredicates[static_cast<std::size_t>(relation)];
}

/// The register with as many bytes as a vector has: 16, 32 or 64.
[[nodiscard]] inline x86::Vec sized(const x86::Vec& reg, std::uint32_t bytes) {
  return bytes == 64   ? x86::Vec(x86::zmm(reg.id()))
         : bytes == 32 ? x86::Vec(x86::ymm(reg.id()))
                       : x86::Vec(x86::xmm(reg.id()));
}

class Emitter {
 public:
  Emitter(asmjit::CodeHolder& holder, const Function& f, const Target& target, const Nodes& nodes,
          const Intervals& intervals, const Homes& homes, const Moves& moves, EmitOptions options);

  /// `points` has room for as many as there are calls; their addresses are filled in by who places the code.
  bool emit(ResumePoint* points);

  [[nodiscard]] asmjit::Label entry() const { return entry_; }
  [[nodiscard]] asmjit::Label fast() const { return fast_; }
  [[nodiscard]] std::deque<ReturnPoint>& points() { return points_; }
  /// Ascending words of the function itself that may trap.
  [[nodiscard]] const std::vector<std::uint32_t>& guarded_words() const { return guarded_words_; }
  [[nodiscard]] const std::vector<CodeLine>& lines() const { return lines_; }
  /// Ascending; what stands before the first is the function's own.
  [[nodiscard]] const std::vector<CodeFrame>& code_frames() const { return code_frames_; }
  [[nodiscard]] const std::vector<ArgumentStub>& argument_stubs() const { return argument_stubs_; }

 private:
  using Gp = x86::Gp;
  using Vec = x86::Xmm;
  using Label = asmjit::Label;
  using Code = x86::CondCode;

  // ---- the driver and the operands of the node being made (emitter.cpp)
  void entries();
  void find_guarded();
  void find_forwards();
  void find_early_moves();
  [[nodiscard]] bool may_move_early(std::uint32_t b, std::uint32_t edge) const;
  void prologue();
  void zero_frame();
  void arguments_to_frame(std::uint32_t function);
  bool block(std::uint32_t b);
  bool node(std::uint32_t k);
  void fixed_inputs();
  [[nodiscard]] const Input& input(std::uint32_t k) const { return n_.inputs[node_->first_input + k]; }
  [[nodiscard]] Location where(std::uint32_t k) const;
  [[nodiscard]] bool is_number(std::uint32_t k) const { return input(k).needs == Input::Needs::Nothing; }
  [[nodiscard]] std::int64_t number(std::uint32_t k) const { return f_.at(input(k).value).immediate; }
  [[nodiscard]] Gp gp(std::uint32_t k) const;
  [[nodiscard]] Vec vec(std::uint32_t k) const;
  [[nodiscard]] Reg out_reg() const;
  [[nodiscard]] Gp out() const { return x86::gpq(out_reg()); }
  [[nodiscard]] Vec out_vec() const { return x86::xmm(out_reg() - kFirstVector); }
  [[nodiscard]] bool is_needed() const;
  [[nodiscard]] Reg temporary(std::uint32_t k) const;
  [[nodiscard]] Gp temp(std::uint32_t k) const { return x86::gpq(temporary(k)); }
  [[nodiscard]] Vec temp_vec(std::uint32_t k) const { return x86::xmm(temporary(k) - kFirstVector); }
  /// A register or memory of that many bytes.
  [[nodiscard]] asmjit::Operand operand(std::uint32_t k, std::uint32_t bytes);
  [[nodiscard]] bool is_dirty(std::uint32_t k) const { return n_.is_dirty[input(k).value] != 0; }
  /// The operand, its 64 bits in order.
  Gp whole(std::uint32_t k);
  void clean(std::uint32_t k);

  // ---- moves (emit_moves.cpp)
  void move_all(std::span<const Move> moves);
  void move(const Move& move);
  void put_number(Value value, const Location& to);
  void store_uses(const Instruction& i, Reg undone = kNoReg);
  [[nodiscard]] x86::Mem memory(const Location& location, std::uint32_t bytes = 8) const;
  [[nodiscard]] x86::Mem slot(std::uint32_t slot) const {
    return x86::qword_ptr(kBase, static_cast<std::int32_t>(8 * slot));
  }
  Label constant(std::uint64_t low, std::uint64_t high);

  // ---- stubs (emit_stubs.cpp)
  struct Exit {
    enum class Kind : std::uint8_t { Trap, Poll, CallPoll, SlowReturn } kind{};
    Label label, back;
    std::uint32_t node = 0;
    TrapKind trap{};
    asmjit::InstId undo = 0;  // takes the operation back
    bool undo_narrow = false;
    bool stored = false;  // the uses are stored already
  };
  Label trap(TrapKind kind, asmjit::InstId undo = 0, bool narrow = false, bool stored = false);
  void stubs();
  void note_frame(std::uint32_t frame);
  void trap_stub(const Exit& exit);
  void poll_stub(const Exit& exit);
  void slow_return();
  void call_poll_stub(const Exit& exit);
  void returned_stub(const Exit& exit);
  void count(Exit::Kind kind);
  [[nodiscard]] Label ask(const Instruction& i, const x86::Mem& refuel);
  void write_links(std::uint32_t frame);
  void leave_with_frame(std::uint32_t frame);
  void load_address(Gp to, const void* address) { a_.mov(to, reinterpret_cast<std::uint64_t>(address)); }
  void argument_stub(const ArgumentStub& stub);

  // ---- emit_integer.cpp
  bool integer(const Instruction& i);
  void add_or_sub(const Instruction& i);
  void multiply(const Instruction& i);
  void divide(const Instruction& i);
  void negate(const Instruction& i);
  void shift(const Instruction& i);
  void pick(const Instruction& i);
  void tiny_overflow(const Instruction& i, asmjit::InstId undo);
  void convert_integer(const Instruction& i);
  /// Compares; the condition under which the relation holds.
  Code compare(const Instruction& i);
  void compare_to_bool(const Instruction& i);
  void select(const Instruction& i);

  // ---- emit_float.cpp
  void floating(const Instruction& i);
  void order_floats(Kind kind, Relation relation);
  void compare_floats(Kind kind, Relation relation);
  void jump_floats(Kind kind, Relation relation, Label yes, Label no, bool falls_to_no);
  void convert_float(const Instruction& i);
  void integer_from_float(const Instruction& i);
  void float_from_integer(const Instruction& i);
  void bits(const Instruction& i);

  // ---- emit_memory.cpp
  [[nodiscard]] x86::Mem address(const Instruction& i, std::uint32_t& next);
  void load(const Instruction& i);
  void store(const Instruction& i);
  void address_of(const Instruction& i);
  void copy(const Instruction& i);

  // ---- emit_repeats.cpp
  void find_repeats();
  bool find_repeat(std::uint32_t b, std::uint32_t room, std::vector<std::uint32_t>& chain) const;
  void repeat(const std::vector<std::uint32_t>& chain);

  // ---- emit_control.cpp
  void branch(const Instruction& i, bool is_guard);
  void branch_floats(const Instruction& i, Label yes, Label no, bool falls_to_yes);
  void jump(std::uint32_t successor);
  void switch_jump();
  void call(const Instruction& i);
  void step(const Instruction& i);
  void pair_function(const Instruction& i);
  void give_back();
  void exit(const Instruction& i);
  void leave(const Instruction& i);
  [[nodiscard]] Label target(std::uint32_t successor) const;
  [[nodiscard]] bool falls_into(std::uint32_t successor) const;

  // ---- emit_vector.cpp
  bool vector(const Instruction& i);
  void lane_mask(const Instruction& i);
  void lane(const Instruction& i);

  // ---- emit_lanes.cpp
  x86::Vec on_lanes(std::uint64_t pattern, std::uint32_t bytes);
  void vector_steps(const Instruction& i);
  void floats_of_longs(const Instruction& i, const x86::Vec& to, const x86::Vec& scratch, const x86::Vec& a);
  void floats_of_words(const Instruction& i, const x86::Vec& to, const x86::Vec& scratch, const x86::Vec& a);
  void mask_of_lanes(const Instruction& i);
  void compress(const Instruction& i, const x86::Vec& to, const x86::Vec& from, const Gp& kept);
  void store_some(const Instruction& i, const x86::Mem& at, const x86::Vec& from, const Gp& count);

  x86::Assembler a_;
  const Function& f_;
  const Target& target_;
  const bytecode::Module& module_;
  const Engine& engine_;
  const Nodes& n_;
  const Intervals& i_;
  const Homes& homes_;
  const Moves& moves_;
  const EmitOptions options_;
  const CodeEntry& code_entry_;

  Label entry_, fast_, leave_, fail_, slow_return_, frame_full_, stack_full_;
  std::vector<Label> labels_;           // by block
  std::vector<std::uint32_t> forward_;  // by block: where a jump to it goes
  std::vector<std::uint32_t> early_;    // by block: the edge whose moves are made before its branch, or kNone
  std::vector<std::vector<std::uint32_t>> repeats_;  // by block: what stands in place of a jump to it, or nothing
  std::vector<Exit> exits_;
  struct Constant {
    std::uint64_t low, high;
    Label label;
  };
  std::vector<Constant> constants_;
  struct SwitchTable {
    Label label;
    std::vector<Label> cases;
  };
  std::vector<SwitchTable> tables_;
  std::deque<ReturnPoint> points_;
  std::vector<ArgumentStub> argument_stubs_;
  std::vector<CodeLine> lines_;
  std::vector<CodeFrame> code_frames_;
  std::uint32_t noted_frame_ = 0;
  std::vector<std::uint32_t> guarded_words_;
  ResumePoint* next_point_ = nullptr;
  bool uses_slow_return_ = false, uses_wide_vectors_ = false;
  std::int64_t stack_needed_ = 0;  // of a StackGuard
  std::uint32_t stack_word_ = 0;

  const Node* node_ = nullptr;
  std::uint32_t at_ = 0;        // node_'s index
  std::uint32_t block_ = 0;     // and its block
  std::uint32_t next_ = kNone;  // the block whose code stands behind that block's
  bool is_repeating_ = false;
  bool is_fine_ = true;  // every node had a form
};

/// The bits of ResumePoint::op beside the operation: results come back in registers.
inline constexpr std::uint64_t kFastReturn = 1U << 16;

}  // namespace cairn::jit::ssa
