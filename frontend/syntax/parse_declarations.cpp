// Declarations (syntax and values, section 1.3.1), all but their members, heads and recipes.
#include <algorithm>

#include "frontend/syntax/parser_internal.hpp"

namespace cairn::syntax {

/// The file of the token at hand. Only files of the project itself continue the module of the file before.
void Parser::enter_file() {
  while (here().offset > file_->begin + file_->text.size() && file_index_ + 1 < sources_.size()) {
    const bool before = file_->own && !file_->library;
    file_ = &sources_.file(++file_index_);
    if (!before || !file_->own || file_->library) module_ = {};
    packaged_ = packaged_option_ || file_->library;
  }
}

void Parser::item() {
  enter_file();
  const Position begin = here();
  accept(TokenKind::Pub);
  const Decl* made = nullptr;
  switch (kind()) {
    case TokenKind::Module:
      made = module_declaration(begin);
      break;
    case TokenKind::Import:
      made = import_declaration(begin);
      break;
    case TokenKind::Const:
      made = const_declaration(begin);
      break;
    case TokenKind::Struct:
    case TokenKind::Linear:
      made = record_declaration(begin);
      break;
    case TokenKind::Enum:
      made = sum_declaration(begin);
      break;
    case TokenKind::Trait:
      made = trait_declaration(begin);
      break;
    case TokenKind::Impl:
      made = impl_declaration(begin, true);
      break;
    case TokenKind::Extern:
      made = extern_declaration(begin);
      break;
    case TokenKind::Fn:
    case TokenKind::Kernel:
      made = function_declaration(begin, true);
      break;
    case TokenKind::Derive:
      made = derive_declaration(begin);
      break;
    case TokenKind::Family:
      made = family_declaration(begin);
      break;
    case TokenKind::Type:
      if (packaged_) made = alias_declaration(begin);
      break;
    case TokenKind::Word:
      if (!next_is_word()) break;
      if (is_the_word(words_.test)) {
        made = test_declaration(begin);
      } else if (is_the_word(words_.plan)) {
        made = plan_declaration(begin);
      } else if (is_the_word(words_.recipe)) {
        made = recipe_declaration(begin);
      } else if (is_the_word(words_.layout) && at_[2].kind() == TokenKind::Equal) {
        made = layout_declaration(begin);
      }
      break;
    default:
      break;
  }
  if (made == nullptr) {
    fail(Code::Declaration, *at_,
         "A declaration starts with module, import, const, struct, linear struct, enum, trait, impl, extern, fn, "
         "kernel fn, "
         "recipe, test, layout, plan, derive or family, perhaps after pub; " +
             describe(*at_) + " starts none.");
  }
  declarations_.push_back(made);
  const bool names_something = made->name.name && made->kind != DeclKind::Test;
  if (names_something) enter_name(made->name, begin);
}

// -------------------------------------------------------------------------------------------------- names of a module

void Parser::enter_name(Identifier name, Position declaration) {
  if (const Position* first = declared_.insert(module_, name.name, declaration)) {
    const Location where = sources_.locate(*first);
    refuse(Code::Duplicate, declaration,
           "`" + std::string(names_.text(name.name)) + "` is declared twice in one module; the first stands at " +
               where.file->path + ":" + std::to_string(where.line) + ".");
  }
}

/// At the token behind the test's name.
void Parser::enter_test(Identifier name) {
  if (!is(TokenKind::LeftBrace)) {
    fail(Code::Test, *at_,
         "A test has a name and a block, test " + std::string(names_.text(name.name)) +
             " { ... }, without parameters and result; found " + describe(*at_) + ".");
  }
  if (const Position* first = tests_.insert(module_, name.name, name.position)) {
    const Location where = sources_.locate(*first);
    refuse(Code::Test, here(),
           "The module has a test called `" + std::string(names_.text(name.name)) + "` already, at " +
               where.file->path + ":" + std::to_string(where.line) + ".");
  }
}

/// A member's full name is `module.Trait.Type.member`, trait and type spelled as written.
void Parser::enter_impl_member(const ImplDecl& impl, const FunctionDecl& member) {
  std::string spelled;
  append_spelling(impl.trait, spelled);
  spelled.push_back('.');
  append_spelling(*impl.type, spelled);
  spelled.push_back('.');
  spelled.append(names_.text(member.signature.name.name));
  enter_name({names_.intern(spelled), member.position}, member.position);
}

void Parser::append_spelling(const Path& path, std::string& out) const {
  for (const Identifier& segment : path.segments) {
    if (&segment != path.segments.data()) out.push_back('.');
    out.append(names_.text(segment.name));
  }
}

void Parser::append_spelling(const TypeExpr& type, std::string& out) const {
  const auto list = [this, &out](List<const TypeExpr* const> types) {
    for (const TypeExpr* one : types) {
      if (one != types.front()) out.append(", ");
      append_spelling(*one, out);
    }
  };
  switch (type.kind) {
    case TypeKind::Borrow:
      out.append(type.mode == BorrowMode::Ro ? "ro<" : "rw<");
      append_spelling(*type.inner, out);
      out.push_back('>');
      if (type.has_extent) {
        out.append("[")
            .append(type.extent_is_name ? names_.text(type.extent_name.name) : type.natural.digits)
            .append("]");
      }
      return;
    case TypeKind::Function:
      out.append("fn(");
      list(type.arguments);
      out.push_back(')');
      if (type.inner != nullptr) {
        out.append(" -> ");
        append_spelling(*type.inner, out);
      }
      return;
    case TypeKind::Natural:
      out.append(type.natural.digits);
      return;
    case TypeKind::Dyn:
      out.append("dyn ");
      [[fallthrough]];
    case TypeKind::Named:
      append_spelling(type.path, out);
      if (!type.arguments.empty()) {
        out.push_back('[');
        list(type.arguments);
        out.push_back(']');
      }
      return;
  }
}

// -------------------------------------------------------------------------------------------------- modules and values

const Decl* Parser::module_declaration(Position begin) {
  auto* made = declare<ModuleDecl>(DeclKind::Module, begin);
  advance();
  made->path = path("the module's name");
  expect(TokenKind::Semicolon, "after the module's name");
  if (made->path.dotted()) {
    std::string full;
    append_spelling(made->path, full);
    module_ = names_.intern(full);
  } else {
    module_ = made->path.last();
  }
  made->module = module_;
  return end(made);
}

const Decl* Parser::import_declaration(Position begin) {
  auto* made = declare<ImportDecl>(DeclKind::Import, begin);
  advance();
  made->path = path("a module's name");
  if (accept(TokenKind::As)) {
    made->has_alias = true;
    made->alias = identifier("the module's name here");
  }
  if (accept(TokenKind::LeftParen)) made->names = identifiers(TokenKind::RightParen, "a name the module declares");
  expect(TokenKind::Semicolon, "to end the import");
  return end(made);
}

const Decl* Parser::const_declaration(Position begin) {
  auto* made = declare<ConstDecl>(DeclKind::Const, begin);
  advance();
  made->name = identifier("the constant's name");
  expect(TokenKind::Colon, "before the constant's type");
  made->type = type();
  expect(TokenKind::Equal, "before the constant's value");
  made->value = expression();
  expect(TokenKind::Semicolon, "to end the constant");
  return end(made);
}

const Decl* Parser::alias_declaration(Position begin) {
  auto* made = declare<AliasDecl>(DeclKind::Alias, begin);
  advance();
  made->name = identifier("the alias's name");
  expect(TokenKind::Equal, "before what the alias stands for");
  made->type = type();
  expect(TokenKind::Semicolon, "to end the alias");
  return end(made);
}

const Decl* Parser::layout_declaration(Position begin) {
  auto* made = declare<LayoutDecl>(DeclKind::Layout, begin);
  advance();
  made->name = identifier("the layout's name");
  expect(TokenKind::Equal, "before the layout");
  made->value = expression();
  expect(TokenKind::Semicolon, "to end the layout");
  return end(made);
}

// -------------------------------------------------------------------------------------------------- types

const Decl* Parser::record_declaration(Position begin) {
  auto* made = declare<RecordDecl>(DeclKind::Record, begin);
  made->linear = accept(TokenKind::Linear);
  expect(TokenKind::Struct, "after linear");
  made->name = identifier("the record's name");
  made->generics = generics();
  if (accept_word(words_.packed)) {
    made->packed = true;
  } else if (accept_word(words_.align)) {
    made->has_align = true;
    expect(TokenKind::LeftParen, "before the alignment");
    made->align = natural();
    const std::uint64_t value = made->align.value;
    if (!made->align.fits || value < 8 || value > 65536 || (value & (value - 1)) != 0) {
      refuse(Code::Align, begin,
             "An alignment is a power of two from 8 to 65536, and this is " + std::string(made->align.digits) + ".");
    }
    expect(TokenKind::RightParen, "after the alignment");
  }
  const Position opened = here();
  expect(TokenKind::LeftBrace, "to open the record's fields");
  std::vector<Field> fields;
  while (!is(TokenKind::RightBrace)) {
    if (is(TokenKind::End)) fail_open_block(opened);
    if (is_the_word(words_.lends) && !next_is(TokenKind::Colon)) {
      lends_clause(*made);
    } else {
      fields.push_back(field());
    }
  }
  advance();
  made->fields = arena_.copy(fields);
  return end(made);
}

Field Parser::field() {
  Field made;
  made.name = identifier("a field's name");
  expect(TokenKind::Colon, "before the field's type");
  made.type = type();
  if (accept(TokenKind::LeftBracket)) {
    made.has_extent = true;
    made.extent = identifier("the field that holds the extent");
    expect(TokenKind::RightBracket, "after the field's extent");
  }
  expect(TokenKind::Semicolon, "to end the field");
  return made;
}

void Parser::lends_clause(RecordDecl& record) {
  advance();
  if (record.has_lends) fail(Code::Lends, *at_, "A record lends one view, and this one lends a second.");
  const auto bound = [this] {
    LendsBound made;
    made.is_name = !is(TokenKind::Decimal);
    if (made.is_name) {
      made.name = identifier("a bound, a decimal number or a field,");
    } else {
      made.natural = natural();
    }
    return made;
  };
  record.has_lends = true;
  record.lends = identifier("the field that is lent");
  expect(TokenKind::LeftBracket, "before the bounds of what is lent");
  record.lends_lo = bound();
  expect(TokenKind::DotDot, "between the bounds of what is lent");
  record.lends_hi = bound();
  expect(TokenKind::RightBracket, "after the bounds of what is lent");
  expect(TokenKind::Semicolon, "to end the clause");
}

const Decl* Parser::sum_declaration(Position begin) {
  auto* made = declare<SumDecl>(DeclKind::Sum, begin);
  advance();
  made->name = identifier("the sum's name");
  made->generics = generics();
  const Position opened = here();
  expect(TokenKind::LeftBrace, "to open the variants");
  std::vector<Variant> variants;
  while (!is(TokenKind::RightBrace)) {
    if (is(TokenKind::End)) fail_open_block(opened);
    Variant variant;
    variant.name = identifier("a variant's name");
    if (accept(TokenKind::LeftParen)) {
      variant.payload = type();
      expect(TokenKind::RightParen, "after the payload's type");
    }
    expect(TokenKind::Semicolon, "to end the variant");
    variants.push_back(variant);
  }
  advance();
  made->variants = arena_.copy(variants);
  return end(made);
}

// -------------------------------------------------------------------------------------------------- schedules and
// generation

const Decl* Parser::plan_declaration(Position begin) {
  auto* made = declare<PlanDecl>(DeclKind::Plan, begin);
  advance();
  made->function = path("a function");
  if (accept_word(words_.use)) {
    made->selects = true;
    made->chosen = path("an implementation");
    if (accept(TokenKind::LeftBracket)) {
      made->has_values = true;
      made->values = naturals(TokenKind::RightBracket);
    }
    expect(TokenKind::Semicolon, "to end the plan");
    return end(made);
  }
  const Position opened = here();
  expect(TokenKind::LeftBrace, "or `use` after the function's name");
  std::vector<PlanItem> items;
  while (!is(TokenKind::RightBrace)) {
    if (is(TokenKind::End)) fail_open_block(opened);
    if (!is_identifier() || !next_is(TokenKind::Decimal)) {
      fail(Code::Plan, *at_, "An item of a plan is a name and a decimal number, such as grain 4096;.");
    }
    const Identifier name = identifier();
    const bool repeated = std::ranges::any_of(items, [&](const PlanItem& item) { return item.name.name == name.name; });
    if (repeated) {
      refuse(Code::Plan, name.position, "`" + std::string(names_.text(name.name)) + "` is given twice in one plan.");
    }
    items.push_back({name, natural()});
    expect(TokenKind::Semicolon, "to end the item");
  }
  advance();
  made->items = arena_.copy(items);
  return end(made);
}

const Decl* Parser::derive_declaration(Position begin) {
  auto* made = declare<DeriveDecl>(DeclKind::Derive, begin);
  advance();
  made->recipe = path("a recipe");
  if (accept(TokenKind::LeftBracket)) {
    std::vector<DeriveArgument> arguments;
    while (!is(TokenKind::RightBracket)) {
      DeriveArgument argument;
      argument.is_natural = is(TokenKind::Decimal);
      if (argument.is_natural) {
        argument.natural = natural();
      } else {
        argument.path = path("a decimal number or a name");
      }
      arguments.push_back(argument);
      if (!accept(TokenKind::Comma)) break;
      if (is(TokenKind::RightBracket)) fail_name("a decimal number or a name");
    }
    expect(TokenKind::RightBracket, "after the recipe's arguments");
    made->arguments = arena_.copy(arguments);
  }
  if (accept(TokenKind::For)) {
    made->has_target = true;
    made->target = path("a type or a function");
  }
  expect(TokenKind::Semicolon, "to end the derivation");
  return end(made);
}

const Decl* Parser::family_declaration(Position begin) {
  auto* made = declare<FamilyDecl>(DeclKind::Family, begin);
  advance();
  made->name = identifier("the family's name");
  expect(TokenKind::Equal, "before the template");
  made->function = path("a template");
  expect(TokenKind::LeftBracket, "before the family's bounds");
  made->lo = natural();
  expect(TokenKind::DotDot, "between the family's bounds");
  made->hi = natural();
  expect(TokenKind::RightBracket, "after the family's bounds");
  expect(TokenKind::Semicolon, "to end the family");
  return end(made);
}

const Decl* Parser::test_declaration(Position begin) {
  auto* made = declare<TestDecl>(DeclKind::Test, begin);
  advance();
  made->name = identifier("the test's name");
  enter_test(made->name);
  made->body = block();
  return end(made);
}

}  // namespace cairn::syntax
