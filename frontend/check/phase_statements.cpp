// Statements of a cooperative body, run for all threads at once (devices, 12.3 to 12.5).
//
// Branches. Where the whole block takes one of several ways, each way keeps an open phase of its own: accesses of two
// ways never meet. Where threads may differ, every way's accesses go into the same open phase. A statement under which
// the block waits is reached by the whole block (reach.hpp), so its condition is one for all threads.
#include <algorithm>

#include "frontend/check/phase_run.hpp"
#include "frontend/check/place_paths.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn::phase {

using checked::ExprKind;
using checked::StmtKind;

namespace {

using Kind = Value::Kind;

constexpr std::uint64_t kMostTurns = 4096;

bool is_wait(const Stmt& statement) {
  if (statement.kind == StmtKind::Barrier) return true;
  if (statement.kind != StmtKind::Expression) return false;
  const Expr& value = *statement.as<checked::ExpressionStmt>().value;
  return value.kind == ExprKind::Concurrent &&
         value.as<checked::ConcurrentExpr>().op == checked::ConcurrentOp::PipelineWait;
}

}  // namespace

bool Mask::is_nobody() const {
  return each_ != nullptr && std::ranges::all_of(*each_, [](Runs runs) { return runs == kNo; });
}

// -------------------------------------------------------------------------------------------------------------- masks

/// The threads of a mask for which a condition is `want`: perhaps where it is unknown.
Mask PhaseRun::restrict(const Mask& mask, const Vec& condition, bool want) {
  const Value wanted = truth(want);
  if (mask.is_together() && condition.is_single()) {
    if (condition.single() == wanted) return mask;
    if (condition.single().is(Kind::Unknown) && condition.uniform()) return mask.together_perhaps();
  }
  steps(threads_);
  std::vector<Runs> each(threads_);
  bool everyone = true;
  for (std::size_t t = 0; t < threads_; ++t) {
    const Value& value = condition[t];
    const Runs runs = mask[t];
    each[t] = value == wanted ? runs : value.is(Kind::Unknown) && runs != kNo ? static_cast<Runs>(runs + 1) : kNo;
    everyone = everyone && each[t] == kSurely;
  }
  return everyone ? Mask() : Mask(std::move(each));
}

Mask PhaseRun::perhaps(const Mask& mask) const {
  if (mask.is_together()) return mask.together_perhaps();
  std::vector<Runs> each(threads_);
  for (std::size_t t = 0; t < threads_; ++t) each[t] = mask[t] == kNo ? kNo : static_cast<Runs>(mask[t] + 1);
  return Mask(std::move(each));
}

/// The threads of a mask that have not left this turn of the innermost loop.
Mask PhaseRun::live(const Mask& mask) const {
  if (loops_.empty() || loops_.back().turn.empty()) return mask;
  const Loop& loop = loops_.back();
  std::vector<Runs> each(threads_);
  bool everyone = true;
  for (std::size_t t = 0; t < threads_; ++t) {
    const Left left = loop.turn[t];
    each[t] = mask[t] == kNo || left == Left::Surely ? kNo
              : left == Left::Perhaps                ? static_cast<Runs>(mask[t] | kMayHaveLeft)
                                                     : mask[t];
    everyone = everyone && each[t] == kSurely;
  }
  return everyone ? Mask() : Mask(std::move(each));
}

/// The mask of a loop that begins here: having left the loop around it is one condition more.
Mask PhaseRun::entering(const Mask& mask) const {
  if (mask.is_together()) return mask;
  std::vector<Runs> each(threads_);
  for (std::size_t t = 0; t < threads_; ++t) {
    each[t] = (mask[t] & kMayHaveLeft) == 0 ? mask[t] : static_cast<Runs>((mask[t] & ~kMayHaveLeft) + 1);
  }
  return Mask(std::move(each));
}

