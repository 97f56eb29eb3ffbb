// cairn tune: a bounded search over plans and implementations of one function (tools, 3.13). Every candidate is the
// whole program checked again; implementations are validated before they count; results never differ.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <tuple>

#include <nlohmann/json.hpp>

#include "frontend/source/source_map.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/pricing.hpp"
#include "vm/cli/progress.hpp"
#include "vm/cli/running.hpp"
#include "vm/cli/validation.hpp"
#include "vm/lower_for_use.hpp"
#include "vm/testing/values.hpp"
#include "vm/verify/versions.hpp"

namespace cairn::cli {

using Json = nlohmann::ordered_json;

namespace {

constexpr double kDefaultSize = 1e6;
constexpr int kRounds = 7;  // of interleaved runs; the median counts
constexpr std::uint64_t kMostElements = 64'000'000;

struct Candidate {
  std::string plan;  // empty: the function as its own body says
  double predicted_ns = 0;
  std::string confidence;
  double measured_ns = 0;
  std::string refused;  // why it does not count
};

class Tuning {
 public:
  Tuning(const Session& session, const SessionOptions& options, const checked::Function& function)
      : session_(session), options_(options), function_(function), name_(function.name) {
    const NameTable& names = session.compilation().names;
    own_name_ = std::string(names.text(function.declaration->name.name));
    for (const syntax::Decl* declaration : session.compilation().tree.declarations) {
      if (declaration->kind != syntax::DeclKind::Plan || declaration->module != function.declaration->module) continue;
      const auto& plan = declaration->as<syntax::PlanDecl>();
      if (plan.function.segments.empty() || plan.function.segments.back().name != function.declaration->name.name)
        continue;
      const SourceFile* file = session.sources().file_at(declaration->position);
      const std::string_view text = session.sources().text(declaration->span);
      existing_.push_back(
          {source_of(file), declaration->span.begin.offset - file->begin, std::string(text.size(), ' '), text.size()});
    }
  }

  /// What may be tried: nothing, schedule plans of the regions there are, and every implementation.
  [[nodiscard]] std::vector<Candidate> candidates(predict::Counter& counter) const {
    std::vector<Candidate> found{Candidate{}};
    bool host = false;
    bool device = false;
    for (const predict::Region& region : counter.cost_of(function_).regions) {
      const bool is_host = region.kind == predict::RegionKind::Host || region.kind == predict::RegionKind::Pooled;
      (is_host ? host : device) = true;
    }
    const auto add = [&](const std::string& items) {
      found.push_back({"plan " + own_name_ + " { " + items + " }", 0, "", 0, {}});
    };
    if (host) {
      for (const std::string lanes : {"", "lanes 1;", "lanes 2;", "lanes 4;", "lanes 8;"}) {
        for (const std::string grain : {"", "grain 1024;", "grain 8192;", "grain 65536;"}) {
          if (!lanes.empty() || !grain.empty()) add(lanes + (lanes.empty() || grain.empty() ? "" : " ") + grain);
        }
      }
    }
    if (device) {
      for (const char* block : {"64", "128", "256", "512", "1024"}) {
        for (const char* per_lane : {"1", "2", "4"})
          add("block " + std::string(block) + "; per_lane " + per_lane + ";");
      }
    }
    if (host || device) add("fuse 2;");
    for (const checked::Function* other : session_.own_functions()) {
      if (other->declaration->kind != syntax::DeclKind::Function) continue;
      const auto& declaration = other->declaration->as<syntax::FunctionDecl>();
      if (!declaration.implements.present || declaration.module != function_.declaration->module ||
          declaration.implements.reference.segments.back().name != function_.declaration->name.name) {
        continue;
      }
      std::string written(other->name);
      const std::size_t dot = written.rfind('.', written.find('['));
      if (dot != std::string::npos) written.erase(0, dot + 1);
      found.push_back({"plan " + own_name_ + " use " + written + ";", 0, "", 0, unvalidated(*other)});
    }
    return found;
  }

  [[nodiscard]] std::unique_ptr<Session> open(const Candidate& candidate) const {
    SessionOptions changed = options_;
    changed.insertions = existing_;
    if (!candidate.plan.empty()) changed.insertions.push_back(insertion(candidate));
    return Session::open(session_.project()->operand, changed);
  }

