// The printer's class, shared by the files that implement it: types and expressions, statements, declarations.
#pragma once

#include <string>
#include <string_view>

#include "frontend/syntax/printer.hpp"

namespace cairn::syntax {

class Printer {
 public:
  Printer(const NameTable& names, std::string& out, int indent) : names_(names), out_(out), indent_(indent) {}

  void type(const TypeExpr& type);
  void expression(const Expr& expr);
  void bare(const Expr& expr);
  void statement(const Stmt& stmt);
  void declaration(const Decl& decl);
  void head(const FunctionDecl& function);
  void impl(const ImplDecl& impl, List<const FunctionDecl* const> members);
  void path(const Path& path);

 private:
  void text(std::string_view text) { out_.append(text); }
  void name(Name name) { out_.append(names_.text(name)); }
  void name(const Identifier& identifier) { name(identifier.name); }
  void natural(const Natural& natural);
  void line();  // a new line at the current indent
  template <class Items, class Print>
  void list(const Items& items, std::string_view separator, Print print) {
    bool first = true;
    for (const auto& item : items) {
      if (!first) text(separator);
      first = false;
      print(item);
    }
  }
  void expressions(List<const Expr* const> exprs);
  void names(List<const Identifier> list);
  void parameters(List<const Parameter> parameters);
  void generics(List<const GenericParameter> generics);
  void labels(List<const EffectLabel> labels);
  void each_head(const EachHead& head);
  void wheres(List<const StaticBinding> bindings);

  void binary(const Expr& expr);
  void postfix(const Expr& expr);
  void suffix(const Expr& expr);
  void spawn(const SpawnExpr& spawn);
  void closure(const ClosureExpr& closure);
  void after(List<const Identifier> tickets);

  void block(const Block& block);
  void let(const LetStmt& let);
  void if_chain(const IfStmt& first);
  void match(const MatchStmt& match);
  void storage(const StorageStmt& storage);
  void compact(const CompactStmt& compact);
  void reduce(const ReduceStmt& reduce);
  void scan(const ScanStmt& scan);
  void blocks(const BlocksStmt& blocks);
  void assembly(const AsmStmt& assembly);

  void signature(const Signature& signature);
  void ceiling(const Ceiling& ceiling);
  void implements(const Implements& implements);
  void function(const FunctionDecl& function);
  void record(const RecordDecl& record);
  void field(const Field& field);
  void sum(const SumDecl& sum);
  void trait(const TraitDecl& trait);
  void foreign(const ExternDecl& foreign);
  void import(const ImportDecl& import);
  void plan(const PlanDecl& plan);
  void derive(const DeriveDecl& derive);
  void recipe(const RecipeDecl& recipe);
  void recipe_items(List<const RecipeItem> items);
  void recipe_item(const RecipeItem& item);
  void recipe_fields(List<const RecipeField> fields);
  void visibility(bool is_public) { text(is_public ? "pub " : ""); }

  const NameTable& names_;
  std::string& out_;
  int indent_;
};

}  // namespace cairn::syntax
