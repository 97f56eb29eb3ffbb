#include "frontend/report/explain.hpp"

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "frontend/check/body_walk.hpp"
#include "frontend/check/rows.hpp"
#include "frontend/report/cooperative_report.hpp"
#include "frontend/report/guards.hpp"
#include "frontend/report/layout_report.hpp"

namespace cairn {

namespace {

using Json = nlohmann::ordered_json;
using namespace checked;

constexpr LabelSet kCostly =
    labels(Label::Alloc, Label::Spawn, Label::Join, Label::Lock, Label::Io, Label::ParHost, Label::ParDevice,
           Label::TransferD2D, Label::TransferD2H, Label::TransferH2D, Label::TransferH2H, Label::GpuAlloc);

class Explanation {
 public:
  explicit Explanation(const Compilation& compilation) : compilation_(compilation), names_(compilation.names) {}

  Json function(const Function& function) const {
    Json record;
    record["effects"] = texts(*function.row, function, names_);
    record["guards"] = guards(function);
    Json allocations = Json::array();
    Json calls = Json::array();
    Json waits = Json::array();
    Json regions = Json::array();
    std::map<const Expr*, Name> owners;
    const auto on_expression = [&](const Expr& root) {
      if (root.kind == ExprKind::BufNew || root.kind == ExprKind::DynNew) {
        Json entry = allocation(root.position, root.kind == ExprKind::BufNew ? "Buf" : "Dyn", root.type);
        if (const auto owner = owners.find(&root); owner != owners.end()) entry["owner"] = names_.text(owner->second);
        allocations.push_back(std::move(entry));
      }
      if (root.kind == ExprKind::Call) add_call(*root.as<CallExpr>().callee, root.position, calls);
      if (root.kind == ExprKind::Print)
        calls.push_back({{"call", "print"}, {"line", line(root.position)}, {"costs", {"io"}}});
      if (root.kind == ExprKind::Transfer)
        calls.push_back({{"call", "transfer"}, {"line", line(root.position)}, {"costs", {"transfer"}}});
    };
    const auto on_statement = [&](const Stmt& root) {
      if (root.kind == StmtKind::Storage && root.as<StorageStmt>().local->kind == LocalKind::Buffer) {
        const Local& local = *root.as<StorageStmt>().local;
        Json entry = allocation(root.position, "buffer", local.type->element);
        entry["owner"] = names_.text(local.name);
        allocations.push_back(std::move(entry));
      }
      if (root.kind == StmtKind::Let && root.as<LetStmt>().local != nullptr) {
        owners.emplace(root.as<LetStmt>().value, root.as<LetStmt>().local->name);  // seen before its expression
      }
      if (root.kind == StmtKind::Parallel) waits.push_back({{"what", "parallel"}, {"line", line(root.position)}});
      if (root.kind == StmtKind::Reduce && root.as<ReduceStmt>().parallel) {
        waits.push_back({{"what", "reduce"}, {"line", line(root.position)}});
      }
      if (root.kind == StmtKind::Scan && root.as<ScanStmt>().parallel) {
        waits.push_back({{"what", "scan"}, {"line", line(root.position)}});
      }
      if (root.kind == StmtKind::Cooperative) {
        regions.push_back(cooperative_explanation(root.as<CooperativeStmt>(), compilation_.sources, names_));
        waits.push_back({{"what", "blocks"}, {"line", line(root.position)}});
      }
      if (root.kind == StmtKind::Barrier) waits.push_back({{"what", "barrier"}, {"line", line(root.position)}});
    };
    walk_body(function, on_expression, on_statement);
    record["allocations"] = std::move(allocations);
    record["costly_calls"] = std::move(calls);
    record["synchronization"] = std::move(waits);
    if (!regions.empty()) record["cooperative"] = std::move(regions);
    return record;
  }

 private:
  std::uint32_t line(Position position) const { return compilation_.sources.locate(position).line; }

  Json guards(const Function& function) const {
    const auto sites = guard_sites(function);
    Json record;
    record["sites"] = counts(sites, false);
    record["discharged"] = counts(sites, true);
    record["by_line"] = by_line(sites, false);
    record["discharged_by_line"] = by_line(sites, true);
    return record;
  }

  static Json counts(const std::vector<GuardSite>& sites, bool discharged) {
    Json kinds = Json::object();
    for (const auto& [kind, count] : count_by_kind(sites, discharged)) kinds[std::string(kind)] = count;
    return kinds;
  }

  Json by_line(const std::vector<GuardSite>& sites, bool discharged) const {
    std::map<std::uint32_t, std::vector<GuardSite>> lines;
    for (const GuardSite& site : sites) {
      if (site.discharged || !discharged) lines[line(site.position)].push_back(site);
    }
    Json record = Json::object();
    for (const auto& [number, here] : lines) record[std::to_string(number)] = counts(here, discharged);
    return record;
  }

  Json allocation(Position position, std::string_view what, const Type* type) const {
    return {{"what", what}, {"type", type->name}, {"line", line(position)}};
  }

  void add_call(const Function& callee, Position position, Json& calls) const {
    if (callee.row == nullptr) return;
    Json costs = Json::array();
    for (std::size_t k = 0; k < kLabelCount; ++k) {
      const auto label = static_cast<Label>(k);
      if ((bit(label) & kCostly) != 0 && callee.row->has(label)) costs.push_back(text(label));
    }
    if (costs.empty()) return;
    calls.push_back({{"call", callee.name}, {"line", line(position)}, {"costs", std::move(costs)}});
  }

  const Compilation& compilation_;
  const NameTable& names_;
};

}  // namespace

Json explanation(const Compilation& compilation) {
  const Explanation explain(compilation);
  std::map<std::string_view, const Function*> sorted;
  for (const auto& function : compilation.program.functions) {
    const bool is_own = function->parent == nullptr && function->kind != FunctionKind::Extern && !function->library;
    if (is_own) sorted.emplace(function->name, function.get());
  }
  Json functions = Json::object();
  for (const auto& [name, function] : sorted) functions[std::string(name)] = explain.function(*function);
  Json record;
  record["functions"] = std::move(functions);
  if (!compilation.program.layouts.empty()) {
    Json layouts = Json::object();
    for (const LayoutValue* layout : compilation.program.layouts) {
      const std::string_view module = compilation.names.text(layout->declaration->module);
      const std::string name = (module.empty() ? std::string() : std::string(module) + ".") +
                               std::string(compilation.names.text(layout->declaration->name.name));
      layouts[name] = layout_explanation(*layout, compilation.program, compilation.names);
    }
    record["layouts"] = std::move(layouts);
  }
  return record;
}

}  // namespace cairn
