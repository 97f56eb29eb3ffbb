// Wide accesses (devices, 9): K adjacent elements at once. Every other rule sees the part x[i .. i + K].
#include <algorithm>
#include <array>
#include <bit>

#include "frontend/check/body_checker.hpp"
#include "frontend/check/concurrent_ops.hpp"

namespace cairn {

using checked::CacheHint;
using checked::ConcurrentOp;
using checked::ExprKind;
using checked::Local;

namespace {

constexpr std::uint64_t kWidestBytes = 16;
constexpr std::array<std::string_view, 5> kHints = {"all", "l2", "streaming", "last_use", "read_only"};

bool is_wide_element(const Type* type) { return type->is_scalar() || type->is_storage_float(); }

std::uint64_t bytes_of(const Type* type) { return type->is(TypeKind::Bool) ? 1 : bit_width(type->kind) / 8; }

/// The hint an argument names as Cache.hint; none when it is written otherwise.
std::optional<CacheHint> written_hint(const syntax::Expr& argument, const NameTable& names) {
  if (argument.kind != syntax::ExprKind::Member) return std::nullopt;
  const auto& member = argument.as<syntax::MemberExpr>();
  if (member.base->kind != syntax::ExprKind::Name) return std::nullopt;
  if (names.text(member.base->as<syntax::NameExpr>().name) != "Cache") return std::nullopt;
  const auto found = std::ranges::find(kHints, names.text(member.member.name));
  if (found == kHints.end()) return std::nullopt;
  return static_cast<CacheHint>(found - kHints.begin());
}

}  // namespace

/// The array of a wide access: something that has elements of a width of their own, behind a name.
Node BodyChecker::wide_array(Operand& operand, bool stores) {
  Node array = walk_view(operand);
  const Position at = array->position;
  const Type* element = element_type(array->type);
  const Local* root = root_local(array);
  if (element == nullptr || (root == nullptr && array->kind != ExprKind::Text) || !is_wide_element(element)) {
    refuse(Code::Wide, at,
           "A wide access works on a named array of bool, integers, floats or storage floats, and this is " +
               std::string(array->type->name) + ".");
  }
  if (stores && !lends_mode(array, BorrowMode::Rw)) {
    refuse(Code::WriteLease, at,
           (root == nullptr ? std::string("This text") : quoted(root->name)) +
               " is not writable: lend it rw, or declare it let mut.");
  }
  require_side(array->type, array, at);
  return array;
}

/// The number of elements in the brackets of a load.
std::uint64_t BodyChecker::wide_width(const BuiltinCall& call) {
  if (!call.has_brackets || call.statics.size() != 1) {
    refuse(Code::Wide, call.position, "load_wide takes the number of elements in brackets: load_wide[4](x, i).");
  }
  const StaticArgument given = checker_.resolve_static(*call.statics.front(), scope_, call.position);
  if (given.type != nullptr) refuse(Code::Wide, call.position, "The width of load_wide is a number of elements.");
  return given.natural;
}

/// The hint of an access, written by name where the array has such caches.
CacheHint BodyChecker::wide_hint(const syntax::Expr& written, Node array, bool stores) {
  const auto refuse_hint = [&](std::string message) { refuse(Code::Wide, written.position, std::move(message)); };
  const auto hint = written_hint(written, checker_.names());
  if (!hint) {
    refuse_hint(
        "A hint is written by name: Cache.all, Cache.l2 or Cache.streaming, and for loads Cache.last_use or "
        "Cache.read_only.");
  }
  if (stores && *hint >= CacheHint::LastUse) {
    refuse_hint("A store takes Cache.all, Cache.l2 or Cache.streaming.");
  }
  const Local* root = root_local(array);
  if (root != nullptr && root->kind == checked::LocalKind::Shared && *hint != CacheHint::All) {
    refuse_hint(quoted(root->name) + " is a shared array, which no cache lies before: Cache.all.");
  }
  const Type* type = array->type;
  const bool is_read_only = type->is(TypeKind::View) && type->mode == BorrowMode::Ro &&
                            (type->placement == Placement::Device || type->placement == Placement::Unified);
  if (*hint == CacheHint::ReadOnly && !is_read_only) {
    refuse_hint("Cache.read_only needs an ro view of @device or @unified memory.");
  }
  return *hint;
}

Node BodyChecker::wide_access(BuiltinCall& call) {
  const bool stores = checker_.text(call.name) == "store_wide";
  const Position at = call.position;
  const std::size_t fixed = stores ? 3 : 2;
  require_arguments(call, fixed, fixed + 1);
  if (stores && call.has_brackets) {
    refuse(Code::Wide, at, "store_wide takes its width from the Array it stores: leave the brackets out.");
  }
  Node array = wide_array(call.arguments.front(), stores);
  const Type* element = element_type(array->type);
  std::uint64_t width = stores ? 0 : wide_width(call);
  Node index = value_of(call.arguments[1], types().usize());
  Node value = nullptr;
  if (stores) {
    value = walk_operand(call.arguments[2], nullptr);
    if (!value->type->is(TypeKind::Array)) {
      refuse(Code::Wide, value->position,
             "store_wide stores an Array, and this is " + std::string(value->type->name) + ".");
    }
    width = value->type->count;
    if (value->type->element != element) refuse_mismatch(types().array(element, width), value->type, value->position);
    value = as_value(value);
  }
  const std::uint64_t most = kWidestBytes / bytes_of(element);
  if (!std::has_single_bit(width) || width > most) {
    refuse(Code::Wide, at,
           "A wide access of " + std::string(element->name) + " moves a power of two of elements, at most " +
               std::to_string(most) + " (16 bytes), not " + std::to_string(width) + ".");
  }
  CacheHint hint = CacheHint::All;
  if (call.arguments.size() > fixed) hint = wide_hint(*call.arguments[fixed].written, array, stores);

  note_lent(wide_part(array, index, width, at), stores, array->position, true);
  const Type* result = stores ? types().void_type() : types().array(element, width);
  auto& node = make<checked::ConcurrentExpr>(ExprKind::Concurrent, result, at);
  node.op = stores ? ConcurrentOp::StoreWide : ConcurrentOp::LoadWide;
  node.receiver = array;
  const Node both[] = {index, value};
  node.arguments = checker_.arena().copy(std::span<const Node>(both, stores ? 2 : 1));
  StaticArgument kept;
  kept.natural = static_cast<std::uint64_t>(hint);
  node.statics = checker_.arena().copy(std::span<const StaticArgument>(&kept, 1));
  return &node;
}

/// The part x[i .. i + K] that an access touches, for the rules alone.
Node BodyChecker::wide_part(Node array, Node index, std::uint64_t width, Position at) {
  const Type* type = types().view(BorrowMode::Ro, element_type(array->type), Extent{},
                                  array->type->is(TypeKind::View) ? array->type->placement : Placement::Host);
  auto& end = make<checked::BinaryExpr>(ExprKind::Binary, types().usize(), at);
  end.op = syntax::BinaryOp::Add;
  end.left = index;
  end.right = integer_node(width, types().usize(), at);
  auto& part = make<checked::PartExpr>(ExprKind::Part, type, at);
  part.base = array->kind == ExprKind::Part || array->type->is(TypeKind::View) ? array : view_of(array, type);
  part.lo = index;
  part.hi = &end;
  return &part;
}

}  // namespace cairn
