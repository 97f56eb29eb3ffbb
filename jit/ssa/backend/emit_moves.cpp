// Moves that happen at once, one after the other.
#include <algorithm>

#include "jit/ssa/backend/emitter.hpp"

namespace cairn::jit::ssa {
namespace {

const x86::Xmm kScratchVector = x86::xmm(reg::kScratch - kFirstVector);

}  // namespace

x86::Mem Emitter::memory(const Location& location, std::uint32_t bytes) const {
  x86::Mem at = location.is == Location::Is::Frame
                    ? slot(location.at)
                    : x86::qword_ptr(kThread, static_cast<std::int32_t>(engine_.thread_spills + location.at));
  at.setSize(bytes);
  return at;
}

asmjit::Label Emitter::constant(std::uint64_t low, std::uint64_t high) {
  for (const Constant& each : constants_) {
    if (each.low == low && each.high == high) return each.label;
  }
  constants_.push_back({low, high, a_.newLabel()});
  return constants_.back().label;
}

void Emitter::put_number(Value value, const Location& to) {
  const Instruction& i = f_.at(value);
  std::uint64_t bits = static_cast<std::uint64_t>(i.immediate);
  if (i.op == Opcode::Text) {
    bits = reinterpret_cast<std::uint64_t>(module_.texts[static_cast<std::size_t>(i.immediate)].data());
  }
  if (i.kind == Kind::F32) bits &= 0xffffffffU;
  if (to.in_register() && is_vector(to.reg)) {
    const Vec reg = x86::xmm(to.reg - kFirstVector);
    if (bits == 0) {
      target_.cpu.avx ? a_.vxorps(reg, reg, reg) : a_.xorps(reg, reg);
    } else {
      target_.cpu.avx ? a_.vmovsd(reg, x86::qword_ptr(constant(bits, 0)))
                      : a_.movsd(reg, x86::qword_ptr(constant(bits, 0)));
    }
  } else if (to.in_register()) {
    const Gp reg = x86::gpq(to.reg);
    bits == 0 ? a_.xor_(reg.r32(), reg.r32()) : a_.mov(reg, bits);
  } else {
    const auto number = static_cast<std::int64_t>(bits);
    if (number >= INT32_MIN && number <= INT32_MAX) {
      a_.mov(memory(to), number);
    } else {
      x86::Mem half = memory(to, 4);
      a_.mov(half, static_cast<std::uint32_t>(bits));
      half.addOffset(4);
      a_.mov(half, static_cast<std::uint32_t>(bits >> 32));
    }
  }
}

void Emitter::move(const Move& move) {
  const Location& from = move.from;
  const Location& to = move.to;
  if (from.is == Location::Is::Number) return put_number(from.value, to);
  const std::uint32_t bytes = bytes_of(f_.at(move.value));
  const bool avx = target_.cpu.avx;
  const auto vector_of = [&](Reg reg) -> x86::Vec {
    if (bytes == 64) return x86::zmm(reg - kFirstVector);
    if (bytes == 32) return x86::ymm(reg - kFirstVector);
    return x86::xmm(reg - kFirstVector);
  };
  const auto load = [&](Reg reg) {
    if (bytes > 8)
      return (void)a_.emit(bytes == 64 ? x86::Inst::kIdVmovdqu64 : x86::Inst::kIdVmovups, vector_of(reg),
                           memory(from, bytes));
    avx ? a_.vmovsd(x86::xmm(reg - kFirstVector), memory(from)) : a_.movsd(x86::xmm(reg - kFirstVector), memory(from));
  };
  const auto store = [&](Reg reg) {
    if (bytes > 8)
      return (void)a_.emit(bytes == 64 ? x86::Inst::kIdVmovdqu64 : x86::Inst::kIdVmovups, memory(to, bytes),
                           vector_of(reg));
    avx ? a_.vmovsd(memory(to), x86::xmm(reg - kFirstVector)) : a_.movsd(memory(to), x86::xmm(reg - kFirstVector));
  };
  if (from.in_register() && to.in_register()) {
    if (!is_vector(from.reg) && !is_vector(to.reg)) return (void)a_.mov(x86::gpq(to.reg), x86::gpq(from.reg));
    if (is_vector(from.reg) && is_vector(to.reg)) {
      if (bytes > 8) {
        a_.emit(bytes == 64 ? x86::Inst::kIdVmovdqa64 : x86::Inst::kIdVmovaps, vector_of(to.reg), vector_of(from.reg));
      } else {
        const Vec a = x86::xmm(to.reg - kFirstVector), b = x86::xmm(from.reg - kFirstVector);
        avx ? a_.vmovaps(a, b) : a_.movaps(a, b);
      }
      return;
    }
    if (is_vector(from.reg)) {
      const Vec b = x86::xmm(from.reg - kFirstVector);
      avx ? a_.vmovq(x86::gpq(to.reg), b) : a_.movq(x86::gpq(to.reg), b);
    } else {
      const Vec a = x86::xmm(to.reg - kFirstVector);
      avx ? a_.vmovq(a, x86::gpq(from.reg)) : a_.movq(a, x86::gpq(from.reg));
    }
  } else if (from.in_register()) {
    is_vector(from.reg) ? store(from.reg) : (void)a_.mov(memory(to), x86::gpq(from.reg));
  } else if (to.in_register()) {
    is_vector(to.reg) ? load(to.reg) : (void)a_.mov(x86::gpq(to.reg), memory(from));
  } else {
    load(reg::kScratch);
    store(reg::kScratch);
  }
}

void Emitter::move_all(std::span<const Move> moves) {
  if (moves.empty()) return;
  if (moves.size() == 1) {
    if (moves[0].from != moves[0].to) move(moves[0]);
    return;
  }
  std::vector<Move> pending;
  for (const Move& each : moves) {
    if (each.from != each.to) pending.push_back(each);
  }
  std::uint32_t broken = 0;
  while (!pending.empty()) {
    bool progress = false;
    for (std::size_t k = 0; k < pending.size();) {
      const Location to = pending[k].to;
      bool is_read = false;
      for (std::size_t j = 0; j < pending.size(); ++j) is_read = is_read || (j != k && pending[j].from == to);
      if (is_read) {
        ++k;
        continue;
      }
      move(pending[k]);
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(k));
      progress = true;
    }
    if (progress || pending.empty()) continue;
    // Nothing but cycles is left.
    const Move first = pending.front();
    if (first.from.in_register() && first.to.in_register() && !is_vector(first.from.reg) && !is_vector(first.to.reg)) {
      a_.xchg(x86::gpq(first.to.reg), x86::gpq(first.from.reg));
      pending.erase(pending.begin());
      for (Move& each : pending) {
        if (each.from == first.to) {
          each.from = first.from;
        } else if (each.from == first.from) {
          each.from = first.to;
        }
      }
      std::erase_if(pending, [](const Move& each) { return each.from == each.to; });
      continue;
    }
    // What is there goes to a cell of the thread.
    const auto reader = std::ranges::find(pending, first.to, &Move::from);
    const Location cell{Location::Is::Spill, kNoReg, kMoveCellsAt + 64 * (broken++ % kMoveCells), kNoValue};
    move({first.to, cell, reader->value});
    for (Move& each : pending) {
      if (each.from == first.to) each.from = cell;
    }
  }
}

