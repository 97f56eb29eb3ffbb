// Rows of named algorithms held to what a function returned (reference algorithms, 17.4 and 17.5).
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/reference/attention.hpp"
#include "runtime/reference/judgement.hpp"
#include "runtime/reference/matmul.hpp"
#include "vm/audit/form.hpp"
#include "vm/audit/operands.hpp"

namespace cairn::audit {

enum class Verdict : std::uint8_t { Equals, Covers, Refutes, Void };
[[nodiscard]] std::string_view verdict_name(Verdict verdict);

struct JudgementOptions {
  reference::Rounding rounding = reference::Rounding::NearestEven;
  reference::Overflow overflow = reference::Overflow::Default;
  reference::Standard standard = reference::Standard::Normal;
  bool flush_to_zero = false;
  std::optional<reference::Format> compute;
  std::optional<reference::Rational> ulps;
};

/// The element that uses the largest share of what it is allowed, the first of equals.
struct Worst {
  std::size_t case_index = 0;
  std::string output;
  std::vector<std::size_t> index;
  reference::Value got;
  reference::Value reference;
  reference::FiniteRange range;
  reference::Rational tolerance;
  reference::Rational share;
};

struct RowVerdict {
  std::string spelling;
  Verdict verdict = Verdict::Refutes;
  bool has_run = false;
  std::size_t elements = 0;
  std::size_t covered = 0;
  std::size_t equal = 0;
  std::optional<Worst> worst;  // of no elements: nothing

  [[nodiscard]] bool explains() const { return verdict == Verdict::Equals || verdict == Verdict::Covers; }
};

using Rows = std::vector<std::unique_ptr<reference::Algorithm>>;

/// The rows of a form whose arrays have these formats (17.5), in their order.
[[nodiscard]] Rows default_rows(Form form, const Case& arrays, const JudgementOptions& options);

/// Why a row cannot be one of this form.
[[nodiscard]] std::optional<std::string> misplaced(const reference::Algorithm& row, Form form);

/// The roles of a form's outputs that the arrays hold.
[[nodiscard]] std::vector<std::string> outputs_of(Form form, const Case& arrays);

/// Every row judged on every case.
[[nodiscard]] std::expected<std::vector<RowVerdict>, std::string> judge(const Problem& problem,
                                                                        const std::vector<Case>& cases,
                                                                        const Rows& rows,
                                                                        const JudgementOptions& options,
                                                                        const reference::Work& work);

/// Adds the exact output and logsumexp, in these formats, to a backward's operands.
[[nodiscard]] std::optional<std::string> add_forward_results(const Problem& problem, reference::Format out,
                                                             const JudgementOptions& options, Case& arrays);

}  // namespace cairn::audit
