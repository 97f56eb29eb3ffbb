#include <catch2/catch.hpp>

#include "frontend/syntax/lexer.hpp"
#include "frontend/syntax/literals.hpp"
#include "tests/syntax/parsing.hpp"

namespace cairn::syntax {

namespace {

/// The tokens of a text, `kind:text` for those whose text is not fixed.
std::string tokens(const std::string& text) {
  SourceMap sources;
  NameTable names;
  sources.add("a.cairn", text);
  const Words words(names);
  std::string out;
  try {
    for (const Token& token : lex(sources, 0, 1, names, words).tokens) {
      if (token.kind() == TokenKind::End) break;
      if (!out.empty()) out += ' ';
      if (fixed_text(token.kind()).empty()) out += std::string(kind_name(token.kind())) + ":";
      out += sources.text({token.position, token.end()});
    }
  } catch (const Refusal& refusal) {
    return described(sources, refusal);
  }
  return out;
}

}  // namespace

TEST_CASE("numbers end where their form ends", "[syntax][lexer]") {
  CHECK(tokens("1..4") == "Decimal:1 .. Decimal:4");
  CHECK(tokens("1.") == "Decimal:1 .");
  CHECK(tokens(".5") == ". Decimal:5");
  CHECK(tokens("1_000") == "Decimal:1 Word:_000");
  CHECK(tokens("12ab") == "Decimal:12 Word:ab");
  CHECK(tokens("0X1F") == "Decimal:0 Word:X1F");
  CHECK(tokens("0x1F") == "Hexadecimal:0x1F");
  CHECK(tokens("0x") == "Decimal:0 Word:x");
  CHECK(tokens("0b1") == "Decimal:0 Word:b1");
  CHECK(tokens("0x1.5") == "Hexadecimal:0x1 . Decimal:5");
  CHECK(tokens("007") == "Decimal:007");
  CHECK(tokens("1.5") == "Float:1.5");
  CHECK(tokens("1.5e3 1e3 1E+3 1e-3") == "Float:1.5e3 Float:1e3 Float:1E+3 Float:1e-3");
  CHECK(tokens("1e") == "Decimal:1 Word:e");
  CHECK(tokens("1.5e+") == "Float:1.5 Word:e +");
  CHECK(tokens("1.e5") == "Decimal:1 . Word:e5");
  CHECK(tokens("1u32") == "Decimal:1 Word:u32");
}

TEST_CASE("punctuation is as long as it can be, and some is none", "[syntax][lexer]") {
  CHECK(tokens("=> -> .. == != <= >= && || += -= *= /= %= &= |= ^=") ==
        "=> -> .. == != <= >= && || += -= *= /= %= &= |= ^=");
  CHECK(tokens("{}()[],;:.@+-*/%<> =!&^~|") == "{ } ( ) [ ] , ; : . @ + - * / % < > = ! & ^ ~ |");
  CHECK(tokens("<<") == "< <");
  CHECK(tokens(">>=") == "> >=");
  CHECK(tokens("++") == "+ +");
  CHECK(tokens("::") == ": :");
  CHECK(tokens("+%=") == "+ %=");
  CHECK(tokens("...") == ".. .");
  CHECK(tokens("|||") == "|| |");
  CHECK(tokens("===") == "== =");
}

TEST_CASE("white space is six characters and comments run to the end of the line", "[syntax][lexer]") {
  CHECK(tokens(" \t\r\n\f\va") == "Word:a");
  CHECK(tokens("a // \" ' ` \xFF\nb") == "Word:a Word:b");
  CHECK(tokens("a //") == "Word:a");
  CHECK(tokens("\"//\" '//'") == "String:\"//\" Character:'//'");
  CHECK(tokens("a / / b") == "Word:a / / Word:b");
  CHECK(tokens("\xC2\xA0") == "E-LEX 1:1");  // a no-break space
}

TEST_CASE("a character that starts no token is refused wherever it stands", "[syntax][lexer]") {
  CHECK(tokens("a # b") == "E-LEX 1:3");
  CHECK(tokens("a\n  `") == "E-LEX 2:3");
  CHECK(tokens("?") == "E-LEX 1:1");
  CHECK(tokens("\\") == "E-LEX 1:1");
  CHECK(tokens("\xC3\xA9t\xC3\xA9") == "E-LEX 1:1");
  CHECK(tokens(std::string("a\0b", 3)) == "E-LEX 1:2");
  CHECK(tokens(std::string("// \0\nb", 6)) == "Word:b");
  CHECK(verdict("fn ( {\n#") == "E-LEX 2:1");  // before the syntax error on line 1
}

TEST_CASE("columns count code points", "[syntax][lexer]") {
  CHECK(tokens("\"\xC3\xA9\xE2\x82\xAC\" #") == "E-LEX 1:6");
  CHECK(tokens("\t#") == "E-LEX 1:2");
}

TEST_CASE("a string or character literal ends before its line does", "[syntax][lexer]") {
  CHECK(tokens(R"("a\"b")") == R"(String:"a\"b")");
  CHECK(tokens(R"('\'')") == R"(Character:'\'')");
  CHECK(tokens(R"("\\")") == R"(String:"\\")");
  CHECK(tokens("x \"abc\ny\"") == "E-LEX 1:3");
  CHECK(tokens("x \"abc") == "E-LEX 1:3");
  CHECK(tokens("\"abc\\") == "E-LEX 1:1");
  CHECK(tokens("\"abc\\\n\"") == "E-LEX 1:1");
  CHECK(tokens("''") == "E-LEX 1:1");
  CHECK(tokens("'a") == "E-LEX 1:1");
  CHECK(tokens("\"\"") == "String:\"\"");
}

TEST_CASE("reserved words are known whatever the table held before", "[syntax][lexer]") {
  NameTable names;
  for (int i = 0; i < 500; ++i) names.intern("before" + std::to_string(i));
  const Name let = names.intern("let");
  for (int i = 0; i < 500; ++i) names.intern("between" + std::to_string(i));
  const Words words(names);
  CHECK(words.kind_of(let) == TokenKind::Let);
  CHECK(words.kind_of(names.intern("zeroed")) == TokenKind::Zeroed);
  CHECK(words.kind_of(names.intern("before7")) == TokenKind::Word);
  CHECK(words.kind_of(names.intern("after")) == TokenKind::Word);
  CHECK(words.test == names.intern("test"));
}

TEST_CASE("escapes stand for their bytes", "[syntax][lexer]") {
  Arena arena;
  CHECK(literal_bytes(R"("\n\t\r\\\"\'\x41\xfF")", arena).value() == "\n\t\r\\\"'A\xFF");
  CHECK(literal_bytes("\"\\0a\"", arena).value() == std::string_view("\0a", 2));
  CHECK(literal_bytes("\"\xC3\xA9\"", arena).value() == "\xE9");
  CHECK(literal_bytes("\"\xE2\x82\xAC|\xFF|\"", arena).value() == "?|?|");
  CHECK(literal_bytes("\"\"", arena).value().empty());
  CHECK(literal_bytes(R"("\q")", arena).error() == "\\q");
  CHECK(literal_bytes(R"("\x4")", arena).error() == "\\x4");
  CHECK(literal_bytes(R"("\x4g")", arena).error() == "\\x4g");
  CHECK(literal_bytes(R"("\u0041")", arena).error() == "\\u");
}

TEST_CASE("escapes and dollars are refused when the parser reaches the token", "[syntax][lexer]") {
  CHECK(verdict(R"(fn f() { g("fine\n"); })") == "ok");
  CHECK(verdict(R"(fn f() { g("\a"); })") == "E-LEX 1:12");
  CHECK(verdict(R"(fn f() { g(1 "\a"); })") == "E-LEX 1:14");  // found where `,` was expected
  CHECK(verdict("fn ( { \"\\a\"") == "E-NAME 1:4");            // never reached
  CHECK(verdict("fn f() { g('a'); }") == "ok");
  CHECK(verdict("fn f() { g('\xC3\xA9'); }") == "ok");
  CHECK(verdict("fn f() { g('ab'); }") == "E-LEX 1:12");
  CHECK(verdict(R"(fn f() { g('\x4'); })") == "E-LEX 1:12");
  CHECK(verdict("fn f() { let a = 1; }") == "ok");
  CHECK(verdict("fn f() { let a$b = 1; }") == "E-LEX 1:15");
  CHECK(verdict("fn f() { return $x; }") == "E-LEX 1:17");
  CHECK(verdict("recipe r { fn f$x() { return $x; } }") == "ok");
}

TEST_CASE("the text of all files together is at most 16,000,000 bytes", "[syntax][lexer]") {
  const std::string line = "// a comment of thirty-two bytes\n";
  std::string text;
  while (text.size() + line.size() <= kSourceLimit) text += line;
  text.append(kSourceLimit - text.size(), ' ');
  CHECK(verdict(text) == "ok");
  Parsed parsed;
  parsed.sources.add("a.cairn", text);
  parsed.sources.add("b.cairn", " ");
  CHECK_THROWS_AS(parse(parsed.sources, 0, 2, parsed.names, parsed.arena), Refusal);
}

TEST_CASE("the token dump shows every token and comment with its place", "[syntax][dump]") {
  SourceMap sources;
  NameTable names;
  sources.add("a.cairn", "fn f() // why\n  -> u8 = 'c';\n");
  CHECK(dump_tokens(sources, 0, 1, names) ==
        "1:1 Fn fn\n1:4 Word f\n1:5 LeftParen (\n1:6 RightParen )\n1:8 Comment // why\n2:3 Arrow ->\n2:6 Word u8\n"
        "2:9 Equal =\n2:11 Character 'c'\n2:14 Semicolon ;\n3:1 End\n");
}

}  // namespace cairn::syntax
