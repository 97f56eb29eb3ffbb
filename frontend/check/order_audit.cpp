#include "frontend/check/order_audit.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "frontend/check/checker.hpp"
#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/row_graph.hpp"
#include "frontend/check/rows.hpp"
#include "frontend/check/tree_walk.hpp"
#include "frontend/diagnostics/call_text.hpp"

namespace cairn::checked {

namespace {

/// Looks through what keeps a root: try, spawn, a prefix operator, a numeric conversion.
const Expr* inside_prefix(const Expr& expression) {
  switch (expression.kind) {
    case ExprKind::Try:
      return expression.as<TryExpr>().operand;
    case ExprKind::Spawn:
      return expression.as<SpawnExpr>().call;
    case ExprKind::Unary:
      return expression.as<UnaryExpr>().operand;
    case ExprKind::Convert:
      return expression.as<ConvertExpr>().operand;
    default:
      return nullptr;
  }
}

bool is_constructor(ExprKind kind) { return kind == ExprKind::Record || kind == ExprKind::Variant; }

/// Everything written as a call; the record and variant constructors among them.
bool is_call(ExprKind kind) {
  switch (kind) {
    case ExprKind::Call:
    case ExprKind::CallValue:
    case ExprKind::CallDyn:
    case ExprKind::Builtin:
    case ExprKind::Convert:
    case ExprKind::Length:
    case ExprKind::Take:
    case ExprKind::Swap:
    case ExprKind::Record:
    case ExprKind::Variant:
    case ExprKind::BufNew:
    case ExprKind::DynNew:
    case ExprKind::Print:
    case ExprKind::Format:
    case ExprKind::Assert:
    case ExprKind::AssertEqual:
    case ExprKind::Transfer:
    case ExprKind::Machine:
    case ExprKind::LayoutQuery:
    case ExprKind::Concurrent:
      return true;
    default:
      return false;
  }
}

/// An operand whose own guard may fail, whatever its type.
bool is_guarded(const Expr& expression) {
  switch (expression.kind) {
    case ExprKind::Element:
    case ExprKind::Part:
      return true;
    case ExprKind::Unary:
      return expression.as<UnaryExpr>().op == UnaryOp::Negate;
    case ExprKind::Binary: {
      const BinaryOp op = expression.as<BinaryExpr>().op;
      return op == BinaryOp::Add || op == BinaryOp::Subtract || op == BinaryOp::Multiply || op == BinaryOp::Divide ||
             op == BinaryOp::Remainder;
    }
    default:
      return false;
  }
}

bool is_place_step(ExprKind kind) {
  return kind == ExprKind::Local || kind == ExprKind::Field || kind == ExprKind::Element;
}

/// A named place: its local and the steps from there.
struct NamedPlace {
  struct Step {
    bool is_element = false;
    bool is_known = false;  // a field, or an element at a literal index
    std::uint64_t index = 0;
  };
  const Local* local = nullptr;
  std::vector<Step> steps;
};

NamedPlace named_place(const Expr& expression) {
  NamedPlace place;
  const Expr* at = &expression;
  for (;;) {
    switch (at->kind) {
      case ExprKind::Local:
        place.local = at->as<LocalExpr>().local;
        std::ranges::reverse(place.steps);
        return place;
      case ExprKind::Field:
        place.steps.push_back({false, true, at->as<FieldExpr>().index});
        at = at->as<FieldExpr>().base;
        break;
      case ExprKind::Element: {
        const Expr& index = *at->as<ElementExpr>().index;
        const bool is_literal = index.kind == ExprKind::Integer;
        place.steps.push_back({true, is_literal, is_literal ? index.as<IntegerExpr>().bits : 0});
        at = at->as<ElementExpr>().base;
        break;
      }
      case ExprKind::ViewOf:
        at = at->as<ViewOfExpr>().place;
        break;
      case ExprKind::Part:
        place.steps.clear();
        at = at->as<PartExpr>().base;
        break;
      default:
        return {};
    }
  }
}

/// Whether two places of one expression may be the same storage, or one holds the other.
bool overlap(const NamedPlace& a, const NamedPlace& b) {
  if (a.local != b.local) return false;
  const std::size_t common = std::min(a.steps.size(), b.steps.size());
  for (std::size_t k = 0; k < common; ++k) {
    const auto& left = a.steps[k];
    const auto& right = b.steps[k];
    if (left.is_element == right.is_element && left.is_known && right.is_known && left.index != right.index)
      return false;
  }
  return true;
}

/// One expression as a list of its nodes, outer before inner, left before right.
class Audit {
 public:
  Audit(Checker& checker, const RowGraph& rows) : checker_(checker), rows_(rows) {}

