// Task contracts (tools, 8.3): finite cases for one function, in a JSON file, held to exactly.
//
// A contract is read strictly (no duplicate keys, no NaN or Infinity), then bound to the function it names: every
// argument, result and expected view becomes a value of the declared type. What does not fit makes the whole contract
// invalid, so running a bound contract needs no further judgement of its text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "frontend/frontend.hpp"
#include "vm/execution.hpp"

namespace cairn {

inline constexpr std::size_t kMostContractCases = 10'000;
inline constexpr std::size_t kMostContractElements = 100'000;
inline constexpr std::size_t kMostContractBytes = 64U << 20U;

/// JSON without duplicate keys; else what is wrong.
[[nodiscard]] std::expected<nlohmann::ordered_json, std::string> parse_strict_json(std::string_view text);

class Contract {
 public:
  /// Reads the file's text for a program. The error says why the contract is invalid.
  static std::expected<Contract, std::string> bind(std::string_view text, const Compilation& compilation);

  [[nodiscard]] const checked::Function& function() const { return *function_; }
  [[nodiscard]] std::size_t size() const { return cases_.size(); }

  /// Runs the cases in order and gives the part of the result record that they decide: `status` and `cases`, and of the
  /// first that differs `case`, `args`, `expected_return`, `actual_return`, `expected_after` and `actual_after`. Each
  /// case's number is stored in `started` before it begins. A trap ends the process.
  [[nodiscard]] nlohmann::ordered_json run(Execution& execution, std::uint32_t code, std::uint64_t* started) const;

 private:
  struct Case {
    nlohmann::ordered_json arguments;  // as written, in the order of the parameters
    nlohmann::ordered_json result;     // as written; null for a function without one
    nlohmann::ordered_json after;      // as written: every rw view, by its parameter's index
  };

  void bind_function(const nlohmann::ordered_json& symbol, const Compilation& compilation);
  void bind_case(const nlohmann::ordered_json& written);
  void judge_view(const nlohmann::ordered_json& list, std::size_t parameter,
                  const nlohmann::ordered_json& arguments) const;
  [[nodiscard]] bool is_written(std::size_t parameter) const;
  [[nodiscard]] const Type& type(std::size_t parameter) const { return *function_->parameters[parameter]->type; }
  /// An object with a member for each parameter's value that is not null.
  [[nodiscard]] nlohmann::ordered_json by_name(const nlohmann::ordered_json& values) const;

  const checked::Function* function_ = nullptr;
  std::vector<std::string> names_;  // of the parameters
  std::vector<Case> cases_;
};

}  // namespace cairn
