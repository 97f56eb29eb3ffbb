#include <catch2/catch.hpp>

#include <random>

#include "frontend/syntax/formatter.hpp"
#include "tests/syntax/corpus.hpp"

namespace cairn::syntax {

namespace {

/// The formatted text, or why it was left alone. Checks that formatting it again changes nothing.
std::string formatted(const std::string& text) {
  const auto once = format(text);
  if (!once) return "left alone: " + once.error();
  const auto again = format(*once);
  REQUIRE(again);
  CHECK(*again == *once);
  return *once;
}

std::string words(const std::string& word, int count, const std::string& between) {
  std::string out = word;
  for (int i = 1; i < count; ++i) out += between + word;
  return out;
}

}  // namespace

TEST_CASE("a messy file gets the one layout", "[syntax][formatter]") {
  CHECK(formatted(
            "\n\n// Sums a row of readings.\nfn row_sum( n : usize , row : ro < u16 > [ n ] )->u64\n{\n"
            "      let mut sum : u64 = 0 ;\n\n\n      for i in 0 .. n { sum = sum+u64( row [ i ] ) ; }\n\n\n"
            "      return sum ;\n}\nfn   clamp_low(x:i32)->i32{\nif x<-5{return -5;}   // never below\nreturn x;}") ==
        "// Sums a row of readings.\nfn row_sum(n:usize, row:ro<u16>[n]) -> u64 {\n  let mut sum:u64 = 0;\n\n"
        "  for i in 0..n { sum = sum + u64(row[i]); }\n\n  return sum;\n}\nfn clamp_low(x:i32) -> i32 {\n"
        "  if x < -5 { return -5; } // never below\n  return x;\n}\n");
  CHECK(formatted("fn id(x:u8)->u8=x;") == "fn id(x:u8) -> u8 = x;\n");
  CHECK(formatted("").empty());
  CHECK(formatted("\n \n").empty());
  CHECK(formatted("\xEF\xBB\xBF"
                  "fn f(){}\r\n") == "fn f() {}\n");
}

TEST_CASE("spaces stand as the layout says", "[syntax][formatter]") {
  CHECK(formatted("let x=- a*-b- -c;") == "let x = -a * -b - -c;\n");
  CHECK(formatted("let x = ! a&&~ b;") == "let x = !a && ~b;\n");
  CHECK(formatted("f (x) (y) [ 0 ] . z ;") == "f(x)(y)[0].z;\n");
  CHECK(formatted("if(a){return(b);}") == "if (a) { return (b); }\n");
  CHECK(formatted("g(| x : u64,y :rw < u8 > |->bool{return x|y;},||{});") ==
        "g(|x:u64, y:rw<u8>| -> bool { return x | y; }, || {});\n");
  CHECK(formatted("let t=reduce|for i in n yield a|b;") == "let t = reduce | for i in n yield a | b;\n");
  CHECK(formatted("let t = reduce * parallel i in n yield -a;") == "let t = reduce * parallel i in n yield -a;\n");
  CHECK(formatted("fn f(x:fn (u8)->u8,y:ro<fn(u8) -> ro< u8 >>)effects (io) {}") ==
        "fn f(x:fn(u8) -> u8, y:ro<fn(u8) -> ro<u8>>) effects(io) {}\n");
  CHECK(formatted("import m.n(Name , Other);") == "import m.n (Name, Other);\n");
  CHECK(formatted("fn g[W:nat] () implements f when (n+1)%W==0 tune W in[2,4],V in [1] needs (tma) {}") ==
        "fn g[W:nat]() implements f when (n + 1) % W == 0 tune W in [2, 4], V in [1] needs(tma) {}\n");
  CHECK(formatted("impl [T:copy+Eq] Eq for P [T] {}") == "impl[T:copy + Eq] Eq for P[T] {}\n");
  CHECK(formatted("struct P{x:u8;lends d [0 .. n];}") == "struct P { x:u8; lends d[0..n]; }\n");
  CHECK(formatted("buffer b:u8 [2*n] @ device=zeroed;") == "buffer b:u8[2 * n]@device = zeroed;\n");
  CHECK(formatted("a < b > c") == "a < b > c\n");
  CHECK(formatted("apply(| |{g();});") == "apply(| | { g(); });\n");
  CHECK(formatted("let p = rw.x<y>z;") == "let p = rw.x < y > z;\n");
  CHECK(formatted("match m{A=>f();B(x)=>{g(x);}}") == "match m { A => f(); B(x) => { g(x); } }\n");
  CHECK(formatted("x=zeroed-true-'a'-1;") == "x = zeroed - true - 'a' - 1;\n");
}

TEST_CASE("tokens that would become one stay apart", "[syntax][formatter]") {
  CHECK(formatted("a . . b") == "a. .b\n");
  CHECK(formatted("1 . 5") == "1. 5\n");
  CHECK(formatted("! = x") == "! = x\n");
  CHECK(formatted("( - > )") == "(- >)\n");
  CHECK(formatted("a / / b") == "a / / b\n");
}

TEST_CASE("a line ends after a semicolon, an opening and a closing brace", "[syntax][formatter]") {
  CHECK(formatted("a;b;{\nc;}d;") == "a;\nb;\n{\n  c;\n}\nd;\n");
  CHECK(formatted("if a {\nb;\n} else {\nc;\n}") == "if a {\n  b;\n} else {\n  c;\n}\n");
  CHECK(formatted("f(|x:u8| {\nreturn x;\n}, 1);") == "f(|x:u8| {\n  return x;\n}, 1);\n");
  CHECK(formatted("blocks b in g threads t in 32 {\nx;\n} then threads t in 32 { y; }") ==
        "blocks b in g threads t in 32 {\n  x;\n} then threads t in 32 { y; }\n");
  CHECK(formatted("fn a() {} fn b() {}") == "fn a() {}\nfn b() {}\n");
  CHECK(formatted("}}\nx;") == "}\n}\nx;\n");
  CHECK(formatted("{{") == "{\n  {\n");
}

TEST_CASE("a block on one line stays there while it fits, and one on several is never joined", "[syntax][formatter]") {
  CHECK(formatted("if a { b; } else { c; }") == "if a { b; } else { c; }\n");
  CHECK(formatted("if a { b; } else {\nc;\n}") == "if a {\n  b;\n} else {\n  c;\n}\n");
  CHECK(formatted("if a {\nb; } else { c; }") == "if a {\n  b;\n} else { c; }\n");
  CHECK(formatted("fn f() {\n}") == "fn f() {\n}\n");
  CHECK(formatted("fn f() { }") == "fn f() {}\n");
  const std::string head(90, 'a');
  CHECK(formatted(head + "a{b();}") == head + "a { b(); }\n");  // 100 columns
  CHECK(formatted(head + "aa{b();}") == head + "aa {\n  b();\n}\n");
  CHECK(formatted("if " + head + " { b(); c(); } else { d(); }") ==
        "if " + head + " {\n  b();\n  c();\n} else { d(); }\n");
  const std::string list = words("value", 20, ", ");
  CHECK(formatted("x = each k in R { " + list + " };") == "x = each k in R { " + list + " };\n");
}

TEST_CASE("runs of blank lines become one, and none stand inside the braces", "[syntax][formatter]") {
  CHECK(formatted("a;\n\n\n\nb;\n{\n\nc;\n\n\nd;\n\n}\n\n\n") == "a;\n\nb;\n{\n  c;\n\n  d;\n}\n");
  CHECK(formatted("f(a,\n\nb);") == "f(a, b);\n");
}

TEST_CASE("comments stay where they were", "[syntax][formatter]") {
  CHECK(formatted("   // one  \n\n\n // two\nfn f() { // three\n// four\na;   // five\n\n// six\n}\n// seven") ==
        "// one\n\n// two\nfn f() { // three\n  // four\n  a; // five\n\n  // six\n}\n// seven\n");
  CHECK(formatted("f(a, // first\nb, // second\nc);") == "f(a, // first\n  b, // second\n  c);\n");
  CHECK(formatted("{\nf(a,\n// own\nb);\n}") == "{\n  f(a,\n    // own\n    b);\n}\n");
  CHECK(formatted("if a {\nb;\n} // why\nelse {\nc;\n}") == "if a {\n  b;\n} // why\n  else {\n  c;\n}\n");
  CHECK(formatted("//x\n") == "//x\n");
}

TEST_CASE("a long line is broken by the first rule that applies", "[syntax][formatter]") {
  const std::string name(30, 'n');
  CHECK(formatted("fn " + name + "(x:u8) -> u8 implements " + name + " when " + name + " > 2 {}") ==
        "fn " + name + "(x:u8) -> u8\n  implements " + name + " when " + name + " > 2 {}\n");
  CHECK(formatted("let x = " + words(name, 4, " + ") + ";") ==
        "let x = " + name + " + " + name + "\n  + " + name + " + " + name + ";\n");
  CHECK(formatted("let x = " + name + " == " + name + " && " + name + " == " + name + ";") ==
        "let x = " + name + " == " + name + "\n  && " + name + " == " + name + ";\n");
  CHECK(formatted("fn f(" + words(name + ":u8", 4, ", ") + ") -> u8 = 1;") ==
        "fn f(\n  " + name + ":u8, " + name + ":u8,\n  " + name + ":u8, " + name + ":u8\n) -> u8 = 1;\n");
  CHECK(formatted("import m (" + words(name, 4, ", ") + ");") ==
        "import m (\n  " + words(name, 3, ", ") + ",\n  " + name + "\n);\n");
  CHECK(formatted("plan " + words(name, 4, ", ") + ";") == "plan " + words(name, 3, ", ") + ",\n  " + name + ";\n");
  CHECK(formatted(std::string(150, 'x') + ";") == std::string(150, 'x') + ";\n");
  CHECK(formatted("\"" + words("\xC3\xA9", 97, "") + "\";") == "\"" + words("\xC3\xA9", 97, "") + "\";\n");
}

TEST_CASE("a file that does not lex is left alone", "[syntax][formatter]") {
  CHECK(formatted("fn f() {\n  #\n}").starts_with("left alone: It does not lex at line 2, column 3"));
  CHECK(formatted("\"abc").starts_with("left alone: "));
}

TEST_CASE("formatting formatted text changes nothing, over every conformance case", "[syntax][formatter]") {
  for_each_case([](const std::string& path, const std::string& text) {
    INFO(path);
    if (format(text)) formatted(text);
  });
}

TEST_CASE("formatting settles on any tokens in any order", "[syntax][formatter]") {
  const std::vector<std::string> pieces = {
      "{",      "}",      "(",    ")",      "[",    "]",          ",",  ";",
      "else",   "then",   "|",    "||",     "-",    "<",          ">",  "ro",
      "reduce", "a",      "1.5",  "..",     ".",    "!",          "=",  "fn",
      "\n",     "// c\n", "\n\n", "import", "when", "implements", "&&", "a_rather_long_name"};
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const std::size_t count = 1 + random() % 60;
    for (std::size_t i = 0; i < count; ++i) text += pieces[random() % pieces.size()] + (random() % 4 == 0 ? "\n" : " ");
    INFO(text);
    if (const auto once = format(text)) {
      const auto again = format(*once);
      REQUIRE(again);
      REQUIRE(*again == *once);
    } else {
      FAIL(once.error());
    }
  }
}

TEST_CASE("deep and long inputs format in little time", "[syntax][formatter]") {
  CHECK(format(std::string(200000, '(')));
  CHECK(format(std::string(1000, '{')));
  CHECK_FALSE(format(std::string(200000, '{')));
  CHECK_FALSE(format(words("{", 100000, " ") + words("}", 100000, ";")));
  CHECK(format(words("f(a", 20000, ", ") + words(")", 20000, "")));
  CHECK(format(words("a", 200000, " + ")));
}

TEST_CASE("unbalanced brackets are laid out as far as they go", "[syntax][formatter]") {
  CHECK_FALSE(formatted("} } fn f( { ) ]").starts_with("left alone"));
  CHECK_FALSE(formatted("( ; ) ; }").starts_with("left alone"));
  const std::string name(60, 'n');
  CHECK(formatted("f(" + name + ", " + name + "(a, { b)), c }") ==
        "f(" + name + ", " + name + "(a, { b)), c }\n");  // a group on one line stays there
}

}  // namespace cairn::syntax
