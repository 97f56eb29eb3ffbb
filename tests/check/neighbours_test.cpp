// Every code of two chapters, refused beside its nearest accepted neighbour (tests/check/neighbours/), and a check that
// no code of a chapter's table of diagnostics is left out.
#include <catch2/catch.hpp>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/check/checked_source.hpp"

namespace cairn {
namespace {

struct Neighbours {
  std::string refusal;  // "E-CODE line:column", or the code alone where no position is promised
  std::string target;   // a device target, when the rule needs one
  std::string about;
  std::string refused;
  std::string accepted;
};

std::string text_of(const std::string& path) {
  std::ifstream file(CAIRN_SOURCE_DIR + path, std::ios::binary);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The cases of a file: `== REFUSAL [target]: ABOUT`, the refused program, `--`, the accepted one.
std::vector<Neighbours> neighbours(const std::string& chapter) {
  static const std::regex kHead(R"(== (E-[A-Z-]+(?: \d+:\d+)?)(?: \[(\w+)\])?: (.*))");
  std::vector<Neighbours> cases;
  std::istringstream lines(text_of("/tests/check/neighbours/" + chapter + ".txt"));
  std::string* program = nullptr;
  for (std::string line; std::getline(lines, line);) {
    std::smatch head;
    if (line.starts_with("== ")) {
      INFO(line);
      REQUIRE(std::regex_match(line, head, kHead));
      cases.push_back({head[1], head[2], head[3], {}, {}});
      program = &cases.back().refused;
    } else if (line == "--") {
      program = &cases.back().accepted;
    } else if (program != nullptr) {
      *program += line + "\n";
    }
  }
  return cases;
}

std::string verdict(const std::string& program, const std::string& target) {
  CheckOptions options;
  options.device_target = target;
  return CheckedSource(program, options).verdict();
}

std::string code_of(const std::string& refusal) { return refusal.substr(0, refusal.find(' ')); }

/// The codes of the chapter's table of diagnostics in the reference.
std::set<std::string> codes_of_table(const std::string& chapter) {
  static const std::regex kHeading(R"(## \d+\. Diagnostics.*)");
  static const std::regex kCode("E-[A-Z-]+");
  std::set<std::string> codes;
  std::istringstream lines(text_of("/docs/reference/" + chapter + ".md"));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) inside = std::regex_match(line, kHeading);
    if (!inside || !line.starts_with("| `E-")) continue;
    const std::string cell = line.substr(0, line.find('|', 1));
    for (std::sregex_iterator each(cell.begin(), cell.end(), kCode), end; each != end; ++each)
      codes.insert(each->str());
  }
  return codes;
}

/// Codes whose rule is no rule of one text: where their refused and accepted neighbours stand.
const std::set<std::string> kElsewhere = {
    "E-PROJECT-OR-ENVIRONMENT",  // a manifest or a machine: tests/project, tests/cli
    "E-TARGET",                  // an option or a manifest: tests/project
    "E-AST-LIMIT",               // a program of 3,200,000 visits: tests/check/limits_test.cpp
};

void judge(const std::string& chapter) {
  std::set<std::string> missing = codes_of_table(chapter);
  REQUIRE(missing.size() > 30);
  for (const Neighbours& each : neighbours(chapter)) {
    INFO(each.refusal << ": " << each.about);
    CHECK(verdict(each.refused, each.target) == each.refusal);
    CHECK(verdict(each.accepted, each.target) == "accepted");
    missing.erase(code_of(each.refusal));
  }
  for (const std::string& code : kElsewhere) missing.erase(code);
  std::string left_out;
  for (const std::string& code : missing) left_out += code + " ";
  INFO("codes of the chapter without a refused program and its accepted neighbour");
  CHECK(left_out == "");
}

}  // namespace

TEST_CASE("each code of ownership and memory is refused beside its nearest accepted neighbour", "[neighbours]") {
  judge("02-ownership-and-memory");
}

TEST_CASE("each code of the abstractions is refused beside its nearest accepted neighbour", "[neighbours]") {
  judge("03-abstractions");
}

}  // namespace cairn
