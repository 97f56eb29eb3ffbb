#include "cuda/driver/gpu_device.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace cairn::cuda {

namespace {

constexpr std::size_t kJitLogBytes = 8192;
constexpr std::size_t kRecordBytes = 128;  // a record on lines of its own
constexpr std::size_t kRecordPage = 64 * kRecordBytes;
constexpr std::uint64_t kBoundary = 256;  // where device allocations start
constexpr std::uint32_t kCounters = 4096;
static_assert(sizeof(TrapRecord) <= kRecordBytes);

std::string name_of(const bytecode::Module& module, const KernelUse& use) {
  return use.function < module.functions.size() ? module.functions[use.function].name : "a multiplication";
}

}  // namespace

std::expected<std::unique_ptr<GpuDevice>, std::string> GpuDevice::open(const bytecode::Module& module,
                                                                       const GpuOptions& options, Parts parts) {
  auto driver = open_driver(parts.library);
  if (!driver) return std::unexpected(std::move(driver.error()));
  if (parts.compiler == nullptr) {
    auto compiler = Compiler::open(options.target);
    if (!compiler) return std::unexpected(std::move(compiler.error()));
    parts.compiler = std::move(*compiler);
  }
  std::unique_ptr<GpuDevice> device(new GpuDevice(module, std::move(*driver), std::move(parts.compiler)));
  if (std::string why = device->start(options); !why.empty()) return std::unexpected(std::move(why));
  if (std::string why = device->load_vendored(); !why.empty()) return std::unexpected(std::move(why));
  return device;
}

std::string GpuDevice::start(const GpuOptions& options) {
  const auto failed = [&](std::string_view doing, Status status) {
    return "the GPU cannot be used: " + std::string(doing) + " gives " + driver_->describe(status);
  };
  if (const Status status = call().device_get(&device_, options.ordinal); status != Status::Success)
    return failed("GPU " + std::to_string(options.ordinal), status);
  shares_the_primary_ = options.shares_the_primary;
  const Status made =
      shares_the_primary_ ? call().primary_retain(&context_, device_) : call().context_create(&context_, 0, device_);
  if (made != Status::Success) {
    context_ = nullptr;
    return failed("making a context", made);
  }
  if (!shares_the_primary_) {  // it is the calling thread's now
    ContextHandle popped = nullptr;
    call().context_pop(&popped);
  }
  const auto attribute = [&](int which) {
    int value = 0;
    return call().device_attribute(&value, which, device_) == Status::Success ? value : 0;
  };
  // Where the host may not touch managed memory while a kernel runs, page-locked memory that the device reads serves.
  unified_is_managed_ = attribute(kManagedMemory) != 0 && attribute(kConcurrentManagedAccess) != 0;
  const Current current(*this);
  Status status = call().allocate(&counters_, kCounters * sizeof(std::uint32_t));
  if (status == Status::Success) status = call().set_bytes(counters_, 0, kCounters * sizeof(std::uint32_t), nullptr);
  if (status == Status::Success) status = call().stream_synchronize(nullptr);
  if (status != Status::Success) return failed("its first allocation", status);
  if (driver_->pools && attribute(kMemoryPools) != 0) {
    PoolProperties properties;
    properties.device = device_;
    std::uint64_t keep = UINT64_MAX;
    if (call().pool_create(&pool_, &properties) != Status::Success) {
      pool_ = nullptr;
    } else if (call().pool_set(pool_, kPoolReleaseThreshold, &keep) != Status::Success) {
      call().pool_destroy(pool_);
      pool_ = nullptr;
    }
  }
  return {};
}

GpuDevice::~GpuDevice() {
  if (context_ == nullptr) return;
  {
    const Current current(*this);
    for (const auto& resources : idle_) destroy(*resources);
    for (const auto& [memory, held] : memory_) free(held, nullptr);
    if (counters_ != 0) call().free(counters_);
    for (void* const page : record_pages_) call().free_host(page);
    for (const auto& [use, kernel] : kernels_) call().module_unload(kernel->module);
    for (ModuleHandle const module : vendored_modules_) call().module_unload(module);
    if (pool_ != nullptr) call().pool_destroy(pool_);
  }
  if (shares_the_primary_) {
    call().primary_release(device_);
  } else {
    call().context_destroy(context_);
  }
}

