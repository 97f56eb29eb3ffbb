// The sum in sixteen slots of magnitude (reference algorithms, 6).
#pragma once

#include <vector>

#include "runtime/reference/soft_float.hpp"

namespace cairn::reference {

/// Sums terms that are values of the format, each addition rounded; the terms are used up. Infinities and NaN follow
/// section 1.1.
[[nodiscard]] double sum_in_slots(std::vector<double>& terms, Format format, const Rounder& rounder);

}  // namespace cairn::reference
