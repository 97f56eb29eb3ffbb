// The run of the phase rule: its state, and what evaluates expressions, runs statements and judges phases.
//
// Masks. Which threads run a statement: everyone surely, everyone perhaps but all or none (`together`), or as each
// thread's entry says.
//
// Time. A statement has two instants: its reads stand at 2 * time, its writes after them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontend/check/assembly.hpp"
#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/cooperative.hpp"
#include "frontend/check/cooperative_text.hpp"
#include "frontend/check/fragments.hpp"
#include "frontend/check/phase_values.hpp"

namespace cairn::phase {

using checked::Block;
using checked::Expr;
using checked::Local;
using checked::Stmt;

/// Whether a thread runs a statement: not, surely, or perhaps; then how many unknown conditions that hangs on, and one.
using Runs = std::uint16_t;
inline constexpr Runs kNo = 0;
inline constexpr Runs kSurely = 1;
/// Beside that: the thread may have left this turn of the innermost loop.
inline constexpr Runs kMayHaveLeft = 0x8000;

class Mask {
 public:
  Mask() = default;
  explicit Mask(std::vector<Runs> each) : each_(std::make_shared<const std::vector<Runs>>(std::move(each))) {}
  /// The same threads, all or none, if another condition holds.
  [[nodiscard]] Mask together_perhaps() const {
    Mask mask;
    mask.all_ = static_cast<Runs>(all_ + 1);
    return mask;
  }
  /// Every thread, surely.
  [[nodiscard]] bool is_everyone() const { return each_ == nullptr && all_ == kSurely; }
  /// All threads or none.
  [[nodiscard]] bool is_together() const { return each_ == nullptr; }
  [[nodiscard]] Runs operator[](std::size_t thread) const { return each_ == nullptr ? all_ : (*each_)[thread]; }
  [[nodiscard]] bool is_nobody() const;

 private:
  Runs all_ = kSurely;
  std::shared_ptr<const std::vector<Runs>> each_;
};

/// An access of a shared array by every thread of its mask.
struct Event {
  std::uint32_t serial = 0;  // in the order they were recorded
  std::uint32_t array = 0;
  Vec lo;  // the index, or where the part begins
  Vec hi;  // where the part ends
  bool part = false;
  bool writes = false;
  bool atomic = false;
  bool sure = false;  // a write that surely happens
  /// A load or store of fragment (lo, hi), counted in whole ones, of the tile that begins at `base`.
  const checked::FragmentExpr* fragment = nullptr;
  Vec base;
  bool of_warp = false;  // a write by the warp, in lanes that nothing names
  Position at;
  std::uint64_t time = 0;
  Mask mask;
};

/// The events of a way, the newest first. Ways share what they have in common.
struct Link {
  const Event* event = nullptr;
  const Link* before = nullptr;
};

struct ValueHash {
  std::size_t operator()(const Value& value) const {
    return (value.bits * 0x9e3779b97f4a7c15U) ^ (std::size_t{value.key} << 20) ^ static_cast<std::size_t>(value.kind);
  }
};

/// Elements of one array.
class ElementSet {
 public:
  [[nodiscard]] bool contains(const Value& element) const {
    return element.is(Value::Kind::Number) ? element.bits < numbers_.size() && numbers_[element.bits]
                                           : symbols_.contains(element);
  }
  /// Whether every element of an array of this length is there.
  [[nodiscard]] bool is_all(std::uint64_t length) const { return count_ == length; }
  void insert(const Value& element, std::uint64_t length);
  void intersect(const ElementSet& other);

 private:
  std::vector<bool> numbers_;
  std::uint64_t count_ = 0;  // of numbers
  std::unordered_set<Value, ValueHash> symbols_;
};

/// Which threads surely wrote which elements of one array.
class Writers {
 public:
  void add(const Value& element, std::uint32_t thread, std::uint64_t length);
  [[nodiscard]] bool has(const Value& element, std::uint32_t thread) const;
  /// What both have.
  void intersect(const Writers& other);
  template <class Visit>
  void for_each_element(Visit visit) const {
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      if (numbers_[k] != kNobody) visit(number(k));
    }
    for (const auto& [element, thread] : symbols_) visit(element);
  }
  [[nodiscard]] bool contains(const Value& element) const {
    if (!element.is(Value::Kind::Number)) return symbols_.contains(element);
    return element.bits < numbers_.size() && numbers_[element.bits] != kNobody;
  }

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  std::vector<std::uint32_t> numbers_;  // the first writer of each
  std::unordered_map<Value, std::uint32_t, ValueHash> symbols_;
  std::unordered_map<Value, std::vector<std::uint32_t>, ValueHash> more_;  // later ones
};

