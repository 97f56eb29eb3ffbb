#include "jit/code/code_space.hpp"

#include <algorithm>

#include "jit/code/machine_call.hpp"
#include "jit/ssa/build.hpp"
#include "jit/ssa/host.hpp"
#include "jit/ssa/passes.hpp"

namespace cairn::jit {
namespace {

/// Of a function made from SSA: passes and the allocator of registers take more than twice the time for twice the code.
constexpr std::size_t kMostInstructions = 20'000;

/// Keeps the first error of an assembler: what it made is then not used.
class FirstError final : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error error, const char*, asmjit::BaseEmitter*) override {
    if (first == asmjit::kErrorOk) first = error;
  }
  asmjit::Error first = asmjit::kErrorOk;
};

}  // namespace

std::unique_ptr<MachineCode> MachineCode::create(const bytecode::Module& module, const Engine& engine,
                                                 const CodeOptions& options) {
  if (asmjit::Environment::host().arch() != asmjit::Arch::kX64) return nullptr;
  auto space = std::make_unique<CodeSpace>(module, engine, options);
  if (!space->usable()) return nullptr;
  return space;
}

CodeSpace::CodeSpace(const bytecode::Module& module, const Engine& engine, const CodeOptions& options)
    : module_(module),
      engine_(engine),
      options_(options),
      memory_(options.debugger),
      table_(static_cast<std::size_t>(kTargetsAt) / 8 + 3 * module.functions.size()),
      made_(2 * module.functions.size()),
      registration_(options.perf_map, options.jitdump, options.debugger) {
  for (const bytecode::DispatchTable& each : module.tables) members_.push_back(each.functions.data());
  CodeTable& fixed = table();
  fixed.refuel_jump = engine.refuel_jump;
  fixed.refuel_call = engine.refuel_call;
  fixed.go_on = engine.go_on;
  fixed.hot_entry = engine.hot_entry;
  fixed.members = members_.data();
  fixed.functions = engine.functions.data();
  fixed.function_count = engine.functions.size();
  for (std::size_t op = 0; op < engine.steps.size(); ++op) {
    table_[static_cast<std::size_t>(kStepsAt) / 8 + op] = reinterpret_cast<std::uint64_t>(engine.steps[op]);
  }
  storage_.wants_lines = registration_.wanted();
  make_stubs();
  const auto targets = table_.begin() + kTargetsAt / 8;
  const auto count = static_cast<std::ptrdiff_t>(module.functions.size());
  std::fill(targets, targets + count, reinterpret_cast<std::uint64_t>(fixed.unbound));
  std::fill(targets + 2 * count, targets + 3 * count, engine.entries_until_hot);
}

CodeSpace::~CodeSpace() {
  for (std::atomic<const Made*>& made : made_) delete made.load();
}

/// enter(address, state, table): a C++ function to its caller, the machine of machine.hpp inside. Then the stubs that
/// end it: fail, unbound and leave.
void CodeSpace::make_stubs() {
  asmjit::CodeHolder holder;
  holder.init(asmjit::Environment::host());
  x86::Assembler a(&holder);
  const x86::Gp saved[] = {x86::rbx, x86::rbp, x86::r12, x86::r13, x86::r14, x86::r15};
  const auto field = [](std::size_t offset) { return x86::qword_ptr(x86::rsi, static_cast<std::int32_t>(offset)); };
  for (const x86::Gp& each : saved) a.push(each);
  a.push(x86::rsi);  // the stack is aligned now
  a.mov(kBase, field(offsetof(MachineState, base)));
  a.mov(kMemory, field(offsetof(MachineState, memory)));
  a.mov(kThread, field(offsetof(MachineState, thread)));
  a.mov(kTable, x86::rdx);
  a.jmp(x86::rdi);

  const asmjit::Label fail = a.newLabel();
  const asmjit::Label unbound = a.newLabel();
  const asmjit::Label leave = a.newLabel();
  a.bind(fail);
  a.lea(x86::rax, x86::ptr(x86::rdx, x86::rax, 3));
  a.mov(x86::qword_ptr(kThread, static_cast<std::int32_t>(engine_.thread_failed)), x86::rax);
  a.mov(x86::rdx, reinterpret_cast<std::uint64_t>(engine_.failures));
  a.lea(x86::rax, x86::ptr(x86::rdx, x86::rcx, 3));
  a.jmp(leave);
  a.bind(unbound);
  a.mov(x86::rdx, reinterpret_cast<std::uint64_t>(engine_.enter_words));
  a.lea(x86::rax, x86::ptr(x86::rdx, x86::rax, 3));
  a.bind(leave);
  a.pop(x86::rsi);
  a.mov(field(offsetof(MachineState, base)), kBase);
  a.mov(field(offsetof(MachineState, memory)), kMemory);
  for (std::size_t i = std::size(saved); i-- > 0;) a.pop(saved[i]);
  a.ret();

  void* const placed = memory_.place(holder);
  if (placed == nullptr) return;
  const auto at = [&](const asmjit::Label& label) {
    return static_cast<const std::uint8_t*>(placed) + holder.labelOffset(label);
  };
  stubs_ = placed;
  enter_ = reinterpret_cast<Enter>(placed);
  table().leave = at(leave);
  table().fail = at(fail);
  table().unbound = at(unbound);
  bytes_ += holder.codeSize();
  registration_.add({"cairn.stubs", placed, holder.codeSize(), {}});
}

