// The syntax tree of the whole language (syntax and values, section 1.3). Nodes live in an arena, are trivially
// destructible and never change after parsing; expansion (derive, families) makes new trees of the same nodes.
//
// Positions. Every node has `position`, the place a diagnostic about it points at (1.3.7): a binary, call, index, part
// or member expression stands at its leftmost operand, a parenthesized expression at the expression inside, a prefix at
// its operator, a statement or declaration at its first token (`pub` included). `span` is the text from first to last
// token.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "frontend/source/source_map.hpp"
#include "frontend/support/names.hpp"

namespace cairn::syntax {

template <class T>
using List = std::span<T>;

struct Identifier {
  Name name;
  Position position;
};

/// A dotted name, at least one segment.
struct Path {
  List<const Identifier> segments;
  [[nodiscard]] Position position() const { return segments.front().position; }
  [[nodiscard]] Name last() const { return segments.back().name; }
  [[nodiscard]] bool dotted() const { return segments.size() > 1; }
};

/// A natural as written: `value` is valid when `fits`; `digits` is the token's text (decimal, or hexadecimal with 0x).
struct Natural {
  std::uint64_t value = 0;
  bool fits = true;
  std::string_view digits;
  Position position;
};

enum class Placement : std::uint8_t { Host, Device, Pinned, Unified };

// ----------------------------------------------------------------------------------------------------------------
// types

enum class TypeKind : std::uint8_t { Borrow, Function, Dyn, Named, Natural };
enum class BorrowMode : std::uint8_t { Ro, Rw };

struct Expr;

/// One node for every written type. Which members hold is told by `kind`.
struct TypeExpr {
  TypeKind kind{};
  BorrowMode mode{};            // Borrow
  bool has_extent = false;      // Borrow: a view
  bool extent_is_name = false;  // Borrow with extent: `extent_name` else `natural`
  bool has_placement = false;
  Placement placement = Placement::Host;
  Position position;
  Span span;
  const TypeExpr* inner = nullptr;  // Borrow: what is borrowed; Function: the result, null for none
  Identifier extent_name;
  Natural natural;                        // Borrow extent literal; Natural: a static argument
  List<const TypeExpr* const> arguments;  // Function: parameters; Named: the bracket's arguments
  Path path;                              // Named, Dyn
};

// ----------------------------------------------------------------------------------------------------------
// expressions

enum class ExprKind : std::uint8_t {
  Integer,  // decimal or hexadecimal literal, or a character literal (`character` is set)
  Float,
  String,
  Bool,
  Name,
  Unary,  // - ! ~
  Try,
  Spawn,
  Binary,
  Call,
  Bracket,  // base[e1, ..., en]: an element (n = 1) or type arguments; meaning decides
  Part,     // base[lo..hi]
  Member,   // base.name
  Closure,
  Each,  // recipes only: each k in range { e, ... } as call arguments or under a fold
  Fold,  // recipes only
};

enum class UnaryOp : std::uint8_t { Negate, Not, Complement };
enum class BinaryOp : std::uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  And,
  Or,
  Xor,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  LogicalAnd,
  LogicalOr,
};

struct Expr {
  ExprKind kind{};
  bool parenthesized = false;  // stood in parentheses of its own
  Position position;
  Span span;

  template <class T>
  [[nodiscard]] const T& as() const {
    return static_cast<const T&>(*this);
  }
};

struct IntegerExpr : Expr {
  Natural value;
  bool character = false;  // 'c'
};
struct FloatExpr : Expr {
  std::string_view digits;  // as written
};
struct StringExpr : Expr {
  std::string_view bytes;  // escapes resolved; U+0080..U+00FF is one byte, beyond it '?'
};
struct BoolExpr : Expr {
  bool value = false;
};
struct NameExpr : Expr {
  Name name;
};
struct UnaryExpr : Expr {
  UnaryOp op{};
  const Expr* operand = nullptr;
};
struct TryExpr : Expr {
  const Expr* operand = nullptr;
};
struct BinaryExpr : Expr {
  BinaryOp op{};
  Position op_position;
  const Expr* left = nullptr;
  const Expr* right = nullptr;
};
struct CallExpr : Expr {
  const Expr* callee = nullptr;  // NameExpr, MemberExpr, or BracketExpr over one of them (else E-CALL at the callee)
  List<const Expr* const> arguments;
};
struct BracketExpr : Expr {
  const Expr* base = nullptr;
  List<const Expr* const> arguments;
};
struct PartExpr : Expr {
  const Expr* base = nullptr;
  const Expr* lo = nullptr;
  const Expr* hi = nullptr;
};
struct MemberExpr : Expr {
  const Expr* base = nullptr;
  Identifier member;
};

