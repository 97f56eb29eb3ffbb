// Conversions of many elements at once between the storage floats and f32 or f64 (numerics, 2.3): the bits of the one
// integer routine (semantics/storage_floats.hpp), by vector code where the processor has some for the pair of types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/matrices/multiply.hpp"

namespace cairn::runtime {

struct ElementConversion {
  StorageFloat storage{};
  bool wide = false;     // the other type is f64, else f32
  bool narrows = false;  // to the storage float, else from it
};

/// The vector code to use; every one gives the same bits.
enum class ConversionEngine : std::uint8_t { Scalar, Avx2, Avx512 };

/// The widest this machine has.
[[nodiscard]] ConversionEngine best_conversion_engine();

/// Converts elements of `from` into `to`, which do not overlap, and gives how many: all, or those before the first one
/// that has no place in f8e4m3. With `streams` the results go past the caches, for an array larger than they are.
std::size_t convert_elements(ElementConversion conversion, void* to, const void* from, std::size_t count, bool streams);

/// The same with a given engine, which the machine must have.
std::size_t convert_elements_with(ElementConversion conversion, void* to, const void* from, std::size_t count,
                                  bool streams, ConversionEngine engine);

/// Vector code between a storage float and f32, not from the 8-bit ones: converts whole vectors of `from` into `to`, at
/// most `count` elements, and gives how many; it stops before one with an element that has no place. With `streams`,
/// `to` stands at a multiple of 64 bytes.
std::size_t convert_vectors_avx2(ElementConversion conversion, void* to, const void* from, std::size_t count,
                                 bool streams);
std::size_t convert_vectors_avx512(ElementConversion conversion, void* to, const void* from, std::size_t count,
                                   bool streams);

}  // namespace cairn::runtime
