#include "vm/verify/ssa/run.hpp"

#include <algorithm>

#include "jit/ssa/build.hpp"

namespace cairn::verify {

using jit::ssa::BlockId;
using jit::ssa::Function;
using jit::ssa::Mode;
using jit::ssa::Opcode;
using ValueId = jit::ssa::Value;

namespace {

constexpr std::uint64_t kMostSteps = 150'000;  // instructions, every turn counted
constexpr std::uint32_t kMostDepth = 12;       // of calls that are followed
constexpr std::uint32_t kMostOnes = 64;        // bits that are counted

}  // namespace

SsaEncoder::Run::Run(SsaEncoder& encoder, const Function& function, std::uint32_t frame, std::vector<SsaValue> slots,
                     bool is_own, bool is_rest)
    : encoder_(encoder),
      terms_(encoder.terms_),
      f_(function),
      frame_(frame),
      slots_(std::move(slots)),
      is_own_(is_own),
      is_rest_(is_rest),
      dominators_(f_),
      loops_(f_, dominators_),
      number_(f_.blocks.size(), jit::ssa::kNone) {
  for (std::uint32_t k = 0; k < dominators_.order().size(); ++k) number_[dominators_.order()[k]] = k;
}

std::optional<SsaEncoder::Run::Returned> SsaEncoder::Run::go(SsaState start) {
  if (++encoder_.depth_ > kMostDepth) throw Unsupported{"its calls go too deep"};
  start.values.assign(f_.code.size(), {});
  open_.emplace(Position{number_[0]}, std::move(start));
  while (!open_.empty()) {
    auto first = open_.extract(open_.begin());
    here_ = first.key();
    state_ = std::move(first.mapped());
    block(dominators_.order()[here_.back()]);
  }
  --encoder_.depth_;
  return std::move(returned_);
}

/// The loops a block is in, the outermost first.
std::vector<std::uint32_t> SsaEncoder::Run::loops_around(BlockId block) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t l = loops_.of_block[block]; l != jit::ssa::kNone; l = loops_.loops[l].parent) found.push_back(l);
  std::ranges::reverse(found);
  return found;
}

/// The state goes on at a successor where the condition holds; phis take their values on the way.
void SsaEncoder::Run::take(BlockId to, Term condition) {
  const Term reached = terms_.both(state_.reached, condition);
  if (reached == kFalse) return;
  Position position;
  const std::vector<std::uint32_t> around_from = loops_around(block_);
  const std::vector<std::uint32_t> around_to = loops_around(to);
  bool goes_back = false;
  for (std::size_t k = 0; k < around_to.size(); ++k) {
    const jit::ssa::Loop& loop = loops_.loops[around_to[k]];
    const bool stays = k < around_from.size() && around_from[k] == around_to[k];
    std::uint32_t turn = stays ? here_[2 * k + 1] : 0;
    if (stays && loop.header == to) {
      goes_back = true;
      if (++turn >= encoder_.turns_) {
        encoder_.exceeded_.push_back(reached);
        return;
      }
    }
    position.push_back(number_[loop.header]);
    position.push_back(turn);
  }
  if (!goes_back && number_[to] <= number_[block_]) throw Unsupported{"its loops are not nested"};
  position.push_back(number_[to]);
  SsaState more = state_;
  more.reached = reached;
  for (const ValueId value : f_.blocks[to].code) {
    const Instruction& phi = f_.at(value);
    if (phi.op != Opcode::Phi) break;
    for (const jit::ssa::Use& use : f_.uses_of(phi)) {
      if (use.slot == block_) more.values[value] = state_.values[use.value];
    }
  }
  const auto known = open_.find(position);
  if (known == open_.end()) {
    open_.emplace(std::move(position), std::move(more));
  } else {
    encoder_.merge(known->second, std::move(more));
  }
}

void SsaEncoder::Run::block(BlockId block) {
  block_ = block;
  for (const ValueId value : f_.blocks[block].code) {
    if (state_.reached == kFalse) return;
    if (++encoder_.steps_ > kMostSteps) throw Unsupported{"it is too large to unroll"};
    if (jit::ssa::is_end(f_.at(value).op)) return ends(f_.at(value));
    instruction(value);
  }
}

Term SsaEncoder::Run::bits(ValueId value) {
  if (value == jit::ssa::kNoValue) return kFalse;
  if (state_.values[value].bits == kFalse) throw Unsupported{"a value that is read before it is there"};
  return state_.values[value].bits;
}