struct Parameter {
  Identifier name;
  const TypeExpr* type = nullptr;
};

struct Block;

struct ClosureExpr : Expr {
  List<const Parameter> parameters;
  const TypeExpr* result = nullptr;  // null: none written
  const Block* body = nullptr;
};

/// `spawn call [after a, b]` or `spawn parallel i in n [after ..] { }`.
struct SpawnExpr : Expr {
  const Expr* operand = nullptr;  // null for the parallel form
  Identifier binder;              // parallel form
  const Expr* extent = nullptr;
  const Block* body = nullptr;
  List<const Identifier> after;
};

/// The static sequence of a recipe's `each`: lo..hi, or one sequence expression (hi null). `wheres` in order.
struct StaticBinding {
  Identifier name;
  const Expr* value = nullptr;
};
struct EachHead {
  Identifier binder;
  const Expr* lo = nullptr;
  const Expr* hi = nullptr;
  List<const StaticBinding> wheres;
};
struct EachExpr : Expr {
  EachHead head;
  List<const Expr* const> values;
};
struct FoldExpr : Expr {
  bool is_operator = false;
  BinaryOp op{};
  Path function;  // when not an operator
  const EachExpr* each = nullptr;
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
  ForRange,
  ForEach,
  Match,
  Return,
  Break,
  Continue,
  Defer,
  Unsafe,
  Block,
  Storage,
  Parallel,
  Compact,
  Reduce,
  Scan,
  Into,
  Expression,
  Blocks,
  Shared,
  Pipeline,
  Barrier,
  Asm,
  Each,
  Require,  // recipes only
};

struct Stmt {
  StmtKind kind{};
  Position position;
  Span span;

  template <class T>
  [[nodiscard]] const T& as() const {
    return static_cast<const T&>(*this);
  }
};

struct Block {
  List<const Stmt* const> statements;
  Span span;  // braces included; an expression body `= e;` is a block of one return at e
};

