#include "vm/bytecode/verifier.hpp"

#include "vm/bytecode/code_verifier.hpp"
#include "vm/bytecode/table_verifier.hpp"

namespace cairn::bytecode {

std::optional<Fault> verify(const Module& module) {
  if (auto fault = verify_tables(module)) return fault;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    if (auto fault = CodeVerifier(module, i).run()) return fault;
  }
  return std::nullopt;
}

std::string describe(const Fault& fault, const Module& module) {
  std::string text;
  if (fault.function != kNone) {
    text = "function " + module.functions[fault.function].name;
    if (fault.word != kNone) {
      text += ", word " + std::to_string(fault.word);
      const std::vector<Word>& code = module.functions[fault.function].code;
      if (fault.word < code.size() && (code[fault.word] & 0xffff) < kOperationCount) {
        text += " (" + std::string(info(op_of(code[fault.word])).text) + ")";
      }
    }
    text += ": ";
  }
  return text + fault.message;
}

}  // namespace cairn::bytecode
