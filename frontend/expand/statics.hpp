// The static language of recipes (abstractions, 10.2): naturals, booleans, types, fields and function names, and the
// expressions over them in ranges, `where` and `require`. Anything that has no value is E-RECIPE-STATIC at its
// expression.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/check/declarations.hpp"
#include "frontend/support/arena.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

/// Thrown when a type that another derivation may still generate is needed; the application is tried again later.
struct WaitsForType {};

/// A written type and the module its names resolve in.
struct TypeReference {
  const syntax::TypeExpr* type = nullptr;
  Name module;
};

struct StaticValue {
  enum class Kind : std::uint8_t { Natural, Bool, Type, Field, Function };
  Kind kind = Kind::Natural;
  std::uint64_t natural = 0;                   // Natural; Bool: 0 or 1
  TypeReference type;                          // Type
  const syntax::RecordDecl* record = nullptr;  // Field: of this record
  std::uint32_t field = 0;
  syntax::Path function;  // Function: as the derive wrote it
};

/// Names that stand for statics: one scope per recipe and per step of an `each`. A `where` is measured when first used.
class StaticScope {
 public:
  explicit StaticScope(StaticScope* outer) : outer_(outer) {}

  struct Binding {
    Name name;
    const syntax::Expr* pending = nullptr;  // a `where` not measured yet
    bool measuring = false;
    StaticValue value;
  };

  void bind(Name name, StaticValue value) { bindings_.push_back({name, nullptr, false, value}); }
  void bind_lazily(Name name, const syntax::Expr& expression) { bindings_.push_back({name, &expression, false, {}}); }

  struct Found {
    Binding* binding = nullptr;
    StaticScope* scope = nullptr;
  };
  [[nodiscard]] Found find(Name name);
  /// The longest name bound here or outside that `text` begins with.
  [[nodiscard]] Found longest_prefix(std::string_view text, const NameTable& names);

 private:
  StaticScope* outer_;
  std::vector<Binding> bindings_;
};

class Statics {
 public:
  /// `final`: nothing more will be generated, so unknown types are unknown for good.
  Statics(NameTable& names, const Declarations& table, bool final) : names_(names), table_(table), final_(final) {}

  StaticValue evaluate(const syntax::Expr& expression, StaticScope& scope);
  /// Counts one node of the application: over the limit it is E-EXPANSION-LIMIT there.
  void visit(Position position);
  StaticValue value_of(StaticScope::Found found, Position use);
  std::uint64_t natural(const syntax::Expr& expression, StaticScope& scope);
  bool boolean(const syntax::Expr& expression, StaticScope& scope);

  /// The steps of an `each`: fields of a record or naturals of a range. E-DERIVE-TYPE at the sequence for anything that
  /// is no plain record; E-EXPANSION-LIMIT for over 1024 steps.
  std::vector<StaticValue> steps(const syntax::EachHead& head, StaticScope& scope);

  /// What a type is to the static language.
  struct TypeFact {
    enum class Kind : std::uint8_t { Scalar, PlainRecord, Other };
    Kind kind = Kind::Other;
    std::string_view scalar;
    const syntax::RecordDecl* record = nullptr;
  };
  TypeFact fact(TypeReference reference);
  /// Bits of a scalar or, unpadded, of a plain record; E-RECIPE-STATIC at `use` for anything else.
  std::uint64_t bits(TypeReference reference, Position use, unsigned depth = 0);

 private:
  StaticValue call(const syntax::CallExpr& call, StaticScope& scope);
  StaticValue operate(const syntax::BinaryExpr& binary, const StaticValue& left, StaticScope& scope);
  StaticValue fold(const syntax::FoldExpr& fold, StaticScope& scope);
  StaticValue combine(syntax::BinaryOp op, const StaticValue& left, const StaticValue& right, Position use);
  TypeReference type_of(const StaticValue& value, Position use) const;
  TypeReference type_of_field(const syntax::RecordDecl& record, std::uint32_t field) const;

  NameTable& names_;
  const Declarations& table_;
  bool final_;
  std::uint32_t visits_ = 0;
};

/// A name without the `$` it may be written with.
[[nodiscard]] std::string_view without_dollar(std::string_view text);

}  // namespace cairn
