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
#include <deque>
#include <map>
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

struct BodyShared;  // frontend/check/body_checker.hpp

class Checker {
 public:
  Checker(Compilation& compilation, const CheckOptions& options);
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  /// All phases, from the sources to the verdict. `lowest_stack` is an address the stack must stay above; 0: unknown.
  void run(std::uintptr_t lowest_stack = 0);

  /// One round of `check --generics` over sources that check: adds the verdicts of templates that do not stand at their
  /// witnesses, and tells whether another round must follow.
  bool certify(std::uintptr_t lowest_stack, std::map<std::string, std::string, std::less<>>& verdicts);
  /// Full names of every function template.
  [[nodiscard]] std::vector<std::string_view> templates() const;

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
  /// E-EXPANSION-LIMIT when what nests on the machine's stack would exhaust it.
  void hold_depth(Position use);
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
  /// Whether a refusal at this place could still be among those that are listed. What only a listed one shows, the
  /// names it offers, need not be looked for otherwise: a program of many wrong functions is refused in linear time.
  [[nodiscard]] bool may_be_listed(Position at) const;
  /// Names a diagnostic may offer (Did you mean).
  [[nodiscard]] std::vector<std::string> visible_names(Name module, unsigned want) const;
  /// Sums visible from a module that have a variant of this name, by full name (1.4: "nothing here expects that sum").
  [[nodiscard]] std::vector<std::string> sums_with_variant(Name variant, Name module);
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

  // --- body.cpp: what the bodies of the program share, made when first asked for
  BodyShared& body_shared();

  // --- layouts.cpp (memory 11)
  /// The value of a declared layout, judged by every rule of 11.4 at its first use; E-LAYOUT* otherwise.
  const checked::LayoutValue& layout(const syntax::LayoutDecl& declaration);

  // --- driver.cpp: what is reported (tools 4.3, 4.4)
  /// Whether a function's body was refused, or not judged because of a refusal: rows of what reaches it are not judged.
  [[nodiscard]] bool refused(const checked::Function& function) const { return function.body == nullptr; }

 private:
  friend class LayoutEvaluator;
  /// Null while its definition is being evaluated, so that a definition that reaches itself is seen.
  std::unordered_map<const syntax::LayoutDecl*, const checked::LayoutValue*> layouts_;

  static constexpr std::uint32_t kVisitLimit = 3'200'000;
  static constexpr std::size_t kFunctionLimit = 32'768;
  static constexpr std::size_t kShownNameLimit = 8'192;  // of an instance; longer ones come from endless expansion
  [[noreturn]] void visited_too_much(Position position);
  void hold_name_length(std::string_view shown, Position use);

  // What one declaration adds to shared tables, so that a refusal can undo it (tools, 4.4).
  struct Mark {
    std::size_t functions = 0;
    std::size_t instances = 0;
    std::size_t nominals = 0;
    std::size_t types = 0;
    std::size_t tables = 0;
    std::size_t decisions = 0;
    std::size_t described = 0;
  };
  [[nodiscard]] Mark mark() const;
  void undo(const Mark& mark);

  // names.cpp
  void collect_declarations();
  void describe_parameters(FunctionInfo& info);
  void predeclare_enums();
  void open_modules();
  void add_declaration(const syntax::Decl& declaration);
  void judge_builtin_names() const;
  void judge_import_collisions() const;
  void add_function(const syntax::Decl& declaration, const syntax::Signature& signature, const syntax::ImplDecl* impl);

  // type_resolution.cpp
  const Type* resolve_borrow(const syntax::TypeExpr& type, const Scope& scope, Position use,
                             std::span<const Name> extents);
  const Type* resolve_function_type(const syntax::TypeExpr& type, const Scope& scope, Position use);
  const TraitInfo* resolve_dyn_trait(std::span<const Name> path, const Scope& scope, Position use);
  StaticArgument resolve_argument(const syntax::TypeExpr& argument, const Scope& scope, Position use);
  std::span<const StaticArgument> resolve_arguments(std::span<const syntax::TypeExpr* const> list, const Scope& scope,
                                                    Position use);
  const Type* intrinsic_type(Name name, std::span<const StaticArgument> arguments, Position use);
  StaticArgument static_named(std::span<const Name> path, const Scope& scope, Position use);
  Extent resolve_extent(const syntax::TypeExpr& type, const Scope& scope, Position use, std::span<const Name> extents);
  std::uint64_t constant_as_natural(const syntax::ConstDecl& constant, Code code, Position use);
  void hold_storable(const Type* element, std::string_view storage, Position use);

