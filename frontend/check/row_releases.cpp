// Where a body releases heap storage (ownership and memory, 7.6): for the effect `free`, which is charged where a
// release may run. A local is not released where it was certainly moved; on joining paths only what every one of them
// moved is.
#include <algorithm>
#include <vector>

#include "frontend/check/row_collection.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn::checked {

bool HeapTypes::holds_heap(const Type* type) {
  const auto [entry, is_new] =
      known_.try_emplace(type, false);  // a type that reaches itself does so through a Buf or Dyn
  if (!is_new) return entry->second;
  bool holds = false;
  switch (type->kind) {
    case TypeKind::Buf:
    case TypeKind::Dyn:
    case TypeKind::Group:
    case TypeKind::IoRing:
      holds = true;
      break;
    case TypeKind::Witness:
      holds = type->ownership != Ownership::Copy;
      break;
    case TypeKind::Array:
    case TypeKind::Mutex:
    case TypeKind::Atomic:
      holds = type->element != nullptr && holds_heap(type->element);
      break;
    case TypeKind::Record:
      for (const RecordField& field : type->record->fields) holds = holds || holds_heap(field.type);
      break;
    case TypeKind::Sum:
      for (const SumVariant& variant : type->sum->variants) {
        holds = holds || (variant.payload != nullptr && holds_heap(variant.payload));
      }
      break;
    default:
      break;
  }
  known_[type] = holds;
  return holds;
}

namespace {

class Releases {
 public:
  Releases(const Function& function, HeapTypes& types) : function_(function), types_(types) {}

  bool found() {
    slots_.assign(function_.locals.size(), -1);
    for (const Local* parameter : function_.parameters) declare(parameter);
    if (function_.body == nullptr) return false;
    if (walk(*function_.body)) leave(0);
    return found_;
  }

 private:
  using State = std::vector<bool>;  // per tracked local: certainly moved

  void declare(const Local* local) {
    if (local == nullptr || local->owner != &function_ || local->type == nullptr) return;
    const bool is_value =
        local->kind == LocalKind::Parameter || local->kind == LocalKind::Let || local->kind == LocalKind::PayloadBinder;
    if (!is_value || !types_.holds_heap(local->type) || local->index >= slots_.size()) return;
    slots_[local->index] = static_cast<std::int32_t>(scope_.size());
    scope_.push_back(local);
    moved_.push_back(false);
  }

  /// Control leaves every scope opened since `depth` locals were in scope: what is not moved is released.
  void leave(std::size_t depth) {
    for (std::size_t k = depth; k < moved_.size(); ++k) found_ = found_ || !moved_[k];
  }

  void close(std::size_t depth) {
    for (std::size_t k = depth; k < scope_.size(); ++k) slots_[scope_[k]->index] = -1;
    scope_.resize(depth);
    moved_.resize(depth);
  }

  void expression(const Expr& root) {
    if (root.kind == ExprKind::Load && root.as<LoadExpr>().moves) {
      const Expr& place = *root.as<LoadExpr>().place;
      if (place.kind == ExprKind::Local) mark(place.as<LocalExpr>().local, true);
      return;
    }
    if (root.kind == ExprKind::Binary) {
      // A chain of left operands may be of any length.
      const Expr* first = &root;
      std::vector<const Expr*> rights;
      while (first->kind == ExprKind::Binary) {
        rights.push_back(first->as<BinaryExpr>().right);
        first = first->as<BinaryExpr>().left;
      }
      expression(*first);
      for (std::size_t k = rights.size(); k-- > 0;) expression(*rights[k]);
      return;
    }
    for_each_operand(root, [&](const Expr& operand) { expression(operand); });
    if (root.kind == ExprKind::Try) leave(0);
  }

  void mark(const Local* local, bool moved) {
    if (local->owner != &function_ || local->index >= slots_.size()) return;
    if (const std::int32_t slot = slots_[local->index]; slot >= 0) moved_[static_cast<std::size_t>(slot)] = moved;
  }

