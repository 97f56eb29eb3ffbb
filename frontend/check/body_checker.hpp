// The judge of one function body. One BodyChecker lives as long as one body; closures and lane bodies are frames of it.
//
// Expressions. `walk` types an expression and gives a place or a value, with an optional expected type that literals,
// bare variants and function names adapt to; whether the type is the expected one is the caller's question. `value`
// turns what was walked into a value: a copy, or a move of what owns. An expression is walked at most once. An operand
// that had to be typed before its call was resolved (a receiver, an argument that binds a type parameter) is kept in an
// Operand.
//
// Ownership. `dead_` holds the moved names of the path being judged; it is copied at branches and joined after them.
// What a `defer` consumes is `scheduled_` until its block ends. Every access to a place is reported to `touch` or
// `note_lent`, which note what closures capture, hold the leases of running tasks (leases.hpp) and record what lanes
// access (lanes.hpp). What conditions and bindings tell of usize values is noted in `facts_` (facts.hpp).
//
// The statements and builtins of concurrency and devices are members as well, each in a file of its own.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/check/assembly.hpp"
#include "frontend/check/body.hpp"
#include "frontend/check/cooperative.hpp"
#include "frontend/check/facts.hpp"
#include "frontend/check/lanes.hpp"
#include "frontend/check/leases.hpp"
#include "frontend/check/owner_set.hpp"
#include "frontend/check/place_paths.hpp"
#include "frontend/check/reach.hpp"
#include "frontend/check/visible_locals.hpp"

namespace cairn {

using Node = const checked::Expr*;

/// How control goes on after a statement (syntax and values, 1.11.5; ownership and memory, 7.2).
enum class Flow : std::uint8_t { Falls, Jumps, Returns };

/// One argument of a call: as written, or put in by the checker; `node` once it is typed, not yet loaded or lent.
struct Operand {
  const syntax::Expr* written = nullptr;  // null: an omitted extent
  Node node = nullptr;
  std::int32_t extent_of = -1;  // an omitted extent: the parameter whose argument gives it
};

/// An extent's identity (ownership and memory, 5.2). A Path is a usize local or field path, a Length the length of a
/// Buf.
struct ExtentIdentity {
  enum class Kind : std::uint8_t { None, Literal, Path, Length };
  Kind kind = Kind::None;
  std::uint64_t literal = 0;
  Node place = nullptr;
  std::int32_t field = -1;  // Path: a field of `place` that was not written, the extent field a record declares
  const checked::Local* local = nullptr;  // Path: a local that was not written, the extent of a view; `place` is null
};

namespace checked {
enum class CacheHint : std::uint8_t;
}  // namespace checked

class BodyChecker;

struct BuiltinCall {
  Name name;
  std::span<Operand> arguments;
  std::span<const syntax::Expr* const> statics;  // what stands in brackets
  bool has_brackets = false;
  const Type* expected = nullptr;
  Position position;
};

/// A builtin function: which member judges it.
struct BuiltinRow {
  std::string_view name;
  Node (BodyChecker::*judge)(BuiltinCall& call);
};

/// What a closure or lane body, or a pending defer, is told of.
enum class Touch : std::uint8_t {
  Header,  // a length, a field on the way to something
  Read,
  Write,
  Move,
};

/// The function, closure or lane body being judged.
struct Frame {
  checked::Function* function = nullptr;
  Frame* outer = nullptr;
  const Type* result = nullptr;
  std::uint32_t first_slot = 0;  // slots from here on belong to this frame
  std::size_t first_linear = 0;  // of linear_: locals of this frame
  std::size_t loop_linear = 0;   // of linear_: locals of the innermost loop
  std::uint32_t loops = 0;       // loops around the statement being judged, in this frame
  bool is_lane = false;
  const checked::Local* moved_outer = nullptr;  // the first owner of an outer frame that this one moved
  std::vector<LentPlace>* touched = nullptr;    // closures: the outer places touched so far
};

/// Lists under construction, each used as a stack: whoever pushes takes a mark before and cuts back to it after. Bodies
/// nest (an instance is judged inside its caller's body), so all bodies of a program share them.
struct BodyStacks {
  std::vector<const checked::Stmt*> statements;
  std::vector<const syntax::BinaryExpr*> chain;
  std::vector<const Type*> parameter_types;
  std::vector<Node> made;
  std::vector<LentPlace> lent;

