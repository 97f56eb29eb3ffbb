#include <algorithm>
#include <map>
#include <optional>

#include "frontend/check/rows.hpp"
#include "frontend/report/enqueue.hpp"
#include "frontend/support/sha256.hpp"
#include "vm/c_entries/c_entries.hpp"

namespace cairn {

namespace {

std::string identifier(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    text += plain ? c : '_';
  }
  return text;
}

/// Words of C and C++, and the names that an entry's own text uses.
constexpr std::string_view kTaken[] = {
    "alignas",  "alignof",   "and",       "and_eq",        "arguments",    "asm",
    "auto",     "bitand",    "bitor",     "bool",          "break",        "call",
    "case",     "catch",     "char",      "class",         "compl",        "concept",
    "const",    "consteval", "constexpr", "constinit",     "const_cast",   "continue",
    "co_await", "co_return", "co_yield",  "decltype",      "default",      "delete",
    "die",      "do",        "double",    "dynamic_cast",  "else",         "enqueue",
    "enum",     "explicit",  "export",    "extern",        "false",        "float",
    "for",      "friend",    "goto",      "here",          "if",           "inline",
    "int",      "linux",     "long",      "mutable",       "namespace",    "new",
    "noexcept", "not",       "not_eq",    "nullptr",       "operator",     "or",
    "or_eq",    "private",   "protected", "public",        "register",     "reinterpret_cast",
    "requires", "restrict",  "result",    "return",        "returned",     "short",
    "signed",   "sizeof",    "static",    "static_assert", "static_cast",  "stream",
    "struct",   "switch",    "template",  "this",          "thread_local", "throw",
    "true",     "try",       "typedef",   "typeid",        "typename",     "typeof",
    "union",    "unix",      "unsigned",  "using",         "virtual",      "void",
    "volatile", "wchar_t",   "while",     "xor",           "xor_eq"};

/// The name of a parameter or field as C may write it: what is taken, and what then would be, has one more `_`.
std::string member_name(std::string_view name) {
  std::string text = identifier(name);
  const std::string_view stem = std::string_view(text).substr(0, text.find_last_not_of('_') + 1);
  return std::ranges::find(kTaken, stem) == std::end(kTaken) ? text : text + "_";
}

std::uint64_t rounded(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

/// Writes the structs that entries name, each once and after what it holds.
class Types {
 public:
  explicit Types(const NameTable& names) : names_(names) {}

  /// Nothing for what cannot cross; `why` says what.
  std::optional<CType> of(const Type& type, std::string& why) {
    switch (type.kind) {
      case TypeKind::Bool:
        return scalar("bool", 1);
      case TypeKind::U8:
      case TypeKind::F8E4M3:
      case TypeKind::F8E5M2:
        return scalar("uint8_t", 1);
      case TypeKind::U16:
      case TypeKind::F16:
      case TypeKind::BF16:
        return scalar("uint16_t", 2);
      case TypeKind::U32:
        return scalar("uint32_t", 4);
      case TypeKind::U64:
        return scalar("uint64_t", 8);
      case TypeKind::Usize:
        return scalar("size_t", 8);
      case TypeKind::I8:
        return scalar("int8_t", 1);
      case TypeKind::I16:
        return scalar("int16_t", 2);
      case TypeKind::I32:
        return scalar("int32_t", 4);
      case TypeKind::I64:
        return scalar("int64_t", 8);
      case TypeKind::F32:
        return scalar("float", 4);
      case TypeKind::F64:
        return scalar("double", 8);
      case TypeKind::Record:
      case TypeKind::Sum:
        if (!type.is_copy()) break;
        if (type.is_plain_enum()) {
          CType tag = scalar("uint32_t", 4);
          tag.tags = type.sum->variants.size();
          return tag;
        }
        return structure(type, why);
      default:
        break;
    }
    why = std::string(type.name) + " cannot cross";
    return std::nullopt;
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static CType scalar(std::string_view name, std::uint64_t size) { return {std::string(name), size, size, 0, false}; }

  struct Field {
    std::string name;
    CType type;
    std::uint64_t count = 0;  // of an inline array; 0: no array
    [[nodiscard]] std::uint64_t size() const { return type.size * std::max<std::uint64_t>(count, 1); }
    [[nodiscard]] std::string declared() const {
      return type.name + " " + name + (count == 0 ? "" : "[" + std::to_string(count) + "]") + ";";
    }
  };

  std::optional<Field> field(std::string name, const Type& type, std::string& why) {
    const bool is_array = type.is(TypeKind::Array);
    auto held = of(is_array ? *type.element : type, why);
    if (!held) return std::nullopt;
    return Field{std::move(name), std::move(*held), is_array ? type.count : 0};
  }

  std::optional<CType> structure(const Type& type, std::string& why) {
    if (const auto known = known_.find(&type); known != known_.end()) return known->second;
    CType made;
    made.name = "struct " + identifier(type.name);
    made.is_struct = true;
    std::string body;
    std::string offsets;
    const auto assert_offset = [&](const std::string& path, std::uint64_t offset) {
      offsets += "CAIRN_ASSERT(offsetof(" + made.name + ", " + path + ") == " + std::to_string(offset) + ", \"" +
                 std::string(type.name) + "." + path + "\");\n";
    };
    if (type.is(TypeKind::Record)) {
      std::uint64_t end = 0;
      for (const RecordField& each : type.record->fields) {
        const auto held = field(member_name(names_.text(each.name)), *each.type, why);
        if (!held) return std::nullopt;
        const std::uint64_t align = type.record->packed ? 1 : held->type.alignment;
        made.alignment = std::max(made.alignment, align);
        end = rounded(end, align);
        body += "  " + held->declared() + "\n";
        assert_offset(held->name, end);
        end += held->size();
      }
      made.alignment = std::max(made.alignment, type.record->align);
      made.size = rounded(end, made.alignment);
      if (body.empty()) {
        why = std::string(type.name) + " has no fields, and C no such struct";
        return std::nullopt;
      }
    } else {
      body = "  uint32_t tag;\n  union {\n";
      made.alignment = 4;
      std::uint64_t most = 0;
      std::uint64_t widest = 1;
      std::string first;
      for (const SumVariant& each : type.sum->variants) {
        if (each.payload == nullptr) continue;
        const auto held = field(member_name(names_.text(each.name)), *each.payload, why);
        if (!held) return std::nullopt;
        if (first.empty()) first = held->name;
        body += "    " + held->declared() + "\n";
        widest = std::max(widest, held->type.alignment);
        most = std::max(most, held->size());
      }
      body += "  } as;\n";
      made.alignment = std::max(made.alignment, widest);
      const std::uint64_t at = rounded(4, widest);
      made.size = rounded(at + most, made.alignment);
      if (!first.empty()) assert_offset("as." + first, at);
    }
    std::string attributes;
    if (type.is(TypeKind::Record) && type.record->packed) attributes += " __attribute__((packed))";
    if (type.is(TypeKind::Record) && type.record->align != 0) {
      attributes += " __attribute__((aligned(" + std::to_string(type.record->align) + ")))";
    }
    text_ += "/* " + std::string(type.name) + " */\n" + made.name + " {\n" + body + "}" + attributes + ";\n" +
             "CAIRN_ASSERT(sizeof(" + made.name + ") == " + std::to_string(made.size) + ", \"" +
             std::string(type.name) + "\");\n" + offsets + "\n";
    known_.emplace(&type, made);
    return made;
  }

  const NameTable& names_;
  std::map<const Type*, CType> known_;
  std::string text_;
};

std::string shown(const Type& type) {
  std::string name(type.name);
  if (name.ends_with("@host")) name.resize(name.size() - 5);
  return name;
}

bool has_device_work(const checked::Row& row) {
  using checked::Label;
  return row.has_any(checked::labels(Label::ParDevice, Label::GpuAlloc, Label::GpuFree, Label::TransferD2H,
                                     Label::TransferH2D, Label::TransferD2D));
}

/// A parameter as C takes it; nothing, with why in `why`, for what cannot cross.
std::optional<CParameter> parameter(const checked::Local& local, const checked::Function& function,
                                    const NameTable& names, Types& types, std::string& why) {
  CParameter made;
  made.name = member_name(names.text(local.name));
  const Type& type = *local.type;
  const bool lends = type.is(TypeKind::View) || type.is(TypeKind::Borrow);
  auto held = types.of(lends ? *type.element : type, why);
  if (!held) return std::nullopt;
  made.type = std::move(*held);
  if (!lends) return made;
  made.writable = type.mode == BorrowMode::Rw;
  made.form = type.is(TypeKind::View) ? CParameter::Form::View : CParameter::Form::Borrow;
  if (type.is(TypeKind::Borrow)) return made;
  if (type.extent.kind == Extent::Kind::Literal) {
    made.length = std::to_string(type.extent.literal);
    return made;
  }
  const bool is_parameter =
      local.extent != nullptr && std::ranges::find(function.parameters, local.extent) != function.parameters.end();
  if (!is_parameter) {
    why = "the length of " + made.name + " is no parameter";
    return std::nullopt;
  }
  made.length = member_name(names.text(local.extent->name));
  return made;
}

}  // namespace

bool CLibrary::on_device() const { return std::ranges::any_of(entries, &CEntry::on_device); }

CLibrary c_library(const Compilation& compilation, std::string_view name,
                   const std::vector<const checked::Function*>& exported) {
  CLibrary library;
  library.name = identifier(name);
  Types types(compilation.names);
  std::string interface;
  for (const checked::Function* function : exported) {
    CEntry entry;
    entry.function = function->name;
    entry.symbol = identifier(function->name);
    entry.signature = "fn " + entry.function + "(";
    std::string why;
    for (const checked::Local* local : function->parameters) {
      entry.signature += (entry.signature.ends_with('(') ? "" : ", ") +
                         std::string(compilation.names.text(local->name)) + ":" + shown(*local->type);
      if (!why.empty()) continue;
      auto made = parameter(*local, *function, compilation.names, types, why);
      if (made) entry.parameters.push_back(std::move(*made));
    }
    entry.signature += ")";
    if (!function->result->is(TypeKind::Void)) {
      entry.signature += " -> " + shown(*function->result);
      if (why.empty()) entry.result = types.of(*function->result, why);
    }
    if (!why.empty()) {
      library.excluded.push_back(entry.function + ": " + why);
      continue;
    }
    for (const std::string& label : checked::texts(*function->row, *function, compilation.names)) {
      entry.effects += (entry.effects.empty() ? "" : ", ") + label;
    }
    entry.on_device = has_device_work(*function->row);
    if (entry.on_device) entry.not_queued = reason_not_to_enqueue(*function, compilation.names);
    interface += entry.signature + " " + entry.effects + "\n";
    library.entries.push_back(std::move(entry));
  }
  library.structs = types.text();
  library.digest = sha256_hex(interface + library.structs).substr(0, 32);
  return library;
}

}  // namespace cairn
