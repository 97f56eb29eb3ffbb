// A checked program made ready to be run, kept or compiled for a device. Who only looks at bytecode lowers by itself
// (Session::lower).
#pragma once

#include "vm/session.hpp"

namespace cairn {

/// The session's program as bytecode, with the vendored CUDA whose kernels it launches, and accepted by the verifier.
/// Vendored sources are compiled where there is a compiler of device code: E-FOREIGN is told before anything runs.
[[nodiscard]] std::expected<lower::Lowered, Diagnostic> lower_for_use(const Session& session,
                                                                      const lower::Options& options);

}  // namespace cairn
