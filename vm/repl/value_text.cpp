#include "vm/repl/value_text.hpp"

#include <cstring>

#include "runtime/print/number_text.hpp"
#include "runtime/semantics/storage_floats.hpp"

namespace cairn::repl {

namespace {

constexpr std::uint64_t kMostElements = 16;

template <class T>
T read(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <class F>
std::string float_text(F value) {
  char text[kNumberText];
  return {text, write_float(value, text)};
}

std::string scalar_text(TypeKind kind, const std::uint8_t* bytes) {
  switch (kind) {
    case TypeKind::Bool:
      return read<std::uint8_t>(bytes) != 0 ? "true" : "false";
    case TypeKind::U8:
      return std::to_string(read<std::uint8_t>(bytes));
    case TypeKind::U16:
      return std::to_string(read<std::uint16_t>(bytes));
    case TypeKind::U32:
      return std::to_string(read<std::uint32_t>(bytes));
    case TypeKind::I8:
      return std::to_string(read<std::int8_t>(bytes));
    case TypeKind::I16:
      return std::to_string(read<std::int16_t>(bytes));
    case TypeKind::I32:
      return std::to_string(read<std::int32_t>(bytes));
    case TypeKind::I64:
      return std::to_string(read<std::int64_t>(bytes));
    case TypeKind::F32:
      return float_text(read<float>(bytes));
    case TypeKind::F64:
      return float_text(read<double>(bytes));
    default:
      return std::to_string(read<std::uint64_t>(bytes));
  }
}

std::string list_text(std::uint64_t count, const auto& element) {
  std::string text = "[";
  for (std::uint64_t k = 0; k < count && k < kMostElements; ++k) text += (k == 0 ? "" : ", ") + element(k);
  return text + (count > kMostElements ? ", ... " + std::to_string(count) + " elements]" : "]");
}

}  // namespace

std::string bytes_text(std::string_view bytes) {
  return list_text(bytes.size(), [&](std::uint64_t k) { return std::to_string(static_cast<unsigned char>(bytes[k])); });
}

std::string elements_text(const Type& element, const bytecode::Module& module, std::uint32_t index,
                          const std::uint8_t* bytes, std::uint64_t count, const NameTable& names) {
  const std::uint64_t size = module.types[index].size;
  return list_text(count, [&](std::uint64_t k) { return value_text(element, module, index, bytes + k * size, names); });
}

std::string value_text(const Type& type, const bytecode::Module& module, std::uint32_t index, const std::uint8_t* bytes,
                       const NameTable& names) {
  const bytecode::Type& layout = module.types[index];
  switch (type.kind) {
    case TypeKind::Record: {
      std::string text(type.name);
      text += "(";
      for (std::size_t k = 0; k < type.record->fields.size() && k < layout.fields.size(); ++k) {
        text += (k == 0 ? "" : ", ") + value_text(*type.record->fields[k].type, module, layout.fields[k].type,
                                                  bytes + layout.fields[k].offset, names);
      }
      return text + ")";
    }
    case TypeKind::Sum: {
      const auto tag = read<std::uint32_t>(bytes);
      if (tag >= type.sum->variants.size()) return "no variant " + std::to_string(tag);
      const SumVariant& variant = type.sum->variants[tag];
      std::string text = std::string(type.name) + "." + std::string(names.text(variant.name));
      if (variant.payload == nullptr) return text;
      const bytecode::Variant& place = layout.variants[tag];
      return text + "(" + value_text(*variant.payload, module, place.payload, bytes + place.offset, names) + ")";
    }
    case TypeKind::Array:
      return elements_text(*type.element, module, layout.element, bytes, layout.count, names);
    case TypeKind::Buf:
      return elements_text(*type.element, module, layout.element,
                           reinterpret_cast<const std::uint8_t*>(read<std::uint64_t>(bytes)),
                           read<std::uint64_t>(bytes + 8), names);
    case TypeKind::F16:
      return float_text(semantics::widen<semantics::F16, float>(read<std::uint16_t>(bytes)));
    case TypeKind::BF16:
      return float_text(semantics::widen<semantics::BF16, float>(read<std::uint16_t>(bytes)));
    case TypeKind::F8E4M3:
      return float_text(semantics::widen<semantics::F8E4M3, float>(read<std::uint8_t>(bytes)));
    case TypeKind::F8E5M2:
      return float_text(semantics::widen<semantics::F8E5M2, float>(read<std::uint8_t>(bytes)));
    default:
      if (type.is_scalar()) return scalar_text(type.kind, bytes);
      return "(" + std::string(type.name) + ")";
  }
}

}  // namespace cairn::repl
