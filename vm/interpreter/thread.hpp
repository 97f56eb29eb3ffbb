// One thread of a running instance: its stacks, its heap, the trap it ended with. The interpreter, compiled code and
// natives are given the Thread they run on.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "runtime/memory/heap.hpp"
#include "runtime/memory/stack.hpp"
#include "runtime/trap/trap_record.hpp"
#include "vm/interpreter/image.hpp"
#include "vm/interpreter/step_account.hpp"
#include "vm/tiers/tier.hpp"

namespace cairn {

class Tiers;
namespace runtime {
class LanePool;
class TaskThreads;
}  // namespace runtime
namespace interpreter {
class Block;
}
class Thread;
namespace profile {
class Sampler;
struct ThreadSamples;
}  // namespace profile
namespace cuda {
class Context;
class Device;
struct DeviceTrap;
}  // namespace cuda

/// Where print, println, eprint and eprintln go. The default writes to file descriptors 1 and 2, unbuffered.
class OutputSink {
 public:
  virtual ~OutputSink() = default;
  /// One call for each print of at most 4096 bytes. False when the bytes could not be written.
  virtual bool write(bool to_error, std::span<const char> bytes) = 0;
};

/// write(2), whole and again when interrupted.
class DescriptorSink final : public OutputSink {
 public:
  bool write(bool to_error, std::span<const char> bytes) override;
};

/// Calls foreign functions of the image (`extern` declarations) through the platform's calling convention.
class ForeignCaller {
 public:
  virtual ~ForeignCaller() = default;
  /// Arguments lie in `window` as the signature's slots, and the result goes there.
  /// A call that fails leaves what to trap with in `thread.pending`.
  virtual void call(Thread& thread, std::uint32_t foreign, std::uint64_t* window) = 0;
};

/// Limits a host sets; 0 is none. Any but the memory and stack limits make the interpreter count back edges and calls.
struct Limits {
  std::uint64_t memory_bytes = 0;
  std::size_t stack_bytes = ThreadStack::kDefaultBytes;
  std::uint64_t steps = 0;     // back edges and calls
  std::size_t lanes = 0;       // of the pool; 0: CAIRN_LANES, else the cores
  std::size_t code_bytes = 0;  // of machine code, of which there is a bound in any case
  std::uint64_t tasks = 0;     // running at one time
};

/// What all threads of an instance share. Its pool and task threads start when something first asks for them, and end
/// with it; each of them destroys its own heap.
class Instance {
 public:
  Instance(const Image& image, OutputSink& output, Limits limits = {}, Tier tier = Tier::Interpreter);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] const Image& image() const { return image_; }
  /// Null where the interpreter does everything.
  [[nodiscard]] Tiers* tiers() const { return tiers_.get(); }
  [[nodiscard]] OutputSink& output() const { return output_; }
  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] InstanceMemory& memory() { return memory_; }
  /// Where device work is done; without one it traps. Set before anything runs.
  void set_device(std::unique_ptr<cuda::Device> device);
  /// The same of a device that is opened when it is first asked for: it, or what is missing.
  using OpenDevice = std::function<std::expected<std::unique_ptr<cuda::Device>, std::string>()>;
  void set_device_source(OpenDevice open) { open_device_ = std::move(open); }
  /// Null, with what is missing in `why`, when there is none.
  [[nodiscard]] cuda::Device* device(std::string& why);
  /// What the program sees as its argument list: its own path, then its arguments, each followed by a NUL.
  [[nodiscard]] const std::string& argument_list() const { return argument_list_; }
  void set_argument_list(std::string list) { argument_list_ = std::move(list); }
  [[nodiscard]] ForeignCaller* foreign_caller() const { return foreign_caller_; }
  void set_foreign_caller(ForeignCaller* caller) { foreign_caller_ = caller; }

  /// Asks every thread to stop with a trap of kind `interrupt` at its next back edge or call. Heeded where `watched`.
  void interrupt() { interrupted_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool interrupted() const { return interrupted_.load(std::memory_order_relaxed); }
  /// From this moment of the monotonic clock on, in nanoseconds, every thread stops with a trap of kind `limit`; 0:
  /// never. Heeded where `watched`.
  void set_deadline(std::int64_t nanoseconds) { deadline_.store(nanoseconds, std::memory_order_relaxed); }
  [[nodiscard]] bool past_deadline() const;
  /// Whether a thread that waits for another should give up: what it waits for may never come.
  [[nodiscard]] bool stopping() const { return watched() && (interrupted() || past_deadline()); }
  /// Samples the threads made from now on; null: none. Set before anything runs, and outlives them.
  void set_sampler(profile::Sampler* sampler) { sampler_ = sampler; }
  [[nodiscard]] profile::Sampler* sampler() const { return sampler_; }
  /// Threads poll: for hosts that may interrupt. Set before anything runs.
  void watch() { watched_ = true; }
  [[nodiscard]] bool watched() const { return watched_ || limits_.steps != 0; }
  /// Called with the first trap of the instance, on the thread it happened on, before anything else is done about it: a
  /// command line ends the process there.
  void on_trap(std::function<void(const TrapRecord&)> handler) { on_trap_ = std::move(handler); }
  /// Keeps the first; where `watched`, every other thread is asked to stop.
  void tell_trap(const TrapRecord& record);
  /// The first trap of the instance, on whatever thread.
  [[nodiscard]] std::optional<TrapRecord> first_trap() const {
    const std::lock_guard guard(trap_mutex_);
    return first_trap_;
  }
  /// Asks every thread to stop and waits until none runs: before the stack they borrow from goes.
  void stop();
  /// The same, and releases what is kept.
  void end();

  /// Something the program made and is to release; what it has not when the instance ends is released then.
  void keep(void* object, void (*release)(void*));
  void forget(void* object);
  /// False when as many tasks run as may.
  [[nodiscard]] bool begin_task();
  void end_task() { tasks_.fetch_sub(1, std::memory_order_relaxed); }

  /// The pool of lanes, or null with what is wrong with CAIRN_LANES in `why`.
  [[nodiscard]] runtime::LanePool* lane_pool(std::string& why);
  [[nodiscard]] runtime::TaskThreads& task_threads();
  /// The Thread of the calling pool or task thread.
  [[nodiscard]] Thread& thread_here();

  /// The counters of std.pair.stat, which every thread adds to; their order is that of its record `Counts`.
  static constexpr std::size_t kPairCounters = 17;
  [[nodiscard]] std::array<std::atomic<std::uint64_t>, kPairCounters>& pair_counters() { return pair_counters_; }

  /// What is left of `limits().steps`, where that is a limit.
  [[nodiscard]] StepAccount& steps() { return steps_; }

 private:
  const Image& image_;
  OutputSink& output_;
  Limits limits_;
  InstanceMemory memory_;
  std::mutex device_mutex_;
  OpenDevice open_device_;
  std::string device_missing_ = "there is no device";
  std::unique_ptr<cuda::Device> device_;  // outlives the contexts of the threads below
  ForeignCaller* foreign_caller_ = nullptr;
  profile::Sampler* sampler_ = nullptr;
  std::string argument_list_;
  std::atomic<bool> interrupted_{false};
  std::atomic<std::int64_t> deadline_{0};
  std::atomic<std::uint64_t> tasks_{0};
  bool watched_ = false;
  StepAccount steps_;
  std::array<std::atomic<std::uint64_t>, kPairCounters> pair_counters_{};
  std::function<void(const TrapRecord&)> on_trap_;
  mutable std::mutex trap_mutex_;
  std::optional<TrapRecord> first_trap_;
  std::mutex kept_mutex_;
  std::unordered_map<void*, void (*)(void*)> kept_;
  const std::uint64_t number_;  // of this instance in the process
  std::unique_ptr<Tiers> tiers_;
  std::mutex threads_mutex_;
  std::unique_ptr<runtime::LanePool> lane_pool_;
  std::unique_ptr<runtime::TaskThreads> task_threads_;
};

