// The same bits from every compiler and for every processor: this build against GCC's and clang's, plain and for the
// processor at hand.
#include <catch2/catch.hpp>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/pair/same_bits_program.hpp"

using cairn::tests::same_bits::all_lines;

namespace {

constexpr int kArithmetic = 2000;
constexpr int kFunctions = 200;

std::string here() {
  std::string text;
  for (const auto& line : all_lines(kArithmetic, kFunctions)) {
    char hash[24];
    std::snprintf(hash, sizeof(hash), " %016" PRIx64 "\n", line.hash);
    text += line.name + hash;
  }
  return text;
}

/// What the program prints when it is built so; empty when there is no such compiler.
std::string elsewhere(const std::string& compiler, const std::string& options) {
  if (std::system(("command -v " + compiler + " > /dev/null 2>&1").c_str()) != 0) return {};
  const auto folder = std::filesystem::temp_directory_path() / ("cairn_same_bits_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string program = (folder / "program").string();
  const std::string root = CAIRN_SOURCE_DIR;
  const std::string build = compiler + " -std=c++23 -x c++ -ffp-contract=off " + options + " -I" + root + " " + root +
                            "/tests/pair/same_bits_main.inc -o " + program;
  INFO(build);
  REQUIRE(std::system(build.c_str()) == 0);
  const std::string out = (folder / "out").string();
  REQUIRE(std::system(
              (program + " " + std::to_string(kArithmetic) + " " + std::to_string(kFunctions) + " > " + out).c_str()) ==
          0);
  std::ifstream file(out);
  std::stringstream text;
  text << file.rdbuf();
  std::filesystem::remove_all(folder);
  return text.str();
}

}  // namespace

TEST_CASE("GCC and clang give the same bits, with and without the processor's own instructions", "[pair]") {
  const std::string expected = here();
  for (const char* compiler : {"g++", "clang++-19"}) {
    for (const char* options : {"-O1", "-O2 -march=native"}) {
      INFO(compiler << " " << options);
      const std::string given = elsewhere(compiler, options);
      if (given.empty()) {
        WARN("there is no " << compiler);
        continue;
      }
      CHECK(given == expected);
    }
  }
}
