// Rule cards: short texts that state the rules a group of codes stands for, for `cairn rules`. Every code of the
// catalogue belongs to exactly one card (tools, 3.6). A new card is a row in cards.def and a text in cards/.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cairn {

enum class CardKind : std::uint8_t { Language, Tool };

struct Card {
  std::string_view name;
  CardKind kind;
  std::string_view words;  // trigger words, separated by spaces
};

[[nodiscard]] inline std::string_view text(CardKind kind) { return kind == CardKind::Language ? "language" : "tool"; }

/// Every card, in the order of the specification.
[[nodiscard]] std::span<const Card> cards();
[[nodiscard]] const Card* card_named(std::string_view name);
/// The card's text: paragraphs, lines of at most 100 columns, ending with a newline.
[[nodiscard]] std::string_view card_text(const Card& card);
/// The codes the card owns, sorted.
[[nodiscard]] std::vector<std::string_view> codes_of(const Card& card);

/// The cards whose rules hold for every program, and which no trigger word has to select.
inline constexpr std::string_view kStandingCards[] = {"base", "integers", "calls"};

/// Collects, over the texts of a program, the cards their tokens select. Comments and literals never count.
class CardSelection {
 public:
  CardSelection();
  void add(std::string_view source);
  /// In the order of cards(), without the standing ones.
  [[nodiscard]] std::vector<const Card*> selected() const;

 private:
  struct Trigger {
    const Card* card;
    std::string_view first;
    std::string_view second;  // of `a&b`, and "(" of `fn(`
    bool adjacent;
    bool saw_first = false, saw_second = false, holds = false;
  };
  std::vector<Trigger> triggers_;
};

}  // namespace cairn
