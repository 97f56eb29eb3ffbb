// Any bytes as the text of a program: the lexer and the parser give a tree or one refusal, and nothing else.
#include <cstddef>
#include <cstdint>
#include <string>

#include "frontend/syntax/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cairn::SourceMap sources;
  const std::uint32_t file = sources.add("fuzz.cairn", std::string(reinterpret_cast<const char*>(data), size));
  cairn::NameTable names;
  cairn::Arena arena;
  try {
    static_cast<void>(cairn::syntax::parse(sources, file, 1, names, arena));
  } catch (const cairn::Refusal&) {  // a refusal is an answer
  }
  return 0;
}
