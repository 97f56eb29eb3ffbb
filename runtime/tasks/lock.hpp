// The lock word inside a Mutex[T] value: four bytes, zero when free, so that a lock needs no construction and no
// release. It knows its holder, because a thread that locks what it holds must trap (concurrency, 12). After U.
// Drepper, "Futexes are tricky" (2011), mutex 3, with the holder in place of the state.
#pragma once

#include <atomic>
#include <cstdint>

namespace cairn::runtime {

class Lock {
 public:
  enum class Outcome : std::uint8_t { Locked, AlreadyHeld, GaveUp };

  /// Blocks until the calling thread holds the lock; AlreadyHeld, and nothing done, when it does already.
  [[nodiscard]] Outcome lock() { return lock(nullptr, nullptr); }
  /// The same, but gives up when `stopping(context)` says so, which a thread asks before it waits and every few
  /// milliseconds from then on.
  [[nodiscard]] Outcome lock(bool (*stopping)(void* context), void* context);
  void unlock();

 private:
  static constexpr std::uint32_t kContended = 0x80000000U;
  std::atomic<std::uint32_t> word_{0};  // holder's number, and whether somebody waits
};
static_assert(sizeof(Lock) == 4);

/// A number of the calling thread, from 1 up, unique among running threads.
[[nodiscard]] std::uint32_t thread_number();

}  // namespace cairn::runtime
