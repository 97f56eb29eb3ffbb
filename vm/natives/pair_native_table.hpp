// The table of natives of std.pair, compiled once for each build of pair_natives.hpp.
#pragma once

#include "runtime/semantics/pair/arrays.hpp"
#include "runtime/semantics/pair/constants.hpp"
#include "runtime/semantics/pair/decimal.hpp"
#include "vm/natives/pair_binding.hpp"

namespace cairn {
inline namespace CAIRN_PAIR_BUILD {

using pair::Level;

/// Everything but the functions of chapter 10, section 5.
template <class T>
inline constexpr NativeEntry kPairNatives[] = {
    native_row<"pair.of", T>([](T c) { return pair::of(c); }),
    native_row<"pair.two_sum", T>([](T a, T b) { return pair::two_sum(a, b); }),
    native_row<"pair.fast_two_sum", T>([](T a, T b) { return pair::fast_two_sum(a, b); }),
    native_row<"pair.two_prod", T>([](T a, T b) { return pair::two_prod(a, b); }),
    native_row<"pair.renorm", T>([](pair::Pair<T> x) { return pair::renorm(x); }),
    native_row<"pair.fused", T>([](T a, T b, T c) { return pair::fused(a, b, c); }),
    native_row<"pair.to_f64", T>([](pair::Pair<T> x) { return pair::to_f64(x); }),
    native_row<"pair.to_f32", T>([](pair::Pair<T> x) { return pair::to_f32(x); }),
    native_row<"pair.add", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::add<Level::Mid>(x, y); }),
    native_row<"pair.add_low", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::add<Level::Low>(x, y); }),
    native_row<"pair.add_high", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::add<Level::High>(x, y); }),
    native_row<"pair.sub", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::sub<Level::Mid>(x, y); }),
    native_row<"pair.sub_low", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::sub<Level::Low>(x, y); }),
    native_row<"pair.sub_high", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::sub<Level::High>(x, y); }),
    native_row<"pair.mul", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::mul<Level::Mid>(x, y); }),
    native_row<"pair.mul_low", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::mul<Level::Low>(x, y); }),
    native_row<"pair.mul_high", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::mul<Level::High>(x, y); }),
    native_row<"pair.div", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::div<Level::Mid>(x, y); }),
    native_row<"pair.div_low", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::div<Level::Low>(x, y); }),
    native_row<"pair.div_high", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::div<Level::High>(x, y); }),
    native_row<"pair.sqr", T>([](pair::Pair<T> x) { return pair::sqr<Level::Mid>(x); }),
    native_row<"pair.sqr_low", T>([](pair::Pair<T> x) { return pair::sqr<Level::Low>(x); }),
    native_row<"pair.sqr_high", T>([](pair::Pair<T> x) { return pair::sqr<Level::High>(x); }),
    native_row<"pair.fma", T>(
        [](pair::Pair<T> x, pair::Pair<T> y, pair::Pair<T> z) { return pair::fma<Level::Mid>(x, y, z); }),
    native_row<"pair.fma_low", T>(
        [](pair::Pair<T> x, pair::Pair<T> y, pair::Pair<T> z) { return pair::fma<Level::Low>(x, y, z); }),
    native_row<"pair.fma_high", T>(
        [](pair::Pair<T> x, pair::Pair<T> y, pair::Pair<T> z) { return pair::fma<Level::High>(x, y, z); }),
    native_row<"pair.mad", T>(
        [](pair::Pair<T> x, pair::Pair<T> y, pair::Pair<T> z) { return pair::mad<Level::Mid>(x, y, z); }),
    native_row<"pair.mad_low", T>(
        [](pair::Pair<T> x, pair::Pair<T> y, pair::Pair<T> z) { return pair::mad<Level::Low>(x, y, z); }),
    native_row<"pair.mad_high", T>(
        [](pair::Pair<T> x, pair::Pair<T> y, pair::Pair<T> z) { return pair::mad<Level::High>(x, y, z); }),
    native_row<"pair.add_limb", T>([](pair::Pair<T> x, T c) { return pair::add_limb<Level::Mid>(x, c); }),
    native_row<"pair.add_limb_low", T>([](pair::Pair<T> x, T c) { return pair::add_limb<Level::Low>(x, c); }),
    native_row<"pair.add_limb_high", T>([](pair::Pair<T> x, T c) { return pair::add_limb<Level::High>(x, c); }),
    native_row<"pair.sub_limb", T>([](pair::Pair<T> x, T c) { return pair::sub_limb<Level::Mid>(x, c); }),
    native_row<"pair.sub_limb_low", T>([](pair::Pair<T> x, T c) { return pair::sub_limb<Level::Low>(x, c); }),
    native_row<"pair.sub_limb_high", T>([](pair::Pair<T> x, T c) { return pair::sub_limb<Level::High>(x, c); }),
    native_row<"pair.rsub_limb", T>([](pair::Pair<T> x, T c) { return pair::rsub_limb<Level::Mid>(x, c); }),
    native_row<"pair.rsub_limb_low", T>([](pair::Pair<T> x, T c) { return pair::rsub_limb<Level::Low>(x, c); }),
    native_row<"pair.rsub_limb_high", T>([](pair::Pair<T> x, T c) { return pair::rsub_limb<Level::High>(x, c); }),
    native_row<"pair.mul_limb", T>([](pair::Pair<T> x, T c) { return pair::mul_limb<Level::Mid>(x, c); }),
    native_row<"pair.mul_limb_low", T>([](pair::Pair<T> x, T c) { return pair::mul_limb<Level::Low>(x, c); }),
    native_row<"pair.mul_limb_high", T>([](pair::Pair<T> x, T c) { return pair::mul_limb<Level::High>(x, c); }),
    native_row<"pair.div_limb", T>([](pair::Pair<T> x, T c) { return pair::div_limb<Level::Mid>(x, c); }),
    native_row<"pair.div_limb_low", T>([](pair::Pair<T> x, T c) { return pair::div_limb<Level::Low>(x, c); }),
    native_row<"pair.div_limb_high", T>([](pair::Pair<T> x, T c) { return pair::div_limb<Level::High>(x, c); }),
    native_row<"pair.rdiv_limb", T>([](pair::Pair<T> x, T c) { return pair::rdiv_limb<Level::Mid>(x, c); }),
    native_row<"pair.rdiv_limb_low", T>([](pair::Pair<T> x, T c) { return pair::rdiv_limb<Level::Low>(x, c); }),
    native_row<"pair.rdiv_limb_high", T>([](pair::Pair<T> x, T c) { return pair::rdiv_limb<Level::High>(x, c); }),
    native_row<"pair.sqrt", T>([](pair::Pair<T> x) { return pair::sqrt(x); }),
    native_row<"pair.rsqrt", T>([](pair::Pair<T> x) { return pair::rsqrt(x); }),
    native_row<"pair.recip", T>([](pair::Pair<T> x) { return pair::recip(x); }),
    native_row<"pair.neg", T>([](pair::Pair<T> x) { return pair::neg(x); }),
    native_row<"pair.abs", T>([](pair::Pair<T> x) { return pair::abs(x); }),
    native_row<"pair.copysign", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::copysign(x, y); }),
    native_row<"pair.eq", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::eq(x, y); }),
    native_row<"pair.ne", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::ne(x, y); }),
    native_row<"pair.lt", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::lt(x, y); }),
    native_row<"pair.le", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::le(x, y); }),
    native_row<"pair.gt", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::gt(x, y); }),
    native_row<"pair.ge", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::ge(x, y); }),
    native_row<"pair.min", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::min(x, y); }),
    native_row<"pair.max", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::max(x, y); }),
    native_row<"pair.is_nan", T>([](pair::Pair<T> x) { return pair::is_nan(x); }),
    native_row<"pair.is_inf", T>([](pair::Pair<T> x) { return pair::is_inf(x); }),
    native_row<"pair.is_finite", T>([](pair::Pair<T> x) { return pair::is_finite(x); }),
    native_row<"pair.is_zero", T>([](pair::Pair<T> x) { return pair::is_zero(x); }),
    native_row<"pair.sign_bit", T>([](pair::Pair<T> x) { return pair::sign_bit(x); }),
    native_row<"pair.is_norm", T>([](pair::Pair<T> x) { return pair::is_norm(x); }),
    native_row<"pair.fdim", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::fdim(x, y); }),
    native_row<"pair.floor", T>([](pair::Pair<T> x) { return pair::floor(x); }),
    native_row<"pair.ceil", T>([](pair::Pair<T> x) { return pair::ceil(x); }),
    native_row<"pair.trunc", T>([](pair::Pair<T> x) { return pair::trunc(x); }),
    native_row<"pair.round", T>([](pair::Pair<T> x) { return pair::round(x); }),
    native_row<"pair.rint", T>([](pair::Pair<T> x) { return pair::rint(x); }),
    native_row<"pair.split_int", T>([](pair::Pair<T> x) { return pair::split_int(x); }),
    native_row<"pair.frexp", T>([](pair::Pair<T> x) { return pair::frexp(x); }),
    native_row<"pair.ilogb", T>([](pair::Pair<T> x) { return pair::ilogb(x); }),
    native_row<"pair.ldexp", T>([](pair::Pair<T> x, std::int32_t n) { return pair::ldexp(x, n); }),
    native_row<"pair.fmod", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::fmod(x, y); }),
    native_row<"pair.remainder", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::remainder(x, y); }),
    native_row<"pair.remquo", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::remquo(x, y); }),
    native_row<"pair.digits", T>([]() { return pair::digits<T>(); }),
    native_row<"pair.epsilon", T>([]() { return pair::epsilon<T>(); }),
    native_row<"pair.max_value", T>([]() { return pair::max_value<T>(); }),
    native_row<"pair.min_normal", T>([]() { return pair::min_normal<T>(); }),
    native_row<"pair.min_subnormal", T>([]() { return pair::min_subnormal<T>(); }),
    native_row<"pair.infinity", T>([]() { return pair::infinity<T>(); }),
    native_row<"pair.nan", T>([]() { return pair::nan_value<T>(); }),
    native_row<"pair.pi", T>([]() { return pair::pi<T>(); }),
    native_row<"pair.tau", T>([]() { return pair::tau<T>(); }),
    native_row<"pair.half_pi", T>([]() { return pair::half_pi<T>(); }),
    native_row<"pair.inv_pi", T>([]() { return pair::inv_pi<T>(); }),
    native_row<"pair.e", T>([]() { return pair::e<T>(); }),
    native_row<"pair.ln2", T>([]() { return pair::ln2<T>(); }),
    native_row<"pair.ln10", T>([]() { return pair::ln10<T>(); }),
    native_row<"pair.log2_e", T>([]() { return pair::log2_e<T>(); }),
    native_row<"pair.log10_e", T>([]() { return pair::log10_e<T>(); }),
    native_row<"pair.sqrt2", T>([]() { return pair::sqrt2<T>(); }),
    native_row<"pair.egamma", T>([]() { return pair::egamma<T>(); }),
    native_row<"pair.sum", T>([](std::uint64_t n, View<const pair::Pair<T>> xs) { return pair::sum(n, xs.data); }),
    native_row<"pair.sum_limbs", T>([](std::uint64_t n, View<const T> xs) { return pair::sum_limbs(n, xs.data); }),
    native_row<"pair.dot", T>([](std::uint64_t n, View<const pair::Pair<T>> xs, View<const pair::Pair<T>> ys) {
      return pair::dot(n, xs.data, ys.data);
    }),
    native_row<"pair.dot_limbs", T>(
        [](std::uint64_t n, View<const T> xs, View<const T> ys) { return pair::dot_limbs(n, xs.data, ys.data); }),
    native_row<"pair.sum_lanes", T>(
        [](std::uint64_t n, View<const pair::Pair<T>> xs) { return pair::sum_lanes(n, xs.data); }),
    native_row<"pair.sum_limbs_lanes", T>(
        [](std::uint64_t n, View<const T> xs) { return pair::sum_limbs_lanes(n, xs.data); }),
    native_row<"pair.dot_lanes", T>([](std::uint64_t n, View<const pair::Pair<T>> xs, View<const pair::Pair<T>> ys) {
      return pair::dot_lanes(n, xs.data, ys.data);
    }),
    native_row<"pair.dot_limbs_lanes", T>(
        [](std::uint64_t n, View<const T> xs, View<const T> ys) { return pair::dot_limbs_lanes(n, xs.data, ys.data); }),
    native_row<"pair.polynomial", T>(
        [](std::uint64_t n, View<const pair::Pair<T>> c, pair::Pair<T> x) { return pair::polynomial(n, c.data, x); }),
    native_row<"pair.write_decimal", T>([](View<std::uint8_t> text, pair::Pair<T> x, std::uint64_t digits) {
      return std::uint64_t{pair::write_decimal(x, static_cast<unsigned>(digits), text.data)};
    }),
    native_row<"pair.read_decimal", T>([](std::uint64_t n, View<const std::uint8_t> text, Out<pair::Pair<T>> result) {
      return std::int64_t{pair::read_decimal(n, text.data, *result.to)};
    }),
};

