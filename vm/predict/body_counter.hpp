// Counting one function's checked body (tools, 12.1): accesses and values, statements, and blocks of threads each in a
// file of their own.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/cooperative.hpp"
#include "frontend/check/discharge.hpp"
#include "frontend/check/fragments.hpp"
#include "frontend/check/tree_walk.hpp"
#include "vm/predict/cost.hpp"
#include "vm/predict/known_sizes.hpp"
#include "vm/predict/recursion.hpp"
#include "vm/predict/turns.hpp"

namespace cairn::predict {

using namespace checked;
using checked::Function;

inline constexpr double kWarp = 32;

/// Counts one function. `code_` is where counts go: the function's, or a region's per index.
class BodyCounter {
 public:
  BodyCounter(Counter& counter, const Function& function, Cost& cost)
      : counter_(counter),
        names_(counter.compilation_.names),
        function_(function),
        cost_(cost),
        sizes_(function, cost.approximate),
        code_(&cost.sequential) {
    discharged_.add(function);
  }

  void run() {
    for (const Local* parameter : function_.parameters) {
      if (parameter->type->is_integer()) sizes_.set_value(*parameter, Polynomial::variable(name(*parameter)));
    }
    block(*function_.body);
    if (!self_calls_.empty()) add_recursion(cost_, self_calls_);
  }

 private:
  enum class Moves : std::uint8_t { Fixed, WithBinder, WithData };
  struct Loop {
    const Local* binder = nullptr;
    Polynomial trips;
    Polynomial first;                // the binder's value in its first turn
    std::size_t id = 0;              // from 1
    std::size_t body = 0;            // its number in Code
    std::optional<Polynomial> span;  // of a name of a lane, thread or block: how many there are, none of them a turn
    [[nodiscard]] Polynomial end() const { return first + span.value_or(trips); }
  };

  [[nodiscard]] std::string name(const Local& local) const {
    return local.name ? std::string(names_.text(local.name)) : "_" + std::to_string(local.index);
  }

  [[nodiscard]] Polynomial trips(std::size_t depth) const {
    Polynomial product(1.0);
    for (std::size_t k = 0; k < depth; ++k) product = product * loops_[k].trips;
    return product;
  }
  [[nodiscard]] Polynomial trips() const { return trips(loops_.size()); }

  [[nodiscard]] std::size_t body() const { return loops_.empty() ? 0 : loops_.back().body; }
  [[nodiscard]] Work& here() { return code_->bodies[body()]; }

  void count(const std::string& kind, double times = 1) { here().ops[kind] += trips() * Polynomial(times); }
  void guess(std::string why) { cost_.guessed.insert(std::move(why)); }
  void approximate(std::string why) { cost_.approximate.insert(std::move(why)); }

  // ---------------------------------------------------------------------------------------------------------- accesses

  /// How the value of an index moves, and with which loop it does (the innermost).
  Moves motion(const Expr& of, std::size_t& depth);
  /// How many elements an index moves by with a turn of the innermost loop; nothing when that is not told.
  std::optional<std::int64_t> step(const Expr& of);
  /// The local an access path begins with, or null.
  static const Local* root_of(const Expr& of);
  /// Whether an index differs from thread to thread of the block that is counted.
  [[nodiscard]] bool is_a_threads(const Expr& of) const;
  /// The loops around whose binders an expression rests on.
  [[nodiscard]] std::set<const Local*> binders_of(const Expr& of) const;
  /// Bytes that an index of an array goes over until the innermost loop that it does not rest on, with a loop inside
  /// that it does, begins its next turn; else those of the array.
  [[nodiscard]] Polynomial reused(const Expr& index, const Polynomial& size, double bytes) const;
  static bool is_block_memory(const Local* local);
  /// So many elements of a block's memory, read or written by each of its threads.
  void share(double elements, const Type& type);
  void element(const ElementExpr& access, bool reads, bool writes);
  void place(const Expr& of, bool reads, bool writes);

  // ------------------------------------------------------------------------------------------------------------ values

  static std::string float_kind(const Type& type, const char* suffix);
  void arithmetic(BinaryOp op, const Type& type, bool is_proved);
  void value(const Expr& of);
  void chain(const Expr& of);
  void builtin(const BuiltinExpr& of);
  /// The caller's sizes for the callee's extents.
  std::map<std::string, Polynomial> sizes_for(const CallExpr& call, const Cost& callee);
  void call(const CallExpr& of);
  void allocate(const std::optional<Polynomial>& count_of, const Type& element);
  static bool on_device(const Expr& view);
  void transfer(const TransferExpr& of);
  void spawn(const SpawnExpr& of);

