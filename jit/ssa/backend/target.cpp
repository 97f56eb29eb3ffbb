// What the processor can do, and in which registers functions are given their arguments and give back their results.
#include "jit/code/machine.hpp"
#include "jit/ssa/backend/select.hpp"

namespace cairn::jit::ssa {
namespace {

constexpr Reg kGeneralArguments[] = {reg::rsi, reg::rdi, reg::r8, reg::r9, reg::r10, reg::r11};
constexpr std::uint32_t kVectorArguments = 8;

}  // namespace

const Cpu& Cpu::host() {
  static const Cpu cpu = [] {
    using asmjit::CpuFeatures;
    const asmjit::CpuInfo& info = asmjit::CpuInfo::host();
    const auto has = [&](std::uint32_t feature) { return info.hasFeature(feature); };
    Cpu made;
    made.sse41 = has(CpuFeatures::X86::kSSE4_1);
    made.bmi2 = has(CpuFeatures::X86::kBMI2);
    made.avx = has(CpuFeatures::X86::kAVX);
    made.avx2 = has(CpuFeatures::X86::kAVX2);
    made.avx512 = has(CpuFeatures::X86::kAVX512_F) && has(CpuFeatures::X86::kAVX512_DQ) &&
                  has(CpuFeatures::X86::kAVX512_BW) && has(CpuFeatures::X86::kAVX512_VL);
    made.fma = has(CpuFeatures::X86::kFMA);
    made.slow_masked_stores = (info.isVendor("AMD") || info.isVendor("AuthenticAMD")) && !made.avx512;
    return made;
  }();
  return cpu;
}

std::uint32_t parameter_slots(const bytecode::Module& module, std::uint32_t index) {
  const bytecode::Function& function = module.functions[index];
  return module.signatures[function.signature].parameter_slots() + (function.environment != kNone ? 1U : 0U);
}

bool is_float_slot(const bytecode::Module& module, std::uint32_t index, std::uint32_t slot) {
  std::uint32_t at = 0;
  for (const bytecode::RegisterType& type : module.signatures[module.functions[index].signature].parameters) {
    if (at == slot) return type.kind == bytecode::RegisterKind::F32 || type.kind == bytecode::RegisterKind::F64;
    at += type.slots();
  }
  return false;
}

Reg argument_register(const Target& target, std::uint32_t index, std::uint32_t slot) {
  if (target.counts || slot >= parameter_slots(target.module, index)) return kNoReg;
  std::uint32_t general = 0, vector = 0;
  for (std::uint32_t k = 0;; ++k) {
    const bool is_float = is_float_slot(target.module, index, k);
    if (k == slot) {
      if (is_float) return vector < kVectorArguments ? static_cast<Reg>(kFirstVector + vector) : kNoReg;
      return general < std::size(kGeneralArguments) ? kGeneralArguments[general] : kNoReg;
    }
    ++(is_float ? vector : general);
  }
}

Reg result_register(const bytecode::Signature& signature, std::uint32_t slot) {
  const bytecode::RegisterType& type = signature.result;
  if (slot >= type.slots()) return kNoReg;
  if (type.kind == bytecode::RegisterKind::F32 || type.kind == bytecode::RegisterKind::F64) return reg::xmm0;
  return slot == 0 ? reg::rax : reg::rdx;
}

bool immediate(const Function& f, Value value, std::int64_t& number) {
  const Instruction& i = f.at(value);
  if (i.op != Opcode::Const || is_float(i.kind) || i.lanes > 1) return false;
  number = i.immediate;
  return number >= INT32_MIN && number <= INT32_MAX;
}

bool frame_offset(const Function& f, const Instruction& i, std::int64_t& offset) {
  const Instruction& base = f.at(i.a);
  if (base.op != Opcode::FrameAddress) return false;
  offset = base.immediate + i.immediate;
  return offset >= 0 && offset < INT32_MAX - 64;
}

}  // namespace cairn::jit::ssa
