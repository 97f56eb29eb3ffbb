// What a place or a callee's place is in the function whose row is made, and the edges to what it calls.
#include <algorithm>
#include <optional>

#include "frontend/check/row_collector.hpp"

namespace cairn::checked {

std::int32_t RowCollector::place_of(const Local& local) const {
  if (local.owner == &function_) {
    const bool is_place = is_borrow(local.type) || local.type->is(TypeKind::Function);
    return local.kind == LocalKind::Parameter && is_place ? static_cast<std::int32_t>(local.index) : kLocalRoot;
  }
  const auto found = std::ranges::find(function_.captures, &local);
  if (found == function_.captures.end()) return kNoRoot;
  return static_cast<std::int32_t>(function_.parameters.size() +
                                   static_cast<std::size_t>(found - function_.captures.begin()));
}

RowCollector::Root RowCollector::root_of(const Expr& expression) {
  const Expr* at = &expression;
  Root root;
  for (;;) {
    switch (at->kind) {
      case ExprKind::Local:
        root.local = at->as<LocalExpr>().local;
        return root;
      case ExprKind::Field:
        at = at->as<FieldExpr>().base;
        break;
      case ExprKind::Element:
        root.through_element = true;
        at = at->as<ElementExpr>().base;
        break;
      case ExprKind::ViewOf:
        at = at->as<ViewOfExpr>().place;
        break;
      case ExprKind::Part:
        at = at->as<PartExpr>().base;
        break;
      case ExprKind::Lend:
        at = at->as<LendExpr>().place;
        break;
      case ExprKind::LendDyn:
        at = at->as<LendDynExpr>().place;
        break;
      default:
        return root;
    }
  }
}

void RowCollector::read(const Expr& place) {
  const Root root = root_of(place);
  if (root.local == nullptr || !(is_borrowed(*root.local) || root.through_element)) return;
  const std::int32_t at = place_of(*root.local);
  if (at >= 0) row_.reads.insert(static_cast<std::size_t>(at));
  if (at == kLocalRoot) add(Label::LocalRead);
}

void RowCollector::write(const Expr& place) {
  const Root root = root_of(place);
  if (root.local == nullptr) return;
  const std::int32_t at = place_of(*root.local);
  if (at >= 0) row_.writes.insert(static_cast<std::size_t>(at));
  if (at == kLocalRoot && root.through_element) add(Label::LocalWrite);
}

void RowCollector::touch_whole(const Expr& lent, Places& places, Label local) {
  const Root root = root_of(lent);
  if (root.local == nullptr) return;
  const std::int32_t at = place_of(*root.local);
  if (at >= 0) places.insert(static_cast<std::size_t>(at));
  if (at == kLocalRoot) add(local);
}

std::int32_t RowCollector::argument_root(const Expr& argument) const {
  const bool is_function = argument.kind == ExprKind::Load && argument.type->is(TypeKind::Function);
  const Root root = root_of(is_function ? *argument.as<LoadExpr>().place : argument);
  return root.local == nullptr ? kNoRoot : place_of(*root.local);
}

RowEdge& RowCollector::begin_edge(std::size_t places) {
  RowEdge& edge = row_.edges.emplace_back();
  edge.first_root = static_cast<std::uint32_t>(row_.roots.size());
  edge.root_count = static_cast<std::uint32_t>(places);
  return edge;
}

void RowCollector::call(const Function& callee, List<const Expr* const> arguments) {
  begin_edge(arguments.size()).function = &callee;
  for (const Expr* argument : arguments) {
    row_.roots.push_back(argument == nullptr ? kNoRoot : argument_root(*argument));
    hand_on(argument);
  }
}

void RowCollector::inner(const Function& body) {
  const std::size_t parameters = body.parameters.size();
  begin_edge(parameters + body.captures.size()).function = &body;
  row_.roots.insert(row_.roots.end(), parameters, kNoRoot);
  for (const Local* captured : body.captures) row_.roots.push_back(place_of(*captured));
}

void RowCollector::hand_on(const Expr* callable) {
  if (!in_lane_ || callable == nullptr) return;
  if (callable->kind == ExprKind::Load) callable = callable->as<LoadExpr>().place;
  if (callable->kind != ExprKind::Local) return;
  const Local& local = *callable->as<LocalExpr>().local;
  if (!local.type->is_borrowed_callable() && !local.type->is(TypeKind::Function)) return;
  if (const std::int32_t at = place_of(local); at >= 0) row_.lanes.insert(static_cast<std::size_t>(at));
}

void RowCollector::call_value(const CallValueExpr& expression) {
  add(Label::IndirectCall);
  if (!expression.borrowed) add(Label::Trap);
  row_.calls_values = true;
  hand_on(expression.callee);
  for (const Expr* argument : expression.arguments) {
    if (argument->kind != ExprKind::Lend) continue;
    if (argument->as<LendExpr>().mode == BorrowMode::Rw) {
      write_whole(*argument);
    } else {
      read_whole(*argument);
    }
  }
}

void RowCollector::call_dynamic(const CallDynExpr& expression) {
  add(Label::Dispatch);
  if (expression.receiver->type != nullptr && expression.receiver->type->is(TypeKind::Dyn)) add(Label::Trap);
  begin_edge(expression.arguments.size()).dynamic = {expression.trait, expression.member};
  for (std::size_t k = 0; k < expression.arguments.size(); ++k) {
    row_.roots.push_back(k == expression.receiver_index ? argument_root(*expression.receiver) : kNoRoot);
  }
}

std::string_view RowCollector::foreign_label() const {
  const std::string_view symbol = function_.symbol;
  const std::size_t dot = symbol.find('.');
  if (!function_.library || dot == std::string_view::npos) return symbol;
  return symbol.starts_with("cairn_") ? symbol.substr(0, dot) : std::string_view();
}

void RowCollector::declared_row() {
  const auto& declaration = function_.declaration->as<syntax::ExternDecl>();
  NameTable& names = checker_.names();
  if (const std::string_view label = foreign_label(); !label.empty()) {
    row_.others.push_back(names.intern("ffi:" + std::string(label)));
  }
  if (declaration.has_launch) add(Label::ParDevice, Label::Trap);
  for (std::size_t k = 0; k < function_.parameters.size(); ++k) {
    const Type* type = function_.parameters[k]->type;
    if (!is_borrow(type)) continue;
    (type->mode == BorrowMode::Rw ? row_.writes : row_.reads).insert(k);
  }
  for (const syntax::EffectLabel& label : declaration.signature.ceiling.labels) {
    if (label.text == "pure" || label.text.starts_with("read:") || label.text.starts_with("write:")) continue;
    if (const auto fixed = label_of(label.text)) {
      add(*fixed);
    } else {
      row_.others.push_back(names.intern(label.text));
    }
  }
}

void RowCollector::promised_row() {
  NameTable& names = checker_.names();
  if (function_.ceiling == nullptr) {
    row_.others.push_back(names.intern("bound:" + std::string(function_.name)));
    return;
  }
  bool pure = function_.ceiling->pure_alone;
  for (const syntax::EffectLabel& label : function_.ceiling->labels) {
    if (label.text == "pure") {
      pure = true;
    } else if (const auto fixed = label_of(label.text)) {
      add(*fixed);
    } else if (!promised_footprint(label.text)) {
      row_.others.push_back(names.intern(label.text));
    }
  }
  if (!pure) return;
  row_.fixed |= kPureLabels;
  for (std::size_t k = 0; k < function_.parameters.size(); ++k)
    if (is_borrow(function_.parameters[k]->type)) row_.reads.insert(k);
}

bool RowCollector::promised_footprint(std::string_view label) {
  const bool reads = label.starts_with("read:");
  if (!reads && !label.starts_with("write:")) return false;
  const std::string_view name = label.substr(label.find(':') + 1);
  for (std::size_t k = 0; k < function_.parameters.size(); ++k)
    if (checker_.text(function_.parameters[k]->name) == name) (reads ? row_.reads : row_.writes).insert(k);
  return true;
}

}  // namespace cairn::checked
