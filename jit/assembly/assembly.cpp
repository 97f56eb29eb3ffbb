#include <asmjit/x86.h>

#include <algorithm>
#include <vector>

#include "jit/assembly/template_parser.hpp"
#include "jit/code/machine_call.hpp"
#include "jit/jit.hpp"

namespace cairn::jit {

namespace {

using namespace asmjit;

using Entry = void (*)(std::uint64_t* values);

class Code final : public AssembledCode {
 public:
  explicit Code(const CodeHolder& code) { error_ = runtime_.add(&entry_, const_cast<CodeHolder*>(&code)); }
  ~Code() override {
    if (entry_ != nullptr) runtime_.release(entry_);
  }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  CAIRN_CALLS_MACHINE_CODE void run(std::uint64_t* values) const override { entry_(values); }
  [[nodiscard]] bool usable() const { return error_ == kErrorOk; }

 private:
  JitRuntime runtime_;
  Entry entry_ = nullptr;
  Error error_ = kErrorOk;
};

/// Registers operands may have, in the order they are given out. rbp holds the operands' array, rsp the stack.
constexpr std::uint32_t kGeneral[] = {x86::Gp::kIdAx,  x86::Gp::kIdCx, x86::Gp::kIdDx,  x86::Gp::kIdSi,
                                      x86::Gp::kIdDi,  x86::Gp::kIdR8, x86::Gp::kIdR9,  x86::Gp::kIdR10,
                                      x86::Gp::kIdR11, x86::Gp::kIdBx, x86::Gp::kIdR12, x86::Gp::kIdR13,
                                      x86::Gp::kIdR14, x86::Gp::kIdR15};
constexpr std::uint32_t kSaved[] = {x86::Gp::kIdBx, x86::Gp::kIdR12, x86::Gp::kIdR13, x86::Gp::kIdR14, x86::Gp::kIdR15};
constexpr std::string_view kNames[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                       "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

std::expected<std::vector<AsmHome>, std::string> place(std::span<const AsmRegister> operands,
                                                       std::span<const std::string_view> clobbers) {
  const auto clobbered = [&](std::string_view name) { return std::ranges::find(clobbers, name) != clobbers.end(); };
  std::vector<AsmHome> homes;
  std::size_t general = 0;
  std::uint32_t vector = 0;
  for (const AsmRegister& operand : operands) {
    if (operand.kind == AsmClass::Integer) {
      while (general < std::size(kGeneral) && clobbered(kNames[kGeneral[general]])) ++general;
      if (general == std::size(kGeneral)) return std::unexpected("it needs more registers than there are");
      homes.push_back({false, operand.bytes, kGeneral[general++]});
    } else {
      while (vector < 16 && clobbered("xmm" + std::to_string(vector))) ++vector;
      if (vector == 16) return std::unexpected("it needs more vector registers than there are");
      homes.push_back({true, operand.bytes, vector++});
    }
  }
  return homes;
}

/// Loads or stores every operand's word.
void transfer(x86::Assembler& a, std::span<const AsmHome> homes, std::span<const AsmRegister> operands, bool load) {
  for (std::size_t i = 0; i < homes.size(); ++i) {
    const x86::Mem word = x86::qword_ptr(x86::rbp, static_cast<std::int32_t>(8 * i));
    if (!homes[i].vector) {
      load ? a.mov(x86::gpq(homes[i].id), word) : a.mov(word, x86::gpq(homes[i].id));
    } else if (operands[i].kind == AsmClass::F32) {
      const x86::Mem low = x86::dword_ptr(x86::rbp, static_cast<std::int32_t>(8 * i));
      load ? a.movss(x86::xmm(homes[i].id), low) : a.movss(low, x86::xmm(homes[i].id));
    } else {
      load ? a.movsd(x86::xmm(homes[i].id), word) : a.movsd(word, x86::xmm(homes[i].id));
    }
  }
}

}  // namespace

std::expected<std::unique_ptr<AssembledCode>, std::string> assemble_x86_64(std::string_view text,
                                                                           std::span<const AsmRegister> operands,
                                                                           std::span<const std::string_view> clobbers) {
  const auto homes = place(operands, clobbers);
  if (!homes) return std::unexpected(homes.error());
  const auto instructions = parse_template(text, *homes);
  if (!instructions) return std::unexpected(instructions.error());

  CodeHolder holder;
  if (holder.init(Environment::host()) != kErrorOk) {
    return std::unexpected("this processor is not x86-64");
  }
  x86::Assembler a(&holder);
  a.addDiagnosticOptions(DiagnosticOptions::kValidateAssembler);
  a.push(x86::rbp);
  for (const std::uint32_t saved : kSaved) a.push(x86::gpq(saved));
  a.mov(x86::rbp, x86::rdi);
  transfer(a, *homes, operands, true);
  for (const AsmInstruction& instruction : *instructions) {
    const Error error = a.emitOpArray(instruction.id, instruction.operands.data(), instruction.operands.size());
    if (error != kErrorOk) {
      String shown;
      InstAPI::instIdToString(Arch::kX64, instruction.id, shown);
      return std::unexpected("the instruction " + std::string(shown.data(), shown.size()) +
                             " does not take these operands (" + DebugUtils::errorAsString(error) + ")");
    }
  }
  transfer(a, *homes, operands, false);
  for (std::size_t i = std::size(kSaved); i-- > 0;) a.pop(x86::gpq(kSaved[i]));
  a.pop(x86::rbp);
  a.ret();
  auto code = std::make_unique<Code>(holder);
  if (!code->usable()) return std::unexpected("there is no memory for its code");
  return code;
}

}  // namespace cairn::jit
