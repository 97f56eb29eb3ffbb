#include "cuda/driver/driver.hpp"

#include <array>

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

namespace cairn::cuda {

namespace {

// The loader first, which knows LD_LIBRARY_PATH, ld.so.conf and the cache; then where a driver lies without the loader
// knowing: Debian, Windows' subsystem, containers, NixOS, distributions with /usr/lib64, forward compatibility
// packages.
constexpr std::array kPlaces = {
    "libcuda.so.1",
#if defined(__aarch64__)
    "/usr/lib/aarch64-linux-gnu/nvidia/current/libcuda.so.1",
    "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
    "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1",
#else
    "/usr/lib/x86_64-linux-gnu/nvidia/current/libcuda.so.1",
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
#endif
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/usr/lib64/libcuda.so.1",
    "/usr/lib64/nvidia/libcuda.so.1",
    "/run/opengl-driver/lib/libcuda.so.1",
    "/usr/local/cuda/compat/libcuda.so.1",
    "libcuda.so",
};

std::string place_of(void* handle, const char* asked) {
  link_map* map = nullptr;
  const bool known = ::dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr;
  return known && map->l_name[0] != '\0' ? map->l_name : asked;
}

/// The name of the first function that has to be there and is not; empty when all are.
std::string find_functions(void* handle, Functions& functions, bool& pools) {
  enum class Need : std::uint8_t { Always, Pools };
  std::string missing;
  pools = true;
  const auto find = [&]<class F>(F*& function, const char* name, Need need) {
    function = reinterpret_cast<F*>(::dlsym(handle, name));
    if (function != nullptr) return;
    if (need == Need::Pools) pools = false;
    if (need == Need::Always && missing.empty()) missing = name;
  };
#define DRIVER_FUNCTION(member, name, need, parameters) find(functions.member, name, Need::need);
#include "cuda/driver/functions.def"
#undef DRIVER_FUNCTION
  return missing;
}

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Driver::~Driver() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

std::string Driver::describe(Status status) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (call.error_name == nullptr || call.error_name(status, &name) != Status::Success || name == nullptr) {
    return "error " + std::to_string(static_cast<int>(status)) + " of the CUDA driver";
  }
  if (call.error_text == nullptr || call.error_text(status, &text) != Status::Success || text == nullptr) return name;
  return std::string(name) + " (" + text + ")";
}

std::span<const char* const> driver_places() { return kPlaces; }

std::expected<std::shared_ptr<const Driver>, std::string> open_driver(std::string_view path) {
  std::shared_ptr<Driver> driver(new Driver());
  const std::string given(path);
  const char* const only[] = {given.c_str()};
  std::string unusable;  // what the loader said of a library that is there
  for (const char* const place : given.empty() ? driver_places() : std::span<const char* const>(only)) {
    driver->handle_ = ::dlopen(place, RTLD_NOW | RTLD_LOCAL);
    if (driver->handle_ != nullptr) {
      driver->library = place_of(driver->handle_, place);
      break;
    }
    const char* const why = ::dlerror();
    if (place[0] == '/' && ::access(place, F_OK) == 0 && unusable.empty()) unusable = why == nullptr ? place : why;
  }
  if (driver->handle_ == nullptr) {
    if (!unusable.empty()) return std::unexpected("the CUDA driver's library does not open: " + unusable);
    return std::unexpected("there is no CUDA driver: " + (given.empty() ? "libcuda.so.1" : given) +
                           " is not on this machine");
  }
  if (const std::string missing = find_functions(driver->handle_, driver->call, driver->pools); !missing.empty()) {
    return std::unexpected("the CUDA driver at " + driver->library + " is too old: it has no " + missing);
  }
  if (driver->call.driver_version(&driver->version) != Status::Success) driver->version = 0;
  if (driver->version < kOldestDriver) {
    return std::unexpected("the CUDA driver at " + driver->library + " is too old: it has CUDA " +
                           version_text(driver->version) + ", and " + version_text(kOldestDriver) + " is needed");
  }
  const Status status = driver->call.init(0);
  if (status == Status::NoDevice) return std::unexpected("the CUDA driver finds no device");
  if (status == Status::StubLibrary) {
    return std::unexpected(driver->library + " is a toolkit's stub for linking, not a CUDA driver");
  }
  if (status != Status::Success) return std::unexpected("the CUDA driver does not start: " + driver->describe(status));
  return driver;
}

}  // namespace cairn::cuda