  using Marks = std::array<std::size_t, 5>;
  [[nodiscard]] Marks marks() const {
    return {statements.size(), chain.size(), parameter_types.size(), made.size(), lent.size()};
  }
  void cut_back(const Marks& marks) {
    statements.resize(marks[0]);
    chain.resize(marks[1]);
    parameter_types.resize(marks[2]);
    made.resize(marks[3]);
    lent.resize(marks[4]);
  }
};

/// What the bodies of one program share.
struct BodyShared {
  explicit BodyShared(NameTable& names);
  [[nodiscard]] const BuiltinRow* builtin(Name name) const {
    return name.id < rows.size() && rows[name.id] != 0 ? &table[rows[name.id] - 1u] : nullptr;
  }
  Name blank;                      // `_`
  std::vector<std::uint8_t> rows;  // by name id: 1 + index into `table`
  std::span<const BuiltinRow> table;
  BodyStacks stacks;
};

struct FragmentShape;  // frontend/check/fragments.hpp
namespace checked {
struct FragmentExpr;
}

class BodyChecker {
 public:
  BodyChecker(Checker& checker, checked::Function& function, const Scope& scope);
  BodyChecker(const BodyChecker&) = delete;
  BodyChecker& operator=(const BodyChecker&) = delete;
  ~BodyChecker() { shared_.stacks.cut_back(stack_marks_); }
  void run();

 private:
  friend class BodyArguments;
  friend class FlowJoin;

  friend struct BuiltinTable;

  // --- body.cpp: frames, scopes, locals
  const checked::Block* function_body(const syntax::Block& block, Position function);
  void enter_parameters(checked::Function& function);
  void require_device_parameters();
  [[nodiscard]] checked::Local* find_local(Name name) const { return visible_.find(name); }
  checked::Local* new_local(Name name, const Type* type, checked::LocalKind kind, bool is_mutable, Position at);
  void bring_into_scope(checked::Local* local);
  /// A new local in scope from here on; E-SHADOW at `at` when its name is taken. `_` gives a hidden local.
  checked::Local* declare(Name name, const Type* type, checked::LocalKind kind, bool is_mutable, Position at);
  void require_fresh(Name name, Position at);
  [[nodiscard]] bool is_blank(Name name) const { return name == shared_.blank; }
  [[nodiscard]] bool in_test() const { return root_.kind == checked::FunctionKind::Test; }
  [[nodiscard]] bool on_device() const { return device_depth_ > 0; }
  [[noreturn]] void refuse_unbound(Name name, Position at);
  [[nodiscard]] std::string quoted(Name name) const;
  [[noreturn]] void refuse_mismatch(const Type* expected, const Type* actual, Position at);
  [[noreturn]] void refuse_mismatch(std::string_view expected, std::string_view actual, Position at);
  [[nodiscard]] TypeTable& types() { return checker_.types(); }

  template <class T>
  T& make(checked::ExprKind kind, const Type* type, Position at) {
    T& node = *checker_.arena().make<T>();
    node.kind = kind;
    node.type = type;
    node.position = at;
    return node;
  }
  template <class T>
  T& make(checked::StmtKind kind, Position at) {
    T& node = *checker_.arena().make<T>();
    node.kind = kind;
    node.position = at;
    return node;
  }

  // --- body_expressions.cpp: dispatch, literals, operators
  Node walk(const syntax::Expr& expression, const Type* expected);
  /// The value of an expression whose type is not prescribed; what owns is consumed.
  Node value(const syntax::Expr& expression, const Type* expected);
  /// The value of an expression that must have exactly this type: E-TYPE-MISMATCH at it otherwise.
  Node value_of(const syntax::Expr& expression, const Type* type);
  Node value_of(Operand& operand, const Type* type);
  /// A walked node as a value.
  Node as_value(Node node);
  Node walk_operand(Operand& operand, const Type* expected);
  Node integer_literal(const syntax::IntegerExpr& literal, const Type* expected);
  Node negated_literal(const syntax::UnaryExpr& expression, const Type* expected);
  Node float_literal(const syntax::FloatExpr& literal, const Type* expected);
  Node text_literal(const syntax::StringExpr& literal);
  Node integer_node(std::uint64_t bits, const Type* type, Position at);
  Node constant_node(const syntax::ConstDecl& declaration, Position at);
  Node unary(const syntax::UnaryExpr& expression, const Type* expected);
  Node binary(const syntax::BinaryExpr& expression, const Type* expected);
  Node logical(const syntax::BinaryExpr& expression);
  /// The operator applied to two operands of one type: E-OPERATOR at `at`.
  Node apply(syntax::BinaryOp op, Node left, Node right, Position at);
  void require_operator(syntax::BinaryOp op, const Type* type, Position at);
  /// E-TYPE-MISMATCH for the operand checked second, or at the operation.
  [[noreturn]] void refuse_operands(const Type* first, Node second, Position at);
  /// Whether an operand takes its type from the other side (1.5).
  [[nodiscard]] bool adapts(const syntax::Expr& expression);
  Node try_expression(const syntax::TryExpr& expression);

