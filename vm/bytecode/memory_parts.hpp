// What lies where inside a type: which values an access at an offset may touch.
#pragma once

#include <cstdint>
#include <span>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

/// True when a value of exactly type `part` lies at `offset` inside `whole` (offset 0 of itself included).
[[nodiscard]] bool has_part(const Module& module, std::uint32_t whole, std::uint64_t offset, std::uint32_t part);

/// True when a scalar that a register of `kind` holds, of `size` bytes, lies there: a scalar type, a storage float's
/// pattern, or a sum's tag.
[[nodiscard]] bool has_scalar(const Module& module, std::uint32_t whole, std::uint64_t offset, RegisterKind kind,
                              std::uint32_t size);

/// The type of the fn value, reference, handle (one word) or of the buf, dyn, view, callable, dyn reference (two words)
/// that lies there, or kNone.
[[nodiscard]] std::uint32_t word_at(const Module& module, std::uint32_t whole, std::uint64_t offset);
[[nodiscard]] std::uint32_t pair_at(const Module& module, std::uint32_t whole, std::uint64_t offset);

/// True when a Mutex lies there.
[[nodiscard]] bool has_mutex(const Module& module, std::uint32_t whole, std::uint64_t offset);

/// The outermost type of `bytes` bytes that lies there, or kNone.
[[nodiscard]] std::uint32_t part_of_size(const Module& module, std::uint32_t whole, std::uint64_t offset,
                                         std::uint64_t bytes);
/// The Array of `count` elements there (of type `element`, unless that is kNone), or kNone.
[[nodiscard]] std::uint32_t array_at(const Module& module, std::uint32_t whole, std::uint64_t offset,
                                     std::uint64_t count, std::uint32_t element);
/// True when some value of `bytes` bytes begins at `offset`.
[[nodiscard]] bool has_extent(const Module& module, std::uint32_t whole, std::uint64_t offset, std::uint64_t bytes);

/// How a value of that type lies in registers: RegisterKind::None when it does not (records, sums with payloads,
/// arrays).
[[nodiscard]] RegisterType register_type(const Module& module, std::uint32_t type);

/// The object of a frame's memory that holds `offset`, or null.
[[nodiscard]] const MemoryObject* object_at(std::span<const MemoryObject> objects, const Module& module,
                                            std::uint64_t offset);

}  // namespace cairn::bytecode
