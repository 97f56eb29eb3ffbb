// Types of checked programs. Every type is interned: two types are the same exactly when their pointers are. A generic
// record or sum has one type per instance. A TypeTable belongs to one program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/support/arena.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

using syntax::BorrowMode;
using syntax::Placement;

enum class TypeKind : std::uint8_t {
  Void,
  Bool,
  U8,
  U16,
  U32,
  U64,
  Usize,
  I8,
  I16,
  I32,
  I64,
  F32,
  F64,
  F16,
  BF16,
  F8E4M3,
  F8E5M2,  // storage floats
  Record,
  Sum,  // a plain enum is a Sum whose variants all lack payloads and that has no generics
  Buf,
  Array,
  Function,  // fn(A) -> R
  Dyn,       // Dyn[Trait]: owned
  DynRef,    // dyn Trait: only behind a single borrow
  Borrow,    // ro<T>, rw<T>
  View,      // ro<T>[n]@place, rw<T>[n]@place
  Ticket,
  Atomic,
  Mutex,
  Group,
  IoRing,
  Pipeline,
  Fragment,
  Witness,  // the opaque type of `check --generics`, displayed ?f.T
};

/// What using a value of a type means (ownership and memory, section 1). Ordered: an aggregate has the largest of its
/// parts.
enum class Ownership : std::uint8_t { Copy, Affine, Linear };

struct Type;

/// The identity of a view's length (ownership and memory, 5.2): a literal, a symbol such as `n`, `r.a`, `len(b)`, or
/// none.
struct Extent {
  enum class Kind : std::uint8_t { None, Literal, Symbol };
  Kind kind = Kind::None;
  std::uint64_t literal = 0;
  Name symbol;
  friend bool operator==(const Extent&, const Extent&) = default;
};

struct RecordField {
  Name name;
  const Type* type = nullptr;
  std::int32_t extent_field = -1;  // a declared field extent (5.4): index of the earlier usize field
};

/// A lending record's bound: a literal, or one of its fields.
struct LendBound {
  std::int32_t field = -1;
  std::uint64_t literal = 0;
};
struct Lends {
  std::int32_t carrier = -1;  // -1: lends nothing
  LendBound lo;
  LendBound hi;
};

/// A static argument of an instance: a type, or a natural when `type` is null.
struct StaticArgument {
  const Type* type = nullptr;
  std::uint64_t natural = 0;
  friend bool operator==(const StaticArgument&, const StaticArgument&) = default;
};

struct RecordInfo {
  const syntax::RecordDecl* declaration = nullptr;
  std::span<const StaticArgument> arguments;
  std::span<const RecordField> fields;  // filled after the type exists, so that records may reach themselves
  Lends lends;
  std::uint64_t align = 0;  // written align(k), else 0
  bool packed = false;
  bool linear = false;  // its own marker
};

struct SumVariant {
  Name name;
  const Type* payload = nullptr;  // null: none
};
struct SumInfo {
  const syntax::SumDecl* declaration = nullptr;  // the predeclared Order and Cache have one of the checker's own
  std::span<const StaticArgument> arguments;
  std::span<const SumVariant> variants;
  bool plain = false;  // a plain enum
};

struct TraitInfo;  // frontend/check/traits.hpp

struct Type {
  TypeKind kind{};
  std::uint32_t id = 0;                   // dense, in order of creation
  BorrowMode mode{};                      // Borrow, View
  Placement placement = Placement::Host;  // View
  Ownership ownership = Ownership::Copy;  // valid once the declarations of its parts are complete
  std::string_view name;                  // as diagnostics show it: `ro<u8>[len(a)]@host`, `std.pair.Pair[f32]`
  Name module;                            // home module of a record or sum (none: root, or no home)
  Name full_name;                         // record, sum: module.name without arguments
  const Type* element = nullptr;          // Buf, Array, Borrow, View, Ticket, Atomic, Mutex, Group, Pipeline, Fragment
  std::uint64_t count = 0;                // Array
  Extent extent;                          // View
  std::span<const Type* const> parameters;  // Function
  const Type* result = nullptr;             // Function (Void when none)
  RecordInfo* record = nullptr;
  SumInfo* sum = nullptr;
  const TraitInfo* trait = nullptr;           // Dyn, DynRef
  std::span<const StaticArgument> arguments;  // Fragment

