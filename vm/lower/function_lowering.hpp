// Lowers one function, closure or lane body. Code is made in the order of evaluation (syntax and values, 1.11.9),
// towards a destination where there is one, so that most values are computed where they are needed.
//
// Values. `value` gives an expression of one or two slots in registers: in `into` when that is given, else wherever it
// already is (a local's own register) or in a temporary. `build` makes a record, sum or array at a place nobody reads
// yet.
//
// Temporaries. `mark` and `release` bracket the use of what an expression needed: registers, objects of the frame's
// memory, outgoing slots, and owners to drop. Releasing writes no register, so operands stay readable up to the
// instruction that follows.
//
// Owners. Every owner in scope has an entry in `cleanups_`, in order of declaration and interleaved with the defers; an
// entry knows whether the owner still holds its value here (Life). Where paths that disagree meet, a moved owner has
// been zeroed and is dropped all the same: the zero of every owner is nothing to drop.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/check/assembly.hpp"
#include "frontend/check/program.hpp"
#include "vm/bytecode/builder.hpp"
#include "vm/foreign/assembly_symbol.hpp"
#include "vm/lower/local_uses.hpp"
#include "vm/lower/module_lowering.hpp"
#include "vm/lower/operation_choice.hpp"
#include "vm/lower/types.hpp"

namespace cairn::checked {
struct FragmentExpr;
}

namespace cairn::lower {

using bytecode::Label;
using bytecode::Op;
using bytecode::Register;
using bytecode::RegisterType;

/// Where a value is or goes.
struct Place {
  enum class Kind : std::uint8_t {
    Register,   // in `reg` (and the slot after it)
    Frame,      // at `offset` of the frame's memory
    Reference,  // at `offset` from what `reg` refers to
    Element,    // element `index` of view or buf `reg`; of one or two slots, not guarded yet
  };
  Kind kind = Kind::Register;
  bool writable = true;        // Reference, Element: may be written through
  const Type* type = nullptr;  // of the value there
  Register reg;
  Register index;
  bool proved = false;  // Element: its guard cannot fail
  std::uint64_t offset = 0;
  const Type* referent = nullptr;  // Reference: the type of the whole that `reg` refers to
};

inline constexpr RegisterType kIndexRegister{bytecode::RegisterKind::U64, false, bytecode::kNone};

/// A fold as operations carry it: kind + 256 * scalar.
[[nodiscard]] std::uint64_t fold_of(syntax::Reducer reducer, bytecode::RegisterKind kind);

/// Whether an owner holds its value on the path being lowered.
enum class Life : std::uint8_t { Live, Dead, Maybe };

class FunctionLowering {
 public:
  FunctionLowering(ModuleLowering& module, const checked::Function& function, std::uint32_t index);
  void run();

 private:
  using Expr = checked::Expr;
  using Local = checked::Local;

  // --- function_lowering.cpp: entry, statements' frame, shared services
  void trap_when_called();
  void bind_parameters();
  Place received(const Local& local, Register reg, bool by_reference);
  static Place copied(const Local& local, Register reg, bool embedded);
  void bind_captures();
  void use_view_lengths();
  void fail(Position position, std::string why) { module_.fail(position, std::move(why)); }
  void at(Position position) { f_.at(module_.position(position)); }
  template <class... Arguments>
  void emit(Position position, Op op, Arguments... arguments) {
    at(position);
    f_.emit(op, arguments...);
  }
  /// An instruction with a guard; `proved`: it cannot fail.
  template <class... Arguments>
  void emit_guarded(bool proved, Position position, Op op, Arguments... arguments) {
    emit(position, op, arguments...);
    if (proved) f_.mark_proved();
  }
  void constant(Register to, std::uint64_t bits) { f_.constant(to, bits); }
  [[nodiscard]] RegisterType form(const Type& type) { return module_.types().value(type); }
  [[nodiscard]] TypeLowering& types() { return module_.types(); }
  void move(Register to, Register from, Shape shape);

