// print, format, assert and assert_eq.
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::PrintItem;
using bytecode::RegisterKind;

/// Arguments in registers, all evaluated before a byte is written.
std::vector<PrintItem> FunctionLowering::print_items(std::span<const checked::PrintArgument> arguments) {
  std::vector<PrintItem> items;
  items.reserve(arguments.size());
  for (const checked::PrintArgument& argument : arguments) {
    const Expr& e = *argument.value;
    if (argument.as == checked::PrintAs::Bytes) {
      items.push_back({bytecode::PrintAs::Bytes, view(e)});
      continue;
    }
    bytecode::PrintAs as = bytecode::PrintAs::Unsigned;
    switch (argument.as) {
      case checked::PrintAs::Byte: {
        // The byte a character literal stands for, whatever integer type the literal took.
        const Register byte = temporary({RegisterKind::U8, false, bytecode::kNone});
        at(e.position);
        constant(byte, literal_bits(e).value_or(0) & 0xff);
        items.push_back({bytecode::PrintAs::Byte, byte});
        continue;
      }
      case checked::PrintAs::Bool:
        as = bytecode::PrintAs::Bool;
        break;
      case checked::PrintAs::Float:
        as = e.type->is(TypeKind::F32) ? bytecode::PrintAs::F32 : bytecode::PrintAs::F64;
        break;
      default:
        as = e.type->is_signed() ? bytecode::PrintAs::Signed : bytecode::PrintAs::Unsigned;
        break;
    }
    items.push_back({as, value(e)});
  }
  return items;
}

void FunctionLowering::print(const checked::PrintExpr& e) {
  const std::vector<PrintItem> items = print_items(e.arguments);
  at(e.position);
  f_.emit_print(e.to_error, e.newline, items);
}

void FunctionLowering::format(const checked::FormatExpr& e) {
  const Place record = place(*e.target);
  const Register target = reference(record, e.position);
  const std::vector<PrintItem> items = print_items(e.arguments);
  const auto buffer = static_cast<std::uint32_t>(types().field_offset(*e.target->type, e.buffer_field));
  const auto length = static_cast<std::uint32_t>(types().field_offset(*e.target->type, e.length_field));
  at(e.position);
  f_.emit_format(target, buffer, length, items);
}

std::uint32_t FunctionLowering::message(bool present, std::string_view text) {
  return present ? module_.builder().text(text) : bytecode::kNone;
}

void FunctionLowering::assert_(const checked::AssertExpr& e) {
  const Label holds = f_.label();
  branch(*e.condition, true, holds);
  emit(e.position, Op::FailAssert, message(e.has_message, e.message));
  f_.bind(holds);
}

void FunctionLowering::assert_equal(const checked::AssertEqualExpr& e) {
  const Register left = value(*e.left);
  const Register right = value(*e.right);
  const RegisterKind kind = form(*e.left->type).kind;
  const Label equal = f_.label();
  emit(e.position, is_floating(kind) ? float_jump(Op::JumpEqF32, kind) : Op::JumpEq, left, right, equal);
  const auto shown = static_cast<std::uint32_t>(kind == RegisterKind::Bool  ? bytecode::PrintAs::Bool
                                                : kind == RegisterKind::F32 ? bytecode::PrintAs::F32
                                                : kind == RegisterKind::F64 ? bytecode::PrintAs::F64
                                                : is_signed(kind)           ? bytecode::PrintAs::Signed
                                                                            : bytecode::PrintAs::Unsigned);
  emit(e.position, Op::FailEqual, left, right, shown, message(e.has_message, e.message));
  f_.bind(equal);
}

}  // namespace cairn::lower
