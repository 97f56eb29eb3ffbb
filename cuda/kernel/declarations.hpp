// Whether a vendored kernel takes what its declaration passes (abstractions, 14.3). Integers of one width and sign are
// one type: a C header may name either. Records and storage floats are any type of their size.
#pragma once

namespace cairn_declared {

enum class Kind { Any, Bool, Signed, Unsigned, Float };

template <class T>
struct Scalar {
  static constexpr Kind kind = Kind::Any;
};
template <Kind is>
struct Is {
  static constexpr Kind kind = is;
};
template <>
struct Scalar<bool> : Is<Kind::Bool> {};
template <>
struct Scalar<char> : Is<(static_cast<char>(-1) < 0 ? Kind::Signed : Kind::Unsigned)> {};
template <>
struct Scalar<signed char> : Is<Kind::Signed> {};
template <>
struct Scalar<short> : Is<Kind::Signed> {};
template <>
struct Scalar<int> : Is<Kind::Signed> {};
template <>
struct Scalar<long> : Is<Kind::Signed> {};
template <>
struct Scalar<long long> : Is<Kind::Signed> {};
template <>
struct Scalar<unsigned char> : Is<Kind::Unsigned> {};
template <>
struct Scalar<unsigned short> : Is<Kind::Unsigned> {};
template <>
struct Scalar<unsigned> : Is<Kind::Unsigned> {};
template <>
struct Scalar<unsigned long> : Is<Kind::Unsigned> {};
template <>
struct Scalar<unsigned long long> : Is<Kind::Unsigned> {};
template <>
struct Scalar<float> : Is<Kind::Float> {};
template <>
struct Scalar<double> : Is<Kind::Float> {};

template <class T>
constexpr bool is_of(Kind kind, unsigned long size) {
  return (kind == Kind::Any || Scalar<T>::kind == kind) && sizeof(T) == size;
}

template <class T>
struct Parameter {
  static constexpr bool takes_value(Kind kind, unsigned long size) { return is_of<T>(kind, size); }
  static constexpr bool takes_array(Kind, unsigned long, bool) { return false; }
};
template <class T>
struct Parameter<T*> {
  static constexpr bool takes_value(Kind, unsigned long) { return false; }
  static constexpr bool takes_array(Kind kind, unsigned long size, bool writable) {
    return writable && is_of<T>(kind, size);
  }
};
template <class T>
struct Parameter<const T*> {
  static constexpr bool takes_value(Kind, unsigned long) { return false; }
  static constexpr bool takes_array(Kind kind, unsigned long size, bool writable) {
    return !writable && is_of<T>(kind, size);
  }
};

struct None {};
template <unsigned k, class... P>
struct At {
  using Type = None;
};
template <class First, class... Rest>
struct At<0, First, Rest...> {
  using Type = First;
};
template <unsigned k, class First, class... Rest>
struct At<k, First, Rest...> : At<k - 1, Rest...> {};

/// What a name is declared as that the source does not define, and what it takes: whatever it is asked.
struct Absent {};
struct Whatever {
  static constexpr bool takes_value(Kind, unsigned long) { return true; }
  static constexpr bool takes_array(Kind, unsigned long, bool) { return true; }
};

template <class Function>
struct Kernel {
  static constexpr bool is_there = true;
  static constexpr bool takes_count(unsigned) { return false; }
  template <unsigned k>
  using Takes = Parameter<None>;
};
template <>
struct Kernel<Absent> {
  static constexpr bool is_there = false;
  static constexpr bool takes_count(unsigned) { return true; }
  template <unsigned k>
  using Takes = Whatever;
};
template <class... P>
struct Kernel<void(P...)> {
  static constexpr bool is_there = true;
  static constexpr bool takes_count(unsigned count) { return count == sizeof...(P); }
  template <unsigned k>
  using Takes = Parameter<typename At<k, P...>::Type>;
};

}  // namespace cairn_declared