Term SsaEncoder::Run::lane(ValueId value, std::uint32_t k) {
  const auto& lanes = state_.values[value].lanes;
  return lanes == nullptr ? bits(value) : (*lanes)[k];
}

void SsaEncoder::Run::judge(const Instruction& i, Term fails, TrapKind trap) {
  const bool must_be_good = i.op == Opcode::Div || i.op == Opcode::Rem || i.op == Opcode::Shl || i.op == Opcode::Shr ||
                            (i.op == Opcode::Convert && jit::is_float(i.source));
  if (i.mode == Mode::Checked) {
    fail(i, fails, trap);
  } else if (i.mode == Mode::Exact || must_be_good) {
    const Term broken = terms_.both(state_.reached, fails);
    const auto known = encoder_.never_.find(broken);
    if (known == encoder_.never_.end() || !known->second) encoder_.broken_.push_back(broken);
  }
}

void SsaEncoder::Run::instruction(ValueId value) {
  const Instruction& i = f_.at(value);
  switch (i.op) {
    case Opcode::Nop:
    case Opcode::Phi:
    case Opcode::Point:
    case Opcode::Poll:
    case Opcode::StackGuard:
      return;
    case Opcode::Guard:
      // Where control left to a loop's start, a question that leaves asks what has been asked: control stays.
      if (i.leaves && is_rest_) return;
      {
        const Term holds = encoder_.holds(i.relation, i.kind, bits(i.a), bits(i.b));
        if (i.leaves && holds == encoder_.assumed_) return;
        return fail(i, terms_.negate(holds), i.trap);
      }
    case Opcode::Load:
    case Opcode::Store:
    case Opcode::Copy:
    case Opcode::Zero:
      return access(value, i);
    case Opcode::Call:
    case Opcode::CallValue:
    case Opcode::CallDyn:
    case Opcode::Step:
      return call(value, i);
    case Opcode::Result: {
      const std::uint32_t slot = static_cast<std::uint32_t>(i.immediate);
      if (i.a == followed_) {
        state_.values[value] = results_[slot - f_.at(i.a).scale];
      } else {
        const std::string name = "result" + std::to_string(slot + slot_base());
        set(value, encoder_.opaque_value(name, i.kind, {bits(i.a)}));
      }
      return;
    }
    case Opcode::Mask:
      return kept(value, i);
    default:
      leak_computed(i);
      return i.lanes > 1 ? vector(value, i) : scalar(value, i);
  }
}

/// Places whose address an operation makes something of that does not lead there any more.
void SsaEncoder::Run::leak_computed(const Instruction& i) {
  const bool keeps = i.lanes == 1 && i.op == Opcode::Convert && i.mode == Mode::Exact;
  if (keeps || i.op == Opcode::Compare) return;
  const bool is_choice = i.lanes == 1 && i.op == Opcode::Select;
  if (i.op != Opcode::Address && !is_choice && i.a != jit::ssa::kNoValue) encoder_.leak(state_, at(i.a));
  if (!is_choice && i.b != jit::ssa::kNoValue) encoder_.leak(state_, at(i.b));
  if (!is_choice && i.c != jit::ssa::kNoValue) encoder_.leak(state_, at(i.c));
}

void SsaEncoder::Run::scalar(ValueId value, const Instruction& i) {
  switch (i.op) {
    case Opcode::Const:
      return set(value, terms_.bits(64, static_cast<std::uint64_t>(i.immediate)));
    case Opcode::Slot: {
      const auto slot = static_cast<std::size_t>(i.immediate);
      if (slot < slots_.size() && slots_[slot].bits != kFalse) {
        state_.values[value] = slots_[slot];
      } else if (!slots_.empty()) {
        set(value, encoder_.opaque_value("nothing" + std::to_string(slot), i.kind, {}));
      } else {
        state_.values[value] = encoder_.parameter(f_.index, static_cast<std::uint32_t>(slot), i.kind);
      }
      return;
    }
    case Opcode::FrameAddress: {
      const auto offset = static_cast<std::uint64_t>(i.immediate);
      const std::uint64_t object = jit::ssa::frame_object(source_of(i), offset);
      const Place place = object_of(i, object);
      const Term rest = terms_.bits(64, offset - object);
      const Term address = terms_.binary(TermOp::Add, encoder_.base_of(place), rest);
      return set(value, address, {kFalse, place, nullptr, encoder_.unit_of(rest), nullptr});
    }
    case Opcode::Text: {
      const Place place{Place::Kind::Text, static_cast<std::uint64_t>(i.immediate)};
      return set(value, encoder_.base_of(place), {kFalse, place, nullptr, kMostUnit, nullptr});
    }
    case Opcode::Address: {
      SsaValue leads = at(i.a);
      const Term sum = address_of(i, leads.unit);
      return set(value, sum, leads);
    }
    case Opcode::Select: {
      const Term chosen = terms_.differ(bits(i.a), terms_.bits(64, 0));
      SsaValue leads = at(i.c);
      encoder_.join_places(leads, chosen, at(i.b));
      return set(value, terms_.choose(chosen, bits(i.b), bits(i.c)), leads);
    }
    default: {
      // An exact conversion of an address stays one.
      const bool keeps = i.op == Opcode::Convert && i.mode == Mode::Exact;
      const Term result = lane_of(i, 0);
      if (keeps) return set(value, result, at(i.a));
      return set(value, result, {kFalse, {}, nullptr, encoder_.unit_of(result), nullptr});
    }
  }
}

