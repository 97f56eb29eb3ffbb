#include "frontend/expand/gradient_body.hpp"

#include <string>
#include <utility>

#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

using namespace syntax;

using Role = GradientVariable::Role;

GradientBody::GradientBody(const FunctionDecl& function, GradientFacts& facts, TreeMaker& maker,
                           std::unordered_set<Name> reserved, const std::unordered_set<Name>& taken, bool is_on_device)
    : function_(function),
      facts_(facts),
      maker_(maker),
      forms_(facts),
      sweep_(facts, maker, taken),
      reserved_(std::move(reserved)),
      is_on_device_(is_on_device) {}

const Block* GradientBody::made() {
  find_sum_loops(*function_.body);
  Statements out;
  const bool returns = block(*function_.body, out);
  if (!returns && function_.signature.result == nullptr) sweep(nullptr, out);
  return maker_.block(out);
}

// ------------------------------------------------------------------------------------------------------------- judging

void GradientBody::refuse_form(const Stmt& statement, std::string_view what) const {
  refuse(Code::GradForm, statement.position, std::string(what));
}

void GradientBody::hold_data(const Expr* expression, const Stmt& statement) {
  if (expression != nullptr) forms_.hold_readable(*expression, statement.position);
}

void GradientBody::hold_value(const Expr& expression, const Stmt& statement) {
  hold_data(&expression, statement);
  if (facts_.of(expression).active) forms_.hold_differentiable(expression, lane_.id != 0);
  if (lane_) forms_.hold_own_elements(expression, lane_);
}

bool GradientBody::is_active(Name name) const {
  const GradientVariable* variable = facts_.variable(name);
  return variable != nullptr && variable->active;
}

/// A local's name is new, and so is its adjoint's where it needs one (8.3).
GradientVariable& GradientBody::declare_local(Name name, const Stmt& statement, bool has_adjoint) {
  const Name adjoint = sweep_.adjoint_of(name);
  const NameTable& names = facts_.program().names;
  const auto refuse_taken = [&](Name taken) {
    refuse(Code::DeriveCollision, statement.position,
           "The gradient of " + std::string(names.text(function_.name.name)) + " uses the name " +
               std::string(names.text(taken)) + " itself. Rename the local " + std::string(names.text(name)) + ".");
  };
  if (reserved_.contains(name)) refuse_taken(name);
  if (has_adjoint && reserved_.contains(adjoint)) refuse_taken(adjoint);
  reserved_.insert(name);
  reserved_.insert(adjoint);
  return facts_.declare(name, {});
}

void GradientBody::find_sum_loops(const Block& block) {
  const auto enter = [&](const Block* nested) {
    if (nested != nullptr) find_sum_loops(*nested);
  };
  for (const Stmt* statement : block.statements) {
    if (statement->kind == StmtKind::If) {
      enter(statement->as<IfStmt>().then);
      enter(statement->as<IfStmt>().otherwise);
    }
    if (statement->kind != StmtKind::ForRange) continue;
    for (const Stmt* inner : statement->as<ForRangeStmt>().body->statements) {
      const Expr* place = inner->kind == StmtKind::Compound ? inner->as<CompoundStmt>().place
                          : inner->kind == StmtKind::Assign ? inner->as<AssignStmt>().place
                                                            : nullptr;
      if (place != nullptr && place->kind == ExprKind::Name) {
        sum_loops_.emplace(place->as<NameExpr>().name, statement);
      }
    }
  }
}

// ----------------------------------------------------------------------------------------------------------- locals

