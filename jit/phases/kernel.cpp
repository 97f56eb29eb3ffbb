#include "jit/code/machine_call.hpp"
#include "jit/code/registration.hpp"
#include "jit/phases/kernel_code.hpp"

namespace cairn::jit {
namespace {

class PlacedKernel final : public KernelCode {
 public:
  PlacedKernel(const CodeOptions& options)
      : memory_([] {
          static const asmjit::JitAllocator::CreateParams params = [] {
            asmjit::JitAllocator::CreateParams made;
            made.options = asmjit::JitAllocatorOptions::kUseDualMapping;
            made.blockSize = 1 << 16;
            return made;
          }();
          return &params;
        }()),
        registration_(options.perf_map, options.debugger) {}

  bool place(asmjit::CodeHolder& holder, KernelLayout layout, const std::string& name) {
    layout_ = std::move(layout);
    bytes_ = holder.codeSize();
    void* placed = nullptr;
    if (memory_.add(&placed, &holder) != asmjit::kErrorOk) return false;
    run_ = reinterpret_cast<Run>(placed);
    registration_.add(name + " (blocks)", placed, holder.codeSize());
    return true;
  }

  CAIRN_CALLS_MACHINE_CODE std::uint64_t run(KernelBlock& block) const override { return run_(&block); }
  const KernelLayout& layout() const override { return layout_; }
  std::size_t bytes() const override { return bytes_; }

 private:
  using Run = std::uint64_t (*)(KernelBlock*);
  asmjit::JitRuntime memory_;
  Registration registration_;
  KernelLayout layout_;
  std::size_t bytes_ = 0;
  Run run_ = nullptr;
};

/// Keeps the first error: what was made is then not used.
class AnyError final : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error error, const char* message, asmjit::BaseEmitter*) override {
    if (first == asmjit::kErrorOk) first = error;
    if (getenv("CAIRN_PHASES")) fprintf(stderr, "asmjit: %s\n", message);
  }
  asmjit::Error first = asmjit::kErrorOk;
};

bool has_vectors() {
  const auto& features = asmjit::CpuInfo::host().features().x86();
  return features.hasAVX512_F() && features.hasAVX512_DQ() && features.hasAVX512_VL() && features.hasAVX512_BW() &&
         features.hasFMA();
}

}  // namespace

std::unique_ptr<KernelCode> KernelCode::create(const bytecode::Module& module, std::uint32_t function,
                                               KernelExchange exchange, const CodeOptions& options) {
  if (!has_vectors()) return nullptr;
  const bytecode::Function& code = module.functions[function];
  if (!code.kernel.pipelines.empty()) return nullptr;
  const phases::Graph graph(module, code);
  if (!graph.usable()) return nullptr;
  AnyError errors;
  asmjit::CodeHolder holder;
  if (holder.init(asmjit::Environment::host()) != asmjit::kErrorOk) return nullptr;
  holder.setErrorHandler(&errors);
  asmjit::FileLogger logger(stderr);
  if (getenv("CAIRN_PHASES")) holder.setLogger(&logger);
  phases::Emitter emitter(holder, graph, code, exchange);
  if (!emitter.emit() || errors.first != asmjit::kErrorOk) return nullptr;
  holder.setErrorHandler(nullptr);
  auto placed = std::make_unique<PlacedKernel>(options);
  return placed->place(holder, std::move(emitter.layout), code.name) ? std::move(placed) : nullptr;
}

}  // namespace cairn::jit
