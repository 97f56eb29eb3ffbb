// The pool of host threads that runs lanes (concurrency, 7.5). The thread that starts a region is always one of its
// lanes and can finish it alone, so no region waits for a pool thread; regions of several threads share the pool.
//
// A region's indices are cut into as many contiguous shares as it may have lanes. A lane claims chunks from its own
// share, then from the others' (stealing); a claim is one atomic addition, so there is no lock on the path of a lane.
// Idle threads watch for work a few microseconds, then sleep. What a chunk is never depends on the lane count: chunks
// begin at multiples of `chunk`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace cairn::runtime {

/// Runs indices [begin, end) on lane `lane` (0: the starter; each lane of a region is one thread). False stops the
/// region: chunks not yet claimed are left out.
using LaneBody = bool (*)(void* context, std::size_t lane, std::size_t begin, std::size_t end);

struct RegionShape {
  std::size_t count = 0;      // indices
  std::size_t chunk = 1;      // indices a claim covers, but for the last chunk; at least 1
  std::size_t max_lanes = 0;  // 0: as many as the pool has
};

class LanePool {
 public:
  /// A pool of `lanes` lanes, 1 to 1024; its lanes - 1 threads start with the first region that can use them.
  explicit LanePool(std::size_t lanes);
  LanePool(const LanePool&) = delete;
  LanePool& operator=(const LanePool&) = delete;
  ~LanePool();

  [[nodiscard]] std::size_t lanes() const { return lanes_; }

  /// Runs a region to its end; everything its lanes did happens before this returns. False when a body returned false.
  bool run(const RegionShape& shape, LaneBody body, void* context);

  /// The same with any callable bool(std::size_t lane, std::size_t begin, std::size_t end).
  template <class Body>
  bool run(const RegionShape& shape, Body& body) {
    return run(
        shape,
        [](void* context, std::size_t lane, std::size_t begin, std::size_t end) {
          return (*static_cast<Body*>(context))(lane, begin, end);
        },
        &body);
  }

 private:
  struct Region;
  /// Where a running region is published. `users` counts the threads that may be looking at `region`: the starter takes
  /// the region back only when nobody does.
  struct alignas(64) Slot {
    std::atomic<Region*> region{nullptr};
    std::atomic<std::uint32_t> users{0};
    std::atomic<bool> taken{false};
  };
  static constexpr std::size_t kSlots = 64;

  void start_threads();
  void serve();
  bool help_somewhere();
  Slot* publish(Region& region);
  void retire(Slot& slot);
  static void work(Region& region, std::size_t lane);

  const std::size_t lanes_;
  std::once_flag started_;
  std::vector<std::jthread> threads_;
  Slot slots_[kSlots];
  alignas(64) std::atomic<std::uint32_t> epoch_{0};  // changes whenever there may be new work
  alignas(64) std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<bool> closing_{false};
};

/// The lane count `CAIRN_LANES` asks for: a decimal number from 1 to 1024; empty: the number of cores. Else what is
/// wrong.
[[nodiscard]] std::expected<std::size_t, std::string> lane_count(std::string_view setting);

}  // namespace cairn::runtime