  // nominal_types.cpp
  struct Nominal {
    const syntax::Decl* declaration = nullptr;
    std::span<const StaticArgument> arguments;
    Type* type = nullptr;
  };
  void hold_arguments(const syntax::Decl& declaration, std::span<const syntax::GenericParameter> parameters,
                      std::span<const StaticArgument> arguments, Position use);
  Type* find_nominal(const syntax::Decl& declaration, std::span<const StaticArgument> arguments, std::uint64_t key);
  template <class Decl, class Complete>
  const Type* nominal(const Decl& declaration, std::span<const StaticArgument> arguments, Position use,
                      Complete complete);
  void complete_record(const syntax::RecordDecl& declaration, Type* type, const Scope& scope);
  void complete_sum(const syntax::SumDecl& declaration, Type* type, const Scope& scope);
  void hold_no_circle();
  void finish_resolution();
  std::string shown_instance(std::string_view full_name, std::span<const StaticArgument> arguments) const;

  // signatures.cpp
  void make_signature(checked::Function& function, const FunctionInfo& info, const Scope& scope);
  const Type* resolve_parameter(const syntax::Signature& signature, std::size_t index, const Scope& scope, Position use,
                                bool is_extern);
  const Type* resolve_result(const syntax::Signature& signature, const Scope& scope, Position use);
  void hold_extern(const checked::Function& function, const syntax::ExternDecl& declaration);
  void hold_launch(const checked::Function& function, const syntax::ExternDecl& declaration);

  // instances.cpp
  struct Instance {
    const FunctionInfo* info = nullptr;
    std::span<const StaticArgument> arguments;
    checked::Function* function = nullptr;
  };
  checked::Function* make_function(FunctionInfo& info, std::span<const StaticArgument> arguments, Position use);

  // inference.cpp
  class Unifier;
  struct Impl;
  bool unify_self(const Impl& impl, const Type* type, std::vector<StaticArgument>& arguments);

  // impls.cpp
  struct Impl {
    const syntax::ImplDecl* declaration = nullptr;
    const TraitInfo* trait = nullptr;
    const Type* self = nullptr;              // of a concrete impl, once asked for
    std::span<FunctionInfo* const> written;  // its members as written
    std::span<FunctionInfo* const> members;  // in the trait's order; empty when one is missing
    [[nodiscard]] bool concrete() const { return declaration->generics.empty(); }
  };
  enum class Answer : std::uint8_t { Deciding, No, Yes };
  struct Decision {
    Answer answer = Answer::Deciding;
    const Impl* impl = nullptr;
    std::span<const StaticArgument> arguments;
  };
  const Decision& decide(const Type* type, const TraitInfo& trait, Position use);
  bool impl_matches(Impl& impl, const Type* type, std::vector<StaticArgument>& arguments);
  const Type* impl_self(Impl& impl);
  void collect_impls();
  void order_members(Impl& impl);
  void judge_impls();
  void hold_trait(const Impl& impl, Position at);
  void hold_generic_shape(const Impl& impl);
  void hold_impl(const Impl& impl, const Type* self, std::span<const StaticArgument> arguments);
  void hold_member(const TraitInfo& trait, std::uint32_t member, const FunctionInfo& info, const Type* self,
                   std::span<const StaticArgument> arguments);
  Scope member_scope(std::span<const syntax::GenericParameter> own, Name module, const Type* self,
                     std::span<const Name> outer, std::span<const StaticArgument> arguments);
  /// A stand-in for a member's own type parameter while signatures are compared: it keeps any bound.
  [[nodiscard]] bool is_open_witness(const Type* type) const;
  /// The trait member's ceiling, in the impl member's parameter names: what one without a ceiling of its own keeps to.
  const syntax::Ceiling* trait_ceiling(const FunctionInfo& info);

  // traits.cpp
  void collect_traits();
  TraitMember trait_member(const syntax::Signature& signature);
  void describe_dyn(TraitInfo& trait);
  [[nodiscard]] bool trait_visible(const TraitInfo& trait, Name module) const;
  bool bounds_hold(std::span<const syntax::GenericParameter> parameters, std::span<const StaticArgument> arguments,
                   Name module, Position use);
  FunctionInfo* witness_member(const TraitInfo& trait, std::uint32_t member, const Type* witness);
  [[nodiscard]] bool witness_implements(const Type* witness, const TraitInfo& trait) const;

  // constants.cpp
  class Folder;

  // linking.cpp
  void parse_program();
  void judge_entry();
  void link();

  // driver.cpp
  enum class Outcome : std::uint8_t { Accepted, Refused, Repeated };
  bool take(Diagnostic diagnostic, bool while_deciding);
  template <class Work>
  Outcome attempt(std::string_view derived, Work work);
  template <class Work>
  bool passes(Work work);
  void order_refusals();
  [[nodiscard]] static bool is_counted(const checked::Function& function);
  void count_unjudged_declarations(std::size_t refused);
  bool judge_types();
  bool judge_constants();
  bool judge_signatures(std::size_t& refused);
  void judge_signature(FunctionInfo& info);
  checked::Function* new_test(const syntax::Decl& declaration);
  void judge_bodies();
  void judge_whole_program();
  bool judge_before_bodies();
  void judge();

