// Matrix products by the letter of sections 4 to 9, in rationals: runs, error models and what each row can give.
#pragma once

#include <algorithm>
#include <functional>
#include <set>

#include "tests/reference/exact_model.hpp"

namespace cairn::model {

using Parts = ref::MatmulAlgorithm::Parts;
using Sum = ref::MatmulAlgorithm::Sum;

/// One element's operands. Ranges are of the products' factors; a factor that is special has none.
struct Factor {
  Number value;
  mpq_class lo, hi;
  bool special = false;
};
struct Problem {
  std::vector<std::pair<Factor, Factor>> products;
  std::optional<Factor> old;
};

struct Options {
  Spec dtype;
  bool away = false;
  Over over = Over::Default;
};

inline Number exact(const Problem& problem) {
  Number sum = problem.old ? problem.old->value : finite(0);
  for (const auto& [a, b] : problem.products) sum = sum + a.value * b.value;
  return sum;
}

inline Number slots16(const std::vector<Number>& terms, const Spec& f, bool away) {
  std::optional<Number> odd;
  std::vector<mpq_class> rest;
  for (const Number& t : terms) {
    if (t.kind != 'f') {
      odd = odd ? *odd + t : t;
    } else if (t.q != 0) {
      rest.push_back(t.q);
    }
  }
  if (odd) return *odd;
  if (rest.empty()) return finite(0);
  int top = log2_floor(rest.front());
  for (const mpq_class& t : rest) top = std::max(top, log2_floor(t));
  std::vector<std::vector<mpq_class>> slots(16);
  for (const mpq_class& t : rest)
    slots[static_cast<std::size_t>(std::min(15, 16 * (top - log2_floor(t)) / f.p))].push_back(t);
  Number total = finite(0);
  for (int s = 15; s >= 0; --s) {
    std::vector<mpq_class> positive;
    std::vector<mpq_class> negative;
    for (const mpq_class& t : slots[static_cast<std::size_t>(s)]) (t > 0 ? positive : negative).push_back(t);
    std::ranges::sort(positive);
    std::ranges::sort(negative, std::greater<>());
    Number sum = finite(0);
    bool take_positive = negative.empty() || (!positive.empty() && positive[0] <= -negative[0]);
    while (!positive.empty() || !negative.empty()) {
      if (positive.empty()) take_positive = false;
      if (negative.empty()) take_positive = true;
      auto& list = take_positive ? positive : negative;
      sum = rounded(sum + finite(list.front()), f, away);
      list.erase(list.begin());
      take_positive = !take_positive;
    }
    total = rounded(total + sum, f, away);
  }
  return total;
}

inline Number run(const Parts& parts, const Problem& problem, const Options& options) {
  const Spec f = spec(parts.format);
  const bool away = parts.rounding == ref::Rounding::NearestAway;
  std::vector<Number> terms;
  if (problem.old) terms.push_back(problem.old->value);
  for (const auto& [a, b] : problem.products) {
    const Number product = a.value * b.value;
    const bool whole = parts.sum == Sum::Exact || (parts.fma && parts.sum != Sum::Slots16);
    terms.push_back(whole ? product : rounded(product, f, away));
  }
  const auto chain = [&](const std::vector<Number>& list) {
    if (list.empty()) return finite(0);
    Number s = rounded(list[0], f, away);
    for (std::size_t i = 1; i < list.size(); ++i) s = rounded(s + list[i], f, away);
    return s;
  };
  std::function<Number(std::vector<Number>)> tree = [&](std::vector<Number> list) {
    if (list.empty()) return finite(0);
    if (list.size() == 1) return rounded(list[0], f, away);
    const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
    return rounded(tree({list.begin(), middle}) + tree({middle, list.end()}), f, away);
  };
  Number acc;
  switch (parts.sum) {
    case Sum::Sequential:
      acc = chain(terms);
      break;
    case Sum::Pairwise:
      acc = tree(terms);
      break;
    case Sum::Blocked: {
      std::vector<Number> sums;
      for (std::size_t i = 0; i < terms.size(); i += parts.block_size) {
        const std::size_t end = std::min(terms.size(), i + parts.block_size);
        sums.push_back(
            chain({terms.begin() + static_cast<std::ptrdiff_t>(i), terms.begin() + static_cast<std::ptrdiff_t>(end)}));
      }
      acc = chain(sums);
      break;
    }
    case Sum::Exact:
      acc = rounded(exact(problem), f, away);
      break;
    default:
      for (Number& t : terms) t = rounded(t, f, away);
      acc = slots16(terms, f, away);
      break;
  }
  return rounded(acc, options.dtype, options.away, options.over);
}

struct Model {
  bool bounded = true;
  mpq_class relative, absolute;
};

inline int ceil_log2(std::size_t n) {
  int e = 0;
  while ((std::size_t{1} << e) < n) ++e;
  return e;
}

inline Model model_of(const Parts& parts, std::size_t k, bool onto) {
  const Spec f = spec(parts.format);
  const std::size_t n = k + (onto ? 1 : 0);
  std::size_t d = 0;
  std::size_t r = 0;
  const std::size_t blocks = (n + parts.block_size - 1) / parts.block_size;
  switch (parts.sum) {
    case Sum::Sequential:
      d = r = n;
      break;
    case Sum::Pairwise:
      d = n == 0 ? 0 : static_cast<std::size_t>(1 + ceil_log2(n));
      r = n == 0 ? 0 : 2 * n - 1;
      break;
    case Sum::Blocked:
      d = n == 0 ? 0 : std::min(parts.block_size, n) + blocks;
      r = n + blocks;
      break;
    case Sum::Slots16:
      d = n == 0 ? 0 : n + 2;
      r = 2 * n + std::min<std::size_t>(16, n);
      break;
    case Sum::Exact:
      d = r = std::min<std::size_t>(n, 1);
      break;
    case Sum::AnyOrder:
      d = parts.standard == ref::Standard::Strict ? std::min<std::size_t>(n, 1) : n;
      r = parts.standard == ref::Standard::Strict ? std::min<std::size_t>(n, 1) : k + n;
      break;
    case Sum::TensorCores:
      return {true, mpq_class(mpz_class(k + 1)) * two_to(-22), 0};
  }
  if (parts.sum <= Sum::Blocked && !parts.fma) {
    d += k == 0 ? 0 : 1;
    r += k;
  }
  const mpz_class size = two_to(f.p).get_num();
  Model made;
  if (2 * d <= size) {
    made.relative = mpq_class(mpz_class(d), size - d);
    made.relative.canonicalize();
  } else if (f.p <= 11 && d <= 32 * size) {
    mpq_class grown = 1;
    for (std::size_t i = 0; i < d; ++i) grown *= 1 + f.u();
    made.relative = -mpq_class(floor_of(-(grown - 1) * two_to(64))) * two_to(-64);
  } else {
    made.bounded = false;
    return made;
  }
  made.absolute = mpq_class(mpz_class(r)) * f.eta() * (1 + made.relative);
  return made;
}

struct Judged {
  std::optional<std::pair<mpq_class, mpq_class>> range;
  bool plus = false, minus = false, nan = false;
};

/// Sections 8 and 9.1, without 9.2's void elements.
inline Judged judged(const Parts& parts, const Problem& problem, const Options& o) {
  const Spec f = spec(parts.format);
  const Model model = model_of(parts, problem.products.size(), problem.old.has_value());
  const bool any = parts.sum == Sum::AnyOrder;
  const bool once = parts.sum == Sum::Exact || (any && parts.standard == ref::Standard::Strict);
  const bool flush = any && parts.flush_to_zero;
  const bool acc_away = parts.rounding == ref::Rounding::NearestAway;
  mpq_class P = 0, N = 0, Z = 0, lo_sum = 0, hi_sum = 0, dropped = 0;
  std::set<char> fixed;  // what the fixed terms can add up to; empty: there are none
  bool special_term = false;
  bool undefined = false;
  const auto ranged = [&](const mpq_class& lo, const mpq_class& hi) {
    P += std::max<mpq_class>(hi, 0);
    N += std::max<mpq_class>(-lo, 0);
    Z += std::max<mpq_class>(abs(lo), abs(hi));
    lo_sum += lo;
    hi_sum += hi;
  };
  const auto small_factor = [&](const Factor& x) {
    return x.value.kind == 'f' && x.lo < f.normal() && x.hi > -f.normal();
  };
  if (problem.old) {
    special_term = special_term || problem.old->special;
    if (problem.old->value.kind == 'f') {
      ranged(problem.old->lo, problem.old->hi);
    } else {
      fixed = {problem.old->value.kind};
    }
  }
  for (const auto& [a, b] : problem.products) {
    special_term = special_term || a.special || b.special;
    if (a.value.kind != 'f' || b.value.kind != 'f') {
      std::set<char> kinds = {(a.value * b.value).kind};
      if (a.value.kind == 'f' || b.value.kind == 'f') {
        const Factor& finite_one = a.value.kind == 'f' ? a : b;
        const Number& other = a.value.kind == 'f' ? b.value : a.value;
        for (const mpq_class& x : {finite_one.lo, finite_one.hi}) kinds.insert((finite(x) * other).kind);
        if (finite_one.lo <= 0 && finite_one.hi >= 0) kinds.insert('n');
      }
      std::set<char> sums;
      for (const char x : fixed.empty() ? std::set<char>{'0'} : fixed) {
        for (const char y : kinds) sums.insert(x == '0' ? y : (special(x) + special(y)).kind);
      }
      fixed = sums;
      undefined = undefined || small_factor(a) || small_factor(b);
      continue;
    }
    const mpq_class corners[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    const mpq_class lo = *std::min_element(corners, corners + 4);
    const mpq_class hi = *std::max_element(corners, corners + 4);
    ranged(lo, hi);
    if (small_factor(a) || small_factor(b)) dropped += std::max<mpq_class>(abs(lo), abs(hi));
  }
  Judged made;
  std::optional<std::pair<mpq_class, mpq_class>> acc;
  bool plus = false, minus = false, nan = false;
  const mpq_class move =
      !flush ? mpq_class(0)
             : mpq_class((once ? f.normal()
                               : mpq_class(mpz_class(2 * problem.products.size() + (problem.old ? 1 : 0))) *
                                     (f.normal() - f.eta()) * (1 + model.relative)) +
                         (1 + model.relative) * dropped);
  if (!model.bounded) {
    acc.emplace(-f.largest, f.largest);
    plus = minus = nan = true;
  } else {
    mpq_class low, high;
    if (once) {
      low = nearest(lo_sum, f, acc_away) - move;
      high = nearest(hi_sum, f, acc_away) + move;
      plus = past(hi_sum + move, f, acc_away) && hi_sum + move > 0;
      minus = past(lo_sum - move, f, acc_away) && lo_sum - move < 0;
    } else {
      const mpq_class err = model.relative * Z + model.absolute + move;
      low = lo_sum - err;
      high = hi_sum + err;
      plus = (1 + model.relative) * P + model.absolute >= f.edge();
      minus = (1 + model.relative) * N + model.absolute >= f.edge();
      nan = plus && minus;
    }
    if (low <= f.largest && high >= -f.largest) {
      const mpq_class a = neighbours(std::max<mpq_class>(low, -f.largest), f).second;
      const mpq_class b = neighbours(std::min<mpq_class>(high, f.largest), f).first;
      if (a <= b) acc.emplace(a, b);
    }
  }
  if (!fixed.empty()) {
    const bool others_plus = !once && plus;
    const bool others_minus = !once && minus;
    acc.reset();
    plus = fixed.contains('+');
    minus = fixed.contains('-');
    nan = fixed.contains('n') || (plus && others_minus) || (minus && others_plus) || (flush && undefined);
  }
  if (special_term) plus = minus = nan = true;
  if (!f.infinities) {
    nan = nan || plus || minus;
    plus = minus = false;
  }
  if (acc) {
    const auto& [a, b] = *acc;
    const bool out = (a > 0 && past(a, o.dtype, o.away)) || (b < 0 && past(b, o.dtype, o.away));
    if (o.over == Over::Saturate || !out) {
      made.range.emplace(rounded(finite(a), o.dtype, o.away, Over::Saturate).q,
                         rounded(finite(b), o.dtype, o.away, Over::Saturate).q);
    }
    if (o.over != Over::Saturate) {
      plus = plus || (b > 0 && past(b, o.dtype, o.away));
      minus = minus || (a < 0 && past(a, o.dtype, o.away));
    }
  }
  if (o.over == Over::Saturate) {
    for (const auto& [flag, end] : {std::pair<bool, mpq_class>{plus, o.dtype.largest}, {minus, -o.dtype.largest}}) {
      if (!flag) continue;
      if (!made.range) made.range.emplace(end, end);
      made.range->first = std::min(made.range->first, end);
      made.range->second = std::max(made.range->second, end);
    }
    plus = minus = false;
  }
  if (o.over == Over::Nan || !o.dtype.infinities) {
    nan = nan || plus || minus;
    plus = minus = false;
  }
  if (flush && made.range) {
    if (made.range->first > 0 && made.range->first < o.dtype.normal()) made.range->first = 0;
    if (made.range->second < 0 && -made.range->second < o.dtype.normal()) made.range->second = 0;
  }
  made.plus = plus;
  made.minus = minus;
  made.nan = nan;
  return made;
}

}  // namespace cairn::model
