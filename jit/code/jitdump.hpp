// perf's jitdump: a file of the machine code a process made and the source lines of its parts, which `perf inject
// --jit` joins with a recording (Linux, tools/perf/Documentation/jitdump-specification.txt).
#pragma once

#include <cstdio>
#include <string>

#include "jit/code/registration.hpp"

namespace cairn::jit {

class Jitdump {
 public:
  /// Makes jit-PID.dump in the folder; what cannot be written is left out.
  explicit Jitdump(const std::string& folder);
  ~Jitdump();
  Jitdump(const Jitdump&) = delete;
  Jitdump& operator=(const Jitdump&) = delete;

  /// The code must lie where it says. Not to be called from two threads at once.
  void add(const RegisteredCode& code);

 private:
  std::FILE* file_ = nullptr;
  void* mark_ = nullptr;  // a mapping of the file, by which perf finds it
  std::uint64_t added_ = 0;
};

}  // namespace cairn::jit
