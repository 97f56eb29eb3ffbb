#include "vm/repl/session_state.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "frontend/check/rows.hpp"
#include "frontend/check/tree_walk.hpp"
#include "frontend/diagnostics/render.hpp"
#include "vm/lower/lower.hpp"
#include "vm/repl/entry.hpp"
#include "vm/repl/value_text.hpp"

namespace cairn::repl {

using checked::Expr;
using checked::ExprKind;
using checked::Local;
using checked::LocalKind;
using checked::Stmt;
using checked::StmtKind;

namespace {

constexpr std::string_view kFunction = "repl__session";
constexpr std::string_view kLook = "repl__look";
constexpr std::string_view kLookAtView = "repl__look_at_view";
constexpr std::string_view kFile = "repl";

std::string type_text(const Type& type) {
  std::string text(type.name);
  if (text.ends_with("@host")) text.resize(text.size() - 5);
  return text;
}

/// Whether a value holds functions or tables of one module, which another numbers anew.
bool holds_functions(const Type& type, std::set<const Type*>& seen) {
  if (!seen.insert(&type).second) return false;
  switch (type.kind) {
    case TypeKind::Function:
    case TypeKind::Dyn:
      return true;
    case TypeKind::Record:
      return std::ranges::any_of(type.record->fields,
                                 [&](const RecordField& field) { return holds_functions(*field.type, seen); });
    case TypeKind::Sum:
      return std::ranges::any_of(type.sum->variants, [&](const SumVariant& variant) {
        return variant.payload != nullptr && holds_functions(*variant.payload, seen);
      });
    default:
      return type.element != nullptr && holds_functions(*type.element, seen);
  }
}

/// The locals a statement of the session binds.
std::vector<Local*> bound_by(const Stmt& statement) {
  std::vector<Local*> bound;
  const auto add = [&](Local* local) {
    if (local != nullptr && local->name) bound.push_back(local);
  };
  switch (statement.kind) {
    case StmtKind::Let:
      add(statement.as<checked::LetStmt>().local);
      break;
    case StmtKind::Unpack:
      for (Local* local : statement.as<checked::UnpackStmt>().locals) add(local);
      break;
    case StmtKind::Storage:
      add(statement.as<checked::StorageStmt>().local);
      break;
    case StmtKind::Reduce:
      add(statement.as<checked::ReduceStmt>().result);
      break;
    case StmtKind::Scan:
      add(statement.as<checked::ScanStmt>().total);
      break;
    case StmtKind::Compact:
      add(statement.as<checked::CompactStmt>().count);
      break;
    default:
      break;
  }
  return bound;
}

}  // namespace

std::uint8_t* ReplSession::Binding::bytes() {
  auto* raw = reinterpret_cast<std::uint8_t*>(memory.data());
  return raw + (64 - reinterpret_cast<std::uintptr_t>(raw) % 64) % 64;
}

/// One check of the whole program, an entry at its end.
struct ReplSession::Checked {
  std::unique_ptr<Session> session;
  std::size_t entry = 0;                // where the entry begins in the text
  std::size_t begin_of_statements = 0;  // where the statements made of it begin
  std::size_t size = 0;
  std::string entry_text;
  checked::Function* function = nullptr;  // the growing one

