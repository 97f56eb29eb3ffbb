// One implementation held against its reference on inputs (tools, 11): the three programs that are run, calls in
// processes of their own, shrinking, and the regressions file.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "vm/execution.hpp"
#include "vm/session.hpp"
#include "vm/testing/validation_cases.hpp"

namespace cairn::cli {

/// A function lowered alone, with the parameters its reference has.
struct FeedableCode {
  const checked::Function* function = nullptr;
  bytecode::Module module;
  std::uint32_t code = 0;
};

/// What one case did.
struct CaseOutcome {
  nlohmann::ordered_json reference;
  nlohmann::ordered_json dispatch;
  nlohmann::ordered_json implementation;  // null where its condition does not hold
  bool held = false;                      // the condition
  bool undecided = false;                 // a call passed its limit
  bool agreed = false;
};

/// An implementation, its reference, and both ready to be run.
class Validation {
 public:
  /// `symbol`: an implementation, or one instance of a parameterized one. The error is E-PROJECT-OR-ENVIRONMENT.
  static std::expected<std::unique_ptr<Validation>, Diagnostic> prepare(const Session& session,
                                                                        const SessionOptions& options,
                                                                        const std::string& symbol);

  [[nodiscard]] const std::string& implementation_name() const { return implementation_name_; }
  [[nodiscard]] const std::string& reference_name() const { return reference_name_; }
  /// Why it cannot be validated, or empty.
  [[nodiscard]] const std::string& unfeedable() const { return unfeedable_; }
  [[nodiscard]] const std::string& condition_text() const { return condition_text_; }  // empty: always
  [[nodiscard]] const std::vector<std::uint64_t>& tiles() const { return tiles_; }
  [[nodiscard]] const Session& plain() const { return *plain_; }
  [[nodiscard]] const checked::Function& reference() const { return *reference_.function; }
  [[nodiscard]] const checked::Function& implementation() const { return *implementation_.function; }
  [[nodiscard]] const NameTable& names() const { return plain_->compilation().names; }

  /// What takes the program's own selections for the reference away.
  [[nodiscard]] const std::vector<Insertion>& blanks() const { return blanks_; }

  /// Runs the cases until one does not agree; as many outcomes as cases were run.
  [[nodiscard]] std::vector<CaseOutcome> run(const std::vector<testing::ValidationCase>& cases,
                                             const testing::Policy& policy) const;

  /// Makes a failing case smaller while it still fails, within the policy's probes; gives how many were used.
  std::uint64_t shrink(testing::ValidationCase& input, CaseOutcome& outcome, const testing::Policy& policy) const;

  /// Whether a case that was read fits the reference's parameters; else what does not.
  [[nodiscard]] std::string misfit(const testing::ValidationCase& input) const;

 private:
  [[nodiscard]] std::vector<nlohmann::ordered_json> call_all(const std::vector<testing::ValidationCase>& cases,
                                                             std::uint64_t seconds) const;

  std::string implementation_name_;
  std::string reference_name_;
  std::string condition_text_;
  std::string unfeedable_;
  std::vector<std::uint64_t> tiles_;
  std::vector<Insertion> blanks_;
  std::unique_ptr<Session> plain_;       // no selection for the reference; the condition as a function beside it
  std::unique_ptr<Session> dispatched_;  // the implementation selected
  FeedableCode reference_;
  FeedableCode implementation_;
  FeedableCode dispatch_;
  std::optional<FeedableCode> condition_;
};

/// A `cairn.regressions/1` file.
struct Regressions {
  std::string reference;
  nlohmann::ordered_json policy;  // as written; null when it pins none
  std::vector<testing::ValidationCase> cases;
};
[[nodiscard]] std::expected<Regressions, std::string> regressions_from(const nlohmann::ordered_json& document);
[[nodiscard]] nlohmann::ordered_json record_of(const Regressions& regressions);

/// Replays a regressions file against every implementation of its reference: the part of a contract's result that it
/// decides (tools, 11.5).
[[nodiscard]] nlohmann::ordered_json replay_regressions(const Session& session, const nlohmann::ordered_json& document);

}  // namespace cairn::cli
