// What the definitions of operations are written with. Everything in this folder is freestanding: it includes nothing
// but itself, so that NVRTC (with --device-as-default-execution-space) compiles the same text for device code. No
// function here allocates, traps or prints; one whose operation has a guard answers false when the guard fails and then
// leaves its result unspecified.
#pragma once

namespace cairn::semantics {

using U8 = unsigned char;
using U16 = unsigned short;
using U32 = unsigned int;
using U64 = unsigned long long;
using I8 = signed char;
using I16 = short;
using I32 = int;
using I64 = long long;
static_assert(sizeof(U16) == 2 && sizeof(U32) == 4 && sizeof(U64) == 8);
static_assert(sizeof(float) == 4 && sizeof(double) == 8);

template <class T>
inline constexpr bool kSigned = static_cast<T>(-1) < static_cast<T>(0);
template <class T>
inline constexpr unsigned kWidth = sizeof(T) * 8;

template <unsigned bytes>
struct UnsignedOfSize;
template <>
struct UnsignedOfSize<1> {
  using Type = U8;
};
template <>
struct UnsignedOfSize<2> {
  using Type = U16;
};
template <>
struct UnsignedOfSize<4> {
  using Type = U32;
};
template <>
struct UnsignedOfSize<8> {
  using Type = U64;
};
template <class T>
using Unsigned = typename UnsignedOfSize<sizeof(T)>::Type;

template <class T>
inline constexpr T kMin = kSigned<T> ? static_cast<T>(Unsigned<T>{1} << (kWidth<T> - 1)) : T{0};
template <class T>
inline constexpr T kMax = static_cast<T>(static_cast<Unsigned<T>>(~static_cast<Unsigned<T>>(kMin<T>)));

template <class To, class From>
constexpr To bit_cast(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, value);
}

}  // namespace cairn::semantics
