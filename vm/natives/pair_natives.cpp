#include "vm/natives/pair_natives.hpp"

#include "runtime/processor.hpp"
#include "vm/interpreter/thread.hpp"
#include "vm/natives/pair_native_table.hpp"

namespace cairn {

namespace {

/// The record std.pair.stat.Counts.
struct Counts {
  std::uint64_t each[Instance::kPairCounters];
};

void native_count(NativeCall& call) {
  auto& counters = call.thread().instance().pair_counters();
  for (auto bits = call.get<std::uint32_t>(0); bits != 0; bits &= bits - 1) {
    counters[static_cast<std::size_t>(__builtin_ctz(bits))].fetch_add(1, std::memory_order_relaxed);
  }
}
void native_counts(NativeCall& call) {
  const auto& counters = call.thread().instance().pair_counters();
  for (std::size_t k = 0; k < counters.size(); ++k) {
    call.pointer<Counts>(0)->each[k] = counters[k].load(std::memory_order_relaxed);
  }
}
void native_reset(NativeCall& call) {
  for (auto& counter : call.thread().instance().pair_counters()) counter.store(0, std::memory_order_relaxed);
}

constexpr NativeEntry kCounterNatives[] = {
    {"pair.count", "(u32)", Capability::None, native_count},
    {"pair.counts",
     "(ref mut {u64@0, u64@8, u64@16, u64@24, u64@32, u64@40, u64@48, u64@56, u64@64, u64@72, u64@80, u64@88, u64@96, "
     "u64@104, u64@112, u64@120, u64@128}) through",
     Capability::None, native_counts},
    {"pair.reset", "()", Capability::None, native_reset},
};

}  // namespace

void add_pair_natives_portable(NativeTable& table) { add_pair_arithmetic(table); }

void add_pair_natives(NativeTable& table) {
  table.add(kCounterNatives);
  if (has_fused_avx2()) {
    add_pair_natives_avx2(table);
    add_pair_functions_avx2(table);
  } else {
    add_pair_natives_portable(table);
    add_pair_functions_portable(table);
  }
}

}  // namespace cairn
