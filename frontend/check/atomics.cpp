// Atomic[T] and atomic updates of one element (concurrency, 11; numerics, 7).
#include <algorithm>
#include <array>

#include "frontend/check/body_checker.hpp"
#include "frontend/check/concurrent_ops.hpp"

namespace cairn {

using checked::ConcurrentOp;
using checked::ExprKind;
using checked::Local;

namespace {

struct OperationRow {
  std::string_view name;
  ConcurrentOp op;
  std::size_t values;
  std::size_t orders;
  enum class Gives : std::uint8_t { Old, Nothing, Bool } gives = Gives::Old;
  bool integers_only = false;
};
constexpr std::array kOperations = {
    OperationRow{"load", ConcurrentOp::Load, 0, 1},
    OperationRow{"store", ConcurrentOp::Store, 1, 1, OperationRow::Gives::Nothing},
    OperationRow{"swap", ConcurrentOp::Swap, 1, 1},
    OperationRow{"fetch_add", ConcurrentOp::FetchAdd, 1, 1, OperationRow::Gives::Old, true},
    OperationRow{"fetch_sub", ConcurrentOp::FetchSub, 1, 1, OperationRow::Gives::Old, true},
    OperationRow{"fetch_and", ConcurrentOp::FetchAnd, 1, 1, OperationRow::Gives::Old, true},
    OperationRow{"fetch_or", ConcurrentOp::FetchOr, 1, 1, OperationRow::Gives::Old, true},
    OperationRow{"fetch_xor", ConcurrentOp::FetchXor, 1, 1, OperationRow::Gives::Old, true},
    OperationRow{"compare_exchange", ConcurrentOp::CompareExchange, 2, 2, OperationRow::Gives::Bool},
};

/// Sets of element types, one bit by TypeKind.
constexpr std::uint32_t bit(TypeKind kind) { return std::uint32_t{1} << static_cast<unsigned>(kind); }
constexpr std::uint32_t kUnsigned = bit(TypeKind::U32) | bit(TypeKind::U64) | bit(TypeKind::Usize);
constexpr std::uint32_t kIntegers = kUnsigned | bit(TypeKind::I32) | bit(TypeKind::I64);
constexpr std::uint32_t kFloats = bit(TypeKind::F32) | bit(TypeKind::F64);

struct UpdateRow {
  std::string_view name;
  ConcurrentOp op;
  std::size_t values;
  std::uint32_t types;
  std::string_view takes;
};
constexpr std::array kUpdates = {
    UpdateRow{"atomic_add_wrap", ConcurrentOp::ElementAddWrap, 1, kUnsigned, "u32, u64 or usize"},
    UpdateRow{"atomic_min", ConcurrentOp::ElementMin, 1, kIntegers, "u32, i32, u64, i64 or usize"},
    UpdateRow{"atomic_max", ConcurrentOp::ElementMax, 1, kIntegers, "u32, i32, u64, i64 or usize"},
    UpdateRow{"atomic_and", ConcurrentOp::ElementAnd, 1, kUnsigned, "u32, u64 or usize"},
    UpdateRow{"atomic_or", ConcurrentOp::ElementOr, 1, kUnsigned, "u32, u64 or usize"},
    UpdateRow{"atomic_xor", ConcurrentOp::ElementXor, 1, kUnsigned, "u32, u64 or usize"},
    UpdateRow{"atomic_cas", ConcurrentOp::ElementCas, 2, kIntegers, "u32, i32, u64, i64 or usize"},
    UpdateRow{"atomic_add_unordered", ConcurrentOp::ElementAddUnordered, 1, kFloats, "f32 or f64"},
};

}  // namespace

Node BodyChecker::new_atomic(BuiltinCall& call) {
  const Type* type = constructed(call, TypeKind::Atomic, "Atomic[T](value)");
  require_arguments(call, 1, 1);
  require_host(call.position, "An Atomic");
  Node value = value_of(call.arguments.front(), type->element);
  return concurrent_node(ConcurrentOp::AtomicNew, type, nullptr, {value}, call.position);
}

Node BodyChecker::order_argument(Operand& operand) { return value_of(operand, checker_.order_type()); }

/// A mutable place an operation writes a result to: E-WRITE-LEASE at it, E-PARALLEL-WRITE in a lane.
Node BodyChecker::lent_place(Operand& operand, const Type* type, Position) {
  Node place = walk_operand(operand, type);
  if (place->type != type) refuse_mismatch(type, place->type, place->position);
  Local* root = place->is_place() ? root_local(place) : nullptr;
  if (root == nullptr || !is_writable(place)) {
    refuse(Code::WriteLease, place->position,
           "The operation writes here, so this is a place of a let mut name or an rw borrow.");
  }
  require_not_half_of_extent(place, place->position);
  touch(place, Touch::Write, place->position);
  root->lent_rw = true;
  auto& lend = make<checked::LendExpr>(ExprKind::Lend, types().borrow(BorrowMode::Rw, type), place->position);
  lend.mode = BorrowMode::Rw;
  lend.place = place;
  return &lend;
}

Node BodyChecker::atomic_operation(Node receiver, Name name, std::vector<Operand>& arguments, Position at) {
  require_host(at, "An Atomic");
  const Type* type = receiver->type->element;
  const auto* row = std::ranges::find(kOperations, checker_.text(name), &OperationRow::name);
  if (row == kOperations.end() || (row->integers_only && type->is(TypeKind::Bool))) {
    refuse(Code::Callee, at,
           type->is(TypeKind::Bool)
               ? "An Atomic[bool] has load, store, swap and compare_exchange."
               : "An Atomic has load, store, swap, fetch_add, fetch_sub, fetch_and, fetch_or, fetch_xor and "
                 "compare_exchange.");
  }
  if (arguments.size() != 1 + row->values + row->orders) {
    refuse(Code::Arity, at,
           std::string(row->name) + " takes " +
               (row->values == 0   ? ""
                : row->values == 1 ? "a value and "
                                   : "the expected place, a value and ") +
               (row->orders == 1 ? "an order" : "two orders") + ", which is always written: Order.seq_cst, say.");
  }
  touch(receiver, Touch::Read, at);
  std::vector<Node> made;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    Operand& operand = arguments[i];
    if (i > row->values) {
      made.push_back(order_argument(operand));
    } else if (i == 1 && row->op == ConcurrentOp::CompareExchange) {
      made.push_back(lent_place(operand, type, at));
    } else {
      made.push_back(value_of(operand, type));
    }
  }
  using Gives = OperationRow::Gives;
  const Type* result = row->gives == Gives::Old       ? type
                       : row->gives == Gives::Nothing ? types().void_type()
                                                      : types().bool_type();
  auto& node = make<checked::ConcurrentExpr>(ExprKind::Concurrent, result, at);
  node.op = row->op;
  node.receiver = receiver;
  node.arguments = checker_.arena().copy(std::span<const Node>(made));
  return &node;
}

