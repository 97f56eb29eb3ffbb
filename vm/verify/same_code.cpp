#include "vm/verify/same_code.hpp"

#include <algorithm>

namespace cairn::verify {

using bytecode::Class;
using bytecode::kNone;
using bytecode::RegisterKind;
using bytecode::TypeKind;
using bytecode::Word;

bool SameCode::types(std::uint32_t left, std::uint32_t right) {
  if (left == kNone || right == kNone) return left == right;
  if (!types_.insert({left, right}).second) return true;
  const bytecode::Type& a = left_.types[left];
  const bytecode::Type& b = right_.types[right];
  if (a.kind != b.kind || a.scalar != b.scalar || a.writable != b.writable || a.overlapping != b.overlapping ||
      a.environment != b.environment || a.align != b.align || a.size != b.size || a.count != b.count) {
    return false;
  }
  // Environments are named after the function they belong to.
  if (!a.environment && a.name != b.name) return false;
  const bool by_signature = a.kind == TypeKind::Function || a.kind == TypeKind::Callable || a.kind == TypeKind::Handle;
  const bool by_trait = a.kind == TypeKind::Dyn || a.kind == TypeKind::DynReference;
  if (by_signature ? !signatures(a.element, b.element)
      : by_trait   ? left_.traits[a.element].name != right_.traits[b.element].name
                   : !types(a.element, b.element)) {
    return false;
  }
  return std::ranges::equal(a.fields, b.fields,
                            [&](const auto& x, const auto& y) {
                              return x.offset == y.offset && (a.environment || x.name == y.name) &&
                                     types(x.type, y.type);
                            }) &&
         std::ranges::equal(a.variants, b.variants, [&](const auto& x, const auto& y) {
           return x.offset == y.offset && x.name == y.name && types(x.payload, y.payload);
         });
}

bool SameCode::registers(const bytecode::RegisterType& left, const bytecode::RegisterType& right) {
  if (left.kind != right.kind || left.writable != right.writable) return false;
  switch (left.kind) {
    case RegisterKind::Function:
    case RegisterKind::Ticket:
    case RegisterKind::Group:
    case RegisterKind::Callable:
      return signatures(left.type, right.type);
    case RegisterKind::Dyn:
    case RegisterKind::DynRef:
      return left_.traits[left.type].name == right_.traits[right.type].name;
    default:
      return types(left.type, right.type);
  }
}

bool SameCode::signatures(std::uint32_t left, std::uint32_t right) {
  if (left == kNone || right == kNone) return left == right;
  if (!signatures_.insert({left, right}).second) return true;
  const bytecode::Signature& a = left_.signatures[left];
  const bytecode::Signature& b = right_.signatures[right];
  return a.result_reference == b.result_reference && registers(a.result, b.result) &&
         std::ranges::equal(a.parameters, b.parameters, [&](const auto& x, const auto& y) { return registers(x, y); });
}

bool SameCode::tables(std::uint32_t left, std::uint32_t right) {
  if (left == kNone || right == kNone) return left == right;
  const bytecode::DispatchTable& a = left_.tables[left];
  const bytecode::DispatchTable& b = right_.tables[right];
  return left_.traits[a.trait].name == right_.traits[b.trait].name && types(a.type, b.type) &&
         std::ranges::equal(a.functions, b.functions, [&](auto x, auto y) { return functions(x, y); });
}

bool SameCode::functions(std::uint32_t left, std::uint32_t right) {
  if (left == kNone || right == kNone) return left == right;
  if (!functions_.insert({left, right}).second) return true;
  const bytecode::Function& a = left_.functions[left];
  const bytecode::Function& b = right_.functions[right];
  const auto& k = a.kernel;
  const auto& l = b.kernel;
  if (k.threads != l.threads || k.shared_bytes != l.shared_bytes || k.arrays.size() != l.arrays.size() ||
      k.pipelines.size() != l.pipelines.size() || !functions(k.finish, l.finish)) {
    return false;
  }
  return a.kind == b.kind && a.slots == b.slots && a.memory_bytes == b.memory_bytes &&
         signatures(a.signature, b.signature) && types(a.environment, b.environment) &&
         std::ranges::equal(a.registers, b.registers,
                            [&](const auto& x, const auto& y) { return registers(x.type, y.type); }) &&
         std::ranges::equal(
             a.objects, b.objects,
             [&](const auto& x, const auto& y) { return x.offset == y.offset && types(x.type, y.type); }) &&
         code(a, b);
}

bool SameCode::code(const bytecode::Function& left, const bytecode::Function& right) {
  if (left.code.size() != right.code.size()) return false;
  for (std::size_t at = 0; at < left.code.size(); at += bytecode::instruction_words(&left.code[at])) {
    const Word* a = &left.code[at];
    const Word* b = &right.code[at];
    const std::uint32_t words = bytecode::instruction_words(a);
    if (bytecode::op_of(*a) != bytecode::op_of(*b) || words != bytecode::instruction_words(b) || !operands(a, b))
      return false;
    // What a list holds are slots, kinds and targets: the same bits on both sides.
    const std::uint32_t fixed = bytecode::info(bytecode::op_of(*a)).words;
    if (!std::equal(a + fixed, a + words, b + fixed)) return false;
  }
  return true;
}

bool SameCode::operands(const Word* left, const Word* right) {
  for (const bytecode::Operand& operand : bytecode::info(bytecode::op_of(*left)).all()) {
    if (operand.type == Class::List) continue;
    const std::uint64_t a = bytecode::operand_bits(left, operand.place);
    const std::uint64_t b = bytecode::operand_bits(right, operand.place);
    const auto index = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); };
    bool same = a == b;
    switch (operand.type) {
      case Class::FunctionIndex:
        same = functions(index(a), index(b));
        break;
      case Class::TextIndex:
        same = index(a) == kNone || index(b) == kNone ? a == b : left_.texts[a] == right_.texts[b];
        break;
      case Class::TypeIndex:
        same = types(index(a), index(b));
        break;
      case Class::TableIndex:
        same = tables(index(a), index(b));
        break;
      case Class::NativeIndex:
        same = left_.natives[a].name == right_.natives[b].name;
        break;
      case Class::ForeignIndex:
        same = left_.foreigns[a].symbol == right_.foreigns[b].symbol &&
               signatures(left_.foreigns[a].signature, right_.foreigns[b].signature);
        break;
      case Class::SignatureIndex:
        same = signatures(index(a), index(b));
        break;
      default:
        break;
    }
    if (!same) return false;
  }
  return true;
}

}  // namespace cairn::verify
