#include <catch2/catch.hpp>

#include "tests/syntax/parsing.hpp"

namespace cairn::syntax {

TEST_CASE("a reduction binds its total or writes it to an element", "[syntax][regions]") {
  CHECK(in_body("let t = reduce + for i in n yield xs[i];") == "ok");
  CHECK(in_body("let t:u64 = reduce max parallel i in n yield xs[i];") == "ok");
  CHECK(in_body("reduce + out[0] for i in n yield xs[i];") == "ok");
  CHECK(in_body("let t = reduce + warp yield v;") == "ok");
  CHECK(in_body("reduce + warp[0] for i in n yield xs[i];") == "ok");
  CHECK(in_body("let t = reduce + out[0] for i in n yield xs[i];") == "E-COLLECT-BINDING 2:1");
  CHECK(in_body("reduce + for i in n yield xs[i];") == "E-COLLECT-BINDING 2:1");
  CHECK(in_body("reduce + warp yield v;") == "E-COLLECT-BINDING 2:1");
  CHECK(in_body("let mut t = reduce + for i in n yield xs[i];") == "E-COLLECT-BINDING 2:1");
  CHECK(in_body("reg t = reduce + for i in n yield xs[i];") == "E-COLLECT-BINDING 2:1");
  CHECK(in_body("let t = reduce - for i in n yield xs[i];") == "E-REDUCE-OP 2:16");
  CHECK(in_body("let t = reduce sum for i in n yield xs[i];") == "E-REDUCE-OP 2:16");
  CHECK(in_body("let t = reduce + i in n yield xs[i];") == "E-PARSE 2:20");
  CHECK(in_body("let t = reduce + ;") == "E-PARSE 2:18");
  CHECK(in_body("let t = 1 + reduce + for i in n yield xs[i];") == "E-NAME 2:13");
}

TEST_CASE("a scan is one only where its form follows", "[syntax][regions]") {
  CHECK(in_body("scan + out for i in n yield xs[i];") == "ok");
  CHECK(in_body("let t = scan max exclusive out parallel i in n yield xs[i];") == "ok");
  Parsed parsed;
  parse_into(
      parsed,
      "fn f() { scan + exclusive for i in n yield 1; scan + exclusive out for i in n yield 1; let y = scan + out; }");
  const auto statements = parsed.program.declarations[0]->as<FunctionDecl>().body->statements;
  CHECK_FALSE(statements[0]->as<ScanStmt>().exclusive);
  CHECK(parsed.names.text(statements[0]->as<ScanStmt>().output.name) == "exclusive");
  CHECK(statements[1]->as<ScanStmt>().exclusive);
  CHECK(statements[2]->as<LetStmt>().value->kind == ExprKind::Binary);
  CHECK(in_body("let mut t = scan + out for i in n yield 1;") == "E-COLLECT-BINDING 2:1");
  CHECK(in_body("scan + out for in n yield 1;") == "E-NAME 2:16");
}

TEST_CASE("a compact is bound", "[syntax][regions]") {
  CHECK(in_body("let k = compact out for i in n where xs[i] > 0 yield xs[i];") == "ok");
  CHECK(in_body("compact out for i in n where xs[i] > 0 yield xs[i];") == "E-COLLECT-BINDING 2:1");
  CHECK(in_body("let mut k = compact out for i in n where a yield b;") == "E-COLLECT-BINDING 2:1");
  CHECK(in_body("let k = compact out parallel i in n where a yield b;") == "E-PARSE 2:21");
  CHECK(in_body("let k = compact out for i in n yield b;") == "E-PARSE 2:32");
}

TEST_CASE("regions and spawns name what they come after", "[syntax][regions]") {
  CHECK(in_body("parallel i in n { }") == "ok");
  CHECK(in_body("let t = spawn parallel i in n after a, b { };") == "ok");
  CHECK(in_body("let t = spawn transfer(a, b) after c;") == "ok");
  CHECK(in_body("let t = spawn f(x);") == "ok");
  CHECK(in_body("spawn f(x) after 1 into g;") == "E-NAME 2:18");
  CHECK(in_body("let k = spawn blocks b in g threads t in 32 { };") == "E-PARSE 2:22");
}

TEST_CASE("a cooperative region has as many extents as names", "[syntax][regions]") {
  CHECK(in_body("blocks b in g threads t in 64 { barrier; }") == "ok");
  CHECK(in_body("blocks bx, by in gx, gy threads tx, ty in 8, 8 { } then threads t in 32 { }") == "ok");
  CHECK(in_body("blocks bx, by in gx threads t in 64 { }") == "E-PARSE 2:21");
  CHECK(in_body("blocks b in gx, gy threads t in 64 { }") == "E-PARSE 2:15");
  CHECK(in_body("blocks b in g threads t in 8, 8 { }") == "E-PARSE 2:29");
  CHECK(in_body("blocks b in g lanes t in 8 { }") == "E-PARSE 2:15");
  CHECK(in_body("blocks b in g threads t in 8 { } then = 3;") == "ok");
  CHECK(in_body("shared tile:u32[64] = zeroed; shared raw:f32[K * 2]; pipeline p:f32[128] depth 3;") == "ok");
  CHECK(in_body("shared tile:u32[64] = 0;") == "E-PARSE 2:23");
  CHECK(in_body("pipeline p:f32[128];") == "E-PARSE 2:20");
}

TEST_CASE("typed assembly names outputs, then inputs", "[syntax][regions]") {
  CHECK(in_body("asm x86_64 \"nop\";") == "ok");
  CHECK(in_body("asm volatile x86_64 \"movq %1, %0\" (out r:u64, x + 1) clobbers(rax, rbx) effects(fence, read:xs);") ==
        "ok");
  CHECK(in_body("asm ptx sm_90 \"x %0 %1;\" (out r:u32 = y, z,) effects(io,);") == "ok");
  CHECK(in_body("asm x86_64 \"x\" ();") == "ok");
  CHECK(in_body("asm x86_64 \"x\" (x, out r:u64);") == "E-ASM-OPERANDS 2:20");
  CHECK(in_body("asm x86_64 (x);") == "E-PARSE 2:12");
  CHECK(in_body("asm x86_64 \"\\q\";") == "E-LEX 2:12");
  CHECK(in_body("asm x86_64 \"x\" clobbers(rax,);") == "E-NAME 2:29");
  CHECK(in_body("asm(\"nop\");") == "ok");
}

}  // namespace cairn::syntax
