// The one interface behind which a device stands: memory, copies, regions, queues, and what a failed guard does to them
// (devices, 2 to 8 and 19). Emulation implements it on host threads; an implementation of its own code stands behind
// the same header and is told of kernels by their number in the module.
//
// Invariants.
// - A Device is shared by all threads of an instance. Each host thread that does device work has one Context, whose
//   operations happen in program order and, queued work aside, have happened for all the host can tell when they
//   return.
// - Addresses are the device's own: host code never reads through one of Space::Device.
// - A kernel's environment holds values and views alone, and is copied when work is queued: nothing on the host has to
//   outlive the call.
// - A guard that fails in a kernel poisons the device: the operation that finds it reports Trapped, and every later
// one,
//   of every context, Trapped or Lost. Nothing queued behind the kernel runs.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::bytecode {
struct Module;
}

namespace cairn::cuda {

/// Where memory lives; the numbers are those of bytecode's `place` operands.
enum class Space : std::uint8_t { Host, Device, Pinned, Unified };

enum class Failure : std::uint8_t {
  None,
  Memory,   // there is no such memory, or no more of it
  Trapped,  // a guard failed in this very work; the host thread knows which
  Lost,     // an earlier failure poisoned the device
  Missing,  // the device has no such kernel
  Refused,  // the device or its driver does not do it; the host thread was told why
};

struct DeviceTrap;  // cuda/compiler.hpp

/// A foreign kernel's launch: its arguments as bytecode passes them, a pointer and length for a view.
struct Launch {
  std::string_view symbol;
  std::string_view passing;  // of each argument: 'v' a value, 'p' a view, of which the kernel takes the pointer
  std::uint32_t blocks = 0;
  std::uint32_t threads = 0;
  std::span<const std::uint64_t> arguments;
};

/// A device lane function of the module, or a kernel of a cooperative region, and what its lanes are given.
struct Kernel {
  std::uint32_t function = 0;
  std::span<const std::uint8_t> environment;
};

/// What the host thread that calls a context lends it: memory its instance counts, and the means to run kernels. Only a
/// device without memory and code of its own uses them.
class HostThread {
 public:
  virtual ~HostThread() = default;
  /// Zeroed storage of exactly count * size bytes; null when it cannot be had, or for no elements.
  [[nodiscard]] virtual void* allocate(std::uint64_t count, std::uint64_t size, std::uint32_t align) = 0;
  virtual void release(void* memory, std::uint64_t bytes) = 0;
  /// Runs the kernel's lanes lo .. hi in index order on this thread; `more` are its arguments after lo and hi. False
  /// when a guard failed: the trap is recorded.
  [[nodiscard]] virtual bool run(const Kernel& kernel, std::uint64_t lo, std::uint64_t hi,
                                 std::span<const std::uint64_t> more, std::uint64_t* result) = 0;
  /// Runs the kernel's lanes 0 .. count in any order, on as many threads as pay.
  [[nodiscard]] virtual bool run_all(const Kernel& kernel, std::uint64_t count) = 0;
  /// Runs a cooperative kernel's blocks and then its finish.
  [[nodiscard]] virtual bool run_blocks(const Kernel& kernel, std::uint64_t blocks) = 0;
  /// Told before Failure::Trapped comes of an operation: the guard that failed in device code.
  virtual void trapped(const DeviceTrap& trap) = 0;
  /// Told before Failure::Refused comes: why, as the end of a sentence.
  virtual void refused(std::string why) = 0;
};

/// Memory, or why there is none.
struct Allocation {
  Failure failure = Failure::None;
  void* memory = nullptr;  // null for no elements
};

/// Queued work, or why it was not queued. Tickets are waited for once, by the context that gave them.
struct Queued {
  Failure failure = Failure::None;
  std::uint64_t ticket = 0;
};

/// Elements on some side. `elements` starts where the first one lies.
struct Region {
  Space space = Space::Host;
  void* elements = nullptr;
};

/// The device as one host thread sees it. `host` is that thread, in every call.
class Context {
 public:
  virtual ~Context() = default;

  /// Zeroed storage of `count` elements of `size` bytes on a boundary of `align` bytes, and of 256 at least.
  [[nodiscard]] virtual Allocation allocate(HostThread& host, Space space, std::uint64_t count, std::uint64_t size,
                                            std::uint32_t align) = 0;
  virtual void release(HostThread& host, Space space, void* memory, std::uint64_t bytes) = 0;

  [[nodiscard]] virtual Failure copy(HostThread& host, Region to, Region from, std::uint64_t bytes) = 0;

