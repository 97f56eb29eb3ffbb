#include "vm/interpreter/kernels.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

#include "runtime/memory/stack.hpp"
#include "runtime/pool/lane_pool.hpp"
#include "vm/interpreter/folds.hpp"
#include "vm/interpreter/interpreter.hpp"
#include "vm/interpreter/kernel_groups.hpp"
#include "vm/tiers/tiers.hpp"

namespace cairn::interpreter {

using bytecode::a_of;
using bytecode::b_of;
using bytecode::c_of;
using bytecode::kLinkSlots;
using bytecode::kNone;
using bytecode::m_of;
using bytecode::n_of;

namespace {

constexpr std::uint32_t kWarp = 32;
constexpr std::size_t kThreadStack = 256 << 10;
constexpr std::int64_t kTurn = 1 << 14;  // back edges and calls of one turn: a thread may spin for another of its block

}  // namespace

/// The block a host thread is running.
class Block {
 public:
  /// `code`: the kernel's machine code, or null.
  Block(Thread& thread, std::uint32_t kernel, std::uint64_t environment, const jit::KernelCode* code)
      : thread_(thread),
        entry_(thread.functions[kernel]),
        info_(entry_.function->kernel),
        environment_(environment),
        shared_(std::make_unique<Shared[]>(info_.shared_bytes / sizeof(Shared) + 1)),
        filled_(info_.pipelines.size()) {
    const std::uint64_t frame = std::uint64_t{entry_.frame_bytes} + entry_.memory_bytes + entry_.memory_align;
    if (code != nullptr && frame + std::uint64_t{kLinkSlots} * 8 < kThreadStack)
      groups_.emplace(*code, info_.threads, environment, this);
  }

  /// Runs block `index` to its end. False when a thread trapped.
  bool run(std::uint64_t index) {
    fill_shared();
    if (groups_ && groups_->run(index, shared(0))) return true;
    if (!stack_) {
      stack_.emplace(kThreadStack * info_.threads);
      threads_.resize(info_.threads);
    }
    if (stack_->begin() == nullptr) {
      thread_.trapped = true;
      thread_.trap.kind = TrapKind::Allocation;
      thread_.trap.message = "trap: allocation: no stack for the threads of a block";
      return false;
    }
    start(index);
    if (groups_) take_up();
    thread_.give_back_steps();
    thread_.block = this;
    const std::int64_t fuel = thread_.fuel;
    bool fine = true;
    while (fine && phase()) fine = !thread_.trapped;
    thread_.fuel = fuel;
    thread_.block = nullptr;
    return !thread_.trapped;
  }

  /// Keeps where the running thread stopped.
  void stopped(const Machine& m, const Word* pc) {
    Fiber& fiber = threads_[running_];
    fiber.pc = pc;
    fiber.base = m.base;
    fiber.memory = m.memory;
  }

  [[nodiscard]] std::uint8_t* shared(std::uint64_t offset) const {
    return reinterpret_cast<std::uint8_t*>(shared_.get()) + offset;
  }

  /// The number of this fill of the running thread; true when no thread of the block has done it yet.
  bool begin_fill(std::uint32_t pipeline, std::uint32_t& number) {
    number = threads_[running_].pipelines[pipeline].fills++;
    if (number < filled_[pipeline]) return false;
    ++filled_[pipeline];
    return true;
  }
  [[nodiscard]] std::uint8_t* stage(std::uint32_t pipeline, std::uint32_t number) const {
    const bytecode::Pipeline& p = info_.pipelines[pipeline];
    const std::uint64_t bytes = (std::uint64_t{p.size} * bytecode::scalar_size(p.element) + 15) / 16 * 16;
    return shared(p.offset + number % p.depth * bytes);
  }
  /// The stage the running thread's last wait made readable.
  [[nodiscard]] std::uint8_t* readable(std::uint32_t pipeline) const {
    const std::uint32_t waits = threads_[running_].pipelines[pipeline].waits;
    return stage(pipeline, waits == 0 ? 0 : waits - 1);
  }
  [[nodiscard]] const bytecode::KernelInfo& info() const { return info_; }

  /// The warp operation of machine code's point for the threads from `first` on. False when it trapped.
  static bool exchange_groups(jit::KernelBlock& block, std::uint64_t first, std::uint64_t point) {
    const Block& self = *static_cast<const Block*>(block.owner);
    return self.exchange_words(block, first, point);
  }

 private:
  bool exchange_words(jit::KernelBlock& block, std::uint64_t first, std::uint64_t point) const {
    const Word w = entry_.body[groups_->word_of(point)];
    std::uint64_t given[kWarp];
    std::copy_n(block.given + first, kWarp, given);
    for (std::uint32_t l = 0; l < kWarp; ++l) {
      if (result_of(w, given, block.given2[first + l], l, block.results[first + l]) == TrapKind::None) continue;
      block.group = (first + kWarp) / KernelGroups::kGroup - 1;
      return false;
    }
    return true;
  }

