#include "runtime/reference/attention_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "runtime/reference/soft_float.hpp"

namespace cairn::reference {

namespace {

std::string shown(const Shape& shape) {
  std::string made = "(";
  for (std::size_t d = 0; d < shape.size(); ++d) made += (d == 0 ? "" : ", ") + std::to_string(shape[d]);
  return made + ")";
}

/// The shape with leading dimensions of 1 up to `rank`; nothing when it has more, or fewer than `least`.
std::optional<std::array<std::size_t, 4>> padded(const Shape& shape, std::size_t rank, std::size_t least) {
  if (shape.size() > rank || shape.size() < least) return std::nullopt;
  std::array<std::size_t, 4> made = {1, 1, 1, 1};
  std::ranges::copy(shape, made.begin() + static_cast<std::ptrdiff_t>(rank - shape.size()));
  return made;
}

std::unexpected<Refusal> refused(std::string why) { return std::unexpected(Refusal{std::move(why)}); }

Shape with_last(Shape shape, std::size_t extent) {
  shape.back() = extent;
  return shape;
}

/// The least root r with r * r == n, or 0.
std::size_t exact_root(std::size_t n) {
  auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  while (root * root > n) --root;
  while ((root + 1) * (root + 1) <= n) ++root;
  return root * root == n ? root : 0;
}

constexpr std::size_t kMostPairs = std::size_t{1} << 40U;

ResultOptions taken(const AttentionOptions& options) {
  return {options.standard, options.compute, options.ulps, options.flush_to_zero, options.work};
}

}  // namespace

bool Scale::is_power_of_four() const {
  if (!is_rational()) {
    // 1/sqrt(root) is a power of 4 when root is one of 16.
    unsigned long rest = root;
    while (rest % 16 == 0) rest /= 16;
    return rest == 1;
  }
  const mpq_class number = Rational(numerator).exact() / denominator;
  if (number == 0) return false;
  const mpz_class top = abs(number.get_num());
  const mpz_class& bottom = number.get_den();
  const auto is_power = [](const mpz_class& n) {
    const mp_bitcnt_t zeros = mpz_scan1(n.get_mpz_t(), 0);
    return mpz_sizeinbase(n.get_mpz_t(), 2) == zeros + 1 && zeros % 2 == 0;
  };
  return is_power(top) && is_power(bottom);
}

int Scale::sign_of(const Value& a, const Value& m) const {
  if (is_rational()) return (numerator * a + m * Value(denominator, 0)).sign();
  // a/sqrt(root) + m: when the signs differ, the larger square decides.
  if (a.sign() == 0 || m.sign() == 0 || a.sign() == m.sign()) return a.sign() != 0 ? a.sign() : m.sign();
  const int order = compare(a * a, m * m * Value(mpz_class(root), 0));
  return order == 0 ? 0 : order > 0 ? a.sign() : m.sign();
}

Numbers numbers_of(const Entries& entries) {
  const std::size_t count = entries.value.size();
  Numbers made;
  made.format = entries.format;
  made.value.resize(count);
  made.size.resize(count);
  made.not_finite.resize(count);
  made.may_be_special = entries.special;
  if (entries.ranged()) made.radius.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Element& element = entries.value[i];
    made.not_finite[i] = element.is_finite() ? 0 : 1;
    if (!element.is_finite()) continue;
    made.value[i] = element.to_f64();
    made.size[i] = std::fabs(made.value[i]);
    if (!entries.ranged()) continue;
    const Value value = element.value();
    const Value above = entries.hi[i].value() - value;
    const Value below = value - entries.lo[i].value();
    const Value& radius = above < below ? below : above;
    made.radius[i] = Rational(radius).up_to_f64();
    made.size[i] = Rational(value.magnitude() + radius).up_to_f64();
    if (std::isfinite(made.size[i])) continue;
    // Wider than doubles count: nothing can be said of it.
    made.radius[i] = 0;
    made.size[i] = std::fabs(made.value[i]);
    made.may_be_special[i] = 1;
  }
  return made;
}

void add_product(FixedPoint& sum, double a, double b) {
  const Small x = small(a);
  const Small y = small(b);
  if (x.magnitude == 0 || y.magnitude == 0) return;
  sum.add_wide(x.negative != y.negative, x.magnitude * y.magnitude, x.exponent + y.exponent);
}

