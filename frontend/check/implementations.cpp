// Implementations and selections (abstractions, 11): which function may implement which, the instances a tune clause
// lists, and what a plan selects.
#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "frontend/check/checker.hpp"
#include "frontend/check/judgement_state.hpp"
#include "frontend/check/layouts.hpp"
#include "frontend/check/tree_walk.hpp"
#include "frontend/project/device_target.hpp"

namespace cairn {

namespace {

constexpr std::size_t kMostInstances = 16;
constexpr std::uint64_t kMostTuned = std::uint64_t{1} << 32;

[[noreturn]] void refuse_implements(const syntax::FunctionDecl& declaration, std::string message) {
  refuse(Code::Implements, declaration.position, std::move(message));
}

std::vector<Name> segments_of(const syntax::Path& path) {
  std::vector<Name> names;
  for (const syntax::Identifier& segment : path.segments) names.push_back(segment.name);
  return names;
}

std::string written(Checker& checker, const syntax::Path& path) {
  std::string text;
  for (const syntax::Identifier& segment : path.segments) {
    text += (text.empty() ? "" : ".") + std::string(checker.text(segment.name));
  }
  return text;
}

/// The function an `implements` names: in the same module and ordinary.
FunctionInfo& reference_of(Checker& checker, const syntax::FunctionDecl& declaration) {
  const syntax::Path& path = declaration.implements.reference;
  const std::string name = written(checker, path);
  const Symbol symbol = checker.resolve(segments_of(path), declaration.module, kWantFunction, path.position());
  if (!symbol) refuse_implements(declaration, "No function is called " + name + ", so nothing can implement it.");
  const syntax::Decl& found = *symbol.declaration;
  if (found.module != declaration.module) {
    refuse_implements(declaration,
                      name + " is declared in another module; an implementation stands beside its reference.");
  }
  if (found.kind == syntax::DeclKind::Extern) {
    refuse_implements(declaration, name + " is a foreign function, which has no implementations.");
  }
  const auto& function = found.as<syntax::FunctionDecl>();
  if (function.kernel || function.impl_member || function.implements.present || !function.signature.generics.empty()) {
    const std::string what = function.kernel               ? "a kernel"
                             : function.impl_member        ? "a trait member"
                             : function.implements.present ? "an implementation itself"
                                                           : "generic";
    refuse_implements(declaration, name + " is " + what + "; only an ordinary function has implementations.");
  }
  return checker.info(found);
}

void implementation_is_ordinary(Checker& checker, const syntax::FunctionDecl& declaration) {
  const std::string name(checker.text(declaration.name.name));
  if (declaration.kernel) refuse_implements(declaration, name + " is a kernel, which implements nothing.");
  if (declaration.impl_member) refuse_implements(declaration, name + " is a trait member, which implements nothing.");
  for (const syntax::GenericParameter& parameter : declaration.signature.generics) {
    if (parameter.bound != syntax::BoundKind::Nat) {
      refuse_implements(declaration, "An implementation has no type parameters; its naturals take the listed values.");
    }
  }
}

/// Whether a body runs device code: regions or kernels of its own, or through what it calls.
bool runs_device_code(const checked::Function& function, std::unordered_set<const checked::Function*>& seen) {
  if (function.kind == checked::FunctionKind::Extern) {
    return function.declaration->as<syntax::ExternDecl>().has_launch;
  }
  if (function.body == nullptr || !seen.insert(&function).second) return false;
  bool found = false;
  const auto expression = [&](const auto& self, const checked::Expr& root) -> void {
    if (found) return;
    if (root.kind == checked::ExprKind::Call) found = runs_device_code(*root.as<checked::CallExpr>().callee, seen);
    if (root.kind == checked::ExprKind::Spawn && root.as<checked::SpawnExpr>().region != nullptr) {
      found = found || root.as<checked::SpawnExpr>().region->device;
    }
    checked::for_each_operand(root, [&](const checked::Expr& operand) { self(self, operand); });
  };
  checked::for_each_statement(*function.body, [&](const checked::Stmt& statement) {
    using checked::StmtKind;
    found = found || (statement.kind == StmtKind::Parallel && statement.as<checked::ParallelStmt>().device) ||
            (statement.kind == StmtKind::Reduce && statement.as<checked::ReduceStmt>().device) ||
            (statement.kind == StmtKind::Scan && statement.as<checked::ScanStmt>().device) ||
            (statement.kind == StmtKind::Compact && statement.as<checked::CompactStmt>().device) ||
            (statement.kind == StmtKind::Cooperative && statement.as<checked::CooperativeStmt>().device);
    checked::for_each_part(
        statement, [&](const checked::Expr& value) { expression(expression, value); }, [](const checked::Block&) {},
        [](const checked::Function&) {});
  });
  return found;
}

void needs_are_known(const syntax::FunctionDecl& declaration) {
  for (const syntax::EffectLabel& need : declaration.implements.needs) {
    if (device_feature(need.text) != nullptr) continue;
    std::string known;
    for (const DeviceFeature& feature : device_features()) {
      known += (known.empty() ? "" : ", ") + std::string(feature.name);
    }
    refuse_implements(declaration, std::string(need.text) + " is no device feature. The features are " + known + ".");
  }
}

std::string shown(const std::string& name, std::span<const StaticArgument> arguments) {
  if (arguments.empty()) return name;
  std::string text = name + "[";
  for (std::size_t k = 0; k < arguments.size(); ++k)
    text += (k == 0 ? "" : ", ") + std::to_string(arguments[k].natural);
  return text + "]";
}

std::string signature_text(Checker& checker, const checked::Function& function) {
  std::string text = "(";
  for (const checked::Local* parameter : function.parameters) {
    text += (text.size() == 1 ? "" : ", ") + std::string(checker.text(parameter->name)) + ":" +
            std::string(parameter->type->name);
  }
  text += ")";
  if (function.result != nullptr && !function.result->is(TypeKind::Void))
    text += " -> " + std::string(function.result->name);
  return text;
}

void signatures_are_equal(Checker& checker, const syntax::FunctionDecl& declaration, const checked::Function& instance,
                          const checked::Function& reference) {
  const bool same =
      instance.result == reference.result && std::ranges::equal(instance.parameters, reference.parameters,
                                                                [](const checked::Local* a, const checked::Local* b) {
                                                                  return a->name == b->name && a->type == b->type;
                                                                });
  if (same) return;
  refuse(Code::ImplSignature, declaration.position,
         std::string(instance.name) + " is " + signature_text(checker, instance) + ", and its reference " +
             std::string(reference.name) + " is " + signature_text(checker, reference) + "; they must be equal.");
}

}  // namespace

std::vector<std::vector<StaticArgument>> listed_instances(Checker& checker, const syntax::FunctionDecl& declaration) {
  const auto& generics = declaration.signature.generics;
  const auto& tune = declaration.implements.tune;
  const auto refuse_parameter = [&](const std::string& message) {
    refuse(Code::ImplParam, declaration.position, message);
  };
  std::vector<std::vector<StaticArgument>> instances(1);
  for (std::size_t k = 0; k < tune.size(); ++k) {
    const std::string name(checker.text(tune[k].name.name));
    const auto is_it = [&](const auto& other) { return other.name.name == tune[k].name.name; };
    if (std::ranges::none_of(generics, is_it))
      refuse_parameter("tune lists values for " + name + ", which is no parameter.");
    if (std::ranges::count_if(tune, is_it) > 1) refuse_parameter("tune lists values for " + name + " twice.");
    if (tune[k].values.empty()) refuse_parameter("tune lists no values for " + name + ".");
    std::unordered_set<std::uint64_t> values;
    for (const syntax::Natural& value : tune[k].values) {
      if (!value.fits || value.value >= kMostTuned) {
        refuse_parameter("A tuned value is below 2^32; " + std::string(value.digits) + " is not.");
      }
      if (!values.insert(value.value).second) {
        refuse_parameter("tune lists " + std::to_string(value.value) + " for " + name + " twice.");
      }
    }
  }
  std::size_t combinations = 1;
  for (const syntax::GenericParameter& parameter : generics) {
    const auto choice = std::ranges::find(tune, parameter.name.name, [](const auto& each) { return each.name.name; });
    if (choice == tune.end()) {
      refuse_parameter("The natural " + std::string(checker.text(parameter.name.name)) +
                       " needs a list of values: tune " + std::string(checker.text(parameter.name.name)) + " in [..].");
    }
    combinations *= choice->values.size();
    if (combinations > kMostInstances) {
      refuse_parameter("An implementation lists at most " + std::to_string(kMostInstances) +
                       " combinations of values.");
    }
    std::vector<std::vector<StaticArgument>> longer;
    for (const auto& instance : instances) {
      for (const syntax::Natural& value : choice->values) {
        longer.push_back(instance);
        longer.back().push_back({nullptr, value.value});
      }
    }
    instances = std::move(longer);
  }
  return instances;
}

bool is_listed_instance(const syntax::FunctionDecl& implementation, std::span<const StaticArgument> arguments) {
  const auto& generics = implementation.signature.generics;
  if (arguments.size() != generics.size()) return false;
  for (std::size_t k = 0; k < generics.size(); ++k) {
    const auto& tune = implementation.implements.tune;
    const auto choice = std::ranges::find(tune, generics[k].name.name, [](const auto& each) { return each.name.name; });
    if (choice == tune.end() || arguments[k].type != nullptr) return false;
    if (std::ranges::find(choice->values, arguments[k].natural, &syntax::Natural::value) == choice->values.end())
      return false;
  }
  return true;
}

Implementation judge_implementation(Checker& checker, const syntax::FunctionDecl& declaration) {
  Implementation made;
  made.declaration = &declaration;
  FunctionInfo& reference = reference_of(checker, declaration);
  implementation_is_ordinary(checker, declaration);
  needs_are_known(declaration);
  made.reference = reference.concrete;
  FunctionInfo& info = checker.info(declaration);
  const std::string name(info.full_name);
  for (const auto& arguments : listed_instances(checker, declaration)) {
    try {
      checked::Function* instance =
          arguments.empty() ? info.concrete : checker.function(info, arguments, declaration.position);
      signatures_are_equal(checker, declaration, *instance, *made.reference);
      std::unordered_set<const checked::Function*> seen;
      if (!declaration.implements.needs.empty() && !runs_device_code(*instance, seen)) {
        refuse_implements(declaration, name + " runs no device code, so it needs no device feature.");
      }
      made.instances.push_back({instance, judge_condition(checker, declaration, *instance, *made.reference)});
    } catch (Refusal& refusal) {
      if (!arguments.empty()) refusal.diagnostic.message = shown(name, arguments) + ": " + refusal.diagnostic.message;
      throw;
    }
  }
  return made;
}

namespace {

/// The instance a plan names; E-IMPL-USE and E-IMPL-PARAM at the plan.
class Selection {
 public:
  Selection(ProgramJudgement::State& state, const syntax::PlanDecl& plan) : state_(state), plan_(plan) {}

