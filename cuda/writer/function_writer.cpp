#include "cuda/writer/function_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>

namespace cairn::cuda::writer {

using bytecode::Class;
using bytecode::FunctionKind;
using bytecode::kLinkSlots;
using bytecode::kNone;
using bytecode::Role;

std::string_view type_of(RegisterKind kind) {
  switch (kind) {
    case RegisterKind::Bool:
      return "bool";
    case RegisterKind::U8:
      return "U8";
    case RegisterKind::U16:
      return "U16";
    case RegisterKind::U32:
      return "U32";
    case RegisterKind::I8:
      return "I8";
    case RegisterKind::I16:
      return "I16";
    case RegisterKind::I32:
      return "I32";
    case RegisterKind::I64:
      return "I64";
    case RegisterKind::F32:
      return "float";
    case RegisterKind::F64:
      return "double";
    case RegisterKind::Ref:
    case RegisterKind::View:
    case RegisterKind::Buf:
    case RegisterKind::Callable:
    case RegisterKind::Dyn:
    case RegisterKind::DynRef:
    case RegisterKind::Ticket:
    case RegisterKind::Group:
    case RegisterKind::Ring:
      return "Bytes";
    default:
      return "U64";
  }
}

RegisterKind kind_named(std::string_view type) {
  constexpr std::array<std::string_view, 11> kNames{"bool", "u8",  "u16", "u32", "u64", "i8",
                                                    "i16",  "i32", "i64", "f32", "f64"};
  const auto found = std::ranges::find(kNames, type);
  if (found == kNames.end()) return RegisterKind::None;
  return static_cast<RegisterKind>(static_cast<unsigned>(RegisterKind::Bool) +
                                   static_cast<unsigned>(found - kNames.begin()));
}

namespace {

std::string hexadecimal(std::uint64_t bits, std::string_view suffix) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(bits));
  return cat(text.data(), suffix);
}

/// Exact in hexadecimal; a value that is no number by its bits.
std::string float_literal(double value, std::string_view suffix, std::string_view otherwise) {
  if (!std::isfinite(value) || (value == 0 && std::signbit(value))) return std::string(otherwise);
  std::array<char, 64> text{};
  const bool is_short = value == std::trunc(value) && std::fabs(value) < 1e6;
  std::snprintf(text.data(), text.size(), is_short ? "%.1f" : "%a", value);
  return cat(text.data(), suffix);
}

std::string signed_literal(std::int64_t value, std::string_view type) {
  if (value >= 0 && value < 10000) return cat("static_cast<", type, ">(", value, ")");
  return cat("static_cast<", type, ">(", hexadecimal(static_cast<std::uint64_t>(value), "ULL"), ")");
}

}  // namespace

std::string literal(RegisterKind kind, std::uint64_t bits) {
  switch (kind) {
    case RegisterKind::Bool:
      return bits != 0 ? "true" : "false";
    case RegisterKind::U32:
      return cat(bits, "U");
    case RegisterKind::U8:
    case RegisterKind::U16:
      return cat("static_cast<", type_of(kind), ">(", bits, ")");
    case RegisterKind::I8:
    case RegisterKind::I16:
    case RegisterKind::I32:
    case RegisterKind::I64:
      return signed_literal(static_cast<std::int64_t>(bits), type_of(kind));
    case RegisterKind::F32:
      return float_literal(std::bit_cast<float>(static_cast<std::uint32_t>(bits)), "F",
                           cat("bit_cast<float>(", hexadecimal(bits & 0xffffffff, "U"), ")"));
    case RegisterKind::F64:
      return float_literal(std::bit_cast<double>(bits), "", cat("bit_cast<double>(", hexadecimal(bits, "ULL"), ")"));
    default:
      return cat(bits, "ULL");
  }
}

FunctionWriter::FunctionWriter(Unit& unit, std::uint32_t index, std::string name, PlannedArrays planned)
    : unit_(unit),
      module_(unit.module()),
      function_(module_.functions[index]),
      index_(index),
      name_(std::move(name)),
      planned_(std::move(planned)),
      is_target_(function_.code.size(), false),
      is_used_(function_.slots + 2, false) {}

