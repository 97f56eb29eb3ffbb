// What a template's parameters stand for in a call, and a generic record's or sum's in a constructor
// (abstractions, 3.3).
#include "frontend/check/inference.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "frontend/check/checker.hpp"
#include "frontend/check/spelling.hpp"

namespace cairn {

/// Binds parameters by matching written types with actual ones: structural, each parameter once, no conversions. The
/// mode, extent and placement of a borrow bind nothing.
class Checker::Unifier {
 public:
  Unifier(Checker& checker, std::span<const syntax::GenericParameter> parameters, Name module, const Type* self,
          Position use)
      : checker_(checker),
        parameters_(parameters),
        module_(module),
        self_(self),
        use_(use),
        bound_(parameters.size()) {}

  void bind(std::size_t index, StaticArgument argument) { bound_[index] = argument; }
  [[nodiscard]] bool is_bound(std::size_t index) const { return bound_[index].has_value(); }
  [[nodiscard]] bool complete() const {
    return std::ranges::all_of(bound_, [](const auto& each) { return each.has_value(); });
  }
  [[nodiscard]] std::vector<StaticArgument> arguments() const {
    std::vector<StaticArgument> all;
    for (const auto& each : bound_) all.push_back(*each);
    return all;
  }
  [[nodiscard]] std::string_view first_unbound() const {
    for (std::size_t i = 0; i < bound_.size(); ++i)
      if (!bound_[i]) return checker_.text(parameters_[i].name.name);
    return {};
  }

  /// The parameter of this name; -1 when it is none.
  [[nodiscard]] std::int32_t parameter(Name name) const {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      if (parameters_[i].name.name == name) return static_cast<std::int32_t>(i);
    return -1;
  }
  [[nodiscard]] bool is_natural(std::size_t index) const { return parameters_[index].bound == syntax::BoundKind::Nat; }

  /// Whether a written type still waits for a parameter; extents aside.
  [[nodiscard]] bool mentions_unbound(const syntax::TypeExpr& type) const {
    if (type.kind == syntax::TypeKind::Named && type.path.segments.size() == 1) {
      if (const std::int32_t index = parameter(type.path.last()); index >= 0)
        return !is_bound(static_cast<std::size_t>(index));
    }
    if (type.inner != nullptr && mentions_unbound(*type.inner)) return true;
    return std::ranges::any_of(type.arguments, [&](const auto* each) { return mentions_unbound(*each); });
  }

  bool unify(const syntax::TypeExpr& written, const Type* actual) {
    switch (written.kind) {
      case syntax::TypeKind::Natural:
        return false;
      case syntax::TypeKind::Borrow:
        return unify(*written.inner, actual->is(TypeKind::View) ? actual->element : value_type(actual));
      case syntax::TypeKind::Dyn:
        return actual->is(TypeKind::DynRef) && actual->trait == trait(written.path);
      case syntax::TypeKind::Function:
        return unify_function(written, actual);
      case syntax::TypeKind::Named:
        return unify_named(written, actual);
    }
    return false;
  }

 private:
  bool unify_function(const syntax::TypeExpr& written, const Type* actual) {
    if (!actual->is(TypeKind::Function) || actual->parameters.size() != written.arguments.size()) return false;
    for (std::size_t i = 0; i < actual->parameters.size(); ++i)
      if (!unify(*written.arguments[i], actual->parameters[i])) return false;
    if (written.inner == nullptr) return actual->result->is(TypeKind::Void);
    return unify(*written.inner, actual->result);
  }

  bool bind_type(std::size_t index, const Type* actual) {
    if (is_natural(index)) return false;
    if (bound_[index]) return bound_[index]->type == actual;
    bound_[index] = StaticArgument{actual, 0};
    return true;
  }

  bool unify_named(const syntax::TypeExpr& written, const Type* actual) {
    const auto path = written.path.segments;
    if (path.size() == 1) {
      const Name name = path.front().name;
      if (const std::int32_t index = parameter(name); index >= 0)
        return bind_type(static_cast<std::size_t>(index), actual);
      if (const Type* scalar = checker_.types().scalar_named(name)) return scalar == actual;
      if (self_ != nullptr && name == checker_.self_name_) return self_ == actual;
      if (checker_.builtins_.class_of(name) == BuiltinClass::Intrinsic) return unify_intrinsic(written, name, actual);
    }
    const Symbol symbol = checker_.resolve(written.path, module_, kWantType, use_);
    switch (symbol.kind) {
      case Symbol::Kind::Record:
        return actual->record != nullptr && actual->record->declaration == symbol.declaration &&
               unify_arguments(written.arguments, actual->record->arguments);
      case Symbol::Kind::Sum:
        return actual->sum != nullptr && actual->sum->declaration == symbol.declaration &&
               unify_arguments(written.arguments, actual->sum->arguments);
      case Symbol::Kind::Alias:
        return checker_.alias_type(symbol.declaration->as<syntax::AliasDecl>()) == actual;
      default:
        refuse(Code::Type, use_, "No type here is called " + spelled(written, checker_.names()) + ".");
    }
  }

