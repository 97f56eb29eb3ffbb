// cairn rules: the card of a code, a card by name, the cards a program selects, or the list (tools, 3.6).
#include <filesystem>

#include <nlohmann/json.hpp>

#include "frontend/diagnostics/cards.hpp"
#include "frontend/project/project.hpp"
#include "vm/cli/commands/commands.hpp"

namespace cairn::cli {

namespace {

constexpr std::string_view kSchema = "cairn.rules/1";

bool is_code(std::string_view word) {
  if (!word.starts_with("E-")) return false;
  bool after_dash = true;  // a part between dashes is not empty
  for (const char c : word.substr(2)) {
    if (c == '-' ? after_dash : !((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) return false;
    after_dash = c == '-';
  }
  return !after_dash;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

std::string codes_text(const Card& card) {
  const std::string codes = joined(codes_of(card));
  return codes.empty() ? "it has no code of its own" : codes;
}

nlohmann::ordered_json words_record(std::string_view words) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  while (!words.empty()) {
    const std::size_t space = words.find(' ');
    list.push_back(words.substr(0, space));
    words.remove_prefix(space == std::string_view::npos ? words.size() : space + 1);
  }
  return list;
}

nlohmann::ordered_json card_record(const Card& card, bool listed) {
  nlohmann::ordered_json record = {{"name", card.name}, {"kind", text(card.kind)}, {"codes", codes_of(card)}};
  if (listed) {
    record["words"] = words_record(card.words);
  } else {
    record["text"] = card_text(card);
  }
  return record;
}

std::string card_for_people(const Card& card, std::string_view code) {
  const std::string name(card.name);
  const std::string head =
      code.empty() ? "The " + name + " card" : std::string(code) + " is a rule of the " + name + " card";
  return head + ": " + codes_text(card) + "\n\n" + std::string(card_text(card));
}

int answer_with(const Output& output, std::string_view asked, std::string_view code, const Card& card) {
  if (!output.json()) {
    output.say(card_for_people(card, code));
    return kGood;
  }
  nlohmann::ordered_json record = {{"schema", kSchema}, {"asked", asked}};
  if (!code.empty()) record["code"] = code;
  record["cards"] = nlohmann::ordered_json::array({card_record(card, false)});
  output.record(record);
  return kGood;
}

int answer_with_list(const Output& output) {
  if (output.json()) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Card& card : cards()) list.push_back(card_record(card, true));
    output.record({{"schema", kSchema}, {"asked", nullptr}, {"cards", std::move(list)}});
    return kGood;
  }
  std::string text;
  for (const Card& card : cards()) {
    text += std::string(card.name) + " (" + std::string(cairn::text(card.kind)) + "): " + codes_text(card);
    if (!card.words.empty()) text += "; words: " + std::string(card.words);
    text += "\n";
  }
  output.say(text);
  return kGood;
}

int answer_with_selection(const Output& output, std::string_view path) {
  SourceMap sources;
  const auto project = load_project(path, sources);
  if (!project) return output.refuse(project.error());
  CardSelection selection;
  for (std::uint32_t file = 0; file < sources.size(); ++file) {
    if (sources.file(file).own) selection.add(sources.file(file).text);
  }
  if (output.json()) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Card* card : selection.selected()) list.push_back(card_record(*card, false));
    nlohmann::ordered_json always = nlohmann::ordered_json::array();
    for (const std::string_view name : kStandingCards) always.push_back(name);
    output.record({{"schema", kSchema}, {"asked", path}, {"always", std::move(always)}, {"cards", std::move(list)}});
    return kGood;
  }
  std::string text;
  for (const Card* card : selection.selected()) text += (text.empty() ? "" : "\n") + card_for_people(*card, "");
  if (text.empty()) text = "Nothing beyond the cards base, integers and calls.\n";
  output.say(text);
  return kGood;
}

Diagnostic no_rule(std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = Code::Rule;
  diagnostic.message = std::move(message);
  return diagnostic;
}

}  // namespace

int rules_command(const Invocation& invocation) {
  const Output output(invocation);
  if (invocation.has(Option::List) || invocation.operands().empty()) return answer_with_list(output);
  const std::string_view asked = invocation.operands().front();
  if (is_code(asked)) {
    const std::optional<Code> code = code_of(asked);
    if (code) return answer_with(output, asked, asked, *card_named(info(*code).card));
    return output.refuse(
        no_rule("No card states " + std::string(asked) + ": this implementation never gives that code."));
  }
  if (const Card* card = card_named(asked)) return answer_with(output, asked, "", *card);
  std::error_code error;
  if (std::filesystem::exists(asked, error)) return answer_with_selection(output, asked);
  return output.refuse(
      no_rule("\"" + std::string(asked) + "\" is no code, no card and no path. cairn rules --list shows every card."));
}

}  // namespace cairn::cli
