// The operands the chapter pins (pair floats, 8.5), with the errors it gives for them in u^2.
#include <catch2/catch.hpp>
#include <cmath>

#include "runtime/semantics/pair/functions.hpp"
#include "tests/pair/dyadic.hpp"

using namespace cairn::tests;
using pair::Level;
using pair::Pair;

namespace {

template <class T>
double in_u2(const Dyadic& error, const Dyadic& size) {
  return std::ldexp(ratio(error.magnitude(), size.magnitude()), 2 * pair::kPrecision<T>);
}
template <class T>
double product_error(Pair<T> r, Pair<T> x, Pair<T> y) {
  const Dyadic exact = Dyadic(x) * Dyadic(y);
  return in_u2<T>(Dyadic(r) - exact, exact);
}

/// xc by the limb kernel, and with c promoted to a pair.
template <class T>
void hold_limb_product(Pair<T> x, T c, double promoted, double limb) {
  CHECK(product_error(pair::mul<Level::Mid>(x, pair::of(c)), x, pair::of(c)) == Approx(promoted).margin(0.001));
  CHECK(product_error(pair::mul_limb<Level::Mid>(x, c), x, pair::of(c)) == Approx(limb).margin(0.001));
}

}  // namespace

TEST_CASE("a promoted product errs by nearly 3, the limb kernel by less than 1 or 2", "[pair]") {
  hold_limb_product(Pair<float>{0x1.005ca0p0F, -0x1.febff2p-25F}, 0x1.062fbap0F, 2.923, 0.977);
  hold_limb_product(Pair<float>{0x1.000080p0F, -0x1.fffc02p-25F}, -0x1.0201p0F, 2.977, 0.992);
  hold_limb_product(Pair<float>{0x1.001412p0F, -0x1.fffffep-25F}, 0x1.002644p0F, 2.997, 1.000);
  hold_limb_product(Pair<double>{-0x1.0084ce08be6bep0, 0x1.fff4f0ffd174ep-54}, -0x1.0400a32000874p0, 2.948, 0.983);
  hold_limb_product(Pair<double>{0x1.00bb7bd37ae02p0, -0x1.fffb7fffep-54}, -0x1.027fae4db79a4p0, 2.963, 0.988);
}

TEST_CASE("pinned operands reach the errors the chapter found", "[pair]") {
  const Pair<float> near{0x1.000002p0F, 0x1.fffffap-25F};
  const Pair<float> mid{0x1.000002p0F, 0x1.fffffep-25F};
  CHECK(product_error(pair::mul<Level::Mid>(near, mid), near, mid) == Approx(5.00).margin(0.005));
  const Pair<float> high{0x1.000002p0F, 0x1.fffffcp-25F};
  CHECK(product_error(pair::mul<Level::High>(near, high), near, high) == Approx(4.00).margin(0.005));
  const Pair<double> wide{-0x1.0000000000001p0, -0x1.ffffffffffffdp-54};
  const Pair<double> wide_mid{-0x1.0000000000001p0, -0x1.fffffffffffffp-54};
  CHECK(product_error(pair::mul<Level::Mid>(wide, wide_mid), wide, wide_mid) == Approx(5.00).margin(0.005));
  const Pair<double> wide_high{-0x1.0000000000001p0, -0x1.ffffffffffffep-54};
  CHECK(product_error(pair::mul<Level::High>(wide, wide_high), wide, wide_high) == Approx(4.00).margin(0.005));
  const Pair<float> low{-0x1.001p0F, -0x1.ffcp-25F};
  const Pair<float> lower{-0x1.001p0F, -0x1.fffffcp-25F};
  CHECK(product_error(pair::mul<Level::Low>(low, lower), low, lower) == Approx(4.997).margin(0.002));
  const Pair<float> x{0x1.000e0cp0F, -0x1p-24F};
  const Pair<float> c = pair::of(0x1.00123ap-2F);
  CHECK(product_error(pair::mul_limb<Level::Mid>(x, c.hi), x, c) == Approx(1.999).margin(0.002));
  const Pair<float> y{0x1.000002p0F, 0x1.000008p-25F};
  const Pair<float> d = pair::of(0x1.fffffep0F);
  CHECK(product_error(pair::mul_limb<Level::High>(y, d.hi), y, d) == Approx(1.5).margin(0.002));

  const Pair<float> n{-0x1.004008p0F, -0x1.ffffecp-25F};
  const Pair<float> over{0x1.000ffep0F, -0x1.fffff8p-25F};
  const Pair<float> q = pair::div<Level::Mid>(n, over);
  CHECK(in_u2<float>(Dyadic(q) * Dyadic(over) - Dyadic(n), Dyadic(n)) == Approx(8.99).margin(0.01));
  const Pair<float> s{0x1.000006p0F, 0x1.fffff4p-25F};
  const Pair<float> root = pair::sqrt(s);
  CHECK(in_u2<float>(Dyadic(root) * Dyadic(root) - Dyadic(s), Dyadic(s).times_power_of_two(1)) ==
        Approx(3.125).margin(0.002));
  const Pair<float> a{-0x1p0F, -0x1.000002p-25F};
  const Pair<float> sum = pair::add_limb<Level::Mid>(a, 0x1.fffffep-2F);
  const Dyadic exact = Dyadic(a) + Dyadic(0x1.fffffep-2F);
  CHECK(in_u2<float>(Dyadic(sum) - exact, exact) == Approx(2.00).margin(0.002));
}

TEST_CASE("the sine of the nearest pair to pi is the third limb of pi", "[pair]") {
  const Pair<double> rest = pair::sin(pair::pi<double>());
  CHECK(rest.hi == pair::Angles<double>::limbs[2]);
}

TEMPLATE_TEST_CASE("a scalar less a pair is exact where the chapter says", "[pair]", float, double) {
  using T = TestType;
  const T half_u = pair::power_of_two<T>(-pair::kPrecision<T> - 1);
  CHECK(same(pair::rsub_limb<Level::Mid>(Pair<T>{T(1), half_u}, T(3)), Pair<T>{T(2), -half_u}));
  const Pair<T> loose = pair::rsub_limb<Level::Mid>(Pair<T>{T(1), 8 * half_u}, T(3));
  CHECK(Dyadic(loose) == Dyadic(T(2)) - Dyadic(8 * half_u));
}
