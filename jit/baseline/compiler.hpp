// The baseline translator: one pass over a function's bytecode, each instruction to its machine code.
//
// Within a block values stay in registers (SlotCache); at every block's start they are in their slots. A guard is a
// conditional jump to a stub at the function's cold end, which names the instruction and the kind of trap and leaves to
// the interpreter: it needs nothing but the slots. Back edges and calls count the thread's fuel, as the interpreter
// does when it is watched. An operation without an inline form calls the engine's definition of it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string>
#include <vector>

#include "jit/baseline/shape.hpp"
#include "jit/baseline/slot_cache.hpp"
#include "jit/code/machine.hpp"
#include "jit/optimizing/plan.hpp"

namespace cairn::jit {

/// A resume point being made: its machine address is known when the code has been placed.
struct PendingPoint {
  asmjit::Label label;
  std::uint32_t word = 0;
  bool loop_start = false;
};

/// What the translation of a function is made with, kept for the next one.
struct BaselineStorage {
  /// Takes an operation back that overwrote its left operand before its guard failed: `id` is the inverse.
  struct Undo {
    asmjit::InstId id = 0;  // 0: none
    x86::Gp reg, right;
    bool is_number = false;
    std::int64_t number = 0;
    bool sign_extend = false;
  };
  struct TrapStub {
    asmjit::Label label;
    std::uint32_t word = 0;
    TrapKind kind{};
    Undo undo;
    std::uint32_t first_store = 0, stores = 0;  // in `pending`: what the trap's words are made of
  };
  enum class Asks : std::uint8_t { Jump, Call, Entry };
  struct RefuelStub {
    asmjit::Label label;
    asmjit::Label go_on;  // at the target, or within the call
    const bytecode::Word* next = nullptr;
    const bytecode::Word* pc = nullptr;
    Asks asks{};
    const Region* region = nullptr;
  };
  /// A way from one region to elsewhere.
  struct CrossingStub {
    asmjit::Label label, to;
    const Region* from = nullptr;
    const Region* into = nullptr;  // its slots are loaded
    std::int64_t word = 0;
  };
  /// A switch's case that goes back: its way there counts.
  struct BackStub {
    asmjit::Label label;
    std::int64_t target = 0;
    std::uint32_t word = 0;
  };
  struct SwitchTable {
    asmjit::Label label;
    std::vector<asmjit::Label> cases;
  };

  std::vector<std::uint8_t> marks;    // by word
  std::vector<asmjit::Label> labels;  // by word, of leaders
  std::vector<TrapStub> traps;
  std::vector<RefuelStub> refuels;
  std::vector<BackStub> backs;
  std::vector<SwitchTable> tables;
  std::vector<PendingPoint> points;
  std::vector<CrossingStub> crossings;
  std::vector<asmjit::Label> entrances;  // by region: the way in, with its checks
  std::vector<PendingStore> pending;
  /// The checks of a loop's version failed: the baseline code goes on.
  struct VersionStub {
    asmjit::Label label;
    std::uint32_t word = 0;
  };
  std::vector<VersionStub> versions;
  /// Which instruction of bytecode the code from `offset` on is of.
  struct CodeLine {
    std::uint32_t offset = 0;
    std::uint32_t word = 0;
  };
  bool wants_lines = false;
  std::vector<CodeLine> lines;  // ascending by offset; only when wanted
  CacheStorage cache;
};

class BaselineCompiler {
 public:
  BaselineCompiler(asmjit::CodeHolder& holder, const bytecode::Module& module, std::uint32_t function,
                   const Engine& engine, BaselineStorage& storage, const Plan* plan = nullptr);

  /// How many resume points the function may need.
  [[nodiscard]] std::size_t point_count() const { return point_count_; }

  /// Translates the function. `points` has room for point_count() entries; their addresses are filled in by who places
  /// the code. `listed` interleaves comments with the bytecode.
  void translate(ResumePoint* points, bool listed);

  [[nodiscard]] const std::vector<PendingPoint>& points() const { return storage_.points; }
  /// False when the plan holds more registers than some instruction leaves: the code is of no use.
  [[nodiscard]] bool had_room() const { return cache_.had_room(); }

 private:
  using Word = bytecode::Word;
  using Op = bytecode::Op;
  using Gp = x86::Gp;
  using Xmm = x86::Xmm;
  using Label = asmjit::Label;

  // ---- the driver (compiler.cpp)
  void find_leaders();
  void prologue();
  void instruction();
  void out_of_line();
  void stubs();
  void note_line(std::uint32_t word) {
    if (storage_.wants_lines) storage_.lines.push_back({static_cast<std::uint32_t>(a_.offset()), word});
  }
  void zero_frame(std::uint32_t offset, std::uint32_t bytes);
  Label trap(TrapKind kind, const BaselineStorage::Undo& undo = {});
  [[nodiscard]] bool is_decided() const {
    if (plan_ != nullptr) return plan_->needs_no_guard[at_] != 0;
    return std::ranges::binary_search(function_.proved, at_);
  }
  void trap_always(TrapKind kind) { a_.jmp(trap(kind)); }
  [[nodiscard]] Label target(std::int64_t word);
  [[nodiscard]] Label edge(std::int64_t word);
  void begin_word();
  void end_instruction();
  void expect_reads();
  void store_for_jump();
  void enter_region(const Region& region);
  void enter_version(const Region& region);
  void check_range(const Region& region, const RangeCheck& check);
  void load_held(const Region& region);
  void store_held(const Region& region, std::span<const std::uint64_t> live);
  const ResumePoint* point(Label label, std::uint32_t word, bool loop_start);
  void load_address(Gp to, const void* address) { a_.mov(to, reinterpret_cast<std::uint64_t>(address)); }

