// Leases (concurrency, 4): the places that running tasks hold. A ticket or group is a holder; what it was lent stays
// with it until it is waited for. Nothing of this exists at run time.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frontend/check/place_paths.hpp"

namespace cairn {

struct Lease {
  const checked::Local* holder = nullptr;
  LentPlace place;
};

/// A place as an expression touches it. A header (a length, a field on the way to something) conflicts only with leases
/// of a whole owner.
struct PlaceTouch {
  LentPlace place;
  bool header = false;
  Position at;
};

class LeaseTable {
 public:
  [[nodiscard]] bool empty() const { return leases_.empty(); }
  [[nodiscard]] std::size_t size() const { return leases_.size(); }
  [[nodiscard]] std::span<const Lease> all() const { return leases_; }
  void lend(const checked::Local& holder, const LentPlace& place);
  void end(const checked::Local& holder);
  /// Takes out what these holders hold; `add` puts it back.
  [[nodiscard]] std::vector<Lease> take(std::span<const checked::Local* const> holders);
  void add(std::span<const Lease> leases) { leases_.insert(leases_.end(), leases.begin(), leases.end()); }

  /// The lease a touch conflicts with, looking at those from `first` on; null when there is none.
  [[nodiscard]] const Lease* conflict(const PlaceTouch& touch, std::size_t first = 0) const;

  /// What an alternative that was joined leaves: `other` is the table of another one. A holder holds what any of them
  /// lent it; a part keeps its bounds only when every one of them has that very part.
  void join(const LeaseTable& other);
  /// The leases from `first` on were made by a loop's body: they leave it without their bounds.
  void leave_loop(std::size_t first);

 private:
  std::vector<Lease> leases_;
};

}  // namespace cairn
