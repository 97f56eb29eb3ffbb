// Which versioned loops can run a vector at a time: one block of loads, stores and arithmetic on one float type, where
// every element's operations stay in their order (architecture, decision 3). Nothing is carried from one iteration to
// the next but the counter. Views that may overlap are told apart where the loop is entered.
#include <algorithm>

#include "jit/baseline/shape.hpp"
#include "jit/optimizing/plan.hpp"

namespace cairn::jit {
namespace {

using bytecode::Function;
using bytecode::kNone;
using bytecode::Op;
using bytecode::Word;

/// Two accesses that no order of whole vectors can mix up, or whose views differ.
bool agree(const VectorAccess& x, const VectorAccess& y) {
  return x.view != y.view || (x.addend == y.addend && x.offset == y.offset) || (!x.store && !y.store);
}

bool is_listed(const std::vector<std::uint32_t>& words, std::uint32_t word) {
  return std::ranges::find(words, word) != words.end();
}

/// True when each instruction has a vector form; `type` is what they are about.
bool has_vector_body(const Function& function, const Flow& flow, const Region& region, Kind& type) {
  std::vector<std::uint32_t> floats;
  const auto live = flow.live_at(region.begin);
  type = Kind::None;
  for (std::uint32_t word = region.begin; word < region.end;) {
    const Word* code = function.code.data() + word;
    const Op op = bytecode::op_of(code[0]);
    const Shape& shape = shape_of(op);
    const bool is_address = is_listed(region.decided, word) || is_listed(region.hoisted, word);
    bool fits = false;
    switch (shape.verb) {
      case Verb::LoadAt:
      case Verb::StoreAt:
        fits = is_float(shape.type) && is_address && (type == Kind::None || type == shape.type);
        if (fits) type = shape.type;
        break;
      case Verb::Add:
      case Verb::Sub:
      case Verb::Mul:
      case Verb::Div:
      case Verb::Sqrt:
      case Verb::Fma:
        fits = is_float(shape.type) ? (type == Kind::None || type == shape.type) : is_address;
        if (fits && is_float(shape.type)) type = shape.type;
        break;
      default:
        fits = op == Op::LoopNext || (op == Op::Move && is_float_slot(function, bytecode::a_of(code[0])));
        break;
    }
    if (!fits) return false;
    // What the loop writes is written before it is read, and floats are of one type.
    const bool access = shape.verb == Verb::LoadAt || shape.verb == Verb::StoreAt;
    const std::uint32_t accessed = shape.verb == Verb::LoadAt ? bytecode::a_of(code[0]) : bytecode::c_of(code[0]);
    bool carried = false;
    bool others = access && !is_float_slot(function, accessed);
    each_slot(code, function.slots, [&](std::uint32_t slot, bool, bool writes) {
      const bool is_float_register = is_float_slot(function, slot);
      if (is_float_register) floats.push_back(slot);
      others |= !access && !is_float_register && (is_float(shape.type) || op == Op::Move);
      carried |= writes && op != Op::LoopNext && contains(live, slot);
    });
    if (carried || others) return false;
    word += bytecode::instruction_words(code);
  }
  const bytecode::RegisterKind kind = type == Kind::F64 ? bytecode::RegisterKind::F64 : bytecode::RegisterKind::F32;
  return type != Kind::None &&
         std::ranges::all_of(floats, [&](std::uint32_t slot) { return function.registers[slot].type.kind == kind; });
}

}  // namespace

bool is_float_slot(const Function& function, std::uint32_t slot) {
  if (slot >= function.registers.size()) return false;
  const bytecode::RegisterKind kind = function.registers[slot].type.kind;
  return kind == bytecode::RegisterKind::F32 || kind == bytecode::RegisterKind::F64;
}

void find_vector_loop(const Function& function, const Flow& flow, Region& region) {
  const Block& block = flow.blocks()[flow.block_at(region.begin)];
  Kind type{};
  bool fits = block.end == region.end && !region.accesses.empty() && has_vector_body(function, flow, region, type);
  bool stores = false;
  for (const VectorAccess& x : region.accesses) {
    stores |= x.store;
    for (const VectorAccess& y : region.accesses) fits = fits && agree(x, y);
  }
  if (!fits || !stores) {
    region.accesses.clear();
    return;
  }
  region.element_bytes = size_of(type);
}

}  // namespace cairn::jit
