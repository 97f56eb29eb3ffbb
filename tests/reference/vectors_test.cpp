// Every vector file there is, and what is refused of one.
#include "runtime/reference/vectors.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cairn::reference {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string file_of(const std::string& vectors) {
  return R"({"schema":"cairn.algorithm-vectors/1","vectors":[)" + vectors + "]}";
}

}  // namespace

TEST_CASE("every vector of every file holds", "[reference][vectors]") {
  std::size_t files = 0;
  for (const auto& each : std::filesystem::recursive_directory_iterator(CAIRN_SOURCE_DIR "/tests/conformance")) {
    const std::string name = each.path().filename().string();
    if (!name.starts_with("vectors_") || !name.ends_with(".json")) continue;
    ++files;
    const auto fail = [&](std::size_t index, const std::string& what) {
      FAIL_CHECK(name << ":" << index << ": " << what);
    };
    const auto counts = check_vectors(text_of(each.path()), fail, nullptr);
    INFO(name << (counts ? "" : ": " + counts.error().message));
    REQUIRE(counts.has_value());
    CHECK(counts->passed > 0);
  }
  CHECK(files > 0);
}

TEST_CASE("a vector that does not hold is told with its index and what differs", "[reference][vectors]") {
  std::string told;
  const auto counts = check_vectors(
      file_of(R"({"kind":"method","method":"pairwise","parameters":{},"n":8,"depth":4,"roundings":15},
                 {"kind":"method","method":"blocked","parameters":{"block_size":4},"n":8,"depth":7,"roundings":10})"),
      [&](std::size_t index, const std::string& what) { told += std::to_string(index) + " " + what; }, nullptr);
  REQUIRE(counts.has_value());
  CHECK(counts->passed == 1);
  CHECK(counts->failed == 1);
  CHECK(told == "1 method blocked: depth is 6, not 7");
}

TEST_CASE("what is no vector file is refused before anything is judged", "[reference][vectors]") {
  const auto fail = [](std::size_t, const std::string&) { FAIL_CHECK("judged"); };
  CHECK(check_vectors(file_of(""), fail, nullptr).has_value());
  for (
      const std::string& text :
      {std::string("{"), std::string("[]"), std::string(R"({"schema":"cairn.algorithm-vectors/1"})"),
       std::string(R"({"schema":"cairn.algorithm-vectors/9","vectors":[]})"), file_of(R"({"kind":"sum"})"),
       file_of("1"),
       file_of(
           R"({"kind":"round","format":"f31","rounding":"even","overflow":"default","flush_to_zero":false,"value":"1/1","result":"0x1p+0"})"),
       file_of(R"({"kind":"method","method":"blocked","parameters":{"block_size":0},"n":1,"depth":1,"roundings":1})"),
       file_of(R"~({"kind":"matmul","algorithm":"attention()","m":1,"n":1,"k":1})~")}) {
    INFO(text);
    CHECK_FALSE(check_vectors(text, fail, nullptr).has_value());
  }
}

}  // namespace cairn::reference
