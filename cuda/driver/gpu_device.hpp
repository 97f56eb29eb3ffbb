// A GPU behind the Driver API: what all host threads of an instance share (devices, 2 to 8, 16 and 20).
//
// Invariants.
// - Everything the device made is freed with it, in its own context whole; the primary context only loses what was made
//   here.
// - A kernel is compiled and loaded once, when it is first launched, and keeps a trap record of its own in host memory
//   that outlives a failed context.
// - The first status that ends the context's work is kept: every later operation, of every thread, reports the guard
//   that failed where one did, else Lost.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cuda/compiler.hpp"
#include "cuda/device.hpp"
#include "cuda/driver/driver.hpp"

namespace cairn::cuda {

/// A kernel as the device holds it.
struct LoadedKernel {
  Code code;
  ModuleHandle module = nullptr;
  std::vector<FunctionHandle> functions;  // of each entry
  std::vector<std::uint32_t> threads;     // of a block, of each entry: fewer than the code's where registers ask for it
  TrapRecord* record = nullptr;
};

/// A vendored kernel as the device holds it.
struct VendoredKernel {
  FunctionHandle function = nullptr;
  std::uint32_t most_threads = 0;  // of a block
};

/// Memory of a context's own that grows to the largest request and stays.
struct Arena {
  Address memory = 0;
  std::uint64_t bytes = 0;
};

/// A lent stream, and the event that tells when its work has ended.
struct Lane {
  StreamHandle stream = nullptr;
  EventHandle ended = nullptr;
};

/// What a host thread works with. A thread that ends leaves it to the next.
struct ThreadResources {
  StreamHandle stream = nullptr;
  EventHandle reached = nullptr;  // how far the stream is, for work on other streams
  Arena arena;
  void* host_word = nullptr;  // 8 bytes that both sides reach, for totals
  std::vector<Lane> lanes;
};

class GpuDevice final : public Device {
 public:
  /// What is opened: the driver's library at a path of its own, and where code comes from. For tests; empty: the usual.
  struct Parts {
    std::string library;
    std::unique_ptr<Compiler> compiler;
  };
  [[nodiscard]] static std::expected<std::unique_ptr<GpuDevice>, std::string> open(const bytecode::Module& module,
                                                                                   const GpuOptions& options,
                                                                                   Parts parts);
  ~GpuDevice() override;
  [[nodiscard]] std::unique_ptr<Context> context() override;

  // ------------------------------------------------------------------ for contexts; the GPU's context is current
  [[nodiscard]] const Functions& call() const { return driver_->call; }
  [[nodiscard]] const bytecode::Module& module() const { return module_; }
  [[nodiscard]] ContextHandle handle() const { return context_; }

  /// What becomes of a status: nothing, memory that is not there, or the end of the device's work, of which the host
  /// thread is told. `doing`: what was asked, "a launch of f".
  [[nodiscard]] Failure judged(HostThread& host, Status status, std::string_view doing);
  /// The failure of an earlier operation, if there was one.
  [[nodiscard]] Failure standing(HostThread& host);

  [[nodiscard]] std::expected<const LoadedKernel*, std::string> kernel(const KernelUse& use);

  /// A kernel of the module's vendored sources, which are loaded with the device; null when none defines it.
  [[nodiscard]] const VendoredKernel* vendored(std::string_view symbol) const;

  /// Zeroed; what zeroing takes is queued on `stream`.
  [[nodiscard]] Status allocate(Space space, std::uint64_t bytes, std::uint64_t align, StreamHandle stream,
                                void*& memory);
  void release(void* memory, StreamHandle stream);

  [[nodiscard]] Status take_resources(std::unique_ptr<ThreadResources>& resources);
  void give_back(std::unique_ptr<ThreadResources> resources);
  [[nodiscard]] Status make_lane(Lane& lane);
  /// A u32 that is 0 between the launches of a stream, for regions with a finish; a launch that the caller captures
  /// into a graph keeps one for good. 0 when all are taken.
  [[nodiscard]] Address counter_for(StreamHandle stream);
  /// Device memory without zeroing, on a boundary of 256 bytes.
  [[nodiscard]] Status take_memory(std::uint64_t bytes, StreamHandle stream, Address& memory);
  void free_memory(Address memory, StreamHandle stream);

 private:
  struct Held {
    Space space = Space::Device;
    Address start = 0;  // where the allocation starts: below the address given out when the boundary is a wide one
    bool managed = false;
  };

  GpuDevice(const bytecode::Module& module, std::shared_ptr<const Driver> driver, std::unique_ptr<Compiler> compiler)
      : module_(module), driver_(std::move(driver)), compiler_(std::move(compiler)) {}
  [[nodiscard]] std::string start(const GpuOptions& options);
  void free(const Held& held, StreamHandle stream);
  void destroy(ThreadResources& resources);
  [[nodiscard]] TrapRecord* new_record();
  /// The failed guard that some kernel recorded. The mutex is held.
  [[nodiscard]] const DeviceTrap* recorded_trap();
  [[nodiscard]] std::expected<std::unique_ptr<LoadedKernel>, std::string> loaded(const KernelUse& use);
  /// An image as a module of the context; else why not, as a sentence. `what`: "the code of f".
  [[nodiscard]] std::expected<ModuleHandle, std::string> load(std::span<const std::uint8_t> image,
                                                              const std::string& what);
  [[nodiscard]] std::string load_vendored();

  const bytecode::Module& module_;
  std::shared_ptr<const Driver> driver_;
  std::unique_ptr<Compiler> compiler_;
  DeviceHandle device_ = 0;
  ContextHandle context_ = nullptr;
  bool shares_the_primary_ = false;
  bool unified_is_managed_ = false;
  PoolHandle pool_ = nullptr;

  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::optional<DeviceTrap> trap_;
  std::unordered_map<void*, Held> memory_;
  std::map<std::tuple<std::uint32_t, Use, std::uint32_t>, std::unique_ptr<LoadedKernel>> kernels_;
  std::map<std::string, VendoredKernel, std::less<>> vendored_;
  std::vector<ModuleHandle> vendored_modules_;
  std::vector<void*> record_pages_;
  std::size_t records_used_ = 0;
  std::vector<std::unique_ptr<ThreadResources>> idle_;
  Address counters_ = 0;
  std::uint32_t counters_used_ = 0;
  std::unordered_map<StreamHandle, Address> counter_of_;
};

/// Makes the GPU's context the calling thread's while it lives.
class Current {
 public:
  explicit Current(const GpuDevice& device) : call_(device.call()) {
    pushed_ = call_.context_push(device.handle()) == Status::Success;
  }
  ~Current() {
    ContextHandle popped = nullptr;
    if (pushed_) call_.context_pop(&popped);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  const Functions& call_;
  bool pushed_ = false;
};

/// The context of one host thread.
[[nodiscard]] std::unique_ptr<Context> gpu_context(GpuDevice& device);

}  // namespace cairn::cuda
