#include "vm/cli/calibration.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

#include "vm/cli/calibration_probes.hpp"
#include "vm/cli/machine.hpp"

namespace cairn::cli {

namespace {

constexpr int kRepeats = 5;  // the quickest counts: noise only adds

/// Nanoseconds of the calling thread.
double quickest(const std::function<void()>& run) {
  double best = 1e300;
  for (int k = 0; k < kRepeats; ++k) {
    const double start = thread_ns();
    run();
    best = std::min(best, thread_ns() - start);
  }
  return best;
}

/// GB/s of reading (comparing two halves) or writing so many bytes on so many threads.
double bandwidth(std::size_t bytes, unsigned threads, bool writes) {
  std::vector<std::unique_ptr<char[]>> parts;
  const std::size_t share = std::max<std::size_t>(bytes / threads, 4096) & ~std::size_t{127};
  for (unsigned k = 0; k < threads; ++k) parts.emplace_back(new char[share]());
  const std::size_t rounds = std::max<std::size_t>(1, (std::size_t{64} << 20U) / (share * threads));
  const auto work = [&](char* part) {
    for (std::size_t round = 0; round < rounds; ++round) {
      if (writes) {
        std::memset(part, static_cast<int>(round & 1U), share);
      } else if (std::memcmp(part, part + share / 2, share / 2) != 0) {
        part[0] = 0;
      }
    }
  };
  // Each thread's rate by its own clock, so that what else the machine runs counts little.
  const double bytes_of_one = static_cast<double>(share * rounds);
  if (threads == 1) return bytes_of_one / quickest([&] { work(parts.front().get()); });
  std::vector<double> rates(threads);
  std::vector<std::thread> running;
  for (unsigned k = 0; k < threads; ++k) {
    running.emplace_back([&, k] { rates[k] = bytes_of_one / quickest([&] { work(parts[k].get()); }); });
  }
  for (std::thread& each : running) each.join();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

/// Nanoseconds of a read anywhere in so many bytes; no read waits for another.
double scattered_read(std::size_t bytes) {
  constexpr std::size_t kSteps = std::size_t{1} << 16U;
  const std::vector<std::uint64_t> data(bytes / sizeof(std::uint64_t), 1);
  std::vector<std::uint32_t> where(kSteps);
  std::mt19937 random(1);
  for (std::uint32_t& each : where) each = static_cast<std::uint32_t>(random() % data.size());
  volatile std::uint64_t end = 0;
  const double ns = quickest([&] {
    std::uint64_t sum = 0;
    for (const std::uint32_t at : where) sum += data[at];
    end = sum;
  });
  return ns / static_cast<double>(kSteps);
}

double page_cost() {
  constexpr std::size_t kBytes = std::size_t{16} << 20U;
  const double ns = quickest([] {
    void* pages = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return;
    for (std::size_t at = 0; at < kBytes; at += 4096) static_cast<volatile char*>(pages)[at] = 1;
    ::munmap(pages, kBytes);
  });
  return ns / (static_cast<double>(kBytes) / 4096);
}

double cache_bytes(int name, double otherwise) {
  const long bytes = ::sysconf(name);
  return bytes > 0 ? static_cast<double>(bytes) : otherwise;
}

}  // namespace

std::expected<predict::MachineProfile, Diagnostic> calibrate() {
  predict::MachineProfile profile = predict::built_in_profile();
  const Machine machine = describe_host();
  profile.name = "calibrated-" + machine.architecture;
  profile.origin = "measured";
  profile.notes = "measured by cairn doctor --calibrate on this machine's tiers";
  profile.lanes = std::max(1U, std::thread::hardware_concurrency());
  profile.cores = profile.lanes;
  auto code = measure_code(profile.ops.begin()->second, profile.lanes);
  if (!code) return std::unexpected(code.error());
  profile.ops.clear();
  profile.ops[machine.architecture] = std::move(code->operations);
  profile.alloc_ns = code->alloc_ns;
  profile.spawn_ns = code->spawn_ns;
  profile.fork_ns = code->fork_ns;
  profile.per_lane_ns = code->per_lane_ns;

  profile.cache = {cache_bytes(_SC_LEVEL1_DCACHE_SIZE, profile.cache[0]),
                   cache_bytes(_SC_LEVEL2_CACHE_SIZE, profile.cache[1]),
                   cache_bytes(_SC_LEVEL3_CACHE_SIZE, profile.cache[2])};
  const auto lanes = static_cast<unsigned>(profile.lanes);
  constexpr double kMostBytes = 512.0 * 1024 * 1024;
  const double largest = std::min(profile.cache[2] * 3, kMostBytes);
  // Well inside each level: other programs have their share of the last one.
  const double sets[] = {profile.cache[0] / 2, profile.cache[1] / 2,
                         std::min(profile.cache[2] / 2, profile.cache[1] * 8), largest};
  for (std::size_t level = 0; level < 4; ++level) {
    const auto bytes = static_cast<std::size_t>(sets[level]);
    const std::size_t together = level < 2 ? bytes * lanes : bytes;
    profile.read[level] = {bandwidth(bytes, 1, false), bandwidth(together, lanes, false)};
    profile.write[level] = {bandwidth(bytes, 1, true), bandwidth(together, lanes, true)};
    profile.irregular_ns[level] = scattered_read(bytes);
  }
  profile.page_ns = page_cost();
  profile.measured_bytes = largest;
  return profile;
}

}  // namespace cairn::cli
