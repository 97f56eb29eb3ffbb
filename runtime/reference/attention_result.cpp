// Attention as an operation: exact results whose own bounds are those of `attention()` (reference algorithms, 10.4).
#include <memory>

#include "runtime/reference/attention.hpp"

namespace cairn::reference {

namespace {

/// A mask kept beyond the call it was given to.
class KeptMask {
 public:
  explicit KeptMask(const Mask& mask) {
    if (const auto* const boolean = std::get_if<const BooleanArray*>(&mask)) {
      boolean_ = **boolean;
    } else if (const auto* const array = std::get_if<const Array*>(&mask)) {
      kept_.emplace(*array);
    } else {
      kept_.emplace(std::get<const Result*>(mask));
    }
  }
  [[nodiscard]] Mask mask() const {
    if (!kept_) return &boolean_;
    return std::visit([](const auto* operand) { return Mask(operand); }, kept_->operand());
  }

 private:
  BooleanArray boolean_;
  std::optional<Kept> kept_;
};

std::optional<Kept> kept(const std::optional<Operand>& operand) {
  return operand ? std::optional<Kept>(*operand) : std::nullopt;
}

class AttentionBounds final : public Result::Bounds {
 public:
  AttentionBounds(const AttentionInput& input, const BackwardInput* backward, const AttentionOptions& options,
                  Part part)
      : query_(input.query), key_(input.key), value_(input.value), plain_(input), options_(options), part_(part) {
    if (input.attn_mask) mask_.emplace(*input.attn_mask);
    if (backward == nullptr) return;
    grad_.emplace(backward->grad);
    out_ = kept(backward->out);
    logsumexp_ = kept(backward->logsumexp);
  }

  [[nodiscard]] std::expected<std::vector<Outcome>, Refusal> outcomes(const ResultOptions& options) const override {
    AttentionInput input = plain_;
    input.query = query_.operand();
    input.key = key_.operand();
    input.value = value_.operand();
    if (mask_) input.attn_mask = mask_->mask();
    AttentionOptions taken = options_;
    taken.standard = options.standard;
    taken.flush_to_zero = options.flush_to_zero;
    taken.work = options.work;
    taken.with_outcomes = true;
    if (options.compute) taken.compute = options.compute;
    if (options.ulps) taken.ulps = options.ulps;
    const AttentionAlgorithm itself{AttentionAlgorithm::Options{}};
    std::expected<AttentionParts, Refusal> parts;
    if (grad_) {
      BackwardInput backward{input, grad_->operand()};
      if (out_) backward.out = out_->operand();
      if (logsumexp_) backward.logsumexp = logsumexp_->operand();
      parts = itself.backward(backward, taken);
    } else {
      parts = itself.forward(input, taken);
    }
    if (!parts) return std::unexpected(parts.error());
    return std::move(parts->at(part_).outcomes);
  }

 private:
  Kept query_;
  Kept key_;
  Kept value_;
  std::optional<KeptMask> mask_;
  std::optional<Kept> grad_;
  std::optional<Kept> out_;
  std::optional<Kept> logsumexp_;
  AttentionInput plain_;  // what is no operand
  AttentionOptions options_;
  Part part_;
};

std::expected<std::map<Part, Result>, Refusal> results(std::expected<AttentionParts, Refusal> parts,
                                                       const AttentionInput& input, const BackwardInput* backward,
                                                       const AttentionOptions& options) {
  if (!parts) return std::unexpected(parts.error());
  std::map<Part, Result> made;
  for (auto& [name, part] : *parts) {
    made.emplace(name,
                 Result(std::move(part.reference), std::make_shared<AttentionBounds>(input, backward, options, name)));
  }
  return made;
}

}  // namespace

std::expected<std::map<Part, Result>, Refusal> scaled_dot_product_attention(const AttentionInput& input,
                                                                            const AttentionOptions& options) {
  const AttentionAlgorithm itself{AttentionAlgorithm::Options{}};
  AttentionOptions exact = options;
  exact.with_outcomes = false;
  return results(itself.forward(input, exact), input, nullptr, options);
}

std::expected<std::map<Part, Result>, Refusal> scaled_dot_product_attention_backward(const BackwardInput& input,
                                                                                     const AttentionOptions& options) {
  const AttentionAlgorithm itself{AttentionAlgorithm::Options{}};
  AttentionOptions exact = options;
  exact.with_outcomes = false;
  return results(itself.backward(input, exact), input.forward, &input, options);
}

}  // namespace cairn::reference
