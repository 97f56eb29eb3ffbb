#include "vm/interpreter/kernel_groups.hpp"

#include <cstring>
#include <utility>

namespace cairn::interpreter {

KernelGroups::KernelGroups(const jit::KernelCode& code, std::uint32_t threads, std::uint64_t environment, void* owner)
    : code_(code),
      count_(threads / kGroup),
      groups_(std::make_unique<Line[]>(count_ * code.layout().group_bytes / sizeof(Line))),
      spilled_(std::make_unique<Line[]>(code.layout().spill_bytes / sizeof(Line) + 1)),
      masks_(std::make_unique<std::uint8_t[]>(code.layout().masks)),
      words_(std::make_unique<std::uint64_t[]>(std::size_t{3} * threads + code.layout().block_bytes / 8)) {
  block_.environment = reinterpret_cast<std::uint8_t*>(environment);
  block_.groups = groups_.get()->bytes;
  block_.spilled = spilled_.get()->bytes;
  block_.masks = masks_.get();
  block_.given = words_.get();
  block_.given2 = words_.get() + threads;
  block_.results = words_.get() + std::size_t{2} * threads;
  block_.words = reinterpret_cast<std::uint8_t*>(words_.get() + std::size_t{3} * threads);
  block_.owner = owner;
  block_.group_bytes = code.layout().group_bytes;
  block_.end = block_.groups + count_ * block_.group_bytes;
  for (std::uint64_t k = 0; k < count_; ++k) {
    const std::uint64_t first = k * kGroup;
    std::memcpy(block_.groups + k * block_.group_bytes + 8, &first, 8);
  }
}

const std::uint8_t* KernelGroups::group(std::uint64_t number) const {
  return block_.groups + number * block_.group_bytes;
}

bool KernelGroups::run(std::uint64_t block, std::uint8_t* shared) {
  block_.block = block;
  block_.shared = shared;
  block_.returned = block_.phase = block_.next = 0;
  const std::uint64_t nothing = 0;
  for (std::uint64_t k = 0; k < count_ && !code_.layout().is_phased; ++k) {
    std::memcpy(block_.groups + k * block_.group_bytes, &nothing, 8);
  }
  std::memset(masks_.get(), 0, code_.layout().masks);
  left_ = code_.run(block_);
  return left_ == 0;
}

bool KernelGroups::run_lanes(std::uint64_t& first, std::uint64_t end) {
  block_.group = first;
  block_.block = end;
  std::memset(masks_.get(), 0, code_.layout().masks);
  left_ = code_.run(block_);
  first = std::exchange(block_.group, 0);
  return left_ == 0;
}

KernelGroups::Stand KernelGroups::stand(std::uint32_t thread) const {
  const std::uint64_t own = thread / kGroup;
  const std::uint32_t lane = thread % kGroup;
  const jit::KernelLayout& layout = code_.layout();
  if (left_ != jit::KernelCode::kTrapped && own == block_.group) {
    const jit::KernelLeave& leave = layout.leaves[left_ - 1];
    if ((block_.mask >> lane & 1) != 0) return {Stand::Kind::At, &leave.here, true, 0};
    for (const jit::KernelLeave::Waiting& each : leave.waiting) {
      if ((masks_[each.mask] >> lane & 1) != 0) return {Stand::Kind::At, &each.point, true, 0};
    }
  }
  // Groups go on in order: those before the one that left have come to where they wait, the others have not yet left
  // where they waited last. An exchange that trapped is that of the group that left, and has not happened.
  const bool has_come = own < block_.group || (left_ == jit::KernelCode::kTrapped && own == block_.group);
  std::uint64_t waits = has_come ? block_.next : block_.phase;
  if (!layout.is_phased) std::memcpy(&waits, group(own), 8);
  if (waits == 0) return {};
  if (waits > layout.waits.size()) return {Stand::Kind::Returned, nullptr, has_come, 0};
  const jit::KernelPoint& point = layout.waits[waits - 1];
  return {has_come ? Stand::Kind::At : Stand::Kind::Passed, &point, has_come, block_.results[thread]};
}

void KernelGroups::fill(std::uint32_t thread, const Stand& stand, std::uint64_t* base, std::uint8_t* memory) const {
  using Form = jit::KernelValue::Form;
  using Where = jit::KernelValue::Where;
  const std::uint32_t lane = thread % kGroup;
  for (const jit::KernelObject& object : code_.layout().objects) {
    const std::uint8_t* const from =
        group(thread / kGroup) + code_.layout().memory_at + std::size_t{kGroup} * object.offset;
    for (std::uint32_t at = 0; at < object.bytes; at += object.element) {
      std::memcpy(memory + object.offset + at, from + std::size_t{kGroup} * at + std::size_t{lane} * object.element,
                  object.element);
    }
  }
  for (const jit::KernelValue& each : stand.point->values) {
    const std::uint8_t* const from = each.where == Where::Spilled ? block_.spilled + each.at
                                     : each.where == Where::Group ? group(thread / kGroup) + each.at
                                                                  : block_.words + each.at + (stand.has_come ? 8 : 0);
    std::uint64_t value = each.number;
    std::uint64_t word = 0;
    std::uint32_t half = 0;
    switch (each.form) {
      case Form::Constant:
        break;
      case Form::Word:
      case Form::Linear:
        std::memcpy(&word, from, 8);
        value = each.form == Form::Word ? word : word + lane * each.number;
        break;
      case Form::Words:
        std::memcpy(&value, from + std::size_t{8} * lane, 8);
        break;
      case Form::Floats:
        std::memcpy(&half, from + std::size_t{4} * lane, 4);
        value = half;
        break;
      case Form::Frame:
        value = reinterpret_cast<std::uint64_t>(memory + each.number);
        break;
    }
    if (each.memory_bytes != 0) {
      std::memcpy(memory + each.slot, &value, each.memory_bytes);
    } else {
      base[each.slot] = value;
    }
  }
}

}  // namespace cairn::interpreter