std::atomic_ref<std::uint64_t> CodeSpace::target(std::uint32_t function) const {
  return std::atomic_ref<std::uint64_t>(table_[static_cast<std::size_t>(kTargetsAt) / 8 + function]);
}

std::atomic_ref<std::uint64_t> CodeSpace::fast_target(std::uint32_t function) const {
  return target(static_cast<std::uint32_t>(module_.functions.size()) + function);
}

std::atomic_ref<std::uint64_t> CodeSpace::entries_left(std::uint32_t function) const {
  return target(static_cast<std::uint32_t>(2 * module_.functions.size()) + function);
}

const void* CodeSpace::entry(std::uint32_t function) const {
  const std::uint64_t address = target(function).load(std::memory_order_acquire);
  const void* code = reinterpret_cast<const void*>(address);
  return code == reinterpret_cast<const CodeTable*>(table_.data())->unbound ? nullptr : code;
}

const ResumePoint* CodeSpace::resume_point(std::uint32_t function, std::uint32_t word) const {
  for (const Level level : {Level::Optimized, Level::Baseline}) {
    const Made* made = made_at(function, level).load(std::memory_order_acquire);
    if (made == nullptr || made->failed) continue;
    if (const ResumePoint* point = made->point_at(word)) return point;
  }
  return nullptr;
}

const ResumePoint* CodeSpace::loop_point(std::uint32_t function, std::uint32_t word) {
  Lock lock(mutex_);
  // The loop first: somebody waits for it.
  const Made* loop = options_.from_ssa && word != 0 ? compile_loop({function, word}, lock) : nullptr;
  const bool has_whole = compile_optimized(function, lock);
  if (loop != nullptr) return loop->loops.front().point;
  if (!has_whole) return nullptr;
  return made_at(function, Level::Optimized).load(std::memory_order_relaxed)->point_at(word);
}

std::optional<const ResumePoint*> CodeSpace::known_loop_point(std::uint32_t function, std::uint32_t word) const {
  const Lock lock(mutex_);
  const Made* loop = nullptr;
  if (options_.from_ssa && word != 0) {
    loop = known_loop({function, word});
    if (loop == nullptr) return std::nullopt;
    if (!loop->failed) return loop->loops.front().point;
  }
  const Made* whole = made_at(function, Level::Optimized).load(std::memory_order_relaxed);
  if (whole == nullptr) return std::nullopt;
  return whole->failed ? nullptr : whole->point_at(word);
}

void CodeSpace::count_no_entries(std::uint32_t function) {
  entries_left(function).store(INT64_MAX, std::memory_order_relaxed);
}

CodeSpace::Making::Making(CodeSpace& space, Place place, Lock& lock) : space_(space), place_(place) {
  space.made_one_.wait(lock, [&] { return !space.in_making_.contains(place); });
  space.in_making_.insert(place);
}

CodeSpace::Making::~Making() {
  space_.in_making_.erase(place_);
  space_.made_one_.notify_all();
}

const CodeSpace::Made* CodeSpace::known_loop(Place place) const {
  const auto found = loops_.find(place);
  return found == loops_.end() ? nullptr : found->second.get();
}

/// Null where no code can be made.
const CodeSpace::Made* CodeSpace::compile_loop(Place place, Lock& lock) {
  const Making making(*this, place, lock);
  const Made* known = known_loop(place);
  if (known == nullptr && compile_baseline(place.first)) {
    auto made = std::make_unique<Made>();
    made->failed = !translate_ssa(place.first, place.second, *made, lock);
    if (made->failed && given_up_.load(std::memory_order_relaxed)) return nullptr;
    known = made.get();
    loops_.emplace(place, std::move(made));
  }
  return known == nullptr || known->failed ? nullptr : known;
}

