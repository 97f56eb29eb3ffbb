// What changed between two versions of a program, function by function (tools, 10).
#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "vm/session.hpp"
#include "vm/verify/equivalence.hpp"

namespace cairn::cli {

enum class ChangeClass : std::uint8_t {
  IdenticalCode,
  IdenticalSource,
  SmtEquivalent,
  BehaviorChanged,
  SignatureChanged,
  Added,
  Removed,
  Renamed,
  Unknown,
};
[[nodiscard]] std::string_view text(ChangeClass change);

struct FunctionChange {
  ChangeClass change = ChangeClass::Unknown;
  std::string reason;       // for people and the record: why unknown, what a signature's difference is, the other name
  std::string at;           // of a witness: "km = 12"
  std::string before_text;  // what each version does there: "returns 48"
  std::string after_text;
  nlohmann::ordered_json witness;
  nlohmann::ordered_json deltas = nlohmann::ordered_json::object();
  bool is_public = true;
};

struct DiffOptions {
  unsigned timeout_ms = verify::kDefaultTimeoutMs;
  double budget_seconds = 60;
  bool with_library = false;
  bool with_prediction = true;
};

struct ProgramDiff {
  std::map<std::string, FunctionChange> functions;
  std::string level;     // of the semantic version: major, minor, patch, none, unknown
  std::string because;   // what decides it
  std::string at_least;  // what is certain when the level is unknown
};

[[nodiscard]] ProgramDiff compare_programs(const Session& before, const Session& after, const DiffOptions& options);

}  // namespace cairn::cli
