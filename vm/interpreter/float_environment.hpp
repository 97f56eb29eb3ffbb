// The floating-point environment a program runs in, whatever its host had set: rounding to nearest, no trapped
// exceptions, subnormals kept (numerics, 1; pair floats, 7.4). The host's comes back when the guard ends.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace cairn {

class FloatEnvironment {
 public:
#if defined(__SSE2__)
  FloatEnvironment() : host_(_mm_getcsr()) {
    if ((host_ & ~kStatus) != kOurs) _mm_setcsr(kOurs);
  }
  ~FloatEnvironment() {
    if ((host_ & ~kStatus) != kOurs) _mm_setcsr(host_);
  }
#else
  FloatEnvironment() {
    std::fegetenv(&host_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&host_); }
#endif
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr unsigned kStatus = 0x3f;  // exceptions that have happened
  static constexpr unsigned kOurs = 0x1f80;  // every exception masked, to nearest, nothing flushed
  unsigned host_;
#else
  std::fenv_t host_;
#endif
};

}  // namespace cairn
