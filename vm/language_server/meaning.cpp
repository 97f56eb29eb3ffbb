#include "vm/language_server/meaning.hpp"

#include <algorithm>

#include "frontend/check/rows.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn::lsp {

using nlohmann::json;
using syntax::Decl;
using syntax::DeclKind;

namespace {

bool holds(const Span& span, Position at) { return span.begin <= at && at <= span.end; }

/// Calls visit(const Expr&) for every expression of a body, closures and lanes aside.
template <class Visit>
void every_expression(const checked::Block& body, const Visit& visit) {
  const auto every = [&](const checked::Expr& root) {
    static_cast<void>(checked::any_expression(root, [&](const checked::Expr& each) {
      visit(each);
      return false;
    }));
  };
  checked::for_each_statement(body, [&](const checked::Stmt& statement) {
    checked::for_each_part(statement, every, [](const checked::Block&) {}, [](const checked::Function&) {});
  });
}

int symbol_kind(DeclKind kind) {
  switch (kind) {
    case DeclKind::Record:
      return 23;
    case DeclKind::Sum:
      return 10;
    case DeclKind::Trait:
      return 11;
    case DeclKind::Const:
      return 14;
    case DeclKind::Alias:
      return 26;
    default:
      return 12;
  }
}

bool is_declared(DeclKind kind) {
  return kind != DeclKind::Module && kind != DeclKind::Import && kind != DeclKind::Impl && kind != DeclKind::Plan &&
         kind != DeclKind::Derive && kind != DeclKind::Family;
}

}  // namespace

const checked::Local* Meaning::local_named(Position at, std::string_view name) const {
  const checked::Local* found = nullptr;
  for (const auto& function : compilation_.program.functions) {
    const checked::Function* outer = function.get();
    while (outer->parent != nullptr) outer = outer->parent;
    if (outer->declaration == nullptr || !holds(outer->declaration->span, at)) continue;
    for (const checked::Local* local : function->locals) {
      if (!local->name || compilation_.names.text(local->name) != name || !(local->position <= at)) continue;
      // The last one declared before: names are not shadowed, but blocks that ended may have had one of their own.
      if (found == nullptr || found->position <= local->position) found = local;
    }
  }
  return found;
}

const Decl* Meaning::declaration_named(std::string_view module, std::string_view name) const {
  for (const Decl* declaration : compilation_.tree.declarations) {
    if (!is_declared(declaration->kind) || !declaration->name.name) continue;
    if (compilation_.names.text(declaration->name.name) == name && text(declaration->module) == module) {
      return declaration;
    }
  }
  return nullptr;
}

std::string Meaning::module_at(Position at) const {
  for (const Decl* declaration : compilation_.tree.declarations) {
    if (holds(declaration->span, at) && declaration->derived.empty()) return text(declaration->module);
  }
  return {};
}

std::string Meaning::module_behind(std::string_view alias, std::string_view importer) const {
  for (const Decl* declaration : compilation_.tree.declarations) {
    if (declaration->kind != DeclKind::Import || text(declaration->module) != importer) continue;
    const auto& import = declaration->as<syntax::ImportDecl>();
    std::string whole;
    for (const syntax::Identifier& segment : import.path.segments) {
      whole += (whole.empty() ? "" : ".") + text(segment.name);
    }
    const std::string short_name = import.has_alias ? text(import.alias.name) : text(import.path.segments.back().name);
    if (short_name == alias) return whole;
  }
  return {};
}

