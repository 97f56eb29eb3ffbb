#include "vm/predict/recursion.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "vm/predict/turns.hpp"

namespace cairn::predict {

namespace {

using Change = std::function<Polynomial(const Polynomial&)>;

/// How a parameter goes down: by numbers, or to shares of itself, each with the calls that hand it on so.
struct Descent {
  std::string parameter;
  bool divides = false;
  bool unknown_shares = false;
  std::vector<std::pair<double, double>> steps;  // by how much or to which share, times
};

std::optional<Descent> descent_of(const std::string& parameter, const std::vector<SelfCall>& calls, double all_calls) {
  Descent found{parameter, false, false, {}};
  for (const SelfCall& call : calls) {
    const auto given = call.given.find(parameter);
    if (given == call.given.end() || !call.times.is_constant()) return std::nullopt;
    const double times = call.times.constant();
    if (!given->second) {
      if (!call.shares.contains(parameter)) return std::nullopt;
      found.divides = found.unknown_shares = true;
      found.steps.emplace_back(1 / std::max(2.0, all_calls), times);
      continue;
    }
    const auto parts = given->second->linear_in(parameter);
    if (!parts) return std::nullopt;
    if (parts->first > 0 && parts->first < 1) {
      found.divides = true;
      found.steps.emplace_back(parts->first, times);
    } else if (parts->first == 1 && parts->second.is_constant() && parts->second.constant() < 0) {
      found.steps.emplace_back(-parts->second.constant(), times);
    } else {
      return std::nullopt;
    }
  }
  if (found.divides) {  // a step by a number beside shares is nearly the whole
    for (auto& [share, times] : found.steps) share = share < 1 ? share : 1 / std::max(2.0, all_calls);
  }
  return found;
}

/// r with sum of times * r^-by = 1.
double growth(const std::vector<std::pair<double, double>>& steps) {
  double low = 1;
  double high = 1;
  const auto sum = [&](double r) {
    double total = 0;
    for (const auto& [by, times] : steps) total += times * std::pow(r, -by);
    return total;
  };
  while (sum(high) > 1) high *= 2;
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (sum(middle) > 1 ? low : high) = middle;
  }
  return high;
}

/// How many calls the recurrence makes for one of r^n, where sizes below the largest step make no further ones.
double first_calls(const std::vector<std::pair<double, double>>& steps, double rate) {
  constexpr int kFar = 40;
  const double largest = std::ranges::max_element(steps)->first;
  std::vector<double> calls;
  for (int n = 0; n < kFar; ++n) {
    double sum = 1;
    for (const auto& [by, times] : steps) {
      if (n >= largest) sum += times * calls[static_cast<std::size_t>(n) - static_cast<std::size_t>(std::round(by))];
    }
    calls.push_back(sum);
  }
  return calls.back() / std::pow(rate, kFar - 1);
}

Change change_of(const Descent& descent, double all_calls) {
  const Polynomial n = Polynomial::variable(descent.parameter);
  double by = 0;
  for (const auto& [step, times] : descent.steps) by += step * times / all_calls;
  if (descent.divides) {
    const double exponent = std::log(all_calls) / -std::log(by);  // of the number of calls
    return [=, parameter = descent.parameter](const Polynomial& of) {
      return of.each_term(parameter, [&](double power, const Polynomial& rest) {
        const double ratio = all_calls * std::pow(by, power);  // of a level's work to that of the level above
        if (std::abs(ratio - 1) < 1e-3) {
          const Polynomial level = power == 0 ? Polynomial(1.0) : n.leading_to(power);
          const double levels = descent.unknown_shares ? 2 / std::numbers::log2e : 1 / -std::log2(by);
          return rest * level * Polynomial::log2(n) * Polynomial(levels);
        }
        const double levels = ratio < 1 ? 1 / (1 - ratio) : ratio / (ratio - 1);
        const double degree = ratio < 1 ? power : exponent;
        return rest * Polynomial(levels) * (degree == 0 ? Polynomial(1.0) : n.leading_to(degree));
      });
    };
  }
  if (all_calls <= 1) {
    return [=, parameter = descent.parameter](const Polynomial& of) {
      return of.each_term(parameter, [&](double power, const Polynomial& rest) {
        return rest * n.leading_to(power + 1) * Polynomial(1 / (by * (power + 1)));
      });
    };
  }
  // Most calls are the last ones, of the smallest size.
  const double rate = growth(descent.steps);
  const auto grown = Polynomial::exponential(rate, n);
  const double share = first_calls(descent.steps, rate);
  return [=, parameter = descent.parameter](const Polynomial& of) {
    const Polynomial calls = grown ? Polynomial(share) * *grown : Polynomial(kGuessedTurns);
    return of.substitute({{parameter, Polynomial(1.0)}}) * calls;
  };
}

void change(Work& work, const Change& by) {
  for (auto& [kind, count] : work.ops) count = by(count);
  for (auto& [array, bytes] : work.traffic) {
    for (Polynomial Traffic::* each : {&Traffic::read, &Traffic::written, &Traffic::irregular}) {
      bytes.*each = by(bytes.*each);
    }
  }
  work.allocations = by(work.allocations);
  work.zeroed_bytes = by(work.zeroed_bytes);
}

}  // namespace

void add_recursion(Cost& cost, const std::vector<SelfCall>& calls) {
  double all_calls = 0;
  for (const SelfCall& call : calls) all_calls += call.times.is_constant() ? call.times.constant() : 0;
  Change by = [](const Polynomial& of) { return of * Polynomial(kGuessedTurns); };
  std::string why = "it recurses, nobody knows how often: its work counts eight times";
  for (const auto& [parameter, unused] : calls.front().given) {
    const auto descent = all_calls > 0 ? descent_of(parameter, calls, all_calls) : std::nullopt;
    if (!descent) continue;
    by = change_of(*descent, all_calls);
    why = "it recurses: its calls are guessed by how " + parameter + " goes down";
    break;
  }
  for (auto& [loop, work] : cost.sequential.bodies) change(work, by);
  for (Region& region : cost.regions) region.runs = by(region.runs);
  for (Transfer& transfer : cost.transfers) transfer.runs = by(transfer.runs);
  cost.tasks = by(cost.tasks);
  cost.guessed.insert(std::move(why));
}

}  // namespace cairn::predict
