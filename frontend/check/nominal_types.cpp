// Records and sums: one type per declaration and arguments, and the rules of their shape (syntax and values, 1.9;
// memory, 2.5, 5.4 and 5.6; abstractions, 3.6).
//
// Completing a record completes what its fields name, and types reach each other in circles through a Buf. So what
// needs a complete type (no circle by value, ownership, storage, bounds) waits until the outermost type is complete.
#include <algorithm>
#include <string>

#include "frontend/check/checker.hpp"
#include "frontend/check/keys.hpp"

namespace cairn {

namespace {

/// What a field or payload of this type is, when it may not be one.
std::string_view no_value(const Type* type) {
  if (type->is(TypeKind::Void)) return "void";
  if (type->is(TypeKind::Borrow) || type->is(TypeKind::View)) return "a borrow";
  return {};
}

/// The first of a list whose name an earlier one has; null when all differ.
template <class Named>
const Named* repeated_name(std::span<const Named> list) {
  FlatMap<bool> seen;
  for (const Named& each : list)
    if (!seen.insert(each.name.name.id).second) return &each;
  return nullptr;
}

}  // namespace

// --------------------------------------------------------------------------------------------------------------
// instances

std::string Checker::shown_instance(std::string_view full_name, std::span<const StaticArgument> arguments) const {
  std::string shown(full_name);
  if (arguments.empty()) return shown;
  shown += '[';
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) shown += ", ";
    shown += arguments[i].type != nullptr ? std::string(arguments[i].type->name) : std::to_string(arguments[i].natural);
  }
  shown += ']';
  return shown;
}

void Checker::hold_arguments(const syntax::Decl& declaration, std::span<const syntax::GenericParameter> parameters,
                             std::span<const StaticArgument> arguments, Position use) {
  if (arguments.size() != parameters.size()) {
    refuse(Code::GenericArity, use,
           full_name(declaration) + " takes " + std::to_string(parameters.size()) + " type argument" +
               (parameters.size() == 1 ? "" : "s") + ", and " + std::to_string(arguments.size()) +
               (arguments.size() == 1 ? " is" : " are") + " given.");
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool natural = parameters[i].bound == syntax::BoundKind::Nat;
    if (natural && arguments[i].type != nullptr) {
      refuse(Code::GenericKind, use,
             full_name(declaration) + " takes a natural for " + std::string(text(parameters[i].name.name)) + ", and " +
                 std::string(arguments[i].type->name) + " is a type.");
    }
    if (!natural && arguments[i].type == nullptr) {
      refuse(Code::Type, use,
             full_name(declaration) + " takes a type for " + std::string(text(parameters[i].name.name)) + ", and " +
                 std::to_string(arguments[i].natural) + " is a natural.");
    }
  }
}

Type* Checker::find_nominal(const syntax::Decl& declaration, std::span<const StaticArgument> arguments,
                            std::uint64_t key) {
  const std::uint32_t* newest = nominal_chains_.find(key);
  for (std::uint32_t at = newest == nullptr ? 0 : *newest; at != 0; at = nominal_next_[at - 1]) {
    const Nominal& known = nominals_[at - 1];
    if (known.declaration == &declaration && std::ranges::equal(known.arguments, arguments)) return known.type;
  }
  return nullptr;
}

template <class Decl, class Complete>
const Type* Checker::nominal(const Decl& declaration, std::span<const StaticArgument> arguments, Position use,
                             Complete complete) {
  const std::uint64_t key = instance_key(&declaration, arguments);
  if (Type* known = find_nominal(declaration, arguments, key)) return known;

  hold_arguments(declaration, declaration.generics, arguments, use);
  const std::string shown = shown_instance(full_name(declaration), arguments);
  hold_name_length(shown, use);
  hold_depth(use);
  const std::span<const StaticArgument> kept = arena().copy(arguments);
  ++deciding_;
  if (resolving_++ == 0) {
    resolution_first_ = types().size();
    resolution_nominals_ = nominals_.size();
  }
  if (!kept.empty()) {
    pending_bounds_.push_back(
        {declaration.generics, kept, arena().copy(full_name(declaration)), declaration.module, use});
  }

  Scope scope;
  scope.module = declaration.module;
  std::vector<Name> parameters;
  for (const auto& parameter : declaration.generics) parameters.push_back(parameter.name.name);
  scope.parameters = parameters;
  scope.arguments = kept;
  Type* type = complete.make(shown, names().intern(full_name(declaration)));
  const auto [chain, fresh] = nominal_chains_.insert(key);
  nominal_next_.push_back(*chain);
  nominals_.push_back({&declaration, kept, type});
  *chain = static_cast<std::uint32_t>(nominals_.size());
  complete.fill(type, kept, scope);
  if (resolving_ == 1) finish_resolution();
  --resolving_;
  --deciding_;
  return type;
}

