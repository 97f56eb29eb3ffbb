#include <catch2/catch.hpp>

#include "tests/syntax/parsing.hpp"

namespace cairn::syntax {

namespace {

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("binary operators bind by level and to the left", "[syntax][expressions]") {
  CHECK(shape("a + b * c") == "(+ a (* b c))");
  CHECK(shape("a * b + c") == "(+ (* a b) c)");
  CHECK(shape("a - b - c") == "(- (- a b) c)");
  CHECK(shape("a / b % c * d") == "(* (% (/ a b) c) d)");
  CHECK(shape("a & m == 0") == "(& a (== m 0))");
  CHECK(shape("a < b == c > d") == "(== (< a b) (> c d))");
  CHECK(shape("a < b < c") == "(< (< a b) c)");
  CHECK(shape("a + b < c") == "(< (+ a b) c)");
  CHECK(shape("a | b ^ c & d") == "(| a (^ b (& c d)))");
  CHECK(shape("a || b && c | d") == "(|| a (&& b (| c d)))");
  CHECK(shape("a && b || c && d || e") == "(|| (|| (&& a b) (&& c d)) e)");
  CHECK(shape("(a + b) * c") == "(* (+ a b) c)");
}

TEST_CASE("prefix operators apply to the whole postfix chain", "[syntax][expressions]") {
  CHECK(shape("-a * b") == "(* (- a) b)");
  CHECK(shape("-x.y") == "(- (. x y))");
  CHECK(shape("!f(x)") == "(! (call f x))");
  CHECK(shape("try g(x).h") == "(try (. (call g x) h))");
  CHECK(shape("--x") == "(- (- x))");
  CHECK(shape("~a & b") == "(& (~ a) b)");
  CHECK(shape("a - -b") == "(- a (- b))");
  CHECK(shape("spawn f(1) + 2") == "(+ (spawn (call f 1)) 2)");
  CHECK(shape("spawn f(x) after a, b") == "(spawn (call f x) after a b)");
  CHECK(shape("after + 1") == "(+ after 1)");
  CHECK(shape("-1") == "(- 1)");
}

TEST_CASE("postfix forms chain", "[syntax][expressions]") {
  CHECK(shape("xs[i]") == "(index xs i)");
  CHECK(shape("xs[0..n]") == "(part xs 0 n)");
  CHECK(shape("xs[4..10][1..3]") == "(part (part xs 4 10) 1 3)");
  CHECK(shape("a.b.c(d)[e].f") == "(. (index (call (. (. a b) c) d) e) f)");
  CHECK(shape("Buf[Buf[u8]](4)") == "(call (index Buf (index Buf u8)) 4)");
  CHECK(shape("f[u8, 3, a.b](x, y)") == "(call (index f u8 3 (. a b)) x y)");
  CHECK(shape("f()") == "(call f)");
  CHECK(shape("Option[u16].None") == "(. (index Option u16) None)");
  CHECK(shape("v.f[u8](a)") == "(call (index (. v f) u8) a)");
  CHECK(shape("1.max(2)") == "(call (. 1 max) 2)");
}

TEST_CASE("closures take parameters between bars", "[syntax][expressions]") {
  CHECK(shape("|x:u64, y:rw<u64>| -> bool { return x; }").starts_with("(closure x : u64 y : rw<u64> -> : bool"));
  CHECK(shape("|| {}") == "(closure)");
  CHECK(shape("| | {}") == "(closure)");
  CHECK(shape("f(|x:u64| {}, 1)") == "(call f (closure x : u64) 1)");
  CHECK(shape("|x| {}") == "E-PARSE 1:3");
}

TEST_CASE("only a name, a dotted name or a method is called", "[syntax][expressions]") {
  CHECK(shape("f(x)") == "(call f x)");
  CHECK(shape("(f)(x)") == "(call f x)");
  CHECK(shape("f(x).g(y)") == "(call (. (call f x) g) y)");
  CHECK(shape("\"text\".len()") == "(call (. \"text\" len))");
  CHECK(shape("1 + f(x)(y)") == "E-CALL 1:5");
  CHECK(shape("\"a\"(1)") == "E-CALL 1:1");
  CHECK(shape("3(1)") == "E-CALL 1:1");
  CHECK(shape("(a + b)(1)") == "E-CALL 1:2");
  CHECK(shape("f[i + 1](x)") == "E-CALL 1:1");
  CHECK(shape("f[0..2](x)") == "E-CALL 1:1");
  CHECK(shape("f[0x10](x)") == "(call (index f 0x10) x)");
}

TEST_CASE("an expression must start somewhere", "[syntax][expressions]") {
  CHECK(shape("") == "E-NAME 1:1");
  CHECK(shape("a +") == "E-NAME 1:4");
  CHECK(shape("f(1, 2,)") == "E-NAME 1:8");
  CHECK(shape("f[]") == "E-NAME 1:3");
  CHECK(shape("a.let") == "E-NAME 1:3");
  CHECK(shape("a.1") == "E-NAME 1:3");
  CHECK(shape("+a") == "E-NAME 1:1");
  CHECK(shape("if a { 1 } else { 2 }") == "E-NAME 1:1");
  CHECK(shape("match a {}") == "E-NAME 1:1");
  CHECK(message("fn f() { let x = if a { 1 }; }").find("assign it in each branch") != std::string::npos);
}

TEST_CASE("forms of other languages are refused with what CAIRN writes", "[syntax][expressions]") {
  CHECK(shape("a << 2") == "E-PARSE 1:3");
  CHECK(shape("a >> 2") == "E-PARSE 1:3");
  CHECK(shape("a < <2") == "E-NAME 1:5");
  CHECK(message("fn f() { let x = a << 2; }").find("shl_wrap") != std::string::npos);
  CHECK(message("fn f() { let x = a >> 2; }").find("shr") != std::string::npos);
  CHECK(shape("(a, b)") == "E-PARSE 1:3");
  CHECK(shape("x as u32") == "E-PARSE 1:3");
  CHECK(message("fn f() { let y = x as u32; }").find("u32(x)") != std::string::npos);
  CHECK(shape("T::NAME") == "E-PARSE 1:2");
  CHECK(message("fn f() { let y = T::NAME; }").find("T.NAME") != std::string::npos);
  CHECK(shape("a ? b") == "E-LEX 1:3");
}

TEST_CASE("expressions nest 100 deep and no deeper", "[syntax][expressions]") {
  CHECK(shape(repeated("(", 99) + "7" + repeated(")", 99)) == "7");
  CHECK(shape(repeated("(", 100) + "7" + repeated(")", 100)) == "E-DEPTH 1:101");
  CHECK(shape(repeated("-", 99) + "x").ends_with(repeated(")", 99)));
  CHECK(shape(repeated("-", 100) + "x") == "E-DEPTH 1:101");
  CHECK(shape(repeated("f(", 99) + "x" + repeated(")", 99)).starts_with("(call"));
  CHECK(shape(repeated("f(", 100) + "x" + repeated(")", 100)) == "E-DEPTH 1:201");
  CHECK(shape(repeated("a[", 100) + "x") == "E-DEPTH 1:201");
  CHECK(shape(repeated("|| { return ", 150)).starts_with("E-DEPTH"));
  CHECK(shape(repeated("try ", 100000)).starts_with("E-DEPTH"));
  CHECK(shape(repeated("spawn ", 100000)).starts_with("E-DEPTH"));
}

TEST_CASE("a chain of any length nests two deep", "[syntax][expressions]") {
  CHECK(shape("a" + repeated(" + a", 50000)).starts_with("(+ (+ "));
  CHECK(shape("a" + repeated(".b", 50000)).starts_with("(. (. "));
  CHECK(shape(repeated("(", 98) + "a + a" + repeated(")", 98)) == "(+ a a)");
  CHECK(shape(repeated("(", 99) + "a + a" + repeated(")", 99)) == "E-DEPTH 1:104");
}

TEST_CASE("literals keep their values and forms", "[syntax][expressions]") {
  Parsed parsed;
  parse_into(parsed,
             "const A:u64 = 18446744073709551615;\nconst B:u64 = 18446744073709551616;\n"
             "const C:u64 = 0xFf;\nconst D:u8 = '\\n';\nconst E:f32 = 1.50e-3;\nconst F:bool = true;\n");
  const auto value = [&](std::size_t index) -> const Expr& {
    return *parsed.program.declarations[index]->as<ConstDecl>().value;
  };
  CHECK(value(0).as<IntegerExpr>().value.value == 18446744073709551615U);
  CHECK(value(0).as<IntegerExpr>().value.fits);
  CHECK_FALSE(value(1).as<IntegerExpr>().value.fits);
  CHECK(value(1).as<IntegerExpr>().value.digits == "18446744073709551616");
  CHECK(value(2).as<IntegerExpr>().value.value == 255);
  CHECK(value(3).as<IntegerExpr>().character);
  CHECK(value(3).as<IntegerExpr>().value.value == 10);
  CHECK(value(4).as<FloatExpr>().digits == "1.50e-3");
  CHECK(value(5).as<BoolExpr>().value);
}

TEST_CASE("an expression stands at its leftmost operand and spans its text", "[syntax][positions]") {
  const auto places = [](const std::string& text) {
    Parsed parsed;
    const std::uint32_t file = parsed.sources.add("a.cairn", text);
    const Expr& expr = *parse_expression(parsed.sources, file, parsed.names, parsed.arena);
    return std::to_string(parsed.sources.locate(expr.position).column) + " " +
           std::string(parsed.sources.text(expr.span));
  };
  CHECK(places(" a + b ") == "2 a + b");
  CHECK(places("((a + b))") == "3 ((a + b))");
  CHECK(places("(a + b) * c") == "2 (a + b) * c");
  CHECK(places("  -x.y") == "3 -x.y");
  CHECK(places("f(x).g[i]") == "1 f(x).g[i]");
  CHECK(places(" xs[0..n]") == "2 xs[0..n]");
  CHECK(places(" |x:u8| { }") == "2 |x:u8| { }");
  CHECK(places("!(a)") == "1 !(a)");
}

}  // namespace cairn::syntax
