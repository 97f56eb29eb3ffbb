#include "frontend/check/layout_algebra.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace cairn::layout_algebra {

namespace {

using checked::LayoutDimension;
using checked::LayoutMode;
using checked::SpreadMode;

constexpr std::uint64_t kOffsetLimit = (std::uint64_t{1} << 63) - 1;

/// Products and sums that stop at the largest value instead of wrapping: only compared with limits.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}
std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}

std::unexpected<Fault> fault(std::string message) { return std::unexpected(Fault{Code::Layout, std::move(message)}); }

std::string shape_text(const LayoutValue& value) {
  std::string text;
  for (std::size_t k = 0; k < value.rank(); ++k) {
    if (k > 0) text += " x ";
    text += std::to_string(value.extent(k));
  }
  return text;
}

/// The size and offset rules every layout keeps.
Result within_limits(LayoutValue value) {
  std::uint64_t elements = 1;
  std::uint64_t largest = 0;
  for (const LayoutDimension& dimension : value.dimensions) {
    for (const LayoutMode& mode : dimension) {
      elements = times(elements, mode.extent);
      largest = plus(largest, times(mode.extent - 1, mode.stride));
    }
  }
  if (value.is_spread) {
    std::uint64_t held = 1;
    for (const SpreadMode& mode : value.participant_modes) held = times(held, mode.extent);
    for (const SpreadMode& mode : value.value_modes) held = times(held, mode.extent);
    elements = std::max(elements, held);
  }
  if (elements > kMostElements) {
    const bool known = elements != std::numeric_limits<std::uint64_t>::max();
    return fault("A layout describes at most " + std::to_string(kMostElements) + " elements; this one would have " +
                 (known ? std::to_string(elements) : std::string("more than fit 64 bits")) + ".");
  }
  if (largest >= kOffsetLimit) return fault("The largest offset of this layout does not stay below 2^63 - 1.");
  return value;
}

LayoutValue storage_2d(Arena& arena, LayoutDimension rows, LayoutDimension columns) {
  LayoutValue value;
  value.dimensions = arena.copy(std::vector<LayoutDimension>{rows, columns});
  return value;
}

LayoutDimension one_mode(Arena& arena, std::uint64_t extent, std::uint64_t stride) {
  return arena.copy(std::vector<LayoutMode>{{extent, stride}});
}

/// What `pad` and `swizzle` ask of their layout.
std::expected<void, Fault> is_plain(const LayoutValue& inner, std::string_view constructor) {
  const std::string who = std::string(constructor);
  if (inner.is_spread) return fault(who + " takes a storage layout, and this is a spread.");
  if (inner.rank() != 2 || inner.dimensions[0].size() != 1 || inner.dimensions[1].size() != 1) {
    return fault(who + " takes a 2-D layout with one stride per dimension; this one is " + shape_text(inner) + ".");
  }
  if (inner.swizzle.bits != 0) return fault(who + " takes a layout that is not swizzled yet.");
  return {};
}

/// One dimension cut in two: `inner` runs over `length` consecutive coordinates, `outer` over the steps of that length.
struct Cut {
  std::vector<LayoutMode> inner;
  std::vector<LayoutMode> outer;
  bool possible = true;
};

Cut cut_dimension(LayoutDimension dimension, std::uint64_t length) {
  Cut cut;
  std::uint64_t left = length;
  for (const LayoutMode& mode : dimension) {
    if (left == 1 && !cut.inner.empty()) {
      cut.outer.push_back(mode);
    } else if (left % mode.extent == 0) {
      cut.inner.push_back(mode);
      left /= mode.extent;
    } else if (mode.extent % left == 0) {
      cut.inner.push_back({left, mode.stride});
      cut.outer.push_back({mode.extent / left, mode.stride * left});
      left = 1;
    } else {
      cut.possible = false;
      return cut;
    }
  }
  cut.possible = left == 1;
  if (cut.outer.empty()) cut.outer.push_back({1, times(length, dimension.back().stride)});
  return cut;
}

/// A mode of a spread seen from one coordinate of its tile: how far it moves there, and what it weighs in its number.
struct Mover {
  std::uint64_t stride = 0;
  std::uint64_t extent = 1;
  std::uint64_t weight = 1;
  bool of_participant = false;
};

