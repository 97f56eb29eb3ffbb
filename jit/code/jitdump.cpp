#include "jit/code/jitdump.hpp"

#include <elf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace cairn::jit {
namespace {

enum RecordKind : std::uint32_t { kCodeLoad = 0, kDebugInfo = 2 };

struct FileHeader {
  std::uint32_t magic = 0x4A695444;
  std::uint32_t version = 1;
  std::uint32_t size = sizeof(FileHeader);
  std::uint32_t machine = EM_X86_64;
  std::uint32_t padding = 0;
  std::uint32_t process = 0;
  std::uint64_t time = 0;
  std::uint64_t flags = 0;
};
static_assert(sizeof(FileHeader) == 40);

struct RecordHeader {
  std::uint32_t kind = 0;
  std::uint32_t size = 0;
  std::uint64_t time = 0;
};

struct CodeLoad {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::uint64_t virtual_address = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t index = 0;
};
static_assert(sizeof(CodeLoad) == 40);

struct DebugInfo {
  std::uint64_t address = 0;
  std::uint64_t entries = 0;
};

struct DebugEntry {
  std::uint64_t address = 0;
  std::uint32_t line = 0;
  std::uint32_t discriminator = 0;
};

/// Of the clock that `perf record -k mono` stamps its samples with.
std::uint64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

Jitdump::Jitdump(const std::string& folder) {
  const std::string path = folder + "/jit-" + std::to_string(::getpid()) + ".dump";
  file_ = std::fopen(path.c_str(), "w+e");
  if (file_ == nullptr) return;
  FileHeader header;
  header.process = static_cast<std::uint32_t>(::getpid());
  header.time = now();
  std::fwrite(&header, sizeof(header), 1, file_);
  std::fflush(file_);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  mark_ = ::mmap(nullptr, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, ::fileno(file_), 0);
}

Jitdump::~Jitdump() {
  if (file_ == nullptr) return;
  if (mark_ != MAP_FAILED) ::munmap(mark_, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  std::fclose(file_);
}

void Jitdump::add(const RegisteredCode& code) {
  if (file_ == nullptr) return;
  const auto put = [&](const auto& record) { std::fwrite(&record, sizeof(record), 1, file_); };
  const auto text = [&](const std::string& words) { std::fwrite(words.c_str(), words.size() + 1, 1, file_); };
  const auto address = reinterpret_cast<std::uint64_t>(code.address);
  if (!code.lines.empty()) {
    std::size_t size = sizeof(RecordHeader) + sizeof(DebugInfo);
    for (const RegisteredCode::Line& line : code.lines) size += sizeof(DebugEntry) + line.file.size() + 1;
    put(RecordHeader{kDebugInfo, static_cast<std::uint32_t>(size), now()});
    put(DebugInfo{address, code.lines.size()});
    for (const RegisteredCode::Line& line : code.lines) {
      put(DebugEntry{address + line.offset, line.line, 0});
      text(line.file);
    }
  }
  const std::size_t size = sizeof(RecordHeader) + sizeof(CodeLoad) + code.name.size() + 1 + code.bytes;
  put(RecordHeader{kCodeLoad, static_cast<std::uint32_t>(size), now()});
  put(CodeLoad{static_cast<std::uint32_t>(::getpid()), static_cast<std::uint32_t>(::syscall(SYS_gettid)), address,
               address, code.bytes, added_++});
  text(code.name);
  std::fwrite(code.address, code.bytes, 1, file_);
  std::fflush(file_);  // a trap ends the process without more ado
}

}  // namespace cairn::jit
