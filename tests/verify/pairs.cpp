#include "tests/verify/pairs.hpp"

#include <array>
#include <functional>
#include <memory>
#include <random>
#include <utility>

namespace cairn::test {

namespace {

enum class Op : std::uint8_t {
  Parameter,
  Constant,
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  AddWrap,
  SubWrap,
  MulWrap,
  And,
  Or,
  Xor,
  Shr,
  Shl,
  Min,
  Max,
  IfLess,
  IfAtMost,  // of four: what is compared, then, else
};

struct Node {
  Op op{};
  std::uint64_t value = 0;  // Constant; Parameter: which
  std::vector<std::shared_ptr<Node>> of;
};
using Tree = std::shared_ptr<Node>;

Tree make(Op op, std::vector<Tree> of, std::uint64_t value = 0) {
  return std::make_shared<Node>(Node{op, value, std::move(of)});
}
Tree number(std::uint64_t value) { return make(Op::Constant, {}, value); }

Tree copy(const Tree& tree) {
  std::vector<Tree> of;
  for (const Tree& each : tree->of) of.push_back(copy(each));
  return make(tree->op, std::move(of), tree->value);
}

struct Maker {
  std::mt19937_64 random;
  unsigned width = 8;
  bool is_signed = false;

  std::uint64_t below(std::uint64_t bound) { return random() % bound; }

  [[nodiscard]] std::string type() const { return (is_signed ? "i" : "u") + std::to_string(width); }

  Tree leaf() { return below(4) == 0 ? number(1 + below(is_signed ? 100 : 120)) : make(Op::Parameter, {}, below(2)); }

