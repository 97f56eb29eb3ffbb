// Jumps, calls and returns.
#include "jit/baseline/compiler.hpp"

namespace cairn::jit {

namespace Inst = x86::Inst;
using bytecode::kLinkSlots;

/// Counts a back edge to the word and goes there.
void BaselineCompiler::count_back_edge(std::int64_t word) {
  if (!counts_) {
    a_.jmp(edge(word));
    return;
  }
  a_.dec(x86::qword_ptr(kThread, static_cast<std::int32_t>(engine_.thread_fuel)));
  const Label there = edge(word);
  a_.jns(there);
  const Label spent = a_.newLabel();
  storage_.refuels.push_back({spent, there, function_.code.data() + word, pc_, BaselineStorage::Asks::Jump, region_});
  a_.jmp(spent);
}

void BaselineCompiler::jump_to(std::int64_t word) {
  if (word <= at_) return count_back_edge(word);
  if (word != at_ + 1 || plan_ != nullptr) a_.jmp(edge(word));
}

void BaselineCompiler::jump_when(x86::CondCode condition, std::int64_t word) {
  if (word > at_ || !counts_) {
    a_.j(condition, edge(word));
    return;
  }
  const Label stays = a_.newLabel();
  a_.j(x86::negateCond(condition), stays);
  count_back_edge(word);
  a_.bind(stays);
}

void BaselineCompiler::jump_on(const Shape& shape) {
  const std::int64_t word = at_ + std::int64_t{bytecode::t_of(pc_[1])};
  if (!is_float(shape.type)) {
    Right other;
    if (shape.immediate) {
      const bool sign_extended =
          is_signed(shape.type) || shape.relation == Relation::Eq || shape.relation == Relation::Ne;
      other.is_number = true;
      other.number = sign_extended ? static_cast<std::int64_t>(static_cast<std::int32_t>(m())) : std::int64_t{m()};
      if (other.number > INT32_MAX) {
        a_.mov(x86::rcx, other.number);
        other = {false, 0, x86::rcx};
      }
    } else {
      other = {false, 0, cache_.in(b())};
    }
    return jump_when(integer_comparison(shape, a(), other), word);
  }
  const bool wide = shape.type == Kind::F64;
  const Xmm left = in_float(a(), wide);
  const Xmm other = in_float(b(), wide);
  const auto compare = [&](Xmm first, Xmm second) { wide ? a_.ucomisd(first, second) : a_.ucomiss(first, second); };
  using Code = x86::CondCode;
  switch (shape.relation) {
    case Relation::Eq: {
      const Label unequal = a_.newLabel();
      compare(left, other);
      a_.jp(unequal);
      jump_when(Code::kE, word);
      a_.bind(unequal);
      return;
    }
    case Relation::Ne: {
      compare(left, other);
      jump_when(Code::kP, word);
      return jump_when(Code::kNE, word);
    }
    // left < other is other > left: false where one is a NaN, since that sets the carry.
    case Relation::Lt:
      compare(other, left);
      return jump_when(Code::kA, word);
    case Relation::Le:
      compare(other, left);
      return jump_when(Code::kAE, word);
    case Relation::NotLt:
      compare(other, left);
      return jump_when(Code::kBE, word);
    default:
      compare(other, left);
      return jump_when(Code::kB, word);
  }
}

void BaselineCompiler::loop_next() {
  const Gp index = cache_.in(a());
  const Gp end = cache_.in(b());
  a_.add(index, 1);
  cache_.commit(a(), index);
  a_.cmp(index, end);
  jump_when(x86::CondCode::kB, at_ + std::int64_t{bytecode::t_of(pc_[1])});
}

void BaselineCompiler::switch_jump() {
  const std::uint32_t count = n();
  const Gp subject = cache_.in(a());
  std::vector<Label> cases;
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::int64_t word =
        at_ + static_cast<std::int64_t>(static_cast<std::int32_t>(pc_[1 + k / 2] >> (k % 2 * 32)));
    if (word > at_ || !counts_) {
      cases.push_back(edge(word));
    } else {
      storage_.backs.push_back({a_.newLabel(), word, at_});
      cases.push_back(storage_.backs.back().label);
    }
  }
  constexpr std::uint32_t kFew = 4;
  if (count <= kFew) {
    for (std::uint32_t k = 0; k < count; ++k) {
      k == 0 ? a_.test(subject, subject) : a_.cmp(subject, k);
      a_.je(cases[k]);
    }
    return;
  }
  const Label past = a_.newLabel();
  const Label table = a_.newLabel();
  a_.cmp(subject, count);
  a_.jae(past);
  a_.lea(x86::rax, x86::ptr(table));
  a_.movsxd(x86::rcx, x86::dword_ptr(x86::rax, subject, 2));
  a_.add(x86::rax, x86::rcx);
  a_.jmp(x86::rax);
  a_.bind(past);
  storage_.tables.push_back({table, std::move(cases)});
}