  /// Judges one whole expression; null when its order cannot be told.
  std::optional<Diagnostic> judge(const Expr& expression, bool may_have_root) {
    nodes_.clear();
    list(expression);
    if (!interesting_) return std::nullopt;
    std::size_t root = kNone;
    free_tries_.clear();
    if (may_have_root) find_root(expression, root);
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      const Expr& node = *nodes_[at].expression;
      if (node.kind == ExprKind::Try && std::ranges::find(free_tries_, &node) == free_tries_.end()) {
        if (auto refused = abandoned_owner(at)) return refused;
      }
      if (at == root || !is_call(node.kind)) continue;
      if (auto refused = nested_call(at)) return refused;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Node {
    const Expr* expression = nullptr;
    std::size_t end = 0;    // one past the last node inside it
    bool is_quiet = false;  // an extent that was left out: no call anyone wrote
    bool is_place = false;  // the whole of a named place
  };

  void list(const Expr& expression) {
    struct Task {
      const Expr* expression;
      std::size_t opened;  // kNone: still to be listed; else the node to close
      bool is_quiet;
      bool is_place;
    };
    interesting_ = false;
    std::vector<Task> tasks{{&expression, kNone, false, is_place_step(expression.kind)}};
    std::vector<Task> operands;
    while (!tasks.empty()) {
      const Task task = tasks.back();
      tasks.pop_back();
      if (task.opened != kNone) {
        nodes_[task.opened].end = nodes_.size();
        continue;
      }
      const Expr& node = *task.expression;
      tasks.push_back({nullptr, nodes_.size(), false, false});
      nodes_.push_back({&node, 0, task.is_quiet, task.is_place});
      interesting_ = interesting_ || may_matter(node);
      operands.clear();
      const bool chain = is_place_step(node.kind) || node.kind == ExprKind::ViewOf || node.kind == ExprKind::Part;
      for_each_operand(node, [&](const Expr& operand) {
        // The base of a field, element, view or part is no place of its own: the whole is.
        const bool continues = chain && operands.empty();
        operands.push_back(
            {&operand, kNone, is_left_out(node, operands.size(), operand), !continues && starts_place(operand.kind)});
      });
      tasks.insert(tasks.end(), operands.rbegin(), operands.rend());
    }
  }

  static bool starts_place(ExprKind kind) {
    return is_place_step(kind) || kind == ExprKind::ViewOf || kind == ExprKind::Part;
  }

  /// `f(v)` means `f(len(v), v)`, but nobody wrote that call.
  static bool is_left_out(const Expr& call, std::size_t argument, const Expr& operand) {
    if (operand.kind == ExprKind::PartExtent) return true;
    if (call.kind != ExprKind::Call || operand.kind != ExprKind::Length) return false;
    const FunctionInfo* info = call.as<CallExpr>().callee->info;
    return info != nullptr && argument < info->implied.size() && info->implied[argument];
  }

  /// Most expressions hold nothing any rule could refuse.
  bool may_matter(const Expr& node) const {
    switch (node.kind) {
      case ExprKind::Try:
      case ExprKind::Take:
      case ExprKind::Swap:
      case ExprKind::Closure:
      case ExprKind::CallValue:
      case ExprKind::CallDyn:
      case ExprKind::Transfer:
      case ExprKind::Machine:
      case ExprKind::Concurrent:
        return true;
      case ExprKind::Load:
        return node.as<LoadExpr>().moves;
      case ExprKind::Call:
        return writes_or_allocates(node) || is_observable_call(node);
      default:
        return false;
    }
  }

  void find_root(const Expr& expression, std::size_t& root) {
    const Expr* at = &expression;
    std::size_t node = 0;  // a prefix's operand is the node right after it
    while (true) {
      if (at->kind == ExprKind::Try) free_tries_.push_back(at);
      const Expr* inner = inside_prefix(*at);
      if (inner == nullptr) break;
      at = inner;
      ++node;
    }
    if (is_call(at->kind)) root = node;
  }

  [[nodiscard]] bool beside(std::size_t a, std::size_t b) const { return nodes_[a].end <= b || nodes_[b].end <= a; }

  // ----------------------------------------------------------------------------------------------------------------
  // rows

  Row row_of(const Expr& call) const {
    if (call.kind == ExprKind::Call && call.as<CallExpr>().callee->row != nullptr)
      return *call.as<CallExpr>().callee->row;
    if (call.kind == ExprKind::CallDyn)
      return rows_.dynamic_row(*call.as<CallDynExpr>().trait, call.as<CallDynExpr>().member);
    return {};
  }

  bool writes_or_allocates(const Expr& call) const {
    if (call.kind == ExprKind::Concurrent) {
      const ConcurrentOp op = call.as<ConcurrentExpr>().op;
      return is_element_update(op) || op == ConcurrentOp::StoreWide || op == ConcurrentOp::MatrixMultiply ||
             op == ConcurrentOp::FragmentStore || is_ring_request(op);
    }
    if (call.kind != ExprKind::Call && call.kind != ExprKind::CallDyn) return false;
    const Row row = row_of(call);
    return any(row.writes) || row.has(Label::Alloc);
  }

  bool is_observable_call(const Expr& call) const {
    switch (call.kind) {
      case ExprKind::CallValue:
      case ExprKind::Transfer:
      case ExprKind::Machine:
        return true;
      case ExprKind::Call:
      case ExprKind::CallDyn:
        return is_observable(row_of(call), checker_.names());
      case ExprKind::Concurrent: {
        const ConcurrentOp op = call.as<ConcurrentExpr>().op;
        return is_atomic(op) || op == ConcurrentOp::MutexWith || op == ConcurrentOp::RingNew;
      }
      default:
        return false;
    }
  }

  // ---------------------------------------------------------------------------------------------------------------
  // rules

  std::optional<Diagnostic> nested_call(std::size_t at) {
    const Expr& call = *nodes_[at].expression;
    if (writes_or_allocates(call)) return refused(call, what_it_writes(call) + " inside a larger expression");
    if (const Local* place = changes_a_named_place(at)) {
      return refused(call, "changes " + name_of(*place) + ", which the same expression names elsewhere");
    }
    if (!is_observable_call(call)) return std::nullopt;
    for (std::size_t other = 0; other < nodes_.size(); ++other) {
      if (other == at || nodes_[other].is_quiet || !beside(at, other)) continue;
      const Expr& operand = *nodes_[other].expression;
      if (is_call(operand.kind) && !is_constructor(operand.kind)) {
        return refused(call, "can be seen from outside, and another call stands beside it");
      }
      if (is_guarded(operand)) return refused(call, "can be seen from outside, and an operand beside it may trap");
    }
    return std::nullopt;
  }

  /// Rule 2: what the call moves, takes, swaps or lets a closure write, when it is named elsewhere in the expression.
  const Local* changes_a_named_place(std::size_t at) const {
    const Expr& call = *nodes_[at].expression;
    const Local* found = nullptr;
    const auto changes = [&](const Expr& place, const Expr& mention) {
      if (found == nullptr && is_named_elsewhere(named_place(place), mention)) found = named_place(place).local;
    };
    switch (call.kind) {
      case ExprKind::Take:
        changes(*call.as<TakeExpr>().place, call);
        break;
      case ExprKind::Swap:
        changes(*call.as<SwapExpr>().left, call);
        changes(*call.as<SwapExpr>().right, call);
        break;
      default:
        for_each_operand(call, [&](const Expr& argument) {
          if (argument.kind == ExprKind::Load && argument.as<LoadExpr>().moves) {
            changes(*argument.as<LoadExpr>().place, argument);
          }
          if (argument.kind == ExprKind::Closure) {
            for (const Local* written : written_captures(*argument.as<ClosureExpr>().body)) {
              if (found == nullptr && is_named_elsewhere({written, {}}, argument)) found = written;
            }
          }
        });
    }
    return found;
  }

  static std::vector<const Local*> written_captures(const Function& closure) {
    std::vector<const Local*> written;
    if (closure.row == nullptr) return written;
    for (std::size_t k = 0; k < closure.captures.size(); ++k) {
      if (contains(closure.row->writes, closure.parameters.size() + k)) written.push_back(closure.captures[k]);
    }
    return written;
  }

  /// `mention` is where the changed place itself stands: what is inside it does not count.
  bool is_named_elsewhere(const NamedPlace& place, const Expr& mention) const {
    if (place.local == nullptr) return false;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const Expr& node = *nodes_[k].expression;
      if (&node == &mention) {
        k = nodes_[k].end - 1;
        continue;
      }
      if (nodes_[k].is_place && overlap(place, named_place(node))) return true;
      if (node.kind == ExprKind::Closure) {
        const auto& captures = node.as<ClosureExpr>().body->captures;
        if (std::ranges::find(captures, place.local) != captures.end()) return true;
      }
    }
    return false;
  }

