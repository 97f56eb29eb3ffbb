#include "vm/cli/tier_proofs.hpp"

#include <algorithm>
#include <csignal>
#include <memory>
#include <thread>

#include <nlohmann/json.hpp>

#include "vm/cli/child_process.hpp"
#include "vm/cli/progress.hpp"
#include "vm/cli/running.hpp"
#include "vm/cli/shared_answer.hpp"
#include "vm/natives/c_library.hpp"
#include "vm/verify/ssa/refinement.hpp"

namespace cairn::cli {

using Json = nlohmann::ordered_json;

namespace {

using verify::Refinement;

constexpr std::int64_t kDefaultTimeoutMs = 1000;
constexpr unsigned kBudgetTimes = 40;  // of a question's time: one function's, looked at before each pass
constexpr unsigned kProverTimes = 60;  // of it: one function's, after which its process is ended
constexpr unsigned kLeastProverSeconds = 10;
constexpr double kProverWallTimes = 60;  // of a function's processor time: its time of the wall
constexpr unsigned kMostProvers = 8;
constexpr std::uint32_t kVectorBytes = 16;  // of the vectors passes make here: a few turns fill them

std::string_view text(Refinement::Status status) {
  constexpr std::string_view kTexts[] = {"refines", "refuted", "unknown"};
  return kTexts[static_cast<std::size_t>(status)];
}

/// What a child says of one function: each pass that changed it.
Json prove(const Image& image, std::uint32_t function, const verify::RefinementOptions& options) {
  Json passes = Json::array();
  const auto answers = verify::refine_passes(image, function, options);
  if (!answers) return {{"status", "none"}, {"reason", "it has no form there: other code is made of it"}};
  std::string status = "refines";
  bool bounded = false;
  for (const verify::PassRefinement& each : *answers) {
    Json pass = {{"pass", each.pass}, {"status", text(each.answer.status)}};
    if (each.line != 0) pass["from_loop_at_line"] = each.line;
    if (!each.answer.reason.empty()) pass["reason"] = each.answer.reason;
    if (each.answer.bounded) pass["turns"] = options.turns;
    if (each.answer.status == Refinement::Status::Refuted) {
      pass["input"] = each.answer.input;
      pass["expected"] = each.answer.expected;
      pass["actual"] = each.answer.actual;
      pass["before"] = each.before;
      pass["after"] = each.after;
      status = "refuted";
    } else if (each.answer.status == Refinement::Status::Unknown && status == "refines") {
      status = "unknown";
    }
    bounded = bounded || each.answer.bounded;
    passes.push_back(std::move(pass));
  }
  Json record = {{"status", status}, {"passes", std::move(passes)}};
  if (bounded) record["turns"] = options.turns;
  return record;
}

std::string for_people(const std::string& name, const Json& record) {
  const std::string status = record["status"];
  std::string said = status + ": " + name;
  if (status == "refines" && record.contains("turns")) {
    said += ", loops followed for " + std::to_string(record["turns"].get<std::uint32_t>()) + " turns";
  }
  said += "\n";
  if (record.contains("reason")) said += "  " + record["reason"].get<std::string>() + "\n";
  if (!record.contains("passes")) return said;
  for (const Json& pass : record["passes"]) {
    if (pass["status"] == "refines") continue;
    said += "  " + pass["pass"].get<std::string>();
    if (pass.contains("from_loop_at_line")) {
      said += ", taken up in the loop at line " + std::to_string(pass["from_loop_at_line"].get<std::uint32_t>());
    }
    said += ": ";
    if (pass["status"] == "refuted") {
      const std::string input = pass["input"];
      said += (input.empty() ? "" : "at " + input + ": ") + "the form before it " +
              pass["expected"].get<std::string>() + ", the form behind it " + pass["actual"].get<std::string>() + "\n";
    } else {
      said += pass["reason"].get<std::string>() + "\n";
    }
  }
  return said;
}

}  // namespace

int prove_tier(const Invocation& invocation, const Output& output) {
  SessionOptions options = session_options(invocation);
  options.first_only = false;
  const auto session = Session::open(invocation.path(), options);
  if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  lower::Options lowering;
  lowering.entry = false;
  lowering.roots = session->own_functions();
  auto lowered = session->lower(lowering);
  if (!lowered) return output.refuse(lowered.error(), session->sources());
  const Image image(std::move(lowered->module), c_library_natives());
  const bytecode::Module& module = image.module();
  const std::string_view symbol = invocation.text(Option::Symbol);
  std::vector<std::uint32_t> functions;
  for (std::uint32_t k = 0; k < module.functions.size(); ++k) {
    if (symbol.empty() || module.functions[k].name == symbol) functions.push_back(k);
  }
  if (functions.empty()) return output.refuse(no_verdict("The program has no function " + std::string(symbol) + "."));
  verify::RefinementOptions limits;
  limits.vector_bytes = kVectorBytes;
  limits.timeout_ms = static_cast<unsigned>(invocation.number(Option::TimeoutMs).value_or(kDefaultTimeoutMs));
  limits.budget_ms = kBudgetTimes * limits.timeout_ms;
  const unsigned most_seconds = std::max(kLeastProverSeconds, kProverTimes * limits.timeout_ms / 1000);

  std::vector<Json> records(functions.size());
  std::vector<std::unique_ptr<SharedAnswer>> shared(functions.size());
  const std::size_t workers = std::clamp(std::thread::hardware_concurrency(), 1U, kMostProvers);
  Progress progress("proving");
  ChildPool pool;
  std::size_t next = 0, ended = 0;
  while (next < functions.size() || pool.running() > 0) {
    if (next < functions.size() && pool.running() < workers) {
      const std::size_t index = next++;
      shared[index] = std::make_unique<SharedAnswer>();
      ChildOptions child;
      child.without_input = true;
      child.captured_bytes = 0;
      child.cpu_seconds = most_seconds;
      child.timeout_seconds = kProverWallTimes * most_seconds;
      const auto body = [&, index] {
        return shared[index]->store(prove(image, functions[index], limits).dump()) ? 0 : 1;
      };
      if (!shared[index]->ready() || !pool.start(index, body, child)) {
        records[index] = {{"status", "unknown"}, {"reason", "the system gives no further process"}};
      }
      continue;
    }
    const auto [index, result] = pool.wait_any();
    records[index] = Json::parse(shared[index]->load(), nullptr, false);
    if (result.timed_out || result.exit_code != 0 || records[index].is_discarded()) {
      const bool is_late = result.timed_out || result.exit_code == -SIGXCPU || result.exit_code == -SIGKILL;
      records[index] = {{"status", "unknown"},
                        {"reason", is_late ? "it takes too long" : "the proof ended without an answer"}};
    }
    shared[index].reset();
    progress.tell(++ended, functions.size());
  }

  bool refuted = false, undecided = false;
  Json all = Json::object();
  std::string said;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    const std::string& name = module.functions[functions[k]].name;
    const std::string status = records[k]["status"];
    refuted = refuted || status == "refuted";
    undecided = undecided || status == "unknown";
    said += for_people(name, records[k]);
    all[name] = std::move(records[k]);
  }
  if (output.json()) {
    output.record({{"protocol", "cairn.refinement/1"},
                   {"status", refuted     ? "refuted"
                              : undecided ? "unknown"
                                          : "refines"},
                   {"functions", std::move(all)}});
  } else {
    output.say(said);
  }
  return refuted ? kRefused : undecided ? kNoVerdict : kGood;
}

}  // namespace cairn::cli
