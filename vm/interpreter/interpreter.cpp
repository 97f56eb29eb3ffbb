// Dispatch. Every operation's step is one tail-called function under Clang, where the state stays in argument
// registers, and one labelled block under GCC, which has no guaranteed tail calls (docs/interpreter.md has the figures
// of both).
#include "vm/interpreter/interpreter.hpp"

#include <array>

#include "vm/interpreter/step.hpp"

namespace cairn::interpreter {
namespace {

#if defined(__clang__) && !defined(CAIRN_COMPUTED_GOTO)

using Handler = void(const Word* pc, std::uint64_t* base, std::uint8_t* memory, Thread* thread);

template <bool watched>
struct Dispatch {
  static Handler* const kTable[static_cast<std::size_t>(InternalOp::Count)];
};

template <Op op, bool watched>
void handle(const Word* pc, std::uint64_t* base, std::uint8_t* memory, Thread* thread) {
  Machine m{base, memory, thread};
  pc = step<op, watched>(m, pc);
  [[clang::musttail]] return Dispatch<watched>::kTable[pc[0] & 0xffff](pc, m.base, m.memory, m.thread);
}

void handle_exit(const Word*, std::uint64_t*, std::uint8_t*, Thread*) {}

void handle_failure(const Word* pc, std::uint64_t* base, std::uint8_t* memory, Thread* thread) {
  failure({base, memory, thread}, pc);
}

template <bool watched>
void handle_prologue(const Word* pc, std::uint64_t* base, std::uint8_t* memory, Thread* thread) {
  Machine m{base, memory, thread};
  pc = prologue(m, pc);
  [[clang::musttail]] return Dispatch<watched>::kTable[pc[0] & 0xffff](pc, m.base, m.memory, m.thread);
}

template <bool watched>
void handle_enter(const Word* pc, std::uint64_t* base, std::uint8_t* memory, Thread* thread) {
  Machine m{base, memory, thread};
  pc = enter_tier(pc, m);
  [[clang::musttail]] return Dispatch<watched>::kTable[pc[0] & 0xffff](pc, m.base, m.memory, m.thread);
}

template <bool watched>
void handle_resume(const Word* pc, std::uint64_t* base, std::uint8_t* memory, Thread* thread) {
  Machine m{base, memory, thread};
  pc = resume_tier(pc, m);
  [[clang::musttail]] return Dispatch<watched>::kTable[pc[0] & 0xffff](pc, m.base, m.memory, m.thread);
}

template <bool watched>
Handler* const Dispatch<watched>::kTable[] = {
#define OPERATION(Name, text, operands, traps, meaning) handle<Op::Name, watched>,
#include "vm/bytecode/operations.def"
#undef OPERATION
    handle_exit, handle_failure, handle_prologue<watched>, handle_enter<watched>, handle_resume<watched>,
};

template <bool watched>
void interpret(Machine m, const Word* pc) {
  Dispatch<watched>::kTable[pc[0] & 0xffff](pc, m.base, m.memory, m.thread);
}

#else

template <bool watched>
void interpret(Machine m, const Word* pc) {
  static const void* const labels[] = {
#define OPERATION(Name, text, operands, traps, meaning) &&label_##Name,
#include "vm/bytecode/operations.def"
#undef OPERATION
      &&label_exit, &&label_failure, &&label_prologue, &&label_enter, &&label_resume,
  };
  goto* labels[pc[0] & 0xffff];
#define OPERATION(Name, text, operands, traps, meaning) \
  label_##Name : pc = step<Op::Name, watched>(m, pc);   \
  goto* labels[pc[0] & 0xffff];
#include "vm/bytecode/operations.def"
#undef OPERATION
label_prologue: {
  Machine copy = m;  // its address is taken: the state itself stays in registers
  pc = prologue(copy, pc);
  m = copy;
  goto* labels[pc[0] & 0xffff];
}
label_enter: {
  Machine copy = m;
  pc = enter_tier(pc, copy);
  m = copy;
  goto* labels[pc[0] & 0xffff];
}
label_resume: {
  Machine copy = m;
  pc = resume_tier(pc, copy);
  m = copy;
  goto* labels[pc[0] & 0xffff];
}
label_failure:
  failure(m, pc);
label_exit:;
}

#endif

}  // namespace

const Word kExit[1] = {static_cast<Word>(InternalOp::Exit)};

constinit const std::array<Word, kFailures.size()> kFailures = [] {
  std::array<Word, kFailures.size()> words{};
  for (std::size_t kind = 0; kind < words.size(); ++kind) {
    words[kind] = static_cast<Word>(InternalOp::Failure) | Word{kind} << 16;
  }
  return words;
}();

void run(Thread& thread, const Word* pc, std::uint64_t* base, std::uint8_t* memory) {
  const Machine m{base, memory, &thread};
  if (thread.instance().watched() || thread.instance().tiers() != nullptr || thread.block != nullptr ||
      thread.samples != nullptr) {
    interpret<true>(m, pc);
  } else {
    interpret<false>(m, pc);
  }
}

}  // namespace cairn::interpreter