  [[nodiscard]] Compilation& compilation() const { return session->compilation(); }
  [[nodiscard]] std::uint32_t begin() const {
    return compilation().sources.file(0).begin + static_cast<std::uint32_t>(entry);
  }
  [[nodiscard]] Position entry_position() const { return {begin()}; }
  /// The statements of the entry.
  [[nodiscard]] std::vector<const Stmt*> fresh() const {
    std::vector<const Stmt*> statements;
    const Position first{compilation().sources.file(0).begin + static_cast<std::uint32_t>(begin_of_statements)};
    for (const Stmt* each : function->body->statements) {
      const bool is_behind = each->position.offset > begin() + size;  // what only the check needs
      if (each->position >= first && !is_behind) statements.push_back(each);
    }
    return statements;
  }
  template <class T>
  T* make(ExprKind kind, const Type* type) {
    T* node = compilation().arena.make<T>();
    node->kind = kind;
    node->type = type;
    node->position = entry_position();
    return node;
  }
  const Expr* local(Local* which, const Type* type) {
    auto* node = make<checked::LocalExpr>(ExprKind::Local, type);
    node->local = which;
    return node;
  }
  const Stmt* assignment(Local* to, const Type* type, const Expr* value) {
    auto* statement = compilation().arena.make<checked::AssignStmt>();
    statement->kind = StmtKind::Assign;
    statement->position = entry_position();
    statement->place = local(to, type);
    statement->value = value;
    return statement;
  }
  /// A local of the growing function that no text declares.
  Local* hidden(const Type* type, std::string_view name) {
    Local* made = compilation().arena.make<Local>();
    made->name = compilation().names.intern(name);
    made->type = type;
    made->kind = LocalKind::Let;
    made->is_mutable = true;
    made->owner = function;
    made->position = entry_position();
    made->index = static_cast<std::uint32_t>(function->locals.size());
    function->locals.push_back(made);
    return made;
  }
};

ReplSession::ReplSession(ReplOptions options) : options_(std::move(options)) {}
ReplSession::~ReplSession() = default;

void ReplSession::reset() {
  imports_.clear();
  declarations_.clear();
  history_.clear();
  bindings_.clear();
  executions_.clear();
}

void ReplSession::interrupt() {
  if (Execution* running = running_) running->interrupt();
}

std::vector<std::string> ReplSession::names() const {
  std::vector<std::string> all;
  for (const Binding& binding : bindings_) all.push_back(binding.name);
  for (const Declaration& declaration : declarations_) {
    if (!declaration.name.empty()) all.push_back(declaration.name);
  }
  return all;
}

// ------------------------------------------------------------------------------------------------- checking

std::string ReplSession::prelude() const {
  std::string text;
  for (const Declaration& import : imports_) text += import.text + "\n";
  for (const Declaration& declaration : declarations_) text += declaration.text + "\n";
  text += "fn " + std::string(kLook) + "[T:affine](v:ro<T>) {}\n";
  text += "fn " + std::string(kLookAtView) + "[T:affine](n:usize, v:ro<T>[n]) {}\n";
  return text;
}

/// A ticket, group or ring that lives on is waited for behind the entry, so that the function consumes it: the rule
/// holds, and the session goes on. That text is checked and never run.
std::unique_ptr<ReplSession::Checked> ReplSession::check(const std::string& before, const std::string& entry,
                                                         const std::string& after) const {
  std::string waits;
  std::unique_ptr<Checked> first;
  while (true) {
    auto made = check_once(before, entry, after + waits);
    if (made->session->accepted()) return made;
    const Diagnostic& refusal = made->session->verdict().refusals[0];
    const std::size_t open = refusal.message.find('`');
    const std::size_t close = open == std::string::npos ? open : refusal.message.find('`', open + 1);
    const bool leaks = refusal.code == Code::LinearLeak && close != std::string::npos;
    const std::string more = leaks ? "\nwait(" + refusal.message.substr(open + 1, close - open - 1) + ");" : "";
    if (!leaks || waits.find(more) != std::string::npos) return first != nullptr ? std::move(first) : std::move(made);
    if (first == nullptr) first = std::move(made);
    waits += more;
  }
}

std::unique_ptr<ReplSession::Checked> ReplSession::check_once(const std::string& before, const std::string& entry,
                                                              const std::string& after) const {
  auto made = std::make_unique<Checked>();
  std::string text = prelude() + "fn " + std::string(kFunction) + "() {\n" + history_ + before;
  made->entry = text.size();
  made->begin_of_statements = text.size() - before.size();
  made->size = entry.size();
  made->entry_text = entry;
  text += entry + after + "\n}\n";
  made->session = Session::open_text(std::string(kFile), std::move(text), options_.check);
  if (!made->session->accepted()) return made;
  for (const auto& function : made->session->program().functions) {
    const bool is_session = function->kind == checked::FunctionKind::Function && function->name == kFunction;
    if (is_session) made->function = function.get();
  }
  return made;
}

std::unique_ptr<ReplSession::Checked> ReplSession::check_declaration(const std::string& entry) const {
  auto checked = std::make_unique<Checked>();
  std::string text = prelude();
  if (is_import(entry)) text.clear();
  checked->entry = text.size();
  checked->size = entry.size();
  checked->entry_text = entry;
  text += entry + "\n";
  if (is_import(entry)) text += prelude();
  text += "fn " + std::string(kFunction) + "() {\n" + history_ + "}\n";
  checked->session = Session::open_text(std::string(kFile), std::move(text), options_.check);
  return checked;
}

void ReplSession::show_refusal(const Checked& checked) const {
  SourceMap shown;
  shown.add(std::string(kFile), checked.entry_text);
  Verdict verdict;
  for (const Diagnostic& refusal : checked.session->verdict().refusals) {
    Diagnostic mapped = refusal;
    const std::uint32_t begin = checked.begin();
    const bool inside =
        refusal.position && refusal.position.offset >= begin && refusal.position.offset <= begin + checked.size;
    mapped.position = inside ? Position{shown.file(0).begin + refusal.position.offset - begin} : Position{};
    verdict.refusals.push_back(std::move(mapped));
    break;  // the first: others may only follow from it
  }
  options_.error(render_human(verdict, shown, false));
}

// ------------------------------------------------------------------------------------------------- entries

bool ReplSession::enter(const std::string& text) {
  switch (kind_of(text)) {
    case EntryKind::Declaration:
      return declare(text);
    case EntryKind::Statement:
      return run_statements(text);
    case EntryKind::Expression:
      return evaluate(text);
  }
  return false;
}

bool ReplSession::declare(const std::string& text) {
  const std::string name = declared_name(text);
  const std::vector<Declaration> before = declarations_;
  if (!name.empty()) std::erase_if(declarations_, [&](const Declaration& each) { return each.name == name; });
  const auto checked = check_declaration(text);
  if (!checked->session->accepted()) {
    declarations_ = before;
    show_refusal(*checked);
    return false;
  }
  (is_import(text) ? imports_ : declarations_).push_back({name, text});
  return true;
}

bool ReplSession::run_statements(const std::string& text) {
  const auto checked = check("", text, "");
  if (!checked->session->accepted()) {
    show_refusal(*checked);
    return false;
  }
  if (!run_new_statements(*checked)) return false;
  history_ += text + "\n";
  return true;
}

bool ReplSession::evaluate(const std::string& text) {
  auto looked = check(std::string(kLook) + "(", text, ");");
  if (looked->session->accepted()) return run_new_statements(*looked);
  auto viewed = check(std::string(kLookAtView) + "(", text, ");");
  if (viewed->session->accepted()) return run_new_statements(*viewed);
  // A call without a result is no value to look at.
  auto statement = check("", text, ";");
  if (!statement->session->accepted()) {
    const bool drops = statement->session->verdict().refusals[0].code == Code::Discard;
    show_refusal(drops ? *looked : *statement);
    return false;
  }
  if (!run_new_statements(*statement)) return false;
  history_ += text + ";\n";
  return true;
}

bool ReplSession::show_type(const std::string& text) {
  const auto checked = check(std::string(kLook) + "(", text, ");");
  if (!checked->session->accepted()) {
    show_refusal(*checked);
    return false;
  }
  const auto& call = checked->fresh().back()->as<checked::ExpressionStmt>().value->as<checked::CallExpr>();
  options_.out(type_text(*call.callee->parameters[0]->type->element) + "\n");
  return true;
}

bool ReplSession::show_effects(const std::string& name) {
  const auto checked = check("", "", "");
  if (!checked->session->accepted()) return false;
  for (const auto& function : checked->session->program().functions) {
    if (function->name != name || function->row == nullptr) continue;
    std::string row;
    for (const std::string& label : checked::texts(*function->row, *function, checked->compilation().names)) {
      row += (row.empty() ? "" : ", ") + label;
    }
    options_.out((row.empty() ? "none" : row) + "\n");
    return true;
  }
  options_.error("no function of the session is called " + name + "\n");
  return false;
}

// ------------------------------------------------------------------------------------------------- running

ReplSession::Binding* ReplSession::known(std::vector<Binding>& fresh, std::string_view name) {
  for (std::vector<Binding>* list : {&fresh, &bindings_}) {
    const auto found = std::ranges::find(*list, name, &Binding::name);
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

bool ReplSession::run_new_statements(Checked& checked) {
  std::vector<std::vector<std::uint64_t>> before;
  before.reserve(bindings_.size());
  for (const Binding& binding : bindings_) before.push_back(binding.memory);
  std::vector<Binding> fresh;
  fresh.reserve(64);
  for (const Stmt* statement : checked.fresh()) {
    if (run_statement(checked, *statement, fresh)) continue;
    // What only touched copyable bindings is undone; the others are in no state anyone knows.
    for (std::size_t k = bindings_.size(); k-- > 0;) {
      Binding& binding = bindings_[k];
      if (binding.copyable) {
        std::memcpy(binding.bytes(),
                    reinterpret_cast<const std::uint8_t*>(before[k].data()) +
                        (binding.bytes() - reinterpret_cast<std::uint8_t*>(binding.memory.data())),
                    binding.size);
        continue;
      }
      if (checked.entry_text.find(binding.name) == std::string::npos) continue;
      const std::string name = binding.name;
      if (forget(name)) options_.error("note: " + name + " was touched by what trapped and is forgotten\n");
    }
    return false;
  }
  for (Binding& binding : fresh) bindings_.push_back(std::move(binding));
  return true;
}

bool ReplSession::run_statement(Checked& checked, const Stmt& statement, std::vector<Binding>& fresh) {
  Compilation& compilation = checked.compilation();
  TypeTable& types = *compilation.types;
  checked::Function& function = *checked.function;
  const auto refuse = [&](const std::string& why) {
    options_.error("error: " + why + "\n");
    return false;
  };
  if (statement.kind == StmtKind::Defer)
    return refuse("a defer belongs to a block: the session has no end to run it at");

  const std::vector<Local*> bound = bound_by(statement);
  for (const Local* local : bound) {
    std::set<const Type*> seen;
    if (holds_functions(*local->type, seen)) {
      return refuse("functions and dyn values are not kept between entries: use them inside one block or function");
    }
  }
  // The parameters: every binding of the session, and what this statement binds. A local that is lent stands for what
  // lies behind it, so the statement's own nodes need no change.
  std::vector<Local*> parameters;
  std::vector<std::string> parameter_names;
  std::vector<const Type*> declared;  // the type each had
  const auto pass = [&](Local* local) {
    declared.push_back(local->type);
    parameter_names.emplace_back(compilation.names.text(local->name));
    if (!local->type->is(TypeKind::View)) local->type = types.borrow(BorrowMode::Rw, local->type);
    local->kind = LocalKind::Parameter;
    local->extent = nullptr;
    parameters.push_back(local);
  };
  for (const Stmt* each : function.body->statements) {
    if (each == &statement) break;
    for (Local* local : bound_by(*each)) {
      const std::string_view name = compilation.names.text(local->name);
      if (local->kind != LocalKind::Parameter && known(fresh, name) != nullptr)
        pass(local);
      else if (local->kind == LocalKind::Parameter && known(fresh, name) != nullptr) {
        declared.push_back(local->type->is(TypeKind::View) ? local->type : local->type->element);
        parameter_names.emplace_back(name);
        parameters.push_back(local);
      }
    }
  }
  const std::size_t old = parameters.size();

  std::vector<const Stmt*> body;
  Local* shown = nullptr;  // holds the value of an expression
  const Type* shown_type = nullptr;
  Local* storage = nullptr;  // a buffer's elements
  const Expr* viewed = nullptr;
  switch (statement.kind) {
    case StmtKind::Let: {
      const auto& let = statement.as<checked::LetStmt>();
      if (bound.empty()) {
        body.push_back(&statement);
        break;
      }
      const Type* type = let.local->type;
      pass(let.local);
      body.push_back(checked.assignment(let.local, type, let.value));
      break;
    }
    case StmtKind::Storage: {
      const auto& made = statement.as<checked::StorageStmt>();
      const Type* buf = types.buf(made.local->type->element);
      auto* value = checked.make<checked::BufNewExpr>(ExprKind::BufNew, buf);
      value->count = made.count;
      storage = checked.hidden(buf, compilation.names.text(made.local->name));
      pass(storage);
      body.push_back(checked.assignment(storage, buf, value));
      break;
    }
    case StmtKind::Unpack:
    case StmtKind::Reduce:
    case StmtKind::Scan:
    case StmtKind::Compact: {
      // Bound as written, under locals of their own, and then kept.
      body.push_back(&statement);
      for (Local* local : bound) {
        const Type* type = local->type;
        Local* kept = checked.hidden(type, compilation.names.text(local->name));
        pass(kept);
        auto* load = checked.make<checked::LoadExpr>(ExprKind::Load, type);
        load->place = checked.local(local, type);
        load->moves = !type->is_copy();
        local->moved = local->moved || load->moves;
        body.push_back(checked.assignment(kept, type, load));
      }
      break;
    }
    case StmtKind::Expression: {
      const Expr& value = *statement.as<checked::ExpressionStmt>().value;
      const std::string_view callee =
          value.kind == ExprKind::Call ? value.as<checked::CallExpr>().callee->name : std::string_view();
      if (callee.starts_with(kLookAtView)) {
        viewed = value.as<checked::CallExpr>().arguments[1];
        if (viewed->kind == ExprKind::Text) {
          const std::string_view bytes = viewed->as<checked::TextExpr>().bytes;
          std::string list;
          for (std::size_t k = 0; k < bytes.size() && k < 16; ++k) {
            list += (k == 0 ? "" : ", ") + std::to_string(static_cast<unsigned char>(bytes[k]));
          }
          if (bytes.size() > 16) list += ", ... " + std::to_string(bytes.size()) + " elements";
          options_.out("[" + list + "] : " + type_text(*viewed->type) + "\n");
          return true;
        }
        if (viewed->kind != ExprKind::Local) return refuse("bind a part with vec.from to see its elements");
        break;
      }
      const bool looks = callee.starts_with(kLook);
      if (!looks) {
        body.push_back(&statement);
        break;
      }
      const Expr& argument = *value.as<checked::CallExpr>().arguments[0];
      const Expr* looked = nullptr;
      if (argument.kind == ExprKind::LendTemporary) {
        looked = argument.as<checked::LendTemporaryExpr>().value;
      } else if (argument.kind == ExprKind::Lend) {
        const Expr* place = argument.as<checked::LendExpr>().place;
        auto* load = checked.make<checked::LoadExpr>(ExprKind::Load, place->type);
        load->place = place;
        looked = load;
      } else {
        looked = &argument;
      }
      shown_type = looked->type;
      shown = checked.hidden(shown_type, "repl__value");
      pass(shown);
      body.push_back(checked.assignment(shown, shown_type, looked));
      break;
    }
    default:
      body.push_back(&statement);
      break;
  }
  auto* block = compilation.arena.make<checked::Block>();
  block->statements = compilation.arena.copy(body);
  const checked::Block* whole = function.body;
  function.parameters = compilation.arena.copy(parameters);
  function.body = block;
  lower::Options options;
  options.entry = false;
  options.roots.push_back(&function);
  auto lowered = checked.session->lower(options);
  function.body = whole;
  if (!lowered) return refuse(lowered.error().message);

  bytecode::Module module = lowered->module;
  const bytecode::Signature& signature = module.signatures[module.functions[lowered->roots[0]].signature];
  std::vector<std::uint64_t> slots;
  Binding value;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const bytecode::RegisterType& form = signature.parameters[k];
    Binding* binding = k < old ? known(fresh, parameter_names[k]) : nullptr;
    if (binding == nullptr) {
      Binding made;
      made.name = parameter_names[k];
      made.type = type_text(*declared[k]);
      made.copyable = declared[k]->is_copy();
      for (const Local* local : bound) made.is_mutable = made.is_mutable || local->is_mutable;
      made.size = module.types[form.type].size;
      made.memory.resize((made.size + 128) / 8);
      if (parameters[k] == shown) {
        value = std::move(made);
        binding = &value;
      } else {
        if (storage != nullptr) {
          made.is_view = true;
          made.type = type_text(*declared[k]->element);
        }
        if (fresh.size() == fresh.capacity()) return refuse("one entry binds too many names");
        fresh.push_back(std::move(made));
        binding = &fresh.back();
      }
    }
    if (form.kind == bytecode::RegisterKind::View) {
      std::uint64_t pair[2];
      std::memcpy(pair, binding->bytes(), sizeof(pair));
      slots.insert(slots.end(), pair, pair + 2);
    } else {
      slots.push_back(reinterpret_cast<std::uint64_t>(binding->bytes()));
    }
  }
  if (viewed != nullptr) {
    for (std::size_t k = 0, slot = 0; k < parameters.size(); slot += signature.parameters[k++].slots()) {
      if (parameters[k] != viewed->as<checked::LocalExpr>().local) continue;
      const std::string list =
          elements_text(*viewed->type->element, module, signature.parameters[k].type,
                        reinterpret_cast<const std::uint8_t*>(slots[slot]), slots[slot + 1], compilation.names);
      options_.out(list + " : " + type_text(*viewed->type) + "\n");
    }
    return true;
  }
  ExecutionOptions execution_options = options_.execution;
  execution_options.watched = true;
  executions_.push_back(std::make_unique<Execution>(module, execution_options));
  Execution& execution = *executions_.back();
  if (const auto missing = execution.missing()) return refuse(*missing);
  running_ = &execution;
  const auto trap = execution.call(lowered->roots[0], slots, {});
  running_ = nullptr;
  if (trap) {
    show_trap(checked, *trap);
    return false;
  }
  if (shown != nullptr) {
    const std::uint32_t index = signature.parameters[parameters.size() - 1].type;
    options_.out(value_text(*shown_type, module, index, value.bytes(), compilation.names) + " : " +
                 type_text(*shown_type) + "\n");
  }
  // What owners hold lives in the instance that made it: it is kept as long as any may.
  const auto is_plain = [](const Binding& binding) { return binding.copyable && !binding.is_view; };
  if (std::ranges::all_of(bindings_, is_plain) && std::ranges::all_of(fresh, is_plain)) executions_.clear();
  return true;
}

void ReplSession::show_trap(const Checked& checked, const TrapRecord& trap) const {
  TrapRecord shown = trap;
  if (shown.file == kFile) {
    SourceMap text;
    text.add("", checked.compilation().sources.file(0).text.substr(0, checked.entry));
    const Location start = text.locate({text.file(0).begin + static_cast<std::uint32_t>(checked.entry)});
    if (shown.line > start.line || (shown.line == start.line && shown.column >= start.column)) {
      if (shown.line == start.line) shown.column -= start.column - 1;
      shown.line -= start.line - 1;
    } else {
      shown.file.clear();  // in what was entered before
    }
  }
  std::erase_if(shown.notes, [](const std::string& note) { return note.find(kFunction) != std::string::npos; });
  options_.error(render(shown));
}

bool ReplSession::forget(const std::string& name) {
  const auto found = std::ranges::find(bindings_, name, &Binding::name);
  if (found == bindings_.end()) {
    options_.error("no binding of the session is called " + name + "\n");
    return false;
  }
  bindings_.erase(found);
  // The function grows anew from what is left: each binding by its type, as if something had made it.
  std::string prefix;
  std::erase_if(declarations_, [](const Declaration& each) { return each.name.starts_with("repl__make"); });
  for (std::size_t k = 0; k < bindings_.size(); ++k) {
    const Binding& binding = bindings_[k];
    if (binding.is_view) {
      std::uint64_t pair[2];
      std::memcpy(pair, bindings_[k].bytes(), sizeof(pair));
      prefix += "buffer " + binding.name + ":" + binding.type + "[" + std::to_string(pair[1]) + "] = zeroed;\n";
      continue;
    }
    const std::string maker = "repl__make" + std::to_string(k);
    declarations_.push_back({maker, "fn " + maker + "() -> " + binding.type + " { return " + maker + "(); }"});
    prefix += std::string("let ") + (binding.is_mutable ? "mut " : "") + binding.name + " = " + maker + "();\n";
  }
  history_ = prefix;
  return true;
}

}  // namespace cairn::repl
