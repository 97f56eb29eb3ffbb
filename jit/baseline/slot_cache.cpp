#include "jit/baseline/slot_cache.hpp"

namespace cairn::jit {
namespace {

using Ids = x86::Gp::Id;
constexpr std::uint8_t kGeneral[] = {Ids::kIdSi,  Ids::kIdDi,  Ids::kIdR8,  Ids::kIdR9,
                                     Ids::kIdR10, Ids::kIdR11, Ids::kIdR14, Ids::kIdR15};

bool is_live(std::span<const std::uint64_t> live, std::uint32_t slot) {
  return live.empty() || (slot / 64 < live.size() && (live[slot / 64] >> (slot % 64) & 1) != 0);
}

}  // namespace

std::span<const std::uint8_t> general_registers() { return kGeneral; }

SlotCache::SlotCache(x86::Assembler& assembler, std::uint32_t slots, CacheStorage& storage, bool deferring)
    : a_(assembler), general_of_(storage.general_of), vector_of_(storage.vector_of), deferring_(deferring) {
  general_of_.assign(slots, kNone);
  vector_of_.assign(slots, kNone);
}

void SlotCache::put(x86::Assembler& assembler, const PendingStore& store) {
  if (store.vector) {
    assembler.movq(at(store.slot), x86::xmm(store.id));
  } else {
    assembler.mov(at(store.slot), x86::gpq(store.id));
  }
}

void SlotCache::forget_all() {
  for (const std::uint8_t id : kGeneral) {
    if (general_[id].held) continue;
    if (general_[id].slot != kNoSlot) general_of_[general_[id].slot] = kNone;
    general_[id] = {};
  }
  for (std::uint8_t id = kFirstVector; id < kVectorRegisters; ++id) {
    if (vector_[id].held) continue;
    if (vector_[id].slot != kNoSlot) vector_of_[vector_[id].slot] = kNone;
    vector_[id] = {};
  }
}

bool SlotCache::is_held(std::uint32_t slot) const {
  const std::uint8_t general = general_of_[slot];
  const std::uint8_t vector = vector_of_[slot];
  return (general != kNone && general_[general].held) || (vector != kNone && vector_[vector].held);
}

/// The slot's value is no longer in any register that is not the slot's own.
void SlotCache::forget(std::uint32_t slot) {
  if (const std::uint8_t id = general_of_[slot]; id != kNone && !general_[id].held) {
    general_[id] = {};
    general_of_[slot] = kNone;
  }
  if (const std::uint8_t id = vector_of_[slot]; id != kNone && !vector_[id].held) {
    vector_[id] = {};
    vector_of_[slot] = kNone;
  }
}

void SlotCache::give_up(std::uint8_t id, bool vector) {
  Content& content = vector ? vector_[id] : general_[id];
  if (content.slot == kNoSlot) return;
  const bool is_read = last_read_ == nullptr || (*last_read_)[content.slot] >= word_;
  if (content.dirty && is_read) put(a_, {content.slot, id, vector});
  (vector ? vector_of_ : general_of_)[content.slot] = kNone;
  content = {};
}

std::uint8_t SlotCache::take_general() {
  std::uint8_t best = kNone;
  for (const std::uint8_t id : kGeneral) {
    if (general_[id].held || (pinned_general_ >> id & 1U) != 0) continue;
    if (best == kNone || general_[id].used < general_[best].used) best = id;
  }
  if (best == kNone) {
    had_room_ = false;
    return Ids::kIdAx;  // the code is thrown away
  }
  give_up(best, false);
  general_[best].used = ++clock_;
  pinned_general_ |= 1U << best;
  return best;
}

std::uint8_t SlotCache::take_vector() {
  std::uint8_t best = kNone;
  for (std::uint8_t id = kFirstVector; id < kVectorRegisters; ++id) {
    if (vector_[id].held || (pinned_vector_ >> id & 1U) != 0) continue;
    if (best == kNone || vector_[id].used < vector_[best].used) best = id;
  }
  if (best == kNone) {
    had_room_ = false;
    return 0;
  }
  give_up(best, true);
  vector_[best].used = ++clock_;
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

x86::Gp SlotCache::out_for(std::uint32_t result) {
  const std::uint8_t id = general_of_[result];
  return id != kNone && general_[id].held ? x86::gpq(id) : out();
}

x86::Xmm SlotCache::out_vector_for(std::uint32_t result) {
  const std::uint8_t id = vector_of_[result];
  return id != kNone && vector_[id].held ? x86::xmm(id) : out_vector();
}

x86::Gp SlotCache::out_over(std::uint32_t result, std::uint32_t left, std::uint32_t right, bool traps) {
  if (result == right) return out();
  if (result != left) return out_for(result);
  return general_of_[left] != kNone && !(traps && deferring_) ? in(left) : out();
}

x86::Xmm SlotCache::out_vector_over(std::uint32_t result, std::uint32_t left, std::uint32_t right) {
  if (result == right) return out_vector();
  if (result != left) return out_vector_for(result);
  if (vector_of_[left] == kNone) return out_vector();
  const std::uint8_t id = vector_of_[left];
  pinned_vector_ |= 1U << id;
  vector_[id].used = ++clock_;
  return x86::xmm(id);
}

void SlotCache::commit(std::uint32_t slot, x86::Gp value) {
  const auto id = static_cast<std::uint8_t>(value.id());
  const std::uint8_t own = general_of_[slot];
  const std::uint8_t vector = vector_of_[slot];
  if (vector != kNone && vector_[vector].held) {
    a_.movq(x86::xmm(vector), value);
    if (own != kNone) give_up(own, false);
    return;
  }
  if (own != kNone && general_[own].held) {
    if (own != id) a_.mov(x86::gpq(own), value);
    forget(slot);
    return;
  }
  if (own != id) {
    forget(slot);
    if (general_[id].slot != kNoSlot) give_up(id, false);
  } else if (vector != kNone) {
    vector_[vector] = {};
    vector_of_[slot] = kNone;
  }
  const bool defers = deferring_ && !at_once_;
  if (!defers) a_.mov(at(slot), x86::gpq(id));
  general_of_[slot] = id;
  general_[id] = {slot, ++clock_, defers, false};
}

void SlotCache::commit(std::uint32_t slot, x86::Xmm value) {
  const auto id = static_cast<std::uint8_t>(value.id());
  const std::uint8_t own = vector_of_[slot];
  const std::uint8_t general = general_of_[slot];
  if (general != kNone && general_[general].held) {
    a_.movq(x86::gpq(general), value);
    if (own != kNone) give_up(own, true);
    return;
  }
  if (own != kNone && vector_[own].held) {
    if (own != id) a_.movaps(x86::xmm(own), value);
    forget(slot);
    return;
  }
  if (own != id) {
    forget(slot);
    if (vector_[id].slot != kNoSlot) give_up(id, true);
  } else if (general != kNone) {
    general_[general] = {};
    general_of_[slot] = kNone;
  }
  const bool defers = deferring_ && !at_once_;
  if (!defers) a_.movq(at(slot), x86::xmm(id));
  vector_of_[slot] = id;
  vector_[id] = {slot, ++clock_, defers, false};
}

void SlotCache::store_pending(std::span<const std::uint64_t> live) {
  const auto store = [&](Content& content, std::uint8_t id, bool vector) {
    if (!content.dirty || !is_live(live, content.slot)) return;
    put(a_, {content.slot, id, vector});
    content.dirty = false;
  };
  for (const std::uint8_t id : kGeneral) store(general_[id], id, false);
  for (std::uint8_t id = kFirstVector; id < kVectorRegisters; ++id) store(vector_[id], id, true);
}

bool SlotCache::pending(std::uint32_t slot, PendingStore& store) const {
  if (const std::uint8_t id = general_of_[slot]; id != kNone && (general_[id].dirty || general_[id].held)) {
    store = {slot, id, false};
    return true;
  }
  if (const std::uint8_t id = vector_of_[slot]; id != kNone && (vector_[id].dirty || vector_[id].held)) {
    store = {slot, id, true};
    return true;
  }
  return false;
}

void SlotCache::hold(std::span<const HeldSlot> held) {
  for (const HeldSlot& each : held) {
    (each.vector ? vector_of_ : general_of_)[each.slot] = each.id;
    (each.vector ? vector_ : general_)[each.id] = {each.slot, 0, false, true};
  }
}

void SlotCache::release_held() {
  const auto release = [](Content& content, std::uint8_t& of) {
    of = kNone;
    content = {};
  };
  for (const std::uint8_t id : kGeneral) {
    if (general_[id].held) release(general_[id], general_of_[general_[id].slot]);
  }
  for (std::uint8_t id = kFirstVector; id < kVectorRegisters; ++id) {
    if (vector_[id].held) release(vector_[id], vector_of_[vector_[id].slot]);
  }
}

}  // namespace cairn::jit
