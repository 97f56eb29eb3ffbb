// How fast a tier makes machine code: megabytes of bytecode a second, over every function of a program, the best of
// some runs. `bench_baseline FILE.cairn [optimizing]`.
#include <algorithm>
#include <cstdio>

#include "bench/micro/thread_time.hpp"
#include "vm/interpreter/thread.hpp"
#include "vm/natives/c_library.hpp"
#include "vm/session.hpp"
#include "vm/tiers/tiers.hpp"

int main(int count, char** arguments) {
  using namespace cairn;  // NOLINT
  if (count != 2 && count != 3) return 2;
  const Tier tier = count == 3 ? Tier::Optimizing : Tier::Baseline;
  SessionOptions options;
  options.wants_main = true;
  const auto session = Session::open(arguments[1], options);
  if (!session->accepted()) return 1;
  lower::Options lowering;
  lowering.roots = session->own_functions();
  auto lowered = session->lower(lowering);
  if (!lowered) return 1;
  const Image image(std::move(lowered->module), c_library_natives());
  std::size_t words = 0;
  for (const bytecode::Function& function : image.module().functions) words += function.code.size();
  DescriptorSink output;
  double best = 1e9;
  std::size_t bytes = 0;
  for (int run = 0; run < 9; ++run) {
    Instance instance(image, output, {}, tier);
    Thread thread(instance);
    const double begin = bench::thread_nanoseconds();
    bytes = instance.tiers()->compile_all(thread);
    best = std::min(best, (bench::thread_nanoseconds() - begin) / 1e9);
  }
  const double megabytes = static_cast<double>(words) * 8 / 1e6;
  std::printf("%zu functions, %.2f MB of bytecode, %.2f MB of machine code: %.1f ms, %.1f MB of bytecode a second\n",
              image.module().functions.size(), megabytes, static_cast<double>(bytes) / 1e6, best * 1e3,
              megabytes / best);
  return 0;
}
