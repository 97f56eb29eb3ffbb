#include "frontend/expand/spelling.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace cairn {

using namespace syntax;

namespace {

/// Names whose meaning no declaration outside the root can take (abstractions, 2.2), written alone.
bool is_fixed(std::string_view text) {
  constexpr std::array<std::string_view, 43> fixed = {
      "Array",    "Atomic",   "Buf",    "Dyn",      "Group", "IoRing",   "MmaA", "MmaAcc", "MmaB",  "Mutex", "Self",
      "Ticket",   "TmemAcc",  "WmmaA",  "WmmaAcc",  "WmmaB", "add_wrap", "bf16", "bool",   "dyn",   "f16",   "f32",
      "f64",      "f8e4m3",   "f8e5m2", "fn",       "i16",   "i32",      "i64",  "i8",     "len",   "max",   "min",
      "mul_wrap", "shl_wrap", "shr",    "sub_wrap", "u16",   "u32",      "u64",  "u8",     "usize", "void"};
  return std::ranges::binary_search(fixed, text);
}

}  // namespace

std::vector<Identifier> Spelling::full(std::span<const Identifier> path, Name module, std::size_t& replaced) {
  std::vector<Name> segments;
  for (const Identifier& segment : path) segments.push_back(segment.name);
  for (replaced = path.size(); replaced > 0; --replaced) {
    if (replaced == 1 && is_fixed(names_.text(segments[0]))) continue;
    const Symbol symbol = table_.lookup(std::span(segments).first(replaced), module, kWantAny);
    if (!symbol) continue;
    std::vector<Identifier> spelled;
    std::string_view prefix = names_.text(symbol.declaration->module);
    while (!prefix.empty()) {
      const std::size_t dot = std::min(prefix.find('.'), prefix.size());
      spelled.push_back({names_.intern(prefix.substr(0, dot)), path[0].position});
      prefix.remove_prefix(std::min(dot + 1, prefix.size()));
    }
    spelled.push_back({symbol.declaration->name.name, path[replaced - 1].position});
    spelled.insert(spelled.end(), path.begin() + static_cast<std::ptrdiff_t>(replaced), path.end());
    return spelled;
  }
  return {path.begin(), path.end()};
}

Path Spelling::full(const Path& path, Name module) {
  std::size_t replaced = 0;
  return {arena_.copy(full(path.segments, module, replaced))};
}

const TypeExpr* Spelling::full(const TypeReference& reference) {
  if (reference.type == nullptr) return nullptr;
  auto* copy = arena_.make<TypeExpr>(*reference.type);
  copy->inner = full({copy->inner, reference.module});
  std::vector<const TypeExpr*> arguments;
  for (const TypeExpr* argument : copy->arguments) arguments.push_back(full({argument, reference.module}));
  copy->arguments = arena_.copy(arguments);
  if (!copy->path.segments.empty()) copy->path = full(copy->path, reference.module);
  return copy;
}

const Expr* Spelling::as_expression(std::span<const Identifier> path, Position position, Span span) {
  auto* first = arena_.make<NameExpr>();
  first->kind = ExprKind::Name;
  first->position = position;
  first->span = span;
  first->name = path[0].name;
  const Expr* whole = first;
  for (const Identifier& segment : path.subspan(1)) {
    auto* member = arena_.make<MemberExpr>();
    member->kind = ExprKind::Member;
    member->position = position;
    member->span = span;
    member->base = whole;
    member->member = segment;
    whole = member;
  }
  return whole;
}

const Expr* Spelling::as_expression(const TypeExpr& type, Position position, Span span) {
  if (type.kind == syntax::TypeKind::Natural) {
    auto* literal = arena_.make<IntegerExpr>();
    literal->kind = ExprKind::Integer;
    literal->position = position;
    literal->span = span;
    literal->value = type.natural;
    return literal;
  }
  if (type.kind != syntax::TypeKind::Named) return nullptr;
  const Expr* base = as_expression(type.path.segments, position, span);
  if (type.arguments.empty()) return base;
  std::vector<const Expr*> arguments;
  for (const TypeExpr* argument : type.arguments) {
    arguments.push_back(as_expression(*argument, position, span));
    if (arguments.back() == nullptr) return nullptr;
  }
  auto* bracket = arena_.make<BracketExpr>();
  bracket->kind = ExprKind::Bracket;
  bracket->position = position;
  bracket->span = span;
  bracket->base = base;
  bracket->arguments = arena_.copy(arguments);
  return bracket;
}

Natural Spelling::natural(std::uint64_t value, Position position) {
  return {value, true, arena_.copy(std::string_view(std::to_string(value))), position};
}

const IntegerExpr* Spelling::natural(std::uint64_t value, Position position, Span span) {
  auto* literal = arena_.make<IntegerExpr>();
  literal->kind = ExprKind::Integer;
  literal->position = position;
  literal->span = span;
  literal->value = natural(value, position);
  return literal;
}

}  // namespace cairn
