// cairn audit: which named algorithms explain what a function returned (reference algorithms, 17).
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <string>

#include <nlohmann/json.hpp>

#include "frontend/project/files.hpp"
#include "runtime/pool/lane_pool.hpp"
#include "runtime/reference/vectors.hpp"
#include "vm/audit/judge.hpp"
#include "vm/audit/placement.hpp"
#include "vm/audit/runner.hpp"
#include "vm/cli/child_process.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/machine.hpp"
#include "vm/cli/progress.hpp"
#include "vm/cli/running.hpp"
#include "vm/lower_for_use.hpp"

namespace cairn::cli {

namespace ref = reference;

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostVectorBytes = std::size_t{1} << 30U;
constexpr std::uint64_t kMostCases = 100'000;

/// Why there is no verdict: thrown where it shows and caught in audit_command.
struct NoVerdict {
  std::string why;
};
[[noreturn]] void give_up(std::string why) { throw NoVerdict{std::move(why)}; }

template <class T>
T taken(std::expected<T, std::string> result) {
  if (!result) give_up(std::move(result.error()));
  return std::move(*result);
}

std::size_t lanes() {
  const char* setting = std::getenv("CAIRN_LANES");
  return taken(runtime::lane_count(setting == nullptr ? "" : setting));
}

// ------------------------------------------------------------------------------------------------------------- vectors

/// --vectors: the library held to every vector of the files.
int check_vector_files(const Invocation& invocation, const Output& output) {
  runtime::LanePool pool(lanes());
  ref::VectorCounts total;
  Json failures = Json::array();
  for (const std::string_view path : invocation.texts(Option::Vectors)) {
    const std::string shown(path);
    const auto text = read_file(path, kMostVectorBytes);
    if (!text) give_up(shown + " cannot be read: " + text.error());
    Progress progress("checking " + shown);
    ref::Work work;
    work.pool = &pool;
    work.progress = [&](std::size_t done, std::size_t all) {
      progress.tell(done, all);
      return true;
    };
    const auto fail = [&](std::size_t index, const std::string& what) {
      if (output.json()) {
        failures.push_back({{"file", shown}, {"index", index}, {"message", what}});
      } else {
        output.say("FAIL " + shown + ":" + std::to_string(index) + ": " + what + "\n");
      }
    };
    const auto counts = ref::check_vectors(*text, fail, &work);
    if (!counts) give_up(shown + ": " + counts.error().message);
    total.passed += counts->passed;
    total.failed += counts->failed;
  }
  if (output.json()) {
    output.record({{"status", total.failed == 0 ? "passed" : "failed"},
                   {"passed", total.passed},
                   {"failed", total.failed},
                   {"failures", std::move(failures)}});
  } else {
    output.say(std::to_string(total.passed) + " passed, " + std::to_string(total.failed) + " failed\n");
  }
  return total.failed == 0 ? kGood : kRefused;
}

// ------------------------------------------------------------------------------------------------------------- options

std::uint64_t whole_number(std::string_view text, const std::string& what) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    give_up(what + " is a whole number, not '" + std::string(text) + "'");
  }
  return value;
}

/// A decimal or exponent number that is whole: 64, 1e6.
std::size_t size_of(std::string_view text, const std::string& what) {
  const auto number = ref::parse_rational(text);
  if (!number || number->exact().get_den() != 1 || number->exact() < 0 ||
      number->exact() > mpq_class(mpz_class(1) << 48)) {
    give_up(what + " is a size, not '" + std::string(text) + "'");
  }
  return number->exact().get_num().get_ui();
}

template <class Enumeration>
Enumeration choice(const Invocation& invocation, Option option, std::initializer_list<std::string_view> words) {
  if (!invocation.has(option)) return Enumeration{};
  const std::string_view given = invocation.text(option);
  std::string all;
  std::uint8_t at = 0;
  for (const std::string_view word : words) {
    if (word == given) return static_cast<Enumeration>(at);
    all += (at++ == 0 ? "" : ", ") + std::string(word);
  }
  give_up(std::string(row_of(option).name) + " is one of " + all + ", not '" + std::string(given) + "'");
}

