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

/// Those of one and two pairs that give a pair, then the others.
template <class T>
inline constexpr NativeEntry kPairFunctions[] = {
#define CAIRN_ONE(name) native_row<"pair." #name, T>([](pair::Pair<T> x) { return pair::name(x); }),
#define CAIRN_TWO(name) native_row<"pair." #name, T>([](pair::Pair<T> x, pair::Pair<T> y) { return pair::name(x, y); }),
#include "runtime/pair/function_list.def"
#undef CAIRN_ONE
#undef CAIRN_TWO
    native_row<"pair.sincos", T>([](pair::Pair<T> x) { return pair::sincos(x); }),
    native_row<"pair.sincospi", T>([](pair::Pair<T> x) { return pair::sincospi(x); }),
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
