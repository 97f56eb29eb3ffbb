#include <catch2/catch.hpp>

#include "tests/check/check.hpp"

using cairn::tests::judged;
using cairn::tests::outcome;

TEST_CASE("parameters have names of their own and are no void", "[check][signatures]") {
  CHECK(outcome("fn f(a:u64, b:u64) { }") == "ok");
  CHECK(outcome("fn f(a:u64, a:u64) { }") == "E-PARAM@1");
  CHECK(outcome("fn f(_:u64, _:u64) { }") == "ok");
  CHECK(outcome("fn f(a:void) { }") == "E-PARAM@1");
}

TEST_CASE("a signature's types must exist", "[check][signatures]") {
  CHECK(outcome("fn f(a:uint32) { }") == "E-TYPE@1");
  CHECK(outcome("fn f() -> uint32 = 1;") == "E-TYPE@1");
  CHECK(outcome("trait T { fn m(self:ro<Self>); }\nfn f(a:T) { }") == "E-TYPE@2");
  CHECK(outcome("const N:usize = 4;\nfn f(a:N) { }") == "E-TYPE@2");
}

TEST_CASE("an extent is a literal, a constant, or an earlier usize parameter", "[check][signatures]") {
  CHECK(outcome("fn f(n:usize, a:ro<u8>[n]) { }") == "ok");
  CHECK(outcome("fn f(a:ro<u8>[8]) { }") == "ok");
  CHECK(outcome("const N:usize = 8;\nfn f(a:ro<u8>[N]) { }") == "ok");
  CHECK(outcome("const N:i32 = -8;\nfn f(a:ro<u8>[N]) { }") == "E-EXTENT@2");
  CHECK(outcome("fn f(a:ro<u8>[n], n:usize) { }") == "E-EXTENT@1");
  CHECK(outcome("fn f(n:u64, a:ro<u8>[n]) { }") == "E-EXTENT@1");
  CHECK(outcome("fn f(n:ro<usize>, a:ro<u8>[n]) { }") == "E-EXTENT@1");
  CHECK(outcome("fn f(a:ro<u8>[gone]) { }") == "E-EXTENT@1");
  CHECK(outcome("fn f(a:ro<u8>[9223372036854775807]) { }") == "ok");
  CHECK(outcome("fn f(a:ro<u8>[9223372036854775808]) { }") == "E-EXTENT@1");
}

TEST_CASE("an extern may name a later extent, as C orders pointer and length", "[check][signatures]") {
  CHECK(outcome("extern fn f(a:ro<u8>[n], n:usize) effects(io);") == "ok");
  CHECK(outcome("extern fn f(a:ro<u8>[n], n:u64) effects(io);") == "E-EXTENT@1");
}

TEST_CASE("a result is a value", "[check][signatures]") {
  CHECK(outcome("fn f(a:ro<u8>) -> ro<u8> = a;") == "E-ESCAPE@1");
  CHECK(outcome("fn f(n:usize, a:ro<u8>[n]) -> ro<u8>[n] = a;") == "E-ESCAPE@1");
  CHECK(outcome("fn f(a:ro<u8>) -> u8 = a;") == "ok");
}

TEST_CASE("pinned types are shared by borrow, and a lease not at all", "[check][signatures]") {
  CHECK(outcome("fn f(a:Atomic[u64]) { }") == "E-PINNED@1");
  CHECK(outcome("fn f(a:ro<Atomic[u64]>) { }") == "ok");
  CHECK(outcome("fn f(a:rw<IoRing>) { }") == "ok");
  CHECK(outcome("fn f(a:rw<Group[u64]>) { }") == "E-PINNED@1");
  CHECK(outcome("fn f(a:ro<Ticket[u64]>) { }") == "E-PINNED@1");
  CHECK(outcome("fn f() -> Mutex[u64] = 1;") == "E-PINNED@1");
}

TEST_CASE("a function type takes values and single borrows", "[check][signatures]") {
  CHECK(outcome("fn f(g:fn(u64, ro<u8>) -> u64) { }") == "ok");
  CHECK(outcome("fn f(g:ro<fn(ro<u8>[4]) -> u64>) { }") == "E-FN-TYPE@1");
  CHECK(outcome("fn f(g:fn() -> ro<u8>) { }") == "E-FN-TYPE@1");
}

TEST_CASE("a dyn is a borrowed parameter of a trait", "[check][signatures]") {
  const std::string trait = "trait T { fn m(self:ro<Self>); }\n";
  CHECK(outcome(trait + "fn f(x:ro<dyn T>) { }") == "ok");
  CHECK(outcome(trait + "fn f(x:dyn T) { }") == "E-DYN@2");
  CHECK(outcome(trait + "fn f() -> dyn T = 1;") == "E-DYN@2");
  CHECK(outcome(trait + "fn f(x:ro<dyn T>[4]) { }") == "E-DYN@2");
  CHECK(outcome(trait + "struct S { x:dyn T; }") == "E-DYN@2");
  CHECK(outcome(trait + "struct S { x:Dyn[T]; }") == "ok");
  CHECK(outcome("struct S { y:u64; }\nfn f(x:ro<dyn S>) { }") == "E-DYN@2");
  CHECK(outcome("struct S { y:Dyn[u64]; }") == "E-DYN@1");
}

