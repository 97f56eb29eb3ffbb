#include "jit/ssa/backend/linear_scan.hpp"

#include <algorithm>
#include <queue>

namespace cairn::jit::ssa {
namespace {

class LinearScan {
 public:
  LinearScan(const Nodes& n, Intervals& intervals) : n_(n), i_(intervals) {}

  bool run() {
    for (std::uint32_t b = 0; b < n_.blocks.size(); ++b) {
      const MachineBlock& block = n_.blocks[b];
      for (std::uint32_t k = block.first; k < block.end; ++k) block_of_.push_back(b);
    }
    for (std::uint32_t k = 1; k < i_.all.size(); ++k) {
      if (!i_.all[k].ranges.empty()) push(k);
    }
    while (!unhandled_.empty()) {
      const std::uint32_t index = unhandled_.top().second;
      unhandled_.pop();
      if (++steps_ > 64 * i_.all.size() + 4096) return false;
      expire(i_.all[index].from());
      if (!handle(index)) return false;
    }
    return true;
  }

 private:
  Interval& at(std::uint32_t index) { return i_.all[index]; }
  void push(std::uint32_t index) { unhandled_.push({at(index).from(), index}); }

  /// Sorts what is active and what has a hole at the place.
  void expire(Place place) {
    for (std::size_t k = 0; k < active_.size();) {
      const Interval& each = at(active_[k]);
      if (each.to() <= place) {
        active_[k] = active_.back();
        active_.pop_back();
      } else if (!each.covers(place)) {
        inactive_.push_back(active_[k]);
        active_[k] = active_.back();
        active_.pop_back();
      } else {
        ++k;
      }
    }
    for (std::size_t k = 0; k < inactive_.size();) {
      const Interval& each = at(inactive_[k]);
      if (each.to() <= place) {
        inactive_[k] = inactive_.back();
        inactive_.pop_back();
      } else if (each.covers(place)) {
        active_.push_back(inactive_[k]);
        inactive_[k] = inactive_.back();
        inactive_.pop_back();
      } else {
        ++k;
      }
    }
  }

  bool handle(std::uint32_t index) {
    if (at(index).starts_in_memory) {
      spill_from(index);
      return true;
    }
    return try_free(index) || allocate_blocked(index);
  }

  /// The interval is in memory from its start to where a register is needed next.
  void spill_from(std::uint32_t index) {
    at(index).reg = kNoReg;
    const Place use = at(index).register_use(at(index).from());
    if (use == kNever) return;
    const Place before = gap_of(node_of(use));
    const std::uint32_t rest = split(index, best_split(at(index).from() + 1, before));
    if (rest != 0) push(rest);
  }

  // ---- splitting

  /// Where in [low, high] to split: in the outermost loop, there as late as may be. Gaps alone.
  [[nodiscard]] Place best_split(Place low, Place high) const {
    high = high / 4 * 4;
    if (low >= high) return high;
    const std::uint32_t last = block_of_[std::min<std::size_t>(node_of(high), block_of_.size() - 1)];
    const std::uint32_t first = block_of_[node_of(low)];
    Place best = high;
    std::uint32_t depth = n_.blocks[last].depth;
    if (n_.blocks[last].from() == high) depth = boundary_depth(last);
    for (std::uint32_t b = last; b > first; --b) {
      const Place from = n_.blocks[b].from();
      if (from < low || from > high) continue;
      if (boundary_depth(b) < depth) {
        depth = boundary_depth(b);
        best = from;
      }
    }
    return best;
  }
  /// Of the place where a block starts: a move there is made on its edges.
  [[nodiscard]] std::uint32_t boundary_depth(std::uint32_t b) const {
    const MachineBlock& block = n_.blocks[b];
    return block.is_loop_start && block.depth > 0 ? block.depth - 1 : block.depth;
  }

  /// Cuts the interval at the place; the part behind it, or 0 when there is none.
  std::uint32_t split(std::uint32_t index, Place place) {
    if (place <= at(index).from() || place >= at(index).to()) return 0;
    Interval rest;
    Interval& whole = at(index);
    rest.value = whole.value;
    rest.bank = whole.bank;
    rest.hint = whole.reg != kNoReg ? whole.reg : whole.hint;
    std::size_t k = 0;
    while (whole.ranges[k].to <= place) ++k;
    rest.ranges.assign(whole.ranges.begin() + static_cast<std::ptrdiff_t>(k), whole.ranges.end());
    whole.ranges.resize(k);
    if (rest.ranges.front().from < place) {
      whole.ranges.push_back({rest.ranges.front().from, place});
      rest.ranges.front().from = place;
    }
    const auto cut = std::ranges::lower_bound(whole.uses, place, {}, &UsePlace::at);
    rest.uses.assign(cut, whole.uses.end());
    whole.uses.erase(cut, whole.uses.end());
    rest.next = whole.next;
    const auto made = static_cast<std::uint32_t>(i_.all.size());
    whole.next = made;
    i_.all.push_back(std::move(rest));
    return made;
  }

