// JSON-RPC 2.0 over two descriptors with Content-Length framing (tools, 15).
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace cairn::lsp {

class Connection {
 public:
  Connection(int in, int out) : in_(in), out_(out) {}

  /// The body of the next message; nothing at the end of input or when the framing is broken.
  [[nodiscard]] std::optional<std::string> read();
  void write(const nlohmann::json& message) const;

 private:
  /// The next line without its CR LF; nothing at the end.
  std::optional<std::string> header_line();
  bool fill();

  int in_;
  int out_;
  std::string buffered_;
};

}  // namespace cairn::lsp
