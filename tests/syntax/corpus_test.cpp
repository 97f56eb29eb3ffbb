#include <catch2/catch.hpp>

#include <set>

#include "tests/syntax/corpus.hpp"
#include "tests/syntax/parsing.hpp"

namespace cairn::syntax {

namespace {

/// The code a case's header expects to be refused with, or nothing.
std::string expected_code(const std::string& text) {
  const std::size_t at = text.find("//! expect: refuse ");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + 19;
  return text.substr(begin, text.find_first_of(" \r\n", begin) - begin);
}

}  // namespace

TEST_CASE("a conformance case parses, or is refused with the code it expects", "[syntax][corpus]") {
  const std::set<std::string> broken = {"broken.cairn"};  // a file the formatter must leave alone
  int parsed = 0;
  for_each_case([&](const std::string& path, const std::string& text) {
    INFO(path);
    const std::string said = verdict(text, {.packaged = path.find("/stdlib/") != std::string::npos});
    if (said == "ok") {
      ++parsed;
    } else if (!broken.contains(path.substr(path.rfind('/') + 1))) {
      CHECK(said.substr(0, said.find(' ')) == expected_code(text));
    }
  });
  CHECK(parsed > 700);
}

}  // namespace cairn::syntax
