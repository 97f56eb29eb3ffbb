// Instruction selection: which machine instructions an instruction of SSA becomes decides what it asks of registers.
// The emitter (emitter.hpp) makes them under the same conditions.
#pragma once

#include "jit/jit.hpp"
#include "jit/ssa/backend/nodes.hpp"

namespace cairn::jit::ssa {

/// What the processor at hand can do.
struct Cpu {
  bool sse41 = false, bmi2 = false, avx = false, avx2 = false, avx512 = false, fma = false;
  bool slow_masked_stores = false;  // vpmaskmov takes tens of cycles: AMD's processors before those with AVX-512
  [[nodiscard]] static const Cpu& host();
};

/// What code is made with.
struct Target {
  const bytecode::Module& module;
  const Engine& engine;
  Cpu cpu;
  bool counts = false;  // calls count the fuel, and their arguments lie in the frame
};

/// The register in which function `index` is given slot `slot` of its parameters by code of this tier; none: it lies in
/// the frame.
[[nodiscard]] Reg argument_register(const Target& target, std::uint32_t index, std::uint32_t slot);
/// Parameter slots of the function, its environment included.
[[nodiscard]] std::uint32_t parameter_slots(const bytecode::Module& module, std::uint32_t index);
[[nodiscard]] bool is_float_slot(const bytecode::Module& module, std::uint32_t index, std::uint32_t slot);
/// The register in which slot 0 or 1 of the result is given back.
[[nodiscard]] Reg result_register(const bytecode::Signature& signature, std::uint32_t slot);

/// The nodes of the function. False when there is an instruction that has no form here.
[[nodiscard]] bool select(const Function& function, const Target& target, Nodes& nodes);

// ---- conditions both sides share

/// The number, when the value is a constant integer that an instruction can hold.
[[nodiscard]] bool immediate(const Function& f, Value value, std::int64_t& number);
inline bool is_immediate(const Function& f, Value value) {
  std::int64_t number = 0;
  return immediate(f, value, number);
}
/// The address of a memory operation without its registers: what of the frame's memory it is, when it is.
[[nodiscard]] bool frame_offset(const Function& f, const Instruction& i, std::int64_t& offset);
[[nodiscard]] constexpr bool is_narrow(Kind kind) { return size_of(kind) <= 4; }
[[nodiscard]] constexpr bool is_tiny(Kind kind) { return size_of(kind) <= 2; }
/// Whether the machine's instruction writes an f32 into its register and leaves what lies above it: then the register
/// is zero before, and none of an operand.
[[nodiscard]] inline bool leaves_upper_half(const Instruction& i, const Cpu& cpu) {
  if (i.kind != Kind::F32 || i.lanes > 1) return false;
  if (i.op == Opcode::Convert) return i.source == Kind::F64;
  return !cpu.avx && (i.op == Opcode::Sqrt || i.op == Opcode::Floor || i.op == Opcode::Ceil || i.op == Opcode::Trunc);
}
/// Whether AVX2 has the vector operation as several instructions alone, which write the result while operands are read:
/// 64-bit integers, and integers as floats.
[[nodiscard]] inline bool is_made_in_steps(const Instruction& i, const Cpu& cpu) {
  if (cpu.avx512) return false;
  if (i.op == Opcode::Convert) return true;
  if (i.op == Opcode::Shr && !is_signed(i.kind)) return false;
  return size_of(i.kind) == 8 && !is_float(i.kind) &&
         (i.op == Opcode::Mul || i.op == Opcode::Min || i.op == Opcode::Max || i.op == Opcode::Shr);
}
/// Copies and zeroes of more bytes call the library.
inline constexpr std::int64_t kInlineBytes = 64;
[[nodiscard]] constexpr bool is_power_of_two(std::uint64_t number) {
  return number != 0 && (number & (number - 1)) == 0;
}

/// Which values have bits above their 32 that say nothing (Nodes::is_dirty).
void find_dirty(const Function& function, Nodes& nodes);

/// Of each value whether it is made where it is used, without a result of its own: the comparison of a Select, and an
/// And whose bits a comparison asks for.
[[nodiscard]] std::vector<std::uint8_t> find_fused(const Function& function);
/// How a comparison of an And with a number asks for bits.
[[nodiscard]] Bits bits_of(const Function& function, const Instruction& i);
/// Whether the operation's instructions leave the bits above an i32 as they come. Where the value is not dirty, the
/// emitter puts the sign there.
[[nodiscard]] bool leaves_sign_out(Opcode op);

}  // namespace cairn::jit::ssa
