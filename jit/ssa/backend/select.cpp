#include "jit/ssa/backend/select.hpp"

#include <algorithm>

#include "jit/ssa/backend/order.hpp"
#include "jit/ssa/host.hpp"

namespace cairn::jit::ssa {
namespace {

class Selector {
 public:
  Selector(const Function& f, const Target& target, Nodes& nodes) : f_(f), target_(target), n_(nodes) {}

  bool run() {
    if (!target_.cpu.sse41) return false;
    order_blocks(f_, n_);
    find_dirty(f_, n_);
    is_fused_ = find_fused(f_);
    for (std::uint32_t b = 0; b < n_.blocks.size(); ++b) {
      MachineBlock& block = n_.blocks[b];
      block.first = static_cast<std::uint32_t>(n_.nodes.size());
      node_ = {};
      node_.kind = NodeKind::Label;
      begin();
      if (b == 0) entry_arguments();
      finish();
      if (block.block != kNone) {
        for (const Value value : f_.blocks[block.block].code) {
          if (!instruction(value)) return false;
        }
      }
      // Where phis move, the end of the block has to be a node of its own.
      if (block.block == kNone) {
        node_ = {};
        begin();
        finish();
      }
      n_.blocks[b].end = static_cast<std::uint32_t>(n_.nodes.size());
    }
    return true;
  }

 private:
  // ---- what a node asks for

  void begin() {
    node_.first_input = static_cast<std::uint32_t>(n_.inputs.size());
    node_.first_output = static_cast<std::uint32_t>(n_.outputs.size());
    node_.first_temporary = static_cast<std::uint32_t>(n_.temporaries.size());
    node_.first_exit_input = 0;
  }
  void finish() {
    node_.inputs = static_cast<std::uint32_t>(n_.inputs.size()) - node_.first_input;
    node_.outputs = static_cast<std::uint32_t>(n_.outputs.size()) - node_.first_output;
    node_.temporaries = static_cast<std::uint32_t>(n_.temporaries.size()) - node_.first_temporary;
    n_.nodes.push_back(node_);
  }
  void input(Value value, Input::Needs needs, bool late = false, Reg where = kNoReg) {
    n_.inputs.push_back({value, needs, late, where});
  }
  using Needs = Input::Needs;
  void tied(Value value) { input(value, Needs::Tied); }
  void in_register(Value value, bool late = false) { input(value, Needs::Register, late); }
  void anywhere(Value value, bool late = false) {
    const Instruction& i = f_.at(value);
    // A float's constant is in memory; an integer's is nowhere.
    const bool is_number = (i.op == Opcode::Const && !is_float(i.kind)) || i.op == Opcode::Text;
    input(value, is_number ? Needs::Register : Needs::Anywhere, late);
  }
  void fixed(Value value, Reg where, bool late = false) { input(value, Needs::Fixed, late, where); }
  /// An integer operand whose 64 bits count.
  void whole(Value value, bool late = false) {
    n_.is_dirty[value] != 0 ? in_register(value, late) : anywhere(value, late);
  }
  /// An operand that may be a number in the instruction.
  void or_number(Value value, bool late = false) {
    if (is_immediate(f_, value)) {
      input(value, Needs::Nothing);
    } else {
      anywhere(value, late);
    }
  }
  void output(Reg where = kNoReg) { n_.outputs.push_back({at_, where, false, kNone, false}); }
  void output_early() { n_.outputs.push_back({at_, kNoReg, false, kNone, true}); }
  void temporary(Bank bank, Reg where = kNoReg) { n_.temporaries.push_back({bank, where}); }

  /// The values told where the instruction leaves. `undone`: one that the stub gets back by undoing the operation.
  void exits(const Instruction& i, Value undone = kNoValue, bool late = true) {
    node_.first_exit_input = static_cast<std::uint32_t>(n_.inputs.size()) - node_.first_input;
    for (const Use& use : f_.uses_of(i)) {
      const bool is_number = f_.at(use.value).op == Opcode::Const;
      if (is_number || use.value == undone) {
        input(use.value, Needs::Nothing);
      } else {
        input(use.value, Needs::Anywhere, late);
      }
    }
  }

