// The natives behind std.pair and std.pair.stat: every function of pair floats for both limb types, by the names
// `pair.FUNCTION.LIMB`. They are compiled twice from one table, for any processor and for one with fused operations and
// 256-bit vectors; the bits are the same.
#pragma once

#include <span>

#include "vm/interpreter/native.hpp"

namespace cairn {

/// The natives for the processor this runs on.
void add_pair_natives(NativeTable& table);

/// The two builds of the arithmetic and of the functions. The second is called only where the processor has AVX2 and
/// fused operations.
void add_pair_natives_portable(NativeTable& table);
void add_pair_natives_avx2(NativeTable& table);
void add_pair_functions_portable(NativeTable& table);
void add_pair_functions_avx2(NativeTable& table);

}  // namespace cairn