  /// A region: every index below the count once, in any order.
  [[nodiscard]] virtual Failure parallel(HostThread& host, const Kernel& kernel, std::uint64_t count) = 0;
  [[nodiscard]] virtual Failure cooperative(HostThread& host, const Kernel& kernel, std::uint64_t blocks) = 0;

  /// A kernel that vendored code defines.
  [[nodiscard]] virtual Failure launch(HostThread& host, const Launch& launch) = 0;

  /// Collectors. `fold` is bytecode's (a ReduceKind + 256 * a ScalarKind), `identity` its total of nothing; the kernel
  /// folds its indices and returns their total as a register holds it.
  [[nodiscard]] virtual Failure reduce(HostThread& host, const Kernel& kernel, std::uint64_t count, std::uint64_t fold,
                                       std::uint64_t identity, std::uint64_t& total) = 0;
  /// The total goes into one element of the device's memory and stays there.
  [[nodiscard]] virtual Failure reduce_to(HostThread& host, const Kernel& kernel, std::uint64_t count,
                                          std::uint64_t fold, std::uint64_t identity, void* element) = 0;
  /// The kernel writes the prefixes of its indices to the output. `total`: null when nobody reads it.
  [[nodiscard]] virtual Failure scan(HostThread& host, const Kernel& kernel, std::uint64_t count, std::uint64_t fold,
                                     std::uint64_t identity, void* output, std::uint64_t* total) = 0;
  /// The kernel (lo, hi, view out) keeps some of its indices: it stores what they yield at out from element 0 on, in
  /// order, and returns how many there are. `output` has room for `count` elements.
  [[nodiscard]] virtual Failure compact(HostThread& host, const Kernel& kernel, std::uint64_t count, void* output,
                                        std::uint64_t& kept) = 0;

  /// c (rows x columns, of f32) += a (rows x depth) times b (depth x columns), all whole matrices of the device's
  /// memory and row by row, within the bound of mma_unordered (numerics, 4). Missing: this device's memory is the
  /// host's, which multiplies itself.
  struct Product {
    std::uint64_t rows = 0, columns = 0, depth = 0;
    void* c = nullptr;
    const void* a = nullptr;
    const void* b = nullptr;
  };
  [[nodiscard]] virtual Failure multiply(HostThread& /*host*/, std::uint32_t /*element*/, const Product& /*product*/) {
    return Failure::Missing;
  }

  /// The next work this context queues starts after that of the ticket has ended.
  virtual void after(std::uint64_t ticket) = 0;
  [[nodiscard]] virtual Queued queue_parallel(HostThread& host, const Kernel& kernel, std::uint64_t count) = 0;
  [[nodiscard]] virtual Queued queue_copy(HostThread& host, Region to, Region from, std::uint64_t bytes) = 0;
  [[nodiscard]] virtual Failure wait(HostThread& host, std::uint64_t ticket) = 0;

  /// Makes now what later work would make when it first comes: streams, and the code of every kernel of the module.
  [[nodiscard]] virtual Failure prepare(HostThread& /*host*/) { return Failure::None; }
  /// Which stream synchronous work runs on from now on: the context's own (null), or one of the caller, made in the
  /// device's primary context. With `waits` false regions and copies within the device return when they are queued
  /// there, and a guard that fails shows at the next operation that waits (devices, 21).
  virtual void use_stream(void* /*stream*/, bool /*waits*/) {}  // who has no streams has done the work when asked
};

class Device {
 public:
  virtual ~Device() = default;
  /// A context for the calling host thread, which keeps it until it ends. The device outlives its contexts.
  [[nodiscard]] virtual std::unique_ptr<Context> context() = 0;
};

/// A device that is host threads: its memory is the instance's, queued work runs where it is queued, collectors run in
/// index order, and a failed guard is one of the host thread (devices, 19).
[[nodiscard]] std::unique_ptr<Device> emulated_device();

// ------------------------------------------------------------------------------------------------- a GPU

struct GpuOptions {
  int ordinal = 0;
  std::string target;               // what kernels are compiled for: "sm_90"
  bool shares_the_primary = false;  // works in the primary context, which the process's other users of the GPU share:
                                    // for streams and memory of a caller. Else in a context of its own
};

/// The GPU, with a context made. It runs kernels of `module`, which outlives it, and compiles each when it is first
/// launched. Else what is missing, as a sentence without its full stop.
[[nodiscard]] std::expected<std::unique_ptr<Device>, std::string> open_gpu(const bytecode::Module& module,
                                                                           const GpuOptions& options);

}  // namespace cairn::cuda
