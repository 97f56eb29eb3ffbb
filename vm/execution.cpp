#include "vm/execution.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "cuda/device.hpp"
#include "cuda/gpus.hpp"
#include "vm/device_choice.hpp"
#include "vm/foreign/foreign_library.hpp"
#include "vm/interpreter/image.hpp"
#include "vm/interpreter/telling_thread.hpp"
#include "vm/interpreter/thread.hpp"
#include "vm/natives/c_library.hpp"
#include "vm/profile/report.hpp"
#include "vm/tiers/tiers.hpp"

namespace cairn {

struct Execution::State {
  State(bytecode::Module module, const Limits& limits, const ExecutionOptions& options)
      : image(std::move(module), options.natives != nullptr ? *options.natives : c_library_natives()),
        foreigns(image.module(), options.host),
        instance(image, options.output != nullptr ? *options.output : output, limits, options.tier),
        thread(instance) {
    instance.set_foreign_caller(&foreigns);
    if (options.watched) instance.watch();
  }
  // The instance's other threads borrow from this one's stack.
  ~State() {
    instance.end();
    if (sampler != nullptr) {
      sampler->stop();
      sampler->detach(thread);
    }
  }

  Image image;
  ForeignLibrary foreigns;
  DescriptorSink output;
  std::unique_ptr<profile::Sampler> sampler;  // outlives the threads it samples
  Instance instance;
  Thread thread;
};

namespace {

std::expected<std::unique_ptr<cuda::Device>, std::string> gpu_of(const bytecode::Module& module, bool shares) {
  const cuda::Gpus gpus = cuda::list_gpus();
  const cuda::Gpu* const gpu = gpu_for(gpus, module.built_for);
  if (gpu == nullptr) return std::unexpected(*why_not_run_on_device(gpus, module.built_for));
  cuda::GpuOptions options;
  options.ordinal = gpu->ordinal;
  options.target = module.built_for;
  options.shares_the_primary = shares;
  return cuda::open_gpu(module, options);
}

}  // namespace

Execution::Execution(bytecode::Module module, const ExecutionOptions& options) {
  Limits limits;
  limits.memory_bytes = options.memory_bytes;
  limits.steps = options.steps;
  limits.tasks = options.tasks;
  limits.lanes = options.lanes;
  if (options.stack_bytes != 0) limits.stack_bytes = options.stack_bytes;
  state_ = std::make_unique<State>(std::move(module), limits, options);
  const bytecode::Module& program = state_->image.module();
  if (!program.emulated_for.empty()) {
    state_->instance.set_device(cuda::emulated_device());
  } else if (!program.built_for.empty()) {
    state_->instance.set_device_source([&program, shares = options.shares_the_gpu] { return gpu_of(program, shares); });
  }
  std::string list(options.program);
  list += '\0';
  for (const std::string_view argument : options.arguments) {
    list += argument;
    list += '\0';
  }
  state_->instance.set_argument_list(std::move(list));
}

Execution::~Execution() = default;

std::optional<std::string> Execution::open_device() {
  if (!bytecode::has_device_work(module())) return std::nullopt;
  std::string why;
  if (state_->instance.device(why) != nullptr) return std::nullopt;
  return why;
}

const bytecode::Module& Execution::module() const { return state_->image.module(); }

std::optional<std::string> Execution::use_stream(void* stream, bool waits) {
  if (!bytecode::has_device_work(module())) return std::nullopt;
  interpreter::TellingThread host;
  cuda::Context* const context = state_->thread.device_context(host.why);
  if (context == nullptr || context->prepare(host) != cuda::Failure::None) return host.why;
  context->use_stream(stream, waits);
  return std::nullopt;
}

void Execution::die_of_traps() {
  state_->instance.on_trap([](const TrapRecord& trap) { die_of(trap); });
}

void Execution::die_of_traps(std::function<void()> last) {
  state_->instance.on_trap([last = std::move(last)](const TrapRecord& trap) { die_of(trap, last); });
}

void Execution::begin_profile() {
  state_->sampler = std::make_unique<profile::Sampler>(state_->instance);
  state_->instance.set_sampler(state_->sampler.get());
  state_->sampler->attach(state_->thread);
}

std::unique_ptr<profile::Report> Execution::end_profile() {
  if (state_->sampler == nullptr || state_->sampler->elapsed() != 0) return nullptr;
  state_->sampler->stop();
  return std::make_unique<profile::Report>(profile::report_of(*state_->sampler));
}

std::optional<std::string> Execution::missing() const { return state_->foreigns.missing(); }

std::string Execution::assembly(std::span<const std::uint32_t> functions) {
  Tiers* tiers = state_->instance.tiers();
  if (tiers != nullptr) return tiers->listing(state_->thread, functions);
  return Tiers(state_->image, Tier::Optimizing, {}).listing(state_->thread, functions);
}

std::optional<TrapRecord> Execution::call(std::uint32_t function, std::span<const std::uint64_t> arguments,
                                          std::span<std::uint64_t> result) {
  if (invoke(function, arguments, result)) return std::nullopt;
  return trap();
}

bool Execution::invoke(std::uint32_t function, std::span<const std::uint64_t> arguments,
                       std::span<std::uint64_t> result) {
  return state_->thread.invoke(function, arguments, result);
}

TrapRecord Execution::trap() const {
  // The thread that called may only have been told to stop.
  return state_->instance.first_trap().value_or(state_->thread.trap);
}

void Execution::stop() { state_->instance.stop(); }
void Execution::interrupt() { state_->instance.interrupt(); }
void Execution::set_deadline(std::int64_t nanoseconds) { state_->instance.set_deadline(nanoseconds); }
std::uint64_t Execution::memory_used() const { return state_->instance.memory().used(); }

std::expected<std::int32_t, TrapRecord> Execution::run_main() {
  std::uint64_t value = 0;
  if (auto trap = call(module().entry, {}, std::span(&value, 1))) return std::unexpected(std::move(*trap));
  return static_cast<std::int32_t>(value);
}

void die_of(const TrapRecord& trap, const std::function<void()>& last) {
  static std::atomic_flag dying;
  while (dying.test_and_set()) ::pause();  // another thread is ending the process
  DescriptorSink().write(true, render(trap));
  if (last) last();
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // a failed guard is no fault of this process worth a core file
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

}  // namespace cairn
