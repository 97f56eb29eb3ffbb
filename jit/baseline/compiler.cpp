#include "jit/baseline/compiler.hpp"

#include "vm/bytecode/text.hpp"

namespace cairn::jit {
namespace {

using bytecode::Op;
using bytecode::Word;

constexpr std::uint8_t kLeader = 1;     // control arrives here from elsewhere
constexpr std::uint8_t kLoopStart = 2;  // by a back edge, or from a scheduler

bool is_call(Op op) { return (op >= Op::Call && op <= Op::CallDyn); }
/// A thread of a block stops there, and goes on after it.
bool suspends(Op op) {
  return op == Op::Barrier || op == Op::PipelineWait || (op >= Op::WarpShuffle && op <= Op::WarpReduce);
}

/// instruction_words by a table of bytes.
std::uint32_t words_of(const Word* code) {
  static const auto table = [] {
    std::array<std::uint8_t, bytecode::kOperationCount> words{};
    for (std::uint32_t i = 0; i < bytecode::kOperationCount; ++i) {
      const bytecode::OperationInfo& row = bytecode::info(static_cast<Op>(i));
      words[i] = row.has_list ? 0 : row.words;
    }
    return words;
  }();
  const std::uint8_t words = table[code[0] & 0xffff];
  return words != 0 ? words : bytecode::instruction_words(code);
}

}  // namespace

BaselineCompiler::BaselineCompiler(asmjit::CodeHolder& holder, const bytecode::Module& module, std::uint32_t function,
                                   const Engine& engine, BaselineStorage& storage, const Plan* plan)
    : a_(&holder),
      module_(module),
      index_(function),
      function_(module.functions[function]),
      entry_(engine.functions[function]),
      engine_(engine),
      has_bmi2_(asmjit::CpuInfo::host().hasFeature(asmjit::CpuFeatures::X86::kBMI2)),
      has_sse41_(asmjit::CpuInfo::host().hasFeature(asmjit::CpuFeatures::X86::kSSE4_1)),
      has_avx512_(asmjit::CpuInfo::host().hasFeature(asmjit::CpuFeatures::X86::kAVX512_F)),
      has_fma_(asmjit::CpuInfo::host().hasFeature(asmjit::CpuFeatures::X86::kFMA)),
      cache_(a_, function_.slots + 2, storage.cache, plan != nullptr),
      storage_(storage),
      plan_(plan),
      counts_(plan == nullptr || plan->counts),
      counts_entries_(plan == nullptr && engine.hot_entry != nullptr) {
  storage_.crossings.clear();
  storage_.entrances.assign(plan == nullptr ? 0 : plan->regions.size(), {});
  storage_.pending.clear();
  storage_.versions.clear();
  storage_.traps.clear();
  storage_.refuels.clear();
  storage_.backs.clear();
  storage_.tables.clear();
  storage_.points.clear();
  storage_.lines.clear();
  find_leaders();
}

void BaselineCompiler::find_leaders() {
  storage_.marks.assign(function_.code.size() + 1, 0);
  storage_.labels.assign(function_.code.size() + 1, {});
  for (std::uint32_t word = 0; word < function_.code.size();) {
    const Word* code = function_.code.data() + word;
    each_target(code, word, [&](std::int64_t to) {
      storage_.marks[static_cast<std::size_t>(to)] |= to <= word ? kLeader | kLoopStart : kLeader;
      point_count_ += to <= word ? 1 : 0;
    });
    word += words_of(code);
    if (is_call(bytecode::op_of(code[0]))) ++point_count_;
    if (suspends(bytecode::op_of(code[0]))) {
      storage_.marks[word] |= kLeader | kLoopStart;
      ++point_count_;
    }
  }
}

asmjit::Label BaselineCompiler::target(std::int64_t word) {
  Label& label = storage_.labels[static_cast<std::size_t>(word)];
  if (!label.isValid()) label = a_.newLabel();
  return label;
}

const ResumePoint* BaselineCompiler::point(Label label, std::uint32_t word, bool loop_start) {
  ResumePoint* made = next_point_++;
  *made = {engine_.resume, nullptr, function_.code.data() + word};
  storage_.points.push_back({label, word, loop_start});
  return made;
}

asmjit::Label BaselineCompiler::trap(TrapKind kind, const BaselineStorage::Undo& undo) {
  if (version_failed_.isValid()) return version_failed_;
  if (plan_ == nullptr && !storage_.traps.empty() && storage_.traps.back().word == at_ &&
      storage_.traps.back().kind == kind) {
    return storage_.traps.back().label;
  }
  BaselineStorage::TrapStub stub{
      a_.newLabel(), at_, kind, undo, static_cast<std::uint32_t>(storage_.pending.size()), 0};
  if (plan_ != nullptr) {
    PendingStore store;
    const auto told = [&](std::uint32_t slot) {
      if (cache_.pending(slot, store)) storage_.pending.push_back(store);
    };
    each_slot(pc_, 0, [&](std::uint32_t slot, bool reads, bool) {
      if (reads) told(slot);
    });
    told(0);  // where a lane or a kernel's thread is
    if (function_.slots > 1) told(1);
    stub.stores = static_cast<std::uint32_t>(storage_.pending.size()) - stub.first_store;
  }
  storage_.traps.push_back(stub);
  return stub.label;
}

/// Where a jump to the word goes: its block, by way of the loads and stores of the regions it leaves and enters.
asmjit::Label BaselineCompiler::edge(std::int64_t word) {
  if (plan_ == nullptr) return target(word);
  const Region* into = plan_->region_of(word);
  if (into == region_) return target(word);
  Label to = target(word);
  if (into != nullptr && word == into->begin && into->entry == into->begin) {
    Label& entrance = storage_.entrances[static_cast<std::size_t>(into - plan_->regions.data())];
    if (!entrance.isValid()) entrance = a_.newLabel();
    if (region_ == nullptr) return entrance;
    to = entrance;
    into = nullptr;
  }
  storage_.crossings.push_back({a_.newLabel(), to, region_, into, word});
  return storage_.crossings.back().label;
}

void BaselineCompiler::load_held(const Region& region) {
  for (const HeldSlot& held : region.held) {
    const auto at = static_cast<std::int32_t>(8 * held.slot);
    if (!held.vector) {
      a_.mov(x86::gpq(held.id), SlotCache::at(held.slot));
    } else if (held.wide) {
      a_.movsd(x86::xmm(held.id), SlotCache::at(held.slot));
    } else {
      a_.movss(x86::xmm(held.id), x86::dword_ptr(kBase, at));
    }
  }
}

/// Stores what the region wrote of its held slots; all of it when `live` is empty.
void BaselineCompiler::store_held(const Region& region, std::span<const std::uint64_t> live) {
  for (const HeldSlot& held : region.held) {
    if (!held.written || (!live.empty() && !contains(live, held.slot))) continue;
    SlotCache::put(a_, {held.slot, held.id, held.vector});
  }
}

/// The way into a region: loads what is held and, of a version, makes its checks.
void BaselineCompiler::enter_region(const Region& region) {
  cache_.forget_all();
  Label& entrance = storage_.entrances[static_cast<std::size_t>(&region - plan_->regions.data())];
  if (!entrance.isValid()) entrance = a_.newLabel();
  a_.bind(entrance);
  load_held(region);
  cache_.hold(region.held);
  if (region.versioned) enter_version(region);
}

void BaselineCompiler::enter_version(const Region& region) {
  const std::uint32_t begin = at_;
  version_failed_ = a_.newLabel();
  storage_.versions.push_back({version_failed_, region.begin});
  cache_.begin();
  a_.cmp(cache_.in(region.induction), cache_.in(region.bound));
  a_.jae(version_failed_);
  cache_.store_at_once(true);
  for (const std::uint32_t word : region.hoisted) {
    at_ = word;
    pc_ = function_.code.data() + word;
    cache_.begin();
    instruction();
  }
  cache_.store_at_once(false);
  at_ = begin;
  pc_ = function_.code.data() + begin;
  for (const RangeCheck& check : region.checks) check_range(region, check);
  version_failed_ = {};
  vector_loop(region);
}

/// With the largest value of the induction, then, where the offset is negative, with the first.
void BaselineCompiler::check_range(const Region& region, const RangeCheck& check) {
  const auto magnitude = check.offset < 0 ? -check.offset : check.offset;
  if (check.offset < 0) {
    a_.mov(x86::rax, value_of(region.induction, x86::rax));
    if (check.addend != bytecode::kNone) {
      a_.add(x86::rax, value_of(check.addend, x86::rcx));
      a_.jc(version_failed_);
    }
    a_.cmp(x86::rax, magnitude);
    a_.jb(version_failed_);
  }
  a_.mov(x86::rax, value_of(region.bound, x86::rax));
  a_.sub(x86::rax, 1);
  if (check.addend != bytecode::kNone) {
    a_.add(x86::rax, value_of(check.addend, x86::rcx));
    a_.jc(version_failed_);
  }
  if (check.offset < 0) {
    a_.sub(x86::rax, magnitude);
  } else if (check.offset > 0) {
    a_.add(x86::rax, magnitude);
    a_.jc(version_failed_);
  }
  if (check.view == bytecode::kNone) return;
  a_.cmp(x86::rax, value_of(check.view + 1, x86::rcx));
  a_.jae(version_failed_);
}

/// Control comes to at_: leaves and enters regions, binds labels.
void BaselineCompiler::begin_word() {
  const Region* const here = plan_ == nullptr ? nullptr : plan_->region_of(at_);
  const bool leads = (storage_.marks[at_] & kLeader) != 0;
  if (here != region_) {
    // Control may fall in from the block before.
    if (region_ != nullptr) {
      store_held(*region_, plan_->flow.live_at(at_));
      cache_.release_held();
      cache_.forget_all();
    }
    if (here != nullptr) {
      if (here->entry == here->begin) {
        enter_region(*here);
      } else {  // nothing falls in here: the ways to its entry load what is held
        cache_.forget_all();
        cache_.hold(here->held);
      }
    }
    region_ = here;
  }
  if (!leads) return;
  cache_.forget_all();
  a_.bind(target(at_));
  if ((storage_.marks[at_] & kLoopStart) == 0) return;
  if (here == nullptr) {
    point(target(at_), at_, true);
  } else if (at_ == here->begin && here->entry == here->begin) {
    point(storage_.entrances[static_cast<std::size_t>(here - plan_->regions.data())], at_, true);
  } else {
    storage_.crossings.push_back({a_.newLabel(), target(at_), nullptr, here, at_});
    point(storage_.crossings.back().label, at_, true);
  }
}

/// At a block's start: where in it each slot is read last; forever when it is alive behind the block.
void BaselineCompiler::expect_reads() {
  const Block& block = plan_->flow.blocks()[plan_->flow.block_at(at_)];
  last_read_.assign(function_.slots + 2, 0);
  for (std::uint32_t word = block.begin; word < block.end;) {
    const Word* code = function_.code.data() + word;
    each_slot(code, function_.slots, [&](std::uint32_t slot, bool reads, bool) {
      if (reads) last_read_[slot] = word;
    });
    word += words_of(code);
  }
  for (const std::uint32_t next : block.next) {
    const auto live = plan_->flow.live_at(plan_->flow.blocks()[next].begin);
    for (std::uint32_t slot = 0; slot < function_.slots; ++slot) {
      if (contains(live, slot)) last_read_[slot] = UINT32_MAX;
    }
  }
  last_read_[0] = last_read_[1] = UINT32_MAX;  // a trap may tell them
  cache_.expect_reads(last_read_);
}

/// Stores what is pending and alive on some way the jump at pc_ may go.
void BaselineCompiler::store_for_jump() {
  live_.assign(plan_->flow.set_words(), 0);
  const auto add = [&](std::uint32_t word) {
    const auto live = plan_->flow.live_at(word);
    for (std::size_t k = 0; k < live.size(); ++k) live_[k] |= live[k];
  };
  each_target(pc_, at_, [&](std::int64_t to) { add(static_cast<std::uint32_t>(to)); });
  const std::uint32_t next = at_ + words_of(pc_);
  const bool falls_into_block = next < function_.code.size() && bytecode::op_of(pc_[0]) != Op::Jump &&
                                ((storage_.marks[next] & kLeader) != 0 || plan_->region_of(next) != region_);
  if (falls_into_block) add(next);
  cache_.store_pending(live_);
}

/// Control falls into another block: what is pending is stored.
void BaselineCompiler::end_instruction() {
  const Op op = bytecode::op_of(pc_[0]);
  const std::uint32_t next = at_ + words_of(pc_);
  if (next >= function_.code.size() || bytecode::info(op).ends_block || is_call(op)) return;
  if ((storage_.marks[next] & kLeader) != 0 || plan_->region_of(next) != region_) {
    cache_.store_pending(plan_->flow.live_at(next));
  }
}

void BaselineCompiler::translate(ResumePoint* points, bool listed) {
  next_point_ = points;
  entered_ = a_.newLabel();
  leave_ = a_.newLabel();
  fail_ = a_.newLabel();
  prologue();
  for (at_ = 0; at_ < function_.code.size(); at_ += words_of(pc_)) {
    pc_ = function_.code.data() + at_;
    if (plan_ != nullptr) {
      if (plan_->flow.block_at(at_) != bytecode::kNone) expect_reads();
      cache_.go_to(at_);
    }
    begin_word();
    note_line(at_);
    if (listed) {
      const bytecode::OperationInfo& row = bytecode::info(bytecode::op_of(pc_[0]));
      std::string text = "; @" + std::to_string(at_) + " " + std::string(row.text);
      for (const bytecode::Operand& operand : row.all()) {
        if (operand.place == bytecode::Place::List) continue;
        text += (operand.is_register() ? " r" : " ") + std::to_string(bytecode::operand_bits(pc_, operand.place));
      }
      a_.comment(text.c_str());
    }
    cache_.begin();
    const Op op = bytecode::op_of(pc_[0]);
    const bool jumps = op >= Op::Jump && op <= Op::JumpNotLeF64;
    if (plan_ == nullptr) {
      instruction();
    } else if (plan_->is_hoisted[at_] != 0) {
      end_instruction();
    } else if (jumps) {
      store_for_jump();
      cache_.store_at_once(true);
      instruction();
      cache_.store_at_once(false);
    } else {
      instruction();
      end_instruction();
    }
  }
  if (listed) a_.comment("; cold");
  stubs();
}

void BaselineCompiler::prologue() {
  a_.bind(entered_);
  if (counts_entries_) {
    const Label hot = a_.newLabel();
    const Label counted = a_.newLabel();
    const auto at = kTargetsAt + 8 * static_cast<std::int64_t>(2 * engine_.functions.size() + index_);
    a_.dec(x86::qword_ptr(kTable, static_cast<std::int32_t>(at)));
    a_.js(hot);
    a_.bind(counted);
    const Word* const code = function_.code.data();
    storage_.refuels.push_back({hot, counted, code, code, BaselineStorage::Asks::Entry, nullptr});
  }
  if (function_.memory_bytes == 0) return;
  const std::uint64_t needed = std::uint64_t{entry_.frame_bytes} + entry_.memory_bytes + entry_.memory_align;
  if (needed < (1U << 31)) {
    a_.lea(x86::rax, x86::qword_ptr(kBase, static_cast<std::int32_t>(needed)));
  } else {
    a_.mov(x86::rax, needed);
    a_.add(x86::rax, kBase);
  }
  a_.cmp(x86::rax, kMemory);
  const Label fits = a_.newLabel();
  a_.jbe(fits);
  load_address(x86::rax, entry_.code);  // the interpreter's prologue says what there is to say
  a_.jmp(CAIRN_TABLE_ENTRY(leave));
  a_.bind(fits);
  if (entry_.memory_bytes < (1U << 31)) {
    a_.sub(kMemory, entry_.memory_bytes);
  } else {
    a_.mov(x86::rax, entry_.memory_bytes);
    a_.sub(kMemory, x86::rax);
  }
  a_.and_(kMemory, -static_cast<std::int64_t>(entry_.memory_align));
  for (std::uint32_t i = 0; i < entry_.zero_count; ++i) zero_frame(entry_.zeros[i].offset, entry_.zeros[i].bytes);
}

void BaselineCompiler::zero_frame(std::uint32_t offset, std::uint32_t bytes) {
  constexpr std::uint32_t kUnrolled = 256;
  if (bytes > kUnrolled || offset >= (1U << 31) - kUnrolled) {
    // rep stosb: rdi, rcx, rax; the cached registers among them are lost.
    cache_.forget_all();
    a_.mov(x86::edi, offset);
    a_.add(x86::rdi, kMemory);
    a_.mov(x86::ecx, bytes);
    a_.xor_(x86::eax, x86::eax);
    a_.rep().stosb();
    return;
  }
  const auto at = static_cast<std::int32_t>(offset);
  std::uint32_t done = 0;
  const auto left = [&] { return bytes - done; };
  if (bytes >= 16) a_.xorps(x86::xmm0, x86::xmm0);
  for (; left() >= 16; done += 16)
    a_.movups(x86::xmmword_ptr(kMemory, at + static_cast<std::int32_t>(done)), x86::xmm0);
  for (; left() >= 8; done += 8) a_.mov(x86::qword_ptr(kMemory, at + static_cast<std::int32_t>(done)), 0);
  for (; left() >= 4; done += 4) a_.mov(x86::dword_ptr(kMemory, at + static_cast<std::int32_t>(done)), 0);
  for (; left() >= 1; done += 1) a_.mov(x86::byte_ptr(kMemory, at + static_cast<std::int32_t>(done)), 0);
}

void BaselineCompiler::instruction() {
  const Op op = bytecode::op_of(pc_[0]);
  const Shape& shape = shape_of(op);
  switch (shape.verb) {
    case Verb::Other:
      break;
    case Verb::JumpOn:
      return jump_on(shape);
    case Verb::Compare:
      return is_float(shape.type) ? compare_floats(shape) : compare(shape);
    case Verb::Convert:
      if (convert(shape)) return;
      return out_of_line();
    case Verb::Load:
    case Verb::Store:
    case Verb::FrameLoad:
    case Verb::FrameStore:
    case Verb::LoadAt:
    case Verb::StoreAt:
      return cell(shape);
    case Verb::Fma:
      return has_fma_ ? floating(shape) : out_of_line();
    case Verb::Floor:
    case Verb::Ceil:
    case Verb::Trunc:
      return has_sse41_ ? floating(shape) : out_of_line();
    default:
      return is_float(shape.type) ? floating(shape) : integer(shape);
  }
  if (op <= Op::Select) return moves();
  if (op == Op::Not) {
    const Gp source = cache_.in(b());
    const Gp to = cache_.out_over(a(), b(), a() + 1);
    if (to.id() != source.id()) a_.mov(to, source);
    a_.xor_(to.r32(), 1);
    return cache_.commit(a(), to);
  }
  if (op >= Op::BitsF32 && op <= Op::FromBitsF64) return reinterpret();
  if (op == Op::Jump) return jump_to(at_ + static_cast<std::int64_t>(static_cast<std::int32_t>(n())));
  if (op == Op::JumpIf || op == Op::JumpIfNot) {
    const Gp flag = cache_.in(a());
    a_.test(flag, flag);
    return jump_when(op == Op::JumpIf ? x86::CondCode::kNZ : x86::CondCode::kZ,
                     at_ + static_cast<std::int64_t>(static_cast<std::int32_t>(n())));
  }
  if (op == Op::Switch) return switch_jump();
  if (op == Op::LoopNext) return loop_next();
  if ((op >= Op::FrameRef && op <= Op::PartExact && op != Op::RefWide) || op == Op::GuardIndex ||
      op == Op::GuardEqual || op == Op::DynLend || op == Op::DynOf || op == Op::GuardLayout) {
    return references();
  }
  if ((op == Op::Copy || op == Op::Zero || op == Op::FrameZero) && bytes()) return;
  if (op >= Op::Call && op <= Op::ReturnPair) {
    bool done = true;
    call(done);
    if (done) return;
  }
  if (op == Op::FailAssert || op == Op::FailEqual) return trap_always(TrapKind::Assert);
  if (op == Op::Fail) return trap_always(static_cast<TrapKind>(a()));
  out_of_line();
}

/// Calls the engine's definition of the operation.
void BaselineCompiler::out_of_line() {
  const auto op = static_cast<std::int32_t>(pc_[0] & 0xffff);
  if (plan_ != nullptr) cache_.store_pending({});
  if (region_ != nullptr) store_held(*region_, {});
  load_address(x86::rdi, pc_);
  a_.mov(x86::rsi, kBase);
  a_.mov(x86::rdx, kMemory);
  a_.mov(x86::rcx, kThread);
  a_.call(x86::qword_ptr(kTable, kStepsAt + 8 * op));
  a_.test(x86::rax, x86::rax);
  a_.jnz(leave_);
  cache_.forget_all();
  if (region_ != nullptr) load_held(*region_);
}

void BaselineCompiler::stubs() {
  for (const BaselineStorage::BackStub& stub : storage_.backs) {
    at_ = stub.word;
    pc_ = function_.code.data() + at_;
    region_ = plan_ == nullptr ? nullptr : plan_->region_of(at_);
    a_.bind(stub.label);
    note_line(at_);
    count_back_edge(stub.target);
  }
  for (const BaselineStorage::CrossingStub& stub : storage_.crossings) {
    a_.bind(stub.label);
    note_line(static_cast<std::uint32_t>(stub.word));
    if (stub.from != nullptr) store_held(*stub.from, plan_->flow.live_at(static_cast<std::uint32_t>(stub.word)));
    if (stub.into != nullptr) load_held(*stub.into);
    a_.jmp(stub.to);
  }
  for (const BaselineStorage::VersionStub& stub : storage_.versions) {
    a_.bind(stub.label);
    note_line(stub.word);
    load_address(x86::rax, plan_->baseline_at(stub.word));
    a_.jmp(x86::rax);
  }
  for (const BaselineStorage::RefuelStub& stub : storage_.refuels) {
    a_.bind(stub.label);
    note_line(static_cast<std::uint32_t>(stub.pc - function_.code.data()));
    if (stub.region != nullptr) store_held(*stub.region, {});
    load_address(x86::rdi, stub.next);
    load_address(x86::rsi, stub.pc);
    a_.mov(x86::rdx, kBase);
    a_.mov(x86::rcx, kMemory);
    a_.mov(x86::r8, kThread);
    using Asks = BaselineStorage::Asks;
    a_.call(stub.asks == Asks::Jump   ? CAIRN_TABLE_ENTRY(refuel_jump)
            : stub.asks == Asks::Call ? CAIRN_TABLE_ENTRY(refuel_call)
                                      : CAIRN_TABLE_ENTRY(hot_entry));
    a_.test(x86::rax, x86::rax);
    if (stub.region == nullptr) {
      a_.jz(stub.go_on);
      a_.jmp(leave_);
    } else {
      a_.jnz(leave_);
      load_held(*stub.region);
      a_.jmp(stub.go_on);
    }
  }
  for (const BaselineStorage::TrapStub& stub : storage_.traps) {
    a_.bind(stub.label);
    note_line(stub.word);
    if (stub.undo.id != 0) {
      if (stub.undo.is_number) {
        a_.emit(stub.undo.id, stub.undo.reg, asmjit::Imm(stub.undo.number));
      } else {
        a_.emit(stub.undo.id, stub.undo.reg, stub.undo.right);
      }
      if (stub.undo.sign_extend) a_.movsxd(stub.undo.reg.r64(), stub.undo.reg.r32());
    }
    for (std::uint32_t k = 0; k < stub.stores; ++k) SlotCache::put(a_, storage_.pending[stub.first_store + k]);
    a_.mov(x86::eax, stub.word);
    a_.mov(x86::ecx, static_cast<std::uint32_t>(stub.kind));
    a_.jmp(fail_);
  }
  a_.bind(fail_);
  load_address(x86::rdx, function_.code.data());
  a_.jmp(CAIRN_TABLE_ENTRY(fail));
  a_.bind(leave_);
  a_.jmp(CAIRN_TABLE_ENTRY(leave));
  for (const BaselineStorage::SwitchTable& table : storage_.tables) {
    a_.align(asmjit::AlignMode::kData, 4);
    a_.bind(table.label);
    for (const Label& label : table.cases) a_.embedLabelDelta(label, table.label, 4);
  }
}

BaselineCompiler::Right BaselineCompiler::right(const Shape& shape) {
  if (!shape.immediate) return {false, 0, cache_.in(c())};
  const auto number = static_cast<std::int64_t>(pc_[1]);
  if (number >= INT32_MIN && number <= INT32_MAX) return {true, number, {}};
  a_.mov(x86::rcx, number);
  return {false, 0, x86::rcx};
}

std::uint32_t BaselineCompiler::right_slot(const Shape& shape) const { return shape.immediate ? a() + 1 : c(); }

x86::Gp BaselineCompiler::in_register(const Right& operand) {
  if (!operand.is_number) return operand.reg;
  a_.mov(x86::rcx, operand.number);
  return x86::rcx;
}

void BaselineCompiler::apply(asmjit::InstId id, const Gp& to, const Right& operand, bool narrow) {
  const Gp sized = narrow ? to.r32() : to;
  if (operand.is_number) {
    a_.emit(id, sized, asmjit::Imm(operand.number));
  } else {
    a_.emit(id, sized, narrow ? operand.reg.r32() : operand.reg);
  }
}

}  // namespace cairn::jit
