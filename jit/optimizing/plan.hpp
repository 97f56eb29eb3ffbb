// What the optimizing tier knows of a function before it is translated: which slots are held in machine registers over
// which loops, which slots are alive where, which guards cannot fail.
#pragma once

#include <memory>

#include "jit/baseline/slot_cache.hpp"
#include "jit/optimizing/flow.hpp"

namespace cairn::jit {

/// A loop over which slots are held: the words `begin` .. `end`, entered at `begin` alone.
struct Region {
  std::uint32_t begin = 0, end = 0;
  std::vector<HeldSlot> held;
};

struct Plan {
  explicit Plan(const bytecode::Function& function) : flow(function) {}

  Flow flow;
  std::vector<Region> regions;               // ascending, disjoint
  std::vector<std::uint8_t> needs_no_guard;  // by word
  bool counts = false;                       // back edges and calls count the fuel

  [[nodiscard]] const Region* region_of(std::int64_t word) const {
    for (const Region& region : regions) {
      if (word >= region.begin && word < region.end) return &region;
    }
    return nullptr;
  }
};

/// The plan, with at most so many slots held in general registers over one loop.
[[nodiscard]] std::unique_ptr<Plan> make_plan(const bytecode::Function& function, std::size_t most_held, bool counts);

/// Guards that an earlier guard or comparison has decided (guards.cpp).
void find_decided_guards(const bytecode::Function& function, Plan& plan);

}  // namespace cairn::jit
