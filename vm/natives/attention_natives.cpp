// The native behind std.reference's attention problems (reference algorithms, 16.4).
#include <array>
#include <bit>
#include <cmath>

#include "runtime/reference/attention.hpp"
#include "vm/natives/reference_arguments.hpp"

namespace cairn::reference_call {

namespace {

// ------------------------------------------------------------------------- what stdlib/reference.cairn writes in words

enum Tensor : std::size_t { kQuery, kKey, kValue, kMask, kGrad, kOut, kLogsumexp, kTensors };
/// The words of an Attention.
enum ProblemWord : std::size_t {
  kBatch,
  kQueryHeads,
  kKeyHeads,
  kQueries,
  kKeys,
  kWidth,
  kValueWidth,
  kCausal,
  kHasScale,
  kScale,
  kMaskKind,  // 0 none, 1 float, 2 boolean
  kMaskLength,
  kFormats,
  kValues = kFormats + kTensors,
  kLow = kValues + kTensors,
  kHigh = kLow + kTensors,
  kProblemWords = kHigh + kTensors
};
/// The words of an order.
enum OrderWord : std::size_t {
  kWhat,
  kPart,
  kDtype,
  kRounding,
  kCompute,
  kUlps,
  kFlush,
  kStandard,
  kSpecial,
  kOnline,
  kBlock,
  kExp2,
  kWeights,
  kAccumulate,
  kBias,
  kReciprocal,
  kMma,
  kOrderWords
};

std::optional<ref::Format> optional_format(std::uint64_t word) {
  return word == kAbsent ? std::nullopt : std::optional(format(word));
}

ref::Shape full_shape(Words p, std::size_t tensor) {
  switch (tensor) {
    case kKey:
      return {p[kBatch], p[kKeyHeads], p[kKeys], p[kWidth]};
    case kValue:
      return {p[kBatch], p[kKeyHeads], p[kKeys], p[kValueWidth]};
    case kMask:
      if (p[kMaskLength] == product_of({p[kQueries], p[kKeys]})) return {p[kQueries], p[kKeys]};
      if (p[kMaskLength] == product_of({p[kQueryHeads], p[kQueries], p[kKeys]})) {
        return {p[kQueryHeads], p[kQueries], p[kKeys]};
      }
      return {p[kBatch], p[kQueryHeads], p[kQueries], p[kKeys]};
    case kGrad:
    case kOut:
      return {p[kBatch], p[kQueryHeads], p[kQueries], p[kValueWidth]};
    case kLogsumexp:
      return {p[kBatch], p[kQueryHeads], p[kQueries]};
    default:
      return {p[kBatch], p[kQueryHeads], p[kQueries], p[kWidth]};
  }
}

std::size_t count_of(const ref::Shape& shape) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count = product_of({count, extent});
  return count;
}

constexpr std::array<const char*, kTensors> kNames = {
    "query has batch*query_heads*queries*width",
    "key has batch*key_heads*keys*width",
    "value has batch*key_heads*keys*value_width",
    "the mask has queries*keys, that times query_heads, or that times batch",
    "grad has batch*query_heads*queries*value_width",
    "out has batch*query_heads*queries*value_width",
    "logsumexp has batch*query_heads*queries"};

Held tensor_of(Words p, std::span<const double> data, std::size_t tensor) {
  const ref::Shape shape = full_shape(p, tensor);
  return held(data, p[kValues + tensor], p[kLow + tensor], p[kHigh + tensor], count_of(shape),
              format(p[kFormats + tensor]), shape);
}

/// A tensor's length, or that of its ranges, judged when it is appended.
void native_fit(NativeCall& call) {
  const Words p = words(call, 1, kProblemWords);
  const auto tensor = call.get<std::uint64_t>(3) % kTensors;
  const auto length = call.get<std::uint64_t>(4);
  if (call.get<std::uint64_t>(3) >= kTensors && p[kValues + tensor] == kAbsent) {
    refuse("which: the problem has no such tensor");
  }
  if (tensor == kMask && p[kCausal] != 0) refuse("a mask and causal do not go together");
  if (length == count_of(full_shape(p, tensor))) return;
  refuse(std::string(kNames[tensor]) + " elements, not " + std::to_string(length));
}

void native_ranges(NativeCall& call) {
  const Words p = words(call, 1, kProblemWords);
  static_cast<void>(tensor_of(p, call.view<const double>(4), call.get<std::uint64_t>(6) % kTensors));
}

/// What stands in the way of a setting: 0 causal, 1 a scale, whose bits follow.
void native_setting(NativeCall& call) {
  const Words p = words(call, 1, kProblemWords);
  if (call.get<std::uint64_t>(3) == 0) {
    if (p[kMaskKind] != 0) refuse("causal and a mask do not go together");
  } else if (!std::isfinite(call.get<double>(4))) {
    refuse("s is a finite number");
  }
}

struct Operands {
  std::array<std::optional<Held>, kTensors> tensors;
  ref::BooleanArray admitted;

  Operands(Words p, std::span<const double> data) {
    for (std::size_t t = 0; t < kTensors; ++t) {
      if (p[kValues + t] == kAbsent) continue;
      if (t == kMask && p[kMaskKind] == 2) {
        admitted.shape = full_shape(p, t);
        const ref::Array values =
            array(data, p[kValues + t], count_of(admitted.shape), ref::Format::F64, admitted.shape);
        for (std::size_t i = 0; i < values.size(); ++i) admitted.values.push_back(values.element(i).significand != 0);
        continue;
      }
      tensors[t] = tensor_of(p, data, t);
    }
    for (const std::size_t t : {kQuery, kKey, kValue}) {
      if (!tensors[t]) refuse("a problem of std.reference is made by its functions");
    }
  }

