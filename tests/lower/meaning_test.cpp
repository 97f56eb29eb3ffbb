// Order, guards and positions: what can be told from outside.
#include <catch2/catch.hpp>

#include "tests/lower/support.hpp"

using cairn::test::Outcome;
using cairn::test::run;

namespace {

std::string output_of(std::string_view program) {
  const Outcome outcome = run(program);
  CHECK(outcome.trap.empty());
  CHECK(outcome.bytes_held == 0);
  return outcome.output;
}

}  // namespace

TEST_CASE("an assignment computes its value before it finds its place") {
  const Outcome outcome = run(R"(
fn main() -> i32 {
  let mut xs = Buf[u8](2);
  let z:u8 = 0;
  xs[9] = 1 / z;
  return 0;
})");
  CHECK(outcome.trap.find("division") != std::string::npos);
  CHECK(outcome.line == 5);
  CHECK(outcome.column == 11);
}

TEST_CASE("a compound assignment finds its place before it computes its value") {
  const Outcome outcome = run(R"(
fn main() -> i32 {
  let mut xs = Buf[u8](2);
  let z:u8 = 0;
  xs[9] += 1 / z;
  return 0;
})");
  CHECK(outcome.trap.find("bounds") != std::string::npos);
  CHECK(outcome.line == 5);
  CHECK(outcome.column == 3);
}

TEST_CASE("a part is guarded where it is lent, before the callee runs, and gives the extent that was left out") {
  const char* const head = R"(
fn sum(n:usize, xs:ro<u32>[n]) -> u32 { println("in ", n); let mut t:u32 = 0; for x in xs { t += x; } return t; }
fn both(n:usize, a:ro<u32>[n], b:ro<u32>[n]) -> usize = n;
fn main() -> i32 { let mut xs = Buf[u32](6); for i in 0..6 { xs[i] = u32(i); }
)";
  CHECK(output_of(std::string(head) +
                  "let k = sum(xs[1..4]); println(k, \" \", both(xs[0..2], xs[3..5])); return 0; }") == "in 3\n6 2\n");
  const Outcome reversed = run(std::string(head) + "let k = sum(xs[4..1]); return 0; }");
  CHECK(reversed.trap.find("bounds") != std::string::npos);
  CHECK(reversed.output.empty());
  const Outcome uneven = run(std::string(head) + "let k = both(xs[0..2], xs[3..6]); return 0; }");
  CHECK(uneven.trap.find("bounds") != std::string::npos);
}

