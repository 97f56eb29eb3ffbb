// Steps of arithmetic, bits, comparisons and conversions. Each is one call of runtime/semantics.
#pragma once

#include "runtime/semantics/conversions.hpp"
#include "runtime/semantics/floats.hpp"
#include "runtime/semantics/integers.hpp"
#include "runtime/semantics/quantize.hpp"
#include "runtime/semantics/storage_floats.hpp"
#include "vm/interpreter/machine.hpp"

namespace cairn::interpreter {

namespace sem = semantics;
using bytecode::a_of;
using bytecode::b_of;
using bytecode::c_of;
using bytecode::d_of;

/// a = operate(b, c or i), or a trap where it answers false.
template <Op op, class Operate>
[[gnu::always_inline]] inline const Word* checked(Machine& m, const Word* pc, TrapKind kind, Operate operate) {
  using T = TypeOf<op>;
  T out;
  if (!operate(read<T>(m.base, b_of(pc[0])), right<op, T>(m, pc), out)) [[unlikely]]
    return fail(kind, pc, m);
  write<T>(m.base, a_of(pc[0]), out);
  return pc + kWords<op>;
}

/// a = operate(b, c or i), both of type T.
template <Op op, class T, class Result = T, class Operate>
[[gnu::always_inline]] inline const Word* binary(Machine& m, const Word* pc, Operate operate) {
  write<Result>(m.base, a_of(pc[0]), operate(read<T>(m.base, b_of(pc[0])), right<op, T>(m, pc)));
  return pc + kWords<op>;
}

template <Op op, class From, class To, class Operate>
[[gnu::always_inline]] inline const Word* unary(Machine& m, const Word* pc, Operate operate) {
  write<To>(m.base, a_of(pc[0]), operate(read<From>(m.base, b_of(pc[0]))));
  return pc + kWords<op>;
}

/// a = convert(b), or a conversion trap.
template <Op op, class From, class To, class Convert>
[[gnu::always_inline]] inline const Word* converted(Machine& m, const Word* pc, Convert convert) {
  To out;
  if (!convert(read<From>(m.base, b_of(pc[0])), out)) [[unlikely]]
    return fail(TrapKind::Conversion, pc, m);
  write<To>(m.base, a_of(pc[0]), out);
  return pc + kWords<op>;
}

template <Op op>
[[gnu::always_inline]] inline const Word* integer_step(Machine& m, const Word* pc) {
  using T = TypeOf<op>;
  constexpr std::string_view verb = name_of(op).verb;
  if constexpr (verb == "add") {
    return checked<op>(m, pc, TrapKind::Overflow, [](T x, T y, T& out) { return sem::add(x, y, out); });
  } else if constexpr (verb == "sub") {
    return checked<op>(m, pc, TrapKind::Overflow, [](T x, T y, T& out) { return sem::sub(x, y, out); });
  } else if constexpr (verb == "mul") {
    return checked<op>(m, pc, TrapKind::Overflow, [](T x, T y, T& out) { return sem::mul(x, y, out); });
  } else if constexpr (verb == "div") {
    return checked<op>(m, pc, TrapKind::Division, [](T x, T y, T& out) { return sem::div(x, y, out); });
  } else if constexpr (verb == "rem") {
    return checked<op>(m, pc, TrapKind::Division, [](T x, T y, T& out) { return sem::rem(x, y, out); });
  } else if constexpr (verb == "add.wrap") {
    return binary<op, T>(m, pc, [](T x, T y) { return sem::add_wrap(x, y); });
  } else if constexpr (verb == "sub.wrap") {
    return binary<op, T>(m, pc, [](T x, T y) { return sem::sub_wrap(x, y); });
  } else if constexpr (verb == "mul.wrap") {
    return binary<op, T>(m, pc, [](T x, T y) { return sem::mul_wrap(x, y); });
  } else if constexpr (verb == "shl.wrap" || verb == "shr") {
    const T x = read<T>(m.base, b_of(pc[0]));
    const auto count = right<op, std::uint64_t>(m, pc);
    T out;
    const bool fine = verb == "shr" ? sem::shr(x, count, out) : sem::shl_wrap(x, count, out);
    if (!fine) [[unlikely]]
      return fail(TrapKind::Shift, pc, m);
    write<T>(m.base, a_of(pc[0]), out);
    return pc + kWords<op>;
  } else {
    static_assert(verb == "neg" || verb == "abs");
    T out;
    const T x = read<T>(m.base, b_of(pc[0]));
    const bool fine = verb == "neg" ? sem::neg(x, out) : sem::abs(x, out);
    if (!fine) [[unlikely]]
      return fail(verb == "neg" ? TrapKind::Overflow : TrapKind::Abs, pc, m);
    write<T>(m.base, a_of(pc[0]), out);
    return pc + kWords<op>;
  }
}

template <Op op>
[[gnu::always_inline]] inline const Word* float_step(Machine& m, const Word* pc) {
  using F = TypeOf<op>;
  constexpr std::string_view verb = name_of(op).verb;
  if constexpr (verb == "add")
    return binary<op, F>(m, pc, [](F x, F y) { return x + y; });
  else if constexpr (verb == "sub")
    return binary<op, F>(m, pc, [](F x, F y) { return x - y; });
  else if constexpr (verb == "mul")
    return binary<op, F>(m, pc, [](F x, F y) { return x * y; });
  else if constexpr (verb == "div")
    return binary<op, F>(m, pc, [](F x, F y) { return x / y; });
  else if constexpr (verb == "eq")
    return binary<op, F, bool>(m, pc, [](F x, F y) { return x == y; });
  else if constexpr (verb == "ne")
    return binary<op, F, bool>(m, pc, [](F x, F y) { return x != y; });
  else if constexpr (verb == "lt")
    return binary<op, F, bool>(m, pc, [](F x, F y) { return x < y; });
  else if constexpr (verb == "le")
    return binary<op, F, bool>(m, pc, [](F x, F y) { return x <= y; });
  else if constexpr (verb == "neg")
    return unary<op, F, F>(m, pc, [](F x) { return sem::neg_float(x); });
  else if constexpr (verb == "abs")
    return unary<op, F, F>(m, pc, [](F x) { return sem::abs_float(x); });
  else if constexpr (verb == "sqrt")
    return unary<op, F, F>(m, pc, [](F x) { return sem::square_root(x); });
  else if constexpr (verb == "floor")
    return unary<op, F, F>(m, pc, [](F x) { return sem::round_down(x); });
  else if constexpr (verb == "ceil")
    return unary<op, F, F>(m, pc, [](F x) { return sem::round_up(x); });
  else if constexpr (verb == "trunc")
    return unary<op, F, F>(m, pc, [](F x) { return sem::round_to_zero(x); });
  else {
    static_assert(verb == "fma");
    const F product_left = read<F>(m.base, b_of(pc[0]));
    const F product_right = read<F>(m.base, c_of(pc[0]));
    write<F>(m.base, a_of(pc[0]), sem::fused(product_left, product_right, read<F>(m.base, d_of(pc[1]))));
    return pc + kWords<op>;
  }
}

/// Whole-slot operations: slots are normalized, so 64 bits serve every width.
template <Op op>
[[gnu::always_inline]] inline const Word* slot_step(Machine& m, const Word* pc) {
  using U = std::uint64_t;
  using S = std::int64_t;
  constexpr std::string_view verb = name_of(op).verb;
  if constexpr (verb == "and")
    return binary<op, U>(m, pc, [](U x, U y) { return x & y; });
  else if constexpr (verb == "or")
    return binary<op, U>(m, pc, [](U x, U y) { return x | y; });
  else if constexpr (verb == "xor")
    return binary<op, U>(m, pc, [](U x, U y) { return x ^ y; });
  else if constexpr (verb == "not")
    return unary<op, U, U>(m, pc, [](U x) { return x ^ 1; });
  else if constexpr (verb == "min.u")
    return binary<op, U>(m, pc, [](U x, U y) { return sem::min(x, y); });
  else if constexpr (verb == "max.u")
    return binary<op, U>(m, pc, [](U x, U y) { return sem::max(x, y); });
  else if constexpr (verb == "min.s")
    return binary<op, S>(m, pc, [](S x, S y) { return sem::min(x, y); });
  else if constexpr (verb == "max.s")
    return binary<op, S>(m, pc, [](S x, S y) { return sem::max(x, y); });
  else if constexpr (verb == "eq")
    return binary<op, U, bool>(m, pc, [](U x, U y) { return x == y; });
  else if constexpr (verb == "ne")
    return binary<op, U, bool>(m, pc, [](U x, U y) { return x != y; });
  else if constexpr (verb == "lt.u")
    return binary<op, U, bool>(m, pc, [](U x, U y) { return x < y; });
  else if constexpr (verb == "le.u")
    return binary<op, U, bool>(m, pc, [](U x, U y) { return x <= y; });
  else if constexpr (verb == "gt.u")
    return binary<op, U, bool>(m, pc, [](U x, U y) { return x > y; });
  else if constexpr (verb == "ge.u")
    return binary<op, U, bool>(m, pc, [](U x, U y) { return x >= y; });
  else if constexpr (verb == "lt.s")
    return binary<op, S, bool>(m, pc, [](S x, S y) { return x < y; });
  else if constexpr (verb == "le.s")
    return binary<op, S, bool>(m, pc, [](S x, S y) { return x <= y; });
  else if constexpr (verb == "gt.s")
    return binary<op, S, bool>(m, pc, [](S x, S y) { return x > y; });
  else {
    static_assert(verb == "ge.s");
    return binary<op, S, bool>(m, pc, [](S x, S y) { return x >= y; });
  }
}

/// "to.TARGET.SOURCE", "bits.SOURCE", "from.bits.TARGET".
constexpr bool is_conversion(Op op) {
  const std::string_view text = bytecode::table::kRows[static_cast<std::size_t>(op)].text;
  return text.starts_with("to.") || text.starts_with("bits.") || text.starts_with("from.bits.");
}

template <class To, class From>
[[gnu::always_inline]] inline bool convert_number(From x, To& out) {
  if constexpr (std::is_floating_point_v<From> && std::is_floating_point_v<To>) {
    out = static_cast<To>(x);
    return true;
  } else if constexpr (std::is_floating_point_v<To>) {
    out = sem::integer_to_float<To>(x);
    return true;
  } else if constexpr (std::is_floating_point_v<From>) {
    return sem::float_to_integer(x, out);
  } else {
    return sem::integer_to_integer(x, out);
  }
}

template <class Format, Op op, class From>
[[gnu::always_inline]] inline const Word* narrowed(Machine& m, const Word* pc) {
  return converted<op, From, typename Format::Pattern>(
      m, pc, [](From x, typename Format::Pattern& out) { return sem::narrow<Format>(static_cast<double>(x), out); });
}
template <class Format, Op op, class To>
[[gnu::always_inline]] inline const Word* widened(Machine& m, const Word* pc) {
  using Pattern = typename Format::Pattern;
  return unary<op, Pattern, To>(m, pc, [](Pattern x) { return sem::widen<Format, To>(x); });
}

template <Op op>
[[gnu::always_inline]] inline const Word* conversion_step(Machine& m, const Word* pc) {
  constexpr std::string_view text = bytecode::table::kRows[static_cast<std::size_t>(op)].text;
  if constexpr (text.starts_with("bits.") || text.starts_with("from.bits.")) {
    // An f32's upper four bytes are unspecified in a slot, so only the low ones are taken.
    if constexpr (text.ends_with("f32")) {
      return unary<op, std::uint32_t, std::uint32_t>(m, pc, [](std::uint32_t x) { return x; });
    } else {
      return unary<op, std::uint64_t, std::uint64_t>(m, pc, [](std::uint64_t x) { return x; });
    }
  } else {
    constexpr std::string_view target = text.substr(3, text.find('.', 3) - 3);
    constexpr std::string_view source = text.substr(text.rfind('.') + 1);
    constexpr bool kFromF64 = source == "f64";
    constexpr bool kFromF32 = source == "f32";
    using Float = std::conditional_t<kFromF64, double, float>;
    using ToFloat = std::conditional_t<target == "f64", double, float>;
    if constexpr (target == "f16")
      return narrowed<sem::F16, op, Float>(m, pc);
    else if constexpr (target == "bf16")
      return narrowed<sem::BF16, op, Float>(m, pc);
    else if constexpr (target == "f8e4m3")
      return narrowed<sem::F8E4M3, op, Float>(m, pc);
    else if constexpr (target == "f8e5m2")
      return narrowed<sem::F8E5M2, op, Float>(m, pc);
    else if constexpr (source == "f16")
      return widened<sem::F16, op, ToFloat>(m, pc);
    else if constexpr (source == "bf16")
      return widened<sem::BF16, op, ToFloat>(m, pc);
    else if constexpr (source == "f8e4m3")
      return widened<sem::F8E4M3, op, ToFloat>(m, pc);
    else if constexpr (source == "f8e5m2")
      return widened<sem::F8E5M2, op, ToFloat>(m, pc);
    else {
      using From = std::conditional_t<
          kFromF64, double,
          std::conditional_t<kFromF32, float, std::conditional_t<source == "u", std::uint64_t, std::int64_t>>>;
      const auto run = [&]<class To>() {
        return converted<op, From, To>(m, pc, [](From x, To& out) { return convert_number<To>(x, out); });
      };
      if constexpr (target == "u8")
        return run.template operator()<std::uint8_t>();
      else if constexpr (target == "u16")
        return run.template operator()<std::uint16_t>();
      else if constexpr (target == "u32")
        return run.template operator()<std::uint32_t>();
      else if constexpr (target == "u64")
        return run.template operator()<std::uint64_t>();
      else if constexpr (target == "i8")
        return run.template operator()<std::int8_t>();
      else if constexpr (target == "i16")
        return run.template operator()<std::int16_t>();
      else if constexpr (target == "i32")
        return run.template operator()<std::int32_t>();
      else if constexpr (target == "i64")
        return run.template operator()<std::int64_t>();
      else if constexpr (target == "f32")
        return run.template operator()<float>();
      else
        return run.template operator()<double>();
    }
  }
}

template <class Target, Op op>
[[gnu::always_inline]] inline const Word* quantized(Machine& m, const Word* pc) {
  typename Target::Result out{};
  const float x = read<float>(m.base, b_of(pc[0]));
  const float scale = read<float>(m.base, c_of(pc[0]));
  sem::QuantizeFault fault;
  if constexpr (name_of(op).verb == "quantize") {
    fault = Target::nearest(x, scale, out);
  } else {
    fault = Target::stochastic(x, scale, read<std::uint32_t>(m.base, d_of(pc[1])), out);
  }
  if (fault != sem::QuantizeFault::None) [[unlikely]]
    return fail(TrapKind::Quantize, pc, m);
  write(m.base, a_of(pc[0]), out);
  return pc + kWords<op>;
}

template <Op op>
[[gnu::always_inline]] inline const Word* quantize_step(Machine& m, const Word* pc) {
  constexpr std::string_view target = name_of(op).type;
  if constexpr (target == "f16")
    return quantized<sem::StorageTarget<sem::F16>, op>(m, pc);
  else if constexpr (target == "bf16")
    return quantized<sem::StorageTarget<sem::BF16>, op>(m, pc);
  else if constexpr (target == "f8e4m3")
    return quantized<sem::StorageTarget<sem::F8E4M3>, op>(m, pc);
  else if constexpr (target == "f8e5m2")
    return quantized<sem::StorageTarget<sem::F8E5M2>, op>(m, pc);
  else if constexpr (target == "i8")
    return quantized<sem::IntegerTarget<sem::I8>, op>(m, pc);
  else if constexpr (target == "u8")
    return quantized<sem::IntegerTarget<sem::U8>, op>(m, pc);
  else if constexpr (target == "i16")
    return quantized<sem::IntegerTarget<sem::I16>, op>(m, pc);
  else
    return quantized<sem::IntegerTarget<sem::U16>, op>(m, pc);
}

}  // namespace cairn::interpreter
