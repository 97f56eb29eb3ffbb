// What is known of a kernel's values, and where the threads of a group may go different ways.
#include <algorithm>

#include "jit/phases/graph.hpp"

namespace cairn::jit::phases {
namespace {

using bytecode::a_of;
using bytecode::m_of;
using bytecode::n_of;

constexpr std::uint64_t kMostStride = 1 << 20;

/// An operand's part of a Value.
struct Fact {
  Class kind = Class::Unknown;
  std::uint64_t number = 0;
  bool aligned = false;
  std::uint64_t low = 0, high = ~std::uint64_t{0};
  [[nodiscard]] bool is_uniform() const { return kind == Class::Constant || kind == Class::Uniform; }
};

Fact constant(std::uint64_t number) { return {Class::Constant, number, false, number, number}; }
Fact plain(Class kind) { return {kind}; }

Fact join(const Fact& x, const Fact& y) {
  if (x.kind == Class::Unknown) return y;
  if (y.kind == Class::Unknown) return x;
  if (x.is_uniform() && y.is_uniform()) {
    return x.kind == Class::Constant && y.kind == Class::Constant && x.number == y.number ? x : plain(Class::Uniform);
  }
  if (x.kind == y.kind && x.number == y.number && (x.kind == Class::Linear || x.kind == Class::Frame)) {
    Fact both = x;
    both.aligned = x.aligned && y.aligned;
    return both;
  }
  return plain(Class::Varying);
}

class Classifier {
 public:
  explicit Classifier(Graph& graph) : graph_(graph), forced_(graph.nodes.size()) {}

  bool run() {
    find_postdominators();
    for (bool changed = true; changed;) {
      changed = false;
      for (NodeId k = 0; k < graph_.nodes.size(); ++k) {
        for (const ValueId phi : graph_.nodes[k].phis) changed |= improve(phi, of_phi(k, phi));
        for (const Instruction& each : graph_.nodes[k].code) {
          if (makes(each, each.def)) changed |= improve(each.def, of(each));
          if (makes(each, each.def2)) changed |= improve(each.def2, of_second(each));
        }
      }
      if (changed) continue;
      if (!find_divergence(changed)) return false;
    }
    for (int round = 0; round < 4; ++round) find_ranges();
    find_block_words();
    find_fresh();
    return true;
  }

 private:
  /// A value of the instruction's own, not one it passes on.
  [[nodiscard]] static bool makes(const Instruction& each, ValueId def) {
    return def != kNone && each.op != Op::Move && each.op != Op::MovePair && each.element == kNone;
  }
  [[nodiscard]] Fact fact(ValueId id) const {
    if (id == kNone) return plain(Class::Uniform);
    const Value& v = graph_.values[id];
    return {v.kind, v.number, v.aligned, v.low, v.high};
  }
  bool improve(ValueId id, const Fact& now) {
    Value& value = graph_.values[id];
    const Fact joined = join(fact(id), now);
    const bool changed = joined.kind != value.kind || joined.number != value.number || joined.aligned != value.aligned;
    value.kind = joined.kind;
    value.number = joined.number;
    value.aligned = joined.aligned;
    return changed;
  }

  Fact of_phi(NodeId k, ValueId phi) const {
    const std::uint32_t slot = graph_.values[phi].slot;
    Fact all;
    for (const NodeId from : graph_.nodes[k].from) {
      const ValueId given = graph_.nodes[from].out[slot];
      if (given != phi) all = join(all, fact(given));
    }
    const bool may_differ = all.kind == Class::Uniform || all.kind == Class::Linear;
    return forced_[k] && may_differ ? plain(Class::Varying) : all;
  }

  [[nodiscard]] Fact right_of(const Instruction& each) const {
    return each.shape->immediate ? constant(each.code[1]) : fact(each.use[2]);
  }