  Tree tree(int depth) {
    if (depth == 0) return leaf();
    const auto inner = [&] { return tree(depth - 1); };
    const std::uint64_t kind = below(is_signed ? 8 : 15);
    switch (kind) {
      case 0:
        return make(Op::Add, {inner(), inner()});
      case 1:
        return make(Op::Sub, {inner(), inner()});
      case 2:
        return make(Op::Mul, {inner(), number(std::uint64_t{2} << below(3))});
      case 3:
        return make(Op::Div, {inner(), number(std::uint64_t{2} << below(4))});
      case 4:
        return make(Op::Min, {inner(), inner()});
      case 5:
        return make(Op::Max, {inner(), inner()});
      case 6:
        return make(Op::IfLess, {leaf(), leaf(), inner(), inner()});
      case 7:
        return make(Op::Rem, {inner(), number(std::uint64_t{2} << below(4))});
      case 8:
        return make(Op::AddWrap, {inner(), inner()});
      case 9:
        return make(Op::SubWrap, {inner(), inner()});
      case 10:
        return make(Op::MulWrap, {inner(), number(std::uint64_t{2} << below(4))});
      case 11:
        return make(Op::And, {inner(), inner()});
      case 12:
        return make(Op::Or, {inner(), inner()});
      case 13:
        return make(Op::Xor, {inner(), inner()});
      default:
        return make(Op::Shr, {inner(), number(1 + below(width - 1))});
    }
  }
};

void collect(const Tree& tree, std::vector<Tree>& all) {
  all.push_back(tree);
  for (const Tree& each : tree->of) collect(each, all);
}

bool is_power(const Tree& tree) {
  return tree->op == Op::Constant && tree->value != 0 && (tree->value & (tree->value - 1)) == 0;
}
std::uint64_t log_of(std::uint64_t value) {
  std::uint64_t log = 0;
  while (value >> (log + 1) != 0) ++log;
  return log;
}

struct Rule {
  const char* name;
  bool equal;
  std::function<bool(const Maker&, Node&)> apply;  // false when it does not fit the node
};

const std::vector<Rule>& rules() {
  static const std::vector<Rule> kRules = {
      {"a + b is b + a", true,
       [](const Maker&, Node& n) {
         if (n.op != Op::Add && n.op != Op::AddWrap && n.op != Op::And && n.op != Op::Or) return false;
         std::swap(n.of[0], n.of[1]);
         return true;
       }},
      {"x * 2 is x + x", true,
       [](const Maker&, Node& n) {
         if (n.op != Op::Mul || n.of[1]->value != 2) return false;
         n = *make(Op::Add, {n.of[0], copy(n.of[0])});
         return true;
       }},
      {"x * 4 is x * 2 * 2", true,
       [](const Maker&, Node& n) {
         if (n.op != Op::Mul || n.of[1]->value < 4) return false;
         n = *make(Op::Mul, {make(Op::Mul, {n.of[0], number(2)}), number(n.of[1]->value / 2)});
         return true;
       }},
      {"division by a power of two is a shift", true,
       [](const Maker& m, Node& n) {
         if (n.op != Op::Div || m.is_signed || !is_power(n.of[1])) return false;
         n = *make(Op::Shr, {n.of[0], number(log_of(n.of[1]->value))});
         return true;
       }},
      {"remainder of a power of two is a mask", true,
       [](const Maker& m, Node& n) {
         if (n.op != Op::Rem || m.is_signed || !is_power(n.of[1])) return false;
         n = *make(Op::And, {n.of[0], number(n.of[1]->value - 1)});
         return true;
       }},
      {"wrapping product is a shift", true,
       [](const Maker& m, Node& n) {
         if (n.op != Op::MulWrap || !is_power(n.of[1]) || log_of(n.of[1]->value) >= m.width) return false;
         n = *make(Op::Shl, {n.of[0], number(log_of(n.of[1]->value))});
         return true;
       }},
      {"min is a choice", true,
       [](const Maker&, Node& n) {
         if (n.op != Op::Min) return false;
         n = *make(Op::IfLess, {n.of[0], n.of[1], copy(n.of[0]), copy(n.of[1])});
         return true;
       }},
      {"max is a choice", true,
       [](const Maker&, Node& n) {
         if (n.op != Op::Max) return false;
         n = *make(Op::IfAtMost, {n.of[0], n.of[1], copy(n.of[1]), copy(n.of[0])});
         return true;
       }},
      {"a choice turned round", true,
       [](const Maker&, Node& n) {
         if (n.op != Op::IfLess && n.op != Op::IfAtMost) return false;
         n = *make(n.op == Op::IfLess ? Op::IfAtMost : Op::IfLess, {n.of[1], n.of[0], n.of[3], n.of[2]});
         return true;
       }},
      {"unsigned sums associate", true,
       [](const Maker& m, Node& n) {
         if (n.op != Op::Add || m.is_signed || n.of[0]->op != Op::Add) return false;
         n = *make(Op::Add, {n.of[0]->of[0], make(Op::Add, {n.of[0]->of[1], n.of[1]})});
         return true;
       }},
      {"a + b wrapping is a - (0 - b)", true,
       [](const Maker&, Node& n) {
         if (n.op != Op::AddWrap) return false;
         n = *make(Op::SubWrap, {n.of[0], make(Op::SubWrap, {number(0), n.of[1]})});
         return true;
       }},
      {"and by or and exclusive or", true,
       [](const Maker&, Node& n) {
         if (n.op != Op::And) return false;
         n = *make(Op::Xor, {make(Op::Or, {n.of[0], n.of[1]}), make(Op::Xor, {copy(n.of[0]), copy(n.of[1])})});
         return true;
       }},
      {"or as a sum of parts", true,
       [](const Maker&, Node& n) {
         if (n.op != Op::Or) return false;
         n = *make(Op::AddWrap, {make(Op::Xor, {n.of[0], n.of[1]}), make(Op::And, {copy(n.of[0]), copy(n.of[1])})});
         return true;
       }},
      // ------------------------------------------------------------------------------------------ and what is not
      // equal
      {"off by one", false,
       [](const Maker&, Node& n) {
         if (n.op != Op::Constant || n.value == 0) return false;
         ++n.value;
         return true;
       }},
      {"less for at most", false,
       [](const Maker&, Node& n) {
         if (n.op != Op::IfLess) return false;
         n.op = Op::IfAtMost;
         return true;
       }},
      {"an overflow that wraps", false,
       [](const Maker& m, Node& n) {
         if (m.is_signed || (n.op != Op::Add && n.op != Op::Sub && n.op != Op::Mul)) return false;
         n.op = n.op == Op::Add ? Op::AddWrap : n.op == Op::Sub ? Op::SubWrap : Op::MulWrap;
         return true;
       }},
      {"least for greatest", false,
       [](const Maker&, Node& n) {
         if (n.op != Op::Min && n.op != Op::Max) return false;
         n.op = n.op == Op::Min ? Op::Max : Op::Min;
         return true;
       }},
      {"operands of a difference swapped", false,
       [](const Maker&, Node& n) {
         if (n.op != Op::Sub && n.op != Op::SubWrap) return false;
         std::swap(n.of[0], n.of[1]);
         return true;
       }},
      {"branches swapped", false,
       [](const Maker&, Node& n) {
         if (n.op != Op::IfLess) return false;
         std::swap(n.of[2], n.of[3]);
         return true;
       }},
      {"signed sums do not associate", false,
       [](const Maker& m, Node& n) {
         if (n.op != Op::Add || !m.is_signed || n.of[0]->op != Op::Add) return false;
         n = *make(Op::Add, {n.of[0]->of[0], make(Op::Add, {n.of[0]->of[1], n.of[1]})});
         return true;
       }},
      {"compared as signed", false,
       [](const Maker& m, Node& n) {
         if (m.is_signed || (n.op != Op::IfLess && n.op != Op::Min && n.op != Op::Max)) return false;
         const std::uint64_t sign = std::uint64_t{1} << (m.width - 1);
         const auto flipped = [&](const Tree& tree) { return make(Op::Xor, {copy(tree), number(sign)}); };
         if (n.op == Op::IfLess) {
           n = *make(Op::IfLess, {flipped(n.of[0]), flipped(n.of[1]), n.of[2], n.of[3]});
         } else {
           const bool least = n.op == Op::Min;
           n = *make(Op::IfLess,
                     {flipped(n.of[0]), flipped(n.of[1]), least ? n.of[0] : n.of[1], least ? n.of[1] : n.of[0]});
         }
         return true;
       }},
      {"or for exclusive or", false,
       [](const Maker&, Node& n) {
         if (n.op != Op::Or && n.op != Op::Xor) return false;
         n.op = n.op == Op::Or ? Op::Xor : Op::Or;
         return true;
       }},
      {"a remainder for a mask", false,
       [](const Maker&, Node& n) {
         if (n.op != Op::Rem) return false;
         ++n.of[1]->value;
         return true;
       }},
  };
  return kRules;
}

/// Writes a tree as statements; gives the expression of its value.
struct Printer {
  const Maker& maker;
  std::string lines;
  int temporaries = 0;
  std::string indent = "  ";