void SsaEncoder::Run::vector(ValueId value, const Instruction& i) {
  if (i.op == Opcode::Compress) return kept(value, i);
  std::vector<Term> lanes;
  const std::uint32_t each = 16 / jit::size_of(i.kind);
  const auto which = static_cast<std::uint32_t>(i.immediate);
  for (std::uint32_t k = 0; k < i.lanes; ++k) {
    const std::uint32_t in = k % each;
    if (i.op == Opcode::Zip) {
      lanes.push_back(lane(in % 2 == 0 ? i.a : i.b, k - in + in / 2 + which * (each / 2)));
    } else if (i.op == Opcode::Unzip) {
      lanes.push_back(lane(in < each / 2 ? i.a : i.b, k - in + in % (each / 2) * 2 + which));
    } else {
      lanes.push_back(i.op == Opcode::Splat ? bits(i.a) : i.op == Opcode::Iota ? terms_.bits(64, k) : lane_of(i, k));
    }
  }
  state_.values[value] = {kFalse, {}, nullptr, 1, std::make_shared<const std::vector<Term>>(std::move(lanes))};
}

/// Lanes of which a condition of each says whether they are kept: a bit for each, and those with their bit set moved up
/// next to each other.
void SsaEncoder::Run::kept(ValueId value, const Instruction& i) {
  const auto number = [&](std::uint64_t bits) { return terms_.bits(64, bits); };
  if (i.op == Opcode::Mask) {
    Term mask = number(0);
    for (std::uint32_t k = 0; k < f_.at(i.a).lanes; ++k) {
      const Term is_set = encoder_.holds(i.relation, i.source, lane(i.a, k), lane(i.b, k));
      mask = terms_.binary(TermOp::BitOr, mask, terms_.choose(is_set, number(std::uint64_t{1} << k), number(0)));
    }
    return set(value, mask);
  }
  std::vector<Term> lanes(i.lanes, number(0));
  Term count = number(0);
  for (std::uint32_t k = 0; k < i.lanes; ++k) {
    const Term is_set = is_bit_set(bits(i.b), k);
    for (std::uint32_t to = 0; to <= k; ++to) {
      const Term goes = terms_.both(is_set, terms_.equal(count, number(to)));
      lanes[to] = terms_.choose(goes, lane(i.a, k), lanes[to]);
    }
    count = terms_.choose(is_set, terms_.binary(TermOp::Add, count, number(1)), count);
  }
  state_.values[value] = {kFalse, {}, nullptr, 1, std::make_shared<const std::vector<Term>>(std::move(lanes))};
}

Term SsaEncoder::Run::is_bit_set(Term of, std::uint32_t k) {
  const Term bit = terms_.bits(64, std::uint64_t{1} << k);
  return terms_.differ(terms_.binary(TermOp::BitAnd, of, bit), terms_.bits(64, 0));
}

