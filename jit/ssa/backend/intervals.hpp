// Where each value is alive, and what is asked of it there: intervals over the places of nodes.hpp, built backwards
// from the sets of live values (Wimmer and Franz, "Linear scan register allocation on SSA form", 2010).
#pragma once

#include "jit/ssa/backend/nodes.hpp"

namespace cairn::jit::ssa {

struct Range {
  Place from = 0, to = 0;
};

struct UsePlace {
  Place at = 0;
  bool needs_register = false;
};

/// A part of a value's life in one place, or a node's own register.
struct Interval {
  Value value = kNoValue;
  Bank bank = Bank::General;
  std::vector<Range> ranges;   // ascending, apart
  std::vector<UsePlace> uses;  // ascending
  Reg reg = kNoReg;            // none: in memory
  Reg hint = kNoReg;
  Value hint_value = kNoValue;  // or the register of that value where this one starts
  std::uint32_t next = kNone;   // the part that follows
  bool starts_in_memory = false;
  std::uint32_t temporary = kNone;

  [[nodiscard]] Place from() const { return ranges.front().from; }
  [[nodiscard]] Place to() const { return ranges.back().to; }
  [[nodiscard]] bool covers(Place place) const {
    for (const Range& range : ranges) {
      if (place < range.from) return false;
      if (place < range.to) return true;
    }
    return false;
  }
  /// The first place from `from` on that both cover, or kNever.
  [[nodiscard]] Place meets(const Interval& other) const;
  /// The first place from `place` on at which a register is needed, or kNever.
  [[nodiscard]] Place register_use(Place place) const {
    for (const UsePlace& use : uses) {
      if (use.needs_register && use.at >= place) return use.at;
    }
    return kNever;
  }
};

struct Intervals {
  std::vector<Interval> all;                   // 0 is none
  std::vector<std::uint32_t> of_value;         // its first part; 0: the value is never needed
  std::vector<std::uint32_t> of_temporary;     // 0: a certain register
  std::array<std::vector<Range>, 32> blocked;  // by register: ascending, where nodes take it
  std::vector<Place> clobbers;                 // ascending: 4n + 2 of the nodes behind which nothing is in registers
  std::vector<std::uint64_t> live_in;          // by block: sets of values
  std::size_t set_words = 0;
  [[nodiscard]] bool is_live_in(std::uint32_t block, Value value) const {
    return (live_in[block * set_words + value / 64] >> (value % 64) & 1) != 0;
  }
};

void build_intervals(const Function& function, const Nodes& nodes, Intervals& intervals);

}  // namespace cairn::jit::ssa
