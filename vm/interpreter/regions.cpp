// Regions on the lane pool (concurrency, 7.5, 8 and 9).
#include <algorithm>
#include <mutex>
#include <vector>

#include "runtime/pool/lane_pool.hpp"
#include "runtime/sums/exact_sum.hpp"
#include "vm/interpreter/concurrency.hpp"
#include "vm/interpreter/folds.hpp"

namespace cairn::interpreter {
namespace {

using bytecode::a_of;
using bytecode::b_of;
using bytecode::c_of;
using bytecode::d_of;
using bytecode::e_of;
using bytecode::m_of;

// The specification's unobservable policy: how many indices a claim covers, and below how many a region is a plain
// loop.
constexpr std::uint64_t kClaim = 8192;
constexpr std::uint64_t kSerial = 16384;

/// One region being run: calls a lane function on whichever threads take part, and keeps the first trap.
class Region {
 public:
  Region(Machine m, const Word* pc, std::uint32_t function, std::uint64_t environment)
      : starter_(*m.thread), function_(function), environment_(environment), outer_(starter_.native_frame) {
    // Calls of the starting thread go above the frame that starts the region.
    const std::uint32_t self = starter_.image().function_at(pc);
    starter_.native_frame = {m.base + starter_.functions[self].frame_bytes / 8, m.memory};
    slots_ = starter_.functions[function].parameter_slots;
  }
  ~Region() { starter_.native_frame = outer_; }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  /// One call of the lane function; `more` are the slots of parameters after lo and hi.
  bool call(std::size_t lane, std::uint64_t lo, std::uint64_t hi, std::span<const std::uint64_t> more,
            std::uint64_t* result) {
    Thread& thread = lane == 0 ? starter_ : starter_.instance().thread_here();
    std::uint64_t arguments[8] = {lo, hi};
    std::ranges::copy(more, arguments + 2);
    arguments[slots_] = environment_;
    const auto trap = thread.call(function_, {arguments, slots_ + 1}, {result, result == nullptr ? 0U : 1U});
    if (!trap) return true;
    const std::lock_guard guard(mutex_);
    if (!failed_) trap_ = *trap;
    failed_ = true;
    return false;
  }

  /// `work`: how many elements an index stands for.
  template <class Body>
  void run(std::uint64_t count, std::uint64_t chunk, Body& body, std::uint64_t work = 1) {
    if (count <= chunk || (count < kSerial / work && chunk != 1)) {
      if (count != 0) body(std::size_t{0}, std::size_t{0}, static_cast<std::size_t>(count));
      return;
    }
    runtime::LanePool* pool = starter_.lane_pool();
    if (pool == nullptr) return;  // what CAIRN_LANES says is pending as a trap
    pool->run({static_cast<std::size_t>(count), static_cast<std::size_t>(chunk), 0}, body);
  }

  [[nodiscard]] Thread& starter() const { return starter_; }

  /// After the region: `next`, or how it failed.
  const Word* finish(Machine m, const Word* pc, const Word* next) {
    if (failed_) {
      starter_.trapped = true;
      starter_.trap = trap_;
      return kExit;
    }
    return starter_.pending.kind == TrapKind::None ? next : fail(starter_.pending.kind, pc, m);
  }

 private:
  Thread& starter_;
  std::uint32_t function_;
  std::uint64_t environment_;
  std::uint32_t slots_ = 0;
  Thread::NativeFrame outer_;
  std::mutex mutex_;
  bool failed_ = false;
  TrapRecord trap_;
};

/// The runs of consecutive indices a reduction or scan is cut into, by the count alone.
struct Blocks {
  std::uint64_t count = 0;
  std::uint64_t blocks = 1;