/// One lane's result of an operation on values.
Term SsaEncoder::Run::lane_of(const Instruction& i, std::uint32_t k) {
  const Term a = lane(i.a, k);
  const Term b = i.b == jit::ssa::kNoValue ? kFalse : lane(i.b, k);
  switch (i.op) {
    case Opcode::Compare:
      return encoder_.from_bool(encoder_.holds(i.relation, i.source, a, b));
    case Opcode::Bits:
      return encoder_.normal(a, jit::size_of(i.kind) == 4 || i.source == jit::Kind::F32
                                    ? (jit::is_float(i.kind) ? jit::Kind::U32 : i.kind)
                                    : jit::Kind::U64);
    case Opcode::Ones: {
      Term count = terms_.bits(64, 0);
      for (std::uint32_t bit = 0; bit < kMostOnes; ++bit) {
        const Term more = terms_.binary(TermOp::Add, count, terms_.bits(64, 1));
        count = terms_.choose(is_bit_set(a, bit), more, count);
      }
      return count;
    }
    case Opcode::Lane:
      return lane(i.a, static_cast<std::uint32_t>(i.immediate));
    case Opcode::Convert: {
      Term fails = kFalse;
      const Term result = encoder_.conversion(i, a, fails);
      judge(i, fails, TrapKind::Conversion);
      return result;
    }
    default:
      break;
  }
  if (i.op < Opcode::Add || i.op > Opcode::Trunc) throw Unsupported{"an operation the model does not have"};
  if (jit::is_float(i.kind)) {
    std::vector<Term> of{a};
    if (i.b != jit::ssa::kNoValue) of.push_back(b);
    if (i.c != jit::ssa::kNoValue) of.push_back(lane(i.c, k));
    return encoder_.float_operation(i, std::move(of));
  }
  Term fails = kFalse;
  const Term result = encoder_.integer_operation(i, a, b, fails);
  const bool divides = i.op == Opcode::Div || i.op == Opcode::Rem;
  judge(i, fails, divides ? TrapKind::Division : i.op == Opcode::Abs ? TrapKind::Abs : TrapKind::Overflow);
  return result;
}

/// Where an access lies; `unit`, of its base, becomes that of the address.
Term SsaEncoder::Run::address_of(const Instruction& i, std::uint32_t& unit) {
  Term way = terms_.bits(64, static_cast<std::uint64_t>(i.immediate));
  if (i.b != jit::ssa::kNoValue) {
    way = terms_.binary(TermOp::Add, terms_.binary(TermOp::Mul, bits(i.b), terms_.bits(64, i.scale)), way);
  }
  unit = std::min(unit, encoder_.unit_of(way));
  return terms_.binary(TermOp::Add, bits(i.a), way);
}

void SsaEncoder::Run::access(ValueId value, const Instruction& i) {
  if (i.op == Opcode::Copy || i.op == Opcode::Zero) {
    const SsaValue to = at(i.a);
    const SsaValue from = i.op == Opcode::Copy ? at(i.b) : SsaValue{};
    return encoder_.copy(state_, to, i.op == Opcode::Copy ? &from : nullptr, static_cast<std::uint64_t>(i.immediate));
  }
  const std::uint32_t size = jit::size_of(i.kind);
  if (i.b != jit::ssa::kNoValue) encoder_.leak(state_, at(i.b));
  SsaValue base = at(i.a);
  const Term address = address_of(i, base.unit);
  const auto lane_address = [&](std::uint32_t k) {
    return terms_.binary(TermOp::Add, address, terms_.bits(64, std::uint64_t{k} * size));
  };
  if (i.op == Opcode::Store) {
    if (i.lanes == 1) encoder_.leak(state_, at(i.c));  // from here on what is found elsewhere may lead there
    const Term count = i.use_count == 0 ? kFalse : bits(f_.uses_of(i)[0].value);
    for (std::uint32_t k = 0; k < i.lanes; ++k) {
      const bool always = i.use_count == 0;
      const Term stored = always ? kTrue : terms_.binary(TermOp::LessU, terms_.bits(64, k), count);
      encoder_.store(state_, base, lane_address(k), size, lane(i.c, k), stored);
    }
    return;
  }
  if (i.lanes == 1) return set(value, encoder_.normal(encoder_.load(state_, base, address, size), i.kind));
  std::vector<Term> lanes;
  for (std::uint32_t k = 0; k < i.lanes; ++k) {
    lanes.push_back(encoder_.normal(encoder_.load(state_, base, lane_address(k), size), i.kind));
  }
  state_.values[value] = {kFalse, {}, nullptr, 1, std::make_shared<const std::vector<Term>>(std::move(lanes))};
}

// ------------------------------------------------------------------------------------------- calls