GradientBody::Step GradientBody::plain_let(const LetStmt& let) {
  hold_value(*let.value, let);
  const ExpressionFacts facts = facts_.of(*let.value);
  ValueKind kind = facts.kind == ValueKind::FloatLiteral     ? ValueKind::F64
                   : facts.kind == ValueKind::IntegerLiteral ? ValueKind::Integer
                                                             : facts.kind;
  if (let.type != nullptr) kind = facts_.program().kind_of(*let.type);
  if (facts.active && !is_float(kind)) {
    refuse_form(let,
                "A local that a derivative flows through is an f32 or f64. Compute this from what is not "
                "differentiated.");
  }
  GradientVariable& local = declare_local(let.name.name, let, facts.active);
  local.role = facts.active ? Role::Value : Role::Data;
  local.active = facts.active;
  local.kind = kind;
  local.type = let.type;
  return {Step::Kind::Let, &let, let.name.name, let.value, {}};
}

/// `let mut s:T = e;`: a sum that one later loop adds into.
GradientBody::Step GradientBody::sum_let(const LetStmt& let) {
  hold_value(*let.value, let);
  const ExpressionFacts facts = facts_.of(*let.value);
  const ValueKind kind = let.type != nullptr ? facts_.program().kind_of(*let.type) : facts.kind;
  if (!is_float(kind)) {
    refuse_form(let,
                "A let mut of a differentiated function is a sum, an f32 or f64 with its type written, that one "
                "for loop adds into.");
  }
  GradientVariable& sum = declare_local(let.name.name, let, true);
  sum.role = Role::Sum;
  sum.active = facts.active;
  sum.kind = kind;
  sum.type = let.type;
  if (const auto found = sum_loops_.find(let.name.name); found != sum_loops_.end()) sum.loop = found->second;
  return {Step::Kind::Let, &let, let.name.name, let.value, {}};
}

GradientBody::Step GradientBody::reduction(const LetStmt& let, bool in_lane) {
  if (let.is_mutable || let.contracted->kind != StmtKind::Reduce) {
    refuse_form(let, "A gradient is derived through let, if, return, for, parallel and reduce + alone.");
  }
  const auto& reduce = let.contracted->as<ReduceStmt>();
  if (reduce.has_target || reduce.warp || in_lane) {
    refuse_form(let,
                "A gradient is derived through a reduction over an index into a local. Write let s = reduce + for.");
  }
  hold_data(reduce.extent, let);
  facts_.declare(reduce.binder.name, {.kind = ValueKind::Integer});
  hold_value(*reduce.yield, let);
  const ExpressionFacts facts = facts_.of(*reduce.yield);
  if (facts.active && reduce.reducer != Reducer::Add) {
    refuse_form(let, "A derivative flows through reduce + alone. Write a product or another reduction as a formula.");
  }
  ValueKind kind = facts.kind == ValueKind::FloatLiteral ? ValueKind::F64 : facts.kind;
  if (let.type != nullptr) kind = facts_.program().kind_of(*let.type);
  if (facts.active && !is_float(kind)) {
    refuse_form(let, "A reduction that a derivative flows through is of f32 or f64.");
  }
  GradientVariable& local = declare_local(let.name.name, let, facts.active);
  local.role = facts.active ? Role::Value : Role::Data;
  local.active = facts.active;
  local.kind = kind;
  local.type = let.type;
  return {Step::Kind::Reduce, &let, let.name.name, reduce.yield, {}};
}

// ---------------------------------------------------------------------------------------------------- loops and
// regions

GradientBody::Step GradientBody::store(const Stmt& statement, const Expr& place, const Expr& value, Name binder,
                                       const Stmt& loop) {
  const auto& element = place.as<BracketExpr>();
  const GradientVariable* output = facts_.named(*element.base);
  const Expr* index = element.arguments.size() == 1 ? element.arguments.front() : nullptr;
  const bool is_own = index != nullptr && index->kind == ExprKind::Name && index->as<NameExpr>().name == binder;
  if (output == nullptr || output->role != Role::Output || !is_own) {
    refuse_form(statement, "A loop of a differentiated function writes an output at its own index, out[i] = e.");
  }
  const Name name = element.base->as<NameExpr>().name;
  const auto [found, is_first] = written_.emplace(name, &loop);
  if (!is_first) {
    refuse_form(statement, std::string(facts_.program().names.text(name)) +
                               " is written before. One loop or region writes an output, each element once.");
  }
  hold_value(value, statement);
  return {Step::Kind::Store, &statement, name, &value, {}};
}

