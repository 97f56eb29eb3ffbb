#include "frontend/report/check_sites.hpp"

#include "frontend/check/tree_walk.hpp"

namespace cairn {

namespace {

using namespace checked;

/// Whether every value of one integer type is a value of the other.
bool always_fits(const Type& from, const Type& to) {
  const unsigned from_bits = bit_width(from.kind);
  const unsigned to_bits = bit_width(to.kind);
  if (from.is_unsigned() == to.is_unsigned()) return from_bits <= to_bits;
  return from.is_unsigned() && from_bits < to_bits;
}

class SiteCollector {
 public:
  void function(const Function& function) {
    for (const Local* parameter : function.parameters) entry_guards(*parameter);
    disjoint_views(function);
    if (function.body != nullptr) block(*function.body);
  }

  std::vector<CheckSite> take() { return std::move(sites_); }

 private:
  void add(TrapKind kind, Position position) { sites_.push_back({kind, position}); }

  void entry_guards(const Local& parameter) {
    const Type& type = *parameter.type;
    if (type.is(TypeKind::View)) add(TrapKind::ViewEntry, parameter.position);
    if (type.is(TypeKind::Sum)) add(type.is_plain_enum() ? TrapKind::EnumEntry : TrapKind::Tag, parameter.position);
  }

  /// A writable view of the boundary overlaps no other view there.
  void disjoint_views(const Function& function) {
    const auto is_view = [](const Local* local) { return local->type->is(TypeKind::View); };
    const auto writes = [](const Local* local) { return local->type->mode == BorrowMode::Rw; };
    for (std::size_t a = 0; a < function.parameters.size(); ++a) {
      for (std::size_t b = a + 1; b < function.parameters.size(); ++b) {
        const Local* first = function.parameters[a];
        const Local* second = function.parameters[b];
        if (is_view(first) && is_view(second) && (writes(first) || writes(second))) {
          add(TrapKind::Disjointness, second->position);
        }
      }
    }
  }

  /// `inner` is a lane body or closure: what it is given is no boundary.
  void inner(const Function& inner) {
    if (inner.body != nullptr) block(*inner.body);
  }

  void block(const Block& block) {
    for (const Stmt* statement : block.statements) this->statement(*statement);
  }

  void statement(const Stmt& statement) {
    if (statement.kind == StmtKind::Compound) {
      const auto& compound = statement.as<CompoundStmt>();
      arithmetic(compound.op, *compound.place->type, statement.position);
    } else if (statement.kind == StmtKind::Storage && statement.as<StorageStmt>().local->kind == LocalKind::Buffer) {
      add(TrapKind::Allocation, statement.position);
    } else if (statement.kind == StmtKind::Reduce && statement.as<ReduceStmt>().lane != nullptr) {
      fold(statement.as<ReduceStmt>().reducer, *statement.as<ReduceStmt>().lane->result, statement.position);
    } else if (statement.kind == StmtKind::Scan) {
      fold(statement.as<ScanStmt>().reducer, *statement.as<ScanStmt>().lane->result, statement.position);
    }
    for_each_part(
        statement, [&](const Expr& value) { expression(value); }, [&](const Block& nested) { block(nested); },
        [&](const Function& lane) { inner(lane); });
  }

  void fold(syntax::Reducer reducer, const Type& type, Position position) {
    const bool checked = reducer == syntax::Reducer::Add || reducer == syntax::Reducer::Multiply;
    if (checked && type.is_integer()) add(TrapKind::Overflow, position);
  }

  void arithmetic(BinaryOp op, const Type& type, Position position) {
    if (!type.is_integer()) return;
    if (op == BinaryOp::Add || op == BinaryOp::Subtract || op == BinaryOp::Multiply) add(TrapKind::Overflow, position);
    if (op == BinaryOp::Divide || op == BinaryOp::Remainder) add(TrapKind::Division, position);
  }

  void conversion(const ConvertExpr& convert) {
    const Type& from = *convert.operand->type;
    const Type& to = *convert.type;
    const bool narrows = from.is_integer() && to.is_integer() && !always_fits(from, to);
    const bool truncates = from.is_float() && to.is_integer();
    if (narrows || truncates || to.is(TypeKind::F8E4M3)) add(TrapKind::Conversion, convert.position);
  }

  void builtin(const BuiltinExpr& call) {
    switch (call.builtin) {
      case Builtin::ShlWrap:
      case Builtin::Shr:
        return add(TrapKind::Shift, call.position);
      case Builtin::Abs:
        return call.type->is_integer() ? add(TrapKind::Abs, call.position) : void();
      case Builtin::Quantize:
      case Builtin::QuantizeStochastic:
        return add(TrapKind::Quantize, call.position);
      default:
        return;
    }
  }

  void expression(const Expr& expression) {
    switch (expression.kind) {
      case ExprKind::Element:
      case ExprKind::Part:
        add(TrapKind::Bounds, expression.position);
        break;
      case ExprKind::Binary:
        arithmetic(expression.as<BinaryExpr>().op, *expression.type, expression.position);
        break;
      case ExprKind::Unary:
        if (expression.as<UnaryExpr>().op == UnaryOp::Negate && expression.type->is_integer()) {
          add(TrapKind::Overflow, expression.position);
        }
        break;
      case ExprKind::Convert:
        conversion(expression.as<ConvertExpr>());
        break;
      case ExprKind::Builtin:
        builtin(expression.as<BuiltinExpr>());
        break;
      case ExprKind::CallValue:
        if (!expression.as<CallValueExpr>().borrowed) add(TrapKind::Callable, expression.position);
        break;
      case ExprKind::BufNew:
        add(TrapKind::Allocation, expression.position);
        break;
      case ExprKind::Assert:
      case ExprKind::AssertEqual:
        add(TrapKind::Assert, expression.position);
        break;
      case ExprKind::LayoutQuery:
        add(TrapKind::Layout, expression.position);
        break;
      case ExprKind::Closure:
        inner(*expression.as<ClosureExpr>().body);
        break;
      case ExprKind::Spawn:
        if (const ParallelStmt* region = expression.as<SpawnExpr>().region) statement(*region);
        break;
      default:
        break;
    }
    for_each_operand(expression, [&](const Expr& operand) { this->expression(operand); });
  }

  std::vector<CheckSite> sites_;
};

}  // namespace

std::vector<CheckSite> check_sites_of(const checked::Function& function) {
  SiteCollector collector;
  collector.function(function);
  return collector.take();
}

}  // namespace cairn
