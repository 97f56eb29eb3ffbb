// The mathematical functions of pair floats (pair floats, 5) as C++ functions, for one argument and for as many side by
// side as fit a vector register: what machine code calls. The bits are those of the templates of
// runtime/semantics/pair, in every lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace cairn {

/// A function for one limb type.
struct PairCode {
  /// Pair<T> (*)(Pair<T>) or Pair<T> (*)(Pair<T>, Pair<T>), of runtime/semantics/pair.
  void* one = nullptr;
  /// For vectors of 32 and of 64 bytes; null where there is none for this processor. `operands` are the vectors of high
  /// and low limbs of each operand in turn, `result` those of the result; no alignment is asked for.
  using Lanes = void (*)(const void* operands, void* result);
  Lanes lanes_of_32_bytes = nullptr;
  Lanes lanes_of_64_bytes = nullptr;

  [[nodiscard]] Lanes lanes(std::size_t vector_bytes) const {
    return vector_bytes == 32 ? lanes_of_32_bytes : vector_bytes == 64 ? lanes_of_64_bytes : nullptr;
  }
};

struct PairFunction {
  std::string_view name;  // of std.pair
  std::uint32_t operands = 1;
  PairCode f32, f64;
};

/// Every function of one or two pairs that gives one, for the processor this runs on; in an order that never changes.
[[nodiscard]] std::span<const PairFunction> pair_functions();

/// The builds it chooses from, the second and third only for processors with AVX2 and fused operations, and with
/// AVX-512 (F, DQ, VL, BW). Their order is the same.
[[nodiscard]] std::span<const PairFunction> pair_functions_portable();
[[nodiscard]] std::span<const PairFunction> pair_functions_avx2();
[[nodiscard]] std::span<const PairFunction> pair_functions_avx512();

}  // namespace cairn
