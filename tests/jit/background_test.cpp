// Optimized code that another thread makes while the program runs.
#include <chrono>
#include <filesystem>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/jit/both_tiers.hpp"
#include "tests/jit/random_module.hpp"
#include "vm/tiers/tiers.hpp"

namespace cairn::tests {
namespace {

constexpr std::uint64_t kCalls = 10'000'000;  // of the program, while code is being made: what never comes fails

/// `functions` sums of 0 to n - 1, each of them which add n and take it away again as often as is said, at every turn.
Module sums(std::uint32_t functions, std::uint32_t additions) {
  ModuleBuilder builder("sums");
  Signature signature;
  signature.parameters = {{RegisterKind::U64}};
  signature.result = {RegisterKind::U64};
  const std::uint32_t of_all = builder.signature(signature);
  for (std::uint32_t k = 0; k < functions; ++k) builder.declare("sum" + std::to_string(k), of_all);
  for (std::uint32_t k = 0; k < functions; ++k) {
    FunctionBuilder f(builder, k);
    const Register i = f.add_register({RegisterKind::U64});
    const Register sum = f.add_register({RegisterKind::U64});
    f.emit(Op::Const, i, 0);
    f.emit(Op::Const, sum, 0);
    const auto loop = f.label();
    const auto end = f.label();
    f.bind(loop);
    f.emit(Op::JumpEq, i, f.parameter(0), end);
    f.emit(Op::AddU64, sum, sum, i);
    for (std::uint32_t each = 0; each < additions; ++each) {
      f.emit(Op::AddU64, sum, sum, f.parameter(0));
      f.emit(Op::SubU64, sum, sum, f.parameter(0));
    }
    f.emit(Op::AddU64Imm, i, i, 1);
    f.emit(Op::Jump, loop);
    f.bind(end);
    f.emit(Op::ReturnValue, sum);
    f.finish();
  }
  return verified(builder.take());
}

std::size_t listed_threads() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

/// A thread that was joined is listed for a moment more: the count once it has stood for a while.
std::size_t threads_of_this_process() {
  static const bool has_begun = (std::thread([] {}).join(), true);  // a sanitizer may begin its own with the first
  std::size_t count = listed_threads();
  for (int stood = 0; has_begun && stood < 5; ++stood) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (const std::size_t now = listed_threads(); now != count) {
      count = now;
      stood = -1;
    }
  }
  return count;
}

std::uint64_t sum_below(std::uint64_t n) { return n * (n - 1) / 2; }

/// Calls the function until its optimized code is there.
void call_until_made(Engine& engine, std::uint32_t function) {
  const std::uint64_t n[] = {100};
  for (std::uint64_t k = 0; k < kCalls && !engine.instance().tiers()->has_optimized_code(function); ++k) {
    REQUIRE(engine.call(function, n).value == sum_below(100));
  }
  CHECK(engine.instance().tiers()->has_optimized_code(function));
}

}  // namespace

TEST_CASE("a function is made in the background while its calls go on, and is entered when it is there", "[jit]") {
  const InBackground asked(true);
  const Image image(sums(1, 40), {});
  const std::size_t threads = threads_of_this_process();
  {
    Engine engine(image, Tier::Auto);
    call_until_made(engine, 0);
    CHECK(threads_of_this_process() == threads + 1);
    const std::uint64_t n[] = {1'000'000};
    CHECK(engine.call(0, n).value == sum_below(1'000'000));
  }
  CHECK(threads_of_this_process() == threads);
}

