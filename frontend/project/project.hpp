// A project: what a command's path operand names, loaded (abstractions, 13; tools, 1.1). Loading reads the manifest and
// every source into a SourceMap, vendored dependencies first, each before its user, and checks everything that can be
// said before a token is parsed: paths, limits, and whose module each declaration falls into.
//
// Invariants of a loaded project: the sources of the map are `files` in composition order, own files have own = true
// and are shown relative to the project's root, and no module is opened by two packages.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "frontend/project/manifest.hpp"
#include "frontend/source/source_map.hpp"

namespace cairn {

/// All sources of a program together (syntax, 1.1).
inline constexpr std::size_t kMostSourceBytes = 16'000'000;
/// A dependency of a dependency of ... of the project.
inline constexpr int kDeepestDependency = 4;

/// One project of the build: the one that was asked for, or a vendored one.
struct Package {
  std::string name;
  std::filesystem::path directory;
  std::string shown;  // the directory relative to the root project's root; empty for the root project
};

struct ProjectFile {
  std::uint32_t source = 0;   // in the SourceMap
  std::uint32_t package = 0;  // in Project::packages
  std::filesystem::path path;
};

struct Project {
  Manifest manifest;  // of the root project; of a single file: its stem, the file, and the defaults
  bool has_manifest = false;
  std::filesystem::path root;      // the project's folder
  std::filesystem::path operand;   // what was loaded: the .cairn file or the manifest
  std::vector<Package> packages;   // in the order they were loaded; the root project last
  std::vector<ProjectFile> files;  // in composition order

  [[nodiscard]] std::uint32_t own_package() const { return static_cast<std::uint32_t>(packages.size() - 1); }
};

/// Loads what the path names. An error is E-PROJECT-OR-ENVIRONMENT (nothing can be said about the program), E-TARGET (a
/// malformed device_target), E-SOURCE-LIMIT or E-RESOURCE-OR-IO (a source that cannot be read as text).
[[nodiscard]] std::expected<Project, Diagnostic> load_project(const std::filesystem::path& operand, SourceMap& sources);

/// Every file whose change can change what load_project answers, as far as it can be told: for `check --watch`.
[[nodiscard]] std::vector<std::filesystem::path> watched_files(const std::filesystem::path& operand);

}  // namespace cairn