  bool unify_intrinsic(const syntax::TypeExpr& written, Name name, const Type* actual) {
    const std::string_view spelling = checker_.text(name);
    const auto arguments = written.arguments;
    const auto element_only = [&](TypeKind kind) {
      return actual->is(kind) && arguments.size() == 1 && actual->element != nullptr &&
             unify(*arguments.front(), actual->element);
    };
    if (spelling == "Buf") return element_only(TypeKind::Buf);
    if (spelling == "Mutex") return element_only(TypeKind::Mutex);
    if (spelling == "Atomic") return element_only(TypeKind::Atomic);
    if (spelling == "Group") return element_only(TypeKind::Group);
    if (spelling == "Ticket") return element_only(TypeKind::Ticket);
    if (spelling == "IoRing") return actual->is(TypeKind::IoRing) && arguments.empty();
    if (spelling == "Array") {
      return actual->is(TypeKind::Array) && arguments.size() == 2 && unify(*arguments[0], actual->element) &&
             unify_static(*arguments[1], {nullptr, actual->count});
    }
    if (spelling == "Dyn") {
      return actual->is(TypeKind::Dyn) && arguments.size() == 1 && arguments.front()->kind == syntax::TypeKind::Named &&
             actual->trait == trait(arguments.front()->path);
    }
    return actual->is(TypeKind::Fragment) && actual->full_name == name && unify_arguments(arguments, actual->arguments);
  }

  bool unify_arguments(std::span<const syntax::TypeExpr* const> written, std::span<const StaticArgument> actual) {
    if (written.size() != actual.size()) return false;
    for (std::size_t i = 0; i < actual.size(); ++i)
      if (!unify_static(*written[i], actual[i])) return false;
    return true;
  }

  bool unify_static(const syntax::TypeExpr& written, const StaticArgument& actual) {
    if (actual.type != nullptr) return unify(written, actual.type);
    if (written.kind == syntax::TypeKind::Named && written.path.segments.size() == 1) {
      if (const std::int32_t found = parameter(written.path.last()); found >= 0) {
        const auto index = static_cast<std::size_t>(found);
        if (!is_natural(index)) return false;
        if (bound_[index]) return *bound_[index] == actual;
        bound_[index] = actual;
        return true;
      }
    }
    Scope scope;
    scope.module = module_;
    return checker_.resolve_argument(written, scope, use_) == actual;
  }

  const TraitInfo* trait(const syntax::Path& path) {
    const Symbol symbol = checker_.resolve(path, module_, kWantTrait, use_);
    return symbol ? checker_.trait_of(symbol.declaration->as<syntax::TraitDecl>()) : nullptr;
  }

