#include "vm/lower/types.hpp"

#include <algorithm>
#include <string>

#include "frontend/check/fragments.hpp"

namespace cairn::lower {

using bytecode::kNone;
using bytecode::RegisterKind;
using bytecode::RegisterType;
using bytecode::ScalarKind;

ScalarKind scalar_kind(const Type& type) {
  switch (type.kind) {
    case TypeKind::Bool:
      return ScalarKind::Bool;
    case TypeKind::U8:
      return ScalarKind::U8;
    case TypeKind::U16:
      return ScalarKind::U16;
    case TypeKind::U32:
      return ScalarKind::U32;
    case TypeKind::I8:
      return ScalarKind::I8;
    case TypeKind::I16:
      return ScalarKind::I16;
    case TypeKind::I32:
      return ScalarKind::I32;
    case TypeKind::I64:
      return ScalarKind::I64;
    case TypeKind::F32:
      return ScalarKind::F32;
    case TypeKind::F64:
      return ScalarKind::F64;
    case TypeKind::F16:
      return ScalarKind::F16;
    case TypeKind::BF16:
      return ScalarKind::BF16;
    case TypeKind::F8E4M3:
      return ScalarKind::F8E4M3;
    case TypeKind::F8E5M2:
      return ScalarKind::F8E5M2;
    case TypeKind::Sum:
      return ScalarKind::U32;
    default:
      return ScalarKind::U64;
  }
}

Shape shape_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::Void:
    case TypeKind::DynRef:
    case TypeKind::Witness:
      return Shape::None;
    case TypeKind::Sum:
      return type.sum->plain ? Shape::One : Shape::Memory;
    case TypeKind::Record:
    case TypeKind::Array:
    case TypeKind::Atomic:
    case TypeKind::Mutex:
    case TypeKind::Fragment:
      return Shape::Memory;
    case TypeKind::Buf:
    case TypeKind::Dyn:
    case TypeKind::View:
      return Shape::Two;
    default:
      return Shape::One;
  }
}

bool lent_by_value(const Type& type) { return type.is_scalar() || type.is_storage_float() || type.is_plain_enum(); }

RegisterKind scalar_register(const Type& type) { return bytecode::register_kind(scalar_kind(type)); }

std::uint32_t TypeLowering::memory(const Type& type) {
  ++depth_;
  const std::uint32_t index = declare(type);
  while (depth_ == 1 && !incomplete_.empty()) {
    const Type* next = incomplete_.back();
    incomplete_.pop_back();
    complete(*next);
  }
  --depth_;
  return index;
}

bool TypeLowering::owns(const Type& type) {
  if (const auto known = owns_.find(&type); known != owns_.end()) return known->second;
  bool result = false;
  switch (type.kind) {
    case TypeKind::Buf:
    case TypeKind::Dyn:
      return true;
    case TypeKind::Array:
      result = type.count != 0 && owns(*type.element);
      break;
    case TypeKind::Mutex:
      result = owns(*type.element);
      break;
    case TypeKind::Record:
      for (const RecordField& field : type.record->fields) result = result || owns(*field.type);
      break;
    case TypeKind::Sum:
      for (const SumVariant& variant : type.sum->variants) {
        result = result || (variant.payload != nullptr && owns(*variant.payload));
      }
      break;
    default:
      return false;
  }
  owns_.emplace(&type, result);
  return result;
}

/// Gives a type its index. What lies behind a Buf need not be laid out yet, so that types may reach themselves.
std::uint32_t TypeLowering::declare(const Type& type) {
  if (entries_.size() <= type.id) entries_.resize(type.id + 1);
  if (entries_[type.id].index != kNone) return entries_[type.id].index;
  std::uint32_t index = kNone;
  bool complete = true;
  switch (type.kind) {
    case TypeKind::Record:
      index = builder_.declare_record(std::string(type.name));
      complete = false;
      break;
    case TypeKind::Sum:
      index = builder_.declare_sum(std::string(type.name));
      complete = false;
      break;
    case TypeKind::Buf:
      index = builder_.buf(declare(*type.element));
      break;
    case TypeKind::Array:
      index = builder_.array(declare(*type.element), type.count);
      complete = false;
      break;
    case TypeKind::Fragment: {
      const FragmentShape shape = fragment_shape(type, names_);
      index = builder_.array(builder_.scalar(bytecode::ScalarKind::F32), shape.rows * shape.columns);
      break;
    }
    case TypeKind::Mutex:
      index = builder_.mutex(declare(*type.element));
      complete = false;
      break;
    case TypeKind::Atomic:
      index = declare(*type.element);
      break;
    case TypeKind::Function:
      index = builder_.function_value(signature(type));
      break;
    case TypeKind::Dyn:
      index = builder_.dyn(trait(*type.trait));
      break;
    case TypeKind::Ticket:
    case TypeKind::Group: {
      const RegisterType form = value(type);
      index = builder_.handle(form.kind, form.type);
      break;
    }
    case TypeKind::IoRing:
      index = builder_.handle(RegisterKind::Ring, kNone);
      break;
    default:
      index = builder_.scalar(scalar_kind(type));
      break;
  }
  if (entries_.size() <= type.id) entries_.resize(type.id + 1);
  entries_[type.id] = {index, complete};
  if (!complete) incomplete_.push_back(&type);
  return index;
}

void TypeLowering::complete(const Type& type) {
  const std::uint32_t index = declare(type);
  if (entries_[type.id].complete) return;
  entries_[type.id].complete = true;
  switch (type.kind) {
    case TypeKind::Record:
      return complete_record(type, index);
    case TypeKind::Sum:
      return complete_sum(type, index);
    case TypeKind::Array:
    case TypeKind::Mutex:
      complete(*type.element);
      return builder_.lay_out_again(index);
    default:
      return;
  }
}