  explicit Blocks(std::uint64_t indices)
      : count(indices), blocks(indices < kSerial ? 1 : std::min<std::uint64_t>(256, indices / kClaim)) {}
  /// Where block k begins; the first count % blocks are one longer.
  [[nodiscard]] std::uint64_t begin(std::uint64_t k) const {
    return k * (count / blocks) + std::min(k, count % blocks);
  }
};

}  // namespace

const Word* run_parallel(Machine m, const Word* pc) {
  const std::uint64_t count = m.base[b_of(pc[0])];
  const std::uint64_t block = std::max<std::uint64_t>(c_of(pc[0]), 1);
  Region region(m, pc, m_of(pc[1]), m.base[a_of(pc[0])]);
  auto body = [&](std::size_t lane, std::size_t lo, std::size_t hi) { return region.call(lane, lo, hi, {}, nullptr); };
  region.run(count, std::max<std::uint64_t>(kClaim / block, 1), body, block);
  return region.finish(m, pc, pc + 2);
}

const Word* run_reduce(Machine m, const Word* pc) {
  const Blocks blocks(m.base[c_of(pc[0])]);
  const Fold fold = Fold::of(d_of(pc[1]));
  std::uint64_t total = identity(fold);
  std::vector<std::uint64_t> totals(blocks.blocks, total);
  {
    Region region(m, pc, m_of(pc[1]), m.base[b_of(pc[0])]);
    auto body = [&](std::size_t lane, std::size_t first, std::size_t last) {
      for (std::size_t k = first; k < last; ++k) {
        if (!region.call(lane, blocks.begin(k), blocks.begin(k + 1), {}, &totals[k])) return false;
      }
      return true;
    };
    if (blocks.count != 0) region.run(blocks.blocks, 1, body);
    const Word* next = region.finish(m, pc, pc + 2);
    if (next != pc + 2) return next;
  }
  for (const std::uint64_t block : totals) {
    if (!combine(fold, total, block)) return fail(TrapKind::Overflow, pc, m);
  }
  m.base[a_of(pc[0])] = total;
  return pc + 2;
}

template <class F>
const Word* run_exact_sum(Machine m, const Word* pc) {
  constexpr std::uint64_t kTerms = 1024;  // a call's terms, which stay in the first cache
  const std::uint64_t count = m.base[c_of(pc[0])];
  std::mutex mutex;
  runtime::ExactSum<F> total;
  {
    Region region(m, pc, m_of(pc[1]), m.base[b_of(pc[0])]);
    auto body = [&](std::size_t lane, std::size_t first, std::size_t last) {
      runtime::ExactSum<F> part;
      F terms[kTerms];
      for (std::uint64_t lo = first; lo < last; lo += kTerms) {
        const std::uint64_t hi = std::min<std::uint64_t>(lo + kTerms, last);
        const std::uint64_t out[2] = {reinterpret_cast<std::uint64_t>(terms), hi - lo};
        if (!region.call(lane, lo, hi, out, nullptr)) return false;
        part.add({terms, hi - lo});
      }
      const std::lock_guard guard(mutex);
      total.join(part);
      return true;
    };
    region.run(count, kClaim, body);
    const Word* next = region.finish(m, pc, pc + 2);
    if (next != pc + 2) return next;
  }
  write(m.base, a_of(pc[0]), total.result());
  return pc + 2;
}
template const Word* run_exact_sum<float>(Machine m, const Word* pc);
template const Word* run_exact_sum<double>(Machine m, const Word* pc);

const Word* run_scan(Machine m, const Word* pc) {
  const Blocks blocks(m.base[c_of(pc[0])]);
  const Fold fold = Fold::of(d_of(pc[1]));
  auto* const out = reinterpret_cast<std::uint8_t*>(m.base[e_of(pc[1])]);
  const std::uint64_t size = bytecode::scalar_size(fold.scalar);
  std::uint64_t total = identity(fold);
  std::vector<std::uint64_t> before(blocks.blocks, total);
  Region region(m, pc, m_of(pc[1]), m.base[b_of(pc[0])]);
  auto prefixes = [&](std::size_t lane, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      if (!region.call(lane, blocks.begin(k), blocks.begin(k + 1), {}, &before[k])) return false;
    }
    return true;
  };
  if (blocks.count != 0) region.run(blocks.blocks, 1, prefixes);
  const Word* next = region.finish(m, pc, pc + 2);
  if (next != pc + 2) return next;
  for (std::uint64_t& block : before) {
    const std::uint64_t own = block;
    block = total;
    if (!combine(fold, total, own)) return fail(TrapKind::Overflow, pc, m);
  }
  auto offsets = [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t k = std::max<std::size_t>(first, 1); k < last; ++k) {
      combine_before(fold, before[k], out + blocks.begin(k) * size, blocks.begin(k + 1) - blocks.begin(k));
    }
    return true;
  };
  if (blocks.blocks > 1) region.run(blocks.blocks, 1, offsets);
  m.base[a_of(pc[0])] = total;
  return region.finish(m, pc, pc + 2);
}

}  // namespace cairn::interpreter