// ----------------------------------------------------------------------------------------------- the frame

RegisterKind FunctionWriter::kind_of(std::uint32_t slot) const {
  if (!is_declared(slot)) return RegisterKind::U64;
  const RegisterKind kind = function_.registers[slot].type.kind;
  return kind == RegisterKind::Second || kind == RegisterKind::None ? RegisterKind::U64 : kind;
}

std::string FunctionWriter::variable(std::uint32_t slot) const {
  if (!is_declared(slot)) return cat("s", slot);
  if (function_.registers[slot].type.kind == RegisterKind::Second) return cat(variable(slot - 1), "_length");
  const std::string name = identifier(function_.registers[slot].name);
  return name.empty() ? cat("r", slot) : cat(name, "_", slot);
}

std::string FunctionWriter::value(std::uint32_t slot, RegisterKind kind) const {
  if (!is_declared(slot))
    return kind == RegisterKind::U64 ? variable(slot) : cat("from_slot<", type_of(kind), ">(s", slot, ")");
  if (type_of(kind_of(slot)) == type_of(kind)) return variable(slot);
  return cat("from_slot<", type_of(kind), ">(to_slot(", variable(slot), "))");
}

std::string FunctionWriter::pointer(std::uint32_t slot) const {
  return is_declared(slot) ? variable(slot) : cat("p", slot);
}

void FunctionWriter::assign(std::uint32_t slot, RegisterKind kind, std::string_view expression) {
  texts_.erase(slot);
  aligns_.erase(slot);
  if (is_declared(slot)) {
    const bool is_same = type_of(kind_of(slot)) == type_of(kind);
    line(is_same ? cat(variable(slot), " = ", expression, ";")
                 : cat(variable(slot), " = from_slot<", type_of(kind_of(slot)), ">(to_slot(", expression, "));"));
  } else {
    line(kind == RegisterKind::U64 ? cat("s", slot, " = ", expression, ";")
                                   : cat("s", slot, " = to_slot<", type_of(kind), ">(", expression, ");"));
  }
}

void FunctionWriter::assign_pointer(std::uint32_t slot, std::string_view expression) {
  texts_.erase(slot);
  aligns_.erase(slot);
  line(cat(pointer(slot), " = ", expression, ";"));
}

std::string FunctionWriter::right(Place place, RegisterKind kind) const {
  return op_name_.immediate ? literal(kind, code()[1]) : value(place, kind);
}

RegisterKind FunctionWriter::common_kind(std::uint32_t a, std::uint32_t b, Order order) const {
  const RegisterKind wide = order == Order::Signed ? RegisterKind::I64 : RegisterKind::U64;
  if (!is_declared(a) || !is_declared(b) || kind_of(a) != kind_of(b)) return wide;
  // As slots, a signed number is a large unsigned one.
  const bool turns = order == Order::Unsigned && bytecode::RegisterType{kind_of(a)}.is_signed();
  return turns ? wide : kind_of(a);
}

std::string FunctionWriter::parameter_list() const {
  std::string list = "At at";
  const bytecode::Signature& signature = module_.signatures[function_.signature];
  std::uint32_t slot = 0;
  const auto add = [&](RegisterKind kind) {
    list += cat(", ", type_of(kind), " ", variable(slot));
    ++slot;
  };
  for (const bytecode::RegisterType& parameter : signature.parameters) {
    add(parameter.kind);
    if (parameter.is_pair()) add(RegisterKind::U64);
  }
  if (function_.environment != kNone) add(RegisterKind::Ref);
  if (function_.kind == FunctionKind::Kernel) list += ", Bytes shared";
  for (const LaneArray& array : planned_.arrays) {
    list += planned_.staged ? cat(", const Staged& staged_", array.slot)
                            : cat(", ", type_of(array.element), "& own_", array.slot);
  }
  return list;
}

const LaneArray* FunctionWriter::planned(std::uint32_t slot) const {
  const auto found = std::ranges::find(planned_.arrays, slot, &LaneArray::slot);
  return found == planned_.arrays.end() ? nullptr : &*found;
}

