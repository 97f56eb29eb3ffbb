// A vendored source as a translation unit: its own text, and after it that every kernel the module launches takes what
// its declaration passes (abstractions, 14.3).
#pragma once

#include <string>
#include <string_view>

#include "cuda/compiler.hpp"

namespace cairn::cuda::writer {

struct VendoredText {
  std::string text;
  std::vector<std::string> kernels;  // those of the source that the module launches
};
[[nodiscard]] VendoredText vendored_text(const bytecode::Module& module, const bytecode::VendoredSource& source);

/// What is wrong with the source at `path`, of whose text a compiler said `log`, as a sentence without its full stop.
[[nodiscard]] std::string why_not_compiled(const std::string& path, std::string_view log);

/// The name of what checks the kernels: the module's declarations.
inline constexpr const char* kDeclarations = "cuda/kernel/declarations.hpp";

}  // namespace cairn::cuda::writer
