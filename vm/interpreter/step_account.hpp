// The back edges and calls a host lets a program take, all its threads together. A thread takes some ahead and counts
// them down alone; what it has not used it gives back where it ends, waits, or leaves for code of the host. A thread
// that finds none left waits while others hold some. So the limit is found spent just where the program wants one step
// more, however its threads take turns and however many each tier takes ahead.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace cairn {

class StepAccount {
 public:
  explicit StepAccount(std::uint64_t limit) : left_(limit) {}

  /// Takes up to `most` steps for a thread that holds none now, though it `held` some: fewer where few are left, so
  /// that nobody waits long for what another holds. 0 when none is left and nobody holds any, or `stopping()` says so.
  template <class Stopping>
  std::uint64_t take(std::uint64_t most, bool held, Stopping stopping) {
    std::unique_lock lock(mutex_);
    if (held) end_holding();
    await_some(lock, stopping);
    const std::uint64_t given = left_ == 0 ? 0 : std::min(most, std::max<std::uint64_t>(left_ / kShare, 1));
    left_ -= given;
    holders_ += given == 0 ? 0 : 1;
    return given;
  }
  /// Spends `steps`, or what is left. The same of a thread that holds none and is to hold none.
  template <class Stopping>
  std::uint64_t spend(std::uint64_t steps, Stopping stopping) {
    std::unique_lock lock(mutex_);
    await_some(lock, stopping);
    const std::uint64_t spent = std::min(steps, left_);
    left_ -= spent;
    return spent;
  }
  /// A thread holds none any more: what it has not used.
  void give_back(std::uint64_t unused) {
    const std::lock_guard lock(mutex_);
    left_ += unused;
    end_holding();
    if (unused != 0) changed_.notify_all();
  }
  [[nodiscard]] std::uint64_t left() const {
    const std::lock_guard lock(mutex_);
    return left_;
  }

 private:
  static constexpr std::uint64_t kShare = 8;            // of what is left, a thread takes one such part at most
  static constexpr std::chrono::milliseconds kTick{2};  // between two looks at whether to stop

  template <class Stopping>
  void await_some(std::unique_lock<std::mutex>& lock, Stopping stopping) {
    while (left_ == 0 && holders_ != 0 && !stopping()) changed_.wait_for(lock, kTick);
  }
  void end_holding() {
    if (--holders_ == 0) changed_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t left_;
  std::uint64_t holders_ = 0;  // threads that may have some they have not used
};

}  // namespace cairn
