// Runs something on a stack of its own, larger than the one a process starts with: the checker recurses as deep as
// types and instances nest. Memory of the stack is taken only as it is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace cairn {

/// Runs `work` and returns when it has ended. It is given the lowest address its stack may reach, with some room below
/// for whoever tests it. `work` must not throw.
void run_on_deep_stack(std::size_t bytes, const std::function<void(std::uintptr_t lowest)>& work);

}  // namespace cairn
