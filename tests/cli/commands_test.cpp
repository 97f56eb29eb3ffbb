// Whole command lines, each in a child of its own: what they print and how they end.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <csignal>

#include "tests/cli/command_line.hpp"

namespace cairn::cli {

namespace {

constexpr std::string_view kHello = "fn main() -> i32 {\n  println(\"hello\");\n  return 7;\n}\n";

}  // namespace

TEST_CASE("usage errors exit 2 with two lines and no code", "[cli]") {
  CommandLine cairn;
  for (const auto& words : {std::vector<const char*>{}, std::vector<const char*>{"frobnicate"},
                            std::vector<const char*>{"check", "--no-such-option"},
                            std::vector<const char*>{"check", "p.cairn", "--", "x"}}) {
    const ChildResult result = cairn(words);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 2);
    CHECK_FALSE(result.err.contains("E-"));
  }
}

TEST_CASE("version and help go to stdout and exit 0", "[cli]") {
  CommandLine cairn;
  CHECK(cairn({"--version"}).out.starts_with("cairn "));
  CHECK(cairn({"--help"}).out.contains("\n  check "));
  CHECK(cairn({"run", "--help", "--tier", "auto"}).exit_code == 0);
  CHECK(cairn({"new", "--help"}).out.contains("--template"));
}

TEST_CASE("what this build has no engine for says so and exits 2", "[cli]") {
  CommandLine cairn;
  const ChildResult result = cairn({"run", "--sanitize", "address", "p.cairn"});
  CHECK(result.exit_code == 2);
  CHECK(result.err.starts_with(
      "unknown[E-PROJECT-OR-ENVIRONMENT]: cairn run --sanitize is not available in this build."));
}

TEST_CASE("run passes streams and status, and a failed guard ends as abort does", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn", kHello);
  CHECK(cairn({"run", "p.cairn"}).exit_code == 7);
  CHECK(cairn({"run", "p.cairn"}).out == "hello\n");
  cairn.write("p.cairn", "fn main() -> i32 {\n  println(\"before\");\n  assert(false, \"why\");\n  return 0;\n}\n");
  const ChildResult trapped = cairn({"run", "p.cairn"});
  CHECK(trapped.exit_code == -SIGABRT);
  CHECK(trapped.out == "before\n");
  CHECK(trapped.err.starts_with("assertion failed at p.cairn:3: why\n"));
}

TEST_CASE("run as a record captures the streams", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn", kHello);
  const auto record = cairn.record({"run", "p.cairn"});
  CHECK(record["status"] == "program-exited");
  CHECK(record["exit_code"] == 7);
  CHECK(record["stdout"] == "hello\n");
  cairn.write("p.cairn", "fn main() -> i32 {\n  let mut n = 0;\n  while true { n = 1; }\n  return 0;\n}\n");
  const ChildResult late = cairn({"run", "p.cairn", "--timeout", "1", "--format", "json"});
  CHECK(late.exit_code == 2);
  CHECK(late.out.contains("its time limit"));
}

TEST_CASE("program arguments are those behind the bare dashes", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn",
              "import std.env as env;\n\nfn main() -> i32 {\n  match env.args() {\n    Ok(a) => return "
              "i32(env.count(a));\n    Err(_) => return 99;\n  }\n}\n");
  CHECK(cairn({"run", "p.cairn", "--", "--help", "x"}).exit_code == 3);
}

