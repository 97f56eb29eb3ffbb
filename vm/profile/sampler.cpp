#include "vm/profile/sampler.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "vm/bytecode/owners.hpp"
#include "vm/interpreter/machine.hpp"
#include "vm/interpreter/thread.hpp"
#include "vm/tiers/tiers.hpp"

namespace cairn::profile {
namespace {

constexpr std::uint64_t kPeriod = 1'000'000;      // ns between two looks at the threads
constexpr std::uint64_t kLeastRun = kPeriod / 2;  // what a thread must have run for to be asked
constexpr std::size_t kMostFrames = 256;          // of a stack; what is further out is left out

thread_local ThreadSamples* samples_here = nullptr;

std::uint64_t time_of(clockid_t clock) {
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

/// The host's function that the instruction calls, if it calls one.
bool host_function(const bytecode::Word* pc, FrameKey& key) {
  const bytecode::Op op = bytecode::op_of(pc[0]);
  if (op != bytecode::Op::CallNative && op != bytecode::Op::CallForeign) return false;
  key = {op == bytecode::Op::CallNative ? FrameKey::Kind::Native : FrameKey::Kind::Foreign, bytecode::n_of(pc[0])};
  return true;
}

/// Writes a sample, unless one is being written. Whether sampling has ended is asked after it is made: `stop` waits for
/// those that were made before.
class Writing {
 public:
  explicit Writing(ThreadSamples& own) : own_(own), mine_(!own.busy.exchange(true)) {}
  ~Writing() {
    if (mine_) own_.busy.store(false, std::memory_order_release);
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
  explicit operator bool() const { return mine_; }

 private:
  ThreadSamples& own_;
  bool mine_;
};

}  // namespace

Sampler::Sampler(Instance& instance) : instance_(instance) {
  const std::vector<bytecode::Function>& functions = instance.image().module().functions;
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    owners_.push_back(bytecode::owner_of(instance.image().module(), i));
    const bytecode::FunctionKind kind = functions[i].kind;
    emulated_.push_back(kind == bytecode::FunctionKind::Kernel || kind == bytecode::FunctionKind::DeviceLane);
  }
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigaction(SIGPROF, &action, nullptr);
  began_ = time_of(CLOCK_MONOTONIC);
  active_ = true;
  watcher_ = std::thread([this] { watch(); });
}

Sampler::~Sampler() { stop(); }

void Sampler::attach(Thread& thread) {
  auto made = std::make_unique<ThreadSamples>();
  made->thread = &thread;
  made->id = static_cast<pid_t>(::syscall(SYS_gettid));
  made->sampler = this;
  if (::pthread_getcpuclockid(::pthread_self(), &made->clock) != 0) return;
  made->seen = time_of(made->clock);
  const std::lock_guard guard(mutex_);
  if (!active_) return;
  thread.samples = samples_here = made.get();
  threads_.push_back(std::move(made));
}

void Sampler::detach(Thread& thread) {
  const std::lock_guard guard(mutex_);  // no signal is sent to it from here on
  for (const std::unique_ptr<ThreadSamples>& each : threads_) {
    if (each->thread != &thread) continue;
    each->thread = nullptr;
    if (samples_here == each.get()) samples_here = nullptr;
  }
  thread.samples = nullptr;
}

void Sampler::watch() {
  sigset_t signals;
  ::sigfillset(&signals);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  while (!stopping_.load(std::memory_order_relaxed)) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(kPeriod));
    const std::lock_guard guard(mutex_);
    for (const std::unique_ptr<ThreadSamples>& each : threads_) {
      if (each->thread != nullptr) look_at(*each);
    }
  }
}

void Sampler::look_at(ThreadSamples& each) {
  const std::uint64_t now = time_of(each.clock);
  if (now < each.seen + kLeastRun) return;
  each.due.fetch_add(now - each.seen, std::memory_order_relaxed);
  each.seen = now;
  ::syscall(SYS_tgkill, ::getpid(), each.id, SIGPROF);
}

void Sampler::on_signal(int, siginfo_t*, void* context) {
  const int error = errno;
  ThreadSamples* own = samples_here;
  if (own != nullptr) {
    if (const Writing writing(*own); writing && own->sampler->active_.load()) {
      const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
      const Sampler& sampler = *own->sampler;
      Thread& thread = *own->thread;
      const Tiers* tiers = sampler.instance_.tiers();
      const auto place =
          tiers == nullptr ? std::nullopt : tiers->place_of(reinterpret_cast<const void*>(registers[REG_RIP]));
      if (place) {
        sampler.add(*own, place->function, reinterpret_cast<const std::uint64_t*>(registers[REG_RBX]),
                    place->level == jit::Level::Optimized ? Engine::Optimizing : Engine::Baseline, false,
                    place->inlined);
      } else if (thread.in_native) {
        sampler.add(*own, bytecode::kNone, nullptr, Engine::Native, true);
      } else if (thread.block == nullptr && sampler.instance_.limits().steps == 0) {
        thread.fuel = 0;  // it tells of itself at its next back edge or call
      }
    }
  }
  errno = error;
}

