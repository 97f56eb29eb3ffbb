// Every pass over SSA, and what runs them in their order.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string_view>

#include "jit/ssa/ir.hpp"

namespace cairn::jit::ssa {

/// What passes know of the module the function is of.
struct Context {
  const bytecode::Module& module;
  bool counts = false;                          // back edges and calls spend fuel: calls stay calls
  std::uint32_t vector_bytes = 0;               // of the processor's widest vectors: 64, 32, or 0 for none
  const std::atomic<bool>* given_up = nullptr;  // set by another thread: the rest need not be done
};

/// One pass. True when it changed something.
struct Pass {
  std::string_view name;
  bool (*run)(Function& function, const Context& context);
};

/// The passes, in their order.
[[nodiscard]] std::span<const Pass> passes();
/// Runs them all. `after` sees the function behind each pass.
void optimize(Function& function, const Context& context,
              const std::function<void(std::string_view pass, const Function& function)>& after = {});

/// Phis of one value, instructions nothing needs, blocks no way leads to, blocks that are one.
bool clean(Function& function, const Context& context);
/// Small functions' code in place of their calls; a few levels of recursion.
bool inline_calls(Function& function, const Context& context);
/// Values that are one number on every way that can be gone (Wegman and Zadeck 1991).
bool propagate_constants(Function& function, const Context& context);
/// What computes the same is computed once.
bool number_values(Function& function, const Context& context);
/// Guards, checked operations and branches that ranges and earlier guards decide.
bool remove_guards(Function& function, const Context& context);
/// Memory in registers: records of the frame as values, loads of what is known.
bool promote_memory(Function& function, const Context& context);
/// Guards of counted loops are asked once, before the loop.
bool version_loops(Function& function, const Context& context);
/// What does not change in a loop is computed before it.
bool hoist_invariants(Function& function, const Context& context);
/// Divisions by numbers as shifts and multiplications.
bool reduce_strength(Function& function, const Context& context);
/// Cheap operations behind a branch are done always, and one result is selected.
bool convert_conditions(Function& function, const Context& context);
/// Nests are done a vector of the outer loop's turns at a time.
bool vectorize_rows(Function& function, const Context& context);
/// Loops over elements are done a vector at a time.
bool vectorize_loops(Function& function, const Context& context);
/// A loop's test is left out where control comes from a block behind which it is known.
bool thread_jumps(Function& function, const Context& context);
/// Small counted loops are done four turns at a time.
bool unroll_loops(Function& function, const Context& context);
/// What a loop adds to one place of memory is in a register while it runs.
bool keep_accumulators(Function& function, const Context& context);
/// Points, which only passes have use for.
bool remove_points(Function& function, const Context& context);

}  // namespace cairn::jit::ssa
