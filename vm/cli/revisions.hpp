// A side of `cairn diff`: a path, or a revision of the repository around the working folder, read into a scratch folder
// that lives as long as the side (tools, 10).
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <string>

#include "vm/session.hpp"

namespace cairn::cli {

class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }  // empty: none could be made

 private:
  std::filesystem::path path_;
};

struct VersionSide {
  std::string named;   // as written
  std::string kind;    // "path" or "revision"
  std::string commit;  // of a revision
  std::filesystem::path operand;
  std::unique_ptr<ScratchFolder> scratch;
};

/// What a word of the command line names; `inside` is the project in the repository, or empty.
[[nodiscard]] std::expected<VersionSide, Diagnostic> find_version(const std::string& word, const std::string& inside);

}  // namespace cairn::cli
