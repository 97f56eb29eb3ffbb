#include <catch2/catch.hpp>

#include "tests/syntax/parsing.hpp"

namespace cairn::syntax {

TEST_CASE("a recipe holds its own grammar", "[syntax][recipes]") {
  CHECK(verdict(R"(
pub recipe audit[K:nat, F:fn] for R where size = bytes(R), half = size / 2 where k = K {
  require size < 64, "small records only.";
  each f in R where at = offset(f) { pub fn $R_offset_$f() -> usize = $at; }
  each k in 0..$K + 1 { struct $R_$k { each f in R where t = typeof(f) { old_$f:$t; } n:u8; } }
  impl m.Eq for $R_x { fn same(a:ro<R>) -> bool = fold && each f in R { $F(a.$f) }; }
  kernel fn $R_k() { each k in 0..2 where j = k { f($j); require $j < 4, "few."; } }
  fn all() -> u64 = fold add each k in 0..3 { g($k), h(each f in R { v.$f, 1 }) };
}
)") == "ok");
  CHECK(verdict("recipe r { }") == "ok");
}

TEST_CASE("what a recipe may not hold", "[syntax][recipes]") {
  CHECK(verdict("pub recipe r[T] { }") == "E-RECIPE 1:1");
  CHECK(verdict("recipe r[T:type] { }") == "E-RECIPE 1:1");
  CHECK(verdict("recipe r[K:nat,] { }") == "E-NAME 1:16");
  CHECK(verdict("recipe r { const N:u8 = 1; }") == "E-PARSE 1:12");
  CHECK(verdict("recipe r { struct S packed { } }") == "E-PARSE 1:21");
  CHECK(verdict("recipe r { fn f() implements g {} }") == "E-PARSE 1:19");
  CHECK(verdict("recipe r { require a; }") == "E-PARSE 1:21");
  CHECK(verdict("recipe r { require a, b; }") == "E-PARSE 1:23");
  CHECK(verdict("recipe r { fn f() -> u8 = fold each k in 0..2 { 1 }; }") == "E-PARSE 1:32");
  CHECK(verdict("recipe r { fn f() -> u8 = fold + 1; }") == "E-PARSE 1:34");
  CHECK(verdict("recipe r {\n each f in R {\n") == "E-PARSE 3:1");
  CHECK(verdict("recipe r {} fn $f() {}") == "E-LEX 1:16");
  CHECK(verdict("recipe r[K:nat] where , a = 1 {}") == "E-NAME 1:23");
}

TEST_CASE("the words of recipes are names outside", "[syntax][recipes]") {
  CHECK(in_body("require(1); fold = 2; let x = fold + 1;") == "ok");
  CHECK(in_body("let x = each k in 0..2 { 1 };") == "E-PARSE 2:14");
  CHECK(verdict("recipe r { fn f() { each k in 0..2 { } } } fn g(n:usize) { each k in n { } }") == "ok");
}

TEST_CASE("recipes nest to a limit", "[syntax][recipes]") {
  std::string items = "recipe r {";
  std::string shapes = "recipe r { struct S {";
  std::string values = "recipe r { fn f() { g(";
  for (int i = 0; i < 100000; ++i) {
    items += " each k in R {";
    shapes += " each k in R {";
    values += " each k in R {";
  }
  CHECK(verdict(items).starts_with("E-DEPTH"));
  CHECK(verdict(shapes).starts_with("E-DEPTH"));
  CHECK(verdict(values).starts_with("E-DEPTH"));
}

}  // namespace cairn::syntax
