// The table of functions.hpp, made once for each build of it: CAIRN_PAIR_BUILD keeps the copies apart.
#pragma once

#include "runtime/pair/functions.hpp"
#include "runtime/semantics/pair/functions.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "runtime/pair/lane_functions.hpp"
#endif

namespace cairn {
inline namespace CAIRN_PAIR_BUILD {

namespace pair = semantics::pair;

/// `Function` is a class whose one(x...) is the function, and whose lanes(x...), if any, is its form for lanes.
template <class Function, class T>
pair::Pair<T> one_of_one(pair::Pair<T> x) {
  return Function::one(x);
}
template <class Function, class T>
pair::Pair<T> one_of_two(pair::Pair<T> x, pair::Pair<T> y) {
  return Function::one(x, y);
}
#if defined(__AVX2__) && defined(__FMA__)

/// The lanes whose answer the form for lanes does not know.
template <class Function, class T, int n, std::size_t operands>
[[gnu::noinline]] void redo(unsigned lanes, const pair::Pair<pair::Lanes<T, n>> (&x)[operands],
                            pair::Pair<pair::Lanes<T, n>>& result) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const int k = __builtin_ctz(lanes);
    const auto lane = [&](std::size_t i) { return pair::Pair<T>{x[i].hi.v[k], x[i].lo.v[k]}; };
    pair::Pair<T> value;
    if constexpr (operands == 1)
      value = Function::one(lane(0));
    else
      value = Function::one(lane(0), lane(1));
    result.hi.v[k] = value.hi;
    result.lo.v[k] = value.lo;
  }
}
template <class Function, class T, std::size_t operands>
void lanes_of(const void* from, void* to) {
  constexpr int n = pair::kLanes<T>;
  using Vector = pair::Lanes<T, n>;
  pair::Pair<Vector> x[operands];
  __builtin_memcpy(static_cast<void*>(x), from, sizeof(x));
  pair::Answer<Vector> answer;
  if constexpr (operands == 1)
    answer = Function::lanes(x[0]);
  else
    answer = Function::lanes(x[0], x[1]);
  constexpr unsigned kAll = (1U << n) - 1;
  const unsigned known = pair::bits_of_truths(answer.known);
  if (__builtin_expect(known != kAll, 0)) redo<Function, T, n>(known ^ kAll, x, answer.value);
  __builtin_memcpy(to, &answer.value, sizeof(answer.value));
}

#endif

template <class Function, class T, std::size_t operands>
PairCode code_of() {
  PairCode code;
  if constexpr (operands == 1)
    code.one = reinterpret_cast<void*>(&one_of_one<Function, T>);
  else
    code.one = reinterpret_cast<void*>(&one_of_two<Function, T>);
#if defined(__AVX2__) && defined(__FMA__)
  using Vector = pair::Lanes<T, pair::kLanes<T>>;
  constexpr bool has_lanes = [] {
    if constexpr (operands == 1)
      return requires(pair::Pair<Vector> x) { Function::lanes(x); };
    else
      return requires(pair::Pair<Vector> x) { Function::lanes(x, x); };
  }();
  if constexpr (has_lanes) {
    (pair::kRegisterBytes == 32 ? code.lanes_of_32_bytes : code.lanes_of_64_bytes) = &lanes_of<Function, T, operands>;
  }
#endif
  return code;
}

#define CAIRN_ONE(name)                                                                    \
  struct Of_##name {                                                                       \
    template <class T>                                                                     \
    static pair::Pair<T> one(pair::Pair<T> x) {                                            \
      return pair::name(x);                                                                \
    }                                                                                      \
    template <class V>                                                                     \
    CAIRN_PAIR_INLINE static auto lanes(pair::Pair<V> x) -> decltype(name##_of_lanes(x)) { \
      return name##_of_lanes(x);                                                           \
    }                                                                                      \
  };
#define CAIRN_TWO(name)                                                                                        \
  struct Of_##name {                                                                                           \
    template <class T>                                                                                         \
    static pair::Pair<T> one(pair::Pair<T> x, pair::Pair<T> y) {                                               \
      return pair::name(x, y);                                                                                 \
    }                                                                                                          \
    template <class V>                                                                                         \
    CAIRN_PAIR_INLINE static auto lanes(pair::Pair<V> x, pair::Pair<V> y) -> decltype(name##_of_lanes(x, y)) { \
      return name##_of_lanes(x, y);                                                                            \
    }                                                                                                          \
  };
#include "runtime/pair/function_list.def"
#undef CAIRN_ONE
#undef CAIRN_TWO

inline std::span<const PairFunction> pair_function_table() {
#define CAIRN_ONE(name) {#name, 1, code_of<Of_##name, float, 1>(), code_of<Of_##name, double, 1>()},
#define CAIRN_TWO(name) {#name, 2, code_of<Of_##name, float, 2>(), code_of<Of_##name, double, 2>()},
  static const PairFunction table[] = {
#include "runtime/pair/function_list.def"
  };
#undef CAIRN_ONE
#undef CAIRN_TWO
  return table;
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn
