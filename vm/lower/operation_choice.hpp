// Which operation of the table serves a type. Rows that repeat per width stand in the table in the order of
// RegisterKind, a fixed number of rows each; the assertions hold the table to that.
#pragma once

#include "frontend/syntax/ast.hpp"
#include "vm/bytecode/operation.hpp"
#include "vm/bytecode/types.hpp"

namespace cairn::lower {

using bytecode::Op;
using bytecode::RegisterKind;

constexpr Op row(Op first, unsigned rows, RegisterKind kind, RegisterKind from) {
  return static_cast<Op>(static_cast<unsigned>(first) +
                         rows * (static_cast<unsigned>(kind) - static_cast<unsigned>(from)));
}
constexpr bool is_unsigned(RegisterKind kind) { return kind >= RegisterKind::U8 && kind <= RegisterKind::U64; }
constexpr bool is_signed(RegisterKind kind) { return kind >= RegisterKind::I8 && kind <= RegisterKind::I64; }
constexpr bool is_integer(RegisterKind kind) { return is_unsigned(kind) || is_signed(kind); }
constexpr bool is_floating(RegisterKind kind) { return kind == RegisterKind::F32 || kind == RegisterKind::F64; }

/// Bits of an integer register's type; 0 for others.
constexpr unsigned width_of(RegisterKind kind) {
  if (is_unsigned(kind)) return 8U << (static_cast<unsigned>(kind) - static_cast<unsigned>(RegisterKind::U8));
  if (is_signed(kind)) return 8U << (static_cast<unsigned>(kind) - static_cast<unsigned>(RegisterKind::I8));
  return 0;
}

/// Checked integer arithmetic: `u8` is the row of u8.
constexpr Op checked_operation(Op u8, RegisterKind kind) { return row(u8, 10, kind, RegisterKind::U8); }
static_assert(checked_operation(Op::AddU8, RegisterKind::I64) == Op::AddI64);
static_assert(checked_operation(Op::RemU8Imm, RegisterKind::U32) == Op::RemU32Imm);

constexpr Op signed_operation(Op i8, RegisterKind kind) { return row(i8, 2, kind, RegisterKind::I8); }
static_assert(signed_operation(Op::AbsI8, RegisterKind::I64) == Op::AbsI64);

constexpr Op wrapping_operation(Op u8, RegisterKind kind) { return row(u8, 10, kind, RegisterKind::U8); }
static_assert(wrapping_operation(Op::AddWrapU8, RegisterKind::U64) == Op::AddWrapU64);
static_assert(wrapping_operation(Op::ShrU8Imm, RegisterKind::U32) == Op::ShrU32Imm);

constexpr Op float_operation(Op f32, RegisterKind kind) { return row(f32, 15, kind, RegisterKind::F32); }
static_assert(float_operation(Op::AddF32, RegisterKind::F64) == Op::AddF64);
static_assert(float_operation(Op::LeF32, RegisterKind::F64) == Op::LeF64);

constexpr Op float_jump(Op f32, RegisterKind kind) { return row(f32, 6, kind, RegisterKind::F32); }
static_assert(float_jump(Op::JumpNotLeF32, RegisterKind::F64) == Op::JumpNotLeF64);

constexpr Op conversion(Op u8, RegisterKind kind) { return row(u8, 4, kind, RegisterKind::U8); }
static_assert(conversion(Op::U8FromF64, RegisterKind::I64) == Op::I64FromF64);

/// Loads and stores of a register of one slot (or two): `first` is the bool row.
constexpr Op memory_operation(Op boolean, RegisterKind kind) {
  const bool scalar = kind >= RegisterKind::Bool && kind <= RegisterKind::F64;
  if (scalar) return row(boolean, 6, kind, RegisterKind::Bool);
  const unsigned offset = static_cast<unsigned>(boolean) - static_cast<unsigned>(Op::LoadBool);
  const bool pair = kind >= RegisterKind::View && kind <= RegisterKind::DynRef;
  return static_cast<Op>(static_cast<unsigned>(pair ? Op::LoadPair : Op::LoadWord) + offset);
}
static_assert(memory_operation(Op::StoreAtBool, RegisterKind::F64) == Op::StoreAtF64);
static_assert(memory_operation(Op::StoreAtBool, RegisterKind::Function) == Op::StoreAtWord);
static_assert(memory_operation(Op::FrameStoreBool, RegisterKind::Buf) == Op::FrameStorePair);

}  // namespace cairn::lower
