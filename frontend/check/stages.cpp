#include "frontend/check/stages.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn {

namespace {

using checked::Block;
using checked::ConcurrentOp;
using checked::Expr;
using checked::ExprKind;
using checked::Local;
using checked::Stmt;
using checked::StmtKind;

/// A natural of the checked tree: literals, constants and static naturals are numbers there.
std::optional<std::uint64_t> natural(const Expr* e, unsigned nested = 0) {
  constexpr unsigned kMostNested = 500;
  if (e == nullptr) return 0;
  if (nested > kMostNested) return std::nullopt;
  if (e->kind == ExprKind::Integer) return e->as<checked::IntegerExpr>().bits;
  if (e->kind != ExprKind::Binary) return std::nullopt;
  const auto& binary = e->as<checked::BinaryExpr>();
  const auto left = natural(binary.left, nested + 1);
  const auto right = left ? natural(binary.right, nested + 1) : std::nullopt;
  if (!right) return std::nullopt;
  std::uint64_t value = 0;
  switch (binary.op) {
    case syntax::BinaryOp::Add:
      return __builtin_add_overflow(*left, *right, &value) ? std::nullopt : std::optional(value);
    case syntax::BinaryOp::Subtract:
      return *left < *right ? std::nullopt : std::optional(*left - *right);
    case syntax::BinaryOp::Multiply:
      return __builtin_mul_overflow(*left, *right, &value) ? std::nullopt : std::optional(value);
    case syntax::BinaryOp::Divide:
      return *right == 0 ? std::nullopt : std::optional(*left / *right);
    case syntax::BinaryOp::Remainder:
      return *right == 0 ? std::nullopt : std::optional(*left % *right);
    default:
      return std::nullopt;
  }
}

bool operates(const Expr& root) {
  bool found =
      root.kind == ExprKind::Concurrent && checked::is_pipeline_operation(root.as<checked::ConcurrentExpr>().op);
  if (!found) checked::for_each_operand(root, [&](const Expr& operand) { found = found || operates(operand); });
  return found;
}

/// Whether a body has an operation of a pipeline; its expressions are statements, as they give nothing.
bool operates(const Block& block) {
  bool found = false;
  checked::for_each_statement(block, [&](const Stmt& each) {
    if (each.kind == StmtKind::Expression) found = found || operates(*each.as<checked::ExpressionStmt>().value);
  });
  return found;
}

struct Stage {
  std::vector<Position> flight;      // the fills not yet waited for, the oldest first
  std::optional<Position> readable;  // the wait that made a stage readable
  std::vector<Position> reads;       // of the readable stage
  struct Released {
    Position release;
    std::vector<Position> reads;
  };
  std::vector<Released> draining;  // released, with no barrier since
  std::optional<Position> last_release;

  /// What the rules compare.
  using Key = std::array<std::size_t, 3>;
  [[nodiscard]] Key key() const { return {flight.size(), readable ? 1U : 0U, draining.size()}; }
};
using State = std::vector<Stage>;  // by pipeline
using StateKey = std::vector<Stage::Key>;

StateKey key_of(const State& state) {
  StateKey key;
  for (const Stage& each : state) key.push_back(each.key());
  return key;
}

class StageWalk {
 public:
  StageWalk(const checked::ThreadBody& body, const CooperativeText& text) : body_(body), text_(text) {
    state_.resize(body.pipelines.size());
  }
  std::vector<checked::PipelineWait> run() {
    block(*body_.body->body);
    return std::move(waits_);
  }

 private:
  // ------------------------------------------------------------------------------------------------------ operations

  [[nodiscard]] std::optional<std::size_t> pipeline_of(const Local& local) const {
    const auto found = std::ranges::find(body_.pipelines, &local, &checked::PipelineStmt::local);
    if (found == body_.pipelines.end()) return std::nullopt;
    return static_cast<std::size_t>(found - body_.pipelines.begin());
  }
  [[nodiscard]] std::string name(std::size_t pipeline) const { return text_.name(*body_.pipelines[pipeline]->local); }

  /// Why no stage can be read.
  [[nodiscard]] std::string why_unready(std::size_t pipeline) const {
    const Stage& stage = state_[pipeline];
    if (!stage.flight.empty()) {
      return "its next stage is still in flight from " + text_.line(stage.flight.front()) + ": wait for it first";
    }
    if (stage.last_release) return "its stage was released at " + text_.line(*stage.last_release);
    return "no stage of it was ever filled";
  }

