// Layouts (ownership and memory, section 11): compile-time descriptions of small array blocks. A storage layout maps a
// coordinate to an element offset; a spread maps (participant, value) to a coordinate of a 2-D tile. A LayoutValue is
// immutable, lives in the program's arena and has passed every rule of 11.4.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn::checked {

struct LayoutMode {
  std::uint64_t extent = 1;
  std::uint64_t stride = 0;
  friend bool operator==(const LayoutMode&, const LayoutMode&) = default;
};
/// One dimension: its modes, fastest first.
using LayoutDimension = std::span<const LayoutMode>;

/// swz(o) = o when bits is 0, else o ^ ((o >> shift) & (((1 << bits) - 1) << base)).
struct Swizzle {
  std::uint32_t bits = 0;
  std::uint32_t base = 0;
  std::uint32_t shift = 0;
  [[nodiscard]] std::uint64_t operator()(std::uint64_t offset) const {
    if (bits == 0) return offset;
    return offset ^ ((offset >> shift) & (((std::uint64_t{1} << bits) - 1) << base));
  }
  friend bool operator==(const Swizzle&, const Swizzle&) = default;
};

struct SpreadMode {
  std::uint64_t extent = 1;
  std::uint64_t row = 0;
  std::uint64_t column = 0;
};

struct LayoutValue {
  const syntax::LayoutDecl* declaration = nullptr;
  bool is_spread = false;
  std::span<const LayoutDimension> dimensions;  // of the storage, or of a spread's tile
  Swizzle swizzle;
  std::span<const SpreadMode> participant_modes;  // a spread's, fastest first
  std::span<const SpreadMode> value_modes;
  bool wraps = false;  // coordinates are taken modulo the tile's shape (spreads not made by `inverse`)

  [[nodiscard]] std::size_t rank() const { return dimensions.size(); }
  [[nodiscard]] std::uint64_t extent(std::size_t dimension) const;
  [[nodiscard]] std::uint64_t size() const;    // elements (of the tile)
  [[nodiscard]] std::uint64_t cosize() const;  // largest offset + 1 (of the tile)
  [[nodiscard]] std::uint64_t participants() const;
  [[nodiscard]] std::uint64_t values() const;

  /// Offset of an element; one coordinate per dimension, each below its extent.
  [[nodiscard]] std::uint64_t offset(std::span<const std::uint64_t> coordinate) const;
  /// Coordinate of element `number`, numbered row by row, last dimension fastest.
  void coordinate_of(std::uint64_t number, std::span<std::uint64_t> coordinate) const;
  [[nodiscard]] std::uint64_t offset_of_element(std::uint64_t number) const;
  /// (row, column) of a participant's value.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> coordinate(std::uint64_t participant,
                                                                   std::uint64_t value) const;
};

/// 2-D, one mode per dimension, no swizzle, one stride 1: row-major or column-major with a leading dimension (11.5).
struct AffineLayout {
  bool affine = false;
  bool row_major = false;
  std::uint64_t leading = 0;
};
[[nodiscard]] AffineLayout affine(const LayoutValue& storage);
/// Whether every aligned group of 16 bytes of a row is contiguous and aligned, for elements of this many bytes (11.5).
[[nodiscard]] bool keeps_16_byte_rows(const LayoutValue& storage, std::uint64_t element_bytes);

}  // namespace cairn::checked

namespace cairn {

class Checker;

/// What code may ask of a layout (11.5). The first five are constants.
enum class LayoutQuestion : std::uint8_t { Size, Cosize, Extent, Participants, Values, At, Row, Col };
[[nodiscard]] constexpr bool is_count(LayoutQuestion question) { return question <= LayoutQuestion::Values; }

/// The question `L.method(..)` asks; E-CALLEE at `call` when there is none of that name, E-LAYOUT when this kind of
/// layout does not answer it, E-ARITY for another number of arguments.
LayoutQuestion layout_question(const checked::LayoutValue& layout, std::string_view method, std::size_t arguments,
                               Position call);

/// The value of a count; `dimension` is the argument of `extent`: E-LAYOUT at `call` past the rank.
std::uint64_t layout_count(const checked::LayoutValue& layout, LayoutQuestion question, std::uint64_t dimension,
                           Position call);

/// Every declared layout, used or not, in declaration order.
void judge_declared_layouts(Checker& checker);

/// `L.at(D.row(..), ..)`: D's tile must have L's shape, E-LAYOUT-CONSUMER at `call`.
void require_same_shape(const checked::LayoutValue& storage, const checked::LayoutValue& spread, Position call);

}  // namespace cairn
