// Types, expressions and the printer's public functions.
#include "frontend/syntax/printer.hpp"

#include <array>
#include <cstdio>
#include <vector>

#include "frontend/syntax/operators.hpp"
#include "frontend/syntax/printer_internal.hpp"

namespace cairn::syntax {

std::string_view operator_text(BinaryOp op) { return operator_row(op).text; }

std::string_view operator_text(UnaryOp op) {
  constexpr std::array<std::string_view, 3> kTexts = {"-", "!", "~"};
  return kTexts[static_cast<std::size_t>(op)];
}

std::string_view reducer_text(Reducer reducer) {
  constexpr std::array<std::string_view, 9> kTexts = {"+", "*", "&", "|", "^", "add_wrap", "mul_wrap", "min", "max"};
  return kTexts[static_cast<std::size_t>(reducer)];
}

std::string_view placement_text(Placement placement) {
  constexpr std::array<std::string_view, 4> kTexts = {"host", "device", "pinned", "unified"};
  return kTexts[static_cast<std::size_t>(placement)];
}

std::string quoted_literal(std::string_view bytes) {
  std::string literal = "\"";
  for (const char c : bytes) {
    switch (c) {
      case '\n':
        literal += "\\n";
        break;
      case '\t':
        literal += "\\t";
        break;
      case '\r':
        literal += "\\r";
        break;
      case '"':
        literal += "\\\"";
        break;
      case '\\':
        literal += "\\\\";
        break;
      default:
        if (c >= ' ' && c <= '~') {
          literal.push_back(c);
        } else {
          std::array<char, 8> escape{};
          std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
          literal += escape.data();
        }
    }
  }
  return literal + "\"";
}

// ------------------------------------------------------------------------------------------------------------ small
// parts

void Printer::line() {
  out_.push_back('\n');
  out_.append(static_cast<std::size_t>(indent_) * 2, ' ');
}

void Printer::natural(const Natural& natural) {
  if (natural.digits.empty()) {
    text(std::to_string(natural.value));
  } else {
    text(natural.digits);
  }
}

void Printer::path(const Path& path) {
  list(path.segments, ".", [this](const Identifier& segment) { name(segment); });
}

void Printer::expressions(List<const Expr* const> exprs) {
  list(exprs, ", ", [this](const Expr* expr) { expression(*expr); });
}

void Printer::names(List<const Identifier> identifiers) {
  list(identifiers, ", ", [this](const Identifier& identifier) { name(identifier); });
}

void Printer::parameters(List<const Parameter> parameters) {
  list(parameters, ", ", [this](const Parameter& parameter) {
    name(parameter.name);
    text(":");
    type(*parameter.type);
  });
}

void Printer::type(const TypeExpr& written) {
  const auto types = [this](List<const TypeExpr* const> arguments) {
    list(arguments, ", ", [this](const TypeExpr* argument) { type(*argument); });
  };
  switch (written.kind) {
    case TypeKind::Borrow:
      text(written.mode == BorrowMode::Ro ? "ro<" : "rw<");
      type(*written.inner);
      text(">");
      if (!written.has_extent) return;
      text("[");
      if (written.extent_is_name) {
        name(written.extent_name);
      } else {
        natural(written.natural);
      }
      text("]@");
      text(placement_text(written.placement));
      return;
    case TypeKind::Function:
      text("fn(");
      types(written.arguments);
      text(")");
      if (written.inner == nullptr) return;
      text(" -> ");
      type(*written.inner);
      return;
    case TypeKind::Dyn:
      text("dyn ");
      path(written.path);
      return;
    case TypeKind::Named:
      path(written.path);
      if (written.arguments.empty()) return;
      text("[");
      types(written.arguments);
      text("]");
      return;
    case TypeKind::Natural:
      natural(written.natural);
      return;
  }
}

// ------------------------------------------------------------------------------------------------------------
// expressions

namespace {

/// Forms that reach as far as they can, so that parentheses around them may be needed.
bool is_open_ended(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Try:
    case ExprKind::Spawn:
    case ExprKind::Closure:
    case ExprKind::Each:
    case ExprKind::Fold:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Printer::expression(const Expr& expr) {
  const bool kept = expr.parenthesized && is_open_ended(expr);
  text(kept ? "(" : "");
  bare(expr);
  text(kept ? ")" : "");
}

void Printer::bare(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Integer:
      return natural(expr.as<IntegerExpr>().value);
    case ExprKind::Float:
      return text(expr.as<FloatExpr>().digits);
    case ExprKind::String:
      return text(quoted_literal(expr.as<StringExpr>().bytes));
    case ExprKind::Bool:
      return text(expr.as<BoolExpr>().value ? "true" : "false");
    case ExprKind::Name:
      return name(expr.as<NameExpr>().name);
    case ExprKind::Unary: {
      const auto& unary = expr.as<UnaryExpr>();
      // -(5) is the negation of 5; -5 is a literal.
      const bool apart =
          unary.op == UnaryOp::Negate && unary.operand->kind == ExprKind::Integer && unary.operand->parenthesized;
      text("(");
      text(operator_text(unary.op));
      text(apart ? "(" : "");
      expression(*unary.operand);
      return text(apart ? "))" : ")");
    }
    case ExprKind::Try:
      text("try ");
      return expression(*expr.as<TryExpr>().operand);
    case ExprKind::Spawn:
      return spawn(expr.as<SpawnExpr>());
    case ExprKind::Binary:
      return binary(expr);
    case ExprKind::Call:
    case ExprKind::Bracket:
    case ExprKind::Part:
    case ExprKind::Member:
      return postfix(expr);
    case ExprKind::Closure:
      return closure(expr.as<ClosureExpr>());
    case ExprKind::Each:
      text("each ");
      each_head(expr.as<EachExpr>().head);
      text(expr.as<EachExpr>().values.empty() ? " {" : " { ");
      expressions(expr.as<EachExpr>().values);
      return text(expr.as<EachExpr>().values.empty() ? "}" : " }");
    case ExprKind::Fold: {
      const auto& fold = expr.as<FoldExpr>();
      text("fold ");
      if (fold.is_operator) {
        text(operator_text(fold.op));
      } else {
        path(fold.function);
      }
      text(" ");
      return expression(*fold.each);
    }
  }
}

/// A chain of left operands may be of any length, so it is walked in a loop. Parentheses around every link of a long
/// one would nest too deep to be read again: there only the needed ones stand.
void Printer::binary(const Expr& expr) {
  constexpr std::size_t kLongChain = 32;
  struct Link {
    const BinaryExpr* node;
    bool apart;
  };
  std::vector<Link> chain;
  const Expr* left = &expr;
  for (; left->kind == ExprKind::Binary; left = left->as<BinaryExpr>().left) {
    const auto& node = left->as<BinaryExpr>();
    const bool needed = chain.empty() || operator_row(node.op).level < operator_row(chain.back().node->op).level;
    chain.push_back({&node, needed});
  }
  const bool all = chain.size() <= kLongChain;
  for (const Link& link : chain) text(all || link.apart ? "(" : "");
  expression(*left);
  for (; !chain.empty(); chain.pop_back()) {
    const Link& link = chain.back();
    text(" ");
    text(operator_text(link.node->op));
    text(" ");
    expression(*link.node->right);
    text(all || link.apart ? ")" : "");
  }
}

namespace {

/// What a suffix is written behind; null when the expression has none.
const Expr* base_of(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Call:
      return expr.as<CallExpr>().callee;
    case ExprKind::Bracket:
      return expr.as<BracketExpr>().base;
    case ExprKind::Part:
      return expr.as<PartExpr>().base;
    case ExprKind::Member:
      return expr.as<MemberExpr>().base;
    default:
      return nullptr;
  }
}

}  // namespace

void Printer::postfix(const Expr& expr) {
  std::vector<const Expr*> chain;
  const Expr* base = &expr;
  for (const Expr* next = base_of(*base); next != nullptr; next = base_of(*base)) {
    chain.push_back(base);
    base = next;
  }
  text(is_open_ended(*base) ? "(" : "");
  bare(*base);
  text(is_open_ended(*base) ? ")" : "");
  for (; !chain.empty(); chain.pop_back()) suffix(*chain.back());
}

void Printer::suffix(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Call:
      text("(");
      expressions(expr.as<CallExpr>().arguments);
      return text(")");
    case ExprKind::Bracket:
      text("[");
      expressions(expr.as<BracketExpr>().arguments);
      return text("]");
    case ExprKind::Part:
      text("[");
      expression(*expr.as<PartExpr>().lo);
      text("..");
      expression(*expr.as<PartExpr>().hi);
      return text("]");
    default:
      text(".");
      return name(expr.as<MemberExpr>().member);
  }
}