TEST_CASE("closures read and write what is around them, nested ones too") {
  CHECK(output_of(R"(
fn each_of(n:usize, f:ro<fn(usize)>) { for i in 0..n { f(i); } }
fn main() -> i32 {
  let mut total:usize = 0;
  let scale:usize = 3;
  let mut seen = Buf[usize](8);
  each_of(3, |i:usize| {
    each_of(2, |j:usize| { total += i * scale + j; seen[i * 2 + j] = total; });
  });
  println(total, " ", seen[5]);
  return 0;
})") == "21 21\n");
}

TEST_CASE("a value argument is a copy made before the body runs") {
  CHECK(output_of(R"(
struct P { x:u64; y:u64; }
fn bump(at:rw<u64>, by:u64) { at += by; at += by; }
fn shift(p:rw<P>, by:P) { p.x += by.x; p.y += by.x; }
fn main() -> i32 {
  let mut n:u64 = 5;
  bump(n, n);
  let mut p = P(1, 2);
  shift(p, p);
  let q = p;
  p = P(p.y, p.x);
  println(n, " ", p.x, " ", p.y, " ", q.x);
  return 0;
})") == "15 3 2 2\n");
}

TEST_CASE("a function value is called through its name, and an empty one traps") {
  const char* const head = R"(
fn twice(x:u64) -> u64 = x * 2;
struct Table { f:fn(u64) -> u64; }
fn apply(f:ro<fn(u64) -> u64>, x:u64) -> u64 = f(x);
)";
  CHECK(output_of(std::string(head) + R"(
fn main() -> i32 { let f:fn(u64) -> u64 = twice; let t = Table(twice); let g = t.f; let a = f(4); let b = g(5); let c = apply(twice, 6); let d = apply(f, 7); println(a, b, c, d); return 0; }
)") == "8101214\n");
  const Outcome empty = run(std::string(head) + R"(
fn main() -> i32 { let mut t = Table(twice); let f = take(t.f); let g = t.f; println(f(1)); println(g(2)); return 0; }
)");
  CHECK(empty.output == "2\n");
  CHECK(empty.trap.find("callable") != std::string::npos);
}

TEST_CASE("what an rw borrow of a function value is given stands in the variable it borrows") {
  CHECK(output_of(R"(
fn next(x:u64) -> u64 = x + 1;
fn nine(x:u64) -> u64 = x * 9;
fn set(f:rw<fn(u64) -> u64>) { f = nine; }
fn twice(f:ro<fn(u64) -> u64>, x:u64) -> u64 = f(f(x));
fn through(f:rw<fn(u64) -> u64>) -> u64 {
  f = next;
  let a = twice(f, 3);
  let b = f(1);
  return a + b;
}
fn main() -> i32 {
  let mut f:fn(u64) -> u64 = next;
  set(f);
  let a = f(3);
  let b = through(f);
  let c = f(10);
  println(a, " ", b, " ", c);
  return 0;
})") == "27 7 11\n");
}

TEST_CASE("a closure or a lane reads a record and an array that its function was given by value") {
  const Outcome done = run(R"(
struct R { a:u64; b:u64; }
fn once(x:u64, f:ro<fn(u64) -> u64>) -> u64 { return f(x); }
fn twice(r:R, few:Array[u64, 3]) -> u64 {
  let one = once(3, |z:u64| -> u64 {
    let inner = once(z, |y:u64| -> u64 { return y + r.b; });
    return inner * few[1];
  });
  let all = reduce + parallel i in 3 yield few[i] + r.a;
  return one + all;
}
fn main() -> i32 {
  let mut few = Array[u64, 3]();
  few[1] = 10;
  let v = twice(R(1, 2), few);
  return i32(v);
}
)");
  CHECK(done.trap.empty());
  CHECK(done.status == 50 + 13);
}

TEST_CASE("a condition may be an argument, in whatever slot of the call it goes") {
  CHECK(run("fn f(a:bool, b:u8, c:bool) -> i32 { if a && !c { return i32(b); } return 0; }\n"
            "fn main() -> i32 { let k = 5; return f(k > 1 && k < 9, 7, k == 1 || k == 2); }\n")
            .status == 7);
}

TEST_CASE("a trait may be named by a type although nothing is called through it, and where nothing could be") {
  const auto held = [](const std::string& member) {
    return run("trait W { fn w(self:ro<Self>) -> " + member + "; }\n" +
               "fn f(x:ro<Dyn[W]>) -> i32 { return 3; }\n"
               "fn main() -> i32 { let b = Buf[Dyn[W]](2); return f(b[0]); }\n")
        .status;
  };
  CHECK(held("u64") == 3);
  CHECK(held("Self") == 3);
}

TEST_CASE("a member of a scalar type can be called through a dyn borrow") {
  CHECK(output_of(R"(
trait Count { fn count(self:ro<Self>) -> u64; fn add(self:rw<Self>, by:u64); }
impl Count for u64 { fn count(self:ro<u64>) -> u64 = self; fn add(self:rw<u64>, by:u64) { self += by; } }
fn through(c:rw<dyn Count>) -> u64 { c.add(5); return c.count(); }
fn main() -> i32 { let mut n:u64 = 3; let k = through(n); println(k, " ", n); return 0; }
)") == "8 8\n");
}

TEST_CASE("types may reach themselves through a Buf in any shape") {
  CHECK(output_of(R"(
enum Maybe { No; Yes(Node); }
struct Node { kids:Buf[Array[Node, 2]]; others:Buf[Maybe]; n:u64; }
fn leaf(n:u64) -> Node = Node(Buf[Array[Node, 2]](0), Buf[Maybe](0), n);
fn main() -> i32 {
  let mut root = Node(Buf[Array[Node, 2]](1), Buf[Maybe](2), 1);
  root.kids[0][1] = leaf(2);
  let third = leaf(3);
  root.others[1] = Maybe.Yes(third);
  match take(root.others[1]) { Yes(node) => { println(root.kids[0][1].n, " ", node.n, " ", len(root.others)); } No => { println("no"); } }
  return 0;
})") == "2 3 2\n");
}

TEST_CASE("a chain of operators may be of any length, and a chain of else branches long") {
  std::string sum = "0";
  std::string all = "n < 100000";
  std::string steps;
  for (int i = 0; i < 60; ++i) steps += "if n == " + std::to_string(30000 + i) + " { return 2; } else ";
  for (int i = 0; i < 20000; ++i) {
    sum += " + n";
    all += " && n != " + std::to_string(70000 + i);
  }
  const std::string program = "fn f(n:u64) -> u64 { let a = " + sum + "; if " + all + " { return a; } return 0; }\n" +
                              "fn g(n:u64) -> u64 { " + steps + "{ return 3; } }\n" +
                              "fn main() -> i32 { println(f(2), \" \", g(30059), \" \", g(1)); return 0; }";
  CHECK(output_of(program) == "40000 2 3\n");
}

TEST_CASE("layout queries are arithmetic behind one guard an argument") {
  const char* const head =
      "layout T = pad(rows(6, 8), 2);\nlayout S = swizzle(rows(8, 8), 3, 0, 3);\n"
      "layout D = spread(rows(8, 12), 2, 3, 2, 2);\n";
  CHECK(output_of(std::string(head) + R"(
fn main() -> i32 {
  let two:usize = 2;
  let four:usize = 4;
  println(T.at(two, 3), " ", T.at(two + 3, 7), " ", S.at(two, 0), " ", S.at(two, 7), " ", D.row(four, 6), " ", D.col(four, 6));
  return 0;
})") == "23 57 18 21 3 8\n");
  const Outcome outside =
      run(std::string(head) + "fn main() -> i32 { let six:usize = 6; println(T.at(six, 0)); return 0; }");
  CHECK(outside.trap.find("layout") != std::string::npos);
}

TEST_CASE("a function whose locals no stack holds traps when it is called, not before") {
  const Outcome outcome =
      run("fn huge() -> u64 { let a = Array[u8, 1500000000](); let b = Array[u8, 1500000000](); return u64(a[5] + "
          "b[6]); }\n"
          "fn main() -> i32 { println(\"before\"); println(huge()); return 0; }");
  CHECK(outcome.output == "before\n");
  CHECK(outcome.trap.find("stack") != std::string::npos);
}

TEST_CASE("a function may have more locals than a frame has slots") {
  std::string body;
  for (int i = 0; i < 70000; ++i) {
    const std::string n = std::to_string(i);
    body += "let x" + n + " = s + " + n + "; s = x" + n + " / 2;\n";
  }
  CHECK(output_of("fn main() -> i32 { let mut s:u64 = 0;\n" + body +
                  "for i in 0..3 { s += u64(i); } println(s); return 0; }") == "70001\n");
}