struct LetStmt : Stmt {
  bool is_mutable = false;
  Identifier name;
  const TypeExpr* type = nullptr;    // null: none written
  const Expr* value = nullptr;       // null when `contracted`
  const Stmt* contracted = nullptr;  // CompactStmt, ReduceStmt or ScanStmt that binds this name
};
struct UnpackStmt : Stmt {
  bool is_mutable = false;
  Path record;
  List<const Identifier> names;
  const Expr* value = nullptr;
};
struct AssignStmt : Stmt {
  const Expr* place = nullptr;
  const Expr* value = nullptr;
};
struct CompoundStmt : Stmt {
  BinaryOp op{};
  const Expr* place = nullptr;
  const Expr* value = nullptr;
};
struct IfStmt : Stmt {
  const Expr* condition = nullptr;
  const Block* then = nullptr;
  const Block* otherwise = nullptr;  // `else if` is a block of one IfStmt
};
struct WhileStmt : Stmt {
  const Expr* condition = nullptr;
  const Block* body = nullptr;
};
struct ForRangeStmt : Stmt {  // also `each i in n { }`, whose lo is null (0)
  Identifier binder;
  const Expr* lo = nullptr;
  const Expr* hi = nullptr;
  const Block* body = nullptr;
};
struct ForEachStmt : Stmt {
  bool has_index = false;
  Identifier index;
  Identifier binder;
  const Expr* subject = nullptr;
  const Block* body = nullptr;
};
struct MatchArm {
  Path variant;
  bool has_binder = false;
  Identifier binder;
  const Block* body = nullptr;  // `=> s;` is a block of one statement
  Position position;
};
struct MatchStmt : Stmt {
  const Expr* subject = nullptr;
  List<const MatchArm> arms;
};
struct ReturnStmt : Stmt {
  const Expr* value = nullptr;  // null: none
  bool from_expression_body = false;
};
struct DeferStmt : Stmt {
  const Stmt* deferred = nullptr;
};
struct UnsafeStmt : Stmt {
  const Block* body = nullptr;
};
struct BlockStmt : Stmt {
  const Block* body = nullptr;
};
struct StorageStmt : Stmt {
  bool stack = false;  // else buffer
  bool has_placement = false;
  Placement placement = Placement::Host;
  Identifier name;
  const TypeExpr* element = nullptr;
  const Expr* capacity = nullptr;
};
struct ParallelStmt : Stmt {
  Identifier binder;
  const Expr* extent = nullptr;
  List<const Identifier> after;
  const Block* body = nullptr;
};
struct CompactStmt : Stmt {
  Identifier output;
  Identifier binder;
  const Expr* extent = nullptr;
  const Expr* condition = nullptr;
  const Expr* yield = nullptr;
};
enum class Reducer : std::uint8_t { Add, Multiply, And, Or, Xor, AddWrap, MulWrap, Min, Max };
struct ReduceStmt : Stmt {
  Reducer reducer{};
  Position reducer_position;
  bool parallel = false;
  bool warp = false;
  bool has_target = false;  // reduce + xs[e] for ...
  Identifier target;
  const Expr* target_index = nullptr;
  Identifier binder;  // not for warp
  const Expr* extent = nullptr;
  const Expr* yield = nullptr;
};
struct ScanStmt : Stmt {
  Reducer reducer{};
  Position reducer_position;
  bool exclusive = false;
  bool parallel = false;
  Identifier output;
  Identifier binder;
  const Expr* extent = nullptr;
  const Expr* yield = nullptr;
};
struct IntoStmt : Stmt {
  const Expr* spawn = nullptr;
  Identifier group;
};
struct ExpressionStmt : Stmt {
  const Expr* value = nullptr;
};
struct BlocksStmt : Stmt {
  List<const Identifier> block_names;
  List<const Expr* const> block_extents;
  List<const Identifier> thread_names;
  List<const Expr* const> thread_extents;
  const Block* body = nullptr;
  bool has_then = false;
  Position then_position;
  List<const Identifier> then_names;
  List<const Expr* const> then_extents;
  const Block* then_body = nullptr;
};
struct SharedStmt : Stmt {
  Identifier name;
  Path element;
  const Expr* extent = nullptr;
  bool zeroed = false;
};
struct PipelineStmt : Stmt {
  Identifier name;
  Path element;
  const Expr* extent = nullptr;
  const Expr* depth = nullptr;
};
struct EffectLabel {
  std::string_view text;  // tokens joined by ':'
  Position position;
};
struct AsmOperand {
  bool output = false;
  Identifier name;                 // output
  const TypeExpr* type = nullptr;  // output
  const Expr* value = nullptr;     // input, or an output's initial value (null: none)
};
struct AsmStmt : Stmt {
  bool is_volatile = false;
  Identifier target;
  bool has_second = false;
  Identifier second;
  std::string_view text;  // escapes resolved
  Position text_position;
  List<const AsmOperand> operands;
  List<const Identifier> clobbers;
  bool has_effects = false;
  List<const EffectLabel> effects;
};
struct EachStmt : Stmt {
  EachHead head;
  const Block* body = nullptr;
};
struct RequireStmt : Stmt {
  const Expr* condition = nullptr;
  std::string_view message;
};

// ---------------------------------------------------------------------------------------------------------
// declarations

enum class BoundKind : std::uint8_t { None, Nat, Type, Traits };
struct GenericParameter {
  Identifier name;
  BoundKind bound = BoundKind::None;
  List<const Path> traits;  // BoundKind::Traits: traits and classes, joined with +
};

struct Ceiling {
  bool present = false;
  bool pure_alone = false;  // written `pure`, else effects( .. )
  List<const EffectLabel> labels;
  Position position;
};

struct TuneChoice {
  Identifier name;
  List<const Natural> values;
};
struct Implements {
  bool present = false;
  Path reference;
  const Expr* when = nullptr;
  List<const TuneChoice> tune;
  List<const EffectLabel> needs;
  Position position;
};

struct Signature {
  Identifier name;
  List<const GenericParameter> generics;
  List<const Parameter> parameters;
  const TypeExpr* result = nullptr;  // null: no result
  Ceiling ceiling;
};

enum class DeclKind : std::uint8_t {
  Module,
  Import,
  Const,
  Alias,
  Record,
  Sum,
  Trait,
  Impl,
  Extern,
  Function,
  Recipe,
  Test,
  Layout,
  Plan,
  Derive,
  Family,
};

struct Decl {
  DeclKind kind{};
  bool is_public = false;
  Name module;        // the full dotted name of the module it stands in; no name for the root
  Identifier name;    // its own name; none for import, impl, plan, derive
  Position position;  // first token, `pub` included
  Span span;
  std::string_view derived;  // generated: "derive NAME for TYPE"; empty when written

