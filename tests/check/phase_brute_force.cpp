// What brute force says of a kernel: every thread on its own, every pair of accesses of a phase compared.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "tests/check/phase_kernels.hpp"

namespace cairn::tests {

/// One run of a block, for one choice of everything unknown: each thread on its own.
class BlockRun {
 public:
  using Index = PhaseKernel::Index;
  using Condition = PhaseKernel::Condition;
  using Step = PhaseKernel::Step;

  struct Choice {
    std::uint64_t block = 0;
    std::uint64_t parameter = 0;
    std::vector<bool> ways;  // of conditions on symbols, in the order the block meets them
  };
  struct Access {
    unsigned thread = 0;
    unsigned line = 0;
    Step::Kind kind{};
    bool sure = false;
    bool outside = false;     // past the end of the array: the thread's guard stops it
    std::uint64_t order = 0;  // within its thread
  };

  BlockRun(const PhaseKernel& kernel, Choice& choice, PhaseKernel::Verdict& verdict)
      : kernel_(kernel), choice_(choice), verdict_(verdict) {}

  void run() {
    for (unsigned t = 0; t < PhaseKernel::kThreads; ++t) {
      thread_ = t;
      phase_ = 0;
      met_ = 0;
      order_ = 0;
      values_.clear();
      loops_.clear();
      perhaps_ = 0;
      steps(kernel_.steps_);
    }
    compare();
  }

  /// Conditions met that the choice says nothing of; it then says `false` of them.
  [[nodiscard]] std::size_t most_met() const { return most_met_; }

 private:
  static constexpr std::uint64_t kAny = ~std::uint64_t{0};
  struct Known {
    std::uint64_t number = 0;
    bool symbolic = false;  // it hangs on what was tried
  };
  /// None: computing it traps.
  using Value = std::optional<Known>;
  enum class Truth : std::uint8_t { No, Yes, Perhaps, Trap };
  enum class Flow : std::uint8_t { On, Broke, Skipped };

  Value value(const Index& index) {
    switch (index.kind) {
      case Index::Kind::Constant:
        return Known{index.value, false};
      case Index::Kind::Column:
        return Known{thread_ % kernel_.columns_, false};
      case Index::Kind::Row:
        return Known{thread_ / kernel_.columns_, false};
      case Index::Kind::Loop:
        return loops_[index.value];
      case Index::Kind::Name:
        return values_[index.value];
      case Index::Kind::Block:
        return Known{choice_.block, true};
      case Index::Kind::Parameter:
        return Known{choice_.parameter, true};
      case Index::Kind::Count:
        return Known{(choose() ? 2U : 0U) + (choose() ? 1U : 0U), true};
      case Index::Kind::Data:
        return Known{kAny, true};
      case Index::Kind::Binary:
        break;
    }
    const Value left = value(index.operands[0]);
    const Value right = value(index.operands[1]);
    if (!left || !right) return std::nullopt;
    const bool symbolic = left->symbolic || right->symbolic;
    const std::uint64_t a = left->number;
    const std::uint64_t b = right->number;
    if (a == kAny || b == kAny) return Known{kAny, true};
    switch (index.op) {
      case '+':
        return Known{a + b, symbolic};
      case '-':
        return a < b ? Value() : Known{a - b, symbolic};
      case '*':
        return Known{a * b, symbolic};
      case '/':
        return b == 0 ? Value() : Known{a / b, symbolic};
      case '%':
        return b == 0 ? Value() : Known{a % b, symbolic};
      case '^':
        return Known{a ^ b, symbolic};
      case 'm':
        return Known{std::min(a, b), symbolic};
      default:
        return Known{std::max(a, b), symbolic};
    }
  }