audit::JudgementOptions judgement_options(const Invocation& invocation) {
  audit::JudgementOptions options;
  options.rounding = choice<ref::Rounding>(invocation, Option::Rounding, {"even", "away"});
  options.overflow = choice<ref::Overflow>(invocation, Option::Overflow, {"default", "saturate", "nan"});
  options.standard = choice<ref::Standard>(invocation, Option::Standard, {"normal", "strict"});
  options.flush_to_zero = invocation.has(Option::FlushToZero);
  if (invocation.has(Option::Compute)) {
    options.compute = ref::format_named(invocation.text(Option::Compute));
    if (!options.compute) give_up("--compute is a format, not '" + std::string(invocation.text(Option::Compute)) + "'");
  }
  if (invocation.has(Option::Ulps)) {
    const auto ulps = ref::parse_rational(invocation.text(Option::Ulps));
    if (!ulps) give_up("--ulps: " + ulps.error().message);
    options.ulps = *ulps;
  }
  return options;
}

/// The sizes: what --at says, else the form's defaults, or 1 where the function has no parameter for one.
void take_sizes(const Invocation& invocation, const audit::Binding& binding, audit::Problem& problem) {
  const audit::FormRow& row = audit::row_of(problem.form);
  for (std::size_t i = 0; i < row.sizes.size(); ++i) {
    problem.sizes[std::string(row.sizes[i])] = binding.has_size(row.sizes[i]) ? row.defaults[i] : 1;
  }
  for (std::string_view list : invocation.texts(Option::At)) {
    while (!list.empty()) {
      const std::string_view one = list.substr(0, list.find(','));
      list = one.size() == list.size() ? std::string_view() : list.substr(one.size() + 1);
      const std::size_t equals = one.find('=');
      const std::string name(one.substr(0, equals));
      const auto size = problem.sizes.find(name);
      if (equals == std::string_view::npos || size == problem.sizes.end()) {
        std::string all;
        for (const std::string_view each : row.sizes) all += (all.empty() ? "" : ", ") + std::string(each);
        give_up("--at gives sizes of a " + std::string(row.name) + " as NAME=N: " + all + "; not '" + std::string(one) +
                "'");
      }
      size->second = size_of(one.substr(equals + 1), "--at " + name);
    }
  }
}

std::map<std::string, std::string> roles_of(const Invocation& invocation) {
  std::map<std::string, std::string> made;
  for (const std::string_view text : invocation.texts(Option::Role)) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
      give_up("--role is ROLE=PARAMETER, not '" + std::string(text) + "'");
    }
    if (!made.emplace(text.substr(0, equals), text.substr(equals + 1)).second) {
      give_up("--role gives " + std::string(text.substr(0, equals)) + " twice");
    }
  }
  return made;
}

/// Rows that --algorithm and --require name; `required` are the places of the latter.
struct Asked {
  audit::Rows rows;
  std::vector<std::size_t> required;
};

Asked asked_rows(const Invocation& invocation, audit::Form form, const audit::Case& arrays,
                 const audit::JudgementOptions& options) {
  Asked made;
  const auto add = [&](std::string_view spelling) {
    auto row = ref::parse_algorithm(spelling);
    if (!row) give_up(row.error().message);
    if (const auto fault = audit::misplaced(**row, form)) give_up(*fault);
    for (std::size_t i = 0; i < made.rows.size(); ++i) {
      if (made.rows[i]->spelling() == (*row)->spelling()) return i;
    }
    made.rows.push_back(std::move(*row));
    return made.rows.size() - 1;
  };
  if (invocation.has(Option::Algorithm)) {
    for (const std::string_view spelling : invocation.texts(Option::Algorithm)) add(spelling);
  } else {
    made.rows = audit::default_rows(form, arrays, options);
  }
  for (const std::string_view spelling : invocation.texts(Option::RequireAlgorithm))
    made.required.push_back(add(spelling));
  return made;
}

// --------------------------------------------------------------------------------------------------------- the audit

/// Where the outputs came from, as both forms of the answer tell it.
struct Source {
  std::string shown;  // the function, or the folder as it was given
  bool recorded = false;
  std::string inputs;
  std::uint64_t seed = 0;
  std::string emulated_for;  // a device target, when its work was emulated
};

std::string shown(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", share);
  return text;
}

