#include "tests/check/phase_kernels.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

namespace cairn::tests {

// ------------------------------------------------------------------------------------------------------------- making

class KernelMaker {
 public:
  using Index = PhaseKernel::Index;
  using Condition = PhaseKernel::Condition;
  using Step = PhaseKernel::Step;

  KernelMaker(PhaseKernel& kernel, std::uint64_t seed, KernelMix mix) : kernel_(kernel), random_(seed), mix_(mix) {}

  void make() {
    kernel_.columns_ = pick({32U, 32U, 8U, 4U});
    kernel_.arrays_ = 1 + below(2);
    for (unsigned k = 0; k < kernel_.arrays_; ++k) {
      kernel_.lengths_.push_back(pick({16U, 32U, 33U, 64U}));
      kernel_.zeroed_.push_back(!mix_.unzeroed || below(3) == 0);
    }
    kernel_.steps_ = steps(2 + below(6), 0, true, false);
    if (most_open(kernel_.steps_) > kMostOpen) kernel_.has_limits_ = true;
    write();
  }

 private:
  /// More alternatives than these are judged as one: more pairs, never fewer (devices, 12.5).
  static constexpr std::uint64_t kMostOpen = 16;

  /// Into how many alternatives the whole block's unknown conditions may part one, barriers left aside.
  static std::uint64_t most_open(const std::vector<Step>& steps) {
    std::uint64_t open = 1;
    for (const Step& step : steps) {
      const std::uint64_t inside = most_open(step.body);
      if (step.kind == Step::Kind::If) {
        const bool is_unknown = step.condition.kind == Condition::Kind::Symbol;
        const std::uint64_t other = most_open(step.otherwise);
        open *= is_unknown ? inside + other : std::max(inside, other);
      } else if (step.kind == Step::Kind::For) {
        for (std::uint64_t turn = step.lo.value; turn < step.index.value; ++turn) open *= inside;
      }
      open = std::min(open, kMostOpen + 1);
    }
    return open;
  }

  unsigned below(unsigned limit) { return std::uniform_int_distribution<unsigned>(0, limit - 1)(random_); }
  unsigned pick(std::initializer_list<unsigned> of) { return of.begin()[below(static_cast<unsigned>(of.size()))]; }

  static Index constant(std::uint64_t value) {
    Index made;
    made.value = value;
    return made;
  }
  static Index leaf(Index::Kind kind, std::uint64_t value = 0) {
    Index made;
    made.kind = kind;
    made.value = value;
    return made;
  }
  static Index binary(char op, Index left, Index right) {
    Index made;
    made.kind = Index::Kind::Binary;
    made.op = op;
    made.operands = {std::move(left), std::move(right)};
    return made;
  }

  Index thread() {
    if (kernel_.columns_ == PhaseKernel::kThreads) return leaf(Index::Kind::Column);
    switch (below(3)) {
      case 0:
        return leaf(Index::Kind::Column);
      case 1:
        return leaf(Index::Kind::Row);
      default:
        return binary('+', binary('*', leaf(Index::Kind::Row), constant(kernel_.columns_)), leaf(Index::Kind::Column));
    }
  }

  /// What every thread of a block has alike, and knows.
  Index uniform() {
    if (!loop_names_.empty() && below(2) == 0) {
      return leaf(Index::Kind::Loop, loop_names_[below(static_cast<unsigned>(loop_names_.size()))]);
    }
    return constant(pick({0U, 1U, 2U, 3U, 7U, 16U, 31U}));
  }

  Index index(unsigned depth) {
    if (mix_.symbols && below(5) == 0) {
      kernel_.has_limits_ = kernel_.has_symbols_ = true;
      return binary('+', leaf(below(2) == 0 ? Index::Kind::Block : Index::Kind::Parameter), index(depth + 1));
    }
    if (mix_.unknown && depth == 0 && below(14) == 0) {
      kernel_.has_limits_ = true;
      return leaf(Index::Kind::Data);
    }
    switch (below(depth > 2 ? 3 : 10)) {
      case 0:
        return uniform();
      case 1:
        return thread();
      case 2:
        if (!names_.empty()) return leaf(Index::Kind::Name, names_[below(static_cast<unsigned>(names_.size()))]);
        return thread();
      case 3:
        return binary('-', constant(31), thread());
      case 4:
        return binary('%', binary('+', thread(), uniform()), constant(pick({31U, 32U, 16U, 8U})));
      case 5:
        return binary('/', thread(), constant(pick({2U, 4U, 32U})));
      case 6:
        return binary('^', thread(), constant(pick({1U, 2U, 16U})));
      case 7:
        return binary('*', index(depth + 1), constant(pick({1U, 2U})));
      case 8:
        return binary(below(2) == 0 ? 'm' : 'M', index(depth + 1), uniform());
      default:
        return binary('+', index(depth + 1), uniform());
    }
  }

  Condition compare(Index left, Index right) {
    Condition made;
    constexpr const char* kOps[] = {"==", "!=", "<", "<=", ">", ">="};
    made.op = kOps[below(6)];
    made.operands = {std::move(left), std::move(right)};
    return made;
  }

