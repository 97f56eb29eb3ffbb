// What is entered, checked as the next part of the session's program, and what is kept of it.
#include "vm/repl/session_state.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>

#include "frontend/diagnostics/render.hpp"
#include "vm/repl/entry.hpp"

namespace cairn::repl {

using checked::Local;
using checked::Stmt;

void ReplSession::reset() {
  stop_tasks();  // before what they borrow goes, in whatever instance
  executions_.clear();
  linked_ = {};
  bindings_.clear();
  imports_.clear();
  declarations_.clear();
  makers_.clear();
  hidden_.clear();
  history_.clear();
}

void ReplSession::interrupt() {
  interrupted_ = true;
  ++interrupting_;
  if (Execution* running = running_.load()) running->interrupt();
  --interrupting_;
}

bool ReplSession::complain(const std::string& why) const {
  options_.fail({"", "error: " + why + "\n"});
  return false;
}

int ReplSession::open() {
  if (options_.path.empty()) return 0;
  const CheckedEntry begun = program();
  if (begun.accepted()) return 0;
  const Verdict& verdict = begun.session().verdict();
  options_.fail({std::string(code_text(verdict.refusals.front())),
                 render_human(verdict, begun.session().sources(), options_.coloured)});
  return is_rejection(verdict.refusals.front()) ? 1 : 2;
}

// ------------------------------------------------------------------------------------------------- checking

std::string ReplSession::prelude() const {
  std::string text;
  for (const auto* list : {&imports_, &declarations_, &makers_}) {
    for (const Declaration& each : *list) text += each.text + "\n";
  }
  text += "fn " + std::string(kLook) + "[T:affine](v:ro<T>) {}\n";
  return text + "fn " + std::string(kLookAtView) + "[T:affine](n:usize, v:ro<T>[n]) {}\n";
}

CheckedEntry ReplSession::checked(std::string text, std::size_t begin, std::size_t entry, std::size_t size) const {
  SessionOptions options = options_.check;
  options.insertions = hidden_;
  return {std::move(text), begin, entry, size, options_.path, std::move(options)};
}

/// A ticket, group or ring that lives on is waited for behind the entry, so that the function consumes it: the rule
/// holds, and the session goes on. That text is checked and never run.
CheckedEntry ReplSession::check(const std::string& before, const std::string& entry, const std::string& after) const {
  const std::string start = prelude() + "fn " + std::string(kSessionFunction) + "() {\n" + history_;
  std::string waits;
  std::optional<CheckedEntry> first;
  while (true) {
    CheckedEntry judged = checked(start + before + entry + after + waits + "\n}\n", start.size(),
                                  start.size() + before.size(), entry.size());
    if (judged.accepted()) return judged;
    const std::string& message = judged.refusal().message;
    const std::size_t open = message.find('`');
    const std::string wait = "\nwait(" + message.substr(open + 1, message.find('`', open + 1) - open - 1) + ");";
    const bool may_wait = judged.refusal().code == Code::LinearLeak && !waits.contains(wait);
    if (!first) first = std::move(judged);
    if (!may_wait) return std::move(*first);
    waits += wait;
  }
}

CheckedEntry ReplSession::check_declaration(const std::string& entry) const {
  // Imports stand before everything else.
  const std::string before = is_import(entry) ? std::string() : prelude();
  const std::string after = is_import(entry) ? prelude() : std::string();
  return checked(before + entry + "\n" + after + "fn " + std::string(kSessionFunction) + "() {\n" + history_ + "}\n",
                 before.size(), before.size(), entry.size());
}

/// The first refusal, at its place in the entry: others may only follow from it.
void ReplSession::show_refusal(const CheckedEntry& refused) const {
  SourceMap alone;
  alone.add(std::string(kFile), refused.entry_text());
  Verdict verdict;
  verdict.refusals.push_back(refused.refusal());
  verdict.refusals.front().position = refused.in_entry(refused.refusal().position, alone);
  options_.fail({std::string(code_text(refused.refusal())), render_human(verdict, alone, options_.coloured)});
}

// ------------------------------------------------------------------------------------------------- entries

bool ReplSession::enter(const std::string& text) {
  if (closes_too_much(text)) return complain("a bracket closes none that is open");
  switch (kind_of(text)) {
    case EntryKind::Declaration:
      return declare(text);
    case EntryKind::Statement:
      return run(check("", text, ""), text);
    case EntryKind::Expression:
      return evaluate(text);
  }
  return false;
}

bool ReplSession::declare(const std::string& text) {
  const std::string name = declared_name(text);
  const std::vector<Declaration> declarations = declarations_;
  const std::vector<Insertion> hidden = hidden_;
  const auto replaced =
      name.empty() ? 0 : std::erase_if(declarations_, [&](const Declaration& each) { return each.name == name; });
  if (accept_declaration(name, text, replaced != 0)) {
    (is_import(text) ? imports_ : declarations_).push_back({name, text});
    return true;
  }
  declarations_ = declarations;
  hidden_ = hidden;
  return false;
}

namespace {

/// Whether a text has a word.
bool mentions(std::string_view text, std::string_view word) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(word); !word.empty() && at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

}  // namespace

/// Whether the program checks with the declaration, which may take the place of one of the program of `path`. One that
/// changes what earlier entries mean changes nothing of what they made: their bindings keep values and types, so the
/// function grows anew from these, and nothing is concluded from text that made something else.
bool ReplSession::accept_declaration(const std::string& name, const std::string& text, bool again) {
  CheckedEntry judged = check_declaration(text);
  if (!judged.accepted() && judged.refusal().code == Code::Duplicate && hide_in_program(name)) {
    judged = check_declaration(text);
    again = true;
  }
  std::string held = judged.accepted() ? held_otherwise(judged) : std::string();
  const bool changes = !bindings_.empty() && (again || !held.empty() || mentions(history_, name));
  if (judged.accepted() && !changes) return true;
  if (changes && any_waits()) return complain("tasks are running on what " + name + " is now: wait for them first");
  if (changes) {
    Beginning now = beginning();
    std::swap(makers_, now.makers);
    std::swap(history_, now.history);
    CheckedEntry anew = check_declaration(text);
    if (anew.accepted()) held = held_otherwise(anew);
    if (anew.accepted() && held.empty()) {
      std::erase_if(bindings_, [&](const Binding& each) { return !lives(each); });
      return true;
    }
    if (!anew.accepted()) judged = std::move(anew);
    std::swap(makers_, now.makers);
    std::swap(history_, now.history);
  }
  if (!judged.accepted()) {
    show_refusal(judged);
    return false;
  }
  return complain(held + " holds a value of what " + name + " was before: forget it first (:forget " + held + ")");
}

/// A binding whose bytes would be taken for something else than they are; empty when there is none.
std::string ReplSession::held_otherwise(const CheckedEntry& judged) const {
  const Compilation& compilation = judged.session().compilation();
  for (const Stmt* statement : judged.function().body->statements) {
    for (const Local* local : bound_by(*statement)) {
      const auto known = std::ranges::find(bindings_, compilation.names.text(local->name), &Binding::name);
      if (known != bindings_.end() && layout_text(*local->type, compilation.names) != known->layout) return known->name;
    }
  }
  return {};
}

/// Takes a declaration of the program's root module out of it: what the session declares stands for it from now on.
bool ReplSession::hide_in_program(const std::string& name) {
  const CheckedEntry before = program();
  const Compilation& compilation = before.session().compilation();
  for (const syntax::Decl* declaration : compilation.tree.declarations) {
    if (!declaration->name.name || compilation.names.text(declaration->name.name) != name) continue;
    if (!compilation.names.text(declaration->module).empty() || !declaration->derived.empty()) continue;
    for (std::uint32_t number = 1; number < compilation.sources.size(); ++number) {  // 0 is the session's
      const SourceFile& file = compilation.sources.file(number);
      const std::size_t begin = declaration->span.begin.offset - file.begin;
      const std::size_t end = declaration->span.end.offset - file.begin;
      if (!file.own || declaration->span.begin.offset < file.begin || end > file.text.size()) continue;
      std::string blank = file.text.substr(begin, end - begin);
      std::ranges::replace_if(blank, [](char c) { return c != '\n'; }, ' ');
      hidden_.push_back({number - 1, begin, std::move(blank), end - begin});
      return true;
    }
  }
  return false;
}

/// Runs what was checked. The function grows by the entry with what stands around it: that decides what was moved.
bool ReplSession::run(CheckedEntry judged, const std::string& grown) {
  if (!judged.accepted()) {
    show_refusal(judged);
    return false;
  }
  if (!run_statements(judged)) return false;
  history_ += grown + "\n";
  return true;
}

/// The expression's value bound to a name of the session's own; nothing when it has none, or one that must be consumed.
std::optional<CheckedEntry> ReplSession::check_bound(const std::string& text) const {
  CheckedEntry judged = check("let " + std::string(kBoundValue) + " = ", text, ";");
  if (!judged.accepted()) return std::nullopt;
  const std::vector<const Stmt*> statements = judged.statements();
  if (statements.size() != 1 || statements[0]->kind != checked::StmtKind::Let) return std::nullopt;
  const Type& type = *bound_by(*statements[0]).at(0)->type;
  if (type.ownership == Ownership::Linear) return std::nullopt;
  return judged;
}

bool ReplSession::evaluate(const std::string& text) {
  std::optional<CheckedEntry> refused;  // of the first way to look at a value
  for (const std::string_view look : {kLook, kLookAtView}) {
    const std::string before = std::string(look) + "(";
    CheckedEntry judged = check(before, text, ");");
    if (judged.accepted()) return run(std::move(judged), before + text + ");");
    if (!refused) refused = std::move(judged);
  }
  if (auto bound = check_bound(text))
    return run(std::move(*bound), "{ let " + std::string(kBoundValue) + " = " + text + "; }");
  // A call without a result is no value to look at.
  CheckedEntry statement = check("", text, ";");
  const bool drops = !statement.accepted() && statement.refusal().code == Code::Discard;
  return run(drops ? std::move(*refused) : std::move(statement), text + ";");
}

// ------------------------------------------------------------------------------------------------- forgetting

bool ReplSession::any_waits() const { return std::ranges::any_of(bindings_, &Binding::waits); }

/// Whether a binding still has a value: a moved one is zero bytes, a ticket was waited for.
bool ReplSession::lives(const Binding& binding) const {
  if (binding.waits) return check("", "wait(" + binding.name + ");", "").accepted();
  const std::uint8_t* bytes = binding.storage.bytes();
  return !binding.moved ||
         std::any_of(bytes, bytes + binding.storage.size(), [](std::uint8_t byte) { return byte != 0; });
}

bool ReplSession::forget(const std::string& name) {
  const auto found = std::ranges::find(bindings_, name, &Binding::name);
  if (found == bindings_.end()) return complain("no binding of the session is called " + name);
  // A task borrows from other bindings until it has ended.
  const std::string wait = "wait(" + name + ");";
  if (found->waits && lives(*found) && !run(check("", wait, ""), wait)) return false;
  if (any_waits()) stop_tasks();
  std::erase_if(bindings_, [&](const Binding& each) { return each.name == name; });
  grow_anew();
  return true;
}

/// The function grows anew from what is left: each binding by its type, as if something had made it. No function can
/// have made a running task, which borrows from who knows what: then all is forgotten.
void ReplSession::grow_anew() {
  std::erase_if(bindings_, [&](const Binding& each) { return !lives(each); });
  if (any_waits()) {
    makers_.clear();
    history_.clear();
    stop_tasks();
    executions_.clear();
    bindings_.clear();
    options_.note("note: tasks were running: they are ended, and every binding is forgotten\n");
    return;
  }
  Beginning now = beginning();
  makers_ = std::move(now.makers);
  history_ = std::move(now.history);
}

/// A beginning of the growing function that makes every binding by its type alone.
ReplSession::Beginning ReplSession::beginning() const {
  Beginning made;
  for (const Binding& binding : bindings_) {
    if (!lives(binding)) continue;
    if (binding.is_buffer) {
      std::uint64_t pair[2];
      std::memcpy(pair, binding.storage.bytes(), sizeof(pair));
      made.history += "buffer " + binding.name + ":" + binding.type + "[" + std::to_string(pair[1]) + "] = zeroed;\n";
      continue;
    }
    const std::string maker = "repl__make" + std::to_string(made.makers.size());
    const std::size_t open = binding.type.find('[');
    const std::string of =
        binding.shared ? binding.type.substr(open + 1, binding.type.size() - open - 2) : binding.type;
    made.makers.push_back({maker, "fn " + maker + "() -> " + of + " { return " + maker + "(); }"});
    const std::string value = binding.shared ? binding.type + "(" + maker + "())" : maker + "()";
    made.history += std::string("let ") + (binding.is_mutable ? "mut " : "") + binding.name + " = " + value + ";\n";
  }
  return made;
}

}  // namespace cairn::repl
