// The six floating formats and what each can hold (reference algorithms, 1.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/reference/value.hpp"

namespace cairn::reference {

enum class Format : std::uint8_t { F16, Bf16, F8E4M3, F8E5M2, F32, F64 };
inline constexpr std::size_t kFormats = 6;

/// Finite values are 0 and n * 2^(e-p+1) with |n| < 2^p, emin <= e <= emax, magnitude at most `largest`.
struct FormatInfo {
  std::string_view name;  // "f8e4m3"
  int p = 0;
  int emin = 0;
  int emax = 0;
  int bits = 0;  // of storage
  bool infinities = true;
  Value largest;         // the chapter's capital omega
  Value edge;            // the tie between it and the next value an unbounded exponent would give
  Value unit_roundoff;   // u = 2^-p
  Value half_subnormal;  // eta = 2^(emin-p), half the least subnormal
  Value least_normal;    // 2^emin
};

[[nodiscard]] const FormatInfo& info(Format format);

/// Whether every finite value of `inner` is one of `outer`.
[[nodiscard]] bool contains(Format outer, Format inner);

/// f16, bf16, f8e4m3, f8e5m2: what tensor cores take.
[[nodiscard]] bool is_storage_float(Format format);

/// "f8e4m3" to its format.
[[nodiscard]] std::optional<Format> format_named(std::string_view name);

}  // namespace cairn::reference