void Sampler::tell(ThreadSamples& own, const bytecode::Word* pc, const std::uint64_t* base, bool in_machine_code) {
  if (own.due.load(std::memory_order_relaxed) == 0) return;
  const Writing writing(own);
  if (!writing || !own.sampler->active_.load()) return;
  const Sampler& sampler = *own.sampler;
  const std::uint32_t function = sampler.instance_.image().function_at(pc);
  if (function == bytecode::kNone) return;
  const Tiers* tiers = sampler.instance_.tiers();
  const Engine engine = !in_machine_code                                          ? Engine::Interpreter
                        : tiers->counted_level(function) == jit::Level::Optimized ? Engine::Optimizing
                                                                                  : Engine::Baseline;
  sampler.add(own, function, base, engine, false);
}

/// The stack from a frame of `function`, or from a native, out to the first call of the thread.
void Sampler::add(ThreadSamples& own, std::uint32_t function, const std::uint64_t* base, Engine engine, bool in_native,
                  std::span<const std::uint32_t> inlined) const {
  const Image& image = instance_.image();
  FrameKey frames[kMostFrames];
  std::size_t count = 0;
  for (const std::uint32_t each : inlined.first(std::min(inlined.size(), kMostFrames / 2))) {
    frames[count++] = {FrameKey::Kind::Function, owners_[each]};
  }
  bool crossed = false;  // from a native or a region to the frame that runs it
  if (function != bytecode::kNone && emulated_[function]) engine = Engine::Emulated;
  const Thread::NativeFrame* outer = &own.thread->native_frame;
  while (count < kMostFrames - 2) {
    if (base == nullptr || function == bytecode::kNone) {
      // The thread's first call, or one that a native or a region made of the frame it was called from.
      if (outer == nullptr || outer->pc == nullptr) break;
      if (host_function(outer->pc, frames[count])) ++count;
      function = image.function_at(outer->pc);
      base = outer->base;
      outer = outer->outer;
      crossed = true;
      if (function == bytecode::kNone) break;
      continue;
    }
    const FrameKey frame{FrameKey::Kind::Function, owners_[function]};
    // A lane and the function that runs its region are one to a reader.
    if (!(crossed && count > 0 && frames[count - 1] == frame)) frames[count++] = frame;
    crossed = false;
    const auto* link = reinterpret_cast<const bytecode::Word*>(base[-1]);
    base = reinterpret_cast<const std::uint64_t*>(base[-2]);
    function = base == nullptr
                   ? bytecode::kNone
                   : image.function_at(interpreter::return_address(reinterpret_cast<std::uint64_t>(link)) - 1);
    if (base == nullptr || (link[0] & 0xffff) != static_cast<bytecode::Word>(interpreter::InternalOp::Resume)) continue;
    // The call was made by functions that share their code: the frame is the outermost one's.
    const auto* point = reinterpret_cast<const ResumePoint*>(link);
    for (std::uint64_t k = 0; k < point->inlined_count && count < kMostFrames - 2; ++k) {
      if (function != bytecode::kNone) frames[count++] = {FrameKey::Kind::Function, owners_[function]};
      function = image.function_at(point->inlined[k].back - 1);
    }
  }
  if (count >= kMostFrames - 2) frames[count++] = {FrameKey::Kind::Deeper, 0};
  if (in_native && (count == 0 || frames[0].kind == FrameKey::Kind::Function)) return;
  own.samples.add({frames, count}, engine, own.due.exchange(0, std::memory_order_relaxed));
}

std::uint64_t Sampler::time_of_this_thread() { return time_of(CLOCK_THREAD_CPUTIME_ID); }

void Sampler::add_compilation(std::uint64_t nanoseconds) {
  const std::lock_guard guard(mutex_);
  if (!active_) return;
  if (compiler_ == nullptr) compiler_ = threads_.emplace_back(std::make_unique<ThreadSamples>()).get();
  const FrameKey frame{FrameKey::Kind::Compiler, 0};
  compiler_->samples.add({&frame, 1}, Engine::Native, nanoseconds);
}

void Sampler::stop() {
  if (!watcher_.joinable()) return;
  stopping_ = true;
  watcher_.join();
  elapsed_ = time_of(CLOCK_MONOTONIC) - began_;
  {
    const std::lock_guard guard(mutex_);  // threads that are made from here on are not added
    active_ = false;
  }
  for (const std::unique_ptr<ThreadSamples>& each : threads_) {
    // Another thread may be in the middle of a sample.
    for (int turn = 0; turn < 1000 && each->busy.load(); ++turn) ::usleep(100);
  }
}

}  // namespace cairn::profile
