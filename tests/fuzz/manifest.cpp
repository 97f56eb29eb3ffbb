// Manifests, and the token scan that finds module headers: any bytes give a manifest or a refusal.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "frontend/project/files.hpp"
#include "frontend/project/manifest.hpp"
#include "frontend/project/module_scan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto manifest = cairn::parse_manifest(text, "cairn.toml");
  if (manifest && !cairn::is_project_name(manifest->name)) __builtin_trap();
  for (const std::string& module : cairn::scan_modules(text).modules) {
    if (module.size() > text.size()) __builtin_trap();
  }
  static_cast<void>(cairn::is_utf8(text));
  return 0;
}
