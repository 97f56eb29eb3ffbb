// Measuring this machine for `cairn predict` (tools, 12.7): what operations cost on the tiers that run programs here,
// and what memory, allocation, tasks and regions cost.
#pragma once

#include <expected>

#include "frontend/diagnostics/diagnostic.hpp"
#include "vm/predict/machine.hpp"

namespace cairn::cli {

/// Takes a few seconds and memory for arrays larger than the caches. An error says what could not be set up.
[[nodiscard]] std::expected<predict::MachineProfile, Diagnostic> calibrate();

}  // namespace cairn::cli
