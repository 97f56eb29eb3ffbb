// What a GPU's failures become: one sentence that names what is missing, a guard's own words, never a crash.
#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

#include "tests/cuda/driver_support.hpp"

namespace {

using namespace cairn::cuda;        // NOLINT: tests speak of little else
using namespace cairn::cuda::test;  // NOLINT
using Catch::Contains;

constexpr std::uint64_t kAddU32 = static_cast<std::uint64_t>(cairn::bytecode::ReduceKind::Add) +
                                  256 * static_cast<std::uint64_t>(cairn::bytecode::ScalarKind::U32);

std::string why_not(const std::string& library) {
  const auto driver = open_driver(library);
  return driver ? "it opens" : driver.error();
}

}  // namespace

TEST_CASE("what is missing of a driver is named", "[cuda][driver]") {
  CHECK(why_not("/nowhere/libcuda.so.1") == "there is no CUDA driver: /nowhere/libcuda.so.1 is not on this machine");
  CHECK_THAT(why_not(std::string(CAIRN_STUBS) + "/cuda_stub_incomplete/libcuda.so.1"),
             Contains("is too old: it has no cuStreamWaitEvent"));
  Stub stub;
  CHECK(why_not(kStub) == "it opens");
  stub.version(10020);
  CHECK_THAT(why_not(kStub), Contains("is too old: it has CUDA 10.2, and 11.0 is needed"));
  stub.version(13000);
  stub.fail("cuInit", 0, Status::NoDevice);
  CHECK(why_not(kStub) == "the CUDA driver finds no device");
  stub.fail("cuInit", 0, Status::StubLibrary);
  CHECK_THAT(why_not(kStub), Contains("is a toolkit's stub for linking, not a CUDA driver"));
  stub.fail("cuInit", 0, static_cast<Status>(804));
  CHECK(why_not(kStub) == "the CUDA driver does not start: error 804 of the CUDA driver");
  const std::string text = std::string(CAIRN_STUBS) + "/no_library.so";
  std::ofstream(text) << "not a library";
  CHECK_THAT(why_not(text), Contains("the CUDA driver's library does not open: " + text));
}

TEST_CASE("a GPU that cannot be used says at which step", "[cuda][driver]") {
  Stub stub;
  for (const char* function : {"cuDeviceGet", "cuCtxCreate_v2", "cuMemAlloc_v2", "cuStreamSynchronize"}) {
    stub.fail(function, 0, Status::InvalidValue);
    const OpenGpu gpu;
    INFO(function);
    CHECK_THAT(gpu.error, Contains("the GPU cannot be used: ") && Contains("CUDA_ERROR_INVALID_VALUE"));
  }
  stub.fail("cuDevicePrimaryCtxRetain", 0, Status::OutOfMemory);
  CHECK_THAT(OpenGpu(true).error, Contains("making a context gives CUDA_ERROR_OUT_OF_MEMORY"));
  CHECK(stub.live() == 0);
}

TEST_CASE("a pool that cannot be made is done without", "[cuda][driver]") {
  Stub stub;
  for (const char* function : {"cuMemPoolCreate", "cuMemPoolSetAttribute"}) {
    stub.fail(function, 0, Status::InvalidValue);
    OpenGpu gpu;
    REQUIRE(gpu.error.empty());
    CHECK(gpu.read(gpu.elements({5}), 1).front() == 5);
  }
  CHECK(stub.live() == 0);
}