  /// A try that leaves while an operand beside it owns something abandons that.
  std::optional<Diagnostic> abandoned_owner(std::size_t at) const {
    for (std::size_t other = 0; other < nodes_.size(); ++other) {
      if (!beside(at, other)) continue;
      const Expr& operand = *nodes_[other].expression;
      if (operand.type == nullptr || operand.type->ownership == Ownership::Copy || operand.type->is(TypeKind::Void))
        continue;
      const bool is_moved = operand.kind == ExprKind::Load && operand.as<LoadExpr>().moves;
      if (!is_moved && !is_call(operand.kind)) continue;
      Diagnostic diagnostic;
      diagnostic.code = Code::EffectOrder;
      diagnostic.position = nodes_[at].expression->position;
      diagnostic.message = "This try may leave while an operand beside it holds an owner, which would be abandoned.";
      diagnostic.fix = "Bind what is tried first: let v = try ...;";
      return diagnostic;
    }
    return std::nullopt;
  }

  // ------------------------------------------------------------------------------------------------------------
  // messages

  std::string name_of(const Local& local) const {
    const std::string_view text = checker_.text(local.name);
    return text.empty() ? std::string("a value") : std::string(text);
  }

  std::string_view callee_name(const Expr& call) const {
    switch (call.kind) {
      case ExprKind::Call:
        return checker_.text(call.as<CallExpr>().callee->declaration->name.name);
      case ExprKind::CallDyn: {
        const auto& dynamic = call.as<CallDynExpr>();
        return checker_.text(dynamic.trait->members[dynamic.member].signature->name.name);
      }
      default:
        return {};
    }
  }

