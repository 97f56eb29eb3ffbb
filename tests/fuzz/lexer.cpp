// Any bytes as text: the lexer refuses it, or cuts it into tokens and comments that lie in order, overlap nowhere and
// leave nothing but white space between them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "frontend/syntax/dump.hpp"
#include "frontend/syntax/lexer.hpp"

namespace {

void only_space(const std::string& text, std::size_t begin, std::size_t end) {
  if (begin > end || text.substr(begin, end - begin).find_first_not_of(" \t\r\n\f\v") != std::string::npos)
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cairn::SourceMap sources;
  const std::uint32_t file = sources.add("fuzz.cairn", std::string(reinterpret_cast<const char*>(data), size));
  cairn::NameTable names;
  const cairn::syntax::Words words(names);
  const std::string& text = sources.file(file).text;
  try {
    const auto stream = cairn::syntax::lex(sources, file, 1, names, words, cairn::syntax::Comments::Keep);
    std::size_t covered = 0;
    auto comment = stream.comments.begin();
    for (const auto& token : stream.tokens) {
      for (; comment != stream.comments.end() && comment->position < token.position; ++comment) {
        const std::size_t begin = comment->position.offset - 1;
        only_space(text, covered, begin);
        covered = begin + comment->length;
      }
      const std::size_t begin = token.position.offset - 1;
      only_space(text, covered, begin);
      covered = begin + token.length();
    }
    if (covered != text.size() || comment != stream.comments.end()) std::abort();
    if (size < 4096) static_cast<void>(cairn::syntax::dump_tokens(sources, file, 1, names));
  } catch (const cairn::Refusal& refusal) {  // a refusal is an answer, and points into the text
    if (refusal.diagnostic.position.offset - 1 > text.size()) std::abort();
  }
  return 0;
}
