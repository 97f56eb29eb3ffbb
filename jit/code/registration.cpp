#include "jit/code/registration.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "jit/code/debug_object.hpp"
#include "jit/code/jitdump.hpp"

// GDB's JIT interface: it sets a breakpoint in this function and reads this object (GDB manual, "JIT Compilation
// Interface"). Both are found by name.
extern "C" {

// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier): GDB gives the names.

enum CairnJitAction : std::uint32_t { kNoAction = 0, kRegister = 1, kUnregister = 2 };

struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  std::uint64_t symfile_size;
};

struct jit_descriptor {
  std::uint32_t version;
  std::uint32_t action_flag;
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};

[[gnu::noinline, gnu::used, gnu::visibility("default")]] void __jit_debug_register_code() { asm volatile(""); }

[[gnu::used, gnu::visibility("default")]] jit_descriptor __jit_debug_descriptor = {1, kNoAction, nullptr, nullptr};
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier)
}

namespace cairn::jit {
namespace {

std::mutex debugger_mutex;

/// The format knows one file a process, which all instances share.
void dump(const RegisteredCode& code) {
  static std::mutex mutex;
  const std::lock_guard guard(mutex);
  static Jitdump file([] {
    const char* asked = std::getenv("CAIRN_JITDUMP");
    return std::string(asked == nullptr || std::string_view(asked) == "1" ? "." : asked);
  }());
  file.add(code);
}

void announce(CairnJitAction action, jit_code_entry* entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_register_code();
}

}  // namespace

struct Registration::Entry {
  std::vector<char> file;
  jit_code_entry entry{};
};

Registration::Registration(bool perf_map, bool jitdump, bool debugger)
    : perf_map_(perf_map), jitdump_(jitdump), debugger_(debugger) {}

Registration::~Registration() {
  const std::lock_guard guard(debugger_mutex);
  for (const std::unique_ptr<Entry>& each : entries_) {
    jit_code_entry& entry = each->entry;
    if (entry.prev_entry != nullptr) entry.prev_entry->next_entry = entry.next_entry;
    if (entry.next_entry != nullptr) entry.next_entry->prev_entry = entry.prev_entry;
    if (__jit_debug_descriptor.first_entry == &entry) __jit_debug_descriptor.first_entry = entry.next_entry;
    announce(kUnregister, &entry);
  }
}

void Registration::add(const RegisteredCode& code) {
  if (perf_map_) {
    const std::string path = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
    if (std::FILE* file = std::fopen(path.c_str(), "a")) {
      std::fprintf(file, "%llx %zx %s\n",
                   static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(code.address)), code.bytes,
                   code.name.c_str());
      std::fclose(file);
    }
  }
  if (jitdump_) dump(code);
  if (debugger_) tell_debugger(code);
}

void Registration::tell_debugger(const RegisteredCode& code) {
  auto made = std::make_unique<Entry>();
  made->file = debug_object(code);
  made->entry.symfile_addr = made->file.data();
  made->entry.symfile_size = made->file.size();
  const std::lock_guard guard(debugger_mutex);
  made->entry.next_entry = __jit_debug_descriptor.first_entry;
  if (made->entry.next_entry != nullptr) made->entry.next_entry->prev_entry = &made->entry;
  __jit_debug_descriptor.first_entry = &made->entry;
  announce(kRegister, &made->entry);
  entries_.push_back(std::move(made));
}

}  // namespace cairn::jit
