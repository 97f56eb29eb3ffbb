// The table of kernels: its listing and counts, and the compiled templates against an exact interpreter of its rows.
#include <mpfr.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <sstream>
#include <string>

#include "runtime/semantics/pair/kernel_table.hpp"
#include "tests/pair/operands.hpp"

using namespace cairn::tests;
using pair::KernelInfo;
using pair::KernelRow;
using pair::RowOperation;

namespace {

struct Count {
  unsigned all, divisions, roots;
};
/// The chapter's budget (4.8 and 4.5).
const std::map<std::string, Count> kBudget = {
    {"add_low", {8, 0, 0}},
    {"add", {11, 0, 0}},
    {"add_high", {20, 0, 0}},
    {"add_limb_low", {7, 0, 0}},
    {"add_limb", {10, 0, 0}},
    {"mul_low", {5, 0, 0}},
    {"mul", {8, 0, 0}},
    {"mul_high", {9, 0, 0}},
    {"mul_limb_low", {3, 0, 0}},
    {"mul_limb", {6, 0, 0}},
    {"mul_limb_high", {10, 0, 0}},
    {"sqr_low", {4, 0, 0}},
    {"sqr", {7, 0, 0}},
    {"div_low", {6, 1, 0}},
    {"div", {8, 2, 0}},
    {"div_high", {33, 3, 0}},
    {"div_limb_low", {5, 1, 0}},
    {"div_limb", {7, 2, 0}},
    {"div_limb_high", {19, 3, 0}},
    {"fma_low", {12, 0, 0}},
    {"fma", {15, 0, 0}},
    {"fma_high", {52, 0, 0}},
    {"sqrt", {8, 1, 1}},
    {"rsqrt", {14, 1, 1}},
};

std::string shown(const KernelRow& row) {
  const std::string a = row.operands[0];
  const auto b = [&] { return std::string(row.operands[1]); };
  switch (row.operation) {
    case RowOperation::Add:
      return std::string(row.result) + " = " + a + " + " + b();
    case RowOperation::Sub:
      return std::string(row.result) + " = " + a + " - " + b();
    case RowOperation::Mul:
      return std::string(row.result) + " = " + a + " * " + b();
    case RowOperation::Div:
      return std::string(row.result) + " = " + a + " / " + b();
    case RowOperation::Fma:
      return std::string(row.result) + " = fma(" + a + ", " + b() + ", " + row.operands[2] + ")";
    case RowOperation::Sqrt:
      return std::string(row.result) + " = sqrt(" + a + ")";
  }
  return {};
}

/// One limb of MPFR with exactly IEEE's roundings, subnormals included.
template <class T>
class ExactLimbs {
 public:
  ExactLimbs() {
    mpfr_set_emin(sizeof(T) == 4 ? -148 : -1073);
    mpfr_set_emax(sizeof(T) == 4 ? 128 : 1024);
  }
  ~ExactLimbs() {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    for (auto& [name, value] : values_) mpfr_clear(value.number);
  }
  ExactLimbs(const ExactLimbs&) = delete;
  ExactLimbs& operator=(const ExactLimbs&) = delete;

  void set(const std::string& name, T x) {
    mpfr_ptr to = slot(name);
    mpfr_set_d(to, static_cast<double>(x), MPFR_RNDN);
  }
  T get(const std::string& name) { return static_cast<T>(mpfr_get_d(slot(name), MPFR_RNDN)); }

  void run(const KernelRow& row) {
    mpfr_ptr to = slot(row.result);
    int side = 0;
    switch (row.operation) {
      case RowOperation::Add:
        side = mpfr_add(to, operand(row, 0), operand(row, 1), MPFR_RNDN);
        break;
      case RowOperation::Sub:
        side = mpfr_sub(to, operand(row, 0), operand(row, 1), MPFR_RNDN);
        break;
      case RowOperation::Mul:
        side = mpfr_mul(to, operand(row, 0), operand(row, 1), MPFR_RNDN);
        break;
      case RowOperation::Div:
        side = mpfr_div(to, operand(row, 0), operand(row, 1), MPFR_RNDN);
        break;
      case RowOperation::Fma:
        side = mpfr_fma(to, operand(row, 0), operand(row, 1), operand(row, 2), MPFR_RNDN);
        break;
      case RowOperation::Sqrt:
        side = mpfr_sqrt(to, operand(row, 0), MPFR_RNDN);
        break;
    }
    mpfr_subnormalize(to, side, MPFR_RNDN);
  }

 private:
  struct Value {
    mpfr_t number;
  };
  mpfr_ptr slot(const std::string& name) {
    const auto [at, fresh] = values_.try_emplace(name);
    if (fresh) mpfr_init2(at->second.number, pair::kPrecision<T>);
    return at->second.number;
  }
  mpfr_srcptr operand(const KernelRow& row, int k) {
    std::string name = row.operands[k];
    const bool negative = name.front() == '-';
    if (negative) name.erase(0, 1);
    if (name == "1") set(name, T(1));
    if (name == "1 / 2") set(name, T(0.5));
    if (name == "3 / 4") set(name, T(0.75));
    if (!negative) return slot(name);
    mpfr_ptr flipped = slot("-" + std::to_string(k));
    mpfr_neg(flipped, slot(name), MPFR_RNDN);
    return flipped;
  }

