// Quiet bodies (concurrency, 13.3): those that cannot trap, loop without a count, or be seen from outside other than by
// what they read and write. Facts about usize values say which guards cannot fail.
#pragma once

#include <unordered_map>

#include "frontend/check/facts.hpp"

namespace cairn {

class QuietBodies {
 public:
  /// Whether a lane body is quiet, with what is known where its region stands.
  [[nodiscard]] bool is_quiet_lane(const checked::Function& lane, const checked::Expr& extent, Facts& facts);

 private:
  using Node = const checked::Expr*;

  bool block(const checked::Block& body, Facts& facts);
  bool statement(const checked::Stmt& statement, Facts& facts);
  bool branches(const checked::IfStmt& statement, Facts& facts);
  bool expression(Node root, Facts& facts);
  bool arithmetic(const checked::BinaryExpr& operation, Facts& facts);
  bool builtin(const checked::BuiltinExpr& call);
  bool call(const checked::CallExpr& call);
  bool body_of(const checked::Function& callee);

  std::unordered_map<const checked::Function*, bool> functions_;
};

}  // namespace cairn