  /// The plan in the source itself: where the old one stood, else behind the function.
  bool write(const Candidate& candidate) const {
    const Insertion made = insertion(candidate);
    std::vector<Insertion> edits = existing_;
    if (!candidate.plan.empty()) edits.push_back(made);
    std::ranges::sort(edits, std::greater<>{}, &Insertion::offset);
    for (const ProjectFile& file : session_.project()->files) {
      std::string text = session_.sources().file(file.source).text;
      bool changed = false;
      for (const Insertion& edit : edits) {
        if (edit.source != file.source) continue;
        // An old plan goes with its line.
        std::size_t end = edit.offset + edit.replaced;
        if (edit.replaced > 0 && end < text.size() && text[end] == '\n') ++end;
        text.replace(edit.offset, end - edit.offset, edit.replaced > 0 ? "" : edit.text);
        changed = true;
      }
      if (!changed) continue;
      std::ofstream stream(file.path, std::ios::binary);
      stream << text;
      stream.close();
      if (!stream) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] std::uint32_t source_of(const SourceFile* file) const {
    for (std::uint32_t index = 0; index < session_.sources().size(); ++index) {
      if (&session_.sources().file(index) == file) return index;
    }
    return 0;
  }

  [[nodiscard]] Insertion insertion(const Candidate& candidate) const {
    const SourceFile* file = session_.sources().file_at(function_.declaration->position);
    return {source_of(file), function_.declaration->span.end.offset - file->begin, "\n" + candidate.plan + "\n", 0};
  }

  /// Why an implementation does not count: validation found a difference, or could not decide.
  [[nodiscard]] std::string unvalidated(const checked::Function& implementation) const {
    const auto validation = Validation::prepare(session_, options_, std::string(implementation.name));
    if (!validation) return validation.error().message;
    if (!(*validation)->unfeedable().empty()) return "it cannot be validated: " + (*validation)->unfeedable();
    const testing::Policy policy;
    const auto cases =
        testing::generate_cases((*validation)->reference(), (*validation)->names(), policy, (*validation)->tiles());
    const auto outcomes = (*validation)->run(cases, policy);
    const bool agreed = outcomes.size() == cases.size() &&
                        std::ranges::all_of(outcomes, [](const CaseOutcome& each) { return each.agreed; });
    return agreed ? "" : "it does not pass validation";
  }

  const Session& session_;
  const SessionOptions& options_;
  const checked::Function& function_;
  std::string name_;
  std::string own_name_;
  std::vector<Insertion> existing_;  // blanks for the plans it has
};

/// A candidate ready to be timed, with inputs of the sizes asked for: zeros, and ones for scalars.
struct Timed {
  std::unique_ptr<Session> session;
  std::unique_ptr<Execution> execution;
  std::uint32_t code = 0;
  std::vector<std::vector<std::byte>> storage;
  std::vector<std::uint64_t> slots;
  std::vector<double> ns;
};

std::optional<Timed> make_timed(std::unique_ptr<Session> session, const std::string& name,
                                const predict::Sizes& sizes) {
  Timed timed;
  const checked::Function* function = verify::function_named(*session, name);
  if (function == nullptr || !testing::unfeedable(*function).empty()) return std::nullopt;
  lower::Options lowering;
  lowering.entry = false;
  lowering.roots = {function};
  auto lowered = lower_for_use(*session, lowering);
  if (!lowered) return std::nullopt;
  timed.code = lowered->roots.front();
  timed.execution = std::make_unique<Execution>(std::move(lowered->module), ExecutionOptions{});
  const NameTable& names = session->compilation().names;
  const auto size_of = [&](const checked::Local& parameter) {
    const auto given = sizes.find(std::string(names.text(parameter.name)));
    return given == sizes.end() ? static_cast<std::uint64_t>(kDefaultSize) : static_cast<std::uint64_t>(given->second);
  };
  for (const checked::Local* parameter : function->parameters) {
    const Type& type = *parameter->type;
    if (!type.is(TypeKind::View)) {
      const Json one = type.is(TypeKind::Bool) ? Json(true) : type.is_float() ? Json(1.0) : Json(1);
      timed.slots.push_back(type.is(TypeKind::Usize) ? size_of(*parameter) : testing::slot_of(one, type));
      continue;
    }
    const checked::Local* extent = testing::extent_of(*function, *parameter);
    const std::uint64_t count = extent == nullptr ? type.extent.literal : size_of(*extent);
    if (count > kMostElements) return std::nullopt;
    timed.storage.emplace_back(count * testing::size_of(*type.element) + 16);
    timed.slots.push_back(reinterpret_cast<std::uint64_t>(timed.storage.back().data()));
    timed.slots.push_back(count);
  }
  timed.session = std::move(session);
  return timed;
}

}  // namespace

int tune_command(const Invocation& invocation) {
  tell_of_interrupts();
  const Output output(invocation);
  if (!invocation.has(Option::Symbol))
    return output.refuse(no_verdict("Which function is to be tuned? Give --symbol F."));
  const std::string symbol(invocation.text(Option::Symbol));
  const auto host = host_pricing(invocation, "");
  if (!host) return output.refuse(host.error());
  const auto points = sizes_given(invocation);
  if (!points) return output.refuse(points.error());
  SessionOptions options = session_options(invocation);
  const predict::Card& card = **predict::card_named(predict::kDefaultCard);
  const auto session = Session::open(invocation.path(), options);
  if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  const checked::Function* function = verify::function_named(*session, symbol);
  if (function == nullptr) return output.refuse(no_verdict("The program has no function " + symbol + "."));
  const predict::Pricing pricing{&host->profile, host->arch, &card, host->other_arch};
  predict::Counter counter(session->compilation());
  predict::Sizes sizes = points->empty() ? predict::Sizes() : points->front();
  for (const std::string& extent : counter.cost_of(*function).extents) sizes.try_emplace(extent, kDefaultSize);

  const Tuning tuning(*session, options, *function);
  std::vector<Candidate> candidates = tuning.candidates(counter);
  for (Candidate& candidate : candidates) {
    if (!candidate.refused.empty()) continue;
    const auto whole = tuning.open(candidate);
    if (!whole->accepted()) {
      candidate.refused = whole->verdict().refusals.front().message;
      continue;
    }
    predict::Counter own(whole->compilation());
    // A selected implementation's work is its own, where its condition holds.
    std::string priced = symbol;
    if (const std::size_t use = candidate.plan.find(" use "); use != std::string::npos) {
      const std::size_t dot = symbol.rfind('.');
      priced = (dot == std::string::npos ? "" : symbol.substr(0, dot + 1)) + candidate.plan.substr(use + 5);
      priced.pop_back();
    }
    const checked::Function* there = verify::function_named(*whole, priced);
    const predict::Prediction prediction = predict::price(
        own.cost_of(there == nullptr ? *verify::function_named(*whole, symbol) : *there), pricing, sizes);
    candidate.predicted_ns = prediction.ns;
    candidate.confidence = prediction.confidence;
  }
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    if (a.refused.empty() != b.refused.empty()) return a.refused.empty();
    return a.predicted_ns != b.predicted_ns ? a.predicted_ns < b.predicted_ns : a.plan < b.plan;
  });

