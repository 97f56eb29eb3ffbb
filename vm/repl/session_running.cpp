// The statements of an entry, run one after another over the session's bindings.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>

#include "vm/bytecode/link.hpp"
#include "vm/lower/lower.hpp"
#include "vm/repl/picture.hpp"
#include "vm/repl/session_state.hpp"
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

ReplSession::Binding* ReplSession::known(Bindings& fresh, std::string_view name) {
  for (Bindings* list : {&fresh, &bindings_}) {
    const auto found = std::ranges::find(*list, name, &Binding::name);
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

bool ReplSession::run_statements(CheckedEntry& judged) {
  std::vector<std::vector<std::uint8_t>> before;
  for (const Binding& binding : bindings_) {
    const std::uint8_t* bytes = binding.storage.bytes();
    before.emplace_back(bytes, bytes + (binding.copyable ? binding.storage.size() : 0));
  }
  Bindings fresh;
  const std::size_t earlier = executions_.size();
  for (const Stmt* statement : judged.statements()) {
    if (run_statement(judged, *statement, fresh)) continue;
    stop_tasks(earlier);  // they may borrow what the entry bound
    undo(judged, before);
    drop_instances();
    return false;
  }
  for (const Local* local : judged.function().locals) {
    if (!local->moved || local->kind != checked::LocalKind::Parameter) continue;
    Binding* binding = known(fresh, judged.session().compilation().names.text(local->name));
    if (binding != nullptr) binding->moved = true;
  }
  for (Binding& binding : fresh) bindings_.push_back(std::move(binding));
  drop_instances();
  return true;
}

/// After a trap: copyable bindings are as they were; others that the entry names are in no state anyone knows.
void ReplSession::undo(const CheckedEntry& judged, const std::vector<std::vector<std::uint8_t>>& before) {
  for (std::size_t k = 0; k < bindings_.size(); ++k) {
    if (bindings_[k].copyable) std::memcpy(bindings_[k].storage.bytes(), before[k].data(), before[k].size());
  }
  std::vector<std::string> touched;
  for (const Binding& binding : bindings_) {
    const auto names_it = [&](const Local* local) {
      return local->kind == checked::LocalKind::Parameter &&
             judged.session().compilation().names.text(local->name) == binding.name &&
             std::ranges::any_of(judged.statements(), [&](const Stmt* each) { return touches(*each, *local); });
    };
    if (!binding.copyable && std::ranges::any_of(judged.function().locals, names_it)) touched.push_back(binding.name);
  }
  if (!touched.empty() && any_waits()) stop_tasks();  // they may borrow what is forgotten
  for (const std::string& name : touched) {
    options_.note("note: " + name + " was touched by what trapped and is forgotten\n");
    std::erase_if(bindings_, [&](const Binding& each) { return each.name == name; });
  }
  if (!touched.empty()) grow_anew();
}

bool ReplSession::run_statement(CheckedEntry& judged, const Stmt& statement, Bindings& fresh) {
  if (statement.kind == checked::StmtKind::Defer) {
    return complain("a defer belongs to a block: the session has no end to run it at");
  }
  const NameTable& names = judged.session().compilation().names;
  std::vector<std::string> layouts;
  for (const Local* local : bound_by(statement)) layouts.push_back(layout_text(*local->type, names));
  const RunnableStatement made = judged.runnable(statement);
  auto lowered = judged.lower(made);
  if (!lowered) return complain(lowered.error().message);
  const bool keeps = std::ranges::any_of(bindings_, &Binding::keeps_functions) ||
                     std::ranges::any_of(made.parameters, [](const RunnableStatement::Parameter& each) {
                       return each.is_new && holds_functions(*each.type);
                     });
  const Ready ready = linked(std::move(*lowered), keeps);
  const bytecode::Module& module = ready.module;
  std::vector<std::uint64_t> slots;
  std::size_t bound = 0;
  for (std::size_t k = 0; k < made.parameters.size(); ++k) {
    const RunnableStatement::Parameter& parameter = made.parameters[k];
    const bytecode::RegisterType& form = ready.signature.parameters[k];
    if (parameter.is_new) {
      const Type& type = *parameter.type;
      Binding binding{.name = parameter.name,
                      .type = type_text(parameter.is_buffer ? *type.element : type),
                      .layout = bound < layouts.size() ? layouts[bound] : std::string(),
                      .is_mutable = parameter.is_mutable,
                      .is_buffer = parameter.is_buffer,
                      .copyable = type.is_copy(),
                      .waits = type.is(TypeKind::Ticket) || type.is(TypeKind::Group) || type.is(TypeKind::IoRing),
                      .shared = type.is(TypeKind::Atomic) || type.is(TypeKind::Mutex),
                      .keeps_functions = holds_functions(type),
                      .storage = Storage(module.types[form.type].size)};
      ++bound;
      fresh.push_back(std::move(binding));
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
    show_view(judged, made, module, ready.signature, slots);
    return true;
  }
  if (!execute(judged, ready, slots)) return false;
  const bool is_bound =
      !made.parameters.empty() && made.parameters.back().is_new && made.parameters.back().name == kBoundValue;
  if (made.shown != nullptr || is_bound) {
    show_value(judged, *made.parameters.back().type, module, ready.signature.parameters.back().type,
               fresh.back().storage.bytes());
    fresh.pop_back();  // what a value owned that nobody bound goes with the instance that made it
  }
  return true;
}

/// The module to run. While a binding keeps functions every module is put behind the ones before it, so that what was
/// an index stays one: a function value goes on meaning the function it was made from, whatever is declared since.
ReplSession::Ready ReplSession::linked(lower::Lowered lowered, bool keeps) {
  Ready ready;
  ready.function = lowered.roots[0];
  if (keeps) {
    for (std::string& file : linked_.files) {
      if (file == kFile) file.clear();  // of earlier entries, whose lines are no longer those of the session's text
    }
    ready.function += bytecode::append(linked_, std::move(lowered.module));
    ready.module = linked_;
  } else {
    ready.module = std::move(lowered.module);
  }
  ready.signature = ready.module.signatures[ready.module.functions[ready.function].signature];
  return ready;
}

bool ReplSession::execute(CheckedEntry& judged, const Ready& ready, const std::vector<std::uint64_t>& slots) {
  ExecutionOptions options = options_.execution;
  options.watched = true;
  executions_.push_back(std::make_unique<Execution>(ready.module, options));
  Execution& execution = *executions_.back();
  if (const auto missing = execution.missing()) return complain(*missing);
  // An execution goes once nobody is about to interrupt it.
  struct Running {
    ReplSession& session;
    Running(ReplSession& of, Execution* what) : session(of) { session.running_ = what; }
    ~Running() {
      session.running_ = nullptr;
      while (session.interrupting_ != 0) std::this_thread::yield();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
  };
  const Running running(*this, &execution);
  if (interrupted_) execution.interrupt();
  if (options_.wall_ms != 0) {
    const auto end = std::chrono::steady_clock::now().time_since_epoch() + std::chrono::milliseconds(options_.wall_ms);
    execution.set_deadline(std::chrono::nanoseconds(end).count());
  }
  const auto trap = execution.call(ready.function, slots, {});
  if (trap) show_trap(judged, *trap);
  return !trap;
}

void ReplSession::stop_tasks(std::size_t first) {
  for (std::size_t k = first; k < executions_.size(); ++k) executions_[k]->stop();
}

/// What owners hold lives in the instance that made it.
void ReplSession::drop_instances() {
  if (std::ranges::all_of(bindings_, &Binding::copyable)) {
    stop_tasks();
    executions_.clear();
  }
  if (std::ranges::none_of(bindings_, &Binding::keeps_functions)) linked_ = {};
}

// ------------------------------------------------------------------------------------------------- showing

void ReplSession::show_value(const CheckedEntry& judged, const Type& type, const bytecode::Module& module,
                             std::uint32_t index, const std::uint8_t* bytes) const {
  const Compilation& compilation = judged.session().compilation();
  Shown shown;
  shown.text = value_text(type, module, index, bytes, compilation.names);
  shown.type = type_text(type);
  if (options_.pictures) shown.png = picture_of(type, module, index, bytes, compilation.names);
  options_.value(shown);
}

void ReplSession::show_view(const CheckedEntry& judged, const RunnableStatement& statement,
                            const bytecode::Module& module, const bytecode::Signature& signature,
                            const std::vector<std::uint64_t>& slots) const {
  const checked::Expr& view = *statement.viewed;
  if (view.kind == checked::ExprKind::Text) {
    return options_.value({bytes_text(view.as<checked::TextExpr>().bytes), type_text(*view.type), {}});
  }
  std::size_t slot = 0;
  for (std::size_t k = 0; k < statement.parameters.size(); ++k) {
    if (view.kind == checked::ExprKind::Local && statement.parameters[k].local == view.as<checked::LocalExpr>().local) {
      return options_.value({elements_text(*view.type->element, module, signature.parameters[k].type,
                                           reinterpret_cast<const std::uint8_t*>(slots[slot]), slots[slot + 1],
                                           judged.session().compilation().names),
                             type_text(*view.type),
                             {}});
    }
    slot += signature.parameters[k].slots();
  }
  options_.note("the elements of a part are shown when vec.from has copied them\n");
}

void ReplSession::show_trap(const CheckedEntry& judged, const TrapRecord& trap) const {
  TrapRecord shown = trap;
  if (shown.file == kFile) {
    const SourceMap& sources = judged.session().sources();
    const Location start = sources.locate(judged.entry_begin());
    if (shown.line > start.line || (shown.line == start.line && shown.column >= start.column)) {
      if (shown.line == start.line) shown.column -= start.column - 1;
      shown.line -= start.line - 1;
    } else {
      shown.file.clear();  // in what was entered before
    }
  }
  std::erase_if(shown.notes, [](const std::string& note) { return note.contains(kSessionFunction); });
  options_.fail({std::string(trap_kind_name(shown.kind)), render(shown), true});
}

}  // namespace cairn::repl
