#include "frontend/check/reach.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "frontend/check/syntax_walk.hpp"
#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

using syntax::BinaryOp;
using syntax::Block;
using syntax::Expr;
using syntax::ExprKind;
using syntax::Stmt;
using syntax::StmtKind;

namespace {

constexpr std::uint64_t kWarp = 32;
/// Statements walked before the walk stops being exact: from there on everything differs by thread. Only loops nested
/// many levels deep that keep raising levels get there.
constexpr std::uint64_t kMostVisits = 2'000'000;

ReachLevel larger(const ReachLevel& left, const ReachLevel& right) { return right.reach > left.reach ? right : left; }

}  // namespace

class ReachWalk {
 public:
  ReachWalk(const ReachedBody& body, const ReachNames& names) : names_(names) {
    warps_stay_whole_ = body.first_extent % kWarp == 0;
    for (const syntax::Identifier& name : body.thread_names) {
      levels_[name.name] = {warps_stay_whole_ && first_ ? Reach::Warp : Reach::Thread, nullptr};
      if (!first_) {
        first_ = name.name;
        levels_[name.name].reach = Reach::Thread;
      }
    }
  }

  ReachMap run(const Block& body) {
    walk(body, {});
    return std::move(map_);
  }

 private:
  // ------------------------------------------------------------------------------------------------------ values

  /// Among whom the value of an expression is the same.
  ReachLevel level(const Expr& root) {
    // A chain of left operands is as long as its text.
    std::vector<const syntax::BinaryExpr*> chain;
    const Expr* at = &root;
    for (; at->kind == ExprKind::Binary; at = at->as<syntax::BinaryExpr>().left) {
      const auto& binary = at->as<syntax::BinaryExpr>();
      if (keeps_warps_whole(binary)) break;
      chain.push_back(&binary);
    }
    ReachLevel found = at->kind == ExprKind::Binary ? ReachLevel{Reach::Warp, at} : operand_level(*at);
    for (; !chain.empty(); chain.pop_back()) found = larger(found, level(*chain.back()->right));
    if (found.reach != Reach::Block) found.cause = &root;
    return found;
  }

  ReachLevel operand_level(const Expr& root) {
    switch (root.kind) {
      case ExprKind::Name:
        return level_of(root.as<syntax::NameExpr>().name);
      case ExprKind::Closure:
        return {Reach::Thread, &root};
      case ExprKind::Bracket:
        if (is_private(syntax::root_of(root))) return {Reach::Thread, &root};
        break;
      case ExprKind::Member:
        return level(*root.as<syntax::MemberExpr>().base);
      case ExprKind::Call:
        return call_level(root.as<syntax::CallExpr>());
      default:
        break;
    }
    return level_of_operands(root);
  }

  ReachLevel level_of_operands(const Expr& root) {
    ReachLevel found;
    syntax::for_each_operand(
        root, [&](const Expr& operand) { found = larger(found, level(operand)); }, [](const Block&) {});
    return found;
  }

  ReachLevel call_level(const syntax::CallExpr& call) {
    if (names_.differs(call)) return {Reach::Thread, &call};
    if (is_length(call)) return {};
    ReachLevel found;
    for (const Expr* argument : call.arguments) found = larger(found, level(*argument));
    if (call.callee->kind == ExprKind::Member) {
      found = larger(found, level(*call.callee->as<syntax::MemberExpr>().base));
    }
    if (names_.votes(call)) found.reach = std::min(found.reach, Reach::Warp);
    return found;
  }

  /// A length is a number of the array's, not of its elements.
  bool is_length(const syntax::CallExpr& call) const {
    return call.callee->kind == ExprKind::Name && call.callee->as<syntax::NameExpr>().name == names_.length &&
           call.arguments.size() == 1 && call.arguments.front()->kind == ExprKind::Name &&
           is_private(call.arguments.front()->as<syntax::NameExpr>().name);
  }

  [[nodiscard]] ReachLevel level_of(Name name) const {
    if (is_private(name)) return {Reach::Thread, nullptr};
    const auto known = levels_.find(name);
    return known == levels_.end() ? ReachLevel{} : known->second;
  }
  [[nodiscard]] bool is_private(Name name) const { return private_arrays_.contains(name); }