  Truth truth(const Condition& condition) {
    switch (condition.kind) {
      case Condition::Kind::Symbol:
      case Condition::Kind::Data:
        return Truth::Perhaps;
      case Condition::Kind::And:
      case Condition::Kind::Or: {
        const bool is_and = condition.kind == Condition::Kind::And;
        const Truth settled = is_and ? Truth::No : Truth::Yes;
        const Truth left = truth(condition.parts[0]);
        if (left == Truth::Trap || left == settled) return left;
        const Truth right = truth(condition.parts[1]);
        if (left != Truth::Perhaps) return right;
        return right == settled || right == Truth::Trap ? settled : Truth::Perhaps;
      }
      case Condition::Kind::Compare:
        break;
    }
    const Value left = value(condition.operands[0]);
    const Value right = value(condition.operands[1]);
    if (!left || !right) return Truth::Trap;
    const std::uint64_t a = left->number;
    const std::uint64_t b = right->number;
    if (a == kAny || b == kAny || left->symbolic || right->symbolic) return Truth::Perhaps;
    const auto is = [](bool holds) { return holds ? Truth::Yes : Truth::No; };
    if (condition.op == "==") return is(a == b);
    if (condition.op == "!=") return is(a != b);
    if (condition.op == "<") return is(a < b);
    if (condition.op == "<=") return is(a <= b);
    if (condition.op == ">") return is(a > b);
    return is(a >= b);
  }

  Flow steps(const std::vector<Step>& list) {
    for (const Step& step : list) {
      const Flow flow = this->step(step);
      if (flow != Flow::On) return flow;
    }
    return Flow::On;
  }

  Flow step(const Step& step) {
    switch (step.kind) {
      case Step::Kind::Write:
      case Step::Kind::Read:
      case Step::Kind::Update: {
        const Value element = value(step.index);
        if (!element) return Flow::On;
        const bool outside = element->number != kAny && element->number >= kernel_.lengths_[step.array];
        if (!outside || element->symbolic) touch(step, element->number, outside);
        return Flow::On;
      }
      case Step::Kind::Look:
      case Step::Kind::Poke:
        touch_part(step);
        return Flow::On;
      case Step::Kind::Barrier:
        ++phase_;
        return Flow::On;
      case Step::Kind::Let:
        values_[step.name] = value(step.index);
        return Flow::On;
      case Step::Kind::Break:
        if (perhaps_ == perhaps_outside_) return Flow::Broke;
        perhaps_broke_ = true;
        return Flow::On;
      case Step::Kind::Continue:
        if (perhaps_ == perhaps_outside_) return Flow::Skipped;
        perhaps_skipped_ = true;
        return Flow::On;
      case Step::Kind::If:
        return branch(step);
      case Step::Kind::For:
        return loop(step);
    }
    return Flow::On;
  }

  /// What the block meets next of what nobody knows.
  bool choose() {
    const std::size_t which = met_++;
    most_met_ = std::max(most_met_, met_);
    return choice_.ways[which % choice_.ways.size()];
  }

  Flow branch(const Step& step) {
    const Truth condition = truth(step.condition);
    if (condition == Truth::Perhaps && is_uniform(step.condition) && perhaps_ == 0 && !apart_) {
      // The whole block goes one way, and nobody knows which.
      return steps(choose() ? step.body : step.otherwise);
    }
    if (condition == Truth::Trap) return Flow::On;
    if (condition != Truth::Perhaps) {
      // Threads may part here: what they meet after is no longer met by all.
      const bool outer = std::exchange(apart_, apart_ || !is_uniform(step.condition));
      const Flow flow = steps(condition == Truth::Yes ? step.body : step.otherwise);
      apart_ = outer;
      return flow;
    }
    ++perhaps_;
    steps(step.body);
    steps(step.otherwise);
    --perhaps_;
    return Flow::On;
  }

