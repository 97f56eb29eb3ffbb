#include "frontend/expand/tree_maker.hpp"

#include <utility>

#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

using namespace syntax;

namespace {

constexpr std::size_t kMostNodes = 3200000;

}  // namespace

TreeMaker::TreeMaker(Arena& arena, NameTable& names, Position position, Span span)
    : TreeRewriter(arena), names_(names), position_(position), span_(span) {
  stand_at(position, span);
}

void TreeMaker::visit(Position position) {
  (void)position;
  if (++nodes_ <= kMostNodes) return;
  refuse(Code::ExpansionLimit, position_,
         "What this derives is larger than " + std::to_string(kMostNodes) + " nodes of syntax. Split the function.");
}

template <class T>
T* TreeMaker::node() {
  visit(position_);
  T* made = arena().make<T>();
  made->position = position_;
  made->span = span_;
  return made;
}

// --------------------------------------------------------------------------------------------------------- expressions

const Expr* TreeMaker::name(Name name) {
  auto* made = node<NameExpr>();
  made->kind = ExprKind::Name;
  made->name = name;
  return made;
}

const Expr* TreeMaker::natural(std::uint64_t value) {
  auto* made = node<IntegerExpr>();
  made->kind = ExprKind::Integer;
  made->value = {value, true, arena().copy(std::string_view(std::to_string(value))), position_};
  return made;
}

const Expr* TreeMaker::decimal(std::string_view digits) {
  auto* made = node<FloatExpr>();
  made->kind = ExprKind::Float;
  made->digits = arena().copy(digits);
  return made;
}

const Expr* TreeMaker::negative(const Expr* operand) {
  auto* made = node<UnaryExpr>();
  made->kind = ExprKind::Unary;
  made->op = UnaryOp::Negate;
  made->operand = operand;
  return made;
}

const Expr* TreeMaker::binary(BinaryOp op, const Expr* left, const Expr* right) {
  auto* made = node<BinaryExpr>();
  made->kind = ExprKind::Binary;
  made->op = op;
  made->op_position = position_;
  made->left = left;
  made->right = right;
  return made;
}

const Expr* TreeMaker::call(const Expr* callee, const std::vector<const Expr*>& arguments) {
  auto* made = node<CallExpr>();
  made->kind = ExprKind::Call;
  made->callee = callee;
  made->arguments = arena().copy(arguments);
  return made;
}

const Expr* TreeMaker::call(std::string_view callee, const Expr* argument) {
  return call(name(intern(callee)), {argument});
}

const Expr* TreeMaker::element(Name view, const Expr* index) {
  auto* made = node<BracketExpr>();
  made->kind = ExprKind::Bracket;
  made->base = name(view);
  made->arguments = arena().copy(std::vector<const Expr*>{index});
  return made;
}

const Expr* TreeMaker::part(const Expr* base, const Expr* lo, const Expr* hi) {
  auto* made = node<PartExpr>();
  made->kind = ExprKind::Part;
  made->base = base;
  made->lo = lo;
  made->hi = hi;
  return made;
}

const Expr* TreeMaker::dotted(const std::vector<Name>& path) {
  const Expr* made = name(path.front());
  for (std::size_t k = 1; k < path.size(); ++k) {
    auto* member = node<MemberExpr>();
    member->kind = ExprKind::Member;
    member->base = made;
    member->member = identifier(path[k]);
    made = member;
  }
  return made;
}

// --------------------------------------------------------------------------------------------------------------- types

const TypeExpr* TreeMaker::type_named(std::string_view name) {
  auto* made = node<TypeExpr>();
  made->kind = syntax::TypeKind::Named;
  made->path = {arena().copy(std::vector<Identifier>{identifier(intern(name))})};
  return made;
}

const TypeExpr* TreeMaker::borrow(BorrowMode mode, const TypeExpr& inner, const TypeExpr* view) {
  auto* made = node<TypeExpr>();
  if (view != nullptr) {
    *made = *view;
    made->position = position_;
    made->span = span_;
    if (made->has_extent && made->extent_is_name) made->extent_name = identifier(made->extent_name.name);
  }
  made->kind = syntax::TypeKind::Borrow;
  made->mode = mode;
  made->inner = copy(&inner);
  return made;
}

// ---------------------------------------------------------------------------------------------------------- statements

const Stmt* TreeMaker::let(Name name, const TypeExpr* type, const Expr* value, bool is_mutable) {
  auto* made = node<LetStmt>();
  made->kind = StmtKind::Let;
  made->is_mutable = is_mutable;
  made->name = identifier(name);
  made->type = type;
  made->value = value;
  return made;
}

const Stmt* TreeMaker::assign(const Expr* place, const Expr* value) {
  auto* made = node<AssignStmt>();
  made->kind = StmtKind::Assign;
  made->place = place;
  made->value = value;
  return made;
}

const Stmt* TreeMaker::expression_statement(const Expr* value) {
  auto* made = node<ExpressionStmt>();
  made->kind = StmtKind::Expression;
  made->value = value;
  return made;
}

const Stmt* TreeMaker::branch(const Expr* condition, const std::vector<const Stmt*>& then,
                              const std::vector<const Stmt*>& otherwise) {
  return if_statement(condition, block(then), block(otherwise));
}

const Stmt* TreeMaker::if_statement(const Expr* condition, const Block* then, const Block* otherwise) {
  auto* made = node<IfStmt>();
  made->kind = StmtKind::If;
  made->condition = condition;
  made->then = then;
  made->otherwise = otherwise;
  return made;
}

const Stmt* TreeMaker::loop(Name binder, const Expr* lo, const Expr* hi, const std::vector<const Stmt*>& body) {
  auto* made = node<ForRangeStmt>();
  made->kind = StmtKind::ForRange;
  made->binder = identifier(binder);
  made->lo = lo;
  made->hi = hi;
  made->body = block(body);
  return made;
}

const Stmt* TreeMaker::region(Name binder, const Expr* extent, const std::vector<const Stmt*>& body) {
  auto* made = node<ParallelStmt>();
  made->kind = StmtKind::Parallel;
  made->binder = identifier(binder);
  made->extent = extent;
  made->body = block(body);
  return made;
}

const Stmt* TreeMaker::give_back(const Expr* value) {
  auto* made = node<ReturnStmt>();
  made->kind = StmtKind::Return;
  made->value = value;
  return made;
}

const Block* TreeMaker::block(const std::vector<const Stmt*>& statements) {
  auto* made = arena().make<Block>();
  made->statements = arena().copy(statements);
  made->span = span_;
  return made;
}

}  // namespace cairn