  // --- body_places.cpp: names, fields, elements, parts, lengths, writability
  Node name(const syntax::NameExpr& expression, const Type* expected);
  Node local_place(checked::Local& local, Position at);
  Node member(const syntax::MemberExpr& expression, const Type* expected);
  Node field(Node base, Name name, Position at);
  Node field_at(Node base, std::uint32_t index, Position at);
  void require_fields_accessible(const Type* record, Position at);
  Node bracket(const syntax::BracketExpr& expression, const Type* expected);
  Node element(Node base, const syntax::Expr& index, Position at);
  /// A part as a view value whose type has no extent and whose guard is the caller's to complete.
  Node part(const syntax::PartExpr& expression);
  Node part_of_lending_record(Node record, Position at);
  [[nodiscard]] static bool lends_a_view(Node node);
  Node view_of(Node place, const Type* view);
  Node length_of(Node place, Position at);
  /// What a view, Buf or Array holds; null for other types.
  [[nodiscard]] static const Type* element_type(const Type* type);
  /// Whether a place may be written: its root is a mutable local or an rw borrow or view.
  [[nodiscard]] static bool is_writable(Node place);
  /// E-IMMUTABLE at the root or E-WRITE-LEASE at the element of a place that may not be written (3.1).
  void require_writable(Node place);
  /// E-EXTENT-FIELD when one half of a declared field extent would change alone (5.4).
  void require_not_half_of_extent(Node place, Position at);
  /// E-PLACEMENT when an array of this type is indexed from the wrong side (8).
  void require_side(const Type* type, Node base, Position at);

  // --- body_extents.cpp: identity of extents
  [[nodiscard]] ExtentIdentity identity_of_value(Node value) const;
  [[nodiscard]] ExtentIdentity identity_of_view(Node view) const;
  [[nodiscard]] bool same(const ExtentIdentity& left, const ExtentIdentity& right) const;
  [[nodiscard]] std::string text(const ExtentIdentity& extent) const;
  [[nodiscard]] std::string place_text(Node place) const;
  /// E-CALL-SHAPE at the first call inside a part's bound or an extent argument that is not one of those allowed.
  void require_plain(Node bound);

  // --- body_ownership.cpp
  /// A local is named: E-MOVED when it is dead. Notes captures and what a pending defer names.
  void mention(checked::Local& local, Position at);
  Node consume(Node node);
  Node consume_local(checked::Local& local, Node node);
  void touch(Node place, Touch touch, Position at);
  void note_touched(const LentPlace& path, const checked::Local& root);
  void note_lent(Node view_or_place, bool writes, Position at, bool is_view = false);
  [[nodiscard]] bool is_consumed(const checked::Local& local) const;
  /// E-LINEAR-LEAK at `at` when one of this frame's linear locals from `from` on is not consumed.
  void require_no_live_linear(std::size_t from, Position at);
  /// E-MOVE-IN-LOOP at `at` when a name from before (slots below `outer_slots`) died since.
  void require_no_outer_moved(const OwnerSet& before, std::uint32_t outer_slots, Position at, std::string_view what);

