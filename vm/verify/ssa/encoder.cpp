#include "vm/verify/ssa/encoder.hpp"

#include <algorithm>

#include "jit/ssa/build.hpp"
#include "vm/verify/ssa/evaluator.hpp"
#include "vm/verify/ssa/run.hpp"

namespace cairn::verify {

using jit::Kind;
using jit::Relation;
using jit::ssa::Instruction;
using jit::ssa::Mode;
using jit::ssa::Opcode;

namespace {

constexpr std::uint64_t kMostCells = 64;  // that one copy moves one by one

std::string named(const Place& place) {
  constexpr std::string_view kNames[] = {"elsewhere", "object", "parameter", "text", "several"};
  return std::string(kNames[static_cast<std::size_t>(place.kind)]) + std::to_string(place.id);
}

}  // namespace

// ------------------------------------------------------------------------------------------- values

Term SsaEncoder::opaque(const std::string& what, Sort sort, const std::vector<Term>& of) {
  std::string name = what;
  for (const Term term : of) name += ":" + std::to_string(term);
  return terms_.variable(name, sort);
}

/// The low bits as a slot of the kind holds them.
Term SsaEncoder::normal(Term bits, Kind kind) {
  const std::uint32_t width = kind == Kind::F32 ? 32 : jit::is_float(kind) ? 64 : jit::ssa::width_of(kind);
  if (width >= 64) return bits;
  const Term low = terms_.convert(TermOp::Truncate, bits_sort(width), bits);
  return terms_.convert(jit::is_signed(kind) ? TermOp::SignExtend : TermOp::ZeroExtend, kIndex, low);
}

Term SsaEncoder::opaque_value(const std::string& what, Kind kind, const std::vector<Term>& of) {
  return normal(opaque(what, kIndex, of), kind);
}

Term SsaEncoder::holds(Relation relation, Kind kind, Term a, Term b) {
  if (jit::is_float(kind)) {
    if (terms_.is_constant(a) && terms_.is_constant(b)) {
      return Terms::boolean(float_relation_holds(relation, kind, terms_.value(a), terms_.value(b)));
    }
    const std::string type = kind == Kind::F32 ? "f32" : "f64";
    switch (relation) {
      case Relation::Eq:
        return opaque("eq." + type, kBool, {std::min(a, b), std::max(a, b)});
      case Relation::Ne:
        return terms_.negate(holds(Relation::Eq, kind, a, b));
      case Relation::Lt:
        return opaque("lt." + type, kBool, {a, b});
      case Relation::Le:
        return opaque("le." + type, kBool, {a, b});
      case Relation::Gt:
        return holds(Relation::Lt, kind, b, a);
      case Relation::Ge:
        return holds(Relation::Le, kind, b, a);
      case Relation::NotLt:
        return terms_.negate(holds(Relation::Lt, kind, a, b));
      case Relation::NotLe:
        return terms_.negate(holds(Relation::Le, kind, a, b));
    }
  }
  const bool is_signed = jit::is_signed(kind);
  const TermOp less = is_signed ? TermOp::LessS : TermOp::LessU;
  const TermOp less_equal = is_signed ? TermOp::LessEqualS : TermOp::LessEqualU;
  switch (relation) {
    case Relation::Eq:
      return terms_.equal(a, b);
    case Relation::Ne:
      return terms_.differ(a, b);
    case Relation::Lt:
      return terms_.binary(less, a, b);
    case Relation::Le:
      return terms_.binary(less_equal, a, b);
    case Relation::Gt:
      return terms_.binary(less, b, a);
    case Relation::Ge:
      return terms_.binary(less_equal, b, a);
    case Relation::NotLt:
      return terms_.binary(less_equal, b, a);
    default:
      return terms_.binary(less, b, a);
  }
}

Term SsaEncoder::float_operation(const Instruction& i, std::vector<Term> of) {
  std::vector<std::uint64_t> numbers;
  for (const Term term : of) {
    if (terms_.is_constant(term)) numbers.push_back(terms_.value(term));
  }
  if (numbers.size() == of.size()) {
    numbers.resize(3);
    if (const auto value = float_number(i.op, i.kind, numbers[0], numbers[1], numbers[2])) {
      return terms_.bits(64, *value);
    }
  }
  if (i.op == Opcode::Mul) {
    const Term one = terms_.bits(64, i.kind == Kind::F32 ? 0x3f800000U : 0x3ff0000000000000U);
    if (of[0] == one) return of[1];
    if (of[1] == one) return of[0];
    const Term two = terms_.bits(64, i.kind == Kind::F32 ? 0x40000000U : 0x4000000000000000U);
    if (of[0] == two) std::swap(of[0], of[1]);
    if (of[1] == two) {  // a sum: exact but for an overflow, which is the same
      Instruction sum = i;
      sum.op = Opcode::Add;
      return float_operation(sum, {of[0], of[0]});
    }
  }
  const Term sign = terms_.bits(64, i.kind == Kind::F32 ? 0x80000000U : std::uint64_t{1} << 63);
  const auto is_negative = [&](Term term) {
    return terms_.node(term).op == TermOp::BitXor &&
           (terms_.operand(term, 0) == sign || terms_.operand(term, 1) == sign);
  };
  const auto negative = [&](Term term) {
    if (!is_negative(term)) return terms_.binary(TermOp::BitXor, term, sign);
    return terms_.operand(term, terms_.operand(term, 0) == sign ? 1 : 0);
  };
  if (i.op == Opcode::Neg) return negative(of[0]);
  // A difference is the sum with the sign changed, the three fused operations are one.
  Opcode op = i.op;
  if (op == Opcode::Sub) of[1] = negative(of[1]);
  if (op == Opcode::Fms) of[2] = negative(of[2]);
  if (op == Opcode::Fnma) of[0] = negative(of[0]);
  if (op == Opcode::Sub) op = Opcode::Add;
  if (op == Opcode::Fms || op == Opcode::Fnma) op = Opcode::Fma;
  if (op == Opcode::Fma) {
    bool flips = false;
    for (Term* const factor : {&of[0], &of[1]}) {
      const bool is_changed = is_negative(*factor);
      if (is_changed) *factor = negative(*factor);
      flips = flips != is_changed;
    }
    if (of[0] > of[1]) std::swap(of[0], of[1]);
    if (flips) of[0] = negative(of[0]);
  }
  const bool commutes = op == Opcode::Add || op == Opcode::Mul;
  if (commutes && of[0] > of[1]) std::swap(of[0], of[1]);
  const std::string what = "float" + std::to_string(static_cast<int>(op)) + (i.kind == Kind::F32 ? ".f32" : ".f64");
  return opaque_value(what, i.kind, of);
}

Term SsaEncoder::integer_operation(const Instruction& i, Term a, Term b, Term& fails) {
  const Kind kind = i.kind;
  const bool is_signed = jit::is_signed(kind);
  const std::uint32_t width = jit::ssa::width_of(kind);
  const auto number = [&](std::int64_t value) { return terms_.bits(64, static_cast<std::uint64_t>(value)); };
  const Term least = number(is_signed && width == 64 ? INT64_MIN : is_signed ? -(std::int64_t{1} << (width - 1)) : 0);
  const auto narrow = [&](Term wide) {  // exact in 64 bits
    fails = terms_.differ(normal(wide, kind), wide);
    return normal(wide, kind);
  };
  const auto sign = [&](Term term) { return terms_.binary(TermOp::LessS, term, number(0)); };
  switch (i.op) {
    case Opcode::Add: {
      const Term sum = terms_.binary(TermOp::Add, a, b);
      if (width < 64) return narrow(sum);
      fails = !is_signed ? terms_.binary(TermOp::LessU, sum, a)
                         : terms_.both(terms_.equal(sign(a), sign(b)), terms_.differ(sign(sum), sign(a)));
      return sum;
    }
    case Opcode::Sub: {
      const Term difference = terms_.binary(TermOp::Sub, a, b);
      if (width < 64 && is_signed) return narrow(difference);
      fails = !is_signed ? terms_.binary(TermOp::LessU, a, b)
                         : terms_.both(terms_.differ(sign(a), sign(b)), terms_.differ(sign(difference), sign(a)));
      return normal(difference, kind);
    }
    case Opcode::Mul: {
      const Term product = terms_.binary(TermOp::Mul, a, b);
      if (width <= 32) return narrow(product);
      fails = terms_.negate(terms_.binary(is_signed ? TermOp::MulFitsS : TermOp::MulFitsU, a, b));
      return product;
    }
    case Opcode::Div:
    case Opcode::Rem: {
      fails = terms_.equal(b, number(0));
      if (is_signed) {
        fails = terms_.either(fails, terms_.both(terms_.equal(b, number(-1)), terms_.equal(a, least)));
      }
      const bool divides = i.op == Opcode::Div;
      const TermOp op = is_signed ? (divides ? TermOp::DivS : TermOp::RemS) : (divides ? TermOp::DivU : TermOp::RemU);
      return normal(terms_.binary(op, a, b), kind);
    }
    case Opcode::Neg:
    case Opcode::Abs: {
      fails = terms_.equal(a, least);
      const Term negative = normal(terms_.binary(TermOp::Sub, number(0), a), kind);
      return i.op == Opcode::Neg ? negative : terms_.choose(sign(a), negative, a);
    }
    case Opcode::Shl:
    case Opcode::Shr: {
      fails = terms_.negate(terms_.binary(TermOp::LessU, b, number(width)));
      if (i.op == Opcode::Shl) return normal(terms_.binary(TermOp::ShiftLeft, a, b), kind);
      return normal(terms_.binary(is_signed ? TermOp::ShiftRightS : TermOp::ShiftRightU, a, b), kind);
    }
    case Opcode::And:
      return terms_.binary(TermOp::BitAnd, a, b);
    case Opcode::Or:
      return terms_.binary(TermOp::BitOr, a, b);
    case Opcode::Xor:
      return terms_.binary(TermOp::BitXor, a, b);
    case Opcode::Min:
      return terms_.choose(holds(Relation::Lt, kind, a, b), a, b);
    case Opcode::Max:
      return terms_.choose(holds(Relation::Gt, kind, a, b), a, b);
    default:
      throw Unsupported{"an operation the model does not have"};
  }
}

Term SsaEncoder::conversion(const Instruction& i, Term a, Term& fails) {
  if (jit::is_float(i.kind) || jit::is_float(i.source)) {
    if (i.kind == i.source) return a;
    const std::string what =
        "convert" + std::to_string(static_cast<int>(i.source)) + "." + std::to_string(static_cast<int>(i.kind));
    if (terms_.is_constant(a)) {
      if (const auto value = converted_float(i.kind, i.source, terms_.value(a))) return terms_.bits(64, *value);
    }
    if (!jit::is_float(i.kind)) fails = opaque(what + ".fails", kBool, {a});
    return opaque_value(what, i.kind, {a});
  }
  const Term result = normal(a, i.kind);
  const std::uint32_t width = jit::ssa::width_of(i.kind);
  if (width < 64) {
    fails = terms_.differ(result, a);
    // The same bits, and another number: what is signed on one side alone must not be negative.
    if (jit::is_signed(i.kind) && !jit::is_signed(i.source)) {
      fails = terms_.either(fails, terms_.binary(TermOp::LessS, a, terms_.bits(64, 0)));
    }
  } else if (jit::is_signed(i.kind) != jit::is_signed(i.source)) {
    fails = terms_.binary(TermOp::LessS, a, terms_.bits(64, 0));
  }
  return result;
}

// ------------------------------------------------------------------------------------------- memory

Term SsaEncoder::base_of(const Place& place) {
  switch (place.kind) {
    case Place::Kind::Object:
      return terms_.binary(TermOp::Add, terms_.variable("frame", kIndex), terms_.bits(64, place.id));
    case Place::Kind::Parameter:
      return terms_.variable("slot" + std::to_string(place.id), kIndex);
    case Place::Kind::Text:
      return terms_.variable("text" + std::to_string(place.id), kIndex);
    default:
      return terms_.bits(64, 0);
  }
}

SsaValue SsaEncoder::parameter(std::uint32_t function, std::uint32_t slot, Kind kind) {
  SsaValue value;
  std::uint32_t at = 0;
  for (const bytecode::RegisterType& type : module_.signatures[module_.functions[function].signature].parameters) {
    if (at == slot && (type.kind == bytecode::RegisterKind::Ref || type.kind == bytecode::RegisterKind::View) &&
        (type.type == bytecode::kNone || !module_.types[type.type].environment)) {
      value.place = {Place::Kind::Parameter, slot};
    }
    at += type.slots();
  }
  value.bits = normal(terms_.variable("slot" + std::to_string(slot), kIndex), kind);
  return value;
}

Term SsaEncoder::initial(const Place& place, std::uint32_t size, Term world) {
  const Sort sort = array_of(bits_sort(8 * size));
  if (place.kind == Place::Kind::Object) return terms_.filled(sort, terms_.bits(8 * size, 0));
  const std::string name = "memory." + named(place) + "." + std::to_string(size);
  return place.kind == Place::Kind::Text ? terms_.variable(name, sort) : opaque(name, sort, {world});
}

Term& SsaEncoder::array(SsaState& state, const Place& place, std::uint32_t size) {
  const auto [at, is_new] = state.memory.try_emplace({place, size}, kFalse);
  if (is_new) at->second = initial(place, size, state.world);
  return at->second;
}

void SsaEncoder::require(const SsaState& state, const Place& place) const {
  if (place.kind == Place::Kind::Several) throw Unsupported{"an address that leads to one of several places"};
  if (place.kind == Place::Kind::Elsewhere && !state.leaked.empty()) {
    throw Unsupported{"an address found elsewhere, which may lead to what a call was lent"};
  }
}

Term SsaEncoder::load(SsaState& state, const Place& place, Term address, std::uint32_t size) {
  require(state, place);
  const Term index = terms_.binary(TermOp::Sub, address, base_of(place));
  return terms_.convert(TermOp::ZeroExtend, kIndex, terms_.select(array(state, place, size), index));
}

void SsaEncoder::store(SsaState& state, const Place& place, Term address, std::uint32_t size, Term value) {
  require(state, place);
  const Term index = terms_.binary(TermOp::Sub, address, base_of(place));
  const Term part = terms_.convert(TermOp::Truncate, bits_sort(8 * size), value);
  for (const std::uint32_t other : sizes_) {
    Term& at = array(state, place, other);
    at = other == size ? terms_.store(at, index, part)
                       : opaque("under" + std::to_string(size), terms_.sort(at), {at, index, part});
  }
}

/// `from` null: zeros. Every view of the bytes moves, each in parts of its size.
void SsaEncoder::copy(SsaState& state, const SsaValue& to, const SsaValue* from, std::uint64_t bytes) {
  require(state, to.place);
  if (from != nullptr) require(state, from->place);
  const Term target = terms_.binary(TermOp::Sub, to.bits, base_of(to.place));
  const Term source = from == nullptr ? kFalse : terms_.binary(TermOp::Sub, from->bits, base_of(from->place));
  for (const std::uint32_t size : sizes_) {
    if (bytes % size != 0 || bytes / size > kMostCells) {
      std::vector<Term> of{array(state, to.place, size), target, terms_.bits(64, bytes)};
      if (from != nullptr) of.insert(of.end(), {source, array(state, from->place, size)});
      Term& at = array(state, to.place, size);
      at = opaque("copied", terms_.sort(at), of);
      continue;
    }
    std::vector<Term> parts;
    for (std::uint64_t done = 0; done < bytes; done += size) {
      const Term offset = terms_.bits(64, done);
      parts.push_back(from == nullptr
                          ? terms_.bits(8 * size, 0)
                          : terms_.select(array(state, from->place, size), terms_.binary(TermOp::Add, source, offset)));
    }
    Term& at = array(state, to.place, size);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      at = terms_.store(at, terms_.binary(TermOp::Add, target, terms_.bits(64, k * size)), parts[k]);
    }
  }
}

