// What bench/pairs.py runs beside CAIRN: twin METHOD SHAPE OPERATION REPEATS. `plain` is this project's own kernels and
// functions in a C++ loop, `qd` libqd's double-doubles. In `array` z[i] = f(x[i], y[i]); in `one` each call waits for
// the one before, but for exp and sin, whose results are added up.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "runtime/semantics/pair/functions.hpp"
#if __has_include(<qd/dd_real.h>)
#include <qd/dd_real.h>
#define HAS_QD 1
#else
#define HAS_QD 0
#endif

namespace {

namespace pair = cairn::semantics::pair;
using pair::Level;
constexpr std::size_t kSize = 1024;

struct Plain {
  using Number = pair::Pair<double>;
  static Number make(double high, double low) { return {high, low}; }
  static double high(Number x) { return x.hi; }
  static Number add(Number x, Number y) { return pair::add<Level::Mid>(x, y); }
  static Number mul(Number x, Number y) { return pair::mul<Level::Mid>(x, y); }
  static Number div(Number x, Number y) { return pair::div<Level::Mid>(x, y); }
  static Number sqrt(Number x) { return pair::sqrt(x); }
  static Number exp(Number x) { return pair::exp(x); }
  static Number sin(Number x) { return pair::sin(x); }
};
#if HAS_QD
struct Qd {
  using Number = dd_real;
  static Number make(double high, double low) { return {high, low}; }
  static double high(const Number& x) { return x.x[0]; }
  static Number add(const Number& x, const Number& y) { return x + y; }
  static Number mul(const Number& x, const Number& y) { return x * y; }
  static Number div(const Number& x, const Number& y) { return x / y; }
  static Number sqrt(const Number& x) { return ::sqrt(x); }
  static Number exp(const Number& x) { return ::exp(x); }
  static Number sin(const Number& x) { return ::sin(x); }
};
#endif

template <class M>
struct Arrays {
  typename M::Number x[kSize], y[kSize], z[kSize];
};

/// f gives an element of z; g the next s.
template <class M, class F, class G>
void run(Arrays<M>& a, bool array, long repeats, F f, G g) {
  auto s = M::make(1, 0);
  for (long k = 0; k < repeats; ++k) {
    if (array) {
      for (std::size_t i = 0; i < kSize; ++i) a.z[i] = f(a.x[i], a.y[i]);
    } else {
      for (std::size_t i = 0; i < kSize; ++i) s = g(s, a.x[i], a.y[i]);
    }
    asm volatile("" : : "r"(&a), "r"(&s) : "memory");
  }
  std::printf("%g\n", M::high(s) + M::high(a.z[7]));
}

template <class M>
int measure(bool array, std::string_view operation, long repeats) {
  static Arrays<M> a;
  using Number = typename M::Number;
  for (std::size_t i = 0; i < kSize; ++i) {
    a.x[i] = M::mul(M::make(static_cast<double>(i + 1) / 61, 0), M::make(1.1, 0x1p-60));
    // To both sides of 1, so that chains of products and quotients stay near it.
    a.y[i] = M::make(1 + static_cast<double>(i) / 1048576 * (i % 2 == 0 ? 1 : -1), 0x1p-60);
  }
  const auto of_two = [&](auto f) {
    run(a, array, repeats, f, [f](const Number& s, const Number&, const Number& y) { return f(s, y); });
  };
  const auto added = [&](auto f) {
    run(
        a, array, repeats, [f](const Number& x, const Number&) { return f(x); },
        [f](const Number& s, const Number& x, const Number&) { return M::add(s, f(x)); });
  };
  if (operation == "add") of_two([](const Number& x, const Number& y) { return M::add(x, y); });
  if (operation == "mul") of_two([](const Number& x, const Number& y) { return M::mul(x, y); });
  if (operation == "div") of_two([](const Number& x, const Number& y) { return M::div(x, y); });
  if (operation == "sqrt") {
    run(
        a, array, repeats, [](const Number& x, const Number&) { return M::sqrt(x); },
        [](const Number& s, const Number&, const Number& y) { return M::sqrt(M::add(s, y)); });
  }
  if (operation == "exp") added([](const Number& x) { return M::exp(x); });
  if (operation == "sin") added([](const Number& x) { return M::sin(x); });
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return 2;
  const bool array = std::string_view(words[2]) == "array";
  const long repeats = std::atol(words[4]);
#if HAS_QD
  if (std::string_view(words[1]) == "qd") return measure<Qd>(array, words[3], repeats);
#endif
  return std::string_view(words[1]) == "plain" ? measure<Plain>(array, words[3], repeats) : 3;
}
