// The checker's two halves. `Checker` judges a program: declarations, types, constants, signatures, instances, traits,
// the order of phases, and what is reported further. `BodyChecker` (body.hpp) judges one function body and builds its
// checked tree. A rule of the language is a function named after the rule; a refusal is thrown by `refuse(...)` and
// caught by the phase that judges the declaration, which undoes what the declaration added to shared tables.
//
// Calls. The body checker finds the callee (abstractions, 4), writes omitted extents out, and lends the arguments. It
// asks here what a name denotes (`resolve`, `peek`), which function a method means (`method`), which trait a member
// call belongs to (`find_member`, `member_function`), what a template's parameters stand for (`infer_call`,
// `infer_record`, `infer_variant`), and for the instance itself (`function`), which holds the bounds and judges the
// instance's body.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/check/builtins.hpp"
#include "frontend/check/declarations.hpp"
#include "frontend/check/inference.hpp"
#include "frontend/check/program.hpp"
#include "frontend/check/traits.hpp"
#include "frontend/check/types.hpp"
#include "frontend/frontend.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

/// Static names in scope while a template's instance is judged, and where written names resolve.
struct Scope {
  Name module;                                // the module that wrote the text
  std::span<const Name> parameters;           // generic parameter names (outer ones included)
  std::span<const StaticArgument> arguments;  // their values, one each
  const Type* self = nullptr;                 // Self in a trait's signatures and impls

  /// What a generic parameter stands for; null when the name is none.
  [[nodiscard]] const StaticArgument* find(Name name) const {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i] == name) return &arguments[i];
    return nullptr;
  }
};

/// The folded value of a constant.
struct ConstantValue {
  const Type* type = nullptr;
  std::uint64_t bits = 0;  // integers (sign-extended), bool
  double real = 0;         // floats
};

class Checker {
 public:
  Checker(Compilation& compilation, const CheckOptions& options);
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  /// All phases, from the parsed tree to the verdict.
  void run();

  // --- shared services
  [[nodiscard]] Arena& arena() { return compilation_.arena; }
  [[nodiscard]] NameTable& names() { return compilation_.names; }
  [[nodiscard]] TypeTable& types() { return *compilation_.types; }
  [[nodiscard]] checked::Program& program() { return compilation_.program; }
  [[nodiscard]] std::string_view text(Name name) const { return compilation_.names.text(name); }
  [[nodiscard]] Compilation& compilation() { return compilation_; }
  [[nodiscard]] const CheckOptions& options() const { return options_; }
  [[nodiscard]] const BuiltinNames& builtins() const { return builtins_; }
  /// Counts one visit of an expression; over the limit it is E-AST-LIMIT at the expression (abstractions, 15).
  void visit(Position position) {
    if (++visits_ > kVisitLimit) [[unlikely]]
      visited_too_much(position);
  }
  /// A new function of the checked program, its index set (closures and lane bodies; instances are made by `function`).
  checked::Function* new_function(checked::FunctionKind kind);

  // --- names.cpp: modules, imports, privacy (abstractions 2)
  /// Resolves a written (dotted) name in a module; E-PRIVATE at `use` for a private one of another module.
  Symbol resolve(std::span<const Name> path, Name module, unsigned want, Position use);
  /// The same without refusing private names (for "what else it is" and close names).
  Symbol peek(std::span<const Name> path, Name module, unsigned want) const;
  Symbol resolve(const syntax::Path& path, Name module, unsigned want, Position use);
  /// Whether text of `module` may name this declaration (a private record's fields, a private sum's variants: 2.5).
  [[nodiscard]] bool accessible(const syntax::Decl& declaration, Name module) const;
  [[nodiscard]] std::string full_name(const syntax::Decl& declaration) const;
  /// "X is private to module Y": E-PRIVATE at `use`; `also` ends the sentence (", so are its fields").
  [[noreturn]] void refuse_private(const syntax::Decl& declaration, Position use, std::string_view also = {});
  /// Names a diagnostic may offer (Did you mean).
  [[nodiscard]] std::vector<std::string> visible_names(Name module, unsigned want) const;
  /// Sums visible from a module that have a variant of this name, by full name (1.4: "nothing here expects that sum").
  [[nodiscard]] std::vector<std::string> sums_with_variant(Name variant, Name module) const;
  /// Every declaration: the program's in text order, generated ones after them, then the library's.
  [[nodiscard]] std::span<const syntax::Decl* const> declarations() const { return declarations_; }
  [[nodiscard]] Declarations& table() { return table_; }

  // --- type_resolution.cpp: written types -> Type (E-TYPE, E-GENERIC-*, E-FN-TYPE, E-DYN, E-EXTENT ...)
  // -------------------
  /// A written type. `use` is where refusals point: the construct that names it. `extents`: names that an extent may
  /// denote, for signatures; without them a view's extent is a literal, constant or static natural. A bare dyn is
  /// E-DYN.
  const Type* resolve_type(const syntax::TypeExpr& type, const Scope& scope, Position use,
                           std::span<const Name> extents = {});
  /// The type or natural a bracket argument expression denotes (3.2): E-TYPE at the call's or construct's `use`.
  StaticArgument resolve_static(const syntax::Expr& argument, const Scope& scope, Position use);
  /// The type a (dotted) name with bracket arguments denotes: records, sums, aliases, scalars, intrinsics, parameters;
  /// null when the name denotes no type. `arguments` may be empty for a name without brackets.
  const Type* named_type(std::span<const Name> path, std::span<const StaticArgument> arguments, const Scope& scope,
                         Position use);
  /// What a record or sum stands for at these arguments: E-GENERIC-ARITY, E-GENERIC-KIND and broken bounds at `use`.
  const Type* record_instance(const syntax::RecordDecl& declaration, std::span<const StaticArgument> arguments,
                              Position use);
  const Type* sum_instance(const syntax::SumDecl& declaration, std::span<const StaticArgument> arguments, Position use);
  /// The target of a type alias.
  const Type* alias_type(const syntax::AliasDecl& declaration);
  /// The predeclared enums, whatever the program calls Order or Cache itself.
  [[nodiscard]] const Type* order_type() const { return order_; }
  [[nodiscard]] const Type* cache_type() const { return cache_; }

