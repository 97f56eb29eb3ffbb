// This thread's own time, which other programs on the machine do not lengthen.
#pragma once

#include <ctime>

namespace cairn::bench {

inline double thread_nanoseconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace cairn::bench