GradientBody::Step GradientBody::addition(const Stmt& statement, Name name, BinaryOp op, const Expr& value,
                                          const Stmt& loop) {
  GradientVariable* sum = facts_.variable(name);
  if (sum == nullptr || sum->role != Role::Sum || sum->loop != &loop) {
    refuse_form(statement, "A differentiated function adds into a let mut, in one for loop after it. Use a let.");
  }
  hold_value(value, statement);
  if (facts_.of(value).active && !sum->active) sum->active = true;
  return {op == BinaryOp::Add ? Step::Kind::Add : Step::Kind::Subtract, &statement, name, &value, {}};
}

GradientBody::Step GradientBody::body_step(const Stmt& statement, Name binder, const Stmt& loop) {
  const auto is_sum_operator = [](BinaryOp op) { return op == BinaryOp::Add || op == BinaryOp::Subtract; };
  switch (statement.kind) {
    case StmtKind::Let: {
      const auto& let = statement.as<LetStmt>();
      if (let.contracted != nullptr) return reduction(let, lane_.id != 0);
      if (let.is_mutable) break;
      return plain_let(let);
    }
    case StmtKind::Compound: {
      const auto& compound = statement.as<CompoundStmt>();
      if (compound.place->kind != ExprKind::Name || !is_sum_operator(compound.op)) break;
      return addition(statement, compound.place->as<NameExpr>().name, compound.op, *compound.value, loop);
    }
    case StmtKind::Assign: {
      const auto& assign = statement.as<AssignStmt>();
      if (assign.place->kind == ExprKind::Bracket) return store(statement, *assign.place, *assign.value, binder, loop);
      if (assign.place->kind != ExprKind::Name || assign.value->kind != ExprKind::Binary) break;
      const Name name = assign.place->as<NameExpr>().name;
      const auto& sum = assign.value->as<BinaryExpr>();
      if (!is_sum_operator(sum.op) || sum.left->kind != ExprKind::Name || sum.left->as<NameExpr>().name != name) break;
      return addition(statement, name, sum.op, *sum.right, loop);
    }
    default:
      break;
  }
  refuse_form(statement, lane_ ? "A region of a differentiated function holds lets and stores out[i] = e."
                               : "A loop of a differentiated function holds lets, reductions, additions into a sum and "
                                 "stores out[i] = e.");
}

void GradientBody::loop(const Stmt& statement, const Block& body, Name binder, Statements& out) {
  const bool is_region = statement.kind == StmtKind::Parallel;
  Step step{is_region ? Step::Kind::Region : Step::Kind::Loop, &statement, binder, nullptr, {}};
  facts_.declare(binder, {.kind = ValueKind::Integer});
  if (is_region) lane_ = binder;
  std::vector<Name> sums;
  for (const Stmt* inner : body.statements) {
    step.body.push_back(body_step(*inner, binder, statement));
    const Step& made = step.body.back();
    if (made.kind == Step::Kind::Add || made.kind == Step::Kind::Subtract) sums.push_back(made.name);
  }
  lane_ = {};
  for (const Name sum : sums) facts_.variable(sum)->is_complete = true;
  out.push_back(maker_.copy(statement));
  path_.push_back(std::move(step));
}

// ---------------------------------------------------------------------------------------------------------- statements

