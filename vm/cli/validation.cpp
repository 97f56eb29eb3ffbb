#include "vm/cli/validation.hpp"

#include <algorithm>
#include <csignal>

#include <sys/time.h>
#include <unistd.h>

#include "frontend/project/manifest.hpp"
#include "frontend/source/token_scan.hpp"
#include "vm/cli/child_process.hpp"
#include "vm/cli/shared_answer.hpp"
#include "vm/lower_for_use.hpp"
#include "vm/testing/values.hpp"
#include "vm/verify/versions.hpp"

namespace cairn::cli {

using Json = nlohmann::ordered_json;
using testing::Policy;
using testing::ValidationCase;

namespace {

const syntax::FunctionDecl* declaration_of(const checked::Function& function) {
  const bool is_function = function.declaration != nullptr && function.declaration->kind == syntax::DeclKind::Function;
  return is_function ? &function.declaration->as<syntax::FunctionDecl>() : nullptr;
}

std::string qualified(const Session& session, Name module, Name name) {
  const NameTable& names = session.compilation().names;
  return (module ? std::string(names.text(module)) + "." : "") + std::string(names.text(name));
}

std::uint32_t source_of(const Session& session, Position position) {
  const SourceFile* file = session.sources().file_at(position);
  for (std::uint32_t index = 0; index < session.sources().size(); ++index) {
    if (&session.sources().file(index) == file) return index;
  }
  return 0;
}

/// The condition as written, an instance's naturals in place of their names.
std::string condition_of(const Session& session, const checked::Function& function,
                         const syntax::FunctionDecl& declaration) {
  if (declaration.implements.when == nullptr) return {};
  std::string_view text = session.sources().text(declaration.implements.when->span);
  const auto& generics = declaration.signature.generics;
  std::string all;
  TokenScan scan(text);
  std::size_t at = 0;
  for (std::string_view token = scan.next(); !token.empty(); token = scan.next()) {
    const auto begin = static_cast<std::size_t>(token.data() - text.data());
    all += text.substr(at, begin - at);
    at = begin + token.size();
    std::string written(token);
    for (std::size_t k = 0; k < generics.size() && k < function.arguments.size(); ++k) {
      if (session.compilation().names.text(generics[k].name.name) == token) {
        written = std::to_string(function.arguments[k].natural);
      }
    }
    all += written;
  }
  return all;
}

/// Blanks for every plan that selects an implementation of the reference.
std::vector<Insertion> without_selection(const Session& session, const syntax::Decl& reference) {
  std::vector<Insertion> blanks;
  for (const syntax::Decl* declaration : session.compilation().tree.declarations) {
    if (declaration->kind != syntax::DeclKind::Plan) continue;
    const auto& plan = declaration->as<syntax::PlanDecl>();
    if (!plan.selects || plan.function.segments.empty() || plan.function.segments.back().name != reference.name.name)
      continue;
    const std::string_view text = session.sources().text(declaration->span);
    const SourceFile* file = session.sources().file_at(declaration->position);
    blanks.push_back({source_of(session, declaration->position), declaration->span.begin.offset - file->begin,
                      std::string(text.size(), ' '), text.size()});
  }
  return blanks;
}

std::expected<FeedableCode, Diagnostic> lower_function(const Session& session, const checked::Function* function) {
  lower::Options options;
  options.entry = false;
  options.roots = {function};
  auto lowered = lower_for_use(session, options);
  if (!lowered) return std::unexpected(lowered.error());
  return FeedableCode{function, std::move(lowered->module), lowered->roots.front()};
}

// ----------------------------------------------------------------------------------------------------------- in the
// child

const SharedAnswer* timeout_answer = nullptr;

void on_timeout(int) {
  static_cast<void>(timeout_answer->store("{\"outcome\":\"timeout\"}\n"));
  ::_exit(0);
}

void set_timeout(std::uint64_t seconds) {
  const itimerval timer{{0, 0}, {static_cast<time_t>(seconds), 0}};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

/// One call on a fresh execution: nothing of it reaches another.
Json call_once(const FeedableCode& code, const checked::Function& shape, const NameTable& names,
               const ValidationCase& input) {
  ExecutionOptions options;
  options.tier = Tier::Interpreter;
  Execution execution(code.module, options);
  std::vector<testing::ViewStorage> views(shape.parameters.size());
  std::vector<std::uint64_t> slots;
  for (std::size_t k = 0; k < shape.parameters.size(); ++k) {
    const std::string name(names.text(shape.parameters[k]->name));
    const Type& type = *shape.parameters[k]->type;
    if (!type.is(TypeKind::View)) {
      slots.push_back(testing::slot_of(input.arguments[name], type));
      continue;
    }
    const auto offset = input.offsets.find(name);
    views[k] =
        testing::storage_of(input.arguments[name], *type.element, offset == input.offsets.end() ? 0 : offset->second);
    slots.push_back(reinterpret_cast<std::uint64_t>(views[k].first));
    slots.push_back(views[k].count);
  }
  const bool returns = !code.function->result->is(TypeKind::Void);
  std::uint64_t result = 0;
  if (execution.call(code.code, slots, std::span(&result, returns ? 1 : 0))) return {{"outcome", "trap"}};
  Json after = Json::object();
  for (std::size_t k = 0; k < shape.parameters.size(); ++k) {
    const Type& type = *shape.parameters[k]->type;
    if (type.is(TypeKind::View) && type.mode == BorrowMode::Rw) {
      after[std::string(names.text(shape.parameters[k]->name))] = testing::list_of(views[k], *type.element);
    }
  }
  return {{"outcome", "return"},
          {"return", returns ? testing::value_of(result, *code.function->result) : Json()},
          {"after", std::move(after)}};
}

}  // namespace

std::expected<std::unique_ptr<Validation>, Diagnostic> Validation::prepare(const Session& session,
                                                                           const SessionOptions& options,
                                                                           const std::string& symbol) {
  std::unique_ptr<Validation> made(new Validation());
  const checked::Function* found = nullptr;
  std::string instances;
  for (const checked::Function* function : session.own_functions()) {
    const syntax::FunctionDecl* declaration = declaration_of(*function);
    if (declaration == nullptr) continue;
    if (function->name == symbol) found = function;
    if (!function->arguments.empty() && declaration->implements.present &&
        qualified(session, declaration->module, declaration->name.name) == symbol) {
      instances += (instances.empty() ? "" : ", ") + std::string(function->name);
    }
  }
  if (found == nullptr && !instances.empty()) {
    return std::unexpected(no_verdict(symbol + " is parameterized; name one of its instances: " + instances + "."));
  }
  if (found == nullptr) return std::unexpected(no_verdict("The program has no function " + symbol + "."));
  const syntax::FunctionDecl& declaration = *declaration_of(*found);
  if (!declaration.implements.present) {
    return std::unexpected(
        no_verdict(symbol + " implements nothing; name an implementation, fn " + symbol + "(...) implements ..."));
  }
  made->implementation_name_ = symbol;
  made->reference_name_ = qualified(session, declaration.module, declaration.implements.reference.segments.back().name);
  const checked::Function* reference = verify::function_named(session, made->reference_name_);
  if (reference == nullptr)
    return std::unexpected(no_verdict("The reference of " + symbol + " is not in the program."));
  made->condition_text_ = condition_of(session, *found, declaration);

  const std::string written = made->condition_text_.empty() ? "true" : made->condition_text_;
  SessionOptions plain = options;
  made->blanks_ = without_selection(session, *reference->declaration);
  plain.insertions = made->blanks_;
  SessionOptions dispatched = plain;
  plain.insertions.push_back(
      verify::function_beside(session, *reference, verify::kPreconditionName, "bool", "= " + written + ";"));
  Insertion plan = plain.insertions.back();
  const std::size_t dot = symbol.rfind('.', symbol.find('['));
  const std::string own_name = dot == std::string::npos ? symbol : symbol.substr(dot + 1);
  plan.text = "\nplan " + std::string(session.compilation().names.text(reference->declaration->name.name)) + " use " +
              own_name + ";\n";
  dispatched.insertions.push_back(std::move(plan));
  made->plain_ = Session::open(session.project()->operand, plain);
  made->dispatched_ = Session::open(session.project()->operand, dispatched);
  for (const Session* each : {made->plain_.get(), made->dispatched_.get()}) {
    if (!each->accepted()) {
      return std::unexpected(
          no_verdict("The program cannot be set up for the validation: " + each->verdict().refusals.front().message));
    }
  }
  const auto module_prefix =
      declaration.module ? std::string(session.compilation().names.text(declaration.module)) + "." : "";
  const auto named = [](const Session& in, const std::string& name) { return verify::function_named(in, name); };
  const checked::Function* condition = named(*made->plain_, module_prefix + std::string(verify::kPreconditionName));
  struct Wanted {
    const Session* session;
    const checked::Function* function;
    FeedableCode* into;
  };
  made->unfeedable_ = testing::unfeedable(*reference);
  if (made->unfeedable_.empty() && condition == nullptr) made->unfeedable_ = "its condition cannot be evaluated apart";
  if (!made->unfeedable_.empty()) {
    made->reference_.function = named(*made->plain_, made->reference_name_);
    made->implementation_.function = named(*made->plain_, symbol);
    return made;
  }
  made->condition_.emplace();
  const Wanted wanted[] = {
      {made->plain_.get(), named(*made->plain_, made->reference_name_), &made->reference_},
      {made->plain_.get(), named(*made->plain_, symbol), &made->implementation_},
      {made->dispatched_.get(), named(*made->dispatched_, made->reference_name_), &made->dispatch_},
      {made->plain_.get(), condition, &*made->condition_}};
  for (const Wanted& each : wanted) {
    auto code = lower_function(*each.session, each.function);
    if (!code) return std::unexpected(std::move(code.error()));
    *each.into = std::move(*code);
  }
  made->tiles_ = testing::tiles_of(*made->implementation_.function, condition, made->plain_->compilation());
  return made;
}

/// Four calls a case, in order: the condition, the reference, the dispatch, and the implementation where the condition
/// holds. A call that does not end is the child's last; the next child goes on behind it.
std::vector<Json> Validation::call_all(const std::vector<ValidationCase>& cases, std::uint64_t seconds) const {
  constexpr std::size_t kCalls = 4;
  const std::size_t total = cases.size() * kCalls;
  std::vector<Json> outcomes;
  const auto code_of = [&](std::size_t call) -> const FeedableCode& {
    if (call == 0) return *condition_;
    return call == 1 ? reference_ : call == 2 ? dispatch_ : implementation_;
  };
  while (outcomes.size() < total) {
    const SharedAnswer shared;
    if (!shared.ready()) break;
    const std::size_t first = outcomes.size();
    const std::vector<Json> before = outcomes;
    const auto body = [&] {
      timeout_answer = &shared;
      struct sigaction action{};
      action.sa_handler = on_timeout;
      ::sigaction(SIGALRM, &action, nullptr);
      bool holds = first % kCalls != 0 && before[first - first % kCalls].value("return", false);
      for (std::size_t at = first; at < total; ++at) {
        *shared.counter() = at;
        const std::size_t call = at % kCalls;
        Json outcome = {{"outcome", "none"}};
        if (call != 3 || holds) {
          set_timeout(seconds);
          outcome = call_once(code_of(call), *reference_.function, names(), cases[at / kCalls]);
          set_timeout(0);
        }
        if (call == 0) holds = outcome.contains("return") && outcome["return"] == true;
        if (!shared.store(outcome.dump() + "\n")) return 1;
      }
      return 0;
    };
    ChildOptions options;
    options.without_input = true;
    options.captured_bytes = 0;
    const auto ended = run_child(body, options);
    if (!ended) break;
    const std::string answer = shared.load();
    for (std::size_t at = 0; at < answer.size();) {
      const std::size_t newline = answer.find('\n', at);
      if (newline == std::string::npos) break;
      outcomes.push_back(Json::parse(answer.substr(at, newline - at), nullptr, false));
      at = newline + 1;
    }
    if (ended->exit_code < 0 && outcomes.size() < total)
      outcomes.push_back({{"outcome", "crash"}, {"signal", -ended->exit_code}});
    if (outcomes.size() == first) break;  // no progress
  }
  while (outcomes.size() < total) outcomes.push_back({{"outcome", "timeout"}});
  return outcomes;
}

std::vector<CaseOutcome> Validation::run(const std::vector<ValidationCase>& cases, const Policy& policy) const {
  constexpr std::size_t kBatch = 32;
  std::vector<CaseOutcome> all;
  for (std::size_t first = 0; first < cases.size(); first += kBatch) {
    const std::vector<ValidationCase> batch(
        cases.begin() + static_cast<std::ptrdiff_t>(first),
        cases.begin() + static_cast<std::ptrdiff_t>(std::min(first + kBatch, cases.size())));
    std::vector<Json> outcomes = call_all(batch, policy.seconds);
    for (std::size_t k = 0; k < batch.size(); ++k) {
      CaseOutcome one;
      const Json& condition = outcomes[4 * k];
      one.held = condition.contains("return") && condition["return"] == true;
      one.reference = std::move(outcomes[4 * k + 1]);
      one.dispatch = std::move(outcomes[4 * k + 2]);
      if (one.held) one.implementation = std::move(outcomes[4 * k + 3]);
      const auto overstayed = [](const Json& outcome) {
        return outcome.is_object() && outcome["outcome"] == "timeout";
      };
      one.undecided = overstayed(one.reference) || overstayed(one.dispatch) || overstayed(one.implementation);
      one.agreed = testing::agree(one.reference, one.dispatch, policy) &&
                   (!one.held || testing::agree(one.reference, one.implementation, policy));
      all.push_back(std::move(one));
      if (!all.back().agreed && !all.back().undecided) return all;
    }
  }
  return all;
}

std::uint64_t Validation::shrink(ValidationCase& input, CaseOutcome& outcome, const Policy& policy) const {
  std::uint64_t used = 0;
  const checked::Function& shape = *reference_.function;
  const auto attempt = [&](ValidationCase smaller) {
    if (used >= policy.probes || smaller == input || !testing::admits(policy, shape, names(), smaller)) return false;
    ++used;
    std::vector<CaseOutcome> ran = run({smaller}, policy);
    if (ran.front().agreed || ran.front().undecided) return false;
    smaller.origin = input.origin;
    input = std::move(smaller);
    outcome = std::move(ran.front());
    return true;
  };
  const auto name_of = [&](const checked::Local* local) { return std::string(names().text(local->name)); };
  const auto is_extent = [&](const checked::Local* parameter) {
    return std::ranges::any_of(
        shape.parameters, [&](const checked::Local* view) { return testing::extent_of(shape, *view) == parameter; });
  };
  bool smaller = true;
  while (smaller && used < policy.probes) {
    smaller = false;
    // Smaller extents: views cut to their prefix.
    for (const checked::Local* parameter : shape.parameters) {
      if (!is_extent(parameter)) continue;
      const auto size = input.arguments[name_of(parameter)].get<std::uint64_t>();
      for (std::uint64_t to = 0; to < size; to = to == 0 ? 1 : to < 16 ? to + 1 : to * 2) {
        ValidationCase cut = input;
        cut.arguments[name_of(parameter)] = to;
        for (const checked::Local* view : shape.parameters) {
          if (testing::extent_of(shape, *view) != parameter) continue;
          Json& list = cut.arguments[name_of(view)];
          list.erase(list.begin() + static_cast<std::ptrdiff_t>(to), list.end());
        }
        if (attempt(std::move(cut))) {
          smaller = true;
          break;
        }
      }
    }
    if (!input.offsets.empty()) {
      ValidationCase aligned = input;
      aligned.offsets.clear();
      smaller = attempt(std::move(aligned)) || smaller;
    }
    for (const checked::Local* parameter : shape.parameters) {
      const std::string name = name_of(parameter);
      const Type& type = *parameter->type;
      if (type.is(TypeKind::View)) {
        const Json zero = testing::value_of(0, *type.element);
        ValidationCase zeros = input;
        for (Json& element : zeros.arguments[name]) element = zero;
        smaller = attempt(std::move(zeros)) || smaller;
        for (std::size_t k = 0; k < input.arguments[name].size(); ++k) {
          for (const std::uint64_t toward : {0U, 1U}) {
            if (input.arguments[name][k] == zero) break;
            ValidationCase less = input;
            less.arguments[name][k] =
                type.element->is_float() ? Json(static_cast<double>(toward)) : testing::value_of(toward, *type.element);
            if (attempt(std::move(less))) {
              smaller = true;
              break;
            }
          }
        }
        continue;
      }
      if (is_extent(parameter)) continue;
      for (const std::uint64_t toward : {0U, 1U, 2U}) {
        const Json to = type.is_float() ? Json(static_cast<double>(toward)) : testing::value_of(toward, type);
        if (input.arguments[name] == to) break;
        ValidationCase less = input;
        less.arguments[name] = to;
        if (attempt(std::move(less))) {
          smaller = true;
          break;
        }
      }
      // Halves, for what only a large value shows.
      if (type.is_integer() && input.arguments[name].is_number_unsigned()) {
        while (input.arguments[name].get<std::uint64_t>() > 2) {
          ValidationCase less = input;
          less.arguments[name] = input.arguments[name].get<std::uint64_t>() / 2;
          if (!attempt(std::move(less))) break;
          smaller = true;
        }
      }
    }
  }
  return used;
}

std::string Validation::misfit(const ValidationCase& input) const {
  const checked::Function& shape = *reference_.function;
  if (input.arguments.size() != shape.parameters.size()) return "it does not give exactly the parameters";
  for (const checked::Local* parameter : shape.parameters) {
    const std::string name(names().text(parameter->name));
    if (!input.arguments.contains(name)) return "it does not give " + name;
    const Json& value = input.arguments[name];
    const Type& type = *parameter->type;
    if (!type.is(TypeKind::View)) {
      if (const std::string fault = testing::misfit(value, type); !fault.empty()) return name + ": " + fault;
      continue;
    }
    if (!value.is_array()) return name + " is a view, so its value is a list";
    for (const Json& element : value) {
      if (const std::string fault = testing::misfit(element, *type.element); !fault.empty()) return name + ": " + fault;
    }
    const checked::Local* extent = testing::extent_of(shape, *parameter);
    const std::string extent_name = extent == nullptr ? "" : std::string(names().text(extent->name));
    if (extent != nullptr && !input.arguments.contains(extent_name)) return "it does not give " + extent_name;
    const Json length = extent == nullptr ? Json(type.extent.literal) : input.arguments[extent_name];
    if (!length.is_number_unsigned() || length.get<std::uint64_t>() != value.size()) {
      return name + " does not have as many elements as its extent says";
    }
  }
  return {};
}

// -------------------------------------------------------------------------------------------------------------
// regressions

std::expected<Regressions, std::string> regressions_from(const Json& document) {
  if (!document.is_object() || !document.contains("schema") || document["schema"] != "cairn.regressions/1") {
    return std::unexpected("schema must be cairn.regressions/1");
  }
  Regressions regressions;
  if (!document.contains("reference") || !document["reference"].is_string())
    return std::unexpected("reference must name a function");
  regressions.reference = document["reference"];
  if (document.contains("policy")) regressions.policy = document["policy"];
  const Json cases = document.contains("cases") ? document["cases"] : Json::array();
  if (!cases.is_array()) return std::unexpected("cases must be a list");
  for (const Json& each : cases) {
    if (!each.is_object() || !each.contains("args") || !each["args"].is_object())
      return std::unexpected("a case has args");
    ValidationCase one;
    one.arguments = each["args"];
    const Json offsets = each.contains("offsets") ? each["offsets"] : Json::object();
    if (!offsets.is_object()) return std::unexpected("offsets is an object");
    for (const auto& [name, offset] : offsets.items()) {
      if (!offset.is_number_unsigned() || offset.get<std::size_t>() > 4096)
        return std::unexpected("an offset is a small whole number");
      one.offsets[name] = offset.get<std::size_t>();
    }
    if (each.contains("why") && each["why"].is_string()) one.origin = each["why"];
    regressions.cases.push_back(std::move(one));
  }
  return regressions;
}

Json record_of(const Regressions& regressions) {
  Json cases = Json::array();
  for (const ValidationCase& each : regressions.cases) {
    Json one = {{"args", each.arguments}};
    if (!each.offsets.empty()) one["offsets"] = each.offsets;
    one["why"] = each.origin;
    cases.push_back(std::move(one));
  }
  return {{"schema", "cairn.regressions/1"},
          {"reference", regressions.reference},
          {"policy", regressions.policy},
          {"cases", cases}};
}

Json replay_regressions(const Session& session, const Json& document) {
  const auto invalid = [](const std::string& why) { return Json{{"status", "invalid-contract"}, {"message", why}}; };
  const auto regressions = regressions_from(document);
  if (!regressions) return invalid(regressions.error());
  auto policy = testing::policy_from(regressions->policy.is_null() ? Json::object() : regressions->policy);
  if (!policy) return invalid(policy.error());
  if (regressions->cases.empty()) return {{"status", "unknown"}, {"message", "it has no case"}};
  std::vector<std::string> implementations;
  for (const checked::Function* function : session.own_functions()) {
    const syntax::FunctionDecl* declaration = declaration_of(*function);
    if (declaration == nullptr || !declaration->implements.present) continue;
    if (qualified(session, declaration->module, declaration->implements.reference.segments.back().name) ==
        regressions->reference) {
      implementations.emplace_back(function->name);
    }
  }
  if (implementations.empty()) {
    return {{"status", "unknown"}, {"message", regressions->reference + " has no implementation here"}};
  }
  SessionOptions options;
  options.first_only = true;
  options.emulate = session.is_emulated();
  for (const std::string& name : implementations) {
    const auto validation = Validation::prepare(session, options, name);
    if (!validation) return {{"status", "unknown"}, {"message", validation.error().message}};
    if (!(*validation)->unfeedable().empty()) return {{"status", "unknown"}, {"message", (*validation)->unfeedable()}};
    for (const ValidationCase& each : regressions->cases) {
      if (const std::string fault = (*validation)->misfit(each); !fault.empty()) return invalid(fault);
    }
    const auto outcomes = (*validation)->run(regressions->cases, *policy);
    for (std::size_t k = 0; k < outcomes.size(); ++k) {
      if (outcomes[k].undecided) return {{"status", "unknown"}, {"message", "a call passed its time limit"}};
      if (outcomes[k].agreed) continue;
      Json failed = {
          {"status", "failed-tests"}, {"cases", regressions->cases.size()}, {"case", k}, {"implementation", name}};
      failed["args"] = regressions->cases[k].arguments;
      failed["reference"] = outcomes[k].reference;
      failed["dispatch"] = outcomes[k].dispatch;
      if (outcomes[k].held) failed["implemented"] = outcomes[k].implementation;
      return failed;
    }
  }
  return {
      {"status", "passed-finite-tests"}, {"cases", regressions->cases.size()}, {"implementations", implementations}};
}

}  // namespace cairn::cli
