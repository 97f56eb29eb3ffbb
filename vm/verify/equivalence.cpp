#include "vm/verify/equivalence.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "vm/verify/fragment.hpp"

namespace cairn::verify {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kMostCases = 64;  // of a query that is asked for every value of small inputs
constexpr unsigned kSmallTimeout = 500;   // milliseconds of each search for a small input
constexpr std::array<std::uint64_t, 3> kSmall = {16, 256, 65536};

constexpr std::array<std::string_view, 6> kStatuses = {"smt-equivalent", "counterexample",    "invalid-contract",
                                                       "invalid-domain", "invalid-reference", "unknown"};

/// One comparison: the terms, both encoders and the solver.
class Comparison {
 public:
  explicit Comparison(const Question& question)
      : question_(question),
        reference_(terms_, *question.reference.module),
        candidate_(terms_, *question.candidate.module) {}

  Answer run() {
    try {
      decide();
    } catch (const Unsupported& fault) {
      finish(Status::Unknown, fault.why);
    }
    return std::move(answer_);
  }

 private:
  void decide();
  void encode_precondition();
  SolverAnswer ask(std::string_view stage, const std::vector<Term>& conditions, unsigned timeout_ms);
  SolverAnswer ask_by_cases(const std::vector<Term>& conditions, std::size_t next,
                            std::chrono::steady_clock::time_point end);
  void learn_bounds();
  void report_difference(const std::vector<Term>& conditions);
  void report_input(const std::vector<Term>& conditions);
  bool settle_on_small_input(const std::vector<Term>& conditions);
  [[nodiscard]] Term within(std::uint64_t limit);

  void finish(Status status, std::string reason) {
    answer_.status = status;
    answer_.reason = std::move(reason);
  }
  /// Unknown because a query that had to be unsat was not.
  void undecided(SolverAnswer said, std::string what) {
    finish(Status::Unknown, said == SolverAnswer::Unknown
                                ? "the solver gave no answer (" + solver_->reason() + ") on whether " + what
                                : std::move(what));
  }

