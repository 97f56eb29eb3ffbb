// Lanes of a device region as machine code runs them (jit.hpp, KernelCode): eight consecutive indices at a time. Where
// a group cannot go on, each of its lanes is ended by itself, in index order.
#pragma once

#include <optional>

#include "runtime/memory/stack.hpp"
#include "vm/interpreter/kernel_groups.hpp"
#include "vm/interpreter/machine.hpp"

namespace cairn::interpreter {

/// Of one host thread.
class LaneGroups {
 public:
  LaneGroups(Thread& thread, const jit::KernelCode& code, std::uint32_t function, std::uint64_t environment)
      : thread_(thread),
        entry_(thread.functions[function]),
        environment_(environment),
        groups_(code, KernelGroups::kGroup, environment, nullptr) {}

  /// Runs lanes from `lo` on, whole groups of them, and gives how far they have come: to less than a group before `hi`,
  /// unless machine code is no gain, or the thread trapped.
  std::uint64_t run(std::uint64_t lo, std::uint64_t hi);

 private:
  bool end_group(std::uint64_t group);

  Thread& thread_;
  const CodeEntry& entry_;
  std::uint64_t environment_;
  KernelGroups groups_;
  std::optional<ThreadStack> stack_;    // of lanes ended by themselves
  std::uint64_t begun_ = 0, left_ = 0;  // groups
};

}  // namespace cairn::interpreter
