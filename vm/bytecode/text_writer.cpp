#include <algorithm>
#include <bit>
#include <cstdio>

#include "vm/bytecode/text.hpp"
#include "vm/bytecode/text_names.hpp"

namespace cairn::bytecode {
namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }
std::string index_text(std::uint32_t index) { return index == kNone ? "none" : number(index); }

std::string quoted(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
      char hex[5];
      std::snprintf(hex, sizeof(hex), "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      text += hex;
    } else {
      text += c;
    }
  }
  return text + "\"";
}

/// Text for a comment: names are the program's, and a comment ends with its line.
std::string remark(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = '?';
  }
  return "  # " + text;
}

std::string position_text(const SourcePosition& position) {
  if (position.file == kNone) return "none";
  return number(position.file) + ":" + number(position.line) + ":" + number(position.column);
}

std::string register_text(const RegisterType& type) {
  std::string text(kRegisterNames[static_cast<std::size_t>(type.kind)]);
  if (type.writable) text += " mut";
  if (!type.is_scalar() && type.kind != RegisterKind::None) text += " " + index_text(type.type);
  return text;
}

class Writer {
 public:
  explicit Writer(const Module& module) : module_(module) {}

  std::string module() {
    line("module " + quoted(module_.name));
    each("file", module_.files, [](const std::string& path) { return quoted(path); });
    each("text", module_.texts, [](const std::string& bytes) { return quoted(bytes); });
    each("type", module_.types, [&](const Type& type) { return type_text(type); });
    each("signature", module_.signatures, [&](const Signature& s) { return signature_row(s); });
    each("trait", module_.traits, [&](const Trait& trait) { return trait_text(trait); });
    each("table", module_.tables, [&](const DispatchTable& table) { return table_text(table); });
    each("native", module_.natives, [](const Native& n) { return quoted(n.name) + " " + number(n.signature); });
    each("foreign", module_.foreigns, [](const Foreign& f) {
      return quoted(f.name) + " symbol " + quoted(f.symbol) + " " + number(f.signature) + " passing " +
             quoted(f.passing) + (f.launched ? " launched at " : " at ") + position_text(f.position);
    });
    if (module_.entry != kNone) line("entry " + number(module_.entry));
    for (const std::uint32_t test : module_.tests) line("test " + number(test));
    if (!module_.emulated_for.empty()) line("emulated " + quoted(module_.emulated_for));
    if (!module_.built_for.empty()) line("device " + quoted(module_.built_for));
    for (std::uint32_t i = 0; i < module_.functions.size(); ++i) function(i);
    return std::move(text_);
  }

  std::string one(std::uint32_t index) {
    function(index);
    return std::move(text_);
  }

 private:
  void line(std::string_view text) {
    text_ += text;
    text_ += '\n';
  }

  template <class Rows, class Show>
  void each(std::string_view word, const Rows& rows, Show show) {
    for (std::size_t i = 0; i < rows.size(); ++i) line(std::string(word) + " " + number(i) + " " + show(rows[i]));
  }

  static std::string sized(const Type& type) { return " size " + number(type.size) + " align " + number(type.align); }

  std::string type_text(const Type& type) const {
    const auto parts = [](const auto& list, auto show) {
      std::string text = " (";
      for (std::size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ", ") + show(list[i]);
      return text + ")";
    };
    switch (type.kind) {
      case TypeKind::Scalar:
        return std::string(scalar_name(type.scalar));
      case TypeKind::Record:
        return std::string(type.environment ? "environment " : "record ") + quoted(type.name) + sized(type) +
               parts(type.fields, [](const Field& field) {
                 return quoted(field.name) + " " + number(field.type) + " @" + number(field.offset);
               });
      case TypeKind::Sum:
        return "sum " + quoted(type.name) + (type.overlapping ? " overlapping" : "") + sized(type) +
               parts(type.variants, [](const Variant& variant) {
                 if (variant.payload == kNone) return quoted(variant.name);
                 return quoted(variant.name) + " " + number(variant.payload) + " @" + number(variant.offset);
               });
      case TypeKind::Array:
        return "array " + number(type.element) + " x " + number(type.count);
      case TypeKind::Mutex:
        return "mutex " + number(type.element) + sized(type);
      case TypeKind::Handle: {
        const RegisterType handle{static_cast<RegisterKind>(type.count), false, type.element};
        return register_text(handle);
      }
      default: {
        std::string text(kWordTypeNames[static_cast<std::size_t>(type.kind) - static_cast<std::size_t>(TypeKind::Buf)]);
        return text + (type.writable ? " mut " : " ") + number(type.element);
      }
    }
  }

