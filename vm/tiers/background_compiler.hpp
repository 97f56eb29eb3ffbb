// A thread of an instance that makes optimized code while the program goes on in the code it has. It starts when code
// is first asked for, waits when there is none to make, and ends with the instance: what it is making then is given up.
//
// It survives `fork`: no code is being made at that moment, and in the child, which has no such thread, another is
// started when something is asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "jit/jit.hpp"

namespace cairn {

namespace profile {
class Sampler;
}

class BackgroundCompiler {
 public:
  /// `sampler` is told of the time it takes; may be null. Both outlive this.
  BackgroundCompiler(jit::MachineCode& code, profile::Sampler* sampler);
  ~BackgroundCompiler();
  BackgroundCompiler(const BackgroundCompiler&) = delete;
  BackgroundCompiler& operator=(const BackgroundCompiler&) = delete;

  /// Has the optimized code of the function made, and of it from a loop's start on when `word` is one; once, however
  /// often it is asked for. False when the system gives no thread. From any thread.
  bool ask(std::uint32_t function, std::uint32_t word);
  /// Whether something asked for is not made yet.
  [[nodiscard]] bool busy() const { return undone_.load(std::memory_order_relaxed) != 0; }

 private:
  using Place = std::pair<std::uint32_t, std::uint32_t>;
  struct Forking;

  bool start();
  void serve();
  bool make_next();

  jit::MachineCode& code_;
  profile::Sampler* const sampler_;
  std::mutex working_;  // held while code is made; locked before mutex_
  std::mutex mutex_;    // of what follows
  std::set<Place> asked_;
  std::deque<Place> waiting_;
  std::thread thread_;
  std::atomic<std::uint32_t> undone_{0};
  std::atomic<std::uint32_t> turn_{0};  // changes when there is something to look at
  std::atomic<bool> closing_{false};
};

}  // namespace cairn
