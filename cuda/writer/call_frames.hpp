// What calls take of a thread's stack. Where no function calls itself the compiler of the kernel knows; where one does,
// through others too, the text counts bytes and the kernel is launched with a stack of so many (docs/cuda.md,
// recursion).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "vm/bytecode/module.hpp"

namespace cairn::cuda::writer {

class CallFrames {
 public:
  struct Calls {
    std::uint64_t frame = 0;         // bytes of a call of the function itself, at most for all that is known
    std::uint64_t below = 0;         // the most that calls it makes of functions that end by themselves take
    std::uint64_t fixed = 0;         // the most that frames below take on one path, those of recursive functions aside
    bool is_recursive = false;       // it may call itself
    bool reaches_recursive = false;  // it, or what it calls, may
  };

  explicit CallFrames(const bytecode::Module& module) : module_(module) {}
  const Calls& of(std::uint32_t function);

 private:
  struct Visit {
    std::uint32_t function = 0;
    std::uint32_t order = 0;   // in which it was met
    std::uint32_t lowest = 0;  // order of the first function it is known to reach that is not finished
    std::size_t next = 0;      // of its callees
    std::vector<std::uint32_t> callees;
  };
  [[nodiscard]] std::vector<std::uint32_t> callees_of(std::uint32_t function) const;
  void finish(const std::vector<std::uint32_t>& component);

  const bytecode::Module& module_;
  std::map<std::uint32_t, Calls> known_;
};

}  // namespace cairn::cuda::writer
