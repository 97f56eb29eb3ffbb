#include "frontend/check/row_graph.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "frontend/check/checker.hpp"
#include "frontend/check/row_labels.hpp"

namespace cairn::checked {

namespace {

/// The bound of E-EFFECT-LIMIT: labels kept for all components together.
constexpr std::uint64_t kMostLabels = std::uint64_t{1} << 24;
constexpr std::uint32_t kUnvisited = std::numeric_limits<std::uint32_t>::max();

std::uint64_t key_of(const DynamicMember& member) { return (std::uint64_t{member.trait->index} << 32) | member.member; }

void sort_unique(std::vector<Name>& names) {
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
}

template <class Visit>
void for_each_place(PlaceSet set, Visit&& visit) {
  for (std::size_t word = 0; word < set.size(); ++word) {
    for (std::uint64_t bits = set[word]; bits != 0; bits &= bits - 1) {
      visit(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
}

}  // namespace

RowGraph::RowGraph(Checker& checker) : checker_(checker) {
  const auto& functions = checker.program().functions;
  rows_.reserve(functions.size());
  HeapTypes types;
  for (const auto& function : functions) rows_.push_back(collect_own_row(checker, *function, types));
  for (std::size_t node = 0; node < functions.size(); ++node) {
    sort_unique(rows_[node].others);
    taken_.insert(taken_.end(), rows_[node].taken.begin(), rows_[node].taken.end());
    // dynamic_node grows rows_, so edges are looked up by index.
    for (std::size_t k = 0; k < rows_[node].edges.size(); ++k) {
      const RowEdge edge = rows_[node].edges[k];
      if (edge.function == nullptr) dynamic_node(edge.dynamic);
    }
  }
  std::ranges::sort(taken_, {}, &Function::index);
  taken_.erase(std::ranges::unique(taken_).begin(), taken_.end());
}

std::uint32_t RowGraph::dynamic_node(const DynamicMember& member) {
  const auto [entry, is_new] = dynamic_nodes_.try_emplace(key_of(member), static_cast<std::uint32_t>(rows_.size()));
  if (!is_new) return entry->second;
  OwnRow row;
  const std::size_t places = member.trait->members[member.member].signature->parameters.size();
  for (const Function* implementation : checker_.implementations(*member.trait, member.member)) {
    RowEdge& edge = row.edges.emplace_back();
    edge.function = implementation;
    edge.first_root = 0;
    edge.root_count = static_cast<std::uint32_t>(places);
  }
  for (std::size_t place = 0; place < places; ++place) row.roots.push_back(static_cast<std::int32_t>(place));
  rows_.push_back(std::move(row));
  return entry->second;
}

std::uint32_t RowGraph::node_of(const RowEdge& edge) const {
  return edge.function != nullptr ? edge.function->index : dynamic_nodes_.find(key_of(edge.dynamic))->second;
}

void RowGraph::add_implementation(const Function& reference, const Function& implementation) {
  OwnRow& row = rows_[reference.index];
  RowEdge& edge = row.edges.emplace_back();
  edge.function = &implementation;
  edge.first_root = static_cast<std::uint32_t>(row.roots.size());
  edge.root_count = static_cast<std::uint32_t>(reference.parameters.size());
  for (std::size_t place = 0; place < reference.parameters.size(); ++place) {
    const bool is_borrow = reference.parameters[place]->type->is(TypeKind::Borrow) ||
                           reference.parameters[place]->type->is(TypeKind::View);
    row.roots.push_back(is_borrow ? static_cast<std::int32_t>(place) : kLocalRoot);
  }
}

// -----------------------------------------------------------------------------------------------------------
// components

/// Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972) without recursion; components come out
/// callees first.
void RowGraph::find_components() {
  const auto count = static_cast<std::uint32_t>(rows_.size());
  component_.assign(count, kUnvisited);
  members_.clear();
  std::vector<std::uint32_t> order(count, kUnvisited);
  std::vector<std::uint32_t> low(count, 0);
  std::vector<std::uint32_t> open;
  struct Frame {
    std::uint32_t node;
    std::size_t edge;
  };
  std::vector<Frame> path;
  std::uint32_t next = 0;
  for (std::uint32_t start = 0; start < count; ++start) {
    if (order[start] != kUnvisited) continue;
    path.push_back({start, 0});
    while (!path.empty()) {
      Frame& frame = path.back();
      const std::uint32_t node = frame.node;
      if (frame.edge == 0 && order[node] == kUnvisited) {
        order[node] = low[node] = next++;
        open.push_back(node);
      }
      if (frame.edge < rows_[node].edges.size()) {
        const std::uint32_t to = node_of(rows_[node].edges[frame.edge++]);
        if (order[to] == kUnvisited) {
          path.push_back({to, 0});
        } else if (component_[to] == kUnvisited) {
          low[node] = std::min(low[node], order[to]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[node]);
      if (low[node] != order[node]) continue;
      auto& members = members_.emplace_back();
      std::uint32_t member = 0;
      do {
        member = open.back();
        open.pop_back();
        component_[member] = static_cast<std::uint32_t>(members_.size() - 1);
        members.push_back(member);
      } while (member != node);
    }
  }
}

std::span<const Name> RowGraph::joined(std::vector<Name>& labels) {
  sort_unique(labels);
  if (labels.empty()) return {};
  std::uint64_t hash = 1469598103934665603U;
  for (const Name label : labels) hash = (hash ^ label.id) * 1099511628211U;
  auto& same_hash = label_sets_[hash];
  for (const auto& known : same_hash) {
    if (std::ranges::equal(known, labels)) return known;
  }
  labels_kept_ += labels.size();
  if (labels_kept_ > kMostLabels) {
    refuse(Code::EffectLimit, {},
           "The effect rows of this program do not settle within " + std::to_string(kMostLabels) + " labels.");
  }
  return same_hash.emplace_back(checker_.arena().copy(labels));
}

/// One step of the fixed point for a node's footprints; what is local goes to the component. Whether the node's grew.
bool RowGraph::propagate(std::uint32_t node, Component& component) {
  OwnRow& row = rows_[node];
  bool grew = false;
  for (const RowEdge& edge : row.edges) {
    const OwnRow& callee = rows_[node_of(edge)];
    const auto roots = std::span(row.roots).subspan(edge.first_root, edge.root_count);
    const auto rename = [&](PlaceSet from, Places& to, Label local, bool keeps_local) {
      for_each_place(from, [&](std::size_t place) {
        const std::int32_t root = place < roots.size() ? roots[place] : kNoRoot;
        if (root >= 0) {
          grew |= to.insert(static_cast<std::size_t>(root));
        } else if (root == kLocalRoot && keeps_local) {
          component.fixed |= bit(local);
        }
      });
    };
    rename(callee.reads.view(), row.reads, Label::LocalRead, true);
    rename(callee.writes.view(), row.writes, Label::LocalWrite, true);
    rename(callee.lanes.view(), row.lanes, Label::LocalRead, false);
  }
  return grew;
}

/// A packaged function that stands for a native may say in its ceiling that storage of its own is no part of what it
/// promises (reference algorithms, 16.2): what the ceiling leaves out of these labels, the row leaves out.
void RowGraph::keep_own_storage(std::uint32_t node, Component& component) const {
  const auto& functions = checker_.program().functions;
  if (node >= functions.size()) return;
  const Function& function = *functions[node];
  if (!function.library || function.ceiling == nullptr || function.ceiling->pure_alone) return;
  LabelSet own = labels(Label::LocalRead, Label::LocalWrite, Label::StackStorage, Label::ZeroInit);
  for (const syntax::EffectLabel& label : function.ceiling->labels) {
    if (label.text == "pure") return;
    if (const auto named = label_of(label.text)) own &= ~bit(*named);
  }
  component.fixed &= ~own;
}

void RowGraph::solve_component(std::span<const std::uint32_t> members) {
  const std::uint32_t self = component_[members.front()];
  Component& component = components_[self];
  bool is_cycle = members.size() > 1;
  std::vector<Name> labels;
  std::vector<std::span<const Name>> sets;
  for (const std::uint32_t node : members) {
    const OwnRow& row = rows_[node];
    component.fixed |= row.fixed;
    component.calls_values |= row.calls_values;
    labels.insert(labels.end(), row.others.begin(), row.others.end());
    for (const RowEdge& edge : row.edges) {
      const std::uint32_t to = component_[node_of(edge)];
      is_cycle = is_cycle || to == self;
      if (to == self) continue;
      component.fixed |= components_[to].fixed;
      component.calls_values |= components_[to].calls_values;
      if (!components_[to].others.empty()) sets.push_back(components_[to].others);
    }
  }
  // Many callees have the same set: each is joined once.
  std::ranges::sort(sets, {}, [](const auto& set) { return set.data(); });
  sets.erase(std::ranges::unique(sets, {}, [](const auto& set) { return set.data(); }).begin(), sets.end());
  if (labels.empty() && sets.size() == 1) {
    component.others = sets.front();
  } else {
    for (const auto& set : sets) labels.insert(labels.end(), set.begin(), set.end());
    component.others = joined(labels);
  }
  if (is_cycle) component.fixed |= bit(Label::Diverge);

  if (members.size() == 1) {
    while (propagate(members.front(), component)) {
    }
    keep_own_storage(members.front(), component);
    return;
  }
  // Within a cycle: when a node grows, its callers are looked at again.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> callers;
  for (const std::uint32_t node : members) {
    for (const RowEdge& edge : rows_[node].edges) {
      const std::uint32_t to = node_of(edge);
      if (component_[to] == self) callers[to].push_back(node);
    }
  }
  std::vector<std::uint32_t> work(members.begin(), members.end());
  std::unordered_map<std::uint32_t, bool> waiting;
  for (const std::uint32_t node : members) waiting[node] = true;
  while (!work.empty()) {
    const std::uint32_t node = work.back();
    work.pop_back();
    waiting[node] = false;
    if (!propagate(node, component)) continue;
    for (const std::uint32_t caller : callers[node]) {
      if (waiting[caller]) continue;
      waiting[caller] = true;
      work.push_back(caller);
    }
  }
}

void RowGraph::solve() {
  find_components();
  components_.assign(members_.size(), {});
  for (const auto& members : members_) solve_component(members);

  // What calling any function value may do.
  LabelSet fixed = 0;
  std::vector<Name> labels;
  for (const Function* function : taken_) {
    const Component& component = components_[component_[function->index]];
    fixed |= component.fixed;
    labels.insert(labels.end(), component.others.begin(), component.others.end());
  }
  const std::span<const Name> others = joined(labels);
  if (fixed != 0 || !others.empty()) {
    for (Component& component : components_) {
      if (!component.calls_values) continue;
      component.fixed |= fixed;
      labels.assign(component.others.begin(), component.others.end());
      labels.insert(labels.end(), others.begin(), others.end());
      component.others = joined(labels);
    }
  }
  hang_rows();
}

void RowGraph::hang_rows() {
  Arena& arena = checker_.arena();
  for (const auto& function : checker_.program().functions) {
    const OwnRow& own = rows_[function->index];
    const Component& component = components_[component_[function->index]];
    Row* row = arena.make<Row>();
    row->fixed = component.fixed;
    row->others = component.others;
    row->reads = arena.copy(own.reads.view());
    row->writes = arena.copy(own.writes.view());
    row->lanes = arena.copy(own.lanes.view());
    function->row = row;
  }
}

// ---------------------------------------------------------------------------------------------------------
// reachability

bool RowGraph::Reach::operator[](const Function& function) const {
  return function.index < marks.size() && marks[function.index];
}

void RowGraph::mark_reaching(const Function& target, Reach& reach) {
  if (callers_.empty()) {
    callers_.resize(rows_.size());
    is_taken_.assign(rows_.size(), false);
    for (std::uint32_t node = 0; node < rows_.size(); ++node) {
      for (const RowEdge& edge : rows_[node].edges) callers_[node_of(edge)].push_back(node);
      if (rows_[node].calls_values) value_callers_.push_back(node);
    }
    for (const Function* function : taken_) is_taken_[function->index] = true;
  }
  reach.marks.resize(rows_.size(), false);
  std::vector<std::uint32_t> work;
  const auto mark = [&](std::uint32_t node) {
    if (reach.marks[node]) return;
    reach.marks[node] = true;
    work.push_back(node);
  };
  mark(target.index);
  while (!work.empty()) {
    const std::uint32_t node = work.back();
    work.pop_back();
    for (const std::uint32_t caller : callers_[node]) mark(caller);
    if (!is_taken_[node] || reach.through_values) continue;
    reach.through_values = true;
    for (const std::uint32_t caller : value_callers_) mark(caller);
  }
}

std::vector<bool> RowGraph::reached_from(const Function& start) const {
  std::vector<bool> reached(rows_.size(), false);
  std::vector<std::uint32_t> work{start.index};
  const auto mark = [&](std::uint32_t node) {
    if (reached[node]) return;
    reached[node] = true;
    work.push_back(node);
  };
  bool values_done = false;
  while (!work.empty()) {
    const std::uint32_t node = work.back();
    work.pop_back();
    for (const RowEdge& edge : rows_[node].edges) mark(node_of(edge));
    if (!rows_[node].calls_values || values_done) continue;
    values_done = true;
    for (const Function* function : taken_) mark(function->index);
  }
  return reached;
}

Row RowGraph::dynamic_row(const TraitInfo& trait, std::uint32_t member) const {
  Row row;
  const auto found = dynamic_nodes_.find(key_of({&trait, member}));
  if (found == dynamic_nodes_.end()) return row;
  const Component& component = components_[component_[found->second]];
  row.fixed = component.fixed;
  row.others = component.others;
  row.reads = rows_[found->second].reads.view();
  row.writes = rows_[found->second].writes.view();
  return row;
}

std::vector<const Function*> RowGraph::callees(const Function& function) const {
  std::vector<const Function*> all;
  for (const RowEdge& edge : rows_[function.index].edges) {
    if (edge.function != nullptr) {
      all.push_back(edge.function);
      continue;
    }
    for (const RowEdge& target : rows_[node_of(edge)].edges) all.push_back(target.function);
  }
  return all;
}

}  // namespace cairn::checked
