// Names, fields, elements, parts and lengths; what may be written (syntax and values, 1.4; ownership and memory, 3 and
// 5).
#include "frontend/check/body_checker.hpp"
#include "frontend/check/syntax_paths.hpp"
#include "frontend/diagnostics/fixes.hpp"

namespace cairn {

using checked::ExprKind;
using checked::Local;

Node BodyChecker::local_place(Local& local, Position at) {
  mention(local, at);
  const Type* type = local.type->is(TypeKind::Borrow) ? local.type->element : local.type;
  auto& node = make<checked::LocalExpr>(ExprKind::Local, type, at);
  node.local = &local;
  return &node;
}

Node BodyChecker::name(const syntax::NameExpr& expression, const Type* expected) {
  const Name name = expression.name;
  const Position at = expression.position;
  if (expected != nullptr && expected->is(TypeKind::Sum)) {
    if (const auto index = bare_variant(name, expected, at)) {
      std::vector<Operand> none;
      return build_variant(expected, *index, none, at);
    }
  }
  if (Local* local = find_local(name)) return local_place(*local, at);
  if (const StaticArgument* argument = scope_.find(name)) {
    if (argument->type == nullptr) return integer_node(argument->natural, types().usize(), at);
    refuse_unbound(name, at);
  }
  if (is_blank(name)) refuse_unbound(name, at);
  const Symbol symbol = checker_.resolve({&name, 1}, scope_.module, kWantConst | kWantFunction | kWantLayout, at);
  if (symbol.kind == Symbol::Kind::Const) return constant_node(symbol.declaration->as<syntax::ConstDecl>(), at);
  if (symbol.is_function() && expected != nullptr && expected->is(TypeKind::Function)) {
    return function_value(*symbol.function, {}, false, expected, false, at);
  }
  refuse_unbound(name, at);
}

Node BodyChecker::member(const syntax::MemberExpr& expression, const Type* expected) {
  const Position at = expression.position;
  // Sum[T].Variant
  if (expression.base->kind == syntax::ExprKind::Bracket) {
    const auto& base = expression.base->as<syntax::BracketExpr>();
    const WrittenPath prefix = written_path(*base.base);
    if (!prefix.empty() && find_local(prefix.front()) == nullptr) {
      const Symbol symbol = checker_.resolve(prefix.names(), scope_.module, kWantType, at);
      if (symbol.kind == Symbol::Kind::Sum) {
        std::vector<Operand> none;
        return variant(symbol.declaration->as<syntax::SumDecl>(), expression.member.name,
                       statics_of(base.arguments, at), false, none, expected, at);
      }
    }
  }
  const WrittenPath path = written_path(expression);
  if (path.empty()) return field(walk(*expression.base, nullptr), expression.member.name, at);
  const auto names = path.names();
  if (Local* root = find_local(path.front())) {
    // A chain of fields may be of any length.
    Node node = local_place(*root, at);
    for (const Name each : names.subspan(1)) {
      checker_.visit(at);
      node = field(node, each, at);
    }
    return node;
  }
  const auto prefix = names.first(names.size() - 1);
  if (const StaticArgument* argument = prefix.size() == 1 ? scope_.find(prefix.front()) : nullptr;
      argument != nullptr && argument->type != nullptr && argument->type->is(TypeKind::Sum)) {
    std::vector<Operand> none;
    return variant(*argument->type->sum->declaration, names.back(), argument->type->sum->arguments, false, none,
                   expected, at);
  }
  if (const Symbol symbol = checker_.peek(prefix, scope_.module, kWantType); symbol.kind == Symbol::Kind::Sum) {
    checker_.resolve(prefix, scope_.module, kWantType, at);
    std::vector<Operand> none;
    return variant(symbol.declaration->as<syntax::SumDecl>(), names.back(), {}, false, none, expected, at);
  }
  const Symbol symbol = checker_.resolve(names, scope_.module, kWantConst | kWantFunction, at);
  if (symbol.kind == Symbol::Kind::Const) return constant_node(symbol.declaration->as<syntax::ConstDecl>(), at);
  if (symbol.is_function() && expected != nullptr && expected->is(TypeKind::Function)) {
    return function_value(*symbol.function, {}, false, expected, false, at);
  }
  // The base may be a constant or a static natural, which has no fields; otherwise its name denotes nothing.
  if (!symbol && prefix.size() == 1) return field(walk(*expression.base, nullptr), expression.member.name, at);
  refuse_unbound(path.joined(checker_.names()), at);
}

void BodyChecker::require_fields_accessible(const Type* record, Position at) {
  const syntax::RecordDecl& declaration = *record->record->declaration;
  if (!checker_.accessible(declaration, scope_.module)) {
    checker_.refuse_private(declaration, at, "; so are its fields");
  }
}

Node BodyChecker::field(Node base, Name name, Position at) {
  if (!base->type->is(TypeKind::Record)) {
    refuse(Code::Field, at, "Only a record has fields, and this is " + std::string(base->type->name) + ".");
  }
  const auto fields = base->type->record->fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name != name) continue;
    require_fields_accessible(base->type, at);
    return field_at(base, static_cast<std::uint32_t>(i), at);
  }
  std::string message = std::string(base->type->name) + " has no field " + quoted(name) + ".";
  if (!checker_.may_be_listed(at)) refuse(Code::Field, at, std::move(message));
  std::vector<std::string> available;
  for (const RecordField& each : fields) available.emplace_back(checker_.text(each.name));
  const std::vector<std::string_view> candidates(available.begin(), available.end());
  refuse(
      Diagnostic{Code::Field, std::move(message), at, did_you_mean(checker_.text(name), candidates), {}, {}, {}}.detail(
          "available_fields", std::move(available)));
}

