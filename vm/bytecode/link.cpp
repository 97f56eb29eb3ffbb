#include "vm/bytecode/link.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

namespace cairn::bytecode {

namespace {

std::uint32_t moved(std::uint32_t index, std::uint32_t by) { return index == kNone ? kNone : index + by; }

/// What types, signatures and traits are, spelled out: two of one spelling are one. A function value is called as what
/// its signature's index says, so equal signatures of two modules must be one.
class Spelling {
 public:
  explicit Spelling(const Module& module) : module_(module) {}

  std::string type(std::uint32_t index) {
    if (index == kNone) return "-";
    const Type& each = module_.types[index];
    if (const std::string back = begin('t', index); !back.empty()) return back;
    std::string text = "(" +
                       numbers({static_cast<std::uint64_t>(each.kind), static_cast<std::uint64_t>(each.scalar),
                                each.writable, each.overlapping, each.environment, each.align, each.size, each.count}) +
                       each.name + " " + element(each);
    for (const Field& field : each.fields) text += " " + field.name + numbers({field.offset}) + type(field.type);
    for (const Variant& variant : each.variants) {
      text += " " + variant.name + numbers({variant.offset}) + type(variant.payload);
    }
    open_.pop_back();
    return text + ")";
  }

  std::string signature(std::uint32_t index) {
    if (index == kNone) return "-";
    if (const std::string back = begin('s', index); !back.empty()) return back;
    const Signature& each = module_.signatures[index];
    std::string text = "<" + numbers({each.result_reference}) + reg(each.result);
    for (const RegisterType& parameter : each.parameters) text += reg(parameter);
    open_.pop_back();
    return text + ">";
  }

  std::string trait(std::uint32_t index) {
    if (index == kNone) return "-";
    if (const std::string back = begin('r', index); !back.empty()) return back;
    const Trait& each = module_.traits[index];
    std::string text = "{" + each.name;
    for (const TraitMember& member : each.members) {
      text += " " + member.name + numbers({member.receiver}) + signature(member.signature);
    }
    open_.pop_back();
    return text + "}";
  }

 private:
  static std::string numbers(std::initializer_list<std::uint64_t> all) {
    std::string text;
    for (const std::uint64_t each : all) text += std::to_string(each) + ",";
    return text;
  }

  /// How far up one stands that is being spelled already; else it is from now on.
  std::string begin(char table, std::uint32_t index) {
    const std::pair<char, std::uint32_t> each{table, index};
    const auto found = std::ranges::find(open_, each);
    if (found != open_.end()) return "^" + std::to_string(open_.end() - found);
    open_.push_back(each);
    return {};
  }

  std::string element(const Type& each) {
    switch (each.kind) {
      case TypeKind::Function:
      case TypeKind::Callable:
      case TypeKind::Handle:
        return signature(each.element);
      case TypeKind::Dyn:
      case TypeKind::DynReference:
        return trait(each.element);
      default:
        return type(each.element);
    }
  }

  std::string reg(const RegisterType& each) {
    const std::string text = numbers({static_cast<std::uint64_t>(each.kind), each.writable});
    switch (each.kind) {
      case RegisterKind::Function:
      case RegisterKind::Callable:
      case RegisterKind::Ticket:
      case RegisterKind::Group:
        return text + signature(each.type);
      case RegisterKind::Dyn:
      case RegisterKind::DynRef:
        return text + trait(each.type);
      default:
        return text + type(each.type);
    }
  }

