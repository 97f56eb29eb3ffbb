#include "jit/code/machine_call.hpp"
#include "jit/code/registration.hpp"
#include "jit/phases/kernel_code.hpp"

namespace cairn::jit {
namespace {

class PlacedKernel final : public KernelCode {
 public:
  explicit PlacedKernel(const CodeOptions& options)
      : memory_([] {
          static const asmjit::JitAllocator::CreateParams params = [] {
            asmjit::JitAllocator::CreateParams made;
            made.options = asmjit::JitAllocatorOptions::kUseDualMapping;
            made.blockSize = 1 << 16;
            return made;
          }();
          return &params;
        }()),
        registration_(options.perf_map, options.jitdump, options.debugger) {}

  bool place(asmjit::CodeHolder& holder, KernelLayout layout, const std::string& name) {
    layout_ = std::move(layout);
    bytes_ = holder.codeSize();
    void* placed = nullptr;
    if (memory_.add(&placed, &holder) != asmjit::kErrorOk) return false;
    run_ = reinterpret_cast<Run>(placed);
    registration_.add({name + " (blocks)", placed, holder.codeSize(), {}});
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
  void handleError(asmjit::Error error, const char*, asmjit::BaseEmitter*) override {
    if (first == asmjit::kErrorOk) first = error;
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
                                               KernelExchange exchange, const CodeOptions& options,
                                               std::string* listing) {
  const bytecode::Function& code = module.functions[function];
  const auto none = [&](std::string_view why) {
    if (listing != nullptr) *listing += "blocks run thread by thread: " + std::string(why) + "\n";
    return nullptr;
  };
  if (!has_vectors()) return none("the processor has no AVX-512");
  if (!code.kernel.pipelines.empty()) return none("the kernel has a pipeline");
  const phases::Graph graph(module, code);
  if (!graph.usable()) return none("its control flow or the memory of its threads has a form that is not translated");
  AnyError errors;
  asmjit::StringLogger logger;
  asmjit::CodeHolder holder;
  if (holder.init(asmjit::Environment::host()) != asmjit::kErrorOk) return none("no code can be made");
  holder.setErrorHandler(&errors);
  if (listing != nullptr) holder.setLogger(&logger);
  phases::Emitter emitter(holder, graph, code, exchange);
  if (!emitter.emit()) {
    const phases::Instruction* const at = emitter.untranslated();
    return none(at == nullptr ? "no code can be made" : bytecode::info(at->op).text);
  }
  holder.setErrorHandler(nullptr);
  if (errors.first != asmjit::kErrorOk) return none("no code can be made");
  if (listing != nullptr) listing->append(logger.data(), logger.dataSize());
  auto placed = std::make_unique<PlacedKernel>(options);
  return placed->place(holder, std::move(emitter.layout), code.name) ? std::move(placed) : nullptr;
}

}  // namespace cairn::jit
