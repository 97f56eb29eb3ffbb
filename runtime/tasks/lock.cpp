#include "runtime/tasks/lock.hpp"

#include <unistd.h>

namespace cairn::runtime {

std::uint32_t thread_number() {
  thread_local const auto number = static_cast<std::uint32_t>(::gettid());  // at most 2^22 on Linux
  return number;
}

Lock::Outcome Lock::lock() {
  const std::uint32_t self = thread_number();
  std::uint32_t held = 0;
  if (word_.compare_exchange_strong(held, self, std::memory_order_acquire, std::memory_order_relaxed)) {
    return Outcome::Locked;
  }
  if ((held & ~kContended) == self) return Outcome::AlreadyHeld;
  while (true) {
    if (held == 0) {
      // Whoever waited once must assume that others still do.
      if (word_.compare_exchange_weak(held, self | kContended, std::memory_order_acquire, std::memory_order_relaxed)) {
        return Outcome::Locked;
      }
      continue;
    }
    if ((held & kContended) == 0 &&
        !word_.compare_exchange_weak(held, held | kContended, std::memory_order_relaxed, std::memory_order_relaxed)) {
      continue;
    }
    word_.wait(held | kContended, std::memory_order_relaxed);
    held = word_.load(std::memory_order_relaxed);
  }
}

void Lock::unlock() {
  if ((word_.exchange(0, std::memory_order_release) & kContended) != 0) word_.notify_one();
}

}  // namespace cairn::runtime
