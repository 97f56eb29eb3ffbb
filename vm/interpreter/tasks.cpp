// Tasks and task groups (concurrency, 5 and 6), and mutexes.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/tasks/lock.hpp"
#include "runtime/tasks/task_threads.hpp"
#include "vm/interpreter/concurrency.hpp"
#include "vm/interpreter/owners.hpp"

namespace cairn::interpreter {
namespace {

using bytecode::a_of;
using bytecode::b_of;
using bytecode::c_of;
using bytecode::m_of;
using bytecode::RegisterKind;
using bytecode::RegisterType;
using bytecode::Signature;

/// Storage for a value that travels with a task.
class Carried {
 public:
  Carried(const bytecode::Type& type, const void* from) : align_(std::max<std::uint32_t>(type.align, 16)) {
    bytes_ = ::operator new(std::max<std::uint64_t>(type.size, 1), std::align_val_t{align_});
    if (from != nullptr) {
      std::memcpy(bytes_, from, type.size);
    } else {
      std::memset(bytes_, 0, type.size);
    }
  }
  Carried(Carried&& other) noexcept
      : lent_owner(other.lent_owner), bytes_(std::exchange(other.bytes_, nullptr)), align_(other.align_) {}
  Carried& operator=(Carried&&) = delete;
  Carried(const Carried&) = delete;
  Carried& operator=(const Carried&) = delete;
  ~Carried() { ::operator delete(bytes_, std::align_val_t{align_}); }
  [[nodiscard]] std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(bytes_); }

  /// The value was lent to the task, which leaves what it owns: it is released when the task has ended.
  std::uint32_t lent_owner = bytecode::kNone;  // its type

 private:
  void* bytes_;
  std::uint32_t align_;
};

struct Group;

struct Task {
  Instance* instance = nullptr;
  std::uint32_t function = bytecode::kNone;
  std::vector<std::uint64_t> arguments;
  std::vector<Carried> carried;
  std::uint64_t result[2] = {0, 0};
  std::optional<TrapRecord> trap;
  Group* group = nullptr;     // told when the task has ended
  runtime::Completion ended;  // of a task without a group

