#include "vm/lower/type_layout.hpp"

#include <algorithm>

namespace cairn::lower {

namespace {

std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return std::min(a + b, kUnstorable); }

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kUnstorable : std::min(product, kUnstorable);
}

TypeLayout scalar(std::uint64_t bytes) {
  return {.size = bytes, .align = bytes, .shape = Shape::Scalar, .needs_drop = false, .overlaid = false, .offsets = {}};
}

TypeLayout words(std::uint64_t count, Shape shape, bool needs_drop) {
  return {.size = 8 * count, .align = 8, .shape = shape, .needs_drop = needs_drop, .overlaid = false, .offsets = {}};
}

}  // namespace

std::uint64_t aligned(std::uint64_t offset, std::uint64_t align) {
  return offset >= kUnstorable ? kUnstorable : (offset + align - 1) & ~(align - 1);
}

std::uint64_t scalar_bytes(const Type& type) {
  switch (type.kind) {
    case TypeKind::Bool:
    case TypeKind::U8:
    case TypeKind::I8:
    case TypeKind::F8E4M3:
    case TypeKind::F8E5M2:
      return 1;
    case TypeKind::U16:
    case TypeKind::I16:
    case TypeKind::F16:
    case TypeKind::BF16:
      return 2;
    case TypeKind::U32:
    case TypeKind::I32:
    case TypeKind::F32:
    case TypeKind::Sum:
      return 4;
    default:
      return 8;
  }
}

bool lends_by_value(const Type& type) { return type.is_scalar() || type.is_storage_float() || type.is_plain_enum(); }

const TypeLayout& LayoutTable::of(const Type& type) {
  if (by_id_.size() <= type.id) by_id_.resize(type.id + 1);
  if (!by_id_[type.id]) {
    auto layout = std::make_unique<TypeLayout>(compute(type));  // may grow the table
    by_id_[type.id] = std::move(layout);
  }
  return *by_id_[type.id];
}

TypeLayout LayoutTable::compute(const Type& type) {
  switch (type.kind) {
    case TypeKind::Void:
    case TypeKind::Witness:
    case TypeKind::DynRef:
      return {};
    case TypeKind::Record:
      return record(*type.record);
    case TypeKind::Sum:
      return type.sum->plain ? scalar(4) : sum(*type.sum, type.is_copy());
    case TypeKind::Buf:
      return words(2, Shape::Memory, true);
    case TypeKind::Dyn:
      return words(2, Shape::Memory, true);
    case TypeKind::Array: {
      const TypeLayout& element = of(*type.element);
      TypeLayout layout;
      layout.size = times(element.size, type.count);
      layout.align = element.align;
      layout.shape = Shape::Memory;
      layout.needs_drop = element.needs_drop && type.count != 0;
      return layout;
    }
    case TypeKind::Borrow:
      if (type.element->is(TypeKind::Function) || type.element->is(TypeKind::DynRef))
        return words(2, Shape::Pair, false);
      if (type.mode == BorrowMode::Ro && lends_by_value(*type.element)) return scalar(scalar_bytes(*type.element));
      return words(1, Shape::Pointer, false);
    case TypeKind::View:
      return words(2, Shape::Pair, false);
    case TypeKind::Atomic: {
      TypeLayout layout = scalar(scalar_bytes(*type.element));
      layout.shape = Shape::Memory;
      return layout;
    }
    case TypeKind::Mutex: {
      const TypeLayout& value = of(*type.element);
      TypeLayout layout;
      layout.align = std::max<std::uint64_t>(8, value.align);
      layout.offsets = {aligned(offset::kMutexValue, value.align)};
      layout.size = aligned(plus(layout.offsets[0], value.size), layout.align);
      layout.shape = Shape::Memory;
      layout.needs_drop = value.needs_drop;
      return layout;
    }
    case TypeKind::Ticket:
    case TypeKind::Group:
    case TypeKind::IoRing:
    case TypeKind::Pipeline:
    case TypeKind::Fragment:
      return words(1, Shape::Memory, false);
    default:
      return scalar(scalar_bytes(type));
  }
}

TypeLayout LayoutTable::record(const RecordInfo& info) {
  TypeLayout layout;
  layout.shape = Shape::Memory;
  for (const RecordField& field : info.fields) {
    const TypeLayout& part = of(*field.type);
    const std::uint64_t align = info.packed ? 1 : part.align;
    layout.align = std::max(layout.align, align);
    const std::uint64_t at = aligned(layout.size, align);
    layout.offsets.push_back(at);
    layout.size = plus(at, part.size);
    layout.needs_drop |= part.needs_drop;
  }
  layout.align = std::max(layout.align, info.align);
  layout.size = aligned(layout.size, layout.align);
  return layout;
}

TypeLayout LayoutTable::sum(const SumInfo& info, bool copyable) {
  TypeLayout layout;
  layout.shape = Shape::Memory;
  layout.overlaid = copyable;
  layout.align = 4;
  std::uint64_t end = 4;
  std::uint64_t union_align = 1;
  if (copyable) {
    for (const SumVariant& variant : info.variants) {
      if (variant.payload != nullptr) union_align = std::max(union_align, of(*variant.payload).align);
    }
  }
  const std::uint64_t union_at = aligned(4, union_align);
  for (const SumVariant& variant : info.variants) {
    if (variant.payload == nullptr) {
      layout.offsets.push_back(4);
      continue;
    }
    const TypeLayout& part = of(*variant.payload);
    const std::uint64_t at = copyable ? union_at : aligned(end, part.align);
    layout.offsets.push_back(at);
    layout.align = std::max(layout.align, part.align);
    layout.needs_drop |= part.needs_drop;
    end = std::max(end, plus(at, part.size));
  }
  layout.size = aligned(end, layout.align);
  return layout;
}

}  // namespace cairn::lower
