#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "runtime/tasks/lock.hpp"
#include "runtime/tasks/task_threads.hpp"

namespace cairn::runtime {
namespace {

TEST_CASE("tasks that wait for one another all run at once", "[runtime][tasks]") {
  TaskThreads threads;
  constexpr std::size_t kTasks = 50;
  struct Shared {
    std::atomic<std::size_t> arrived{0};
  } shared;
  struct Task {
    Shared* shared = nullptr;
    Completion completion;
  };
  for (int round = 0; round < 20; ++round) {
    shared.arrived = 0;
    std::vector<Task> tasks(kTasks);
    for (Task& task : tasks) {
      task.shared = &shared;
      REQUIRE(threads.start(
          [](void* context) {
            auto& self = *static_cast<Task*>(context);
            ++self.shared->arrived;
            while (self.shared->arrived < kTasks) std::this_thread::yield();
            self.completion.signal();
          },
          &task));
    }
    for (const Task& task : tasks) task.completion.wait();
    REQUIRE(shared.arrived == kTasks);
  }
}

TEST_CASE("threads may be given up while a task's thread is still parking itself", "[runtime][tasks]") {
  for (int round = 0; round < 2000; ++round) {
    TaskThreads threads;
    Completion completions[2];
    for (Completion& completion : completions) {
      REQUIRE(threads.start([](void* context) { static_cast<Completion*>(context)->signal(); }, &completion));
    }
    for (const Completion& completion : completions) completion.wait();
  }
}

TEST_CASE("a lock lets one thread in at a time and orders what they write", "[runtime][tasks]") {
  Lock lock;
  std::uint64_t count = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 6; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20000; ++i) {
          if (lock.lock() == Lock::Outcome::Locked) {
            ++count;
            lock.unlock();
          }
        }
      });
    }
  }
  REQUIRE(count == 6 * 20000);
}

TEST_CASE("a thread that locks what it holds is told so, and another waits", "[runtime][tasks]") {
  Lock lock;
  REQUIRE(lock.lock() == Lock::Outcome::Locked);
  REQUIRE(lock.lock() == Lock::Outcome::AlreadyHeld);
  std::atomic<bool> entered{false};
  std::jthread other([&] {
    REQUIRE(lock.lock() == Lock::Outcome::Locked);
    entered = true;
    lock.unlock();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  REQUIRE_FALSE(entered);
  lock.unlock();
  other.join();
  REQUIRE(entered);
}

}  // namespace
}  // namespace cairn::runtime