bool GradientBody::block(const Block& original, Statements& out) {
  for (const Stmt* statement : original.statements) {
    switch (statement->kind) {
      case StmtKind::Let:
        let(statement->as<LetStmt>(), out);
        break;
      case StmtKind::If:
        if (branch(statement->as<IfStmt>(), out)) return true;
        break;
      case StmtKind::Return:
        give_back(statement->as<ReturnStmt>(), out);
        return true;
      case StmtKind::ForRange: {
        const auto& range = statement->as<ForRangeStmt>();
        hold_data(range.lo, range);
        hold_data(range.hi, range);
        loop(range, *range.body, range.binder.name, out);
        break;
      }
      case StmtKind::Parallel: {
        const auto& region = statement->as<ParallelStmt>();
        if (!region.after.empty()) refuse_form(region, "A gradient is not derived through queued work.");
        hold_data(region.extent, region);
        loop(region, *region.body, region.binder.name, out);
        break;
      }
      case StmtKind::ForEach:
        refuse_form(*statement,
                    "A loop over elements has no index for an adjoint. Loop over the index: for i in 0..n.");
      default:
        refuse_form(*statement, "A gradient is derived through let, if, return, for, parallel and reduce + alone.");
    }
  }
  return false;
}

void GradientBody::let(const LetStmt& let, Statements& out) {
  path_.push_back(let.contracted != nullptr ? reduction(let, false) : let.is_mutable ? sum_let(let) : plain_let(let));
  out.push_back(maker_.copy(let));
}

bool GradientBody::branch(const IfStmt& original, Statements& out) {
  hold_data(original.condition, original);
  const std::size_t before = path_.size();
  // A branch that falls through has done nothing, so what it made active is not.
  const auto side = [&](const Block* body, const Block*& made) {
    if (body == nullptr) return false;
    std::vector<std::pair<Name, bool>> activity;
    for (const Step& step : path_) activity.emplace_back(step.name, is_active(step.name));
    Statements statements;
    const bool returns = block(*body, statements);
    for (std::size_t k = before; k < path_.size() && !returns; ++k) {
      if (path_[k].kind == Step::Kind::Loop || path_[k].kind == Step::Kind::Region) {
        refuse_form(original,
                    "A branch that adds into a sum or writes an output ends in a return, so that its sweep has "
                    "a place. Return in the branch, or move the loop out of the if.");
      }
    }
    path_.resize(before);
    for (const auto& [name, active] : activity) {
      if (GradientVariable* variable = facts_.variable(name)) variable->active = active;
    }
    made = maker_.block(statements);
    return returns;
  };
  const Block* then = nullptr;
  const Block* otherwise = nullptr;
  const bool then_returns = side(original.then, then);
  const bool else_returns = side(original.otherwise, otherwise);
  out.push_back(maker_.if_statement(maker_.copy(original.condition), then, otherwise));
  return then_returns && else_returns;
}

void GradientBody::give_back(const ReturnStmt& statement, Statements& out) {
  const bool has_result = function_.signature.result != nullptr;
  if (has_result != (statement.value != nullptr)) {
    refuse_form(statement, has_result ? "This function returns a value, and this return has none."
                                      : "This function returns nothing, and this return has a value.");
  }
  if (statement.value != nullptr) hold_value(*statement.value, statement);
  sweep(statement.value, out);
  out.push_back(maker_.give_back(has_result ? maker_.name(maker_.intern("grad_result")) : nullptr));
}

// ------------------------------------------------------------------------------------------------------------ sweeping

void GradientBody::declare_adjoint(const Step& local, Statements& out) {
  const GradientVariable* variable = facts_.variable(local.name);
  const TypeExpr* type = variable->type != nullptr ? maker_.copy(variable->type) : sweep_.type_of(variable->kind);
  out.push_back(maker_.let(sweep_.adjoint_of(local.name), type, maker_.decimal("0.0"), true));
}

