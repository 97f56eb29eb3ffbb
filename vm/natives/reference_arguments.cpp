#include "vm/natives/reference_arguments.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/reference/judgement.hpp"
#include "vm/interpreter/thread.hpp"

namespace cairn::reference_call {

Words words(const NativeCall& call, std::uint32_t slot, std::size_t least) {
  const auto view = call.view<const std::uint64_t>(slot);
  if (view.size() < least) refuse("a problem of std.reference is made by its functions");
  return view;
}

ref::Format format(std::uint64_t word) { return enumeration<ref::Format>(std::min<std::uint64_t>(word, 5)); }

std::size_t product_of(std::initializer_list<std::uint64_t> extents) {
  std::size_t count = 1;
  for (const std::uint64_t extent : extents) {
    if (__builtin_mul_overflow(count, extent, &count)) refuse("the sizes have more elements than can be counted");
  }
  return count;
}

/// A part of the problem's numbers as an array: each is a value of the format, widened.
ref::Array array(std::span<const double> data, std::uint64_t at, std::size_t count, ref::Format of, ref::Shape shape) {
  if (at > data.size() || data.size() - at < count) refuse("a problem of std.reference is made by its functions");
  ref::Array made(of, std::move(shape));
  for (std::size_t i = 0; i < count; ++i) made.set(i, data[at + i]);
  return made;
}

Held held(std::span<const double> data, std::uint64_t at, std::uint64_t low, std::uint64_t high, std::size_t count,
          ref::Format of, const ref::Shape& shape) {
  Held made{array(data, at, count, of, shape), std::nullopt};
  if (low == kAbsent) return made;
  const ref::Array lo = array(data, low, count, ref::Format::F64, shape);
  const ref::Array hi = array(data, high, count, ref::Format::F64, shape);
  std::vector<std::uint8_t> special(count);
  for (std::size_t i = 0; i < count; ++i) special[i] = std::isnan(data[low + i]) || std::isnan(data[high + i]) ? 1 : 0;
  made.earlier = taken(ref::Result::between(made.values, lo, hi, std::move(special)));
  return made;
}

ref::Work work_of(const NativeCall& call) {
  Instance& instance = call.thread().instance();
  std::string why;
  ref::Work work;
  work.pool = instance.lane_pool(why);
  work.progress = [&instance](std::size_t, std::size_t) { return !instance.stopping(); };
  return work;
}

namespace {

/// NaN where a range has no end.
double end_of(const ref::FiniteRange& range, bool upper) {
  if (!range.ends) return std::numeric_limits<double>::quiet_NaN();
  return (upper ? range.ends->second : range.ends->first).to_f64();
}

}  // namespace

void write_answer(What what, ref::Special kind, const ref::Array& reference, const std::vector<ref::Outcome>& outcomes,
                  const ref::Array* equals, const ref::Array* given, Numbers first, Numbers second) {
  switch (what) {
    case What::Rounded:
      for (std::size_t i = 0; i < first.size(); ++i) first[i] = reference.element(i).to_f64();
      return;
    case What::Run:
      for (std::size_t i = 0; i < first.size(); ++i) first[i] = equals->element(i).to_f64();
      return;
    case What::Tolerance:
      for (std::size_t i = 0; i < first.size(); ++i) first[i] = outcomes[i].tolerance(reference.at(i)).up_to_f64();
      return;
    case What::Range:
      for (std::size_t i = 0; i < first.size(); ++i) {
        first[i] = end_of(outcomes[i].range, false);
        second[i] = end_of(outcomes[i].range, true);
      }
      return;
    case What::MayBe:
      for (std::size_t i = 0; i < first.size(); ++i) first[i] = outcomes[i].may_be(kind) ? 1 : 0;
      return;
    case What::Covers:
      for (std::size_t i = 0; i < first.size(); ++i) first[i] = outcomes[i].covers(given->at(i)) ? 1 : 0;
      return;
    default:
      break;
  }
  ref::Judgement judgement;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    judgement.add(i, given->at(i), reference.at(i), outcomes[i],
                  equals != nullptr ? std::optional(equals->at(i)) : std::nullopt);
  }
  const double numbers[] = {static_cast<double>(judgement.elements), static_cast<double>(judgement.covered),
                            static_cast<double>(judgement.equal), static_cast<double>(judgement.worst),
                            judgement.share.nearest_f64()};
  std::ranges::copy(numbers, first.begin());
}

}  // namespace cairn::reference_call
