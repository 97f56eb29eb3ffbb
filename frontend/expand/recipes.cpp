#include "frontend/expand/recipes.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_set>

#include "frontend/diagnostics/diagnostic.hpp"
#include "frontend/expand/bound_names.hpp"
#include "frontend/expand/rewriter.hpp"
#include "frontend/expand/spelling.hpp"

namespace cairn {

using namespace syntax;

namespace {

constexpr std::size_t kMostDeclarations = 2048;

/// A `require`'s message that begins with a code of its own: "E-MINE: text".
bool names_its_own_code(std::string_view message, std::string_view& code, std::string_view& rest) {
  if (!message.starts_with("E-")) return false;
  const std::size_t colon = message.find(':');
  if (colon == std::string_view::npos || colon == 2) return false;
  code = message.substr(0, colon);
  const auto may_stand = [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; };
  if (!std::ranges::all_of(code, may_stand)) return false;
  rest = message.substr(colon + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return true;
}

class Application final : public TreeRewriter {
 public:
  Application(const RecipeApplication& application, Arena& arena, NameTable& names, const Declarations& table)
      : TreeRewriter(arena),
        application_(application),
        recipe_(*application.recipe),
        derive_(*application.derive),
        names_(names),
        spelling_(arena, names, table),
        statics_(names, table, application.final) {}

  std::vector<const Decl*> run() {
    StaticScope scope(nullptr);
    bind_arguments(scope);
    for (const StaticBinding& where : recipe_.wheres) scope.bind_lazily(bare(where.name.name), *where.value);
    scope_ = &scope;
    items(recipe_.items);
    return std::move(made_);
  }

 private:
  // -------------------------------------------------------------------------------------------------------------
  // statics

  Name bare(Name name) { return names_.intern(without_dollar(names_.text(name))); }

  void bind_arguments(StaticScope& scope) {
    for (std::size_t k = 0; k < recipe_.parameters.size(); ++k) {
      const DeriveArgument& argument = derive_.arguments[k];
      StaticValue value;
      if (recipe_.parameters[k].is_function) {
        value.kind = StaticValue::Kind::Function;
        value.function = argument.path;
      } else {
        value.natural = argument.natural.value;
      }
      scope.bind(bare(recipe_.parameters[k].name.name), value);
    }
    if (!recipe_.has_target) return;
    auto* type = arena().make<TypeExpr>();
    type->kind = syntax::TypeKind::Named;
    type->path = derive_.target;
    type->position = derive_.target.position();
    StaticValue target;
    target.kind = StaticValue::Kind::Type;
    target.type = {type, derive_.module};
    target_ = bare(recipe_.target.name);
    scope.bind(target_, target);
  }

  /// Runs `body` once per step of an each, its binder and `where`s in scope.
  void each(const EachHead& head, const std::function<void()>& body) {
    StaticScope* outer = scope_;
    for (const StaticValue& step : statics_.steps(head, *outer)) {
      StaticScope inner(outer);
      inner.bind(bare(head.binder.name), step);
      for (const StaticBinding& where : head.wheres) inner.bind_lazily(bare(where.name.name), *where.value);
      scope_ = &inner;
      body();
    }
    scope_ = outer;
  }

  void require(const RequireStmt& require) {
    if (statics_.boolean(*require.condition, *scope_)) return;
    Diagnostic diagnostic{Code::DeriveDomain, std::string(require.message), require.position, {}, {}, {}, {}};
    std::string_view code;
    std::string_view rest;
    if (names_its_own_code(require.message, code, rest)) {
      diagnostic.message = std::string(rest);
      if (const auto known = code_of(code)) {
        diagnostic.code = *known;
      } else {
        diagnostic.custom_code = std::string(code);
      }
    }
    refuse(std::move(diagnostic));
  }

  // --------------------------------------------------------------------------------------------------------------
  // splices

  /// What `$name` stands for when it is the whole identifier; none otherwise.
  const StaticValue* whole_splice(Name name, Position use) {
    const std::string_view text = names_.text(name);
    if (!text.starts_with('$')) return nullptr;
    const auto found = scope_->longest_prefix(text.substr(1), names_);
    if (found.binding == nullptr || names_.text(found.binding->name).size() + 1 != text.size()) return nullptr;
    spliced_ = statics_.value_of(found, use);
    return &spliced_;
  }

  std::string splice_text(const StaticValue& value, Position use) {
    switch (value.kind) {
      case StaticValue::Kind::Natural:
        return std::to_string(value.natural);
      case StaticValue::Kind::Bool:
        break;
      case StaticValue::Kind::Field:
        return std::string(names_.text(value.record->fields[value.field].name.name));
      case StaticValue::Kind::Function:
        return std::string(names_.text(value.function.last()));
      case StaticValue::Kind::Type:
        if (value.type.type->kind == syntax::TypeKind::Named) {
          return std::string(names_.text(value.type.type->path.last()));
        }
        break;
    }
    refuse(Code::RecipeStatic, use, "Only naturals, fields, named types and functions can be part of a name.");
  }

  /// An identifier with every `$name` in it replaced.
  Name spliced(Name name, Position use) {
    std::string_view text = names_.text(name);
    std::size_t dollar = text.find('$');
    if (dollar == std::string_view::npos) return name;
    std::string out;
    while (dollar != std::string_view::npos) {
      out += text.substr(0, dollar);
      text.remove_prefix(dollar + 1);
      const auto found = scope_->longest_prefix(text, names_);
      if (found.binding == nullptr) {
        refuse(Code::RecipeStatic, use, "No static here begins $" + std::string(text) + ".");
      }
      text.remove_prefix(names_.text(found.binding->name).size());
      out += splice_text(statics_.value_of(found, use), use);
      dollar = text.find('$');
    }
    out += text;
    return names_.intern(out);
  }

  Identifier name(const Identifier& original) override {
    return {spliced(original.name, original.position), original.position};
  }

  bool has_splice(Name name) const { return names_.text(name).find('$') != std::string_view::npos; }

  // ----------------------------------------------------------------------------------------------------------- tree
  // nodes

  void visit(Position position) override { statics_.visit(position); }

  const Expr* name_expression(const NameExpr& original, std::span<const MemberExpr* const> members,
                              std::size_t& consumed) override {
    consumed = 0;
    if (const StaticValue* value = whole_splice(original.name, original.position)) {
      return static_expression(*value, original);
    }
    if (has_splice(original.name)) {
      auto* copy = copy_of(original);
      copy->name = spliced(original.name, original.position);
      return copy;
    }
    if (bound_.contains(original.name)) return copy_of(original);
    if (recipe_.has_target && original.name == target_) {
      return spelling_.as_expression(derive_.target.segments, original.position, original.span);
    }
    std::vector<Identifier> path{{original.name, original.position}};
    for (const MemberExpr* each : members) {
      if (has_splice(each->member.name)) break;
      path.push_back(each->member);
    }
    std::size_t replaced = 0;
    const std::vector<Identifier> full = spelling_.full(path, recipe_.module, replaced);
    if (replaced == 0) return copy_of(original);
    consumed = replaced - 1;
    const std::size_t rest = path.size() - replaced;
    return spelling_.as_expression(std::span(full).first(full.size() - rest), original.position, original.span);
  }

  const Expr* static_expression(const StaticValue& value, const NameExpr& original) {
    switch (value.kind) {
      case StaticValue::Kind::Natural:
        return spelling_.natural(value.natural, original.position, original.span);
      case StaticValue::Kind::Function:
        return spelling_.as_expression(value.function.segments, original.position, original.span);
      case StaticValue::Kind::Type: {
        const TypeExpr* type = spelled_type(value.type);
        if (const Expr* made = spelling_.as_expression(*type, original.position, original.span)) return made;
        refuse(Code::RecipeStatic, original.position, "This type cannot be written in an expression.");
      }
      case StaticValue::Kind::Field: {
        auto* copy = copy_of(original);
        copy->name = value.record->fields[value.field].name.name;
        return copy;
      }
      case StaticValue::Kind::Bool:
        break;
    }
    auto* literal = arena().make<BoolExpr>();
    static_cast<Expr&>(*literal) = original;
    literal->kind = ExprKind::Bool;
    literal->value = value.natural != 0;
    return literal;
  }

  /// A type of the target's schema or of the derive, spelled so that it means the same in the deriving module.
  const TypeExpr* spelled_type(const TypeReference& reference) {
    return reference.module == derive_.module ? reference.type : spelling_.full(reference);
  }

  const Expr* combined(const BinaryExpr& copy) override {
    if (copy.left->kind != ExprKind::Integer || copy.right->kind != ExprKind::Integer) return &copy;
    const auto& left = copy.left->as<IntegerExpr>();
    const auto& right = copy.right->as<IntegerExpr>();
    if (left.character || right.character || !left.value.fits || !right.value.fits) return &copy;
    std::uint64_t folded = 0;
    bool overflows = true;
    if (copy.op == BinaryOp::Add) overflows = __builtin_add_overflow(left.value.value, right.value.value, &folded);
    if (copy.op == BinaryOp::Subtract) overflows = __builtin_sub_overflow(left.value.value, right.value.value, &folded);
    if (copy.op == BinaryOp::Multiply) overflows = __builtin_mul_overflow(left.value.value, right.value.value, &folded);
    return overflows ? static_cast<const Expr*>(&copy) : spelling_.natural(folded, copy.position, copy.span);
  }

  void argument(const Expr& original, std::vector<const Expr*>& out) override {
    if (original.kind != ExprKind::Each) return TreeRewriter::argument(original, out);
    const auto& sequence = original.as<EachExpr>();
    each(sequence.head, [&] {
      for (const Expr* value : sequence.values) argument(*value, out);
    });
  }

  const Expr* each_expression(const EachExpr& original) override {
    refuse(Code::RecipeStatic, original.position, "each gives the arguments of a call or the operands of a fold.");
  }

  const Expr* fold_expression(const FoldExpr& original) override {
    std::vector<const Expr*> operands;
    argument(*original.each, operands);
    if (operands.empty()) refuse(Code::RecipeStatic, original.position, "This fold joins nothing.");
    const Expr* whole = operands.front();
    for (std::size_t k = 1; k < operands.size(); ++k) {
      visit(original.position);
      whole = original.is_operator ? joined(original, whole, operands[k]) : called(original, whole, operands[k]);
    }
    return whole;
  }

  const Expr* joined(const FoldExpr& original, const Expr* left, const Expr* right) {
    auto* made = arena().make<BinaryExpr>();
    made->kind = ExprKind::Binary;
    made->position = left->position;
    made->span = original.span;
    made->op = original.op;
    made->op_position = original.position;
    made->left = left;
    made->right = right;
    return combined(*made);
  }

  const Expr* called(const FoldExpr& original, const Expr* left, const Expr* right) {
    auto* made = arena().make<CallExpr>();
    made->kind = ExprKind::Call;
    made->position = original.position;
    made->span = original.span;
    made->callee = spelling_.as_expression(path(original.function).segments, original.position, original.span);
    made->arguments = arena().copy(std::vector<const Expr*>{left, right});
    return made;
  }

  Path path(const Path& original) override {
    const Identifier first = original.segments.front();
    if (const StaticValue* value = whole_splice(first.name, first.position); value != nullptr && !original.dotted()) {
      if (value->kind == StaticValue::Kind::Function) return value->function;
      if (value->kind == StaticValue::Kind::Type) return spelled_type(value->type)->path;
    }
    if (recipe_.has_target && first.name == target_ && !bound_.contains(first.name)) {
      std::vector<Identifier> segments(derive_.target.segments.begin(), derive_.target.segments.end());
      for (const Identifier& rest : original.segments.subspan(1)) segments.push_back(name(rest));
      return {arena().copy(segments)};
    }
    if (has_splice(first.name) || bound_.contains(first.name)) return TreeRewriter::path(original);
    return TreeRewriter::path(spelling_.full(original, recipe_.module));
  }

  const TypeExpr* named_type(const TypeExpr& original) override {
    if (original.kind == syntax::TypeKind::Named && !original.path.dotted()) {
      if (const StaticValue* value = whole_splice(original.path.last(), original.position)) {
        if (value->kind == StaticValue::Kind::Type && original.arguments.empty()) return spelled_type(value->type);
        if (value->kind == StaticValue::Kind::Natural) {
          auto* literal = arena().make<TypeExpr>();
          literal->kind = syntax::TypeKind::Natural;
          literal->position = original.position;
          literal->span = original.span;
          literal->natural = spelling_.natural(value->natural, original.position);
          return literal;
        }
      }
    }
    if (original.has_extent && original.extent_is_name) {
      const StaticValue* value = whole_splice(original.extent_name.name, original.extent_name.position);
      if (value != nullptr && value->kind == StaticValue::Kind::Natural) {
        TypeExpr literal = original;
        literal.extent_is_name = false;
        literal.natural = spelling_.natural(value->natural, original.extent_name.position);
        return TreeRewriter::named_type(literal);
      }
    }
    return TreeRewriter::named_type(original);
  }

  std::string_view label(std::string_view original) override {
    if (original.find('$') == std::string_view::npos) return original;
    return names_.text(spliced(names_.intern(original), recipe_.position));
  }

  void statement(const Stmt& original, std::vector<const Stmt*>& out) override {
    if (original.kind == StmtKind::Require) return require(original.as<RequireStmt>());
    if (original.kind != StmtKind::Each) return TreeRewriter::statement(original, out);
    const auto& sequence = original.as<EachStmt>();
    each(sequence.head, [&] {
      for (const Stmt* inner : sequence.body->statements) statement(*inner, out);
    });
  }

  // ----------------------------------------------------------------------------------------------------------------
  // items

  void items(List<const RecipeItem> all) {
    for (const RecipeItem& item : all) {
      visit(item.position);
      switch (item.kind) {
        case RecipeItemKind::Each:
          each(item.each, [&] { items(item.items); });
          break;
        case RecipeItemKind::Require:
          require(*item.require);
          break;
        case RecipeItemKind::Record:
          add(record(item));
          break;
        case RecipeItemKind::Impl:
          add(impl(item));
          break;
        case RecipeItemKind::Function: {
          auto* made = generated_function(*item.function, item.is_public);
          made->position = item.position;
          add(made);
          break;
        }
      }
    }
  }

  void add(const Decl* declaration) {
    made_.push_back(declaration);
    if (made_.size() > kMostDeclarations) {
      refuse(Code::ExpansionLimit, declaration->position,
             "One application of a recipe makes at most " + std::to_string(kMostDeclarations) + " declarations.");
    }
  }

  void place(Decl& made, bool is_public) {
    made.module = derive_.module;
    made.is_public = is_public;
    made.derived = application_.derived;
  }

  FunctionDecl* generated_function(const FunctionDecl& original, bool is_public) {
    Arena scratch;
    BoundNames binders(scratch);
    binders.function(original);
    binders.bound.erase(original.signature.name.name);
    bound_ = std::move(binders.bound);
    auto* made = copy_of(*function(original));
    place(*made, is_public);
    bound_.clear();
    return made;
  }

  const Decl* impl(const RecipeItem& item) {
    auto* made = copy_of(*item.impl);
    made->trait = path(made->trait);
    made->type = type(made->type);
    std::vector<const FunctionDecl*> members;
    for (const FunctionDecl* member : item.impl->members) members.push_back(generated_function(*member, true));
    made->members = arena().copy(members);
    place(*made, item.is_public);
    return made;
  }

  const Decl* record(const RecipeItem& item) {
    auto* made = arena().make<RecordDecl>();
    made->kind = DeclKind::Record;
    made->position = item.position;
    made->name = name(item.record);
    std::vector<Field> all;
    fields(item.fields, all);
    made->fields = arena().copy(all);
    place(*made, item.is_public);
    std::unordered_set<Name> taken;
    for (const Field& field : all) {
      if (taken.insert(field.name.name).second) continue;
      refuse(Code::DeriveCollision, derive_.position,
             "The generated record " + std::string(names_.text(made->name.name)) + " has two fields called " +
                 std::string(names_.text(field.name.name)) + ".");
    }
    return made;
  }

  void fields(List<const RecipeField> originals, std::vector<Field>& out) {
    for (const RecipeField& original : originals) {
      if (original.is_each) {
        each(original.each, [&] { fields(original.fields, out); });
        continue;
      }
      Field field = original.field;
      visit(field.name.position);
      field.name = name(field.name);
      field.type = type(field.type);
      if (field.has_extent) field.extent = name(field.extent);
      out.push_back(field);
    }
  }

  const RecipeApplication& application_;
  const RecipeDecl& recipe_;
  const DeriveDecl& derive_;
  NameTable& names_;
  Spelling spelling_;
  Statics statics_;
  Name target_;
  StaticScope* scope_ = nullptr;
  StaticValue spliced_;
  std::unordered_set<Name> bound_;
  std::vector<const Decl*> made_;
};

}  // namespace

std::vector<const Decl*> apply_recipe(const RecipeApplication& application, Arena& arena, NameTable& names,
                                      const Declarations& table) {
  return Application(application, arena, names, table).run();
}

}  // namespace cairn
