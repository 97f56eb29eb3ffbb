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

/// What is found elsewhere may lead there from here on.
void SsaEncoder::leak(SsaState& state, const SsaValue& address) {
  for (const auto& [condition, place] : ways_of(address)) {
    if (place.kind == Place::Kind::Object || place.kind == Place::Kind::Parameter) state.leaked.insert(place);
  }
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
  if (place.kind == Place::Kind::Object && !taken_up_) return terms_.filled(sort, terms_.bits(8 * size, 0));
  const std::string name = "memory." + named(place) + "." + std::to_string(size);
  const bool is_entered = world == terms_.variable(kWorld, kIndex);
  return place.kind == Place::Kind::Text || is_entered ? terms_.variable(name, sort) : opaque(name, sort, {world});
}

Term& SsaEncoder::array(SsaState& state, const Place& place, std::uint32_t size) {
  const auto [at, is_new] = state.memory.try_emplace({place, size}, kFalse);
  if (is_new) at->second = initial(place, size, state.world);
  return at->second;
}

Term SsaEncoder::load(SsaState& state, const SsaValue& base, Term address, std::uint32_t size) {
  const SsaWays ways = ways_of(base);
  Term value = kFalse;
  for (std::size_t k = ways.size(); k-- > 0;) {
    const auto& [condition, place] = ways[k];
    const Term index = terms_.binary(TermOp::Sub, address, base_of(place));
    const Term here = terms_.select(array(state, place, size), index);
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
  const Term part = terms_.convert(TermOp::Truncate, bits_sort(8 * size), value);
  write(state, base, address, {part, condition}, [&](Term now, Term index, std::uint32_t of_size) {
    const Term then = of_size == size ? terms_.store(now, index, part)
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
    if (bytes % size != 0 || bytes / size > kMostCells) continue;
    std::vector<Term>& cells = parts[size];
    for (std::uint64_t done = 0; done < bytes; done += size) {
      const Term at = from == nullptr ? kFalse : terms_.binary(TermOp::Add, from->bits, terms_.bits(64, done));
      cells.push_back(from == nullptr
                          ? terms_.bits(8 * size, 0)
                          : terms_.convert(TermOp::Truncate, bits_sort(8 * size), load(state, *from, at, size)));
    }
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

}  // namespace cairn::verify
