// Jupyter's messages on the wire, version 5.3 of the protocol: identities, a delimiter, a signature, four JSON parts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "vm/kernel/sockets.hpp"

namespace cairn::kernel {

using Json = nlohmann::json;

struct Message {
  Frames identities;             // of who asked, on a router socket
  Json header = Json::object();  // its msg_type is a text
  Json parent = Json::object();
  Json metadata = Json::object();
  Json content = Json::object();

  [[nodiscard]] std::string type() const { return header.at("msg_type"); }
};

/// Makes and reads the frames of messages of one session, signed with its key (HMAC with SHA-256, RFC 2104); an empty
/// key signs nothing.
class Wire {
 public:
  explicit Wire(std::string key);

  /// Nothing when the frames are no message, or the signature is wrong.
  [[nodiscard]] std::optional<Message> read(const Frames& frames) const;
  /// The frames of a message of this type that answers `parent`.
  [[nodiscard]] Frames write(const Frames& identities, std::string_view type, const Json& content, const Json& parent,
                             const Json& metadata = Json::object()) const;

 private:
  [[nodiscard]] std::string signature(const std::string& header, const std::string& parent, const std::string& metadata,
                                      const std::string& content) const;

  std::string key_;
  std::string session_;
};

/// The HMAC of a text, as lower-case hexadecimal digits.
[[nodiscard]] std::string hmac_sha256_hex(std::string_view key, std::string_view text);
[[nodiscard]] std::string base64(std::string_view bytes);
/// 128 random bits as hexadecimal digits.
[[nodiscard]] std::string random_name();

}  // namespace cairn::kernel
