#include <catch2/catch.hpp>

#include "tests/check/check.hpp"

using cairn::tests::judged;
using cairn::tests::message;
using cairn::tests::outcome;

TEST_CASE("a record needs fields, each of its own name", "[check][types]") {
  CHECK(outcome("struct A { }") == "E-RECORD@1");
  CHECK(outcome("struct A { x:u64; x:u8; }") == "E-DUPLICATE@1");
  CHECK(outcome("struct A { x:u64; y:u8; }") == "ok");
}

TEST_CASE("a field is a value, and never the record itself by value", "[check][types]") {
  CHECK(outcome("struct A { x:ro<u8>; }") == "E-RECORD-TYPE@1");
  CHECK(outcome("struct A { x:ro<u8>[4]; }") == "E-RECORD-TYPE@1");
  CHECK(outcome("struct A { x:void; }") == "E-RECORD-TYPE@1");
  CHECK(outcome("struct A { x:A; }") == "E-RECORD-TYPE@1");
  CHECK(outcome("struct A { x:Array[A, 2]; }") == "E-RECORD-TYPE@1");
  CHECK(outcome("struct A { x:Buf[A]; }") == "ok");
  CHECK(outcome("struct A { x:Buf[Array[A, 2]]; }") == "ok");
  CHECK(outcome("struct A { b:Buf[B]; }\nstruct B { a:A; }") == "ok");
  CHECK(outcome("struct A { b:B; }\nstruct B { a:A; }") == "E-RECORD-TYPE@1 E-RECORD-TYPE@2");
}

TEST_CASE("a sum has variants of different names with value payloads", "[check][types]") {
  CHECK(outcome("enum S { }") == "E-ENUM@1");
  CHECK(outcome("enum S { A; A; }") == "E-ENUM@1");
  CHECK(outcome("enum S { A(ro<u8>); B; }") == "E-SUM-PAYLOAD@1");
  CHECK(outcome("enum S { A(void); B; }") == "E-SUM-PAYLOAD@1");
  CHECK(outcome("enum S { A(S); B; }") == "E-SUM-PAYLOAD@1");
  CHECK(outcome("enum S { A(Buf[S]); B; }") == "ok");
}

TEST_CASE("pinned types are never stored", "[check][types]") {
  CHECK(outcome("struct A { x:Atomic[u64]; }") == "E-PINNED@1");
  CHECK(outcome("enum A { X(Mutex[u64]); Y; }") == "E-PINNED@1");
  CHECK(outcome("struct A { x:Buf[u64]; }") == "ok");
}

TEST_CASE("storage that is zeroed holds nothing linear", "[check][types]") {
  CHECK(outcome("linear struct L { x:u64; }\nstruct A { l:Buf[L]; }") == "E-LINEAR-STORAGE@2");
  CHECK(outcome("linear struct L { x:Buf[L]; }") == "E-LINEAR-STORAGE@1");
  CHECK(outcome("linear struct L { x:u64; }\nstruct A { l:L; }") == "ok");
}

TEST_CASE("records are ordered before plain enums, those before sums", "[check][types]") {
  CHECK(outcome("enum S { A(void); }\nenum P { }\nstruct R { }") == "E-RECORD@3 E-SUM-PAYLOAD@1 E-ENUM@2");
}

TEST_CASE("a field's extent is an earlier usize field, and its carrier a Buf", "[check][types]") {
  CHECK(outcome("struct G { n:usize; a:Buf[u8][n]; }") == "ok");
  CHECK(outcome("struct G { a:Buf[u8][n]; n:usize; }") == "E-EXTENT@1");
  CHECK(outcome("struct G { n:u64; a:Buf[u8][n]; }") == "E-EXTENT@1");
  CHECK(outcome("struct G { n:usize; a:Array[u8, 4][n]; }") == "E-EXTENT@1");
}

TEST_CASE("a lends clause names a Buf field and bounds that are literals or usize fields", "[check][types]") {
  CHECK(outcome("struct V { data:Buf[u8]; len:usize; lends data[0..len]; }") == "ok");
  CHECK(outcome("struct V { data:u8; len:usize; lends data[0..len]; }") == "E-LENDS@1");
  CHECK(outcome("struct V { data:Buf[u8]; len:u64; lends data[0..len]; }") == "E-LENDS@1");
  CHECK(outcome("struct V { data:Buf[u8]; lends data[0..gone]; }") == "E-LENDS@1");
  CHECK(outcome("struct V { data:Buf[u8]; lends data[4..2]; }") == "E-LENDS@1");
  CHECK(outcome("struct V { data:Buf[u8]; lends data[2..2]; }") == "ok");
}

TEST_CASE("an alignment is a power of two from 8 to 65536", "[check][types]") {
  CHECK(outcome("struct A align(16) { x:u8; }") == "ok");
  CHECK(outcome("struct A align(4) { x:u8; }") == "E-ALIGN@1");
  CHECK(outcome("struct A align(24) { x:u8; }") == "E-ALIGN@1");
}

