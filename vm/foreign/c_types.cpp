#include "vm/foreign/c_types.hpp"

#include <algorithm>
#include <array>

namespace cairn {

using bytecode::Module;
using bytecode::RegisterKind;
using bytecode::Type;
using bytecode::TypeKind;

ffi_type* c_register(RegisterKind kind) {
  switch (kind) {
    case RegisterKind::None:
      return &ffi_type_void;
    case RegisterKind::Bool:
    case RegisterKind::U8:
      return &ffi_type_uint8;
    case RegisterKind::U16:
      return &ffi_type_uint16;
    case RegisterKind::U32:
      return &ffi_type_uint32;
    case RegisterKind::U64:
      return &ffi_type_uint64;
    case RegisterKind::I8:
      return &ffi_type_sint8;
    case RegisterKind::I16:
      return &ffi_type_sint16;
    case RegisterKind::I32:
      return &ffi_type_sint32;
    case RegisterKind::I64:
      return &ffi_type_sint64;
    case RegisterKind::F32:
      return &ffi_type_float;
    case RegisterKind::F64:
      return &ffi_type_double;
    default:
      return nullptr;
  }
}

ffi_type* StructTypes::make(std::vector<ffi_type*> elements, std::uint64_t size, std::uint32_t align) {
  auto one = std::make_unique<One>();
  one->elements = std::move(elements);
  one->elements.push_back(nullptr);
  one->type.type = FFI_TYPE_STRUCT;
  one->type.elements = one->elements.data();
  one->type.size = size;
  one->type.alignment = static_cast<unsigned short>(align);
  all_.push_back(std::move(one));
  return &all_.back()->type;
}

ffi_type* c_buffer(StructTypes& structs) { return structs.make({&ffi_type_pointer, &ffi_type_uint64}, 16, 8); }

namespace {

/// Visits the scalars of a value with their offsets, variants' payloads on top of each other, until one refuses.
/// False then, and for a part that C has no value of.
template <class Visit>
bool each_scalar(const Module& module, std::uint32_t index, std::uint64_t offset, const Visit& visit) {
  const Type& type = module.types[index];
  switch (type.kind) {
    case TypeKind::Scalar:
      return visit(*c_register(bytecode::register_kind(type.scalar)), offset);
    case TypeKind::Record:
      return std::ranges::all_of(type.fields, [&](const bytecode::Field& field) {
        return each_scalar(module, field.type, offset + field.offset, visit);
      });
    case TypeKind::Array:
      for (std::uint64_t i = 0; i < type.count; ++i) {
        if (!each_scalar(module, type.element, offset + i * module.types[type.element].size, visit)) return false;
      }
      return true;
    case TypeKind::Sum:
      return visit(ffi_type_uint32, offset) &&
             std::ranges::all_of(type.variants, [&](const bytecode::Variant& variant) {
               return variant.payload == bytecode::kNone ||
                      each_scalar(module, variant.payload, offset + variant.offset, visit);
             });
    case TypeKind::Buf:
      return visit(ffi_type_pointer, offset) && visit(ffi_type_uint64, offset + 8);
    default:
      return false;
  }
}

/// Whether C has values of the type at all.
bool has_c_shape(const Module& module, std::uint32_t index) {
  const Type& type = module.types[index];
  switch (type.kind) {
    case TypeKind::Scalar:
    case TypeKind::Buf:
      return true;
    case TypeKind::Record:
      return std::ranges::all_of(type.fields, [&](const auto& field) { return has_c_shape(module, field.type); });
    case TypeKind::Array:
      return has_c_shape(module, type.element);
    case TypeKind::Sum:
      return std::ranges::all_of(type.variants, [&](const bytecode::Variant& variant) {
        return variant.payload == bytecode::kNone || has_c_shape(module, variant.payload);
      });
    default:
      return false;
  }
}

#if defined(__x86_64__)

constexpr std::uint64_t kMostInRegisters = 16;
constexpr std::uint32_t kStackAlignment = 16;

/// A struct the ABI passes in memory. libffi judges a struct by its elements: one of long double goes on the stack,
/// whatever its size; a result above 32 bytes goes where the caller says, and nothing reads that size.
ffi_type* in_memory(const Type& type, Direction direction, StructTypes& structs) {
  if (direction == Direction::Result) return structs.make({&ffi_type_longdouble}, 64, 8);
  if (type.align > kStackAlignment) return nullptr;
  return structs.make({&ffi_type_longdouble}, type.size, std::max<std::uint32_t>(type.align, 8));
}

/// The System V classification (x86-64 psABI, 3.2.3): by eightbyte, floats in vector registers unless an integer shares
/// theirs; larger values and those with unaligned parts in memory.
ffi_type* struct_type(const Module& module, std::uint32_t index, Direction direction, StructTypes& structs) {
  const Type& type = module.types[index];
  if (type.size > kMostInRegisters) return in_memory(type, direction, structs);
  enum class Class : std::uint8_t { None, Float, Integer };
  std::array<Class, 2> classes{};
  const bool aligned = each_scalar(module, index, 0, [&](const ffi_type& scalar, std::uint64_t offset) {
    if (offset % scalar.size != 0) return false;
    const bool is_float = scalar.type == FFI_TYPE_FLOAT || scalar.type == FFI_TYPE_DOUBLE;
    Class& part = classes[offset / 8];
    part = std::max(part, is_float ? Class::Float : Class::Integer);
    return true;
  });
  if (!aligned) return in_memory(type, direction, structs);
  std::vector<ffi_type*> parts;
  for (std::uint64_t at = 0; at < type.size && classes[at / 8] != Class::None; at += 8) {  // then only padding
    ffi_type* const real = type.size - at <= 4 ? &ffi_type_float : &ffi_type_double;
    parts.push_back(classes[at / 8] == Class::Integer ? &ffi_type_uint64 : real);
  }
  return structs.make(std::move(parts), type.size, type.align);
}

#else

/// The struct of all scalars in their order; libffi lays it out and classifies it. Null where it would lie otherwise:
/// packed records, and sums, whose payloads lie on top of each other.
ffi_type* struct_type(const Module& module, std::uint32_t index, Direction, StructTypes& structs) {
  const Type& type = module.types[index];
  std::vector<ffi_type*> scalars;
  std::uint64_t end = 0;
  const bool natural = each_scalar(module, index, 0, [&](ffi_type& scalar, std::uint64_t offset) {
    if (offset % scalar.size != 0 || offset < end) return false;
    end = offset + scalar.size;
    scalars.push_back(&scalar);
    return true;
  });
  return natural ? structs.make(std::move(scalars), type.size, type.align) : nullptr;
}

#endif

}  // namespace

ffi_type* c_type(const Module& module, std::uint32_t index, Direction direction, StructTypes& structs) {
  const Type& type = module.types[index];
  if (type.size == 0 || !has_c_shape(module, index)) return nullptr;
  if (type.kind == TypeKind::Scalar) return c_register(bytecode::register_kind(type.scalar));
  const bool plain = type.kind == TypeKind::Sum && std::ranges::all_of(type.variants, [](const auto& each) {
                       return each.payload == bytecode::kNone;
                     });
  return plain ? &ffi_type_uint32 : struct_type(module, index, direction, structs);
}

}  // namespace cairn
