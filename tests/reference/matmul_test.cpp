// Matrix products against models in rationals.
#include "tests/reference/matmul_model.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "runtime/reference/accumulation.hpp"
#include "runtime/reference/algorithm.hpp"

namespace cairn::model {
namespace {

using ref::Format;

Over over(ref::Overflow overflow) { return static_cast<Over>(overflow); }

/// A random problem of the library, and the model's view of each element.
struct Trial {
  std::size_t m = 1, n = 1, k = 1;
  ref::Array a, b, c;
  std::optional<ref::Result> a_earlier, b_earlier, c_earlier;
  bool onto = false;
  ref::MatmulOptions options;

  [[nodiscard]] ref::MatmulInput input() const {
    const auto pick = [](const std::optional<ref::Result>& earlier, const ref::Array& array) {
      return earlier ? ref::Operand(&*earlier) : ref::Operand(&array);
    };
    ref::MatmulInput made{pick(a_earlier, a), pick(b_earlier, b)};
    if (onto) made.onto = pick(c_earlier, c);
    return made;
  }
  [[nodiscard]] Options model_options() const {
    return {spec(*options.dtype), options.rounding == ref::Rounding::NearestAway, over(options.overflow)};
  }
  static Factor factor(const ref::Array& array, const std::optional<ref::Result>& earlier, std::size_t at) {
    Factor made{number(array.at(at)), 0, 0, false};
    if (made.value.kind != 'f') {
      if (earlier) made.special = (*earlier->outcomes({}))[at].not_a_number;
      return made;
    }
    made.lo = made.hi = made.value.q;
    if (!earlier) return made;
    const ref::Outcome outcome = (*earlier->outcomes({}))[at];
    made.special = outcome.not_a_number;
    if (!outcome.range.ends) return made;
    made.lo = std::min(made.lo, rational(outcome.range.ends->first));
    made.hi = std::max(made.hi, rational(outcome.range.ends->second));
    return made;
  }
  [[nodiscard]] Problem element(std::size_t e) const {
    Problem made;
    for (std::size_t p = 0; p < k; ++p) {
      made.products.emplace_back(factor(a, a_earlier, e / n * k + p), factor(b, b_earlier, p * n + e % n));
    }
    if (onto) made.old = factor(c, c_earlier, e);
    return made;
  }
};

std::optional<ref::Result> uncertain(Generator& random, const ref::Array& array) {
  ref::Array lo = array;
  ref::Array hi = array;
  std::vector<std::uint8_t> special(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) {
    const ref::Value x = random.value(array.format(), false);
    const ref::Value y = random.one_in(2) ? array.at(i) : random.value(array.format(), false);
    const bool swap = !y.is_finite() || (x.is_finite() && y < x);
    lo.set(i, !y.is_finite() ? x : swap ? y : x);
    hi.set(i, !y.is_finite() ? x : swap ? x : y);
    special[i] = random.one_in(20) ? 1 : 0;
  }
  auto made = ref::Result::between(array, lo, hi, special);
  REQUIRE(made.has_value());
  return std::move(*made);
}

Trial trial(Generator& random, bool specials, bool ranges) {
  Trial made;
  made.m = static_cast<std::size_t>(1 + random.below(2));
  made.n = static_cast<std::size_t>(1 + random.below(2));
  made.k = static_cast<std::size_t>(random.one_in(20) ? 0 : 1 + random.below(random.one_in(4) ? 40 : 9));
  const Format fa = random.format();
  const Format fb = random.one_in(2) ? fa : random.format();
  made.a = random.array(fa, {made.m, made.k}, specials);
  made.b = random.array(fb, {made.k, made.n}, specials);
  made.c = random.array(random.one_in(2) ? fa : random.format(), {made.m, made.n}, specials);
  made.onto = random.one_in(3);
  if (random.one_in(2)) {  // cancellation: the second half is the first with the sign turned
    for (std::size_t i = 0; i < made.m; ++i) {
      for (std::size_t p = 1; p < made.k; p += 2) {
        made.a.set(i * made.k + p, made.a.at(i * made.k + p - 1).negated());
        for (std::size_t j = 0; j < made.n; ++j) {
          if (!random.one_in(4)) made.b.set(p * made.n + j, made.b.at((p - 1) * made.n + j));
        }
      }
    }
  }
  if (ranges) {
    if (random.one_in(2)) made.a_earlier = uncertain(random, made.a);
    if (random.one_in(2)) made.b_earlier = uncertain(random, made.b);
    if (random.one_in(2)) made.c_earlier = uncertain(random, made.c);
  }
  made.options.dtype = random.format();
  made.options.rounding = random.one_in(4) ? ref::Rounding::NearestAway : ref::Rounding::NearestEven;
  made.options.overflow = static_cast<ref::Overflow>(random.below(3));
  return made;
}

Parts row(Generator& random, Sum sum, const Trial& of) {
  Parts parts;
  parts.sum = sum;
  parts.format = random.format();
  if (sum == Sum::AnyOrder) {
    if (!ref::contains(parts.format, of.a.format()) || !ref::contains(parts.format, of.b.format()))
      parts.format = Format::F64;
    parts.standard = random.one_in(3) ? ref::Standard::Strict : ref::Standard::Normal;
    parts.flush_to_zero = random.one_in(2);
    return parts;
  }
  parts.block_size = static_cast<std::size_t>(1 + random.below(9));
  parts.fma = sum == Sum::Exact || (sum != Sum::Slots16 && random.one_in(2));
  parts.rounding = random.one_in(4) ? ref::Rounding::NearestAway : ref::Rounding::NearestEven;
  return parts;
}

std::string shown(const mpq_class& q) { return q.get_str(); }

void require_same(const ref::Outcome& got, const Judged& wanted) {
  CHECK(got.plus_infinity == wanted.plus);
  CHECK(got.minus_infinity == wanted.minus);
  CHECK(got.not_a_number == wanted.nan);
  REQUIRE(got.range.ends.has_value() == wanted.range.has_value());
  if (!wanted.range) return;
  CHECK(shown(rational(got.range.ends->first)) == shown(wanted.range->first));
  CHECK(shown(rational(got.range.ends->second)) == shown(wanted.range->second));
}

constexpr Sum kRuns[] = {Sum::Sequential, Sum::Pairwise, Sum::Blocked, Sum::Exact, Sum::Slots16};
constexpr Sum kRows[] = {Sum::Sequential, Sum::Pairwise, Sum::Blocked, Sum::Exact, Sum::Slots16, Sum::AnyOrder};

}  // namespace

TEST_CASE("a product's reference is its exact sum rounded once", "[reference][matmul]") {
  Generator random(1);
  for (int t = 0; t < trials(400); ++t) {
    const Trial one = trial(random, true, false);
    const auto result = ref::matmul(one.input(), one.options);
    REQUIRE(result.has_value());
    for (std::size_t e = 0; e < one.m * one.n; ++e) {
      const Options o = one.model_options();
      CHECK(same(number(result->rounded().at(e)), rounded(exact(one.element(e)), o.dtype, o.away, o.over)));
    }
  }
}

TEST_CASE("every run is its order of additions to the last rounding", "[reference][matmul]") {
  Generator random(2);
  for (const Sum sum : kRuns) {
    for (int t = 0; t < trials(250); ++t) {
      const Trial one = trial(random, true, false);
      const Parts parts = row(random, sum, one);
      const auto output = ref::MatmulAlgorithm(parts).run(one.input(), one.options);
      REQUIRE(output.has_value());
      for (std::size_t e = 0; e < one.m * one.n; ++e) {
        INFO(ref::MatmulAlgorithm(parts).spelling() << " k=" << one.k << " element " << e);
        CHECK(same(number(output->at(e)), run(parts, one.element(e), one.model_options())));
      }
    }
  }
}

TEST_CASE("what a row can give is what sections 8 and 9 say, in rationals", "[reference][matmul]") {
  Generator random(3);
  for (const Sum sum : kRows) {
    for (int t = 0; t < trials(250); ++t) {
      const Trial one = trial(random, random.one_in(2), random.one_in(2));
      const Parts parts = row(random, sum, one);
      const auto outcomes = ref::MatmulAlgorithm(parts).outcomes(one.input(), one.options);
      REQUIRE(outcomes.has_value());
      for (std::size_t e = 0; e < one.m * one.n; ++e) {
        INFO(ref::MatmulAlgorithm(parts).spelling() << " k=" << one.k << " element " << e << " trial " << t);
        require_same((*outcomes)[e], judged(parts, one.element(e), one.model_options()));
      }
    }
  }
}

TEST_CASE("every row covers its own run, whichever operands within their ranges it gets", "[reference][matmul]") {
  Generator random(4);
  for (const Sum sum : kRuns) {
    for (int t = 0; t < trials(250); ++t) {
      Trial one = trial(random, random.one_in(3), true);
      const Parts parts = row(random, sum, one);
      const auto outcomes = ref::MatmulAlgorithm(parts).outcomes(one.input(), one.options);
      REQUIRE(outcomes.has_value());
      // Operands move to an end of their range.
      for (auto [array, earlier] :
           {std::pair{&one.a, &one.a_earlier}, {&one.b, &one.b_earlier}, {&one.c, &one.c_earlier}}) {
        if (!*earlier) continue;
        const auto bounds = (*earlier)->outcomes({});
        for (std::size_t i = 0; i < array->size(); ++i) {
          if (!array->at(i).is_finite() || !(*bounds)[i].range.ends || random.one_in(3)) continue;
          const auto& [lo, hi] = *(*bounds)[i].range.ends;
          if (random.one_in(2) ? lo < array->at(i) : false)
            array->set(i, lo);
          else if (hi > array->at(i))
            array->set(i, hi);
        }
        earlier->reset();
      }
      const auto output = ref::MatmulAlgorithm(parts).run(one.input(), one.options);
      REQUIRE(output.has_value());
      for (std::size_t e = 0; e < one.m * one.n; ++e) {
        INFO(ref::MatmulAlgorithm(parts).spelling() << " k=" << one.k << " element " << e << " trial " << t);
        CHECK((*outcomes)[e].covers(output->at(e)));
      }
    }
  }
}

namespace {

/// Any implementation the operation admits: products rounded or not, any tree, anything subnormal flushed.
Number any_order(Generator& random, const Problem& problem, const Spec& f, bool flush) {
  const auto flushed = [&](Number x) {
    return flush && x.kind == 'f' && abs(x.q) < f.normal() && random.one_in(2) ? finite(0) : x;
  };
  std::vector<Number> list;
  if (problem.old) list.push_back(flushed(problem.old->value));
  for (const auto& [a, b] : problem.products) {
    const Number product = flushed(a.value) * flushed(b.value);
    list.push_back(random.one_in(2) ? product : flushed(rounded(product, f, random.one_in(2))));
  }
  if (list.empty()) return finite(0);
  bool rounded_any = false;
  while (list.size() > 1) {
    const auto i = static_cast<std::size_t>(random.below(static_cast<int>(list.size())));
    std::swap(list[i], list.back());
    const Number x = list.back();
    list.pop_back();
    const auto j = static_cast<std::size_t>(random.below(static_cast<int>(list.size())));
    list[j] = flushed(rounded(list[j] + x, f, random.one_in(2)));
    rounded_any = true;
  }
  return rounded_any ? list[0] : flushed(rounded(list[0], f, random.one_in(2)));
}

}  // namespace

TEST_CASE("the operation's own bounds hold for any tree with any fusing and flushing", "[reference][matmul]") {
  Generator random(5);
  for (int t = 0; t < trials(1500); ++t) {
    const Trial one = trial(random, random.one_in(3), false);
    Parts parts = row(random, Sum::AnyOrder, one);
    parts.standard = ref::Standard::Normal;
    const auto outcomes = ref::MatmulAlgorithm(parts).outcomes(one.input(), one.options);
    REQUIRE(outcomes.has_value());
    const Options o = one.model_options();
    for (std::size_t e = 0; e < one.m * one.n; ++e) {
      const Number acc = any_order(random, one.element(e), spec(parts.format), parts.flush_to_zero);
      Number output = rounded(acc, o.dtype, o.away, o.over);
      if (parts.flush_to_zero && output.kind == 'f' && abs(output.q) < o.dtype.normal() && random.one_in(2))
        output.q = 0;
      const ref::Outcome& outcome = (*outcomes)[e];
      INFO(ref::MatmulAlgorithm(parts).spelling()
           << " k=" << one.k << " trial " << t << " gave " << output.kind << output.q.get_str());
      if (output.kind == 'f') {
        REQUIRE(outcome.range.ends.has_value());
        CHECK(rational(outcome.range.ends->first) <= output.q);
        CHECK(output.q <= rational(outcome.range.ends->second));
      } else {
        CHECK((output.kind == '+'   ? outcome.plus_infinity
               : output.kind == '-' ? outcome.minus_infinity
                                    : outcome.not_a_number));
      }
    }
  }
}

TEST_CASE("a run without fused products in f32 and f64 is the machine's own arithmetic", "[reference][matmul]") {
  Generator random(6);
  for (int t = 0; t < trials(300); ++t) {
    const std::size_t k = static_cast<std::size_t>(1 + random.below(50));
    const bool single = random.one_in(2);
    const Format format = single ? Format::F32 : Format::F64;
    const ref::Array a = random.array(format, {1, k}, true);
    const ref::Array b = random.array(format, {k, 1}, true);
    ref::MatmulOptions options;
    const auto output = ref::matmul_sequential(format, false).run({&a, &b}, options);
    REQUIRE(output.has_value());
    volatile float narrow = static_cast<float>(a.at(0).to_f64()) * static_cast<float>(b.at(0).to_f64());
    volatile double wide = a.at(0).to_f64() * b.at(0).to_f64();
    for (std::size_t p = 1; p < k; ++p) {
      volatile float product = static_cast<float>(a.at(p).to_f64()) * static_cast<float>(b.at(p).to_f64());
      narrow = narrow + product;
      volatile double exact = a.at(p).to_f64() * b.at(p).to_f64();
      wide = wide + exact;
    }
    CHECK(output->at(0) == ref::Value::of(single ? static_cast<double>(narrow) : wide));
  }
}

TEST_CASE("the contract of tensor cores is the sum within (k+1) 2^-22 of its magnitudes, or void",
          "[reference][matmul]") {
  Generator random(7);
  for (int t = 0; t < trials(300); ++t) {
    const std::size_t k = static_cast<std::size_t>(1 + random.below(20));
    const Format format = static_cast<Format>(random.below(4));
    Trial one;
    one.k = k;
    one.a = random.array(format, {1, k}, random.one_in(4));
    one.b = random.array(format, {k, 1}, random.one_in(4));
    one.options.dtype = Format::F32;
    const auto outcomes = ref::mma_unordered().outcomes(one.input(), one.options);
    REQUIRE(outcomes.has_value());
    const Problem problem = one.element(0);
    bool is_void = false;
    for (const auto& [x, y] : problem.products) {
      if (x.value.kind != 'f' || y.value.kind != 'f') continue;
      const mpq_class product = x.value.q * y.value.q;
      is_void = is_void || abs(product) > spec(Format::F32).largest ||
                neighbours(product, spec(Format::F32)).first != product;
    }
    if (is_void) {
      CHECK(outcomes->front().may_be(ref::Special::NotANumber));
      CHECK(outcomes->front().may_be(ref::Special::PlusInfinity));
      CHECK(rational(outcomes->front().range.ends->second) == spec(Format::F32).largest);
    } else {
      require_same(outcomes->front(), judged(ref::mma_unordered().parts(), problem, one.model_options()));
    }
  }
}

TEST_CASE("error models are the rationals of section 7", "[reference][matmul]") {
  Generator random(8);
  for (int t = 0; t < trials(400); ++t) {
    Trial none;
    none.a = ref::Array(Format::F8E5M2, {1, 1});
    none.b = none.a;
    const Parts parts = row(random, kRows[random.below(6)], none);
    const auto k = static_cast<std::size_t>(random.one_in(3) ? random.below(2000) : random.below(40));
    const bool onto = random.one_in(2);
    const ref::ErrorModel got = ref::MatmulAlgorithm(parts).error_model(k, onto);
    const Model wanted = model_of(parts, k, onto);
    REQUIRE(got.is_bounded() == wanted.bounded);
    if (!wanted.bounded) continue;
    CHECK(got.relative.exact() == wanted.relative);
    CHECK(got.absolute.exact() == wanted.absolute);
  }
}

TEST_CASE("tolerances reach to the farther end, and are no larger than they must be", "[reference][matmul]") {
  // 1, then terms of u: every addition of a sequential sum loses all of them.
  for (const Format format : {Format::F32, Format::F16, Format::Bf16}) {
    for (const std::size_t k : {4U, 8U, 16U}) {
      ref::Array a(format, {1, k});
      ref::Array b(format, {k, 1});
      for (std::size_t p = 0; p < k; ++p) {
        a.set(p, p == 0 ? ref::Value(mpz_class(1), 0) : ref::info(format).unit_roundoff);
        b.set(p, ref::Value(mpz_class(1), 0));
      }
      ref::MatmulOptions options;
      options.dtype = Format::F64;
      const auto run = ref::matmul_sequential(format).run({&a, &b}, options);
      const auto exact = ref::matmul({&a, &b}, options);
      const auto tolerance = ref::matmul_sequential(format).tolerance({&a, &b}, options);
      const mpq_class error = rational(exact->rounded().at(0)) - rational(run->at(0));
      CHECK(error > 0);
      CHECK(tolerance->values[0].exact() >= error);
      CHECK(tolerance->values[0].exact() < 8 * error);
    }
  }
}

TEST_CASE("no bound of a method is eight times what its roundings reach", "[reference][matmul]") {
  Generator random(13);
  for (const Sum sum : kRuns) {
    mpq_class least = 1000;
    for (int t = 0; t < 1500; ++t) {
      constexpr std::size_t kTerms = 4;
      ref::Array a(Format::F16, {1, kTerms});
      ref::Array b(Format::F16, {kTerms, 1});
      for (std::size_t p = 0; p < kTerms; ++p) {
        a.set(p, ref::Value(mpz_class(1024 + random.below(1024)), -10));
        b.set(p, 1.0);
      }
      Parts parts;
      parts.sum = sum;
      parts.format = Format::F16;
      parts.block_size = 2;
      parts.fma = sum != Sum::Slots16;
      ref::MatmulOptions options;
      options.dtype = Format::F64;
      const ref::MatmulAlgorithm algorithm(parts);
      const mpq_class exact = rational(ref::matmul({&a, &b}, options)->rounded().at(0));
      const mpq_class error = abs(rational(algorithm.run({&a, &b}, options)->at(0)) - exact);
      if (error == 0) continue;
      const mpq_class allowed = algorithm.tolerance({&a, &b}, options)->values[0].exact();
      CHECK(allowed >= error);
      least = std::min(least, mpq_class(allowed / error));
    }
    INFO(ref::MatmulAlgorithm({.sum = sum}).name() << " " << least.get_d());
    CHECK(least < 8);
  }
}

TEST_CASE("methods on values are the same sums", "[reference][matmul]") {
  Generator random(9);
  for (int t = 0; t < trials(200); ++t) {
    const Spec f = spec(Format::F16);
    Problem problem;
    std::vector<ref::Value> terms;
    for (int i = random.below(12); i > 0; --i) {
      const ref::Value x = random.value(Format::F32, false);
      terms.push_back(x);
      problem.products.emplace_back(Factor{number(x), 0, 0, false}, Factor{finite(1), 1, 1, false});
    }
    for (const auto& [key, sum] : {std::pair{"sequential", Sum::Sequential},
                                   {"pairwise", Sum::Pairwise},
                                   {"blocked", Sum::Blocked},
                                   {"exact", Sum::Exact}}) {
      const ref::AccumulationMethod* method = ref::get_method(key);
      REQUIRE(method != nullptr);
      Parts parts;
      parts.sum = sum;
      parts.format = Format::F16;
      parts.block_size = 3;
      const ref::Value got = method->emulate(
          terms,
          [](const ref::Value& x) {
            return ref::round(x, Format::F16, ref::Rounding::NearestEven, ref::Overflow::Default, false);
          },
          [](const ref::Value& x, const ref::Value& y) { return x + y; }, {3});
      CHECK(same(number(got), run(parts, problem, {f, false, Over::Default})));
    }
  }
  CHECK(ref::get_method("kahan") == nullptr);
}

TEST_CASE("what does not fit is refused, and its neighbour is not", "[reference][matmul]") {
  const ref::Array a(Format::F32, {2, 3});
  const ref::Array b(Format::F32, {3, 2});
  const ref::Array c(Format::F32, {2, 2});
  const ref::Array wrong(Format::F32, {2, 1});
  const ref::MatmulOptions options;
  CHECK(ref::matmul({&a, &b}, options).has_value());
  CHECK_FALSE(ref::matmul({&a, &a}, options).has_value());
  CHECK(ref::matmul({&a, &b, &c}, options).has_value());
  CHECK_FALSE(ref::matmul({&a, &b, &wrong}, options).has_value());
  CHECK_FALSE(ref::matmul_blocked(Format::F32, 0).has_value());
  CHECK(ref::matmul_blocked(Format::F32, 1).has_value());
  CHECK_FALSE(ref::mma_unordered().run({&a, &b}, options).has_value());
  CHECK_FALSE(ref::mma_unordered().outcomes({&a, &b}, options).has_value());
  const ref::Array narrow_a(Format::F16, {2, 3});
  const ref::Array narrow_b(Format::F16, {3, 2});
  ref::MatmulOptions to_f32;
  to_f32.dtype = Format::F32;
  CHECK(ref::mma_unordered().outcomes({&narrow_a, &narrow_b}, to_f32).has_value());
  CHECK_FALSE(ref::matmul_any_order(Format::Bf16).outcomes({&narrow_a, &narrow_b}, options).has_value());
  CHECK_FALSE(ref::matmul_sequential(Format::F32).covers(wrong, {&a, &b}, options).has_value());
}

TEST_CASE("a result is an operand of the next product, with its own bounds", "[reference][matmul]") {
  Generator random(10);
  const ref::Array a = random.array(Format::F16, {2, 3}, false);
  const ref::Array b = random.array(Format::F16, {3, 2}, false);
  const ref::MatmulOptions options;
  const auto first = ref::matmul({&a, &b}, options);
  REQUIRE(first.has_value());
  const auto second = ref::matmul({&*first, &b}, options);
  CHECK_FALSE(second.has_value());  // 2 x 2 times 3 x 2
  const auto third = ref::matmul({&b, &*first}, options);
  REQUIRE(third.has_value());
  const auto certain = ref::matmul({&b, &first->rounded()}, options);
  CHECK(third->rounded().at(0) == certain->rounded().at(0));
  const auto wide = third->finite_range({});
  const auto narrow = certain->finite_range({});
  REQUIRE((wide && narrow));
  for (std::size_t i = 0; i < wide->values.size(); ++i) {
    if (!wide->values[i].ends || !narrow->values[i].ends) continue;
    CHECK(wide->values[i].ends->first <= narrow->values[i].ends->first);
    CHECK(narrow->values[i].ends->second <= wide->values[i].ends->second);
  }
}

TEST_CASE("spellings are read as they are written", "[reference][spelling]") {
  for (const char* text :
       {"matmul_sequential(f32)", "matmul_pairwise(f64, fma=false)", "matmul_blocked(f32, 4, fma=false, rounding=away)",
        "matmul_exact_accumulation(f8e4m3, rounding=away)", "matmul_slots16(bf16)", "mma_unordered", "matmul(f32)",
        "matmul(f32, standard=strict, flush_to_zero)"}) {
    const auto parsed = ref::parse_algorithm(text);
    REQUIRE(parsed.has_value());
    CHECK((*parsed)->spelling() == text);
    CHECK_FALSE((*parsed)->description().empty());
  }
  CHECK((*ref::parse_algorithm(" matmul_blocked ( f32,4 , fma = true ) "))->spelling() == "matmul_blocked(f32, 4)");
  for (const char* text : {"", "matmul_blocked(f32)", "matmul_blocked(f32, 0)", "matmul_sequential",
                           "matmul_sequential(f31)", "matmul_sequential(f32, fma=maybe)", "matmul_sequential(f32",
                           "matmul_sequential(f32,)", "matmul_sequential(f32, f32)", "matmul_slots16(f32, fma=false)",
                           "sum(f32)", "matmul_sequential(f32, rounding=up)"}) {
    INFO(text);
    CHECK_FALSE(ref::parse_algorithm(text).has_value());
  }
}

}  // namespace cairn::model
