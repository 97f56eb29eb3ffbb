// Names, literals, operators, conversions and builtins in bodies (syntax and values, 1.4 to 1.7).
#include <catch2/catch.hpp>

#include "tests/check/body_verdict.hpp"

using cairn::tests::body;
using cairn::tests::verdict;

TEST_CASE("no local takes the name of a local in scope", "[bodies]") {
  CHECK(body("let a:u64 = 1; { let b:u64 = 2; } { let b:u64 = 3; }") == "ok");
  CHECK(body("let a:u64 = 1; { let a:u64 = 2; }") == "E-SHADOW 2:18");
  CHECK(body("let a:u64 = 1; for a in 0..2 { }") == "E-SHADOW 2:16");
  CHECK(body("buffer a:u8[2] = zeroed; buffer a:u8[2] = zeroed;") == "E-SHADOW 2:26");
  CHECK(body("let r = R(1, 2); let R(x, x) = r;", "struct R { a:u64; b:u64; }") == "E-SHADOW 2:27");
  CHECK(body("let v:u64 = 1; match O.S(2) { S(v) => { } N => { } }", "enum O { S(u64); N; }") == "E-SHADOW 2:31");
  CHECK(verdict("fn f(n:u64) { let n:u64 = 2; }") == "E-SHADOW 1:15");
}

TEST_CASE("the blank name binds nothing, may repeat, and is never read", "[bodies]") {
  CHECK(body("let _ = 1; let _ = 2; for _ in 0..2 { }") == "ok");
  CHECK(body("let R(_, _) = R(1, 2);", "struct R { a:u64; b:u64; }") == "ok");
  CHECK(body("let _ = 1; let a = _;") == "E-UNBOUND 2:20");
}

TEST_CASE("a name that denotes nothing is unbound as a value and uncallable as a callee", "[bodies]") {
  CHECK(body("let a = b;") == "E-UNBOUND 2:9");
  CHECK(body("{ let b:u64 = 1; } let a = b;") == "E-UNBOUND 2:28");
  CHECK(body("let a:u64 = b(1);") == "E-CALLEE 2:13");
  CHECK(body("let a = f;", "fn f() -> u64 = 1;") == "E-UNBOUND 2:9");
  CHECK(body("let f = f();", "fn f() -> u64 = 1;") == "ok");
}

TEST_CASE("a literal takes the expected type and must fit it", "[bodies]") {
  CHECK(body("let a:u8 = 255;") == "ok");
  CHECK(body("let a:u8 = 256;") == "E-LITERAL-RANGE 2:12");
  CHECK(body("let a:i8 = -128;") == "ok");
  CHECK(body("let a:i8 = -129;") == "E-LITERAL-RANGE 2:13");
  CHECK(body("let a:u8 = -1;") == "E-OPERATOR 2:12");
  CHECK(body("let a = 18446744073709551615;") == "ok");
  CHECK(body("let a = 18446744073709551616;") == "E-LITERAL-RANGE 2:9");
  CHECK(body("let a:f32 = 9007199254740992;") == "ok");
  CHECK(body("let a:f32 = 9007199254740993;") == "E-LITERAL-RANGE 2:13");
  CHECK(body("let a:f32 = 3.4e38;") == "ok");
  CHECK(body("let a:f32 = 3.5e38;") == "E-LITERAL-RANGE 2:13");
  CHECK(body("let a = 1e308;") == "ok");
  CHECK(body("let a = 1e309;") == "E-LITERAL-RANGE 2:9");
  CHECK(body("let a = 1e-400;") == "ok");
  CHECK(body("let a:u64 = 1.5;") == "E-TYPE-MISMATCH 2:13");
  CHECK(body("let a:f16 = 1.5;") == "E-TYPE-MISMATCH 2:13");
  CHECK(body("let a:f16 = f16(1.5);") == "ok");
  CHECK(body("let a:u8 = 'c';") == "ok");
  CHECK(body("let c:u8 = 1; let a = 'c' + c;") == "ok");
}

