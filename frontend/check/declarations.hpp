// What a program declares and what a written name denotes (abstractions, 2). One table, keyed by (module, name), holds
// every declaration of the program and of the packaged modules it imports; modules, imports and aliases stand beside
// it. Looking a name up costs a hash probe a candidate and builds no text.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/check/types.hpp"
#include "frontend/support/flat_map.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

namespace checked {
struct Function;
}

/// A function, kernel, extern or impl member as declared: the one thing instances are made from.
struct FunctionInfo {
  const syntax::Decl* declaration = nullptr;  // FunctionDecl or ExternDecl
  const syntax::Signature* signature = nullptr;
  const syntax::ImplDecl* impl = nullptr;  // the block it is a member of, else null
  Name module;                             // where its text resolves (of a family's copy: the template's module)
  std::string_view full_name;              // module.name; of an impl member: module.Trait.Type.member
  bool library = false;                    // of a packaged module
  /// Of a trait's member at a witness (3.7), which has no body but what its trait promises: the witness.
  const Type* witness = nullptr;
  /// Generic parameters: those of the impl block first (`impl_parameters` of them), then its own.
  std::span<const syntax::GenericParameter> generics;
  std::span<const Name> parameter_names;  // their names, one each
  std::uint32_t impl_parameters = 0;
  /// A family's copy is concrete: its template's parameter stands for a number.
  std::span<const StaticArgument> fixed;
  /// Per parameter: the parameter that its view's extent names (memory, 5.1), or -1. Filled for templates as well.
  std::span<const std::int32_t> extent_of;
  /// Per parameter: it may be left out (memory, 5.3). None of an extern.
  std::span<const bool> implied;
  std::uint32_t implied_count = 0;
  checked::Function* concrete = nullptr;  // with its signature, once signatures are judged; null for a template
  bool instantiated = false;              // some instance was made

  [[nodiscard]] bool is_template() const { return !generics.empty() && fixed.empty(); }
  [[nodiscard]] bool is_extern() const { return declaration->kind == syntax::DeclKind::Extern; }
  [[nodiscard]] const syntax::FunctionDecl* function() const {
    return is_extern() ? nullptr : &declaration->as<syntax::FunctionDecl>();
  }
  [[nodiscard]] bool is_kernel() const { return !is_extern() && function()->kernel; }
  [[nodiscard]] bool is_implementation() const { return !is_extern() && function()->implements.present; }
};

/// What a written name denotes.
struct Symbol {
  enum class Kind : std::uint8_t { None, Function, Extern, Record, Sum, Trait, Const, Layout, Alias, Recipe, Family };
  Kind kind = Kind::None;
  const syntax::Decl* declaration = nullptr;
  FunctionInfo* function = nullptr;  // Function, Extern
  explicit operator bool() const { return kind != Kind::None; }
  [[nodiscard]] bool is_function() const { return kind == Kind::Function || kind == Kind::Extern; }
  [[nodiscard]] bool is_type() const { return kind == Kind::Record || kind == Kind::Sum || kind == Kind::Alias; }
};

/// The tables a name may be wanted from; the first candidate declared in one of them wins.
enum Want : unsigned {
  kWantFunction = 1,  // functions and externs
  kWantType = 2,      // records, sums, aliases
  kWantTrait = 4,
  kWantConst = 8,
  kWantLayout = 16,
  kWantRecipe = 32,
  kWantFamily = 64,
  kWantAny = 127,
};

/// The names of an import, as the module that wrote it uses them.
struct Import {
  const syntax::ImportDecl* declaration = nullptr;
  Name target;  // full dotted name of the imported module
};

struct Module {
  Name name;  // full dotted name; none for the root
  bool library = false;
  std::vector<Import> imports;
  std::unordered_map<Name, Name> aliases;   // alias -> module
  std::unordered_map<Name, Name> imported;  // name -> the module it was imported from
};

class Declarations {
 public:
  explicit Declarations(NameTable& names) : names_(names) {}

  /// The module of this full name, made when it is first opened.
  Module& open(Name full_name, bool library);
  /// Null when the program has no such module.
  [[nodiscard]] const Module* module(Name full_name) const;
  [[nodiscard]] const std::deque<Module>& modules() const { return modules_; }

  /// Adds a declaration under its module and name. False when the name is taken.
  bool declare(Name module, Name name, const Symbol& symbol);
  [[nodiscard]] Symbol find(Name module, Name name) const;
  void reserve(std::size_t declarations) { symbols_.reserve(declarations); }

  /// The first candidate, in the order of abstractions, 2.4, that is declared in a wanted table. Never refuses; a
  /// private one is found as well.
  [[nodiscard]] Symbol lookup(std::span<const Name> path, Name module, unsigned want) const;

  /// `prefix` and a segment joined with a dot when some module's name begins so; no name otherwise.
  [[nodiscard]] Name joined(Name prefix, Name segment) const;

 private:
  /// The declaration that `path`, read from a module on, names.
  [[nodiscard]] Symbol below(Name module, std::span<const Name> path, unsigned want) const;
  static std::uint64_t key(Name first, Name second) { return (std::uint64_t{first.id} << 32) | second.id; }

  NameTable& names_;
  FlatMap<Symbol> symbols_;     // by (module, name)
  FlatMap<Name> joins_;         // by (prefix, segment): the dotted name
  std::deque<Module> modules_;  // in the order they were opened
  FlatMap<Module*> modules_by_name_;
};

}  // namespace cairn
