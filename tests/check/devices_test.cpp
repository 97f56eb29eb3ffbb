// Placements, the side a region runs on, device lanes and kernel fns (devices, 2 to 4).
#include <catch2/catch.hpp>

#include "tests/check/body_verdict.hpp"
#include "tests/check/checked_source.hpp"

using cairn::CheckedSource;
using cairn::tests::verdict;

namespace {

/// The verdict on the body of a function with two device views, host memory of every kind and helpers; the body begins
/// at line 2.
std::string in_device(std::string_view statements) {
  constexpr std::string_view kHelp =
      "struct P { k:u64; ok:bool; }"
      " fn twice(v:u64) -> u64 = v * 2;"
      " fn pick(m:usize, t:ro<u64>[m], k:usize) -> u64 = t[k];"
      " fn through(v:u64) -> u64 = deep(v);"
      " fn deep(v:u64) -> u64 { defer nothing(); return v; }"
      " fn nothing() { }"
      " fn say(v:u64) -> u64 { println(v); return v; }"
      " fn apply(f:ro<fn(u64) -> u64>, v:u64) -> u64 = f(v);"
      " fn bump(v:rw<u64>) { v += 1; }"
      " kernel fn at(n:usize, t:ro<u64>[n]@device, i:usize) -> u64 = t[i];"
      " kernel fn put(n:usize, t:rw<u64>[n]@device, i:usize) { t[i] = 1; }"
      " fn f(n:usize, d:rw<u64>[n]@device, e:ro<u64>[n]@device, h:rw<u64>[n], p:rw<u64>[n]@pinned, "
      "u:rw<u64>[n]@unified,"
      " q:ro<P>, w:P, k:u64) {\n";
  return verdict(std::string(kHelp) + std::string(statements) + "\n}\n");
}

}  // namespace

TEST_CASE("a region that indexes a device view is device code throughout", "[devices]") {
  CHECK(in_device("parallel i in n { d[i] = e[i] + k; }") == "ok");
  CHECK(in_device("parallel i in n { d[i] = h[i]; }") == "E-PLACEMENT 2:26");
  CHECK(in_device("parallel i in n { h[i] = e[i]; }") == "E-PLACEMENT 2:19");
  CHECK(in_device("parallel i in n { d[i] = p[i]; }") == "E-PLACEMENT 2:26");
  CHECK(in_device("parallel i in n { d[i] = u[i]; }") == "ok");
  CHECK(in_device("parallel i in n { h[i] = u[i] + p[i]; }") == "ok");
  CHECK(in_device("let x = d[0];") == "E-PLACEMENT 2:9");
  CHECK(in_device("let x = u[0] + p[0];") == "ok");
}

TEST_CASE("a name that is only passed on does not decide the side", "[devices]") {
  CHECK(in_device("parallel i in n { put(d, i); }") == "E-PLACEMENT 2:19");
  CHECK(in_device("parallel i in n { d[i] = at(e, i); }") == "ok");
  CHECK(in_device("parallel i in n { d[i] = at(e[0..n], i); }") == "ok");
}

TEST_CASE("what a lane declares is its own, and what it captures crosses by value", "[devices]") {
  CHECK(in_device(
            "parallel i in n { stack t:u64[2] = zeroed; t[1] = 4; let a = Array[u64, 2](); d[i] = t[1] + a[0]; }") ==
        "ok");
  CHECK(in_device("stack t:u64[2] = zeroed;\nparallel i in n { d[i] = t[1]; }") == "E-PLACEMENT 3:26");
  CHECK(in_device("let a = Array[u64, 2]();\nparallel i in n { d[i] = a[1]; }") == "E-PLACEMENT 3:26");
  CHECK(in_device("let b = Buf[u64](2);\nparallel i in n { d[i] = b[1]; }") == "E-PLACEMENT 3:26");
  CHECK(in_device("let b = Buf[u64](2);\nparallel i in n { d[i] = u64(len(b)); }") == "E-PLACEMENT 3:34");
  CHECK(in_device("let mut z:u64 = 2; z += 1;\nparallel i in n { if q.ok { d[i] = q.k + w.k + z; } }") == "ok");
  CHECK(in_device("let mut z:u64 = 2;\nparallel i in n { z = d[i]; }") == "E-PARALLEL-WRITE 3:19");
}

