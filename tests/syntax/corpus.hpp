// The conformance cases as texts: a large body of programs in every form of the language.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace cairn::syntax {

template <class Function>
void for_each_case(Function function) {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"/tests/conformance", "/stdlib", "/examples"}) {
    const std::filesystem::path root = CAIRN_SOURCE_DIR + std::string(folder);
    if (!std::filesystem::exists(root)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ".cairn") paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    function(path.string(), text.str());
  }
}

}  // namespace cairn::syntax