/// A jump that hangs on no more than being in this turn still is taken by all who are.
void PhaseRun::jump(bool breaks, const Mask& mask) {
  Loop& loop = loops_.back();
  loop.differs = loop.differs || !mask.is_together();
  if (loop.turn.empty()) loop.turn.assign(threads_, Left::No);
  if (breaks && loop.broken.empty()) loop.broken.assign(threads_, Left::No);
  for (std::size_t t = 0; t < threads_; ++t) {
    if (mask[t] == kNo) continue;
    const bool perhaps_left = loop.turn[t] == Left::Perhaps;
    const bool leaves = (mask[t] & ~kMayHaveLeft) == loop.entry[t];
    if (breaks) {
      const bool may_have_skipped = perhaps_left && !loop.skipped.empty() && loop.skipped[t];
      const Left broke = leaves && !may_have_skipped ? Left::Surely : Left::Perhaps;
      loop.broken[t] = std::max(loop.broken[t], broke);
    }
    loop.turn[t] = leaves ? Left::Surely : Left::Perhaps;
    if (breaks) continue;
    loop.skipped.resize(threads_);
    loop.skipped[t] = true;
  }
}

// --------------------------------------------------------------------------------------------------------- statements

void PhaseRun::run(const Block& block, const Mask& mask) {
  for (const Stmt* each : block.statements) {
    const Mask now = live(mask);
    if (now.is_nobody()) return;
    steps(now.is_everyone() ? 1 : threads_);
    ++time_;
    now_ = 2 * time_;
    run(*each, now);
  }
}

void PhaseRun::run(const Stmt& statement, const Mask& mask) {
  switch (statement.kind) {
    case StmtKind::Barrier:
      return wait();
    case StmtKind::Expression:
      eval(*statement.as<checked::ExpressionStmt>().value, mask);
      if (is_wait(statement)) wait();
      return;
    case StmtKind::Let: {
      const auto& let = statement.as<checked::LetStmt>();
      env_[let.local->index] = eval(*let.value, mask);
      return;
    }
    case StmtKind::Unpack: {
      const auto& unpack = statement.as<checked::UnpackStmt>();
      const Vec value = unknown(eval(*unpack.value, mask).uniform());
      for (const Local* local : unpack.locals) {
        if (local != nullptr) env_[local->index] = value;
      }
      return;
    }
    case StmtKind::Reduce: {
      const auto& reduce = statement.as<checked::ReduceStmt>();
      const bool uniform = reduce.warp_value == nullptr || eval(*reduce.warp_value, mask).uniform();
      if (reduce.result != nullptr) env_[reduce.result->index] = unknown(uniform && reduce.warp_value != nullptr);
      return;
    }
    case StmtKind::Storage:
      eval(*statement.as<checked::StorageStmt>().count, mask);
      env_[statement.as<checked::StorageStmt>().local->index] = unknown(false);
      return;
    case StmtKind::Assign: {
      const auto& assignment = statement.as<checked::AssignStmt>();
      const Vec value = eval(*assignment.value, mask);
      return assign(*assignment.place, value, mask);
    }
    case StmtKind::Compound: {
      const auto& compound = statement.as<checked::CompoundStmt>();
      const Vec old = eval(*compound.place, mask);
      const Vec by = eval(*compound.value, mask);
      return assign(*compound.place, apply(compound.op, compound.place->type, old, by), mask);
    }
    case StmtKind::If:
      return run_if(statement.as<checked::IfStmt>(), mask);
    case StmtKind::Match:
      return run_match(statement.as<checked::MatchStmt>(), mask);
    case StmtKind::For:
      return run_for(statement.as<checked::ForStmt>(), entering(mask));
    case StmtKind::While:
      return run_while(statement.as<checked::WhileStmt>(), entering(mask));
    case StmtKind::Block:
      return run(*statement.as<checked::BlockStmt>().body, mask);
    case StmtKind::Asm:
      return run_assembly(statement.as<checked::AsmStmt>(), mask);
    case StmtKind::Break:
    case StmtKind::Continue:
      if (!loops_.empty()) jump(statement.kind == StmtKind::Break, mask);
      return;
    case StmtKind::Defer:
      return defer(statement.as<checked::DeferStmt>(), mask);
    default:
      // Shared arrays and pipelines begin with the body; regions and returns stand in no thread.
      return;
  }
}

/// A deferred call runs where its block ends, which need not be the phase it is written in.
void PhaseRun::defer(const checked::DeferStmt& statement, const Mask& mask) {
  const std::size_t before = events_.size();
  eval(*statement.call, mask);
  if (events_.size() == before) return;
  const Event& event = events_.back();
  refuse(Code::CoopUndecided, statement.position,
         "A deferred call runs where its block ends, so it cannot be told in which phase this one touches " +
             text_.name(*arrays_[event.array].statement->local) + ": write the call where it shall run.");
}

