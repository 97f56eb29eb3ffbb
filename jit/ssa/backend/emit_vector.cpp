// Vectors of 16, 32 or 64 bytes: AVX2, or AVX-512.
#include <bit>

#include "jit/ssa/backend/emitter.hpp"

namespace cairn::jit::ssa {
namespace {

namespace Inst = x86::Inst;

/// The instruction that does the operation on lanes of the kind; 0: none. `wide`: of 64 bytes.
asmjit::InstId vector_instruction(Opcode op, Kind kind, bool wide) {
  const std::uint32_t size = size_of(kind);
  const auto by_size = [&](asmjit::InstId one, asmjit::InstId two, asmjit::InstId four, asmjit::InstId eight) {
    return size == 1 ? one : size == 2 ? two : size == 4 ? four : eight;
  };
  const bool is_f32 = kind == Kind::F32;
  if (is_float(kind)) {
    switch (op) {
      case Opcode::Add:
        return is_f32 ? Inst::kIdVaddps : Inst::kIdVaddpd;
      case Opcode::Sub:
        return is_f32 ? Inst::kIdVsubps : Inst::kIdVsubpd;
      case Opcode::Mul:
        return is_f32 ? Inst::kIdVmulps : Inst::kIdVmulpd;
      case Opcode::Div:
        return is_f32 ? Inst::kIdVdivps : Inst::kIdVdivpd;
      default:
        return 0;
    }
  }
  switch (op) {
    case Opcode::Add:
      return by_size(Inst::kIdVpaddb, Inst::kIdVpaddw, Inst::kIdVpaddd, Inst::kIdVpaddq);
    case Opcode::Sub:
      return by_size(Inst::kIdVpsubb, Inst::kIdVpsubw, Inst::kIdVpsubd, Inst::kIdVpsubq);
    case Opcode::Mul:
      return by_size(0, Inst::kIdVpmullw, Inst::kIdVpmulld, Inst::kIdVpmullq);
    case Opcode::And:
      return wide ? Inst::kIdVpandq : Inst::kIdVpand;
    case Opcode::Or:
      return wide ? Inst::kIdVporq : Inst::kIdVpor;
    case Opcode::Xor:
      return wide ? Inst::kIdVpxorq : Inst::kIdVpxor;
    case Opcode::Min:
      return is_signed(kind) ? by_size(Inst::kIdVpminsb, Inst::kIdVpminsw, Inst::kIdVpminsd, Inst::kIdVpminsq)
                             : by_size(Inst::kIdVpminub, Inst::kIdVpminuw, Inst::kIdVpminud, Inst::kIdVpminuq);
    case Opcode::Max:
      return is_signed(kind) ? by_size(Inst::kIdVpmaxsb, Inst::kIdVpmaxsw, Inst::kIdVpmaxsd, Inst::kIdVpmaxsq)
                             : by_size(Inst::kIdVpmaxub, Inst::kIdVpmaxuw, Inst::kIdVpmaxud, Inst::kIdVpmaxuq);
    case Opcode::Shl:
      return by_size(0, Inst::kIdVpsllw, Inst::kIdVpslld, Inst::kIdVpsllq);
    case Opcode::Shr:
      return is_signed(kind) ? by_size(0, Inst::kIdVpsraw, Inst::kIdVpsrad, Inst::kIdVpsraq)
                             : by_size(0, Inst::kIdVpsrlw, Inst::kIdVpsrld, Inst::kIdVpsrlq);
    default:
      return 0;
  }
}

}  // namespace

/// The bits of the lanes of which the relation holds.
void Emitter::lane_mask(const Instruction& i) {
  if (!target_.cpu.avx512) return mask_of_lanes(i);
  const std::uint32_t bytes = bytes_of(f_.at(i.a));
  const auto sized = [&](const Vec& reg) { return ssa::sized(reg, bytes); };
  // By relation: eq ne lt le gt ge notlt notle.
  constexpr std::uint8_t kInteger[] = {0, 4, 1, 2, 6, 5, 5, 6};
  const std::uint32_t size = size_of(i.source);
  if (is_float(i.source)) {
    a_.emit(size == 4 ? Inst::kIdVcmpps : Inst::kIdVcmppd, x86::k1, sized(vec(0)), sized(vec(1)),
            asmjit::Imm(float_predicate(i.relation)));
  } else {
    constexpr asmjit::InstId kSigned[] = {Inst::kIdVpcmpb, Inst::kIdVpcmpw, Inst::kIdVpcmpd, Inst::kIdVpcmpq};
    constexpr asmjit::InstId kUnsigned[] = {Inst::kIdVpcmpub, Inst::kIdVpcmpuw, Inst::kIdVpcmpud, Inst::kIdVpcmpuq};
    const auto at = static_cast<std::size_t>(std::countr_zero(size));
    a_.emit(is_signed(i.source) ? kSigned[at] : kUnsigned[at], x86::k1, sized(vec(0)), sized(vec(1)),
            asmjit::Imm(kInteger[static_cast<std::size_t>(i.relation)]));
  }
  a_.kmovq(out(), x86::k1);
}

/// One lane of floats.
void Emitter::lane(const Instruction& i) {
  const Vec to = out_vec();
  const Vec from = vec(0);
  const auto at = static_cast<std::uint32_t>(i.immediate);
  const std::uint32_t in_part = 16 / size_of(i.kind);
  const std::uint32_t part = at / in_part;
  const std::uint32_t index = at % in_part;
  const bool wide = bytes_of(f_.at(i.a)) == 64;
  Vec quarter = from;
  if (part != 0) {
    quarter = to;
    wide ? a_.vextractf32x4(to, x86::zmm(from.id()), part) : a_.vextractf128(to, x86::ymm(from.id()), part);
  }
  if (index != 0) {
    i.kind == Kind::F64 ? a_.vunpckhpd(to, quarter, quarter) : a_.vpermilps(to, quarter, index);
  } else if (part == 0) {
    a_.vmovaps(to, from);
  }
  // Nothing is left above the low four bytes of an f32.
  if (i.kind == Kind::F32) a_.vinsertps(to, to, to, 0x0e);
}

bool Emitter::vector(const Instruction& i) {
  const std::uint32_t bytes = bytes_of(i);
  const bool wide = bytes == 64;
  const bool is_f32 = i.kind == Kind::F32;
  const auto sized = [&](const Vec& reg) { return ssa::sized(reg, bytes); };
  if (is_made_in_steps(i, target_.cpu)) {
    vector_steps(i);
    return true;
  }
  switch (i.op) {
    case Opcode::PairFunction:
      pair_function(i);
      return true;
    case Opcode::Limb:
      return true;
    case Opcode::Load: {
      std::uint32_t next = 0;
      x86::Mem at = address(i, next);
      at.setSize(bytes);
      a_.emit(wide ? Inst::kIdVmovdqu64 : Inst::kIdVmovups, sized(out_vec()), at);
      return true;
    }
    case Opcode::Store: {
      std::uint32_t next = 0;
      x86::Mem at = address(i, next);
      at.setSize(bytes);
      if (i.use_count == 0) {
        a_.emit(wide ? Inst::kIdVmovdqu64 : Inst::kIdVmovups, at, sized(vec(next)));
        return true;
      }
      if (!target_.cpu.avx512) {
        store_some(i, at, sized(vec(next)), gp(next + 1));
        return true;
      }
      a_.mov(temp(0), -1);
      a_.bzhi(temp(0), temp(0), gp(next + 1));
      a_.kmovq(x86::k1, temp(0));
      const x86::Zmm from = x86::zmm(vec(next).id());
      size_of(i.kind) == 4 ? a_.k(x86::k1).vmovdqu32(at, from) : a_.k(x86::k1).vmovdqu64(at, from);
      return true;
    }
    case Opcode::Iota: {
      // From bytes: lanes of 4 or 8 bytes.
      const x86::Mem bytes_of_lanes = x86::ptr(constant(0x0706050403020100, 0x0f0e0d0c0b0a0908));
      a_.emit(size_of(i.kind) == 4 ? Inst::kIdVpmovzxbd : Inst::kIdVpmovzxbq, sized(out_vec()), bytes_of_lanes);
      return true;
    }
    case Opcode::Compress: {
      if (!target_.cpu.avx512) {
        compress(i, sized(out_vec()), sized(vec(0)), gp(1));
        return true;
      }
      a_.kmovq(x86::k1, gp(1));
      const x86::Vec to = sized(out_vec());
      const x86::Vec from = sized(vec(0));
      a_.k(x86::k1).z().emit(size_of(i.kind) == 4 ? Inst::kIdVpcompressd : Inst::kIdVpcompressq, to, from);
      return true;
    }
    case Opcode::Convert: {
      const bool sign = is_signed(i.source);
      a_.emit(is_f32 ? (sign ? Inst::kIdVcvtdq2ps : Inst::kIdVcvtudq2ps)
                     : (sign ? Inst::kIdVcvtqq2pd : Inst::kIdVcvtuqq2pd),
              sized(out_vec()), sized(vec(0)));
      return true;
    }
    case Opcode::Splat: {
      const x86::Vec to = sized(out_vec());
      if (is_float(i.kind)) {
        if (!is_f32 && bytes == 16) {
          a_.vmovddup(out_vec(), vec(0));
        } else {
          a_.emit(is_f32 ? Inst::kIdVbroadcastss : Inst::kIdVbroadcastsd, to, vec(0));
        }
        return true;
      }
      const std::uint32_t size = size_of(i.kind);
      const Vec low = out_vec();
      size == 8 ? a_.vmovq(low, gp(0)) : a_.vmovd(low, gp(0).r32());
      a_.emit(size == 1   ? Inst::kIdVpbroadcastb
              : size == 2 ? Inst::kIdVpbroadcastw
              : size == 4 ? Inst::kIdVpbroadcastd
                          : Inst::kIdVpbroadcastq,
              to, low);
      return true;
    }
    case Opcode::Neg:
    case Opcode::Abs: {
      const bool flips = i.op == Opcode::Neg;
      const std::uint64_t mask = is_f32 ? (flips ? 0x8000000080000000U : 0x7fffffff7fffffffU)
                                        : (flips ? std::uint64_t{1} << 63 : ~(std::uint64_t{1} << 63));
      const x86::Vec pattern = on_lanes(mask, bytes);
      a_.emit(flips ? (is_f32 ? Inst::kIdVxorps : Inst::kIdVxorpd) : (is_f32 ? Inst::kIdVandps : Inst::kIdVandpd),
              sized(out_vec()), sized(vec(0)), pattern);
      return true;
    }
    case Opcode::Sqrt:
      a_.emit(is_f32 ? Inst::kIdVsqrtps : Inst::kIdVsqrtpd, sized(out_vec()), sized(vec(0)));
      return true;
    case Opcode::Floor:
    case Opcode::Ceil:
    case Opcode::Trunc: {
      const int mode = i.op == Opcode::Floor ? 9 : i.op == Opcode::Ceil ? 10 : 11;
      const asmjit::InstId id = wide ? (is_f32 ? Inst::kIdVrndscaleps : Inst::kIdVrndscalepd)
                                     : (is_f32 ? Inst::kIdVroundps : Inst::kIdVroundpd);
      a_.emit(id, sized(out_vec()), sized(vec(0)), asmjit::Imm(mode));
      return true;
    }
    case Opcode::Fma:
      a_.emit(is_f32 ? Inst::kIdVfmadd213ps : Inst::kIdVfmadd213pd, sized(out_vec()), sized(vec(1)), sized(vec(2)));
      return true;
    case Opcode::Fms:
      a_.emit(is_f32 ? Inst::kIdVfmsub213ps : Inst::kIdVfmsub213pd, sized(out_vec()), sized(vec(1)), sized(vec(2)));
      return true;
    case Opcode::Fnma:
      a_.emit(is_f32 ? Inst::kIdVfnmadd213ps : Inst::kIdVfnmadd213pd, sized(out_vec()), sized(vec(1)), sized(vec(2)));
      return true;
    case Opcode::Unzip: {
      const bool odd = i.immediate != 0;
      if (size_of(i.kind) == 4) {
        a_.emit(Inst::kIdVshufps, sized(out_vec()), sized(vec(0)), sized(vec(1)), asmjit::Imm(odd ? 0xdd : 0x88));
      } else {
        a_.emit(odd ? Inst::kIdVunpckhpd : Inst::kIdVunpcklpd, sized(out_vec()), sized(vec(0)), sized(vec(1)));
      }
      return true;
    }
    case Opcode::Zip: {
      const asmjit::InstId low = size_of(i.kind) == 4 ? Inst::kIdVunpcklps : Inst::kIdVunpcklpd;
      const asmjit::InstId high = size_of(i.kind) == 4 ? Inst::kIdVunpckhps : Inst::kIdVunpckhpd;
      a_.emit(i.immediate != 0 ? high : low, sized(out_vec()), sized(vec(0)), sized(vec(1)));
      return true;
    }
    case Opcode::Compare: {
      const asmjit::Imm predicate(float_predicate(i.relation));
      const asmjit::InstId id = i.source == Kind::F32 ? Inst::kIdVcmpps : Inst::kIdVcmppd;
      if (!wide) {
        a_.emit(id, sized(out_vec()), sized(vec(0)), sized(vec(1)), predicate);
        return true;
      }
      a_.emit(id, x86::k1, sized(vec(0)), sized(vec(1)), predicate);
      a_.emit(i.source == Kind::F32 ? Inst::kIdVpmovm2d : Inst::kIdVpmovm2q, sized(out_vec()), x86::k1);
      return true;
    }
    case Opcode::Select:
      if (!wide) {
        a_.emit(is_f32 ? Inst::kIdVblendvps : Inst::kIdVblendvpd, sized(out_vec()), sized(vec(2)), sized(vec(1)),
                sized(vec(0)));
        return true;
      }
      a_.emit(is_f32 ? Inst::kIdVpmovd2m : Inst::kIdVpmovq2m, x86::k1, sized(vec(0)));
      a_.k(x86::k1).emit(is_f32 ? Inst::kIdVblendmps : Inst::kIdVblendmpd, sized(out_vec()), sized(vec(2)),
                         sized(vec(1)));
      return true;
    case Opcode::Shl:
    case Opcode::Shr: {
      const asmjit::InstId id = vector_instruction(i.op, i.kind, wide);
      if (id == 0) return false;
      a_.emit(id, sized(out_vec()), sized(vec(0)), asmjit::Imm(number(1)));
      return true;
    }
    default: {
      const asmjit::InstId id = vector_instruction(i.op, i.kind, wide);
      if (id == 0) return false;
      a_.emit(id, sized(out_vec()), sized(vec(0)), sized(vec(1)));
      return true;
    }
  }
}

}  // namespace cairn::jit::ssa