  // --- body_calls.cpp: how a callee is found
  Node call(const syntax::CallExpr& expression, const Type* expected);
  Node call_name(Name name, std::span<const syntax::Expr* const> statics, bool has_brackets,
                 std::vector<Operand>& arguments, const Type* expected, Position at);
  Node call_path(std::span<const Name> path, std::span<const syntax::Expr* const> statics, bool has_brackets,
                 std::vector<Operand>& arguments, const Type* expected, Position at, const syntax::Expr& base);
  /// The receiver is the first argument, already walked.
  Node call_method(Name name, std::span<const syntax::Expr* const> statics, bool has_brackets,
                   std::vector<Operand>& arguments, const Type* expected, Position at);
  /// `receiver`: the type of a method's receiver, else null.
  Node call_plain(Name name, std::span<const syntax::Expr* const> statics, bool has_brackets,
                  std::vector<Operand>& arguments, const Type* expected, Position at, const Type* receiver = nullptr);
  Node call_builtin(Name name, std::span<const syntax::Expr* const> statics, bool has_brackets,
                    std::vector<Operand>& arguments, const Type* expected, Position at);
  /// Null when the symbol is nothing that can be called.
  Node call_symbol(const Symbol& symbol, std::span<const syntax::Expr* const> statics, std::vector<Operand>& arguments,
                   const Type* expected, Position at);
  Node call_function(FunctionInfo& info, std::span<const StaticArgument> leading, std::vector<Operand>& arguments,
                     const Type* expected, Position at);
  /// Null when no trait declares such a member.
  Node call_member(std::span<const Name> path, std::span<const StaticArgument> own, std::vector<Operand>& arguments,
                   const Type* expected, Position at);
  Node call_dynamic(const MemberChoice& choice, std::vector<Operand>& arguments, Position at);
  Node call_value(checked::Local& local, std::vector<Operand>& arguments, Position at);
  [[noreturn]] void refuse_stored_callee(Name name, Position at);
  [[noreturn]] void refuse_callee(std::span<const Name> path, Position at);
  std::vector<StaticArgument> statics_of(std::span<const syntax::Expr* const> statics, Position at);
  static std::vector<Operand> operands_of(std::span<const syntax::Expr* const> written);
  static void require_count(std::size_t wanted, std::size_t given, std::string_view callee, Position at);
  [[noreturn]] void refuse_count(const FunctionInfo& info, std::size_t given, Position at);
  /// Puts omitted extents in (5.3); leaves the arguments as they are when they are all given. E-ARITY otherwise.
  void write_extents_out(const FunctionInfo& info, std::vector<Operand>& arguments, Position at);
  [[nodiscard]] bool may_leave_extent_out(Operand& operand);

  // --- body_arguments.cpp: lending and passing
  /// The arguments of one call, against the types from `types_mark` on in parameter_types_ (null: a receiver that is
  /// lent already). Judges aliasing (ownership and memory, 4 to 6).
  checked::List<Node const> lend_arguments(std::size_t types_mark, std::span<const std::int32_t> extent_of,
                                           std::vector<Operand>& arguments, Position at, bool writes_receiver = false);
  Node value_argument(Operand& operand, const Type* type);
  Node borrow_argument(Operand& operand, const Type* type);
  Node view_argument(std::vector<Operand>& arguments, std::size_t made_mark, std::size_t index, const Type* type,
                     std::int32_t extent_parameter);
  void agree_extent(std::vector<Operand>& arguments, std::size_t made_mark, std::size_t index, const Type* type,
                    std::int32_t extent_parameter);
  Node omitted_extent(std::vector<Operand>& arguments, std::size_t index);
  Node callable_argument(Operand& operand, const Type* type);
  Node dyn_argument(Operand& operand, const Type* type);
  /// An operand as a part, or as whatever it is.
  Node walk_view(Operand& operand);
  /// The same, a record that lends a view being the part it lends.
  Node walk_lent_view(Operand& operand);
  [[nodiscard]] static bool lends_mode(Node view, BorrowMode mode);
  [[noreturn]] void refuse_view(const Type* type, std::size_t made_mark, std::int32_t extent_parameter, Node view);
  [[nodiscard]] std::string shown_view(Node view) const;
  void require_disjoint(std::span<const LentPlace> lent, Position at);

  // --- body_closures.cpp: closures and function values
  Node closure(const syntax::ClosureExpr& expression, const Type* type);
  Node function_value(FunctionInfo& info, std::span<const syntax::Expr* const> statics, bool has_brackets,
                      const Type* expected, bool may_borrow, Position at);
  /// A declared function's name given to a ro<fn(...)> parameter; null when the expression is none.
  Node callable_name(const syntax::Expr& expression, const Type* function);
  void require_not_implementation(const FunctionInfo& info, Position at);

