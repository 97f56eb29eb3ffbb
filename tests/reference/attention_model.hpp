// Attention by its definition, in rationals and MPFR numbers of 3000 bits: what the library's enclosures must round to,
// and kernels of the class that round wherever section 11 lets them, in either direction.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/reference/attention.hpp"
#include "tests/reference/exact_model.hpp"

namespace cairn::model {

/// A real function of a rational, to 3000 bits.
inline mpq_class real(const mpq_class& x, int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) {
  mpfr_t y;
  mpfr_init2(y, 3000);
  mpfr_set_q(y, x.get_mpq_t(), MPFR_RNDN);
  function(y, y, MPFR_RNDN);
  mpq_class made;
  if (mpfr_number_p(y) != 0 && mpfr_get_exp(y) > -100000) mpfr_get_q(made.get_mpq_t(), y);
  mpfr_clear(y);
  return made;
}
inline mpq_class exp_of(const mpq_class& x) { return x < -60000 ? mpq_class(0) : real(x, mpfr_exp); }
inline mpq_class exp2_of(const mpq_class& x) { return x < -90000 ? mpq_class(0) : real(x, mpfr_exp2); }
inline mpq_class log_of(const mpq_class& x) { return real(x, mpfr_log); }
inline mpq_class log2_of(const mpq_class& x) { return real(x, mpfr_log2); }
inline mpq_class sqrt_of(const mpq_class& x) { return x == 0 ? mpq_class(0) : real(x, mpfr_sqrt); }
/// Of a sum that would grow without end: 3000 bits are left.
inline mpq_class trimmed(const mpq_class& x) {
  return real(x, [](mpfr_ptr, mpfr_srcptr, mpfr_rnd_t) { return 0; });
}

using Matrix = std::vector<std::vector<mpq_class>>;

/// One problem of one batch: `operands` hold what the kernels get, which may be anything within ranges.
struct AttentionTrial {
  std::size_t query_heads = 1, key_heads = 1, queries = 1, keys = 1, width = 1, value_width = 1;
  ref::Array query, key, value, grad, out, logsumexp;
  std::optional<ref::Array> float_mask;
  ref::BooleanArray boolean_mask;
  bool has_boolean_mask = false;
  bool given = false;         // the backward takes out and logsumexp
  ref::AttentionInput input;  // of the arrays above
  ref::AttentionOptions options;

