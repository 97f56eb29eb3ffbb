// What an operation's name says of it, taken apart once: translators switch on the verb and read the type.
#pragma once

#include <array>
#include <cstdint>

#include "vm/bytecode/operation.hpp"

namespace cairn::jit {

enum class Verb : std::uint8_t {
  Other,  // told by its Op alone
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Neg,
  Abs,
  AddWrap,
  SubWrap,
  MulWrap,
  ShlWrap,
  Shr,
  And,
  Or,
  Xor,
  Min,
  Max,
  Fma,
  Sqrt,
  Floor,
  Ceil,
  Trunc,
  Compare,  // a bool
  JumpOn,   // a jump on a comparison
  Convert,  // from `source` to `type`
  Load,
  Store,
  FrameLoad,
  FrameStore,
  LoadAt,
  StoreAt,
};

enum class Relation : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge, NotLt, NotLe };

enum class Kind : std::uint8_t { None, Bool, U8, U16, U32, U64, I8, I16, I32, I64, F32, F64, Pair };

constexpr bool is_float(Kind kind) { return kind == Kind::F32 || kind == Kind::F64; }
constexpr bool is_signed(Kind kind) { return kind >= Kind::I8 && kind <= Kind::I64; }
/// Bytes in memory.
constexpr std::uint32_t size_of(Kind kind) {
  switch (kind) {
    case Kind::Bool:
    case Kind::U8:
    case Kind::I8:
      return 1;
    case Kind::U16:
    case Kind::I16:
      return 2;
    case Kind::U32:
    case Kind::I32:
    case Kind::F32:
      return 4;
    case Kind::Pair:
      return 16;
    default:
      return 8;
  }
}

struct Shape {
  Verb verb = Verb::Other;
  Kind type = Kind::None;    // of the operands, or of a conversion's result; U64, I64: whole slots
  Kind source = Kind::None;  // of a conversion
  Relation relation = Relation::Eq;
  bool immediate = false;  // the last operand
};

extern const std::array<Shape, bytecode::kOperationCount> kShapes;
inline const Shape& shape_of(bytecode::Op op) { return kShapes[static_cast<std::size_t>(op)]; }

}  // namespace cairn::jit
