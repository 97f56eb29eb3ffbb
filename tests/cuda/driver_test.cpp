// The GPU through the interface of a device, on the stub driver: memory, order, failures. No GPU runs any of it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "tests/cuda/driver_support.hpp"
#include "tests/lower/support.hpp"

namespace {

using namespace cairn::cuda;        // NOLINT: tests speak of little else
using namespace cairn::cuda::test;  // NOLINT
using cairn::bytecode::ReduceKind;
using cairn::bytecode::ScalarKind;

constexpr std::uint64_t fold(ReduceKind kind, ScalarKind scalar) {
  return static_cast<std::uint64_t>(kind) + 256 * static_cast<std::uint64_t>(scalar);
}
constexpr std::uint64_t kAddU32 = fold(ReduceKind::Add, ScalarKind::U32);

std::vector<std::uint64_t> counting(std::size_t count) {
  std::vector<std::uint64_t> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

}  // namespace

TEST_CASE("memory of every space starts zeroed on its boundary, and all of it goes with the device", "[cuda][driver]") {
  Stub stub;
  {
    OpenGpu gpu;
    REQUIRE(gpu.error.empty());
    for (const std::uint32_t align : {8U, 256U, 4096U}) {
      const Allocation on_device = gpu.context->allocate(gpu.host, Space::Device, 1000, 8, align);
      REQUIRE(on_device.failure == Failure::None);
      CHECK(reinterpret_cast<std::uintptr_t>(on_device.memory) % std::max(align, 256U) == 0);
      CHECK(gpu.read(on_device.memory, 1000) == std::vector<std::uint64_t>(1000));
      for (const Space space : {Space::Pinned, Space::Unified}) {
        const Allocation made = gpu.context->allocate(gpu.host, space, 1000, 8, align);
        REQUIRE(made.failure == Failure::None);
        CHECK(reinterpret_cast<std::uintptr_t>(made.memory) % std::max(align, 256U) == 0);
        const auto* const words = static_cast<const std::uint64_t*>(made.memory);
        CHECK(std::all_of(words, words + 1000, [](std::uint64_t word) { return word == 0; }));
        if (align == 8) gpu.context->release(gpu.host, space, made.memory, 8000);
      }
    }
    CHECK(gpu.context->allocate(gpu.host, Space::Device, 0, 8, 8).memory == nullptr);
    CHECK(gpu.host.refusals.empty());
    CHECK(stub.live() > 0);
  }
  CHECK(stub.live() == 0);
}

TEST_CASE("memory that is not there is told from a device that is lost", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  stub.memory(1 << 20);
  CHECK(gpu.context->allocate(gpu.host, Space::Device, 1 << 20, 8, 8).failure == Failure::Memory);
  CHECK(gpu.context->allocate(gpu.host, Space::Device, UINT64_MAX / 4, 8, 8).failure == Failure::Memory);
  CHECK(gpu.context->allocate(gpu.host, Space::Device, UINT64_MAX / 8, 8, 4096).failure == Failure::Memory);
  CHECK(gpu.context->allocate(gpu.host, Space::Pinned, UINT64_MAX, 1, 1).failure == Failure::Memory);
  CHECK(gpu.context->allocate(gpu.host, Space::Device, 1000, 8, 8).failure == Failure::None);
  for (const char* function : {"cuMemHostAlloc", "cuMemAllocManaged", "cuMemAllocFromPoolAsync"}) {
    stub.fail(function, 0, Status::OutOfMemory);
    const Space space = function[5] == 'H' ? Space::Pinned : function[10] == 'M' ? Space::Unified : Space::Device;
    CHECK(gpu.context->allocate(gpu.host, space, 10, 8, 8).failure == Failure::Memory);
    CHECK(gpu.context->allocate(gpu.host, space, 10, 8, 8).failure == Failure::None);
  }
  CHECK(gpu.host.refusals.empty());
}

TEST_CASE("an allocation that cannot be zeroed is given back", "[cuda][driver]") {
  Stub stub;
  {
    OpenGpu gpu;
    gpu.elements({1});
    const int live = stub.live();
    stub.fail("cuMemsetD8Async", 0, Status::OutOfMemory);
    CHECK(gpu.context->allocate(gpu.host, Space::Unified, 10, 8, 8).failure == Failure::Memory);
    CHECK(stub.live() == live);
  }
  CHECK(stub.live() == 0);
}

TEST_CASE("a driver without memory pools serves, and a device without concurrent managed access", "[cuda][driver]") {
  const std::string older = std::string(CAIRN_STUBS) + "/cuda_stub_without_pools/libcuda.so.1";
  Stub stub(older);
  stub.attribute(kConcurrentManagedAccess, 0);
  {
    OpenGpu gpu(false, older);
    REQUIRE(gpu.error.empty());
    void* const memory = gpu.elements({3, 4});
    CHECK(gpu.read(memory, 2) == std::vector<std::uint64_t>{3, 4});
    CHECK(gpu.context->allocate(gpu.host, Space::Unified, 10, 8, 8).failure == Failure::None);
    CHECK(stub.calls("cuMemAllocManaged") == 0);
    CHECK(stub.calls("cuMemAllocFromPoolAsync") == 0);
    gpu.context->release(gpu.host, Space::Device, memory, 16);
  }
  CHECK(stub.live() == 0);
}

TEST_CASE("elements cross between every two spaces", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  const std::vector<std::uint64_t> values = {7, 8, 9};
  void* const first = gpu.elements(values);
  void* const second = gpu.elements({0, 0, 0});
  void* const pinned = gpu.context->allocate(gpu.host, Space::Pinned, 3, 8, 8).memory;
  void* const unified = gpu.context->allocate(gpu.host, Space::Unified, 3, 8, 8).memory;
  std::vector<std::uint64_t> host(3);
  const auto copy = [&](Region to, Region from) { CHECK(gpu.context->copy(gpu.host, to, from, 24) == Failure::None); };
  copy({Space::Device, second}, {Space::Device, first});
  copy({Space::Pinned, pinned}, {Space::Device, second});
  copy({Space::Unified, unified}, {Space::Pinned, pinned});
  copy({Space::Host, host.data()}, {Space::Unified, unified});
  CHECK(host == values);
  copy({Space::Device, first}, {Space::Unified, unified});
  CHECK(gpu.read(first, 3) == values);
  CHECK(gpu.context->copy(gpu.host, {Space::Device, first}, {Space::Host, nullptr}, 0) == Failure::None);
}

TEST_CASE("a region runs every index once, whatever its grid", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  for (const std::size_t count : {1UL, 255UL, 257UL, 70000UL}) {
    void* const x = gpu.elements(counting(count));
    const Given given{x, 1000};
    CHECK(gpu.context->parallel(gpu.host, kernel(kLane, given), count) == Failure::None);
    auto expected = counting(count);
    for (std::uint64_t& value : expected) value += 1000;
    CHECK(gpu.read(x, count) == expected);
    gpu.context->release(gpu.host, Space::Device, x, 8 * count);
  }
  CHECK(stub.calls("cuModuleLoadDataEx") == 1);
  CHECK(gpu.context->parallel(gpu.host, kernel(kLane, {}), 0) == Failure::None);
  CHECK(stub.calls("cuLaunchKernel") == 4);
}

TEST_CASE("a region's blocks are as wide as its registers allow, and another kernel's is refused", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  stub.attribute(-1 - kThreadsPerBlock, 200);  // 192 is whole warps
  void* const x = gpu.elements(counting(1000));
  const Given given{x, 1};
  CHECK(gpu.context->parallel(gpu.host, kernel(kLane, given), 1000) == Failure::None);
  CHECK(gpu.read(x, 1000).back() == 1001);
  std::uint64_t total = 0;
  CHECK(gpu.context->reduce(gpu.host, kernel(kLane, given), 1000, kAddU32, 0, total) == Failure::Refused);
  CHECK(gpu.host.refusals.front() == "the device runs blocks of 200 threads of p.main.lane, which needs 256");
}

TEST_CASE("totals come as a register holds them, and of no indices they are the identity", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  constexpr std::size_t count = 10000;
  void* const x = gpu.elements(counting(count));
  void* const out = gpu.elements(std::vector<std::uint64_t>(count, 5));
  const Given given{x};
  std::uint64_t total = 0;
  REQUIRE(gpu.context->reduce(gpu.host, kernel(kLane, given), count, kAddU32, 0, total) == Failure::None);
  CHECK(total == 50005000);
  REQUIRE(gpu.context->scan(gpu.host, kernel(kLane, given), count, fold(ReduceKind::Add, ScalarKind::I32), 0, out,
                            &total) == Failure::None);
  CHECK(static_cast<std::int64_t>(total) == -50005000);
  CHECK(gpu.read(out, count).back() == 50005000);
  REQUIRE(gpu.context->scan(gpu.host, kernel(kLane, given), 3, kAddU32, 0, out, nullptr) == Failure::None);
  CHECK(gpu.read(out, 4) == std::vector<std::uint64_t>{1, 3, 6, 10});
  std::uint64_t kept = 0;
  REQUIRE(gpu.context->compact(gpu.host, kernel(kLane, given), 5, out, kept) == Failure::None);
  CHECK(kept == 3);
  CHECK(gpu.read(out, 4) == std::vector<std::uint64_t>{1, 3, 5, 10});
  REQUIRE(gpu.context->reduce_to(gpu.host, kernel(kLane, given), 4, kAddU32, 0, out) == Failure::None);
  CHECK(gpu.read(out, 1).front() == 10);

  const int launches = stub.calls("cuLaunchKernel");
  CHECK(gpu.context->reduce(gpu.host, kernel(kLane, given), 0, kAddU32, 9, total) == Failure::None);
  CHECK(total == 9);
  CHECK(gpu.context->scan(gpu.host, kernel(kLane, given), 0, kAddU32, 8, out, &total) == Failure::None);
  CHECK(total == 8);
  CHECK(gpu.context->compact(gpu.host, kernel(kLane, given), 0, out, kept) == Failure::None);
  CHECK(kept == 0);
  CHECK(gpu.context->reduce_to(gpu.host, kernel(kLane, given), 0, kAddU32, 0x01020304, out) == Failure::None);
  CHECK(gpu.read(out, 1).front() == 0x01020304);
  CHECK(stub.calls("cuLaunchKernel") == launches);
}

TEST_CASE("a cooperative region of no blocks still runs its finish, and counts from zero each time", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  void* const x = gpu.elements({0});
  const Given given{x};
  CHECK(gpu.context->cooperative(gpu.host, kernel(kBlocks, given), 0) == Failure::None);
  CHECK(stub.calls("cuLaunchKernel") == 0);
  for (int pass = 0; pass < 2; ++pass) {
    CHECK(gpu.context->cooperative(gpu.host, kernel(kBlocksWithFinish, given), 70000) == Failure::None);
  }
  CHECK(gpu.read(x, 1).front() == (70000 * 2 + 70000) * 2);
  CHECK(gpu.context->cooperative(gpu.host, kernel(kBlocksWithFinish, given), 0) == Failure::None);
  CHECK(gpu.read(x, 1).front() == (70000 * 2 + 70000) * 4);
}

TEST_CASE("work queued after other work finds it done, on streams that serve again", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  auto* const source = static_cast<std::uint64_t*>(gpu.context->allocate(gpu.host, Space::Pinned, 2, 8, 8).memory);
  void* const x = gpu.elements({0, 0});
  std::uint64_t back[2] = {};
  int streams = 0;
  for (int pass = 0; pass < 3; ++pass) {
    source[0] = 10;
    source[1] = 20;
    const Queued filled = gpu.context->queue_copy(gpu.host, {Space::Device, x}, {Space::Pinned, source}, 16);
    REQUIRE(filled.failure == Failure::None);
    gpu.context->after(filled.ticket);
    const Given given{x, 1};
    const Queued added = gpu.context->queue_parallel(gpu.host, kernel(kLane, given), 2);
    REQUIRE(added.failure == Failure::None);
    CHECK(added.ticket != filled.ticket);
    gpu.context->after(added.ticket);
    gpu.context->after(filled.ticket);
    const Queued read = gpu.context->queue_copy(gpu.host, {Space::Host, back}, {Space::Device, x}, 16);
    REQUIRE(read.failure == Failure::None);
    CHECK(gpu.context->wait(gpu.host, read.ticket) == Failure::None);
    CHECK(back[0] == 11);
    CHECK(back[1] == 21);
    CHECK(gpu.context->wait(gpu.host, filled.ticket) == Failure::None);
    CHECK(gpu.context->wait(gpu.host, added.ticket) == Failure::None);
    if (pass == 0) streams = stub.calls("cuStreamCreate");
  }
  CHECK(stub.calls("cuStreamCreate") == streams);
  CHECK(gpu.context->wait(gpu.host, 99) == Failure::Refused);
}

TEST_CASE("a thread that ends leaves its streams to the next, and passes after the first make none", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  void* const x = gpu.elements(counting(5000));
  int streams = 0;
  int allocations = 0;
  for (int pass = 0; pass < 3; ++pass) {
    const auto context = gpu.device->context();
    const Given given{x, 1};
    std::uint64_t total = 0;
    REQUIRE(context->reduce(gpu.host, kernel(kLane, given), 5000, kAddU32, 0, total) == Failure::None);
    const Queued queued = context->queue_parallel(gpu.host, kernel(kLane, given), 10);
    REQUIRE(context->wait(gpu.host, queued.ticket) == Failure::None);
    if (pass == 0) streams = stub.calls("cuStreamCreate");
    if (pass == 0) allocations = stub.calls("cuMemAllocFromPoolAsync");
  }
  CHECK(stub.calls("cuStreamCreate") == streams);
  CHECK(stub.calls("cuMemAllocFromPoolAsync") == allocations);
}

TEST_CASE("work on a caller's stream is only queued where nobody is to wait", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu(true);
  REQUIRE(gpu.error.empty());
  void* const x = gpu.elements({1, 2});
  void* const y = gpu.elements({0, 0});
  const Current callers(*gpu.device);
  StreamHandle stream = nullptr;
  REQUIRE(gpu.device->call().stream_create(&stream, 0) == Status::Success);
  const int streams = stub.calls("cuStreamCreate");
  const int waits = stub.calls("cuStreamSynchronize");
  gpu.context->use_stream(stream, false);
  const Given given{x, 1};
  CHECK(gpu.context->parallel(gpu.host, kernel(kLane, given), 2) == Failure::None);
  CHECK(gpu.context->copy(gpu.host, {Space::Device, y}, {Space::Device, x}, 16) == Failure::None);
  CHECK(gpu.context->reduce_to(gpu.host, kernel(kLane, given), 0, kAddU32, 6, x) == Failure::None);
  CHECK(gpu.context->cooperative(gpu.host, kernel(kBlocksWithFinish, given), 3) == Failure::None);
  CHECK(stub.calls("cuStreamSynchronize") == waits);
  CHECK(stub.calls("cuStreamCreate") == streams);
  CHECK(gpu.device->call().stream_synchronize(stream) == Status::Success);
  gpu.context->use_stream(nullptr, true);
  CHECK(gpu.read(y, 2) == std::vector<std::uint64_t>{2, 3});
  CHECK(gpu.read(x, 1).front() == (6 + 3) * 2);
  gpu.device->call().stream_destroy(stream);
}

TEST_CASE("what is made before a capture is every kernel of the module, products among them, and made once",
          "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu(true);
  gpu.module = cairn::test::lowered(R"(
fn fill(n:usize, d:rw<u64>[n]@device) { parallel i in n { d[i] = u64(i); } }
fn product(n:usize, c:rw<f32>[n]@device, a:ro<f16>[n]@device, b:ro<f16>[n]@device) { mma_unordered(1, n, 1, c, a, b); }
)");
  for (int pass = 0; pass < 2; ++pass) {
    CHECK(gpu.context->prepare(gpu.host) == Failure::None);
    CHECK(stub.calls("cuModuleLoadDataEx") == 2);
  }
  gpu.compiler->refuses = "p.cairn:3:5: no";
  const auto other = gpu.device->context();
  CHECK(other->prepare(gpu.host) == Failure::None);
  void* const c = gpu.elements({0});
  CHECK(other->multiply(gpu.host, static_cast<std::uint32_t>(ScalarKind::F16), {1, 1, 1, c, c, c}) == Failure::None);
  CHECK(stub.calls("cuModuleLoadDataEx") == 2);
}

TEST_CASE("code that does not compile is told before a capture", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu(true);
  gpu.module = cairn::test::lowered("fn fill(n:usize, d:rw<u64>[n]@device) { parallel i in n { d[i] = u64(i); } }");
  gpu.compiler->refuses = "p.cairn:3:5: no";
  CHECK(gpu.context->prepare(gpu.host) == Failure::Refused);
  CHECK(gpu.host.refusals.front() == "p.cairn:3:5: no");
}

TEST_CASE("each captured launch keeps a counter of its own, and there are 4096", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu(true);
  void* const x = gpu.elements({0});
  const Given given{x};
  stub.attribute(-1000, 1);  // every stream is being captured
  Failure failure = Failure::None;
  int launches = 0;
  while (failure == Failure::None && launches < 5000) {
    failure = gpu.context->cooperative(gpu.host, kernel(kBlocksWithFinish, given), 1);
    ++launches;
  }
  CHECK(failure == Failure::Refused);
  CHECK(launches == 4097);
}

TEST_CASE("a product is launched over its tiles, and one without elements is not", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  void* const c = gpu.elements({0});
  constexpr auto kHalf = static_cast<std::uint32_t>(ScalarKind::F16);
  CHECK(gpu.context->multiply(gpu.host, kHalf, {129, 256, 5, c, c, c}) == Failure::None);
  CHECK(gpu.read(c, 1).front() == 0x40800000);  // 4.0F
  CHECK(gpu.context->multiply(gpu.host, kHalf, {0, 256, 5, c, c, c}) == Failure::None);
  CHECK(stub.calls("cuLaunchKernel") == 1);
  CHECK(gpu.context->multiply(gpu.host, kHalf, {UINT64_MAX, UINT64_MAX, 5, c, c, c}) == Failure::Memory);
}

TEST_CASE("a vendored kernel is given a view's pointer and a value's bytes, and is waited for", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu(false, kStub, {"scaled"});
  REQUIRE(gpu.error.empty());
  const float given[4] = {1, 2, 3, 4};
  const Allocation x = gpu.context->allocate(gpu.host, Space::Device, 4, 4, 4);
  const Allocation out = gpu.context->allocate(gpu.host, Space::Device, 4, 4, 4);
  REQUIRE(gpu.context->copy(gpu.host, {Space::Device, x.memory}, {Space::Host, const_cast<float*>(given)}, 16) ==
          Failure::None);
  const auto word = [](const void* memory) { return reinterpret_cast<std::uint64_t>(memory); };
  const float by = 2.5F;
  std::uint64_t bits = 0xdeadbeef00000000;  // a register's upper half is anything
  std::memcpy(&bits, &by, sizeof(by));
  // 3 of 4 elements; a view is a pointer and a length.
  const std::uint64_t arguments[] = {3, word(out.memory), 4, word(x.memory), 4, bits};
  CHECK(gpu.context->launch(gpu.host, {"scaled", "vppv", 1, 32, arguments}) == Failure::None);
  float back[4] = {};
  REQUIRE(gpu.context->copy(gpu.host, {Space::Host, back}, {Space::Device, out.memory}, 16) == Failure::None);
  CHECK(std::vector<float>(back, back + 4) == std::vector<float>{2.5F, 5, 7.5F, 0});
  CHECK(gpu.host.refusals.empty());
}

TEST_CASE("a vendored kernel runs in no wider blocks than its registers allow", "[cuda][driver]") {
  Stub stub;
  stub.attribute(-1 - kThreadsPerBlock, 200);
  OpenGpu gpu(false, kStub, {"scaled"});
  REQUIRE(gpu.error.empty());
  CHECK(gpu.context->launch(gpu.host, {"scaled", "vppv", 1, 256, {}}) == Failure::Refused);
  CHECK(gpu.host.refusals.front() == "scaled runs in blocks of at most 200 threads, and its declaration asks for 256");
  CHECK(stub.calls("cuLaunchKernel") == 0);
}

TEST_CASE("a kernel that recurses is given a stack, and others take none", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  void* const x = gpu.elements({1});
  CHECK(gpu.context->parallel(gpu.host, kernel(kLane, {x, 1}), 1) == Failure::None);
  CHECK(stub.calls("cuCtxSetLimit") == 0);
  gpu.compiler->recurses = true;
  std::uint64_t total = 0;
  CHECK(gpu.context->reduce(gpu.host, kernel(kLane, {x}), 1, kAddU32, 0, total) == Failure::None);
  CHECK(stub.calls("cuCtxSetLimit") == 1);
}
