// Attention against its definition, and against kernels that round wherever they may.
#include "tests/reference/attention_model.hpp"

#include <catch2/catch.hpp>

namespace cairn::model {
namespace {

using ref::Format;
using ref::Part;

/// Finite values of a few binades, sometimes tiny, zero or equal.
ref::Array tensor(Generator& random, Format format, ref::Shape shape) {
  const Spec f = spec(format);
  ref::Array made(format, std::move(shape));
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (random.one_in(9)) continue;
    if (random.one_in(9) && i > 0) {
      made.set(i, made.at(i - 1));
      continue;
    }
    const std::uint64_t top = std::uint64_t{1} << (f.p - 1);
    std::uint64_t n = top | (random.one_in(3) ? top - 1 : random.word() & (top - 1));
    if (random.one_in(4)) n = top;
    const int e = random.one_in(25) ? f.emin - random.below(f.p) : random.below(5) - 3;
    const ref::Value x = ref::round(ref::Value(mpz_class(n), e - f.p + 1), format, ref::Rounding::NearestEven,
                                    ref::Overflow::Saturate, false);
    made.set(i, random.one_in(2) ? x : x.negated());
  }
  return made;
}

struct Made {
  AttentionTrial trial;
  ref::AttentionAlgorithm::Options options;
};

void fill(Generator& random, AttentionTrial& t, bool storage) {
  t.key_heads = static_cast<std::size_t>(1 + random.below(2));
  t.query_heads = t.key_heads * static_cast<std::size_t>(random.one_in(3) ? 2 : 1);
  t.queries = static_cast<std::size_t>(1 + random.below(3));
  t.keys = static_cast<std::size_t>(1 + random.below(5));
  t.width = static_cast<std::size_t>(1 + random.below(5));
  t.value_width = static_cast<std::size_t>(1 + random.below(3));
  const Format format = storage ? static_cast<Format>(random.below(4)) : random.format();
  t.query = tensor(random, format, {1, t.query_heads, t.queries, t.width});
  t.key = tensor(random, format, {1, t.key_heads, t.keys, t.width});
  t.value = tensor(random, format, {1, t.key_heads, t.keys, t.value_width});
  t.grad = tensor(random, format, {1, t.query_heads, t.queries, t.value_width});
  const ref::Shape mask = {1, t.query_heads, t.queries, t.keys};
  switch (random.below(5)) {
    case 0:
      t.input.is_causal = true;
      break;
    case 1:
      t.has_boolean_mask = true;
      t.boolean_mask.shape = mask;
      for (std::size_t i = 0; i < ref::element_count(mask); ++i)
        t.boolean_mask.values.push_back(random.one_in(3) ? 0 : 1);
      break;
    case 2:
      t.float_mask = tensor(random, random.one_in(2) ? format : Format::F32, mask);
      for (std::size_t i = 0; i < t.float_mask->size(); ++i) {
        if (random.one_in(5)) t.float_mask->set(i, ref::Value::infinity(true));
      }
      break;
    default:
      break;
  }
  if (random.one_in(2)) {
    static constexpr double kScales[] = {0.25, 1, 0.375, -0.5, 2, 0.1};
    t.input.scale = kScales[random.below(6)];
  }
  t.input.enable_gqa = t.query_heads != t.key_heads;
  t.options.compute = format == Format::F64 || (!storage && random.one_in(4)) ? Format::F64 : Format::F32;
  t.options.dtype = random.format();
  t.options.rounding = random.one_in(4) ? ref::Rounding::NearestAway : ref::Rounding::NearestEven;
}

void connect(AttentionTrial& t) {
  t.input.query = &t.query;
  t.input.key = &t.key;
  t.input.value = &t.value;
  if (t.has_boolean_mask) t.input.attn_mask = &t.boolean_mask;
  if (t.float_mask) t.input.attn_mask = &*t.float_mask;
}

AttentionTrial blank() {
  return AttentionTrial{1,
                        1,
                        1,
                        1,
                        1,
                        1,
                        {},
                        {},
                        {},
                        {},
                        {},
                        {},
                        {},
                        {},
                        false,
                        false,
                        {static_cast<const ref::Array*>(nullptr), static_cast<const ref::Array*>(nullptr),
                         static_cast<const ref::Array*>(nullptr)},
                        {}};
}

/// The row algorithm's options, and what goes with them in the call.
ref::AttentionAlgorithm::Options random_options(Generator& random, AttentionTrial& t) {
  ref::AttentionAlgorithm::Options o;
  const bool storage = ref::is_storage_float(t.query.format());
  o.online_softmax = random.one_in(2);
  if (o.online_softmax && random.one_in(2)) o.block_size = static_cast<std::size_t>(1 + random.below(4));
  o.exp2 = random.one_in(3);
  o.reciprocal = random.one_in(3);
  if (random.one_in(3)) o.weights = random.one_in(2) ? Format::Bf16 : Format::F16;
  if (random.one_in(4)) o.bias = random.one_in(2) ? Format::Bf16 : Format::F16;
  if (storage && *t.options.compute == Format::F32 && random.one_in(3)) {
    o.mma = true;
    if (!o.weights) o.weights = Format::Bf16;
  } else if (random.one_in(4)) {
    o.accumulate = random.one_in(3) ? Format::F16 : random.one_in(2) ? Format::F64 : Format::F32;
  }
  t.options.flush_to_zero = random.one_in(4);
  t.options.standard = random.one_in(4) ? ref::Standard::Strict : ref::Standard::Normal;
  if (random.one_in(4)) t.options.ulps = ref::Rational(mpq_class(1, 2));
  if (random.one_in(6)) t.options.ulps = ref::Rational(mpq_class(8));
  return o;
}

/// 3000 bits decide everything but values that are exactly at a tie or 0: what is as near as 2^-2500 is taken to be it.
void require_rounded(const ref::Value& got, mpq_class exact, Format format, bool away) {
  if (abs(exact) < two_to(-500) && got.is_zero()) exact = 0;
  const auto [below, above] = neighbours(exact, spec(format));
  const mpq_class tie = (below + above) / 2;
  const bool is_tie = below != above && abs(exact - tie) < abs(above - below) * two_to(-2500);
  INFO("exact " << exact.get_d() << " in " << ref::info(format).name);
  CHECK(same(number(got), rounded(finite(is_tie ? tie : exact), spec(format), away)));
}

/// Ranges an operand lies in; the kernel's own operand is somewhere between.
std::optional<ref::Result> around(Generator& random, ref::Array& array) {
  if (!random.one_in(4)) return std::nullopt;
  const ref::Array given = array;
  ref::Array lo = array;
  ref::Array hi = array;
  const Spec f = spec(array.format());
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (!array.at(i).is_finite() || random.one_in(3)) continue;
    const mpq_class x = rational(array.at(i));
    const mpq_class step = two_to(std::max(x == 0 ? f.emin : log2_floor(x), f.emin) - f.p + 1);
    const auto valued = [&](const mpq_class& q) {
      return ref::round(ref::Rational(q), array.format(), ref::Rounding::NearestEven, ref::Overflow::Saturate, false);
    };
    lo.set(i, valued(x - step * random.below(3)));
    hi.set(i, valued(x + step * random.below(3)));
    if (random.one_in(2)) array.set(i, random.one_in(2) ? lo.at(i) : hi.at(i));
  }
  auto made = ref::Result::between(given, lo, hi);
  REQUIRE(made.has_value());
  return std::move(*made);
}

