#include "vm/language_server/reading_aids.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "frontend/check/rows.hpp"

namespace cairn::lsp {

using nlohmann::json;
using syntax::Decl;
using syntax::DeclKind;

namespace {

enum class TokenKind : std::uint8_t { Module, Type, Variant, Field, Function, Variable, Parameter, Keyword, Number };
constexpr std::array kTokenNames = {"namespace", "type",      "enumMember", "property", "function",
                                    "variable",  "parameter", "keyword",    "number"};

const std::set<std::string_view>& keywords() {
  static const std::set<std::string_view> all = {
      "fn",     "let",   "mut",     "if",     "else",  "for",      "in",     "while",    "match",  "return", "struct",
      "enum",   "trait", "impl",    "import", "const", "test",     "pub",    "parallel", "reduce", "scan",   "compact",
      "spawn",  "into",  "yield",   "buffer", "stack", "defer",    "unsafe", "try",      "derive", "layout", "extern",
      "module", "as",    "true",    "false",  "break", "continue", "linear", "packed",   "kernel", "recipe", "family",
      "ro",     "rw",    "effects", "pure",   "type",  "device",   "host",   "zeroed"};
  return all;
}

TokenKind kind_of(DeclKind kind) {
  switch (kind) {
    case DeclKind::Record:
    case DeclKind::Sum:
    case DeclKind::Trait:
    case DeclKind::Alias:
      return TokenKind::Type;
    case DeclKind::Const:
    case DeclKind::Layout:
      return TokenKind::Variable;
    default:
      return TokenKind::Function;
  }
}

bool is_lower_case_in(std::string_view text, std::string_view wanted) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::ranges::search(text, wanted, same).begin() != text.end() || wanted.empty();
}

/// The names of a program by where they may be used, so that a word is found without asking every declaration.
class Names {
 public:
  explicit Names(const Analysis& analysis) : compilation_(analysis.session().compilation()) {
    for (const Decl* declaration : compilation_.tree.declarations) add(*declaration);
    for (const auto& function : compilation_.program.functions) {
      const checked::Function* outer = function.get();
      while (outer->parent != nullptr) outer = outer->parent;
      if (outer->declaration == nullptr) continue;
      auto& locals = locals_[outer->declaration->span.begin.offset];
      locals.end = outer->declaration->span.end.offset;
      for (const checked::Local* local : function->locals) {
        if (!local->name) continue;
        const bool is_parameter = local->kind == checked::LocalKind::Parameter;
        locals.names.emplace(text(local->name), is_parameter ? TokenKind::Parameter : TokenKind::Variable);
      }
    }
  }

  [[nodiscard]] std::optional<TokenKind> local(std::uint32_t at, const std::string& name) const {
    auto found = locals_.upper_bound(at);
    if (found == locals_.begin()) return std::nullopt;
    --found;
    if (at > found->second.end) return std::nullopt;
    const auto known = found->second.names.find(name);
    return known == found->second.names.end() ? std::nullopt : std::optional(known->second);
  }
  [[nodiscard]] std::optional<TokenKind> declared(const std::string& name) const {
    const auto known = declared_.find(name);
    return known == declared_.end() ? std::nullopt : std::optional(known->second);
  }
  [[nodiscard]] bool is_module(const std::string& name) const { return modules_.contains(name); }
  [[nodiscard]] bool is_variant(const std::string& name) const { return variants_.contains(name); }

 private:
  struct Locals {
    std::uint32_t end = 0;
    std::map<std::string, TokenKind> names;
  };

  [[nodiscard]] std::string text(Name name) const { return std::string(compilation_.names.text(name)); }

  void add(const Decl& declaration) {
    if (declaration.kind == DeclKind::Import) {
      const auto& import = declaration.as<syntax::ImportDecl>();
      for (const syntax::Identifier& segment : import.path.segments) modules_.insert(text(segment.name));
      if (import.has_alias) modules_.insert(text(import.alias.name));
      return;
    }
    if (declaration.kind == DeclKind::Sum) {
      for (const syntax::Variant& variant : declaration.as<syntax::SumDecl>().variants) {
        variants_.insert(text(variant.name.name));
      }
    }
    if (declaration.name.name) declared_.emplace(text(declaration.name.name), kind_of(declaration.kind));
  }

  const Compilation& compilation_;
  std::map<std::uint32_t, Locals> locals_;  // by where a function begins
  std::map<std::string, TokenKind> declared_;
  std::set<std::string> modules_;
  std::set<std::string> variants_;
};

TokenKind kind_of_word(const Names& names, const SourceFile& file, const Word& word) {
  const std::string name = file.text.substr(word.begin, word.end - word.begin);
  if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) return TokenKind::Number;
  const bool after_dot = word.begin > 0 && file.text[word.begin - 1] == '.';
  const char next = word.end < file.text.size() ? file.text[word.end] : '\0';
  if (!after_dot) {
    if (keywords().contains(name)) return TokenKind::Keyword;
    if (const auto local = names.local(file.begin + static_cast<std::uint32_t>(word.begin), name)) return *local;
    if (next == '.' && names.is_module(name)) return TokenKind::Module;
  }
  if (const auto declared = names.declared(name); declared && (!after_dot || next == '(' || next == '['))
    return *declared;
  if (names.is_variant(name)) return TokenKind::Variant;
  if (after_dot)
    return next == '(' ? TokenKind::Function : names.is_module(name) ? TokenKind::Module : TokenKind::Field;
  static const std::set<std::string_view> kTypes = {"u8",   "u16",   "u32",    "u64",    "i8",  "i16",
                                                    "i32",  "i64",   "f16",    "f32",    "f64", "bf16",
                                                    "bool", "usize", "f8e4m3", "f8e5m2", "Buf"};
  if (kTypes.contains(name) || std::isupper(static_cast<unsigned char>(name[0])) != 0) return TokenKind::Type;
  return next == '(' ? TokenKind::Function : TokenKind::Field;
}

}  // namespace

