#include "frontend/report/receipt.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "frontend/check/rows.hpp"
#include "frontend/check/tree_walk.hpp"
#include "frontend/report/check_sites.hpp"
#include "frontend/report/numerics.hpp"
#include "frontend/support/sha256.hpp"

namespace cairn {

namespace {

using Json = nlohmann::ordered_json;
using checked::Function;
using checked::FunctionKind;

std::string dotted(const syntax::Path& path, const NameTable& names) {
  std::string text;
  for (const syntax::Identifier& segment : path.segments) {
    text += (text.empty() ? "" : ".") + std::string(names.text(segment.name));
  }
  return text;
}

/// A path of the program as a full name: names of the module itself are written without it.
std::string qualified(const syntax::Path& path, Name module, const NameTable& names) {
  const std::string text = dotted(path, names);
  return path.dotted() || !module ? text : std::string(names.text(module)) + "." + text;
}

std::string full_name(const syntax::Decl& declaration, const NameTable& names) {
  const std::string own(names.text(declaration.name.name));
  return declaration.module ? std::string(names.text(declaration.module)) + "." + own : own;
}

bool is_own(const syntax::Decl& declaration, const SourceMap& sources) {
  const SourceFile* file = sources.file_at(declaration.position);
  return file != nullptr && file->own;
}

/// Calls `visit` with every function a body holds: itself, its closures and its lane bodies.
template <typename Visit>
void for_each_body(const Function& function, const Visit& visit) {
  visit(function);
  if (function.body == nullptr) return;
  const auto in_expression = [&](const auto& self, const checked::Expr& expression) -> void {
    if (expression.kind == checked::ExprKind::Closure) {
      for_each_body(*expression.as<checked::ClosureExpr>().body, visit);
    }
    if (expression.kind == checked::ExprKind::Spawn) {
      const checked::ParallelStmt* region = expression.as<checked::SpawnExpr>().region;
      if (region != nullptr) for_each_body(*region->lane, visit);
    }
    checked::for_each_operand(expression, [&](const checked::Expr& operand) { self(self, operand); });
  };
  checked::for_each_statement(*function.body, [&](const checked::Stmt& statement) {
    checked::for_each_part(
        statement, [&](const checked::Expr& value) { in_expression(in_expression, value); },
        [](const checked::Block&) {}, [&](const Function& lane) { for_each_body(lane, visit); });
  });
}

/// Calls `visit` with every expression of a function, those of its closures and lane bodies included.
template <typename Visit>
void for_each_expression(const Function& function, const Visit& visit) {
  const auto deep = [&](const auto& self, const checked::Expr& expression) -> void {
    visit(expression);
    checked::for_each_operand(expression, [&](const checked::Expr& operand) { self(self, operand); });
  };
  for_each_body(function, [&](const Function& body) {
    if (body.body == nullptr) return;
    checked::for_each_statement(*body.body, [&](const checked::Stmt& statement) {
      checked::for_each_part(
          statement, [&](const checked::Expr& value) { deep(deep, value); }, [](const checked::Block&) {},
          [](const Function&) {});
    });
  });
}

std::vector<std::string> calls_of(const Function& function) {
  std::set<std::string> calls;
  for_each_expression(function, [&](const checked::Expr& expression) {
    if (expression.kind == checked::ExprKind::Call) calls.emplace(expression.as<checked::CallExpr>().callee->name);
  });
  return {calls.begin(), calls.end()};
}

Json sites_record(const std::vector<CheckSite>& sites) {
  std::map<std::string_view, std::size_t> counts;
  for (const CheckSite& site : sites) ++counts[trap_kind_name(site.kind)];
  Json record = Json::object();
  for (const auto& [kind, count] : counts) record[kind] = count;
  return record;
}

Json numerics_record(const Compilation& compilation, const Function& function) {
  Json list = Json::array();
  for (const NumericsEntry& entry : numerics_of(function, compilation.names)) {
    Json record = {{"line", compilation.sources.locate(entry.position).line}};
    for (const auto& [key, value] : entry.fields) record[key] = value;
    list.push_back(std::move(record));
  }
  return list;
}

/// The plan items of the function, if a plan gives any.
Json plan_record(const Compilation& compilation, const Function& function) {
  Json plan = Json::object();
  const syntax::Decl& declaration = *function.declaration;
  for (const syntax::Decl* each : compilation.tree.declarations) {
    if (each->kind != syntax::DeclKind::Plan || each->as<syntax::PlanDecl>().selects) continue;
    const auto& written = each->as<syntax::PlanDecl>();
    if (qualified(written.function, each->module, compilation.names) != full_name(declaration, compilation.names))
      continue;
    for (const syntax::PlanItem& item : written.items) plan[compilation.names.text(item.name.name)] = item.value.value;
  }
  return plan;
}

const syntax::FunctionDecl* declared_function(const Function& function) {
  const bool is_function = function.declaration != nullptr && function.declaration->kind == syntax::DeclKind::Function;
  return is_function ? &function.declaration->as<syntax::FunctionDecl>() : nullptr;
}

/// What tells one implementation from another: its text, and the values of its parameters.
std::string identity_of(const Compilation& compilation, const Function& function) {
  return sha256_hex(std::string(function.name) + "\n" +
                    std::string(compilation.sources.text(function.declaration->span)));
}

void add_implementation(Json& record, const Compilation& compilation, const Function& function) {
  const syntax::FunctionDecl* declaration = declared_function(function);
  if (declaration == nullptr) return;
  if (declaration->implements.present) {
    record["implements"] = qualified(declaration->implements.reference, declaration->module, compilation.names);
    record["identity"] = identity_of(compilation, function);
    if (!function.arguments.empty()) record["instance_of"] = full_name(*declaration, compilation.names);
  }
  Json implementations = Json::object();
  for (const auto& each : compilation.program.functions) {
    const syntax::FunctionDecl* other = declared_function(*each);
    if (other == nullptr || !other->implements.present || each->kind != FunctionKind::Function) continue;
    if (qualified(other->implements.reference, other->module, compilation.names) != function.name) continue;
    implementations[std::string(each->name)] = {{"identity", identity_of(compilation, *each)}};
  }
  if (implementations.empty()) return;
  for (const syntax::Decl* each : compilation.tree.declarations) {
    if (each->kind != syntax::DeclKind::Plan || !each->as<syntax::PlanDecl>().selects) continue;
    const auto& plan = each->as<syntax::PlanDecl>();
    if (qualified(plan.function, each->module, compilation.names) != function.name) continue;
    std::string chosen = qualified(plan.chosen, each->module, compilation.names);
    for (std::size_t at = 0; at < plan.values.size(); ++at) {
      chosen +=
          (at == 0 ? "[" : ", ") + std::to_string(plan.values[at].value) + (at + 1 == plan.values.size() ? "]" : "");
    }
    implementations["selected"] = chosen;
  }
  record["implementations"] = std::move(implementations);
}

/// The capacity of local storage, as written.
std::string capacity_text(const Type& view, const NameTable& names) {
  switch (view.extent.kind) {
    case Extent::Kind::Literal:
      return std::to_string(view.extent.literal);
    case Extent::Kind::Symbol:
      return std::string(names.text(view.extent.symbol));
    default:
      return {};
  }
}

void add_storage(Json& record, const Compilation& compilation, const Function& function) {
  std::size_t buffers = 0;
  Json list = Json::array();
  for_each_body(function, [&](const Function& body) {
    if (body.body == nullptr) return;
    checked::for_each_statement(*body.body, [&](const checked::Stmt& statement) {
      if (statement.kind != checked::StmtKind::Storage) return;
      const checked::Local& local = *statement.as<checked::StorageStmt>().local;
      const bool heap = local.kind == checked::LocalKind::Buffer;
      buffers += heap ? 1 : 0;
      list.push_back({{"name", compilation.names.text(local.name)},
                      {"kind", heap ? "buffer" : "stack"},
                      {"type", local.type->element->name},
                      {"capacity", capacity_text(*local.type, compilation.names)},
                      {"line", compilation.sources.locate(statement.position).line}});
    });
  });
  record["heap_allocations"] = buffers;
  record["allocation_count_kind"] = "sites";
  record["local_storage"] = std::move(list);
}

// ------------------------------------------------------------------------------------------------------ whole programs

template <typename Declaration, typename Visit>
void for_each_declared(const Compilation& compilation, syntax::DeclKind kind, const Visit& visit) {
  for (const syntax::Decl* each : compilation.tree.declarations) {
    if (each->kind == kind && is_own(*each, compilation.sources)) visit(each->as<Declaration>());
  }
}

Json families_record(const Compilation& compilation) {
  Json list = Json::array();
  for_each_declared<syntax::FamilyDecl>(compilation, syntax::DeclKind::Family, [&](const syntax::FamilyDecl& family) {
    list.push_back({full_name(family, compilation.names), dotted(family.function, compilation.names),
                    std::to_string(family.lo.value) + ".." + std::to_string(family.hi.value)});
  });
  return list;
}

void add_derivations(Json& record, const Compilation& compilation) {
  Json derivations = Json::array();
  Json wires = Json::array();
  for_each_declared<syntax::DeriveDecl>(compilation, syntax::DeclKind::Derive, [&](const syntax::DeriveDecl& derive) {
    Json naturals = Json::array();
    for (const syntax::DeriveArgument& argument : derive.arguments) {
      if (argument.is_natural) naturals.push_back(argument.natural.value);
    }
    const std::string recipe = dotted(derive.recipe, compilation.names);
    const std::string target = derive.has_target ? dotted(derive.target, compilation.names) : "";
    derivations.push_back({{"module", compilation.names.text(derive.module)},
                           {"recipe", recipe},
                           {"naturals", std::move(naturals)},
                           {"for", derive.has_target ? Json(target) : Json()}});
    if (recipe == "wire") wires.push_back(qualified(derive.target, derive.module, compilation.names));
  });
  record["derivations"] = std::move(derivations);
  record["wire_derivations"] = std::move(wires);
}

Json recipes_record(const Compilation& compilation) {
  Json record = Json::object();
  for (const syntax::Decl* each : compilation.tree.declarations) {
    if (each->kind != syntax::DeclKind::Recipe) continue;
    record[full_name(*each, compilation.names)] = sha256_hex(compilation.sources.text(each->span));
  }
  return record;
}

Json uninstantiated_record(const Compilation& compilation) {
  std::set<const syntax::Decl*> made;
  for (const auto& function : compilation.program.functions) {
    made.insert(function->declaration);
    const syntax::FunctionDecl* declaration = declared_function(*function);
    if (declaration != nullptr && declaration->copy_of != nullptr) made.insert(declaration->copy_of);
  }
  Json list = Json::array();
  for_each_declared<syntax::FunctionDecl>(
      compilation, syntax::DeclKind::Function, [&](const syntax::FunctionDecl& function) {
        const bool is_template = !function.signature.generics.empty() && function.copy_of == nullptr;
        if (is_template && !made.contains(&function)) list.push_back(full_name(function, compilation.names));
      });
  return list;
}

/// Parameters, result and row: what a caller may rely on.
std::string interface_line(const Compilation& compilation, const Function& function) {
  std::string line(function.name);
  for (const checked::Local* parameter : function.parameters) {
    line += " " + std::string(compilation.names.text(parameter->name)) + ":" + std::string(parameter->type->name);
  }
  line += " -> " + std::string(function.result->name);
  if (function.row != nullptr) {
    for (const std::string& label : texts(*function.row, function, compilation.names)) line += " " + label;
  }
  return line + "\n";
}

Json modules_record(const Compilation& compilation) {
  std::map<std::string, std::set<std::string>> exports;
  std::map<std::string, std::set<std::string>> interfaces;
  for (const syntax::Decl* each : compilation.tree.declarations) {
    if (!each->module || !is_own(*each, compilation.sources)) continue;
    const std::string module(compilation.names.text(each->module));
    exports[module];
    if (each->is_public && each->name.name) exports[module].emplace(compilation.names.text(each->name.name));
  }
  for (const auto& function : compilation.program.functions) {
    if (function->kind != FunctionKind::Function || !function->declaration->is_public || !function->module) continue;
    interfaces[std::string(compilation.names.text(function->module))].insert(interface_line(compilation, *function));
  }
  Json record = Json::object();
  for (const auto& [module, names] : exports) {
    std::string interface;
    for (const std::string& line : interfaces[module]) interface += line;
    record[module] = {{"exports", names}, {"interface_sha256", sha256_hex(interface)}};
  }
  return record;
}

Json requires_record(const Compilation& compilation) {
  using checked::Label;
  checked::LabelSet all = 0;
  for (const auto& function : compilation.program.functions) {
    if (function->row != nullptr) all |= function->row->fixed;
  }
  const auto has = [&](checked::LabelSet set) { return (all & set) != 0; };
  Json list = Json::array();
  if (has(checked::labels(Label::ParDevice, Label::GpuAlloc, Label::TransferD2D, Label::TransferD2H,
                          Label::TransferH2D))) {
    list.push_back("cuda");
  }
  if (has(checked::bit(Label::AsmX86_64))) list.push_back("asm:x86_64");
  if (has(checked::bit(Label::AsmAarch64))) list.push_back("asm:aarch64");
  return list;
}

}  // namespace

bool is_listed(const checked::Function& function) {
  return function.kind == FunctionKind::Function || function.kind == FunctionKind::Kernel ||
         function.kind == FunctionKind::Test;
}

nlohmann::ordered_json function_receipt(const Compilation& compilation, const checked::Function& function) {
  Json record;
  record["effects"] = function.row != nullptr ? Json(texts(*function.row, function, compilation.names)) : Json::array();
  record["calls"] = calls_of(function);
  record["syntactic_check_sites"] = sites_record(check_sites_of(function));
  record["discharged_check_sites"] = Json::object();
  if (Json numerics = numerics_record(compilation, function); !numerics.empty())
    record["numerics"] = std::move(numerics);
  if (function.kind != FunctionKind::Test) {
    if (Json plan = plan_record(compilation, function); !plan.empty()) record["plan"] = std::move(plan);
  } else {
    record["test"] = true;
  }
  add_implementation(record, compilation, function);
  add_storage(record, compilation, function);
  record["implicit_synchronization"] = 0;
  record["status"] = "accepted-not-proved";
  return record;
}

nlohmann::ordered_json frontend_receipt(const Compilation& compilation, const ReceiptContext& context) {
  Json record;
  record["compiler"] = context.compiler;
  record["source_sha256"] = context.source_digest;
  record["generated_sha256"] = context.generated_digest;
  record["runtime_sha256"] = context.runtime_digest;
  const auto& functions = compilation.program.functions;
  record["function_count"] = std::ranges::count_if(functions, [](const auto& each) { return is_listed(*each); });
  record["families"] = families_record(compilation);
  add_derivations(record, compilation);
  record["recipes"] = recipes_record(compilation);
  record["uninstantiated_templates"] = uninstantiated_record(compilation);
  record["modules"] = modules_record(compilation);
  record["requires"] = requires_record(compilation);
  record["device_features"] = Json::array();
  record["trusted_lowering_rules"] = {"checked tree to bytecode", "bytecode to machine code"};
  record["arithmetic_certificate"] = nullptr;
  Json rows = Json::object();
  for (const auto& function : functions) {
    if (is_listed(*function)) rows[std::string(function->name)] = function_receipt(compilation, *function);
  }
  record["functions"] = std::move(rows);
  record["formal_status"] = "not-verified";
  record["ffi_requires"] =
      "a view is null only when its length is 0, aligned for its element, inside the address space, and an rw view "
      "overlaps no other view of the call; an enum or sum has a declared tag";
  record["target_profile"] = "64-bit little-endian, IEEE 754 floats without contraction or reassociation";
  return record;
}

}  // namespace cairn
