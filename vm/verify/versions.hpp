// Functions of two programs on their way into a comparison: found by name, given a precondition, lowered.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "vm/session.hpp"
#include "vm/verify/equivalence.hpp"

namespace cairn::verify {

/// The program's own concrete function of that name, instances as f[16]; null when there is none.
[[nodiscard]] const checked::Function* function_named(const Session& session, std::string_view name);

/// The name of the function that a precondition becomes.
inline constexpr std::string_view kPreconditionName = "cairn_precondition";

/// Text put behind a function's declaration: a function of its parameters, `body` as written after the result's type
/// (`= EXPR;` or a block). Nothing when the declaration's text has no parameter list.
[[nodiscard]] Insertion function_beside(const Session& session, const checked::Function& function,
                                        std::string_view name, std::string_view result, std::string_view body);

/// The program again, with a precondition of `function` beside it. Its verdict tells whether the expression checks.
[[nodiscard]] std::unique_ptr<Session> with_precondition(const Session& session, const SessionOptions& options,
                                                         const checked::Function& function,
                                                         std::string_view expression);

/// Lowers both functions (and the precondition in the reference's program, when there is one) and compares them.
[[nodiscard]] Answer compare_versions(const Session& reference, const checked::Function& function,
                                      const Session& candidate, const checked::Function& other,
                                      const checked::Function* precondition, Question question);

}  // namespace cairn::verify
