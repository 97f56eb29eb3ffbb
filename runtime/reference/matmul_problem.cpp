#include "runtime/reference/matmul_problem.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace cairn::reference {

namespace {

std::string shown(const Shape& shape) {
  std::string made;
  for (const std::size_t extent : shape) made += (made.empty() ? "" : " x ") + std::to_string(extent);
  return made.empty() ? "a scalar" : made;
}

std::expected<void, Refusal> is_matrix(const Operand& operand, const char* role) {
  const Shape& shape = values_of(operand).shape();
  if (shape.size() == 2) return {};
  return std::unexpected(Refusal{std::string(role) + " is a matrix, not " + shown(shape)});
}

Entries transposed(const Entries& entries, std::size_t rows, std::size_t columns) {
  Entries made;
  made.format = entries.format;
  const auto turned = [&](const auto& from, auto& to) {
    to.resize(from.size());
    if (from.empty()) return;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
    }
  };
  turned(entries.value, made.value);
  turned(entries.lo, made.lo);
  turned(entries.hi, made.hi);
  turned(entries.special, made.special);
  return made;
}

Format first_containing(Format a, Format b) {
  for (const Format candidate : {a, b, Format::F16, Format::Bf16, Format::F32}) {
    if (contains(candidate, a) && contains(candidate, b)) return candidate;
  }
  return Format::F64;
}

}  // namespace

std::expected<MatmulProblem, Refusal> MatmulProblem::of(const MatmulInput& input, const MatmulOptions& options) {
  if (auto fits = is_matrix(input.a, "A"); !fits) return std::unexpected(fits.error());
  if (auto fits = is_matrix(input.b, "B"); !fits) return std::unexpected(fits.error());
  const Shape& a_shape = values_of(input.a).shape();
  const Shape& b_shape = values_of(input.b).shape();
  if (a_shape[1] != b_shape[0]) {
    return std::unexpected(Refusal{"A is " + shown(a_shape) + " and B is " + shown(b_shape) + ": they do not fit"});
  }
  MatmulProblem made;
  made.m = a_shape[0];
  made.n = b_shape[1];
  made.k = a_shape[1];
  if (input.onto && values_of(*input.onto).shape() != Shape{made.m, made.n}) {
    return std::unexpected(
        Refusal{"C is " + shown(values_of(*input.onto).shape()) + ", and the product is " + shown({made.m, made.n})});
  }
  ResultOptions taken;
  taken.standard = options.standard;
  taken.flush_to_zero = options.flush_to_zero;
  taken.work = options.work;
  auto a = entries_of(input.a, taken);
  if (!a) return std::unexpected(a.error());
  auto b = entries_of(input.b, taken);
  if (!b) return std::unexpected(b.error());
  made.a = std::move(*a);
  made.b = transposed(*b, made.k, made.n);
  if (input.onto) {
    auto c = entries_of(*input.onto, taken);
    if (!c) return std::unexpected(c.error());
    made.onto = std::move(*c);
  }
  made.dtype = options.dtype.value_or(first_containing(made.a.format, made.b.format));
  return made;
}