/// What it is given is seen, and what it leaves elsewhere is its own: all that lies there takes part in it.
void SsaEncoder::Run::leak_operands(const Instruction& i) {
  jit::ssa::each_operand(f_, i, [&](ValueId operand) {
    for (const auto& [condition, place] : encoder_.ways_of(at(operand))) {
      if (place.kind == Place::Kind::Object || place.kind == Place::Kind::Parameter) state_.leaked.insert(place);
    }
  });
  if (i.op != Opcode::Step) return;
  // And what the instruction itself says lies in the frame.
  const bytecode::Function& source = source_of(i);
  const bytecode::Word* const code = source.code.data() + i.word;
  for (const bytecode::Operand& operand : bytecode::info(bytecode::op_of(*code)).all()) {
    if (operand.type != bytecode::Class::Frame) continue;
    state_.leaked.insert(object_of(i, jit::ssa::frame_object(source, bytecode::operand_bits(code, operand.place))));
  }
}

/// What it is given, and everything it can see, decides what it does.
void SsaEncoder::Run::call(ValueId value, const Instruction& i) {
  if (i.op == Opcode::Call && follow(i)) {
    followed_ = value;
    return;
  }
  leak_operands(i);
  std::string name = "call" + std::to_string(static_cast<int>(i.op)) + "." + std::to_string(i.immediate) + "." +
                     std::to_string(frame_of(i)) + "." + std::to_string(i.word);
  std::vector<Term> of{state_.world};
  if (i.a != jit::ssa::kNoValue) of.push_back(bits(i.a));
  std::vector<jit::ssa::Use> uses(f_.uses_of(i).begin(), f_.uses_of(i).end());
  // Where a lane is, is told for the sake of traps.
  if (jit::ssa::is_call(i.op)) std::erase_if(uses, [&](const jit::ssa::Use& use) { return use.slot < i.scale; });
  std::ranges::sort(uses, {}, &jit::ssa::Use::slot);
  for (const jit::ssa::Use& use : uses) {
    name += ".r" + std::to_string(use.slot + slot_base());
    of.push_back(bits(use.value));
  }
  const std::vector<Place> seen = encoder_.places_of(state_);
  for (const Place& place : seen) {
    for (const std::uint32_t size : encoder_.sizes_) of.push_back(encoder_.array(state_, place, size));
  }
  const Term world = encoder_.opaque(name, kIndex, of);
  const auto [made, is_new] = encoder_.outcome_.calls.try_emplace(world, state_.reached);
  if (!is_new) made->second = terms_.either(made->second, state_.reached);
  for (const Place& place : seen) {
    for (const std::uint32_t size : encoder_.sizes_) {
      Term& array = encoder_.array(state_, place, size);
      if (place.kind == Place::Kind::Object) {
        const std::string name_of = "object" + std::to_string(place.id) + "." + std::to_string(size);
        array = encoder_.opaque(name_of, terms_.sort(array), {world});
      } else {
        state_.memory.erase({place, size});
      }
    }
  }
  state_.world = world;
  set(value, world);
}

/// A call that the later form has taken in is its callee's code here too.
bool SsaEncoder::Run::follow(const Instruction& i) {
  const auto& frames = encoder_.frames_;
  for (std::uint32_t k = 1; k < frames.size(); ++k) {
    const jit::ssa::Frame& inlined = frames[k];
    if (inlined.parent != frame_of(i) || inlined.call_word != i.word ||
        inlined.function != static_cast<std::uint32_t>(i.immediate)) {
      continue;
    }
    const auto callee = jit::ssa::build(encoder_.module_, inlined.function, {});
    if (!callee) throw Unsupported{"a callee that has no form"};
    std::vector<SsaValue> slots(encoder_.module_.functions[inlined.function].slots + 1);
    for (const jit::ssa::Use& use : f_.uses_of(i)) {
      if (use.slot >= i.scale && use.slot - i.scale < slots.size()) slots[use.slot - i.scale] = at(use.value);
    }
    // Each call has a frame of its own.
    std::erase_if(state_.memory, [&](const auto& each) { return is_object_of(each.first.first, k); });
    for (const bytecode::MemoryObject& object : encoder_.module_.functions[inlined.function].objects) {
      if (!encoder_.module_.types[object.type].pointers) continue;
      const Place place{Place::Kind::Object, std::uint64_t{k} << 32 | object.offset};
      for (const std::uint32_t size : encoder_.sizes_) {
        state_.memory[{place, size}] = terms_.filled(array_of(bits_sort(8 * size)), terms_.bits(8 * size, 0));
      }
    }
    std::vector<SsaValue> own = std::move(state_.values);
    Run run(encoder_, *callee, k, std::move(slots), false);
    auto returned = run.go(std::move(state_));
    if (!returned) {
      state_ = {};
      state_.reached = kFalse;
      return true;
    }
    state_ = std::move(returned->state);
    state_.values = std::move(own);
    results_ = std::move(returned->values);
    return true;
  }
  return false;
}

