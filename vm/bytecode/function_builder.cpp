// FunctionBuilder: registers, objects, labels, encoding.
#include <algorithm>
#include <bit>

#include "vm/bytecode/builder.hpp"

namespace cairn::bytecode {
namespace {

bool fits_32_bits(std::uint64_t bits) {
  return bits <= 0xffffffff || bits >= 0xffffffff80000000;  // unsigned, or signed
}

std::pair<std::uint32_t, std::uint32_t> free_key(const RegisterType& type) {
  return {static_cast<std::uint32_t>(type.kind) * 2 + (type.writable ? 1 : 0), type.type};
}

}  // namespace

FunctionBuilder::FunctionBuilder(ModuleBuilder& module, std::uint32_t function) : module_(module), function_(function) {
  const Function& self = module_.module().functions[function];
  const Signature& signature = module_.module().signatures[self.signature];
  for (const RegisterType& parameter : signature.parameters) {
    parameter_slots_.push_back(add_register(parameter).index);
  }
  if (self.environment != kNone) {
    parameter_slots_.push_back(add_register({RegisterKind::Ref, true, self.environment}).index);
  }
}

Register FunctionBuilder::parameter(std::size_t index) const { return {parameter_slots_[index]}; }
Register FunctionBuilder::environment() const { return {parameter_slots_.back()}; }

Register FunctionBuilder::add_register(RegisterType type, std::string name) {
  const Register reg{static_cast<std::uint32_t>(registers_.size())};
  registers_.push_back({type, std::move(name)});
  if (type.is_pair()) registers_.push_back({{RegisterKind::Second, false, kNone}, {}});
  return reg;
}

Register FunctionBuilder::temporary(RegisterType type) {
  std::vector<Register>& free = free_[free_key(type)];
  if (free.empty()) return add_register(type);
  const Register reg = free.back();
  free.pop_back();
  return reg;
}

void FunctionBuilder::release(Register temporary) {
  if (temporary.is_outgoing()) return;
  free_[free_key(registers_[temporary.index].type)].push_back(temporary);
}

RegisterType FunctionBuilder::type_of(Register reg) const { return registers_[reg.index].type; }
void FunctionBuilder::name(Register reg, std::string name) { registers_[reg.index].name = std::move(name); }

Register FunctionBuilder::outgoing(std::uint32_t k) {
  outgoing_count_ = std::max(outgoing_count_, k + 2);  // a result may be a pair
  return {Register::kOutgoing + k};
}

std::uint64_t FunctionBuilder::add_object(std::uint32_t type, std::string name) {
  const Type& of = module_.type(type);
  // Arrays start on 16 bytes, so that a wide access is unaligned only when its index is.
  const std::uint32_t align = std::max<std::uint32_t>(of.size >= 16 ? 16 : 8, of.align);
  memory_bytes_ = (memory_bytes_ + align - 1) / align * align;
  memory_align_ = std::max(memory_align_, align);
  const std::uint64_t offset = memory_bytes_;
  // An object without bytes still has a place of its own.
  memory_bytes_ += std::max<std::uint64_t>(of.size, 1);
  if (memory_bytes_ > kMaxMemoryBytes) {
    fail("its memory passes 2 GiB");
    memory_bytes_ = kMaxMemoryBytes + 1;
  }
  objects_.push_back({offset, type, std::move(name)});
  return offset;
}

Label FunctionBuilder::label() {
  labels_.push_back(kNone);
  return {static_cast<std::uint32_t>(labels_.size() - 1)};
}

void FunctionBuilder::bind(Label label) { labels_[label.index] = static_cast<std::uint32_t>(code_.size()); }
bool FunctionBuilder::is_bound(Label label) const { return labels_[label.index] != kNone; }

void FunctionBuilder::at(SourcePosition position) { current_ = position; }

void FunctionBuilder::note_position() {
  if (!positions_.empty() && positions_.back().position == current_) return;
  positions_.push_back({static_cast<std::uint32_t>(code_.size()), current_});
}

void FunctionBuilder::put_register(std::size_t word, unsigned shift, std::uint64_t index) {
  if (index >= Register::kOutgoing) {
    const auto slot = static_cast<std::uint32_t>(index - Register::kOutgoing);
    outgoing_count_ = std::max(outgoing_count_, slot + 2);
    outgoing_uses_.push_back({static_cast<std::uint32_t>(word), static_cast<std::uint8_t>(shift), slot});
    return;
  }
  code_[word] |= (index & 0xffff) << shift;
}

void FunctionBuilder::put_target(std::uint32_t instruction, std::size_t word, bool high, std::uint64_t label) {
  fixups_.push_back({instruction, static_cast<std::uint32_t>(word), high, static_cast<std::uint32_t>(label)});
}

void FunctionBuilder::emit(Op op, std::initializer_list<Argument> operands) {
  const OperationInfo& row = info(op);
  note_position();
  const auto start = static_cast<std::uint32_t>(code_.size());
  last_ = start;
  code_.push_back(static_cast<Word>(op));
  if (row.words == 2) code_.push_back(0);
  const std::size_t expected = row.operand_count - (row.has_list ? 1U : 0U);
  if (operands.size() != expected) return fail(std::string(row.text) + ": wrong number of operands");
  std::size_t i = 0;
  for (const Argument& argument : operands) {
    const Operand& operand = row.operands[i++];
    const auto kind = operand.is_register()           ? Argument::Kind::Register
                      : operand.type == Class::Target ? Argument::Kind::Label
                                                      : Argument::Kind::Immediate;
    if (argument.kind() != kind) return fail(std::string(row.text) + ": an operand of the wrong sort");
    if (kind == Argument::Kind::Label) {
      put_target(start, operand.place == Place::N ? start : start + 1, operand.place == Place::N, argument.bits());
      continue;
    }
    const std::uint64_t bits = argument.bits();
    const std::size_t word = start + (operand.place >= Place::D && operand.place != Place::N ? 1 : 0);
    const auto narrow = [&](unsigned shift) {
      if (operand.is_register()) return put_register(word, shift, bits);
      if (bits > 0xffff) return fail(std::string(row.text) + ": an immediate past 16 bits");
      code_[word] |= bits << shift;
    };
    switch (operand.place) {
      case Place::A:
        narrow(16);
        break;
      case Place::B:
        narrow(32);
        break;
      case Place::C:
        narrow(48);
        break;
      case Place::D:
        narrow(0);
        break;
      case Place::E:
        narrow(16);
        break;
      case Place::N:
      case Place::M:
        if (!fits_32_bits(bits)) return fail(std::string(row.text) + ": an immediate past 32 bits");
        code_[word] |= bits << 32;
        break;
      case Place::I:
        code_[word] = bits;
        break;
      case Place::T:
      case Place::List:
        break;
    }
  }
}

void FunctionBuilder::emit_switch(Register subject, const std::vector<Label>& targets) {
  const auto start = static_cast<std::uint32_t>(code_.size());
  emit(Op::Switch, subject, static_cast<std::uint64_t>(targets.size()));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (i % 2 == 0) code_.push_back(0);
    put_target(start, code_.size() - 1, i % 2 == 1, targets[i].index);
  }
}

