// The checker's two halves. `Checker` judges a program: declarations, types, constants, signatures, instances, traits, the
// order of phases, and what is reported further. `BodyChecker` (body.hpp) judges one function body and builds its checked
// tree. A rule of the language is a function named after the rule; a refusal is thrown by `refuse(...)` and caught by the
// phase that judges the declaration, which undoes what the declaration added to shared tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/check/program.hpp"
#include "frontend/check/types.hpp"
#include "frontend/frontend.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

class BodyChecker;

/// Static names in scope while a template's instance is judged, and where written names resolve.
struct Scope {
  Name module;                                        // the module that wrote the text
  std::span<const Name> parameters;                   // generic parameter names (outer ones included)
  std::span<const StaticArgument> arguments;          // their values, one each
  const Type* self = nullptr;                         // Self in a trait's signatures and impls
};

/// What a written name denotes (abstractions, 2.4).
struct Symbol {
  enum class Kind : std::uint8_t { None, Function, Extern, Record, Sum, Trait, Const, Layout, Alias, Recipe, Family };
  Kind kind = Kind::None;
  const syntax::Decl* declaration = nullptr;
  explicit operator bool() const { return kind != Kind::None; }
};

/// The folded value of a constant.
struct ConstantValue {
  const Type* type = nullptr;
  std::uint64_t bits = 0;   // integers (sign-extended), bool
  double real = 0;          // floats
};

class Checker {
 public:
  Checker(Compilation& compilation, const CheckOptions& options);
  void run();

  // --- shared services -------------------------------------------------------------------------------------------------
  [[nodiscard]] Arena& arena() { return compilation_.arena; }
  [[nodiscard]] NameTable& names() { return compilation_.names; }
  [[nodiscard]] TypeTable& types() { return *compilation_.types; }
  [[nodiscard]] checked::Program& program() { return compilation_.program; }
  [[nodiscard]] std::string_view text(Name name) const { return compilation_.names.text(name); }
  [[nodiscard]] Compilation& compilation() { return compilation_; }
  [[nodiscard]] const CheckOptions& options() const { return options_; }

  // --- names.cpp: modules, imports, privacy (abstractions 2) -------------------------------------------------------------
  enum Want : unsigned { WantFunction = 1, WantType = 2, WantTrait = 4, WantConst = 8, WantLayout = 16, WantRecipe = 32, WantAny = 63 };
  /// Resolves a written (dotted) name in a module; E-PRIVATE at `use` for a private one of another module.
  Symbol resolve(std::span<const Name> path, Name module, unsigned want, Position use);
  /// The same without refusing private names (for "what else it is" and close names).
  Symbol peek(std::span<const Name> path, Name module, unsigned want);
  std::string full_name(const syntax::Decl& declaration) const;
  /// Names a diagnostic may offer (Did you mean).
  std::vector<std::string> visible_names(Name module, unsigned want);

  // --- type_resolution.cpp: written types -> Type (E-TYPE, E-GENERIC-*, E-FN-TYPE, E-DYN, E-EXTENT ...) -------------------
  /// `extents`: names an extent may denote (earlier usize parameters); null where views are not allowed.
  const Type* resolve_type(const syntax::TypeExpr& type, const Scope& scope, std::span<const Name> extents = {});
  /// The type a bracket argument expression denotes, or a natural (3.2).
  StaticArgument resolve_static(const syntax::Expr& argument, const Scope& scope);
  const Type* record_instance(const syntax::RecordDecl& declaration, std::span<const StaticArgument> arguments, Position use);
  const Type* sum_instance(const syntax::SumDecl& declaration, std::span<const StaticArgument> arguments, Position use);

  // --- instances.cpp: functions and their instances ----------------------------------------------------------------------
  /// The concrete function or instance; makes and judges an instance at its first use (its body included).
  checked::Function* function(const syntax::Decl& declaration, std::span<const StaticArgument> arguments, Position use);
  /// The signature alone of a concrete function.
  checked::Function* concrete(const syntax::Decl& declaration);

  // --- traits.cpp (abstractions 5, 7) ------------------------------------------------------------------------------------
  bool implements(const Type* type, const TraitInfo& trait);
  const TraitInfo* trait_of(const syntax::TraitDecl& declaration);
  /// The impl's function for a member at a type; null when not implemented.
  checked::Function* member_function(const TraitInfo& trait, std::uint32_t member, const Type* self,
                                     std::span<const StaticArgument> own_arguments, Position use);
  void hold_bounds(std::span<const syntax::GenericParameter> parameters, std::span<const StaticArgument> arguments,
                   std::string_view user, Name module, Position use);

  // --- constants.cpp (1.8) -----------------------------------------------------------------------------------------------
  ConstantValue constant(const syntax::ConstDecl& declaration);
  /// A natural of a constant expression of type usize (layouts, capacities): E-CONST otherwise.
  std::uint64_t constant_natural(const syntax::Expr& expression, const Scope& scope);

  // --- layouts.cpp (memory 11) -------------------------------------------------------------------------------------------
  /// The value of a declared layout, judged by every rule of 11.4 at its first use; E-LAYOUT* otherwise.
  const checked::LayoutValue& layout(const syntax::LayoutDecl& declaration);

 private:
  friend class LayoutEvaluator;
  /// Null while its definition is being evaluated, so that a definition that reaches itself is seen.
  std::unordered_map<const syntax::LayoutDecl*, const checked::LayoutValue*> layouts_;

  Compilation& compilation_;
  const CheckOptions& options_;
};

}  // namespace cairn
