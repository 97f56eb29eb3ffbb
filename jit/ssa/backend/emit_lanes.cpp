// Lanes where AVX-512 with its single instructions is missing: of 64-bit integers, of integers as floats, and lanes
// that are kept on condition.
#include <algorithm>
#include <array>
#include <utility>

#include "jit/ssa/backend/emitter.hpp"

namespace cairn::jit::ssa {

namespace Inst = x86::Inst;

namespace {

/// For each pattern of kept lanes of `Bytes` bytes, which 4 bytes of 32 stand where: those of kept lanes, next to each
/// other.
template <std::uint32_t Bytes>
constexpr auto kept_places() {
  constexpr std::uint32_t kLanes = 32 / Bytes;
  std::array<std::array<std::uint8_t, 8>, 1U << kLanes> places{};
  for (std::uint32_t pattern = 0; pattern < places.size(); ++pattern) {
    std::uint32_t to = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if ((pattern >> lane & 1U) == 0) continue;
      for (std::uint32_t part = 0; part < Bytes / 4; ++part) {
        places[pattern][to++] = static_cast<std::uint8_t>(lane * (Bytes / 4) + part);
      }
    }
  }
  return places;
}
constexpr auto kKeptOfFour = kept_places<4>();
constexpr auto kKeptOfEight = kept_places<8>();

/// For each count of lanes, as many bytes that are all ones.
constexpr auto kFirstLanes = [] {
  std::array<std::array<std::uint8_t, 8>, 9> lanes{};
  for (std::uint32_t count = 0; count < lanes.size(); ++count) {
    for (std::uint32_t lane = 0; lane < count; ++lane) lanes[count][lane] = 0xff;
  }
  return lanes;
}();

}  // namespace

/// One pattern of 64 bits on every lane of the scratch register, which is given.
x86::Vec Emitter::on_lanes(std::uint64_t pattern, std::uint32_t bytes) {
  const Vec scratch = x86::xmm(reg::kScratch - kFirstVector);
  x86::Mem at = x86::ptr(constant(pattern, pattern));
  at.setSize(8);
  a_.emit(Inst::kIdVbroadcastsd, sized(scratch, std::max(bytes, 32U)), at);
  return sized(scratch, bytes);
}

/// The operation in steps. The result is in no operand's register; the scratch register is free.
void Emitter::vector_steps(const Instruction& i) {
  const std::uint32_t bytes = bytes_of(i);
  const auto sized = [&](const Vec& reg) { return ssa::sized(reg, bytes); };
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

/// The bits of the lanes of which the relation holds.
void Emitter::mask_of_lanes(const Instruction& i) {
  const std::uint32_t bytes = bytes_of(f_.at(i.a));
  const auto sized = [&](const Vec& reg) { return ssa::sized(reg, bytes); };
  const bool is_word = size_of(i.source) == 4;
  const x86::Vec scratch = sized(x86::xmm(reg::kScratch - kFirstVector));
  x86::Vec a = sized(vec(0));
  x86::Vec b = sized(vec(1));
  bool is_inverse = false;
  if (is_float(i.source)) {
    a_.emit(is_word ? Inst::kIdVcmpps : Inst::kIdVcmppd, scratch, a, b, asmjit::Imm(float_predicate(i.relation)));
  } else {
    // Equal or greater, of operands in this order or the other, or not so.
    const bool is_equality = i.relation == Relation::Eq || i.relation == Relation::Ne;
    const bool swaps = i.relation == Relation::Lt || i.relation == Relation::Ge || i.relation == Relation::NotLt;
    is_inverse = i.relation != Relation::Eq && i.relation != Relation::Lt && i.relation != Relation::Gt &&
                 i.relation != Relation::NotLe;
    if (!is_equality && !is_signed(i.source)) {
      const x86::Vec shifted = sized(temp_vec(0));
      on_lanes(is_word ? 0x8000000080000000 : std::uint64_t{1} << 63, bytes);
      a_.emit(Inst::kIdVpxor, shifted, a, scratch);
      a_.emit(Inst::kIdVpxor, scratch, b, scratch);
      a = shifted;
      b = scratch;
    }
    if (swaps) std::swap(a, b);
    const asmjit::InstId id = is_equality ? (is_word ? Inst::kIdVpcmpeqd : Inst::kIdVpcmpeqq)
                                          : (is_word ? Inst::kIdVpcmpgtd : Inst::kIdVpcmpgtq);
    a_.emit(id, scratch, a, b);
  }
  a_.emit(is_word ? Inst::kIdVmovmskps : Inst::kIdVmovmskpd, out().r32(), scratch);
  if (is_inverse) a_.xor_(out().r32(), (1U << (bytes / size_of(i.source))) - 1);
}

/// The lanes whose bits of `kept` are set, next to each other, by a table of where each lane goes.
void Emitter::compress(const Instruction& i, const x86::Vec& to, const x86::Vec& from, const Gp& kept) {
  const x86::Ymm places = x86::ymm(reg::kScratch - kFirstVector);
  load_address(temp(0), size_of(i.kind) == 4 ? static_cast<const void*>(kKeptOfFour.data()) : kKeptOfEight.data());
  a_.vpmovzxbd(places, x86::ptr(temp(0), kept, 3));
  a_.emit(Inst::kIdVpermd, to, places, from);
}

/// The first `count` lanes are stored; what lies behind them in memory is not touched.
void Emitter::store_some(const Instruction& i, const x86::Mem& at, const x86::Vec& from, const Gp& count) {
  const bool is_word = size_of(i.kind) == 4;
  const x86::Ymm scratch = x86::ymm(reg::kScratch - kFirstVector);
  if (!target_.cpu.slow_masked_stores) {
    load_address(temp(0), kFirstLanes.data());
    a_.emit(is_word ? Inst::kIdVpmovsxbd : Inst::kIdVpmovsxbq, scratch, x86::ptr(temp(0), count, 3));
    a_.emit(is_word ? Inst::kIdVpmaskmovd : Inst::kIdVpmaskmovq, at, scratch, from);
    return;
  }
  // One by one, the last lane first, each no further than where the last of the first ones goes, which is stored there
  // after those.
  const Label done = a_.newLabel();
  const Gp start = temp(0), last = temp(1), to = temp(2);
  a_.lea(start, at);
  a_.mov(last, count);
  a_.sub(last, 1);
  a_.jb(done);
  const std::uint32_t shift = is_word ? 2 : 3;
  const std::uint32_t in_half = is_word ? 4 : 2;
  a_.vextracti128(scratch.xmm(), x86::ymm(from.id()), 1);
  for (std::uint32_t lane = 2 * in_half - 1; lane != 0; --lane) {
    a_.mov(to.r32(), lane);
    a_.cmp(last, to);
    a_.cmovb(to, last);
    const Vec half = lane >= in_half ? scratch.xmm() : x86::xmm(from.id());
    const x86::Mem place = x86::ptr(start, to, shift);
    is_word ? a_.vpextrd(place, half, lane % in_half) : a_.vpextrq(place, half, lane % in_half);
  }
  is_word ? a_.vmovd(x86::ptr(start), x86::xmm(from.id())) : a_.vmovq(x86::ptr(start), x86::xmm(from.id()));
  a_.bind(done);
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