  Fact of(const Instruction& each) const {
    switch (each.op) {
      case Op::Const:
        return constant(each.code[1]);
      case Op::SharedView:
      case Op::LoadPair:
      case Op::Part:
      case Op::WarpBallot:
      case Op::WarpAny:
      case Op::WarpAll:
      case Op::WarpReduce:
        return plain(Class::Uniform);
      case Op::FrameView:
        return {Class::Frame, n_of(each.code[0])};
      case Op::LoopNext: {
        const Fact a = fact(each.use[0]);
        if (a.kind == Class::Constant) return constant(a.number + 1);
        if (a.kind == Class::Linear) return {Class::Linear, a.number};
        return a;
      }
      case Op::WarpShuffle:
      case Op::WarpShuffleXor:
      case Op::WarpShuffleDown:
      case Op::WarpShuffleUp:
      case Op::WarpMatch:
        return plain(Class::Varying);
      default:
        break;
    }
    switch (each.shape->verb) {
      case Verb::Load:
        return plain(Class::Uniform);
      case Verb::FrameLoad:
        return plain(Class::Varying);
      case Verb::LoadAt: {
        const Fact view = fact(each.use[1]), index = fact(each.use[2]);
        if (view.kind == Class::Unknown || index.kind == Class::Unknown) return {};
        return plain(view.kind != Class::Frame && index.is_uniform() ? Class::Uniform : Class::Varying);
      }
      case Verb::Convert:
        return converted(each);
      case Verb::Add:
      case Verb::Sub:
      case Verb::Mul:
      case Verb::Div:
      case Verb::Rem:
        if (!is_float(each.shape->type)) return arithmetic(each);
        break;
      default:
        break;
    }
    return of_operands(each);
  }

  Fact of_second(const Instruction& each) const {
    if (each.op == Op::SharedView || each.op == Op::FrameView) return constant(m_of(each.code[1]));
    return plain(Class::Uniform);
  }

  /// Uniform when all operands are, and no float becomes an integer: floats are in vector registers.
  Fact of_operands(const Instruction& each) const {
    bool uniform = true;
    const bool is_word = graph_.values[each.def].type == Type::Bits;
    for (const bytecode::Operand& operand : bytecode::info(each.op).all()) {
      if (!operand.is_register() || operand.role == bytecode::Role::Write) continue;
      const ValueId id = each.use[static_cast<std::size_t>(operand.place)];
      const Fact given = fact(id);
      if (given.kind == Class::Unknown) return {};
      uniform = uniform && given.is_uniform() && !(is_word && id != kNone && graph_.values[id].type != Type::Bits);
    }
    return plain(uniform ? Class::Uniform : Class::Varying);
  }

  Fact converted(const Instruction& each) const {
    const Fact from = fact(each.use[1]);
    const bool whole = each.shape->source == Kind::U64 && each.shape->type >= Kind::U8 && each.shape->type <= Kind::U64;
    if (whole && from.kind == Class::Linear) return {Class::Linear, from.number};
    if (whole && from.kind == Class::Constant && from.number <= greatest(each.shape->type)) return from;
    return of_operands(each);
  }

