// What the register allocator promises, over random programs and over a function that needs more registers than there
// are.
#include "jit/ssa/backend/homes.hpp"
#include "jit/ssa/backend/linear_scan.hpp"
#include "jit/ssa/build.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/text.hpp"
#include "tests/jit/both_tiers.hpp"
#include "tests/jit/random_module.hpp"

namespace cairn::tests {
namespace {

namespace ssa = jit::ssa;

struct Allocation {
  ssa::Nodes nodes;
  ssa::Intervals intervals;
  ssa::Homes homes;
};

/// The allocation of a function, or what could not be done.
std::string allocate(const ssa::Function& function, const Module& module, Allocation& made) {
  const jit::Engine engine;
  const ssa::Target target{module, engine, ssa::Cpu::host(), false};
  if (!ssa::select(function, target, made.nodes)) return "no form";
  ssa::build_intervals(function, made.nodes, made.intervals);
  if (!ssa::allocate(made.nodes, made.intervals)) return "no registers";
  return ssa::find_homes(function, target, made.nodes, made.intervals, made.homes) ? "" : "no homes";
}

/// Whether two parts of values' lives are in one register, or two values' lives in one home, at one place.
void check_apart(const Allocation& made) {
  const std::vector<ssa::Interval>& all = made.intervals.all;
  for (std::size_t a = 1; a < all.size(); ++a) {
    if (all[a].ranges.empty() || all[a].reg == ssa::kNoReg) continue;
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      if (all[b].ranges.empty() || all[b].reg != all[a].reg) continue;
      if (all[a].meets(all[b]) != ssa::kNever) FAIL("two values are in a register at " << all[a].meets(all[b]));
    }
    for (const ssa::Range& range : made.intervals.blocked[all[a].reg]) {
      for (const ssa::Range& mine : all[a].ranges) {
        if (range.from < mine.to && mine.from < range.to) FAIL("a node's own register holds a value");
      }
    }
    for (const ssa::Place place : made.intervals.clobbers) {
      if (all[a].covers(place)) FAIL("a value is in a register across a call");
    }
  }
}

/// Operands that need a register have one, late ones where the result is written as well.
void check_operands(const Allocation& made) {
  for (std::uint32_t k = 0; k < made.nodes.nodes.size(); ++k) {
    for (const ssa::Input& input : made.nodes.inputs_of(made.nodes.nodes[k])) {
      if (input.needs != ssa::Input::Needs::Register) continue;
      const ssa::Place place = ssa::gap_of(k) + (input.late ? 2 : 1);
      const ssa::Location at = ssa::location_at(made.intervals, made.homes, input.value, place);
      if (!at.in_register()) FAIL("v" << input.value << " is in no register at node " << k);
    }
  }
}

TEST_CASE("no two values of a random program are in one register at one place", "[jit][ssa]") {
  constexpr std::uint64_t kPrograms = 150;
  std::size_t functions = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    INFO("seed " << seed);
    const Module module = random_module(seed);
    for (std::uint32_t index = 0; index < module.functions.size(); ++index) {
      auto built = ssa::build(module, index, {0, false});
      if (!built) continue;
      ssa::optimize(*built, {module, false, 0});
      Allocation made;
      REQUIRE(allocate(*built, module, made).empty());
      check_apart(made);
      check_operands(made);
      ++functions;
    }
  }
  REQUIRE(functions > kPrograms);
}

/// Reads `count` elements, calls when asked, then adds them up.
std::string sum_of(std::uint32_t count, bool calls) {
  std::string text = "function 0 entry 0\nb0 @0:\n  v1 = slot.u64 #0\n";
  for (std::uint32_t k = 0; k < count; ++k) {
    text += "  v" + std::to_string(k + 2) + " = load.u64 v1 #" + std::to_string(8 * k) + "\n";
  }
  std::uint32_t next = count + 2;
  if (calls) text += "  v" + std::to_string(next++) + " = call *40 #0\n";
  std::uint32_t sum = 2;
  for (std::uint32_t k = 1; k < count; ++k) {
    text += "  v" + std::to_string(next) + " = add.u64 v" + std::to_string(sum) + " v" + std::to_string(k + 2) + "\n";
    sum = next++;
  }
  return text + "  return v" + std::to_string(sum) + "\n";
}

Module one_function() {
  auto module = read_text(
      "module \"m\"\nfile 0 \"m.cairn\"\nsignature 0 (u64) -> u64\nfunction 0 \"f\" signature 0 kind plain environment "
      "none "
      "parent none at 0:1:1 slots 60 memory 0 align 16\n  r0 u64\n  : return.value r0\nend\n");
  if (!module) FAIL(module.error());
  return std::move(*module);
}

Allocation allocated(const std::string& text) {
  static const Module module = one_function();
  ssa::Function function;
  std::string error;
  if (!ssa::read(text, function, error)) FAIL(error << "\n" << text);
  REQUIRE(ssa::verify(function).empty());
  Allocation made;
  REQUIRE(allocate(function, module, made).empty());
  check_apart(made);
  check_operands(made);
  return made;
}

std::size_t homes_in(const Allocation& made, ssa::Location::Is where) {
  std::size_t count = 0;
  for (const ssa::Location& home : made.homes.of_value) count += home.is == where ? 1 : 0;
  return count;
}

TEST_CASE("eight values alive at once stay in registers, and of thirty some are spilled", "[jit][ssa]") {
  using Is = ssa::Location::Is;
  const Allocation few = allocated(sum_of(8, false));
  REQUIRE(homes_in(few, Is::Spill) == 0);
  REQUIRE(homes_in(few, Is::Frame) == 0);
  const Allocation many = allocated(sum_of(30, false));
  REQUIRE(homes_in(many, Is::Spill) >= 30 - 11);
  REQUIRE(homes_in(many, Is::Frame) == 0);
}

TEST_CASE("the operands of an address keep their registers where it is written, however many values are alive",
          "[jit][ssa]") {
  for (std::uint32_t count = 2; count < 20; ++count) {
    // Elements are read, then the address of a record of 32 bytes is made, which takes two instructions, and they are
    // stored there.
    std::string text = "function 0 entry 0\nb0 @0:\n  v1 = slot.u64 #0\n";
    for (std::uint32_t k = 0; k < count; ++k) {
      text += "  v" + std::to_string(k + 2) + " = load.u64 v1 #" + std::to_string(8 * k) + "\n";
    }
    const std::string base = "v" + std::to_string(count + 2), index = "v" + std::to_string(count + 3);
    const std::string made = "v" + std::to_string(count + 4);
    text += "  " + base + " = load.u64 v1 #-8\n  " + index + " = load.u64 v1 #-16\n  guard.lt.u64 " + index +
            " v1 !bounds @1 [r0=v2]\n  " + made + " = address.u64 " + base + " " + index + " *32\n";
    for (std::uint32_t k = 0; k < count; ++k) {
      text += "  store.u64 " + made + " _ v" + std::to_string(k + 2) + " #" + std::to_string(8 * k) + "\n";
    }
    INFO(text);
    allocated(text + "  return v1\n");
  }
}

TEST_CASE("values alive across a call are kept in the frame", "[jit][ssa]") {
  const Allocation made = allocated(sum_of(8, true));
  REQUIRE(homes_in(made, ssa::Location::Is::Frame) == 8);
  REQUIRE(homes_in(made, ssa::Location::Is::Spill) == 0);
}

}  // namespace
}  // namespace cairn::tests
