// Natives that are device work: the one way besides device operations in which a module needs a device.
#pragma once

#include <string_view>

namespace cairn::bytecode {

/// Products of whole matrices of a device's memory are named so, with the factors' scalar after it.
inline constexpr std::string_view kDeviceMultiply = "device.multiply.";

}  // namespace cairn::bytecode