/// Writes the link of a call whose window is `window` bytes above the frame's base; the callee's frame becomes the
/// frame.
void BaselineCompiler::link(std::int32_t window, std::uint32_t words) {
  const Label back = target(at_ + words);
  storage_.marks[at_ + words] |= 1;  // the callee returns there
  load_address(x86::rdx, point(back, at_ + words, false));
  a_.mov(x86::qword_ptr(kBase, window - 8), x86::rdx);
  a_.mov(x86::qword_ptr(kBase, window - 16), kBase);
  a_.mov(x86::qword_ptr(kBase, window - 24), kMemory);
  a_.add(kBase, window);
}

/// Calls a function of the module.
void BaselineCompiler::enter_known(std::uint32_t function, std::uint32_t words) {
  const auto window = static_cast<std::int32_t>(8 * a());
  const CodeEntry& callee = engine_.functions[function];
  a_.lea(x86::rax, x86::ptr(kBase, window + static_cast<std::int32_t>(callee.frame_bytes)));
  a_.cmp(x86::rax, kMemory);
  a_.ja(trap(TrapKind::Stack));
  if (counts_) {
    const Label counted = a_.newLabel();
    const Label spent = a_.newLabel();
    a_.dec(x86::qword_ptr(kThread, static_cast<std::int32_t>(engine_.thread_fuel)));
    a_.js(spent);
    a_.bind(counted);
    storage_.refuels.push_back(
        {spent, counted, engine_.enter_words + function, pc_, BaselineStorage::Asks::Call, nullptr});
  }
  link(window, words);
  if (function == index_ && !counts_entries_) {
    a_.jmp(entered_);
  } else {
    a_.mov(x86::eax, function);
    a_.jmp(x86::qword_ptr(kTable, kTargetsAt + 8 * static_cast<std::int32_t>(function)));
  }
}

/// Calls function eax, whose entry rcx points to.
void BaselineCompiler::enter_dynamic(std::uint32_t words) {
  const auto window = static_cast<std::int32_t>(8 * a());
  a_.mov(x86::edx, x86::dword_ptr(x86::rcx, offsetof(CodeEntry, frame_bytes)));
  a_.lea(x86::rdx, x86::ptr(kBase, x86::rdx, 0, window));
  a_.cmp(x86::rdx, kMemory);
  a_.ja(trap(TrapKind::Stack));
  if (!counts_) {
    link(window, words);
    a_.jmp(x86::qword_ptr(kTable, x86::rax, 3, kTargetsAt));
    return;
  }
  const Label counted = a_.newLabel();
  const Label spent = a_.newLabel();
  const Label call_again = a_.newLabel();
  a_.dec(x86::qword_ptr(kThread, static_cast<std::int32_t>(engine_.thread_fuel)));
  a_.js(spent);
  a_.bind(counted);
  link(window, words);
  a_.jmp(x86::qword_ptr(kTable, x86::rax, 3, kTargetsAt));
  // The refuelling call loses rax: kept in the link that is about to be written.
  a_.bind(spent);
  a_.mov(x86::qword_ptr(kBase, window - 8), x86::rax);
  const Label refuel = a_.newLabel();
  a_.jmp(refuel);
  a_.bind(call_again);
  a_.mov(x86::rax, x86::qword_ptr(kBase, window - 8));
  a_.jmp(counted);
  storage_.refuels.push_back({refuel, call_again, nullptr, pc_, BaselineStorage::Asks::Call, nullptr});
}

