// Which guards a lowered function evaluates: what `explain` and `diff` say of code.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

/// Kind -> how many instructions of function `index`, its closures and its lanes hold a guard of that kind that was not
/// proved unable to fail. Frames and allocations, which every call and owner has, are not counted.
[[nodiscard]] std::map<std::string_view, std::size_t> emitted_guards(const Module& module, std::uint32_t index);

/// How many guards the instructions at these words hold, counted in the same way.
[[nodiscard]] std::size_t guards_at(const Function& function, std::span<const std::uint32_t> words);
/// How many the source of the function needs, proved or not.
[[nodiscard]] std::size_t guard_sites(const Function& function);

}  // namespace cairn::bytecode