  [[nodiscard]] const Signature& signature() const {
    const bytecode::Module& module = instance->image().module();
    return module.signatures[module.functions[function].signature];
  }
};

// A task may end, and a group be waited for, in another instance than the one that made it: a session runs each of its
// statements in one. What is made is kept by its own instance, and a result is of that instance's types.
struct Group {
  Instance* instance = nullptr;
  std::mutex mutex;
  std::condition_variable finished_one;
  std::uint64_t room = 0;
  std::uint64_t outstanding = 0;
  std::deque<Task*> finished;  // and not collected
};

void run_task(void* context) {
  auto* task = static_cast<Task*>(context);
  Thread& thread = task->instance->thread_here();
  const std::uint32_t slots = task->signature().result.slots();
  task->trap = thread.call(task->function, task->arguments, {task->result, slots});
  for (const Carried& value : task->carried) {
    if (value.lent_owner == bytecode::kNone || task->trap) continue;
    drop_value(thread, reinterpret_cast<std::uint8_t*>(value.address()), value.lent_owner);
  }
  if (task->group == nullptr) {
    task->ended.signal();
    return;
  }
  Group& group = *task->group;
  const std::lock_guard guard(group.mutex);
  group.finished.push_back(task);
  group.finished_one.notify_one();
}

/// A task of the instruction's function, its arguments taken from the window. Not yet started.
std::unique_ptr<Task> make_task(const Machine& m, const Word* pc) {
  auto task = std::make_unique<Task>();
  task->instance = &m.thread->instance();
  task->function = m_of(pc[1]);
  const bytecode::Module& module = m.thread->image().module();
  const Signature& signature = task->signature();
  const std::uint64_t* window = m.base + b_of(pc[0]);
  task->arguments.assign(window, window + signature.parameter_slots());
  const auto parameter_at = [&](std::uint32_t slot) -> const RegisterType& {
    std::uint32_t at = 0;
    for (const RegisterType& parameter : signature.parameters) {
      if (at == slot) return parameter;
      at += parameter.slots();
    }
    return signature.parameters[0];
  };
  const auto carry = [&](std::uint32_t slot, const void* from) {
    const RegisterType& parameter = parameter_at(slot);
    const bytecode::Type& type = module.types[parameter.type];
    Carried& value = task->carried.emplace_back(type, from);
    // What a callee is to release itself arrives through a reference it may write.
    if (type.owns && !parameter.writable) value.lent_owner = parameter.type;
    task->arguments[slot] = value.address();
  };
  if (signature.result_reference) carry(0, nullptr);
  for (std::uint32_t k = 0; k < c_of(pc[0]); ++k) {
    const auto slot = static_cast<std::uint32_t>(pc[2 + k / 2] >> (k % 2 * 32));
    carry(slot, reinterpret_cast<const void*>(task->arguments[slot]));
  }
  return task;
}

/// Hands the task to a thread; false when there is none, or as many run as may.
bool start(std::unique_ptr<Task>& task) {
  Instance& instance = *task->instance;
  if (!instance.begin_task()) return false;
  instance.keep(task.get(), [](void* kept) { delete static_cast<Task*>(kept); });
  if (!instance.task_threads().start(run_task, task.get())) {
    instance.end_task();
    instance.forget(task.get());
    return false;
  }
  static_cast<void>(task.release());  // whoever waits for it frees it
  return true;
}

/// A task that has ended, to be freed by whoever waited for it.
std::unique_ptr<Task> taken(Task* task) {
  task->instance->end_task();
  task->instance->forget(task);
  return std::unique_ptr<Task>(task);
}

/// Gives a finished task's result to the window of its wait; a task that trapped makes its waiter trap.
const Word* deliver(std::unique_ptr<Task> task, const Machine& m, std::uint32_t window, const Word* next) {
  if (task->trap) {
    m.thread->trapped = true;
    m.thread->trap = std::move(*task->trap);
    return kExit;
  }
  const Signature& signature = task->signature();
  if (signature.result_reference) {
    const bytecode::Type& type = task->instance->image().module().types[signature.parameters[0].type];
    std::memcpy(reinterpret_cast<void*>(m.base[window]), reinterpret_cast<const void*>(task->arguments[0]), type.size);
  } else {
    std::copy_n(task->result, signature.result.slots(), m.base + window);
  }
  return next;
}

/// Releases what a result nobody wants owns.
void release_result(Thread& thread, Task& task) {
  const Signature& signature = task.signature();
  const Image& image = task.instance->image();
  if (signature.result_reference) {
    drop_value(thread, image, reinterpret_cast<std::uint8_t*>(task.arguments[0]), signature.parameters[0].type);
  } else if (signature.result.kind == RegisterKind::Buf) {
    drop_buffer(thread, image, task.result, signature.result.type);
  } else if (signature.result.kind == RegisterKind::Dyn) {
    drop_dyn(thread, image, task.result);
  }
}

/// How often a thread looks whether it is to stop while it waits for tasks of other instances, which are not asked to
/// when it is.
constexpr std::chrono::milliseconds kTick{2};

/// Waits until a task has ended; false when this thread is to stop.
bool wait_for(const Machine& m, const Task& task) {
  m.thread->give_back_steps();
  const Instance& instance = m.thread->instance();
  while (&instance != task.instance && !task.ended.done()) {
    if (instance.stopping()) return false;
    std::this_thread::sleep_for(kTick);
  }
  task.ended.wait();
  return true;
}

/// The same of some task of a group.
bool wait_for_one(const Machine& m, Group& group, std::unique_lock<std::mutex>& lock) {
  m.thread->give_back_steps();
  const Instance& instance = m.thread->instance();
  const auto has_one = [&] { return !group.finished.empty(); };
  while (&instance != group.instance && !group.finished_one.wait_for(lock, kTick, has_one)) {
    if (instance.stopping()) return false;
  }
  group.finished_one.wait(lock, has_one);
  return true;
}

const Word* after_spawn(const Word* pc) { return pc + bytecode::instruction_words(pc); }

}  // namespace

