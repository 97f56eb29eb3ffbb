// What a layout answers: shapes, offsets, coordinates, and the two forms tensor fragments read.
#include <algorithm>
#include <array>

#include "frontend/check/layouts.hpp"

namespace cairn::checked {

namespace {

std::uint64_t product(LayoutDimension dimension) {
  std::uint64_t all = 1;
  for (const LayoutMode& mode : dimension) all *= mode.extent;
  return all;
}

std::uint64_t product(std::span<const SpreadMode> modes) {
  std::uint64_t all = 1;
  for (const SpreadMode& mode : modes) all *= mode.extent;
  return all;
}

std::uint64_t contribution(LayoutDimension dimension, std::uint64_t coordinate) {
  std::uint64_t sum = 0;
  for (const LayoutMode& mode : dimension) {
    sum += coordinate % mode.extent * mode.stride;
    coordinate /= mode.extent;
  }
  return sum;
}

void add_digits(std::span<const SpreadMode> modes, std::uint64_t number, std::uint64_t& row, std::uint64_t& column) {
  for (const SpreadMode& mode : modes) {
    const std::uint64_t digit = number % mode.extent;
    row += digit * mode.row;
    column += digit * mode.column;
    number /= mode.extent;
  }
}

}  // namespace

std::uint64_t LayoutValue::extent(std::size_t dimension) const { return product(dimensions[dimension]); }

std::uint64_t LayoutValue::size() const {
  std::uint64_t all = 1;
  for (const LayoutDimension& dimension : dimensions) all *= product(dimension);
  return all;
}

std::uint64_t LayoutValue::cosize() const {
  if (swizzle.bits == 0) {
    std::uint64_t largest = 0;
    for (const LayoutDimension& dimension : dimensions) {
      for (const LayoutMode& mode : dimension) largest += (mode.extent - 1) * mode.stride;
    }
    return largest + 1;
  }
  std::uint64_t largest = 0;
  for (std::uint64_t number = 0; number < size(); ++number) largest = std::max(largest, offset_of_element(number));
  return largest + 1;
}

std::uint64_t LayoutValue::participants() const { return product(participant_modes); }
std::uint64_t LayoutValue::values() const { return product(value_modes); }

std::uint64_t LayoutValue::offset(std::span<const std::uint64_t> coordinate) const {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < dimensions.size(); ++k) sum += contribution(dimensions[k], coordinate[k]);
  return swizzle(sum);
}

void LayoutValue::coordinate_of(std::uint64_t number, std::span<std::uint64_t> coordinate) const {
  for (std::size_t k = dimensions.size(); k-- > 0;) {
    const std::uint64_t length = extent(k);
    coordinate[k] = number % length;
    number /= length;
  }
}

std::uint64_t LayoutValue::offset_of_element(std::uint64_t number) const {
  std::array<std::uint64_t, 4> coordinate{};
  const auto used = std::span(coordinate).first(dimensions.size());
  coordinate_of(number, used);
  return offset(used);
}

std::pair<std::uint64_t, std::uint64_t> LayoutValue::coordinate(std::uint64_t participant, std::uint64_t value) const {
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  add_digits(participant_modes, participant, row, column);
  add_digits(value_modes, value, row, column);
  if (wraps) {
    row %= extent(0);
    column %= extent(1);
  }
  return {row, column};
}

AffineLayout affine(const LayoutValue& storage) {
  AffineLayout form;
  if (storage.is_spread || storage.rank() != 2 || storage.swizzle.bits != 0) return form;
  if (storage.dimensions[0].size() != 1 || storage.dimensions[1].size() != 1) return form;
  const std::uint64_t row_stride = storage.dimensions[0][0].stride;
  const std::uint64_t column_stride = storage.dimensions[1][0].stride;
  if (column_stride == 1) return {true, true, row_stride};
  if (row_stride == 1) return {true, false, column_stride};
  return form;
}

bool keeps_16_byte_rows(const LayoutValue& storage, std::uint64_t element_bytes) {
  const std::uint64_t group = 16 / element_bytes;
  const std::uint64_t columns = storage.extent(1);
  if (columns % group != 0) return false;
  for (std::uint64_t row = 0; row < storage.extent(0); ++row) {
    for (std::uint64_t column = 0; column < columns; column += group) {
      const std::uint64_t first = storage.offset(std::array{row, column});
      if (first % group != 0) return false;
      for (std::uint64_t k = 1; k < group; ++k) {
        if (storage.offset(std::array{row, column + k}) != first + k) return false;
      }
    }
  }
  return true;
}

}  // namespace cairn::checked
