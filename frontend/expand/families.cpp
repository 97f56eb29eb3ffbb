#include "frontend/expand/families.hpp"

#include <string>

#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

using namespace syntax;

namespace {

constexpr std::uint64_t kMostCopies = 1024;
constexpr std::size_t kMostCopiesOfAll = 2048;
constexpr std::uint64_t kMostBound = std::uint64_t{1} << 32;

class Families {
 public:
  Families(Arena& arena, NameTable& names, Declarations& table) : arena_(arena), names_(names), table_(table) {}

  void instantiate(const FamilyDecl& family) {
    const FunctionDecl& target = target_of(family);
    range_is_legal(family);
    for (std::uint64_t value = family.lo.value; value < family.hi.value; ++value) copy(family, target, value);
  }

  std::vector<const Decl*> made;

 private:
  std::string written(const Path& path) const {
    std::string text;
    for (const Identifier& segment : path.segments) {
      text += (text.empty() ? "" : ".") + std::string(names_.text(segment.name));
    }
    return text;
  }

  const FunctionDecl& target_of(const FamilyDecl& family) const {
    std::vector<Name> path;
    for (const Identifier& segment : family.function.segments) path.push_back(segment.name);
    const Symbol symbol = table_.lookup(path, family.module, kWantFunction);
    const std::string name = written(family.function);
    if (!symbol || symbol.kind != Symbol::Kind::Function) {
      refuse(Code::FamilyTarget, family.position, "A family copies a function of one natural; " + name + " is none.");
    }
    const Decl& declaration = *symbol.declaration;
    if (!declaration.is_public && declaration.module && declaration.module != family.module) {
      refuse(Code::Private, family.position,
             name + " is private to module " + std::string(names_.text(declaration.module)) + ".");
    }
    const auto& function = declaration.as<FunctionDecl>();
    if (function.implements.present) {
      refuse(Code::ImplParam, family.position,
             name + " is an implementation: its tune clause lists the values it is made for.");
    }
    const auto& generics = function.signature.generics;
    if (generics.size() != 1 || generics[0].bound != BoundKind::Nat || function.impl_member) {
      refuse(Code::FamilyTarget, family.position,
             "A family copies a template of exactly one parameter, a natural; " + name + " is none.");
    }
    return function;
  }

  void range_is_legal(const FamilyDecl& family) const {
    const bool fits = family.lo.fits && family.hi.fits && family.hi.value <= kMostBound;
    if (fits && family.lo.value < family.hi.value && family.hi.value - family.lo.value <= kMostCopies) return;
    refuse(Code::FamilyLimit, family.position,
           "A family's range lo..hi has lo < hi <= 2^32 and at most " + std::to_string(kMostCopies) + " values.");
  }

  void copy(const FamilyDecl& family, const FunctionDecl& target, std::uint64_t value) {
    const std::string name = std::string(names_.text(family.name.name)) + "_" + std::to_string(value);
    auto* made_copy = arena_.make<FunctionDecl>(target);
    made_copy->name = {names_.intern(name), family.name.position};
    made_copy->signature.name = made_copy->name;
    made_copy->signature.generics = {};
    made_copy->module = family.module;
    made_copy->is_public = family.is_public;
    made_copy->copy_of = &target;
    made_copy->copy_value = value;
    if (!table_.declare(family.module, made_copy->name.name, {Symbol::Kind::Function, made_copy, nullptr})) {
      refuse(Code::Duplicate, family.position, "The family makes " + name + ", and that name is taken.");
    }
    made.push_back(made_copy);
    if (made.size() > kMostCopiesOfAll) {
      refuse(Code::ExpansionLimit, family.position,
             "All families together make at most " + std::to_string(kMostCopiesOfAll) + " copies.");
    }
  }

  Arena& arena_;
  NameTable& names_;
  Declarations& table_;
};

}  // namespace

std::vector<const Decl*> instantiate_families(const std::vector<const Decl*>& declarations, Arena& arena,
                                              NameTable& names, Declarations& table) {
  Families families(arena, names, table);
  for (const Decl* declaration : declarations) {
    if (declaration->kind == DeclKind::Family) families.instantiate(declaration->as<FamilyDecl>());
  }
  return std::move(families.made);
}

}  // namespace cairn