/// Stores what the interpreter reads of the frame. `undone`: the register of the value the stub got back.
void Emitter::store_uses(const Instruction& i, Reg undone) {
  std::vector<Move> list;
  const auto uses = f_.uses_of(i);
  for (std::uint32_t k = 0; k < uses.size(); ++k) {
    const Use& use = uses[k];
    const Input& each = input(node_->first_exit_input + k);
    if (each.needs == Input::Needs::Fixed) continue;  // an argument in its register
    const Location to{Location::Is::Frame, kNoReg, use.slot, use.value};
    Location from;
    if (each.needs != Input::Needs::Nothing) {
      from = where(node_->first_exit_input + k);
    } else if (f_.at(use.value).op == Opcode::Const) {
      from = {Location::Is::Number, kNoReg, 0, use.value};
    } else {
      from = in(undone);
    }
    const bool undone_here = from.in_register() && from.reg == undone && i.kind == Kind::I32;
    if (n_.is_dirty[use.value] == 0 && !undone_here) {
      list.push_back({from, to, use.value});
      continue;
    }
    // The sign goes above an i32 first.
    if (from.in_register()) {
      a_.movsxd(x86::gpq(from.reg), x86::gpd(from.reg));
    } else {
      a_.pmovsxdq(kScratchVector, memory(from));
      a_.movq(memory(from), kScratchVector);
    }
    list.push_back({from, to, use.value});
  }
  move_all(list);
}

}  // namespace cairn::jit::ssa
