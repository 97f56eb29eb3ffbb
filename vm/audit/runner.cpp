#include "vm/audit/runner.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include <sys/mman.h>

#include "runtime/reference/rounding.hpp"

namespace cairn::audit {

namespace {

constexpr std::size_t kAlign = 64;
constexpr std::size_t kMostValueBytes = std::size_t{1} << 36U;

std::size_t width_of(const Binding::Parameter& view) {
  return view.format ? static_cast<std::size_t>(reference::info(*view.format).bits / 8) : 1;
}

/// The scale as the function is given it: correctly rounded.
double scale_of(const Problem& problem, reference::Format format) {
  using reference::Value;
  if (problem.scale)
    return round(Value::of(*problem.scale), format, reference::Rounding::NearestEven, reference::Overflow::Default,
                 false)
        .to_f64();
  // 1/sqrt(width): the nearest number of the format, found from both sides of the double next to it.
  const auto width = static_cast<unsigned long>(problem.size("width"));
  if (width == 0) return 0;
  const double guess = 1 / std::sqrt(static_cast<double>(width));
  const reference::FormatInfo& of = reference::info(format);
  const auto too_large = [&](const Value& x) { return x * x * Value(mpz_class(width), 0) > Value(mpz_class(1), 0); };
  Value low = to_grid(Value::of(std::nextafter(guess, 0)), of, reference::Direction::Down);
  const Value step = Value::power_of_two(low.binade() - of.p + 1);
  while (!too_large(low + step)) low = low + step;
  return (too_large(low + step.scaled(-1)) ? low : low + step).to_f64();
}

}  // namespace

std::expected<SharedCases, std::string> SharedCases::of(const Binding& binding, const Problem& problem,
                                                        const std::vector<Case>& cases) {
  SharedCases made;
  // Lengths first: every view's, then what its extent's parameter must be.
  std::map<std::string, std::size_t> extents;
  std::size_t per_case = 0;
  std::vector<std::size_t> offsets(binding.parameters.size());
  for (std::size_t at = 0; at < binding.parameters.size(); ++at) {
    const Binding::Parameter& each = binding.parameters[at];
    if (each.kind != Binding::Kind::View) continue;
    const std::size_t count = reference::element_count(problem.shape(each.role));
    if (count > kMostValueBytes / 8) return std::unexpected(each.role + " has too many elements");
    if (each.literal && *each.literal != count) {
      return std::unexpected(binding.names[at] + " has " + std::to_string(*each.literal) + " elements, and " +
                             each.role + " would have " + std::to_string(count));
    }
    if (!each.extent.empty()) {
      const auto [known, fresh] = extents.emplace(each.extent, count);
      if (!fresh && known->second != count) {
        return std::unexpected(each.extent + " would be " + std::to_string(known->second) + " and " +
                               std::to_string(count));
      }
    }
    offsets[at] = per_case;
    per_case += (count * width_of(each) + kAlign - 1) / kAlign * kAlign;
  }
  for (std::size_t at = 0; at < binding.parameters.size(); ++at) {
    const Binding::Parameter& each = binding.parameters[at];
    const auto extent = extents.find(binding.names[at]);
    if (each.kind != Binding::Kind::Size || extent == extents.end()) continue;
    if (extent->second != problem.size(each.role)) {
      return std::unexpected(binding.names[at] + " is " + std::to_string(problem.size(each.role)) +
                             " and the extent of a view of " + std::to_string(extent->second) + " elements");
    }
  }
  if (per_case > kMostValueBytes / std::max<std::size_t>(cases.size(), 1))
    return std::unexpected("the cases have too many elements");
  made.bytes_ = std::max<std::size_t>(per_case * cases.size(), 1);
  void* const memory = ::mmap(nullptr, made.bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return std::unexpected("the system gives no memory to share with a process");
  made.memory_ = static_cast<std::byte*>(memory);
  for (std::size_t index = 0; index < cases.size(); ++index) {
    std::vector<std::uint64_t>& slots = made.arguments_.emplace_back();
    std::vector<std::size_t>& places = made.offsets_.emplace_back();
    for (std::size_t at = 0; at < binding.parameters.size(); ++at) {
      const Binding::Parameter& each = binding.parameters[at];
      places.push_back(index * per_case + offsets[at]);
      switch (each.kind) {
        case Binding::Kind::Size:
          slots.push_back(problem.size(each.role));
          break;
        case Binding::Kind::Length:
          slots.push_back(extents.at(binding.names[at]));
          break;
        case Binding::Kind::Scale:
          slots.push_back(encoded(scale_of(problem, *each.format), *each.format));
          break;
        case Binding::Kind::View: {
          std::byte* const place = made.memory_ + places.back();
          const auto old = cases[index].arrays.find(each.role == "c" ? std::string("old") : each.role);
          if (old != cases[index].arrays.end() && each.format) {
            std::ranges::copy(old->second.storage(), place);
          } else if (!each.format) {
            std::memset(place, 1, reference::element_count(problem.shape(each.role)));  // a mask that admits all
          }
          slots.push_back(reinterpret_cast<std::uint64_t>(place));
          slots.push_back(reference::element_count(problem.shape(each.role)));
          break;
        }
      }
    }
  }
  return made;
}

SharedCases::SharedCases(SharedCases&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      bytes_(other.bytes_),
      arguments_(std::move(other.arguments_)),
      offsets_(std::move(other.offsets_)) {}

SharedCases::~SharedCases() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

void SharedCases::collect(const Binding& binding, const Problem& problem, std::vector<Case>& cases) const {
  for (std::size_t index = 0; index < cases.size(); ++index) {
    for (std::size_t at = 0; at < binding.parameters.size(); ++at) {
      const Binding::Parameter& each = binding.parameters[at];
      if (each.kind != Binding::Kind::View || !each.format) continue;
      const bool written = binding.function->parameters[at]->type->mode == BorrowMode::Rw;
      if (!written) continue;
      reference::Array array(*each.format, problem.shape(each.role));
      std::copy_n(memory_ + offsets_[index][at], array.storage().size(), array.storage().begin());
      cases[index].arrays.insert_or_assign(each.role, std::move(array));
    }
  }
}

}  // namespace cairn::audit
