// The checked program: what the checker gives and everything after it consumes. It is monomorphized (one Function per
// instance), fully typed, every name resolved, every short form written out, every lent place and every guard's
// operands explicit. Nodes live in the program's arena. Lowering to bytecode is mechanical from here; rows, the
// operand-order audit, lane rules and proofs read the same tree.
//
// Values and places. A *place* expression denotes storage: Local, Field, Element, and no other. A *value* is made from
// a place by Load (copy, or move when `moves`). A view value (ViewOf, Part, Text, or a Local of view type) is pointer
// and length. A single borrow is Lend (of a place) or LendTemporary (of a value). A Local whose declared type is a
// single borrow stands for the value behind it: the node's type is the value's type and reads and writes go through the
// pointer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/check/types.hpp"
#include "frontend/diagnostics/diagnostic.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {
struct FunctionInfo;   // frontend/check/declarations.hpp
struct DispatchTable;  // frontend/check/traits.hpp
}  // namespace cairn

namespace cairn::checked {

using syntax::BinaryOp;
using syntax::Reducer;
using syntax::UnaryOp;
template <class T>
using List = std::span<T>;

struct Function;
struct Expr;
struct Block;

enum class LocalKind : std::uint8_t {
  Parameter,
  Let,
  LoopBinder,
  PayloadBinder,
  Buffer,
  Stack,
  LaneBinder,
  Shared,
  Pipeline,  // the readable stage of a pipeline
  Natural /* static natural */,
};

struct Local {
  Name name;                   // none: a hidden local (`_`, loop bounds)
  const Type* type = nullptr;  // declared type; Buffer and Stack have their view type rw<T>[n]@place
  LocalKind kind{};
  bool is_mutable = false;
  bool captured = false;    // some closure or lane body of the function refers to it
  bool lent_rw = false;     // an rw borrow of it (or of a part of it) is taken somewhere: it must live in memory
  bool moved = false;       // some path moves it (its slot is zeroed on a move, so dropping it is always right)
  std::uint32_t index = 0;  // position in its function's `locals`
  std::uint32_t slot = 0;   // the body checker's own: which bit of its state tells whether the local was moved
  Function* owner = nullptr;
  const Expr* bound = nullptr;    // an immutable let: the value it was bound to
  const Local* extent = nullptr;  // a view whose extent is a name: the usize local that holds its length, else null
  Position position;
};

// ----------------------------------------------------------------------------------------------------------
// expressions

enum class ExprKind : std::uint8_t {
  Integer,  // value, of any integer type, or a plain enum's tag
  Float,    // f32 or f64
  Bool,
  Text,           // a string literal: view of static bytes
  Zero,           // the zero value of `type` (Array[T, N](), an omitted variant payload)
  FunctionValue,  // a declared function as fn(...) value
  Local,
  Field,
  Element,  // places
  Load,     // a place's value
  Take,     // take(place): its value, leaving zero
  Swap,     // swap(a, b), void
  Unary,
  Binary,
  Logical,
  Convert,
  Builtin,     // a builtin that computes: see Builtin
  Length,      // len(x) of a view, Buf or Array place or text
  ViewOf,      // a Buf or Array place as a view
  Part,        // part of a view
  PartExtent,  // an extent that was left out before a part argument: hi - lo of that Part, covered by the part's guard
  Lend,        // a single borrow of a place
  LendTemporary,  // a single ro borrow of a value
  LendDyn,        // a place (or a Dyn's object) as ro/rw<dyn T>
  Call,           // a Function (externs included)
  CallValue,      // through a local of function type, or a borrowed callable
  CallDyn,        // a trait member through a dyn
  Record,         // constructor
  Variant,        // constructor of a sum (plain enums are Integer)
  BufNew,
  DynNew,
  Closure,
  Try,
  Print,  // print, println, eprint, eprintln
  Format,
  Assert,
  AssertEqual,
  Transfer,     // transfer(dst, src)
  Machine,      // mmio_read, mmio_write, asm("..")
  LayoutQuery,  // L.at, D.row, D.col with run-time coordinates
  Spawn,        // concurrency
  Concurrent,   // an operation of tickets, groups, atomics, mutexes, rings, fragments, pipelines, warps: see
                // ConcurrentOp
};

struct Expr {
  ExprKind kind{};
  const Type* type = nullptr;  // void for calls without a result
  Position position;

