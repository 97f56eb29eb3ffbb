// What this machine offers a program, found without starting anything on a device (tools, 3.8).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cairn::cli {

struct Gpu {
  std::string name;
  int major = 0, minor = 0;  // compute capability
  std::size_t memory_bytes = 0;
};

struct Machine {
  std::string platform;                    // "linux-x86_64"
  std::string architecture;                // "x86_64"
  std::string processor_features;          // what the optimizing tier may use, separated by spaces
  std::optional<std::string> solver;       // path of Z3, library or program
  std::optional<std::string> cuda_driver;  // version of the installed driver's API
  std::optional<std::string> nvrtc;        // path
  std::optional<std::string> ptxas;        // path
  std::vector<Gpu> devices;
};

/// The host alone: nothing is searched for.
[[nodiscard]] Machine describe_host();
[[nodiscard]] Machine examine_machine();
/// The device target of each kind of GPU the driver reports, in its order.
[[nodiscard]] std::vector<std::string> detected_device_targets();

/// The executable of that plain name in the folders of PATH.
[[nodiscard]] std::optional<std::string> program_in_path(const std::string& name);

}  // namespace cairn::cli
