#include "vm/natives/fragment_natives.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "runtime/matrices/fragment.hpp"

namespace cairn {

namespace {

using runtime::StorageFloat;
using runtime::TileLayout;

constexpr std::uint64_t kLaneValues = 4;  // that a lane holds of an mma.sync accumulator

/// The layout a text holds. Texts live as long as their module, and a thread meets few of them.
const TileLayout* layout_of(NativeCall& call, std::uint32_t slot) {
  thread_local std::unordered_map<std::string, std::optional<TileLayout>> known;
  const auto bytes = call.view<const std::uint8_t>(slot);
  std::string key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(std::move(key), TileLayout::of(bytes)).first;
  if (found->second) return &*found->second;
  call.trap(TrapKind::Fragment, "no layout");
  return nullptr;
}

/// Fragment (i, j), R x C, of a tile of `length` elements.
struct Position {
  const TileLayout* layout = nullptr;
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  std::uint64_t length = 0;

  /// Where an element of the fragment lies; past the tile when the layout lies about its size.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t r, std::uint64_t c) const {
    return layout->offset(row + r, column + c);
  }
};

/// (.., tile in slots 1 and 2, i in 3, j in 4, layout in 5 and 6, ..). Traps and gives nothing when the fragment is
/// none of the layout's, or the tile is shorter than the layout.
template <std::size_t rows, std::size_t columns>
bool find(NativeCall& call, Position& at) {
  at.layout = layout_of(call, 5);
  if (at.layout == nullptr) return false;
  const auto i = call.get<std::uint64_t>(3);
  const auto j = call.get<std::uint64_t>(4);
  at.length = call.slots()[2];
  const std::uint64_t down = at.layout->rows() / rows;
  const std::uint64_t across = at.layout->columns() / columns;
  if (i >= down || j >= across) {
    call.trap(TrapKind::Fragment, "fragment (" + std::to_string(i) + ", " + std::to_string(j) + ") of " +
                                      std::to_string(down) + " x " + std::to_string(across));
    return false;
  }
  if (at.length < at.layout->cosize()) {
    call.trap(TrapKind::Fragment, "the tile has " + std::to_string(at.length) + " elements, its layout reaches " +
                                      std::to_string(at.layout->cosize()));
    return false;
  }
  at.row = i * rows;
  at.column = j * columns;
  return true;
}

bool within(NativeCall& call, const Position& at, std::uint64_t offset) {
  if (offset < at.length) return true;
  call.trap(TrapKind::Fragment, "element " + std::to_string(offset) + " of " + std::to_string(at.length));
  return false;
}

std::uint32_t lane(const NativeCall& call, std::uint32_t slot) {
  return static_cast<std::uint32_t>(call.get<std::uint64_t>(slot) % 32);
}

/// (fragment, value).
template <std::size_t elements>
void native_fill(NativeCall& call) {
  std::fill_n(call.pointer<float>(0), elements, call.get<float>(1));
}

/// (fragment, tile, i, j, layout).
template <StorageFloat format, std::size_t rows, std::size_t columns>
void native_load_operand(NativeCall& call) {
  Position at;
  if (!find<rows, columns>(call, at)) return;
  auto* to = call.pointer<float>(0);
  const auto* tile = call.pointer<const std::uint16_t>(1);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const std::uint64_t offset = at(r, c);
      if (!within(call, at, offset)) return;
      to[r * columns + c] = runtime::widened(format, tile[offset]);
    }
  }
}

/// (accumulator, tile, i, j, layout, thread).
template <std::size_t rows, std::size_t columns>
void native_load_accumulator(NativeCall& call) {
  Position at;
  if (!find<rows, columns>(call, at)) return;
  auto* to = call.pointer<float>(0);
  const auto* tile = call.pointer<const float>(1);
  bool fine = true;
  runtime::for_each_own(rows, columns, lane(call, 7), [&](std::size_t r, std::size_t c) {
    const std::uint64_t offset = at(r, c);
    fine = fine && within(call, at, offset);
    if (fine) to[r * columns + c] = tile[offset];
  });
}

