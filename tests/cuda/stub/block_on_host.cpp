#include "tests/cuda/stub/block_on_host.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sys/mman.h>
#include <ucontext.h>
#include <csetjmp>

namespace {

constexpr std::size_t kStack = 256 << 10;
constexpr unsigned kWarp = 32;

class Block;
Block* running = nullptr;  // of a launch, of which there is one at a time
std::jmp_buf plain_launch;

class Block {
 public:
  explicit Block(const HostLaunch& launch)
      : launch_(launch),
        count_(launch.block.x * launch.block.y * launch.block.z),
        threads_(count_),
        slots_(count_),
        stacks_(static_cast<std::uint8_t*>(::mmap(nullptr, kStack * count_, PROT_READ | PROT_WRITE,
                                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  ~Block() { ::munmap(stacks_, kStack * count_); }

  bool run(StubIndex index) {
    running = this;
    trapped_ = false;
    for (unsigned t = 0; t < count_; ++t) start(t, index);
    bool alive = true;
    while (alive && !trapped_) {
      alive = false;
      bool moved = false;
      for (current_ = 0; current_ < count_ && !trapped_; ++current_) {
        if (threads_[current_].ended) continue;
        alive = true;
        if (!may_go_on(current_)) continue;
        moved = true;
        if (launch_.seen != nullptr) *launch_.seen = &threads_[current_].seen;
        ::swapcontext(&scheduler_, &threads_[current_].at);
      }
      if (alive && !moved && !release()) trapped_ = true;  // threads wait for some that never come
    }
    return !trapped_;
  }

  void wait(int scope) {
    Fiber& fiber = threads_[current_];
    fiber.waiting = scope + 1;
    ::swapcontext(&fiber.at, &scheduler_);
  }
  void trap() {
    trapped_ = true;
    ::swapcontext(&threads_[current_].at, &scheduler_);
  }
  void end() {
    threads_[current_].ended = true;
    ::setcontext(&scheduler_);
  }
  void body() { launch_.entry.run(launch_.arguments); }

 private:
  struct Fiber {
    ucontext_t at;
    StubThread seen;
    int waiting = 0;  // 0, else its scope + 1
    bool ended = false;
  };

  void start(unsigned t, StubIndex index);

  [[nodiscard]] bool may_go_on(unsigned t) const { return threads_[t].waiting == 0; }

  /// Lets go every warp, or the block, whose live threads have all come. False when none has.
  bool release() {
    bool any = false;
    for (unsigned first = 0; first < count_; first += kWarp) any |= release(first, first + kWarp, 2);
    return any || release(0, count_, 1);
  }
  bool release(unsigned first, unsigned last, int scope) {
    if (last > count_) last = count_;
    bool live = false;
    for (unsigned t = first; t < last; ++t) {
      if (threads_[t].ended) continue;
      live = true;
      if (threads_[t].waiting != scope) return false;
    }
    for (unsigned t = first; t < last; ++t) threads_[t].waiting = 0;
    return live;
  }

  const HostLaunch& launch_;
  unsigned count_;
  std::vector<Fiber> threads_;
  std::vector<std::uint64_t> slots_;
  std::uint8_t* stacks_;
  ucontext_t scheduler_;
  unsigned current_ = 0;
  bool trapped_ = false;
};

void run_fiber() {
  running->body();
  running->end();
}
void wait_here(int scope) { running->wait(scope); }
void trap_here() { running->trap(); }
void trap_plain() { std::longjmp(plain_launch, 1); }
void wait_plain(int) { trap_plain(); }  // nothing of the image says that its threads wait

StubThread thread_at(const HostLaunch& launch, unsigned t, StubIndex index) {
  StubThread thread;
  thread.thread_index = {t % launch.block.x, t / launch.block.x % launch.block.y, t / launch.block.x / launch.block.y};
  thread.block_index = index;
  thread.block_size = launch.block;
  thread.grid_size = launch.grid;
  return thread;
}

void Block::start(unsigned t, StubIndex index) {
  Fiber& fiber = threads_[t];
  fiber.seen = thread_at(launch_, t, index);
  fiber.seen.wait = wait_here;
  fiber.seen.trap = trap_here;
  fiber.seen.slots = slots_.data();
  fiber.waiting = 0;
  fiber.ended = false;
  ::getcontext(&fiber.at);
  fiber.at.uc_stack.ss_sp = stacks_ + kStack * t;
  fiber.at.uc_stack.ss_size = kStack;
  fiber.at.uc_link = nullptr;
  ::makecontext(&fiber.at, run_fiber, 0);
}

template <class Run>
bool every_block(const HostLaunch& launch, Run run) {
  for (unsigned z = 0; z < launch.grid.z; ++z) {
    for (unsigned y = 0; y < launch.grid.y; ++y) {
      for (unsigned x = 0; x < launch.grid.x; ++x) {
        if (!run(StubIndex{x, y, z})) return false;
      }
    }
  }
  return true;
}

}  // namespace

bool run_on_host(const HostLaunch& launch) {
  if (launch.waits) {
    Block block(launch);
    return every_block(launch, [&](StubIndex index) { return block.run(index); });
  }
  // Nothing below has a destructor: a trap jumps over it.
  if (setjmp(plain_launch) != 0) return false;
  return every_block(launch, [&](StubIndex index) {
    const unsigned count = launch.block.x * launch.block.y * launch.block.z;
    for (unsigned t = 0; t < count; ++t) {
      StubThread thread = thread_at(launch, t, index);
      thread.wait = wait_plain;
      thread.trap = trap_plain;
      if (launch.seen != nullptr) *launch.seen = &thread;
      launch.entry.run(launch.arguments);
    }
    return true;
  });
}
