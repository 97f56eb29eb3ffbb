#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <stdlib.h>
#include <unistd.h>

#include "vm/kernel/kernel.hpp"
#include "vm/kernel/message.hpp"

namespace cairn::kernel {

namespace fs = std::filesystem;

namespace {

constexpr const char* kShot = "CAIRN_SHOT";
constexpr const char* kOwnShot = "CAIRN_KERNEL_SHOT";  // says that the folder is the kernel's to remove

std::string own_program() {
  std::error_code fault;
  const fs::path path = fs::read_symlink("/proc/self/exe", fault);
  return fault ? std::string("cairn") : path.string();
}

/// Where Jupyter looks for a user's data on Linux: JUPYTER_DATA_DIR, else jupyter in XDG_DATA_HOME or ~/.local/share.
fs::path user_data() {
  const auto variable = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value == nullptr ? fs::path() : fs::path(value);
  };
  if (const fs::path own = variable("JUPYTER_DATA_DIR"); !own.empty()) return own;
  if (const fs::path data = variable("XDG_DATA_HOME"); data.is_absolute()) return data / "jupyter";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".local" / "share" / "jupyter";
  return {};
}

}  // namespace

Installed install(const std::string& prefix) {
  const fs::path data = prefix.empty() ? user_data() : fs::path(prefix) / "share" / "jupyter";
  if (data.empty()) return {"", "there is no home folder to install into: --prefix names one"};
  const fs::path folder = data / "kernels" / "cairn";
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) return {"", folder.string() + " cannot be made: " + fault.message()};
  const Json specification = {{"argv", {own_program(), "kernel", "--connection", "{connection_file}"}},
                              {"display_name", "CAIRN"},
                              {"language", "cairn"},
                              {"interrupt_mode", "signal"},
                              {"metadata", {{"debugger", false}}}};
  // Written beside and renamed: a front end that looks meanwhile sees the old one or the new one.
  const fs::path made = folder / ".kernel.json.new";
  std::ofstream file(made);
  file << specification.dump(2) << "\n";
  file.close();
  if (file.fail()) return {"", made.string() + " cannot be written"};
  fs::rename(made, folder / "kernel.json", fault);
  if (fault) return {"", (folder / "kernel.json").string() + " cannot be written: " + fault.message()};
  return {folder.string(), ""};
}

void take_frames_from_the_start() {
  if (std::getenv(kShot) != nullptr) return;
  std::error_code fault;
  std::string folder = (fs::temp_directory_path(fault) / "cairn-kernel-XXXXXX").string();
  if (fault || ::mkdtemp(folder.data()) == nullptr) return;
  ::setenv(kShot, folder.c_str(), 1);
  ::setenv(kOwnShot, folder.c_str(), 1);
  std::ifstream file("/proc/self/cmdline");
  std::string words((std::istreambuf_iterator<char>(file)), {});
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < words.size(); at += std::char_traits<char>::length(words.data() + at) + 1) {
    arguments.push_back(words.data() + at);
  }
  arguments.push_back(nullptr);
  ::execv("/proc/self/exe", arguments.data());
  ::unsetenv(kShot);  // it goes on without frames
  fs::remove(folder, fault);
}

void forget_frames() {
  std::error_code fault;
  if (const char* folder = std::getenv(kOwnShot)) fs::remove_all(folder, fault);
}

}  // namespace cairn::kernel