const ResumePoint* CodeSpace::Made::point_at(std::uint32_t word) const {
  const auto found = std::ranges::lower_bound(loops, word, {}, &LoopStart::word);
  return found != loops.end() && found->word == word ? found->point : nullptr;
}

CAIRN_CALLS_MACHINE_CODE const bytecode::Word* CodeSpace::run(const void* address, MachineState& state) const {
  return enter_(address, &state, table_.data());
}

std::atomic<const CodeSpace::Made*>& CodeSpace::made_at(std::uint32_t function, Level level) const {
  return made_[static_cast<std::size_t>(level) * module_.functions.size() + function];
}

bool CodeSpace::has(std::uint32_t function, Level level) const {
  const Made* made = made_at(function, level).load(std::memory_order_acquire);
  return made != nullptr && !made->failed;
}

bool CodeSpace::compile(std::uint32_t function, Level level) {
  if (const Made* made = made_at(function, level).load(std::memory_order_acquire)) return !made->failed;
  Lock lock(mutex_);
  return level == Level::Baseline ? compile_baseline(function) : compile_optimized(function, lock);
}

bool CodeSpace::compile_baseline(std::uint32_t function) {
  std::atomic<const Made*>& known = made_at(function, Level::Baseline);
  if (const Made* made = known.load(std::memory_order_relaxed)) return !made->failed;
  auto made = std::make_unique<Made>();
  made->failed = !translate(function, Level::Baseline, *made);
  const bool fine = !made->failed;
  known.store(made.release(), std::memory_order_release);
  return fine;
}

bool CodeSpace::compile_optimized(std::uint32_t function, Lock& lock) {
  // Loops whose range turns out not to be what the optimized code needs are run by the baseline's.
  if (!compile_baseline(function)) return false;
  const Making making(*this, {function, 0}, lock);
  std::atomic<const Made*>& known = made_at(function, Level::Optimized);
  if (const Made* made = known.load(std::memory_order_relaxed)) return !made->failed;
  auto made = std::make_unique<Made>();
  made->failed = !(options_.from_ssa && translate_ssa(function, 0, *made, lock)) &&
                 (given_up_.load(std::memory_order_relaxed) || !translate(function, Level::Optimized, *made));
  const bool fine = !made->failed;
  if (!fine && given_up_.load(std::memory_order_relaxed)) return false;
  count_no_entries(function);
  known.store(made.release(), std::memory_order_release);
  return fine;
}

void CodeSpace::publish(Made& made) {
  made.older = newest_.load(std::memory_order_relaxed);
  newest_.store(&made, std::memory_order_release);
}

const void* CodeSpace::baseline_at(std::uint32_t function, std::uint32_t word) {
  if (!compile(function, Level::Baseline)) return nullptr;
  const Made* baseline = made_at(function, Level::Baseline).load(std::memory_order_acquire);
  if (word == 0) return baseline->entry;
  const ResumePoint* at = baseline->point_at(word);
  return at == nullptr ? nullptr : at->address;
}

ssa::Target CodeSpace::ssa_target() const { return {module_, engine_, ssa::Cpu::host(), options_.always_counts}; }

std::unique_ptr<ssa::Generated> CodeSpace::generated(asmjit::CodeHolder& holder, std::uint32_t function,
                                                     std::uint32_t word, asmjit::Logger* logger) {
  auto built = ssa::build(module_, function, {word, options_.always_counts});
  if (!built || built->code.size() > kMostInstructions) return nullptr;
  ssa::optimize(*built, {module_, options_.always_counts, ssa::host_vector_bytes(), &given_up_});
  if (given_up_.load(std::memory_order_relaxed)) return nullptr;
  if (holder.init(environment_) != asmjit::kErrorOk) return nullptr;
  FirstError errors;
  holder.setErrorHandler(&errors);
  if (logger != nullptr) holder.setLogger(logger);
  ssa::EmitOptions options;
  options.given_up = &given_up_;
  options.listed = logger != nullptr;
  options.wants_lines = registration_.wanted();
  options.baseline_at = [this](std::uint32_t f, std::uint32_t w) { return baseline_at(f, w); };
  options.has_argument_stub = [this](std::uint32_t f) { return fast_target(f).load(std::memory_order_relaxed) != 0; };
  auto made = ssa::Generated::make(holder, *built, ssa_target(), std::move(options));
  holder.setErrorHandler(nullptr);
  return errors.first == asmjit::kErrorOk ? std::move(made) : nullptr;
}

