#include "jit/ssa/backend/homes.hpp"

#include <algorithm>

#include "jit/optimizing/flow.hpp"

namespace cairn::jit::ssa {
namespace {

class HomeFinder {
 public:
  HomeFinder(const Function& f, const Target& target, const Nodes& n, const Intervals& i, Homes& homes)
      : f_(f), target_(target), n_(n), i_(i), homes_(homes) {}

  bool run() {
    homes_.of_value.assign(f_.code.size(), {});
    homes_.stores.assign(f_.code.size(), Store::Never);
    find_events();
    // Values that are in the frame from the start come first: they may stay where they are.
    for (const bool from_frame : {true, false}) {
      for (Value value = 1; value < f_.code.size(); ++value) {
        const std::uint32_t first = i_.of_value[value];
        if (first == 0 || i_.all[first].ranges.empty() || !needs_home(first)) continue;
        const Opcode op = f_.at(value).op;
        if (op == Opcode::Const || op == Opcode::Text) {
          homes_.of_value[value] = {Location::Is::Number, kNoReg, 0, value};
          continue;
        }
        if (i_.all[first].starts_in_memory != from_frame) continue;
        if (!place(value)) return false;
        choose_store(value);
      }
    }
    return true;
  }

 private:
  /// A node that writes or reads slots of the frame.
  struct Event {
    Place place = 0;
    Value value = kNoValue;
    std::uint32_t limit = kNone;      // slots from here on are lost
    std::vector<std::uint32_t> lost;  // and these
    std::uint32_t read = kNone;       // a slot whose value comes from before
  };

  void find_events() {
    for (std::uint32_t k = 0; k < n_.nodes.size(); ++k) {
      const Node& node = n_.nodes[k];
      if (node.kind == NodeKind::Label) continue;
      const Instruction& i = f_.at(node.value);
      Event event{gap_of(k) + 2, node.value, kNone, {}, kNone};
      for (const Output& each : n_.outputs_of(node)) {
        if (each.in_memory && each.slot != kNone) {
          event.place = gap_of(k);
          event.read = each.slot;
        }
      }
      if (is_call(i.op)) {
        event.limit = i.scale - bytecode::kLinkSlots;
      } else if (i.op == Opcode::PairFunction) {
        continue;
      } else if (i.op == Opcode::Step) {
        step(i, event);
      } else if (node.loses_all) {
        // A copy by the library: it writes no slots.
      } else if (i.op != Opcode::Poll && event.read == kNone) {
        continue;
      }
      events_.push_back(std::move(event));
    }
  }

  void step(const Instruction& i, Event& event) {
    const Frame& frame = f_.frames[i.frame];
    const bytecode::Function& function = target_.module.functions[frame.function];
    event.limit = frame.base + function.slots;
    const bytecode::Word* code = function.code.data() + i.word;
    const bytecode::OperationInfo& row = bytecode::info(bytecode::op_of(code[0]));
    for (const bytecode::Operand& operand : row.all()) {
      if (operand.role != bytecode::Role::Window || !operand.is_register()) continue;
      const auto window = static_cast<std::uint32_t>(bytecode::operand_bits(code, operand.place));
      event.limit = std::min(event.limit, frame.base + window - bytecode::kLinkSlots);
    }
    each_slot(code, 0, [&](std::uint32_t slot, bool, bool writes) {
      if (writes) event.lost.push_back(frame.base + slot);
    });
    for (std::uint32_t at = i.frame; at != 0; at = f_.frames[at].parent) {
      for (std::uint32_t k = 1; k <= bytecode::kLinkSlots; ++k) event.lost.push_back(f_.frames[at].base - k);
    }
  }

  [[nodiscard]] bool needs_home(std::uint32_t part) const {
    for (; part != kNone; part = i_.all[part].next) {
      if (i_.all[part].reg == kNoReg) return true;
    }
    return false;
  }

  template <class Visit>
  void each_range(Value value, Visit visit) const {
    for (std::uint32_t part = i_.of_value[value]; part != kNone; part = i_.all[part].next) {
      for (const Range& range : i_.all[part].ranges) visit(range);
    }
  }
  [[nodiscard]] bool covers(Value value, Place place) const {
    bool found = false;
    each_range(value, [&](const Range& range) { found = found || (range.from <= place && place < range.to); });
    return found;
  }

  bool place(Value value) {
    const Interval& first = i_.all[i_.of_value[value]];
    std::vector<const Event*> crossed;
    bool calls = false;
    std::uint32_t limit = target_.module.functions[f_.index].slots;
    for (const Event& event : events_) {
      if (!covers(value, event.place)) continue;
      crossed.push_back(&event);
      const Opcode op = f_.at(event.value).op;
      calls = calls || is_call(op) || op == Opcode::Step || (op == Opcode::Copy || op == Opcode::Zero);
    }
    if (calls) limit = kNone;
    for (const Event* event : crossed) limit = std::min(limit, event->limit);
    if (limit == kNone) limit = target_.module.functions[f_.index].slots;
    if (first.starts_in_memory) {
      const Instruction& i = f_.at(value);
      const auto own = static_cast<std::uint32_t>(i.immediate);
      if (serves(value, own, crossed, kNone)) return take_slot(value, own);
    }
    if (!calls) return take_cell(value);
    if (f_.at(value).lanes > 1) return false;
    for (const Event* event : crossed) {
      for (const Use& use : f_.uses_of(f_.at(event->value))) {
        if (use.value == value && use.slot < limit && serves(value, use.slot, crossed, limit)) {
          return take_slot(value, use.slot);
        }
      }
    }
    for (std::uint32_t slot = 0; slot < limit; ++slot) {
      if (serves(value, slot, crossed, limit)) return take_slot(value, slot);
    }
    return false;
  }

