#include "vm/bytecode/memory_parts.hpp"

#include <algorithm>

namespace cairn::bytecode {
namespace {

/// The first type at `offset` inside `whole`, from the outside in, that `wanted` takes; kNone when there is none. The
/// nesting of types by value is bounded (table verifier), and `budget` bounds the search through overlapping payloads.
template <class Wanted>
std::uint32_t search(const Module& module, std::uint32_t whole, std::uint64_t offset, const Wanted& wanted,
                     std::uint32_t& budget) {
  if (budget == 0) return kNone;
  --budget;
  const Type& type = module.types[whole];
  if (offset == 0 && wanted(whole)) return whole;
  switch (type.kind) {
    case TypeKind::Record: {
      const auto after = std::ranges::upper_bound(type.fields, offset, {}, &Field::offset);
      // Fields without bytes may share their offset with the next, so more than one is looked at.
      for (auto field = after; field != type.fields.begin();) {
        --field;
        const std::uint32_t found = search(module, field->type, offset - field->offset, wanted, budget);
        if (found != kNone) return found;
        if (field->offset + module.types[field->type].size <= offset && module.types[field->type].size != 0) break;
        if (field->offset < offset) break;
      }
      return kNone;
    }
    case TypeKind::Sum:
      for (const Variant& variant : type.variants) {
        if (variant.payload == kNone || offset < variant.offset) continue;
        if (offset - variant.offset > module.types[variant.payload].size) continue;
        const std::uint32_t found = search(module, variant.payload, offset - variant.offset, wanted, budget);
        if (found != kNone) return found;
      }
      return kNone;
    case TypeKind::Array: {
      const std::uint64_t size = module.types[type.element].size;
      if (type.count == 0 || size == 0 || offset >= type.size) return kNone;
      return search(module, type.element, offset % size, wanted, budget);
    }
    case TypeKind::Mutex: {
      const std::uint64_t at = std::max<std::uint64_t>(8, type.align);
      return offset < at ? kNone : search(module, type.element, offset - at, wanted, budget);
    }
    default:
      return kNone;
  }
}

template <class Wanted>
std::uint32_t find_part(const Module& module, std::uint32_t whole, std::uint64_t offset, const Wanted& wanted) {
  std::uint32_t budget = 4096;
  return search(module, whole, offset, wanted, budget);
}

}  // namespace

bool has_part(const Module& module, std::uint32_t whole, std::uint64_t offset, std::uint32_t part) {
  return find_part(module, whole, offset, [&](std::uint32_t at) { return at == part; }) != kNone;
}

bool has_scalar(const Module& module, std::uint32_t whole, std::uint64_t offset, RegisterKind kind,
                std::uint32_t size) {
  return find_part(module, whole, offset, [&](std::uint32_t at) {
           const Type& type = module.types[at];
           if (type.kind == TypeKind::Sum) return kind == RegisterKind::U32 && size == 4;
           return type.kind == TypeKind::Scalar && register_kind(type.scalar) == kind && type.size == size;
         }) != kNone;
}

std::uint32_t word_at(const Module& module, std::uint32_t whole, std::uint64_t offset) {
  return find_part(module, whole, offset, [&](std::uint32_t at) {
    const TypeKind kind = module.types[at].kind;
    return kind == TypeKind::Function || kind == TypeKind::Reference || kind == TypeKind::Handle;
  });
}

std::uint32_t pair_at(const Module& module, std::uint32_t whole, std::uint64_t offset) {
  return find_part(module, whole, offset, [&](std::uint32_t at) {
    const TypeKind kind = module.types[at].kind;
    return kind == TypeKind::Buf || kind == TypeKind::Dyn || kind == TypeKind::View || kind == TypeKind::Callable ||
           kind == TypeKind::DynReference;
  });
}

bool has_mutex(const Module& module, std::uint32_t whole, std::uint64_t offset) {
  return find_part(module, whole, offset, [&](std::uint32_t at) { return module.types[at].kind == TypeKind::Mutex; }) !=
         kNone;
}

std::uint32_t part_of_size(const Module& module, std::uint32_t whole, std::uint64_t offset, std::uint64_t bytes) {
  return find_part(module, whole, offset, [&](std::uint32_t at) { return module.types[at].size == bytes; });
}

std::uint32_t array_at(const Module& module, std::uint32_t whole, std::uint64_t offset, std::uint64_t count,
                       std::uint32_t element) {
  return find_part(module, whole, offset, [&](std::uint32_t at) {
    const Type& type = module.types[at];
    return type.kind == TypeKind::Array && type.count == count && (element == kNone || type.element == element);
  });
}

bool has_extent(const Module& module, std::uint32_t whole, std::uint64_t offset, std::uint64_t bytes) {
  return part_of_size(module, whole, offset, bytes) != kNone;
}

RegisterType register_type(const Module& module, std::uint32_t index) {
  const Type& type = module.types[index];
  switch (type.kind) {
    case TypeKind::Scalar:
      return {register_kind(type.scalar), false, kNone};
    case TypeKind::Sum: {
      const bool plain = std::ranges::all_of(type.variants, [](const Variant& v) { return v.payload == kNone; });
      return plain ? RegisterType{RegisterKind::U32, false, kNone} : RegisterType{};
    }
    case TypeKind::Buf:
      return {RegisterKind::Buf, false, type.element};
    case TypeKind::Dyn:
      return {RegisterKind::Dyn, false, type.element};
    case TypeKind::Function:
      return {RegisterKind::Function, false, type.element};
    case TypeKind::Reference:
      return {RegisterKind::Ref, type.writable, type.element};
    case TypeKind::View:
      return {RegisterKind::View, type.writable, type.element};
    case TypeKind::Callable:
      return {RegisterKind::Callable, false, type.element};
    case TypeKind::DynReference:
      return {RegisterKind::DynRef, type.writable, type.element};
    case TypeKind::Handle:
      return {static_cast<RegisterKind>(type.count), false, type.element};
    case TypeKind::Record:
    case TypeKind::Array:
    case TypeKind::Mutex:
      return {};
  }
  return {};
}

const MemoryObject* object_at(std::span<const MemoryObject> objects, const Module& module, std::uint64_t offset) {
  const auto after = std::ranges::upper_bound(objects, offset, {}, &MemoryObject::offset);
  if (after == objects.begin()) return nullptr;
  const MemoryObject& object = *std::prev(after);
  const std::uint64_t size = module.types[object.type].size;
  return offset - object.offset < std::max<std::uint64_t>(size, 1) ? &object : nullptr;
}

}  // namespace cairn::bytecode