  struct alignas(128) Shared {
    std::uint8_t bytes[128];
  };
  struct PipelineState {
    std::uint32_t fills = 0;
    std::uint32_t waits = 0;
  };
  /// A thread of the block: where it goes on.
  struct Fiber {
    const Word* pc = nullptr;  // null: it has returned
    std::uint64_t* base = nullptr;
    std::uint8_t* memory = nullptr;
    std::vector<PipelineState> pipelines;
  };
  enum class Stop : std::uint8_t { Returned, Turn, Block, Warp };

  void fill_shared() {
    std::uint64_t zeroed = info_.shared_bytes;
    for (const bytecode::SharedArray& array : info_.arrays) {
      if (!array.zeroed) zeroed = std::min<std::uint64_t>(zeroed, array.offset);
    }
    std::memset(shared(0), 0, zeroed);
    for (const bytecode::SharedArray& array : info_.arrays) {
      const std::uint64_t bytes = std::uint64_t{array.count} * bytecode::scalar_size(array.element);
      if (!array.zeroed || array.offset >= zeroed) std::memset(shared(array.offset), array.zeroed ? 0 : 0x7f, bytes);
    }
  }

  void start(std::uint64_t index) {
    std::ranges::fill(filled_, 0);
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      Fiber& fiber = threads_[t];
      auto* const range = reinterpret_cast<std::uint8_t*>(stack_->begin()) + t * kThreadStack;
      fiber.base = reinterpret_cast<std::uint64_t*>(range) + kLinkSlots;
      fiber.memory = range + kThreadStack;
      fiber.pc = entry_.code;
      fiber.pipelines.assign(info_.pipelines.size(), {});
      fiber.base[-1] = reinterpret_cast<std::uint64_t>(kExit);
      fiber.base[-2] = 0;
      fiber.base[-3] = reinterpret_cast<std::uint64_t>(fiber.memory);
      fiber.base[0] = index;
      fiber.base[1] = t;
      fiber.base[2] = environment_;
    }
  }