Node BodyChecker::field_at(Node base, std::uint32_t index, Position at) {
  auto& node = make<checked::FieldExpr>(ExprKind::Field, base->type->record->fields[index].type, at);
  node.base = base;
  node.index = index;
  return &node;
}

const Type* BodyChecker::element_type(const Type* type) {
  switch (type->kind) {
    case TypeKind::View:
    case TypeKind::Buf:
    case TypeKind::Array:
      return type->element;
    default:
      return nullptr;
  }
}

Node BodyChecker::bracket(const syntax::BracketExpr& expression, const Type* expected) {
  const Position at = expression.position;
  // A function's instance where a function type is expected.
  const WrittenPath path = written_path(*expression.base);
  if (!path.empty() && find_local(path.front()) == nullptr) {
    const Symbol symbol = checker_.resolve(path.names(), scope_.module, kWantConst | kWantFunction, at);
    if (symbol.is_function()) {
      if (expected != nullptr && expected->is(TypeKind::Function)) {
        return function_value(*symbol.function, expression.arguments, true, expected, false, at);
      }
      refuse_unbound(path.joined(checker_.names()), at);
    }
  }
  Node base = walk(*expression.base, nullptr);
  if (element_type(base->type) == nullptr) {
    refuse(Code::Index, at,
           "Only a view, Buf or Array has elements, and this is " + std::string(base->type->name) + ".");
  }
  if (expression.arguments.size() != 1) refuse(Code::Index, at, "An element has one position.");
  return element(base, *expression.arguments.front(), at);
}

Node BodyChecker::element(Node base, const syntax::Expr& index, Position at) {
  auto& node = make<checked::ElementExpr>(ExprKind::Element, element_type(base->type), at);
  node.base = base;
  node.index = value_of(index, types().usize());
  require_side(base->type, base, at);
  return &node;
}

namespace {

/// What holds the memory that an array's place lies in: a view, an owner of elements, or the value a local is.
const Type* memory_of(Node place) {
  while (true) {
    const Type* type = place->type;
    if (type->is(TypeKind::View) || type->is(TypeKind::Buf)) return type;
    Node base = place_base(place);
    if (base == nullptr) return type;
    place = base;
  }
}

}  // namespace

void BodyChecker::require_side(const Type* type, Node base, Position at) {
  const Type* memory = type->is(TypeKind::View) ? type : memory_of(base);
  const Placement placement = memory->is(TypeKind::View) ? memory->placement : Placement::Host;
  if (placement == Placement::Unified) return;
  if (!on_device()) {
    if (placement != Placement::Device) return;
    refuse(Code::Placement, at,
           "Host code cannot index @device memory: transfer it, or index it in a device region or a kernel fn.");
  }
  if (placement == Placement::Device) return;
  const Local* root = root_local(base);
  // What a lane or a kernel declares itself is private to it, and so is an Array it was given.
  if (root == nullptr || (in_lane() && !is_outside_lane(*root))) return;
  if (!in_lane() && (root->kind != checked::LocalKind::Parameter || memory->is_copy())) return;
  refuse(
      Code::Placement, at,
      "Device code cannot index " + quoted(root->name) + ", which is host memory: lend it a @device or @unified view.");
}

Node BodyChecker::view_of(Node place, const Type* view) {
  if (place->type->is(TypeKind::View)) return place;
  auto& node = make<checked::ViewOfExpr>(ExprKind::ViewOf, view, place->position);
  node.place = place;
  return &node;
}

