// Which device functions may be queued by their caller, and why the others may not (devices, 21).
#include "frontend/report/enqueue.hpp"

#include <catch2/catch.hpp>

#include "tests/check/checked_source.hpp"

namespace {

/// Why the function `f` of a program is not queued; empty when it is.
std::string reason(std::string program) {
  const cairn::CheckedSource checked(std::move(program));
  REQUIRE(checked.verdict() == "accepted");
  for (const auto& function : checked.compilation.program.functions) {
    if (function->name == "f") return cairn::reason_not_to_enqueue(*function, checked.compilation.names);
  }
  return "no such function";
}

}  // namespace

TEST_CASE("work that the host never waits for is queued", "[report][devices]") {
  CHECK(reason("fn f(n:usize, d:rw<u64>[n]@device) { parallel i in n { d[i] = 1; } parallel i in n { d[i] = 2; } }")
            .empty());
  CHECK(reason("fn f(n:usize, d:rw<u64>[n]@device, e:ro<u64>[n]@device) { transfer(d, e); }").empty());
  CHECK(reason("fn f(n:usize, d:rw<u64>[n]@device) { parallel i in n { atomic_add_wrap(d[0], 1); } }").empty());
  CHECK(reason("fn g(v:u64) -> u64 = v; fn f(n:usize, d:rw<u64>[n]@device, k:u64) { parallel i in n { d[i] = g(k); } }")
            .empty());
}

TEST_CASE("what the host waits for or may see keeps a function from being queued", "[report][devices]") {
  CHECK(reason("fn f(n:usize, d:rw<u64>[n]@device) { buffer t:u64[n]@device = zeroed; transfer(d, t); }") ==
        "it allocates device memory");
  CHECK(reason("fn f(n:usize, d:rw<u64>[n]@device) { reduce max d[0] for i in n yield u64(i); }") ==
        "it allocates device memory");
  CHECK(reason("fn f(n:usize, d:ro<u64>[n]@device, h:rw<u64>[n]) { transfer(h, d); }") ==
        "it transfers to host memory, which the host reads when it returns");
  CHECK(reason("fn f(n:usize, d:rw<u64>[n]@device, e:ro<u64>[n]@device) { let t = spawn transfer(d, e); wait(t); }") ==
        "it queues work of its own or starts a task");
  CHECK(reason("fn f(n:usize, d:rw<u64>[n]@device) { parallel i in n { d[i] = 1; } println(1); }") == "it does I/O");
  CHECK(reason("fn g(n:usize, h:rw<u64>[n]) { atomic_max(h[0], 1); } fn f(n:usize, d:rw<u64>[n]@device, h:rw<u64>[n]) "
               "{ parallel i in n { d[i] = 1; } g(h); }") == "it updates host memory atomically");
  CHECK(reason("fn f(n:usize, d:rw<u64>[n]@device, u:ro<u64>[n]@unified) { parallel i in n { d[i] = u[i]; } }") ==
        "it is lent unified memory, which the host may read at any time");
}
