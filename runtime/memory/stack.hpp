// A thread's two stacks in one reserved range: register frames grow up from its start, frames' memory grows down from
// its end, and the thread's call depth is spent when they meet. Pages are committed as they are first touched.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn {

class ThreadStack {
 public:
  static constexpr std::size_t kDefaultBytes = std::size_t{128} << 20;

  /// Reserves `bytes` (rounded up to pages). `begin()` is null when the range cannot be had.
  explicit ThreadStack(std::size_t bytes = kDefaultBytes);
  ~ThreadStack();
  ThreadStack(const ThreadStack&) = delete;
  ThreadStack& operator=(const ThreadStack&) = delete;

  [[nodiscard]] std::uint64_t* begin() const { return begin_; }
  [[nodiscard]] std::uint8_t* end() const { return reinterpret_cast<std::uint8_t*>(begin_) + bytes_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::uint64_t* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace cairn