  [[nodiscard]] std::size_t key_head(std::size_t h) const { return h * key_heads / query_heads; }
  [[nodiscard]] mpq_class at(const ref::Array& array, std::size_t head, std::size_t row, std::size_t column,
                             std::size_t rows, std::size_t columns) const {
    return rational(array.at((head * rows + row) * columns + column));
  }
  [[nodiscard]] bool admits(std::size_t h, std::size_t i, std::size_t j) const {
    if (input.is_causal) return j <= i;
    const std::size_t at = (h * queries + i) * keys + j;
    if (has_boolean_mask) return boolean_mask.values[at] != 0;
    return !float_mask || float_mask->at(at).is_finite();
  }
  [[nodiscard]] mpq_class mask(std::size_t h, std::size_t i, std::size_t j) const {
    return float_mask ? rational(float_mask->at((h * queries + i) * keys + j)) : mpq_class(0);
  }
  [[nodiscard]] mpq_class scale() const {
    if (input.scale) return rational(ref::Value::of(*input.scale));
    return 1 / sqrt_of(mpq_class(mpz_class(width)));
  }
};

/// A row by its definition.
struct ExactRow {
  std::vector<std::size_t> admitted;
  std::vector<mpq_class> logits, weights, products, gradients;  // z, P, dP, dS
  std::vector<mpq_class> output;
  mpq_class logsumexp, row_sum;
};

inline ExactRow exact_row(const AttentionTrial& t, std::size_t h, std::size_t i, bool backward) {
  ExactRow made;
  const std::size_t kh = t.key_head(h);
  for (std::size_t j = 0; j < t.keys; ++j) {
    if (!t.admits(h, i, j)) continue;
    mpq_class dot = 0;
    for (std::size_t e = 0; e < t.width; ++e) {
      dot += t.at(t.query, h, i, e, t.queries, t.width) * t.at(t.key, kh, j, e, t.keys, t.width);
    }
    made.admitted.push_back(j);
    made.logits.push_back(t.scale() * dot + t.mask(h, i, j));
  }
  made.output.assign(t.value_width, 0);
  if (made.admitted.empty()) return made;
  const mpq_class top = *std::ranges::max_element(made.logits);
  mpq_class total = 0;
  for (const mpq_class& z : made.logits) total += exp_of(z - top);
  made.logsumexp = top + log_of(total);
  for (const mpq_class& z : made.logits) made.weights.push_back(trimmed(exp_of(z - top) / total));
  for (std::size_t n = 0; n < made.admitted.size(); ++n) {
    mpq_class product = 0;
    for (std::size_t c = 0; c < t.value_width; ++c) {
      const mpq_class v = t.at(t.value, kh, made.admitted[n], c, t.keys, t.value_width);
      made.output[c] += made.weights[n] * v;
      if (backward) product += t.at(t.grad, h, i, c, t.queries, t.value_width) * v;
    }
    made.products.push_back(product);
    made.row_sum += made.weights[n] * product;
  }
  for (std::size_t n = 0; n < made.admitted.size(); ++n) {
    made.gradients.push_back(made.weights[n] * (made.products[n] - made.row_sum));
  }
  return made;
}

/// Something on the way was past its format: the trial says nothing of finite outputs.
struct PastTheRange {};

/// A kernel of the class. Every freedom is taken at random.
class Kernel {
 public:
  Kernel(Generator& random, const AttentionTrial& trial, const ref::AttentionAlgorithm::Options& options)
      : r_(random),
        t_(trial),
        o_(options),
        C_(spec(*trial.options.compute)),
        G_(spec(options.accumulate.value_or(*trial.options.compute))),
        same_(!options.accumulate || *options.accumulate == *trial.options.compute),
        converts_(options.accumulate && !ref::contains(*trial.options.compute, *options.accumulate)),
        ulps_(trial.options.ulps ? trial.options.ulps->exact() : mpq_class(2)),
        flush_(trial.options.flush_to_zero),
        strict_(trial.options.standard == ref::Standard::Strict && !options.online_softmax) {
    const mpq_class s = trial.scale();
    natural_scale_ =
        !trial.input.scale && r_.one_in(2) ? in_c(1 / in_c(sqrt_of(mpq_class(mpz_class(trial.width))))) : in_c(s);
    logit_scale_ = o_.exp2 ? within_ulps(s * log2_of(exp_of(1))) : natural_scale_;
    form_ = o_.mma ? 0 : r_.below(s < 0 ? 2 : 3);
  }

  struct Row {
    std::vector<mpq_class> output;
    mpq_class logsumexp;
  };

