#include "cuda/tools.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cuda/cache/code_cache.hpp"
#include "cuda/nvrtc/nvrtc.hpp"
#include "cuda/nvrtc/places.hpp"

namespace cairn::cuda {

namespace fs = std::filesystem;

namespace {

/// A folder of its own that is removed again.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "cairn-XXXXXX").string();
    if (!error && ::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~ScratchFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Runs a program with its output in a file; its status, or -1.
int run_program(const std::string& program, std::vector<std::string> arguments, const fs::path& output) {
  std::vector<char*> words;
  arguments.insert(arguments.begin(), program);
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  ::pid_t child = 0;
  const int started = ::posix_spawn(&child, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (started != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The number that stands right before `word` in a line; 0 when there is none.
std::uint32_t number_before(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return 0;
  std::size_t end = at;
  while (end > 0 && line[end - 1] == ' ') --end;
  std::size_t start = end;
  while (start > 0 && line[start - 1] >= '0' && line[start - 1] <= '9') --start;
  std::uint32_t number = 0;
  std::from_chars(line.data() + start, line.data() + end, number);
  return number;
}

}  // namespace

Toolchain find_toolchain() {
  Toolchain tools;
  if (const auto nvrtc = Nvrtc::open()) tools.nvrtc = (*nvrtc)->path();
  tools.ptxas = toolkit_program("ptxas");
  return tools;
}

std::vector<Resources> read_resources(std::string_view printed) {
  // "Compiling entry function 'region' for 'sm_90'", "Function properties for NAME", then a line of stack and spills;
  // "Used 16 registers, 2048 bytes smem". A function that is no entry has properties too.
  std::vector<Resources> all;
  while (!printed.empty()) {
    const std::size_t end = std::min(printed.find('\n'), printed.size());
    const std::string_view line = printed.substr(0, end);
    printed.remove_prefix(std::min(end + 1, printed.size()));
    constexpr std::string_view kEntry = "Compiling entry function '";
    if (const std::size_t at = line.find(kEntry); at != std::string_view::npos) {
      const std::string_view name = line.substr(at + kEntry.size());
      all.push_back({});
      all.back().entry = std::string(name.substr(0, name.find('\'')));
    } else if (line.find("bytes stack frame") != std::string_view::npos && !all.empty()) {
      // Spills of a function that an entry calls are the entry's too.
      Resources& last = all.back();
      last.stack_bytes += number_before(line, "bytes stack frame");
      last.spill_stores += number_before(line, "bytes spill stores");
      last.spill_loads += number_before(line, "bytes spill loads");
    } else if (line.find("Used ") != std::string_view::npos && !all.empty()) {
      all.back().registers = number_before(line, "registers");
      all.back().shared_bytes = number_before(line, "bytes smem");
    }
  }
  return all;
}

std::expected<std::vector<Resources>, std::string> resources_of(const std::string& ptx, std::string_view target) {
  const auto ptxas = toolkit_program("ptxas");
  if (!ptxas) {
    return std::unexpected("ptxas, which says what a kernel takes, is missing: it comes with the CUDA toolkit");
  }
  const ScratchFolder folder;
  if (folder.path().empty()) return std::unexpected("there is no room for temporary files");
  const fs::path source = folder.path() / "kernel.ptx";
  const fs::path printed = folder.path() / "printed";
  std::ofstream(source, std::ios::binary) << ptx;
  const int status = run_program(
      *ptxas,
      {"-v", "--gpu-name", std::string(target), source.string(), "-o", (folder.path() / "kernel.cubin").string()},
      printed);
  const std::string text = contents(printed);
  const std::string shown = "ptxas (" + *ptxas + ")";
  if (status != 0 && text.empty()) {
    return std::unexpected(status < 0 ? shown + " does not run, or was ended by a signal"
                                      : shown + " ended with status " + std::to_string(status) + " and said nothing");
  }
  if (status != 0) return std::unexpected(shown + " refuses the kernel:\n" + text);
  std::vector<Resources> found = read_resources(text);
  if (found.empty()) return std::unexpected(shown + " does not say what the kernel takes");
  return found;
}

CodeCacheState code_cache_state() {
  const CacheState state = CodeCache(CodeCache::default_folder()).state();
  return {state.folder.string(), state.entries, state.bytes, state.limit, state.problem};
}

ClearedCodeCache clear_code_cache() {
  ClearedCache cleared = CodeCache(CodeCache::default_folder()).clear();
  return {cleared.removed, cleared.left, std::move(cleared.why)};
}

}  // namespace cairn::cuda
