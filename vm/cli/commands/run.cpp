// cairn run: checks a program, lowers it and executes it (tools, 3.2).
#include <filesystem>
#include <span>

#include <nlohmann/json.hpp>

#include "frontend/project/files.hpp"
#include "vm/bytecode/bundle.hpp"
#include "vm/cli/child_process.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/dump.hpp"
#include "vm/cli/machine.hpp"
#include "vm/cli/running.hpp"
#include "vm/device_choice.hpp"

namespace cairn::cli {

namespace {

constexpr std::size_t kMostBundleBytes = std::size_t{1} << 30U;

/// Runs the program in this process, on its own streams. The program's status, or death of its trap.
int run_here(Execution& execution) {
  execution.die_of_traps();
  const auto value = execution.run_main();
  if (!value) die_of(value.error());
  return static_cast<int>(static_cast<std::uint32_t>(*value) & 0xFFU);
}

/// --format json: the program runs in a child whose streams are captured.
int run_recorded(const Invocation& invocation, const Output& output, Execution& execution) {
  const std::optional<std::int64_t> timeout = invocation.number(Option::Timeout);
  ChildOptions limits;
  limits.timeout_seconds = static_cast<double>(timeout.value_or(0));
  const auto ended = run_child([&] { return run_here(execution); }, limits);
  if (!ended) return output.refuse(no_verdict("The system gives no further process."));
  if (ended->timed_out) return output.refuse(time_limit_passed(*timeout));
  nlohmann::ordered_json record;
  record["status"] = "program-exited";
  record["exit_code"] = ended->exit_code;
  record["stdout"] = recorded_text(ended->out);
  record["stderr"] = recorded_text(ended->err);
  record["build_directory"] = nullptr;
  record["security_sandbox"] = false;
  const std::optional<std::int64_t> memory = invocation.number(Option::MemoryMib);
  record["memory_limit_mib"] = memory ? nlohmann::ordered_json(*memory) : nlohmann::ordered_json();
  record["emulator"] = nullptr;
  if (const std::string& target = execution.module().emulated_for; !target.empty()) {
    record["emulation"] = emulation_record(target);
  }
  output.record(record);
  return ended->exit_code == 0 ? kGood : kRefused;
}

int execute(const Invocation& invocation, const Output& output, bytecode::Module module) {
  dump_bytecode(module, invocation.text(Option::Dump));
  dump_ssa(module, invocation.text(Option::Dump));
  const std::string emulated_for = module.emulated_for;
  Execution execution(std::move(module), execution_options(invocation, 0));
  dump_assembly(execution, invocation.text(Option::Dump));
  if (const auto missing = execution.missing()) return output.refuse(no_verdict(*missing));
  if (output.json()) return run_recorded(invocation, output, execution);
  if (!emulated_for.empty()) output.note(emulation_claim(emulated_for));
  if (const auto missing = execution.open_device()) return output.refuse(no_verdict(*missing + "."));
  if (const auto timeout = invocation.number(Option::Timeout)) end_after(*timeout);
  return run_here(execution);
}

/// A bundle that `build` wrote, checked and verified.
std::expected<bytecode::Module, Diagnostic> loaded_bundle(std::string_view path) {
  const std::string shown(path);
  const auto bytes = read_file(path, kMostBundleBytes);
  if (!bytes) return std::unexpected(no_verdict(shown + " cannot be read: " + bytes.error() + "."));
  auto bundle = bytecode::read_bundle(std::as_bytes(std::span(*bytes)));
  if (!bundle) return std::unexpected(no_verdict(shown + ": " + bundle.error().message + "."));
  if (bundle->module.entry == bytecode::kNone)
    return std::unexpected(no_verdict(shown + " is a library: it has no main."));
  return std::move(bundle->module);
}

}  // namespace

int run_command(const Invocation& invocation) {
  const Output output(invocation);
  if (std::filesystem::path(invocation.path()).extension() == ".cbc") {
    auto module = loaded_bundle(invocation.path());
    if (!module) return output.refuse(std::move(module.error()));
    if (invocation.has(Option::Emulate)) {
      return output.refuse(no_verdict("--emulate judges a project or a source file, and " +
                                      std::string(invocation.path()) + " is a bundle."));
    }
    if (module->emulated_for.empty() && bytecode::has_device_work(*module)) {
      if (const auto why = why_not_run_on_device(gpus_of_machine(), module->built_for)) {
        return output.refuse(no_verdict(std::string(invocation.path()) + " has device work, and " + *why + "."));
      }
    }
    return execute(invocation, output, std::move(*module));
  }
  SessionOptions options = session_options(invocation);
  options.gpus = gpus_of_machine;
  options.wants_main = true;
  const auto session = Session::open(invocation.path(), options);
  if (invocation.has(Option::Dump)) dump_source_stages(*session, invocation.text(Option::Dump));
  if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  const std::string& target = session->project()->manifest.target;
  if (target != "hosted") {
    return output.refuse(no_verdict("A program for " + target + " does not run here: its target is no host."));
  }
  if (auto refusal = session->judge_device()) return output.refuse(std::move(*refusal), session->sources());
  lower::Options lowering;
  lowering.keep_guards = invocation.has(Option::KeepGuards);
  auto lowered = session->lower(lowering);
  if (!lowered) return output.refuse(std::move(lowered.error()), session->sources());
  return execute(invocation, output, std::move(lowered->module));
}

}  // namespace cairn::cli