TEST_CASE("a loop that waits for code of another thread finds it where it looks up", "[jit]") {
  const InBackground asked(true);
  const Image image(sums(1, 40), {});
  Engine engine(image, Tier::Auto);
  const std::uint64_t few[] = {200'000};
  CHECK(engine.call(0, few).value == sum_below(200'000));
  Tiers& tiers = *engine.instance().tiers();
  const Word* const loop = image.functions()[0].body + 4;
  const Word* there = nullptr;
  for (std::uint64_t k = 0; k < kCalls && there == nullptr; ++k) {
    there = engine.hot_code(loop);
    if (there == nullptr) std::this_thread::yield();
  }
  REQUIRE(there != nullptr);
  CHECK(reinterpret_cast<const ResumePoint*>(there)->pc == loop);
  CHECK(tiers.place_of(reinterpret_cast<const ResumePoint*>(there)->address)->level == jit::Level::Optimized);
}

TEST_CASE("the optimizing tier, and small programs on the automatic one, start no thread", "[jit]") {
  const std::size_t threads = threads_of_this_process();
  const std::uint64_t n[] = {1'000'000};
  const Setting by_default("CAIRN_BACKGROUND", "");
  for (const std::uint32_t additions : {2U, 400U}) {
    INFO("additions " << additions);
    const Image image(sums(1, additions), {});
    Engine optimizing(image, Tier::Optimizing);
    CHECK(optimizing.call(0, n).value == sum_below(1'000'000));
    CHECK(optimizing.instance().tiers()->has_optimized_code(0));
    CHECK(threads_of_this_process() == threads);
    Engine automatic(image, Tier::Auto);
    CHECK(automatic.call(0, n).value == sum_below(1'000'000));
    const bool takes_long = additions == 400 && std::thread::hardware_concurrency() > 1;
    CHECK(threads_of_this_process() == threads + (takes_long ? 1 : 0));
    if (!takes_long) CHECK(automatic.instance().tiers()->has_optimized_code(0));
  }
}

TEST_CASE("an instance may end while its functions are being made", "[jit]") {
  const InBackground asked(true);
  const Image image(sums(40, 300), {});
  const std::uint64_t n[] = {3};
  for (std::uint32_t round = 0; round < 20; ++round) {
    Engine engine(image, Tier::Auto);
    for (std::uint32_t function = 0; function < 2 * round; ++function) {
      for (std::uint32_t call = 0; call < 2100; ++call) {
        if (engine.call(function, n).value != sum_below(3)) FAIL("function " << function << ", call " << call);
      }
    }
  }
}

TEST_CASE("a child of a process whose functions are being made goes on without that thread, and starts its own",
          "[jit]") {
  const InBackground asked(true);
  const Image image(sums(12, 100), {});
  for (std::uint32_t calls = 0; calls < 3000; calls += 200) {
    Engine engine(image, Tier::Auto);
    const std::uint64_t n[] = {100};
    for (std::uint32_t k = 0; k < calls; ++k) REQUIRE(engine.call(k % 6, n).value == sum_below(100));
    const pid_t child = ::fork();
    if (child == 0) {
      bool fine = true;
      {
        const Engine last(image, Tier::Auto);  // made and ended by the child
        for (std::uint64_t k = 0; k < kCalls && !engine.instance().tiers()->has_optimized_code(11); ++k) {
          fine = fine && engine.call(k % 12, n).value == sum_below(100);
        }
        fine = fine && engine.instance().tiers()->has_optimized_code(11);
        engine.~Engine();
      }
      ::_exit(fine ? 0 : 1);
    }
    REQUIRE(child > 0);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    INFO("calls " << calls << ", status " << status);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    call_until_made(engine, 5);
  }
}

TEST_CASE("programs whose functions are made in the background end as the interpreter's, with the same memory",
          "[jit]") {
  const InBackground asked(true);
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    const Image image(verified(random_module(seed)), {});
    Limits limits;
    limits.stack_bytes = 1 << 18;
    if (seed % 4 == 0) limits.steps = 1000 + 61 * seed;
    Engine interpreter(image, Tier::Interpreter, limits);
    Engine automatic(image, Tier::Auto, limits);
    std::vector<std::uint64_t> host(kHostWords, seed);
    std::vector<std::uint64_t> other(kHostWords, seed);
    const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(host.data()), kHostWords};
    const std::uint64_t others[] = {reinterpret_cast<std::uint64_t>(other.data()), kHostWords};
    for (std::uint64_t call = 0; call < 60; ++call) {
      if (call > 32 && limits.steps == 0) automatic.set_fuel((seed + call) % 29);
      INFO("call " << call);
      REQUIRE(interpreter.call(0, arguments) == automatic.call(0, others));
      REQUIRE(host == other);
    }
    REQUIRE(interpreter.output() == automatic.output());
  }
}

}  // namespace cairn::tests
