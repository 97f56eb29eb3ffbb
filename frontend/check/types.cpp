#include "frontend/check/types.hpp"

#include <algorithm>

#include "frontend/check/traits.hpp"

namespace cairn {

namespace {

constexpr std::string_view kPlacementNames[] = {"host", "device", "pinned", "unified"};

struct ScalarRow {
  TypeKind kind;
  std::string_view name;
};
constexpr ScalarRow kScalars[] = {
    {TypeKind::Void, "void"},     {TypeKind::Bool, "bool"}, {TypeKind::U8, "u8"},       {TypeKind::U16, "u16"},
    {TypeKind::U32, "u32"},       {TypeKind::U64, "u64"},   {TypeKind::Usize, "usize"}, {TypeKind::I8, "i8"},
    {TypeKind::I16, "i16"},       {TypeKind::I32, "i32"},   {TypeKind::I64, "i64"},     {TypeKind::F32, "f32"},
    {TypeKind::F64, "f64"},       {TypeKind::F16, "f16"},   {TypeKind::BF16, "bf16"},   {TypeKind::F8E4M3, "f8e4m3"},
    {TypeKind::F8E5M2, "f8e5m2"},
};

class Hash {
 public:
  void add(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9E3779B97F4A7C15U;
    state_ ^= state_ >> 29;
  }
  void add(const Type* type) { add(type == nullptr ? 0 : std::uint64_t{type->id} + 1); }
  void add(std::span<const StaticArgument> arguments) {
    for (const auto& argument : arguments) {
      add(argument.type);
      add(argument.natural);
    }
  }
  [[nodiscard]] std::uint64_t value() const { return state_ | 1; }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3U;
};

std::uint64_t hash_of(const Type& type) {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(type.kind) | static_cast<std::uint64_t>(type.mode) << 8 |
           static_cast<std::uint64_t>(type.placement) << 16 | static_cast<std::uint64_t>(type.extent.kind) << 24);
  hash.add(type.element);
  hash.add(type.count);
  hash.add(type.extent.literal + type.extent.symbol.id);
  for (const Type* parameter : type.parameters) hash.add(parameter);
  hash.add(type.result);
  hash.add(type.trait == nullptr ? 0 : type.trait->index + 1);
  hash.add(type.full_name.id);
  hash.add(type.arguments);
  return hash.value();
}

bool same(const Type& a, const Type& b) {
  return a.kind == b.kind && a.mode == b.mode && a.placement == b.placement && a.element == b.element &&
         a.count == b.count && a.extent == b.extent && a.result == b.result && a.trait == b.trait &&
         a.full_name == b.full_name && std::ranges::equal(a.parameters, b.parameters) &&
         std::ranges::equal(a.arguments, b.arguments);
}

void append(std::string& out, std::uint64_t number) { out += std::to_string(number); }

/// Looks through arrays, so that one pass from the last type to the first settles all but circles.
Ownership largest(Ownership a, const Type* part) {
  while (part != nullptr && part->is(TypeKind::Array)) part = part->element;
  return part == nullptr ? a : std::max(a, part->ownership);
}

Ownership ownership_of(const Type& type) {
  Ownership result = Ownership::Copy;
  switch (type.kind) {
    case TypeKind::Array:
      return largest(result, &type);
    case TypeKind::Record:
      if (type.record->linear) result = Ownership::Linear;
      for (const RecordField& field : type.record->fields) result = largest(result, field.type);
      return result;
    case TypeKind::Sum:
      for (const SumVariant& variant : type.sum->variants) result = largest(result, variant.payload);
      return result;
    default:
      return type.ownership;
  }
}

}  // namespace

