#include "vm/interpreter/lane_groups.hpp"

#include "vm/interpreter/float_environment.hpp"
#include "vm/interpreter/interpreter.hpp"
#include "vm/tiers/tiers.hpp"

namespace cairn::interpreter {

using bytecode::kLinkSlots;

namespace {

constexpr std::size_t kLaneStack = 256 << 10;
// Of a lane whose groups leave more often than this the rest is run one index after the other.
constexpr std::uint64_t kFewLeft = 64, kMostOften = 8;

}  // namespace

std::uint64_t LaneGroups::run(std::uint64_t lo, std::uint64_t hi) {
  constexpr std::uint64_t kGroup = KernelGroups::kGroup;
  const std::uint64_t frame = std::uint64_t{entry_.frame_bytes} + entry_.memory_bytes + entry_.memory_align;
  if (lo % kGroup != 0 || hi > jit::KernelCode::kMostIndices || frame + kLinkSlots * 8 > kLaneStack) return lo;
  const FloatEnvironment environment;
  std::uint64_t group = lo / kGroup;
  const std::uint64_t end = hi / kGroup;
  while (group < end && (left_ < kFewLeft || left_ < begun_ / kMostOften)) {
    const std::uint64_t first = group;
    if (groups_.run_lanes(group, end)) {
      begun_ += end - first;
      return end * kGroup;
    }
    begun_ += group + 1 - first;
    ++left_;
    if (!end_group(group)) break;
    ++group;
  }
  return group * kGroup;
}

bool LaneGroups::end_group(std::uint64_t group) {
  if (!stack_) stack_.emplace(kLaneStack);
  if (stack_->begin() == nullptr) {
    thread_.trapped = true;
    thread_.trap.kind = TrapKind::Allocation;
    thread_.trap.message = "trap: allocation: no stack for the lanes of a region";
    return false;
  }
  const Tiers* const tiers = thread_.instance().tiers();
  std::uint64_t* const base = stack_->begin() + kLinkSlots;
  const auto memory = reinterpret_cast<std::uintptr_t>(stack_->end()) - entry_.memory_bytes;
  auto* const objects = reinterpret_cast<std::uint8_t*>(memory & ~(std::uintptr_t{entry_.memory_align} - 1));
  for (std::uint32_t lane = 0; lane < KernelGroups::kGroup; ++lane) {
    const KernelGroups::Stand stand = groups_.stand(lane);
    if (stand.kind != KernelGroups::Stand::Kind::At) continue;
    base[-1] = reinterpret_cast<std::uint64_t>(kExit);
    base[-2] = 0;
    base[-3] = reinterpret_cast<std::uint64_t>(stack_->end());
    base[0] = group * KernelGroups::kGroup + lane;
    base[1] = base[0] + 1;
    base[2] = environment_;
    groups_.fill(lane, stand, base, objects);
    const Word* const pc = entry_.body + stand.point->word;
    interpreter::run(thread_, tiers == nullptr ? pc : tiers->resume_at(pc), base, objects);
    if (thread_.trapped) return false;
  }
  return true;
}

}  // namespace cairn::interpreter
