// What one host thread asks of a GPU: synchronous work on one stream, queued work on lent ones.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "cuda/driver/gpu_device.hpp"
#include "cuda/driver/launching.hpp"
#include "vm/bytecode/types.hpp"

namespace cairn::cuda {

namespace {

using bytecode::ScalarKind;

/// A scalar in memory as a register holds it: signed ones extended by their sign, all others by zeroes.
std::uint64_t as_register(ScalarKind kind, const void* memory) {
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, memory, sizeof(T));
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  };
  switch (kind) {
    case ScalarKind::I8:
      return read(std::int8_t{});
    case ScalarKind::I16:
      return read(std::int16_t{});
    case ScalarKind::I32:
      return read(std::int32_t{});
    default:
      break;
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, memory, bytecode::scalar_size(kind));
  return bits;
}

class GpuContext final : public Context {
 public:
  explicit GpuContext(GpuDevice& device) : device_(device) {}
  ~GpuContext() override {
    if (resources_ != nullptr) device_.give_back(std::move(resources_));
  }

  Allocation allocate(HostThread& host, Space space, std::uint64_t count, std::uint64_t size,
                      std::uint32_t align) override {
    Allocation made;
    made.failure = work(host, [&](const Current&) {
      if (count == 0 || size == 0) return settle(host, "an allocation");
      if (count > UINT64_MAX / size) return Failure::Memory;
      const Status status = device_.allocate(space, count * size, align, stream(), made.memory);
      if (status != Status::Success) return device_.judged(host, status, "an allocation");
      return settle(host, "an allocation");
    });
    return made;
  }

  void release(HostThread&, Space, void* memory, std::uint64_t) override {
    const Current current(device_);
    device_.release(memory, resources_ == nullptr ? nullptr : stream());
  }

  Failure copy(HostThread& host, Region to, Region from, std::uint64_t bytes) override {
    return work(host, [&](const Current&) {
      const bool within = to.space == Space::Device && from.space == Space::Device;
      const Failure failure = copied(host, to, from, bytes, stream());
      if (failure != Failure::None) return failure;
      return within ? end(host, "a transfer") : settle(host, "a transfer");
    });
  }

  Failure parallel(HostThread& host, const Kernel& kernel, std::uint64_t count) override {
    return work(host, [&](const Current&) {
      const Failure failure = launched(host, {kernel.function, Use::Region, 0}, kernel, {.count = count}, stream());
      return failure == Failure::None ? end(host, "a region") : failure;
    });
  }

  Failure cooperative(HostThread& host, const Kernel& kernel, std::uint64_t blocks) override {
    return work(host, [&](const Current&) {
      LaunchValues values{.count = blocks};
      if (device_.module().functions[kernel.function].kernel.finish != bytecode::kNone) {
        values.counter = device_.counter_for(stream());
        values.runs_without_count = true;
        if (values.counter == 0) {
          host.refused("more streams and captured launches than a device counts blocks for");
          return Failure::Refused;
        }
      }
      const Failure failure = launched(host, {kernel.function, Use::Cooperative, 0}, kernel, values, stream());
      return failure == Failure::None ? end(host, "a region") : failure;
    });
  }

  Failure launch(HostThread& host, const Launch& launch) override {
    return work(host, [&](const Current&) {
      const VendoredKernel* const kernel = device_.vendored(launch.symbol);
      const std::string name(launch.symbol);
      if (kernel == nullptr || launch.threads > kernel->most_threads) {
        host.refused(kernel == nullptr
                         ? "no vendored source defines " + name
                         : name + " runs in blocks of at most " + std::to_string(kernel->most_threads) +
                               " threads, and its declaration asks for " + std::to_string(launch.threads));
        return Failure::Refused;
      }
      std::vector<void*> arguments;  // the driver reads as many bytes of each as the kernel takes
      std::size_t slot = 0;
      for (const char passing : launch.passing) {
        if (slot >= launch.arguments.size()) break;
        arguments.push_back(const_cast<std::uint64_t*>(&launch.arguments[slot]));
        slot += passing == 'p' ? 2 : 1;
      }
      const Status status = call().launch(kernel->function, launch.blocks, 1, 1, launch.threads, 1, 1, 0, stream(),
                                          arguments.data(), nullptr);
      const Failure failure = device_.judged(host, status, "the launch of " + name);
      return failure == Failure::None ? end(host, name) : failure;
    });
  }

