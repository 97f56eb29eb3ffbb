// A library for C: the header that declares its entries, and the C source that defines them over libcairn (tools, 13.1;
// devices, 21).
//
// Invariants.
// - Every exported function is an entry `cf_NAME`, or is listed with what of it cannot cross.
// - A function with device work that never waits on the host also is `cq_NAME`; any other is listed with why not.
// - Both texts follow from the checked program and the bundle alone. The source defines the interface's digest as a
//   symbol that the header's users refer to, so that texts of two interfaces do not link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/frontend.hpp"

namespace cairn {

/// How one type is written in C.
struct CType {
  std::string name;        // "uint32_t", "struct geo_Point"
  std::uint64_t size = 0;  // bytes
  std::uint64_t alignment = 1;
  std::uint64_t tags = 0;  // of a tag-only enum: how many there are
  bool is_struct = false;
};

struct CParameter {
  enum class Form : std::uint8_t { Value, View, Borrow };
  std::string name;
  Form form = Form::Value;
  CType type;             // of the value, an element, what is lent
  bool writable = false;  // View, Borrow
  std::string length;     // View: a parameter's name, or a number
};

struct CEntry {
  std::string function;   // "geo.area"
  std::string symbol;     // "geo_area": after cf_ and cq_
  std::string signature;  // as CAIRN writes it
  std::string effects;
  std::vector<CParameter> parameters;
  std::optional<CType> result;  // none: void
  bool on_device = false;
  std::string not_queued;  // why there is no cq_; with device work alone
};

struct CLibrary {
  std::string name;     // an identifier
  std::string digest;   // of the interface, in hexadecimal
  std::string structs;  // their definitions, with what holds of their layout
  std::vector<CEntry> entries;
  std::vector<std::string> excluded;  // "geo.walk: closures cannot cross"
  [[nodiscard]] bool on_device() const;
};

/// The library of these functions.
[[nodiscard]] CLibrary c_library(const Compilation& compilation, std::string_view name,
                                 const std::vector<const checked::Function*>& exported);
[[nodiscard]] std::string c_header(const CLibrary& library);
/// `bundle`: the program's, which the source holds.
[[nodiscard]] std::string c_source(const CLibrary& library, std::string_view bundle);

}  // namespace cairn