  /// Machine code could not end the block: its threads go on where they stand, one after the other.
  void take_up() {
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      using Kind = KernelGroups::Stand::Kind;
      const KernelGroups::Stand stand = groups_->stand(t);
      Fiber& fiber = threads_[t];
      if (stand.kind == Kind::Start) continue;
      if (stand.kind == Kind::Returned) {
        fiber.pc = nullptr;
        continue;
      }
      const auto memory = reinterpret_cast<std::uintptr_t>(fiber.memory) - entry_.memory_bytes;
      fiber.memory = reinterpret_cast<std::uint8_t*>(memory & ~(std::uintptr_t{entry_.memory_align} - 1));
      groups_->fill(t, stand, fiber.base, fiber.memory);
      fiber.pc = entry_.body + stand.point->word;
      if (stand.kind != Kind::Passed) continue;
      if (bytecode::op_of(*fiber.pc) != Op::Barrier) fiber.base[a_of(*fiber.pc)] = stand.result;
      fiber.pc += 1;
    }
  }

  /// Every thread up to the next barrier, or its end. True while some thread has not returned.
  bool phase() {
    bool waiting = true;
    while (waiting) {  // threads that spin for others of the block get turns
      waiting = false;
      if (thread_.instance().watched()) {
        const TrapKind kind = thread_.spend(Thread::kFewSteps);
        if (kind != TrapKind::None) return trapped(threads_[running_], kind);
      }
      for (std::uint32_t first = 0; first < threads_.size(); first += kWarp) {
        waiting |= !warp(first);
        if (thread_.trapped) return false;
      }
    }
    bool alive = false;
    for (Fiber& fiber : threads_) {
      if (fiber.pc == nullptr) continue;
      alive = true;
      if (bytecode::op_of(*fiber.pc) == Op::PipelineWait) ++fiber.pipelines[n_of(*fiber.pc)].waits;
      fiber.pc += 1;  // barrier, pipeline.wait
    }
    return alive;
  }

  /// A warp's threads up to a barrier or their end; false when some only had their turn.
  bool warp(std::uint32_t first) {
    while (true) {
      bool all_warp = true;
      bool done = true;
      for (std::uint32_t t = first; t < first + kWarp; ++t) {
        const Stop stop = resume(t);
        if (thread_.trapped) return true;
        all_warp &= stop == Stop::Warp;
        done &= stop != Stop::Turn;
      }
      if (!done) return false;
      if (!all_warp) return true;
      if (!exchange(first)) return true;
    }
  }

  Stop resume(std::uint32_t t) {
    Fiber& fiber = threads_[t];
    if (fiber.pc == nullptr) return Stop::Returned;
    if (const Stop stop = stopped_at(fiber); stop != Stop::Turn) return stop;
    running_ = t;
    thread_.fuel = kTurn;
    const Word* const from = fiber.pc;
    fiber.pc = nullptr;
    const Tiers* const tiers = thread_.instance().tiers();
    interpreter::run(thread_, tiers == nullptr ? from : tiers->resume_at(from), fiber.base, fiber.memory);
    if (thread_.trapped) return Stop::Returned;
    return fiber.pc == nullptr ? Stop::Returned : stopped_at(fiber);
  }

  static Stop stopped_at(const Fiber& fiber) {
    const Op op = bytecode::op_of(*fiber.pc);
    if (op == Op::Barrier || op == Op::PipelineWait) return Stop::Block;
    return op >= Op::WarpShuffle && op <= Op::WarpReduce ? Stop::Warp : Stop::Turn;
  }

  /// Does the warp operation at which all 32 threads stand. False when it trapped.
  bool exchange(std::uint32_t first) {
    std::uint64_t given[kWarp];
    std::uint64_t results[kWarp];
    for (std::uint32_t l = 0; l < kWarp; ++l) {
      const Fiber& fiber = threads_[first + l];
      given[l] = fiber.base[b_of(*fiber.pc)];
    }
    for (std::uint32_t l = 0; l < kWarp; ++l) {
      running_ = first + l;
      const Fiber& fiber = threads_[first + l];
      const TrapKind kind = result_of(*fiber.pc, given, fiber.base[c_of(*fiber.pc)], l, results[l]);
      if (kind != TrapKind::None) return trapped(fiber, kind);
    }
    for (std::uint32_t l = 0; l < kWarp; ++l) {
      Fiber& fiber = threads_[first + l];
      fiber.base[a_of(*fiber.pc)] = results[l];
      fiber.pc += 1;
    }
    return true;
  }

  /// What the warp operation `w` gives a lane: `k` is that lane's second operand. How it traps, else None.
  static TrapKind result_of(Word w, const std::uint64_t (&given)[kWarp], std::uint64_t k, std::uint32_t lane,
                            std::uint64_t& result) {
    const auto votes = [&](auto holds) {
      std::uint64_t mask = 0;
      for (std::uint32_t l = 0; l < kWarp; ++l) mask |= std::uint64_t{holds(given[l])} << l;
      return mask;
    };
    switch (bytecode::op_of(w)) {
      case Op::WarpBallot:
        result = votes([](std::uint64_t v) { return v != 0; });
        return TrapKind::None;
      case Op::WarpAny:
        result = votes([](std::uint64_t v) { return v != 0; }) != 0;
        return TrapKind::None;
      case Op::WarpAll:
        result = votes([](std::uint64_t v) { return v != 0; }) == 0xffffffff;
        return TrapKind::None;
      case Op::WarpMatch:
        result = votes([&](std::uint64_t v) { return v == given[lane]; });
        return TrapKind::None;
      case Op::WarpReduce:
        return reduced(Fold::of(c_of(w)), given, lane, result) ? TrapKind::None : TrapKind::Overflow;
      default:
        break;
    }
    if (k >= kWarp) return TrapKind::Shuffle;
    std::uint64_t from = k;
    switch (bytecode::op_of(w)) {
      case Op::WarpShuffleXor:
        from = lane ^ k;
        break;
      case Op::WarpShuffleDown:
        from = lane + k < kWarp ? lane + k : lane;
        break;
      case Op::WarpShuffleUp:
        from = lane >= k ? lane - k : lane;
        break;
      default:
        break;
    }
    result = given[from];
    return TrapKind::None;
  }

  /// for m in [16, 8, 4, 2, 1] { v = OP(v, v of lane l ^ m) }, for one lane: a tree over the lanes it sees.
  static bool reduced(Fold fold, const std::uint64_t (&given)[kWarp], std::uint32_t lane, std::uint64_t& result) {
    std::uint64_t values[kWarp];
    std::copy_n(given, kWarp, values);
    for (std::uint32_t step = kWarp / 2; step != 0; step /= 2) {
      std::uint64_t next[kWarp];
      for (std::uint32_t l = 0; l < kWarp; ++l) {
        next[l] = values[l];
        if (!combine(fold, next[l], values[l ^ step])) return false;
      }
      std::copy_n(next, kWarp, values);
    }
    result = values[lane];
    return true;
  }

  bool trapped(const Fiber& fiber, TrapKind kind) {
    thread_.record_trap(kind, fiber.pc == nullptr ? entry_.body : fiber.pc, fiber.base);
    return false;
  }

  Thread& thread_;
  const CodeEntry& entry_;
  const bytecode::KernelInfo& info_;
  std::uint64_t environment_;
  std::optional<KernelGroups> groups_;
  std::optional<ThreadStack> stack_;  // of the threads, when machine code does not run them
  std::unique_ptr<Shared[]> shared_;
  std::vector<Fiber> threads_;
  std::vector<std::uint32_t> filled_;  // fills done, by pipeline
  std::uint32_t running_ = 0;
};