template <std::size_t rows, std::size_t columns>
void native_store(NativeCall& call) {
  Position at;
  if (!find<rows, columns>(call, at)) return;
  const auto* from = call.pointer<const float>(0);
  auto* tile = call.pointer<float>(1);
  bool fine = true;
  runtime::for_each_own(rows, columns, lane(call, 7), [&](std::size_t r, std::size_t c) {
    const std::uint64_t offset = at(r, c);
    fine = fine && within(call, at, offset);
    if (fine) tile[offset] = from[r * columns + c];
  });
}

/// (accumulator, a, b, thread).
template <std::size_t m, std::size_t n, std::size_t k>
void native_step(NativeCall& call) {
  runtime::multiply_own(m, n, k, call.pointer<float>(0), call.pointer<const float>(1), call.pointer<const float>(2),
                        lane(call, 3));
}

bool is_value(NativeCall& call, std::uint64_t v) {
  if (v < kLaneValues) return true;
  call.trap(TrapKind::Fragment, "value " + std::to_string(v) + " of 4");
  return false;
}

/// (accumulator, v, thread).
void native_get(NativeCall& call) {
  const auto v = call.get<std::uint64_t>(1);
  if (!is_value(call, v)) return;
  call.result(call.pointer<const float>(0)[runtime::value_element(lane(call, 2), v)]);
}

/// (accumulator, v, value, thread).
void native_set(NativeCall& call) {
  const auto v = call.get<std::uint64_t>(1);
  if (!is_value(call, v)) return;
  call.pointer<float>(0)[runtime::value_element(lane(call, 3), v)] = call.get<float>(2);
}