  std::map<std::string, Value> values_;
};

/// A compiled kernel of up to six parameters.
template <class T>
using Compiled = pair::Kernel<T> (*)(const T*);

template <class T>
std::map<std::string, Compiled<T>> compiled_kernels() {
  std::map<std::string, Compiled<T>> all;
#define PAIR x[0], x[1]
#define PAIR_LIMB x[0], x[1], x[2]
#define PAIR_PAIR x[0], x[1], x[2], x[3]
#define PAIR_PAIR_PAIR x[0], x[1], x[2], x[3], x[4], x[5]
#define KERNEL(name, parameters, high, low, lead, ...) \
  all[#name] = [](const T* x) { return pair::kernel::name(parameters); };
#include "runtime/semantics/pair/pair_kernels.def"
#undef PAIR
#undef PAIR_LIMB
#undef PAIR_PAIR
#undef PAIR_PAIR_PAIR
  return all;
}

std::vector<std::string> words(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

}  // namespace

TEST_CASE("every kernel has the chapter's number of operations", "[pair]") {
  REQUIRE(std::size(pair::kKernels) == kBudget.size());
  for (const KernelInfo& kernel : pair::kKernels) {
    INFO(kernel.name);
    const Count& budget = kBudget.at(kernel.name);
    unsigned divisions = 0;
    unsigned roots = 0;
    for (unsigned i = 0; i < kernel.count; ++i) {
      divisions += kernel.rows[i].operation == RowOperation::Div ? 1 : 0;
      roots += kernel.rows[i].operation == RowOperation::Sqrt ? 1 : 0;
    }
    CHECK(kernel.count == budget.all);
    CHECK(divisions == budget.divisions);
    CHECK(roots == budget.roots);
  }
}

TEST_CASE("the printed table is the chapter's listing", "[pair]") {
  std::string listing;
  for (const KernelInfo& kernel : pair::kKernels) {
    const std::string name = kernel.name;
    if (name != "mul" && name != "div" && name != "sqrt" && name != "rsqrt" && name != "add") continue;
    listing += name + "(" + kernel.parameters + ") -> " + kernel.high + ", " + kernel.low + "; " + kernel.lead + "\n";
    for (unsigned i = 0; i < kernel.count; ++i) listing += "  " + shown(kernel.rows[i]) + "\n";
  }
  CHECK(listing == R"(add(xh xl yh yl) -> rh, rl; s
  s = xh + yh
  e_a = s - yh
  e_b = s - e_a
  e_da = xh - e_a
  e_db = yh - e_b
  e = e_da + e_db
  v = xl + yl
  l = v + e
  rh = s + l
  rl_z = rh - s
  rl = l - rl_z
mul(xh xl yh yl) -> rh, rl; q
  q = xh * yh
  e = fma(xh, yh, -q)
  t = xh * yl
  v = fma(xl, yh, t)
  l = e + v
  rh = q + l
  rl_z = rh - q
  rl = l - rl_z
div(xh xl yh yl) -> rh, rl; q
  q = xh / yh
  e1 = fma(yh, -q, xh)
  e2 = xl + e1
  e3 = fma(yl, -q, e2)
  g = e3 / yh
  rh = q + g
  rl_z = rh - q
  rl = g - rl_z
sqrt(xh xl) -> rh, rl; s
  s = sqrt(xh)
  e = fma(s, -s, xh)
  t = xl + e
  d = s + s
  g = t / d
  rh = s + g
  rl_z = rh - s
  rl = g - rl_z
rsqrt(xh xl) -> rh, rl; y
  s = sqrt(xh)
  y = 1 / s
  a = xh * y
  b = fma(xh, y, -a)
  b2 = fma(xl, y, b)
  t0 = fma(a, -y, 1)
  t = fma(b2, -y, t0)
  h = y * 1 / 2
  w = h * t
  k = 3 / 4 * t
  g = fma(w, k, w)
  rh = y + g
  rl_z = rh - y
  rl = g - rl_z
)");
}

TEMPLATE_TEST_CASE("a compiled kernel gives the limbs its rows give in exact arithmetic", "[pair]", float, double) {
  const auto compiled = compiled_kernels<TestType>();
  Operands<TestType> operands(7);
  for (const KernelInfo& kernel : pair::kKernels) {
    const std::vector<std::string> parameters = words(kernel.parameters);
    ExactLimbs<TestType> exact;
    for (int i = 0; i < 600; ++i) {
      // Every tenth set lies where results underflow or overflow.
      const int spread = i % 10 == 0 ? pair::kMaxExponent<TestType> - 2 : 20;
      TestType x[6] = {};
      for (std::size_t k = 0; k < parameters.size(); k += 2) {
        const pair::Pair<TestType> p = operands.pair_of(operands.below(2 * spread) - spread);
        x[k] = p.hi;
        x[k + 1 < 6 ? k + 1 : k] = p.lo;
      }
      for (std::size_t k = 0; k < parameters.size(); ++k) exact.set(parameters[k], x[k]);
      for (unsigned k = 0; k < kernel.count; ++k) exact.run(kernel.rows[k]);
      const pair::Kernel<TestType> result = compiled.at(kernel.name)(x);
      INFO(kernel.name << " of " << std::hexfloat << x[0] << " " << x[1] << " " << x[2] << " " << x[3]);
      REQUIRE(same_limb(result.hi, exact.get(kernel.high)));
      REQUIRE(same_limb(result.lo, exact.get(kernel.low)));
      REQUIRE(same_limb(result.lead, exact.get(kernel.lead)));
    }
  }
}
