// Pipelines: their declaration and their operations (devices, 14). The states of their stages are stages.hpp.
#include <algorithm>

#include "frontend/check/body_blocks.hpp"
#include "frontend/check/regions.hpp"

namespace cairn {

using checked::ConcurrentOp;
using checked::Local;
using checked::LocalKind;
using checked::StmtKind;

namespace {

constexpr std::uint64_t kMostStages = 8;

bool can_stage(const Type* type) {
  switch (type->kind) {
    case TypeKind::U32:
    case TypeKind::I32:
    case TypeKind::F32:
    case TypeKind::U64:
    case TypeKind::I64:
    case TypeKind::F64:
      return true;
    default:
      return false;
  }
}

struct PipelineRow {
  std::string_view name;
  ConcurrentOp op;
  std::size_t arguments;
  std::string_view shape;
};
constexpr PipelineRow kPipelineOperations[] = {
    {"fill", ConcurrentOp::PipelineFill, 3, "fill(x, start, count)"},
    {"wait", ConcurrentOp::PipelineWait, 0, "wait()"},
    {"release", ConcurrentOp::PipelineRelease, 0, "release()"},
};

}  // namespace

const checked::Stmt* BodyChecker::pipeline_statement(const syntax::PipelineStmt& statement) {
  const Position at = statement.position;
  require_in_threads(statement, "A pipeline");
  require_fresh(statement.name.name, at);
  const Type* element = shared_element(statement.element, at);
  if (!can_stage(element)) {
    refuse(
        Code::CoopShared, at,
        "A pipeline carries u32, i32, f32, u64, i64 or f64, and " + std::string(element->name) + " is none of them.");
  }
  const auto size = natural_of(*statement.extent);
  if (!size || *size == 0) {
    refuse(
        Code::CoopShared, statement.extent->position,
        "A stage holds at least one element, and its size is fixed when the program is compiled: literals, constants "
        "and static naturals.");
  }
  const auto depth = natural_of(*statement.depth);
  if (!depth || *depth == 0 || *depth > kMostStages) {
    refuse(Code::CoopShared, statement.depth->position,
           "A pipeline has 1 to 8 stages, fixed when the program is compiled.");
  }
  auto& made = make<checked::PipelineStmt>(StmtKind::Pipeline, at);
  made.size = *size;
  made.depth = static_cast<std::uint32_t>(*depth);
  const Type* type = shared_view(BorrowMode::Ro, element, *size);
  made.local = new_local(statement.name.name, type, LocalKind::Pipeline, false, at);
  made.element_bytes = static_cast<std::uint32_t>(stack_bytes(element));
  require_room(bytes_of(made), at);
  bring_into_scope(made.local);
  threads_->pipelines.push_back(&made);
  return &made;
}

Node BodyChecker::pipeline_operation(Node receiver, Name name, std::vector<Operand>& arguments, Position at) {
  const Local& pipeline = *receiver->as<checked::LocalExpr>().local;
  const auto* row = std::ranges::find(kPipelineOperations, checker_.text(name), &PipelineRow::name);
  if (row == std::end(kPipelineOperations)) {
    refuse(Code::Callee, at, "A pipeline has fill(x, start, count), wait() and release().");
  }
  if (arguments.size() != 1 + row->arguments) {
    refuse(Code::Arity, at,
           quoted(pipeline.name) + "." + std::string(row->shape) + " is the form, and this call gives " +
               std::to_string(arguments.size() - 1) + " arguments.");
  }
  const std::string spelled = std::string(checker_.text(pipeline.name)) + "." + std::string(row->name);
  require_block_reaches(threads_->reach.of_call(at), at, spelled);
  if (row->op != ConcurrentOp::PipelineFill) return concurrent_node(row->op, types().void_type(), receiver, {}, at);

  Node source = fill_source(arguments[1], pipeline);
  Node start = value_of(arguments[2], types().usize());
  Node count = value_of(arguments[3], types().usize());
  return concurrent_node(row->op, types().void_type(), receiver, {source, start, count}, at);
}

/// What a fill copies from: E-TYPE-MISMATCH, E-PLACEMENT at it.
Node BodyChecker::fill_source(Operand& operand, const Local& pipeline) {
  Node source = walk_lent_view(operand);
  const Position at = source->position;
  const Type* element = element_type(source->type);
  if (element != pipeline.type->element || (root_local(source) == nullptr)) {
    refuse_mismatch("A view of " + std::string(pipeline.type->element->name), source->type->name, at);
  }
  const Local& root = *root_local(source);
  const auto refuse_source = [&](std::string why) {
    refuse(Code::Placement, at,
           quoted(pipeline.name) + " is filled from outside memory on its side: " + std::move(why));
  };
  if (!is_outside_lane(root)) refuse_source(quoted(root.name) + " is declared in the region.");
  const Placement place = source->type->is(TypeKind::View) ? source->type->placement : Placement::Host;
  if (place != Placement::Unified && (place == Placement::Device) != threads_->device) {
    refuse_source(quoted(root.name) + (threads_->device ? " is host memory, and the region runs on the device."
                                                        : " is @device memory, and the region runs on the host."));
  }
  note_lent(source, false, at, true);
  if (!source->is_place() || source->type->is(TypeKind::View)) return source;
  return view_of(source, types().view(BorrowMode::Ro, element, Extent{}, Placement::Host));
}

}  // namespace cairn