  Fact arithmetic(const Instruction& each) const {
    const Fact l = fact(each.use[1]), r = right_of(each);
    if (l.kind == Class::Unknown || r.kind == Class::Unknown) return {};
    const Kind kind = each.shape->type;
    if (l.kind == Class::Constant && r.kind == Class::Constant && !is_signed(kind)) {
      std::uint64_t result = 0;
      bool fits = false;
      switch (each.shape->verb) {
        case Verb::Add:
          fits = !__builtin_add_overflow(l.number, r.number, &result);
          break;
        case Verb::Sub:
          fits = !__builtin_sub_overflow(l.number, r.number, &result);
          break;
        case Verb::Mul:
          fits = !__builtin_mul_overflow(l.number, r.number, &result);
          break;
        case Verb::Div:
          fits = r.number != 0;
          if (fits) result = l.number / r.number;
          break;
        default:
          fits = r.number != 0;
          if (fits) result = l.number % r.number;
          break;
      }
      return fits && result <= greatest(kind) ? constant(result) : plain(Class::Uniform);
    }
    if (l.is_uniform() && r.is_uniform()) return plain(Class::Uniform);
    if (is_signed(kind)) return plain(Class::Varying);
    const auto linear = [&](std::uint64_t stride, bool aligned) {
      return stride < kMostStride ? Fact{Class::Linear, stride, aligned} : plain(Class::Varying);
    };
    const auto keeps = [](const Fact& start, const Fact& other) {
      return start.aligned && other.kind == Class::Constant && other.number % kLanes == 0;
    };
    switch (each.shape->verb) {
      case Verb::Add:
        if (l.kind == Class::Linear && r.is_uniform()) return linear(l.number, keeps(l, r));
        if (r.kind == Class::Linear && l.is_uniform()) return linear(r.number, keeps(r, l));
        if (l.kind == Class::Linear && r.kind == Class::Linear) return linear(l.number + r.number, false);
        break;
      case Verb::Sub:
        if (l.kind == Class::Linear && r.is_uniform()) return linear(l.number, keeps(l, r));
        break;
      case Verb::Mul: {
        const Fact& by = l.kind == Class::Constant ? l : r;
        const Fact& of = l.kind == Class::Constant ? r : l;
        if (of.kind != Class::Linear || by.kind != Class::Constant || by.number == 0) break;
        if (by.number < kMostStride) return linear(of.number * by.number, false);
        break;
      }
      case Verb::Div:
      case Verb::Rem:
        if (l.kind == Class::Linear && l.aligned && r.kind == Class::Constant && r.number != 0 &&
            r.number % kLanes == 0) {
          return each.shape->verb == Verb::Div ? plain(Class::Uniform) : linear(1, true);
        }
        break;
      default:
        break;
    }
    return plain(Class::Varying);
  }

  // ------------------------------------------------------------------------------------ going apart

  /// By node, the nodes every way to the end of the kernel goes through. Ways into a trap are none.
  void find_postdominators() {
    const std::size_t count = graph_.nodes.size();
    after_.assign(count, std::vector<bool>(count, true));
    for (bool changed = true; changed;) {
      changed = false;
      for (NodeId k = static_cast<NodeId>(count); k-- > 0;) {
        std::vector<bool> now(count, true);
        bool any = false;
        for (const NodeId to : graph_.nodes[k].next) {
          if (graph_.nodes[to].is_failure) continue;
          any = true;
          for (std::size_t i = 0; i < count; ++i) now[i] = now[i] && after_[to][i];
        }
        if (!any) now.assign(count, false);
        now[k] = true;
        if (now != after_[k]) {
          after_[k] = std::move(now);
          changed = true;
        }
      }
    }
  }

  [[nodiscard]] NodeId meeting(NodeId k) const {
    NodeId nearest = kNone;
    for (NodeId each = 0; each < graph_.nodes.size(); ++each) {
      if (each == k || !after_[k][each]) continue;
      if (nearest == kNone || after_[each][nearest]) nearest = each;
    }
    return nearest;
  }

  [[nodiscard]] bool goes_apart(const Node& node) const {
    if (node.next.size() != 2) return false;
    const Instruction& last = node.code.back();
    for (const bytecode::Operand& operand : bytecode::info(last.op).all()) {
      if (operand.is_register() && !fact(last.use[static_cast<std::size_t>(operand.place)]).is_uniform()) return true;
    }
    return false;
  }

  /// True when nothing at the node mixes threads that came different ways: a loop's start, reached from one node
  /// outside, which is in no other loop, and one inside.
  [[nodiscard]] bool keeps_apart(NodeId k) const {
    if (!graph_.is_loop_header(k)) return false;
    std::size_t inside = 0, outside = 0;
    for (const NodeId from : graph_.nodes[k].from) {
      (graph_.in_loop_of(k, from) ? inside : outside) += 1;
      for (NodeId header = 0; header < graph_.nodes.size(); ++header) {
        if (graph_.in_loop_of(header, from) && !graph_.in_loop_of(header, k)) return false;
      }
    }
    return inside == 1 && outside == 1;
  }

