// What `predict`, `tune` and `diff` share: a host profile, a card, and sizes from the command line.
#pragma once

#include <expected>
#include <vector>

#include "frontend/diagnostics/diagnostic.hpp"
#include "vm/cli/arguments.hpp"
#include "vm/predict/report.hpp"

namespace cairn::cli {

/// A profile and the architecture whose costs are taken.
struct HostPricing {
  predict::MachineProfile profile;
  std::string arch;
  bool other_arch = false;
};

/// --profile, else CAIRN_PROFILE, else the built-in one; `arch`: --arch, or empty for this machine's.
[[nodiscard]] std::expected<HostPricing, Diagnostic> host_pricing(const Invocation& invocation, std::string_view arch);
/// The built-in one.
[[nodiscard]] HostPricing default_pricing();

/// The points of --at, each one option: `n=1e6,m=64`.
[[nodiscard]] std::expected<std::vector<predict::Sizes>, Diagnostic> sizes_given(const Invocation& invocation);

}  // namespace cairn::cli
