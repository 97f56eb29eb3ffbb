#include "vm/language_server/fixes.hpp"

#include <algorithm>

#include "frontend/diagnostics/code.hpp"
#include "stdlib/embedded.hpp"

namespace cairn::lsp {

using nlohmann::json;

namespace {

/// Text to put at a byte of the document.
struct Edit {
  std::string title;
  std::size_t at = 0;
  std::string text;
};

/// What stands between the first two backquotes of a message.
std::string quoted_in(std::string_view message) {
  const std::size_t open = message.find('`');
  const std::size_t close = open == std::string_view::npos ? open : message.find('`', open + 1);
  return close == std::string_view::npos ? std::string() : std::string(message.substr(open + 1, close - open - 1));
}

/// The name a refusal is about: quoted, or behind "called".
std::string named_in(std::string_view message) {
  if (std::string quoted = quoted_in(message); !quoted.empty()) return quoted;
  constexpr std::string_view kCalled = " called ";
  const std::size_t found = message.find(kCalled);
  if (found == std::string_view::npos) return {};
  std::string_view name = message.substr(found + kCalled.size());
  std::size_t end = 0;
  while (end < name.size() && (is_word_byte(name[end]) || (name[end] == '.' && end + 1 < name.size()))) ++end;
  return std::string(name.substr(0, end));
}

/// The last `let NAME` before a place: names are not shadowed, so it is the one meant.
std::vector<Edit> let_mut(const std::string& text, const std::string& name, std::size_t before) {
  std::size_t at = std::string::npos;
  for (const Word& word : words_of(text)) {
    if (word.begin >= before) break;
    if (text.compare(word.begin, word.end - word.begin, name) != 0) continue;
    const std::size_t last = word.begin == 0 ? std::string::npos : text.find_last_not_of(" \t", word.begin - 1);
    if (last == std::string::npos || last < 2 || text.compare(last - 2, 3, "let") != 0) continue;
    if (last >= 3 && is_word_byte(text[last - 3])) continue;
    at = word.begin;
  }
  if (at == std::string::npos) return {};
  return {{"make " + name + " mutable", at, "mut "}};
}

/// Whether a module of the library exports a name.
bool exports(std::string_view module, const std::string& name) {
  for (const char* form : {"pub fn ", "pub struct ", "pub enum ", "pub trait ", "pub const ", "pub type "}) {
    const std::string declared = form + name;
    for (std::size_t at = module.find(declared); at != std::string_view::npos; at = module.find(declared, at + 1)) {
      const std::size_t end = at + declared.size();
      if (end == module.size() || !is_word_byte(module[end])) return true;
    }
  }
  return false;
}

/// Where imports go: behind the module's header and the imports that are there, else at the start.
std::size_t import_place(const std::string& text) {
  std::size_t place = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (line.starts_with("import ") || line.starts_with("module ")) place = std::min(at, text.size());
  }
  return place;
}

/// Imports under which a name could be found; `name` may be `module.member`.
std::vector<Edit> imports(const Analysis& analysis, const std::string& text, const std::string& name) {
  std::vector<Edit> edits;
  const std::size_t place = import_place(text);
  const auto add = [&](const std::string& import) { edits.push_back({import, place, import + ";\n"}); };
  const std::size_t dot = name.find('.');
  const std::string first = name.substr(0, dot);
  if (dot != std::string::npos) {
    for (const EmbeddedModule& module : embedded_modules()) {
      if (module.name.substr(module.name.rfind('.') + 1) == first) add("import " + std::string(module.name));
    }
    const Compilation& compilation = analysis.session().compilation();
    for (const syntax::Decl* declaration : compilation.tree.declarations) {
      const std::string module(compilation.names.text(declaration->module));
      const std::string import = "import " + module;
      if (module.substr(module.rfind('.') + 1) == first &&
          std::ranges::find(edits, import, &Edit::title) == edits.end()) {
        add(import);
      }
    }
    return edits;
  }
  for (const EmbeddedModule& module : embedded_modules()) {
    if (exports(module.text, name)) add("import " + std::string(module.name) + " (" + name + ")");
  }
  return edits;
}

/// The arms of a match that are missing, before its closing brace.
std::vector<Edit> missing_arms(const std::string& text, std::string_view message, std::size_t match) {
  constexpr std::string_view kMissing = "Missing: ";
  const std::size_t found = message.find(kMissing);
  const std::size_t open = text.find('{', match);
  if (found == std::string_view::npos || open == std::string::npos) return {};
  int depth = 0;
  std::size_t close = open;
  for (; close < text.size(); ++close) {
    if (text[close] == '{') ++depth;
    if (text[close] == '}' && --depth == 0) break;
  }
  if (close == text.size()) return {};
  std::string_view names = message.substr(found + kMissing.size());
  names = names.substr(0, names.find('.'));
  std::size_t line = text.rfind('\n', match);
  line = line == std::string::npos ? 0 : line + 1;
  const std::string indent(text.find_first_not_of(' ', line) - line, ' ');
  const bool on_a_line = text.find_last_not_of(" \t", close - 1) != std::string::npos &&
                         text[text.find_last_not_of(" \t", close - 1)] == '\n';
  std::string plain;
  std::string bound;
  while (!names.empty()) {
    const std::string name(names.substr(0, names.find(',')));
    names = names.substr(std::min(names.size(), name.size() + 2));
    for (auto& [arms, payload] : {std::pair(&plain, ""), std::pair(&bound, "(value)")}) {
      *arms += (on_a_line ? "  " : " ") + name + payload + " => { }" + (on_a_line ? "\n" + indent : "");
    }
  }
  return {{"add the missing arms", close, plain}, {"add the missing arms, their payloads bound", close, bound}};
}

/// How many refusals a project has, and whether one of this code and message is among them.
bool mends(const std::filesystem::path& path, Buffers buffers, const Edit& edit, const Diagnostic& refusal,
           std::size_t refusals) {
  buffers[path].insert(edit.at, edit.text);
  const Analysis after(path, buffers);
  const auto& left = after.session().verdict().refusals;
  const auto is_same = [&](const Diagnostic& each) {
    return each.code == refusal.code && each.message == refusal.message;
  };
  return after.accepted() || (left.size() < refusals && std::ranges::none_of(left, is_same));
}

}  // namespace