  /// True when threads that go back on this way run again what made values of others, who wait further on in the loop.
  [[nodiscard]] bool overtakes(NodeId from, NodeId to) const {
    if (to > from) return false;
    std::vector<NodeId> loop;  // the innermost of both
    for (NodeId header = 0; header < graph_.nodes.size(); ++header) {
      if (!graph_.in_loop_of(header, from) || !graph_.in_loop_of(header, to)) continue;
      std::vector<NodeId> members;
      for (NodeId each = 0; each < graph_.nodes.size(); ++each) {
        if (graph_.in_loop_of(header, each)) members.push_back(each);
      }
      if (loop.empty() || members.size() < loop.size()) loop = std::move(members);
    }
    return !loop.empty() && loop.back() > from;
  }

  bool find_divergence(bool& changed) {
    for (NodeId k = 0; k < graph_.nodes.size(); ++k) {
      if (!goes_apart(graph_.nodes[k])) continue;
      const NodeId meet = meeting(k);
      if (meet == kNone) return false;
      std::vector<bool> region(graph_.nodes.size());
      std::vector<NodeId> members, work(graph_.nodes[k].next);
      while (!work.empty()) {
        const NodeId each = work.back();
        work.pop_back();
        if (each == meet || region[each]) continue;
        region[each] = true;
        members.push_back(each);
        // The place where they meet comes last, and nobody waits for others on the way.
        const Node& node = graph_.nodes[each];
        if (each > meet || node.ends_in_sync || (node.next.empty() && !node.is_failure)) return false;
        for (const NodeId to : node.next) work.push_back(to);
      }
      if (k > meet) return false;
      const auto goes_back = [&](NodeId from) {
        return std::ranges::any_of(graph_.nodes[from].next, [&](NodeId to) { return overtakes(from, to); });
      };
      if (goes_back(k) || std::ranges::any_of(members, goes_back)) return false;
      members.push_back(meet);
      const auto wait_at = [&](NodeId at) {
        std::vector<NodeId>& waiting = graph_.nodes[at].waiting;
        for (const NodeId each : members) {
          if (std::ranges::find(waiting, each) == waiting.end()) {
            waiting.push_back(each);
            changed = true;
          }
        }
      };
      wait_at(k);
      for (const NodeId each : members) {
        Node& node = graph_.nodes[each];
        node.joins = true;
        if (!forced_[each] && !keeps_apart(each)) {
          forced_[each] = true;
          changed = true;
        }
        if (each == meet) continue;
        wait_at(each);
        if (!node.divergent) {
          node.divergent = true;
          changed = true;
        }
      }
    }
    for (Node& node : graph_.nodes) std::ranges::sort(node.waiting);
    return true;
  }

  // ----------------------------------------------------------------------------- what all groups do alike

  [[nodiscard]] bool is_alike(ValueId id) const {
    return id == kNone || graph_.values[id].kind == Class::Constant || graph_.values[id].of_block;
  }
  /// Every operand is the same in all groups.
  [[nodiscard]] bool uses_alike(const Instruction& each) const {
    for (const bytecode::Operand& operand : bytecode::info(each.op).all()) {
      if (!operand.is_register() || operand.role == bytecode::Role::Write) continue;
      const auto place = static_cast<std::size_t>(operand.place);
      if (!is_alike(each.use[place]) || (each.op == Op::Part && !is_alike(each.use2[place]))) return false;
    }
    return true;
  }
  /// The instruction makes nothing but words that all groups make alike.
  [[nodiscard]] bool is_of_block(const Instruction& each) const {
    const bool is_pure = each.shape->verb == Verb::Load || each.op == Op::LoadPair || each.op == Op::SharedView ||
                         each.op == Op::Part || each.op == Op::LoopNext || each.op == Op::Select ||
                         each.op == Op::Not || (each.shape->verb >= Verb::Add && each.shape->verb <= Verb::Convert);
    return is_pure && uses_alike(each);
  }
  [[nodiscard]] bool parts_groups(const Node& node) const {
    return node.next.size() == 2 && !uses_alike(node.code.back());
  }