TEST_CASE("a bundle runs as its program does, and a damaged one never", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn", kHello);
  const auto built = cairn.record({"build", "p.cairn", "--out", "made"});
  REQUIRE(built["status"] == "built");
  const std::string artifact = built["artifact"];
  CHECK(cairn({"run", artifact.c_str()}).exit_code == 7);
  CHECK(std::filesystem::exists(built["receipt"].get<std::string>()));
  {
    std::fstream file(artifact, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(100);
    file.put('\xff');
  }
  CHECK(cairn({"run", artifact.c_str()}).exit_code == 2);
  CHECK(cairn({"build", "p.cairn", "--out", "made"}).exit_code == 0);
  const auto folders = std::filesystem::directory_iterator(cairn.path() / "made");
  CHECK(std::distance(begin(folders), end(folders)) == 2);
  std::filesystem::create_directory_symlink("made", cairn.path() / "link");
  CHECK(cairn({"build", "p.cairn", "--out", "link"}).exit_code == 2);
}

TEST_CASE("check counts functions, and the library's apart", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn", kHello);
  CHECK(cairn({"check", "p.cairn"}).out == "typed: 1 function\n");
  const auto record = cairn.record({"check", "p.cairn"});
  CHECK(record["project"]["name"] == "p");
  CHECK(record["project"]["sources"][0]["path"] == "p.cairn");
  cairn.write("p.cairn", "fn main() -> i32 { return lost; }\n");
  CHECK(cairn({"check", "p.cairn"}).exit_code == 1);
  CHECK(cairn({"check", "gone.cairn"}).exit_code == 2);
}

TEST_CASE("dumps show tokens, tree and bytecode on stderr", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn", kHello);
  const ChildResult result = cairn({"check", "p.cairn", "--dump", "tokens,tree,bytecode"});
  CHECK(result.out == "typed: 1 function\n");
  CHECK(result.err.contains("1:1 Fn fn"));
  CHECK(result.err.contains("function 0 \"main\""));
}

TEST_CASE("tests are selected by name and text, and nothing selected is no verdict", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn", "test one { assert(true); }\ntest two { assert_eq(1, 2); }\n");
  CHECK(cairn({"test", "p.cairn"}).out ==
        "tests-not-passed: 1 of 2 tests failed\n  test two: assertion failed at p.cairn:2: left 1, right 2\n");
  CHECK(cairn({"test", "p.cairn", "--filter", "on"}).out == "passed-finite-tests: 1 test\n");
  CHECK(cairn({"test", "p.cairn", "--test", "on"}).exit_code == 2);
  const auto record = cairn.record({"test", "p.cairn", "--jobs", "1"});
  CHECK(record["blocks"]["status"] == "test-blocks-failed");
  CHECK(record["blocks"]["workers"] == 1);
  CHECK(record["blocks"]["tests"][1]["exit_code"] == -SIGABRT);
  CHECK(record["blocks"]["tests"][0]["name"] == "one");
}

TEST_CASE("a new project works at once and overwrites nothing", "[cli]") {
  CommandLine cairn;
  for (const char* name : {"default", "cli", "lib", "service"}) {
    const std::string project = std::string("p-") + name;
    CHECK(cairn({"new", project.c_str(), "--template", name}).out == "created: " + project + "\n");
    CHECK(cairn({"check", project.c_str()}).exit_code == 0);
    CHECK(cairn({"fmt", "--check", project.c_str()}).exit_code == 0);
    CHECK(cairn({"test", project.c_str()}).exit_code == 0);
    if (project != "p-lib") CHECK(cairn({"run", project.c_str()}).exit_code == 0);
  }
  CHECK(cairn({"new", "p-cli"}).exit_code == 2);
  CHECK(cairn({"new", "9lives"}).exit_code == 2);
}

TEST_CASE("fmt reports what it changed, or shows the difference", "[cli]") {
  CommandLine cairn;
  cairn.write("src/a.cairn", "fn  f( ){}\n");
  CHECK(cairn({"fmt", "--diff", "src"}).out.contains("-fn  f( ){}\n+fn f() {}\n"));
  CHECK(cairn({"fmt", "--check", "src"}).exit_code == 1);
  CHECK(cairn({"fmt", "src"}).out ==
        R"({"status":"formatted","mode":"rewrite","changed":["src/a.cairn"],"not_formatted":[]})"
        "\n");
  CHECK(cairn({"fmt", "--check", "src"}).exit_code == 0);
  CHECK(cairn({"fmt", "gone"}).exit_code == 2);
}

TEST_CASE("rules answers a code, a card, a program and the list", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn", kHello);
  CHECK(cairn({"rules", "E-MOVED"}).out.starts_with("E-MOVED is a rule of the owners card: E-DEFER, "));
  CHECK(cairn({"rules", "owners"}).out.starts_with("The owners card: E-DEFER, "));
  CHECK(cairn.record({"rules", "p.cairn"})["cards"][0]["name"] == "printing");
  CHECK(cairn.record({"rules"})["cards"][1]["words"].is_array());
  CHECK(cairn({"rules", "E-NO-SUCH"}).exit_code == 1);
  CHECK(cairn({"rules", "nonsense"}).err.starts_with("error[E-RULE]"));
}

TEST_CASE("reports read an accepted program", "[cli]") {
  CommandLine cairn;
  cairn.write(
      "p.cairn",
      "// Adds.\nfn add(a:u64, b:u64) -> u64 = a + b;\nstruct P { x:u64; }\nderive eq for P;\nfn main() -> i32 { "
      "return 0; }\n");
  CHECK(cairn({"doc", "p.cairn"}).out.contains("// Adds.\nfn add(a:u64, b:u64) -> u64  // effects: trap"));
  CHECK(cairn({"expand", "p.cairn"}).out.contains("impl std.core.Eq for P"));
  CHECK(cairn({"explain", "p.cairn", "--symbol", "add"}).out.starts_with("add: guards 1 overflow\n"));
  CHECK(cairn.record({"graph", "p.cairn"})["files"][0]["path"] == "p.cairn");
  CHECK(cairn({"find", "add", "--in", "p.cairn"}).out.contains("add, p.cairn:2"));
  CHECK(cairn({"find", "--takes", "u64[", "--in", "p.cairn"}).err.starts_with("error[E-PARSE]"));
  CHECK(cairn({"emit", "p.cairn", "--symbol", "add"}).out.contains("add.u64"));
  CHECK(cairn({"emit", "p.cairn", "--symbol", "gone"}).exit_code == 2);
}

}  // namespace cairn::cli
