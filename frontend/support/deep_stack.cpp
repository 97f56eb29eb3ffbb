#include "frontend/support/deep_stack.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kRoom = std::size_t{1} << 19;  // kept free below the address the work is given

struct Job {
  const std::function<void(std::uintptr_t)>& work;
  std::size_t bytes;
};

void run_here(const Job& job) {
  const char here = 0;
  const std::uintptr_t top = reinterpret_cast<std::uintptr_t>(&here);
  job.work(top - job.bytes + std::min(kRoom, job.bytes / 2));
}

void* start(void* argument) {
  run_here(*static_cast<const Job*>(argument));
  return nullptr;
}

}  // namespace

void run_on_deep_stack(std::size_t bytes, const std::function<void(std::uintptr_t lowest)>& work) {
  Job job{work, bytes};
  pthread_attr_t attributes;
  pthread_t thread{};
  pthread_attr_init(&attributes);
  const bool started =
      pthread_attr_setstacksize(&attributes, bytes) == 0 && pthread_create(&thread, &attributes, start, &job) == 0;
  pthread_attr_destroy(&attributes);
  if (started) {
    pthread_join(thread, nullptr);
    return;
  }
  rlimit limit{};
  const bool bounded = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  job.bytes = bounded ? std::min<std::size_t>(limit.rlim_cur / 2, bytes) : kRoom * 8;
  run_here(job);
}

}  // namespace cairn
