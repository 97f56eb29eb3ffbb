// Typed assembly (abstractions, 14.5): a statement whose template, operands, clobbered registers and effects are all
// written, so that what it may touch is known without reading the instructions. Every rule here holds whether or not
// the machine at hand can run them.
#include "frontend/check/assembly.hpp"

#include <algorithm>
#include <charconv>

#include "frontend/check/body_checker.hpp"

namespace cairn {

namespace {

using checked::AsmOperand;
using checked::AsmTarget;

constexpr std::size_t kMostOperands = 30;

AsmTarget target_named(std::string_view name, Position at) {
  if (name == "ptx") return AsmTarget::Ptx;
  if (name == "x86_64") return AsmTarget::X86_64;
  if (name == "aarch64") return AsmTarget::Aarch64;
  refuse(Code::AsmTarget, at, "Assembly is for ptx, x86_64 or aarch64; " + std::string(name) + " is none of them.");
}

/// sm_ and two or three digits, perhaps an `a` or `f`.
bool is_capability(std::string_view text) {
  if (!text.starts_with("sm_")) return false;
  text.remove_prefix(3);
  if (text.ends_with('a') || text.ends_with('f')) text.remove_suffix(1);
  return (text.size() == 2 || text.size() == 3) &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// The target and its capability: PTX belongs to device code and says which devices it needs, host assembly neither.
void require_target(const syntax::AsmStmt& statement, AsmTarget target, std::string_view capability, bool on_device) {
  const Position at = statement.position;
  if (target != AsmTarget::Ptx) {
    if (on_device) refuse(Code::AsmTarget, at, "Host assembly does not run in device code.");
    if (statement.has_second) {
      refuse(Code::AsmTarget, at, "Host assembly names no capability; " + std::string(capability) + " is one.");
    }
    return;
  }
  if (!on_device) refuse(Code::AsmTarget, at, "PTX runs only in device code.");
  if (!is_capability(capability)) {
    refuse(Code::AsmTarget, at, "PTX names the capability it needs: asm ptx sm_80 \"..\".");
  }
}

/// The template names every operand, and nothing that is none.
void require_template_names_operands(std::string_view text, std::size_t operands, AsmTarget target, Position at) {
  if (operands > kMostOperands) {
    refuse(Code::AsmOperands, at, "Assembly has at most 30 operands; these are " + std::to_string(operands) + ".");
  }
  std::vector<bool> named(operands);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    ++i;
    if (i < text.size() && text[i] == '%') continue;
    const bool modified = i < text.size() && ((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z'));
    if (modified && target == AsmTarget::Ptx) {
      refuse(Code::AsmOperands, at, "A PTX template has no letter between % and an operand's number.");
    }
    if (modified) ++i;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), number);
    if (error != std::errc{}) {
      refuse(Code::AsmOperands, at, "A % in the template stands before an operand's number; a percent sign is %%.");
    }
    if (number >= operands) {
      refuse(Code::AsmOperands, at,
             "The template names %" + std::to_string(number) + ", and there are " + std::to_string(operands) +
                 " operands.");
    }
    named[number] = true;
    i = static_cast<std::size_t>(end - text.data()) - 1;
  }
  for (std::size_t k = 0; k < operands; ++k) {
    if (!named[k]) refuse(Code::AsmOperands, at, "The template never names operand %" + std::to_string(k) + ".");
  }
}

/// A type has a register class: integers and f32, f64; none for 8 bits in PTX.
void require_register_class(const Type* type, AsmTarget target, Position at) {
  const bool narrow = type->is(TypeKind::U8) || type->is(TypeKind::I8);
  if (type->is_numeric() && !(narrow && target == AsmTarget::Ptx)) return;
  refuse(Code::AsmConstraint, at,
         "No register holds " + std::string(type->name) + " in " +
             (target == AsmTarget::Ptx ? "PTX." : "assembly: integers, f32 and f64 only."));
}

bool is_numbered(std::string_view name, std::string_view prefix, unsigned least, unsigned most) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  unsigned number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool plain = error == std::errc{} && end == name.data() + name.size() && (name.size() == 1 || name[0] != '0');
  return plain && number >= least && number <= most;
}

bool is_clobber(std::string_view name, AsmTarget target) {
  constexpr std::string_view kNamed[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi"};
  if (target == AsmTarget::X86_64) {
    return std::ranges::find(kNamed, name) != std::end(kNamed) || is_numbered(name, "r", 8, 15) ||
           is_numbered(name, "xmm", 0, 15);
  }
  return (is_numbered(name, "x", 0, 28) && name != "x18") || is_numbered(name, "v", 0, 31);
}

void require_clobbers(std::span<const std::string_view> clobbers, AsmTarget target, Position at) {
  for (std::size_t k = 0; k < clobbers.size(); ++k) {
    if (target == AsmTarget::Ptx) refuse(Code::AsmClobber, at, "PTX has no registers to clobber.");
    const std::string name(clobbers[k]);
    if (!is_clobber(name, target)) refuse(Code::AsmClobber, at, name + " is no register that assembly may clobber.");
    if (std::ranges::find(clobbers.first(k), clobbers[k]) != clobbers.begin() + static_cast<std::ptrdiff_t>(k)) {
      refuse(Code::AsmClobber, at, name + " is named twice.");
    }
  }
}

bool has_label(std::span<const std::string_view> effects, std::string_view kind, std::string_view root) {
  return std::ranges::any_of(effects, [&](std::string_view label) {
    return label.size() == kind.size() + root.size() && label.starts_with(kind) && label.ends_with(root);
  });
}

}  // namespace

/// Each array is read or written by a label of its own, and a label is one of those or of the machine's few.
void BodyChecker::require_asm_effects(std::span<const AsmOperand> operands, std::span<const std::string_view> effects,
                                      Position at) {
  constexpr std::string_view kMachine[] = {"fence", "barrier", "atomic", "io", "mmio"};
  for (const AsmOperand& operand : operands) {
    if (!operand.address) continue;
    const std::string_view root = checker_.text(root_local(operand.value)->name);
    const bool writes = has_label(effects, "write:", root);
    if (!writes && !has_label(effects, "read:", root)) {
      refuse(Code::AsmEffect, at,
             "The array " + std::string(root) + " is passed by address: say effects(read:" + std::string(root) +
                 ") or effects(write:" + std::string(root) + ").");
    }
    if (writes && !lends_mode(operand.value, BorrowMode::Rw)) {
      refuse(Code::WriteLease, operand.value->position, "This is not writable here, and the assembly writes it.");
    }
    note_lent(operand.value, writes, operand.value->position);
  }
  for (const std::string_view label : effects) {
    const std::size_t colon = label.find(':');
    const std::string_view kind = label.substr(0, colon);
    const bool footprint = colon != std::string_view::npos && (kind == "read" || kind == "write");
    if (footprint) {
      const std::string_view root = label.substr(colon + 1);
      const bool known = std::ranges::any_of(operands, [&](const AsmOperand& operand) {
        return operand.address && checker_.text(root_local(operand.value)->name) == root;
      });
      if (!known) {
        refuse(Code::AsmEffect, at,
               std::string(label) + " names " + std::string(root) + ", which is no array operand.");
      }
    } else if (std::ranges::find(kMachine, label) == std::end(kMachine)) {
      refuse(Code::AsmEffect, at,
             std::string(label) + " is no effect of assembly: read:x, write:x, fence, barrier, " +
                 "atomic, io and mmio are.");
    }
    if (on_device() && !footprint && label != "fence") {
      refuse(Code::AsmLane, at,
             "Assembly in device code may only read, write and fence; " + std::string(label) + " is more.");
    }
  }
}

AsmOperand BodyChecker::asm_operand(const syntax::AsmOperand& written, AsmTarget target) {
  AsmOperand operand;
  if (!written.output) {
    const Position at = written.value->position;
    Operand walked{written.value};
    Node node = walk_lent_view(walked);
    const bool array = node->type->is(TypeKind::View) || element_type(node->type) != nullptr;
    if (array && root_local(node) != nullptr) {
      operand.address = true;
      const BorrowMode mode = is_writable(node) ? BorrowMode::Rw : BorrowMode::Ro;
      operand.value = view_of(node, types().view(mode, element_type(node->type), {}, Placement::Host));
      require_side(operand.value->type, node, at);
      return operand;
    }
    operand.value = as_value(node);
    require_register_class(operand.value->type, target, at);
    return operand;
  }
  const Type* type = checker_.resolve_type(*written.type, scope_, written.name.position);
  require_register_class(type, target, written.name.position);
  if (written.value != nullptr) operand.value = value_of(*written.value, type);
  operand.output = new_local(written.name.name, type, checked::LocalKind::Let, false, written.name.position);
  return operand;
}

const checked::Stmt* BodyChecker::asm_statement(const syntax::AsmStmt& statement) {
  const Position at = statement.position;
  if (unsafe_depth_ == 0) refuse(Code::Unsafe, at, "Assembly stands inside unsafe { }.");
  const AsmTarget target = target_named(checker_.text(statement.target.name), at);
  const std::string_view capability = statement.has_second ? checker_.text(statement.second.name) : "";
  require_target(statement, target, capability, on_device());
  require_template_names_operands(statement.text, statement.operands.size(), target, at);

  std::vector<AsmOperand> operands;
  for (const syntax::AsmOperand& written : statement.operands) operands.push_back(asm_operand(written, target));
  std::vector<std::string_view> clobbers;
  for (const syntax::Identifier& name : statement.clobbers) clobbers.push_back(checker_.text(name.name));
  std::vector<std::string_view> effects;
  for (const syntax::EffectLabel& label : statement.effects) effects.push_back(label.text);
  require_clobbers(clobbers, target, at);
  require_asm_effects(operands, effects, at);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].output == nullptr) continue;
    require_fresh(operands[k].output->name, at);
    bring_into_scope(operands[k].output);
  }

  auto& node = make<checked::AsmStmt>(checked::StmtKind::Asm, at);
  node.target = target;
  node.is_volatile = statement.is_volatile;
  node.capability = capability;
  node.text = statement.text;
  node.operands = checker_.arena().copy(operands);
  node.clobbers = checker_.arena().copy(clobbers);
  node.effects = checker_.arena().copy(effects);
  return &node;
}

}  // namespace cairn
