#include "runtime/tasks/task_threads.hpp"

#include <system_error>

namespace cairn::runtime {

TaskThreads::~TaskThreads() {
  for (auto& worker : workers_) {
    worker->closing = true;
    worker->turn.fetch_add(1, std::memory_order_release);
    worker->turn.notify_one();
  }
  // A worker parks itself after it has signalled its task's end, so the list must outlive every thread.
  workers_.clear();
}

void TaskThreads::serve(Worker& worker) {
  for (std::uint32_t turn = 0;; ++turn) {
    while (worker.turn.load(std::memory_order_acquire) == turn) worker.turn.wait(turn, std::memory_order_acquire);
    if (worker.closing) return;
    worker.body(
        worker.context);  // signals its own completion; until the lines below the thread is simply not parked yet
    const std::scoped_lock lock(mutex_);
    parked_.push_back(&worker);
  }
}

bool TaskThreads::start(TaskBody body, void* context) {
  Worker* worker = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    if (!parked_.empty()) {
      worker = parked_.back();
      parked_.pop_back();
    } else {
      auto fresh = std::make_unique<Worker>();
      worker = fresh.get();
      try {
        worker->thread = std::jthread([this, worker] { serve(*worker); });
      } catch (const std::system_error&) {
        return false;
      }
      workers_.push_back(std::move(fresh));
    }
  }
  worker->body = body;
  worker->context = context;
  worker->turn.fetch_add(1, std::memory_order_release);
  worker->turn.notify_one();
  return true;
}

}  // namespace cairn::runtime