struct Tightness {
  double least = 1e300;
  void add(const ref::FiniteRange& range, const mpq_class& output, const ref::Value& reference) {
    if (!range.ends || !reference.is_finite()) return;
    const mpq_class error = abs(output - rational(reference));
    if (error == 0) return;
    const mpq_class allowed = std::max(mpq_class(rational(range.ends->second) - rational(reference)),
                                       mpq_class(rational(reference) - rational(range.ends->first)));
    least = std::min(least, mpq_class(allowed / error).get_d());
  }
};

void require_inside(const ref::Outcome& outcome, const mpq_class& output) {
  REQUIRE(outcome.range.ends.has_value());
  CHECK(rational(outcome.range.ends->first) <= output);
  CHECK(output <= rational(outcome.range.ends->second));
}

}  // namespace

TEST_CASE("attention's references are the real numbers of section 10.2, rounded once", "[reference][attention]") {
  Generator random(20);
  for (int n = 0; n < trials(150); ++n) {
    AttentionTrial t = blank();
    fill(random, t, false);
    connect(t);
    const auto forward = ref::scaled_dot_product_attention(t.input, t.options);
    const auto backward = ref::scaled_dot_product_attention_backward({t.input, &t.grad}, t.options);
    REQUIRE((forward && backward));
    const bool away = t.options.rounding == ref::Rounding::NearestAway;
    const mpq_class s = t.scale();
    Matrix to_key(t.key_heads * t.keys, std::vector<mpq_class>(t.width));
    Matrix to_value(t.key_heads * t.keys, std::vector<mpq_class>(t.value_width));
    for (std::size_t h = 0; h < t.query_heads; ++h) {
      for (std::size_t i = 0; i < t.queries; ++i) {
        const ExactRow row = exact_row(t, h, i, true);
        const std::size_t at = h * t.queries + i;
        for (std::size_t c = 0; c < t.value_width; ++c) {
          require_rounded(forward->at(Part::Output).rounded().at(at * t.value_width + c), row.output[c],
                          *t.options.dtype, away);
        }
        const ref::Value sum = forward->at(Part::Logsumexp).rounded().at(at);
        if (row.admitted.empty()) {
          CHECK(sum == ref::Value::infinity(true));
        } else {
          require_rounded(sum, row.logsumexp, *t.options.compute, false);
        }
        for (std::size_t e = 0; e < t.width; ++e) {
          mpq_class total = 0;
          for (std::size_t m = 0; m < row.admitted.size(); ++m) {
            const std::size_t key = t.key_head(h) * t.keys + row.admitted[m];
            total += row.gradients[m] * rational(t.key.at(key * t.width + e));
            to_key[key][e] += row.gradients[m] * rational(t.query.at(at * t.width + e));
          }
          require_rounded(backward->at(Part::GradQuery).rounded().at(at * t.width + e), s * total, *t.options.dtype,
                          away);
        }
        for (std::size_t c = 0; c < t.value_width; ++c) {
          for (std::size_t m = 0; m < row.admitted.size(); ++m) {
            to_value[t.key_head(h) * t.keys + row.admitted[m]][c] +=
                row.weights[m] * rational(t.grad.at(at * t.value_width + c));
          }
        }
      }
    }
    for (std::size_t j = 0; j < to_key.size(); ++j) {
      for (std::size_t e = 0; e < t.width; ++e) {
        require_rounded(backward->at(Part::GradKey).rounded().at(j * t.width + e), s * to_key[j][e], *t.options.dtype,
                        away);
      }
      for (std::size_t c = 0; c < t.value_width; ++c) {
        require_rounded(backward->at(Part::GradValue).rounded().at(j * t.value_width + c), to_value[j][c],
                        *t.options.dtype, away);
      }
    }
  }
}

