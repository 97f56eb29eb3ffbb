// Terms of the solver's logic, as a graph in which equal terms are one node. Integers are bit vectors of their width,
// bool is a sort of its own, f32 and f64 are IEEE numbers with one NaN, arrays map a 64-bit index to one of these.
//
// Making a term simplifies it, so that what two functions compute alike is often the same node before any solver is
// asked. Every rule keeps the meaning of QF_AUFBV and QF_FP terms: division by zero and shifts past the width are never
// looked at, since the code that makes terms guards them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cairn::verify {

enum class SortKind : std::uint8_t { Bool, Bits, Float };

struct Sort {
  SortKind kind = SortKind::Bool;
  std::uint8_t width = 1;  // Bits: 1 to 128; Float: 32 or 64
  bool array = false;      // of these, by 64-bit index
  friend bool operator==(const Sort&, const Sort&) = default;
};
inline constexpr Sort kBool{};
inline constexpr Sort kIndex{SortKind::Bits, 64, false};
[[nodiscard]] constexpr Sort bits_sort(unsigned width) {
  return {SortKind::Bits, static_cast<std::uint8_t>(width), false};
}
[[nodiscard]] constexpr Sort float_sort(unsigned width) {
  return {SortKind::Float, static_cast<std::uint8_t>(width), false};
}
[[nodiscard]] constexpr Sort array_of(Sort element) { return {element.kind, element.width, true}; }
[[nodiscard]] constexpr Sort element_of(Sort array) { return {array.kind, array.width, false}; }

enum class TermOp : std::uint8_t {
  Constant,  // value; a float's is its pattern
  Variable,  // value: index of its name
  Apply,     // value: index of its name; a function of its operands of which nothing else is known
  Not,
  And,  // of any number of terms, sorted, each once
  Or,
  Ite,
  MinU,  // the least or greatest of any number of terms, sorted, each once
  MaxU,
  MinS,
  MaxS,
  Equal,  // floats: the same number, or both NaN; -0.0 and +0.0 differ
  Add,    // of any number of terms, a constant last; differences are sums of multiples
  Sub,
  Mul,
  DivU,
  RemU,
  DivS,
  RemS,
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRightU,
  ShiftRightS,
  LessU,
  LessEqualU,
  LessS,
  LessEqualS,
  ZeroExtend,
  SignExtend,
  Truncate,
  MulFitsU,  // the product fits the width
  MulFitsS,  // the same, signed
  Select,    // array, index
  Store,     // array, index, value
  Filled,    // an array whose every element is the operand
  FloatAdd,  // rounded to nearest even, like every operation on floats below
  FloatSub,
  FloatMul,
  FloatDiv,
  FloatNegate,
  FloatEqual,  // of IEEE 754: false with a NaN, true for the two zeros
  FloatLess,
  FloatLessEqual,
  FloatIsNan,
  FloatFromU,
  FloatFromS,
  FloatFromFloat,
  FloatToU,  // toward zero; only of numbers in range
  FloatToS,
};

/// An index into a Terms; 0 is `false`, 1 is `true`.
using Term = std::uint32_t;
inline constexpr Term kFalse = 0;
inline constexpr Term kTrue = 1;

class Terms {
 public:
  struct Node {
    TermOp op{};
    Sort sort;
    std::uint64_t value = 0;
    std::uint32_t first = 0;  // of its operands
    std::uint32_t count = 0;
  };

  Terms();