void FunctionBuilder::emit_items(const std::vector<PrintItem>& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i % 2 == 0) code_.push_back(0);
    const unsigned shift = i % 2 == 0 ? 0 : 32;
    code_.back() |= static_cast<Word>(items[i].as) << shift;
    put_register(code_.size() - 1, shift + 16, items[i].value.index);
  }
}

void FunctionBuilder::emit_print(bool to_error, bool newline, const std::vector<PrintItem>& items) {
  emit(Op::Print, (to_error ? 1 : 0) + (newline ? 2 : 0), static_cast<std::uint64_t>(items.size()));
  emit_items(items);
}

void FunctionBuilder::emit_format(Register target, std::uint32_t buffer_offset, std::uint32_t length_offset,
                                  const std::vector<PrintItem>& items) {
  emit(Op::Format, target, static_cast<std::uint64_t>(items.size()), buffer_offset, length_offset);
  emit_items(items);
}

void FunctionBuilder::constant_at_entry(Register to, std::uint64_t bits) {
  entry_code_.push_back(static_cast<Word>(Op::Const) | static_cast<Word>(to.index & 0xffff) << 16);
  entry_code_.push_back(bits);
}
void FunctionBuilder::emit_spawn(Op op, Register handle, Register window, std::uint32_t function,
                                 const std::vector<std::uint32_t>& copied) {
  emit(op, handle, window, static_cast<std::uint64_t>(copied.size()), function);
  for (std::size_t i = 0; i < copied.size(); ++i) {
    if (i % 2 == 0) code_.push_back(0);
    code_.back() |= Word{copied[i]} << (i % 2 == 0 ? 0 : 32);
  }
}

void FunctionBuilder::move(Register to, Register from) {
  if (to == from) return;
  const RegisterType type = to.is_outgoing() ? type_of(from) : type_of(to);
  emit(type.is_pair() ? Op::MovePair : Op::Move, to, from);
}

void FunctionBuilder::fail(std::string why) {
  if (failed_.empty()) failed_ = std::move(why);
}

void FunctionBuilder::put_entry_code_first() {
  if (entry_code_.empty()) return;
  const auto shift = static_cast<std::uint32_t>(entry_code_.size());
  for (Fixup& fixup : fixups_) {
    fixup.instruction += shift;
    fixup.word += shift;
  }
  for (OutgoingUse& use : outgoing_uses_) use.word += shift;
  for (std::uint32_t& label : labels_) {
    if (label != kNone) label += shift;
  }
  for (std::uint32_t& word : proved_) word += shift;
  // The first entry keeps word 0, so that the constants share its position.
  for (PositionEntry& entry : positions_) {
    if (entry.word != 0) entry.word += shift;
  }
  code_.insert(code_.begin(), entry_code_.begin(), entry_code_.end());
  entry_code_.clear();
}

void FunctionBuilder::finish() {
  put_entry_code_first();
  const auto registers = static_cast<std::uint32_t>(registers_.size());
  const std::uint64_t slots = std::uint64_t{registers} + kLinkSlots + outgoing_count_;
  if (slots > kMaxSlots) fail("it needs more than 65535 slots");
  for (const OutgoingUse& use : outgoing_uses_) {
    const Word index = (registers + kLinkSlots + use.slot) & 0xffff;
    code_[use.word] |= index << use.shift;
  }
  for (const Fixup& fixup : fixups_) {
    const std::uint32_t target = labels_[fixup.label];
    if (target == kNone) {
      fail("a label is used but never bound");
      continue;
    }
    const std::uint32_t relative = target - fixup.instruction;  // modulo 2^32, read as signed
    code_[fixup.word] |= static_cast<Word>(relative) << (fixup.high ? 32 : 0);
  }
  Function& function = module_.module().functions[function_];
  function.registers = std::move(registers_);
  function.slots = static_cast<std::uint32_t>(slots);
  function.memory_bytes = memory_bytes_;
  function.memory_align = memory_align_;
  function.objects = std::move(objects_);
  function.code = std::move(code_);
  function.positions = std::move(positions_);
  function.proved = std::move(proved_);
}

}  // namespace cairn::bytecode
