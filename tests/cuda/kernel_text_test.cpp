// The text of kernels, without a GPU: what the writer makes of every device case and of programs chosen to reach its
// operations runs on the host (host_grid.hpp) and gives what emulation gives, bit for bit.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cuda/compiler.hpp"
#include "cuda/device.hpp"
#include "tests/cuda/host_device.hpp"
#include "tests/lower/support.hpp"
#include "vm/interpreter/trap_message.hpp"

namespace {

namespace fs = std::filesystem;
using namespace cairn;  // NOLINT
using cairn::test::Outcome;

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What a trap of the device says, and the line of the program it stands at.
struct Said {
  std::string message;
  std::uint32_t line = 0;
};
Said said_of(const cuda::DeviceTrap& trap, const bytecode::Module& module) {
  const bytecode::Function& function = module.functions[trap.function];
  const auto position = function.position_at(trap.word);
  return {interpreter::trap_message(trap.kind, module, function.code.data() + trap.word, trap.frame.data(), position,
                                    trap.detail),
          position.line};
}

/// Runs a program emulated and by its kernels' texts; both do the same.
void same_on_the_host(const std::string& program) {
  const Outcome emulated = test::run(program);
  test::HostDeviceEnd end;
  bytecode::Module module;
  const Outcome texts = test::run(program, [&](const bytecode::Module& made) {
    module = made;
    return test::host_device(made, end);
  });
  INFO(end.unsupported);
  CHECK(end.unsupported.empty());
  if (end.trap) {
    const Said said = said_of(*end.trap, module);
    // Which partial sums a checked sum overflows at follows from the order.
    const bool is_sum = end.trap->kind == TrapKind::Overflow && program.find("reduce +") != std::string::npos;
    CHECK((is_sum ? said.message.substr(0, 14) : said.message) ==
          (is_sum ? emulated.trap.substr(0, 14) : emulated.trap));
    CHECK(said.line == emulated.line);
  } else {
    CHECK(texts.trap == emulated.trap);
    CHECK(texts.status == emulated.status);
    CHECK(texts.output == emulated.output);
    CHECK(texts.bytes_held == emulated.bytes_held);
  }
}

bool has_kernels(const std::string& program) {
  const bool runs =
      program.find("expect: exit") != std::string::npos || program.find("expect: trap") != std::string::npos;
  return runs && program.find("@device") != std::string::npos && program.find("extern") == std::string::npos;
}

}  // namespace

TEST_CASE("a product of a device's matrices is device work, and its kernel one of the module's", "[cuda][text]") {
  const bytecode::Module module = test::lowered(R"(
fn product(m:usize, n:usize, k:usize, mn:usize, mk:usize, kn:usize, c:rw<f32>[mn]@device, a:ro<bf16>[mk]@device,
           b:ro<bf16>[kn]@device) {
  mma_unordered(m, n, k, c, a, b);
  mma_unordered(m, n, k, c, a, b);
})");
  CHECK(bytecode::has_device_work(module));
  const std::vector<cuda::KernelUse> kernels = cuda::kernels_of(module);
  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].use == cuda::Use::Multiply);
  CHECK(kernels[0].fold == static_cast<std::uint32_t>(bytecode::ScalarKind::BF16));
  const auto text = cuda::write_kernel(module, kernels[0]);
  REQUIRE(text);
  CHECK(text->text.find("multiply<FactorBF16>") != std::string::npos);
  CHECK_FALSE(bytecode::has_device_work(test::lowered(R"(
fn product(m:usize, n:usize, k:usize, mn:usize, mk:usize, kn:usize, c:rw<f32>[mn], a:ro<bf16>[mk], b:ro<bf16>[kn]) {
  mma_unordered(m, n, k, c, a, b);
})")));
}

TEST_CASE("the device cases give on the host, by their kernels' texts, what emulation gives", "[cuda][text]") {
  if (test::host_compiler().empty()) {
    WARN("no C++ compiler: the texts of kernels are not run");
    return;
  }
  std::vector<fs::path> cases;
  for (const char* folder : {"conformance/devices", "conformance/numerics", "conformance/pairs",
                             "conformance/concurrency", "cuda/programs"}) {
    for (const auto& each : fs::directory_iterator(fs::path(CAIRN_SOURCE_DIR) / "tests" / folder)) {
      if (each.path().extension() == ".cairn") cases.push_back(each.path());
    }
  }
  std::ranges::sort(cases);
  for (const fs::path& path : cases) {
    const std::string program = contents(path);
    if (!has_kernels(program)) continue;
    DYNAMIC_SECTION(path.filename().string()) { same_on_the_host(program); }
  }
}
