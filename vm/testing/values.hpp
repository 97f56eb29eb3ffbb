// Values of JSON records as the slots and bytes a program is called with, and back (tools, 8.3): scalars, and views of
// scalars.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "frontend/check/types.hpp"

namespace cairn::testing {

/// Bytes of a scalar.
[[nodiscard]] std::size_t size_of(const Type& scalar);
/// Whether the value is one of the scalar type; else what it must be.
[[nodiscard]] std::string misfit(const nlohmann::ordered_json& value, const Type& type);
/// The slot of a value that fits its type: integers extended by their sign, an f32 in the low half.
[[nodiscard]] std::uint64_t slot_of(const nlohmann::ordered_json& value, const Type& type);
/// A value back as JSON; `slot` holds its bits, which may have anything above the type's width. One that is no number
/// of JSON is {"nonfinite": ...}.
[[nodiscard]] nlohmann::ordered_json value_of(std::uint64_t slot, const Type& type);
/// A written value as its type holds it: 0.1 as an f32 can be.
[[nodiscard]] nlohmann::ordered_json rounded(const nlohmann::ordered_json& value, const Type& type);

/// The elements of a view as the function is lent them, `offset` elements past where `new` aligns them: on 16 bytes.
struct ViewStorage {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t count = 0;
  std::byte* first = nullptr;
};
[[nodiscard]] ViewStorage storage_of(const nlohmann::ordered_json& list, const Type& element, std::size_t offset = 0);
[[nodiscard]] nlohmann::ordered_json list_of(const ViewStorage& view, const Type& element);

}  // namespace cairn::testing
