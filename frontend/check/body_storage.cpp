// Storage: buffer and stack statements, Buf, Array and Dyn, take, swap, transfer, machine access
// (ownership and memory, 2, 7.3, 8 and 9).
#include <algorithm>
#include <unordered_map>

#include "frontend/check/body_checker.hpp"
#include "frontend/check/syntax_paths.hpp"

namespace cairn {

using checked::ExprKind;
using checked::Local;
using checked::LocalKind;
using checked::StmtKind;

namespace {

constexpr std::uint64_t kLargestExtent = (std::uint64_t{1} << 63) - 1;
constexpr std::uint64_t kStackBudget = 65536;
/// More than any budget, and small enough to add up without overflow.
constexpr std::uint64_t kManyBytes = std::uint64_t{1} << 40;

std::uint64_t rounded_up(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

/// The sizes of 2.3. `known` holds what was counted: a type may reach another in more ways than can be walked.
std::uint64_t conservative_bytes(const Type* type, std::unordered_map<const Type*, std::uint64_t>& known) {
  if (type->is(TypeKind::Array)) {
    const std::uint64_t element = conservative_bytes(type->element, known);
    return element != 0 && type->count > kManyBytes / element ? kManyBytes : element * type->count;
  }
  if (!type->is(TypeKind::Sum) && !type->is(TypeKind::Record)) {
    return type->is_scalar() || type->is_storage_float() ? bit_width(type->kind) / 8 : 16;
  }
  if (const auto found = known.find(type); found != known.end()) return found->second;
  std::uint64_t bytes = 0;
  if (type->is(TypeKind::Sum)) {
    bytes = 8;
    for (const SumVariant& variant : type->sum->variants) {
      if (variant.payload != nullptr) bytes += rounded_up(conservative_bytes(variant.payload, known));
    }
  } else {
    for (const RecordField& field : type->record->fields) bytes += rounded_up(conservative_bytes(field.type, known));
  }
  bytes = std::min(bytes, kManyBytes);
  known.emplace(type, bytes);
  return bytes;
}

}  // namespace

std::uint64_t BodyChecker::stack_bytes(const Type* type) const {
  std::unordered_map<const Type*, std::uint64_t> known;
  return conservative_bytes(type, known);
}

const checked::Stmt* BodyChecker::storage(const syntax::StorageStmt& statement) {
  const Position at = statement.position;
  const char* form = statement.stack ? "stack" : "buffer";
  require_fresh(statement.name.name, at);
  const Type* element = checker_.resolve_type(*statement.element, scope_, at);
  if (element->is(TypeKind::Void) || element->is(TypeKind::Borrow) || element->is(TypeKind::View)) {
    refuse(Code::OwnerElement, at,
           "A " + std::string(form) + " holds values, and " + std::string(element->name) + " is none.");
  }
  if (element->is(TypeKind::Fragment)) {
    refuse(Code::Fragment, at,
           "A " + std::string(form) + " cannot hold fragments: they live in locals and parameters.");
  }
  if (element->ownership == Ownership::Linear) {
    refuse(
        Code::LinearStorage, at,
        "Storage starts zeroed, and a zero " + std::string(element->name) + " would be an obligation nobody took on.");
  }
  const Placement placement = statement.has_placement ? statement.placement : Placement::Host;
  if (!statement.stack && placement != Placement::Host && !element->is_copy()) {
    refuse(Code::OwnerElement, at,
           "Memory off the heap holds values that are copied byte by byte, and a " + std::string(element->name) +
               " owns what it holds.");
  }
  Node count = value_of(*statement.capacity, types().usize());
  const Position capacity = statement.capacity->position;
  Extent extent;
  const Local* extent_local = nullptr;
  if (count->kind == ExprKind::Integer && !names_static(*statement.capacity)) {
    extent.kind = Extent::Kind::Literal;
    extent.literal = count->as<checked::IntegerExpr>().bits;
    if (extent.literal > kLargestExtent) {
      refuse(Code::OwnerExtent, capacity, "A capacity is at most 2^63 - 1.");
    }
  } else if (count->kind == ExprKind::Integer) {
    // A static natural: its number in this instance.
    extent.kind = Extent::Kind::Literal;
    extent.literal = count->as<checked::IntegerExpr>().bits;
  } else {
    const PartBound name = part_bound(count);
    if (name.kind != PartBound::Kind::Name) {
      refuse(Code::OwnerExtent, capacity,
             "A capacity is a literal, a constant or an immutable usize: bind it to a name first.");
    }
    extent.kind = Extent::Kind::Symbol;
    extent.symbol = name.local->name;
    extent_local = name.local;
  }
  if (statement.stack) {
    if (extent_local != nullptr || names_static(*statement.capacity)) {
      refuse(Code::StackExtent, capacity, "A stack array's capacity is a literal or a named constant.");
    }
    const std::uint64_t each = stack_bytes(element);
    const std::uint64_t bytes = each != 0 && extent.literal > kManyBytes / each ? kManyBytes : each * extent.literal;
    stack_bytes_ += bytes;
    if (stack_bytes_ > kStackBudget) {
      refuse(Code::StackLimit, capacity,
             "The stack arrays of one function take at most 65536 bytes together, and with this one they take " +
                 std::to_string(stack_bytes_) + ".");
    }
    if (placement != Placement::Host) {
      refuse(Code::Place, at, "A stack array lives where its code runs: leave its placement out.");
    }
  } else if (on_device()) {
    refuse(Code::Placement, at, "Device code cannot allocate a buffer: use a stack array.");
  }
  const Type* view = types().view(BorrowMode::Rw, element, extent, placement);
  Local* local = declare(statement.name.name, view, statement.stack ? LocalKind::Stack : LocalKind::Buffer, true, at);
  local->extent = extent_local;
  auto& node = make<checked::StorageStmt>(StmtKind::Storage, at);
  node.local = local;
  node.count = count;
  return &node;
}

/// Whether an expression is the name of a static natural, which a stack capacity may not be.
bool BodyChecker::names_static(const syntax::Expr& expression) const {
  if (expression.kind != syntax::ExprKind::Name) return false;
  const Name name = expression.as<syntax::NameExpr>().name;
  return find_local(name) == nullptr && scope_.find(name) != nullptr;
}

Node BodyChecker::build_buf(const Type* type, std::span<Operand> arguments, Position at) {
  if (arguments.size() != 1) {
    refuse(Code::Arity, at,
           std::string(type->name) + "(n) takes the count of its elements, and this call gives " +
               std::to_string(arguments.size()) + " arguments.");
  }
  if (on_device()) refuse(Code::Placement, at, "Device code cannot allocate: a Buf is host memory.");
  auto& node = make<checked::BufNewExpr>(ExprKind::BufNew, type, at);
  node.count = value_of(arguments.front(), types().usize());
  return &node;
}

Node BodyChecker::build_array(const Type* type, std::span<Operand> arguments, Position at) {
  if (!arguments.empty())
    refuse(Code::Arity, at, std::string(type->name) + "() takes no argument: an Array starts zeroed.");
  return &make<checked::Expr>(ExprKind::Zero, type, at);
}

/// The type an intrinsic constructor makes: from its brackets, else the one expected; E-INFER otherwise.
const Type* BodyChecker::constructed(const BuiltinCall& call, TypeKind kind, std::string_view form) {
  if (call.has_brackets) {
    const std::vector<StaticArgument> arguments = statics_of(call.statics, call.position);
    return checker_.named_type({&call.name, 1}, arguments, scope_, call.position);
  }
  if (call.expected != nullptr && call.expected->is(kind)) return call.expected;
  refuse(Code::Infer, call.position, "Nothing here tells what this holds: write " + std::string(form) + ".");
}

Node BodyChecker::new_buf(BuiltinCall& call) {
  return build_buf(constructed(call, TypeKind::Buf, "Buf[T](n)"), call.arguments, call.position);
}

Node BodyChecker::new_array(BuiltinCall& call) {
  return build_array(constructed(call, TypeKind::Array, "Array[T, N]()"), call.arguments, call.position);
}

Node BodyChecker::new_dyn(BuiltinCall& call) {
  const Position at = call.position;
  const Type* type = nullptr;
  if (call.has_brackets) {
    if (call.statics.size() != 1) refuse(Code::GenericArity, at, "Dyn takes one trait in its brackets.");
    type = dyn_type(*call.statics.front(), at);
  } else {
    type = constructed(call, TypeKind::Dyn, "Dyn[T](value)");
  }
  require_arguments(call, 1, 1);
  if (on_device()) refuse(Code::Placement, at, "Device code cannot allocate: a Dyn is host memory.");
  checker_.require_dyn_compatible(*type->trait, at);
  Node value = walk_operand(call.arguments.front(), nullptr);
  if (!checker_.implements(value->type, *type->trait, at)) {
    refuse(Code::TraitImpl, at,
           std::string(value->type->name) + " does not implement " + std::string(type->trait->full_name) + ".");
  }
  if (value->type->ownership == Ownership::Linear) {
    refuse(Code::LinearStorage, at,
           "A " + std::string(value->type->name) + " is linear, and a Dyn drops what it holds.");
  }
  const DispatchTable& table = checker_.dispatch_table(*type->trait, value->type, at);
  auto& node = make<checked::DynNewExpr>(ExprKind::DynNew, type, at);
  node.table = &table;
  node.value = as_value(value);
  node.trait = type->trait;
  return &node;
}

/// Dyn[Trait] as written in brackets: E-DYN when the name is no trait.
const Type* BodyChecker::dyn_type(const syntax::Expr& trait, Position at) {
  const WrittenPath path = written_path(trait);
  const Symbol symbol = path.empty() ? Symbol{} : checker_.resolve(path.names(), scope_.module, kWantTrait, at);
  if (!symbol) refuse(Code::Dyn, at, "Dyn owns a value behind a trait: write a trait in its brackets.");
  const TraitInfo& info = *checker_.trait_of(symbol.declaration->as<syntax::TraitDecl>());
  return types().dyn(TypeKind::Dyn, &info, info.full_name);
}

// -------------------------------------------------------------------------------------------------------- take and
// swap

/// A writable place that `take` or `swap` works on.
Node BodyChecker::exchanged_place(Operand& operand) {
  Node place = walk_operand(operand, nullptr);
  if (!place->is_place() || root_local(place) == nullptr) {
    refuse(Code::Lvalue, place->position, "Only a name, a field or an element can be taken or swapped.");
  }
  require_writable(place);
  require_not_half_of_extent(place, place->position);
  touch(place, Touch::Write, place->position);
  root_local(place)->lent_rw = true;
  return place;
}

Node BodyChecker::take(BuiltinCall& call) {
  require_arguments(call, 1, 1);
  Node place = exchanged_place(call.arguments.front());
  if (place->type->ownership == Ownership::Linear) {
    refuse(Code::LinearStorage, call.position,
           "take would leave a zero " + std::string(place->type->name) +
               ", an obligation nobody took on: swap two live ones.");
  }
  auto& node = make<checked::TakeExpr>(ExprKind::Take, place->type, call.position);
  node.place = place;
  return &node;
}

Node BodyChecker::swap(BuiltinCall& call) {
  require_arguments(call, 2, 2);
  Node left = exchanged_place(call.arguments[0]);
  Node right = exchanged_place(call.arguments[1]);
  if (left->type != right->type) refuse_mismatch(left->type, right->type, call.position);
  if (nested(left, right)) {
    refuse(Code::Alias, call.position,
           place_text(left) + " and " + place_text(right) + " cannot be swapped: one holds the other.");
  }
  auto& node = make<checked::SwapExpr>(ExprKind::Swap, types().void_type(), call.position);
  node.left = left;
  node.right = right;
  return &node;
}

// -------------------------------------------------------------------------------------------------------------
// transfer

/// A view place, a part or an owner's elements as a view value.
Node BodyChecker::lent_view(Node view, BorrowMode mode) {
  if (!view->is_place() || view->type->is(TypeKind::View)) return view;
  return view_of(view, types().view(mode, view->type->element, Extent{}, Placement::Host));
}

Node BodyChecker::transfer(BuiltinCall& call) {
  const Position at = call.position;
  require_arguments(call, 2, 2);
  if (in_lane() || on_device()) {
    refuse(Code::ParallelNest, at, "A transfer copies whole arrays, so a lane does not make one.");
  }
  Node destination = walk_lent_view(call.arguments[0]);
  Node source = walk_lent_view(call.arguments[1]);
  const bool are_views = element_type(destination->type) != nullptr && element_type(source->type) != nullptr;
  if (!are_views || root_local(destination) == nullptr ||
      (root_local(source) == nullptr && source->kind != ExprKind::Text) || !lends_mode(destination, BorrowMode::Rw)) {
    refuse(Code::WriteLease, at, "transfer(dst, src) copies between views: dst is a writable array or a part of one.");
  }
  const bool has_part = destination->kind == ExprKind::Part || source->kind == ExprKind::Part;
  if (element_type(destination->type) != element_type(source->type) || !element_type(source->type)->is_copy() ||
      (!has_part && !same(identity_of_view(destination), identity_of_view(source)))) {
    refuse_mismatch(shown_view(destination), shown_view(source), at);
  }
  const LentPlace ends[] = {place_path(destination, true), place_path(source, false)};
  require_disjoint(ends, at);
  note_lent(destination, true, at, true);
  note_lent(source, false, at, true);
  auto& node = make<checked::TransferExpr>(ExprKind::Transfer, types().void_type(), at);
  node.destination = lent_view(destination, BorrowMode::Rw);
  node.source = lent_view(source, BorrowMode::Ro);
  return &node;
}

// ------------------------------------------------------------------------------------------------------- machine
// access

void BodyChecker::require_unsafe(const BuiltinCall& call) {
  if (unsafe_depth_ > 0) return;
  refuse(Code::Unsafe, call.position,
         std::string(checker_.text(call.name)) + " reaches the machine: write it inside unsafe { }.");
}

/// The width of a machine access: its type in brackets, or for a read the one expected.
const Type* BodyChecker::machine_width(const BuiltinCall& call, bool may_expect) {
  const Type* type = call.has_brackets || may_expect ? type_argument(call) : nullptr;
  if (type != nullptr && type->is_unsigned()) return type;
  refuse(Code::Infer, call.position,
         std::string(checker_.text(call.name)) + " needs a width, one of u8 u16 u32 u64 usize, in brackets.");
}

Node BodyChecker::mmio_read(BuiltinCall& call) {
  require_unsafe(call);
  const Type* type = machine_width(call, true);
  require_arguments(call, 1, 1);
  auto& node = make<checked::MachineExpr>(ExprKind::Machine, type, call.position);
  node.op = checked::MachineOp::MmioRead;
  const Node arguments[] = {value_of(call.arguments[0], types().usize())};
  node.arguments = checker_.arena().copy(std::span<const Node>(arguments));
  return &node;
}

Node BodyChecker::mmio_write(BuiltinCall& call) {
  require_unsafe(call);
  const Type* type = machine_width(call, false);
  require_arguments(call, 2, 2);
  auto& node = make<checked::MachineExpr>(ExprKind::Machine, types().void_type(), call.position);
  node.op = checked::MachineOp::MmioWrite;
  Node address = value_of(call.arguments[0], types().usize());
  const Node arguments[] = {address, value_of(call.arguments[1], type)};
  node.arguments = checker_.arena().copy(std::span<const Node>(arguments));
  return &node;
}

Node BodyChecker::asm_text(BuiltinCall& call) {
  require_unsafe(call);
  if (call.arguments.size() != 1 || call.arguments.front().written->kind != syntax::ExprKind::String) {
    refuse(Code::Arity, call.position, "asm takes one string literal.");
  }
  auto& node = make<checked::MachineExpr>(ExprKind::Machine, types().void_type(), call.position);
  node.op = checked::MachineOp::Asm;
  node.text = call.arguments.front().written->as<syntax::StringExpr>().bytes;
  return &node;
}

}  // namespace cairn