void PhaseRun::assign(const Expr& place, const Vec& value, const Mask& mask) {
  const Local* root = root_local(&place);
  if (place.kind == ExprKind::Element && root != nullptr) {
    const auto array = array_of(*root);
    if (array) {
      Event event;
      event.lo = eval(*place.as<checked::ElementExpr>().index, mask);
      event.array = *array;
      event.writes = event.sure = true;
      event.at = place.position;
      event.time = now_ + 1;
      event.mask = mask;
      return record(std::move(event));
    }
  }
  if (place.kind != ExprKind::Local) {
    eval_operands(place, mask);
    return forget(place, mask);
  }
  if (root->owner != body_.body) return;
  Vec& held = env_[root->index];
  if (mask.is_everyone()) {
    held = value;
    return;
  }
  if (mask.is_together() && held.is_single() && value.is_single()) {
    held = Vec(common(held.single(), value.single()), held.uniform() && value.uniform());
    return;
  }
  steps(threads_);
  std::vector<Value> each(threads_);
  for (std::size_t t = 0; t < threads_; ++t) {
    each[t] = mask[t] == kNo ? held[t] : mask[t] == kSurely ? value[t] : common(held[t], value[t]);
  }
  held = Vec(std::move(each));
}

void PhaseRun::run_assembly(const checked::AsmStmt& statement, const Mask& mask) {
  for (const checked::AsmOperand& operand : statement.operands) {
    if (operand.value != nullptr && !operand.address) eval(*operand.value, mask);
  }
  for (const checked::AsmOperand& operand : statement.operands) {
    const Local* root = operand.address ? root_local(operand.value) : nullptr;
    const auto array = root == nullptr ? std::nullopt : array_of(*root);
    if (!array) continue;
    for (const std::string_view label : statement.effects) {
      const std::size_t colon = label.find(':');
      if (colon == std::string_view::npos || label.substr(colon + 1) != text_.names.text(root->name)) continue;
      Event event;
      event.array = *array;
      event.part = true;
      event.lo = Vec(number(0));
      event.hi = Vec(number(arrays_[*array].length()));
      event.writes = label.starts_with("write");
      event.at = operand.value->position;
      event.time = now_ + (event.writes ? 1 : 0);
      event.mask = mask;
      record(std::move(event));
    }
  }
  for (const checked::AsmOperand& operand : statement.operands) {
    if (operand.output != nullptr && operand.output->owner == body_.body) env_[operand.output->index] = unknown(false);
  }
}

// ----------------------------------------------------------------------------------------------------------- branches

namespace {

/// What all threads have in common.
Value settled(const Vec& value, std::size_t threads) {
  Value all = value[0];
  for (std::size_t t = 1; t < threads && !value.is_single(); ++t) all = common(all, value[t]);
  return all;
}

}  // namespace

Environment PhaseRun::join(const Environment& left, const Environment& right) const {
  Environment joined = left;
  for (std::size_t k = 0; k < joined.size(); ++k) {
    const Vec& a = left[k];
    const Vec& b = right[k];
    if (a.same_storage(b)) continue;
    if (a.is_single() && b.is_single()) {
      joined[k] = Vec(common(a.single(), b.single()), a.uniform() && b.uniform());
      continue;
    }
    std::vector<Value> each(threads_);
    for (std::size_t t = 0; t < threads_; ++t) each[t] = common(a[t], b[t]);
    joined[k] = Vec(std::move(each));
  }
  return joined;
}

/// Each thread's values from the arm it took. A name that no arm assigned stays as it was.
Environment PhaseRun::join_by(const Vec& condition, const Environment& old, const Environment& then,
                              const Environment& otherwise) {
  Environment joined = then;
  for (std::size_t k = 0; k < joined.size(); ++k) {
    const Vec& a = then[k];
    const Vec& b = otherwise[k];
    if (a.same_storage(b)) continue;
    if (condition.is_single() && a.is_single() && b.is_single() && old[k].is_single()) {
      const Value& c = condition.single();
      const Value value = c == truth(true)    ? a.single()
                          : c == truth(false) ? b.single()
                          : c.is(Kind::Trap)  ? old[k].single()
                                              : common(a.single(), b.single());
      joined[k] = Vec(value, condition.uniform() && a.uniform() && b.uniform());
      continue;
    }
    steps(threads_);
    std::vector<Value> each(threads_);
    for (std::size_t t = 0; t < threads_; ++t) {
      const Value& c = condition[t];
      each[t] = c == truth(true) ? a[t] : c == truth(false) ? b[t] : c.is(Kind::Trap) ? old[k][t] : common(a[t], b[t]);
    }
    joined[k] = Vec(std::move(each));
  }
  return joined;
}