  struct Mark {
    std::size_t registers = 0;
    std::size_t objects = 0;
    std::size_t drops = 0;
    std::uint32_t outgoing = 0;
  };
  [[nodiscard]] Mark mark() const { return {registers_.size(), objects_.size(), drops_.size(), outgoing_}; }
  void release(const Mark& mark);
  Register temporary(RegisterType type);
  Register temporary(const Type& type) { return temporary(form(type)); }
  /// `into`, or a temporary for a value of the type.
  Register target(Register into, const Type& type) { return into ? into : temporary(type); }
  static Place frame_place(const Type* type, std::uint64_t offset);
  /// An object of the frame's memory, for as long as the function runs.
  Place frame_object(const Type& type, std::string_view name);
  /// An object of the frame's memory, free again after the mark. By entry of the type table: its offset.
  Place temporary_object(const Type& type);
  std::uint64_t temporary_object(std::uint32_t type);
  void drop_later(const Place& place) { drops_.push_back(place); }

  // --- locals.cpp: where locals live
  /// Gives a local its home when its declaration is reached.
  Place declare(const Local& local);
  Place declare_counter(const Local& binder);
  /// The home of a local in scope.
  Place home(const Local& local);
  void set_home(const Local& local, Place place) { homes_[&local] = place; }
  /// Of a local that is not declared yet.
  [[nodiscard]] bool lives_in_register(const Local& local) const;
  /// Whether the registers of a local keep what they hold as long as it is in scope.
  [[nodiscard]] bool is_stable(const Local& local);
  void view_once(const Local& local);
  [[nodiscard]] const LocalUse& use_of(const Local& local) const;

  // --- places.cpp: finding places, reading and writing them
  Place place(const Expr& e);
  Place field_of(Place base, const Type& record, std::uint32_t field);
  Place payload_of(Place base, const Type& sum, std::uint32_t variant);
  Place element_place(const checked::ElementExpr& e);
  Place reachable(const Place& place, Position position);
  Register load(const Place& place, Position position, Register into = {});
  void store(const Place& place, Register value, Position position);
  /// A reference to the place, in `into` or a register. A place in a register is copied to memory first.
  Register reference(const Place& place, Position position, Register into = {});
  /// The view or buf an expression of view type denotes.
  Register view(const Expr& e, Register into = {});
  Register view_of_place(const Expr& place, Position position, Register into = {});
  Register known_pair(Register pair, Register into, Position position);
  void array_view(const Place& array, Register to, Position position);
  /// `want`: a register that holds the length the part must have; none asks for no length.
  Register part(const checked::PartExpr& e, Register want, Register into = {});
  /// The elements that `x[i]`, `len(x)` and loops reach: of a view value, or of a Buf or Array.
  Register elements(const Expr& e);
  Register length(const Expr& of, Position position, Register into = {});
  std::uint32_t byte_type();

  // --- expressions.cpp
  Register value(const Expr& e, Register into = {});
  void build(const Expr& e, const Place& to);
  /// Any shape: computes an expression into a place nobody reads yet.
  void evaluate(const Expr& e, const Place& to);
  /// Evaluates for its effects; drops what it gives.
  void discard(const Expr& e);
  void discard_value(const Expr& e);
  Register load_from(const Expr& place, Position position, Register into);
  Register load_value(const checked::LoadExpr& e, Register into);
  Register take_value(const checked::TakeExpr& e, Register into);
  Register length_value(const checked::LengthExpr& e, Register into);
  Register part_extent(const checked::PartExtentExpr& e, Register into);
  void swap(const checked::SwapExpr& e);

