#include "frontend/syntax/printer_internal.hpp"

namespace cairn::syntax {

void Printer::declaration(const Decl& decl) {
  const bool exported = decl.is_public && decl.kind != DeclKind::Module && decl.kind != DeclKind::Import;
  visibility(exported);
  switch (decl.kind) {
    case DeclKind::Module:
      text("module ");
      path(decl.as<ModuleDecl>().path);
      return text(";");
    case DeclKind::Import:
      return import(decl.as<ImportDecl>());
    case DeclKind::Const:
      text("const ");
      name(decl.name);
      text(":");
      type(*decl.as<ConstDecl>().type);
      text(" = ");
      expression(*decl.as<ConstDecl>().value);
      return text(";");
    case DeclKind::Alias:
      text("type ");
      name(decl.name);
      text(" = ");
      type(*decl.as<AliasDecl>().type);
      return text(";");
    case DeclKind::Record:
      return record(decl.as<RecordDecl>());
    case DeclKind::Sum:
      return sum(decl.as<SumDecl>());
    case DeclKind::Trait:
      return trait(decl.as<TraitDecl>());
    case DeclKind::Impl:
      return impl(decl.as<ImplDecl>(), decl.as<ImplDecl>().members);
    case DeclKind::Extern:
      return foreign(decl.as<ExternDecl>());
    case DeclKind::Function:
      return function(decl.as<FunctionDecl>());
    case DeclKind::Recipe:
      return recipe(decl.as<RecipeDecl>());
    case DeclKind::Test:
      text("test ");
      name(decl.name);
      text(" ");
      return block(*decl.as<TestDecl>().body);
    case DeclKind::Layout:
      text("layout ");
      name(decl.name);
      text(" = ");
      expression(*decl.as<LayoutDecl>().value);
      return text(";");
    case DeclKind::Plan:
      return plan(decl.as<PlanDecl>());
    case DeclKind::Derive:
      return derive(decl.as<DeriveDecl>());
    case DeclKind::Family: {
      const auto& family = decl.as<FamilyDecl>();
      text("family ");
      name(family.name);
      text(" = ");
      path(family.function);
      text("[");
      natural(family.lo);
      text("..");
      natural(family.hi);
      return text("];");
    }
  }
}

void Printer::import(const ImportDecl& import) {
  text("import ");
  path(import.path);
  if (import.has_alias) {
    text(" as ");
    name(import.alias);
  }
  if (!import.names.empty()) {
    text(" (");
    names(import.names);
    text(")");
  }
  text(";");
}

// ------------------------------------------------------------------------------------------------------------
// functions

void Printer::generics(List<const GenericParameter> generics) {
  if (generics.empty()) return;
  text("[");
  list(generics, ", ", [this](const GenericParameter& parameter) {
    name(parameter.name);
    if (parameter.bound == BoundKind::None) return;
    text(":");
    if (parameter.bound == BoundKind::Nat) return text("nat");
    if (parameter.bound == BoundKind::Type) return text("type");
    list(parameter.traits, " + ", [this](const Path& trait) { path(trait); });
  });
  text("]");
}

void Printer::labels(List<const EffectLabel> labels) {
  list(labels, ", ", [this](const EffectLabel& label) { text(label.text); });
}

void Printer::ceiling(const Ceiling& ceiling) {
  if (!ceiling.present) return;
  if (ceiling.pure_alone) return text(" pure");
  text(" effects(");
  labels(ceiling.labels);
  text(")");
}

void Printer::signature(const Signature& signature) {
  name(signature.name);
  generics(signature.generics);
  text("(");
  parameters(signature.parameters);
  text(")");
  if (signature.result != nullptr) {
    text(" -> ");
    type(*signature.result);
  }
  ceiling(signature.ceiling);
}

void Printer::implements(const Implements& implements) {
  if (!implements.present) return;
  text(" implements ");
  path(implements.reference);
  if (implements.when != nullptr) {
    text(" when ");
    expression(*implements.when);
  }
  if (!implements.tune.empty()) {
    text(" tune ");
    list(implements.tune, ", ", [this](const TuneChoice& choice) {
      name(choice.name);
      text(" in [");
      list(choice.values, ", ", [this](const Natural& value) { natural(value); });
      text("]");
    });
  }
  if (!implements.needs.empty()) {
    text(" needs(");
    labels(implements.needs);
    text(")");
  }
}

/// Without `pub`, which the declaration printed.
void Printer::head(const FunctionDecl& function) {
  text(function.kernel ? "kernel fn " : "fn ");
  signature(function.signature);
  implements(function.implements);
}

void Printer::function(const FunctionDecl& function) {
  head(function);
  text(" ");
  block(*function.body);
}

void Printer::impl(const ImplDecl& impl, List<const FunctionDecl* const> members) {
  text("impl");
  generics(impl.generics);
  text(" ");
  path(impl.trait);
  text(" for ");
  type(*impl.type);
  text(" {");
  ++indent_;
  for (const FunctionDecl* member : members) {
    line();
    function(*member);
  }
  --indent_;
  if (!members.empty()) line();
  text("}");
}

void Printer::trait(const TraitDecl& trait) {
  text("trait ");
  name(trait.name);
  text(" {");
  ++indent_;
  for (const Signature& member : trait.members) {
    line();
    text("fn ");
    signature(member);
    text(";");
  }
  --indent_;
  if (!trait.members.empty()) line();
  text("}");
}

void Printer::foreign(const ExternDecl& foreign) {
  text("extern ");
  if (foreign.has_symbol) {
    text(quoted_literal(foreign.symbol));
    text(" ");
  }
  text("fn ");
  Signature head = foreign.signature;
  head.ceiling = {};
  signature(head);
  if (foreign.has_launch) {
    text(" launch(");
    if (foreign.launch_is_name) {
      name(foreign.launch_name);
    } else {
      natural(foreign.launch_threads);
    }
    text(", ");
    natural(foreign.launch_block);
    text(")");
  }
  ceiling(foreign.signature.ceiling);
  text(";");
}

// ------------------------------------------------------------------------------------------------------------ types

void Printer::field(const Field& field) {
  name(field.name);
  text(":");
  type(*field.type);
  if (field.has_extent) {
    text("[");
    name(field.extent);
    text("]");
  }
  text(";");
}

void Printer::record(const RecordDecl& record) {
  text(record.linear ? "linear struct " : "struct ");
  name(record.name);
  generics(record.generics);
  if (record.packed) text(" packed");
  if (record.has_align) {
    text(" align(");
    natural(record.align);
    text(")");
  }
  text(" {");
  for (const Field& one : record.fields) {
    text(" ");
    field(one);
  }
  if (record.has_lends) {
    const auto bound = [this](const LendsBound& written) {
      if (written.is_name) return name(written.name);
      natural(written.natural);
    };
    text(" lends ");
    name(record.lends);
    text("[");
    bound(record.lends_lo);
    text("..");
    bound(record.lends_hi);
    text("];");
  }
  text(" }");
}

void Printer::sum(const SumDecl& sum) {
  text("enum ");
  name(sum.name);
  generics(sum.generics);
  text(" {");
  for (const Variant& variant : sum.variants) {
    text(" ");
    name(variant.name);
    if (variant.payload != nullptr) {
      text("(");
      type(*variant.payload);
      text(")");
    }
    text(";");
  }
  text(" }");
}

// ------------------------------------------------------------------------------------------------------------
// schedules and generation

void Printer::plan(const PlanDecl& plan) {
  text("plan ");
  path(plan.function);
  if (plan.selects) {
    text(" use ");
    path(plan.chosen);
    if (plan.has_values) {
      text("[");
      list(plan.values, ", ", [this](const Natural& value) { natural(value); });
      text("]");
    }
    return text(";");
  }
  text(" {");
  for (const PlanItem& item : plan.items) {
    text(" ");
    name(item.name);
    text(" ");
    natural(item.value);
    text(";");
  }
  text(" }");
}

void Printer::derive(const DeriveDecl& derive) {
  text("derive ");
  path(derive.recipe);
  if (!derive.arguments.empty()) {
    text("[");
    list(derive.arguments, ", ", [this](const DeriveArgument& argument) {
      if (argument.is_natural) return natural(argument.natural);
      path(argument.path);
    });
    text("]");
  }
  if (derive.has_target) {
    text(" for ");
    path(derive.target);
  }
  text(";");
}

// ------------------------------------------------------------------------------------------------------------ recipes

void Printer::wheres(List<const StaticBinding> bindings) {
  for (const StaticBinding& binding : bindings) {
    text(" where ");
    name(binding.name);
    text(" = ");
    expression(*binding.value);
  }
}

void Printer::each_head(const EachHead& head) {
  name(head.binder);
  text(" in ");
  expression(*head.lo);
  if (head.hi != nullptr) {
    text("..");
    expression(*head.hi);
  }
  wheres(head.wheres);
}

void Printer::recipe(const RecipeDecl& recipe) {
  text("recipe ");
  name(recipe.name);
  if (!recipe.parameters.empty()) {
    text("[");
    list(recipe.parameters, ", ", [this](const RecipeParameter& parameter) {
      name(parameter.name);
      text(parameter.is_function ? ":fn" : ":nat");
    });
    text("]");
  }
  if (recipe.has_target) {
    text(" for ");
    name(recipe.target);
  }
  wheres(recipe.wheres);
  text(" ");
  recipe_items(recipe.items);
}

void Printer::recipe_items(List<const RecipeItem> items) {
  text("{");
  ++indent_;
  for (const RecipeItem& item : items) {
    line();
    recipe_item(item);
  }
  --indent_;
  if (!items.empty()) line();
  text("}");
}

void Printer::recipe_item(const RecipeItem& item) {
  visibility(item.is_public);
  switch (item.kind) {
    case RecipeItemKind::Each:
      text("each ");
      each_head(item.each);
      text(" ");
      return recipe_items(item.items);
    case RecipeItemKind::Require:
      return statement(*item.require);
    case RecipeItemKind::Record:
      text("struct ");
      name(item.record);
      text(" ");
      return recipe_fields(item.fields);
    case RecipeItemKind::Impl:
      return impl(*item.impl, item.impl->members);
    case RecipeItemKind::Function:
      return function(*item.function);
  }
}

void Printer::recipe_fields(List<const RecipeField> fields) {
  text("{");
  for (const RecipeField& one : fields) {
    text(" ");
    if (one.is_each) {
      text("each ");
      each_head(one.each);
      text(" ");
      recipe_fields(one.fields);
    } else {
      field(one.field);
    }
  }
  text(" }");
}

}  // namespace cairn::syntax