  static std::string signature_row(const Signature& signature) {
    std::string text = "(";
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
      text += (i == 0 ? "" : ", ") + register_text(signature.parameters[i]);
    }
    text += ")";
    if (signature.result_reference) text += " through";
    if (signature.result.kind != RegisterKind::None) text += " -> " + register_text(signature.result);
    return text;
  }

  static std::string trait_text(const Trait& trait) {
    std::string text = quoted(trait.name) + " (";
    for (std::size_t i = 0; i < trait.members.size(); ++i) {
      const TraitMember& member = trait.members[i];
      text += (i == 0 ? "" : ", ") + quoted(member.name) + " " + number(member.signature) + " receiver " +
              number(member.receiver);
    }
    return text + ")";
  }

  static std::string table_text(const DispatchTable& table) {
    std::string text = "trait " + number(table.trait) + " type " + number(table.type) + " (";
    for (std::size_t i = 0; i < table.functions.size(); ++i) text += (i == 0 ? "" : ", ") + number(table.functions[i]);
    return text + ")";
  }

  void function(std::uint32_t index) {
    const Function& self = module_.functions[index];
    line("function " + number(index) + " " + quoted(self.name) + " signature " + number(self.signature) + " kind " +
         std::string(kFunctionKindNames[static_cast<std::size_t>(self.kind)]) + " environment " +
         index_text(self.environment) + " parent " + index_text(self.parent) + " at " + position_text(self.position) +
         " slots " + number(self.slots) + " memory " + number(self.memory_bytes) + " align " +
         number(self.memory_align) + remark(signature_text(module_, module_.signatures[self.signature])));
    if (self.kind == FunctionKind::Kernel) kernel(self.kernel);
    for (std::size_t i = 0; i < self.registers.size(); ++i) {
      const RegisterInfo& reg = self.registers[i];
      if (reg.type.kind == RegisterKind::Second) continue;
      line("  r" + number(i) + " " + register_text(reg.type) + (reg.name.empty() ? "" : " " + quoted(reg.name)));
    }
    for (const MemoryObject& object : self.objects) {
      line("  @" + number(object.offset) + " " + number(object.type) +
           (object.name.empty() ? "" : " " + quoted(object.name)) + remark(type_name(module_, object.type)));
    }
    code(self);
    line("end");
  }

  void kernel(const KernelInfo& kernel) {
    line("  kernel threads " + number(kernel.threads) + " shared " + number(kernel.shared_bytes) + " finish " +
         index_text(kernel.finish));
    for (const SharedArray& array : kernel.arrays) {
      line("  shared @" + number(array.offset) + " " + std::string(scalar_name(array.element)) + " x " +
           number(array.count) + (array.zeroed ? " zeroed " : " ") + quoted(array.name));
    }
    for (const Pipeline& pipeline : kernel.pipelines) {
      line("  pipeline @" + number(pipeline.offset) + " " + std::string(scalar_name(pipeline.element)) + " x " +
           number(pipeline.size) + " depth " + number(pipeline.depth));
    }
  }

  /// Labels are numbered by where they stand.
  void code(const Function& self) {
    const std::vector<Word>& code = self.code;
    std::vector<std::uint32_t> label(code.size() + 1, kNone);
    const auto mark = [&](std::uint64_t word) {
      if (word < label.size()) label[word] = 0;
    };
    walk(self, [&](std::uint32_t at) {
      const Word* instruction = code.data() + at;
      if (op_of(instruction[0]) == Op::Switch) {
        for (std::uint32_t k = 0; k < n_of(instruction[0]); ++k) mark(at + list_item(instruction, k));
      }
      for (const Operand& operand : info(op_of(instruction[0])).all()) {
        if (operand.type == Class::Target)
          mark(at + static_cast<std::uint32_t>(operand_bits(instruction, operand.place)));
      }
    });
    std::uint32_t labels = 0;
    for (std::uint32_t& number : label) {
      if (number != kNone) number = labels++;
    }
    auto position = self.positions.begin();
    walk(self, [&](std::uint32_t at) {
      if (label[at] != kNone) line("  L" + number(label[at]) + ":");
      std::string text = "  : " + instruction(self, at, label);
      if (position != self.positions.end() && position->word == at) {
        text += " at " + position_text(position->position);
        ++position;
      }
      line(text + comment(self, at));
    });
  }

  /// Calls `visit` at every instruction; stops where the code does not decode.
  template <class Visit>
  static void walk(const Function& self, Visit visit) {
    for (std::uint32_t at = 0; at < self.code.size();) {
      if ((self.code[at] & 0xffff) >= kOperationCount) return;
      if (info(op_of(self.code[at])).words > self.code.size() - at) return;
      const std::uint32_t words = instruction_words(self.code.data() + at);
      if (words > self.code.size() - at) return;
      visit(at);
      at += words;
    }
  }

  static std::uint32_t list_item(const Word* instruction, std::uint32_t k) {
    const std::uint32_t first = info(op_of(instruction[0])).words;
    return static_cast<std::uint32_t>(instruction[first + k / 2] >> (k % 2 * 32));
  }

  static std::string slot_text(const Function& self, std::uint64_t slot) {
    const std::uint64_t first = self.registers.size() + kLinkSlots;
    return slot < first ? "r" + number(slot) : "o" + number(slot - first);
  }

  static std::string label_text(const std::vector<std::uint32_t>& label, std::uint32_t at) {
    return "L" + (at < label.size() ? number(label[at]) : "?");
  }

  static std::string instruction(const Function& self, std::uint32_t at, const std::vector<std::uint32_t>& label) {
    const Word* code = self.code.data() + at;
    const OperationInfo& row = info(op_of(code[0]));
    std::string text(row.text);
    for (const Operand& operand : row.all()) {
      text += " ";
      const std::uint64_t bits = operand_bits(code, operand.place);
      if (operand.type == Class::List) {
        text += list_text(self, at, label);
      } else if (operand.is_register()) {
        text += slot_text(self, bits);
      } else if (operand.type == Class::Target) {
        text += label_text(label, at + static_cast<std::uint32_t>(bits));
      } else {
        text += immediate_text(self, code, operand, bits);
      }
    }
    return text;
  }

  static std::string immediate_text(const Function& self, const Word* code, const Operand& operand,
                                    std::uint64_t bits) {
    RegisterKind kind = RegisterKind::U64;
    switch (operand.type) {
      case Class::TextIndex:
        return index_text(static_cast<std::uint32_t>(bits));
      case Class::TrapKindIndex:
        return bits <= static_cast<std::uint64_t>(TrapKind::Interrupt)
                   ? std::string(trap_kind_name(static_cast<TrapKind>(bits)))
                   : number(bits);
      case Class::SImm:
        return std::to_string(static_cast<std::int32_t>(bits));
      case Class::ImmI8:
      case Class::ImmI16:
      case Class::ImmI32:
      case Class::ImmI64:
        kind = RegisterKind::I64;
        break;
      case Class::ImmF32:
      case Class::ImmF64:
        kind = RegisterKind::F64;
        break;
      case Class::ImmA:
      case Class::ImmB: {
        const std::uint64_t slot = operand_bits(code, operand.type == Class::ImmA ? Place::A : Place::B);
        if (slot < self.registers.size()) kind = self.registers[slot].type.kind;
        break;
      }
      default:
        break;
    }
    if (kind == RegisterKind::F32 || kind == RegisterKind::F64) {
      char hex[24];
      std::snprintf(hex, sizeof(hex), "0x%llx", static_cast<unsigned long long>(bits));
      return hex;
    }
    if (kind >= RegisterKind::I8 && kind <= RegisterKind::I64) return std::to_string(static_cast<std::int64_t>(bits));
    return number(bits);
  }

  static std::string list_text(const Function& self, std::uint32_t at, const std::vector<std::uint32_t>& label) {
    const Word* code = self.code.data() + at;
    const Op op = op_of(code[0]);
    std::string text = "[";
    for (std::uint32_t k = 0; k < list_items(code); ++k) {
      const std::uint32_t item = list_item(code, k);
      if (k != 0) text += " ";
      if (op == Op::Switch) {
        text += label_text(label, at + item);
      } else if (op == Op::Print || op == Op::Format) {
        const std::uint32_t as = item & 0xffff;
        text += as < std::size(kPrintNames) ? std::string(kPrintNames[as]) : number(as);
        text += " " + slot_text(self, item >> 16);
      } else {
        text += number(item);
      }
    }
    return text + "]";
  }

  /// What a reader of the listing wants to know: guards, names behind indices, values of float patterns.
  std::string comment(const Function& self, std::uint32_t at) const {
    const Word* code = self.code.data() + at;
    const OperationInfo& row = info(op_of(code[0]));
    std::string text;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
    for (const Operand& operand : row.all()) {
      const std::uint64_t bits = operand_bits(code, operand.place);
      if (operand.type == Class::FunctionIndex && bits < module_.functions.size()) add(module_.functions[bits].name);
      if (operand.type == Class::NativeIndex && bits < module_.natives.size()) add(module_.natives[bits].name);
      if (operand.type == Class::ForeignIndex && bits < module_.foreigns.size()) add(module_.foreigns[bits].name);
      if (operand.type == Class::TypeIndex && bits < module_.types.size()) {
        add(type_name(module_, static_cast<std::uint32_t>(bits)));
      }
      if (operand.type == Class::TextIndex && bits < module_.texts.size())
        add(quoted(module_.texts[bits].substr(0, 32)));
      if (operand.type != Class::ImmA) continue;
      const std::uint64_t slot = operand_bits(code, Place::A);
      if (slot >= self.registers.size()) continue;
      char value[32];
      const RegisterKind kind = self.registers[slot].type.kind;
      if (kind == RegisterKind::F64) std::snprintf(value, sizeof(value), "%.17g", std::bit_cast<double>(bits));
      if (kind == RegisterKind::F32) {
        const auto single = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        std::snprintf(value, sizeof(value), "%.9g", static_cast<double>(single));
      }
      if (kind == RegisterKind::F32 || kind == RegisterKind::F64) add(value);
    }
    if (row.traps != 0 && row.traps != ~0ULL) {
      std::string kinds = "traps";
      for (std::uint64_t kind = 0; kind < 64; ++kind) {
        if ((row.traps >> kind & 1) != 0) kinds += " " + std::string(trap_kind_name(static_cast<TrapKind>(kind)));
      }
      add(kinds);
    }
    return text.empty() ? text : remark(text);
  }

  const Module& module_;
  std::string text_;
};

}  // namespace

