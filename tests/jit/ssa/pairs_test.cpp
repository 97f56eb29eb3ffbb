// std.pair's operations in code from SSA, where they are not called: the limbs are those of the natives.
#include <algorithm>

#include "jit/ssa/host.hpp"
#include "runtime/pair/functions.hpp"
#include "tests/jit/both_tiers.hpp"
#include "tests/pair/operands.hpp"
#include "vm/natives/pair_natives.hpp"

namespace cairn::tests {
namespace {

using semantics::pair::Pair;

const NativeTable& natives() {
  static const NativeTable table = [] {
    NativeTable made;
    add_pair_natives(made);
    return made;
  }();
  return table;
}

/// A letter for each operand, P for a pair and c for a limb, of a native that gives a pair of T and takes one to three
/// of these; else nothing.
template <class T>
std::string operands_of(const NativeEntry& native) {
  const std::string limb = sizeof(T) == 8 ? "f64" : "f32";
  const std::string pair = sizeof(T) == 8 ? "{f64@0, f64@8}" : "{f32@0, f32@4}";
  std::string_view rest = native.signature;
  const auto skip = [&](const std::string& text) {
    const bool is_there = rest.starts_with(text);
    if (is_there) rest.remove_prefix(text.size());
    return is_there;
  };
  if (!skip("(ref mut " + pair)) return {};
  std::string operands;
  while (!skip(") through")) {
    const bool is_pair = skip(", ref " + pair);
    if (operands.size() == 3 || (!is_pair && !skip(", " + limb))) return {};
    operands += is_pair ? 'P' : 'c';
  }
  return operands;
}

/// for i in 0..n { z[i] = NATIVE(x[i], y[i], w[i]); }, of as many operands as the native has; of a scalar, the high
/// limb is taken. The parameters are n and the four arrays.
/// Where the loop `counts`, a scalar is i instead.
template <class T>
Module loop_of(const NativeEntry& native, bool counts) {
  constexpr bool kWide = sizeof(T) == 8;
  ModuleBuilder builder("pairs");
  const std::uint32_t limb = builder.scalar(kWide ? ScalarKind::F64 : ScalarKind::F32);
  const std::uint32_t record = builder.declare_record("Pair");
  builder.define_record(record, {{"hi", limb, 0}, {"lo", limb, 0}});
  const RegisterType to{RegisterKind::Ref, true, record};
  const RegisterType from{RegisterKind::Ref, false, record};
  const RegisterType scalar{kWide ? RegisterKind::F64 : RegisterKind::F32};

  Signature called;
  called.result_reference = true;
  called.parameters.push_back(to);
  for (const char operand : operands_of<T>(native)) called.parameters.push_back(operand == 'P' ? from : scalar);

  Signature own;
  own.parameters = {{RegisterKind::U64}, {RegisterKind::View, true, record}};
  own.parameters.resize(5, {RegisterKind::View, false, record});
  FunctionBuilder f(builder, builder.declare("each", builder.signature(own)));
  const Register i = f.add_register({RegisterKind::U64});
  const Register at = f.add_register(from);
  const Register place = f.add_register(to);
  const Register c = f.add_register(scalar);
  const std::uint64_t result = f.add_object(record);
  const Label start = f.label();
  const Label end = f.label();
  f.constant(i, 0);
  f.emit(Op::JumpEqImm, f.parameter(0), 0, end);
  f.bind(start);
  f.emit(Op::FrameRef, f.outgoing(0), result);
  for (std::uint32_t k = 1; k < called.parameters.size(); ++k) {
    f.emit(Op::RefAt, at, f.parameter(1 + k), i, sizeof(Pair<T>));
    if (called.parameters[k] == from) {
      f.move(f.outgoing(k), at);
    } else {
      if (counts) {
        f.emit(kWide ? Op::F64FromU : Op::F32FromU, c, i);
      } else {
        f.emit(kWide ? Op::LoadF64 : Op::LoadF32, c, at, 0);
      }
      f.move(f.outgoing(k), c);
    }
  }
  f.emit(Op::CallNative, f.outgoing(0), builder.native(native.name, builder.signature(called)));
  f.emit(Op::RefAt, place, f.parameter(1), i, sizeof(Pair<T>));
  f.emit(Op::FrameRef, at, result);
  f.emit(Op::Copy, place, at, sizeof(Pair<T>));
  f.emit(Op::LoopNext, i, f.parameter(0), start);
  f.bind(end);
  f.emit(Op::Return);
  f.finish();
  return verified(builder.take());
}

/// Every pair of special limbs, then random pairs.
template <class T>
std::array<std::vector<Pair<T>>, 3> operands() {
  std::vector<T> special;
  for (const T size : {T(0), pair::power_of_two<T>(pair::kLeastExponent<T>), pair::kLeastNormal<T>, T(1),
                       pair::kLargest<T>, pair::kInfinity<T>, pair::kNan<T>}) {
    special.push_back(size);
    special.push_back(-size);
  }
  std::array<std::vector<Pair<T>>, 3> all;
  for (const T x : special) {
    for (const T y : special) {
      all[0].push_back({x, T(0)});
      all[1].push_back({y, T(0)});
      all[2].push_back({x, T(0)});
    }
  }
  Operands<T> random(5);
  for (int k = 0; k < 500; ++k) {
    all[0].push_back(random.pair_of(random.below(25) - 12));
    all[1].push_back(random.beside(all[0].back(), -12, 12));
    all[2].push_back(random.beside(all[0].back(), -12, 12));
  }
  return all;
}

/// The loop's arrays, for lengths around those of vectors and then for all, one after another; and its listing.
template <class T>
std::vector<Pair<T>> results_of(const Image& image, Tier tier, std::string& listing) {
  static const auto given = operands<T>();
  const std::size_t size = given[0].size();
  std::vector<Pair<T>> all;
  Engine engine(image, tier);
  for (std::size_t n = 1; n <= size; n = n < 40 ? n + 1 : n < size ? size : size + 1) {
    std::vector<Pair<T>> result(n);
    std::vector<std::uint64_t> arguments = {n, reinterpret_cast<std::uint64_t>(result.data()), n};
    for (const auto& each : given) {
      arguments.push_back(reinterpret_cast<std::uint64_t>(each.data() + (size - n)));
      arguments.push_back(n);
    }
    CHECK(engine.call(0, arguments).trap.empty());
    all.insert(all.end(), result.begin(), result.end());
  }
  if (tier == Tier::Optimizing) {
    CHECK(engine.instance().tiers()->has_optimized_code(0));
    listing = engine.listing();
  }
  return all;
}

template <class T>
void hold_to_native(const NativeEntry& native, bool counts, std::string& listing) {
  INFO(native.name << (counts ? " of counters" : ""));
  const Image image(loop_of<T>(native, counts), natives());
  const auto expected = results_of<T>(image, Tier::Interpreter, listing);
  const auto compiled = results_of<T>(image, Tier::Optimizing, listing);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    INFO(k << std::hexfloat << ": " << expected[k].hi << " + " << expected[k].lo << ", " << compiled[k].hi << " + "
           << compiled[k].lo);
    REQUIRE(same(expected[k], compiled[k]));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("an operation on pairs has the limbs of its native in code from SSA", "[jit]", float, double) {
  const CodeFromSsa from_ssa(true);
  std::ptrdiff_t expanded = 0;
  std::ptrdiff_t in_vectors = 0;
  for (const NativeEntry& native : natives().entries()) {
    const std::string taken = operands_of<TestType>(native);
    if (taken.empty()) continue;
    std::string listing;
    hold_to_native<TestType>(native, false, listing);
    expanded += listing.contains(" step ") ? 0 : 1;
    in_vectors += listing.contains(" unzip ") && listing.contains(" zip ") ? 1 : 0;
    if (taken.contains('c')) hold_to_native<TestType>(native, true, listing);
  }
  // Rounded operations, and functions that are called.
  constexpr std::ptrdiff_t kOperations = 48;
  const auto functions = pair_functions();
  CHECK(expanded == kOperations + static_cast<std::ptrdiff_t>(functions.size()));
  const auto with_lanes = std::ranges::count_if(functions, [](const PairFunction& function) {
    return (sizeof(TestType) == 4 ? function.f32 : function.f64).lanes_of_32_bytes != nullptr;
  });
  if (jit::ssa::host_vector_bytes() != 0) CHECK(in_vectors == kOperations + with_lanes);
}

}  // namespace cairn::tests
