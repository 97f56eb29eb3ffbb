// Branches, calls, steps, returns, and the ways to the other tiers.
#include <algorithm>

#include "jit/ssa/backend/emitter.hpp"
#include "jit/ssa/fold.hpp"
#include "jit/ssa/host.hpp"

namespace cairn::jit::ssa {

asmjit::Label Emitter::target(std::uint32_t successor) const {
  return labels_[forward_[n_.blocks[block_].successors[successor]]];
}

/// Whether the successor's code stands next.
bool Emitter::falls_into(std::uint32_t successor) const {
  return forward_[n_.blocks[block_].successors[successor]] == next_;
}

void Emitter::jump(std::uint32_t successor) {
  if (falls_into(successor)) return;
  const std::vector<std::uint32_t>& chain = repeats_[forward_[n_.blocks[block_].successors[successor]]];
  if (chain.empty() || is_repeating_ || n_.blocks[block_].is_cold) return (void)a_.jmp(target(successor));
  repeat(chain);
}

/// A jump on floats. Where control falls to `yes`, what is not so is asked.
void Emitter::branch_floats(const Instruction& i, Label yes, Label no, bool falls_to_yes) {
  const auto not_so = negated(i.relation, i.kind);
  if (falls_to_yes && not_so) return jump_floats(i.kind, *not_so, no, yes, true);
  jump_floats(i.kind, i.relation, yes, no, !falls_to_yes && falls_into(1));
}

void Emitter::branch(const Instruction& i, bool is_guard) {
  if (is_guard) {
    if (is_float(i.kind)) {
      const Label fine = a_.newLabel();
      branch_floats(i, fine, trap(i.trap), true);
      a_.bind(fine);
    } else {
      const Code code = compare(i);
      a_.j(x86::negateCond(code), trap(i.trap));
    }
    return;
  }
  if (is_float(i.kind)) return branch_floats(i, target(0), target(1), falls_into(0));
  const Code code = compare(i);
  if (falls_into(0)) {
    a_.j(x86::negateCond(code), target(1));
  } else {
    a_.j(code, target(0));
    jump(1);
  }
}

void Emitter::switch_jump() {
  const auto successors = static_cast<std::uint32_t>(n_.blocks[block_].successors.size());
  const std::uint32_t count = successors - 1;
  const Gp scratch = temp(0);
  const Location from = where(0);
  clean(0);
  const Gp subject = from.in_register() ? x86::gpq(from.reg) : temp(1);
  if (!from.in_register()) a_.mov(subject, memory(from));
  constexpr std::uint32_t kFew = 4;
  if (count <= kFew) {
    for (std::uint32_t k = 0; k < count; ++k) {
      k == 0 ? a_.test(subject, subject) : a_.cmp(subject, k);
      a_.je(target(k));
    }
    return jump(count);
  }
  SwitchTable table{a_.newLabel(), {}};
  for (std::uint32_t k = 0; k < count; ++k) table.cases.push_back(target(k));
  a_.cmp(subject, count);
  a_.jae(target(count));
  a_.lea(scratch, x86::ptr(table.label));
  a_.jmp(x86::qword_ptr(scratch, subject, 3));
  tables_.push_back(std::move(table));
}

void Emitter::step(const Instruction& i) {
  const Frame& frame = f_.frames[i.frame];
  const bytecode::Word* pc = module_.functions[frame.function].code.data() + i.word;
  store_uses(i);
  if (uses_wide_vectors_) a_.vzeroupper();
  write_links(i.frame);
  load_address(x86::rdi, pc);
  frame.base == 0 ? a_.mov(x86::rsi, kBase) : a_.lea(x86::rsi, slot(frame.base));
  a_.mov(x86::rdx, kMemory);
  a_.mov(x86::rcx, kThread);
  a_.call(x86::qword_ptr(kTable, kStepsAt + 8 * static_cast<std::int32_t>(pc[0] & 0xffff)));
  a_.test(x86::rax, x86::rax);
  if (frame.base == 0) return (void)a_.jnz(leave_);
  const Label fine = a_.newLabel();
  a_.jz(fine);
  leave_with_frame(i.frame);
  a_.jmp(leave_);
  a_.bind(fine);
}

/// One less of the fuel; when it is spent, the stub of that kind asks for more.
void Emitter::count(Exit::Kind kind) {
  Exit exit;
  exit.kind = kind;
  exit.label = a_.newLabel();
  exit.back = a_.newLabel();
  exit.node = at_;
  a_.dec(x86::qword_ptr(kThread, static_cast<std::int32_t>(engine_.thread_fuel)));
  a_.js(exit.label);
  a_.bind(exit.back);
  exits_.push_back(exit);
}

void Emitter::call(const Instruction& i) {
  const auto window = static_cast<std::int32_t>(8 * i.scale);
  const Frame& frame = f_.frames[i.frame];
  const bytecode::Word* pc = module_.functions[frame.function].code.data() + i.word;
  // Arguments of this tier's own callees are in registers; an i32 among them gets its sign.
  for (std::uint32_t k = 0; k < node_->inputs; ++k) {
    if (input(k).needs == Input::Needs::Fixed) clean(k);
  }
  store_uses(i);
  if (uses_wide_vectors_) a_.vzeroupper();
  const bool is_fast = i.op == Opcode::Call && !target_.counts;
  points_.push_back({a_.newLabel(), a_.newLabel(), is_fast, pc + bytecode::instruction_words(pc), {}});
  ReturnPoint& point = points_.back();
  for (std::uint32_t at = i.frame; at != 0; at = f_.frames[at].parent) {
    const Frame& inlined = f_.frames[at];
    const Frame& parent = f_.frames[inlined.parent];
    const bytecode::Word* from = module_.functions[parent.function].code.data() + inlined.call_word;
    point.inlined.push_back({from + bytecode::instruction_words(from), inlined.base, parent.base});
  }
  ResumePoint* const made = next_point_++;
  *made = {engine_.resume | (is_fast ? kFastReturn : 0), nullptr, point.pc, nullptr, nullptr, 0};
  const auto link = [&](Gp scratch) {
    load_address(scratch, made);
    a_.mov(x86::qword_ptr(kBase, window - 8), scratch);
    a_.mov(x86::qword_ptr(kBase, window - 16), kBase);
    a_.mov(x86::qword_ptr(kBase, window - 24), kMemory);
    a_.add(kBase, window);
  };
  if (i.op == Opcode::Call) {
    const auto callee = static_cast<std::uint32_t>(i.immediate);
    const CodeEntry& entry = engine_.functions[callee];
    a_.lea(x86::rax, x86::ptr(kBase, window + static_cast<std::int32_t>(entry.frame_bytes)));
    a_.cmp(x86::rax, kMemory);
    a_.ja(trap(TrapKind::Stack, 0, false, true));
    if (target_.counts) count(Exit::Kind::CallPoll);
    link(x86::rax);
    if (target_.counts) {
      a_.mov(x86::eax, callee);
      a_.jmp(x86::qword_ptr(kTable, kTargetsAt + 8 * static_cast<std::int32_t>(callee)));
    } else if (callee == f_.index && f_.entry_word == 0) {
      a_.jmp(fast_);
    } else {
      a_.jmp(x86::qword_ptr(kTable, kTargetsAt + 8 * static_cast<std::int32_t>(engine_.functions.size() + callee)));
      const bool known =
          std::ranges::any_of(argument_stubs_, [&](const ArgumentStub& s) { return s.function == callee; });
      if (!known && !(options_.has_argument_stub && options_.has_argument_stub(callee))) {
        argument_stubs_.push_back({callee, a_.newLabel()});
      }
    }
  } else {
    // rax: the function's value, or the dispatch table. Then rax is the function, rcx its entry.
    clean(0);
    if (i.op == Opcode::CallValue) {
      a_.sub(x86::rax, 1);
      a_.cmp(x86::rax, CAIRN_TABLE_ENTRY(function_count));
      a_.jae(trap(TrapKind::Callable, 0, false, true));
      a_.mov(x86::rcx, x86::rax);
      a_.shl(x86::rcx, 6);
      static_assert(sizeof(CodeEntry) == 64);
      a_.add(x86::rcx, CAIRN_TABLE_ENTRY(functions));
      a_.cmp(x86::dword_ptr(x86::rcx, offsetof(CodeEntry, signature)), static_cast<std::uint32_t>(i.immediate));
      a_.jne(trap(TrapKind::Callable, 0, false, true));
    } else {
      a_.mov(x86::rcx, CAIRN_TABLE_ENTRY(members));
      a_.mov(x86::rcx, x86::qword_ptr(x86::rcx, x86::rax, 3));
      a_.mov(x86::eax, x86::dword_ptr(x86::rcx, static_cast<std::int32_t>(4 * i.immediate)));
      a_.mov(x86::ecx, x86::eax);
      a_.shl(x86::rcx, 6);
      a_.add(x86::rcx, CAIRN_TABLE_ENTRY(functions));
    }
    a_.mov(x86::edx, x86::dword_ptr(x86::rcx, offsetof(CodeEntry, frame_bytes)));
    a_.lea(x86::rdx, x86::ptr(kBase, x86::rdx, 0, window));
    a_.cmp(x86::rdx, kMemory);
    a_.ja(trap(TrapKind::Stack, 0, false, true));
    if (target_.counts) count(Exit::Kind::CallPoll);
    link(x86::rdx);
    a_.jmp(x86::qword_ptr(kTable, x86::rax, 3, kTargetsAt));
  }
  // Back with results in registers, the frame still the callee's; or with everything as the interpreter leaves it.
  if (!is_fast) {
    a_.bind(point.address);
    a_.bind(point.fast);
    return;
  }
  a_.bind(point.fast);
  if (engine_.functions[static_cast<std::uint32_t>(i.immediate)].memory_bytes != 0) {
    a_.mov(kMemory, x86::qword_ptr(kBase, -24));
  }
  a_.sub(kBase, window);
  Exit exit;
  exit.kind = Exit::Kind::SlowReturn;
  exit.label = point.address;
  exit.back = a_.newLabel();
  exit.node = at_;
  a_.bind(exit.back);
  exits_.push_back(exit);
}

/// A call of runtime/pair. A pair of f64 is given and comes back in two registers, one of f32 in the low halves of one;
/// vectors lie on the stack.
void Emitter::pair_function(const Instruction& i) {
  const std::uint32_t limbs = node_->inputs;
  const std::uint32_t vector_bytes = bytes_of(i);
  if (i.lanes > 1) {
    const auto sized = [&](std::uint32_t k) -> x86::Vec {
      return vector_bytes == 64 ? x86::Vec(x86::zmm(k)) : x86::Vec(x86::ymm(k));
    };
    const auto at = [&](std::uint32_t k) {
      return x86::ptr(x86::rsp, static_cast<std::int32_t>(k * vector_bytes), vector_bytes);
    };
    const std::uint32_t area = 4 * vector_bytes;
    a_.sub(x86::rsp, area);
    for (std::uint32_t k = 0; k < limbs; ++k) a_.emit(x86::Inst::kIdVmovups, at(k), sized(k));
    a_.mov(x86::rdi, x86::rsp);
    a_.mov(x86::rsi, x86::rsp);
    load_address(x86::rax, reinterpret_cast<const void*>(pair_code(i).lanes(vector_bytes)));
    a_.call(x86::rax);
    for (const std::uint32_t k : {0U, 1U}) a_.emit(x86::Inst::kIdVmovups, sized(k), at(k));
    a_.add(x86::rsp, area);
    return;
  }
  if (uses_wide_vectors_) a_.vzeroupper();
  if (i.kind == Kind::F32) {
    a_.unpcklps(x86::xmm0, x86::xmm1);
    if (limbs == 4) {
      a_.unpcklps(x86::xmm2, x86::xmm3);
      a_.movaps(x86::xmm1, x86::xmm2);
    }
  }
  load_address(x86::rax, pair_code(i).one);
  a_.call(x86::rax);
  if (i.kind == Kind::F32) {
    a_.movaps(x86::xmm1, x86::xmm0);
    a_.shufps(x86::xmm1, x86::xmm1, 1);
  }
}

void Emitter::give_back() {
  for (std::uint32_t k = 0; k < node_->inputs; ++k) clean(k);
  if (uses_wide_vectors_) a_.vzeroupper();
  a_.mov(x86::rcx, x86::qword_ptr(kBase, -8));
  a_.cmp(x86::dword_ptr(x86::rcx), static_cast<std::uint32_t>(engine_.resume | kFastReturn));
  a_.jne(slow_return_);
  a_.jmp(x86::qword_ptr(x86::rcx, offsetof(ResumePoint, fast)));
  uses_slow_return_ = true;
}

/// The loop that was taken up has ended: the best code of the loop around it goes on.
void Emitter::exit(const Instruction& i) {
  store_uses(i);
  write_links(i.frame);
  if (uses_wide_vectors_) a_.vzeroupper();
  load_address(x86::rdi, module_.functions[f_.frames[i.frame].function].code.data() + i.word);
  const Label goes = ask(i, CAIRN_TABLE_ENTRY(go_on));
  leave(i);
  a_.bind(goes);
  leave_with_frame(i.frame);
  a_.jmp(leave_);
}

/// Goes on in the baseline's code, or in the interpreter, at the instruction's word: the slots are stored.
void Emitter::leave(const Instruction& i) {
  const Frame& frame = f_.frames[i.frame];
  if (uses_wide_vectors_) a_.vzeroupper();
  write_links(i.frame);
  leave_with_frame(i.frame);
  const void* there = options_.baseline_at ? options_.baseline_at(frame.function, i.word) : nullptr;
  if (there != nullptr) {
    load_address(x86::rax, there);
    a_.jmp(x86::rax);
  } else {
    const CodeEntry& entry = engine_.functions[frame.function];
    load_address(x86::rax, i.frame != 0 && i.word == 0 ? entry.code : entry.body + i.word);
    a_.jmp(leave_);
  }
}

}  // namespace cairn::jit::ssa