std::string place_of(const audit::Worst& worst, audit::Form form) {
  std::string made = form == audit::Form::Matmul ? "[" : worst.output + "[";
  for (std::size_t d = 0; d < worst.index.size(); ++d) made += (d == 0 ? "" : ", ") + std::to_string(worst.index[d]);
  return made + "]";
}

std::string row_line(const audit::RowVerdict& row, audit::Form form, std::size_t cases) {
  std::string made(audit::verdict_name(row.verdict));
  made = "  " + made + std::string(9 - made.size(), ' ') + row.spelling + "  ";
  const bool equal = row.has_run && row.verdict != audit::Verdict::Refutes;
  made += std::to_string(equal ? row.equal : row.covered) + " of " + std::to_string(row.elements) +
          (equal ? " equal" : " covered");
  if (row.worst && !(row.worst->share == ref::Rational())) {
    const audit::Worst& worst = *row.worst;
    made += ", worst " + shown(worst.share.nearest_f64());
    if (cases > 1) made += " in case " + std::to_string(worst.case_index + 1);
    made += " at " + place_of(worst, form) + ": got " + text(worst.got) + ", reference " + text(worst.reference) +
            ", allowed ";
    made +=
        worst.range.ends ? text(worst.range.ends->first) + " to " + text(worst.range.ends->second) : "nothing finite";
  }
  return made + "\n";
}

std::vector<std::string> explanations(const std::vector<audit::RowVerdict>& rows) {
  for (const audit::Verdict wanted : {audit::Verdict::Equals, audit::Verdict::Covers}) {
    std::vector<std::string> made;
    for (const audit::RowVerdict& row : rows) {
      if (row.verdict == wanted) made.push_back(row.spelling);
    }
    if (!made.empty()) return made;
  }
  return {};
}

std::string formats_shown(const audit::Problem& problem, const audit::Case& arrays) {
  const auto format = [&](std::string_view role) {
    return std::string(ref::info(arrays.arrays.find(role)->second.format()).name);
  };
  const std::vector<std::string> outputs = audit::outputs_of(problem.form, arrays);
  if (problem.form == audit::Form::Matmul) return format("a") + " * " + format("b") + " -> " + format("c");
  return format("query") + ", " + format("key") + ", " + format("value") + " -> " + format(outputs.front());
}

int answer(const Output& output, const audit::Problem& problem, const std::vector<audit::Case>& cases,
           const Source& source, const audit::JudgementOptions& options, const std::vector<audit::RowVerdict>& rows,
           bool explained) {
  const audit::FormRow& form = audit::row_of(problem.form);
  const std::vector<std::string> explained_by = explanations(rows);
  const audit::Case& last = cases.back();
  if (output.json()) {
    Json record = {{"schema", "cairn.audit/1"}, {"status", explained ? "explained" : "unexplained"}};
    record["symbol"] = source.recorded ? Json() : Json(source.shown);
    if (source.recorded) record["from"] = source.shown;
    record["form"] = form.name;
    for (const std::string_view size : form.sizes) record["sizes"][std::string(size)] = problem.size(size);
    record["inputs"] = source.recorded ? "recorded" : source.inputs;
    record["seed"] = source.recorded ? Json() : Json(source.seed);
    record["cases"] = cases.size();
    record["onto"] = problem.onto;
    for (const auto& [role, array] : last.arrays) {
      const bool boolean = role == "mask" && last.boolean_mask;
      record["formats"][role] = boolean ? "bool" : ref::info(array.format()).name;
    }
    const std::string first = audit::outputs_of(problem.form, last).front();
    record["dtype"] = ref::info(last.arrays.find(first)->second.format()).name;
    record["rounding"] = options.rounding == ref::Rounding::NearestEven ? "even" : "away";
    record["rows"] = Json::array();
    for (const audit::RowVerdict& row : rows) {
      Json each = {
          {"algorithm", row.spelling}, {"verdict", audit::verdict_name(row.verdict)},     {"elements", row.elements},
          {"covered", row.covered},    {"equal", row.has_run ? Json(row.equal) : Json()}, {"worst", nullptr}};
      if (row.worst) {
        const audit::Worst& worst = *row.worst;
        each["worst"] = {{"case", worst.case_index + 1},
                         {"output", worst.output},
                         {"index", worst.index},
                         {"got", text(worst.got)},
                         {"reference", text(worst.reference)},
                         {"lo", worst.range.ends ? Json(text(worst.range.ends->first)) : Json()},
                         {"hi", worst.range.ends ? Json(text(worst.range.ends->second)) : Json()},
                         {"tolerance", text(worst.tolerance)},
                         {"share", worst.share.is_infinite() ? Json() : Json(worst.share.nearest_f64())}};
      }
      record["rows"].push_back(std::move(each));
    }
    record["explained_by"] = explained_by;
    if (!source.emulated_for.empty()) record["emulation"] = emulation_record(source.emulated_for);
    output.record(record);
    return explained ? kGood : kRefused;
  }
  if (!source.emulated_for.empty()) output.note(emulation_claim(source.emulated_for));
  std::string said = "audit: " + source.shown + " as " + std::string(form.name) + ",";
  for (const std::string_view size : form.sizes)
    said += " " + std::string(size) + "=" + std::to_string(problem.size(size));
  said += ", " + formats_shown(problem, last) + ", ";
  said += source.recorded
              ? "recorded"
              : source.inputs + ", seed " + std::to_string(source.seed) + ", " + counted(cases.size(), "case");
  said += ", " + counted(rows.empty() ? 0 : rows.front().elements, "element") + "\n";
  for (const audit::RowVerdict& row : rows) said += row_line(row, problem.form, cases.size());
  std::string all;
  for (const std::string& spelling : explained_by) all += (all.empty() ? "" : "; ") + spelling;
  output.say(said + "explained by: " + (all.empty() ? "none" : all) + "\n");
  return explained ? kGood : kRefused;
}