std::unique_ptr<Context> GpuDevice::context() { return gpu_context(*this); }

// ---------------------------------------------------------------------------------------------------- failures

const DeviceTrap* GpuDevice::recorded_trap() {
  if (trap_) return &*trap_;
  for (const auto& [use, kernel] : kernels_) {
    const auto* const state = reinterpret_cast<const volatile std::uint32_t*>(&kernel->record->state);
    if (*state != 2) continue;
    std::atomic_thread_fence(std::memory_order_acquire);
    trap_ = read_trap(*kernel->record, kernel->code, module_);
    return &*trap_;
  }
  return nullptr;
}

Failure GpuDevice::judged(HostThread& host, Status status, std::string_view doing) {
  if (status == Status::Success) [[likely]]
    return Failure::None;
  const std::lock_guard guard(mutex_);
  if (status == Status::OutOfMemory) return Failure::Memory;
  failed_.store(true, std::memory_order_release);
  if (const DeviceTrap* const trap = recorded_trap()) {
    host.trapped(*trap);
    return Failure::Trapped;
  }
  host.refused(std::string(doing) + " gives " + driver_->describe(status));
  return Failure::Refused;
}

Failure GpuDevice::standing(HostThread& host) {
  if (!failed_.load(std::memory_order_acquire)) [[likely]]
    return Failure::None;
  const std::lock_guard guard(mutex_);
  const DeviceTrap* const trap = recorded_trap();
  if (trap == nullptr) return Failure::Lost;
  host.trapped(*trap);
  return Failure::Trapped;
}

// ------------------------------------------------------------------------------------------------------ kernels

TrapRecord* GpuDevice::new_record() {
  const std::size_t place = records_used_ * kRecordBytes % kRecordPage;
  if (place == 0) {
    void* page = nullptr;
    if (call().allocate_host(&page, kRecordPage, kPortableHostMemory | kMappedHostMemory) != Status::Success) {
      return nullptr;
    }
    std::memset(page, 0, kRecordPage);
    record_pages_.push_back(page);
  }
  ++records_used_;
  return new (static_cast<std::uint8_t*>(record_pages_.back()) + place) TrapRecord();
}

std::expected<ModuleHandle, std::string> GpuDevice::load(std::span<const std::uint8_t> image, const std::string& what) {
  ModuleHandle module = nullptr;
  std::string log(kJitLogBytes, '\0');
  std::array<int, 2> names = {kJitErrorLog, kJitErrorLogBytes};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(kJitLogBytes)};
  const Status status = call().module_load(&module, image.data(), names.size(), names.data(), values.data());
  if (status == Status::Success) return module;
  log.resize(std::min(log.size(), log.find('\0')));
  while (log.ends_with('\n')) log.pop_back();
  std::string why = "the driver does not load " + what + ": " + driver_->describe(status);
  // Code of a later toolkit than the driver's may be of a form the driver does not know.
  const bool is_unknown = status == Status::InvalidImage || status == Status::NoBinaryForGpu ||
                          status == Status::InvalidPtx || status == Status::UnsupportedPtx;
  if (const std::string maker = compiler_->made_by(); is_unknown && !maker.empty()) {
    why += ". It was made by " + maker + ", and the driver is of CUDA " + version_text(driver_->version) +
           ": where the first is the later one, NVRTC of the driver's version is needed";
  }
  return std::unexpected(why + (log.empty() ? "" : "\n" + log));
}

std::string GpuDevice::load_vendored() {
  const Current current(*this);
  for (const bytecode::VendoredSource& source : bytecode::vendored_sources(module_)) {
    const auto code = compiler_->compile_vendored(module_, source);
    if (!code) return code.error();
    const std::string what = "the code of " + source.path;
    const auto module = load(code->image, what);
    if (!module) return module.error();
    vendored_modules_.push_back(*module);
    for (const VendoredCode::Kernel& kernel : code->kernels) {
      VendoredKernel made;
      int most = 0;
      Status status = call().module_function(&made.function, *module, kernel.entry.c_str());
      if (status == Status::Success) status = call().function_attribute(&most, kThreadsPerBlock, made.function);
      if (status != Status::Success)
        return what + " has no usable kernel " + kernel.symbol + ": " + driver_->describe(status);
      made.most_threads = static_cast<std::uint32_t>(std::max(most, 0));
      vendored_.emplace(kernel.symbol, made);
    }
  }
  return {};
}

