// Cooperative regions: their shape, who reaches what together, the order of their checks (devices, 10 and 11). What the
// threads of a block do to shared arrays, pipelines and arrays from outside is judged on the checked body:
// phase_rule.hpp, stages.hpp, outside_arrays.hpp.
#include "frontend/check/body_blocks.hpp"

#include <algorithm>

#include "frontend/check/outside_arrays.hpp"
#include "frontend/check/phase_rule.hpp"
#include "frontend/check/regions.hpp"
#include "frontend/check/stages.hpp"
#include "frontend/check/syntax_walk.hpp"

namespace cairn {

using checked::Local;
using checked::LocalKind;
using checked::StmtKind;

namespace {

constexpr std::size_t kMostNames = 3;
constexpr std::uint64_t kWarp = 32;
constexpr std::uint64_t kMostThreads = 1024;

}  // namespace

// ---------------------------------------------------------------------------------------------------------- naturals

std::optional<std::uint64_t> BodyChecker::natural_of(const syntax::Expr& expression) {
  switch (expression.kind) {
    case syntax::ExprKind::Integer: {
      const auto& literal = expression.as<syntax::IntegerExpr>();
      if (literal.character || !literal.value.fits) return std::nullopt;
      return literal.value.value;
    }
    case syntax::ExprKind::Name:
    case syntax::ExprKind::Member: {
      const WrittenPath path = written_path(expression);
      if (path.empty() || find_local(path.front()) != nullptr) return std::nullopt;
      if (const StaticArgument* argument = path.size() == 1 ? scope_.find(path.front()) : nullptr) {
        return argument->type == nullptr ? std::optional(argument->natural) : std::nullopt;
      }
      if (checker_.peek(path.names(), scope_.module, kWantConst).kind != Symbol::Kind::Const) return std::nullopt;
      const Symbol symbol = checker_.resolve(path.names(), scope_.module, kWantConst, expression.position);
      const ConstantValue value = checker_.constant(symbol.declaration->as<syntax::ConstDecl>());
      if (!value.type->is_integer()) return std::nullopt;
      if (value.type->is_signed() && static_cast<std::int64_t>(value.bits) < 0) return std::nullopt;
      return value.bits;
    }
    case syntax::ExprKind::Binary: {
      const auto& binary = expression.as<syntax::BinaryExpr>();
      const auto left = natural_of(*binary.left);
      const auto right = left ? natural_of(*binary.right) : std::nullopt;
      if (!right) return std::nullopt;
      std::uint64_t value = 0;
      switch (binary.op) {
        case syntax::BinaryOp::Add:
          return __builtin_add_overflow(*left, *right, &value) ? std::nullopt : std::optional(value);
        case syntax::BinaryOp::Subtract:
          return __builtin_sub_overflow(*left, *right, &value) ? std::nullopt : std::optional(value);
        case syntax::BinaryOp::Multiply:
          return __builtin_mul_overflow(*left, *right, &value) ? std::nullopt : std::optional(value);
        case syntax::BinaryOp::Divide:
          return *right == 0 ? std::nullopt : std::optional(*left / *right);
        case syntax::BinaryOp::Remainder:
          return *right == 0 ? std::nullopt : std::optional(*left % *right);
        default:
          return std::nullopt;
      }
    }
    default:
      return std::nullopt;
  }
}

// ------------------------------------------------------------------------------------------------------------- shape

/// E-COOP-SHAPE for the names; E-SHADOW.
void BodyChecker::require_thread_names(ThreadScope& scope) {
  const auto require_count = [&](std::size_t names, std::string_view what) {
    if (names <= kMostNames) return;
    refuse(Code::CoopShape, scope.region,
           "A region has one to three names for its " + std::string(what) + ", and this has " + std::to_string(names) +
               ".");
  };
  require_count(scope.block_names.size(), "blocks");
  require_count(scope.thread_names.size(), "threads");
  std::vector<Name> seen;
  for (const auto names : {scope.block_names, scope.thread_names}) {
    for (const syntax::Identifier& each : names) {
      if (is_blank(each.name)) continue;
      if (std::ranges::find(seen, each.name) != seen.end()) {
        refuse(Code::CoopShape, scope.region, quoted(each.name) + " names two numbers of one region.");
      }
      seen.push_back(each.name);
    }
  }
  for (const Name name : seen) require_fresh(name, scope.region);
}

/// E-COOP-SHAPE for the extents of a block.
void BodyChecker::require_thread_extents(ThreadScope& scope) {
  std::uint64_t threads = 1;
  std::string text;
  for (const syntax::Expr* each : scope.thread_extents) {
    const auto extent = natural_of(*each);
    if (!extent || *extent == 0) {
      refuse(Code::CoopShape, each->position,
             extent ? "A block has at least one thread along each of its names."
                    : "A block's threads are fixed when the program is compiled: an extent is made of literals, "
                      "constants and static naturals.");
    }
    scope.extents.push_back(*extent);
    threads = std::min(threads, kMostThreads + 1) * std::min(*extent, kMostThreads + 1);
    text += (text.empty() ? "" : " * ") + std::to_string(*extent);
  }
  if (threads % kWarp != 0 || threads < kWarp || threads > kMostThreads) {
    refuse(Code::CoopShape, scope.region,
           "A block has whole warps, 32 to 1024 threads, and this one has " + text +
               (scope.extents.size() > 1 ? " = " + std::to_string(threads) : "") + ".");
  }
  scope.threads = static_cast<std::uint32_t>(threads);
}

/// E-COOP-UNDECIDED at a closure that names an array: it could run in any phase.
void BodyChecker::require_plain_closures(const syntax::Block& body) {
  std::vector<Name> declared;
  for (const syntax::Stmt* each : body.statements) {
    if (each->kind == syntax::StmtKind::Shared) declared.push_back(each->as<syntax::SharedStmt>().name.name);
    if (each->kind == syntax::StmtKind::Pipeline) declared.push_back(each->as<syntax::PipelineStmt>().name.name);
  }
  const auto is_array = [&](Name name) {
    if (std::ranges::find(declared, name) != declared.end()) return true;
    const Local* local = find_local(name);
    return local != nullptr && element_type(value_type(local->type)) != nullptr;
  };
  const syntax::Expr* closure = nullptr;
  const auto expression = [&](const auto& self, const auto& in_block, const syntax::Expr& root) -> void {
    const syntax::Expr* const outer = closure;
    if (root.kind == syntax::ExprKind::Closure && closure == nullptr) closure = &root;
    if (closure != nullptr && root.kind == syntax::ExprKind::Name && is_array(root.as<syntax::NameExpr>().name)) {
      refuse(Code::CoopUndecided, closure->position,
             "A closure may run in any phase, so it cannot name " + quoted(root.as<syntax::NameExpr>().name) +
                 ": write the access in the region's body.");
    }
    syntax::for_each_operand(
        root, [&](const syntax::Expr& operand) { self(self, in_block, operand); },
        [&](const syntax::Block& nested) { in_block(in_block, self, nested); });
    closure = outer;
  };
  const auto in_block = [&](const auto& self, const auto& in_expression, const syntax::Block& block) -> void {
    for (const syntax::Stmt* each : block.statements) {
      syntax::for_each_part(
          *each, [&](const syntax::Expr& value) { in_expression(in_expression, self, value); },
          [&](const syntax::Block& nested) { self(self, in_expression, nested); });
    }
  };
  in_block(in_block, expression, body);
}

// ------------------------------------------------------------------------------------------------------------- reach

namespace {

/// What gives each lane a value of its own.
constexpr std::string_view kDiffering[] = {"shuffle",    "shuffle_xor", "shuffle_down",
                                           "shuffle_up", "warp_match",  "mma_get"};
constexpr std::string_view kVotes[] = {"warp_any", "warp_all", "warp_ballot"};
constexpr std::string_view kWriters[] = {"take", "swap", "store_wide", "format"};

bool holds(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

/// What a call at this point of the body names; the function that a local hides is none.
BodyChecker::WrittenCallee BodyChecker::written_callee(const syntax::CallExpr& call) const {
  WrittenCallee callee;
  const syntax::Expr& written =
      call.callee->kind == syntax::ExprKind::Bracket ? *call.callee->as<syntax::BracketExpr>().base : *call.callee;
  const WrittenPath path = written_path(written);
  if (path.empty()) return callee;
  if (path.size() > 1 && find_local(path.front()) != nullptr) return callee;
  if (path.size() == 1) {
    callee.local = find_local(path.front());
    if (callee.local != nullptr) return callee;
  }
  callee.symbol = checker_.peek(path.names(), scope_.module, kWantAny);
  if (!callee.symbol && path.size() == 1) callee.builtin = checker_.text(path.front());
  return callee;
}

ReachNames BodyChecker::reach_names(const ThreadScope& scope) {
  const auto is_pipeline = [&scope](const syntax::CallExpr& call) {
    if (call.callee->kind != syntax::ExprKind::Member) return false;
    const syntax::Expr& base = *call.callee->as<syntax::MemberExpr>().base;
    if (base.kind != syntax::ExprKind::Name) return false;
    return std::ranges::any_of(scope.written->statements, [&](const syntax::Stmt* each) {
      return each->kind == syntax::StmtKind::Pipeline &&
             each->as<syntax::PipelineStmt>().name.name == base.as<syntax::NameExpr>().name;
    });
  };
  const auto shared_value = [this](const syntax::Expr& argument) {
    if (argument.kind != syntax::ExprKind::Name) return false;
    const Local* local = find_local(argument.as<syntax::NameExpr>().name);
    if (local == nullptr) return false;
    const Type* type = value_type(local->type);
    return type->is(TypeKind::Atomic) || type->is(TypeKind::Mutex);
  };
  ReachNames names;
  names.length = checker_.names().intern("len");
  names.natural = [this](const syntax::Expr& expression) { return natural_of(expression); };
  names.waits = [this, is_pipeline](const syntax::CallExpr& call) {
    return is_pipeline(call) && checker_.text(call.callee->as<syntax::MemberExpr>().member.name) == "wait";
  };
  names.votes = [this](const syntax::CallExpr& call) { return holds(kVotes, written_callee(call).builtin); };
  names.differs = [this, shared_value](const syntax::CallExpr& call) {
    const WrittenCallee callee = written_callee(call);
    if (callee.local != nullptr || holds(kDiffering, callee.builtin) || callee.builtin.starts_with("atomic_"))
      return true;
    if (std::ranges::any_of(call.arguments, [&](const syntax::Expr* each) { return shared_value(*each); })) return true;
    return call.callee->kind == syntax::ExprKind::Member && shared_value(*call.callee->as<syntax::MemberExpr>().base);
  };
  names.writes = [this, is_pipeline](const syntax::CallExpr& call, std::int32_t position) {
    if (is_pipeline(call)) return false;
    const WrittenCallee callee = written_callee(call);
    if (callee.local != nullptr || (!callee.symbol && callee.builtin.empty())) return true;
    if (callee.builtin == "mma_store") return position == 0;
    if (!callee.symbol) return holds(kWriters, callee.builtin) || callee.builtin.starts_with("atomic_");
    if (callee.symbol.function == nullptr || position < 0) return false;
    return may_write(*callee.symbol.function, call.arguments.size(), static_cast<std::size_t>(position));
  };
  return names;
}

/// Whether a declared function may write through its argument at a position; extents may have been left out.
bool BodyChecker::may_write(const FunctionInfo& function, std::size_t given, std::size_t position) {
  const auto parameters = function.signature->parameters;
  const bool is_whole = given == parameters.size();
  if (!is_whole && given + function.implied_count != parameters.size()) return true;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (!is_whole && function.implied[k]) continue;
    if (position-- == 0) {
      const syntax::TypeExpr& type = *parameters[k].type;
      return type.kind == syntax::TypeKind::Borrow && type.mode == BorrowMode::Rw;
    }
  }
  return false;
}

std::string BodyChecker::who_skips(const ReachLevel& level) const {
  const std::string from = level.reach == Reach::Warp ? "warp to warp" : "thread to thread";
  if (level.cause == nullptr) return "what leads here differs from " + from;
  const auto line = checker_.compilation().sources.locate(level.cause->position).line;
  return "the condition at line " + std::to_string(line) + " differs from " + from;
}

/// E-COOP-BARRIER at what the whole block must reach together.
void BodyChecker::require_block_reaches(const ReachLevel& level, Position use, std::string_view what) {
  if (level.reach == Reach::Block) return;
  refuse(Code::CoopBarrier, use,
         std::string(what) + " must be reached by every thread of the block together, and " + who_skips(level) +
             ": a thread that skips it leaves the others waiting. Move it out from under that condition.");
}

/// E-COOP-WARP at what a whole warp must reach together.
void BodyChecker::require_warp_reaches(const ReachLevel& level, Position use, std::string_view what) {
  if (level.reach != Reach::Thread) return;
  refuse(Code::CoopWarp, use,
         std::string(what) + " must be reached by all 32 threads of a warp together, and " + who_skips(level) +
             ": every thread of the warp takes part. Move it out from under that condition.");
}

// ------------------------------------------------------------------------------------------------------------ regions

const checked::Stmt* BodyChecker::blocks_statement(const syntax::BlocksStmt& statement) {
  const Position at = statement.position;
  require_no_nesting(at, "A region");
  ThreadScope scope;
  scope.region = at;
  scope.written = statement.body;
  scope.block_names = statement.block_names;
  scope.thread_names = statement.thread_names;
  scope.thread_extents = statement.thread_extents;
  require_thread_names(scope);
  auto& made = make<checked::CooperativeStmt>(StmtKind::Cooperative, at);
  for (const syntax::Expr* extent : statement.block_extents) {
    auto& let = make<checked::LetStmt>(StmtKind::Let, extent->position);
    let.value = value_of(*extent, types().usize());
    let.local = new_local(Name{}, types().usize(), LocalKind::Let, false, extent->position);
    facts_.equals(*let.local, let.value);
    scope.grid.push_back(&let);
  }
  made.grid = checker_.arena().copy(std::span<const checked::LetStmt* const>(scope.grid));
  require_thread_extents(scope);
  made.device = indexed_side({}, statement.body) == IndexedSide::Device;
  scope.device = made.device;
  made.blocks = thread_body(scope);
  if (!statement.has_then) return &made;

  ThreadScope finish;
  finish.region = statement.then_position;
  finish.written = statement.then_body;
  finish.thread_names = statement.then_names;
  finish.thread_extents = statement.then_extents;
  finish.device = made.device;
  require_thread_names(finish);
  require_thread_extents(finish);
  if (finish.threads != scope.threads) {
    refuse(Code::CoopShape, finish.region,
           "The finish runs with the region's threads, " + std::to_string(scope.threads) + ", and this has " +
               std::to_string(finish.threads) + ".");
  }
  if (!finish.device && indexed_side({}, statement.then_body) == IndexedSide::Device) {
    refuse(Code::Placement, finish.region,
           "A finish runs where its region runs, and this region runs on the host: its finish cannot index @device "
           "memory.");
  }
  made.has_finish = true;
  made.finish = thread_body(finish);
  share_captures(*made.blocks.body, *made.finish.body);
  return &made;
}

/// One environment serves both bodies of a region.
void BodyChecker::share_captures(checked::Function& first, checked::Function& second) {
  for (Local* each : second.captures) {
    if (std::ranges::find(first.captures, each) == first.captures.end()) first.captures.push_back(each);
  }
  second.captures = first.captures;
}

checked::ThreadBody BodyChecker::thread_body(ThreadScope& scope) {
  require_plain_closures(*scope.written);
  const ReachNames names = reach_names(scope);
  const std::uint64_t first_extent = scope.extents.front();
  scope.reach = reach_of({scope.written, scope.block_names, scope.thread_names, first_extent}, names);

  LaneRecord record;
  record.device = scope.device;
  LaneScope lane(*this, scope.region, record);
  threads_ = &scope;
  for (std::size_t k = 0; k < scope.block_names.size(); ++k) {
    // A name's number is what the names before it leave, so the body needs every extent but the last.
    const checked::LetStmt& extent = *scope.grid[k];
    if (k + 1 < scope.block_names.size()) mention(*extent.local, extent.position);
    lane.bind(scope.block_names[k], extent.value);
  }
  for (std::size_t k = 0; k < scope.thread_names.size(); ++k) {
    lane.bind(scope.thread_names[k], integer_node(scope.extents[k], types().usize(), scope.region));
  }
  Flow flow = Flow::Falls;
  const checked::Block* body = block(*scope.written, flow);
  threads_ = nullptr;
  lane.close(body);

  checked::ThreadBody made;
  made.body = &lane.function();
  made.block_names = scope.block_names.size();
  made.extents = checker_.arena().copy(std::span<const std::uint64_t>(scope.extents));
  made.threads = scope.threads;
  made.shared_bytes = lay_out(scope);
  made.arrays = checker_.arena().copy(std::span<const checked::SharedStmt* const>(
      std::vector<const checked::SharedStmt*>(scope.arrays.begin(), scope.arrays.end())));
  made.pipelines = checker_.arena().copy(std::span<const checked::PipelineStmt* const>(
      std::vector<const checked::PipelineStmt*>(scope.pipelines.begin(), scope.pipelines.end())));

  require_lane_effects(*made.body, scope.device, scope.region);
  const CooperativeText text{checker_.names(), checker_.compilation().sources};
  const std::vector<checked::PipelineWait> waits = require_stages(made, text);
  made.waits = checker_.arena().copy(std::span<const checked::PipelineWait>(waits));
  require_ordered_phases(made, scope.region, text);
  require_single_writers(made, scope.grid, text);
  return made;
}

/// Zeroed arrays and pipelines first, in declaration order, then the rest.
std::uint32_t BodyChecker::lay_out(ThreadScope& scope) {
  std::uint64_t bytes = 0;
  const auto place = [&](std::uint32_t& offset, std::uint64_t size) {
    offset = static_cast<std::uint32_t>(bytes);
    bytes += (size + kSharedAlign - 1) / kSharedAlign * kSharedAlign;
  };
  auto array = scope.arrays.begin();
  auto pipeline = scope.pipelines.begin();
  while (array != scope.arrays.end() || pipeline != scope.pipelines.end()) {
    const bool is_array = pipeline == scope.pipelines.end() ||
                          (array != scope.arrays.end() && (*array)->position < (*pipeline)->position);
    if (!is_array) {
      place((*pipeline)->offset, bytes_of(**pipeline));
      ++pipeline;
      continue;
    }
    if ((*array)->zeroed) place((*array)->offset, bytes_of(**array));
    ++array;
  }
  for (checked::SharedStmt* each : scope.arrays) {
    if (!each->zeroed) place(each->offset, bytes_of(*each));
  }
  return static_cast<std::uint32_t>(bytes);
}

}  // namespace cairn