std::expected<AttentionProblem, Refusal> AttentionProblem::of(const AttentionInput& input,
                                                              const AttentionOptions& options) {
  if (input.dropout_p != 0) return refused("dropout_p is 0: dropout needs the mask that was drawn");
  if (input.is_causal && input.attn_mask) return refused("is_causal stands without attn_mask");
  const Shape& q_shape = values_of(input.query).shape();
  const Shape& k_shape = values_of(input.key).shape();
  const Shape& v_shape = values_of(input.value).shape();
  const auto q = padded(q_shape, 4, 2);
  const auto k = padded(k_shape, 4, 2);
  const auto v = padded(v_shape, 4, 2);
  if (!q || !k || !v) return refused("query, key and value have two to four dimensions");
  AttentionProblem made;
  made.batch = (*q)[0];
  made.query_heads = (*q)[1];
  made.queries = (*q)[2];
  made.width = (*q)[3];
  made.key_heads = (*k)[1];
  made.keys = (*k)[2];
  made.value_width = (*v)[3];
  if ((*k)[0] != made.batch || (*k)[3] != made.width) {
    return refused("the key is " + shown(k_shape) + ", which does not fit the query " + shown(q_shape));
  }
  if ((*v)[0] != made.batch || (*v)[1] != made.key_heads || (*v)[2] != made.keys) {
    return refused("the value is " + shown(v_shape) + ", which does not fit the key " + shown(k_shape));
  }
  if (input.enable_gqa ? made.key_heads == 0 || made.query_heads % made.key_heads != 0
                       : made.query_heads != made.key_heads) {
    return refused(
        std::to_string(made.query_heads) + " query heads and " + std::to_string(made.key_heads) + " key heads: " +
        (input.enable_gqa ? "the first is a multiple of the second" : "they are as many without enable_gqa"));
  }
  std::size_t work = 1;
  for (const std::size_t extent : {made.batch, made.query_heads, made.queries, made.keys}) {
    if (__builtin_mul_overflow(work, std::max<std::size_t>(extent, 1), &work) || work > kMostPairs) {
      return refused("the problem has more pairs of queries and keys than can be computed");
    }
  }
  made.query_shape = q_shape;
  made.key_shape = k_shape;
  made.value_shape = v_shape;
  made.output_shape = with_last(q_shape, made.value_width);
  made.logsumexp_shape = Shape(q_shape.begin(), q_shape.end() - 1);

  if (input.scale) {
    if (!std::isfinite(*input.scale)) return refused("scale is a finite number");
    made.scale.numerator = Value::of(*input.scale);
  } else {
    if (made.width == 0) return refused("the default scale needs a width of 1 or more");
    const std::size_t root = exact_root(made.width);
    made.scale.numerator = Value(mpz_class(1), 0);
    made.scale.denominator = mpz_class(root == 0 ? 1 : root);
    made.scale.root = root == 0 ? made.width : 0;
  }

  const Format formats[] = {values_of(input.query).format(), values_of(input.key).format(),
                            values_of(input.value).format()};
  const bool wide = std::ranges::find(formats, Format::F64) != std::end(formats);
  made.compute = options.compute.value_or(wide ? Format::F64 : Format::F32);
  if (made.compute == Format::F8E4M3 || made.compute == Format::F8E5M2) {
    return refused("the compute format is one of f16 bf16 f32 f64");
  }
  for (const Format format : formats) {
    if (!contains(made.compute, format)) {
      return refused("the compute format " + std::string(info(made.compute).name) + " does not hold every value of " +
                     std::string(info(format).name));
    }
  }
  made.dtype = options.dtype.value_or(formats[0]);
  made.sum_format = options.logsumexp.value_or(made.compute);
  if (made.sum_format != made.compute && options.with_outcomes) {
    return refused("bounds of the logsumexp are of the compute format");
  }
  made.rounding = options.rounding;
  if (options.ulps) {
    if (options.ulps->is_infinite()) return refused("ulps is a finite number");
    made.ulps = options.ulps->exact();
  }
  const mpq_class most = Rational(Value::power_of_two(info(made.compute).p - 3)).exact();
  if (made.ulps < mpq_class(1, 2) || made.ulps > most) {
    return refused("ulps is at least 1/2, and 2 * ulps * u at most 1/4 in the compute format");
  }
  made.flush = options.flush_to_zero;
  made.strict = options.standard == Standard::Strict;
  made.causal_ = input.is_causal;

  const auto entries = [&](const Operand& operand, Numbers& to) -> std::optional<Refusal> {
    auto got = entries_of(operand, taken(options));
    if (!got) return got.error();
    to = numbers_of(*got);
    return std::nullopt;
  };
  if (auto fault = entries(input.query, made.query)) return std::unexpected(std::move(*fault));
  if (auto fault = entries(input.key, made.key)) return std::unexpected(std::move(*fault));
  if (auto fault = entries(input.value, made.value)) return std::unexpected(std::move(*fault));
  if (!input.attn_mask) return made;

  const auto* const boolean = std::get_if<const BooleanArray*>(&*input.attn_mask);
  const Shape& mask_shape = boolean != nullptr ? (*boolean)->shape
                            : std::holds_alternative<const Result*>(*input.attn_mask)
                                ? std::get<const Result*>(*input.attn_mask)->rounded().shape()
                                : std::get<const Array*>(*input.attn_mask)->shape();
  const auto extents = padded(mask_shape, 4, 0);
  const std::size_t full[4] = {made.batch, made.query_heads, made.queries, made.keys};
  bool fits = extents.has_value();
  for (std::size_t d = 0; fits && d < 4; ++d) fits = (*extents)[d] == 1 || (*extents)[d] == full[d];
  if (!fits) {
    return refused("the mask is " + shown(mask_shape) + ", which does not broadcast to " +
                   shown({full[0], full[1], full[2], full[3]}));
  }
  std::ranges::copy(*extents, made.mask_extents_);
  if (boolean != nullptr) {
    if ((*boolean)->values.size() != element_count(mask_shape))
      return refused("the mask has as many values as its shape");
    made.admitted_ = (*boolean)->values;
    return made;
  }
  const Operand operand = std::holds_alternative<const Result*>(*input.attn_mask)
                              ? Operand(std::get<const Result*>(*input.attn_mask))
                              : Operand(std::get<const Array*>(*input.attn_mask));
  const auto mask = entries_of(operand, taken(options));
  if (!mask) return std::unexpected(mask.error());
  made.mask_ = numbers_of(*mask);
  made.excluded_.resize(mask->value.size());
  for (std::size_t i = 0; i < mask->value.size(); ++i) {
    made.excluded_[i] = mask->value[i].kind == Value::Kind::MinusInfinity ? 1 : 0;
    if (made.excluded_[i] != 0) made.mask_->not_finite[i] = 0;  // it says what it means
  }
  return made;
}

