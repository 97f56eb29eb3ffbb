// Layout queries with coordinates known at run time are arithmetic (ownership and memory, 11.1 and 11.5): one guard an
// argument, then products and sums that fit 64 bits whatever the guards let through.
#include "frontend/check/layouts.hpp"
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::kNone;
using bytecode::RegisterKind;
using checked::LayoutMode;
using checked::LayoutQueryOp;
using checked::LayoutValue;
using checked::SpreadMode;

namespace {

constexpr RegisterType kIndex{RegisterKind::U64, false, kNone};

}  // namespace

/// sum += ((x / before) mod extent) * weight, where `before` is the product of the faster extents and `last` tells that
/// no slower digit follows.
void FunctionLowering::add_digit(Register sum, Register x, std::uint64_t before, std::uint64_t extent,
                                 std::uint64_t weight, bool last) {
  if (weight == 0 || extent == 1) return;
  const Register digit = temporary(kIndex);
  Register from = x;
  if (before != 1) {
    f_.emit(Op::DivU64Imm, digit, from, before);
    from = digit;
  }
  if (!last) {
    f_.emit(Op::RemU64Imm, digit, from, extent);
    from = digit;
  }
  if (weight != 1) {
    f_.emit(Op::MulWrapU64Imm, digit, from, weight);
    from = digit;
  }
  f_.emit(Op::AddWrapU64, sum, sum, from);
}

/// The offset of the element at coordinates that are in range.
void FunctionLowering::storage_offset(const LayoutValue& layout, std::span<const Register> coordinates, Register to) {
  constant(to, 0);
  for (std::size_t k = 0; k < layout.dimensions.size(); ++k) {
    std::uint64_t before = 1;
    const auto& modes = layout.dimensions[k];
    for (std::size_t i = 0; i < modes.size(); ++i) {
      add_digit(to, coordinates[k], before, modes[i].extent, modes[i].stride, i + 1 == modes.size());
      before *= modes[i].extent;
    }
  }
  if (layout.swizzle.bits == 0) return;
  const Register mixed = temporary(kIndex);
  const std::uint64_t mask = ((std::uint64_t{1} << layout.swizzle.bits) - 1) << layout.swizzle.base;
  f_.emit(Op::ShrU64Imm, mixed, to, static_cast<std::uint64_t>(layout.swizzle.shift));
  f_.emit(Op::AndImm, mixed, mixed, mask);
  f_.emit(Op::Xor, to, to, mixed);
}

/// Row (or column) of a participant's value.
void FunctionLowering::spread_coordinate(const LayoutValue& layout, bool column, Register participant, Register value,
                                         Register to) {
  constant(to, 0);
  const auto add = [&](std::span<const SpreadMode> modes, Register number) {
    std::uint64_t before = 1;
    for (std::size_t i = 0; i < modes.size(); ++i) {
      add_digit(to, number, before, modes[i].extent, column ? modes[i].column : modes[i].row, i + 1 == modes.size());
      before *= modes[i].extent;
    }
  };
  add(layout.participant_modes, participant);
  add(layout.value_modes, value);
  if (layout.wraps) f_.emit(Op::RemU64Imm, to, to, layout.extent(column ? 1 : 0));
}

Register FunctionLowering::layout_query(const checked::LayoutQueryExpr& e, Register into) {
  const LayoutValue& layout = *e.layout;
  const Register to = temporary(kIndex);
  const Mark mark = this->mark();
  std::vector<Register> coordinates;
  for (const Expr* argument : e.arguments) coordinates.push_back(value(*argument));
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    const std::uint64_t extent = !layout.is_spread ? layout.extent(k)
                                 : k == 0          ? layout.participants()
                                                   : layout.values();
    emit(e.arguments[k]->position, Op::GuardLayout, coordinates[k], extent);
  }
  at(e.position);
  if (!layout.is_spread) {
    storage_offset(layout, coordinates, to);
  } else if (e.op == LayoutQueryOp::At) {
    const Register row = temporary(kIndex);
    const Register column = temporary(kIndex);
    spread_coordinate(layout, false, coordinates[0], coordinates[1], row);
    spread_coordinate(layout, true, coordinates[0], coordinates[1], column);
    const Register tile[] = {row, column};
    storage_offset(layout, tile, to);
  } else {
    spread_coordinate(layout, e.op == LayoutQueryOp::Col, coordinates[0], coordinates[1], to);
  }
  release(mark);
  if (!into) return to;
  move(into, to, Shape::One);
  return into;
}

}  // namespace cairn::lower