  Condition condition(bool together) {
    if (mix_.unknown && (below(3) == 0 || (together && loop_names_.empty()))) {
      Condition made;
      made.kind = together || (apart_ == 0 && below(2) == 0) ? Condition::Kind::Symbol : Condition::Kind::Data;
      return made;
    }
    if (together) {
      const unsigned which = loop_names_[below(static_cast<unsigned>(loop_names_.size()))];
      return compare(leaf(Index::Kind::Loop, which), constant(pick({0U, 1U, 2U})));
    }
    if (below(6) == 0) {
      Condition made;
      made.kind = below(2) == 0 ? Condition::Kind::And : Condition::Kind::Or;
      made.parts = {condition(false), condition(false)};
      return made;
    }
    return compare(thread(), below(3) == 0 ? index(2) : constant(pick({0U, 1U, 15U, 16U, 31U})));
  }

  Step access() {
    Step made;
    const unsigned kind = below(24);
    made.kind = kind < 9    ? Step::Kind::Write
                : kind < 18 ? Step::Kind::Read
                : kind < 20 ? Step::Kind::Update
                : kind < 22 ? Step::Kind::Look
                            : Step::Kind::Poke;
    made.array = below(kernel_.arrays_);
    made.index = index(0);
    if (!is_part(made)) return made;
    made.lo = made.index;
    made.index = binary('+', made.index, constant(pick({0U, 1U, 2U, 4U})));
    return made;
  }

  /// `together`: the whole block runs these steps, so they may wait. `loops`: they stand in a loop that does not wait.
  std::vector<Step> steps(unsigned count, unsigned depth, bool together, bool jumps) {
    const std::size_t names = names_.size();
    std::vector<Step> made;
    for (unsigned k = 0; k < count; ++k) {
      const unsigned choice = below(depth >= 3 ? 12 : 20);
      if (choice < 6) {
        made.push_back(access());
      } else if (choice < 10) {
        if (!together) continue;
        made.emplace_back();
        made.back().kind = Step::Kind::Barrier;
      } else if (choice < 12) {
        made.push_back(let());
      } else if (choice < 16) {
        const bool stays = together && below(3) == 0 && (mix_.unknown || !loop_names_.empty());
        Step branch;
        branch.kind = Step::Kind::If;
        branch.condition = condition(stays);
        const bool parts = !stays && branch.condition.kind != Condition::Kind::Symbol;
        if (parts) ++apart_;
        branch.body = steps(1 + below(2), depth + 1, stays, jumps);
        if (below(2) == 0) branch.otherwise = steps(1 + below(2), depth + 1, stays, jumps);
        if (parts) --apart_;
        if (!branch.body.empty()) made.push_back(std::move(branch));
      } else if (choice < 19) {
        Step loop = this->loop(depth, together);
        if (!loop.body.empty()) made.push_back(std::move(loop));
      } else if (jumps && k + 1 < count) {
        Step branch;
        branch.kind = Step::Kind::If;
        branch.condition = condition(false);
        branch.body.emplace_back();
        branch.body.back().kind = below(2) == 0 ? Step::Kind::Break : Step::Kind::Continue;
        made.push_back(std::move(branch));
      }
    }
    names_.resize(names);
    return made;
  }

  Step let() {
    Step made;
    made.kind = Step::Kind::Let;
    made.index = index(1);
    made.name = kernel_.names_++;
    names_.push_back(made.name);
    return made;
  }

  Step loop(unsigned depth, bool together) {
    Step made;
    made.kind = Step::Kind::For;
    made.lo = constant(below(2));
    made.index = constant(1 + below(4));
    const bool waits = together && below(2) == 0;
    if (mix_.endless && together && below(2) == 0) {
      kernel_.has_limits_ = kernel_.has_symbols_ = true;
      made.lo = constant(0);
      made.index = leaf(Index::Kind::Count, kernel_.loops_);
    } else if (!waits && below(3) == 0) {
      made.index = binary('%', thread(), constant(4));
    }
    made.name = kernel_.loops_++;
    loop_names_.push_back(made.name);
    if (!waits) ++apart_;
    made.body = steps(1 + below(3), depth + 1, waits, !waits);
    if (!waits) --apart_;
    loop_names_.pop_back();
    return made;
  }

  // ------------------------------------------------------------------------------------------------------------ text

  void line(unsigned indent, const std::string& text) {
    kernel_.text_ += std::string(2 * std::size_t{indent}, ' ') + text + "\n";
    ++line_;
  }

  std::string text(const Index& index) {
    switch (index.kind) {
      case Index::Kind::Constant:
        return std::to_string(index.value);
      case Index::Kind::Column:
        return "t";
      case Index::Kind::Row:
        return "r";
      case Index::Kind::Loop:
        return "k" + std::to_string(index.value);
      case Index::Kind::Name:
        return "v" + std::to_string(index.value);
      case Index::Kind::Block:
        return "b";
      case Index::Kind::Parameter:
        return "n";
      case Index::Kind::Count:
        return "c" + std::to_string(index.value);
      case Index::Kind::Data:
        return "usize(x[t])";
      case Index::Kind::Binary:
        break;
    }
    const std::string left = text(index.operands[0]);
    const std::string right = text(index.operands[1]);
    if (index.op == 'm') return "min(" + left + ", " + right + ")";
    if (index.op == 'M') return "max(" + left + ", " + right + ")";
    return "(" + left + " " + index.op + " " + right + ")";
  }