  const Question& question_;
  Terms terms_;
  Encoder reference_;
  Encoder candidate_;
  std::unique_ptr<Solver> solver_;
  Start start_;
  Start other_start_;
  Outcome before_;
  Outcome after_;
  std::vector<Term> admitted_;
  Term precondition_traps_ = kFalse;
  Term precondition_exceeds_ = kFalse;
  std::vector<std::pair<Term, std::uint64_t>> small_;  // sizes of the input that are at most so much
  Answer answer_;
};

SolverAnswer Comparison::ask(std::string_view stage, const std::vector<Term>& conditions, unsigned timeout_ms) {
  if (question_.before_query) question_.before_query(stage);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  // Where sizes are small, fixing them leaves straight code, which is easy.
  const SolverAnswer said = ask_by_cases(conditions, 0, end);
  Json query = {{"stage", stage}, {"status", text(said)}};
  if (said == SolverAnswer::Unknown) query["reason"] = solver_->reason();
  if (question_.bounded_by) query["bounded_by"] = *question_.bounded_by;
  answer_.queries.push_back(std::move(query));
  return said;
}

/// The question for every value of the small inputs from `next` on: sat when it is in one case, unsat when in all.
SolverAnswer Comparison::ask_by_cases(const std::vector<Term>& conditions, std::size_t next,
                                      std::chrono::steady_clock::time_point end) {
  if (next == small_.size()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return SolverAnswer::Unknown;
    return solver_->ask(terms_, conditions, static_cast<unsigned>(left.count()));
  }
  const auto [variable, most] = small_[next];
  for (std::uint64_t value = 0; value <= most; ++value) {
    const Term constant = terms_.bits(terms_.sort(variable).width, value);
    std::vector<Term> fixed;
    for (const Term condition : conditions) fixed.push_back(terms_.substitute(condition, variable, constant));
    fixed.push_back(terms_.equal(variable, constant));
    const SolverAnswer said = ask_by_cases(fixed, next + 1, end);
    if (said != SolverAnswer::Unsat) return said;
  }
  return SolverAnswer::Unsat;
}

/// Upper bounds that the admitted inputs have: they cut loops short, and small ones can be gone through.
void Comparison::learn_bounds() {
  std::uint64_t cases = 1;
  const auto learn = [&](Term condition) {
    if (terms_.node(condition).op == TermOp::Equal && terms_.is_constant(terms_.operand(condition, 0)) &&
        terms_.sort(terms_.operand(condition, 0)).kind == SortKind::Bits) {
      terms_.assume_at_most(terms_.operand(condition, 1), terms_.value(terms_.operand(condition, 0)));
    }
    if (terms_.node(condition).op != TermOp::LessEqualU || !terms_.is_constant(terms_.operand(condition, 1))) return;
    const Term bounded = terms_.operand(condition, 0);
    const std::uint64_t most = terms_.value(terms_.operand(condition, 1));
    const bool is_known = std::ranges::find(small_, bounded, &std::pair<Term, std::uint64_t>::first) != small_.end();
    if (!is_known && terms_.node(bounded).op == TermOp::Variable && terms_.sort(bounded).width == 64 &&
        most <= kTurns && cases * (most + 1) <= kMostCases) {
      cases *= most + 1;
      small_.emplace_back(bounded, most);
    }
    terms_.assume_at_most(bounded, most);
  };
  const std::function<void(Term)> learn_from = [&](Term condition) {
    const TermOp op = terms_.node(condition).op;
    const bool is_none_of = op == TermOp::Not && terms_.node(terms_.operand(condition, 0)).op == TermOp::Or;
    if (op != TermOp::And && !is_none_of) return learn(condition);
    const auto of = terms_.operands(is_none_of ? terms_.operand(condition, 0) : condition);
    const std::vector<Term> parts(of.begin(), of.end());
    for (const Term part : parts) learn_from(is_none_of ? terms_.negate(part) : part);
  };
  const std::vector<Term> conditions = admitted_;
  for (const Term condition : conditions) learn_from(condition);
}

void Comparison::encode_precondition() {
  if (!question_.precondition) return;
  Subject subject = question_.reference;
  subject.code = *question_.precondition;
  Encoder encoder(terms_, *subject.module);
  // Its parameters are the reference's; its result is a bool in a register.
  Start start = start_of(encoder, terms_, subject);
  const Outcome outcome = encoder.run(subject.code, std::move(start.state));
  precondition_traps_ = outcome.traps;
  precondition_exceeds_ = outcome.exceeded;
  admitted_.push_back(outcome.returns ? outcome.after.slots[0].term : kFalse);
}

/// Every integer of the input lies within `limit` of zero, and no view is longer than can be replayed.
Term Comparison::within(std::uint64_t limit) {
  std::vector<Term> bounds;
  const auto bound = [&](const Number& number) {
    const unsigned width = terms_.sort(number.term).width;
    if (limit >= mask_of(width) >> (number.is_signed ? 1U : 0U)) return;
    const Term most = terms_.bits(width, limit);
    if (!number.is_signed) {
      bounds.push_back(terms_.binary(TermOp::LessEqualU, number.term, most));
      return;
    }
    bounds.push_back(terms_.binary(TermOp::LessEqualS, number.term, most));
    bounds.push_back(terms_.binary(TermOp::LessEqualS, terms_.bits(width, 0 - limit), number.term));
  };
  for (const Number& number : start_.numbers) bound(number);
  for (const Number& number : start_.elements) bound(number);
  for (const Parameter& parameter : start_.parameters) {
    if (parameter.kind != Parameter::Kind::View && parameter.kind != Parameter::Kind::Owner) continue;
    bounds.push_back(terms_.binary(TermOp::LessEqualU, parameter.length, terms_.bits(64, kMostReplayed)));
  }
  return terms_.all(bounds);
}

/// Asks again for an input that people can read; false when none was found and the last model is gone.
bool Comparison::settle_on_small_input(const std::vector<Term>& conditions) {
  for (const std::uint64_t limit : kSmall) {
    std::vector<Term> small = conditions;
    small.push_back(within(limit));
    if (ask("small-" + std::to_string(limit), small, kSmallTimeout) == SolverAnswer::Sat) return true;
  }
  return ask("again", conditions, question_.timeout_ms) == SolverAnswer::Sat;
}

/// An input at which the reference traps, shown and replayed when that is possible.
void Comparison::report_input(const std::vector<Term>& conditions) {
  finish(Status::InvalidReference, "the reference traps on an admitted input");
  if (!settle_on_small_input(conditions)) return;
  const auto inputs = concrete_inputs(reference_, terms_, question_.reference, start_, *solver_);
  if (!inputs) return;
  answer_.counterexample = Json::object();
  for (std::size_t k = 0; k < inputs->size(); ++k)
    answer_.counterexample[start_.parameters[k].name] = (*inputs)[k].shown;
  answer_.expected = replay(question_.reference, start_, *inputs);
  answer_.replayed = !answer_.expected["defined"].get<bool>();
  if (!answer_.replayed) finish(Status::Unknown, "the replay disagrees: the reference returns where the model traps");
}

void Comparison::report_difference(const std::vector<Term>& conditions) {
  if (!settle_on_small_input(conditions)) {
    return finish(Status::Unknown, "an input that tells them apart exists, and the solver did not give it twice");
  }
  const auto inputs = concrete_inputs(reference_, terms_, question_.reference, start_, *solver_);
  if (!inputs) return finish(Status::Unknown, "it cannot be replayed: " + inputs.error());
  answer_.counterexample = Json::object();
  for (std::size_t k = 0; k < inputs->size(); ++k)
    answer_.counterexample[start_.parameters[k].name] = (*inputs)[k].shown;
  answer_.expected = replay(question_.reference, start_, *inputs);
  answer_.actual = replay(question_.candidate, other_start_, *inputs);
  const bool both_trap = !answer_.expected["defined"].get<bool>() && !answer_.actual["defined"].get<bool>();
  // As text: -0.0 and 0.0 are not one value.
  if (both_trap || answer_.expected.dump() == answer_.actual.dump()) {
    return finish(Status::Unknown, "the replay disagrees: both versions do the same there");
  }
  answer_.replayed = true;
  finish(Status::Counterexample, "");
}

void Comparison::decide() {
  const auto& [reference, candidate] = std::pair(question_.reference, question_.candidate);
  const std::string shape = signature_difference(*reference.function, reference.compilation->names, *candidate.function,
                                                 candidate.compilation->names, question_.names_count);
  if (!shape.empty()) return finish(Status::InvalidContract, shape);
  for (const Subject& side : {reference, candidate}) {
    if (auto why = outside_fragment(*side.function, side.compilation->names)) {
      return finish(Status::Unknown, (side.code == reference.code && side.module == reference.module
                                          ? "the reference is not modelled: "
                                          : "the candidate is not modelled: ") +
                                         *why);
    }
  }
  auto solver = Solver::open();
  if (!solver) return finish(Status::Unknown, solver.error());
  solver_ = std::move(*solver);
  answer_.solver_version = solver_->version();

  start_ = start_of(reference_, terms_, reference);
  other_start_ = start_of(candidate_, terms_, candidate);
  admitted_ = start_.domain;
  if (question_.bounded_by) {
    for (const Number& number : start_.numbers) {
      const unsigned width = terms_.sort(number.term).width;
      if (number.is_signed || *question_.bounded_by >= mask_of(width)) continue;
      admitted_.push_back(terms_.binary(TermOp::LessEqualU, number.term, terms_.bits(width, *question_.bounded_by)));
    }
  }
  const std::vector<Term> domain = admitted_;
  encode_precondition();
  const auto with = [&](std::vector<Term> conditions, Term more) {
    conditions.push_back(more);
    return conditions;
  };

  // 1, 2: the precondition cannot trap, and admits something.
  if (question_.precondition) {
    const SolverAnswer said = ask("precondition-total", with(domain, precondition_traps_), question_.timeout_ms);
    if (said == SolverAnswer::Sat) return finish(Status::InvalidDomain, "the precondition may trap");
    if (said != SolverAnswer::Unsat) return undecided(said, "the precondition can trap");
  }
  // Every later question holds to `admitted_`, so what it says of sizes may shape the terms from here on.
  learn_bounds();
  before_ = reference_.run(reference.code, start_.state);
  after_ = candidate_.run(candidate.code, other_start_.state);
  {
    const SolverAnswer said = ask("domain-inhabited", admitted_, question_.timeout_ms);
    if (said == SolverAnswer::Unsat) return finish(Status::InvalidDomain, "the precondition admits no input");
    if (said != SolverAnswer::Sat) return undecided(said, "some input is admitted");
  }
  // 3: no loop runs past the bound.
  {
    const Term exceeds = terms_.any({before_.exceeded, after_.exceeded, precondition_exceeds_});
    const SolverAnswer said = ask("within-bound", with(admitted_, exceeds), question_.timeout_ms);
    if (said != SolverAnswer::Unsat) {
      answer_.hinges_on_bound = true;
      return undecided(said, "an admitted input may take a loop past " + std::to_string(kTurns) + " turns");
    }
  }
  // 4: the reference returns.
  if (!question_.allow_reference_traps) {
    const std::vector<Term> conditions = with(admitted_, before_.traps);
    const SolverAnswer said = ask("reference-returns", conditions, question_.timeout_ms);
    if (said == SolverAnswer::Sat) return report_input(conditions);
    if (said != SolverAnswer::Unsat) return undecided(said, "the reference can trap");
  }
  // 5: one traps and the other does not, or both return and differ.
  const std::vector<Observed> left = observed(reference_, terms_, reference, start_, before_);
  const std::vector<Observed> right = observed(candidate_, terms_, candidate, other_start_, after_);
  const Term both_return = terms_.both(terms_.negate(before_.traps), terms_.negate(after_.traps));
  std::vector<Term> differences;
  std::vector<Term> nans;
  for (std::size_t k = 0; k < left.size() && k < right.size(); ++k) {
    differences.push_back(terms_.both(left[k].guard, terms_.differ(left[k].value, right[k].value)));
    if (terms_.sort(left[k].value).kind == SortKind::Float) {
      nans.push_back(terms_.both(left[k].guard, terms_.unary(TermOp::FloatIsNan, left[k].value)));
    }
  }
  const Term differ =
      terms_.either(terms_.differ(before_.traps, after_.traps), terms_.both(both_return, terms_.any(differences)));
  const std::vector<Term> conditions = with(admitted_, differ);
  const SolverAnswer said = ask("difference", conditions, question_.timeout_ms);
  if (said == SolverAnswer::Sat) return report_difference(conditions);
  if (said != SolverAnswer::Unsat) return undecided(said, "some input tells them apart");
  // 6: no observed float can be NaN.
  if (!nans.empty()) {
    const SolverAnswer is_nan =
        ask("no-nan", with(admitted_, terms_.both(both_return, terms_.any(nans))), question_.timeout_ms);
    if (is_nan != SolverAnswer::Unsat) {
      return undecided(is_nan, "a float that is observed can be NaN, which has no payload in the model");
    }
  }
  finish(Status::Equivalent, "no admitted input tells them apart");
}

}  // namespace

