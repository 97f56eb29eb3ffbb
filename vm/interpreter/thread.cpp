#include "vm/interpreter/thread.hpp"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "cuda/compiler.hpp"
#include "cuda/device.hpp"
#include "runtime/pool/lane_pool.hpp"
#include "runtime/tasks/task_threads.hpp"
#include "vm/interpreter/float_environment.hpp"
#include "vm/interpreter/interpreter.hpp"
#include "vm/interpreter/machine.hpp"
#include "vm/interpreter/trap_message.hpp"
#include "vm/profile/sampler.hpp"
#include "vm/tiers/tiers.hpp"

namespace cairn {
namespace {

using bytecode::kLinkSlots;
using bytecode::kNone;

constexpr std::size_t kShownNotes = 8;

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

namespace {

std::atomic<std::uint64_t> instances_made{0};

/// The Thread a pool or task thread has for each instance it worked for; destroyed where the thread ends.
struct OwnThread {
  std::uint64_t instance = 0;
  std::unique_ptr<Thread> thread;
};
thread_local std::vector<OwnThread> own_threads;

}  // namespace

Instance::Instance(const Image& image, OutputSink& output, Limits limits, Tier tier)
    : image_(image),
      output_(output),
      limits_(limits),
      memory_(limits.memory_bytes),
      steps_(limits.steps),
      number_(instances_made.fetch_add(1, std::memory_order_relaxed) + 1),
      tiers_(tier == Tier::Interpreter ? nullptr : std::make_unique<Tiers>(image, tier, limits)) {}
Instance::~Instance() { end(); }

void Instance::stop() {
  interrupt();
  task_threads_.reset();
  lane_pool_.reset();
}

void Instance::end() {
  stop();
  for (const auto& [object, release] : kept_) release(object);
  kept_.clear();
}

bool Instance::past_deadline() const {
  const std::int64_t deadline = deadline_.load(std::memory_order_relaxed);
  return deadline != 0 && std::chrono::steady_clock::now().time_since_epoch() >= std::chrono::nanoseconds(deadline);
}

void Instance::keep(void* object, void (*release)(void*)) {
  const std::lock_guard guard(kept_mutex_);
  kept_.emplace(object, release);
}

void Instance::forget(void* object) {
  const std::lock_guard guard(kept_mutex_);
  kept_.erase(object);
}

bool Instance::begin_task() {
  const std::uint64_t before = tasks_.fetch_add(1, std::memory_order_relaxed);
  if (limits_.tasks == 0 || before < limits_.tasks) return true;
  tasks_.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

void Instance::set_device(std::unique_ptr<cuda::Device> device) { device_ = std::move(device); }

cuda::Device* Instance::device(std::string& why) {
  const std::lock_guard guard(device_mutex_);
  if (const OpenDevice open = std::exchange(open_device_, nullptr)) {
    auto opened = open();
    if (opened) {
      device_ = std::move(*opened);
    } else {
      device_missing_ = std::move(opened.error());
    }
  }
  if (device_ == nullptr) why = device_missing_;
  return device_.get();
}

void Instance::tell_trap(const TrapRecord& record) {
  bool is_first = false;
  {
    const std::lock_guard guard(trap_mutex_);
    is_first = !first_trap_;
    if (is_first) first_trap_ = record;
  }
  if (is_first && on_trap_) on_trap_(record);
  if (watched()) interrupt();
}

runtime::LanePool* Instance::lane_pool(std::string& why) {
  const std::lock_guard guard(threads_mutex_);
  if (lane_pool_ == nullptr) {
    std::size_t lanes = limits_.lanes;
    if (lanes == 0) {
      const char* setting = std::getenv("CAIRN_LANES");
      const auto count = runtime::lane_count(setting == nullptr ? "" : setting);
      if (!count) {
        why = count.error();
        return nullptr;
      }
      lanes = *count;
    }
    lane_pool_ = std::make_unique<runtime::LanePool>(lanes);
  }
  return lane_pool_.get();
}

runtime::TaskThreads& Instance::task_threads() {
  const std::lock_guard guard(threads_mutex_);
  if (task_threads_ == nullptr) task_threads_ = std::make_unique<runtime::TaskThreads>();
  return *task_threads_;
}

Thread& Instance::thread_here() {
  for (const OwnThread& own : own_threads) {
    if (own.instance == number_) return *own.thread;
  }
  own_threads.push_back({number_, std::make_unique<Thread>(*this)});
  return *own_threads.back().thread;
}

void NativeCall::trap(TrapKind kind, std::string detail) { thread_.pending = {kind, std::move(detail)}; }

Thread::Thread(Instance& instance)
    : functions(instance.tiers() == nullptr ? instance.image().functions() : instance.tiers()->functions()),
      function_count(instance.image().module().functions.size()),
      instance_(instance),
      stack_(instance.limits().stack_bytes),
      heap_(instance.memory()) {
  if (instance.sampler() != nullptr) instance.sampler()->attach(*this);
}

Thread::~Thread() {
  if (samples != nullptr) instance_.sampler()->detach(*this);
}

cuda::Context* Thread::device_context(std::string& why) {
  if (device_context_ == nullptr) {
    if (cuda::Device* const device = instance_.device(why)) device_context_ = device->context();
  }
  return device_context_.get();
}

runtime::LanePool* Thread::lane_pool() {
  std::string why;
  runtime::LanePool* pool = instance_.lane_pool(why);
  if (pool == nullptr) pending = {TrapKind::Lanes, std::move(why)};
  return pool;
}

bool Thread::invoke(std::uint32_t function, std::span<const std::uint64_t> arguments, std::span<std::uint64_t> result) {
  const FloatEnvironment environment;
  const CodeEntry& entry = functions[function];
  std::uint64_t* window = (native_frame.top != nullptr ? native_frame.top : stack_.begin()) + kLinkSlots;
  std::uint8_t* memory = native_frame.top != nullptr ? native_frame.memory : stack_.end();
  auto* const first = reinterpret_cast<std::uint8_t*>(window);
  if (stack_.begin() == nullptr || first > memory || static_cast<std::uint64_t>(memory - first) < entry.frame_bytes) {
    trapped = true;
    trap.kind = TrapKind::Stack;
    trap.message = stack_.begin() == nullptr ? "trap: stack: there is no memory for a thread's stack"
                                             : "trap: stack: the call depth is spent";
    trap.notes = {"in " + entry.function->name};
    instance_.tell_trap(trap);
    return false;
  }
  window[-1] = reinterpret_cast<std::uint64_t>(interpreter::kExit);
  window[-2] = 0;
  window[-3] = reinterpret_cast<std::uint64_t>(memory);
  std::ranges::copy(arguments, window);
  const bool called_by_native = in_native;
  in_native = false;
  interpreter::run(*this, entry.code, window, memory);
  in_native = called_by_native;
  give_back_steps();
  if (trapped) [[unlikely]]
    return false;
  std::copy_n(window, result.size(), result.begin());
  return true;
}

void Thread::record_trap(TrapKind kind, const bytecode::Word* pc, const std::uint64_t* base) {
  trapped = true;
  const std::uint32_t index = image().function_at(pc);
  if (index == kNone) return;
  describe_trap(kind, index, pc, base, pending.detail);
  note_calls(index, base);
  instance_.tell_trap(trap);
}

void Thread::record_device_trap(const cuda::DeviceTrap& found) {
  trapped = true;
  const bytecode::Module& module = image().module();
  if (found.function >= function_count || found.word >= module.functions[found.function].code.size()) return;
  const bytecode::Word* const pc = functions[found.function].body + found.word;
  describe_trap(found.kind, found.function, pc, found.frame.data(), found.detail);
  trap.notes = {"in " + module.functions[found.function].name, found.where};
  instance_.tell_trap(trap);
}

void Thread::describe_trap(TrapKind kind, std::uint32_t function, const bytecode::Word* pc, const std::uint64_t* base,
                           const std::string& detail) {
  const bytecode::Module& module = image().module();
  const CodeEntry& entry = functions[function];
  const auto word = static_cast<std::uint32_t>(pc - entry.body);
  // The interpreter keeps every guard, so that a wrong proof is found here.
  assert(!std::ranges::binary_search(entry.function->proved, word) && "a guard proved unable to fail has failed");
  const auto position = entry.function->position_at(word);
  trap.kind = kind;
  trap.message = interpreter::trap_message(kind, module, pc, base, position, detail);
  if (position.file != kNone) {
    trap.file = module.files[position.file];
    trap.line = position.line;
    trap.column = position.column;
  }
}

void Thread::note_calls(std::uint32_t function, const std::uint64_t* base) {
  const bytecode::Module& module = image().module();
  trap.notes.push_back("in " + module.functions[function].name);
  std::size_t more = 0;
  while (true) {
    // A lane function keeps the index it is at in its first slot; a kernel is given its block and thread.
    const bytecode::FunctionKind kind = module.functions[function].kind;
    if (kind == bytecode::FunctionKind::Lane || kind == bytecode::FunctionKind::DeviceLane)
      trap.notes.push_back("lane " + std::to_string(base[0]));
    if (kind == bytecode::FunctionKind::Kernel) {
      trap.notes.push_back("block " + std::to_string(base[0]) + ", thread " + std::to_string(base[1]));
    }
    const bytecode::Word* back = interpreter::return_address(base[-1]);
    base = interpreter::caller_frame(base);
    if (base == nullptr) break;
    function = image().function_at(back - 1);
    if (function == kNone) break;
    if (trap.notes.size() > kShownNotes) {
      ++more;
      continue;
    }
    const auto word = static_cast<std::uint32_t>(back - 1 - functions[function].body);
    trap.notes.push_back("called at " + place(module, module.functions[function].position_at(word)) + ", in " +
                         module.functions[function].name);
  }
  if (more != 0) trap.notes.push_back("and " + std::to_string(more) + " more calls");
}

TrapKind Thread::asked_to_stop() {
  if (instance_.interrupted()) return TrapKind::Interrupt;
  if (!instance_.past_deadline()) return TrapKind::None;
  pending.detail = "the time it was given is over";
  return TrapKind::Limit;
}

TrapKind Thread::out_of_steps() {
  const TrapKind kind = asked_to_stop();
  return kind == TrapKind::None ? TrapKind::Limit : kind;
}

TrapKind Thread::poll(std::uint64_t steps) {
  if (const TrapKind kind = asked_to_stop(); kind != TrapKind::None) return kind;
  if (instance_.limits().steps != 0) {
    steps = instance_.steps().take(steps, holds_steps_, [&] { return instance_.stopping(); });
    holds_steps_ = steps != 0;
    if (steps == 0) return out_of_steps();
  }
  fuel += static_cast<std::int64_t>(steps);
  fuel_given = true;
  return TrapKind::None;
}

TrapKind Thread::spend(std::uint64_t steps) {
  if (const TrapKind kind = asked_to_stop(); kind != TrapKind::None) return kind;
  if (instance_.limits().steps == 0) return TrapKind::None;
  const std::uint64_t spent = instance_.steps().spend(steps, [&] { return instance_.stopping(); });
  return spent != 0 ? TrapKind::None : out_of_steps();
}

void Thread::return_steps() {
  holds_steps_ = false;
  instance_.steps().give_back(static_cast<std::uint64_t>(std::max<std::int64_t>(fuel, 0)));
  fuel = 0;
}

}  // namespace cairn
