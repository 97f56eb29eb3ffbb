#include "vm/cli/shared_answer.hpp"

#include <array>

#include <sys/mman.h>
#include <unistd.h>

namespace cairn::cli {

SharedAnswer::SharedAnswer() : file_(::memfd_create("cairn-answer", MFD_CLOEXEC)) {
  void* page = ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) counter_ = static_cast<std::uint64_t*>(page);
}

SharedAnswer::~SharedAnswer() {
  if (file_ >= 0) ::close(file_);
  if (counter_ != nullptr) ::munmap(counter_, sizeof(std::uint64_t));
}

bool SharedAnswer::store(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string SharedAnswer::load() const {
  std::string text;
  std::array<char, 65536> buffer;
  ::lseek(file_, 0, SEEK_SET);
  for (ssize_t got = ::read(file_, buffer.data(), buffer.size()); got > 0;
       got = ::read(file_, buffer.data(), buffer.size())) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace cairn::cli
