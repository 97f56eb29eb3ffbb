#include "vm/verify/terms.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>

namespace cairn::verify {

namespace {

bool is_commutative(TermOp op) {
  return op == TermOp::Add || op == TermOp::Mul || op == TermOp::BitAnd || op == TermOp::BitOr ||
         op == TermOp::BitXor || op == TermOp::MulFitsU || op == TermOp::MulFitsS || op == TermOp::FloatEqual ||
         op == TermOp::FloatAdd || op == TermOp::FloatMul;
}

bool is_comparison(TermOp op) { return op >= TermOp::LessU && op <= TermOp::LessEqualS; }

std::uint64_t hash_of(TermOp op, Sort sort, std::uint64_t value, std::span<const Term> operands) {
  std::uint64_t hash = static_cast<std::uint64_t>(op) * 0x9e3779b97f4a7c15U + value;
  const auto mix = [&](std::uint64_t more) {
    hash ^= more + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
    hash *= 0xff51afd7ed558ccdU;
  };
  mix((static_cast<std::uint64_t>(sort.kind) << 16U) | (std::uint64_t{sort.width} << 8U) | (sort.array ? 1U : 0U));
  for (const Term operand : operands) mix(operand);
  return hash;
}

}  // namespace

Terms::Terms() {
  make(TermOp::Constant, kBool, 0, {});
  make(TermOp::Constant, kBool, 1, {});
}

Term Terms::make(TermOp op, Sort sort, std::uint64_t value, std::span<const Term> operands) {
  std::vector<Term>& bucket = by_hash_[hash_of(op, sort, value, operands)];
  for (const Term known : bucket) {
    const Node& node = nodes_[known];
    if (node.op == op && node.sort == sort && node.value == value &&
        std::ranges::equal(this->operands(known), operands))
      return known;
  }
  const Term made = static_cast<Term>(nodes_.size());
  const std::vector<Term> copy(operands.begin(), operands.end());
  nodes_.push_back(
      {op, sort, value, static_cast<std::uint32_t>(operands_.size()), static_cast<std::uint32_t>(copy.size())});
  operands_.insert(operands_.end(), copy.begin(), copy.end());
  bucket.push_back(made);
  return made;
}

Term Terms::bits(unsigned width, std::uint64_t value) {
  return make(TermOp::Constant, bits_sort(width), value & mask_of(width), {});
}

Term Terms::constant(Sort sort, std::uint64_t value) {
  if (sort.kind == SortKind::Bool) return boolean(value != 0);
  return make(TermOp::Constant, sort, value & mask_of(sort.width), {});
}

Term Terms::variable(std::string_view name, Sort sort) {
  const auto [at, is_new] = variables_.try_emplace(std::string(name), Term{});
  if (is_new) {
    at->second = make(TermOp::Variable, sort, names_.size(), {});
    names_.emplace_back(name);
  }
  assert(this->sort(at->second) == sort);
  return at->second;
}

Term Terms::apply(std::string_view name, Sort sort, std::span<const Term> of) {
  const auto [at, is_new] = functions_.try_emplace(std::string(name), names_.size());
  if (is_new) names_.emplace_back(name);
  return make(TermOp::Apply, sort, at->second, of);
}

// ---------------------------------------------------------------------------------------------------- propositional

Term Terms::negate(Term term) {
  const Node node = nodes_[term];
  switch (node.op) {
    case TermOp::Constant:
      return boolean(node.value == 0);
    case TermOp::Not:
      return operand(term, 0);
    case TermOp::LessU:
      return binary(TermOp::LessEqualU, operand(term, 1), operand(term, 0));
    case TermOp::LessEqualU:
      return binary(TermOp::LessU, operand(term, 1), operand(term, 0));
    case TermOp::LessS:
      return binary(TermOp::LessEqualS, operand(term, 1), operand(term, 0));
    case TermOp::LessEqualS:
      return binary(TermOp::LessS, operand(term, 1), operand(term, 0));
    default:
      return make(TermOp::Not, kBool, {term});
  }
}

bool Terms::are_opposite(Term left, Term right) const {
  const Node& a = nodes_[left];
  const Node& b = nodes_[right];
  if (a.op == TermOp::Not) return operand(left, 0) == right;
  if (b.op == TermOp::Not) return operand(right, 0) == left;
  const bool is_pair =
      (a.op == TermOp::LessU && b.op == TermOp::LessEqualU) || (a.op == TermOp::LessEqualU && b.op == TermOp::LessU) ||
      (a.op == TermOp::LessS && b.op == TermOp::LessEqualS) || (a.op == TermOp::LessEqualS && b.op == TermOp::LessS);
  return is_pair && operand(left, 0) == operand(right, 1) && operand(left, 1) == operand(right, 0);
}

std::vector<Term> Terms::conjuncts(Term term) const {
  if (term == kTrue) return {};
  if (nodes_[term].op != TermOp::And) return {term};
  const auto parts = operands(term);
  return {parts.begin(), parts.end()};
}

/// And or Or of terms: flat, sorted, each once; a term beside its opposite decides it.
Term Terms::connect(TermOp op, const std::vector<Term>& terms) {
  const Term neutral = op == TermOp::And ? kTrue : kFalse;
  const Term decisive = op == TermOp::And ? kFalse : kTrue;
  std::vector<Term> flat;
  for (const Term term : terms) {
    if (nodes_[term].op == op) {
      const auto parts = operands(term);
      flat.insert(flat.end(), parts.begin(), parts.end());
    } else {
      flat.push_back(term);
    }
  }
  std::ranges::sort(flat);
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  std::erase(flat, neutral);
  if (std::ranges::find(flat, decisive) != flat.end()) return decisive;
  for (const Term term : flat) {
    const TermOp kind = nodes_[term].op;
    if (kind != TermOp::Not && !is_comparison(kind)) continue;
    const Term opposite = negate(term);
    if (std::ranges::binary_search(flat, opposite)) return decisive;
  }
  if (flat.empty()) return neutral;
  if (flat.size() == 1) return flat.front();
  return make(op, kBool, 0, flat);
}

Term Terms::both(Term left, Term right) { return connect(TermOp::And, {left, right}); }
Term Terms::all(const std::vector<Term>& terms) { return connect(TermOp::And, terms); }
Term Terms::any(const std::vector<Term>& terms) { return connect(TermOp::Or, terms); }

/// left or right, with what both say in front: (p and c) or (p and not c) is p.
Term Terms::factor(Term left, Term right) {
  const std::vector<Term> a = conjuncts(left);
  const std::vector<Term> b = conjuncts(right);
  std::vector<Term> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  std::vector<Term> only_left;
  std::vector<Term> only_right;
  std::ranges::set_difference(a, common, std::back_inserter(only_left));
  std::ranges::set_difference(b, common, std::back_inserter(only_right));
  // c or (not c and d) is c or d.
  const auto absorb = [&](const std::vector<Term>& one, std::vector<Term>& other) {
    if (one.size() != 1) return;
    std::erase_if(other, [&](Term term) { return are_opposite(one.front(), term); });
  };
  absorb(only_left, only_right);
  absorb(only_right, only_left);
  const Term rest = connect(TermOp::Or, {connect(TermOp::And, only_left), connect(TermOp::And, only_right)});
  common.push_back(rest);
  return connect(TermOp::And, common);
}

Term Terms::either(Term left, Term right) {
  if (left == kTrue || right == kTrue) return kTrue;
  if (left == kFalse || left == right) return right;
  if (right == kFalse) return left;
  if (nodes_[left].op == TermOp::And || nodes_[right].op == TermOp::And) return factor(left, right);
  return connect(TermOp::Or, {left, right});
}

Term Terms::distinguish(Term left, Term right) {
  const std::vector<Term> a = conjuncts(left);
  const std::vector<Term> b = conjuncts(right);
  std::vector<Term> only_left;
  std::vector<Term> only_right;
  std::ranges::set_difference(a, b, std::back_inserter(only_left));
  std::ranges::set_difference(b, a, std::back_inserter(only_right));
  for (const Term term : only_left) {
    for (const Term other : only_right) {
      if (are_opposite(term, other)) return term;
    }
  }
  if (only_right.size() < only_left.size()) return negate(connect(TermOp::And, only_right));
  return connect(TermOp::And, only_left);
}

Term Terms::extreme(TermOp op, const std::vector<Term>& terms) {
  std::vector<Term> flat;
  for (const Term term : terms) {
    if (nodes_[term].op == op) {
      const auto parts = operands(term);
      flat.insert(flat.end(), parts.begin(), parts.end());
    } else {
      flat.push_back(term);
    }
  }
  std::ranges::sort(flat);
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  // Constants become one.
  const unsigned width = sort(flat.front()).width;
  Term constant = 0;
  std::erase_if(flat, [&](Term term) {
    if (!is_constant(term)) return false;
    if (constant == 0) {
      constant = term;
      return true;
    }
    const bool is_signed = op == TermOp::MinS || op == TermOp::MaxS;
    const bool is_less =
        is_signed ? signed_of(value(term), width) < signed_of(value(constant), width) : value(term) < value(constant);
    if (is_less == (op == TermOp::MinU || op == TermOp::MinS)) constant = term;
    return true;
  });
  if (constant != 0) flat.push_back(constant);
  if (flat.size() == 1) return flat.front();
  return make(op, sort(flat.front()), 0, flat);
}

Term Terms::as_extreme(Term condition, Term then, Term otherwise) {
  const TermOp op = nodes_[condition].op;
  if (!is_comparison(op)) return 0;
  const unsigned width = sort(then).width;
  if (sort(then) != sort(operand(condition, 0)) || sort(then).array) return 0;
  const bool is_signed = op == TermOp::LessS || op == TermOp::LessEqualS;
  Term less = operand(condition, 0);
  Term more = operand(condition, 1);
  // x < k is kept as x <= k - 1, and k <= x as k - 1 < x: the choice may name k. Such a k never wraps.
  if (is_constant(more) && then != more && otherwise != more) more = bits(width, value(more) + 1);
  if (is_constant(less) && then != less && otherwise != less) less = bits(width, value(less) + 1);
  if (then == less && otherwise == more) return extreme(is_signed ? TermOp::MinS : TermOp::MinU, {less, more});
  if (then == more && otherwise == less) return extreme(is_signed ? TermOp::MaxS : TermOp::MaxU, {less, more});
  return 0;
}

Term Terms::choose(Term condition, Term then, Term otherwise) {
  if (condition == kTrue || then == otherwise) return then;
  if (condition == kFalse) return otherwise;
  if (nodes_[condition].op == TermOp::Not) return choose(operand(condition, 0), otherwise, then);
  if (sort(then) == kBool) {
    if (then == kTrue) return either(condition, otherwise);
    if (then == kFalse) return both(negate(condition), otherwise);
    if (otherwise == kTrue) return either(negate(condition), then);
    if (otherwise == kFalse) return both(condition, then);
  }
  if (nodes_[then].op == TermOp::Ite && operand(then, 0) == condition) then = operand(then, 1);
  if (nodes_[otherwise].op == TermOp::Ite && operand(otherwise, 0) == condition) otherwise = operand(otherwise, 2);
  if (then == otherwise) return then;
  if (const Term found = as_extreme(condition, then, otherwise); found != 0) return found;
  return make(TermOp::Ite, sort(then), {condition, then, otherwise});
}

Term Terms::equal(Term left, Term right) {
  if (left == right) return kTrue;
  if (left > right) std::swap(left, right);
  if (is_constant(left) && is_constant(right) && sort(left).kind != SortKind::Float) return kFalse;
  if (sort(left) == kBool) {
    if (left <= kTrue) return left == kTrue ? right : negate(right);
    if (are_opposite(left, right)) return kFalse;
  }
  if (nodes_[left].op == TermOp::Ite && nodes_[right].op == TermOp::Ite && operand(left, 0) == operand(right, 0)) {
    const Term then = equal(operand(left, 1), operand(right, 1));
    const Term otherwise = equal(operand(left, 2), operand(right, 2));
    return choose(operand(left, 0), then, otherwise);
  }
  if (sort(left).kind == SortKind::Bits && !sort(left).array) {
    const auto [base, more] = as_sum(left);
    const auto [other, further] = as_sum(right);
    if (base == other) return boolean(more == further);  // as_sum never gives constants alone a base
    // A choice between constants against a constant is its condition.
    const Term constant = is_constant(left) ? left : right;
    const Term other_term = constant == left ? right : left;
    if (is_constant(constant) && nodes_[other_term].op == TermOp::Ite) {
      const Term condition = operand(other_term, 0);
      const Term then = operand(other_term, 1);
      const Term otherwise = operand(other_term, 2);
      if (is_constant(then) || is_constant(otherwise)) {
        return choose(condition, equal(then, constant), equal(otherwise, constant));
      }
    }
  }
  return make(TermOp::Equal, kBool, {left, right});
}

// ------------------------------------------------------------------------------------------------------- arithmetic

std::pair<Term, std::uint64_t> Terms::as_sum(Term term) {
  if (is_constant(term)) return {term, 0};
  if (nodes_[term].op != TermOp::Add || !is_constant(operands(term).back())) return {term, 0};
  const std::vector<Term> parts(operands(term).begin(), operands(term).end() - 1);
  const std::uint64_t more = value(operands(term).back());
  return {parts.size() == 1 ? parts.front() : make(TermOp::Add, sort(term), 0, parts), more};
}

/// Adds `factor` times the term to a linear combination: term -> coefficient.
void Terms::gather(Term term, std::uint64_t factor, std::map<Term, std::uint64_t>& sum, std::uint64_t& constant) const {
  const Node& node = nodes_[term];
  if (node.op == TermOp::Constant) {
    constant += factor * node.value;
  } else if (node.op == TermOp::Add) {
    for (const Term part : operands(term)) gather(part, factor, sum, constant);
  } else if (node.op == TermOp::Mul && is_constant(operand(term, 1))) {
    gather(operand(term, 0), factor * value(operand(term, 1)), sum, constant);
  } else {
    sum[term] += factor;
  }
}

/// One form for every way to write a linear combination: Add of (multiples of) terms in order, the constant last.
Term Terms::linear(unsigned width, const std::map<Term, std::uint64_t>& sum, std::uint64_t constant) {
  std::vector<Term> parts;
  for (const auto& [term, coefficient] : sum) {
    const std::uint64_t kept = coefficient & mask_of(width);
    if (kept == 0) continue;
    parts.push_back(kept == 1 ? term : make(TermOp::Mul, bits_sort(width), {term, bits(width, kept)}));
  }
  if ((constant & mask_of(width)) != 0 || parts.empty()) parts.push_back(bits(width, constant));
  return parts.size() == 1 ? parts.front() : make(TermOp::Add, bits_sort(width), 0, parts);
}

Term Terms::fold(TermOp op, unsigned width, std::uint64_t left, std::uint64_t right) {
  const std::int64_t a = signed_of(left, width);
  const std::int64_t b = signed_of(right, width);
  const bool minimum_by_minus_one = b == -1 && left == std::uint64_t{1} << (width - 1);
  switch (op) {
    case TermOp::Add:
      return bits(width, left + right);
    case TermOp::Sub:
      return bits(width, left - right);
    case TermOp::Mul:
      return bits(width, left * right);
    case TermOp::DivU:
      return bits(width, right == 0 ? ~std::uint64_t{0} : left / right);
    case TermOp::RemU:
      return bits(width, right == 0 ? left : left % right);
    case TermOp::DivS:
      if (right == 0) return bits(width, a < 0 ? 1 : ~std::uint64_t{0});
      return minimum_by_minus_one ? bits(width, left) : bits(width, static_cast<std::uint64_t>(a / b));
    case TermOp::RemS:
      if (right == 0) return bits(width, left);
      return minimum_by_minus_one ? bits(width, 0) : bits(width, static_cast<std::uint64_t>(a % b));
    case TermOp::BitAnd:
      return bits(width, left & right);
    case TermOp::BitOr:
      return bits(width, left | right);
    case TermOp::BitXor:
      return bits(width, left ^ right);
    case TermOp::ShiftLeft:
      return bits(width, right >= width ? 0 : left << right);
    case TermOp::ShiftRightU:
      return bits(width, right >= width ? 0 : left >> right);
    case TermOp::ShiftRightS:
      return bits(width, static_cast<std::uint64_t>(a >> std::min<std::uint64_t>(right, width - 1)));
    case TermOp::LessU:
      return boolean(left < right);
    case TermOp::LessEqualU:
      return boolean(left <= right);
    case TermOp::LessS:
      return boolean(a < b);
    case TermOp::LessEqualS:
      return boolean(a <= b);
    case TermOp::MulFitsU: {
      const auto product = static_cast<unsigned __int128>(left) * right;
      return boolean(product <= mask_of(width));
    }
    default: {  // MulFitsS
      const auto product = static_cast<__int128>(a) * b;
      return boolean(product == static_cast<__int128>(signed_of(static_cast<std::uint64_t>(product), width)));
    }
  }
}

Term Terms::simplify_arithmetic(TermOp op, Term left, Term right) {
  const Sort here = sort(left);
  const unsigned width = here.width;
  const bool constant = is_constant(right);
  const std::uint64_t k = constant ? value(right) : 0;
  const bool power = constant && std::has_single_bit(k);
  const std::uint64_t ones = mask_of(width);
  switch (op) {
    case TermOp::Add:
    case TermOp::Sub: {
      std::map<Term, std::uint64_t> sum;
      std::uint64_t more = 0;
      gather(left, 1, sum, more);
      gather(right, op == TermOp::Add ? 1 : ~std::uint64_t{0}, sum, more);
      return linear(width, sum, more);
    }
    case TermOp::Mul: {
      if (!constant) break;
      std::map<Term, std::uint64_t> sum;
      std::uint64_t more = 0;
      gather(left, k, sum, more);
      return linear(width, sum, more);
    }
    case TermOp::DivU:
      if (constant && k == 1) return left;
      if (power) return binary(TermOp::ShiftRightU, left, bits(width, static_cast<unsigned>(std::countr_zero(k))));
      break;
    case TermOp::RemU:
      if (power) return binary(TermOp::BitAnd, left, bits(width, k - 1));
      break;
    case TermOp::BitAnd:
      if (left == right || (constant && k == ones)) return left;
      if (constant && k == 0) return right;
      break;
    case TermOp::BitOr:
      if (left == right || (constant && k == 0)) return left;
      if (constant && k == ones) return right;
      break;
    case TermOp::BitXor:
      if (left == right) return bits(width, 0);
      if (constant && k == 0) return left;
      break;
    case TermOp::ShiftLeft:
      if (constant && k == 0) return left;
      if (constant && k < width) return binary(TermOp::Mul, left, bits(width, std::uint64_t{1} << k));
      break;
    case TermOp::ShiftRightU:
    case TermOp::ShiftRightS:
      if (constant && k == 0) return left;
      break;
    case TermOp::MulFitsU:
      if (constant && k <= 1) return kTrue;
      if (constant) return binary(TermOp::LessEqualU, left, bits(width, ones / k));
      break;
    case TermOp::MulFitsS:
      if (constant) {
        const std::int64_t factor = signed_of(k, width);
        const std::int64_t least = signed_of(std::uint64_t{1} << (width - 1), width);
        const std::int64_t most = static_cast<std::int64_t>(ones >> 1U);
        if (factor == 0 || factor == 1) return kTrue;
        if (factor == -1) return differ(left, bits(width, static_cast<std::uint64_t>(least)));
        const std::int64_t lo = factor > 0 ? least / factor : most / factor;
        const std::int64_t hi = factor > 0 ? most / factor : least / factor;
        return both(binary(TermOp::LessEqualS, bits(width, static_cast<std::uint64_t>(lo)), left),
                    binary(TermOp::LessEqualS, left, bits(width, static_cast<std::uint64_t>(hi))));
      }
      break;
    default:
      break;
  }
  return make(op, op == TermOp::MulFitsU || op == TermOp::MulFitsS ? kBool : here, {left, right});
}

Term Terms::simplify_comparison(TermOp op, Term left, Term right) {
  const unsigned width = sort(left).width;
  const bool is_strict = op == TermOp::LessU || op == TermOp::LessS;
  if (left == right) return boolean(!is_strict);
  const bool is_signed = op == TermOp::LessS || op == TermOp::LessEqualS;
  const std::uint64_t least = is_signed ? std::uint64_t{1} << (width - 1) : 0;
  const std::uint64_t most = is_signed ? mask_of(width) >> 1U : mask_of(width);
  if (!is_signed && !at_most_.empty()) {
    // right < left can only hold while left may exceed right, and so on.
    if (is_constant(left) && (is_strict ? value(left) >= most_of(right) : value(left) > most_of(right))) return kFalse;
    if (is_constant(right) && (is_strict ? most_of(left) < value(right) : most_of(left) <= value(right))) return kTrue;
  }
  if (is_constant(right)) {
    const std::uint64_t k = value(right);
    if (is_strict && k == least) return kFalse;
    if (is_strict && k == ((least + 1) & mask_of(width))) return equal(left, bits(width, least));
    if (is_strict && k == most) return differ(left, right);
    if (!is_strict && k == most) return kTrue;
    if (!is_strict && k == least) return equal(left, right);
    // x < k is x <= k - 1: one form for both.
    if (is_strict) return binary(is_signed ? TermOp::LessEqualS : TermOp::LessEqualU, left, bits(width, k - 1));
  }
  if (is_constant(left)) {
    const std::uint64_t k = value(left);
    if (is_strict && k == most) return kFalse;
    if (is_strict && k == least) return differ(left, right);
    if (!is_strict && k == least) return kTrue;
    if (!is_strict && k == most) return equal(left, right);
    if (!is_strict) return binary(is_signed ? TermOp::LessS : TermOp::LessU, bits(width, k - 1), right);
  }
  return make(op, kBool, {left, right});
}

void Terms::assume_at_most(Term term, std::uint64_t most) {
  const auto [known, is_new] = at_most_.try_emplace(term, most);
  if (!is_new) known->second = std::min(known->second, most);
}

std::uint64_t Terms::most_of(Term term) const {
  if (is_constant(term)) return value(term);
  const auto known = at_most_.find(term);
  return known == at_most_.end() ? mask_of(sort(term).width) : known->second;
}

/// The term of the same kind from other operands.
Term Terms::again(Term term, const std::vector<Term>& of) {
  const Node node = nodes_[term];
  switch (node.op) {
    case TermOp::Constant:
    case TermOp::Variable:
      return term;
    case TermOp::Apply:
      return make(node.op, node.sort, node.value, of);
    case TermOp::Not:
      return negate(of[0]);
    case TermOp::And:
      return all(of);
    case TermOp::Or:
      return any(of);
    case TermOp::Ite:
      return choose(of[0], of[1], of[2]);
    case TermOp::Equal:
      return equal(of[0], of[1]);
    case TermOp::MinU:
    case TermOp::MaxU:
    case TermOp::MinS:
    case TermOp::MaxS:
      return extreme(node.op, of);
    case TermOp::Select:
      return select(of[0], of[1]);
    case TermOp::Store:
      return store(of[0], of[1], of[2]);
    case TermOp::Filled:
      return filled(node.sort, of[0]);
    case TermOp::FloatNegate:
    case TermOp::FloatIsNan:
      return unary(node.op, of[0]);
    case TermOp::ZeroExtend:
    case TermOp::SignExtend:
    case TermOp::Truncate:
    case TermOp::FloatFromU:
    case TermOp::FloatFromS:
    case TermOp::FloatFromFloat:
    case TermOp::FloatToU:
    case TermOp::FloatToS:
      return convert(node.op, node.sort, of[0]);
    case TermOp::Add: {
      Term total = of[0];
      for (std::size_t k = 1; k < of.size(); ++k) total = binary(TermOp::Add, total, of[k]);
      return total;
    }
    default:
      return binary(node.op, of[0], of[1]);
  }
}

Term Terms::substitute(Term root, Term variable, Term value) {
  std::unordered_map<Term, Term> done{{variable, value}};
  std::vector<Term> open{root};
  while (!open.empty()) {
    const Term term = open.back();
    if (done.contains(term)) {
      open.pop_back();
      continue;
    }
    std::vector<Term> of;
    const std::vector<Term> operands_of(operands(term).begin(), operands(term).end());
    for (const Term each : operands_of) {
      const auto known = done.find(each);
      if (known == done.end()) {
        open.push_back(each);
      } else {
        of.push_back(known->second);
      }
    }
    if (of.size() < operands_of.size()) continue;
    done.emplace(term, of == operands_of ? term : again(term, of));
    open.pop_back();
  }
  return done.at(root);
}

Term Terms::binary(TermOp op, Term left, Term right) {
  const Sort here = sort(left);
  if (here.kind == SortKind::Bits) {
    if (is_constant(left) && is_constant(right)) return fold(op, here.width, value(left), value(right));
    if (is_commutative(op) && (is_constant(left) || (left > right && !is_constant(right)))) std::swap(left, right);
    if (is_comparison(op)) return simplify_comparison(op, left, right);
    return simplify_arithmetic(op, left, right);
  }
  if (is_commutative(op) && left > right) std::swap(left, right);
  const bool truth = op == TermOp::FloatEqual || op == TermOp::FloatLess || op == TermOp::FloatLessEqual;
  return make(op, truth ? kBool : here, {left, right});
}

Term Terms::unary(TermOp op, Term operand) {
  return make(op, op == TermOp::FloatIsNan ? kBool : sort(operand), {operand});
}

Term Terms::convert(TermOp op, Sort to, Term operand) {
  const Sort from = sort(operand);
  if (from == to) return operand;
  if (from.kind == SortKind::Bits && to.kind == SortKind::Bits) {
    if (is_constant(operand) && from.width <= 64 && to.width <= 64) {
      const std::uint64_t bits_of = value(operand);
      return bits(to.width,
                  op == TermOp::SignExtend ? static_cast<std::uint64_t>(signed_of(bits_of, from.width)) : bits_of);
    }
    if (op == TermOp::Truncate &&
        (nodes_[operand].op == TermOp::ZeroExtend || nodes_[operand].op == TermOp::SignExtend)) {
      const Term inner = this->operand(operand, 0);
      if (sort(inner) == to) return inner;
      if (sort(inner).width > to.width) return convert(TermOp::Truncate, to, inner);
      return convert(nodes_[operand].op, to, inner);
    }
    if (op == nodes_[operand].op) return convert(op, to, this->operand(operand, 0));
    if (op == TermOp::SignExtend && nodes_[operand].op == TermOp::ZeroExtend) {
      return convert(TermOp::ZeroExtend, to, this->operand(operand, 0));
    }
  }
  return make(op, to, {operand});
}

// ----------------------------------------------------------------------------------------------------------- arrays

/// Whether two indices are never equal.
bool Terms::are_apart(Term left, Term right) {
  const auto [base, more] = as_sum(left);
  const auto [other, further] = as_sum(right);
  return (is_constant(left) && is_constant(right) && left != right) || (base == other && more != further);
}

Term Terms::select(Term array, Term index) {
  while (nodes_[array].op == TermOp::Store) {
    const Term at = operand(array, 1);
    if (at == index) return operand(array, 2);
    if (!are_apart(at, index)) break;
    array = operand(array, 0);
  }
  if (nodes_[array].op == TermOp::Filled) return operand(array, 0);
  if (nodes_[array].op == TermOp::Variable || nodes_[array].op == TermOp::Apply)
    return make(TermOp::Select, element_of(sort(array)), {array, index});
  // A read is written out down to the array the function was given (or to the constant one it began with), so that the
  // solver meets no stores.
  const std::uint64_t key = (std::uint64_t{array} << 32U) | index;
  if (const auto known = selected_.find(key); known != selected_.end()) return known->second;
  Term result = 0;
  if (nodes_[array].op == TermOp::Store) {
    const Term here = equal(operand(array, 1), index);
    result = choose(here, operand(array, 2), select(operand(array, 0), index));
  } else {  // a choice between arrays
    const Term then = select(operand(array, 1), index);
    const Term otherwise = select(operand(array, 2), index);
    result = choose(operand(array, 0), then, otherwise);
  }
  selected_.emplace(key, result);
  return result;
}

Term Terms::store(Term array, Term index, Term value) {
  if (nodes_[array].op == TermOp::Store && operand(array, 1) == index) array = operand(array, 0);
  return make(TermOp::Store, sort(array), {array, index, value});
}

Term Terms::filled(Sort array, Term value) { return make(TermOp::Filled, array, {value}); }

}  // namespace cairn::verify
