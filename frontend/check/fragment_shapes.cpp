#include <algorithm>
#include <array>

#include "frontend/check/fragments.hpp"

namespace cairn {

namespace {

constexpr std::array<FragmentFamily, 6> kFamilies = {{{"WmmaA", FragmentRole::A, true},
                                                      {"WmmaB", FragmentRole::B, true},
                                                      {"WmmaAcc", FragmentRole::Accumulator, true},
                                                      {"MmaA", FragmentRole::A, false},
                                                      {"MmaB", FragmentRole::B, false},
                                                      {"MmaAcc", FragmentRole::Accumulator, false}}};

constexpr std::uint64_t kRowBytes = 16;       // WMMA: a leading dimension is a multiple of this
constexpr std::uint64_t kFragmentBytes = 32;  // WMMA: a fragment starts at a multiple of this

/// WMMA takes a pointer and a leading dimension.
std::string why_not_wmma(const FragmentShape& shape, const checked::LayoutValue& layout, std::uint64_t bytes) {
  const checked::AffineLayout form = affine(layout);
  if (!form.affine) return "WMMA reads a pointer and a leading dimension: one stride a dimension and no swizzle";
  if (!form.row_major && !shape.is_accumulator()) return "WMMA reads an operand row by row: its columns are adjacent";
  if (form.leading * bytes % kRowBytes != 0) {
    return "WMMA needs a leading dimension of a multiple of 16 bytes, and it is " +
           std::to_string(form.leading * bytes);
  }
  for (std::uint64_t row = 0; row < layout.extent(0); row += shape.rows) {
    for (std::uint64_t column = 0; column < layout.extent(1); column += shape.columns) {
      const std::uint64_t start = layout.offset(std::array{row, column}) * bytes;
      if (start % kFragmentBytes != 0) {
        return "WMMA needs every fragment at a multiple of 32 bytes, and that at row " + std::to_string(row) +
               ", column " + std::to_string(column) + " starts at byte " + std::to_string(start);
      }
    }
  }
  return {};
}

}  // namespace

std::span<const FragmentFamily> fragment_families() { return kFamilies; }

const FragmentFamily* fragment_family(std::string_view name) {
  const auto* found = std::ranges::find(kFamilies, name, &FragmentFamily::name);
  return found == kFamilies.end() ? nullptr : found;
}

FragmentShape fragment_shape(const Type& fragment, const NameTable& names) {
  const FragmentFamily* family = fragment_family(names.text(fragment.full_name));
  const std::uint64_t m = fragment.arguments[1].natural;
  const std::uint64_t n = fragment.arguments[2].natural;
  const std::uint64_t k = fragment.arguments[3].natural;
  switch (family->role) {
    case FragmentRole::A:
      return {family, m, k};
    case FragmentRole::B:
      return {family, k, n};
    default:
      return {family, m, n};
  }
}

std::string why_unreadable(const FragmentShape& shape, const checked::LayoutValue& layout, std::uint64_t element_bytes,
                           bool is_shared) {
  if (shape.family->is_wmma) return why_not_wmma(shape, layout, element_bytes);
  if (shape.is_accumulator() || !is_shared || keeps_16_byte_rows(layout, element_bytes)) return {};
  return "ldmatrix reads rows of 16 adjacent bytes, each at a multiple of 16";
}

}  // namespace cairn