unsigned bit_width(TypeKind kind) {
  switch (kind) {
    case TypeKind::Bool:
    case TypeKind::U8:
    case TypeKind::I8:
    case TypeKind::F8E4M3:
    case TypeKind::F8E5M2:
      return 8;
    case TypeKind::U16:
    case TypeKind::I16:
    case TypeKind::F16:
    case TypeKind::BF16:
      return 16;
    case TypeKind::U32:
    case TypeKind::I32:
    case TypeKind::F32:
      return 32;
    default:
      return 64;
  }
}

TypeTable::TypeTable(Arena& arena, NameTable& names) : arena_(arena), names_(names) {
  slots_.resize(256);
  scalars_.resize(static_cast<std::size_t>(TypeKind::F8E5M2) + 1);
  for (const ScalarRow& row : kScalars) {
    Type scalar;
    scalar.kind = row.kind;
    const Type* type = add(scalar, row.name);
    scalars_[static_cast<std::size_t>(row.kind)] = type;
    const Name name = names_.intern(row.name);
    if (name.id >= named_scalars_.size()) named_scalars_.resize(name.id + 1);
    named_scalars_[name.id] = type;
  }
}

Type* TypeTable::add(const Type& type, std::string_view shown) {
  Type* made = arena_.make<Type>(type);
  made->id = static_cast<std::uint32_t>(types_.size());
  made->name = arena_.copy(shown);
  types_.push_back(made);
  return made;
}

template <class Shown>
const Type* TypeTable::intern(const Type& wanted, Shown shown) {
  const std::uint64_t hash = hash_of(wanted);
  std::size_t at = hash & (slots_.size() - 1);
  for (; slots_[at].second != nullptr; at = (at + 1) & (slots_.size() - 1))
    if (slots_[at].first == hash && same(*slots_[at].second, wanted)) return slots_[at].second;

  scratch_.clear();
  shown(scratch_);
  Type* made = add(wanted, scratch_);
  made->parameters = arena_.copy(wanted.parameters);
  made->arguments = arena_.copy(wanted.arguments);
  made->ownership = ownership_of(*made);
  slots_[at] = {hash, made};
  if (++used_ * 2 > slots_.size()) {
    std::vector<std::pair<std::uint64_t, const Type*>> old(slots_.size() * 2);
    old.swap(slots_);
    for (const auto& slot : old) {
      if (slot.second == nullptr) continue;
      std::size_t to = slot.first & (slots_.size() - 1);
      while (slots_[to].second != nullptr) to = (to + 1) & (slots_.size() - 1);
      slots_[to] = slot;
    }
  }
  return made;
}

const Type* TypeTable::buf(const Type* element) {
  Type type;
  type.kind = TypeKind::Buf;
  type.element = element;
  type.ownership = Ownership::Affine;
  return intern(type, [&](std::string& out) { out.append("Buf[").append(element->name) += ']'; });
}

const Type* TypeTable::array(const Type* element, std::uint64_t count) {
  Type type;
  type.kind = TypeKind::Array;
  type.element = element;
  type.count = count;
  return intern(type, [&](std::string& out) {
    out.append("Array[").append(element->name).append(", ");
    append(out, count);
    out += ']';
  });
}

const Type* TypeTable::function(std::span<const Type* const> parameters, const Type* result) {
  Type type;
  type.kind = TypeKind::Function;
  type.parameters = parameters;
  type.result = result;
  return intern(type, [&](std::string& out) {
    out += "fn(";
    for (std::size_t i = 0; i < parameters.size(); ++i) out.append(i == 0 ? "" : ", ").append(parameters[i]->name);
    out += ')';
    if (!result->is(TypeKind::Void)) out.append(" -> ").append(result->name);
  });
}

const Type* TypeTable::borrow(BorrowMode mode, const Type* value) {
  Type type;
  type.kind = TypeKind::Borrow;
  type.mode = mode;
  type.element = value;
  return intern(
      type, [&](std::string& out) { out.append(mode == BorrowMode::Ro ? "ro<" : "rw<").append(value->name) += '>'; });
}

