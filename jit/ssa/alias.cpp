#include "jit/ssa/alias.hpp"

#include <algorithm>
#include <optional>

#include "jit/optimizing/flow.hpp"
#include "jit/ssa/flow.hpp"
#include "jit/ssa/frame_memory.hpp"

namespace cairn::jit::ssa {

using bytecode::Op;
using bytecode::RegisterKind;
using bytecode::RegisterType;
using bytecode::TypeKind;
using Root = Aliases::Root;

Aliases::Aliases(const Function& function, const bytecode::Module& module) : f_(function), module_(module) {
  if (function.entry_word != 0) find_written();
  find_roots();
  find_escapes();
}

/// A frame that is taken up: a parameter that nothing writes is what it was, and a slot that one instruction alone
/// makes a Buf in holds that.
void Aliases::find_written() {
  const bytecode::Function& source = module_.functions[f_.index];
  written_.assign(source.slots, Written::Never);
  for (std::uint32_t word = 0; word < source.code.size();) {
    const bytecode::Word* const code = source.code.data() + word;
    const Op op = bytecode::op_of(code[0]);
    each_slot(code, source.slots, [&](std::uint32_t slot, bool, bool writes) {
      if (!writes || op == Op::DropBuf) return;
      written_[slot] = op == Op::BufNew && written_[slot] == Written::Never ? Written::ByBufNew : Written::Otherwise;
    });
    word += bytecode::instruction_words(code);
  }
}

bytecode::Op Aliases::step_of(const Instruction& i) const {
  return bytecode::op_of(module_.functions[f_.frames[i.frame].function].code[i.word]);
}

Root Aliases::root_of(const Instruction& i) const {
  switch (i.op) {
    case Opcode::Slot: {
      // Parameters that lead somewhere; their records hold owners alone, environments anything.
      const auto at = static_cast<std::size_t>(i.immediate);
      const Written written = f_.entry_word == 0     ? Written::Never
                              : at < written_.size() ? written_[at]
                                                     : Written::Otherwise;
      if (written == Written::ByBufNew) {
        return {Root::Kind::New, 0, static_cast<std::uint64_t>(&i - f_.code.data())};
      }
      if (written != Written::Never) return {};
      const bytecode::Function& source = module_.functions[f_.index];
      std::uint32_t slot = 0;
      for (const RegisterType& type : module_.signatures[source.signature].parameters) {
        if (slot == static_cast<std::uint32_t>(i.immediate)) {
          const bool leads = type.kind == RegisterKind::Ref || type.kind == RegisterKind::View;
          if (!leads) return {};  // then `type.type` may be a signature or a trait
          const bool plain = type.type == bytecode::kNone || !module_.types[type.type].environment;
          return plain ? Root{Root::Kind::Parameter, 0, slot} : Root{};
        }
        slot += type.slots();
      }
      return {};
    }
    case Opcode::FrameAddress:
      return {Root::Kind::Frame, 0, static_cast<std::uint64_t>(i.immediate)};
    case Opcode::Text:
      return {Root::Kind::Text, 0, 0};
    case Opcode::Result:
      if (f_.at(i.a).op == Opcode::Step && step_of(f_.at(i.a)) == Op::BufNew) return {Root::Kind::New, 0, i.a};
      return {};
    case Opcode::Address:
      return roots_[i.a];
    case Opcode::Load: {
      Root root = roots_[i.a];
      if (root.kind == Root::Kind::Unknown || i.kind != Kind::U64) return {};
      if (root.kind == Root::Kind::Frame) {
        // An environment in the frame holds references to anything.
        const bytecode::Function& source = module_.functions[f_.index];
        const auto object = std::ranges::find(source.objects, root.id, &bytecode::MemoryObject::offset);
        if (object == source.objects.end() || module_.types[object->type].environment) return {};
      }
      ++root.depth;
      return root;
    }
    default:
      return {};
  }
}

void Aliases::find_roots() {
  roots_.assign(f_.code.size(), {});
  const Dominators dominators(f_);
  std::vector<std::uint8_t> known(f_.code.size(), 0);
  for (const BlockId b : dominators.order()) {
    for (const Value value : f_.blocks[b].code) {
      const Instruction& i = f_.at(value);
      known[value] = 1;
      if (i.op != Opcode::Phi) {
        roots_[value] = root_of(i);
        continue;
      }
      // The same root on every way that is known; what comes back is looked at below.
      bool first = true;
      for (const Use& use : f_.uses_of(i)) {
        if (known[use.value] == 0) continue;
        if (first) roots_[value] = roots_[use.value];
        if (!first && !(roots_[value] == roots_[use.value])) roots_[value] = {};
        first = false;
      }
    }
  }
  // What a phi took for granted and is not so makes everything behind it unknown.
  for (bool changed = true; changed;) {
    changed = false;
    for (const BlockId b : dominators.order()) {
      for (const Value value : f_.blocks[b].code) {
        if (roots_[value].kind == Root::Kind::Unknown) continue;
        const Instruction& i = f_.at(value);
        bool holds = true;
        if (i.op == Opcode::Phi) {
          for (const Use& use : f_.uses_of(i)) holds = holds && roots_[use.value] == roots_[value];
        } else {
          holds = root_of(i) == roots_[value];
        }
        if (holds) continue;
        roots_[value] = {};
        changed = true;
      }
    }
  }
}

void Aliases::find_escapes() {
  made_escaped_.assign(f_.code.size(), 0);
  std::optional<FrameMemory> taken_up;
  const auto escapes = [&](Value value) {
    const Root& root = roots_[value];
    if (root.kind == Root::Kind::Frame && root.depth == 0) escaped_.push_back(root.id);
    if (root.kind == Root::Kind::New && root.depth == 0) made_escaped_[root.id] = 1;
  };
  for (const Block& block : f_.blocks) {
    for (const Value value : block.code) {
      const Instruction& i = f_.at(value);
      switch (i.op) {
        case Opcode::Load:
        case Opcode::Zero:
        case Opcode::Copy:
        case Opcode::Address:
        case Opcode::Point:
          break;  // an address here; a point's are of use to baseline code alone, after which nothing here is
        case Opcode::Store:
          escapes(i.c);
          break;
        case Opcode::Phi:
          for (const Use& use : f_.uses_of(i)) {
            if (!(roots_[use.value] == roots_[value])) escapes(use.value);
          }
          break;
        case Opcode::FrameAddress: {
          // A frame that is taken up has been run: what it made before may lead to its objects.
          const auto object = static_cast<std::uint64_t>(i.immediate);
          if (f_.entry_word == 0) break;
          if (!taken_up) taken_up.emplace(module_, module_.functions[f_.index]);
          if (taken_up->is_referred_to(f_.entry_word, object)) escapes(value);
          break;
        }
        case Opcode::Slot:
          if (f_.entry_word != 0) escapes(value);  // others may lead to what it leads to
          break;
        case Opcode::Step: {
          each_operand(f_, i, escapes);
          // And what the instruction itself says lies in the frame.
          const bytecode::Function& source = module_.functions[f_.frames[i.frame].function];
          const bytecode::Word* const code = source.code.data() + i.word;
          for (const bytecode::Operand& operand : bytecode::info(bytecode::op_of(*code)).all()) {
            if (operand.type != bytecode::Class::Frame) continue;
            escaped_.push_back(frame_object(source, bytecode::operand_bits(code, operand.place)));
          }
          break;
        }
        default:
          if (i.mode == Mode::Checked || i.op == Opcode::Guard || i.op == Opcode::Trap || i.op == Opcode::Exit) {
            break;  // told, or of use to baseline code alone
          }
          each_operand(f_, i, escapes);
          break;
      }
    }
  }
  std::ranges::sort(escaped_);
}

bool Aliases::is_private(std::uint64_t object) const { return !std::ranges::binary_search(escaped_, object); }

bool Aliases::may_meet(const Root& a, const Root& b) const {
  using enum Root::Kind;
  if (a.kind == Text || b.kind == Text) return false;  // nothing writes there
  if (a.kind == Unknown || b.kind == Unknown) {
    const Root& known = a.kind == Unknown ? b : a;
    if (known.kind == Frame && known.depth == 0) return !is_private(known.id);
    if (known.kind == New && known.depth == 0) return made_escaped_[known.id] != 0;
    return true;
  }
  // Owners move: what was found behind one may be found behind another later, but not in an object itself.
  if (a.depth != 0 && b.depth != 0) return true;
  if (a.kind == b.kind && a.id == b.id) return a.depth == b.depth;
  if (a.depth != 0 || b.depth != 0) {
    const Root& whole = a.depth == 0 ? a : b;
    return whole.kind == New && made_escaped_[whole.id] != 0;
  }
  // Different parameters, of which one is written; the frame and what was made here are nobody else's.
  return false;
}

bool Aliases::may_overlap(const Instruction& i, const Instruction& j) const {
  const auto bytes = [](const Instruction& k) {
    return k.op == Opcode::Copy || k.op == Opcode::Zero ? k.immediate
                                                        : static_cast<std::int64_t>(size_of(k.kind)) * k.lanes;
  };
  const auto offset = [](const Instruction& k) {
    return k.op == Opcode::Copy || k.op == Opcode::Zero ? std::int64_t{0} : k.immediate;
  };
  const auto meets = [&](Value a, Value b) {
    const bool plain = i.op != Opcode::Copy && j.op != Opcode::Copy;
    const Value x = i.op == Opcode::Copy || i.op == Opcode::Zero ? kNoValue : i.b;
    const Value y = j.op == Opcode::Copy || j.op == Opcode::Zero ? kNoValue : j.b;
    if (plain && a == b && x == y && (x == kNoValue || i.scale == j.scale)) {
      return offset(i) < offset(j) + bytes(j) && offset(j) < offset(i) + bytes(i);
    }
    return may_meet(roots_[a], roots_[b]);
  };
  if (meets(i.a, j.a)) return true;
  if (i.op == Opcode::Copy && meets(i.b, j.a)) return true;
  if (j.op == Opcode::Copy && meets(i.a, j.b)) return true;
  return i.op == Opcode::Copy && j.op == Opcode::Copy && meets(i.b, j.b);
}

bool Aliases::may_write(const Instruction& effect, const Instruction& i) const {
  const Root& root = roots_[i.a];
  if (root.kind == Root::Kind::Text) return false;
  if (effect.op == Opcode::Step) {
    const Op op = step_of(effect);
    if (op == Op::Print || op == Op::BufNew) return false;
  }
  if (root.kind == Root::Kind::Frame && root.depth == 0) return !is_private(root.id);
  if (root.kind == Root::Kind::New && root.depth == 0) return made_escaped_[root.id] != 0;
  return true;
}

}  // namespace cairn::jit::ssa