  // --- body_values.cpp: records and sums
  Node construct(const syntax::RecordDecl& record, std::span<const StaticArgument> leading,
                 std::vector<Operand>& arguments, const Type* expected, Position at);
  Node construct_type(const Type* type, std::vector<Operand>& arguments, Position at);
  Node build_record(const Type* type, std::vector<Operand>& arguments, Position at);
  Node variant(const syntax::SumDecl& sum, Name name, std::span<const StaticArgument> leading, bool called,
               std::vector<Operand>& arguments, const Type* expected, Position at);
  Node build_variant(const Type* sum, std::uint32_t index, std::vector<Operand>& arguments, Position at);
  /// A bare variant of the expected sum; none when it has no such variant. E-VARIANT-AMBIGUOUS, E-PRIVATE.
  std::optional<std::uint32_t> bare_variant(Name name, const Type* expected, Position at);
  [[nodiscard]] bool denotes_something(Name name, std::string* what = nullptr);

  // --- body_layouts.cpp
  Node layout_query(const syntax::LayoutDecl& declaration, Name query, std::vector<Operand>& arguments, Position at);

  // --- body_builtins.cpp, body_storage.cpp, body_printing.cpp: builtin functions
  Node convert(const Type* target, std::span<Operand> arguments, Position at);
  Node wrapping(BuiltinCall& call);
  Node shifting(BuiltinCall& call);
  Node least_or_greatest(BuiltinCall& call);
  Node absolute(BuiltinCall& call);
  Node rounding(BuiltinCall& call);
  Node to_bits(BuiltinCall& call);
  Node from_bits(BuiltinCall& call);
  Node quantize(BuiltinCall& call);
  Node length(BuiltinCall& call);
  std::pair<Node, Node> two_operands(BuiltinCall& call);
  [[noreturn]] void refuse_math(const BuiltinCall& call, std::string_view takes, const Type* type);
  const Type* type_argument(const BuiltinCall& call);
  Node builtin_node(checked::Builtin builtin, const Type* type, std::initializer_list<Node> arguments, Position at);
  void require_arguments(const BuiltinCall& call, std::size_t least, std::size_t most);
  Node take(BuiltinCall& call);
  Node swap(BuiltinCall& call);
  Node exchanged_place(Operand& operand);
  Node lent_view(Node view, BorrowMode mode);
  Node transfer(BuiltinCall& call);
  Node mmio_read(BuiltinCall& call);
  Node mmio_write(BuiltinCall& call);
  Node asm_text(BuiltinCall& call);
  void require_unsafe(const BuiltinCall& call);
  const Type* machine_width(const BuiltinCall& call, bool may_expect);
  Node new_buf(BuiltinCall& call);
  Node new_array(BuiltinCall& call);
  Node new_dyn(BuiltinCall& call);
  Node build_buf(const Type* type, std::span<Operand> arguments, Position at);
  Node build_array(const Type* type, std::span<Operand> arguments, Position at);
  const Type* constructed(const BuiltinCall& call, TypeKind kind, std::string_view form);
  const Type* dyn_type(const syntax::Expr& trait, Position at);
  Node print(BuiltinCall& call);
  Node format(BuiltinCall& call);
  Node assertion(BuiltinCall& call);
  Node assert_equal(BuiltinCall& call);
  checked::PrintArgument print_argument(Operand& operand);
  void require_host_output(const BuiltinCall& call);
  std::string_view assert_message(const BuiltinCall& call, std::size_t index);

  // --- body_statements.cpp, body_loops.cpp
  struct ScopeMarks {
    std::size_t visible = 0;
    std::size_t linear = 0;
    std::size_t scheduled = 0;
    std::size_t holds = 0;
    std::size_t statements = 0;
    std::size_t facts = 0;
  };
  [[nodiscard]] ScopeMarks scope_marks() const;
  const checked::Block* block(const syntax::Block& block, Flow& flow);
  /// A block whose scope began at `marks`, with what was declared since; `prelude` comes before its statements.
  const checked::Block* scoped_block(const syntax::Block& block, std::span<const checked::Stmt* const> prelude,
                                     const ScopeMarks& marks, Flow& flow);
  const checked::Stmt* statement(const syntax::Stmt& statement, Flow& flow);
  const checked::Stmt* nested_block(const syntax::Stmt& statement, const syntax::Block& body, Flow& flow);
  const checked::Stmt* let(const syntax::LetStmt& statement);
  const checked::Stmt* unpack(const syntax::UnpackStmt& statement);
  Node target(const syntax::Expr& expression);
  const checked::Stmt* assign(const syntax::AssignStmt& statement);
  const checked::Stmt* compound(const syntax::CompoundStmt& statement);
  const checked::Stmt* if_statement(const syntax::IfStmt& statement, Flow& flow);
  const checked::Stmt* while_loop(const syntax::WhileStmt& statement);
  const checked::Stmt* index_loop(const syntax::ForRangeStmt& statement);
  const checked::Stmt* element_loop(const syntax::ForEachStmt& statement);
  /// The body of a loop in the scope of its binder (from `marks` on), and what it may not do to names from outside.
  const checked::Block* loop_body(const syntax::Block& body, std::span<const checked::Stmt* const> prelude,
                                  const ScopeMarks& marks, const OwnerSet& before, std::uint32_t outer_slots,
                                  Position loop);
  const checked::Stmt* match(const syntax::MatchStmt& statement, Flow& flow);
  checked::MatchArm match_arm(const syntax::MatchArm& arm, std::uint32_t variant, const Type* payload, Flow& flow);
  void require_qualifier(const syntax::MatchArm& arm, const Type* type, Position match);
  const checked::Stmt* return_statement(const syntax::ReturnStmt& statement);
  const checked::Stmt* jump(const syntax::Stmt& statement);
  const checked::Stmt* defer(const syntax::DeferStmt& statement);
  const checked::Stmt* storage(const syntax::StorageStmt& statement);
  [[nodiscard]] std::uint64_t stack_bytes(const Type* type) const;
  [[nodiscard]] bool names_static(const syntax::Expr& expression) const;
  const checked::Stmt* expression_statement(const syntax::ExpressionStmt& statement);
  void require_not_only_computed(Node node, Position at);
  void require_not_lost(const Type* type, Position at);

