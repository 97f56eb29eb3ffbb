// NVRTC as far as cuda/nvrtc uses it, giving code for the stub driver: the text is compiled for the host, after the
// stand-ins of host_grid.hpp, by the compiler that built this. Its PTX is a comment, its cubin a library of the host.
// CAIRN_STUB_COMPILED names a file that gets a line for every compilation: the source's name.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#define STUB extern "C" __attribute__((visibility("default")))

namespace {

namespace fs = std::filesystem;

struct Program {
  std::string name;
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string image;
  std::string log;
};
constexpr const char* kPtx = "// code for the host\n";
constexpr int kArchitectures[] = {75, 80, 86, 89, 90, 100, 120};
constexpr std::string_view kOfTheHost[] = {"stdint.h", "cstdint", "stddef.h", "cstddef"};  // which it has itself
constexpr int kWrongInput = 3, kCompilation = 6;

/// A folder that goes again.
struct Scratch {
  fs::path folder;
  Scratch() {
    std::string name = (fs::temp_directory_path() / "cairn-nvrtc-XXXXXX").string();
    if (const char* const made = ::mkdtemp(name.data())) folder = made;
  }
  ~Scratch() {
    std::error_code error;
    if (!folder.empty()) fs::remove_all(folder, error);
  }
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream(path, std::ios::binary) << text;
}

int give(const std::string& text, std::size_t* size) {
  *size = text.size();
  return 0;
}

}  // namespace

STUB int nvrtcVersion(int* major, int* minor) {  // no version that a cache knows
  *major = 99;
  *minor = 0;
  return 0;
}
STUB int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(std::size(kArchitectures));
  return 0;
}
STUB int nvrtcGetSupportedArchs(int* all) {
  std::copy(std::begin(kArchitectures), std::end(kArchitectures), all);
  return 0;
}
STUB const char* nvrtcGetErrorString(int status) {
  return status == kCompilation ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_INVALID_INPUT";
}
STUB int nvrtcCreateProgram(Program** program, const char* text, const char* name, int count, const char* const* texts,
                            const char* const* names) {
  auto* const made = new Program{name, text, {}, {}, {}};
  for (int k = 0; k < count; ++k) made->headers.emplace_back(names[k], texts[k]);
  *program = made;
  return 0;
}
STUB int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return 0;
}
STUB int nvrtcCompileProgram(Program* program, int, const char* const*) {
  if (const char* const told = std::getenv("CAIRN_STUB_COMPILED")) {
    std::ofstream(told, std::ios::app) << program->name << "\n";
  }
  const Scratch scratch;
  if (scratch.folder.empty()) return kWrongInput;
  for (const auto& [name, text] : program->headers) {
    if (std::ranges::find(kOfTheHost, name) == std::end(kOfTheHost)) write(scratch.folder / name, text);
  }
  std::string text =
      "#include \"tests/cuda/stub/host_entry.hpp\"\n#line 1 \"" + program->name + "\"\n" + program->text + "\n";
  static const std::regex entry(R"(__global__[^;{(]*(?:\([^)]*\))?[^;{(]*?\b(\w+)\s*\()");
  std::set<std::string> entries;
  for (std::sregex_iterator at(program->text.begin(), program->text.end(), entry), end; at != end; ++at) {
    if ((*at)[1] != "__launch_bounds__") entries.insert((*at)[1]);
  }
  for (const std::string& name : entries) text += "CAIRN_STUB_ENTRY(" + name + ")\n";
  const fs::path base = scratch.folder / "kernel";
  write(base.string() + ".cpp", text);
  const bool is_vendored = program->name.starts_with("/vendored/");  // ours have host forms where that is not set
  const std::string command =
      std::string(CAIRN_HOST_COMPILER) + " -std=c++20 -O1 -w " + (is_vendored ? "-D__CUDACC_RTC__ " : "") +
      "-fPIC -shared -ffp-contract=off -fno-strict-aliasing -I" + scratch.folder.string() + " -I" + CAIRN_SOURCE_DIR +
      " " + base.string() + ".cpp " + CAIRN_HOST_GRID + " -o " + base.string() + ".so 2>" + base.string() + ".log";
  const bool worked = std::system(command.c_str()) == 0;  // NOLINT: a fixed command of a test
  program->log = read(base.string() + ".log");
  program->log.push_back('\0');
  if (worked) program->image = read(base.string() + ".so");
  return worked ? 0 : kCompilation;
}
STUB int nvrtcAddNameExpression(Program*, const char*) { return 0; }
STUB int nvrtcGetLoweredName(Program* program, const char* expression, const char** name) {
  static thread_local std::string kept;
  kept = expression;
  if (kept.starts_with("::")) kept.erase(0, 2);
  *name = kept.c_str();
  return program->image.empty() ? kWrongInput : 0;
}
STUB int nvrtcGetPTXSize(Program*, std::size_t* size) {
  *size = std::strlen(kPtx) + 1;
  return 0;
}
STUB int nvrtcGetPTX(Program*, char* to) {
  std::strcpy(to, kPtx);
  return 0;
}
STUB int nvrtcGetCUBINSize(Program* program, std::size_t* size) { return give(program->image, size); }
STUB int nvrtcGetCUBIN(Program* program, char* to) {
  std::memcpy(to, program->image.data(), program->image.size());
  return 0;
}
STUB int nvrtcGetProgramLogSize(Program* program, std::size_t* size) { return give(program->log, size); }
STUB int nvrtcGetProgramLog(Program* program, char* to) {
  std::memcpy(to, program->log.data(), program->log.size());
  return 0;
}
