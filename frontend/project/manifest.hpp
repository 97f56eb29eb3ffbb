// A project's manifest, `cairn.toml` (abstractions, 13.2). It is data: no scripts, hooks, flags, environment or
// network. Reading one checks keys, types, spellings and counts; whether the files exist is the loader's part.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

enum class ProjectKind : std::uint8_t { Library, Executable };

/// The words of the manifest and of records.
[[nodiscard]] inline std::string_view text(ProjectKind kind) {
  return kind == ProjectKind::Executable ? "exe" : "library";
}

struct ForeignSource {
  std::string path;                  // a .cpp, .cc or .cu below the project's root
  std::vector<std::string> symbols;  // the C identifiers it defines
};

struct Manifest {
  std::string name;
  std::vector<std::string> sources;  // in the order they are composed
  std::vector<std::string> tests;    // contract files of `cairn test`
  ProjectKind kind = ProjectKind::Library;
  std::string arch = "baseline";
  std::string target = "hosted";
  std::vector<std::string> libraries;                             // known system libraries
  std::string device_target;                                      // empty: none
  std::vector<std::pair<std::string, std::string>> dependencies;  // name, directory; in the order written
  std::vector<ForeignSource> foreign;                             // in the order written
};

inline constexpr std::size_t kMostManifestBytes = 65536;
inline constexpr std::size_t kMostSources = 1024;
inline constexpr std::size_t kMostTests = 128;
inline constexpr std::size_t kMostLibraries = 8;
inline constexpr std::size_t kMostDependencies = 64;
inline constexpr std::size_t kMostForeignSources = 64;
inline constexpr std::size_t kMostForeignSymbols = 256;

/// `shown` is the manifest's name in messages.
[[nodiscard]] std::expected<Manifest, Diagnostic> parse_manifest(std::string_view text, std::string_view shown);

/// A project's name: a letter, then at most 63 letters, digits, `_` and `-`.
[[nodiscard]] bool is_project_name(std::string_view name);

/// A relative POSIX path of segments `[A-Za-z0-9_.-]+`, none empty, `.` or `..`.
[[nodiscard]] bool is_project_path(std::string_view path);

/// `sm_` and a compute capability, with `a` from sm_90 on or `f` from sm_100 on (devices, "targets").
[[nodiscard]] bool is_device_target(std::string_view target);

/// The refusal of a device target that is spelled otherwise: E-TARGET, saying what a target looks like.
[[nodiscard]] Diagnostic bad_device_target(std::string_view target);

/// A refusal that says nothing about the program: E-PROJECT-OR-ENVIRONMENT.
[[nodiscard]] Diagnostic no_verdict(std::string message);

}  // namespace cairn
