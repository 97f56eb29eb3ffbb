// Programs made to be hard: each ends in the limit the specification gives or in a result, within ten seconds.
#include <catch2/catch.hpp>

#include <ctime>
#include <string>

#include "tests/check/checked_source.hpp"

namespace cairn {
namespace {

/// `count` copies of a text in which each `#` is the copy's number, each `@` the next one's, round to 0 at the end.
std::string copies(std::size_t count, std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    for (const char c : text) {
      if (c == '#') {
        all += std::to_string(i);
      } else if (c == '@') {
        all += std::to_string((i + 1) % count);
      } else {
        all += c;
      }
    }
  }
  return all;
}

std::string repeated(std::size_t count, std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::string code_of(std::string_view verdict) { return std::string(verdict.substr(0, verdict.find(' '))); }

/// The verdict's code, or "accepted"; a failed check when it took more than ten seconds of this process.
std::string judged(std::string text) {
  const std::clock_t start = std::clock();
  const std::string verdict = CheckedSource(std::move(text)).verdict();
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 10.0);
  return code_of(verdict);
}

}  // namespace

TEST_CASE("instances that make ever new ones end in the limit, however they grow", "[limits]") {
  const std::string cells = "struct Cell[T] { v:T; } struct Two[A, B] { a:A; b:B; }\n";
  CHECK(judged(cells + "fn f[T:copy](x:T, n:u64) -> u64 { if n == 0 { return 0; } return f(Cell(x), n - 1); }\n"
                       "fn main() -> i32 { let a = f(1, 3); return 0; }") == "E-EXPANSION-LIMIT");
  CHECK(judged(cells + "fn f[T:copy](x:T, n:u64) -> u64 { if n == 0 { return 0; } return f(Two(x, x), n - 1); }\n"
                       "fn main() -> i32 { let a = f(1, 3); return 0; }") == "E-EXPANSION-LIMIT");
  CHECK(judged(cells + "fn f[T:copy](x:T, n:u64) -> u64 { if n == 0 { return 0; } let a = f(Cell(x), n - 1);"
                       " return f(Two(x, 1), n - a); }\n"
                       "fn main() -> i32 { let a = f(1, 3); return 0; }") == "E-EXPANSION-LIMIT");
  CHECK(judged(cells +
               "trait A { fn a(x:ro<Self>) -> u64; }\n"
               "impl[T:copy] A for Cell[T] { fn a(x:ro<Cell[T]>) -> u64 { let up = Cell(Cell(x.v)); return a(up); } }\n"
               "fn main() -> i32 { let c = Cell(1); let a = c.a(); return 0; }") == "E-EXPANSION-LIMIT");
}

TEST_CASE("a generic call nested to the depth limit is inferred once a level", "[limits]") {
  const std::string make =
      "struct Cell[T] { v:T; } fn same[T](x:T) -> T = x; fn last[A, B:affine](a:A, b:B) -> B = b;\n";
  CHECK(judged(make + "fn f() -> u64 = " + repeated(98, "same(") + "1" + repeated(98, ")") + ";") == "accepted");
  CHECK(judged(make + "fn f() { let c = " + repeated(98, "Cell(") + "1" + repeated(98, ")") + "; }") == "accepted");
  CHECK(judged(make + "fn f() { let c = " + repeated(98, "Cell(") + "gone" + repeated(98, ")") + "; }") == "E-UNBOUND");
  CHECK(judged(make + "fn f(x:u64) -> u64 = " + repeated(98, "last(1, ") + "x" + repeated(98, ")") + ";") ==
        "accepted");
  CHECK(judged(make + "fn f() -> u64 = " + repeated(200, "same(") + "1" + repeated(200, ")") + ";") == "E-DEPTH");
}

TEST_CASE("a match over ten thousand variants is judged", "[limits]") {
  const std::string sum = "enum W { " + copies(10000, "V#(u64); ") + "}\n";
  const std::string arms = copies(10000, "V#(x) => return x + #;\n");
  CHECK(judged(sum + "fn f(w:W) -> u64 { match w { " + arms + " } }") == "accepted");
  CHECK(judged(sum + "fn f(w:W) -> u64 { match w { " + arms.substr(0, arms.rfind("V9999")) + " } }") ==
        "E-MATCH-COVERAGE");
  CHECK(judged(sum + "fn f(w:W) -> u64 { match w { " + arms + "V0(x) => return x;" + " } }") == "E-MATCH-DUPLICATE");
  const std::string owners = "enum W { " + copies(3000, "V#(Buf[u8]); ") + "}\n";
  CHECK(judged(owners + "fn f(w:W) -> usize { match w { " + copies(3000, "V#(x) => return len(x);\n") + " } }") ==
        "accepted");
}