TEST_CASE("a failed guard is told with its place and values, by whoever looks first, and nothing runs after it",
          "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  const auto other = gpu.device->context();
  void* const x = gpu.elements({10, 20, 30});
  const Given given{x, 1, 2};
  CHECK(gpu.context->parallel(gpu.host, kernel(kLane, given), 3) == Failure::Trapped);
  REQUIRE(gpu.host.traps.size() == 1);
  const DeviceTrap& trap = gpu.host.traps.front();
  CHECK(trap.kind == cairn::TrapKind::Bounds);
  CHECK(trap.function == kLane);
  CHECK(trap.word == 4);
  REQUIRE(trap.frame.size() == 12);
  CHECK(trap.frame[2] == 30);
  CHECK(trap.frame[5] == 7);
  CHECK(trap.where == "lane 2");

  const int launches = stub.calls("cuLaunchKernel");
  HostThreadOfGpu second;
  CHECK(other->parallel(second, kernel(kLane, given), 3) == Failure::Trapped);
  CHECK(second.traps.front().where == "lane 2");
  std::uint64_t word = 5;
  CHECK(gpu.context->copy(gpu.host, {Space::Host, &word}, {Space::Device, x}, 8) == Failure::Trapped);
  CHECK(word == 5);
  CHECK(gpu.context->allocate(gpu.host, Space::Device, 1, 8, 8).failure == Failure::Trapped);
  CHECK(gpu.context->queue_parallel(gpu.host, kernel(kLane, given), 1).failure == Failure::Trapped);
  CHECK(gpu.context->wait(gpu.host, 1) == Failure::Trapped);
  CHECK(stub.calls("cuLaunchKernel") == launches);
  gpu.context->release(gpu.host, Space::Device, x, 24);
}

TEST_CASE("a guard that fails in queued work shows at its wait, and what came after it did not run", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  void* const x = gpu.elements({1, 2, 3});
  const Given failing{x, 1, 0};
  const Queued first = gpu.context->queue_parallel(gpu.host, kernel(kLane, failing), 3);
  REQUIRE(first.failure == Failure::None);
  std::uint64_t back[3] = {7, 7, 7};
  gpu.context->after(first.ticket);
  const Queued second = gpu.context->queue_copy(gpu.host, {Space::Host, back}, {Space::Device, x}, 24);
  REQUIRE(second.failure == Failure::None);
  CHECK(gpu.context->wait(gpu.host, second.ticket) == Failure::Trapped);
  CHECK(gpu.host.traps.front().where == "lane 0");
  CHECK(back[0] == 7);
}

TEST_CASE("a guard that fails on a caller's stream shows at the next operation that waits", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu(true);
  void* const x = gpu.elements({1});
  gpu.context->use_stream(nullptr, false);
  CHECK(gpu.context->parallel(gpu.host, kernel(kLane, {x, 1, 0}), 1) == Failure::None);
  gpu.context->use_stream(nullptr, true);
  std::uint64_t word = 0;
  CHECK(gpu.context->copy(gpu.host, {Space::Host, &word}, {Space::Device, x}, 8) == Failure::Trapped);
}

TEST_CASE("what ends the device's work without a guard is told in the driver's words, once", "[cuda][driver]") {
  for (const Status status : {Status::IllegalAddress, Status::MisalignedAddress, Status::LaunchTimeout,
                              Status::LaunchFailed, Status::ContextIsDestroyed}) {
    Stub stub;
    {
      OpenGpu gpu;
      void* const x = gpu.elements({1});
      stub.fail("kernel", 0, status);
      CHECK(gpu.context->parallel(gpu.host, kernel(kLane, {x, 1}), 1) == Failure::Refused);
      REQUIRE(gpu.host.refusals.size() == 1);
      CHECK_THAT(gpu.host.refusals.front(), Contains("a region gives CUDA_ERROR_"));
      CHECK(gpu.context->parallel(gpu.host, kernel(kLane, {x, 1}), 1) == Failure::Lost);
      CHECK(gpu.host.refusals.size() == 1);
    }
    CHECK(stub.live() == 0);
    OpenGpu next;  // in a context of its own
    CHECK(next.read(next.elements({4}), 1).front() == 4);
  }
}

