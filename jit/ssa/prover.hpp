// Proves inequalities between values on demand, in the manner of Bodik, Gupta and Sarkar, "ABCD: eliminating array
// bounds checks on demand" (2000): x - y <= c follows from what x and y are computed of, from the guards and branches
// that dominate the place, and for phis by induction over the ways into them.
#pragma once

#include "jit/ssa/flow.hpp"
#include "jit/ssa/fold.hpp"

namespace cairn::jit::ssa {

class Prover {
 public:
  /// Guards and branches are facts from where they stand; later changes to the function are not seen.
  Prover(const Function& function, const Dominators& dominators);

  /// A place in the code: behind the first `position` instructions of the block.
  struct Point {
    BlockId block = 0;
    std::uint32_t position = 0;
  };

  /// Whether x - y <= c wherever control comes to the point, as numbers of signed or unsigned kinds; no value is zero.
  bool at_most(Value x, Value y, Number c, Point point, bool is_signed);
  /// Whether the relation always holds there, or, `negative`, never does.
  bool always(Relation relation, Kind kind, Value a, Value b, Point point);
  bool never(Relation relation, Kind kind, Value a, Value b, Point point);
  /// Bounds of a value from what it is computed of alone.
  [[nodiscard]] Number upper(Value value, bool is_signed) const;
  [[nodiscard]] Number lower(Value value, bool is_signed) const;
  /// An upper bound of an unsigned value at the point: of what it is computed of, facts, and where loops turn back.
  Number most(Value value, Point point, std::uint32_t depth = 6);
  /// All steps together are this many at most; past them nothing is proved.
  void limit(std::uint64_t steps) { steps_left_ = steps; }

 private:
  struct Fact {
    Relation relation{};
    Value other = kNoValue;
    bool is_signed = false;
    bool both = false;  // equality of slots: of either sign
    BlockId block = 0;
    std::uint32_t position = 0;
    std::uint32_t next = kNone;
  };
  struct Assumption {
    Value phi = kNoValue, other = kNoValue;
    Number c = 0;
    bool phi_is_x = false;
  };

  void add_facts(Relation relation, Kind kind, Value a, Value b, BlockId block, std::uint32_t position);
  void add_fact(Value value, Fact fact);
  Number most_on_edge(Value value, BlockId from, BlockId to, std::uint32_t depth);
  [[nodiscard]] bool in_scope(const Fact& fact, Point point) const;
  bool prove(Value x, Value y, Number c, Point point, std::uint32_t depth);
  bool prove_from_x(Value x, Value y, Number c, Point point, std::uint32_t depth);
  bool prove_from_y(Value x, Value y, Number c, Point point, std::uint32_t depth);
  bool prove_phi(Value phi, Value x, Value y, Number c, std::uint32_t depth);
  bool prove_below_other(Value x, Value y, Number c, Point point);
  bool prove_from_edge(Value x, Value y, Number c, BlockId from, BlockId to, std::uint32_t depth);
  bool use_fact(Relation relation, Value value, Value other, Value x, Value y, Number c, Point point,
                std::uint32_t depth);
  [[nodiscard]] std::uint32_t first_fact(Value value) const {
    return value < first_fact_.size() ? first_fact_[value] : kNone;
  }
  [[nodiscard]] bool is_number(const Instruction& i) const;

  const Function& f_;
  const Dominators& dominators_;
  std::vector<std::uint32_t> first_fact_;  // by value
  std::vector<Fact> facts_;
  std::vector<Assumption> assumed_;
  bool is_signed_ = false;
  std::uint32_t budget_ = 0;
  std::uint64_t steps_left_ = ~std::uint64_t{0};
};

}  // namespace cairn::jit::ssa
