// The fields of one test vector. A field that is missing or malformed throws MalformedVector, which check_vectors
// catches.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "runtime/reference/result.hpp"

namespace cairn::reference {

struct MalformedVector {
  std::string why;
};

class VectorReader {
 public:
  explicit VectorReader(const nlohmann::json& fields) : fields_(fields) {}

  [[nodiscard]] bool has(const char* key) const { return fields_.contains(key) && !fields_[key].is_null(); }
  [[nodiscard]] const nlohmann::json& at(const char* key) const;
  [[nodiscard]] VectorReader object(const char* key) const;
  [[nodiscard]] std::string text(const char* key) const;
  [[nodiscard]] bool truth(const char* key) const;
  [[nodiscard]] std::size_t count(const char* key) const;
  [[nodiscard]] Value value(const char* key) const;
  [[nodiscard]] Rational rational(const char* key) const;
  [[nodiscard]] Format format(const char* key) const;
  [[nodiscard]] Rounding rounding() const;
  [[nodiscard]] Overflow overflow() const;
  [[nodiscard]] std::vector<Value> values(const char* key) const;
  [[nodiscard]] std::vector<Rational> rationals(const char* key) const;
  [[nodiscard]] std::vector<FiniteRange> ranges(const char* key) const;
  [[nodiscard]] std::vector<bool> truths(const char* key) const;
  /// A tensor `{"format","values","shape"?}`; `shape` is what it has where the vector says none.
  [[nodiscard]] Array array(const char* key, std::optional<Shape> shape) const;
  /// The array, or an earlier result where `range_key` gives ranges.
  [[nodiscard]] std::optional<Result> earlier(const char* range_key, const Array& array) const;
  [[nodiscard]] Shape shape(const nlohmann::json& tensor) const;
  /// The number of elements; refuses shapes that would take long even though they have none.
  static std::size_t bounded(const Shape& extents, const char* key);

 private:
  const nlohmann::json& fields_;
};

/// "output[3] is 0x1p+0, not 0x3p+0": the first element that differs.
template <class T, class Text>
std::optional<std::string> difference(const std::string& what, const std::vector<T>& got, const std::vector<T>& wanted,
                                      const Text& text) {
  if (got.size() != wanted.size()) {
    return what + " has " + std::to_string(got.size()) + " elements, not " + std::to_string(wanted.size());
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (text(got[i]) == text(wanted[i])) continue;
    return what + "[" + std::to_string(i) + "] is " + text(got[i]) + ", not " + text(wanted[i]);
  }
  return std::nullopt;
}

[[nodiscard]] std::string text(const FiniteRange& range);

/// Compares everything that is expected of one result: `reference`, `finite_range`, `tolerance`, `may_be`.
[[nodiscard]] std::optional<std::string> outcome_difference(const std::string& prefix, const VectorReader& expected,
                                                            const Array& reference,
                                                            const std::vector<Outcome>& outcomes);

}  // namespace cairn::reference
