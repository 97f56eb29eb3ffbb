// Any text as a program: the checker refuses it or accepts it, and never finds itself at fault; what it accepts is
// lowered to bytecode that the verifier takes. Mutations work on whole tokens, so that many inputs get past the parser.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/frontend.hpp"
#include "stdlib/embedded.hpp"
#include "vm/bytecode/verifier.hpp"
#include "vm/lower/lower.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

const std::string* packaged(std::string_view name) {
  static std::vector<std::pair<std::string, std::string>> texts = [] {
    std::vector<std::pair<std::string, std::string>> all;
    for (const cairn::EmbeddedModule& module : cairn::embedded_modules()) {
      all.emplace_back(std::string(module.name), std::string(module.text));
    }
    return all;
  }();
  const auto found = std::ranges::find(texts, name, [](const auto& entry) { return std::string_view(entry.first); });
  return found == texts.end() ? nullptr : &found->second;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The text cut into words, blanks and single marks; together they are the text again.
std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    const auto more = [&](auto accepts) {
      while (end < text.size() && accepts(text[end])) ++end;
    };
    if (is_word(text[at])) more(is_word);
    if (text[at] == ' ' || text[at] == '\n') more([](char c) { return c == ' ' || c == '\n'; });
    tokens.push_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::minstd_rand random(seed);
  std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string_view> tokens = tokens_of(text);
  if (tokens.size() < 4 || random() % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  static constexpr std::string_view kWords[] = {
      "0",        "1",      "-1",   "255", "4294967295", "18446744073709551615",
      "0.5",      "u8",     "u32",  "i64", "f32",        "f16",
      "ro",       "rw",     "mut",  "own", "unsafe",     "take",
      "parallel", "reduce", "fn",   "let", "var",        "match",
      "return",   "true",   "null", "[",   "]",          "("};
  std::vector<std::string_view> changed = tokens;
  const auto pick = [&] { return random() % changed.size(); };
  for (std::uint64_t changes = 1 + random() % 3; changes > 0 && changed.size() > 4; --changes) {
    const std::size_t at = pick();
    const auto place = changed.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 6) {
      case 0:
        changed.erase(place);
        break;
      case 1:
        changed.insert(place, tokens[random() % tokens.size()]);
        break;
      case 2:
        std::swap(changed[at], changed[pick()]);
        break;
      case 3:
        changed[at] = kWords[random() % std::size(kWords)];
        break;
      case 4: {  // a run of tokens once more somewhere else
        const std::size_t from = random() % tokens.size();
        const std::size_t count = std::min<std::size_t>(1 + random() % 24, tokens.size() - from);
        changed.insert(place, tokens.begin() + static_cast<std::ptrdiff_t>(from),
                       tokens.begin() + static_cast<std::ptrdiff_t>(from + count));
        break;
      }
      default: {  // one word for another
        const std::size_t other = random() % tokens.size();
        if (is_word(changed[at][0]) && is_word(tokens[other][0])) changed[at] = tokens[other];
        break;
      }
    }
  }
  std::string out;
  for (const std::string_view token : changed) out += token;
  out.resize(std::min(out.size(), max_size));
  std::memcpy(data, out.data(), out.size());
  return out.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cairn::Compilation compilation;
  compilation.sources.add("fuzz.cairn", std::string(reinterpret_cast<const char*>(data), size));
  cairn::CheckOptions options;
  options.packaged = packaged;
  options.emulate = true;
  check_program(compilation, options);
  for (const cairn::Diagnostic& refusal : compilation.verdict.refusals) {
    if (refusal.code == cairn::Code::Internal) {
      std::fprintf(stderr, "the checker is at fault: %s\n", refusal.message.c_str());
      std::abort();
    }
  }
  if (!compilation.verdict.accepted()) return 0;
  const cairn::lower::Lowered lowered = cairn::lower::lower_program(
      compilation, {.entry = compilation.program.main != nullptr, .tests = true, .keep_guards = false, .roots = {}});
  if (!lowered.failure.empty()) return 0;
  if (const auto fault = cairn::bytecode::verify(lowered.module)) {
    std::fprintf(stderr, "%s\n", describe(*fault, lowered.module).c_str());
    std::abort();
  }
  return 0;
}
