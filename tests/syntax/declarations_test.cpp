#include <catch2/catch.hpp>

#include "tests/syntax/parsing.hpp"

namespace cairn::syntax {

TEST_CASE("a declaration starts with one of its words", "[syntax][declarations]") {
  CHECK(verdict("") == "ok");
  CHECK(verdict("static X:u8 = 0;") == "E-DECLARATION 1:1");
  CHECK(verdict("pub static X:u8 = 0;") == "E-DECLARATION 1:5");
  CHECK(verdict("pub") == "E-DECLARATION 1:4");
  CHECK(verdict(";") == "E-DECLARATION 1:1");
  CHECK(verdict("let x = 1;") == "E-DECLARATION 1:1");
  CHECK(verdict("test {}") == "E-DECLARATION 1:1");
  CHECK(verdict("layout L u8;") == "E-DECLARATION 1:1");
  CHECK(verdict("pub module m; pub import n; pub test t {} pub derive eq for P;") == "ok");
}

TEST_CASE("an alias stands in packaged modules only", "[syntax][declarations]") {
  CHECK(verdict("type f32x2 = Pair[f32];") == "E-DECLARATION 1:1");
  CHECK(verdict("pub type f32x2 = Pair[f32];") == "E-DECLARATION 1:5");
  CHECK(verdict("pub type f32x2 = Pair[f32];", {.packaged = true}) == "ok");
  Parsed parsed;
  parsed.sources.add("std.pair", "module std.pair; pub type f32x2 = Pair[f32];", true, false);
  CHECK(parse(parsed.sources, 0, 1, parsed.names, parsed.arena).declarations.size() == 2);
}

TEST_CASE("modules, imports and constants", "[syntax][declarations]") {
  CHECK(verdict("module a.b; import c.d as e (f, g); import h (); import i; const N:u64 = 1;") == "ok");
  CHECK(verdict("module a.fn;") == "E-NAME 1:10");
  CHECK(verdict("module a") == "E-PARSE 1:9");
  CHECK(verdict("import a (b,);") == "E-NAME 1:13");
  CHECK(verdict("import a as pub;") == "E-NAME 1:13");
  CHECK(verdict("const N = 1;") == "E-PARSE 1:9");
  CHECK(verdict("const N:u64;") == "E-PARSE 1:12");
}

TEST_CASE("records have fields, an alignment, one lent view", "[syntax][declarations]") {
  CHECK(verdict("struct P { x:u8; y:Buf[u8]; z:Buf[u8][n]; }") == "ok");
  CHECK(verdict("linear struct L[T, N:nat] packed { x:T; }") == "ok");
  CHECK(verdict("pub linear struct L align(64) { x:u8; lends x[0..n]; }") == "ok");
  CHECK(verdict("struct P { }") == "ok");  // refused by meaning
  CHECK(verdict("struct P align(48) { x:u8; }") == "E-ALIGN 1:1");
  CHECK(verdict("pub struct P align(4) { x:u8; }") == "E-ALIGN 1:1");
  CHECK(verdict("struct P align(65536) { x:u8; }") == "ok");
  CHECK(verdict("struct P align(131072) { x:u8; }") == "E-ALIGN 1:1");
  CHECK(verdict("struct P align(18446744073709551624) { x:u8; }") == "E-ALIGN 1:1");
  CHECK(verdict("struct P align(0x40) { x:u8; }") == "E-STATIC 1:16");
  CHECK(verdict("struct P align(N) { x:u8; }") == "E-STATIC 1:16");
  CHECK(verdict("struct P packed align(8) { x:u8; }") == "E-PARSE 1:17");
  CHECK(verdict("struct P { x:u8 }") == "E-PARSE 1:17");
  CHECK(verdict("struct P { x u8; }") == "E-PARSE 1:14");
  CHECK(verdict("struct P { lends a[0..b]; lends c[d..4]; }") == "E-LENDS 1:33");
  CHECK(verdict("struct P { lends a[0x0..b]; }") == "E-NAME 1:20");
  CHECK(verdict("struct P { lends:u8; }") == "ok");
  CHECK(verdict("linear enum E { A; }") == "E-PARSE 1:8");
  CHECK(verdict("struct P {\n x:u8;\n") == "E-PARSE 3:1");
}

TEST_CASE("sums have variants with at most one payload", "[syntax][declarations]") {
  CHECK(verdict("enum S[T, E] { Ok(T); Err(E); None; }") == "ok");
  CHECK(verdict("enum S { A(u8, u8); }") == "E-PARSE 1:14");
  CHECK(verdict("enum S { A, B }") == "E-PARSE 1:11");
  CHECK(verdict("enum S { A(); }") == "E-NAME 1:12");
}

TEST_CASE("functions have a head, a ceiling and a body", "[syntax][declarations]") {
  CHECK(verdict("fn f[T:copy + m.Eq, N:nat, U:type](x:T, y:rw<u8>[N]@device) -> u8 effects(pure, ffi:write) { }") ==
        "ok");
  CHECK(verdict("kernel fn k() { }") == "ok");
  CHECK(verdict("fn f[]() {}") == "ok");
  CHECK(verdict("fn f() -> u8 = 1;") == "ok");
  CHECK(verdict("fn f() = 1;") == "E-EXPRESSION-BODY 1:1");
  CHECK(verdict("pub fn f() = 1;") == "E-EXPRESSION-BODY 1:1");
  CHECK(verdict("fn f() -> void = g();") == "E-EXPRESSION-BODY 1:1");
  CHECK(verdict("fn f(x) {}") == "E-PARSE 1:7");
  CHECK(verdict("fn f(x:u8,) {}") == "E-NAME 1:11");
  CHECK(verdict("fn f(fn:u8) {}") == "E-NAME 1:6");
  CHECK(verdict("fn f[T:linear](x:T) {}") == "E-NAME 1:8");
  CHECK(verdict("fn f[T,](x:T) {}") == "E-NAME 1:8");
  CHECK(verdict("fn f();") == "E-PARSE 1:7");
  CHECK(verdict("kernel struct k {}") == "E-PARSE 1:8");
  CHECK(verdict("fn f() pure effects() {}") == "E-PARSE 1:13");
  CHECK(verdict("fn f() effects(io,) {}") == "E-PARSE 1:19");
  CHECK(verdict("fn if() {}") == "E-NAME 1:4");
}

TEST_CASE("types", "[syntax][types]") {
  const auto type = [](const std::string& text) { return verdict("fn f(x:" + text + ") {}"); };
  CHECK(type("ro<u8>") == "ok");
  CHECK(type("rw<Buf[Option[u8]]>[n]@unified") == "ok");
  CHECK(type("ro<fn(u8, ro<T>) -> u8>") == "ok");
  CHECK(type("dyn a.Tr") == "ok");
  CHECK(type("ro<ro<u8>>") == "ok");  // refused by meaning
  CHECK(type("Array[u8, 4]") == "ok");
  CHECK(type("ro<u8>[0x4]") == "E-NAME 1:15");
  CHECK(type("ro<u8>[n + 1]") == "E-PARSE 1:17");
  CHECK(type("Array[u8, 0x4]") == "E-NAME 1:18");
  CHECK(type("ro<u8>@host") == "E-PARSE 1:14");
  CHECK(type("ro<u8>[n]@gpu") == "E-PLACE 1:18");
  CHECK(type("ro<u8>[n]@") == "E-PLACE 1:18");
  CHECK(type("ro u8") == "E-PARSE 1:11");
  CHECK(type("&u8") == "E-NAME 1:8");
  CHECK(type("u8[4][4]") == "E-PARSE 1:13");
  CHECK(type("Buf[u8,]") == "E-NAME 1:15");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "Buf[";
  CHECK(type(deep).starts_with("E-DEPTH"));
}

TEST_CASE("traits have members without bodies, impls with", "[syntax][declarations]") {
  CHECK(verdict("trait T { fn a(x:Self) -> u8 pure; fn b[U](); }") == "ok");
  CHECK(verdict("trait T[U] { }") == "E-PARSE 1:8");
  CHECK(verdict("trait T { fn a() {} }") == "E-PARSE 1:18");
  CHECK(verdict("trait T { const N:u8; }") == "E-PARSE 1:11");
  CHECK(verdict("impl[T:copy] m.Eq for Cell[T] { fn a(x:Self) -> u8 = 1; fn b() implements c {} }") == "ok");
  CHECK(verdict("impl Eq for P { pub fn a() {} }") == "E-PARSE 1:17");
  CHECK(verdict("impl Eq for P { fn a() {} fn b() {} fn a() {} }") == "E-DUPLICATE 1:37");
  CHECK(verdict("impl Eq for P[u8] { fn a() {} } impl Eq for P[u16] { fn a() {} } impl Or for P[u8] { fn a() {} }") ==
        "ok");
  CHECK(verdict("impl Eq for P[ u8 ] { fn a() {} }\nimpl Eq for P[u8] { fn a() {} }") == "E-DUPLICATE 2:21");
}

TEST_CASE("foreign functions name one C symbol and have no body", "[syntax][declarations]") {
  CHECK(verdict("extern fn getpid() -> i32 effects(io);") == "ok");
  CHECK(verdict("pub extern \"get$pid.v@2\" fn g(x:ro<u8>[n], n:usize) -> i32;") == "ok");
  CHECK(verdict("extern \"k\" fn k(n:usize) launch(n, 256) effects();") == "ok");
  CHECK(verdict("extern fn k(n:usize) launch(1024, 32);") == "ok");
  CHECK(verdict("extern \"get pid\" fn f() effects(io);") == "E-EXTERN 1:8");
  CHECK(verdict("extern \"\" fn f() effects(io);") == "E-EXTERN 1:8");
  CHECK(verdict("extern \"9f\" fn f() effects(io);") == "E-EXTERN 1:8");
  CHECK(verdict("extern fn f[T](x:T) effects(io);") == "E-EXTERN 1:1");
  CHECK(verdict("extern fn f() { }") == "E-PARSE 1:15");
  CHECK(verdict("extern fn k(n:usize) launch(n, n);") == "E-STATIC 1:32");
}

TEST_CASE("implementations", "[syntax][declarations]") {
  CHECK(verdict("fn g[W:nat](n:usize) implements f when n % W == 0 tune W in [2, 4], V in [] needs(bf16, tma) {}") ==
        "ok");
  CHECK(verdict("fn g() -> u8 pure implements m.f = 1;") == "ok");
  CHECK(verdict("fn g() implements f tune W in [0x2] {}") == "E-STATIC 1:32");
  CHECK(verdict("fn g() implements f tune W in [2,] {}") == "E-STATIC 1:34");
  CHECK(verdict("fn g() implements {}") == "E-NAME 1:19");
  CHECK(verdict("trait T { fn g() implements f; }") == "E-PARSE 1:18");
  CHECK(verdict("extern fn g() implements f;") == "E-PARSE 1:15");
}

TEST_CASE("plans select an implementation or schedule regions", "[syntax][declarations]") {
  CHECK(verdict("plan f use g; plan m.f use g[1, 2]; plan f { grain 64; lanes 4; } plan f {}") == "ok");
  CHECK(verdict("plan f { grain 64; grain 32; }") == "E-PLAN 1:20");
  CHECK(verdict("plan f { grain x; }") == "E-PLAN 1:10");
  CHECK(verdict("plan f { grain 0x40; }") == "E-PLAN 1:10");
  CHECK(verdict("plan f { 64; }") == "E-PLAN 1:10");
  CHECK(verdict("plan f { grain 64 }") == "E-PARSE 1:19");
  CHECK(verdict("plan f use g[x];") == "E-STATIC 1:14");
  CHECK(verdict("plan f;") == "E-PARSE 1:7");
}

TEST_CASE("derivations, families and layouts", "[syntax][declarations]") {
  CHECK(verdict("derive eq for P; derive m.ladder[2, 5]; derive every[m.even] for m.P; derive grad[w, b] for f;") ==
        "ok");
  CHECK(verdict("derive ladder[0x2];") == "E-NAME 1:15");
  CHECK(verdict("derive eq P;") == "E-PARSE 1:11");
  CHECK(verdict("pub family g = m.f[0..4];") == "ok");
  CHECK(verdict("family g = f[0..N];") == "E-STATIC 1:17");
  CHECK(verdict("family g = f[0, 4];") == "E-PARSE 1:15");
  CHECK(verdict("layout L = rows(4, 8);") == "ok");
}

TEST_CASE("a test has a name and a block", "[syntax][declarations]") {
  CHECK(verdict("test t { assert(true); } fn t() {} module m; test t {}") == "ok");
  CHECK(verdict("test t(x:u8) {}") == "E-TEST 1:7");
  CHECK(verdict("test t -> u8 {}") == "E-TEST 1:8");
  CHECK(verdict("test t {}\ntest t {}") == "E-TEST 2:8");
}

TEST_CASE("two declarations of one module share no name", "[syntax][declarations]") {
  CHECK(verdict("struct A { x:u8; }\nconst B:u8 = 1;\npub fn A() {}") == "E-DUPLICATE 3:1");
  CHECK(verdict("fn a() {} module m; fn a() {} module n; fn a() {}") == "ok");
  CHECK(verdict("module m; fn a() {} module n; module m; fn a() {}") == "E-DUPLICATE 1:41");
  CHECK(verdict("fn a() {} family a = f[0..1];") == "E-DUPLICATE 1:11");
  CHECK(verdict("fn a() {} layout a = rows(1, 1);") == "E-DUPLICATE 1:11");
  CHECK(verdict("fn a() {} recipe a {}") == "E-DUPLICATE 1:11");
  CHECK(verdict("fn a() {} trait a {} ") == "E-DUPLICATE 1:11");
  CHECK(verdict("fn a() {} fn a() { # }") == "E-LEX 1:20");
  CHECK(verdict("fn a() {} fn a() { let }") == "E-NAME 1:24");
}

TEST_CASE("files of a project are one text; those of others start in the root module", "[syntax][declarations]") {
  const auto modules = [](bool second_own, bool second_library) {
    Parsed parsed;
    parsed.sources.add("a.cairn", "module m; fn a() {}");
    parsed.sources.add("b.cairn", "fn b() {}", second_library, second_own);
    const Program program = parse(parsed.sources, 0, 2, parsed.names, parsed.arena);
    return std::string(parsed.names.text(program.declarations.back()->module));
  };
  CHECK(modules(true, false) == "m");
  CHECK(modules(false, false).empty());
  CHECK(modules(false, true).empty());
  Parsed split;
  split.sources.add("a.cairn", "fn a() { f(1,");
  split.sources.add("b.cairn", "2); }");
  CHECK(parse(split.sources, 0, 2, split.names, split.arena).declarations.size() == 1);
}

TEST_CASE("a declaration stands at pub and knows its module", "[syntax][positions]") {
  Parsed parsed;
  parse_into(parsed, "module a.b;\n  pub kernel fn f() {}\nfn g() -> u8 = 1 + 2;\n");
  const auto declarations = parsed.program.declarations;
  CHECK(parsed.names.text(declarations[1]->module) == "a.b");
  CHECK(declarations[1]->is_public);
  CHECK_FALSE(declarations[2]->is_public);
  CHECK(parsed.sources.locate(declarations[1]->position).column == 3);
  CHECK(parsed.sources.text(declarations[1]->span) == "pub kernel fn f() {}");
  const Block& body = *declarations[2]->as<FunctionDecl>().body;
  CHECK(parsed.sources.text(body.span) == "1 + 2");
  CHECK(parsed.sources.locate(body.statements[0]->position).column == 16);
}

TEST_CASE("effect labels are tokens joined by colons", "[syntax][declarations]") {
  Parsed parsed;
  parse_into(parsed, "fn f() effects(pure, read:xs, ffi : write, a:b:c) {}");
  const auto labels = parsed.program.declarations[0]->as<FunctionDecl>().signature.ceiling.labels;
  REQUIRE(labels.size() == 4);
  CHECK(labels[0].text == "pure");
  CHECK(labels[1].text == "read:xs");
  CHECK(labels[2].text == "ffi:write");
  CHECK(labels[3].text == "a:b:c");
}

}  // namespace cairn::syntax
