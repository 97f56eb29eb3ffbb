#include "cuda/writer/lane_arrays.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "cuda/writer/function_writer.hpp"

namespace cairn::cuda::writer {

using bytecode::Class;
using bytecode::Operand;
using bytecode::Role;

std::vector<LaneArray> lane_arrays(const bytecode::Function& lane) {
  constexpr std::uint32_t kIndex = 0;        // lo, which counts the lane's indices
  constexpr std::uint32_t kEnvironment = 2;  // lo, hi, environment
  std::map<std::uint32_t, LaneArray> found;
  std::set<std::uint32_t> lost;  // slots something else is done with
  const auto lose = [&](std::uint32_t slot) {
    lost.insert(slot);
    if (slot != 0) lost.insert(slot - 1);  // the length of a pair
  };
  bool index_is_own = true;
  const bytecode::Word* const code = lane.code.data();
  for (std::uint32_t at = 0; at < lane.code.size(); at += bytecode::instruction_words(code + at)) {
    const bytecode::Word* const pc = code + at;
    const Op op = bytecode::op_of(pc[0]);
    const bytecode::OpName name = bytecode::split_name(bytecode::info(op).text);
    const auto operand = [&](Place place) { return static_cast<std::uint32_t>(bytecode::operand_bits(pc, place)); };
    if (name.verb == "load.pair" && operand(Place::B) == kEnvironment) {
      const std::uint32_t slot = operand(Place::A);
      if (!found.try_emplace(slot, LaneArray{slot, operand(Place::C), {}, 0, false, true}).second) lost.insert(slot);
      continue;
    }
    const RegisterKind element = kind_named(name.type);
    const bool is_scalar = element != RegisterKind::None && element != RegisterKind::Bool;
    const bool is_load = name.verb == "load.at" && is_scalar;
    if (is_load || (name.verb == "store.at" && is_scalar)) {
      const std::uint32_t view = operand(is_load ? Place::B : Place::A);
      const std::uint32_t index = operand(is_load ? Place::C : Place::B);
      const std::uint32_t other = operand(is_load ? Place::A : Place::C);
      const auto known = found.find(view);
      if (known == found.end() || (known->second.size != 0 && known->second.element != element)) {
        lose(view);
      } else {
        LaneArray& array = known->second;
        array.element = element;
        array.size = bytecode::scalar_size(static_cast<bytecode::ScalarKind>(
            static_cast<unsigned>(element) - static_cast<unsigned>(RegisterKind::Bool)));
        array.is_stored |= !is_load;
        array.at_own_index &= index == kIndex;
      }
      lose(other);
      if (index != kIndex) lose(index);
      if (is_load && other == kIndex) index_is_own = false;
      continue;
    }
    const bool is_call = op == Op::Call || op == Op::CallNative;
    for (const Operand& each : bytecode::info(op).all()) {
      if (!each.is_register()) continue;
      const auto slot = static_cast<std::uint32_t>(bytecode::operand_bits(pc, each.place));
      const bool is_written = each.role == Role::Write || each.role == Role::ReadWrite;
      if (slot == kIndex && is_written && name.verb != "loop.next") index_is_own = false;
      lose(slot);
      // A window is every slot from there on.
      if (is_call) lost.insert(slot);
    }
  }
  std::vector<LaneArray> arrays;
  for (auto& [slot, array] : found) {
    if (lost.contains(slot) || array.size == 0 || slot >= lane.registers.size()) continue;
    array.at_own_index &= index_is_own;
    arrays.push_back(array);
  }
  return arrays;
}

}  // namespace cairn::cuda::writer
