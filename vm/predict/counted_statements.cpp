#include <algorithm>
#include <array>

#include "vm/predict/body_counter.hpp"

namespace cairn::predict {

namespace {

constexpr double kMisses = 0.5;  // of a branch on data: one way is as likely as the other

}  // namespace

void BodyCounter::block(const Block& of) {
  for (const Stmt* each : of.statements) statement(*each);
}

Polynomial BodyCounter::known_trips(const std::optional<Polynomial>& lo, const std::optional<Polynomial>& hi) {
  if (lo && hi) {
    const Polynomial trips = *hi - *lo;
    if (!is_a_size(trips)) guess("a loop's bound is a parameter that is no size");
    return trips;
  }
  guess("a loop's bound is no polynomial of sizes");
  return Polynomial(1.0);
}

std::optional<Polynomial> BodyCounter::bound(const Expr& of, bool is_upper) {
  for (const Loop& loop : loops_) {
    if (loop.binder == nullptr || !mentions(of, *loop.binder)) continue;
    approximate("a loop's bound is the index of a loop around it");
    const KnownSizes::Values saved = sizes_.values();
    for (const Loop& each : loops_) {
      if (each.binder != nullptr) sizes_.set_value(*each.binder, is_upper ? each.end() : each.first);
    }
    const auto found = sizes_.value(of);
    sizes_.put_back(saved);
    return found;
  }
  return sizes_.value(of);
}

bool BodyCounter::mentions(const Expr& of, const Local& local) {
  return checked::any_expression(
      of, [&](const Expr& each) { return each.kind == ExprKind::Local && each.as<LocalExpr>().local == &local; });
}

/// Whether a count rests on sizes alone, and on no parameter that is a number of another type.
bool BodyCounter::is_a_size(const Polynomial& count) const {
  const std::vector<std::string> names = count.variables();
  return std::ranges::none_of(function_.parameters, [&](const Local* parameter) {
    return !parameter->type->is(TypeKind::Usize) && std::ranges::find(names, name(*parameter)) != names.end();
  });
}

void BodyCounter::set(const Local& local, std::optional<Polynomial> value, const Expr* of) {
  sizes_.forget(local);
  initial_.erase(&local);
  if (!local.type->is_integer() || local.captured || local.lent_rw) return;
  if (value) {
    sizes_.set_value(local, *std::move(value));
  } else if (of != nullptr && is_lasting(*of)) {
    initial_[&local] = of;
  }
}

void BodyCounter::forget(const std::set<const Local*>& changed) {
  for (const Local* each : changed) set(*each, std::nullopt, nullptr);
}

bool BodyCounter::is_of_data(const Expr& of) {
  std::vector<const Expr*> pending{&of};
  std::set<const Local*> met;
  while (!pending.empty()) {
    const Expr& root = *pending.back();
    pending.pop_back();
    const bool found = any_expression(root, [&](const Expr& each) {
      if (each.kind == ExprKind::Local) {
        const Local* const local = each.as<LocalExpr>().local;
        if (local->bound != nullptr && met.insert(local).second) pending.push_back(local->bound);
      }
      return each.kind == ExprKind::Element;
    });
    if (found) return true;
  }
  return false;
}

bool BodyCounter::is_unforeseen(const Expr& of, const std::vector<const Block*>& ways) const {
  if (loops_.empty() || !is_of_data(of)) return false;
  return std::ranges::any_of(ways, [](const Block* way) {
    if (way == nullptr || way->statements.empty()) return false;
    const StmtKind last = way->statements.back()->kind;
    if (last == StmtKind::Return || last == StmtKind::Break) return false;  // mostly not gone
    return std::ranges::any_of(way->statements, [](const Stmt* each) {
      if (each->kind == StmtKind::Let) return false;
      if (each->kind == StmtKind::Assign) return each->as<AssignStmt>().place->kind != ExprKind::Local;
      if (each->kind == StmtKind::Compound) return each->as<CompoundStmt>().place->kind != ExprKind::Local;
      return true;
    });
  });
}

void BodyCounter::while_loop(const WhileStmt& of) {
  std::vector<Range> around;
  for (const Loop& loop : loops_) {
    if (loop.binder != nullptr) around.push_back({loop.binder, loop.first, loop.end()});
  }
  GuessedTurns guessed = guess_turns(of, sizes_, initial_, around);
  guess(std::move(guessed.why));
  forget(changed_by(of));
  if (!loops_.empty() && is_of_data(*of.condition)) count("branch_miss");  // where it ends
  looped(nullptr, std::move(guessed.turns), [&] {
    value(*of.condition);
    count("branch");
    block(*of.body);
  });
  forget(changed_by(of));
}

void BodyCounter::update(const Expr& target, BinaryOp op, const Type& type, bool is_proved) {
  const bool gathers = op == BinaryOp::Add && target.kind == ExprKind::Local && !loops_.empty();
  if (gathers && type.is_float()) return count(float_kind(type, "_fold"));
  if (gathers && !type.is(TypeKind::Usize)) return count("int_fold");
  arithmetic(op, type, is_proved);
}

/// A scalar that each turn of a loop makes anew out of what it was: a step that waits for the last.
void BodyCounter::gather(const Local& local, const Expr& made) {
  const Type& type = *local.type;
  if (loops_.empty() || type.is(TypeKind::Usize) || !mentions(made, local)) return;
  if (type.is_float()) count(float_kind(type, "_fold"));
  if (type.is_integer()) count("int_fold", std::max(1.0, latency(made, local).value_or(1)));
}

std::optional<double> BodyCounter::latency(const Expr& made, const Local& from) {
  constexpr double kMultiply = 3;
  constexpr double kDivide = 12;
  constexpr double kLoad = 4;
  std::optional<double> longest;
  const auto behind = [&](const Expr& operand, double turns) {
    if (const auto way = latency(operand, from)) longest = std::max(longest.value_or(0), *way + turns);
  };
  switch (made.kind) {
    case ExprKind::Local:
      return made.as<LocalExpr>().local == &from ? std::optional(0.0) : std::nullopt;
    case ExprKind::Load:
      return latency(*made.as<LoadExpr>().place, from);
    case ExprKind::Convert:
      return latency(*made.as<ConvertExpr>().operand, from);
    case ExprKind::Element:
      behind(*made.as<ElementExpr>().index, kLoad);
      return longest;
    case ExprKind::Binary:
      for (const Expr* operation : left_chain(made)) {
        const BinaryOp op = operation->as<BinaryExpr>().op;
        const double turns = op == BinaryOp::Multiply                              ? kMultiply
                             : op == BinaryOp::Divide || op == BinaryOp::Remainder ? kDivide
                                                                                   : 1;
        if (operation == left_chain(made).front()) {
          behind(left_of(*operation), turns);
        } else if (longest) {
          *longest += turns;
        }
        behind(right_of(*operation), turns);
      }
      return longest;
    case ExprKind::Builtin:
      for (const Expr* argument : made.as<BuiltinExpr>().arguments) {
        if (argument != nullptr) behind(*argument, made.as<BuiltinExpr>().builtin == Builtin::MulWrap ? kMultiply : 1);
      }
      return longest;
    default:
      return std::nullopt;
  }
}

void BodyCounter::assign(const AssignStmt& of) {
  std::optional<Polynomial> now;
  const bool is_local = of.place->kind == ExprKind::Local && of.value->type->is_integer();
  if (is_local) now = sizes_.value(*of.value);
  if (of.value->kind == ExprKind::Binary && of.place->kind == ExprKind::Local) {
    const auto& sum = of.value->as<BinaryExpr>();
    const auto is_target = [&](const Expr* side) {
      return side->kind == ExprKind::Load && side->as<LoadExpr>().place->kind == ExprKind::Local &&
             side->as<LoadExpr>().place->as<LocalExpr>().local == of.place->as<LocalExpr>().local;
    };
    if (is_target(sum.left) || is_target(sum.right)) {
      value(is_target(sum.left) ? *sum.right : *sum.left);
      update(*of.place, sum.op, *sum.left->type, discharged_.contains(sum));
      // A way longer than the one operation: what it waits for is longer too.
      const bool waits = is_local && !loops_.empty() && !sum.left->type->is(TypeKind::Usize);
      const auto way = waits ? latency(*of.value, *of.place->as<LocalExpr>().local) : std::nullopt;
      if (way && *way > 1) count("int_fold", *way - (sum.op == BinaryOp::Add ? 1 : 0));
      if (is_local) set(*of.place->as<LocalExpr>().local, std::move(now), of.value);
      return;
    }
  }
  value(*of.value);
  place(*of.place, false, true);
  if (of.place->kind == ExprKind::Local) gather(*of.place->as<LocalExpr>().local, *of.value);
  if (is_local) set(*of.place->as<LocalExpr>().local, std::move(now), of.value);
}

void BodyCounter::alternatives(const std::vector<const Block*>& arms) {
  count("branch");
  const Code before = *code_;
  const auto streamed_before = streamed_;
  const KnownSizes::Values sizes_before = sizes_.values();
  const auto initial_before = initial_;
  const std::vector<SelfCall> calls_before = std::move(self_calls_);
  std::vector<SelfCall> most_calls;
  Code dearest = before;
  for (const Block* arm : arms) {
    *code_ = before;
    streamed_ = streamed_before;
    sizes_.put_back(sizes_before);
    initial_ = initial_before;
    self_calls_.clear();
    if (arm != nullptr) block(*arm);
    if (self_calls_.size() > most_calls.size()) most_calls = self_calls_;
    for (const auto& [loop, work] : code_->bodies) keep_dearer(dearest.bodies[loop], work);
  }
  *code_ = std::move(dearest);
  sizes_.put_back(sizes_before);
  initial_ = initial_before;
  self_calls_ = calls_before;
  self_calls_.insert(self_calls_.end(), most_calls.begin(), most_calls.end());
}

void BodyCounter::keep_dearer(Work& dearest, const Work& work) {
  for (const auto& [kind, times] : work.ops) dearest.ops[kind] = Polynomial::larger(dearest.ops[kind], times);
  for (const auto& [array, bytes] : work.traffic) {
    Traffic& kept = dearest.traffic[array];
    kept.read = Polynomial::larger(kept.read, bytes.read);
    kept.written = Polynomial::larger(kept.written, bytes.written);
    kept.irregular = Polynomial::larger(kept.irregular, bytes.irregular);
    if (kept.size.is_zero()) kept.size = bytes.size;
    kept.reused = Polynomial::larger(kept.reused, bytes.reused);
  }
  dearest.strides = dearest.strides || work.strides;
  dearest.allocations = Polynomial::larger(dearest.allocations, work.allocations);
  dearest.zeroed_bytes = Polynomial::larger(dearest.zeroed_bytes, work.zeroed_bytes);
}

Region BodyCounter::region_at(RegionKind kind, bool device, Position position) {
  Region made;
  made.kind = kind;
  made.device = device;
  made.line = counter_.compilation_.sources.locate(position).line;
  made.runs = trips();
  if (device) made.registers = counter_.registers_of(std::string(function_.name), made.line);
  made.plan = counter_.plan_of(function_);
  if (device) guess("it runs on a device");
  if (!device) approximate("a region runs on the lanes of the pool");
  return made;
}

void BodyCounter::apart(Code& into, checked::List<Local* const> names, const std::vector<Polynomial>& spans,
                        const Block& code) {
  std::vector<Loop> outer;
  std::swap(outer, loops_);
  Code* const saved = code_;
  const auto streamed_before = std::move(streamed_);
  streamed_.clear();
  code_ = &into;
  loops_.push_back({nullptr, Polynomial(1.0), {}, ++last_loop_, 0, {}});
  for (std::size_t k = 0; k < names.size(); ++k) {
    loops_.push_back({names[k], Polynomial(1.0), {}, last_loop_, 0, spans[std::min(k, spans.size() - 1)]});
  }
  block(code);
  code_ = saved;
  streamed_ = streamed_before;
  std::swap(outer, loops_);
}

void BodyCounter::region(RegionKind kind, const Expr* extent, const Function* lane, Position position) {
  value(*extent);
  Region made = region_at(kind, kind == RegionKind::Device, position);
  const auto counted = sizes_.value(*extent);
  if (!counted) guess("the number of indices of a region is not known");
  made.count = counted.value_or(Polynomial(1.0));
  if (lane != nullptr && lane->body != nullptr) apart(made.per_index, lane->parameters, {made.count}, *lane->body);
  cost_.regions.push_back(std::move(made));
}

void BodyCounter::reduce(const ReduceStmt& of) {
  if (of.warp) {
    if (of.warp_value != nullptr) value(*of.warp_value);
    return count("int", 5);
  }
  const Type& type = *of.lane->result;
  const std::string fold = type.is_float() ? float_kind(type, "_fold") : "int_fold";
  if (of.device || of.parallel) {
    region(of.device ? RegionKind::Device : RegionKind::Pooled, of.extent, of.lane, of.position);
    cost_.regions.back().per_index.bodies[0].ops[fold] += Polynomial(1.0);
  } else {
    value(*of.extent);
    looped(of.lane->parameters.front(), known_trips(Polynomial(), sizes_.value(*of.extent)), [&] {
      block(*of.lane->body);
      count(fold);
    });
  }
  if (of.target != nullptr) place(*of.target, false, true);
}

void BodyCounter::scan(const ScanStmt& of) {
  const Type& type = *of.lane->result;
  const std::string fold = type.is_float() ? float_kind(type, "_fold") : "int_fold";
  const double bytes = static_cast<double>(size_of(type));
  const Local* root = root_of(*of.output);
  const std::string array = root == nullptr ? "_" : name(*root);
  if (of.device || of.parallel) {
    region(of.device ? RegionKind::Device : RegionKind::Pooled, of.extent, of.lane, of.position);
    Work& work = cost_.regions.back().per_index.bodies[0];
    work.ops[fold] += Polynomial(2.0);  // two passes
    work.ops["store"] += Polynomial(2.0);
    work.traffic[array].written += Polynomial(2 * bytes);
    work.traffic[array].read += Polynomial(bytes);
    return;
  }
  value(*of.extent);
  looped(of.lane->parameters.front(), known_trips(Polynomial(), sizes_.value(*of.extent)), [&] {
    block(*of.lane->body);
    count(fold);
    count("store");
    Traffic& traffic = here().traffic[array];
    traffic.written += trips() * Polynomial(bytes);
    if (const auto length = sizes_.length(*of.output)) traffic.size = *length * Polynomial(bytes);
  });
}

void BodyCounter::compact(const CompactStmt& of) {
  if (of.device) {
    region(RegionKind::Device, of.extent, of.condition, of.position);
    return;
  }
  value(*of.extent);
  const Local* root = root_of(*of.output);
  looped(of.binder, known_trips(Polynomial(), sizes_.value(*of.extent)), [&] {
    count("collect");
    value(*of.predicate);
    value(*of.projected);
    const double bytes = static_cast<double>(size_of(*of.projected->type));
    Traffic& traffic = here().traffic[root == nullptr ? "_" : name(*root)];
    traffic.written += trips() * Polynomial(bytes);
    if (const auto length = sizes_.length(*of.output)) traffic.size = *length * Polynomial(bytes);
  });
}

void BodyCounter::statement(const Stmt& of) {
  switch (of.kind) {
    case StmtKind::Let: {
      const auto& let = of.as<LetStmt>();
      if (let.value == nullptr) return;
      value(*let.value);
      if (let.local == nullptr) return;
      if (!let.local->is_mutable && let.local->type->is_integer()) {
        if (const auto known = sizes_.value(*let.value)) sizes_.set_value(*let.local, *known);
        std::size_t depth = 0;
        const Moves moves = motion(*let.value, depth);
        motions_[let.local] = {moves, depth};
        binders_[let.local] = binders_of(*let.value);
        if (!loops_.empty()) steps_[let.local] = {loops_.back().id, step(*let.value)};
      } else if (let.local->type->is_integer()) {
        set(*let.local, sizes_.value(*let.value), let.value);
      }
      if (cooperation_ != nullptr && (let.local->is_mutable || is_a_threads(*let.value))) of_thread_.insert(let.local);
      if (let.value->kind == ExprKind::BufNew) {
        if (const auto known = sizes_.value(*let.value->as<BufNewExpr>().count)) sizes_.set_length(*let.local, *known);
      } else if (const auto known = let.local->type->is(TypeKind::View) ? sizes_.length(*let.value) : std::nullopt) {
        sizes_.set_length(*let.local, *known);
      }
      return;
    }
    case StmtKind::Assign:
      return assign(of.as<AssignStmt>());
    case StmtKind::Compound: {
      const auto& compound = of.as<CompoundStmt>();
      place(*compound.place, true, true);
      value(*compound.value);
      update(*compound.place, compound.op, *compound.place->type, discharged_.contains(compound));
      return forget(changed_by(of));
    }
    case StmtKind::If:
      value(*of.as<IfStmt>().condition);
      if (is_unforeseen(*of.as<IfStmt>().condition, {of.as<IfStmt>().then, of.as<IfStmt>().otherwise})) {
        count("branch_miss", kMisses);
      }
      alternatives({of.as<IfStmt>().then, of.as<IfStmt>().otherwise});
      return forget(changed_by(of));
    case StmtKind::Match: {
      value(*of.as<MatchStmt>().subject);
      std::vector<const Block*> arms;
      for (const MatchArm& arm : of.as<MatchStmt>().arms) arms.push_back(arm.body);
      if (is_unforeseen(*of.as<MatchStmt>().subject, arms)) count("branch_miss", kMisses);
      alternatives(arms);
      return forget(changed_by(of));
    }
    case StmtKind::While:
      return while_loop(of.as<WhileStmt>());
    case StmtKind::For: {
      const auto& loop = of.as<ForStmt>();
      if (loop.lo != nullptr) value(*loop.lo);
      value(*loop.hi);
      const auto lo = loop.lo == nullptr ? std::optional<Polynomial>(Polynomial()) : bound(*loop.lo, false);
      Polynomial trips = known_trips(lo, bound(*loop.hi, true));
      const bool is_of_thread = (loop.lo != nullptr && is_a_threads(*loop.lo)) || is_a_threads(*loop.hi);
      if (cooperation_ != nullptr && is_of_thread) of_thread_.insert(loop.binder);
      forget(changed_by(of));
      looped(loop.binder, std::move(trips), [&] { block(*loop.body); }, lo.value_or(Polynomial()));
      return forget(changed_by(of));
    }
    case StmtKind::Storage: {
      const auto& storage = of.as<StorageStmt>();
      if (storage.count != nullptr) value(*storage.count);
      const auto elements = storage.count == nullptr ? std::nullopt : sizes_.value(*storage.count);
      if (elements) sizes_.set_length(*storage.local, *elements);
      if (storage.local->kind == LocalKind::Buffer) allocate(elements, *storage.local->type->element);
      return;
    }
    case StmtKind::Parallel:
      return region(of.as<ParallelStmt>().device ? RegionKind::Device : RegionKind::Host, of.as<ParallelStmt>().extent,
                    of.as<ParallelStmt>().lane, of.position);
    case StmtKind::Reduce:
      return reduce(of.as<ReduceStmt>());
    case StmtKind::Scan:
      return scan(of.as<ScanStmt>());
    case StmtKind::Compact:
      return compact(of.as<CompactStmt>());
    case StmtKind::Block:
      return block(*of.as<BlockStmt>().body);
    case StmtKind::Asm:
      count("io");
      return guess("it has assembly");
    case StmtKind::Cooperative:
      return cooperative(of.as<CooperativeStmt>());
    case StmtKind::Shared:
      return sizes_.set_length(*of.as<SharedStmt>().local, Polynomial(static_cast<double>(of.as<SharedStmt>().length)));
    case StmtKind::Pipeline:
      return sizes_.set_length(*of.as<PipelineStmt>().local,
                               Polynomial(static_cast<double>(of.as<PipelineStmt>().size)));
    case StmtKind::Barrier:
      if (cooperation_ != nullptr) cooperation_->barriers += trips();
      return;
    default:
      for_each_part(
          of, [&](const Expr& each) { value(each); }, [&](const Block& nested) { block(nested); },
          [](const Function&) {});
      return forget(changed_by(of));
  }
}
}  // namespace cairn::predict