/// Everything that calls may change, by its place.
std::vector<Place> SsaEncoder::places_of(const SsaState& state) const {
  std::vector<Place> places = parameters_;
  places.push_back({});
  for (const Place& each : state.leaked) {
    if (each.kind == Place::Kind::Object) places.push_back(each);
  }
  return places;
}

void SsaEncoder::materialize(SsaState& state) {
  for (const Place& place : places_of(state)) {
    for (const std::uint32_t size : sizes_) static_cast<void>(array(state, place, size));
  }
}

/// Joins the second to the first; which of both holds is what only one of their conditions says.
void SsaEncoder::merge(SsaState& known, SsaState&& more) {
  const Term choose = terms_.distinguish(more.reached, known.reached);
  for (std::size_t v = 0; v < known.values.size(); ++v) {
    SsaValue& into = known.values[v];
    SsaValue& from = more.values[v];
    if (from.bits == kFalse && from.lanes == nullptr) continue;
    if (into.bits == kFalse && into.lanes == nullptr) {
      into = std::move(from);
    } else if (into.lanes != nullptr || from.lanes != nullptr) {
      if (into.lanes == from.lanes || into.lanes == nullptr || from.lanes == nullptr) continue;
      std::vector<Term> lanes;
      for (std::size_t k = 0; k < into.lanes->size(); ++k) {
        lanes.push_back(terms_.choose(choose, (*from.lanes)[k], (*into.lanes)[k]));
      }
      into.lanes = std::make_shared<const std::vector<Term>>(std::move(lanes));
    } else {
      if (into.bits != from.bits) into.bits = terms_.choose(choose, from.bits, into.bits);
      if (into.place != from.place) into.place = {Place::Kind::Several, 0};
    }
  }
  known.leaked.insert(more.leaked.begin(), more.leaked.end());
  if (known.world != more.world) {
    more.leaked = known.leaked;
    materialize(known);
    materialize(more);
    known.world = terms_.choose(choose, more.world, known.world);
  }
  for (const auto& [key, from] : more.memory) static_cast<void>(array(known, key.first, key.second));
  for (auto& [key, into] : known.memory) {
    const Term from = array(more, key.first, key.second);
    if (into != from) into = terms_.choose(choose, from, into);
  }
  known.reached = terms_.either(known.reached, more.reached);
}

