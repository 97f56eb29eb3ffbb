// Device work of the interpreter: what its steps ask of the instance's device (cuda/device.hpp), out of line. Each
// answers what the step goes on with: the next instruction, or a failure word.
#pragma once

#include "vm/interpreter/machine.hpp"

namespace cairn::interpreter {

[[nodiscard]] const Word* placed_new(Machine m, const Word* pc);
void placed_drop(Machine m, const Word* pc);
[[nodiscard]] const Word* transfer(Machine m, const Word* pc);

[[nodiscard]] const Word* device_parallel(Machine m, const Word* pc);
[[nodiscard]] const Word* device_reduce(Machine m, const Word* pc);
[[nodiscard]] const Word* device_reduce_to(Machine m, const Word* pc);
/// device.scan and device.prefixes.
[[nodiscard]] const Word* device_scan(Machine m, const Word* pc);
[[nodiscard]] const Word* device_compact(Machine m, const Word* pc);
/// A cooperative region on the device.
[[nodiscard]] const Word* device_cooperative(Machine m, const Word* pc);

[[nodiscard]] const Word* device_launch(Machine m, const Word* pc);

[[nodiscard]] const Word* queue_after(Machine m, const Word* pc);
[[nodiscard]] const Word* queue_parallel(Machine m, const Word* pc);
[[nodiscard]] const Word* queue_transfer(Machine m, const Word* pc);
[[nodiscard]] const Word* queue_wait(Machine m, const Word* pc);

}  // namespace cairn::interpreter
