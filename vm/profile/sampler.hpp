// A sampling profiler of a running instance. A thread of its own looks at the processor time of every other a thousand
// times a second and sends SIGPROF to those that ran. Where the signal finds machine code, the frame's links give the
// stack; where it finds a native, the frame that called it does; anywhere else the thread tells of itself when it next
// looks at its fuel, which the signal takes away. Threads that wait are left alone, and results never differ.
//
// One sampler at a time in a process: a signal has one handler.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sys/types.h>

#include "vm/bytecode/module.hpp"
#include "vm/profile/samples.hpp"

namespace cairn {
class Thread;
class Instance;
}  // namespace cairn

namespace cairn::profile {

class Sampler;

/// What is known of one thread of the instance.
struct ThreadSamples {
  Samples samples;
  Thread* thread = nullptr;  // null when it ended, and of the thread that compiles
  pid_t id = 0;
  clockid_t clock = 0;
  std::uint64_t seen = 0;             // processor time when it was last looked at, ns
  std::atomic<std::uint64_t> due{0};  // processor time that no sample stands for yet, ns
  std::atomic<bool> busy{false};      // a sample is being written
  const Sampler* sampler = nullptr;
};

class Sampler {
 public:
  explicit Sampler(Instance& instance);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// Of the calling thread, which runs `thread`.
  void attach(Thread& thread);
  void detach(Thread& thread);

  /// The thread stands at an instruction of a frame and has time that is due.
  static void tell(ThreadSamples& own, const bytecode::Word* pc, const std::uint64_t* base, bool in_machine_code);

  /// Processor time in ns.
  [[nodiscard]] static std::uint64_t time_of_this_thread();
  /// The thread that makes machine code in the background did so for that long.
  void add_compilation(std::uint64_t nanoseconds);

  /// Ends sampling. What is due goes to where the threads were seen last.
  void stop();
  [[nodiscard]] std::uint64_t elapsed() const { return elapsed_; }  // ns of the wall clock, after stop()
  [[nodiscard]] const std::vector<std::unique_ptr<ThreadSamples>>& threads() const { return threads_; }
  /// Of the thread that compiles; null when none did.
  [[nodiscard]] const ThreadSamples* compiler() const { return compiler_; }
  [[nodiscard]] const Instance& instance() const { return instance_; }

 private:
  void watch();
  void look_at(ThreadSamples& each);
  static void on_signal(int, siginfo_t*, void* context);
  /// `inlined`: functions that share the code of `function`, whose frame `base` is, the innermost first.
  void add(ThreadSamples& own, std::uint32_t function, const std::uint64_t* base, Engine engine, bool in_native,
           std::span<const std::uint32_t> inlined = {}) const;

  Instance& instance_;
  std::vector<std::uint32_t> owners_;  // by function: the one it stands in
  std::vector<bool> emulated_;         // by function
  std::mutex mutex_;
  std::vector<std::unique_ptr<ThreadSamples>> threads_;
  ThreadSamples* compiler_ = nullptr;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> active_{false};
  std::thread watcher_;
  std::uint64_t began_ = 0;
  std::uint64_t elapsed_ = 0;
};

}  // namespace cairn::profile
