// Visiting a checked tree: the direct sub-expressions of an expression, and the expressions and blocks of a statement.
#pragma once

#include "frontend/check/program.hpp"

namespace cairn::lower {

/// Calls `visit` on every direct sub-expression that is there, in order of evaluation.
template <class Visit>
void for_each_operand(const checked::Expr& e, Visit&& visit) {
  using checked::ExprKind;
  const auto one = [&](const checked::Expr* operand) {
    if (operand != nullptr) visit(*operand);
  };
  const auto all = [&](const auto& operands) {
    for (const checked::Expr* operand : operands) one(operand);
  };
  const auto printed = [&](const auto& arguments) {
    for (const checked::PrintArgument& argument : arguments) one(argument.value);
  };
  switch (e.kind) {
    case ExprKind::Integer:
    case ExprKind::Float:
    case ExprKind::Bool:
    case ExprKind::Text:
    case ExprKind::Zero:
    case ExprKind::FunctionValue:
    case ExprKind::Local:
    case ExprKind::Closure:
      return;
    case ExprKind::Field:
      return one(e.as<checked::FieldExpr>().base);
    case ExprKind::Element: {
      const auto& element = e.as<checked::ElementExpr>();
      one(element.base);
      return one(element.index);
    }
    case ExprKind::Load:
      return one(e.as<checked::LoadExpr>().place);
    case ExprKind::Take:
      return one(e.as<checked::TakeExpr>().place);
    case ExprKind::Swap:
      one(e.as<checked::SwapExpr>().left);
      return one(e.as<checked::SwapExpr>().right);
    case ExprKind::Unary:
      return one(e.as<checked::UnaryExpr>().operand);
    case ExprKind::Binary:
      one(e.as<checked::BinaryExpr>().left);
      return one(e.as<checked::BinaryExpr>().right);
    case ExprKind::Logical:
      one(e.as<checked::LogicalExpr>().left);
      return one(e.as<checked::LogicalExpr>().right);
    case ExprKind::Convert:
      return one(e.as<checked::ConvertExpr>().operand);
    case ExprKind::Builtin:
      return all(e.as<checked::BuiltinExpr>().arguments);
    case ExprKind::Length:
      return one(e.as<checked::LengthExpr>().of);
    case ExprKind::ViewOf:
      return one(e.as<checked::ViewOfExpr>().place);
    case ExprKind::Part: {
      const auto& part = e.as<checked::PartExpr>();
      one(part.base);
      one(part.lo);
      return one(part.hi);
    }
    case ExprKind::PartExtent:
      return one(e.as<checked::PartExtentExpr>().part);
    case ExprKind::Lend:
      return one(e.as<checked::LendExpr>().place);
    case ExprKind::LendTemporary:
      return one(e.as<checked::LendTemporaryExpr>().value);
    case ExprKind::LendDyn:
      return one(e.as<checked::LendDynExpr>().place);
    case ExprKind::Call:
      return all(e.as<checked::CallExpr>().arguments);
    case ExprKind::CallValue:
      one(e.as<checked::CallValueExpr>().callee);
      return all(e.as<checked::CallValueExpr>().arguments);
    case ExprKind::CallDyn:
      one(e.as<checked::CallDynExpr>().receiver);
      return all(e.as<checked::CallDynExpr>().arguments);
    case ExprKind::Record:
      return all(e.as<checked::RecordExpr>().fields);
    case ExprKind::Variant:
      return one(e.as<checked::VariantExpr>().payload);
    case ExprKind::BufNew:
      return one(e.as<checked::BufNewExpr>().count);
    case ExprKind::DynNew:
      return one(e.as<checked::DynNewExpr>().value);
    case ExprKind::Try:
      return one(e.as<checked::TryExpr>().operand);
    case ExprKind::Print:
      return printed(e.as<checked::PrintExpr>().arguments);
    case ExprKind::Format:
      one(e.as<checked::FormatExpr>().target);
      return printed(e.as<checked::FormatExpr>().arguments);
    case ExprKind::Assert:
      return one(e.as<checked::AssertExpr>().condition);
    case ExprKind::AssertEqual:
      one(e.as<checked::AssertEqualExpr>().left);
      return one(e.as<checked::AssertEqualExpr>().right);
    case ExprKind::Transfer:
      one(e.as<checked::TransferExpr>().destination);
      return one(e.as<checked::TransferExpr>().source);
    case ExprKind::Machine:
      return all(e.as<checked::MachineExpr>().arguments);
    case ExprKind::LayoutQuery:
      return all(e.as<checked::LayoutQueryExpr>().arguments);
    case ExprKind::Spawn:
      return one(e.as<checked::SpawnExpr>().call);
    case ExprKind::Concurrent:
      one(e.as<checked::ConcurrentExpr>().receiver);
      return all(e.as<checked::ConcurrentExpr>().arguments);
  }
}

/// Calls `expression` on every expression that stands directly in a statement and `block` on every block of it, in text
/// order. Lane bodies are functions of their own and are not visited.
template <class VisitExpression, class VisitBlock>
void for_each_part(const checked::Stmt& s, VisitExpression&& expression, VisitBlock&& block) {
  using checked::StmtKind;
  const auto one = [&](const checked::Expr* e) {
    if (e != nullptr) expression(*e);
  };
  const auto inner = [&](const checked::Block* b) {
    if (b != nullptr) block(*b);
  };
  switch (s.kind) {
    case StmtKind::Let:
      return one(s.as<checked::LetStmt>().value);
    case StmtKind::Unpack:
      return one(s.as<checked::UnpackStmt>().value);
    case StmtKind::Assign:
      one(s.as<checked::AssignStmt>().value);
      return one(s.as<checked::AssignStmt>().place);
    case StmtKind::Compound:
      one(s.as<checked::CompoundStmt>().place);
      return one(s.as<checked::CompoundStmt>().value);
    case StmtKind::If:
      one(s.as<checked::IfStmt>().condition);
      inner(s.as<checked::IfStmt>().then);
      return inner(s.as<checked::IfStmt>().otherwise);
    case StmtKind::While:
      one(s.as<checked::WhileStmt>().condition);
      return inner(s.as<checked::WhileStmt>().body);
    case StmtKind::For:
      one(s.as<checked::ForStmt>().lo);
      one(s.as<checked::ForStmt>().hi);
      return inner(s.as<checked::ForStmt>().body);
    case StmtKind::Match:
      one(s.as<checked::MatchStmt>().subject);
      for (const checked::MatchArm& arm : s.as<checked::MatchStmt>().arms) inner(arm.body);
      return;
    case StmtKind::Return:
      return one(s.as<checked::ReturnStmt>().value);
    case StmtKind::Defer:
      return one(s.as<checked::DeferStmt>().call);
    case StmtKind::Block:
      return inner(s.as<checked::BlockStmt>().body);
    case StmtKind::Expression:
      return one(s.as<checked::ExpressionStmt>().value);
    case StmtKind::Storage:
      return one(s.as<checked::StorageStmt>().count);
    case StmtKind::Parallel:
      return one(s.as<checked::ParallelStmt>().extent);
    case StmtKind::Reduce:
      one(s.as<checked::ReduceStmt>().extent);
      one(s.as<checked::ReduceStmt>().warp_value);
      return one(s.as<checked::ReduceStmt>().target);
    case StmtKind::Scan:
      one(s.as<checked::ScanStmt>().extent);
      return one(s.as<checked::ScanStmt>().output);
    case StmtKind::Compact:
      one(s.as<checked::CompactStmt>().extent);
      one(s.as<checked::CompactStmt>().output);
      one(s.as<checked::CompactStmt>().predicate);
      return one(s.as<checked::CompactStmt>().projected);
    case StmtKind::Into:
      return one(s.as<checked::IntoStmt>().spawn);
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Cooperative:
    case StmtKind::Shared:
    case StmtKind::Pipeline:
    case StmtKind::Barrier:
    case StmtKind::Asm:
      return;
  }
}

}  // namespace cairn::lower
