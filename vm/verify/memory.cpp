#include "vm/verify/memory.hpp"

#include <algorithm>
#include <utility>

namespace cairn::verify {

namespace {

using bytecode::RegisterKind;
using bytecode::TypeKind;

constexpr std::uint64_t kMostCopied = 4096;  // elements of an array inside an array that is copied

std::uint8_t code(CellKind kind) { return static_cast<std::uint8_t>(kind); }

/// What lies where a type begins, when that is one cell.
std::uint8_t cell_kind(const bytecode::Type& type) {
  switch (type.kind) {
    case TypeKind::Scalar:
      return static_cast<std::uint8_t>(bytecode::register_kind(type.scalar));
    case TypeKind::Buf:
    case TypeKind::View:
    case TypeKind::Callable:
    case TypeKind::Dyn:
    case TypeKind::DynReference:
      return code(CellKind::First);
    case TypeKind::Function:
    case TypeKind::Reference:
    case TypeKind::Handle:
      return code(CellKind::Word);
    default:
      return 0;
  }
}

}  // namespace

Sort Memory::sort_of(std::uint8_t kind) {
  switch (static_cast<RegisterKind>(kind)) {
    case RegisterKind::Bool:
      return kBool;
    case RegisterKind::U8:
    case RegisterKind::I8:
      return bits_sort(8);
    case RegisterKind::U16:
    case RegisterKind::I16:
      return bits_sort(16);
    case RegisterKind::U32:
    case RegisterKind::I32:
      return bits_sort(32);
    case RegisterKind::F32:
      return float_sort(32);
    case RegisterKind::F64:
      return float_sort(64);
    default:
      return bits_sort(64);
  }
}

Value Memory::zero_of(std::uint8_t kind) {
  if (kind == code(CellKind::First) || kind == code(CellKind::Word)) return Value::null();
  return Value::scalar(terms_.constant(sort_of(kind), 0));
}

std::uint32_t Memory::add(std::uint32_t type, bool outer) {
  objects_.push_back({type, outer, {}});
  return static_cast<std::uint32_t>(objects_.size() - 1);
}

std::uint32_t Memory::add_input(std::uint32_t type, bool outer, std::string name) {
  objects_.push_back({type, outer, std::move(name)});
  return static_cast<std::uint32_t>(objects_.size() - 1);
}

Target Memory::whole(std::uint32_t object) const {
  Target target;
  target.object = object;
  target.type = objects_[object].type;
  if (objects_[object].outer) target.steps.push_back({terms_.bits(64, 0), 0});
  return target;
}

// ----------------------------------------------------------------------------------------------------- finding places

/// Goes into the type at `at`, `rest` bytes deep, to the first part for which `is_there(type)` holds where no byte is
/// left. Payloads that lie over each other are tried in order.
bool Memory::walk(Target& at, const auto& is_there) const {
  const bytecode::Type& here = module_.types[at.type];
  if (at.rest == 0 && is_there(at)) return true;
  const auto into = [&](std::uint32_t part, std::uint64_t offset) {
    if (part == bytecode::kNone || at.rest < offset) return false;
    if (at.rest - offset >= std::max<std::uint64_t>(module_.types[part].size, 1)) return false;
    Target inner = at;
    inner.type = part;
    inner.offset += offset;
    inner.rest -= offset;
    if (!walk(inner, is_there)) return false;
    at = std::move(inner);
    return true;
  };
  switch (here.kind) {
    case TypeKind::Record:
      return std::ranges::any_of(here.fields, [&](const auto& field) { return into(field.type, field.offset); });
    case TypeKind::Sum:
      return std::ranges::any_of(here.variants, [&](const auto& each) { return into(each.payload, each.offset); });
    case TypeKind::Array: {
      const std::uint64_t stride = std::max<std::uint64_t>(module_.types[here.element].size, 1);
      if (at.rest >= here.size && here.size > 0) return false;
      Target inner = at;
      inner.type = here.element;
      inner.steps.push_back({terms_.bits(64, at.rest / stride), here.count});
      inner.rest = at.rest % stride;
      if (!walk(inner, is_there)) return false;
      at = std::move(inner);
      return true;
    }
    default:
      return false;
  }
}

bool Memory::find_leaf(Target& at, std::uint8_t kind) const {
  const auto is_leaf = [&](const Target& there) {
    const bytecode::Type& type = module_.types[there.type];
    if (type.kind == TypeKind::Sum) return kind == static_cast<std::uint8_t>(RegisterKind::U32);  // its tag
    return cell_kind(type) == kind;
  };
  // A part that lies in no array is what a payload read through its sum means; arrays are entered through views.
  const std::size_t steps = at.steps.size();
  Target plain = at;
  if (walk(plain, [&](const Target& there) { return is_leaf(there) && there.steps.size() == steps; })) {
    at = std::move(plain);
    return true;
  }
  return walk(at, is_leaf);
}

Target Memory::settled(const Target& target, std::uint32_t type) const {
  Target at = target;
  if (walk(at, [&](const Target& there) { return there.type == type; })) return at;
  return target;
}

Target Memory::settled_by_size(const Target& target, std::uint64_t bytes) const {
  Target at = target;
  if (walk(at, [&](const Target& there) { return module_.types[there.type].size == bytes; })) return at;
  throw Unsupported{"memory is copied in a way the model does not follow"};
}

Target Memory::settled_array(const Target& target, std::uint64_t count) const {
  Target at = target;
  const auto is_array = [&](const Target& there) {
    const bytecode::Type& type = module_.types[there.type];
    return type.kind == TypeKind::Array && type.count == count;
  };
  if (walk(at, is_array)) return at;
  throw Unsupported{"an array is viewed in a way the model does not follow"};
}

Term Memory::flat_index(const Target& target) {
  Term index = terms_.bits(64, 0);
  bool first = true;
  for (const Step& step : target.steps) {
    const Term before = first ? index : terms_.binary(TermOp::Mul, index, terms_.bits(64, step.count));
    index = terms_.binary(TermOp::Add, before, step.index);
    first = false;
  }
  return index;
}

// --------------------------------------------------------------------------------------------------- reading and
// writing

Value Memory::initial(std::uint32_t object, const CellKey& key) {
  const Object& owner = objects_[object];
  const Sort sort = sort_of(key.kind);
  if (owner.input.empty()) {
    if (key.steps == 0) return zero_of(key.kind);
    return Value::scalar(terms_.filled(array_of(sort), terms_.constant(sort, 0)));
  }
  if (key.kind >= code(CellKind::Word)) throw Unsupported{"an owner lies inside a value"};
  const std::string name =
      owner.input + "@" + std::to_string(key.offset) + "." + std::to_string(key.kind) + "." + std::to_string(key.steps);
  return Value::scalar(terms_.variable(name, key.steps == 0 ? sort : array_of(sort)));
}

Value Memory::cell(const Contents& contents, std::uint32_t object, const CellKey& key) {
  if (object < contents.size() && contents[object] != nullptr) {
    if (const auto found = contents[object]->find(key); found != contents[object]->end()) return found->second;
  }
  return initial(object, key);
}

void Memory::set_cell(Contents& contents, std::uint32_t object, const CellKey& key, Value value) {
  if (contents.size() <= object) contents.resize(object + 1);
  auto changed = contents[object] == nullptr ? std::make_shared<Cells>() : std::make_shared<Cells>(*contents[object]);
  (*changed)[key] = std::move(value);
  contents[object] = std::move(changed);
}

Value Memory::load_leaf(const Contents& contents, const Target& at, std::uint8_t kind) {
  const CellKey key{at.offset, kind, static_cast<std::uint8_t>(at.steps.size())};
  if (at.steps.empty()) return cell(contents, at.object, key);
  if (kind >= code(CellKind::Word)) throw Unsupported{"an owner lies inside an array"};
  return Value::scalar(terms_.select(cell(contents, at.object, key).term, flat_index(at)));
}

void Memory::store_leaf(Contents& contents, Term condition, const Target& at, std::uint8_t kind, const Value& value) {
  const CellKey key{at.offset, kind, static_cast<std::uint8_t>(at.steps.size())};
  if (at.steps.empty()) {
    set_cell(contents, at.object, key,
             condition == kTrue ? value : merge(condition, value, cell(contents, at.object, key)));
    return;
  }
  if (kind >= code(CellKind::Word)) throw Unsupported{"an owner lies inside an array"};
  const Term array = cell(contents, at.object, key).term;
  const Term index = flat_index(at);
  const Term stored = terms_.choose(condition, value.term, terms_.select(array, index));
  set_cell(contents, at.object, key, Value::scalar(terms_.store(array, index, stored)));
}

Value Memory::load(const Contents& contents, const Value& pointer, std::uint64_t bytes, std::uint8_t kind) {
  if (pointer.kind != Value::Kind::Pointer) return zero_of(kind);
  Value result;
  for (const GuardedTarget& each : *pointer.targets) {
    Target at = each.target;
    at.rest += bytes;
    const std::uint8_t wanted = kind == code(CellKind::Second) ? code(CellKind::First) : kind;
    if (!find_leaf(at, wanted)) throw Unsupported{"memory is read in a way the model does not follow"};
    const Value value = load_leaf(contents, at, kind);
    result = result.kind == Value::Kind::Empty ? value : merge(each.guard, value, result);
  }
  return result.kind == Value::Kind::Empty ? zero_of(kind) : result;
}

void Memory::store(Contents& contents, Term condition, const Value& pointer, std::uint64_t bytes, std::uint8_t kind,
                   const Value& value) {
  if (pointer.kind != Value::Kind::Pointer) return;
  for (const GuardedTarget& each : *pointer.targets) {
    Target at = each.target;
    at.rest += bytes;
    const std::uint8_t wanted = kind == code(CellKind::Second) ? code(CellKind::First) : kind;
    if (!find_leaf(at, wanted)) throw Unsupported{"memory is written in a way the model does not follow"};
    store_leaf(contents, terms_.both(condition, each.guard), at, kind, value);
  }
}

// ---------------------------------------------------------------------------------------------------------- whole
// values

void Memory::leaves(std::uint32_t type, std::uint64_t offset, std::vector<std::uint64_t>& counts,
                    std::vector<Leaf>& found) const {
  const bytecode::Type& here = module_.types[type];
  switch (here.kind) {
    case TypeKind::Record:
      for (const auto& field : here.fields) leaves(field.type, offset + field.offset, counts, found);
      return;
    case TypeKind::Sum:
      found.push_back({offset, static_cast<std::uint8_t>(RegisterKind::U32), counts});
      for (const auto& each : here.variants) {
        if (each.payload != bytecode::kNone) leaves(each.payload, offset + each.offset, counts, found);
      }
      return;
    case TypeKind::Array:
      counts.push_back(here.count);
      leaves(here.element, offset, counts, found);
      counts.pop_back();
      return;
    case TypeKind::Mutex:
      throw Unsupported{"it locks"};
    default:
      found.push_back({offset, cell_kind(here), counts});
      if (found.back().kind == code(CellKind::First)) found.push_back({offset, code(CellKind::Second), counts});
      return;
  }
}

std::vector<Memory::Leaf> Memory::leaves_of(std::uint32_t type) const {
  std::vector<Leaf> found;
  std::vector<std::uint64_t> counts;
  leaves(type, 0, counts, found);
  std::ranges::sort(found, {}, [](const Leaf& leaf) { return std::pair(leaf.offset, leaf.kind); });
  const auto same = [](const Leaf& a, const Leaf& b) {
    return a.offset == b.offset && a.kind == b.kind && a.counts == b.counts;
  };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  return found;
}

/// Calls `visit(Target)` for the leaf in every element of the arrays around it inside `at`.
void Memory::for_each_place(const Target& at, const Leaf& leaf, const auto& visit) {
  std::uint64_t total = 1;
  for (const std::uint64_t count : leaf.counts) {
    total *= count;
    if (total > kMostCopied) throw Unsupported{"it copies large arrays inside arrays"};
  }
  for (std::uint64_t flat = 0; flat < total; ++flat) {
    Target place = at;
    place.offset += leaf.offset;
    std::uint64_t rest = flat;
    std::vector<std::uint64_t> indices(leaf.counts.size());
    for (std::size_t k = leaf.counts.size(); k-- > 0;) {
      indices[k] = rest % leaf.counts[k];
      rest /= leaf.counts[k];
    }
    for (std::size_t k = 0; k < indices.size(); ++k)
      place.steps.push_back({terms_.bits(64, indices[k]), leaf.counts[k]});
    visit(place);
  }
}

void Memory::copy(Contents& contents, const Value& to, const Value& from, std::uint64_t bytes) {
  if (to.kind != Value::Kind::Pointer || from.kind != Value::Kind::Pointer) return;
  const Contents before = contents;
  for (const GuardedTarget& target : *to.targets) {
    const Target destination = settled_by_size(target.target, bytes);
    for (const GuardedTarget& other : *from.targets) {
      const Target source = settled_by_size(other.target, bytes);
      const Term condition = terms_.both(target.guard, other.guard);
      for (const Leaf& leaf : leaves_of(destination.type)) {
        if (destination.steps.empty() && source.steps.empty() && !leaf.counts.empty()) {
          const auto steps = static_cast<std::uint8_t>(leaf.counts.size());
          const CellKey source_key{source.offset + leaf.offset, leaf.kind, steps};
          const CellKey key{destination.offset + leaf.offset, leaf.kind, steps};
          const Value moved = cell(before, source.object, source_key);
          set_cell(contents, destination.object, key,
                   condition == kTrue ? moved : merge(condition, moved, cell(contents, destination.object, key)));
          continue;
        }
        for_each_place(source, leaf, [&](const Target& place) {
          Target there = destination;
          there.offset += leaf.offset;
          there.steps.insert(there.steps.end(), place.steps.begin() + static_cast<std::ptrdiff_t>(source.steps.size()),
                             place.steps.end());
          store_leaf(contents, condition, there, leaf.kind, load_leaf(before, place, leaf.kind));
        });
      }
    }
  }
}

void Memory::zero(Contents& contents, const Target& at, std::uint64_t bytes) {
  const Target place = settled_by_size(at, bytes);
  for (const Leaf& leaf : leaves_of(place.type)) {
    if (place.steps.empty() && !leaf.counts.empty()) {
      const CellKey key{place.offset + leaf.offset, leaf.kind, static_cast<std::uint8_t>(leaf.counts.size())};
      const Sort sort = sort_of(leaf.kind);
      set_cell(contents, place.object, key, Value::scalar(terms_.filled(array_of(sort), terms_.constant(sort, 0))));
      continue;
    }
    for_each_place(place, leaf,
                   [&](const Target& each) { store_leaf(contents, kTrue, each, leaf.kind, zero_of(leaf.kind)); });
  }
}

void Memory::exchange(Contents& contents, const Value& left, const Value& right, std::uint64_t bytes) {
  const auto scratch_of = [&](const Value& value) {
    if (value.kind != Value::Kind::Pointer || value.targets->empty()) throw Unsupported{"nothing is exchanged"};
    return settled_by_size(value.targets->front().target, bytes).type;
  };
  const Value scratch = Value::pointer(whole(add(scratch_of(left), false)));
  copy(contents, scratch, left, bytes);
  copy(contents, left, right, bytes);
  copy(contents, right, scratch, bytes);
}

// ---------------------------------------------------------------------------------------------------------------
// merging

Value Memory::merge(Term choose, const Value& left, const Value& right) {
  if (choose == kTrue || right.kind == Value::Kind::Empty) return left;
  if (choose == kFalse || left.kind == Value::Kind::Empty) return right;
  if (left.kind != right.kind) return left;  // a slot used for two things, dead after the join
  if (left.kind == Value::Kind::Scalar) {
    if (terms_.sort(left.term) != terms_.sort(right.term)) return left;  // dead as well
    return Value::scalar(terms_.choose(choose, left.term, right.term));
  }
  if (left.targets == right.targets) return left;
  auto merged = std::make_shared<std::vector<GuardedTarget>>();
  const Term otherwise = terms_.negate(choose);
  for (const GuardedTarget& each : *left.targets) merged->push_back({terms_.both(choose, each.guard), each.target});
  for (const GuardedTarget& each : *right.targets) {
    const Term guard = terms_.both(otherwise, each.guard);
    const auto known = std::ranges::find_if(*merged, [&](const GuardedTarget& other) {
      const Target& a = other.target;
      const Target& b = each.target;
      return a.object == b.object && a.offset == b.offset && a.type == b.type && a.rest == b.rest &&
             a.single == b.single && a.steps.size() == b.steps.size();
    });
    if (known == merged->end()) {
      merged->push_back({guard, each.target});
      continue;
    }
    for (std::size_t k = 0; k < each.target.steps.size(); ++k) {
      Step& step = known->target.steps[k];
      step.index = terms_.choose(guard, each.target.steps[k].index, step.index);
    }
    known->guard = terms_.either(known->guard, guard);
  }
  Value value;
  value.kind = Value::Kind::Pointer;
  value.targets = std::move(merged);
  return value;
}

Contents Memory::merge(Term choose, const Contents& left, const Contents& right) {
  Contents merged(std::max(left.size(), right.size()));
  for (std::size_t object = 0; object < merged.size(); ++object) {
    const auto a = object < left.size() ? left[object] : nullptr;
    const auto b = object < right.size() ? right[object] : nullptr;
    if (a == b || b == nullptr || a == nullptr) {
      merged[object] = a == nullptr ? b : a;
      if (a == b) continue;
      // Made, or first written, on one side alone: the other side has what it began with.
    }
    auto cells = std::make_shared<Cells>();
    const auto id = static_cast<std::uint32_t>(object);
    const auto add = [&](const std::shared_ptr<const Cells>& from) {
      if (from == nullptr) return;
      for (const auto& [key, value] : *from) {
        if (cells->contains(key)) continue;
        cells->emplace(key, merge(choose, cell(left, id, key), cell(right, id, key)));
      }
    };
    add(a);
    add(b);
    merged[object] = std::move(cells);
  }
  return merged;
}

}  // namespace cairn::verify
