#include "frontend/report/module_graph.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "frontend/expand/program_names.hpp"
#include "frontend/report/receipt.hpp"
#include "frontend/support/sha256.hpp"

namespace cairn {

namespace {

using Json = nlohmann::ordered_json;
using namespace syntax;

struct ModuleEntry {
  Name name;
  std::set<std::string> imports;
  std::set<std::string_view> exports;
  std::set<std::string> dependents;
  std::string text;  // of its declarations, in order
};

class Graph {
 public:
  explicit Graph(const Compilation& compilation) : compilation_(compilation), names_(compilation.names) {
    for (const Decl* declaration : compilation.tree.declarations) enter(*declaration);
    for (auto& [module, entry] : modules_) {
      for (const std::string& import : entry.imports) {
        if (const auto found = modules_.find(import); found != modules_.end())
          found->second.dependents.insert(std::string(module));
      }
    }
  }

  Json record(bool interfaces) const {
    Json record;
    record["files"] = files();
    Json modules = Json::object();
    for (const auto& [module, entry] : modules_) {
      Json fields;
      fields["imports"] = entry.imports;
      fields["exports"] = entry.exports;
      fields["dependents"] = entry.dependents;
      fields["source_sha256"] = sha256_hex(entry.text);
      if (interfaces) fields["interface_sha256"] = interface_digest(compilation_, entry.name);
      modules[module] = std::move(fields);
    }
    record["modules"] = std::move(modules);
    record["order"] = order();
    return record;
  }

 private:
  bool is_library(const Decl& declaration) const {
    const SourceFile* file = compilation_.sources.file_at(declaration.position);
    return file != nullptr && file->library;
  }

  void enter(const Decl& declaration) {
    if (is_library(declaration) || !declaration.derived.empty()) return;
    if (declaration.kind == DeclKind::Function && declaration.as<FunctionDecl>().copy_of != nullptr) return;
    ModuleEntry& entry = modules_[std::string(names_.text(declaration.module))];
    entry.name = declaration.module;
    const SourceFile* file = compilation_.sources.file_at(declaration.position);
    if (file != nullptr) by_file_[file->begin].insert(std::string(names_.text(declaration.module)));
    entry.text += std::string(compilation_.sources.text(declaration.span)) + "\n";
    if (declaration.kind == DeclKind::Import) {
      entry.imports.insert(dotted_text(declaration.as<ImportDecl>().path, names_));
    } else if (is_exported(declaration) && declaration.name.name && declaration.kind != DeclKind::Module &&
               declaration.kind != DeclKind::Test) {
      entry.exports.insert(names_.text(declaration.name.name));
    }
  }

  Json files() const {
    Json all = Json::array();
    for (std::uint32_t k = 0; k < compilation_.sources.size(); ++k) {
      const SourceFile& file = compilation_.sources.file(k);
      if (file.library) continue;
      Json entry;
      entry["path"] = file.path;
      const auto found = by_file_.find(file.begin);
      entry["modules"] = found == by_file_.end() ? std::set<std::string>() : found->second;
      all.push_back(std::move(entry));
    }
    return all;
  }

  /// Depth first over imports, in name order; a module that is met again on its own path is passed over.
  std::vector<std::string> order() const {
    std::vector<std::string> out;
    std::set<std::string> seen;
    struct Step {
      const std::string* module;
      std::set<std::string>::const_iterator next;
    };
    for (const auto& [start, unused] : modules_) {
      std::vector<Step> path;
      const auto open = [&](const std::string& module) {
        const auto found = modules_.find(module);
        if (found == modules_.end() || !seen.insert(module).second) return;
        path.push_back({&found->first, found->second.imports.begin()});
      };
      open(start);
      while (!path.empty()) {
        Step& step = path.back();
        const auto& imports = modules_.at(*step.module).imports;
        if (step.next != imports.end()) {
          const std::string& import = *step.next++;
          open(import);
          continue;
        }
        out.push_back(*step.module);
        path.pop_back();
      }
    }
    return out;
  }

  const Compilation& compilation_;
  const NameTable& names_;
  std::map<std::string, ModuleEntry> modules_;
  std::map<std::uint32_t, std::set<std::string>> by_file_;  // by where the file begins
};

}  // namespace

Json module_graph(const Compilation& compilation, bool interfaces) { return Graph(compilation).record(interfaces); }

}  // namespace cairn
