#include "jit/ssa/passes.hpp"

namespace cairn::jit::ssa {
namespace {

constexpr Pass kPasses[] = {
    {"clean", clean},                    //
    {"inlining", inline_calls},          //
    {"constants", propagate_constants},  //
    {"numbering", number_values},        //
    {"clean", clean},                    //
    {"memory", promote_memory},          //
    {"numbering", number_values},        //
    {"guards", remove_guards},           //
    {"clean", clean},                    //
    {"versions", version_loops},         //
    {"numbering", number_values},        //
    {"hoisting", hoist_invariants},      //
    {"numbering", number_values},        //
    {"guards", remove_guards},           //
    {"clean", clean},                    //
    {"strength", reduce_strength},       //
    {"points", remove_points},           //
    // Where nothing leaves to baseline code, the frame's memory need not be what it would find.
    {"memory", promote_memory},           //
    {"clean", clean},                     //
    {"rows", vectorize_rows},             //
    {"vectors", vectorize_loops},         //
    {"accumulators", keep_accumulators},  //
    {"conditions", convert_conditions},   //
    {"threading", thread_jumps},          //
    {"clean", clean},                     //
    {"unrolling", unroll_loops},          //
    {"numbering", number_values},         //
    {"clean", clean},
};

}  // namespace

std::span<const Pass> passes() { return kPasses; }

void optimize(Function& function, const Context& context,
              const std::function<void(std::string_view, const Function&)>& after) {
  for (const Pass& pass : kPasses) {
    if (context.given_up != nullptr && context.given_up->load(std::memory_order_relaxed)) return;
    pass.run(function, context);
    if (after) after(pass.name, function);
  }
}

}  // namespace cairn::jit::ssa
