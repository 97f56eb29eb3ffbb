// Vendored CUDA of a project (abstractions, 14.3; devices, 17): the sources of the manifest's [foreign] table whose
// kernels a module launches, as the module carries them, and whether they are what the program declares.
#pragma once

#include <optional>
#include <string>

#include "frontend/diagnostics/diagnostic.hpp"
#include "frontend/project/project.hpp"
#include "vm/bytecode/module.hpp"

namespace cairn {

/// Gives the module every source that defines a kernel it launches, with the headers of the project's folder that the
/// source includes. Why it cannot, as a sentence; nothing when it did.
[[nodiscard]] std::optional<std::string> add_vendored_cuda(const Project& project, bytecode::Module& module);

/// E-FOREIGN when a source of the module does not compile for its target, or defines a kernel otherwise than declared.
/// Nothing where there is no compiler of device code: who runs the module is told of that.
[[nodiscard]] std::optional<Diagnostic> judge_vendored_cuda(const bytecode::Module& module);

}  // namespace cairn
