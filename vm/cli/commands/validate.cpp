// cairn validate: one implementation against its reference on generated inputs (tools, 11).
#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "frontend/project/files.hpp"
#include "frontend/report/receipt.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/comparisons.hpp"
#include "vm/cli/help.hpp"
#include "vm/cli/machine.hpp"
#include "vm/cli/progress.hpp"
#include "vm/cli/running.hpp"
#include "vm/cli/validation.hpp"
#include "vm/testing/contract.hpp"
#include "vm/verify/versions.hpp"

namespace cairn::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr unsigned kSolverMs = 3000;

std::expected<Json, Diagnostic> read_json(const fs::path& file) {
  const auto text = read_file(file, kMostContractBytes);
  if (!text) return std::unexpected(no_verdict(file.generic_string() + " cannot be read: " + text.error() + "."));
  auto document = parse_strict_json(*text);
  if (!document) return std::unexpected(no_verdict(file.generic_string() + ": " + document.error() + "."));
  return std::move(*document);
}

/// What the solver says of both bodies where the condition holds, and the input it found.
struct SolverPart {
  verify::Answer answer;
  std::string where;
};

SolverPart ask_solver(const Validation& validation, const SessionOptions& options, const testing::Policy& policy) {
  SolverPart part;
  std::string where = validation.condition_text();
  const checked::Function& reference = validation.reference();
  const NameTable& names = validation.names();
  for (const checked::Local* parameter : reference.parameters) {
    const std::string name(names.text(parameter->name));
    const bool is_extent = std::ranges::any_of(reference.parameters, [&](const checked::Local* view) {
      return testing::extent_of(reference, *view) == parameter;
    });
    std::string bound;
    if (is_extent) {
      const auto given = policy.extents.find(name);
      const double most =
          given == policy.extents.end() ? static_cast<double>(policy.largest_extent) : given->second.second;
      bound = name +
              " <= " + std::to_string(static_cast<std::uint64_t>(std::min(most, static_cast<double>(verify::kTurns))));
    }
    if (!bound.empty()) where += (where.empty() ? "" : " && ") + bound;
  }
  part.where = where;
  const Session& plain = validation.plain();
  // The condition is in the program already; the bounds are added beside it.
  std::unique_ptr<Session> with;
  const checked::Function* before = &reference;
  const checked::Function* after = &validation.implementation();
  const checked::Function* precondition = nullptr;
  const Session* session = &plain;
  if (!where.empty()) {
    SessionOptions changed = options;
    changed.insertions.clear();
    with = Session::open(plain.project()->operand, options);
    const checked::Function* own = verify::function_named(*with, reference.name);
    changed.insertions = validation.blanks();
    changed.insertions.push_back(
        verify::function_beside(*with, *own, verify::kPreconditionName, "bool", "= " + where + ";"));
    with = Session::open(plain.project()->operand, changed);
    if (!with->accepted()) {
      part.answer.reason = "the condition cannot be asked of the solver";
      return part;
    }
    session = with.get();
    before = verify::function_named(*session, reference.name);
    after = verify::function_named(*session, validation.implementation().name);
    std::string name(verify::kPreconditionName);
    if (before->module) name = std::string(session->compilation().names.text(before->module)) + "." + name;
    precondition = verify::function_named(*session, name);
  }
  const ComparisonJob job = [&](const std::function<void(std::string_view)>& before_query) {
    verify::Question question;
    question.allow_reference_traps = true;
    question.names_count = false;
    question.timeout_ms = kSolverMs;
    question.before_query = before_query;
    return verify::compare_versions(*session, *before, *session, *after, precondition, std::move(question));
  };
  part.answer = run_comparisons({job}, {kSolverMs, 0}, [](std::size_t) {}).front();
  return part;
}

/// Keeps a failing case in the regressions file; false when it cannot be written.
bool keep(const fs::path& file, Regressions regressions, const testing::ValidationCase& input,
          const testing::Policy& policy) {
  if (std::ranges::find(regressions.cases, input) == regressions.cases.end()) regressions.cases.push_back(input);
  if (regressions.policy.is_null()) regressions.policy = testing::record_of(policy);
  std::error_code ignored;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
  std::ofstream stream(file, std::ios::binary);
  // Sorted keys, so that the file changes only where a case does.
  stream << nlohmann::json(record_of(regressions)).dump(2) << "\n";
  stream.close();
  return static_cast<bool>(stream);
}

}  // namespace

