// The encoder's memory: what addresses lead to, and the arrays of each place.
#include <algorithm>

#include "vm/verify/ssa/encoder.hpp"

namespace cairn::verify {

using jit::Kind;

namespace {

constexpr std::uint64_t kMostCells = 64;  // that one copy moves one by one
constexpr std::size_t kMostWays = 12;     // of one address

std::string named(const Place& place) {
  constexpr std::string_view kNames[] = {"elsewhere", "object", "parameter", "text", "several"};
  return std::string(kNames[static_cast<std::size_t>(place.kind)]) + std::to_string(place.id);
}

}  // namespace

/// The places an address may lead to, each where it does.
SsaWays SsaEncoder::ways_of(const SsaValue& address) {
  if (address.ways != nullptr) return *address.ways;
  return {{kTrue, address.place}};
}

/// `into` leads where `from` does where the condition holds.
void SsaEncoder::join_places(SsaValue& into, Term condition, const SsaValue& from) {
  into.unit = std::min(into.unit, from.unit);
  if (into.place == from.place && into.ways == from.ways) return;
  SsaWays ways;
  const auto add = [&](Term when, const SsaValue& side) {
    for (const auto& [holds, place] : ways_of(side)) {
      const Term reached = terms_.both(when, holds);
      if (reached == kFalse) continue;
      const auto known = std::ranges::find(ways, place, &SsaWays::value_type::second);
      if (known == ways.end()) {
        ways.emplace_back(reached, place);
      } else {
        known->first = terms_.either(known->first, reached);
      }
    }
  };
  add(condition, from);
  add(terms_.negate(condition), into);
  if (ways.size() > kMostWays) throw Unsupported{"an address that leads to one of many places"};
  into.place = ways.size() == 1 ? ways.front().second : Place{Place::Kind::Several, 0};
  into.ways = ways.size() == 1 ? nullptr : std::make_shared<const SsaWays>(std::move(ways));
}

/// What is found elsewhere may lead there from here on: what lies there now is found elsewhere too.
void SsaEncoder::leak(SsaState& state, const Place& place) {
  if (place.kind != Place::Kind::Object && place.kind != Place::Kind::Parameter) return;
  if (!state.leaked.insert(place).second) return;
  std::vector<Term> what{base_of(place)};
  for (const std::uint32_t size : sizes_) what.push_back(array(state, place, size));
  for (const std::uint32_t size : sizes_) {
    Term& elsewhere = array(state, {}, size);
    std::vector<Term> of{elsewhere};
    of.insert(of.end(), what.begin(), what.end());
    elsewhere = opaque("leaked", terms_.sort(elsewhere), of);
  }
}

void SsaEncoder::leak(SsaState& state, const SsaValue& address) {
  for (const auto& [condition, place] : ways_of(address)) leak(state, place);
}

/// A power of two, at most kMostUnit, that a number of 64 bits is known to be a multiple of.
std::uint32_t SsaEncoder::unit_of(Term way, std::uint32_t depth) const {
  const auto of_number = [](std::uint64_t number) {
    return number == 0 ? kMostUnit : static_cast<std::uint32_t>(std::min<std::uint64_t>(number & -number, kMostUnit));
  };
  if (terms_.is_constant(way)) return of_number(terms_.value(way));
  if (depth == 0) return 1;
  const auto operands = terms_.operands(way);
  const auto least = [&](std::size_t from) {
    std::uint32_t unit = kMostUnit;
    for (std::size_t k = from; k < operands.size(); ++k) unit = std::min(unit, unit_of(operands[k], depth - 1));
    return unit;
  };
  switch (terms_.node(way).op) {
    case TermOp::Add:
    case TermOp::Sub:
    case TermOp::BitOr:
      return least(0);
    case TermOp::Ite:
      return least(1);
    case TermOp::Mul:
      return std::min(kMostUnit, unit_of(operands[0], depth - 1) * unit_of(operands[1], depth - 1));
    case TermOp::ShiftLeft:
      if (!terms_.is_constant(operands[1])) return 1;
      return of_number(terms_.value(operands[1]) >= 64 ? 0 : std::uint64_t{1} << terms_.value(operands[1]));
    default:
      return 1;
  }
}

const bytecode::MemoryObject* SsaEncoder::object_at(const Place& place) const {
  const auto frame = static_cast<std::size_t>(place.id >> 32);
  const auto& objects = module_.functions[frame == 0 ? function_ : frames_[frame].function].objects;
  const auto found = std::ranges::find(objects, place.id & 0xffffffffU, &bytecode::MemoryObject::offset);
  return found == objects.end() ? nullptr : &*found;
}

std::uint64_t SsaEncoder::bytes_of(const Place& place) const {
  const bytecode::MemoryObject* const object = object_at(place);
  return object == nullptr ? 0 : module_.types[object->type].size;
}

/// Whether so many bytes of an object lie in it; of other places nothing is asked.
Term SsaEncoder::is_within(const Place& place, Term index, std::uint64_t bytes) {
  if (place.kind != Place::Kind::Object) return kTrue;
  const std::uint64_t all = bytes_of(place);
  if (bytes > all) return kFalse;
  return terms_.binary(TermOp::LessEqualU, index, terms_.bits(64, all - bytes));
}

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
    if (at == slot && !written_.contains(slot) &&
        (type.kind == bytecode::RegisterKind::Ref || type.kind == bytecode::RegisterKind::View) &&
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
  const std::string name = "memory." + named(place) + "." + std::to_string(size);
  if (place.kind == Place::Kind::Object) {
    // What holds pointers is zeros where the function begins, all else is anything. Calls change no other object than
    // those that leaked, of which each has its array by then.
    const bytecode::MemoryObject* const object = place.id >> 32 == 0 && !taken_up_ ? object_at(place) : nullptr;
    const bool is_zero = object != nullptr && module_.types[object->type].pointers;
    return is_zero ? terms_.filled(sort, terms_.bits(8 * size, 0)) : terms_.variable(name, sort);
  }
  const bool is_entered = world == terms_.variable(kWorld, kIndex);
  return place.kind == Place::Kind::Text || is_entered ? terms_.variable(name, sort) : opaque(name, sort, {world});
}

Term& SsaEncoder::array(SsaState& state, const Place& place, std::uint32_t size) {
  const auto [at, is_new] = state.memory.try_emplace({place, size}, kFalse);
  if (is_new) at->second = initial(place, size, state.world);
  return at->second;
}

/// `base.unit` is that of the address itself.
Term SsaEncoder::load(SsaState& state, const SsaValue& base, Term address, std::uint32_t size) {
  if (!sizes_.contains(size)) throw Unsupported{"an access of a width that neither form has"};
  const SsaWays ways = ways_of(base);
  Term value = kFalse;
  for (std::size_t k = ways.size(); k-- > 0;) {
    const auto& [condition, place] = ways[k];
    const Term index = terms_.binary(TermOp::Sub, address, base_of(place));
    const Term whole = array(state, place, size);
    const Term here = base.unit >= size ? terms_.select(whole, index)
                                        : opaque("across" + std::to_string(size), bits_sort(8 * size), {whole, index});
    value = value == kFalse ? here : terms_.choose(condition, here, value);
  }
  return terms_.convert(TermOp::ZeroExtend, kIndex, value);
}

/// The place's arrays become what `written` makes of each, where the condition holds; those of places that may be the
/// same memory become anything that depends on what is written where.
template <class Written>
void SsaEncoder::write(SsaState& state, const SsaValue& base, Term address, const std::vector<Term>& what,
                       const Written& written) {
  for (const auto& [condition, place] : ways_of(base)) {
    const auto change = [&](const Place& at, std::uint32_t size, const auto& make) {
      Term& now = array(state, at, size);
      now = terms_.choose(condition, make(now), now);
    };
    const Term index = terms_.binary(TermOp::Sub, address, base_of(place));
    for (const std::uint32_t size : sizes_) {
      change(place, size, [&](Term now) { return written(now, index, size); });
    }
    std::vector<Place> also;
    const bool is_elsewhere = place.kind == Place::Kind::Elsewhere;
    if (is_elsewhere) also.assign(state.leaked.begin(), state.leaked.end());
    if (!is_elsewhere && state.leaked.contains(place)) also.push_back({});
    for (const Place& other : also) {
      for (const std::uint32_t size : sizes_) {
        change(other, size, [&](Term now) {
          std::vector<Term> of{now, address};
          of.insert(of.end(), what.begin(), what.end());
          return opaque("over", terms_.sort(now), of);
        });
      }
    }
  }
}

void SsaEncoder::store(SsaState& state, const SsaValue& base, Term address, std::uint32_t size, Term value,
                       Term condition) {
  if (!sizes_.contains(size)) throw Unsupported{"an access of a width that neither form has"};
  const Term part = terms_.convert(TermOp::Truncate, bits_sort(8 * size), value);
  for (const auto& [leads, place] : ways_of(base)) {
    const Term index = terms_.binary(TermOp::Sub, address, base_of(place));
    stays_within(terms_.all({state.reached, condition, leads}), is_within(place, index, size));
  }
  write(state, base, address, {part, condition}, [&](Term now, Term index, std::uint32_t of_size) {
    const bool is_element = of_size == size && base.unit >= size;
    const Term then = is_element ? terms_.store(now, index, part)
                                 : opaque("under" + std::to_string(size), terms_.sort(now), {now, index, part});
    return terms_.choose(condition, then, now);
  });
}

/// `from` null: zeros. Every view of the bytes moves, each in parts of its size.
void SsaEncoder::copy(SsaState& state, const SsaValue& to, const SsaValue* from, std::uint64_t bytes) {
  std::map<std::uint32_t, std::vector<Term>> parts;  // of each size, read before anything is written
  std::vector<Term> source{terms_.bits(64, bytes)};
  for (const std::uint32_t size : sizes_) {
    if (from != nullptr) {
      for (const auto& [condition, place] : ways_of(*from)) {
        source.insert(source.end(),
                      {condition, terms_.binary(TermOp::Sub, from->bits, base_of(place)), array(state, place, size)});
      }
    }
    const bool are_elements = to.unit >= size && (from == nullptr || from->unit >= size);
    if (bytes % size != 0 || bytes / size > kMostCells || !are_elements) continue;
    std::vector<Term>& cells = parts[size];
    for (std::uint64_t done = 0; done < bytes; done += size) {
      const Term at = from == nullptr ? kFalse : terms_.binary(TermOp::Add, from->bits, terms_.bits(64, done));
      cells.push_back(from == nullptr
                          ? terms_.bits(8 * size, 0)
                          : terms_.convert(TermOp::Truncate, bits_sort(8 * size), load(state, *from, at, size)));
    }
  }
  for (const auto& [leads, place] : ways_of(to)) {
    const Term index = terms_.binary(TermOp::Sub, to.bits, base_of(place));
    stays_within(terms_.both(state.reached, leads), is_within(place, index, bytes));
  }
  write(state, to, to.bits, source, [&](Term now, Term index, std::uint32_t size) {
    const auto found = parts.find(size);
    if (found == parts.end()) {
      std::vector<Term> of{now, index};
      of.insert(of.end(), source.begin(), source.end());
      return opaque("copied", terms_.sort(now), of);
    }
    for (std::size_t k = 0; k < found->second.size(); ++k) {
      now = terms_.store(now, terms_.binary(TermOp::Add, index, terms_.bits(64, k * size)), found->second[k]);
    }
    return now;
  });
}

/// A write beyond an object would be one to another object, which the model has apart from it.
void SsaEncoder::stays_within(Term reached, Term within) {
  const Term beyond = terms_.both(reached, terms_.negate(within));
  if (beyond != kFalse) broken_.push_back(beyond);
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
      join_places(into, choose, from);
    }
  }
  for (const Place& each : more.leaked) leak(known, each);
  for (const Place& each : known.leaked) leak(more, each);
  if (known.world != more.world) {
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

}  // namespace cairn::verify
