#include "vm/cli/test_blocks.hpp"

#include <csignal>
#include <cstring>

namespace cairn::cli {

namespace {

std::string_view last_line_starting(std::string_view text, std::string_view start) {
  std::string_view found;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    if (line.starts_with(start)) found = line;
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  return found;
}

std::string reason_of(const ChildResult& ended, double limit) {
  if (ended.timed_out) return "timed out after " + std::to_string(static_cast<std::int64_t>(limit)) + " s";
  if (const auto line = last_line_starting(ended.err, "assertion failed "); !line.empty()) return std::string(line);
  if (ended.exit_code >= 0) return "exited with status " + std::to_string(ended.exit_code);
  const int signal = -ended.exit_code;
  const char* name = ::sigabbrev_np(signal);
  std::string reason = "stopped by SIG" + (name != nullptr ? std::string(name) : std::to_string(signal));
  if (signal != SIGABRT) return reason;
  reason += ": a guard failed";
  if (const auto line = last_line_starting(ended.err, "trap: "); !line.empty())
    reason += " (" + std::string(line) + ")";
  return reason;
}

}  // namespace

std::vector<TestBlock> own_test_blocks(Session& session) {
  std::vector<TestBlock> blocks;
  const NameTable& names = session.compilation().names;
  for (const checked::Function* test : session.program().tests) {
    const Location location = session.sources().locate(test->position);
    if (location.file == nullptr || !location.file->own) continue;
    std::string label(names.text(test->declaration->name.name));
    if (test->module) label = std::string(names.text(test->module)) + "." + label;
    blocks.push_back({test, std::move(label), location.file->path, location.line});
  }
  return blocks;
}

std::vector<TestOutcome> run_test_blocks(const bytecode::Module& module, const std::vector<std::uint32_t>& code,
                                         std::size_t jobs, const ChildOptions& limits,
                                         const ExecutionOptions& options) {
  std::vector<TestOutcome> outcomes(code.size());
  ChildPool pool;
  std::size_t next = 0;
  while (next < code.size() || pool.running() > 0) {
    if (next < code.size() && pool.running() < jobs) {
      const std::size_t index = next++;
      const auto body = [&module, &options, function = code[index]] {
        Execution execution(module, options);
        execution.die_of_traps();
        if (const auto trap = execution.call(function, {}, {})) die_of(*trap);
        return 0;
      };
      if (!pool.start(index, body, limits)) outcomes[index].reason = "the system gives no further process";
      continue;
    }
    auto [index, ended] = pool.wait_any();
    outcomes[index].passed = ended.exit_code == 0 && !ended.timed_out;
    if (!outcomes[index].passed) outcomes[index].reason = reason_of(ended, limits.timeout_seconds);
    outcomes[index].ended = std::move(ended);
  }
  return outcomes;
}

}  // namespace cairn::cli
