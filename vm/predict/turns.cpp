#include "vm/predict/turns.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "frontend/check/tree_walk.hpp"

namespace cairn::predict {

using namespace checked;

namespace {

constexpr std::string_view kWhy = "a while loop's turns are guessed by what its condition compares";
constexpr std::string_view kWhyNot = "a while loop's turns are not known: its body counts eight times";

const Local* local_of(const Expr& of) {
  const Expr* at = &of;
  while (at->kind == ExprKind::Load || at->kind == ExprKind::Convert) {
    at = at->kind == ExprKind::Load ? at->as<LoadExpr>().place : at->as<ConvertExpr>().operand;
  }
  return at->kind == ExprKind::Local ? at->as<LocalExpr>().local : nullptr;
}

/// Whether something holds in an expression or in one that an immutable local in it was bound to.
template <class Holds>
bool any_behind(const Expr& of, Holds&& holds) {
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
      return holds(each);
    });
    if (found) return true;
  }
  return false;
}

bool rests_on(const Expr& of, const Local& local) {
  return any_behind(
      of, [&](const Expr& each) { return each.kind == ExprKind::Local && each.as<LocalExpr>().local == &local; });
}

bool has_halving(const Expr& of) {
  return any_behind(of, [](const Expr& each) {
    if (each.kind == ExprKind::Binary) return each.as<BinaryExpr>().op == BinaryOp::Divide;
    return each.kind == ExprKind::Builtin && each.as<BuiltinExpr>().builtin == Builtin::Shr;
  });
}

/// What a turn does to a local.
struct Update {
  const Expr* value = nullptr;     // what it is set to, or by what it is changed
  std::optional<BinaryOp> change;  // of a compound assignment
  Polynomial weight{1.0};          // how often in a turn
  const Block* block = nullptr;    // it stands in
};
using Updates = std::map<const Local*, std::vector<Update>>;

/// Finds the updates of a turn. `turns_of` says how often a `for` loop of the body turns, where that is known.
class Collector {
 public:
  using TurnsOf = std::function<std::optional<Polynomial>(const ForStmt&)>;
  Collector(Updates& into, TurnsOf turns_of) : into_(into), turns_of_(std::move(turns_of)) {}

  void collect(const Block& block, Polynomial weight) {
    for (const Stmt* statement : block.statements) {
      switch (statement->kind) {
        case StmtKind::Assign:
          note(*statement->as<AssignStmt>().place, {statement->as<AssignStmt>().value, std::nullopt, weight, &block});
          break;
        case StmtKind::Compound: {
          const auto& compound = statement->as<CompoundStmt>();
          note(*compound.place, {compound.value, compound.op, weight, &block});
          break;
        }
        case StmtKind::If: {
          const auto& branch = statement->as<IfStmt>();
          const Polynomial half = weight * Polynomial(0.5);
          for (const Block* way : {branch.then, branch.otherwise}) {
            if (way != nullptr) collect(*way, half);
          }
          // What stands behind a way that goes on with the next turn is the other way.
          if (branch.otherwise == nullptr && is_other_way(*branch.then)) weight = half;
          break;
        }
        case StmtKind::Match: {
          const auto& arms = statement->as<MatchStmt>().arms;
          for (const MatchArm& arm : arms) {
            collect(*arm.body, weight * Polynomial(1 / static_cast<double>(arms.size())));
          }
          break;
        }
        case StmtKind::For:
          collect(*statement->as<ForStmt>().body,
                  weight * turns_of_(statement->as<ForStmt>()).value_or(Polynomial(kGuessedTurns)));
          break;
        default: {
          const bool turns = statement->kind == StmtKind::While;
          for_each_part(
              *statement, [](const Expr&) {},
              [&](const Block& nested) { collect(nested, turns ? weight * Polynomial(kGuessedTurns) : weight); },
              [](const Function&) {});
        }
      }
    }
  }

 private:
  void note(const Expr& place, Update update) {
    if (place.kind == ExprKind::Local) into_[place.as<LocalExpr>().local].push_back(std::move(update));
  }

