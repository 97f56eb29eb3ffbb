// The sections of a bundle. Writing and reading of each kind of row stand side by side in one function, `exchange`,
// that works on either a writer or a reader, so that the two cannot disagree.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

class SectionWriter {
 public:
  static constexpr bool kReads = false;

  void integer(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }
  void word(std::uint64_t value) {
    char raw[8];
    std::memcpy(raw, &value, sizeof(raw));
    bytes_.append(raw, sizeof(raw));
  }
  void text(std::string_view value) {
    integer(value.size());
    bytes_ += value;
  }
  [[nodiscard]] bool failed() const { return false; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what the writer wrote; after a failure everything reads as 0.
class SectionReader {
 public:
  static constexpr bool kReads = true;

  explicit SectionReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t integer() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (bytes_.empty()) break;
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      if (shift == 63 && byte > 1) break;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }
  std::uint64_t word() {
    std::uint64_t value = 0;
    if (bytes_.size() < 8) {
      failed_ = true;
      return 0;
    }
    std::memcpy(&value, bytes_.data(), 8);
    bytes_.remove_prefix(8);
    return value;
  }
  std::string text() {
    const std::uint64_t size = integer();
    if (size > bytes_.size()) failed_ = true;
    if (failed_) return {};
    std::string value(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return value;
  }
  /// A count of rows of at least `least` bytes each: never more than can follow.
  std::uint64_t count(std::uint64_t least) {
    const std::uint64_t value = integer();
    if (value > bytes_.size() / least) failed_ = true;
    return failed_ ? 0 : value;
  }
  void fail() { failed_ = true; }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool done() const { return bytes_.empty() && !failed_; }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

/// The kinds, in the order they are written.
enum class Section : std::uint32_t {
  Names = 1,  // module name, files, texts
  Types,
  Signatures,
  Traits,     // and dispatch tables
  Imports,    // natives and foreign functions
  Functions,  // all but positions
  Positions,
  Entries,
  Interface,
};
inline constexpr std::uint32_t kSectionCount = 9;

/// Writes or reads one section of a module.
void write_section(Section section, const Module& module, const std::string& interface, SectionWriter& writer);
void read_section(Section section, Module& module, std::string& interface, SectionReader& reader);

}  // namespace cairn::bytecode
