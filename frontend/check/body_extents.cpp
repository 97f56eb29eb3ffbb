// Identity of extents, and what bounds and extent arguments may be made of (ownership and memory, 5.2 and 5.5).
#include "frontend/check/body_checker.hpp"

namespace cairn {

using checked::ExprKind;
using checked::Local;
using Kind = ExtentIdentity::Kind;

namespace {

/// Whether two places are written the same: an element is the same as another only at one literal or immutable name.
bool same_place(Node left, Node right) {
  for (;;) {
    if (left->kind != right->kind) return false;
    switch (left->kind) {
      case ExprKind::Local:
        return left->as<checked::LocalExpr>().local == right->as<checked::LocalExpr>().local;
      case ExprKind::Field: {
        const auto& a = left->as<checked::FieldExpr>();
        const auto& b = right->as<checked::FieldExpr>();
        if (a.index != b.index) return false;
        left = a.base;
        right = b.base;
        break;
      }
      case ExprKind::Element: {
        const auto& a = left->as<checked::ElementExpr>();
        const auto& b = right->as<checked::ElementExpr>();
        const bool literals = a.index->kind == ExprKind::Integer && b.index->kind == ExprKind::Integer;
        if (literals) {
          if (a.index->as<checked::IntegerExpr>().bits != b.index->as<checked::IntegerExpr>().bits) return false;
        } else {
          const PartBound bound = part_bound(a.index);
          if (bound.kind != PartBound::Kind::Name || bound != part_bound(b.index)) return false;
        }
        left = a.base;
        right = b.base;
        break;
      }
      default:
        return false;
    }
  }
}

/// The local that a path is, when it is nothing more.
const Local* local_of(const ExtentIdentity& path) {
  if (path.local != nullptr) return path.local;
  if (path.kind != Kind::Path || path.field >= 0 || path.place->kind != ExprKind::Local) return nullptr;
  return path.place->as<checked::LocalExpr>().local;
}

/// A name or a chain of fields from one.
bool is_chain(Node place) {
  while (place->kind == ExprKind::Field) place = place->as<checked::FieldExpr>().base;
  return place->kind == ExprKind::Local;
}

}  // namespace

ExtentIdentity BodyChecker::identity_of_value(Node value) const {
  switch (value->kind) {
    case ExprKind::Integer:
      return {Kind::Literal, value->as<checked::IntegerExpr>().bits};
    case ExprKind::Length:
      return identity_of_view(value->as<checked::LengthExpr>().of);
    case ExprKind::Load: {
      Node place = value->as<checked::LoadExpr>().place;
      if (is_chain(place)) return {Kind::Path, 0, place};
      return {};
    }
    default:
      return {};
  }
}

ExtentIdentity BodyChecker::identity_of_view(Node view) const {
  if (view->kind == ExprKind::ViewOf) view = view->as<checked::ViewOfExpr>().place;
  if (view->kind == ExprKind::Part) return {};
  switch (view->type->kind) {
    case TypeKind::View: {
      if (view->type->extent.kind == Extent::Kind::Literal) {
        return {Kind::Literal, view->type->extent.literal};
      }
      if (view->kind != ExprKind::Local) return {};
      const Local* local = view->as<checked::LocalExpr>().local;
      if (local->extent == nullptr) return {};
      return {Kind::Path, 0, nullptr, -1, local->extent};
    }
    case TypeKind::Array:
      return {Kind::Literal, view->type->count};
    case TypeKind::Buf: {
      if (view->kind == ExprKind::Field && is_chain(view)) {
        const auto& field = view->as<checked::FieldExpr>();
        const std::int32_t extent = field.base->type->record->fields[field.index].extent_field;
        if (extent >= 0) return {Kind::Path, 0, field.base, extent};
      }
      return {Kind::Length, 0, view};
    }
    default:
      return {};
  }
}

bool BodyChecker::same(const ExtentIdentity& left, const ExtentIdentity& right) const {
  if (left.kind != right.kind || left.kind == Kind::None) return false;
  if (left.kind == Kind::Literal) return left.literal == right.literal;
  const Local* local = local_of(left);
  if (local != nullptr || local_of(right) != nullptr) return local == local_of(right);
  if (left.field == right.field) return same_place(left.place, right.place);
  if (left.field >= 0 && right.field >= 0) return false;
  // `r.n` as written against the extent field `n` that `r` declares for a Buf.
  const ExtentIdentity& written = left.field < 0 ? left : right;
  const ExtentIdentity& declared = left.field < 0 ? right : left;
  if (written.place->kind != ExprKind::Field) return false;
  const auto& field = written.place->as<checked::FieldExpr>();
  return static_cast<std::int32_t>(field.index) == declared.field && same_place(field.base, declared.place);
}

std::string BodyChecker::place_text(Node place) const {
  switch (place->kind) {
    case ExprKind::Local:
      return std::string(checker_.text(place->as<checked::LocalExpr>().local->name));
    case ExprKind::Field: {
      const auto& field = place->as<checked::FieldExpr>();
      return place_text(field.base) + "." +
             std::string(checker_.text(field.base->type->record->fields[field.index].name));
    }
    case ExprKind::Element: {
      const auto& element = place->as<checked::ElementExpr>();
      std::string index = "?";
      if (element.index->kind == ExprKind::Integer) {
        index = std::to_string(element.index->as<checked::IntegerExpr>().bits);
      } else if (const PartBound bound = part_bound(element.index); bound.kind == PartBound::Kind::Name) {
        index = checker_.text(bound.local->name);
      }
      return place_text(element.base) + "[" + index + "]";
    }
    case ExprKind::ViewOf:
      return place_text(place->as<checked::ViewOfExpr>().place);
    default:
      return "?";
  }
}

std::string BodyChecker::text(const ExtentIdentity& extent) const {
  switch (extent.kind) {
    case Kind::None:
      return "?";
    case Kind::Literal:
      return std::to_string(extent.literal);
    case Kind::Path: {
      if (extent.local != nullptr) return std::string(checker_.text(extent.local->name));
      std::string path = place_text(extent.place);
      if (extent.field >= 0) {
        path +=
            "." +
            std::string(checker_.text(extent.place->type->record->fields[static_cast<std::size_t>(extent.field)].name));
      }
      return path;
    }
    case Kind::Length:
      return "len(" + place_text(extent.place) + ")";
  }
  return {};
}

void BodyChecker::require_plain(Node bound) {
  switch (bound->kind) {
    case ExprKind::Field:
      return require_plain(bound->as<checked::FieldExpr>().base);
    case ExprKind::Element:
      require_plain(bound->as<checked::ElementExpr>().base);
      return require_plain(bound->as<checked::ElementExpr>().index);
    case ExprKind::Load:
      return require_plain(bound->as<checked::LoadExpr>().place);
    case ExprKind::Unary:
      return require_plain(bound->as<checked::UnaryExpr>().operand);
    case ExprKind::Binary: {
      // Left operands may chain to any length.
      Node node = bound;
      for (; node->kind == ExprKind::Binary; node = node->as<checked::BinaryExpr>().left) {
        require_plain(node->as<checked::BinaryExpr>().right);
      }
      return require_plain(node);
    }
    case ExprKind::Convert:
      return require_plain(bound->as<checked::ConvertExpr>().operand);
    case ExprKind::Length:
      return require_plain(bound->as<checked::LengthExpr>().of);
    case ExprKind::Builtin: {
      const auto& builtin = bound->as<checked::BuiltinExpr>();
      if (builtin.builtin > checked::Builtin::Max) break;
      for (Node argument : builtin.arguments) require_plain(argument);
      return;
    }
    case ExprKind::Integer:
    case ExprKind::Float:
    case ExprKind::Bool:
    case ExprKind::Text:
    case ExprKind::Local:
    case ExprKind::PartExtent:
      return;
    default:
      break;
  }
  refuse(Code::CallShape, bound->position,
         "A part's bounds and a view's extent are written without calls: bind this to a name first.");
}

}  // namespace cairn
