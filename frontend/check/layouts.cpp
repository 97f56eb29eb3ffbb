// Declared layouts: the expressions that define them, judged as they are evaluated (ownership and memory, 11.4), and
// the questions code may ask of them (11.5).
#include <algorithm>
#include <array>
#include <string>

#include "frontend/check/checker.hpp"
#include "frontend/check/layout_algebra.hpp"
#include "frontend/check/layouts.hpp"

namespace cairn {

using checked::LayoutValue;

namespace {

enum class Constructor : std::uint8_t { Rows, Cols, Strided, Pad, Swizzle, Transpose, Tile, Spread, Inverse };

/// A constructor's name, whether its first argument is a layout, and the least value of each of its naturals.
struct ConstructorForm {
  std::string_view name;
  Constructor constructor;
  bool takes_layout;
  std::uint8_t naturals;
  std::array<std::uint8_t, 4> least;
};
constexpr std::array kConstructors = {
    ConstructorForm{"rows", Constructor::Rows, false, 2, {1, 1, 0, 0}},
    ConstructorForm{"cols", Constructor::Cols, false, 2, {1, 1, 0, 0}},
    ConstructorForm{"strided", Constructor::Strided, false, 4, {1, 1, 0, 0}},
    ConstructorForm{"pad", Constructor::Pad, true, 1, {0, 0, 0, 0}},
    ConstructorForm{"swizzle", Constructor::Swizzle, true, 3, {1, 0, 0, 0}},
    ConstructorForm{"transpose", Constructor::Transpose, true, 0, {0, 0, 0, 0}},
    ConstructorForm{"tile", Constructor::Tile, true, 2, {1, 1, 0, 0}},
    ConstructorForm{"spread", Constructor::Spread, true, 4, {1, 1, 1, 1}},
    ConstructorForm{"inverse", Constructor::Inverse, true, 0, {0, 0, 0, 0}},
};

/// The segments of a (dotted) name; empty when the expression is none.
std::vector<Name> path_of(const syntax::Expr& expression) {
  if (expression.kind == syntax::ExprKind::Name) return {expression.as<syntax::NameExpr>().name};
  if (expression.kind != syntax::ExprKind::Member) return {};
  const auto& member = expression.as<syntax::MemberExpr>();
  std::vector<Name> path = path_of(*member.base);
  if (!path.empty()) path.push_back(member.member.name);
  return path;
}

}  // namespace

/// Evaluates the definition of one layout.
class LayoutEvaluator {
 public:
  LayoutEvaluator(Checker& checker, Name module) : checker_(checker), module_(module) {}

  LayoutValue evaluate(const syntax::Expr& expression) {
    if (expression.kind == syntax::ExprKind::Call) return construct(expression.as<syntax::CallExpr>());
    const std::vector<Name> path = path_of(expression);
    if (path.empty()) refuse(Code::Layout, expression.position, kWhatALayoutIs);
    const Symbol symbol = checker_.resolve(path, module_, kWantLayout, expression.position);
    if (!symbol) {
      refuse(Code::Layout, expression.position, "No layout is called " + text_of(path) + ". " + kWhatALayoutIs);
    }
    return named(symbol.declaration->as<syntax::LayoutDecl>(), expression.position);
  }

  /// The memo behind Checker::layout.
  static const LayoutValue& declared(Checker& checker, const syntax::LayoutDecl& declaration) {
    const auto [entry, is_new] = checker.layouts_.try_emplace(&declaration, nullptr);
    if (!is_new) {
      if (entry->second != nullptr) return *entry->second;
      refuse_circle(checker, declaration, declaration.value->position);
    }
    try {
      LayoutValue value = LayoutEvaluator(checker, declaration.module).evaluate(*declaration.value);
      value.declaration = &declaration;
      if (const auto kept = layout_algebra::judge_declared(value); !kept) {
        refuse(kept.error().code, declaration.value->position,
               "Layout " + std::string(checker.text(declaration.name.name)) + ": " + kept.error().message);
      }
      const LayoutValue* made = checker.arena().make<LayoutValue>(value);
      checker.layouts_[&declaration] = made;
      return *made;
    } catch (...) {
      checker.layouts_.erase(&declaration);
      throw;
    }
  }