void PhaseRun::run_if(const checked::IfStmt& statement, const Mask& mask) {
  const Vec condition = eval(*statement.condition, mask);
  const bool waits =
      this->waits(*statement.then) || (statement.otherwise != nullptr && this->waits(*statement.otherwise));
  if (waits || (condition.uniform() && mask.is_everyone())) {
    const Value way = settled(condition, threads_);
    if (way.is(Kind::Trap)) return;
    if (!way.is(Kind::Bool)) return run_ways({statement.then, statement.otherwise}, mask);
    const Block* taken = way.bits != 0 ? statement.then : statement.otherwise;
    if (taken != nullptr) run(*taken, mask);
    return;
  }
  const Mask yes = restrict(mask, condition, true);
  const Mask no = restrict(mask, condition, false);
  const Environment old = env_;
  if (!yes.is_nobody()) run(*statement.then, yes);
  Environment then = std::move(env_);
  env_ = old;
  if (statement.otherwise != nullptr && !no.is_nobody()) run(*statement.otherwise, no);
  env_ = join_by(condition, old, then, env_);
}

/// The whole block goes one of several ways, and nobody knows which. A null way does nothing.
void PhaseRun::run_ways(const std::vector<const Block*>& ways, const Mask& mask) {
  const std::vector<Alternative> open = open_;
  const Environment env = env_;
  const Done done = done_;
  const Loop loop = loops_.empty() ? Loop() : loops_.back();
  std::vector<Alternative> all;
  std::optional<Environment> joined;
  Done all_done;
  Loop left;
  for (const Block* way : ways) {
    open_ = open;
    env_ = env;
    done_ = done;
    if (!loops_.empty()) loops_.back() = loop;
    if (way != nullptr) run(*way, mask);
    all.insert(all.end(), open_.begin(), open_.end());
    const Loop after = loops_.empty() ? Loop() : loops_.back();
    if (!joined) {
      joined = env_;
      all_done = done_;
      left = after;
      continue;
    }
    joined = join(*joined, env_);
    for (std::size_t k = 0; k < all_done.size(); ++k) all_done[k].intersect(done_[k]);
    left = joined_loops(left, after);
  }
  open_ = std::move(all);
  env_ = std::move(*joined);
  done_ = std::move(all_done);
  if (!loops_.empty()) loops_.back() = std::move(left);
  merge_if_many();
}

/// What two ways agree on is sure; a thread that left on one of them has perhaps left.
PhaseRun::Loop PhaseRun::joined_loops(const Loop& left, const Loop& right) const {
  Loop joined;
  joined.entry = left.entry;
  joined.skipped = left.skipped;
  joined.skipped.resize(std::max(left.skipped.size(), right.skipped.size()));
  for (std::size_t t = 0; t < right.skipped.size(); ++t) joined.skipped[t] = joined.skipped[t] || right.skipped[t];
  joined.differs = left.differs || right.differs;
  const auto join = [this](const std::vector<Left>& a, const std::vector<Left>& b) {
    if (a.empty() && b.empty()) return a;
    std::vector<Left> each(threads_);
    for (std::size_t t = 0; t < threads_; ++t) {
      const Left x = a.empty() ? Left::No : a[t];
      const Left y = b.empty() ? Left::No : b[t];
      each[t] = x == y ? x : Left::Perhaps;
    }
    return each;
  };
  joined.turn = join(left.turn, right.turn);
  joined.broken = join(left.broken, right.broken);
  return joined;
}

void PhaseRun::run_match(const checked::MatchStmt& statement, const Mask& mask) {
  const Vec subject = eval(*statement.subject, mask);
  bool waits = false;
  std::vector<const Block*> ways;
  for (const checked::MatchArm& arm : statement.arms) {
    if (arm.binder != nullptr) env_[arm.binder->index] = unknown(subject.uniform());
    waits = waits || this->waits(*arm.body);
    ways.push_back(arm.body);
  }
  // Where the block waits in an arm it takes that arm together: the arms never meet.
  if (waits) return run_ways(ways, mask);
  const Mask each = subject.uniform() ? perhaps(mask) : perhaps(restrict(mask, unknown(false), true));
  const Environment old = env_;
  std::optional<Environment> joined;
  for (const Block* way : ways) {
    env_ = old;
    run(*way, each);
    joined = joined ? join(*joined, env_) : env_;
  }
  env_ = std::move(*joined);
}