  // --- leases.cpp: what running tasks hold
  void require_not_leased(const PlaceTouch& touch);
  [[noreturn]] void refuse_leased(const Lease& lease, Position at, std::string_view more);
  static PlaceTouch lease_touch(Node place, Touch touch, Position at);
  static std::vector<LentPlace> borrowed_places(const checked::CallExpr& call);

  // --- lanes.cpp: what lanes access
  [[nodiscard]] bool in_lane() const { return lane_ != nullptr; }
  /// Whether a local comes from outside the lane being judged.
  [[nodiscard]] bool is_outside_lane(const checked::Local& local) const;
  void record_lane_touch(Node place, Touch touch, Position at);
  void record_lane_lend(Node view_or_place, bool writes, Position at);
  void record_atomic_update(Node element);
  [[nodiscard]] std::optional<std::uint64_t> lane_stride(Node element);
  void require_lane_may_write(Node place);
  /// The last tests of a lane body (7.1, 4 to 7), at the region.
  void judge_lane(LaneRecord& lane, Position region);
  void require_lane_effects(const checked::Function& lane, bool device, Position region);
  void require_not_mixed(const LaneRecord& lane);
  void require_own_elements(const LaneRecord& lane);

  // --- regions.cpp
  const checked::Stmt* parallel_statement(const syntax::ParallelStmt& statement);
  checked::ParallelStmt& region(const syntax::Identifier& binder, const syntax::Expr& extent,
                                const syntax::Block& written, Position at);
  /// What the indexes in a body or in yields are rooted in (devices, 2.2).
  enum class IndexedSide : std::uint8_t { Nothing, Host, Device };
  IndexedSide indexed_side(std::span<const syntax::Expr* const> yields, const syntax::Block* body = nullptr);
  void require_no_nesting(Position region, std::string_view what);
  checked::List<const checked::RegionAccess> kept_accesses(const LaneRecord& record);
  /// A lane body: opened before its binder and body are judged, closed after.
  class LaneScope;

  // --- collectors.cpp
  /// A contracted statement, alone or as what `let` binds.
  const checked::Stmt* contracted_statement(const syntax::Stmt& contracted, const syntax::LetStmt* let);
  const checked::Stmt* reduce(const syntax::ReduceStmt& statement, const syntax::LetStmt* let, Position at);
  const checked::Stmt* scan(const syntax::ScanStmt& statement, const syntax::LetStmt* let, Position at);
  const checked::Stmt* compact(const syntax::CompactStmt& statement, const syntax::LetStmt* let, Position at);
  void host_compact(const syntax::CompactStmt& statement, checked::CompactStmt& made, Position at);
  void device_compact(const syntax::CompactStmt& statement, checked::CompactStmt& made, Position at);
  /// The rw view, buffer or stack array a collector fills; null when the name is none.
  checked::Local* collector_target(const syntax::Identifier& name);
  void require_fresh_results(const syntax::Identifier& binder, const syntax::LetStmt* let, Position at);
  const Type* annotated(const syntax::LetStmt* let);
  /// E-REDUCE-OP or E-SCAN-OP at `at` when a reducer does not join values of a type.
  static void require_reducer(syntax::Reducer reducer, const Type* type, Code code, Position at);
  void note_lent_elements(Node output, Position at);
  checked::Local* bind_result(const syntax::LetStmt* let, const Type* type);
  checked::Function* yield_lane(const syntax::Identifier& binder, const syntax::Expr& yield, const Type* expected,
                                Node extent, checked::Local* output, Position at, LaneRecord& lane);

