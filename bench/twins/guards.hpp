// The guards of the language in C++, so that a twin pays for the checks its program pays for. With UNGUARDED defined
// the same twin is plain C++.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>

[[noreturn, gnu::cold, gnu::noinline]] inline void guard_failed() {
  std::fputs("a guard failed\n", stderr);
  std::abort();
}

#ifdef UNGUARDED
inline constexpr bool kGuarded = false;
#else
inline constexpr bool kGuarded = true;
#endif

inline void require(bool holds) {
  if (kGuarded && !holds) guard_failed();
}

template <typename T>
inline T add(T a, T b) {
  if constexpr (!kGuarded) return static_cast<T>(a + b);
  T sum;
  if (__builtin_add_overflow(a, b, &sum)) guard_failed();
  return sum;
}

template <typename T>
inline T sub(T a, T b) {
  if constexpr (!kGuarded) return static_cast<T>(a - b);
  T difference;
  if (__builtin_sub_overflow(a, b, &difference)) guard_failed();
  return difference;
}

template <typename T>
inline T mul(T a, T b) {
  if constexpr (!kGuarded) return static_cast<T>(a * b);
  T product;
  if (__builtin_mul_overflow(a, b, &product)) guard_failed();
  return product;
}

template <typename T>
inline T& at(T* items, std::size_t count, std::size_t index) {
  require(index < count);
  return items[index];
}