  bool is_first(const Expr& expression) const {
    return expression.kind == ExprKind::Name && expression.as<syntax::NameExpr>().name == first_;
  }

  /// `t / c`, or a comparison of `t` that splits no warp.
  bool keeps_warps_whole(const syntax::BinaryExpr& binary) {
    if (!warps_stay_whole_) return false;
    const auto whole = [&](const Expr& bound, std::uint64_t more) {
      const auto value = names_.natural(bound);
      return value && (*value + more) % kWarp == 0;
    };
    const bool left = is_first(*binary.left);
    if (left == is_first(*binary.right)) return false;
    const Expr& other = left ? *binary.right : *binary.left;
    switch (binary.op) {
      case BinaryOp::Divide: {
        const auto value = left ? names_.natural(other) : std::nullopt;
        return value && *value > 0 && *value % kWarp == 0;
      }
      case BinaryOp::Less:
      case BinaryOp::GreaterEqual:
        return whole(other, left ? 0 : 1);
      case BinaryOp::Greater:
      case BinaryOp::LessEqual:
        return whole(other, left ? 1 : 0);
      default:
        return false;
    }
  }

  // ------------------------------------------------------------------------------------------------- expressions

  /// Notes what calls inside an expression are reached by, and what they leave in what they are lent.
  void visit(const Expr& root, const ReachLevel& at) {
    if (root.kind == ExprKind::Binary) {
      std::vector<const syntax::BinaryExpr*> chain;
      const Expr* first = &root;
      for (; first->kind == ExprKind::Binary; first = first->as<syntax::BinaryExpr>().left) {
        chain.push_back(&first->as<syntax::BinaryExpr>());
      }
      visit(*first, at);
      ReachLevel left = level(*first);
      for (; !chain.empty(); chain.pop_back()) {
        const syntax::BinaryExpr& binary = *chain.back();
        const bool is_logical = binary.op == BinaryOp::LogicalAnd || binary.op == BinaryOp::LogicalOr;
        visit(*binary.right, is_logical ? larger(at, left) : at);
        left = keeps_warps_whole(binary) ? ReachLevel{Reach::Warp, &binary} : larger(left, level(*binary.right));
        if (left.reach != Reach::Block && left.cause == nullptr) left.cause = &binary;
      }
      return;
    }
    syntax::for_each_operand(
        root, [&](const Expr& operand) { visit(operand, at); },
        [&](const Block& body) { walk(body, larger(at, {Reach::Thread, &root})); });
    if (root.kind == ExprKind::Call) visit_call(root.as<syntax::CallExpr>(), at);
  }