  // --- inference.cpp (abstractions 3.3)
  /// What a template's parameters stand for in a call. `leading` binds the first parameters: those of an impl block,
  /// then the explicit arguments. E-GENERIC-KIND, E-GENERIC-ARITY, E-INFER at `call`, E-TYPE-MISMATCH at an argument.
  std::span<const StaticArgument> infer_call(const FunctionInfo& callee, std::span<const StaticArgument> leading,
                                             const Type* expected, CallArguments& arguments, Position call);
  /// The type a constructor makes; E-INFER at a field argument, or at `use`.
  const Type* infer_record(const syntax::RecordDecl& record, std::span<const StaticArgument> leading,
                           const Type* expected, CallArguments& fields, Position use);
  const Type* infer_variant(const syntax::SumDecl& sum, std::uint32_t variant, std::span<const StaticArgument> leading,
                            const Type* expected, CallArguments& payload, Position use);

  // --- instances.cpp: functions and their instances
  FunctionInfo& info(const syntax::Decl& declaration);
  /// The concrete function or instance; holds its bounds, makes and judges an instance at its first use (body
  /// included).
  checked::Function* function(FunctionInfo& info, std::span<const StaticArgument> arguments, Position use);
  /// Every declared function, extern and impl member, in the order of `declarations`.
  [[nodiscard]] std::span<FunctionInfo* const> functions() const { return functions_; }
  /// What the generic parameters of a function of the program stand for, and where its text resolves.
  Scope scope_of(const checked::Function& function) const;
  /// The function a method call means: one visible in the home module of the receiver's type (4, step 6); null when
  /// that type has no named home module or its module shows no such function. E-PRIVATE at `call`.
  FunctionInfo* method(Name name, const Type* receiver, Name module, Position call);

  // --- traits.cpp (abstractions 5, 7)
  const TraitInfo* trait_of(const syntax::TraitDecl& declaration);
  bool implements(const Type* type, const TraitInfo& trait, Position use);
  /// The trait member a call means (5.4); none when no trait declares one. `path` is the member, a trait before it or
  /// not. The arguments are those written. E-TRAIT-AMBIGUOUS, E-TRAIT-IMPL at the call.
  MemberChoice find_member(std::span<const Name> path, Name module, CallArguments& arguments, Position call);
  /// The impl's function for a member at a type. Call it as any function, with `impl_arguments` leading.
  MemberFunction member_function(const TraitInfo& trait, std::uint32_t member, const Type* self, Position use);
  /// The functions a dynamic reference to `self` dispatches through, made and judged. E-TRAIT-IMPL, E-DYN at `use`.
  const DispatchTable& dispatch_table(const TraitInfo& trait, const Type* self, Position use);
  /// Every table made so far, in the order they were asked for.
  [[nodiscard]] std::span<const DispatchTable* const> dispatch_tables() const { return dispatch_tables_; }
  /// Every concrete function or made instance that implements a member of the trait, over the whole program (7.3).
  [[nodiscard]] std::vector<const checked::Function*> implementations(const TraitInfo& trait,
                                                                      std::uint32_t member) const;
  /// E-DYN at `use` when the trait is not dyn-compatible.
  void require_dyn_compatible(const TraitInfo& trait, Position use);
  /// E-BOUND or E-TRAIT-IMPL at `use` when an argument breaks a bound; `user` is who asks ("f needs [T:copy]").
  void hold_bounds(std::span<const syntax::GenericParameter> parameters, std::span<const StaticArgument> arguments,
                   std::string_view user, Name module, Position use);

  // --- constants.cpp (1.8)
  ConstantValue constant(const syntax::ConstDecl& declaration);
  /// A natural of a constant expression of type usize (layouts, capacities): E-CONST otherwise.
  std::uint64_t constant_natural(const syntax::Expr& expression, const Scope& scope);

  // --- layouts.cpp (memory 11)
  /// The value of a declared layout, judged by every rule of 11.4 at its first use; E-LAYOUT* otherwise.
  const checked::LayoutValue& layout(const syntax::LayoutDecl& declaration);

  // --- driver.cpp: what is reported (tools 4.3, 4.4)
  /// A refusal found by a phase after the bodies, about a function (null: about none). The first one is first.
  void report(Diagnostic diagnostic, const checked::Function* about);
  [[nodiscard]] bool refused_anything() const { return !compilation_.verdict.refusals.empty(); }
  /// Whether a function's body was refused: rows of what reaches it are not judged.
  [[nodiscard]] bool refused(const checked::Function& function) const;

 private:
  friend class LayoutEvaluator;
  /// Null while its definition is being evaluated, so that a definition that reaches itself is seen.
  std::unordered_map<const syntax::LayoutDecl*, const checked::LayoutValue*> layouts_;

  static constexpr std::uint32_t kVisitLimit = 3'200'000;
  [[noreturn]] void visited_too_much(Position position);

  Compilation& compilation_;
  const CheckOptions& options_;
  BuiltinNames builtins_;
  Declarations table_;
  std::uint32_t visits_ = 0;
  std::vector<const syntax::Decl*> declarations_;
  std::vector<FunctionInfo*> functions_;
  std::vector<const DispatchTable*> dispatch_tables_;
  const Type* order_ = nullptr;
  const Type* cache_ = nullptr;
};

}  // namespace cairn
