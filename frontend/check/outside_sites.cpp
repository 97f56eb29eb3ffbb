#include "frontend/check/outside_sites.hpp"

#include <algorithm>
#include <unordered_map>

#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/place_paths.hpp"
#include "frontend/check/tree_walk.hpp"
#include "frontend/syntax/comparisons.hpp"

namespace cairn::outside {

namespace {

using checked::Block;
using checked::ConcurrentOp;
using checked::Expr;
using checked::ExprKind;
using checked::Local;
using checked::Stmt;
using checked::StmtKind;
using syntax::BinaryOp;

constexpr unsigned kMostNested = 500;  // operators in one another; deeper expressions are not followed
constexpr unsigned kMostLets = 4;      // immutable lets outside that are written out, one in another

bool is_array(const Type* type) {
  return type->is(TypeKind::View) || type->is(TypeKind::Buf) || type->is(TypeKind::Array);
}

class Collector {
 public:
  Collector(const checked::ThreadBody& body, const CooperativeText& text) : body_(body), text_(text) {}

  Sites run(std::span<const checked::LetStmt* const> grid) {
    const auto names = body_.body->parameters;
    for (std::size_t k = 0; k < body_.block_names; ++k) {
      const auto extent = polynomial(*grid[k]->value, 0);
      if (extent) note_least(*extent);
      bind_digit(*names[k], Polynomial(0), extent, true);
    }
    for (std::size_t k = body_.block_names; k < names.size(); ++k) {
      const std::uint64_t extent = body_.extents[k - body_.block_names];
      bind_digit(*names[k], Polynomial(0), Polynomial(static_cast<Polynomial::Wide>(extent)), true);
    }
    block(*body_.body->body);
    return std::move(sites_);
  }

 private:
  // ---------------------------------------------------------------------------------------------------------- atoms

  std::uint32_t new_atom(std::string name) {
    sites_.names.push_back(std::move(name));
    return static_cast<std::uint32_t>(sites_.names.size() - 1);
  }

  std::uint32_t bind_digit(const Local& local, std::optional<Polynomial> lo, std::optional<Polynomial> hi, bool agent) {
    const std::uint32_t atom = new_atom(local.name ? text_.name(local) : "_");
    sites_.digits.push_back({atom, std::move(lo), std::move(hi), agent});
    env_[&local] = Polynomial::atom(atom);
    return atom;
  }

  /// Blocks run, so the extent of a block name is at least 1.
  void note_least(const Polynomial& extent) {
    std::optional<std::uint32_t> only;
    for (const auto& [monomial, coefficient] : extent.terms()) {
      if (monomial.empty()) continue;
      if (monomial.size() > 1 || only || coefficient <= 0) return;
      only = monomial.front();
    }
    if (only) sites_.least[*only] = 1;
  }

  [[nodiscard]] bool mentions_digit(const Polynomial& polynomial) const {
    return std::ranges::any_of(sites_.digits, [&](const Digit& each) { return polynomial.mentions(each.atom); });
  }

  Polynomial outside_atom(const Local& local, bool is_length) {
    const auto [at, added] = outside_.try_emplace({&local, is_length}, 0);
    if (added) at->second = new_atom(is_length ? "len(" + text_.name(local) + ")" : text_.name(local));
    return Polynomial::atom(at->second);
  }

  // ---------------------------------------------------------------------------------------------------- polynomials

  static std::optional<Polynomial> followed(Polynomial made) {
    return made.is_followed() ? std::optional(std::move(made)) : std::nullopt;
  }

  /// The polynomial of a usize expression; `depth`: immutable lets written out so far.
  std::optional<Polynomial> polynomial(const Expr& e, unsigned depth) {
    if (e.type == nullptr || !e.type->is(TypeKind::Usize) || nested_ > kMostNested) return std::nullopt;
    ++nested_;
    auto made = polynomial_of(e, depth);
    --nested_;
    return made;
  }

