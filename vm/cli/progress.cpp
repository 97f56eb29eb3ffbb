#include "vm/cli/progress.hpp"

#include <utility>

#include <unistd.h>

#include "vm/cli/output.hpp"

namespace cairn::cli {

namespace {

constexpr std::chrono::milliseconds kQuiet{700};    // before the first line
constexpr std::chrono::milliseconds kBetween{100};  // two lines

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

}  // namespace cairn::cli
