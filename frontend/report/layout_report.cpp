#include "frontend/report/layout_report.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <nlohmann/json.hpp>

namespace cairn {

namespace {

using checked::LayoutDimension;
using checked::LayoutMode;
using checked::LayoutValue;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kBanks = 32;
constexpr std::uint64_t kWordBytes = 4;
constexpr std::uint64_t kWarp = 32;
constexpr std::uint64_t kMostOwners = 4096;

Json shape_of(const LayoutValue& layout) {
  Json shape = Json::array();
  for (std::size_t k = 0; k < layout.rank(); ++k) shape.push_back(layout.extent(k));
  return shape;
}

Json storage_record(const LayoutValue& layout) {
  Json record;
  record["kind"] = "storage";
  record["shape"] = shape_of(layout);
  record["cosize"] = layout.cosize();
  Json modes = Json::array();
  for (const LayoutDimension& dimension : layout.dimensions) {
    Json list = Json::array();
    for (const LayoutMode& mode : dimension) list.push_back({mode.extent, mode.stride});
    modes.push_back(std::move(list));
  }
  record["modes"] = std::move(modes);
  record["swizzle"] = nullptr;
  if (layout.swizzle.bits != 0) {
    record["swizzle"] = {layout.swizzle.bits, layout.swizzle.base, layout.swizzle.shift};
  }
  record["injective"] = true;
  const checked::AffineLayout affine = checked::affine(layout);
  record["affine"] = nullptr;
  if (affine.affine) {
    record["affine"] = std::string(affine.row_major ? "row-major" : "column-major") + ", leading dimension " +
                       std::to_string(affine.leading);
  }
  return record;
}

/// The storage a spread deals out, as a layout of its own.
LayoutValue tile_of(const LayoutValue& spread) {
  LayoutValue tile = spread;
  tile.is_spread = false;
  tile.participant_modes = {};
  tile.value_modes = {};
  return tile;
}

std::uint64_t offset_of(const LayoutValue& spread, std::uint64_t participant, std::uint64_t value) {
  const auto [row, column] = spread.coordinate(participant, value);
  return spread.offset(std::array{row, column});
}

}  // namespace

std::uint64_t run_length(const LayoutValue& spread, std::uint64_t bytes) {
  const auto all_runs = [&](std::uint64_t width) {
    for (std::uint64_t participant = 0; participant < spread.participants(); ++participant) {
      for (std::uint64_t value = 0; value < spread.values(); value += width) {
        const std::uint64_t first = offset_of(spread, participant, value);
        if (first % width != 0) return false;
        for (std::uint64_t k = 1; k < width; ++k) {
          if (offset_of(spread, participant, value + k) != first + k) return false;
        }
      }
    }
    return true;
  };
  for (std::uint64_t width = 16 / bytes; width > 1; width /= 2) {
    if (spread.values() % width == 0 && all_runs(width)) return width;
  }
  return 1;
}

std::uint64_t bank_ways(const LayoutValue& spread, std::uint64_t bytes) {
  const std::uint64_t phase = std::max<std::uint64_t>(1, std::min<std::uint64_t>(kWarp, 128 / bytes));
  std::uint64_t most = 1;
  for (std::uint64_t value = 0; value < spread.values(); ++value) {
    for (std::uint64_t group = 0; group < spread.participants(); group += kWarp) {
      const std::uint64_t end = std::min(group + kWarp, spread.participants());
      for (std::uint64_t first = group; first < end; first += phase) {
        std::array<std::unordered_set<std::uint64_t>, kBanks> words;
        for (std::uint64_t participant = first; participant < std::min(first + phase, end); ++participant) {
          const std::uint64_t begin = offset_of(spread, participant, value) * bytes;
          for (std::uint64_t word = begin / kWordBytes; word <= (begin + bytes - 1) / kWordBytes; ++word) {
            words[word % kBanks].insert(word);
          }
        }
        for (const auto& served : words) most = std::max<std::uint64_t>(most, served.size());
      }
    }
  }
  return most;
}

Json layout_record(const LayoutValue& layout) {
  if (!layout.is_spread) return storage_record(layout);
  Json record;
  record["kind"] = "spread";
  record["participants"] = layout.participants();
  record["values"] = layout.values();
  record["covers"] = "exactly-once";
  record["tile"] = storage_record(tile_of(layout));
  Json runs;
  for (const std::uint64_t bytes : {1U, 2U, 4U, 8U}) runs[std::to_string(bytes)] = run_length(layout, bytes);
  record["runs"] = std::move(runs);
  Json ways;
  for (const std::uint64_t bytes : {2U, 4U, 8U}) ways[std::to_string(bytes)] = bank_ways(layout, bytes);
  record["bank_ways"] = std::move(ways);
  return record;
}

namespace {

/// Whether two spreads deal out the same elements: over one tile, or over a tile and its transpose.
bool is_same_tile(const LayoutValue& a, const LayoutValue& b) {
  if (a.rank() != 2 || b.rank() != 2 || a.swizzle != b.swizzle) return false;
  const auto equal = [](const LayoutDimension& left, const LayoutDimension& right) {
    return std::ranges::equal(left, right);
  };
  const bool straight = equal(a.dimensions[0], b.dimensions[0]) && equal(a.dimensions[1], b.dimensions[1]);
  const bool crossed = equal(a.dimensions[0], b.dimensions[1]) && equal(a.dimensions[1], b.dimensions[0]);
  return straight || crossed;
}

struct Holder {
  std::uint64_t participant = 0;
  std::uint64_t value = 0;
};

std::unordered_map<std::uint64_t, Holder> holders(const LayoutValue& spread) {
  std::unordered_map<std::uint64_t, Holder> all;
  for (std::uint64_t participant = 0; participant < spread.participants(); ++participant) {
    for (std::uint64_t value = 0; value < spread.values(); ++value) {
      all[offset_of(spread, participant, value)] = {participant, value};
    }
  }
  return all;
}

/// What moving elements from one spread to another takes.
std::string_view conversion(const LayoutValue& from, const LayoutValue& to) {
  const auto before = holders(from);
  const auto after = holders(to);
  bool same_place = true;
  bool same_participant = true;
  bool same_group = true;
  for (const auto& [offset, holder] : before) {
    const auto found = after.find(offset);
    if (found == after.end()) return "shared";
    same_place = same_place && holder.participant == found->second.participant && holder.value == found->second.value;
    same_participant = same_participant && holder.participant == found->second.participant;
    same_group = same_group && holder.participant / kWarp == found->second.participant / kWarp;
  }
  return same_place ? "none" : same_participant ? "registers" : same_group ? "shuffle" : "shared";
}

std::string full_name(const LayoutValue& layout, const NameTable& names) {
  const std::string_view module = names.text(layout.declaration->module);
  return (module.empty() ? std::string() : std::string(module) + ".") +
         std::string(names.text(layout.declaration->name.name));
}

}  // namespace

Json layout_explanation(const LayoutValue& layout, const checked::Program& program, const NameTable& names) {
  Json record = layout_record(layout);
  if (!layout.is_spread || layout.rank() != 2) return record;
  if (layout.size() <= kMostOwners) {
    const auto held = holders(layout);
    Json owners = Json::array();
    for (std::uint64_t row = 0; row < layout.extent(0); ++row) {
      Json line = Json::array();
      for (std::uint64_t column = 0; column < layout.extent(1); ++column) {
        line.push_back(held.at(layout.offset(std::array{row, column})).participant);
      }
      owners.push_back(std::move(line));
    }
    record["owners"] = std::move(owners);
  }
  Json conversions = Json::object();
  for (const LayoutValue* other : program.layouts) {
    if (other == &layout || !other->is_spread || !is_same_tile(layout, *other)) continue;
    conversions[full_name(*other, names)] = conversion(layout, *other);
  }
  record["conversions"] = std::move(conversions);
  return record;
}

}  // namespace cairn
