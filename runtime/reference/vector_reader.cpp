#include "runtime/reference/vector_reader.hpp"

#include <algorithm>
#include <utility>

namespace cairn::reference {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostElements = std::size_t{1} << 24U;

[[noreturn]] void malformed(const char* key, const std::string& wanted) {
  throw MalformedVector{std::string(key) + " is " + wanted};
}

template <class T>
T taken(std::expected<T, Refusal> parsed, const char* key) {
  if (!parsed) throw MalformedVector{std::string(key) + ": " + parsed.error().message};
  return std::move(*parsed);
}

const std::string& string_in(const Json& value, const char* key) {
  if (!value.is_string()) malformed(key, "a text");
  return value.get_ref<const std::string&>();
}

Value value_in(const Json& value, const char* key) { return taken(parse(string_in(value, key)), key); }

template <class T, class Read>
std::vector<T> list(const Json& values, const char* key, const Read& read) {
  if (!values.is_array()) malformed(key, "a list");
  std::vector<T> made;
  made.reserve(values.size());
  for (const Json& each : values) made.push_back(read(each));
  return made;
}

}  // namespace

const Json& VectorReader::at(const char* key) const {
  if (!fields_.contains(key)) malformed(key, "missing");
  return fields_[key];
}

VectorReader VectorReader::object(const char* key) const {
  if (!at(key).is_object()) malformed(key, "an object");
  return VectorReader(at(key));
}

std::string VectorReader::text(const char* key) const { return string_in(at(key), key); }

bool VectorReader::truth(const char* key) const {
  if (!at(key).is_boolean()) malformed(key, "true or false");
  return at(key).get<bool>();
}

std::size_t VectorReader::count(const char* key) const {
  if (!at(key).is_number_unsigned()) malformed(key, "a whole number");
  return at(key).get<std::size_t>();
}

Value VectorReader::value(const char* key) const { return value_in(at(key), key); }

Rational VectorReader::rational(const char* key) const {
  const std::string written = text(key);
  return written == "inf" ? Rational::infinite() : taken(parse_rational(written), key);
}

Format VectorReader::format(const char* key) const {
  const auto known = format_named(text(key));
  if (!known) malformed(key, "no format");
  return *known;
}

Rounding VectorReader::rounding() const {
  const std::string written = text("rounding");
  if (written != "even" && written != "away") malformed("rounding", "even or away");
  return written == "even" ? Rounding::NearestEven : Rounding::NearestAway;
}

Overflow VectorReader::overflow() const {
  const std::string written = text("overflow");
  if (written == "default") return Overflow::Default;
  if (written == "saturate") return Overflow::Saturate;
  if (written != "nan") malformed("overflow", "default, saturate or nan");
  return Overflow::NotANumber;
}

std::vector<Value> VectorReader::values(const char* key) const {
  return list<Value>(at(key), key, [&](const Json& each) { return value_in(each, key); });
}

std::vector<Rational> VectorReader::rationals(const char* key) const {
  return list<Rational>(at(key), key, [&](const Json& each) {
    return string_in(each, key) == "inf" ? Rational::infinite() : taken(parse_rational(string_in(each, key)), key);
  });
}

std::vector<FiniteRange> VectorReader::ranges(const char* key) const {
  return list<FiniteRange>(at(key), key, [&](const Json& each) {
    FiniteRange range;
    if (each.is_null()) return range;
    if (!each.is_array() || each.size() != 2) malformed(key, "null or two ends");
    range.ends.emplace(value_in(each[0], key), value_in(each[1], key));
    return range;
  });
}

std::vector<bool> VectorReader::truths(const char* key) const {
  return list<bool>(at(key), key, [&](const Json& each) {
    if (!each.is_boolean()) malformed(key, "true or false");
    return each.get<bool>();
  });
}

std::size_t VectorReader::bounded(const Shape& extents, const char* key) {
  std::size_t count = 1;
  for (const std::size_t extent : extents) {
    if (__builtin_mul_overflow(count, std::max<std::size_t>(extent, 1), &count) || count > kMostElements) {
      malformed(key, "of more elements than a vector can have");
    }
  }
  return element_count(extents);
}

Shape VectorReader::shape(const Json& tensor) const {
  if (!tensor.contains("shape")) malformed("shape", "missing");
  return list<std::size_t>(tensor["shape"], "shape", [](const Json& extent) {
    if (!extent.is_number_unsigned()) malformed("shape", "a list of whole numbers");
    return extent.get<std::size_t>();
  });
}

Array VectorReader::array(const char* key, std::optional<Shape> otherwise) const {
  const VectorReader tensor = object(key);
  const Format format = tensor.format("format");
  const std::vector<Value> elements = tensor.values("values");
  Shape extents = tensor.has("shape") || !otherwise ? shape(at(key)) : std::move(*otherwise);
  if (bounded(extents, key) != elements.size()) malformed(key, "of another number of elements than its shape");
  Array made(format, std::move(extents));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].is_finite() && to_grid(elements[i], info(format), Direction::Up) != elements[i]) {
      malformed(key, "not made of values of its format");
    }
    made.set(i, elements[i]);
  }
  return made;
}

std::optional<Result> VectorReader::earlier(const char* range_key, const Array& array) const {
  if (!has(range_key)) return std::nullopt;
  const std::vector<FiniteRange> bounds = ranges(range_key);
  if (bounds.size() != array.size()) malformed(range_key, "of another number of elements");
  Array lo(Format::F64, array.shape());
  Array hi(Format::F64, array.shape());
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    lo.set(i, bounds[i].ends ? bounds[i].ends->first : array.at(i));
    hi.set(i, bounds[i].ends ? bounds[i].ends->second : array.at(i));
  }
  return taken(Result::between(array, lo, hi), range_key);
}

std::string text(const FiniteRange& range) {
  return range.ends ? "[" + text(range.ends->first) + ", " + text(range.ends->second) + "]" : "null";
}

std::optional<std::string> outcome_difference(const std::string& prefix, const VectorReader& expected,
                                              const Array& reference, const std::vector<Outcome>& outcomes) {
  std::vector<Value> references;
  std::vector<FiniteRange> ranges;
  std::vector<Rational> tolerances;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    references.push_back(reference.at(i));
    ranges.push_back(outcomes[i].range);
    tolerances.push_back(outcomes[i].tolerance(references.back()));
  }
  const auto value_text = [](const Value& value) { return text(value); };
  const auto range_text = [](const FiniteRange& range) { return text(range); };
  const auto rational_text = [](const Rational& value) { return text(value); };
  if (auto found = difference(prefix + "reference", references, expected.values("reference"), value_text)) return found;
  if (auto found = difference(prefix + "finite_range", ranges, expected.ranges("finite_range"), range_text))
    return found;
  if (auto found = difference(prefix + "tolerance", tolerances, expected.rationals("tolerance"), rational_text)) {
    return found;
  }
  const VectorReader may_be = expected.object("may_be");
  constexpr std::pair<const char*, Special> kKinds[] = {
      {"+inf", Special::PlusInfinity}, {"-inf", Special::MinusInfinity}, {"nan", Special::NotANumber}};
  for (const auto& [key, kind] : kKinds) {
    std::vector<bool> got;
    for (const Outcome& outcome : outcomes) got.push_back(outcome.may_be(kind));
    const auto truth_text = [](bool truth) { return std::string(truth ? "true" : "false"); };
    if (auto found = difference(prefix + "may_be " + key, got, may_be.truths(key), truth_text)) return found;
  }
  return std::nullopt;
}

}  // namespace cairn::reference
