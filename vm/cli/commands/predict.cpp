// cairn predict: a time for each function from a cost model; nothing is run (tools, 12).
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "vm/cli/commands/commands.hpp"
#include "vm/cli/device_listing.hpp"
#include "vm/cli/machine.hpp"
#include "vm/cli/pricing.hpp"
#include "vm/cli/running.hpp"
#include "vm/predict/roofline.hpp"

namespace cairn::cli {

using Json = nlohmann::ordered_json;

namespace {

/// Whether a device of the card's capability runs code for a target: a later one of the same base, the same family for
/// `f`, exactly itself for `a`.
bool can_run(const predict::Card& card, std::string_view target) {
  std::string_view digits = target.substr(target.find('_') + 1);
  const char suffix = digits.empty() || (digits.back() >= '0' && digits.back() <= '9') ? '\0' : digits.back();
  if (suffix != '\0') digits.remove_suffix(1);
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const int own = card.major * 10 + card.minor;
  if (suffix == 'a') return number == own;
  if (suffix == 'f') return number / 10 == card.major && number <= own;
  return number <= own;
}

struct Loaded {
  std::unique_ptr<Session> session;
  std::unique_ptr<predict::Counter> counter;
  std::vector<const checked::Function*> functions;  // those that are asked for
};

/// Opens a program and chooses its functions; the status of a refusal that was printed.
std::expected<Loaded, int> load(std::string_view path, const predict::Card& card, const Invocation& invocation,
                                const Output& output, bool symbols_must_exist) {
  SessionOptions options = session_options(invocation);
  Loaded loaded;
  // A target that is named decides; the card does when nothing else names one.
  loaded.session = Session::open(path, options);
  const bool is_named = !options.device_target.empty() ||
                        (loaded.session->project() && !loaded.session->project()->manifest.device_target.empty());
  if (!is_named) {
    options.device_target = card.target();
    loaded.session = Session::open(path, options);
  }
  if (!loaded.session->accepted())
    return std::unexpected(output.refuse(loaded.session->verdict(), loaded.session->sources()));
  const std::string target =
      options.device_target.empty() ? loaded.session->project()->manifest.device_target : options.device_target;
  if (!can_run(card, target)) {
    Diagnostic refusal;
    refusal.code = Code::TargetMismatch;
    refusal.message = "The card " + std::string(card.key) + " has compute capability " + card.capability() +
                      " and cannot run code for " + target + ".";
    return std::unexpected(output.refuse(std::move(refusal)));
  }
  loaded.counter = std::make_unique<predict::Counter>(loaded.session->compilation());
  const auto own = loaded.session->own_functions();
  const auto symbols = invocation.texts(Option::Symbols);
  for (const checked::Function* function : own) {
    if (symbols.empty() || std::ranges::find(symbols, function->name) != symbols.end())
      loaded.functions.push_back(function);
  }
  for (const std::string_view symbol : symbols) {
    const bool is_there = std::ranges::find(own, symbol, &checked::Function::name) != own.end();
    if (!is_there && symbols_must_exist) {
      return std::unexpected(output.refuse(no_verdict("The program has no function " + std::string(symbol) + ".")));
    }
  }
  return loaded;
}

/// What compiled device code takes, put where regions are counted; the record of `inspection`, null without device
/// code.
std::expected<Json, Diagnostic> inspect(Loaded& loaded) {
  if (const auto refusal = loaded.session->judge_device_target()) return std::unexpected(*refusal);
  lower::Options lowering;
  lowering.entry = false;
  lowering.roots = loaded.session->own_functions();
  const auto lowered = loaded.session->lower(lowering);
  if (!lowered) return std::unexpected(lowered.error());
  const auto kernels = inspect_kernels(lowered->module, loaded.session->device_target());
  if (!kernels) return std::unexpected(no_verdict("--inspect compiles the device code: " + kernels.error() + "."));
  if (kernels->empty()) return Json();
  Json listed = Json::array();
  for (const InspectedKernel& each : *kernels) {
    loaded.counter->set_registers(each.function, each.line, static_cast<int>(each.registers));
    listed.push_back({{"function", each.function},
                      {"line", each.line},
                      {"registers", each.registers},
                      {"shared_bytes", each.shared_bytes},
                      {"stack_bytes", each.stack_bytes}});
  }
  return Json{{"by", "ptxas"}, {"target", loaded.session->device_target()}, {"kernels", std::move(listed)}};
}

bool has_device_work(Loaded& loaded) {
  return std::ranges::any_of(loaded.functions, [&](const checked::Function* function) {
    const predict::Cost& cost = loaded.counter->cost_of(*function);
    return std::ranges::any_of(cost.regions, &predict::Region::device);
  });
}

Json profile_record(const HostPricing& host) {
  return {{"name", host.profile.name}, {"origin", host.profile.origin}, {"notes", host.profile.notes}};
}

std::string headline(const HostPricing& host) {
  return "predicted, not measured: " + host.profile.name + " (" + host.profile.origin + "), " + host.arch + "\n";
}

int predict_all_cards(Loaded& loaded, const HostPricing& host, const std::vector<predict::Sizes>& points,
                      const Output& output) {
  Json cards = Json::object();
  std::string text = headline(host);
  for (const predict::Card& card : predict::cards()) {
    const predict::Pricing pricing{&host.profile, host.arch, &card, host.other_arch};
    Json functions = Json::object();
    for (const checked::Function* function : loaded.functions) {
      const auto report = predict::report_on(loaded.counter->cost_of(*function), pricing, points);
      functions[std::string(function->name)] = predict::record_of(report);
      for (const predict::Prediction& each : report.predictions) {
        std::array<char, 256> line{};
        std::snprintf(line.data(), line.size(), "%-15s %-20s %-15s %8s  %-18s %s\n", std::string(card.key).c_str(),
                      std::string(function->name).c_str(), predict::sizes_text(each.sizes).c_str(),
                      predict::time_text(each.ns).c_str(), each.bound.c_str(), each.confidence.c_str());
        text += line.data();
      }
    }
    cards[std::string(card.key)] = {{"device_target", card.target()}, {"functions", std::move(functions)}};
  }
  if (output.json()) {
    output.record({{"schema", "cairn.predict/1"},
                   {"predicted", true},
                   {"profile", profile_record(host)},
                   {"arch", host.arch},
                   {"cards", std::move(cards)}});
  } else {
    output.say(text);
  }
  return kGood;
}

int predict_change(Loaded& before, Loaded& after, const predict::Pricing& pricing, const HostPricing& host,
                   const std::vector<predict::Sizes>& points, const Output& output) {
  std::map<std::string, const checked::Function*> old_functions;
  for (const checked::Function* function : before.functions) old_functions.emplace(function->name, function);
  Json functions = Json::object();
  Json only_before = Json::array();
  Json only_after = Json::array();
  std::string text = headline(host);
  for (const checked::Function* function : after.functions) {
    const std::string name(function->name);
    const auto old = old_functions.find(name);
    if (old == old_functions.end()) {
      only_after.push_back(name);
      continue;
    }
    const auto was = predict::report_on(before.counter->cost_of(*old->second), pricing, points);
    const auto is = predict::report_on(after.counter->cost_of(*function), pricing, points);
    Json deltas = Json::array();
    for (const predict::Prediction& now : is.predictions) {
      const auto then = std::ranges::find(was.predictions, now.sizes, &predict::Prediction::sizes);
      if (then == was.predictions.end()) continue;
      const double ratio = then->ns > 0 ? now.ns / then->ns : 1;
      const std::string confidence = std::max(then->confidence == "low"      ? 2
                                              : then->confidence == "medium" ? 1
                                                                             : 0,
                                              now.confidence == "low"      ? 2
                                              : now.confidence == "medium" ? 1
                                                                           : 0) == 2
                                         ? "low"
                                     : then->confidence == "medium" || now.confidence == "medium" ? "medium"
                                                                                                  : "high";
      deltas.push_back({{"sizes", now.sizes},
                        {"before_ns", predict::rounded_ns(then->ns)},
                        {"after_ns", predict::rounded_ns(now.ns)},
                        {"change_ns", predict::rounded_ns(now.ns) - predict::rounded_ns(then->ns)},
                        {"ratio", std::round(ratio * 1000) / 1000},
                        {"bound", now.bound},
                        {"confidence", confidence}});
      std::array<char, 256> line{};
      std::snprintf(line.data(), line.size(), "%-20s %-15s %8s -> %8s  x%.3f  %-18s %s\n", name.c_str(),
                    predict::sizes_text(now.sizes).c_str(), predict::time_text(then->ns).c_str(),
                    predict::time_text(now.ns).c_str(), ratio, now.bound.c_str(), confidence.c_str());
      text += line.data();
    }
    functions[name] = std::move(deltas);
    old_functions.erase(old);
  }
  for (const auto& [name, function] : old_functions) only_before.push_back(name);
  for (const Json& name : only_before) text += name.get<std::string>() + "  only before\n";
  for (const Json& name : only_after) text += name.get<std::string>() + "  only after\n";
  if (output.json()) {
    output.record({{"schema", "cairn.predict.delta/1"},
                   {"predicted", true},
                   {"profile", profile_record(host)},
                   {"arch", host.arch},
                   {"functions", std::move(functions)},
                   {"only_before", std::move(only_before)},
                   {"only_after", std::move(only_after)}});
  } else {
    output.say(text);
  }
  return kGood;
}

}  // namespace

int predict_command(const Invocation& invocation) {
  const Output output(invocation);
  const std::string_view wanted = invocation.text(Option::Card, predict::kDefaultCard);
  const bool every_card = wanted == "all";
  const auto card = predict::card_named(every_card ? predict::kDefaultCard : wanted);
  if (!card) return output.refuse(card.error());
  if (every_card && invocation.has(Option::Against)) {
    return output.refuse(no_verdict("--card all and --against do not go together."));
  }
  if (invocation.has(Option::Plot) && (every_card || invocation.has(Option::Against))) {
    return output.refuse(no_verdict("--plot draws one version on one card."));
  }
  const auto host = host_pricing(invocation, invocation.text(Option::Arch));
  if (!host) return output.refuse(host.error());
  const auto points = sizes_given(invocation);
  if (!points) return output.refuse(points.error());
  auto loaded = load(invocation.path(), **card, invocation, output, true);
  if (!loaded) return loaded.error();
  std::set<std::string> parameters;
  for (const checked::Function* function : loaded->functions) {
    for (const checked::Local* local : function->parameters) {
      parameters.emplace(loaded->session->compilation().names.text(local->name));
    }
  }
  for (const predict::Sizes& point : *points) {
    for (const auto& [name, size] : point) {
      if (parameters.contains(name)) continue;
      return output.refuse(no_verdict("--at names " + name + ", which is no parameter of a function that is priced."));
    }
  }
  Json inspection;
  if (invocation.has(Option::Inspect)) {
    if (every_card)
      return output.refuse(no_verdict("--inspect compiles for one target, and --card all names several."));
    auto read = inspect(*loaded);
    if (!read) return output.refuse(std::move(read.error()), loaded->session->sources());
    inspection = *std::move(read);
  }
  const bool on_device = has_device_work(*loaded);
  if (every_card) return predict_all_cards(*loaded, *host, *points, output);
  const predict::Pricing pricing{&host->profile, host->arch, *card, host->other_arch};
  if (invocation.has(Option::Against)) {
    auto before = load(invocation.text(Option::Against), **card, invocation, output, false);
    if (!before) return before.error();
    if (invocation.has(Option::Inspect)) {
      if (auto read = inspect(*before); !read)
        return output.refuse(std::move(read.error()), before->session->sources());
    }
    return predict_change(*before, *loaded, pricing, *host, *points, output);
  }
  Json functions = Json::object();
  std::string text = headline(*host);
  std::vector<predict::RooflinePoint> plotted;
  for (const checked::Function* function : loaded->functions) {
    const predict::Cost& cost = loaded->counter->cost_of(*function);
    const auto report = predict::report_on(cost, pricing, *points);
    for (const predict::Prediction& each : report.predictions) {
      std::string name(function->name);
      if (!each.sizes.empty()) name += " " + predict::sizes_text(each.sizes);
      plotted.push_back(predict::roofline_point(std::move(name), cost, each));
    }
    functions[std::string(function->name)] = predict::record_of(report);
    text += predict::for_people(std::string(function->name), report);
  }
  if (const std::string file(invocation.text(Option::Plot)); !file.empty()) {
    std::string title = headline(*host);
    title.pop_back();  // the end of its line
    std::ofstream out(file, std::ios::binary);
    out << predict::roofline_svg(pricing, plotted, title);
    if (!out.flush()) return output.refuse(no_verdict(file + " cannot be written."));
  }
  if (output.json()) {
    Json record = {
        {"schema", "cairn.predict/1"}, {"predicted", true}, {"profile", profile_record(*host)}, {"arch", host->arch}};
    if (on_device) {
      record["device_target"] = (*card)->target();
      record["device_card"] = (*card)->key;
    }
    if (!inspection.is_null()) record["inspection"] = std::move(inspection);
    record["functions"] = std::move(functions);
    output.record(record);
  } else {
    output.say(text);
  }
  return kGood;
}

}  // namespace cairn::cli
