// Which threads of a block reach a statement together (devices, 11): decided on the text of a cooperative body, before
// it is typed. A barrier or pipeline operation needs the whole block, a warp operation its whole warp.
//
// The walk follows the text: a name's level is what was last given to it where the walk stands, and loops are walked
// until no level changes. What it notes of a statement or call is the highest level of all its visits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

#include "frontend/source/source_map.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

enum class Reach : std::uint8_t { Block, Warp, Thread };

/// Who reaches something together, or among whom a value is the same.
struct ReachLevel {
  Reach reach = Reach::Block;
  const syntax::Expr* cause = nullptr;  // the condition that raised it; null: none did
};

/// What the walk asks of the names around it.
struct ReachNames {
  /// Whether an argument of a call may be written through. `position` counts from 0; a method's receiver is -1.
  std::function<bool(const syntax::CallExpr& call, std::int32_t position)> writes;
  /// Whether a call gives each thread a value of its own, whatever its operands: shuffles, element atomics, calls that
  /// are handed an outside Atomic or Mutex, calls through function values.
  std::function<bool(const syntax::CallExpr& call)> differs;
  /// Whether a call is a vote, the same in a whole warp.
  std::function<bool(const syntax::CallExpr& call)> votes;
  /// Whether a call waits for a pipeline.
  std::function<bool(const syntax::CallExpr& call)> waits;
  /// The value of a literal or constant.
  std::function<std::optional<std::uint64_t>(const syntax::Expr& expression)> natural;
  Name length;  // `len`
};

struct ReachedBody {
  const syntax::Block* body = nullptr;
  syntax::List<const syntax::Identifier> block_names;
  syntax::List<const syntax::Identifier> thread_names;
  std::uint64_t first_extent = 0;  // of the first thread name
};

class ReachMap {
 public:
  /// The level of a statement of the body, or of the call at a position.
  [[nodiscard]] ReachLevel of(const syntax::Stmt& statement) const;
  [[nodiscard]] ReachLevel of_call(Position call) const;
  /// Of the operand of a call: among whom its value is the same.
  [[nodiscard]] Reach value_of(const syntax::Expr& operand) const;

 private:
  friend class ReachWalk;
  std::unordered_map<const syntax::Stmt*, ReachLevel> statements_;
  std::unordered_map<std::uint32_t, ReachLevel> calls_;    // by offset
  std::unordered_map<const syntax::Expr*, Reach> values_;  // of the arguments of calls
};

/// Walks a body. E-COOP-BARRIER at a jump that leaves or repeats a loop in which the block waits.
[[nodiscard]] ReachMap reach_of(const ReachedBody& body, const ReachNames& names);

}  // namespace cairn