class Thread {
 public:
  explicit Thread(Instance& instance);
  ~Thread();

  /// Calls a function of the image with its argument slots and copies its result's slots (0, 1 or 2) to `result`. The
  /// trap it ended with, if it did: then nothing of it was released, and only ending the instance is allowed. May be
  /// called from a native of this thread.
  [[nodiscard]] std::optional<TrapRecord> call(std::uint32_t function, std::span<const std::uint64_t> arguments,
                                               std::span<std::uint64_t> result) {
    if (invoke(function, arguments, result)) return std::nullopt;
    return trap;
  }
  /// The same; false when it trapped, and `trap` tells how.
  [[nodiscard]] bool invoke(std::uint32_t function, std::span<const std::uint64_t> arguments,
                            std::span<std::uint64_t> result);

  [[nodiscard]] Instance& instance() const { return instance_; }
  [[nodiscard]] const Image& image() const { return instance_.image(); }
  [[nodiscard]] ThreadHeap& heap() { return heap_; }
  /// The instance's pool, or null with a trap pending.
  [[nodiscard]] runtime::LanePool* lane_pool();
  /// This thread's view of the instance's device, made when first asked for; null, with what is missing in `why`, when
  /// there is no device.
  [[nodiscard]] cuda::Context* device_context(std::string& why);