  // ---- registers

  /// The first place from the interval's start on at which nodes take the register.
  [[nodiscard]] Place blocked_at(Reg reg, const Interval& interval) const {
    Place first = kNever;
    const std::vector<Range>& list = i_.blocked[reg];
    auto next = std::ranges::upper_bound(list, interval.from(), {}, &Range::to);
    for (; next != list.end() && next->from < interval.to(); ++next) {
      const Place meets = first_covered(interval, next->from, next->to);
      if (meets != kNever) {
        first = meets;
        break;
      }
    }
    return std::min(first, clobbered_at(interval));
  }
  [[nodiscard]] Place clobbered_at(const Interval& interval) const {
    auto next = std::ranges::lower_bound(i_.clobbers, interval.from());
    for (; next != i_.clobbers.end() && *next < interval.to(); ++next) {
      if (interval.covers(*next)) return *next;
    }
    return kNever;
  }
  static Place first_covered(const Interval& interval, Place from, Place to) {
    for (const Range& range : interval.ranges) {
      if (range.from >= to) return kNever;
      if (range.to > from) return std::max(range.from, from);
    }
    return kNever;
  }

  [[nodiscard]] Reg hint_of(const Interval& interval) const {
    if (interval.hint != kNoReg) return interval.hint;
    if (interval.hint_value == kNoValue) return kNoReg;
    std::uint32_t part = i_.of_value[interval.hint_value];
    Reg found = kNoReg;
    for (; part != 0 && part != kNone; part = i_.all[part].next) {
      const Interval& other = i_.all[part];
      if (other.reg != kNoReg && !other.ranges.empty()) {
        found = other.reg;
        if (other.to() >= interval.from()) break;
      }
    }
    return found;
  }

  bool try_free(std::uint32_t index) {
    Interval& current = at(index);
    std::array<Place, 32> free_until;
    free_until.fill(0);
    const RegSet set = registers_of(current.bank);
    // A register nodes take soon is found out last: most intervals end before.
    for (RegSet bits = set; bits != 0; bits &= bits - 1) {
      const auto r = static_cast<Reg>(std::countr_zero(bits));
      free_until[r] = kNever;
    }
    for (const std::uint32_t k : active_) free_until[at(k).reg] = 0;
    for (const std::uint32_t k : inactive_) {
      const Interval& other = at(k);
      if (free_until[other.reg] == 0) continue;
      const Place meets = current.meets(other);
      free_until[other.reg] = std::min(free_until[other.reg], meets);
    }
    for (RegSet bits = set; bits != 0; bits &= bits - 1) {
      const auto r = static_cast<Reg>(std::countr_zero(bits));
      if (free_until[r] != 0) free_until[r] = std::min(free_until[r], blocked_at(r, current));
    }
    const Reg hint = hint_of(current);
    Reg best = kNoReg;
    if (hint != kNoReg && (set & bit(hint)) != 0 && free_until[hint] >= current.to()) best = hint;
    if (best == kNoReg) {
      // One that is free for the whole interval, and no longer than it has to be; else the longest free.
      for (RegSet bits = set; bits != 0; bits &= bits - 1) {
        const auto r = static_cast<Reg>(std::countr_zero(bits));
        if (best == kNoReg || better(free_until[r], free_until[best], current.to())) best = r;
      }
      if (hint != kNoReg && (set & bit(hint)) != 0 && free_until[best] < current.to() &&
          free_until[hint] == free_until[best]) {
        best = hint;
      }
    }
    const Place until = free_until[best];
    if (until >= current.to()) {
      current.reg = best;
      active_.push_back(index);
      return true;
    }
    const Place cut = until / 4 * 4;
    if (cut <= current.from()) return false;
    const Place use = current.register_use(current.from());
    // In memory at once when no register is needed before the cut.
    if (use >= cut && current.temporary == kNone && use != kNever && !starts_with_register(current)) {
      spill_from(index);
      return true;
    }
    if (use == kNever && !starts_with_register(current)) {
      current.reg = kNoReg;
      return true;
    }
    const std::uint32_t rest = split(index, best_split(last_use_before(at(index), cut) + 1, cut));
    if (rest == 0) return false;
    push(rest);
    at(index).reg = best;
    active_.push_back(index);
    return true;
  }
  static bool starts_with_register(const Interval& interval) {
    return !interval.uses.empty() && interval.uses.front().needs_register &&
           node_of(interval.uses.front().at) == node_of(interval.from());
  }
  static Place last_use_before(const Interval& interval, Place place) {
    Place last = interval.from();
    for (const UsePlace& use : interval.uses) {
      if (use.at >= place) break;
      last = use.at;
    }
    return last;
  }
  static bool better(Place a, Place b, Place end) {
    const bool a_serves = a >= end, b_serves = b >= end;
    if (a_serves != b_serves) return a_serves;
    return a_serves ? a < b : a > b;
  }

