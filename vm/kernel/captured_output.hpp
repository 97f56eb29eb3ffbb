// Descriptors 1 and 2 of this process, read by itself: whatever writes to them, a program's text reaches a front end.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace cairn::kernel {

class CapturedOutput {
 public:
  /// `taken` is given what was written, one piece at a time, on whatever thread found it; complete UTF-8 characters.
  using Taken = std::function<void(bool to_error, std::string text)>;

  explicit CapturedOutput(Taken taken);
  /// Gives the descriptors back.
  ~CapturedOutput();
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;

  /// Whether the system gave what is needed.
  [[nodiscard]] bool works() const { return works_; }
  /// Hands on all that was written before the call.
  void flush();

 private:
  struct Stream {
    int descriptor = -1;  // 1 or 2
    int saved = -1;       // what it was before
    int from = -1;        // where what is written comes out
    std::string held;     // the beginning of a character
  };

  /// Hands on what is there. The mutex is held.
  void take(Stream& stream);
  void watch();

  Taken taken_;
  std::mutex mutex_;
  Stream streams_[2];
  int stop_[2] = {-1, -1};  // a pipe: a byte in it ends the thread
  bool works_ = false;
  std::thread watcher_;
};

}  // namespace cairn::kernel
