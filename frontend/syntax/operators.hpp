// The binary operators in one table (syntax and values, section 1.3.5), rows in the order of BinaryOp.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "frontend/syntax/ast.hpp"
#include "frontend/syntax/token.hpp"

namespace cairn::syntax {

struct BinaryOperator {
  BinaryOp op;
  TokenKind token;
  std::string_view text;
  int level;  // higher binds tighter; all associate to the left
};

inline constexpr std::array<BinaryOperator, 16> kBinaryOperators = {{
    {BinaryOp::Add, TokenKind::Plus, "+", 8},
    {BinaryOp::Subtract, TokenKind::Minus, "-", 8},
    {BinaryOp::Multiply, TokenKind::Star, "*", 9},
    {BinaryOp::Divide, TokenKind::Slash, "/", 9},
    {BinaryOp::Remainder, TokenKind::Percent, "%", 9},
    {BinaryOp::And, TokenKind::And, "&", 5},
    {BinaryOp::Or, TokenKind::Or, "|", 3},
    {BinaryOp::Xor, TokenKind::Caret, "^", 4},
    {BinaryOp::Equal, TokenKind::EqualEqual, "==", 6},
    {BinaryOp::NotEqual, TokenKind::NotEqual, "!=", 6},
    {BinaryOp::Less, TokenKind::Less, "<", 7},
    {BinaryOp::LessEqual, TokenKind::LessEqual, "<=", 7},
    {BinaryOp::Greater, TokenKind::Greater, ">", 7},
    {BinaryOp::GreaterEqual, TokenKind::GreaterEqual, ">=", 7},
    {BinaryOp::LogicalAnd, TokenKind::AndAnd, "&&", 2},
    {BinaryOp::LogicalOr, TokenKind::OrOr, "||", 1},
}};

[[nodiscard]] constexpr const BinaryOperator& operator_row(BinaryOp op) {
  return kBinaryOperators[static_cast<std::size_t>(op)];
}

}  // namespace cairn::syntax
