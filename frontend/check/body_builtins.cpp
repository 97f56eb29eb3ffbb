// Builtin functions that compute: which names there are, integer and float builtins, conversions, len, storage floats
// (syntax and values, 1.6.4 and 1.7; numerics, 2 and 3).
#include "frontend/check/body_checker.hpp"
#include "frontend/check/method_hint.hpp"

namespace cairn {

using checked::Builtin;
using checked::ExprKind;

struct BuiltinTable {
  static constexpr BuiltinRow kRows[] = {
      {"add_wrap", &BodyChecker::wrapping},
      {"sub_wrap", &BodyChecker::wrapping},
      {"mul_wrap", &BodyChecker::wrapping},
      {"shl_wrap", &BodyChecker::shifting},
      {"shr", &BodyChecker::shifting},
      {"min", &BodyChecker::least_or_greatest},
      {"max", &BodyChecker::least_or_greatest},
      {"abs", &BodyChecker::absolute},
      {"sqrt", &BodyChecker::rounding},
      {"floor", &BodyChecker::rounding},
      {"ceil", &BodyChecker::rounding},
      {"trunc", &BodyChecker::rounding},
      {"to_bits", &BodyChecker::to_bits},
      {"from_bits", &BodyChecker::from_bits},
      {"quantize", &BodyChecker::quantize},
      {"quantize_stochastic", &BodyChecker::quantize},
      {"len", &BodyChecker::length},
      {"take", &BodyChecker::take},
      {"swap", &BodyChecker::swap},
      {"transfer", &BodyChecker::transfer},
      {"mmio_read", &BodyChecker::mmio_read},
      {"mmio_write", &BodyChecker::mmio_write},
      {"asm", &BodyChecker::asm_text},
      {"Buf", &BodyChecker::new_buf},
      {"Array", &BodyChecker::new_array},
      {"Dyn", &BodyChecker::new_dyn},
      {"print", &BodyChecker::print},
      {"println", &BodyChecker::print},
      {"eprint", &BodyChecker::print},
      {"eprintln", &BodyChecker::print},
      {"format", &BodyChecker::format},
      {"assert", &BodyChecker::assertion},
      {"assert_eq", &BodyChecker::assert_equal},
      // Concurrency.
      {"wait", &BodyChecker::wait},
      {"collect", &BodyChecker::collect},
      {"Group", &BodyChecker::new_group},
      {"Atomic", &BodyChecker::new_atomic},
      {"Mutex", &BodyChecker::new_mutex},
      {"IoRing", &BodyChecker::new_ring},
      {"atomic_add_wrap", &BodyChecker::element_update},
      {"atomic_min", &BodyChecker::element_update},
      {"atomic_max", &BodyChecker::element_update},
      {"atomic_and", &BodyChecker::element_update},
      {"atomic_or", &BodyChecker::element_update},
      {"atomic_xor", &BodyChecker::element_update},
      {"atomic_cas", &BodyChecker::element_update},
      {"atomic_add_unordered", &BodyChecker::element_update},
      // Devices.
      {"shuffle", &BodyChecker::warp_exchange},
      {"shuffle_xor", &BodyChecker::warp_exchange},
      {"shuffle_down", &BodyChecker::warp_exchange},
      {"shuffle_up", &BodyChecker::warp_exchange},
      {"warp_ballot", &BodyChecker::warp_exchange},
      {"warp_any", &BodyChecker::warp_exchange},
      {"warp_all", &BodyChecker::warp_exchange},
      {"warp_match", &BodyChecker::warp_exchange},
      {"load_wide", &BodyChecker::wide_access},
      {"store_wide", &BodyChecker::wide_access},
      // Matrices.
      {"mma_unordered", &BodyChecker::mma_unordered},
      {"mma_load", &BodyChecker::fragment_load},
      {"mma_store", &BodyChecker::fragment_store},
      {"mma_get", &BodyChecker::fragment_value},
      {"mma_set", &BodyChecker::fragment_value},
      {"WmmaA", &BodyChecker::fragment_fill},
      {"WmmaB", &BodyChecker::fragment_fill},
      {"WmmaAcc", &BodyChecker::fragment_fill},
      {"MmaA", &BodyChecker::fragment_fill},
      {"MmaB", &BodyChecker::fragment_fill},
      {"MmaAcc", &BodyChecker::fragment_fill},
      {"TmemAcc", &BodyChecker::fragment_fill},
  };
};

BodyShared::BodyShared(NameTable& names) : blank(names.intern("_")), table(BuiltinTable::kRows) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Name name = names.intern(table[i].name);
    if (name.id >= rows.size()) rows.resize(name.id + std::size_t{1});
    rows[name.id] = static_cast<std::uint8_t>(i + 1);
  }
}

