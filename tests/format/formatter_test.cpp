#include <catch2/catch.hpp>

#include "frontend/format/formatter.hpp"

namespace cairn {

namespace {

std::string formatted(const std::string& text) {
  const auto once = format_source(text);
  REQUIRE(once);
  const auto twice = format_source(*once);
  REQUIRE(twice);
  CHECK(*twice == *once);
  return *once;
}

/// The text is laid out already.
void settled(const std::string& text) { CHECK(formatted(text) == text); }

}  // namespace

TEST_CASE("one statement stands on a line and blocks are indented by two", "[format]") {
  CHECK(formatted("fn f()->u64{\nlet a=1;let b = 2;\n      return a+b;}") ==
        "fn f() -> u64 {\n  let a = 1;\n  let b = 2;\n  return a + b;\n}\n");
}

TEST_CASE("a block on one line stays there while it fits, and one over several lines is never joined", "[format]") {
  settled("fn f() { g(); h(); }\n");
  settled("fn f() {\n  g();\n}\n");
  settled("fn f() {}\nfn g() { if a { b(); } else { c(); } }\n");
  const std::string call = "call_" + std::string(85, 'x') + "();";
  CHECK(formatted("fn f() { " + call + " }\n") == "fn f() {\n  " + call + "\n}\n");
}

TEST_CASE("else branches that do not fit open the whole chain's first block", "[format]") {
  const std::string text =
      "fn f() {\n  if a { " + std::string(40, 'x') + "(); } else { " + std::string(40, 'y') + "(); }\n}\n";
  CHECK(formatted(text) ==
        "fn f() {\n  if a {\n    " + std::string(40, 'x') + "();\n  } else { " + std::string(40, 'y') + "(); }\n}\n");
}

TEST_CASE("a group without a semicolon on one line is kept whole", "[format]") {
  settled("recipe all for R { pub fn all_$R(v:ro<R>) -> bool = fold && each f in R { v.$f }; }\n");
}

TEST_CASE("runs of blank lines become one, none stands at an end of a block or of the file", "[format]") {
  CHECK(formatted("\n\nfn f() {\n\n\n  g();\n\n\n\n  h();\n\n}\n\n\nfn k() {}\n\n") ==
        "fn f() {\n  g();\n\n  h();\n}\n\nfn k() {}\n");
  CHECK(formatted("").empty());
  CHECK(formatted("\n \n").empty());
  CHECK(formatted("fn f() {\n}\n\nfn g() {}") == "fn f() {\n}\n\nfn g() {}\n");
}

TEST_CASE("comments stay where they were", "[format]") {
  settled(
      "// first\n\n// second\nfn f() { // behind the brace\n  // inside\n  g(); // behind\n\n  // last\n} // end\n// "
      "after\n");
  CHECK(formatted("fn f(){\nlet a = 1+   // one\n2;\n}") == "fn f() {\n  let a = 1 + // one\n    2;\n}\n");
  CHECK(formatted("fn f(){\nlet a = 1 +\n// on its own\n2;\n}") ==
        "fn f() {\n  let a = 1 +\n    // on its own\n    2;\n}\n");
  CHECK(formatted("//   trailing space   \n") == "//   trailing space\n");
}

TEST_CASE("spaces follow the table of tokens", "[format]") {
  settled("import std.core as core (Option, Result);\n");
  settled("fn f[T:Ord + affine](n:usize, xs:ro<u8>[n]@device, g:ro<fn() -> u8>) effects(io, ffi:write);\n");
  settled("fn g(n:usize) -> usize implements h when n % 2 == 0 tune K in [2, 4] = n;\n");
  settled("let a = -x + !y * ~z - -3;\n");
  settled("return (a);\n");
  settled("let c = xs[0..n - 1];\n");
  settled("apply(|x:u64, y:rw<u64>| -> bool { return x | y; }, 3);\n");
  settled("apply(|| { g(); });\n");
  settled("let s = a | b || c;\n");
  settled("let t = reduce + parallel i in n yield -xs[i];\n");
  settled("let p = rw.x < y > z;\n");
  CHECK(formatted("f ( x ) [ 1 ] . y ;") == "f(x)[1].y;\n");
  CHECK(formatted("if(a){b();}") == "if (a) { b(); }\n");
  CHECK(formatted("fn f(x : ro < ro<u8> > ){}") == "fn f(x:ro<ro<u8>>) {}\n");
}

TEST_CASE("a closure without parameters keeps its token", "[format]") {
  settled("apply(| | { g(); });\n");
  settled("apply(|| { g(); });\n");
}

TEST_CASE("a line that is too long is broken by the first rule that applies", "[format]") {
  const std::string a(30, 'a');
  const std::string b(30, 'b');
  const std::string c(30, 'c');
  CHECK(formatted("fn f(n:usize, " + a + ":u64, " + b + ":u64) -> u64 implements " + c + " = 1;") ==
        "fn f(n:usize, " + a + ":u64, " + b + ":u64) -> u64\n  implements " + c + " = 1;\n");
  CHECK(formatted("let x = " + a + " + " + b + " * " + c + " - 1234567890;") ==
        "let x = " + a + " + " + b + "\n  * " + c + " - 1234567890;\n");
  CHECK(formatted("call(" + a + ", " + b + ", " + c + ", 1234567890);") ==
        "call(\n  " + a + ", " + b + ", " + c + ",\n  1234567890\n);\n");
  CHECK(formatted("blocks " + a + ", " + b + ", " + c + " in 1, 2222222, 3;") ==
        "blocks " + a + ", " + b + ",\n  " + c + " in 1, 2222222, 3;\n");
  const std::string word(120, 'w');
  settled("let x = " + word + ";\n");
}

TEST_CASE("text that does not lex, or would become other tokens, is left alone", "[format]") {
  CHECK_FALSE(format_source("let s = \"no end;\n"));
  CHECK_FALSE(format_source("let a = #;\n"));
  CHECK(format_source("\xEF\xBB\xBF"
                      "fn f() {}\n") == "fn f() {}\n");
}

TEST_CASE("unbalanced brackets are laid out as far as they go", "[format]") {
  CHECK(format_source("} } fn f( { ) ]"));
  CHECK(format_source("{ { {"));
  CHECK(format_source("( ; ) ; }"));
}

}  // namespace cairn