  // ------------------------------------------------------------------------- for the engines
  const CodeEntry* functions = nullptr;  // of the instance, one load away
  std::uint64_t function_count = 0;
  const bytecode::Word* failed = nullptr;          // the instruction whose guard failed
  std::int64_t fuel = 0;                           // back edges and calls until the next poll, when watched
  bool fuel_given = false;                         // since the thread began
  std::uint8_t refuelled_calls = 0;                // modulo 256
  alignas(64) std::array<std::byte, 4352> spills;  // machine code's own (jit::kThreadSpillBytes)
  bool trapped = false;
  TrapRecord trap;

  /// What a native or foreign call wants to trap with: the detail takes the place of the operands'.
  struct Pending {
    TrapKind kind = TrapKind::None;
    std::string detail;
  };
  Pending pending;

  /// Records a trap at an instruction of a frame, with the calls that led there.
  void record_trap(TrapKind kind, const bytecode::Word* pc, const std::uint64_t* base);
  /// The same of a guard that failed in device code, whose frame is gone but for the values its message names.
  void record_device_trap(const cuda::DeviceTrap& found);
  /// When fuel is spent: takes more. The kind to trap with when there is none, or the host asked to stop.
  TrapKind poll(std::uint64_t steps = kFewSteps);
  /// The same where a block's threads have turns, whose fuel is their turn's: the steps are spent, and none held.
  TrapKind spend(std::uint64_t steps);
  /// Where this thread ends, waits for another, or leaves for code of the host: steps of the limit that it took and has
  /// not used are for others. It takes more at its next back edge or call.
  void give_back_steps() {
    if (holds_steps_) [[unlikely]]
      return_steps();
  }
  /// Back edges and calls between two looks at what is hot, and between two looks at the host's wishes alone.
  static constexpr std::uint64_t kFewSteps = 1 << 10, kManySteps = 1 << 16;

  /// The first free slot and the memory bound while a native runs: where calls it makes start.
  struct NativeFrame {
    std::uint64_t* top = nullptr;
    std::uint8_t* memory = nullptr;
    const bytecode::Word* pc = nullptr;   // the instruction that runs it
    const std::uint64_t* base = nullptr;  // of its frame
    const NativeFrame* outer = nullptr;   // of the native that called into the module
  };
  NativeFrame native_frame;
  /// A native of the host runs, and not something it called.
  volatile bool in_native = false;
  /// What the profiler knows of this thread, when there is one.
  profile::ThreadSamples* samples = nullptr;
  /// The block of a cooperative region whose threads run here, else null.
  interpreter::Block* block = nullptr;

 private:
  void return_steps();
  /// Whether the host asked to stop, in words of a trap.
  [[nodiscard]] TrapKind asked_to_stop();
  /// Why there were no steps: the host asked to stop while this waited for some, or the limit is spent.
  [[nodiscard]] TrapKind out_of_steps();
  /// What the guard of an instruction says, and where it stands.
  void describe_trap(TrapKind kind, std::uint32_t function, const bytecode::Word* pc, const std::uint64_t* base,
                     const std::string& detail);
  /// Adds the notes of a trap: the functions it happened in, from the innermost out.
  void note_calls(std::uint32_t function, const std::uint64_t* base);

  Instance& instance_;
  ThreadStack stack_;
  ThreadHeap heap_;
  std::unique_ptr<cuda::Context> device_context_;
  bool holds_steps_ = false;  // some of `fuel` may be steps of the limit
};

}  // namespace cairn
