#include <catch2/catch.hpp>

#include "tests/check/check.hpp"

using cairn::CheckOptions;
using cairn::tests::judged;
using cairn::tests::message;
using cairn::tests::outcome;

TEST_CASE("a second declaration of a name is refused at it, a test of that name is not", "[check][names]") {
  CHECK(outcome("fn a() { }\nstruct a { x:u64; }") == "E-DUPLICATE@2");
  CHECK(outcome("fn a() { }\ntest a { }") == "ok");
  CHECK(outcome("module m;\nfn a() { }\nmodule n;\nfn a() { }") == "ok");
}

TEST_CASE("the root may not take the language's own names, a module may", "[check][names]") {
  CHECK(outcome("fn len() { }") == "E-BUILTIN-NAME@1");
  CHECK(outcome("struct u8 { x:u64; }") == "E-BUILTIN-NAME@1");
  CHECK(outcome("enum Buf { A; }") == "E-BUILTIN-NAME@1");
  CHECK(outcome("trait MmaAcc { }") == "E-BUILTIN-NAME@1");
  CHECK(outcome("fn sqrt(x:f64) -> f64 = x;") == "ok");
  CHECK(outcome("module m;\nfn len() { }\nfn min(a:u64) -> u64 = a;") == "ok");
}

TEST_CASE("only modules of the project and packaged ones are imported", "[check][names]") {
  CHECK(outcome("import std.tiny;") == "ok");
  CHECK(outcome("import std.gone;") == "E-IMPORT@1");
  CHECK(outcome("fn f() { }\nmodule a.b;\nimport c;\nmodule c;\nimport a.b;") == "ok");
}

TEST_CASE("packaged modules bring what they import themselves", "[check][names]") {
  CHECK(outcome("import std.user (Holds);\nstruct Mine { h:Holds; }") == "ok");
}

TEST_CASE("an imported name may not meet a declaration of the importing module", "[check][names]") {
  CHECK(outcome("import std.tiny (Option);\nstruct Option { x:u64; }") == "E-DUPLICATE@1");
  CHECK(outcome("import std.tiny (Option);\nstruct Maybe { x:Option[u64]; }") == "ok");
}

TEST_CASE("a name is found by import, by alias, in its own module, then in the root", "[check][names]") {
  CHECK(outcome("import std.tiny;\nstruct A { x:tiny.Option[u64]; }") == "ok");
  CHECK(outcome("import std.tiny as t;\nstruct A { x:t.Option[u64]; }") == "ok");
  CHECK(outcome("import std.tiny as t;\nstruct A { x:std.tiny.Option[u64]; }") == "ok");
  CHECK(outcome("import std.tiny;\nstruct A { x:Option[u64]; }") == "E-TYPE@2");
  CHECK(outcome("struct Root { x:u64; }\nmodule m;\nstruct A { x:Root; }") == "ok");
  CHECK(outcome("module m;\npub struct In { x:u64; }\nmodule n;\nstruct A { x:m.In; }") == "ok");
  CHECK(outcome("module m;\npub struct In { x:u64; }\nmodule n;\nstruct A { x:In; }") == "E-TYPE@4");
}

TEST_CASE("a private name of another module is refused, one of the root is not", "[check][names]") {
  CHECK(outcome("module m;\nstruct In { x:u64; }\nmodule n;\nstruct A { x:m.In; }") == "E-PRIVATE@4");
  CHECK(message("module m;\nstruct In { x:u64; }\nmodule n;\nstruct A { x:m.In; }") == "m.In is private to module m.");
  CHECK(outcome("struct In { x:u64; }\nmodule n;\nstruct A { x:In; }") == "ok");
  CHECK(outcome("import std.tiny (Hidden);\nstruct A { x:Hidden; }") == "E-PRIVATE@2");
}

TEST_CASE("a type alias of a packaged module is its target", "[check][names]") {
  const auto program = judged("import std.tiny (bytes);\nfn f(x:bytes) { }");
  REQUIRE(program->verdict.accepted());
  REQUIRE(program->program.functions.front()->name == "f");
  CHECK(program->program.functions.front()->parameters.front()->type->name == "std.tiny.Cell[u8]");
  CHECK(outcome("import std.tiny (bytes);\nfn f(x:bytes[u8]) { }") == "E-GENERIC-ARITY@2");
  CHECK(outcome("type bytes = u8;") == "E-DECLARATION@1");
}

TEST_CASE("an executable has one main without parameters that returns i32", "[check][names]") {
  CheckOptions run;
  run.want_main = true;
  CHECK(outcome("fn main() -> i32 { return 0; }", run) == "ok");
  CHECK(outcome("fn f() { }", run) == "E-PROJECT-OR-ENVIRONMENT");
  CHECK(outcome("fn main() { }", run) == "E-PROJECT-OR-ENVIRONMENT");
  CHECK(outcome("fn main(x:i32) -> i32 { return x; }", run) == "E-PROJECT-OR-ENVIRONMENT");
  CHECK(outcome("module m;\nfn main() -> i32 { return 0; }", run) == "ok");
  CHECK(outcome("module m;\nfn main() -> i32 { return 0; }\nmodule n;\nfn main() -> i32 { return 0; }", run) ==
        "E-PROJECT-OR-ENVIRONMENT");
  CHECK(outcome("fn main() -> i32 { return 0; }\nmodule n;\nfn main() { }", run) == "ok");
}