  void visit_call(const syntax::CallExpr& call, const ReachLevel& at) {
    ReachLevel& noted = map_.calls_[call.position.offset];
    noted = larger(noted, at);
    for (const Expr* argument : call.arguments) {
      Reach& value = map_.values_[argument];
      value = std::max(value, level(*argument).reach);
    }
    const auto leave = [&](const Expr& argument) {
      const Name root = syntax::root_of(argument);
      if (root && mutable_.contains(root)) raise(root, larger(larger(at, level(call)), level(argument)));
    };
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      if (names_.writes(call, static_cast<std::int32_t>(k))) leave(*call.arguments[k]);
    }
    if (call.callee->kind == ExprKind::Member && names_.writes(call, -1)) {
      leave(*call.callee->as<syntax::MemberExpr>().base);
    }
  }

  void raise(Name name, const ReachLevel& to) {
    ReachLevel& level = levels_[name];
    level = larger(level, to);
  }

  // -------------------------------------------------------------------------------------------------- statements

  void walk(const Block& body, const ReachLevel& at) {
    for (const Stmt* each : body.statements) statement(*each, at);
  }

  void statement(const Stmt& root, ReachLevel at) {
    if (++visits_ > kMostVisits) at.reach = Reach::Thread;
    ReachLevel& noted = map_.statements_[&root];
    noted = larger(noted, at);
    switch (root.kind) {
      case StmtKind::Let:
        return let(root.as<syntax::LetStmt>(), at);
      case StmtKind::Unpack: {
        const auto& unpack = root.as<syntax::UnpackStmt>();
        visit(*unpack.value, at);
        for (const syntax::Identifier& name : unpack.names)
          bind(name.name, level(*unpack.value), unpack.is_mutable, at);
        return;
      }
      case StmtKind::Assign:
        return assigned(*root.as<syntax::AssignStmt>().place, *root.as<syntax::AssignStmt>().value, at);
      case StmtKind::Compound:
        return assigned(*root.as<syntax::CompoundStmt>().place, *root.as<syntax::CompoundStmt>().value, at);
      case StmtKind::If: {
        const auto& branch = root.as<syntax::IfStmt>();
        visit(*branch.condition, at);
        const ReachLevel in = larger(at, level(*branch.condition));
        walk(*branch.then, in);
        if (branch.otherwise != nullptr) walk(*branch.otherwise, in);
        return;
      }
      case StmtKind::Match: {
        const auto& match = root.as<syntax::MatchStmt>();
        visit(*match.subject, at);
        const ReachLevel subject = level(*match.subject);
        for (const syntax::MatchArm& arm : match.arms) {
          if (arm.has_binder) bind(arm.binder.name, subject, false, at);
          walk(*arm.body, larger(at, subject));
        }
        return;
      }
      case StmtKind::While:
      case StmtKind::ForRange:
      case StmtKind::ForEach:
        return loop(root, at);
      case StmtKind::Break:
      case StmtKind::Continue:
        if (!jumps_.empty()) jumps_.back() = larger(jumps_.back(), at);
        return;
      case StmtKind::Storage:
        private_arrays_.insert(root.as<syntax::StorageStmt>().name.name);
        break;
      case StmtKind::Asm:
        for (const syntax::AsmOperand& operand : root.as<syntax::AsmStmt>().operands) {
          if (operand.value != nullptr) visit(*operand.value, at);
          if (operand.output) bind(operand.name.name, {Reach::Thread, nullptr}, false, at);
        }
        return;
      default:
        break;
    }
    syntax::for_each_part(
        root, [&](const Expr& value) { visit(value, at); }, [&](const Block& nested) { walk(nested, at); });
  }

  void bind(Name name, ReachLevel value, bool is_mutable, const ReachLevel& at) {
    levels_[name] = is_mutable ? larger(value, at) : value;
    if (is_mutable) mutable_.insert(name);
  }

  void let(const syntax::LetStmt& let, const ReachLevel& at) {
    if (let.contracted == nullptr) {
      visit(*let.value, at);
      return bind(let.name.name, level(*let.value), let.is_mutable, at);
    }
    statement(*let.contracted, at);
    ReachLevel value{Reach::Thread, nullptr};
    if (let.contracted->kind == StmtKind::Reduce && let.contracted->as<syntax::ReduceStmt>().warp) {
      value = level(*let.contracted->as<syntax::ReduceStmt>().yield);
      value.reach = std::min(value.reach, Reach::Warp);
    }
    bind(let.name.name, value, let.is_mutable, at);
  }

  void assigned(const Expr& place, const Expr& value, const ReachLevel& at) {
    visit(value, at);
    visit(place, at);
    const Name root = syntax::root_of(place);
    if (root && mutable_.contains(root)) raise(root, larger(larger(level(place), level(value)), at));
  }

  // ------------------------------------------------------------------------------------------------------- loops

  void loop(const Stmt& root, const ReachLevel& at) {
    const Block& body = body_of(root);
    if (waits_in(body)) require_no_jump(body);
    while (true) {
      const auto before = levels_;
      const ReachLevel inner = larger(at, head(root, at));
      jumps_.push_back(inner);
      walk(body, inner);
      const ReachLevel jump = jumps_.back();
      if (jump.reach > inner.reach) walk(body, jump);
      jumps_.pop_back();
      if (root.kind == StmtKind::While) {
        visit(*root.as<syntax::WhileStmt>().condition, larger(jump, level(*root.as<syntax::WhileStmt>().condition)));
      }
      if (visits_ > kMostVisits || same(before, levels_)) return;
    }
  }

  static const Block& body_of(const Stmt& loop) {
    switch (loop.kind) {
      case StmtKind::While:
        return *loop.as<syntax::WhileStmt>().body;
      case StmtKind::ForRange:
        return *loop.as<syntax::ForRangeStmt>().body;
      default:
        return *loop.as<syntax::ForEachStmt>().body;
    }
  }

  /// Visits the bounds or condition of a loop and gives their level; binds its names.
  ReachLevel head(const Stmt& root, const ReachLevel& at) {
    ReachLevel inner;
    if (root.kind == StmtKind::While) {
      const Expr& condition = *root.as<syntax::WhileStmt>().condition;
      visit(condition, at);
      return level(condition);
    }
    if (root.kind == StmtKind::ForRange) {
      const auto& range = root.as<syntax::ForRangeStmt>();
      for (const Expr* bound : {range.lo, range.hi}) {
        if (bound == nullptr) continue;
        visit(*bound, at);
        inner = larger(inner, level(*bound));
      }
      bind(range.binder.name, larger(at, inner), false, at);
      return inner;
    }
    const auto& each = root.as<syntax::ForEachStmt>();
    visit(*each.subject, at);
    const ReachLevel subject = level(*each.subject);
    if (!is_private(syntax::root_of(*each.subject))) inner = subject;
    if (each.has_index) bind(each.index.name, larger(at, inner), false, at);
    bind(each.binder.name, larger(larger(at, inner), subject), false, at);
    return inner;
  }

  static bool same(const std::unordered_map<Name, ReachLevel>& left,
                   const std::unordered_map<Name, ReachLevel>& right) {
    if (left.size() != right.size()) return false;
    return std::ranges::all_of(left, [&](const auto& each) {
      const auto found = right.find(each.first);
      return found != right.end() && found->second.reach == each.second.reach;
    });
  }

  /// Whether the block waits somewhere in a body: a barrier, or a pipeline's wait.
  bool waits_in(const Block& body) {
    return std::ranges::any_of(body.statements, [&](const Stmt* each) {
      if (each->kind == StmtKind::Barrier) return true;
      bool found = false;
      const std::function<void(const Expr&)> search = [&](const Expr& value) {
        if (value.kind == ExprKind::Call) found = found || names_.waits(value.as<syntax::CallExpr>());
      };
      syntax::for_each_part(*each, search, [&](const Block& nested) { found = found || waits_in(nested); });
      return found;
    });
  }

  static void require_no_jump(const Block& body) {
    for (const Stmt* each : body.statements) {
      switch (each->kind) {
        case StmtKind::Break:
        case StmtKind::Continue:
          refuse(Code::CoopBarrier, each->position,
                 std::string(each->kind == StmtKind::Break ? "break" : "continue") +
                     " would let a thread skip a barrier of this loop, and the others would wait for it there: let "
                     "every thread run the loop to its end, and put what some of them do under a condition.");
        case StmtKind::While:
        case StmtKind::ForRange:
        case StmtKind::ForEach:
          break;
        default:
          syntax::for_each_part(*each, [](const Expr&) {}, [](const Block& nested) { require_no_jump(nested); });
          break;
      }
    }
  }

  const ReachNames& names_;
  Name first_;                     // the first thread name
  bool warps_stay_whole_ = false;  // its extent is a multiple of 32
  std::unordered_map<Name, ReachLevel> levels_;
  std::unordered_set<Name> mutable_;
  std::unordered_set<Name> private_arrays_;  // `stack` and `buffer` arrays of the body
  std::vector<ReachLevel> jumps_;            // of the loops around
  std::uint64_t visits_ = 0;
  ReachMap map_;
};

ReachLevel ReachMap::of(const Stmt& statement) const {
  const auto known = statements_.find(&statement);
  return known == statements_.end() ? ReachLevel{Reach::Thread, nullptr} : known->second;
}

ReachLevel ReachMap::of_call(Position call) const {
  const auto known = calls_.find(call.offset);
  return known == calls_.end() ? ReachLevel{Reach::Thread, nullptr} : known->second;
}

Reach ReachMap::value_of(const Expr& operand) const {
  const auto known = values_.find(&operand);
  return known == values_.end() ? Reach::Thread : known->second;
}

ReachMap reach_of(const ReachedBody& body, const ReachNames& names) { return ReachWalk(body, names).run(*body.body); }

}  // namespace cairn
