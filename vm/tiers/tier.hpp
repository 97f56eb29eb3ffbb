#pragma once

#include <cstdint>

namespace cairn {

/// What runs a program; results never differ (tools, 1.4). Auto: the interpreter first, machine code for what is hot.
enum class Tier : std::uint8_t { Interpreter, Baseline, Optimizing, Auto };

}  // namespace cairn
