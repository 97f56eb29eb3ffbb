#include "tests/cuda/stub/cuda_stub.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/driver/driver.hpp"

// Every function the driver has is one of these; the rest of the library is not seen from outside.
#define STUB extern "C" __attribute__((visibility("default")))

using cairn::cuda::Address;
using cairn::cuda::ContextHandle;
using cairn::cuda::DeviceHandle;
using cairn::cuda::EventHandle;
using cairn::cuda::FunctionHandle;
using cairn::cuda::ModuleHandle;
using cairn::cuda::PoolHandle;
using cairn::cuda::PoolProperties;
using cairn::cuda::Status;
using cairn::cuda::StreamHandle;

namespace {

constexpr std::size_t kArena = std::size_t{4} << 30;
constexpr std::size_t kLine = 512;

struct Stream {
  std::deque<std::function<void()>> work;
  std::uint64_t queued = 0;
  std::uint64_t done = 0;
};
struct Event {
  Stream* stream = nullptr;
  std::uint64_t reached = 0;
};
struct Image {
  void* handle = nullptr;
};
struct Kernel {
  Image* image = nullptr;
  const StubEntry* entry = nullptr;
};
struct Fault {
  int after = 0;
  Status status{};
};

struct Stub {
  std::recursive_mutex mutex;
  int version = 13000;
  Status sticky = Status::Success;
  std::map<std::string, int> calls;
  std::multimap<std::string, Fault> faults;
  std::map<int, int> attributes;
  std::vector<std::pair<int, int>> devices;  // compute capabilities
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::uint64_t memory_used = 0;
  std::uint8_t* arena = nullptr;
  std::size_t arena_end = 0;
  int open = 0;
  std::map<std::uint8_t*, std::size_t> device_blocks;
  std::multimap<std::size_t, std::uint8_t*> free_blocks;
  std::map<std::uint8_t*, std::size_t> host_blocks;  // page-locked and managed
  std::map<void*, Stream*> streams;
  Stream null_stream;
  int others = 0;  // events, modules, pools, contexts

