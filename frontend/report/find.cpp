#include "frontend/report/find.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "frontend/check/effect_ceilings.hpp"
#include "frontend/check/rows.hpp"
#include "frontend/report/receipt.hpp"
#include "frontend/report/word_match.hpp"
#include "frontend/syntax/comments.hpp"
#include "frontend/syntax/parser.hpp"
#include "frontend/syntax/printer.hpp"

namespace cairn {

namespace {

using namespace syntax;

constexpr int kNameWeight = 3;
constexpr int kModuleWeight = 2;
constexpr int kCommentWeight = 1;

/// What a declaration's generic parameters stand for while a call is matched.
using Bindings = std::map<Name, const TypeExpr*>;

class TypeMatch {
 public:
  TypeMatch(const NameTable& names, List<const GenericParameter> generics) : names_(names), generics_(generics) {}

  /// Whether a value of the given type can be handed to a parameter of this type.
  bool accepts(const TypeExpr& parameter, const TypeExpr& given, Bindings& bindings) const {
    if (parameter.kind != syntax::TypeKind::Borrow) return same(parameter, given, bindings);
    const TypeExpr& value =
        given.kind == syntax::TypeKind::Borrow && given.has_extent == parameter.has_extent ? *given.inner : given;
    if (!parameter.has_extent) return same(*parameter.inner, value, bindings);
    if (given.kind == syntax::TypeKind::Borrow)
      return given.has_extent && same(*parameter.inner, *given.inner, bindings);
    const bool has_elements = value.kind == syntax::TypeKind::Named && !value.arguments.empty() &&
                              (last(value) == "Buf" || last(value) == "Array");
    return has_elements && same(*parameter.inner, *value.arguments[0], bindings);
  }

  /// Whether two types are one, the first one's parameters bound as needed.
  bool same(const TypeExpr& pattern, const TypeExpr& given, Bindings& bindings) const {
    if (is_parameter(pattern)) {
      const auto [bound, is_new] = bindings.try_emplace(pattern.path.last(), &given);
      return is_new || same(*bound->second, given, bindings);
    }
    if (pattern.kind != given.kind || pattern.arguments.size() != given.arguments.size()) return false;
    switch (pattern.kind) {
      case syntax::TypeKind::Natural:
        return pattern.natural.value == given.natural.value;
      case syntax::TypeKind::Named:
      case syntax::TypeKind::Dyn:
        if (last(pattern) != last(given)) return false;
        break;
      case syntax::TypeKind::Borrow:
        return pattern.mode == given.mode && pattern.has_extent == given.has_extent &&
               same(*pattern.inner, *given.inner, bindings);
      case syntax::TypeKind::Function:
        if ((pattern.inner == nullptr) != (given.inner == nullptr)) return false;
        if (pattern.inner != nullptr && !same(*pattern.inner, *given.inner, bindings)) return false;
        break;
    }
    for (std::size_t k = 0; k < pattern.arguments.size(); ++k) {
      if (!same(*pattern.arguments[k], *given.arguments[k], bindings)) return false;
    }
    return true;
  }

  std::string_view last(const TypeExpr& type) const { return names_.text(type.path.last()); }

 private:
  bool is_parameter(const TypeExpr& type) const {
    return type.kind == syntax::TypeKind::Named && !type.path.dotted() && type.arguments.empty() &&
           std::ranges::any_of(generics_, [&](const auto& each) { return each.name.name == type.path.last(); });
  }

  const NameTable& names_;
  List<const GenericParameter> generics_;
};

class Find {
 public:
  Find(Compilation& compilation, const FindQuery& query)
      : compilation_(compilation), names_(compilation.names), query_(query) {
    for (const std::string& word : query.words) {
      for (std::string& stemmed : stemmed_words(word)) words_.push_back(std::move(stemmed));
    }
    for (const std::string& type : query.takes) takes_.push_back(parsed(type));
    if (query.returns) returns_ = parsed(*query.returns);
    if (query.effects) ceiling_ = ceiling(*query.effects);
    for (const auto& function : compilation.program.functions) {
      if (function->declaration != nullptr && function->parent == nullptr)
        by_declaration_.emplace(function->declaration, function.get());
    }
  }

