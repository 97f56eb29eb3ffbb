// Vectorization of counted loops over elements.
//
// - A loop of one block in which every iteration reads and writes elements at its own index, or records of two of them.
//   Sums of floats may be carried from one iteration to the next: their terms are made as vectors and added one after
//   another. Branches between operations on floats become selections first (flatten.hpp).
// - A loop that stores an element on condition behind those it has stored: the lanes that are kept are put together and
//   stored at once.
//
// Vectors are done while more than one vector of elements is left; the loop as it was does the rest, so that it is what
// control leaves by with values of its last iteration. A loop that leaves no values ends behind its vectors when
// nothing is left. No operation on floats changes its operands or its order.
#include "jit/ssa/vectorizer.hpp"

#include <algorithm>

#include "jit/ssa/flatten.hpp"
#include "jit/ssa/host.hpp"

namespace cairn::jit::ssa {

bool Vectorizer::run() {
  bool any = false;
  const auto count = static_cast<std::uint32_t>(loops_.loops.size());
  for (std::uint32_t k = 0; k < count; ++k) any |= loop(k);
  return any;
}

bool Vectorizer::takes_loop_around(BlockId block) {
  const std::uint32_t index = loops_.of_block[block];
  return index != kNone && is_fit(index);
}

bool Vectorizer::loop(std::uint32_t index) {
  if (!is_fit(index)) return false;
  make();
  return true;
}

bool Vectorizer::is_fit(std::uint32_t index) {
  if (!find_blocks(loops_.loops[index])) return false;
  before_ = find_preheader(f_, loops_, index);
  if (before_ == kNone || f_.blocks[body_].is_cold) return false;
  sums_.clear();
  kept_ = {};
  kept_step_ = kept_store_ = kNoValue;
  return find_counter() && find_carried() && classify() && independent();
}

bool Vectorizer::find_blocks(const Loop& loop) {
  body_ = keep_ = latch_ = loop.header;
  if (loop.blocks.size() == 1) return true;
  if (loop.blocks.size() != 3 || loop.latches.size() != 1 || context_.vector_bytes < 32) return false;
  latch_ = loop.latches[0];
  for (const BlockId b : loop.blocks) {
    if (b != body_ && b != latch_) keep_ = b;
  }
  const std::vector<BlockId>& ways = f_.blocks[body_].successors;
  return latch_ != body_ && ways.size() == 2 && std::ranges::find(ways, latch_) != ways.end() &&
         std::ranges::find(ways, keep_) != ways.end() && f_.end_of(body_).op == Opcode::Branch &&
         f_.end_of(keep_).op == Opcode::Jump && f_.blocks[keep_].successors[0] == latch_;
}

/// Counting up by one, in 64 bits.
bool Vectorizer::find_counter() {
  const BlockId blocks[] = {body_, keep_, latch_};
  const auto counted = find_counted(f_, blocks, before_, latch_, prover_);
  if (!counted || counted->kind != Kind::U64 || counted->step != 1) return false;
  counted_ = *counted;
  return true;
}

/// The phis beside the counter: sums, or how many elements were kept.
bool Vectorizer::find_carried() {
  for (const Value value : f_.blocks[body_].code) {
    const Instruction& phi = f_.at(value);
    if (phi.op != Opcode::Phi) break;
    if (value == counted_.counter) continue;
    Value next = kNoValue;
    for (const Use& use : f_.uses_of(phi)) {
      if (use.slot == latch_) next = use.value;
    }
    if (is_outside(next) || !(body_ == latch_ ? find_sum(value, next) : find_kept(value, next))) return false;
  }
  return (body_ == latch_) == (kept_.phi == kNoValue);
}

/// phi op term: in that order, whatever the operation is.
bool Vectorizer::find_sum(Value phi, Value next) {
  const Instruction& i = f_.at(next);
  if (!is_float(i.kind) || (i.op != Opcode::Add && i.op != Opcode::Sub && i.op != Opcode::Mul)) return false;
  if ((i.a == phi) == (i.b == phi)) return false;
  sums_.push_back({phi, next, kNoValue, kNoValue});
  return true;
}

/// One more where an element is kept, else the same.
bool Vectorizer::find_kept(Value phi, Value next) {
  const Instruction& i = f_.at(next);
  if (kept_.phi != kNoValue || i.op != Opcode::Phi || i.block != latch_ || f_.at(phi).kind != Kind::U64) return false;
  for (const Use& use : f_.uses_of(i)) {
    if (use.slot == body_ && use.value != phi) return false;
    if (use.slot == keep_) kept_step_ = use.value;
  }
  const Instruction& step = f_.at(kept_step_);
  if (step.op != Opcode::Add || step.mode == Mode::Checked || step.kind != Kind::U64 || step.block != keep_ ||
      step.a != phi || f_.at(step.b).op != Opcode::Const || f_.at(step.b).immediate != 1) {
    return false;
  }
  kept_ = {phi, next, kNoValue, kNoValue};
  return true;
}

Kind lanes_converted(const Function& f, const Instruction& i) {
  if (!is_float(i.kind) || is_float(i.source)) return Kind::None;
  if (size_of(i.source) == size_of(i.kind)) return i.source;
  // A narrow value stands in a wide slot as the number it is.
  const Kind narrow = f.at(i.a).kind;
  const bool is_number = narrow >= Kind::U8 && narrow <= Kind::I64 && (!is_signed(narrow) || is_signed(i.source));
  return is_number && size_of(narrow) == size_of(i.kind) && size_of(narrow) < size_of(i.source) ? narrow : Kind::None;
}

bool has_vectors(const Function& f, const Instruction& i) {
  if (i.mode == Mode::Checked) return false;
  const std::uint32_t size = size_of(i.kind);
  if (i.op == Opcode::Convert) return lanes_converted(f, i) >= Kind::U8;
  if (is_float(i.kind)) {
    return (i.op >= Opcode::Add && i.op <= Opcode::Div) || i.op == Opcode::Neg || i.op == Opcode::Abs ||
           (i.op >= Opcode::Fma && i.op <= Opcode::Sqrt) || i.op == Opcode::Floor || i.op == Opcode::Ceil ||
           i.op == Opcode::Trunc;
  }
  if (i.kind < Kind::U8 || i.kind > Kind::I64) return false;
  switch (i.op) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      return true;
    case Opcode::Mul:
      return size != 1;
    case Opcode::Min:
    case Opcode::Max:
      return true;
    case Opcode::Shl:
    case Opcode::Shr:
      return size >= 4 && f.at(i.b).op == Opcode::Const;
    default:
      return false;
  }
}

