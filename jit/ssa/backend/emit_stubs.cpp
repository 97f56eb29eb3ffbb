// What is rare: failed guards, polls, results for callers of another tier.
#include "jit/ssa/backend/emitter.hpp"

namespace cairn::jit::ssa {

asmjit::Label Emitter::trap(TrapKind kind, asmjit::InstId undo, bool narrow, bool stored) {
  if (is_repeating_) {  // what fails is the same node, and its values are where they were
    for (const Exit& known : exits_) {
      if (known.node == at_ && known.kind == Exit::Kind::Trap && known.trap == kind && known.undo == undo &&
          known.undo_narrow == narrow && known.stored == stored) {
        return known.label;
      }
    }
  }
  Exit exit;
  exit.kind = Exit::Kind::Trap;
  exit.label = a_.newLabel();
  exit.node = at_;
  exit.trap = kind;
  exit.undo = undo;
  exit.undo_narrow = narrow;
  exit.stored = stored;
  exits_.push_back(exit);
  return exit.label;
}

/// The links of the inlined calls, as the interpreter would have written them. Changes rax.
void Emitter::write_links(std::uint32_t frame) {
  for (; frame != 0; frame = f_.frames[frame].parent) {
    const Frame& inlined = f_.frames[frame];
    const Frame& parent = f_.frames[inlined.parent];
    const bytecode::Word* call = module_.functions[parent.function].code.data() + inlined.call_word;
    load_address(x86::rax, call + bytecode::instruction_words(call));
    a_.mov(slot(inlined.base - 1), x86::rax);
    a_.lea(x86::rax, x86::ptr(kBase, static_cast<std::int32_t>(8 * parent.base)));
    a_.mov(slot(inlined.base - 2), x86::rax);
    a_.mov(slot(inlined.base - 3), kMemory);
  }
}

/// The frame of the inlined function becomes the frame.
void Emitter::leave_with_frame(std::uint32_t frame) {
  if (f_.frames[frame].base != 0) a_.add(kBase, static_cast<std::int32_t>(8 * f_.frames[frame].base));
}

void Emitter::trap_stub(const Exit& exit) {
  const Instruction& i = f_.at(node_->value);
  a_.bind(exit.label);
  Reg undone = kNoReg;
  if (exit.undo != 0) {
    undone = out_reg();
    const Gp reg = exit.undo_narrow ? out().r32() : out();
    if (is_number(1)) {
      a_.emit(exit.undo, reg, asmjit::Imm(number(1)));
    } else {
      a_.emit(exit.undo, reg, operand(1, exit.undo_narrow ? 4 : 8));
    }
  }
  if (!exit.stored) store_uses(i, undone);
  if (i.leaves) return leave(i);
  write_links(i.frame);
  leave_with_frame(i.frame);
  if (uses_wide_vectors_) a_.vzeroupper();
  a_.mov(x86::eax, i.word);
  a_.mov(x86::ecx, static_cast<std::uint32_t>(exit.trap));
  if (i.frame == 0) return (void)a_.jmp(fail_);
  load_address(x86::rdx, module_.functions[f_.frames[i.frame].function].code.data());
  a_.jmp(CAIRN_TABLE_ENTRY(fail));
}

/// Calls what gives more fuel or better code: it says where to go on, and then control goes to the label, or nothing.
/// rdi is set already.
asmjit::Label Emitter::ask(const Instruction& i, const x86::Mem& refuel) {
  const Frame& frame = f_.frames[i.frame];
  load_address(x86::rsi, module_.functions[frame.function].code.data() + i.word);
  a_.lea(x86::rdx, slot(frame.base));
  a_.mov(x86::rcx, kMemory);
  a_.mov(x86::r8, kThread);
  a_.call(refuel);
  a_.test(x86::rax, x86::rax);
  const Label leaves = a_.newLabel();
  a_.jnz(leaves);
  return leaves;
}

/// Stores the frame, asks, and goes on: every register is kept in the thread.
void Emitter::poll_stub(const Exit& exit) {
  const Instruction& i = f_.at(node_->value);
  const bytecode::Word* code = module_.functions[f_.frames[i.frame].function].code.data();
  a_.bind(exit.label);
  std::vector<Move> kept;
  for (Value value = 1; value < f_.code.size(); ++value) {
    if (i_.of_value[value] == 0) continue;
    for (std::uint32_t part = i_.of_value[value]; part != kNone; part = i_.all[part].next) {
      const Interval& each = i_.all[part];
      if (each.reg == kNoReg || !each.covers(gap_of(at_) + 2)) continue;
      kept.push_back({in(each.reg), {Location::Is::Spill, kNoReg, kKeptAt + 64U * each.reg, value}, value});
    }
  }
  for (const Move& each : kept) move(each);
  store_uses(i);
  write_links(i.frame);
  if (uses_wide_vectors_) a_.vzeroupper();
  load_address(x86::rdi, code + i.immediate);
  const Label leaves = ask(i, CAIRN_TABLE_ENTRY(refuel_jump));
  for (const Move& each : kept) move({each.to, each.from, each.value});
  a_.jmp(exit.back);
  a_.bind(leaves);
  leave_with_frame(i.frame);
  a_.jmp(leave_);
}

/// A call finds the fuel spent: its arguments are in the frame, and nothing else is in registers but rax.
void Emitter::call_poll_stub(const Exit& exit) {
  const Instruction& i = f_.at(node_->value);
  const x86::Mem kept = x86::qword_ptr(kThread, static_cast<std::int32_t>(engine_.thread_spills + kKeptAt));
  a_.bind(exit.label);
  a_.mov(kept, x86::rax);
  write_links(i.frame);
  if (i.op == Opcode::Call) {
    load_address(x86::rdi, engine_.enter_words + i.immediate);
  } else {
    a_.xor_(x86::edi, x86::edi);
  }
  const Label leaves = ask(i, CAIRN_TABLE_ENTRY(refuel_call));
  a_.mov(x86::rax, kept);
  a_.jmp(exit.back);
  a_.bind(leaves);
  leave_with_frame(i.frame);
  a_.jmp(leave_);
}

/// The callee was of another tier: its results are in the frame, which is this one's again.
void Emitter::returned_stub(const Exit& exit) {
  const Instruction& i = f_.at(node_->value);
  const bytecode::Signature& signature =
      module_.signatures[module_.functions[static_cast<std::uint32_t>(i.immediate)].signature];
  a_.bind(exit.label);
  for (std::uint32_t k = 0; k < signature.result.slots(); ++k) {
    const Reg to = result_register(signature, k);
    is_vector(to) ? a_.movsd(x86::xmm(to - kFirstVector), slot(i.scale + k)) : a_.mov(x86::gpq(to), slot(i.scale + k));
  }
  a_.jmp(exit.back);
}

/// The caller is the interpreter or code of another tier: results are in rax, rdx or xmm0.
void Emitter::slow_return() {
  const bytecode::Signature& signature = module_.signatures[module_.functions[f_.index].signature];
  a_.bind(slow_return_);
  for (std::uint32_t k = 0; k < signature.result.slots(); ++k) {
    const Reg from = result_register(signature, k);
    is_vector(from) ? a_.movsd(slot(k), x86::xmm(from - kFirstVector)) : a_.mov(slot(k), x86::gpq(from));
  }
  a_.mov(x86::rax, x86::rcx);
  a_.mov(kMemory, x86::qword_ptr(kBase, -24));
  a_.mov(kBase, x86::qword_ptr(kBase, -16));
  a_.cmp(x86::word_ptr(x86::rax), engine_.resume);
  a_.jne(leave_);
  a_.jmp(x86::qword_ptr(x86::rax, offsetof(ResumePoint, address)));
}

/// For a callee whose code takes its arguments from the frame.
void Emitter::argument_stub(const ArgumentStub& stub) {
  a_.align(asmjit::AlignMode::kCode, 16);
  a_.bind(stub.label);
  arguments_to_frame(stub.function);
  a_.mov(x86::eax, stub.function);
  a_.jmp(x86::qword_ptr(kTable, kTargetsAt + 8 * static_cast<std::int32_t>(stub.function)));
}

void Emitter::stubs() {
  for (const Exit& exit : exits_) {
    at_ = exit.node;
    node_ = &n_.nodes[at_];
    if (node_->value != kNoValue) note_frame(f_.at(node_->value).frame);
    if (exit.kind == Exit::Kind::Trap) trap_stub(exit);
    if (exit.kind == Exit::Kind::Poll) poll_stub(exit);
    if (exit.kind == Exit::Kind::CallPoll) call_poll_stub(exit);
    if (exit.kind == Exit::Kind::SlowReturn) returned_stub(exit);
  }
  note_frame(0);
  if (uses_slow_return_) slow_return();
  if (code_entry_.memory_bytes != 0 && f_.entry_word == 0) {
    a_.bind(frame_full_);  // the interpreter's prologue says what there is to say
    arguments_to_frame(f_.index);
    load_address(x86::rax, code_entry_.code);
    a_.jmp(leave_);
  }
  if (stack_needed_ != 0) {
    a_.bind(stack_full_);
    if (f_.entry_word == 0) arguments_to_frame(f_.index);
    const void* there = options_.baseline_at ? options_.baseline_at(f_.index, stack_word_) : nullptr;
    if (f_.entry_word == 0 && code_entry_.memory_bytes != 0) a_.mov(kMemory, x86::qword_ptr(kBase, -24));
    if (there != nullptr) {
      load_address(x86::rax, there);
      a_.jmp(x86::rax);
    } else {
      load_address(x86::rax, f_.entry_word == 0 ? code_entry_.code : code_entry_.body + stack_word_);
      a_.jmp(leave_);
    }
  }
  a_.bind(fail_);
  load_address(x86::rdx, module_.functions[f_.index].code.data());
  a_.jmp(CAIRN_TABLE_ENTRY(fail));
  a_.bind(leave_);
  a_.jmp(CAIRN_TABLE_ENTRY(leave));
  for (const ArgumentStub& stub : argument_stubs_) argument_stub(stub);
  for (const SwitchTable& table : tables_) {
    a_.align(asmjit::AlignMode::kData, 8);
    a_.bind(table.label);
    for (const Label& label : table.cases) a_.embedLabel(label, 8);
  }
  if (constants_.empty()) return;
  a_.align(asmjit::AlignMode::kData, 16);
  for (const Constant& each : constants_) {
    a_.bind(each.label);
    a_.embedUInt64(each.low);
    a_.embedUInt64(each.high);
  }
}

}  // namespace cairn::jit::ssa
