// Tensor-core fragments (numerics, 9): their families and shapes, which layouts each family reads, which lane holds
// what, and their operations in the checked tree. frontend/check/fragments.cpp has the rules that refuse.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "frontend/check/layouts.hpp"
#include "frontend/check/program.hpp"

namespace cairn {

enum class FragmentRole : std::uint8_t { A, B, Accumulator };

struct FragmentFamily {
  std::string_view name;
  FragmentRole role{};
  bool is_wmma = false;  // else mma.sync
};

[[nodiscard]] std::span<const FragmentFamily> fragment_families();
/// The family of this name, else null. TmemAcc is none: nothing of it is lowered.
[[nodiscard]] const FragmentFamily* fragment_family(std::string_view name);

/// A fragment type: its family and how many elements it is.
struct FragmentShape {
  const FragmentFamily* family = nullptr;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  [[nodiscard]] bool is_accumulator() const { return family->role == FragmentRole::Accumulator; }
};
/// A is M x K, B is K x N, an accumulator M x N.
[[nodiscard]] FragmentShape fragment_shape(const Type& fragment, const NameTable& names);

/// The lane of a warp that holds element (row, column) of an accumulator: mma.sync's own share, and on the host that of
/// both families (9.6, 9.7).
[[nodiscard]] constexpr std::uint32_t accumulator_lane(std::uint64_t row, std::uint64_t column) {
  return static_cast<std::uint32_t>((row % 8) * 4 + (column % 8) / 2);
}

/// Why a family cannot read its fragments through a 2-D storage layout whose shape holds whole ones (9.4); empty when
/// it can. `is_shared`: the tile is a shared array.
[[nodiscard]] std::string why_unreadable(const FragmentShape& shape, const checked::LayoutValue& layout,
                                         std::uint64_t element_bytes, bool is_shared);

namespace checked {

/// A fragment operation (ConcurrentOp::FragmentFill .. FragmentSet), its kind ExprKind::Concurrent.
struct FragmentExpr : ConcurrentExpr {
  const LayoutValue* layout = nullptr;  // FragmentLoad, FragmentStore
  bool on_device = false;               // in a device region
};

}  // namespace checked

}  // namespace cairn