  void judge() {
    checked::Function* reference = function_named(plan_.function).concrete;
    const FunctionInfo& chosen = function_named(plan_.chosen);
    const Implementation* implementation = nullptr;
    std::string known;
    for (const Implementation& each : state_.implementations) {
      if (each.reference != reference || reference == nullptr) continue;
      if (each.declaration == chosen.declaration) implementation = &each;
      known += (known.empty() ? "" : ", ") + std::string(state_.checker.text(each.declaration->name.name));
    }
    if (implementation == nullptr) {
      refuse_use(std::string(chosen.full_name) + " does not implement " + written(state_.checker, plan_.function) +
                 (known.empty() ? "; nothing does." : "; its implementations are " + known + "."));
    }
    if (const auto earlier = state_.selected.find(reference); earlier != state_.selected.end()) {
      refuse_use("A plan selects " + std::string(earlier->second->function->name) + " for " +
                 std::string(reference->name) + " already.");
    }
    state_.selected.emplace(reference, &instance_of(*implementation));
  }

 private:
  [[noreturn]] void refuse_use(const std::string& message) const { refuse(Code::ImplUse, plan_.position, message); }

  FunctionInfo& function_named(const syntax::Path& path) const {
    const Symbol symbol = state_.checker.resolve(segments_of(path), plan_.module, kWantFunction, path.position());
    if (symbol.kind != Symbol::Kind::Function)
      refuse_use(written(state_.checker, path) + " is no function of this program.");
    return state_.checker.info(*symbol.declaration);
  }

