#include "vm/cli/calibration_probes.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/project/manifest.hpp"
#include "vm/cli/revisions.hpp"
#include "vm/execution.hpp"
#include "vm/lower_for_use.hpp"
#include "vm/predict/cost.hpp"
#include "vm/predict/fit.hpp"
#include "vm/session.hpp"
#include "vm/verify/versions.hpp"

namespace cairn::cli {

namespace {

constexpr std::uint64_t kElements = 1024;  // of each array: three of eight bytes lie in the first cache
constexpr std::uint64_t kPasses = 128;
constexpr int kProbeRepeats = 9;     // the quickest counts: noise only adds
constexpr int kRepeatsOfMany = 40;   // where several threads take part
constexpr double kVectorGain = 0.6;  // vector code takes at most so much of what scalar code would

/// One turn of a loop over `a` and `b` of type `from` and `c` of type `to`; `kind` is what it is there to show.
struct Probe {
  const char* kind;
  const char* from;
  const char* to;
  const char* turn;
};

// Operands are all 1. What repeats in a turn stands in a chain that no rewriting shortens.
constexpr Probe kProbes[] = {
    {"load", "u32", "u32", "c[i] = a[i];"},
    {"load", "u64", "u64", "c[i] = a[i];"},
    {"load", "f32", "f32", "c[i] = a[i];"},
    {"load", "f64", "f64", "c[i] = a[i];"},
    {"int", "u32", "u32", "c[i] = (((((a[i] ^ b[i]) & 65535) | b[i]) ^ 21) & 4095) | 2;"},
    {"int", "u64", "u64", "c[i] = (((((a[i] ^ b[i]) & 65535) | b[i]) ^ 21) & 4095) | 2;"},
    {"int", "u32", "u32", "c[i] = add_wrap(add_wrap(add_wrap(add_wrap(a[i], b[i]), b[i]), b[i]), b[i]);"},
    {"int_checked", "u32", "u32", "c[i] = a[i] + b[i] + b[i] + b[i] + b[i];"},
    {"int_checked", "u64", "u64", "c[i] = a[i] + b[i] + b[i] + b[i] + b[i];"},
    {"mul", "u32", "u32", "c[i] = mul_wrap(mul_wrap(mul_wrap(a[i], b[i]), b[i]), b[i]);"},
    {"mul", "u64", "u64", "c[i] = mul_wrap(mul_wrap(mul_wrap(a[i], b[i]), b[i]), b[i]);"},
    {"mul_checked", "u32", "u32", "c[i] = a[i] * b[i] * b[i] * b[i];"},
    {"mul_checked", "u64", "u64", "c[i] = a[i] * b[i] * b[i] * b[i];"},
    {"div", "u32", "u32", "c[i] = a[i] / 3 % 7;"},
    {"div", "u64", "u64", "c[i] = a[i] % 10 / 3;"},
    {"div", "u32", "u32", "c[i] = a[i] / b[i];"},
    {"compare", "u32", "u32", "c[i] = max(min(max(min(a[i], b[i]), 3), b[i]), 2);"},
    {"branch", "u32", "u32", "if a[i] > 3 { c[i] = a[i]; }"},
    {"branch", "f64", "f64", "if a[i] > b[i] { c[i] = a[i]; } else { c[i] = b[i]; }"},
    {"shift_guard", "u32", "u32", "c[i] = shr(a[i], usize(b[i]));"},
    {"index_checked", "u32", "u32", "c[i] = a[i + s * 2] ^ b[i + s];"},
    {"index_checked", "f32", "f32", "c[i] = a[i + s * 2] + b[i + s];"},
    {"index_checked", "f64", "f64", "c[i] = a[i + s * 2] + b[i + s];"},
    {"bounds_guard", "f32", "f32", "c[s + i] += a[s + i] * b[s + i];"},
    {"bounds_guard", "f64", "f64", "c[s + i] += a[s + i] * b[s + i];"},
    {"f32", "f32", "f32", "c[i] = (((a[i] * b[i] + b[i]) * b[i] + a[i]) * b[i] + b[i]) * a[i];"},
    {"f64", "f64", "f64", "c[i] = (((a[i] * b[i] + b[i]) * b[i] + a[i]) * b[i] + b[i]) * a[i];"},
    {"f32", "f32", "f32", "c[i] = a[i] * b[i] + c[i];"},
    {"f64", "f64", "f64", "c[i] = a[i] * b[i] + c[i];"},
    {"f32_div", "f32", "f32", "c[i] = a[i] / b[i] / b[i];"},
    {"f64_div", "f64", "f64", "c[i] = a[i] / b[i] / b[i];"},
    {"convert", "u32", "u64", "c[i] = u64(a[i]);"},
    {"convert", "f32", "f64", "c[i] = f64(a[i]);"},
    {"convert", "u32", "f64", "c[i] = f64(a[i]);"},
    {"convert_guard", "u64", "u32", "c[i] = u32(a[i]);"},
    {"call", "u64", "u64", "c[i] = same(a[i]);"},
    {"int_fold", "u32", "u32", "t += a[i];"},
    {"int_fold", "u64", "u64", "t += a[i];"},
    {"f32_fold", "f32", "f32", "t += a[i];"},
    {"f64_fold", "f64", "f64", "t += a[i];"},
};

bool is_fold(std::string_view kind) { return kind.ends_with("_fold"); }

std::string function_of(const std::string& name, const Probe& probe, bool leaves) {
  const std::string from = probe.from;
  const std::string to = probe.to;
  const bool is_float = from.starts_with("f");
  const std::string zero = is_float ? "0.0" : "0";
  std::string text = "fn " + name + "(n:usize, m:usize, s:usize, a:ro<" + from + ">[m], b:ro<" + from + ">[m], c:rw<" +
                     to + ">[m]) {\n";
  if (is_fold(probe.kind)) text += "  let mut t:" + from + " = " + zero + ";\n";
  text += "  for _ in 0..n {\n    for i in 0..m {\n";
  if (leaves) text += std::string("      if a[i] == ") + (is_float ? "77.0" : "77") + " { break; }\n";
  text += "      " + std::string(probe.turn) + "\n    }\n  }\n";
  if (is_fold(probe.kind)) text += "  c[0] = t;\n";
  return text + "}\n";
}

struct TimedProgram {
  std::string text;
  std::vector<std::string> names;
};

TimedProgram program() {
  TimedProgram made;
  made.text = "fn same(t:u64) -> u64 { return t ^ 1; }\nfn quiet(t:u64) -> u64 { return t; }\n";
  const auto add = [&](const std::string& name, const std::string& text) {
    made.text += text;
    made.names.push_back(name);
  };
  for (std::size_t k = 0; k < std::size(kProbes); ++k) {
    const std::string name = "probe_" + std::to_string(k);
    add(name, function_of(name, kProbes[k], false));
    add(name + "_leaving", function_of(name + "_leaving", kProbes[k], true));
  }
  const std::string open = "(n:usize, m:usize, s:usize, a:ro<u64>[m], b:ro<u64>[m], c:rw<u64>[m]) {\n";
  add("collect", "fn collect" + open +
                     "  for _ in 0..n {\n    let kept = compact c for i in m where a[i] == 1 yield a[i];\n"
                     "    if kept == 77 { break; }\n  }\n}\n");
  add("allocation", "fn allocation" + open + "  for _ in 0..n { let made = Buf[u8](64); }\n}\n");
  add("task", "fn task" + open + "  for _ in 0..n { let t = spawn quiet(1); let r = wait(t); }\n}\n");
  add("region", "fn region" + open + "  parallel i in m { c[i] = a[i]; }\n}\n");
  return made;
}

double wall_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// `count` ones of a scalar type, side by side.
std::vector<std::uint64_t> ones(std::string_view type, std::uint64_t count) {
  std::vector<std::uint64_t> words(count);
  const bool is_wide = type.ends_with("64");
  const std::uint64_t one = type == "f64"   ? std::bit_cast<std::uint64_t>(1.0)
                            : type == "f32" ? std::bit_cast<std::uint32_t>(1.0F)
                                            : 1;
  for (std::uint64_t& word : words) word = is_wide ? one : one | one << 32U;
  return words;
}

/// The program of the probes, ready to be timed.
class Timer {
 public:
  Timer(bytecode::Module module, std::vector<std::uint32_t> roots, std::vector<std::string> names)
      : execution_(std::move(module), ExecutionOptions{}), roots_(std::move(roots)), names_(std::move(names)) {}

