// A C++ function as a native: its name with the limb type, its signature as bytecode writes it, both made while this is
// compiled, and the code that takes its arguments out of slots. A record is passed by reference; one that is returned
// goes through the first slot.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "runtime/semantics/pair/conversions.hpp"
#include "runtime/semantics/pair/remainders.hpp"
#include "vm/interpreter/native.hpp"

namespace cairn {
inline namespace CAIRN_PAIR_BUILD {

namespace pair = semantics::pair;

/// A text of fixed length that is a template argument.
template <std::size_t size>
struct Text {
  std::array<char, size> chars{};
  consteval Text() = default;
  consteval Text(const char (&text)[size + 1]) {  // NOLINT: a literal is a text
    for (std::size_t i = 0; i < size; ++i) chars[i] = text[i];
  }
};
template <std::size_t size>
Text(const char (&)[size]) -> Text<size - 1>;

template <std::size_t a, std::size_t b>
consteval Text<a + b> operator+(const Text<a>& left, const Text<b>& right) {
  Text<a + b> both;
  for (std::size_t i = 0; i < a; ++i) both.chars[i] = left.chars[i];
  for (std::size_t i = 0; i < b; ++i) both.chars[a + i] = right.chars[i];
  return both;
}
template <auto text>
inline constexpr auto kStored = text;
template <auto text>
inline constexpr std::string_view kView{kStored<text>.chars.data(), kStored<text>.chars.size()};

/// Elements of an array the program lent: its pointer and length.
template <class T>
struct View {
  T* data;
  std::uint64_t size;
};
/// A record the program lent to be written.
template <class T>
struct Out {
  T* to;
};

template <class T>
consteval auto type_text() {
  if constexpr (std::is_same_v<T, bool>)
    return Text("bool");
  else if constexpr (std::is_same_v<T, float>)
    return Text("f32");
  else if constexpr (std::is_same_v<T, double>)
    return Text("f64");
  else if constexpr (std::is_same_v<T, std::int8_t>)
    return Text("i8");
  else if constexpr (std::is_same_v<T, std::int16_t>)
    return Text("i16");
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return Text("i32");
  else if constexpr (std::is_signed_v<T> && sizeof(T) == 8)
    return Text("i64");
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return Text("u8");
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return Text("u16");
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return Text("u32");
  else
    return Text("u64");
}

/// How a record lies in memory.
template <class T>
struct RecordText;
template <>
struct RecordText<pair::Pair<float>> {
  static constexpr auto text = Text("{f32@0, f32@4}");
};
template <>
struct RecordText<pair::Pair<double>> {
  static constexpr auto text = Text("{f64@0, f64@8}");
};
template <class T>
inline constexpr auto kPairText = RecordText<pair::Pair<T>>::text;
template <class T>
inline constexpr auto kPairSize = [] {
  if constexpr (sizeof(T) == 4)
    return Text("8");
  else
    return Text("16");
}();
template <class T>
struct RecordText<pair::Parts<T>> {
  static constexpr auto text =
      Text("{") + kPairText<T> + Text("@0, ") + kPairText<T> + Text("@") + kPairSize<T> + Text("}");
};
template <class T>
struct RecordText<pair::Scaled<T>> {
  static constexpr auto text = Text("{") + kPairText<T> + Text("@0, i32@") + kPairSize<T> + Text("}");
};
template <class T>
struct RecordText<pair::Quotient<T>> {
  static constexpr auto text = Text("{") + kPairText<T> + Text("@0, i32@") + kPairSize<T> + Text("}");
};

template <class T>
concept Record = requires { RecordText<T>::text; };

/// A parameter: its text, its slots, and how it is taken out of them.
template <class T>
struct Passed {
  static constexpr auto text = type_text<T>();
  static constexpr std::uint32_t slots = 1;
  static T take(const NativeCall& call, std::uint32_t slot) { return call.get<T>(slot); }
};
template <Record T>
struct Passed<T> {
  static constexpr auto text = Text("ref ") + RecordText<T>::text;
  static constexpr std::uint32_t slots = 1;
  static T take(const NativeCall& call, std::uint32_t slot) { return *call.pointer<T>(slot); }
};
template <class T>
struct Passed<Out<T>> {
  static constexpr auto text = Text("ref mut ") + RecordText<T>::text;
  static constexpr std::uint32_t slots = 1;
  static Out<T> take(const NativeCall& call, std::uint32_t slot) { return {call.pointer<T>(slot)}; }
};
template <class T>
struct Passed<View<T>> {
  static consteval auto element() {
    if constexpr (Record<std::remove_const_t<T>>)
      return RecordText<std::remove_const_t<T>>::text;
    else
      return type_text<std::remove_const_t<T>>();
  }
  static consteval auto whole() {
    if constexpr (std::is_const_v<T>)
      return Text("view ") + element();
    else
      return Text("view mut ") + element();
  }
  static constexpr auto text = whole();
  static constexpr std::uint32_t slots = 2;
  static View<T> take(const NativeCall& call, std::uint32_t slot) {
    return {call.pointer<T>(slot), call.get<std::uint64_t>(slot + 1)};
  }
};

template <class First, class... Rest>
consteval auto joined_text() {
  if constexpr (sizeof...(Rest) == 0)
    return Passed<First>::text;
  else
    return Passed<First>::text + Text(", ") + joined_text<Rest...>();
}

/// The call of an operator() with result R and arguments A.
template <class R, class... A>
struct Binding {
  static consteval auto signature() {
    if constexpr (Record<R>)
      return Text("(") + joined_text<Out<R>, A...>() + Text(") through");
    else if constexpr (std::is_void_v<R>)
      return Text("(") + joined_text<A...>() + Text(")");
    else if constexpr (sizeof...(A) == 0)
      return Text("() -> ") + type_text<R>();
    else
      return Text("(") + joined_text<A...>() + Text(") -> ") + type_text<R>();
  }

  template <class F>
  static void call(NativeCall& call) {
    constexpr std::uint32_t kFirst = Record<R> ? 1 : 0;
    constexpr auto kSlots = [] {
      std::array<std::uint32_t, sizeof...(A) + 1> at{kFirst};
      const std::array<std::uint32_t, sizeof...(A) + 1> sizes{Passed<A>::slots..., 0};
      for (std::size_t i = 0; i < sizeof...(A); ++i) at[i + 1] = at[i] + sizes[i];
      return at;
    }();
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      if constexpr (std::is_invocable_v<F, NativeCall&, A...>) {
        F{}(call, Passed<A>::take(call, kSlots[i])...);
      } else if constexpr (Record<R>) {
        const R result = F{}(Passed<A>::take(call, kSlots[i])...);
        *call.pointer<R>(0) = result;
      } else if constexpr (std::is_void_v<R>) {
        F{}(Passed<A>::take(call, kSlots[i])...);
      } else {
        call.result<R>(F{}(Passed<A>::take(call, kSlots[i])...));
      }
    }(std::index_sequence_for<A...>{});
  }
};

template <class Operator>
struct BindingOf;
template <class F, class R, class... A>
struct BindingOf<R (F::*)(A...) const> : Binding<R, A...> {};

template <Text name, class T, class F>
consteval NativeEntry native_row(F) {
  using Bound = BindingOf<decltype(&F::operator())>;
  return {kView<name + Text(".") + type_text<T>()>, kView<Bound::signature()>, Capability::None,
          &Bound::template call<F>};
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn
