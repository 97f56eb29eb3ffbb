#include <catch2/catch.hpp>

#include "tests/check/check.hpp"

using cairn::tests::judged;
using cairn::tests::message;
using cairn::tests::outcome;

namespace {
const std::string kWeigh =
    "trait Weigh { fn grams(self:ro<Self>) -> u64 pure; }\nstruct Brick { edge:u64; }\nstruct Pallet[T] { item:T; }\n";
}  // namespace

TEST_CASE("an impl defines exactly the members of a trait that exists", "[check][traits]") {
  CHECK(outcome(kWeigh + "impl Weigh for Brick { fn grams(self:ro<Brick>) -> u64 = 3; }") == "ok");
  CHECK(outcome(kWeigh + "impl Gone for Brick {\n fn grams(self:ro<Brick>) -> u64 = 3; }") == "E-TRAIT-IMPL@5");
  CHECK(outcome(kWeigh + "impl Weigh for Brick {\n fn tons(self:ro<Brick>) -> u64 = 3; }") == "E-TRAIT-IMPL@5");
  CHECK(message(kWeigh + "impl Weigh for Brick { fn tons(self:ro<Brick>) -> u64 = 3; }") ==
        "The impl of Weigh for Brick defines tons; the trait declares grams.");
  CHECK(outcome(kWeigh + "impl Weigh for Brick { fn grams(self:ro<Brick>) -> u64 = 3;\n"
                         "fn more(self:ro<Brick>) -> u64 = 3; }") == "E-TRAIT-IMPL@4");
}

TEST_CASE("a member has the trait's types with Self replaced; names may differ", "[check][traits]") {
  CHECK(outcome(kWeigh + "impl Weigh for Brick { fn grams(me:ro<Self>) -> u64 = 3; }") == "ok");
  CHECK(outcome(kWeigh + "impl Weigh for Brick { fn grams(self:rw<Brick>) -> u64 = 3; }") == "E-TRAIT-IMPL@4");
  CHECK(outcome(kWeigh + "impl Weigh for Brick { fn grams(self:ro<Brick>) -> u32 = 3; }") == "E-TRAIT-IMPL@4");
  CHECK(outcome(kWeigh + "impl Weigh for Brick { fn grams(self:ro<Brick>, x:u8) -> u64 = 3; }") == "E-TRAIT-IMPL@4");
  const std::string sums = "trait Sums { fn sum(self:ro<Self>, n:usize, xs:ro<u64>[n]) -> u64; }\n";
  CHECK(outcome(sums + "impl Sums for u8 { fn sum(self:ro<u8>, count:usize, all:ro<u64>[count]) -> u64 = 1; }") ==
        "ok");
  CHECK(outcome(sums + "impl Sums for u8 { fn sum(self:ro<u8>, count:usize, all:ro<u64>[4]) -> u64 = 1; }") ==
        "E-TRAIT-IMPL@2");
}

TEST_CASE("a member's own parameters are compared by position", "[check][traits]") {
  const std::string trait = "trait Fold { fn fold[T](self:ro<Self>, start:T) -> T; }\n";
  CHECK(outcome(trait + "impl Fold for u8 { fn fold[A](self:ro<u8>, start:A) -> A = start; }") == "ok");
  CHECK(outcome(trait + "impl Fold for u8 { fn fold[A](self:ro<u8>, start:A) -> u8 = 1; }") == "E-TRAIT-IMPL@2");
  CHECK(outcome(trait + "impl Fold for u8 { fn fold(self:ro<u8>, start:u8) -> u8 = 1; }") == "E-TRAIT-IMPL@2");
}