TEST_CASE("every call of the driver may fail, and its operation says so", "[cuda][driver]") {
  struct Case {
    const char* function;
    Failure (*run)(OpenGpu&, void*);
  };
  const auto region = [](OpenGpu& gpu, void* x) { return gpu.context->parallel(gpu.host, kernel(kLane, {x, 1}), 1); };
  const auto recursion = [](OpenGpu& gpu, void* x) {
    gpu.compiler->recurses = true;
    return gpu.context->parallel(gpu.host, kernel(kLane, {x, 1}), 1);
  };
  const auto total = [](OpenGpu& gpu, void* x) {
    std::uint64_t sum = 0;
    return gpu.context->reduce(gpu.host, kernel(kLane, {x}), 1, kAddU32, 0, sum);
  };
  const auto element = [](OpenGpu& gpu, void* x) {
    return gpu.context->reduce_to(gpu.host, kernel(kLane, {x}), 0, kAddU32, 0, x);
  };
  const auto up = [](OpenGpu& gpu, void* x) {
    std::uint64_t word = 1;
    return gpu.context->copy(gpu.host, {Space::Device, x}, {Space::Host, &word}, 8);
  };
  const auto down = [](OpenGpu& gpu, void* x) {
    std::uint64_t word = 1;
    return gpu.context->copy(gpu.host, {Space::Host, &word}, {Space::Device, x}, 8);
  };
  const auto within = [](OpenGpu& gpu, void* x) {
    return gpu.context->copy(gpu.host, {Space::Device, x}, {Space::Device, x}, 8);
  };
  const auto queued = [](OpenGpu& gpu, void* x) {
    const Queued first = gpu.context->queue_parallel(gpu.host, kernel(kLane, {x, 1}), 1);
    if (first.failure != Failure::None) return first.failure;
    gpu.context->after(first.ticket);
    const Queued second = gpu.context->queue_copy(gpu.host, {Space::Device, x}, {Space::Device, x}, 8);
    return second.failure != Failure::None ? second.failure : gpu.context->wait(gpu.host, second.ticket);
  };
  const Case cases[] = {
      {"cuLaunchKernel", region},         {"cuStreamSynchronize", region},  {"cuModuleLoadDataEx", region},
      {"cuModuleGetFunction", region},    {"cuFuncGetAttribute", region},   {"cuLaunchKernel", total},
      {"cuMemAllocFromPoolAsync", total}, {"cuMemsetD8Async", element},     {"cuMemcpyHtoDAsync_v2", up},
      {"cuMemcpyDtoHAsync_v2", down},     {"cuMemcpyDtoDAsync_v2", within}, {"cuStreamCreate", queued},
      {"cuEventCreate", queued},          {"cuEventRecord", queued},        {"cuStreamWaitEvent", queued},
      {"cuEventSynchronize", queued},     {"cuCtxGetLimit", recursion},     {"cuCtxSetLimit", recursion},
  };
  for (const Case& each : cases) {
    for (const Status status : {Status::InvalidValue, Status::LaunchFailed}) {
      Stub stub;
      {
        OpenGpu gpu;
        void* const x = gpu.elements({1});
        stub.fail(each.function, 0, status);
        INFO(each.function);
        CHECK(each.run(gpu, x) == Failure::Refused);
        REQUIRE(gpu.host.refusals.size() == 1);
        CHECK_THAT(gpu.host.refusals.front(), Contains("CUDA_ERROR_"));
        CHECK(region(gpu, x) == Failure::Lost);
      }
      CHECK(stub.live() == 0);
    }
  }
}

TEST_CASE("the first work of a thread fails where its streams and memory cannot be made", "[cuda][driver]") {
  for (const char* function : {"cuStreamCreate", "cuEventCreate", "cuMemHostAlloc"}) {
    for (const Status status : {Status::OutOfMemory, Status::InvalidValue}) {
      Stub stub;
      {
        OpenGpu gpu;
        stub.fail(function, 0, status);
        INFO(function);
        const Failure failure = gpu.context->allocate(gpu.host, Space::Device, 1, 8, 8).failure;
        CHECK(failure == (status == Status::OutOfMemory ? Failure::Memory : Failure::Refused));
      }
      CHECK(stub.live() == 0);
    }
  }
}

TEST_CASE("code that does not load is told with what the driver's compiler said", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  void* const x = gpu.elements({1});
  gpu.compiler->image.assign(64, 'x');
  CHECK(gpu.context->parallel(gpu.host, kernel(kLane, {x, 1}), 1) == Failure::Refused);
  CHECK(gpu.host.refusals.front() ==
        "the driver does not load the code of p.main.lane: CUDA_ERROR_INVALID_IMAGE (as the driver says it). It was "
        "made by a test, and the driver is of CUDA 13.0: where the first is the later one, NVRTC of the driver's "
        "version is needed\nptxas: the image is no library of the host");
  CHECK(gpu.context->parallel(gpu.host, kernel(kLane, {x, 1}), 1) == Failure::Lost);
}

