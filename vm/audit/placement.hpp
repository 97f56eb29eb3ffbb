// An audited function whose views are on a device: called through one of host views, which copies (17.1).
#pragma once

#include <string>

#include "vm/audit/form.hpp"

namespace cairn::audit {

/// A function `name` of the same parameters, every view on the host: it makes the views of the device, copies the
/// operands there, calls the function of `binding`, and copies back what that wrote. It stands in the same module.
[[nodiscard]] std::string host_function(const Binding& binding, const std::string& name);

}  // namespace cairn::audit