  const ImplementationInstance& instance_of(const Implementation& implementation) const {
    const auto& generics = implementation.declaration->signature.generics;
    const std::string name(state_.checker.text(implementation.declaration->name.name));
    const auto refuse_values = [&](const std::string& message) { refuse(Code::ImplParam, plan_.position, message); };
    if (plan_.values.size() != generics.size()) {
      refuse_values(generics.empty() ? name + " has no parameters, so a plan gives it no values."
                                     : name + " takes " + std::to_string(generics.size()) + " values; the plan gives " +
                                           std::to_string(plan_.values.size()) + ".");
    }
    for (const ImplementationInstance& instance : implementation.instances) {
      const auto given = [](const syntax::Natural& value, const StaticArgument& argument) {
        return value.fits && value.value == argument.natural;
      };
      if (generics.empty() || std::ranges::equal(plan_.values, instance.function->arguments, given)) return instance;
    }
    std::string listed;
    for (const ImplementationInstance& instance : implementation.instances) {
      listed += (listed.empty() ? "" : ", ") + std::string(instance.function->name);
    }
    refuse_values("These values are not listed; the instances are " + listed + ".");
    return implementation.instances.front();
  }

  ProgramJudgement::State& state_;
  const syntax::PlanDecl& plan_;
};

}  // namespace

ProgramJudgement::ProgramJudgement(Checker& checker) : state_(std::make_unique<State>(checker)) {}
ProgramJudgement::~ProgramJudgement() = default;

void ProgramJudgement::judge_implementations() {
  Checker& checker = state_->checker;
  for (FunctionInfo* info : checker.functions()) {
    if (info->is_implementation()) {
      state_->implementations.push_back(judge_implementation(checker, *info->function()));
    }
  }
  for (const syntax::Decl* declaration : checker.declarations()) {
    if (declaration->kind != syntax::DeclKind::Plan) continue;
    const auto& plan = declaration->as<syntax::PlanDecl>();
    if (plan.selects) Selection(*state_, plan).judge();
  }
  judge_schedule_plans(checker);
}

void ProgramJudgement::judge_layouts() { judge_declared_layouts(state_->checker); }

void ProgramJudgement::judge_target() { judge_device_target(*state_); }

}  // namespace cairn