TEST_CASE("traits that ask for each other are decided or refused", "[limits]") {
  CHECK(judged("trait A { fn a(x:ro<Self>) -> u64; } trait B { fn b(x:ro<Self>) -> u64; } struct S { v:u64; }\n"
               "impl[T:B] A for T { fn a(x:ro<T>) -> u64 = b(x); }\n"
               "impl[T:A] B for T { fn b(x:ro<T>) -> u64 = a(x); }\n"
               "fn f(s:ro<S>) -> u64 = s.a();") == "E-TRAIT-OVERLAP");
  // A circle of a thousand traits, and a chain of as many that ends.
  const std::string circle = copies(1000,
                                    "trait A# { fn a#(x:ro<Self>) -> u64; }\n"
                                    "impl[T:A@] A# for T { fn a#(x:ro<T>) -> u64 = a@(x); }\n");
  CHECK(judged(circle + "struct S { v:u64; } fn f(s:ro<S>) -> u64 = s.a0();") == "E-TRAIT-OVERLAP");
  const std::string last = "impl[T:A0] A999 for T { fn a999(x:ro<T>) -> u64 = a0(x); }\n";
  REQUIRE(circle.ends_with(last));
  CHECK(
      judged(circle.substr(0, circle.size() - last.size()) +
             "struct S { v:u64; } impl A999 for S { fn a999(x:ro<S>) -> u64 = x.v; } fn f(s:ro<S>) -> u64 = s.a0();") ==
      "accepted");
  // Each level asks for two traits of the level below: decided once a type, not once a path.
  const std::string both =
      "trait A { fn a(x:ro<Self>) -> u64; } trait B { fn b(x:ro<Self>) -> u64; }\n"
      "struct S { v:u64; } struct C[T] { v:T; }\n"
      "impl A for S { fn a(x:ro<S>) -> u64 = x.v; } impl B for S { fn b(x:ro<S>) -> u64 = x.v; }\n"
      "impl[T:A + B] A for C[T] { fn a(x:ro<C[T]>) -> u64 { let p = a(x.v); return p + b(x.v); } }\n"
      "impl[T:A + B] B for C[T] { fn b(x:ro<C[T]>) -> u64 { let p = b(x.v); return p + a(x.v); } }\n";
  CHECK(judged(both + "fn f() -> u64 { let c = " + repeated(90, "C(") + "S(1)" + repeated(90, ")") +
               "; return c.a(); }") == "accepted");
  // One member's name in three thousand traits.
  CHECK(judged(copies(3000,
                      "trait A# { fn go(x:ro<Self>) -> u64; } struct S# { v:u64; }\n"
                      "impl A# for S# { fn go(x:ro<S#>) -> u64 = x.v; } fn go#(x:ro<S#>) -> u64 = x.go();\n")) ==
        "accepted");
}

TEST_CASE("ten thousand functions in one call cycle have their rows", "[limits]") {
  CHECK(judged(copies(10000, "fn g#(x:u64) -> u64 { if x == 0 { return #; } return g@(x - 1); }\n")) == "accepted");
  CHECK(judged(copies(10000, "fn g#(a#:rw<u64>, x:u64) { a# += 1; if x == 0 { return; } g@(a#, x - 1); }\n")) ==
        "accepted");
  // A label of each: every row holds them all.
  const std::string labels = copies(4000,
                                    "extern \"s#\" fn e#() effects(l#);\n"
                                    "fn g#(x:u64) { unsafe { e#(); } if x == 0 { return; } g@(x - 1); }\n");
  CHECK(judged(labels) == "accepted");
  CHECK(judged(labels + "fn h() pure { g7(1); }") == "E-EFFECT-CEILING");
  // In a chain each row differs, so they cannot be one: the limit of effect rows.
  const std::string chain = copies(9000,
                                   "extern \"s#\" fn e#() effects(l#);\n"
                                   "fn g#(x:u64) { unsafe { e#(); } if x != 0 { g@(x - 1); } }\n");
  const std::string back = "g0(x - 1);";
  REQUIRE(chain.rfind(back) != std::string::npos);
  CHECK(judged(std::string(chain).replace(chain.rfind(back), back.size(), "return;")) == "E-EFFECT-LIMIT");
}

TEST_CASE("types that double at each level have a size", "[limits]") {
  std::string doubled = "struct R0 { a:Buf[u8]; }\n";
  for (int i = 1; i < 60; ++i) {
    const std::string below = "R" + std::to_string(i - 1);
    doubled += "struct R" + std::to_string(i) + " { a:" + below + "; b:" + below + "; }\n";
  }
  CHECK(judged(doubled + "fn f(x:R59) {}") == "accepted");
  CHECK(judged(doubled + "fn f() { stack x:R59[1] = zeroed; }") == "E-STACK-LIMIT");
  CHECK(judged("fn f(x:ro<" + repeated(90, "Array[") + "u8" + repeated(90, ", 1000]") + ">) {}") == "accepted");
  CHECK(judged("struct C[T] { v:T; } fn f(x:ro<" + repeated(5000, "C[") + "u8" + repeated(5000, "]") + ">) {}") ==
        "E-DEPTH");
  std::string backwards;
  for (int i = 20000; i > 0; --i)
    backwards += "struct R" + std::to_string(i) + " { a:R" + std::to_string(i - 1) + "; }\n";
  CHECK(judged(backwards + "struct R0 { a:u8; }\nfn f(x:R20000) {}") == "accepted");
}

