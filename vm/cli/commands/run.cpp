// cairn run: checks a program, lowers it and executes it (tools, 3.2).
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "frontend/project/files.hpp"
#include "vm/bytecode/bundle.hpp"
#include "vm/cli/child_process.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/dump.hpp"
#include "vm/cli/machine.hpp"
#include "vm/cli/running.hpp"
#include "vm/device_choice.hpp"
#include "vm/lower_for_use.hpp"
#include "vm/profile/report.hpp"

namespace cairn::cli {

namespace {

constexpr std::size_t kMostBundleBytes = std::size_t{1} << 30U;

/// A file of `--profile-out`.
struct ProfileFile {
  std::string path;
  std::shared_ptr<std::FILE> open;
};

/// Runs the program in this process, on its own streams. The program's status, or death of its trap. `told` is given
/// the profile at the end, when one is wanted.
int run_here(Execution& execution, const std::function<void(const profile::Report&)>& told) {
  const auto last = [&execution, told] {
    if (!told) return;
    if (const auto report = execution.end_profile()) told(*report);
  };
  execution.die_of_traps(last);
  if (told) execution.begin_profile();
  const auto value = execution.run_main();
  if (!value) die_of(value.error(), last);
  last();
  return static_cast<int>(static_cast<std::uint32_t>(*value) & 0xFFU);
}

/// Opened before the program runs, so that a file that cannot be written is told at once.
std::expected<std::vector<ProfileFile>, Diagnostic> profile_files(const Invocation& invocation) {
  std::vector<ProfileFile> files;
  for (const std::string_view path : invocation.texts(Option::ProfileOut)) {
    ProfileFile file{std::string(path),
                     std::shared_ptr<std::FILE>(std::fopen(std::string(path).c_str(), "we"), [](std::FILE* open) {
                       if (open != nullptr) std::fclose(open);
                     })};
    if (file.open == nullptr)
      return std::unexpected(no_verdict(file.path + " cannot be written: " + std::strerror(errno) + "."));
    files.push_back(std::move(file));
  }
  return files;
}

void write_profiles(const profile::Report& report, const std::vector<ProfileFile>& files) {
  for (const ProfileFile& file : files) {
    const std::string text = file.path.ends_with(".folded") ? profile::folded(report)
                             : file.path.ends_with(".json") ? profile::speedscope(report)
                                                            : profile::flame_graph(report);
    const bool whole = std::fwrite(text.data(), 1, text.size(), file.open.get()) == text.size();
    if (std::fflush(file.open.get()) != 0 || !whole) write_error("error: " + file.path + " could not be written.\n");
  }
}

/// --format json: the program runs in a child whose streams are captured.
int run_recorded(const Invocation& invocation, const Output& output, Execution& execution, bool profiled,
                 const std::vector<ProfileFile>& files) {
  const std::optional<std::int64_t> timeout = invocation.number(Option::Timeout);
  ChildOptions limits;
  limits.timeout_seconds = static_cast<double>(timeout.value_or(0));
  // The child leaves its profile here: its streams are the program's.
  const std::shared_ptr<std::FILE> left(profiled ? std::tmpfile() : nullptr, [](std::FILE* open) {
    if (open != nullptr) std::fclose(open);
  });
  std::function<void(const profile::Report&)> told;
  if (profiled) {
    told = [&](const profile::Report& report) {
      write_profiles(report, files);
      if (left == nullptr) return;
      const std::string text = profile::record(report).dump();
      std::fwrite(text.data(), 1, text.size(), left.get());
      std::fflush(left.get());
    };
  }
  const auto ended = run_child([&] { return run_here(execution, told); }, limits);
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
  if (left != nullptr) {
    std::string text;
    char buffer[4096];
    const bool is_at_start = std::fseek(left.get(), 0, SEEK_SET) == 0;
    while (const std::size_t count = is_at_start ? std::fread(buffer, 1, sizeof(buffer), left.get()) : 0)
      text.append(buffer, count);
    record["profile"] = text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json::parse(text);
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
  const auto files = profile_files(invocation);
  if (!files) return output.refuse(files.error());
  const bool profiled = invocation.has(Option::Profile) || !files->empty();
  if (output.json()) return run_recorded(invocation, output, execution, profiled, *files);
  if (!emulated_for.empty()) output.note(emulation_claim(emulated_for));
  if (const auto missing = execution.open_device()) return output.refuse(no_verdict(*missing + "."));
  if (const auto timeout = invocation.number(Option::Timeout)) end_after(*timeout);
  std::function<void(const profile::Report&)> told;
  if (profiled) {
    told = [&files](const profile::Report& report) {
      write_error(profile::table(report));
      write_profiles(report, *files);
    };
  }
  return run_here(execution, told);
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
  auto lowered = lower_for_use(*session, lowering);
  if (!lowered) return output.refuse(std::move(lowered.error()), session->sources());
  return execute(invocation, output, std::move(lowered->module));
}

}  // namespace cairn::cli
