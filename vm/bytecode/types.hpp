// Types of bytecode: what lies in memory (Type, an entry of the module's type table) and what a register holds
// (RegisterType). The verifier holds every access to them, drop glue walks them, device code is written from them.
//
// Layout in memory is C's (ownership and memory, 2.5). A Buf is {pointer, count} of 16 bytes, a Dyn {object, table} of
// 16, a fn value 8 (0: none, else the function's index + 1). Pointers (Reference, View, Callable, DynReference) and
// handles lie only in Environment records, which closures, lanes and tasks are given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cairn::bytecode {

inline constexpr std::uint32_t kNone = 0xffffffff;  // "no such index", in every table

enum class ScalarKind : std::uint8_t {
  Bool,
  U8,
  U16,
  U32,
  U64,
  I8,
  I16,
  I32,
  I64,
  F32,
  F64,
  F16,
  BF16,
  F8E4M3,
  F8E5M2,  // u16, u16, u8, u8 in registers
};
[[nodiscard]] std::uint32_t scalar_size(ScalarKind kind);

enum class TypeKind : std::uint8_t {
  Scalar,
  Record,    // fields at offsets; an environment when `environment`
  Sum,       // u32 tag at 0, then payloads at offsets; overlapping ones when `overlapping`
  Array,     // count elements inline
  Buf,       // owner of count elements
  Dyn,       // owner of one object behind a table
  Function,  // fn value of a signature
  Reference,
  View,
  Callable,
  DynReference,  // in environments only
  Mutex,         // a 64-bit lock word, then at offset 8 or the element's alignment the value
  Handle,        // a ticket, group or ring of the runtime: one word, of the register kind in `count`
};

struct Field {
  std::string name;
  std::uint32_t type = kNone;
  std::uint64_t offset = 0;
};

struct Variant {
  std::string name;
  std::uint32_t payload = kNone;  // a type, or none
  std::uint64_t offset = 0;       // of the payload
};

/// An entry of the type table. Entries name earlier or later ones by index; a type never contains itself by value.
struct Type {
  TypeKind kind{};
  ScalarKind scalar{};       // Scalar
  bool writable = false;     // Reference, View, DynReference
  bool overlapping = false;  // Sum: payloads share their bytes (copyable sums)
  bool environment = false;  // Record
  bool owns = false;         // computed: dropping it may release storage
  bool pointers = false;     // computed: holds owners or pointers, so its storage must be zeroed before use
  std::uint32_t align = 1;
  std::uint64_t size = 0;         // a multiple of align
  std::uint32_t element = kNone;  // Array, Buf, Reference, View, Mutex: type. Function, Callable, Handle: signature.
                                  // Dyn, DynReference: trait
  std::uint64_t count = 0;        // Array
  std::string name;               // as the program writes it: "geo.Point", "Option[u64]"; for people
  std::vector<Field> fields;
  std::vector<Variant> variants;  // plain enums too: every payload kNone
};

/// Fills what follows from a type's parts: sizes of arrays, and which types own storage or hold pointers. For tables
/// read from outside, in which nothing is certain yet.
void complete_types(std::vector<Type>& types);

enum class RegisterKind : std::uint8_t {
  None,
  Bool,
  U8,
  U16,
  U32,
  U64,
  I8,
  I16,
  I32,
  I64,
  F32,
  F64,
  Function,  // type: signature
  Ref,       // type: what it refers to
  Ticket,    // type: a signature with the task's result
  Group,     // the same
  Ring,
  View,      // pair; type: element
  Buf,       // pair; type: element
  Callable,  // pair; type: signature
  Dyn,       // pair; type: trait
  DynRef,    // pair; type: trait
  Second,    // the second slot of a pair
};

struct RegisterType {
  RegisterKind kind = RegisterKind::None;
  bool writable = false;  // Ref, View, DynRef: may be written through (a Buf always may)
  std::uint32_t type = kNone;
  friend bool operator==(const RegisterType&, const RegisterType&) = default;

  [[nodiscard]] bool is_pair() const { return kind >= RegisterKind::View && kind <= RegisterKind::DynRef; }
  [[nodiscard]] std::uint32_t slots() const { return kind == RegisterKind::None ? 0 : is_pair() ? 2 : 1; }
  [[nodiscard]] bool is_scalar() const { return kind >= RegisterKind::Bool && kind <= RegisterKind::F64; }
  [[nodiscard]] bool is_unsigned() const { return kind >= RegisterKind::U8 && kind <= RegisterKind::U64; }
  [[nodiscard]] bool is_signed() const { return kind >= RegisterKind::I8 && kind <= RegisterKind::I64; }
  [[nodiscard]] bool is_pointer() const { return kind >= RegisterKind::Ref; }
};

/// How a scalar lies in a register (a storage float as its pattern).
[[nodiscard]] RegisterKind register_kind(ScalarKind kind);

/// Parameters in order, each one or two slots from slot 0 on. A record, sum or array parameter is a Ref to the caller's
/// copy (by value) or to the place lent. A result of such a type has `result` None and `result_reference` set:
/// parameter 0 is then a writable Ref to where it goes, which overlaps no argument.
struct Signature {
  std::vector<RegisterType> parameters;
  RegisterType result;  // None: no result, or through parameter 0
  bool result_reference = false;
  friend bool operator==(const Signature&, const Signature&) = default;

  [[nodiscard]] std::uint32_t parameter_slots() const {
    std::uint32_t slots = 0;
    for (const RegisterType& parameter : parameters) slots += parameter.slots();
    return slots;
  }
};

}  // namespace cairn::bytecode