bool CodeSpace::translate_ssa(std::uint32_t function, std::uint32_t word, Made& made, Lock& lock) {
  if (bytes_ >= options_.most_bytes) return false;
  made.place = {function, Level::Optimized, {}};
  lock.unlock();
  asmjit::CodeHolder holder;
  const auto code = generated(holder, function, word, nullptr);
  lock.lock();
  return code != nullptr && place_ssa(holder, *code, word, made);
}

bool CodeSpace::place_ssa(asmjit::CodeHolder& holder, ssa::Generated& code, std::uint32_t word, Made& made) {
  if (bytes_ >= options_.most_bytes || holder.codeSize() > options_.most_bytes - bytes_) return false;
  void* const placed = memory_.place(holder);
  if (placed == nullptr) return false;
  const std::uint32_t function = made.place.function;
  ssa::Emitter& emitter = code.emitter();
  const auto at = [&](const asmjit::Label& label) -> const void* {
    return static_cast<const std::uint8_t*>(placed) + holder.labelOffset(label);
  };
  std::unique_ptr<ResumePoint[]> points = code.take_points();
  std::size_t k = 0;
  for (const ssa::ReturnPoint& pending : emitter.points()) {
    ResumePoint& point = points[k++];
    point.address = at(pending.address);
    point.fast = at(pending.fast);
    if (pending.inlined.empty()) continue;
    inlined_.push_back(std::make_unique<InlinedCall[]>(pending.inlined.size()));
    std::ranges::copy(pending.inlined, inlined_.back().get());
    point.inlined = inlined_.back().get();
    point.inlined_count = pending.inlined.size();
  }
  made.points = std::move(points);
  made.entry = at(emitter.entry());
  bytes_ += holder.codeSize();
  made.begin = static_cast<const std::uint8_t*>(placed);
  made.end = made.begin + holder.codeSize();
  made.guarded = emitter.guarded_words();
  for (const ssa::CodeFrame& each : emitter.code_frames()) {
    made.parts.push_back({made.begin + each.offset, each.inlined});
  }
  if (registration_.wanted()) {
    std::vector<Line> lines;
    for (const ssa::CodeLine& each : emitter.lines()) lines.push_back({each.offset, each.function, each.word});
    tell(made, lines);
  }
  for (const ssa::ArgumentStub& stub : emitter.argument_stubs()) {
    const std::atomic_ref<std::uint64_t> known = fast_target(stub.function);
    if (known.load(std::memory_order_relaxed) == 0) {
      known.store(reinterpret_cast<std::uint64_t>(at(stub.label)), std::memory_order_release);
    }
  }
  // A loop that begins where the function does has no values but the parameters: it is taken up as a call is, unless
  // the frame has memory, which a call takes.
  if (word != 0 || module_.functions[function].memory_bytes == 0) {
    made.loop = {engine_.resume, made.entry, module_.functions[function].code.data() + word};
    made.loops.push_back({word, &made.loop});
  }
  publish(made);  // before anything leads there
  if (word != 0) return true;
  if (!options_.always_counts) {
    fast_target(function).store(reinterpret_cast<std::uint64_t>(at(emitter.fast())), std::memory_order_release);
  }
  target(function).store(reinterpret_cast<std::uint64_t>(made.entry), std::memory_order_release);
  return true;
}

std::unique_ptr<BaselineCompiler> CodeSpace::assembled(std::uint32_t function, Level level, Made& made,
                                                       asmjit::Logger* logger) {
  // Fewer and fewer slots held, until every instruction finds the registers it needs.
  constexpr std::size_t kMostHeld[] = {7, 6, 5, 4, 2, 0};
  for (const std::size_t most_held : kMostHeld) {
    FirstError errors;
    holder_.reset();
    if (holder_.init(environment_) != asmjit::kErrorOk) return nullptr;
    holder_.setErrorHandler(&errors);
    if (logger != nullptr) holder_.setLogger(logger);
    const bytecode::Function& code = module_.functions[function];
    plan_ = level == Level::Optimized ? make_plan(code, most_held, options_.always_counts) : nullptr;
    if (plan_ != nullptr) {
      plan_->baseline_at = [&](std::uint32_t word) -> const void* {
        const Made* baseline = made_at(function, Level::Baseline).load(std::memory_order_relaxed);
        const ResumePoint* at = baseline == nullptr ? nullptr : baseline->point_at(word);
        return at == nullptr ? nullptr : at->address;
      };
    }
    auto compiler = std::make_unique<BaselineCompiler>(holder_, module_, function, engine_, storage_, plan_.get());
    made.points = std::make_unique<ResumePoint[]>(compiler->point_count());
    compiler->translate(made.points.get(), logger != nullptr);
    holder_.setErrorHandler(nullptr);
    if (compiler->had_room()) return errors.first == asmjit::kErrorOk ? std::move(compiler) : nullptr;
  }
  return nullptr;
}

