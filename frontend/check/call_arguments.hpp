// The arguments of a call as inference sees them (abstractions, 3.3).
#pragma once

#include "frontend/check/body_checker.hpp"
#include "frontend/check/inference.hpp"

namespace cairn {

/// What inference sees of a call's arguments; what it had typed is kept for the call.
class BodyArguments final : public CallArguments {
 public:
  BodyArguments(BodyChecker& body, std::vector<Operand>& operands) : body_(body), operands_(operands) {}

  [[nodiscard]] std::size_t count() const override { return operands_.size(); }

  const Type* type_of(std::size_t index, bool elements) override {
    Operand& operand = operands_[index];
    if (operand.extent_of >= 0) return body_.types().usize();
    if (!elements) {
      Node node = body_.walk_operand(operand, nullptr);
      return node->type;
    }
    return body_.walk_lent_view(operand)->type;
  }

  [[nodiscard]] bool is_literal(std::size_t index) const override {
    const Operand& operand = operands_[index];
    return operand.written != nullptr && operand.node == nullptr &&
           (operand.written->kind == syntax::ExprKind::Integer || operand.written->kind == syntax::ExprKind::Float);
  }

  [[nodiscard]] bool is_part(std::size_t index) const override {
    const Operand& operand = operands_[index];
    if (operand.node != nullptr) return operand.node->kind == checked::ExprKind::Part;
    return operand.written != nullptr && operand.written->kind == syntax::ExprKind::Part;
  }

  [[nodiscard]] Position position(std::size_t index) const override {
    const Operand& operand = operands_[index];
    if (operand.written != nullptr) return operand.written->position;
    return operand.node != nullptr ? operand.node->position
                                   : operands_[static_cast<std::size_t>(operand.extent_of)].written->position;
  }

 private:
  BodyChecker& body_;
  std::vector<Operand>& operands_;
};

}  // namespace cairn