// -------------------------------------------------------------------------------------------------------------- loops

/// Whether the block waits somewhere in a body.
bool PhaseRun::waits(const Block& block) {
  if (const auto known = waits_.find(&block); known != waits_.end()) return known->second;
  bool found = false;
  checked::for_each_statement(block, [&](const Stmt& each) { found = found || is_wait(each); });
  waits_.emplace(&block, found);
  return found;
}

/// The locals that a body assigns whole.
const std::vector<const Local*>& PhaseRun::assigned(const Block& block) {
  const auto [at, added] = assigned_.try_emplace(&block);
  if (!added) return at->second;
  std::vector<const Local*> locals;
  const auto add = [&](const Expr& place) {
    if (place.kind != ExprKind::Local) return;
    const Local* local = place.as<checked::LocalExpr>().local;
    if (local->owner == body_.body && std::ranges::find(locals, local) == locals.end()) locals.push_back(local);
  };
  checked::for_each_statement(block, [&](const Stmt& each) {
    if (each.kind == StmtKind::Assign) add(*each.as<checked::AssignStmt>().place);
    if (each.kind == StmtKind::Compound) add(*each.as<checked::CompoundStmt>().place);
  });
  return assigned_[&block] = std::move(locals);
}

void PhaseRun::run_for(const checked::ForStmt& statement, const Mask& mask) {
  Vec lo = statement.lo == nullptr ? Vec(number(0)) : eval(*statement.lo, mask);
  Vec hi = eval(*statement.hi, mask);
  const bool waits = this->waits(*statement.body);
  if (waits) {
    lo = Vec(settled(lo, threads_));
    hi = Vec(settled(hi, threads_));
  }
  const auto is_number = [](const Value& value) { return value.is(Kind::Number) || value.is(Kind::Trap); };
  bool numbers = true;
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
  for (std::size_t t = 0; t < threads_ && numbers; ++t) {
    if (mask[t] == kNo) continue;
    numbers = is_number(lo[t]) && is_number(hi[t]);
    if (!lo[t].is(Kind::Number) || !hi[t].is(Kind::Number) || lo[t].bits >= hi[t].bits) continue;
    least = std::min(least, lo[t].bits);
    most = std::max(most, hi[t].bits);
  }
  if (numbers && least >= most) return;
  if (numbers && most - least <= kMostTurns) return run_counted(statement, lo, hi, mask);
  run_unfollowed({statement.body, statement.binder, lo, lo.uniform() && hi.uniform(), nullptr}, mask);
}

void PhaseRun::run_counted(const checked::ForStmt& loop, const Vec& lo, const Vec& hi, const Mask& mask) {
  const bool alike = lo.is_single() && hi.is_single();
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t last = 0;
  for (std::size_t t = 0; t < (alike ? 1 : threads_); ++t) {
    if (!alike && (mask[t] == kNo || !lo[t].is(Kind::Number) || !hi[t].is(Kind::Number))) continue;
    first = std::min(first, lo[t].bits);
    last = std::max(last, hi[t].bits);
  }
  loops_.emplace_back();
  for (std::uint64_t k = first; k < last; ++k) {
    Mask turn = mask;
    if (!alike) {
      steps(threads_);
      std::vector<Runs> each(threads_, kNo);
      for (std::size_t t = 0; t < threads_; ++t) {
        const bool takes = lo[t].is(Kind::Number) && hi[t].is(Kind::Number) && lo[t].bits <= k && k < hi[t].bits;
        if (takes) each[t] = mask[t];
      }
      turn = Mask(std::move(each));
    }
    steps(1);
    env_[loop.binder->index] = Vec(number(k));
    loops_.back().begin_turn(turn);
    const Mask goes_on = live(turn);
    if (goes_on.is_nobody()) {
      if (alike) break;
      continue;
    }
    run(*loop.body, turn);
  }
  loops_.pop_back();
}

void PhaseRun::run_while(const checked::WhileStmt& statement, const Mask& mask) {
  if ((mask.is_everyone() || waits(*statement.body)) && run_followed(statement, mask)) return;
  run_unfollowed({statement.body, nullptr, {}, true, statement.condition}, mask);
}

