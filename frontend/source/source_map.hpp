// All text of a program: the project's files in order, then the library modules that were linked. Every file has a
// range of one 32-bit position space, so a position is one number and any node can be traced to its file, line and
// column. Files are added before they are lexed and never change afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// A place in the program's text. 0 is "no position".
struct Position {
  std::uint32_t offset = 0;
  explicit operator bool() const { return offset != 0; }
  friend bool operator==(Position, Position) = default;
  friend auto operator<=>(Position, Position) = default;
};

/// Half open: [begin, end).
struct Span {
  Position begin;
  Position end;
};

struct SourceFile {
  std::string path;  // as diagnostics show it: relative to the project root, or a library module's name
  std::string text;
  bool library = false;     // a packaged module: diagnostics name it in `module`
  bool own = true;          // of the project itself, not of a dependency or the library
  std::uint32_t begin = 0;  // position of its first byte
};

/// Line and column count from 1; columns count code points.
struct Location {
  const SourceFile* file = nullptr;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

class SourceMap {
 public:
  /// Adds a file and returns its index. A leading byte order mark is dropped. The 4 GiB position space cannot be
  /// exceeded by programs within the language's 16,000,000-byte limit, which the loader checks.
  std::uint32_t add(std::string path, std::string text, bool library = false, bool own = true);

  [[nodiscard]] std::size_t size() const { return files_.size(); }
  [[nodiscard]] const SourceFile& file(std::uint32_t index) const { return *files_[index]; }
  [[nodiscard]] const SourceFile* file_at(Position position) const;
  [[nodiscard]] Location locate(Position position) const;
  /// The text of the line a position stands in, without its newline.
  [[nodiscard]] std::string_view line_text(Position position) const;
  [[nodiscard]] std::string_view text(Span span) const;

 private:
  std::vector<std::unique_ptr<SourceFile>> files_;
  [[nodiscard]] std::uint32_t code_points_before(std::size_t index, std::uint32_t at) const;

  mutable std::vector<std::vector<std::uint32_t>> line_starts_;  // per file, filled when first asked
  mutable std::vector<std::vector<std::uint32_t>> code_points_;  // per file, in steps of bytes, when first asked
};

}  // namespace cairn
