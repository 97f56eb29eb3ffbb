// Test blocks: which ones are meant, and running each in a process of its own (tools, 8.1).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vm/cli/child_process.hpp"
#include "vm/cli/running.hpp"

namespace cairn::cli {

struct TestBlock {
  const checked::Function* function = nullptr;
  std::string label;  // NAME, or MODULE.NAME in a module
  std::string file;
  std::uint32_t line = 0;
};

/// The project's own blocks in source order.
[[nodiscard]] std::vector<TestBlock> own_test_blocks(Session& session);

struct TestOutcome {
  bool passed = false;
  std::string reason;  // of a failure, one line
  ChildResult ended;
};

/// Runs `code[i]` of the module for every block, `jobs` at a time. Outcomes are in the order of the blocks.
[[nodiscard]] std::vector<TestOutcome> run_test_blocks(const bytecode::Module& module,
                                                       const std::vector<std::uint32_t>& code, std::size_t jobs,
                                                       const ChildOptions& limits, const ExecutionOptions& options);

}  // namespace cairn::cli