TEST_CASE("an operand that adapts takes the type of the other side", "[bodies]") {
  CHECK(body("let x:u8 = 1; let a = 1 + x; let b = x + 1;") == "ok");
  CHECK(body("let x:i8 = 1; let a = -3 < x;") == "ok");
  CHECK(body("let a = 1 + 2.5;") == "E-TYPE-MISMATCH 2:13");
  CHECK(body("let a = 2.5 + 1;") == "ok");
  CHECK(body("let a = -1 < 2;") == "ok");
  CHECK(body("let a = 2 > -1;") == "E-OPERATOR 2:13");
  CHECK(body("let x:u8 = 1; let y:u16 = 2; let a = x + y;") == "E-TYPE-MISMATCH 2:42");
  CHECK(body("let c = C.A; let a = B == c;", "enum C { A; B; }") == "ok");
  CHECK(body("let a:u8 = 1 + 2 * 3;") == "ok");
  CHECK(body("let a:bool = 1 + 2 < 4;") == "ok");
  CHECK(body("let xs = Buf[u8](2); let i = 0; let a = xs[i];") == "E-TYPE-MISMATCH 2:44");
}

TEST_CASE("an operator is defined on its operand types only", "[bodies]") {
  CHECK(body("let a = true + false;") == "E-OPERATOR 2:9");
  CHECK(body("let a = true && 1;") == "E-TYPE-MISMATCH 2:17");
  CHECK(body("let a = true == false; let b = true < false;") == "ok");
  CHECK(body("let a = 1.5 % 2.0;") == "E-OPERATOR 2:9");
  CHECK(body("let x:i64 = 1; let a = x & x;") == "E-OPERATOR 2:24");
  CHECK(body("let x:u64 = 1; let a = x & x; let b = ~x;") == "ok");
  CHECK(body("let x:u64 = 1; let a = -x;") == "E-OPERATOR 2:24");
  CHECK(body("let x:i64 = 1; let a = ~x;") == "E-OPERATOR 2:24");
  CHECK(body("let a = !1;") == "E-TYPE-MISMATCH 2:10");
  CHECK(body("let r = R(1); let a = r == r;", "struct R { a:u64; }") == "E-OPERATOR 2:23");
  CHECK(body("let r = O.N; let a = r == r;", "enum O { S(u64); N; }") == "E-OPERATOR 2:22");
  CHECK(body("let mut f = false; f |= true;") == "E-OPERATOR 2:20");
  CHECK(body("let a:u64 = 1; let b = a < a < a;") == "E-TYPE-MISMATCH 2:32");
}

TEST_CASE("a storage float holds and converts, and never computes", "[bodies]") {
  CHECK(body("let h = f16(1.5); let a = h + h;") == "E-OPERATOR 2:27");
  CHECK(body("let h = f16(1.5); let a = h > 0.5;") == "E-TYPE-MISMATCH 2:31");
  CHECK(body("let h = f16(1.5); let a = 1.0 + h;") == "E-TYPE-MISMATCH 2:27");
  CHECK(body("let h = f16(1.5); let x:f32 = 1.0; let a = x * h;") == "E-TYPE-MISMATCH 2:44");
  CHECK(body("let h = f16(1.5); let a = -h;") == "E-OPERATOR 2:27");
  CHECK(body("let h = f16(1.5); let a = f32(h) + 1.0; let b = to_bits(h);") == "ok");
  CHECK(body("let h = f16(1.5); let a = bf16(h);") == "E-CAST 2:27");
  CHECK(body("let h = f16(1.5); let a = u8(h);") == "E-CAST 2:27");
  CHECK(body("let h = f16(3);") == "E-CAST 2:9");
  CHECK(body("let h = f16(1.5); println(h);") == "E-PRINT-ARG 2:27");
  CHECK(body("let h = f16(1.5); assert_eq(h, h);") == "E-OPERATOR 2:19");
  CHECK(body("let h = f16(1.5); let a = sqrt(h);") == "E-MATH-TYPE 2:27");
}

