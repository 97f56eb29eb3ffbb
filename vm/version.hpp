// The version of the machine, its command line and its library.
#pragma once

#include <string_view>

namespace cairn {

inline constexpr std::string_view kVersion = "0.1.0";  // with a NUL behind it

}  // namespace cairn
