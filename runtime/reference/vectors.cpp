#include "runtime/reference/vectors.hpp"

#include <algorithm>
#include <memory>

#include "runtime/reference/accumulation.hpp"
#include "runtime/reference/attention.hpp"
#include "runtime/reference/matmul.hpp"
#include "runtime/reference/vector_reader.hpp"

namespace cairn::reference {

namespace {

using Difference = std::optional<std::string>;

[[noreturn]] void malformed_vector(std::string why) { throw MalformedVector{std::move(why)}; }

template <class Row>
std::unique_ptr<Row> row_of(const VectorReader& vector) {
  auto parsed = parse_algorithm(vector.text("algorithm"));
  if (!parsed) malformed_vector(parsed.error().message);
  Row* const row = dynamic_cast<Row*>(parsed->get());
  if (row == nullptr) malformed_vector((*parsed)->name() + " is not of this kind");
  std::unique_ptr<Row> owned(row);
  [[maybe_unused]] const auto* released = parsed->release();
  return owned;
}

Difference differs(const std::string& what, const std::string& got, const std::string& wanted) {
  if (got == wanted) return std::nullopt;
  return what + " is " + got + ", not " + wanted;
}

Difference check_round(const VectorReader& vector, const Work*) {
  const std::string written = vector.text("value");
  const Format format = vector.format("format");
  const bool flush = vector.truth("flush_to_zero");
  const auto special = parse(written);
  const Value got = special && !special->is_finite()
                        ? round(*special, format, vector.rounding(), vector.overflow(), flush)
                        : round(vector.rational("value"), format, vector.rounding(), vector.overflow(), flush);
  return differs("result", text(got), text(vector.value("result")));
}

Difference check_method(const VectorReader& vector, const Work*) {
  const AccumulationMethod* method = get_method(vector.text("method"));
  if (method == nullptr) malformed_vector("there is no method " + vector.text("method"));
  const VectorReader given = vector.object("parameters");
  Parameters parameters;
  if (given.has("block_size")) parameters.block_size = given.count("block_size");
  if (parameters.block_size == 0) malformed_vector("block_size is 0");
  const std::size_t n = vector.count("n");
  if (auto found =
          differs("depth", std::to_string(method->depth(n, parameters)), std::to_string(vector.count("depth")))) {
    return found;
  }
  return differs("roundings", std::to_string(method->roundings(n, parameters)),
                 std::to_string(vector.count("roundings")));
}

Difference check_error_model(const VectorReader& vector, const Work*) {
  const auto row = row_of<MatmulAlgorithm>(vector);
  const ErrorModel model = row->error_model(vector.count("k"), vector.truth("onto"));
  if (auto found = differs("relative", text(model.relative), text(vector.rational("relative")))) return found;
  if (auto found = differs("absolute", text(model.absolute), text(vector.rational("absolute")))) return found;
  if (auto found = differs("scale", model.scale, vector.text("scale"))) return found;
  return vector.has("text") ? differs("text", model.text(), vector.text("text")) : std::nullopt;
}

Operand operand(const std::optional<Result>& earlier, const Array& array) {
  return earlier ? Operand(&*earlier) : Operand(&array);
}

Difference check_matmul(const VectorReader& vector, const Work* work) {
  const auto row = row_of<MatmulAlgorithm>(vector);
  const std::size_t m = vector.count("m");
  const std::size_t n = vector.count("n");
  const std::size_t k = vector.count("k");
  VectorReader::bounded({m, n, k}, "the product");
  const Array a = vector.array("a", Shape{m, k}).reshaped({m, k});
  const Array b = vector.array("b", Shape{k, n}).reshaped({k, n});
  std::optional<Array> c;
  if (vector.has("c")) c = vector.array("c", Shape{m, n}).reshaped({m, n});
  if (a.size() != m * k || b.size() != k * n || (c && c->size() != m * n))
    malformed_vector("the shapes are not m, n and k");
  const auto a_earlier = vector.earlier("a_range", a);
  const auto b_earlier = vector.earlier("b_range", b);
  MatmulInput input{operand(a_earlier, a), operand(b_earlier, b)};
  if (c) input.onto = Operand(&*c);
  MatmulOptions options;
  options.dtype = vector.format("dtype");
  options.rounding = vector.rounding();
  options.overflow = vector.overflow();
  options.work = work;
  const auto rows = matmul_rows(input, options, std::span(row.get(), 1), true);
  if (!rows) malformed_vector(rows.error().message);
  const MatmulRow& judged = rows->rows.front();
  if (auto found = outcome_difference("", vector, rows->reference, judged.outcomes)) return found;
  if (vector.has("run")) {
    if (!judged.run) return "there is no run";
    std::vector<Value> got;
    for (std::size_t i = 0; i < judged.run->size(); ++i) got.push_back(judged.run->at(i));
    const auto value_text = [](const Value& value) { return text(value); };
    if (auto found = difference("run", got, vector.values("run"), value_text)) return found;
  }
  for (const nlohmann::json& each : vector.at("covers")) {
    const VectorReader wanted(each);
    const std::vector<Value> outputs = wanted.values("output");
    std::vector<bool> got;
    for (std::size_t i = 0; i < outputs.size() && i < judged.outcomes.size(); ++i) {
      got.push_back(judged.outcomes[i].covers(outputs[i]));
    }
    const auto truth_text = [](bool truth) { return std::string(truth ? "true" : "false"); };
    if (auto found = difference("covers", got, wanted.truths("expected"), truth_text)) return found;
  }
  return std::nullopt;
}

/// The operands and options that both directions of attention have.
struct AttentionVector {
  Array query, key, value;
  std::optional<Array> float_mask;
  BooleanArray boolean_mask;
  AttentionInput input{&query, &key, &value};
  AttentionOptions options;

