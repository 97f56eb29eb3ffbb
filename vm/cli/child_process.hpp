// Code run in a process of its own, watched from here: what it prints, how it ends, and for how long it may run. The
// child is a fork of this process, so it starts on whatever is already loaded and checked; start children before any
// thread exists. A child leads a process group of its own, which is killed as a whole, and dies with this process.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <sys/types.h>

namespace cairn::cli {

struct ChildOptions {
  double timeout_seconds = 0;             // of the wall clock; 0: none
  unsigned cpu_seconds = 0;               // of processor time; 0: no limit
  bool without_input = false;             // standard input is empty; else this process's own
  std::filesystem::path folder = {};      // its working folder; empty: this process's
  std::size_t captured_bytes = SIZE_MAX;  // of each stream: the first so many, and as many of the last
};

struct ChildResult {
  int exit_code = 0;  // negative: the signal that ended it
  bool timed_out = false;
  std::string out;
  std::string err;
  double seconds = 0;
};

class ChildPool {
 public:
  ChildPool() = default;
  ~ChildPool();
  ChildPool(const ChildPool&) = delete;
  ChildPool& operator=(const ChildPool&) = delete;

  /// Runs `body` in a child whose status is what it gives. The key names the child in wait_any's answer. False when the
  /// system gives no process.
  bool start(std::size_t key, const std::function<int()>& body, const ChildOptions& options);
  [[nodiscard]] std::size_t running() const { return children_.size(); }
  /// Waits until some child ended, or was killed at its time limit. There must be one.
  std::pair<std::size_t, ChildResult> wait_any();

 private:
  using Clock = std::chrono::steady_clock;

  /// What a stream gave: its beginning and its end.
  struct Stream {
    int descriptor = -1;  // -1: it ended
    std::string head;
    std::string tail;
  };
  struct Child {
    std::size_t key = 0;
    pid_t process = 0;
    int ending = -1;  // a descriptor that becomes readable when the process ends; -1 where the kernel has none
    ChildOptions options;
    Clock::time_point start;
    Stream out;
    Stream err;
    bool timed_out = false;
  };

  static void read_available(const ChildOptions& options, Stream& stream);
  void wait_for_news();
  std::optional<ChildResult> ended(Child& child);

  std::deque<Child> children_;
};

/// One child, waited for. Nothing when the system gives no process.
[[nodiscard]] std::optional<ChildResult> run_child(const std::function<int()>& body, const ChildOptions& options);

/// Bytes as text of a record: what is not UTF-8 appears as \xNN.
[[nodiscard]] std::string recorded_text(std::string_view bytes);

}  // namespace cairn::cli
