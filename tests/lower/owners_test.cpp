// Owners on every way out. A program that releases each owner once holds no bytes when main has returned.
#include <catch2/catch.hpp>

#include "tests/lower/support.hpp"

using cairn::test::Outcome;
using cairn::test::run;

namespace {

void holds_nothing(std::string_view program, std::string_view output) {
  const Outcome outcome = run(program);
  CHECK(outcome.trap.empty());
  CHECK(outcome.status == 0);
  CHECK(outcome.output == output);
  CHECK(outcome.bytes_held == 0);
}

}  // namespace

TEST_CASE(
    "owners are released at the end of their block, by return, break and continue, and when moved on some paths") {
  holds_nothing(R"(
fn eat(b:Buf[u8]) -> u64 = u64(len(b));
fn paths(k:u64) -> u64 {
  let a = Buf[u8](3);
  let mut sum:u64 = 0;
  for i in 0..6 {
    let inner = Buf[u64](i + 1);
    if i == 2 { continue; }
    if i == 4 { if k == 1 { return sum + eat(a); } break; }
    sum += u64(len(inner));
  }
  if k == 2 { return eat(a) * 100; }
  return sum;
}
fn main() -> i32 { let a = paths(0); let b = paths(1); let c = paths(2); println(a, " ", b, " ", c); return 0; }
)",
                "7 10 300\n");
}

TEST_CASE("an assignment releases what the place held, also when the value was made of it") {
  holds_nothing(R"(
fn grow(b:Buf[u8]) -> Buf[u8] { let n = len(b) + 1; return Buf[u8](n); }
struct Box { inner:Buf[u8]; tag:u32; }
fn main() -> i32 {
  let mut b = Buf[u8](1);
  for i in 0..5 { b = grow(b); }
  let mut box = Box(Buf[u8](2), 7);
  box.inner = Buf[u8](3);
  let held = take(box.inner);
  box = Box(held, 8);
  let mut rows = Buf[Buf[u8]](2);
  rows[1] = Buf[u8](9);
  rows[1] = Buf[u8](4);
  swap(rows[0], rows[1]);
  println(len(b), " ", len(box.inner), " ", box.tag, " ", len(rows[0]), " ", len(rows[1]));
  return 0;
}
)",
                "6 3 8 4 0\n");
}

TEST_CASE("payloads belong to their arms, and a payload nobody names is released") {
  holds_nothing(R"(
enum Item { Empty; One(Buf[u8]); Pair(Buf[u64]); }
fn make(k:u64) -> Item {
  if k == 0 { return Item.Empty; }
  if k == 1 { return Item.One(Buf[u8](5)); }
  return Item.Pair(Buf[u64](6));
}
fn size(i:Item) -> u64 {
  match i {
    Empty => { return 0; }
    One(b) => { return u64(len(b)); }
    Pair(_) => { return 99; }
  }
}
fn main() -> i32 {
  let kept = make(1);
  let mut text:u64 = 0;
  match make(2) { Pair(b) => { text = u64(len(b)); } One(b) => { text = 1; } Empty => { text = 2; } }
  match kept { One(b) => { let again = b; text += u64(len(again)); } Pair(b) => { text = 0; } Empty => { text = 0; } }
  let x = make(0); let y = make(1); let z = make(2); println(size(x), " ", size(y), " ", size(z), " ", text);
  return 0;
}
)",
                "0 5 99 11\n");
}

TEST_CASE("defers run last first, between the releases, with the values their places hold then") {
  holds_nothing(R"(
enum Got { Good(u64); Bad(u32); }
fn say(what:u64) { print(what, " "); }
fn fails(k:u64) -> Got { if k > 1 { return Got.Bad(u32(k)); } return Got.Good(k); }
fn f(k:u64) -> Got {
  let mut x:u64 = 10;
  defer say(x);
  let b = Buf[u8](4);
  defer say(u64(len(b)));
  x = 20;
  let v = try fails(k);
  { defer say(5); x = 30; }
  return Got.Good(v + x);
}
fn main() -> i32 {
  match f(1) { Good(v) => { println(v); } Bad(e) => { println("bad ", e); } }
  match f(2) { Good(v) => { println(v); } Bad(e) => { println("bad ", e); } }
  return 0;
}
)",
                "5 4 30 31\n4 20 bad 2\n");
}

TEST_CASE("temporaries that own something are released when the value made of them is there") {
  holds_nothing(R"(
struct Pile { items:Buf[u64]; n:usize; }
fn pile(n:usize) -> Pile = Pile(Buf[u64](n), n);
fn room(b:ro<Buf[u64]>) -> usize = len(b);
fn pairs(k:usize) -> u64 {
  let n = Pile(Buf[u64](k), k).n;
  let _ = pile(2);
  pile(3);
  return u64(room(Buf[u64](8)) + n);
}
fn main() -> i32 {
  let Pile(items, n) = pile(6);
  let Pile(_, m) = pile(7);
  let p = pairs(5); println(p, " ", len(items) + n + m);
  return 0;
}
)",
                "13 19\n");
}

TEST_CASE("a Dyn releases the value it holds, and a record inside a Buf releases its own") {
  holds_nothing(R"(
trait Sized { fn size(self:ro<Self>) -> u64; }
struct Flat { n:u64; }
struct Deep { inside:Buf[u8]; more:Buf[Buf[u16]]; }
impl Sized for Flat { fn size(self:ro<Flat>) -> u64 = self.n; }
impl Sized for Deep { fn size(self:ro<Deep>) -> u64 = u64(len(self.inside) + len(self.more)); }
fn main() -> i32 {
  let mut all = Buf[Dyn[Sized]](3);
  all[0] = Dyn[Sized](Flat(4));
  let mut rows = Buf[Buf[u16]](2);
  rows[0] = Buf[u16](8);
  all[1] = Dyn[Sized](Deep(Buf[u8](5), rows));
  all[0] = Dyn[Sized](Flat(6));
  println(all[0].size() + all[1].size());
  return 0;
}
)",
                "13\n");
}
