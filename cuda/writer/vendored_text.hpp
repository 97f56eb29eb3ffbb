// A vendored source as a translation unit: its own text, and after it that every kernel the module launches takes what
// its declaration passes (abstractions, 14.3).
#pragma once

#include <string>

#include "cuda/compiler.hpp"

namespace cairn::cuda::writer {

struct VendoredText {
  std::string text;
  std::vector<std::string> kernels;  // those of the source that the module launches
};
[[nodiscard]] VendoredText vendored_text(const bytecode::Module& module, const bytecode::VendoredSource& source);

/// The name of what checks the kernels: the module's declarations.
inline constexpr const char* kDeclarations = "cuda/kernel/declarations.hpp";

}  // namespace cairn::cuda::writer
