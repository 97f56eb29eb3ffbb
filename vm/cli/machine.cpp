#include "vm/cli/machine.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>
#include <link.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "cuda/tools.hpp"
#include "vm/cli/child_process.hpp"

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

/// What a child says of the GPUs, as text: driver, library and what is missing, then a line a GPU.
std::string described(const cuda::Gpus& gpus) {
  nlohmann::ordered_json record{{"driver", gpus.driver},
                                {"library", gpus.library},
                                {"missing", gpus.missing},
                                {"found", nlohmann::ordered_json::array()}};
  for (const cuda::Gpu& gpu : gpus.found) {
    record["found"].push_back({gpu.ordinal, gpu.name, gpu.major, gpu.minor, gpu.memory_bytes});
  }
  return record.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

cuda::Gpus read_gpus(const std::string& text) {
  cuda::Gpus gpus;
  const auto record = nlohmann::ordered_json::parse(text, nullptr, false);
  if (record.is_discarded()) {
    gpus.missing = "the CUDA driver ended the process that asked it for its devices";
    return gpus;
  }
  gpus.driver = record["driver"];
  gpus.library = record["library"];
  gpus.missing = record["missing"];
  for (const auto& gpu : record["found"]) gpus.found.push_back({gpu[0], gpu[1], gpu[2], gpu[3], gpu[4]});
  return gpus;
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

const cuda::Gpus& gpus_of_machine() {
  static const cuda::Gpus gpus = [] {
    const auto answer = run_child(
        [] {
          const std::string text = described(cuda::list_gpus());
          return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0 ? 0 : 1;
        },
        {});
    return answer ? read_gpus(answer->out) : cuda::list_gpus();
  }();
  return gpus;
}

Machine examine_machine() {
  Machine machine = describe_host();
  machine.solver = first_library(std::array{"libz3.so", "libz3.so.4"});
  if (!machine.solver) machine.solver = program_in_path("z3");
  const cuda::Toolchain tools = cuda::find_toolchain();
  machine.nvrtc = tools.nvrtc;
  machine.ptxas = tools.ptxas;
  machine.gpus = gpus_of_machine();
  return machine;
}

}  // namespace cairn::cli
