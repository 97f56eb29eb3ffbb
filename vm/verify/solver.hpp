// Z3, opened when a proof is first asked for (never linked), and one question put to it: can these conditions hold
// together? Z3 is an independent program; what it answers is trusted, so the record of every proof names its version.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "vm/verify/terms.hpp"

namespace cairn::verify {

enum class SolverAnswer : std::uint8_t { Sat, Unsat, Unknown };
[[nodiscard]] std::string_view text(SolverAnswer said);

/// A value of a term under a model: bits as the term's sort has them; of a float its pattern.
struct ModelValue {
  std::uint64_t bits = 0;
  bool is_nan = false;
};

class Solver {
 public:
  /// Opens libz3; the error says that it is missing or unusable.
  static std::expected<std::unique_ptr<Solver>, std::string> open();
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  [[nodiscard]] const std::string& version() const;
  /// From here on time limits are of the processor time of this process: what is decided does not hang on what else a
  /// machine does.
  void count_processor_time();

  /// What the solver is told. Unsat means the same whatever it was told; Sat alone of Exact is an input.
  enum class Detail : std::uint8_t {
    Free,       // an application, and a product, quotient or remainder of two unknowns, may be anything
    Functions,  // they are the same where their operands are
    Exact,      // products, quotients and remainders are what they are, applications as with Functions
  };
  /// Whether all conditions can hold together, within a time limit. After Sat the model answers `value` until the next
  /// question.
  SolverAnswer ask(const Terms& terms, const std::vector<Term>& conditions, unsigned timeout_ms,
                   Detail detail = Detail::Exact);
  /// The least detail that tells all of the conditions: Free where nothing in them is of two unknowns or applied.
  static Detail needed(const Terms& terms, const std::vector<Term>& conditions);
  /// Why the last answer was Unknown: "timeout", or Z3's own words.
  [[nodiscard]] const std::string& reason() const;
  /// A term of a boolean, bit-vector or float sort under the model, completed where it leaves something open.
  ModelValue value(const Terms& terms, Term term);

 private:
  Solver();
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace cairn::verify