// ------------------------------------------------------------------------------------------------ updates of elements

Node BodyChecker::element_update(BuiltinCall& call) {
  const auto* row = std::ranges::find(kUpdates, checker_.text(call.name), &UpdateRow::name);
  require_arguments(call, 1 + row->values, 1 + row->values);
  Operand& target = call.arguments.front();
  const Position at = target.written->position;
  const auto refuse_atomic = [&](std::string message) { refuse(Code::Atomic, at, std::move(message)); };
  const syntax::BracketExpr* bracket =
      target.written->kind == syntax::ExprKind::Bracket ? &target.written->as<syntax::BracketExpr>() : nullptr;
  if (bracket == nullptr || bracket->base->kind != syntax::ExprKind::Name || bracket->arguments.size() != 1) {
    refuse_atomic(std::string(row->name) + " updates one element of a named array: write " + std::string(row->name) +
                  "(x[i], ..).");
  }
  const Name name = bracket->base->as<syntax::NameExpr>().name;
  Local* array = find_local(name);
  if (array == nullptr) refuse_unbound(name, at);
  Node base = local_place(*array, bracket->base->position);
  const Type* element_of = element_type(base->type);
  if (element_of == nullptr) {
    refuse_atomic(quoted(name) + " is no view, Buf or Array, so it has no element to update.");
  }
  if ((row->types & bit(element_of->kind)) == 0 || element_of->kind > TypeKind::F64) {
    std::string message = std::string(row->name) + " updates elements of type " + std::string(row->takes) +
                          ", and these are " + std::string(element_of->name) + ".";
    if (row->op == ConcurrentOp::ElementAddUnordered && element_of->is_integer()) {
      message += " Integers have atomic_add_wrap alone, which wraps.";
    } else if (row->op == ConcurrentOp::ElementAddWrap) {
      message += element_of->is_float() ? " Floats have atomic_add_unordered." : " An integer add always wraps.";
    }
    refuse_atomic(std::move(message));
  }
  if (!is_writable(base)) {
    refuse(Code::WriteLease, at, quoted(name) + " is not writable: lend it rw, or declare it let mut.");
  }
  Node place = element(base, *bracket->arguments.front(), at);
  array->lent_rw = true;
  require_not_leased(lease_touch(place, Touch::Write, at));
  if (in_lane()) record_atomic_update(place);
  if (frame_->outer != nullptr && array->owner != frame_->function) note_touched(place_path(place, true), *array);
  Node first = value_of(call.arguments[1], element_of);
  if (row->values == 1) return concurrent_node(row->op, element_of, place, {first}, call.position);
  Node second = value_of(call.arguments[2], element_of);
  return concurrent_node(row->op, element_of, place, {first, second}, call.position);
}

}  // namespace cairn
