// One region being run: calls of a lane function, on the calling thread or over the pool.
#pragma once

#include <algorithm>
#include <mutex>
#include <span>

#include "runtime/pool/lane_pool.hpp"
#include "vm/interpreter/machine.hpp"

namespace cairn::interpreter {

// The specification's unobservable policy: how many indices a claim covers, and below how many a region is a plain
// loop.
inline constexpr std::uint64_t kClaimIndices = 8192;
inline constexpr std::uint64_t kSerialIndices = 16384;

/// One region being run: calls a lane function on whichever threads take part, and keeps the first trap.
class LaneRegion {
 public:
  LaneRegion(Machine m, const Word* pc, std::uint32_t function, std::uint64_t environment)
      : starter_(*m.thread), function_(function), environment_(environment), outer_(starter_.native_frame) {
    // Calls of the starting thread go above the frame that starts the region.
    const std::uint32_t self = starter_.image().function_at(pc);
    starter_.native_frame = {m.base + starter_.functions[self].frame_bytes / 8, m.memory, pc, m.base, &outer_};
    slots_ = starter_.functions[function].parameter_slots;
  }
  ~LaneRegion() { starter_.native_frame = outer_; }
  LaneRegion(const LaneRegion&) = delete;
  LaneRegion& operator=(const LaneRegion&) = delete;

  /// One call of the lane function; `more` are the slots of parameters after lo and hi.
  bool call(std::size_t lane, std::uint64_t lo, std::uint64_t hi, std::span<const std::uint64_t> more,
            std::uint64_t* result) {
    Thread& thread = lane == 0 ? starter_ : starter_.instance().thread_here();
    std::uint64_t arguments[8] = {lo, hi};
    std::ranges::copy(more, arguments + 2);
    arguments[slots_] = environment_;
    const auto trap = thread.call(function_, {arguments, slots_ + 1}, {result, result == nullptr ? 0U : 1U});
    if (!trap) return true;
    failed(*trap);
    return false;
  }
  /// A lane trapped; the first to is the region's.
  void failed(const TrapRecord& trap) {
    const std::lock_guard guard(mutex_);
    if (!failed_) trap_ = trap;
    failed_ = true;
  }

  /// `work`: how many elements an index stands for.
  template <class Body>
  void run(std::uint64_t count, std::uint64_t chunk, Body& body, std::uint64_t work = 1) {
    if (count <= chunk || (count < kSerialIndices / work && chunk != 1)) {
      if (count != 0) body(std::size_t{0}, std::size_t{0}, static_cast<std::size_t>(count));
      return;
    }
    runtime::LanePool* pool = starter_.lane_pool();
    if (pool == nullptr) return;  // what CAIRN_LANES says is pending as a trap
    starter_.give_back_steps();
    pool->run({static_cast<std::size_t>(count), static_cast<std::size_t>(chunk), 0}, body);
  }

  [[nodiscard]] Thread& starter() const { return starter_; }

  /// After the region: `next`, or how it failed.
  const Word* finish(Machine m, const Word* pc, const Word* next) {
    if (failed_) {
      starter_.trapped = true;
      starter_.trap = trap_;
      return kExit;
    }
    return starter_.pending.kind == TrapKind::None ? next : fail(starter_.pending.kind, pc, m);
  }

 private:
  Thread& starter_;
  std::uint32_t function_;
  std::uint64_t environment_;
  std::uint32_t slots_ = 0;
  Thread::NativeFrame outer_;
  std::mutex mutex_;
  bool failed_ = false;
  TrapRecord trap_;
};

}  // namespace cairn::interpreter