  /// A way that ends with `continue` and sets nothing to a number anew: one that does is gone once a pass.
  static bool is_other_way(const Block& way) {
    if (way.statements.empty() || way.statements.back()->kind != StmtKind::Continue) return false;
    return std::ranges::none_of(way.statements, [](const Stmt* each) {
      return each->kind == StmtKind::Assign && each->as<AssignStmt>().value->kind == ExprKind::Integer;
    });
  }

  Updates& into_;
  TurnsOf turns_of_;
};

/// A comparison under which a loop goes on.
struct Comparison {
  const Expr* left = nullptr;
  const Expr* right = nullptr;
  BinaryOp op{};
};

BinaryOp opposite(BinaryOp op) {
  switch (op) {
    case BinaryOp::Less:
      return BinaryOp::GreaterEqual;
    case BinaryOp::LessEqual:
      return BinaryOp::Greater;
    case BinaryOp::Greater:
      return BinaryOp::LessEqual;
    case BinaryOp::GreaterEqual:
      return BinaryOp::Less;
    case BinaryOp::Equal:
      return BinaryOp::NotEqual;
    default:
      return BinaryOp::Equal;
  }
}

/// The comparisons that must hold (or, `negated`, of which none may) for the condition to.
void comparisons(const Expr& condition, bool negated, std::vector<Comparison>& into) {
  if (condition.kind == ExprKind::Logical && condition.as<LogicalExpr>().is_and != negated) {
    comparisons(left_of(*left_chain(condition).front()), negated, into);
    for (const Expr* operation : left_chain(condition)) comparisons(right_of(*operation), negated, into);
  } else if (condition.kind == ExprKind::Unary && condition.as<UnaryExpr>().op == UnaryOp::Not) {
    comparisons(*condition.as<UnaryExpr>().operand, !negated, into);
  } else if (condition.kind == ExprKind::Binary) {
    const auto& binary = condition.as<BinaryExpr>();
    if (binary.op < BinaryOp::Equal || !binary.left->type->is_integer()) return;
    into.push_back({binary.left, binary.right, negated ? opposite(binary.op) : binary.op});
  }
}

bool leaves(const Block& block) {
  if (block.statements.empty()) return false;
  const StmtKind last = block.statements.back()->kind;
  return last == StmtKind::Break || last == StmtKind::Return;
}

class Guess {
 public:
  Guess(const WhileStmt& loop, KnownSizes& sizes, const std::map<const Local*, const Expr*>& initial,
        const std::vector<Range>& around)
      : loop_(loop), sizes_(sizes), initial_(initial), around_(around) {
    const std::set<const Local*> changed = changed_by(loop);
    Collector(updates_, [&](const ForStmt& inner) -> std::optional<Polynomial> {
      const KnownSizes::Values saved = sizes_.values();
      for (const Local* each : changed) sizes_.forget(*each);
      const auto lo = inner.lo == nullptr ? std::optional<Polynomial>(Polynomial()) : sizes_.value(*inner.lo);
      const auto hi = sizes_.value(*inner.hi);
      sizes_.put_back(saved);
      return lo && hi ? std::optional(*hi - *lo) : std::nullopt;
    }).collect(*loop.body, Polynomial(1.0));
  }

  [[nodiscard]] std::optional<Polynomial> turns() {
    std::vector<Comparison> all;
    comparisons(*loop_.condition, false, all);
    for (const Stmt* statement : loop_.body->statements) {
      if (statement->kind != StmtKind::If || !leaves(*statement->as<IfStmt>().then)) continue;
      comparisons(*statement->as<IfStmt>().condition, true, all);
    }
    for (const Comparison& each : all) {
      if (auto found = of(each)) return found;
    }
    return std::nullopt;
  }

 private:
  /// What one update makes of a local: `factor` times what it was, and a sum. Of the binder of a loop around the sum
  /// has so many.
  struct Step {
    double factor = 1;
    Polynomial sum;
    const Range* around = nullptr;
    double binders = 0;
  };
  /// How a turn moves a local: all of its steps, each as often as it is made.
  struct Motion {
    Polynomial sum;
    double factor = 1;
    bool halves = false;  // the way between the two sides
    const Range* around = nullptr;
    double binders = 0;
  };