  template <class T>
  [[nodiscard]] const T& as() const {
    return static_cast<const T&>(*this);
  }
  template <class T>
  [[nodiscard]] T& as() {
    return static_cast<T&>(*this);
  }
  [[nodiscard]] bool is_place() const {
    return kind == ExprKind::Local || kind == ExprKind::Field || kind == ExprKind::Element;
  }
};

struct IntegerExpr : Expr {
  std::uint64_t bits = 0;  // two's complement, sign-extended to 64 bits for signed types
  bool literal = false;    // written as a number literal (printing: an unannotated one is a u64, negated an i64)
  bool character = false;  // written as a character literal (printing writes the byte)
};
struct FloatExpr : Expr {
  double value = 0;  // exact for f32 as well
};
struct BoolExpr : Expr {
  bool value = false;
};
struct TextExpr : Expr {
  std::string_view bytes;
};
struct FunctionValueExpr : Expr {
  const Function* function = nullptr;
};
struct LocalExpr : Expr {
  Local* local = nullptr;
};
struct FieldExpr : Expr {
  const Expr* base = nullptr;  // a place, or a value (a temporary's field) of record type
  std::uint32_t index = 0;
};
struct ElementExpr : Expr {
  const Expr* base = nullptr;   // a view value, a Buf or Array place, or a temporary Buf or Array value
  const Expr* index = nullptr;  // usize; guarded
};
struct LoadExpr : Expr {
  const Expr* place = nullptr;
  bool moves = false;  // affine or linear: the place (always a Local) is left zero
};
struct TakeExpr : Expr {
  const Expr* place = nullptr;
};
struct SwapExpr : Expr {
  const Expr* left = nullptr;
  const Expr* right = nullptr;
};
struct UnaryExpr : Expr {
  UnaryOp op{};
  const Expr* operand = nullptr;
};
struct BinaryExpr : Expr {  // arithmetic, bits, comparison; both operands of one type
  BinaryOp op{};
  const Expr* left = nullptr;
  const Expr* right = nullptr;
};
struct LogicalExpr : Expr {
  bool is_and = false;
  const Expr* left = nullptr;
  const Expr* right = nullptr;
};
struct ConvertExpr : Expr {  // numeric conversions, storage floats included; from operand->type to type
  const Expr* operand = nullptr;
};

enum class Builtin : std::uint8_t {
  AddWrap,
  SubWrap,
  MulWrap,
  ShlWrap,
  Shr,
  Min,
  Max,
  Abs,
  Sqrt,
  Floor,
  Ceil,
  Trunc,
  ToBits,
  FromBits,
  Quantize,            // quantize[T](x, scale)
  QuantizeStochastic,  // quantize_stochastic[T](x, scale, bits)
};
struct BuiltinExpr : Expr {
  Builtin builtin{};
  List<const Expr* const> arguments;
};
struct LengthExpr : Expr {
  const Expr* of = nullptr;
};
struct ViewOfExpr : Expr {
  const Expr* place = nullptr;  // Buf or Array
};
/// x[lo..hi]: traps unless lo <= hi, hi <= len and, when `want` says so, hi - lo equals it.
struct PartExpr : Expr {
  enum class Want : std::uint8_t { None, Literal, Argument };
  const Expr* base = nullptr;  // a view value: Local of view type, ViewOf, Part, Text
  const Expr* lo = nullptr;
  const Expr* hi = nullptr;
  Want want = Want::None;
  std::uint64_t want_literal = 0;
  std::uint32_t want_argument = 0;  // index of the call's argument that holds the callee's extent
};
struct PartExtentExpr : Expr {
  const PartExpr* part = nullptr;
};
struct LendExpr : Expr {
  BorrowMode mode{};
  const Expr* place = nullptr;
};
struct LendTemporaryExpr : Expr {
  const Expr* value = nullptr;
};
struct LendDynExpr : Expr {
  BorrowMode mode{};
  const Expr* place =
      nullptr;  // of a concrete type (table = its impl), of type Dyn[T] (traps when empty), or a dyn local
  const TraitInfo* trait = nullptr;
  const DispatchTable* table = nullptr;  // of a concrete type's impl (Checker::dispatch_table); null otherwise
};
/// Arguments, one per parameter. By the parameter's type: a value; Lend or LendTemporary for a single borrow; LendDyn
/// for a dyn; a view value (ViewOf, Part, Text, a Local of view type) for a view, whose node may have the parameter's
/// type. For a borrowed callable ro<fn(..)>: a Closure, a FunctionValue, a Load of a fn(..) place (traps when null), or
/// the Local of the caller's own ro<fn(..)> parameter.
struct CallExpr : Expr {
  const Function* callee = nullptr;
  List<const Expr* const> arguments;  // one per parameter, extents written out
};
struct CallValueExpr : Expr {
  const Expr* callee = nullptr;  // Load of a fn(..) local (traps when null), or Local of a ro<fn(..)> parameter
  bool borrowed = false;
  List<const Expr* const> arguments;
};
struct CallDynExpr : Expr {
  const TraitInfo* trait = nullptr;
  std::uint32_t member = 0;
  const Expr* receiver = nullptr;     // Local of dyn borrow type, or a Dyn place
  std::uint32_t receiver_index = 0;   // position of the receiver among the parameters
  List<const Expr* const> arguments;  // the receiver included (null there)
};
struct RecordExpr : Expr {
  List<const Expr* const> fields;
};
struct VariantExpr : Expr {
  std::uint32_t variant = 0;
  const Expr* payload = nullptr;  // null: none
};
struct BufNewExpr : Expr {
  const Expr* count = nullptr;
};
struct DynNewExpr : Expr {
  const Expr* value = nullptr;
  const TraitInfo* trait = nullptr;
  const DispatchTable* table = nullptr;  // of the value's type
};
struct ClosureExpr : Expr {
  Function* body = nullptr;  // its captures are the outer locals it names
};
/// The operand's success payload, or an early return of the enclosing function's failure with the same failure payload.
struct TryExpr : Expr {
  const Expr* operand = nullptr;  // success is variant 0, failure 1
  const Type* result = nullptr;   // the enclosing function's (or closure's) result type
};

enum class PrintAs : std::uint8_t { Byte, Integer, Bool, Float, Bytes };
struct PrintArgument {
  PrintAs as{};
  const Expr* value = nullptr;  // Bytes: a view value
};
struct PrintExpr : Expr {
  bool to_error = false;
  bool newline = false;
  List<const PrintArgument> arguments;
};
struct FormatExpr : Expr {
  const Expr* target = nullptr;  // a place of the lending record
  std::uint32_t buffer_field = 0;
  std::uint32_t length_field = 0;
  List<const PrintArgument> arguments;
};
struct AssertExpr : Expr {
  const Expr* condition = nullptr;
  bool has_message = false;
  std::string_view message;
};
struct AssertEqualExpr : Expr {
  const Expr* left = nullptr;
  const Expr* right = nullptr;
  bool has_message = false;
  std::string_view message;
};
struct TransferExpr : Expr {
  const Expr* destination = nullptr;  // view values
  const Expr* source = nullptr;
};
enum class MachineOp : std::uint8_t { MmioRead, MmioWrite, Asm };
struct MachineExpr : Expr {
  MachineOp op{};
  List<const Expr* const> arguments;
  std::string_view text;
};
struct LayoutValue;  // frontend/check/layouts.hpp
enum class LayoutQueryOp : std::uint8_t { At, Row, Col };
struct LayoutQueryExpr : Expr {
  LayoutQueryOp op{};
  const LayoutValue* layout = nullptr;
  List<const Expr* const> arguments;  // usize; each guarded against its extent
};

/// `spawn call` (a Call or Transfer) or `spawn parallel`; the value is a Ticket.
struct ParallelStmt;
struct SpawnExpr : Expr {
  const Expr* call = nullptr;
  const ParallelStmt* region = nullptr;
  List<Local* const> after;
};
enum class ConcurrentOp : std::uint16_t;  // frontend/check/concurrent_ops.hpp
struct ConcurrentExpr : Expr {
  ConcurrentOp op{};
  const Expr* receiver = nullptr;  // a place, when it has one
  List<const Expr* const> arguments;
  List<const StaticArgument> statics;
};

// -----------------------------------------------------------------------------------------------------------
// statements

enum class StmtKind : std::uint8_t {
  Let,
  Unpack,
  Assign,
  Compound,
  If,
  While,
  For,
  Match,
  Return,
  Break,
  Continue,
  Defer,
  Block,
  Expression,
  Storage,
  Parallel,
  Reduce,
  Scan,
  Compact,
  Into,
  Cooperative,
  Shared,
  Pipeline,
  Barrier,
  Asm,
};

struct Stmt {
  StmtKind kind{};
  Position position;