void BodyChecker::require_arguments(const BuiltinCall& call, std::size_t least, std::size_t most) {
  if (call.arguments.size() >= least && call.arguments.size() <= most) return;
  std::string message = std::string(checker_.text(call.name)) + " takes " + std::to_string(least);
  if (most != least) message += " or " + std::to_string(most);
  message += most == 1 ? " argument" : " arguments";
  refuse(Code::Arity, call.position, message + ", and this call gives " + std::to_string(call.arguments.size()) + ".");
}

Node BodyChecker::builtin_node(Builtin builtin, const Type* type, std::initializer_list<Node> arguments, Position at) {
  auto& node = make<checked::BuiltinExpr>(ExprKind::Builtin, type, at);
  node.builtin = builtin;
  node.arguments = checker_.arena().copy(std::span<const Node>(arguments.begin(), arguments.size()));
  return &node;
}

namespace {

bool is_integer_literal(const Operand& operand) {
  return operand.node == nullptr
             ? operand.written->kind == syntax::ExprKind::Integer
             : operand.node->kind == ExprKind::Integer && operand.node->as<checked::IntegerExpr>().literal;
}

}  // namespace

/// The operands of a builtin of two operands of one type: the first one's type holds for both.
std::pair<Node, Node> BodyChecker::two_operands(BuiltinCall& call) {
  require_arguments(call, 2, 2);
  Operand& first = call.arguments[0];
  Operand& second = call.arguments[1];
  if (first.node == nullptr && is_integer_literal(first) && !is_integer_literal(second)) {
    Node right = walk_operand(second, call.expected);
    Node left = walk_operand(first, right->type);
    if (left->type != right->type) refuse_mismatch(right->type, left->type, left->position);
    return {left, right};
  }
  Node left = walk_operand(first, call.expected);
  Node right = walk_operand(second, left->type);
  if (left->type != right->type) refuse_mismatch(left->type, right->type, right->position);
  return {left, right};
}

Node BodyChecker::wrapping(BuiltinCall& call) {
  const auto [left, right] = two_operands(call);
  const std::string_view name = checker_.text(call.name);
  if (!left->type->is_unsigned()) {
    refuse(Code::WrapType, call.position,
           std::string(name) + " takes unsigned integers, and these are " + std::string(left->type->name) + ".");
  }
  const Builtin builtin = name.front() == 'a'   ? Builtin::AddWrap
                          : name.front() == 's' ? Builtin::SubWrap
                                                : Builtin::MulWrap;
  return builtin_node(builtin, left->type, {as_value(left), as_value(right)}, call.position);
}

Node BodyChecker::shifting(BuiltinCall& call) {
  require_arguments(call, 2, 2);
  Node left = walk_operand(call.arguments[0], call.expected);
  Node value = as_value(left);
  Node count = value_of(call.arguments[1], types().usize());
  const std::string_view name = checker_.text(call.name);
  if (!left->type->is_unsigned()) {
    refuse(Code::WrapType, call.position,
           std::string(name) + " takes an unsigned integer, and this is " + std::string(left->type->name) + ".");
  }
  return builtin_node(name == "shr" ? Builtin::Shr : Builtin::ShlWrap, left->type, {value, count}, call.position);
}