  FindResult run() {
    struct Ranked {
      int matched;
      int weight;
      int call;  // less is better
      std::string name;
      const Decl* declaration;
    };
    std::vector<Ranked> ranked;
    int most = 0;
    for (const Decl* declaration : compilation_.tree.declarations) {
      if (!is_searched(*declaration)) continue;
      int call = 0;
      if (!call_fits(*declaration, call) || !effects_fit(*declaration)) continue;
      int weight = 0;
      const int matched = match_words(*declaration, weight);
      if (!words_.empty() && matched == 0) continue;
      most = std::max(most, matched);
      ranked.push_back({matched, weight, call, full_name(*declaration), declaration});
    }
    std::erase_if(ranked, [&](const Ranked& each) { return each.matched < most; });
    std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) {
      return std::tuple(a.call, -a.weight, a.name) < std::tuple(b.call, -b.weight, b.name);
    });
    FindResult result;
    for (const Ranked& each : ranked) {
      if (result.hits.size() == query_.limit) break;
      result.hits.push_back(hit(*each.declaration));
    }
    result.omitted = ranked.size() - result.hits.size();
    return result;
  }

 private:
  // -------------------------------------------------------------------------------------------------------------- the
  // query

  const TypeExpr* parsed(const std::string& type) {
    const std::uint32_t file = compilation_.sources.add("the type asked for", type);
    return parse_type_text(compilation_.sources, file, names_, compilation_.arena);
  }