std::optional<Refusal> AttentionProblem::take(const BackwardInput& input, const AttentionOptions& options) {
  if (input.out.has_value() != input.logsumexp.has_value()) return Refusal{"out and logsumexp come together"};
  const auto fits = [&](const Operand& operand, const Shape& shape, const char* role) -> std::optional<Refusal> {
    const Shape& got = values_of(operand).shape();
    const std::size_t rank = shape.size() == output_shape.size() ? 4 : 3;
    if (padded(got, rank, 1) == padded(shape, rank, 1)) return std::nullopt;
    return Refusal{std::string(role) + " is " + shown(got) + " and should be " + shown(shape)};
  };
  const auto entries = [&](const Operand& operand, const Shape& shape, const char* role,
                           std::optional<Numbers>& to) -> std::optional<Refusal> {
    if (auto fault = fits(operand, shape, role)) return fault;
    if (!contains(compute, values_of(operand).format())) {
      return Refusal{"the compute format does not hold every value of " + std::string(role)};
    }
    auto got = entries_of(operand, taken(options));
    if (!got) return got.error();
    to = numbers_of(*got);
    return std::nullopt;
  };
  if (auto fault = entries(input.grad, output_shape, "grad", grad)) return fault;
  if (!input.out) return std::nullopt;
  if (auto fault = entries(*input.out, output_shape, "out", out)) return fault;
  if (values_of(*input.logsumexp).format() != compute) return Refusal{"logsumexp has the compute format"};
  return entries(*input.logsumexp, logsumexp_shape, "logsumexp", logsumexp);
}

std::optional<Refusal> AttentionProblem::misfit(const AttentionAlgorithm::Options& algorithm) const {
  if (algorithm.block_size && *algorithm.block_size == 0) return Refusal{"block_size is 0: a block has at least 1 key"};
  if (!algorithm.mma) return std::nullopt;
  const bool in_f32 = compute == Format::F32 && algorithm.accumulate.value_or(compute) == Format::F32;
  if (!in_f32) return Refusal{"mma computes and accumulates in f32"};
  if (!algorithm.weights) return Refusal{"mma needs weights: the format the weights are rounded to"};
  for (const Numbers* operand : {&query, &key, &value}) {
    if (!is_storage_float(operand->format)) {
      return Refusal{"mma takes storage floats, not " + std::string(info(operand->format).name)};
    }
  }
  return std::nullopt;
}

std::vector<std::size_t> AttentionProblem::rows_of(std::size_t head) const {
  std::vector<std::size_t> made;
  const std::size_t of_batch = head / key_heads;
  for (std::size_t h = 0; h < query_heads; ++h) {
    if (h * key_heads / query_heads != head % key_heads) continue;
    for (std::size_t i = 0; i < queries; ++i) made.push_back((of_batch * query_heads + h) * queries + i);
  }
  return made;
}

std::size_t AttentionProblem::mask_at(std::size_t row, std::size_t key_index) const {
  const std::size_t index[4] = {row / queries / query_heads, row / queries % query_heads, row % queries, key_index};
  std::size_t at = 0;
  for (std::size_t d = 0; d < 4; ++d) at = at * mask_extents_[d] + (mask_extents_[d] == 1 ? 0 : index[d]);
  return at;
}

bool AttentionProblem::admits(std::size_t row, std::size_t key_index) const {
  if (causal_) return key_index <= row % queries;
  if (mask_) return excluded_[mask_at(row, key_index)] == 0;
  return admitted_.empty() || admitted_[mask_at(row, key_index)] != 0;
}

}  // namespace cairn::reference
