#include "vm/interpreter/thread.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "vm/interpreter/interpreter.hpp"
#include "vm/interpreter/machine.hpp"
#include "vm/interpreter/trap_message.hpp"

namespace cairn {
namespace {

using bytecode::kLinkSlots;
using bytecode::kNone;

constexpr std::uint64_t kFuel = 1 << 16;  // back edges and calls between two looks at the host's wishes
constexpr std::size_t kShownCalls = 8;

std::string place(const bytecode::Module& module, const bytecode::SourcePosition& position) {
  if (position.file == kNone) return {};
  return module.files[position.file] + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

}  // namespace

bool DescriptorSink::write(bool to_error, std::span<const char> bytes) {
  const int descriptor = to_error ? STDERR_FILENO : STDOUT_FILENO;
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

std::uint64_t Instance::take_steps(std::uint64_t steps) {
  if (limits_.steps == 0) return steps;
  const std::uint64_t before = steps_taken_.fetch_add(steps, std::memory_order_relaxed);
  return before >= limits_.steps ? 0 : std::min(steps, limits_.steps - before);
}

void NativeCall::trap(TrapKind kind, std::string detail) { thread_.pending = {kind, std::move(detail)}; }

Thread::Thread(Instance& instance)
    : functions(instance.image().functions()),
      function_count(instance.image().module().functions.size()),
      instance_(instance),
      stack_(instance.limits().stack_bytes),
      heap_(instance.memory()) {}

std::optional<TrapRecord> Thread::call(std::uint32_t function, std::span<const std::uint64_t> arguments,
                                       std::span<std::uint64_t> result) {
  const CodeEntry& entry = functions[function];
  std::uint64_t* window = (native_frame.top != nullptr ? native_frame.top : stack_.begin()) + kLinkSlots;
  std::uint8_t* memory = native_frame.top != nullptr ? native_frame.memory : stack_.end();
  auto* const first = reinterpret_cast<std::uint8_t*>(window);
  if (stack_.begin() == nullptr || first > memory || static_cast<std::uint64_t>(memory - first) < entry.frame_bytes) {
    trapped = true;
    trap.kind = TrapKind::Stack;
    trap.message = "trap: stack: the call depth is spent";
    trap.notes = {"in " + entry.function->name};
    return trap;
  }
  window[-1] = reinterpret_cast<std::uint64_t>(interpreter::kExit);
  window[-2] = 0;
  window[-3] = reinterpret_cast<std::uint64_t>(memory);
  std::ranges::copy(arguments, window);
  interpreter::run(*this, entry.code, window, memory);
  if (trapped) return trap;
  std::copy_n(window, result.size(), result.begin());
  return std::nullopt;
}

void Thread::record_trap(TrapKind kind, const bytecode::Word* pc, const std::uint64_t* base) {
  trapped = true;
  const bytecode::Module& module = image().module();
  const std::uint32_t index = image().function_at(pc);
  if (index == kNone) return;
  const CodeEntry& entry = functions[index];
  const auto position = entry.function->position_at(static_cast<std::uint32_t>(pc - entry.body));
  trap.kind = kind;
  trap.message = interpreter::trap_message(kind, module, pc, base, position, pending.detail);
  if (position.file != kNone) {
    trap.file = module.files[position.file];
    trap.line = position.line;
    trap.column = position.column;
  }
  trap.notes.push_back("in " + entry.function->name);
  std::size_t more = 0;
  while (true) {
    const auto* back = reinterpret_cast<const bytecode::Word*>(base[-1]);
    const auto* caller = reinterpret_cast<const std::uint64_t*>(base[-2]);
    if (caller == nullptr) break;
    base = caller;
    if (trap.notes.size() > kShownCalls) {
      ++more;
      continue;
    }
    const std::uint32_t from = image().function_at(back - 1);
    if (from == kNone) break;
    const bytecode::Function& function = *functions[from].function;
    const auto at = function.position_at(static_cast<std::uint32_t>(back - 1 - functions[from].body));
    trap.notes.push_back("called at " + place(module, at) + ", in " + function.name);
  }
  if (more != 0) trap.notes.push_back("and " + std::to_string(more) + " more calls");
}

TrapKind Thread::poll() {
  if (instance_.interrupted()) return TrapKind::Interrupt;
  const std::uint64_t steps = instance_.take_steps(kFuel);
  if (steps == 0) return TrapKind::Limit;
  fuel += static_cast<std::int64_t>(steps);
  return TrapKind::None;
}

}  // namespace cairn
