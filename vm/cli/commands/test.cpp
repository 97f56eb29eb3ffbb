// cairn test: test blocks, each in a process of its own, and task contracts (tools, 8).
#include <algorithm>
#include <filesystem>
#include <thread>

#include <nlohmann/json.hpp>

#include "vm/cli/commands/commands.hpp"
#include "vm/cli/contracts.hpp"
#include "vm/cli/machine.hpp"
#include "vm/cli/test_blocks.hpp"
#include "vm/lower_for_use.hpp"

namespace cairn::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kDefaultTimeout = 60;
constexpr std::int64_t kDefaultMib = 1024;
constexpr std::size_t kShownCharacters = 8000;
constexpr std::int64_t kMostDefaultJobs = 8;

struct ContractFile {
  fs::path path;
  std::string shown;
};

struct Selection {
  std::vector<TestBlock> blocks;
  std::vector<ContractFile> contracts;
};

std::expected<Selection, Diagnostic> select(const Invocation& invocation, Session& session) {
  Selection selection;
  const fs::path& root = session.project()->root;
  if (invocation.has(Option::ContractFile)) {
    const fs::path given(invocation.text(Option::ContractFile));
    std::error_code error;
    const fs::path path = fs::exists(given, error) ? given : root / given;
    if (!fs::exists(path, error)) return std::unexpected(no_verdict(given.generic_string() + " does not exist."));
    selection.contracts.push_back({path, given.generic_string()});
    return selection;
  }
  const bool by_name = invocation.has(Option::TestName);
  const std::string_view name = invocation.text(Option::TestName);
  const std::string_view filter = invocation.text(Option::Filter);
  for (TestBlock& block : own_test_blocks(session)) {
    if (by_name ? block.label == name : block.label.contains(filter)) selection.blocks.push_back(std::move(block));
  }
  for (const std::string& contract : session.project()->manifest.tests) {
    if (!by_name && fs::path(contract).filename().string().contains(filter)) {
      selection.contracts.push_back({root / contract, contract});
    }
  }
  if (selection.blocks.empty() && selection.contracts.empty()) {
    return std::unexpected(
        no_verdict("No test was selected: the program has no test block and no contract of that name."));
  }
  return selection;
}

std::size_t workers(const Invocation& invocation) {
  const std::int64_t asked = invocation.number(Option::Jobs).value_or(0);
  if (asked > 0) return static_cast<std::size_t>(asked);
  const auto cores = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  return static_cast<std::size_t>(std::min(cores, kMostDefaultJobs));
}

