#include "runtime/conversions/element_conversion.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "runtime/processor.hpp"
#include "runtime/semantics/storage_floats.hpp"

namespace cairn::runtime {

namespace {

ConversionEngine detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (has_avx512()) return ConversionEngine::Avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c")) return ConversionEngine::Avx2;
#endif
  return ConversionEngine::Scalar;
}

template <class Format, class F>
std::size_t narrow_each(typename Format::Pattern* to, const F* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!semantics::narrow<Format>(static_cast<double>(from[i]), to[i])) return i;
  }
  return count;
}

template <class Format, class F>
std::size_t widen_each(F* to, const typename Format::Pattern* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = semantics::widen<Format, F>(from[i]);
  return count;
}

/// By the integer routine.
template <class Format, class F>
std::size_t convert_each(bool narrows, void* to, const void* from, std::size_t count) {
  using Pattern = typename Format::Pattern;
  return narrows ? narrow_each<Format, F>(static_cast<Pattern*>(to), static_cast<const F*>(from), count)
                 : widen_each<Format, F>(static_cast<F*>(to), static_cast<const Pattern*>(from), count);
}

template <class Format>
std::size_t convert_each(ElementConversion conversion, void* to, const void* from, std::size_t count) {
  return conversion.wide ? convert_each<Format, double>(conversion.narrows, to, from, count)
                         : convert_each<Format, float>(conversion.narrows, to, from, count);
}

std::size_t convert_each(ElementConversion conversion, void* to, const void* from, std::size_t count) {
  switch (conversion.storage) {
    case StorageFloat::F16:
      return convert_each<semantics::F16>(conversion, to, from, count);
    case StorageFloat::BF16:
      return convert_each<semantics::BF16>(conversion, to, from, count);
    case StorageFloat::F8E4M3:
      return convert_each<semantics::F8E4M3>(conversion, to, from, count);
    case StorageFloat::F8E5M2:
      return convert_each<semantics::F8E5M2>(conversion, to, from, count);
  }
  return 0;
}

bool is_byte(StorageFloat storage) { return storage == StorageFloat::F8E4M3 || storage == StorageFloat::F8E5M2; }

bool has_vectors(ElementConversion conversion) {
  return !conversion.wide && (conversion.narrows || !is_byte(conversion.storage));
}

std::size_t source_bytes(ElementConversion conversion) {
  if (conversion.narrows) return conversion.wide ? 8 : 4;
  return is_byte(conversion.storage) ? 1 : 2;
}

std::size_t target_bytes(ElementConversion conversion) {
  return source_bytes({conversion.storage, conversion.wide, !conversion.narrows});
}

}  // namespace

ConversionEngine best_conversion_engine() {
  static const ConversionEngine best = detect();
  return best;
}

std::size_t convert_elements(ElementConversion conversion, void* to, const void* from, std::size_t count,
                             bool streams) {
  return convert_elements_with(conversion, to, from, count, streams, best_conversion_engine());
}

std::size_t convert_elements_with(ElementConversion conversion, void* to, const void* from, std::size_t count,
                                  bool streams, ConversionEngine engine) {
  auto* const out = static_cast<std::uint8_t*>(to);
  const auto* const in = static_cast<const std::uint8_t*>(from);
  std::size_t done = 0;
  const auto each = [&](std::size_t most) {
    const std::size_t wanted = std::min(most, count - done);
    const std::size_t made =
        convert_each(conversion, out + done * target_bytes(conversion), in + done * source_bytes(conversion), wanted);
    done += made;
    return made == wanted;
  };
#if defined(__x86_64__)
  if (engine != ConversionEngine::Scalar && has_vectors(conversion)) {
    if (streams) {  // up to a multiple of 64 bytes
      const std::size_t off = reinterpret_cast<std::uintptr_t>(out) % 64;
      if (off % target_bytes(conversion) != 0) streams = false;
      if (streams && off != 0 && !each((64 - off) / target_bytes(conversion))) return done;
    }
    const auto vectors = engine == ConversionEngine::Avx512 ? convert_vectors_avx512 : convert_vectors_avx2;
    done += vectors(conversion, out + done * target_bytes(conversion), in + done * source_bytes(conversion),
                    count - done, streams);
  }
#else
  (void)engine;
  (void)streams;
#endif
  each(count);
  return done;
}

}  // namespace cairn::runtime