TEST_CASE("no kernel of the class leaves the range of its output or logsumexp", "[reference][attention]") {
  Generator random(21);
  Tightness outputs;
  Tightness sums;
  int finished = 0;
  for (int n = 0; n < trials(400); ++n) {
    AttentionTrial t = blank();
    fill(random, t, random.one_in(2));
    const ref::AttentionAlgorithm::Options options = random_options(random, t);
    connect(t);
    // The bounds see the operands as they were given, with ranges; the kernel what moved within them.
    const ref::Array query = t.query, key = t.key, value = t.value;
    const auto q = around(random, t.query);
    const auto k = around(random, t.key);
    const auto v = around(random, t.value);
    ref::AttentionInput input = t.input;
    input.query = q ? ref::Operand(&*q) : ref::Operand(&query);
    input.key = k ? ref::Operand(&*k) : ref::Operand(&key);
    input.value = v ? ref::Operand(&*v) : ref::Operand(&value);
    const ref::AttentionAlgorithm algorithm(options);
    const auto parts = algorithm.forward(input, t.options);
    INFO("trial " << n << " " << algorithm.spelling() << (parts ? "" : ": " + parts.error().message));
    REQUIRE(parts.has_value());
    for (std::size_t h = 0; h < t.query_heads; ++h) {
      for (std::size_t i = 0; i < t.queries; ++i) {
        if (exact_row(t, h, i, false).admitted.empty()) continue;
        try {
          const Kernel::Row row = Kernel(random, t, options).forward(h, i);
          const std::size_t at = h * t.queries + i;
          for (std::size_t c = 0; c < t.value_width; ++c) {
            const ref::AttentionPart& part = parts->at(Part::Output);
            require_inside(part.outcomes[at * t.value_width + c], row.output[c]);
            outputs.add(part.outcomes[at * t.value_width + c].range, row.output[c],
                        part.reference.at(at * t.value_width + c));
          }
          const ref::AttentionPart& part = parts->at(Part::Logsumexp);
          require_inside(part.outcomes[at], row.logsumexp);
          sums.add(part.outcomes[at].range, row.logsumexp, part.reference.at(at));
          ++finished;
        } catch (const PastTheRange&) {
        }
      }
    }
  }
  CHECK(finished > 300);
  CHECK(outputs.least >= 1);
  CHECK(outputs.least < 50);
  CHECK(sums.least >= 1);
  CHECK(sums.least < 50);
}

