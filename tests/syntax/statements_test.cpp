#include <catch2/catch.hpp>

#include "tests/syntax/parsing.hpp"

namespace cairn::syntax {

namespace {

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

/// The tree dump of a body's statements, without places.
std::string body(const std::string& statements) {
  std::string out;
  const std::string dump = tree("fn f() { " + statements + " }");
  for (std::size_t at = dump.find('\n') + 1; at < dump.size();) {
    const std::size_t newline = dump.find('\n', at);
    std::string line = dump.substr(at, newline - at);
    at = newline + 1;
    const std::size_t text = line.find_first_not_of(' ');
    if (line[text] >= '0' && line[text] <= '9') line.erase(text, line.find(' ', text) + 1 - text);
    out += line.substr(2) + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("let binds a name or takes a record apart", "[syntax][statements]") {
  CHECK(body("let x = 1;") == "let x = 1\n");
  CHECK(body("let mut x:u8 = 1;") == "let-mut x : u8 = 1\n");
  CHECK(body("reg x = 1;") == "let-mut x = 1\n");
  CHECK(body("let P(a, b) = p;") == "unpack P a b = p\n");
  CHECK(body("let mut m.P(a) = p;") == "unpack-mut m.P a = p\n");
  CHECK(body("let _ = f();") == "let _ = (call f)\n");
  CHECK(in_body("let stack = 2;") == "E-NAME 2:5");
  CHECK(in_body("let 3 = 2;") == "E-NAME 2:5");
  CHECK(in_body("let x 2;") == "E-PARSE 2:7");
  CHECK(in_body("let x = 1\nlet y = 2;") == "E-PARSE 3:1");
  CHECK(in_body("let P[u8](a) = p;") == "E-PARSE 2:6");
  CHECK(in_body("let P(a,) = p;") == "E-NAME 2:9");
  CHECK(in_body("let P(let) = p;") == "E-NAME 2:7");
}

TEST_CASE("assignments are statements", "[syntax][statements]") {
  CHECK(body("x = 1;") == "assign x 1\n");
  CHECK(body("xs[i].a = b;") == "assign (. (index xs i) a) b\n");
  CHECK(body("x += 1;") == "assign += x 1\n");
  CHECK(body("x ^= a | b;") == "assign ^= x (| a b)\n");
  CHECK(body("a + b = c;") == "assign (+ a b) c\n");  // refused by meaning
  CHECK(in_body("x = y = 1;") == "E-PARSE 2:7");
  CHECK(in_body("x +%= 1;") == "E-NAME 2:4");
  CHECK(in_body("x++;") == "E-NAME 2:3");
}

TEST_CASE("conditions take no parentheses and branches take braces", "[syntax][statements]") {
  CHECK(body("if a { b(); }") == "if a\n  do (call b)\n");
  CHECK(body("if a {} else if b {} else { c(); }") == "if a\nelse-if b\nelse\n  do (call c)\n");
  CHECK(in_body("if a b();") == "E-PARSE 2:6");
  CHECK(in_body("if x = 1 {}") == "E-PARSE 2:6");
  CHECK(in_body("if a {} else b();") == "E-PARSE 2:14");
  CHECK(in_body("else {}") == "E-NAME 2:1");
  CHECK(body("while a { break; continue; }") == "while a\n  break\n  continue\n");
  CHECK(in_body("break") == "E-PARSE 3:1");
}

TEST_CASE("loops walk a range, elements, or elements with their positions", "[syntax][statements]") {
  CHECK(body("for i in 0..n {}") == "for i 0 n\n");
  CHECK(body("for i in a..b + 1 {}") == "for i a (+ b 1)\n");
  CHECK(body("each i in n {}") == "for i 0 n\n");
  CHECK(body("for x in r.xs {}") == "for-each x in (. r xs)\n");
  CHECK(body("for i, x in xs {}") == "for-each i x in xs\n");
  CHECK(in_body("for i, x in 0..n {}") == "E-PARSE 2:14");
  CHECK(in_body("for 1 in 0..n {}") == "E-NAME 2:5");
  CHECK(in_body("for i = 0..n {}") == "E-PARSE 2:7");
}

TEST_CASE("each is a name wherever none of its forms begins", "[syntax][statements]") {
  CHECK(body("let each = 12; each = each + 1; f(each);") ==
        "let each = 12\nassign each (+ each 1)\ndo (call f each)\n");
  CHECK(body("each each in each {}") == "for each 0 each\n");
}

TEST_CASE("an arm without braces is one simple statement", "[syntax][statements]") {
  CHECK(body("match l { On => return 1; Off => x = 2; m.Mid(v) => { f(v); } Low(_) => g(); }") ==
        "match l\n  arm On\n    return 1\n  arm Off\n    assign x 2\n  arm m.Mid v\n    do (call f v)\n"
        "  arm Low _\n    do (call g)\n");
  CHECK(body("match l {}") == "match l\n");
  for (const char* statement : {"while a {}", "let x = 1;", "if a {}", "for i in 0..n {}", "match a {}", "defer f();",
                                "unsafe {}", "buffer b:u8[1] = zeroed;", "parallel i in n {}", "barrier;", "reg x = 1;",
                                "reduce + xs[0] for i in n yield 1;", "scan + xs for i in n yield 1;"}) {
    CHECK(in_body("match l { On => " + std::string(statement) + " }") == "E-PARSE 2:17");
  }
  CHECK(in_body("match l { On => spawn f() into g; }") == "E-PARSE 2:27");
  CHECK(in_body("match l { On => {}; }") == "E-NAME 2:19");
  CHECK(in_body("match l { On return; }") == "E-PARSE 2:14");
  CHECK(in_body("match l { On(a, b) => return; }") == "E-PARSE 2:15");
  CHECK(in_body("match l { 1 => return; }") == "E-NAME 2:11");
}

TEST_CASE("return, defer, unsafe and blocks", "[syntax][statements]") {
  CHECK(body("return;") == "return\n");
  CHECK(body("defer f(x);") == "defer\n  do (call f x)\n");
  CHECK(body("unsafe { f(); }") == "unsafe\n  do (call f)\n");
  CHECK(body("{ { } }") == "block\n  block\n");
  CHECK(body("spawn f(x) into g;") == "into g (spawn (call f x))\n");
  CHECK(in_body("f(x) into g;") == "E-PARSE 2:6");
  CHECK(in_body("into = 1;") == "ok");
}

TEST_CASE("the last bracket of a buffer is its capacity", "[syntax][statements]") {
  CHECK(body("buffer b:u8[2 * n] = zeroed;") == "buffer b:u8[(2 * n)] = zeroed\n");
  CHECK(body("buffer p:Pair[u8][n] = zeroed;") == "buffer p:Pair[u8][n] = zeroed\n");
  CHECK(body("stack s:a.T[4] = zeroed;") == "stack s:a.T[4] = zeroed\n");
  CHECK(body("buffer f:fn(u8) -> Option[u8][4] = zeroed;") == "buffer f:fn(u8) -> Option[u8][4] = zeroed\n");
  CHECK(body("buffer b:u8[xs[0]]@device = zeroed;") == "buffer b:u8[xs[0]]@device = zeroed\n");
  CHECK(in_body("buffer b:u8 = zeroed;") == "E-PARSE 2:13");
  CHECK(in_body("buffer b:u8[4];") == "E-PARSE 2:15");
  CHECK(in_body("buffer b:u8[4] = 0;") == "E-PARSE 2:18");
  CHECK(in_body("buffer b:Pair[2 * n][4] = zeroed;") == "E-PARSE 2:21");
  CHECK(in_body("buffer b:u8[4]@gpu = zeroed;") == "E-PLACE 2:16");
}

TEST_CASE("contextual words stay names elsewhere", "[syntax][statements]") {
  CHECK(in_body("let test = 1; let plan = 2; let recipe = 3; let layout = 4; let out = 5; let scan = 6;") == "ok");
  CHECK(in_body("let shared = 1; let pipeline = 2; let barrier = 3; let blocks = 4; let threads = 5;") == "ok");
  CHECK(in_body("test(1); plan = 2; shared.x = 1; blocks[0] = 2; barrier(); barrier = 3; asm(\"nop\");") == "ok");
  CHECK(in_body("let after = 1; let t = spawn f(after); after = 2;") == "ok");
  CHECK(in_body("let scan = 1; scan = scan + out; let x = scan + out;") == "ok");
  CHECK(in_body("let warp = 1; let depth = 2; let then = 3; then = depth; let exclusive = 1; let into = 2;") == "ok");
  CHECK(in_body("let host = 1; let device = 2; let when = 3; let tune = 4; let needs = 5; let use = 6;") == "ok");
  CHECK(verdict("struct S { lends:u64; packed:u64; align:u64; launch:u64; }") == "ok");
  CHECK(verdict("fn test() {} fn plan() {} fn recipe() {} fn layout() {} fn require() {} fn fold() {}") == "ok");
}

TEST_CASE("a block is closed before the text ends", "[syntax][statements]") {
  CHECK(verdict("fn f() {\n  if a {\n  }\n") == "E-PARSE 4:1");
  CHECK(message("fn f() {\n  if a {\n").find("line 2") != std::string::npos);
  CHECK(verdict("fn f() {\n}\n}\n") == "E-DECLARATION 3:1");
}

TEST_CASE("statements nest to a limit that no input passes", "[syntax][statements]") {
  CHECK(in_body(repeated("{", 255) + repeated("}", 255)) == "ok");
  CHECK(in_body(repeated("{", 256)) == "E-DEPTH 2:256");
  CHECK(in_body(repeated("if a {", 100000)).starts_with("E-DEPTH"));
  CHECK(in_body(repeated("defer ", 100000)).starts_with("E-DEPTH"));
  CHECK(in_body(repeated("match a { B => {", 100000)).starts_with("E-DEPTH"));
  CHECK(in_body("if a {}" + repeated(" else if a {}", 1024)) == "ok");
  CHECK(in_body("if a {}" + repeated(" else if a {}", 100000)).starts_with("E-DEPTH"));
  CHECK(in_body(repeated("if a {} else if b { ", 100000)).starts_with("E-DEPTH"));
}

TEST_CASE("statements stand at their first token and span to their last", "[syntax][positions]") {
  Parsed parsed;
  parse_into(parsed,
             "pub fn f() {\n  let x = 1;\n  xs[i] += 2;\n  if a { } else if b { }\n  match v { A => return; }\n}\n");
  const auto& function = parsed.program.declarations[0]->as<FunctionDecl>();
  const auto text = [&](Span span) { return std::string(parsed.sources.text(span)); };
  CHECK(parsed.sources.locate(function.position).column == 1);
  CHECK(text(function.span).ends_with("}"));
  const auto statements = function.body->statements;
  CHECK(text(statements[0]->span) == "let x = 1;");
  CHECK(text(statements[1]->span) == "xs[i] += 2;");
  CHECK(parsed.sources.locate(statements[1]->position).column == 3);
  CHECK(text(statements[2]->span) == "if a { } else if b { }");
  CHECK(text(statements[2]->as<IfStmt>().otherwise->span) == "if b { }");
  CHECK(text(statements[3]->as<MatchStmt>().arms[0].body->span) == "return;");
  CHECK(parsed.sources.locate(statements[3]->as<MatchStmt>().arms[0].position).column == 13);
}

}  // namespace cairn::syntax
