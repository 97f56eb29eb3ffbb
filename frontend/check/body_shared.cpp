// What the threads of a block share, and how they wait for each other and exchange values (devices, 10.3 to 10.5).
#include <algorithm>

#include "frontend/check/body_blocks.hpp"

namespace cairn {

using checked::ConcurrentOp;
using checked::LocalKind;
using checked::StmtKind;

namespace {

constexpr std::uint64_t kSharedBytes = 49152;

}  // namespace

// ------------------------------------------------------------------------------------------------------ shared arrays

/// E-COOP-SHARED when a declaration does not stand directly in a region's body.
void BodyChecker::require_in_threads(const syntax::Stmt& declaration, std::string_view what) {
  const bool stands =
      threads_ != nullptr && frame_->is_lane &&
      std::ranges::find(threads_->written->statements, &declaration) != threads_->written->statements.end();
  if (stands) return;
  refuse(Code::CoopShared, declaration.position,
         std::string(what) +
             " is declared directly in the body of a cooperative region, not in a nested block, a "
             "closure or a function.");
}

/// E-COOP-SHARED when the declarations so far take more than a block has.
void BodyChecker::require_room(std::uint64_t bytes, Position declaration) {
  threads_->bytes += (bytes + kSharedAlign - 1) / kSharedAlign * kSharedAlign;
  if (threads_->bytes <= kSharedBytes) return;
  refuse(Code::CoopShared, declaration,
         "The shared arrays and pipelines of a block take at most 49152 bytes together, each rounded up to 128, and "
         "with this one they take " +
             std::to_string(threads_->bytes) + ".");
}

const Type* BodyChecker::shared_element(const syntax::Path& path, Position at) {
  std::vector<Name> names;
  for (const syntax::Identifier& segment : path.segments) names.push_back(segment.name);
  const Type* type = checker_.named_type(names, {}, scope_, at);
  if (type == nullptr) refuse(Code::Type, at, "No type here is called " + quoted(path.last()) + ".");
  return type;
}

const Type* BodyChecker::shared_view(BorrowMode mode, const Type* element, std::uint64_t length) {
  return types().view(mode, element, Extent{Extent::Kind::Literal, length, {}},
                      threads_->device ? Placement::Device : Placement::Host);
}

const checked::Stmt* BodyChecker::shared_statement(const syntax::SharedStmt& statement) {
  const Position at = statement.position;
  require_in_threads(statement, "A shared array");
  require_fresh(statement.name.name, at);
  const Type* element = shared_element(statement.element, at);
  if (!(element->is_scalar() && !element->is(TypeKind::Void)) && !element->is_storage_float()) {
    refuse(Code::CoopShared, at,
           "A shared array holds integers, floats, bools or storage floats, and " + std::string(element->name) +
               " is none; a pair lies in two arrays, one a limb.");
  }
  const auto length = natural_of(*statement.extent);
  if (!length || *length == 0) {
    refuse(Code::CoopShared, statement.extent->position,
           "The length of a shared array is at least 1 and fixed when the program is compiled: literals, constants "
           "and static naturals.");
  }
  auto& made = make<checked::SharedStmt>(StmtKind::Shared, at);
  made.length = *length;
  made.zeroed = statement.zeroed;
  made.element_bytes = static_cast<std::uint32_t>(stack_bytes(element));
  require_room(bytes_of(made), at);
  made.local = declare(statement.name.name, shared_view(BorrowMode::Rw, element, *length), LocalKind::Shared, true, at);
  threads_->arrays.push_back(&made);
  return &made;
}

const checked::Stmt* BodyChecker::barrier_statement(const syntax::Stmt& statement) {
  const Position at = statement.position;
  if (threads_ == nullptr) {
    refuse(
        Code::CoopBarrier, at,
        "A barrier stands in the body of a cooperative region, where the threads of a block can wait for each other.");
  }
  require_block_reaches(threads_->reach.of(statement), at, "barrier");
  return &make<checked::Stmt>(StmtKind::Barrier, at);
}

// --------------------------------------------------------------------------------------------------- warp operations

namespace {

struct ExchangeRow {
  std::string_view name;
  ConcurrentOp op;
};
constexpr ExchangeRow kExchanges[] = {
    {"shuffle", ConcurrentOp::WarpShuffle},
    {"shuffle_xor", ConcurrentOp::WarpShuffleXor},
    {"shuffle_down", ConcurrentOp::WarpShuffleDown},
    {"shuffle_up", ConcurrentOp::WarpShuffleUp},
    {"warp_ballot", ConcurrentOp::WarpBallot},
    {"warp_any", ConcurrentOp::WarpAny},
    {"warp_all", ConcurrentOp::WarpAll},
    {"warp_match", ConcurrentOp::WarpMatch},
};

bool can_match(const Type* type) {
  switch (type->kind) {
    case TypeKind::U32:
    case TypeKind::I32:
    case TypeKind::U64:
    case TypeKind::I64:
    case TypeKind::Usize:
    case TypeKind::F32:
    case TypeKind::F64:
      return true;
    default:
      return false;
  }
}

}  // namespace

Node BodyChecker::warp_exchange(BuiltinCall& call) {
  const ExchangeRow& row = *std::ranges::find(kExchanges, checker_.text(call.name), &ExchangeRow::name);
  const bool shuffles = checked::is_shuffle(row.op);
  require_arguments(call, shuffles ? 2 : 1, shuffles ? 2 : 1);
  if (threads_ == nullptr) {
    refuse(Code::CoopWarp, call.position,
           std::string(row.name) + " exchanges values in a warp, so it stands in the body of a cooperative region.");
  }
  require_warp_reaches(threads_->reach.of_call(call.position), call.position, row.name);
  if (row.op == ConcurrentOp::WarpBallot || row.op == ConcurrentOp::WarpAny || row.op == ConcurrentOp::WarpAll) {
    Node condition = value_of(call.arguments.front(), types().bool_type());
    const Type* gives = row.op == ConcurrentOp::WarpBallot ? types().scalar(TypeKind::U32) : types().bool_type();
    return concurrent_node(row.op, gives, nullptr, {condition}, call.position);
  }
  Node value = walk_operand(call.arguments.front(), shuffles ? call.expected : nullptr);
  if (!shuffles) {
    if (!can_match(value->type)) {
      refuse_mismatch("A value of 32 or 64 bits", value->type->name, value->position);
    }
    return concurrent_node(row.op, types().scalar(TypeKind::U32), nullptr, {as_value(value)}, call.position);
  }
  const Type* type = value->type;
  if (!type->is_integer() && !type->is_float() && !type->is(TypeKind::Bool)) {
    refuse_mismatch("An integer, a float or a bool", type->name, value->position);
  }
  value = as_value(value);
  Node lane = value_of(call.arguments[1], types().usize());
  return concurrent_node(row.op, type, nullptr, {value, lane}, call.position);
}

const checked::Stmt* BodyChecker::warp_reduction(const syntax::ReduceStmt& statement, const syntax::LetStmt* let,
                                                 Position at) {
  if (threads_ == nullptr) {
    refuse(Code::CoopWarp, at,
           "reduce .. warp joins the values of a warp, so it stands in the body of a cooperative region.");
  }
  require_warp_reaches(threads_->reach.of(statement), at, "A warp's reduction");
  if (let == nullptr) refuse(Code::CollectBinding, at, "A warp's total is bound: write let s = reduce .. warp ..;.");
  require_fresh(let->name.name, at);
  const Type* expected = annotated(let);
  Node value = walk(*statement.yield, expected);
  if (expected != nullptr && value->type != expected) refuse_mismatch(expected, value->type, statement.yield->position);
  require_reducer(statement.reducer, value->type, Code::ReduceOp, at);
  auto& made = make<checked::ReduceStmt>(StmtKind::Reduce, at);
  made.reducer = statement.reducer;
  made.warp = true;
  made.warp_value = as_value(value);
  made.result = bind_result(let, value->type);
  return &made;
}

}  // namespace cairn
