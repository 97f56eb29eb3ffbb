// Limits, capabilities, host functions, and what a trap leaves behind.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/embedding/host.hpp"

using namespace cairn::test;

namespace {

cairn_options limited() {
  cairn_options options = cairn_default_options();
  options.memory_bytes = 16 << 20;
  options.stack_bytes = 1 << 20;
  options.steps = 3'000'000;
  options.wall_ms = 5000;
  options.tasks = 16;
  options.lanes = 4;
  return options;
}

constexpr const char* kHostile = R"(
fn deep(n:u64) -> u64 { if n == 0 { return 0; } return deep(n - 1) + 1; }
fn endless() -> u64 { let mut k:u64 = 0; while true { k = add_wrap(k, 1); } return k; }
fn greedy() -> u64 { let b = Buf[u64](1000000000); return u64(len(b)); }
fn lanes(n:usize) -> u64 { let s = reduce add_wrap parallel i in n yield endless(); return s; }
fn spin(flag:ro<Atomic[u64]>) { while flag.load(Order.acquire) == 0 { } }
fn held() -> u64 {
  let flag = Atomic[u64](0);
  let t = spawn spin(flag);
  let u = spawn endless();
  wait(t);
  return wait(u);
}
fn past(k:usize) -> u64 { stack xs:u64[4] = zeroed; return xs[k]; }
fn task_trap() -> u64 {
  let flag = Atomic[u64](0);
  let t = spawn spin(flag);
  let u = spawn past(9);
  wait(t);
  return wait(u);
}
fn many(n:u64) -> u64 {
  if n == 0 { return 0; }
  let t = spawn many(n - 1);
  return wait(t) + 1;
}
fn take(m:ro<Mutex[u64]>, w:ro<Mutex[u64]>, both:ro<Atomic[u64]>) {
  m.with(|a:rw<u64>| {
    a += 1;
    both.fetch_add(1, Order.acquire_release);
    while both.load(Order.acquire) < 2 { }
    w.with(|b:rw<u64>| { b += 1; });
  });
}
fn deadlock() -> u64 {
  let m = Mutex[u64](0);
  let w = Mutex[u64](0);
  let both = Atomic[u64](0);
  let t = spawn take(m, w, both);
  take(w, m, both);
  wait(t);
  return 0;
}
fn fine(k:u64) -> u64 = k + 1;
)";

}  // namespace

