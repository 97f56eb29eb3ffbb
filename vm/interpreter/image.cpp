#include "vm/interpreter/image.hpp"

#include <algorithm>

#include "vm/bytecode/text.hpp"
#include "vm/interpreter/machine.hpp"

namespace cairn {
namespace {

using bytecode::kNone;
using bytecode::TypeKind;

}  // namespace

const NativeEntry* NativeTable::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &NativeEntry::name);
  return found == entries_.end() ? nullptr : &*found;
}

Image::Image(bytecode::Module module, const NativeTable& natives) : module_(std::move(module)) {
  prepare_functions();
  prepare_owners();
  prepare_natives(natives);
}

void Image::prepare_natives(const NativeTable& natives) {
  for (const bytecode::Native& native : module_.natives) {
    const NativeEntry* entry = natives.find(native.name);
    const bytecode::Signature& signature = module_.signatures[native.signature];
    // Slots are taken as the host's signature says, so the module must mean the same.
    const bool same = entry != nullptr && entry->signature == bytecode::native_signature_text(module_, signature);
    natives_.push_back({same ? entry->function : nullptr, std::max(signature.parameter_slots(), 2U)});
  }
}

void Image::prepare_functions() {
  std::vector<std::size_t> first_zero;
  for (const bytecode::Function& function : module_.functions) {
    first_zero.push_back(zeros_.size());
    for (const bytecode::MemoryObject& object : function.objects) {
      const bytecode::Type& type = module_.types[object.type];
      if (!type.pointers) continue;
      zeros_.push_back({static_cast<std::uint32_t>(object.offset), static_cast<std::uint32_t>(type.size)});
    }
  }
  first_zero.push_back(zeros_.size());

  prologues_.reserve(module_.functions.size());
  functions_.reserve(module_.functions.size());
  by_code_.reserve(module_.functions.size());
  for (std::uint32_t i = 0; i < module_.functions.size(); ++i) {
    const bytecode::Function& function = module_.functions[i];
    CodeEntry entry;
    entry.body = function.code.data();
    prologues_.push_back(static_cast<bytecode::Word>(interpreter::InternalOp::Prologue) | bytecode::Word{i} << 32);
    entry.code = function.memory_bytes == 0 ? entry.body : &prologues_.back();
    entry.frame_bytes = function.slots * 8;
    const std::uint64_t align = function.memory_align;
    entry.memory_bytes = static_cast<std::uint32_t>((function.memory_bytes + align - 1) / align * align);
    entry.memory_align = function.memory_align;
    entry.zero_count = static_cast<std::uint32_t>(first_zero[i + 1] - first_zero[i]);
    entry.zeros = zeros_.data() + first_zero[i];
    entry.parameter_slots = module_.signatures[function.signature].parameter_slots();
    entry.signature = function.signature;
    entry.function = &function;
    functions_.push_back(entry);
    by_code_.push_back(i);
  }
  std::ranges::sort(by_code_, {}, [&](std::uint32_t i) { return functions_[i].body; });
}

void Image::prepare_owners() {
  owners_.resize(module_.types.size());
  const auto part_of = [&](std::uint32_t type, std::uint64_t offset, std::vector<OwnerPart>& parts) {
    if (type == kNone || !module_.types[type].owns) return;
    const bytecode::Type& of = module_.types[type];
    switch (of.kind) {
      case TypeKind::Buf:
        parts.push_back({OwnerPart::Kind::Buf, offset, of.element, 0});
        break;
      case TypeKind::Dyn:
        parts.push_back({OwnerPart::Kind::Dyn, offset, kNone, 0});
        break;
      case TypeKind::Array:
        parts.push_back({OwnerPart::Kind::Array, offset, of.element, of.count});
        break;
      default:
        parts.push_back({OwnerPart::Kind::Nested, offset, type, 0});
        break;
    }
  };
  for (std::uint32_t i = 0; i < module_.types.size(); ++i) {
    const bytecode::Type& type = module_.types[i];
    OwnerMap& map = owners_[i];
    if (!type.owns) continue;
    switch (type.kind) {
      case TypeKind::Record:
        for (const bytecode::Field& field : type.fields) part_of(field.type, field.offset, map.parts);
        break;
      case TypeKind::Sum:
        map.variants.resize(type.variants.size());
        for (std::size_t v = 0; v < type.variants.size(); ++v) {
          part_of(type.variants[v].payload, type.variants[v].offset, map.variants[v]);
        }
        break;
      case TypeKind::Mutex:
        part_of(type.element, std::max<std::uint64_t>(8, type.align), map.parts);
        break;
      default:
        part_of(i, 0, map.parts);
        break;
    }
  }
}

std::uint32_t Image::function_at(const bytecode::Word* pc) const {
  const auto after = std::ranges::upper_bound(by_code_, pc, {}, [&](std::uint32_t i) { return functions_[i].body; });
  if (after == by_code_.begin()) return kNone;
  const std::uint32_t index = *std::prev(after);
  return pc < functions_[index].body + functions_[index].function->code.size() ? index : kNone;
}

std::uint32_t Image::find(std::string_view name) const {
  const auto found = std::ranges::find(module_.functions, name, &bytecode::Function::name);
  return found == module_.functions.end() ? kNone : static_cast<std::uint32_t>(found - module_.functions.begin());
}

}  // namespace cairn