const Word* spawn(Machine m, const Word* pc) {
  std::unique_ptr<Task> task = make_task(m, pc);
  Task* const handle = task.get();
  if (!start(task)) return fail(TrapKind::Thread, pc, m);
  m.base[a_of(pc[0])] = reinterpret_cast<std::uint64_t>(handle);
  return after_spawn(pc);
}

const Word* wait_ticket(Machine m, const Word* pc) {
  auto* const task = reinterpret_cast<Task*>(m.base[b_of(pc[0])]);
  if (!wait_for(m, *task)) return fail(TrapKind::Interrupt, pc, m);
  m.base[b_of(pc[0])] = 0;
  return deliver(taken(task), m, a_of(pc[0]), pc + 1);
}

const Word* new_group(Machine m, const Word* pc) {
  auto group = std::make_unique<Group>();
  group->instance = &m.thread->instance();
  group->room = m.base[b_of(pc[0])];
  m.thread->instance().keep(group.get(), [](void* kept) { delete static_cast<Group*>(kept); });
  m.base[a_of(pc[0])] = reinterpret_cast<std::uint64_t>(group.release());
  return pc + 1;
}

const Word* spawn_into(Machine m, const Word* pc) {
  Group& group = *reinterpret_cast<Group*>(m.base[a_of(pc[0])]);
  {
    const std::lock_guard guard(group.mutex);
    if (group.outstanding >= group.room) return fail(TrapKind::Group, pc, m);
    ++group.outstanding;
  }
  std::unique_ptr<Task> task = make_task(m, pc);
  task->group = &group;
  if (!start(task)) return fail(TrapKind::Thread, pc, m);
  return after_spawn(pc);
}

const Word* collect(Machine m, const Word* pc) {
  Group& group = *reinterpret_cast<Group*>(m.base[b_of(pc[0])]);
  std::unique_ptr<Task> task;
  {
    std::unique_lock lock(group.mutex);
    if (group.outstanding == 0) return fail(TrapKind::Group, pc, m);
    if (!wait_for_one(m, group, lock)) return fail(TrapKind::Interrupt, pc, m);
    task = taken(group.finished.front());
    group.finished.pop_front();
    --group.outstanding;
  }
  return deliver(std::move(task), m, a_of(pc[0]), pc + 1);
}

const Word* wait_group(Machine m, const Word* pc) {
  Group& group = *reinterpret_cast<Group*>(m.base[a_of(pc[0])]);
  const Word* next = pc + 1;
  for (; group.outstanding != 0; --group.outstanding) {
    std::unique_lock lock(group.mutex);
    if (!wait_for_one(m, group, lock)) return fail(TrapKind::Interrupt, pc, m);
    const std::unique_ptr<Task> task = taken(group.finished.front());
    group.finished.pop_front();
    lock.unlock();
    if (task->trap && next != kExit) {
      m.thread->trapped = true;
      m.thread->trap = std::move(*task->trap);
      next = kExit;
    }
    if (next != kExit) release_result(*m.thread, *task);
  }
  m.base[a_of(pc[0])] = 0;
  group.instance->forget(&group);
  delete &group;
  return next;
}

const Word* lock_mutex(Machine m, const Word* pc) {
  auto* lock = reinterpret_cast<runtime::Lock*>(m.base[a_of(pc[0])]);
  const auto stopping = [](void* waiting) {
    auto& thread = *static_cast<Thread*>(waiting);
    thread.give_back_steps();
    return thread.instance().stopping();
  };
  switch (m.thread->instance().watched() ? lock->lock(stopping, m.thread) : lock->lock()) {
    case runtime::Lock::Outcome::Locked:
      return pc + 1;
    case runtime::Lock::Outcome::AlreadyHeld:
      return fail(TrapKind::Mutex, pc, m);
    case runtime::Lock::Outcome::GaveUp:
      break;
  }
  return fail(TrapKind::Interrupt, pc, m);
}

void unlock_mutex(std::uint8_t* mutex) { reinterpret_cast<runtime::Lock*>(mutex)->unlock(); }

}  // namespace cairn::interpreter
