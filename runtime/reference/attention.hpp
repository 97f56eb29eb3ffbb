// Attention, its gradients, and classes of kernels that compute them (reference algorithms, 10 to 14). The results are
// real numbers, enclosed until their rounding is certain; bounds are rounded upward.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "runtime/reference/algorithm.hpp"
#include "runtime/reference/array.hpp"
#include "runtime/reference/result.hpp"
#include "runtime/reference/rounding.hpp"

namespace cairn::reference {

/// A float mask is added to the logits; of a boolean one true admits the key.
using Mask = std::variant<const Array*, const Result*, const BooleanArray*>;

/// Shapes: query (b, hq, L, E), key (b, hk, S, E), value (b, hk, S, Ev); leading dimensions may be missing. The mask
/// broadcasts to (b, hq, L, S).
struct AttentionInput {
  Operand query;
  Operand key;
  Operand value;
  std::optional<Mask> attn_mask = {};
  double dropout_p = 0;
  bool is_causal = false;
  std::optional<double> scale = {};  // else 1/sqrt(E), the real number
  bool enable_gqa = false;
};

struct AttentionOptions {
  std::optional<Format> dtype = {};    // of the output and the gradients; else the query's
  std::optional<Format> compute = {};  // else f64 when an input is, f32 otherwise
  Rounding rounding = Rounding::NearestEven;
  std::optional<Rational> ulps = {};  // else 2
  bool flush_to_zero = false;
  Standard standard = Standard::Normal;
  std::optional<Format> logsumexp = {};  // of the exact logsumexp; else the compute format, which bounds need
  bool with_outcomes = true;             // else the exact results alone
  bool with_references = true;           // else zeros stand for the exact results
  const Work* work = nullptr;
};

/// `grad` (b, hq, L, Ev); `out` like it and `logsumexp` (b, hq, L) are the forward's results, both or neither.
struct BackwardInput {
  AttentionInput forward;
  Operand grad;
  std::optional<Operand> out = {};
  std::optional<Operand> logsumexp = {};
};

enum class Part : std::uint8_t { Output, Logsumexp, GradQuery, GradKey, GradValue };

template <class T>
using Outputs = std::map<Part, PerElement<T>>;

/// The exact result of a part, rounded once, and what the kernels of a class can give in its place.
struct AttentionPart {
  Array reference;
  std::vector<Outcome> outcomes;  // empty when they were not asked for
};
using AttentionParts = std::map<Part, AttentionPart>;

class AttentionAlgorithm final : public Algorithm {
 public:
  /// Where the kernels of the class round, besides where they must.
  struct Options {
    bool online_softmax = false;
    std::optional<std::size_t> block_size = {};  // keys a block has; at least 1
    bool exp2 = false;
    std::optional<Format> weights = {};
    std::optional<Format> accumulate = {};
    std::optional<Format> bias = {};
    bool reciprocal = false;
    bool mma = false;
  };
  explicit AttentionAlgorithm(const Options& options) : options_(options) {}

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] std::string name() const override { return "attention"; }
  [[nodiscard]] std::string description() const override;
  [[nodiscard]] std::string spelling() const override;

  /// Reference and outcomes of output and logsumexp; the four below are parts of it.
  [[nodiscard]] std::expected<AttentionParts, Refusal> forward(const AttentionInput&, const AttentionOptions&) const;
  [[nodiscard]] std::expected<Outputs<Rational>, Refusal> tolerance(const AttentionInput&,
                                                                    const AttentionOptions&) const;
  [[nodiscard]] std::expected<Outputs<FiniteRange>, Refusal> finite_range(const AttentionInput&,
                                                                          const AttentionOptions&) const;
  [[nodiscard]] std::expected<Outputs<bool>, Refusal> may_be(Special, const AttentionInput&,
                                                             const AttentionOptions&) const;
  [[nodiscard]] std::expected<Outputs<bool>, Refusal> covers(const std::map<Part, Array>& outputs,
                                                             const AttentionInput&, const AttentionOptions&) const;

  /// The same of the three gradients.
  [[nodiscard]] std::expected<AttentionParts, Refusal> backward(const BackwardInput&, const AttentionOptions&) const;
  [[nodiscard]] std::expected<Outputs<Rational>, Refusal> backward_tolerance(const BackwardInput&,
                                                                             const AttentionOptions&) const;
  [[nodiscard]] std::expected<Outputs<FiniteRange>, Refusal> backward_finite_range(const BackwardInput&,
                                                                                   const AttentionOptions&) const;
  [[nodiscard]] std::expected<Outputs<bool>, Refusal> backward_may_be(Special, const BackwardInput&,
                                                                      const AttentionOptions&) const;
  [[nodiscard]] std::expected<Outputs<bool>, Refusal> backward_covers(const std::map<Part, Array>& gradients,
                                                                      const BackwardInput&,
                                                                      const AttentionOptions&) const;

 private:
  Options options_;
};

/// The exact output and logsumexp, each element rounded once; their own bounds are those of `attention()`.
[[nodiscard]] std::expected<std::map<Part, Result>, Refusal> scaled_dot_product_attention(const AttentionInput&,
                                                                                          const AttentionOptions&);
/// The exact gradients.
[[nodiscard]] std::expected<std::map<Part, Result>, Refusal> scaled_dot_product_attention_backward(
    const BackwardInput&, const AttentionOptions&);

}  // namespace cairn::reference
