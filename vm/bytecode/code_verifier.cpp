#include "vm/bytecode/code_verifier.hpp"

#include <algorithm>

#include "vm/bytecode/memory_parts.hpp"
#include "vm/bytecode/table_verifier.hpp"

namespace cairn::bytecode {
namespace {

/// Block states kept at once; a function whose flow needs more is refused.
constexpr std::uint64_t kMaxStateCells = 1ULL << 26;

bool is_tracked(RegisterKind kind) { return kind >= RegisterKind::Ref && kind < RegisterKind::Second; }

/// True when `bits` is a value of that scalar in slot form.
bool is_normalized(RegisterKind kind, std::uint64_t bits) {
  const auto value = static_cast<std::int64_t>(bits);
  switch (kind) {
    case RegisterKind::Bool:
      return bits <= 1;
    case RegisterKind::U8:
      return bits <= 0xff;
    case RegisterKind::U16:
      return bits <= 0xffff;
    case RegisterKind::U32:
    case RegisterKind::F32:
      return bits <= 0xffffffff;
    case RegisterKind::I8:
      return value >= -0x80 && value <= 0x7f;
    case RegisterKind::I16:
      return value >= -0x8000 && value <= 0x7fff;
    case RegisterKind::I32:
      return value >= -0x80000000LL && value <= 0x7fffffff;
    case RegisterKind::U64:
    case RegisterKind::I64:
    case RegisterKind::F64:
      return true;
    default:
      return false;
  }
}

bool jumps(Op op) { return op >= Op::Jump && op <= Op::JumpNotLeF64; }

}  // namespace

CodeVerifier::CodeVerifier(const Module& module, std::uint32_t function)
    : module_(module), index_(function), self_(module.functions[function]), code_(self_.code.data()) {
  pointer_index_.assign(self_.registers.size(), kNone);
  for (std::size_t i = 0; i < self_.registers.size(); ++i) {
    if (is_tracked(self_.registers[i].type.kind)) pointer_index_[i] = pointer_count_++;
  }
}

std::optional<Fault> CodeVerifier::run() {
  decode();
  if (!failed()) flow();
  return fault_;
}

void CodeVerifier::fail(std::string why) {
  if (!fault_) fault_ = Fault{index_, at_, std::move(why)};
}

// -------------------------------------------------------------------------------------------- decoding

void CodeVerifier::decode() {
  const auto size = static_cast<std::uint32_t>(self_.code.size());
  starts_.assign(size, false);
  bool falls_off = true;
  for (at_ = 0; at_ < size;) {
    starts_[at_] = true;
    if ((code_[at_] & 0xffff) >= kOperationCount) return fail("no operation");
    const OperationInfo& row = info(op_of(code_[at_]));
    if (row.words > size - at_ || instruction_words(code_ + at_) > size - at_) return fail("an instruction cut short");
    check_indices(at_, row);
    if (failed()) return;
    falls_off = !row.ends_block;
    at_ += instruction_words(code_ + at_);
  }
  if (falls_off) return fail("control falls off the end");
  block_at_.assign(size, kNone);
  const auto begins = [&](std::uint32_t word) {
    if (block_at_[word] != kNone) return;
    block_at_[word] = static_cast<std::uint32_t>(block_starts_.size());
    block_starts_.push_back(word);
  };
  begins(0);
  for (at_ = 0; at_ < size && !failed(); at_ += instruction_words(code_ + at_)) {
    if (!jumps(op_of(code_[at_]))) continue;
    check_targets(at_);
    if (failed()) return;
    for (const std::uint32_t target : targets_of(at_)) begins(target);
    const std::uint32_t next = at_ + instruction_words(code_ + at_);
    if (next < size) begins(next);
  }
}

std::vector<std::uint32_t> CodeVerifier::targets_of(std::uint32_t at) const {
  std::vector<std::uint32_t> targets;
  const Word* code = code_ + at;
  if (op_of(code[0]) == Op::Switch) {
    for (std::uint32_t k = 0; k < n_of(code[0]); ++k) {
      targets.push_back(at + static_cast<std::uint32_t>(code[1 + k / 2] >> (k % 2 * 32)));
    }
    return targets;
  }
  for (const Operand& operand : info(op_of(code[0])).all()) {
    if (operand.type == Class::Target) {
      targets.push_back(at + static_cast<std::uint32_t>(operand_bits(code, operand.place)));
    }
  }
  return targets;
}

void CodeVerifier::check_targets(std::uint32_t at) {
  for (const std::uint32_t target : targets_of(at)) {
    if (target >= starts_.size() || !starts_[target]) return fail("a jump into nowhere");
  }
}

void CodeVerifier::check_indices(std::uint32_t at, const OperationInfo& row) {
  for (const Operand& operand : row.all()) {
    const std::uint64_t bits = operand_bits(code_ + at, operand.place);
    switch (operand.type) {
      case Class::FunctionIndex:
        require(bits < module_.functions.size(), "no such function");
        break;
      case Class::TextIndex:
        require(bits < module_.texts.size() || (bits == kNone && op_of(code_[at]) != Op::Text), "no such text");
        break;
      case Class::TypeIndex:
        require(bits < module_.types.size(), "no such type");
        break;
      case Class::TableIndex:
        require(bits < module_.tables.size(), "no such table");
        break;
      case Class::NativeIndex:
        require(bits < module_.natives.size(), "no such native");
        break;
      case Class::ForeignIndex:
        require(bits < module_.foreigns.size(), "no such foreign function");
        break;
      case Class::SignatureIndex:
        require(bits < module_.signatures.size(), "no such signature");
        break;
      case Class::TrapKindIndex:
        require(bits != 0 && bits <= static_cast<std::uint64_t>(TrapKind::Interrupt), "no such trap");
        break;
      default:
        break;
    }
  }
}

// ------------------------------------------------------------------------------------------------ flow

void CodeVerifier::flow() {
  const std::size_t outgoing = self_.slots - self_.registers.size() - kLinkSlots;
  if (block_starts_.size() * (outgoing + pointer_count_ / 32 + 1) > kMaxStateCells) return fail("too large to judge");
  states_.resize(block_starts_.size());
  reached_.assign(block_starts_.size(), false);
  now_ = FlowState(pointer_count_, outgoing);
  std::uint32_t parameters = module_.signatures[self_.signature].parameter_slots();
  if (self_.environment != kNone) ++parameters;
  for (std::uint32_t i = 0; i < parameters; ++i) {
    if (pointer_index_[i] != kNone) now_.set_written(pointer_index_[i]);
  }
  reach(0);
  while (!work_.empty() && !failed()) {
    const std::uint32_t block = work_.back();
    work_.pop_back();
    flow_block(block_starts_[block]);
  }
}

void CodeVerifier::reach(std::uint32_t word) {
  const std::uint32_t block = block_at_[word];
  if (!reached_[block]) {
    reached_[block] = true;
    states_[block] = now_;
    work_.push_back(block);
  } else if (states_[block].meet(now_)) {
    work_.push_back(block);
  }
}

void CodeVerifier::flow_block(std::uint32_t start) {
  now_ = states_[block_at_[start]];
  for (at_ = start; !failed();) {
    op_ = op_of(code_[at_]);
    row_ = &info(op_);
    check_instruction();
    if (failed()) return;
    if (jumps(op_)) {
      for (const std::uint32_t target : targets_of(at_)) reach(target);
    }
    if (row_->ends_block) return;
    at_ += instruction_words(code_ + at_);
    if (block_at_[at_] != kNone) return reach(at_);
  }
}

// ----------------------------------------------------------------------------------------------- slots

RegisterType CodeVerifier::declared(std::uint64_t slot) const {
  return is_declared(slot) ? self_.registers[slot].type : RegisterType{};
}

FlowType CodeVerifier::slot_type(std::uint64_t slot) {
  const auto length_after = [&](const FlowType& first) -> FlowType {
    const bool counted = first.kind == FlowType::Kind::Typed &&
                         (first.type.kind == RegisterKind::View || first.type.kind == RegisterKind::Buf);
    if (!counted) fail("the second half of a pair that is no view");
    return {FlowType::Kind::Typed, {RegisterKind::U64, false, kNone}, 0};
  };
  if (slot >= self_.slots) {
    fail("a slot past the frame");
    return {};
  }
  if (is_declared(slot)) {
    const RegisterType type = self_.registers[slot].type;
    if (type.kind == RegisterKind::Second) return length_after(slot_type(slot - 1));
    if (pointer_index_[slot] != kNone && !now_.written(pointer_index_[slot]))
      fail("a pointer read before it is written");
    return {FlowType::Kind::Typed, type, 0};
  }
  const std::uint64_t first = self_.registers.size() + kLinkSlots;
  if (slot < first) {
    fail("a slot that belongs to calls");
    return {};
  }
  const FlowType& type = now_.outgoing(slot - first);
  if (type.kind == FlowType::Kind::Unknown) fail("an outgoing slot that holds nothing known");
  if (type.kind == FlowType::Kind::Typed && type.type.kind == RegisterKind::Second) {
    return length_after(now_.outgoing(slot - first - 1));
  }
  return type;
}

bool CodeVerifier::converts(const RegisterType& wanted, const FlowType& given) {
  switch (given.kind) {
    case FlowType::Kind::Typed: {
      if (given.type == wanted) return true;
      if (wanted.kind == RegisterKind::View && given.type.kind == RegisterKind::Buf)
        return wanted.type == given.type.type;
      const bool lends =
          wanted.kind == RegisterKind::Ref || wanted.kind == RegisterKind::View || wanted.kind == RegisterKind::DynRef;
      return lends && given.type.kind == wanted.kind && given.type.type == wanted.type && !wanted.writable;
    }
    case FlowType::Kind::Constant:
      return given.may_be(wanted.kind);
    case FlowType::Kind::ZeroPair:
      return wanted.kind == RegisterKind::View || wanted.kind == RegisterKind::Buf || wanted.kind == RegisterKind::Dyn;
    case FlowType::Kind::Inside:
    case FlowType::Kind::Unknown:
      return false;
  }
  return false;
}

bool CodeVerifier::fits(const RegisterType& wanted, const FlowType& given) const {
  if (given.kind != FlowType::Kind::Inside) return converts(wanted, given);
  return wanted.kind == RegisterKind::Ref && (given.type.writable || !wanted.writable) &&
         has_part(module_, given.type.type, given.bits, wanted.type);
}

void CodeVerifier::write_slot(std::uint64_t slot, const FlowType& type) {
  const bool pair =
      type.kind == FlowType::Kind::ZeroPair || (type.kind == FlowType::Kind::Typed && type.type.is_pair());
  if (slot + (pair ? 1 : 0) >= self_.slots) return fail("a slot past the frame");
  if (is_declared(slot)) {
    const RegisterType& wanted = self_.registers[slot].type;
    if (wanted.kind == RegisterKind::Second) return fail("half of a pair is written");
    if (!fits(wanted, type)) return fail("a register of another type is written");
    if (pointer_index_[slot] != kNone) now_.set_written(pointer_index_[slot]);
    return;
  }
  const std::uint64_t first = self_.registers.size() + kLinkSlots;
  if (slot < first) return fail("a slot that belongs to calls is written");
  now_.put(slot - first, type);
}

// ----------------------------------------------------------------------------------------- instruction

void CodeVerifier::check_instruction() {
  result_ = {};
  for (const Operand& operand : row_->all()) {
    if (operand.role == Role::Read || operand.role == Role::ReadWrite) check_register(operand);
    if (failed()) return;
  }
  check_rule();
  if (failed()) return;
  for (const Operand& operand : row_->all()) {
    if (operand.role != Role::Write && operand.role != Role::ReadWrite) continue;
    FlowType type = result_;
    if (type.kind == FlowType::Kind::Unknown) {
      type = operand.role == Role::ReadWrite ? read(operand.place)
                                             : FlowType{FlowType::Kind::Typed, class_type(operand.type), 0};
    }
    write_slot(this->operand(operand.place), type);
  }
}

RegisterType CodeVerifier::class_type(Class type) {
  if (type > Class::F64) return {};
  const auto first = static_cast<unsigned>(RegisterKind::Bool);
  return {static_cast<RegisterKind>(first + static_cast<unsigned>(type)), false, kNone};
}

void CodeVerifier::check_register(const Operand& operand) {
  const FlowType given = read(operand.place);
  if (failed()) return;
  if (!accepts(operand.type, given)) fail("an operand of another type");
}

bool CodeVerifier::accepts(Class wanted, const FlowType& given) {
  if (wanted <= Class::F64) return converts(class_type(wanted), given);
  if (given.kind == FlowType::Kind::Constant)
    return wanted == Class::One || wanted == Class::SameAsA || wanted == Class::SameAsB;
  if (given.kind == FlowType::Kind::ZeroPair) return wanted == Class::Two || wanted == Class::SameAsA;
  if (given.kind == FlowType::Kind::Inside) {
    return wanted == Class::One || wanted == Class::SameAsA || wanted == Class::Ref ||
           (wanted == Class::RefMut && given.type.writable);
  }
  const RegisterType& type = given.type;
  switch (wanted) {
    case Class::UInt:
      return type.is_unsigned();
    case Class::SInt:
      return type.is_signed();
    case Class::Int:
      return type.is_unsigned() || type.is_signed();
    case Class::Whole:
      return type.is_unsigned() || type.is_signed() || type.kind == RegisterKind::Bool;
    case Class::One:
      return !type.is_pair();
    case Class::Two:
      return type.is_pair();
    case Class::SameAsA:
    case Class::SameAsB:
      return true;  // rule_same_types
    case Class::Ref:
      return type.kind == RegisterKind::Ref;
    case Class::RefMut:
      return type.kind == RegisterKind::Ref && type.writable;
    case Class::View:
      return type.kind == RegisterKind::View || type.kind == RegisterKind::Buf;
    case Class::ViewMut:
      return type.kind == RegisterKind::Buf || (type.kind == RegisterKind::View && type.writable);
    case Class::Buf:
      return type.kind == RegisterKind::Buf;
    case Class::Function:
      return type.kind == RegisterKind::Function;
    case Class::Callable:
      return type.kind == RegisterKind::Callable;
    case Class::Dyn:
      return type.kind == RegisterKind::Dyn;
    case Class::DynRef:
      return type.kind == RegisterKind::DynRef;
    case Class::Ticket:
      return type.kind == RegisterKind::Ticket;
    case Class::Group:
      return type.kind == RegisterKind::Group;
    case Class::Ring:
      return type.kind == RegisterKind::Ring;
    default:
      return false;
  }
}

bool CodeVerifier::is_buffer_element(std::uint32_t type) const {
  return is_register_type(module_, {RegisterKind::Buf, false, type});
}

FlowType CodeVerifier::constant(std::uint64_t bits) {
  FlowType made{FlowType::Kind::Constant, {}, 0};
  for (auto kind = RegisterKind::Bool; kind <= RegisterKind::Function;
       kind = static_cast<RegisterKind>(static_cast<unsigned>(kind) + 1)) {
    const bool fits = kind == RegisterKind::Function ? bits == 0 : is_normalized(kind, bits);
    if (fits) made.bits |= std::uint64_t{1} << static_cast<unsigned>(kind);
  }
  return made;
}

bool CodeVerifier::normalized(const RegisterType& type, std::uint64_t bits) { return is_normalized(type.kind, bits); }

}  // namespace cairn::bytecode
