// What crosses between a host and bytecode: the form of each parameter, and values in and out of slots.
#pragma once

#include <cstdint>
#include <cstring>
#include <expected>
#include <string>
#include <vector>

#include "frontend/check/program.hpp"
#include "runtime/trap/trap.hpp"
#include "vm/bytecode/module.hpp"
#include "vm/embedding/cairn.h"

namespace cairn::embedding {

/// One parameter or result.
struct Form {
  std::string name;
  std::string type;  // as the program writes it
  cairn_kind kind = CAIRN_VOID;
  cairn_kind element = CAIRN_VOID;
  bool writable = false;
  bool by_value = false;   // CAIRN_BORROW: bytecode takes the value itself
  std::uint64_t size = 0;  // of the value, of an element, of what is borrowed
  std::uint64_t alignment = 1;
  std::uint64_t tags = 0;  // CAIRN_ENUM, and what borrows or holds one at offset 0: how many there are; 0: no enum
  std::ptrdiff_t extent_of = -1;
  std::uint32_t slot = 0;
};

/// A function as a host sees it.
struct Shape {
  std::vector<Form> parameters;
  Form result;
  bool result_reference = false;  // the result is written where slot 0 says
  std::uint32_t slots = 0;        // of all arguments
  bool plain = false;             // scalars alone: no guards
};

/// The shape of a function whose parameters and result can cross, or why they cannot.
[[nodiscard]] std::expected<Shape, std::string> shape_of_function(const checked::Function& function,
                                                                  const bytecode::Module& module,
                                                                  std::uint32_t signature);
/// The same of a foreign function, as bytecode declares it.
[[nodiscard]] std::expected<Shape, std::string> shape_of_foreign(const bytecode::Module& module,
                                                                 const bytecode::Foreign& foreign);

/// Why an argument does not fit its parameter; empty when it does, and `slots` holds it.
[[nodiscard]] std::string put(const Form& form, const cairn_value& value, std::uint64_t* slots);
/// The usual case of `put`, for calls that take no longer than they must: 64 bits of the very kind that is wanted.
/// False: nothing is said yet.
[[nodiscard]] inline bool put_same(const Form& form, const cairn_value& value, std::uint64_t* slot) {
  if (value.kind != form.kind) return false;
  if (form.kind != CAIRN_U64 && form.kind != CAIRN_I64 && form.kind != CAIRN_F64) return false;
  std::memcpy(slot, &value.as, sizeof(*slot));
  return true;
}
/// The same of `get`.
[[nodiscard]] inline bool get_same(const Form& form, const std::uint64_t* slot, cairn_value& value) {
  if (form.kind != CAIRN_U64 && form.kind != CAIRN_I64 && form.kind != CAIRN_F64) return false;
  value.kind = form.kind;
  value.element = CAIRN_VOID;
  std::memcpy(&value.as, slot, sizeof(*slot));
  return true;
}
/// A value out of its slots.
[[nodiscard]] cairn_value get(const Form& form, std::uint64_t* slots);

/// The entry guards of what a host lends (tools, 13.1): the kind and the detail of the one that fails.
struct BrokenGuard {
  TrapKind kind = TrapKind::None;
  std::string detail;
};
[[nodiscard]] BrokenGuard broken_guard(const Shape& shape, const cairn_value* arguments);

}  // namespace cairn::embedding
