// Effect rows and ceilings (abstractions, 9.1 to 9.3).
#include <catch2/catch.hpp>

#include <string>

#include "tests/check/checked_source.hpp"

using namespace cairn;

TEST_CASE("a row holds what the body does and nothing else", "[rows]") {
  const CheckedSource program(R"(
fn flag(a:bool, b:bool) -> bool = a && b;
fn kept(x:u64) -> u64 = x;
fn sum(n:usize, xs:ro<u64>[n]) -> u64 { let mut s:u64 = 0; for x in xs { s += x; } return s; }
fn clear(n:usize, xs:rw<u64>[n]) { for i in 0..n { xs[i] = 0; } }
fn bump(x:rw<u64>) { x += 1; }
fn halve(x:u64) -> u64 { let mut v = x; while v > 1 { v /= 2; } return v; }
fn made(n:usize) -> Buf[u64] = Buf[u64](n);
fn eaten(b:Buf[u64]) { }
fn passed(b:Buf[u64]) -> Buf[u64] = b;
fn maybe(b:Buf[u64], keep:bool) -> Buf[u64] { if keep { return b; } return Buf[u64](1); }
fn say(x:u64) { println(x); }
fn narrow(x:u64) -> u8 = u8(x);
fn widen(x:u8) -> u64 = u64(x);
fn half(x:f64) -> f64 = x / 2.0;
)");
  REQUIRE(program.verdict() == "accepted");
  CHECK(program.row("flag").empty());
  CHECK(program.row("kept").empty());
  CHECK(program.row("sum") == "ffi_precondition, read:xs, trap");
  CHECK(program.row("clear") == "ffi_precondition, trap, write:xs");
  CHECK(program.row("bump") == "read:x, trap, write:x");
  CHECK(program.row("halve") == "diverge, trap");
  CHECK(program.row("made") == "alloc, free, trap, zero_init");
  CHECK(program.row("eaten") == "free");
  CHECK(program.row("passed").empty());
  CHECK(program.row("say") == "ffi:write, io");
  CHECK(program.row("narrow") == "trap");
  CHECK(program.row("widen").empty());
  CHECK(program.row("half").empty());
}

TEST_CASE("a callee's footprints take the names of what it was lent", "[rows]") {
  const CheckedSource program(R"(
struct Box { data:Buf[u64]; n:usize; }
fn set(n:usize, xs:rw<u64>[n]) { xs[0] = 1; }
fn get(x:ro<u64>) -> u64 = x;
fn both(n:usize, a:rw<u64>[n], b:ro<u64>[n]) -> u64 { set(a); return get(b[0]); }
fn inside(b:rw<Box>) { set(b.data); }
fn own() -> u64 { stack xs:u64[4] = zeroed; set(xs); return get(xs[0]); }
fn temporary() -> u64 = get(3);
)");
  REQUIRE(program.verdict() == "accepted");
  CHECK(program.row("both") == "ffi_precondition, read:b, trap, write:a");
  CHECK(program.row("inside").find("write:b") != std::string::npos);
  CHECK(program.row("own") == "ffi_precondition, local_read, local_write, stack_storage, trap, zero_init");
  CHECK(program.row("temporary").empty());
}

TEST_CASE("a call cycle may diverge, a chain of calls may not", "[rows]") {
  const CheckedSource program(R"(
fn even(n:u64) -> bool { if n == 0 { return true; } return odd(n - 1); }
fn odd(n:u64) -> bool { if n == 0 { return false; } return even(n - 1); }
fn once(n:u64) -> bool = true;
fn twice(n:u64) -> bool = once(n);
fn asks(n:u64) -> bool = even(n);
)");
  REQUIRE(program.verdict() == "accepted");
  CHECK(program.row("even") == "diverge, trap");
  CHECK(program.row("odd") == "diverge, trap");
  CHECK(program.row("twice").empty());
  CHECK(program.row("asks") == "diverge, trap");
}

TEST_CASE("a function value may be any whose address is taken; a dynamic call any implementation", "[rows]") {
  const CheckedSource program(R"(
trait Pump { fn rate(self:ro<Self>) -> u64; fn prime(self:rw<Self>, by:u64); }
struct Hand { strokes:u64; }
struct Motor { volts:u64; on:bool; }
impl Pump for Hand {
  fn rate(self:ro<Hand>) -> u64 = self.strokes;
  fn prime(self:rw<Hand>, by:u64) { self.strokes += by; }
}
impl Pump for Motor {
  fn rate(self:ro<Motor>) -> u64 { if self.on { return self.volts * 9; } return 0; }
  fn prime(self:rw<Motor>, by:u64) { self.on = by > 0; }
}
fn started(p:rw<dyn Pump>) -> u64 { p.prime(2); return p.rate(); }
fn loud(x:u64) -> u64 { println(x); return x; }
fn apply(f:fn(u64) -> u64) -> u64 = f(1);
fn main() -> i32 { let f:fn(u64) -> u64 = loud; let r = apply(f); return 0; }
)");
  REQUIRE(program.verdict() == "accepted");
  CHECK(program.row("started") == "dispatch, read:p, trap, write:p");
  CHECK(program.row("apply") == "ffi:write, indirect_call, io, trap");
}