  /// An output row: values of dtype, and the logsumexp in C.
  Row forward(std::size_t h, std::size_t i) {
    const std::vector<std::size_t> admitted = admitted_of(h, i);
    std::vector<mpq_class> z = logits(h, i, admitted);
    std::vector<std::size_t> order(admitted.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::vector<std::size_t>> blocks = {order};
    if (o_.online_softmax) blocks = cut(order);
    mpq_class top = 0;
    mpq_class sum = 0;
    std::vector<mpq_class> acc(t_.value_width);
    std::vector<mpq_class> unnormalized(admitted.size());
    bool first = true;
    const std::size_t kh = t_.key_head(h);
    for (const auto& block : blocks) {
      mpq_class next = z[block.front()];
      for (const std::size_t n : block) next = std::max(next, z[n]);
      if (!first) next = std::max(next, top);
      std::vector<mpq_class> terms;
      if (!first) {
        if (next != top) {
          const mpq_class factor = exponential(in_c(top - next));
          sum = in_g(fl(sum) * fl(factor));
          for (mpq_class& a : acc) a = in_g(fl(a) * fl(factor));
        }
        terms.push_back(sum);
      }
      for (const std::size_t n : block) {
        unnormalized[n] = exponential(fused_ ? in_c(fused_logit(h, i, admitted[n]) - next) : in_c(z[n] - next));
        terms.push_back(unnormalized[n]);
      }
      sum = tree(terms);
      if (!early_ || o_.online_softmax) {
        for (std::size_t c = 0; c < t_.value_width; ++c) {
          std::vector<std::pair<mpq_class, mpq_class>> products;
          for (const std::size_t n : block) products.emplace_back(in_w(unnormalized[n]), value(kh, admitted[n], c));
          acc[c] = matrix_sum(products, first ? std::optional<mpq_class>() : std::optional(acc[c]), false);
        }
      }
      top = next;
      first = false;
    }
    const mpq_class row_sum = to_c(sum);
    Row made;
    if (early_ && !o_.online_softmax) {
      for (mpq_class& w : unnormalized) w = in_w(normalized(w, row_sum));
      for (std::size_t c = 0; c < t_.value_width; ++c) {
        std::vector<std::pair<mpq_class, mpq_class>> products;
        for (std::size_t n = 0; n < admitted.size(); ++n)
          products.emplace_back(unnormalized[n], value(kh, admitted[n], c));
        made.output.push_back(to_dtype(matrix_sum(products, {}, true)));
      }
    } else {
      for (const mpq_class& a : acc) made.output.push_back(to_dtype(normalized(to_c(a), row_sum)));
    }
    made.logsumexp = logsumexp(top, row_sum);
    return made;
  }

  struct Gradients {
    Matrix query, key, value;  // rows of one key head; query rows head by head
  };
  Gradients backward(std::size_t kh) {
    Gradients made;
    const std::size_t heads = t_.query_heads;
    std::vector<std::vector<std::pair<mpq_class, mpq_class>>> to_key(t_.keys * t_.width),
        to_value(t_.keys * t_.value_width);
    for (std::size_t h = 0; h < heads; ++h) {
      if (t_.key_head(h) != kh) continue;
      for (std::size_t i = 0; i < t_.queries; ++i) {
        made.query.emplace_back(t_.width, 0);
        const std::vector<std::size_t> admitted = admitted_of(h, i);
        if (admitted.empty()) continue;
        const auto [weights, gradients] = row_gradients(h, i, kh, admitted);
        for (std::size_t e = 0; e < t_.width; ++e) {
          std::vector<std::pair<mpq_class, mpq_class>> products;
          for (std::size_t n = 0; n < admitted.size(); ++n) {
            products.emplace_back(gradients[n], t_.at(t_.key, kh, admitted[n], e, t_.keys, t_.width));
            to_key[admitted[n] * t_.width + e].emplace_back(gradients[n],
                                                            t_.at(t_.query, h, i, e, t_.queries, t_.width));
          }
          made.query.back()[e] = scaled_sum(products);
        }
        for (std::size_t c = 0; c < t_.value_width; ++c) {
          for (std::size_t n = 0; n < admitted.size(); ++n) {
            to_value[admitted[n] * t_.value_width + c].emplace_back(
                weights[n], t_.at(t_.grad, h, i, c, t_.queries, t_.value_width));
          }
        }
      }
    }
    for (std::size_t j = 0; j < t_.keys; ++j) {
      made.key.emplace_back();
      made.value.emplace_back();
      for (std::size_t e = 0; e < t_.width; ++e) made.key.back().push_back(scaled_sum(to_key[j * t_.width + e]));
      for (std::size_t c = 0; c < t_.value_width; ++c) {
        const auto& products = to_value[j * t_.value_width + c];
        made.value.back().push_back(products.empty() ? mpq_class(0) : to_dtype(matrix_sum(products, {}, true)));
      }
    }
    return made;
  }

 private:
  // ---- one rounding each; anything subnormal may be flushed
  mpq_class round_in(const mpq_class& x, const Spec& f) {
    const Number y = rounded(finite(x), f, r_.one_in(2));
    if (y.kind != 'f') throw PastTheRange{};
    return flush_ && abs(y.q) < f.normal() && r_.one_in(2) ? mpq_class(0) : y.q;
  }
  mpq_class in_c(const mpq_class& x) { return round_in(x, C_); }
  mpq_class in_g(const mpq_class& x) { return round_in(x, G_); }
  mpq_class in_w(const mpq_class& x) { return o_.weights ? round_in(x, spec(*o_.weights)) : x; }
  mpq_class to_c(const mpq_class& x) { return converts_ ? in_c(x) : x; }
  mpq_class fl(const mpq_class& x) {
    return flush_ && abs(x) < std::min(C_.normal(), G_.normal()) && r_.one_in(2) ? mpq_class(0) : x;
  }
  mpq_class to_dtype(const mpq_class& x) {
    const Spec d = spec(*t_.options.dtype);
    const Number y = rounded(finite(x), d, t_.options.rounding == ref::Rounding::NearestAway);
    if (y.kind != 'f') throw PastTheRange{};
    return flush_ && abs(y.q) < d.normal() && r_.one_in(2) ? mpq_class(0) : y.q;
  }

  /// A value of C within `ulps` units in the last place of x, often as far as that goes.
  mpq_class within_ulps(const mpq_class& x) {
    const mpq_class unit = two_to(x == 0 ? C_.emin - C_.p + 1 : std::max(log2_floor(x), C_.emin) - C_.p + 1);
    const mpq_class target = x + unit * ulps_ * mpq_class(r_.below(5) - 2, 2);
    const auto [below, above] = neighbours(target, C_);
    for (const mpq_class& y : {r_.one_in(2) ? below : above, below, above}) {
      if (abs(y - x) <= unit * ulps_ && (x < 0 || y >= 0)) return y;
    }
    return rounded(finite(x), C_, false).q;
  }
  mpq_class exponential(const mpq_class& x) {
    const mpq_class y = within_ulps(o_.exp2 ? exp2_of(x) : exp_of(x));
    if (y > C_.largest) throw PastTheRange{};
    return flush_ && y < C_.normal() && r_.one_in(2) ? mpq_class(0) : y;
  }

  // ---- sums
  mpq_class tree(std::vector<mpq_class> terms) {
    std::erase_if(terms, [&](const mpq_class& x) { return x == 0 && r_.one_in(2); });
    if (terms.empty()) return 0;
    if (strict_) return in_g(std::accumulate(terms.begin(), terms.end(), mpq_class(0)));
    while (terms.size() > 1) {
      std::swap(terms[static_cast<std::size_t>(r_.below(static_cast<int>(terms.size())))], terms.back());
      const mpq_class x = terms.back();
      terms.pop_back();
      mpq_class& y = terms[static_cast<std::size_t>(r_.below(static_cast<int>(terms.size())))];
      y = in_g(fl(x) + fl(y));
    }
    return in_g(terms.front());
  }
  using Products = std::vector<std::pair<mpq_class, mpq_class>>;
  mpq_class sum(const Products& products, const std::optional<mpq_class>& old, bool converted) {
    std::vector<mpq_class> terms;
    if (old) terms.push_back(*old);
    for (const auto& [x, y] : products) {
      const mpq_class exact = fl(x) * fl(y);
      const int how = strict_ ? 0 : r_.below(3);
      terms.push_back(how == 0 ? exact : how == 1 ? in_c(exact) : in_g(exact));
    }
    const mpq_class made = tree(terms);
    return converted ? to_c(made) : made;
  }
  mpq_class matrix_sum(const Products& products, const std::optional<mpq_class>& old, bool converted) {
    if (!o_.mma) return sum(products, old, converted);
    mpq_class acc = old.value_or(0);
    for (std::size_t at = 0; at < products.size();) {
      const std::size_t count = std::min(products.size() - at, static_cast<std::size_t>(1 + r_.below(4)));
      mpq_class exact = acc;
      mpq_class size = abs(acc);
      for (std::size_t n = at; n < at + count; ++n) {
        exact += products[n].first * products[n].second;
        size += abs(products[n].first * products[n].second);
      }
      const mpq_class bound = mpq_class(mpz_class(count + 1)) * two_to(-22) * size;
      const auto [below, above] = neighbours(exact + bound * (r_.below(3) - 1), C_);
      mpq_class next = rounded(finite(exact), C_, false).q;
      for (const mpq_class& y : {below, above}) {
        if (abs(y - exact) <= bound) next = y;
      }
      if (abs(next - exact) > bound || abs(next) > C_.largest) throw PastTheRange{};
      acc = next;
      at += count;
    }
    return acc;
  }

  // ---- logits
  std::vector<std::size_t> admitted_of(std::size_t h, std::size_t i) const {
    std::vector<std::size_t> made;
    for (std::size_t j = 0; j < t_.keys; ++j) {
      if (t_.admits(h, i, j)) made.push_back(j);
    }
    return made;
  }
  mpq_class value(std::size_t kh, std::size_t j, std::size_t c) const {
    return t_.at(t_.value, kh, j, c, t_.keys, t_.value_width);
  }
  mpq_class dot(std::size_t h, std::size_t i, std::size_t j) {
    Products products;
    const mpq_class root = form_ == 2 ? in_c(sqrt_of(logit_scale_)) : mpq_class(0);
    for (std::size_t e = 0; e < t_.width; ++e) {
      mpq_class q = t_.at(t_.query, h, i, e, t_.queries, t_.width);
      mpq_class k = t_.at(t_.key, t_.key_head(h), j, e, t_.keys, t_.width);
      if (form_ == 1) q = in_c(fl(q) * logit_scale_);
      if (form_ == 2) {
        q = in_c(fl(q) * root);
        k = in_c(fl(k) * root);
      }
      products.emplace_back(q, k);
    }
    return matrix_sum(products, {}, true);
  }
  std::vector<mpq_class> logits(std::size_t h, std::size_t i, const std::vector<std::size_t>& admitted) {
    fused_ = form_ == 0 && !t_.float_mask && r_.one_in(2);
    early_ = r_.one_in(2);
    dots_.clear();
    std::vector<mpq_class> made;
    for (const std::size_t j : admitted) {
      const mpq_class x = dot(h, i, j);
      dots_.emplace_back(j, x);
      mpq_class z = form_ == 0 ? in_c(fl(x) * logit_scale_) : x;
      if (t_.float_mask) {
        mpq_class m = t_.mask(h, i, j);
        if (o_.bias) m = round_in(m, spec(*o_.bias));
        m = in_c(m);
        if (o_.exp2 && m != 0) m = within_ulps(m * log2_of(exp_of(1)));
        z = in_c(fl(z) + fl(m));
      }
      made.push_back(z);
    }
    return made;
  }
  mpq_class fused_logit(std::size_t, std::size_t, std::size_t j) const {
    return std::ranges::find(dots_, j, &std::pair<std::size_t, mpq_class>::first)->second * logit_scale_;
  }

  std::vector<std::vector<std::size_t>> cut(std::vector<std::size_t> order) {
    for (std::size_t n = order.size(); n > 1; --n)
      std::swap(order[n - 1], order[static_cast<std::size_t>(r_.below(static_cast<int>(n)))]);
    const std::size_t most =
        o_.block_size ? std::min(order.size(), (t_.keys + *o_.block_size - 1) / *o_.block_size) : order.size();
    std::vector<std::vector<std::size_t>> made(static_cast<std::size_t>(1 + r_.below(static_cast<int>(most))));
    for (const std::size_t n : order)
      made[static_cast<std::size_t>(r_.below(static_cast<int>(made.size())))].push_back(n);
    std::erase_if(made, [](const auto& block) { return block.empty(); });
    return made;
  }

  mpq_class normalized(const mpq_class& x, const mpq_class& row_sum) {
    if (row_sum <= 0) throw PastTheRange{};
    return o_.reciprocal ? in_c(fl(x) * in_c(1 / row_sum)) : in_c(fl(x) / row_sum);
  }
  mpq_class logsumexp(const mpq_class& top, const mpq_class& row_sum) {
    if (!o_.exp2) return in_c(top + within_ulps(log_of(row_sum)));
    const mpq_class two = within_ulps(log_of(2));
    if (r_.one_in(2)) return in_c(in_c(top + within_ulps(log2_of(row_sum))) * two);
    return in_c(in_c(top * two) + within_ulps(log_of(row_sum)));
  }

  // ---- gradients
  std::pair<std::vector<mpq_class>, std::vector<mpq_class>> row_gradients(std::size_t h, std::size_t i, std::size_t kh,
                                                                          const std::vector<std::size_t>& admitted) {
    const std::vector<mpq_class> z = logits(h, i, admitted);
    std::vector<mpq_class> weights;
    Products for_row_sum;
    if (t_.given) {
      const mpq_class l = rational(t_.logsumexp.at(h * t_.queries + i));
      const mpq_class in_base = o_.exp2 ? in_c(l * within_ulps(log2_of(exp_of(1)))) : l;
      for (std::size_t n = 0; n < admitted.size(); ++n) {
        weights.push_back(exponential(fused_ ? in_c(fused_logit(h, i, admitted[n]) - in_base) : in_c(z[n] - in_base)));
      }
      for (std::size_t c = 0; c < t_.value_width; ++c) {
        for_row_sum.emplace_back(t_.at(t_.grad, h, i, c, t_.queries, t_.value_width),
                                 t_.at(t_.out, h, i, c, t_.queries, t_.value_width));
      }
    } else {
      const mpq_class top = *std::ranges::max_element(z);
      for (std::size_t n = 0; n < admitted.size(); ++n) {
        weights.push_back(exponential(fused_ ? in_c(fused_logit(h, i, admitted[n]) - top) : in_c(z[n] - top)));
      }
      const mpq_class row_sum = to_c(tree(weights));
      for (mpq_class& w : weights) w = normalized(w, row_sum);
    }
    std::vector<mpq_class> products;
    for (std::size_t n = 0; n < admitted.size(); ++n) {
      Products terms;
      for (std::size_t c = 0; c < t_.value_width; ++c) {
        terms.emplace_back(t_.at(t_.grad, h, i, c, t_.queries, t_.value_width), value(kh, admitted[n], c));
      }
      products.push_back(matrix_sum(terms, {}, true));
      if (!t_.given) for_row_sum.emplace_back(weights[n], products.back());
    }
    const mpq_class row_sum = sum(for_row_sum, {}, true);
    std::vector<mpq_class> gradients;
    for (std::size_t n = 0; n < admitted.size(); ++n) {
      const int how = r_.below(3);
      const mpq_class& p = weights[n];
      gradients.push_back(how == 0   ? in_c(fl(p) * in_c(products[n] - row_sum))
                          : how == 1 ? in_c(in_c(p * products[n]) - in_c(p * row_sum))
                                     : in_c(p * products[n] - in_c(p * row_sum)));
      gradients.back() = in_w(gradients.back());
    }
    for (mpq_class& w : weights) w = in_w(w);
    return {weights, gradients};
  }
  mpq_class scaled_sum(Products products) {
    if (products.empty()) return 0;
    const int how = o_.mma ? r_.below(2) : r_.below(natural_scale_ < 0 ? 2 : 3);
    if (how == 0) return to_dtype(in_c(matrix_sum(products, {}, true) * natural_scale_));
    const mpq_class root = how == 2 ? in_c(sqrt_of(natural_scale_)) : mpq_class(0);
    for (auto& [x, y] : products) {
      x = in_c(fl(x) * (how == 1 ? natural_scale_ : root));
      if (how == 2) y = in_c(fl(y) * root);
    }
    return to_dtype(matrix_sum(products, {}, true));
  }

  Generator& r_;
  const AttentionTrial& t_;
  const ref::AttentionAlgorithm::Options& o_;
  Spec C_, G_;
  bool same_, converts_;
  mpq_class ulps_;
  bool flush_, strict_;
  mpq_class natural_scale_, logit_scale_;
  int form_ = 0;  // 0: the dot product is scaled, 1: the query first, 2: both by roots
  bool fused_ = false;
  bool early_ = false;  // weights are normalized before their sums
  std::vector<std::pair<std::size_t, mpq_class>> dots_;
};

}  // namespace cairn::model