  // -------------------------------------------------------------------------------------------------------- statements

  void block(const Block& of);
  void looped(const Local* binder, Polynomial trips_of, const auto& turn, Polynomial first = {}) {
    loops_.push_back({binder, std::move(trips_of), std::move(first), ++last_loop_, counter_.new_loop(), {}});
    turn();
    loops_.pop_back();
  }

  Polynomial known_trips(const std::optional<Polynomial>& lo, const std::optional<Polynomial>& hi);
  /// A bound that names the binder of a loop around counts at its largest.
  std::optional<Polynomial> bound(const Expr& of, bool is_upper);
  static bool mentions(const Expr& of, const Local& local);
  [[nodiscard]] bool is_a_size(const Polynomial& count) const;
  /// What an integer local holds from here on, when that is told.
  void set(const Local& local, std::optional<Polynomial> value, const Expr* of);
  /// What a statement may have changed is known no more.
  void forget(const std::set<const Local*>& changed);
  void while_loop(const WhileStmt& of);
  void self_call(const CallExpr& of);
  /// Whether an expression is of what lies in arrays: no turn of a loop tells what the next one finds.
  [[nodiscard]] static bool is_of_data(const Expr& of);
  /// Whether a branch on such an expression stays one: a way of it does more than set locals, which one of two results
  /// can be selected for, and goes on in the loop.
  [[nodiscard]] bool is_unforeseen(const Expr& of, const std::vector<const Block*>& ways) const;
  /// Whether `place op= value` or `place = place op value` gathers into one scalar, so that each step waits.
  void update(const Expr& target, BinaryOp op, const Type& type, bool is_proved);
  void gather(const Local& local, const Expr& made);
  /// The longest way of operations on integers from a local to the value, in turns of the clock; nothing where there is
  /// none.
  static std::optional<double> latency(const Expr& made, const Local& from);
  void assign(const AssignStmt& of);
  /// Two ways of which one is taken: per kind the dearer.
  void alternatives(const std::vector<const Block*>& arms);
  static void keep_dearer(Work& dearest, const Work& work);
  Region region_at(RegionKind kind, bool device, Position position);
  /// A body that runs apart at one index: its loops count from there, and its names move as a loop's does, each over so
  /// many values.
  void apart(Code& into, checked::List<Local* const> names, const std::vector<Polynomial>& spans, const Block& code);
  void region(RegionKind kind, const Expr* extent, const Function* lane, Position position);

  void reduce(const ReduceStmt& of);
  void scan(const ScanStmt& of);
  void compact(const CompactStmt& of);
  void statement(const Stmt& of);

  // ------------------------------------------------------------------------------------------------------- cooperative

  /// `spans`: of the block's names.
  void thread_body(const ThreadBody& of, Region made, std::vector<Polynomial> spans, bool is_finish);
  void cooperative(const CooperativeStmt& of);
  /// `c += a * b` of whole matrices: m n k products, each matrix moved once, c twice.
  void multiply(const ConcurrentExpr& of);
  void fragment(const FragmentExpr& of);
  void wide_access(const ConcurrentExpr& of);
  void pipeline(const ConcurrentExpr& of);
  void concurrent(const ConcurrentExpr& of);

  Counter& counter_;
  const NameTable& names_;
  const Function& function_;
  Cost& cost_;
  KnownSizes sizes_;
  Code* code_;
  Cooperation* cooperation_ = nullptr;  // of the block that is counted
  std::set<const Local*> of_thread_;    // what differs from thread to thread of a block
  DischargedGuards discharged_;
  std::vector<Loop> loops_;
  std::map<const Local*, std::pair<Moves, std::size_t>> motions_;
  std::map<const Local*, std::pair<std::size_t, std::optional<std::int64_t>>> steps_;  // in a turn of the loop
  std::map<const Local*, std::set<const Local*>> binders_;                             // that a local rests on
  std::set<std::tuple<std::string, std::size_t, bool>> streamed_;  // array, loop of the pass, written
  std::size_t last_loop_ = 0;
  std::map<const Local*, const Expr*> initial_;  // what a mutable local was set to, where that is no known size
  std::vector<SelfCall> self_calls_;
};

}  // namespace cairn::predict
