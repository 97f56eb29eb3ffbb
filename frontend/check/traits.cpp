// Traits: bounds, member calls, and dynamic references (abstractions, 3.6, 5.4 and 7).
#include "frontend/check/traits.hpp"

#include <algorithm>
#include <string>

#include "frontend/check/checker.hpp"
#include "frontend/check/keys.hpp"

namespace cairn {

namespace {

constexpr std::string_view kKinds[] = {"copy", "affine", "linear"};

/// A kind or scalar class that may bound a parameter (3.6).
struct BoundClass {
  std::string_view name;
  bool (*holds)(const Type* type);
};
constexpr BoundClass kBoundClasses[] = {
    {"copy", [](const Type* type) { return type->ownership == Ownership::Copy; }},
    {"affine", [](const Type* type) { return type->ownership != Ownership::Linear; }},
    {"integer", [](const Type* type) { return type->is_integer(); }},
    {"unsigned", [](const Type* type) { return type->is_unsigned(); }},
    {"signed", [](const Type* type) { return type->is_signed(); }},
    {"float", [](const Type* type) { return type->is_float(); }},
    {"numeric", [](const Type* type) { return type->is_numeric(); }},
    {"scalar", [](const Type* type) { return type->is_scalar(); }},
};

const BoundClass* bound_class(std::string_view name) {
  for (const BoundClass& each : kBoundClasses)
    if (each.name == name) return &each;
  return nullptr;
}

bool is_self(const syntax::TypeExpr& type, Name self) {
  return type.kind == syntax::TypeKind::Named && type.arguments.empty() && type.path.segments.size() == 1 &&
         type.path.last() == self;
}

bool mentions_self(const syntax::TypeExpr& type, Name self) {
  if (is_self(type, self)) return true;
  if (type.inner != nullptr && mentions_self(*type.inner, self)) return true;
  return std::ranges::any_of(type.arguments, [&](const auto* each) { return mentions_self(*each, self); });
}

std::string spelled_path(const syntax::Path& path, const NameTable& names) {
  std::string text;
  for (const auto& segment : path.segments) text.append(text.empty() ? "" : ".").append(names.text(segment.name));
  return text;
}

/// " is affine, not copy" or " is not integer".
std::string broken(const Type* type, const BoundClass& bound) {
  std::string text = "`" + std::string(type->name) + "` is ";
  if (bound.name == "copy" || bound.name == "affine")
    text.append(kKinds[static_cast<std::size_t>(type->ownership)]) += ", ";
  return text.append("not ").append(bound.name);
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------ the
// traits

/// What a trait's text tells without resolving a type: receivers, what a call may leave out, whether it can be dynamic.
void Checker::collect_traits() {
  for (const syntax::Decl* declaration : declarations_) {
    if (declaration->kind != syntax::DeclKind::Trait) continue;
    TraitInfo& trait = *traits_.emplace_back(arena().make<TraitInfo>());
    trait.declaration = &declaration->as<syntax::TraitDecl>();
    trait.module = declaration->module;
    trait.full_name = arena().copy(full_name(*declaration));
    trait.index = static_cast<std::uint32_t>(traits_.size() - 1);
    *traits_by_declaration_.insert(pointer_key(declaration)).first = &trait;
    std::vector<TraitMember> members;
    for (const syntax::Signature& signature : trait.declaration->members) {
      members_by_name_.insert(signature.name.name.id).first->emplace_back(trait.index, members.size());
      members.push_back(trait_member(signature));
      if (!members.back().dyn_compatible && trait.not_dyn < 0)
        trait.not_dyn = static_cast<std::int32_t>(members.size() - 1);
    }
    trait.members = arena().copy(members);
  }
  impls_of_.resize(traits_.size());
}

TraitMember Checker::trait_member(const syntax::Signature& signature) {
  TraitMember member;
  member.signature = &signature;
  const auto parameters = signature.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const syntax::TypeExpr& type = *parameters[i].type;
    const bool borrow = type.kind == syntax::TypeKind::Borrow && !type.has_extent;
    if (!is_self(borrow ? *type.inner : type, self_name_)) continue;
    member.receiver = static_cast<std::int32_t>(i);
    member.receiver_is_borrow = borrow;
    member.receiver_mode = borrow ? type.mode : BorrowMode::Ro;
    break;
  }
  auto* implied = static_cast<bool*>(arena().allocate(parameters.size() + 1, 1));
  std::fill_n(implied, parameters.size(), false);
  for (const syntax::Parameter& view : parameters) {
    if (view.type->kind != syntax::TypeKind::Borrow || !view.type->has_extent || !view.type->extent_is_name) continue;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const syntax::TypeExpr& type = *parameters[k].type;
      if (parameters[k].name.name != view.type->extent_name.name || implied[k]) continue;
      if (type.kind != syntax::TypeKind::Named || type.path.segments.size() != 1) continue;
      if (types().scalar_named(type.path.last()) != types().usize()) continue;
      implied[k] = true;
      ++member.implied_count;
    }
  }
  member.implied = std::span<const bool>(implied, parameters.size());