/// Function value in the slot: its index goes to eax, its entry to rcx. Traps when it is none of that signature.
void BaselineCompiler::check_function(std::uint32_t slot) {
  a_.mov(x86::rax, cache_.in(slot));
  a_.sub(x86::rax, 1);
  a_.cmp(x86::rax, CAIRN_TABLE_ENTRY(function_count));
  a_.jae(trap(TrapKind::Callable));
  a_.mov(x86::rcx, x86::rax);
  a_.shl(x86::rcx, 6);
  static_assert(sizeof(CodeEntry) == 64);
  a_.add(x86::rcx, CAIRN_TABLE_ENTRY(functions));
  a_.cmp(x86::dword_ptr(x86::rcx, offsetof(CodeEntry, signature)), m());
  a_.jne(trap(TrapKind::Callable));
}

void BaselineCompiler::leave_frame() {
  const Label to_interpreter = leave_;
  a_.mov(x86::rax, x86::qword_ptr(kBase, -8));
  a_.mov(kMemory, x86::qword_ptr(kBase, -24));
  a_.mov(kBase, x86::qword_ptr(kBase, -16));
  a_.cmp(x86::word_ptr(x86::rax), engine_.resume);
  a_.jne(to_interpreter);
  a_.jmp(x86::qword_ptr(x86::rax, offsetof(ResumePoint, address)));
}

void BaselineCompiler::call(bool& done) {
  const auto window = static_cast<std::int32_t>(8 * a());
  const Op op = bytecode::op_of(pc_[0]);
  if (plan_ != nullptr && op >= Op::Call && op <= Op::CallDyn) cache_.store_pending({});
  switch (op) {
    case Op::Call:
      return enter_known(n(), 1);
    case Op::CallClosure: {
      const CodeEntry& callee = engine_.functions[m()];
      a_.mov(SlotCache::at(a() + callee.parameter_slots), cache_.in(b()));
      return enter_known(m(), 2);
    }
    case Op::CallValue:
      check_function(b());
      return enter_dynamic(2);
    case Op::CallCallable: {
      check_function(b());
      const Gp environment = cache_.in(b() + 1);
      a_.mov(x86::edx, x86::dword_ptr(x86::rcx, offsetof(CodeEntry, parameter_slots)));
      a_.mov(x86::qword_ptr(kBase, x86::rdx, 3, window), environment);
      return enter_dynamic(2);
    }
    case Op::CallDyn: {
      const Gp object = cache_.in(b());
      const Gp table = cache_.in(b() + 1);
      a_.mov(x86::rcx, CAIRN_TABLE_ENTRY(members));
      a_.mov(x86::rcx, x86::qword_ptr(x86::rcx, table, 3));
      a_.mov(x86::eax, x86::dword_ptr(x86::rcx, static_cast<std::int32_t>(4 * c())));
      a_.mov(SlotCache::at(a() + d()), object);
      a_.mov(x86::ecx, x86::eax);
      a_.shl(x86::rcx, 6);
      a_.add(x86::rcx, CAIRN_TABLE_ENTRY(functions));
      return enter_dynamic(2);
    }
    case Op::CallableFunction:
    case Op::CallableClosure: {
      const bool closure = bytecode::op_of(pc_[0]) == Op::CallableClosure;
      const Gp environment = closure ? cache_.in(b()) : Gp();
      const Gp function = cache_.out();
      const Gp second = cache_.out();
      a_.mov(function, std::uint64_t{closure ? m() : n()} + 1);
      closure ? a_.mov(second, environment) : a_.xor_(second.r32(), second.r32());
      cache_.commit(a(), function);
      return cache_.commit(a() + 1, second);
    }
    case Op::CallableValue: {
      const Gp value = cache_.in(b());
      a_.test(value, value);
      a_.jz(trap(TrapKind::Callable));
      const Gp to = cache_.out();
      a_.mov(to, value);
      cache_.commit(a(), to);
      const Gp none = cache_.out();
      a_.xor_(none.r32(), none.r32());
      return cache_.commit(a() + 1, none);
    }
    case Op::Return:
      return leave_frame();
    case Op::ReturnValue:
      if (a() != 0 || plan_ != nullptr) a_.mov(SlotCache::at(0), cache_.in(a()));
      return leave_frame();
    case Op::ReturnPair: {
      const Gp first = cache_.in(a());
      const Gp second = cache_.in(a() + 1);
      a_.mov(SlotCache::at(0), first);
      a_.mov(SlotCache::at(1), second);
      return leave_frame();
    }
    default:
      done = false;  // natives and foreign functions
  }
}

}  // namespace cairn::jit