  // certification.cpp
  const Type* opaque_witness(const FunctionInfo& info, const syntax::GenericParameter& parameter);
  std::vector<StaticArgument> witnesses(const FunctionInfo& info, std::size_t index);
  std::string judge_at_witnesses(FunctionInfo& info);
  [[nodiscard]] bool has_family(const FunctionInfo& info) const;
  [[nodiscard]] std::string verdict_of(const FunctionInfo& info, const Diagnostic& diagnostic) const;

  std::shared_ptr<BodyShared> body_shared_;

  Compilation& compilation_;
  const CheckOptions& options_;
  BuiltinNames builtins_;
  Declarations table_;
  Name self_name_;  // Self
  std::uint32_t visits_ = 0;
  std::uintptr_t stack_end_ = 0;  // where the machine's stack must not reach; 0: unknown

  bool stopped_ = false;  // a limit ended the check
  std::unordered_multimap<std::size_t, std::size_t>
      known_refusals_;                        // hash of code and message -> index in the verdict
  std::vector<Position> listed_;              // the program's own further refusals that come first, in source order
  const syntax::Decl* entry_ = nullptr;       // main, when one is wanted
  std::vector<checked::Function*> concrete_;  // in declaration order, tests and externs included
  std::vector<Name> library_modules_;
  std::vector<const syntax::Decl*> declarations_;
  std::unordered_map<Name, std::vector<const syntax::Decl*>> sums_of_variant_;  // made when first asked for
  bool sums_indexed_ = false;
  std::vector<FunctionInfo*> functions_;
  FlatMap<FunctionInfo*> infos_;  // by declaration
  const Type* order_ = nullptr;
  const Type* cache_ = nullptr;

  std::vector<Nominal> nominals_;            // in the order they were made
  FlatMap<std::uint32_t> nominal_chains_;    // by hash: 1 + the newest index in nominals_ of that hash
  std::vector<std::uint32_t> nominal_next_;  // the next older one of the same hash, 1 + index
  std::uint32_t resolving_ = 0;              // records and sums being completed, nested
  std::size_t resolution_first_ = 0;         // the table's size when the outermost of them began
  std::size_t resolution_nominals_ = 0;
  struct PendingBound {
    std::span<const syntax::GenericParameter> parameters;
    std::span<const StaticArgument> arguments;
    std::string_view user;
    Name module;
    Position use;
  };
  std::vector<PendingBound> pending_bounds_;
  struct PendingStorage {
    const Type* element = nullptr;
    std::string_view storage;
    Position use;
  };
  std::vector<PendingStorage> pending_storage_;

  std::vector<Instance> instances_;
  FlatMap<std::uint32_t> instance_chains_;
  std::vector<std::uint32_t> instance_next_;
  FlatMap<const checked::Function*> symbols_;  // by link symbol: the extern that declared it first

  std::vector<TraitInfo*> traits_;  // in the arena: the checked program refers to them
  FlatMap<TraitInfo*> traits_by_declaration_;
  FlatMap<std::vector<std::pair<std::uint32_t, std::uint32_t>>> members_by_name_;  // name -> (trait, member)
  std::deque<Impl> impls_;
  FlatMap<Impl*> impls_by_declaration_;
  std::vector<std::vector<Impl*>> impls_of_;  // by trait
  std::deque<Decision> decisions_;
  FlatMap<std::uint32_t> decided_;  // by (trait, type): 1 + index in decisions_; 0: undone
  std::vector<std::uint64_t> decision_keys_;
  std::vector<const DispatchTable*> dispatch_tables_;
  std::vector<TraitInfo*> described_;  // whose dyn types were resolved, in order

  std::vector<const Type*> open_witnesses_;
  struct WitnessMember {
    const TraitInfo* trait = nullptr;
    std::uint32_t member = 0;
    FunctionInfo* info = nullptr;
    std::size_t function = 0;  // position of its function
  };
  std::vector<WitnessMember> witness_members_;
  std::vector<std::pair<const Type*, const TraitInfo*>> witness_traits_;  // what the types of certification implement

  FlatMap<ConstantValue> constants_;     // by declaration; no type: being folded
  std::uint32_t deciding_ = 0;           // types and trait decisions being made
  bool refused_while_deciding_ = false;  // the refusal under way passed one of them
};

/// Fills `compilation.generics`: "ok" or why not for each template of a program that was judged.
void certify_templates(Compilation& compilation, const CheckOptions& options, std::uintptr_t lowest_stack,
                       std::span<const std::string_view> templates);

}  // namespace cairn