  std::optional<Polynomial> of(const Comparison& c) {
    switch (c.op) {
      case BinaryOp::Less:
      case BinaryOp::LessEqual:
        return between(*c.left, *c.right);
      case BinaryOp::Greater:
      case BinaryOp::GreaterEqual:
        return between(*c.right, *c.left);
      case BinaryOp::NotEqual: {
        const bool falls = is_falling(*c.left);
        return falls ? between(*c.right, *c.left) : between(*c.left, *c.right);
      }
      default:
        return std::nullopt;
    }
  }

  bool is_falling(const Expr& side) {
    const Local* const local = local_of(side);
    const auto motion = local == nullptr ? std::nullopt : motion_of(*local, nullptr);
    return motion && (motion->factor < 1 || is_negative(motion->sum) || motion->binders < 0);
  }

  /// Turns until the lower side has come up to the upper one.
  std::optional<Polynomial> between(const Expr& lower, const Expr& upper) {
    if (const Local* root = squared(lower)) return until_square(*root, upper);
    const Local* const low = local_of(lower);
    const Local* const high = local_of(upper);
    const auto rises = low == nullptr ? std::optional<Motion>(Motion{}) : motion_of(*low, high);
    const auto falls = high == nullptr ? std::optional<Motion>(Motion{}) : motion_of(*high, low);
    if (!rises || !falls) return std::nullopt;
    const auto from = value(lower, false);
    const auto to = value(upper, true);
    if (falls->factor < 1 || rises->factor > 1) {
      const double factor = falls->factor < 1 ? 1 / falls->factor : rises->factor;
      const bool has_base = from && !from->is_zero();
      const auto ratio = to ? std::optional(has_base ? to->over(*from) : *to) : std::nullopt;
      // Of a number that nobody knows half the bits are taken to count.
      const Polynomial bits = ratio ? Polynomial::log2(*ratio) : Polynomial(bit_width(upper.type->kind) / 2.0);
      return bits * Polynomial(1 / std::log2(factor));
    }
    if (!from || !to) return std::nullopt;
    const Polynomial way = *to - *from;
    if (rises->halves || falls->halves) return Polynomial::log2(way);
    const Polynomial step = rises->sum - falls->sum;
    const double binders = rises->binders - falls->binders;
    if (binders != 0) {
      // A sum beside it, or two loops' binders, have no mean as simple.
      const bool is_one = rises->around == nullptr || falls->around == nullptr || rises->around == falls->around;
      if (!step.is_zero() || binders < 0 || !is_one) return std::nullopt;
      return mean_over(rises->around != nullptr ? *rises->around : *falls->around, way * Polynomial(1 / binders));
    }
    if (step.is_zero() || is_negative(step)) return std::nullopt;
    return way.over(step);
  }

  /// Whether it is below zero where sizes are large.
  static bool is_negative(const Polynomial& of) {
    Sizes large;
    for (const std::string& name : of.variables()) large[name] = 1e6;
    return of.value(large) < 0;
  }

  /// The mean of `way` over the binder of a loop around.
  static std::optional<Polynomial> mean_over(const Range& range, const Polynomial& way) {
    const Polynomial lo = range.lo.is_zero() ? Polynomial(1.0) : range.lo;
    const Polynomial count = range.hi - range.lo;
    if (count.is_zero()) return std::nullopt;
    return (way * (Polynomial::log2(range.hi) - Polynomial::log2(lo)) * Polynomial(std::log(2.0))).over(count);
  }

  /// `i * i` of a local that the loop steps, or null.
  const Local* squared(const Expr& of) {
    if (of.kind != ExprKind::Binary || of.as<BinaryExpr>().op != BinaryOp::Multiply) return nullptr;
    const Local* const left = local_of(*of.as<BinaryExpr>().left);
    return left != nullptr && left == local_of(*of.as<BinaryExpr>().right) && updates_.contains(left) ? left : nullptr;
  }
  std::optional<Polynomial> until_square(const Local& root, const Expr& upper) {
    const auto rises = motion_of(root, nullptr);
    const auto to = value(upper, true);
    if (!rises || !to || to->is_zero() || rises->sum.is_zero() || is_negative(rises->sum)) return std::nullopt;
    return to->leading_to(0.5).over(rises->sum);
  }

