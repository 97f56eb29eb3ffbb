// What a checked program asks of a device (devices, 18). Rows are known.
#pragma once

#include <span>
#include <vector>

#include "frontend/check/program.hpp"
#include "frontend/project/device_target.hpp"

namespace cairn::checked {

/// Whether anything of the program runs on a device or has memory there: then it needs a device target.
[[nodiscard]] bool has_device_work(const Program& program);

/// The features that the program's own code uses, in the order of the table; those of selected implementations are
/// judged with their selection.
[[nodiscard]] std::vector<const DeviceFeature*> device_needs(const Program& program, const NameTable& names);

}  // namespace cairn::checked