void TypeLowering::complete_record(const Type& type, std::uint32_t index) {
  const RecordInfo& info = *type.record;
  std::vector<bytecode::Field> fields;
  fields.reserve(info.fields.size());
  for (const RecordField& field : info.fields) {
    const std::uint32_t of = declare(*field.type);
    complete(*field.type);
    fields.push_back({std::string(names_.text(field.name)), of, 0});
  }
  const auto align = static_cast<std::uint32_t>(std::max<std::uint64_t>(info.align, 1));
  builder_.define_record(index, std::move(fields), info.packed, align);
}

void TypeLowering::complete_sum(const Type& type, std::uint32_t index) {
  std::vector<bytecode::Variant> variants;
  variants.reserve(type.sum->variants.size());
  for (const SumVariant& variant : type.sum->variants) {
    std::uint32_t payload = kNone;
    if (variant.payload != nullptr) {
      payload = declare(*variant.payload);
      complete(*variant.payload);
    }
    variants.push_back({std::string(names_.text(variant.name)), payload, 0});
  }
  builder_.define_sum(index, std::move(variants), type.is_copy());
}

RegisterType TypeLowering::value(const Type& type) {
  switch (shape_of(type)) {
    case Shape::None:
      return {};
    case Shape::Memory:
      return {RegisterKind::Ref, true, memory(type)};
    case Shape::Two:
    case Shape::One:
      break;
  }
  switch (type.kind) {
    case TypeKind::Function:
      return {RegisterKind::Function, false, signature(type)};
    case TypeKind::Buf:
      return {RegisterKind::Buf, false, memory(*type.element)};
    case TypeKind::Dyn:
      return {RegisterKind::Dyn, false, trait(*type.trait)};
    case TypeKind::View:
      return parameter(type);
    case TypeKind::Ticket:
    case TypeKind::Group: {
      const RegisterKind kind = type.is(TypeKind::Ticket) ? RegisterKind::Ticket : RegisterKind::Group;
      return {kind, false, signature(std::span<const Type* const>{}, *type.element)};
    }
    case TypeKind::IoRing:
      return {RegisterKind::Ring, false, kNone};
    default:
      return {scalar_register(type), false, kNone};
  }
}

RegisterType TypeLowering::parameter(const Type& type) {
  const bool writable = type.mode == BorrowMode::Rw;
  if (type.is(TypeKind::View)) return {RegisterKind::View, writable, memory(*type.element)};
  if (!type.is(TypeKind::Borrow)) {
    RegisterType form = value(type);
    if (form.kind == RegisterKind::Ref) form.writable = owns(type);  // the callee releases what it is given
    return form;
  }
  const Type& lent = *type.element;
  if (type.is_borrowed_callable()) return {RegisterKind::Callable, false, signature(lent)};
  if (lent.is(TypeKind::DynRef)) return {RegisterKind::DynRef, writable, trait(*lent.trait)};
  if (!writable && lent_by_value(lent)) return value(lent);
  return {RegisterKind::Ref, writable || is_shared_cell(lent), memory(lent)};
}

std::uint32_t TypeLowering::environment_field(const Type& type) {
  const RegisterType form = parameter(type);
  switch (form.kind) {
    case RegisterKind::View:
      return builder_.view(form.type, form.writable);
    case RegisterKind::Callable:
      return builder_.callable(form.type);
    case RegisterKind::DynRef:
      return builder_.dyn_reference(form.type, form.writable);
    case RegisterKind::Ref:
      return builder_.reference(form.type, form.writable);
    default:
      return memory(type.is(TypeKind::Borrow) ? *type.element : type);
  }
}

bytecode::Signature TypeLowering::signature_of(std::span<const Type* const> parameters, const Type& result) {
  bytecode::Signature signature;
  if (shape_of(result) == Shape::Memory) {
    signature.result_reference = true;
    signature.parameters.push_back(value(result));
  } else {
    signature.result = value(result);
  }
  for (const Type* type : parameters) signature.parameters.push_back(parameter(*type));
  return signature;
}

std::uint32_t TypeLowering::signature(std::span<const Type* const> parameters, const Type& result) {
  return builder_.signature(signature_of(parameters, result));
}

std::uint32_t TypeLowering::trait(const TraitInfo& info) {
  if (const auto known = traits_.find(&info); known != traits_.end()) return known->second;
  // Its members may mention values that dispatch through it, so the entry exists before they are lowered.
  const std::uint32_t index = builder_.trait({std::string(info.full_name), {}});
  traits_.emplace(&info, index);
  if (!info.dyn_compatible()) return index;  // its type may be named; nothing is ever behind it
  std::vector<bytecode::TraitMember> members;
  for (const TraitMember& member : info.members) {
    bytecode::Signature signature;
    if (shape_of(*member.dyn_result) == Shape::Memory) {
      signature.result_reference = true;
      signature.parameters.push_back(value(*member.dyn_result));
    } else {
      signature.result = value(*member.dyn_result);
    }
    for (const Type* type : member.dyn_parameters) {
      const bool writable = member.receiver_mode == BorrowMode::Rw;
      signature.parameters.push_back(type == nullptr ? RegisterType{RegisterKind::Ref, writable, kNone}
                                                     : parameter(*type));
    }
    const std::uint32_t receiver = static_cast<std::uint32_t>(member.receiver) + (signature.result_reference ? 1U : 0U);
    members.push_back({std::string(names_.text(member.signature->name.name)), builder_.signature(signature), receiver});
  }
  builder_.module().traits[index].members = std::move(members);
  return index;
}

}  // namespace cairn::lower
