#include "frontend/expand/statics.hpp"

#include <algorithm>
#include <array>

#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

using namespace syntax;

namespace {

constexpr std::uint64_t kMostSteps = 1024;
constexpr std::uint32_t kMostMade = 3'200'000;

[[noreturn]] void refuse_static(Position position, std::string message) {
  refuse(Code::RecipeStatic, position, std::move(message));
}

StaticValue natural_value(std::uint64_t value) {
  StaticValue result;
  result.natural = value;
  return result;
}
StaticValue bool_value(bool value) {
  StaticValue result;
  result.kind = StaticValue::Kind::Bool;
  result.natural = value ? 1 : 0;
  return result;
}

struct ScalarBits {
  std::string_view name;
  std::uint64_t bits;
};
constexpr std::array kScalarBits = {
    ScalarBits{"bool", 8}, ScalarBits{"u8", 8},   ScalarBits{"u16", 16}, ScalarBits{"u32", 32},
    ScalarBits{"u64", 64}, ScalarBits{"i8", 8},   ScalarBits{"i16", 16}, ScalarBits{"i32", 32},
    ScalarBits{"i64", 64}, ScalarBits{"f32", 32}, ScalarBits{"f64", 64}, ScalarBits{"usize", 64},
};

bool is_unsigned(std::string_view scalar) { return scalar.starts_with('u'); }
bool is_signed(std::string_view scalar) { return scalar.starts_with('i'); }
bool is_float(std::string_view scalar) { return scalar.starts_with('f'); }

}  // namespace

std::string_view without_dollar(std::string_view text) { return text.starts_with('$') ? text.substr(1) : text; }

// ---------------------------------------------------------------------------------------------------------------
// scopes

StaticScope::Found StaticScope::find(Name name) {
  for (StaticScope* scope = this; scope != nullptr; scope = scope->outer_) {
    for (Binding& binding : scope->bindings_) {
      if (binding.name == name) return {&binding, scope};
    }
  }
  return {};
}

StaticScope::Found StaticScope::longest_prefix(std::string_view text, const NameTable& names) {
  Found best;
  std::size_t length = 0;
  for (StaticScope* scope = this; scope != nullptr; scope = scope->outer_) {
    for (Binding& binding : scope->bindings_) {
      const std::string_view name = names.text(binding.name);
      if (name.size() > length && text.starts_with(name)) {
        best = {&binding, scope};
        length = name.size();
      }
    }
  }
  return best;
}

// ----------------------------------------------------------------------------------------------------------
// expressions

StaticValue Statics::value_of(StaticScope::Found found, Position use) {
  StaticScope::Binding& binding = *found.binding;
  if (binding.pending == nullptr) return binding.value;
  if (binding.measuring) refuse_static(use, "This static is defined through itself.");
  binding.measuring = true;
  const StaticValue value = evaluate(*binding.pending, *found.scope);
  binding.value = value;
  binding.measuring = false;
  binding.pending = nullptr;
  return value;
}

void Statics::visit(Position position) {
  if (++visits_ > kMostMade) {
    refuse(Code::ExpansionLimit, position,
           "One application of a recipe makes at most " + std::to_string(kMostMade) + " nodes.");
  }
}