  /// Optimistic: words are taken for the block's until something shows that they are not.
  void find_block_words() {
    for (Value& each : graph_.values) each.of_block = each.kind == Class::Uniform && each.type == Type::Bits;
    for (bool changed = true; changed;) {
      changed = false;
      const std::vector<bool> meets = find_ways_of_groups();
      const auto drop = [&](ValueId id) {
        if (id == kNone || !graph_.values[id].of_block) return;
        graph_.values[id].of_block = false;
        changed = true;
      };
      for (NodeId k = 0; k < graph_.nodes.size(); ++k) {
        const Node& node = graph_.nodes[k];
        for (const ValueId phi : node.phis) {
          const std::uint32_t slot = graph_.values[phi].slot;
          const bool alike = !node.of_some && !meets[k] && std::ranges::all_of(node.from, [&](NodeId from) {
            return is_alike(graph_.nodes[from].out[slot]);
          });
          if (!alike) drop(phi);
        }
        for (const Instruction& each : node.code) {
          if (is_of_block(each)) continue;
          if (makes(each, each.def)) drop(each.def);
          if (makes(each, each.def2)) drop(each.def2);
        }
      }
    }
  }

  /// Marks nodes to which only some groups may come; gives those where such groups come together again.
  std::vector<bool> find_ways_of_groups() {
    std::vector<bool> meets(graph_.nodes.size());
    for (Node& node : graph_.nodes) node.of_some = false;
    for (NodeId k = 0; k < graph_.nodes.size(); ++k) {
      if (!parts_groups(graph_.nodes[k])) continue;
      const NodeId meet = meeting(k);
      if (meet != kNone) meets[meet] = true;
      std::vector<bool> seen(graph_.nodes.size());
      std::vector<NodeId> work(graph_.nodes[k].next);
      while (!work.empty()) {
        const NodeId each = work.back();
        work.pop_back();
        if (each == meet || seen[each]) continue;
        seen[each] = graph_.nodes[each].of_some = true;
        for (const NodeId to : graph_.nodes[each].next) work.push_back(to);
      }
    }
    return meets;
  }

  void find_fresh() {
    for (Node& node : graph_.nodes) node.is_fresh = true;
    const auto stays_fresh = [&](const Node& node) {
      return std::ranges::all_of(node.code, [&](const Instruction& each) {
        const bool is_jump = each.op >= Op::Jump && each.op <= Op::JumpNotLeF64;
        return is_jump || each.op == Op::Const || each.op == Op::Move || each.op == Op::MovePair || is_of_block(each);
      });
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (const Node& node : graph_.nodes) {
        if (node.ends_in_sync || (node.is_fresh && stays_fresh(node))) continue;
        for (const NodeId to : node.next) {
          changed = changed || graph_.nodes[to].is_fresh;
          graph_.nodes[to].is_fresh = false;
        }
      }
    }
    for (Node& node : graph_.nodes) node.is_fresh = node.is_fresh && stays_fresh(node);
  }

  // ----------------------------------------------------------------------------------------- bounds

  void find_ranges() {
    for (NodeId k = 0; k < graph_.nodes.size(); ++k) {
      for (const ValueId phi : graph_.nodes[k].phis) range_of_phi(k, phi);
      for (const Instruction& each : graph_.nodes[k].code) {
        if (!makes(each, each.def)) continue;
        Value& value = graph_.values[each.def];
        if (value.kind == Class::Constant) {
          value.low = value.high = value.number;
        } else if (value.type == Type::Bits) {
          range_of(each, value);
        }
        if (each.def2 != kNone && graph_.values[each.def2].kind == Class::Constant) {
          Value& second = graph_.values[each.def2];
          second.low = second.high = second.number;
        }
      }
    }
  }

