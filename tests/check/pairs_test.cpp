// What the checker says of pair floats (pair floats, 2.1, 2.2 and 10): rows, refusals beside what is accepted, hints.
#include <catch2/catch.hpp>

#include "tests/check/checked_source.hpp"

using cairn::CheckedSource;

namespace {

std::string program(const std::string& body) {
  return "import std.pair (Pair, f32x2, f64x2);\nfn f(x:f32x2, y:f32x2, c:f32) -> i32 {\n" + body + "\nreturn 0;\n}\n";
}
std::string verdict(const std::string& body) { return CheckedSource(program(body)).verdict(); }
std::string hint(const std::string& body) {
  const CheckedSource source(program(body));
  const std::string message = source.first().message;
  const std::size_t at = message.find("Call the method: ");
  return at == std::string::npos ? "" : message.substr(at + 17);
}

}  // namespace

TEST_CASE("a pair has methods and no operators", "[check][pairs]") {
  CHECK(verdict("let r = x.add(y);") == "accepted");
  CHECK(verdict("let r = x + y;") == "E-OPERATOR 3:9");
  CHECK(hint("let r = x + y;") == "x.add(y).");
  CHECK(hint("let r = -x;") == "x.neg().");
  CHECK(hint("if x == y { return 1; }") == "x.eq(y).");
  CHECK(hint("if x < y { return 1; }") == "x.lt(y).");
  CHECK(hint("let r = sqrt(x);") == "x.sqrt().");
  CHECK(hint("let r = min(x, y);") == "x.min(y).");
  CHECK(hint("let r = f64(x);") == "x.to_f64().");
  CHECK(hint("let r = u16(x);") == "x.to_int[u16]().");
  CHECK(hint("println(x);") == "x.to_f64().");
  CHECK(verdict("let r = x.lgamma();") == "E-CALLEE 3:9");
}

TEST_CASE("a scalar is a limb exactly when it has the limb's type", "[check][pairs]") {
  CHECK(verdict("let r = x.mul_limb(c).mul_limb(2.0);") == "accepted");
  CHECK(verdict("let r = x.mul(pair.of(c));") == "accepted");
  CHECK(verdict("let d:f64 = 2.0; let r = x.mul_limb(d);").starts_with("E-TYPE-MISMATCH"));
  CHECK(verdict("let r = x.mul(2.0);").starts_with("E-TYPE-MISMATCH"));
  CHECK(verdict("let r = x.mul(pair.widen(y));").starts_with("E-TYPE-MISMATCH"));
  CHECK(verdict("let r = pair.of(u32(3));").starts_with("E-BOUND"));
  CHECK(verdict("let r = pair.pi[f64]();") == "accepted");
  CHECK(verdict("let r:f32x2 = pair.pi();") == "accepted");
  CHECK(verdict("let r = pair.pi();").starts_with("E-INFER"));
}

TEST_CASE("an updating form needs something it may write", "[check][pairs]") {
  CHECK(verdict("let mut r = x; r.add_to(y); r.mul_limb_to_high(c);") == "accepted");
  CHECK(verdict("x.add_to(y);").starts_with("E-WRITE-LEASE"));
}

TEST_CASE("calls of std.pair have the rows the chapter gives them", "[check][pairs]") {
  const std::string text =
      "import std.pair (f32x2);\nimport std.pair.stat (Stat, Counts);\n"
      "fn plain(x:f32x2, y:f32x2) -> f32x2 pure = x.mul(y).exp().div_high(y).pow(x);\n"
      "fn counted(x:Stat[f32]) -> Stat[f32] pure = x.mul(x).exp();\n"
      "fn update(x:rw<f32x2>, y:f32x2) { x.add_to(y); }\n"
      "fn whole(x:f32x2) -> i32 = x.to_int[i32]();\n"
      "fn read() -> Counts = stat.counts();\n"
      "fn main() -> i32 { return 0; }\n";
  const CheckedSource source(text);
  REQUIRE(source.verdict() == "accepted");
  CHECK(source.row("plain").empty());
  CHECK(source.row("counted").empty());
  CHECK(source.row("update") == "read:x, write:x");
  CHECK(source.row("whole") == "trap");
  CHECK(source.row("read") == "io");
}

TEST_CASE("only a packaged module declares an extern template or an alias", "[check][pairs]") {
  CHECK(CheckedSource("extern \"pair.of\" fn g[T:float](c:T) -> T effects();\nfn main() -> i32 { return 0; }\n")
            .verdict()
            .starts_with("E-EXTERN"));
  CHECK(CheckedSource("type N = f32;\nfn main() -> i32 { return 0; }\n").verdict().starts_with("E-DECLARATION"));
}