  member.result_mentions_self = signature.result != nullptr && mentions_self(*signature.result, self_name_);
  member.dyn_compatible =
      member.receiver >= 0 && member.receiver_is_borrow && !member.result_mentions_self && signature.generics.empty();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (static_cast<std::int32_t>(i) == member.receiver) continue;
    const syntax::TypeExpr& type = *parameters[i].type;
    if (type.kind == syntax::TypeKind::Borrow || mentions_self(type, self_name_)) member.dyn_compatible = false;
  }
  return member;
}

const TraitInfo* Checker::trait_of(const syntax::TraitDecl& declaration) {
  return *traits_by_declaration_.find(pointer_key(&declaration));
}

bool Checker::witness_implements(const Type* witness, const TraitInfo& trait) const {
  return std::ranges::find(witness_traits_, std::pair(witness, &trait)) != witness_traits_.end();
}

bool Checker::trait_visible(const TraitInfo& trait, Name module) const {
  return accessible(*trait.declaration, module);
}

// ----------------------------------------------------------------------------------------------------------------
// bounds

void Checker::hold_bounds(std::span<const syntax::GenericParameter> parameters,
                          std::span<const StaticArgument> arguments, std::string_view user, Name module, Position use) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Type* type = arguments[i].type;
    if (type == nullptr || is_open_witness(type)) continue;
    if (type->is(TypeKind::Void))
      refuse(Code::Type, use,
             std::string(user) + " takes a value type for " + std::string(text(parameters[i].name.name)) +
                 ", and void is none.");
    for (const syntax::Path& bound : parameters[i].traits) {
      const auto needs = [&] {
        return "; " + std::string(user) + " needs [" + std::string(text(parameters[i].name.name)) + ":" +
               spelled_path(bound, names()) + "].";
      };
      if (const Symbol symbol = resolve(bound, module, kWantTrait, use)) {
        const TraitInfo& trait = *trait_of(symbol.declaration->as<syntax::TraitDecl>());
        if (!implements(type, trait, use)) {
          refuse(Code::TraitImpl, use,
                 std::string(type->name) + " does not implement " + std::string(trait.full_name) + needs());
        }
        continue;
      }
      const BoundClass* kind = bound.dotted() ? nullptr : bound_class(text(bound.last()));
      if (kind == nullptr)
        refuse(Code::TraitImpl, use, spelled_path(bound, names()) + " is no trait and no class of types" + needs());
      if (!kind->holds(type)) refuse(Code::Bound, use, broken(type, *kind) + needs());
    }
  }
}

/// Whether an impl's arguments keep its bounds; what hold_bounds would refuse is an answer here.
bool Checker::bounds_hold(std::span<const syntax::GenericParameter> parameters,
                          std::span<const StaticArgument> arguments, Name module, Position use) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Type* type = arguments[i].type;
    if ((parameters[i].bound == syntax::BoundKind::Nat) != (type == nullptr)) return false;
    if (type == nullptr) continue;
    for (const syntax::Path& bound : parameters[i].traits) {
      if (const Symbol symbol = resolve(bound, module, kWantTrait, use)) {
        if (!implements(type, *trait_of(symbol.declaration->as<syntax::TraitDecl>()), use)) return false;
        continue;
      }
      const BoundClass* kind = bound.dotted() ? nullptr : bound_class(text(bound.last()));
      if (kind == nullptr || !kind->holds(type)) return false;
    }
  }
  return true;
}

// ----------------------------------------------------------------------------------------------------------- member
// calls