void Printer::after(List<const Identifier> tickets) {
  if (tickets.empty()) return;
  text(" after ");
  names(tickets);
}

void Printer::spawn(const SpawnExpr& spawn) {
  text("spawn ");
  if (spawn.operand != nullptr) {
    expression(*spawn.operand);
    return after(spawn.after);
  }
  text("parallel ");
  name(spawn.binder);
  text(" in ");
  expression(*spawn.extent);
  after(spawn.after);
  text(" ");
  block(*spawn.body);
}

void Printer::closure(const ClosureExpr& closure) {
  text("|");
  parameters(closure.parameters);
  text("| ");
  if (closure.result != nullptr) {
    text("-> ");
    type(*closure.result);
    text(" ");
  }
  block(*closure.body);
}

// ------------------------------------------------------------------------------------------------------------ public

std::string print(const Decl& decl, const NameTable& names) {
  std::string out;
  Printer(names, out, 0).declaration(decl);
  return out;
}

std::string print(const Stmt& stmt, const NameTable& names, int indent) {
  std::string out;
  Printer(names, out, indent).statement(stmt);
  return out;
}

std::string print(const Expr& expr, const NameTable& names, int indent) {
  std::string out;
  Printer(names, out, indent).expression(expr);
  return out;
}

std::string print(const TypeExpr& type, const NameTable& names) {
  std::string out;
  Printer(names, out, 0).type(type);
  return out;
}

std::string print(const Path& path, const NameTable& names) {
  std::string out;
  Printer(names, out, 0).path(path);
  return out;
}

std::string print_head(const FunctionDecl& function, const NameTable& names) {
  std::string out;
  if (function.is_public) out = "pub ";
  Printer(names, out, 0).head(function);
  return out;
}

std::string print_impl(const ImplDecl& impl, List<const FunctionDecl* const> members, const NameTable& names) {
  std::string out;
  Printer(names, out, 0).impl(impl, members);
  return out;
}

}  // namespace cairn::syntax