/// Turn by turn, while the condition is one known bool for the block; false when it is not, and all is as before.
bool PhaseRun::run_followed(const checked::WhileStmt& loop, const Mask& mask) {
  const Environment env = env_;
  const std::vector<Alternative> open = open_;
  const Done done = done_;
  const bool waits = this->waits(*loop.body);
  loops_.emplace_back();
  bool ended = false;
  for (std::uint64_t turn = 0; turn <= kMostTurns && !ended; ++turn) {
    loops_.back().begin_turn(mask);
    const Mask now = live(mask);
    if (now.is_nobody()) {
      ended = true;
      break;
    }
    const Vec condition = eval(*loop.condition, now);
    const Value value = waits ? settled(condition, threads_) : condition.single();
    if ((!waits && !(condition.uniform() && condition.is_single())) || !value.is(Kind::Bool)) break;
    ended = value.bits == 0;
    if (!ended && turn < kMostTurns) run(*loop.body, mask);
  }
  loops_.pop_back();
  if (ended) return true;
  env_ = env;
  open_ = open;
  done_ = done;
  return false;
}

void PhaseRun::run_unfollowed(const Unfollowed& loop, const Mask& mask) {
  const std::vector<const Local*>& names = assigned(*loop.body);
  const Environment env = env_;
  const std::vector<Alternative> open = open_;
  const Done done = done_;
  const bool waits = this->waits(*loop.body);
  bool alike = waits || (mask.is_together() && loop.uniform_bounds);
  // Names the body assigns are unknown. They are taken to be one for all threads until a run of the body shows that
  // threads may differ; then the loop is run again with those that do.
  std::vector<const Local*> differing;
  while (true) {
    const auto forget_names = [&] {
      for (const Local* name : names) {
        const bool differs =
            !alike || std::ranges::find(differing, name) != differing.end() || !env[name->index].uniform();
        env_[name->index] = unknown(!differs);
      }
    };
    forget_names();
    if (loop.condition != nullptr) alike = (eval(*loop.condition, mask).uniform() || waits) && alike;
    loops_.emplace_back();
    const std::size_t known = differing.size();
    const bool was_alike = alike;
    const auto turn = [&](const Vec& number, const Mask& who) {
      loops_.back().broken.clear();
      loops_.back().begin_turn(who);
      forget_names();
      if (loop.binder != nullptr) env_[loop.binder->index] = number;
      run(*loop.body, who);
      for (const Local* name : names) {
        if (!env_[name->index].uniform() && std::ranges::find(differing, name) == differing.end()) {
          differing.push_back(name);
        }
      }
      if (loop.condition == nullptr) return;
      loops_.back().broken.clear();
      loops_.back().begin_turn(who);
      forget_names();
      ++time_;
      now_ = 2 * time_;
      alike = (eval(*loop.condition, who).uniform() || waits) && alike;
    };
    if (waits) {
      run_three_parts(loop, turn);
    } else {
      const Mask who = perhaps(mask);
      for (int k = 0; k < 2; ++k) {
        turn(loop.uniform_bounds ? Vec(polynomials_.fresh(loop.binder), alike) : unknown(false), who);
      }
    }
    const bool left_apart = loops_.back().differs;
    loops_.pop_back();
    if (differing.size() == known && alike == was_alike) {
      if (left_apart) alike = false;
      forget_names();
      return;
    }
    env_ = env;
    open_ = open;
    done_ = done;
  }
}

/// All threads in step, the count of turns unknown: the first turn, and any two that follow each other.
template <class Turn>
void PhaseRun::run_three_parts(const Unfollowed& loop, const Turn& turn) {
  const std::vector<Alternative> entry = open_;
  const Done done = done_;
  turn(loop.lo, Mask());
  std::vector<Alternative> all = entry;
  all.insert(all.end(), open_.begin(), open_.end());
  open_ = {fresh_way()};
  done_ = done;
  const Value number = polynomials_.fresh(loop.binder);
  turn(Vec(number), Mask());
  turn(Vec(polynomials_.add(number, phase::number(1))), Mask());
  all.insert(all.end(), open_.begin(), open_.end());
  open_ = std::move(all);
  done_ = done;
  merge_if_many();
}

}  // namespace cairn::phase