std::uint64_t exchange_words(jit::KernelBlock* block, std::uint64_t first, std::uint64_t point) {
  return Block::exchange_groups(*block, first, point) ? 1 : 0;
}

const Word* suspend(Machine& m, const Word* pc) {
  m.thread->block->stopped(m, pc);
  return kExit;
}

const Word* shared_view(Machine& m, const Word* pc) {
  m.base[a_of(pc[0])] = reinterpret_cast<std::uint64_t>(m.thread->block->shared(n_of(pc[0])));
  m.base[a_of(pc[0]) + 1U] = m_of(pc[1]);
  return pc + 2;
}

const Word* pipeline_fill(Machine& m, const Word* pc) {
  Block& block = *m.thread->block;
  const std::uint32_t index = m_of(pc[1]);
  const bytecode::Pipeline& pipeline = block.info().pipelines[index];
  const std::uint64_t start = m.base[b_of(pc[0])];
  const std::uint64_t count = m.base[c_of(pc[0])];
  const std::uint64_t length = m.base[a_of(pc[0]) + 1U];
  if (count > pipeline.size || start > length || count > length - start) return fail(TrapKind::Pipeline, pc, m);
  std::uint32_t number = 0;
  if (block.begin_fill(index, number)) {
    const std::uint64_t size = bytecode::scalar_size(pipeline.element);
    std::uint8_t* const stage = block.stage(index, number);
    if (count != 0) {
      std::memcpy(stage, reinterpret_cast<const std::uint8_t*>(m.base[a_of(pc[0])]) + start * size, count * size);
    }
    std::memset(stage + count * size, 0, (pipeline.size - count) * size);
  }
  return pc + 2;
}

const Word* pipeline_view(Machine& m, const Word* pc) {
  const Block& block = *m.thread->block;
  const std::uint32_t index = n_of(pc[0]);
  m.base[a_of(pc[0])] = reinterpret_cast<std::uint64_t>(block.readable(index));
  m.base[a_of(pc[0]) + 1U] = block.info().pipelines[index].size;
  return pc + 1;
}

const Word* run_cooperative(Machine m, const Word* pc) {
  Thread& starter = *m.thread;
  const std::uint32_t kernel = m_of(pc[1]);
  const std::uint64_t environment = m.base[a_of(pc[0])];
  const std::uint64_t blocks = m.base[b_of(pc[0])];
  Tiers* const tiers = starter.instance().watched() ? nullptr : starter.instance().tiers();
  const auto code_of = [&](std::uint32_t function, std::uint64_t count) {
    const std::uint64_t threads = starter.functions[function].function->kernel.threads;
    const std::uint64_t all = count > ~std::uint64_t{0} / threads ? ~std::uint64_t{0} : count * threads;
    return tiers == nullptr ? nullptr : tiers->kernel_code(function, all);
  };
  const jit::KernelCode* const code = code_of(kernel, blocks);
  const std::uint32_t finish = starter.functions[kernel].function->kernel.finish;
  runtime::LanePool* pool = blocks > 1 ? starter.lane_pool() : nullptr;
  if (blocks > 1 && pool == nullptr) return fail(starter.pending.kind, pc, m);
  // Each lane keeps the threads of its first block for the others: their stacks are mapped, and their pages touched,
  // once.
  std::vector<std::unique_ptr<Block>> places(pool == nullptr ? 1 : pool->lanes());
  std::mutex mutex;
  auto body = [&](std::size_t lane, std::size_t first, std::size_t last) {
    Thread& thread = lane == 0 ? starter : starter.instance().thread_here();
    if (places[lane] == nullptr) places[lane] = std::make_unique<Block>(thread, kernel, environment, code);
    bool fine = true;
    for (std::uint64_t k = first; fine && k < last; ++k) fine = places[lane]->run(k);
    if (!fine && &thread != &starter) {
      const std::lock_guard guard(mutex);
      if (!starter.trapped) starter.trap = thread.trap;
      starter.trapped = true;
    }
    return fine;
  };
  if (pool != nullptr) {
    starter.give_back_steps();
    pool->run({static_cast<std::size_t>(blocks), 1, 0}, body);
  } else if (blocks == 1) {
    body(0, 0, 1);
  }
  if (starter.trapped) return kExit;
  if (finish != kNone && !Block(starter, finish, environment, code_of(finish, 1)).run(0)) return kExit;
  return pc + 2;
}

}  // namespace cairn::interpreter