std::string_view FunctionWriter::result_type() const {
  const bytecode::RegisterType& result = module_.signatures[function_.signature].result;
  if (result.kind == RegisterKind::None) return "void";
  return result.is_pair() ? "Pair" : type_of(result.kind);
}

void FunctionWriter::find_targets() {
  for (std::uint32_t at = 0; at < function_.code.size();
       at += bytecode::instruction_words(function_.code.data() + at)) {
    const Word* const code = function_.code.data() + at;
    const bytecode::OperationInfo& row = bytecode::info(bytecode::op_of(code[0]));
    for (const bytecode::Operand& operand : row.all()) {
      const std::uint64_t bits = bytecode::operand_bits(code, operand.place);
      if (operand.type == Class::Target) is_target_[at + static_cast<std::uint32_t>(bits)] = true;
      if (!operand.is_register()) continue;
      is_used_[bits] = true;
      is_used_[bits + 1] = true;
    }
    if (bytecode::op_of(code[0]) == Op::Switch) {
      for (std::uint32_t k = 0; k < bytecode::n_of(code[0]); ++k) {
        is_target_[at + static_cast<std::uint32_t>(code[1 + k / 2] >> (k % 2 * 32))] = true;
      }
    }
    const bool is_call = bytecode::op_of(code[0]) == Op::Call || bytecode::op_of(code[0]) == Op::CallNative;
    if (is_call) {
      for (std::uint32_t slot = bytecode::a_of(code[0]); slot < function_.slots; ++slot) is_used_[slot] = true;
    }
  }
}

/// Registers past the parameters, outgoing slots that the code names, and the objects of the frame's memory.
void FunctionWriter::declare_frame() {
  std::uint32_t parameters = module_.signatures[function_.signature].parameter_slots();
  if (function_.environment != kNone) ++parameters;
  std::map<std::string_view, std::string> by_type;
  for (std::uint32_t slot = parameters; slot < function_.slots; ++slot) {
    if (!is_used_[slot]) continue;
    if (is_declared(slot)) {
      by_type[type_of(kind_of(slot))] += cat(by_type[type_of(kind_of(slot))].empty() ? "" : ", ", variable(slot), "{}");
    } else if (slot >= function_.registers.size() + kLinkSlots) {
      by_type["U64"] += cat(by_type["U64"].empty() ? "" : ", ", "s", slot, "{}");
      by_type["Bytes"] += cat(by_type["Bytes"].empty() ? "" : ", ", "p", slot, "{}");
    }
  }
  for (const auto& [type, names] : by_type) line(cat(type, " ", names, ";"));
  for (const bytecode::MemoryObject& object : function_.objects) {
    const bytecode::Type& type = module_.types[object.type];
    line(cat("alignas(16) unsigned char m", object.offset, "[", std::max<std::uint64_t>(type.size, 1), "]",
             type.pointers ? "{}" : "", ";", object.name.empty() ? "" : cat("  // ", identifier(object.name))));
  }
  for (std::size_t k = 0; k < function_.kernel.pipelines.size(); ++k) {
    line(cat("U32 fills_", k, "{}, waits_", k, "{};"));
  }
}

std::string FunctionWriter::frame_address(std::uint64_t offset) const {
  const auto after = std::ranges::upper_bound(function_.objects, offset, {}, &bytecode::MemoryObject::offset);
  if (after == function_.objects.begin()) return "nullptr";
  const std::uint64_t start = (after - 1)->offset;
  return offset == start ? cat("m", start) : cat("(m", start, " + ", offset - start, ")");
}

std::uint32_t FunctionWriter::frame_align(std::uint64_t offset) const {
  const auto after = std::ranges::upper_bound(function_.objects, offset, {}, &bytecode::MemoryObject::offset);
  const std::uint64_t inside = after == function_.objects.begin() ? offset : offset - (after - 1)->offset;
  return inside == 0 ? 16 : std::min<std::uint32_t>(16, static_cast<std::uint32_t>(inside & (~inside + 1)));
}

