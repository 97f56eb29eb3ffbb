// The meaning of every operation: step<op>, put together from the families.
#pragma once

#include "vm/interpreter/arithmetic_steps.hpp"
#include "vm/interpreter/concurrency_steps.hpp"
#include "vm/interpreter/control_steps.hpp"
#include "vm/interpreter/memory_steps.hpp"

namespace cairn::interpreter {

constexpr bool within(Op op, Op first, Op last) { return op >= first && op <= last; }

template <Op op, bool watched>
[[gnu::always_inline]] inline const Word* step(Machine& m, const Word* pc) {
  constexpr OpName name = name_of(op);
  if constexpr (within(op, Op::Move, Op::Select)) {
    return move_step<op>(m, pc);
  } else if constexpr (is_conversion(op)) {
    return conversion_step<op>(m, pc);
  } else if constexpr (name.verb.starts_with("quantize")) {
    return quantize_step<op>(m, pc);
  } else if constexpr (within(op, Op::Jump, Op::JumpNotLeF64)) {
    return jump_step<op, watched>(m, pc);
  } else if constexpr (is_cell_verb(name.verb) && !name.type.empty()) {
    return cell_step<op, ScalarCell<TypeOf<op>>>(m, pc, name.verb);
  } else if constexpr (within(op, Op::LoadWord, Op::StoreAtWord)) {
    constexpr std::string_view text = name.verb;
    return cell_step<op, ScalarCell<std::uint64_t>>(m, pc, text.substr(0, text.size() - 5));  // ".word"
  } else if constexpr (within(op, Op::LoadPair, Op::StoreAtPair)) {
    constexpr std::string_view text = name.verb;
    return cell_step<op, PairCell>(m, pc, text.substr(0, text.size() - 5));  // ".pair"
  } else if constexpr (within(op, Op::FrameRef, Op::FrameView) || within(op, Op::GuardIndex, Op::GuardEqual)) {
    return reference_step<op>(m, pc);
  } else if constexpr (within(op, Op::Part, Op::PartExact)) {
    return part_step<op>(m, pc);
  } else if constexpr (within(op, Op::Copy, Op::ViewCopy)) {
    return bytes_step<op>(m, pc);
  } else if constexpr (op == Op::ConvertEach) {
    run_convert_each(m, pc);
    return pc + kWords<op>;
  } else if constexpr (within(op, Op::BufNew, Op::DynOf)) {
    return owner_step<op>(m, pc);
  } else if constexpr (within(op, Op::Call, Op::ReturnPair)) {
    return call_step<op, watched>(m, pc);
  } else if constexpr (within(op, Op::GuardLayout, Op::Format)) {
    return effect_step<op>(m, pc);
  } else if constexpr (within(op, Op::Parallel, Op::MutexUnlock)) {
    return concurrency_step<op>(m, pc);
  } else if constexpr (name.verb.starts_with("atomic.")) {
    return atomic_step<op>(m, pc);
  } else if constexpr (name.verb.starts_with("mmio.")) {
    return machine_step<op>(m, pc);
  } else if constexpr (within(op, Op::PlacedNew, Op::QueueWait)) {
    return device_step<op>(m, pc);
  } else if constexpr (within(op, Op::Cooperative, Op::PipelineRelease)) {
    return kernel_step<op>(m, pc);
  } else if constexpr (name.type == "f32" || name.type == "f64") {
    return float_step<op>(m, pc);
  } else if constexpr (!name.type.empty()) {
    return integer_step<op>(m, pc);
  } else {
    return slot_step<op>(m, pc);
  }
}

}  // namespace cairn::interpreter
