// cairn graph: files, modules, and who imports whom (tools, 3.11).
#include <nlohmann/json.hpp>

#include "frontend/report/module_graph.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/running.hpp"

namespace cairn::cli {

namespace {

std::string joined(const nlohmann::ordered_json& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name.get<std::string>();
  return text;
}

std::string for_people(const nlohmann::ordered_json& graph) {
  const auto counted = [&](const char* key, std::string_view what) {
    const std::size_t count = graph[key].size();
    return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
  };
  std::string text = counted("files", "file") + ", " + counted("modules", "module") + "\n";
  for (const auto& name : graph["order"]) {
    const auto& module = graph["modules"][name.get<std::string>()];
    const std::string shown = name.get<std::string>();
    text += "  " + (shown.empty() ? "root module" : shown);
    if (!module["imports"].empty()) text += " imports " + joined(module["imports"]);
    text += "\n";
  }
  return text;
}

}  // namespace

int graph_command(const Invocation& invocation) {
  const Output output(invocation);
  const auto session = Session::open(invocation.path(), session_options(invocation));
  const bool interfaces = invocation.has(Option::Interfaces);
  // Without interfaces nothing is judged: a program that parsed has a graph.
  const bool parsed = !session->compilation().tree.declarations.empty();
  if (!session->accepted() && (interfaces || !parsed)) return output.refuse(session->verdict(), session->sources());
  const nlohmann::ordered_json graph = module_graph(session->compilation(), interfaces);
  if (output.json()) {
    output.record(graph);
  } else {
    output.say(for_people(graph));
  }
  return kGood;
}

}  // namespace cairn::cli