TEST_CASE("no kernel of the class leaves the ranges of its gradients", "[reference][attention]") {
  Generator random(22);
  Tightness gradients;
  int finished = 0;
  for (int n = 0; n < trials(250); ++n) {
    AttentionTrial t = blank();
    fill(random, t, random.one_in(2));
    const ref::AttentionAlgorithm::Options options = random_options(random, t);
    connect(t);
    t.given = random.one_in(2);
    if (t.given) {
      ref::AttentionOptions exact = t.options;
      exact.dtype = t.query.format();
      const auto forward = ref::scaled_dot_product_attention(t.input, exact);
      REQUIRE(forward.has_value());
      t.out = forward->at(Part::Output).rounded();
      t.logsumexp = forward->at(Part::Logsumexp).rounded();
    }
    const ref::Array query = t.query, key = t.key, value = t.value, grad = t.grad;
    const auto q = around(random, t.query);
    const auto v = around(random, t.value);
    const auto g = around(random, t.grad);
    ref::BackwardInput input{t.input, g ? ref::Operand(&*g) : ref::Operand(&grad)};
    input.forward.query = q ? ref::Operand(&*q) : ref::Operand(&query);
    input.forward.key = &key;
    input.forward.value = v ? ref::Operand(&*v) : ref::Operand(&value);
    if (t.given) {
      input.out = ref::Operand(&t.out);
      input.logsumexp = ref::Operand(&t.logsumexp);
    }
    const ref::AttentionAlgorithm algorithm(options);
    const auto parts = algorithm.backward(input, t.options);
    INFO("trial " << n << " " << algorithm.spelling() << (t.given ? " given" : "")
                  << (parts ? "" : ": " + parts.error().message));
    REQUIRE(parts.has_value());
    for (std::size_t kh = 0; kh < t.key_heads; ++kh) {
      try {
        const Kernel::Gradients made = Kernel(random, t, options).backward(kh);
        const auto judge = [&](Part part, std::size_t at, const mpq_class& output) {
          INFO("part " << static_cast<int>(part) << " element " << at);
          const ref::AttentionPart& of = parts->at(part);
          require_inside(of.outcomes[at], output);
          gradients.add(of.outcomes[at].range, output, of.reference.at(at));
        };
        std::size_t line = 0;
        for (std::size_t h = 0; h < t.query_heads; ++h) {
          if (t.key_head(h) != kh) continue;
          for (std::size_t i = 0; i < t.queries; ++i, ++line) {
            for (std::size_t e = 0; e < t.width; ++e)
              judge(Part::GradQuery, (h * t.queries + i) * t.width + e, made.query[line][e]);
          }
        }
        for (std::size_t j = 0; j < t.keys; ++j) {
          for (std::size_t e = 0; e < t.width; ++e)
            judge(Part::GradKey, (kh * t.keys + j) * t.width + e, made.key[j][e]);
          for (std::size_t c = 0; c < t.value_width; ++c)
            judge(Part::GradValue, (kh * t.keys + j) * t.value_width + c, made.value[j][c]);
        }
        ++finished;
      } catch (const PastTheRange&) {
      }
    }
  }
  CHECK(finished > 150);
  CHECK(gradients.least >= 1);
  CHECK(gradients.least < 50);
}

TEST_CASE("a breakpoint is decided exactly where precision cannot", "[reference][attention]") {
  // Equal logits: the mean 1 + 2^-24 is a tie of f32, exactly.
  AttentionTrial t = blank();
  t.keys = 2;
  t.query = ref::Array(Format::F32, {1, 1});
  t.key = ref::Array(Format::F32, {2, 1});
  t.value = ref::Array(Format::F32, {2, 1});
  t.value.set(0, 1.0);
  t.value.set(1, 1.0 + 0x1p-23);
  connect(t);
  t.options.dtype = Format::F32;
  CHECK(ref::scaled_dot_product_attention(t.input, t.options)->at(Part::Output).rounded().at(0) == ref::Value::of(1.0));
  t.options.rounding = ref::Rounding::NearestAway;
  CHECK(ref::scaled_dot_product_attention(t.input, t.options)->at(Part::Output).rounded().at(0) ==
        ref::Value::of(1.0 + 0x1p-23));
  // One key outweighs the other by e^30000: the output is beside its value by less than any precision shows, and on the
  // side of the other value.
  t.options.rounding = ref::Rounding::NearestEven;
  t.options.dtype = Format::F16;
  t.query.set(0, 30000.0);
  t.key.set(0, 1.0);
  t.value.set(0, 1.0 + 0x1p-11);  // a tie of f16, to even: 1
  for (const auto& [other, wanted] : {std::pair{2.0, 1.0 + 0x1p-10}, {-2.0, 1.0}}) {
    t.value.set(1, other);
    CHECK(ref::scaled_dot_product_attention(t.input, t.options)->at(Part::Output).rounded().at(0) ==
          ref::Value::of(wanted));
  }
  // The logsumexp is above its largest logit by as little: 30000 is exact, and the nearest.
  CHECK(ref::scaled_dot_product_attention(t.input, t.options)->at(Part::Logsumexp).rounded().at(0) ==
        ref::Value::of(30000.0));
}