std::string place_text(std::uint64_t participant, std::uint64_t number) {
  return "(" + std::to_string(participant) + ", " + std::to_string(number) + ")";
}

}  // namespace

Result strided(Arena& arena, std::uint64_t rows, std::uint64_t columns, std::uint64_t row_stride,
               std::uint64_t column_stride) {
  return within_limits(storage_2d(arena, one_mode(arena, rows, row_stride), one_mode(arena, columns, column_stride)));
}

Result rows(Arena& arena, std::uint64_t rows, std::uint64_t columns) {
  return strided(arena, rows, columns, columns, 1);
}
Result columns(Arena& arena, std::uint64_t rows, std::uint64_t columns) {
  return strided(arena, rows, columns, 1, rows);
}

Result pad(Arena& arena, const LayoutValue& inner, std::uint64_t padding) {
  if (auto plain = is_plain(inner, "pad"); !plain) return std::unexpected(plain.error());
  LayoutMode row = inner.dimensions[0][0];
  LayoutMode column = inner.dimensions[1][0];
  auto& wider = column.stride > row.stride ? column : row;
  wider.stride = plus(wider.stride, padding);
  return strided(arena, row.extent, column.extent, row.stride, column.stride);
}

Result swizzle(const LayoutValue& inner, std::uint64_t bits, std::uint64_t base, std::uint64_t shift) {
  if (auto plain = is_plain(inner, "swizzle"); !plain) return std::unexpected(plain.error());
  if (plus(plus(bits, base), shift) > 63) {
    return fault("swizzle's three numbers add up to at most 63; these add up to more.");
  }
  LayoutValue value = inner;
  value.declaration = nullptr;
  value.swizzle = {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(base),
                   static_cast<std::uint32_t>(shift)};
  return within_limits(value);
}

Result transpose(Arena& arena, const LayoutValue& inner) {
  if (inner.rank() != 2) {
    return fault("transpose takes a 2-D layout or a spread; this one has " + std::to_string(inner.rank()) +
                 " dimensions.");
  }
  LayoutValue value = inner;
  value.declaration = nullptr;
  value.dimensions = arena.copy(std::vector<LayoutDimension>{inner.dimensions[1], inner.dimensions[0]});
  const auto exchange = [&](std::span<const SpreadMode> modes) {
    std::vector<SpreadMode> exchanged(modes.begin(), modes.end());
    for (SpreadMode& mode : exchanged) std::swap(mode.row, mode.column);
    return arena.copy(exchanged);
  };
  value.participant_modes = exchange(inner.participant_modes);
  value.value_modes = exchange(inner.value_modes);
  return value;
}

Result tile(Arena& arena, const LayoutValue& inner, std::uint64_t rows, std::uint64_t columns) {
  if (inner.is_spread) return fault("tile takes a storage layout, and this is a spread.");
  if (inner.rank() != 2) {
    return fault("tile takes a 2-D layout; this one has " + std::to_string(inner.rank()) + " dimensions.");
  }
  if (inner.extent(0) % rows != 0 || inner.extent(1) % columns != 0) {
    return fault("A tile of " + std::to_string(rows) + " x " + std::to_string(columns) +
                 " does not divide a layout of " + shape_text(inner) + ".");
  }
  const Cut down = cut_dimension(inner.dimensions[0], rows);
  const Cut across = cut_dimension(inner.dimensions[1], columns);
  if (!down.possible || !across.possible) {
    return fault("A tile of " + std::to_string(rows) + " x " + std::to_string(columns) +
                 " cuts through a step of this layout.");
  }
  LayoutValue value;
  value.swizzle = inner.swizzle;
  value.dimensions = arena.copy(std::vector<LayoutDimension>{arena.copy(down.outer), arena.copy(across.outer),
                                                             arena.copy(down.inner), arena.copy(across.inner)});
  return within_limits(value);
}

