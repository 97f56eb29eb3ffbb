// cairn verify: whether two versions of a function can differ (tools, 9).
#include <algorithm>
#include <map>
#include <set>

#include <unistd.h>
#include <nlohmann/json.hpp>

#include "frontend/diagnostics/render.hpp"
#include "frontend/report/receipt.hpp"
#include "frontend/support/sha256.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/comparisons.hpp"
#include "vm/cli/help.hpp"
#include "vm/cli/progress.hpp"
#include "vm/cli/running.hpp"
#include "vm/cli/tier_proofs.hpp"
#include "vm/verify/fragment.hpp"
#include "vm/verify/versions.hpp"

namespace cairn::cli {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostBytes = 64'000;
constexpr std::size_t kMostFunctions = 128;
constexpr double kBudgetSeconds = 30;  // of --all
int exit_status(std::string_view status) {
  if (status == "smt-equivalent" || status == "smt-module-equivalent") return kGood;
  return status == "unknown" || status == "smt-module-incomplete" ? kNoVerdict : kRefused;
}

/// The preconditions by function; the error is what is wrong with one.
std::expected<std::map<std::string, std::string>, Diagnostic> preconditions(const Invocation& invocation) {
  std::map<std::string, std::string> found;
  for (const std::string_view given : invocation.texts(Option::Assume)) {
    const std::size_t equals = given.find('=');
    const std::string name(given.substr(0, equals));
    const std::string expression(equals == std::string_view::npos ? "" : given.substr(equals + 1));
    if (name.empty() || expression.find_first_not_of(" \t\n") == std::string::npos) {
      return std::unexpected(no_verdict("--assume takes a function's name and an expression, F=EXPR, and was given " +
                                        std::string(given) + "."));
    }
    if (!found.emplace(name, expression).second) {
      return std::unexpected(no_verdict("--assume is given twice for " + name + "."));
    }
  }
  return found;
}

/// Both programs, and what of the command line concerns them all.
struct Request {
  SessionOptions options;
  std::unique_ptr<Session> reference;
  std::unique_ptr<Session> candidate;
  std::map<std::string, std::string> assumed;
  unsigned timeout_ms = verify::kDefaultTimeoutMs;
};

Json common_record(const Request& request) {
  Json record = {{"protocol", "cairn.semantic/1"},
                 {"profile", "cairn-bytecode-16"},
                 {"reference_sha256", request.reference->source_digest()},
                 {"candidate_sha256", request.candidate->source_digest()}};
  return record;
}

void add_trust(Json& record) {
  record["trust"] = {"checker", "lowering", "bytecode model", "Z3"};
  record["lean_verified"] = false;
  record["native_verified"] = false;
}

/// A comparison on its way: the sessions it needs live until it is made.
struct Prepared {
  std::unique_ptr<Session> with_precondition;  // null: none was asked for
  std::optional<Verdict> refused;              // the precondition does not check
  ComparisonJob job;
};

Prepared prepare(const Request& request, const std::string& symbol) {
  Prepared prepared;
  const checked::Function* before = verify::function_named(*request.reference, symbol);
  const checked::Function* after = verify::function_named(*request.candidate, symbol);
  const Session* reference = request.reference.get();
  const checked::Function* precondition = nullptr;
  if (const auto assumed = request.assumed.find(symbol); assumed != request.assumed.end() && before != nullptr) {
    prepared.with_precondition =
        verify::with_precondition(*request.reference, request.options, *before, assumed->second);
    reference = prepared.with_precondition.get();
    if (!reference->accepted()) {
      prepared.refused = reference->verdict();
      return prepared;
    }
    before = verify::function_named(*reference, symbol);
    std::string name(verify::kPreconditionName);
    if (before->module) name = std::string(reference->compilation().names.text(before->module)) + "." + name;
    precondition = verify::function_named(*reference, name);
  }
  const unsigned timeout_ms = request.timeout_ms;
  const Session* candidate = request.candidate.get();
  prepared.job = [=](const std::function<void(std::string_view)>& before_query) {
    verify::Question question;
    question.timeout_ms = timeout_ms;
    question.before_query = before_query;
    return verify::compare_versions(*reference, *before, *candidate, *after, precondition, std::move(question));
  };
  return prepared;
}

std::string for_people(const std::string& symbol, const verify::Answer& answer) {
  std::string text = std::string(verify::text(answer.status)) + ": " + symbol + "\n";
  if (!answer.reason.empty()) text += "  " + answer.reason + "\n";
  if (!answer.counterexample.is_null()) {
    text += "  " + witness_text(answer, "the reference", "the candidate") + "\n";
  }
  return text;
}

int verify_symbol(const Request& request, const Output& output, const std::string& symbol) {
  Json record = common_record(request);
  record["symbol"] = symbol;
  const auto assumed = request.assumed.find(symbol);
  record["assume"] = assumed == request.assumed.end() ? Json() : Json(assumed->second);
  record["allow_reference_traps"] = false;
  verify::Answer answer;
  const bool in_reference = verify::function_named(*request.reference, symbol) != nullptr;
  if (!in_reference || verify::function_named(*request.candidate, symbol) == nullptr) {
    answer.reason = std::string(in_reference ? "the candidate" : "the reference") + " has no function " + symbol;
  } else {
    Prepared prepared = prepare(request, symbol);
    if (prepared.refused) {
      if (!output.json()) return output.refuse(*prepared.refused, prepared.with_precondition->sources());
      record["status"] = "rejected";
      record["diagnostic"] = cairn::record_of(*prepared.refused, prepared.with_precondition->sources());
      output.record(record);
      return kRefused;
    }
    answer = run_comparisons({prepared.job}, {request.timeout_ms, 0}, [](std::size_t) {}).front();
  }
  record["implementation_sha256"] = sha256_hex(record["reference_sha256"].get<std::string>() +
                                               record["candidate_sha256"].get<std::string>() + symbol);
  add_trust(record);
  record.update(verify::record_of(answer));
  if (output.json()) {
    output.record(record);
  } else {
    output.say(for_people(symbol, answer));
  }
  return exit_status(verify::text(answer.status));
}

// ------------------------------------------------------------------------------------------------------------- --all

/// Every public record and sum of the program's own: name -> everything its values depend on.
std::map<std::string, std::string> public_types(const Session& session) {
  std::map<std::string, std::string> found;
  const Compilation& compilation = session.compilation();
  for (std::size_t id = 0; id < compilation.types->size(); ++id) {
    const Type& type = *compilation.types->at(id);
    const syntax::Decl* declaration = nullptr;
    if (type.is(TypeKind::Record)) declaration = type.record->declaration;
    if (type.is(TypeKind::Sum)) declaration = type.sum->declaration;
    if (declaration == nullptr || !is_exported(*declaration)) continue;
    const SourceFile* file = session.sources().file_at(declaration->position);
    if (file == nullptr || !file->own) continue;
    found.emplace(type.name, verify::described(type, compilation.names));
  }
  return found;
}

int verify_all(const Request& request, const Output& output) {
  std::set<std::string> names;
  for (const Session* side : {request.reference.get(), request.candidate.get()}) {
    for (const checked::Function* function : side->own_functions()) names.emplace(function->name);
  }
  if (names.size() > kMostFunctions) {
    return output.refuse(no_verdict("--all compares at most " + std::to_string(kMostFunctions) +
                                    " functions, and the sources have " + std::to_string(names.size()) + "."));
  }
  std::map<std::string, Json> answers;
  std::map<std::string, std::string> lines;
  std::vector<std::string> asked;
  std::vector<Prepared> prepared;
  std::vector<ComparisonJob> jobs;
  for (const std::string& name : names) {
    const bool in_reference = verify::function_named(*request.reference, name) != nullptr;
    const bool in_candidate = verify::function_named(*request.candidate, name) != nullptr;
    if (!in_reference || !in_candidate) {
      const std::string status = in_reference ? "missing" : "extra";
      answers[name] = {{"status", status}};
      lines[name] = status + ": " + name + "\n";
      continue;
    }
    Prepared one = prepare(request, name);
    if (one.refused) {
      answers[name] = {{"status", "rejected"},
                       {"diagnostic", cairn::record_of(*one.refused, one.with_precondition->sources())}};
      lines[name] =
          "rejected: " + name + "\n  its precondition does not check: " + one.refused->refusals.front().message + "\n";
      continue;
    }
    asked.push_back(name);
    jobs.push_back(one.job);
    prepared.push_back(std::move(one));
  }
  const bool shows_progress = !output.json() && ::isatty(STDERR_FILENO) == 1;
  std::size_t ended = 0;
  const auto decided = run_comparisons(jobs, {request.timeout_ms, kBudgetSeconds}, [&](std::size_t index) {
    ++ended;
    if (shows_progress) {
      write_error("\r" + std::to_string(ended) + " of " + std::to_string(jobs.size()) + ": " + asked[index] + "\033[K");
    }
  });
  if (shows_progress && ended > 0) write_error("\r\033[K");
  for (std::size_t k = 0; k < asked.size(); ++k) {
    answers[asked[k]] = verify::record_of(decided[k]);
    lines[asked[k]] = for_people(asked[k], decided[k]);
  }

  Json types = Json::object();
  const auto before = public_types(*request.reference);
  const auto after = public_types(*request.candidate);
  bool same_types = true;
  std::string type_lines;
  for (const auto* side : {&before, &after}) {
    for (const auto& [name, definition] : *side) {
      if (types.contains(name)) continue;
      const bool is_missing = !after.contains(name);
      const bool is_extra = !before.contains(name);
      const std::string status = is_missing                          ? "missing"
                                 : is_extra                          ? "extra"
                                 : before.at(name) == after.at(name) ? "same"
                                                                     : "changed";
      types[name] = status;
      same_types = same_types && status == "same";
      if (status != "same") type_lines += status + ": type " + name + "\n";
    }
  }
  bool all_equivalent = same_types;
  bool some_refused = false;
  Json functions = Json::object();
  std::string text;
  for (const std::string& name : names) {
    const std::string status = answers[name]["status"];
    all_equivalent = all_equivalent && status == "smt-equivalent";
    some_refused = some_refused || (status != "missing" && status != "extra" && exit_status(status) == kRefused);
    functions[name] = std::move(answers[name]);
    text += lines[name];
  }
  const std::string status = all_equivalent ? "smt-module-equivalent"
                             : some_refused ? "counterexample"
                                            : "smt-module-incomplete";
  Json record = common_record(request);
  record["assume"] = request.assumed;
  record["allow_reference_traps"] = false;
  add_trust(record);
  record["status"] = status;
  record["functions"] = std::move(functions);
  record["types"] = std::move(types);
  if (output.json()) {
    output.record(record);
  } else {
    output.say(status + ": " + std::to_string(names.size()) + (names.size() == 1 ? " function\n" : " functions\n") +
               text + type_lines);
  }
  return exit_status(status);
}

}  // namespace