  [[nodiscard]] ref::AttentionInput input(Words p) const {
    ref::AttentionInput made{tensors[kQuery]->operand(), tensors[kKey]->operand(), tensors[kValue]->operand()};
    made.is_causal = p[kCausal] != 0;
    made.enable_gqa = p[kQueryHeads] != p[kKeyHeads];
    if (p[kHasScale] != 0) made.scale = std::bit_cast<double>(p[kScale]);
    if (p[kMaskKind] == 2) made.attn_mask = &admitted;
    if (p[kMaskKind] == 1 && tensors[kMask]) {
      std::visit([&](const auto* operand) { made.attn_mask = operand; }, tensors[kMask]->operand());
    }
    return made;
  }
};

ref::AttentionAlgorithm algorithm_of(Words order) {
  ref::AttentionAlgorithm::Options options;
  options.online_softmax = order[kOnline] != 0;
  if (order[kBlock] != 0) options.block_size = order[kBlock];
  options.exp2 = order[kExp2] != 0;
  options.weights = optional_format(order[kWeights]);
  options.accumulate = optional_format(order[kAccumulate]);
  options.bias = optional_format(order[kBias]);
  options.reciprocal = order[kReciprocal] != 0;
  options.mma = order[kMma] != 0;
  return ref::AttentionAlgorithm(options);
}

ref::AttentionOptions options_of(Words order, What what, ref::Part part) {
  ref::AttentionOptions options;
  const ref::Format dtype = format(order[kDtype]);
  options.rounding = enumeration<ref::Rounding>(order[kRounding]);
  options.compute = optional_format(order[kCompute]);
  const double ulps = std::bit_cast<double>(order[kUlps]);
  if (!std::isfinite(ulps)) refuse("ulps is a finite number");
  options.ulps = ref::Rational(ref::Value::of(ulps));
  options.flush_to_zero = order[kFlush] != 0;
  options.standard = enumeration<ref::Standard>(order[kStandard]);
  options.with_outcomes = what != What::Rounded;
  if (part != ref::Part::Logsumexp) {
    options.dtype = dtype;
  } else if (what == What::Rounded) {
    options.logsumexp = dtype;
  }
  return options;
}

void native_attention(NativeCall& call) {
  const Words p = words(call, 1, kProblemWords);
  const auto data = call.view<const double>(4);
  const Words order = words(call, 7, kOrderWords);
  const auto given = call.view<const double>(10);
  const Numbers first = call.view<double>(13);
  const Numbers second = call.view<double>(16);
  const auto what = enumeration<What>(order[kWhat]);
  const auto part = enumeration<ref::Part>(order[kPart]);
  const ref::Work work = work_of(call);
  ref::AttentionOptions options = options_of(order, what, part);
  options.work = &work;
  const Operands operands(p, data);
  const ref::AttentionInput input = operands.input(p);
  const ref::AttentionAlgorithm algorithm = algorithm_of(order);
  const bool has_given = what == What::Covers || what == What::Judge;

  static constexpr Tensor kLike[] = {kOut, kLogsumexp, kQuery, kKey, kValue};
  const ref::Shape shape = full_shape(p, kLike[static_cast<std::size_t>(part)]);
  const std::size_t length = what == What::Judge ? given.size() : first.size();
  if (length != count_of(shape)) {
    refuse("n is " + std::to_string(count_of(shape)) + " elements of this part, not " + std::to_string(length));
  }
  ref::AttentionParts parts;
  if (part == ref::Part::Output || part == ref::Part::Logsumexp) {
    parts = taken(algorithm.forward(input, options));
  } else {
    if (!operands.tensors[kGrad]) refuse("part: a gradient needs the cotangent, which `gradient` gives");
    ref::BackwardInput backward{input, operands.tensors[kGrad]->operand()};
    if (operands.tensors[kOut]) backward.out = operands.tensors[kOut]->operand();
    if (operands.tensors[kLogsumexp]) backward.logsumexp = operands.tensors[kLogsumexp]->operand();
    parts = taken(algorithm.backward(backward, options));
  }
  const ref::AttentionPart& asked = parts.at(part);
  if (asked.reference.format() != format(order[kDtype])) {
    refuse("dtype: bounds of the logsumexp are of the compute format, " +
           std::string(ref::info(asked.reference.format()).name));
  }
  ref::Array output;
  if (has_given) output = array(given, 0, length, asked.reference.format(), shape);
  write_answer(what, enumeration<ref::Special>(order[kSpecial]), asked.reference, asked.outcomes, &asked.reference,
               has_given ? &output : nullptr, first, second);
}

constexpr NativeEntry kAttentionNatives[] = {
    {"cairn_reference.attention_fit", "(u64, view u64, u64, u64)", Capability::None, guarded<native_fit>},
    {"cairn_reference.attention_ranges", "(u64, view u64, u64, view f64, u64)", Capability::None,
     guarded<native_ranges>},
    {"cairn_reference.attention_setting", "(u64, view u64, u64, f64)", Capability::None, guarded<native_setting>},
    {"cairn_reference.attention",
     "(u64, view u64, u64, view f64, u64, view u64, u64, view f64, u64, view mut f64, u64, view mut f64)",
     Capability::None, guarded<native_attention>},
};

}  // namespace

std::span<const NativeEntry> attention_natives() { return kAttentionNatives; }

}  // namespace cairn::reference_call
