// Impl blocks: which one serves a type, and that each conforms to its trait (abstractions, 5.3).
#include <algorithm>
#include <string>

#include "frontend/check/checker.hpp"
#include "frontend/check/keys.hpp"

namespace cairn {

namespace {

/// Where a refusal about an impl points: its first member, else the block.
Position first_member(const syntax::ImplDecl& impl) {
  return impl.members.empty() ? impl.position : impl.members.front()->position;
}

bool mentions(const syntax::TypeExpr& type, Name name) {
  if (type.kind == syntax::TypeKind::Named && type.path.segments.size() == 1 && type.path.last() == name) return true;
  if (type.inner != nullptr && mentions(*type.inner, name)) return true;
  return std::ranges::any_of(type.arguments, [&](const auto* each) { return mentions(*each, name); });
}

std::int32_t parameter_index(const syntax::Signature& signature, Name name) {
  for (std::size_t i = 0; i < signature.parameters.size(); ++i)
    if (signature.parameters[i].name.name == name) return static_cast<std::int32_t>(i);
  return -1;
}

/// Equal parameter types, where an extent that is a parameter's name means that parameter, whatever it is called.
bool same_parameter(const Type* a, const syntax::Signature& of_a, const Type* b, const syntax::Signature& of_b) {
  if (!a->is(TypeKind::View) || !b->is(TypeKind::View)) return a == b;
  if (a->mode != b->mode || a->element != b->element || a->placement != b->placement) return false;
  if (a->extent.kind != Extent::Kind::Symbol || b->extent.kind != Extent::Kind::Symbol) return a->extent == b->extent;
  return parameter_index(of_a, a->extent.symbol) == parameter_index(of_b, b->extent.symbol);
}

/// A label about a parameter with that parameter's position for its name (read:xs becomes read:1).
std::string numbered(std::string_view label, const syntax::Signature& signature, const NameTable& names) {
  const std::size_t colon = label.find(':');
  if (colon == std::string_view::npos) return std::string(label);
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    if (names.text(signature.parameters[i].name.name) == label.substr(colon + 1))
      return std::string(label.substr(0, colon + 1)) + std::to_string(i);
  }
  return std::string(label);
}

constexpr std::string_view kPureLabels[] = {"trap",          "diverge",   "local_read",      "local_write",
                                            "stack_storage", "zero_init", "ffi_precondition"};

/// A ceiling as a sorted set of labels that two signatures of one shape share.
std::vector<std::string> ceiling_labels(const syntax::Signature& signature, const NameTable& names) {
  std::vector<std::string> labels;
  bool pure = signature.ceiling.pure_alone;
  for (const syntax::EffectLabel& label : signature.ceiling.labels) {
    pure = pure || label.text == "pure";
    labels.push_back(numbered(label.text, signature, names));
  }
  if (pure) {
    labels.insert(labels.end(), std::begin(kPureLabels), std::end(kPureLabels));
    labels.emplace_back("pure");
    for (std::size_t i = 0; i < signature.parameters.size(); ++i)
      labels.push_back(std::string("read:").append(std::to_string(i)));
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

}  // namespace

// --------------------------------------------------------------------------------------------------------- the impl
// blocks

void Checker::collect_impls() {
  collect_traits();
  for (const syntax::Decl* declaration : declarations_) {
    if (declaration->kind != syntax::DeclKind::Impl) continue;
    Impl& impl = impls_.emplace_back();
    impl.declaration = &declaration->as<syntax::ImplDecl>();
    *impls_by_declaration_.insert(pointer_key(declaration)).first = &impl;
    std::vector<FunctionInfo*> written;
    for (const syntax::FunctionDecl* member : impl.declaration->members) written.push_back(&info(*member));
    impl.written = arena().copy(written);
    std::vector<Name> path;
    for (const auto& segment : impl.declaration->trait.segments) path.push_back(segment.name);
    const Symbol symbol = peek(path, declaration->module, kWantTrait);
    if (!symbol || !accessible(*symbol.declaration, declaration->module)) continue;
    impl.trait = trait_of(symbol.declaration->as<syntax::TraitDecl>());
    impls_of_[impl.trait->index].push_back(&impl);
    order_members(impl);
  }
}

/// Sorts the members into the trait's order when each of the trait's is there; conformance is judged later.
void Checker::order_members(Impl& impl) {
  std::vector<FunctionInfo*> ordered(impl.trait->members.size());
  for (FunctionInfo* member : impl.written) {
    const std::int32_t index = impl.trait->member_of(member->signature->name.name);
    if (index >= 0) ordered[static_cast<std::size_t>(index)] = member;
  }
  if (std::ranges::find(ordered, nullptr) == ordered.end()) impl.members = arena().copy(ordered);
}

const Type* Checker::impl_self(Impl& impl) {
  if (impl.self == nullptr) {
    Scope scope;
    scope.module = impl.declaration->module;
    impl.self = resolve_type(*impl.declaration->type, scope, impl.declaration->position);
  }
  return impl.self;
}

bool Checker::impl_matches(Impl& impl, const Type* type, std::vector<StaticArgument>& arguments) {
  arguments.clear();
  if (impl.concrete()) return impl_self(impl) == type;
  return unify_self(impl, type, arguments) &&
         bounds_hold(impl.declaration->generics, arguments, impl.declaration->module, first_member(*impl.declaration));
}

const Checker::Decision& Checker::decide(const Type* type, const TraitInfo& trait, Position use) {
  const std::uint64_t key = (std::uint64_t{trait.index} + 1) << 32 | type->id;
  if (const std::uint32_t* known = decided_.find(key); known != nullptr && *known != 0) {
    const Decision& decision = decisions_[*known - 1];
    if (decision.answer == Answer::Deciding) {
      refuse(
          Code::TraitOverlap, use,
          "Whether " + std::string(type->name) + " implements " + std::string(trait.full_name) + " depends on itself.");
    }
    return decision;
  }
  // Most types have no impl of most traits, and nothing to decide: only other answers are worth keeping.
  ++deciding_;
  const bool possible = type->is(TypeKind::Witness) || std::ranges::any_of(impls_of_[trait.index], [&](Impl* impl) {
                          return !impl->concrete() || impl_self(*impl) == type;
                        });
  --deciding_;
  static constexpr Decision kNo{.answer = Answer::No, .impl = nullptr, .arguments = {}};
  if (!possible) return kNo;
  Decision& decision = decisions_.emplace_back();
  decision_keys_.push_back(key);
  *decided_.insert(key).first = static_cast<std::uint32_t>(decisions_.size());
  ++deciding_;
  std::vector<StaticArgument> arguments;
  for (Impl* impl : impls_of_[trait.index]) {
    if (!impl_matches(*impl, type, arguments)) continue;
    if (decision.impl != nullptr) {
      refuse(Code::TraitOverlap, use,
             "Two impls of " + std::string(trait.full_name) + " match " + std::string(type->name) +
                 ": one Self type means one implementation.");
    }
    decision.impl = impl;
    decision.arguments = arena().copy(arguments);
  }
  if (decision.impl != nullptr && !decision.impl->concrete()) hold_impl(*decision.impl, type, decision.arguments);
  const bool witnessed = type->is(TypeKind::Witness) && witness_implements(type, trait);
  decision.answer = decision.impl != nullptr || witnessed ? Answer::Yes : Answer::No;
  --deciding_;
  return decision;
}

bool Checker::implements(const Type* type, const TraitInfo& trait, Position use) {
  return decide(type, trait, use).answer == Answer::Yes;
}

MemberFunction Checker::member_function(const TraitInfo& trait, std::uint32_t member, const Type* self, Position use) {
  const Decision& decision = decide(self, trait, use);
  if (decision.impl == nullptr && decision.answer == Answer::Yes) return {witness_member(trait, member, self), {}};
  if (decision.impl == nullptr || decision.impl->members.empty()) return {};
  return {decision.impl->members[member], decision.arguments};
}

// -------------------------------------------------------------------------------------------------------------
// conformance

void Checker::judge_impls() {
  for (Impl& impl : impls_)
    if (!impl.concrete()) hold_generic_shape(impl);
  for (Impl& impl : impls_) {
    if (!impl.concrete()) continue;
    const Position at = first_member(*impl.declaration);
    hold_trait(impl, at);
    decide(impl_self(impl), *impl.trait, at);
    hold_impl(impl, impl_self(impl), {});
  }
}

void Checker::hold_trait(const Impl& impl, Position at) {
  if (impl.trait != nullptr) return;
  resolve(impl.declaration->trait, impl.declaration->module, kWantTrait, at);  // a private one is E-PRIVATE
  std::string name;
  for (const auto& segment : impl.declaration->trait.segments)
    name.append(name.empty() ? "" : ".").append(text(segment.name));
  refuse(Code::TraitImpl, at, name + " is no trait here, so nothing implements it.");
}

void Checker::hold_generic_shape(const Impl& impl) {
  const Position at = first_member(*impl.declaration);
  hold_trait(impl, at);
  for (const auto& parameter : impl.declaration->generics) {
    if (mentions(*impl.declaration->type, parameter.name.name)) continue;
    refuse(Code::TraitImpl, at,
           "The parameter " + std::string(text(parameter.name.name)) + " of this impl of " +
               std::string(impl.trait->full_name) + " does not occur in its Self type.");
  }
  for (const FunctionInfo* member : impl.written) {
    if (impl.trait->member_of(member->signature->name.name) >= 0) continue;
    refuse(
        Code::TraitImpl, member->declaration->position,
        std::string(impl.trait->full_name) + " has no member " + std::string(text(member->signature->name.name)) + ".");
  }
}

void Checker::hold_impl(const Impl& impl, const Type* self, std::span<const StaticArgument> arguments) {
  const TraitInfo& trait = *impl.trait;
  if (impl.members.empty() || impl.written.size() != trait.members.size()) {
    std::string defined;
    std::string declared;
    for (const FunctionInfo* member : impl.written)
      defined.append(defined.empty() ? "" : ", ").append(text(member->signature->name.name));
    for (const TraitMember& member : trait.members)
      declared.append(declared.empty() ? "" : ", ").append(text(member.signature->name.name));
    if (impl.written.empty() && trait.members.empty()) return;
    refuse(Code::TraitImpl, first_member(*impl.declaration),
           "The impl of " + std::string(trait.full_name) + " for " + std::string(self->name) + " defines " +
               (defined.empty() ? "nothing" : defined) + "; the trait declares " +
               (declared.empty() ? "nothing" : declared) + ".");
  }
  for (const FunctionInfo* member : impl.written) {
    const std::int32_t index = trait.member_of(member->signature->name.name);
    hold_member(trait, static_cast<std::uint32_t>(index), *member, self, arguments);
  }
}

/// A scope in which a member's own generic parameters stand for open witnesses.
Scope Checker::member_scope(std::span<const syntax::GenericParameter> own, Name module, const Type* self,
                            std::span<const Name> outer, std::span<const StaticArgument> arguments) {
  std::vector<Name> names(outer.begin(), outer.end());
  std::vector<StaticArgument> values(arguments.begin(), arguments.end());
  for (std::size_t i = 0; i < own.size(); ++i) {
    names.push_back(own[i].name.name);
    if (own[i].bound == syntax::BoundKind::Nat) {
      values.push_back({nullptr, (std::uint64_t{1} << 62) + i});  // a number no other natural is
    } else {
      while (open_witnesses_.size() <= i)
        open_witnesses_.push_back(
            types().new_witness(std::string("?").append(std::to_string(open_witnesses_.size())), Ownership::Copy));
      values.push_back({open_witnesses_[i], 0});
    }
  }
  Scope scope;
  scope.module = module;
  scope.parameters = arena().copy(names);
  scope.arguments = arena().copy(values);
  scope.self = self;
  return scope;
}

bool Checker::is_open_witness(const Type* type) const {
  return type->is(TypeKind::Witness) && std::ranges::find(open_witnesses_, type) != open_witnesses_.end();
}

void Checker::hold_member(const TraitInfo& trait, std::uint32_t member, const FunctionInfo& info, const Type* self,
                          std::span<const StaticArgument> arguments) {
  const syntax::Signature& declared = *trait.members[member].signature;
  const syntax::Signature& written = *info.signature;
  const Position at = info.declaration->position;
  const auto refuse_member = [&](std::string_view why) {
    refuse(Code::TraitImpl, at,
           std::string(info.full_name) + " does not match " + std::string(trait.full_name) + "." +
               std::string(text(declared.name.name)) + ": " + std::string(why));
  };
  const bool same_generics = std::ranges::equal(declared.generics, written.generics, [](const auto& a, const auto& b) {
    return (a.bound == syntax::BoundKind::Nat) == (b.bound == syntax::BoundKind::Nat);
  });
  if (!same_generics) refuse_member("its type parameters are others.");
  if (declared.parameters.size() != written.parameters.size())
    refuse_member("the trait's has " + std::to_string(declared.parameters.size()) + " parameters.");

  const Scope theirs = member_scope(declared.generics, trait.module, self, {}, {});
  const Scope ours =
      member_scope(written.generics, info.module, self, info.parameter_names.first(info.impl_parameters), arguments);
  for (std::size_t i = 0; i < declared.parameters.size(); ++i) {
    const Type* wanted = resolve_parameter(declared, i, theirs, at, false);
    const Type* given = resolve_parameter(written, i, ours, at, false);
    if (!same_parameter(wanted, declared, given, written)) {
      refuse_member("parameter " + std::to_string(i + 1) + " is " + std::string(given->name) + ", and the trait's is " +
                    std::string(wanted->name) + ".");
    }
  }
  const Type* wanted = resolve_result(declared, theirs, at);
  const Type* given = resolve_result(written, ours, at);
  if (wanted != given)
    refuse_member("it returns " + std::string(given->name) + ", and the trait's " + std::string(wanted->name) + ".");

  if (!declared.ceiling.present || !written.ceiling.present) return;
  const auto outer = ceiling_labels(declared, names());
  const auto inner = ceiling_labels(written, names());
  if (!std::ranges::includes(outer, inner)) refuse_member("its ceiling allows more than the trait's.");
}

const syntax::Ceiling* Checker::trait_ceiling(const FunctionInfo& info) {
  const Impl& impl = **impls_by_declaration_.find(pointer_key(info.impl));
  if (impl.trait == nullptr) return nullptr;
  const std::int32_t member = impl.trait->member_of(info.signature->name.name);
  if (member < 0) return nullptr;
  const syntax::Signature& declared = *impl.trait->members[static_cast<std::size_t>(member)].signature;
  if (!declared.ceiling.present) return nullptr;
  std::vector<syntax::EffectLabel> labels;
  bool renamed = false;
  for (const syntax::EffectLabel& label : declared.ceiling.labels) {
    labels.push_back(label);
    const std::size_t colon = label.text.find(':');
    if (colon == std::string_view::npos) continue;
    const Name about = names().find(label.text.substr(colon + 1));
    const std::int32_t index = about ? parameter_index(declared, about) : -1;
    if (index < 0 || static_cast<std::size_t>(index) >= info.signature->parameters.size()) continue;
    const Name own = info.signature->parameters[static_cast<std::size_t>(index)].name.name;
    if (own == about) continue;
    labels.back().text = arena().copy(std::string(label.text.substr(0, colon + 1)).append(text(own)));
    renamed = true;
  }
  if (!renamed) return &declared.ceiling;
  auto* ceiling = arena().make<syntax::Ceiling>(declared.ceiling);
  ceiling->labels = arena().copy(labels);
  return ceiling;
}

}  // namespace cairn