  void entry_arguments() {
    if (f_.entry_word != 0) return;
    for (const Value value : f_.blocks[0].code) {
      const Instruction& i = f_.at(value);
      if (i.op != Opcode::Slot) continue;
      const Reg where = argument_register(target_, f_.index, static_cast<std::uint32_t>(i.immediate));
      if (where != kNoReg) n_.outputs.push_back({value, where, false, kNone, false});
    }
  }

  /// The registers of an address.
  void address(const Instruction& i) {
    std::int64_t offset = 0;
    if (frame_offset(f_, i, offset)) {
      input(i.a, Needs::Nothing);
    } else {
      in_register(i.a);
    }
    if (i.b != kNoValue) in_register(i.b);
  }

  bool instruction(Value value) {
    at_ = value;
    const Instruction& i = f_.at(value);
    if (i.op == Opcode::Nop || i.op == Opcode::Phi || i.op == Opcode::Point || is_fused_[value] != 0) return true;
    node_ = {};
    node_.value = value;
    begin();
    if (!(i.lanes > 1 ? vector(i) : scalar(i))) return false;
    finish();
    return true;
  }

  bool scalar(const Instruction& i) {
    switch (i.op) {
      case Opcode::Const:
      case Opcode::Text:
        n_.outputs.push_back({at_, kNoReg, true, kNone, false});
        return true;
      case Opcode::Slot: {
        const auto slot = static_cast<std::uint32_t>(i.immediate);
        const Reg where = f_.entry_word == 0 ? argument_register(target_, f_.index, slot) : kNoReg;
        if (where != kNoReg) return true;  // the entry's label gives it
        n_.outputs.push_back({at_, kNoReg, true, slot, false});
        return true;
      }
      case Opcode::FrameAddress:
        output();
        return true;
      case Opcode::Add:
      case Opcode::Sub:
      case Opcode::Mul:
      case Opcode::Div:
      case Opcode::Rem:
      case Opcode::Neg:
      case Opcode::Abs:
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Xor:
      case Opcode::Min:
      case Opcode::Max:
      case Opcode::Fma:
      case Opcode::Fms:
      case Opcode::Fnma:
      case Opcode::Sqrt:
      case Opcode::Floor:
      case Opcode::Ceil:
      case Opcode::Trunc:
        return is_float(i.kind) ? floating(i) : integer(i);
      case Opcode::Shl:
      case Opcode::Shr:
        return shift(i);
      case Opcode::Compare:
        compared(i);
        if (is_float(i.source)) temporary(Bank::General);
        output();
        return true;
      case Opcode::Select:
        if (is_fused_[i.a] != 0) {
          node_.fused = i.a;
          compared(f_.at(i.a));
        }
        tied(i.c);
        anywhere(i.b, true);
        if (node_.fused == kNoValue) anywhere(i.a, true);
        output_early();
        return true;
      case Opcode::Convert:
        return convert(i);
      case Opcode::Bits:
        anywhere(i.a);
        output();
        return true;
      case Opcode::Mask:
        if (!target_.cpu.avx2) return false;
        if (!target_.cpu.avx512) temporary(Bank::Vector);
        return made_of({i.a, i.b});
      case Opcode::Ones:
        return target_.cpu.avx2 && made_of({i.a});
      case Opcode::Lane:
        if (!is_float(i.kind) || !target_.cpu.avx2) return false;
        in_register(i.a);
        output();
        return true;
      case Opcode::Address:
        in_register(i.a, true);
        if (i.b != kNoValue) in_register(i.b, true);
        output();
        return true;
      case Opcode::Load:
        address(i);
        output();
        return true;
      case Opcode::Store:
        address(i);
        if (!is_float(i.kind) && is_immediate(f_, i.c)) {
          input(i.c, Needs::Nothing);
        } else {
          in_register(i.c, true);
        }
        return true;
      case Opcode::Copy:
        return copy(i, i.b);
      case Opcode::Zero:
        return copy(i, kNoValue);
      case Opcode::Guard:
      case Opcode::Branch:
        compared(i);
        exits(i);
        return true;
      case Opcode::StackGuard:
        return i.block == 0;
      case Opcode::Poll:
        exits(i);
        return true;
      case Opcode::Call:
      case Opcode::CallValue:
      case Opcode::CallDyn:
        return call(i);
      case Opcode::Step:
        exits(i, kNoValue, false);
        node_.loses_all = true;
        return true;
      case Opcode::Result:
        return result(i);
      case Opcode::PairFunction:
        return pair_function(i);
      case Opcode::Limb:
        return true;  // the function gives it
      case Opcode::Jump:
        return true;
      case Opcode::Switch:
        whole(i.a);
        temporary(Bank::General);
        temporary(Bank::General);
        return true;
      case Opcode::Return: {
        const bytecode::Signature& signature = target_.module.signatures[target_.module.functions[f_.index].signature];
        if (i.a != kNoValue) fixed(i.a, result_register(signature, 0));
        if (i.b != kNoValue) fixed(i.b, result_register(signature, 1));
        temporary(Bank::General, reg::rcx);
        return true;
      }
      case Opcode::Trap:
      case Opcode::Exit:
        exits(i, kNoValue, false);
        return true;
      default:
        return false;
    }
  }

