// Shows on a terminal how far long work is; says nothing where stderr is none, and nothing of work that is soon done.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace cairn::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  /// Takes its line away.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void tell(std::size_t done, std::size_t total);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point next_;
};

/// From now on an interrupt takes the line away, says that there is no verdict, and ends the process as the signal
/// does. What runs in children ends with it.
void tell_of_interrupts();

}  // namespace cairn::cli