  Failure reduce(HostThread& host, const Kernel& kernel, std::uint64_t count, std::uint64_t fold,
                 std::uint64_t identity, std::uint64_t& total) override {
    return work(host, [&](const Current&) {
      total = identity;
      if (count == 0) return settle(host, "a reduction");
      LaunchValues values{.count = count, .total = reinterpret_cast<Address>(resources_->host_word)};
      return with_total(host, {kernel.function, Use::Reduce, static_cast<std::uint32_t>(fold)}, kernel, values, &total);
    });
  }

  Failure reduce_to(HostThread& host, const Kernel& kernel, std::uint64_t count, std::uint64_t fold,
                    std::uint64_t identity, void* element) override {
    return work(host, [&](const Current&) {
      const auto address = reinterpret_cast<Address>(element);
      const KernelUse use{kernel.function, Use::Reduce, static_cast<std::uint32_t>(fold)};
      const Failure failure = count == 0 ? stored(host, address, kind_of(fold), identity)
                                         : launched(host, use, kernel, {.count = count, .total = address}, stream());
      return failure == Failure::None ? end(host, "a reduction") : failure;
    });
  }

  Failure scan(HostThread& host, const Kernel& kernel, std::uint64_t count, std::uint64_t fold, std::uint64_t identity,
               void* output, std::uint64_t* total) override {
    return work(host, [&](const Current&) {
      if (total != nullptr) *total = identity;
      if (count == 0) return total == nullptr ? Failure::None : settle(host, "a scan");
      LaunchValues values{.count = count, .output = reinterpret_cast<Address>(output)};
      if (total != nullptr) values.total = reinterpret_cast<Address>(resources_->host_word);
      return with_total(host, {kernel.function, Use::Scan, static_cast<std::uint32_t>(fold)}, kernel, values, total);
    });
  }

  Failure compact(HostThread& host, const Kernel& kernel, std::uint64_t count, void* output,
                  std::uint64_t& kept) override {
    return work(host, [&](const Current&) {
      kept = 0;
      if (count == 0) return settle(host, "a selection");
      LaunchValues values{.count = count, .output = reinterpret_cast<Address>(output)};
      values.total = reinterpret_cast<Address>(resources_->host_word);
      return with_total(host, {kernel.function, Use::Compact, 0}, kernel, values, &kept);
    });
  }

  Failure multiply(HostThread& host, std::uint32_t element, const Product& product) override {
    return work(host, [&](const Current&) {
      if (product.rows == 0 || product.columns == 0) return Failure::None;
      const auto tiles = [](std::uint64_t extent) { return (extent - 1) / kProductTile + 1; };
      std::uint64_t blocks = 0;
      if (__builtin_mul_overflow(tiles(product.rows), tiles(product.columns), &blocks)) return Failure::Memory;
      const Kernel kernel{bytecode::kNone, {reinterpret_cast<const std::uint8_t*>(&product), sizeof(product)}};
      const Failure failure =
          launched(host, {bytecode::kNone, Use::Multiply, element}, kernel, {.count = blocks}, stream());
      return failure == Failure::None ? end(host, "a multiplication") : failure;
    });
  }

  void after(std::uint64_t ticket) override { after_.push_back(ticket); }

  Queued queue_parallel(HostThread& host, const Kernel& kernel, std::uint64_t count) override {
    return queued(host, [&](StreamHandle lent) {
      return launched(host, {kernel.function, Use::Region, 0}, kernel, {.count = count}, lent);
    });
  }

  Queued queue_copy(HostThread& host, Region to, Region from, std::uint64_t bytes) override {
    return queued(host, [&](StreamHandle lent) { return copied(host, to, from, bytes, lent); });
  }