  Ceiling ceiling(std::string_view text) {
    Ceiling made;
    made.present = true;
    if (text.starts_with("effects(") && text.ends_with(")")) text = text.substr(8, text.size() - 9);
    std::vector<EffectLabel> labels;
    while (!text.empty()) {
      const std::size_t comma = std::min(text.find(','), text.size());
      std::string_view label = text.substr(0, comma);
      while (label.starts_with(' ')) label.remove_prefix(1);
      while (label.ends_with(' ')) label.remove_suffix(1);
      if (!label.empty()) labels.push_back({compilation_.arena.copy(label), {}});
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
    made.labels = compilation_.arena.copy(labels);
    return made;
  }

  // --------------------------------------------------------------------------------------------------------------
  // matching

  bool is_searched(const Decl& declaration) const {
    const SourceFile* file = compilation_.sources.file_at(declaration.position);
    const bool is_own = file != nullptr && file->own;
    if (!is_own && !is_exported(declaration)) return false;
    switch (declaration.kind) {
      case DeclKind::Function:
      case DeclKind::Extern:
      case DeclKind::Record:
      case DeclKind::Sum:
      case DeclKind::Trait:
      case DeclKind::Const:
      case DeclKind::Recipe:
      case DeclKind::Layout:
        return true;
      default:
        return false;
    }
  }

  static const Signature* signature_of(const Decl& declaration) {
    if (declaration.kind == DeclKind::Function) return &declaration.as<FunctionDecl>().signature;
    return declaration.kind == DeclKind::Extern ? &declaration.as<ExternDecl>().signature : nullptr;
  }

  /// Whether a call with values of the asked types would check. `call` ranks it: complete before open, the exact result
  /// before an Option or Result of it.
  bool call_fits(const Decl& declaration, int& call) const {
    if (takes_.empty() && returns_ == nullptr) return true;
    const Signature* signature = signature_of(declaration);
    if (signature == nullptr) return false;
    const TypeMatch match(names_, signature->generics);
    Bindings bindings;
    const std::vector<const Parameter*> open = needed(*signature);
    std::vector<bool> used(open.size(), false);
    for (const TypeExpr* given : takes_) {
      bool found = false;
      for (std::size_t k = 0; k < open.size() && !found; ++k) {
        if (used[k]) continue;
        Bindings attempt = bindings;
        if (!match.accepts(*open[k]->type, *given, attempt)) continue;
        bindings = std::move(attempt);
        used[k] = found = true;
      }
      if (!found) return false;
    }
    const bool is_complete = std::ranges::all_of(used, [](bool each) { return each; });
    call = is_complete || takes_.empty() ? 0 : 2;
    if (returns_ == nullptr) return true;
    if (signature->result == nullptr) return false;
    Bindings attempt = bindings;
    if (match.same(*signature->result, *returns_, attempt)) return true;
    const TypeExpr& result = *signature->result;
    const bool is_outcome = result.kind == syntax::TypeKind::Named && !result.arguments.empty() &&
                            (match.last(result) == "Option" || match.last(result) == "Result");
    call += 1;
    return is_outcome && match.same(*result.arguments[0], *returns_, bindings);
  }

  /// Parameters a call must give: extents of views are left out.
  static std::vector<const Parameter*> needed(const Signature& signature) {
    std::vector<const Parameter*> open;
    for (const Parameter& parameter : signature.parameters) {
      const bool is_extent = std::ranges::any_of(signature.parameters, [&](const Parameter& other) {
        return other.type->has_extent && other.type->extent_is_name &&
               other.type->extent_name.name == parameter.name.name;
      });
      if (!is_extent) open.push_back(&parameter);
    }
    return open;
  }

  bool effects_fit(const Decl& declaration) const {
    if (!ceiling_.present) return true;
    const auto found = by_declaration_.find(&declaration);
    if (found == by_declaration_.end() || found->second->row == nullptr) return false;
    return labels_beyond(*found->second->row, *found->second, ceiling_, names_).empty();
  }

  int match_words(const Decl& declaration, int& weight) const {
    const auto in_name = stemmed_words(names_.text(declaration.name.name));
    const auto in_module = stemmed_words(names_.text(declaration.module));
    const auto in_comment = stemmed_words(first_sentence(declaration));
    int matched = 0;
    for (const std::string& word : words_) {
      const auto has = [&](const std::vector<std::string>& list) {
        return std::ranges::find(list, word) != list.end();
      };
      const int own = (has(in_name) ? kNameWeight : 0) + (has(in_module) ? kModuleWeight : 0) +
                      (has(in_comment) ? kCommentWeight : 0);
      matched += own > 0 ? 1 : 0;
      weight += own;
    }
    return matched;
  }

  // ---------------------------------------------------------------------------------------------------------------
  // showing

  std::string full_name(const Decl& declaration) const {
    const std::string_view module = names_.text(declaration.module);
    return (module.empty() ? std::string() : std::string(module) + ".") +
           std::string(names_.text(declaration.name.name));
  }

  std::string first_sentence(const Decl& declaration) const {
    std::string text;
    if (!declaration.derived.empty()) return text;
    for (const std::string_view line : comment_above(compilation_.sources, declaration.position)) {
      text += (text.empty() ? "" : " ") + std::string(line);
    }
    const std::size_t end = text.find(". ");
    return end == std::string::npos ? text : text.substr(0, end + 1);
  }

  std::string shown(const Decl& declaration) const {
    if (declaration.kind == DeclKind::Function) return print_head(declaration.as<FunctionDecl>(), names_);
    if (declaration.kind == DeclKind::Recipe) return "recipe " + std::string(names_.text(declaration.name.name));
    return print(declaration, names_);
  }

  static std::string kind_text(DeclKind kind) {
    switch (kind) {
      case DeclKind::Function:
        return "fn";
      case DeclKind::Extern:
        return "extern";
      case DeclKind::Record:
        return "struct";
      case DeclKind::Sum:
        return "enum";
      case DeclKind::Trait:
        return "trait";
      case DeclKind::Const:
        return "const";
      case DeclKind::Recipe:
        return "recipe";
      default:
        return "layout";
    }
  }

  FindHit hit(const Decl& declaration) const {
    FindHit made;
    made.name = full_name(declaration);
    made.kind = kind_text(declaration.kind);
    made.signature = shown(declaration);
    made.comment = first_sentence(declaration);
    if (const auto found = by_declaration_.find(&declaration);
        found != by_declaration_.end() && found->second->row != nullptr) {
      for (const std::string& label : checked::texts(*found->second->row, *found->second, names_)) {
        made.effects += (made.effects.empty() ? "" : ", ") + label;
      }
      if (made.effects.empty()) made.effects = "none";
    }
    const Location at = compilation_.sources.locate(declaration.position);
    if (at.file != nullptr) made.place = at.file->path + ":" + std::to_string(at.line);
    return made;
  }

  Compilation& compilation_;
  NameTable& names_;
  const FindQuery& query_;
  std::vector<std::string> words_;
  std::vector<const TypeExpr*> takes_;
  const TypeExpr* returns_ = nullptr;
  Ceiling ceiling_;
  std::unordered_map<const Decl*, const checked::Function*> by_declaration_;
};

}  // namespace

FindResult find_declarations(Compilation& compilation, const FindQuery& query) {
  return Find(compilation, query).run();
}

}  // namespace cairn
