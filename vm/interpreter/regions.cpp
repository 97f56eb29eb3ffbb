// Regions on the lane pool (concurrency, 7.5, 8 and 9).
#include <algorithm>
#include <vector>

#include "runtime/sums/exact_sum.hpp"
#include "vm/interpreter/concurrency.hpp"
#include "vm/interpreter/folds.hpp"
#include "vm/interpreter/lane_region.hpp"

namespace cairn::interpreter {
namespace {

using bytecode::a_of;
using bytecode::b_of;
using bytecode::c_of;
using bytecode::d_of;
using bytecode::e_of;
using bytecode::m_of;

/// The runs of consecutive indices a reduction or scan is cut into, by the count alone.
struct Blocks {
  std::uint64_t count = 0;
  std::uint64_t blocks = 1;

  explicit Blocks(std::uint64_t indices)
      : count(indices), blocks(indices < kSerialIndices ? 1 : std::min<std::uint64_t>(256, indices / kClaimIndices)) {}
  /// Where block k begins; the first count % blocks are one longer.
  [[nodiscard]] std::uint64_t begin(std::uint64_t k) const {
    return k * (count / blocks) + std::min(k, count % blocks);
  }
};

}  // namespace

const Word* run_parallel(Machine m, const Word* pc) {
  const std::uint64_t count = m.base[b_of(pc[0])];
  const std::uint64_t block = std::max<std::uint64_t>(c_of(pc[0]), 1);
  LaneRegion region(m, pc, m_of(pc[1]), m.base[a_of(pc[0])]);
  auto body = [&](std::size_t lane, std::size_t lo, std::size_t hi) { return region.call(lane, lo, hi, {}, nullptr); };
  region.run(count, std::max<std::uint64_t>(kClaimIndices / block, 1), body, block);
  return region.finish(m, pc, pc + 2);
}

const Word* run_reduce(Machine m, const Word* pc) {
  const Blocks blocks(m.base[c_of(pc[0])]);
  const Fold fold = Fold::of(d_of(pc[1]));
  std::uint64_t total = identity(fold);
  std::vector<std::uint64_t> totals(blocks.blocks, total);
  {
    LaneRegion region(m, pc, m_of(pc[1]), m.base[b_of(pc[0])]);
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
    LaneRegion region(m, pc, m_of(pc[1]), m.base[b_of(pc[0])]);
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
    region.run(count, kClaimIndices, body);
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
  LaneRegion region(m, pc, m_of(pc[1]), m.base[b_of(pc[0])]);
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
