#include "jit/ssa/backend/intervals.hpp"

#include <algorithm>

namespace cairn::jit::ssa {
namespace {

class IntervalBuilder {
 public:
  IntervalBuilder(const Function& f, const Nodes& n, Intervals& out) : f_(f), n_(n), out_(out) {}

  void run() {
    out_.set_words = f_.code.size() / 64 + 1;
    out_.all.resize(1);
    out_.of_value.assign(f_.code.size(), 0);
    out_.of_temporary.assign(n_.temporaries.size(), 0);
    find_phis();
    find_live();
    for (auto b = static_cast<std::uint32_t>(n_.blocks.size()); b-- > 0;) block(b);
    for (Interval& each : out_.all) {
      std::ranges::reverse(each.ranges);
      std::ranges::reverse(each.uses);
    }
    for (std::vector<Range>& each : out_.blocked) std::ranges::reverse(each);
    std::ranges::reverse(out_.clobbers);
  }

 private:
  using Set = std::uint64_t*;
  Set live_in(std::uint32_t block) { return out_.live_in.data() + block * out_.set_words; }
  static void add(Set set, Value value) { set[value / 64] |= std::uint64_t{1} << (value % 64); }
  static void remove(Set set, Value value) { set[value / 64] &= ~(std::uint64_t{1} << (value % 64)); }

  void find_phis() {
    phis_.resize(n_.blocks.size());
    for (std::uint32_t b = 0; b < n_.blocks.size(); ++b) {
      if (n_.blocks[b].block == kNone) continue;
      for (const Value value : f_.blocks[n_.blocks[b].block].code) {
        if (f_.at(value).op == Opcode::Nop) continue;
        if (f_.at(value).op != Opcode::Phi) break;
        phis_[b].push_back(value);
      }
    }
  }

  /// What is alive at the block's end.
  void live_out(std::uint32_t b, std::vector<std::uint64_t>& live) {
    live.assign(out_.set_words, 0);
    for (const std::uint32_t next : n_.blocks[b].successors) {
      const Set from = live_in(next);
      for (std::size_t k = 0; k < out_.set_words; ++k) live[k] |= from[k];
    }
    for (const std::uint32_t next : n_.blocks[b].successors) {
      for (const Value phi : phis_[next]) remove(live.data(), phi);
    }
    for (const PhiMove& move : n_.phi_moves[b]) add(live.data(), move.from);
  }

  void find_live() {
    out_.live_in.assign(n_.blocks.size() * out_.set_words, 0);
    std::vector<std::uint64_t> live;
    bool changed = true;
    while (changed) {
      changed = false;
      for (auto b = static_cast<std::uint32_t>(n_.blocks.size()); b-- > 0;) {
        const MachineBlock& block = n_.blocks[b];
        live_out(b, live);
        for (std::uint32_t k = block.end; k-- > block.first;) {
          const Node& node = n_.nodes[k];
          for (const Output& each : n_.outputs_of(node)) remove(live.data(), each.value);
          for (const Input& each : n_.inputs_of(node)) {
            if (each.needs != Input::Needs::Nothing) add(live.data(), each.value);
          }
        }
        // A phi is alive where its block starts: its value is put there on the edges.
        const Set in = live_in(b);
        for (std::size_t k = 0; k < out_.set_words; ++k) {
          if (in[k] != live[k]) changed = true;
          in[k] = live[k];
        }
      }
    }
  }

  Interval& interval(Value value) {
    std::uint32_t& index = out_.of_value[value];
    if (index == 0) {
      index = static_cast<std::uint32_t>(out_.all.size());
      Interval made;
      made.value = value;
      made.bank = bank_of(f_.at(value));
      out_.all.push_back(std::move(made));
    }
    return out_.all[index];
  }
  /// Ranges come from behind; those that touch become one.
  static void cover(Interval& interval, Place from, Place to) {
    if (!interval.ranges.empty()) {
      Range& last = interval.ranges.back();
      if (to >= last.from) {
        last.from = std::min(last.from, from);
        last.to = std::max(last.to, to);
        return;
      }
    }
    interval.ranges.push_back({from, to});
  }
  void take(Reg reg, Place from, Place to) {
    std::vector<Range>& list = out_.blocked[reg];
    if (!list.empty() && to >= list.back().from) {
      list.back().from = std::min(list.back().from, from);
      list.back().to = std::max(list.back().to, to);
      return;
    }
    list.push_back({from, to});
  }

