// The effect fixed point (abstractions, 9.2) over the call graph of a whole program. Fixed labels, foreign symbols and
// other labels are the same for all functions of one strongly connected component, so they are kept once for it; only
// footprints are propagated edge by edge, within a component until nothing changes.
//
// Function values. A call of one joins the rows of every function whose address the program takes; its edges do not
// count for call cycles. Trait members called dynamically are nodes of their own, one per (trait, member).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "frontend/check/row_collection.hpp"

namespace cairn {

class Checker;

namespace checked {

class RowGraph {
 public:
  /// Collects what every function of the program adds by itself.
  explicit RowGraph(Checker& checker);

  /// From now on a call of the reference may run the implementation.
  void add_implementation(const Function& reference, const Function& implementation);

  /// Computes all rows and hangs them on their functions. E-EFFECT-LIMIT when they do not fit the bound.
  void solve();

  /// Marks, by function index, what reaches a target: directly, dynamically or through a function value that may be it.
  /// A target reaches itself. Marks of several targets add up, at a cost linear in the program for all together.
  struct Reach {
    std::vector<bool> marks;
    bool through_values = false;  // some marked function's address is taken
    [[nodiscard]] bool operator[](const Function& function) const;
  };
  void mark_reaching(const Function& target, Reach& reach);

  /// By function index: what a function reaches, itself left out unless it calls back.
  [[nodiscard]] std::vector<bool> reached_from(const Function& start) const;

  /// The joined row of a trait member over all its implementations, after `solve`; its places are the member's
  /// parameters.
  [[nodiscard]] Row dynamic_row(const TraitInfo& trait, std::uint32_t member) const;

  /// Every function whose address the program takes.
  [[nodiscard]] std::span<const Function* const> taken() const { return taken_; }

  /// The functions a body may call directly, closures and lanes included; for reports.
  [[nodiscard]] std::vector<const Function*> callees(const Function& function) const;

 private:
  struct Component {
    LabelSet fixed = 0;
    std::span<const Name> others;
    bool calls_values = false;
  };

  std::uint32_t node_of(const RowEdge& edge) const;
  std::uint32_t dynamic_node(const DynamicMember& member);
  void find_components();
  void solve_component(std::span<const std::uint32_t> members);
  bool propagate(std::uint32_t node, Component& component);
  void keep_own_storage(std::uint32_t node, Component& component) const;
  std::span<const Name> joined(std::vector<Name>& labels);
  void hang_rows();

  Checker& checker_;
  std::vector<OwnRow> rows_;              // one per node: functions by index, then dynamic members
  std::vector<std::uint32_t> component_;  // of each node
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<Component> components_;
  std::vector<const Function*> taken_;  // every function whose address is taken
  std::unordered_map<std::uint64_t, std::uint32_t> dynamic_nodes_;
  std::vector<std::vector<std::uint32_t>> callers_;  // by node, once asked for
  std::vector<std::uint32_t> value_callers_;
  std::vector<bool> is_taken_;
  std::unordered_map<std::uint64_t, std::vector<std::span<const Name>>> label_sets_;  // by hash
  std::uint64_t labels_kept_ = 0;
};

}  // namespace checked
}  // namespace cairn
