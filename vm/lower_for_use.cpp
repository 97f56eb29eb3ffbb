#include "vm/lower_for_use.hpp"

#include "vm/bytecode/verifier.hpp"
#include "vm/vendored_cuda.hpp"

namespace cairn {

std::expected<lower::Lowered, Diagnostic> lower_for_use(const Session& session, const lower::Options& options) {
  auto lowered = session.lower(options);
  if (!lowered) return lowered;
  const bool is_for_gpu = !lowered->module.built_for.empty();
  if (is_for_gpu && session.project()) {
    if (auto refusal = add_vendored_cuda(*session.project(), lowered->module)) {
      return std::unexpected(std::move(*refusal));
    }
  }
  if (const auto fault = bytecode::verify(lowered->module)) {
    return std::unexpected(
        no_verdict("This build makes no sound bytecode of the program, which is a fault of its own: " +
                   bytecode::describe(*fault, lowered->module) + "."));
  }
  return lowered;
}

}  // namespace cairn
