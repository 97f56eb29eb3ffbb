// What a failed guard is called, everywhere: in receipts, in trap messages, in the operation table. A trap is a value
// (vm/interpreter carries it to the host call); nothing in the language catches one.
#pragma once

#include <cstdint>
#include <string_view>

namespace cairn {

/// The kinds of tools chapter 6.2, and those the virtual machine adds.
enum class TrapKind : std::uint8_t {
  None,
  Bounds,        // an index, an atomic's element, a part
  Overflow,      // + - * on integers, unary -
  Division,      // zero divisor, signed minimum by -1
  Conversion,    // integer conversion out of range, float to integer, to f8e4m3
  Shift,         // a shift count not below the width
  ViewEntry,     // a view parameter at the callable boundary
  Disjointness,  // overlapping views at the boundary
  EnumEntry,     // an undeclared tag at the boundary
  Tag,
  Callable,  // an empty function value or Dyn
  Assert,
  Layout,  // a layout coordinate outside its extent
  Fragment,
  Wide,       // a wide access outside its array or unaligned
  Reference,  // arguments of std.reference
  Allocation,
  Group,  // a task group full or empty
  Ring,
  Order,      // an order an atomic operation cannot carry
  Mutex,      // locked again by its holder
  Lanes,      // CAIRN_LANES
  Quantize,   // scale, or a NaN into an integer
  Matrix,     // matrix extents
  Abs,        // abs of the signed minimum
  Shuffle,    // a lane number that is not below 32
  Pipeline,   // a fill larger than its stage, or past its source
  Stack,      // call depth
  Thread,     // a thread could not be made
  Foreign,    // a foreign function could not be called
  Device,     // there is no device, or an earlier failure poisoned it
  Limit,      // a limit the host set: steps, time
  Interrupt,  // the host asked the program to stop
};

/// The kind's name as it is printed: "bounds", "view_entry".
[[nodiscard]] std::string_view trap_kind_name(TrapKind kind);

}  // namespace cairn
