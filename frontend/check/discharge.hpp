// The guards that the facts prove unable to fail (concurrency, 7.3): of elements, arithmetic, shifts and conversions.
// What is accepted never depends on them. Receipts count them, and machine code leaves them out.
#pragma once

#include <unordered_set>

#include "frontend/check/facts.hpp"

namespace cairn {

class DischargedGuards {
 public:
  /// Notes those of a function, its closures and lane bodies included.
  void add(const checked::Function& function);

  /// Of an Element, Binary, Builtin or Convert, or of a Compound statement's operator.
  [[nodiscard]] bool contains(const checked::Expr& site) const { return sites_.contains(&site); }
  [[nodiscard]] bool contains(const checked::Stmt& site) const { return sites_.contains(&site); }
  [[nodiscard]] bool empty() const { return sites_.empty(); }

 private:
  void body(const checked::Function& function, Facts& facts);
  /// The body of a lane whose binder, its first parameter, counts to `extent`.
  void lane(const checked::Function* lane, const checked::Expr* extent, Facts& facts);
  /// A body that runs when and where nothing is known.
  void apart(const checked::Function* function);
  void statement(const checked::Stmt& statement, Facts& facts);
  void expression(const checked::Expr& root, Facts& facts);
  void operation(const checked::BinaryExpr& operation, Facts& facts);

  std::unordered_set<const void*> sites_;  // expressions and statements
};

}  // namespace cairn
