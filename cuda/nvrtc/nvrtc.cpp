#include "cuda/nvrtc/nvrtc.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include "cuda/nvrtc/places.hpp"

namespace cairn::cuda {

namespace {

struct ProgramOpaque;
using Program = ProgramOpaque*;

const std::vector<std::string>& library_names() {
  static const std::vector<std::string> names{"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
  return names;
}

std::vector<std::string> places() {
  return library_places(library_names(), {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", "nvidia/cuda_nvrtc_cu12/lib"});
}

std::string path_of(void* handle, const std::string& otherwise) {
  link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) return otherwise;
  return map->l_name;
}

}  // namespace

struct Nvrtc::Functions {
  int (*version)(int*, int*) = nullptr;
  int (*architecture_count)(int*) = nullptr;
  int (*architectures)(int*) = nullptr;
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*ptx_size)(Program, std::size_t*) = nullptr;
  int (*ptx)(Program, char*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*want_name)(Program, const char*) = nullptr;
  int (*name_of)(Program, const char*, const char**) = nullptr;
  const char* (*error)(int) = nullptr;

  /// The name of a function the library lacks, or null.
  const char* find(void* library) {
    const char* missing = nullptr;
    const auto take = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      if (function == nullptr && missing == nullptr) missing = name;
    };
    take(version, "nvrtcVersion");
    take(architecture_count, "nvrtcGetNumSupportedArchs");
    take(architectures, "nvrtcGetSupportedArchs");
    take(create, "nvrtcCreateProgram");
    take(destroy, "nvrtcDestroyProgram");
    take(compile, "nvrtcCompileProgram");
    take(ptx_size, "nvrtcGetPTXSize");
    take(ptx, "nvrtcGetPTX");
    take(cubin_size, "nvrtcGetCUBINSize");
    take(cubin, "nvrtcGetCUBIN");
    take(log_size, "nvrtcGetProgramLogSize");
    take(log, "nvrtcGetProgramLog");
    take(want_name, "nvrtcAddNameExpression");
    take(name_of, "nvrtcGetLoweredName");
    take(error, "nvrtcGetErrorString");
    return missing;
  }
};

std::optional<Nvrtc::Identity> Nvrtc::identity() {
  std::vector<std::string> all = places();
  struct ::stat status{};
  if (all.empty() || !all.front().starts_with('/') || ::stat(all.front().c_str(), &status) != 0) return std::nullopt;
  return Identity{std::move(all.front()), std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) +
                                              " " + std::to_string(status.st_mtim.tv_nsec)};
}

std::expected<std::unique_ptr<Nvrtc>, std::string> Nvrtc::open() {
  std::string why;
  for (const std::string& place : places()) {
    void* const handle = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) continue;
    std::unique_ptr<Nvrtc> library(new Nvrtc());
    library->handle_ = handle;
    library->path_ = path_of(handle, place);
    library->call_ = std::make_unique<Functions>();
    if (const char* const missing = library->call_->find(handle); missing != nullptr) {
      why = library->path_ + " has no " + missing + ", and NVRTC 11.2 or later is needed; ";
      continue;
    }
    int count = 0;
    if (library->call_->version(&library->major_, &library->minor_) != 0 ||
        library->call_->architecture_count(&count) != 0 || count < 0) {
      why = library->path_ + " does not answer; ";
      continue;
    }
    library->architectures_.resize(static_cast<std::size_t>(count));
    if (count != 0 && library->call_->architectures(library->architectures_.data()) != 0) {
      library->architectures_.clear();
    }
    return library;
  }
  return std::unexpected(
      why +
      "NVRTC (libnvrtc.so) is missing, which makes code for the device. It comes with the CUDA toolkit (set CUDA_HOME "
      "where it is not in /usr/local/cuda), with the distribution's package, and with the Python package "
      "nvidia-cuda-nvrtc");
}

Nvrtc::~Nvrtc() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

Compiled Nvrtc::compile(const std::string& text, const std::string& name, const std::vector<Header>& headers,
                        const std::vector<std::string>& options, const std::vector<std::string>& functions) const {
  Compiled result;
  std::vector<const char*> names;
  std::vector<const char*> texts;
  for (const Header& header : headers) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  Program program = nullptr;
  const int made =
      call_->create(&program, text.c_str(), name.c_str(), static_cast<int>(headers.size()), texts.data(), names.data());
  if (made != 0) {
    result.log = std::string("NVRTC: ") + call_->error(made);
    return result;
  }
  for (const std::string& function : functions) call_->want_name(program, function.c_str());
  std::vector<const char*> arguments;
  for (const std::string& option : options) arguments.push_back(option.c_str());
  const int status = call_->compile(program, static_cast<int>(arguments.size()), arguments.data());
  std::size_t size = 0;
  if (call_->log_size(program, &size) == 0 && size > 1) {
    result.log.resize(size);
    call_->log(program, result.log.data());
    result.log.resize(size - 1);  // it counts the terminating zero
  }
  if (status != 0) {
    if (result.log.empty()) result.log = std::string("NVRTC: ") + call_->error(status);
  } else {
    result.worked = call_->ptx_size(program, &size) == 0 && size != 0;
    if (result.worked) {
      result.ptx.resize(size);
      result.worked = call_->ptx(program, result.ptx.data()) == 0;
      result.ptx.resize(size - 1);
    }
    if (call_->cubin_size(program, &size) == 0 && size != 0) {
      result.cubin.resize(size);
      if (call_->cubin(program, reinterpret_cast<char*>(result.cubin.data())) != 0) result.cubin.clear();
    }
    for (const std::string& function : functions) {
      const char* spelled = nullptr;
      const bool is_there = call_->name_of(program, function.c_str(), &spelled) == 0 && spelled != nullptr;
      result.names.emplace_back(is_there ? spelled : "");
    }
    if (!result.worked) result.log = "NVRTC gave no code";
  }
  call_->destroy(&program);
  return result;
}

}  // namespace cairn::cuda
