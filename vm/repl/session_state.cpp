#include "vm/repl/session_state.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "frontend/check/rows.hpp"
#include "frontend/diagnostics/render.hpp"
#include "vm/lower/lower.hpp"
#include "vm/repl/entry.hpp"
#include "vm/repl/value_text.hpp"

namespace cairn::repl {

using checked::Local;
using checked::Stmt;

namespace {

constexpr std::align_val_t kAlignment{64};

}  // namespace

ReplSession::Storage::Storage(std::size_t size)
    : size_(size), bytes_(static_cast<std::uint8_t*>(::operator new(std::max<std::size_t>(size, 1), kAlignment))) {
  std::memset(bytes_.get(), 0, std::max<std::size_t>(size, 1));
}

void ReplSession::Storage::Free::operator()(std::uint8_t* bytes) const { ::operator delete(bytes, kAlignment); }

void ReplSession::reset() {
  executions_.clear();  // ends every task, before what it borrows goes
  bindings_.clear();
  imports_.clear();
  declarations_.clear();
  makers_.clear();
  history_.clear();
}

void ReplSession::interrupt() {
  if (Execution* running = running_.load()) running->interrupt();
}

bool ReplSession::complain(const std::string& why) const {
  options_.error("error: " + why + "\n");
  return false;
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

/// A ticket, group or ring that lives on is waited for behind the entry, so that the function consumes it: the rule
/// holds, and the session goes on. That text is checked and never run.
CheckedEntry ReplSession::check(const std::string& before, const std::string& entry, const std::string& after) const {
  const std::string start = prelude() + "fn " + std::string(kSessionFunction) + "() {\n" + history_;
  std::string waits;
  std::optional<CheckedEntry> first;
  while (true) {
    CheckedEntry checked(start + before + entry + after + waits + "\n}\n", start.size(), start.size() + before.size(),
                         entry.size(), options_.check);
    if (checked.accepted()) return checked;
    const std::string& message = checked.refusal().message;
    const std::size_t open = message.find('`');
    const std::string wait = "\nwait(" + message.substr(open + 1, message.find('`', open + 1) - open - 1) + ");";
    const bool may_wait = checked.refusal().code == Code::LinearLeak && !waits.contains(wait);
    if (!first) first = std::move(checked);
    if (!may_wait) return std::move(*first);
    waits += wait;
  }
}

CheckedEntry ReplSession::check_declaration(const std::string& entry) const {
  // Imports stand before everything else.
  const std::string before = is_import(entry) ? std::string() : prelude();
  const std::string after = is_import(entry) ? prelude() : std::string();
  return CheckedEntry(
      before + entry + "\n" + after + "fn " + std::string(kSessionFunction) + "() {\n" + history_ + "}\n",
      before.size(), before.size(), entry.size(), options_.check);
}

/// The first refusal, at its place in the entry: others may only follow from it.
void ReplSession::show_refusal(const CheckedEntry& checked) const {
  SourceMap alone;
  alone.add(std::string(kFile), std::string(checked.entry_text()));
  Verdict verdict;
  verdict.refusals.push_back(checked.refusal());
  verdict.refusals.front().position = checked.in_entry(checked.refusal().position, alone);
  options_.error(render_human(verdict, alone, false));
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
  const std::vector<Declaration> before = declarations_;
  if (!name.empty()) std::erase_if(declarations_, [&](const Declaration& each) { return each.name == name; });
  const CheckedEntry checked = check_declaration(text);
  if (!checked.accepted()) {
    declarations_ = before;
    show_refusal(checked);
    return false;
  }
  (is_import(text) ? imports_ : declarations_).push_back({name, text});
  return true;
}

/// Runs what was checked. The function grows by the entry with what stands around it: that decides what was moved.
bool ReplSession::run(CheckedEntry checked, const std::string& grown) {
  if (!checked.accepted()) {
    show_refusal(checked);
    return false;
  }
  if (!run_statements(checked)) return false;
  history_ += grown + "\n";
  return true;
}

bool ReplSession::evaluate(const std::string& text) {
  std::optional<CheckedEntry> refused;  // of the first way to look at a value
  for (const std::string_view look : {kLook, kLookAtView}) {
    const std::string before = std::string(look) + "(";
    CheckedEntry checked = check(before, text, ");");
    if (checked.accepted()) return run(std::move(checked), before + text + ");");
    if (!refused) refused = std::move(checked);
  }
  // A call without a result is no value to look at.
  CheckedEntry statement = check("", text, ";");
  const bool drops = !statement.accepted() && statement.refusal().code == Code::Discard;
  return run(drops ? std::move(*refused) : std::move(statement), text + ";");
}

bool ReplSession::show_type(const std::string& text) {
  const CheckedEntry checked = check(std::string(kLook) + "(", text, ");");
  if (!checked.accepted()) {
    show_refusal(checked);
    return false;
  }
  const auto& look = checked.statements().back()->as<checked::ExpressionStmt>().value->as<checked::CallExpr>();
  options_.out(type_text(*look.callee->parameters[0]->type->element) + "\n");
  return true;
}

bool ReplSession::show_effects(const std::string& name) {
  const CheckedEntry checked = check("", "", "");
  const Compilation& compilation = checked.session().compilation();
  for (const auto& function : checked.session().program().functions) {
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

// ------------------------------------------------------------------------------------------------- running

ReplSession::Binding* ReplSession::known(Bindings& fresh, std::string_view name) {
  for (Bindings* list : {&fresh, &bindings_}) {
    const auto found = std::ranges::find(*list, name, &Binding::name);
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

bool ReplSession::run_statements(CheckedEntry& checked) {
  std::vector<std::vector<std::uint8_t>> before;
  for (const Binding& binding : bindings_) {
    const std::uint8_t* bytes = binding.storage.bytes();
    before.emplace_back(bytes, bytes + (binding.copyable ? binding.storage.size() : 0));
  }
  Bindings fresh;
  for (const Stmt* statement : checked.statements()) {
    if (run_statement(checked, *statement, fresh)) continue;
    undo(checked, before);
    return false;
  }
  for (const Local* local : checked.function().locals) {
    if (!local->moved || local->kind != checked::LocalKind::Parameter) continue;
    Binding* binding = known(fresh, checked.session().compilation().names.text(local->name));
    if (binding != nullptr) binding->moved = true;
  }
  for (Binding& binding : fresh) bindings_.push_back(std::move(binding));
  drop_instances();
  return true;
}

/// After a trap: copyable bindings are as they were; others that the entry names are in no state anyone knows.
void ReplSession::undo(const CheckedEntry& checked, const std::vector<std::vector<std::uint8_t>>& before) {
  for (std::size_t k = 0; k < bindings_.size(); ++k) {
    if (bindings_[k].copyable) std::memcpy(bindings_[k].storage.bytes(), before[k].data(), before[k].size());
  }
  std::vector<std::string> touched;
  for (const Binding& binding : bindings_) {
    const auto names_it = [&](const Local* local) {
      return local->kind == checked::LocalKind::Parameter &&
             checked.session().compilation().names.text(local->name) == binding.name &&
             std::ranges::any_of(checked.statements(), [&](const Stmt* each) { return touches(*each, *local); });
    };
    if (!binding.copyable && std::ranges::any_of(checked.function().locals, names_it)) touched.push_back(binding.name);
  }
  for (const std::string& name : touched) {
    options_.error("note: " + name + " was touched by what trapped and is forgotten\n");
    std::erase_if(bindings_, [&](const Binding& each) { return each.name == name; });
  }
  if (!touched.empty()) grow_anew();
}

bool ReplSession::run_statement(CheckedEntry& checked, const Stmt& statement, Bindings& fresh) {
  if (statement.kind == checked::StmtKind::Defer) {
    return complain("a defer belongs to a block: the session has no end to run it at");
  }
  for (const Local* local : bound_by(statement)) {
    if (holds_functions(*local->type)) {
      return complain("functions and dyn values are not kept between entries: use them inside one block or function");
    }
  }
  const RunnableStatement made = checked.runnable(statement);
  const auto lowered = checked.lower(made);
  if (!lowered) return complain(lowered.error().message);
  const bytecode::Module& module = lowered->module;
  const bytecode::Signature& signature = module.signatures[module.functions[lowered->roots[0]].signature];
  std::vector<std::uint64_t> slots;
  for (std::size_t k = 0; k < made.parameters.size(); ++k) {
    const RunnableStatement::Parameter& parameter = made.parameters[k];
    const bytecode::RegisterType& form = signature.parameters[k];
    if (parameter.is_new) {
      const Type& type = *parameter.type;
      fresh.push_back({parameter.name, type_text(parameter.is_buffer ? *type.element : type), parameter.is_mutable,
                       parameter.is_buffer, type.is_copy(), false,
                       type.is(TypeKind::Ticket) || type.is(TypeKind::Group) || type.is(TypeKind::IoRing),
                       type.is(TypeKind::Atomic) || type.is(TypeKind::Mutex), Storage(module.types[form.type].size)});
    }
    const std::uint8_t* bytes = (parameter.is_new ? &fresh.back() : known(fresh, parameter.name))->storage.bytes();
    if (form.kind == bytecode::RegisterKind::View) {
      std::uint64_t pair[2];
      std::memcpy(pair, bytes, sizeof(pair));
      slots.insert(slots.end(), pair, pair + 2);
    } else {
      slots.push_back(reinterpret_cast<std::uint64_t>(bytes));
    }
  }
  if (made.viewed != nullptr) {
    show_view(checked, made, module, signature, slots);
    return true;
  }
  if (!execute(checked, *lowered, slots)) return false;
  if (made.shown != nullptr) {
    const Type& type = *made.parameters.back().type;
    options_.out(value_text(type, module, signature.parameters.back().type, fresh.back().storage.bytes(),
                            checked.session().compilation().names) +
                 " : " + type_text(type) + "\n");
    fresh.pop_back();  // what a value owned that nobody bound goes with the instance that made it
  }
  return true;
}

bool ReplSession::execute(CheckedEntry& checked, const lower::Lowered& lowered,
                          const std::vector<std::uint64_t>& slots) {
  ExecutionOptions options = options_.execution;
  options.watched = true;
  executions_.push_back(std::make_unique<Execution>(lowered.module, options));
  Execution& execution = *executions_.back();
  if (const auto missing = execution.missing()) return complain(*missing);
  running_ = &execution;
  const auto trap = execution.call(lowered.roots[0], slots, {});
  running_ = nullptr;
  if (trap) show_trap(checked, *trap);
  return !trap;
}

/// What owners hold lives in the instance that made it.
void ReplSession::drop_instances() {
  if (std::ranges::all_of(bindings_, &Binding::copyable)) executions_.clear();
}

void ReplSession::show_view(const CheckedEntry& checked, const RunnableStatement& statement,
                            const bytecode::Module& module, const bytecode::Signature& signature,
                            const std::vector<std::uint64_t>& slots) const {
  const checked::Expr& view = *statement.viewed;
  const std::string type = " : " + type_text(*view.type) + "\n";
  if (view.kind == checked::ExprKind::Text) {
    return options_.out(bytes_text(view.as<checked::TextExpr>().bytes) + type);
  }
  std::size_t slot = 0;
  for (std::size_t k = 0; k < statement.parameters.size(); ++k) {
    if (view.kind == checked::ExprKind::Local && statement.parameters[k].local == view.as<checked::LocalExpr>().local) {
      return options_.out(elements_text(*view.type->element, module, signature.parameters[k].type,
                                        reinterpret_cast<const std::uint8_t*>(slots[slot]), slots[slot + 1],
                                        checked.session().compilation().names) +
                          type);
    }
    slot += signature.parameters[k].slots();
  }
  options_.error("the elements of a part are shown when vec.from has copied them\n");
}

void ReplSession::show_trap(const CheckedEntry& checked, const TrapRecord& trap) const {
  TrapRecord shown = trap;
  if (shown.file == kFile) {
    const SourceMap& sources = checked.session().sources();
    const Location start = sources.locate(checked.entry_begin());
    if (shown.line > start.line || (shown.line == start.line && shown.column >= start.column)) {
      if (shown.line == start.line) shown.column -= start.column - 1;
      shown.line -= start.line - 1;
    } else {
      shown.file.clear();  // in what was entered before
    }
  }
  std::erase_if(shown.notes, [](const std::string& note) { return note.contains(kSessionFunction); });
  options_.error(render(shown));
}

// ------------------------------------------------------------------------------------------------- forgetting

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
  std::erase_if(bindings_, [&](const Binding& each) { return each.name == name; });
  grow_anew();
  return true;
}

/// The function grows anew from what is left: each binding by its type, as if something had made it. No function can
/// have made a running task, which borrows from who knows what: then all is forgotten.
void ReplSession::grow_anew() {
  std::erase_if(bindings_, [&](const Binding& each) { return !lives(each); });
  makers_.clear();
  history_.clear();
  if (std::ranges::any_of(bindings_, &Binding::waits)) {
    executions_.clear();  // ends the tasks
    bindings_.clear();
    options_.error("note: tasks were running: they are ended, and every binding is forgotten\n");
    return;
  }
  for (const Binding& binding : bindings_) {
    if (binding.is_buffer) {
      std::uint64_t pair[2];
      std::memcpy(pair, binding.storage.bytes(), sizeof(pair));
      history_ += "buffer " + binding.name + ":" + binding.type + "[" + std::to_string(pair[1]) + "] = zeroed;\n";
      continue;
    }
    const std::string maker = "repl__make" + std::to_string(makers_.size());
    const std::size_t open = binding.type.find('[');
    const std::string made =
        binding.shared ? binding.type.substr(open + 1, binding.type.size() - open - 2) : binding.type;
    makers_.push_back({maker, "fn " + maker + "() -> " + made + " { return " + maker + "(); }"});
    const std::string value = binding.shared ? binding.type + "(" + maker + "())" : maker + "()";
    history_ += std::string("let ") + (binding.is_mutable ? "mut " : "") + binding.name + " = " + value + ";\n";
  }
}

}  // namespace cairn::repl
