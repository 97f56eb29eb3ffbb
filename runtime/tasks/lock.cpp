#include "runtime/tasks/lock.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace cairn::runtime {

namespace {

constexpr timespec kLook = {0, 5'000'000};  // between two looks at whether to give up

/// Until the word is no longer `seen`, the time is over, or for no reason.
void wait_on(std::atomic<std::uint32_t>& word, std::uint32_t seen, const timespec* most) {
  static_cast<void>(::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, most, nullptr, 0));
}

void wake_one(std::atomic<std::uint32_t>& word) {
  static_cast<void>(::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0));
}

}  // namespace

std::uint32_t thread_number() {
  thread_local const auto number = static_cast<std::uint32_t>(::gettid());  // at most 2^22 on Linux
  return number;
}

Lock::Outcome Lock::lock(bool (*stopping)(void* context), void* context) {
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
    if (stopping != nullptr && stopping(context)) return Outcome::GaveUp;
    wait_on(word_, held | kContended, stopping == nullptr ? nullptr : &kLook);
    held = word_.load(std::memory_order_relaxed);
  }
}

void Lock::unlock() {
  if ((word_.exchange(0, std::memory_order_release) & kContended) != 0) wake_one(word_);
}

}  // namespace cairn::runtime
