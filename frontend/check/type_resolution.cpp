// Written types become types (syntax and values, 1.3.2; ownership and memory, 3 and 5.1; abstractions, 3 and 7).
#include <array>
#include <string>

#include "frontend/check/checker.hpp"
#include "frontend/check/fragments.hpp"
#include "frontend/check/syntax_paths.hpp"

namespace cairn {

namespace {

/// The dotted name a path spells, as names alone.
class PathNames {
 public:
  explicit PathNames(const syntax::Path& path) {
    if (path.segments.size() <= few_.size()) {
      for (std::size_t i = 0; i < path.segments.size(); ++i) few_[i] = path.segments[i].name;
      names_ = std::span(few_).first(path.segments.size());
    } else {
      for (const auto& segment : path.segments) many_.push_back(segment.name);
      names_ = many_;
    }
  }
  PathNames(const PathNames&) = delete;
  PathNames& operator=(const PathNames&) = delete;
  [[nodiscard]] std::span<const Name> names() const { return names_; }

 private:
  std::array<Name, 4> few_;
  std::vector<Name> many_;
  std::span<const Name> names_;
};

std::string joined_text(const Checker& checker, std::span<const Name> path) {
  std::string text;
  for (const Name name : path) text.append(text.empty() ? "" : ".").append(checker.text(name));
  return text;
}

constexpr std::uint64_t kExtentLimit = (std::uint64_t{1} << 63) - 1;

std::string count_of(std::size_t count, std::string_view what) {
  return (count == 0 ? "no" : std::to_string(count)) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

constexpr std::array<std::uint64_t, 3> kWarpMatrixShapes[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};
constexpr std::array<std::uint64_t, 3> kSyncShapes[] = {{16, 8, 16}};

/// E-FRAGMENT when the family has no fragment of this element and shape.
void hold_fragment(const FragmentFamily& family, std::span<const StaticArgument> arguments, Position use) {
  const Type* element = arguments[0].type;
  const bool is_accumulator = family.role == FragmentRole::Accumulator;
  const bool element_fits =
      is_accumulator ? element->is(TypeKind::F32) : element->is(TypeKind::F16) || element->is(TypeKind::BF16);
  if (!element_fits) {
    refuse(Code::Fragment, use,
           std::string(family.name) + " holds " + (is_accumulator ? "f32" : "f16 or bf16") + ", not " +
               std::string(element->name) + ".");
  }
  const std::array<std::uint64_t, 3> shape = {arguments[1].natural, arguments[2].natural, arguments[3].natural};
  const std::span<const std::array<std::uint64_t, 3>> shapes =
      family.is_wmma ? std::span(kWarpMatrixShapes) : std::span<const std::array<std::uint64_t, 3>>(kSyncShapes);
  for (const auto& known : shapes)
    if (known == shape) return;
  refuse(Code::Fragment, use,
         std::string(family.name) + " has the shapes (M, N, K) " +
             (family.is_wmma ? "(16, 16, 16), (32, 8, 16) and (8, 32, 16)" : "(16, 8, 16)") + ".");
}

}  // namespace

const Type* Checker::resolve_type(const syntax::TypeExpr& type, const Scope& scope, Position use,
                                  std::span<const Name> extents) {
  switch (type.kind) {
    case syntax::TypeKind::Borrow:
      return resolve_borrow(type, scope, use, extents);
    case syntax::TypeKind::Function:
      return resolve_function_type(type, scope, use);
    case syntax::TypeKind::Dyn:
      resolve_dyn_trait(PathNames(type.path).names(), scope, use);
      refuse(Code::Dyn, use, "A dyn is only ever borrowed: write ro<dyn T> or rw<dyn T>, or own one as Dyn[T].");
    case syntax::TypeKind::Natural:
      refuse(Code::Type, use, "The natural " + std::string(type.natural.digits) + " is no type.");
    case syntax::TypeKind::Named:
      break;
  }
  const auto path = type.path.segments;
  if (path.size() == 1 && type.arguments.empty()) {  // most types
    const Name name = path.front().name;
    if (const StaticArgument* bound = scope.find(name)) {
      if (bound->type == nullptr)
        refuse(Code::Type, use, "The static natural " + std::string(text(name)) + " is no type.");
      return bound->type;
    }
    if (const Type* scalar = types().scalar_named(name)) return scalar;
  }
  const PathNames names(type.path);
  if (path.size() == 1 && text(path.front().name) == "Dyn") {
    if (type.arguments.size() != 1) refuse(Code::GenericArity, use, "Dyn takes one trait.");
    const syntax::TypeExpr& trait = *type.arguments.front();
    if (trait.kind != syntax::TypeKind::Named || !trait.arguments.empty())
      refuse(Code::Dyn, use, "Dyn takes the name of a trait.");
    const TraitInfo* found = resolve_dyn_trait(PathNames(trait.path).names(), scope, use);
    return types().dyn(TypeKind::Dyn, found, found->full_name);
  }
  if (const Type* found = named_type(names.names(), resolve_arguments(type.arguments, scope, use), scope, use))
    return found;
  if (peek(names.names(), scope.module, kWantTrait))
    refuse(Code::Type, use, joined_text(*this, names.names()) + " is a trait, not a type.");
  refuse(Code::Type, use, "No type here is called " + joined_text(*this, names.names()) + ".");
}

const Type* Checker::named_type(std::span<const Name> path, std::span<const StaticArgument> arguments,
                                const Scope& scope, Position use) {
  if (path.size() == 1) {
    const Name name = path.front();
    const auto takes_none = [&] {
      if (!arguments.empty()) refuse(Code::GenericArity, use, std::string(text(name)) + " takes no type arguments.");
    };
    if (const StaticArgument* bound = scope.find(name)) {
      if (bound->type == nullptr)
        refuse(Code::Type, use, "The static natural " + std::string(text(name)) + " is no type.");
      takes_none();
      return bound->type;
    }
    if (const Type* scalar = types().scalar_named(name)) {
      takes_none();
      return scalar;
    }
    if (scope.self != nullptr && name == self_name_) {
      takes_none();
      return scope.self;
    }
    if (builtins_.class_of(name) == BuiltinClass::Intrinsic) return intrinsic_type(name, arguments, use);
  }
  const Symbol symbol = resolve(path, scope.module, kWantType, use);
  switch (symbol.kind) {
    case Symbol::Kind::Record:
      return record_instance(symbol.declaration->as<syntax::RecordDecl>(), arguments, use);
    case Symbol::Kind::Sum:
      return sum_instance(symbol.declaration->as<syntax::SumDecl>(), arguments, use);
    case Symbol::Kind::Alias:
      if (!arguments.empty()) refuse(Code::GenericArity, use, joined_text(*this, path) + " takes no type arguments.");
      return alias_type(symbol.declaration->as<syntax::AliasDecl>());
    default:
      return nullptr;
  }
}

const Type* Checker::alias_type(const syntax::AliasDecl& declaration) {
  Scope scope;
  scope.module = declaration.module;
  return resolve_type(*declaration.type, scope, declaration.position);
}

// ------------------------------------------------------------------------------------------------------------- borrows

const Type* Checker::resolve_borrow(const syntax::TypeExpr& type, const Scope& scope, Position use,
                                    std::span<const Name> extents) {
  if (type.inner->kind == syntax::TypeKind::Dyn) {
    const TraitInfo* trait = resolve_dyn_trait(PathNames(type.inner->path).names(), scope, use);
    if (type.has_extent) refuse(Code::Dyn, use, "A dyn has no extent: it is one value.");
    return types().borrow(type.mode, types().dyn(TypeKind::DynRef, trait, trait->full_name));
  }
  const Type* element = resolve_type(*type.inner, scope, use);
  if (element->is(TypeKind::Borrow) || element->is(TypeKind::View))
    refuse(Code::Type, use, "A borrow borrows a value, never another borrow.");
  if (element->is(TypeKind::Void)) refuse(Code::Type, use, "void is no value, so nothing of it can be borrowed.");
  if (!type.has_extent) return types().borrow(type.mode, element);
  hold_storable(element, "A view", use);
  return types().view(type.mode, element, resolve_extent(type, scope, use, extents), type.placement);
}

Extent Checker::resolve_extent(const syntax::TypeExpr& type, const Scope& scope, Position use,
                               std::span<const Name> extents) {
  Extent extent;
  extent.kind = Extent::Kind::Literal;
  if (!type.extent_is_name) {
    if (!type.natural.fits || type.natural.value > kExtentLimit)
      refuse(Code::Extent, use, "The extent " + std::string(type.natural.digits) + " exceeds 2^63 - 1.");
    extent.literal = type.natural.value;
    return extent;
  }
  const Name name = type.extent_name.name;
  for (const Name parameter : extents) {
    if (parameter != name) continue;
    extent.kind = Extent::Kind::Symbol;
    extent.symbol = name;
    return extent;
  }
  if (const StaticArgument* bound = scope.find(name); bound != nullptr && bound->type == nullptr) {
    extent.literal = bound->natural;
  } else if (const Symbol symbol = resolve(std::span(&name, 1), scope.module, kWantConst, use)) {
    extent.literal = constant_as_natural(symbol.declaration->as<syntax::ConstDecl>(), Code::Extent, use);
  } else {
    refuse(Code::Extent, use,
           "The extent " + std::string(text(name)) +
               " is neither a literal, a constant, a static natural nor an earlier usize parameter.");
  }
  if (extent.literal > kExtentLimit)
    refuse(Code::Extent, use, "The extent " + std::string(text(name)) + " exceeds 2^63 - 1.");
  return extent;
}

std::uint64_t Checker::constant_as_natural(const syntax::ConstDecl& declaration, Code code, Position use) {
  const ConstantValue value = constant(declaration);
  if (!value.type->is_integer() || (value.type->is_signed() && static_cast<std::int64_t>(value.bits) < 0)) {
    refuse(code, use,
           "The constant " + full_name(declaration) + " is no natural: it is of type " + std::string(value.type->name) +
               (value.type->is_integer() ? " and negative." : "."));
  }
  return value.bits;
}

// ------------------------------------------------------------------------------------------- function types, dyn
// traits

const Type* Checker::resolve_function_type(const syntax::TypeExpr& type, const Scope& scope, Position use) {
  std::vector<const Type*> parameters;
  parameters.reserve(type.arguments.size());
  for (const syntax::TypeExpr* written : type.arguments) {
    if (written->kind == syntax::TypeKind::Borrow && written->has_extent)
      refuse(Code::FnType, use, "A function type takes values and single borrows, never a view.");
    const Type* parameter = resolve_type(*written, scope, use);
    if (parameter->is(TypeKind::Void)) refuse(Code::FnType, use, "void is no parameter of a function type.");
    parameters.push_back(parameter);
  }
  const Type* result = types().void_type();
  if (type.inner != nullptr) {
    result = resolve_type(*type.inner, scope, use);
    if (result->is(TypeKind::Borrow) || result->is(TypeKind::View))
      refuse(Code::FnType, use, "A function's result is a value, never a borrow.");
  }
  return types().function(parameters, result);
}

const TraitInfo* Checker::resolve_dyn_trait(std::span<const Name> path, const Scope& scope, Position use) {
  const Symbol symbol = resolve(path, scope.module, kWantTrait, use);
  if (!symbol) refuse(Code::Dyn, use, joined_text(*this, path) + " is no trait, so nothing dynamic can be of it.");
  return trait_of(symbol.declaration->as<syntax::TraitDecl>());
}

// ------------------------------------------------------------------------------------------------------------
// arguments

StaticArgument Checker::static_named(std::span<const Name> path, const Scope& scope, Position use) {
  if (path.size() == 1) {
    if (const StaticArgument* bound = scope.find(path.front())) return *bound;
  }
  if (const Type* found = named_type(path, {}, scope, use)) return {found, 0};
  if (const Symbol symbol = resolve(path, scope.module, kWantConst, use))
    return {nullptr, constant_as_natural(symbol.declaration->as<syntax::ConstDecl>(), Code::Type, use)};
  refuse(Code::Type, use, "No type here is called " + joined_text(*this, path) + ".");
}

StaticArgument Checker::resolve_argument(const syntax::TypeExpr& argument, const Scope& scope, Position use) {
  if (argument.kind == syntax::TypeKind::Natural) {
    if (!argument.natural.fits)
      refuse(Code::Static, use, "The natural " + std::string(argument.natural.digits) + " exceeds 2^64 - 1.");
    return {nullptr, argument.natural.value};
  }
  if (argument.kind == syntax::TypeKind::Named && argument.arguments.empty())
    return static_named(PathNames(argument.path).names(), scope, use);
  const Type* type = resolve_type(argument, scope, use);
  if (type->is(TypeKind::Borrow) || type->is(TypeKind::View))
    refuse(Code::Type, use, "A type argument is a value type, never a borrow.");
  return {type, 0};
}

std::span<const StaticArgument> Checker::resolve_arguments(std::span<const syntax::TypeExpr* const> list,
                                                           const Scope& scope, Position use) {
  if (list.empty()) return {};
  std::vector<StaticArgument> arguments;
  arguments.reserve(list.size());
  for (const syntax::TypeExpr* argument : list) arguments.push_back(resolve_argument(*argument, scope, use));
  return arena().copy(arguments);
}

StaticArgument Checker::resolve_static(const syntax::Expr& argument, const Scope& scope, Position use) {
  if (argument.kind == syntax::ExprKind::Integer) {
    const auto& literal = argument.as<syntax::IntegerExpr>();
    if (!literal.value.fits)
      refuse(Code::Static, use, "The natural " + std::string(literal.value.digits) + " exceeds 2^64 - 1.");
    return {nullptr, literal.value.value};
  }
  if (argument.kind == syntax::ExprKind::Call) return {nullptr, constant_natural(argument, scope)};  // a layout's count
  if (argument.kind != syntax::ExprKind::Bracket) {
    const WrittenPath path = written_path(argument);
    if (path.empty()) refuse(Code::Type, use, "A type argument is a type or a natural.");
    return static_named(path.names(), scope, use);
  }
  const auto& bracket = argument.as<syntax::BracketExpr>();
  const WrittenPath path = written_path(*bracket.base);
  if (path.empty()) refuse(Code::Type, use, "A type argument is a type or a natural.");
  if (path.size() == 1 && text(path.front()) == "Dyn") {
    if (bracket.arguments.size() != 1) refuse(Code::GenericArity, use, "Dyn takes one trait.");
    const WrittenPath trait = written_path(*bracket.arguments.front());
    if (trait.empty()) refuse(Code::Dyn, use, "Dyn takes the name of a trait.");
    const TraitInfo* found = resolve_dyn_trait(trait.names(), scope, use);
    return {types().dyn(TypeKind::Dyn, found, found->full_name), 0};
  }
  std::vector<StaticArgument> inner;
  for (const syntax::Expr* each : bracket.arguments) inner.push_back(resolve_static(*each, scope, use));
  if (const Type* found = named_type(path.names(), inner, scope, use)) return {found, 0};
  refuse(Code::Type, use, "No type here is called " + joined_text(*this, path.names()) + ".");
}

// -----------------------------------------------------------------------------------------------------------
// intrinsics

void Checker::hold_storable(const Type* element, std::string_view storage, Position use) {
  if (element->is(TypeKind::Void))
    refuse(Code::OwnerElement, use, std::string(storage) + " holds values, and void is none.");
  if (element->is(TypeKind::Fragment))
    refuse(Code::Fragment, use, std::string(storage) + " cannot hold fragments: they live in locals and parameters.");
  if (storage == "A view") return;
  if (resolving_ > 0 && (element->is(TypeKind::Record) || element->is(TypeKind::Sum) || element->is(TypeKind::Array))) {
    pending_storage_.push_back({element, storage, use});
    return;
  }
  if (element->ownership == Ownership::Linear) {
    refuse(Code::LinearStorage, use,
           std::string(storage) + " cannot hold the linear type " + std::string(element->name) +
               ": its zero would be an obligation nobody made.");
  }
  if (is_pinned(element))
    refuse(Code::Pinned, use,
           std::string(element->name) + " never moves, so " + std::string(storage) + " cannot hold it.");
}

const Type* Checker::intrinsic_type(Name name, std::span<const StaticArgument> arguments, Position use) {
  const std::string_view spelled = text(name);
  const auto takes = [&](std::size_t count) {
    if (arguments.size() != count)
      refuse(Code::GenericArity, use,
             std::string(spelled) + " takes " + count_of(count, "type argument") + ", not " +
                 std::to_string(arguments.size()) + ".");
  };
  const auto type_at = [&](std::size_t index) {
    if (arguments[index].type == nullptr)
      refuse(Code::Type, use, "The natural " + std::to_string(arguments[index].natural) + " is no type.");
    return arguments[index].type;
  };
  const auto natural_at = [&](std::size_t index) {
    if (arguments[index].type != nullptr)
      refuse(Code::GenericKind, use,
             std::string(spelled) + " takes a natural here, and " + std::string(arguments[index].type->name) +
                 " is a type.");
    return arguments[index].natural;
  };
  if (spelled == "Buf") {
    takes(1);
    hold_storable(type_at(0), "Buf", use);
    return types().buf(arguments[0].type);
  }
  if (spelled == "Array") {
    takes(2);
    hold_storable(type_at(0), "Array", use);
    return types().array(arguments[0].type, natural_at(1));
  }
  if (spelled == "IoRing") {
    takes(0);
    return types().intrinsic(TypeKind::IoRing, nullptr);
  }
  if (spelled == "Ticket" || spelled == "Group") {
    takes(1);
    const Type* element = type_at(0);
    if (spelled == "Group" && !element->is(TypeKind::Void)) hold_storable(element, "Group", use);
    return types().intrinsic(spelled == "Group" ? TypeKind::Group : TypeKind::Ticket, element);
  }
  if (spelled == "Mutex") {
    takes(1);
    hold_storable(type_at(0), "Mutex", use);
    return types().intrinsic(TypeKind::Mutex, arguments[0].type);
  }
  if (spelled == "Atomic") {
    takes(1);
    const Type* element = type_at(0);
    if (!element->is_integer() && !element->is(TypeKind::Bool))
      refuse(Code::Infer, use, "Atomic holds an integer or a bool, not " + std::string(element->name) + ".");
    return types().intrinsic(TypeKind::Atomic, element);
  }
  if (const FragmentFamily* family = fragment_family(spelled)) {
    takes(4);
    type_at(0);
    for (std::size_t i = 1; i < 4; ++i) natural_at(i);
    hold_fragment(*family, arguments, use);
    return types().fragment(spelled, arguments);
  }
  if (spelled == "TmemAcc")
    refuse(Code::TargetFeature, use, "TmemAcc needs a target with tcgen05, and none here has it.");
  refuse(Code::Type, use, std::string(spelled) + " is no type by itself.");
}

}  // namespace cairn