json code_actions(const std::filesystem::path& path, const Buffers& buffers, std::size_t begin, std::size_t end) {
  json actions = json::array();
  const auto open = buffers.find(path);
  if (open == buffers.end()) return actions;
  const std::string& text = open->second;
  const Analysis now(path, buffers);
  const auto number = now.file_number(path);
  const auto& refusals = now.session().verdict().refusals;
  for (const Diagnostic& refusal : refusals) {
    const auto place = now.place_of(refusal.position);
    if (!place || !number || place->file != &now.sources().file(*number)) continue;
    const std::size_t token = token_end(text, place->offset);
    if (token < begin || place->offset > end) continue;
    std::vector<Edit> edits;
    if (refusal.code == Code::Immutable) edits = let_mut(text, quoted_in(refusal.message), place->offset);
    if (refusal.code == Code::Callee || refusal.code == Code::Type || refusal.code == Code::Unbound) {
      edits = imports(now, text, named_in(refusal.message));
    }
    if (refusal.code == Code::MatchCoverage) edits = missing_arms(text, refusal.message, place->offset);
    for (const Edit& edit : edits) {
      if (!mends(path, buffers, edit, refusal, refusals.size())) continue;
      const json change = {{"range", range_of(text, edit.at, edit.at)}, {"newText", edit.text}};
      actions.push_back({{"title", edit.title},
                         {"kind", "quickfix"},
                         {"edit", {{"changes", {{uri_of(path), json::array({change})}}}}}});
      break;
    }
  }
  return actions;
}

}  // namespace cairn::lsp