int judge_and_answer(const Invocation& invocation, const Output& output, const audit::Problem& problem,
                     const std::vector<audit::Case>& cases, const Source& source,
                     const audit::JudgementOptions& options, const Asked& asked) {
  runtime::LanePool pool(lanes());
  Progress progress("judging");
  ref::Work work;
  work.pool = &pool;
  work.progress = [&](std::size_t done, std::size_t all) {
    progress.tell(done, all);
    return true;
  };
  const std::vector<audit::RowVerdict> rows = taken(audit::judge(problem, cases, asked.rows, options, work));
  bool explained = true;
  if (invocation.has(Option::RequireAlgorithm)) {
    for (const std::size_t row : asked.required) explained = explained && rows[row].explains();
  } else {
    explained = std::ranges::any_of(rows, &audit::RowVerdict::explains);
  }
  return answer(output, problem, cases, source, options, rows, explained);
}

/// --from: arrays recorded elsewhere.
int audit_folder(const Invocation& invocation, const Output& output) {
  const std::string shown(invocation.text(Option::From));
  auto folder = audit::read_folder(shown);
  if (!folder) give_up(shown + ": " + folder.error());
  const audit::JudgementOptions options = judgement_options(invocation);
  if (audit::outputs_of(folder->problem.form, folder->arrays).empty()) give_up(shown + ": no array is an output");
  const Asked asked = asked_rows(invocation, folder->problem.form, folder->arrays, options);
  Source source;
  source.shown = shown;
  source.recorded = true;
  std::vector<audit::Case> cases;
  cases.push_back(std::move(folder->arrays));
  return judge_and_answer(invocation, output, folder->problem, cases, source, options, asked);
}

