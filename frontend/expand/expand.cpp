#include "frontend/expand/expand.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "frontend/check/declarations.hpp"
#include "frontend/expand/families.hpp"
#include "frontend/expand/gradients.hpp"
#include "frontend/expand/program_names.hpp"
#include "frontend/expand/recipes.hpp"

namespace cairn {

using namespace syntax;

namespace {

constexpr std::size_t kMostFunctions = 32768;

std::vector<Name> segments_of(const Path& path) {
  std::vector<Name> names;
  for (const Identifier& segment : path.segments) names.push_back(segment.name);
  return names;
}

class Expansion {
 public:
  explicit Expansion(Compilation& compilation)
      : compilation_(compilation),
        names_(compilation.names),
        table_(compilation.names),
        declarations_(compilation.tree.declarations.begin(), compilation.tree.declarations.end()) {}

  void run() {
    for (const Decl* declaration : declarations_) enter(*declaration);
    derive_all();
    derive_gradients(gradients_, compilation_.arena, names_, table_,
                     [this](const FunctionDecl& made, const DeriveDecl& derive) { add({&made}, derive); });
    for (const Decl* made : instantiate_families(declarations_, compilation_.arena, names_, table_)) {
      declarations_.push_back(made);
    }
    functions_are_within_limit();
    compilation_.tree.declarations = compilation_.arena.copy(declarations_);
  }

 private:
  // ---------------------------------------------------------------------------------------------------------------
  // names

  void enter(const Decl& declaration) {
    enter_name(table_, names_, declaration);
    if (declaration.kind == DeclKind::Impl) enter_members(declaration.as<ImplDecl>());
  }

  /// The full names of an impl's members (2.2): two blocks may not give one of them twice.
  bool enter_members(const ImplDecl& impl) {
    bool all_new = true;
    for (const FunctionDecl* member : impl.members) {
      std::string name(names_.text(impl.module));
      name += "." + dotted(impl.trait) + "." + written(*impl.type);
      name += "." + std::string(names_.text(member->name.name));
      all_new &= members_.insert(std::move(name)).second;
    }
    return all_new;
  }

  std::string dotted(const Path& path) const { return dotted_text(path, names_); }

  /// Enough of a written type to tell two impls apart.
  std::string written(const TypeExpr& type) const {
    if (type.kind == syntax::TypeKind::Natural) return std::string(type.natural.digits);
    std::string text = type.path.segments.empty() ? std::to_string(static_cast<int>(type.kind)) : dotted(type.path);
    for (const TypeExpr* argument : type.arguments) text += "," + written(*argument);
    return text;
  }

  // -------------------------------------------------------------------------------------------------------------
  // deriving

  /// Derivations in source order; one whose type another derivation generates waits for it.
  void derive_all() {
    std::vector<const DeriveDecl*> pending;
    for (const Decl* declaration : declarations_) {
      if (declaration->kind != DeclKind::Derive) continue;
      const auto& derive = declaration->as<DeriveDecl>();
      (is_gradient(derive) ? gradients_ : pending).push_back(&derive);
    }
    bool final = false;
    while (!pending.empty()) {
      std::vector<const DeriveDecl*> waiting;
      for (std::size_t k = 0; k < pending.size(); ++k) {
        if (!derive(*pending[k], final)) waiting.push_back(pending[k]);
      }
      final = waiting.size() == pending.size();
      pending = std::move(waiting);
    }
  }

  /// `derive grad` is no recipe but where the program declares one of that name.
  bool is_gradient(const DeriveDecl& derive) const {
    return !derive.recipe.dotted() && names_.text(derive.recipe.last()) == "grad" &&
           !recipe_named(table_, names_, derive);
  }

  /// False when the derivation must wait; never when `final`.
  bool derive(const DeriveDecl& derive, bool final) {
    const RecipeDecl& recipe = recipe_of(derive);
    arguments_fit(derive, recipe);
    if (derive.has_target && !has_target(derive, final)) return false;
    RecipeApplication application;
    application.recipe = &recipe;
    application.derive = &derive;
    application.final = final;
    std::string text = "derive " + dotted(derive.recipe);
    if (derive.has_target) text += " for " + dotted(derive.target);
    application.derived = compilation_.arena.copy(std::string_view(text));
    try {
      add(apply_recipe(application, compilation_.arena, names_, table_), derive);
      return true;
    } catch (const WaitsForType&) {
      return false;
    } catch (Refusal& refusal) {
      // What a packaged recipe cannot go through is the derive's mistake, not the recipe's.
      const bool is_packaged = names_.text(recipe.module).starts_with("std.");
      if (refusal.diagnostic.code == Code::DeriveType && is_packaged) refusal.diagnostic.position = derive.position;
      if (!refusal.diagnostic.position || refusal.diagnostic.position != derive.position) {
        refusal.diagnostic.detail("derived", text);
      }
      throw;
    }
  }

  const RecipeDecl& recipe_of(const DeriveDecl& derive) {
    const Symbol symbol = recipe_named(table_, names_, derive);
    if (!symbol) {
      refuse(Code::DeriveRecipe, derive.position,
             "No recipe is called " + dotted(derive.recipe) + ". A derive is written `derive NAME[..] for TYPE;`.");
    }
    refuse_private(*symbol.declaration, derive);
    return symbol.declaration->as<RecipeDecl>();
  }