  Failure wait(HostThread& host, std::uint64_t ticket) override {
    return work(host, [&](const Current&) {
      if (!is_live(ticket)) return no_ticket(host);
      const Status status = call().event_synchronize(lane_of(ticket).ended);
      free_.push_back(ticket);
      return device_.judged(host, status, "queued work");
    });
  }

  Failure prepare(HostThread& host) override {
    return work(host, [&](const Current&) {
      if (prepared_) return Failure::None;
      for (const KernelUse& use : kernels_of(device_.module())) {
        if (const auto code = device_.kernel(use); !code) {
          host.refused(code.error());
          return Failure::Refused;
        }
      }
      prepared_ = true;
      return Failure::None;
    });
  }

  void use_stream(void* stream, bool waits) override {
    callers_ = static_cast<StreamHandle>(stream);
    waits_ = waits;
  }

 private:
  [[nodiscard]] const Functions& call() const { return device_.call(); }
  [[nodiscard]] StreamHandle stream() const { return callers_ != nullptr ? callers_ : resources_->stream; }
  static ScalarKind kind_of(std::uint64_t fold) { return static_cast<ScalarKind>(fold >> 8); }

  /// One operation: nothing of it happens when the device's work has ended before.
  template <class Do>
  Failure work(HostThread& host, Do operation) {
    if (const Failure earlier = device_.standing(host); earlier != Failure::None) return earlier;
    const Current current(device_);
    if (resources_ == nullptr) {
      const Status status = device_.take_resources(resources_);
      if (status != Status::Success) return device_.judged(host, status, "what a thread's work needs");
    }
    return operation(current);
  }

  /// Waits for all that runs on the stream.
  Failure settle(HostThread& host, std::string_view doing) {
    pending_ = false;
    return device_.judged(host, call().stream_synchronize(stream()), doing);
  }
  /// After an operation that gives the host nothing.
  Failure end(HostThread& host, std::string_view doing) {
    if (waits_) return settle(host, doing);
    pending_ = true;
    return Failure::None;
  }

  Failure copied(HostThread& host, Region to, Region from, std::uint64_t bytes, StreamHandle on) {
    if (bytes == 0) return Failure::None;
    const bool writes = to.space == Space::Device;
    const bool reads = from.space == Space::Device;
    const auto target = reinterpret_cast<Address>(to.elements);
    const auto source = reinterpret_cast<Address>(from.elements);
    if (!writes && !reads) {  // what the device may still write there is waited for
      if (pending_) {
        if (const Failure failure = settle(host, "a transfer"); failure != Failure::None) return failure;
      }
      std::memmove(to.elements, from.elements, bytes);
      return Failure::None;
    }
    const Status status = writes && reads ? call().copy_on_device(target, source, bytes, on)
                          : writes        ? call().copy_to_device(target, from.elements, bytes, on)
                                          : call().copy_to_host(to.elements, source, bytes, on);
    return device_.judged(host, status, "a transfer");
  }

  /// Launches the entries of a kernel. Those that take scratch use the context's arena, so they run on its stream.
  Failure launched(HostThread& host, const KernelUse& use, const Kernel& kernel, LaunchValues values, StreamHandle on) {
    if (values.count == 0 && !values.runs_without_count) return Failure::None;
    const auto code = device_.kernel(use);
    if (!code) {
      host.refused(code.error());
      return Failure::Refused;
    }
    const LoadedKernel& loaded = **code;
    const auto room = room_of(loaded, values.count);
    if (!room) {
      host.refused(room.error());
      return Failure::Refused;
    }
    if (room->bytes() != 0) {
      if (const Failure failure = widened(host, room->bytes()); failure != Failure::None) return failure;
      values.scratch = resources_->arena.memory;
      values.staging = resources_->arena.memory + room->scratch_bytes;
    }
    values.tiles = room->tiles;
    const Status status = launch_entries(call(), loaded, kernel.environment, values, on);
    return device_.judged(host, status, "a launch");
  }