  /// Where the loop begins, at its least or most over the loops around.
  std::optional<Polynomial> value(const Expr& of, bool at_most) {
    if (const auto known = sizes_.value(of)) return known;
    const Local* const local = local_of(of);
    const auto set = local == nullptr ? initial_.end() : initial_.find(local);
    const Expr& asked = set == initial_.end() ? of : *set->second;
    const KnownSizes::Values saved = sizes_.values();
    for (const Range& range : around_) sizes_.set_value(*range.binder, at_most ? range.hi : range.lo);
    auto found = sizes_.value(asked);
    sizes_.put_back(saved);
    return found;
  }

  /// Nothing when a turn does something to it that tells nothing. `other` is the other side.
  std::optional<Motion> motion_of(const Local& local, const Local* other) {
    Motion motion;
    const auto found = updates_.find(&local);
    if (found == updates_.end()) return motion;
    double log_factor = 0;
    for (const Update& update : found->second) {
      const auto step = step_of(local, update);
      if (!step) {
        const bool halves = has_halving(*update.value) &&
                            (rests_on(*update.value, local) || (other != nullptr && rests_on(*update.value, *other)));
        if (!halves) return std::nullopt;
        motion.halves = true;
      } else if (step->factor == 1) {
        const Polynomial times = often(update);
        motion.sum += step->sum * times;
        if (step->around == nullptr) continue;
        if (!times.is_constant() || (motion.around != nullptr && motion.around != step->around)) return std::nullopt;
        motion.around = step->around;
        motion.binders += step->binders * times.constant();
      } else if (step->factor > 0) {
        if (!update.weight.is_constant()) return std::nullopt;
        log_factor += update.weight.constant() * std::log(step->factor);
      } else if (step->factor < 0) {
        return std::nullopt;  // to and fro
      } else {
        continue;  // set anew: where it goes on from tells nothing of how it moves
      }
    }
    motion.factor = std::exp(log_factor);
    return motion;
  }

  /// How often in a turn an update is made. Where its block also sets the cursor of a pass over an array back, it is
  /// once a pass.
  Polynomial often(const Update& update) {
    for (const auto& [cursor, updates] : updates_) {
      const bool is_set_back = std::ranges::any_of(updates, [&](const Update& each) {
        const auto step =
            each.block == update.block && each.block != loop_.body ? step_of(*cursor, each) : std::nullopt;
        return step && step->factor == 0;
      });
      if (!is_set_back) continue;
      double rises = 0;
      for (const Update& each : updates) {
        const auto step = step_of(*cursor, each);
        if (step && step->factor == 1) rises += (each.weight * step->sum).value({});
      }
      const auto length = indexed_by(*cursor);
      if (rises > 0 && length && !length->is_zero()) return Polynomial(rises).over(*length);
    }
    return update.weight;
  }

  /// The length of an array that the loop indexes by a local.
  std::optional<Polynomial> indexed_by(const Local& cursor) {
    std::optional<Polynomial> length;
    const auto in_expression = [&](const Expr& root) {
      static_cast<void>(any_expression(root, [&](const Expr& each) {
        if (each.kind != ExprKind::Element || local_of(*each.as<ElementExpr>().index) != &cursor) return false;
        length = sizes_.length(*each.as<ElementExpr>().base);
        return length.has_value();
      }));
    };
    for_each_statement(*loop_.body, [&](const Stmt& each) {
      for_each_part(each, in_expression, [](const Block&) {}, [](const Function&) {});
    });
    return length;
  }

