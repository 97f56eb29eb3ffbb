#include "jit/baseline/slot_cache.hpp"

namespace cairn::jit {
namespace {

using Ids = x86::Gp::Id;
// rax, rcx and rdx are every instruction's own; xmm0 and xmm1 too.
constexpr std::uint8_t kGeneral[] = {Ids::kIdSi,  Ids::kIdDi,  Ids::kIdR8,  Ids::kIdR9,
                                     Ids::kIdR10, Ids::kIdR11, Ids::kIdR14, Ids::kIdR15};
constexpr std::uint8_t kFirstVector = 2;
constexpr std::uint8_t kVectors = 16;

}  // namespace

void SlotCache::forget_all() {
  for (const std::uint8_t id : kGeneral) {
    if (general_[id].slot != kNoSlot) general_of_[general_[id].slot] = kNone;
    general_[id] = {};
  }
  for (std::uint8_t id = kFirstVector; id < kVectors; ++id) {
    if (vector_[id].slot != kNoSlot) vector_of_[vector_[id].slot] = kNone;
    vector_[id] = {};
  }
}

void SlotCache::forget(std::uint32_t slot) {
  if (const std::uint8_t id = general_of_[slot]; id != kNone) general_[id] = {};
  if (const std::uint8_t id = vector_of_[slot]; id != kNone) vector_[id] = {};
  general_of_[slot] = vector_of_[slot] = kNone;
}

std::uint8_t SlotCache::take_general() {
  std::uint8_t best = kNone;
  for (const std::uint8_t id : kGeneral) {
    if ((pinned_general_ >> id & 1U) != 0) continue;
    if (best == kNone || general_[id].used < general_[best].used) best = id;
  }
  if (general_[best].slot != kNoSlot) general_of_[general_[best].slot] = kNone;
  general_[best] = {kNoSlot, ++clock_};
  pinned_general_ |= 1U << best;
  return best;
}

std::uint8_t SlotCache::take_vector() {
  std::uint8_t best = kNone;
  for (std::uint8_t id = kFirstVector; id < kVectors; ++id) {
    if ((pinned_vector_ >> id & 1U) != 0) continue;
    if (best == kNone || vector_[id].used < vector_[best].used) best = id;
  }
  if (vector_[best].slot != kNoSlot) vector_of_[vector_[best].slot] = kNone;
  vector_[best] = {kNoSlot, ++clock_};
  pinned_vector_ |= 1U << best;
  return best;
}

x86::Gp SlotCache::in(std::uint32_t slot) {
  std::uint8_t id = general_of_[slot];
  if (id == kNone) {
    id = take_general();
    if (vector_of_[slot] != kNone) {
      a_.movq(x86::gpq(id), x86::xmm(vector_of_[slot]));
    } else {
      a_.mov(x86::gpq(id), at(slot));
    }
    general_of_[slot] = id;
    general_[id].slot = slot;
  }
  general_[id].used = ++clock_;
  pinned_general_ |= 1U << id;
  return x86::gpq(id);
}

x86::Xmm SlotCache::in_vector(std::uint32_t slot, bool wide) {
  std::uint8_t id = vector_of_[slot];
  if (id == kNone) {
    id = take_vector();
    const x86::Xmm to = x86::xmm(id);
    if (general_of_[slot] != kNone) {
      wide ? a_.movq(to, x86::gpq(general_of_[slot])) : a_.movd(to, x86::gpd(general_of_[slot]));
    } else {
      wide ? a_.movsd(to, at(slot)) : a_.movss(to, x86::dword_ptr(kBase, static_cast<std::int32_t>(8 * slot)));
    }
    vector_of_[slot] = id;
    vector_[id].slot = slot;
  }
  vector_[id].used = ++clock_;
  pinned_vector_ |= 1U << id;
  return x86::xmm(id);
}

x86::Gp SlotCache::out() { return x86::gpq(take_general()); }
x86::Xmm SlotCache::out_vector() { return x86::xmm(take_vector()); }

x86::Gp SlotCache::out_over(std::uint32_t result, std::uint32_t left, std::uint32_t right) {
  if (result == left && left != right && general_of_[left] != kNone) return in(left);
  return out();
}

x86::Xmm SlotCache::out_vector_over(std::uint32_t result, std::uint32_t left, std::uint32_t right) {
  if (result == left && left != right && vector_of_[left] != kNone) {
    const std::uint8_t id = vector_of_[left];
    pinned_vector_ |= 1U << id;
    vector_[id].used = ++clock_;
    return x86::xmm(id);
  }
  return out_vector();
}

void SlotCache::commit(std::uint32_t slot, x86::Gp value) {
  const auto id = static_cast<std::uint8_t>(value.id());
  if (general_[id].slot != kNoSlot && general_[id].slot != slot) general_of_[general_[id].slot] = kNone;
  if (general_of_[slot] != id) forget(slot);
  if (const std::uint8_t vector = vector_of_[slot]; vector != kNone) {
    vector_[vector] = {};
    vector_of_[slot] = kNone;
  }
  a_.mov(at(slot), x86::gpq(id));
  general_of_[slot] = id;
  general_[id] = {slot, ++clock_};
}

void SlotCache::commit(std::uint32_t slot, x86::Xmm value) {
  const auto id = static_cast<std::uint8_t>(value.id());
  if (vector_[id].slot != kNoSlot && vector_[id].slot != slot) vector_of_[vector_[id].slot] = kNone;
  if (vector_of_[slot] != id) forget(slot);
  if (const std::uint8_t general = general_of_[slot]; general != kNone) {
    general_[general] = {};
    general_of_[slot] = kNone;
  }
  a_.movq(at(slot), x86::xmm(id));
  vector_of_[slot] = id;
  vector_[id] = {slot, ++clock_};
}

}  // namespace cairn::jit