bool Vectorizer::is_operand(Value value) {
  const Class of = class_of(value);
  if (of == Class::Outside || of == Class::Vector) return true;
  if (of != Class::Linear || !takes(size_of(Kind::U64))) return false;
  has_counts_ = true;
  return true;
}

bool Vectorizer::classify() {
  classes_.assign(f_.code.size(), Class::Unfit);
  accesses_.clear();
  size_ = stride_ = 0;
  is_dear_ = has_counts_ = is_narrow_ = false;
  classes_[counted_.counter] = Class::Linear;
  for (const BlockId b : {body_, keep_, latch_}) {
    for (const Value value : f_.blocks[b].code) {
      if (!classify(value)) return false;
    }
    if (body_ == latch_) break;
  }
  bytes_ = is_narrow_ ? std::min(context_.vector_bytes, 32U) : context_.vector_bytes;
  if (body_ != latch_) return kept_store_ != kNoValue && size_ >= 4 && classify_condition();
  if (stride_ > size_) {
    // Lanes of records stand in an order of their own.
    if (has_counts_ || !sums_.empty()) return false;
    // The unit that divides takes as long for 64 bytes as for twice 32, and what waits for it longer.
    if (is_dear_) bytes_ = std::min(bytes_, 32U);
  }
  const bool stores = std::ranges::any_of(accesses_, [&](Value v) { return f_.at(v).op == Opcode::Store; });
  return sums_.empty() ? stores : is_dear_;
}