  std::optional<Polynomial> polynomial_of(const Expr& e, unsigned depth) {
    switch (e.kind) {
      case ExprKind::Integer:
        return Polynomial(static_cast<Polynomial::Wide>(e.as<checked::IntegerExpr>().bits));
      case ExprKind::Load:
        return polynomial(*e.as<checked::LoadExpr>().place, depth);
      case ExprKind::Local:
        return of_local(*e.as<checked::LocalExpr>().local, depth);
      case ExprKind::Convert:
        return polynomial(*e.as<checked::ConvertExpr>().operand, depth);
      case ExprKind::Length:
        return of_length(*e.as<checked::LengthExpr>().of, depth);
      case ExprKind::Binary: {
        const auto& binary = e.as<checked::BinaryExpr>();
        const auto left = polynomial(*binary.left, depth);
        const auto right = polynomial(*binary.right, depth);
        if (!left || !right) return std::nullopt;
        switch (binary.op) {
          case BinaryOp::Add:
            return followed(*left + *right);
          case BinaryOp::Subtract:
            return followed(*left - *right);
          case BinaryOp::Multiply:
            return Polynomial::product(*left, *right);
          default:
            return opaque(static_cast<std::uint32_t>(binary.op), *left, *right);
        }
      }
      case ExprKind::Builtin: {
        const auto& call = e.as<checked::BuiltinExpr>();
        if (call.arguments.size() != 2) return std::nullopt;
        const auto left = polynomial(*call.arguments[0], depth);
        const auto right = left ? polynomial(*call.arguments[1], depth) : std::nullopt;
        return right ? opaque(1000 + static_cast<std::uint32_t>(call.builtin), *left, *right) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  /// Equal operands give equal atoms; an operation of a digit is not followed.
  std::optional<Polynomial> opaque(std::uint32_t operation, const Polynomial& left, const Polynomial& right) {
    if (mentions_digit(left) || mentions_digit(right)) return std::nullopt;
    const auto [at, added] = opaques_.try_emplace({operation, {left, right}}, 0);
    if (added) at->second = new_atom("(..)");
    return Polynomial::atom(at->second);
  }

  std::optional<Polynomial> of_local(const Local& local, unsigned depth) {
    if (local.owner == body_.body) {
      const auto known = env_.find(&local);
      return known == env_.end() ? std::nullopt : known->second;
    }
    // Written out, a let says what a name stands for; a name that may have changed since then ends that.
    if (local.bound != nullptr && depth < kMostLets) {
      if (const auto written = polynomial(*local.bound, depth + 1)) return written;
    }
    if (local.is_mutable && depth > 0) return std::nullopt;
    return outside_atom(local, false);
  }

  std::optional<Polynomial> of_length(const Expr& of, unsigned depth) {
    const Type& type = *of.type;
    if (type.is(TypeKind::Array)) return Polynomial(static_cast<Polynomial::Wide>(type.count));
    if (!type.is(TypeKind::View) && !type.is(TypeKind::Buf)) return std::nullopt;
    if (type.is(TypeKind::View) && type.extent.kind == Extent::Kind::Literal) {
      return Polynomial(static_cast<Polynomial::Wide>(type.extent.literal));
    }
    if (of.kind != ExprKind::Local) return std::nullopt;
    const Local& local = *of.as<checked::LocalExpr>().local;
    if (local.extent != nullptr) return of_local(*local.extent, depth);
    if (local.owner == body_.body || (type.is(TypeKind::Buf) && depth > 0)) return std::nullopt;
    return outside_atom(local, true);
  }

  // --------------------------------------------------------------------------------------------------------- facts

  void learn(const Expr& condition, bool truth, unsigned nested = 0) {
    if (nested > kMostNested) return;
    if (condition.kind == ExprKind::Logical) {
      const auto& logical = condition.as<checked::LogicalExpr>();
      if (logical.is_and != truth) return;
      learn(*logical.left, truth, nested + 1);
      learn(*logical.right, truth, nested + 1);
      return;
    }
    if (condition.kind == ExprKind::Unary && condition.as<checked::UnaryExpr>().op == syntax::UnaryOp::Not) {
      return learn(*condition.as<checked::UnaryExpr>().operand, !truth, nested + 1);
    }
    if (condition.kind != ExprKind::Binary) return;
    const auto& binary = condition.as<checked::BinaryExpr>();
    if (binary.op < BinaryOp::Equal) return;
    const auto left = polynomial(*binary.left, 0);
    const auto right = left ? polynomial(*binary.right, 0) : std::nullopt;
    if (!right) return;
    BinaryOp op = binary.op;
    if (!truth) op = syntax::negated(op);
    const Polynomial one(1);
    switch (op) {
      case BinaryOp::Less:
        facts_.push_back({*left, *right - one});
        return;
      case BinaryOp::LessEqual:
        facts_.push_back({*left, *right});
        return;
      case BinaryOp::Greater:
        facts_.push_back({*right, *left - one});
        return;
      case BinaryOp::GreaterEqual:
        facts_.push_back({*right, *left});
        return;
      case BinaryOp::Equal:
        facts_.push_back({*left, *right});
        facts_.push_back({*right, *left});
        return;
      default:
        return;
    }
  }

  // --------------------------------------------------------------------------------------------------------- sites

  [[nodiscard]] bool is_outside(const Local* root) const {
    return root != nullptr && root->owner != body_.body && root->kind != checked::LocalKind::Shared &&
           root->kind != checked::LocalKind::Pipeline;
  }

  void site(const Local& root, std::optional<Polynomial> index, bool writes, bool atomic, Position at) {
    auto array = std::ranges::find(sites_.arrays, &root, &OutsideArray::root);
    if (array == sites_.arrays.end()) {
      sites_.arrays.push_back({&root, {}});
      array = sites_.arrays.end() - 1;
    }
    array->sites.push_back({std::move(index), writes, atomic, facts_, at});
  }

  /// The element step of a place that is nearest to its root, when no field lies between: an index of the array itself.
  static const checked::ElementExpr* first_element(const Expr& place) {
    const checked::ElementExpr* found = nullptr;
    for (const Expr* at = &place; at != nullptr; at = place_base(at)) {
      if (at->kind == ExprKind::Element) found = &at->as<checked::ElementExpr>();
    }
    return found;
  }
  static bool has_field(const Expr& place) {
    for (const Expr* at = &place; at != nullptr; at = place_base(at)) {
      if (at->kind == ExprKind::Field) return true;
    }
    return false;
  }

  void element(const Expr& place, bool writes, bool atomic, Position at) {
    const Local* root = root_local(&place);
    if (!is_outside(root)) return;
    const checked::ElementExpr* first = first_element(place);
    if (first == nullptr) return;
    std::optional<Polynomial> index;
    if (!has_field(*first->base)) index = polynomial(*first->index, 0);
    site(*root, std::move(index), writes, atomic, at);
  }

  /// lo .. hi of an array, where they are known.
  void range(const Local& root, const std::optional<Polynomial>& lo, const std::optional<Polynomial>& count,
             bool writes, Position at) {
    if (!lo) return site(root, std::nullopt, writes, false, at);
    const std::uint32_t atom = new_atom("an element of the part");
    sites_.digits.push_back({atom, Polynomial(0), count, false});
    site(root, *lo + Polynomial::atom(atom), writes, false, at);
  }

  struct Bounds {
    std::optional<Polynomial> lo;
    std::optional<Polynomial> hi;
  };
  Bounds bounds_of(const checked::PartExpr& part) {
    Bounds bounds{polynomial(*part.lo, 0), polynomial(*part.hi, 0)};
    if (part.base->kind != ExprKind::Part) {
      if (has_field(*part.base) || first_element(*part.base) != nullptr) return {};
      return bounds;
    }
    const Bounds outer = bounds_of(part.base->as<checked::PartExpr>());
    const auto shifted = [&](std::optional<Polynomial>& bound) {
      bound = bound && outer.lo ? followed(*bound + *outer.lo) : std::nullopt;
    };
    shifted(bounds.lo);
    shifted(bounds.hi);
    return bounds;
  }

  /// What an argument lends of an outside array.
  void lent(const Expr& argument, bool writes) {
    switch (argument.kind) {
      case ExprKind::Lend:
        return lent(*argument.as<checked::LendExpr>().place, argument.as<checked::LendExpr>().mode == BorrowMode::Rw);
      case ExprKind::LendDyn:
        return lent(*argument.as<checked::LendDynExpr>().place,
                    argument.as<checked::LendDynExpr>().mode == BorrowMode::Rw);
      case ExprKind::Local:
      case ExprKind::ViewOf:
      case ExprKind::Part:
      case ExprKind::Element:
      case ExprKind::Field:
        break;
      default:
        return;
    }
    const Local* root = root_local(&argument);
    if (!is_outside(root)) return;
    const Position at = argument.position;
    if (argument.kind == ExprKind::Part) {
      const Bounds bounds = bounds_of(argument.as<checked::PartExpr>());
      std::optional<Polynomial> count;
      if (bounds.lo && bounds.hi) count = *bounds.hi - *bounds.lo;
      return range(*root, bounds.lo, count, writes, at);
    }
    if (first_element(argument) != nullptr) return element(argument, writes, false, at);
    const Expr& array = argument.kind == ExprKind::ViewOf ? *argument.as<checked::ViewOfExpr>().place : argument;
    if (!is_array(array.type)) return;
    if (array.kind != ExprKind::Local) return site(*root, std::nullopt, writes, false, at);
    range(*root, Polynomial(0), of_length(array, 0), writes, at);
  }

  // ---------------------------------------------------------------------------------------------------- expressions

  void expression(const Expr& root) {
    if (root.kind != ExprKind::Binary) return operand(root);
    const std::vector<const Expr*> chain = checked::left_chain(root);
    operand(checked::left_of(*chain.front()));
    for (const Expr* operation : chain) expression(checked::right_of(*operation));
  }

  void operands(const Expr& root) {
    checked::for_each_operand(root, [this](const Expr& each) { expression(each); });
  }

  void operand(const Expr& root) {
    switch (root.kind) {
      case ExprKind::Load:
        operands(root);
        return element(*root.as<checked::LoadExpr>().place, false, false, root.as<checked::LoadExpr>().place->position);
      case ExprKind::Take:
        operands(root);
        return exchanged(*root.as<checked::TakeExpr>().place);
      case ExprKind::Swap:
        operands(root);
        exchanged(*root.as<checked::SwapExpr>().left);
        return exchanged(*root.as<checked::SwapExpr>().right);
      case ExprKind::Call: {
        const auto& call = root.as<checked::CallExpr>();
        operands(root);
        for (std::size_t k = 0; k < call.arguments.size(); ++k) {
          const Type& type = *call.callee->parameters[k]->type;
          lent(*call.arguments[k], type.is(TypeKind::View) && type.mode == BorrowMode::Rw);
        }
        return;
      }
      case ExprKind::CallValue:
        operands(root);
        for (const Expr* argument : root.as<checked::CallValueExpr>().arguments) lent(*argument, false);
        return;
      case ExprKind::CallDyn: {
        const auto& call = root.as<checked::CallDynExpr>();
        operands(root);
        for (std::size_t k = 0; k < call.arguments.size(); ++k) {
          const Expr& argument = k == call.receiver_index ? *call.receiver : *call.arguments[k];
          lent(argument, argument.type->is(TypeKind::View) && argument.type->mode == BorrowMode::Rw);
        }
        return;
      }
      case ExprKind::Concurrent:
        return concurrent(root.as<checked::ConcurrentExpr>());
      default:
        return operands(root);
    }
  }

  void exchanged(const Expr& place) {
    element(place, false, false, place.position);
    element(place, true, false, place.position);
  }

  void concurrent(const checked::ConcurrentExpr& call) {
    operands(call);
    if (checked::is_element_update(call.op)) return element(*call.receiver, true, true, call.receiver->position);
    if (call.op == ConcurrentOp::PipelineFill) return lent(*call.arguments.front(), false);
    if (!checked::is_wide_access(call.op)) {
      for (const Expr* argument : call.arguments) lent(*argument, argument->kind == ExprKind::Lend);
      return;
    }
    const Local* root = root_local(call.receiver);
    if (!is_outside(root)) return;
    const bool writes = call.op == ConcurrentOp::StoreWide;
    const Type* wide = writes ? call.arguments[1]->type : call.type;
    std::optional<Polynomial> index;
    if (!has_field(*call.receiver) && call.receiver->kind != ExprKind::Part) index = polynomial(*call.arguments[0], 0);
    range(*root, index, Polynomial(static_cast<Polynomial::Wide>(wide->count)), writes, call.receiver->position);
  }

  // ----------------------------------------------------------------------------------------------------- statements

  void block(const Block& body) {
    for (const Stmt* each : body.statements) statement(*each);
  }

  void under(const Expr& condition, bool truth, const Block* body) {
    if (body == nullptr) return;
    const std::size_t known = facts_.size();
    learn(condition, truth);
    block(*body);
    facts_.resize(known);
  }

  void statement(const Stmt& root) {
    switch (root.kind) {
      case StmtKind::Let: {
        const auto& let = root.as<checked::LetStmt>();
        expression(*let.value);
        if (!let.local->is_mutable) env_[let.local] = polynomial(*let.value, 0);
        return;
      }
      case StmtKind::If: {
        const auto& branch = root.as<checked::IfStmt>();
        expression(*branch.condition);
        under(*branch.condition, true, branch.then);
        return under(*branch.condition, false, branch.otherwise);
      }
      case StmtKind::For: {
        const auto& loop = root.as<checked::ForStmt>();
        if (loop.lo != nullptr) expression(*loop.lo);
        expression(*loop.hi);
        const auto lo = loop.lo == nullptr ? std::optional(Polynomial(0)) : polynomial(*loop.lo, 0);
        bind_digit(*loop.binder, lo, polynomial(*loop.hi, 0), false);
        return block(*loop.body);
      }
      case StmtKind::Assign: {
        const auto& assignment = root.as<checked::AssignStmt>();
        expression(*assignment.value);
        operands(*assignment.place);
        return element(*assignment.place, true, false, assignment.place->position);
      }
      case StmtKind::Compound: {
        const auto& compound = root.as<checked::CompoundStmt>();
        operands(*compound.place);
        expression(*compound.value);
        return exchanged(*compound.place);
      }
      case StmtKind::Asm:
        return assembly(root.as<checked::AsmStmt>());
      default:
        break;
    }
    checked::for_each_part(
        root, [&](const Expr& value) { expression(value); }, [&](const Block& nested) { block(nested); },
        [](const checked::Function&) {});
  }

  void assembly(const checked::AsmStmt& statement) {
    for (const checked::AsmOperand& operand : statement.operands) {
      if (operand.value == nullptr) continue;
      if (!operand.address) {
        expression(*operand.value);
        continue;
      }
      const Local* root = root_local(operand.value);
      if (!is_outside(root)) continue;
      for (const std::string_view label : statement.effects) {
        const std::size_t colon = label.find(':');
        if (colon == std::string_view::npos || label.substr(colon + 1) != text_.names.text(root->name)) continue;
        lent(*operand.value, label.starts_with("write"));
      }
    }
  }

  const checked::ThreadBody& body_;
  const CooperativeText& text_;
  Sites sites_;
  std::vector<Fact> facts_;
  unsigned nested_ = 0;
  std::unordered_map<const Local*, std::optional<Polynomial>> env_;
  std::map<std::pair<const Local*, bool>, std::uint32_t> outside_;
  std::map<std::pair<std::uint32_t, std::pair<Polynomial, Polynomial>>, std::uint32_t> opaques_;
};

}  // namespace

const Digit* Sites::digit(std::uint32_t atom) const {
  const auto found = std::ranges::find(digits, atom, &Digit::atom);
  return found == digits.end() ? nullptr : &*found;
}

std::string Sites::text(const Polynomial& polynomial) const {
  std::string out;
  for (auto term = polynomial.terms().rbegin(); term != polynomial.terms().rend(); ++term) {
    const bool negative = term->second < 0;
    const auto size = static_cast<std::uint64_t>(negative ? -term->second : term->second);
    out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    std::string product;
    for (const std::uint32_t atom : term->first) product += (product.empty() ? "" : " * ") + names[atom];
    if (product.empty() || size != 1) product = std::to_string(size) + (product.empty() ? "" : " * ") + product;
    out += product;
  }
  return out.empty() ? "0" : out;
}

Sites collect_sites(const checked::ThreadBody& body, std::span<const checked::LetStmt* const> grid,
                    const CooperativeText& text) {
  return Collector(body, text).run(grid);
}

}  // namespace cairn::outside