TEST_CASE("every limit ends a program as a trap, and a restarted module goes on", "[embedding]") {
  Host host(limited());
  cairn_module* module = host.load(kHostile);
  INFO(host.refused << " " << host.message);
  REQUIRE(module != nullptr);
  const auto trap_of = [&](const char* name, std::initializer_list<cairn_value> arguments) {
    const Called called = call(module, name, arguments);
    REQUIRE(called.status == CAIRN_TRAPPED);
    CHECK(call(module, "fine", {u64(1)}).status == CAIRN_DEAD);
    CHECK(cairn_last_trap(module, nullptr));
    REQUIRE(cairn_restart(module) == CAIRN_OK);
    CHECK(call(module, "fine", {u64(1)}).result.as.u64 == 2);
    return called.trap;
  };
  CHECK(trap_of("deep", {u64(100'000'000)}) == "stack");
  CHECK(trap_of("endless", {}) == "limit");
  CHECK(trap_of("greedy", {}) == "allocation");
  CHECK(trap_of("lanes", {u64(100'000)}) == "limit");
  CHECK(trap_of("held", {}) == "limit");
  CHECK(trap_of("task_trap", {}) == "bounds");
  CHECK(trap_of("many", {u64(1000)}) == "thread");
}

TEST_CASE("time ends what waits for itself", "[embedding]") {
  cairn_options options = limited();
  options.steps = 0;
  options.wall_ms = 100;
  Host host(options);
  cairn_module* module = host.load(kHostile);
  REQUIRE(module != nullptr);
  const auto start = std::chrono::steady_clock::now();
  CHECK(call(module, "endless").trap == "limit");
  REQUIRE(cairn_restart(module) == CAIRN_OK);
  CHECK(call(module, "deadlock").status == CAIRN_TRAPPED);
  REQUIRE(cairn_restart(module) == CAIRN_OK);
  CHECK(call(module, "fine", {u64(1)}).status == CAIRN_OK);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

TEST_CASE("another thread interrupts a call, and only that", "[embedding]") {
  Host host;
  cairn_module* module = host.load(kHostile);
  cairn_module* other = host.load(kHostile);
  REQUIRE(module != nullptr);
  REQUIRE(other != nullptr);
  std::jthread thread([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    cairn_interrupt(module);
  });
  CHECK(call(module, "endless").trap == "interrupt");
  CHECK(call(other, "fine", {u64(1)}).status == CAIRN_OK);
}

TEST_CASE("a program may do nothing its host did not allow", "[embedding]") {
  constexpr const char* kNosy = R"(
import std.fs;
import std.time;
fn look() -> bool { return fs.exists("/"); }
fn now() -> u64 { let t = time.now(); return t.ns; }
)";
  Host closed;
  cairn_module* module = closed.load(kNosy);
  REQUIRE(module != nullptr);
  CHECK(call(module, "look").trap == "foreign");
  REQUIRE(cairn_restart(module) == CAIRN_OK);
  CHECK(call(module, "now").trap == "foreign");
  cairn_options options = cairn_default_options();
  options.capabilities = CAIRN_FILES | CAIRN_TIME;
  Host open(options);
  cairn_module* allowed = open.load(kNosy);
  REQUIRE(allowed != nullptr);
  CHECK(call(allowed, "look").result.as.boolean);
  CHECK(call(allowed, "now").result.as.u64 > 0);
  constexpr const char* kForeign =
      "extern \"labs\" fn size(v:i64) -> i64 effects();\nfn f(v:i64) -> i64 { let mut r:i64 = 0; unsafe { r = size(v); "
      "} return r; }\n";
  CHECK(closed.load(kForeign) == nullptr);
  CHECK(closed.message.find("labs") != std::string::npos);
  options.capabilities = CAIRN_FOREIGN;
  Host foreign(options);
  cairn_module* bound = foreign.load(kForeign);
  REQUIRE(bound != nullptr);
  CHECK(call(bound, "f", {i64(-4)}).result.as.i64 == 4);
}

TEST_CASE("programs call the host's functions under their declared effects", "[embedding]") {
  Host host;
  std::uint64_t asked = 0;
  const auto price = [](void* context, const cairn_value* arguments, size_t, cairn_value* result) -> const char* {
    *static_cast<std::uint64_t*>(context) += 1;
    if (arguments[0].as.u64 > 9) return "no such symbol";
    result->as.f64 = 1.5 * static_cast<double>(arguments[0].as.u64);
    return nullptr;
  };
  CHECK(cairn_register(host.vm.get(), "fn price(symbol:u32) -> f64 effects(io)", price, &asked) == CAIRN_OK);
  CHECK(cairn_register(host.vm.get(), "fn price(symbol:u32) -> f64 effects(io)", price, &asked) == CAIRN_REFUSED);
  CHECK(cairn_register(host.vm.get(), "fn price2(symbol:u32) -> f64", price, &asked) == CAIRN_REFUSED);
  CHECK(cairn_register(host.vm.get(), "fn a(x:u32) -> f64 effects(io); fn b() {}", price, &asked) == CAIRN_REFUSED);
  CHECK(cairn_register(host.vm.get(), "fn a[T:copy](x:T) -> f64 effects(io)", price, &asked) == CAIRN_REFUSED);
  CHECK(cairn_register(host.vm.get(), "", price, &asked) == CAIRN_REFUSED);
  cairn_module* module =
      host.load("import host;\nfn f(s:u32) -> f64 { let mut p:f64 = 0.0; unsafe { p = host.price(s); } return p; }\n");
  INFO(host.refused << " " << host.message);
  REQUIRE(module != nullptr);
  CHECK(call(module, "f", {u64(4)}).result.as.f64 == 6.0);
  CHECK(asked == 1);
  const Called failed = call(module, "f", {u64(40)});
  CHECK(failed.trap == "foreign");
  CHECK(failed.message.find("no such symbol") != std::string::npos);
  CHECK(host.load(
            "import host;\nfn f() -> f64 pure { let mut p:f64 = 0.0; unsafe { p = host.price(1); } return p; }\n") ==
        nullptr);
  CHECK(host.refused == "E-EFFECT-CEILING");
}

TEST_CASE("modules run at the same time on threads of their own", "[embedding]") {
  std::atomic<int> good{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        cairn_options options = cairn_default_options();
        options.lanes = 2;
        std::unique_ptr<cairn_vm, VmFree> vm(cairn_vm_new(&options));
        const std::string text =
            "fn f(n:usize) -> u64 { let s = reduce add_wrap parallel i in n yield u64(i); return s; }";
        cairn_module* module = cairn_load_source(vm.get(), "t.cairn", text.data(), text.size(), nullptr);
        if (module == nullptr) return;
        for (int k = 0; k < 20; ++k) {
          const cairn_value n = u64(40'000);
          cairn_value result{};
          if (cairn_call(cairn_find(module, "f"), &n, 1, &result, nullptr) == CAIRN_OK && result.as.u64 == 799980000)
            ++good;
        }
      });
    }
  }
  CHECK(good == 80);
  Host host;
  cairn_module* module = host.load("fn f() -> u64 = 1;");
  REQUIRE(module != nullptr);
  std::jthread([&] {
    CHECK(cairn_call(cairn_find(module, "f"), nullptr, 0, nullptr, nullptr) == CAIRN_BAD_ARGUMENT);
  }).join();
}

TEST_CASE("a host function calls back into its module, and a trap there ends the outer call too", "[embedding]") {
  Host host;
  struct Context {
    cairn_module* module = nullptr;
    cairn_status restart = CAIRN_OK;
  } context;
  const auto apply = [](void* given, const cairn_value* arguments, size_t, cairn_value* result) -> const char* {
    auto& held = *static_cast<Context*>(given);
    held.restart = cairn_restart(held.module);
    cairn_module_free(held.module);
    const cairn_status status = cairn_call(cairn_find(held.module, "inner"), arguments, 1, result, nullptr);
    return status == CAIRN_OK ? nullptr : "the inner call failed";
  };
  REQUIRE(cairn_register(host.vm.get(), "fn apply(x:u64) -> u64 effects(io)", apply, &context) == CAIRN_OK);
  context.module = host.load(R"(
import host;
fn inner(x:u64) -> u64 {
  stack deep:u64[100] = zeroed;
  for i in 0..100 { deep[i] = x; }
  return deep[99] * 2;
}
fn outer(x:u64) -> u64 {
  stack mine:u64[100] = zeroed;
  for i in 0..100 { mine[i] = u64(i); }
  let mut got:u64 = 0;
  unsafe { got = host.apply(x); }
  let kept = reduce + for i in 100 yield mine[i];
  return got + kept;
}
)");
  INFO(host.refused << " " << host.message);
  REQUIRE(context.module != nullptr);
  CHECK(call(context.module, "outer", {u64(21)}).result.as.u64 == 42 + 4950);
  CHECK(context.restart == CAIRN_BAD_ARGUMENT);
  CHECK(call(context.module, "outer", {u64(~std::uint64_t{0})}).trap == "overflow");
  CHECK(call(context.module, "inner", {u64(1)}).status == CAIRN_DEAD);
}
