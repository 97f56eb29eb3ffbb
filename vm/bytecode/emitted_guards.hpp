// Which guards a lowered function evaluates: what `explain` and `diff` say of code.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

/// Kind -> how many instructions of function `index`, its closures and its lanes hold a guard of that kind that was not
/// proved unable to fail. Frames and allocations, which every call and owner has, are not counted.
[[nodiscard]] std::map<std::string_view, std::size_t> emitted_guards(const Module& module, std::uint32_t index);

}  // namespace cairn::bytecode
