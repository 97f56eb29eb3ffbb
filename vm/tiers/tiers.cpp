#include "vm/tiers/tiers.hpp"

#include <algorithm>
#include <cstdlib>

#include "vm/interpreter/kernels.hpp"
#include "vm/interpreter/thread.hpp"
#include "vm/tiers/steps.hpp"

namespace cairn {
namespace {

using bytecode::Word;
using interpreter::InternalOp;

constexpr std::uint64_t kFewThreads = 8192;  // a region of fewer is run by the other tiers

constexpr std::uint32_t kCold = 30;   // calls of a function before it is compiled
constexpr std::uint32_t kHot = 2000;  // entries of its baseline code before better code is made

bool is_asked(const char* variable, bool otherwise = false) {
  const char* value = std::getenv(variable);
  return value == nullptr || *value == '\0' ? otherwise : *value != '0';
}

/// Words of bytecode whose optimized code is made where it is asked for, in an instance's life: what a small program
/// has is made before a thread would have begun.
constexpr std::uint64_t kMostAtOnce = 256;

Tiers::Background background_asked_for() {
  const char* value = std::getenv("CAIRN_BACKGROUND");
  if (value != nullptr && *value != '\0') return *value == '0' ? Tiers::Background::Never : Tiers::Background::Always;
  // On one processor it would only take turns with the program.
  return std::thread::hardware_concurrency() > 1 ? Tiers::Background::Large : Tiers::Background::Never;
}

bool has_kernels(const bytecode::Module& module) {
  return std::ranges::any_of(module.functions, [](const bytecode::Function& function) {
    return function.kind == bytecode::FunctionKind::Kernel;
  });
}

/// Where a member lies in a thread.
std::uint32_t offset_in(const Thread& thread, const void* member) {
  return static_cast<std::uint32_t>(static_cast<const char*>(member) - reinterpret_cast<const char*>(&thread));
}

}  // namespace

Tiers::Tiers(const Image& image, Tier tier, const Limits& limits)
    : image_(image),
      tier_(tier),
      limits_(limits),
      functions_(image.functions(), image.functions() + image.module().functions.size()),
      enter_words_(functions_.size()),
      entries_(functions_.size()),
      in_background_(background_asked_for()) {
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    enter_words_[i] = static_cast<Word>(InternalOp::Enter) | static_cast<Word>(i) << 32;
    functions_[i].code = &enter_words_[i];
  }
}

jit::MachineCode* Tiers::code(Thread& thread) {
  std::call_once(code_once_, [&] {
    jit::Engine engine;
    engine.steps = interpreter::out_of_line_steps();
    engine.refuel_jump = interpreter::refuel_jump;
    engine.refuel_call = interpreter::refuel_call;
    engine.go_on = interpreter::go_on;
    if (tier_ == Tier::Auto) {
      engine.hot_entry = interpreter::hot_entry;
      engine.entries_until_hot = kHot;
    }
    engine.failures = interpreter::kFailures.data();
    engine.enter_words = enter_words_.data();
    engine.functions = {image_.functions(), functions_.size()};
    engine.resume = static_cast<std::uint16_t>(InternalOp::Resume);
    engine.thread_failed = offset_in(thread, &thread.failed);
    engine.thread_fuel = offset_in(thread, &thread.fuel);
    engine.thread_spills = offset_in(thread, thread.spills.data());
    static_assert(sizeof(thread.spills) == jit::kThreadSpillBytes);
    jit::CodeOptions options;
    if (limits_.code_bytes != 0) options.most_bytes = limits_.code_bytes;
    // Where a host may stop the program, or a thread of a block may spin for another, every loop looks up.
    options.always_counts = thread.instance().watched() || has_kernels(image_.module());
    always_counts_ = options.always_counts;
    options.from_ssa = is_asked("CAIRN_SSA", true);
    options.perf_map = is_asked("CAIRN_PERF_MAP");
    options.jitdump = is_asked("CAIRN_JITDUMP");
    options.debugger = is_asked("CAIRN_GDB");
    code_ = jit::MachineCode::create(image_.module(), engine, options);
    shown_.store(code_.get(), std::memory_order_release);
  });
  return code_.get();
}

const Word* Tiers::interpreted(std::uint32_t function) const { return image_.functions()[function].code; }

const Word* Tiers::go(interpreter::Machine& m, const void* address) {
  jit::MachineState state{m.base, m.memory, m.thread};
  const Word* next = code_->run(address, state);
  m.base = state.base;
  m.memory = state.memory;
  return next;
}

const Word* Tiers::enter(interpreter::Machine& m, const Word* pc) {
  const std::uint32_t function = bytecode::n_of(pc[0]);
  std::atomic<std::uint32_t>& entries = entries_[function];
  const std::uint32_t count = entries.load(std::memory_order_relaxed);
  if (tier_ == Tier::Auto && count < kCold) {
    entries.store(count + 1, std::memory_order_relaxed);
    return interpreted(function);
  }
  jit::MachineCode* machine = code(*m.thread);
  if (machine == nullptr) return interpreted(function);
  const void* address = machine->entry(function);
  if (address == nullptr && machine->compile(function, first_level())) address = machine->entry(function);
  return address == nullptr ? interpreted(function) : go(m, address);
}

const Word* Tiers::resume(interpreter::Machine& m, const Word* pc) {
  return go(m, reinterpret_cast<const ResumePoint*>(pc)->address);
}