TEST_CASE("a member's own ceiling stays within the trait's", "[check][traits]") {
  const std::string trait = "trait Put { fn put(self:rw<Self>, by:u64) effects(trap, write:self); }\n";
  CHECK(outcome(trait + "impl Put for u8 { fn put(me:rw<u8>, by:u64) effects(write:me) { } }") == "ok");
  CHECK(outcome(trait + "impl Put for u8 { fn put(me:rw<u8>, by:u64) effects(io) { } }") == "E-TRAIT-IMPL@2");
  CHECK(outcome(kWeigh + "impl Weigh for u8 { fn grams(me:ro<u8>) -> u64 effects(read:me, trap) = 1; }") == "ok");
  const auto program = judged(trait + "impl Put for u8 { fn put(me:rw<u8>, by:u64) { } }");
  REQUIRE(program->verdict.accepted());
  REQUIRE(program->program.functions.back()->ceiling != nullptr);
  CHECK(program->program.functions.back()->ceiling->labels.back().text == "write:me");
}

TEST_CASE("one impl serves a type", "[check][traits]") {
  const std::string brick = "impl Weigh for Brick { fn grams(self:ro<Brick>) -> u64 = 3; }\n";
  CHECK(outcome(kWeigh + "impl[T] Weigh for T { fn grams(self:ro<T>) -> u64 = 0; }\n" + brick) == "E-TRAIT-OVERLAP@5");
  CHECK(outcome(kWeigh + "impl[T:unsigned] Weigh for T { fn grams(self:ro<T>) -> u64 = 0; }\n" + brick) == "ok");
  CHECK(outcome(kWeigh + "impl Weigh for m.B { fn grams(self:ro<m.B>) -> u64 = 3; }\n"
                         "impl Weigh for o.A { fn grams(self:ro<o.A>) -> u64 = 3; }\n"
                         "module m;\npub struct B { x:u8; }\nmodule o;\npub struct A { x:u8; }") == "ok");
}

TEST_CASE("a generic impl's parameters occur in its Self type", "[check][traits]") {
  CHECK(outcome(kWeigh + "impl[T] Weigh for Pallet[T] { fn grams(self:ro<Pallet[T]>) -> u64 = 0; }") == "ok");
  CHECK(outcome(kWeigh + "impl[T, U] Weigh for Pallet[T] { fn grams(self:ro<Pallet[T]>) -> u64 = 0; }") ==
        "E-TRAIT-IMPL@4");
  CHECK(outcome(kWeigh + "impl[T] Weigh for Pallet[T] { fn tons(self:ro<Pallet[T]>) -> u64 = 0; }") ==
        "E-TRAIT-IMPL@4");
}

TEST_CASE("a generic impl serves the types that keep its bounds", "[check][traits]") {
  const std::string impls = kWeigh +
                            "impl Weigh for Brick { fn grams(self:ro<Brick>) -> u64 = 3; }\n"
                            "impl[T:Weigh] Weigh for Pallet[T] { fn grams(self:ro<Pallet[T]>) -> u64 = 0; }\n"
                            "struct Needs[T:Weigh] { x:T; }\n";
  CHECK(outcome(impls + "fn f(x:Needs[Pallet[Pallet[Brick]]]) { }") == "ok");
  CHECK(outcome(impls + "fn f(x:Needs[Pallet[u8]]) { }") == "E-TRAIT-IMPL@7");
  CHECK(message(impls + "fn f(x:Needs[Pallet[u8]]) { }") ==
        "Pallet[u8] does not implement Weigh; Needs needs [T:Weigh].");
}

TEST_CASE("a bound that asks its own question has no answer", "[check][traits]") {
  CHECK(outcome("trait A { fn a(self:ro<Self>); }\ntrait B { fn b(self:ro<Self>); }\n"
                "impl[T:B] A for T { fn a(self:ro<T>) { } }\nimpl[T:A] B for T { fn b(self:ro<T>) { } }\n"
                "struct Needs[T:A] { x:T; }\nfn f(x:Needs[u8]) { }") == "E-TRAIT-OVERLAP@4");
}

TEST_CASE("a private trait of another module is not implemented", "[check][traits]") {
  CHECK(outcome("module m;\ntrait T { fn t(self:ro<Self>); }\nmodule n;\nimpl m.T for u8 { fn t(self:ro<u8>) { } }") ==
        "E-PRIVATE@4");
  CHECK(outcome(
            "module m;\npub trait T { fn t(self:ro<Self>); }\nmodule n;\nimpl m.T for u8 { fn t(self:ro<u8>) { } }") ==
        "ok");
}
