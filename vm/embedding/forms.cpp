#include "vm/embedding/forms.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace cairn::embedding {

using bytecode::kNone;
using bytecode::Module;
using bytecode::RegisterKind;
using bytecode::RegisterType;
using bytecode::ScalarKind;
using bytecode::Signature;

namespace {

cairn_kind kind_of(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::Bool:
      return CAIRN_BOOL;
    case ScalarKind::U8:
      return CAIRN_U8;
    case ScalarKind::U16:
      return CAIRN_U16;
    case ScalarKind::U32:
      return CAIRN_U32;
    case ScalarKind::U64:
      return CAIRN_U64;
    case ScalarKind::I8:
      return CAIRN_I8;
    case ScalarKind::I16:
      return CAIRN_I16;
    case ScalarKind::I32:
      return CAIRN_I32;
    case ScalarKind::I64:
      return CAIRN_I64;
    case ScalarKind::F32:
      return CAIRN_F32;
    case ScalarKind::F64:
      return CAIRN_F64;
    case ScalarKind::F16:
      return CAIRN_F16;
    case ScalarKind::BF16:
      return CAIRN_BF16;
    case ScalarKind::F8E4M3:
      return CAIRN_F8E4M3;
    case ScalarKind::F8E5M2:
      return CAIRN_F8E5M2;
  }
  return CAIRN_VOID;
}

cairn_kind kind_of(RegisterKind kind) {
  static constexpr cairn_kind kKinds[] = {CAIRN_VOID, CAIRN_BOOL, CAIRN_U8,  CAIRN_U16, CAIRN_U32, CAIRN_U64,
                                          CAIRN_I8,   CAIRN_I16,  CAIRN_I32, CAIRN_I64, CAIRN_F32, CAIRN_F64};
  return kind <= RegisterKind::F64 ? kKinds[static_cast<std::size_t>(kind)] : CAIRN_VOID;
}

std::uint64_t size_of(cairn_kind kind) {
  switch (kind) {
    case CAIRN_BOOL:
    case CAIRN_U8:
    case CAIRN_I8:
    case CAIRN_F8E4M3:
    case CAIRN_F8E5M2:
      return 1;
    case CAIRN_U16:
    case CAIRN_I16:
    case CAIRN_F16:
    case CAIRN_BF16:
      return 2;
    case CAIRN_U32:
    case CAIRN_I32:
    case CAIRN_F32:
    case CAIRN_ENUM:
      return 4;
    default:
      return 8;
  }
}

std::string_view name_of(cairn_kind kind) {
  static constexpr std::string_view kNames[] = {"void",   "bool",   "u8",   "u16",    "u32",  "u64",   "i8",
                                                "i16",    "i32",    "i64",  "f32",    "f64",  "f16",   "bf16",
                                                "f8e4m3", "f8e5m2", "enum", "record", "view", "borrow"};
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(kNames) ? kNames[index] : "no kind";
}

/// What lies in memory: a scalar, or a record or sum that owns nothing. False for what cannot cross.
bool describe_memory(const Module& module, std::uint32_t index, cairn_kind& kind, Form& form) {
  if (index >= module.types.size()) return false;
  const bytecode::Type& type = module.types[index];
  form.size = type.size;
  form.alignment = std::max<std::uint32_t>(type.align, 1);
  switch (type.kind) {
    case bytecode::TypeKind::Scalar:
      kind = kind_of(type.scalar);
      return true;
    case bytecode::TypeKind::Sum:
      form.tags = type.variants.size();
      kind = std::ranges::all_of(type.variants, [](const auto& variant) { return variant.payload == kNone; })
                 ? CAIRN_ENUM
                 : CAIRN_RECORD;
      return !type.owns && !type.pointers;
    case bytecode::TypeKind::Record:
      kind = CAIRN_RECORD;
      return !type.owns && !type.pointers;
    default:
      return false;
  }
}

