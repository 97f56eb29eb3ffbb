#include "vm/kernel/message.hpp"

#include <array>
#include <chrono>
#include <ctime>

#include <sys/random.h>

#include "frontend/support/sha256.hpp"

namespace cairn::kernel {

namespace {

constexpr std::string_view kDelimiter = "<IDS|MSG>";
constexpr std::string_view kProtocol = "5.3";

std::string bytes_of_hex(std::string_view digits) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t k = 0; k + 1 < digits.size(); k += 2) {
    bytes += static_cast<char>(value(digits[k]) * 16 + value(digits[k + 1]));
  }
  return bytes;
}

/// ISO 8601, in UTC, with microseconds.
std::string now_text() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  const std::time_t seconds = static_cast<std::time_t>(micros / 1'000'000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::string fraction = std::to_string(micros % 1'000'000);
  fraction.insert(0, 6 - fraction.size(), '0');
  return std::string(text.data(), size) + "." + fraction + "Z";
}

/// What a program printed need not be UTF-8.
std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Equal or not in a time that tells nothing of where they differ.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[k]) ^ static_cast<unsigned char>(b[k]));
  }
  return difference == 0;
}

}  // namespace

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
  constexpr std::size_t kBlock = 64;
  std::string padded(key);
  if (padded.size() > kBlock) padded = bytes_of_hex(sha256_hex(padded));
  padded.resize(kBlock, '\0');
  std::string inner = padded;
  std::string outer = padded;
  for (char& c : inner) c = static_cast<char>(c ^ 0x36);
  for (char& c : outer) c = static_cast<char>(c ^ 0x5c);
  return sha256_hex(outer + bytes_of_hex(sha256_hex(inner + std::string(text))));
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = (group << 8U) | (k + i < bytes.size() ? static_cast<unsigned char>(bytes[k + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += k + i <= bytes.size() ? kDigits[(group >> (18 - 6 * i)) & 63U] : '=';
    }
  }
  return text;
}

std::string random_name() {
  std::array<unsigned char, 16> bytes{};
  static_cast<void>(::getrandom(bytes.data(), bytes.size(), 0) < 0);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kHex[byte >> 4U];
    text += kHex[byte & 15U];
  }
  return text;
}

Wire::Wire(std::string key) : key_(std::move(key)), session_(random_name()) {}

std::string Wire::signature(const std::string& header, const std::string& parent, const std::string& metadata,
                            const std::string& content) const {
  return key_.empty() ? std::string() : hmac_sha256_hex(key_, header + parent + metadata + content);
}

std::optional<Message> Wire::read(const Frames& frames) const {
  Message message;
  std::size_t at = 0;
  while (at < frames.size() && frames[at] != kDelimiter) message.identities.push_back(frames[at++]);
  if (at + 6 > frames.size()) return std::nullopt;
  const std::string* part = &frames[at + 2];
  if (!same(frames[at + 1], signature(part[0], part[1], part[2], part[3]))) return std::nullopt;
  for (Json* into : {&message.header, &message.parent, &message.metadata, &message.content}) {
    *into = Json::parse(*part++, nullptr, false);
    if (!into->is_object()) return std::nullopt;
  }
  const auto type = message.header.find("msg_type");
  if (type == message.header.end() || !type->is_string()) return std::nullopt;
  return message;
}

Frames Wire::write(const Frames& identities, std::string_view type, const Json& content, const Json& parent,
                   const Json& metadata) const {
  const Json header = {{"msg_id", random_name()}, {"session", session_}, {"username", "cairn"},
                       {"date", now_text()},      {"msg_type", type},    {"version", kProtocol}};
  const std::string parts[] = {text_of(header), text_of(parent), text_of(metadata), text_of(content)};
  Frames frames = identities;
  frames.emplace_back(kDelimiter);
  frames.push_back(signature(parts[0], parts[1], parts[2], parts[3]));
  frames.insert(frames.end(), std::begin(parts), std::end(parts));
  return frames;
}

}  // namespace cairn::kernel
