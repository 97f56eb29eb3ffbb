#include "vm/cli/machine.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>
#include <link.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cuda/tools.hpp"

namespace cairn::cli {

namespace fs = std::filesystem;

namespace {

/// A shared library that is closed again; where it was found when it opened.
class Library {
 public:
  explicit Library(const char* name) : handle_(::dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {}
  ~Library() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  explicit operator bool() const { return handle_ != nullptr; }

  [[nodiscard]] std::string path() const {
    link_map* map = nullptr;
    if (::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
    return map->l_name;
  }

  template <typename Function>
  [[nodiscard]] Function* symbol(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(handle_, name));
  }

 private:
  void* handle_;
};

template <std::size_t Count>
std::optional<std::string> first_library(const std::array<const char*, Count>& names) {
  for (const char* name : names) {
    if (const Library library(name); library) return library.path();
  }
  return std::nullopt;
}

std::string host_features() {
  std::string features;
#if defined(__x86_64__)
  const auto add = [&](bool present, std::string_view name) {
    if (present) features += (features.empty() ? "" : " ") + std::string(name);
  };
  __builtin_cpu_init();
  add(__builtin_cpu_supports("sse4.2"), "sse4.2");
  add(__builtin_cpu_supports("popcnt"), "popcnt");
  add(__builtin_cpu_supports("avx"), "avx");
  add(__builtin_cpu_supports("avx2"), "avx2");
  add(__builtin_cpu_supports("fma"), "fma");
  add(__builtin_cpu_supports("bmi2"), "bmi2");
  add(__builtin_cpu_supports("avx512f"), "avx512f");
  add(__builtin_cpu_supports("avx512vl"), "avx512vl");
#endif
  return features;
}

/// The driver API, as far as listing devices needs it (CUDA Driver API, "Device Management").
void examine_devices(Machine& machine) {
  const Library driver("libcuda.so.1");
  if (!driver) return;
  auto* const version_of = driver.symbol<int(int*)>("cuDriverGetVersion");
  auto* const initialize = driver.symbol<int(unsigned)>("cuInit");
  auto* const count_of = driver.symbol<int(int*)>("cuDeviceGetCount");
  auto* const get = driver.symbol<int(int*, int)>("cuDeviceGet");
  auto* const name_of = driver.symbol<int(char*, int, int)>("cuDeviceGetName");
  auto* const attribute = driver.symbol<int(int*, int, int)>("cuDeviceGetAttribute");
  auto* const memory_of = driver.symbol<int(std::size_t*, int)>("cuDeviceTotalMem_v2");
  if (version_of == nullptr || initialize == nullptr || count_of == nullptr || get == nullptr || name_of == nullptr ||
      attribute == nullptr || memory_of == nullptr) {
    return;
  }
  int version = 0;
  if (version_of(&version) == 0) {
    machine.cuda_driver = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  }
  int count = 0;
  if (initialize(0) != 0 || count_of(&count) != 0) return;
  constexpr int major_capability = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
  constexpr int minor_capability = 76;
  for (int index = 0; index < count; ++index) {
    int device = 0;
    std::array<char, 256> name{};
    Gpu gpu;
    if (get(&device, index) != 0 || name_of(name.data(), static_cast<int>(name.size()), device) != 0) continue;
    if (attribute(&gpu.major, major_capability, device) != 0) continue;
    if (attribute(&gpu.minor, minor_capability, device) != 0) continue;
    if (memory_of(&gpu.memory_bytes, device) != 0) continue;
    gpu.name = name.data();
    machine.devices.push_back(std::move(gpu));
  }
}

}  // namespace

std::optional<std::string> program_in_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable == nullptr ? "" : variable;
  while (!folders.empty()) {
    const std::size_t colon = folders.find(':');
    const std::string_view folder = folders.substr(0, colon);
    folders.remove_prefix(colon == std::string_view::npos ? folders.size() : colon + 1);
    if (folder.empty()) continue;
    const fs::path candidate = fs::path(folder) / name;
    std::error_code error;
    if (fs::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  return std::nullopt;
}

Machine describe_host() {
  Machine machine;
  utsname system{};
  ::uname(&system);
  std::string name = system.sysname;
  if (!name.empty() && name.front() >= 'A' && name.front() <= 'Z') name.front() = static_cast<char>(name.front() + 32);
  machine.architecture = system.machine;
  machine.platform = name + "-" + machine.architecture;
  machine.processor_features = host_features();
  return machine;
}

std::vector<std::string> detected_device_targets() {
  Machine machine;
  examine_devices(machine);
  std::vector<std::string> targets;
  for (const Gpu& gpu : machine.devices) {
    std::string target = "sm_" + std::to_string(gpu.major) + std::to_string(gpu.minor);
    if (std::ranges::find(targets, target) == targets.end()) targets.push_back(std::move(target));
  }
  return targets;
}

Machine examine_machine() {
  Machine machine = describe_host();
  machine.solver = first_library(std::array{"libz3.so", "libz3.so.4"});
  if (!machine.solver) machine.solver = program_in_path("z3");
  const cuda::Toolchain tools = cuda::find_toolchain();
  machine.nvrtc = tools.nvrtc;
  machine.ptxas = tools.ptxas;
  examine_devices(machine);
  return machine;
}

}  // namespace cairn::cli
