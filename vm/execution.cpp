#include "vm/execution.hpp"

#include <csignal>
#include <cstdlib>
#include <utility>

#include <sys/resource.h>

#include "vm/interpreter/image.hpp"
#include "vm/interpreter/thread.hpp"

namespace cairn {

struct Execution::State {
  State(bytecode::Module module, const Limits& limits)
      : image(std::move(module), natives), instance(image, output, limits), thread(instance) {}

  NativeTable natives;
  Image image;
  DescriptorSink output;
  Instance instance;
  Thread thread;
};

Execution::Execution(bytecode::Module module, const ExecutionOptions& options) {
  Limits limits;
  limits.memory_bytes = options.memory_bytes;
  state_ = std::make_unique<State>(std::move(module), limits);
}

Execution::~Execution() = default;

const bytecode::Module& Execution::module() const { return state_->image.module(); }

std::optional<TrapRecord> Execution::call(std::uint32_t function, std::span<const std::uint64_t> arguments,
                                          std::span<std::uint64_t> result) {
  return state_->thread.call(function, arguments, result);
}

std::expected<std::int32_t, TrapRecord> Execution::run_main() {
  std::uint64_t value = 0;
  if (auto trap = call(module().entry, {}, std::span(&value, 1))) return std::unexpected(std::move(*trap));
  return static_cast<std::int32_t>(value);
}

void die_of(const TrapRecord& trap) {
  DescriptorSink().write(true, render(trap));
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // a failed guard is no fault of this process worth a core file
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

}  // namespace cairn
