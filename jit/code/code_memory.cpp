#include "jit/code/code_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace cairn::jit {
namespace {

constexpr std::size_t kBlockBytes = 1 << 16;
constexpr std::size_t kAlignment = 16;

std::size_t page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }
std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

CodeMemory::~CodeMemory() {
  for (const Block& block : blocks_) {
    ::munmap(block.written, block.bytes);
    ::munmap(block.run, block.bytes);
  }
}

bool CodeMemory::map_views(Block& block) const {
  constexpr int kWrite = PROT_READ | PROT_WRITE, kRun = PROT_READ | PROT_EXEC;
  void* written = MAP_FAILED;
  void* run = MAP_FAILED;
  if (for_debugger_) {
    // A breakpoint makes a page of the private view a copy, which later writes to the other view would not reach.
    const int file = ::memfd_create("cairn-code", MFD_CLOEXEC);
    if (file < 0) return false;
    if (::ftruncate(file, static_cast<off_t>(block.bytes)) == 0) {
      written = ::mmap(nullptr, block.bytes, kWrite, MAP_SHARED, file, 0);
      run = ::mmap(nullptr, block.bytes, kRun, MAP_PRIVATE, file, 0);
    }
    ::close(file);
  } else {
    written = ::mmap(nullptr, block.bytes, kWrite, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    // A size of 0 leaves the old view of shared memory where it is and makes another (mremap(2)).
    if (written != MAP_FAILED) run = ::mremap(written, 0, block.bytes, MREMAP_MAYMOVE);
    if (run != MAP_FAILED && ::mprotect(run, block.bytes, kRun) != 0) {
      ::munmap(run, block.bytes);
      run = MAP_FAILED;
    }
  }
  if (written != MAP_FAILED && run != MAP_FAILED) {
    block.written = static_cast<std::uint8_t*>(written);
    block.run = static_cast<std::uint8_t*>(run);
    return true;
  }
  if (written != MAP_FAILED) ::munmap(written, block.bytes);
  if (run != MAP_FAILED) ::munmap(run, block.bytes);
  return false;
}

bool CodeMemory::add_block(std::size_t least) {
  Block block;
  block.bytes = rounded(std::max(least, kBlockBytes), page());
  block.owner = ::getpid();
  if (!map_views(block)) return false;
  blocks_.push_back(block);
  return true;
}

void* CodeMemory::place(asmjit::CodeHolder& code) {
  if (code.flatten() != asmjit::kErrorOk || code.resolveUnresolvedLinks() != asmjit::kErrorOk) return nullptr;
  const std::size_t most = code.codeSize();
  if (most == 0) return nullptr;
  // A child of fork shares the pages of its parent: it runs the code there and writes none.
  const bool has_room =
      !blocks_.empty() && blocks_.back().owner == ::getpid() && blocks_.back().bytes - blocks_.back().used >= most;
  if (!has_room && !add_block(most)) return nullptr;
  Block& block = blocks_.back();
  std::uint8_t* const run = block.run + block.used;
  if (code.relocateToBase(reinterpret_cast<std::uint64_t>(run)) != asmjit::kErrorOk) return nullptr;
  const std::size_t size = code.codeSize();
  if (code.copyFlattenedData(block.written + block.used, size) != asmjit::kErrorOk) return nullptr;
  block.used = std::min(block.bytes, block.used + rounded(size, for_debugger_ ? page() : kAlignment));
  return run;
}

}  // namespace cairn::jit