  // --- tasks.cpp
  const checked::Stmt* into_statement(const syntax::IntoStmt& statement);
  const checked::Stmt* spawn_let(const syntax::LetStmt& statement);
  /// The tests of a spawn (5.1), and the call it makes.
  const checked::SpawnExpr& spawned(const syntax::SpawnExpr& expression, const checked::Local* group);
  checked::Local* named_holder(BuiltinCall& call, std::string_view takes);
  Node wait(BuiltinCall& call);
  Node collect(BuiltinCall& call);
  Node new_group(BuiltinCall& call);
  Node concurrent_node(checked::ConcurrentOp op, const Type* type, Node receiver, std::initializer_list<Node> arguments,
                       Position at);
  /// E-PLACEMENT: concurrency objects are host memory.
  void require_host(Position at, std::string_view what);
  [[nodiscard]] bool is_outside_loop(const checked::Local& local) const;
  void require_loop_leases(std::size_t first_lease, std::span<const PlaceTouch> touches);

  // --- queued_work.cpp: device work that a ticket stands for
  /// `spawn parallel ..` and `spawn transfer(..)`.
  [[nodiscard]] bool is_queued_form(const syntax::SpawnExpr& expression) const;
  const checked::SpawnExpr& queued_work(const syntax::SpawnExpr& expression);
  void lend_queued(const checked::Local& ticket, const checked::SpawnExpr& work);

  // --- atomics.cpp, mutexes.cpp, rings.cpp
  Node new_atomic(BuiltinCall& call);
  Node element_update(BuiltinCall& call);
  // matrices.cpp
  Node mma_unordered(BuiltinCall& call);
  Node matrix_multiply(BuiltinCall& call);
  // fragments.cpp
  Node fragment_fill(BuiltinCall& call);
  Node fragment_load(BuiltinCall& call);
  Node fragment_store(BuiltinCall& call);
  Node fragment_multiply(BuiltinCall& call);
  Node fragment_value(BuiltinCall& call);
  void require_threads_here(const BuiltinCall& call);
  void require_warp_here(const BuiltinCall& call);
  void require_same_in_warp(const Operand& operand, std::string_view what);
  checked::FragmentExpr& fragment_node(checked::ConcurrentOp op, const Type* type, Node receiver,
                                       std::initializer_list<Node> arguments, Position at);
  const Type* loaded_fragment(const BuiltinCall& call);
  const checked::LayoutValue& fragment_layout(const Operand& operand, const FragmentShape& shape);
  Node fragment_tile(const BuiltinCall& call, Operand& operand, const Type& fragment,
                     const checked::LayoutValue& layout, bool stores);
  std::pair<Node, Node> fragment_coordinates(BuiltinCall& call);
  // wide_accesses.cpp
  Node wide_access(BuiltinCall& call);
  Node wide_array(Operand& operand, bool stores);
  std::uint64_t wide_width(const BuiltinCall& call);
  checked::CacheHint wide_hint(const syntax::Expr& written, Node array, bool stores);
  Node wide_part(Node array, Node index, std::uint64_t width, Position at);
  Node atomic_operation(Node receiver, Name name, std::vector<Operand>& arguments, Position at);
  Node order_argument(Operand& operand);
  Node lent_place(Operand& operand, const Type* type, Position at);
  Node new_mutex(BuiltinCall& call);
  Node mutex_operation(Node receiver, Name name, std::vector<Operand>& arguments, Position at);
  Node new_ring(BuiltinCall& call);
  Node ring_operation(Node receiver, Name name, std::vector<Operand>& arguments, Position at);

