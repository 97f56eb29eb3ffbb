#include "vm/bytecode/types.hpp"

namespace cairn::bytecode {

std::uint32_t scalar_size(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::Bool:
    case ScalarKind::U8:
    case ScalarKind::I8:
    case ScalarKind::F8E4M3:
    case ScalarKind::F8E5M2:
      return 1;
    case ScalarKind::U16:
    case ScalarKind::I16:
    case ScalarKind::F16:
    case ScalarKind::BF16:
      return 2;
    case ScalarKind::U32:
    case ScalarKind::I32:
    case ScalarKind::F32:
      return 4;
    case ScalarKind::U64:
    case ScalarKind::I64:
    case ScalarKind::F64:
      return 8;
  }
  return 0;
}

RegisterKind register_kind(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::F16:
    case ScalarKind::BF16:
      return RegisterKind::U16;
    case ScalarKind::F8E4M3:
    case ScalarKind::F8E5M2:
      return RegisterKind::U8;
    default:
      return static_cast<RegisterKind>(static_cast<unsigned>(RegisterKind::Bool) + static_cast<unsigned>(kind));
  }
}

namespace {

/// One pass over a type's parts; true when something of it changed.
bool complete(std::vector<Type>& types, Type& type) {
  bool owns = type.kind == TypeKind::Buf || type.kind == TypeKind::Dyn;
  bool pointers = owns || (type.kind >= TypeKind::Reference && type.kind <= TypeKind::DynReference) ||
                  type.kind == TypeKind::Handle;
  std::uint64_t size = type.size;
  std::uint32_t align = type.align;
  const auto part = [&](std::uint32_t index) {
    if (index >= types.size()) return;
    owns |= types[index].owns;
    pointers |= types[index].pointers;
  };
  if (type.kind == TypeKind::Record) {
    for (const Field& field : type.fields) part(field.type);
  } else if (type.kind == TypeKind::Sum) {
    for (const Variant& variant : type.variants) part(variant.payload);
  } else if (type.kind == TypeKind::Mutex || type.kind == TypeKind::Array) {
    part(type.element);
    if (type.kind == TypeKind::Array && type.element < types.size()) {
      size = types[type.element].size * type.count;
      align = types[type.element].align;
    }
  }
  const bool changed = owns != type.owns || pointers != type.pointers || size != type.size || align != type.align;
  type.owns = owns;
  type.pointers = pointers;
  type.size = size;
  type.align = align;
  return changed;
}

}  // namespace

void complete_types(std::vector<Type>& types) {
  // As many passes as types may nest; parts usually come before the types that hold them.
  constexpr int kPasses = 300;
  bool changed = true;
  for (int pass = 0; pass < kPasses && changed; ++pass) {
    changed = false;
    for (Type& type : types) changed |= complete(types, type);
  }
}

}  // namespace cairn::bytecode
