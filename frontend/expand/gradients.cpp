#include "frontend/expand/gradients.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "frontend/diagnostics/diagnostic.hpp"
#include "frontend/expand/bound_names.hpp"
#include "frontend/expand/gradient_body.hpp"
#include "frontend/expand/gradient_facts.hpp"
#include "frontend/expand/program_names.hpp"
#include "frontend/expand/tree_maker.hpp"

namespace cairn {

using namespace syntax;

namespace {

class Gradients {
 public:
  Gradients(Arena& arena, NameTable& names, const Declarations& table)
      : names_(names), program_{arena, names, table, BuiltinNames(names), {}} {}

  /// Learns which function a derive differentiates, and which of its parameters.
  void find(const DeriveDecl& derive) {
    const FunctionDecl* function = target_of(derive);
    if (function == nullptr) {
      refuse(Code::Grad, derive.position,
             "No function of this module is called " +
                 (derive.has_target ? dotted_text(derive.target, names_) : std::string("(none)")) + ". " + kForms);
    }
    DerivedGradient gradient{&derive, function, differentiated(derive, *function)};
    hold_target(derive, *function);
    // Of two derives of one function the second is refused for its name.
    program_.derived.emplace(function, std::move(gradient));
  }

  const FunctionDecl* make(const DeriveDecl& derive) {
    const FunctionDecl& function = *target_of(derive);
    const std::vector<bool> differentiated = this->differentiated(derive, function);
    TreeMaker maker(program_.arena, names_, derive.position, derive.span);
    GradientFacts facts(program_, function.module);
    std::unordered_set<Name> reserved{names_.intern("seed"), names_.intern("grad_result")};
    bool is_on_device = false;
    for (std::size_t k = 0; k < differentiated.size(); ++k) {
      const Parameter& parameter = function.signature.parameters[k];
      const Role role = role_of(parameter);
      facts.declare(parameter.name.name, variable(parameter, role, differentiated[k]));
      if (differentiated[k] || role == Role::Output) reserved.insert(adjoint_name(parameter));
      is_on_device |= role != Role::Data && is_device_view(*parameter.type);
    }
    hold_free_parameters(derive, function, reserved);
    for (const Parameter& parameter : function.signature.parameters) reserved.insert(parameter.name.name);
    Arena scratch;
    BoundNames bound(scratch);
    bound.function(function);
    auto* made = program_.arena.make<FunctionDecl>();
    made->kind = DeclKind::Function;
    made->is_public = function.is_public;
    made->module = function.module;
    made->position = derive.position;
    made->span = derive.span;
    made->name = maker.identifier(gradient_name(function));
    made->derived = program_.arena.copy(std::string_view(derived_text(derive)));
    made->signature = signature(function, differentiated, maker);
    made->body = GradientBody(function, facts, maker, std::move(reserved), bound.bound, is_on_device).made();
    return made;
  }

 private:
  enum class Role : std::uint8_t { Data, Value, View, Output };
  static constexpr const char* kForms = "It is derived as `derive grad for f;` or `derive grad[x, y] for f;`.";

  const FunctionDecl* target_of(const DeriveDecl& derive) const {
    if (!derive.has_target || derive.target.dotted()) return nullptr;
    const Symbol symbol = program_.table.find(derive.module, derive.target.last());
    return symbol.kind == Symbol::Kind::Function ? &symbol.declaration->as<FunctionDecl>() : nullptr;
  }

  std::string derived_text(const DeriveDecl& derive) const {
    return "derive grad for " + dotted_text(derive.target, names_);
  }

  Name gradient_name(const FunctionDecl& function) {
    return names_.intern(std::string(names_.text(function.name.name)) + "_grad");
  }

  Name adjoint_name(const Parameter& parameter) {
    return names_.intern("d_" + std::string(names_.text(parameter.name.name)));
  }

  /// What a parameter is to a derivative (8.1): only float values, ro float views and rw float views are anything.
  Role role_of(const Parameter& parameter) const {
    const TypeExpr& type = *parameter.type;
    if (!is_float(program_.kind_of(type))) return Role::Data;
    if (type.kind != syntax::TypeKind::Borrow) return Role::Value;
    if (!type.has_extent) return Role::Data;
    return type.mode == BorrowMode::Ro ? Role::View : Role::Output;
  }

  static bool is_device_view(const TypeExpr& type) {
    return type.kind == syntax::TypeKind::Borrow && type.has_placement && type.placement == Placement::Device;
  }

  GradientVariable variable(const Parameter& parameter, Role role, bool differentiated) const {
    const TypeExpr& type = *parameter.type;
    GradientVariable made;
    made.role = role == Role::Output ? GradientVariable::Role::Output
                : !differentiated    ? GradientVariable::Role::Data
                : role == Role::View ? GradientVariable::Role::View
                                     : GradientVariable::Role::Value;
    made.is_view = type.kind == syntax::TypeKind::Borrow && type.has_extent;
    made.active = differentiated;
    made.kind = program_.kind_of(*parameter.type);
    made.type = parameter.type;
    return made;
  }