  /// The quickest of some calls over `m` elements, by a clock.
  double time(const std::string& name, std::string_view from, std::string_view to, std::uint64_t n, std::uint64_t m,
              double (*clock)() = thread_ns) {
    const auto at = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
    std::vector<std::uint64_t> a = ones(from, m);
    std::vector<std::uint64_t> b = a;
    std::vector<std::uint64_t> c = ones(to, m);
    const auto address = [](std::vector<std::uint64_t>& of) { return reinterpret_cast<std::uint64_t>(of.data()); };
    const std::uint64_t slots[] = {n, m, 0, address(a), m, address(b), m, address(c), m};
    double best = 1e300;
    const int repeats = clock == thread_ns ? kProbeRepeats : kRepeatsOfMany;
    for (int k = 0; k < repeats; ++k) {
      const double start = clock();
      static_cast<void>(execution_.call(roots_[at], slots, {}));
      best = std::min(best, clock() - start);
    }
    return best;
  }

 private:
  Execution execution_;
  std::vector<std::uint32_t> roots_;
  std::vector<std::string> names_;
};

/// The counts of a turn of a probe.
predict::TimedLoop counted(const predict::Cost& cost, double ns) {
  predict::TimedLoop loop;
  loop.ns = std::max(ns, 1e-3);
  const predict::Sizes sizes{{"n", kPasses}, {"m", kElements}, {"s", 0}};
  for (const auto& [kind, times] : cost.sequential.total().ops) {
    const double each = times.value(sizes) / (kPasses * kElements);
    if (each > 1e-3 && !is_fold(kind)) loop.ops[kind] = each;
  }
  return loop;
}

}  // namespace

double thread_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

std::expected<MeasuredCode, Diagnostic> measure_code(const predict::OperationTable& usual, double lanes) {
  const ScratchFolder scratch;
  const std::filesystem::path file = scratch.path() / "calibration.cairn";
  const TimedProgram probes = program();
  std::ofstream(file) << probes.text;
  SessionOptions options;
  options.first_only = true;
  const auto session = Session::open(file, options);
  if (!session->accepted()) {
    return std::unexpected(
        no_verdict("The calibration program is refused: " + session->verdict().refusals.front().message));
  }
  lower::Options lowering;
  lowering.entry = false;
  for (const std::string& name : probes.names) lowering.roots.push_back(verify::function_named(*session, name));
  auto lowered = lower_for_use(*session, lowering);
  if (!lowered) return std::unexpected(lowered.error());
  predict::Counter counter(session->compilation());
  const auto cost_of = [&](const std::string& name) -> const predict::Cost& {
    return counter.cost_of(*verify::function_named(*session, name));
  };
  Timer timer(std::move(lowered->module), std::move(lowered->roots), probes.names);
  const auto turn = [&](const std::string& name, const Probe& probe) {
    return timer.time(name, probe.from, probe.to, kPasses, kElements) / (kPasses * kElements);
  };

  std::vector<predict::TimedLoop> scalar;
  std::vector<predict::TimedLoop> alone;
  std::map<std::string, double> folds;
  for (std::size_t k = 0; k < std::size(kProbes); ++k) {
    const std::string name = "probe_" + std::to_string(k);
    const double ns = turn(name, kProbes[k]);
    if (is_fold(kProbes[k].kind)) {  // each step waits for the last: the whole turn is its time
      double& cost = folds[kProbes[k].kind];
      cost = std::max(cost, ns);
      continue;
    }
    alone.push_back(counted(cost_of(name), ns));
    scalar.push_back(counted(cost_of(name + "_leaving"), turn(name + "_leaving", kProbes[k])));
  }
  scalar.push_back(
      counted(cost_of("collect"), timer.time("collect", "u64", "u64", kPasses, kElements) / (kPasses * kElements)));
  // A loop is vector code when it takes far less than its operations do in loops that cannot be.
  const auto costs = predict::fitted_costs(scalar);
  std::vector<predict::TimedLoop> vector;
  for (predict::TimedLoop& loop : alone) {
    double expected = 0;
    for (const auto& [kind, times] : loop.ops) expected += times * costs.at(kind);
    (loop.ns <= kVectorGain * expected ? vector : scalar).push_back(std::move(loop));
  }

  MeasuredCode measured;
  predict::OperationTable& table = measured.operations;
  table.scalar = usual.scalar;
  for (const auto& [kind, ns] : predict::fitted_costs(scalar)) table.scalar[kind] = ns;
  for (const auto& [kind, ns] : folds) table.scalar[kind] = ns;
  table.vector = predict::fitted_costs(vector);
  for (const std::string_view kind : predict::kOperationKinds) {
    if (!table.vector.contains(std::string(kind))) table.keeps_scalar.emplace(kind);
  }
  measured.alloc_ns = std::max(1.0, timer.time("allocation", "u64", "u64", 2000, 16) / 2000);
  measured.spawn_ns = timer.time("task", "u64", "u64", 1, 16, wall_ns);
  table.scalar["wait"] = 0;  // a task's start was measured with its wait
  // A region of one lane, and one of all of them less what its elements take.
  constexpr std::uint64_t kWide = 65536;
  const double small = timer.time("region", "u64", "u64", 1, 16, wall_ns);
  const double wide = timer.time("region", "u64", "u64", 1, kWide, wall_ns);
  const double one = timer.time("probe_1", "u64", "u64", 1, kWide);
  measured.fork_ns = small;
  measured.per_lane_ns = lanes > 1 ? std::max(1.0, (wide - small - one / lanes) / (lanes - 1)) : 1;
  return measured;
}

}  // namespace cairn::cli