/// The form of a register; false for what cannot cross.
bool describe(const Module& module, const RegisterType& type, bool is_borrow, Form& form) {
  if (type.kind == RegisterKind::View) {
    form.kind = CAIRN_VIEW;
    form.writable = type.writable;
    return describe_memory(module, type.type, form.element, form);
  }
  if (type.kind == RegisterKind::Ref) {
    form.writable = type.writable;
    if (is_borrow) {
      form.kind = CAIRN_BORROW;
      return describe_memory(module, type.type, form.element, form);
    }
    form.kind = CAIRN_RECORD;
    cairn_kind held = CAIRN_VOID;
    return describe_memory(module, type.type, held, form) && held == CAIRN_RECORD;
  }
  const cairn_kind scalar = kind_of(type.kind);
  form.size = form.alignment = size_of(scalar);
  form.kind = scalar;
  if (is_borrow) {
    form.kind = CAIRN_BORROW;
    form.element = scalar;
    form.by_value = true;
  }
  return scalar != CAIRN_VOID;
}

/// What a checked type says beyond its register: storage floats and enums.
void refine(const Type& type, Form& form, cairn_kind& kind) {
  switch (type.kind) {
    case TypeKind::F16:
      kind = CAIRN_F16;
      break;
    case TypeKind::BF16:
      kind = CAIRN_BF16;
      break;
    case TypeKind::F8E4M3:
      kind = CAIRN_F8E4M3;
      break;
    case TypeKind::F8E5M2:
      kind = CAIRN_F8E5M2;
      break;
    case TypeKind::Sum:
      form.tags = type.sum->variants.size();
      if (type.is_plain_enum()) kind = CAIRN_ENUM;
      break;
    default:
      break;
  }
}

/// `borrows[k]`: parameter k is a single borrow.
std::expected<Shape, std::string> shape_of(const Module& module, const Signature& signature,
                                           const std::vector<bool>& borrows) {
  Shape shape;
  shape.result_reference = signature.result_reference;
  std::uint32_t slot = 0;
  std::size_t first = 0;
  if (signature.result_reference) {
    if (!describe(module, signature.parameters[0], false, shape.result)) return std::unexpected("its result");
    slot = 1;
    first = 1;
  } else if (signature.result.kind != RegisterKind::None &&
             (!signature.result.is_scalar() || !describe(module, signature.result, false, shape.result))) {
    return std::unexpected("its result");
  }
  shape.plain = !signature.result_reference;
  for (std::size_t i = first; i < signature.parameters.size(); ++i) {
    Form form;
    form.slot = slot;
    const std::size_t k = i - first;
    if (!describe(module, signature.parameters[i], k < borrows.size() && borrows[k], form)) {
      return std::unexpected("parameter " + std::to_string(k + 1));
    }
    shape.plain = shape.plain && form.kind != CAIRN_VIEW && form.kind != CAIRN_BORROW && form.kind != CAIRN_RECORD;
    slot += signature.parameters[i].slots();
    shape.parameters.push_back(std::move(form));
  }
  shape.slots = slot;
  return shape;
}

bool is_unsigned(cairn_kind kind) {
  return (kind >= CAIRN_U8 && kind <= CAIRN_U64) || (kind >= CAIRN_F16 && kind <= CAIRN_ENUM);
}
bool is_signed(cairn_kind kind) { return kind >= CAIRN_I8 && kind <= CAIRN_I64; }

bool fits(std::uint64_t value, std::uint64_t bytes) { return bytes == 8 || value >> (8 * bytes) == 0; }
bool fits(std::int64_t value, std::uint64_t bytes) {
  const std::int64_t most =
      bytes == 8 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (8 * bytes - 1)) - 1;
  return value >= -most - 1 && value <= most;
}

/// A number as its parameter's register holds it; why not, when it does not fit.
std::string put_scalar(cairn_kind wanted, std::uint64_t size, const cairn_value& value, std::uint64_t* slot) {
  const auto mismatch = [&] {
    return "is " + std::string(name_of(value.kind)) + ", and " + std::string(name_of(wanted)) + " is wanted";
  };
  if (wanted == CAIRN_BOOL) {
    if (value.kind != CAIRN_BOOL) return mismatch();
    *slot = value.as.boolean ? 1 : 0;
    return {};
  }
  if (wanted == CAIRN_F32 || wanted == CAIRN_F64) {
    if (value.kind != wanted) return mismatch();
    *slot = 0;
    std::memcpy(slot, wanted == CAIRN_F32 ? static_cast<const void*>(&value.as.f32) : &value.as.f64, size);
    return {};
  }
  // Integers convert where the value fits.
  if (is_unsigned(value.kind)) {
    if (is_unsigned(wanted) ? !fits(value.as.u64, size)
                            : value.as.u64 > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
                                  !fits(static_cast<std::int64_t>(value.as.u64), size)) {
      return std::to_string(value.as.u64) + " does not fit " + std::string(name_of(wanted));
    }
    *slot = value.as.u64;
    return {};
  }
  if (!is_signed(value.kind)) return mismatch();
  if (is_signed(wanted) ? !fits(value.as.i64, size)
                        : value.as.i64 < 0 || !fits(static_cast<std::uint64_t>(value.as.i64), size)) {
    return std::to_string(value.as.i64) + " does not fit " + std::string(name_of(wanted));
  }
  *slot = static_cast<std::uint64_t>(value.as.i64);
  return {};
}