/// A way the open phase may have gone: its last event, and what it surely wrote of unzeroed arrays.
struct Alternative {
  const Link* last = nullptr;
  std::shared_ptr<std::vector<Writers>> written;  // by array; copied when shared
};

using Done = std::vector<ElementSet>;  // by array; empty when no array is unzeroed
using Environment = std::vector<Vec>;  // by the local's index

class PhaseRun {
 public:
  PhaseRun(const checked::ThreadBody& body, Position region, const CooperativeText& text);
  void run();

 private:
  enum class Left : std::uint8_t { No, Perhaps, Surely };
  struct Loop {
    Mask entry;                 // who runs this turn
    std::vector<Left> turn;     // who left this turn; empty: nobody
    std::vector<Left> broken;   // who left the loop
    std::vector<bool> skipped;  // who perhaps left this turn alone
    bool differs = false;       // some threads left it where others did not
    void begin_turn(const Mask& who) {
      entry = who;
      turn = broken;
      skipped.clear();
    }
  };
  struct Array {
    const checked::SharedStmt* statement = nullptr;
    [[nodiscard]] std::uint64_t length() const { return statement->length; }
  };

  // --- phase_expressions.cpp
  Vec eval(const Expr& e, const Mask& mask);
  Vec eval_binary(const Expr& e, const Mask& mask);
  Vec eval_logical(const checked::LogicalExpr& e, const Mask& mask);
  Vec eval_element(const checked::ElementExpr& e, const Mask& mask);
  Vec eval_call(const checked::CallExpr& e, const Mask& mask);
  Vec eval_concurrent(const checked::ConcurrentExpr& e, const Mask& mask);
  Vec eval_fragment(const checked::FragmentExpr& e, const Mask& mask);
  Vec eval_wide(const checked::ConcurrentExpr& e, const Mask& mask);
  Vec eval_layout(const checked::LayoutQueryExpr& e, const Mask& mask);
  /// Every operand, for what it reads; nothing, uniform when they all are.
  Vec eval_operands(const Expr& e, const Mask& mask);
  Vec apply(syntax::BinaryOp op, const Type* type, const Vec& left, const Vec& right);
  template <class Operation>
  Vec map(const Vec& left, const Vec& right, Operation operation);
  template <class Operation>
  Vec map(const Vec& operand, Operation operation);
  Vec length_of(const Expr& array, const Mask& mask);
  /// What an argument lends; gives nothing, uniform when its operands are.
  Vec lend(const Expr& argument, bool writes, const Mask& mask);
  void lend_part(const checked::PartExpr& part, const Mask& mask, Vec& lo, Vec& hi);
  /// A local that something else may have written is unknown from here on.
  void forget(const Expr& place, const Mask& mask);
  void forget(const Local& local, const Mask& mask);
  [[nodiscard]] Value compare(syntax::BinaryOp op, const Value& left, const Value& right);
  Value arithmetic(syntax::BinaryOp op, const Value& left, const Value& right);