  std::string what_it_writes(const Expr& call) const {
    if (call.kind == ExprKind::Concurrent) {
      const Local* local = named_place(*call.as<ConcurrentExpr>().receiver).local;
      return "writes " + (local == nullptr ? std::string("a value") : name_of(*local));
    }
    const Row row = row_of(call);
    std::string written;
    const auto add = [&](const Expr* argument, std::size_t place) {
      if (argument == nullptr || !contains(row.writes, place)) return;
      const Expr* lent = argument->kind == ExprKind::Lend      ? argument->as<LendExpr>().place
                         : argument->kind == ExprKind::LendDyn ? argument->as<LendDynExpr>().place
                                                               : argument;
      const NamedPlace named = named_place(*lent);
      if (named.local != nullptr) written += (written.empty() ? "" : " and ") + name_of(*named.local);
    };
    if (call.kind == ExprKind::Call) {
      const auto& arguments = call.as<CallExpr>().arguments;
      for (std::size_t k = 0; k < arguments.size(); ++k) add(arguments[k], k);
    } else {
      add(call.as<CallDynExpr>().receiver, call.as<CallDynExpr>().receiver_index);
    }
    if (!written.empty()) return "writes " + written;
    return any(row.writes) ? "writes what it is lent" : "allocates";
  }

  Diagnostic refused(const Expr& call, const std::string& why) const {
    const std::string text = call_text(checker_.compilation().sources, call.position, callee_name(call));
    Diagnostic diagnostic;
    diagnostic.code = Code::EffectOrder;
    diagnostic.position = call.position;
    diagnostic.message =
        (text.empty() ? std::string("This call") : text) + " " + why + ", so the order of operands could be seen.";
    const bool has_value = call.type != nullptr && !call.type->is(TypeKind::Void);
    diagnostic.fix = "Put it in a statement of its own before this one: ";
    diagnostic.fix += (has_value ? "let v = " : "") + (text.empty() ? std::string("...") : text) + ";";
    return diagnostic;
  }

