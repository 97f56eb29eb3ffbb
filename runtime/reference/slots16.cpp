#include "runtime/reference/slots16.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cairn::reference {

namespace {

constexpr std::size_t kSlots = 16;

/// One slot's sum. The terms ascend by magnitude; signs alternate, the smaller head first, the positive one of equals.
double slot_sum(std::span<const double> terms, const Rounder& rounder, std::vector<double>& positives,
                std::vector<double>& negatives) {
  positives.clear();
  negatives.clear();
  for (const double term : terms) (term > 0 ? positives : negatives).push_back(term);
  std::size_t taken_positive = 0;
  std::size_t taken_negative = 0;
  bool from_positive = !positives.empty() && (negatives.empty() || positives.front() <= -negatives.front());
  double sum = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (taken_positive == positives.size()) from_positive = false;
    if (taken_negative == negatives.size()) from_positive = true;
    const double term = from_positive ? positives[taken_positive++] : negatives[taken_negative++];
    sum = rounder.add(sum, small(term));
    from_positive = !from_positive;
  }
  return sum;
}

}  // namespace

double sum_in_slots(std::vector<double>& terms, Format format, const Rounder& rounder) {
  double fixed = 0;
  bool any_fixed = false;
  for (const double term : terms) {
    if (std::isfinite(term)) continue;
    fixed = any_fixed ? fixed + term : term;
    any_fixed = true;
  }
  if (any_fixed) return fixed;
  std::erase(terms, 0.0);
  if (terms.empty()) return 0;
  const auto by_magnitude = [](double x, double y) { return std::fabs(x) < std::fabs(y); };
  std::ranges::sort(terms, by_magnitude);
  const int top = std::ilogb(terms.back());
  const int p = info(format).p;
  const auto slot_of = [&](double term) {
    const int distance = top - std::ilogb(term);
    return std::min(static_cast<int>(kSlots) - 1, static_cast<int>(kSlots) * distance / p);
  };
  // Ascending magnitudes: the last slot comes first.
  std::vector<double> positives;
  std::vector<double> negatives;
  double total = 0;
  for (std::size_t begin = 0; begin < terms.size();) {
    const int slot = slot_of(terms[begin]);
    std::size_t end = begin + 1;
    while (end < terms.size() && slot_of(terms[end]) == slot) ++end;
    total = rounder.add(total,
                        small(slot_sum(std::span(terms).subspan(begin, end - begin), rounder, positives, negatives)));
    begin = end;
  }
  return total;
}

}  // namespace cairn::reference