  /// A collector: what it leaves in the context's word is its total.
  Failure with_total(HostThread& host, const KernelUse& use, const Kernel& kernel, const LaunchValues& values,
                     std::uint64_t* total) {
    std::memset(resources_->host_word, 0, sizeof(std::uint64_t));
    const Failure failure = launched(host, use, kernel, values, stream());
    if (failure != Failure::None) return failure;
    if (total == nullptr) return end(host, "a scan");
    const Failure ended = settle(host, "a collector");
    if (ended != Failure::None) return ended;
    *total = as_register(use.use == Use::Compact ? ScalarKind::U64 : kind_of(use.fold), resources_->host_word);
    return Failure::None;
  }

  /// The arena holds `bytes` at least. What it held before is nobody's.
  Failure widened(HostThread& host, std::uint64_t bytes) {
    Arena& arena = resources_->arena;
    if (arena.bytes >= bytes) return Failure::None;
    if (arena.memory != 0) device_.free_memory(arena.memory, stream());
    arena = {};
    const Status status = device_.take_memory(bytes, stream(), arena.memory);
    if (status == Status::Success) arena.bytes = bytes;
    return device_.judged(host, status, "scratch memory");
  }

  /// One scalar of the device's memory. Byte by byte: a copy from host memory has no place in a caller's graph.
  Failure stored(HostThread& host, Address element, ScalarKind kind, std::uint64_t value) {
    Status status = Status::Success;
    for (std::uint32_t byte = 0; byte < bytecode::scalar_size(kind) && status == Status::Success; ++byte) {
      status = call().set_bytes(element + byte, static_cast<unsigned char>(value >> (8 * byte)), 1, stream());
    }
    return device_.judged(host, status, "a reduction");
  }

  // Tickets count the context's lent streams from 1.
  [[nodiscard]] bool is_live(std::uint64_t ticket) const {
    return ticket != 0 && ticket <= resources_->lanes.size() && std::ranges::find(free_, ticket) == free_.end();
  }
  [[nodiscard]] const Lane& lane_of(std::uint64_t ticket) const { return resources_->lanes[ticket - 1]; }
  static Failure no_ticket(HostThread& host) {
    host.refused("there is no queued work of that ticket");
    return Failure::Refused;
  }

  template <class Queue>
  Queued queued(HostThread& host, Queue queue) {
    Queued result;
    const std::vector<std::uint64_t> earlier = std::exchange(after_, {});
    result.failure = work(host, [&](const Current&) {
      if (lanes_known_ == false) {
        for (std::uint64_t k = resources_->lanes.size(); k != 0; --k) free_.push_back(k);
        lanes_known_ = true;
      }
      for (const std::uint64_t ticket : earlier) {
        if (!is_live(ticket)) return no_ticket(host);
      }
      if (free_.empty()) {
        Lane lane;
        const Status made = device_.make_lane(lane);
        resources_->lanes.push_back(lane);
        if (made != Status::Success) return device_.judged(host, made, "a stream for queued work");
        free_.push_back(resources_->lanes.size());
      }
      result.ticket = free_.back();
      free_.pop_back();
      const Lane& lane = lane_of(result.ticket);
      Status status = Status::Success;
      if (pending_) {
        status = call().event_record(resources_->reached, stream());
        if (status == Status::Success) status = call().stream_wait(lane.stream, resources_->reached, 0);
      }
      for (std::size_t k = 0; k < earlier.size() && status == Status::Success; ++k) {
        status = call().stream_wait(lane.stream, lane_of(earlier[k]).ended, 0);
      }
      if (status != Status::Success) return device_.judged(host, status, "queueing");
      if (const Failure failure = queue(lane.stream); failure != Failure::None) return failure;
      return device_.judged(host, call().event_record(lane.ended, lane.stream), "queueing");
    });
    return result;
  }

  GpuDevice& device_;
  std::unique_ptr<ThreadResources> resources_;
  StreamHandle callers_ = nullptr;
  bool waits_ = true;
  bool pending_ = false;  // something may still run on the stream
  bool lanes_known_ = false;
  bool prepared_ = false;
  std::vector<std::uint64_t> free_;   // tickets whose streams nobody has
  std::vector<std::uint64_t> after_;  // of the work queued next
};

}  // namespace

std::unique_ptr<Context> gpu_context(GpuDevice& device) { return std::make_unique<GpuContext>(device); }

}  // namespace cairn::cuda
