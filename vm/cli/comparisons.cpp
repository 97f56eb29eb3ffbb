#include "vm/cli/comparisons.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include <sys/time.h>
#include <unistd.h>

#include "vm/cli/child_process.hpp"
#include "vm/cli/shared_answer.hpp"

namespace cairn::cli {

using Json = nlohmann::ordered_json;

namespace {

constexpr unsigned kGraceMs = 1000;  // a query the solver itself does not stop in time
constexpr unsigned kMostWorkers = 8;

// What a child says when its alarm rings: made before the alarm is set, since a handler may only write it.
const SharedAnswer* alarm_answer = nullptr;
std::string* alarm_words = nullptr;

void on_alarm(int) {
  static_cast<void>(alarm_answer->store(*alarm_words));
  ::_exit(0);
}

void set_alarm(unsigned milliseconds) {
  const itimerval timer{{0, 0}, {milliseconds / 1000, static_cast<suseconds_t>(milliseconds % 1000) * 1000}};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

verify::Answer undecided(std::string why) {
  verify::Answer answer;
  answer.reason = std::move(why);
  return answer;
}

int run_job(const ComparisonJob& job, const SharedAnswer& shared, unsigned timeout_ms) {
  alarm_answer = &shared;
  alarm_words = new std::string();  // lives as long as the process
  struct sigaction action{};
  action.sa_handler = on_alarm;
  ::sigaction(SIGALRM, &action, nullptr);
  const auto before_query = [&](std::string_view stage) {
    set_alarm(0);
    Json record = verify::record_of(undecided("the query " + std::string(stage) + " passed its time limit of " +
                                              std::to_string(timeout_ms) + " ms"));
    record["queries"].push_back({{"stage", stage}, {"status", "unknown"}, {"reason", "timeout"}});
    *alarm_words = record.dump();
    set_alarm(timeout_ms + kGraceMs);
  };
  const verify::Answer answer = job(before_query);
  set_alarm(0);
  return shared.store(verify::record_of(answer).dump()) ? 0 : 1;
}

std::string outcome_text(const Json& outcome) {
  if (!outcome.value("defined", false)) return "traps";
  std::string text;
  if (!outcome["return"].is_null()) text = "returns " + outcome["return"].dump();
  for (const auto& [name, contents] : outcome["written"].items()) {
    text += (text.empty() ? "leaves " : " and leaves ") + name + " = " + contents.dump();
  }
  return text.empty() ? "returns" : text;
}

}  // namespace

std::string inputs_text(const Json& inputs) {
  std::string text;
  for (const auto& [name, value] : inputs.items()) {
    text += (text.empty() ? "" : ", ") + name + " = ";
    if (!value.is_array()) {
      text += value.dump();
      continue;
    }
    std::string list;
    for (const Json& element : value) list += (list.empty() ? "" : ", ") + element.dump();
    text += "[" + list + "]";
  }
  return text;
}

std::string witness_text(const verify::Answer& answer, std::string_view before, std::string_view after) {
  const std::string inputs = inputs_text(answer.counterexample);
  std::string text =
      (inputs.empty() ? "" : "at " + inputs + ": ") + std::string(before) + " " + outcome_text(answer.expected);
  if (!answer.actual.is_null()) text += ", " + std::string(after) + " " + outcome_text(answer.actual);
  return text;
}

std::vector<verify::Answer> run_comparisons(const std::vector<ComparisonJob>& jobs, const ComparisonLimits& limits,
                                            const std::function<void(std::size_t)>& done) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto left = [&] { return limits.budget_seconds - std::chrono::duration<double>(Clock::now() - start).count(); };
  const std::string spent =
      "the solving budget of " + std::to_string(static_cast<std::int64_t>(limits.budget_seconds)) + " s was used up";
  const std::size_t workers = std::clamp(std::thread::hardware_concurrency(), 1U, kMostWorkers);
  std::vector<verify::Answer> answers(jobs.size());
  std::vector<std::unique_ptr<SharedAnswer>> shared(jobs.size());
  ChildPool pool;
  std::size_t next = 0;
  while (next < jobs.size() || pool.running() > 0) {
    if (next < jobs.size() && pool.running() < workers) {
      const std::size_t index = next++;
      if (limits.budget_seconds > 0 && left() <= 0) {
        answers[index] = undecided(spent);
        done(index);
        continue;
      }
      shared[index] = std::make_unique<SharedAnswer>();
      ChildOptions options;
      options.without_input = true;
      options.captured_bytes = 0;
      if (limits.budget_seconds > 0) options.timeout_seconds = std::max(left(), 0.01);
      const auto body = [&, index] { return run_job(jobs[index], *shared[index], limits.timeout_ms); };
      if (!shared[index]->ready() || !pool.start(index, body, options)) {
        answers[index] = undecided("the system gives no further process");
        done(index);
      }
      continue;
    }
    const auto [index, ended] = pool.wait_any();
    const Json record = Json::parse(shared[index]->load(), nullptr, false);
    if (ended.timed_out) {
      answers[index] = undecided(spent);
    } else if (ended.exit_code != 0 || record.is_discarded()) {
      answers[index] = undecided("the comparison ended without an answer");
    } else {
      answers[index] = verify::answer_from(record);
    }
    shared[index].reset();
    done(index);
  }
  return answers;
}

}  // namespace cairn::cli
