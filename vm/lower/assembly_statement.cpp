// Typed assembly (abstractions, 14.5) is lowered to a call of a foreign function whose symbol holds the template, its
// operands' registers and the registers it clobbers (vm/foreign/assembly_symbol.hpp): the engine assembles it once.
// Outputs are references to their locals, arrays the address of their first element.
#include "jit/jit.hpp"
#include "vm/foreign/assembly_symbol.hpp"
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::RegisterKind;
using bytecode::RegisterType;
using bytecode::Signature;

namespace {

jit::AsmRegister register_of(const Type& type) {
  const auto bytes = static_cast<std::uint8_t>(bit_width(type.kind) / 8);
  if (type.is(TypeKind::F32)) return {jit::AsmClass::F32, bytes};
  if (type.is(TypeKind::F64)) return {jit::AsmClass::F64, bytes};
  return {jit::AsmClass::Integer, bytes};
}

}  // namespace

void FunctionLowering::assembly(const checked::AsmStmt& s) {
  if (s.target != checked::AsmTarget::X86_64) {
    return module_.fail_assembly(s.position, "the assembly is for another machine than this one, which is x86-64");
  }
  struct Output {
    Place local;
    Place memory;  // what the instructions' result is stored to
  };
  std::vector<Output> outputs;
  for (const checked::AsmOperand& operand : s.operands) {
    if (operand.output != nullptr) outputs.push_back({declare(*operand.output), {}});
  }
  const Mark mark = this->mark();
  for (std::size_t i = 0, output = 0; i < s.operands.size(); ++i) {
    if (s.operands[i].output != nullptr) outputs[output++].memory = temporary_object(*s.operands[i].output->type);
  }
  Window window = open_window();
  AssemblySymbol symbol;
  Signature signature;
  std::string passing;
  std::size_t output = 0;
  for (const checked::AsmOperand& operand : s.operands) {
    RegisterType type;
    if (operand.output != nullptr) {
      const Place& place = outputs[output++].memory;
      if (operand.value != nullptr) {
        evaluate(*operand.value, place);
      } else {
        const Register zero = temporary(*operand.output->type);
        constant(zero, 0);
        store(place, zero, s.position);
      }
      Place written = place;
      written.writable = true;
      type = {RegisterKind::Ref, true, types().memory(*operand.output->type)};
      reference(written, s.position, next_slot(window));
      symbol.operands.push_back(register_of(*operand.output->type));
    } else if (operand.address) {
      type = module_.types().parameter(*operand.value->type);
      view(*operand.value, next_slot(window));
      symbol.operands.push_back({jit::AsmClass::Integer, 8});
    } else {
      type = form(*operand.value->type);
      value(*operand.value, next_slot(window));
      symbol.operands.push_back(register_of(*operand.value->type));
    }
    placed(window, type.slots());
    signature.parameters.push_back(type);
    passing += operand.output != nullptr || operand.address ? 'p' : 'v';
  }
  symbol.clobbers.assign(s.clobbers.begin(), s.clobbers.end());
  symbol.text = s.text;
  run_assembly(s.position, std::move(symbol), signature, std::move(passing), window);
  for (const Output& each : outputs) store(each.local, load(each.memory, s.position), s.position);
  release(mark);
}

void FunctionLowering::run_assembly(Position position, AssemblySymbol symbol, const Signature& signature,
                                    std::string passing, const Window& window) {
  if (const auto code = jit::assemble_x86_64(symbol.text, symbol.operands, symbol.clobbers); !code) {
    return module_.fail_assembly(position, "this assembly cannot be run here: " + code.error());
  }
  bytecode::Foreign foreign;
  foreign.name = "asm";
  foreign.symbol = encode(symbol);
  foreign.signature = module_.builder().signature(signature);
  foreign.passing = std::move(passing);
  foreign.position = module_.position(position);
  emit(position, Op::CallForeign, f_.outgoing(window.base), module_.foreign(std::move(foreign)));
}

}  // namespace cairn::lower