std::string_view text(Status status) { return kStatuses[static_cast<std::size_t>(status)]; }

Answer compare(const Question& question) { return Comparison(question).run(); }

nlohmann::ordered_json record_of(const Answer& answer) {
  Json record = {{"status", text(answer.status)}};
  if (!answer.reason.empty()) record["reason"] = answer.reason;
  record["solver_version"] = answer.solver_version.empty() ? Json() : Json("Z3 " + answer.solver_version);
  record["queries"] = answer.queries;
  if (answer.hinges_on_bound) record["hinges_on_bound"] = true;
  if (!answer.counterexample.is_null()) {
    record["counterexample"] = answer.counterexample;
    record["expected"] = answer.expected;
    if (!answer.actual.is_null()) record["actual"] = answer.actual;
    record["concrete_replay"] = answer.replayed;
    record["native_replay"] = nullptr;
  }
  if (answer.status == Status::Equivalent) {
    record["quantification"] = "every input that the entry guards and the precondition admit";
    record["observation"] =
        "traps, the result, what a returned owner holds, and the final contents of every rw parameter";
  }
  return record;
}

Answer answer_from(const nlohmann::ordered_json& record) {
  Answer answer;
  const std::string status = record.value("status", "unknown");
  for (std::size_t k = 0; k < kStatuses.size(); ++k) {
    if (kStatuses[k] == status) answer.status = static_cast<Status>(k);
  }
  answer.reason = record.value("reason", "");
  const Json none;
  const auto member = [&](const char* key) { return record.contains(key) ? record[key] : none; };
  if (member("solver_version").is_string())
    answer.solver_version = record["solver_version"].get<std::string>().substr(3);
  answer.queries = member("queries");
  answer.hinges_on_bound = record.value("hinges_on_bound", false);
  answer.counterexample = member("counterexample");
  answer.expected = member("expected");
  answer.actual = member("actual");
  answer.replayed = record.value("concrete_replay", false);
  return answer;
}

}  // namespace cairn::verify
