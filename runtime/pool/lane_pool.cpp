#include "runtime/pool/lane_pool.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace cairn::runtime {

namespace {

/// How often an idle thread looks for work before it sleeps: some microseconds.
constexpr int kLooks = 2000;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

/// One lane's contiguous part of a region, in chunks.
struct alignas(64) Share {
  std::atomic<std::size_t> next{0};
  std::size_t end = 0;
};

}  // namespace

struct LanePool::Region {
  LaneBody body = nullptr;
  void* context = nullptr;
  std::size_t count = 0;
  std::size_t chunk = 1;
  Share* shares = nullptr;
  std::size_t share_count = 0;
  std::atomic<std::size_t> joined{1};  // lanes so far, the starter included
  std::atomic<bool> stopped{false};
};

LanePool::LanePool(std::size_t lanes) : lanes_(std::clamp<std::size_t>(lanes, 1, 1024)) {}

LanePool::~LanePool() {
  closing_.store(true, std::memory_order_release);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  threads_.clear();  // they read the slots and the epoch until they end
}

void LanePool::start_threads() {
  threads_.reserve(lanes_ - 1);
  for (std::size_t i = 1; i < lanes_; ++i) {
    try {
      threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      return;  // the starter can finish alone; fewer threads are slower, never wrong
    }
  }
}

/// Claims chunks, first from the lane's own share, then round the others', until none is left.
void LanePool::work(Region& region, std::size_t lane) {
  for (std::size_t i = 0; i < region.share_count; ++i) {
    Share& share = region.shares[(lane + i) % region.share_count];
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      const std::size_t chunk = share.next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= share.end) break;
      if (region.stopped.load(std::memory_order_relaxed)) return;
      const std::size_t begin = chunk * region.chunk;
      const std::size_t end = region.count - begin < region.chunk ? region.count : begin + region.chunk;
      if (!region.body(region.context, lane, begin, end)) {
        region.stopped.store(true, std::memory_order_relaxed);
        return;
      }
    }
  }
}

/// Joins every published region that still takes lanes; true when there was one.
bool LanePool::help_somewhere() {
  bool helped = false;
  for (Slot& slot : slots_) {
    if (slot.region.load(std::memory_order_relaxed) == nullptr) continue;
    slot.users.fetch_add(1, std::memory_order_seq_cst);  // before the look: retire() waits for us or we see nothing
    if (Region* region = slot.region.load(std::memory_order_seq_cst); region != nullptr) {
      const std::size_t lane = region->joined.fetch_add(1, std::memory_order_relaxed);
      if (lane < region->share_count) {
        work(*region, lane);
        helped = true;
      }
    }
    if (slot.users.fetch_sub(1, std::memory_order_release) == 1) slot.users.notify_all();
  }
  return helped;
}

void LanePool::serve() {
  while (true) {
    const std::uint32_t seen = epoch_.load(std::memory_order_acquire);
    if (closing_.load(std::memory_order_acquire)) return;
    if (help_somewhere()) continue;
    int looks = 0;
    while (looks < kLooks && epoch_.load(std::memory_order_relaxed) == seen) {
      relax();
      ++looks;
    }
    if (looks < kLooks) continue;
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    epoch_.wait(seen, std::memory_order_seq_cst);
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
  }
}

LanePool::Slot* LanePool::publish(Region& region) {
  for (Slot& slot : slots_) {
    if (slot.taken.load(std::memory_order_relaxed) || slot.taken.exchange(true, std::memory_order_acquire)) continue;
    slot.region.store(&region, std::memory_order_seq_cst);
    epoch_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) > 0) epoch_.notify_all();
    return &slot;
  }
  return nullptr;  // more regions at once than slots: this one runs on its starter alone
}

void LanePool::retire(Slot& slot) {
  slot.region.store(nullptr, std::memory_order_seq_cst);
  for (int looks = 0; looks < kLooks; ++looks) {
    if (slot.users.load(std::memory_order_seq_cst) == 0) break;
    relax();
  }
  for (std::uint32_t users = slot.users.load(std::memory_order_seq_cst); users != 0;
       users = slot.users.load(std::memory_order_seq_cst)) {
    slot.users.wait(users, std::memory_order_acquire);
  }
  slot.taken.store(false, std::memory_order_release);
}

bool LanePool::run(const RegionShape& shape, LaneBody body, void* context) {
  if (shape.count == 0) return true;
  const std::size_t chunks = (shape.count - 1) / shape.chunk + 1;
  std::size_t lanes = std::min(lanes_, chunks);
  if (shape.max_lanes != 0) lanes = std::min(lanes, shape.max_lanes);
  if (lanes > 1) std::call_once(started_, [this] { start_threads(); });

  constexpr std::size_t kFewShares = 16;
  std::array<Share, kFewShares> few;
  std::unique_ptr<Share[]> many;
  if (lanes > kFewShares) many = std::make_unique<Share[]>(lanes);
  Region region;
  region.body = body;
  region.context = context;
  region.count = shape.count;
  region.chunk = shape.chunk;
  region.shares = many ? many.get() : few.data();
  region.share_count = lanes;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    region.shares[lane].next.store(chunks / lanes * lane + std::min(lane, chunks % lanes), std::memory_order_relaxed);
    region.shares[lane].end = chunks / lanes * (lane + 1) + std::min(lane + 1, chunks % lanes);
  }
  Slot* slot = lanes > 1 ? publish(region) : nullptr;
  work(region, 0);
  if (slot != nullptr) retire(*slot);
  return !region.stopped.load(std::memory_order_relaxed);
}

std::expected<std::size_t, std::string> lane_count(std::string_view setting) {
  if (setting.empty()) return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 1024);
  std::size_t lanes = 0;
  const auto [end, error] = std::from_chars(setting.data(), setting.data() + setting.size(), lanes);
  if (error != std::errc{} || end != setting.data() + setting.size() || lanes < 1 || lanes > 1024) {
    return std::unexpected("CAIRN_LANES is \"" + std::string(setting) + "\"; it must be a number from 1 to 1024");
  }
  return lanes;
}

}  // namespace cairn::runtime
