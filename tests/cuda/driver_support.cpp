#include "tests/cuda/driver_support.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include <dlfcn.h>

namespace cairn::cuda::test {

Stub::Stub(const std::string& path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  INFO(path);
  REQUIRE(handle_ != nullptr);
  const auto find = [&]<class F>(F*& function, const char* name) {
    function = reinterpret_cast<F*>(::dlsym(handle_, name));
    REQUIRE(function != nullptr);
  };
  find(fail_, "stub_fail");
  find(calls_, "stub_calls");
  find(live_, "stub_live");
  find(reset_, "stub_reset");
  find(memory_, "stub_memory");
  find(attribute_, "stub_attribute");
  reset_(13000);
  live_before_ = live_();
}
Stub::~Stub() { ::dlclose(handle_); }

std::expected<Code, std::string> TestCompiler::compile(const bytecode::Module& module, const KernelUse& use) {
  if (!refuses.empty()) return std::unexpected(refuses);
  Code code;
  if (use.function < module.functions.size()) code.name = module.functions[use.function].name;
  code.environment_bytes = sizeof(Given);
  code.sites = {{}, {use.function, 4, TrapKind::Bounds, {2, 5}, {}}};
  using enum Argument;
  switch (use.use) {
    case Use::Region:
      code.entries = {{"add", Grid::Stride, 256, 0, {Environment, Count, Trap}}};
      break;
    case Use::Reduce:
      code.entries = {{"partials", Grid::Partials, 256, 0, {Environment, Count, Scratch, Trap}},
                      {"total", Grid::One, 1, 0, {Scratch, Tiles, Total, Trap}}};
      break;
    case Use::Scan:
      code.tile = 8;
      code.entries = {{"scan", Grid::One, 1, 0, {Environment, Count, Output, Scratch, Tiles, Total, Trap}}};
      break;
    case Use::Compact:
      code.tile = 8;
      code.element_bytes = 8;
      code.entries = {{"select", Grid::One, 1, 0, {Environment, Count, Output, Staging, Scratch, Tiles, Total, Trap}}};
      break;
    case Use::Multiply:
      code.environment_bytes = sizeof(Context::Product);
      code.entries = {{"product", Grid::Blocks, 32, 0, {Environment, Count}}};
      break;
    case Use::Cooperative:
      code.entries = {{"blocks", Grid::Blocks, 32, 0, {Environment, Count, Counter, Trap}}};
      break;
  }
  code.stack_bytes = recurses ? kDeviceStack : 0;
  code.image = library();
  return code;
}

std::expected<VendoredCode, std::string> TestCompiler::compile_vendored(const bytecode::Module&,
                                                                        const bytecode::VendoredSource& source) {
  if (!refuses.empty()) return std::unexpected(refuses);
  VendoredCode code;
  code.image = library();
  for (const std::string& symbol : source.symbols) code.kernels.push_back({symbol, symbol});
  return code;
}

std::vector<std::uint8_t> TestCompiler::library() const {
  if (!image.empty()) return image;
  std::ifstream file(std::string(CAIRN_STUBS) + "/cuda_stub/kernels.so", std::ios::binary);
  std::vector<std::uint8_t> bytes(std::istreambuf_iterator<char>(file), {});
  REQUIRE_FALSE(bytes.empty());
  return bytes;
}

OpenGpu::OpenGpu(bool shares_the_primary, const std::string& library, const std::vector<std::string>& vendored) {
  if (!vendored.empty()) {
    module.signatures.emplace_back();
    module.foreigns.push_back(bytecode::foreign_of({"k.cu", "", vendored, {}}, 0));
  }
  bytecode::Function lane;
  lane.name = "p.main.lane";
  lane.kind = bytecode::FunctionKind::DeviceLane;
  lane.slots = 12;
  bytecode::Function blocks = lane;
  blocks.kind = bytecode::FunctionKind::Kernel;
  blocks.kernel.threads = 32;
  bytecode::Function finished = blocks;
  finished.kernel.finish = kBlocks;
  module.functions = {lane, blocks, finished};
  auto made = std::make_unique<TestCompiler>();
  compiler = made.get();
  GpuOptions options;
  options.target = "sm_90";
  options.shares_the_primary = shares_the_primary;
  auto opened = GpuDevice::open(module, options, {library, std::move(made)});
  if (!opened) {
    error = opened.error();
    return;
  }
  device = std::move(*opened);
  context = device->context();
}

void* OpenGpu::elements(const std::vector<std::uint64_t>& values) {
  const Allocation made = context->allocate(host, Space::Device, values.size(), 8, 8);
  REQUIRE(made.failure == Failure::None);
  auto* const source = const_cast<std::uint64_t*>(values.data());
  REQUIRE(context->copy(host, {Space::Device, made.memory}, {Space::Host, source}, 8 * values.size()) == Failure::None);
  return made.memory;
}

std::vector<std::uint64_t> OpenGpu::read(void* memory, std::size_t count) {
  std::vector<std::uint64_t> values(count, 0xdead);
  REQUIRE(context->copy(host, {Space::Host, values.data()}, {Space::Device, memory}, 8 * count) == Failure::None);
  return values;
}

}  // namespace cairn::cuda::test
