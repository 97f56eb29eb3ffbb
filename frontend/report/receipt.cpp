#include "frontend/report/receipt.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <nlohmann/json.hpp>

#include "frontend/check/body_walk.hpp"
#include "frontend/check/device_needs.hpp"
#include "frontend/check/rows.hpp"
#include "frontend/check/schedule_plans.hpp"
#include "frontend/check/syntax_walk.hpp"
#include "frontend/expand/program_names.hpp"
#include "frontend/report/guards.hpp"
#include "frontend/report/layout_report.hpp"
#include "frontend/report/numerics.hpp"
#include "frontend/support/sha256.hpp"
#include "frontend/syntax/printer.hpp"

namespace cairn {

namespace {

using Json = nlohmann::ordered_json;
using checked::Function;
using checked::FunctionKind;
using namespace syntax;

class Receipt {
 public:
  Receipt(Compilation& compilation, const ReceiptContext& context)
      : compilation_(compilation), names_(compilation.names), context_(context), table_(compilation.names) {
    for (const Decl* declaration : compilation.tree.declarations) enter_name(table_, names_, *declaration);
    find_selections();
  }

  Json record() {
    Json receipt;
    receipt["compiler"] = context_.compiler;
    receipt["source_sha256"] = context_.source_sha256;
    receipt["generated_sha256"] = context_.generated_sha256;
    receipt["runtime_sha256"] = context_.runtime_sha256;
    receipt["function_count"] = std::ranges::count_if(compilation_.program.functions,
                                                      [](const auto& function) { return is_listed(*function); });
    receipt["families"] = families();
    receipt["derivations"] = derivations();
    receipt["wire_derivations"] = wire_derivations();
    receipt["recipes"] = recipes();
    receipt["uninstantiated_templates"] = uninstantiated_templates();
    receipt["modules"] = module_interfaces(compilation_);
    receipt["requires"] = requirements();
    receipt["device_features"] = Json::array();
    for (const DeviceFeature* need : checked::device_needs(compilation_.program, compilation_.names)) {
      receipt["device_features"].push_back(need->name);
    }
    receipt["trusted_lowering_rules"] = Json::array();
    receipt["arithmetic_certificate"] = nullptr;
    receipt["functions"] = functions();
    if (!compilation_.program.layouts.empty()) receipt["layouts"] = layouts();
    receipt["formal_status"] = "not-verified";
    receipt["ffi_requires"] =
        "for each view of a nonzero extent: a pointer that is not null and aligned for the element type, memory for "
        "the "
        "whole extent, and no overlap of a view that is written with any other";
    receipt["target_profile"] = "64-bit, little-endian, IEEE 754 floats without contraction or reassociation";
    return receipt;
  }

 private:
  template <class Visit>
  static void for_each_assembly(const Function& function, Visit visit) {
    if (function.body == nullptr) return;
    checked::walk_body(
        function, [](const checked::Expr&) {},
        [&](const checked::Stmt& statement) {
          if (statement.kind == checked::StmtKind::Asm) visit(statement.as<checked::AsmStmt>());
        });
  }

  static std::string target_name(checked::AsmTarget target) {
    constexpr std::string_view kTargets[] = {"ptx", "x86_64", "aarch64"};
    return std::string(kTargets[static_cast<std::size_t>(target)]);
  }

  /// `cuda`, and each target of typed assembly.
  [[nodiscard]] Json requirements() const {
    std::vector<std::string> needs;
    if (checked::has_device_work(compilation_.program)) needs.emplace_back("cuda");
    for (const auto& function : compilation_.program.functions) {
      if (function->parent != nullptr) continue;
      for_each_assembly(*function, [&](const checked::AsmStmt& assembly) {
        const bool is_ptx = assembly.target == checked::AsmTarget::Ptx;
        std::string need = is_ptx ? "ptx:" + std::string(assembly.capability) : "asm:" + target_name(assembly.target);
        if (std::ranges::find(needs, need) == needs.end()) needs.push_back(std::move(need));
      });
    }
    return needs;
  }

  void add_assembly(const Function& function, Json& record) const {
    Json list = Json::array();
    for_each_assembly(function, [&](const checked::AsmStmt& assembly) {
      Json entry;
      entry["target"] = target_name(assembly.target);
      if (!assembly.capability.empty()) entry["needs"] = assembly.capability;
      entry["line"] = line_of(assembly.position);
      entry["volatile"] = assembly.is_volatile;
      entry["effects"] = Json::array();
      for (const std::string_view effect : assembly.effects) entry["effects"].push_back(effect);
      entry["clobbers"] = Json::array();
      for (const std::string_view clobber : assembly.clobbers) entry["clobbers"].push_back(clobber);
      list.push_back(std::move(entry));
    });
    if (!list.empty()) record["assembly"] = std::move(list);
  }