  [[nodiscard]] bool is(TypeKind k) const { return kind == k; }
  [[nodiscard]] bool is_integer() const { return kind >= TypeKind::U8 && kind <= TypeKind::I64; }
  [[nodiscard]] bool is_unsigned() const { return kind >= TypeKind::U8 && kind <= TypeKind::Usize; }
  [[nodiscard]] bool is_signed() const { return kind >= TypeKind::I8 && kind <= TypeKind::I64; }
  [[nodiscard]] bool is_float() const { return kind == TypeKind::F32 || kind == TypeKind::F64; }
  [[nodiscard]] bool is_numeric() const { return is_integer() || is_float(); }
  [[nodiscard]] bool is_scalar() const { return kind == TypeKind::Bool || is_numeric(); }
  [[nodiscard]] bool is_storage_float() const { return kind >= TypeKind::F16 && kind <= TypeKind::F8E5M2; }
  [[nodiscard]] bool is_plain_enum() const { return kind == TypeKind::Sum && sum->plain; }
  /// ro<fn(..)>: what may be called, and no variable. An rw borrow of a function value is one of a variable.
  [[nodiscard]] bool is_borrowed_callable() const {
    return kind == TypeKind::Borrow && mode == BorrowMode::Ro && element->kind == TypeKind::Function;
  }
  [[nodiscard]] bool is_copy() const { return ownership == Ownership::Copy; }
};

/// Bits of a scalar or storage float: 8, 16, 32 or 64 (bool: 8).
[[nodiscard]] unsigned bit_width(TypeKind kind);

class TypeTable {
 public:
  TypeTable(Arena& arena, NameTable& names);

  [[nodiscard]] const Type* scalar(TypeKind kind) const { return scalars_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] const Type* void_type() const { return scalar(TypeKind::Void); }
  [[nodiscard]] const Type* bool_type() const { return scalar(TypeKind::Bool); }
  [[nodiscard]] const Type* usize() const { return scalar(TypeKind::Usize); }
  /// The scalar, storage float or `void` of this spelling, else null.
  [[nodiscard]] const Type* scalar_named(Name name) const {
    return name.id < named_scalars_.size() ? named_scalars_[name.id] : nullptr;
  }

  const Type* buf(const Type* element);
  const Type* array(const Type* element, std::uint64_t count);
  const Type* function(std::span<const Type* const> parameters, const Type* result);
  const Type* borrow(BorrowMode mode, const Type* value);
  const Type* view(BorrowMode mode, const Type* element, Extent extent, Placement placement);
  /// Dyn[Trait] (TypeKind::Dyn) or dyn Trait (TypeKind::DynRef); `trait_name` is the trait's full name.
  const Type* dyn(TypeKind owned_or_ref, const TraitInfo* trait, std::string_view trait_name);
  /// Ticket, Atomic, Mutex, Group (of an element, or null), IoRing, Pipeline. A ticket of queued work is on the device.
  const Type* intrinsic(TypeKind kind, const Type* element, Placement placement = Placement::Host);
  /// A fragment: its family (WmmaA, ...) and its four arguments, the element type first.
  const Type* fragment(std::string_view family, std::span<const StaticArgument> arguments);

  /// A new nominal type; the declarations part keeps one per (declaration, arguments). Its info is filled by the
  /// caller, who then asks for its ownership with `settle`.
  Type* new_record(std::string_view shown, Name module, Name full_name);
  Type* new_sum(std::string_view shown, Name module, Name full_name);
  const Type* new_witness(std::string_view shown, Ownership ownership);

  /// Computes the ownership of every record, sum and array made since the table had `first` types. Call it when the
  /// outermost declaration being resolved is complete: types reach each other, also in circles through a Buf.
  void settle(std::size_t first);

  [[nodiscard]] std::size_t size() const { return types_.size(); }
  [[nodiscard]] const Type* at(std::size_t id) const { return types_[id]; }

 private:
  Type* add(const Type& type, std::string_view shown);
  /// The type equal to `wanted` in everything but its name and number, made when there is none yet; `shown` writes its
  /// name then.
  template <class Shown>
  const Type* intern(const Type& wanted, Shown shown);

  Arena& arena_;
  NameTable& names_;
  std::vector<Type*> types_;
  std::vector<const Type*> scalars_;                          // by TypeKind
  std::vector<const Type*> named_scalars_;                    // by name id
  std::vector<std::pair<std::uint64_t, const Type*>> slots_;  // structural types by hash, linear probing
  std::size_t used_ = 0;
  std::string scratch_;
};

/// Index of a record's field or a sum's variant, or -1.
[[nodiscard]] inline std::int32_t field_of(const RecordInfo& record, Name name) {
  for (std::size_t i = 0; i < record.fields.size(); ++i)
    if (record.fields[i].name == name) return static_cast<std::int32_t>(i);
  return -1;
}
[[nodiscard]] inline std::int32_t variant_of(const SumInfo& sum, Name name) {
  for (std::size_t i = 0; i < sum.variants.size(); ++i)
    if (sum.variants[i].name == name) return static_cast<std::int32_t>(i);
  return -1;
}
/// The value type behind a single borrow; any other type itself.
[[nodiscard]] inline const Type* value_type(const Type* type) {
  return type->kind == TypeKind::Borrow ? type->element : type;
}
[[nodiscard]] inline bool is_pinned(const Type* type) {
  return type->kind >= TypeKind::Ticket && type->kind <= TypeKind::Pipeline;
}

}  // namespace cairn