TEST_CASE("host constructs are refused in device code", "[devices]") {
  CHECK(in_device("parallel i in n { d[i] = 1; println(i); }") == "E-PLACEMENT 2:29");
  CHECK(in_device("parallel i in n { d[i] = 1; buffer t:u64[4] = zeroed; }") == "E-PLACEMENT 2:29");
  CHECK(in_device("parallel i in n { d[i] = 1; let t = Buf[u64](4); }") == "E-PLACEMENT 2:37");
  CHECK(in_device("parallel i in n { d[i] = 1; defer nothing(); }") == "E-PLACEMENT 2:29");
  CHECK(in_device("parallel i in n { d[i] = 1; let t = len(\"abc\"); }") == "E-PLACEMENT 2:41");
  CHECK(in_device("parallel i in n { d[i] = 1; assert(i < n, \"why\"); }") == "ok");
  CHECK(in_device("parallel i in n { d[i] = apply(|v:u64| -> u64 { return v; }, 1); }") == "E-CLOSURE 2:32");
  CHECK(in_device("parallel i in n { d[i] = 1; parallel j in n { d[j] = 2; } }") == "E-PARALLEL-NEST 2:29");
  CHECK(in_device("parallel i in n { d[i] = 1; transfer(d, e); }") == "E-PARALLEL-NEST 2:29");
  CHECK(in_device("parallel i in n { d[i] = 1; return; }") == "E-PARALLEL-CONTROL 2:29");
}

TEST_CASE("what a lane reaches through calls is held to the same", "[devices]") {
  CHECK(in_device("parallel i in n { d[i] = twice(e[i]); }") == "ok");
  CHECK(in_device("parallel i in n { let mut v = e[i]; bump(v); d[i] = v; }") == "ok");
  CHECK(in_device("parallel i in n { d[i] = pick(u, i); }") == "E-PLACEMENT 2:26");
  CHECK(in_device("parallel i in n { u[i] = pick(u, 0); }") == "E-PARALLEL-RACE 2:31");
  CHECK(in_device("parallel i in n { d[i] = through(1); }") == "E-PLACEMENT 2:26");
  CHECK(in_device("parallel i in n { d[i] = say(1); }") == "E-PARALLEL-CALL 2:26");
  CHECK(in_device("let t = through(1) + say(1);") == "E-EFFECT-ORDER 2:22");
}

TEST_CASE("a kernel fn is judged as device code though nothing calls it", "[devices]") {
  CHECK(verdict("kernel fn k(n:usize, t:rw<u64>[n]@device) { t[0] = 1; }") == "ok");
  CHECK(verdict("kernel fn k(n:usize, t:rw<u64>[n]@unified) { t[0] = 1; }") == "ok");
  CHECK(verdict("kernel fn k(n:usize, t:rw<u64>[n]) { t[0] = 1; }") == "E-PLACEMENT 1:1");
  CHECK(verdict("kernel fn k(b:ro<Buf[u64]>) { }") == "E-PLACEMENT 1:1");
  CHECK(verdict("kernel fn k(a:ro<Array[u64, 2]>) -> u64 = a[1];") == "ok");
  CHECK(verdict("kernel fn k(n:usize, t:rw<u64>[n]@device) { parallel i in n { t[i] = 1; } }") ==
        "E-PARALLEL-NEST 1:45");
  CHECK(verdict("kernel fn k() { println(1); }") == "E-PLACEMENT 1:17");
  CHECK(verdict("import std.math as math; kernel fn k(x:f64) -> f64 = math.exp(x);") == "E-IMPORT 1:1");
  CHECK(verdict("kernel fn k(v:u64) -> u64 = v; fn f() -> u64 = k(1);") == "E-PLACEMENT 1:48");
  CHECK(verdict("kernel fn k(v:u64) -> u64 = v; kernel fn l(v:u64) -> u64 = k(v);") == "ok");
  CHECK(verdict("kernel fn k(v:u64) -> u64 = v; fn f() { let g:fn(u64) -> u64 = k; }") == "E-FN-TYPE 1:64");
}

TEST_CASE("lending crosses placements one way alone", "[devices]") {
  const auto lent = [](std::string_view held, std::string_view asked) {
    return verdict("fn g(n:usize, x:ro<u64>[n]@" + std::string(asked) + ") { } fn f(n:usize, x:ro<u64>[n]@" +
                   std::string(held) + ") { g(x); }");
  };
  for (const std::string_view place : {"host", "device", "pinned", "unified"}) CHECK(lent(place, place) == "ok");
  CHECK(lent("pinned", "host") == "ok");
  CHECK(lent("unified", "host") == "ok");
  CHECK(lent("unified", "device") == "ok");
  CHECK(lent("host", "pinned").starts_with("E-TYPE-MISMATCH"));
  CHECK(lent("host", "device").starts_with("E-TYPE-MISMATCH"));
  CHECK(lent("device", "host").starts_with("E-TYPE-MISMATCH"));
  CHECK(lent("device", "unified").starts_with("E-TYPE-MISMATCH"));
  CHECK(lent("host", "unified").starts_with("E-TYPE-MISMATCH"));
  CHECK(lent("pinned", "device").starts_with("E-TYPE-MISMATCH"));
}