  std::string full_name(const Decl& declaration) const {
    const std::string_view module = names_.text(declaration.module);
    return (module.empty() ? std::string() : std::string(module) + ".") +
           std::string(names_.text(declaration.name.name));
  }

  template <class Visit>
  void for_each_declaration(DeclKind kind, Visit&& visit) const {
    for (const Decl* declaration : compilation_.tree.declarations) {
      if (declaration->kind == kind) visit(*declaration);
    }
  }

  const Decl* named(const Path& path, Name module, unsigned want) const {
    std::vector<Name> segments;
    for (const Identifier& segment : path.segments) segments.push_back(segment.name);
    return table_.lookup(segments, module, want).declaration;
  }

  // ------------------------------------------------------------------------------------------------- what was
  // generated

  Json families() const {
    Json all = Json::array();
    for_each_declaration(DeclKind::Family, [&](const Decl& declaration) {
      const auto& family = declaration.as<FamilyDecl>();
      all.push_back(
          {full_name(family), dotted_text(family.function, names_), Json::array({family.lo.value, family.hi.value})});
    });
    return all;
  }

  Json derivations() const {
    Json all = Json::array();
    for_each_declaration(DeclKind::Derive, [&](const Decl& declaration) {
      const auto& derive = declaration.as<DeriveDecl>();
      Json entry;
      entry["module"] = names_.text(derive.module);
      entry["recipe"] = dotted_text(derive.recipe, names_);
      Json naturals = Json::array();
      for (const DeriveArgument& argument : derive.arguments) {
        if (argument.is_natural) naturals.push_back(argument.natural.value);
      }
      entry["naturals"] = std::move(naturals);
      entry["for"] = nullptr;
      if (derive.has_target) entry["for"] = dotted_text(derive.target, names_);
      all.push_back(std::move(entry));
    });
    return all;
  }

  Json wire_derivations() {
    Json all = Json::array();
    for_each_declaration(DeclKind::Derive, [&](const Decl& declaration) {
      const auto& derive = declaration.as<DeriveDecl>();
      const Symbol recipe = recipe_named(table_, names_, derive);
      if (!recipe || !derive.has_target || full_name(*recipe.declaration) != "std.wire.wire") return;
      const Decl* target = named(derive.target, derive.module, kWantType);
      all.push_back(target == nullptr ? dotted_text(derive.target, names_) : full_name(*target));
    });
    return all;
  }

  Json recipes() const {
    std::map<std::string, std::string> all;
    for_each_declaration(DeclKind::Recipe, [&](const Decl& declaration) {
      all[full_name(declaration)] = sha256_hex(compilation_.sources.text(declaration.span));
    });
    Json record = Json::object();
    for (const auto& [name, digest] : all) record[name] = digest;
    return record;
  }

  Json uninstantiated_templates() const {
    std::unordered_set<const Decl*> made;
    for (const auto& function : compilation_.program.functions) made.insert(function->declaration);
    for_each_declaration(DeclKind::Function, [&](const Decl& declaration) {
      if (const FunctionDecl* original = declaration.as<FunctionDecl>().copy_of) made.insert(original);
    });
    std::set<std::string> all;
    for_each_declaration(DeclKind::Function, [&](const Decl& declaration) {
      const auto& function = declaration.as<FunctionDecl>();
      if (!function.signature.generics.empty() && !made.contains(&declaration)) all.insert(full_name(declaration));
    });
    return Json(std::vector<std::string>(all.begin(), all.end()));
  }

  // ----------------------------------------------------------------------------------------------------------
  // functions

  void find_selections() {
    for_each_declaration(DeclKind::Plan, [&](const Decl& declaration) {
      const auto& plan = declaration.as<PlanDecl>();
      if (!plan.selects) return;
      const Decl* function = named(plan.function, plan.module, kWantFunction);
      if (function == nullptr) return;
      std::string chosen = dotted_text(plan.chosen, names_);
      for (std::size_t k = 0; k < plan.values.size(); ++k) {
        chosen += (k == 0 ? "[" : ", ") + std::to_string(plan.values[k].value);
      }
      if (!plan.values.empty()) chosen += "]";
      selected_[function] = chosen;
    });
    for_each_declaration(DeclKind::Function, [&](const Decl& declaration) {
      const auto& function = declaration.as<FunctionDecl>();
      if (!function.implements.present) return;
      if (const Decl* reference = named(function.implements.reference, function.module, kWantFunction)) {
        implementations_[reference].push_back(&function);
      }
    });
  }