  Checker& checker_;
  std::span<const syntax::GenericParameter> parameters_;
  Name module_;
  const Type* self_;
  Position use_;
  std::vector<std::optional<StaticArgument>> bound_;
};

namespace {

/// What an argument gives a view parameter's element; null when it has no elements.
const Type* element_of(const Type* type) {
  const bool has = type->is(TypeKind::View) || type->is(TypeKind::Buf) || type->is(TypeKind::Array);
  return has ? type->element : nullptr;
}

std::optional<std::uint64_t> static_extent(const Type* type) {
  if (type->is(TypeKind::Array)) return type->count;
  if (type->is(TypeKind::View) && type->extent.kind == Extent::Kind::Literal) return type->extent.literal;
  return std::nullopt;
}

}  // namespace

/// Matches an impl block's written Self with a type; false when it does not fit or leaves a parameter open.
bool Checker::unify_self(const Impl& impl, const Type* type, std::vector<StaticArgument>& arguments) {
  Unifier unifier(*this, impl.declaration->generics, impl.declaration->module, nullptr, impl.declaration->position);
  if (!unifier.unify(*impl.declaration->type, type) || !unifier.complete()) return false;
  arguments = unifier.arguments();
  return true;
}

std::span<const StaticArgument> Checker::infer_call(const FunctionInfo& callee, std::span<const StaticArgument> leading,
                                                    const Type* expected, CallArguments& arguments, Position call) {
  const auto generics = callee.generics;
  const std::size_t own = generics.size() - callee.impl_parameters;
  if (leading.size() > generics.size()) {
    refuse(Code::GenericArity, call,
           std::string(callee.full_name) + " takes " + std::to_string(own) + " type argument" + (own == 1 ? "" : "s") +
               ", and " + std::to_string(leading.size() - callee.impl_parameters) + " are given.");
  }
  const Type* self = callee.witness;
  if (callee.impl != nullptr) {
    Scope scope;
    scope.module = callee.module;
    scope.parameters = callee.parameter_names.first(callee.impl_parameters);
    scope.arguments = leading.first(callee.impl_parameters);
    self = resolve_type(*callee.impl->type, scope, call);
  }
  Unifier unifier(*this, generics, callee.module, self, call);
  for (std::size_t i = 0; i < leading.size(); ++i) {
    const std::string_view name = text(generics[i].name.name);
    if (unifier.is_natural(i) != (leading[i].type == nullptr)) {
      refuse(Code::GenericKind, call,
             std::string(callee.full_name) + " takes a " + (unifier.is_natural(i) ? "natural" : "type") + " for " +
                 std::string(name) + ", and " +
                 (leading[i].type != nullptr ? std::string(leading[i].type->name) + " is a type."
                                             : std::to_string(leading[i].natural) + " is a natural."));
    }
    unifier.bind(i, leading[i]);
  }

  const syntax::TypeExpr* result = callee.signature->result;
  const auto take_expected = [&] {
    if (expected != nullptr && result != nullptr && unifier.mentions_unbound(*result)) unifier.unify(*result, expected);
  };
  const auto parameters = callee.signature->parameters;
  const auto visit = [&](std::size_t i) {
    const syntax::TypeExpr& declared = *parameters[i].type;
    const bool view = declared.kind == syntax::TypeKind::Borrow && declared.has_extent;
    if (view && declared.extent_is_name && !arguments.is_part(i)) {
      const std::int32_t extent = unifier.parameter(declared.extent_name.name);
      if (extent >= 0 && !unifier.is_bound(static_cast<std::size_t>(extent))) {
        if (const auto known = static_extent(arguments.type_of(i, true)))
          unifier.bind(static_cast<std::size_t>(extent), {nullptr, *known});
      }
    }
    if (!unifier.mentions_unbound(declared)) return;
    const Type* actual = arguments.type_of(i, view);
    const Type* value = view ? element_of(actual) : value_type(actual);
    if (value == nullptr) {
      refuse(Code::TypeMismatch, arguments.position(i),
             std::string(actual->name) + " has no elements: it does not fit " + spelled(declared, names()) + ".");
    }
    if (!unifier.unify(declared.kind == syntax::TypeKind::Borrow ? *declared.inner : declared, value)) {
      refuse(Code::TypeMismatch, arguments.position(i),
             std::string(actual->name) + " does not fit " + spelled(declared, names()) + ".");
    }
  };
  const std::size_t count = std::min(arguments.count(), parameters.size());
  for (std::size_t i = 0; i < count && !unifier.complete(); ++i)
    if (!arguments.is_literal(i)) visit(i);
  for (std::size_t i = 0; i < count && !unifier.complete(); ++i) {
    if (!arguments.is_literal(i)) continue;
    take_expected();
    visit(i);
  }
  take_expected();
  if (!unifier.complete()) {
    refuse(Code::Infer, call,
           "Nothing tells " + std::string(unifier.first_unbound()) + " of " + std::string(callee.full_name) +
               "; write " + std::string(text(callee.signature->name.name)) + "[...](...).");
  }
  return arena().copy(unifier.arguments());
}

const Type* Checker::infer_record(const syntax::RecordDecl& record, std::span<const StaticArgument> leading,
                                  const Type* expected, CallArguments& fields, Position use) {
  if (record.generics.empty() || !leading.empty()) return record_instance(record, leading, use);
  if (expected != nullptr && expected->record != nullptr && expected->record->declaration == &record) return expected;
  Unifier unifier(*this, record.generics, record.module, nullptr, use);
  const std::size_t count = std::min(fields.count(), record.fields.size());
  for (const bool literals : {false, true}) {
    for (std::size_t i = 0; i < count; ++i) {
      const syntax::TypeExpr& declared = *record.fields[i].type;
      if (fields.is_literal(i) != literals || !unifier.mentions_unbound(declared)) continue;
      const Type* actual = fields.type_of(i, false);
      if (!unifier.unify(declared, value_type(actual))) {
        refuse(Code::Infer, fields.position(i),
               std::string(actual->name) + " does not fit " + spelled(declared, names()) + "; write " +
                   full_name(record) + "[...](...).");
      }
    }
  }
  if (!unifier.complete()) {
    refuse(Code::Infer, use,
           "Nothing tells " + std::string(unifier.first_unbound()) + " of " + full_name(record) + "; write " +
               full_name(record) + "[...](...).");
  }
  return record_instance(record, unifier.arguments(), use);
}

const Type* Checker::infer_variant(const syntax::SumDecl& sum, std::uint32_t variant,
                                   std::span<const StaticArgument> leading, const Type* expected,
                                   CallArguments& payload, Position use) {
  if (sum.generics.empty() || !leading.empty()) return sum_instance(sum, leading, use);
  if (expected != nullptr && expected->sum != nullptr && expected->sum->declaration == &sum) return expected;
  Unifier unifier(*this, sum.generics, sum.module, nullptr, use);
  const syntax::Variant& written = sum.variants[variant];
  const bool fits = written.payload == nullptr || payload.count() == 0 ||
                    unifier.unify(*written.payload, value_type(payload.type_of(0, false)));
  if (!fits || !unifier.complete()) {
    refuse(Code::Infer, use,
           "Nothing tells what " + full_name(sum) + "." + std::string(text(written.name.name)) +
               " is of; write its type arguments, or the type where it goes.");
  }
  return sum_instance(sum, unifier.arguments(), use);
}

}  // namespace cairn