const Word* Tiers::hot_loop(const Word* next, Thread& thread) {
  const std::uint32_t function = image_.function_at(next);
  if (function == bytecode::kNone) return next;
  jit::MachineCode* machine = code(thread);
  if (machine == nullptr || !machine->compile(function, first_level())) return next;
  entries_[function].store(kCold, std::memory_order_relaxed);
  return resume_at(next);
}

const Word* Tiers::hot_code(const Word* next, Thread& thread) {
  if (tier_ != Tier::Auto) return nullptr;
  const std::uint32_t function = image_.function_at(next);
  if (function == bytecode::kNone) return nullptr;
  const auto word = static_cast<std::uint32_t>(next - functions_[function].body);
  std::optional<const ResumePoint*> point = code_->known_loop_point(function, word);
  if (!point) {
    if (made_in_background(function, word, thread)) return nullptr;
    point = code_->loop_point(function, word);
  }
  return *point == nullptr ? nullptr : &(*point)->op;
}

const Word* Tiers::hot_entry(const Word* next, Thread& thread) {
  const std::uint32_t function = image_.function_at(next);
  if (function == bytecode::kNone) return nullptr;
  if (!code_->has(function, jit::Level::Optimized)) {
    if (made_in_background(function, 0, thread)) {
      code_->count_no_entries(function);
      return nullptr;
    }
    if (!code_->compile(function, jit::Level::Optimized)) return nullptr;
  }
  return &enter_words_[function];
}

bool Tiers::made_in_background(std::uint32_t function, std::uint32_t word, Thread& thread) {
  if (in_background_ == Background::Never) return false;
  if (in_background_ == Background::Large) {
    const std::uint64_t words = image_.module().functions[function].code.size();
    if (made_at_once_.load(std::memory_order_relaxed) + words <= kMostAtOnce) {
      made_at_once_.fetch_add(words, std::memory_order_relaxed);
      return false;
    }
  }
  BackgroundCompiler* background = background_.load(std::memory_order_acquire);
  if (background == nullptr) {
    const std::lock_guard guard(background_mutex_);
    if (background_owner_ == nullptr) {
      background_owner_ = std::make_unique<BackgroundCompiler>(*code_, thread.instance().sampler());
      background_.store(background_owner_.get(), std::memory_order_release);
    }
    background = background_owner_.get();
  }
  return background->ask(function, word);
}

const Word* Tiers::resume_at(const Word* pc) const {
  const jit::MachineCode* code = shown();
  if (code == nullptr) return pc;
  const std::uint32_t function = image_.function_at(pc);
  if (function == bytecode::kNone) return pc;
  const ResumePoint* point = code->resume_point(function, static_cast<std::uint32_t>(pc - functions_[function].body));
  return point == nullptr ? pc : &point->op;
}

const jit::KernelCode* Tiers::kernel_code(std::uint32_t function, std::uint64_t threads) {
  if (tier_ == Tier::Baseline || (tier_ == Tier::Auto && threads < kFewThreads)) return nullptr;
  const std::lock_guard guard(kernels_mutex_);
  const auto [known, is_new] = kernels_.try_emplace(function);
  if (!is_new) return known->second.get();
  jit::CodeOptions options;
  options.perf_map = is_asked("CAIRN_PERF_MAP");
  options.debugger = is_asked("CAIRN_GDB");
  if (limits_.code_bytes != 0) options.most_bytes = limits_.code_bytes;
  auto made = jit::KernelCode::create(image_.module(), function, interpreter::exchange_words, options);
  if (made == nullptr || made->bytes() > options.most_bytes - std::min(options.most_bytes, kernel_bytes_))
    return nullptr;
  kernel_bytes_ += made->bytes();
  known->second = std::move(made);
  return known->second.get();
}

bool Tiers::has_code(std::uint32_t function) const {
  const jit::MachineCode* code = shown();
  return code != nullptr && code->entry(function) != nullptr;
}

bool Tiers::has_optimized_code(std::uint32_t function) const {
  const jit::MachineCode* code = shown();
  return code != nullptr && code->has(function, jit::Level::Optimized);
}

std::optional<std::vector<std::uint32_t>> Tiers::guarded_words(std::uint32_t function, jit::Level level) const {
  const jit::MachineCode* code = shown();
  if (code == nullptr || !code->has(function, level)) return std::nullopt;
  return code->guarded_words(function, level);
}

std::size_t Tiers::compile_all(Thread& thread) {
  jit::MachineCode* machine = code(thread);
  if (machine == nullptr) return 0;
  for (std::uint32_t i = 0; i < functions_.size(); ++i) machine->compile(i, first_level());
  return machine->bytes();
}

std::string Tiers::listing(Thread& thread, std::span<const std::uint32_t> functions) {
  jit::MachineCode* machine = code(thread);
  if (machine == nullptr) return "no machine code is made for this processor\n";
  const jit::Level level = tier_ == Tier::Baseline ? jit::Level::Baseline : jit::Level::Optimized;
  std::string text;
  const auto list = [&](std::uint32_t function) {
    text += machine->listing(function, level);
    const bytecode::FunctionKind kind = image_.module().functions[function].kind;
    const bool has_groups = kind == bytecode::FunctionKind::Kernel || kind == bytecode::FunctionKind::DeviceLane;
    if (!has_groups || tier_ == Tier::Baseline) return;
    static_cast<void>(jit::KernelCode::create(image_.module(), function, interpreter::exchange_words, {}, &text));
  };
  for (const std::uint32_t function : functions) list(function);
  for (std::uint32_t i = 0; functions.empty() && i < functions_.size(); ++i) list(i);
  return text;
}

}  // namespace cairn