  /// Operands of a comparison.
  void compared(const Instruction& i) {
    Value a = i.a;
    Value b = i.b;
    if (is_fused_[a] != 0) {
      node_.bits = bits_of(f_, i);
      anywhere(f_.at(a).a);
      input(f_.at(a).b, Needs::Nothing);
      return;
    }
    if (is_float(i.op == Opcode::Compare ? i.source : i.kind)) {
      in_register(a);
      in_register(b);
      return;
    }
    if (is_immediate(f_, a) && !is_immediate(f_, b)) std::swap(a, b);
    std::int64_t number = 0;
    const bool narrow = n_.is_dirty[a] != 0 || n_.is_dirty[b] != 0;
    if (immediate(f_, b, number)) {
      if (number == 0) {
        in_register(a);
      } else {
        anywhere(a);
      }
      input(b, Needs::Nothing);
      return;
    }
    const bool wide_number = narrow && (f_.at(a).op == Opcode::Const || f_.at(b).op == Opcode::Const);
    in_register(a);
    wide_number ? in_register(b) : anywhere(b);
  }

  bool integer(const Instruction& i) {
    Value a = i.a, b = i.b;
    const bool checked = i.mode == Mode::Checked;
    const bool wide = !is_narrow(i.kind);
    const auto left = [&](Value value) { tied(value); };
    switch (i.op) {
      case Opcode::Add:
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Xor:
        if (is_immediate(f_, a) && !is_immediate(f_, b)) std::swap(a, b);
        [[fallthrough]];
      case Opcode::Sub:
        if (i.op == Opcode::Add && !checked && !is_tiny(i.kind) && !is_dirty(a, b, i.kind)) {
          // lea, when the result gets a register of its own
          in_register(a);
          is_immediate(f_, b) ? input(b, Needs::Nothing) : in_register(b);
          output();
          return true;
        }
        left(a);
        if (is_immediate(f_, b)) {
          input(b, Needs::Nothing);
        } else if (wide) {
          whole(b, true);
        } else {
          anywhere(b, true);
        }
        if (checked) {
          exits(i, i.a == a ? a : kNoValue);
          if (is_tiny(i.kind) && is_signed(i.kind)) temporary(Bank::General);
        }
        output_early();
        return true;
      case Opcode::Mul:
        if (is_immediate(f_, a) && !is_immediate(f_, b)) std::swap(a, b);
        if (i.kind == Kind::U64 && checked) {
          fixed(a, reg::rax);
          whole(b, true);
          if (f_.at(b).op == Opcode::Const) n_.inputs.back().needs = Needs::Register;
          exits(i);
          temporary(Bank::General, reg::rdx);
          output(reg::rax);
          return true;
        }
        if (is_immediate(f_, b)) {
          wide || i.kind == Kind::U32 ? whole(a) : anywhere(a);
          input(b, Needs::Nothing);
          if (checked) {
            exits(i);
            if (i.kind == Kind::U32 || (is_tiny(i.kind) && is_signed(i.kind))) temporary(Bank::General);
          }
          output();
          return true;
        }
        tied(a);
        whole(b, true);
        if (checked) {
          exits(i);
          if (i.kind == Kind::U32 || (is_tiny(i.kind) && is_signed(i.kind))) temporary(Bank::General);
        }
        output_early();
        return true;
      case Opcode::Div:
      case Opcode::Rem:
        return divide(i);
      case Opcode::Neg:
      case Opcode::Abs:
        tied(a);
        if (i.op == Opcode::Abs) in_register(a, true);
        if (checked) {
          exits(i);
          if (i.kind == Kind::I64) temporary(Bank::General);
        }
        output_early();
        return true;
      case Opcode::Min:
      case Opcode::Max:
        tied(a);
        in_register(b, true);
        output_early();
        return true;
      default:
        return false;
    }
  }
  [[nodiscard]] bool is_dirty(Value a, Value b, Kind kind) const {
    return kind != Kind::I32 && (n_.is_dirty[a] != 0 || n_.is_dirty[b] != 0);
  }

