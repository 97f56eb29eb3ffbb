// How often a `while` loop is guessed to turn: tools, 12.1 leaves it unknown. A comparison of its condition, or of an
// `if` of its body that leaves it, says how far two numbers are apart where the loop begins; what its body does to them
// says how much nearer each turn brings them. Where that tells nothing the guess is `kGuessedTurns`: a loop goes round
// with a probability of 0.88 (Wu and Larus, "Static branch frequency and program profile analysis", MICRO 1994).
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/check/program.hpp"
#include "vm/predict/known_sizes.hpp"
#include "vm/predict/polynomial.hpp"

namespace cairn::predict {

inline constexpr double kGuessedTurns = 8;

/// A `for` loop around: what its binder goes over.
struct Range {
  const checked::Local* binder = nullptr;
  Polynomial lo, hi;
};

struct GuessedTurns {
  Polynomial turns;
  std::string why;
};

/// `sizes`: what is known where the loop begins. `initial`: what immutable expression a local was last set to, where
/// that is no known size. `around`: loops, the outermost first.
[[nodiscard]] GuessedTurns guess_turns(const checked::WhileStmt& loop, KnownSizes& sizes,
                                       const std::map<const checked::Local*, const checked::Expr*>& initial,
                                       const std::vector<Range>& around);

/// Integers that a statement, or one within it, may change.
[[nodiscard]] std::set<const checked::Local*> changed_by(const checked::Stmt& statement);

/// Whether nothing an expression reads ever changes, so that it means the same everywhere.
[[nodiscard]] bool is_lasting(const checked::Expr& of);

}  // namespace cairn::predict
