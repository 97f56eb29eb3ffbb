// The table of natives of the functions of pair floats (pair floats, 5), compiled once for each build of
// pair_natives.hpp.
#pragma once

#include "runtime/semantics/pair/functions.hpp"
#include "vm/natives/pair_binding.hpp"

namespace cairn {
inline namespace CAIRN_PAIR_BUILD {

template <class T>
struct RecordText<pair::SinCos<T>> {
  static constexpr auto text =
      Text("{") + kPairText<T> + Text("@0, ") + kPairText<T> + Text("@") + kPairSize<T> + Text("}");
};

template <class T>
inline constexpr NativeEntry kPairFunctions[] = {
    native_row<"pair.exp", T>([](pair::Pair<T> x) { return pair::exp(x); }),
    native_row<"pair.exp2", T>([](pair::Pair<T> x) { return pair::exp2(x); }),
    native_row<"pair.exp10", T>([](pair::Pair<T> x) { return pair::exp10(x); }),
    native_row<"pair.expm1", T>([](pair::Pair<T> x) { return pair::expm1(x); }),
    native_row<"pair.log", T>([](pair::Pair<T> x) { return pair::log(x); }),
    native_row<"pair.log2", T>([](pair::Pair<T> x) { return pair::log2(x); }),
    native_row<"pair.log10", T>([](pair::Pair<T> x) { return pair::log10(x); }),
    native_row<"pair.log1p", T>([](pair::Pair<T> x) { return pair::log1p(x); }),
    native_row<"pair.cbrt", T>([](pair::Pair<T> x) { return pair::cbrt(x); }),
    native_row<"pair.rcbrt", T>([](pair::Pair<T> x) { return pair::rcbrt(x); }),
    native_row<"pair.sin", T>([](pair::Pair<T> x) { return pair::sin(x); }),
    native_row<"pair.cos", T>([](pair::Pair<T> x) { return pair::cos(x); }),
    native_row<"pair.tan", T>([](pair::Pair<T> x) { return pair::tan(x); }),
    native_row<"pair.sinpi", T>([](pair::Pair<T> x) { return pair::sinpi(x); }),
    native_row<"pair.cospi", T>([](pair::Pair<T> x) { return pair::cospi(x); }),
    native_row<"pair.asin", T>([](pair::Pair<T> x) { return pair::asin(x); }),
    native_row<"pair.acos", T>([](pair::Pair<T> x) { return pair::acos(x); }),
    native_row<"pair.atan", T>([](pair::Pair<T> x) { return pair::atan(x); }),
    native_row<"pair.sinh", T>([](pair::Pair<T> x) { return pair::sinh(x); }),
    native_row<"pair.cosh", T>([](pair::Pair<T> x) { return pair::cosh(x); }),
    native_row<"pair.tanh", T>([](pair::Pair<T> x) { return pair::tanh(x); }),
    native_row<"pair.asinh", T>([](pair::Pair<T> x) { return pair::asinh(x); }),
    native_row<"pair.acosh", T>([](pair::Pair<T> x) { return pair::acosh(x); }),
    native_row<"pair.atanh", T>([](pair::Pair<T> x) { return pair::atanh(x); }),
    native_row<"pair.erf", T>([](pair::Pair<T> x) { return pair::erf(x); }),
    native_row<"pair.erfc", T>([](pair::Pair<T> x) { return pair::erfc(x); }),
    native_row<"pair.erfcx", T>([](pair::Pair<T> x) { return pair::erfcx(x); }),
    native_row<"pair.erfinv", T>([](pair::Pair<T> x) { return pair::erfinv(x); }),
    native_row<"pair.erfcinv", T>([](pair::Pair<T> x) { return pair::erfcinv(x); }),
    native_row<"pair.normcdf", T>([](pair::Pair<T> x) { return pair::normcdf(x); }),
    native_row<"pair.normcdfinv", T>([](pair::Pair<T> x) { return pair::normcdfinv(x); }),
    native_row<"pair.boys_f0", T>([](pair::Pair<T> x) { return pair::boys_f0(x); }),
    native_row<"pair.sincos", T>([](pair::Pair<T> x) { return pair::sincos(x); }),
    native_row<"pair.sincospi", T>([](pair::Pair<T> x) { return pair::sincospi(x); }),
    native_row<"pair.pow", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::pow(x, y); }),
    native_row<"pair.hypot", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::hypot(x, y); }),
    native_row<"pair.rhypot", T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::rhypot(x, y); }),
    native_row<"pair.atan2", T>([](pair::Pair<T> y, pair::Pair<T> x) { return pair::atan2(y, x); }),
    native_row<"pair.norm3", T>([](pair::Pair<T> x, pair::Pair<T> y, pair::Pair<T> z) { return pair::norm3(x, y, z); }),
    native_row<"pair.rnorm3", T>(
        [](pair::Pair<T> x, pair::Pair<T> y, pair::Pair<T> z) { return pair::rnorm3(x, y, z); }),
    native_row<"pair.norm4", T>(
        [](pair::Pair<T> x, pair::Pair<T> y, pair::Pair<T> z, pair::Pair<T> t) { return pair::norm4(x, y, z, t); }),
    native_row<"pair.rnorm4", T>(
        [](pair::Pair<T> x, pair::Pair<T> y, pair::Pair<T> z, pair::Pair<T> t) { return pair::rnorm4(x, y, z, t); }),
    native_row<"pair.icdf_u32", T>([](std::uint32_t k) { return pair::icdf_u32<T>(k); }),
    native_row<"pair.icdf_u64", T>([](std::uint64_t k) { return pair::icdf_u64<T>(k); }),
};

inline void add_pair_functions(NativeTable& table) {
  table.add(kPairFunctions<float>);
  table.add(kPairFunctions<double>);
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn
