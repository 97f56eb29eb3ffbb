// Whether two versions of a function can differ (tools, 9): the queries of 9.3 in their order, and the answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "vm/verify/inputs.hpp"

namespace cairn::verify {

inline constexpr unsigned kDefaultTimeoutMs = 3000;  // of one query

enum class Status : std::uint8_t {
  Equivalent,
  Counterexample,
  InvalidContract,
  InvalidDomain,
  InvalidReference,
  Unknown
};
/// "smt-equivalent", "counterexample", ...
[[nodiscard]] std::string_view text(Status status);

struct Question {
  Subject reference;
  Subject candidate;
  /// A bool function of the reference's module with the reference's parameters: what inputs are admitted.
  std::optional<std::uint32_t> precondition;
  bool allow_reference_traps = false;
  bool names_count = true;  // parameters of other names are another contract
  /// Every unsigned value parameter and length is at most this; loops may then stay within their bound.
  std::optional<std::uint64_t> bounded_by;
  unsigned timeout_ms = kDefaultTimeoutMs;  // of each query
  /// Told before each query, so that who runs this in a process of its own can stop it when a query overstays.
  std::function<void(std::string_view stage)> before_query;
};

struct Answer {
  Status status = Status::Unknown;
  std::string reason;
  std::string solver_version;
  bool hinges_on_bound = false;  // unknown because some loop may go on past its bound
  nlohmann::ordered_json queries = nlohmann::ordered_json::array();  // {stage, status, ...}
  nlohmann::ordered_json counterexample;                             // parameter -> value; null when there is none
  nlohmann::ordered_json expected;                                   // what the reference does there
  nlohmann::ordered_json actual;
  bool replayed = false;
};

[[nodiscard]] Answer compare(const Question& question);

/// The part of `cairn.semantic/1` that an answer decides.
[[nodiscard]] nlohmann::ordered_json record_of(const Answer& answer);
[[nodiscard]] Answer answer_from(const nlohmann::ordered_json& record);

}  // namespace cairn::verify