int verify_command(const Invocation& invocation) {
  tell_of_interrupts();
  const Output output(invocation);
  if (invocation.operands().size() == 1) {
    if (invocation.text(Option::Tier) != "optimizing") {
      write_error(usage_line(&invocation.command()) +
                  "cairn: verify needs REF CAND, two versions to compare, or --tier optimizing and one PATH: what that "
                  "tier makes of it is compared with its bytecode.\n");
      return kNoVerdict;
    }
    return prove_tier(invocation, output);
  }
  const bool all = invocation.has(Option::All);
  if (all == invocation.has(Option::Symbol)) {
    return output.refuse(no_verdict("Which function is to be compared? Give --symbol F, or --all for every one."));
  }
  auto assumed = preconditions(invocation);
  if (!assumed) return output.refuse(std::move(assumed.error()));
  Request request;
  request.options.first_only = true;
  request.assumed = std::move(*assumed);
  request.timeout_ms = static_cast<unsigned>(invocation.number(Option::TimeoutMs).value_or(verify::kDefaultTimeoutMs));
  for (std::unique_ptr<Session>* side : {&request.reference, &request.candidate}) {
    const std::string_view path = invocation.operands()[side == &request.reference ? 0 : 1];
    *side = Session::open(path, request.options);
    Session& session = **side;
    if (!session.accepted()) {
      const int status = is_rejection(session.verdict().refusals.front()) ? kRefused : kNoVerdict;
      if (!output.json() || status == kNoVerdict) return output.refuse(session.verdict(), session.sources());
      output.record({{"protocol", "cairn.semantic/1"},
                     {"status", "rejected"},
                     {"source", side == &request.reference ? "reference" : "candidate"},
                     {"diagnostic", cairn::record_of(session.verdict(), session.sources())}});
      return status;
    }
    if (session.source_text().size() > kMostBytes + 1) {
      return output.refuse(no_verdict(std::string(path) + " holds " + std::to_string(session.source_text().size() - 1) +
                                      " bytes of source; a comparison takes at most " + std::to_string(kMostBytes) +
                                      "."));
    }
  }
  for (const auto& [name, expression] : request.assumed) {
    if (verify::function_named(*request.reference, name) == nullptr) {
      return output.refuse(no_verdict("--assume names " + name + ", which the reference does not declare."));
    }
  }
  return all ? verify_all(request, output)
             : verify_symbol(request, output, std::string(invocation.text(Option::Symbol)));
}

}  // namespace cairn::cli