/// Runs the function on every case, in a child; the cases then hold what it wrote.
void run_cases(const Invocation& invocation, const Session& session, const std::string& name,
               const audit::Binding& binding, const audit::Problem& problem, std::vector<audit::Case>& cases,
               lower::Lowered& lowered) {
  const auto shared = taken(audit::SharedCases::of(binding, problem, cases));
  ChildOptions limits;
  limits.timeout_seconds = static_cast<double>(invocation.number(Option::Timeout).value_or(0));
  limits.without_input = true;
  limits.folder = session.project()->root;
  limits.captured_bytes = 8000;
  const std::uint32_t code = lowered.roots.front();
  const bool returns = binding.function->result->is_scalar();
  const auto body = [&] {
    Execution execution(std::move(lowered.module), execution_options(invocation, 0));
    execution.die_of_traps();
    if (const auto missing = execution.missing()) {
      write_error(*missing + "\n");
      return 1;
    }
    if (const auto missing = execution.open_device()) {
      write_error(*missing + "\n");
      return 1;
    }
    for (std::size_t index = 0; index < cases.size(); ++index) {
      std::uint64_t result = 0;
      if (const auto trap = execution.call(code, shared.arguments(index), std::span(&result, returns ? 1 : 0)))
        die_of(*trap);
    }
    return 0;
  };
  const auto ended = run_child(body, limits);
  if (!ended) give_up("the system gives no further process");
  if (ended->timed_out) give_up(name + " was stopped after its time limit");
  if (ended->exit_code != 0) {
    const std::string said = recorded_text(ended->err);
    give_up(name + " did not return" + (said.empty() ? "" : ": " + said.substr(0, said.find('\n'))));
  }
  shared.collect(binding, problem, cases);
}

/// Zeros, or what admits every key.
void add_mask(const audit::Binding& binding, const audit::Problem& problem, audit::Case& arrays) {
  const audit::Binding::Parameter* mask = binding.view("mask");
  if (mask == nullptr) return;
  ref::Array array(mask->format.value_or(ref::Format::F32), problem.shape("mask"));
  arrays.boolean_mask = !mask->format;
  for (std::size_t i = 0; arrays.boolean_mask && i < array.size(); ++i) array.set(i, 1.0);
  arrays.arrays.emplace("mask", std::move(array));
}

SessionOptions audit_options(const Invocation& invocation) {
  SessionOptions options = session_options(invocation);
  options.gpus = gpus_of_machine;
  return options;
}

/// The program with a function of host views before the one of `binding`, which is then the new one's.
std::unique_ptr<Session> through_host_views(const Invocation& invocation, const Session& session,
                                            audit::Binding& binding) {
  const std::string symbol(binding.function->name);
  const std::string module = symbol.substr(0, symbol.rfind('.') + 1);  // find's npos + 1 is 0
  std::string name = "on_host_views";
  while (audit::function_named(session.compilation(), module + name) != nullptr) name += "_";
  SessionOptions options = audit_options(invocation);
  const SourceFile* const file = session.sources().locate(binding.function->position).file;
  for (std::uint32_t source = 0; source < session.sources().size(); ++source) {
    if (&session.sources().file(source) != file) continue;
    options.insertions.push_back({source, file->text.size(), audit::host_function(binding, name)});
  }
  auto made = Session::open(invocation.path(), options);
  const checked::Function* const function =
      made->accepted() ? audit::function_named(made->compilation(), module + name) : nullptr;
  if (function == nullptr) {
    const auto& refusals = made->verdict().refusals;
    give_up(symbol + " cannot be called with copies of its views" +
            (refusals.empty() ? "" : ": " + refusals.front().message));
  }
  binding.function = function;
  return made;
}

