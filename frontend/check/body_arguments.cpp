// Lending and passing arguments, and aliasing between them (ownership and memory, 4 to 6).
#include "frontend/check/body_checker.hpp"

namespace cairn {

using checked::ExprKind;
using checked::Local;

namespace {

/// Whether memory of one placement may be lent where another is asked for (8).
bool may_lend(Placement held, Placement asked) {
  if (held == asked) return true;
  switch (held) {
    case Placement::Pinned:
      return asked == Placement::Host;
    case Placement::Unified:
      return asked == Placement::Host || asked == Placement::Device;
    default:
      return false;
  }
}

std::string_view placement_text(Placement placement) {
  static constexpr std::string_view kTexts[] = {"host", "device", "pinned", "unified"};
  return kTexts[static_cast<std::size_t>(placement)];
}

Placement placement_of(const Type* type) { return type->is(TypeKind::View) ? type->placement : Placement::Host; }

}  // namespace

checked::List<Node const> BodyChecker::lend_arguments(std::size_t types_mark, std::span<const std::int32_t> extent_of,
                                                      std::vector<Operand>& arguments, Position at,
                                                      bool writes_receiver) {
  const std::size_t count = arguments.size();
  const std::size_t made_mark = made_.size();
  const std::size_t lent_mark = lent_.size();
  made_.resize(made_mark + count);
  for (std::size_t i = 0; i < count; ++i) {
    const Type* type = parameter_types_[types_mark + i];
    Node node = nullptr;
    if (type == nullptr) {
      // The receiver of a dynamic call, lent by the caller of this.
      lent_.push_back(place_path(arguments[i].node, writes_receiver));
    } else if (arguments[i].extent_of >= 0) {
      node = omitted_extent(arguments, i);
    } else if (type->is(TypeKind::View)) {
      node = view_argument(arguments, made_mark, i, type, extent_of.empty() ? -1 : extent_of[i]);
    } else if (type->is(TypeKind::Borrow)) {
      if (type->element->is(TypeKind::Function)) {
        node = callable_argument(arguments[i], type);
      } else if (type->element->is(TypeKind::DynRef)) {
        node = dyn_argument(arguments[i], type);
      } else {
        node = borrow_argument(arguments[i], type);
      }
    } else {
      node = value_argument(arguments[i], type);
    }
    made_[made_mark + i] = node;
  }
  for (std::size_t i = 0; i < extent_of.size(); ++i) {
    const Type* type = parameter_types_[types_mark + i];
    if (extent_of[i] > static_cast<std::int32_t>(i)) agree_extent(arguments, made_mark, i, type, extent_of[i]);
  }
  require_disjoint(std::span(lent_).subspan(lent_mark), at);
  lent_.resize(lent_mark);
  const auto list = checker_.arena().copy(std::span<const Node>(made_).subspan(made_mark, count));
  made_.resize(made_mark);
  return list;
}

Node BodyChecker::value_argument(Operand& operand, const Type* type) {
  if (type->is(TypeKind::Function)) {
    if (operand.node == nullptr && operand.written->kind == syntax::ExprKind::Closure) {
      refuse(
          Code::Closure, operand.written->position,
          "A closure stands only as an argument for a ro<fn(...)> parameter; this parameter takes a function value.");
    }
  }
  Node node = value_of(operand, type);
  if (node->kind == ExprKind::Load && node->as<checked::LoadExpr>().moves) lent_.push_back(place_path(node, true));
  return node;
}

Node BodyChecker::borrow_argument(Operand& operand, const Type* type) {
  Node node = walk_operand(operand, type->element);
  const Position at = node->position;
  const bool writes = type->mode == BorrowMode::Rw;
  const bool rooted = node->is_place() && root_local(node) != nullptr;
  if (writes && !rooted) {
    refuse(Code::CallView, at, "An rw borrow needs a place: bind this to a let mut name and lend that.");
  }
  if (node->type != type->element) refuse_mismatch(type->element, node->type, at);
  if (writes) {
    if (!is_writable(node)) {
      refuse(Code::WriteLease, at,
             quoted(root_local(node)->name) + " is not writable, so it cannot be lent as " + std::string(type->name) +
                 ".");
    }
    require_not_half_of_extent(node, at);
  }
  if (!node->is_place()) {
    if (is_pinned(node->type)) {
      refuse(Code::Pinned, at, "A " + std::string(node->type->name) + " is declared by a let, and lent from there.");
    }
    auto& lend = make<checked::LendTemporaryExpr>(ExprKind::LendTemporary, type, at);
    lend.value = node;
    return &lend;
  }
  if (rooted) {
    note_lent(node, writes, at);
    lent_.push_back(place_path(node, writes));
  }
  auto& lend = make<checked::LendExpr>(ExprKind::Lend, type, at);
  lend.mode = type->mode;
  lend.place = node;
  return &lend;
}

Node BodyChecker::walk_view(Operand& operand) {
  if (operand.node == nullptr && operand.written->kind == syntax::ExprKind::Part) {
    operand.node = part(operand.written->as<syntax::PartExpr>());
  }
  return walk_operand(operand, nullptr);
}

Node BodyChecker::walk_lent_view(Operand& operand) {
  Node view = walk_view(operand);
  if (lends_a_view(view)) view = operand.node = part_of_lending_record(view, view->position);
  return view;
}

bool BodyChecker::lends_mode(Node view, BorrowMode mode) {
  if (mode == BorrowMode::Ro) return true;
  if (view->kind == ExprKind::Part) return view->type->mode == BorrowMode::Rw;
  return is_writable(view);
}

void BodyChecker::refuse_view(const Type* type, std::size_t made_mark, std::int32_t extent_parameter, Node view) {
  std::string expected(type->name);
  Node extent = extent_parameter < 0 ? nullptr : made_[made_mark + static_cast<std::size_t>(extent_parameter)];
  if (extent != nullptr) {
    expected = (type->mode == BorrowMode::Rw ? "rw<" : "ro<") + std::string(type->element->name) + ">[" +
               text(identity_of_value(extent)) + "]@" + std::string(placement_text(type->placement));
  }
  refuse_mismatch(expected, shown_view(view), view->position);
}

/// A view place or part as diagnostics show its type: mode, element, extent, placement.
std::string BodyChecker::shown_view(Node view) const {
  const Type* element = element_type(view->type);
  if (element == nullptr) return std::string(view->type->name);
  return (lends_mode(view, BorrowMode::Rw) ? "rw<" : "ro<") + std::string(element->name) + ">[" +
         text(identity_of_view(view)) + "]@" + std::string(placement_text(placement_of(view->type)));
}

Node BodyChecker::view_argument(std::vector<Operand>& arguments, std::size_t made_mark, std::size_t index,
                                const Type* type, std::int32_t extent_parameter) {
  Node view = walk_lent_view(arguments[index]);
  const Position at = view->position;
  if (view->kind == ExprKind::Text) {
    if (type->mode == BorrowMode::Rw || !type->element->is(TypeKind::U8)) {
      refuse(Code::CallView, at, "Text is ro<u8>: this parameter takes a " + std::string(type->name) + ".");
    }
  } else if (root_local(view) == nullptr) {
    refuse(Code::CallView, at, "A view argument is a named array, a part of one, or text: bind this to a name first.");
  }
  if (element_type(view->type) != type->element || !lends_mode(view, type->mode) ||
      !may_lend(placement_of(view->type), type->placement)) {
    refuse_view(type, made_mark, extent_parameter, view);
  }
  // A foreign function may take the length after the view: it is compared once it is there.
  if (extent_parameter < static_cast<std::int32_t>(index)) {
    agree_extent(arguments, made_mark, index, type, extent_parameter);
  }
  const bool writes = type->mode == BorrowMode::Rw;
  note_lent(view, writes, at, true);
  lent_.push_back(place_path(view, writes));
  if (view->kind != ExprKind::Text && view->type->is(TypeKind::View)) {
    // A view as a whole stands for its elements.
    if (view->kind != ExprKind::Part) lent_.back().rest = LentPlace::Rest::Elements;
    return view;
  }
  if (view->kind == ExprKind::Text) return view;
  lent_.back().rest = LentPlace::Rest::Elements;
  return view_of(view, type);
}

/// The extent of a view argument, already lent, against its parameter's: a part is guarded, anything else has the same
/// identity (5.2).
void BodyChecker::agree_extent(std::vector<Operand>& arguments, std::size_t made_mark, std::size_t index,
                               const Type* type, std::int32_t extent_parameter) {
  Node view = arguments[index].node;
  if (view->kind == ExprKind::Part) {
    // The arena owns the node and nobody has seen it yet: its guard is completed here.
    auto& part = const_cast<checked::PartExpr&>(view->as<checked::PartExpr>());
    part.type = type;
    if (type->extent.kind == Extent::Kind::Literal) {
      part.want = checked::PartExpr::Want::Literal;
      part.want_literal = type->extent.literal;
    } else if (extent_parameter >= 0) {
      const auto parameter = static_cast<std::size_t>(extent_parameter);
      require_plain(made_[made_mark + parameter]);
      // The extent that this very part gave needs no comparison.
      if (arguments[parameter].extent_of != static_cast<std::int32_t>(index)) {
        part.want = checked::PartExpr::Want::Argument;
        part.want_argument = static_cast<std::uint32_t>(parameter);
      }
    }
    return;
  }
  ExtentIdentity wanted;
  if (type->extent.kind == Extent::Kind::Literal) {
    wanted.kind = ExtentIdentity::Kind::Literal;
    wanted.literal = type->extent.literal;
  } else if (extent_parameter >= 0) {
    Node extent = made_[made_mark + static_cast<std::size_t>(extent_parameter)];
    wanted = identity_of_value(extent);
    if (wanted.kind == ExtentIdentity::Kind::None) {
      refuse(Code::CallShape, extent->position,
             "A view's extent is a name, a field, a literal or len of a view: bind this to a name first.");
    }
  }
  if (!same(wanted, identity_of_view(view))) refuse_view(type, made_mark, extent_parameter, view);
}

Node BodyChecker::omitted_extent(std::vector<Operand>& arguments, std::size_t index) {
  Node view = walk_lent_view(arguments[static_cast<std::size_t>(arguments[index].extent_of)]);
  if (view->kind == ExprKind::Part) {
    auto& node = make<checked::PartExtentExpr>(ExprKind::PartExtent, types().usize(), view->position);
    node.part = &view->as<checked::PartExpr>();
    return &node;
  }
  if (element_type(view->type) == nullptr || (view->kind != ExprKind::Text && root_local(view) == nullptr)) {
    // No length can be read off it; the view argument says what is wrong, as if its extent had been written.
    return integer_node(0, types().usize(), view->position);
  }
  return length_of(view, view->position);
}

Node BodyChecker::callable_argument(Operand& operand, const Type* type) {
  const Type* function = type->element;
  if (type->mode == BorrowMode::Rw) {
    // Nothing but a place of function type can be lent for writing.
    return borrow_argument(operand, type);
  }
  if (operand.node == nullptr) {
    const syntax::Expr& written = *operand.written;
    if (written.kind == syntax::ExprKind::Closure) return closure(written.as<syntax::ClosureExpr>(), function);
    if (Node named = callable_name(written, function)) return named;
  }
  Node node = walk_operand(operand, function);
  if (node->type != function) refuse_mismatch(function, node->type, node->position);
  if (!node->is_place()) return node;
  if (const Local* root = root_local(node)) {
    lent_.push_back(place_path(node, false));
    if (node->kind == ExprKind::Local && root->type->is_borrowed_callable()) {
      touch(node, Touch::Read, node->position);
      return node;
    }
  }
  return as_value(node);
}

Node BodyChecker::dyn_argument(Operand& operand, const Type* type) {
  const TraitInfo& trait = *type->element->trait;
  const bool writes = type->mode == BorrowMode::Rw;
  Node node = walk_view(operand);
  const Position at = node->position;
  if (node->type->is(TypeKind::View)) refuse_mismatch(type, node->type, at);
  const bool reference = node->type->is(TypeKind::DynRef) || node->type->is(TypeKind::Dyn);
  if (reference && node->type->trait != &trait) refuse_mismatch(type, node->type, at);
  if (!node->is_place() || root_local(node) == nullptr) {
    refuse(Code::WriteLease, at, "A dyn borrow needs a named place: bind this to a name first.");
  }
  if (writes && !is_writable(node)) {
    refuse(
        Code::WriteLease, at,
        quoted(root_local(node)->name) + " is not writable, so it cannot be lent as " + std::string(type->name) + ".");
  }
  if (on_device()) refuse(Code::Placement, at, "Dynamic references are host only.");
  const DispatchTable* table = nullptr;
  if (!reference) {
    table = &checker_.dispatch_table(trait, node->type, at);
    if (writes) require_not_half_of_extent(node, at);
  }
  note_lent(node, writes, at);
  lent_.push_back(place_path(node, writes));
  auto& lend = make<checked::LendDynExpr>(ExprKind::LendDyn, type, at);
  lend.mode = type->mode;
  lend.place = node;
  lend.trait = &trait;
  lend.table = table;
  return &lend;
}

void BodyChecker::require_disjoint(std::span<const LentPlace> lent, Position at) {
  for (std::size_t i = 0; i < lent.size(); ++i) {
    if (!lent[i].writes) continue;
    Overlap overlap(lent[i], lent);
    for (std::size_t k = 0; k < lent.size(); ++k) {
      if (k == i || (k < i && lent[k].writes)) continue;
      if (lent[i].closure != nullptr && lent[i].closure == lent[k].closure) continue;
      if (!overlap.with(lent[k])) continue;
      refuse(Code::Alias, at,
             "Two arguments of this call may overlap in " + place_text(lent[i].base) +
                 ", and one of them is written. Pass parts that meet at one boundary, or read through ro.");
    }
  }
}

}  // namespace cairn