  void refuse_private(const Decl& declaration, const DeriveDecl& derive) const {
    if (declaration.is_public || !declaration.module || declaration.module == derive.module) return;
    const std::string module(names_.text(declaration.module));
    refuse(Code::Private, derive.position,
           module + "." + std::string(names_.text(declaration.name.name)) + " is private to module " + module + ".");
  }

  void arguments_fit(const DeriveDecl& derive, const RecipeDecl& recipe) const {
    bool fits = derive.has_target == recipe.has_target && derive.arguments.size() == recipe.parameters.size();
    for (std::size_t k = 0; fits && k < derive.arguments.size(); ++k) {
      const DeriveArgument& argument = derive.arguments[k];
      fits = argument.is_natural != recipe.parameters[k].is_function && (!argument.is_natural || argument.natural.fits);
    }
    if (fits) return;
    std::string form = "derive " + dotted(derive.recipe);
    for (std::size_t k = 0; k < recipe.parameters.size(); ++k) {
      form += k == 0 ? "[" : ", ";
      form += recipe.parameters[k].is_function ? "function" : "natural";
    }
    if (!recipe.parameters.empty()) form += "]";
    if (recipe.has_target) form += " for TYPE";
    refuse(Code::DeriveRecipe, derive.position, "This recipe is derived as `" + form + ";`.");
  }

  bool has_target(const DeriveDecl& derive, bool final) const {
    const Symbol symbol = table_.lookup(segments_of(derive.target), derive.module, kWantType);
    if (symbol) {
      refuse_private(*symbol.declaration, derive);
      return true;
    }
    if (!derive.target.dotted() && is_scalar(names_.text(derive.target.last()))) return true;
    if (final) refuse(Code::DeriveType, derive.position, "No type is called " + dotted(derive.target) + ".");
    return false;
  }

  static bool is_scalar(std::string_view text) {
    constexpr std::array<std::string_view, 12> scalars = {"bool", "u8",  "u16", "u32", "u64", "usize",
                                                          "i8",   "i16", "i32", "i64", "f32", "f64"};
    return std::ranges::find(scalars, text) != scalars.end();
  }

  void add(const std::vector<const Decl*>& made, const DeriveDecl& derive) {
    for (const Decl* declaration : made) {
      const bool is_new = declaration->kind == DeclKind::Impl
                              ? enter_members(declaration->as<ImplDecl>())
                              : table_.declare(declaration->module, declaration->name.name,
                                               {symbol_kind(declaration->kind), declaration, nullptr});
      if (!is_new) {
        const std::string what = declaration->kind == DeclKind::Impl
                                     ? "an impl of " + dotted(declaration->as<ImplDecl>().trait)
                                     : std::string(names_.text(declaration->name.name));
        refuse(Code::DeriveCollision, derive.position, "This derives " + what + ", which exists already.");
      }
      declarations_.push_back(declaration);
    }
  }

  void functions_are_within_limit() const {
    const auto is_function = [](const Decl* it) {
      return it->kind == DeclKind::Function || it->kind == DeclKind::Extern;
    };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(declarations_, is_function));
    if (count <= kMostFunctions) return;
    refuse(Code::ExpansionLimit, {},
           "A program has at most " + std::to_string(kMostFunctions) + " functions; this one has " +
               std::to_string(count) + ".");
  }

  Compilation& compilation_;
  NameTable& names_;
  Declarations table_;
  std::vector<const Decl*> declarations_;
  std::vector<const DeriveDecl*> gradients_;
  std::unordered_set<std::string> members_;
};

}  // namespace

std::vector<std::string> recipe_modules(const Compilation& compilation,
                                        const std::string* (*packaged)(std::string_view module)) {
  std::vector<std::string> modules;
  if (packaged == nullptr) return modules;
  for (const Decl* declaration : compilation.tree.declarations) {
    if (declaration->kind != DeclKind::Derive) continue;
    const auto& derive = declaration->as<DeriveDecl>();
    if (derive.recipe.dotted()) continue;
    const Name name = derive.recipe.last();
    const auto is_visible = [&](const Decl* it) {
      if (it->kind == DeclKind::Recipe) return it->name.name == name && (!it->module || it->module == derive.module);
      if (it->kind != DeclKind::Import || it->module != derive.module) return false;
      const auto& imported = it->as<ImportDecl>().names;
      return std::ranges::any_of(imported, [&](const Identifier& each) { return each.name == name; });
    };
    if (std::ranges::any_of(compilation.tree.declarations, is_visible)) continue;
    const std::string recipe = "recipe " + std::string(compilation.names.text(name)) + " ";
    for (std::string module : {"std." + std::string(compilation.names.text(name)), std::string("std.derived")}) {
      const std::string* text = packaged(module);
      if (text == nullptr || text->find(recipe) == std::string::npos) continue;
      if (std::ranges::find(modules, module) == modules.end()) modules.push_back(std::move(module));
      break;
    }
  }
  return modules;
}

void expand(Compilation& compilation) {
  const auto expands = [](const Decl* it) { return it->kind == DeclKind::Derive || it->kind == DeclKind::Family; };
  if (std::ranges::none_of(compilation.tree.declarations, expands) &&
      compilation.tree.declarations.size() <= kMostFunctions) {
    return;
  }
  Expansion(compilation).run();
}

}  // namespace cairn