cairn_value get_scalar(cairn_kind kind, const std::uint64_t* slot) {
  cairn_value value{};
  value.kind = kind;
  switch (kind) {
    case CAIRN_BOOL:
      value.as.boolean = *slot != 0;
      break;
    case CAIRN_F32:
      std::memcpy(&value.as.f32, slot, sizeof(float));
      break;
    case CAIRN_F64:
      std::memcpy(&value.as.f64, slot, sizeof(double));
      break;
    default:
      value.as.u64 = *slot;  // i64 shares the bytes, sign-extended already
      break;
  }
  return value;
}

}  // namespace

std::expected<Shape, std::string> shape_of_function(const checked::Function& function, const Module& module,
                                                    std::uint32_t signature) {
  std::vector<bool> borrows;
  for (const checked::Local* parameter : function.parameters) {
    borrows.push_back(parameter->type->is(TypeKind::Borrow));
  }
  auto shape = shape_of(module, module.signatures[signature], borrows);
  if (!shape) return shape;
  for (std::size_t k = 0; k < shape->parameters.size(); ++k) {
    const checked::Local& local = *function.parameters[k];
    Form& form = shape->parameters[k];
    form.type = local.type->name;
    if (form.type.ends_with("@host")) form.type.resize(form.type.size() - 5);
    const bool lends = local.type->is(TypeKind::View) || local.type->is(TypeKind::Borrow);
    refine(lends ? *local.type->element : *local.type, form, lends ? form.element : form.kind);
    if (local.extent == nullptr) continue;
    for (std::size_t other = 0; other < function.parameters.size(); ++other) {
      if (function.parameters[other] == local.extent) form.extent_of = static_cast<std::ptrdiff_t>(other);
    }
  }
  shape->result.type = function.result->name;
  if (!function.result->is(TypeKind::Void)) refine(*function.result, shape->result, shape->result.kind);
  if (std::ranges::any_of(shape->parameters, [](const Form& form) { return form.kind == CAIRN_ENUM; })) {
    shape->plain = false;
  }
  return shape;
}

std::expected<Shape, std::string> shape_of_foreign(const Module& module, const bytecode::Foreign& foreign) {
  const Signature& signature = module.signatures[foreign.signature];
  std::vector<bool> borrows;
  for (std::size_t k = 0; k < foreign.passing.size(); ++k) {
    const std::size_t i = k + (signature.result_reference ? 1 : 0);
    borrows.push_back(foreign.passing[k] == 'p' && signature.parameters[i].kind != RegisterKind::View);
  }
  return shape_of(module, signature, borrows);
}

std::string put(const Form& form, const cairn_value& value, std::uint64_t* slots) {
  switch (form.kind) {
    case CAIRN_VIEW:
    case CAIRN_BORROW:
    case CAIRN_RECORD: {
      if (value.kind != form.kind) {
        return "is " + std::string(name_of(value.kind)) + ", and " + std::string(name_of(form.kind)) + " is wanted";
      }
      if (form.kind != CAIRN_RECORD && value.element != CAIRN_VOID && value.element != form.element) {
        return "lends " + std::string(name_of(value.element)) + ", and " + std::string(name_of(form.element)) +
               " is wanted";
      }
      if (form.kind == CAIRN_RECORD && value.as.memory.count != form.size) {
        return "has " + std::to_string(value.as.memory.count) + " bytes, and the record has " +
               std::to_string(form.size);
      }
      if (form.kind == CAIRN_VIEW) {
        slots[0] = reinterpret_cast<std::uint64_t>(value.as.memory.data);
        slots[1] = value.as.memory.count;
        return {};
      }
      if (value.as.memory.data == nullptr) return "is null";
      if (form.by_value) {
        slots[0] = 0;
        std::memcpy(slots, value.as.memory.data, form.size);
        if (is_signed(form.element) && form.size < 8) {  // registers hold signed values widened
          const unsigned above = 64 - 8 * static_cast<unsigned>(form.size);
          slots[0] = static_cast<std::uint64_t>(static_cast<std::int64_t>(slots[0] << above) >> above);
        }
        return {};
      }
      slots[0] = reinterpret_cast<std::uint64_t>(value.as.memory.data);
      return {};
    }
    default:
      return put_scalar(form.kind, form.size, value, slots);
  }
}