Result spread(Arena& arena, const LayoutValue& tile, std::uint64_t thread_rows, std::uint64_t thread_columns,
              std::uint64_t value_rows, std::uint64_t value_columns) {
  if (tile.is_spread) return fault("spread takes a storage layout, and this is a spread.");
  if (tile.rank() != 2) {
    return fault("spread takes a 2-D layout; this one has " + std::to_string(tile.rank()) + " dimensions.");
  }
  const std::uint64_t block_rows = times(thread_rows, value_rows);
  const std::uint64_t block_columns = times(thread_columns, value_columns);
  const std::uint64_t repeats_down = std::max<std::uint64_t>(1, tile.extent(0) / block_rows);
  const std::uint64_t repeats_across = std::max<std::uint64_t>(1, tile.extent(1) / block_columns);
  LayoutValue value = tile;
  value.declaration = nullptr;
  value.is_spread = true;
  value.wraps = true;
  value.participant_modes =
      arena.copy(std::vector<SpreadMode>{{thread_columns, 0, value_columns}, {thread_rows, value_rows, 0}});
  value.value_modes = arena.copy(std::vector<SpreadMode>{
      {value_columns, 0, 1}, {value_rows, 1, 0}, {repeats_across, 0, block_columns}, {repeats_down, block_rows, 0}});
  return within_limits(value);
}

namespace {

Result inverse_of_spread(Arena& arena, const LayoutValue& inner) {
  std::array<std::vector<Mover>, 2> movers;
  for (const bool of_participant : {true, false}) {
    std::uint64_t weight = 1;
    for (const SpreadMode& mode : of_participant ? inner.participant_modes : inner.value_modes) {
      if (mode.extent > 1) {
        if ((mode.row != 0) == (mode.column != 0)) {
          return fault("inverse needs a spread whose every step moves along rows or along columns, and one does not.");
        }
        movers[mode.row != 0 ? 0 : 1].push_back(
            {mode.row != 0 ? mode.row : mode.column, mode.extent, weight, of_participant});
      }
      weight *= mode.extent;
    }
  }
  std::array<std::vector<SpreadMode>, 2> modes;
  for (std::size_t k = 0; k < 2; ++k) {
    std::ranges::sort(movers[k], {}, &Mover::stride);
    std::uint64_t expected = 1;
    for (const Mover& mover : movers[k]) {
      if (mover.stride != expected) {
        return fault(
            "inverse needs a spread that counts through its tile, each step a multiple of the ones before it.");
      }
      expected = times(expected, mover.extent);
      modes[k].push_back(
          {mover.extent, mover.of_participant ? mover.weight : 0, mover.of_participant ? 0 : mover.weight});
    }
    if (expected != inner.extent(k)) {
      return fault("inverse needs a spread that gives every element of its tile to exactly one holder.");
    }
  }
  auto grid = rows(arena, inner.participants(), inner.values());
  if (!grid) return grid;
  LayoutValue value = *grid;
  value.is_spread = true;
  value.participant_modes = arena.copy(modes[0]);
  value.value_modes = arena.copy(modes[1]);
  return within_limits(value);
}

Result inverse_of_storage(Arena& arena, const LayoutValue& inner) {
  if (inner.rank() != 2) {
    return fault("inverse takes a spread or a 2-D layout; this one has " + std::to_string(inner.rank()) +
                 " dimensions.");
  }
  if (inner.swizzle.bits != 0) return fault("inverse takes a layout that is not swizzled.");
  struct Step {
    LayoutMode mode;
    SpreadMode inverse;
    std::size_t written = 0;  // rows first: decides between equal strides
  };
  std::vector<Step> steps;
  for (std::size_t k = 0; k < 2; ++k) {
    std::uint64_t weight = 1;
    for (const LayoutMode& mode : inner.dimensions[k]) {
      steps.push_back({mode, {mode.extent, k == 0 ? weight : 0, k == 0 ? 0 : weight}, steps.size()});
      weight *= mode.extent;
    }
  }
  std::ranges::sort(steps, {}, [](const Step& step) { return std::pair(step.mode.stride, step.written); });
  std::uint64_t expected = 1;
  std::vector<SpreadMode> modes;
  for (const Step& step : steps) {
    if (step.mode.stride != expected) {
      return fault("inverse needs a compact layout: its offsets must count every element once, without gaps.");
    }
    expected *= step.mode.extent;
    modes.push_back(step.inverse);
  }
  LayoutValue value = inner;
  value.declaration = nullptr;
  value.is_spread = true;
  value.participant_modes = arena.copy(modes);
  value.value_modes = {};
  return within_limits(value);
}

}  // namespace

Result inverse(Arena& arena, const LayoutValue& inner) {
  return inner.is_spread ? inverse_of_spread(arena, inner) : inverse_of_storage(arena, inner);
}

