// reduce, scan and compact (concurrency, 8 to 10; devices, 4.3 and 4.4; numerics, 5).
#include <algorithm>

#include "frontend/check/regions.hpp"

namespace cairn {

using checked::ExprKind;
using checked::Local;
using checked::LocalKind;
using checked::StmtKind;
using syntax::Reducer;

namespace {

struct ReducerRow {
  std::string_view spelling;
  std::string_view takes;
};
/// By Reducer.
constexpr ReducerRow kReducers[] = {
    {"+", "unsigned integers (a signed partial sum may overflow while the total fits) and floats"},
    {"*", "floats (an integer product wraps: mul_wrap)"},
    {"&", "unsigned integers"},
    {"|", "unsigned integers"},
    {"^", "unsigned integers"},
    {"add_wrap", "unsigned integers"},
    {"mul_wrap", "unsigned integers"},
    {"min", "integers"},
    {"max", "integers"},
};

bool admits(Reducer reducer, const Type* type) {
  switch (reducer) {
    case Reducer::Add:
      return type->is_unsigned() || type->is_float();
    case Reducer::Multiply:
      return type->is_float();
    case Reducer::Min:
    case Reducer::Max:
      return type->is_integer();
    default:
      return type->is_unsigned();
  }
}

}  // namespace

void BodyChecker::require_reducer(Reducer reducer, const Type* type, Code code, Position at) {
  if (admits(reducer, type)) return;
  const ReducerRow& row = kReducers[static_cast<std::size_t>(reducer)];
  refuse(code, at,
         std::string(row.spelling) + " joins " + std::string(row.takes) + ", and these are " + std::string(type->name) +
             ".");
}

const checked::Stmt* BodyChecker::contracted_statement(const syntax::Stmt& contracted, const syntax::LetStmt* let) {
  const Position at = let != nullptr ? let->position : contracted.position;
  if (let != nullptr && let->is_mutable) {
    refuse(Code::CollectBinding, at, "What a collector gives is bound by an immutable let.");
  }
  switch (contracted.kind) {
    case syntax::StmtKind::Reduce:
      return reduce(contracted.as<syntax::ReduceStmt>(), let, at);
    case syntax::StmtKind::Scan:
      return scan(contracted.as<syntax::ScanStmt>(), let, at);
    default:
      return compact(contracted.as<syntax::CompactStmt>(), let, at);
  }
}

Local* BodyChecker::collector_target(const syntax::Identifier& name) {
  Local* local = find_local(name.name);
  if (local == nullptr) refuse_unbound(name.name, name.position);
  const bool fits = local->type->is(TypeKind::View) && local->type->mode == BorrowMode::Rw;
  return fits ? local : nullptr;
}

/// E-SHADOW: the binder and the bound result are new names, and two.
void BodyChecker::require_fresh_results(const syntax::Identifier& binder, const syntax::LetStmt* let, Position at) {
  require_fresh(binder.name, at);
  if (let == nullptr) return;
  require_fresh(let->name.name, at);
  if (let->name.name == binder.name && !is_blank(binder.name)) {
    refuse(Code::Shadow, at, quoted(binder.name) + " names the index and the result of one statement.");
  }
}

const Type* BodyChecker::annotated(const syntax::LetStmt* let) {
  if (let == nullptr || let->type == nullptr) return nullptr;
  return checker_.resolve_type(*let->type, scope_, let->position);
}

Local* BodyChecker::bind_result(const syntax::LetStmt* let, const Type* type) {
  if (let == nullptr) return nullptr;
  if (is_blank(let->name.name)) return new_local(let->name.name, type, LocalKind::Let, false, let->position);
  return declare(let->name.name, type, LocalKind::Let, false, let->position);
}

/// The yields of a collector: a lane body that returns them. With an `output`, each lane also writes its element.
checked::Function* BodyChecker::yield_lane(const syntax::Identifier& binder, const syntax::Expr& yield,
                                           const Type* expected, Node extent, Local* output, Position at,
                                           LaneRecord& record) {
  LaneScope lane(*this, at, record);
  record.binder = lane.bind(binder, extent);
  if (output != nullptr) {
    mention(*output, at);  // captured: each lane writes its element
    record.accesses.push_back({output, 1, true, at});
  }
  Node node = walk(yield, expected);
  if (expected != nullptr && node->type != expected) refuse_mismatch(expected, node->type, yield.position);
  if (node->type->is(TypeKind::Void)) refuse(Code::TypeMismatch, yield.position, "This yields no value.");
  auto& give = make<checked::ReturnStmt>(StmtKind::Return, yield.position);
  give.value = as_value(node);
  auto& body = *checker_.arena().make<checked::Block>();
  const checked::Stmt* const statements[] = {&give};
  body.statements = checker_.arena().copy(std::span<const checked::Stmt* const>(statements));
  body.leaves = true;
  lane.function().result = node->type;
  lane.close(&body);
  judge_lane(record, at);
  return &lane.function();
}

// ------------------------------------------------------------------------------------------------------------- reduce

const checked::Stmt* BodyChecker::reduce(const syntax::ReduceStmt& statement, const syntax::LetStmt* let, Position at) {
  if (statement.warp) return warp_reduction(statement, let, at);
  require_no_nesting(at, "A reduction");
  Local* target = nullptr;
  if (statement.has_target) {
    target = collector_target(statement.target);
    if (target == nullptr) {
      refuse(Code::ReduceTarget, statement.target.position,
             "A total goes into an element of an rw view, a buffer or a stack array, and " +
                 quoted(statement.target.name) + " is none; lend it to a function as a view.");
    }
  }
  require_fresh_results(statement.binder, let, at);
  const Type* expected = target != nullptr ? target->type->element : annotated(let);
  auto& made = make<checked::ReduceStmt>(StmtKind::Reduce, at);
  const IndexedSide indexed = indexed_side({&statement.yield, 1});
  const bool into_device = target != nullptr && target->type->placement == Placement::Device;
  made.device = indexed == IndexedSide::Device || (indexed == IndexedSide::Nothing && into_device);
  made.reducer = statement.reducer;
  made.parallel = statement.parallel;
  made.extent = value_of(*statement.extent, types().usize());
  LaneRecord record;
  record.device = made.device;
  made.lane = yield_lane(statement.binder, *statement.yield, expected, made.extent, nullptr, at, record);
  made.accesses = kept_accesses(record);
  const Type* type = made.lane->result;
  require_reducer(statement.reducer, type, Code::ReduceOp, at);
  if (statement.reducer == Reducer::Multiply && statement.parallel && !made.device) {
    refuse(Code::ReduceOrder, at,
           "A product rounded in blocks is another number: fold it with for. + is exact, so it may run on the pool.");
  }
  if (target == nullptr) {
    made.result = bind_result(let, type);
    return &made;
  }
  if (into_device != made.device) {
    refuse(Code::Placement, at,
           made.device ? "This total is made on the device, so it lands in an element of a @device array."
                       : "This total is made on the host, so it cannot land in a @device element.");
  }
  for (const LaneAccess& access : record.accesses) {
    if (access.root != target) continue;
    refuse(Code::ParallelRace, statement.yield->position,
           "The total goes into " + quoted(target->name) + ", so no yield touches it.");
  }
  const Position element_at = statement.target.position;
  auto& place = make<checked::ElementExpr>(ExprKind::Element, target->type->element, element_at);
  place.base = local_place(*target, element_at);
  place.index = value_of(*statement.target_index, types().usize());
  require_writable(&place);
  touch(&place, Touch::Write, element_at);
  made.target = &place;
  return &made;
}

// --------------------------------------------------------------------------------------------------------------- scan

const checked::Stmt* BodyChecker::scan(const syntax::ScanStmt& statement, const syntax::LetStmt* let, Position at) {
  require_no_nesting(at, "A scan");
  require_fresh_results(statement.binder, let, at);
  Local* output = collector_target(statement.output);
  if (output == nullptr) {
    refuse(Code::ScanTarget, at,
           "A scan fills an rw view, a buffer or a stack array, and " + quoted(statement.output.name) +
               " is none; lend it to a function as a view.");
  }
  auto& made = make<checked::ScanStmt>(StmtKind::Scan, at);
  made.reducer = statement.reducer;
  made.exclusive = statement.exclusive;
  made.parallel = statement.parallel;
  made.device =
      output->type->placement == Placement::Device || indexed_side({&statement.yield, 1}) == IndexedSide::Device;
  Node place = local_place(*output, statement.output.position);
  made.output = place;
  made.extent = value_of(*statement.extent, types().usize());
  if (!same(identity_of_value(made.extent), identity_of_view(place))) {
    refuse(Code::ScanExtent, statement.extent->position,
           "A scan fills all of its output: count " + text(identity_of_view(place)) + ", the length of " +
               quoted(output->name) + ".");
  }
  const Type* element = output->type->element;
  if (const Type* type = annotated(let); type != nullptr && type != element) refuse_mismatch(element, type, at);
  if (made.device && output->type->placement != Placement::Device && output->type->placement != Placement::Unified) {
    refuse(Code::Placement, at,
           "This scan runs on the device, which cannot write " + quoted(output->name) + ": give it a @device array.");
  }
  note_lent_elements(place, at);
  LaneRecord record;
  record.device = made.device;
  made.lane = yield_lane(statement.binder, *statement.yield, element, made.extent, output, at, record);
  require_reducer(statement.reducer, element, Code::ScanOp, at);
  if (element->is_float() && (statement.parallel || made.device)) {
    refuse(Code::ScanOrder, at,
           "Prefixes of floats rounded in blocks are other numbers: scan in order, on the host, with for.");
  }
  made.total = bind_result(let, element);
  return &made;
}

/// A collector writes all of its output.
void BodyChecker::note_lent_elements(Node output, Position at) {
  require_not_leased({place_path(output, true), false, at});
  Local* root = root_local(output);
  root->lent_rw = true;
  if (frame_->outer != nullptr && root->owner != frame_->function) note_touched(place_path(output, true), *root);
}

// ------------------------------------------------------------------------------------------------------------ compact

const checked::Stmt* BodyChecker::compact(const syntax::CompactStmt& statement, const syntax::LetStmt* let,
                                          Position at) {
  if (const Type* type = annotated(let); type != nullptr && type != types().usize()) {
    refuse(Code::CollectBinding, at, "The count a compact gives is a usize.");
  }
  require_fresh_results(statement.binder, let, at);
  require_no_nesting(at, "A compact");
  Local* output = collector_target(statement.output);
  if (output == nullptr) {
    refuse(Code::WriteLease, at,
           "A compact fills an rw view, a buffer or a stack array, and " + quoted(statement.output.name) +
               " is none; lend it to a function as a view.");
  }
  auto& made = make<checked::CompactStmt>(StmtKind::Compact, at);
  Node place = local_place(*output, statement.output.position);
  made.output = place;
  made.extent = value_of(*statement.extent, types().usize());
  if (!same(identity_of_value(made.extent), identity_of_view(place))) {
    refuse(Code::CollectCapacity, statement.extent->position,
           "A compact may keep every index: count " + text(identity_of_view(place)) + ", the length of " +
               quoted(output->name) + ".");
  }
  note_lent_elements(place, at);
  made.device = output->type->placement == Placement::Device;
  if (made.device) {
    device_compact(statement, made, at);
  } else {
    host_compact(statement, made, at);
  }
  made.count = bind_result(let, types().usize());
  if (made.count != nullptr) facts_.at_most(*made.count, made.extent);
  return &made;
}

/// The operands of a loop.
void BodyChecker::host_compact(const syntax::CompactStmt& statement, checked::CompactStmt& made, Position at) {
  Local* output = root_local(made.output);
  const ScopeMarks marks = scope_marks();
  const OwnerSet before = dead_;
  const std::uint32_t outer = next_slot_;
  made.binder = declare(statement.binder.name, types().usize(), LocalKind::LoopBinder, false, at);
  facts_.binds(*made.binder, nullptr, made.extent);
  const auto watched = std::exchange(watched_, Watched{output, at});
  made.predicate = value_of(*statement.condition, types().bool_type());
  facts_.holds(made.predicate, true);
  made.projected = value_of(*statement.yield, output->type->element);
  watched_ = watched;
  require_no_outer_moved(before, outer, at, "compact");
  visible_.resize(marks.visible);
  facts_.drop(marks.facts);
}

/// Two lane bodies: whether an index is kept, and what is stored for a kept one.
void BodyChecker::device_compact(const syntax::CompactStmt& statement, checked::CompactStmt& made, Position at) {
  const auto watched = std::exchange(watched_, Watched{root_local(made.output), at});
  LaneRecord condition;
  condition.device = true;
  made.condition =
      yield_lane(statement.binder, *statement.condition, types().bool_type(), made.extent, nullptr, at, condition);
  LaneRecord projection;
  projection.device = true;
  made.yield =
      yield_lane(statement.binder, *statement.yield, made.output->type->element, made.extent, nullptr, at, projection);
  watched_ = watched;
  // One kernel does both, with what either names.
  std::vector<Local*>& captures = made.condition->captures;
  for (Local* each : made.yield->captures) {
    if (std::ranges::find(captures, each) == captures.end()) captures.push_back(each);
  }
}

}  // namespace cairn