TEST_CASE("collectors run where their indexes and outputs are", "[devices][collectors]") {
  CHECK(in_device("let s = reduce + for i in n yield e[i];") == "ok");
  CHECK(in_device("reduce + d[0] for i in n yield e[i];") == "ok");
  CHECK(in_device("reduce + d[0] for i in n yield u64(i);") == "ok");
  CHECK(in_device("reduce + h[0] for i in n yield e[i];") == "E-PLACEMENT 2:1");
  CHECK(in_device("reduce + u[0] for i in n yield e[i];") == "E-PLACEMENT 2:1");
  CHECK(in_device("reduce + d[0] for i in n yield h[i];") == "E-PLACEMENT 2:1");
  CHECK(in_device("reduce + u[0] for i in n yield h[i];") == "ok");
  CHECK(in_device("reduce + d[0] for i in n yield d[i];") == "E-PARALLEL-RACE 2:32");
  CHECK(in_device("reduce + d[i] for i in n yield e[i];") == "E-UNBOUND 2:12");
  CHECK(in_device("scan + d for i in n yield e[i];") == "ok");
  CHECK(in_device("scan + d for i in n yield u64(i);") == "ok");
  CHECK(in_device("scan + h for i in n yield e[i];") == "E-PLACEMENT 2:1");
  CHECK(in_device("scan + d for i in n yield h[i];") == "E-PLACEMENT 2:27");
  CHECK(in_device("let c = compact d for i in n where e[i] > 0 yield e[i];") == "ok");
  CHECK(in_device("let c = compact d for i in n where h[i] > 0 yield 1;") == "E-PLACEMENT 2:36");
  CHECK(in_device("let c = compact h for i in n where e[i] > 0 yield 1;") == "E-PLACEMENT 2:36");
  CHECK(in_device("let c = compact d for i in n where d[i] > 0 yield 1;") == "E-COLLECT-SELF-READ 2:1");
}

TEST_CASE("float prefixes are made on the host, and float products on the device in any order",
          "[devices][collectors]") {
  constexpr std::string_view kStart = "fn f(n:usize, d:rw<f32>[n]@device, e:ro<f32>[n]@device, h:rw<f32>[n]) {\n";
  const auto floats = [&](std::string_view body) { return verdict(std::string(kStart) + std::string(body) + "\n}"); };
  CHECK(floats("scan + d for i in n yield e[i];") == "E-SCAN-ORDER 2:1");
  CHECK(floats("scan + h for i in n yield h[i];") == "ok");
  CHECK(floats("let p = reduce * parallel i in n yield e[i];") == "ok");
  CHECK(floats("let p = reduce * parallel i in n yield h[i];") == "E-REDUCE-ORDER 2:1");
}

TEST_CASE("rows say what is done on the device", "[devices][rows]") {
  const CheckedSource program(
      "fn lanes(n:usize, d:rw<u64>[n]@device, e:ro<u64>[n]@device) { parallel i in n { d[i] = e[i]; } }"
      " fn total(n:usize, e:ro<u64>[n]@device) -> u64 { let s = reduce max for i in n yield e[i]; return s; }"
      " fn here(n:usize, e:ro<u64>[n]@device, o:rw<u64>[1]@device) { reduce add_wrap o[0] for i in n yield e[i]; }"
      " fn up(n:usize, d:rw<u64>[n]@device, h:ro<u64>[n]) { transfer(d, h); }"
      " fn later(n:usize, d:rw<u64>[n]@device, h:ro<u64>[n]) { let t = spawn transfer(d, h); wait(t); }"
      " fn own(n:usize) { buffer d:u64[n]@device = zeroed; }");
  CHECK(program.verdict() == "accepted");
  CHECK(program.row("lanes") == "ffi_precondition, par:device, read:e, trap, write:d");
  CHECK(program.row("total") == "ffi_precondition, gpu_alloc, gpu_free, par:device, read:e, trap");
  CHECK(program.row("here") == "ffi_precondition, gpu_alloc, gpu_free, par:device, read:e, trap, write:o");
  CHECK(program.row("up") == "ffi_precondition, read:h, transfer:h2d, trap, write:d");
  CHECK(program.row("later") == "ffi_precondition, join, read:h, spawn, transfer:h2d, trap, write:d");
  CHECK(program.row("own") == "gpu_alloc, gpu_free, trap, zero_init");
}
