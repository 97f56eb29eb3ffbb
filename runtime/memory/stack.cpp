#include "runtime/memory/stack.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace cairn {

ThreadStack::ThreadStack(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  bytes_ = (bytes + page - 1) / page * page;
  void* range = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    bytes_ = 0;
  } else {
    begin_ = static_cast<std::uint64_t*>(range);
  }
}

ThreadStack::~ThreadStack() {
  if (begin_ != nullptr) munmap(begin_, bytes_);
}

}  // namespace cairn