  // --- phase_statements.cpp
  void run(const Block& block, const Mask& mask);
  void run(const Stmt& statement, const Mask& mask);
  void run_if(const checked::IfStmt& statement, const Mask& mask);
  void run_ways(const std::vector<const Block*>& ways, const Mask& mask);
  void run_match(const checked::MatchStmt& statement, const Mask& mask);
  void run_assembly(const checked::AsmStmt& statement, const Mask& mask);
  void assign(const Expr& place, const Vec& value, const Mask& mask);
  void defer(const checked::DeferStmt& statement, const Mask& mask);
  [[nodiscard]] Loop joined_loops(const Loop& left, const Loop& right) const;
  void run_for(const checked::ForStmt& statement, const Mask& mask);
  void run_while(const checked::WhileStmt& statement, const Mask& mask);
  /// A loop followed number by number: `lo .. hi`, the threads between their own bounds when those differ.
  void run_counted(const checked::ForStmt& loop, const Vec& lo, const Vec& hi, const Mask& mask);
  bool run_followed(const checked::WhileStmt& loop, const Mask& mask);
  /// A loop whose turns are not known: `binder` and `lo` of a `for`, `condition` of a `while`.
  struct Unfollowed {
    const Block* body = nullptr;
    const Local* binder = nullptr;
    Vec lo;
    bool uniform_bounds = true;
    const Expr* condition = nullptr;
  };
  void run_unfollowed(const Unfollowed& loop, const Mask& mask);
  template <class Turn>
  void run_three_parts(const Unfollowed& loop, const Turn& turn);
  void jump(bool breaks, const Mask& mask);
  [[nodiscard]] Mask live(const Mask& mask) const;
  [[nodiscard]] Mask entering(const Mask& mask) const;
  [[nodiscard]] Mask restrict(const Mask& mask, const Vec& condition, bool want);
  [[nodiscard]] Mask perhaps(const Mask& mask) const;
  Environment join(const Environment& left, const Environment& right) const;
  Environment join_by(const Vec& condition, const Environment& old, const Environment& then,
                      const Environment& otherwise);
  [[nodiscard]] bool waits(const Block& block);
  [[nodiscard]] const std::vector<const Local*>& assigned(const Block& block);

  // --- phase_events.cpp
  void record(Event event);
  void merge_if_many();
  [[nodiscard]] Alternative fresh_way() const;
  void step(const Vec& operand);
  void steps(std::uint64_t count);
  void wait();
  Done done_after(const std::vector<Alternative>& open) const;
  void require_written(const Event& event);
  void note_written(Alternative& way, const Event& event);
  [[nodiscard]] std::optional<std::uint32_t> array_of(const Local& local) const;
  /// Whether every thread touches the same elements.
  [[nodiscard]] static bool is_alike(const Event& event) {
    return event.fragment == nullptr && event.mask.is_together() && event.lo.is_single() && event.hi.is_single();
  }
  /// Calls `visit(element)` for every element that a thread touches; an unknown value for one that cannot be told.
  template <class Visit>
  void for_each_element(const Event& event, std::size_t thread, Visit visit) const;
  template <class Visit>
  void for_each_of_fragment(const Event& event, std::size_t thread, Visit visit) const;

  // --- phase_judgement.cpp
  struct Touch {
    std::uint32_t thread = 0;
    const Event* event = nullptr;
  };
  void judge(const Alternative& way);
  void judge(std::uint32_t array, const std::vector<const Event*>& events);
  void judge_cell(std::uint32_t array, const std::vector<const Event*>& events, const Value& element);
  [[nodiscard]] bool touches(const Event& event, std::uint32_t thread, const Value& element) const;
  [[nodiscard]] bool may_clash(std::uint32_t array, const std::vector<const Event*>& events);
  [[nodiscard]] static bool clash(const Touch& left, const Touch& right);
  [[noreturn]] void refuse_pair(const Touch& first, const Touch& second, std::uint32_t array, const Value& element);
  [[noreturn]] void refuse_undecided(const Touch& first, const Touch& second, std::uint32_t array);
  [[noreturn]] void refuse_mixed(const Touch& earlier, const Touch& later, const std::string& element);
  [[nodiscard]] std::string thread_text(std::uint32_t thread) const;
  [[nodiscard]] std::string barrier_text(const Touch& earlier, const Touch& later) const;
  [[nodiscard]] std::string element_text(std::uint32_t array, const Value& element) const;

  const checked::ThreadBody& body_;
  Position region_;
  const CooperativeText& text_;
  std::uint32_t threads_;
  Polynomials polynomials_;

  std::vector<Array> arrays_;
  std::unordered_map<const Local*, std::uint32_t> array_numbers_;
  bool has_unzeroed_ = false;

