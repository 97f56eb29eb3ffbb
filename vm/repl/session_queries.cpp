// What a session answers about its program without running any of it.
#include <algorithm>

#include "frontend/check/rows.hpp"
#include "stdlib/embedded.hpp"
#include "vm/bytecode/text.hpp"
#include "vm/language_server/meaning.hpp"
#include "vm/repl/entry.hpp"
#include "vm/repl/session_state.hpp"

namespace cairn::repl {

namespace {

/// What a language server's kind of completion is called (LSP 3.17, CompletionItemKind).
std::string kind_name(int kind) {
  switch (kind) {
    case 3:
      return "function";
    case 5:
      return "field";
    case 6:
      return "variable";
    case 9:
      return "module";
    case 14:
      return "keyword";
    case 20:
      return "variant";
    default:
      return "type";
  }
}

bool is_path_byte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

}  // namespace

bool ReplSession::show_type(const std::string& text) {
  std::optional<CheckedEntry> refused;
  for (const std::string_view look : {kLook, kLookAtView}) {
    CheckedEntry judged = check(std::string(look) + "(", text, ");");
    if (!judged.accepted()) {
      if (!refused) refused = std::move(judged);
      continue;
    }
    const auto& call = judged.statements().back()->as<checked::ExpressionStmt>().value->as<checked::CallExpr>();
    const Type& type = look == kLook ? *call.callee->parameters[0]->type->element : *call.arguments[1]->type;
    options_.out(type_text(type) + "\n");
    return true;
  }
  const CheckedEntry bound = check("let " + std::string(kBoundValue) + " = ", text, ";");
  const auto locals = bound.accepted() ? bound_by(*bound.statements().back()) : std::vector<checked::Local*>();
  if (locals.empty()) {
    show_refusal(*refused);
    return false;
  }
  options_.out(type_text(*locals[0]->type) + "\n");
  return true;
}

bool ReplSession::show_effects(const std::string& name) {
  const CheckedEntry judged = check("", "", "");
  const Compilation& compilation = judged.session().compilation();
  for (const auto& function : judged.session().program().functions) {
    if (function->name != name || function->row == nullptr) continue;
    std::string row;
    for (const std::string& label : checked::texts(*function->row, *function, compilation.names)) {
      row += (row.empty() ? "" : ", ") + label;
    }
    options_.out((row.empty() ? "none" : row) + "\n");
    return true;
  }
  return complain("no function of the session is called " + name);
}

bool ReplSession::show_code(const std::string& name, bool as_assembly) {
  const CheckedEntry judged = check("", "", "");
  if (!judged.accepted()) {
    show_refusal(judged);
    return false;
  }
  const auto& functions = judged.session().program().functions;
  const auto found = std::ranges::find_if(functions, [&](const auto& function) {
    return function->name == name && function->kind == checked::FunctionKind::Function && function->body != nullptr;
  });
  if (found == functions.end()) return complain("no function of the session is called " + name);
  lower::Options lowering;
  lowering.entry = false;
  lowering.roots.push_back(found->get());
  auto lowered = judged.session().lower(lowering);
  if (!lowered) return complain(lowered.error().message);
  const std::uint32_t root = lowered->roots[0];
  if (!as_assembly) {
    options_.out(bytecode::write_function_text(lowered->module, root));
    return true;
  }
  ExecutionOptions options;
  options.tier = Tier::Optimizing;
  options_.out(Execution(std::move(lowered->module), options).assembly(std::span(&root, 1)));
  return true;
}

// ------------------------------------------------------------------------------------------------- completion

/// The session's program with room for the entry, and the file as it would be with the entry in its place.
struct Placed {
  Placed(CheckedEntry judged, const std::string& entry)
      : begin(judged.entry_offset()),
        analysis(judged.take_session()),
        meaning(analysis),
        file(analysis.sources().file(0)) {
    file.text.replace(begin, entry.size(), entry);
  }

  std::size_t begin;  // of the entry
  lsp::Analysis analysis;
  lsp::Meaning meaning;
  SourceFile file;
};

static std::unique_ptr<Placed> placed(CheckedEntry judged, const std::string& entry) {
  return judged.accepted() ? std::make_unique<Placed>(std::move(judged), entry) : nullptr;
}

std::vector<Completion> ReplSession::completions(const std::string& entry, std::size_t at, std::size_t& begin) const {
  at = std::min(at, entry.size());
  std::vector<Completion> all;
  begin = at;
  while (begin > 0 && is_path_byte(entry[begin - 1])) --begin;
  const std::string written = entry.substr(begin, at - begin);
  const std::size_t line = entry.rfind('\n', begin == 0 ? 0 : begin - 1);
  const std::string_view before = trimmed(std::string_view(entry).substr(
      line == std::string::npos ? 0 : line, begin - (line == std::string::npos ? 0 : line)));
  const std::string blank(entry.size(), ' ');
  const auto here = placed(check("", blank, ""), entry);
  if (here == nullptr) return all;
  if (before == "import") {
    std::vector<std::string> modules;
    for (const EmbeddedModule& module : embedded_modules()) modules.emplace_back(module.name);
    const Compilation& compilation = here->analysis.session().compilation();
    for (const syntax::Decl* declaration : compilation.tree.declarations) {
      modules.emplace_back(compilation.names.text(declaration->module));
    }
    std::ranges::sort(modules);
    const auto rest = std::ranges::unique(modules);
    modules.erase(rest.begin(), rest.end());
    for (const std::string& module : modules) {
      if (!module.empty() && module.starts_with(written)) all.push_back({module, "module", ""});
    }
    return all;
  }
  begin += written.rfind('.') + 1;  // npos + 1 is 0
  const std::string word = written.substr(written.rfind('.') + 1);
  for (const auto& item : here->meaning.completions(here->file, here->begin + at)) {
    const std::string label = item["label"];
    if (!label.starts_with(word) || label.starts_with("repl__")) continue;
    all.push_back({label, kind_name(item["kind"]), item.value("detail", std::string())});
  }
  std::ranges::sort(all, {}, &Completion::text);
  const auto rest = std::ranges::unique(all, {}, &Completion::text);
  all.erase(rest.begin(), rest.end());
  return all;
}

std::string ReplSession::description(const std::string& entry, std::size_t at) const {
  // Meaning comes from the entry itself where it checks, else from what was entered before.
  for (const std::string& text : {entry + ";", std::string(entry.size(), ' ')}) {
    const auto here = placed(check("", text, ""), entry);
    if (here == nullptr) continue;
    const auto word = lsp::word_at(here->file.text, here->begin + std::min(at, entry.size()));
    if (!word) return {};
    if (std::string shown = here->meaning.description(here->file, *word); !shown.empty()) return shown;
  }
  return {};
}

}  // namespace cairn::repl
