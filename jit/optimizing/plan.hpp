// What the optimizing tier knows of a function before it is translated: which slots are held in machine registers over
// which loops, which slots are alive where, which guards cannot fail.
#pragma once

#include <functional>
#include <memory>

#include "jit/baseline/slot_cache.hpp"
#include "jit/optimizing/flow.hpp"

namespace cairn::jit {

/// What the fast version of a counted loop rests on: induction + addend + offset stays in 0 .. 2^64 for every value the
/// induction will have and, with a view, below its length.
struct RangeCheck {
  std::uint32_t addend = bytecode::kNone;  // a slot that the loop does not change
  std::int64_t offset = 0;
  std::uint32_t view = bytecode::kNone;
  friend bool operator==(const RangeCheck&, const RangeCheck&) = default;
};

/// An array access of a vector loop: element induction + addend + offset of the view.
struct VectorAccess {
  std::uint32_t word = 0;
  std::uint32_t view = 0, addend = bytecode::kNone;
  std::int64_t offset = 0;
  std::uint32_t slot = 0;  // read or written
  bool store = false;
};

/// A loop over which slots are held: the words `begin` .. `end`, entered at `entry` alone (its first word, or the test
/// at its end).
struct Region {
  std::uint32_t begin = 0, end = 0, entry = 0;
  std::vector<HeldSlot> held;

  // A counted loop (loop.next at its end) that is entered only when the checks hold; else the baseline code runs it.
  bool versioned = false;
  std::uint32_t induction = 0, bound = 0;  // slots
  std::vector<std::uint32_t> hoisted;      // words of instructions done once, before the loop
  std::vector<std::uint32_t> decided;      // words of instructions whose guards the checks decide
  std::vector<RangeCheck> checks;
  // With accesses: all but the last few iterations are done a vector at a time.
  std::vector<VectorAccess> accesses;
  std::uint32_t element_bytes = 0;
};

struct Plan {
  explicit Plan(const bytecode::Function& function) : flow(function) {}

  Flow flow;
  std::vector<Region> regions;               // ascending, disjoint
  std::vector<std::uint8_t> needs_no_guard;  // by word
  std::vector<std::uint8_t> is_hoisted;      // by word
  bool counts = false;                       // back edges and calls count the fuel
  /// Where the baseline code takes up a frame that stands at the loop's first word.
  std::function<const void*(std::uint32_t word)> baseline_at;

  [[nodiscard]] const Region* region_of(std::int64_t word) const {
    for (const Region& region : regions) {
      if (word >= region.begin && word < region.end) return &region;
    }
    return nullptr;
  }
};

/// The plan, with at most so many slots held in general registers over one loop.
[[nodiscard]] std::unique_ptr<Plan> make_plan(const bytecode::Function& function, std::size_t most_held, bool counts);

/// Marks guards that an earlier guard of their block has decided (guards.cpp).
void find_decided_guards(const bytecode::Function& function, Plan& plan);
/// Finds what the counted loop `region` can be rid of when its range is checked before it (versions.cpp). False:
/// nothing.
bool find_version(const bytecode::Function& function, const Flow& flow, Region& region);
[[nodiscard]] bool is_float_slot(const bytecode::Function& function, std::uint32_t slot);
/// Finds out whether a versioned loop can run a vector at a time (vector_loops.cpp).
void find_vector_loop(const bytecode::Function& function, const Flow& flow, Region& region);

}  // namespace cairn::jit
