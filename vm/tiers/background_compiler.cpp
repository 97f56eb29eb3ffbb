#include "vm/tiers/background_compiler.hpp"

#include <csignal>
#include <memory>
#include <system_error>

#include <pthread.h>

#include "vm/interpreter/float_environment.hpp"
#include "vm/profile/sampler.hpp"

namespace cairn {

/// Every compiler of the process, for the handlers of fork.
struct BackgroundCompiler::Forking {
  std::mutex mutex;
  std::set<BackgroundCompiler*> all;

  static Forking& here() {
    static Forking* const made = [] {
      ::pthread_atfork(before, after, in_child);
      return new Forking;  // lives as long as the process
    }();
    return *made;
  }
  static void before() {
    here().mutex.lock();
    for (BackgroundCompiler* each : here().all) {
      each->working_.lock();
      each->mutex_.lock();
    }
  }
  static void after() {
    for (BackgroundCompiler* each : here().all) {
      each->mutex_.unlock();
      each->working_.unlock();
    }
    here().mutex.unlock();
  }
  static void in_child() {
    // The thread is none of this process: its handle is neither joined nor detached.
    for (BackgroundCompiler* each : here().all) std::construct_at(&each->thread_);
    after();
  }
};

BackgroundCompiler::BackgroundCompiler(jit::MachineCode& code, profile::Sampler* sampler)
    : code_(code), sampler_(sampler) {
  Forking& forking = Forking::here();
  const std::lock_guard guard(forking.mutex);
  forking.all.insert(this);
}

BackgroundCompiler::~BackgroundCompiler() {
  {
    Forking& forking = Forking::here();
    const std::lock_guard guard(forking.mutex);
    forking.all.erase(this);
  }
  code_.give_up();
  closing_.store(true, std::memory_order_relaxed);
  turn_.fetch_add(1, std::memory_order_release);
  turn_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool BackgroundCompiler::ask(std::uint32_t function, std::uint32_t word) {
  {
    const std::lock_guard guard(mutex_);
    if (!thread_.joinable() && !start()) return false;
    if (!asked_.emplace(function, word).second) return true;
    waiting_.emplace_back(function, word);
    undone_.fetch_add(1, std::memory_order_relaxed);
  }
  turn_.fetch_add(1, std::memory_order_release);
  turn_.notify_one();
  return true;
}

bool BackgroundCompiler::start() {
  // Signals are for the program's threads: this one has them blocked from its first instruction on.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {
    waiting_.clear();  // of the process this one was forked from
    undone_.store(0, std::memory_order_relaxed);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread_.joinable();
}

void BackgroundCompiler::serve() {
  const FloatEnvironment environment;  // constants are folded as the program would compute them
  while (true) {
    const std::uint32_t turn = turn_.load(std::memory_order_acquire);
    if (closing_.load(std::memory_order_relaxed)) return;
    if (!make_next()) turn_.wait(turn, std::memory_order_acquire);
  }
}

/// False when nothing is asked for.
bool BackgroundCompiler::make_next() {
  const std::lock_guard working(working_);
  Place place;
  {
    const std::lock_guard guard(mutex_);
    if (waiting_.empty()) return false;
    place = waiting_.front();
    waiting_.pop_front();
  }
  const std::uint64_t begin = sampler_ == nullptr ? 0 : profile::Sampler::time_of_this_thread();
  const auto [function, word] = place;
  if (word == 0) {
    code_.compile(function, jit::Level::Optimized);
  } else {
    static_cast<void>(code_.loop_point(function, word));
  }
  undone_.fetch_sub(1, std::memory_order_relaxed);
  if (sampler_ != nullptr) sampler_->add_compilation(profile::Sampler::time_of_this_thread() - begin);
  return true;
}

}  // namespace cairn
