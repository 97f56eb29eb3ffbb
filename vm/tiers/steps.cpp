#include "vm/tiers/steps.hpp"

#include <algorithm>

#include "vm/interpreter/step.hpp"
#include "vm/profile/sampler.hpp"
#include "vm/tiers/tiers.hpp"

namespace cairn::interpreter {
namespace {

template <Op op>
const Word* out_of_line(const Word* pc, std::uint64_t* base, std::uint8_t* memory, void* thread) {
  Machine m{base, memory, static_cast<Thread*>(thread)};
  const Word* next = step<op, true>(m, pc);
  const Word* following = pc + kWords<op>;
  if constexpr (bytecode::table::kRows[static_cast<std::size_t>(op)].has_list) {
    following = pc + bytecode::instruction_words(pc);
  }
  return next == following ? nullptr : next;
}

template <Op op>
constexpr jit::Step step_of() {
  constexpr bool kMachineCodeDoesIt = within(op, Op::Jump, Op::JumpNotLeF64) || within(op, Op::Call, Op::CallDyn) ||
                                      within(op, Op::Return, Op::ReturnPair);
  if constexpr (kMachineCodeDoesIt) {
    return nullptr;
  } else {
    return out_of_line<op>;
  }
}

constexpr jit::Step kSteps[] = {
#define OPERATION(Name, text, operands, traps, meaning) step_of<Op::Name>(),
#include "vm/bytecode/operations.def"
#undef OPERATION
};

}  // namespace

std::span<const jit::Step> out_of_line_steps() { return kSteps; }

const Word* refuel_jump(const Word* next, const Word* pc, std::uint64_t* base, std::uint8_t* memory, void* thread) {
  const Machine m{base, memory, static_cast<Thread*>(thread)};
  if (m.thread->samples != nullptr) profile::Sampler::tell(*m.thread->samples, pc, base, true);
  if (m.thread->block != nullptr) return suspend(const_cast<Machine&>(m), next);
  Tiers* const tiers = m.thread->instance().tiers();
  const Word* better = tiers->hot_code(next, *m.thread);
  // Code that is being made is looked for often.
  const TrapKind kind = m.thread->poll(tiers->awaits_code() ? Thread::kFewSteps : Thread::kManySteps);
  return kind == TrapKind::None ? better : fail(kind, pc, m);
}

const Word* refuel_call(const Word* next, const Word* pc, std::uint64_t* base, std::uint8_t* memory, void* thread) {
  const Machine m{base, memory, static_cast<Thread*>(thread)};
  if (m.thread->samples != nullptr) profile::Sampler::tell(*m.thread->samples, pc, base, true);
  const Word* go_on = refuel_at_call(next, pc, m);
  return go_on == next ? nullptr : go_on;
}

const Word* hot_entry(const Word* next, const Word*, std::uint64_t*, std::uint8_t*, void* thread) {
  auto* const here = static_cast<Thread*>(thread);
  return here->instance().tiers()->hot_entry(next, *here);
}

const Word* go_on(const Word* next, const Word*, std::uint64_t*, std::uint8_t*, void* thread) {
  auto* const here = static_cast<Thread*>(thread);
  Tiers* const tiers = here->instance().tiers();
  const Word* better = tiers->hot_code(next, *here);
  // Else it goes on in baseline code, which looks up when its fuel is spent. Steps that are counted stay as they are.
  if (better == nullptr && tiers->awaits_code() && here->instance().limits().steps == 0) {
    here->fuel = std::min<std::int64_t>(here->fuel, Thread::kFewSteps);
  }
  return better;
}

}  // namespace cairn::interpreter
