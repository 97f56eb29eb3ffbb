// Pairs of functions for the tests of the comparison: one made at random, the other from it by a rule that keeps its
// meaning (strength reduction, order of guards, other forms of a choice) or by one that changes it in a corner (off by
// one, overflow, signedness, order of operands).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cairn::test {

struct Pair {
  std::string before;  // a program that declares f
  std::string after;
  std::string rule;
  bool equal = false;  // by construction; else the rule may have hit a place that does not matter
  unsigned width = 8;  // of the parameters' type
  bool is_signed = false;
  bool takes_view = false;  // f(n:usize, xs:rw<T>[n], a:T); else f(a:T, b:T)
};

/// `count` pairs; the same seed gives the same ones.
[[nodiscard]] std::vector<Pair> make_pairs(std::uint64_t seed, std::size_t count, bool equal);

}  // namespace cairn::test
