#include "frontend/project/files.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cairn {

std::expected<std::string, std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  const auto reason = [] { return std::unexpected(std::string(std::strerror(errno))); };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a named pipe must not hang the check
  if (file < 0) return reason();
  struct Closer {
    int file;
    ~Closer() { ::close(file); }
  } closer{file};
  struct stat status{};
  if (::fstat(file, &status) != 0) return reason();
  if (!S_ISREG(status.st_mode)) return std::unexpected(std::string("it is no regular file"));
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (true) {
    if (size > limit) return std::unexpected("it has more than " + std::to_string(limit) + " bytes");
    if (size == text.size()) text.resize(text.size() + 4096);  // it may have grown; and the end must be seen
    const ssize_t got = ::read(file, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return reason();
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

std::string not_inside(const std::filesystem::path& root, std::string_view path, bool folder) {
  std::filesystem::path at = root;
  const std::filesystem::path relative(path);
  struct stat status{};
  for (const std::filesystem::path& part : relative) {
    at /= part;
    if (::lstat(at.c_str(), &status) != 0) return "does not exist";
    if (S_ISLNK(status.st_mode)) return "lies behind a symbolic link, " + at.lexically_relative(root).generic_string();
  }
  if (folder) return S_ISDIR(status.st_mode) ? "" : "is no directory";
  return S_ISREG(status.st_mode) ? "" : "is no regular file";
}

bool is_utf8(std::string_view text) {
  const auto byte_at = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  std::size_t at = 0;
  while (at < text.size()) {
    const unsigned char first = byte_at(at);
    if (first < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return false;
    const unsigned char second = byte_at(at + 1);
    // The second byte rules out overlong forms, surrogates and what lies beyond U+10FFFF.
    const unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (second < least || second > most) return false;
    for (std::size_t next = 2; next < length; ++next) {
      if ((byte_at(at + next) & 0xC0U) != 0x80U) return false;
    }
    at += length;
  }
  return true;
}

}  // namespace cairn
