// Threads for tasks (concurrency, 5.3): every task starts at once on a thread of its own, a parked one of an earlier
// task or a new one, so tasks that block on one another never hold each other back.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cairn::runtime {

using TaskBody = void (*)(void* context);

class TaskThreads {
 public:
  TaskThreads() = default;
  TaskThreads(const TaskThreads&) = delete;
  TaskThreads& operator=(const TaskThreads&) = delete;
  ~TaskThreads();  // every task has ended: tasks are joined where they were spawned

  /// Starts body(context) on another thread; false when the system gives no thread.
  [[nodiscard]] bool start(TaskBody body, void* context);

 private:
  struct Worker {
    std::atomic<std::uint32_t> turn{0};  // one more for each task given to it
    TaskBody body = nullptr;
    void* context = nullptr;
    bool closing = false;
    std::jthread thread;
  };
  void serve(Worker& worker);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> parked_;
};

/// A one-shot event: a task's end.
class Completion {
 public:
  void signal() {
    done_.store(1, std::memory_order_release);
    done_.notify_all();
  }
  void wait() const {
    while (done_.load(std::memory_order_acquire) == 0) done_.wait(0, std::memory_order_acquire);
  }
  [[nodiscard]] bool done() const { return done_.load(std::memory_order_acquire) != 0; }

 private:
  std::atomic<std::uint32_t> done_{0};
};

}  // namespace cairn::runtime