StaticValue Statics::evaluate(const Expr& expression, StaticScope& scope) {
  visit(expression.position);
  switch (expression.kind) {
    case ExprKind::Integer: {
      const auto& literal = expression.as<IntegerExpr>();
      if (literal.character || !literal.value.fits) break;
      return natural_value(literal.value.value);
    }
    case ExprKind::Bool:
      return bool_value(expression.as<BoolExpr>().value);
    case ExprKind::Name: {
      const std::string_view text = without_dollar(names_.text(expression.as<NameExpr>().name));
      const auto found = scope.find(names_.find(text));
      if (found.binding == nullptr) refuse_static(expression.position, std::string(text) + " is no static here.");
      return value_of(found, expression.position);
    }
    case ExprKind::Unary: {
      const auto& unary = expression.as<UnaryExpr>();
      if (unary.op != UnaryOp::Not) break;
      return bool_value(!boolean(*unary.operand, scope));
    }
    case ExprKind::Binary: {
      // A chain of left operands may be of any length.
      std::vector<const BinaryExpr*> chain;
      const Expr* first = &expression;
      while (first->kind == ExprKind::Binary) {
        chain.push_back(&first->as<BinaryExpr>());
        first = chain.back()->left;
      }
      StaticValue value = evaluate(*first, scope);
      for (std::size_t k = chain.size(); k-- > 0;) value = operate(*chain[k], value, scope);
      return value;
    }
    case ExprKind::Call:
      return call(expression.as<CallExpr>(), scope);
    case ExprKind::Fold:
      return fold(expression.as<FoldExpr>(), scope);
    default:
      break;
  }
  refuse_static(expression.position,
                "This has no static value. Statics are naturals, booleans, types, fields and function names, with "
                "arithmetic, comparisons, fold and facts such as bits(f) and count(R).");
}

std::uint64_t Statics::natural(const Expr& expression, StaticScope& scope) {
  const StaticValue value = evaluate(expression, scope);
  if (value.kind != StaticValue::Kind::Natural) refuse_static(expression.position, "A static natural is needed here.");
  return value.natural;
}

bool Statics::boolean(const Expr& expression, StaticScope& scope) {
  const StaticValue value = evaluate(expression, scope);
  if (value.kind != StaticValue::Kind::Bool) refuse_static(expression.position, "A static condition is needed here.");
  return value.natural != 0;
}

StaticValue Statics::operate(const BinaryExpr& binary, const StaticValue& left, StaticScope& scope) {
  if (binary.op == BinaryOp::LogicalAnd || binary.op == BinaryOp::LogicalOr) {
    if (left.kind != StaticValue::Kind::Bool) refuse_static(binary.position, "A static condition is needed here.");
    const bool decided = (left.natural != 0) == (binary.op == BinaryOp::LogicalOr);
    return decided ? left : bool_value(boolean(*binary.right, scope));
  }
  return combine(binary.op, left, evaluate(*binary.right, scope), binary.position);
}

StaticValue Statics::combine(BinaryOp op, const StaticValue& left, const StaticValue& right, Position use) {
  using Kind = StaticValue::Kind;
  if (op == BinaryOp::LogicalAnd || op == BinaryOp::LogicalOr) {
    if (left.kind != Kind::Bool || right.kind != Kind::Bool) refuse_static(use, "Two static conditions are needed.");
    return bool_value(op == BinaryOp::LogicalAnd ? (left.natural & right.natural) != 0
                                                 : (left.natural | right.natural) != 0);
  }
  if (left.kind != Kind::Natural || right.kind != Kind::Natural) refuse_static(use, "Two static naturals are needed.");
  const std::uint64_t a = left.natural;
  const std::uint64_t b = right.natural;
  std::uint64_t out = 0;
  switch (op) {
    case BinaryOp::Add:
      if (__builtin_add_overflow(a, b, &out)) refuse_static(use, "This static sum does not fit 64 bits.");
      return natural_value(out);
    case BinaryOp::Subtract:
      if (b > a) {
        refuse_static(use, "This static is negative: " + std::to_string(a) + " - " + std::to_string(b) + ".");
      }
      return natural_value(a - b);
    case BinaryOp::Multiply:
      if (__builtin_mul_overflow(a, b, &out)) refuse_static(use, "This static product does not fit 64 bits.");
      return natural_value(out);
    case BinaryOp::Divide:
    case BinaryOp::Remainder:
      if (b == 0) refuse_static(use, "This static divides by zero.");
      return natural_value(op == BinaryOp::Divide ? a / b : a % b);
    case BinaryOp::Equal:
      return bool_value(a == b);
    case BinaryOp::NotEqual:
      return bool_value(a != b);
    case BinaryOp::Less:
      return bool_value(a < b);
    case BinaryOp::LessEqual:
      return bool_value(a <= b);
    case BinaryOp::Greater:
      return bool_value(a > b);
    case BinaryOp::GreaterEqual:
      return bool_value(a >= b);
    default:
      refuse_static(use, "Statics have + - * / %, comparisons, && || and !.");
  }
}