namespace {

/// Whether each step goes past everything the smaller ones reach: then no two elements can share an offset. A swizzle
/// that mixes higher bits into lower ones exchanges offsets and keeps them apart.
bool steps_are_spaced(const LayoutValue& value) {
  if (value.swizzle.bits != 0 && value.swizzle.shift == 0) return false;
  std::vector<LayoutMode> modes;
  for (const checked::LayoutDimension& dimension : value.dimensions) {
    for (const LayoutMode& mode : dimension) {
      if (mode.extent > 1) modes.push_back(mode);
    }
  }
  std::ranges::sort(modes, {}, &LayoutMode::stride);
  std::uint64_t reach = 0;
  for (const LayoutMode& mode : modes) {
    if (mode.stride <= reach) return false;
    reach += (mode.extent - 1) * mode.stride;  // every offset is below 2^63
  }
  return true;
}

/// The first element whose offset an earlier one has too.
std::expected<void, Fault> no_shared_offset(const LayoutValue& value) {
  if (steps_are_spaced(value)) return {};
  struct At {
    std::uint64_t offset;
    std::uint64_t element;
  };
  const std::uint64_t size = value.size();
  std::vector<At> all;
  all.reserve(size);
  for (std::uint64_t element = 0; element < size; ++element) all.push_back({value.offset_of_element(element), element});
  std::ranges::sort(
      all, [](const At& a, const At& b) { return a.offset != b.offset ? a.offset < b.offset : a.element < b.element; });
  const At* second = nullptr;
  const At* first = nullptr;
  for (std::size_t k = 1; k < all.size(); ++k) {
    if (all[k].offset != all[k - 1].offset || (second != nullptr && second->element < all[k].element)) continue;
    second = &all[k];
    first = &all[k - 1];
  }
  if (second == nullptr) return {};
  return std::unexpected(Fault{Code::LayoutOverlap, "Elements " + std::to_string(first->element) + " and " +
                                                        std::to_string(second->element) + " share offset " +
                                                        std::to_string(second->offset) + "."});
}

/// Every element of a spread's tile has one holder.
std::expected<void, Fault> one_holder_each(const LayoutValue& value) {
  Arena scratch;
  if (inverse_of_spread(scratch, value)) return {};  // it has one when each element has one holder, in order
  constexpr std::uint64_t kNobody = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t columns = value.extent(1);
  const std::uint64_t values = value.values();
  std::vector<std::uint64_t> holder(value.size(), kNobody);
  std::uint64_t held = 0;
  std::uint64_t first_shared = kNobody;
  std::uint64_t second_holder = 0;
  for (std::uint64_t participant = 0; participant < value.participants(); ++participant) {
    for (std::uint64_t number = 0; number < values; ++number) {
      const auto [row, column] = value.coordinate(participant, number);
      const std::uint64_t element = row * columns + column;
      if (holder[element] == kNobody) {
        holder[element] = participant * values + number;
        ++held;
      } else if (element < first_shared) {
        first_shared = element;
        second_holder = participant * values + number;
      }
    }
  }
  const auto element_text = [&](std::uint64_t element) {
    return "(" + std::to_string(element / columns) + ", " + std::to_string(element % columns) + ")";
  };
  if (first_shared != kNobody) {
    const std::uint64_t first = holder[first_shared];
    return std::unexpected(Fault{Code::LayoutOverlap, "Element " + element_text(first_shared) +
                                                          " of the tile is held twice: by (participant, value) " +
                                                          place_text(first / values, first % values) + " and " +
                                                          place_text(second_holder / values, second_holder % values) +
                                                          "."});
  }
  if (held != holder.size()) {
    const auto missed = static_cast<std::uint64_t>(std::ranges::find(holder, kNobody) - holder.begin());
    return std::unexpected(Fault{Code::LayoutGap, "Nobody holds element " + element_text(missed) +
                                                      " of the tile: " + std::to_string(held) + " of " +
                                                      std::to_string(holder.size()) + " elements have a holder."});
  }
  return {};
}

}  // namespace

std::expected<void, Fault> judge_declared(const LayoutValue& value) {
  if (auto apart = no_shared_offset(value); !apart) return apart;
  return value.is_spread ? one_holder_each(value) : std::expected<void, Fault>{};
}

}  // namespace cairn::layout_algebra
