// Trees as CAIRN source, in the canonical form `cairn expand` shows (abstractions, 10.6; numerics, 8.9): two spaces a
// level, one statement a line, block bodies, every binary and unary expression in parentheses, views with their
// placement, `p op= e` written out. What is printed parses again, to a tree that prints the same and means the same.
#pragma once

#include <string>

#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn::syntax {

/// A declaration without a newline at its end. `indent` levels are put before every line but the first.
[[nodiscard]] std::string print(const Decl& decl, const NameTable& names);
[[nodiscard]] std::string print(const Stmt& stmt, const NameTable& names, int indent = 0);
[[nodiscard]] std::string print(const Expr& expr, const NameTable& names, int indent = 0);
[[nodiscard]] std::string print(const TypeExpr& type, const NameTable& names);
[[nodiscard]] std::string print(const Path& path, const NameTable& names);

/// A function's head, `pub fn f[T](x:T) -> T pure implements g`, without its body.
[[nodiscard]] std::string print_head(const FunctionDecl& function, const NameTable& names);
/// `impl[T] Trait for Type {`, then the members given, then `}`: consecutive members of one impl print as one.
[[nodiscard]] std::string print_impl(const ImplDecl& impl, List<const FunctionDecl* const> members,
                                     const NameTable& names);

/// The operator as written, `+` or `&&`.
[[nodiscard]] std::string_view operator_text(BinaryOp op);
[[nodiscard]] std::string_view operator_text(UnaryOp op);
[[nodiscard]] std::string_view reducer_text(Reducer reducer);
[[nodiscard]] std::string_view placement_text(Placement placement);
/// A string literal with these bytes.
[[nodiscard]] std::string quoted_literal(std::string_view bytes);

}  // namespace cairn::syntax