Node BodyChecker::part(const syntax::PartExpr& expression) {
  checker_.visit(expression.position);
  const Position at = expression.position;
  Node base = expression.base->kind == syntax::ExprKind::Part ? part(expression.base->as<syntax::PartExpr>())
                                                              : walk(*expression.base, nullptr);
  if (element_type(base->type) == nullptr) {
    refuse(Code::Index, at, "Only a view, Buf or Array has parts, and this is " + std::string(base->type->name) + ".");
  }
  if (base->kind != ExprKind::Part && root_local(base) == nullptr) {
    refuse(Code::CallView, at, "Only a place can be lent in parts: bind the array to a name first.");
  }
  const bool writable = lends_mode(base, BorrowMode::Rw);
  const Placement placement = base->type->is(TypeKind::View) ? base->type->placement : Placement::Host;
  const Type* type =
      types().view(writable ? BorrowMode::Rw : BorrowMode::Ro, element_type(base->type), Extent{}, placement);
  auto& node = make<checked::PartExpr>(ExprKind::Part, type, at);
  node.base = view_of(base, type);
  node.lo = value_of(*expression.lo, types().usize());
  node.hi = value_of(*expression.hi, types().usize());
  require_plain(node.lo);
  require_plain(node.hi);
  return &node;
}

/// A place of a record type that lends a view.
bool BodyChecker::lends_a_view(Node node) {
  return node->type->is(TypeKind::Record) && node->type->record->lends.carrier >= 0 && node->is_place() &&
         root_local(node) != nullptr;
}

Node BodyChecker::part_of_lending_record(Node record, Position at) {
  require_fields_accessible(record->type, at);
  const Lends& lends = record->type->record->lends;
  const auto bound = [&](const LendBound& each) -> Node {
    if (each.field < 0) return integer_node(each.literal, types().usize(), at);
    return as_value(field_at(record, static_cast<std::uint32_t>(each.field), at));
  };
  Node carrier = field_at(record, static_cast<std::uint32_t>(lends.carrier), at);
  const bool writable = is_writable(carrier);
  const Type* type =
      types().view(writable ? BorrowMode::Rw : BorrowMode::Ro, carrier->type->element, Extent{}, Placement::Host);
  auto& node = make<checked::PartExpr>(ExprKind::Part, type, at);
  node.base = view_of(carrier, type);
  node.lo = bound(lends.lo);
  node.hi = bound(lends.hi);
  return &node;
}

Node BodyChecker::length_of(Node place, Position at) {
  touch(place, Touch::Header, at);
  auto& node = make<checked::LengthExpr>(ExprKind::Length, types().usize(), at);
  node.of = place;
  return &node;
}

// -------------------------------------------------------------------------------------------------------- writability

bool BodyChecker::is_writable(Node place) {
  const Local* root = root_local(place);
  if (root == nullptr) return false;
  if (root->type->is(TypeKind::View) || root->type->is(TypeKind::Borrow)) return root->type->mode == BorrowMode::Rw;
  return root->is_mutable;
}

void BodyChecker::require_writable(Node place) {
  const Local* root = root_local(place);
  const bool writable = is_writable(place);
  // A view's elements may be written, never the view itself.
  bool through_element = false;
  for (Node node = place; node != nullptr && node->kind != ExprKind::Local;) {
    if (node->kind == ExprKind::Element) {
      through_element = true;
      node = node->as<checked::ElementExpr>().base;
    } else {
      node = node->as<checked::FieldExpr>().base;
    }
  }
  if (through_element) {
    if (!writable) {
      refuse(Code::WriteLease, place->position,
             quoted(root->name) + " is not writable: an element is written through an rw borrow or a let mut local.");
    }
    return;
  }
  if (writable && !root->type->is(TypeKind::View)) return;
  refuse(Code::Immutable, place->position,
         root->type->is(TypeKind::View)
             ? quoted(root->name) + " is an array view: its elements are written, not the view."
             : quoted(root->name) + " is not a mutable local.");
}

void BodyChecker::require_not_half_of_extent(Node place, Position at) {
  if (place->kind != ExprKind::Field) return;
  const auto& field = place->as<checked::FieldExpr>();
  const auto fields = field.base->type->record->fields;
  bool half = fields[field.index].extent_field >= 0;
  for (const RecordField& each : fields) half = half || each.extent_field == static_cast<std::int32_t>(field.index);
  if (half) {
    refuse(
        Code::ExtentField, at,
        "Field " + quoted(fields[field.index].name) + " of " + std::string(field.base->type->name) +
            " is half of a declared extent, so it cannot change alone: build Buf[T](n) here on the same n, or move the"
            " whole record.");
  }
}

}  // namespace cairn
