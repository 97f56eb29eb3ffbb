// The alternatives of an `if` or `match`: each starts from the state before, and what those that do not return left
// behind is joined (ownership and memory, 7.2).
#pragma once

#include "frontend/check/body_checker.hpp"

namespace cairn {

class FlowJoin {
 public:
  explicit FlowJoin(BodyChecker& body);
  /// Puts the state before back, for the next alternative.
  void begin();
  void end(Flow flow);
  /// The joined state, and how the whole goes on. E-LINEAR-BRANCH at `at` when falling alternatives disagree.
  Flow finish(Position at);

 private:
  BodyChecker& body_;
  OwnerSet before_;
  OwnerSet joined_;
  OwnerSet fallen_;
  LeaseTable leases_before_;
  LeaseTable leases_joined_;
  const checked::Local* disagreed_ = nullptr;
  Flow flow_ = Flow::Falls;
  bool first_ = true;
  bool joined_any_ = false;
  bool falls_ = false;
};

}  // namespace cairn
