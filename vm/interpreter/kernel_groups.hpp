// A block of a cooperative region as machine code runs it (jit.hpp, KernelCode): the frames of its groups of eight
// threads, and where each thread stands with what values when a group could not go on.
#pragma once

#include <memory>

#include "jit/jit.hpp"

namespace cairn::interpreter {

class KernelGroups {
 public:
  static constexpr std::uint32_t kGroup = 8;  // threads

  /// `owner` is what the exchange of the code is given.
  KernelGroups(const jit::KernelCode& code, std::uint32_t threads, std::uint64_t environment, void* owner);

  /// Runs a block. True when it has ended; else each thread stands somewhere.
  bool run(std::uint64_t block, std::uint8_t* shared);
  /// Of a device lane: runs the groups first .. end. True when they have ended; else the threads of the group `first`
  /// has become stand somewhere, and those after it have not begun.
  bool run_lanes(std::uint64_t& first, std::uint64_t end);

  /// The word of bytecode of a point at which groups wait.
  [[nodiscard]] std::uint32_t word_of(std::uint64_t point) const { return code_.layout().waits[point].word; }

  /// Where a thread of the block that did not end stands.
  struct Stand {
    enum class Kind : std::uint8_t {
      Start,  // it has not begun
      Returned,
      At,      // the instruction at `point`, with the values of it, is next
      Passed,  // that barrier or warp operation has happened, and the next instruction follows
    };
    Kind kind = Kind::Start;
    const jit::KernelPoint* point = nullptr;
    bool has_come = false;     // to the point since the last barrier
    std::uint64_t result = 0;  // of a warp operation that has happened
  };
  [[nodiscard]] Stand stand(std::uint32_t thread) const;
  /// Writes the values a thread goes on with to its frame's slots and memory.
  void fill(std::uint32_t thread, const Stand& stand, std::uint64_t* base, std::uint8_t* memory) const;

 private:
  struct alignas(64) Line {
    std::uint8_t bytes[64];
  };
  [[nodiscard]] const std::uint8_t* group(std::uint64_t number) const;

  const jit::KernelCode& code_;
  std::uint64_t count_;  // of groups
  std::unique_ptr<Line[]> groups_, spilled_;
  std::unique_ptr<std::uint8_t[]> masks_;
  std::unique_ptr<std::uint64_t[]> words_;  // given, given2, results, those of the block
  jit::KernelBlock block_;
  std::uint64_t left_ = 0;  // what the code ended with
};

}  // namespace cairn::interpreter
