// Device work on host threads (devices, 19).
#include <algorithm>
#include <atomic>
#include <cstring>

#include "cuda/device.hpp"
#include "vm/bytecode/types.hpp"

namespace cairn::cuda {

namespace {

constexpr std::uint32_t kBoundary = 256;  // where device allocations start

class EmulatedContext final : public Context {
 public:
  explicit EmulatedContext(std::atomic<bool>& lost) : lost_(lost) {}

  Allocation allocate(HostThread& host, Space, std::uint64_t count, std::uint64_t size, std::uint32_t align) override {
    if (lost()) return {Failure::Lost, nullptr};
    void* const memory = host.allocate(count, size, std::max(align, kBoundary));
    return {count != 0 && memory == nullptr ? Failure::Memory : Failure::None, memory};
  }
  void release(HostThread& host, Space, void* memory, std::uint64_t bytes) override { host.release(memory, bytes); }

  Failure copy(HostThread&, Region to, Region from, std::uint64_t bytes) override {
    if (lost()) return Failure::Lost;
    if (bytes != 0) std::memmove(to.elements, from.elements, bytes);
    return Failure::None;
  }

  Failure parallel(HostThread& host, const Kernel& kernel, std::uint64_t count) override {
    return work([&] { return count == 0 || host.run_all(kernel, count); });
  }
  Failure cooperative(HostThread& host, const Kernel& kernel, std::uint64_t blocks) override {
    return work([&] { return host.run_blocks(kernel, blocks); });
  }

  Failure launch(HostThread&, const Launch&) override { return lost() ? Failure::Lost : Failure::Missing; }

  Failure reduce(HostThread& host, const Kernel& kernel, std::uint64_t count, std::uint64_t, std::uint64_t identity,
                 std::uint64_t& total) override {
    total = identity;
    return work([&] { return count == 0 || host.run(kernel, 0, count, {}, &total); });
  }
  Failure reduce_to(HostThread& host, const Kernel& kernel, std::uint64_t count, std::uint64_t fold,
                    std::uint64_t identity, void* element) override {
    std::uint64_t total = 0;
    const Failure failure = reduce(host, kernel, count, fold, identity, total);
    // Slots are little-endian: the scalar is their first bytes.
    if (failure == Failure::None)
      std::memcpy(element, &total, bytecode::scalar_size(static_cast<bytecode::ScalarKind>(fold >> 8)));
    return failure;
  }
  Failure scan(HostThread& host, const Kernel& kernel, std::uint64_t count, std::uint64_t fold, std::uint64_t identity,
               void*, std::uint64_t* total) override {
    std::uint64_t all = 0;
    const Failure failure = reduce(host, kernel, count, fold, identity, all);
    if (total != nullptr) *total = all;
    return failure;
  }
  Failure compact(HostThread& host, const Kernel& kernel, std::uint64_t count, void* output,
                  std::uint64_t& kept) override {
    kept = 0;
    const std::uint64_t view[] = {reinterpret_cast<std::uint64_t>(output), count};
    return work([&] { return count == 0 || host.run(kernel, 0, count, view, &kept); });
  }

  void after(std::uint64_t) override {}  // it has ended
  Queued queue_parallel(HostThread& host, const Kernel& kernel, std::uint64_t count) override {
    return {parallel(host, kernel, count), 0};
  }
  Queued queue_copy(HostThread& host, Region to, Region from, std::uint64_t bytes) override {
    return {copy(host, to, from, bytes), 0};
  }
  Failure wait(HostThread&, std::uint64_t) override { return lost() ? Failure::Lost : Failure::None; }

 private:
  [[nodiscard]] bool lost() const { return lost_.load(std::memory_order_acquire); }

  template <class Run>
  Failure work(Run run) {
    if (lost()) return Failure::Lost;
    if (run()) return Failure::None;
    lost_.store(true, std::memory_order_release);
    return Failure::Trapped;
  }

  std::atomic<bool>& lost_;
};

class EmulatedDevice final : public Device {
 public:
  std::unique_ptr<Context> context() override { return std::make_unique<EmulatedContext>(lost_); }

 private:
  std::atomic<bool> lost_{false};
};

}  // namespace

std::unique_ptr<Device> emulated_device() { return std::make_unique<EmulatedDevice>(); }

}  // namespace cairn::cuda
