#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "frontend/diagnostics/fixes.hpp"
#include "frontend/diagnostics/render.hpp"

namespace cairn {

namespace {

Diagnostic diagnostic_at(const SourceMap& sources, std::uint32_t file, std::string_view where, Code code,
                         std::string message) {
  const SourceFile& source = sources.file(file);
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = std::move(message);
  diagnostic.position = Position{source.begin + static_cast<std::uint32_t>(source.text.find(where))};
  return diagnostic;
}

Verdict one(Diagnostic diagnostic) {
  Verdict verdict;
  verdict.refusals.push_back(std::move(diagnostic));
  return verdict;
}

struct Mismatch {
  SourceMap sources;
  Verdict verdict;
  Mismatch() {
    sources.add("src/main.cairn", "fn f(wide:u64) {\n  let small:u32 = wide;\n}\n");
    Diagnostic refusal =
        diagnostic_at(sources, 0, "wide;", Code::TypeMismatch, "u32 is expected here and this is u64.");
    refusal.detail("actual_type", std::string("u64")).detail("expected_type", std::string("u32"));
    refusal.detail("key_words", std::vector<std::string>{"a", "b"}).detail("empty", std::string());
    verdict = one(std::move(refusal));
  }
};

}  // namespace

TEST_CASE("a refusal shows header, place, rail, source, carets, details, help and card in this order",
          "[diagnostics]") {
  const Mismatch refused;
  CHECK(render_human(refused.verdict, refused.sources, false) ==
        "error[E-TYPE-MISMATCH]: u32 is expected here and this is u64.\n"
        "  --> src/main.cairn:2:19\n"
        "  |\n"
        "2 |   let small:u32 = wide;\n"
        "  |                   ^^^^\n"
        "  = note: key words: a, b\n"
        "  = help: convert it, u32(wide), which traps when it does not fit.\n"
        "  = note: the base card states this rule: cairn rules E-TYPE-MISMATCH\n");
}

TEST_CASE("the record of a refusal lists its fields in the tabled order", "[diagnostics]") {
  const Mismatch refused;
  CHECK(text_of(record_of(refused.verdict, refused.sources), false) ==
        R"({"protocol":"cairn.diagnostic/2","status":"rejected","code":"E-TYPE-MISMATCH",)"
        R"("message":"u32 is expected here and this is u64.","line":2,"column":19,"file":"src/main.cairn",)"
        R"("trust":"checker","card":"base",)"
        R"("repair_hint":"Convert it, u32(wide), which traps when it does not fit.",)"
        R"("expected_type":"u32","actual_type":"u64","key_words":["a","b"],"empty":""})");
}

TEST_CASE("a record on a terminal is indented by two spaces", "[diagnostics]") {
  CHECK(text_of({{"status", "typed"}, {"functions", 3}}, true) == "{\n  \"status\": \"typed\",\n  \"functions\": 3\n}");
}

TEST_CASE("no verdict says unknown, has no protocol and no place", "[diagnostics]") {
  Diagnostic missing;
  missing.code = Code::ProjectOrEnvironment;
  missing.message = "gone.cairn does not exist.";
  const Verdict verdict = one(missing);
  CHECK(render_human(verdict, SourceMap{}, false) ==
        "unknown[E-PROJECT-OR-ENVIRONMENT]: gone.cairn does not exist.\n"
        "  = note: the commands card states this rule: cairn rules E-PROJECT-OR-ENVIRONMENT\n");
  CHECK(
      text_of(record_of(verdict, SourceMap{}), false) ==
      R"({"status":"unknown","code":"E-PROJECT-OR-ENVIRONMENT","message":"gone.cairn does not exist.","card":"commands"})");
}

TEST_CASE("columns and carets count code points, and tabs stay as they are", "[diagnostics]") {
  SourceMap sources;
  sources.add("p.cairn", "\tlet s = \"\xC3\xA9t\xC3\xA9\" + \"\xC3\xA9\";  \n");
  const Verdict verdict = one(diagnostic_at(sources, 0, "\"\xC3\xA9\";", Code::Operator, "no + on strings."));
  const std::string shown = render_human(verdict, sources, false);
  CHECK(shown.contains("  --> p.cairn:1:18\n"));
  CHECK(shown.contains("1 | \tlet s = \"\xC3\xA9t\xC3\xA9\" + \"\xC3\xA9\";\n"));
  CHECK(shown.contains("  |                  ^^^\n"));
}

TEST_CASE("the gutter is as wide as the line number", "[diagnostics]") {
  SourceMap sources;
  sources.add("p.cairn", std::string(99, '\n') + "oops\n");
  const std::string shown =
      render_human(one(diagnostic_at(sources, 0, "oops", Code::Declaration, "no declaration.")), sources, false);
  CHECK(shown.contains("\n    |\n100 | oops\n    | ^^^^\n"));
}

TEST_CASE("a code of a recipe has no card", "[diagnostics]") {
  SourceMap sources;
  sources.add("p.cairn", "derive r for T;\n");
  Diagnostic refusal = diagnostic_at(sources, 0, "derive", Code::Recipe, "needs two fields.");
  refusal.custom_code = "E-MINE";
  const std::string shown = render_human(one(refusal), sources, false);
  CHECK(shown.starts_with("error[E-MINE]: needs two fields.\n"));
  CHECK_FALSE(shown.contains("card"));
  CHECK_FALSE(record_of(one(refusal), sources).contains("card"));
}

TEST_CASE("a refusal in the library names the module and its own line", "[diagnostics]") {
  SourceMap sources;
  sources.add("p.cairn", "fn main() -> i32 { return 0; }\n");
  sources.add("std.vec", "module std.vec;\npub fn push() {}\n", true, false);
  const auto record = record_of(one(diagnostic_at(sources, 1, "push", Code::Type, "no such type.")), sources);
  CHECK(record["file"] == "std.vec");
  CHECK(record["module"] == "std.vec");
  CHECK(record["line"] == 2);
}

TEST_CASE("at most twenty further refusals are listed and the rest counted", "[diagnostics]") {
  SourceMap sources;
  std::string text;
  for (int line = 0; line < 25; ++line) text += "oops" + std::to_string(line) + "\n";
  sources.add("p.cairn", text);
  Verdict verdict;
  for (int line = 0; line < 25; ++line) {
    verdict.refusals.push_back(
        diagnostic_at(sources, 0, "oops" + std::to_string(line) + "\n", Code::Unbound, "nothing has this name."));
  }
  verdict.not_judged = 4;
  verdict.stopped_by = "E-AST-LIMIT";
  const auto record = record_of(verdict, sources);
  CHECK(record["further"].size() == 20);
  CHECK(record["further_omitted"] == 4);
  CHECK(record["not_judged"] == 4);
  CHECK(record["further_stopped"] == "E-AST-LIMIT");
  CHECK(render_human(verdict, sources, false)
            .ends_with("\nerror: 25 refusals, 4 not shown; 4 functions not judged because of them; the check stopped "
                       "early on E-AST-LIMIT, so later functions were not judged\n"));
}

TEST_CASE("one refusal has a tally only when a function went unjudged", "[diagnostics]") {
  SourceMap sources;
  sources.add("p.cairn", "oops\n");
  Verdict verdict = one(diagnostic_at(sources, 0, "oops", Code::Type, "no such type."));
  CHECK_FALSE(render_human(verdict, sources, false).contains("1 refusal"));
  verdict.not_judged = 1;
  CHECK(render_human(verdict, sources, false).ends_with("\nerror: 1 refusal; 1 function not judged because of it\n"));
}

TEST_CASE("colour adds escapes and changes nothing else", "[diagnostics]") {
  const Mismatch refused;
  std::string coloured = render_human(refused.verdict, refused.sources, true);
  CHECK(coloured.contains("\x1b["));
  for (std::size_t at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b')) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  CHECK(coloured == render_human(refused.verdict, refused.sources, false));
}

TEST_CASE("similarity is twice the matched characters over the sum of lengths", "[diagnostics]") {
  CHECK(similarity("volum", "volume") == Approx(10.0 / 11.0));
  CHECK(similarity("abcd", "bcde") == Approx(0.75));
  CHECK(similarity("abc", "xyz") == 0.0);
}

TEST_CASE("at most two close names are offered, best first, and none below 0.6", "[diagnostics]") {
  const std::vector<std::string_view> names = {"volumes", "level", "volume", "vol", "volumetric"};
  CHECK(did_you_mean("volum", names) == "Did you mean volume or volumes?");
  CHECK(did_you_mean("lev", names) == "Did you mean level?");
  CHECK(did_you_mean("zzz", names).empty());
}

TEST_CASE("a mismatch is mended by what its two types allow", "[diagnostics]") {
  SourceMap sources;
  sources.add("p.cairn", "f(count);\ng(a + b);\n");
  const auto fix = [&](std::string_view where, std::string expected, std::string actual) {
    Diagnostic refusal = diagnostic_at(sources, 0, where, Code::TypeMismatch, "two types.");
    refusal.detail("expected_type", std::move(expected)).detail("actual_type", std::move(actual));
    return fix_of(refusal, sources);
  };
  CHECK(fix("count", "u32", "u64") == "Convert it, u32(count), which traps when it does not fit.");
  CHECK(fix("a + b", "u32", "u64") == "Convert it, u32(x), which traps when it does not fit.");
  CHECK(fix("count", "f32", "u64") == "Convert it, f32(count), which rounds and is not range checked.");
  CHECK(fix("count", "bool", "u64") == "Compare it, count != 0.");
  CHECK(fix("count", "u32", "Tank").starts_with("Nothing converts by itself"));
  CHECK(fix("count", "u32", "bool").starts_with("Nothing converts by itself"));
}

}  // namespace cairn