TEST_CASE("a closure counts for the function that wrote it", "[rows]") {
  const CheckedSource program(R"(
fn each_of(n:usize, f:ro<fn(usize)>) { for i in 0..n { f(i); } }
fn total(n:usize, xs:ro<u64>[n]) -> u64 {
  let mut sum:u64 = 0;
  each_of(n, |i:usize| { sum += xs[i]; });
  return sum;
}
)");
  REQUIRE(program.verdict() == "accepted");
  CHECK(program.row("total") == "ffi_precondition, indirect_call, local_write, read:xs, trap");
}

TEST_CASE("a foreign function is what it declares", "[rows]") {
  const CheckedSource program(R"(
extern "labs" fn magnitude(x:i64) -> i64 effects();
extern "memcmp" fn order(a:ro<u8>[n], b:ro<u8>[n], n:usize) -> i32 effects(clock);
fn near(x:i64) -> i64 { unsafe { return magnitude(x); } }
fn same(n:usize, a:ro<u8>[n], b:ro<u8>[n]) -> bool { unsafe { return order(a, b, n) == 0; } }
)");
  REQUIRE(program.verdict() == "accepted");
  CHECK(program.row("near") == "ffi:labs");
  CHECK(program.row("same") == "clock, ffi:memcmp, ffi_precondition, read:a, read:b, trap");
}

TEST_CASE("a row beyond its ceiling is refused at the declaration, with the extra labels", "[rows]") {
  const CheckedSource refused(
      "fn scaled(x:u64) -> u64 = x * 3;\n\npub fn outer(x:u64) -> u64 effects() = scaled(x);\n");
  CHECK(refused.verdict() == "E-EFFECT-CEILING 3:1");
  const auto& details = refused.first().details;
  const auto found = std::ranges::find(details, "added_effects", [](const auto& each) { return each.first; });
  REQUIRE(found != details.end());
  CHECK(std::get<std::vector<std::string>>(found->second) == std::vector<std::string>{"trap"});
  CHECK(CheckedSource("fn scaled(x:u64) -> u64 = x * 3;\nfn outer(x:u64) -> u64 effects(trap) = scaled(x);\n")
            .verdict() == "accepted");
  CHECK(CheckedSource("fn f(x:ro<u64>) -> u64 pure = x;\n").verdict() == "accepted");
  CHECK(CheckedSource("fn f(x:ro<u64>) -> u64 effects(read:x) = x;\n").verdict() == "accepted");
  CHECK(CheckedSource("fn f(x:ro<u64>) -> u64 effects() = x;\n").verdict() == "E-EFFECT-CEILING 1:1");
  CHECK(CheckedSource("fn f(x:rw<u64>) pure { x = 1; }\n").verdict() == "E-EFFECT-CEILING 1:1");
  CHECK(CheckedSource("fn f(x:rw<u64>) effects(pure, write:x) { x = 1; }\n").verdict() == "accepted");
}

TEST_CASE("a ceiling broken by a callee that is refused itself is not refused again", "[rows]") {
  const CheckedSource program("fn a(x:u64) -> u64 effects() = x * 3;\nfn b(x:u64) -> u64 effects() = a(x);\n");
  REQUIRE(program.verdict() == "E-EFFECT-CEILING 1:1");
  CHECK(program.compilation.verdict.refusals.size() == 1);
  CHECK(program.compilation.verdict.not_judged == 1);
}

TEST_CASE("ten thousand functions in one cycle have one row", "[rows]") {
  std::string text;
  constexpr int kCount = 10000;
  for (int k = 0; k < kCount; ++k) {
    text += "fn step" + std::to_string(k) + "(x:rw<u64>) { if x > 0 { " +
            (k == 777 ? std::string("x = x - 1; ") : std::string()) + "step" + std::to_string((k + 1) % kCount) +
            "(x); } }\n";
  }
  const CheckedSource program(text);
  REQUIRE(program.verdict() == "accepted");
  CHECK(program.row("step0") == "diverge, read:x, trap, write:x");
  CHECK(program.row("step778") == "diverge, read:x, trap, write:x");
}