  bool allocate_blocked(std::uint32_t index) {
    const Place start = at(index).from();
    const Place first_use = at(index).register_use(start);
    if (first_use == kNever) {
      at(index).reg = kNoReg;
      return true;
    }
    std::array<Place, 32> used, blocked;
    used.fill(0);
    blocked.fill(0);
    const RegSet set = registers_of(at(index).bank);
    for (RegSet bits = set; bits != 0; bits &= bits - 1) {
      const auto r = static_cast<Reg>(std::countr_zero(bits));
      used[r] = kNever;
      blocked[r] = blocked_at(r, at(index));
      if (blocked[r] / 4 * 4 <= start && blocked[r] != kNever) used[r] = 0;
    }
    for (const std::uint32_t k : active_) {
      const Interval& other = at(k);
      if (other.temporary != kNone) {
        used[other.reg] = 0;
      } else {
        // Its last use before may be of the same node, where it stays.
        used[other.reg] = std::min(used[other.reg], can_leave(other, start) ? other.register_use(start) : 0);
      }
    }
    for (const std::uint32_t k : inactive_) {
      const Interval& other = at(k);
      if (at(index).meets(other) == kNever) continue;
      used[other.reg] = std::min(used[other.reg], other.temporary != kNone ? 0 : other.register_use(start));
    }
    Reg best = kNoReg;
    for (RegSet bits = set; bits != 0; bits &= bits - 1) {
      const auto r = static_cast<Reg>(std::countr_zero(bits));
      if (best == kNoReg || used[r] > used[best] || (used[r] == used[best] && blocked[r] > blocked[best])) best = r;
    }
    const bool starts_here = gap_of(node_of(first_use)) <= start;
    if (used[best] <= first_use && !starts_here) {
      spill_from(index);
      return true;
    }
    if (used[best] != kNever && gap_of(node_of(used[best])) <= start) return false;
    if (blocked[best] < at(index).to()) {
      const Place cut = blocked[best] / 4 * 4;
      const std::uint32_t rest = split(index, best_split(last_use_before(at(index), cut) + 1, cut));
      if (rest == 0) return false;
      push(rest);
    }
    at(index).reg = best;
    // What was there goes to memory.
    for (std::size_t k = 0; k < active_.size();) {
      const std::uint32_t other = active_[k];
      if (at(other).reg != best) {
        ++k;
        continue;
      }
      active_[k] = active_.back();
      active_.pop_back();
      evict(other, start);
    }
    for (std::size_t k = 0; k < inactive_.size();) {
      const std::uint32_t other = inactive_[k];
      if (at(other).reg != best || at(index).meets(at(other)) == kNever) {
        ++k;
        continue;
      }
      inactive_[k] = inactive_.back();
      inactive_.pop_back();
      evict(other, start);
    }
    active_.push_back(index);
    return true;
  }
  /// Whether a part that is in its register at the place may leave it there: it does not start at the same node.
  static bool can_leave(const Interval& other, Place start) { return other.from() < start; }

  void evict(std::uint32_t index, Place place) {
    const std::uint32_t rest = split(index, place);
    if (rest == 0) return;
    spill_from_next(rest);
  }
  /// As spill_from, of a part that was cut anywhere.
  void spill_from_next(std::uint32_t index) {
    at(index).reg = kNoReg;
    at(index).starts_in_memory = false;
    const Place use = at(index).register_use(at(index).from());
    if (use == kNever) return;
    const std::uint32_t rest = split(index, best_split(at(index).from() + 1, gap_of(node_of(use))));
    if (rest != 0) push(rest);
  }

  const Nodes& n_;
  Intervals& i_;
  std::vector<std::uint32_t> block_of_;  // by node
  std::priority_queue<std::pair<Place, std::uint32_t>, std::vector<std::pair<Place, std::uint32_t>>, std::greater<>>
      unhandled_;
  std::vector<std::uint32_t> active_, inactive_;
  std::size_t steps_ = 0;
};

}  // namespace

bool allocate(const Nodes& nodes, Intervals& intervals) { return LinearScan(nodes, intervals).run(); }

}  // namespace cairn::jit::ssa
