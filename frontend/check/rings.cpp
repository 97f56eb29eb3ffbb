// IoRing (concurrency, 14).
#include <algorithm>
#include <array>

#include "frontend/check/body_checker.hpp"
#include "frontend/check/concurrent_ops.hpp"

namespace cairn {

using checked::ConcurrentOp;
using checked::ExprKind;
using checked::Local;

namespace {

enum class Takes : std::uint8_t { Nothing, I32, U64, Usize, Data, TagPlace, ResultPlace };
enum class Gives : std::uint8_t { Nothing, Data, I64, Usize };

struct RingRow {
  std::string_view name;
  ConcurrentOp op;
  std::array<Takes, 5> takes;
  Gives gives = Gives::Nothing;
};
constexpr std::array kRingOperations = {
    RingRow{"read", ConcurrentOp::RingRead, {Takes::I32, Takes::Data, Takes::Usize, Takes::U64, Takes::U64}},
    RingRow{"write", ConcurrentOp::RingWrite, {Takes::I32, Takes::Data, Takes::Usize, Takes::U64, Takes::U64}},
    RingRow{"recv", ConcurrentOp::RingReceive, {Takes::I32, Takes::Data, Takes::Usize, Takes::U64}},
    RingRow{"send", ConcurrentOp::RingSend, {Takes::I32, Takes::Data, Takes::Usize, Takes::U64}},
    RingRow{"accept", ConcurrentOp::RingAccept, {Takes::I32, Takes::U64}},
    RingRow{"timeout", ConcurrentOp::RingTimeout, {Takes::U64, Takes::U64}},
    RingRow{"cancel", ConcurrentOp::RingCancel, {Takes::U64}},
    RingRow{"next", ConcurrentOp::RingNext, {Takes::TagPlace, Takes::ResultPlace}, Gives::Data},
    RingRow{"status", ConcurrentOp::RingStatus, {}, Gives::I64},
    RingRow{"room", ConcurrentOp::RingRoom, {}, Gives::Usize},
    RingRow{"pending", ConcurrentOp::RingPending, {}, Gives::Usize},
};

std::size_t count_of(const RingRow& row) {
  return static_cast<std::size_t>(std::ranges::count_if(row.takes, [](Takes each) { return each != Takes::Nothing; }));
}

}  // namespace

Node BodyChecker::new_ring(BuiltinCall& call) {
  if (call.has_brackets) refuse(Code::GenericArity, call.position, "IoRing takes no type arguments.");
  require_arguments(call, 1, 1);
  require_host(call.position, "A ring");
  Node room = value_of(call.arguments.front(), types().usize());
  return concurrent_node(ConcurrentOp::RingNew, types().intrinsic(TypeKind::IoRing, nullptr), nullptr, {room},
                         call.position);
}

Node BodyChecker::ring_operation(Node receiver, Name name, std::vector<Operand>& arguments, Position at) {
  require_host(at, "A ring");
  const auto* row = std::ranges::find(kRingOperations, checker_.text(name), &RingRow::name);
  if (row == kRingOperations.end()) {
    std::string known;
    for (const RingRow& each : kRingOperations) known += (known.empty() ? "" : ", ") + std::string(each.name);
    refuse(Code::Callee, at, "A ring has " + known + ".");
  }
  require_count(count_of(*row), arguments.size() - 1, row->name, at);
  const bool is_request = is_ring_request(row->op);
  if (is_request && !is_writable(receiver)) {
    refuse(Code::WriteLease, receiver->position,
           quoted(root_local(receiver)->name) + " is not writable: a ring is declared let mut, or lent rw.");
  }
  // A lane that submits is refused for its effects.
  touch(receiver, is_request && !in_lane() ? Touch::Write : Touch::Read, at);
  const auto scalar = [&](TypeKind kind) { return types().scalar(kind); };
  std::vector<Node> made;
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    Operand& operand = arguments[i + 1];
    switch (row->takes[i]) {
      case Takes::I32:
        made.push_back(value_of(operand, scalar(TypeKind::I32)));
        break;
      case Takes::Usize:
        made.push_back(value_of(operand, types().usize()));
        break;
      case Takes::Data:
        made.push_back(value_of(operand, types().buf(scalar(TypeKind::U8))));
        break;
      case Takes::TagPlace:
        made.push_back(lent_place(operand, scalar(TypeKind::U64), at));
        break;
      case Takes::ResultPlace:
        made.push_back(lent_place(operand, scalar(TypeKind::I64), at));
        break;
      default:
        made.push_back(value_of(operand, scalar(TypeKind::U64)));
        break;
    }
  }
  const Type* result = row->gives == Gives::Data    ? types().buf(scalar(TypeKind::U8))
                       : row->gives == Gives::I64   ? scalar(TypeKind::I64)
                       : row->gives == Gives::Usize ? types().usize()
                                                    : types().void_type();
  auto& node = make<checked::ConcurrentExpr>(ExprKind::Concurrent, result, at);
  node.op = row->op;
  node.receiver = receiver;
  node.arguments = checker_.arena().copy(std::span<const Node>(made));
  return &node;
}

}  // namespace cairn
