// Memory for machine code: every block is mapped twice, once to be written and once to be run, and is never given back
// before all of it is. The two views are of anonymous shared memory, so that perf takes them for code without a file
// and looks into its map.
#pragma once

#include <asmjit/core.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cairn::jit {

class CodeMemory {
 public:
  /// `for_debugger`: code lies in pages of its own, whose run view a debugger may put breakpoints into.
  explicit CodeMemory(bool for_debugger) : for_debugger_(for_debugger) {}
  ~CodeMemory();
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;

  /// Places assembled code. Where it may be run, or null: the system gives no memory, or the code cannot lie there.
  [[nodiscard]] void* place(asmjit::CodeHolder& code);

 private:
  struct Block {
    std::uint8_t* written = nullptr;
    std::uint8_t* run = nullptr;
    std::size_t bytes = 0;
    std::size_t used = 0;
    int owner = 0;  // the process that mapped it
  };
  bool add_block(std::size_t least);
  [[nodiscard]] bool map_views(Block& block) const;

  const bool for_debugger_;
  std::vector<Block> blocks_;
};

}  // namespace cairn::jit