std::string write_text(const Module& module) { return Writer(module).module(); }
std::string write_function_text(const Module& module, std::uint32_t function) { return Writer(module).one(function); }

std::string_view scalar_name(ScalarKind kind) { return kScalarNames[static_cast<std::size_t>(kind)]; }

namespace {

/// Names nest: a fn type's signature may name types whose own signatures name others. Past a depth nothing more is
/// said.
constexpr int kMaxNameDepth = 6;

/// How a record is told: by its name, or by what lies in it and where.
enum class Records : std::uint8_t { Named, Laid };

std::string signature_name(const Module& module, const Signature& signature, int depth, Records records);
std::string name_of_type(const Module& module, std::uint32_t index, int depth, Records records);

std::string laid_record(const Module& module, const Type& type, int depth) {
  std::string text;
  for (const Field& field : type.fields) {
    text += (text.empty() ? "{" : ", ") + name_of_type(module, field.type, depth + 1, Records::Laid) + "@" +
            number(field.offset);
  }
  return text + "}";
}

std::string name_of_type(const Module& module, std::uint32_t index, int depth, Records records) {
  if (index >= module.types.size() || depth > kMaxNameDepth) return "...";
  const Type& type = module.types[index];
  const auto element = [&] { return name_of_type(module, type.element, depth + 1, records); };
  switch (type.kind) {
    case TypeKind::Scalar:
      return std::string(scalar_name(type.scalar));
    case TypeKind::Record:
      if (records == Records::Laid) return laid_record(module, type, depth);
      return type.name;
    case TypeKind::Sum:
      return type.name;
    case TypeKind::Array:
      return "Array[" + element() + ", " + number(type.count) + "]";
    case TypeKind::Buf:
      return "Buf[" + element() + "]";
    case TypeKind::Mutex:
      return "Mutex[" + element() + "]";
    case TypeKind::Dyn:
      return "Dyn[" + module.traits[type.element].name + "]";
    case TypeKind::Function:
      return "fn" + signature_name(module, module.signatures[type.element], depth + 1, records);
    case TypeKind::Reference:
      return "ref " + element();
    case TypeKind::View:
      return "view " + element();
    case TypeKind::Callable:
      return "callable" + signature_name(module, module.signatures[type.element], depth + 1, records);
    case TypeKind::DynReference:
      return "dyn " + module.traits[type.element].name;
    case TypeKind::Handle:
      return std::string(kRegisterNames[type.count]);
  }
  return "...";
}

std::string register_name(const Module& module, const RegisterType& type, int depth, Records records) {
  std::string text(kRegisterNames[static_cast<std::size_t>(type.kind)]);
  if (type.writable) text += " mut";
  switch (type.kind) {
    case RegisterKind::Ref:
    case RegisterKind::View:
    case RegisterKind::Buf:
      return text + " " + name_of_type(module, type.type, depth, records);
    case RegisterKind::Dyn:
    case RegisterKind::DynRef:
      return text + " " + module.traits[type.type].name;
    case RegisterKind::Function:
    case RegisterKind::Callable:
      return text + signature_name(module, module.signatures[type.type], depth + 1, records);
    default:
      return text;
  }
}

std::string signature_name(const Module& module, const Signature& signature, int depth, Records records) {
  if (depth > kMaxNameDepth) return "(...)";
  std::string text = "(";
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    text += (i == 0 ? "" : ", ") + register_name(module, signature.parameters[i], depth, records);
  }
  text += ")";
  if (signature.result_reference) text += " through";
  if (signature.result.kind != RegisterKind::None)
    text += " -> " + register_name(module, signature.result, depth, records);
  return text;
}

}  // namespace

std::string type_name(const Module& module, std::uint32_t type) {
  return name_of_type(module, type, 0, Records::Named);
}
std::string signature_text(const Module& module, const Signature& signature) {
  return signature_name(module, signature, 0, Records::Named);
}
std::string native_signature_text(const Module& module, const Signature& signature) {
  return signature_name(module, signature, 0, Records::Laid);
}

}  // namespace cairn::bytecode
