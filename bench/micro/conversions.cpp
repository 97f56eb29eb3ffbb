// Conversions of 16M floats to the storage floats and back beside a memory copy of as many bytes as they read and write
// together: milliseconds, the least of some runs, and ratios.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "bench/micro/thread_time.hpp"
#include "runtime/conversions/element_conversion.hpp"

namespace {

using namespace cairn::runtime;

constexpr std::size_t kElements = std::size_t{16} << 20U;

template <class Run>
double milliseconds(Run run) {
  double best = 1e30;
  for (int round = 0; round < 9; ++round) {
    const double begin = cairn::bench::thread_nanoseconds();
    run();
    asm volatile("" : : : "memory");
    best = std::min(best, (cairn::bench::thread_nanoseconds() - begin) * 1e-6);
  }
  return best;
}

}  // namespace

int main() {
  std::vector<float> floats(kElements);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> any(-300, 300);
  for (float& x : floats) x = any(random);
  std::vector<std::uint8_t> patterns(4 * kElements);
  std::vector<float> back(kElements);

  const char* const names[] = {"f16", "bf16", "f8e4m3", "f8e5m2"};
  const ConversionEngine best = best_conversion_engine();
  for (const StorageFloat storage :
       {StorageFloat::F16, StorageFloat::BF16, StorageFloat::F8E4M3, StorageFloat::F8E5M2}) {
    const std::size_t size = storage == StorageFloat::F16 || storage == StorageFloat::BF16 ? 2 : 1;
    const std::size_t bytes = kElements * (4 + size) / 2;  // read once and written once
    const double copy = milliseconds([&] { std::memcpy(back.data(), floats.data(), bytes); });
    std::printf("%-7s copy of %zu MiB %.2f", names[static_cast<int>(storage)], bytes >> 20U, copy);
    for (const auto& [name, engine] :
         {std::pair{"avx512", ConversionEngine::Avx512}, std::pair{"avx2", ConversionEngine::Avx2}}) {
      if (engine > best) continue;
      for (const bool streams : {true, false}) {
        const double narrow = milliseconds([&] {
          convert_elements_with({storage, false, true}, patterns.data(), floats.data(), kElements, streams, engine);
        });
        std::printf("; %s%s %.2f (%.2fx)", name, streams ? "" : " cached", narrow, narrow / copy);
      }
    }
    const double widen =
        milliseconds([&] { convert_elements({storage, false, false}, back.data(), patterns.data(), kElements, true); });
    std::printf("; back %.2f (%.2fx)\n", widen, widen / copy);
  }
}
