// Expressions: what each form is judged by, literals, operators, `try` (syntax and values, 1.5, 1.6, 1.9.4).
#include <charconv>
#include <cmath>
#include <limits>

#include "frontend/check/body_checker.hpp"
#include "frontend/check/method_hint.hpp"
#include "frontend/check/number_text.hpp"

namespace cairn {

using checked::ExprKind;
using syntax::BinaryOp;
using syntax::UnaryOp;

Node BodyChecker::walk(const syntax::Expr& expression, const Type* expected) {
  checker_.visit(expression.position);
  checker_.hold_depth(expression.position);
  switch (expression.kind) {
    case syntax::ExprKind::Integer:
      return integer_literal(expression.as<syntax::IntegerExpr>(), expected);
    case syntax::ExprKind::Float:
      return float_literal(expression.as<syntax::FloatExpr>(), expected);
    case syntax::ExprKind::String:
      return text_literal(expression.as<syntax::StringExpr>());
    case syntax::ExprKind::Bool: {
      auto& node = make<checked::BoolExpr>(ExprKind::Bool, types().bool_type(), expression.position);
      node.value = expression.as<syntax::BoolExpr>().value;
      return &node;
    }
    case syntax::ExprKind::Name:
      return name(expression.as<syntax::NameExpr>(), expected);
    case syntax::ExprKind::Unary:
      return unary(expression.as<syntax::UnaryExpr>(), expected);
    case syntax::ExprKind::Try:
      return try_expression(expression.as<syntax::TryExpr>());
    case syntax::ExprKind::Spawn:
      return spawn_expression(expression.as<syntax::SpawnExpr>());
    case syntax::ExprKind::Binary:
      return binary(expression.as<syntax::BinaryExpr>(), expected);
    case syntax::ExprKind::Call:
      return call(expression.as<syntax::CallExpr>(), expected);
    case syntax::ExprKind::Bracket:
      return bracket(expression.as<syntax::BracketExpr>(), expected);
    case syntax::ExprKind::Part:
      refuse(Code::ViewAlias, expression.position,
             "A part stands only where a call takes a view; write it in the call that reads it.");
    case syntax::ExprKind::Member:
      return member(expression.as<syntax::MemberExpr>(), expected);
    case syntax::ExprKind::Closure:
      refuse(Code::Closure, expression.position,
             "A closure stands only as an argument for a ro<fn(...)> parameter, in host code.");
    case syntax::ExprKind::Each:
    case syntax::ExprKind::Fold:
      break;  // expanded before any body is judged
  }
  refuse(Code::Internal, expression.position, "A recipe's expression was not expanded.");
}

Node BodyChecker::value(const syntax::Expr& expression, const Type* expected) {
  return as_value(walk(expression, expected));
}

Node BodyChecker::value_of(const syntax::Expr& expression, const Type* type) {
  Node node = walk(expression, type);
  if (node->type != type) refuse_mismatch(type, node->type, expression.position);
  return as_value(node);
}

Node BodyChecker::value_of(Operand& operand, const Type* type) {
  Node node = walk_operand(operand, type);
  if (node->type != type) refuse_mismatch(type, node->type, node->position);
  return as_value(node);
}

Node BodyChecker::walk_operand(Operand& operand, const Type* expected) {
  if (operand.node == nullptr) operand.node = walk(*operand.written, expected);
  return operand.node;
}

Node BodyChecker::as_value(Node node) {
  if (!node->is_place() || node->type->is(TypeKind::View)) return node;
  if (!node->type->is_copy()) return consume(node);
  if (const checked::Local* root = node->kind == ExprKind::Local ? node->as<checked::LocalExpr>().local : nullptr) {
    if (root->type->is_borrowed_callable()) {
      refuse(Code::FnType, node->position,
             quoted(root->name) + " is a borrowed callable: it may be called or passed on, not kept as a value.");
    }
    if (node->type->is(TypeKind::DynRef)) {
      refuse(
          Code::Dyn, node->position,
          quoted(root->name) + " is a borrowed " + std::string(node->type->name) + ": call its members or lend it on.");
    }
  }
  touch(node, Touch::Read, node->position);
  auto& load = make<checked::LoadExpr>(ExprKind::Load, node->type, node->position);
  load.place = node;
  return &load;
}

// ------------------------------------------------------------------------------------------------------------ literals

Node BodyChecker::integer_node(std::uint64_t bits, const Type* type, Position at) {
  auto& node = make<checked::IntegerExpr>(ExprKind::Integer, type, at);
  node.bits = bits;
  return &node;
}

Node BodyChecker::integer_literal(const syntax::IntegerExpr& literal, const Type* expected) {
  const syntax::Natural& natural = literal.value;
  if (expected != nullptr && expected->is_float()) {
    if (!natural.fits || natural.value > kLargestFloatInteger) refuse_literal(expected->name, literal.position);
    auto& node = make<checked::FloatExpr>(ExprKind::Float, expected, literal.position);
    node.value = static_cast<double>(natural.value);
    if (expected->is(TypeKind::F32)) node.value = static_cast<double>(static_cast<float>(natural.value));
    return &node;
  }
  const Type* type = expected != nullptr && expected->is_integer() ? expected : types().scalar(TypeKind::U64);
  if (!natural.fits || natural.value > largest(type->kind)) refuse_literal(type->name, literal.position);
  auto& node = make<checked::IntegerExpr>(ExprKind::Integer, type, literal.position);
  node.bits = natural.value;
  node.literal = !literal.character;
  node.character = literal.character;
  return &node;
}

Node BodyChecker::negated_literal(const syntax::UnaryExpr& expression, const Type* expected) {
  const auto& literal = expression.operand->as<syntax::IntegerExpr>();
  const syntax::Natural& natural = literal.value;
  if (expected != nullptr && expected->is_float()) {
    if (!natural.fits || natural.value > kLargestFloatInteger) refuse_literal(expected->name, literal.position);
    auto& node = make<checked::FloatExpr>(ExprKind::Float, expected, expression.position);
    node.value = -static_cast<double>(natural.value);
    if (expected->is(TypeKind::F32)) node.value = static_cast<double>(-static_cast<float>(natural.value));
    return &node;
  }
  if (expected != nullptr && expected->is_unsigned()) {
    refuse(Code::Operator, expression.position,
           "An unsigned " + std::string(expected->name) + " has no negative values, so - has none here.");
  }
  const Type* type = expected != nullptr && expected->is_integer() ? expected : types().scalar(TypeKind::I64);
  if (!natural.fits || natural.value > largest(type->kind) + 1) refuse_literal(type->name, literal.position);
  auto& node = make<checked::IntegerExpr>(ExprKind::Integer, type, expression.position);
  node.bits = std::uint64_t{0} - natural.value;
  node.literal = true;
  return &node;
}

Node BodyChecker::float_literal(const syntax::FloatExpr& literal, const Type* expected) {
  const Type* type = expected != nullptr && expected->is_float() ? expected : types().scalar(TypeKind::F64);
  auto& node = make<checked::FloatExpr>(ExprKind::Float, type, literal.position);
  const auto value = type->is(TypeKind::F32) ? float32_of(literal.digits) : float64_of(literal.digits);
  if (!value) refuse_literal(type->name, literal.position);
  node.value = *value;
  return &node;
}

Node BodyChecker::text_literal(const syntax::StringExpr& literal) {
  if (on_device())
    refuse(Code::Placement, literal.position, "Text is host memory: device code has no string literals.");
  const Type* type = types().view(BorrowMode::Ro, types().scalar(TypeKind::U8),
                                  Extent{Extent::Kind::Literal, literal.bytes.size(), {}}, Placement::Host);
  auto& node = make<checked::TextExpr>(ExprKind::Text, type, literal.position);
  node.bytes = literal.bytes;
  return &node;
}

Node BodyChecker::constant_node(const syntax::ConstDecl& declaration, Position at) {
  const ConstantValue constant = checker_.constant(declaration);
  if (constant.type->is_float()) {
    auto& node = make<checked::FloatExpr>(ExprKind::Float, constant.type, at);
    node.value = constant.real;
    return &node;
  }
  if (constant.type->is(TypeKind::Bool)) {
    auto& node = make<checked::BoolExpr>(ExprKind::Bool, constant.type, at);
    node.value = constant.bits != 0;
    return &node;
  }
  return integer_node(constant.bits, constant.type, at);
}

// ----------------------------------------------------------------------------------------------------------- operators

bool BodyChecker::adapts(const syntax::Expr& expression) {
  switch (expression.kind) {
    case syntax::ExprKind::Integer:
    case syntax::ExprKind::Float:
      return true;
    case syntax::ExprKind::Unary: {
      const auto& unary = expression.as<syntax::UnaryExpr>();
      return unary.op == UnaryOp::Negate && unary.operand->kind == syntax::ExprKind::Integer &&
             !unary.operand->as<syntax::IntegerExpr>().character;
    }
    case syntax::ExprKind::Name: {
      const Name name = expression.as<syntax::NameExpr>().name;
      return !denotes_something(name) && !checker_.sums_with_variant(name, scope_.module).empty();
    }
    case syntax::ExprKind::Call: {
      const syntax::Expr& callee = *expression.as<syntax::CallExpr>().callee;
      return callee.kind == syntax::ExprKind::Name && adapts(callee);
    }
    default:
      return false;
  }
}

Node BodyChecker::unary(const syntax::UnaryExpr& expression, const Type* expected) {
  if (expression.op == UnaryOp::Not) {
    auto& node = make<checked::UnaryExpr>(ExprKind::Unary, types().bool_type(), expression.position);
    node.op = expression.op;
    Node operand = walk(*expression.operand, types().bool_type());
    if (operand->type->is_storage_float()) {
      refuse(Code::Operator, expression.position, "! needs a bool; widen with f32(x) and compare.");
    }
    if (!operand->type->is(TypeKind::Bool)) refuse_mismatch(node.type, operand->type, expression.operand->position);
    node.operand = as_value(operand);
    return &node;
  }
  if (expression.op == UnaryOp::Negate && adapts(expression)) return negated_literal(expression, expected);
  Node operand = walk(*expression.operand, expected);
  const Type* type = operand->type;
  const bool fits = expression.op == UnaryOp::Negate ? type->is_signed() || type->is_float() : type->is_unsigned();
  if (!fits) {
    std::string message =
        expression.op == UnaryOp::Negate ? "- needs a signed integer or a float" : "~ needs an unsigned integer";
    message += ", and this is " + std::string(type->name) + ".";
    if (type->is_storage_float()) message += " Widen with f32(x), compute, and round back.";
    if (expression.op == UnaryOp::Negate)
      message += method_hint(checker_, "neg", "", type, scope_.module, expression.position);
    refuse(Code::Operator, expression.position, std::move(message));
  }
  auto& node = make<checked::UnaryExpr>(ExprKind::Unary, type, expression.position);
  node.op = expression.op;
  node.operand = as_value(operand);
  return &node;
}

namespace {

bool is_comparison(BinaryOp op) { return op >= BinaryOp::Equal && op <= BinaryOp::GreaterEqual; }

std::string_view spelling(BinaryOp op) {
  static constexpr std::string_view kSpellings[] = {"+",  "-",  "*", "/",  "%", "&",  "|",  "^",
                                                    "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
  return kSpellings[static_cast<std::size_t>(op)];
}

/// What a record's method of the operator's meaning is called; empty for an operator no record has one for.
std::string_view method_of(BinaryOp op) {
  static constexpr std::string_view kMethods[] = {"add", "sub", "mul", "div", "",   "",   "", "",
                                                  "eq",  "ne",  "lt",  "le",  "gt", "ge", "", ""};
  return kMethods[static_cast<std::size_t>(op)];
}

std::string_view needs_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Remainder:
      return "integers";
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor:
      return "unsigned integers";
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
      return "integers, floats, bools or enums without payloads";
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Greater:
    case BinaryOp::GreaterEqual:
      return "integers, floats or bools";
    default:
      return "integers or floats";
  }
}

bool has_operator(BinaryOp op, const Type* type) {
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Subtract:
    case BinaryOp::Multiply:
    case BinaryOp::Divide:
      return type->is_numeric();
    case BinaryOp::Remainder:
      return type->is_integer();
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor:
      return type->is_unsigned();
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
      return type->is_scalar() || type->is_plain_enum();
    default:
      return type->is_scalar();
  }
}

}  // namespace