  const Module& module_;
  std::vector<std::pair<char, std::uint32_t>> open_;
};

/// Where the indices of a module go.
struct Shift {
  std::uint32_t files = 0;
  std::uint32_t texts = 0;
  std::uint32_t tables = 0;
  std::uint32_t natives = 0;
  std::uint32_t foreigns = 0;
  std::uint32_t functions = 0;
  std::vector<std::uint32_t> types;
  std::vector<std::uint32_t> signatures;
  std::vector<std::uint32_t> traits;
};

std::uint32_t moved(std::uint32_t index, const std::vector<std::uint32_t>& to) {
  return index == kNone ? kNone : to[index];
}

/// The numbers of one table of `more` in the joined module: those of what is the same in `base`, else the next ones.
template <class Spell>
std::vector<std::uint32_t> unified(std::size_t base_count, std::size_t more_count, const Spell& spell) {
  std::unordered_map<std::string, std::uint32_t> known;
  for (std::uint32_t k = 0; k < base_count; ++k) known.emplace(spell(true, k), k);
  auto next = static_cast<std::uint32_t>(base_count);
  std::vector<std::uint32_t> to;
  for (std::uint32_t k = 0; k < more_count; ++k) {
    const auto [at, is_new] = known.emplace(spell(false, k), next);
    to.push_back(at->second);
    if (is_new) ++next;
  }
  return to;
}

/// Where an operand of this class goes; nothing for all that are no indices of tables.
std::optional<std::uint32_t> moved(Class type, std::uint32_t index, const Shift& to) {
  switch (type) {
    case Class::FunctionIndex:
      return index + to.functions;
    case Class::TextIndex:
      return index + to.texts;
    case Class::TypeIndex:
      return moved(index, to.types);
    case Class::TableIndex:
      return index + to.tables;
    case Class::NativeIndex:
      return index + to.natives;
    case Class::ForeignIndex:
      return index + to.foreigns;
    case Class::SignatureIndex:
      return moved(index, to.signatures);
    default:
      return std::nullopt;
  }
}

/// Indices of tables stand in places n and m: the upper half of a word.
void relocate(Word* code, const Shift& by) {
  for (const Operand& operand : info(op_of(code[0])).all()) {
    const auto old = static_cast<std::uint32_t>(operand_bits(code, operand.place));
    const auto index = old == kNone ? std::nullopt : moved(operand.type, old, by);
    if (!index) continue;
    Word& word = code[operand.place == Place::N ? 0 : 1];
    word = (word & 0xffffffffU) | (Word{*index} << 32U);
  }
}

/// What `type` indexes depends on the kind of the register.
void relocate(RegisterType& type, const Shift& by) {
  switch (type.kind) {
    case RegisterKind::Function:
    case RegisterKind::Callable:
    case RegisterKind::Ticket:
    case RegisterKind::Group:
      type.type = moved(type.type, by.signatures);
      break;
    case RegisterKind::Dyn:
    case RegisterKind::DynRef:
      type.type = moved(type.type, by.traits);
      break;
    default:
      type.type = moved(type.type, by.types);
      break;
  }
}

void relocate(Function& function, const Shift& by) {
  function.signature = moved(function.signature, by.signatures);
  function.environment = moved(function.environment, by.types);
  function.parent = moved(function.parent, by.functions);
  function.kernel.finish = moved(function.kernel.finish, by.functions);
  function.position.file = moved(function.position.file, by.files);
  for (PositionEntry& entry : function.positions) entry.position.file = moved(entry.position.file, by.files);
  for (MemoryObject& object : function.objects) object.type = moved(object.type, by.types);
  for (RegisterInfo& info : function.registers) relocate(info.type, by);
  for (std::size_t at = 0; at < function.code.size(); at += instruction_words(&function.code[at])) {
    relocate(&function.code[at], by);
  }
}

void relocate(Signature& signature, const Shift& by) {
  for (RegisterType& parameter : signature.parameters) relocate(parameter, by);
  relocate(signature.result, by);
}

/// What `element` indexes depends on the kind of the type.
void relocate(Type& type, const Shift& by) {
  switch (type.kind) {
    case TypeKind::Function:
    case TypeKind::Callable:
    case TypeKind::Handle:
      type.element = moved(type.element, by.signatures);
      break;
    case TypeKind::Dyn:
    case TypeKind::DynReference:
      type.element = moved(type.element, by.traits);
      break;
    default:
      type.element = moved(type.element, by.types);
      break;
  }
  for (Field& field : type.fields) field.type = moved(field.type, by.types);
  for (Variant& variant : type.variants) variant.payload = moved(variant.payload, by.types);
}

template <class T>
std::uint32_t size_of(const std::vector<T>& table) {
  return static_cast<std::uint32_t>(table.size());
}

template <class T>
void take(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// Takes what has a number of its own.
template <class T>
void take_new(std::vector<T>& to, std::vector<T>& from, const std::vector<std::uint32_t>& number) {
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (number[k] == to.size()) to.push_back(std::move(from[k]));
  }
}

}  // namespace

std::uint32_t append(Module& base, Module more) {
  Spelling old(base);
  Spelling fresh(more);
  Shift by;
  by.files = size_of(base.files);
  by.texts = size_of(base.texts);
  by.tables = size_of(base.tables);
  by.natives = size_of(base.natives);
  by.foreigns = size_of(base.foreigns);
  by.functions = size_of(base.functions);
  by.types = unified(base.types.size(), more.types.size(),
                     [&](bool of_base, std::uint32_t k) { return (of_base ? old : fresh).type(k); });
  by.signatures = unified(base.signatures.size(), more.signatures.size(),
                          [&](bool of_base, std::uint32_t k) { return (of_base ? old : fresh).signature(k); });
  by.traits = unified(base.traits.size(), more.traits.size(),
                      [&](bool of_base, std::uint32_t k) { return (of_base ? old : fresh).trait(k); });
  for (Type& type : more.types) relocate(type, by);
  for (Signature& signature : more.signatures) relocate(signature, by);
  for (Trait& trait : more.traits) {
    for (TraitMember& member : trait.members) member.signature = moved(member.signature, by.signatures);
  }
  for (DispatchTable& table : more.tables) {
    table.trait = moved(table.trait, by.traits);
    table.type = moved(table.type, by.types);
    for (std::uint32_t& function : table.functions) function = moved(function, by.functions);
  }
  for (Native& native : more.natives) native.signature = moved(native.signature, by.signatures);
  for (Foreign& foreign : more.foreigns) {
    foreign.signature = moved(foreign.signature, by.signatures);
    foreign.position.file = moved(foreign.position.file, by.files);
  }
  for (Function& function : more.functions) relocate(function, by);
  take(base.files, more.files);
  take(base.texts, more.texts);
  take_new(base.types, more.types, by.types);
  take_new(base.signatures, more.signatures, by.signatures);
  take_new(base.traits, more.traits, by.traits);
  take(base.tables, more.tables);
  take(base.natives, more.natives);
  take(base.foreigns, more.foreigns);
  take(base.functions, more.functions);
  if (base.emulated_for.empty()) base.emulated_for = std::move(more.emulated_for);
  if (base.built_for.empty()) base.built_for = std::move(more.built_for);
  return by.functions;
}

}  // namespace cairn::bytecode
