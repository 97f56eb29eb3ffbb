// cairn cards: the GPUs that predict can price (tools, 12.6).
#include "vm/predict/cards.hpp"

#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "vm/cli/commands/commands.hpp"
#include "vm/cli/output.hpp"

namespace cairn::cli {

int cards_command(const Invocation& invocation) {
  const Output output(invocation);
  if (output.json()) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const predict::Card& card : predict::cards()) all.push_back(predict::record_of(card));
    output.record({{"schema", "cairn.cards/1"}, {"cards", std::move(all)}});
    return kGood;
  }
  const auto figure = [](double value) {
    std::array<char, 24> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%g", value);
    return value == 0 ? std::string("-") : std::string(buffer.data());
  };
  std::string text;
  for (const predict::Card& card : predict::cards()) {
    std::array<char, 200> line{};
    std::snprintf(line.data(), line.size(), "%-15s %4s %4d %6s %6s %7s %7s %7s  %s\n", std::string(card.key).c_str(),
                  card.capability().c_str(), card.sms, figure(card.ghz).c_str(), figure(card.dram_gbps).c_str(),
                  figure(card.f32).c_str(), figure(card.tensor_f16).c_str(), figure(card.tensor_f8).c_str(),
                  std::string(card.name).c_str());
    text += line.data();
  }
  output.say(text);
  return kGood;
}

}  // namespace cairn::cli
