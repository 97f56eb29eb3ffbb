// Regions, tasks and groups: what the interpreter's steps call, out of line. Each answers what the step goes on with:
// the next instruction, or a failure word.
#pragma once

#include "vm/interpreter/machine.hpp"

namespace cairn::interpreter {

[[nodiscard]] const Word* run_parallel(Machine m, const Word* pc);
[[nodiscard]] const Word* run_reduce(Machine m, const Word* pc);
template <class F>
[[nodiscard]] const Word* run_exact_sum(Machine m, const Word* pc);
[[nodiscard]] const Word* run_scan(Machine m, const Word* pc);

[[nodiscard]] const Word* spawn(Machine m, const Word* pc);
[[nodiscard]] const Word* wait_ticket(Machine m, const Word* pc);
[[nodiscard]] const Word* new_group(Machine m, const Word* pc);
[[nodiscard]] const Word* spawn_into(Machine m, const Word* pc);
[[nodiscard]] const Word* collect(Machine m, const Word* pc);
[[nodiscard]] const Word* wait_group(Machine m, const Word* pc);

[[nodiscard]] const Word* lock_mutex(Machine m, const Word* pc);
void unlock_mutex(std::uint8_t* mutex);

}  // namespace cairn::interpreter
