// Branches, loops and match. Each join keeps what is known of the owners on the paths that meet there.
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::kNone;
using bytecode::RegisterKind;
using checked::ExprKind;
using checked::IfStmt;
using checked::MatchArm;
using checked::StmtKind;

/// A chain of `else if` may be of any length, so it is walked, not recursed into.
void FunctionLowering::if_(const IfStmt& first) {
  const Label end = f_.label();
  bool joins = false;
  std::optional<Lives> after;
  const unsigned depth = depth_;
  const IfStmt* s = &first;
  while (true) {
    const Label otherwise = f_.label();
    const Mark mark = this->mark();
    branch(*s->condition, false, otherwise);
    release(mark);
    const Lives before = lives();
    ++depth_;  // for good: what follows `else` runs on some paths only
    block(*s->then);
    if (!s->then->leaves) {
      merge(after, lives());
      if (s->otherwise != nullptr) {
        f_.emit(Op::Jump, end);
        joins = true;
      }
    }
    restore(before);
    f_.bind(otherwise);
    if (s->otherwise == nullptr) {
      merge(after, before);
      break;
    }
    const auto& statements = s->otherwise->statements;
    if (statements.size() == 1 && statements.front()->kind == StmtKind::If) {
      s = &statements.front()->as<IfStmt>();
      continue;
    }
    block(*s->otherwise);
    if (!s->otherwise->leaves) merge(after, lives());
    break;
  }
  depth_ = depth;
  if (joins) f_.bind(end);
  if (after) restore(*after);
}

/// The condition stands below the body, so that an iteration has one jump.
void FunctionLowering::while_(const checked::WhileStmt& s) {
  const auto known = literal_bits(*s.condition);
  if (known == 0U) return;
  const bool endless = known.has_value();
  const Label body = f_.label();
  loops_.push_back({f_.label(), f_.label(), cleanups_.size(), {}, false});
  const Lives before = lives();
  if (endless) {
    f_.bind(loops_.back().next);
  } else {
    emit(s.position, Op::Jump, loops_.back().next);
    f_.bind(body);
  }
  ++depth_;
  block(*s.body);
  --depth_;
  restore(before);
  Loop loop = std::move(loops_.back());
  if (endless) {
    if (!s.body->leaves) emit(s.position, Op::Jump, loop.next);
  } else {
    f_.bind(loop.next);
    const Mark mark = this->mark();
    branch(*s.condition, true, body);
    release(mark);
    merge(loop.exit_lives, before);
  }
  loops_.pop_back();
  if (loop.exits) f_.bind(loop.exit);
  if (loop.exit_lives) restore(*loop.exit_lives);
}

/// Whether a register that holds an expression's value will go on holding it.
bool FunctionLowering::is_steady(const Expr& e) {
  const Expr* place = nullptr;
  if (e.kind == ExprKind::Load) place = e.as<checked::LoadExpr>().place;
  if (e.kind == ExprKind::Length) {
    place = e.as<checked::LengthExpr>().of;
    if (place->kind == ExprKind::ViewOf) place = place->as<checked::ViewOfExpr>().place;
  }
  return place != nullptr && place->kind == ExprKind::Local && is_stable(*place->as<checked::LocalExpr>().local);
}

