// Effect rows (abstractions, section 9): what a function may do, as a set of labels. A Row is immutable once it hangs
// on a checked::Function. Footprints are kept per *named place* of the function: its parameters in order, then
// (closures and lane bodies) its captures in order, so that a call renames them by position and text is made only for
// people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/support/arena.hpp"
#include "frontend/support/names.hpp"

namespace cairn::checked {

struct Function;
struct Program;

/// The labels that need no argument, in alphabetical order of their text.
enum class Label : std::uint8_t {
  Alloc,
  Asm,
  AsmAarch64,
  AsmPtx,
  AsmX86_64,
  Atomic,
  Barrier,
  Dispatch,
  Diverge,
  Fence,
  FfiPrecondition,
  Free,
  GpuAlloc,
  GpuFree,
  IndirectCall,
  Io,
  Join,
  LocalRead,
  LocalWrite,
  Lock,
  Mmio,
  ParDevice,
  ParHost,
  Spawn,
  StackStorage,
  TransferD2D,
  TransferD2H,
  TransferH2D,
  TransferH2H,
  Trap,
  ZeroInit,
};
inline constexpr std::size_t kLabelCount = 31;
[[nodiscard]] std::string_view text(Label label);

/// A set of fixed labels.
using LabelSet = std::uint64_t;
[[nodiscard]] constexpr LabelSet bit(Label label) { return LabelSet{1} << static_cast<unsigned>(label); }
template <class... Labels>
[[nodiscard]] constexpr LabelSet labels(Labels... each) {
  return (LabelSet{0} | ... | bit(each));
}

/// What `pure` stands for, every `read:x` aside.
inline constexpr LabelSet kPureLabels = labels(Label::Trap, Label::Diverge, Label::LocalRead, Label::LocalWrite,
                                               Label::StackStorage, Label::ZeroInit, Label::FfiPrecondition);
/// What makes a call observable for operand order; any `ffi:` label does as well (1.11.9, rule 3).
inline constexpr LabelSet kObservableLabels = labels(
    Label::Io, Label::Mmio, Label::Asm, Label::AsmAarch64, Label::AsmPtx, Label::AsmX86_64, Label::Atomic, Label::Lock,
    Label::Spawn, Label::Join, Label::IndirectCall, Label::GpuAlloc, Label::GpuFree, Label::Fence, Label::Barrier,
    Label::ParDevice, Label::ParHost, Label::TransferD2D, Label::TransferD2H, Label::TransferH2D, Label::TransferH2H);

/// A set of small indices (named places of a function): one bit each.
using PlaceSet = std::span<const std::uint64_t>;
[[nodiscard]] constexpr bool contains(PlaceSet set, std::size_t place) {
  return place / 64 < set.size() && (set[place / 64] >> (place % 64) & 1) != 0;
}
[[nodiscard]] bool any(PlaceSet set);

struct Row {
  LabelSet fixed = 0;
  PlaceSet reads;                // read:x
  PlaceSet writes;               // write:x
  PlaceSet lanes;                // lane:f
  std::span<const Name> others;  // ffi:symbol, bound:Trait.member, labels an extern declared that are none of the above

  [[nodiscard]] bool has(Label label) const { return (fixed & bit(label)) != 0; }
  [[nodiscard]] bool has_any(LabelSet set) const { return (fixed & set) != 0; }
};

/// The labels of a row as text, sorted; `function` gives the names of its places.
[[nodiscard]] std::vector<std::string> texts(const Row& row, const Function& function, const NameTable& names);

/// Whether a call with this row could be told from another order of operands by an outsider (1.11.9, rule 3).
[[nodiscard]] bool is_observable(const Row& row, const NameTable& names);

}  // namespace cairn::checked
