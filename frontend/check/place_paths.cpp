#include "frontend/check/place_paths.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

namespace cairn {

using checked::Expr;
using checked::ExprKind;

namespace {

/// One step towards the root, through what reads or lends a place as well; null at a root or a value.
const Expr* inner(const Expr* node) {
  switch (node->kind) {
    case ExprKind::Load:
      return node->as<checked::LoadExpr>().place;
    case ExprKind::Lend:
      return node->as<checked::LendExpr>().place;
    case ExprKind::LendDyn:
      return node->as<checked::LendDynExpr>().place;
    default:
      return place_base(node);
  }
}

std::size_t chain_length(const Expr* chain) {
  std::size_t length = 0;
  for (; chain->kind == ExprKind::Field; chain = chain->as<checked::FieldExpr>().base) ++length;
  return length;
}

const Expr* shortened(const Expr* chain, std::size_t by) {
  while (by-- > 0) chain = chain->as<checked::FieldExpr>().base;
  return chain;
}

bool same_or_prefix(const Expr* left, const Expr* right) {
  const std::size_t a = chain_length(left);
  const std::size_t b = chain_length(right);
  return a <= b ? same_chain(left, shortened(right, b - a)) : same_chain(shortened(left, a - b), right);
}

bool known_at_most(const PartBound& left, const PartBound& right) {
  return left == right ||
         (left.kind == PartBound::Kind::Number && right.kind == PartBound::Kind::Number && left.number <= right.number);
}

std::optional<std::uint64_t> folded(const Expr* node) {
  switch (node->kind) {
    case ExprKind::Integer:
      return node->as<checked::IntegerExpr>().bits;
    case ExprKind::Convert:
      return folded(node->as<checked::ConvertExpr>().operand);
    case ExprKind::Binary: {
      const auto& binary = node->as<checked::BinaryExpr>();
      const auto a = folded(binary.left);
      const auto b = a ? folded(binary.right) : std::nullopt;
      if (!b) return std::nullopt;
      std::uint64_t result = 0;
      switch (binary.op) {
        case checked::BinaryOp::Add:
          return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
        case checked::BinaryOp::Subtract:
          return __builtin_sub_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
        case checked::BinaryOp::Multiply:
          return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
        case checked::BinaryOp::Divide:
          return *b == 0 ? std::nullopt : std::optional(*a / *b);
        case checked::BinaryOp::Remainder:
          return *b == 0 ? std::nullopt : std::optional(*a % *b);
        default:
          return std::nullopt;
      }
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

const Expr* place_base(const Expr* place) {
  switch (place->kind) {
    case ExprKind::Field:
      return place->as<checked::FieldExpr>().base;
    case ExprKind::Element:
      return place->as<checked::ElementExpr>().base;
    case ExprKind::ViewOf:
      return place->as<checked::ViewOfExpr>().place;
    case ExprKind::Part:
      return place->as<checked::PartExpr>().base;
    default:
      return nullptr;
  }
}

checked::Local* root_local(const Expr* place) {
  while (place != nullptr && place->kind != ExprKind::Local) place = inner(place);
  return place == nullptr ? nullptr : place->as<checked::LocalExpr>().local;
}

PartBound part_bound(const Expr* bound) {
  if (bound->kind == ExprKind::Load) {
    const Expr* place = bound->as<checked::LoadExpr>().place;
    if (place->kind != ExprKind::Local) return {};
    const checked::Local* local = place->as<checked::LocalExpr>().local;
    if (local->is_mutable || local->type->is(TypeKind::Borrow)) return {};
    return {PartBound::Kind::Name, 0, local};
  }
  if (const auto number = folded(bound)) return {PartBound::Kind::Number, *number, nullptr};
  return {};
}

bool same_chain(const Expr* left, const Expr* right) {
  for (;;) {
    if (left == right) return true;
    if (left->kind != right->kind) return false;
    if (left->kind == ExprKind::Local) {
      return left->as<checked::LocalExpr>().local == right->as<checked::LocalExpr>().local;
    }
    if (left->kind != ExprKind::Field) return false;
    const auto& a = left->as<checked::FieldExpr>();
    const auto& b = right->as<checked::FieldExpr>();
    if (a.index != b.index) return false;
    left = a.base;
    right = b.base;
  }
}

LentPlace place_path(const Expr* place, bool writes) {
  LentPlace path;
  path.writes = writes;
  const Expr* base = nullptr;
  bool parted = false;
  for (const Expr* node = place; node != nullptr; node = inner(node)) {
    switch (node->kind) {
      case ExprKind::Local:
        // A view stands for its elements.
        if (node->type->is(TypeKind::View) && path.rest == LentPlace::Rest::Whole && !parted) {
          path.rest = LentPlace::Rest::Elements;
        }
        path.base = base == nullptr ? node : base;
        return path;
      case ExprKind::Field:
        if (base == nullptr) base = node;
        break;
      case ExprKind::Element:
        path.rest = LentPlace::Rest::Elements;
        parted = false;
        base = nullptr;
        break;
      case ExprKind::ViewOf:
        if (!parted) path.rest = LentPlace::Rest::Elements;
        break;
      case ExprKind::Part:
        // A part of a part has bounds nobody compares.
        if (parted) {
          path.lo = {};
          path.hi = {};
        } else {
          const auto& part = node->as<checked::PartExpr>();
          path.lo = part_bound(part.lo);
          path.hi = part_bound(part.hi);
        }
        path.rest = LentPlace::Rest::Part;
        parted = true;
        break;
      default:
        break;
    }
  }
  path.base = nullptr;
  return path;
}

bool Overlap::with(const LentPlace& other) {
  if (place_.base == nullptr || other.base == nullptr) return false;
  if (!same_or_prefix(place_.base, other.base)) return false;
  if (place_.rest != LentPlace::Rest::Part || other.rest != LentPlace::Rest::Part) return true;
  if (!same_chain(place_.base, other.base)) return true;
  for (const PartBound* bound : {&place_.lo, &place_.hi, &other.lo, &other.hi}) {
    if (bound->kind == PartBound::Kind::Open) return true;
  }
  if (known_at_most(place_.hi, other.lo) || known_at_most(other.hi, place_.lo)) return false;
  return !holds(above_, true, other.lo) && !holds(below_, false, other.hi);
}

bool Overlap::holds(std::optional<Known>& known, bool upwards, const PartBound& bound) const {
  if (!known) known = this->known(upwards);
  if (bound.kind == PartBound::Kind::Name) return known->names.contains(bound.local);
  return known->number && (upwards ? *known->number <= bound.number : *known->number >= bound.number);
}

Overlap::Known Overlap::known(bool upwards) const {
  // A part is a step from its near bound to its far one: upwards from lo to hi, downwards from hi to lo.
  struct Step {
    PartBound near;
    PartBound far;
  };
  std::unordered_multimap<const checked::Local*, PartBound> from_names;
  std::vector<Step> from_numbers;
  for (const LentPlace& part : lent_) {
    if (part.rest != LentPlace::Rest::Part || part.base == nullptr || !same_chain(part.base, place_.base)) continue;
    if (part.lo.kind == PartBound::Kind::Open || part.hi.kind == PartBound::Kind::Open) continue;
    const Step step = upwards ? Step{part.lo, part.hi} : Step{part.hi, part.lo};
    if (step.near.kind == PartBound::Kind::Name) {
      from_names.emplace(step.near.local, step.far);
    } else {
      from_numbers.push_back(step);
    }
  }
  // The steps a number reaches first stand last: upwards those that begin highest.
  std::ranges::sort(from_numbers, [&](const Step& a, const Step& b) {
    return upwards ? a.near.number < b.near.number : a.near.number > b.near.number;
  });

  Known known;
  std::vector<PartBound> work{upwards ? place_.hi : place_.lo};
  while (!work.empty()) {
    const PartBound bound = work.back();
    work.pop_back();
    if (bound.kind == PartBound::Kind::Name) {
      if (!known.names.insert(bound.local).second) continue;
      for (auto [step, end] = from_names.equal_range(bound.local); step != end; ++step) work.push_back(step->second);
      continue;
    }
    if (known.number && (upwards ? *known.number <= bound.number : *known.number >= bound.number)) continue;
    known.number = bound.number;
    const auto is_taken = [&](const Step& step) {
      return upwards ? step.near.number >= bound.number : step.near.number <= bound.number;
    };
    while (!from_numbers.empty() && is_taken(from_numbers.back())) {
      work.push_back(from_numbers.back().far);
      from_numbers.pop_back();
    }
  }
  return known;
}

bool nested(const Expr* left, const Expr* right) {
  const auto steps = [](const Expr* place) {
    std::vector<const Expr*> list;
    for (; place != nullptr; place = inner(place)) {
      if (place->is_place()) list.push_back(place);
    }
    return list;
  };
  const auto a = steps(left);
  const auto b = steps(right);
  if (a.size() == b.size()) return false;
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 1; i <= common; ++i) {
    const Expr* x = a[a.size() - i];
    const Expr* y = b[b.size() - i];
    if (x->kind != y->kind) return false;
    if (x->kind == ExprKind::Local && x->as<checked::LocalExpr>().local != y->as<checked::LocalExpr>().local) {
      return false;
    }
    if (x->kind == ExprKind::Field && x->as<checked::FieldExpr>().index != y->as<checked::FieldExpr>().index) {
      return false;
    }
    if (x->kind == ExprKind::Element) {
      const Expr* p = x->as<checked::ElementExpr>().index;
      const Expr* q = y->as<checked::ElementExpr>().index;
      if (p->kind == ExprKind::Integer && q->kind == ExprKind::Integer &&
          p->as<checked::IntegerExpr>().bits != q->as<checked::IntegerExpr>().bits) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace cairn
