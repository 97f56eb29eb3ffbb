#include "vm/cli/calibration.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

#include "frontend/project/manifest.hpp"
#include "vm/cli/machine.hpp"
#include "vm/cli/revisions.hpp"
#include "vm/execution.hpp"
#include "vm/session.hpp"
#include "vm/verify/versions.hpp"

namespace cairn::cli {

namespace {

constexpr std::uint64_t kTurns = 200'000;
constexpr int kRepeats = 3;  // the quickest counts: noise only adds

/// Loops whose difference from the empty one is an operation. `less`: kinds that stand in the loop beside it.
struct Probe {
  const char* kind;
  const char* before;  // declarations
  const char* turn;
  std::vector<const char*> less;
};

const std::vector<Probe>& probes() {
  static const std::vector<Probe> kProbes = {
      {"int", "let mut t:u64 = 1;", "t = t ^ 7;", {}},
      {"int_checked", "let mut t:u64 = 1;", "t = t + 3;", {}},
      {"mul", "let mut t:u64 = 1;", "t = mul_wrap(t, 5);", {}},
      {"mul_checked", "let mut t:u64 = 1;", "t = (t & 255) * 3;", {"int"}},
      {"div", "let mut t:u64 = 1000;", "t = (t | 4096) / 3;", {"int"}},
      {"index_checked", "let mut k:usize = 0;", "k = (k & 7) + 1;", {"int"}},
      {"f32", "let mut x:f32 = 1.0;", "x = x * 1.0000001;", {}},
      {"f64", "let mut x:f64 = 1.0;", "x = x * 1.0000001;", {}},
      {"f32_div", "let mut x:f32 = 1.0;", "x = x / 1.0000001;", {}},
      {"f64_div", "let mut x:f64 = 1.0;", "x = x / 1.0000001;", {}},
      {"f32_fold", "let mut x:f32 = 0.0;", "x += 1.5;", {}},
      {"f64_fold", "let mut x:f64 = 0.0;", "x += 1.5;", {}},
      {"branch", "let mut t:u64 = 0;", "if i == 77 { t = 1; }", {}},
      {"convert_guard", "let mut t:u64 = 1; let mut s:u32 = 0;", "s = u32(t & 255);", {"int"}},
      {"load", "let mut t:u64 = 0;", "t = xs[i & 1023];", {"int"}},
      {"store", "let mut t:u64 = 0;", "xs[i & 1023] = 1;", {"int"}},
      {"call", "let mut t:u64 = 0;", "t = same(t);", {}},
  };
  return kProbes;
}

/// What a loop works out is used behind it, or a tier may leave the work out.
std::string uses_of(const std::string& before) {
  std::string text;
  if (before.contains(" t:u64")) text += "  xs[0] = t;\n";
  if (before.contains(" s:u32")) text += "  xs[1] = u64(s);\n";
  if (before.contains(" k:usize")) text += "  xs[0] = u64(k);\n";
  if (before.contains(" x:f")) text += "  if x == 3.25 { xs[0] = 1; }\n";
  return text;
}

std::string program() {
  std::string text = "fn same(t:u64) -> u64 { return t ^ 1; }\n";
  const auto loop = [&](const std::string& name, const std::string& before, const std::string& turn) {
    text += "fn probe_" + name + "(n:usize, m:usize, xs:rw<u64>[m]) {\n  " + before + "\n  for i in 0..n { " + turn +
            " }\n" + uses_of(before) + "}\n";
  };
  loop("empty", "", "");
  for (const Probe& probe : probes()) loop(probe.kind, probe.before, probe.turn);
  loop("allocation", "", "let b = Buf[u8](64);");
  text += "fn quiet(t:u64) -> u64 { return t; }\n";
  text +=
      "fn probe_task(n:usize, m:usize, xs:rw<u64>[m]) {\n  for i in 0..n { let t = spawn quiet(1); let r = wait(t); "
      "}\n}\n";
  text += "fn probe_region(n:usize, m:usize, xs:rw<u64>[m]) {\n  parallel i in m { xs[i] = 1; }\n}\n";
  return text;
}

double quickest(const std::function<void()>& run) {
  double best = 1e300;
  for (int k = 0; k < kRepeats; ++k) {
    const auto start = std::chrono::steady_clock::now();
    run();
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
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
  const double ns = quickest([&] {
    if (threads == 1) return work(parts.front().get());
    std::vector<std::thread> running;
    for (auto& part : parts) running.emplace_back(work, part.get());
    for (std::thread& each : running) each.join();
  });
  return static_cast<double>(share * threads * rounds) / ns;
}

/// Nanoseconds of a read whose address is the value of the read before it, anywhere in so many bytes.
double chase(std::size_t bytes) {
  std::vector<std::uint32_t> next(bytes / sizeof(std::uint32_t));
  std::vector<std::uint32_t> order(next.size());
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (std::size_t k = 0; k < order.size(); ++k) next[order[k]] = order[(k + 1) % order.size()];
  constexpr std::size_t kSteps = 1'000'000;
  volatile std::uint32_t end = 0;
  const double ns = quickest([&] {
    std::uint32_t at = 0;
    for (std::size_t k = 0; k < kSteps; ++k) at = next[at];
    end = at;
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
  const ScratchFolder scratch;
  const std::filesystem::path file = scratch.path() / "calibration.cairn";
  std::ofstream(file) << program();
  SessionOptions options;
  options.first_only = true;
  const auto session = Session::open(file, options);
  if (!session->accepted()) {
    return std::unexpected(
        no_verdict("The calibration program is refused: " + session->verdict().refusals.front().message));
  }
  lower::Options lowering;
  lowering.entry = false;
  std::vector<std::string> names{"empty"};
  for (const Probe& probe : probes()) names.emplace_back(probe.kind);
  names.insert(names.end(), {"allocation", "task", "region"});
  for (const std::string& name : names) lowering.roots.push_back(verify::function_named(*session, "probe_" + name));
  const auto lowered = session->lower(lowering);
  if (!lowered) return std::unexpected(lowered.error());
  Execution execution(lowered->module, ExecutionOptions{});

  constexpr std::uint64_t kElements = 65536;
  std::vector<std::uint64_t> elements(kElements);
  const auto time = [&](const std::string& name, std::uint64_t turns, std::uint64_t count) {
    const auto at = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    const std::uint64_t slots[] = {turns, count, reinterpret_cast<std::uint64_t>(elements.data()), count};
    return quickest([&] { static_cast<void>(execution.call(lowered->roots[at], slots, {})); });
  };
  const auto per_turn = [&](const std::string& name, std::uint64_t turns) {
    return time(name, turns, kElements) / static_cast<double>(turns);
  };

  predict::MachineProfile profile = predict::built_in_profile();
  const Machine machine = describe_host();
  profile.name = "calibrated-" + machine.architecture;
  profile.origin = "measured";
  profile.notes = "measured by cairn doctor --calibrate on this machine's tiers";
  profile.lanes = std::max(1U, std::thread::hardware_concurrency());
  profile.cores = profile.lanes;
  predict::OperationTable table = profile.ops.begin()->second;
  const double empty = per_turn("empty", kTurns);
  for (const Probe& probe : probes()) {
    double ns = per_turn(probe.kind, kTurns) - empty;
    for (const char* less : probe.less) ns -= table.scalar[less];
    table.scalar[probe.kind] = std::max(ns, 0.02);
  }
  // What no loop shows alone is taken from its neighbours.
  table.scalar["int_fold"] = table.scalar["int_checked"];
  table.scalar["compare"] = table.scalar["branch"];
  table.scalar["convert"] = table.scalar["convert_guard"];
  table.scalar["collect"] = table.scalar["store"];
  profile.ops.clear();
  profile.ops[machine.architecture] = table;

  profile.cache = {cache_bytes(_SC_LEVEL1_DCACHE_SIZE, profile.cache[0]),
                   cache_bytes(_SC_LEVEL2_CACHE_SIZE, profile.cache[1]),
                   cache_bytes(_SC_LEVEL3_CACHE_SIZE, profile.cache[2])};
  const auto lanes = static_cast<unsigned>(profile.lanes);
  const double largest = std::min(profile.cache[2] * 3, 512.0 * 1024 * 1024);
  const double sets[] = {profile.cache[0] / 2, profile.cache[1] / 2, profile.cache[2] / 2, largest};
  for (std::size_t level = 0; level < 4; ++level) {
    const auto bytes = static_cast<std::size_t>(sets[level]);
    const std::size_t together = level < 2 ? bytes * lanes : bytes;
    profile.read[level] = {bandwidth(bytes, 1, false), bandwidth(together, lanes, false)};
    profile.write[level] = {bandwidth(bytes, 1, true), bandwidth(together, lanes, true)};
    profile.irregular_ns[level] = chase(std::min<std::size_t>(bytes, std::size_t{128} << 20U));
  }
  profile.alloc_ns = std::max(1.0, per_turn("allocation", kTurns / 10) - empty);
  profile.spawn_ns = std::max(1.0, per_turn("task", 200));
  profile.page_ns = page_cost();
  const double small = time("region", 1, 16);        // one lane: what starting a region costs
  const double wide = time("region", 1, kElements);  // all lanes
  const double body = kElements * (table.scalar["store"] + empty) / profile.lanes;
  profile.fork_ns = small;
  profile.per_lane_ns = lanes > 1 ? std::max(1.0, (wide - body - small) / (profile.lanes - 1)) : 1.0;
  profile.measured_bytes = largest;
  return profile;
}

}  // namespace cairn::cli
