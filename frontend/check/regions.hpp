// The frame of a lane body while it is judged.
#pragma once

#include "frontend/check/body_checker.hpp"

namespace cairn {

/// Opens a lane body: what is judged until `close` belongs to the lane, on the side that the record says. The record
/// outlives the scope.
class BodyChecker::LaneScope {
 public:
  LaneScope(BodyChecker& body, Position region, LaneRecord& record);
  ~LaneScope();
  LaneScope(const LaneScope&) = delete;
  LaneScope& operator=(const LaneScope&) = delete;

  /// A name of the lane's own number, which runs over 0 .. extent.
  checked::Local* bind(const syntax::Identifier& name, Node extent);
  [[nodiscard]] checked::Function& function() { return function_; }
  /// Back in the frame outside. E-MOVE-IN-LOOP at the region when the lane moved an outer owner.
  void close(const checked::Block* block);

 private:
  void leave();

  BodyChecker& body_;
  checked::Function& function_;
  Position region_;
  Frame frame_;
  OwnerSet dead_;
  std::size_t visible_;
  std::size_t facts_;
};

}  // namespace cairn
