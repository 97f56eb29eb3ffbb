#include "jit/ssa/backend/resolution.hpp"

#include <algorithm>

namespace cairn::jit::ssa {
namespace {

class Resolver {
 public:
  Resolver(const Function& f, const Nodes& n, const Intervals& i, const Homes& homes, Moves& moves)
      : f_(f), n_(n), i_(i), homes_(homes), moves_(moves) {}

  void run() {
    before_.resize(n_.nodes.size());
    after_.resize(n_.nodes.size());
    ends_.resize(n_.blocks.size());
    starts_.resize(n_.blocks.size());
    for (Value value = 1; value < f_.code.size(); ++value) {
      if (i_.of_value[value] != 0) parts(value);
    }
    for (std::uint32_t k = 0; k < n_.nodes.size(); ++k) definitions(k);
    for (std::uint32_t b = 0; b < n_.blocks.size(); ++b) {
      phi_stores(b);
      for (std::uint32_t s = 0; s < n_.blocks[b].successors.size(); ++s) {
        const std::uint32_t next = n_.blocks[b].successors[s];
        const auto& list = n_.blocks[b].successors;
        if (std::find(list.begin(), list.begin() + s, next) != list.begin() + s) continue;  // the same edge again
        edge(b, next);
      }
    }
    flatten(before_, moves_.before);
    flatten(after_, moves_.after);
    flatten(ends_, moves_.ends);
    flatten(starts_, moves_.starts);
  }

 private:
  using Lists = std::vector<std::vector<Move>>;
  void flatten(Lists& from, std::vector<Moves::Group>& to) {
    to.reserve(from.size());
    for (std::vector<Move>& list : from) {
      to.push_back({static_cast<std::uint32_t>(moves_.all.size()), static_cast<std::uint32_t>(list.size())});
      moves_.all.insert(moves_.all.end(), list.begin(), list.end());
    }
  }
  [[nodiscard]] Location at(Value value, Place place) const { return location_at(i_, homes_, value, place); }
  [[nodiscard]] Location of_part(const Interval& part) const {
    return part.reg != kNoReg ? in(part.reg) : homes_.of_value[part.value];
  }
  [[nodiscard]] bool is_block_start(Place place) const {
    const auto found = std::ranges::lower_bound(n_.blocks, place, {}, [](const MachineBlock& b) { return b.from(); });
    return found != n_.blocks.end() && found->from() == place;
  }

  /// Moves between the parts of a value within blocks.
  void parts(Value value) {
    const Interval* before = nullptr;
    for (std::uint32_t part = i_.of_value[value]; part != kNone; part = i_.all[part].next) {
      const Interval& each = i_.all[part];
      if (each.ranges.empty()) break;
      if (before != nullptr && before->to() == each.from() && !is_block_start(each.from())) {
        const Location from = of_part(*before), to = of_part(each);
        if (from != to && (to.in_register() || homes_.stores[value] == Store::AtSplit)) {
          if (to.in_register() || to.in_memory()) before_[node_of(each.from())].push_back({from, to, value});
        }
      }
      before = &each;
    }
  }

  /// What a node's results need to get where they are expected.
  void definitions(std::uint32_t k) {
    const Node& node = n_.nodes[k];
    for (const Output& each : n_.outputs_of(node)) {
      if (i_.of_value[each.value] == 0) continue;
      const Place place = each.reg != kNoReg ? gap_of(k) + 3 : gap_of(k) + 2;
      const Location to = at(each.value, place);
      const Location home = homes_.of_value[each.value];
      Location from = to;
      if (each.reg != kNoReg) {
        from = in(each.reg);
        if (from != to) after_[k].push_back({from, to, each.value});
      } else if (each.in_memory) {
        if (each.slot == kNone) continue;  // a number
        from = {Location::Is::Frame, kNoReg, each.slot, each.value};
        if (from != to) after_[k].push_back({from, to, each.value});
      }
      if (homes_.stores[each.value] == Store::AtDefinition && to.in_register()) {
        after_[k].push_back({from, home, each.value});
      }
    }
  }
  void phi_stores(std::uint32_t b) {
    if (n_.blocks[b].block == kNone) return;
    for (const Value value : f_.blocks[n_.blocks[b].block].code) {
      const Instruction& i = f_.at(value);
      if (i.op == Opcode::Nop) continue;
      if (i.op != Opcode::Phi) break;
      if (i_.of_value[value] == 0 || homes_.stores[value] != Store::AtDefinition) continue;
      const Location where = at(value, n_.blocks[b].from());
      if (where.in_register()) after_[n_.blocks[b].first].push_back({where, homes_.of_value[value], value});
    }
  }

  void edge(std::uint32_t b, std::uint32_t next) {
    const bool at_end = n_.blocks[b].successors.size() == 1;
    std::vector<Move>& list = at_end ? ends_[b] : starts_[next];
    const Place from = n_.blocks[b].to() - 1, to = n_.blocks[next].from();
    for (std::size_t k = 0; k < i_.set_words; ++k) {
      for (std::uint64_t bits = i_.live_in[next * i_.set_words + k]; bits != 0; bits &= bits - 1) {
        const auto value = static_cast<Value>(k * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        if (f_.at(value).op == Opcode::Phi && i_.all[i_.of_value[value]].from() == to && is_phi_of(value, next))
          continue;
        const Location old = at(value, from), now = at(value, to);
        if (old == now) continue;
        if (now.in_register() || (now.in_memory() && homes_.stores[value] == Store::AtSplit && old.in_register())) {
          list.push_back({old, now, value});
        }
      }
    }
    for (const PhiMove& move : n_.phi_moves[b]) {
      if (i_.of_value[move.phi] == 0 || !i_.is_live_in(next, move.phi)) continue;
      const Location now = at(move.phi, to);
      Location old = at(move.from, from);
      if (f_.at(move.from).op == Opcode::Const && !old.in_register()) {
        old = {Location::Is::Number, kNoReg, 0, move.from};
      }
      if (old != now) list.push_back({old, now, move.from});
    }
  }
  [[nodiscard]] bool is_phi_of(Value value, std::uint32_t block) const {
    return f_.at(value).block == n_.blocks[block].block;
  }

  const Function& f_;
  const Nodes& n_;
  const Intervals& i_;
  const Homes& homes_;
  Moves& moves_;
  Lists before_, after_, ends_, starts_;
};

}  // namespace

void resolve(const Function& function, const Nodes& nodes, const Intervals& intervals, const Homes& homes,
             Moves& moves) {
  Resolver(function, nodes, intervals, homes, moves).run();
}

}  // namespace cairn::jit::ssa