  Flow loop(const Step& step) {
    const Value lo = value(step.lo);
    const Value hi = value(step.index);
    if (!lo || !hi) return Flow::On;
    // Whether a turn of an unknown count is run is not sure.
    const bool is_endless = step.index.kind == Index::Kind::Count;
    const bool is_perhaps = perhaps_broke_ || perhaps_skipped_ || (is_endless && !has_barrier(step.body));
    if (is_perhaps) ++perhaps_;
    const unsigned outside = std::exchange(perhaps_outside_, perhaps_);
    const bool stays = is_uniform(step.index) && (has_barrier(step.body) || (!is_endless && !has_jump(step.body)));
    const bool outer = std::exchange(apart_, apart_ || !stays);
    const bool broke = std::exchange(perhaps_broke_, false);
    const bool skipped = std::exchange(perhaps_skipped_, false);
    for (std::uint64_t k = lo->number; k < hi->number; ++k) {
      // The first turn of a loop that waits is known to be the first.
      loops_[step.name] = Known{k, is_endless && (k != lo->number || !has_barrier(step.body))};
      perhaps_skipped_ = false;
      // Where the rest of the turn was perhaps skipped, the thread that is still there breaks: perhaps.
      if (steps(step.body) != Flow::Broke) continue;
      if (!perhaps_skipped_) break;
      perhaps_broke_ = true;
    }
    perhaps_broke_ = broke;
    perhaps_skipped_ = skipped;
    apart_ = outer;
    perhaps_outside_ = outside;
    if (is_perhaps) --perhaps_;
    return Flow::On;
  }

  static bool has_barrier(const std::vector<Step>& list) {
    return std::ranges::any_of(list, [](const Step& step) {
      return step.kind == Step::Kind::Barrier || has_barrier(step.body) || has_barrier(step.otherwise);
    });
  }

  static bool has_jump(const std::vector<Step>& list) {
    return std::ranges::any_of(list, [](const Step& step) {
      return step.kind == Step::Kind::Break || step.kind == Step::Kind::Continue || has_jump(step.body) ||
             has_jump(step.otherwise);
    });
  }

  static bool is_uniform(const Index& index) {
    return index.kind != Index::Kind::Column && index.kind != Index::Kind::Row && index.kind != Index::Kind::Name &&
           index.kind != Index::Kind::Data &&
           std::ranges::all_of(index.operands, [](const Index& each) { return is_uniform(each); });
  }
  static bool is_uniform(const Condition& condition) {
    return condition.kind != Condition::Kind::Data &&
           std::ranges::all_of(condition.operands, [](const Index& each) { return is_uniform(each); }) &&
           std::ranges::all_of(condition.parts, [](const Condition& each) { return is_uniform(each); });
  }
  void touch(const Step& step, std::uint64_t element, bool outside) {
    if (phases_.size() <= phase_) phases_.resize(phase_ + 1);
    auto& cells = phases_[phase_];
    const bool sure = perhaps_ == 0 && !perhaps_broke_ && !perhaps_skipped_;
    cells[{step.array, element}].push_back({thread_, step.line, step.kind, sure, outside, order_++});
  }

  /// A part lent: its elements, or one that cannot be told.
  void touch_part(const Step& step) {
    const Value lo = value(step.lo);
    const Value hi = value(step.index);
    if (!lo || !hi) return;
    if (lo->symbolic || hi->symbolic) return touch(step, kAny, false);
    for (std::uint64_t k = lo->number; k < hi->number && k < kernel_.lengths_[step.array]; ++k) touch(step, k, false);
  }

  static bool reads(const Access& access) { return access.kind == Step::Kind::Read || access.kind == Step::Kind::Look; }

  static bool clash(const Access& a, const Access& b) {
    return a.thread != b.thread && (!reads(a) || !reads(b)) &&
           !(a.kind == Step::Kind::Update && b.kind == Step::Kind::Update);
  }