TEST_CASE("a conversion takes one number", "[bodies]") {
  CHECK(body("let a = u8(300); let b = f32(1); let c = i64(-2.5);") == "ok");
  CHECK(body("let a = u8(true);") == "E-CAST 2:9");
  CHECK(body("let a = u8();") == "E-ARITY 2:9");
  CHECK(body("let a = u8(1, 2);") == "E-ARITY 2:9");
  CHECK(body("let a = bool(1);") == "E-CALLEE 2:9");
  CHECK(body("let xs = Buf[u8](2); let a = u8(xs);") == "E-CAST 2:30");
}

TEST_CASE("integer builtins take the integers they are defined on", "[bodies]") {
  CHECK(body("let a:u32 = add_wrap(1, 2); let b = shl_wrap(a, 3); let c = shr(b, 1);") == "ok");
  CHECK(body("let x:i32 = 1; let a = add_wrap(x, 2);") == "E-WRAP-TYPE 2:24");
  CHECK(body("let x:i32 = 1; let a = shr(x, 2);") == "E-WRAP-TYPE 2:24");
  CHECK(body("let x:u8 = 1; let a = min(1, x); let b = x.max(3);") == "ok");
  CHECK(body("let a = min(1.5, 2.5);") == "E-MINMAX 2:9");
  CHECK(body("let x:u8 = 1; let a = min(x, 1.5);") == "E-TYPE-MISMATCH 2:30");
  CHECK(body("let x:i8 = 1; let a = abs(x); let b = abs(1.5);") == "ok");
  CHECK(body("let x:u8 = 1; let a = abs(x);") == "E-MATH-TYPE 2:23");
  CHECK(body("let a = min(1);") == "E-ARITY 2:9");
}

TEST_CASE("float builtins take floats", "[bodies]") {
  CHECK(body("let a = sqrt(2.0); let b:f32 = floor(2.5); let c = trunc(a);") == "ok");
  CHECK(body("let n:u64 = 4; let a = sqrt(n);") == "E-MATH-TYPE 2:24");
  CHECK(body("let a = from_bits[f32](0); let b:f16 = from_bits(0);") == "ok");
  CHECK(body("let a = from_bits(0);") == "E-MATH-TYPE 2:9");
  CHECK(body("let u:u16 = 1; let a = from_bits[f32](u);") == "E-TYPE-MISMATCH 2:39");
  CHECK(body("let a = to_bits(true);") == "E-MATH-TYPE 2:9");
  CHECK(body("let q:i8 = quantize(1.5, 0.5); let p = quantize[f16](1.5, 0.5);") == "ok");
  CHECK(body("let q = quantize(1.5, 0.5);") == "E-QUANTIZE 2:9");
  CHECK(body("let q = quantize[u32](1.5, 0.5);") == "E-QUANTIZE 2:9");
  CHECK(body("let q = quantize[u8](1.5);") == "E-ARITY 2:9");
  CHECK(body("let x = 1.5; let q = quantize[u8](x, 0.5);") == "E-TYPE-MISMATCH 2:35");
  CHECK(body("let q = quantize_stochastic[u8](1.5, 0.5, 7);") == "ok");
}

TEST_CASE("len takes the name, field or element of something with elements, or text", "[bodies]") {
  CHECK(body("let xs = Buf[u8](2); let a = len(xs); let b = len(\"abc\"); let c = xs.len();") == "ok");
  CHECK(body("let xs = Buf[u8](2); let a = len(xs[0..1]);") == "E-LEN 2:30");
  CHECK(body("let a = len(make());", "fn make() -> Buf[u8] = Buf[u8](1);") == "E-LEN 2:9");
  CHECK(body("let a = len(3);") == "E-LEN 2:9");
  CHECK(body("let xs = Buf[u8](2); let a = len(xs, xs);") == "E-LEN 2:30");
}

TEST_CASE("a program's own function wins over a soft builtin, not over a hard one", "[bodies]") {
  CHECK(body("let a:bool = sqrt(1);", "fn sqrt(x:u64) -> bool = x == 0;") == "ok");
  CHECK(body("let a:bool = swap(1, 2, 3);", "fn swap(a:u64, b:u64, c:u64) -> bool = true;") == "ok");
}