/// Whether there is a form for it; what it is to others.
bool Vectorizer::classify(Value value) {
  const Instruction& i = f_.at(value);
  if (value == counted_.next) {
    classes_[value] = Class::Linear;
    return true;
  }
  for (const Carried& sum : sums_) {
    if (value == sum.next) return takes(size_of(i.kind)) && class_of(i.a == sum.phi ? i.b : i.a) == Class::Vector;
  }
  switch (i.op) {
    case Opcode::Phi:
    case Opcode::Point:
    case Opcode::Branch:
    case Opcode::Jump:
      return true;
    case Opcode::Load:
    case Opcode::Store:
      return classify_access(value);
    default:
      break;
  }
  if (value == kept_step_) return true;
  if (i.lanes != 1) return false;
  switch (i.op) {
    case Opcode::Address:
      classes_[value] = Class::Address;
      return is_outside(i.a) && i.b != kNoValue && is_linear(i.b);
    case Opcode::Compare:
      classes_[value] = Class::Mask;
      return is_float(i.source) && takes(size_of(i.source)) && is_operand(i.a) && is_operand(i.b);
    case Opcode::Select:
      classes_[value] = Class::Vector;
      return is_float(i.kind) && takes(size_of(i.kind)) && class_of(i.a) == Class::Mask && is_operand(i.b) &&
             is_operand(i.c);
    default:
      break;
  }
  if (i.kind == Kind::U64 && i.mode == Mode::Exact && (i.op == Opcode::Add || i.op == Opcode::Sub)) {
    const bool from_right = i.op == Opcode::Add && is_outside(i.a) && is_linear(i.b);
    if ((is_linear(i.a) && is_outside(i.b)) || from_right) {
      classes_[value] = Class::Linear;
      return true;
    }
  }
  const bool is_pair_function =
      i.op == Opcode::PairFunction && context_.vector_bytes >= 32 && pair_code(i).lanes_of_32_bytes != nullptr;
  if (!is_pair_function && i.op != Opcode::Limb && !has_vectors(f_, i)) return false;
  if (!takes(size_of(i.kind)) || !is_operand(i.a)) return false;
  const bool shifts = i.op == Opcode::Shl || i.op == Opcode::Shr;
  if (i.b != kNoValue && !shifts && !is_operand(i.b)) return false;
  if (i.c != kNoValue && !is_operand(i.c)) return false;
  for (const Use& use : f_.uses_of(i)) {
    if (!is_operand(use.value)) return false;
  }
  is_narrow_ = is_narrow_ || (is_pair_function && pair_code(i).lanes_of_64_bytes == nullptr);
  is_dear_ = is_dear_ || i.op == Opcode::Div || i.op == Opcode::Sqrt;
  classes_[value] = Class::Vector;
  return true;
}

/// An element at an index of the iteration's own; or one that is kept.
bool Vectorizer::classify_access(Value value) {
  const Instruction& i = f_.at(value);
  const std::uint32_t size = size_of(i.kind);
  if (i.kind == Kind::Bool || !takes(size)) return false;
  accesses_.push_back(value);
  if (i.op == Opcode::Store && body_ != latch_) {
    if (kept_store_ != kNoValue || i.block != keep_ || i.b != kept_.phi || i.scale != size || !is_outside(i.a)) {
      return false;
    }
    kept_store_ = value;
    return is_operand(i.c);
  }
  Place place;
  if (!find_place(i, place)) return false;
  if (i.op == Opcode::Store) return is_operand(i.c);
  classes_[value] = Class::Vector;
  // What is read on condition alone need not be there.
  return body_ == latch_ || (i.block == body_ && stride_ == size_);
}

/// The place of a load or store of this loop, whose accesses are all of elements or all of records of two.
bool Vectorizer::find_place(const Instruction& i, Place& place) {
  place = {i.a, i.b, i.scale, i.immediate};
  const Instruction& at = f_.at(i.a);
  if (i.b == kNoValue && at.op == Opcode::Address) place = {at.a, at.b, at.scale, at.immediate + i.immediate};
  if (!is_outside(place.base) || place.index == kNoValue || !is_linear(place.index)) return false;
  if (stride_ == 0) stride_ = place.stride;
  if (place.stride != stride_) return false;
  if (stride_ == size_) return i.b != kNoValue;
  return stride_ == 2 * size_ && size_ >= 4 && place.offset >= 0 && place.offset % size_ == 0;
}

