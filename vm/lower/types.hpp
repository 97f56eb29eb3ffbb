// How types of checked programs become types of bytecode: what a value is in memory (an entry of the module's type
// table, which lays it out) and how it travels in registers.
//
//   checked type                              in memory            in registers
//   scalars, storage floats, plain enums      scalar               one slot
//   fn(..) values                             function             one slot
//   Buf, Dyn                                  buf, dyn             two slots (owner)
//   records, other sums, Array, Atomic, Mutex themselves           a reference
//   Ticket, Group, IoRing                     handle               one slot
//   views                                     (environments only)  two slots: pointer, length
//   ro<T> of what fits one slot               (environments only)  the value itself: nobody can write it while it is
//   lent other ro<T>, rw<T>                        (environments only)  a reference ro<fn(..)>, ro<dyn T>, rw<dyn T>
//   (environments only)  two slots
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "frontend/check/traits.hpp"
#include "frontend/check/types.hpp"
#include "frontend/support/names.hpp"
#include "vm/bytecode/builder.hpp"

namespace cairn::lower {

enum class Shape : std::uint8_t {
  None,    // void
  One,     // one register
  Two,     // a pair of registers
  Memory,  // bytes at an address
};

/// Of a value type. (A borrow's shape is that of `TypeLowering::parameter`.)
[[nodiscard]] Shape shape_of(const Type& type);

/// Whether an `ro<type>` parameter receives the value itself.
[[nodiscard]] bool lent_by_value(const Type& type);

/// Whether a value changes through an `ro` borrow of it.
[[nodiscard]] inline bool is_shared_cell(const Type& type) {
  return type.is(TypeKind::Atomic) || type.is(TypeKind::Mutex);
}

/// How a scalar, storage float or plain enum (its tag) lies in memory.
[[nodiscard]] bytecode::ScalarKind scalar_kind(const Type& type);
/// The slot type of one.
[[nodiscard]] bytecode::RegisterKind scalar_register(const Type& type);

class TypeLowering {
 public:
  TypeLowering(bytecode::ModuleBuilder& builder, const NameTable& names) : builder_(builder), names_(names) {}

  /// The entry of the type table for a value type, laid out completely.
  std::uint32_t memory(const Type& type);
  /// How a value travels: None for void, a writable reference for Shape::Memory.
  bytecode::RegisterType value(const Type& type);
  /// How a parameter of a declared type arrives: values as `value` says, borrows and views as the table above.
  bytecode::RegisterType parameter(const Type& type);
  /// The entry of an environment's field that holds such a parameter.
  std::uint32_t environment_field(const Type& type);

  bytecode::Signature signature_of(std::span<const Type* const> parameters, const Type& result);
  std::uint32_t signature(std::span<const Type* const> parameters, const Type& result);
  /// Of a `fn(..)` type.
  std::uint32_t signature(const Type& function) { return signature(function.parameters, *function.result); }

  std::uint32_t trait(const TraitInfo& trait);

  [[nodiscard]] std::uint64_t size(const Type& type) { return layout(type).size; }
  /// Whether dropping a value may release storage.
  [[nodiscard]] bool owns(const Type& type);
  [[nodiscard]] std::uint64_t field_offset(const Type& record, std::uint32_t field) {
    return layout(record).fields[field].offset;
  }
  [[nodiscard]] std::uint64_t payload_offset(const Type& sum, std::uint32_t variant) {
    return layout(sum).variants[variant].offset;
  }
  /// Valid until the next type is lowered.
  [[nodiscard]] const bytecode::Type& layout(const Type& type) { return builder_.type(memory(type)); }

 private:
  std::uint32_t declare(const Type& type);
  void complete(const Type& type);
  void complete_record(const Type& type, std::uint32_t index);
  void complete_sum(const Type& type, std::uint32_t index);

  struct Entry {
    std::uint32_t index = bytecode::kNone;
    bool complete = false;
  };

  bytecode::ModuleBuilder& builder_;
  const NameTable& names_;
  std::vector<Entry> entries_;           // by Type::id
  std::vector<const Type*> incomplete_;  // declared, waiting for their layout
  std::unordered_map<const Type*, bool> owns_;
  std::unordered_map<const TraitInfo*, std::uint32_t> traits_;
  unsigned depth_ = 0;  // of `memory`: types are laid out when the outermost call ends
};

}  // namespace cairn::lower
