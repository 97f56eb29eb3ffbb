#include "runtime/reference/formats.hpp"

#include <array>

namespace cairn::reference {

namespace {

/// `top` is the largest value's significand, an integer of p bits.
FormatInfo described(std::string_view name, int p, int emin, int emax, int bits, bool infinities, std::uint64_t top) {
  FormatInfo made;
  made.name = name;
  made.p = p;
  made.emin = emin;
  made.emax = emax;
  made.bits = bits;
  made.infinities = infinities;
  made.largest = Value(mpz_class(top), emax - p + 1);
  made.edge = Value(mpz_class(2 * top + 1), emax - p);
  made.unit_roundoff = Value::power_of_two(-p);
  made.half_subnormal = Value::power_of_two(emin - p);
  made.least_normal = Value::power_of_two(emin);
  return made;
}

}  // namespace

const FormatInfo& info(Format format) {
  static const std::array<FormatInfo, kFormats> kInfos = {
      described("f16", 11, -14, 15, 16, true, 0x7ff),
      described("bf16", 8, -126, 127, 16, true, 0xff),
      described("f8e4m3", 4, -6, 8, 8, false, 0xe),
      described("f8e5m2", 3, -14, 15, 8, true, 0x7),
      described("f32", 24, -126, 127, 32, true, 0xffffff),
      described("f64", 53, -1022, 1023, 64, true, 0x1fffffffffffff),
  };
  return kInfos[static_cast<std::size_t>(format)];
}

bool contains(Format outer, Format inner) {
  const FormatInfo& wide = info(outer);
  const FormatInfo& narrow = info(inner);
  return wide.p >= narrow.p && wide.emin - wide.p <= narrow.emin - narrow.p && wide.largest >= narrow.largest;
}

bool is_storage_float(Format format) { return format != Format::F32 && format != Format::F64; }

std::optional<Format> format_named(std::string_view name) {
  for (std::size_t i = 0; i < kFormats; ++i) {
    const auto format = static_cast<Format>(i);
    if (info(format).name == name) return format;
  }
  return std::nullopt;
}

}  // namespace cairn::reference