  Json functions() const {
    std::map<std::string_view, const Function*> sorted;
    for (const auto& function : compilation_.program.functions) {
      if (is_listed(*function)) sorted.emplace(function->name, function.get());
    }
    Json all = Json::object();
    for (const auto& [name, function] : sorted) all[std::string(name)] = function_record(*function);
    return all;
  }

  static Json counts(const std::vector<GuardSite>& sites, bool discharged) {
    Json record = Json::object();
    for (const auto& [kind, count] : count_by_kind(sites, discharged)) record[std::string(kind)] = count;
    return record;
  }
  static Json needed(const std::vector<GuardSite>& sites, const Function& function) {
    Json record = counts(sites, false);
    if (const std::size_t blocks = unsafe_blocks(function); blocks > 0) record["unsafe_blocks"] = blocks;
    return record;
  }

  static std::size_t unsafe_blocks(const syntax::Block& block) {
    std::size_t count = 0;
    const auto inside = [&](const syntax::Block& nested) { count += unsafe_blocks(nested); };
    for (const syntax::Stmt* statement : block.statements) {
      if (statement->kind == syntax::StmtKind::Unsafe) ++count;
      syntax::for_each_part(
          *statement,
          [&](const syntax::Expr& value) {
            syntax::for_each_expression(value, [&](const syntax::Expr& each) {
              syntax::for_each_operand(each, [](const syntax::Expr&) {}, inside);
              return true;
            });
          },
          inside);
    }
    return count;
  }
  static std::size_t unsafe_blocks(const Function& function) {
    const syntax::Decl& declaration = *function.declaration;
    const syntax::Block* body = nullptr;
    if (declaration.kind == syntax::DeclKind::Test) body = declaration.as<syntax::TestDecl>().body;
    if (declaration.kind == syntax::DeclKind::Function) body = declaration.as<syntax::FunctionDecl>().body;
    return body == nullptr ? 0 : unsafe_blocks(*body);
  }

  std::uint32_t line_of(Position position) const { return compilation_.sources.locate(position).line; }

  Json function_record(const Function& function) const {
    Json record;
    record["effects"] = checked::texts(*function.row, function, names_);
    record["calls"] = direct_calls(function);
    const std::vector<GuardSite> sites = guard_sites(function);
    record["syntactic_check_sites"] = needed(sites, function);
    record["discharged_check_sites"] = counts(sites, true);
    const auto roundings = numerics_of(function, names_);
    if (!roundings.empty()) {
      Json list = Json::array();
      for (const NumericsEntry& entry : roundings) {
        Json fields;
        fields["line"] = line_of(entry.position);
        for (const auto& [key, value] : entry.fields) fields[std::string(key)] = value;
        list.push_back(std::move(fields));
      }
      record["numerics"] = std::move(list);
    }
    if (const PlanDecl* plan = plans_.of(function)) {
      Json items;
      for (const PlanItem& item : plan->items) items[std::string(names_.text(item.name.name))] = item.value.value;
      record["plan"] = std::move(items);
    }
    add_assembly(function, record);
    if (function.kind == FunctionKind::Test) record["test"] = true;
    add_implementations(function, record);
    const auto storage = storage_sites(function, names_);
    record["heap_allocations"] =
        std::ranges::count_if(storage, [](const StorageSite& site) { return site.kind == "buffer"; });
    record["allocation_count_kind"] = "sites";
    Json local_storage = Json::array();
    for (const StorageSite& site : storage) {
      Json entry;
      entry["name"] = site.name;
      entry["kind"] = site.kind;
      entry["type"] = site.type;
      if (!site.placement.empty()) entry["placement"] = site.placement;
      entry["capacity"] = site.capacity;
      entry["line"] = line_of(site.position);
      local_storage.push_back(std::move(entry));
    }
    record["local_storage"] = std::move(local_storage);
    record["implicit_synchronization"] = 0;
    record["status"] = "checked; acceptance is no proof";
    return record;
  }