  void range_of_phi(NodeId k, ValueId phi) {
    Value& value = graph_.values[phi];
    if (value.kind == Class::Constant) {
      value.low = value.high = value.number;
      return;
    }
    if (value.type != Type::Bits) return;
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (const NodeId from : graph_.nodes[k].from) {
      const ValueId given = graph_.nodes[from].out[value.slot];
      if (given == phi) continue;
      Fact each = fact(given);
      // A loop's counter goes on only while it is below its bound.
      const Instruction& last = graph_.nodes[from].code.back();
      const bool counts = last.op == Op::LoopNext && !last.counts_only && last.def == given &&
                          graph_.nodes[from].next.size() == 2 && graph_.nodes[from].next[0] == k;
      if (counts) {
        const std::uint64_t bound = fact(last.use[1]).high;
        if (bound != 0) each.high = std::min(each.high, bound - 1);
      }
      low = std::min(low, each.low);
      high = std::max(high, each.high);
    }
    if (low > high) return;
    value.low = std::max(value.low, low);
    value.high = std::min(value.high, high);
  }

  void range_of(const Instruction& each, Value& value) const {
    const Kind kind = each.shape->type;
    const Fact l = fact(each.use[1]), r = right_of(each);
    std::uint64_t low = 0, high = ~std::uint64_t{0};
    const bool integer = kind >= Kind::U8 && kind <= Kind::U64;
    if (each.op == Op::LoopNext) {
      const Fact a = fact(each.use[0]);
      if (a.high != ~std::uint64_t{0}) {
        low = a.low + 1;
        high = a.high + 1;
      }
    } else {
      switch (each.shape->verb) {
        case Verb::Add:
          if (!integer || __builtin_add_overflow(l.low, r.low, &low)) low = 0;
          if (!integer || __builtin_add_overflow(l.high, r.high, &high)) high = ~std::uint64_t{0};
          break;
        case Verb::Sub:
          if (!integer) break;
          low = l.low > r.high ? l.low - r.high : 0;
          high = l.high > r.low ? l.high - r.low : 0;
          break;
        case Verb::Mul:
          if (!integer || __builtin_mul_overflow(l.low, r.low, &low)) low = 0;
          if (!integer || __builtin_mul_overflow(l.high, r.high, &high)) high = ~std::uint64_t{0};
          break;
        case Verb::Div:
          if (integer) high = r.low != 0 ? l.high / r.low : l.high;
          break;
        case Verb::Rem:
          if (integer && r.high != 0) high = std::min(l.high, r.high - 1);
          break;
        case Verb::And:
          high = each.shape->immediate ? each.code[1] : std::min(l.high, r.high);
          break;
        case Verb::Shr:
          if (integer && r.kind == Class::Constant && r.number < 64) high = l.high >> r.number;
          break;
        case Verb::Min:
          if (!is_signed(kind)) high = std::min(l.high, r.high);
          break;
        case Verb::Compare:
          high = 1;
          break;
        case Verb::Convert:
          if (each.shape->source == Kind::U64 && integer) high = l.high;
          break;
        default:
          break;
      }
      const bool is_word = each.shape->verb != Verb::Other && each.shape->verb != Verb::Compare;
      if (is_word && (integer || kind == Kind::Bool) && each.shape->verb < Verb::Compare)
        high = std::min(high, greatest(kind));
      const bool loads = each.shape->verb == Verb::LoadAt || each.shape->verb == Verb::Load;
      if ((loads || each.shape->verb == Verb::Convert) && (integer || kind == Kind::Bool))
        high = std::min(high, greatest(kind));
    }
    if (low > high) return;
    value.low = std::max(value.low, low);
    value.high = std::min(value.high, high);
  }

  Graph& graph_;
  std::vector<bool> forced_;
  std::vector<std::vector<bool>> after_;
};

}  // namespace

bool classify(Graph& graph, const bytecode::Function&) {
  for (Node& node : graph.nodes) {
    node.divergent = node.joins = false;
    node.waiting.clear();
  }
  return Classifier(graph).run();
}

}  // namespace cairn::jit::phases
