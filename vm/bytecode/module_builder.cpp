// ModuleBuilder: the tables of a module and the layout of its types.
#include <algorithm>
#include <cstring>

#include "vm/bytecode/builder.hpp"

namespace cairn::bytecode {
namespace {

std::uint64_t align_up(std::uint64_t value, std::uint64_t align) { return (value + align - 1) / align * align; }

/// No object is larger: what would be traps where it is made.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;

std::uint64_t bytes_of(std::uint64_t count, std::uint64_t size) {
  std::uint64_t bytes = 0;
  return __builtin_mul_overflow(count, size, &bytes) ? kMaxBytes : std::min(bytes, kMaxBytes);
}

std::uint32_t index_of(std::size_t size) { return static_cast<std::uint32_t>(size - 1); }

template <class T>
void append_to(std::string& key, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  key.append(bytes, sizeof(T));
}

void append_to(std::string& key, const RegisterType& type) {
  append_to(key, type.kind);
  append_to(key, type.writable);
  append_to(key, type.type);
}

std::string key_of(const Signature& signature) {
  std::string key;
  append_to(key, signature.result);
  append_to(key, signature.result_reference);
  for (const RegisterType& parameter : signature.parameters) append_to(key, parameter);
  return key;
}

std::string key_of(const Type& type) {
  std::string key;
  append_to(key, type.kind);
  append_to(key, type.scalar);
  append_to(key, type.writable);
  append_to(key, type.element);
  append_to(key, type.count);
  return key;
}

std::uint32_t interned(std::unordered_map<std::string, std::uint32_t>& map, std::vector<std::string>& table,
                       std::string_view text) {
  const auto [at, added] = map.try_emplace(std::string(text), static_cast<std::uint32_t>(table.size()));
  if (added) table.emplace_back(text);
  return at->second;
}

}  // namespace

ModuleBuilder::ModuleBuilder(std::string name) { module_.name = std::move(name); }

std::uint32_t ModuleBuilder::file(std::string_view path) { return interned(files_, module_.files, path); }
std::uint32_t ModuleBuilder::text(std::string_view bytes) { return interned(texts_, module_.texts, bytes); }

std::uint32_t ModuleBuilder::signature(const Signature& signature) {
  const auto [at, added] =
      signatures_.try_emplace(key_of(signature), static_cast<std::uint32_t>(module_.signatures.size()));
  if (added) module_.signatures.push_back(signature);
  return at->second;
}

std::uint32_t ModuleBuilder::native(std::string_view name, std::uint32_t signature) {
  std::string key(name);
  append_to(key, signature);
  const auto [at, added] = natives_.try_emplace(std::move(key), static_cast<std::uint32_t>(module_.natives.size()));
  if (added) module_.natives.push_back({std::string(name), signature});
  return at->second;
}

std::uint32_t ModuleBuilder::foreign(Foreign foreign) {
  module_.foreigns.push_back(std::move(foreign));
  return index_of(module_.foreigns.size());
}

std::uint32_t ModuleBuilder::trait(Trait trait) {
  module_.traits.push_back(std::move(trait));
  return index_of(module_.traits.size());
}

std::uint32_t ModuleBuilder::table(DispatchTable table) {
  const auto [at, added] =
      tables_.try_emplace({table.trait, table.type}, static_cast<std::uint32_t>(module_.tables.size()));
  if (added) module_.tables.push_back(std::move(table));
  return at->second;
}

std::uint32_t ModuleBuilder::add_type(Type type) {
  module_.types.push_back(std::move(type));
  return index_of(module_.types.size());
}

std::uint32_t ModuleBuilder::intern(Type type) {
  const auto [at, added] = structural_.try_emplace(key_of(type), static_cast<std::uint32_t>(module_.types.size()));
  if (added) module_.types.push_back(std::move(type));
  return at->second;
}

std::uint32_t ModuleBuilder::scalar(ScalarKind kind) {
  Type type;
  type.kind = TypeKind::Scalar;
  type.scalar = kind;
  type.size = type.align = scalar_size(kind);
  return intern(std::move(type));
}

std::uint32_t ModuleBuilder::array(std::uint32_t element, std::uint64_t count) {
  const Type& of = module_.types[element];
  Type type;
  type.kind = TypeKind::Array;
  type.element = element;
  type.count = count;
  type.align = of.align;
  type.size = bytes_of(count, of.size);
  type.owns = of.owns;
  type.pointers = of.pointers;
  return intern(std::move(type));
}

namespace {
Type word_type(TypeKind kind, std::uint64_t size, bool owns, bool pointers) {
  Type type;
  type.kind = kind;
  type.size = size;
  type.align = 8;
  type.owns = owns;
  type.pointers = pointers;
  return type;
}
}  // namespace

std::uint32_t ModuleBuilder::buf(std::uint32_t element) {
  Type type = word_type(TypeKind::Buf, 16, true, true);
  type.element = element;
  return intern(std::move(type));
}
std::uint32_t ModuleBuilder::dyn(std::uint32_t trait) {
  Type type = word_type(TypeKind::Dyn, 16, true, true);
  type.element = trait;
  return intern(std::move(type));
}
std::uint32_t ModuleBuilder::function_value(std::uint32_t signature) {
  Type type = word_type(TypeKind::Function, 8, false, false);
  type.element = signature;
  return intern(std::move(type));
}
std::uint32_t ModuleBuilder::mutex(std::uint32_t element) {
  const Type& of = module_.types[element];
  Type type = word_type(TypeKind::Mutex, 0, of.owns, of.pointers);
  type.element = element;
  type.align = std::max<std::uint32_t>(8, of.align);
  type.size = align_up(type.align + of.size, type.align);
  return intern(std::move(type));
}
void ModuleBuilder::lay_out_again(std::uint32_t index) {
  Type& type = module_.types[index];
  const Type& of = module_.types[type.element];
  type.owns = of.owns;
  type.pointers = of.pointers;
  if (type.kind == TypeKind::Mutex) {
    type.align = std::max<std::uint32_t>(8, of.align);
    type.size = align_up(type.align + of.size, type.align);
    return;
  }
  type.align = of.align;
  type.size = bytes_of(type.count, of.size);
}
std::uint32_t ModuleBuilder::handle(RegisterKind kind, std::uint32_t signature) {
  Type type = word_type(TypeKind::Handle, 8, false, true);
  type.element = signature;
  type.count = static_cast<std::uint64_t>(kind);
  return intern(std::move(type));
}
std::uint32_t ModuleBuilder::reference(std::uint32_t to, bool writable) {
  Type type = word_type(TypeKind::Reference, 8, false, true);
  type.element = to;
  type.writable = writable;
  return intern(std::move(type));
}
std::uint32_t ModuleBuilder::view(std::uint32_t element, bool writable) {
  Type type = word_type(TypeKind::View, 16, false, true);
  type.element = element;
  type.writable = writable;
  return intern(std::move(type));
}
std::uint32_t ModuleBuilder::callable(std::uint32_t signature) {
  Type type = word_type(TypeKind::Callable, 16, false, true);
  type.element = signature;
  return intern(std::move(type));
}
std::uint32_t ModuleBuilder::dyn_reference(std::uint32_t trait, bool writable) {
  Type type = word_type(TypeKind::DynReference, 16, false, true);
  type.element = trait;
  type.writable = writable;
  return intern(std::move(type));
}

std::uint32_t ModuleBuilder::declare_record(std::string name) {
  Type type;
  type.kind = TypeKind::Record;
  type.name = std::move(name);
  return add_type(std::move(type));
}

void ModuleBuilder::define_record(std::uint32_t index, std::vector<Field> fields, bool packed, std::uint32_t align) {
  std::uint64_t at = 0;
  bool owns = false;
  bool pointers = false;
  for (Field& field : fields) {
    const Type& of = module_.types[field.type];
    const std::uint32_t natural = packed ? 1 : of.align;
    at = align_up(at, natural);
    field.offset = at;
    at = std::min(at + of.size, kMaxBytes);
    align = std::max(align, natural);
    owns |= of.owns;
    pointers |= of.pointers;
  }
  Type& type = module_.types[index];
  type.size = align_up(at, align);
  type.align = align;
  type.owns = owns;
  type.pointers = pointers;
  type.fields = std::move(fields);
}

std::uint32_t ModuleBuilder::declare_sum(std::string name) {
  Type type;
  type.kind = TypeKind::Sum;
  type.name = std::move(name);
  type.size = type.align = 4;
  return add_type(std::move(type));
}

void ModuleBuilder::define_sum(std::uint32_t index, std::vector<Variant> variants, bool overlapping) {
  std::uint32_t align = 4;
  bool owns = false;
  bool pointers = false;
  for (const Variant& variant : variants) {
    if (variant.payload != kNone) align = std::max(align, module_.types[variant.payload].align);
  }
  std::uint64_t end = 4;
  std::uint64_t at = 4;
  for (Variant& variant : variants) {
    if (variant.payload == kNone) continue;
    const Type& of = module_.types[variant.payload];
    // Members of a C union share the first offset that suits the strictest of them.
    variant.offset = overlapping ? align : align_up(at, of.align);
    at = std::min(variant.offset + of.size, kMaxBytes);
    end = std::max(end, at);
    owns |= of.owns;
    pointers |= of.pointers;
  }
  Type& type = module_.types[index];
  type.overlapping = overlapping;
  type.align = align;
  type.size = align_up(end, align);
  type.owns = owns;
  type.pointers = pointers;
  type.variants = std::move(variants);
}

std::uint32_t ModuleBuilder::environment(std::string name, std::vector<Field> fields) {
  const std::uint32_t index = declare_record(std::move(name));
  define_record(index, std::move(fields));
  module_.types[index].environment = true;
  return index;
}

std::uint32_t ModuleBuilder::declare(std::string name, std::uint32_t signature, FunctionKind kind,
                                     std::uint32_t environment, std::uint32_t parent) {
  Function function;
  function.name = std::move(name);
  function.kind = kind;
  function.signature = signature;
  function.environment = environment;
  function.parent = parent;
  module_.functions.push_back(std::move(function));
  return index_of(module_.functions.size());
}

}  // namespace cairn::bytecode
