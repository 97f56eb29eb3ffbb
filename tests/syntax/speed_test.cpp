#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>

#include "frontend/syntax/lexer.hpp"
#include "tests/syntax/parsing.hpp"

namespace cairn::syntax {

namespace {

/// Many small functions, as `bench/generate_program.py` writes them.
std::string small_functions(int lines) {
  std::string text;
  for (int k = 0, written = 0; written < lines; ++k, written += 9) {
    const std::string n = std::to_string(k);
    text += "struct Point" + n + " { x:i64; y:i64; }\nfn length" + n + "(p:Point" + n +
            ") -> i64 {\n  let dx = p.x * " + n +
            ";\n  if dx > p.y { return dx - p.y; }\n  return p.y + 1;\n}\nfn fill" + n +
            "(n:usize, out:rw<u32>[n], seed:u32) {\n  for i in 0..n { out[i] = mul_wrap(seed ^ u32(i), 16777619) % 7; "
            "}\n}\n";
  }
  return text;
}

template <class Function>
double least_milliseconds(Function function) {
  double least = 1e9;
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    function();
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count());
  }
  return least;
}

}  // namespace

// Not run by default: tests_syntax "[.speed]".
TEST_CASE("how long 20,000 lines of small functions take", "[.speed]") {
  SourceMap sources;
  sources.add("a.cairn", small_functions(20000));
  const double lexing = least_milliseconds([&] {
    NameTable names;
    const Words words(names);
    REQUIRE(lex(sources, 0, 1, names, words).tokens.size() > 1);
  });
  const double both = least_milliseconds([&] {
    NameTable names;
    Arena arena;
    REQUIRE_FALSE(parse(sources, 0, 1, names, arena).declarations.empty());
  });
  WARN("lexing " << lexing << " ms, lexing and parsing " << both << " ms");
}

}  // namespace cairn::syntax
