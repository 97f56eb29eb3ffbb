#include "vm/interpreter/devices.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device.hpp"
#include "vm/interpreter/folds.hpp"
#include "vm/interpreter/kernels.hpp"
#include "vm/interpreter/lane_groups.hpp"
#include "vm/interpreter/lane_region.hpp"
#include "vm/tiers/tiers.hpp"

namespace cairn::interpreter {

namespace {

using bytecode::a_of;
using bytecode::b_of;
using bytecode::c_of;
using bytecode::d_of;
using bytecode::e_of;
using bytecode::m_of;
using cuda::Failure;

/// One device operation of a host thread, at an instruction.
class DeviceStep final : public cuda::HostThread {
 public:
  DeviceStep(Machine m, const Word* pc) : m_(m), pc_(pc) {}

  /// Null when the instance has no device.
  [[nodiscard]] cuda::Context* context() { return m_.thread->device_context(why_); }

  /// What the instruction goes on with.
  [[nodiscard]] const Word* after(Failure failure, const Word* next) const {
    switch (failure) {
      case Failure::None:
        return next;
      case Failure::Trapped:
        return trapped_at_;
      case Failure::Memory:
        return fail(TrapKind::Allocation, pc_, m_);
      case Failure::Lost:
        return refuse("an earlier failure ended the device's work");
      case Failure::Refused:
        return refuse(why_);
      case Failure::Missing:
        break;
    }
    return refuse("the device has no such kernel");
  }
  [[nodiscard]] const Word* no_device() const { return refuse(why_); }
  [[nodiscard]] const Word* refuse(std::string why) const {
    m_.thread->pending.detail = std::move(why);
    return fail(TrapKind::Device, pc_, m_);
  }

  /// The kernel of a function of the module whose environment a register refers to.
  [[nodiscard]] cuda::Kernel kernel(std::uint32_t environment) const {
    const std::uint32_t function = m_of(pc_[1]);
    const bytecode::Module& module = m_.thread->image().module();
    const std::uint64_t bytes = module.types[module.functions[function].environment].size;
    return {function, {reinterpret_cast<const std::uint8_t*>(m_.base[environment]), bytes}};
  }

  // What the device asks of this thread.
  void* allocate(std::uint64_t count, std::uint64_t size, std::uint32_t align) override {
    return m_.thread->heap().allocate(count, size, align);
  }
  void release(void* memory, std::uint64_t bytes) override { m_.thread->heap().release(memory, bytes); }

  bool run(const cuda::Kernel& kernel, std::uint64_t lo, std::uint64_t hi, std::span<const std::uint64_t> more,
           std::uint64_t* result) override {
    LaneRegion region(m_, pc_, kernel.function, address(kernel));
    region.call(0, lo, hi, more, result);
    return ended(region);
  }
  bool run_all(const cuda::Kernel& kernel, std::uint64_t count) override {
    LaneRegion region(m_, pc_, kernel.function, address(kernel));
    Instance& instance = m_.thread->instance();
    Tiers* const tiers = instance.watched() ? nullptr : instance.tiers();
    const jit::KernelCode* const code = tiers == nullptr ? nullptr : tiers->kernel_code(kernel.function, count);
    std::vector<std::unique_ptr<LaneGroups>> groups;  // by lane of the pool
    auto body = [&](std::size_t lane, std::size_t lo, std::size_t hi) {
      if (code == nullptr) return region.call(lane, lo, hi, {}, nullptr);
      Thread& thread = lane == 0 ? *m_.thread : instance.thread_here();
      if (groups[lane] == nullptr)
        groups[lane] = std::make_unique<LaneGroups>(thread, *code, kernel.function, address(kernel));
      const std::uint64_t done = groups[lane]->run(lo, hi);
      if (!std::exchange(thread.trapped, false)) return done == hi || region.call(lane, done, hi, {}, nullptr);
      region.failed(thread.trap);
      return false;
    };
    const runtime::LanePool* const pool = code == nullptr || count <= kClaimIndices ? nullptr : m_.thread->lane_pool();
    groups.resize(pool == nullptr ? 1 : pool->lanes());
    region.run(count, kClaimIndices, body);
    return ended(region);
  }
  bool run_blocks(const cuda::Kernel&, std::uint64_t) override {
    trapped_at_ = run_cooperative(m_, pc_);
    return trapped_at_ == pc_ + 2;
  }
  void trapped(const cuda::DeviceTrap& trap) override {
    m_.thread->record_device_trap(trap);
    trapped_at_ = kExit;
  }
  void refused(std::string why) override { why_ = std::move(why); }