/// What is compared may be told by fewer bits than the slot has.
bool Vectorizer::classify_condition() {
  const Instruction& end = f_.end_of(body_);
  if (!is_operand(end.a) || !is_operand(end.b)) return false;
  const Value lanes = class_of(end.a) == Class::Vector ? end.a : end.b;
  const Value other = lanes == end.a ? end.b : end.a;
  if (class_of(lanes) != Class::Vector || class_of(other) == Class::Linear) return false;
  condition_ = end.kind;
  if (is_float(end.kind) || size_of(end.kind) == size_) return size_of(end.kind) == size_;
  condition_ = f_.at(lanes).kind;
  const bool is_equality = end.relation == Relation::Eq || end.relation == Relation::Ne;
  if (size_of(end.kind) != 8 || is_float(condition_)) return false;
  if (!is_equality && is_signed(condition_) != is_signed(end.kind)) return false;
  const Instruction& number = f_.at(other);
  if (number.op != Opcode::Const) return number.kind == condition_;
  const Kind wide = is_signed(condition_) ? Kind::I64 : Kind::U64;
  return fits(number_of(static_cast<std::uint64_t>(number.immediate), wide), condition_);
}

void Vectorizer::index_of(Value value, Index& index) const {
  if (value == counted_.counter) return;
  if (value == counted_.next) {
    ++index.number;
    return;
  }
  const Instruction& i = f_.at(value);
  for (const Value part : {i.a, i.b}) {
    if (!is_outside(part)) {
      index_of(part, index);
    } else if (f_.at(part).op == Opcode::Const) {
      const Number number = static_cast<std::uint64_t>(f_.at(part).immediate);
      index.number += i.op == Opcode::Sub ? -number : number;
    } else {
      (i.op == Opcode::Sub ? index.taken : index.added).push_back(part);
    }
  }
}

/// The index of a place in elements or records, its offset added.
Vectorizer::Index Vectorizer::whole_index_of(const Place& place) const {
  Index index;
  index_of(place.index, index);
  index.number += place.offset / stride_;
  std::ranges::sort(index.added);
  std::ranges::sort(index.taken);
  return index;
}

/// Whether each store may be done for many iterations at once beside every other access.
bool Vectorizer::independent() {
  return std::ranges::all_of(accesses_,
                             [&](Value access) { return f_.at(access).op != Opcode::Store || independent(access); });
}

/// Of a record both elements are stored, and what reads them stands before.
bool Vectorizer::independent(Value store) {
  Place mine;
  if (store == kept_store_) {
    mine.base = f_.at(store).a;
  } else {
    find_place(f_.at(store), mine);
  }
  bool is_behind = false;  // the other access is, within an iteration
  bool is_whole = stride_ == size_ || store == kept_store_;
  for (const Value other : accesses_) {
    if (other == store) {
      is_behind = true;
      continue;
    }
    const Instruction& o = f_.at(other);
    Place its;
    find_place(o, its);
    if (mine.base != its.base) {
      if (aliases_.may_meet(mine.base, its.base)) return false;
      continue;
    }
    if (store == kept_store_) return false;
    const Index at = whole_index_of(mine);
    const Index there = whole_index_of(its);
    if (at.added != there.added || at.taken != there.taken) return false;
    if (stride_ != size_) {
      const bool is_other = o.op == Opcode::Store && element_of(mine) != element_of(its);
      if (at.number != there.number || !(is_other || (o.op == Opcode::Load && !is_behind))) return false;
      is_whole = is_whole || is_other;
      continue;
    }
    if (mine.offset % size_ != 0 || its.offset % size_ != 0) return false;
    if (at.number == there.number) continue;
    // A load that comes first may be of what later iterations write.
    if (o.op != Opcode::Load || is_behind || there.number < at.number) return false;
  }
  return is_whole;
}

bool vectorize_loops(Function& function, const Context& context) {
  if (context.vector_bytes < 16) return false;
  bool any = false;
  for (const Value end : loops_to_flatten(function)) {
    Function flat = function;
    if (!flatten_loop(flat, context, end)) continue;
    make_preheaders(flat);
    if (!Vectorizer(flat, context).takes_loop_around(flat.at(end).block)) continue;
    function = std::move(flat);
    any = true;
  }
  any |= make_preheaders(function);
  return Vectorizer(function, context).run() || any;
}

}  // namespace cairn::jit::ssa
