// convert.each: elements of one view into another, as far as no guard would fail.
#include <algorithm>

#include "runtime/conversions/element_conversion.hpp"
#include "vm/interpreter/memory_steps.hpp"

namespace cairn::interpreter {
namespace {

constexpr std::uint64_t kStreamedBytes = std::uint64_t{8} << 20U;  // arrays that the caches do not hold

bool overlap(std::uintptr_t a, std::uint64_t a_bytes, std::uintptr_t b, std::uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

}  // namespace

void run_convert_each(Machine& m, const Word* pc) {
  const Word w = pc[0];
  std::uint64_t& index = m.base[bytecode::a_of(w)];
  const std::uint64_t* const to = m.base + bytecode::c_of(w);
  const std::uint64_t* const from = m.base + bytecode::d_of(pc[1]);
  const std::uint64_t end = std::min({m.base[bytecode::b_of(w)], to[1], from[1]});
  if (index >= end) return;
  const std::uint32_t number = bytecode::m_of(pc[1]);
  const runtime::ElementConversion conversion{static_cast<runtime::StorageFloat>(number % 4), number % 8 >= 4,
                                              number >= 8};
  const std::uint64_t storage_bytes = number % 4 >= 2 ? 1 : 2;
  const std::uint64_t other_bytes = conversion.wide ? 8 : 4;
  const std::uint64_t to_bytes = conversion.narrows ? storage_bytes : other_bytes;
  const std::uint64_t from_bytes = conversion.narrows ? other_bytes : storage_bytes;
  const std::uint64_t count = end - index;
  if (overlap(to[0] + index * to_bytes, count * to_bytes, from[0] + index * from_bytes, count * from_bytes)) return;
  index += runtime::convert_elements(conversion, reinterpret_cast<std::uint8_t*>(to[0]) + index * to_bytes,
                                     reinterpret_cast<const std::uint8_t*>(from[0]) + index * from_bytes, count,
                                     to[1] * to_bytes >= kStreamedBytes);
}

}  // namespace cairn::interpreter