cairn_value get(const Form& form, std::uint64_t* slots) {
  cairn_value value{};
  value.kind = form.kind;
  value.element = form.element;
  switch (form.kind) {
    case CAIRN_VIEW:
      value.as.memory = {reinterpret_cast<void*>(slots[0]), slots[1]};
      return value;
    case CAIRN_BORROW:
      value.as.memory = {form.by_value ? static_cast<void*>(slots) : reinterpret_cast<void*>(slots[0]), 1};
      return value;
    case CAIRN_RECORD:
      value.as.memory = {reinterpret_cast<void*>(slots[0]), form.size};
      return value;
    default:
      return get_scalar(form.kind, slots);
  }
}

BrokenGuard broken_guard(const Shape& shape, const cairn_value* arguments) {
  struct Lent {
    std::size_t parameter;
    std::uint64_t begin;
    std::uint64_t end;
    bool writable;
  };
  std::vector<Lent> lent;
  for (std::size_t k = 0; k < shape.parameters.size(); ++k) {
    const Form& form = shape.parameters[k];
    const cairn_value& value = arguments[k];
    const std::string named = form.name.empty() ? "argument " + std::to_string(k + 1) : form.name;
    if (form.kind == CAIRN_ENUM && value.as.u64 >= form.tags)
      return {TrapKind::EnumEntry, named + " has no variant " + std::to_string(value.as.u64)};
    if (form.kind != CAIRN_VIEW && form.kind != CAIRN_BORROW && form.kind != CAIRN_RECORD) continue;
    const auto begin = reinterpret_cast<std::uint64_t>(value.as.memory.data);
    const std::uint64_t count = form.kind == CAIRN_VIEW ? value.as.memory.count : 1;
    if (begin == 0) {
      if (count != 0) return {TrapKind::ViewEntry, named + " is null and has " + std::to_string(count) + " elements"};
      continue;
    }
    if (begin % form.alignment != 0)
      return {TrapKind::ViewEntry, named + " is not aligned to " + std::to_string(form.alignment) + " bytes"};
    std::uint64_t bytes = 0;
    std::uint64_t end = 0;
    if (__builtin_mul_overflow(count, form.size, &bytes) || __builtin_add_overflow(begin, bytes, &end)) {
      return {TrapKind::ViewEntry, named + " reaches past all memory"};
    }
    if (form.kind == CAIRN_RECORD && form.tags != 0) {
      std::uint32_t tag = 0;
      std::memcpy(&tag, value.as.memory.data, sizeof(tag));
      if (tag >= form.tags) return {TrapKind::EnumEntry, named + " has no variant " + std::to_string(tag)};
    }
    if (form.kind != CAIRN_RECORD && bytes != 0) lent.push_back({k, begin, end, form.writable});
  }
  std::ranges::sort(lent, {}, &Lent::begin);
  for (std::size_t i = 1; i < lent.size(); ++i) {
    // The one that reaches furthest so far; two read-only views may share what they like.
    for (std::size_t j = 0; j < i; ++j) {
      if (lent[j].end > lent[i].begin && (lent[i].writable || lent[j].writable)) {
        const auto name = [&](const Lent& each) {
          const Form& form = shape.parameters[each.parameter];
          return form.name.empty() ? "argument " + std::to_string(each.parameter + 1) : form.name;
        };
        return {TrapKind::Disjointness,
                name(lent[j]) + " and " + name(lent[i]) + " overlap, and one of them is written"};
      }
    }
  }
  return {};
}

}  // namespace cairn::embedding
