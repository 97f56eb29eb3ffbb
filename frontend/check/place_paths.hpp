// Places as aliasing and leases compare them (ownership and memory, 6; concurrency, 4): a root local with its fields up
// to the first index, and what follows. Nothing here looks at values: two places are judged by how they are written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>

#include "frontend/check/program.hpp"

namespace cairn {

/// A bound of a part. It counts when it cannot change: a number, or an immutable local of value type.
struct PartBound {
  enum class Kind : std::uint8_t { Open, Number, Name };
  Kind kind = Kind::Open;
  std::uint64_t number = 0;
  const checked::Local* local = nullptr;
  friend bool operator==(const PartBound&, const PartBound&) = default;
};

/// A place that a call, a closure or a task is lent.
struct LentPlace {
  enum class Rest : std::uint8_t { Whole, Elements, Part };
  const checked::Expr* base = nullptr;  // a Local, or a chain of Fields over one; null: nothing that could overlap
  Rest rest = Rest::Whole;
  PartBound lo;  // Part
  PartBound hi;
  bool writes = false;
  bool moved = false;                          // an owner passed by value
  const checked::Function* closure = nullptr;  // touched by this closure: its touches never conflict among themselves
};

/// What a field, element, part or whole view is taken of; null where a place or view begins.
[[nodiscard]] const checked::Expr* place_base(const checked::Expr* place);

/// The root local of a place or view value; null for text and temporaries.
[[nodiscard]] checked::Local* root_local(const checked::Expr* place);

/// The path of a place, view, part or lent argument. Its base is null when no local is behind it.
[[nodiscard]] LentPlace place_path(const checked::Expr* place, bool writes);

[[nodiscard]] PartBound part_bound(const checked::Expr* bound);

/// Whether two chains of fields over locals are the same.
[[nodiscard]] bool same_chain(const checked::Expr* left, const checked::Expr* right);

/// Whether other places may share an element with one place. `lent` holds the parts known to have lo <= hi, those
/// asked about included: through them a part can be seen to end before another begins. Many places are asked about one
/// in time linear in both.
class Overlap {
 public:
  /// Keeps both: they must outlive it.
  Overlap(const LentPlace& place, std::span<const LentPlace> lent) : place_(place), lent_(lent) {}
  [[nodiscard]] bool with(const LentPlace& other);

 private:
  /// The bounds known to be at least the place's end (`upwards`), or at most its beginning.
  struct Known {
    std::unordered_set<const checked::Local*> names;
    std::optional<std::uint64_t> number;  // the least of the numbers that are known to be, or the greatest
  };
  [[nodiscard]] Known known(bool upwards) const;
  [[nodiscard]] bool holds(std::optional<Known>& known, bool upwards, const PartBound& bound) const;

  const LentPlace& place_;
  std::span<const LentPlace> lent_;
  std::optional<Known> above_;  // made when first needed
  std::optional<Known> below_;
};

/// Whether one place lies strictly inside the other: an index step is the same element as any other index step unless
/// both are literals that differ.
[[nodiscard]] bool nested(const checked::Expr* left, const checked::Expr* right);

}  // namespace cairn
