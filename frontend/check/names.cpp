// Modules, imports, and what written names denote (abstractions, 2); what a name that fits nothing may have meant.
#include <algorithm>
#include <array>
#include <string>

#include "frontend/check/checker.hpp"
#include "frontend/check/keys.hpp"
#include "frontend/check/spelling.hpp"

namespace cairn {

namespace {

Symbol::Kind symbol_kind(syntax::DeclKind kind) {
  switch (kind) {
    case syntax::DeclKind::Const:
      return Symbol::Kind::Const;
    case syntax::DeclKind::Alias:
      return Symbol::Kind::Alias;
    case syntax::DeclKind::Record:
      return Symbol::Kind::Record;
    case syntax::DeclKind::Sum:
      return Symbol::Kind::Sum;
    case syntax::DeclKind::Trait:
      return Symbol::Kind::Trait;
    case syntax::DeclKind::Extern:
      return Symbol::Kind::Extern;
    case syntax::DeclKind::Function:
      return Symbol::Kind::Function;
    case syntax::DeclKind::Recipe:
      return Symbol::Kind::Recipe;
    case syntax::DeclKind::Layout:
      return Symbol::Kind::Layout;
    case syntax::DeclKind::Family:
      return Symbol::Kind::Family;
    default:
      return Symbol::Kind::None;
  }
}

bool names_type(const syntax::TypeExpr& type, std::string_view spelling, const NameTable& names) {
  return type.kind == syntax::TypeKind::Named && type.arguments.empty() && type.path.segments.size() == 1 &&
         names.text(type.path.last()) == spelling;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------ building the
// table

void Checker::open_modules() {
  std::sort(library_modules_.begin(), library_modules_.end());
  const auto is_library = [&](Name module) {
    return std::binary_search(library_modules_.begin(), library_modules_.end(), module);
  };
  table_.open({}, false);
  for (const syntax::Decl* declaration : compilation_.tree.declarations) {
    if (declaration->kind == syntax::DeclKind::Module) {
      std::string full;
      for (const auto& segment : declaration->as<syntax::ModuleDecl>().path.segments)
        full.append(full.empty() ? "" : ".").append(text(segment.name));
      const Name name = names().intern(full);
      table_.open(name, is_library(name));
    } else if (declaration->module) {
      table_.open(declaration->module, is_library(declaration->module));
    }
  }
  for (const syntax::Decl* declaration : compilation_.tree.declarations) {
    if (declaration->kind != syntax::DeclKind::Import) continue;
    const auto& import = declaration->as<syntax::ImportDecl>();
    std::string full;
    for (const auto& segment : import.path.segments) full.append(full.empty() ? "" : ".").append(text(segment.name));
    const Name target = names().intern(full);
    Module& module = table_.open(declaration->module, false);
    module.imports.push_back({&import, target});
    module.aliases[import.has_alias ? import.alias.name : import.path.last()] = target;
    for (const auto& name : import.names) module.imported[name.name] = target;
  }
}

void Checker::collect_declarations() {
  open_modules();
  const auto all = compilation_.tree.declarations;
  declarations_.assign(all.begin(), all.end());
  std::stable_partition(declarations_.begin(), declarations_.end(), [&](const syntax::Decl* declaration) {
    return !table_.open(declaration->module, false).library;
  });
  table_.reserve(declarations_.size() + 2);
  infos_.reserve(declarations_.size());
  functions_.reserve(declarations_.size());
  for (const syntax::Decl* declaration : declarations_) add_declaration(*declaration);
  predeclare_enums();
}

void Checker::add_declaration(const syntax::Decl& declaration) {
  if (declaration.kind == syntax::DeclKind::Function) {
    add_function(declaration, declaration.as<syntax::FunctionDecl>().signature, nullptr);
  } else if (declaration.kind == syntax::DeclKind::Extern) {
    add_function(declaration, declaration.as<syntax::ExternDecl>().signature, nullptr);
  } else if (declaration.kind == syntax::DeclKind::Impl) {
    const auto& impl = declaration.as<syntax::ImplDecl>();
    for (const syntax::FunctionDecl* member : impl.members) add_function(*member, member->signature, &impl);
    return;
  }
  Symbol symbol;
  symbol.kind = symbol_kind(declaration.kind);
  if (!symbol) return;
  symbol.declaration = &declaration;
  if (symbol.is_function()) symbol.function = functions_.back();
  if (!table_.declare(declaration.module, declaration.name.name, symbol))
    refuse(Code::Duplicate, declaration.position, full_name(declaration) + " is declared twice.");
}

void Checker::add_function(const syntax::Decl& declaration, const syntax::Signature& signature,
                           const syntax::ImplDecl* impl) {
  auto* made = arena().make<FunctionInfo>();
  made->declaration = &declaration;
  made->signature = &signature;
  made->impl = impl;
  made->module = declaration.module;
  made->library = table_.open(declaration.module, false).library;
  if (impl == nullptr) {
    made->full_name = declaration.module ? arena().copy(full_name(declaration)) : text(declaration.name.name);
    made->generics = signature.generics;
  } else {
    std::string full;
    if (declaration.module) full.append(text(declaration.module)) += '.';
    for (const auto& segment : impl->trait.segments) full.append(text(segment.name)) += '.';
    spell(full, *impl->type, names());
    full.append(".").append(text(signature.name.name));
    made->full_name = arena().copy(full);
    std::vector<syntax::GenericParameter> generics(impl->generics.begin(), impl->generics.end());
    generics.insert(generics.end(), signature.generics.begin(), signature.generics.end());
    made->generics = arena().copy(generics);
    made->impl_parameters = static_cast<std::uint32_t>(impl->generics.size());
  }
  const syntax::FunctionDecl* function = made->function();
  if (function != nullptr && function->copy_of != nullptr) {
    made->module = function->copy_of->module;
    made->generics = function->copy_of->signature.generics;
    made->fixed = arena().copy(std::vector<StaticArgument>{{nullptr, function->copy_value}});
  }
  if (!made->generics.empty()) {
    std::vector<Name> parameters;
    for (const auto& parameter : made->generics) parameters.push_back(parameter.name.name);
    made->parameter_names = arena().copy(parameters);
  }

  describe_parameters(*made);
  functions_.push_back(made);
  *infos_.insert(pointer_key(&declaration)).first = made;
}

/// Which extents a function's views name, and which parameters a call may leave out (memory, 5.1 and 5.3).
void Checker::describe_parameters(FunctionInfo& info) {
  const auto parameters = info.signature->parameters;
  if (parameters.empty()) return;
  std::vector<std::int32_t> extent_of(parameters.size(), -1);
  auto* implied = static_cast<bool*>(arena().allocate(parameters.size(), 1));
  std::fill_n(implied, parameters.size(), false);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const syntax::TypeExpr& type = *parameters[i].type;
    if (type.kind != syntax::TypeKind::Borrow || !type.has_extent || !type.extent_is_name) continue;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if (parameters[k].name.name != type.extent_name.name) continue;
      extent_of[i] = static_cast<std::int32_t>(k);
      if (info.is_extern() || implied[k] || !names_type(*parameters[k].type, "usize", names())) break;
      implied[k] = true;
      ++info.implied_count;
      break;
    }
  }
  info.extent_of = arena().copy(extent_of);
  info.implied = std::span<const bool>(implied, parameters.size());
}

void Checker::predeclare_enums() {
  const auto predeclare = [&](std::string_view name, std::span<const std::string_view> variants) {
    auto* declaration = arena().make<syntax::SumDecl>();
    declaration->kind = syntax::DeclKind::Sum;
    declaration->is_public = true;
    declaration->name.name = names().intern(name);
    std::vector<syntax::Variant> list(variants.size());
    for (std::size_t i = 0; i < variants.size(); ++i) list[i].name.name = names().intern(variants[i]);
    declaration->variants = arena().copy(list);
    table_.declare({}, declaration->name.name, Symbol{Symbol::Kind::Sum, declaration, nullptr});
    return sum_instance(*declaration, {}, {});
  };
  constexpr std::array<std::string_view, 5> kOrders = {"relaxed", "acquire", "release", "acquire_release", "seq_cst"};
  constexpr std::array<std::string_view, 5> kHints = {"all", "l2", "streaming", "last_use", "read_only"};
  order_ = predeclare("Order", kOrders);
  cache_ = predeclare("Cache", kHints);
}

void Checker::judge_builtin_names() const {
  for (const syntax::Decl* declaration : declarations_) {
    if (declaration->module || !declaration->name.name || declaration->kind == syntax::DeclKind::Test) continue;
    const BuiltinClass builtin = builtins_.class_of(declaration->name.name);
    if (builtin == BuiltinClass::None || builtin == BuiltinClass::Soft) continue;
    refuse(Code::BuiltinName, declaration->position,
           std::string(text(declaration->name.name)) +
               " is the language's own name; a declaration of the root module cannot take it.");
  }
}

void Checker::judge_import_collisions() const {
  for (const Module& module : table_.modules()) {
    for (const Import& import : module.imports) {
      for (const auto& name : import.declaration->names) {
        if (!table_.find(module.name, name.name)) continue;
        const std::string_view spelled = text(name.name);
        refuse(Code::Duplicate, import.declaration->position,
               "The import of " + std::string(spelled) + " from " + std::string(text(import.target)) +
                   " meets a declaration of that name in " +
                   (module.name ? "module " + std::string(text(module.name)) : "the root module") + ".");
      }
    }
  }
}

// -------------------------------------------------------------------------------------------------------------
// resolution

std::string Checker::full_name(const syntax::Decl& declaration) const {
  std::string full(text(declaration.module));
  if (declaration.module) full += '.';
  full += text(declaration.name.name);
  return full;
}

Symbol Checker::peek(std::span<const Name> path, Name module, unsigned want) const {
  return table_.lookup(path, module, want);
}

Symbol Checker::resolve(std::span<const Name> path, Name module, unsigned want, Position use) {
  const Symbol symbol = table_.lookup(path, module, want);
  if (symbol && !accessible(*symbol.declaration, module)) refuse_private(*symbol.declaration, use);
  return symbol;
}

Symbol Checker::resolve(const syntax::Path& path, Name module, unsigned want, Position use) {
  std::array<Name, 8> few;
  if (path.segments.size() <= few.size()) {
    for (std::size_t i = 0; i < path.segments.size(); ++i) few[i] = path.segments[i].name;
    return resolve(std::span(few).first(path.segments.size()), module, want, use);
  }
  std::vector<Name> many;
  for (const auto& segment : path.segments) many.push_back(segment.name);
  return resolve(many, module, want, use);
}

bool Checker::accessible(const syntax::Decl& declaration, Name module) const {
  return declaration.is_public || !declaration.module || declaration.module == module;
}

void Checker::refuse_private(const syntax::Decl& declaration, Position use, std::string_view also) {
  refuse(Code::Private, use,
         full_name(declaration) + " is private to module " + std::string(text(declaration.module)) + std::string(also) +
             ".");
}

// ---------------------------------------------------------------------------------------------------- what else was
// meant

std::vector<std::string> Checker::visible_names(Name module, unsigned want) const {
  std::vector<std::string> visible;
  for (const syntax::Decl* declaration : declarations_) {
    if (!declaration->name.name || (declaration->module && declaration->module != module)) continue;
    const Name name = declaration->name.name;
    if (table_.lookup(std::span(&name, 1), module, want)) visible.emplace_back(text(name));
  }
  if (const Module* own = table_.module(module)) {
    for (const auto& [name, from] : own->imported)
      if (table_.lookup(std::span(&name, 1), module, want)) visible.emplace_back(text(name));
  }
  std::sort(visible.begin(), visible.end());
  visible.erase(std::unique(visible.begin(), visible.end()), visible.end());
  return visible;
}

std::vector<std::string> Checker::sums_with_variant(Name variant, Name module) {
  if (!sums_indexed_) {
    sums_indexed_ = true;
    for (const syntax::Decl* declaration : declarations_) {
      if (declaration->kind != syntax::DeclKind::Sum) continue;
      for (const auto& each : declaration->as<syntax::SumDecl>().variants)
        sums_of_variant_[each.name.name].push_back(declaration);
    }
  }
  std::vector<std::string> sums;
  const auto found = sums_of_variant_.find(variant);
  if (found == sums_of_variant_.end()) return sums;
  for (const syntax::Decl* sum : found->second) {
    if (accessible(*sum, module)) sums.push_back(full_name(*sum));
  }
  return sums;
}

}  // namespace cairn
