// Where CUDA's libraries and programs lie: toolkits, the distribution, Python wheels. Nothing is opened here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::cuda {

/// Every place where a library named one of `names` may be opened from, most particular first: CAIRN_CUDA, CUDA_HOME
/// and CUDA_PATH, toolkits below /usr/local, /opt and /usr/lib, the loader's own search (a plain name), and the
/// packages of Python environments (`wheel`: the folder of such a package, "nvidia/cuda_nvrtc/lib"). Files that are not
/// there are left out.
[[nodiscard]] std::vector<std::string> library_places(const std::vector<std::string>& names,
                                                      const std::vector<std::string>& wheels);

/// Folders of the toolkit's headers that are there, most particular first; `library`: NVRTC, whose own come before all.
[[nodiscard]] std::vector<std::string> header_folders(std::string_view library);

/// A program of the toolkit: "ptxas".
[[nodiscard]] std::optional<std::string> toolkit_program(std::string_view name);

}  // namespace cairn::cuda
