// The standard library's modules, in the binary: their texts as they stand in stdlib/, sorted by name.
#pragma once

#include <span>
#include <string_view>

namespace cairn {

struct EmbeddedModule {
  std::string_view name;  // "std.vec"
  std::string_view text;  // UTF-8, as in the file
};

/// Every module, ascending by name in byte order.
std::span<const EmbeddedModule> embedded_modules();

}  // namespace cairn
