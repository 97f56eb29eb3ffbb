// Any bytes as the text of a program: the lexer and the parser give a tree or one refusal, and nothing else. A tree
// prints as source that parses again, to a tree that prints the same, and every node's span lies in the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "frontend/syntax/dump.hpp"
#include "frontend/syntax/parser.hpp"
#include "frontend/syntax/printer.hpp"

namespace {

struct Parsed {
  cairn::SourceMap sources;
  cairn::NameTable names;
  cairn::Arena arena;
  cairn::syntax::Program program;
};

/// Every declaration in canonical source; empty when refused, with the code.
std::string printed(const std::string& text, Parsed& parsed, cairn::Code& refused) {
  const std::uint32_t file = parsed.sources.add("fuzz.cairn", text);
  try {
    parsed.program = cairn::syntax::parse(parsed.sources, file, 1, parsed.names, parsed.arena);
  } catch (const cairn::Refusal& refusal) {  // a refusal is an answer
    refused = refusal.diagnostic.code;
    return {};
  }
  std::string out;
  for (const cairn::syntax::Decl* decl : parsed.program.declarations) {
    if (decl->span.end.offset > parsed.sources.file(0).begin + parsed.sources.file(0).text.size()) std::abort();
    out += print(*decl, parsed.names) + "\n";
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Parsed first;
  Parsed second;
  cairn::Code refused{};
  const std::string once = printed(std::string(reinterpret_cast<const char*>(data), size), first, refused);
  if (once.empty()) return 0;
  static_cast<void>(dump_tree(first.sources, first.names, first.program));
  const std::string twice = printed(once, second, refused);
  // Written-out parentheses and elses may nest deeper than the limits; nothing else may differ.
  if (twice.empty() ? refused != cairn::Code::Depth : twice != once) std::abort();
  return 0;
}