StaticValue Statics::fold(const FoldExpr& fold, StaticScope& scope) {
  if (!fold.is_operator) refuse_static(fold.position, "A static fold joins with an operator.");
  bool is_first = true;
  StaticValue total;
  for (const StaticValue& step : steps(fold.each->head, scope)) {
    StaticScope inner(&scope);
    const auto bare = [&](Name name) { return names_.intern(without_dollar(names_.text(name))); };
    inner.bind(bare(fold.each->head.binder.name), step);
    for (const StaticBinding& where : fold.each->head.wheres) inner.bind_lazily(bare(where.name.name), *where.value);
    for (const Expr* each : fold.each->values) {
      const StaticValue value = evaluate(*each, inner);
      total = is_first ? value : combine(fold.op, total, value, fold.position);
      is_first = false;
    }
  }
  if (is_first) refuse_static(fold.position, "This fold joins nothing.");
  return total;
}

// ----------------------------------------------------------------------------------------------------------------
// facts

TypeReference Statics::type_of_field(const RecordDecl& record, std::uint32_t field) const {
  return {record.fields[field].type, record.module};
}

TypeReference Statics::type_of(const StaticValue& value, Position use) const {
  if (value.kind == StaticValue::Kind::Type) return value.type;
  if (value.kind == StaticValue::Kind::Field) return type_of_field(*value.record, value.field);
  refuse_static(use, "A field or a type is needed here.");
}

Statics::TypeFact Statics::fact(TypeReference reference) {
  const TypeExpr* type = reference.type;
  if (type->kind != syntax::TypeKind::Named || !type->arguments.empty()) return {};
  std::vector<Name> path;
  for (const Identifier& segment : type->path.segments) path.push_back(segment.name);
  if (path.size() == 1) {
    const auto* scalar = std::ranges::find(kScalarBits, names_.text(path[0]), &ScalarBits::name);
    if (scalar != kScalarBits.end()) return {TypeFact::Kind::Scalar, scalar->name, nullptr};
    constexpr std::array<std::string_view, 7> others = {"f16", "bf16", "f8e4m3", "f8e5m2", "IoRing", "Order", "Cache"};
    if (std::ranges::find(others, names_.text(path[0])) != others.end()) return {};
  }
  const Symbol symbol = table_.lookup(path, reference.module, kWantType);
  if (!symbol) {
    if (!final_) throw WaitsForType{};
    return {};
  }
  if (symbol.kind == Symbol::Kind::Alias)
    return fact({symbol.declaration->as<AliasDecl>().type, symbol.declaration->module});
  if (symbol.kind != Symbol::Kind::Record) return {};
  const auto& record = symbol.declaration->as<RecordDecl>();
  if (!record.generics.empty()) return {};
  return {TypeFact::Kind::PlainRecord, {}, &record};
}

std::uint64_t Statics::bits(TypeReference reference, Position use, unsigned depth) {
  constexpr unsigned kDeepest = 64;
  const TypeFact known = fact(reference);
  if (known.kind == TypeFact::Kind::Scalar)
    return std::ranges::find(kScalarBits, known.scalar, &ScalarBits::name)->bits;
  if (known.kind != TypeFact::Kind::PlainRecord || depth == kDeepest) {
    refuse_static(use, "Only scalars and plain records of them have bits.");
  }
  std::uint64_t sum = 0;
  for (std::uint32_t field = 0; field < known.record->fields.size(); ++field) {
    sum += bits(type_of_field(*known.record, field), use, depth + 1);
  }
  return sum;
}

