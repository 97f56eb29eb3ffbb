#include "vm/language_server/connection.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>

#include <nlohmann/json.hpp>

namespace cairn::lsp {

namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20U;  // of one message

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

bool Connection::fill() {
  char chunk[65536];
  while (true) {
    const ssize_t got = ::read(in_, chunk, sizeof(chunk));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    buffered_.append(chunk, static_cast<std::size_t>(got));
    return true;
  }
}

std::optional<std::string> Connection::header_line() {
  std::size_t end = 0;
  while ((end = buffered_.find('\n')) == std::string::npos) {
    if (buffered_.size() > 65536 || !fill()) return std::nullopt;
  }
  std::string line = buffered_.substr(0, end);
  buffered_.erase(0, end + 1);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

std::optional<std::string> Connection::read() {
  std::size_t length = 0;
  bool has_length = false;
  while (true) {
    const auto line = header_line();
    if (!line) return std::nullopt;
    if (line->empty()) {
      if (has_length) break;
      continue;  // blank lines between messages
    }
    const std::size_t colon = line->find(':');
    if (colon == std::string::npos) return std::nullopt;
    if (!equals_ignoring_case(std::string_view(*line).substr(0, colon), "Content-Length")) continue;
    const char* first = line->data() + colon + 1;
    while (*first == ' ') ++first;
    const char* last = line->data() + line->size();
    const auto [stop, fault] = std::from_chars(first, last, length);
    if (fault != std::errc() || stop != last || length > kMostBytes) return std::nullopt;
    has_length = true;
  }
  while (buffered_.size() < length) {
    if (!fill()) return std::nullopt;
  }
  std::string body = buffered_.substr(0, length);
  buffered_.erase(0, length);
  return body;
}

void Connection::write(const nlohmann::json& message) const {
  const std::string body = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string framed = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  std::string_view rest = framed;
  while (!rest.empty()) {
    const ssize_t written = ::write(out_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody reads any more; the end of input follows
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace cairn::lsp
