// What the vectorizer makes of a loop: a strip of its turns (strip.hpp) done a vector at a time.
#include <algorithm>

#include "jit/ssa/vectorizer.hpp"

namespace cairn::jit::ssa {

Value Vectorizer::put(BlockId block, Instruction i) {
  i.block = block;
  i.word = f_.blocks[body_].word;
  i.frame = f_.end_of(before_).frame;
  const Value value = f_.make(i);
  std::vector<Value>& code = f_.blocks[block].code;
  const bool has_end = !code.empty() && is_end(f_.at(code.back()).op);
  code.insert(code.end() - (has_end ? 1 : 0), value);
  return value;
}

Value Vectorizer::number(std::int64_t immediate) {
  Instruction i;
  i.op = Opcode::Const;
  i.kind = Kind::U64;
  i.immediate = immediate;
  return put(before_, i);
}

Value Vectorizer::binary(BlockId block, Opcode op, Kind kind, Value a, Value b, std::uint8_t lanes) {
  Instruction i;
  i.op = op;
  i.kind = kind;
  i.lanes = lanes;
  i.a = a;
  i.b = b;
  return put(block, i);
}

/// The value as lanes of the kind.
Value Vectorizer::operand(Value value, Kind kind) {
  if (class_of(value) == Class::Vector || class_of(value) == Class::Mask) return copies_[value];
  Value& known = lifted_[value];
  if (known != kNoValue) return known;
  Instruction splat;
  splat.op = Opcode::Splat;
  splat.kind = kind;
  splat.lanes = lanes_;
  if (is_outside(value)) {
    splat.a = value;
    return known = put(before_, splat);
  }
  // Linear: of each lane one more than of the one before.
  if (iota_ == kNoValue) {
    Instruction iota;
    iota.op = Opcode::Iota;
    iota.kind = Kind::U64;
    iota.lanes = lanes_;
    iota_ = put(before_, iota);
  }
  splat.a = copies_[value];
  const Value first = put(vectors_, splat);
  return known = binary(vectors_, Opcode::Add, Kind::U64, first, iota_, lanes_);
}

Vectorizer::Records& Vectorizer::records_at(Place place) {
  place.offset -= place.offset % stride_;
  for (Records& each : records_) {
    const Place& known = each.place;
    if (known.base == place.base && known.index == place.index && known.offset == place.offset) return each;
  }
  Instruction address;
  address.op = Opcode::Address;
  address.kind = Kind::U64;
  address.a = place.base;
  address.b = copies_[place.index];
  address.scale = stride_;
  address.immediate = place.offset;
  records_.push_back({place, put(vectors_, address)});
  return records_.back();
}

Value Vectorizer::load_element(Instruction i) {
  Place place;
  find_place(i, place);
  Records& records = records_at(place);
  i.lanes = lanes_;
  i.a = records.address;
  i.b = kNoValue;
  i.scale = 1;
  for (const std::size_t half : {0U, 1U}) {
    if (records.loaded[half] != kNoValue) continue;
    i.immediate = half == 0 ? 0 : bytes_;
    records.loaded[half] = put(vectors_, i);
  }
  const Value element = binary(vectors_, Opcode::Unzip, i.kind, records.loaded[0], records.loaded[1], lanes_);
  f_.at(element).immediate = static_cast<std::int64_t>(element_of(place));
  return element;
}

/// Both elements are stored behind the second.
void Vectorizer::store_element(Instruction i, Value vector) {
  Place place;
  find_place(i, place);
  Records& records = records_at(place);
  records.elements[element_of(place)] = vector;
  if (records.elements[0] == kNoValue || records.elements[1] == kNoValue) return;
  i.lanes = lanes_;
  i.a = records.address;
  i.b = kNoValue;
  i.scale = 1;
  for (const std::size_t half : {0U, 1U}) {
    i.c = binary(vectors_, Opcode::Zip, i.kind, records.elements[0], records.elements[1], lanes_);
    f_.at(i.c).immediate = static_cast<std::int64_t>(half);
    i.immediate = half == 0 ? 0 : bytes_;
    put(vectors_, i);
  }
}

void Vectorizer::copy_access(Value value) {
  Instruction i = f_.at(value);
  i.first_use = i.use_count = 0;
  if (stride_ != size_) {
    if (i.op == Opcode::Load) {
      copies_[value] = load_element(i);
    } else {
      store_element(i, operand(i.c, i.kind));
    }
    return;
  }
  i.lanes = lanes_;
  // The counter's successor as an index is the counter and an offset.
  if (i.b == counted_.next) {
    i.b = copies_[counted_.counter];
    i.immediate += size_;
  } else {
    i.b = copies_[i.b];
  }
  if (i.op == Opcode::Store) i.c = operand(i.c, i.kind);
  copies_[value] = put(vectors_, i);
}

/// The instruction for all lanes.
void Vectorizer::copy(Value value) {
  Instruction i = f_.at(value);
  for (Carried& sum : sums_) {
    if (value != sum.next) continue;
    const bool is_left = i.a == sum.phi;
    const Value terms = copies_[is_left ? i.b : i.a];
    sum.behind = sum.copy;
    for (std::uint32_t k = 0; k < lanes_; ++k) {
      Instruction lane;
      lane.op = Opcode::Lane;
      lane.kind = i.kind;
      lane.a = terms;
      lane.immediate = k;
      const Value term = put(vectors_, lane);
      sum.behind = binary(vectors_, i.op, i.kind, is_left ? sum.behind : term, is_left ? term : sum.behind);
    }
    return;
  }
  if (i.op == Opcode::Phi || i.op == Opcode::Point || is_end(i.op) || value == kept_step_ || value == kept_store_) {
    return;
  }
  if (i.op == Opcode::Load || i.op == Opcode::Store) return copy_access(value);
  if (classes_[value] == Class::Address) return;
  i.first_use = i.use_count = 0;
  if (classes_[value] == Class::Linear) {
    if (!is_outside(i.a)) i.a = copies_[i.a];
    if (!is_outside(i.b)) i.b = copies_[i.b];
  } else {
    const bool shifts = i.op == Opcode::Shl || i.op == Opcode::Shr;
    if (i.op == Opcode::Convert) i.source = lanes_converted(f_, i);
    const Kind kind = i.op == Opcode::Compare || i.op == Opcode::Convert ? i.source : i.kind;
    if (i.op == Opcode::Compare) i.kind = size_ == 4 ? Kind::U32 : Kind::U64;
    i.lanes = lanes_;
    i.mode = Mode::Wrap;
    i.a = operand(i.a, kind);
    if (i.b != kNoValue && !shifts) i.b = operand(i.b, kind);
    if (i.c != kNoValue) i.c = operand(i.c, kind);
  }
  std::vector<Use> list;  // a pair function's
  for (const Use& use : f_.uses_of(f_.at(value))) list.push_back({use.slot, operand(use.value, i.kind)});
  copies_[value] = put(vectors_, i);
  f_.set_uses(f_.at(copies_[value]), list);
}

/// The lanes of which the condition holds, next to each other behind what was kept before.
void Vectorizer::keep() {
  const Instruction end = f_.end_of(body_);
  Instruction mask;
  mask.op = Opcode::Mask;
  mask.kind = Kind::U64;
  mask.source = condition_;
  mask.relation = end.relation;
  mask.a = operand(end.a, condition_);
  mask.b = operand(end.b, condition_);
  Value bits = put(vectors_, mask);
  if (f_.blocks[body_].successors[0] != keep_) {
    bits = binary(vectors_, Opcode::Xor, Kind::U64, bits, number((std::int64_t{1} << lanes_) - 1));
  }
  Instruction ones;
  ones.op = Opcode::Ones;
  ones.kind = Kind::U64;
  ones.a = bits;
  const Value count = put(vectors_, ones);
  Instruction store = f_.at(kept_store_);
  store.c = binary(vectors_, Opcode::Compress, store.kind, operand(store.c, store.kind), bits, lanes_);
  store.b = kept_.copy;
  store.lanes = lanes_;
  const Use first[] = {{0, count}};
  f_.set_uses(store, first);
  put(vectors_, store);
  kept_.behind = binary(vectors_, Opcode::Add, Kind::U64, kept_.copy, count);
}

void Vectorizer::make() {
  // Where the loop leaves no values, vectors do all that fills them and nothing may be left.
  const BlockId blocks[] = {body_, keep_, latch_};
  const bool all = !leaves_values(f_, blocks);
  lanes_ = static_cast<std::uint8_t>(bytes_ / size_);
  iota_ = kNoValue;
  records_.clear();
  Strip strip(f_, counted_, lanes_);
  vectors_ = strip.block();
  std::vector<Carried*> carried;
  for (Carried& sum : sums_) carried.push_back(&sum);
  if (kept_.phi != kNoValue) carried.push_back(&kept_);
  for (Carried* each : carried) each->copy = strip.carry(each->phi);
  copies_.assign(f_.code.size(), kNoValue);
  lifted_.assign(f_.code.size(), kNoValue);
  copies_[counted_.counter] = strip.counter();
  std::vector<Value> code = f_.blocks[body_].code;
  if (body_ != latch_) {
    for (const BlockId b : {keep_, latch_}) code.insert(code.end(), f_.blocks[b].code.begin(), f_.blocks[b].code.end());
  }
  for (const Value value : code) copy(value);
  if (kept_.phi != kNoValue) keep();
  for (const Carried* each : carried) strip.behind(each->phi, each->behind);
  strip.close(all, strip.block());
}

}  // namespace cairn::jit::ssa