void SsaEncoder::end(const SsaEndKey& key, SsaEnd&& more) {
  if (more.reached == kFalse) return;
  const auto [at, is_new] = outcome_.ends.try_emplace(key, std::move(more));
  if (is_new) return;
  SsaEnd& known = at->second;
  const Term choose = terms_.distinguish(more.reached, known.reached);
  for (auto& [slot, from] : more.told) {
    const auto [told, first] = known.told.try_emplace(slot, from);
    if (!first) told->second = terms_.choose(choose, from, told->second);
  }
  SsaState into, from;
  into.memory = std::move(known.memory);
  into.world = known.world;
  from.memory = std::move(more.memory);
  from.world = more.world;
  into.reached = known.reached;
  from.reached = more.reached;
  merge(into, std::move(from));
  known.memory = std::move(into.memory);
  known.world = into.world;
  known.reached = into.reached;
}

SsaOutcome SsaEncoder::run(const jit::ssa::Function& function) {
  outcome_ = {};
  broken_.clear();
  exceeded_.clear();
  steps_ = 0;
  depth_ = 0;
  function_ = function.index;
  parameters_.clear();
  const bytecode::Function& source = module_.functions[function.index];
  const std::uint32_t slots = module_.signatures[source.signature].parameter_slots();
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const Place place = parameter(function.index, slot, Kind::U64).place;
    if (place.kind == Place::Kind::Parameter) parameters_.push_back(place);
  }
  SsaState start;
  start.world = terms_.variable("world", kIndex);
  Run run(*this, function, 0, {}, true);
  run.go(std::move(start));
  outcome_.broken = terms_.any(broken_);
  outcome_.exceeded = terms_.any(exceeded_);
  return std::move(outcome_);
}

}  // namespace cairn::verify
