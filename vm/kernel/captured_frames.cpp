#include "vm/kernel/captured_frames.hpp"

#include <array>

#include <unistd.h>

#include "frontend/project/files.hpp"
#include "vm/natives/c_library.hpp"

namespace cairn::kernel {

namespace {

constexpr std::size_t kMostFrameBytes = std::size_t{1} << 30U;

const CapturedFrames* capturing = nullptr;
NativeFunction close_file = nullptr;

void close_native(NativeCall& call) {
  if (capturing != nullptr) capturing->closing(call.get<int>(0));
  close_file(call);
}

}  // namespace

CapturedFrames::CapturedFrames(std::string folder, std::function<void(std::string png)> taken)
    : folder_(std::move(folder)), taken_(std::move(taken)) {
  for (NativeEntry entry : c_library_natives().entries()) {
    if (entry.name == "close") {
      close_file = entry.function;
      entry.function = close_native;
    }
    natives_.add(std::span(&entry, 1));
  }
  capturing = this;
}

CapturedFrames::~CapturedFrames() { capturing = nullptr; }

void CapturedFrames::closing(int descriptor) const {
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  if (size <= 0) return;
  const std::string_view name(path.data(), static_cast<std::size_t>(size));
  if (!name.starts_with(folder_ + "/") || !name.ends_with(".png")) return;
  if (auto png = read_file(std::string(name), kMostFrameBytes)) taken_(std::move(*png));
}

}  // namespace cairn::kernel
