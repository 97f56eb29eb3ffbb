// Where the reference computes: element by element, on a pool of host threads when it is given one.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>

#include "runtime/pool/lane_pool.hpp"

namespace cairn::reference {

struct Work {
  runtime::LanePool* pool = nullptr;  // null: the calling thread alone
  /// Told how far the call is, at most some times a second and by one thread at a time; false stops it: the call is
  /// refused. May be empty.
  std::function<bool(std::size_t done, std::size_t total)> progress;

  static constexpr const char* kStopped = "the computation was stopped";
};

/// Calls `body(begin, end)` for consecutive pieces of [0, count), `piece` long at most, on as many threads as there
/// are. False when the work was stopped.
template <class Body>
bool for_each_piece(const Work* work, std::size_t count, std::size_t piece, const Body& body) {
  std::atomic<std::size_t> done = 0;
  std::mutex telling;
  auto lane = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; at += piece) {
      const std::size_t until = end - at < piece ? end : at + piece;
      body(at, until);
      const std::size_t now = done.fetch_add(until - at) + (until - at);
      if (work == nullptr || !work->progress) continue;
      const std::unique_lock lock(telling, std::try_to_lock);
      if (lock.owns_lock() && !work->progress(now, count)) return false;
    }
    return true;
  };
  if (work == nullptr || work->pool == nullptr) return lane(0, 0, count);
  return work->pool->run({count, piece, 0}, lane);
}

}  // namespace cairn::reference