  std::string text(const Condition& condition) {
    switch (condition.kind) {
      case Condition::Kind::Symbol:
        return "n % 3 == b % 2";
      case Condition::Kind::Data:
        return "x[t] == 1";
      case Condition::Kind::And:
        return "(" + text(condition.parts[0]) + " && " + text(condition.parts[1]) + ")";
      case Condition::Kind::Or:
        return "(" + text(condition.parts[0]) + " || " + text(condition.parts[1]) + ")";
      case Condition::Kind::Compare:
        break;
    }
    return text(condition.operands[0]) + " " + condition.op + " " + text(condition.operands[1]);
  }

  void write(std::vector<Step>& steps, unsigned indent) {
    for (Step& step : steps) {
      step.line = line_ + (is_part(step) ? 2 : 0);
      const std::string place = "s" + std::to_string(step.array) + "[" + text(step.index) + "]";
      switch (step.kind) {
        case Step::Kind::Write:
          line(indent, place + " = 1;");
          break;
        case Step::Kind::Read:
          line(indent, "let a" + std::to_string(reads_++) + " = " + place + ";");
          break;
        case Step::Kind::Look:
        case Step::Kind::Poke: {
          const std::string number = std::to_string(reads_++);
          line(indent, "let p" + number + ":usize = " + text(step.lo) + ";");
          line(indent, "let q" + number + ":usize = " + text(step.index) + ";");
          line(indent, std::string(step.kind == Step::Kind::Look ? "look" : "poke") + "(s" +
                           std::to_string(step.array) + "[p" + number + "..q" + number + "]);");
          break;
        }
        case Step::Kind::Update:
          line(indent, "atomic_add_wrap(" + place + ", 1);");
          break;
        case Step::Kind::Barrier:
          line(indent, "barrier;");
          break;
        case Step::Kind::Let:
          line(indent, "let v" + std::to_string(step.name) + ":usize = " + text(step.index) + ";");
          break;
        case Step::Kind::Break:
          line(indent, "break;");
          break;
        case Step::Kind::Continue:
          line(indent, "continue;");
          break;
        case Step::Kind::For:
          line(indent, "for k" + std::to_string(step.name) + " in " + text(step.lo) + ".." + text(step.index) + " {");
          write(step.body, indent + 1);
          line(indent, "}");
          break;
        case Step::Kind::If:
          line(indent, "if " + text(step.condition) + " {");
          write(step.body, indent + 1);
          if (!step.otherwise.empty()) {
            line(indent, "} else {");
            write(step.otherwise, indent + 1);
          }
          line(indent, "}");
          break;
      }
    }
  }

  void write() {
    line(0, "fn look(n:usize, v:ro<u32>[n]) { }");
    line(0, "fn poke(n:usize, v:rw<u32>[n]) { }");
    std::string counts;
    for (unsigned k = 0; k < kernel_.loops_; ++k) counts += ", c" + std::to_string(k) + ":usize";
    line(0, "fn f(n:usize, m:usize, x:ro<u32>[m], g:usize" + counts + ") {");
    const bool flat = kernel_.columns_ == PhaseKernel::kThreads;
    line(1, flat ? "blocks b in g threads t in 32 {"
                 : "blocks b in g threads t, r in " + std::to_string(kernel_.columns_) + ", " +
                       std::to_string(PhaseKernel::kThreads / kernel_.columns_) + " {");
    for (unsigned k = 0; k < kernel_.arrays_; ++k) {
      line(2, "shared s" + std::to_string(k) + ":u32[" + std::to_string(kernel_.lengths_[k]) + "]" +
                  (kernel_.zeroed_[k] ? " = zeroed;" : ";"));
    }
    write(kernel_.steps_, 2);
    line(1, "}");
    line(0, "}");
  }

  static bool is_part(const Step& step) { return step.kind == Step::Kind::Look || step.kind == Step::Kind::Poke; }

  PhaseKernel& kernel_;
  std::mt19937_64 random_;
  KernelMix mix_;
  std::vector<unsigned> names_;
  std::vector<unsigned> loop_names_;
  unsigned apart_ = 0;  // branches and loops around in which threads may part
  unsigned line_ = 1;
  unsigned reads_ = 0;
};

PhaseKernel::PhaseKernel(std::uint64_t seed, KernelMix mix) { KernelMaker(*this, seed, mix).make(); }

// -------------------------------------------------------------------------------------------------------- brute force

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
    const bool outer = std::exchange(apart_, apart_ || !is_uniform(step.index) || !has_barrier(step.body));
    const bool broke = std::exchange(perhaps_broke_, false);
    const bool skipped = std::exchange(perhaps_skipped_, false);
    for (std::uint64_t k = lo->number; k < hi->number; ++k) {
      loops_[step.name] = Known{k, is_endless};
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
