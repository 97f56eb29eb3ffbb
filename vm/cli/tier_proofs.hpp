// cairn verify --tier optimizing PATH: whether what each pass of the optimizing tier makes of a function refines what
// it was (docs/verify.md).
#pragma once

#include "vm/cli/arguments.hpp"
#include "vm/cli/output.hpp"

namespace cairn::cli {

/// Prints an answer a function. The exit status: 0 when every pass is proved, 1 when one is refuted, else 2.
int prove_tier(const Invocation& invocation, const Output& output);

}  // namespace cairn::cli