  // ---- operands of the instruction being translated
  [[nodiscard]] std::uint32_t a() const { return bytecode::a_of(pc_[0]); }
  [[nodiscard]] std::uint32_t b() const { return bytecode::b_of(pc_[0]); }
  [[nodiscard]] std::uint32_t c() const { return bytecode::c_of(pc_[0]); }
  [[nodiscard]] std::uint32_t d() const { return bytecode::d_of(pc_[1]); }
  [[nodiscard]] std::uint32_t e() const { return bytecode::e_of(pc_[1]); }
  [[nodiscard]] std::uint32_t m() const { return bytecode::m_of(pc_[1]); }
  [[nodiscard]] std::uint32_t n() const { return bytecode::n_of(pc_[0]); }
  /// The second operand of a binary operation: a register, or a number that an instruction can hold, or one in rcx.
  struct Right {
    bool is_number = false;
    std::int64_t number = 0;
    Gp reg;
  };
  Right right(const Shape& shape);
  [[nodiscard]] std::uint32_t right_slot(const Shape& shape) const;
  Gp in_register(const Right& operand);
  void apply(asmjit::InstId id, const Gp& to, const Right& operand, bool narrow);

  // ---- arithmetic.cpp
  void integer(const Shape& shape);
  void add_or_sub(const Shape& shape);
  void multiply(const Shape& shape);
  void divide(const Shape& shape);
  void negate(const Shape& shape);
  void wrap(const Shape& shape);
  void shift(const Shape& shape);
  void bitwise(const Shape& shape);
  void pick(const Shape& shape);
  void compare(const Shape& shape);
  x86::CondCode integer_comparison(const Shape& shape, std::uint32_t left, const Right& other);

  // ---- floats.cpp
  void floating(const Shape& shape);
  void compare_floats(const Shape& shape);
  bool convert(const Shape& shape);
  void float_from_integer(const Shape& shape);
  void integer_from_float(const Shape& shape);
  void reinterpret();
  [[nodiscard]] Xmm in_float(std::uint32_t slot, bool wide) { return wide ? cache_.in_f64(slot) : cache_.in_f32(slot); }
  void float_constant(Xmm to, double value, bool wide);

  // ---- memory.cpp
  void moves();
  void load(const Shape& shape, std::uint32_t slot, const x86::Mem& from);
  void store(const Shape& shape, std::uint32_t slot, const x86::Mem& to);
  void cell(const Shape& shape);
  void references();
  bool bytes();
  Gp scaled(std::uint32_t index, std::uint64_t stride);

  // ---- vector_loop.cpp
  using VectorRegisters = std::map<std::uint32_t, std::uint32_t>;       // by slot
  using Bases = std::map<std::pair<std::uint32_t, std::uint32_t>, Gp>;  // by view and addend
  Gp value_of(std::uint32_t slot, Gp scratch);
  void tell_views_apart(const Region& region, Label skip);
  void vector_loop(const Region& region);
  void vector_instruction(const Region& region, std::uint32_t word, const VectorRegisters& vectors, const Bases& bases,
                          Gp counter);

  // ---- control.cpp
  void jump_to(std::int64_t word);
  void jump_when(x86::CondCode condition, std::int64_t word);
  void count_back_edge(std::int64_t word);
  void jump_on(const Shape& shape);
  void switch_jump();
  void loop_next();
  void call(bool& done);
  void enter_known(std::uint32_t function, std::uint32_t words);
  void enter_dynamic(std::uint32_t words);
  void check_function(std::uint32_t slot);
  void link(std::int32_t window, std::uint32_t words);
  void leave_frame();

  x86::Assembler a_;
  const bytecode::Module& module_;
  const std::uint32_t index_;
  const bytecode::Function& function_;
  const CodeEntry& entry_;
  const Engine& engine_;
  const bool has_bmi2_, has_sse41_, has_avx512_, has_fma_;
  SlotCache cache_;
  BaselineStorage& storage_;
  const Plan* const plan_;
  const bool counts_;
  const bool counts_entries_;
  const Region* region_ = nullptr;
  SlotSet live_;
  std::vector<std::uint32_t> last_read_;  // by slot, in the block being translated
  Label version_failed_;                  // while a version's checks are made: where they lead
  std::size_t point_count_ = 0;
  ResumePoint* next_point_ = nullptr;

  const Word* pc_ = nullptr;
  std::uint32_t at_ = 0;  // pc_'s word
  Label entered_, leave_, fail_;
};

}  // namespace cairn::jit
