// A GPU that is the stub driver's, and kernels for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/driver/gpu_device.hpp"
#include "tests/cuda/stub/cuda_stub.hpp"
#include "vm/bytecode/module.hpp"

namespace cairn::cuda::test {

inline const std::string kStub = std::string(CAIRN_STUBS) + "/cuda_stub/lib64/libcuda.so.1";

/// The stub's controls, in the library the driver's part opens.
class Stub {
 public:
  /// Nothing fails, nothing was called, and nothing is live that was not before.
  explicit Stub(const std::string& path = kStub);
  ~Stub();
  void fail(const char* function, int after, Status status) { fail_(function, after, static_cast<int>(status)); }
  [[nodiscard]] int calls(const char* function) const { return calls_(function); }
  [[nodiscard]] int live() const { return live_() - live_before_; }
  void version(int version) { reset_(version); }
  void memory(std::uint64_t bytes) { memory_(bytes); }
  void attribute(int attribute, int value) { attribute_(attribute, value); }

 private:
  void* handle_;
  decltype(stub_fail)* fail_;
  decltype(stub_calls)* calls_;
  decltype(stub_live)* live_;
  decltype(stub_reset)* reset_;
  decltype(stub_memory)* memory_;
  decltype(stub_attribute)* attribute_;
  int live_before_ = 0;
};

/// Gives the test kernels (stub/test_kernels.cpp) whatever is asked for, by its use.
class TestCompiler final : public Compiler {
 public:
  std::expected<Code, std::string> compile(const bytecode::Module& module, const KernelUse& use) override;
  /// The same library, whose "scaled" (n, out, x, by) a source may be said to define.
  std::expected<VendoredCode, std::string> compile_vendored(const bytecode::Module& module,
                                                            const bytecode::VendoredSource& source) override;
  [[nodiscard]] std::string made_by() const override { return "a test"; }
  bool recurses = false;            // so does every kernel
  std::string refuses;              // the next compilation fails with this
  std::vector<std::uint8_t> image;  // in place of the library

 private:
  [[nodiscard]] std::vector<std::uint8_t> library() const;
};

/// A host thread that lends nothing: the GPU has memory and code of its own.
class HostThreadOfGpu final : public HostThread {
 public:
  void* allocate(std::uint64_t, std::uint64_t, std::uint32_t) override { return nullptr; }
  void release(void*, std::uint64_t) override {}
  bool run(const Kernel&, std::uint64_t, std::uint64_t, std::span<const std::uint64_t>, std::uint64_t*) override {
    return false;
  }
  bool run_all(const Kernel&, std::uint64_t) override { return false; }
  bool run_blocks(const Kernel&, std::uint64_t) override { return false; }
  void trapped(const DeviceTrap& found) override { traps.push_back(found); }
  void refused(std::string why) override { refusals.push_back(std::move(why)); }

  std::vector<DeviceTrap> traps;
  std::vector<std::string> refusals;
};

/// What the lanes of the test kernels are given.
struct Given {
  void* x = nullptr;
  std::uint64_t more = 0;
  std::uint64_t fails_at = UINT64_MAX;
};
inline Kernel kernel(std::uint32_t function, const Given& given) {
  return {function, {reinterpret_cast<const std::uint8_t*>(&given), sizeof(given)}};
}

/// Functions of the module: a device lane, and kernels of cooperative regions without and with a finish.
inline constexpr std::uint32_t kLane = 0, kBlocks = 1, kBlocksWithFinish = 2;

/// An opened GPU with one host thread.
struct OpenGpu {
  /// `vendored`: the kernels that a vendored source is said to define.
  explicit OpenGpu(bool shares_the_primary = false, const std::string& library = kStub,
                   const std::vector<std::string>& vendored = {});

  /// Device memory that holds these elements.
  void* elements(const std::vector<std::uint64_t>& values);
  [[nodiscard]] std::vector<std::uint64_t> read(void* memory, std::size_t count);

  bytecode::Module module;
  TestCompiler* compiler = nullptr;
  std::unique_ptr<GpuDevice> device;
  std::unique_ptr<Context> context;
  HostThreadOfGpu host;
  std::string error;  // why it did not open
};

}  // namespace cairn::cuda::test