template <class T, class I>
void to_int_native(NativeCall& call) {
  I result{};
  const auto x = *call.pointer<pair::Pair<T>>(0);
  if (pair::to_int<I>(x, result)) {
    call.result<I>(result);
  } else {
    call.trap(TrapKind::Conversion, "the pair is no finite number, or the integer type does not hold it");
  }
}

template <class T, class I>
struct FromInt {
  pair::Pair<T> operator()(I i) const { return pair::from_int<T>(i); }
};

/// to_int and from_int of one integer type, which `name` is to the program.
template <Text name, class T, class I>
inline constexpr NativeEntry kIntegerNatives[] = {
    {kView<Text("pair.to_int.") + name + Text(".") + type_text<T>()>,
     kView<Text("(ref ") + kPairText<T> + Text(") -> ") + type_text<I>()>, Capability::None, &to_int_native<T, I>},
    {kView<Text("pair.from_int.") + type_text<T>() + Text(".") + name>, kView<Binding<pair::Pair<T>, I>::signature()>,
     Capability::None, &Binding<pair::Pair<T>, I>::template call<FromInt<T, I>>},
};

template <Text name, class I>
void add_integer_natives(NativeTable& table) {
  table.add(kIntegerNatives<name, float, I>);
  table.add(kIntegerNatives<name, double, I>);
}