  // --- arithmetic.cpp
  Register unary(const checked::UnaryExpr& e, Register into);
  Register binary(const checked::BinaryExpr& e, Register into);
  void binary_step(const checked::BinaryExpr& e, Register left, Register to);
  /// Both release `mark` before the instruction.
  void arithmetic(syntax::BinaryOp op, const Type& type, Register to, Register left, const Expr& right,
                  Position position, const Mark& mark, bool proved);
  void comparison(syntax::BinaryOp op, const Type& type, Register to, Register left, const Expr& right,
                  Position position, const Mark& mark);
  Register convert(const checked::ConvertExpr& e, Register into);
  Op conversion_row(const Type& from, const Type& to);
  Register builtin(const checked::BuiltinExpr& e, Register into);
  Register quantize(const checked::BuiltinExpr& e, Register into);
  /// The bits of a number that is known: a literal, or an immutable local that is one.
  [[nodiscard]] std::optional<std::uint64_t> literal_bits(const Expr& e) const;
  Register literal(const Expr& e, Register into);
  Register constant_of(const Type& type, std::uint64_t bits, Position position, Register into);

  // --- conditions.cpp
  /// Goes to `target` when the condition is `when`, else falls through.
  void branch(const Expr& condition, bool when, Label target);
  void branch_chain(const checked::LogicalExpr& e, bool when, Label target);
  void branch_comparison(const checked::BinaryExpr& e, bool when, Label target);
  static Op jump_on_literal(syntax::BinaryOp op, bytecode::RegisterKind kind, std::uint64_t literal);
  Register truth_value(const Expr& e, Register into);

  // --- calls.cpp
  /// A call's outgoing slots, while its arguments are placed.
  struct Window {
    std::uint32_t base = 0;
    std::uint32_t next = 0;
  };
  /// The receiver of a dynamic call among the arguments.
  struct Receiver {
    std::size_t index = 0;
    const Expr* value = nullptr;
    Register dyn;
    std::uint32_t slot = 0;
  };
  [[nodiscard]] Window open_window() const;
  Register next_slot(const Window& window);
  void placed(Window& window, std::uint32_t slots);
  /// Gives a result of one or two slots in `into` or the window; a record, sum or array result goes to `to`.
  Register call(const Expr& e, const Place* to, Register into);
  static const Type& function_type(const Expr& callee);
  void place_arguments(Window& window, std::span<const Expr* const> arguments, std::span<const Type* const> parameters,
                       Receiver* receiver);
  /// `all`: the arguments of the call.
  void place_argument(const Expr& argument, const Type& parameter, Register slot, std::span<const Expr* const> all);
  void lend_argument(const Expr& argument, const Type& parameter, Register slot);
  void callable_argument(const Expr& argument, Register slot);
  void memory_argument(const Expr& argument, Register slot, std::span<const Expr* const> all);
  Register dyn_reference(const Expr& e, Register into);

  // --- closures.cpp
  /// A reference to a fresh environment of a closure or lane body, in the frame's memory.
  Register environment_for(const checked::Function& body, Position position);
  Register closure(const checked::ClosureExpr& e, Register into);

  // --- aggregates.cpp
  void build_record(const checked::RecordExpr& e, const Place& to);
  void build_variant(const checked::VariantExpr& e, const Place& to);
  void copy(const Place& to, const Place& from, Position position);
  void zero(const Place& place, Position position);
  void drop(const Place& place);
  void set_tag(const Place& sum, std::uint32_t variant, Position position);
  Register tag_of(const Place& sum, Position position);
  Register buf_new(const checked::BufNewExpr& e, Register into);
  Register dyn_new(const checked::DynNewExpr& e, Register into);
  /// The payload of a `try` on its success path, at a place.
  Place try_payload(const checked::TryExpr& e);
  void return_failure(const Place& operand, const Type& result, Position position);
  Place subject(const Expr& e, bool kept, bool& owned);

  // --- statements.cpp
  void block(const checked::Block& b);
  void statement(const checked::Stmt& s);
  void let(const checked::LetStmt& s);
  void unpack(const checked::UnpackStmt& s);
  void bind_part(const Local& local, const Place& part, bool owned, Position position);
  void assign(const checked::AssignStmt& s);
  void assign_owner(const checked::AssignStmt& s, const Local* whole);
  bool may_build_in_place(const Expr& place, const Expr& value);
  /// A call that is one instruction: a native of the machine itself, whose name has a dot as no C symbol does.
  static bool calls_machine_native(const Expr& value);
  static bool writes_last(const Expr& e);
  void compound(const checked::CompoundStmt& s);
  void return_(const checked::ReturnStmt& s);
  void storage(const checked::StorageStmt& s);