int validate_command(const Invocation& invocation) {
  tell_of_interrupts();
  const Output output(invocation);
  const SessionOptions options = session_options(invocation);
  if (!invocation.has(Option::Symbol)) {
    return output.refuse(no_verdict("Which implementation is to be validated? Give --symbol G."));
  }
  const auto session = Session::open(invocation.path(), options);
  if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  const auto prepared = Validation::prepare(*session, options, std::string(invocation.text(Option::Symbol)));
  if (!prepared) return output.refuse(prepared.error());
  const Validation& validation = **prepared;

  // The policy: --policy, else what the regressions file pinned, else the defaults.
  const std::string default_file = "regressions/" + validation.reference_name() + ".json";
  const std::string shown_file(invocation.text(Option::Regressions, default_file));
  const fs::path file =
      invocation.has(Option::Regressions) ? fs::path(shown_file) : session->project()->root / shown_file;
  Regressions kept;
  kept.reference = validation.reference_name();
  std::error_code error;
  const bool exists = fs::exists(file, error);
  if (exists) {
    const auto document = read_json(file);
    if (!document) return output.refuse(document.error());
    auto read = regressions_from(*document);
    if (!read) return output.refuse(no_verdict(shown_file + ": " + read.error() + "."));
    if (read->reference != validation.reference_name()) {
      return output.refuse(
          no_verdict(shown_file + " is about " + read->reference + ", not " + validation.reference_name() + "."));
    }
    kept = std::move(*read);
    for (const testing::ValidationCase& each : kept.cases) {
      const std::string fault = validation.unfeedable().empty() ? validation.misfit(each) : "";
      if (!fault.empty()) return output.refuse(no_verdict(shown_file + ": " + fault + "."));
    }
  }
  Json written = kept.policy.is_null() ? Json::object() : kept.policy;
  if (invocation.has(Option::Policy)) {
    auto document = read_json(fs::path(invocation.text(Option::Policy)));
    if (!document) return output.refuse(document.error());
    written = std::move(*document);
  }
  const auto policy = testing::policy_from(written);
  if (!policy) return output.refuse(no_verdict("The policy cannot be taken: " + policy.error() + "."));
  for (const auto* ranges : {&policy->extents, &policy->values}) {
    for (const auto& [name, range] : *ranges) {
      const bool is_parameter = std::ranges::any_of(validation.reference().parameters, [&](const checked::Local* each) {
        return validation.names().text(each->name) == name;
      });
      if (is_parameter) continue;
      return output.refuse(no_verdict("The policy cannot be taken: its domain names " + name +
                                      ", which is no parameter of " + std::string(validation.reference().name) + "."));
    }
  }

  std::string status = "unknown";
  std::string reason = validation.unfeedable();
  Json finite = {{"claim", "the implementation agrees with its reference on the cases that were run"}};
  Json solver = nullptr;
  std::string failed_at;
  std::size_t ran = 0;
  std::size_t implementation_ran = 0;
  std::vector<testing::ValidationCase> generated;
  std::string solver_line;
  bool is_device = false;
  for (const checked::Local* parameter : validation.implementation().parameters) {
    is_device = is_device || (parameter->type->is(TypeKind::View) && parameter->type->placement == Placement::Device);
  }
  if (is_device && !options.emulate) reason = "device code is validated under --emulate";
  if (reason.empty()) {
    generated = testing::generate_cases(validation.reference(), validation.names(), *policy, validation.tiles());
    std::vector<testing::ValidationCase> cases = kept.cases;
    for (testing::ValidationCase& each : cases) each.origin = each.origin.empty() ? "kept" : "kept: " + each.origin;
    for (const testing::ValidationCase& each : generated) {
      if (std::ranges::find(cases, each) == cases.end()) cases.push_back(each);
    }
    std::vector<CaseOutcome> outcomes = validation.run(cases, *policy);
    const SolverPart asked = ask_solver(validation, options, *policy);
    solver = verify::record_of(asked.answer);
    solver["where"] = asked.where.empty() ? "everywhere" : asked.where;
    solver_line = "  smt: " + std::string(verify::text(asked.answer.status)) + " where " +
                  solver["where"].get<std::string>() + "\n";
    // The solver's input is one more case.
    bool solver_undecided = false;
    const bool all_agreed = std::ranges::all_of(outcomes, [](const CaseOutcome& each) { return each.agreed; });
    if (all_agreed && asked.answer.status == verify::Status::Counterexample) {
      testing::ValidationCase found;
      found.arguments = asked.answer.counterexample;
      found.origin = "the solver's";
      if (validation.misfit(found).empty() &&
          testing::admits(*policy, validation.reference(), validation.names(), found)) {
        std::vector<CaseOutcome> more = validation.run({found}, *policy);
        solver_undecided = more.front().undecided;
        cases.resize(outcomes.size());
        cases.push_back(std::move(found));
        outcomes.push_back(std::move(more.front()));
      }
    }
    ran = outcomes.size();
    bool undecided = solver_undecided;
    for (const CaseOutcome& each : outcomes) {
      if (each.held) ++implementation_ran;
      undecided = undecided || each.undecided;
    }
    finite["kept_cases"] = kept.cases.size();
    finite["cases"] = ran;
    finite["implementation_ran"] = implementation_ran;
    finite["dispatch_ran"] = ran;
    const auto failing =
        std::ranges::find_if(outcomes, [](const CaseOutcome& each) { return !each.agreed && !each.undecided; });
    if (failing != outcomes.end()) {
      status = "failed";
      testing::ValidationCase input = cases[static_cast<std::size_t>(failing - outcomes.begin())];
      CaseOutcome outcome = *failing;
      const std::uint64_t used = validation.shrink(input, outcome, *policy);
      Json failed = {{"inputs", input.arguments}};
      if (!input.offsets.empty()) failed["offsets"] = input.offsets;
      failed["found_as"] = input.origin;
      failed["shrunk_in"] = used;
      failed["reference"] = outcome.reference;
      if (outcome.held) failed["implementation"] = outcome.implementation;
      failed["dispatch"] = outcome.dispatch;
      finite["failed"] = std::move(failed);
      input.origin = validation.implementation_name() + " disagrees with " + validation.reference_name() +
                     ", found with " + input.origin;
      const bool is_kept = keep(file, kept, input, *policy);
      finite["kept"] = is_kept;
      failed_at = "  fails at " + inputs_text(input.arguments) + (is_kept ? "; kept in " + shown_file : "") + "\n";
    } else if (undecided) {
      reason = "a call passed its limit of " + std::to_string(policy->seconds) + " s";
    } else if (ran == 0 || implementation_ran == 0) {
      reason = ran == 0 ? "the domain admits no case" : "no case ran the implementation";
    } else {
      status = "passed";
    }
  }
  finite["status"] = status;
  const std::string evidence = options.emulate ? "finite-tested-emulated" : "finite-tested";
  const Json receipt = frontend_receipt(session->compilation(), ReceiptContext{});
  const Json& row = receipt["functions"][validation.implementation_name()];
  Json record = {
      {"schema", "cairn.validation/1"},
      {"reference", validation.reference_name()},
      {"implementation", validation.implementation_name()},
      {"identity", row.contains("identity") ? row["identity"] : Json()},
      {"policy", testing::record_of(*policy)},
      {"agreement", "cairn.agreement/1"},
      {"target", describe_host().architecture},
      {"compiler", kVersion},
      {"artifacts", {{"source_sha256", session->source_digest()}}},
      {"tiles", validation.tiles()},
      {"finite", std::move(finite)},
      {"coverage",
       {{"generated", generated.size()},
        {"kept", kept.cases.size()},
        {"ran", ran},
        {"left_out", generated.size() + kept.cases.size() > ran ? generated.size() + kept.cases.size() - ran : 0}}},
      {"smt", std::move(solver)},
      {"status", status}};
  if (!reason.empty()) record["reason"] = reason;
  record["evidence"] = evidence;
  if (options.emulate) record["emulation"] = emulation_record(session->device_target());
  const auto& tests = session->project()->manifest.tests;
  record["regressions"] = {{"file", shown_file},
                           {"exists", fs::exists(file, error)},
                           {"replayed_by_cairn_test", std::ranges::find(tests, shown_file) != tests.end()}};
  if (invocation.has(Option::History)) {
    const fs::path folder(invocation.text(Option::History));
    fs::create_directories(folder, error);
    std::size_t number = 1;
    const auto path_of = [&] {
      return folder / (validation.implementation_name() + "-" + std::to_string(number) + ".json");
    };
    while (fs::exists(path_of(), error)) ++number;
    std::ofstream stream(path_of(), std::ios::binary);
    stream << record.dump(2) << "\n";
    stream.close();
    if (!stream) return output.refuse(no_verdict(folder.generic_string() + " cannot be written."));
  }
  if (output.json()) {
    output.record(record);
  } else {
    std::string text = status + ": " + validation.implementation_name() + " against " + validation.reference_name() +
                       ", " + std::to_string(ran) + (ran == 1 ? " case (" : " cases (") +
                       std::to_string(implementation_ran) + " ran it), " + evidence + "\n";
    if (!reason.empty()) text += "  " + reason + "\n";
    output.say(text + failed_at + solver_line);
  }
  return status == "passed" ? kGood : status == "failed" ? kRefused : kNoVerdict;
}

}  // namespace cairn::cli
