// Named algorithms and their spellings (reference algorithms, 5, 11 and 15).
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/reference/value.hpp"

namespace cairn::reference {

/// Base of every named algorithm.
class Algorithm {
 public:
  Algorithm() = default;
  virtual ~Algorithm() = default;
  /// The word before the parenthesis.
  [[nodiscard]] virtual std::string name() const = 0;
  /// One sentence built from the parts.
  [[nodiscard]] virtual std::string description() const = 0;
  /// As `parse_algorithm` reads it, defaults left out.
  [[nodiscard]] virtual std::string spelling() const = 0;

 protected:
  Algorithm(const Algorithm&) = default;
  Algorithm& operator=(const Algorithm&) = default;
};

/// `matmul_blocked(f32, 4, fma=false)`, `attention(exp2)`, `mma_unordered`; spaces are free.
[[nodiscard]] std::expected<std::unique_ptr<Algorithm>, Refusal> parse_algorithm(std::string_view spelling);

}  // namespace cairn::reference