void GradientBody::sweep(const Expr* result, Statements& out) {
  const auto is_local = [](const Step& step) {
    return step.kind == Step::Kind::Let || step.kind == Step::Kind::Reduce;
  };
  if (result != nullptr) {
    out.push_back(
        maker_.let(maker_.intern("grad_result"), maker_.copy(function_.signature.result), maker_.copy(result)));
  }
  for (const Step& step : path_) {
    if (is_local(step) && is_active(step.name)) declare_adjoint(step, out);
  }
  if (result != nullptr) sweep_.flow(*result, maker_.name(maker_.intern("seed")), out);
  for (std::size_t k = path_.size(); k-- > 0;) {
    const Step& step = path_[k];
    switch (step.kind) {
      case Step::Kind::Let:
        if (is_active(step.name)) sweep_.flow(*step.value, maker_.name(sweep_.adjoint_of(step.name)), out);
        break;
      case Step::Kind::Reduce:
        sweep_reduction(step, out);
        break;
      default:
        sweep_loop(step, out);
    }
  }
}

void GradientBody::sweep_reduction(const Step& reduction, Statements& out) {
  if (!is_active(reduction.name)) return;
  const auto& reduce = reduction.statement->as<LetStmt>().contracted->as<ReduceStmt>();
  Statements body;
  sweep_.flow(*reduction.value, maker_.name(sweep_.adjoint_of(reduction.name)), body);
  if (body.empty()) return;
  out.push_back(maker_.loop(reduce.binder.name, maker_.natural(0), maker_.copy(reduce.extent), body));
}

/// The lets once more, then the statements from the last to the first.
void GradientBody::sweep_body(const Step& loop, Statements& out) {
  const auto is_local = [](const Step& step) {
    return step.kind == Step::Kind::Let || step.kind == Step::Kind::Reduce;
  };
  sweep_.inner.clear();
  sweep_.added = false;
  for (const Step& step : loop.body) {
    if (is_local(step)) out.push_back(maker_.copy(*step.statement));
  }
  for (const Step& step : loop.body) {
    if (!is_local(step) || !is_active(step.name)) continue;
    declare_adjoint(step, out);
    sweep_.inner.insert(step.name);
  }
  for (std::size_t k = loop.body.size(); k-- > 0;) {
    const Step& step = loop.body[k];
    if (step.kind == Step::Kind::Reduce) {
      sweep_reduction(step, out);
      continue;
    }
    if (!facts_.of(*step.value).active) continue;
    const Expr* adjoint = maker_.name(sweep_.adjoint_of(step.name));
    if (step.kind == Step::Kind::Store) adjoint = maker_.element(sweep_.adjoint_of(step.name), maker_.name(loop.name));
    if (step.kind == Step::Kind::Subtract) adjoint = maker_.negative(adjoint);
    sweep_.flow(*step.value, adjoint, out);
  }
  sweep_.inner.clear();
}

void GradientBody::sweep_loop(const Step& step, Statements& out) {
  if (step.kind == Step::Kind::Loop) {
    const auto& range = step.statement->as<ForRangeStmt>();
    Statements body;
    sweep_body(step, body);
    if (!sweep_.added) return;
    const Expr* lo = range.lo != nullptr ? maker_.copy(range.lo) : maker_.natural(0);
    out.push_back(maker_.loop(step.name, lo, maker_.copy(range.hi), body));
    return;
  }
  const auto& region = step.statement->as<ParallelStmt>();
  Statements elements;
  sweep_.set_pass(SweepPass::Elements);
  sweep_body(step, elements);
  if (sweep_.added) out.push_back(maker_.region(step.name, maker_.copy(region.extent), elements));
  Statements scalars;
  sweep_.set_pass(SweepPass::Scalars);
  sweep_body(step, scalars);
  sweep_.set_pass(SweepPass::All);
  if (!sweep_.added) return;
  if (is_on_device_) {
    refuse_form(region,
                "A derivative flows from this region into a scalar, which the host cannot gather from device "
                "memory. Leave the scalar out of the list of the derive.");
  }
  out.push_back(maker_.loop(step.name, maker_.natural(0), maker_.copy(region.extent), scalars));
}

}  // namespace cairn
