// Where the bytes of a value lie: size, alignment and offsets of every type, as C lays them out on the host (ownership
// and memory, 2.5), and how a value travels between operations. Storage shows its layout to foreign code and to
// embedding hosts, so nothing here is free to choose but the forms C cannot see: function values, dyn values and pinned
// objects.
//
// Invariants. A size is a multiple of its alignment. Sizes saturate at kUnstorable: no object that large exists, so a
// frame or an allocation that would hold one traps before anything is laid out. Zero bytes are the zero value of every
// type.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "frontend/check/types.hpp"

namespace cairn::lower {

/// How a value of a type is carried by registers.
enum class Shape : std::uint8_t {
  None,    // void
  Scalar,  // one register: scalars, storage floats, plain enums, function values, handles of pinned objects
  Pair,  // two registers: views (pointer, length), borrowed callables (code, environment), dyn borrows (object, table)
  Pointer,  // one register holding an address: single borrows of what lives in memory
  Memory,   // bytes at an address: records, sums, arrays, Buf, Dyn
};

inline constexpr std::uint64_t kUnstorable = std::uint64_t{1} << 62;

struct TypeLayout {
  std::uint64_t size = 0;
  std::uint64_t align = 1;
  Shape shape = Shape::None;
  bool needs_drop = false;             // dropping it may release storage
  bool overlaid = false;               // a sum whose payloads share one place
  std::vector<std::uint64_t> offsets;  // records: per field; sums: per variant, where its payload lies
};

/// Offsets inside the forms that are not written as records.
namespace offset {
inline constexpr std::uint64_t kBufData = 0;
inline constexpr std::uint64_t kBufCount = 8;
inline constexpr std::uint64_t kDynObject = 0;
inline constexpr std::uint64_t kDynTable = 8;
inline constexpr std::uint64_t kSumTag = 0;
inline constexpr std::uint64_t kMutexValue = 8;  // after the lock word, when the value's alignment allows
}  // namespace offset

class LayoutTable {
 public:
  /// Valid as long as the table. `type` is complete: every record and sum it holds by value has its fields.
  const TypeLayout& of(const Type& type);

  [[nodiscard]] std::uint64_t size(const Type& type) { return of(type).size; }
  [[nodiscard]] Shape shape(const Type& type) { return of(type).shape; }
  [[nodiscard]] bool needs_drop(const Type& type) { return of(type).needs_drop; }

 private:
  TypeLayout compute(const Type& type);
  TypeLayout record(const RecordInfo& record);
  TypeLayout sum(const SumInfo& sum, bool copyable);

  std::vector<std::unique_ptr<TypeLayout>> by_id_;
};

/// True for a type whose single `ro` borrow is passed as the value itself: nothing can write the place while it is
/// lent, so nobody can tell, and the callee reads a register.
[[nodiscard]] bool lends_by_value(const Type& type);

/// The C type's width in bytes of a type of Shape::Scalar.
[[nodiscard]] std::uint64_t scalar_bytes(const Type& type);

[[nodiscard]] std::uint64_t aligned(std::uint64_t offset, std::uint64_t align);

}  // namespace cairn::lower
