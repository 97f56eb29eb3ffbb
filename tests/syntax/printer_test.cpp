#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/syntax/corpus.hpp"
#include "tests/syntax/parsing.hpp"

namespace cairn::syntax {

TEST_CASE("functions print in canonical form", "[syntax][printer]") {
  CHECK(printed("fn f()->usize=7;") == "fn f() -> usize {\n  return 7;\n}\n");
  CHECK(printed("pub fn g[T:copy+Eq,N:nat](x:rw<u8>[11], y:ro<f64>[n]@device) -> u8 effects(pure,io) {}") ==
        "pub fn g[T:copy + Eq, N:nat](x:rw<u8>[11]@host, y:ro<f64>[n]@device) -> u8 effects(pure, io) {}\n");
  CHECK(
      printed("fn h() { let far = x - 3.0 * y; d_x[i] += -far; if a < b { f(-1); } else if c {} else { return; } }") ==
      "fn h() {\n  let far = (x - (3.0 * y));\n  d_x[i] = (d_x[i] + (-far));\n  if (a < b) {\n    f((-1));\n"
      "  } else if c {} else {\n    return;\n  }\n}\n");
  CHECK(printed("struct Pin_pair{left:Pin;right:Pin;}") == "struct Pin_pair { left:Pin; right:Pin; }\n");
  CHECK(printed("impl Eq for P { fn a(x:ro<Self>) -> bool = true; fn b() {} }") ==
        "impl Eq for P {\n  fn a(x:ro<Self>) -> bool {\n    return true;\n  }\n  fn b() {}\n}\n");
  CHECK(printed("fn s() { f(\"a\\n\\\"\\x00\xC3\xA9\", '\\n', 0xFF, -(5)); }") ==
        "fn s() {\n  f(\"a\\n\\\"\\x00\\xe9\", '\\n', 0xFF, (-(5)));\n}\n");
  CHECK(printed("fn c() { f(|x:u8| -> u8 { return x; }, (try g()).h, (spawn k() after a), b); }") ==
        "fn c() {\n  f(|x:u8| -> u8 {\n    return x;\n  }, (try g()).h, (spawn k() after a), b);\n}\n");
}

TEST_CASE("what is printed parses to a tree that prints the same", "[syntax][printer]") {
  for_each_case([](const std::string& path, const std::string& text) {
    INFO(path);
    std::string once;
    try {
      once = printed(text);
    } catch (const Refusal&) {
      return;  // a case of its refusal
    }
    CHECK(printed(once) == once);
  });
}

TEST_CASE("long chains print without deep recursion", "[syntax][printer]") {
  std::string sum = "fn f() -> u64 = a";
  std::string members = "fn g() -> u64 = a";
  for (int i = 0; i < 100000; ++i) {
    sum += " + a";
    members += ".b";
  }
  CHECK(printed(sum + ";").size() > 400000);
  CHECK(printed(members + ";").size() > 200000);
}

TEST_CASE("a tree dump has a line for each declaration and statement", "[syntax][dump]") {
  CHECK(tree("fn f(n:usize) -> u64 {\n  let mut s = 0;\n  for i in 0..n { s += u64(i * 2); }\n  return s;\n}\n"
             "enum E { A; B(u8); }\n") ==
        "1:1 fn f(n:usize) -> u64\n  2:3 let-mut s = 0\n  3:3 for i 0 n\n    3:19 assign += s (call u64 (* i 2))\n"
        "  4:3 return s\n6:1 enum E { A; B(u8); }\n");
}

}  // namespace cairn::syntax
