// Vendored CUDA in a module (devices, 17): a source is a foreign row of its own, launched and never called, whose
// symbol is everything a compiler needs of it as text, so that a bundle holds it too.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

struct VendoredSource {
  struct Header {
    std::string name;  // as it is included
    std::string text;
  };
  std::string path;  // as the manifest names it
  std::string text;
  std::vector<std::string> symbols;  // the kernels it is said to define
  std::vector<Header> headers;       // what it includes of the project, and what those do
};

/// A row for the module's table. `signature`: one without parameters.
[[nodiscard]] Foreign foreign_of(const VendoredSource& source, std::uint32_t signature);
/// The source a row holds; nothing when it is another row, or a damaged one.
[[nodiscard]] std::optional<VendoredSource> vendored_source(const Foreign& row);
/// Every source of the module, in the order of its rows.
[[nodiscard]] std::vector<VendoredSource> vendored_sources(const Module& module);
/// The symbols of all of them.
[[nodiscard]] std::set<std::string, std::less<>> vendored_symbols(const Module& module);

}  // namespace cairn::bytecode