// ------------------------------------------------------------------------------------------- ways out

void SsaEncoder::Run::fail(const Instruction& i, Term failed, TrapKind trap) {
  const Term reached = terms_.both(state_.reached, failed);
  if (!i.leaves && encoder_.is_never(false, frame_of(i), i.word, reached)) return;
  if (reached != kFalse) {
    if (i.leaves) {
      SsaState state = state_;
      state.reached = reached;
      leave(i, std::move(state));
    } else {
      SsaEnd end;
      end.reached = reached;
      for (const jit::ssa::Use& use : f_.uses_of(i)) end.told.emplace(use.slot + slot_base(), bits(use.value));
      end.memory = state_.memory;
      end.world = state_.world;
      encoder_.end({false, frame_of(i), i.word, trap}, std::move(end));
    }
  }
  state_.reached = terms_.both(state_.reached, terms_.negate(failed));
}

/// Control goes on in baseline code: in the function's form as it is built from there.
void SsaEncoder::Run::leave(const Instruction& i, SsaState state) {
  if (frame_of(i) != 0) throw Unsupported{"control that leaves within an inlined call"};
  const auto rest = jit::ssa::build(encoder_.module_, f_.index, {i.word, false});
  if (!rest) throw Unsupported{"a loop that has no form of its own"};
  std::vector<SsaValue> slots(encoder_.module_.functions[f_.index].slots + 1);
  for (const jit::ssa::Use& use : f_.uses_of(i)) slots[use.slot] = state.values[use.value];
  Run(encoder_, *rest, 0, std::move(slots), true, true).go(std::move(state));
}

void SsaEncoder::Run::give_back(const Instruction& i) {
  std::array<SsaValue, 2> values;
  if (i.a != jit::ssa::kNoValue) values[0] = at(i.a);
  if (i.b != jit::ssa::kNoValue) values[1] = at(i.b);
  if (is_own_) {
    SsaEnd end;
    end.reached = state_.reached;
    for (std::uint32_t k = 0; k < 2; ++k) {
      if (values[k].bits != kFalse) end.told.emplace(k, values[k].bits);
    }
    end.memory = std::move(state_.memory);
    end.world = state_.world;
    return encoder_.end({true, 0, 0, TrapKind::None}, std::move(end));
  }
  // The two values go along with the state as if they were values of it.
  state_.values = {values[0], values[1]};
  if (!returned_) {
    returned_ = Returned{std::move(state_), values};
    return;
  }
  encoder_.merge(returned_->state, std::move(state_));
  returned_->values = {returned_->state.values[0], returned_->state.values[1]};
}

void SsaEncoder::Run::ends(const Instruction& i) {
  const std::vector<BlockId>& next = f_.blocks[block_].successors;
  switch (i.op) {
    case Opcode::Jump:
      return take(next[0], kTrue);
    case Opcode::Branch: {
      if (next[0] == next[1]) return take(next[0], kTrue);
      const Term condition = encoder_.holds(i.relation, i.kind, bits(i.a), bits(i.b));
      const Term otherwise = terms_.negate(condition);
      const auto never = [&](Term way) {
        return encoder_.is_gone(true, frame_of(i), i.word) &&
               encoder_.is_never(true, frame_of(i), i.word, terms_.both(state_.reached, way));
      };
      if (never(condition)) return take(next[1], kTrue);
      if (never(otherwise)) return take(next[0], kTrue);
      take(next[0], condition);
      return take(next[1], otherwise);
    }
    case Opcode::Switch: {
      std::map<BlockId, Term> ways;
      std::vector<Term> earlier;
      for (std::size_t k = 0; k < next.size(); ++k) {
        const Term here = terms_.equal(bits(i.a), terms_.bits(64, k));
        const bool is_last = k + 1 == next.size();
        const Term condition = is_last ? terms_.negate(terms_.any(earlier)) : here;
        earlier.push_back(here);
        const auto [way, is_new] = ways.try_emplace(next[k], condition);
        if (!is_new) way->second = terms_.either(way->second, condition);
      }
      for (const auto& [to, condition] : ways) take(to, condition);
      return;
    }
    case Opcode::Return:
      return give_back(i);
    case Opcode::Trap:
      return fail(i, kTrue, i.trap);
    case Opcode::Exit:
      return leave(i, std::move(state_));
    default:
      throw Unsupported{"an end the model does not have"};
  }
}

}  // namespace cairn::verify
