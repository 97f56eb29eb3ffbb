#include "frontend/check/lane_effects.hpp"

#include <algorithm>

#include "frontend/check/checker.hpp"
#include "frontend/check/row_collection.hpp"

namespace cairn::checked {

namespace {

constexpr LabelSet kLaneLabels = labels(Label::Trap, Label::Diverge, Label::LocalRead, Label::LocalWrite,
                                        Label::StackStorage, Label::ZeroInit, Label::FfiPrecondition, Label::Atomic);
constexpr LabelSet kHostLaneLabels =
    kLaneLabels | labels(Label::Alloc, Label::Free, Label::Lock, Label::IndirectCall, Label::Dispatch);
/// Of atomics, updates of elements alone: objects are refused by their placement.
constexpr LabelSet kDeviceLaneLabels = kLaneLabels | labels(Label::AsmPtx, Label::Fence);

constexpr LabelSet allowed_in(bool device) { return device ? kDeviceLaneLabels : kHostLaneLabels; }

void add_text(std::string& list, std::string_view text) {
  if (!list.empty()) list += ", ";
  list += text;
}

std::string texts_of(LabelSet beyond, std::span<const Name> others, const NameTable& names) {
  std::string list;
  for (std::size_t k = 0; k < kLabelCount; ++k) {
    const auto label = static_cast<Label>(k);
    if ((beyond & bit(label)) != 0) add_text(list, text(label));
  }
  for (const Name other : others) {
    add_text(list, names.text(other));
  }
  return list;
}

void add_own_row(Checker& checker, const Function& function, HeapTypes& types, LabelSet& fixed,
                 std::vector<Name>& others) {
  const OwnRow row = collect_own_row(checker, function, types);
  fixed |= row.fixed;
  others.insert(others.end(), row.others.begin(), row.others.end());
  for (const RowEdge& edge : row.edges) {
    const bool is_inner = edge.function != nullptr && edge.function->parent == &function;
    if (is_inner) add_own_row(checker, *edge.function, types, fixed, others);
  }
}

}  // namespace

std::string effects_no_lane_has(const Row& row, const NameTable& names, bool device) {
  return texts_of(row.fixed & ~allowed_in(device), row.others, names);
}

std::string effects_no_lane_has(Checker& checker, const Function& lane, bool device) {
  HeapTypes types;
  LabelSet fixed = 0;
  std::vector<Name> others;
  add_own_row(checker, lane, types, fixed, others);
  std::ranges::sort(others);
  others.erase(std::ranges::unique(others).begin(), others.end());
  return texts_of(fixed & ~allowed_in(device), others, checker.names());
}

}  // namespace cairn::checked