  Checker& checker_;
  const RowGraph& rows_;
  std::vector<Node> nodes_;
  std::vector<const Expr*> free_tries_;
  bool interesting_ = false;
};

/// Walks a body and hands each expression of each statement to the audit.
class Bodies {
 public:
  Bodies(Checker& checker, const RowGraph& rows) : audit_(checker, rows) {}

  std::optional<Diagnostic> judge(const Function& function) {
    if (function.body != nullptr) block(*function.body, true);
    return std::move(refused_);
  }

 private:
  void block(const Block& body, bool returns_have_root) {
    for (const Stmt* each : body.statements) {
      if (refused_) return;
      statement(*each, returns_have_root);
    }
  }

  /// A chain of && and || at the top is split into its parts, none of which has a root.
  void whole(const Expr& expression, bool may_have_root) {
    if (refused_) return;
    if (expression.kind == ExprKind::Logical) {
      std::vector<const Expr*> rights;
      const Expr* first = &expression;
      while (first->kind == ExprKind::Logical) {
        rights.push_back(first->as<LogicalExpr>().right);
        first = first->as<LogicalExpr>().left;
      }
      whole(*first, false);
      for (std::size_t k = rights.size(); k-- > 0;) whole(*rights[k], false);
      return;
    }
    refused_ = audit_.judge(expression, may_have_root);
    if (!refused_) closures(expression);
  }

  /// Closures and spawned regions are judged by their own bodies.
  void closures(const Expr& expression) {
    std::vector<const Expr*> work{&expression};
    std::vector<const Expr*> operands;
    while (!work.empty() && !refused_) {
      const Expr& node = *work.back();
      work.pop_back();
      if (node.kind == ExprKind::Closure) block(*node.as<ClosureExpr>().body->body, true);
      if (node.kind == ExprKind::Spawn && node.as<SpawnExpr>().region != nullptr) {
        statement(*node.as<SpawnExpr>().region, true);
      }
      operands.clear();
      for_each_operand(node, [&](const Expr& operand) { operands.push_back(&operand); });
      work.insert(work.end(), operands.rbegin(), operands.rend());
    }
  }

  void compound(const CompoundStmt& statement) {
    // `p op= e` is `p = p op e` with the place found once.
    BinaryExpr implied;
    implied.kind = ExprKind::Binary;
    implied.type = statement.place->type;
    implied.position = statement.place->position;
    implied.op = statement.op;
    LoadExpr read;
    read.kind = ExprKind::Load;
    read.type = statement.place->type;
    read.position = statement.place->position;
    read.place = statement.place;
    implied.left = &read;
    implied.right = statement.value;
    whole(implied, true);
  }

  void statement(const Stmt& root, bool returns_have_root) {
    switch (root.kind) {
      case StmtKind::Compound:
        return compound(root.as<CompoundStmt>());
      case StmtKind::Assign:
        whole(*root.as<AssignStmt>().value, true);
        return whole(*root.as<AssignStmt>().place, false);
      case StmtKind::Return:
        if (root.as<ReturnStmt>().value != nullptr) whole(*root.as<ReturnStmt>().value, returns_have_root);
        return;
      case StmtKind::Compact: {
        const auto& compact = root.as<CompactStmt>();
        if (compact.extent != nullptr) whole(*compact.extent, false);
        if (compact.predicate != nullptr) whole(*compact.predicate, false);
        if (compact.projected != nullptr) whole(*compact.projected, false);
        if (compact.condition != nullptr && compact.condition->body != nullptr) block(*compact.condition->body, false);
        if (compact.yield != nullptr && compact.yield->body != nullptr) block(*compact.yield->body, false);
        return;
      }
      default:
        break;
    }
    for_each_part(
        root, [&](const Expr& value) { whole(value, true); },
        [&](const Block& nested) { block(nested, returns_have_root); },
        [&](const Function& lane) {
          if (lane.body != nullptr) block(*lane.body, true);
        });
  }

  Audit audit_;
  std::optional<Diagnostic> refused_;
};

}  // namespace

std::optional<Diagnostic> audit_operand_order(Checker& checker, const RowGraph& rows, const Function& function) {
  return Bodies(checker, rows).judge(function);
}

}  // namespace cairn::checked
