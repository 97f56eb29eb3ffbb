// print and its kin, format, assert and assert_eq (syntax and values, 1.12 and 1.13).
#include "frontend/check/body_checker.hpp"
#include "frontend/check/method_hint.hpp"

namespace cairn {

using checked::ExprKind;
using checked::PrintArgument;
using checked::PrintAs;

PrintArgument BodyChecker::print_argument(Operand& operand) {
  Node node = walk_view(operand);
  const Type* type = node->type;
  const Position at = node->position;
  if (node->kind == ExprKind::Integer && node->as<checked::IntegerExpr>().character) return {PrintAs::Byte, node};
  if (type->is_integer()) return {PrintAs::Integer, as_value(node)};
  if (type->is(TypeKind::Bool)) return {PrintAs::Bool, as_value(node)};
  if (type->is_float()) return {PrintAs::Float, as_value(node)};
  if (lends_a_view(node)) {
    node = part_of_lending_record(node, at);
    type = node->type;
  }
  if (const Type* element = element_type(type); element != nullptr && element->is(TypeKind::U8)) {
    if (node->kind != ExprKind::Text && root_local(node) == nullptr) {
      refuse(Code::PrintArg, at, "The bytes of a temporary do not print: bind it to a name first.");
    }
    if (!type->is(TypeKind::View))
      node = view_of(node, types().view(BorrowMode::Ro, element, Extent{}, Placement::Host));
    require_side(node->type, node, at);
    note_lent(node, false, at);
    return {PrintAs::Bytes, node};
  }
  std::string message = "A " + std::string(type->name) + " does not print: integers, bools, floats and bytes do.";
  if (type->is_storage_float()) message += " Widen it with f32(x).";
  if (type->is(TypeKind::Record)) {
    message += " Print its fields.";
    message += method_hint(checker_, "to_f64", "", type, scope_.module, at);
  }
  refuse(Code::PrintArg, at, std::move(message));
}

void BodyChecker::require_host_output(const BuiltinCall& call) {
  if (call.has_brackets) {
    refuse(Code::Arity, call.position, std::string(checker_.text(call.name)) + " takes no type arguments.");
  }
  if (on_device()) {
    refuse(Code::Placement, call.position,
           std::string(checker_.text(call.name)) + " is host only: device code writes no output.");
  }
}

Node BodyChecker::print(BuiltinCall& call) {
  require_host_output(call);
  std::vector<PrintArgument> arguments;
  for (Operand& operand : call.arguments) arguments.push_back(print_argument(operand));
  auto& node = make<checked::PrintExpr>(ExprKind::Print, types().void_type(), call.position);
  const std::string_view name = checker_.text(call.name);
  node.to_error = name.front() == 'e';
  node.newline = name.ends_with("ln");
  node.arguments = checker_.arena().copy(std::span<const PrintArgument>(arguments));
  return &node;
}

Node BodyChecker::format(BuiltinCall& call) {
  require_host_output(call);
  if (call.arguments.empty()) refuse(Code::Arity, call.position, "format takes what to append to, then what to write.");
  Node target = walk_operand(call.arguments.front(), nullptr);
  const Position at = target->position;
  const auto refuse_target = [&] {
    refuse(Code::FormatTarget, at,
           "format appends to a Vec[u8], or a record that lends c[0..n] of a Buf[u8] field c and a usize field n.");
  };
  if (!target->type->is(TypeKind::Record) || !target->is_place() || root_local(target) == nullptr) refuse_target();
  const RecordInfo& record = *target->type->record;
  const Lends& lends = record.lends;
  if (lends.carrier < 0 || lends.hi.field < 0 || lends.lo.field >= 0 || lends.lo.literal != 0) refuse_target();
  const RecordField& carrier = record.fields[static_cast<std::size_t>(lends.carrier)];
  if (!carrier.type->element->is(TypeKind::U8) || carrier.extent_field >= 0) refuse_target();
  for (const RecordField& field : record.fields) {
    if (field.extent_field == lends.hi.field) refuse_target();
  }
  if (!is_writable(target))
    refuse(Code::Immutable, at, quoted(root_local(target)->name) + " is not mutable, so format cannot append to it.");
  touch(target, Touch::Write, at);
  root_local(target)->lent_rw = true;

  std::vector<LentPlace> lent{place_path(target, true)};
  std::vector<PrintArgument> arguments;
  for (Operand& operand : call.arguments.subspan(1)) {
    arguments.push_back(print_argument(operand));
    if (arguments.back().as == PrintAs::Bytes) lent.push_back(place_path(arguments.back().value, false));
  }
  require_disjoint(lent, call.position);
  auto& node = make<checked::FormatExpr>(ExprKind::Format, types().void_type(), call.position);
  node.target = target;
  node.buffer_field = static_cast<std::uint32_t>(lends.carrier);
  node.length_field = static_cast<std::uint32_t>(lends.hi.field);
  node.arguments = checker_.arena().copy(std::span<const PrintArgument>(arguments));
  return &node;
}

std::string_view BodyChecker::assert_message(const BuiltinCall& call, std::size_t index) {
  const syntax::Expr* message = call.arguments[index].written;
  if (message == nullptr || message->kind != syntax::ExprKind::String) {
    refuse(Code::Arity, call.position,
           "The message of " + std::string(checker_.text(call.name)) + " is a string literal.");
  }
  return message->as<syntax::StringExpr>().bytes;
}

Node BodyChecker::assertion(BuiltinCall& call) {
  require_arguments(call, 1, 2);
  auto& node = make<checked::AssertExpr>(ExprKind::Assert, types().void_type(), call.position);
  if (call.arguments.size() == 2) {
    node.has_message = true;
    node.message = assert_message(call, 1);
  }
  node.condition = value_of(call.arguments.front(), types().bool_type());
  return &node;
}

Node BodyChecker::assert_equal(BuiltinCall& call) {
  require_arguments(call, 2, 3);
  auto& node = make<checked::AssertEqualExpr>(ExprKind::AssertEqual, types().void_type(), call.position);
  if (call.arguments.size() == 3) {
    node.has_message = true;
    node.message = assert_message(call, 2);
  }
  Operand& first = call.arguments[0];
  Operand& second = call.arguments[1];
  const bool right_first = first.node == nullptr && adapts(*first.written) && !adapts(*second.written);
  Node left = right_first ? nullptr : walk_operand(first, nullptr);
  Node right = walk_operand(second, left == nullptr ? nullptr : left->type);
  if (left == nullptr) left = walk_operand(first, right->type);
  if (left->type != right->type) {
    if (right_first) refuse_operands(right->type, left, call.position);
    refuse_operands(left->type, right, call.position);
  }
  require_operator(syntax::BinaryOp::Equal, left->type, call.position);
  if (!left->type->is_scalar()) {
    refuse(Code::AssertEq, call.position,
           "assert_eq compares integers, bools and floats, and these are " + std::string(left->type->name) +
               ": write assert(a == b).");
  }
  node.left = as_value(left);
  node.right = as_value(right);
  return &node;
}

}  // namespace cairn
