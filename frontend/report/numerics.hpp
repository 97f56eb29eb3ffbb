// The roundings a function writes, as receipts list them (numerics, 10): one entry per rounding in source order. The
// set of entries is also what an implementation may not add to (E-IMPL-NUMERICS).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/check/program.hpp"

namespace cairn {

struct NumericsEntry {
  Position position;
  std::vector<std::pair<std::string_view, std::string>> fields;  // in the receipt's order, `line` left out

  /// Equal for equal roundings, wherever they stand.
  [[nodiscard]] std::string key() const;
};

/// The entries of a function's own body, its closures and lane bodies included.
[[nodiscard]] std::vector<NumericsEntry> numerics_of(const checked::Function& function, const NameTable& names);

/// Float reductions and scans a function runs on the device: not listed, yet each counts as a rounding of an
/// implementation.
[[nodiscard]] std::vector<NumericsEntry> device_folds_of(const checked::Function& function);

}  // namespace cairn
