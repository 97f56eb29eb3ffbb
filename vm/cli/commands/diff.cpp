// cairn diff: what changed between two versions, function by function (tools, 10).
#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "vm/cli/commands/commands.hpp"
#include "vm/cli/program_diff.hpp"
#include "vm/cli/progress.hpp"
#include "vm/cli/revisions.hpp"
#include "vm/cli/running.hpp"

namespace cairn::cli {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::int64_t kDefaultBudget = 60;

/// What people look for first stands first; what did not change is only counted.
constexpr ChangeClass kListed[] = {
    ChangeClass::BehaviorChanged, ChangeClass::SignatureChanged, ChangeClass::Removed,      ChangeClass::Renamed,
    ChangeClass::Added,           ChangeClass::Unknown,          ChangeClass::SmtEquivalent};
constexpr ChangeClass kCounted[] = {
    ChangeClass::IdenticalCode,   ChangeClass::IdenticalSource,  ChangeClass::SmtEquivalent,
    ChangeClass::BehaviorChanged, ChangeClass::SignatureChanged, ChangeClass::Added,
    ChangeClass::Removed,         ChangeClass::Renamed,          ChangeClass::Unknown};

std::string what_of(const FunctionChange& change) {
  if (change.change == ChangeClass::BehaviorChanged) {
    return (change.at.empty() ? "" : "at " + change.at + ": ") + "before " + change.before_text + ", after " +
           change.after_text;
  }
  return change.reason;
}

std::string counts_text(const ProgramDiff& diff) {
  std::string text;
  for (const ChangeClass each : kCounted) {
    const auto count =
        std::ranges::count_if(diff.functions, [&](const auto& entry) { return entry.second.change == each; });
    if (count > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(cairn::cli::text(each));
  }
  return text.empty() ? "no functions" : text;
}

std::string semver_text(const ProgramDiff& diff) {
  return diff.level + ": " + diff.because + (diff.at_least.empty() ? "" : "; at least " + diff.at_least);
}

std::string for_people(const ProgramDiff& diff, const VersionSide& before, const VersionSide& after) {
  std::string text = before.named + " -> " + after.named + ": " + counts_text(diff) + "\n";
  std::size_t class_width = 0;
  std::size_t name_width = 0;
  for (const auto& [name, change] : diff.functions) {
    if (std::ranges::find(kListed, change.change) == std::end(kListed)) continue;
    class_width = std::max(class_width, cairn::cli::text(change.change).size());
    name_width = std::max(name_width, name.size());
  }
  for (const ChangeClass each : kListed) {
    for (const auto& [name, change] : diff.functions) {
      if (change.change != each) continue;
      std::string line = "  " + std::string(cairn::cli::text(each));
      line.resize(2 + class_width + 2, ' ');
      line += name;
      line.resize(2 + class_width + 2 + name_width + 3, ' ');
      line += what_of(change);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text + "semver: " + semver_text(diff) + "\n";
}

std::string as_markdown(const ProgramDiff& diff, const VersionSide& before, const VersionSide& after) {
  std::string text = "## " + before.named + " → " + after.named + "\n\n" + counts_text(diff) + "\n\n";
  text += "| class | function | what |\n|---|---|---|\n";
  const auto escaped = [](std::string cell) {
    for (std::size_t at = cell.find('|'); at != std::string::npos; at = cell.find('|', at + 2)) cell.insert(at, "\\");
    return cell;
  };
  for (const ChangeClass each : kListed) {
    for (const auto& [name, change] : diff.functions) {
      if (change.change != each) continue;
      text += "| " + std::string(cairn::cli::text(each)) + " | `" + escaped(name) + "` | " + escaped(what_of(change)) +
              " |\n";
    }
  }
  return text + "\n**Semantic version:** " + semver_text(diff) + "\n";
}

Json record_of(const ProgramDiff& diff, const VersionSide& before, const VersionSide& after) {
  const auto side = [](const VersionSide& of) {
    return Json{{"named", of.named}, {"kind", of.kind}, {"commit", of.commit.empty() ? Json() : Json(of.commit)}};
  };
  Json functions = Json::object();
  for (const auto& [name, change] : diff.functions) {
    Json entry = {{"class", cairn::cli::text(change.change)}, {"deltas", change.deltas}};
    if (!change.witness.is_null()) entry["witness"] = change.witness;
    if (!change.reason.empty()) entry["reason"] = change.reason;
    functions[name] = std::move(entry);
  }
  Json semver = {{"level", diff.level}, {"because", diff.because}};
  if (!diff.at_least.empty()) semver["at_least"] = diff.at_least;
  return {
      {"old", side(before)}, {"new", side(after)}, {"functions", std::move(functions)}, {"semver", std::move(semver)}};
}

bool meets(const ProgramDiff& diff, std::string_view required) {
  return std::ranges::all_of(diff.functions, [&](const auto& entry) {
    const ChangeClass change = entry.second.change;
    if (change == ChangeClass::IdenticalCode || change == ChangeClass::IdenticalSource) return true;
    return required == "equivalent" && change == ChangeClass::SmtEquivalent;
  });
}

}  // namespace

int diff_command(const Invocation& invocation) {
  tell_of_interrupts();
  const Output output(invocation);
  const std::string inside(invocation.text(Option::In));
  SessionOptions session_options;
  session_options.first_only = true;
  VersionSide sides[2];
  std::unique_ptr<Session> sessions[2];
  for (std::size_t k = 0; k < 2; ++k) {
    auto side = find_version(std::string(invocation.operands()[k]), inside);
    if (!side) return output.refuse(std::move(side.error()));
    sides[k] = std::move(*side);
    sessions[k] = Session::open(sides[k].operand, session_options);
    if (!sessions[k]->accepted()) return output.refuse(sessions[k]->verdict(), sessions[k]->sources());
  }
  DiffOptions options;
  options.timeout_ms = static_cast<unsigned>(invocation.number(Option::TimeoutMs).value_or(verify::kDefaultTimeoutMs));
  options.budget_seconds = static_cast<double>(invocation.number(Option::BudgetS).value_or(kDefaultBudget));
  options.with_library = invocation.has(Option::Std);
  options.with_prediction = !invocation.has(Option::NoPredict);
  const ProgramDiff diff = compare_programs(*sessions[0], *sessions[1], options);
  if (invocation.has(Option::Markdown)) {
    const std::string file(invocation.text(Option::Markdown));
    std::ofstream stream(file, std::ios::binary);
    stream << as_markdown(diff, sides[0], sides[1]);
    stream.close();
    if (!stream) return output.refuse(no_verdict(file + " cannot be written."));
  }
  if (output.json()) {
    output.record(record_of(diff, sides[0], sides[1]));
  } else {
    output.say(for_people(diff, sides[0], sides[1]));
  }
  const std::string_view required = invocation.text(Option::Require);
  return required.empty() || meets(diff, required) ? kGood : kRefused;
}

}  // namespace cairn::cli
