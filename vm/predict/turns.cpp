#include "vm/predict/turns.hpp"

#include <algorithm>
#include <cmath>

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
  double weight = 1;               // how often in a turn
  const Block* block = nullptr;    // it stands in
};
using Updates = std::map<const Local*, std::vector<Update>>;

void collect(const Block& block, double weight, Updates& into) {
  for (const Stmt* statement : block.statements) {
    switch (statement->kind) {
      case StmtKind::Assign: {
        const auto& assign = statement->as<AssignStmt>();
        if (assign.place->kind != ExprKind::Local) break;
        into[assign.place->as<LocalExpr>().local].push_back({assign.value, std::nullopt, weight, &block});
        break;
      }
      case StmtKind::Compound: {
        const auto& compound = statement->as<CompoundStmt>();
        if (compound.place->kind != ExprKind::Local) break;
        into[compound.place->as<LocalExpr>().local].push_back({compound.value, compound.op, weight, &block});
        break;
      }
      case StmtKind::If:
        for (const Block* way : {statement->as<IfStmt>().then, statement->as<IfStmt>().otherwise}) {
          if (way != nullptr) collect(*way, weight / 2, into);
        }
        break;
      case StmtKind::Match: {
        const auto& arms = statement->as<MatchStmt>().arms;
        for (const MatchArm& arm : arms) collect(*arm.body, weight / static_cast<double>(arms.size()), into);
        break;
      }
      default: {
        const bool turns = statement->kind == StmtKind::While || statement->kind == StmtKind::For;
        for_each_part(
            *statement, [](const Expr&) {},
            [&](const Block& nested) { collect(nested, turns ? weight * kGuessedTurns : weight, into); },
            [](const Function&) {});
      }
    }
  }
}

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
    collect(*loop.body, 1, updates_);
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
  /// How a local moves: by a sum each turn, or by a factor.
  struct Motion {
    Polynomial sum;
    double factor = 1;
    bool halves = false;  // the way between the two sides
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
    return motion && (motion->factor < 1 || motion->sum.value({}) < 0);
  }

  /// Turns until the lower side has come up to the upper one.
  std::optional<Polynomial> between(const Expr& lower, const Expr& upper) {
    stepped_by_ = nullptr;
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
    if (step.is_zero() || step.value({}) < 0) return std::nullopt;
    if (const auto mean = mean_over_binder(way)) return mean;
    return way.over(step);
  }

  /// Turns of a loop that steps by the binder of a loop around: the mean over all of that loop's.
  std::optional<Polynomial> mean_over_binder(const Polynomial& way) {
    if (stepped_by_ == nullptr) return std::nullopt;
    for (const Range& range : around_) {
      if (range.binder != stepped_by_) continue;
      const Polynomial lo = range.lo.is_zero() ? Polynomial(1.0) : range.lo;
      const Polynomial count = range.hi - range.lo;
      if (count.is_zero()) return std::nullopt;
      return (way * (Polynomial::log2(range.hi) - Polynomial::log2(lo)) * Polynomial(std::log(2.0))).over(count);
    }
    return std::nullopt;
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
    if (!rises || !to || to->is_zero() || rises->sum.value({}) <= 0) return std::nullopt;
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
      } else if (step->first == 1) {
        motion.sum += step->second * often(update);
      } else if (step->first > 0) {
        log_factor += update.weight * std::log(step->first);
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
        return step && step->first == 0;
      });
      if (!is_set_back) continue;
      double rises = 0;
      for (const Update& each : updates) {
        const auto step = step_of(*cursor, each);
        if (step && step->first == 1) rises += each.weight * step->second.value({});
      }
      const auto length = indexed_by(*cursor);
      if (rises > 0 && length && !length->is_zero()) return Polynomial(rises).over(*length);
    }
    return Polynomial(update.weight);
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

  /// a and b where the update makes a * local + b of the local.
  std::optional<std::pair<double, Polynomial>> step_of(const Local& local, const Update& update) {
    const KnownSizes::Values saved = sizes_.values();
    const std::string name = "the local";
    sizes_.set_value(local, Polynomial::variable(name));
    for (const auto& [changed, unused] : updates_) {
      if (changed != &local) sizes_.forget(*changed);
    }
    std::optional<Polynomial> made = sizes_.value(*update.value);
    if (!made && update.change) {
      const bool sums = *update.change == BinaryOp::Add || *update.change == BinaryOp::Subtract;
      if (sums) made = Polynomial(1.0);  // by something: at least by one
      for (const Range& range : around_) {
        if (sums && local_of(*update.value) == range.binder) stepped_by_ = range.binder;
      }
    }
    sizes_.put_back(saved);
    if (!made) return std::nullopt;
    if (!update.change) {
      auto parts = made->linear_in(name);
      if (!parts || (parts->first != 1 && !parts->second.is_constant())) return std::nullopt;
      return parts;
    }
    switch (*update.change) {
      case BinaryOp::Add:
        return std::pair(1.0, *made);
      case BinaryOp::Subtract:
        return std::pair(1.0, Polynomial() - *made);
      case BinaryOp::Multiply:
        if (!made->is_constant()) return std::nullopt;
        return std::pair(made->constant(), Polynomial());
      case BinaryOp::Divide:
        if (!made->is_constant() || made->constant() == 0) return std::nullopt;
        return std::pair(1 / made->constant(), Polynomial());
      default:
        return std::nullopt;
    }
  }

  const WhileStmt& loop_;
  KnownSizes& sizes_;
  const std::map<const Local*, const Expr*>& initial_;
  const std::vector<Range>& around_;
  Updates updates_;
  const Local* stepped_by_ = nullptr;
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