TEST_CASE("elements that are no finite numbers spoil what they reach, and nothing else", "[reference][attention]") {
  AttentionTrial t = blank();
  t.queries = 2;
  t.keys = 2;
  t.value_width = 2;
  t.query = ref::Array(Format::F32, {2, 1});
  t.key = ref::Array(Format::F32, {2, 1});
  t.value = ref::Array(Format::F32, {2, 2});
  t.value.set(2, ref::Value::infinity(false));  // key 1, column 0
  connect(t);
  t.input.is_causal = true;  // row 0 does not see key 1
  const auto parts = ref::AttentionAlgorithm({}).forward(t.input, t.options);
  REQUIRE(parts.has_value());
  const ref::AttentionPart& output = parts->at(Part::Output);
  CHECK(output.reference.at(0) == ref::Value());
  CHECK(output.outcomes[0].not_a_number);
  CHECK_FALSE(output.outcomes[1].not_a_number);
  CHECK(output.reference.at(2).is_nan());
  CHECK_FALSE(output.reference.at(3).is_nan());
  CHECK_FALSE(parts->at(Part::Logsumexp).outcomes[1].not_a_number);
  t.query.set(1, ref::Value::nan());
  const auto spoiled = ref::AttentionAlgorithm({}).forward(t.input, t.options);
  CHECK(spoiled->at(Part::Logsumexp).reference.at(1).is_nan());
  CHECK(spoiled->at(Part::Output).outcomes[3].plus_infinity);
  CHECK_FALSE(spoiled->at(Part::Output).reference.at(1).is_nan());
}

TEST_CASE("attention refuses what does not fit, and takes what does", "[reference][attention]") {
  AttentionTrial t = blank();
  t.query = ref::Array(Format::F16, {2, 3});
  t.key = ref::Array(Format::F16, {4, 3});
  t.value = ref::Array(Format::F16, {4, 2});
  connect(t);
  const auto runs = [&](const ref::AttentionAlgorithm::Options& options = {}) {
    return ref::AttentionAlgorithm(options).forward(t.input, t.options).has_value();
  };
  CHECK(runs());
  t.input.dropout_p = 0.5;
  CHECK_FALSE(runs());
  t.input.dropout_p = 0;
  ref::BooleanArray mask{{1, 4}, {1, 1, 0, 1}};
  t.input.attn_mask = &mask;
  CHECK(runs());
  t.input.is_causal = true;
  CHECK_FALSE(runs());
  t.input.is_causal = false;
  mask.shape = {4, 1};
  CHECK_FALSE(runs());
  t.input.attn_mask.reset();
  for (const auto& [ulps, fits] : {std::pair{mpq_class(1, 2), true},
                                   {mpq_class(1, 3), false},
                                   {mpq_class(mpz_class(1) << 21), true},
                                   {mpq_class(mpz_class(1) << 22), false}}) {
    t.options.ulps = ref::Rational(ulps);
    CHECK(runs() == fits);
  }
  t.options.ulps.reset();
  CHECK(runs({.weights = Format::F16, .mma = true}));
  CHECK_FALSE(runs({.mma = true}));
  CHECK_FALSE(runs({.weights = Format::F16, .accumulate = Format::F64, .mma = true}));
  CHECK_FALSE(runs({.online_softmax = true, .block_size = 0}));
  t.options.compute = Format::Bf16;
  CHECK_FALSE(runs());
  t.options.compute = Format::F16;
  CHECK(runs());
  t.key = ref::Array(Format::F16, {4, 2});
  CHECK_FALSE(runs());
}

}  // namespace cairn::model