std::uint32_t FunctionWriter::align_of(std::uint32_t slot) const {
  std::uint32_t align = 1;
  if (is_declared(slot) && function_.registers[slot].type.type < module_.types.size()) {
    align = module_.types[function_.registers[slot].type.type].align;
  }
  const auto known = aligns_.find(slot);
  if (known != aligns_.end()) align = std::max(align, known->second);
  return std::min<std::uint32_t>(align, 16);
}

// -------------------------------------------------------------------------------------------------- lines

void FunctionWriter::line(std::string_view text) {
  body_ += "  ";
  body_ += text;
  body_ += '\n';
}

/// Errors and profiles of the text name the program's own lines.
void FunctionWriter::position() {
  const bytecode::SourcePosition position = function_.position_at(at_);
  if (position.file == kNone || (position.file == shown_.file && position.line == shown_.line)) return;
  shown_ = position;
  std::string path = module_.files[position.file];
  std::erase_if(path, [](char c) { return c == '"' || c == '\\' || c == '\n'; });
  body_ += cat("#line ", position.line, " \"", path, "\"\n");
}

std::string FunctionWriter::fail_call(TrapKind kind, std::string detail, const std::vector<std::string>& values) {
  Site site{index_, at_, kind, {}, std::move(detail)};
  std::string arguments;
  if (!values.empty()) {
    for (const std::string& value : values) arguments += cat(", ", value);
  } else {
    for (const bytecode::Operand& operand : bytecode::info(op_).all()) {
      if (operand.role != Role::Read && operand.role != Role::ReadWrite) continue;
      std::uint32_t slot = this->operand(operand.place);
      if (operand.type == Class::Ref || operand.type == Class::RefMut) continue;
      const bool is_view = operand.type == Class::View || operand.type == Class::ViewMut || operand.type == Class::Buf;
      if (is_view) ++slot;
      if (site.slots.size() == std::size(TrapRecord{}.values)) break;
      site.slots.push_back(slot);
      arguments += cat(", ", variable(slot));
    }
  }
  return cat("fail(at, ", unit_.site(std::move(site)), arguments, ")");
}

void FunctionWriter::guard(std::string_view condition, TrapKind kind, std::string detail,
                           const std::vector<std::string>& values) {
  line(cat("if (", condition, ") ", fail_call(kind, std::move(detail), values), ";"));
}

void FunctionWriter::host_only(std::string_view what) {
  const bytecode::SourcePosition position = function_.position_at(at_);
  std::string where = "in " + function_.name;
  if (position.file != kNone) where = cat("at ", module_.files[position.file], ":", position.line);
  unit_.fail(cat("device code cannot ", what, " (", bytecode::info(op_).text, " ", where, ")"));
}

// ------------------------------------------------------------------------------------------------ writing

void FunctionWriter::instruction() {
  op_ = bytecode::op_of(code()[0]);
  op_name_ = bytecode::split_name(bytecode::info(op_).text);
  if (is_target_[at_]) {
    body_ += cat(" L", at_, ":;\n");
    texts_.clear();
    aligns_.clear();
  }
  position();
  if (const std::string_view what = why_host_only(op_); !what.empty()) return host_only(what);
  const bool is_written = write_jump() || write_move() || write_cell() || write_reference() || write_bytes() ||
                          write_call() || write_failure() || write_kernel_operation() || write_atomic() ||
                          write_conversion() || write_comparison() || write_arithmetic();
  if (!is_written) return host_only("do this");
}

void FunctionWriter::write() {
  find_targets();
  find_fragment_copies();
  declare_frame();
  for (at_ = 0; at_ < function_.code.size() && unit_.error().empty(); at_ += bytecode::instruction_words(code())) {
    instruction();
  }
  const std::string head = cat("static __device__ ", function_.kind == FunctionKind::Plain ? "" : "__forceinline__ ",
                               result_type(), " ", name_, "(", parameter_list(), ")");
  unit_.declarations += head + ";\n";
  unit_.definitions += cat("\n// ", identifier(function_.name), "\n", head, " {\n", body_, "}\n");
}

}  // namespace cairn::cuda::writer