  explicit AttentionVector(const VectorReader& vector)
      : query(vector.array("query", std::nullopt)),
        key(vector.array("key", std::nullopt)),
        value(vector.array("value", std::nullopt)) {
    input.is_causal = vector.truth("is_causal");
    input.enable_gqa = vector.truth("enable_gqa");
    if (vector.has("scale")) input.scale = vector.value("scale").to_f64();
    if (vector.has("attn_mask")) take_mask(vector);
    options.dtype = vector.format("dtype");
    options.compute = vector.format("compute");
    options.rounding = vector.rounding();
    options.ulps = vector.rational("ulps");
    options.flush_to_zero = vector.truth("flush_to_zero");
    const std::string standard = vector.text("standard");
    if (standard != "normal" && standard != "strict") malformed_vector("standard is normal or strict");
    options.standard = standard == "strict" ? Standard::Strict : Standard::Normal;
  }
  AttentionVector(const AttentionVector&) = delete;
  AttentionVector& operator=(const AttentionVector&) = delete;

 private:
  void take_mask(const VectorReader& vector) {
    const VectorReader mask = vector.object("attn_mask");
    if (mask.text("format") != "bool") {
      float_mask = vector.array("attn_mask", std::nullopt);
      input.attn_mask = &*float_mask;
      return;
    }
    boolean_mask.shape = mask.shape(vector.at("attn_mask"));
    VectorReader::bounded(boolean_mask.shape, "attn_mask");
    for (const bool admitted : mask.truths("values")) boolean_mask.values.push_back(admitted ? 1 : 0);
    if (element_count(boolean_mask.shape) != boolean_mask.values.size())
      malformed_vector("attn_mask has not its shape's values");
    input.attn_mask = &boolean_mask;
  }
};

Difference parts_differ(const VectorReader& vector, const std::expected<AttentionParts, Refusal>& parts) {
  if (!parts) malformed_vector(parts.error().message);
  static constexpr std::pair<Part, const char*> kNames[] = {{Part::Output, "output"},
                                                            {Part::Logsumexp, "logsumexp"},
                                                            {Part::GradQuery, "grad_query"},
                                                            {Part::GradKey, "grad_key"},
                                                            {Part::GradValue, "grad_value"}};
  for (const auto& [part, name] : kNames) {
    const auto found = parts->find(part);
    if (found == parts->end()) continue;
    if (auto differs = outcome_difference(std::string(name) + " ", vector.object(name), found->second.reference,
                                          found->second.outcomes)) {
      return differs;
    }
  }
  return std::nullopt;
}

Difference check_attention(const VectorReader& vector, const Work* work) {
  const auto row = row_of<AttentionAlgorithm>(vector);
  AttentionVector given(vector);
  given.options.work = work;
  return parts_differ(vector, row->forward(given.input, given.options));
}

Difference check_attention_backward(const VectorReader& vector, const Work* work) {
  const auto row = row_of<AttentionAlgorithm>(vector);
  AttentionVector given(vector);
  given.options.work = work;
  const Array grad = vector.array("grad", std::nullopt);
  std::optional<Array> out;
  std::optional<Array> sum;
  BackwardInput input{given.input, &grad};
  if (vector.has("out")) input.out = Operand(&out.emplace(vector.array("out", std::nullopt)));
  if (vector.has("logsumexp")) input.logsumexp = Operand(&sum.emplace(vector.array("logsumexp", std::nullopt)));
  return parts_differ(vector, row->backward(input, given.options));
}

struct Kind {
  std::string_view name;
  const char* subject;  // the field that names what is checked
  Difference (*check)(const VectorReader& vector, const Work* work);
};
constexpr Kind kKinds[] = {
    {"round", "format", check_round},
    {"method", "method", check_method},
    {"error_model", "algorithm", check_error_model},
    {"matmul", "algorithm", check_matmul},
    {"attention", "algorithm", check_attention},
    {"attention_backward", "algorithm", check_attention_backward},
};

const Kind* kind_of(const nlohmann::json& vector) {
  if (!vector.is_object() || !vector.contains("kind") || !vector["kind"].is_string()) return nullptr;
  const auto found = std::ranges::find(kKinds, vector["kind"].get_ref<const std::string&>(), &Kind::name);
  return found == std::end(kKinds) ? nullptr : &*found;
}

}  // namespace

std::expected<VectorCounts, Refusal> check_vectors(
    std::string_view text, const std::function<void(std::size_t index, const std::string& what)>& fail,
    const Work* work) {
  const nlohmann::json file = nlohmann::json::parse(text, nullptr, false);
  if (file.is_discarded()) return std::unexpected(Refusal{"it is no JSON"});
  if (!file.is_object() || !file.contains("schema") || file["schema"] != kVectorSchema) {
    return std::unexpected(Refusal{"its schema is not " + std::string(kVectorSchema)});
  }
  if (!file.contains("vectors") || !file["vectors"].is_array()) {
    return std::unexpected(Refusal{"it has no list of vectors"});
  }
  const nlohmann::json& vectors = file["vectors"];
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (kind_of(vectors[i]) == nullptr) {
      return std::unexpected(Refusal{"vector " + std::to_string(i) + " is of no kind that is known here"});
    }
  }
  Work quiet;  // progress is told by vectors, not by the elements of one
  quiet.pool = work != nullptr ? work->pool : nullptr;
  VectorCounts counts;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const Kind& kind = *kind_of(vectors[i]);
    try {
      const VectorReader vector(vectors[i]);
      const auto found = kind.check(vector, &quiet);
      ++(found ? counts.failed : counts.passed);
      if (found) fail(i, std::string(kind.name) + " " + vector.text(kind.subject) + ": " + *found);
    } catch (const MalformedVector& fault) {
      return std::unexpected(Refusal{"vector " + std::to_string(i) + ": " + fault.why});
    }
    if (work != nullptr && work->progress && !work->progress(i + 1, vectors.size())) {
      return std::unexpected(Refusal{Work::kStopped});
    }
  }
  return counts;
}

}  // namespace cairn::reference
