// The emulated device through its interface alone: memory, order, and what a failed guard does to what comes later.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "cuda/device.hpp"
#include "vm/bytecode/module.hpp"

namespace {

using namespace cairn::cuda;  // NOLINT: tests speak of little else

/// A host thread whose kernels are C++.
class Host final : public HostThread {
 public:
  void* allocate(std::uint64_t count, std::uint64_t size, std::uint32_t align) override {
    if (refuses_memory || count == 0) return nullptr;
    bytes += count * size;
    void* const memory = std::aligned_alloc(align, (count * size + align - 1) / align * align);
    std::memset(memory, 0, count * size);
    return memory;
  }
  void release(void* memory, std::uint64_t released) override {
    bytes -= released;
    std::free(memory);
  }
  bool run(const Kernel&, std::uint64_t lo, std::uint64_t hi, std::span<const std::uint64_t> more,
           std::uint64_t* result) override {
    return !fails && (lanes(lo, hi, more, result), true);
  }
  bool run_all(const Kernel&, std::uint64_t count) override { return !fails && (lanes(0, count, {}, nullptr), true); }
  bool run_blocks(const Kernel&, std::uint64_t count) override {
    blocks += count;
    return !fails;
  }
  void trapped(const DeviceTrap&) override {}
  void refused(std::string) override {}

  std::function<void(std::uint64_t, std::uint64_t, std::span<const std::uint64_t>, std::uint64_t*)> lanes =
      [](auto, auto, auto, auto) {};
  bool fails = false;
  bool refuses_memory = false;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
};

constexpr std::uint64_t kAddU32 = static_cast<std::uint64_t>(cairn::bytecode::ReduceKind::Add) +
                                  256 * static_cast<std::uint64_t>(cairn::bytecode::ScalarKind::U32);

}  // namespace

TEST_CASE("memory of every space starts zeroed on 256 bytes and holds what was asked for", "[cuda]") {
  const auto device = emulated_device();
  const auto context = device->context();
  Host host;
  for (const Space space : {Space::Device, Space::Pinned, Space::Unified}) {
    const Allocation made = context->allocate(host, space, 7, 4, 4);
    REQUIRE(made.failure == Failure::None);
    CHECK(reinterpret_cast<std::uintptr_t>(made.memory) % 256 == 0);
    CHECK(host.bytes == 28);
    context->release(host, space, made.memory, 28);
    CHECK(host.bytes == 0);
  }
  CHECK(context->allocate(host, Space::Device, 0, 4, 4).failure == Failure::None);
  host.refuses_memory = true;
  CHECK(context->allocate(host, Space::Device, 7, 4, 4).failure == Failure::Memory);
}

TEST_CASE("a region of no indices runs nothing, and a collector of none gives its identity", "[cuda]") {
  const auto device = emulated_device();
  const auto context = device->context();
  Host host;
  host.fails = true;  // whatever runs fails
  CHECK(context->parallel(host, {}, 0) == Failure::None);
  std::uint64_t total = 1;
  CHECK(context->reduce(host, {}, 0, kAddU32, 5, total) == Failure::None);
  CHECK(total == 5);
  std::uint64_t kept = 1;
  CHECK(context->compact(host, {}, 0, nullptr, kept) == Failure::None);
  CHECK(kept == 0);
}

TEST_CASE("a total that stays writes one element of its own size", "[cuda]") {
  const auto device = emulated_device();
  const auto context = device->context();
  Host host;
  host.lanes = [](std::uint64_t lo, std::uint64_t hi, auto, std::uint64_t* result) { *result = hi - lo; };
  std::uint32_t elements[3] = {9, 9, 9};
  CHECK(context->reduce_to(host, {}, 40, kAddU32, 0, &elements[1]) == Failure::None);
  CHECK(std::ranges::equal(elements, std::vector<std::uint32_t>{9, 40, 9}));
}

TEST_CASE("after a failed guard every context of the device is lost, and nothing runs", "[cuda]") {
  const auto device = emulated_device();
  const auto context = device->context();
  const auto other = device->context();
  Host host;
  std::uint64_t ran = 0;
  host.lanes = [&](auto, auto, auto, auto) { ++ran; };
  char bytes[2] = {1, 2};
  CHECK(context->parallel(host, {}, 10) == Failure::None);
  host.fails = true;
  CHECK(context->queue_parallel(host, {}, 10).failure == Failure::Trapped);
  host.fails = false;
  CHECK(context->parallel(host, {}, 10) == Failure::Lost);
  CHECK(other->parallel(host, {}, 10) == Failure::Lost);
  CHECK(other->cooperative(host, {}, 10) == Failure::Lost);
  CHECK(other->copy(host, {Space::Host, &bytes[0]}, {Space::Device, &bytes[1]}, 1) == Failure::Lost);
  CHECK(other->allocate(host, Space::Device, 1, 1, 1).failure == Failure::Lost);
  CHECK(other->queue_copy(host, {Space::Host, &bytes[0]}, {Space::Device, &bytes[1]}, 1).failure == Failure::Lost);
  CHECK(context->wait(host, 0) == Failure::Lost);
  CHECK(ran == 1);
  CHECK(host.blocks == 0);
  CHECK(bytes[0] == 1);
}

TEST_CASE("emulation has no foreign kernels", "[cuda]") {
  const auto device = emulated_device();
  Host host;
  CHECK(device->context()->launch(host, {"k", "", 1, 32, {}}) == Failure::Missing);
}

TEST_CASE("a cooperative region runs its finish though it has no blocks", "[cuda]") {
  const auto device = emulated_device();
  const auto context = device->context();
  Host host;
  bool asked = false;
  CHECK(context->cooperative(host, {}, 0) == Failure::None);
  host.fails = true;
  asked = context->cooperative(host, {}, 0) == Failure::Trapped;
  CHECK(asked);
}
