// operations.def as a constant of the compiler's. For operation.cpp and for engines that take a row apart at compile
// time (the interpreter); everyone else asks info().
#pragma once

#include <algorithm>
#include <string_view>

#include "vm/bytecode/operation.hpp"

namespace cairn::bytecode::table {

struct ClassName {
  std::string_view text;
  Class type;
};
inline constexpr ClassName kClassNames[] = {
    {"bool", Class::Bool},
    {"u8", Class::U8},
    {"u16", Class::U16},
    {"u32", Class::U32},
    {"u64", Class::U64},
    {"i8", Class::I8},
    {"i16", Class::I16},
    {"i32", Class::I32},
    {"i64", Class::I64},
    {"f32", Class::F32},
    {"f64", Class::F64},
    {"uint", Class::UInt},
    {"sint", Class::SInt},
    {"int", Class::Int},
    {"whole", Class::Whole},
    {"one", Class::One},
    {"two", Class::Two},
    {"one.a", Class::SameAsA},
    {"two.a", Class::SameAsA},
    {"one.b", Class::SameAsB},
    {"ref", Class::Ref},
    {"ref.mut", Class::RefMut},
    {"view", Class::View},
    {"view.mut", Class::ViewMut},
    {"buf", Class::Buf},
    {"fn", Class::Function},
    {"callable", Class::Callable},
    {"dyn", Class::Dyn},
    {"dynref", Class::DynRef},
    {"ticket", Class::Ticket},
    {"group", Class::Group},
    {"ring", Class::Ring},
    {"window", Class::Window},
    {"imm.bool", Class::ImmBool},
    {"imm.u8", Class::ImmU8},
    {"imm.u16", Class::ImmU16},
    {"imm.u32", Class::ImmU32},
    {"imm.u64", Class::ImmU64},
    {"imm.i8", Class::ImmI8},
    {"imm.i16", Class::ImmI16},
    {"imm.i32", Class::ImmI32},
    {"imm.i64", Class::ImmI64},
    {"imm.f32", Class::ImmF32},
    {"imm.f64", Class::ImmF64},
    {"imm.a", Class::ImmA},
    {"imm.b", Class::ImmB},
    {"simm", Class::SImm},
    {"uimm", Class::UImm},
    {"offset", Class::Offset},
    {"frame", Class::Frame},
    {"shared", Class::Shared},
    {"bytes", Class::Bytes},
    {"stride", Class::Stride},
    {"count", Class::Count},
    {"target", Class::Target},
    {"function", Class::FunctionIndex},
    {"text", Class::TextIndex},
    {"type", Class::TypeIndex},
    {"table", Class::TableIndex},
    {"native", Class::NativeIndex},
    {"foreign", Class::ForeignIndex},
    {"signature", Class::SignatureIndex},
    {"member", Class::Member},
    {"kind", Class::TrapKindIndex},
};

consteval Class class_named(std::string_view text) {
  // Looking at plain characters first keeps the whole table within the steps a compiler grants a constant.
  const char* const given = text.data();
  for (const ClassName& entry : kClassNames) {
    const char* const known = entry.text.data();
    if (*known == *given && entry.text == text) return entry.type;
  }
  throw "operations.def: unknown operand class";
}

consteval Place place_named(char letter) {
  switch (letter) {
    case 'a':
      return Place::A;
    case 'b':
      return Place::B;
    case 'c':
      return Place::C;
    case 'd':
      return Place::D;
    case 'e':
      return Place::E;
    case 'n':
      return Place::N;
    case 'm':
      return Place::M;
    case 't':
      return Place::T;
    case 'i':
      return Place::I;
    default:
      throw "operations.def: unknown operand place";
  }
}

consteval Role role_of(char mark, Class type) {
  switch (mark) {
    case '=':
      return Role::Write;
    case '!':
      return Role::ReadWrite;
    case '&':
      return Role::Window;
    case ':':
      return type < Class::Window ? Role::Read : Role::Immediate;
    default:
      throw "operations.def: unknown operand role";
  }
}

consteval OperationInfo row(std::string_view name, std::string_view text, std::string_view operands,
                            std::uint64_t traps, std::string_view meaning) {
  OperationInfo result;
  result.name = name;
  result.text = text;
  result.meaning = meaning;
  result.traps = traps;
  while (!operands.empty()) {
    const std::size_t end = std::min(operands.find(' '), operands.size());
    const std::string_view one = operands.substr(0, end);
    operands.remove_prefix(std::min(end + 1, operands.size()));
    if (one == "list") {
      result.has_list = true;
      result.operands[result.operand_count++] = {Place::List, Role::Immediate, Class::List};
      continue;
    }
    const Place place = place_named(one[0]);
    const Class type = class_named(one.substr(2));
    if (place == Place::D || place == Place::E || place == Place::M || place == Place::T || place == Place::I) {
      result.words = 2;
    }
    result.operands[result.operand_count++] = {place, role_of(one[1], type), type};
  }
  result.ends_block = name == "Jump" || name == "Return" || name == "ReturnValue" || name == "ReturnPair" ||
                      name == "Fail" || name == "FailAssert" || name == "FailEqual";
  return result;
}

enum TrapBits : std::uint64_t {
  None = 0,
  Overflow = 1ULL << static_cast<unsigned>(TrapKind::Overflow),
  Division = 1ULL << static_cast<unsigned>(TrapKind::Division),
  Abs = 1ULL << static_cast<unsigned>(TrapKind::Abs),
  Shift = 1ULL << static_cast<unsigned>(TrapKind::Shift),
  Conversion = 1ULL << static_cast<unsigned>(TrapKind::Conversion),
  Quantize = 1ULL << static_cast<unsigned>(TrapKind::Quantize),
  Bounds = 1ULL << static_cast<unsigned>(TrapKind::Bounds),
  Wide = 1ULL << static_cast<unsigned>(TrapKind::Wide),
  Allocation = 1ULL << static_cast<unsigned>(TrapKind::Allocation),
  Callable = 1ULL << static_cast<unsigned>(TrapKind::Callable),
  Stack = 1ULL << static_cast<unsigned>(TrapKind::Stack),
  Layout = 1ULL << static_cast<unsigned>(TrapKind::Layout),
  Assert = 1ULL << static_cast<unsigned>(TrapKind::Assert),
  Thread = 1ULL << static_cast<unsigned>(TrapKind::Thread),
  Group = 1ULL << static_cast<unsigned>(TrapKind::Group),
  Mutex = 1ULL << static_cast<unsigned>(TrapKind::Mutex),
  Order = 1ULL << static_cast<unsigned>(TrapKind::Order),
  Shuffle = 1ULL << static_cast<unsigned>(TrapKind::Shuffle),
  Pipeline = 1ULL << static_cast<unsigned>(TrapKind::Pipeline),
  Any = ~0ULL,
};

inline constexpr OperationInfo kRows[] = {
#define OPERATION(Name, text, operands, traps, meaning) \
  row(#Name, text, operands, static_cast<std::uint64_t>(traps), meaning),
#include "vm/bytecode/operations.def"
#undef OPERATION
};
static_assert(std::size(kRows) == kOperationCount);

}  // namespace cairn::bytecode::table