 private:
  static constexpr const char* kWhatALayoutIs =
      "A layout is the name of a declared one, or one of rows, cols, strided, pad, swizzle, transpose, tile, spread, "
      "inverse.";

  [[noreturn]] static void refuse_circle(Checker& checker, const syntax::LayoutDecl& declaration, Position position) {
    refuse(Code::Layout, position,
           "Layout " + std::string(checker.text(declaration.name.name)) + " is defined through itself.");
  }

  const LayoutValue& named(const syntax::LayoutDecl& declaration, Position use) {
    const auto found = checker_.layouts_.find(&declaration);
    if (found != checker_.layouts_.end() && found->second == nullptr) refuse_circle(checker_, declaration, use);
    return declared(checker_, declaration);
  }

  std::string text_of(const std::vector<Name>& path) const {
    std::string text;
    for (const Name name : path) text += (text.empty() ? "" : ".") + std::string(checker_.text(name));
    return text;
  }

  LayoutValue construct(const syntax::CallExpr& call) {
    const ConstructorForm& form = form_of(call);
    const std::size_t taken = form.naturals + (form.takes_layout ? 1U : 0U);
    if (call.arguments.size() != taken) {
      refuse(Code::Arity, call.position,
             std::string(form.name) + " takes " + std::to_string(taken) + (taken == 1 ? " argument" : " arguments") +
                 "; " + std::to_string(call.arguments.size()) + " given.");
    }
    LayoutValue inner;
    if (form.takes_layout) inner = evaluate(*call.arguments[0]);
    std::array<std::uint64_t, 4> n{};
    for (std::size_t k = 0; k < form.naturals; ++k) {
      const syntax::Expr& argument = *call.arguments[k + (form.takes_layout ? 1 : 0)];
      n[k] = checker_.constant_natural(argument, Scope{module_, {}, {}, nullptr});
      if (n[k] < form.least[k]) {
        refuse(Code::Layout, argument.position,
               "This number of " + std::string(form.name) + " is at least " + std::to_string(form.least[k]) +
                   "; it is " + std::to_string(n[k]) + ".");
      }
    }
    const auto made = apply(form.constructor, inner, n);
    if (!made) refuse(made.error().code, call.position, made.error().message);
    return *made;
  }

  const ConstructorForm& form_of(const syntax::CallExpr& call) const {
    if (call.callee->kind == syntax::ExprKind::Name) {
      const std::string_view name = checker_.text(call.callee->as<syntax::NameExpr>().name);
      const auto* found = std::ranges::find(kConstructors, name, &ConstructorForm::name);
      if (found != kConstructors.end()) return *found;
    }
    refuse(Code::Layout, call.position, kWhatALayoutIs);
  }

  layout_algebra::Result apply(Constructor constructor, const LayoutValue& inner,
                               const std::array<std::uint64_t, 4>& n) {
    Arena& arena = checker_.arena();
    switch (constructor) {
      case Constructor::Rows:
        return layout_algebra::rows(arena, n[0], n[1]);
      case Constructor::Cols:
        return layout_algebra::columns(arena, n[0], n[1]);
      case Constructor::Strided:
        return layout_algebra::strided(arena, n[0], n[1], n[2], n[3]);
      case Constructor::Pad:
        return layout_algebra::pad(arena, inner, n[0]);
      case Constructor::Swizzle:
        return layout_algebra::swizzle(inner, n[0], n[1], n[2]);
      case Constructor::Transpose:
        return layout_algebra::transpose(arena, inner);
      case Constructor::Tile:
        return layout_algebra::tile(arena, inner, n[0], n[1]);
      case Constructor::Spread:
        return layout_algebra::spread(arena, inner, n[0], n[1], n[2], n[3]);
      case Constructor::Inverse:
        return layout_algebra::inverse(arena, inner);
    }
    return {};
  }