TEST_CASE("fragments have families, elements and shapes", "[check][signatures]") {
  CHECK(outcome("fn f(a:WmmaA[f16, 16, 16, 16]) { }") == "ok");
  CHECK(outcome("fn f(a:MmaAcc[f32, 16, 8, 16]) { }") == "ok");
  CHECK(outcome("fn f(a:MmaAcc[f16, 16, 8, 16]) { }") == "E-FRAGMENT@1");
  CHECK(outcome("fn f(a:WmmaA[f16, 16, 8, 16]) { }") == "E-FRAGMENT@1");
  CHECK(outcome("fn f(a:WmmaA[f16, 16, 16]) { }") == "E-GENERIC-ARITY@1");
  CHECK(outcome("fn f(a:Buf[WmmaA[f16, 16, 16, 16]]) { }") == "E-FRAGMENT@1");
  CHECK(outcome("fn f(a:TmemAcc[f32, 16, 16, 16]) { }") == "E-TARGET-FEATURE@1");
}

TEST_CASE("an extern states its effects and is one C symbol", "[check][signatures]") {
  CHECK(outcome("extern fn f() -> i32 pure;") == "ok");
  CHECK(outcome("extern fn f() -> i32;") == "E-EXTERN-EFFECTS@1");
  CHECK(outcome("extern \"get pid\" fn f() -> i32 effects(io);") == "E-EXTERN@1");
  CHECK(outcome("extern fn f[T](x:u64) effects(io);") == "E-EXTERN@1");
}

TEST_CASE("two externs of one symbol agree", "[check][signatures]") {
  CHECK(outcome("extern \"s\" fn f(x:u64) pure;\nextern \"s\" fn g(y:u64) pure;") == "ok");
  CHECK(outcome("extern \"s\" fn f(x:u64) pure;\nextern \"s\" fn g(y:u32) pure;") == "E-MANGLE@2");
  CHECK(outcome("extern \"s\" fn f(x:u64) pure;\nextern \"s\" fn g(x:u64) -> u64 pure;") == "E-MANGLE@2");
}

TEST_CASE("a launched kernel takes scalars and device views", "[check][signatures]") {
  CHECK(outcome("extern fn k(n:usize, a:rw<f32>[n]@device) launch(n, 256) effects();") == "ok");
  CHECK(outcome("extern fn k(n:usize, a:rw<f32>[n]@device) launch(4096, 64) effects();") == "ok");
  CHECK(outcome("extern fn k(n:usize, a:rw<f32>[n]@device) launch(n, 48) effects();") == "E-LAUNCH@1");
  CHECK(outcome("extern fn k(n:usize, a:rw<f32>[n]@device) launch(m, 64) effects();") == "E-LAUNCH@1");
  CHECK(outcome("extern fn k(n:usize, a:rw<f32>[n]@device) -> i32 launch(n, 64) effects();") == "E-LAUNCH@1");
  CHECK(outcome("extern fn k(n:usize, a:Buf[u8]) launch(n, 64) effects();") == "E-LAUNCH@1");
  CHECK(outcome("extern \"k.x\" fn k(n:usize) launch(n, 64) effects();") == "E-LAUNCH@1");
  CHECK(outcome("extern fn k(n:usize, a:rw<f32>[n]) launch(n, 64) effects();") == "E-PLACEMENT@1");
}

TEST_CASE("every refused signature is listed, and nothing else is judged then", "[check][driver]") {
  const auto program = judged("fn a(x:Gone) { }\nfn b() -> Lost = 1;\nfn c() { }\nfn d() { }");
  REQUIRE(program->verdict.refusals.size() == 2);
  CHECK(program->verdict.not_judged == 2);
}

TEST_CASE("a type that several declarations cannot have is refused once", "[check][driver]") {
  const auto program = judged("struct C[T:copy] { v:T; }\nfn a(x:C[Buf[u8]]) { }\nfn b(x:C[Buf[u8]]) { }\nfn c() { }");
  CHECK(program->verdict.refusals.size() == 1);
  CHECK(program->verdict.not_judged == 2);
}

TEST_CASE("a refused type or constant ends the check before any signature", "[check][driver]") {
  CHECK(outcome("struct A { }\nfn f(x:Gone) { }") == "E-RECORD@1");
  CHECK(outcome("const A:u8 = 300;\nconst B:u8 = 400;\nfn f(x:Gone) { }") == "E-LITERAL-RANGE@1");
}