StaticValue Statics::call(const CallExpr& call, StaticScope& scope) {
  if (call.callee->kind != ExprKind::Name) refuse_static(call.position, "This is no static fact.");
  const std::string_view name = names_.text(call.callee->as<NameExpr>().name);
  const bool is_extremum = name == "min" || name == "max";
  if (call.arguments.size() != (is_extremum ? 2U : 1U)) {
    refuse_static(call.position, std::string(name) + " with " + std::to_string(call.arguments.size()) +
                                     " arguments is no static fact.");
  }
  if (is_extremum) {
    const std::uint64_t a = natural(*call.arguments[0], scope);
    const std::uint64_t b = natural(*call.arguments[1], scope);
    return natural_value(name == "min" ? std::min(a, b) : std::max(a, b));
  }
  const StaticValue of = evaluate(*call.arguments[0], scope);
  const Position use = call.position;
  if (name == "bits") return natural_value(bits(type_of(of, use), use));
  if (name == "bytes") return natural_value(bits(type_of(of, use), use) / 8);
  if (name == "typeof") {
    StaticValue value;
    value.kind = StaticValue::Kind::Type;
    value.type = type_of(of, use);
    return value;
  }
  if (name == "count") {
    const TypeFact known = fact(type_of(of, use));
    if (known.kind != TypeFact::Kind::PlainRecord) refuse_static(use, "count takes a plain record.");
    return natural_value(known.record->fields.size());
  }
  if (name == "index" || name == "offset") {
    if (of.kind != StaticValue::Kind::Field) refuse_static(use, std::string(name) + " takes a field.");
    if (name == "index") return natural_value(of.field);
    std::uint64_t before = 0;
    for (std::uint32_t field = 0; field < of.field; ++field) before += bits(type_of_field(*of.record, field), use) / 8;
    return natural_value(before);
  }
  const auto classified = [&](auto test) { return bool_value(test(fact(type_of(of, use)))); };
  using Fact = TypeFact::Kind;
  if (name == "scalar") return classified([](const TypeFact& it) { return it.kind == Fact::Scalar; });
  if (name == "record") return classified([](const TypeFact& it) { return it.kind == Fact::PlainRecord; });
  if (name == "unsigned") return classified([](const TypeFact& it) { return is_unsigned(it.scalar); });
  if (name == "signed") return classified([](const TypeFact& it) { return is_signed(it.scalar); });
  if (name == "float") return classified([](const TypeFact& it) { return is_float(it.scalar); });
  if (name == "integer") {
    return classified([](const TypeFact& it) { return is_unsigned(it.scalar) || is_signed(it.scalar); });
  }
  refuse_static(use, std::string(name) + " is no static fact.");
}

std::vector<StaticValue> Statics::steps(const EachHead& head, StaticScope& scope) {
  std::vector<StaticValue> all;
  if (head.hi != nullptr) {
    const std::uint64_t lo = natural(*head.lo, scope);
    const std::uint64_t hi = natural(*head.hi, scope);
    if (hi > lo && hi - lo > kMostSteps) {
      refuse(Code::ExpansionLimit, head.lo->position,
             "An each takes at most " + std::to_string(kMostSteps) + " steps; this one would take " +
                 std::to_string(hi - lo) + ".");
    }
    for (std::uint64_t k = lo; k < hi; ++k) all.push_back(natural_value(k));
    return all;
  }
  const StaticValue sequence = evaluate(*head.lo, scope);
  TypeFact known;
  if (sequence.kind == StaticValue::Kind::Type) known = fact(sequence.type);
  if (known.kind != TypeFact::Kind::PlainRecord) {
    refuse(Code::DeriveType, head.lo->position, "each goes through the fields of a plain record, and this is none.");
  }
  if (known.record->fields.size() > kMostSteps) {
    refuse(Code::ExpansionLimit, head.lo->position,
           "An each takes at most " + std::to_string(kMostSteps) + " steps; this record has " +
               std::to_string(known.record->fields.size()) + " fields.");
  }
  for (std::uint32_t field = 0; field < known.record->fields.size(); ++field) {
    StaticValue value;
    value.kind = StaticValue::Kind::Field;
    value.record = known.record;
    value.field = field;
    all.push_back(value);
  }
  return all;
}

}  // namespace cairn
