#include "vm/kernel/captured_output.hpp"

#include <array>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace cairn::kernel {

namespace {

/// How many bytes of the end begin a character of UTF-8 that is not all there.
std::size_t unfinished(const std::string& text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const std::size_t size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return size > back ? back : 0;
  }
  return 0;
}

}  // namespace

CapturedOutput::CapturedOutput(Taken taken) : taken_(std::move(taken)) {
  std::fflush(nullptr);
  works_ = ::pipe2(stop_, O_CLOEXEC) == 0;
  for (int k = 0; k < 2 && works_; ++k) {
    Stream& stream = streams_[k];
    int ends[2];
    works_ = ::pipe2(ends, O_CLOEXEC) == 0;
    if (!works_) return;
    stream.descriptor = k + 1;
    stream.saved = ::fcntl(stream.descriptor, F_DUPFD_CLOEXEC, 3);
    stream.from = ends[0];
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    ::dup2(ends[1], stream.descriptor);
    ::close(ends[1]);
  }
  if (works_) watcher_ = std::thread([this] { watch(); });
}

CapturedOutput::~CapturedOutput() {
  if (watcher_.joinable()) {
    flush();
    static_cast<void>(::write(stop_[1], "", 1) < 0);
    watcher_.join();
  }
  for (Stream& stream : streams_) {
    if (stream.saved >= 0) {
      ::dup2(stream.saved, stream.descriptor);
      ::close(stream.saved);
    }
    if (stream.from >= 0) ::close(stream.from);
  }
  for (const int end : stop_) {
    if (end >= 0) ::close(end);
  }
}

void CapturedOutput::take(Stream& stream) {
  std::array<char, 65536> bytes;
  while (true) {
    const ssize_t count = ::read(stream.from, bytes.data(), bytes.size());
    if (count <= 0) return;
    std::string text = std::move(stream.held);
    text.append(bytes.data(), static_cast<std::size_t>(count));
    stream.held = text.substr(text.size() - unfinished(text));
    text.resize(text.size() - stream.held.size());
    if (!text.empty()) taken_(stream.descriptor == 2, std::move(text));
  }
}

void CapturedOutput::flush() {
  std::fflush(nullptr);
  const std::lock_guard guard(mutex_);
  for (Stream& stream : streams_) {
    take(stream);
    if (!stream.held.empty()) taken_(stream.descriptor == 2, std::exchange(stream.held, {}));
  }
}

void CapturedOutput::watch() {
  while (true) {
    pollfd all[] = {{streams_[0].from, POLLIN, 0}, {streams_[1].from, POLLIN, 0}, {stop_[0], POLLIN, 0}};
    if (::poll(all, 3, -1) < 0) continue;
    if (all[2].revents != 0) return;
    const std::lock_guard guard(mutex_);
    for (Stream& stream : streams_) take(stream);
  }
}

}  // namespace cairn::kernel