  bool divide(const Instruction& i) {
    const Instruction& divisor = f_.at(i.b);
    const auto number = static_cast<std::uint64_t>(divisor.immediate);
    if (divisor.op == Opcode::Const && !is_signed(i.kind) && is_power_of_two(number) && number <= INT32_MAX) {
      tied(i.a);
      output_early();
      return true;
    }
    fixed(i.a, reg::rax);
    if (divisor.op == Opcode::Const) {
      in_register(i.b, true);
    } else {
      whole(i.b, true);
      n_.inputs.back().needs = Needs::Register;
    }
    if (i.mode == Mode::Checked) exits(i);
    temporary(Bank::General, reg::rdx);
    node_.lost |= bit(reg::rax);
    output(i.op == Opcode::Div ? reg::rax : reg::rdx);
    return true;
  }

  bool shift(const Instruction& i) {
    if (is_immediate(f_, i.b)) {
      tied(i.a);
      input(i.b, Needs::Nothing);
      output_early();
      return true;
    }
    if (target_.cpu.bmi2) {
      is_tiny(i.kind) ? in_register(i.a) : anywhere(i.a);
      in_register(i.b);
      output();
      return true;
    }
    tied(i.a);
    fixed(i.b, reg::rcx, true);
    output_early();
    return true;
  }

  bool floating(const Instruction& i) {
    switch (i.op) {
      case Opcode::Add:
      case Opcode::Sub:
      case Opcode::Mul:
      case Opcode::Div:
        if (target_.cpu.avx) {
          in_register(i.a);
          anywhere(i.b);
          output();
        } else {
          tied(i.a);
          in_register(i.b, true);
          output_early();
        }
        return true;
      case Opcode::Neg:
      case Opcode::Abs:
        tied(i.a);
        output_early();
        return true;
      case Opcode::Fma:
      case Opcode::Fms:
      case Opcode::Fnma:
        return fused(i);
      case Opcode::Floor:
      case Opcode::Ceil:
      case Opcode::Trunc:
        if (!target_.cpu.sse41) return false;
        [[fallthrough]];
      case Opcode::Sqrt:
        in_register(i.a, leaves_upper_half(i, target_.cpu));
        output();
        return true;
      default:
        return false;
    }
  }

  bool fused(const Instruction& i) {
    if (!target_.cpu.fma) return false;
    tied(i.a);
    in_register(i.b, true);
    in_register(i.c, true);
    output_early();
    return true;
  }

