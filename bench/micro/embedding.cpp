// What a warm call of a program's function costs its host: nanoseconds a call of fn(u64) -> u64, the median of some
// runs.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "bench/micro/thread_time.hpp"
#include "vm/embedding/cairn.h"

int main() {
  constexpr int kCalls = 1'000'000;
  const char* text = "fn next(x:u64) -> u64 = add_wrap(x, 1);\n";
  cairn_vm* vm = cairn_vm_new(nullptr);
  cairn_module* module = cairn_load_source(vm, "next.cairn", text, std::strlen(text), nullptr);
  cairn_function* next = cairn_find(module, "next");
  cairn_value value{};
  value.kind = CAIRN_U64;
  std::vector<double> costs;
  for (int round = 0; round < 21; ++round) {
    const double begin = cairn::bench::thread_nanoseconds();
    for (int k = 0; k < kCalls; ++k) {
      if (cairn_call(next, &value, 1, &value, nullptr) != CAIRN_OK) return 1;
    }
    costs.push_back((cairn::bench::thread_nanoseconds() - begin) / kCalls);
  }
  if (value.as.u64 != 21U * kCalls) return 1;
  std::ranges::sort(costs);
  std::printf("a warm call: %.1f ns, the best run %.1f ns\n", costs[costs.size() / 2], costs.front());
  cairn_vm_free(vm);
  return 0;
}
