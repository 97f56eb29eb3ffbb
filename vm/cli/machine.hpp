// What this machine offers a program, found without starting anything on a device (tools, 3.8).
#pragma once

#include <optional>
#include <string>

#include "cuda/gpus.hpp"

namespace cairn::cli {

struct Machine {
  std::string platform;               // "linux-x86_64"
  std::string architecture;           // "x86_64"
  std::string processor_features;     // what the optimizing tier may use, separated by spaces
  std::optional<std::string> solver;  // path of Z3, library or program
  std::optional<std::string> nvrtc;   // path
  std::optional<std::string> ptxas;   // path
  cuda::Gpus gpus;
};

/// The host alone: nothing is searched for.
[[nodiscard]] Machine describe_host();
[[nodiscard]] Machine examine_machine();
/// What the CUDA driver reports, asked once, by a process of its own: this one may still fork and use a GPU then.
[[nodiscard]] const cuda::Gpus& gpus_of_machine();

/// The executable of that plain name in the folders of PATH.
[[nodiscard]] std::optional<std::string> program_in_path(const std::string& name);

}  // namespace cairn::cli
