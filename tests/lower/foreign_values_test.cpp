// Every form a value may take to a C function and back (abstractions, 14.1; ownership and memory, 2.5): the C side is
// compiled here, so that the compiler's calling convention is the model.
#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

#include "tests/lower/support.hpp"

// Found by name among the program's symbols, as a C library's functions are.
#define FOREIGN extern "C" __attribute__((used, retain, visibility("default")))

namespace cairn::test {
namespace {

struct Small {
  std::uint8_t a;
  std::uint16_t b;
};
struct Mixed {
  double x;
  std::int32_t k;
};
struct Floats {
  float x, y, z;
};
struct Shared {
  float x;
  std::int32_t k;
};
struct Big {
  std::uint64_t a[5];
};
struct [[gnu::packed]] Packed {
  std::uint8_t a;
  std::uint32_t b;
};
struct [[gnu::packed]] PackedBig {
  std::uint8_t a;
  std::uint64_t b;
  double c;
};
struct [[gnu::packed]] PackedFlat {
  std::uint32_t a;
  std::uint8_t b;
};
struct alignas(16) Aligned {
  std::uint64_t a;
};
struct alignas(64) Wide {
  std::uint32_t a;
};
struct Nested {
  Small s;
  float f[2];
};
struct Choice {
  std::uint32_t tag;
  union {
    double real;
    std::uint64_t whole;
  };
};
struct Real {
  std::uint32_t tag;
  float real;
};
struct Held {
  std::uint64_t* data;
  std::size_t count;
};

}  // namespace
}  // namespace cairn::test

using namespace cairn::test;

FOREIGN bool cairn_test_not(bool x) { return !x; }
FOREIGN std::int8_t cairn_test_i8(std::int8_t a, std::int8_t b) { return static_cast<std::int8_t>(a + b); }
FOREIGN std::uint16_t cairn_test_u16(std::uint16_t a) { return static_cast<std::uint16_t>(a + 1); }
FOREIGN float cairn_test_f32(float a, double b) { return static_cast<float>(a * b); }
FOREIGN double cairn_test_many(std::uint8_t a, double b, std::int16_t c, float d, std::uint32_t e, double f,
                               std::int64_t g, double h, std::uint64_t i, double j, std::int32_t k, double l,
                               std::uint8_t m, double n, std::int8_t o, double p, double q, float r) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * static_cast<double>(g) + 8 * h + 9 * static_cast<double>(i) +
         10 * j + 11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16 * p + 17 * q + 18 * r;
}
FOREIGN Small cairn_test_small(Small s) {
  return {static_cast<std::uint8_t>(s.a + 1), static_cast<std::uint16_t>(s.b + 2)};
}
FOREIGN Mixed cairn_test_mixed(Mixed m) { return {m.x * 2, m.k + 1}; }
FOREIGN Floats cairn_test_floats(Floats f) { return {f.z, f.x, f.y}; }
FOREIGN Shared cairn_test_shared(Shared s) { return {s.x + 1, s.k - 1}; }
FOREIGN Big cairn_test_big(std::uint8_t before, Big b, std::uint8_t after) {
  return {{b.a[4], b.a[3], b.a[2], b.a[1] + before, b.a[0] + after}};
}
FOREIGN Packed cairn_test_packed(std::uint32_t before, Packed p, std::uint32_t after) {
  return {static_cast<std::uint8_t>(p.a + before), p.b + after};
}
FOREIGN PackedBig cairn_test_packed_big(PackedBig p, std::uint64_t after) {
  return {static_cast<std::uint8_t>(p.a + 1), p.b + after, p.c * 2};
}
FOREIGN PackedFlat cairn_test_packed_flat(PackedFlat p) { return {p.a + 1, static_cast<std::uint8_t>(p.b + 1)}; }
FOREIGN Aligned cairn_test_aligned(std::uint64_t before, Aligned a, std::uint64_t after) {
  return {a.a * 100 + before * 10 + after};
}
FOREIGN Wide cairn_test_wide(const Wide* w) { return {w->a + 1}; }
FOREIGN Nested cairn_test_nested(Nested n) {
  return {{n.s.a, static_cast<std::uint16_t>(n.s.b + 1)}, {n.f[1], n.f[0]}};
}
FOREIGN Choice cairn_test_choice(Choice c) {
  if (c.tag == 1) return {2, {.whole = static_cast<std::uint64_t>(c.real)}};
  if (c.tag == 2) return {1, {.real = static_cast<double>(c.whole) / 2}};
  return c;
}
FOREIGN Real cairn_test_real(Real r) { return {r.tag, r.tag == 1 ? -r.real : 0}; }
FOREIGN std::uint32_t cairn_test_tag(std::uint32_t tag) { return 2 - tag; }
FOREIGN std::uint64_t cairn_test_held(Held h) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < h.count; ++i) sum += h.data[i];
  return sum;
}
FOREIGN void cairn_test_fill(float* xs, std::size_t n, float with) {
  for (std::size_t i = 0; i < n; ++i) xs[i] = with;
}
FOREIGN std::uint64_t cairn_test_null(const std::uint8_t* xs, std::size_t n) { return n == 0 ? 7 : xs[0]; }
FOREIGN void cairn_test_bump(Mixed* m) { m->x += 1; }

