// A ring of kernel operations in flight (concurrency, 14), over io_uring. Every submission comes back through `next`
// exactly once. Where the kernel refuses to set a ring up, it is down: `status` is the negative errno, and each
// submission comes straight back with it.
//
// Buffers are the caller's: a ring keeps the pointer and length it was given until the submission comes back. A ring is
// used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

namespace cairn::runtime {

class IoRing {
 public:
  enum class Operation : std::uint8_t { Read, Write, Receive, Send, Accept, Timeout };
  struct Request {
    Operation operation{};
    std::int32_t descriptor = -1;
    void* data = nullptr;
    std::uint64_t length = 0;  // of the buffer
    std::uint64_t count = 0;   // bytes asked for, at most `length`
    std::uint64_t offset = 0;
    std::uint64_t nanoseconds = 0;
    std::uint64_t tag = 0;
  };
  struct Completion {
    std::uint64_t tag = 0;
    std::int64_t result = 0;  // what the operation gave, or -errno
    void* data = nullptr;
    std::uint64_t length = 0;
  };
  static constexpr std::uint64_t kMostEntries = 4096;

  /// `entries` from 1 to kMostEntries.
  explicit IoRing(std::uint64_t entries);
  ~IoRing();
  IoRing(const IoRing&) = delete;
  IoRing& operator=(const IoRing&) = delete;

  [[nodiscard]] std::int64_t status() const;
  [[nodiscard]] std::uint64_t room() const;
  [[nodiscard]] std::uint64_t pending() const;

  /// There must be room.
  void submit(const Request& request);
  /// Every operation in flight under the tag comes back with -ECANCELED or its own result.
  void cancel(std::uint64_t tag);
  /// Blocks until an operation has ended; something must be pending.
  Completion next() { return *next(nullptr, nullptr); }
  /// The same, but nothing when `stopping(context)` says to give up, which is asked every few milliseconds.
  std::optional<Completion> next(bool (*stopping)(const void* context), const void* context);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cairn::runtime
