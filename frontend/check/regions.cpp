// Parallel regions (concurrency, 7.1; devices, 2.2 and 4).
#include "frontend/check/regions.hpp"

#include <algorithm>

#include "frontend/check/device_sides.hpp"

namespace cairn {

using checked::Local;
using checked::LocalKind;
using checked::StmtKind;

BodyChecker::LaneScope::LaneScope(BodyChecker& body, Position region, LaneRecord& record)
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
  if (record.device) ++body.device_depth_;
  record.function = &function_;
}

Local* BodyChecker::LaneScope::bind(const syntax::Identifier& name, Node extent) {
  Local* local = body_.declare(name.name, body_.types().usize(), LocalKind::LaneBinder, false, region_);
  function_.parameters = body_.checker_.arena().copy(std::span<Local* const>(function_.locals));
  body_.facts_.binds(*local, nullptr, extent);
  return local;
}

BodyChecker::LaneScope::~LaneScope() {
  if (body_.frame_ == &frame_) leave();
}

void BodyChecker::LaneScope::leave() {
  body_.frame_ = frame_.outer;
  if (body_.lane_->device) --body_.device_depth_;
  body_.lane_ = nullptr;
}

void BodyChecker::LaneScope::close(const checked::Block* block) {
  function_.body = block;
  leave();
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

/// Whether an index in a body or yield is rooted in a name whose place is `device`, and whether there is one at all.
BodyChecker::IndexedSide BodyChecker::indexed_side(std::span<const syntax::Expr* const> yields,
                                                   const syntax::Block* body) {
  bool is_any = false;
  const auto is_device = [&](Name name) {
    const Local* local = find_local(name);
    if (local == nullptr) return false;
    is_any = true;
    return local->type->is(TypeKind::View) && local->type->placement == Placement::Device;
  };
  const auto yields_index_device = [&](const syntax::Expr* yield) {
    return any_indexed(*yield, checker_.names(), is_device);
  };
  if (body != nullptr && any_indexed(*body, checker_.names(), is_device)) return IndexedSide::Device;
  if (std::ranges::any_of(yields, yields_index_device)) return IndexedSide::Device;
  return is_any ? IndexedSide::Host : IndexedSide::Nothing;
}

const checked::Stmt* BodyChecker::parallel_statement(const syntax::ParallelStmt& statement) {
  const Position at = statement.position;
  require_no_nesting(at, "A region");
  if (!statement.after.empty()) {
    refuse(Code::Spawn, at, "`after` orders queued work: write let t = spawn parallel ... after ...;.");
  }
  return &region(statement.binder, *statement.extent, *statement.body, at);
}

checked::ParallelStmt& BodyChecker::region(const syntax::Identifier& binder, const syntax::Expr& extent,
                                           const syntax::Block& written, Position at) {
  require_fresh(binder.name, at);
  auto& made = make<checked::ParallelStmt>(StmtKind::Parallel, at);
  made.extent = value_of(extent, types().usize());
  made.device = indexed_side({}, &written) == IndexedSide::Device;
  LaneRecord record;
  record.device = made.device;
  LaneScope lane(*this, at, record);
  record.binder = lane.bind(binder, made.extent);
  Flow flow = Flow::Falls;
  const checked::Block* body = block(written, flow);
  lane.close(body);
  made.lane = &lane.function();
  judge_lane(record, at);
  for (const LaneAccess& access : record.accesses) {
    if (access.writes && access.stride) made.block = std::max(made.block, *access.stride);
  }
  made.accesses = kept_accesses(record);
  return made;
}

}  // namespace cairn