  Environment env_;
  std::vector<Alternative> open_;
  Done done_;
  std::vector<Loop> loops_;
  std::uint64_t time_ = 0;
  std::uint64_t now_ = 0;
  std::uint64_t steps_ = 0;

  std::deque<Event> events_;
  std::deque<Link> links_;
  std::unordered_map<const Block*, bool> waits_;
  std::unordered_map<const Block*, std::vector<const Local*>> assigned_;

  // Per thread class and element, for finding out quickly that a phase has no clash.
  struct Seen {
    static constexpr std::int32_t kNobody = -1;
    static constexpr std::int32_t kMany = -2;
    std::int32_t reads = kNobody;
    std::int32_t writes = kNobody;
    std::int32_t updates = kNobody;  // atomic ones
    void add(std::int32_t thread, const Event& event);
    void add(const Seen& other);
    [[nodiscard]] bool clashes() const { return clashes_with(*this); }
    /// Whether some touch of each are by different threads, one of them writing and not both atomic.
    [[nodiscard]] bool clashes_with(const Seen& other) const;
    [[nodiscard]] bool writing() const { return writes != kNobody || updates != kNobody; }
  };
  std::vector<Seen> seen_;  // by element
};

/// The elements of a fragment that a thread touches: a load all of them, a store those of its lane, and a store of a
/// warp, whose lanes nothing names, all of them by its first thread.
template <class Visit>
void PhaseRun::for_each_of_fragment(const Event& event, std::size_t thread, Visit visit) const {
  constexpr std::size_t kWarp = 32;
  const Value places[] = {event.lo[thread], event.hi[thread], event.base[thread]};
  for (const Value& place : places) {
    if (place.is(Value::Kind::Trap)) return;
  }
  if (event.of_warp && thread % kWarp != 0) return;
  for (const Value& place : places) {
    if (!place.is(Value::Kind::Number)) return visit(kUnknown);
  }
  const checked::LayoutValue& layout = *event.fragment->layout;
  const Type& type = event.writes ? *event.fragment->arguments[2]->type : *event.fragment->type;
  const FragmentShape shape = fragment_shape(type, text_.names);
  const std::uint64_t first_row = places[0].bits * shape.rows;
  const std::uint64_t first_column = places[1].bits * shape.columns;
  if (places[0].bits >= layout.extent(0) / shape.rows || places[1].bits >= layout.extent(1) / shape.columns) return;
  const std::uint64_t length = arrays_[event.array].length();
  const bool own_alone = event.writes && !event.of_warp;
  for (std::uint64_t row = 0; row < shape.rows; ++row) {
    for (std::uint64_t column = 0; column < shape.columns; ++column) {
      if (own_alone && accumulator_lane(row, column) != thread % kWarp) continue;
      const std::uint64_t element = places[2].bits + layout.offset(std::array{first_row + row, first_column + column});
      if (element < length) visit(number(element));
    }
  }
}

template <class Visit>
void PhaseRun::for_each_element(const Event& event, std::size_t thread, Visit visit) const {
  constexpr std::uint64_t kMostListed = 4096;
  if (event.fragment != nullptr) return for_each_of_fragment(event, thread, visit);
  const std::uint64_t length = arrays_[event.array].length();
  const auto one = [&](const Value& element) {
    switch (element.kind) {
      case Value::Kind::Number:
        if (element.bits < length) visit(element);
        return;
      case Value::Kind::Symbol:
        return visit(element);
      case Value::Kind::Trap:
        return;
      default:
        return visit(kUnknown);
    }
  };
  const Value& lo = event.lo[thread];
  if (!event.part) return one(lo);
  const Value& hi = event.hi[thread];
  if (lo.is(Value::Kind::Trap) || hi.is(Value::Kind::Trap)) return;
  const bool numbers = lo.is(Value::Kind::Number) && hi.is(Value::Kind::Number);
  if (!numbers || (hi.bits > lo.bits && hi.bits - lo.bits > kMostListed)) return visit(kUnknown);
  for (std::uint64_t k = lo.bits; k < hi.bits && k < length; ++k) visit(number(k));
}

}  // namespace cairn::phase