  void block(std::uint32_t b) {
    const MachineBlock& block = n_.blocks[b];
    std::vector<std::uint64_t> live;
    live_out(b, live);
    for (std::size_t k = 0; k < out_.set_words; ++k) {
      for (std::uint64_t bits = live[k]; bits != 0; bits &= bits - 1) {
        const auto value = static_cast<Value>(k * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        cover(interval(value), block.from(), block.to());
      }
    }
    for (const PhiMove& move : n_.phi_moves[b]) {
      if (!out_.is_live_in(n_.blocks[b].successors.front(), move.phi)) continue;
      interval(move.phi);
      Interval& from = interval(move.from);
      Interval& to = interval(move.phi);
      if (to.hint_value == kNoValue) to.hint_value = move.from;
      if (from.hint_value == kNoValue) from.hint_value = move.phi;
    }
    for (std::uint32_t k = block.end; k-- > block.first;) node(k, block.from());
    for (const Value phi : phis_[b]) {
      if (out_.of_value[phi] == 0) continue;
      Interval& made = interval(phi);
      if (made.ranges.empty()) {
        cover(made, block.from(), block.from() + 1);
      } else {
        made.ranges.back().from = block.from();
      }
    }
  }

  void node(std::uint32_t index, Place block_from) {
    const Node& node = n_.nodes[index];
    const Place at = gap_of(index);
    Value result = kNoValue;
    for (const Output& each : n_.outputs_of(node)) {
      result = each.value;
      const Place from = each.reg != kNoReg ? at + 3 : each.early ? at + 1 : at + 2;
      if (each.reg != kNoReg) take(each.reg, at + 2, at + 3);
      if (out_.of_value[each.value] == 0) {
        if (each.in_memory || each.reg != kNoReg) continue;  // nothing needs it
      }
      Interval& made = interval(each.value);
      if (made.ranges.empty()) {
        cover(made, from, at + 3 > from ? at + 3 : at + 4);
      } else {
        made.ranges.back().from = from;
      }
      if (each.reg != kNoReg) {
        made.hint = each.reg;
      } else if (each.in_memory) {
        made.starts_in_memory = true;
      } else {
        made.uses.push_back({from, true});
      }
    }
    if (node.loses_all) out_.clobbers.push_back(at + 2);
    for (Reg r = 0; r < 32; ++r) {
      if ((node.lost & bit(r)) != 0) take(r, at + 2, at + 3);
    }
    for (std::uint32_t k = 0; k < node.temporaries; ++k) {
      const Temporary& each = n_.temporaries[node.first_temporary + k];
      if (each.reg != kNoReg) {
        take(each.reg, at + 1, at + 3);
        continue;
      }
      Interval made;
      made.bank = each.bank;
      made.ranges.push_back({at + 1, at + 3});
      made.uses.push_back({at + 1, true});
      made.temporary = node.first_temporary + k;
      out_.of_temporary[made.temporary] = static_cast<std::uint32_t>(out_.all.size());
      out_.all.push_back(std::move(made));
    }
    for (const Input& each : n_.inputs_of(node)) {
      using Needs = Input::Needs;
      if (each.needs == Needs::Nothing) continue;
      Interval& made = interval(each.value);
      if (each.needs == Needs::Fixed || each.needs == Needs::Tied) {
        cover(made, block_from, at + 1);
        add_use(made, at, false);
        if (each.needs == Needs::Fixed) {
          take(each.reg, at + 1, each.late ? at + 3 : at + 2);
          made.hint = each.reg;
        } else if (result != kNoValue) {
          made.hint_value = result;
          interval(result).hint_value = each.value;
        }
      } else {
        cover(made, block_from, each.late ? at + 3 : at + 2);
        // A late operand may not lose its register to the result.
        const bool needs_register = each.needs == Needs::Register;
        add_use(made, needs_register && each.late ? at + 2 : at + 1, needs_register);
      }
    }
  }
  static void add_use(Interval& interval, Place at, bool needs_register) {
    // Of one node several uses may come, not in order.
    auto where = interval.uses.end();
    while (where != interval.uses.begin() && std::prev(where)->at < at) --where;
    interval.uses.insert(where, {at, needs_register});
  }

  const Function& f_;
  const Nodes& n_;
  Intervals& out_;
  std::vector<std::vector<Value>> phis_;
};

}  // namespace

Place Interval::meets(const Interval& other) const {
  std::size_t a = 0, b = 0;
  while (a < ranges.size() && b < other.ranges.size()) {
    const Range& x = ranges[a];
    const Range& y = other.ranges[b];
    const Place from = std::max(x.from, y.from);
    if (from < std::min(x.to, y.to)) return from;
    ++(x.to < y.to ? a : b);
  }
  return kNever;
}

void build_intervals(const Function& function, const Nodes& nodes, Intervals& intervals) {
  IntervalBuilder(function, nodes, intervals).run();
}

}  // namespace cairn::jit::ssa
