// Telling profilers and debuggers of machine code: perf's map file and jitdump, GDB's registration interface. Only when
// asked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cairn::jit {

/// A piece of machine code, as tools outside are told of it.
struct RegisteredCode {
  /// From `offset` on the code is of that place of a source.
  struct Line {
    std::uint32_t offset = 0;
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };
  std::string name;
  const void* address = nullptr;
  std::size_t bytes = 0;
  std::vector<Line> lines;  // ascending by offset
};

class Registration {
 public:
  Registration(bool perf_map, bool jitdump, bool debugger);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  /// Whether anybody listens.
  [[nodiscard]] bool wanted() const { return perf_map_ || jitdump_ || debugger_; }
  void add(const RegisteredCode& code);

 private:
  struct Entry;
  void tell_debugger(const RegisteredCode& code);

  bool perf_map_;
  bool jitdump_;
  bool debugger_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace cairn::jit
