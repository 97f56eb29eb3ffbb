#include "vm/cli/progress.hpp"

#include <csignal>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "vm/cli/output.hpp"

namespace cairn::cli {

namespace {

constexpr std::chrono::milliseconds kQuiet{700};    // before the first line
constexpr std::chrono::milliseconds kBetween{100};  // two lines

/// Calls nothing that a signal handler may not.
void interrupted(int signal) {
  const std::string_view words = ::isatty(STDERR_FILENO) == 1 ? "\r\x1b[Kinterrupted: there is no verdict\n"
                                                              : "interrupted: there is no verdict\n";
  static_cast<void>(::write(STDERR_FILENO, words.data(), words.size()) < 0);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

Progress::Progress(std::string what)
    : what_(std::move(what)), terminal_(::isatty(STDERR_FILENO) == 1), next_(Clock::now() + kQuiet) {}

Progress::~Progress() {
  if (shown_) write_error("\r\x1b[K");
}

void Progress::tell(std::size_t done, std::size_t total) {
  if (!terminal_ || total == 0 || Clock::now() < next_) return;
  next_ = Clock::now() + kBetween;
  shown_ = true;
  const auto percent = static_cast<unsigned>(100.0 * static_cast<double>(done) / static_cast<double>(total));
  write_error("\r\x1b[K" + what_ + " " + std::to_string(percent) + "%");
}

void tell_of_interrupts() {
  struct sigaction action{};
  action.sa_handler = interrupted;
  action.sa_flags = SA_NODEFER;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

}  // namespace cairn::cli
