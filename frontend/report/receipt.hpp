// The front-end receipt (tools, 7.1 to 7.3): what a check established, as one record. The program's meaning never
// depends on it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "frontend/frontend.hpp"

namespace cairn {

/// What the front end itself does not know.
struct ReceiptContext {
  std::string compiler;          // its version
  std::string source_digest;     // of the program's text as checked
  std::string generated_digest;  // of the lowered program
  std::string runtime_digest;
};

/// Of an accepted program.
[[nodiscard]] nlohmann::ordered_json frontend_receipt(const Compilation& compilation, const ReceiptContext& context);

/// The row of one function (7.2).
[[nodiscard]] nlohmann::ordered_json function_receipt(const Compilation& compilation, const checked::Function& function);

/// Functions, kernels and test blocks, instances included: what records count and list. Externs, closures and lane
/// bodies are not.
[[nodiscard]] bool is_listed(const checked::Function& function);

}  // namespace cairn