  // --- body_blocks.cpp: cooperative regions
  struct ThreadScope;    // the body of a region or of a finish, while it is judged
  struct WrittenCallee;  // what a call names, before it is typed
  const checked::Stmt* blocks_statement(const syntax::BlocksStmt& statement);
  checked::ThreadBody thread_body(ThreadScope& scope);
  void require_thread_names(ThreadScope& scope);
  void require_thread_extents(ThreadScope& scope);
  void require_plain_closures(const syntax::Block& body);
  static void share_captures(checked::Function& first, checked::Function& second);
  static std::uint32_t lay_out(ThreadScope& scope);
  /// A natural (devices, 10.2); none when the expression is no natural.
  [[nodiscard]] std::optional<std::uint64_t> natural_of(const syntax::Expr& expression);
  [[nodiscard]] WrittenCallee written_callee(const syntax::CallExpr& call) const;
  [[nodiscard]] ReachNames reach_names(const ThreadScope& scope);
  [[nodiscard]] static bool may_write(const FunctionInfo& function, std::size_t given, std::size_t position);
  [[nodiscard]] std::string who_skips(const ReachLevel& level) const;
  void require_block_reaches(const ReachLevel& level, Position use, std::string_view what);
  void require_warp_reaches(const ReachLevel& level, Position use, std::string_view what);

  // --- body_shared.cpp, body_pipelines.cpp: what the threads of a block share, and how they wait and exchange
  const checked::Stmt* shared_statement(const syntax::SharedStmt& statement);
  const checked::Stmt* barrier_statement(const syntax::Stmt& statement);
  void require_in_threads(const syntax::Stmt& declaration, std::string_view what);
  void require_room(std::uint64_t bytes, Position declaration);
  const Type* shared_element(const syntax::Path& path, Position at);
  const Type* shared_view(BorrowMode mode, const Type* element, std::uint64_t length);
  Node warp_exchange(BuiltinCall& call);
  const checked::Stmt* warp_reduction(const syntax::ReduceStmt& statement, const syntax::LetStmt* let, Position at);
  const checked::Stmt* pipeline_statement(const syntax::PipelineStmt& statement);
  Node pipeline_operation(Node receiver, Name name, std::vector<Operand>& arguments, Position at);
  Node fill_source(Operand& operand, const checked::Local& pipeline);

  // --- devices, each in files of its own
  const checked::Stmt* asm_statement(const syntax::AsmStmt& statement);
  checked::AsmOperand asm_operand(const syntax::AsmOperand& written, checked::AsmTarget target);
  void require_asm_effects(std::span<const checked::AsmOperand> operands, std::span<const std::string_view> effects,
                           Position at);
  Node spawn_expression(const syntax::SpawnExpr& expression);

  Checker& checker_;
  checked::Function& root_;
  const Scope& scope_;
  BodyShared& shared_;
  Frame* frame_ = nullptr;
  VisibleLocals visible_;  // locals in scope

  OwnerSet dead_;
  std::uint32_t next_slot_ = 1;             // slot 0: a local that cannot be moved
  std::vector<checked::Local*> owners_;     // by slot
  std::vector<checked::Local*> linear_;     // locals in scope that must be consumed
  std::vector<checked::Local*> scheduled_;  // consumed by a pending defer
  struct Hold {
    const checked::Local* local = nullptr;
    Position defer;
  };
  std::vector<Hold> holds_;                                  // named by a pending defer
  std::vector<const checked::Local*>* deferring_ = nullptr;  // the names of the defer being judged
  std::uint32_t deferring_slots_ = 0;                        // slots below were there when that defer was met
  std::vector<checked::Local*> newly_scheduled_;             // what that defer consumes
  LeaseTable leases_;
  /// By ticket of queued work: the tickets it was queued after, directly and through them.
  std::unordered_map<const checked::Local*, std::vector<const checked::Local*>> queued_after_;
  std::vector<PlaceTouch>* loop_touches_ = nullptr;  // every touch, inside loops a group is submitted to
  LaneRecord* lane_ = nullptr;                       // of the region being judged
  Facts facts_;
  struct Watched {
    const checked::Local* output = nullptr;
    Position compact;
  };
  Watched watched_;  // the output that the operands of a compact may not name

  ThreadScope* threads_ = nullptr;  // of the cooperative body being judged

  std::uint32_t unsafe_depth_ = 0;
  std::uint32_t device_depth_ = 0;
  std::uint64_t stack_bytes_ = 0;

  // Stacks that nested statements, operators and calls share, so that each needs no list of its own.
  const BodyStacks::Marks stack_marks_;
  std::vector<const checked::Stmt*>& statements_;
  std::vector<const syntax::BinaryExpr*>& chain_;
  std::vector<const Type*>& parameter_types_;
  std::vector<Node>& made_;
  std::vector<LentPlace>& lent_;
};

}  // namespace cairn