/// The first characters of a stream, as text.
std::string beginning(const std::string& bytes) {
  std::string text = recorded_text(bytes);
  if (text.size() <= kShownCharacters) return text;
  std::size_t end = kShownCharacters;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

class TestRun {
 public:
  TestRun(const Invocation& invocation, Session& session, Selection selection)
      : invocation_(invocation),
        session_(session),
        selection_(std::move(selection)),
        execution_(execution_options(invocation, kDefaultMib)) {}

  /// A refusal when the blocks cannot be lowered.
  std::optional<Diagnostic> run() {
    if (!selection_.blocks.empty()) {
      lower::Options lowering;
      lowering.entry = false;
      for (const TestBlock& block : selection_.blocks) lowering.roots.push_back(block.function);
      const auto lowered = lower_for_use(session_, lowering);
      if (!lowered) return lowered.error();
      ChildOptions limits;
      limits.timeout_seconds = static_cast<double>(invocation_.number(Option::Timeout).value_or(kDefaultTimeout));
      limits.without_input = true;
      limits.folder = session_.project()->root;
      limits.captured_bytes = 4 * kShownCharacters;
      outcomes_ = run_test_blocks(lowered->module, lowered->roots, workers(invocation_), limits, execution_);
    }
    for (const ContractFile& contract : selection_.contracts) {
      contracts_.push_back(hold_to_contract(session_, contract.path, contract.shown, execution_));
    }
    return std::nullopt;
  }

  [[nodiscard]] bool passed() const { return failed_blocks() == 0 && std::ranges::all_of(contracts_, contract_passed); }

  [[nodiscard]] std::string text() const {
    std::string line;
    const auto part = [&](const std::string& what) { line += (line.empty() ? "" : ", ") + what; };
    const std::size_t blocks = selection_.blocks.size();
    if (failed_blocks() > 0) {
      part(std::to_string(failed_blocks()) + " of " + counted(blocks, "test") + " failed");
    } else if (blocks > 0) {
      part(counted(blocks, "test"));
    }
    if (!contracts_.empty()) {
      std::size_t cases = 0;
      for (const auto& contract : contracts_) cases += contract.value("cases", std::size_t{0});
      part(counted(contracts_.size(), "contract"));
      if (cases > 0) part(counted(cases, "case"));
    }
    std::string text = std::string(status()) + ": " + line + "\n";
    for (std::size_t at = 0; at < contracts_.size(); ++at) {
      if (contract_passed(contracts_[at])) continue;
      text += "  " + fs::path(selection_.contracts[at].shown).filename().string() + ": " +
              contracts_[at]["status"].get<std::string>();
      text += "\n";
      if (contracts_[at].contains("message")) text += "    " + contracts_[at]["message"].get<std::string>() + "\n";
    }
    for (std::size_t at = 0; at < blocks; ++at) {
      if (!outcomes_[at].passed) text += "  test " + selection_.blocks[at].label + ": " + outcomes_[at].reason + "\n";
    }
    return text;
  }

  [[nodiscard]] nlohmann::ordered_json record() const {
    nlohmann::ordered_json tests = nlohmann::ordered_json::array();
    for (std::size_t at = 0; at < selection_.blocks.size(); ++at) tests.push_back(block_record(at));
    const std::size_t failed = failed_blocks();
    nlohmann::ordered_json blocks;
    blocks["status"] = tests.empty() ? "no-test-blocks" : failed == 0 ? "passed-test-blocks" : "test-blocks-failed";
    blocks["passed"] = tests.size() - failed;
    blocks["failed"] = failed;
    blocks["workers"] = workers(invocation_);
    blocks["build"] = {{"status", "built"}, {"source_sha256", session_.source_digest()}};
    if (session_.is_emulated()) blocks["emulation"] = emulation_record(session_.device_target());
    blocks["tests"] = std::move(tests);
    return {
        {"status", status()}, {"formal_status", "not-verified"}, {"tests", contracts_}, {"blocks", std::move(blocks)}};
  }

 private:
  static bool contract_passed(const nlohmann::ordered_json& contract) {
    return contract["status"] == "passed-finite-tests";
  }
  [[nodiscard]] std::string_view status() const { return passed() ? "passed-finite-tests" : "tests-not-passed"; }
  [[nodiscard]] std::size_t failed_blocks() const {
    return static_cast<std::size_t>(std::ranges::count(outcomes_, false, &TestOutcome::passed));
  }

  [[nodiscard]] nlohmann::ordered_json block_record(std::size_t at) const {
    const TestBlock& block = selection_.blocks[at];
    const TestOutcome& outcome = outcomes_[at];
    nlohmann::ordered_json record = {{"name", block.label},
                                     {"file", block.file},
                                     {"line", block.line},
                                     {"status", outcome.passed ? "passed" : "failed"},
                                     {"exit_code", outcome.ended.exit_code}};
    if (!outcome.passed) record["reason"] = outcome.reason;
    record["stdout"] = beginning(outcome.ended.out);
    record["stderr"] = beginning(outcome.ended.err);
    record["elapsed_seconds"] = outcome.ended.seconds;
    return record;
  }

  const Invocation& invocation_;
  Session& session_;
  Selection selection_;
  ExecutionOptions execution_;
  std::vector<TestOutcome> outcomes_;
  std::vector<nlohmann::ordered_json> contracts_;
};

}  // namespace

int test_command(const Invocation& invocation) {
  const Output output(invocation);
  SessionOptions options = session_options(invocation);
  options.gpus = gpus_of_machine;
  const auto session = Session::open(invocation.path(), options);
  if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  if (auto refusal = session->judge_board()) return output.refuse(std::move(*refusal), session->sources());
  if (auto refusal = session->judge_device()) return output.refuse(std::move(*refusal), session->sources());
  auto selection = select(invocation, *session);
  if (!selection) return output.refuse(std::move(selection.error()));
  if (session->is_emulated()) output.note(emulation_claim(session->device_target()));
  TestRun run(invocation, *session, std::move(*selection));
  if (auto refusal = run.run()) return output.refuse(std::move(*refusal), session->sources());
  if (output.json()) {
    output.record(run.record());
  } else {
    output.say(run.text());
  }
  return run.passed() ? kGood : kRefused;
}

}  // namespace cairn::cli
