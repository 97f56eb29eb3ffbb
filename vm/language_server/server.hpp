// The language server (tools, 15): requests in, answers and diagnostics out.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "vm/language_server/analysis.hpp"
#include "vm/language_server/connection.hpp"

namespace cairn::lsp {

class Server {
 public:
  explicit Server(Connection connection) : connection_(std::move(connection)) {}

  /// Serves until `exit` or the end of input. The exit status: 0 after a shutdown, else 1.
  int serve();

 private:
  using Json = nlohmann::json;
  struct Good {  // the last analysis of a document that was accepted, and the text it was made from
    std::unique_ptr<Analysis> analysis;
    std::string text;
  };

  void handle(const Json& message);
  Json answer(const std::string& method, const Json& parameters);
  void reply(const Json& id, Json result) const;
  void fail(const Json& id, int code, const std::string& why) const;

  void opened(const Json& parameters);
  void changed(const Json& parameters);
  void closed(const Json& parameters);
  void analyse(const std::filesystem::path& path);
  void publish(const std::filesystem::path& path, const Json& diagnostics) const;

  [[nodiscard]] const Good* good(const Json& parameters) const;
  Json hover(const Json& parameters) const;
  Json definition(const Json& parameters) const;
  Json references(const Json& parameters, bool in_document) const;
  Json rename(const Json& parameters) const;
  Json formatting(const Json& parameters) const;
  Json actions(const Json& parameters) const;
  Json workspace(const std::string& query) const;
  Json aids(const std::string& method, const Json& parameters) const;

  Connection connection_;
  Buffers buffers_;
  std::map<std::filesystem::path, Good> good_;
  std::map<std::filesystem::path, std::set<std::filesystem::path>> published_;  // by document: where it has diagnostics
  bool shut_down_ = false;
  bool ended_ = false;
};

}  // namespace cairn::lsp
