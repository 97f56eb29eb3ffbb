#include "vm/cli/dump.hpp"

#include "frontend/syntax/dump.hpp"
#include "jit/jit.hpp"
#include "vm/bytecode/text.hpp"
#include "vm/cli/output.hpp"

namespace cairn::cli {

bool names_stage(std::string_view stages, std::string_view stage) {
  while (!stages.empty()) {
    const std::size_t comma = stages.find(',');
    if (stages.substr(0, comma) == stage) return true;
    stages.remove_prefix(comma == std::string_view::npos ? stages.size() : comma + 1);
  }
  return false;
}

void dump_source_stages(Session& session, std::string_view stages) {
  if (!session.project()) return;
  Compilation& compilation = session.compilation();
  const auto files = static_cast<std::uint32_t>(session.project()->files.size());
  if (names_stage(stages, "tokens")) {
    try {
      write_error(syntax::dump_tokens(compilation.sources, 0, files, compilation.names));
    } catch (const Refusal&) {
      // The text does not lex: the verdict says so.
    }
  }
  if (names_stage(stages, "tree")) {
    write_error(syntax::dump_tree(compilation.sources, compilation.names, compilation.tree));
  }
}

void dump_ssa(const bytecode::Module& module, std::string_view stages) {
  const bool every_pass = names_stage(stages, "ssa:all");
  if (!every_pass && !names_stage(stages, "ssa")) return;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) write_error(jit::ssa_text(module, i, every_pass));
}

void dump_bytecode(const bytecode::Module& module, std::string_view stages) {
  if (names_stage(stages, "bytecode")) write_error(bytecode::write_text(module));
}

void dump_assembly(Execution& execution, std::string_view stages) {
  if (names_stage(stages, "asm")) write_error(execution.assembly());
}

}  // namespace cairn::cli
