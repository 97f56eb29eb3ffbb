// The vector form of a versioned loop: 64 bytes of elements at a time while more than one vector is left, so that the
// plain loop behind it does the last iterations and leaves every slot as it must be. AVX-512; zmm16 and up, which
// nothing else uses.
#include <map>

#include "jit/baseline/compiler.hpp"

namespace cairn::jit {
namespace {

constexpr std::uint32_t kFirstWide = 16, kWides = 15;  // and zmm31
constexpr std::uint32_t kVectorBytes = 64;

}  // namespace

/// The slot's value: in its register, else loaded to `scratch`.
x86::Gp BaselineCompiler::value_of(std::uint32_t slot, x86::Gp scratch) {
  PendingStore held;
  if (cache_.pending(slot, held) && !held.vector) return x86::gpq(held.id);
  a_.mov(scratch, SlotCache::at(slot));
  return scratch;
}

/// Goes to `skip` where a view that is written overlaps another.
void BaselineCompiler::tell_views_apart(const Region& region, Label skip) {
  const auto shift = static_cast<std::uint32_t>(std::countr_zero(region.element_bytes));
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> told;
  for (const VectorAccess& store : region.accesses) {
    for (const VectorAccess& other : region.accesses) {
      if (!store.store || store.view == other.view) continue;
      if (!told.insert({std::minmax(store.view, other.view), true}).second) continue;
      const Label apart = a_.newLabel();
      const Gp pointer = value_of(store.view, x86::rdx);
      const Gp length = value_of(store.view + 1, x86::rcx);
      a_.lea(x86::rcx, x86::ptr(pointer, length, shift));
      const Gp other_pointer = value_of(other.view, x86::rax);
      a_.cmp(x86::rcx, other_pointer);
      a_.jbe(apart);
      const Gp other_length = value_of(other.view + 1, x86::rcx);
      a_.lea(x86::rcx, x86::ptr(other_pointer, other_length, shift));
      a_.cmp(x86::rcx, pointer);
      a_.ja(skip);
      a_.bind(apart);
    }
  }
}

void BaselineCompiler::vector_loop(const Region& region) {
  if (!has_avx512_ || counts_ || region.accesses.empty()) return;
  PendingStore induction;
  if (!cache_.pending(region.induction, induction)) return;
  const Gp counter = x86::gpq(induction.id);
  const bool wide = region.element_bytes == 8;
  const auto shift = static_cast<std::uint32_t>(std::countr_zero(region.element_bytes));
  const auto elements = static_cast<std::int32_t>(kVectorBytes / region.element_bytes);

  // Registers: vectors for every float slot, pointers for every view and addend.
  std::map<std::uint32_t, std::uint32_t> vectors;
  std::map<std::uint32_t, bool> written;
  std::vector<std::uint32_t> fixed;
  const auto each_float = [&](auto visit) {
    for (std::uint32_t word = region.begin; word < region.end;) {
      const Word* code = function_.code.data() + word;
      each_slot(code, 0, [&](std::uint32_t slot, bool reads, bool writes) {
        if (is_float_slot(function_, slot)) visit(slot, reads, writes);
      });
      word += bytecode::instruction_words(code);
    }
  };
  each_float([&](std::uint32_t slot, bool, bool writes) {
    if (!vectors.contains(slot)) vectors.emplace(slot, kFirstWide + static_cast<std::uint32_t>(vectors.size()));
    written[slot] |= writes;
  });
  if (vectors.size() > kWides) return;
  std::vector<Gp> free{x86::rcx, x86::rdx};
  for (const std::uint8_t id : general_registers()) {
    if (!cache_.holds(id)) free.push_back(x86::gpq(id));
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, Gp> bases;
  std::size_t needed = 0;
  for (const VectorAccess& access : region.accesses) {
    if (bases.contains({access.view, access.addend})) continue;
    PendingStore held;
    if (access.addend == bytecode::kNone && cache_.pending(access.view, held)) {
      bases[{access.view, access.addend}] = x86::gpq(held.id);
    } else {
      if (needed == free.size()) return;
      bases[{access.view, access.addend}] = free[needed++];
    }
  }

  const Label skip = a_.newLabel();
  const Label top = a_.newLabel();
  cache_.forget_all();
  a_.mov(x86::rax, value_of(region.bound, x86::rax));
  a_.sub(x86::rax, counter);
  a_.cmp(x86::rax, elements);
  a_.jbe(skip);
  tell_views_apart(region, skip);
  for (const auto& [key, base] : bases) {
    PendingStore held;
    if (key.second == bytecode::kNone && cache_.pending(key.first, held)) continue;
    if (key.second == bytecode::kNone) {
      a_.mov(base, SlotCache::at(key.first));
      continue;
    }
    a_.mov(x86::rax, value_of(key.second, x86::rax));
    if (shift != 0) a_.shl(x86::rax, shift);
    a_.add(x86::rax, value_of(key.first, base));
    a_.mov(base, x86::rax);
  }
  for (const auto& [slot, vector] : vectors) {
    if (written[slot]) continue;
    PendingStore held;
    const x86::Zmm to = x86::zmm(vector);
    if (cache_.pending(slot, held) && held.vector) {
      wide ? a_.vbroadcastsd(to, x86::xmm(held.id)) : a_.vbroadcastss(to, x86::xmm(held.id));
    } else {
      const auto at = static_cast<std::int32_t>(8 * slot);
      wide ? a_.vbroadcastsd(to, x86::qword_ptr(kBase, at)) : a_.vbroadcastss(to, x86::dword_ptr(kBase, at));
    }
  }
  a_.mov(x86::rax, value_of(region.bound, x86::rax));
  a_.sub(x86::rax, elements);

  a_.align(asmjit::AlignMode::kCode, 32);
  a_.bind(top);
  for (std::uint32_t word = region.begin; word < region.end;) {
    vector_instruction(region, word, vectors, bases, counter);
    word += bytecode::instruction_words(function_.code.data() + word);
  }
  a_.add(counter, elements);
  a_.cmp(counter, x86::rax);
  a_.jb(top);
  a_.bind(skip);
}

void BaselineCompiler::vector_instruction(const Region& region, std::uint32_t word, const VectorRegisters& vectors,
                                          const Bases& bases, Gp counter) {
  const Word* code = function_.code.data() + word;
  const Op op = bytecode::op_of(code[0]);
  const Shape& shape = shape_of(op);
  const bool wide = region.element_bytes == 8;
  for (const VectorAccess& access : region.accesses) {
    if (access.word != word) continue;
    x86::Mem at = x86::ptr(bases.at({access.view, access.addend}), counter,
                           static_cast<std::uint32_t>(std::countr_zero(region.element_bytes)),
                           static_cast<std::int32_t>(access.offset) * static_cast<std::int32_t>(region.element_bytes));
    at.setSize(kVectorBytes);
    const x86::Zmm value = x86::zmm(vectors.at(access.slot));
    access.store ? a_.vmovups(at, value) : a_.vmovups(value, at);
    return;
  }
  const auto reg = [&](std::uint32_t slot) { return x86::zmm(vectors.at(slot)); };
  const std::uint32_t a = bytecode::a_of(code[0]);
  const std::uint32_t b = bytecode::b_of(code[0]);
  const std::uint32_t c = bytecode::c_of(code[0]);
  if (op == Op::Move) {
    a_.vmovaps(reg(a), reg(b));
    return;
  }
  if (!is_float(shape.type)) return;  // addresses
  switch (shape.verb) {
    case Verb::Add:
      wide ? a_.vaddpd(reg(a), reg(b), reg(c)) : a_.vaddps(reg(a), reg(b), reg(c));
      break;
    case Verb::Sub:
      wide ? a_.vsubpd(reg(a), reg(b), reg(c)) : a_.vsubps(reg(a), reg(b), reg(c));
      break;
    case Verb::Mul:
      wide ? a_.vmulpd(reg(a), reg(b), reg(c)) : a_.vmulps(reg(a), reg(b), reg(c));
      break;
    case Verb::Div:
      wide ? a_.vdivpd(reg(a), reg(b), reg(c)) : a_.vdivps(reg(a), reg(b), reg(c));
      break;
    case Verb::Sqrt:
      wide ? a_.vsqrtpd(reg(a), reg(b)) : a_.vsqrtps(reg(a), reg(b));
      break;
    default: {  // fma
      const std::uint32_t d = bytecode::d_of(code[1]);
      a_.vmovaps(x86::zmm31, reg(b));
      wide ? a_.vfmadd213pd(x86::zmm31, reg(c), reg(d)) : a_.vfmadd213ps(x86::zmm31, reg(c), reg(d));
      a_.vmovaps(reg(a), x86::zmm31);
      break;
    }
  }
}

}  // namespace cairn::jit
