#include <catch2/catch.hpp>

#include "tests/check/check.hpp"

using cairn::tests::judged;
using cairn::tests::message;
using cairn::tests::outcome;

TEST_CASE("an instance is made once for its arguments and named after them", "[check][instances]") {
  const auto program =
      judged("fn same[T](x:T) -> T = x;\nfn f() -> u64 { let a = same(true); let b = same(false); return same(3); }");
  REQUIRE(program->verdict.accepted());
  std::string names;
  for (const auto& function : program->program.functions) names.append(function->name).append(" ");
  CHECK(names == "f same[bool] same[u64] ");
}

TEST_CASE("a template without an instance is not judged, one of naturals in the root must have one",
          "[check][instances]") {
  CHECK(outcome("fn bad[T](x:T) -> T = 3 + true;") == "ok");
  CHECK(outcome("fn n[N:nat]() -> usize = N;") == "E-UNINSTANTIATED@1");
  CHECK(outcome("module m;\nfn n[N:nat]() -> usize = N;") == "ok");
  CHECK(outcome("fn n[N:nat]() -> usize = N;\nfamily some = n[2..4];") == "ok");
  CHECK(outcome("fn n[N:nat]() -> usize = N;\nfn f() -> usize = n[4]();") == "ok");
}

TEST_CASE("a refusal inside an instance points into the template and belongs to its first user", "[check][instances]") {
  CHECK(outcome("fn bad[T](x:T) -> bool {\n  return x;\n}\nfn f() { let a = bad(3); }") == "E-TYPE-MISMATCH@2");
  const auto program = judged(
      "fn bad[T](x:T) -> bool {\n  return x;\n}\nfn f() { let a = bad(3); }\nfn g() { let a = bad(4); }\nfn h() { }");
  CHECK(program->verdict.refusals.size() == 1);
  CHECK(program->verdict.not_judged == 1);
}

TEST_CASE("what a refused body made is made again for whoever needs it", "[check][instances]") {
  CHECK(outcome("fn same[T](x:T) -> T = x;\nstruct C[T] { v:T; }\n"
                "fn f() { let a = same(C(3)); let b:bool = 4; }\n"
                "fn g() -> C[u64] = same(C(3));\nfn h() -> C[u64] = g();\nfn i() -> bool = 5;") ==
        "E-TYPE-MISMATCH@3 E-TYPE-MISMATCH@6");
}

TEST_CASE("instances may need each other, but not ever new ones", "[check][instances]") {
  CHECK(outcome("fn even[T](x:T, n:u64) -> bool { if n == 0 { return true; } return odd(x, n - 1); }\n"
                "fn odd[T](x:T, n:u64) -> bool { if n == 0 { return false; } return even(x, n - 1); }\n"
                "fn f() -> bool = even(true, 4);") == "ok");
  CHECK(outcome("struct C[T] { v:T; }\nfn grow[T:copy](x:T) { grow(C(x)); }\nfn f() { grow(true); }")
            .starts_with("E-EXPANSION-LIMIT"));
  CHECK(outcome("struct P[A, B] { a:A; b:B; }\nfn grow[T:copy](x:T) { grow(P(x, x)); }\nfn f() { grow(true); }")
            .starts_with("E-EXPANSION-LIMIT"));
  CHECK(outcome("fn grow[T:copy](x:T) { let b = Array[T, 2](); grow(b); }\nfn f() { grow(true); }")
            .starts_with("E-EXPANSION-LIMIT"));
}

TEST_CASE("a limit met after a refusal ends the check and is named", "[check][driver]") {
  const auto program = judged(
      "struct C[T] { v:T; }\nfn grow[T:copy](x:T) { grow(C(x)); }\n"
      "fn a() -> bool = 1;\nfn f() { grow(true); }\nfn g() -> bool = 2;");
  CHECK(program->verdict.refusals.size() == 1);
  CHECK(program->verdict.stopped_by == "E-EXPANSION-LIMIT");
}

TEST_CASE("explicit arguments bind the leading parameters, in kind and number", "[check][inference]") {
  const std::string two = "fn two[A, B](a:A, b:B) -> A = a;\n";
  CHECK(outcome(two + "fn f() -> u8 = two[u8](3, true);") == "ok");
  CHECK(outcome(two + "fn f() -> u8 = two[u8, u16](3, 4);") == "ok");
  CHECK(outcome(two + "fn f() -> u8 = two[u8, u16, u32](3, 4);") == "E-GENERIC-ARITY@2");
  CHECK(outcome(two + "fn f() -> u8 = two[3](3, 4);") == "E-GENERIC-KIND@2");
  CHECK(outcome("fn n[N:nat]() -> usize = N;\nfn f() -> usize = n[u8]();") == "E-GENERIC-KIND@2");
}

TEST_CASE("literals bind last, after what is expected", "[check][inference]") {
  const std::string chosen = "fn chosen[T:copy](first:bool, a:T, b:T) -> T { if first { return a; } return b; }\n";
  CHECK(outcome(chosen + "fn f(x:u16) -> u16 = chosen(true, 1, x);") == "ok");
  CHECK(outcome(chosen + "fn f() -> u16 = chosen(true, 1, 2);") == "ok");
  CHECK(outcome(chosen + "fn f() { let x = chosen(true, 1, 2); let y:u64 = x; }") == "ok");
  CHECK(outcome(chosen + "fn f() { let x = chosen(true, 1, false); }") == "E-TYPE-MISMATCH@2");
}

TEST_CASE("a natural comes from a static extent", "[check][inference]") {
  const std::string ticks = "fn ticks[N:nat](row:ro<u16>[N]) -> usize = N * 2;\n";
  CHECK(outcome(ticks + "fn f() -> usize { stack row:u16[5] = zeroed; return ticks(row); }") == "ok");
  CHECK(outcome(ticks + "fn f(n:usize, row:ro<u16>[n]) -> usize = ticks(row);") == "E-INFER@2");
  CHECK(outcome(ticks + "fn f(n:usize, row:ro<u16>[n]) -> usize = ticks[4](row[0..4]);") == "ok");
}

TEST_CASE("an argument that does not fit is refused at it, a parameter nothing gives at the call",
          "[check][inference]") {
  const std::string first = "struct C[T] { v:T; }\nfn first[T:copy](n:usize, xs:ro<T>[n]) -> T = xs[0];\n";
  CHECK(outcome(first + "fn f(x:u64) -> u64 = first(1, x);") == "E-TYPE-MISMATCH@3");
  CHECK(message(first + "fn f(x:u64) -> u64 = first(1, x);") == "u64 has no elements: it does not fit ro<T>[n].");
  CHECK(outcome("struct C[T] { v:T; }\nfn open[T:copy](c:C[T]) -> T = c.v;\nfn f(x:u64) -> u64 = open(x);") ==
        "E-TYPE-MISMATCH@3");
  CHECK(outcome("fn make[T]() -> u64 = 1;\nfn f() -> u64 = make();") == "E-INFER@2");
  CHECK(outcome("struct C[T] { n:u64; }\nfn f() { let c = C(3); }") == "E-INFER@2");
}

TEST_CASE("a broken bound is refused at the call in the caller's terms", "[check][inference]") {
  const std::string text =
      "fn doubled[T:copy](x:T) -> u64 = 2;\nfn f() -> u64 { let b = Buf[u8](3);\n return doubled(b); }";
  CHECK(outcome(text) == "E-BOUND@3");
  CHECK(message(text) == "`Buf[u8]` is affine, not copy; doubled needs [T:copy].");
}