  std::string identity(const FunctionDecl& function) const { return sha256_hex(print(function, names_)); }

  void add_implementations(const Function& function, Json& record) const {
    if (function.declaration->kind != DeclKind::Function) return;
    const auto& declaration = function.declaration->as<FunctionDecl>();
    if (declaration.implements.present) {
      if (const Decl* reference = named(declaration.implements.reference, declaration.module, kWantFunction)) {
        record["implements"] = full_name(*reference);
      }
      record["identity"] = identity(declaration);
      if (!declaration.signature.generics.empty()) record["instance_of"] = full_name(declaration);
    }
    const auto found = implementations_.find(&declaration);
    if (found == implementations_.end()) return;
    Json all;
    for (const FunctionDecl* implementation : found->second) {
      all[full_name(*implementation)] = {{"identity", identity(*implementation)}};
    }
    if (const auto chosen = selected_.find(&declaration); chosen != selected_.end()) all["selected"] = chosen->second;
    record["implementations"] = std::move(all);
  }

  Json layouts() const {
    Json all = Json::object();
    for (const checked::LayoutValue* layout : compilation_.program.layouts) {
      all[full_name(*layout->declaration)] = layout_record(*layout);
    }
    return all;
  }

  Compilation& compilation_;
  NameTable& names_;
  const ReceiptContext& context_;
  Declarations table_;
  const checked::SchedulePlans plans_{compilation_.tree.declarations};
  std::unordered_map<const Decl*, std::string> selected_;
  std::unordered_map<const Decl*, std::vector<const FunctionDecl*>> implementations_;
};

}  // namespace

bool is_listed(const Function& function) { return function.parent == nullptr && function.kind != FunctionKind::Extern; }

bool is_exported(const Decl& declaration) { return declaration.is_public || !declaration.module; }

std::string interface_digest(const Compilation& compilation, Name module) {
  const NameTable& names = compilation.names;
  std::multimap<std::string, std::string> lines;
  for (const Decl* declaration : compilation.tree.declarations) {
    if (declaration->module != module || !is_exported(*declaration)) continue;
    if (declaration->kind != DeclKind::Function && declaration->kind != DeclKind::Extern) continue;
    const bool is_function = declaration->kind == DeclKind::Function;
    const Signature& signature =
        is_function ? declaration->as<FunctionDecl>().signature : declaration->as<ExternDecl>().signature;
    if (signature.generics.empty()) continue;  // a concrete function is told by its checked signature below
    lines.emplace(names.text(signature.name.name), print_head(declaration->as<FunctionDecl>(), names));
  }
  for (const auto& function : compilation.program.functions) {
    const bool is_declared = function->declaration != nullptr && function->parent == nullptr &&
                             function->arguments.empty() && function->kind != FunctionKind::Test;
    if (!is_declared || function->module != module || !is_exported(*function->declaration)) continue;
    std::string line = "(";
    for (const checked::Local* parameter : function->parameters) {
      line += std::string(names.text(parameter->name)) + ":" + std::string(parameter->type->name) + ",";
    }
    line += ")";
    if (function->result != nullptr) line += "->" + std::string(function->result->name);
    if (function->row != nullptr) {
      for (const std::string& label : checked::texts(*function->row, *function, names)) line += " " + label;
    }
    lines.emplace(function->name, std::move(line));
  }
  std::string text;
  for (const auto& [name, line] : lines) text += name + line + "\n";
  return sha256_hex(text);
}

Json module_interfaces(const Compilation& compilation) {
  const NameTable& names = compilation.names;
  std::map<std::string_view, std::set<std::string_view>> exports;
  std::map<std::string_view, Name> modules;
  for (const Decl* declaration : compilation.tree.declarations) {
    if (declaration->kind == DeclKind::Module) continue;
    modules.emplace(names.text(declaration->module), declaration->module);
    if (is_exported(*declaration) && declaration->name.name && declaration->kind != DeclKind::Test) {
      exports[names.text(declaration->module)].insert(names.text(declaration->name.name));
    }
  }
  Json record = Json::object();
  for (const auto& [text, module] : modules) {
    const auto& list = exports[text];
    record[std::string(text)] = {{"exports", std::vector<std::string_view>(list.begin(), list.end())},
                                 {"interface_sha256", interface_digest(compilation, module)}};
  }
  return record;
}

Json frontend_receipt(Compilation& compilation, const ReceiptContext& context) {
  return Receipt(compilation, context).record();
}

}  // namespace cairn