  std::string text(const Tree& tree) {
    const auto of = [&](std::size_t k) { return text(tree->of[k]); };
    const auto infix = [&](const char* op) {
      const std::string left = of(0);
      return "(" + left + " " + op + " " + of(1) + ")";
    };
    const auto call = [&](const char* name) {
      const std::string first = of(0);
      return std::string(name) + "(" + first + ", " + of(1) + ")";
    };
    switch (tree->op) {
      case Op::Parameter:
        return tree->value == 0 ? "a" : "b";
      case Op::Constant:  // typed, since two literals have no type of their own
        return maker.type() + "(" + std::to_string(tree->value) + ")";
      case Op::Add:
        return infix("+");
      case Op::Sub:
        return infix("-");
      case Op::Mul:
        return infix("*");
      case Op::Div:
        return infix("/");
      case Op::Rem:
        return infix("%");
      case Op::AddWrap:
        return call("add_wrap");
      case Op::SubWrap:
        return call("sub_wrap");
      case Op::MulWrap:
        return call("mul_wrap");
      case Op::And:
        return infix("&");
      case Op::Or:
        return infix("|");
      case Op::Xor:
        return infix("^");
      case Op::Shr:
        return "shr(" + of(0) + ", " + std::to_string(tree->of[1]->value) + ")";
      case Op::Shl:
        return "shl_wrap(" + of(0) + ", " + std::to_string(tree->of[1]->value) + ")";
      case Op::Min:
        return call("min");
      case Op::Max:
        return call("max");
      default: {
        const std::string name = "t" + std::to_string(temporaries++);
        const std::string left = of(0);
        const std::string right = of(1);
        const std::string was = indent;
        lines += was + "let mut " + name + ":" + maker.type() + " = 0;\n";
        lines += was + "if " + left + (tree->op == Op::IfLess ? " < " : " <= ") + right + " {\n";
        indent += "  ";
        lines += indent + name + " = " + of(2) + ";\n";
        lines += was + "} else {\n";
        lines += indent + name + " = " + of(3) + ";\n";
        lines += was + "}\n";
        indent = was;
        return name;
      }
    }
  }
};

std::string program(const Maker& maker, const Tree& tree) {
  Printer printer{maker, {}};
  // Literals alone have no type of their own: the result's is given.
  const std::string value = printer.text(tree);
  return "fn f(a:" + maker.type() + ", b:" + maker.type() + ") -> " + maker.type() + " {\n" + printer.lines +
         "  let r:" + maker.type() + " = " + value + ";\n  return r;\n}\n";
}

/// Loops over a view: each with a form that does the same and one that does not. T stands for the element type.
struct LoopForms {
  const char* rule;
  const char* before;
  const char* equal;
  const char* different;
};
constexpr std::array<LoopForms, 7> kLoops = {{
    {"a loop that counts down", "  let mut t:T = 0;\n  for i in 0..n { t = max(t, xs[i]); }\n  return t;\n",
     "  let mut t:T = 0;\n  let mut i:usize = n;\n  while i > 0 { i = i - 1; t = max(xs[i], t); }\n  return t;\n",
     "  let mut t:T = 0;\n  let mut i:usize = n;\n  while i > 1 { i = i - 1; t = max(xs[i], t); }\n  return t;\n"},
    {"an early return", "  for i in 0..n { if xs[i] == a { return T(1); } }\n  return 0;\n",
     "  let mut found:T = 0;\n  for i in 0..n { if xs[i] == a { found = 1; } }\n  return found;\n",
     "  let mut found:T = 0;\n  for i in 0..n { if xs[i] <= a { found = 1; } }\n  return found;\n"},
    {"a written view", "  for i in 0..n { if xs[i] > a { xs[i] = a; } }\n  return a;\n",
     "  for i in 0..n { xs[i] = min(xs[i], a); }\n  return a;\n",
     "  for i in 0..n { xs[i] = max(xs[i], a); }\n  return a;\n"},
    {"a hoisted guard", "  let mut t:T = 0;\n  for i in 0..n { t = t | (xs[i] & a); }\n  return t;\n",
     "  let mut t:T = 0;\n  for i in 0..n { t = t | xs[i]; }\n  return t & a;\n",
     "  let mut t:T = 0;\n  for i in 0..n { t = t ^ xs[i]; }\n  return t & a;\n"},
    {"swapped ends", "  if n > 1 { let t = xs[0]; xs[0] = xs[n - 1]; xs[n - 1] = t; }\n  return a;\n",
     "  if n > 1 { let t = xs[n - 1]; xs[n - 1] = xs[0]; xs[0] = t; }\n  return a;\n",
     "  if n > 2 { let t = xs[n - 1]; xs[n - 1] = xs[0]; xs[0] = t; }\n  return a;\n"},
    {"a bound that is off by one",
     "  let mut t:T = 0;\n  for i in 0..n { if i + 1 < n { t = add_wrap(t, xs[i]); } }\n  return t;\n",
     "  let mut t:T = 0;\n  if n > 0 { for i in 0..n - 1 { t = add_wrap(xs[i], t); } }\n  return t;\n",
     "  let mut t:T = 0;\n  for i in 0..n { t = add_wrap(xs[i], t); }\n  return t;\n"},
    {"a running value kept in the view", "  for i in 1..n { xs[i] = add_wrap(xs[i], xs[i - 1]); }\n  return a;\n",
     "  let mut t:T = 0;\n  for i in 0..n { t = add_wrap(t, xs[i]); xs[i] = t; }\n  return a;\n",
     "  let mut t:T = 0;\n  for i in 0..n { xs[i] = t; t = add_wrap(t, xs[i]); }\n  return a;\n"},
}};

std::string loop_program(const Maker& maker, std::string body) {
  const std::string type = maker.type();
  for (std::size_t at = body.find('T'); at != std::string::npos; at = body.find('T', at + type.size())) {
    body.replace(at, 1, type);
  }
  return "fn f(n:usize, xs:rw<" + type + ">[n], a:" + type + ") -> " + type + " {\n" + body + "}\n";
}

}  // namespace

std::vector<Pair> make_pairs(std::uint64_t seed, std::size_t count, bool equal) {
  Maker maker;
  maker.random.seed(seed * 2 + (equal ? 1 : 0));
  constexpr std::array<unsigned, 4> kWidths = {8, 16, 32, 64};
  std::vector<Pair> pairs;
  while (pairs.size() < count) {
    maker.width = kWidths[maker.below(kWidths.size())];
    maker.is_signed = maker.below(3) == 0;
    if (maker.below(6) == 0) {
      maker.is_signed = false;
      const LoopForms& forms = kLoops[maker.below(kLoops.size())];
      pairs.push_back({loop_program(maker, forms.before), loop_program(maker, equal ? forms.equal : forms.different),
                       forms.rule, equal, maker.width, false, true});
      continue;
    }
    const Tree before = maker.tree(2 + static_cast<int>(maker.below(2)));
    const Tree after = copy(before);
    std::string applied;
    const std::size_t wanted = equal ? 1 + maker.below(3) : 1;
    for (std::size_t tries = 0, done = 0; tries < 60 && done < wanted; ++tries) {
      std::vector<Tree> nodes;
      collect(after, nodes);
      const Rule& rule = rules()[maker.below(rules().size())];
      if (rule.equal != equal || !rule.apply(maker, *nodes[maker.below(nodes.size())])) continue;
      applied += (applied.empty() ? "" : "; ") + std::string(rule.name);
      ++done;
    }
    if (applied.empty()) continue;
    pairs.push_back(
        {program(maker, before), program(maker, after), applied, equal, maker.width, maker.is_signed, false});
  }
  return pairs;
}

}  // namespace cairn::test