const VendoredKernel* GpuDevice::vendored(std::string_view symbol) const {
  const auto found = vendored_.find(symbol);
  return found == vendored_.end() ? nullptr : &found->second;
}

std::expected<std::unique_ptr<LoadedKernel>, std::string> GpuDevice::loaded(const KernelUse& use) {
  auto code = compiler_->compile(module_, use);
  if (!code) return std::unexpected(std::move(code.error()));
  const std::string name = name_of(module_, use);
  auto kernel = std::make_unique<LoadedKernel>();
  kernel->code = std::move(*code);
  const auto module = load(kernel->code.image, "the code of " + name);
  if (!module) return std::unexpected(module.error());
  kernel->module = *module;
  Status status = Status::Success;
  if (const std::uint32_t needed = kernel->code.stack_bytes; needed != 0) {
    std::size_t bytes = 0;
    status = call().context_limit(&bytes, kStackBytes);
    if (status == Status::Success && bytes < needed) status = call().set_context_limit(kStackBytes, needed);
    if (status != Status::Success) {
      call().module_unload(kernel->module);
      return std::unexpected("the device gives " + name + ", which calls itself, no stack of " +
                             std::to_string(needed) + " bytes a thread: " + driver_->describe(status));
    }
  }
  for (const Entry& entry : kernel->code.entries) {
    FunctionHandle function = nullptr;
    status = call().module_function(&function, kernel->module, entry.name.c_str());
    int most = 0;
    if (status == Status::Success) status = call().function_attribute(&most, kThreadsPerBlock, function);
    // Only a grid that strides may have narrower blocks than it was written for (devices, 20).
    const auto fit = std::min(entry.threads, static_cast<std::uint32_t>(std::max(most, 0)) / 32 * 32);
    if (status != Status::Success || fit == 0 || (fit != entry.threads && entry.grid != Grid::Stride)) {
      call().module_unload(kernel->module);
      if (status != Status::Success) {
        return std::unexpected("the code of " + name + " has no usable entry " + entry.name + ": " +
                               driver_->describe(status));
      }
      return std::unexpected("the device runs blocks of " + std::to_string(most) + " threads of " + name +
                             ", which needs " + std::to_string(entry.threads));
    }
    kernel->functions.push_back(function);
    kernel->threads.push_back(fit);
  }
  kernel->record = new_record();
  if (kernel->record == nullptr) {
    call().module_unload(kernel->module);
    return std::unexpected("the driver gives no host memory for what a failed guard leaves");
  }
  return kernel;
}

std::expected<const LoadedKernel*, std::string> GpuDevice::kernel(const KernelUse& use) {
  const std::lock_guard guard(mutex_);
  const auto [place, is_new] = kernels_.try_emplace({use.function, use.use, use.fold});
  if (is_new) {
    auto made = loaded(use);
    if (!made) {
      kernels_.erase(place);
      failed_.store(true, std::memory_order_release);
      return std::unexpected(std::move(made.error()));
    }
    place->second = std::move(*made);
  }
  return place->second.get();
}

// ------------------------------------------------------------------------------------------------------- memory

Status GpuDevice::take_memory(std::uint64_t bytes, StreamHandle stream, Address& memory) {
  if (pool_ != nullptr) return call().allocate_from_pool(&memory, bytes, pool_, stream);
  return call().allocate(&memory, bytes);
}

void GpuDevice::free_memory(Address memory, StreamHandle stream) {
  // Without a stream everything has ended, or never will.
  if (pool_ != nullptr && stream != nullptr) {
    call().free_to_pool(memory, stream);
  } else {
    call().free(memory);
  }
}

