// From SSA to machine code: nodes, intervals, registers, homes, moves, instructions.
#pragma once

#include <memory>

#include "jit/ssa/backend/emitter.hpp"

namespace cairn::jit::ssa {

/// The machine code of a function, in the holder it was made in.
class Generated {
 public:
  /// Null for a function that this back end has no form for: which part had none is told in `why`, when it is given.
  [[nodiscard]] static std::unique_ptr<Generated> make(asmjit::CodeHolder& holder, const Function& function,
                                                       const Target& target, EmitOptions options,
                                                       std::string* why = nullptr);

  [[nodiscard]] Emitter& emitter() { return *emitter_; }
  /// Return points, as many as emitter().points().
  [[nodiscard]] std::unique_ptr<ResumePoint[]> take_points() { return std::move(points_); }

 private:
  Nodes nodes_;
  Intervals intervals_;
  Homes homes_;
  Moves moves_;
  std::unique_ptr<ResumePoint[]> points_;
  std::unique_ptr<Emitter> emitter_;
};

}  // namespace cairn::jit::ssa
