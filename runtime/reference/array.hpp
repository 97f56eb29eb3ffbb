// Arrays of one format, and what functions of the reference give per element (reference algorithms, 2 and 15).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/reference/formats.hpp"
#include "runtime/reference/value.hpp"

namespace cairn::reference {

using Shape = std::vector<std::size_t>;

/// The number of elements; 1 of no dimensions. Shapes whose count does not fit a size_t give SIZE_MAX.
[[nodiscard]] std::size_t element_count(const Shape& shape);

/// What is left of a sum when it is no finite number.
enum class Special : std::uint8_t { PlusInfinity, MinusInfinity, NotANumber };

/// A number of some format, as its bits say: significand * 2^exponent, or a special.
struct Element {
  std::int64_t significand = 0;
  std::int32_t exponent = 0;
  Value::Kind kind = Value::Kind::Finite;

  [[nodiscard]] bool is_finite() const { return kind == Value::Kind::Finite; }
  [[nodiscard]] double to_f64() const;
  [[nodiscard]] Value value() const;
};

/// The bits of one element, of the format's width.
[[nodiscard]] Element decoded(std::uint64_t bits, Format format);
/// Of a value of the format; NaN is the quiet NaN with a clear sign bit.
[[nodiscard]] std::uint64_t encoded(const Value& value, Format format);
/// The same of a double that is a value of the format.
[[nodiscard]] std::uint64_t encoded(double value, Format format);

/// Row-major elements of one format, stored as their bits, little-endian.
class Array {
 public:
  Array() = default;
  /// Zeros.
  Array(Format format, Shape shape);

  [[nodiscard]] Format format() const { return format_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<std::byte> storage() { return storage_; }
  [[nodiscard]] std::span<const std::byte> storage() const { return storage_; }

  /// The element at an index per dimension.
  [[nodiscard]] Value at(std::span<const std::size_t> index) const;
  /// The element at a position in row-major order.
  [[nodiscard]] Value at(std::size_t position) const { return element(position).value(); }
  [[nodiscard]] Element element(std::size_t position) const;
  /// Stores a value of the format.
  void set(std::size_t position, const Value& value) { store(position, encoded(value, format_)); }
  void set(std::size_t position, double value) { store(position, encoded(value, format_)); }
  /// The same elements in another shape of as many.
  [[nodiscard]] Array reshaped(Shape shape) const;

 private:
  void store(std::size_t position, std::uint64_t bits);

  Format format_ = Format::F32;
  Shape shape_;
  std::size_t size_ = 0;
  std::vector<std::byte> storage_;
};

/// Truth values: a mask that admits keys.
struct BooleanArray {
  Shape shape;
  std::vector<std::uint8_t> values;
};

template <class T>
struct PerElement {
  Shape shape;
  std::vector<T> values;
};

/// The lowest and the highest finite output, as values of the output's format; nothing when no output can be finite.
struct FiniteRange {
  std::optional<std::pair<Value, Value>> ends;
};

/// All that is known of one output.
struct Outcome {
  FiniteRange range;
  bool plus_infinity = false;
  bool minus_infinity = false;
  bool not_a_number = false;

  [[nodiscard]] bool may_be(Special kind) const;
  /// A finite output lies within the range; another is possible.
  [[nodiscard]] bool covers(const Value& output) const;
  /// 0 without a range; infinite when the reference is not finite; else the longer way from it to an end.
  [[nodiscard]] Rational tolerance(const Value& reference) const;
  /// Nothing is excluded in that format.
  [[nodiscard]] static Outcome anything(Format format);
};

}  // namespace cairn::reference
