// What a derived gradient knows of the function it differentiates (numerics, 8.4): which names stand for what, and of
// every expression whether a derivative flows through it, its type as far as the syntax tells, and whether it calls.
//
// A statement is reached along one path only (a branch that falls through has done nothing), so what is known of an
// expression never changes once it has been asked.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/check/builtins.hpp"
#include "frontend/check/declarations.hpp"
#include "frontend/support/arena.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

/// A value's type as far as syntax tells it. A literal takes the type its context expects.
enum class ValueKind : std::uint8_t { Unknown, IntegerLiteral, FloatLiteral, F32, F64, Integer, Storage, Bool, View };

[[nodiscard]] constexpr bool is_float(ValueKind kind) { return kind == ValueKind::F32 || kind == ValueKind::F64; }

/// A function with a derived gradient: which of its parameters are differentiated.
struct DerivedGradient {
  const syntax::DeriveDecl* derive = nullptr;
  const syntax::FunctionDecl* function = nullptr;
  std::vector<bool> differentiated;
};

/// What the gradients of one program share.
struct GradientProgram {
  Arena& arena;
  NameTable& names;
  const Declarations& table;
  BuiltinNames builtins;
  std::unordered_map<const syntax::Decl*, DerivedGradient> derived;  // by the differentiated function

  /// The kind of a written type; of a borrow, that of what it lends.
  [[nodiscard]] ValueKind kind_of(const syntax::TypeExpr& type) const;
};

struct GradientVariable {
  enum class Role : std::uint8_t {
    Data,    // carries no derivative
    Value,   // a differentiated parameter or a local
    View,    // a differentiated view
    Output,  // a float view the function writes
    Sum,     // a `let mut` that one loop adds into
  };
  Role role = Role::Data;
  bool is_view = false;
  bool active = false;
  ValueKind kind = ValueKind::Unknown;     // of a view, its elements'
  const syntax::TypeExpr* type = nullptr;  // as written; null when it was not
  // Sum: the loop that adds into it (null: none does), and whether that loop is behind.
  const syntax::Stmt* loop = nullptr;
  bool is_complete = false;
};

/// What a call calls, as far as names tell.
struct GradientCallee {
  enum class Kind : std::uint8_t {
    Convert,    // f32(..), f64(..): `result` is the type converted to
    Root,       // sqrt
    Magnitude,  // abs
    Step,       // floor ceil trunc
    Exp,        // of std.math
    Log,        // of std.math
    Length,     // len
    Builtin,    // another builtin, conversion or constructor
    Function,   // `function` of the program
    Value,      // a function value, or a name that means nothing
    Method,
  };
  Kind kind = Kind::Value;
  const syntax::Decl* function = nullptr;
  ValueKind result = ValueKind::Unknown;
};

struct ExpressionFacts {
  bool active = false;
  bool calls = false;  // holds a call other than f32 f64 sqrt abs floor ceil trunc
  ValueKind kind = ValueKind::Unknown;
};

class GradientFacts {
 public:
  GradientFacts(const GradientProgram& program, Name module) : program_(program), module_(module) {}

  GradientVariable& declare(Name name, const GradientVariable& variable);
  /// Null for a name that is no parameter, local or binder.
  [[nodiscard]] const GradientVariable* variable(Name name) const;
  [[nodiscard]] GradientVariable* variable(Name name);

  [[nodiscard]] ExpressionFacts of(const syntax::Expr& expression);
  [[nodiscard]] GradientCallee callee(const syntax::CallExpr& call) const;
  /// The dotted name an expression is; empty when it is none.
  [[nodiscard]] std::vector<Name> path_of(const syntax::Expr& expression) const;
  /// The variable an expression is the bare name of; null when it is none.
  [[nodiscard]] const GradientVariable* named(const syntax::Expr& expression) const;
  [[nodiscard]] const GradientProgram& program() const { return program_; }
  [[nodiscard]] Name module() const { return module_; }

 private:
  ExpressionFacts own_facts(const syntax::Expr& expression);
  ExpressionFacts combined(const syntax::BinaryExpr& expression);
  ExpressionFacts call_facts(const syntax::CallExpr& call);
  ExpressionFacts named_value(Name name) const;
  ExpressionFacts element_facts(const syntax::BracketExpr& element);
  /// Of a form with no derivative of its own: active when something active stands in it.
  ExpressionFacts other_facts(const syntax::Expr& expression);
  [[nodiscard]] ValueKind member_kind(const syntax::MemberExpr& member) const;
  [[nodiscard]] GradientCallee builtin(Name name, const syntax::BracketExpr* bracket) const;
  [[nodiscard]] ValueKind named_kind(const syntax::Expr& type) const;

  const GradientProgram& program_;
  Name module_;
  std::unordered_map<Name, GradientVariable> variables_;
  std::unordered_map<const syntax::Expr*, ExpressionFacts> known_;
};

}  // namespace cairn
