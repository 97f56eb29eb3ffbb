// The named matmul algorithms, emulated to the last rounding (reference algorithms, 5 and 6).
#include <cmath>

#include "runtime/reference/accumulation.hpp"
#include "runtime/reference/matmul_problem.hpp"
#include "runtime/reference/slots16.hpp"

namespace cairn::reference {

namespace {

using Sum = MatmulAlgorithm::Sum;

Summation method_behind(Sum sum) {
  switch (sum) {
    case Sum::Pairwise:
      return Summation::Pairwise;
    case Sum::Blocked:
      return Summation::Blocked;
    case Sum::Exact:
      return Summation::Exact;
    default:
      return Summation::Sequential;
  }
}

template <class Number>
std::vector<Number> numbers(const std::vector<Element>& elements) {
  std::vector<Number> made;
  made.reserve(elements.size());
  for (const Element& element : elements) made.push_back(static_cast<Number>(element.to_f64()));
  return made;
}

}  // namespace

/// In f32 and f64 with ties to even the machine's own operations round as the emulation would, when the operands are
/// numbers of the format.
MatmulRun::MatmulRun(const MatmulAlgorithm& algorithm, const MatmulProblem& problem)
    : parts_(algorithm.parts()), problem_(problem), rounder_(parts_.format, parts_.rounding) {
  const bool chain = parts_.sum == Sum::Sequential || parts_.sum == Sum::Pairwise || parts_.sum == Sum::Blocked;
  const bool same_format = contains(parts_.format, problem.a.format) && contains(parts_.format, problem.b.format) &&
                           (!problem.onto || contains(parts_.format, problem.onto->format));
  if (!chain || !same_format || parts_.rounding != Rounding::NearestEven) return;
  const auto take = [&](auto& a, auto& b, auto& onto) {
    using Number = typename std::remove_reference_t<decltype(a)>::value_type;
    a = numbers<Number>(problem.a.value);
    b = numbers<Number>(problem.b.value);
    if (problem.onto) onto = numbers<Number>(problem.onto->value);
  };
  if (parts_.format == Format::F32) {
    path_ = Path::F32;
    take(a32_, b32_, onto32_);
  } else if (parts_.format == Format::F64) {
    path_ = Path::F64;
    take(a64_, b64_, onto64_);
  }
}

template <class Number>
double MatmulRun::native(std::size_t element, const std::vector<Number>& a, const std::vector<Number>& b,
                         const std::vector<Number>& onto) const {
  const std::size_t k = problem_.k;
  const Number* row = a.data() + element / problem_.n * k;
  const Number* column = b.data() + element % problem_.n * k;
  const std::size_t old = onto.empty() ? 0 : 1;
  const auto first = [&](std::size_t i) { return i < old ? onto[element] : row[i - old] * column[i - old]; };
  const auto add = [](Number x, Number y) { return x + y; };
  const auto run = [&](const auto& step) {
    return static_cast<double>(
        accumulate(method_behind(parts_.sum), problem_.terms(), parts_.block_size, first, step, add));
  };
  if (parts_.fma) {
    return run([&](Number sum, std::size_t i) { return std::fma(row[i - old], column[i - old], sum); });
  }
  return run([&](Number sum, std::size_t i) { return sum + row[i - old] * column[i - old]; });
}

double MatmulRun::emulated(std::size_t element) const {
  const std::size_t k = problem_.k;
  const Element* row = problem_.a.value.data() + element / problem_.n * k;
  const Element* column = problem_.b.value.data() + element % problem_.n * k;
  const std::size_t old = problem_.onto ? 1 : 0;
  const auto term = [&](std::size_t i) {
    return i < old ? small(problem_.onto->value[element]) : product(row[i - old], column[i - old]);
  };
  return accumulate(
      method_behind(parts_.sum), problem_.terms(), parts_.block_size,
      [&](std::size_t i) { return rounder_.round(term(i)); },
      [&](double sum, std::size_t i) {
        return rounder_.add(sum, parts_.fma ? term(i) : small(rounder_.round(term(i))));
      },
      [&](double x, double y) { return rounder_.add(x, small(y)); });
}

double MatmulRun::slots(std::size_t element) const {
  const std::size_t k = problem_.k;
  const Element* row = problem_.a.value.data() + element / problem_.n * k;
  const Element* column = problem_.b.value.data() + element % problem_.n * k;
  std::vector<double> terms;
  terms.reserve(problem_.terms());
  if (problem_.onto) terms.push_back(rounder_.round(small(problem_.onto->value[element])));
  for (std::size_t p = 0; p < k; ++p) terms.push_back(rounder_.round(product(row[p], column[p])));
  return sum_in_slots(terms, parts_.format, rounder_);
}

double MatmulRun::accumulated(std::size_t element, MatmulProblem::Scratch& scratch) const {
  if (problem_.terms() == 0) return 0;
  switch (parts_.sum) {
    case Sum::Exact:
      return round(problem_.exact(element, scratch), parts_.format, parts_.rounding, Overflow::Default, false).to_f64();
    case Sum::Slots16:
      return slots(element);
    default:
      break;
  }
  switch (path_) {
    case Path::F32:
      return native(element, a32_, b32_, onto32_);
    case Path::F64:
      return native(element, a64_, b64_, onto64_);
    case Path::Emulated:
      break;
  }
  return emulated(element);
}

}  // namespace cairn::reference
