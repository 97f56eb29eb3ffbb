#include "vm/repl/line_editor.hpp"

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <filesystem>

#include <dlfcn.h>
#include <histedit.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cairn::repl {

namespace {

constexpr int kRememberedLines = 2000;
constexpr char kEscape = '\1';

volatile std::sig_atomic_t interrupted = 0;

// clang-format off
#define CAIRN_EDIT_FUNCTIONS(X) \
  X(el_init) X(el_end) X(el_gets) X(el_set) X(el_get) X(el_line) X(el_insertstr) \
  X(history_init) X(history_end) X(history)
// clang-format on

/// A terminal whose locale says nothing of UTF-8 is taken to speak it.
void use_utf8() {
  if (std::setlocale(LC_CTYPE, "") == nullptr || MB_CUR_MAX < 4) std::setlocale(LC_CTYPE, "C.UTF-8");
}

std::string common_beginning(const std::vector<Completion>& all) {
  std::string common = all.front().text;
  for (const Completion& each : all) {
    std::size_t same = 0;
    while (same < common.size() && same < each.text.size() && common[same] == each.text[same]) ++same;
    common.resize(same);
  }
  return common;
}

/// The choices in columns, as many lines as a screen holds.
void list(const std::vector<Completion>& all) {
  constexpr std::size_t kMostListed = 200;
  constexpr std::size_t kWidth = 78;
  std::size_t widest = 1;
  for (const Completion& each : all) widest = std::max(widest, each.text.size() + 2);
  const std::size_t columns = std::max<std::size_t>(1, kWidth / widest);
  std::string text = "\n";
  for (std::size_t k = 0; k < all.size() && k < kMostListed; ++k) {
    std::string cell = all[k].text;
    const bool ends_line = (k + 1) % columns == 0 || k + 1 == all.size();
    if (!ends_line) cell.resize(widest, ' ');
    text += cell + (ends_line ? "\n" : "");
  }
  if (all.size() > kMostListed) text += "\n... " + std::to_string(all.size()) + " in all\n";
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

struct LineEditor::Library {
#define CAIRN_EDIT_MEMBER(name) decltype(&::name) name = nullptr;
  CAIRN_EDIT_FUNCTIONS(CAIRN_EDIT_MEMBER)
#undef CAIRN_EDIT_MEMBER

  EditLine* editor = nullptr;
  History* remembered = nullptr;
  std::string file;
  std::string prompt;
  Completer completer;

  bool load() {
    void* library = nullptr;
    for (const char* name : {"libedit.so.2", "libedit.so.0", "libedit.so"}) {
      library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr) break;
    }
    if (library == nullptr) return false;
    bool whole = true;
#define CAIRN_EDIT_LOAD(name)                                          \
  name = reinterpret_cast<decltype(&::name)>(::dlsym(library, #name)); \
  whole = whole && name != nullptr;
    CAIRN_EDIT_FUNCTIONS(CAIRN_EDIT_LOAD)
#undef CAIRN_EDIT_LOAD
    return whole;
  }

  static Library& of(EditLine* editor, decltype(&::el_get) get) {
    void* self = nullptr;
    get(editor, EL_CLIENTDATA, &self);
    return *static_cast<Library*>(self);
  }

  unsigned char complete() {
    const LineInfo* info = el_line(editor);
    const std::string line(info->buffer, info->lastchar);
    const auto at = static_cast<std::size_t>(info->cursor - info->buffer);
    if (line.find_first_not_of(" \t") >= at) {  // nothing to complete: indent
      el_insertstr(editor, "  ");
      return CC_REFRESH;
    }
    std::size_t begin = at;
    const std::vector<Completion> all = completer(line, at, begin);
    if (all.empty()) return CC_REFRESH_BEEP;
    const std::string common = common_beginning(all);
    if (common.size() > at - begin) {
      el_insertstr(editor, common.c_str() + (at - begin));
      return CC_REFRESH;
    }
    if (all.size() == 1) return CC_REFRESH;
    list(all);
    return CC_REDISPLAY;
  }
};

namespace {

/// libedit hands its callbacks the editor alone; what its client data is asked with is the same for every editor.
decltype(&::el_get) get_of_editor = nullptr;

}  // namespace

std::unique_ptr<LineEditor> LineEditor::open(const std::string& history, Completer completer) {
  auto library = std::make_unique<Library>();
  if (!library->load()) return nullptr;
  use_utf8();
  Library& edit = *library;
  get_of_editor = edit.el_get;
  edit.completer = std::move(completer);
  edit.file = history;
  edit.editor = edit.el_init("cairn", stdin, stdout, stderr);
  edit.remembered = edit.history_init();
  if (edit.editor == nullptr || edit.remembered == nullptr) {
    if (edit.remembered != nullptr) edit.history_end(edit.remembered);
    if (edit.editor != nullptr) edit.el_end(edit.editor);
    return nullptr;
  }
  HistEvent event;
  edit.history(edit.remembered, &event, H_SETSIZE, kRememberedLines);
  edit.history(edit.remembered, &event, H_SETUNIQUE, 1);
  if (!edit.file.empty()) edit.history(edit.remembered, &event, H_LOAD, edit.file.c_str());
  edit.el_set(edit.editor, EL_CLIENTDATA, library.get());
  edit.el_set(edit.editor, EL_EDITOR, "emacs");
  edit.el_set(edit.editor, EL_HIST, edit.history, edit.remembered);
  edit.el_set(edit.editor, EL_SIGNAL, 0);
  const auto prompt = +[](EditLine* editor) -> char* { return Library::of(editor, get_of_editor).prompt.data(); };
  edit.el_set(edit.editor, EL_PROMPT_ESC, prompt, kEscape);
  const auto complete =
      +[](EditLine* editor, int) -> unsigned char { return Library::of(editor, get_of_editor).complete(); };
  edit.el_set(edit.editor, EL_ADDFN, "cairn-complete", "completes the word", complete);
  edit.el_set(edit.editor, EL_BIND, "\t", "cairn-complete", nullptr);
  edit.el_set(edit.editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  // The library's own reader starts a read again that a signal has ended; this one gives the line up.
  const auto read_character = +[](EditLine*, wchar_t* character) -> int {
    std::mbstate_t state{};
    char byte = 0;
    while (true) {
      if (interrupted != 0) return -1;
      const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
      if (count == 0) return 0;
      if (count < 0 && errno != EINTR) return -1;
      if (count < 0) continue;
      // What the kernel makes of a Ctrl-D that comes before the library has taken the terminal over; the library would
      // take it for the key that quotes the next one.
      if (byte == 0) continue;
      const std::size_t used = std::mbrtowc(character, &byte, 1, &state);
      if (used == static_cast<std::size_t>(-2)) continue;  // more bytes follow
      if (used == static_cast<std::size_t>(-1)) {          // no UTF-8
        state = {};
        continue;
      }
      return 1;
    }
  };
  edit.el_set(edit.editor, EL_GETCFN, read_character);
  return std::unique_ptr<LineEditor>(new LineEditor(std::move(library)));
}

LineEditor::LineEditor(std::unique_ptr<Library> library) : library_(std::move(library)) {}

LineEditor::~LineEditor() {
  library_->history_end(library_->remembered);
  library_->el_end(library_->editor);
}

void LineEditor::interrupt() { interrupted = 1; }

LineEditor::Read LineEditor::read(const std::string& prompt, std::string& line) {
  library_->prompt = prompt;
  interrupted = 0;
  int count = 0;
  const char* text = library_->el_gets(library_->editor, &count);
  if (interrupted != 0) {
    interrupted = 0;
    std::fputs("^C\n", stdout);
    std::fflush(stdout);
    return Read::Interrupted;
  }
  if (text == nullptr || count <= 0) {
    std::fputs("\n", stdout);
    std::fflush(stdout);
    return Read::End;
  }
  line = text;
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  return Read::Line;
}

void LineEditor::remember(const std::string& entry) {
  HistEvent event;
  library_->history(library_->remembered, &event, H_ENTER, entry.c_str());
  if (library_->file.empty()) return;
  library_->history(library_->remembered, &event, H_SAVE, library_->file.c_str());
  ::chmod(library_->file.c_str(), S_IRUSR | S_IWUSR);
}

std::string history_path() {
  namespace fs = std::filesystem;
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (state != nullptr && *state == '/') {
    folder = state;
  } else if (home != nullptr && *home == '/') {
    folder = fs::path(home) / ".local" / "state";
  } else {
    return {};
  }
  folder /= "cairn";
  std::error_code fault;
  if (fs::create_directories(folder, fault)) fs::permissions(folder, fs::perms::owner_all, fault);
  return fs::is_directory(folder, fault) ? (folder / "repl_history").string() : std::string();
}

}  // namespace cairn::repl