const Type* Checker::record_instance(const syntax::RecordDecl& declaration, std::span<const StaticArgument> arguments,
                                     Position use) {
  struct Complete {
    Checker& checker;
    const syntax::RecordDecl& declaration;
    Type* make(std::string_view shown, Name full_name) const {
      return checker.types().new_record(shown, declaration.module, full_name);
    }
    void fill(Type* type, std::span<const StaticArgument> kept, const Scope& scope) const {
      type->record->declaration = &declaration;
      type->record->arguments = kept;
      checker.complete_record(declaration, type, scope);
    }
  };
  return nominal(declaration, arguments, use, Complete{*this, declaration});
}

const Type* Checker::sum_instance(const syntax::SumDecl& declaration, std::span<const StaticArgument> arguments,
                                  Position use) {
  struct Complete {
    Checker& checker;
    const syntax::SumDecl& declaration;
    Type* make(std::string_view shown, Name full_name) const {
      return checker.types().new_sum(shown, declaration.module, full_name);
    }
    void fill(Type* type, std::span<const StaticArgument> kept, const Scope& scope) const {
      type->sum->declaration = &declaration;
      type->sum->arguments = kept;
      checker.complete_sum(declaration, type, scope);
    }
  };
  return nominal(declaration, arguments, use, Complete{*this, declaration});
}

// ---------------------------------------------------------------------------------------------------------- their
// shape

void Checker::complete_record(const syntax::RecordDecl& declaration, Type* type, const Scope& scope) {
  const Position at = declaration.position;
  const auto refuse_field = [&](Code code, const syntax::Field& field, std::string_view rest) {
    refuse(code, at, "Field " + quoted(text(field.name.name)) + " of " + std::string(type->name) + std::string(rest));
  };
  if (declaration.fields.empty()) refuse(Code::Record, at, "The record " + std::string(type->name) + " has no fields.");
  if (const syntax::Field* repeated = repeated_name(declaration.fields))
    refuse_field(Code::Duplicate, *repeated, " is declared twice.");

  RecordInfo& record = *type->record;
  record.align = declaration.has_align ? declaration.align.value : 0;
  record.packed = declaration.packed;
  record.linear = declaration.linear;
  std::vector<RecordField> fields;
  fields.reserve(declaration.fields.size());
  for (const syntax::Field& written : declaration.fields) {
    RecordField field;
    field.name = written.name.name;
    field.type = resolve_type(*written.type, scope, at);
    if (const auto what = no_value(field.type); !what.empty())
      refuse_field(Code::RecordType, written, " is " + std::string(what) + ": fields are values.");
    if (is_pinned(field.type))
      refuse_field(Code::Pinned, written, " is a " + std::string(field.type->name) + ", which is never stored.");
    if (written.has_extent) {
      if (!field.type->is(TypeKind::Buf)) refuse_field(Code::Extent, written, " declares an extent and is no Buf.");
      for (std::size_t k = 0; k < fields.size(); ++k) {
        if (fields[k].name == written.extent.name && fields[k].type->is(TypeKind::Usize))
          field.extent_field = static_cast<std::int32_t>(k);
      }
      if (field.extent_field < 0)
        refuse_field(Code::Extent, written,
                     " has the extent " + quoted(text(written.extent.name)) + ", which is no earlier usize field.");
    }
    fields.push_back(field);
  }
  record.fields = arena().copy(fields);
  if (!declaration.has_lends) return;

  const auto refuse_lends = [&](std::string_view what) {
    refuse(Code::Lends, at, "The lends clause of " + std::string(type->name) + std::string(what));
  };
  const std::int32_t carrier = field_of(record, declaration.lends.name);
  if (carrier < 0 || !record.fields[static_cast<std::size_t>(carrier)].type->is(TypeKind::Buf))
    refuse_lends(" names " + quoted(text(declaration.lends.name)) + ", which is no Buf field of it.");
  const auto bound = [&](const syntax::LendsBound& written) {
    LendBound made;
    if (!written.is_name) {
      made.literal = written.natural.value;
      if (!written.natural.fits) refuse_lends(" has a bound over 2^64 - 1.");
      return made;
    }
    made.field = field_of(record, written.name.name);
    if (made.field < 0 || !record.fields[static_cast<std::size_t>(made.field)].type->is(TypeKind::Usize))
      refuse_lends(" has the bound " + quoted(text(written.name.name)) + ", which is no usize field of it.");
    return made;
  };
  record.lends.lo = bound(declaration.lends_lo);
  record.lends.hi = bound(declaration.lends_hi);
  if (record.lends.lo.field < 0 && record.lends.hi.field < 0 && record.lends.lo.literal > record.lends.hi.literal)
    refuse_lends(" ends before it begins.");
  record.lends.carrier = carrier;
}

