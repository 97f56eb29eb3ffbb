// cairn find: functions by words or by types (tools, 3.12).
#include "frontend/report/find.hpp"

#include <nlohmann/json.hpp>

#include "vm/cli/commands/commands.hpp"
#include "vm/cli/running.hpp"

namespace cairn::cli {

namespace {

constexpr std::int64_t kDefaultLimit = 10;

std::string for_people(const FindResult& result) {
  std::string text;
  for (const FindHit& hit : result.hits) {
    text += hit.signature;
    if (!hit.effects.empty()) text += "  // effects: " + hit.effects;
    text += "\n  " + hit.name + ", " + hit.place + "\n";
    if (!hit.comment.empty()) text += "  " + hit.comment + "\n";
  }
  if (result.hits.empty()) text += "nothing found\n";
  if (result.omitted > 0) text += "and " + std::to_string(result.omitted) + " more\n";
  return text;
}

nlohmann::ordered_json record_of_hits(const FindResult& result) {
  nlohmann::ordered_json hits = nlohmann::ordered_json::array();
  for (const FindHit& hit : result.hits) {
    hits.push_back({{"name", hit.name},
                    {"kind", hit.kind},
                    {"signature", hit.signature},
                    {"comment", hit.comment},
                    {"effects", hit.effects},
                    {"place", hit.place}});
  }
  return {{"hits", std::move(hits)}, {"omitted", result.omitted}};
}

}  // namespace

int find_command(const Invocation& invocation) {
  const Output output(invocation);
  FindQuery query;
  query.words.assign(invocation.operands().begin(), invocation.operands().end());
  for (const std::string_view type : invocation.texts(Option::TakesType)) query.takes.emplace_back(type);
  if (invocation.has(Option::Returns)) query.returns = invocation.text(Option::Returns);
  if (invocation.has(Option::Effects)) query.effects = invocation.text(Option::Effects);
  query.limit = static_cast<std::size_t>(invocation.number(Option::Limit).value_or(kDefaultLimit));
  if (query.words.empty() && query.takes.empty() && !query.returns && !query.effects) {
    return output.refuse(no_verdict("What is to be found? Give words, --takes, --returns or --effects."));
  }
  const auto session = Session::open(invocation.text(Option::In, "."), session_options(invocation));
  if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  try {
    const FindResult result = find_declarations(session->compilation(), query);
    if (output.json()) {
      output.record(record_of_hits(result));
    } else {
      output.say(for_people(result));
    }
    return kGood;
  } catch (Refusal& refusal) {
    // Whatever the parser calls what is wrong with it, the text is no type.
    if (refusal.diagnostic.code != Code::Type) refusal.diagnostic.code = Code::Parse;
    return output.refuse(std::move(refusal.diagnostic), session->sources());
  }
}

}  // namespace cairn::cli
