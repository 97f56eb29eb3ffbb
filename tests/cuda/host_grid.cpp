// The fibers of host_grid.hpp.

#include <ucontext.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/cuda/host_grid.hpp"  // after the library: it defines words of CUDA

GridIndex threadIdx, blockIdx, blockDim, gridDim;

namespace {

class HostGrid {
 public:
  static HostGrid& here() {
    static HostGrid grid;
    return grid;
  }

  /// Runs `kernel` in every thread of the grid. False when a guard failed: nothing ran after that.
  bool run(unsigned blocks, unsigned threads, void (*kernel)(void*), void* state) {
    kernel_ = kernel;
    state_ = state;
    failed_ = false;
    gridDim.x = blocks;
    blockDim.x = threads;
    for (unsigned b = 0; b < blocks && !failed_; ++b) {
      blockIdx.x = b;
      run_block(threads);
    }
    return !failed_;
  }

  enum class Stop { Ready, Block, Warp, Done };

  /// The running thread waits for the others of its block, or of its warp.
  void wait(Stop stop) {
    Fiber& fiber = fibers_[running_];
    fiber.stop = stop;
    swapcontext(&fiber.context, &scheduler_);
    threadIdx.x = running_;
  }
  [[noreturn]] void fail() {
    failed_ = true;
    setcontext(&scheduler_);
    __builtin_unreachable();
  }

  /// What every lane of the running thread's warp gives, by lane: all 32 come here together.
  const std::uint64_t* exchange(std::uint64_t given) {
    const unsigned warp = running_ / 32;
    const unsigned round = fibers_[running_].exchanges++ % 2;  // a lane may be one exchange ahead of another's reading
    std::uint64_t* const values = slots_[round].data() + warp * 32;
    values[running_ % 32] = given;
    wait(Stop::Warp);
    return slots_[round].data() + running_ / 32 * 32;
  }

 private:
  static constexpr std::size_t kStack = 128 << 10;
  struct Fiber {
    ucontext_t context{};
    Stop stop = Stop::Ready;
    unsigned exchanges = 0;
  };

  static void enter() {
    HostGrid& grid = here();
    grid.kernel_(grid.state_);
    grid.fibers_[grid.running_].stop = Stop::Done;
    setcontext(&grid.scheduler_);
  }

  void run_block(unsigned threads) {
    fibers_.assign(threads, {});
    if (stacked_ < threads) stacks_ = std::make_unique_for_overwrite<char[]>(threads * kStack);
    stacked_ = std::max<std::size_t>(stacked_, threads);
    for (auto& round : slots_) round.assign((threads + 31) / 32 * 32, 0);
    for (unsigned t = 0; t < threads; ++t) {
      getcontext(&fibers_[t].context);
      fibers_[t].context.uc_stack.ss_sp = stacks_.get() + t * kStack;
      fibers_[t].context.uc_stack.ss_size = kStack;
      fibers_[t].context.uc_link = nullptr;
      makecontext(&fibers_[t].context, &HostGrid::enter, 0);
    }
    while (!failed_ && turn()) {
    }
  }

  /// Every thread that can run, up to where it waits; then those that wait for each other go on. False at the end.
  bool turn() {
    for (unsigned t = 0; t < fibers_.size() && !failed_; ++t) {
      if (fibers_[t].stop == Stop::Ready) resume(t);
    }
    if (failed_) return false;
    bool goes_on = false;
    const auto release = [&](std::size_t from, std::size_t to, Stop stop) {
      bool all = true;
      bool some = false;
      for (std::size_t t = from; t < to; ++t) {
        all &= fibers_[t].stop == stop || fibers_[t].stop == Stop::Done;
        some |= fibers_[t].stop == stop;
      }
      if (!all || !some) return;
      goes_on = true;
      for (std::size_t t = from; t < to; ++t) {
        if (fibers_[t].stop == stop) fibers_[t].stop = Stop::Ready;
      }
    };
    for (std::size_t first = 0; first < fibers_.size(); first += 32) {
      release(first, std::min(first + 32, fibers_.size()), Stop::Warp);
    }
    release(0, fibers_.size(), Stop::Block);
    return goes_on;
  }

  void resume(unsigned t) {
    running_ = t;
    threadIdx.x = t;
    volatile bool is_back = false;
    getcontext(&scheduler_);
    if (is_back) return;
    is_back = true;
    setcontext(&fibers_[t].context);
  }

  void (*kernel_)(void*) = nullptr;
  void* state_ = nullptr;
  ucontext_t scheduler_{};
  std::vector<Fiber> fibers_;
  std::unique_ptr<char[]> stacks_;  // their pages are touched by the fibers alone
  std::size_t stacked_ = 0;         // threads
  std::vector<std::uint64_t> slots_[2];
  unsigned running_ = 0;
  bool failed_ = false;
};

}  // namespace

bool host_grid_run(unsigned blocks, unsigned threads, void (*kernel)(void*), void* state) {
  return HostGrid::here().run(blocks, threads, kernel, state);
}
void host_grid_barrier() { HostGrid::here().wait(HostGrid::Stop::Block); }
const std::uint64_t* host_grid_exchange(std::uint64_t given) { return HostGrid::here().exchange(given); }
void host_grid_fail() { HostGrid::here().fail(); }
