// Sessions of a host: the entries of `cairn repl` as calls.
#include <utility>

#include "vm/embedding/loading.hpp"
#include "vm/repl/entry.hpp"

namespace cairn::embedding {

namespace {

std::unique_ptr<cairn_session> session_of(cairn_vm& vm, const char* path) {
  auto session = std::make_unique<cairn_session>();
  cairn_session& kept = *session;
  kept.vm = &vm;
  kept.host = std::make_unique<BoundHostFunctions>(vm.host_functions, vm.options.capabilities);
  repl::ReplOptions options;
  options.execution = execution_options(vm);
  options.execution.host = kept.host.get();
  options.wall_ms = vm.options.wall_ms;
  options.check = session_options(vm);
  options.check.first_only = true;
  if (path != nullptr) options.path = path;
  options.pictures = true;
  options.value = [&kept](const repl::Shown& shown) { kept.shown = shown; };
  options.fail = [&kept](const repl::Failure& failure) { kept.failure = failure; };
  options.out = [](const std::string&) {};  // of commands, which a host has none of
  options.note = [&kept](const std::string& text) { kept.notes += text; };
  kept.shell = std::make_unique<repl::Shell>(std::move(options));
  return session;
}

cairn_entry entry_of(const cairn_session& session) {
  const repl::Shown& shown = session.shown;
  const bool has_value = !shown.type.empty();
  return {has_value ? shown.text.c_str() : nullptr,
          has_value ? shown.type.c_str() : nullptr,
          shown.png.empty() ? nullptr : shown.png.data(),
          shown.png.size(),
          session.failure.name.c_str(),
          session.failure.text.c_str(),
          session.notes.c_str()};
}

}  // namespace

}  // namespace cairn::embedding

cairn_session* cairn_session_new(cairn_vm* vm, const char* path, cairn_diagnostics** diagnostics) {
  namespace embedding = cairn::embedding;
  if (diagnostics != nullptr) *diagnostics = nullptr;
  if (vm == nullptr) return nullptr;
  return embedding::guarded(static_cast<cairn_session*>(nullptr), [&]() -> cairn_session* {
    auto session = embedding::session_of(*vm, path);
    if (path != nullptr) {
      const cairn::repl::CheckedEntry program = session->shell->session().program();
      if (!program.accepted()) {
        if (diagnostics != nullptr) {
          *diagnostics = embedding::diagnostics_of(program.session().verdict(), program.session().sources()).release();
        }
        return nullptr;
      }
    }
    vm->sessions.push_back(std::move(session));
    return vm->sessions.back().get();
  });
}

void cairn_session_free(cairn_session* session) {
  if (session == nullptr || session->running) return;
  std::erase_if(session->vm->sessions, [&](const auto& each) { return each.get() == session; });
}

cairn_status cairn_session_enter(cairn_session* session, const char* text, size_t count, cairn_entry* entry) {
  if (session == nullptr || (text == nullptr && count != 0) || session->running) return CAIRN_BAD_ARGUMENT;
  session->shown = {};
  session->failure = {};
  session->notes.clear();
  session->running = true;
  const auto outcome = cairn::embedding::guarded(cairn::repl::Outcome::Failed, [&] {
    return session->shell->run(std::string_view(text == nullptr ? "" : text, count), false);
  });
  session->running = false;
  session->shell->session().calm();
  const bool good = outcome == cairn::repl::Outcome::Good;
  if (!good && session->failure.text.empty()) session->failure.text = "error: the machine has no memory for itself\n";
  if (entry != nullptr) *entry = cairn::embedding::entry_of(*session);
  if (good) return CAIRN_OK;
  return session->failure.trapped ? CAIRN_TRAPPED : CAIRN_REFUSED;
}

bool cairn_is_complete_entry(const char* text, size_t count) {
  if (text == nullptr) return false;
  return cairn::embedding::guarded(false, [&] {
    cairn::repl::EntryReader reader;
    const std::string_view all(text, count);
    for (std::size_t at = 0; at < all.size();) reader.add(cairn::repl::next_line(all, at));
    return !reader.is_empty() && reader.is_complete();
  });
}

void cairn_session_interrupt(cairn_session* session) {
  if (session != nullptr) session->shell->session().interrupt();
}