 private:
  static std::uint64_t address(const cuda::Kernel& kernel) {
    return reinterpret_cast<std::uint64_t>(kernel.environment.data());
  }
  bool ended(LaneRegion& region) {
    const Word* const next = region.finish(m_, pc_, pc_);
    if (next == pc_) return true;
    trapped_at_ = next;
    return false;
  }

  Machine m_;
  const Word* pc_;
  const Word* trapped_at_ = nullptr;  // after a failed guard
  std::string why_;                   // the device refused
};

/// Does one operation of the calling thread's context, which gives a Failure.
template <class Do>
const Word* step(Machine m, const Word* pc, const Word* next, Do operation) {
  DeviceStep here(m, pc);
  cuda::Context* const context = here.context();
  if (context == nullptr) return here.no_device();
  return here.after(operation(here, *context), next);
}

/// Both ends of a transfer, with the bytes of each element; `places`: that of the first, then of the second in bits 2..
struct Ends {
  cuda::Region to;
  cuda::Region from;
  std::uint64_t bytes = 0;
};
Ends ends_of(const Machine& m, std::uint32_t to, std::uint32_t from, std::uint32_t places, std::uint64_t size) {
  const auto region = [&](std::uint32_t view, std::uint32_t place) {
    return cuda::Region{static_cast<cuda::Space>(place % 4), reinterpret_cast<void*>(m.base[view])};
  };
  return {region(to, places), region(from, places / 4), m.base[to + 1U] * size};
}

}  // namespace

const Word* placed_new(Machine m, const Word* pc) {
  const bytecode::Type& type = m.thread->image().module().types[m_of(pc[1])];
  const std::uint64_t count = m.base[b_of(pc[0])];
  return step(m, pc, pc + 2, [&](DeviceStep& here, cuda::Context& context) {
    const cuda::Allocation made =
        context.allocate(here, static_cast<cuda::Space>(d_of(pc[1]) % 4), count, type.size, type.align);
    if (made.failure == Failure::None) {
      m.base[a_of(pc[0])] = reinterpret_cast<std::uint64_t>(made.memory);
      m.base[a_of(pc[0]) + 1U] = count;
    }
    return made.failure;
  });
}

void placed_drop(Machine m, const Word* pc) {
  std::uint64_t* const pair = m.base + a_of(pc[0]);
  auto* const memory = reinterpret_cast<void*>(pair[0]);
  const std::uint64_t bytes = pair[1] * m.thread->image().module().types[m_of(pc[1])].size;
  pair[0] = pair[1] = 0;
  if (memory == nullptr) return;
  DeviceStep here(m, pc);
  here.context()->release(here, static_cast<cuda::Space>(d_of(pc[1]) % 4), memory, bytes);
}

const Word* transfer(Machine m, const Word* pc) {
  const Word w = pc[0];
  if (m.base[a_of(w) + 1U] != m.base[b_of(w) + 1U]) return fail(TrapKind::Bounds, pc, m);
  const Ends ends = ends_of(m, a_of(w), b_of(w), c_of(w), m_of(pc[1]));
  return step(m, pc, pc + 2, [&](DeviceStep& here, cuda::Context& context) {
    return context.copy(here, ends.to, ends.from, ends.bytes);
  });
}

const Word* device_parallel(Machine m, const Word* pc) {
  return step(m, pc, pc + 2, [&](DeviceStep& here, cuda::Context& context) {
    return context.parallel(here, here.kernel(a_of(pc[0])), m.base[b_of(pc[0])]);
  });
}

const Word* device_reduce(Machine m, const Word* pc) {
  std::uint64_t total = 0;
  const Word* const next = step(m, pc, pc + 2, [&](DeviceStep& here, cuda::Context& context) {
    const std::uint32_t fold = d_of(pc[1]);
    return context.reduce(here, here.kernel(b_of(pc[0])), m.base[c_of(pc[0])], fold, identity(Fold::of(fold)), total);
  });
  if (next == pc + 2) m.base[a_of(pc[0])] = total;
  return next;
}

const Word* device_reduce_to(Machine m, const Word* pc) {
  return step(m, pc, pc + 2, [&](DeviceStep& here, cuda::Context& context) {
    const std::uint32_t fold = d_of(pc[1]);
    return context.reduce_to(here, here.kernel(b_of(pc[0])), m.base[c_of(pc[0])], fold, identity(Fold::of(fold)),
                             reinterpret_cast<void*>(m.base[a_of(pc[0])]));
  });
}

const Word* device_scan(Machine m, const Word* pc) {
  const bool gives = bytecode::op_of(pc[0]) == Op::DeviceScan;
  std::uint64_t total = 0;
  const Word* const next = step(m, pc, pc + 2, [&](DeviceStep& here, cuda::Context& context) {
    const std::uint32_t fold = d_of(pc[1]);
    return context.scan(here, here.kernel(b_of(pc[0])), m.base[c_of(pc[0])], fold, identity(Fold::of(fold)),
                        reinterpret_cast<void*>(m.base[e_of(pc[1])]), gives ? &total : nullptr);
  });
  if (gives && next == pc + 2) m.base[a_of(pc[0])] = total;
  return next;
}

const Word* device_compact(Machine m, const Word* pc) {
  std::uint64_t kept = 0;
  const std::uint64_t count = m.base[c_of(pc[0])];
  // The checker ties the count to the output's length; the module itself may say anything.
  if (count > m.base[e_of(pc[1]) + 1U]) return fail(TrapKind::Bounds, pc, m);
  const Word* const next = step(m, pc, pc + 2, [&](DeviceStep& here, cuda::Context& context) {
    return context.compact(here, here.kernel(b_of(pc[0])), count, reinterpret_cast<void*>(m.base[e_of(pc[1])]), kept);
  });
  if (next == pc + 2) m.base[a_of(pc[0])] = kept;
  return next;
}

const Word* device_cooperative(Machine m, const Word* pc) {
  return step(m, pc, pc + 2, [&](DeviceStep& here, cuda::Context& context) {
    return context.cooperative(here, here.kernel(a_of(pc[0])), m.base[b_of(pc[0])]);
  });
}

const Word* device_launch(Machine m, const Word* pc) {
  constexpr std::uint64_t kMostBlocks = (std::uint64_t{1} << 31) - 1;
  const bytecode::Module& module = m.thread->image().module();
  const bytecode::Foreign& kernel = module.foreigns[m_of(pc[1])];
  const std::uint32_t threads = d_of(pc[1]);
  const std::uint64_t count = m.base[e_of(pc[1])];
  const std::uint64_t blocks = count / threads + (count % threads != 0 ? 1 : 0);
  if (blocks > kMostBlocks)
    return DeviceStep(m, pc).refuse(std::to_string(blocks) + " blocks are more than a launch has");
  if (blocks == 0) return pc + 2;
  cuda::Launch launch{kernel.symbol, kernel.passing, static_cast<std::uint32_t>(blocks), threads, {}};
  launch.arguments = {m.base + a_of(pc[0]), module.signatures[kernel.signature].parameter_slots()};
  return step(m, pc, pc + 2, [&](DeviceStep& here, cuda::Context& context) { return context.launch(here, launch); });
}

const Word* queue_after(Machine m, const Word* pc) {
  return step(m, pc, pc + 1, [&](DeviceStep&, cuda::Context& context) {
    context.after(m.base[a_of(pc[0])]);
    return Failure::None;
  });
}

const Word* queue_parallel(Machine m, const Word* pc) {
  return step(m, pc, pc + 2, [&](DeviceStep& here, cuda::Context& context) {
    const cuda::Queued queued = context.queue_parallel(here, here.kernel(b_of(pc[0])), m.base[c_of(pc[0])]);
    m.base[a_of(pc[0])] = queued.ticket;
    return queued.failure;
  });
}

const Word* queue_transfer(Machine m, const Word* pc) {
  const Word w = pc[0];
  if (m.base[b_of(w) + 1U] != m.base[c_of(w) + 1U]) return fail(TrapKind::Bounds, pc, m);
  const Ends ends = ends_of(m, b_of(w), c_of(w), d_of(pc[1]), m_of(pc[1]));
  return step(m, pc, pc + 2, [&](DeviceStep& here, cuda::Context& context) {
    const cuda::Queued queued = context.queue_copy(here, ends.to, ends.from, ends.bytes);
    m.base[a_of(w)] = queued.ticket;
    return queued.failure;
  });
}

const Word* queue_wait(Machine m, const Word* pc) {
  const std::uint64_t ticket = m.base[a_of(pc[0])];
  m.base[a_of(pc[0])] = 0;
  return step(m, pc, pc + 1, [&](DeviceStep& here, cuda::Context& context) { return context.wait(here, ticket); });
}

}  // namespace cairn::interpreter