void BodyChecker::require_operator(BinaryOp op, const Type* type, Position at) {
  if (has_operator(op, type)) return;
  std::string message = std::string(spelling(op)) + " needs " + std::string(needs_of(op)) + ", and these are " +
                        std::string(type->name) + ".";
  if (type->is_storage_float()) message += " Widen with f32(x), compute, and round back.";
  message += method_hint(checker_, method_of(op), "y", type, scope_.module, at);
  refuse(Code::Operator, at, std::move(message));
}

Node BodyChecker::apply(BinaryOp op, Node left, Node right, Position at) {
  require_operator(op, left->type, at);
  auto& node = make<checked::BinaryExpr>(ExprKind::Binary, is_comparison(op) ? types().bool_type() : left->type, at);
  node.op = op;
  node.left = as_value(left);
  node.right = as_value(right);
  return &node;
}

// A chain of left operands may be of any length, so chains are walked from their innermost operation outwards.

Node BodyChecker::logical(const syntax::BinaryExpr& expression) {
  const std::size_t mark = chain_.size();
  const syntax::Expr* first = &expression;
  while (first->kind == syntax::ExprKind::Binary) {
    const auto& binary = first->as<syntax::BinaryExpr>();
    if (binary.op != BinaryOp::LogicalAnd && binary.op != BinaryOp::LogicalOr) break;
    chain_.push_back(&binary);
    first = binary.left;
  }
  Node left = value_of(*first, types().bool_type());
  // The right side is evaluated when the left one was true, or false.
  const std::size_t facts = facts_.mark();
  Node learned = left;
  bool was_and = false;
  for (std::size_t i = chain_.size(); i-- > mark;) {
    const syntax::BinaryExpr& link = *chain_[i];
    auto& node = make<checked::LogicalExpr>(ExprKind::Logical, types().bool_type(), link.position);
    node.is_and = link.op == BinaryOp::LogicalAnd;
    node.left = left;
    if (learned != left && was_and != node.is_and) {
      facts_.drop(facts);
      learned = left;
    }
    facts_.holds(learned, node.is_and);
    node.right = value_of(*link.right, types().bool_type());
    was_and = node.is_and;
    learned = node.right;
    left = &node;
  }
  facts_.drop(facts);
  chain_.resize(mark);
  return left;
}

