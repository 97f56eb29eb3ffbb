// The CUDA Driver API as far as it is used, opened when it is first needed: our own declarations of its types, numbers
// and functions (CUDA Driver API reference, "Data types", "Device", "Context", "Module", "Memory", "Stream", "Event",
// "Execution Control" management), so that no CUDA header or library is needed to build.
//
// Invariants.
// - A Driver has every function whose need is Always and has been initialized; `pools` says whether the rest is there.
// - What is missing is told in one sentence that names it: the library, a function, the device, a driver too old.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::cuda {

using DeviceHandle = int;
using Address = std::uint64_t;  // of memory a device reaches; also the host's, where both share it
using ContextHandle = struct OpaqueContext*;
using ModuleHandle = struct OpaqueModule*;
using FunctionHandle = struct OpaqueFunction*;
using StreamHandle = struct OpaqueStream*;
using EventHandle = struct OpaqueEvent*;
using PoolHandle = struct OpaquePool*;

/// CUresult, as far as anything is decided by it.
enum class Status : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  StubLibrary = 34,
  NoDevice = 100,
  InvalidImage = 200,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  NoJitCompiler = 221,
  UnsupportedPtx = 222,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  ContextIsDestroyed = 709,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  LaunchFailed = 719,
};

// CUdevice_attribute.
inline constexpr int kMajor = 75, kMinor = 76, kManagedMemory = 83, kConcurrentManagedAccess = 89, kMemoryPools = 115;
// CUfunction_attribute.
inline constexpr int kThreadsPerBlock = 0;
// CUlimit.
inline constexpr int kStackBytes = 0;
// CUjit_option.
inline constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6;
// Flags.
inline constexpr unsigned kNonBlockingStream = 1, kEventWithoutTiming = 2, kPortableHostMemory = 1,
                          kMappedHostMemory = 2, kManagedGlobally = 1;
inline constexpr int kPoolReleaseThreshold = 4;  // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, a 64-bit number of bytes

/// CUmemPoolProps.
struct PoolProperties {
  int allocation = 1;  // pinned: on the device
  int handles = 0;
  int location = 1;  // a device
  int device = 0;
  void* security = nullptr;
  std::size_t most_bytes = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};

/// The functions, each null until the library has been opened.
struct Functions {
#define DRIVER_FUNCTION(member, name, need, parameters) Status(*member) parameters = nullptr;
#include "cuda/driver/functions.def"
#undef DRIVER_FUNCTION
};

/// An opened and initialized driver. It stays open as long as something holds it.
class Driver {
 public:
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  Functions call;
  bool pools = false;   // all functions of need Pools are there
  int version = 0;      // 12040 is CUDA 12.4
  std::string library;  // where it was found

  /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  [[nodiscard]] std::string describe(Status status) const;

 private:
  friend std::expected<std::shared_ptr<const Driver>, std::string> open_driver(std::string_view path);
  Driver() = default;
  void* handle_ = nullptr;
};

/// The first version of the API that has everything used here.
inline constexpr int kOldestDriver = 11000;

/// "12.4" of 12040.
[[nodiscard]] std::string version_text(int version);

/// Opens the library at `path`, or where drivers, containers and distributions put it; else a sentence saying what is
/// missing.
[[nodiscard]] std::expected<std::shared_ptr<const Driver>, std::string> open_driver(std::string_view path = {});

/// Where open_driver looks, in order; plain names are left to the loader.
[[nodiscard]] std::span<const char* const> driver_places();

}  // namespace cairn::cuda