int audit_function(const Invocation& invocation, const Output& output) {
  if (!invocation.has(Option::Symbol)) give_up("cairn audit needs --symbol F, --from DIR or --vectors FILE");
  const auto session = Session::open(invocation.path(), audit_options(invocation));
  if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  const std::string symbol(invocation.text(Option::Symbol));
  const checked::Function* function = audit::function_named(session->compilation(), symbol);
  if (function == nullptr) give_up(symbol + " is no ordinary function of the program");
  std::optional<audit::Form> form;
  if (invocation.has(Option::AuditAs)) {
    const auto known = std::ranges::find(audit::forms(), invocation.text(Option::AuditAs), &audit::FormRow::name);
    if (known == audit::forms().end()) give_up("--as is matmul, attention or attention-backward");
    form = known->form;
  }
  auto binding = audit::bind(*function, session->compilation().names, form, roles_of(invocation));
  if (!binding) return output.refuse(std::move(binding.error()), session->sources());
  const bool on_device = std::ranges::any_of(binding->parameters, &audit::Binding::Parameter::device);
  std::unique_ptr<Session> with_copies;
  if (on_device && !session->is_emulated()) {
    if (auto refusal = session->judge_device()) return output.refuse(std::move(*refusal), session->sources());
    with_copies = through_host_views(invocation, *session, *binding);
    function = binding->function;
  }
  const Session& run = with_copies ? *with_copies : *session;

  const audit::JudgementOptions options = judgement_options(invocation);
  audit::Problem problem;
  problem.form = binding->form;
  problem.onto = invocation.has(Option::Onto);
  problem.causal = invocation.has(Option::Causal);
  if (problem.onto && problem.form != audit::Form::Matmul) give_up("--onto is of a matmul");
  if (invocation.has(Option::Scale)) {
    const auto scale = ref::parse_rational(invocation.text(Option::Scale));
    if (!scale || !std::isfinite(scale->nearest_f64())) give_up("--scale is a finite number");
    problem.scale = scale->nearest_f64();
  }
  take_sizes(invocation, *binding, problem);
  Source source;
  source.shown = symbol;
  source.inputs = invocation.text(Option::Inputs, "uniform");
  const auto inputs = audit::inputs_named(source.inputs);
  if (!inputs) give_up("--inputs is one of uniform, positive, ones, wide, cancelling, not '" + source.inputs + "'");
  source.seed = whole_number(invocation.text(Option::Seed, "1"), "--seed");
  const std::uint64_t count = whole_number(invocation.text(Option::Cases, "1"), "--cases");
  if (count == 0 || count > kMostCases) give_up("--cases is a number from 1 to " + std::to_string(kMostCases));

  lower::Options lowering;
  lowering.entry = false;
  lowering.roots = {function};
  auto lowered = lower_for_use(run, lowering);
  if (!lowered) return output.refuse(std::move(lowered.error()), session->sources());
  if (bytecode::has_device_work(lowered->module)) {
    if (auto refusal = run.judge_device()) return output.refuse(std::move(*refusal), session->sources());
  }

  std::map<std::string, ref::Format, std::less<>> formats;
  for (const audit::Binding::Parameter& each : binding->parameters) {
    if (each.kind != audit::Binding::Kind::View) continue;
    if (ref::element_count(problem.shape(each.role)) > std::size_t{1} << 32U)
      give_up(each.role + " has too many elements");
    if (each.format) formats.emplace(each.role, *each.format);
  }
  std::vector<audit::Case> cases;
  for (std::uint64_t i = 0; i < count; ++i) {
    cases.push_back(audit::generated(problem, formats, *inputs, source.seed + i));
    add_mask(*binding, problem, cases.back());
    if (problem.form != audit::Form::AttentionBackward || binding->view("out") == nullptr) continue;
    if (const auto fault = audit::add_forward_results(problem, *binding->view("out")->format, options, cases.back())) {
      give_up(*fault);
    }
    if (cases.back().arrays.at("logsumexp").format() != *binding->view("logsumexp")->format) {
      give_up("the logsumexp has the compute format; --compute sets it");
    }
  }
  // Before the function runs: spellings and what rows ask of formats need no results.
  audit::Case shapes = cases.front();
  for (const audit::Binding::Parameter& each : binding->parameters) {
    if (each.kind == audit::Binding::Kind::View && each.format) {
      shapes.arrays.try_emplace(each.role, ref::Array(*each.format, {0}));
    }
  }
  const Asked asked = asked_rows(invocation, problem.form, shapes, options);
  run_cases(invocation, run, symbol, *binding, problem, cases, *lowered);
  if (session->is_emulated()) source.emulated_for = session->device_target();
  if (invocation.has(Option::Save)) {
    const std::string folder(invocation.text(Option::Save));
    if (const auto fault = audit::write_folder(folder, problem, cases.back())) give_up(folder + ": " + *fault);
  }
  return judge_and_answer(invocation, output, problem, cases, source, options, asked);
}

}  // namespace

int audit_command(const Invocation& invocation) {
  tell_of_interrupts();
  const Output output(invocation);
  try {
    if (invocation.has(Option::Vectors)) return check_vector_files(invocation, output);
    if (invocation.has(Option::From)) return audit_folder(invocation, output);
    return audit_function(invocation, output);
  } catch (const NoVerdict& fault) {
    return output.refuse(no_verdict(fault.why + "."));
  }
}

}  // namespace cairn::cli
