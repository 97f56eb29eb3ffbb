// Telling profilers and debuggers of machine code: perf's map file, GDB's registration interface. Only when asked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cairn::jit {

class Registration {
 public:
  Registration(bool perf_map, bool debugger);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  /// Code of that name lies at `address`.
  void add(const std::string& name, const void* address, std::size_t bytes);

 private:
  struct Entry;
  void tell_debugger(const std::string& name, const void* address, std::size_t bytes);

  bool perf_map_;
  bool debugger_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace cairn::jit
