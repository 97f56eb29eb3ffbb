#include "vm/natives/reference_natives.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "runtime/reference/accumulation.hpp"
#include "runtime/reference/matmul.hpp"
#include "vm/natives/reference_arguments.hpp"

namespace cairn {

namespace {

using namespace reference_call;

// ------------------------------------------------------------------------- what stdlib/reference.cairn writes in words

/// The words of a Product.
enum ProductWord : std::size_t {
  kM,
  kN,
  kK,
  kFormats,
  kFactorValues = 6,
  kFactorLow = 9,
  kFactorHigh = 12,
  kProductWords = 15
};
/// The words of an order.
enum OrderWord : std::size_t {
  kWhat,
  kSum,
  kBlock,
  kAccumulator,
  kFma,
  kTies,
  kDtype,
  kRounding,
  kOverflow,
  kStandard,
  kFlush,
  kSpecial,
  kOrderWords
};
ref::MatmulAlgorithm algorithm_of(Words order) {
  ref::MatmulAlgorithm::Parts parts;
  parts.sum = enumeration<ref::MatmulAlgorithm::Sum>(order[kSum]);
  parts.block_size = order[kBlock];
  if (parts.block_size == 0) refuse("block_size is 0: a block has at least 1 term");
  parts.format = format(order[kAccumulator]);
  parts.fma = order[kFma] != 0;
  parts.rounding = enumeration<ref::Rounding>(order[kTies]);
  if (parts.sum == ref::MatmulAlgorithm::Sum::AnyOrder) {
    parts.standard = enumeration<ref::Standard>(order[kStandard]);
    parts.flush_to_zero = order[kFlush] != 0;
  }
  return ref::MatmulAlgorithm(parts);
}

std::size_t extent(Words problem, std::size_t role) {
  const std::uint64_t rows = role == 1 ? problem[kK] : problem[kM];
  const std::uint64_t columns = role == 0 ? problem[kK] : problem[kN];
  return product_of({rows, columns});
}

// --------------------------------------------------------------------------------------------------------- operands

struct Factors {
  Held a;
  Held b;
  std::optional<Held> onto;
  [[nodiscard]] ref::MatmulInput input() const {
    ref::MatmulInput made{a.operand(), b.operand()};
    if (onto) made.onto = onto->operand();
    return made;
  }
};

Factors factors(Words problem, std::span<const double> data) {
  const auto factor = [&](std::size_t role, const ref::Shape& shape) {
    return held(data, problem[kFactorValues + role], problem[kFactorLow + role], problem[kFactorHigh + role],
                extent(problem, role), format(problem[kFormats + role]), shape);
  };
  Factors made{factor(0, {problem[kM], problem[kK]}), factor(1, {problem[kK], problem[kN]}), std::nullopt};
  if (problem[kFactorValues + 2] != kAbsent) made.onto = factor(2, {problem[kM], problem[kN]});
  return made;
}

// ---------------------------------------------------------------------------------------------------------- natives

void native_product_count(NativeCall& call) {
  const auto sum = enumeration<ref::MatmulAlgorithm::Sum>(call.get<std::uint64_t>(0));
  const auto block_size = call.get<std::uint64_t>(1);
  if (block_size == 0) refuse("block_size is 0: a block has at least 1 term");
  if (sum > ref::MatmulAlgorithm::Sum::Exact) refuse("sum: only Sequential, Pairwise, Blocked and Exact have a depth");
  const ref::AccumulationMethod& method = ref::method_of(enumeration<ref::Summation>(call.get<std::uint64_t>(0)));
  const ref::Parameters parameters{block_size};
  const auto n = call.get<std::uint64_t>(2);
  call.result<std::uint64_t>(call.get<std::uint64_t>(3) == 0 ? method.depth(n, parameters)
                                                             : method.roundings(n, parameters));
}

void native_bits(NativeCall& call) {
  call.result<std::uint64_t>(ref::encoded(call.get<double>(1), format(call.get<std::uint64_t>(0))));
}

/// Roles 0 to 2: a factor's length. 3 to 5: its ranges, which have just been appended.
void native_fit(NativeCall& call) {
  static constexpr const char* kNames[] = {"a has m*k", "b has k*n", "c has m*n"};
  const Words problem = words(call, 1, kProductWords);
  const auto role = call.get<std::uint64_t>(3) % 3;
  const auto length = call.get<std::uint64_t>(4);
  const std::size_t wanted = extent(problem, role);
  if (length != wanted) {
    refuse(std::string(kNames[role]) + " = " + std::to_string(wanted) + " elements, not " + std::to_string(length));
  }
  if (problem[kFactorValues + role] == kAbsent && call.get<std::uint64_t>(3) >= 3)
    refuse("there are no old values to bound");
}

void native_ranges(NativeCall& call) {
  const Words problem = words(call, 1, kProductWords);
  const auto data = call.view<const double>(4);
  const auto role = call.get<std::uint64_t>(6) % 3;
  static_cast<void>(held(data, problem[kFactorValues + role], problem[kFactorLow + role], problem[kFactorHigh + role],
                         extent(problem, role), format(problem[kFormats + role]), {extent(problem, role)}));
}

void native_model(NativeCall& call) {
  const Words order = words(call, 1, kOrderWords);
  const ref::ErrorModel model =
      algorithm_of(order).error_model(call.get<std::uint64_t>(3), call.get<std::uint64_t>(4) != 0);
  const Numbers both = call.view<double>(6);
  both[0] = model.relative.up_to_f64();
  both[1] = model.absolute.up_to_f64();
}

void native_text(NativeCall& call) {
  const Words order = words(call, 1, kOrderWords);
  const ref::MatmulAlgorithm algorithm = algorithm_of(order);
  std::string text;
  switch (enumeration<What>(order[kWhat])) {
    case What::ErrorText:
      text = algorithm.error_model(call.get<std::uint64_t>(3), call.get<std::uint64_t>(4) != 0).text();
      break;
    case What::Name:
      text = algorithm.name();
      break;
    case What::Description:
      text = algorithm.description();
      break;
    default:
      text = algorithm.spelling();
      break;
  }
  const auto out = call.view<char>(6);
  std::copy_n(text.begin(), std::min(text.size(), out.size()), out.begin());
  call.result<std::uint64_t>(text.size());
}

void native_matmul(NativeCall& call) {
  const Words problem = words(call, 1, kProductWords);
  const auto data = call.view<const double>(4);
  const Words order = words(call, 7, kOrderWords);
  const auto given = call.view<const double>(10);
  const Numbers first = call.view<double>(13);
  const Numbers second = call.view<double>(16);
  const auto what = enumeration<What>(order[kWhat]);
  const ref::Shape shape = {problem[kM], problem[kN]};
  const std::size_t elements = extent(problem, 2);
  const bool has_given = what == What::Covers || what == What::Judge;
  const std::size_t length = what == What::Judge ? given.size() : first.size();
  if (length != elements) {
    refuse("n is m*n = " + std::to_string(elements) + ", not " + std::to_string(length));
  }
  const ref::Work work = work_of(call);
  ref::MatmulOptions options;
  options.dtype = format(order[kDtype]);
  options.rounding = enumeration<ref::Rounding>(order[kRounding]);
  options.overflow = enumeration<ref::Overflow>(order[kOverflow]);
  options.standard = enumeration<ref::Standard>(order[kStandard]);
  options.flush_to_zero = order[kFlush] != 0;
  options.work = &work;
  const Factors operands = factors(problem, data);
  const auto special = enumeration<ref::Special>(order[kSpecial]);
  const ref::MatmulAlgorithm algorithm = algorithm_of(order);
  if (what == What::Run) {
    const ref::Array run = taken(algorithm.run(operands.input(), options));
    return write_answer(what, special, run, {}, &run, nullptr, first, second);
  }
  const std::span<const ref::MatmulAlgorithm> one(&algorithm, what == What::Rounded ? 0 : 1);
  ref::MatmulRows rows = taken(ref::matmul_rows(operands.input(), options, one, what == What::Judge));
  ref::Array output;
  if (has_given) output = array(given, 0, elements, *options.dtype, shape);
  const ref::MatmulRow* row = rows.rows.empty() ? nullptr : &rows.rows.front();
  write_answer(what, special, rows.reference, row != nullptr ? row->outcomes : std::vector<ref::Outcome>(),
               row != nullptr && row->run ? &*row->run : nullptr, has_given ? &output : nullptr, first, second);
}

constexpr NativeEntry kReferenceNatives[] = {
    {"reference.count", "(u64, u64, u64, u64) -> u64", Capability::None, guarded<native_product_count>},
    {"reference.bits", "(u64, f64) -> u64", Capability::None, native_bits},
    {"cairn_reference.fit", "(u64, view u64, u64, u64)", Capability::None, guarded<native_fit>},
    {"cairn_reference.ranges", "(u64, view u64, u64, view f64, u64)", Capability::None, guarded<native_ranges>},
    {"cairn_reference.model", "(u64, view u64, u64, u64, u64, view mut f64)", Capability::None, guarded<native_model>},
    {"cairn_reference.text", "(u64, view u64, u64, u64, u64, view mut u8) -> u64", Capability::None,
     guarded<native_text>},
    {"cairn_reference.matmul",
     "(u64, view u64, u64, view f64, u64, view u64, u64, view f64, u64, view mut f64, u64, view mut f64)",
     Capability::None, guarded<native_matmul>},
};

}  // namespace

std::span<const NativeEntry> reference_natives() { return kReferenceNatives; }

}  // namespace cairn