json semantic_token_legend() { return {{"tokenTypes", kTokenNames}, {"tokenModifiers", json::array()}}; }

json semantic_tokens(const Analysis& analysis, std::uint32_t number) {
  const SourceFile& file = analysis.sources().file(number);
  const Names names(analysis);
  json data = json::array();
  std::size_t line_start = 0;  // bytes
  std::uint64_t line = 0;
  std::uint64_t last_line = 0;
  std::uint64_t last_column = 0;
  for (const Word& word : words_of(file.text)) {
    for (std::size_t end = file.text.find('\n', line_start); end != std::string::npos && end < word.begin;
         end = file.text.find('\n', line_start)) {
      line_start = end + 1;
      ++line;
    }
    // Columns count UTF-16 units of the line alone.
    const std::string_view before = std::string_view(file.text).substr(line_start, word.begin - line_start);
    const std::uint64_t column = position_of(before, before.size())["character"];
    const auto kind = static_cast<std::uint64_t>(kind_of_word(names, file, word));
    data.push_back(line - last_line);
    data.push_back(line == last_line ? column - last_column : column);
    data.push_back(word.end - word.begin);
    data.push_back(kind);
    data.push_back(0);
    last_line = line;
    last_column = column;
  }
  return {{"data", data}};
}

json inlay_hints(const Analysis& analysis, std::uint32_t number, std::size_t begin, std::size_t end) {
  const SourceFile& file = analysis.sources().file(number);
  const Compilation& compilation = analysis.session().compilation();
  json hints = json::array();
  std::set<std::size_t> told;  // instances of a template share its text
  const auto tell = [&](std::size_t at, const std::string& label, int kind) {
    if (at < begin || at > end || !told.insert(at).second) return;
    json hint = {{"position", position_of(file.text, at)}, {"label", label}, {"paddingLeft", kind != 1}};
    if (kind != 0) hint["kind"] = kind;
    hints.push_back(std::move(hint));
  };
  const auto inside = [&](Position at) {
    return at.offset >= file.begin && at.offset <= file.begin + file.text.size();
  };
  for (const auto& function : compilation.program.functions) {
    for (const checked::Local* local : function->locals) {
      if (!local->name || local->kind != checked::LocalKind::Let || !inside(local->position)) continue;
      // A let stands where its statement does: the name follows.
      const std::string name(compilation.names.text(local->name));
      std::size_t at = local->position.offset - file.begin;
      std::size_t after = token_end(file.text, at);
      while (after < file.text.size() &&
             (file.text.substr(at, after - at) == "let" || file.text.substr(at, after - at) == "mut")) {
        at = std::min(file.text.find_first_not_of(" \t\n", after), file.text.size());
        after = token_end(file.text, at);
      }
      if (file.text.substr(at, after - at) != name) continue;
      const std::size_t next = file.text.find_first_not_of(" \t", after);
      if (next != std::string::npos && file.text[next] == '=') tell(after, ":" + std::string(local->type->name), 1);
    }
    if (function->declaration == nullptr || function->row == nullptr || function->parent != nullptr) continue;
    if (function->declaration->kind != DeclKind::Function) continue;
    const auto& declared = function->declaration->as<syntax::FunctionDecl>();
    if (declared.body == nullptr || !inside(declared.body->span.begin)) continue;
    const std::size_t body = declared.body->span.begin.offset - file.begin;
    const std::size_t start = declared.span.begin.offset - file.begin;
    if (start >= body || file.text.substr(start, body - start).contains("effects(")) continue;
    std::string row;
    for (const std::string& label : checked::texts(*function->row, *function, compilation.names)) {
      row += (row.empty() ? "" : ", ") + label;
    }
    std::size_t at = body;
    const auto is_between = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '='; };
    while (at > start && is_between(file.text[at - 1])) --at;  // `{`, or `=` and an expression
    tell(at, "effects(" + row + ")", 0);
  }
  return hints;
}

json code_lenses(const Analysis& analysis, std::uint32_t number, const std::string& uri) {
  const SourceFile& file = analysis.sources().file(number);
  const Compilation& compilation = analysis.session().compilation();
  json lenses = json::array();
  for (const Decl* declaration : compilation.tree.declarations) {
    const Position at = declaration->position;
    if (!declaration->name.name || at.offset < file.begin || at.offset > file.begin + file.text.size()) continue;
    const std::string name(compilation.names.text(declaration->name.name));
    const bool is_test = declaration->kind == DeclKind::Test;
    if (!is_test && (declaration->kind != DeclKind::Function || name != "main")) continue;
    const std::size_t begin = at.offset - file.begin;
    json arguments = {uri};
    if (is_test) arguments.push_back(name);
    lenses.push_back({{"range", range_of(file.text, begin, token_end(file.text, begin))},
                      {"command",
                       {{"title", is_test ? "Run test" : "Run"},
                        {"command", is_test ? "cairn.test" : "cairn.run"},
                        {"arguments", arguments}}}});
  }
  return lenses;
}

json workspace_symbols(const Analysis& analysis, const std::string& query) {
  const Meaning meaning(analysis);
  json found = json::array();
  for (const auto& [number, path] : analysis.files()) {
    for (const json& symbol : meaning.symbols(number)) {
      if (!is_lower_case_in(symbol["name"].get_ref<const std::string&>(), query)) continue;
      found.push_back({{"name", symbol["name"]},
                       {"kind", symbol["kind"]},
                       {"location", {{"uri", uri_of(path)}, {"range", symbol["selectionRange"]}}}});
    }
  }
  return found;
}

}  // namespace cairn::lsp
