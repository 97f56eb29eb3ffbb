// The body of a derived gradient (numerics, 8.3, 8.5 and 8.8): the function's own statements, and at every return the
// sweep over what lies on the path to it.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/expand/gradient_facts.hpp"
#include "frontend/expand/gradient_forms.hpp"
#include "frontend/expand/gradient_sweep.hpp"
#include "frontend/expand/tree_maker.hpp"

namespace cairn {

class GradientBody {
 public:
  /// `facts` knows the parameters; `reserved` are the names the signature takes, `taken` every name the function binds.
  GradientBody(const syntax::FunctionDecl& function, GradientFacts& facts, TreeMaker& maker,
               std::unordered_set<Name> reserved, const std::unordered_set<Name>& taken, bool is_on_device);

  /// Throws a Refusal for a statement or expression outside the differentiated forms.
  const syntax::Block* made();

 private:
  using Statements = std::vector<const syntax::Stmt*>;

  /// What a path has done: a local, or a loop or region with the steps of its body.
  struct Step {
    enum class Kind { Let, Reduce, Loop, Region, Store, Add, Subtract };
    Kind kind{};
    const syntax::Stmt* statement = nullptr;
    Name name;                            // Let, Reduce: the local; Store: the view; Add, Subtract: the sum
    const syntax::Expr* value = nullptr;  // what flows; of a reduction its yield
    std::vector<Step> body;               // Loop, Region
  };

  // Statements of the body and its branches.
  /// Makes the statements of a block; true when every path through it returns.
  bool block(const syntax::Block& original, Statements& out);
  void let(const syntax::LetStmt& let, Statements& out);
  bool branch(const syntax::IfStmt& branch, Statements& out);
  void give_back(const syntax::ReturnStmt& statement, Statements& out);
  void loop(const syntax::Stmt& statement, const syntax::Block& body, Name binder, Statements& out);

  // Judging.
  [[noreturn]] void refuse_form(const syntax::Stmt& statement, std::string_view what) const;
  void hold_data(const syntax::Expr* expression, const syntax::Stmt& statement);
  void hold_value(const syntax::Expr& expression, const syntax::Stmt& statement);
  GradientVariable& declare_local(Name name, const syntax::Stmt& statement, bool has_adjoint);
  Step plain_let(const syntax::LetStmt& let);
  Step sum_let(const syntax::LetStmt& let);
  Step reduction(const syntax::LetStmt& let, bool in_lane);
  Step body_step(const syntax::Stmt& statement, Name binder, const syntax::Stmt& loop);
  Step store(const syntax::Stmt& statement, const syntax::Expr& place, const syntax::Expr& value, Name binder,
             const syntax::Stmt& loop);
  Step addition(const syntax::Stmt& statement, Name sum, syntax::BinaryOp op, const syntax::Expr& value,
                const syntax::Stmt& loop);
  void find_sum_loops(const syntax::Block& block);

  // Sweeping.
  void sweep(const syntax::Expr* result, Statements& out);
  void sweep_loop(const Step& loop, Statements& out);
  void sweep_reduction(const Step& reduction, Statements& out);
  void sweep_body(const Step& loop, Statements& out);
  void declare_adjoint(const Step& local, Statements& out);
  [[nodiscard]] bool is_active(Name name) const;

  const syntax::FunctionDecl& function_;
  GradientFacts& facts_;
  TreeMaker& maker_;
  GradientForms forms_;
  GradientSweep sweep_;
  std::unordered_set<Name> reserved_;
  std::unordered_map<Name, const syntax::Stmt*> sum_loops_;  // name -> the first loop that adds into it
  std::unordered_map<Name, const syntax::Stmt*> written_;    // output -> the loop or region that writes it
  std::vector<Step> path_;
  Name lane_;  // of the parallel region being judged
  bool is_on_device_;
};

}  // namespace cairn