  // --- assembly_statement.cpp: typed assembly
  void assembly(const checked::AsmStmt& s);
  /// Calls the assembled template; its operands' signature and registers are the window's slots.
  void run_assembly(Position position, AssemblySymbol symbol, const bytecode::Signature& signature, std::string passing,
                    const Window& window);

  void drop_storage(const Place& place, std::uint32_t type);
  void leave_function(Position position);

  // --- control_flow.cpp
  void if_(const checked::IfStmt& s);
  void while_(const checked::WhileStmt& s);
  void for_(const checked::ForStmt& s);
  void match(const checked::MatchStmt& s);
  void match_arms(const checked::MatchStmt& s, Register tag, const Place* subject, bool owned);
  void arm(const checked::MatchArm& arm, const Type& sum, const Place* subject, bool owned, Position position);
  void leave_loop(Label to, bool breaks, Position position);
  void convert_each(const checked::Block& body, const checked::Local& binder, Register index, Register limit,
                    Label done);
  bool is_steady(const Expr& e);

  // --- cleanup.cpp
  struct Cleanup {
    const Local* local = nullptr;  // an owner, else
    const checked::DeferStmt* defer = nullptr;
    Place place;
    std::uint32_t type = bytecode::kNone;  // of storage that no checked type describes
    Life life = Life::Live;
    unsigned depth = 0;  // of branches where it was declared
  };
  using Lives = std::vector<Life>;
  void own(const Local& local, const Place& place);
  void own_storage(const Place& place, std::uint32_t type);
  Cleanup* cleanup_of(const Local& local);
  /// The owner moves away; true when its place must be zeroed because a path without this move may drop it.
  bool moved(const Local& local);
  [[nodiscard]] bool must_zero_when_moved(const Local& local);
  void revive(const Local& local);
  /// Runs what leaving the scopes above `floor` means, in reverse order, without closing them.
  void run_cleanups(std::size_t floor, Position position);
  void close_scope(std::size_t floor, bool reachable, Position position);
  [[nodiscard]] Lives lives() const;
  void restore(const Lives& lives);
  static void merge(std::optional<Lives>& into, const Lives& lives);

  // --- printing.cpp
  void print(const checked::PrintExpr& e);
  void format(const checked::FormatExpr& e);
  std::vector<bytecode::PrintItem> print_items(std::span<const checked::PrintArgument> arguments);
  std::uint32_t message(bool present, std::string_view text);
  void assert_(const checked::AssertExpr& e);
  void assert_equal(const checked::AssertEqualExpr& e);

  // --- layout_queries.cpp
  Register layout_query(const checked::LayoutQueryExpr& e, Register into);
  void add_digit(Register sum, Register x, std::uint64_t before, std::uint64_t extent, std::uint64_t weight, bool last);
  void storage_offset(const checked::LayoutValue& layout, std::span<const Register> coordinates, Register to);
  void spread_coordinate(const checked::LayoutValue& layout, bool column, Register participant, Register value,
                         Register to);

  // --- memory_operations.cpp
  void transfer_views(const checked::TransferExpr& e);
  static std::uint64_t transfer_places(const checked::TransferExpr& e);
  static std::uint64_t place_number(Placement placement);
  Register machine(const checked::MachineExpr& e, Register into);

  // --- concurrency.cpp
  Register concurrent(const Expr& e, const Place* to, Register into);
  Register handle(const Expr& local);
  std::vector<std::uint32_t> place_task(const checked::CallExpr& call, Window& window);
  Register spawn(const checked::SpawnExpr& e, Register into);
  void into_group(const checked::IntoStmt& s);
  void end_spawn(const Mark& mark);
  Register join(const checked::ConcurrentExpr& e, const Place* to, Register into);
  Register outcome(const Window& window, Shape shape, Position position, Register into);
  Register atomic(const checked::ConcurrentExpr& e, Register into);
  Register element_update(const checked::ConcurrentExpr& e, Register into);
  Register with(const checked::ConcurrentExpr& e, const Place* to, Register into);
  Register call_native(const checked::ConcurrentExpr& e, std::string_view name, Register into);

