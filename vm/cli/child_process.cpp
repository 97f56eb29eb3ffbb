#include "vm/cli/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/project/files.hpp"

namespace cairn::cli {

namespace {

using Pipe = std::array<int, 2>;

void close_one(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

void close_pipe(Pipe& pipe) {
  for (int& end : pipe) close_one(end);
}

void limit(int resource, rlim_t value) {
  const rlimit bound{value, value};
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &bound);
}

/// In the child: its group, limits, folder and streams; then the body.
[[noreturn]] void become(const std::function<int()>& body, const ChildOptions& options, const Pipe& out,
                         const Pipe& err) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  if (options.cpu_seconds > 0) limit(RLIMIT_CPU, options.cpu_seconds);
  ::dup2(out[1], STDOUT_FILENO);
  ::dup2(err[1], STDERR_FILENO);
  if (options.without_input) {
    const int empty = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (empty >= 0) ::dup2(empty, STDIN_FILENO);
  }
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(127);
  const int status = body();
  std::fflush(stdout);
  std::fflush(stderr);
  ::_exit(status);
}

}  // namespace

ChildPool::~ChildPool() {
  for (Child& child : children_) {
    ::kill(-child.process, SIGKILL);
    ::waitpid(child.process, nullptr, 0);
    for (int* descriptor : {&child.out.descriptor, &child.err.descriptor, &child.ending}) close_one(*descriptor);
  }
}

bool ChildPool::start(std::size_t key, const std::function<int()>& body, const ChildOptions& options) {
  Pipe out = {-1, -1};
  Pipe err = {-1, -1};
  std::fflush(stdout);  // or the child would write it again
  std::fflush(stderr);
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) {
    close_pipe(out);
    return false;
  }
  const pid_t process = ::fork();
  if (process == 0) become(body, options, out, err);
  if (process < 0) {
    close_pipe(out);
    close_pipe(err);
    return false;
  }
  ::setpgid(process, process);  // here too: whoever comes first
  ::close(out[1]);
  ::close(err[1]);
  for (const int end : {out[0], err[0]}) ::fcntl(end, F_SETFL, O_NONBLOCK);
  Child child;
  child.key = key;
  child.process = process;
  child.options = options;
  child.start = Clock::now();
  child.ending = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  child.out.descriptor = out[0];
  child.err.descriptor = err[0];
  children_.push_back(std::move(child));
  return true;
}

void ChildPool::read_available(const ChildOptions& options, Stream& stream) {
  std::array<char, 65536> buffer;
  while (stream.descriptor >= 0) {
    const ssize_t got = ::read(stream.descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      close_one(stream.descriptor);
      return;
    }
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    const std::size_t room = std::min(bytes.size(), options.captured_bytes - stream.head.size());
    stream.head += bytes.substr(0, room);
    stream.tail += bytes.substr(room);
    if (stream.tail.size() / 2 > options.captured_bytes) {
      stream.tail.erase(0, stream.tail.size() - options.captured_bytes);
    }
  }
}

/// Waits until a stream has something, a process ends or a time limit passes.
void ChildPool::wait_for_news() {
  std::vector<pollfd> waits;
  double soonest = 3600;
  for (const Child& child : children_) {
    for (const int descriptor : {child.out.descriptor, child.err.descriptor, child.ending}) {
      waits.push_back({descriptor, POLLIN, 0});
    }
    if (child.ending < 0) soonest = std::min(soonest, 0.005);
    if (child.options.timeout_seconds > 0) {
      const double passed = std::chrono::duration<double>(Clock::now() - child.start).count();
      soonest = std::min(soonest, std::max(0.0, child.options.timeout_seconds - passed));
    }
  }
  ::poll(waits.data(), waits.size(), static_cast<int>(soonest * 1000) + 1);
  for (Child& child : children_) {
    read_available(child.options, child.out);
    read_available(child.options, child.err);
  }
}

std::optional<ChildResult> ChildPool::ended(Child& child) {
  const double seconds = std::chrono::duration<double>(Clock::now() - child.start).count();
  if (!child.timed_out && child.options.timeout_seconds > 0 && seconds > child.options.timeout_seconds) {
    child.timed_out = true;
    ::kill(-child.process, SIGKILL);
  }
  int status = 0;
  const pid_t process = ::waitpid(child.process, &status, WNOHANG);
  if (process == 0 || (process < 0 && errno == EINTR)) return std::nullopt;
  ::kill(-child.process, SIGKILL);  // whatever it left behind
  read_available(child.options, child.out);
  read_available(child.options, child.err);
  for (int* descriptor : {&child.out.descriptor, &child.err.descriptor, &child.ending}) close_one(*descriptor);
  ChildResult result;
  result.exit_code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  result.timed_out = child.timed_out;
  result.out = child.out.head + child.out.tail;
  result.err = child.err.head + child.err.tail;
  result.seconds = seconds;
  return result;
}

std::pair<std::size_t, ChildResult> ChildPool::wait_any() {
  while (true) {
    for (auto child = children_.begin(); child != children_.end(); ++child) {
      if (auto result = ended(*child)) {
        const std::size_t key = child->key;
        children_.erase(child);
        return {key, std::move(*result)};
      }
    }
    wait_for_news();
  }
}

std::optional<ChildResult> run_child(const std::function<int()>& body, const ChildOptions& options) {
  ChildPool pool;
  if (!pool.start(0, body, options)) return std::nullopt;
  return pool.wait_any().second;
}

std::string recorded_text(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t length = 1;
    const auto first = static_cast<unsigned char>(bytes[at]);
    if (first >= 0xC2) length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (at + length <= bytes.size() && is_utf8(bytes.substr(at, length))) {
      text += bytes.substr(at, length);
    } else {
      length = 1;
      constexpr std::string_view digits = "0123456789abcdef";
      text += "\\x";
      text += digits[first >> 4U];
      text += digits[first & 15U];
    }
    at += length;
  }
  return text;
}

}  // namespace cairn::cli
