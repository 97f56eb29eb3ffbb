// Queued device work: what may be queued, what its tickets hold, and what `after` lets through (devices, 5).
#include <catch2/catch.hpp>

#include "tests/check/body_verdict.hpp"

using cairn::tests::body;

namespace {

std::string queued(std::string_view statements) {
  return body(
      "let n:usize = 8; buffer a:u64[n]@device = zeroed; buffer b:u64[n]@device = zeroed; buffer h:u64[n] = "
      "zeroed; buffer g:u64[n]@pinned = zeroed;\n" +
      std::string(statements));
}

}  // namespace

TEST_CASE("only device work is queued", "[devices][queues]") {
  CHECK(queued("let t = spawn transfer(a, h); wait(t);") == "ok");
  CHECK(queued("let t = spawn transfer(a, b); wait(t);") == "ok");
  CHECK(queued("let t = spawn transfer(g, h); wait(t);") == "E-SPAWN 3:9");
  CHECK(queued("let t = spawn parallel i in n { a[i] = 1; }; wait(t);") == "ok");
  CHECK(queued("let t = spawn parallel i in n { h[i] = 1; }; wait(t);") == "E-SPAWN 3:9");
  CHECK(queued("let q = Group[void](1); spawn transfer(a, h) into q; wait(q);") == "E-SPAWN 3:25");
  CHECK(queued("let _ = spawn transfer(a, h);") == "E-SPAWN 3:9");
  CHECK(queued("parallel i in n { a[i] = 1; let t = spawn transfer(a, h); wait(t); }") == "E-SPAWN 3:37");
}

TEST_CASE("a ticket of queued work is waited for once, on every path", "[devices][queues]") {
  CHECK(queued("let t = spawn transfer(a, h);").starts_with("E-LINEAR-LEAK"));
  CHECK(queued("let t = spawn transfer(a, h); if n == 3 { wait(t); }") == "E-LINEAR-BRANCH 3:31");
  CHECK(queued("let t = spawn transfer(a, h); wait(t); wait(t);").starts_with("E-MOVED"));
  CHECK(queued("let t = spawn transfer(a, h); let u = t; wait(u);").starts_with("E-PINNED"));
}

TEST_CASE("until its wait, queued work holds what it touches", "[devices][queues]") {
  CHECK(queued("let t = spawn transfer(a, h); h[0] = 1; wait(t);") == "E-LEASED 3:31");
  CHECK(queued("let t = spawn transfer(a, h); let x = h[0]; wait(t);") == "ok");
  CHECK(queued("let t = spawn transfer(h, a); let x = h[0]; wait(t);") == "E-LEASED 3:39");
  CHECK(queued("let t = spawn transfer(a, h); wait(t); h[0] = 1;") == "ok");
  CHECK(queued("let t = spawn parallel i in n { a[i] = b[i]; }; parallel i in n { b[i] = 1; } wait(t);") ==
        "E-LEASED 3:67");
  CHECK(queued("let t = spawn parallel i in n { a[i] = b[i]; }; let s = reduce max for i in n yield b[i]; wait(t);") ==
        "ok");
  CHECK(queued("let t = spawn parallel i in n { atomic_add_wrap(a[0], b[i]); }; transfer(h, a); wait(t);") ==
        "E-LEASED 3:65");
}

TEST_CASE("work after a ticket may touch what that held, and what came before it", "[devices][queues]") {
  CHECK(queued("let t = spawn transfer(a, h); let u = spawn parallel i in n { a[i] = 1; }; wait(u); wait(t);") ==
        "E-LEASED 3:63");
  CHECK(
      queued("let t = spawn transfer(a, h); let u = spawn parallel i in n after t { a[i] = 1; }; wait(u); wait(t);") ==
      "ok");
  CHECK(queued("let t = spawn transfer(a, h); let u = spawn parallel i in n after t { b[i] = a[i]; };"
               " let v = spawn transfer(h, b) after u; wait(v); wait(u); wait(t);") == "ok");
  CHECK(queued("let t = spawn transfer(a, h); let u = spawn parallel i in n { b[i] = 1; };"
               " let v = spawn parallel i in n after u { a[i] = b[i]; }; wait(v); wait(u); wait(t);") ==
        "E-LEASED 3:116");
  CHECK(queued("let t = spawn transfer(a, h); let u = spawn parallel i in n { b[i] = 1; };"
               " let v = spawn parallel i in n after t, u { a[i] = b[i]; }; wait(v); wait(u); wait(t);") == "ok");
}

TEST_CASE("after names live tickets of queued work", "[devices][queues]") {
  CHECK(queued("let t = spawn transfer(a, h) after n; wait(t);") == "E-SPAWN 3:36");
  CHECK(queued("let t = spawn transfer(a, h); wait(t); let u = spawn transfer(b, h) after t; wait(u);") ==
        "E-SPAWN 3:75");
  CHECK(queued("parallel i in n after h { a[i] = 1; }") == "E-SPAWN 3:1");
}

TEST_CASE("a deferred wait leaves its ticket live until the block ends", "[devices][queues]") {
  CHECK(queued("let t = spawn transfer(a, h); defer wait(t); let u = spawn parallel i in n after t { a[i] = 1; };"
               " defer wait(u);") == "ok");
  CHECK(queued("let t = spawn transfer(a, h); defer wait(t); h[0] = 1;") == "E-LEASED 3:46");
}

TEST_CASE("parts of one array are queued side by side", "[devices][queues]") {
  CHECK(queued("let k:usize = 4; let t = spawn transfer(a[0..k], h[0..k]); let u = spawn transfer(a[k..n], h[k..n]);"
               " wait(t); wait(u);") == "ok");
  CHECK(queued("let k:usize = 4; let t = spawn transfer(a[0..n], h[0..n]); let u = spawn transfer(a[k..n], h[k..n]);"
               " wait(t); wait(u);")
            .starts_with("E-LEASED"));
}