void FunctionLowering::for_(const checked::ForStmt& s) {
  const Place counter = declare_counter(*s.binder);
  const auto lo = s.lo == nullptr ? std::optional<std::uint64_t>(0) : literal_bits(*s.lo);
  if (s.lo == nullptr) {
    at(s.position);
    constant(counter.reg, 0);
  } else {
    evaluate(*s.lo, counter);
  }
  const RegisterType index{RegisterKind::U64, false, kNone};
  const auto hi = literal_bits(*s.hi);
  Register limit;
  if (is_steady(*s.hi)) {
    limit = value(*s.hi);
  } else {
    limit = temporary(index);
    const Mark mark = this->mark();
    value(*s.hi, limit);
    release(mark);
  }
  loops_.push_back({f_.label(), f_.label(), cleanups_.size(), {}, true});
  const Label exit = loops_.back().exit;
  if (!(lo && hi && *lo < *hi)) {
    if (lo == 0U) {
      emit(s.position, Op::JumpEqImm, limit, 0, exit);
    } else {
      emit(s.position, Op::JumpLeU, limit, counter.reg, exit);
    }
  }
  convert_each(*s.body, *s.binder, counter.reg, limit, exit);
  const Label body = f_.label();
  f_.bind(body);
  const Lives before = lives();
  ++depth_;
  block(*s.body);
  --depth_;
  restore(before);
  Loop loop = std::move(loops_.back());
  loops_.pop_back();
  f_.bind(loop.next);
  emit(s.position, Op::LoopNext, counter.reg, limit, body);
  f_.bind(loop.exit);
  merge(loop.exit_lives, before);
  restore(*loop.exit_lives);
}

/// `break` and `continue`: what the scopes inside the loop hold is let go on the way.
void FunctionLowering::leave_loop(Label to, bool breaks, Position position) {
  const Lives before = lives();
  Loop& loop = loops_.back();
  run_cleanups(loop.floor, position);
  if (breaks) {
    Lives outside = lives();
    outside.resize(loop.floor);
    merge(loop.exit_lives, outside);
    loop.exits = true;
  }
  emit(position, Op::Jump, to);
  restore(before);
}

void FunctionLowering::match(const checked::MatchStmt& s) {
  const Type& sum = *s.subject->type;
  if (shape_of(sum) == Shape::One) return match_arms(s, value(*s.subject), nullptr, false);
  bool owned = false;
  const Place from = subject(*s.subject, false, owned);
  const Register tag = s.arms.size() > 1 ? tag_of(from, s.position) : Register{};
  match_arms(s, tag, &from, owned);
}

void FunctionLowering::match_arms(const checked::MatchStmt& s, Register tag, const Place* subject, bool owned) {
  const Label end = f_.label();
  std::vector<Label> labels;
  for (std::size_t i = 0; i < s.arms.size(); ++i) labels.push_back(f_.label());
  at(s.position);
  if (s.arms.size() == 2) {
    f_.emit(Op::JumpNeImm, tag, s.arms[0].variant, labels[1]);
  } else if (s.arms.size() > 2) {
    std::vector<Label> by_variant(s.arms.size());
    for (std::size_t i = 0; i < s.arms.size(); ++i) by_variant[s.arms[i].variant] = labels[i];
    f_.emit_switch(tag, by_variant);
  }
  const Lives before = lives();
  std::optional<Lives> after;
  bool joins = false;
  ++depth_;
  for (std::size_t i = 0; i < s.arms.size(); ++i) {
    if (i > 0 || s.arms.size() > 2) f_.bind(labels[i]);
    restore(before);
    arm(s.arms[i], *s.subject->type, subject, owned, s.position);
    if (s.arms[i].body->leaves) continue;
    merge(after, lives());
    if (i + 1 < s.arms.size()) {
      f_.emit(Op::Jump, end);
      joins = true;
    }
  }
  --depth_;
  if (joins) f_.bind(end);
  restore(after ? *after : before);
}

void FunctionLowering::arm(const MatchArm& arm, const Type& sum, const Place* subject, bool owned, Position position) {
  const std::size_t floor = cleanups_.size();
  const Type* payload = sum.sum->variants[arm.variant].payload;
  if (payload != nullptr && subject != nullptr) {
    const Place from = payload_of(*subject, sum, arm.variant);
    if (arm.binder != nullptr) {
      bind_part(*arm.binder, from, owned, position);
    } else if (owned && types().owns(*payload)) {
      own_storage(from, kNone);
    }
  }
  block(*arm.body);
  close_scope(floor, !arm.body->leaves, position);
}

}  // namespace cairn::lower