  template <class T>
  [[nodiscard]] const T& as() const {
    return static_cast<const T&>(*this);
  }
};

struct ModuleDecl : Decl {
  Path path;
};
struct ImportDecl : Decl {
  Path path;
  bool has_alias = false;
  Identifier alias;
  List<const Identifier> names;
};
struct ConstDecl : Decl {
  const TypeExpr* type = nullptr;
  const Expr* value = nullptr;
};
struct AliasDecl : Decl {
  const TypeExpr* type = nullptr;
};
struct Field {
  Identifier name;
  const TypeExpr* type = nullptr;
  bool has_extent = false;
  Identifier extent;
};
struct LendsBound {
  bool is_name = false;
  Identifier name;
  Natural natural;
};
struct RecordDecl : Decl {
  bool linear = false;
  bool packed = false;
  bool has_align = false;
  Natural align;
  List<const GenericParameter> generics;
  List<const Field> fields;
  bool has_lends = false;
  Identifier lends;
  LendsBound lends_lo;
  LendsBound lends_hi;
};
struct Variant {
  Identifier name;
  const TypeExpr* payload = nullptr;  // null: none
};
struct SumDecl : Decl {
  List<const GenericParameter> generics;
  List<const Variant> variants;
};
struct TraitDecl : Decl {
  List<const Signature> members;
};
struct FunctionDecl : Decl {
  Signature signature;
  bool kernel = false;
  bool expression_body = false;
  bool impl_member = false;
  const Block* body = nullptr;
  Implements implements;
  const FunctionDecl* copy_of = nullptr;  // made by a family: the template whose signature and body these are, ...
  std::uint64_t copy_value = 0;           // ... which resolve in its module, with its one natural parameter being this
};
struct ImplDecl : Decl {
  List<const GenericParameter> generics;
  Path trait;
  const TypeExpr* type = nullptr;
  List<const FunctionDecl* const> members;
};
struct ExternDecl : Decl {
  Signature signature;
  bool has_symbol = false;
  std::string_view symbol;
  Position symbol_position;
  bool has_launch = false;
  bool launch_is_name = false;
  Identifier launch_name;
  Natural launch_threads;
  Natural launch_block;
  Position launch_position;
};
struct TestDecl : Decl {
  const Block* body = nullptr;
};
struct LayoutDecl : Decl {
  const Expr* value = nullptr;
};
struct PlanItem {
  Identifier name;
  Natural value;
};
struct PlanDecl : Decl {
  Path function;
  bool selects = false;  // plan f use g[..];
  Path chosen;
  bool has_values = false;
  List<const Natural> values;
  List<const PlanItem> items;
};
struct DeriveArgument {
  bool is_natural = false;
  Natural natural;
  Path path;
};
struct DeriveDecl : Decl {
  Path recipe;
  List<const DeriveArgument> arguments;
  bool has_target = false;
  Path target;
};
struct FamilyDecl : Decl {
  Path function;
  Natural lo;
  Natural hi;
};

/// A recipe's items: an each over items, a require, or a declaration whose names may hold `$` splices. A record's
/// fields may come from `each` as well, so recipe records keep their own shape tree.
struct RecipeField {
  bool is_each = false;
  EachHead each;
  List<const RecipeField> fields;  // is_each
  Field field;                     // else
};
enum class RecipeItemKind : std::uint8_t { Each, Require, Record, Impl, Function };
struct RecipeItem {
  RecipeItemKind kind{};
  bool is_public = false;
  Position position;
  EachHead each;
  List<const RecipeItem> items;  // Each
  const RequireStmt* require = nullptr;
  Identifier record;  // Record
  List<const RecipeField> fields;
  const ImplDecl* impl = nullptr;
  const FunctionDecl* function = nullptr;
};
struct RecipeParameter {
  Identifier name;
  bool is_function = false;  // else nat
};
struct RecipeDecl : Decl {
  List<const RecipeParameter> parameters;
  bool has_target = false;
  Identifier target;
  List<const StaticBinding> wheres;
  List<const RecipeItem> items;
};

/// One or more files parsed in order; `module` headers carry over from file to file, as the language says.
struct Program {
  List<const Decl* const> declarations;  // Module headers and imports included, in text order
  std::uint32_t nodes = 0;               // expressions, statements, types and declarations made
};

}  // namespace cairn::syntax
