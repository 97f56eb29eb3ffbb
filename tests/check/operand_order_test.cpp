// The operand-order audit (syntax and values, 1.11.9).
#include <catch2/catch.hpp>

#include <string>

#include "tests/check/checked_source.hpp"

using namespace cairn;

namespace {

/// The verdict on one statement in a function that has something of everything; its line is 1.
std::string judged(const std::string& statement) {
  const std::string text =
      "fn body(n:usize, xs:rw<u64>[n], k:u8) { let mut c:u64 = 0; let mut d:u64 = 0; " + statement + R"( }
fn next(c:rw<u64>) -> u64 { c += 1; return c; }
fn say(x:u64) -> u64 { println(x); return x; }
fn pure_one(x:u64) -> u64 = x * 2;
fn peek(x:ro<u64>) -> u64 = x;
fn make(n:usize) -> Buf[u64] = Buf[u64](n);
fn size(b:Buf[u64]) -> u64 = u64(len(b));
fn two(a:u64, b:u64) -> u64 = a ^ b;
fn checked_one(x:u64) -> Result[u64, u64] { if x > 3 { return Err(x); } return Ok(x); }
fn apply(f:ro<fn(u64) -> u64>) -> u64 = f(1);
enum Result[T, E] { Ok(T); Err(E); }
struct Two { a:Buf[u64]; b:Buf[u64]; }
struct Pair { a:u64; b:u64; }
)";
  const CheckedSource program(text);
  const std::string verdict = program.verdict();
  return verdict.starts_with("E-EFFECT-ORDER 1:") ? "E-EFFECT-ORDER" : verdict;
}

const std::string kRefused = "E-EFFECT-ORDER";

}  // namespace

TEST_CASE("a nested call that writes or allocates is refused; as the whole expression it is not", "[order]") {
  CHECK(judged("let a = next(c);") == "accepted");
  CHECK(judged("let a = next(c) + 1;") == kRefused);
  CHECK(judged("let a = u32(next(c));") == "accepted");
  CHECK(judged("if next(c) == 3 { }") == kRefused);
  CHECK(judged("d += next(c);") == kRefused);
  CHECK(judged("d = next(c);") == "accepted");
  CHECK(judged("xs[usize(next(c))] = 1;") == kRefused);
  CHECK(judged("println(next(c));") == kRefused);
  CHECK(judged("println(pure_one(3));") == "accepted");
  CHECK(judged("let a = size(make(3));") == kRefused);
  CHECK(judged("let a = size(Buf[u64](3));") == "accepted");
}

TEST_CASE("parts of && and || are judged alone and have no root", "[order]") {
  CHECK(judged("if say(1) == 1 && say(2) == 2 { }") == "accepted");
  CHECK(judged("if next(c) == 1 && k == 2 { }") == kRefused);
}

TEST_CASE("an observable call stands beside no other call and no operand that may trap", "[order]") {
  CHECK(judged("let a = say(1) + say(2);") == kRefused);
  CHECK(judged("let a = say(1) + 1;") == "accepted");
  CHECK(judged("let a = say(1) + u64(k);") == kRefused);
  CHECK(judged("let a = say(1) ^ xs[0];") == kRefused);
  CHECK(judged("let a = say(1) ^ d;") == "accepted");
  CHECK(judged("let a = say(1) ^ (d - 1);") == kRefused);
  CHECK(judged("let a = say(pure_one(2));") == "accepted");
  CHECK(judged("let a = two(say(1), d);") == "accepted");
  CHECK(judged("let a = two(say(1), pure_one(2));") == kRefused);
  CHECK(judged("let p = Pair(say(1), d);") == "accepted");
  CHECK(judged("let f:fn(u64) -> u64 = say; let a = f(1) + f(2);") == kRefused);
  CHECK(judged("let f:fn(u64) -> u64 = say; let a = f(1) + 2;") == "accepted");
}

TEST_CASE("what a nested call moves, takes or lets a closure write is named nowhere else", "[order]") {
  CHECK(judged("let mut b = make(3); let t = Two(take(b), take(b));") == kRefused);
  CHECK(judged("let mut b = make(3); let mut e = make(4); let t = Two(take(b), take(e));") == "accepted");
  CHECK(judged("let b = make(3); let a = two(u64(len(b)), size(b));") == kRefused);
  CHECK(judged("let b = make(3); let a = two(d, size(b));") == "accepted");
  CHECK(judged("let b = make(3); let e = make(4); let a = size(b) + size(e);") == "accepted");
}

TEST_CASE("the message shows the let to put first", "[order]") {
  const CheckedSource program(
      "fn next(c:rw<u64>) -> u64 { c += 1; return c; }\nfn f(c:rw<u64>) -> u64 = 1 + next(c);\n");
  REQUIRE(program.verdict() == "E-EFFECT-ORDER 2:30");
  CHECK(program.first().message.find("next(c) writes c") != std::string::npos);
  CHECK(program.first().fix.find("let v = next(c);") != std::string::npos);
}

TEST_CASE("a chain of a hundred thousand operands is audited", "[order]") {
  std::string text = "fn f(x:u64) -> u64 = x";
  for (int k = 0; k < 100000; ++k) text += " ^ x";
  CHECK(CheckedSource(text + ";\n").verdict() == "accepted");
}