inline constexpr NativeEntry kPairConversions[] = {
    {"pair.from_f64", kView<Binding<pair::Pair<float>, double>::signature()>, Capability::None,
     &Binding<pair::Pair<float>, double>::call<decltype([](double d) { return pair::from_f64(d); })>},
    {"pair.widen", kView<Binding<pair::Pair<double>, pair::Pair<float>>::signature()>, Capability::None,
     &Binding<pair::Pair<double>,
              pair::Pair<float>>::call<decltype([](pair::Pair<float> x) { return pair::widen(x); })>},
    {"pair.narrow", kView<Binding<pair::Pair<float>, pair::Pair<double>>::signature()>, Capability::None,
     &Binding<pair::Pair<float>,
              pair::Pair<double>>::call<decltype([](pair::Pair<double> x) { return pair::narrow(x); })>},
};

inline void add_pair_arithmetic(NativeTable& table) {
  table.add(kPairNatives<float>);
  table.add(kPairNatives<double>);
  table.add(kPairConversions);
  add_integer_natives<"u8", std::uint8_t>(table);
  add_integer_natives<"u16", std::uint16_t>(table);
  add_integer_natives<"u32", std::uint32_t>(table);
  add_integer_natives<"u64", std::uint64_t>(table);
  add_integer_natives<"usize", std::uint64_t>(table);
  add_integer_natives<"i8", std::int8_t>(table);
  add_integer_natives<"i16", std::int16_t>(table);
  add_integer_natives<"i32", std::int32_t>(table);
  add_integer_natives<"i64", std::int64_t>(table);
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn
