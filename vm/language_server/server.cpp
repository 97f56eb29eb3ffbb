#include "vm/language_server/server.hpp"

#include <algorithm>

#include "frontend/check/rows.hpp"
#include "frontend/syntax/formatter.hpp"
#include "vm/language_server/fixes.hpp"
#include "vm/language_server/meaning.hpp"
#include "vm/language_server/reading_aids.hpp"
#include "vm/version.hpp"

namespace cairn::lsp {

namespace fs = std::filesystem;

namespace {

constexpr int kInvalidRequest = -32600;
constexpr int kUnknownMethod = -32601;
constexpr int kInternal = -32603;
constexpr int kRequestFailed = -32803;

std::optional<fs::path> document_of(const nlohmann::json& parameters) {
  const auto document = parameters.find("textDocument");
  if (document == parameters.end() || !document->is_object()) return std::nullopt;
  return path_of(document->value("uri", std::string()));
}

nlohmann::json capabilities() {
  return {{"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
          {"hoverProvider", true},
          {"definitionProvider", true},
          {"documentSymbolProvider", true},
          {"documentFormattingProvider", true},
          {"referencesProvider", true},
          {"documentHighlightProvider", true},
          {"renameProvider", true},
          {"workspaceSymbolProvider", true},
          {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
          {"codeLensProvider", {{"resolveProvider", false}}},
          {"inlayHintProvider", true},
          {"semanticTokensProvider", {{"legend", semantic_token_legend()}, {"full", true}}},
          {"completionProvider", {{"triggerCharacters", {"."}}}},
          {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}}};
}

/// What a rename must keep: how many effects each function has and which of them no name is part of.
std::vector<std::string> rows_of(const Session& session) {
  std::vector<std::string> rows;
  for (const auto& function : session.program().functions) {
    std::string row;
    if (function->row != nullptr) {
      for (const std::string& label : checked::texts(*function->row, *function, session.compilation().names)) {
        row += label.substr(0, label.find(':')) + " ";
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

int Server::serve() {
  while (!ended_) {
    const auto body = connection_.read();
    if (!body) break;
    const Json message = Json::parse(*body, nullptr, false);
    if (message.is_discarded() || !message.is_object()) {
      fail(nullptr, -32700, "this is no JSON object");
      continue;
    }
    handle(message);
  }
  return shut_down_ ? 0 : 1;
}

void Server::handle(const Json& message) {
  const auto method_at = message.find("method");
  const Json id = message.value("id", Json());
  const bool is_request = message.contains("id");
  if (method_at == message.end() || !method_at->is_string()) {
    if (is_request && !message.contains("result") && !message.contains("error")) fail(id, kInvalidRequest, "no method");
    return;
  }
  const std::string method = *method_at;
  const Json parameters = message.value("params", Json::object());
  if (method == "exit") {
    ended_ = true;
    return;
  }
  if (shut_down_) {
    if (is_request) fail(id, kInvalidRequest, "the server was shut down");
    return;
  }
  try {
    if (!is_request) {
      if (method == "textDocument/didOpen") opened(parameters);
      if (method == "textDocument/didChange") changed(parameters);
      if (method == "textDocument/didClose") closed(parameters);
      if (method == "textDocument/didSave") {
        if (const auto path = document_of(parameters); path && buffers_.contains(*path)) analyse(*path);
      }
      return;
    }
    reply(id, answer(method, parameters));
  } catch (const std::invalid_argument& unknown) {
    if (is_request) fail(id, kUnknownMethod, unknown.what());
  } catch (const std::domain_error& refused) {
    if (is_request) fail(id, kRequestFailed, refused.what());
  } catch (const std::exception& fault) {
    if (is_request) fail(id, kInternal, fault.what());
  }
}

nlohmann::json Server::answer(const std::string& method, const Json& parameters) {
  if (method == "initialize") {
    return {{"capabilities", capabilities()}, {"serverInfo", {{"name", "cairn"}, {"version", std::string(kVersion)}}}};
  }
  if (method == "shutdown") {
    shut_down_ = true;
    return nullptr;
  }
  if (method == "textDocument/hover") return hover(parameters);
  if (method == "textDocument/definition") return definition(parameters);
  if (method == "textDocument/references") return references(parameters, false);
  if (method == "textDocument/documentHighlight") return references(parameters, true);
  if (method == "textDocument/rename") return rename(parameters);
  if (method == "textDocument/formatting") return formatting(parameters);
  if (method == "textDocument/codeAction") return actions(parameters);
  if (method == "workspace/symbol") return workspace(parameters.value("query", std::string()));
  if (method == "textDocument/semanticTokens/full" || method == "textDocument/inlayHint" ||
      method == "textDocument/codeLens") {
    return aids(method, parameters);
  }
  const bool symbols = method == "textDocument/documentSymbol";
  if (symbols || method == "textDocument/completion" || method == "textDocument/signatureHelp") {
    const Good* known = good(parameters);
    const auto path = document_of(parameters);
    if (known == nullptr || !path) return symbols ? Json::array() : Json(nullptr);
    const auto number = known->analysis->file_number(*path);
    if (!number) return symbols ? Json::array() : Json(nullptr);
    const Meaning meaning(*known->analysis);
    if (symbols) return meaning.symbols(*number);
    const SourceFile& file = known->analysis->sources().file(*number);
    // Context comes from the current text; what follows the cursor there is not what the analysis saw.
    const std::string& text = buffers_.at(*path);
    const std::size_t offset = offset_of(text, parameters.value("position", Json::object()));
    SourceFile current = file;
    current.text = text;
    if (method == "textDocument/completion") return meaning.completions(current, offset);
    return meaning.signature(current, offset);
  }
  throw std::invalid_argument("there is no " + method + " here");
}

void Server::reply(const Json& id, Json result) const {
  connection_.write({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

void Server::fail(const Json& id, int code, const std::string& why) const {
  connection_.write({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", why}}}});
}

void Server::opened(const Json& parameters) {
  const auto path = document_of(parameters);
  if (!path) return;
  buffers_[*path] = parameters["textDocument"].value("text", std::string());
  analyse(*path);
}

void Server::changed(const Json& parameters) {
  const auto path = document_of(parameters);
  if (!path || !buffers_.contains(*path)) return;
  std::string& text = buffers_[*path];
  for (const Json& change : parameters.value("contentChanges", Json::array())) {
    const std::string put = change.value("text", std::string());
    if (!change.contains("range")) {
      text = put;
      continue;
    }
    const std::size_t begin = offset_of(text, change["range"].value("start", Json::object()));
    const std::size_t end = offset_of(text, change["range"].value("end", Json::object()));
    if (begin <= end) text.replace(begin, end - begin, put);
  }
  analyse(*path);
}

void Server::closed(const Json& parameters) {
  const auto path = document_of(parameters);
  if (!path) return;
  buffers_.erase(*path);
  good_.erase(*path);
  for (const fs::path& each : published_[*path]) publish(each, Json::array());
  published_.erase(*path);
}

void Server::analyse(const fs::path& path) {
  auto analysis = std::make_unique<Analysis>(path, buffers_);
  std::set<fs::path>& before = published_[path];
  std::set<fs::path> now;
  for (const auto& [file, diagnostics] : analysis->diagnostics()) {
    if (diagnostics.empty() && !before.contains(file) && file != path && !buffers_.contains(file)) continue;
    publish(file, diagnostics);
    if (!diagnostics.empty()) now.insert(file);
  }
  for (const fs::path& file : before) {
    if (!analysis->file_number(file) && file != path) publish(file, Json::array());
  }
  before = std::move(now);
  if (analysis->accepted()) good_[path] = {std::move(analysis), buffers_[path]};
}

void Server::publish(const fs::path& path, const Json& diagnostics) const {
  connection_.write({{"jsonrpc", "2.0"},
                     {"method", "textDocument/publishDiagnostics"},
                     {"params", {{"uri", uri_of(path)}, {"diagnostics", diagnostics}}}});
}

const Server::Good* Server::good(const Json& parameters) const {
  const auto path = document_of(parameters);
  if (!path || !buffers_.contains(*path)) return nullptr;
  const auto found = good_.find(*path);
  return found == good_.end() ? nullptr : &found->second;
}

namespace {

/// The word a request points at, in the text of the last accepted analysis.
struct Pointed {
  const SourceFile* file = nullptr;
  Word word;
};

std::optional<Pointed> pointed(const Analysis& analysis, const nlohmann::json& parameters) {
  const auto path = document_of(parameters);
  const auto number = path ? analysis.file_number(*path) : std::nullopt;
  if (!number) return std::nullopt;
  const SourceFile& file = analysis.sources().file(*number);
  const auto word = word_at(file.text, offset_of(file.text, parameters.value("position", nlohmann::json::object())));
  if (!word) return std::nullopt;
  return Pointed{&file, *word};
}

}  // namespace

nlohmann::json Server::hover(const Json& parameters) const {
  const Good* known = good(parameters);
  const auto at = known == nullptr ? std::nullopt : pointed(*known->analysis, parameters);
  if (!at) return nullptr;
  const std::string shown = Meaning(*known->analysis).description(*at->file, at->word);
  if (shown.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", shown}}},
          {"range", range_of(at->file->text, at->word.begin, at->word.end)}};
}

nlohmann::json Server::definition(const Json& parameters) const {
  const Good* known = good(parameters);
  const auto at = known == nullptr ? std::nullopt : pointed(*known->analysis, parameters);
  if (!at) return nullptr;
  const auto target = Meaning(*known->analysis).target(*at->file, at->word);
  const auto place = target ? known->analysis->place_of(target->declared) : std::nullopt;
  if (!place) return nullptr;
  const std::string uri = place->path ? uri_of(*place->path) : "cairn:library/" + place->file->path;
  return {{"uri", uri},
          {"range", range_of(place->file->text, place->offset, token_end(place->file->text, place->offset))}};
}

nlohmann::json Server::references(const Json& parameters, bool in_document) const {
  const Good* known = good(parameters);
  const auto at = known == nullptr ? std::nullopt : pointed(*known->analysis, parameters);
  Json all = Json::array();
  if (!at) return all;
  const Meaning meaning(*known->analysis);
  const auto target = meaning.target(*at->file, at->word);
  if (!target) return all;
  const std::string name = at->file->text.substr(at->word.begin, at->word.end - at->word.begin);
  const bool with_declaration =
      in_document || parameters.value("context", Json::object()).value("includeDeclaration", true);
  for (const Meaning::Use& use : meaning.uses(*target, name)) {
    const SourceFile& file = known->analysis->sources().file(use.file);
    if (in_document && &file != at->file) continue;
    if (!with_declaration && file.begin + use.word.begin == target->declared.offset) continue;
    const Json range = range_of(file.text, use.word.begin, use.word.end);
    all.push_back(in_document ? Json{{"range", range}}
                              : Json{{"uri", uri_of(known->analysis->files().at(use.file))}, {"range", range}});
  }
  return all;
}

nlohmann::json Server::rename(const Json& parameters) const {
  const Good* known = good(parameters);
  const auto at = known == nullptr ? std::nullopt : pointed(*known->analysis, parameters);
  if (!at) throw std::domain_error("nothing here can be renamed while the program is refused");
  const Analysis& analysis = *known->analysis;
  const Meaning meaning(analysis);
  const auto target = meaning.target(*at->file, at->word);
  const auto place = target ? analysis.place_of(target->declared) : std::nullopt;
  if (!place || !place->path) throw std::domain_error("only what the project declares can be renamed");
  const std::string name = at->file->text.substr(at->word.begin, at->word.end - at->word.begin);
  const std::string wanted = parameters.value("newName", std::string());
  const auto words = words_of(wanted);
  if (words.size() != 1 || words[0].begin != 0 || words[0].end != wanted.size() ||
      (wanted[0] >= '0' && wanted[0] <= '9')) {
    throw std::domain_error(wanted + " is no name");
  }
  Json edits = Json::object();
  Buffers renamed = buffers_;
  std::map<std::uint32_t, std::string> texts;
  auto uses = meaning.uses(*target, name);
  for (auto use = uses.rbegin(); use != uses.rend(); ++use) {  // from the back, so that offsets stay good
    const SourceFile& file = analysis.sources().file(use->file);
    std::string& text = texts.try_emplace(use->file, file.text).first->second;
    text.replace(use->word.begin, use->word.end - use->word.begin, wanted);
    edits[uri_of(analysis.files().at(use->file))].push_back(
        {{"range", range_of(file.text, use->word.begin, use->word.end)}, {"newText", wanted}});
  }
  for (auto& [number, text] : texts) renamed[analysis.files().at(number)] = text;
  const auto path = document_of(parameters);
  if (const auto number = analysis.file_number(*path); number && texts.contains(*number))
    renamed[*path] = texts[*number];
  const Analysis after(*path, renamed);
  if (!after.accepted() || rows_of(after.session()) != rows_of(analysis.session())) {
    throw std::domain_error("under the name " + wanted + " the project would be another program");
  }
  return {{"changes", edits}};
}

nlohmann::json Server::actions(const Json& parameters) const {
  const auto path = document_of(parameters);
  if (!path || !buffers_.contains(*path)) return Json::array();
  const std::string& text = buffers_.at(*path);
  const Json range = parameters.value("range", Json::object());
  return code_actions(*path, buffers_, offset_of(text, range.value("start", Json::object())),
                      offset_of(text, range.value("end", Json::object())));
}

/// Of every project that has an open document, each declaration once.
nlohmann::json Server::workspace(const std::string& query) const {
  Json all = Json::array();
  for (const auto& [path, known] : good_) {
    for (const Json& symbol : workspace_symbols(*known.analysis, query)) {
      if (std::ranges::find(all, symbol) == all.end()) all.push_back(symbol);
    }
  }
  return all;
}

/// What is shown beside a text comes from the text it was made for: none while the current one is another.
nlohmann::json Server::aids(const std::string& method, const Json& parameters) const {
  const bool tokens = method == "textDocument/semanticTokens/full";
  const Good* known = good(parameters);
  const auto path = document_of(parameters);
  const auto number = known == nullptr ? std::nullopt : known->analysis->file_number(*path);
  if (!number || known->text != buffers_.at(*path)) return tokens ? Json(nullptr) : Json::array();
  const Analysis& analysis = *known->analysis;
  if (tokens) return semantic_tokens(analysis, *number);
  if (method == "textDocument/codeLens") return code_lenses(analysis, *number, uri_of(*path));
  const std::string& text = known->text;
  const Json range = parameters.value("range", Json::object());
  return inlay_hints(analysis, *number, offset_of(text, range.value("start", Json::object())),
                     offset_of(text, range.value("end", Json::object())));
}

nlohmann::json Server::formatting(const Json& parameters) const {
  const auto path = document_of(parameters);
  if (!path || !buffers_.contains(*path)) return Json::array();
  const std::string& text = buffers_.at(*path);
  const auto formatted = syntax::format(text);
  if (!formatted) throw std::domain_error(formatted.error());
  if (*formatted == text) return Json::array();
  return Json::array({{{"range", range_of(text, 0, text.size())}, {"newText", *formatted}}});
}

}  // namespace cairn::lsp