Node BodyChecker::binary(const syntax::BinaryExpr& expression, const Type* expected) {
  if (expression.op == BinaryOp::LogicalAnd || expression.op == BinaryOp::LogicalOr) return logical(expression);
  const std::size_t mark = chain_.size();
  chain_.push_back(&expression);
  bool right_first = false;
  for (;;) {
    const syntax::BinaryExpr& innermost = *chain_.back();
    // What the whole is expected to be passes down through arithmetic, not through a comparison.
    if (is_comparison(innermost.op)) expected = nullptr;
    right_first = adapts(*innermost.left) && !adapts(*innermost.right);
    if (right_first || innermost.left->kind != syntax::ExprKind::Binary) break;
    const auto& next = innermost.left->as<syntax::BinaryExpr>();
    if (next.op == BinaryOp::LogicalAnd || next.op == BinaryOp::LogicalOr) break;
    checker_.visit(next.position);
    chain_.push_back(&next);
  }
  Node left = nullptr;
  for (std::size_t i = chain_.size(); i-- > mark;) {
    const syntax::BinaryExpr& link = *chain_[i];
    Node right = nullptr;
    if (left != nullptr || !right_first) {
      if (left == nullptr) left = walk(*link.left, expected);
      right = walk(*link.right, left->type);
      if (left->type != right->type) refuse_operands(left->type, right, link.position);
    } else {
      right = walk(*link.right, expected);
      left = walk(*link.left, right->type);
      if (left->type != right->type) refuse_operands(right->type, left, link.position);
    }
    left = apply(link.op, left, right, link.position);
  }
  chain_.resize(mark);
  return left;
}