  // --- fragments.cpp
  Register fragment(const checked::FragmentExpr& e, const Place* to, Register into);
  Register fragment_reference(const Expr& e, Register slot);

  // --- regions.cpp
  void concurrent_statement(const checked::Stmt& s);
  std::uint32_t lane_function(const checked::Function& lane, const LaneForm& form);
  void parallel(const checked::ParallelStmt& s);
  void reduce(const checked::ReduceStmt& s);
  void scan(const checked::ScanStmt& s);
  void compact(const checked::CompactStmt& s);
  void keep(const Expr& yielded, Register output, Register kept, Position position);
  void fold_in_order(std::uint32_t lane, Register environment, Register count, Register total, Position position);
  static const Expr& yielded(const checked::Function& lane);
  void run_lane();

  // --- kernels.cpp
  std::uint32_t kernel(const checked::ThreadBody& body, std::span<const checked::LetStmt* const> grid, bool device,
                       const checked::Function& owner);
  void cooperative(const checked::CooperativeStmt& s);
  void bind_numbers(Register linear, std::span<Local* const> names, const auto& divide);
  void run_kernel();
  void shared_array(const checked::SharedStmt& s);
  void warp_reduce(const checked::ReduceStmt& s);
  Register exchange(const checked::ConcurrentExpr& e, Register into);
  [[nodiscard]] std::uint32_t pipeline_number(const Local& local) const;
  void pipeline_operation(const checked::ConcurrentExpr& e);
  Place readable_stage(const Local& pipeline);

  // --- devices.cpp
  void device_parallel(const checked::ParallelStmt& s);
  void device_reduce(const checked::ReduceStmt& s);
  void device_scan(const checked::ScanStmt& s);
  void device_compact(const checked::CompactStmt& s);
  Register queued(const checked::SpawnExpr& e, Register into);
  void launch(const checked::CallExpr& e, const Window& window);
  void wide_access(const checked::ConcurrentExpr& e, const Place* to);
  /// The reference to the scalar element a total goes into, guarded.
  Place total_place(const Expr& target);

  struct Loop {
    Label exit;
    Label next;
    std::size_t floor = 0;            // cleanups outside of it
    std::optional<Lives> exit_lives;  // of its breaks
    bool exits = false;
  };

  ModuleLowering& module_;
  const checked::Function& function_;
  std::uint32_t index_;
  bytecode::FunctionBuilder f_;
  FunctionUses uses_;
  std::unordered_map<const Local*, Place> homes_;
  std::unordered_map<const Local*, Register> views_;              // Array locals whose view is kept
  std::unordered_map<const checked::PartExpr*, Register> parts_;  // evaluated early, for an extent left out
  Register result_;                  // the hidden reference a record, sum or array result goes through
  std::vector<Register> registers_;  // temporaries in use
  std::vector<std::pair<std::uint32_t, std::uint64_t>> objects_;  // temporary objects in use: type, offset
  std::map<std::uint32_t, std::vector<std::uint64_t>> free_objects_;
  std::vector<Place> drops_;
  std::uint32_t outgoing_ = 0;  // outgoing slots in use
  std::vector<Cleanup> cleanups_;
  std::vector<Loop> loops_;
  unsigned depth_ = 0;  // of branches
  bool has_defer_ = false;
  std::size_t running_ = SIZE_MAX;                             // cleanups from here on are being run, or were
  std::optional<unsigned> leaving_at_;                         // depth of a return whose value is computed
  const Local* reviving_ = nullptr;                            // the local an assignment is computing a new value for
  std::unordered_map<const Local*, std::uint64_t> constants_;  // immutable locals that are literals
  std::map<std::pair<bytecode::RegisterKind, std::uint64_t>, Register> pool_;  // constants made at entry, for loops
};

}  // namespace cairn::lower
