// NVRTC, NVIDIA's compiler for CUDA C++ at run time, opened when it is first wanted. No header or library of CUDA is
// needed to build this: the few functions it is made of are declared here as its documentation gives them (NVRTC 11.2
// and later).
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::cuda {

/// What a compilation gave. `log` is there whether it worked or not.
struct Compiled {
  bool worked = false;
  std::string log;
  std::string ptx;
  std::vector<std::uint8_t> cubin;  // empty when the architecture is a virtual one
  std::vector<std::string> names;   // of the functions that were asked for, as the code spells them
};

class Nvrtc {
 public:
  struct Functions;

  /// A library by the file it is, without opening it.
  struct Identity {
    std::string path;
    std::string stamp;  // its size and time
  };
  /// That of the library that `open` tries first; nothing when only the loader knows where it lies.
  [[nodiscard]] static std::optional<Identity> identity();
  /// An error says where the library comes from.
  [[nodiscard]] static std::expected<std::unique_ptr<Nvrtc>, std::string> open();
  ~Nvrtc();
  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int major() const { return major_; }
  [[nodiscard]] int minor() const { return minor_; }
  /// "13.0"
  [[nodiscard]] std::string version() const { return std::to_string(major_) + "." + std::to_string(minor_); }
  /// Compute capabilities it makes code for, ascending: 75, 80, .. 120.
  [[nodiscard]] const std::vector<int>& architectures() const { return architectures_; }

  struct Header {
    const char* name;
    const char* text;
  };
  /// `functions`: C++ functions whose names in the code are wanted.
  [[nodiscard]] Compiled compile(const std::string& text, const std::string& name, const std::vector<Header>& headers,
                                 const std::vector<std::string>& options,
                                 const std::vector<std::string>& functions = {}) const;

 private:
  Nvrtc() = default;

  void* handle_ = nullptr;
  std::unique_ptr<Functions> call_;
  std::string path_;
  int major_ = 0;
  int minor_ = 0;
  std::vector<int> architectures_;
};

}  // namespace cairn::cuda