TEST_CASE("code that does not compile, a ticket nobody gave and a kernel nobody has are refused", "[cuda][driver]") {
  Stub stub;
  {
    OpenGpu gpu;
    gpu.compiler->refuses = "p.cairn:3:5: no";
    CHECK(gpu.context->parallel(gpu.host, kernel(kLane, {}), 1) == Failure::Refused);
    CHECK(gpu.host.refusals.front() == "p.cairn:3:5: no");
  }
  OpenGpu gpu;
  CHECK(gpu.context->wait(gpu.host, 0) == Failure::Refused);
  gpu.context->after(3);
  CHECK(gpu.context->queue_parallel(gpu.host, kernel(kLane, {}), 1).failure == Failure::Refused);
  CHECK(gpu.context->launch(gpu.host, {"saxpy", "", 1, 32, {}}) == Failure::Refused);
  CHECK(gpu.host.refusals.back() == "no vendored source defines saxpy");
}

TEST_CASE("a vendored kernel that is not there, or does not load, is told before anything runs", "[cuda][driver]") {
  Stub stub;
  CHECK_THAT(OpenGpu(false, kStub, {"absent"}).error,
             Contains("the code of k.cu has no usable kernel absent: CUDA_ERROR_NOT_FOUND"));
  stub.fail("cuModuleLoadDataEx", 0, Status::NoBinaryForGpu);
  CHECK_THAT(OpenGpu(false, kStub, {"scaled"}).error, Contains("the driver does not load the code of k.cu: "));
  CHECK(stub.live() == 0);
}

TEST_CASE("a launch of a vendored kernel that fails ends the device's work in the driver's words", "[cuda][driver]") {
  for (const char* function : {"kernel", "cuLaunchKernel"}) {
    Stub stub;
    OpenGpu gpu(false, kStub, {"scaled"});
    REQUIRE(gpu.error.empty());
    void* const x = gpu.elements({1});
    const std::uint64_t arguments[] = {1, reinterpret_cast<std::uint64_t>(x), 1, reinterpret_cast<std::uint64_t>(x), 1,
                                       0};
    const Launch launch{"scaled", "vppv", 1, 32, arguments};
    stub.fail(function, 0, Status::IllegalAddress);
    CHECK(gpu.context->launch(gpu.host, launch) == Failure::Refused);
    CHECK_THAT(gpu.host.refusals.front(), Contains("scaled gives CUDA_ERROR_ILLEGAL_ADDRESS"));
    CHECK(gpu.context->launch(gpu.host, launch) == Failure::Lost);
  }
}

TEST_CASE("more indices than tiles or memory can hold are refused before anything is launched", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  std::uint64_t kept = 0;
  const int launches = stub.calls("cuLaunchKernel");
  CHECK(gpu.context->compact(gpu.host, kernel(kLane, {}), UINT64_MAX / 2, nullptr, kept) == Failure::Refused);
  CHECK_THAT(gpu.host.refusals.front(), Contains("indices are more than a launch has blocks for"));
  CHECK(stub.calls("cuLaunchKernel") == launches);
}

TEST_CASE("threads that fail at one time all tell the same guard", "[cuda][driver]") {
  Stub stub;
  OpenGpu gpu;
  void* const x = gpu.elements({1, 2, 3, 4});
  std::vector<std::thread> threads;
  std::vector<HostThreadOfGpu> hosts(4);
  std::vector<Failure> failures(4);
  for (std::size_t k = 0; k < hosts.size(); ++k) {
    threads.emplace_back([&, k] {
      const auto context = gpu.device->context();
      const Given given{x, 1, 3};
      failures[k] = context->parallel(hosts[k], kernel(kLane, given), 4);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t k = 0; k < hosts.size(); ++k) {
    CHECK(failures[k] == Failure::Trapped);
    CHECK(hosts[k].traps.front().where == "lane 3");
  }
}
