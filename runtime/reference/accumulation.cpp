#include "runtime/reference/accumulation.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace cairn::reference {

namespace {

constexpr std::array<std::string_view, 1> kBlockSize = {"block_size"};
constexpr std::array<std::string_view, 1> kHigham = {
    "N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., ch. 4"};
constexpr std::array<std::string_view, 1> kKulisch = {"U. Kulisch, Computer Arithmetic and Validity, 2nd ed."};

constexpr std::array<AccumulationMethod, 4> kMethods = {{
    {Summation::Sequential, "sequential", "Sequential", "Adds the terms one by one in their order.", true, {}, kHigham},
    {Summation::Pairwise,
     "pairwise",
     "Pairwise",
     "Adds the sum of the first half, which is the shorter one of an odd count, to the sum of the second.",
     true,
     {},
     kHigham},
    {Summation::Blocked, "blocked", "Blocked",
     "Adds blocks of consecutive terms one by one, then the block sums one by one.", true, kBlockSize, kHigham},
    {Summation::Exact, "exact", "Exact", "Adds everything exactly and rounds once.", false, {}, kKulisch},
}};

std::size_t blocks(std::size_t n, std::size_t block_size) { return n / block_size + (n % block_size != 0 ? 1 : 0); }

}  // namespace

const AccumulationMethod* get_method(std::string_view key) {
  const auto found = std::ranges::find(kMethods, key, &AccumulationMethod::key);
  return found == kMethods.end() ? nullptr : &*found;
}

const AccumulationMethod& method_of(Summation summation) { return kMethods[static_cast<std::size_t>(summation)]; }

Value AccumulationMethod::emulate(std::span<const Value> terms, const RoundFn& round, const AddFn& add,
                                  const Parameters& of) const {
  if (terms.empty()) return {};
  if (summation == Summation::Exact) {
    Value sum = terms.front();
    for (const Value& term : terms.subspan(1)) sum = add(sum, term);
    return round(sum);
  }
  return accumulate(
      summation, terms.size(), of.block_size, [&](std::size_t i) { return round(terms[i]); },
      [&](const Value& sum, std::size_t i) { return round(add(sum, terms[i])); },
      [&](const Value& a, const Value& b) { return round(add(a, b)); });
}

std::size_t AccumulationMethod::depth(std::size_t n, const Parameters& of) const {
  if (n == 0) return 0;
  switch (summation) {
    case Summation::Sequential:
      return n;
    case Summation::Pairwise:
      return 1 + static_cast<std::size_t>(std::bit_width(n - 1));
    case Summation::Blocked:
      return std::min(of.block_size, n) + blocks(n, of.block_size);
    case Summation::Exact:
      break;
  }
  return 1;
}

std::size_t AccumulationMethod::roundings(std::size_t n, const Parameters& of) const {
  if (n == 0) return 0;
  switch (summation) {
    case Summation::Sequential:
      return n;
    case Summation::Pairwise:
      return 2 * n - 1;
    case Summation::Blocked:
      return n + blocks(n, of.block_size);
    case Summation::Exact:
      break;
  }
  return 1;
}

}  // namespace cairn::reference