namespace {

void add_to(FixedPoint& sum, const Small& term) {
  if (term.magnitude != 0) sum.add_wide(term.negative, term.magnitude, term.exponent);
}

/// Counts a fixed term: its value, and what else it can be.
void add_fixed(ElementSums& sums, const Small& term, std::span<const Small> others) {
  sums.fixed_sum = sums.fixed != 0 ? sums.fixed_sum + term.value() : term.value();
  ++sums.fixed;
  bool plus = term.kind == Value::Kind::PlusInfinity;
  bool minus = term.kind == Value::Kind::MinusInfinity;
  bool nan = term.kind == Value::Kind::NotANumber;
  for (const Small& other : others) {
    plus = plus || other.kind == Value::Kind::PlusInfinity;
    minus = minus || other.kind == Value::Kind::MinusInfinity;
    nan = nan || other.kind == Value::Kind::NotANumber;
  }
  sums.all_plus = sums.all_plus && plus;
  sums.all_minus = sums.all_minus && minus;
  sums.some_plus = sums.some_plus || plus;
  sums.some_minus = sums.some_minus || minus;
  sums.some_nan = sums.some_nan || nan || (plus && minus);
}

/// An infinity or NaN times a factor that lies within a range: at its ends, and at 0 when the ends have other signs.
std::array<Small, 2> fixed_at_ends(const Element& fixed, const Element& lo, const Element& hi) {
  return {product(fixed, lo), product(fixed, hi)};
}

/// The least and the greatest product of factors within their ranges: at corners.
std::pair<Small, Small> corners(const Element& a_lo, const Element& a_hi, const Element& b_lo, const Element& b_hi) {
  const std::array<Small, 4> products = {product(a_lo, b_lo), product(a_lo, b_hi), product(a_hi, b_lo),
                                         product(a_hi, b_hi)};
  const auto less = [](const Small& x, const Small& y) { return compare(x, y) < 0; };
  const auto [lo, hi] = std::minmax_element(products.begin(), products.end(), less);
  return {*lo, *hi};
}

Small larger_magnitude(Small a, Small b) {
  a.negative = false;
  b.negative = false;
  return compare(a, b) < 0 ? b : a;
}

/// Whether a factor within [lo, hi] can be below 2^exponent in magnitude.
bool reaches_below(const Element& lo, const Element& hi, int exponent) {
  const Small bound{1, exponent, false, Value::Kind::Finite};
  const Small negative{1, exponent, true, Value::Kind::Finite};
  return compare(small(lo), bound) < 0 && compare(small(hi), negative) > 0;
}

}  // namespace

void MatmulProblem::add_plain(std::size_t element, Scratch& scratch, ElementSums& sums) const {
  const Element* row = a.value.data() + element / n * k;
  const Element* column = b.value.data() + element % n * k;
  for (std::size_t p = 0; p < k; ++p) {
    const Element& x = row[p];
    const Element& y = column[p];
    if (!x.is_finite() || !y.is_finite()) {
      add_fixed(sums, product(x, y), {});
      continue;
    }
    if (x.significand == 0 || y.significand == 0) continue;
    const bool negative = (x.significand < 0) != (y.significand < 0);
    const auto left = static_cast<std::uint64_t>(x.significand < 0 ? -x.significand : x.significand);
    const auto right = static_cast<std::uint64_t>(y.significand < 0 ? -y.significand : y.significand);
    FixedPoint& sum = negative ? scratch.negative : scratch.positive;
    const Wide magnitude = Wide{left} * right;
    if ((magnitude >> 64) == 0) {
      sum.add(false, static_cast<std::uint64_t>(magnitude), x.exponent + y.exponent);
    } else {
      sum.add_wide(false, magnitude, x.exponent + y.exponent);
    }
  }
  if (!onto) return;
  const Small old = small(onto->value[element]);
  if (!old.is_finite()) return add_fixed(sums, old, {});
  if (old.magnitude != 0) {
    (old.negative ? scratch.negative : scratch.positive).add_wide(false, old.magnitude, old.exponent);
  }
}

void MatmulProblem::add_ranged(std::size_t element, Scratch& scratch, ElementSums& sums) const {
  const std::size_t row = element / n * k;
  const std::size_t column = element % n * k;
  const auto add_range = [&](const Small& value, const Small& lo, const Small& hi) {
    add_to(scratch.exact, value);
    add_to(scratch.least, lo);
    add_to(scratch.greatest, hi);
    if (!hi.negative) add_to(scratch.positive, hi);
    if (lo.negative) add_to(scratch.negative, {lo.magnitude, lo.exponent, false, lo.kind});
    add_to(scratch.magnitude, larger_magnitude(lo, hi));
  };
  for (std::size_t p = 0; p < k; ++p) {
    const Element& x = a.value[row + p];
    const Element& y = b.value[column + p];
    if (a.may_be_special(row + p) || b.may_be_special(column + p)) sums.special = true;
    if (!x.is_finite() || !y.is_finite()) {
      const bool left = x.is_finite();
      const auto ends = left ? fixed_at_ends(y, a.low(row + p), a.high(row + p))
                             : fixed_at_ends(x, b.low(column + p), b.high(column + p));
      add_fixed(sums, product(x, y), ends);
      continue;
    }
    const auto [lo, hi] = corners(a.low(row + p), a.high(row + p), b.low(column + p), b.high(column + p));
    add_range(product(x, y), lo, hi);
  }
  if (!onto) return;
  if (onto->may_be_special(element)) sums.special = true;
  const Small old = small(onto->value[element]);
  if (!old.is_finite()) return add_fixed(sums, old, {});
  add_range(old, small(onto->low(element)), small(onto->high(element)));
}