  Stub() {
    if (const char* list = std::getenv("CAIRN_STUB_DEVICES")) {
      for (const char* at = list; *at != '\0';) {
        char* end = nullptr;
        const long major = std::strtol(at, &end, 10);
        const long minor = *end == '.' ? std::strtol(end + 1, &end, 10) : 0;
        if (end == at) break;
        devices.emplace_back(static_cast<int>(major), static_cast<int>(minor));
        at = *end == ',' ? end + 1 : end;
      }
    } else {
      devices = {{9, 0}};
    }
    if (const char* fault = std::getenv("CAIRN_STUB_FAIL")) {  // function:after:status
      const std::string text = fault;
      const std::size_t first = text.find(':');
      const std::size_t second = text.find(':', first + 1);
      if (second != std::string::npos) {
        faults.emplace(text.substr(0, first), Fault{std::atoi(text.c_str() + first + 1),
                                                    static_cast<Status>(std::atoi(text.c_str() + second + 1))});
      }
    }
    arena = static_cast<std::uint8_t*>(
        ::mmap(nullptr, kArena, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
};

thread_local std::vector<ContextHandle> current;  // contexts that the calling thread pushed
constexpr auto kInvalidContext = static_cast<Status>(201);

Stub& stub() {
  static Stub* const one = new Stub();  // outlives whoever still calls when the process ends
  return *one;
}

/// Device memory can be reached while one of these lives.
class Opened {
 public:
  Opened() {
    if (stub().open++ == 0) protect(PROT_READ | PROT_WRITE);
  }
  ~Opened() {
    if (--stub().open == 0) protect(PROT_NONE);
  }
  static void protect(int how) {
    if (stub().arena_end != 0) ::mprotect(stub().arena, stub().arena_end, how);
  }
};

/// One call: holds the lock, counts, and says whether it fails by demand, for want of a current context or because of
/// what failed before in it.
class Call {
 public:
  explicit Call(const char* function, bool in_context = true) : guard_(stub().mutex) {
    status_ = due(function);
    if (status_ != Status::Success || !in_context) return;
    status_ = current.empty() ? kInvalidContext : stub().sticky;
  }
  static Status due(const char* function) {
    ++stub().calls[function];
    const auto [first, last] = stub().faults.equal_range(function);
    for (auto fault = first; fault != last; ++fault) {
      if (fault->second.after-- != 0) continue;
      const Status status = fault->second.status;
      stub().faults.erase(fault);
      if (static_cast<int>(status) >= 700 && status != Status::LaunchOutOfResources) stub().sticky = status;
      return status;
    }
    return Status::Success;
  }
  [[nodiscard]] bool failed() const { return status_ != Status::Success; }
  [[nodiscard]] Status status() const { return status_; }

 private:
  std::lock_guard<std::recursive_mutex> guard_;
  Status status_;
};

Stream& stream_of(StreamHandle handle) {
  const auto found = stub().streams.find(handle);
  return found == stub().streams.end() ? stub().null_stream : *found->second;
}

void drain(Stream& stream, std::uint64_t until) {
  while (stream.done < until && !stream.work.empty()) {
    const std::function<void()> next = std::move(stream.work.front());
    stream.work.pop_front();
    ++stream.done;
    if (stub().sticky == Status::Success) next();
  }
}
void drain(Stream& stream) { drain(stream, stream.queued); }

void queue(StreamHandle handle, std::function<void()> work) {
  Stream& stream = stream_of(handle);
  stream.work.push_back(std::move(work));
  ++stream.queued;
}

bool is_page_locked(const void* memory) {
  auto after = stub().host_blocks.upper_bound(static_cast<std::uint8_t*>(const_cast<void*>(memory)));
  if (after == stub().host_blocks.begin()) return false;
  const auto& [start, bytes] = *std::prev(after);
  return static_cast<const std::uint8_t*>(memory) < start + bytes;
}

Status take_device(Address* memory, std::size_t bytes) {
  if (bytes == 0) return Status::InvalidValue;
  const std::size_t rounded = (bytes + kLine - 1) / kLine * kLine;
  if (rounded < bytes || rounded > stub().memory_bytes - std::min(stub().memory_bytes, stub().memory_used)) {
    return Status::OutOfMemory;
  }
  std::uint8_t* block = nullptr;
  if (const auto fits = stub().free_blocks.find(rounded); fits != stub().free_blocks.end()) {
    block = fits->second;
    stub().free_blocks.erase(fits);
  } else {
    if (rounded > kArena - stub().arena_end) return Status::OutOfMemory;
    block = stub().arena + stub().arena_end;
    stub().arena_end += rounded;
  }
  stub().memory_used += rounded;
  stub().device_blocks.emplace(block, rounded);
  {
    const Opened opened;
    Opened::protect(PROT_READ | PROT_WRITE);
    std::memset(block, 0xcd, bytes);
  }
  *memory = reinterpret_cast<Address>(block);
  return Status::Success;
}

Status give_device(Address memory) {
  const auto found = stub().device_blocks.find(reinterpret_cast<std::uint8_t*>(memory));
  if (found == stub().device_blocks.end()) return Status::InvalidValue;
  stub().memory_used -= found->second;
  stub().free_blocks.emplace(found->second, found->first);
  stub().device_blocks.erase(found);
  return Status::Success;
}

Status take_host(void** memory, std::size_t bytes) {
  *memory = std::aligned_alloc(4096, (std::max<std::size_t>(bytes, 1) + 4095) / 4096 * 4096);
  if (*memory == nullptr) return Status::OutOfMemory;
  std::memset(*memory, 0xcd, bytes);
  stub().host_blocks.emplace(static_cast<std::uint8_t*>(*memory), bytes);
  return Status::Success;
}

Status give_host(void* memory) {
  if (stub().host_blocks.erase(static_cast<std::uint8_t*>(memory)) == 0) return Status::InvalidValue;
  std::free(memory);
  return Status::Success;
}

template <class T, class Handle>
Status make(Handle* handle) {
  *handle = reinterpret_cast<Handle>(new T());
  ++stub().others;
  return Status::Success;
}
template <class T, class Handle>
Status unmake(Handle handle) {
  if (handle == nullptr) return Status::InvalidValue;
  delete reinterpret_cast<T*>(handle);
  --stub().others;
  return Status::Success;
}
struct Context {};
struct Pool {};

}  // namespace

// ------------------------------------------------------------------------------------------------------ controls

STUB void stub_fail(const char* function, int after, int status) {
  const std::lock_guard guard(stub().mutex);
  stub().faults.emplace(function, Fault{after, static_cast<Status>(status)});
}
STUB int stub_calls(const char* function) {
  const std::lock_guard guard(stub().mutex);
  return stub().calls[function];
}
STUB int stub_live(void) {
  const std::lock_guard guard(stub().mutex);
  return static_cast<int>(stub().device_blocks.size() + stub().host_blocks.size() + stub().streams.size()) +
         stub().others;
}
STUB void stub_reset(int version) {
  const std::lock_guard guard(stub().mutex);
  stub().version = version;
  stub().sticky = Status::Success;
  stub().calls.clear();
  stub().faults.clear();
  stub().attributes.clear();
  stub().memory_bytes = std::uint64_t{1} << 30;
}
STUB void stub_memory(std::uint64_t bytes) {
  const std::lock_guard guard(stub().mutex);
  stub().memory_bytes = bytes;
}
STUB void stub_attribute(int attribute, int value) {
  const std::lock_guard guard(stub().mutex);
  stub().attributes[attribute] = value;
}

// ------------------------------------------------------------------------------------------------------- devices

STUB Status cuInit(unsigned) {
  const Call call(__func__, false);
  if (call.failed()) return call.status();
  return stub().devices.empty() ? Status::NoDevice : Status::Success;
}
STUB Status cuDriverGetVersion(int* version) {
  const Call call(__func__, false);
  *version = stub().version;
  return call.status();
}
STUB Status cuGetErrorName(Status status, const char** name) {
  static const std::map<Status, const char*> names = {
      {Status::Success, "CUDA_SUCCESS"},
      {Status::InvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {Status::OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {Status::NoDevice, "CUDA_ERROR_NO_DEVICE"},
      {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
      {Status::InvalidPtx, "CUDA_ERROR_INVALID_PTX"},
      {Status::InvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
      {Status::NotFound, "CUDA_ERROR_NOT_FOUND"},
      {Status::IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {Status::LaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {Status::LaunchTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT"},
      {Status::ContextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
      {Status::MisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {Status::LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
  };
  const auto known = names.find(status);
  *name = known == names.end() ? nullptr : known->second;
  return known == names.end() ? Status::InvalidValue : Status::Success;
}
STUB Status cuGetErrorString(Status status, const char** text) {
  *text = status == Status::LaunchFailed ? "unspecified launch failure" : "as the driver says it";
  return Status::Success;
}
STUB Status cuDeviceGetCount(int* count) {
  const Call call(__func__, false);
  *count = static_cast<int>(stub().devices.size());
  return call.status();
}
STUB Status cuDeviceGet(DeviceHandle* device, int ordinal) {
  const Call call(__func__, false);
  if (call.failed()) return call.status();
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= stub().devices.size()) return Status::InvalidValue;
  *device = ordinal;
  return Status::Success;
}
STUB Status cuDeviceGetName(char* name, int bytes, DeviceHandle) {
  const Call call(__func__, false);
  std::strncpy(name, "No GPU at all", static_cast<std::size_t>(bytes));
  return call.status();
}
STUB Status cuDeviceGetAttribute(int* value, int attribute, DeviceHandle device) {
  const Call call(__func__, false);
  if (call.failed()) return call.status();
  const auto [major, minor] = stub().devices.at(static_cast<std::size_t>(device));
  *value = attribute == cairn::cuda::kMajor ? major : attribute == cairn::cuda::kMinor ? minor : 1;
  if (const auto set = stub().attributes.find(attribute); set != stub().attributes.end()) *value = set->second;
  return Status::Success;
}
STUB Status cuDeviceTotalMem_v2(std::size_t* bytes, DeviceHandle) {
  const Call call(__func__, false);
  *bytes = stub().memory_bytes;
  return call.status();
}

STUB Status cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceHandle) {
  const Call call(__func__, false);
  return call.failed() ? call.status() : make<Context>(context);
}
STUB Status cuDevicePrimaryCtxRelease_v2(DeviceHandle) {
  const Call call(__func__, false);
  --stub().others;
  return call.status();
}
STUB Status cuCtxCreate_v2(ContextHandle* context, unsigned, DeviceHandle) {
  const Call call(__func__, false);
  if (call.failed()) return call.status();
  stub().sticky = Status::Success;  // it ended another context
  make<Context>(context);
  current.push_back(*context);
  return Status::Success;
}
STUB Status cuCtxDestroy_v2(ContextHandle context) {
  const Call call(__func__, false);
  while (!stub().device_blocks.empty()) {  // what was queued to be given back goes with it
    give_device(reinterpret_cast<Address>(stub().device_blocks.begin()->first));
  }
  return unmake<Context>(context);
}
STUB Status cuCtxPushCurrent_v2(ContextHandle context) {
  const Call call(__func__, false);
  current.push_back(context);
  return Status::Success;
}
STUB Status cuCtxPopCurrent_v2(ContextHandle* context) {
  const Call call(__func__, false);
  if (current.empty()) return Status::InvalidValue;
  *context = current.back();
  current.pop_back();
  return Status::Success;
}

STUB Status cuCtxGetLimit(std::size_t* value, int limit) {
  const Call call(__func__);
  *value = limit == cairn::cuda::kStackBytes ? 1024 : 0;
  return call.status();
}
STUB Status cuCtxSetLimit(int, std::size_t) {
  const Call call(__func__);
  return call.status();
}

// ------------------------------------------------------------------------------------------------------- modules

STUB Status cuModuleLoadDataEx(ModuleHandle* module, const void* image, unsigned options, int* names, void** values) {
  const Call call(__func__);
  Status status = call.status();
  const auto* const bytes = static_cast<const unsigned char*>(image);
  std::string why = "ptxas: told to fail";
  auto* const loaded = new Image();
  if (status == Status::Success && std::memcmp(bytes, "\177ELF", 4) != 0) {
    status = Status::InvalidImage;
    why = "ptxas: the image is no library of the host";
  }
  if (status == Status::Success) {
    // The section headers end an ELF image.
    std::uint64_t at = 0;
    std::uint16_t size = 0;
    std::uint16_t count = 0;
    std::memcpy(&at, bytes + 40, 8);
    std::memcpy(&size, bytes + 58, 2);
    std::memcpy(&count, bytes + 60, 2);
    const std::uint64_t total = at + std::uint64_t{size} * count;
    char path[] = "/tmp/cairn-kernel-XXXXXX";  // a name of its own: the loader knows libraries by their names
    const int file = ::mkstemp(path);
    if (::write(file, image, total) == static_cast<ssize_t>(total)) {
      loaded->handle = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (loaded->handle == nullptr) {
      const char* const said = ::dlerror();
      why = said == nullptr ? "ptxas: no file" : said;
      status = Status::InvalidImage;
    }
    ::close(file);
    ::unlink(path);
  }
  if (status != Status::Success) {
    char* log = nullptr;
    std::size_t most = 0;
    for (unsigned k = 0; k < options; ++k) {
      if (names[k] == cairn::cuda::kJitErrorLog) log = static_cast<char*>(values[k]);
      if (names[k] == cairn::cuda::kJitErrorLogBytes) most = reinterpret_cast<std::size_t>(values[k]);
    }
    if (log != nullptr && most != 0) std::strncpy(log, why.c_str(), most - 1);
    delete loaded;
    return status;
  }
  ++stub().others;
  *module = reinterpret_cast<ModuleHandle>(loaded);
  return Status::Success;
}
STUB Status cuModuleUnload(ModuleHandle module) {
  const Call call(__func__, false);
  auto* const image = reinterpret_cast<Image*>(module);
  ::dlclose(image->handle);
  return unmake<Image>(module);
}
STUB Status cuModuleGetFunction(FunctionHandle* function, ModuleHandle module, const char* name) {
  const Call call(__func__);
  if (call.failed()) return call.status();
  auto* const image = reinterpret_cast<Image*>(module);
  void* const found = ::dlsym(image->handle, (std::string(name) + "__entry").c_str());
  if (found == nullptr) return Status::NotFound;
  auto* const kernel = new Kernel{image, static_cast<const StubEntry*>(found)};
  *function = reinterpret_cast<FunctionHandle>(kernel);  // lives as long as the process, as small as it is
  return Status::Success;
}
STUB Status cuFuncGetAttribute(int* value, int attribute, FunctionHandle) {
  const Call call(__func__);
  *value = attribute == cairn::cuda::kThreadsPerBlock ? 1024 : 0;
  if (const auto set = stub().attributes.find(-1 - attribute); set != stub().attributes.end()) *value = set->second;
  return call.status();
}

STUB Status cuLaunchKernel(FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                           unsigned block_y, unsigned block_z, unsigned, StreamHandle stream, void** parameters,
                           void**) {
  const Call call(__func__);
  if (call.failed()) return call.status();
  const std::uint64_t threads = std::uint64_t{block_x} * block_y * block_z;
  if (grid_x == 0 || grid_y != 1 || grid_z != 1 || threads == 0 || threads > 1024) return Status::InvalidValue;
  const Kernel kernel = *reinterpret_cast<Kernel*>(function);
  const std::shared_ptr<void> copied(kernel.entry->copy(parameters), kernel.entry->drop);
  queue(stream, [=] {
    const Status fault = Call::due("kernel");
    if (fault != Status::Success) {
      stub().sticky = fault;
      return;
    }
    const Opened opened;
    const bool fine = kernel.entry->run(copied.get(), grid_x, block_x);
    if (!fine) stub().sticky = Status::LaunchFailed;
  });
  return Status::Success;
}

// -------------------------------------------------------------------------------------------------------- memory

STUB Status cuMemAlloc_v2(Address* memory, std::size_t bytes) {
  const Call call(__func__);
  return call.failed() ? call.status() : take_device(memory, bytes);
}
STUB Status cuMemFree_v2(Address memory) {
  const Call call(__func__, false);
  for (const auto& [handle, stream] : stub().streams) drain(*stream);
  if (is_page_locked(reinterpret_cast<void*>(memory))) return give_host(reinterpret_cast<void*>(memory));
  return give_device(memory);
}
STUB Status cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  const Call call(__func__);
  return call.failed() ? call.status() : take_host(memory, bytes);
}
STUB Status cuMemFreeHost(void* memory) {
  const Call call(__func__, false);
  return give_host(memory);
}
STUB Status cuMemAllocManaged(Address* memory, std::size_t bytes, unsigned) {
  const Call call(__func__);
  if (call.failed()) return call.status();
  void* host = nullptr;
  const Status status = take_host(&host, bytes);
  *memory = reinterpret_cast<Address>(host);
  return status;
}
STUB Status cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, StreamHandle stream) {
  const Call call(__func__);
  if (call.failed()) return call.status();
  std::vector<std::uint8_t> staged;
  if (!is_page_locked(from)) {
    const auto* const source = static_cast<const std::uint8_t*>(from);
    staged.assign(source, source + bytes);
  }
  queue(stream, [=, staged = std::move(staged)] {
    const Opened opened;
    std::memcpy(reinterpret_cast<void*>(to), staged.empty() ? from : staged.data(), bytes);
  });
  return Status::Success;
}
STUB Status cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, StreamHandle stream) {
  const Call call(__func__);
  if (call.failed()) return call.status();
  queue(stream, [=] {
    const Opened opened;
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  });
  return Status::Success;
}
STUB Status cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, StreamHandle stream) {
  const Call call(__func__);
  if (call.failed()) return call.status();
  queue(stream, [=] {
    const Opened opened;
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  });
  return Status::Success;
}
STUB Status cuMemsetD8Async(Address memory, unsigned char value, std::size_t bytes, StreamHandle stream) {
  const Call call(__func__);
  if (call.failed()) return call.status();
  queue(stream, [=] {
    const Opened opened;
    std::memset(reinterpret_cast<void*>(memory), value, bytes);
  });
  return Status::Success;
}
STUB Status cuMemPoolCreate(PoolHandle* pool, const PoolProperties*) {
  const Call call(__func__);
  return call.failed() ? call.status() : make<Pool>(pool);
}
STUB Status cuMemPoolDestroy(PoolHandle pool) {
  const Call call(__func__, false);
  return unmake<Pool>(pool);
}
STUB Status cuMemPoolSetAttribute(PoolHandle, int, void*) {
  const Call call(__func__);
  return call.status();
}
STUB Status cuMemAllocFromPoolAsync(Address* memory, std::size_t bytes, PoolHandle, StreamHandle) {
  const Call call(__func__);
  return call.failed() ? call.status() : take_device(memory, bytes);
}
STUB Status cuMemFreeAsync(Address memory, StreamHandle stream) {
  const Call call(__func__);
  if (call.failed()) return call.status();
  queue(stream, [=] { give_device(memory); });
  return Status::Success;
}

// ------------------------------------------------------------------------------------------------------- streams

STUB Status cuStreamCreate(StreamHandle* stream, unsigned) {
  const Call call(__func__);
  if (call.failed()) return call.status();
  auto* const made = new Stream();
  stub().streams.emplace(made, made);
  *stream = reinterpret_cast<StreamHandle>(made);
  return Status::Success;
}
STUB Status cuStreamDestroy_v2(StreamHandle stream) {
  const Call call(__func__, false);
  const auto found = stub().streams.find(stream);
  if (found == stub().streams.end()) return Status::InvalidValue;
  drain(*found->second);
  stub().streams.erase(found);  // events may still name it
  return Status::Success;
}
STUB Status cuStreamSynchronize(StreamHandle stream) {
  const Call call(__func__);
  if (call.failed()) return call.status();
  drain(stream_of(stream));
  return stub().sticky;
}
STUB Status cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  const Call call(__func__);
  if (call.failed()) return call.status();
  const Event until = *reinterpret_cast<Event*>(event);
  if (until.stream != nullptr) queue(stream, [=] { drain(*until.stream, until.reached); });
  return Status::Success;
}
STUB Status cuStreamIsCapturing(StreamHandle, int* capturing) {
  const Call call(__func__);
  *capturing = stub().attributes[-1000];
  return call.status();
}
STUB Status cuEventCreate(EventHandle* event, unsigned) {
  const Call call(__func__);
  return call.failed() ? call.status() : make<Event>(event);
}
STUB Status cuEventDestroy_v2(EventHandle event) {
  const Call call(__func__, false);
  return unmake<Event>(event);
}
STUB Status cuEventRecord(EventHandle event, StreamHandle stream) {
  const Call call(__func__);
  if (call.failed()) return call.status();
  Stream& recorded = stream_of(stream);
  *reinterpret_cast<Event*>(event) = {&recorded, recorded.queued};
  return Status::Success;
}
STUB Status cuEventSynchronize(EventHandle event) {
  const Call call(__func__);
  if (call.failed()) return call.status();
  const Event until = *reinterpret_cast<Event*>(event);
  if (until.stream != nullptr) drain(*until.stream, until.reached);
  return stub().sticky;
}
