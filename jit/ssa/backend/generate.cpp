#include "jit/ssa/backend/generate.hpp"

#include "jit/ssa/backend/linear_scan.hpp"

namespace cairn::jit::ssa {

std::unique_ptr<Generated> Generated::make(asmjit::CodeHolder& holder, const Function& function, const Target& target,
                                           EmitOptions options, std::string* why) {
  const auto refuse = [&](const char* part) {
    if (why != nullptr) *why = part;
    return nullptr;
  };
  const auto given_up = [stop = options.given_up] { return stop != nullptr && stop->load(std::memory_order_relaxed); };
  auto made = std::make_unique<Generated>();
  if (!select(function, target, made->nodes_)) return refuse("an instruction without a form");
  build_intervals(function, made->nodes_, made->intervals_);
  if (given_up()) return refuse("nobody waits for it");
  if (!allocate(made->nodes_, made->intervals_)) return refuse("registers");
  if (given_up()) return refuse("nobody waits for it");
  if (!find_homes(function, target, made->nodes_, made->intervals_, made->homes_)) return refuse("homes");
  resolve(function, made->nodes_, made->intervals_, made->homes_, made->moves_);
  std::size_t calls = 0;
  for (const Block& block : function.blocks) {
    for (const Value value : block.code) calls += is_call(function.at(value).op) ? 1 : 0;
  }
  made->points_ = std::make_unique<ResumePoint[]>(calls);
  made->emitter_ = std::make_unique<Emitter>(holder, function, target, made->nodes_, made->intervals_, made->homes_,
                                             made->moves_, std::move(options));
  if (!made->emitter_->emit(made->points_.get())) return refuse("an instruction without code");
  return made;
}

}  // namespace cairn::jit::ssa