  bool serves(Value value, std::uint32_t slot, const std::vector<const Event*>& crossed, std::uint32_t) const {
    for (const Event* event : crossed) {
      if (event->value == value) continue;  // where it comes from
      if (event->read == slot || slot >= event->limit) return false;
      if (std::ranges::find(event->lost, slot) != event->lost.end()) return false;
      if (event->read != kNone) continue;
      for (const Use& use : f_.uses_of(f_.at(event->value))) {
        if (use.slot == slot && use.value != value) return false;
      }
    }
    if (slot >= slots_.size()) return true;
    return std::ranges::none_of(slots_[slot], [&](Value other) { return meet(value, other); });
  }
  [[nodiscard]] bool meet(Value a, Value b) const {
    bool found = false;
    each_range(a, [&](const Range& x) {
      each_range(b, [&](const Range& y) { found = found || (x.from < y.to && y.from < x.to); });
    });
    return found;
  }
  bool take_slot(Value value, std::uint32_t slot) {
    if (slots_.size() <= slot) slots_.resize(slot + 1);
    slots_[slot].push_back(value);
    homes_.of_value[value] = {Location::Is::Frame, kNoReg, slot, value};
    return true;
  }
  bool take_cell(Value value) {
    const std::uint32_t bytes = bytes_of(f_.at(value));
    for (Cell& cell : cells_) {
      if (cell.bytes != bytes) continue;
      if (std::ranges::any_of(cell.values, [&](Value other) { return meet(value, other); })) continue;
      cell.values.push_back(value);
      homes_.of_value[value] = {Location::Is::Spill, kNoReg, cell.at, value};
      return true;
    }
    used_ = (used_ + bytes - 1) / bytes * bytes;
    if (used_ + bytes > kSpillBytes) return false;
    cells_.push_back({used_, bytes, {value}});
    homes_.of_value[value] = {Location::Is::Spill, kNoReg, used_, value};
    used_ += bytes;
    return true;
  }

  [[nodiscard]] std::uint32_t depth_at(Place place) const {
    const auto after = std::ranges::upper_bound(n_.blocks, place, {}, [](const MachineBlock& b) { return b.from(); });
    return std::prev(after)->depth;
  }

  /// One store where the value leaves its register for the only time, unless that is deeper in loops.
  void choose_store(Value value) {
    const std::uint32_t first = i_.of_value[value];
    if (i_.all[first].starts_in_memory) {
      const bool there = homes_.of_value[value].is == Location::Is::Frame &&
                         homes_.of_value[value].at == static_cast<std::uint32_t>(f_.at(value).immediate);
      homes_.stores[value] = there ? Store::Never : Store::AtDefinition;
      return;
    }
    std::uint32_t splits = 0, others = 0;
    Place where = 0;
    const Interval* before = nullptr;
    for (std::uint32_t part = first; part != kNone; part = i_.all[part].next) {
      const Interval& each = i_.all[part];
      if (before != nullptr && each.reg == kNoReg && before->reg != kNoReg) {
        const bool at_block = is_block_start(each.from());
        if (at_block || each.from() % 4 != 0 || before->to() != each.from()) {
          ++others;
        } else {
          ++splits;
          where = each.from();
        }
      }
      if (before == nullptr && each.reg == kNoReg) ++others;  // made in memory
      before = &each;
    }
    // Ways on which it comes from a register to where it is in memory.
    for (const MachineBlock& block : n_.blocks) {
      for (const std::uint32_t next : block.successors) {
        if (!i_.is_live_in(next, value)) continue;
        const bool phi_here = f_.at(value).op == Opcode::Phi && i_.all[first].from() == n_.blocks[next].from();
        if (phi_here) continue;
        if (location_at(i_, homes_, value, block.to() - 1).in_register() &&
            !location_at(i_, homes_, value, n_.blocks[next].from()).in_register()) {
          ++others;
        }
      }
    }
    const bool at_split = others == 0 && splits == 1 && depth_at(where) <= depth_at(i_.all[first].from());
    homes_.stores[value] = at_split ? Store::AtSplit : Store::AtDefinition;
  }
  [[nodiscard]] bool is_block_start(Place place) const {
    const auto found = std::ranges::lower_bound(n_.blocks, place, {}, [](const MachineBlock& b) { return b.from(); });
    return found != n_.blocks.end() && found->from() == place;
  }

  const Function& f_;
  const Target& target_;
  const Nodes& n_;
  const Intervals& i_;
  Homes& homes_;
  std::vector<Event> events_;
  std::vector<std::vector<Value>> slots_;  // by slot: whose home it is
  struct Cell {
    std::uint32_t at = 0, bytes = 0;
    std::vector<Value> values;
  };
  std::vector<Cell> cells_;
  std::uint32_t used_ = 0;
};

}  // namespace

bool find_homes(const Function& function, const Target& target, const Nodes& nodes, const Intervals& intervals,
                Homes& homes) {
  return HomeFinder(function, target, nodes, intervals, homes).run();
}

Location location_at(const Intervals& intervals, const Homes& homes, Value value, Place place) {
  const Interval* found = nullptr;
  for (std::uint32_t part = intervals.of_value[value]; part != 0 && part != kNone; part = intervals.all[part].next) {
    const Interval& each = intervals.all[part];
    if (each.ranges.empty() || each.from() > place) break;
    found = &each;
  }
  if (found == nullptr) return homes.of_value[value];
  return found->reg != kNoReg ? in(found->reg) : homes.of_value[value];
}

}  // namespace cairn::jit::ssa
