// --dump: what the stages of the program hold, in their own text forms, on stderr.
#pragma once

#include <string_view>

#include "vm/bytecode/module.hpp"
#include "vm/execution.hpp"
#include "vm/session.hpp"

namespace cairn::cli {

/// Whether a comma separated list of stages holds one.
[[nodiscard]] bool names_stage(std::string_view stages, std::string_view stage);
/// `stages`: a comma separated list. Prints `tokens` and `tree`, as far as the program got.
void dump_source_stages(Session& session, std::string_view stages);
/// Prints `bytecode`.
void dump_bytecode(const bytecode::Module& module, std::string_view stages);
/// Prints `ssa`, what the optimizing tier makes of each function; with `ssa:all` behind each pass.
void dump_ssa(const bytecode::Module& module, std::string_view stages);
/// Prints `asm`.
void dump_assembly(Execution& execution, std::string_view stages);

}  // namespace cairn::cli
