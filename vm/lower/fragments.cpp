// Tensor-core fragments (numerics, 9): a fragment is an Array of f32 in the frame of the thread that holds it, and each
// operation a native of the thread, named after the instruction it stands for: FAMILY.OPERATION.ROLE.FORMAT.MxNxK.
#include "frontend/check/fragments.hpp"
#include "frontend/check/concurrent_ops.hpp"
#include "runtime/matrices/fragment.hpp"
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::kNone;
using bytecode::RegisterKind;
using checked::ConcurrentOp;
using checked::FragmentExpr;
using checked::LayoutValue;
using runtime::TileLayout;

namespace {

constexpr RegisterType kWord{RegisterKind::U64, false, kNone};
constexpr RegisterType kF32{RegisterKind::F32, false, kNone};

/// A layout as the bytes that the natives read.
std::string bytes_of(const LayoutValue& layout) {
  std::vector<TileLayout::Mode> modes[2];
  for (std::size_t k = 0; k < 2; ++k) {
    for (const checked::LayoutMode& mode : layout.dimensions[k]) modes[k].push_back({mode.extent, mode.stride});
  }
  const TileLayout tile(modes[0], modes[1], layout.swizzle.bits, layout.swizzle.base, layout.swizzle.shift,
                        layout.cosize());
  std::string bytes;
  for (const std::uint64_t word : tile.words()) {
    for (unsigned shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(word >> shift));
  }
  return bytes;
}

/// The fragment type an operation is named after.
const Type& named_fragment(const FragmentExpr& e) {
  switch (e.op) {
    case ConcurrentOp::FragmentStore:
      return *e.arguments[2]->type;
    case ConcurrentOp::FragmentGet:
      return *e.arguments[0]->type;
    default:
      return *e.type;
  }
}

std::string native_of(const FragmentExpr& e, const NameTable& names) {
  const Type& type = named_fragment(e);
  const FragmentFamily& family = *fragment_shape(type, names).family;
  const std::string prefix = family.is_wmma ? "wmma" : "mma";
  const auto number = [&](std::size_t k) { return std::to_string(type.arguments[k].natural); };
  const std::string shape = "." + number(1) + "x" + number(2) + "x" + number(3);
  switch (e.op) {
    case ConcurrentOp::FragmentFill:
      return prefix + ".fill" + shape;
    case ConcurrentOp::FragmentLoad: {
      if (family.role == FragmentRole::Accumulator) return prefix + ".load.acc" + shape;
      const char* role = family.role == FragmentRole::A ? ".load.a." : ".load.b.";
      return prefix + role + std::string(type.element->name) + shape;
    }
    case ConcurrentOp::FragmentStore:
      return prefix + ".store" + shape;
    case ConcurrentOp::FragmentMultiply:
      return prefix + ".step." + std::string(e.arguments[1]->type->element->name) + shape;
    case ConcurrentOp::FragmentGet:
      return "mma.get";
    default:
      return "mma.set";
  }
}

}  // namespace

/// A reference to a fragment that is only read: to where it lies, or to a copy of a computed one.
Register FunctionLowering::fragment_reference(const Expr& e, Register slot) {
  if (e.kind == checked::ExprKind::Load) return reference(place(*e.as<checked::LoadExpr>().place), e.position, slot);
  const Place made = temporary_object(*e.type);
  build(e, made);
  return reference(made, e.position, slot);
}

/// `to`: where the fragment it gives goes.
Register FunctionLowering::fragment(const FragmentExpr& e, const Place* to, Register into) {
  const Mark mark = this->mark();
  const bool changes = e.op == ConcurrentOp::FragmentMultiply || e.op == ConcurrentOp::FragmentSet;
  if (changes) build(*e.arguments[0], *to);  // the accumulator, which the operation goes on with
  Window window = open_window();
  bytecode::Signature signature;
  const auto add = [&](RegisterType form) {
    placed(window, form.slots());
    signature.parameters.push_back(form);
  };
  const auto add_fragment = [&](const Expr& operand) {
    fragment_reference(operand, next_slot(window));
    add({RegisterKind::Ref, false, types().memory(*operand.type)});
  };
  const auto add_value = [&](const Expr& operand) {
    value(operand, next_slot(window));
    add(types().value(*operand.type));
  };
  if (to != nullptr) {
    reference(*to, e.position, next_slot(window));
    add({RegisterKind::Ref, true, types().memory(*e.type)});
  }
  if (e.op == ConcurrentOp::FragmentStore) add_fragment(*e.arguments[2]);
  if (e.receiver != nullptr) {
    value(*e.receiver, next_slot(window));
    add({RegisterKind::View, e.op == ConcurrentOp::FragmentStore, types().memory(*e.receiver->type->element)});
  }
  for (std::size_t k = changes ? 1 : 0; k < e.arguments.size(); ++k) {
    const Expr& argument = *e.arguments[k];
    if (!argument.type->is(TypeKind::Fragment)) {
      add_value(argument);
    } else if (e.op != ConcurrentOp::FragmentStore) {
      add_fragment(argument);
    }
  }
  if (e.layout != nullptr) {
    emit(e.position, Op::Text, next_slot(window), module_.builder().text(bytes_of(*e.layout)));
    add({RegisterKind::View, false, byte_type()});
  }
  const FragmentShape shape = fragment_shape(named_fragment(e), module_.names());
  const bool is_operand_load = e.op == ConcurrentOp::FragmentLoad && !shape.is_accumulator();
  if (e.op != ConcurrentOp::FragmentFill && !is_operand_load) {  // the lane matters
    move(next_slot(window), f_.parameter(1), Shape::One);
    add(kWord);
  }
  if (e.op == ConcurrentOp::FragmentGet) signature.result = kF32;
  const std::uint32_t native =
      module_.builder().native(native_of(e, module_.names()), module_.builder().signature(signature));
  emit(e.position, Op::CallNative, f_.outgoing(window.base), native);
  release(mark);
  if (e.op != ConcurrentOp::FragmentGet) return {};
  return outcome(window, Shape::One, e.position, into);
}

}  // namespace cairn::lower
