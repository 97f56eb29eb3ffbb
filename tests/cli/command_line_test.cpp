#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <ranges>
#include <string>
#include <string_view>

#include "vm/cli/arguments.hpp"
#include "vm/cli/help.hpp"

namespace cairn::cli {

namespace {

std::expected<Invocation, UsageError> parse(std::string_view command, std::vector<const char*> words) {
  return parse_arguments(*command_named(command), words);
}

std::string fault(std::string_view command, std::vector<const char*> words) {
  const auto parsed = parse(command, std::move(words));
  return parsed ? "" : parsed.error().message;
}

std::string out_of_range(std::string_view command, std::vector<const char*> words) {
  const auto parsed = parse(command, std::move(words));
  REQUIRE(parsed);
  const auto diagnostic = value_out_of_range(*parsed);
  return diagnostic ? std::string(text(diagnostic->code)) : "";
}

}  // namespace

TEST_CASE("options and operands come in any order, with the value behind a space or an equals sign", "[cli]") {
  for (const auto& words : {std::vector<const char*>{"p.cairn", "--tier", "baseline", "--emulate"},
                            std::vector<const char*>{"--emulate", "--tier=baseline", "p.cairn"}}) {
    const auto parsed = parse("run", words);
    REQUIRE(parsed);
    CHECK(parsed->path() == "p.cairn");
    CHECK(parsed->text(Option::Tier) == "baseline");
    CHECK(parsed->has(Option::Emulate));
    CHECK_FALSE(parsed->has(Option::Timeout));
  }
}

TEST_CASE("a program is the current folder when none is named", "[cli]") { CHECK(parse("check", {})->path() == "."); }

TEST_CASE("everything after the first bare -- belongs to the program, and only run takes it", "[cli]") {
  const auto parsed = parse("run", {"p.cairn", "--", "--tier", "x", "--"});
  REQUIRE(parsed);
  CHECK(parsed->program_arguments().size() == 3);
  CHECK(parsed->text(Option::Tier) != "x");  // CAIRN_TIER may have named one
  CHECK(fault("check", {"p.cairn", "--"}).contains("takes no program arguments"));
}

TEST_CASE("unknown options, surplus operands and missing values are usage errors", "[cli]") {
  CHECK(fault("check", {"--no-such-option"}).contains("no option --no-such-option"));
  CHECK(fault("check", {"a", "b"}).contains("unexpected operand b"));
  CHECK(fault("run", {"--timeout"}).contains("needs a value"));
  CHECK(fault("check", {"--watch=1"}).contains("takes no value"));
  CHECK(fault("new", {}).contains("needs DIR"));
  CHECK(fault("verify", {}).contains("needs REF CAND"));
  CHECK(fault("fmt", {"a", "b", "c"}).empty());
}

TEST_CASE("a value outside a closed list is a usage error, one outside a range is no verdict", "[cli]") {
  CHECK(fault("check", {"--format", "yaml"}).contains("human, json"));
  CHECK(fault("run", {"--tier", "fast"}).contains("interpreter, baseline, optimizing, auto"));
  CHECK(fault("run", {"--dump", "tokens,tree,ssa"}).empty());
  CHECK(fault("check", {"--dump", "tokens,ssa"}).contains("tokens, tree, bytecode, not ssa."));
  CHECK(fault("run", {"--dump", ""}).contains("--dump is one of"));
  CHECK(fault("run", {"--profile-out", "a.txt"}).contains(".folded, .json or .html"));
  CHECK(fault("run", {"--profile-out", "a.html", "--profile-out", "a.json"}).empty());
  CHECK(fault("completions", {"fish"}).contains("bash, zsh"));
  CHECK(out_of_range("test", {"--jobs", "64"}).empty());
  CHECK(out_of_range("test", {"--jobs", "65"}) == "E-PROJECT-OR-ENVIRONMENT");
  CHECK(out_of_range("test", {"--jobs", "many"}) == "E-PROJECT-OR-ENVIRONMENT");
  CHECK(out_of_range("run", {"--timeout", "0"}) == "E-PROJECT-OR-ENVIRONMENT");
  CHECK(out_of_range("run", {"--memory-mib", "64"}).empty());
  CHECK(out_of_range("run", {"--device-target", "sm_90a"}).empty());
  CHECK(out_of_range("run", {"--device-target", "turing"}) == "E-TARGET");
}

TEST_CASE("the tier of the environment counts where a command has tiers and none is given", "[cli]") {
  ::setenv("CAIRN_TIER", "interpreter", 1);
  CHECK(parse("run", {})->text(Option::Tier) == "interpreter");
  CHECK(parse("run", {"--tier", "auto"})->text(Option::Tier) == "auto");
  CHECK_FALSE(parse("check", {})->has(Option::Tier));
  ::setenv("CAIRN_TIER", "fast", 1);
  CHECK(fault("run", {}).contains("CAIRN_TIER"));
  CHECK(fault("run", {"--tier", "auto"}).empty());
  CHECK(fault("check", {}).empty());
  ::setenv("CAIRN_TIER", "", 1);
  CHECK_FALSE(parse("run", {})->has(Option::Tier));
  ::unsetenv("CAIRN_TIER");
}

TEST_CASE("the last value of an option counts, or all of them when it repeats", "[cli]") {
  CHECK(parse("run", {"--timeout", "3", "--timeout=5"})->number(Option::Timeout) == 5);
  CHECK(parse("doc", {"--module", "a", "--module", "b"})->texts(Option::Module).size() == 2);
}

TEST_CASE("help of a command lists every option it has and the words the option admits", "[cli]") {
  for (const CommandRow& command : commands()) {
    const std::string help = help_text(command);
    INFO(command.name);
    for (const Option option : command.options) {
      const OptionRow& row = row_of(option);
      const std::size_t start = help.find("\n  " + std::string(row.name) + (row.takes == Takes::Nothing ? "" : " "));
      REQUIRE(start != std::string::npos);
      const std::string line = help.substr(start + 1, help.find('\n', start + 1) - start);
      INFO(line);
      for (const auto word : std::views::split(row.words, ' ')) CHECK(line.contains(std::string_view(word)));
    }
    CHECK(help_text().contains("\n  " + std::string(command.name) + " "));
  }
}

TEST_CASE("completions and the manual page know every command and option", "[cli]") {
  const std::string bash = bash_completions();
  const std::string zsh = zsh_completions();
  for (const CommandRow& command : commands()) {
    CHECK(bash.contains("\n    " + std::string(command.name) + ") words="));
    CHECK(zsh.contains("\n    " + std::string(command.name) + ")\n"));
    CHECK(manual_page().contains("\n.SS \"cairn " + std::string(command.name)));
    for (const Option option : command.options)
      CHECK(zsh.contains("'" + std::string(row_of(option).repeats ? "*" : "") + std::string(row_of(option).name)));
  }
}

TEST_CASE("the manual page of the repository is the one the command table gives", "[cli]") {
  std::ifstream file(CAIRN_SOURCE_DIR "/docs/cairn.1", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  CHECK(page == manual_page());
}

}  // namespace cairn::cli