Node BodyChecker::least_or_greatest(BuiltinCall& call) {
  const auto [left, right] = two_operands(call);
  const std::string_view name = checker_.text(call.name);
  if (!left->type->is_integer()) {
    refuse(Code::Minmax, call.position,
           std::string(name) + " takes integers, and these are " + std::string(left->type->name) + "." +
               method_hint(checker_, name, "y", left->type, scope_.module, call.position));
  }
  return builtin_node(name == "min" ? Builtin::Min : Builtin::Max, left->type, {as_value(left), as_value(right)},
                      call.position);
}

void BodyChecker::refuse_math(const BuiltinCall& call, std::string_view takes, const Type* type) {
  refuse(Code::MathType, call.position,
         std::string(checker_.text(call.name)) + " takes " + std::string(takes) + ", and this is " +
             std::string(type->name) + "." +
             method_hint(checker_, checker_.text(call.name), "", type, scope_.module, call.position));
}

Node BodyChecker::absolute(BuiltinCall& call) {
  require_arguments(call, 1, 1);
  Node operand = walk_operand(call.arguments[0], call.expected);
  if (!operand->type->is_signed() && !operand->type->is_float())
    refuse_math(call, "a signed integer, f32 or f64", operand->type);
  return builtin_node(Builtin::Abs, operand->type, {as_value(operand)}, call.position);
}

Node BodyChecker::rounding(BuiltinCall& call) {
  require_arguments(call, 1, 1);
  Node operand = walk_operand(call.arguments[0], call.expected);
  if (!operand->type->is_float()) refuse_math(call, "f32 or f64", operand->type);
  const std::string_view name = checker_.text(call.name);
  const Builtin builtin = name == "sqrt"    ? Builtin::Sqrt
                          : name == "floor" ? Builtin::Floor
                          : name == "ceil"  ? Builtin::Ceil
                                            : Builtin::Trunc;
  return builtin_node(builtin, operand->type, {as_value(operand)}, call.position);
}

namespace {

/// The unsigned type of a float's width; Void for what is no float.
TypeKind pattern_of(const Type* type) {
  if (!type->is_float() && !type->is_storage_float()) return TypeKind::Void;
  switch (bit_width(type->kind)) {
    case 8:
      return TypeKind::U8;
    case 16:
      return TypeKind::U16;
    case 32:
      return TypeKind::U32;
    default:
      return TypeKind::U64;
  }
}

constexpr std::string_view kFloatNames = "one of f32 f64 f16 bf16 f8e4m3 f8e5m2";

}  // namespace

Node BodyChecker::to_bits(BuiltinCall& call) {
  require_arguments(call, 1, 1);
  Node operand = walk_operand(call.arguments[0], nullptr);
  const TypeKind pattern = pattern_of(operand->type);
  if (pattern == TypeKind::Void) refuse_math(call, kFloatNames, operand->type);
  return builtin_node(Builtin::ToBits, types().scalar(pattern), {as_value(operand)}, call.position);
}

/// The type in a builtin's brackets, else the one expected; null when neither names one.
const Type* BodyChecker::type_argument(const BuiltinCall& call) {
  if (!call.has_brackets) return call.expected;
  if (call.statics.size() != 1) return nullptr;
  return checker_.resolve_static(*call.statics.front(), scope_, call.position).type;
}

Node BodyChecker::from_bits(BuiltinCall& call) {
  const Type* type = type_argument(call);
  if (type == nullptr || pattern_of(type) == TypeKind::Void) {
    refuse(Code::MathType, call.position, "from_bits makes " + std::string(kFloatNames) + ": write from_bits[T](u).");
  }
  require_arguments(call, 1, 1);
  Node pattern = value_of(call.arguments[0], types().scalar(pattern_of(type)));
  return builtin_node(Builtin::FromBits, type, {pattern}, call.position);
}

