// What one function body adds to its row by itself (abstractions, 9.1), and which rows join it from where: the input of
// the fixed point in rows.cpp.
//
// A function's *places* are its parameters in order, then its captures in order. Every footprint is a set of places; an
// edge says, for each place of the callee, what it is here: a place, something of the function's own (kLocalRoot), or
// nothing that can be seen (kNoRoot).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "frontend/check/program.hpp"
#include "frontend/check/rows.hpp"

namespace cairn {

class Checker;

namespace checked {

inline constexpr std::int32_t kLocalRoot = -2;
inline constexpr std::int32_t kNoRoot = -1;

/// A growing set of places.
class Places {
 public:
  /// Whether it was new.
  bool insert(std::size_t place);
  [[nodiscard]] PlaceSet view() const;
  [[nodiscard]] bool empty() const { return first_ == 0 && rest_.empty(); }

 private:
  std::uint64_t first_ = 0;          // places below 64, where nearly all functions stay
  std::vector<std::uint64_t> rest_;  // all words, the first included, once there is a second one
};

/// A trait member called dynamically: a row of its own that joins the member's row in every implementation.
struct DynamicMember {
  const TraitInfo* trait = nullptr;
  std::uint32_t member = 0;
  friend bool operator==(const DynamicMember&, const DynamicMember&) = default;
};

struct RowEdge {
  const Function* function = nullptr;  // null: `dynamic`
  DynamicMember dynamic;
  std::uint32_t first_root = 0;  // in OwnRow::roots, one per place of the callee
  std::uint32_t root_count = 0;
};

struct OwnRow {
  LabelSet fixed = 0;
  Places reads;
  Places writes;
  Places lanes;
  std::vector<Name> others;
  std::vector<RowEdge> edges;
  std::vector<std::int32_t> roots;
  bool calls_values = false;           // calls a function value
  std::vector<const Function*> taken;  // functions whose address it takes
};

/// Whether a value of the type may hold heap storage: releasing it is the effect `free`.
class HeapTypes {
 public:
  bool holds_heap(const Type* type);

 private:
  std::unordered_map<const Type*, bool> known_;
};

/// The body of a function, closure, lane or test; an extern's declared row. Empty for a body that was refused.
[[nodiscard]] OwnRow collect_own_row(Checker& checker, const Function& function, HeapTypes& types);

/// Whether some exit of a block releases a local that may hold heap storage and was not certainly moved (memory, 7.6).
[[nodiscard]] bool releases_a_local(const Function& function, HeapTypes& types);

}  // namespace checked
}  // namespace cairn
