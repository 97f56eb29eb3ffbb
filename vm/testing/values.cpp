#include "vm/testing/values.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace cairn::testing {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little);

namespace {

Json float_record(double value) {
  if (std::isnan(value)) return {{"nonfinite", "nan"}};
  if (std::isinf(value)) return {{"nonfinite", value > 0 ? "+infinity" : "-infinity"}};
  return value;
}

}  // namespace

std::size_t size_of(const Type& scalar) { return bit_width(scalar.kind) / 8; }

std::string misfit(const Json& value, const Type& type) {
  const std::string name(type.name);
  if (type.is(TypeKind::Bool)) return value.is_boolean() ? "" : "a bool is true or false";
  if (type.is_float()) {
    if (!value.is_number()) return name + " is a number";
    const double number = value.get<double>();
    const bool finite = type.is(TypeKind::F32) ? std::isfinite(static_cast<float>(number)) : std::isfinite(number);
    return finite ? "" : "the value is not finite in " + name;
  }
  if (!value.is_number_integer()) return name + " is a whole number in its range";
  const unsigned bits = bit_width(type.kind);
  if (type.is_unsigned()) {
    const bool fits = value.is_number_unsigned() && (bits == 64 || value.get<std::uint64_t>() >> bits == 0);
    return fits ? "" : "the value does not fit " + name;
  }
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
  const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                                               : value.get<std::int64_t>() >= -most - 1;
  return fits ? "" : "the value does not fit " + name;
}

std::uint64_t slot_of(const Json& value, const Type& type) {
  if (type.is(TypeKind::Bool)) return value.get<bool>() ? 1 : 0;
  if (type.is(TypeKind::F64)) return std::bit_cast<std::uint64_t>(value.get<double>());
  if (type.is(TypeKind::F32)) return std::bit_cast<std::uint32_t>(static_cast<float>(value.get<double>()));
  return value.is_number_unsigned() ? value.get<std::uint64_t>()
                                    : static_cast<std::uint64_t>(value.get<std::int64_t>());
}

Json value_of(std::uint64_t slot, const Type& type) {
  if (type.is(TypeKind::Bool)) return (slot & 1U) != 0;
  if (type.is(TypeKind::F64)) return float_record(std::bit_cast<double>(slot));
  if (type.is(TypeKind::F32)) {
    return float_record(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(slot))));
  }
  const unsigned unused = 64 - bit_width(type.kind);
  if (type.is_unsigned()) return slot << unused >> unused;
  return static_cast<std::int64_t>(slot << unused) >> unused;
}

Json rounded(const Json& value, const Type& type) { return value_of(slot_of(value, type), type); }

ViewStorage storage_of(const Json& list, const Type& element, std::size_t offset) {
  const std::size_t size = size_of(element);
  ViewStorage view;
  view.bytes.reset(new std::byte[(list.size() + offset) * size + 1]());
  view.count = list.size();
  view.first = view.bytes.get() + offset * size;
  for (std::size_t at = 0; at < list.size(); ++at) {
    const std::uint64_t slot = slot_of(list[at], element);
    std::memcpy(view.first + at * size, &slot, size);  // the low bytes come first
  }
  return view;
}

Json list_of(const ViewStorage& view, const Type& element) {
  const std::size_t size = size_of(element);
  Json list = Json::array();
  for (std::size_t at = 0; at < view.count; ++at) {
    std::uint64_t slot = 0;
    std::memcpy(&slot, view.first + at * size, size);
    list.push_back(value_of(slot, element));
  }
  return list;
}

}  // namespace cairn::testing
