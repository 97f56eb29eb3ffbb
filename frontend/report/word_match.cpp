#include "frontend/report/word_match.hpp"

#include <array>
#include <cctype>

namespace cairn {

namespace {

constexpr std::size_t kShortestStem = 3;

bool ends_with_any(std::string& word, std::string_view ending) {
  if (!word.ends_with(ending) || word.size() < ending.size() + kShortestStem) return false;
  word.resize(word.size() - ending.size());
  return true;
}

/// The first ending that fits is cut; then a doubled consonant and a final e, so that run, runs and running are one.
std::string stem(std::string word) {
  constexpr std::array<std::string_view, 9> endings = {"ations", "ation", "ings", "ing", "ers", "er", "ed", "ly", "s"};
  if (word.ends_with("ies") && word.size() > 4) word.replace(word.size() - 3, 3, "y");
  for (const std::string_view ending : endings) {
    if (ending == "s" && (word.ends_with("ss") || word.ends_with("us"))) continue;
    if (ends_with_any(word, ending)) break;
  }
  const std::size_t size = word.size();
  if (size > kShortestStem && word[size - 1] == word[size - 2] && word[size - 1] != 's' && word[size - 1] != 'l')
    word.pop_back();
  if (word.size() > kShortestStem && word.ends_with('e')) word.pop_back();
  return word;
}

}  // namespace

std::vector<std::string> stemmed_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(stem(std::move(word)));
    word.clear();
  };
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto c = static_cast<unsigned char>(text[k]);
    if (std::isalnum(c) == 0) {
      finish();
      continue;
    }
    const bool begins = std::isupper(c) != 0 && k > 0 && std::islower(static_cast<unsigned char>(text[k - 1])) != 0;
    if (begins) finish();
    word.push_back(static_cast<char>(std::tolower(c)));
  }
  finish();
  return words;
}

}  // namespace cairn