const Type* TypeTable::view(BorrowMode mode, const Type* element, Extent extent, Placement placement) {
  Type type;
  type.kind = TypeKind::View;
  type.mode = mode;
  type.element = element;
  type.extent = extent;
  type.placement = placement;
  return intern(type, [&](std::string& out) {
    out.append(mode == BorrowMode::Ro ? "ro<" : "rw<").append(element->name).append(">[");
    if (extent.kind == Extent::Kind::Literal) append(out, extent.literal);
    if (extent.kind == Extent::Kind::Symbol) out += names_.text(extent.symbol);
    if (extent.kind == Extent::Kind::None) out += '?';
    out.append("]@").append(kPlacementNames[static_cast<std::size_t>(placement)]);
  });
}

const Type* TypeTable::dyn(TypeKind owned_or_ref, const TraitInfo* trait, std::string_view trait_name) {
  Type type;
  type.kind = owned_or_ref;
  type.trait = trait;
  if (owned_or_ref == TypeKind::Dyn) type.ownership = Ownership::Affine;
  return intern(type, [&](std::string& out) {
    if (owned_or_ref == TypeKind::Dyn) {
      out.append("Dyn[").append(trait_name) += ']';
    } else {
      out.append("dyn ").append(trait_name);
    }
  });
}

const Type* TypeTable::intrinsic(TypeKind kind, const Type* element, Placement placement) {
  Type type;
  type.kind = kind;
  type.element = element;
  type.placement = placement;
  std::string_view name;
  switch (kind) {
    case TypeKind::Atomic:
      name = "Atomic";
      type.ownership = Ownership::Affine;
      break;
    case TypeKind::Mutex:
      name = "Mutex";
      type.ownership = Ownership::Affine;
      break;
    case TypeKind::Group:
      name = "Group";
      type.ownership = Ownership::Linear;
      break;
    case TypeKind::IoRing:
      name = "IoRing";
      type.ownership = Ownership::Linear;
      break;
    case TypeKind::Pipeline:
      name = "pipeline";
      break;
    default:
      name = "Ticket";
      type.ownership = Ownership::Linear;
      break;
  }
  return intern(type, [&](std::string& out) {
    out += name;
    if (element != nullptr) out.append("[").append(element->name) += ']';
    if (placement != Placement::Host) out.append("@").append(kPlacementNames[static_cast<std::size_t>(placement)]);
  });
}

const Type* TypeTable::fragment(std::string_view family, std::span<const StaticArgument> arguments) {
  Type type;
  type.kind = TypeKind::Fragment;
  type.full_name = names_.intern(family);
  type.arguments = arguments;
  type.element = arguments.empty() ? nullptr : arguments.front().type;
  return intern(type, [&](std::string& out) {
    out.append(family) += '[';
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i > 0) out += ", ";
      if (arguments[i].type != nullptr) {
        out += arguments[i].type->name;
      } else {
        append(out, arguments[i].natural);
      }
    }
    out += ']';
  });
}

Type* TypeTable::new_record(std::string_view shown, Name module, Name full_name) {
  Type type;
  type.kind = TypeKind::Record;
  type.module = module;
  type.full_name = full_name;
  type.record = arena_.make<RecordInfo>();
  return add(type, shown);
}

Type* TypeTable::new_sum(std::string_view shown, Name module, Name full_name) {
  Type type;
  type.kind = TypeKind::Sum;
  type.module = module;
  type.full_name = full_name;
  type.sum = arena_.make<SumInfo>();
  return add(type, shown);
}

const Type* TypeTable::new_witness(std::string_view shown, Ownership ownership) {
  Type type;
  type.kind = TypeKind::Witness;
  type.ownership = ownership;
  return add(type, shown);
}

void TypeTable::settle(std::size_t first) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t id = types_.size(); id-- > first;) {
      const Ownership now = ownership_of(*types_[id]);
      changed = changed || now != types_[id]->ownership;
      types_[id]->ownership = now;
    }
  }
}

}  // namespace cairn