void Checker::complete_sum(const syntax::SumDecl& declaration, Type* type, const Scope& scope) {
  const Position at = declaration.position;
  if (declaration.variants.empty()) refuse(Code::Enum, at, "The sum " + std::string(type->name) + " has no variants.");
  const auto refuse_variant = [&](Code code, const syntax::Variant& variant, std::string_view rest) {
    refuse(code, at,
           "Variant " + quoted(text(variant.name.name)) + " of " + std::string(type->name) + std::string(rest));
  };
  if (const syntax::Variant* repeated = repeated_name(declaration.variants))
    refuse_variant(Code::Enum, *repeated, " is declared twice.");
  SumInfo& sum = *type->sum;
  sum.plain = declaration.generics.empty();
  std::vector<SumVariant> variants;
  variants.reserve(declaration.variants.size());
  for (const syntax::Variant& written : declaration.variants) {
    SumVariant variant;
    variant.name = written.name.name;
    if (written.payload != nullptr) {
      sum.plain = false;
      variant.payload = resolve_type(*written.payload, scope, at);
      if (const auto what = no_value(variant.payload); !what.empty())
        refuse_variant(Code::SumPayload, written, " carries " + std::string(what) + ": payloads are values.");
      if (is_pinned(variant.payload)) {
        refuse_variant(Code::Pinned, written,
                       " carries a " + std::string(variant.payload->name) + ", which is never stored.");
      }
    }
    variants.push_back(variant);
  }
  sum.variants = arena().copy(variants);
}

// -------------------------------------------------------------------------------------- what needs every type complete

/// E-RECORD-TYPE or E-SUM-PAYLOAD when a type of this resolution holds itself by value, directly or through others.
void Checker::hold_no_circle() {
  enum : std::uint8_t { Unseen, Open, Closed };
  std::vector<std::uint8_t> state(types().size() - resolution_first_, Unseen);
  const auto visit = [&](const auto& self, const Type* at) -> void {
    while (at != nullptr && at->is(TypeKind::Array)) at = at->element;
    if (at == nullptr || at->id < resolution_first_ || (at->record == nullptr && at->sum == nullptr)) return;
    std::uint8_t& mine = state[at->id - resolution_first_];
    if (mine == Closed) return;
    if (mine == Open) {
      const bool record = at->record != nullptr;
      refuse(record ? Code::RecordType : Code::SumPayload,
             record ? at->record->declaration->position : at->sum->declaration->position,
             std::string(at->name) + " holds itself by value; reach it through a Buf.");
    }
    mine = Open;
    if (at->record != nullptr) {
      for (const RecordField& field : at->record->fields) self(self, field.type);
    } else {
      for (const SumVariant& variant : at->sum->variants) self(self, variant.payload);
    }
    mine = Closed;
  };
  for (std::size_t i = resolution_nominals_; i < nominals_.size(); ++i) visit(visit, nominals_[i].type);
}

void Checker::finish_resolution() {
  hold_no_circle();
  types().settle(resolution_first_);
  resolution_first_ = types().size();
  resolution_nominals_ = nominals_.size();
  // Bounds may complete further types, which join this resolution.
  while (!pending_storage_.empty() || !pending_bounds_.empty()) {
    const auto storage = std::exchange(pending_storage_, {});
    const auto bounds = std::exchange(pending_bounds_, {});
    const std::uint32_t outer = std::exchange(resolving_, 0);
    for (const PendingStorage& each : storage) hold_storable(each.element, each.storage, each.use);
    for (const PendingBound& each : bounds)
      hold_bounds(each.parameters, each.arguments, each.user, each.module, each.use);
    resolving_ = outer;
  }
}

}  // namespace cairn