bool CodeSpace::translate(std::uint32_t function, Level level, Made& made) {
  if (bytes_ >= options_.most_bytes) return false;
  const auto compiler = assembled(function, level, made, nullptr);
  if (compiler == nullptr || holder_.codeSize() > options_.most_bytes - bytes_) return false;
  void* const placed = memory_.place(holder_);
  if (placed == nullptr) return false;
  const auto* const first = static_cast<const std::uint8_t*>(placed);
  std::size_t k = 0;
  for (const PendingPoint& pending : compiler->points()) {
    ResumePoint& point = made.points[k++];
    point.address = first + holder_.labelOffset(pending.label);
    if (pending.loop_start) made.loops.push_back({pending.word, &point});
  }
  bytes_ += holder_.codeSize();
  made.entry = placed;
  made.place = {function, level, {}};
  made.begin = first;
  made.end = first + holder_.codeSize();
  for (const BaselineStorage::TrapStub& stub : storage_.traps) made.guarded.push_back(stub.word);
  std::ranges::sort(made.guarded);
  made.guarded.erase(std::ranges::unique(made.guarded).begin(), made.guarded.end());
  if (registration_.wanted()) {
    std::vector<Line> lines;
    for (const BaselineStorage::CodeLine& line : storage_.lines) lines.push_back({line.offset, function, line.word});
    tell(made, lines);
  }
  publish(made);
  const bool best = level == Level::Optimized || !has(function, Level::Optimized);
  if (best) target(function).store(reinterpret_cast<std::uint64_t>(placed), std::memory_order_release);
  return true;
}

std::string CodeSpace::listing(std::uint32_t function, Level level) {
  asmjit::StringLogger logger;
  if (level == Level::Optimized && options_.from_ssa) {
    asmjit::CodeHolder holder;
    if (generated(holder, function, 0, &logger) != nullptr) {
      return "function " + std::to_string(function) + " \"" + module_.functions[function].name + "\"\n" +
             std::string(logger.data(), logger.dataSize());
    }
    logger.clear();
  }
  const Lock lock(mutex_);
  Made made;
  const auto compiler = assembled(function, level, made, &logger);
  return "function " + std::to_string(function) + " \"" + module_.functions[function].name + "\"\n" +
         std::string(logger.data(), logger.dataSize());
}

void CodeSpace::tell(const Made& made, std::span<const Line> lines) {
  const bytecode::Function& function = module_.functions[made.place.function];
  RegisteredCode code;
  code.name = function.name + (made.place.level == Level::Optimized ? " (optimized)" : "");
  code.address = made.begin;
  code.bytes = static_cast<std::size_t>(made.end - made.begin);
  const auto position = [&](std::uint32_t offset, bytecode::SourcePosition at) {
    if (at.file != bytecode::kNone) code.lines.push_back({offset, module_.files[at.file], at.line, at.column});
  };
  position(0, function.position);
  for (const Line& line : lines) position(line.offset, module_.functions[line.function].position_at(line.word));
  registration_.add(code);
}

std::optional<CodePlace> CodeSpace::place_of(const void* address) const {
  for (const Made* made = newest_.load(std::memory_order_acquire); made != nullptr; made = made->older) {
    if (address < made->begin || address >= made->end) continue;
    CodePlace place = made->place;
    const auto after =
        std::ranges::upper_bound(made->parts, static_cast<const std::uint8_t*>(address), {}, &Made::Part::begin);
    if (after != made->parts.begin()) place.inlined = std::prev(after)->inlined;
    return place;
  }
  return std::nullopt;
}

std::vector<std::uint32_t> CodeSpace::guarded_words(std::uint32_t function, Level level) const {
  const Made* made = made_at(function, level).load(std::memory_order_acquire);
  return made == nullptr ? std::vector<std::uint32_t>() : made->guarded;
}

std::size_t CodeSpace::bytes() const {
  const std::lock_guard guard(mutex_);
  return bytes_;
}

}  // namespace cairn::jit