  template <class T>
  [[nodiscard]] const T& as() const {
    return static_cast<const T&>(*this);
  }
};

/// Leaving a block drops its owners in reverse order of declaration, interleaved with its defers.
struct Block {
  List<const Stmt* const> statements;
  bool leaves = false;  // control never reaches its end (1.11.5)
};

struct LetStmt : Stmt {
  Local* local = nullptr;  // hidden for `let _ = e;`: dropped at the end of the statement
  const Expr* value = nullptr;
};
struct UnpackStmt : Stmt {
  List<Local* const> locals;  // one per field; null: `_`, dropped at the end of the statement
  const Expr* value = nullptr;
};
/// The value first, then the place with its guards, then the store; an owner's old value is released at the store.
struct AssignStmt : Stmt {
  const Expr* place = nullptr;
  const Expr* value = nullptr;
};
/// The place with its guards first, once, then the value.
struct CompoundStmt : Stmt {
  BinaryOp op{};
  const Expr* place = nullptr;
  const Expr* value = nullptr;
};
struct IfStmt : Stmt {
  const Expr* condition = nullptr;
  const Block* then = nullptr;
  const Block* otherwise = nullptr;
};
struct WhileStmt : Stmt {
  const Expr* condition = nullptr;
  const Block* body = nullptr;
};
/// for binder in lo..hi. An element loop is one of these with hi = the length read once, whose body begins with the let
/// of its element.
struct ForStmt : Stmt {
  Local* binder = nullptr;
  const Expr* lo = nullptr;  // null: 0
  const Expr* hi = nullptr;
  const Block* body = nullptr;
};
struct MatchArm {
  std::uint32_t variant = 0;
  Local* binder = nullptr;     // null: no payload, or `_` (an owner payload is released where the arm ends)
  bool drops_payload = false;  // `_`
  const Block* body = nullptr;
};
struct MatchStmt : Stmt {
  const Expr* subject = nullptr;  // a value; consumed when it owns
  List<const MatchArm> arms;
};
struct ReturnStmt : Stmt {
  const Expr* value = nullptr;
};
struct DeferStmt : Stmt {
  const Expr* call = nullptr;
};
struct BlockStmt : Stmt {  // unsafe blocks too
  const Block* body = nullptr;
};
struct ExpressionStmt : Stmt {
  const Expr* value = nullptr;  // its result, when it has one, is dropped
};
struct StorageStmt : Stmt {
  Local* local = nullptr;  // Buffer or Stack
  const Expr* count = nullptr;
};
struct BreakStmt : Stmt {};
struct ContinueStmt : Stmt {};

/// An array from outside that the lanes of a region access: an element at a time, a part, or whole.
struct RegionAccess {
  const Local* root = nullptr;
  std::uint64_t stride = 0;  // of the block the element lies in; 0: it is not placed in one
  bool writes = false;
};
/// A lane body: a Function of one usize parameter (the index) whose captures are the outer locals it names. Where it
/// yields a value, that is its result.
struct ParallelStmt : Stmt {
  bool device = false;
  std::uint64_t block = 1;  // the largest stride at which its lanes write
  List<const RegionAccess> accesses;
  const Expr* extent = nullptr;
  Function* lane = nullptr;
  List<Local* const> after;
};
/// reduce: `lane` yields the term of its index; folded in index order (or, for the pooled form, as the numerics chapter
/// says).
struct ReduceStmt : Stmt {
  Reducer reducer{};
  bool parallel = false;
  bool warp = false;
  bool device = false;
  Local* result = nullptr;       // bound form
  const Expr* target = nullptr;  // element-place form: an Element
  const Expr* extent = nullptr;
  List<const RegionAccess> accesses;
  Function* lane = nullptr;
  const Expr* warp_value = nullptr;
};
struct ScanStmt : Stmt {
  Reducer reducer{};
  bool exclusive = false;
  bool parallel = false;
  bool device = false;
  Local* total = nullptr;        // null: nobody reads it
  const Expr* output = nullptr;  // a view value or Buf/Array place
  const Expr* extent = nullptr;
  Function* lane = nullptr;
};
/// compact. On the host the predicate and the projection are operands of a loop over the binder, as in ForStmt; on the
/// device they are lane bodies of the index.
struct CompactStmt : Stmt {
  bool device = false;
  Local* count = nullptr;
  const Expr* output = nullptr;  // a view value or Buf/Array place
  const Expr* extent = nullptr;
  Local* binder = nullptr;          // host
  const Expr* predicate = nullptr;  // host
  const Expr* projected = nullptr;  // host: evaluated for kept indices alone
  Function* condition = nullptr;    // device
  Function* yield = nullptr;        // device
};
struct IntoStmt : Stmt {
  const SpawnExpr* spawn = nullptr;
  Local* group = nullptr;
};
// Cooperative regions, typed assembly and pipelines: frontend/check/cooperative.hpp, frontend/check/assembly.hpp.

// ------------------------------------------------------------------------------------------------------------
// functions

enum class FunctionKind : std::uint8_t { Function, Kernel, Extern, Test, Closure, Lane };

struct Row;  // frontend/check/rows.hpp

struct Function {
  std::string_view name;  // full, with instance arguments: lib.rising[u64]
  FunctionKind kind{};
  const syntax::Decl* declaration = nullptr;  // FunctionDecl, ExternDecl or TestDecl; null for closures and lanes
  const FunctionInfo* info = nullptr;         // what it is an instance of; null for tests, closures and lanes
  const syntax::Ceiling* ceiling = nullptr;   // its own, or the trait member's it implements; null: none
  Name module;
  std::span<const StaticArgument> arguments;  // of an instance
  const Type* self = nullptr;                 // of an impl member: the type it is for
  std::span<Local* const> parameters;
  const Type* result = nullptr;  // void when none
  std::vector<Local*> locals;    // parameters first
  const Block* body = nullptr;   // null for externs, and until checked
  Function* parent = nullptr;    // the function a closure or lane stands in
  std::vector<Local*> captures;  // closure, lane: outer locals it names, directly or through inner ones
  std::string_view symbol;       // extern
  Row* row = nullptr;
  Position position;
  std::uint32_t index = 0;  // in Program::functions
  bool library = false;     // of a packaged module
};

struct Program {
  std::vector<std::unique_ptr<Function>>
      functions;                            // every concrete function and instance, closures and lanes included
  std::vector<Function*> tests;             // in declaration order
  Function* main = nullptr;                 // when asked for
  std::vector<const LayoutValue*> layouts;  // every declared one, in declaration order
};

}  // namespace cairn::checked
