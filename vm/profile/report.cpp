#include "vm/profile/report.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "vm/bytecode/emitted_guards.hpp"
#include "vm/bytecode/owners.hpp"
#include "vm/interpreter/thread.hpp"
#include "vm/tiers/tiers.hpp"

namespace cairn::profile {
namespace {

Frame frame_of(const bytecode::Module& module, FrameKey key) {
  switch (key.kind) {
    case FrameKey::Kind::Native:
      return {module.natives[key.index].name, {}, 0};
    case FrameKey::Kind::Foreign:
      return {module.foreigns[key.index].name, {}, 0};
    case FrameKey::Kind::Deeper:
      return {"(deeper callers)", {}, 0};
    case FrameKey::Kind::Compiler:
      return {"(compiler)", {}, 0};
    case FrameKey::Kind::Function:
      break;
  }
  const bytecode::Function& function = module.functions[key.index];
  Frame frame{function.name, {}, function.position.line};
  if (function.position.file != bytecode::kNone) frame.file = module.files[function.position.file];
  return frame;
}

/// Guard sites of a function, with its closures and lanes, that code of the engine evaluates.
std::size_t emitted_by(const Sampler& sampler, std::uint32_t owner, Engine engine, std::size_t sites) {
  const bytecode::Module& module = sampler.instance().image().module();
  const Tiers* tiers = sampler.instance().tiers();
  if (engine == Engine::Interpreter || tiers == nullptr) return sites;  // it keeps every guard
  std::size_t count = 0;
  for (std::uint32_t each = 0; each < module.functions.size(); ++each) {
    if (!bytecode::is_within(module, each, owner)) continue;
    auto words =
        tiers->guarded_words(each, engine == Engine::Optimizing ? jit::Level::Optimized : jit::Level::Baseline);
    if (!words && engine == Engine::Optimizing) words = tiers->guarded_words(each, jit::Level::Baseline);
    count +=
        words ? bytecode::guards_at(module.functions[each], *words) : bytecode::guard_sites(module.functions[each]);
  }
  return count;
}

struct Totals {
  std::uint64_t time = 0;
  std::array<std::uint64_t, kEngines> self{};
  FrameKey key;
};

}  // namespace

std::string_view engine_name(Engine engine) {
  switch (engine) {
    case Engine::Interpreter:
      return "interpreter";
    case Engine::Baseline:
      return "baseline";
    case Engine::Optimizing:
      return "optimizing";
    case Engine::Native:
      return "native";
    case Engine::Emulated:
      break;
  }
  return "emulated";
}

Report report_of(const Sampler& sampler) {
  const bytecode::Module& module = sampler.instance().image().module();
  Report report;
  report.elapsed = sampler.elapsed();
  std::map<std::pair<FrameKey::Kind, std::uint32_t>, std::uint32_t> numbers;
  std::vector<Totals> totals;
  for (const auto& each : sampler.threads()) {
    const Reserved<Samples::Node>& nodes = each->samples.nodes();
    Report::OneThread thread;
    thread.name = report.threads.empty() ? "main" : "thread " + std::to_string(report.threads.size() + 1);
    if (each.get() == sampler.compiler()) thread.name = "compiler";
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Samples::Node& node = nodes[i];
      std::uint32_t frame = 0;
      if (i != Samples::kRoot) {
        const auto [at, is_new] =
            numbers.try_emplace({node.frame.kind, node.frame.index}, static_cast<std::uint32_t>(report.frames.size()));
        frame = at->second;
        if (is_new) {
          report.frames.push_back(frame_of(module, node.frame));
          totals.emplace_back().key = node.frame;
        }
      }
      std::uint64_t own = 0;
      for (std::size_t engine = 0; engine < kEngines; ++engine) own += node.nanoseconds[engine];
      thread.nodes.push_back({node.parent, frame, node.count, own});
      report.samples += node.count;
      report.nanoseconds += own;
      if (own == 0 || i == Samples::kRoot) continue;
      for (std::size_t engine = 0; engine < kEngines; ++engine) totals[frame].self[engine] += node.nanoseconds[engine];
      std::set<std::uint32_t> on_stack;
      for (std::uint32_t at = static_cast<std::uint32_t>(i); at != Samples::kRoot; at = thread.nodes[at].parent) {
        on_stack.insert(thread.nodes[at].frame);
      }
      for (const std::uint32_t number : on_stack) totals[number].time += own;
    }
    for (std::size_t i = 0; i < each->samples.events().size(); ++i) thread.events.push_back(each->samples.events()[i]);
    if (!thread.events.empty() || report.threads.empty()) report.threads.push_back(std::move(thread));
  }
  const double all = std::max<double>(1, static_cast<double>(report.nanoseconds));
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const Totals& each = totals[i];
    if (each.key.kind == FrameKey::Kind::Deeper) continue;
    FunctionShare share;
    share.name = report.frames[i].name;
    share.time = static_cast<double>(each.time) / all;
    const auto most = std::ranges::max_element(each.self);
    std::uint64_t self = 0;
    for (const std::uint64_t part : each.self) self += part;
    share.self = static_cast<double>(self) / all;
    share.engine = static_cast<Engine>(most - each.self.begin());
    if (each.key.kind == FrameKey::Kind::Function) {
      if (const Tiers* tiers = sampler.instance().tiers();
          self == 0 && tiers != nullptr && tiers->has_code(each.key.index)) {
        share.engine = tiers->has_optimized_code(each.key.index) ? Engine::Optimizing : Engine::Baseline;
      }
      for (std::uint32_t within = 0; within < module.functions.size(); ++within) {
        if (bytecode::is_within(module, within, each.key.index))
          share.sites += bytecode::guard_sites(module.functions[within]);
      }
      share.emitted = emitted_by(sampler, each.key.index, share.engine, share.sites);
    } else {
      share.engine = Engine::Native;
    }
    report.functions.push_back(std::move(share));
  }
  std::ranges::stable_sort(report.functions, [](const FunctionShare& a, const FunctionShare& b) {
    return a.self != b.self ? a.self > b.self : a.time != b.time ? a.time > b.time : a.name < b.name;
  });
  return report;
}

std::string table(const Report& report) {
  char line[128];
  std::snprintf(line, sizeof(line), "profile: %.2f s, %llu samples\n", static_cast<double>(report.elapsed) * 1e-9,
                static_cast<unsigned long long>(report.samples));
  std::string text = line;
  if (report.functions.empty()) return text;
  text += "  time   self    tier          guards  function\n";
  for (const FunctionShare& each : report.functions) {
    const std::string guards =
        each.engine == Engine::Native ? "-" : std::to_string(each.emitted) + "/" + std::to_string(each.sites);
    const std::string engine(engine_name(each.engine));
    std::snprintf(line, sizeof(line), " %5.1f%% %5.1f%%   %-11s%9s  ", 100 * each.time, 100 * each.self, engine.c_str(),
                  guards.c_str());
    text += line + each.name + "\n";
  }
  return text;
}

nlohmann::ordered_json record(const Report& report) {
  nlohmann::ordered_json functions = nlohmann::ordered_json::array();
  for (const FunctionShare& each : report.functions) {
    nlohmann::ordered_json function{{"name", each.name},
                                    {"time", each.time},
                                    {"self", each.self},
                                    {"tier", engine_name(each.engine)},
                                    {"guards", {{"emitted", each.emitted}, {"sites", each.sites}}}};
    functions.push_back(std::move(function));
  }
  return {{"elapsed_ns", report.elapsed}, {"samples", report.samples}, {"functions", std::move(functions)}};
}

}  // namespace cairn::profile
