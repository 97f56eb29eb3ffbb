#include "cuda/nvrtc/places.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <unistd.h>

namespace cairn::cuda {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::vector<fs::path> path_folders() {
  std::vector<fs::path> folders;
  const std::string path = variable("PATH");
  for (std::size_t from = 0; from < path.size();) {
    const std::size_t colon = std::min(path.find(':', from), path.size());
    if (colon != from) folders.emplace_back(path.substr(from, colon - from));
    from = colon + 1;
  }
  return folders;
}

/// The folders below `folder` whose names start so, the greatest first: cuda-13.0 before cuda-12.4.
std::vector<fs::path> folders_named(const fs::path& folder, std::string_view start) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator each(folder, error); !error && each != fs::directory_iterator(); each.increment(error)) {
    if (each->path().filename().string().starts_with(start) && each->is_directory(error)) found.push_back(each->path());
  }
  std::ranges::sort(found, std::ranges::greater{});
  return found;
}

/// What the user names.
std::vector<fs::path> named_toolkits() {
  std::vector<fs::path> all;
  for (const char* name : {"CAIRN_CUDA", "CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string value = variable(name); !value.empty()) all.emplace_back(value);
  }
  return all;
}

std::vector<fs::path> installed_toolkits() {
  std::vector<fs::path> all{"/usr/local/cuda"};
  for (const fs::path& each : folders_named("/usr/local", "cuda-")) all.push_back(each);
  all.emplace_back("/opt/cuda");
  all.emplace_back("/usr/lib/cuda");
  return all;
}

/// Where Python keeps packages: an active environment, that of each python3 on the PATH, the user's own, the machine's.
std::vector<fs::path> package_folders() {
  std::vector<fs::path> all;
  const auto below = [&](const fs::path& prefix) {
    if (prefix.empty()) return;
    for (const fs::path& python : folders_named(prefix / "lib", "python3")) {
      all.push_back(python / "site-packages");
      all.push_back(python / "dist-packages");
    }
  };
  below(variable("VIRTUAL_ENV"));
  below(variable("CONDA_PREFIX"));
  std::error_code error;
  for (const fs::path& folder : path_folders()) {
    if (fs::exists(folder / "python3", error)) below(folder.parent_path());
  }
  if (const std::string home = variable("HOME"); !home.empty()) below(fs::path(home) / ".local");
  below("/usr/local");
  below("/usr");
  return all;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

}  // namespace

std::vector<std::string> library_places(const std::vector<std::string>& names, const std::vector<std::string>& wheels) {
  std::vector<std::string> places;
  const auto add_folder = [&](const fs::path& folder) {
    for (const std::string& name : names) {
      if (is_file(folder / name)) places.push_back((folder / name).string());
    }
  };
  const auto add_toolkit = [&](const fs::path& toolkit) {
    for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
      add_folder(toolkit / folder);
    }
  };
  for (const fs::path& toolkit : named_toolkits()) add_toolkit(toolkit);
  for (const fs::path& toolkit : installed_toolkits()) add_toolkit(toolkit);
  places.insert(places.end(), names.begin(), names.end());
  if (const std::string prefix = variable("CONDA_PREFIX"); !prefix.empty()) add_folder(fs::path(prefix) / "lib");
  for (const fs::path& packages : package_folders()) {
    for (const std::string& wheel : wheels) add_folder(packages / wheel);
  }
  return places;
}

std::vector<std::string> header_folders(std::string_view library) {
  std::vector<std::string> folders;
  std::error_code error;
  const auto add_folder = [&](const fs::path& folder) {  // by its own name: /usr/local/cuda is often a link
    const fs::path own = fs::canonical(folder, error);
    if (error || std::ranges::find(folders, own.string()) != folders.end()) return;
    folders.push_back(own.string());
  };
  const auto add = [&](const fs::path& folder) {
    if (!is_file(folder / "cuda_runtime.h") && !is_file(folder / "cuda_fp16.h")) return;
    add_folder(folder);
    if (fs::is_directory(folder / "cccl", error)) add_folder(folder / "cccl");
  };
  const auto add_toolkit = [&](const fs::path& toolkit) {
    for (const char* folder : {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"}) {
      add(toolkit / folder);
    }
  };
  const fs::path file = fs::canonical(fs::path(library), error);
  // lib64 or targets/KIND/lib of a toolkit; lib of a wheel, whose headers may be another wheel's.
  if (!error) add(file.parent_path().parent_path() / "include");
  for (const fs::path& toolkit : named_toolkits()) add_toolkit(toolkit);
  for (const fs::path& toolkit : installed_toolkits()) add_toolkit(toolkit);
  for (const fs::path& packages : package_folders()) {
    for (const char* wheel : {"nvidia/cu13/include", "nvidia/cuda_runtime/include"}) add(packages / wheel);
    const fs::path cccl = packages / "nvidia/cuda_cccl/include";
    if (fs::is_directory(cccl, error)) add_folder(cccl);
  }
  return folders;
}

std::optional<std::string> toolkit_program(std::string_view name) {
  std::vector<fs::path> folders;
  for (const fs::path& toolkit : named_toolkits()) folders.push_back(toolkit / "bin");
  for (const fs::path& folder : path_folders()) folders.push_back(folder);
  for (const fs::path& toolkit : installed_toolkits()) folders.push_back(toolkit / "bin");
  for (const fs::path& packages : package_folders()) {
    for (const char* wheel : {"nvidia/cuda_nvcc/bin", "nvidia/cu13/bin"}) {
      folders.push_back(packages / wheel);
    }
  }
  for (const fs::path& folder : folders) {
    const fs::path candidate = folder / name;
    if (is_file(candidate) && ::access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  return std::nullopt;
}

}  // namespace cairn::cuda