MemberChoice Checker::find_member(std::span<const Name> path, Name module, CallArguments& arguments, Position call) {
  const TraitInfo* prefix = nullptr;
  if (path.size() > 1) {
    const Symbol symbol = resolve(path.first(path.size() - 1), module, kWantTrait, call);
    if (!symbol) return {};
    prefix = trait_of(symbol.declaration->as<syntax::TraitDecl>());
  }
  const auto* declared = members_by_name_.find(path.back().id);
  if (declared == nullptr) return {};

  MemberChoice chosen;
  std::vector<const TraitInfo*> candidates;
  const Type* receiver = nullptr;
  for (const auto& [trait_index, member_index] : *declared) {
    TraitInfo& trait = *traits_[trait_index];
    if (prefix != nullptr ? prefix != &trait : !trait_visible(trait, module)) continue;
    const TraitMember& member = trait.members[member_index];
    if (member.receiver < 0) continue;
    auto at = static_cast<std::size_t>(member.receiver);
    const bool left_out =
        member.implied_count > 0 && arguments.count() + member.implied_count == member.signature->parameters.size();
    if (left_out)
      at -=
          static_cast<std::size_t>(std::count(member.implied.begin(), member.implied.begin() + member.receiver, true));
    if (at >= arguments.count()) continue;
    candidates.push_back(&trait);
    receiver = value_type(arguments.type_of(at, false));
    const bool dynamic = (receiver->is(TypeKind::DynRef) || receiver->is(TypeKind::Dyn)) && receiver->trait == &trait;
    if (!dynamic && !implements(receiver, trait, call)) continue;
    if (chosen) {
      refuse(Code::TraitAmbiguous, call,
             std::string(text(path.back())) + " is a member of " + std::string(chosen.trait->full_name) + " and of " +
                 std::string(trait.full_name) + ", and " + std::string(receiver->name) + " implements both; write " +
                 std::string(chosen.trait->full_name) + "." + std::string(text(path.back())) + "(...) or " +
                 std::string(trait.full_name) + "." + std::string(text(path.back())) + "(...).");
    }
    if (dynamic) describe_dyn(trait);
    chosen = {&trait, member_index, static_cast<std::uint32_t>(at), receiver, dynamic};
  }
  if (!chosen && !candidates.empty()) {
    std::string list;
    for (const TraitInfo* each : candidates) list.append(list.empty() ? "" : " or ").append(each->full_name);
    refuse(Code::TraitImpl, call, std::string(receiver->name) + " does not implement " + list + ".");
  }
  return chosen;
}

// ------------------------------------------------------------------------------------------------------ dynamic
// references

/// Fills the types a dynamic call's arguments are checked against.
void Checker::describe_dyn(TraitInfo& trait) {
  if (trait.described) return;
  trait.described = true;
  described_.push_back(&trait);
  Scope scope;
  scope.module = trait.module;
  for (TraitMember& member : trait.members) {
    const syntax::Signature& signature = *member.signature;
    if (!signature.generics.empty()) continue;
    std::vector<const Type*> parameters(signature.parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (mentions_self(*signature.parameters[i].type, self_name_)) continue;
      parameters[i] = resolve_parameter(signature, i, scope, trait.declaration->position, false);
    }
    member.dyn_parameters = arena().copy(parameters);
    member.dyn_result =
        member.result_mentions_self ? nullptr : resolve_result(signature, scope, trait.declaration->position);
  }
}

void Checker::require_dyn_compatible(const TraitInfo& trait, Position use) {
  if (!trait.dyn_compatible()) {
    const TraitMember& member = trait.members[static_cast<std::size_t>(trait.not_dyn)];
    refuse(Code::Dyn, use,
           std::string(trait.full_name) + "." + std::string(text(member.signature->name.name)) +
               " is not dyn-compatible: only its receiver may be a borrow or mention Self.");
  }
  describe_dyn(*traits_[trait.index]);
}

const DispatchTable& Checker::dispatch_table(const TraitInfo& trait, const Type* self, Position use) {
  for (const DispatchTable* table : dispatch_tables_)
    if (table->trait == &trait && table->self == self) return *table;
  require_dyn_compatible(trait, use);
  if (!implements(self, trait, use))
    refuse(Code::TraitImpl, use, std::string(self->name) + " does not implement " + std::string(trait.full_name) + ".");
  std::vector<checked::Function*> members;
  for (std::uint32_t i = 0; i < trait.members.size(); ++i) {
    const MemberFunction member = member_function(trait, i, self, use);
    members.push_back(function(*member.function, member.impl_arguments, use));
  }
  auto* table = arena().make<DispatchTable>();
  table->trait = &trait;
  table->self = self;
  table->members = arena().copy(members);
  dispatch_tables_.push_back(table);
  return *table;
}

std::vector<const checked::Function*> Checker::implementations(const TraitInfo& trait, std::uint32_t member) const {
  std::vector<const checked::Function*> all;
  const Name name = trait.members[member].signature->name.name;
  for (const auto& function : compilation_.program.functions) {
    if (function->info == nullptr || function->info->impl == nullptr) continue;
    const Impl* const* impl = impls_by_declaration_.find(pointer_key(function->info->impl));
    if ((*impl)->trait == &trait && function->info->signature->name.name == name) all.push_back(function.get());
  }
  return all;
}

}  // namespace cairn