/// Products with a factor that may be flushed count in full; one with an infinity becomes undefined.
void MatmulProblem::look_at_flushing(std::size_t element, Format below, Scratch& scratch, ElementSums& sums) const {
  const std::size_t row = element / n * k;
  const std::size_t column = element % n * k;
  const int exponent = info(below).emin;
  for (std::size_t p = 0; p < k; ++p) {
    const Element& x = a.value[row + p];
    const Element& y = b.value[column + p];
    const bool x_may = x.is_finite() && reaches_below(a.low(row + p), a.high(row + p), exponent);
    const bool y_may = y.is_finite() && reaches_below(b.low(column + p), b.high(column + p), exponent);
    if (!x_may && !y_may) continue;
    if (x.is_finite() && y.is_finite()) {
      const auto [lo, hi] = corners(a.low(row + p), a.high(row + p), b.low(column + p), b.high(column + p));
      add_to(scratch.flushable, larger_magnitude(lo, hi));
    } else {
      sums.undefined_by_flush = true;
    }
  }
  sums.flushable = scratch.flushable.value();
  scratch.flushable.clear();
}

/// Whether some finite product is no f32 value: too large, or with a bit below 2^-149. A factor known only by a range
/// may have its format's lowest bit.
bool MatmulProblem::leaves_f32(std::size_t element) const {
  const std::size_t row = element / n * k;
  const std::size_t column = element % n * k;
  const FormatInfo& f32 = info(Format::F32);
  const auto lowest_bit = [](const Entries& of, std::size_t at) {
    const Element& lo = of.low(at);
    const Element& hi = of.high(at);
    if (compare(small(lo), small(hi)) == 0) return static_cast<int>(lo.value().exponent());
    const FormatInfo& format = info(of.format);
    const bool holds_zero = lo.significand <= 0 && hi.significand >= 0;
    const Value nearest = lo.significand > 0 ? lo.value() : hi.value();
    return std::max(holds_zero ? format.emin : static_cast<int>(nearest.binade()), format.emin) - format.p + 1;
  };
  for (std::size_t p = 0; p < k; ++p) {
    if (!a.value[row + p].is_finite() || !b.value[column + p].is_finite()) continue;
    const auto [lo, hi] = corners(a.low(row + p), a.high(row + p), b.low(column + p), b.high(column + p));
    const Small largest = larger_magnitude(lo, hi);
    if (largest.magnitude == 0) continue;
    if (largest.value() > f32.largest) return true;
    if (lowest_bit(a, row + p) + lowest_bit(b, column + p) < f32.emin - f32.p + 1) return true;
  }
  return false;
}

ElementSums MatmulProblem::sums(std::size_t element, const Wanted& wanted, Scratch& scratch) const {
  ElementSums made;
  if (a.ranged() || b.ranged() || (onto && onto->ranged())) {
    add_ranged(element, scratch, made);
    made.exact = scratch.exact.value();
    made.least = scratch.least.value();
    made.greatest = scratch.greatest.value();
    made.positive = scratch.positive.value();
    made.negative = scratch.negative.value();
    made.magnitude = scratch.magnitude.value();
    for (FixedPoint* sum : {&scratch.exact, &scratch.least, &scratch.greatest, &scratch.magnitude}) sum->clear();
  } else {
    add_plain(element, scratch, made);
    made.positive = scratch.positive.value();
    made.negative = scratch.negative.value();
    made.exact = made.positive - made.negative;
    made.least = made.exact;
    made.greatest = made.exact;
    made.magnitude = made.positive + made.negative;
  }
  scratch.positive.clear();
  scratch.negative.clear();
  if (made.fixed != 0) made.exact = made.fixed_sum;
  if (wanted.flush_below) look_at_flushing(element, *wanted.flush_below, scratch, made);
  if (wanted.f32_products) made.outside_f32 = leaves_f32(element);
  return made;
}

Value MatmulProblem::exact(std::size_t element, Scratch& scratch) const {
  ElementSums made;
  add_plain(element, scratch, made);
  Value sum = scratch.positive.value() - scratch.negative.value();
  scratch.positive.clear();
  scratch.negative.clear();
  return made.fixed != 0 ? made.fixed_sum : sum;
}

}  // namespace cairn::reference
