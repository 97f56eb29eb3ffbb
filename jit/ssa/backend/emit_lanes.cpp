// Lanes of 64-bit integers, and lanes of integers as floats, where AVX-512 with its single instructions is missing.
#include "jit/ssa/backend/emitter.hpp"

namespace cairn::jit::ssa {

namespace Inst = x86::Inst;

/// One pattern of 64 bits on every lane of the scratch register, which is given.
x86::Vec Emitter::on_lanes(std::uint64_t pattern, std::uint32_t bytes) {
  const Vec low = x86::xmm(reg::kScratch - kFirstVector);
  const x86::Vec to = bytes == 64 ? x86::Vec(x86::zmm(low.id())) : x86::Vec(x86::ymm(low.id()));
  x86::Mem at = x86::ptr(constant(pattern, pattern));
  at.setSize(8);
  a_.emit(Inst::kIdVbroadcastsd, to, at);
  return bytes == 16 ? x86::Vec(low) : to;
}

/// The operation in steps. The result is in no operand's register; the scratch register is free.
void Emitter::vector_steps(const Instruction& i) {
  const std::uint32_t bytes = bytes_of(i);
  const auto sized = [&](const Vec& reg) { return bytes == 16 ? x86::Vec(reg) : x86::Vec(x86::ymm(reg.id())); };
  const x86::Vec to = sized(out_vec());
  const x86::Vec scratch = sized(x86::xmm(reg::kScratch - kFirstVector));
  const x86::Vec a = sized(vec(0));
  switch (i.op) {
    case Opcode::Convert:
      i.kind == Kind::F64 ? floats_of_longs(i, to, scratch, a) : floats_of_words(i, to, scratch, a);
      return;
    case Opcode::Shr: {
      // Moved as if unsigned; then the sign, wherever it is now, spreads upwards.
      const std::uint64_t count = number(1) & 63;
      a_.emit(Inst::kIdVpsrlq, to, a, asmjit::Imm(count));
      on_lanes(std::uint64_t{1} << (63 - count), bytes);
      a_.emit(Inst::kIdVpxor, to, to, scratch);
      a_.emit(Inst::kIdVpsubq, to, to, scratch);
      return;
    }
    case Opcode::Mul: {
      // a * b mod 2^64 = low a * low b + 2^32 (low a * high b + high a * low b).
      const x86::Vec b = sized(vec(1));
      a_.emit(Inst::kIdVpshufd, scratch, b, asmjit::Imm(0xb1));
      a_.emit(Inst::kIdVpmulld, scratch, scratch, a);
      a_.emit(Inst::kIdVpsrlq, to, scratch, asmjit::Imm(32));
      a_.emit(Inst::kIdVpaddd, to, to, scratch);
      a_.emit(Inst::kIdVpsllq, to, to, asmjit::Imm(32));
      a_.emit(Inst::kIdVpmuludq, scratch, a, b);
      a_.emit(Inst::kIdVpaddq, to, to, scratch);
      return;
    }
    default: {
      const x86::Vec b = sized(vec(1));
      if (is_signed(i.kind)) {
        a_.emit(Inst::kIdVpcmpgtq, scratch, a, b);
      } else {
        on_lanes(std::uint64_t{1} << 63, bytes);
        a_.emit(Inst::kIdVpxor, to, a, scratch);
        a_.emit(Inst::kIdVpxor, scratch, b, scratch);
        a_.emit(Inst::kIdVpcmpgtq, scratch, to, scratch);
      }
      const bool least = i.op == Opcode::Min;
      a_.emit(Inst::kIdVblendvpd, to, least ? a : b, least ? b : a, scratch);
      return;
    }
  }
}

/// 64-bit integers as f64, rounded once: the halves stand in floats of fixed exponents, 2^84 (or 2^84 + 2^63 of signed
/// ones) and 2^52, which are taken off exactly before the halves are added.
void Emitter::floats_of_longs(const Instruction& i, const x86::Vec& to, const x86::Vec& scratch, const x86::Vec& a) {
  const bool sign = is_signed(i.source);
  a_.emit(Inst::kIdVpsrlq, to, a, asmjit::Imm(32));
  on_lanes(sign ? 0x4530000080000000 : 0x4530000000000000, bytes_of(i));
  a_.emit(Inst::kIdVpxor, to, to, scratch);
  on_lanes(sign ? 0x4530000080100000 : 0x4530000000100000, bytes_of(i));
  a_.emit(Inst::kIdVsubpd, to, to, scratch);
  on_lanes(0x4330000000000000, bytes_of(i));
  a_.emit(Inst::kIdVpblendd, scratch, scratch, a, asmjit::Imm(0x55));
  a_.emit(Inst::kIdVaddpd, to, to, scratch);
}

/// 32-bit integers as f32, rounded once: unsigned ones by halves as above, in floats of 2^39 and 2^23.
void Emitter::floats_of_words(const Instruction& i, const x86::Vec& to, const x86::Vec& scratch, const x86::Vec& a) {
  if (is_signed(i.source)) {
    a_.emit(Inst::kIdVcvtdq2ps, to, a);
    return;
  }
  a_.emit(Inst::kIdVpsrld, to, a, asmjit::Imm(16));
  on_lanes(0x5300000053000000, bytes_of(i));
  a_.emit(Inst::kIdVpor, to, to, scratch);
  on_lanes(0x5300008053000080, bytes_of(i));
  a_.emit(Inst::kIdVsubps, to, to, scratch);
  on_lanes(0x4b0000004b000000, bytes_of(i));
  a_.emit(Inst::kIdVpblendw, scratch, scratch, a, asmjit::Imm(0x55));
  a_.emit(Inst::kIdVaddps, to, to, scratch);
}

}  // namespace cairn::jit::ssa
