// The C types of values, as libffi takes them: which registers or stack bytes an argument or result of a foreign
// function travels in (abstractions, 14.1; ownership and memory, 2.5).
#pragma once

#include <ffi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "vm/bytecode/module.hpp"

namespace cairn {

/// The C type of a scalar in a register; null for what is no scalar.
[[nodiscard]] ffi_type* c_register(bytecode::RegisterKind kind);

/// Struct types made for one function; libffi keeps pointers to them.
class StructTypes {
 public:
  ffi_type* make(std::vector<ffi_type*> elements, std::uint64_t size, std::uint32_t align);

 private:
  struct One {
    ffi_type type{};
    std::vector<ffi_type*> elements;
  };
  std::vector<std::unique_ptr<One>> all_;
};

enum class Direction : std::uint8_t { Argument, Result };

/// The C type of a value in memory (an entry of the module's type table). Null where C has no such value: function
/// values, dynamic references, types without bytes, and arguments aligned beyond what a call's stack is.
[[nodiscard]] ffi_type* c_type(const bytecode::Module& module, std::uint32_t type, Direction direction,
                               StructTypes& structs);

/// The C type of a Buf: { T *data; size_t count; }.
[[nodiscard]] ffi_type* c_buffer(StructTypes& structs);

}  // namespace cairn
