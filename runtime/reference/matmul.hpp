// Matrix products: the exact result, and the named algorithms that compute it (reference algorithms, 3 to 9). A is m x
// k, B is k x n, C (optional) is m x n, all row-major and real.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "runtime/reference/algorithm.hpp"
#include "runtime/reference/array.hpp"
#include "runtime/reference/error_model.hpp"
#include "runtime/reference/result.hpp"
#include "runtime/reference/rounding.hpp"

namespace cairn::reference {

struct MatmulOptions {
  std::optional<Format> dtype = {};  // of the output; else the first format that contains A's and B's
  Rounding rounding = Rounding::NearestEven;
  Overflow overflow = Overflow::Default;
  Standard standard = Standard::Normal;
  bool flush_to_zero = false;
  const Work* work = nullptr;
};

struct MatmulInput {
  Operand a;
  Operand b;
  std::optional<Operand> onto = {};
};

class MatmulAlgorithm final : public Algorithm {
 public:
  enum class Sum : std::uint8_t { Sequential, Pairwise, Blocked, Exact, Slots16, AnyOrder, TensorCores };
  struct Parts {
    Sum sum = Sum::Sequential;
    Format format = Format::F32;                // of the accumulator
    std::size_t block_size = 1;                 // of Blocked
    bool fma = true;                            // of Sequential, Pairwise and Blocked
    Rounding rounding = Rounding::NearestEven;  // of the accumulator
    Standard standard = Standard::Normal;       // of AnyOrder
    bool flush_to_zero = false;                 // of AnyOrder
  };
  /// The parts belong together (`matmul_blocked` and its siblings see to it).
  explicit MatmulAlgorithm(const Parts& parts) : parts_(parts) {}

  [[nodiscard]] const Parts& parts() const { return parts_; }
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::string description() const override;
  [[nodiscard]] std::string spelling() const override;

  [[nodiscard]] bool has_run() const { return parts_.sum != Sum::AnyOrder && parts_.sum != Sum::TensorCores; }
  /// The algorithm's output, m x n. Refused where the row has no run.
  [[nodiscard]] std::expected<Array, Refusal> run(const MatmulInput& input, const MatmulOptions& options) const;
  [[nodiscard]] ErrorModel error_model(std::size_t k, bool onto = false) const;
  /// All that the algorithm can give, per element; the four below are parts of it.
  [[nodiscard]] std::expected<std::vector<Outcome>, Refusal> outcomes(const MatmulInput& input,
                                                                      const MatmulOptions& options) const;
  [[nodiscard]] std::expected<PerElement<Rational>, Refusal> tolerance(const MatmulInput& input,
                                                                       const MatmulOptions& options) const;
  [[nodiscard]] std::expected<PerElement<FiniteRange>, Refusal> finite_range(const MatmulInput& input,
                                                                             const MatmulOptions& options) const;
  [[nodiscard]] std::expected<PerElement<bool>, Refusal> may_be(Special kind, const MatmulInput& input,
                                                                const MatmulOptions& options) const;
  [[nodiscard]] std::expected<PerElement<bool>, Refusal> covers(const Array& output, const MatmulInput& input,
                                                                const MatmulOptions& options) const;

 private:
  Parts parts_;
};
using MatmulSlots16 = MatmulAlgorithm;

[[nodiscard]] MatmulAlgorithm matmul_sequential(Format format, bool fma = true,
                                                Rounding rounding = Rounding::NearestEven);
[[nodiscard]] MatmulAlgorithm matmul_pairwise(Format format, bool fma = true,
                                              Rounding rounding = Rounding::NearestEven);
/// Refused for blocks of no terms.
[[nodiscard]] std::expected<MatmulAlgorithm, Refusal> matmul_blocked(Format format, std::size_t block_size,
                                                                     bool fma = true,
                                                                     Rounding rounding = Rounding::NearestEven);
[[nodiscard]] MatmulAlgorithm matmul_exact_accumulation(Format format, Rounding rounding = Rounding::NearestEven);
[[nodiscard]] MatmulSlots16 matmul_slots16(Format format, Rounding rounding = Rounding::NearestEven);
/// The operation itself, in any order (9.1); it has no run.
[[nodiscard]] MatmulAlgorithm matmul_any_order(Format format, Standard standard = Standard::Normal,
                                               bool flush_to_zero = false);
/// The contract of tensor cores (9.2); it has no run.
[[nodiscard]] MatmulAlgorithm mma_unordered();

/// The exact product, each element rounded once, with the operation's own bounds. Operands that are results must
/// outlive neither call nor result: what is needed of them is kept.
[[nodiscard]] std::expected<Result, Refusal> matmul(const MatmulInput& input, const MatmulOptions& options);

/// One row judged on a product: what it can give and, where it has a run, what it gives.
struct MatmulRow {
  std::vector<Outcome> outcomes;
  std::optional<Array> run;
};
/// The reference and several rows of one product at once: the sums they share are computed once.
struct MatmulRows {
  Array reference;
  std::vector<MatmulRow> rows;
};
[[nodiscard]] std::expected<MatmulRows, Refusal> matmul_rows(const MatmulInput& input, const MatmulOptions& options,
                                                             std::span<const MatmulAlgorithm> algorithms,
                                                             bool with_runs);

}  // namespace cairn::reference
