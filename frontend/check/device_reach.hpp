// What device code reaches (devices, 2.3): E-PLACEMENT at a call in a device lane or kernel fn that leads, through
// whatever calls, to a function that is lent host memory or holds a construct of the host.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "frontend/check/program.hpp"
#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

class Checker;

namespace checked {

class RowGraph;

class DeviceReach {
 public:
  DeviceReach(Checker& checker, const RowGraph& rows) : checker_(checker), rows_(rows) {}

  /// The first fault of a function, its regions included.
  [[nodiscard]] std::optional<Diagnostic> judge(const Function& function);

 private:
  /// Why device code may not reach a function, itself and what it calls included; empty when it may.
  const std::string& reason(const Function& function);
  [[nodiscard]] std::string own_reason(const Function& function) const;

  Checker& checker_;
  const RowGraph& rows_;
  std::unordered_map<const Function*, std::string> reasons_;
};

}  // namespace checked
}  // namespace cairn