  const auto measured = static_cast<std::size_t>(invocation.number(Option::Measure).value_or(0));
  if (measured > 0) {
    std::vector<std::pair<std::size_t, Timed>> running;
    for (std::size_t k = 0; k < candidates.size() && running.size() < measured; ++k) {
      if (!candidates[k].refused.empty()) continue;
      auto timed = make_timed(tuning.open(candidates[k]), symbol, sizes);
      if (!timed)
        return output.refuse(no_verdict(symbol + " cannot be timed: it takes something else than scalars and views of "
                                                 "scalars, or more elements than are made."));
      running.emplace_back(k, std::move(*timed));
    }
    // Interleaved, so that what disturbs the machine disturbs all of them.
    for (int round = 0; round < kRounds; ++round) {
      for (auto& [k, timed] : running) {
        std::uint64_t result = 0;
        const auto start = std::chrono::steady_clock::now();
        const auto trap = timed.execution->call(timed.code, timed.slots, std::span(&result, 1));
        timed.ns.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
        if (trap)
          return output.refuse(no_verdict(symbol + " traps on the inputs it would be timed with: " + trap->message));
      }
    }
    for (auto& [k, timed] : running) {
      std::ranges::sort(timed.ns);
      candidates[k].measured_ns = timed.ns[timed.ns.size() / 2];
    }
    // The measured ones first, by their time; the others stay ranked by prediction.
    std::ranges::sort(candidates, {}, [](const Candidate& each) {
      return std::tuple(each.measured_ns == 0, !each.refused.empty(), each.measured_ns, each.predicted_ns, each.plan);
    });
  }

  bool written = false;
  if (invocation.has(Option::Write)) {
    written = tuning.write(candidates.front());
    if (!written) return output.refuse(no_verdict("The plan cannot be written into the source."));
  }
  Json listed = Json::array();
  std::string text =
      "tuned: " + symbol + " at " + predict::sizes_text(sizes) + ", predicted on " + host->profile.name + "\n";
  for (const Candidate& each : candidates) {
    Json entry = {{"plan", each.plan.empty() ? Json() : Json(each.plan)}};
    std::string line = "  " + (each.plan.empty() ? std::string("no plan") : each.plan);
    if (!each.refused.empty()) {
      entry["refused"] = each.refused;
      line += "  refused: " + each.refused;
    } else {
      entry["predicted_ns"] = predict::rounded_ns(each.predicted_ns);
      entry["confidence"] = each.confidence;
      if (each.measured_ns > 0) entry["measured_ns"] = predict::rounded_ns(each.measured_ns);
      line += "  predicted " + predict::time_text(each.predicted_ns);
      if (each.measured_ns > 0) line += ", measured " + predict::time_text(each.measured_ns);
    }
    listed.push_back(std::move(entry));
    text += line + "\n";
  }
  if (written)
    text += "written: " + (candidates.front().plan.empty() ? std::string("no plan") : candidates.front().plan) + "\n";
  if (output.json()) {
    output.record({{"status", "tuned"},
                   {"symbol", symbol},
                   {"sizes", sizes},
                   {"candidates", std::move(listed)},
                   {"written", written}});
  } else {
    output.say(text);
  }
  return kGood;
}

}  // namespace cairn::cli
