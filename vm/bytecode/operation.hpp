// The operation table as data: what operations.def says of each operation, parsed once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/trap/trap.hpp"

namespace cairn::bytecode {

enum class Op : std::uint16_t {
#define OPERATION(Name, text, operands, traps, meaning) Name,
#include "vm/bytecode/operations.def"
#undef OPERATION
  Count,
};
inline constexpr std::uint32_t kOperationCount = static_cast<std::uint32_t>(Op::Count);

/// Where an operand lies in an instruction (operations.def, Encoding).
enum class Place : std::uint8_t { A, B, C, D, E, N, M, T, I, List };

enum class Role : std::uint8_t { Immediate, Read, Write, ReadWrite, Window };

/// Register classes first, then immediate classes.
enum class Class : std::uint8_t {
  Bool,
  U8,
  U16,
  U32,
  U64,
  I8,
  I16,
  I32,
  I64,
  F32,
  F64,  // in the order of RegisterKind
  UInt,
  SInt,
  Int,
  Whole,
  One,
  Two,
  SameAsA,
  SameAsB,
  Ref,
  RefMut,
  View,
  ViewMut,
  Buf,
  Function,
  Callable,
  Dyn,
  DynRef,
  Ticket,
  Group,
  Ring,
  Window,
  ImmBool,
  ImmU8,
  ImmU16,
  ImmU32,
  ImmU64,
  ImmI8,
  ImmI16,
  ImmI32,
  ImmI64,
  ImmF32,
  ImmF64,
  ImmA,
  ImmB,
  SImm,
  UImm,
  Offset,
  Frame,
  Shared,
  Bytes,
  Stride,
  Count,
  Target,
  FunctionIndex,
  TextIndex,
  TypeIndex,
  TableIndex,
  NativeIndex,
  ForeignIndex,
  SignatureIndex,
  Member,
  TrapKindIndex,
  List,
};

struct Operand {
  Place place{};
  Role role{};
  Class type{};
  [[nodiscard]] bool is_register() const { return role != Role::Immediate; }
};

inline constexpr std::size_t kMaxOperands = 8;

struct OperationInfo {
  std::string_view name;  // enumerator: "AddU32"
  std::string_view text;  // "add.u32"
  std::string_view meaning;
  std::uint64_t traps = 0;  // bit per TrapKind; all ones: any
  std::uint8_t words = 1;   // without a list
  std::uint8_t operand_count = 0;
  bool has_list = false;
  bool ends_block = false;  // control never falls through: jump, return, fail
  Operand operands[kMaxOperands];

  [[nodiscard]] std::span<const Operand> all() const { return {operands, operand_count}; }
};

[[nodiscard]] const OperationInfo& info(Op op);
/// The operation of that text name, or Op::Count.
[[nodiscard]] Op find_operation(std::string_view text);

/// A text name comes apart into verb, type and form: "add.wrap.u32.imm" is add.wrap, u32, immediate.
struct OpName {
  std::string_view verb;
  std::string_view type;
  bool immediate = false;
};

constexpr bool is_type_name(std::string_view text) {
  for (const std::string_view name : {"bool", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64", "f16",
                                      "bf16", "f8e4m3", "f8e5m2"}) {
    if (name == text) return true;
  }
  return false;
}

constexpr OpName split_name(std::string_view text) {
  OpName name;
  if (text.ends_with(".imm")) {
    name.immediate = true;
    text.remove_suffix(4);
  }
  const std::size_t dot = text.rfind('.');
  if (dot != std::string_view::npos && is_type_name(text.substr(dot + 1))) {
    name.type = text.substr(dot + 1);
    text = text.substr(0, dot);
  }
  name.verb = text;
  return name;
}

// -------------------------------------------------------------------------------------------- encoding

using Word = std::uint64_t;

constexpr Op op_of(Word w) { return static_cast<Op>(w & 0xffff); }
constexpr std::uint16_t a_of(Word w) { return static_cast<std::uint16_t>(w >> 16); }
constexpr std::uint16_t b_of(Word w) { return static_cast<std::uint16_t>(w >> 32); }
constexpr std::uint16_t c_of(Word w) { return static_cast<std::uint16_t>(w >> 48); }
constexpr std::uint32_t n_of(Word w) { return static_cast<std::uint32_t>(w >> 32); }
constexpr std::uint16_t d_of(Word w1) { return static_cast<std::uint16_t>(w1); }
constexpr std::uint16_t e_of(Word w1) { return static_cast<std::uint16_t>(w1 >> 16); }
constexpr std::uint32_t m_of(Word w1) { return static_cast<std::uint32_t>(w1 >> 32); }
constexpr std::int32_t t_of(Word w1) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(w1)); }

/// The operand's bits in the instruction at `code` (a register index, or an immediate zero-extended).
[[nodiscard]] std::uint64_t operand_bits(const Word* code, Place place);
/// How many items an instruction with a list has.
[[nodiscard]] std::uint32_t list_items(const Word* code);
/// The number of words of the instruction at `code`, list included.
[[nodiscard]] std::uint32_t instruction_words(const Word* code);

}  // namespace cairn::bytecode