// FAMILY.OPERATION.ROLE.FORMAT.MxNxK: what a device lowers to instructions of that family.
constexpr NativeEntry kFragmentNatives[] = {
    {"wmma.load.a.f16.16x16x16", "(ref mut Array[f32, 256], view f16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::F16, 16, 16>},
    {"wmma.load.a.bf16.16x16x16", "(ref mut Array[f32, 256], view bf16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::BF16, 16, 16>},
    {"wmma.load.b.f16.16x16x16", "(ref mut Array[f32, 256], view f16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::F16, 16, 16>},
    {"wmma.load.b.bf16.16x16x16", "(ref mut Array[f32, 256], view bf16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::BF16, 16, 16>},
    {"wmma.load.acc.16x16x16", "(ref mut Array[f32, 256], view f32, u64, u64, view u8, u64)", Capability::None,
     native_load_accumulator<16, 16>},
    {"wmma.store.16x16x16", "(ref Array[f32, 256], view mut f32, u64, u64, view u8, u64)", Capability::None,
     native_store<16, 16>},
    {"wmma.fill.16x16x16", "(ref mut Array[f32, 256], f32)", Capability::None, native_fill<256>},
    {"wmma.step.f16.16x16x16", "(ref mut Array[f32, 256], ref Array[f32, 256], ref Array[f32, 256], u64)",
     Capability::None, native_step<16, 16, 16>},
    {"wmma.step.bf16.16x16x16", "(ref mut Array[f32, 256], ref Array[f32, 256], ref Array[f32, 256], u64)",
     Capability::None, native_step<16, 16, 16>},
    {"wmma.load.a.f16.32x8x16", "(ref mut Array[f32, 512], view f16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::F16, 32, 16>},
    {"wmma.load.a.bf16.32x8x16", "(ref mut Array[f32, 512], view bf16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::BF16, 32, 16>},
    {"wmma.load.b.f16.32x8x16", "(ref mut Array[f32, 128], view f16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::F16, 16, 8>},
    {"wmma.load.b.bf16.32x8x16", "(ref mut Array[f32, 128], view bf16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::BF16, 16, 8>},
    {"wmma.load.acc.32x8x16", "(ref mut Array[f32, 256], view f32, u64, u64, view u8, u64)", Capability::None,
     native_load_accumulator<32, 8>},
    {"wmma.store.32x8x16", "(ref Array[f32, 256], view mut f32, u64, u64, view u8, u64)", Capability::None,
     native_store<32, 8>},
    {"wmma.fill.32x8x16", "(ref mut Array[f32, 256], f32)", Capability::None, native_fill<256>},
    {"wmma.step.f16.32x8x16", "(ref mut Array[f32, 256], ref Array[f32, 512], ref Array[f32, 128], u64)",
     Capability::None, native_step<32, 8, 16>},
    {"wmma.step.bf16.32x8x16", "(ref mut Array[f32, 256], ref Array[f32, 512], ref Array[f32, 128], u64)",
     Capability::None, native_step<32, 8, 16>},
    {"wmma.load.a.f16.8x32x16", "(ref mut Array[f32, 128], view f16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::F16, 8, 16>},
    {"wmma.load.a.bf16.8x32x16", "(ref mut Array[f32, 128], view bf16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::BF16, 8, 16>},
    {"wmma.load.b.f16.8x32x16", "(ref mut Array[f32, 512], view f16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::F16, 16, 32>},
    {"wmma.load.b.bf16.8x32x16", "(ref mut Array[f32, 512], view bf16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::BF16, 16, 32>},
    {"wmma.load.acc.8x32x16", "(ref mut Array[f32, 256], view f32, u64, u64, view u8, u64)", Capability::None,
     native_load_accumulator<8, 32>},
    {"wmma.store.8x32x16", "(ref Array[f32, 256], view mut f32, u64, u64, view u8, u64)", Capability::None,
     native_store<8, 32>},
    {"wmma.fill.8x32x16", "(ref mut Array[f32, 256], f32)", Capability::None, native_fill<256>},
    {"wmma.step.f16.8x32x16", "(ref mut Array[f32, 256], ref Array[f32, 128], ref Array[f32, 512], u64)",
     Capability::None, native_step<8, 32, 16>},
    {"wmma.step.bf16.8x32x16", "(ref mut Array[f32, 256], ref Array[f32, 128], ref Array[f32, 512], u64)",
     Capability::None, native_step<8, 32, 16>},
    {"mma.load.a.f16.16x8x16", "(ref mut Array[f32, 256], view f16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::F16, 16, 16>},
    {"mma.load.a.bf16.16x8x16", "(ref mut Array[f32, 256], view bf16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::BF16, 16, 16>},
    {"mma.load.b.f16.16x8x16", "(ref mut Array[f32, 128], view f16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::F16, 16, 8>},
    {"mma.load.b.bf16.16x8x16", "(ref mut Array[f32, 128], view bf16, u64, u64, view u8)", Capability::None,
     native_load_operand<StorageFloat::BF16, 16, 8>},
    {"mma.load.acc.16x8x16", "(ref mut Array[f32, 128], view f32, u64, u64, view u8, u64)", Capability::None,
     native_load_accumulator<16, 8>},
    {"mma.store.16x8x16", "(ref Array[f32, 128], view mut f32, u64, u64, view u8, u64)", Capability::None,
     native_store<16, 8>},
    {"mma.fill.16x8x16", "(ref mut Array[f32, 128], f32)", Capability::None, native_fill<128>},
    {"mma.step.f16.16x8x16", "(ref mut Array[f32, 128], ref Array[f32, 256], ref Array[f32, 128], u64)",
     Capability::None, native_step<16, 8, 16>},
    {"mma.step.bf16.16x8x16", "(ref mut Array[f32, 128], ref Array[f32, 256], ref Array[f32, 128], u64)",
     Capability::None, native_step<16, 8, 16>},
    {"mma.get", "(ref Array[f32, 128], u64, u64) -> f32", Capability::None, native_get},
    {"mma.set", "(ref mut Array[f32, 128], u64, f32, u64)", Capability::None, native_set},
};

}  // namespace

std::span<const NativeEntry> fragment_natives() { return kFragmentNatives; }

}  // namespace cairn