  void fill(std::size_t pipeline, Position at) {
    Stage& stage = state_[pipeline];
    const std::uint32_t depth = body_.pipelines[pipeline]->depth;
    const std::size_t used = stage.flight.size() + (stage.readable ? 1 : 0) + stage.draining.size();
    if (used >= depth) {
      if (!stage.draining.empty()) {
        const Stage::Released& released = stage.draining.front();
        std::string reads;
        for (const Position read : released.reads) {
          reads += (reads.empty() ? " (" + name(pipeline) + "[...] at lines " : ", ") +
                   std::to_string(text_.line_number(read));
        }
        if (!reads.empty()) reads += ")";
        const std::string line = std::to_string(text_.line_number(released.release));
        refuse(Code::StageBusy, at,
               name(pipeline) + ".fill would refill the stage released at line " + line +
                   " while other threads may still be reading it" + reads + ". Put a barrier after line " + line +
                   " and before line " + std::to_string(text_.line_number(at)) + " runs.");
      }
      std::string why = "all " + std::to_string(depth) + " of its stages are in flight";
      if (depth == 1 && !stage.readable) why = "its one stage is in flight from " + text_.line(stage.flight.front());
      if (stage.readable) {
        why = "its stages are in flight or readable since " + text_.line(*stage.readable) + ", and none was released";
      }
      refuse(Code::StageBusy, at, name(pipeline) + " has no free stage to fill: " + why + ".");
    }
    stage.flight.push_back(at);
  }

  void wait(std::size_t pipeline, const Expr& operation) {
    const Position at = operation.position;
    Stage& stage = state_[pipeline];
    if (stage.readable) {
      refuse(Code::StageBusy, at,
             name(pipeline) + " has a readable stage since " + text_.line(*stage.readable) +
                 ": release it before waiting for the next.");
    }
    if (stage.flight.empty()) {
      refuse(Code::StageUnready, at, name(pipeline) + " has nothing in flight to wait for: fill a stage first.");
    }
    stage.flight.erase(stage.flight.begin());
    stage.readable = at;
    stage.reads.clear();
    note_in_flight(operation, stage.flight.size());
    drain();
  }

  void note_in_flight(const Expr& operation, std::size_t fills) {
    const auto known = std::ranges::find(waits_, &operation, &checked::PipelineWait::operation);
    const auto left = static_cast<std::uint32_t>(fills);
    if (known == waits_.end()) {
      waits_.push_back({&operation, left});
    } else {
      known->in_flight = std::min(known->in_flight, left);
    }
  }

  void release(std::size_t pipeline, Position at) {
    Stage& stage = state_[pipeline];
    if (!stage.readable) {
      refuse(Code::StageUnready, at,
             name(pipeline) + " has no readable stage to release: " + why_unready(pipeline) + ".");
    }
    stage.readable.reset();
    stage.last_release = at;
    stage.draining.push_back({at, std::move(stage.reads)});
    stage.reads.clear();
  }

  void read(std::size_t pipeline, Position at) {
    Stage& stage = state_[pipeline];
    if (!stage.readable) {
      refuse(Code::StageUnready, at, name(pipeline) + " has no readable stage here: " + why_unready(pipeline) + ".");
    }
    if (std::ranges::find(stage.reads, at) == stage.reads.end()) stage.reads.push_back(at);
  }

  void drain() {
    for (Stage& each : state_) each.draining.clear();
  }

  // ----------------------------------------------------------------------------------------------------- expressions

  void expression(const Expr& root) {
    if (root.kind != ExprKind::Binary) return operand(root);
    const std::vector<const Expr*> chain = checked::left_chain(root);
    operand(checked::left_of(*chain.front()));
    for (const Expr* operation : chain) expression(checked::right_of(*operation));
  }

  void operand(const Expr& root) {
    if (root.kind == ExprKind::Local) {
      if (const auto pipeline = pipeline_of(*root.as<checked::LocalExpr>().local)) read(*pipeline, root.position);
      return;
    }
    if (root.kind == ExprKind::Concurrent && checked::is_pipeline_operation(root.as<checked::ConcurrentExpr>().op)) {
      const auto& call = root.as<checked::ConcurrentExpr>();
      for (const Expr* argument : call.arguments) expression(*argument);
      const std::size_t pipeline = *pipeline_of(*call.receiver->as<checked::LocalExpr>().local);
      if (call.op == ConcurrentOp::PipelineFill) return fill(pipeline, root.position);
      if (call.op == ConcurrentOp::PipelineWait) return wait(pipeline, root);
      return release(pipeline, root.position);
    }
    checked::for_each_operand(root, [this](const Expr& each) { expression(each); });
  }

  // ------------------------------------------------------------------------------------------------------ statements

  void block(const Block& body) {
    for (const Stmt* each : body.statements) statement(*each);
  }

