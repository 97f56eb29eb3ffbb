// cairn explain: where each function pays: guards, allocations, costly calls, waits (tools, 3.10).
#include "frontend/report/explain.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "vm/bytecode/emitted_guards.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/running.hpp"

namespace cairn::cli {

namespace {

std::string counts_text(const nlohmann::ordered_json& counts) {
  std::string text;
  for (const auto& [kind, count] : counts.items()) {
    text += (text.empty() ? "" : ", ") + std::to_string(count.get<std::size_t>()) + " " + kind;
  }
  return text.empty() ? "none" : text;
}

std::string line_of(const nlohmann::ordered_json& entry) { return std::to_string(entry["line"].get<std::size_t>()); }

/// A cooperative region: its block, and what the block's threads share.
std::string region_text(const nlohmann::ordered_json& region) {
  const auto number = [](const nlohmann::ordered_json& value) { return std::to_string(value.get<std::size_t>()); };
  const auto block = [&](const nlohmann::ordered_json& body) {
    std::string text = number(body["threads"]) + " threads, " + number(body["shared_bytes"]) + " shared bytes, " +
                       std::to_string(body["barriers"].size()) + " barriers, " +
                       std::to_string(body["warp_operations"].size()) + " warp operations\n";
    for (const auto& array : body["shared_arrays"]) {
      text += "    line " + line_of(array) + ": shared " + array["name"].get<std::string>() + ":" +
              array["type"].get<std::string>() + "[" + number(array["length"]) + "]" +
              (array["zeroed"].get<bool>() ? " zeroed" : "") + "\n";
    }
    for (const auto& pipeline : body["pipelines"]) {
      text += "    line " + line_of(pipeline) + ": pipeline " + pipeline["name"].get<std::string>() + ", depth " +
              number(pipeline["depth"]) + ", " + number(pipeline["stage_bytes"]) + " bytes a stage\n";
      for (const auto& wait : pipeline["waits"]) {
        text += "    line " + line_of(wait) + ": a wait that leaves " + number(wait["in_flight"]) + " in flight\n";
      }
    }
    return text;
  };
  std::string text =
      "  line " + line_of(region) + ": blocks on the " + region["runs_on"].get<std::string>() + ": " + block(region);
  if (region.contains("finish")) text += "  its finish: " + block(region["finish"]);
  return text;
}

std::string for_people(const std::string& name, const nlohmann::ordered_json& function) {
  const auto& guards = function["guards"];
  std::string text = name + ": guards " + counts_text(guards["sites"]);
  if (!guards["discharged"].empty()) text += "; proved and left out: " + counts_text(guards["discharged"]);
  text += "\n";
  for (const auto& [line, counts] : guards["by_line"].items()) {
    text += "  line " + line + ": " + counts_text(counts);
    const auto& proved = guards["discharged_by_line"];
    if (proved.contains(line)) text += "; proved: " + counts_text(proved[line]);
    text += "\n";
  }
  for (const auto& entry : function["allocations"]) {
    text += "  line " + line_of(entry) + ": allocates " + entry["what"].get<std::string>() + " " +
            entry["type"].get<std::string>();
    if (entry.contains("owner")) text += " for " + entry["owner"].get<std::string>();
    text += "\n";
  }
  for (const auto& entry : function["costly_calls"]) {
    std::string costs;
    for (const auto& cost : entry["costs"]) costs += (costs.empty() ? "" : ", ") + cost.get<std::string>();
    text += "  line " + line_of(entry) + ": calls " + entry["call"].get<std::string>() + ": " + costs + "\n";
  }
  for (const auto& entry : function["synchronization"]) {
    text += "  line " + line_of(entry) + ": waits at " + entry["what"].get<std::string>() + "\n";
  }
  if (function.contains("cooperative")) {
    for (const auto& region : function["cooperative"]) text += region_text(region);
  }
  return text;
}

/// `key: a, b` lines of a value for people; nested ones are indented.
void add_lines(std::string& text, std::string_view key, const nlohmann::ordered_json& value, std::size_t indent) {
  const std::string margin(2 * indent, ' ');
  if (value.is_object()) {
    if (value.empty()) return;
    text += margin + std::string(key) + ":\n";
    for (const auto& [name, each] : value.items()) add_lines(text, name, each, indent + 1);
  } else if (value.is_array()) {
    if (value.empty()) return;
    const bool plain =
        std::ranges::all_of(value, [](const nlohmann::ordered_json& each) { return each.is_primitive(); });
    if (plain) {
      std::string joined;
      for (const nlohmann::ordered_json& each : value) {
        if (!joined.empty()) joined += ", ";
        joined += each.is_string() ? each.get<std::string>() : each.dump();
      }
      text += margin + std::string(key) + ": " + joined + "\n";
      return;
    }
    text += margin + std::string(key) + ":\n";
    for (const nlohmann::ordered_json& each : value) {
      std::string line;
      for (const auto& [name, part] : each.items()) {
        if (!line.empty()) line += ", ";
        line += name + " " + (part.is_string() ? part.get<std::string>() : part.dump());
      }
      text += margin + "  " + line + "\n";
    }
  } else {
    text += margin + std::string(key) + ": " + (value.is_string() ? value.get<std::string>() : value.dump()) + "\n";
  }
}

std::string shown(const nlohmann::ordered_json& record) {
  std::string text;
  for (const auto& [name, value] : record.items()) add_lines(text, name, value, 0);
  return text;
}

/// Adds what guards the lowered code holds, to the functions that can be lowered.
void add_emitted(const Session& session, nlohmann::ordered_json& functions) {
  lower::Options options;
  options.entry = false;
  std::vector<std::string> names;
  for (const auto& function : session.compilation().program.functions) {
    const std::string name(function->name);
    if (function->parent != nullptr || function->body == nullptr || !functions.contains(name)) continue;
    options.roots.push_back(function.get());
    names.push_back(name);
  }
  const auto lowered = session.lower(options);
  if (!lowered) return;
  for (std::size_t i = 0; i < names.size(); ++i) {
    nlohmann::ordered_json counts = nlohmann::ordered_json::object();
    for (const auto& [kind, count] : bytecode::emitted_guards(lowered->module, lowered->roots[i])) {
      counts[std::string(kind)] = count;
    }
    functions[names[i]]["guards"]["emitted"] = std::move(counts);
  }
}

}  // namespace

int explain_command(const Invocation& invocation) {
  const Output output(invocation);
  const auto session = Session::open(invocation.path(), session_options(invocation));
  if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  nlohmann::ordered_json record = explanation(session->compilation());
  if (invocation.has(Option::Symbols)) {
    nlohmann::ordered_json chosen = nlohmann::ordered_json::object();
    for (const std::string_view symbol : invocation.texts(Option::Symbols)) {
      const std::string name(symbol);
      if (!record["functions"].contains(name)) {
        return output.refuse(no_verdict("The program has no function " + name + "."));
      }
      chosen[name] = record["functions"][name];
    }
    record["functions"] = std::move(chosen);
  }
  add_emitted(*session, record["functions"]);
  if (output.json()) {
    output.record(record);
    return kGood;
  }
  std::string text;
  for (const auto& [name, function] : record["functions"].items()) text += for_people(name, function);
  if (record.contains("layouts")) text += shown(record["layouts"]);
  output.say(text);
  return kGood;
}

}  // namespace cairn::cli
