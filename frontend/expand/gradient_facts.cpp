#include "frontend/expand/gradient_facts.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "frontend/check/syntax_walk.hpp"

namespace cairn {

using namespace syntax;

namespace {

struct ScalarRow {
  std::string_view name;
  ValueKind kind;
};
constexpr std::array<ScalarRow, 16> kScalars = {{{"f32", ValueKind::F32},
                                                 {"f64", ValueKind::F64},
                                                 {"f16", ValueKind::Storage},
                                                 {"bf16", ValueKind::Storage},
                                                 {"f8e4m3", ValueKind::Storage},
                                                 {"f8e5m2", ValueKind::Storage},
                                                 {"bool", ValueKind::Bool},
                                                 {"u8", ValueKind::Integer},
                                                 {"u16", ValueKind::Integer},
                                                 {"u32", ValueKind::Integer},
                                                 {"u64", ValueKind::Integer},
                                                 {"usize", ValueKind::Integer},
                                                 {"i8", ValueKind::Integer},
                                                 {"i16", ValueKind::Integer},
                                                 {"i32", ValueKind::Integer},
                                                 {"i64", ValueKind::Integer}}};

ValueKind scalar_kind(std::string_view name) {
  const auto* found = std::ranges::find(kScalars, name, &ScalarRow::name);
  return found == kScalars.end() ? ValueKind::Unknown : found->kind;
}

bool is_literal(ValueKind kind) { return kind == ValueKind::IntegerLiteral || kind == ValueKind::FloatLiteral; }

std::vector<Name> names_of(const Path& path) {
  std::vector<Name> names;
  for (const Identifier& segment : path.segments) names.push_back(segment.name);
  return names;
}

}  // namespace

// --------------------------------------------------------------------------------------------------------- the program

ValueKind GradientProgram::kind_of(const TypeExpr& type) const {
  const TypeExpr& written = type.kind == syntax::TypeKind::Borrow ? *type.inner : type;
  if (written.kind != syntax::TypeKind::Named || written.path.dotted()) return ValueKind::Unknown;
  return scalar_kind(names.text(written.path.last()));
}

// ----------------------------------------------------------------------------------------------------------- variables

GradientVariable& GradientFacts::declare(Name name, const GradientVariable& variable) {
  return variables_[name] = variable;
}

const GradientVariable* GradientFacts::variable(Name name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

GradientVariable* GradientFacts::variable(Name name) {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

const GradientVariable* GradientFacts::named(const Expr& expression) const {
  return expression.kind == ExprKind::Name ? variable(expression.as<NameExpr>().name) : nullptr;
}

std::vector<Name> GradientFacts::path_of(const Expr& expression) const {
  std::vector<Name> path;
  const Expr* at = &expression;
  for (; at->kind == ExprKind::Member; at = at->as<MemberExpr>().base) path.push_back(at->as<MemberExpr>().member.name);
  if (at->kind != ExprKind::Name) return {};
  path.push_back(at->as<NameExpr>().name);
  std::ranges::reverse(path);
  return path;
}

// ------------------------------------------------------------------------------------------------------------- callees

ValueKind GradientFacts::named_kind(const Expr& type) const {
  if (type.kind != ExprKind::Name) return ValueKind::Unknown;
  return scalar_kind(program_.names.text(type.as<NameExpr>().name));
}

GradientCallee GradientFacts::builtin(Name name, const BracketExpr* bracket) const {
  using Kind = GradientCallee::Kind;
  const std::string_view text = program_.names.text(name);
  if (const ValueKind scalar = scalar_kind(text); scalar != ValueKind::Unknown) {
    return {cairn::is_float(scalar) ? Kind::Convert : Kind::Builtin, nullptr, scalar};
  }
  if (text == "sqrt") return {Kind::Root, nullptr, {}};
  if (text == "abs") return {Kind::Magnitude, nullptr, {}};
  if (text == "floor" || text == "ceil" || text == "trunc") return {Kind::Step, nullptr, {}};
  if (text == "len") return {Kind::Length, nullptr, ValueKind::Integer};
  if (text == "to_bits") return {Kind::Builtin, nullptr, ValueKind::Integer};
  if (bracket != nullptr && !bracket->arguments.empty()) {
    return {Kind::Builtin, nullptr, named_kind(*bracket->arguments.front())};
  }
  return {Kind::Builtin, nullptr, {}};
}

GradientCallee GradientFacts::callee(const CallExpr& call) const {
  using Kind = GradientCallee::Kind;
  const auto* bracket = call.callee->kind == ExprKind::Bracket ? &call.callee->as<BracketExpr>() : nullptr;
  const Expr& target = bracket != nullptr ? *bracket->base : *call.callee;
  const std::vector<Name> path = path_of(target);
  if (path.empty()) return {target.kind == ExprKind::Member ? Kind::Method : Kind::Value, nullptr, {}};
  if (variable(path.front()) != nullptr) return {path.size() > 1 ? Kind::Method : Kind::Value, nullptr, {}};
  const NameTable& names = program_.names;
  if (const Symbol symbol = program_.table.lookup(path, module_, kWantFunction)) {
    const Decl& declaration = *symbol.declaration;
    const std::string_view name = names.text(declaration.name.name);
    const bool is_math = names.text(declaration.module) == "std.math";
    const Signature& signature = declaration.kind == DeclKind::Extern ? declaration.as<ExternDecl>().signature
                                                                      : declaration.as<FunctionDecl>().signature;
    const ValueKind result = signature.result == nullptr ? ValueKind::Unknown : program_.kind_of(*signature.result);
    if (is_math && name == "exp") return {Kind::Exp, &declaration, result};
    if (is_math && name == "log") return {Kind::Log, &declaration, result};
    return {Kind::Function, &declaration, result};
  }
  if (path.size() == 1) {
    const BuiltinClass builtin_class = program_.builtins.class_of(path.front());
    if (builtin_class != BuiltinClass::None) return builtin(path.front(), bracket);
  }
  if (program_.table.lookup(path, module_, kWantType)) return {Kind::Builtin, nullptr, {}};
  const bool is_variant =
      path.size() > 1 && program_.table.lookup(std::span(path).first(path.size() - 1), module_, kWantType);
  return {is_variant ? Kind::Builtin : Kind::Value, nullptr, {}};
}

// --------------------------------------------------------------------------------------------------------- expressions

ExpressionFacts GradientFacts::of(const Expr& expression) {
  std::vector<const BinaryExpr*> spine;
  const Expr* at = &expression;
  while (at->kind == ExprKind::Binary && !known_.contains(at)) {
    spine.push_back(&at->as<BinaryExpr>());
    at = at->as<BinaryExpr>().left;
  }
  const auto found = known_.find(at);
  ExpressionFacts facts = found != known_.end() ? found->second : (known_[at] = own_facts(*at));
  for (; !spine.empty(); spine.pop_back()) facts = known_[spine.back()] = combined(*spine.back());
  return facts;
}

ExpressionFacts GradientFacts::combined(const BinaryExpr& expression) {
  const ExpressionFacts left = of(*expression.left);
  const ExpressionFacts right = of(*expression.right);
  ExpressionFacts facts{left.active || right.active, left.calls || right.calls, left.kind};
  if (left.kind == ValueKind::Unknown || is_literal(left.kind)) facts.kind = right.kind;
  if (is_literal(left.kind) && right.kind == ValueKind::Unknown) facts.kind = left.kind;
  if (expression.op >= BinaryOp::Equal) facts.kind = ValueKind::Bool;
  return facts;
}

ExpressionFacts GradientFacts::named_value(Name name) const {
  if (const GradientVariable* found = variable(name)) {
    return {found->active, false, found->is_view ? ValueKind::View : found->kind};
  }
  const Symbol symbol = program_.table.lookup(std::vector<Name>{name}, module_, kWantConst);
  if (!symbol) return {};
  const auto& constant = symbol.declaration->as<ConstDecl>();
  return {false, false, constant.type == nullptr ? ValueKind::Unknown : program_.kind_of(*constant.type)};
}

ExpressionFacts GradientFacts::other_facts(const Expr& expression) {
  ExpressionFacts facts;
  for_each_expression(expression, [&](const Expr& each) {
    if (const GradientVariable* found = named(each)) facts.active |= found->active;
    facts.calls |= each.kind == ExprKind::Call;
    return true;
  });
  return facts;
}

ExpressionFacts GradientFacts::element_facts(const BracketExpr& element) {
  const GradientVariable* view = named(*element.base);
  if (view == nullptr) return other_facts(element);
  ExpressionFacts facts{view->active, false, view->kind};
  for (const Expr* index : element.arguments) facts.calls |= of(*index).calls;
  return facts;
}

/// The kind of a field of a parameter that is a plain record, or of a constant of another module.
ValueKind GradientFacts::member_kind(const MemberExpr& member) const {
  if (const std::vector<Name> path = path_of(member); !path.empty() && variable(path.front()) == nullptr) {
    const Symbol symbol = program_.table.lookup(path, module_, kWantConst);
    if (!symbol) return ValueKind::Unknown;
    const auto& constant = symbol.declaration->as<ConstDecl>();
    return constant.type == nullptr ? ValueKind::Unknown : program_.kind_of(*constant.type);
  }
  const GradientVariable* base = named(*member.base);
  if (base == nullptr || base->type == nullptr || base->is_view) return ValueKind::Unknown;
  const TypeExpr* type = base->type->kind == syntax::TypeKind::Borrow ? base->type->inner : base->type;
  if (type->kind != syntax::TypeKind::Named) return ValueKind::Unknown;
  const Symbol symbol = program_.table.lookup(names_of(type->path), module_, kWantType);
  if (symbol.kind != Symbol::Kind::Record) return ValueKind::Unknown;
  const auto& record = symbol.declaration->as<RecordDecl>();
  if (!record.generics.empty()) return ValueKind::Unknown;
  for (const Field& field : record.fields) {
    if (field.name.name == member.member.name && !field.has_extent) return program_.kind_of(*field.type);
  }
  return ValueKind::Unknown;
}

ExpressionFacts GradientFacts::call_facts(const CallExpr& call) {
  using Kind = GradientCallee::Kind;
  const GradientCallee target = callee(call);
  ExpressionFacts facts;
  ExpressionFacts first;
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const ExpressionFacts argument = of(*call.arguments[k]);
    if (k == 0) first = argument;
    facts.active |= argument.active;
    facts.calls |= argument.calls;
  }
  facts.kind = target.result;
  switch (target.kind) {
    case Kind::Root:
    case Kind::Magnitude:
    case Kind::Step:
      facts.kind = first.kind;
      return facts;
    case Kind::Convert:
      // A number that is no float is data once it has become one.
      if (first.kind == ValueKind::Integer) facts.active = false;
      return facts;
    case Kind::Length:
      return {false, true, ValueKind::Integer};
    default:
      facts.calls = true;
      if (target.kind == Kind::Method || target.kind == Kind::Value) facts.active |= other_facts(*call.callee).active;
      return facts;
  }
}

ExpressionFacts GradientFacts::own_facts(const Expr& expression) {
  switch (expression.kind) {
    case ExprKind::Integer:
      return {false, false, expression.as<IntegerExpr>().character ? ValueKind::Integer : ValueKind::IntegerLiteral};
    case ExprKind::Float:
      return {false, false, ValueKind::FloatLiteral};
    case ExprKind::Bool:
      return {false, false, ValueKind::Bool};
    case ExprKind::Name:
      return named_value(expression.as<NameExpr>().name);
    case ExprKind::Unary: {
      ExpressionFacts facts = of(*expression.as<UnaryExpr>().operand);
      if (expression.as<UnaryExpr>().op == UnaryOp::Not) facts.kind = ValueKind::Bool;
      return facts;
    }
    case ExprKind::Binary:
      return of(expression);
    case ExprKind::Call:
      return call_facts(expression.as<CallExpr>());
    case ExprKind::Bracket:
      return element_facts(expression.as<BracketExpr>());
    case ExprKind::Part: {
      ExpressionFacts facts = other_facts(*expression.as<PartExpr>().base);
      facts.calls |= of(*expression.as<PartExpr>().lo).calls || of(*expression.as<PartExpr>().hi).calls;
      facts.kind = ValueKind::View;
      return facts;
    }
    case ExprKind::Member: {
      ExpressionFacts facts = other_facts(expression);
      facts.kind = member_kind(expression.as<MemberExpr>());
      return facts;
    }
    default:
      return other_facts(expression);
  }
}

}  // namespace cairn
