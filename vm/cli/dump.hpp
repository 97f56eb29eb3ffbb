// --dump: what the stages of the program hold, in their own text forms, on stderr.
#pragma once

#include <string_view>

#include "vm/session.hpp"

namespace cairn::cli {

/// `stages`: a comma separated list of tokens, tree, bytecode, ssa and asm. A stage that was not reached prints
/// nothing.
void dump_stages(Session& session, std::string_view stages);

}  // namespace cairn::cli
