#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "frontend/check/facts.hpp"
#include "frontend/syntax/comparisons.hpp"

namespace cairn {

using checked::BinaryOp;
using checked::ExprKind;
using checked::Local;
using Node = Facts::Node;

namespace {

constexpr std::uint32_t kZero = 0;
/// Nothing is known of an expression nested deeper than this.
constexpr unsigned kDeepest = 64;
/// Past these a question is answered no: they bound the cost, and no program a person writes meets them.
constexpr std::size_t kMostFacts = 20000;
constexpr std::size_t kMostSteps = 1000000;

Node looked_through(Node value) {
  while (value->kind == ExprKind::Convert && value->type->is(TypeKind::Usize) &&
         value->as<checked::ConvertExpr>().operand->type->is(TypeKind::Usize)) {
    value = value->as<checked::ConvertExpr>().operand;
  }
  return value;
}

bool is_binary(Node value, BinaryOp op) {
  return value->kind == ExprKind::Binary && value->as<checked::BinaryExpr>().op == op;
}
bool is_minimum(Node value) {
  return value->kind == ExprKind::Builtin && value->as<checked::BuiltinExpr>().builtin == checked::Builtin::Min;
}

}  // namespace

const Local* named_local(Node value) {
  if (value->kind != ExprKind::Load) return nullptr;
  Node place = value->as<checked::LoadExpr>().place;
  return place->kind == ExprKind::Local ? place->as<checked::LocalExpr>().local : nullptr;
}

void Facts::Terms::add(const Term& term) {
  if (count_ == 4 || std::find(begin(), end(), term) != end()) return;
  terms_[count_++] = term;
}

// ------------------------------------------------------------------------------------------------------------ learning

void Facts::drop(std::size_t mark) {
  if (learned_.size() <= mark) return;
  learned_.resize(mark);
  if (fact_marks_.size() <= mark) return;
  while (facts_.size() > fact_marks_[mark]) {
    const Fact& fact = facts_.back();
    leaving_[fact.right].pop_back();
    entering_[fact.left].pop_back();
    note_stride(fact.left, -1);
    note_stride(fact.right, -1);
    facts_.pop_back();
  }
  fact_marks_.resize(mark);
}

void Facts::binds(const Local& binder, Node lo, Node hi) {
  learned_.push_back({Learned::Kind::Binds, false, &binder, lo, hi});
}
void Facts::equals(const Local& local, Node value) {
  const bool counts =
      local.type->is(TypeKind::Usize) || (local.type->is(TypeKind::Buf) && value->kind == ExprKind::BufNew);
  if (counts && !local.is_mutable) learned_.push_back({Learned::Kind::Equals, false, &local, value, nullptr});
}
void Facts::at_most(const Local& local, Node value) {
  learned_.push_back({Learned::Kind::AtMost, false, &local, value, nullptr});
}
void Facts::holds(Node condition, bool truth) {
  learned_.push_back({Learned::Kind::Holds, truth, nullptr, condition, nullptr});
}

void Facts::derive() {
  if (atoms_.empty()) intern({});
  while (fact_marks_.size() < learned_.size()) {
    const Learned next = learned_[fact_marks_.size()];
    const std::size_t before = facts_.size();
    derive(next);
    fact_marks_.push_back(before);
  }
}

void Facts::derive(const Learned& learned) {
  switch (learned.kind) {
    case Learned::Kind::Binds:
      return derive_binder(learned);
    case Learned::Kind::Equals: {
      std::uint32_t atom = 0;
      Node value = learned.first;
      if (learned.local->type->is(TypeKind::Buf)) {
        value = value->as<checked::BufNewExpr>().count;
        atom = intern({AtomKind::Length, learned.local, {}, 0, 0});
      } else {
        atom = local_atom(*learned.local);
      }
      for (const Term& term : upper(value)) add_fact(atom, term.atom, term.constant);
      for (const Term& term : lower(value)) add_fact(term.atom, atom, -term.constant);
      return;
    }
    case Learned::Kind::AtMost:
      for (const Term& term : upper(learned.first)) add_fact(local_atom(*learned.local), term.atom, term.constant);
      return;
    case Learned::Kind::Holds:
      return derive_condition(learned.first, learned.truth);
  }
}

void Facts::derive_binder(const Learned& learned) {
  const std::uint32_t binder = local_atom(*learned.local);
  for (const Term& term : upper(learned.second)) add_fact(binder, term.atom, term.constant - 1);
  if (learned.first == nullptr) return;
  for (const Term& term : lower(learned.first)) add_fact(term.atom, binder, -term.constant);
}

void Facts::derive_condition(Node condition, bool truth) {
  std::vector<std::pair<Node, bool>> pending{{condition, truth}};
  while (!pending.empty()) {
    const auto [node, holds] = pending.back();
    pending.pop_back();
    if (node->kind == ExprKind::Unary && node->as<checked::UnaryExpr>().op == checked::UnaryOp::Not) {
      pending.emplace_back(node->as<checked::UnaryExpr>().operand, !holds);
    } else if (node->kind == ExprKind::Logical && node->as<checked::LogicalExpr>().is_and == holds) {
      pending.emplace_back(node->as<checked::LogicalExpr>().right, holds);
      pending.emplace_back(node->as<checked::LogicalExpr>().left, holds);
    } else if (node->kind == ExprKind::Binary) {
      const auto& comparison = node->as<checked::BinaryExpr>();
      if (!comparison.left->type->is(TypeKind::Usize)) continue;
      derive_comparison(holds ? comparison.op : syntax::negated(comparison.op), comparison.left, comparison.right);
    }
  }
}

void Facts::derive_comparison(BinaryOp op, Node left, Node right) {
  const auto is_zero = [](Node value) {
    return value->kind == ExprKind::Integer && value->as<checked::IntegerExpr>().bits == 0;
  };
  switch (op) {
    case BinaryOp::Less:
      return below(left, right, -1);
    case BinaryOp::LessEqual:
      return below(left, right, 0);
    case BinaryOp::Greater:
      return below(right, left, -1);
    case BinaryOp::GreaterEqual:
      return below(right, left, 0);
    case BinaryOp::Equal:
      below(left, right, 0);
      return below(right, left, 0);
    case BinaryOp::NotEqual:
      if (is_zero(right)) return below(right, left, -1);
      if (is_zero(left)) return below(left, right, -1);
      return;
    default:
      return;
  }
}

/// left <= right + by.
void Facts::below(Node left, Node right, Wide by) {
  const Terms lows = lower(left);
  for (const Term& high : upper(right)) {
    for (const Term& low : lows) add_fact(low.atom, high.atom, high.constant - low.constant + by);
  }
}

void Facts::add_fact(std::uint32_t left, std::uint32_t right, Wide bound) {
  if (left == right || facts_.size() >= kMostFacts) return;
  facts_.push_back({left, right, bound});
  leaving_[right].push_back({left, bound});
  entering_[left].push_back({right, bound});
  note_stride(left, 1);
  note_stride(right, 1);
}

void Facts::note_stride(std::uint32_t atom, std::int32_t by) {
  if (atoms_[atom].kind == AtomKind::Product) strides_[atoms_[atom].stride] += by;
}

// --------------------------------------------------------------------------------------------------------------- atoms

std::uint32_t Facts::intern(const Atom& atom) {
  const auto [entry, is_new] = atom_numbers_.try_emplace(atom, static_cast<std::uint32_t>(atoms_.size()));
  if (!is_new) return entry->second;
  atoms_.push_back(atom);
  leaving_.emplace_back();
  entering_.emplace_back();
  return entry->second;
}

std::uint32_t Facts::local_atom(const Local& local) { return intern({AtomKind::Path, &local, {}, 0, 0}); }

std::uint32_t Facts::product_atom(std::uint32_t base, std::uint64_t stride) {
  return intern({AtomKind::Product, nullptr, {}, base, stride});
}

/// A field path from an immutable local that is not borrowed rw, usize or a Buf.
std::optional<std::uint32_t> Facts::path_atom(Node place) {
  Atom atom;
  Node node = place;
  for (; node->kind == ExprKind::Field; node = node->as<checked::FieldExpr>().base) {
    atom.fields.push_back(node->as<checked::FieldExpr>().index);
  }
  if (node->kind != ExprKind::Local) return std::nullopt;
  atom.root = node->as<checked::LocalExpr>().local;
  if (atom.root->is_mutable) return std::nullopt;
  if (atom.root->type->is(TypeKind::Borrow) && atom.root->type->mode == BorrowMode::Rw) return std::nullopt;
  std::ranges::reverse(atom.fields);
  if (place->type->is(TypeKind::Usize)) {
    atom.kind = AtomKind::Path;
    return intern(atom);
  }
  if (!place->type->is(TypeKind::Buf)) return std::nullopt;
  atom.kind = AtomKind::Length;
  if (place->kind == ExprKind::Field) {
    const auto& field = place->as<checked::FieldExpr>();
    const std::int32_t extent = field.base->type->record->fields[field.index].extent_field;
    if (extent >= 0) {
      atom.kind = AtomKind::Path;
      atom.fields.back() = static_cast<std::uint32_t>(extent);
    }
  }
  return intern(atom);
}

std::optional<Facts::Term> Facts::length_term(Node array) {
  if (array->kind == ExprKind::ViewOf) array = array->as<checked::ViewOfExpr>().place;
  switch (array->type->kind) {
    case TypeKind::View:
      if (array->type->extent.kind == Extent::Kind::Literal && array->kind != ExprKind::Part) {
        return Term{kZero, static_cast<Wide>(array->type->extent.literal)};
      }
      if (array->kind != ExprKind::Local || array->as<checked::LocalExpr>().local->extent == nullptr) {
        return std::nullopt;
      }
      return Term{local_atom(*array->as<checked::LocalExpr>().local->extent), 0};
    case TypeKind::Array:
      return Term{kZero, static_cast<Wide>(array->type->count)};
    case TypeKind::Buf:
      if (const auto atom = path_atom(array)) return Term{*atom, 0};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// -------------------------------------------------------------------------------------------------------------- bounds

std::optional<Facts::Term> Facts::exact(Node value, unsigned depth) {
  value = looked_through(value);
  if (depth > kDeepest || !value->type->is(TypeKind::Usize)) return std::nullopt;
  switch (value->kind) {
    case ExprKind::Integer:
      return Term{kZero, static_cast<Wide>(value->as<checked::IntegerExpr>().bits)};
    case ExprKind::Load: {
      const auto atom = path_atom(value->as<checked::LoadExpr>().place);
      if (!atom) return std::nullopt;
      return Term{*atom, 0};
    }
    case ExprKind::Length:
      return length_term(value->as<checked::LengthExpr>().of);
    case ExprKind::Binary:
      return exact_of_operation(value->as<checked::BinaryExpr>(), depth + 1);
    default:
      return std::nullopt;
  }
}

std::optional<Facts::Term> Facts::exact_of_operation(const checked::BinaryExpr& operation, unsigned depth) {
  constexpr Wide kLargest = std::numeric_limits<std::uint64_t>::max();
  const auto left = exact(operation.left, depth);
  if (!left) return std::nullopt;
  const auto right = exact(operation.right, depth);
  if (!right) return std::nullopt;
  switch (operation.op) {
    case BinaryOp::Add:
      if (right->atom == kZero) return Term{left->atom, left->constant + right->constant};
      if (left->atom == kZero) return Term{right->atom, left->constant + right->constant};
      return std::nullopt;
    case BinaryOp::Subtract:
      if (right->atom == kZero) return Term{left->atom, left->constant - right->constant};
      return std::nullopt;
    case BinaryOp::Multiply: {
      if (left->atom == kZero && right->atom == kZero) {
        if (left->constant < 0 || right->constant < 0) return std::nullopt;
        if (left->constant != 0 && right->constant > kLargest / left->constant) return std::nullopt;
        return Term{kZero, left->constant * right->constant};
      }
      const Term& factor = left->atom == kZero ? *left : *right;
      const Term& plain = left->atom == kZero ? *right : *left;
      const bool is_product = factor.atom == kZero && factor.constant > 0 && factor.constant <= kLargest &&
                              plain.constant == 0 && plain.atom != kZero &&
                              atoms_[plain.atom].kind != AtomKind::Product;
      if (!is_product) return std::nullopt;
      return Term{product_atom(plain.atom, static_cast<std::uint64_t>(factor.constant)), 0};
    }
    default:
      return std::nullopt;
  }
}

std::uint64_t Facts::largest_value(Node value, unsigned depth) {
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  if (value->type->is_integer() && bit_width(value->type->kind) < 64) {
    most = (std::uint64_t{1} << bit_width(value->type->kind)) - 1;
  }
  if (depth > kDeepest) return most;
  const auto largest_of = [depth](Node operand) { return largest_value(operand, depth + 1); };
  switch (value->kind) {
    case ExprKind::Integer:
      return value->as<checked::IntegerExpr>().bits;
    case ExprKind::Convert: {
      Node operand = value->as<checked::ConvertExpr>().operand;
      return operand->type->is_unsigned() ? std::min(most, largest_of(operand)) : most;
    }
    case ExprKind::Builtin: {
      if (!is_minimum(value)) return most;
      const auto& arguments = value->as<checked::BuiltinExpr>().arguments;
      return std::min(largest_of(arguments[0]), largest_of(arguments[1]));
    }
    case ExprKind::Binary: {
      const auto& operation = value->as<checked::BinaryExpr>();
      const std::uint64_t right = largest_of(operation.right);
      switch (operation.op) {
        case BinaryOp::And:
          return std::min(largest_of(operation.left), right);
        case BinaryOp::Remainder:
          return std::min(largest_of(operation.left), right == 0 ? 0 : right - 1);
        case BinaryOp::Divide:
          if (operation.right->kind == ExprKind::Integer && right != 0) return largest_of(operation.left) / right;
          return largest_of(operation.left);
        default:
          return most;
      }
    }
    default:
      return most;
  }
}

Facts::Terms Facts::upper(Node value, unsigned depth) {
  Terms terms;
  value = looked_through(value);
  if (depth > kDeepest) return terms;
  if (const auto term = exact(value, depth)) terms.add(*term);
  const auto all_of = [&](Node operand, Wide by) {
    for (const Term& term : upper(operand, depth + 1)) terms.add({term.atom, term.constant + by});
  };
  if (value->kind == ExprKind::Binary) {
    const auto& operation = value->as<checked::BinaryExpr>();
    switch (operation.op) {
      case BinaryOp::Add:
        upper_of_sum(operation, terms, depth + 1);
        break;
      case BinaryOp::Subtract: {
        const Terms lows = lower(operation.right, depth + 1);
        for (const Term& high : upper(operation.left, depth + 1)) {
          for (const Term& low : lows) {
            if (low.atom == kZero) terms.add({high.atom, high.constant - low.constant});
          }
        }
        break;
      }
      case BinaryOp::Divide:
        all_of(operation.left, 0);
        break;
      case BinaryOp::Remainder:
        all_of(operation.left, 0);
        all_of(operation.right, -1);
        break;
      case BinaryOp::And:
        all_of(operation.left, 0);
        all_of(operation.right, 0);
        break;
      default:
        break;
    }
  } else if (is_minimum(value)) {
    for (Node argument : value->as<checked::BuiltinExpr>().arguments) all_of(argument, 0);
  } else if (value->kind == ExprKind::Convert && value->as<checked::ConvertExpr>().operand->type->is_unsigned()) {
    terms.add({kZero, static_cast<Wide>(largest_value(value->as<checked::ConvertExpr>().operand))});
  }
  return terms;
}

void Facts::upper_of_sum(const checked::BinaryExpr& sum, Terms& terms, unsigned depth) {
  const Terms rights = upper(sum.right, depth);
  for (const Term& x : upper(sum.left, depth)) {
    for (const Term& y : rights) {
      const Wide both = x.constant + y.constant;
      if (const auto most = distance(y.atom, kZero)) terms.add({x.atom, both + *most});
      if (const auto most = distance(x.atom, kZero)) terms.add({y.atom, both + *most});
    }
  }
}

Facts::Terms Facts::lower(Node value, unsigned depth) {
  Terms terms;
  value = looked_through(value);
  if (depth > kDeepest) return terms;
  if (const auto term = exact(value, depth)) terms.add(*term);
  terms.add({kZero, 0});
  if (value->kind != ExprKind::Binary) return terms;
  const auto& operation = value->as<checked::BinaryExpr>();
  if (operation.op == BinaryOp::Add) {
    const Terms rights = lower(operation.right, depth + 1);
    for (const Term& x : lower(operation.left, depth + 1)) {
      for (const Term& y : rights) {
        if (y.atom == kZero) terms.add({x.atom, x.constant + y.constant});
      }
    }
  } else if (operation.op == BinaryOp::Subtract) {
    const Terms rights = upper(operation.right, depth + 1);
    for (const Term& x : lower(operation.left, depth + 1)) {
      for (const Term& y : rights) {
        if (y.atom == kZero) terms.add({x.atom, x.constant - y.constant});
      }
    }
  }
  return terms;
}

// ------------------------------------------------------------------------------------------------------------- queries

/// The edges of an atom: the facts it stands in; for a product those of what is multiplied, times the stride; and that
/// nothing is negative. Backwards from zero the last are left out: everything leads there.
void Facts::edges_of(std::uint32_t atom, Way way, std::uint64_t stride, std::vector<Edge>& edges) {
  const auto& known = way == Way::Forward ? leaving_ : entering_;
  const auto scaled = [&](std::uint32_t base, std::uint64_t by) {
    constexpr Wide kLargest = std::numeric_limits<std::uint64_t>::max();
    if (by > (std::uint64_t{1} << 60)) return;
    for (std::size_t i = 0; i < known[base].size(); ++i) {
      const Edge edge = known[base][i];
      if (atoms_[edge.to].kind == AtomKind::Product || edge.bound > kLargest || edge.bound < -kLargest) continue;
      const std::uint32_t to = edge.to == kZero ? kZero : product_atom(edge.to, by);
      edges.push_back({to, edge.bound * static_cast<Wide>(by)});
    }
  };
  edges.assign(known[atom].begin(), known[atom].end());
  if (atoms_[atom].kind == AtomKind::Product) scaled(atoms_[atom].base, atoms_[atom].stride);
  if (atom == kZero) {
    for (const auto& [each, count] : strides_) {
      if (count > 0) scaled(kZero, each);
    }
    if (stride != 0 && strides_[stride] == 0) scaled(kZero, stride);
  } else if (way == Way::Forward) {
    edges.push_back({kZero, 0});
  }
}

/// Bellman and Ford's algorithm with a queue; an atom reached by a way of as many steps as there are atoms lies on a
/// negative cycle.
std::optional<Facts::Distances> Facts::search(std::uint32_t start, Way way, std::uint64_t stride) {
  struct Step {
    std::size_t length = 0;
    bool waiting = false;
  };
  if (edges_left_ == 0) return std::nullopt;
  Distances best{{start, 0}};
  std::unordered_map<std::uint32_t, Step> steps;
  std::deque<std::uint32_t> queue{start};
  std::vector<Edge> edges;
  std::size_t relaxed = 0;
  while (!queue.empty()) {
    const std::uint32_t from = queue.front();
    queue.pop_front();
    steps[from].waiting = false;
    const std::size_t length = steps[from].length + 1;
    const Wide so_far = best[from];
    edges_of(from, way, stride, edges);
    edges_left_ -= std::min(edges_left_, edges.size());
    if (edges_left_ == 0) return std::nullopt;
    for (const Edge& edge : edges) {
      const Wide total = so_far + edge.bound;
      const auto [known, is_new] = best.try_emplace(edge.to, total);
      if (!is_new && known->second <= total) continue;
      known->second = total;
      Step& step = steps[edge.to];
      step.length = length;
      if (length > atoms_.size() || ++relaxed > kMostSteps) return std::nullopt;
      if (std::exchange(step.waiting, true)) continue;
      queue.push_back(edge.to);
    }
  }
  return best;
}

std::optional<Facts::Wide> Facts::distance(std::uint32_t left, std::uint32_t right) {
  if (left == right) return 0;
  std::uint64_t stride = 0;
  for (const std::uint32_t atom : {left, right}) {
    if (atoms_[atom].kind == AtomKind::Product) stride = atoms_[atom].stride;
  }
  const auto from_right = search(right, Way::Forward, stride);
  if (!from_right) return std::nullopt;
  if (const auto found = from_right->find(left); found != from_right->end()) return found->second;
  // No plain atom is above the largest usize: from zero to one of them, and on.
  const auto to_left = search(left, Way::Backward, stride);
  if (!to_left) return std::nullopt;
  constexpr Wide kLargest = std::numeric_limits<std::uint64_t>::max();
  std::optional<Wide> least;
  for (const auto& [atom, way] : *to_left) {
    if (atom == kZero || atoms_[atom].kind == AtomKind::Product) continue;
    if (!least || way < *least) least = way;
  }
  if (!least) return std::nullopt;
  return from_right->at(kZero) + kLargest + *least;
}

bool Facts::at_most(std::uint32_t left, std::uint32_t right, Wide by) {
  const auto known = distance(left, right);
  return known && *known <= by;
}

bool Facts::at_most(const Term& left, const Term& right, Wide by) {
  return at_most(left.atom, right.atom, right.constant - left.constant + by);
}

/// The strides at which the binder occurs in a fact, or in a lower term of a value or of one of its operands.
std::vector<std::uint64_t> Facts::candidates(std::uint32_t binder, std::span<const Node> values) {
  std::vector<std::uint64_t> strides;
  const auto note = [&](std::uint32_t atom) {
    if (atoms_[atom].kind == AtomKind::Product && atoms_[atom].base == binder) strides.push_back(atoms_[atom].stride);
  };
  for (const Fact& fact : facts_) {
    note(fact.left);
    note(fact.right);
  }
  const auto note_terms = [&](Node value) {
    for (const Term& term : lower(value)) note(term.atom);
  };
  for (Node value : values) {
    value = looked_through(value);
    note_terms(value);
    if (value->kind == ExprKind::Binary) {
      note_terms(value->as<checked::BinaryExpr>().left);
      note_terms(value->as<checked::BinaryExpr>().right);
    } else if (value->kind == ExprKind::Builtin) {
      for (Node argument : value->as<checked::BuiltinExpr>().arguments) note_terms(argument);
    }
  }
  std::ranges::sort(strides);
  strides.erase(std::ranges::unique(strides).begin(), strides.end());
  return strides;
}

bool Facts::starts_in_block(Node lo, std::uint32_t block) {
  return std::ranges::any_of(lower(lo), [&](const Term& term) { return at_most({block, 0}, term); });
}

/// Whether a value is at most block + room.
bool Facts::ends_in_block(Node hi, std::uint32_t block, Wide room) {
  hi = looked_through(hi);
  const auto within = [&](const Term& term) { return at_most(term, {block, room}); };
  if (std::ranges::any_of(upper(hi), within)) return true;
  if (!is_binary(hi, BinaryOp::Add)) return false;
  const auto is_sum = [&](Node base, Node offset) {
    const auto start = exact(base);
    if (!start || !at_most(*start, {block, 0})) return false;
    return std::ranges::any_of(upper(offset), [&](const Term& term) { return at_most(term, {kZero, room}); });
  };
  const auto& sum = hi->as<checked::BinaryExpr>();
  return is_sum(sum.left, sum.right) || is_sum(sum.right, sum.left);
}

std::optional<std::uint64_t> Facts::stride_of(Node index, const Local& binder) {
  if (named_local(index) == &binder) return 1;
  derive();
  const std::uint32_t lane = local_atom(binder);
  const Node values[] = {index};
  for (const std::uint64_t stride : candidates(lane, values)) {
    const std::uint32_t block = product_atom(lane, stride);
    if (starts_in_block(index, block) && ends_in_block(index, block, static_cast<Wide>(stride) - 1)) return stride;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Facts::stride_of(Node lo, Node hi, const Local& binder) {
  derive();
  const std::uint32_t lane = local_atom(binder);
  const Node values[] = {lo, hi};
  for (const std::uint64_t stride : candidates(lane, values)) {
    const std::uint32_t block = product_atom(lane, stride);
    if (starts_in_block(lo, block) && ends_in_block(hi, block, static_cast<Wide>(stride))) return stride;
  }
  return std::nullopt;
}

bool Facts::below_length(Node index, Node array) {
  derive();
  const auto length = length_term(array);
  if (!length) return false;
  return std::ranges::any_of(upper(index), [&](const Term& term) { return at_most(term, *length, -1); });
}

bool Facts::sum_fits(Node left, Node right) {
  derive();
  constexpr Wide kLargest = std::numeric_limits<std::uint64_t>::max();
  for (const Term& x : upper(left)) {
    for (const Term& y : upper(right)) {
      const auto a = distance(x.atom, kZero);
      const auto b = distance(y.atom, kZero);
      if (a && b && *a + x.constant + *b + y.constant <= kLargest) return true;
    }
  }
  return false;
}

bool Facts::difference_fits(Node left, Node right) {
  derive();
  for (const Term& high : upper(right)) {
    for (const Term& low : lower(left)) {
      if (at_most(high, low)) return true;
    }
  }
  return false;
}

}  // namespace cairn
