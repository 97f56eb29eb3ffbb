// A document checked: with its whole project and unsaved buffers where a manifest lists it, alone elsewhere.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vm/language_server/document.hpp"
#include "vm/session.hpp"

namespace cairn::lsp {

/// The open documents' texts, by path.
using Buffers = std::map<std::filesystem::path, std::string>;

class Analysis {
 public:
  /// Checks the document at `path`, an open one.
  Analysis(const std::filesystem::path& path, const Buffers& buffers);
  /// A program that was checked already and is no document.
  explicit Analysis(std::unique_ptr<Session> session) : session_(std::move(session)) {}

  [[nodiscard]] bool accepted() const { return session_->accepted(); }
  [[nodiscard]] Session& session() const { return *session_; }
  [[nodiscard]] const SourceMap& sources() const { return session_->sources(); }

  /// The project's files on disk, by their number in the source map.
  [[nodiscard]] const std::map<std::uint32_t, std::filesystem::path>& files() const { return files_; }
  [[nodiscard]] std::optional<std::uint32_t> file_number(const std::filesystem::path& path) const;
  /// The file of a position and the byte offset in it; nothing for positions of no file.
  struct Place {
    const SourceFile* file = nullptr;
    std::optional<std::filesystem::path> path;  // none: a module of the library
    std::size_t offset = 0;
  };
  [[nodiscard]] std::optional<Place> place_of(Position position) const;

  /// The diagnostics of every file of the project, empty lists included.
  [[nodiscard]] std::map<std::filesystem::path, nlohmann::json> diagnostics() const;

 private:
  std::unique_ptr<Session> session_;
  std::filesystem::path document_;
  std::map<std::uint32_t, std::filesystem::path> files_;
};

}  // namespace cairn::lsp
