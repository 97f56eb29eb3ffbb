// Making a random kernel, and its text.
#include "tests/check/phase_kernels.hpp"

#include <algorithm>

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
    kernel_.merges_ways_ = most_open(kernel_.steps_) > kMostOpen;
    write();
  }

 private:
  /// More alternatives than these are judged as one (devices, 12.4).
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
      } else if (step.kind == Step::Kind::For && step.index.kind == Index::Kind::Count) {
        open += open * inside + inside * inside;  // no turn, the first, any later two (devices, 12.5)
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
        // What was surely written is what both ways had judged (devices, 13): a barrier in one alone forgets.
        if (stays && mix_.unzeroed && branch.condition.kind == Condition::Kind::Symbol) kernel_.has_limits_ = true;
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

}  // namespace cairn::tests