  bool convert(const Instruction& i) {
    const bool checked = i.mode == Mode::Checked;
    if (is_float(i.source) && is_float(i.kind)) {
      in_register(i.a, leaves_upper_half(i, target_.cpu));
      output();
      return true;
    }
    if (is_float(i.kind)) {
      in_register(i.a, true);
      if (!is_signed(i.source) && i.source == Kind::U64) {
        temporary(Bank::General);
        temporary(Bank::General);
      }
      output();
      return true;
    }
    if (is_float(i.source)) {
      if (!target_.cpu.sse41) return false;
      in_register(i.a, true);
      if (checked) exits(i);
      temporary(Bank::Vector);
      output();
      return true;
    }
    in_register(i.a, checked);
    if (checked) exits(i);
    output();
    return true;
  }

  /// Small ones by registers, larger ones by the library.
  bool copy(const Instruction& i, Value from) {
    if (i.immediate > kInlineBytes) {
      fixed(i.a, reg::rdi);
      if (from != kNoValue) fixed(from, reg::rsi);
      node_.loses_all = true;
      return true;
    }
    in_register(i.a, true);
    if (from == kNoValue) return true;
    in_register(from, true);
    const std::int64_t bytes = i.immediate;
    if (bytes >= 16) {
      for (std::int64_t done = 0; done < bytes; done += 16) temporary(Bank::Vector);
    } else if (bytes != 0) {
      temporary(Bank::General);
      if (!is_power_of_two(static_cast<std::uint64_t>(bytes))) temporary(Bank::General);
    }
    return true;
  }

  bool call(const Instruction& i) {
    node_.loses_all = true;
    if (i.op != Opcode::Call) fixed(i.a, reg::rax);
    const auto callee = static_cast<std::uint32_t>(i.immediate);
    const std::uint32_t parameters = i.op == Opcode::Call ? parameter_slots(target_.module, callee) : 0;
    node_.first_exit_input = static_cast<std::uint32_t>(n_.inputs.size()) - node_.first_input;
    for (const Use& use : f_.uses_of(i)) {
      const Instruction& value = f_.at(use.value);
      const std::uint32_t slot = use.slot - i.scale;
      Reg where = kNoReg;
      if (use.slot >= i.scale && slot < parameters) where = argument_register(target_, callee, slot);
      if (where != kNoReg) {
        fixed(use.value, where);
      } else if (value.op == Opcode::Const) {
        input(use.value, Needs::Nothing);
      } else {
        input(use.value, Needs::Anywhere);
      }
    }
    if (i.op != Opcode::CallDyn && i.op != Opcode::CallValue) {
      temporary(Bank::General, reg::rax);
    } else {
      temporary(Bank::General, reg::rcx);
      temporary(Bank::General, reg::rdx);
    }
    // What the callee leaves in registers: the results that stand behind.
    for (std::size_t k = position_behind(); k < f_.blocks[i.block].code.size(); ++k) {
      const Value value = f_.blocks[i.block].code[k];
      const Instruction& result = f_.at(value);
      if (result.op != Opcode::Result || result.a != at_) break;
      const bytecode::Signature* signature = signature_of(i);
      if (signature == nullptr || target_.counts || i.op != Opcode::Call) {
        continue;  // read from the frame
      }
      const Reg where = result_register(*signature, static_cast<std::uint32_t>(result.immediate) - i.scale);
      if (where == kNoReg) return false;
      n_.outputs.push_back({value, where, false, kNone, false});
    }
    return true;
  }
  [[nodiscard]] std::size_t position_behind() const {
    const std::vector<Value>& code = f_.blocks[f_.at(at_).block].code;
    return static_cast<std::size_t>(std::ranges::find(code, at_) - code.begin()) + 1;
  }
  [[nodiscard]] const bytecode::Signature* signature_of(const Instruction& i) const {
    if (i.op != Opcode::Call) return nullptr;
    return &target_.module.signatures[target_.module.functions[static_cast<std::uint32_t>(i.immediate)].signature];
  }

  bool result(const Instruction& i) {
    const Instruction& of = f_.at(i.a);
    if (of.op == Opcode::Call && !target_.counts) return true;  // the call gives it
    n_.outputs.push_back({at_, kNoReg, true, static_cast<std::uint32_t>(i.immediate), false});
    return true;
  }

