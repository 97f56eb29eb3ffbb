// A file of the source tree that is part of the binary; cmake/embed_files.cmake writes the tables.
#pragma once

#include <span>
#include <string_view>

namespace cairn {

struct EmbeddedFile {
  std::string_view path;  // relative to the embedded folder, with `/`
  std::string_view text;
};

}  // namespace cairn
