// What messages about cooperative bodies need: names and lines.
#pragma once

#include <string>

#include "frontend/check/program.hpp"
#include "frontend/source/source_map.hpp"

namespace cairn {

struct CooperativeText {
  const NameTable& names;
  const SourceMap& sources;

  [[nodiscard]] std::string name(const checked::Local& local) const { return std::string(names.text(local.name)); }
  [[nodiscard]] std::uint32_t line_number(Position at) const { return sources.locate(at).line; }
  [[nodiscard]] std::string line(Position at) const { return "line " + std::to_string(line_number(at)); }
};

}  // namespace cairn
