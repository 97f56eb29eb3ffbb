#include <catch2/catch.hpp>

#include <algorithm>

#include "frontend/diagnostics/cards.hpp"
#include "frontend/diagnostics/code.hpp"

namespace cairn {

namespace {

std::vector<std::string_view> selected_by(std::string_view source) {
  CardSelection selection;
  selection.add(source);
  std::vector<std::string_view> names;
  for (const Card* card : selection.selected()) names.push_back(card->name);
  return names;
}

/// The code standing in the text as a whole: E-SCAN-OP is not said by E-SCAN-OPEN.
bool says(std::string_view text, std::string_view code) {
  for (std::size_t at = text.find(code); at != std::string_view::npos; at = text.find(code, at + 1)) {
    const std::size_t end = at + code.size();
    if (end == text.size() || (text[end] != '-' && !(text[end] >= 'A' && text[end] <= 'Z'))) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("every card has a text that speaks of each of its codes", "[diagnostics]") {
  for (const Card& card : cards()) {
    const std::string_view text = card_text(card);
    INFO("card " << card.name);
    CHECK(text.size() > 100);
    CHECK(text.ends_with(".\n"));
    for (const std::string_view code : codes_of(card)) {
      INFO("code " << code);
      CHECK(says(text, code));
    }
  }
}

TEST_CASE("every code is owned by a card and floats owns none", "[diagnostics]") {
  CHECK(card_named(info(Code::Leased).card)->name == "tasks");
  CHECK(codes_of(*card_named("tasks")) == std::vector<std::string_view>{"E-LEASED", "E-SPAWN"});
  CHECK(codes_of(*card_named("floats")).empty());
  CHECK(card_named("nonsense") == nullptr);
  for (const Card& card : cards()) CHECK(std::ranges::is_sorted(codes_of(card)));
}

TEST_CASE("a card is selected by a token and never by a comment, a string or part of a word", "[diagnostics]") {
  CHECK(selected_by("let t = spawn f(x);") == std::vector<std::string_view>{"tasks"});
  CHECK(selected_by("// spawn\nlet s = \"spawn\"; let spawned = 1;").empty());
}

TEST_CASE("blocks and threads select the cooperative card only together", "[diagnostics]") {
  CHECK(selected_by("let blocks = 1;").empty());
  CHECK(selected_by("let threads = 1;").empty());
  CHECK(selected_by("blocks b in g threads t in 64 {}") == std::vector<std::string_view>{"cooperative"});
  CHECK(selected_by("barrier;") == std::vector<std::string_view>{"cooperative"});
}

TEST_CASE("a function type selects the closures card and a function declaration does not", "[diagnostics]") {
  CHECK(selected_by("fn twice(x:u64) -> u64 = x;").empty());
  CHECK(selected_by("struct H { run:fn(u64) -> u64; }") == std::vector<std::string_view>{"records", "closures"});
}

TEST_CASE("selected cards come in the order of the list, each once", "[diagnostics]") {
  CHECK(selected_by("println(); wait(t); struct R {} print(); grad") ==
        std::vector<std::string_view>{"gradients", "records", "tasks", "printing"});
}

}  // namespace cairn