Node BodyChecker::quantize(BuiltinCall& call) {
  const bool stochastic = checker_.text(call.name) == "quantize_stochastic";
  const Type* type = type_argument(call);
  const bool fits = type != nullptr && (type->is_storage_float() || type->is(TypeKind::I8) || type->is(TypeKind::U8) ||
                                        type->is(TypeKind::I16) || type->is(TypeKind::U16));
  if (!fits) {
    refuse(Code::Quantize, call.position,
           std::string(checker_.text(call.name)) +
               " makes one of f16 bf16 f8e4m3 f8e5m2 i8 u8 i16 u16: write it in brackets.");
  }
  require_arguments(call, stochastic ? 3 : 2, stochastic ? 3 : 2);
  const Type* f32 = types().scalar(TypeKind::F32);
  Node value = value_of(call.arguments[0], f32);
  Node scale = value_of(call.arguments[1], f32);
  if (!stochastic) return builtin_node(Builtin::Quantize, type, {value, scale}, call.position);
  Node noise = value_of(call.arguments[2], types().scalar(TypeKind::U32));
  return builtin_node(Builtin::QuantizeStochastic, type, {value, scale, noise}, call.position);
}

Node BodyChecker::convert(const Type* target, std::span<Operand> arguments, Position at) {
  if (arguments.size() != 1) {
    refuse(Code::Arity, at,
           std::string(target->name) + "(x) converts one value, and this call gives " +
               std::to_string(arguments.size()) + ".");
  }
  Node operand = walk_operand(arguments.front(), nullptr);
  const Type* source = operand->type;
  const bool fits = target->is_storage_float()   ? source->is_float()
                    : source->is_storage_float() ? target->is_float()
                                                 : source->is_numeric();
  if (!fits) {
    std::string message = "A " + std::string(source->name) + " does not convert to " + std::string(target->name) + ": ";
    message += target->is_storage_float()   ? "storage floats are made from f32 or f64."
               : source->is_storage_float() ? "widen with f32(x) first."
               : source->is(TypeKind::Bool) ? "a bool is no number; choose one with if."
                                            : "a number is needed.";
    if (target->is_integer() && has_method(checker_, "to_int", source, scope_.module, at)) {
      message += " Call the method: x.to_int[" + std::string(target->name) + "]().";
    } else {
      message += method_hint(checker_, "to_" + std::string(target->name), "", source, scope_.module, at);
    }
    refuse(Code::Cast, at, std::move(message));
  }
  auto& node = make<checked::ConvertExpr>(ExprKind::Convert, target, at);
  node.operand = as_value(operand);
  return &node;
}

Node BodyChecker::length(BuiltinCall& call) {
  const auto refuse_length = [&](std::string message) { refuse(Code::Len, call.position, std::move(message)); };
  constexpr const char* kTakes = "len takes the name, field or element of a view, Buf or Array, or text";
  if (call.arguments.size() != 1) refuse_length(std::string(kTakes) + ".");
  Operand& operand = call.arguments.front();
  if (operand.node == nullptr && operand.written->kind == syntax::ExprKind::Part) {
    refuse_length(std::string(kTakes) + "; a part's length is hi - lo.");
  }
  Node node = walk_operand(operand, nullptr);
  const Type* type = node->type;
  if (element_type(type) == nullptr) {
    std::string message = std::string(kTakes) + ", and this is " + std::string(type->name) + ".";
    if (type->is(TypeKind::Record) && type->record->lends.carrier >= 0) {
      const Lends& lends = type->record->lends;
      if (lends.hi.field >= 0) {
        message += " Its length is the field " +
                   quoted(type->record->fields[static_cast<std::size_t>(lends.hi.field)].name) + ".";
      }
    }
    refuse_length(std::move(message));
  }
  if (node->kind != ExprKind::Text && (!node->is_place() || root_local(node) == nullptr)) {
    refuse_length(std::string(kTakes) + ": bind this to a name first.");
  }
  return length_of(node, call.position);
}

}  // namespace cairn
