// From a path or a text to a module that runs.
#pragma once

#include <memory>

#include "frontend/diagnostics/diagnostic.hpp"
#include "vm/embedding/vm.hpp"
#include "vm/session.hpp"

namespace cairn::embedding {

/// What `run` gives, or `failure` when something is thrown (memory is spent): nothing is thrown to a C host.
template <class R, class Run>
R guarded(R failure, Run&& run) noexcept {
  try {
    return run();
  } catch (...) {
    return failure;
  }
}

[[nodiscard]] std::unique_ptr<cairn_diagnostics> diagnostics_of(const Verdict& verdict, const SourceMap& sources);

[[nodiscard]] SessionOptions session_options(const cairn_vm& vm);
/// What every instance of the machine's is made with, but for the functions of the host.
[[nodiscard]] ExecutionOptions execution_options(const cairn_vm& vm);

/// A fresh instance of the module's program on the calling thread; why it cannot run, or empty.
[[nodiscard]] std::string start(cairn_module& module);

/// Keeps the trap and leaves the module dead.
void bury(cairn_module& module, TrapRecord record);
[[nodiscard]] cairn_trap trap_of(const cairn_module& module);

}  // namespace cairn::embedding
