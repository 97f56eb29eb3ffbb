#include "jit/code/registration.hpp"

#include <elf.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <mutex>

// GDB's JIT interface: it sets a breakpoint in this function and reads this object (GDB manual, "JIT Compilation
// Interface"). Both are found by name.
extern "C" {

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

[[gnu::noinline, gnu::used, gnu::visibility("default")]] void __jit_debug_register_code() {
  asm volatile("");
}  // NOLINT

[[gnu::used, gnu::visibility("default")]] jit_descriptor __jit_debug_descriptor = {1, kNoAction, nullptr,
                                                                                   nullptr};  // NOLINT
}

namespace cairn::jit {
namespace {

std::mutex debugger_mutex;

/// An ELF object with one symbol: the function, at the address where it lies.
std::vector<char> symbol_file(const std::string& name, std::uint64_t address, std::size_t bytes) {
  const std::string strings = std::string(1, '\0') + name + '\0' + ".text" + '\0' + ".strtab" + '\0' + ".symtab" + '\0';
  const auto text_name = static_cast<Elf64_Word>(1 + name.size() + 1);
  enum Section : std::uint16_t { Null, Text, Strings, Symbols, Count };
  Elf64_Ehdr header{};
  Elf64_Shdr sections[Count]{};
  Elf64_Sym symbols[2]{};
  const std::size_t sections_at = sizeof(header);
  const std::size_t symbols_at = sections_at + sizeof(sections);
  const std::size_t strings_at = symbols_at + sizeof(symbols);

  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_shoff = sections_at;
  header.e_ehsize = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = Count;
  header.e_shstrndx = Strings;

  sections[Text].sh_name = text_name;
  sections[Text].sh_type = SHT_NOBITS;
  sections[Text].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  sections[Text].sh_addr = address;
  sections[Text].sh_size = bytes;
  sections[Text].sh_addralign = 16;
  sections[Strings].sh_name = text_name + 6;
  sections[Strings].sh_type = SHT_STRTAB;
  sections[Strings].sh_offset = strings_at;
  sections[Strings].sh_size = strings.size();
  sections[Strings].sh_addralign = 1;
  sections[Symbols].sh_name = text_name + 14;
  sections[Symbols].sh_type = SHT_SYMTAB;
  sections[Symbols].sh_offset = symbols_at;
  sections[Symbols].sh_size = sizeof(symbols);
  sections[Symbols].sh_link = Strings;
  sections[Symbols].sh_info = 1;
  sections[Symbols].sh_entsize = sizeof(Elf64_Sym);
  sections[Symbols].sh_addralign = 8;

  symbols[1].st_name = 1;
  symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbols[1].st_shndx = Text;
  symbols[1].st_value = address;
  symbols[1].st_size = bytes;

  std::vector<char> file(strings_at + strings.size());
  std::memcpy(file.data(), &header, sizeof(header));
  std::memcpy(file.data() + sections_at, sections, sizeof(sections));
  std::memcpy(file.data() + symbols_at, symbols, sizeof(symbols));
  std::memcpy(file.data() + strings_at, strings.data(), strings.size());
  return file;
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

Registration::Registration(bool perf_map, bool debugger) : perf_map_(perf_map), debugger_(debugger) {}

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

void Registration::add(const std::string& name, const void* address, std::size_t bytes) {
  if (perf_map_) {
    const std::string path = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
    if (std::FILE* file = std::fopen(path.c_str(), "a")) {
      std::fprintf(file, "%llx %zx %s\n", static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address)),
                   bytes, name.c_str());
      std::fclose(file);
    }
  }
  if (debugger_) tell_debugger(name, address, bytes);
}

void Registration::tell_debugger(const std::string& name, const void* address, std::size_t bytes) {
  auto made = std::make_unique<Entry>();
  made->file = symbol_file(name, reinterpret_cast<std::uintptr_t>(address), bytes);
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