  // -------------------------------------------------------------------------------------------------------------
  // what is derived

  void hold_target(const DeriveDecl& derive, const FunctionDecl& function) const {
    const std::string name(names_.text(function.name.name));
    if (!function.signature.generics.empty() || function.kernel || function.impl_member || function.body == nullptr) {
      refuse(Code::Grad, derive.position,
             "A gradient is derived for a plain function; " + name + " is generic or a kernel. " + kForms);
    }
    const auto& parameters = function.signature.parameters;
    const bool has_output =
        std::ranges::any_of(parameters, [&](const Parameter& it) { return role_of(it) == Role::Output; });
    const TypeExpr* result = function.signature.result;
    const bool gives_float =
        result != nullptr && result->kind != syntax::TypeKind::Borrow && is_float(program_.kind_of(*result));
    if (result == nullptr ? has_output : gives_float) return;
    refuse(Code::Grad, derive.position,
           name +
               " neither returns an f32 or f64 nor, returning nothing, writes an rw view of them, so it has no "
               "derivative. " +
               kForms);
  }

  std::vector<bool> differentiated(const DeriveDecl& derive, const FunctionDecl& function) const {
    const auto& parameters = function.signature.parameters;
    std::vector<bool> chosen(parameters.size());
    const auto is_candidate = [&](const Parameter& parameter) {
      const Role role = role_of(parameter);
      return role == Role::Value || role == Role::View;
    };
    if (derive.arguments.empty()) {
      for (std::size_t k = 0; k < chosen.size(); ++k) chosen[k] = is_candidate(parameters[k]);
      return chosen;
    }
    for (const DeriveArgument& argument : derive.arguments) {
      const auto named = [&](const Parameter& it) {
        return !argument.is_natural && !argument.path.dotted() && it.name.name == argument.path.last();
      };
      const auto found = std::ranges::find_if(parameters, named);
      if (found == parameters.end() || !is_candidate(*found)) {
        const std::string text =
            argument.is_natural ? std::string(argument.natural.digits) : dotted_text(argument.path, names_);
        refuse(Code::Grad, derive.position,
               text + " is no f32 or f64 parameter and no ro view of them of " +
                   std::string(names_.text(function.name.name)) + ". List the parameters to differentiate.");
      }
      chosen[static_cast<std::size_t>(found - parameters.begin())] = true;
    }
    return chosen;
  }

  void hold_free_parameters(const DeriveDecl& derive, const FunctionDecl& function,
                            const std::unordered_set<Name>& reserved) const {
    for (const Parameter& parameter : function.signature.parameters) {
      if (!reserved.contains(parameter.name.name)) continue;
      refuse(Code::DeriveCollision, derive.position,
             "The gradient of " + std::string(names_.text(function.name.name)) + " uses the name " +
                 std::string(names_.text(parameter.name.name)) + " itself. Rename that parameter.");
    }
  }

  // --------------------------------------------------------------------------------------------------------------
  // its signature

  Signature signature(const FunctionDecl& function, const std::vector<bool>& differentiated, TreeMaker& maker) {
    std::vector<Parameter> parameters;
    for (const Parameter& each : function.signature.parameters) {
      parameters.push_back({maker.identifier(each.name.name), maker.copy(each.type)});
    }
    if (function.signature.result != nullptr) {
      parameters.push_back({maker.identifier(names_.intern("seed")), maker.copy(function.signature.result)});
    }
    for (std::size_t k = 0; k < differentiated.size(); ++k) {
      const Parameter& each = function.signature.parameters[k];
      const Role role = role_of(each);
      if (!differentiated[k] && role != Role::Output) continue;
      const TypeExpr& type = *each.type;
      const bool is_view = type.kind == syntax::TypeKind::Borrow;
      const BorrowMode mode = role == Role::Output ? BorrowMode::Ro : BorrowMode::Rw;
      parameters.push_back({maker.identifier(adjoint_name(each)),
                            maker.borrow(mode, is_view ? *type.inner : *each.type, is_view ? &type : nullptr)});
    }
    Signature made;
    made.name = maker.identifier(gradient_name(function));
    made.parameters = program_.arena.copy(parameters);
    made.result = maker.copy(function.signature.result);
    return made;
  }

  NameTable& names_;
  GradientProgram program_;
};

}  // namespace

void derive_gradients(const std::vector<const DeriveDecl*>& derives, Arena& arena, NameTable& names,
                      const Declarations& table,
                      const std::function<void(const FunctionDecl&, const DeriveDecl&)>& add) {
  Gradients gradients(arena, names, table);
  // The targets first, for a call reaches gradients that are derived after it.
  for (const DeriveDecl* derive : derives) gradients.find(*derive);
  for (const DeriveDecl* derive : derives) add(*gradients.make(*derive), *derive);
}

}  // namespace cairn
