// Whole arrays converted by every engine: against the independent model of the storage floats, and over f32 patterns
// of all kinds against the integer routine, which storage_floats_test judges.
#include "runtime/conversions/element_conversion.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/semantics/storage_floats.hpp"
#include "tests/runtime/storage_float_model.hpp"

namespace cairn::runtime {
namespace {

namespace sem = cairn::semantics;

template <class Format>
constexpr StorageFloat kStorage = std::is_same_v<Format, sem::F16>      ? StorageFloat::F16
                                  : std::is_same_v<Format, sem::BF16>   ? StorageFloat::BF16
                                  : std::is_same_v<Format, sem::F8E4M3> ? StorageFloat::F8E4M3
                                                                        : StorageFloat::F8E5M2;

std::vector<ConversionEngine> engines() {
  std::vector<ConversionEngine> all{ConversionEngine::Scalar};
  if (best_conversion_engine() != ConversionEngine::Scalar) all.push_back(ConversionEngine::Avx2);
  if (best_conversion_engine() == ConversionEngine::Avx512) all.push_back(ConversionEngine::Avx512);
  return all;
}

/// Converts all of `from` past elements that have no place, each of which the model must refuse too; how many are
/// wrong.
template <class Format, class F, class Expected>
std::size_t wrong_conversions(const std::vector<F>& from, ConversionEngine engine, bool streams, Expected expected) {
  const ElementConversion conversion{kStorage<Format>, sizeof(F) == 8, true};
  std::vector<typename Format::Pattern> to(from.size() + 64, 0x55);
  std::size_t wrong = 0;
  std::size_t done = 0;
  while (done < from.size()) {
    const std::size_t begin = done;
    done +=
        convert_elements_with(conversion, to.data() + done, from.data() + done, from.size() - done, streams, engine);
    for (std::size_t i = begin; i < done; ++i) {
      const auto wanted = expected(from[i]);
      wrong += !wanted || *wanted != to[i];
    }
    if (done < from.size()) wrong += expected(from[done++]).has_value();
  }
  for (std::size_t i = from.size(); i < to.size(); ++i) wrong += to[i] != static_cast<typename Format::Pattern>(0x55);
  return wrong;
}

template <class F>
std::vector<F> cast_all(const std::vector<double>& values) {
  std::vector<F> all;
  all.reserve(values.size());
  for (const double value : values) all.push_back(static_cast<F>(value));
  return all;
}

/// Every step-th f32 pattern from `first` on; CAIRN_ALL_FLOATS=1 for every one.
std::vector<float> patterns(std::uint64_t first, std::uint64_t past, std::uint64_t step) {
  std::vector<float> all;
  for (std::uint64_t bits = first; bits < past; bits += step) {
    all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("arrays are narrowed as the model rounds, by every engine", "[runtime][conversions]", sem::F16,
                   sem::BF16, sem::F8E4M3, sem::F8E5M2) {
  const tests::StorageModel<TestType> model;
  const std::vector<double> values = model.interesting();
  const auto expected = [&](auto x) { return model.narrow(static_cast<double>(x)); };
  for (const ConversionEngine engine : engines()) {
    for (const bool streams : {false, true}) {
      CHECK(wrong_conversions<TestType>(cast_all<float>(values), engine, streams, expected) == 0);
      CHECK(wrong_conversions<TestType>(values, engine, streams, expected) == 0);
    }
  }
}

TEMPLATE_TEST_CASE("f32 patterns of every kind are narrowed as the integer routine does", "[runtime][conversions]",
                   sem::F16, sem::BF16, sem::F8E4M3, sem::F8E5M2) {
  const std::uint64_t step = std::getenv("CAIRN_ALL_FLOATS") != nullptr ? 1 : 4001;
  const auto expected = [](float x) -> std::optional<typename TestType::Pattern> {
    typename TestType::Pattern out{};
    if (!sem::narrow<TestType>(static_cast<double>(x), out)) return std::nullopt;
    return out;
  };
  const std::uint64_t slice = step << 22U;
  for (std::uint64_t first = 0; first < std::uint64_t{1} << 32U; first += slice) {
    const auto from = patterns(first, std::min(first + slice, std::uint64_t{1} << 32U), step);
    for (const ConversionEngine engine : engines()) {
      if (engine == ConversionEngine::Scalar) continue;
      CHECK(wrong_conversions<TestType>(from, engine, false, expected) == 0);
    }
  }
}

TEMPLATE_TEST_CASE("arrays of every pattern are widened to their values, by every engine", "[runtime][conversions]",
                   sem::F16, sem::BF16, sem::F8E4M3, sem::F8E5M2) {
  using Pattern = typename TestType::Pattern;
  std::vector<Pattern> from;
  for (std::uint32_t p = 0; p <= std::numeric_limits<Pattern>::max(); ++p) from.push_back(static_cast<Pattern>(p));
  std::vector<float> singles(from.size());
  std::vector<double> doubles(from.size());
  const tests::StorageModel<TestType> model;
  for (const ConversionEngine engine : engines()) {
    for (const bool streams : {false, true}) {
      const auto widened = [&](bool wide, void* to) {
        return convert_elements_with({kStorage<TestType>, wide, false}, to, from.data(), from.size(), streams, engine);
      };
      REQUIRE(widened(false, singles.data()) == from.size());
      REQUIRE(widened(true, doubles.data()) == from.size());
      for (std::size_t i = 0; i < from.size(); ++i) {
        const double value = model.value(from[i]);
        const auto bits = std::bit_cast<std::uint32_t>(singles[i]);
        REQUIRE(bits == std::bit_cast<std::uint32_t>(sem::widen<TestType, float>(from[i])));
        if (std::isnan(value)) continue;
        REQUIRE(static_cast<double>(singles[i]) == value);
        REQUIRE(std::bit_cast<std::uint64_t>(doubles[i]) == std::bit_cast<std::uint64_t>(value));
      }
    }
  }
}

TEST_CASE("an array is converted up to its first element without a place, wherever that stands",
          "[runtime][conversions]") {
  for (const ConversionEngine engine : engines()) {
    for (std::size_t at = 0; at < 300; at += 7) {
      std::vector<float> from(300, 1.5F);
      from[at] = 465;
      from[299 - at / 2] = std::numeric_limits<float>::quiet_NaN();
      std::vector<std::uint8_t> to(300, 0);
      const ElementConversion conversion{StorageFloat::F8E4M3, false, true};
      const std::size_t stop = from[at] == 465 ? at : 300;
      REQUIRE(convert_elements_with(conversion, to.data(), from.data(), 300, false, engine) == stop);
      for (std::size_t i = 0; i < stop; ++i) REQUIRE(to[i] == (std::isnan(from[i]) ? 0x7f : 0x3c));
    }
  }
}

}  // namespace cairn::runtime
