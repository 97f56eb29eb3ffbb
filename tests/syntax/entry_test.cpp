#include <catch2/catch.hpp>

#include "frontend/syntax/comments.hpp"
#include "frontend/syntax/entry.hpp"
#include "tests/syntax/parsing.hpp"

namespace cairn::syntax {

TEST_CASE("an entry is complete when its brackets balance and it ends, or is an expression", "[syntax][entry]") {
  CHECK(entry_form("") == EntryForm::Empty);
  CHECK(entry_form(" // nothing\n") == EntryForm::Empty);
  CHECK(entry_form("1 + 2") == EntryForm::Expression);
  CHECK(entry_form("f(1,\n 2) // two") == EntryForm::Expression);
  CHECK(entry_form("1 +") == EntryForm::Incomplete);
  CHECK(entry_form("f(1,") == EntryForm::Incomplete);
  CHECK(entry_form("let x = 1;") == EntryForm::Statements);
  CHECK(entry_form("f();") == EntryForm::Statements);
  CHECK(entry_form("for i in 0..3 {\n  println(i);") == EntryForm::Incomplete);
  CHECK(entry_form("for i in 0..3 {\n  println(i);\n}") == EntryForm::Statements);
  CHECK(entry_form("fn f() {}") == EntryForm::Declarations);
  CHECK(entry_form("fn f() -> u8 =") == EntryForm::Incomplete);
  CHECK(entry_form("import std.vec;") == EntryForm::Declarations);
  CHECK(entry_form("layout L = rows(2, 2);") == EntryForm::Declarations);
  CHECK(entry_form("layout = 3;") == EntryForm::Statements);
  CHECK(entry_form("test(3)") == EntryForm::Expression);
}

TEST_CASE("what no further line can mend is complete", "[syntax][entry]") {
  CHECK(entry_form("#") == EntryForm::Statements);
  CHECK(entry_form("\"open") == EntryForm::Statements);
  CHECK(entry_form("f(1))") == EntryForm::Statements);
  CHECK(entry_form("let x = 1") == EntryForm::Incomplete);
  CHECK(entry_form("let x = 1\n;") == EntryForm::Statements);
  CHECK(entry_form("a << 2;") == EntryForm::Statements);
}

TEST_CASE("the lines of comment directly above a declaration document it", "[syntax][comments]") {
  Parsed parsed;
  parse_into(parsed,
             "// apart\n\n// One.\n  //   two  \n//\nfn f() {}\nfn g() {} // behind\nfn h() {}\n// At.\npub fn k() {}");
  const auto above = [&](std::size_t index) {
    return comment_above(parsed.sources, parsed.program.declarations[index]->position);
  };
  CHECK(above(0) == std::vector<std::string_view>{"One.", "  two", ""});
  CHECK(above(1).empty());
  CHECK(above(2).empty());
  CHECK(above(3) == std::vector<std::string_view>{"At."});
}

}  // namespace cairn::syntax