  void compare() {
    std::set<std::pair<unsigned, std::uint64_t>> done;
    for (const auto& cells : phases_) {
      for (const auto& [cell, touches] : cells) {
        for (const auto& [other, theirs] : cells) {
          if (other.first != cell.first) continue;
          if (other.second != cell.second && other.second != kAny) continue;
          for (const Access& a : touches) {
            for (const Access& b : theirs) {
              if (!clash(a, b)) continue;
              std::uint8_t& known = seen_[(std::size_t{a.line} << 8 | b.line) & (seen_.size() - 1)];
              const std::uint8_t now = a.outside || b.outside ? 1 : 2;
              if (known >= now) continue;
              known = now;
              const bool mixed = a.kind == Step::Kind::Update || b.kind == Step::Kind::Update;
              const bool both = !mixed && !reads(a) && !reads(b);
              verdict_.is_real = verdict_.is_real || (!a.outside && !b.outside);
              verdict_.races.insert({a.line, both, mixed});
              verdict_.races.insert({b.line, both, mixed});
            }
          }
        }
        if (!kernel_.zeroed_[cell.first]) require_written(cell, touches, done);
      }
      for (const auto& [cell, touches] : cells) {
        for (const Access& each : touches) {
          if (each.kind == Step::Kind::Write && each.sure && cell.second != kAny) done.insert(cell);
        }
      }
    }
  }

  void require_written(const std::pair<unsigned, std::uint64_t>& cell, const std::vector<Access>& touches,
                       const std::set<std::pair<unsigned, std::uint64_t>>& done) {
    for (const Access& each : touches) {
      if (each.kind == Step::Kind::Write) continue;
      bool written = done.contains(cell);
      if (cell.second == kAny) {
        written = true;
        for (std::uint64_t k = 0; k < kernel_.lengths_[cell.first]; ++k) {
          written = written && done.contains({cell.first, k});
        }
      }
      for (const Access& own : touches) {
        written = written || (own.thread == each.thread && own.kind == Step::Kind::Write && own.sure &&
                              own.order < each.order && cell.second != kAny);
      }
      if (written) continue;
      verdict_.unwritten.insert(each.line);
      verdict_.is_real = verdict_.is_real || !each.outside;
    }
  }

  const PhaseKernel& kernel_;
  Choice& choice_;
  PhaseKernel::Verdict& verdict_;
  unsigned thread_ = 0;
  std::size_t phase_ = 0;
  std::size_t met_ = 0;
  std::size_t most_met_ = 0;
  std::uint64_t order_ = 0;
  unsigned perhaps_ = 0;          // conditions around that may or may not hold
  unsigned perhaps_outside_ = 0;  // of those, around the innermost loop
  bool perhaps_broke_ = false;    // the innermost loop may have been left
  bool perhaps_skipped_ = false;  // the rest of this turn of it may be left out
  bool apart_ = false;            // threads may have parted
  std::map<std::uint64_t, Value> values_;
  std::map<std::uint64_t, Value> loops_;
  std::vector<std::map<std::pair<unsigned, std::uint64_t>, std::vector<Access>>> phases_;
  std::vector<std::uint8_t> seen_ = std::vector<std::uint8_t>(1U << 16);  // pairs of lines compared: 2 for a real race
};

PhaseKernel::Verdict PhaseKernel::brute_force() const {
  Verdict verdict;
  constexpr std::size_t kMostTried = 6;  // choices of which every way is tried
  constexpr std::size_t kChoices = 40;
  constexpr std::size_t kSamples = 48;
  std::mt19937_64 random(text_.size());
  for (const std::uint64_t block : {0U, 1U, 5U}) {
    for (const std::uint64_t parameter : {0U, 1U, 2U, 4U}) {
      if (!has_symbols_ && block + parameter != 0) continue;
      std::size_t met = 0;
      const auto runs = [&] { return met > kMostTried ? kSamples : std::size_t{1} << met; };
      for (std::size_t run = 0; run < runs(); ++run) {
        BlockRun::Choice choice{block, parameter, {}};
        const std::uint64_t bits = met > kMostTried ? random() : run;
        for (std::size_t k = 0; k < kChoices; ++k) choice.ways.push_back((bits >> k & 1) != 0);
        BlockRun each(*this, choice, verdict);
        each.run();
        met = std::max(met, each.most_met());
      }
      verdict.is_sampled = verdict.is_sampled || met > kMostTried;
    }
  }
  return verdict;
}

}  // namespace cairn::tests