void BodyChecker::refuse_operands(const Type* first, Node second, Position at) {
  // With a storage float it is the operation that is at fault, unless a literal was to become one.
  const bool storage = first->is_storage_float() || second->type->is_storage_float();
  const bool literal = second->kind == ExprKind::Integer || second->kind == ExprKind::Float;
  refuse_mismatch(first, second->type, storage && !literal ? at : second->position);
}

Node BodyChecker::try_expression(const syntax::TryExpr& expression) {
  if (frame_->is_lane) {
    refuse(Code::ParallelControl, expression.position,
           "A lane cannot return from the function, so `try` has no place here.");
  }
  Node operand = value(*expression.operand, nullptr);
  const Type* sum = operand->type;
  if (!sum->is(TypeKind::Sum) || sum->sum->plain || sum->sum->variants.size() != 2) {
    refuse(
        Code::Try, expression.position,
        "`try` needs a sum of two variants, success first and failure second; this is " + std::string(sum->name) + ".");
  }
  const Type* result = frame_->result;
  if (!result->is(TypeKind::Sum) || result->sum->variants.size() != 2 ||
      result->sum->variants[1].payload != sum->sum->variants[1].payload) {
    refuse(Code::Try, expression.position,
           "The failure of " + std::string(sum->name) + " cannot leave through a result of type " +
               std::string(result->name) + "; both must have two variants with the same failure payload.");
  }
  require_no_live_linear(frame_->first_linear, expression.position);
  const Type* payload = sum->sum->variants[0].payload;
  auto& node =
      make<checked::TryExpr>(ExprKind::Try, payload == nullptr ? types().void_type() : payload, expression.position);
  node.operand = operand;
  node.result = result;
  return &node;
}

}  // namespace cairn
