// Programs from text for the tests of the comparison.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "vm/execution.hpp"
#include "vm/lower/lower.hpp"
#include "vm/verify/equivalence.hpp"

namespace cairn::test {

/// A checked program and its function `f` lowered alone; the test fails when it is refused.
class Program {
 public:
  explicit Program(std::string_view text, std::string_view function = "f");

  [[nodiscard]] const bytecode::Module& module() const { return lowered_.module; }
  [[nodiscard]] std::uint32_t code() const { return lowered_.roots.front(); }
  [[nodiscard]] verify::Subject subject() const { return {compilation_.get(), function_, &lowered_.module, code()}; }
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Of a second function, lowered too: `p`, the precondition.
  [[nodiscard]] std::optional<std::uint32_t> second() const;

 private:
  std::string text_;
  std::unique_ptr<Compilation> compilation_;
  const checked::Function* function_ = nullptr;
  lower::Lowered lowered_;
};

/// Compares f of both; `assumed` is a precondition over its parameters, or empty.
verify::Answer compare(const Program& before, const Program& after, verify::Question question,
                       std::string_view assumed);

/// The status of comparing f of two texts, with its reason: "smt-equivalent", "unknown: it asserts".
std::string answer(std::string_view before, std::string_view after, std::string_view assumed = {});

}  // namespace cairn::test
