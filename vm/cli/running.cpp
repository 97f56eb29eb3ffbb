#include "vm/cli/running.hpp"

#include <csignal>
#include <string>

#include <sys/time.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "frontend/diagnostics/render.hpp"
#include "vm/cli/machine.hpp"

namespace cairn::cli {

namespace {

Tier tier_named(std::string_view name) {
  if (name == "interpreter") return Tier::Interpreter;
  if (name == "baseline") return Tier::Baseline;
  if (name == "optimizing") return Tier::Optimizing;
  return Tier::Auto;
}

/// Made before the timer starts: a signal handler may only write it.
std::string* last_words = nullptr;

}  // namespace

SessionOptions session_options(const Invocation& invocation) {
  SessionOptions options;
  options.first_only = true;
  options.emulate = invocation.has(Option::Emulate);
  options.device_target = invocation.text(Option::DeviceTarget);
  return options;
}

ExecutionOptions execution_options(const Invocation& invocation, std::int64_t default_mib) {
  ExecutionOptions options;
  options.tier = tier_named(invocation.text(Option::Tier));
  options.memory_bytes = static_cast<std::uint64_t>(invocation.number(Option::MemoryMib).value_or(default_mib)) << 20U;
  options.arguments = invocation.program_arguments();
  return options;
}

Diagnostic time_limit_passed(std::int64_t seconds) {
  return no_verdict("The program was stopped after " + std::to_string(seconds) + " s, its time limit.");
}

std::string emulation_claim(const std::string& target) {
  return "Device work runs on host threads, judged against " + target + "; this is no device run.";
}

nlohmann::ordered_json emulation_record(const std::string& target) {
  nlohmann::ordered_json record;
  record["runs_on"] = "host";
  record["judged_against"] = target;
  record["machine"] = describe_host().platform;
  record["claim"] = emulation_claim(target);
  record["not_checked"] = {"launches, and the registers and shared memory a device has for them",
                           "the orders in which a device runs lanes, blocks and queued work",
                           "time: that of an emulated run means nothing"};
  record["differences"] = {"a float reduction is folded in index order", "mma_unordered adds with increasing k",
                           "atomic_add_unordered keeps subnormals of f32", "old values that atomic updates give"};
  return record;
}

void end_after(std::int64_t seconds) {
  Verdict verdict;
  verdict.refusals.push_back(time_limit_passed(seconds));
  last_words = new std::string(render_human(verdict, SourceMap{}, false));  // lives as long as the process
  struct sigaction action{};
  action.sa_handler = [](int) {
    static_cast<void>(::write(STDERR_FILENO, last_words->data(), last_words->size()) < 0);
    ::_exit(kNoVerdict);
  };
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval timer{{0, 0}, {static_cast<time_t>(seconds), 0}};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace cairn::cli