  [[nodiscard]] const Node& node(Term term) const { return nodes_[term]; }
  [[nodiscard]] Sort sort(Term term) const { return nodes_[term].sort; }
  [[nodiscard]] std::span<const Term> operands(Term term) const {
    return {operands_.data() + nodes_[term].first, nodes_[term].count};
  }
  [[nodiscard]] Term operand(Term term, std::size_t index) const { return operands(term)[index]; }
  [[nodiscard]] const std::string& name(Term variable) const { return names_[nodes_[variable].value]; }
  [[nodiscard]] bool is_constant(Term term) const { return nodes_[term].op == TermOp::Constant; }
  /// Of a constant, of at most 64 bits.
  [[nodiscard]] std::uint64_t value(Term term) const { return nodes_[term].value; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  [[nodiscard]] static Term boolean(bool value) { return value ? kTrue : kFalse; }
  Term bits(unsigned width, std::uint64_t value);
  Term constant(Sort sort, std::uint64_t value);
  /// The variable of that name; a name has one sort.
  Term variable(std::string_view name, Sort sort);
  /// The function of that name of these; a name goes with one sort and the sorts of its operands.
  Term apply(std::string_view name, Sort sort, std::span<const Term> of);

  Term negate(Term term);
  Term both(Term left, Term right);
  Term either(Term left, Term right);
  Term all(const std::vector<Term>& terms);
  Term any(const std::vector<Term>& terms);
  Term implies(Term left, Term right) { return either(negate(left), right); }
  Term choose(Term condition, Term then, Term otherwise);
  Term equal(Term left, Term right);
  Term differ(Term left, Term right) { return negate(equal(left, right)); }

  /// Add .. ShiftRightS, LessU .. LessEqualS, MulFitsU, MulFitsS, and the operations on floats with two operands.
  Term binary(TermOp op, Term left, Term right);
  /// FloatNegate, FloatIsNan.
  Term unary(TermOp op, Term operand);
  /// ZeroExtend, SignExtend, Truncate to a width; FloatFromU .. FloatToS to a sort.
  Term convert(TermOp op, Sort to, Term operand);
  Term select(Term array, Term index);
  Term store(Term array, Term index, Term value);
  Term filled(Sort array, Term value);

  /// From now on `term` counts as at most `most`, unsigned: every question asked later has to say so too.
  void assume_at_most(Term term, std::uint64_t most);
  /// What a term is known not to exceed.
  [[nodiscard]] std::uint64_t most_of(Term term) const;
  /// `root` with a value in place of a variable, simplified again.
  Term substitute(Term root, Term variable, Term value);

  /// What only one of two conditions says that are never true together and differ in few conjuncts: a condition that,
  /// where one of both holds, holds exactly where `left` does.
  Term distinguish(Term left, Term right);

 private:
  struct Key {
    Node node;
    std::vector<Term> operands;
    friend bool operator==(const Key&, const Key&);
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  Term make(TermOp op, Sort sort, std::uint64_t value, std::span<const Term> operands);
  Term again(Term term, const std::vector<Term>& of);
  Term make(TermOp op, Sort sort, std::initializer_list<Term> operands) {
    return make(op, sort, 0, std::span(operands.begin(), operands.size()));
  }
  Term connect(TermOp op, const std::vector<Term>& terms);
  Term factor(Term left, Term right);
  Term fold(TermOp op, unsigned width, std::uint64_t left, std::uint64_t right);
  Term simplify_arithmetic(TermOp op, Term left, Term right);
  Term simplify_comparison(TermOp op, Term left, Term right);
  [[nodiscard]] std::vector<Term> conjuncts(Term term) const;
  [[nodiscard]] bool are_opposite(Term left, Term right) const;
  /// A term as another plus a constant.
  [[nodiscard]] std::pair<Term, std::uint64_t> as_sum(Term term);
  void gather(Term term, std::uint64_t factor, std::map<Term, std::uint64_t>& sum, std::uint64_t& constant) const;
  Term linear(unsigned width, const std::map<Term, std::uint64_t>& sum, std::uint64_t constant);

  [[nodiscard]] bool are_apart(Term left, Term right);
  Term extreme(TermOp op, const std::vector<Term>& terms);
  /// A choice that is the smaller or larger of what its condition compares; 0 when it is none.
  Term as_extreme(Term condition, Term then, Term otherwise);

  std::vector<Node> nodes_;
  std::vector<Term> operands_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, Term> variables_;
  std::unordered_map<std::string, std::uint64_t> functions_;  // index of the name
  std::unordered_map<std::uint64_t, std::vector<Term>> by_hash_;
  std::unordered_map<Term, std::uint64_t> at_most_;
  std::unordered_map<std::uint64_t, Term> selected_;  // (array, index) -> the read, written out
};

[[nodiscard]] constexpr std::uint64_t mask_of(unsigned width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}
[[nodiscard]] constexpr std::int64_t signed_of(std::uint64_t value, unsigned width) {
  return static_cast<std::int64_t>(value << (64 - width)) >> (64 - width);
}

}  // namespace cairn::verify