Target Meaning::describe(const Decl& declaration) const {
  Target target;
  target.declared = declaration.name.position;
  const auto place = analysis_.place_of(declaration.position);
  if (!place) return target;
  const std::string& source = place->file->text;
  std::size_t end = declaration.span.end.offset - place->file->begin;
  if (declaration.kind == DeclKind::Function && declaration.as<syntax::FunctionDecl>().body != nullptr) {
    end = declaration.as<syntax::FunctionDecl>().body->span.begin.offset - place->file->begin;
  }
  end = std::min(end, source.size());
  if (place->offset < end) target.description = source.substr(place->offset, end - place->offset);
  while (!target.description.empty() &&
         std::string_view(" \n\t{=").find(target.description.back()) != std::string_view::npos) {
    target.description.pop_back();
  }
  target.comment = comment_above(source, place->offset);
  for (const auto& function : compilation_.program.functions) {
    if (function->declaration != &declaration || function->row == nullptr) continue;
    std::string row;
    for (const std::string& label : checked::texts(*function->row, *function, compilation_.names)) {
      row += (row.empty() ? "" : ", ") + label;
    }
    target.description += "\n// effects: " + (row.empty() ? "none" : row);
    break;
  }
  return target;
}

const Type* Meaning::type_of_expression_at(Position at) const {
  const Type* type = nullptr;
  for (const auto& function : compilation_.program.functions) {
    if (function->body == nullptr) continue;
    every_expression(*function->body, [&](const checked::Expr& each) {
      if (each.position == at && each.type != nullptr) type = each.type;  // operands come last: the smallest
    });
    if (type != nullptr) return type;
  }
  return type;
}

std::optional<Target> Meaning::member_of(const Type& type, std::string_view name) const {
  const Type* held = &type;
  while ((held->is(TypeKind::Borrow) || held->is(TypeKind::View)) && held->element != nullptr) held = held->element;
  if (held->is(TypeKind::Record) && held->record->declaration != nullptr) {
    for (const syntax::Field& field : held->record->declaration->fields) {
      if (text(field.name.name) != name) continue;
      Target target{field.name.position, {}, {}};
      for (const RecordField& each : held->record->fields) {
        if (text(each.name) == name)
          target.description = std::string(held->name) + "." + std::string(name) + ":" + std::string(each.type->name);
      }
      return target;
    }
    if (const Decl* method = declaration_named(text(held->record->declaration->module), name)) return describe(*method);
  }
  return std::nullopt;
}

