// What a check established, as one record (tools, 7.1 and 7.2): `build` writes it, and others show parts of it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "frontend/frontend.hpp"

namespace cairn {

/// What the receipt says of others than the program: versions and digests the front end does not know.
struct ReceiptContext {
  std::string compiler;          // the version
  std::string source_sha256;     // of the project's sources as checked
  std::string generated_sha256;  // of the bytecode
  std::string runtime_sha256;
};

/// The whole front-end receipt of an accepted program.
[[nodiscard]] nlohmann::ordered_json frontend_receipt(Compilation& compilation, const ReceiptContext& context);

/// `{exports, interface_sha256}` of every module of the program, library modules included, by name.
[[nodiscard]] nlohmann::ordered_json module_interfaces(const Compilation& compilation);

/// The digest of a module's interface: its exported functions' parameters, results and effect rows.
[[nodiscard]] std::string interface_digest(const Compilation& compilation, Name module);

/// Functions, kernels and test blocks, instances included: what records count and list. Closures and lane bodies belong
/// to the function they stand in; externs are declared, not checked.
[[nodiscard]] bool is_listed(const checked::Function& function);

/// Whether a declaration is exported: `pub`, or of the root module.
[[nodiscard]] bool is_exported(const syntax::Decl& declaration);

}  // namespace cairn