  /// What the update makes of the local, when that is a multiple of it beside a sum.
  std::optional<Step> step_of(const Local& local, const Update& update) {
    const KnownSizes::Values saved = sizes_.values();
    const std::string name = "the local";
    for (const auto& [changed, unused] : updates_) sizes_.forget(*changed);
    sizes_.set_value(local, Polynomial::variable(name));
    for (const Range& range : around_) sizes_.set_value(*range.binder, Polynomial::variable(binder_name(range)));
    std::optional<Polynomial> made = sizes_.value(*update.value);
    sizes_.put_back(saved);
    const bool sums = update.change == BinaryOp::Add || update.change == BinaryOp::Subtract;
    if (!made && sums && !rests_on(*update.value, local)) made = Polynomial(1.0);  // by something: at least by one
    if (!made) return std::nullopt;
    const auto parts = made->linear_in(name);
    if (!parts) return std::nullopt;
    Step step{parts->first, parts->second};
    if (update.change == BinaryOp::Add || update.change == BinaryOp::Subtract) {
      const double sign = update.change == BinaryOp::Add ? 1 : -1;
      step = {1 + sign * parts->first, parts->second * Polynomial(sign)};
    } else if (update.change) {
      const bool divides = update.change == BinaryOp::Divide;
      if (!made->is_constant() || made->is_zero() || (!divides && update.change != BinaryOp::Multiply)) {
        return std::nullopt;
      }
      step = {divides ? 1 / made->constant() : made->constant(), Polynomial()};
    }
    return with_binder(std::move(step));
  }

  static std::string binder_name(const Range& range) { return "the binder " + std::to_string(range.binder->index); }

  /// The step with the binder that its sum names told apart; nothing when that is not simple.
  std::optional<Step> with_binder(Step step) {
    for (const Range& range : around_) {
      const std::string name = binder_name(range);
      const auto parts = step.sum.linear_in(name);
      if (!parts) return std::nullopt;
      if (parts->first == 0) continue;
      if (step.around != nullptr || step.factor != 1) return std::nullopt;
      step.sum = parts->second;
      step.around = &range;
      step.binders = parts->first;
    }
    if (step.factor != 1 && !step.sum.is_constant()) return std::nullopt;
    return step;
  }

  const WhileStmt& loop_;
  KnownSizes& sizes_;
  const std::map<const Local*, const Expr*>& initial_;
  const std::vector<Range>& around_;
  Updates updates_;
};

}  // namespace

GuessedTurns guess_turns(const WhileStmt& loop, KnownSizes& sizes, const std::map<const Local*, const Expr*>& initial,
                         const std::vector<Range>& around) {
  const auto turns = Guess(loop, sizes, initial, around).turns();
  if (turns) return {*turns, std::string(kWhy)};
  return {Polynomial(kGuessedTurns), std::string(kWhyNot)};
}

std::set<const Local*> changed_by(const Stmt& statement) {
  std::set<const Local*> found;
  const auto note = [&](const Expr& place) {
    if (place.kind == ExprKind::Local) found.insert(place.as<LocalExpr>().local);
  };
  const auto note_statement = [&](const Stmt& each) {
    if (each.kind == StmtKind::Assign) note(*each.as<AssignStmt>().place);
    if (each.kind == StmtKind::Compound) note(*each.as<CompoundStmt>().place);
    const auto in_expression = [&](const Expr& root) {
      static_cast<void>(any_expression(root, [&](const Expr& part) {
        if (part.kind == ExprKind::Swap) {
          note(*part.as<SwapExpr>().left);
          note(*part.as<SwapExpr>().right);
        }
        if (part.kind == ExprKind::Take) note(*part.as<TakeExpr>().place);
        return false;
      }));
    };
    for_each_part(each, in_expression, [](const Block&) {}, [](const Function&) {});
  };
  note_statement(statement);
  for_each_part(
      statement, [](const Expr&) {}, [&](const Block& nested) { for_each_statement(nested, note_statement); },
      [](const Function&) {});
  return found;
}

bool is_lasting(const Expr& of) {
  return !any_expression(of, [](const Expr& each) {
    return each.kind == ExprKind::Element || each.kind == ExprKind::Field || each.kind == ExprKind::Call ||
           (each.kind == ExprKind::Local && each.as<LocalExpr>().local->is_mutable);
  });
}

}  // namespace cairn::predict