namespace cairn::test {
namespace {

/// What `main` prints: declarations, then the statements of an unsafe block.
std::string printed(const std::string& declarations, const std::string& statements) {
  return run(declarations + " fn main() -> i32 { unsafe { " + statements + " } return 0; }").output;
}

TEST_CASE("scalars of every width go to C and come back", "[foreign]") {
  CHECK(printed("extern \"cairn_test_not\" fn no(x:bool) -> bool effects();",
                "let a = no(true); let b = no(false); println(a, b);") == "falsetrue\n");
  CHECK(printed("extern \"cairn_test_i8\" fn add(a:i8, b:i8) -> i8 effects();", "let a = add(-100, 30); println(a);") ==
        "-70\n");
  CHECK(printed("extern \"cairn_test_u16\" fn next(a:u16) -> u16 effects();", "let a = next(65535); println(a);") ==
        "0\n");
  CHECK(printed("extern \"cairn_test_f32\" fn times(a:f32, b:f64) -> f32 effects();",
                "let a = times(1.5, -4.0); println(a);") == "-6\n");
}

TEST_CASE("arguments beyond the registers travel on the stack", "[foreign]") {
  CHECK(
      printed(
          "extern \"cairn_test_many\" fn many(a:u8, b:f64, c:i16, d:f32, e:u32, f:f64, g:i64, h:f64, i:u64, j:f64,"
          " k:i32, l:f64, m:u8, n:f64, o:i8, p:f64, q:f64, r:f32) -> f64 effects();",
          "let x = many(1, 1.0, -1, 1.0, 1, 1.0, -1, 1.0, 1, 1.0, -1, 1.0, 1, 1.0, -1, 1.0, 1.0, 1.0); println(x);") ==
      "99\n");
}

TEST_CASE("records travel as the structs of their fields", "[foreign]") {
  CHECK(printed("struct S { a:u8; b:u16; } extern \"cairn_test_small\" fn f(s:S) -> S effects();",
                "let s = f(S(1, 2)); println(s.a, \" \", s.b);") == "2 4\n");
  CHECK(printed("struct S { x:f64; k:i32; } extern \"cairn_test_mixed\" fn f(s:S) -> S effects();",
                "let s = f(S(1.5, -3)); println(s.x, \" \", s.k);") == "3 -2\n");
  CHECK(printed("struct S { x:f32; y:f32; z:f32; } extern \"cairn_test_floats\" fn f(s:S) -> S effects();",
                "let s = f(S(1.0, 2.0, 3.0)); println(s.x, \" \", s.y, \" \", s.z);") == "3 1 2\n");
  CHECK(printed("struct S { x:f32; k:i32; } extern \"cairn_test_shared\" fn f(s:S) -> S effects();",
                "let s = f(S(0.5, 4)); println(s.x, \" \", s.k);") == "1.5 3\n");
  CHECK(printed("struct S { a:Array[u64, 5]; } extern \"cairn_test_big\" fn f(x:u8, s:S, y:u8) -> S effects();",
                "let mut s = S(Array[u64, 5]()); s.a[0] = 1; s.a[4] = 5; let t = f(10, s, 20);"
                " println(t.a[0], \" \", t.a[3], \" \", t.a[4]);") == "5 10 21\n");
  CHECK(printed("struct I { a:u8; b:u16; } struct S { s:I; f:Array[f32, 2]; } extern \"cairn_test_nested\" fn f(s:S) "
                "-> S effects();",
                "let mut s = S(I(3, 4), Array[f32, 2]()); s.f[0] = 1.5; s.f[1] = 2.5; let t = f(s);"
                " println(t.s.a, \" \", t.s.b, \" \", t.f[0], \" \", t.f[1]);") == "3 5 2.5 1.5\n");
}

TEST_CASE("packed and aligned records travel as C's", "[foreign]") {
  CHECK(printed("struct S packed { a:u8; b:u32; } extern \"cairn_test_packed\" fn f(x:u32, s:S, y:u32) -> S effects();",
                "let s = f(10, S(1, 2), 20); println(s.a, \" \", s.b);") == "11 22\n");
  CHECK(printed(
            "struct S packed { a:u8; b:u64; c:f64; } extern \"cairn_test_packed_big\" fn f(s:S, y:u64) -> S effects();",
            "let s = f(S(1, 2, 0.5), 40); println(s.a, \" \", s.b, \" \", s.c);") == "2 42 1\n");
  CHECK(printed("struct S packed { a:u32; b:u8; } extern \"cairn_test_packed_flat\" fn f(s:S) -> S effects();",
                "let s = f(S(1, 2)); println(s.a, \" \", s.b);") == "2 3\n");
  CHECK(printed("struct S align(16) { a:u64; } extern \"cairn_test_aligned\" fn f(x:u64, s:S, y:u64) -> S effects();",
                "let s = f(2, S(1), 3); println(s.a);") == "123\n");
  CHECK(printed("struct S align(64) { a:u32; } extern \"cairn_test_wide\" fn f(s:ro<S>) -> S effects();",
                "let w = S(6); let s = f(w); println(s.a);") == "7\n");
}

TEST_CASE("sums travel as a tag and the union of their payloads", "[foreign]") {
  CHECK(printed("enum C { None; Real(f64); Whole(u64); } extern \"cairn_test_choice\" fn f(c:C) -> C effects();"
                " fn show(c:C) { match c { None => println(\"none\"); Real(x) => println(\"real \", x); Whole(n) => "
                "println(\"whole \", n); } }",
                "let a = f(C.Real(3.5)); show(a); let b = f(C.Whole(9)); show(b); let c = f(C.None); show(c);") ==
        "whole 3\nreal 4.5\nnone\n");
  CHECK(printed("enum C { None; Real(f32); } extern \"cairn_test_real\" fn f(c:C) -> C effects();"
                " fn show(c:C) { match c { None => println(\"none\"); Real(x) => println(x); } }",
                "let a = f(C.Real(2.5)); show(a); let b = f(C.None); show(b);") == "-2.5\nnone\n");
  CHECK(printed("enum T { A; B; C; } extern \"cairn_test_tag\" fn f(t:T) -> T effects();"
                " fn show(t:T) { match t { A => println(\"A\"); B => println(\"B\"); C => println(\"C\"); } }",
                "let a = f(T.A); show(a); let b = f(T.B); show(b);") == "C\nB\n");
}

TEST_CASE("views and borrows travel as pointers, and an owner as pointer and count", "[foreign]") {
  CHECK(printed("extern \"cairn_test_fill\" fn fill(xs:rw<f32>[n], n:usize, with:f32) effects();",
                "let mut xs = Buf[f32](3); fill(xs, len(xs), 1.5); println(xs[0] + xs[2]);") == "3\n");
  CHECK(printed(
            "extern \"cairn_test_null\" fn first(xs:ro<u8>[n], n:usize) -> u64 effects();",
            "let none = Buf[u8](0); let a = first(none, len(none)); let b = first(\"A\", 1); println(a, \" \", b);") ==
        "7 65\n");
  CHECK(printed("struct S { x:f64; k:i32; } extern \"cairn_test_bump\" fn bump(m:rw<S>) effects();",
                "let mut s = S(1.5, 2); bump(s); println(s.x);") == "2.5\n");
  CHECK(printed("struct S { xs:Buf[u64]; } extern \"cairn_test_held\" fn total(s:S) -> u64 effects();",
                "let mut s = S(Buf[u64](2)); s.xs[0] = 40; s.xs[1] = 2; let sum = total(s); println(sum);") == "42\n");
}

}  // namespace
}  // namespace cairn::test
