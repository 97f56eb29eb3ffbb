// The loops that tell what operations cost on this machine's tiers: each alone and, as a twin that cannot become vector
// code, with a way out of the loop.
#pragma once

#include <expected>

#include "frontend/diagnostics/diagnostic.hpp"
#include "vm/predict/machine.hpp"

namespace cairn::cli {

/// What one thread takes for operations, an allocation, a task and a region (12.7).
struct MeasuredCode {
  predict::OperationTable operations;
  double alloc_ns = 0;
  double spawn_ns = 0;
  double fork_ns = 0;
  double per_lane_ns = 0;
};

/// `usual` gives the costs of kinds that no loop shows; `lanes` is at least 1.
[[nodiscard]] std::expected<MeasuredCode, Diagnostic> measure_code(const predict::OperationTable& usual, double lanes);

/// Nanoseconds of the calling thread's own time, for code that stays on it: what runs beside it does not count.
[[nodiscard]] double thread_ns();

}  // namespace cairn::cli
