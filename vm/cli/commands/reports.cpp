// The commands that tell of an accepted program without running it: expand, doc, explain, graph, find (tools, 3.7
// and 3.9 to 3.12).
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "frontend/expand/expand.hpp"
#include "frontend/report/doc.hpp"
#include "frontend/report/explain.hpp"
#include "frontend/report/find.hpp"
#include "frontend/report/module_graph.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/session.hpp"

namespace cairn::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// The program of the operand, or null after its refusal was printed and `status` set.
std::unique_ptr<Session> accepted_program(std::string_view path, const Output& output, int& status) {
  SessionOptions options;
  options.first_only = true;
  auto session = Session::open(path, options);
  if (session->accepted()) return session;
  status = output.refuse(session->verdict(), session->sources());
  return nullptr;
}

/// `key: a, b` lines of a value for people; nested ones are indented.
void add_lines(std::string& text, std::string_view key, const Json& value, std::size_t indent) {
  const std::string margin(2 * indent, ' ');
  if (value.is_object()) {
    if (value.empty()) return;
    text += margin + std::string(key) + ":\n";
    for (const auto& [name, each] : value.items()) add_lines(text, name, each, indent + 1);
  } else if (value.is_array()) {
    if (value.empty()) return;
    const bool plain = std::ranges::all_of(value, [](const Json& each) { return each.is_primitive(); });
    if (plain) {
      std::string joined;
      for (const Json& each : value) {
        if (!joined.empty()) joined += ", ";
        joined += each.is_string() ? each.get<std::string>() : each.dump();
      }
      text += margin + std::string(key) + ": " + joined + "\n";
      return;
    }
    text += margin + std::string(key) + ":\n";
    for (const Json& each : value) {
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

std::string shown(const Json& record) {
  std::string text;
  for (const auto& [name, value] : record.items()) add_lines(text, name, value, 0);
  return text;
}

/// Writes each page to a file of its own; what stands in the way, or nothing.
std::string write_pages(const fs::path& folder, std::span<const ModulePage> pages) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return folder.string() + " cannot be made: " + error.message() + ".";
  for (const ModulePage& page : pages) {
    const fs::path file = folder / ((page.module.empty() ? "root" : page.module) + ".md");
    std::ofstream out(file, std::ios::binary);
    out << page.markdown;
    out.close();
    if (!out) return file.string() + " cannot be written.";
  }
  return {};
}

}  // namespace

int expand_command(const Invocation& invocation) {
  const Output output(invocation);
  int status = kGood;
  const auto session = accepted_program(invocation.path(), output, status);
  if (session == nullptr) return status;
  output.say(expansion_text(session->compilation()));
  return kGood;
}

int doc_command(const Invocation& invocation) {
  const Output output(invocation);
  DocOptions options;
  options.library = invocation.has(Option::Std);
  for (const std::string_view module : invocation.texts(Option::Module)) options.modules.emplace_back(module);
  int status = kGood;
  std::unique_ptr<Session> session;
  if (options.library) {
    session = Session::open_library();
    if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  } else {
    session = accepted_program(invocation.path(), output, status);
    if (session == nullptr) return status;
  }
  const auto pages = doc_pages(session->compilation(), options);
  if (invocation.has(Option::Pages)) {
    const std::string fault = write_pages(fs::path(invocation.text(Option::Pages)), pages);
    return fault.empty() ? kGood : output.refuse(no_verdict(fault));
  }
  std::string text;
  for (const ModulePage& page : pages) {
    if (!text.empty()) text += "\n";
    text += page.markdown;
  }
  output.say(text);
  return kGood;
}

int explain_command(const Invocation& invocation) {
  const Output output(invocation);
  int status = kGood;
  const auto session = accepted_program(invocation.path(), output, status);
  if (session == nullptr) return status;
  Json record = explanation(session->compilation());
  const auto symbols = invocation.texts(Option::Symbols);
  if (!symbols.empty()) {
    Json chosen = Json::object();
    for (const std::string_view symbol : symbols) {
      const std::string name(symbol);
      if (!record["functions"].contains(name)) {
        return output.refuse(no_verdict("The program has no function " + name + "."));
      }
      chosen[name] = record["functions"][name];
    }
    record["functions"] = std::move(chosen);
  }
  if (output.json()) {
    output.record(record);
  } else {
    output.say(shown(record["functions"]) + (record.contains("layouts") ? shown(record["layouts"]) : ""));
  }
  return kGood;
}

int graph_command(const Invocation& invocation) {
  const Output output(invocation);
  int status = kGood;
  const auto session = accepted_program(invocation.path(), output, status);
  if (session == nullptr) return status;
  const Json record = module_graph(session->compilation(), invocation.has(Option::Interfaces));
  if (output.json()) {
    output.record(record);
  } else {
    output.say(shown(record));
  }
  return kGood;
}

int find_command(const Invocation& invocation) {
  const Output output(invocation);
  FindQuery query;
  for (const std::string_view word : invocation.operands()) query.words.emplace_back(word);
  for (const std::string_view type : invocation.texts(Option::TakesType)) query.takes.emplace_back(type);
  if (invocation.has(Option::Returns)) query.returns = std::string(invocation.text(Option::Returns));
  if (invocation.has(Option::Effects)) query.effects = std::string(invocation.text(Option::Effects));
  query.limit = static_cast<std::size_t>(invocation.number(Option::Limit).value_or(20));
  int status = kGood;
  const auto session = accepted_program(invocation.text(Option::In, "."), output, status);
  if (session == nullptr) return status;
  FindResult found;
  try {
    found = find_declarations(session->compilation(), query);
  } catch (const Refusal& refusal) {  // a type that is none
    return output.refuse(refusal.diagnostic, session->sources());
  }
  if (output.json()) {
    Json record;
    record["hits"] = Json::array();
    for (const FindHit& hit : found.hits) {
      record["hits"].push_back({{"name", hit.name},
                                {"kind", hit.kind},
                                {"signature", hit.signature},
                                {"comment", hit.comment},
                                {"effects", hit.effects},
                                {"place", hit.place}});
    }
    record["omitted"] = found.omitted;
    output.record(record);
    return kGood;
  }
  std::string text;
  for (const FindHit& hit : found.hits) {
    text += hit.signature + "  // " + hit.place + "\n";
    if (!hit.comment.empty()) text += "    " + hit.comment + "\n";
    if (!hit.effects.empty()) text += "    effects: " + hit.effects + "\n";
  }
  if (found.hits.empty()) text = "nothing found\n";
  if (found.omitted > 0) text += "and " + std::to_string(found.omitted) + " more\n";
  output.say(text);
  return kGood;
}

}  // namespace cairn::cli