  Checker& checker_;
  Name module_;
};

const LayoutValue& Checker::layout(const syntax::LayoutDecl& declaration) {
  return LayoutEvaluator::declared(*this, declaration);
}

void judge_declared_layouts(Checker& checker) {
  for (const syntax::Decl* declaration : checker.declarations()) {
    if (declaration->kind != syntax::DeclKind::Layout) continue;
    checker.program().layouts.push_back(&checker.layout(declaration->as<syntax::LayoutDecl>()));
  }
}

namespace {

struct QuestionForm {
  std::string_view name;
  LayoutQuestion question;
};
constexpr std::array kQuestions = {
    QuestionForm{"size", LayoutQuestion::Size},     QuestionForm{"cosize", LayoutQuestion::Cosize},
    QuestionForm{"extent", LayoutQuestion::Extent}, QuestionForm{"participants", LayoutQuestion::Participants},
    QuestionForm{"values", LayoutQuestion::Values}, QuestionForm{"at", LayoutQuestion::At},
    QuestionForm{"row", LayoutQuestion::Row},       QuestionForm{"col", LayoutQuestion::Col},
};

bool is_of_spreads_alone(LayoutQuestion question) {
  return question == LayoutQuestion::Row || question == LayoutQuestion::Col ||
         question == LayoutQuestion::Participants || question == LayoutQuestion::Values;
}

std::size_t arguments_of(const LayoutValue& layout, LayoutQuestion question) {
  switch (question) {
    case LayoutQuestion::Extent:
      return 1;
    case LayoutQuestion::At:
      return layout.is_spread ? 2 : layout.rank();
    case LayoutQuestion::Row:
    case LayoutQuestion::Col:
      return 2;
    default:
      return 0;
  }
}

}  // namespace

LayoutQuestion layout_question(const LayoutValue& layout, std::string_view method, std::size_t arguments,
                               Position call) {
  const auto* form = std::ranges::find(kQuestions, method, &QuestionForm::name);
  if (form == kQuestions.end()) {
    refuse(Code::Callee, call,
           "A layout has no " + std::string(method) +
               ". It answers at, size, cosize and extent, and a spread row, col, participants and values too.");
  }
  if (!layout.is_spread && is_of_spreads_alone(form->question)) {
    refuse(Code::Layout, call, "Only a spread answers " + std::string(method) + ", and this is a storage layout.");
  }
  const std::size_t taken = arguments_of(layout, form->question);
  if (arguments != taken) {
    refuse(Code::Arity, call,
           std::string(method) + " takes " + std::to_string(taken) + (taken == 1 ? " argument" : " arguments") +
               " here; " + std::to_string(arguments) + " given.");
  }
  return form->question;
}

std::uint64_t layout_count(const LayoutValue& layout, LayoutQuestion question, std::uint64_t dimension, Position call) {
  switch (question) {
    case LayoutQuestion::Size:
      return layout.size();
    case LayoutQuestion::Cosize:
      return layout.cosize();
    case LayoutQuestion::Participants:
      return layout.participants();
    case LayoutQuestion::Values:
      return layout.values();
    default:
      break;
  }
  if (dimension >= layout.rank()) {
    refuse(Code::Layout, call,
           "This layout has dimensions 0 to " + std::to_string(layout.rank() - 1) + "; it has no " +
               std::to_string(dimension) + ".");
  }
  return layout.extent(dimension);
}

void require_same_shape(const LayoutValue& storage, const LayoutValue& spread, Position call) {
  if (storage.rank() == 2 && storage.extent(0) == spread.extent(0) && storage.extent(1) == spread.extent(1)) return;
  refuse(Code::LayoutConsumer, call,
         "The coordinates are of a tile of " + std::to_string(spread.extent(0)) + " x " +
             std::to_string(spread.extent(1)) + ", and this layout has another shape.");
}

}  // namespace cairn