  /// False when control never reaches the end of the block.
  bool walk(const Block& block) {
    const std::size_t depth = scope_.size();
    bool falls = true;
    for (const Stmt* statement : block.statements) {
      if (found_) return true;
      falls = walk(*statement);
      if (!falls) break;
    }
    if (falls) leave(depth);
    close(depth);
    return falls;
  }

  /// Walks one alternative from `before`; joins its end state into `after`.
  void alternative(const Block* block, const Local* binder, const State& before, State& after, bool& any_falls) {
    moved_ = before;
    const std::size_t depth = scope_.size();
    if (binder != nullptr) declare(binder);
    const bool falls = block == nullptr || walk(*block);
    if (falls) leave(depth);
    close(depth);
    if (!falls) return;
    if (!any_falls) {
      after = moved_;
    } else {
      for (std::size_t k = 0; k < after.size(); ++k) after[k] = after[k] && moved_[k];
    }
    any_falls = true;
  }

  void loop(const Block& body) {
    const State before = moved_;
    const std::size_t outer = loop_depth_;
    loop_depth_ = scope_.size();
    walk(body);
    loop_depth_ = outer;
    moved_ = before;
  }

  bool walk(const Stmt& statement) {
    switch (statement.kind) {
      case StmtKind::If: {
        const auto& branch = statement.as<IfStmt>();
        expression(*branch.condition);
        const State before = moved_;
        State after = before;
        bool falls = false;
        alternative(branch.then, nullptr, before, after, falls);
        alternative(branch.otherwise, nullptr, before, after, falls);
        moved_ = after;
        return falls;
      }
      case StmtKind::Match: {
        const auto& match = statement.as<MatchStmt>();
        expression(*match.subject);
        const State before = moved_;
        State after = before;
        bool falls = false;
        for (const MatchArm& arm : match.arms) alternative(arm.body, arm.binder, before, after, falls);
        moved_ = after;
        return falls;
      }
      case StmtKind::While:
        expression(*statement.as<WhileStmt>().condition);
        loop(*statement.as<WhileStmt>().body);
        return true;
      case StmtKind::For:
        loop(*statement.as<ForStmt>().body);
        return true;
      case StmtKind::Block:
        return walk(*statement.as<BlockStmt>().body);
      case StmtKind::Return:
        if (statement.as<ReturnStmt>().value != nullptr) expression(*statement.as<ReturnStmt>().value);
        leave(0);
        return false;
      case StmtKind::Break:
      case StmtKind::Continue:
        leave(loop_depth_);
        return false;
      default:
        break;
    }
    for_each_part(
        statement, [&](const Expr& value) { expression(value); }, [](const Block&) {}, [](const Function&) {});
    if (statement.kind == StmtKind::Let) declare(statement.as<LetStmt>().local);
    if (statement.kind == StmtKind::Unpack) {
      for (const Local* local : statement.as<UnpackStmt>().locals) declare(local);
    }
    if (statement.kind == StmtKind::Assign) assign(*statement.as<AssignStmt>().place);
    return true;
  }

  /// The old value is released unless it was certainly moved before; the name holds a value again.
  void assign(const Expr& place) {
    if (!types_.holds_heap(place.type)) return;
    bool was_moved = false;
    if (place.kind == ExprKind::Local) {
      const Local* local = place.as<LocalExpr>().local;
      const bool is_tracked = local->owner == &function_ && local->index < slots_.size() && slots_[local->index] >= 0;
      was_moved = is_tracked && moved_[static_cast<std::size_t>(slots_[local->index])];
      mark(local, false);
    }
    found_ = found_ || !was_moved;
  }

  const Function& function_;
  HeapTypes& types_;
  std::vector<std::int32_t> slots_;  // local index -> position in scope_, -1: not tracked or not in scope
  std::vector<const Local*> scope_;
  State moved_;
  std::size_t loop_depth_ = 0;
  bool found_ = false;
};

}  // namespace

bool releases_a_local(const Function& function, HeapTypes& types) { return Releases(function, types).found(); }

}  // namespace cairn::checked