  /// Limbs in the first vector registers, those of the result likewise.
  bool pair_function(const Instruction& i) {
    if (i.lanes > 1 && pair_code(i).lanes(bytes_of(i)) == nullptr) return false;
    Reg to = kFirstVector;
    for (const Value limb : {i.a, i.b, i.c}) {
      if (limb != kNoValue) fixed(limb, to++);
    }
    for (const Use& use : f_.uses_of(i)) fixed(use.value, to++);
    node_.loses_all = true;
    for (std::size_t k = position_behind(); k < f_.blocks[i.block].code.size(); ++k) {
      const Value value = f_.blocks[i.block].code[k];
      const Instruction& limb = f_.at(value);
      if (limb.op != Opcode::Limb || limb.a != at_) break;
      n_.outputs.push_back({value, static_cast<Reg>(kFirstVector + limb.immediate), false, kNone, false});
    }
    return true;
  }

  /// One output of operands that are in registers.
  bool made_of(std::initializer_list<Value> operands) {
    for (const Value operand : operands) in_register(operand);
    is_made_in_steps(f_.at(at_), target_.cpu) ? output_early() : output();
    return true;
  }

  bool vector(const Instruction& i) {
    if (!target_.cpu.avx2) return false;
    const std::uint32_t bytes = bytes_of(i);
    if (bytes != 16 && bytes != 32 && !(bytes == 64 && target_.cpu.avx512)) return false;
    switch (i.op) {
      case Opcode::PairFunction:
        return pair_function(i);
      case Opcode::Limb:
        return true;
      case Opcode::Splat:
        return made_of({i.a});
      case Opcode::Load:
        address(i);
        output();
        return true;
      case Opcode::Store:
        address(i);
        in_register(i.c, true);
        if (i.use_count == 0) return true;
        in_register(f_.uses_of(i)[0].value, true);
        for (int k = 0; k < (target_.cpu.slow_masked_stores ? 3 : 1); ++k) temporary(Bank::General);
        return target_.cpu.bmi2;
      case Opcode::Iota:
        output();
        return true;
      case Opcode::Compress:
        if (!target_.cpu.avx512) temporary(Bank::General);
        return size_of(i.kind) >= 4 && made_of({i.a, i.b});
      case Opcode::Convert:
        return is_float(i.kind) && !is_float(i.source) && made_of({i.a});
      case Opcode::Add:
      case Opcode::Sub:
      case Opcode::Mul:
      case Opcode::Div:
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Xor:
      case Opcode::Min:
      case Opcode::Max:
        return i.mode != Mode::Checked && made_of({i.a, i.b});
      case Opcode::Unzip:
      case Opcode::Zip:
        return size_of(i.kind) >= 4 && made_of({i.a, i.b});
      case Opcode::Compare:
        return is_float(i.source) && made_of({i.a, i.b});
      case Opcode::Select:
        return is_float(i.kind) && made_of({i.a, i.b, i.c});
      case Opcode::Shl:
      case Opcode::Shr:
        if (!is_immediate(f_, i.b)) return false;
        in_register(i.a);
        input(i.b, Needs::Nothing);
        return made_of({});
      case Opcode::Neg:
      case Opcode::Abs:
        return is_float(i.kind) && made_of({i.a});
      case Opcode::Fma:
      case Opcode::Fms:
      case Opcode::Fnma:
        return fused(i);
      case Opcode::Sqrt:
      case Opcode::Floor:
      case Opcode::Ceil:
      case Opcode::Trunc:
        return made_of({i.a});
      default:
        return false;
    }
  }

  const Function& f_;
  const Target& target_;
  Nodes& n_;
  Node node_;
  Value at_ = kNoValue;
  std::vector<std::uint8_t> is_fused_;
};

}  // namespace

bool select(const Function& function, const Target& target, Nodes& nodes) {
  return Selector(function, target, nodes).run();
}

}  // namespace cairn::jit::ssa