TEST_CASE("constants and layouts of any order and length are folded", "[limits]") {
  std::string constants;
  for (int i = 20000; i > 0; --i) {
    const std::string below = "C" + std::to_string(i - 1);
    constants += "const C" + std::to_string(i) + ":u64 = " + below + " ^ " + below + ";\n";
  }
  CHECK(judged(constants + "const C0:u64 = 1;") == "accepted");
  CHECK(judged(constants + "const C0:u64 = C20000;") == "E-CONST");
  CHECK(judged(copies(2000, "layout L# = transpose(L@);\n")) == "E-LAYOUT");
  CHECK(judged(copies(100, "layout L# = spread(rows(512, 512), 16, 16, 2, 2);\n")) == "accepted");
}

TEST_CASE("what a recipe makes is limited before it is made", "[limits]") {
  const std::string loops = "each i in 0..1000 { each j in 0..1000 { each k in 0..1000 { ";
  CHECK(judged("recipe r[K:nat] { " + loops + "pub fn f_$i_$j_$k() {} } } } }\nderive r[1];") == "E-EXPANSION-LIMIT");
  CHECK(judged("recipe r[K:nat] { fn f_$K() -> usize { let mut x:usize = 0; " + loops +
               "x = add_wrap(x, $i); } } } return x; } }\nderive r[1];") == "E-EXPANSION-LIMIT");
  CHECK(
      judged("recipe r[K:nat] where s = fold + each i in 0..1000 { fold + each j in 0..1000 { fold + each k in 0..1000"
             " { 1 } } } { fn f_$K() -> usize = $s; }\nderive r[1];") == "E-EXPANSION-LIMIT");
}

TEST_CASE("many parts of one array are told apart in one call", "[limits]") {
  std::string parameters;
  std::string bounds = "c0:usize";
  std::string parts;
  for (int i = 0; i < 500; ++i) {
    const std::string k = std::to_string(i);
    const std::string next = std::to_string(i + 1);
    parameters += (i == 0 ? "n" : ", n") + k + ":usize, p" + k + ":rw<u64>[n" + k + "]";
    bounds += ", c" + next + ":usize";
    parts += (i == 0 ? "b[c" : ", b[c") + k + "..c" + next + "]";
  }
  const std::string callee = "fn f(" + parameters + ") {}\n";
  CHECK(judged(callee + "fn g(" + bounds + ", b:rw<Buf[u64]>) { f(" + parts + "); }") == "accepted");
  const std::string crossed = "b[c0..c1], b[c0..c2]" + parts.substr(parts.find(", b[c2.."));
  CHECK(judged(callee + "fn g(" + bounds + ", b:rw<Buf[u64]>) { f(" + crossed + "); }") == "E-ALIAS");
}

TEST_CASE("thirty thousand wrong functions are refused, and the first of them listed", "[limits]") {
  CHECK(judged(copies(30000, "fn g#() -> u64 = y#;\n")) == "E-UNBOUND");
  CHECK(judged(copies(30000, "fn g#() -> u64 = h#(1);\n")) == "E-CALLEE");
  CHECK(judged("struct R { " + copies(5000, "f#:u64; ") + "}\n" + copies(5000, "fn g#(r:ro<R>) -> u64 = r.x#;\n")) ==
        "E-FIELD");
}

TEST_CASE("each limit of the language lies where the specification puts it", "[limits]") {
  CHECK(judged(copies(32768, "fn g#() {}\n")) == "accepted");
  CHECK(judged(copies(32769, "fn g#() {}\n")) == "E-EXPANSION-LIMIT");
  const std::string two = "fn f[N:nat]() -> usize = N;\nfamily a = f[0..1024];\nfamily b = f[0..1024];\n";
  CHECK(judged(two) == "accepted");
  CHECK(judged(two + "family c = f[0..1];") == "E-EXPANSION-LIMIT");
  // Each instance visits its body again, so visits pass what any source text may hold.
  const std::string body = "fn f[N:nat](x:u64) -> u64 = x" + repeated(8000, " ^ x") + ";\n";
  CHECK(judged(body + "family a = f[0..100];") == "accepted");
  CHECK(judged(body + "family a = f[0..400];") == "E-AST-LIMIT");
  CHECK(judged("fn f(x:u64) -> u64 = " + repeated(100, "(") + "x" + repeated(100, ")") + ";") != "accepted");
  CHECK(judged("fn f(x:u64) -> u64 = x" + repeated(100000, " ^ x") + ";") == "accepted");
}

}  // namespace cairn
