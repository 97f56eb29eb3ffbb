// cairn check: every static rule, every independent refusal (tools, 3.1).
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "frontend/diagnostics/render.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/dump.hpp"
#include "vm/session.hpp"

namespace cairn::cli {

namespace fs = std::filesystem;

namespace {

struct Answer {
  int status = kGood;
  nlohmann::ordered_json record;  // for either form the command was asked for, one of the two is made
  std::string text;               // for people: to stdout when accepted, to stderr when refused
};

nlohmann::ordered_json accepted_record(Session& session, bool generics) {
  const Session::Counts counts = session.counts();
  nlohmann::ordered_json record;
  record["status"] = "typed";
  record["functions"] = counts.functions;
  record["library_functions"] = counts.library;
  record["formal_status"] = "not-verified";
  record["project"] = session.project_record();
  if (generics) {
    nlohmann::ordered_json certified = nlohmann::ordered_json::object();
    for (const auto& [name, answer] : session.compilation().generics) certified[name] = answer;
    record["generics"] = std::move(certified);
  }
  return record;
}

std::string accepted_text(Session& session, bool generics) {
  const Session::Counts counts = session.counts();
  const std::size_t own = counts.functions - counts.library;
  std::string line = "typed: " + std::to_string(own) + " function" + (own == 1 ? "" : "s");
  if (counts.library > 0) line += ", and " + std::to_string(counts.library) + " from the library";
  line += "\n";
  if (!generics) return line;
  for (const auto& [name, answer] : session.compilation().generics) {
    if (answer != "ok") line += "  " + name + ": " + answer + "\n";
  }
  return line;
}

int check_once(const Invocation& invocation, const Output& output, bool one_line) {
  SessionOptions options;
  options.generics = invocation.has(Option::Generics);
  options.emulate = invocation.has(Option::Emulate);
  options.device_target = invocation.text(Option::DeviceTarget);
  const auto session = Session::open(invocation.path(), options);
  if (invocation.has(Option::CheckDump)) dump_source_stages(*session, invocation.text(Option::CheckDump));
  if (!session->accepted()) {
    if (!one_line) return output.refuse(session->verdict(), session->sources());
    output.record_line(record_of(session->verdict(), session->sources()));
    return kRefused;
  }
  if (invocation.has(Option::CheckDump) && names_stage(invocation.text(Option::CheckDump), "bytecode")) {
    const lower::Options everything{.entry = false, .tests = true, .roots = session->own_functions()};
    const auto lowered = session->lower(everything);
    if (!lowered) return output.refuse(lowered.error());
    dump_bytecode(lowered->module, invocation.text(Option::CheckDump));
  }
  if (one_line) {
    output.record_line(accepted_record(*session, options.generics));
  } else if (output.json()) {
    output.record(accepted_record(*session, options.generics));
  } else {
    output.say(accepted_text(*session, options.generics));
  }
  for (const auto& [name, answer] : session->compilation().generics) {
    if (answer != "ok") return kRefused;
  }
  return kGood;
}

/// What tells whether a file changed; nothing for one that is not there.
struct Stamp {
  fs::file_time_type time;
  std::uintmax_t size = 0;
  friend bool operator==(const Stamp&, const Stamp&) = default;
};

std::vector<std::pair<fs::path, Stamp>> stamps(const fs::path& operand) {
  std::vector<std::pair<fs::path, Stamp>> result;
  for (fs::path& path : watched_files(operand)) {
    std::error_code error;
    Stamp stamp;
    stamp.time = fs::last_write_time(path, error);
    if (error) stamp.time = {};
    stamp.size = fs::file_size(path, error);
    if (error) stamp.size = 0;
    result.emplace_back(std::move(path), stamp);
  }
  return result;
}

std::string clock_line(std::string_view path) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &local);
  return "-- " + std::string(text) + " " + std::string(path) + "\n";
}

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler writes it

int watch(const Invocation& invocation, const Output& output) {
  using namespace std::chrono_literals;
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted = true; };
  ::sigaction(SIGINT, &action, nullptr);
  auto last = stamps(invocation.path());
  while (!interrupted) {
    if (!output.json()) output.say(clock_line(invocation.path()));
    check_once(invocation, output, output.json());
    while (!interrupted) {
      std::this_thread::sleep_for(250ms);
      auto now = stamps(invocation.path());
      if (now == last) continue;
      last = std::move(now);
      break;
    }
  }
  return kGood;
}

}  // namespace

int check_command(const Invocation& invocation) {
  const Output output(invocation);
  if (invocation.has(Option::Watch)) return watch(invocation, output);
  return check_once(invocation, output, false);
}

}  // namespace cairn::cli
