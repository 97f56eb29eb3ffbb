#include "vm/cli/contracts.hpp"

#include <csignal>

#include <nlohmann/json.hpp>

#include "frontend/project/files.hpp"
#include "frontend/support/sha256.hpp"
#include "vm/cli/child_process.hpp"
#include "vm/cli/shared_answer.hpp"
#include "vm/cli/validation.hpp"
#include "vm/lower_for_use.hpp"
#include "vm/testing/contract.hpp"

namespace cairn::cli {

namespace {

constexpr unsigned kCpuSeconds = 3;
constexpr double kContractSeconds = 8;

nlohmann::ordered_json run_apart(Session& session, const Contract& contract, const ExecutionOptions& options) {
  lower::Options lowering;
  lowering.entry = false;
  lowering.roots = {&contract.function()};
  auto lowered = lower_for_use(session, lowering);
  if (!lowered) return {{"status", "unknown"}, {"message", lowered.error().message}};
  const SharedAnswer answer;
  if (!answer.ready()) return {{"status", "unknown"}, {"message", "the system gives no memory to share with a child"}};
  ChildOptions limits;
  limits.timeout_seconds = kContractSeconds;
  limits.cpu_seconds = kCpuSeconds;
  limits.without_input = true;
  limits.folder = session.project()->root;
  limits.captured_bytes = 8000;
  const std::uint32_t code = lowered->roots.front();
  const auto body = [&] {
    Execution execution(std::move(lowered->module), options);
    return answer.store(contract.run(execution, code, answer.counter()).dump()) ? 0 : 1;
  };
  const auto ended = run_child(body, limits);
  if (!ended) return {{"status", "unknown"}, {"message", "the system gives no further process"}};
  if (ended->timed_out || ended->exit_code == -SIGXCPU || ended->exit_code == -SIGKILL) {
    return {{"status", "unknown"}, {"message", "the cases took longer than their time limit"}};
  }
  if (ended->exit_code != 0) {
    return {{"status", "native-trap-or-crash"},
            {"cases", contract.size()},
            {"last_case_started", *answer.counter()},
            {"exit_code", ended->exit_code},
            {"stderr", recorded_text(ended->err)}};
  }
  auto result = nlohmann::ordered_json::parse(answer.load(), nullptr, false);
  return result.is_discarded() ? nlohmann::ordered_json{{"status", "unknown"}, {"message", "the child gave no answer"}}
                               : result;
}

}  // namespace

nlohmann::ordered_json hold_to_contract(Session& session, const std::filesystem::path& file, const std::string& shown,
                                        const ExecutionOptions& options) {
  nlohmann::ordered_json record = {{"contract", shown}};
  const auto text = read_file(file, kMostContractBytes);
  if (!text) {
    record["status"] = "invalid-contract";
    record["message"] = "it cannot be read: " + text.error();
    return record;
  }
  const auto document = parse_strict_json(*text);
  const bool is_regressions = document && document->is_object() && document->contains("schema") &&
                              (*document)["schema"] == "cairn.regressions/1";
  if (is_regressions) {
    record.update(replay_regressions(session, *document));
  } else if (const auto contract = Contract::bind(*text, session.compilation()); contract) {
    record.update(run_apart(session, *contract, options));
  } else {
    record["status"] = "invalid-contract";
    record["message"] = contract.error();
  }
  record["source_sha256"] = session.source_digest();
  record["contract_sha256"] = sha256_hex(*text);
  record["formal_status"] = "not-verified";
  record["security_sandbox"] = false;
  return record;
}

}  // namespace cairn::cli
