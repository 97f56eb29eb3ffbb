// Vendored CUDA of a project (abstractions, 14.3; devices, 17): the sources of the manifest's [foreign] table whose
// kernels a module launches, as the module carries them, and whether they are what the program declares.
#pragma once

#include <optional>

#include "frontend/diagnostics/diagnostic.hpp"
#include "frontend/project/project.hpp"
#include "vm/bytecode/module.hpp"

namespace cairn {

/// Gives the module every source that defines a kernel it launches, with the headers of the project's folder that the
/// source includes. Without a verdict when a file cannot be read. E-FOREIGN when a source does not compile for the
/// module's target, lacks a kernel, or defines one otherwise than declared; where there is no compiler of device code
/// that is not asked, and who runs the module is told of it.
[[nodiscard]] std::optional<Diagnostic> add_vendored_cuda(const Project& project, bytecode::Module& module);

}  // namespace cairn