std::optional<Target> Meaning::target(const SourceFile& file, const Word& word) const {
  const std::string name = file.text.substr(word.begin, word.end - word.begin);
  const Position at = position_in(file, word.begin);
  const bool after_dot = word.begin > 0 && file.text[word.begin - 1] == '.';
  const std::string module = module_at(at);
  if (after_dot) {
    const auto before = word_at(file.text, word.begin - 1);
    if (!before || before->end != word.begin - 1) return std::nullopt;
    const std::string owner = file.text.substr(before->begin, before->end - before->begin);
    if (const checked::Local* local = local_named(position_in(file, before->begin), owner)) {
      return member_of(*local->type, name);
    }
    if (const std::string behind = module_behind(owner, module); !behind.empty()) {
      const Decl* declaration = declaration_named(behind, name);
      if (declaration != nullptr) return describe(*declaration);
    }
    const Decl* sum = declaration_named(module, owner);
    if (sum != nullptr && sum->kind == DeclKind::Sum) {
      for (const syntax::Variant& variant : sum->as<syntax::SumDecl>().variants) {
        if (text(variant.name.name) == name) return Target{variant.name.position, owner + "." + name, {}};
      }
    }
    // A field of a field: the type of what stands before the dot.
    if (const auto inner = target(file, *before)) {
      for (const Decl* declaration : compilation_.tree.declarations) {
        if (declaration->kind != DeclKind::Record) continue;
        for (const syntax::Field& field : declaration->as<syntax::RecordDecl>().fields) {
          if (text(field.name.name) == name && inner->description.ends_with(":" + text(declaration->name.name))) {
            return Target{field.name.position, text(declaration->name.name) + "." + name, {}};
          }
        }
      }
    }
    return std::nullopt;
  }
  if (const checked::Local* local = local_named(at, name)) {
    return Target{local->position, name + ":" + std::string(local->type->name), {}};
  }
  // Names of fields and variants where they are declared.
  for (const Decl* declaration : compilation_.tree.declarations) {
    if (!holds(declaration->span, at)) continue;
    if (declaration->kind == DeclKind::Record) {
      for (const syntax::Field& field : declaration->as<syntax::RecordDecl>().fields) {
        if (field.name.position == at) return Target{at, text(declaration->name.name) + "." + name, {}};
      }
    }
    if (declaration->kind == DeclKind::Sum) {
      for (const syntax::Variant& variant : declaration->as<syntax::SumDecl>().variants) {
        if (variant.name.position == at) return Target{at, text(declaration->name.name) + "." + name, {}};
      }
    }
  }
  if (const Decl* declaration = declaration_named(module, name)) return describe(*declaration);
  for (const Decl* declaration : compilation_.tree.declarations) {
    if (declaration->kind == DeclKind::Import && text(declaration->module) == module) {
      const auto& import = declaration->as<syntax::ImportDecl>();
      const bool imports = std::ranges::any_of(import.names, [&](const auto& each) { return text(each.name) == name; });
      if (!imports) continue;
      std::string whole;
      for (const syntax::Identifier& segment : import.path.segments) {
        whole += (whole.empty() ? "" : ".") + text(segment.name);
      }
      if (const Decl* imported = declaration_named(whole, name)) return describe(*imported);
    }
    if (declaration->kind == DeclKind::Sum && text(declaration->module) == module) {
      for (const syntax::Variant& variant : declaration->as<syntax::SumDecl>().variants) {
        if (text(variant.name.name) == name) {
          return Target{variant.name.position, text(declaration->name.name) + "." + name, {}};
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> Meaning::type_at(const SourceFile& file, const Word& word) const {
  const Type* type = type_of_expression_at(position_in(file, word.begin));
  if (type == nullptr || type->is(TypeKind::Void)) return std::nullopt;
  return std::string(type->name);
}

std::string Meaning::description(const SourceFile& file, const Word& word) const {
  if (const auto known = target(file, word); known && !known->description.empty()) {
    return "```cairn\n" + known->description + "\n```" + (known->comment.empty() ? "" : "\n\n" + known->comment);
  }
  const auto type = type_at(file, word);
  return type ? "```cairn\n" + *type + "\n```" : std::string();
}

std::vector<Meaning::Use> Meaning::uses(const Target& wanted, std::string_view name) const {
  std::vector<Use> all;
  for (const auto& [number, path] : analysis_.files()) {
    const SourceFile& file = analysis_.sources().file(number);
    for (const Word& word : words_of(file.text)) {
      if (std::string_view(file.text).substr(word.begin, word.end - word.begin) != name) continue;
      const auto meant = target(file, word);
      if (meant && meant->declared == wanted.declared) all.push_back({number, word});
    }
  }
  return all;
}

json Meaning::symbols(std::uint32_t number) const {
  json all = json::array();
  const SourceFile& file = analysis_.sources().file(number);
  const auto inside = [&](Position at) {
    return at.offset >= file.begin && at.offset <= file.begin + file.text.size();
  };
  for (const Decl* declaration : compilation_.tree.declarations) {
    if (!is_declared(declaration->kind) || !declaration->name.name || !declaration->derived.empty()) continue;
    if (!inside(declaration->position)) continue;
    const std::size_t begin = declaration->position.offset - file.begin;
    const std::size_t end = std::min<std::size_t>(declaration->span.end.offset - file.begin, file.text.size());
    const std::size_t name = declaration->name.position.offset - file.begin;
    all.push_back({{"name", text(declaration->name.name)},
                   {"kind", symbol_kind(declaration->kind)},
                   {"range", range_of(file.text, begin, end)},
                   {"selectionRange", range_of(file.text, name, token_end(file.text, name))}});
  }
  return all;
}

json Meaning::completions(const SourceFile& file, std::size_t offset) const {
  json all = json::array();
  const auto add = [&](const std::string& label, int kind, const std::string& detail = {}) {
    all.push_back({{"label", label}, {"kind", kind}});
    if (!detail.empty()) all.back()["detail"] = detail;
  };
  const Position at = position_in(file, offset);
  std::size_t begin = offset;
  if (const auto word = word_at(file.text, offset)) begin = word->begin;
  const std::string module = module_at(at);
  if (begin > 0 && file.text[begin - 1] == '.') {
    const auto owner_word = word_at(file.text, begin - 1);
    if (!owner_word) return all;
    const std::string owner = file.text.substr(owner_word->begin, owner_word->end - owner_word->begin);
    if (const checked::Local* local = local_named(at, owner)) {
      const Type* type = local->type;
      while ((type->is(TypeKind::Borrow) || type->is(TypeKind::View)) && type->element != nullptr) type = type->element;
      if (type->is(TypeKind::Record)) {
        for (const RecordField& field : type->record->fields) add(text(field.name), 5, std::string(field.type->name));
      }
      return all;
    }
    const std::string behind = module_behind(owner, module);
    for (const Decl* declaration : compilation_.tree.declarations) {
      if (!declaration->name.name) continue;
      if (!behind.empty() && is_declared(declaration->kind) && text(declaration->module) == behind &&
          declaration->is_public) {
        add(text(declaration->name.name), declaration->kind == DeclKind::Function ? 3 : 22);
      }
      if (declaration->kind == DeclKind::Sum && text(declaration->name.name) == owner) {
        for (const syntax::Variant& variant : declaration->as<syntax::SumDecl>().variants)
          add(text(variant.name.name), 20);
      }
    }
    return all;
  }
  for (const auto& function : compilation_.program.functions) {
    const checked::Function* outer = function.get();
    while (outer->parent != nullptr) outer = outer->parent;
    if (outer->declaration == nullptr || !holds(outer->declaration->span, at)) continue;
    for (const checked::Local* local : function->locals) {
      if (local->name && local->position <= at) add(text(local->name), 6, std::string(local->type->name));
    }
  }
  for (const Decl* declaration : compilation_.tree.declarations) {
    if (!is_declared(declaration->kind) || !declaration->name.name || text(declaration->module) != module) continue;
    add(text(declaration->name.name), declaration->kind == DeclKind::Function ? 3 : 22);
  }
  static constexpr const char* kWords[] = {
      "fn",    "let",   "mut",    "if",     "else",  "for",    "in",  "while",    "match",  "return", "struct",
      "enum",  "trait", "impl",   "import", "const", "test",   "pub", "parallel", "reduce", "scan",   "compact",
      "spawn", "wait",  "buffer", "stack",  "defer", "unsafe", "try", "derive",   "layout", "extern"};
  for (const char* word : kWords) add(word, 14);
  return all;
}

json Meaning::signature(const SourceFile& file, std::size_t offset) const {
  int depth = 0;
  int argument = 0;
  for (std::size_t at = std::min(offset, file.text.size()); at-- > 0;) {
    const char c = file.text[at];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == ';' && depth == 0) break;
    if (c == ',' && depth == 0) ++argument;
    if ((c == '[' || c == '{') && depth-- == 0) break;
    if (c != '(' || depth-- != 0) continue;
    const auto callee = word_at(file.text, at);
    if (!callee || callee->end != at) break;
    const auto found = target(file, *callee);
    if (!found) break;
    const std::string line = found->description.substr(0, found->description.find("\n//"));
    json parameters = json::array();
    for (const Decl* declaration : compilation_.tree.declarations) {
      if (declaration->name.position != found->declared || declaration->kind != DeclKind::Function) continue;
      for (const syntax::Parameter& parameter : declaration->as<syntax::FunctionDecl>().signature.parameters) {
        parameters.push_back({{"label", text(parameter.name.name)}});
      }
    }
    return {
        {"signatures", json::array({{{"label", line}, {"documentation", found->comment}, {"parameters", parameters}}})},
        {"activeSignature", 0},
        {"activeParameter", argument}};
  }
  return nullptr;
}

}  // namespace cairn::lsp
