#include "runtime/print/number_text.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace cairn {
namespace {

template <class T>
std::size_t write_integer(T value, std::span<char, kNumberText> out) {
  return static_cast<std::size_t>(std::to_chars(out.data(), out.data() + out.size(), value).ptr - out.data());
}

std::size_t write_text(const char* text, std::span<char, kNumberText> out) {
  const std::size_t size = std::strlen(text);
  std::memcpy(out.data(), text, size);
  return size;
}

/// Shortest digits d1..dk and n, the value being 0.d1..dk * 10^n.
struct Decimal {
  char digits[24];
  int count = 0;
  int exponent = 0;
};

template <class F>
Decimal shortest(F magnitude) {
  char text[kNumberText];
  // d[.ddd]e(+|-)xx
  const std::to_chars_result end = std::to_chars(text, text + sizeof(text), magnitude, std::chars_format::scientific);
  Decimal result;
  const char* at = text;
  for (; *at != 'e'; ++at) {
    if (*at != '.') result.digits[result.count++] = *at;
  }
  ++at;
  if (*at == '+') ++at;
  std::from_chars(at, end.ptr, result.exponent);
  ++result.exponent;
  while (result.count > 1 && result.digits[result.count - 1] == '0') --result.count;
  return result;
}

template <class F>
std::size_t write_shortest(F value, std::span<char, kNumberText> out) {
  if (std::isnan(value)) return write_text(std::signbit(value) ? "-nan" : "nan", out);
  if (std::isinf(value)) return write_text(std::signbit(value) ? "-inf" : "inf", out);
  char* to = out.data();
  if (std::signbit(value)) *to++ = '-';
  if (value == F{0}) {
    *to++ = '0';
    return static_cast<std::size_t>(to - out.data());
  }
  const Decimal d = shortest(std::fabs(value));
  const int k = d.count;
  const int n = d.exponent;
  const auto digits = [&](int from, int count) {
    std::memcpy(to, d.digits + from, static_cast<std::size_t>(count));
    to += count;
  };
  const auto zeros = [&](int count) {
    std::memset(to, '0', static_cast<std::size_t>(count));
    to += count;
  };
  if (k <= n && n <= 21) {
    digits(0, k);
    zeros(n - k);
  } else if (0 < n && n <= 21) {
    digits(0, n);
    *to++ = '.';
    digits(n, k - n);
  } else if (-6 < n && n <= 0) {
    *to++ = '0';
    *to++ = '.';
    zeros(-n);
    digits(0, k);
  } else {
    digits(0, 1);
    if (k > 1) {
      *to++ = '.';
      digits(1, k - 1);
    }
    *to++ = 'e';
    *to++ = n - 1 < 0 ? '-' : '+';
    to = std::to_chars(to, out.data() + out.size(), std::abs(n - 1)).ptr;
  }
  return static_cast<std::size_t>(to - out.data());
}

}  // namespace

std::size_t write_unsigned(std::uint64_t value, std::span<char, kNumberText> out) { return write_integer(value, out); }
std::size_t write_signed(std::int64_t value, std::span<char, kNumberText> out) { return write_integer(value, out); }
std::size_t write_float(float value, std::span<char, kNumberText> out) { return write_shortest(value, out); }
std::size_t write_float(double value, std::span<char, kNumberText> out) { return write_shortest(value, out); }

std::size_t write_assert_float(float value, std::span<char, kNumberText> out) {
  return static_cast<std::size_t>(std::snprintf(out.data(), out.size(), "%.9g", static_cast<double>(value)));
}
std::size_t write_assert_float(double value, std::span<char, kNumberText> out) {
  return static_cast<std::size_t>(std::snprintf(out.data(), out.size(), "%.17g", value));
}

}  // namespace cairn
