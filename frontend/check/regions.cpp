// Parallel regions on the host (concurrency, 7.1).
#include "frontend/check/regions.hpp"

#include <algorithm>

namespace cairn {

using checked::Local;
using checked::LocalKind;
using checked::StmtKind;

BodyChecker::LaneScope::LaneScope(BodyChecker& body, const syntax::Identifier& binder, Node extent, Position region,
                                  LaneRecord& record)
    : body_(body),
      function_(*body.checker_.new_function(checked::FunctionKind::Lane)),
      region_(region),
      dead_(body.dead_),
      visible_(body.visible_.size()),
      facts_(body.facts_.mark()) {
  function_.name = body.frame_->function->name;
  function_.module = body.root_.module;
  function_.library = body.root_.library;
  function_.parent = body.frame_->function;
  function_.result = body.types().void_type();
  function_.position = region;

  frame_.function = &function_;
  frame_.outer = body.frame_;
  frame_.result = function_.result;
  frame_.first_linear = body.linear_.size();
  frame_.loop_linear = body.linear_.size();
  frame_.is_lane = true;
  body.frame_ = &frame_;
  body.lane_ = &record;
  const Local* lane = body.declare(binder.name, body.types().usize(), LocalKind::LaneBinder, false, region);
  function_.parameters = body.checker_.arena().copy(std::span<Local* const>(function_.locals));
  record.function = &function_;
  record.binder = lane;
  body.facts_.binds(*lane, nullptr, extent);
}

BodyChecker::LaneScope::~LaneScope() {
  if (body_.frame_ == &frame_) body_.frame_ = frame_.outer;
  body_.lane_ = nullptr;
}

void BodyChecker::LaneScope::close(const checked::Block* block) {
  function_.body = block;
  body_.frame_ = frame_.outer;
  body_.lane_ = nullptr;
  body_.visible_.resize(visible_);
  body_.linear_.resize(frame_.first_linear);
  body_.facts_.drop(facts_);
  body_.dead_ = dead_;
  if (frame_.moved_outer == nullptr) return;
  refuse(Code::MoveInLoop, region_,
         body_.quoted(frame_.moved_outer->name) + " comes from outside this region and would move once per lane.");
}

/// E-PARALLEL-NEST at a region or collector inside a lane or a kernel fn.
void BodyChecker::require_no_nesting(Position region, std::string_view what) {
  if (!in_lane() && !on_device()) return;
  refuse(Code::ParallelNest, region,
         std::string(what) + " cannot stand inside a lane or a kernel fn: a lane starts no region.");
}

checked::List<const checked::RegionAccess> BodyChecker::kept_accesses(const LaneRecord& record) {
  std::vector<checked::RegionAccess> kept;
  for (const auto* accesses : {&record.accesses, &record.atomics}) {
    for (const LaneAccess& access : *accesses) kept.push_back({access.root, access.stride.value_or(0), access.writes});
  }
  return checker_.arena().copy(std::span<const checked::RegionAccess>(kept));
}

const checked::Stmt* BodyChecker::parallel_statement(const syntax::ParallelStmt& statement) {
  const Position at = statement.position;
  require_no_nesting(at, "A region");
  if (!statement.after.empty()) {
    refuse(Code::Spawn, at, "`after` orders queued work: write let t = spawn parallel ... after ...;.");
  }
  require_fresh(statement.binder.name, at);
  auto& made = make<checked::ParallelStmt>(StmtKind::Parallel, at);
  made.extent = value_of(*statement.extent, types().usize());
  LaneRecord record;
  LaneScope lane(*this, statement.binder, made.extent, at, record);
  Flow flow = Flow::Falls;
  const checked::Block* body = block(*statement.body, flow);
  lane.close(body);
  made.lane = &lane.function();
  judge_lane(record, at);
  for (const LaneAccess& access : record.accesses) {
    if (access.writes && access.stride) made.block = std::max(made.block, *access.stride);
  }
  made.accesses = kept_accesses(record);
  return &made;
}

}  // namespace cairn