Status GpuDevice::allocate(Space space, std::uint64_t bytes, std::uint64_t align, StreamHandle stream, void*& memory) {
  Held held;
  held.space = space;
  held.managed = space == Space::Unified && unified_is_managed_;
  // What the boundary may take. The driver starts its own memory on kBoundary, host memory anywhere.
  const bool is_driver_s = space == Space::Device || held.managed;
  const std::uint64_t boundary = std::max(align, kBoundary);
  const std::uint64_t wider = is_driver_s && boundary == kBoundary ? 0 : boundary;
  if (bytes > UINT64_MAX - wider) return Status::OutOfMemory;
  Status status = Status::Success;
  if (space == Space::Device) {
    status = take_memory(bytes + wider, stream, held.start);
  } else if (held.managed) {
    status = call().allocate_managed(&held.start, bytes + wider, kManagedGlobally);
  } else {
    void* start = nullptr;
    status = call().allocate_host(&start, bytes + wider, kPortableHostMemory | kMappedHostMemory);
    held.start = reinterpret_cast<Address>(start);
  }
  if (status != Status::Success) return status;
  const Address address = (held.start + boundary - 1) / boundary * boundary;
  memory = reinterpret_cast<void*>(address);
  if (is_driver_s) {
    status = call().set_bytes(address, 0, bytes, stream);
  } else {
    std::memset(memory, 0, bytes);
  }
  if (status != Status::Success) {
    free(held, stream);
    memory = nullptr;
    return status;
  }
  const std::lock_guard guard(mutex_);
  memory_.emplace(memory, held);
  return Status::Success;
}

void GpuDevice::free(const Held& held, StreamHandle stream) {
  if (held.space == Space::Device) {
    free_memory(held.start, stream);
  } else if (held.managed) {
    call().free(held.start);
  } else {
    call().free_host(reinterpret_cast<void*>(held.start));
  }
}

void GpuDevice::release(void* memory, StreamHandle stream) {
  Held held;
  {
    const std::lock_guard guard(mutex_);
    const auto found = memory_.find(memory);
    if (found == memory_.end()) return;
    held = found->second;
    memory_.erase(found);
  }
  free(held, stream);
}

// ---------------------------------------------------------------------------------------------------- resources

Status GpuDevice::make_lane(Lane& lane) {
  const Status status = call().stream_create(&lane.stream, kNonBlockingStream);
  return status != Status::Success ? status : call().event_create(&lane.ended, kEventWithoutTiming);
}

Status GpuDevice::take_resources(std::unique_ptr<ThreadResources>& resources) {
  {
    const std::lock_guard guard(mutex_);
    if (!idle_.empty()) {
      resources = std::move(idle_.back());
      idle_.pop_back();
      return Status::Success;
    }
  }
  auto made = std::make_unique<ThreadResources>();
  Status status = call().stream_create(&made->stream, kNonBlockingStream);
  if (status == Status::Success) status = call().event_create(&made->reached, kEventWithoutTiming);
  if (status == Status::Success) {
    status = call().allocate_host(&made->host_word, kBoundary, kPortableHostMemory | kMappedHostMemory);
  }
  if (status == Status::Success) {
    resources = std::move(made);
  } else {
    destroy(*made);
  }
  return status;
}

Address GpuDevice::counter_for(StreamHandle stream) {
  int capturing = 0;
  const bool is_captured = call().stream_capture(stream, &capturing) == Status::Success && capturing != 0;
  const std::lock_guard guard(mutex_);
  if (const auto known = counter_of_.find(stream); known != counter_of_.end() && !is_captured) return known->second;
  if (counters_used_ == kCounters) return 0;
  const Address counter = counters_ + sizeof(std::uint32_t) * counters_used_++;
  if (!is_captured) counter_of_.emplace(stream, counter);
  return counter;
}

void GpuDevice::give_back(std::unique_ptr<ThreadResources> resources) {
  const std::lock_guard guard(mutex_);
  idle_.push_back(std::move(resources));
}

void GpuDevice::destroy(ThreadResources& resources) {
  for (const Lane& lane : resources.lanes) {
    if (lane.ended != nullptr) call().event_destroy(lane.ended);
    if (lane.stream != nullptr) call().stream_destroy(lane.stream);
  }
  if (resources.arena.memory != 0) free_memory(resources.arena.memory, resources.stream);
  if (resources.host_word != nullptr) call().free_host(resources.host_word);
  if (resources.reached != nullptr) call().event_destroy(resources.reached);
  if (resources.stream != nullptr) call().stream_destroy(resources.stream);
}

std::expected<std::unique_ptr<Device>, std::string> open_gpu(const bytecode::Module& module,
                                                             const GpuOptions& options) {
  auto device = GpuDevice::open(module, options, {});
  if (!device) return std::unexpected(std::move(device.error()));
  return std::move(*device);
}

}  // namespace cairn::cuda