  void statement(const Stmt& root) {
    switch (root.kind) {
      case StmtKind::Barrier:
        return drain();
      case StmtKind::If: {
        const auto& branch = root.as<checked::IfStmt>();
        expression(*branch.condition);
        const Block* arms[] = {branch.then, branch.otherwise};
        return alternatives(arms, root.position, "if");
      }
      case StmtKind::Match: {
        const auto& match = root.as<checked::MatchStmt>();
        expression(*match.subject);
        std::vector<const Block*> arms;
        for (const checked::MatchArm& arm : match.arms) arms.push_back(arm.body);
        return alternatives(arms, root.position, "match");
      }
      case StmtKind::For: {
        const auto& loop = root.as<checked::ForStmt>();
        if (loop.lo != nullptr) expression(*loop.lo);
        expression(*loop.hi);
        if (operates(*loop.body)) require_no_jump(*loop.body);
        const auto lo = natural(loop.lo);
        const auto hi = natural(loop.hi);
        if (lo && hi) return counted(*loop.body, *lo < *hi ? *hi - *lo : 0);
        return uncounted(nullptr, *loop.body, root.position);
      }
      case StmtKind::While: {
        const auto& loop = root.as<checked::WhileStmt>();
        if (operates(*loop.body)) require_no_jump(*loop.body);
        expression(*loop.condition);
        return uncounted(loop.condition, *loop.body, root.position);
      }
      case StmtKind::Defer:
        if (operates(*root.as<checked::DeferStmt>().call)) {
          refuse(Code::StageLoop, root.position,
                 "A deferred call runs where its block ends: operate on a pipeline where the operation shall run.");
        }
        break;
      default:
        break;
    }
    checked::for_each_part(
        root, [&](const Expr& value) { expression(value); }, [&](const Block& nested) { block(nested); },
        [](const checked::Function&) {});
  }

  [[nodiscard]] std::string text(const StateKey& key) const {
    std::string all;
    for (std::size_t k = 0; k < key.size(); ++k) {
      all += (all.empty() ? "" : ", ") + name(k) + " with " + std::to_string(key[k][0]) + " in flight, " +
             std::to_string(key[k][1]) + " readable and " + std::to_string(key[k][2]) + " released";
    }
    return all;
  }

  void alternatives(std::span<const Block* const> arms, Position at, std::string_view what) {
    const State before = state_;
    std::optional<State> first;
    for (const Block* arm : arms) {
      state_ = before;
      if (arm != nullptr) block(*arm);
      if (!first) {
        first = state_;
        continue;
      }
      if (key_of(*first) != key_of(state_)) {
        refuse(Code::StageLoop, at,
               "The ways through this " + std::string(what) + " leave its pipelines in different states, " +
                   text(key_of(*first)) + " against " + text(key_of(state_)) + ": let every way leave the same.");
      }
      join(*first, state_);
    }
    if (first) state_ = std::move(*first);
  }

  /// Reads that some way made count after it.
  static void join(State& into, const State& other) {
    for (std::size_t k = 0; k < into.size(); ++k) {
      for (const Position read : other[k].reads) {
        if (std::ranges::find(into[k].reads, read) == into[k].reads.end()) into[k].reads.push_back(read);
      }
    }
  }

  void counted(const Block& body, std::uint64_t count) {
    std::map<StateKey, std::uint64_t> seen;
    for (std::uint64_t turn = 0; turn < count; ++turn) {
      const auto [known, added] = seen.emplace(key_of(state_), turn);
      if (!added) {
        // The states repeat from here on.
        const std::uint64_t period = turn - known->second;
        if (period == 0) return;
        const std::uint64_t rest = (count - turn) % period;
        for (std::uint64_t k = 0; k < rest; ++k) block(body);
        return;
      }
      block(body);
    }
  }

  void uncounted(const Expr* condition, const Block& body, Position at) {
    const State before = state_;
    const auto turn = [&] {
      block(body);
      if (condition != nullptr) expression(*condition);
    };
    turn();
    if (key_of(before) == key_of(state_)) return;
    const StateKey after = key_of(state_);
    turn();  // so that what goes wrong inside is named
    refuse(Code::StageLoop, at,
           "A loop whose turns are not counted when the program is compiled must leave every pipeline as it found it, "
           "and this one finds " +
               text(key_of(before)) + " and leaves " + text(after) + ".");
  }

  static void require_no_jump(const Block& body) {
    for (const Stmt* each : body.statements) {
      switch (each->kind) {
        case StmtKind::Break:
        case StmtKind::Continue:
          refuse(Code::StageLoop, each->position,
                 std::string(each->kind == StmtKind::Break ? "break" : "continue") +
                     " would leave this loop's pipelines in another state than its end does: let the loop run to its "
                     "end.");
        case StmtKind::While:
        case StmtKind::For:
          break;
        default:
          checked::for_each_part(
              *each, [](const Expr&) {}, [](const Block& nested) { require_no_jump(nested); },
              [](const checked::Function&) {});
          break;
      }
    }
  }

  const checked::ThreadBody& body_;
  const CooperativeText& text_;
  State state_;
  std::vector<checked::PipelineWait> waits_;
};

}  // namespace

std::vector<checked::PipelineWait> require_stages(const checked::ThreadBody& body, const CooperativeText& text) {
  if (body.pipelines.empty()) return {};
  return StageWalk(body, text).run();
}

}  // namespace cairn