TEST_CASE("a generic type takes as many arguments as it has parameters, of their kinds", "[check][types]") {
  CHECK(outcome("struct C[T] { v:T; }\nfn f(c:C[u8]) { }") == "ok");
  CHECK(outcome("struct C[T] { v:T; }\nfn f(c:C) { }") == "E-GENERIC-ARITY@2");
  CHECK(outcome("struct C[T] { v:T; }\nfn f(c:C[u8, u8]) { }") == "E-GENERIC-ARITY@2");
  CHECK(outcome("struct C[T] { v:T; }\nfn f(c:C[3]) { }") == "E-TYPE@2");
  CHECK(outcome("struct C[N:nat] { v:Array[u8, N]; }\nfn f(c:C[3]) { }") == "ok");
  CHECK(outcome("struct C[N:nat] { v:Array[u8, N]; }\nconst K:usize = 3;\nfn f(c:C[K]) { }") == "ok");
  CHECK(outcome("struct C[N:nat] { v:Array[u8, N]; }\nfn f(c:C[u8]) { }") == "E-GENERIC-KIND@2");
  CHECK(outcome("fn f(c:u8[u8]) { }") == "E-GENERIC-ARITY@1");
  CHECK(outcome("fn f(c:Buf[u8, u8]) { }") == "E-GENERIC-ARITY@1");
  CHECK(outcome("fn f(c:Buf[7]) { }") == "E-TYPE@1");
}

TEST_CASE("a broken bound of a generic type is refused where the type is named", "[check][types]") {
  CHECK(outcome("struct C[T:copy] { v:T; }\nfn f(c:C[u8]) { }") == "ok");
  CHECK(outcome("struct C[T:copy] { v:T; }\nfn f(c:C[Buf[u8]]) { }") == "E-BOUND@2");
  CHECK(message("struct C[T:copy] { v:T; }\nfn f(c:C[Buf[u8]]) { }") ==
        "`Buf[u8]` is affine, not copy; C needs [T:copy].");
  CHECK(outcome("trait Tag { fn tag(self:ro<Self>); }\nstruct C[T:Tag] { v:T; }\nfn f(c:C[u8]) { }") ==
        "E-TRAIT-IMPL@3");
  CHECK(outcome("struct C[T:nothing] { v:T; }\nfn f(c:C[u8]) { }") == "E-TRAIT-IMPL@2");
}

TEST_CASE("a bound waits until a type that reaches itself is complete", "[check][types]") {
  CHECK(outcome("struct C[T:affine] { v:Buf[T]; }\nstruct A { c:C[A]; }") == "ok");
  CHECK(outcome("struct C[T:copy] { v:Buf[T]; }\nstruct A { c:C[A]; }") == "E-BOUND@2");
}

TEST_CASE("types that need ever new ones end the check", "[check][types]") {
  CHECK(outcome("struct C[T] { v:Buf[C[C[T]]]; }\nfn f(c:C[u8]) { }") == "E-EXPANSION-LIMIT@1");
}

TEST_CASE("the ownership of a type is the strictest of its parts", "[check][types]") {
  const auto program = judged(
      "struct A { x:u64; }\nstruct B { x:Buf[A]; }\nlinear struct L { x:u8; }\nenum S { X(L); Y; }\n"
      "fn f(a:A, b:B, c:Array[B, 2], d:S, e:Array[A, 2]) { }");
  REQUIRE(program->verdict.accepted());
  const auto& parameters = program->program.functions.back()->parameters;
  CHECK(parameters[0]->type->ownership == cairn::Ownership::Copy);
  CHECK(parameters[1]->type->ownership == cairn::Ownership::Affine);
  CHECK(parameters[2]->type->ownership == cairn::Ownership::Affine);
  CHECK(parameters[3]->type->ownership == cairn::Ownership::Linear);
  CHECK(parameters[4]->type->ownership == cairn::Ownership::Copy);
}

TEST_CASE("types show as messages spell them", "[check][types]") {
  const auto program = judged(
      "trait T { fn m(self:ro<Self>); }\nmodule m;\nstruct P[T, N:nat] { v:Array[T, N]; }\n"
      "fn f(n:usize, a:rw<u8>[n]@device, b:ro<P[u8, 3]>, c:fn(u64, rw<u8>) -> bool, d:ro<dyn T>, e:Dyn[T]) { }");
  REQUIRE(program->verdict.accepted());
  const auto& parameters = program->program.functions.back()->parameters;
  CHECK(parameters[1]->type->name == "rw<u8>[n]@device");
  CHECK(parameters[2]->type->name == "ro<m.P[u8, 3]>");
  CHECK(parameters[3]->type->name == "fn(u64, rw<u8>) -> bool");
  CHECK(parameters[4]->type->name == "ro<dyn T>");
  CHECK(parameters[5]->type->name == "Dyn[T]");
}
