// Modules as text: what `cairn emit --as bytecode` prints and what tests are written in. Reading what was written gives
// the same module back. Everything from # to the end of a line is a comment.
//
//   module "demo"
//   file 0 "src/main.cairn"
//   text 0 "hello\n"
//   type 0 u8
//   type 1 record "geo.Point" size 16 align 8 (x 2 @0, y 2 @8)       fields: name, type, offset
//   type 2 sum "Option[u64]" overlapping size 16 align 8 (None, Some 3 @8)
//   type 3 array 0 x 16 ; type 4 buf 0 ; type 5 dyn 0 ; type 6 fn 0 ; type 7 mutex 1 size .. align ..
//   type 8 environment "main.lane" size .. align .. (...) ; type 9 ref mut 1 ; type 10 view 0 ; type 11 callable 0
//   signature 0 (u64, view mut 0) -> u64                              view, buf, ref: then a type; fn, callable: a
//   signature signature 1 (ref mut 1) through                                   the result goes through parameter 0
//   trait 0 "Shape" (area 1 receiver 0)
//   table 0 trait 0 type 1 (3)
//   native 0 "std.env.count" 0
//   foreign 0 "abs" symbol "abs" 0 at 0:3:1
//   entry 1
//   test 2
//   function 0 "fib" signature 0 kind plain environment none parent none at 0:1:1 slots 9 memory 0 align 16
//     kernel threads 64 shared 256 finish none                        kernels only, then their arrays and pipelines
//     shared @0 u32 x 64 zeroed "tile"
//     pipeline @256 u32 x 64 depth 2
//     r0 u64 "n"                                                      registers; a pair's second slot is not written
//     @0 1 "p"                                                        objects of the frame's memory: offset, type, name
//     : jump.ge.u.imm r0 2 L0        at 0:2:3                         instructions; `at` where the position changes
//     : return.value r0
//     L0:
//     : sub.u64.imm o0 r0 1                                           o0: the first outgoing slot
//     : call o0 0
//   end
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

/// The whole module, or only the functions `only` says (with no tables), when it is given.
[[nodiscard]] std::string write_text(const Module& module);
/// One function. Comments tell what its operations trap on and what its indices mean.
[[nodiscard]] std::string write_function_text(const Module& module, std::uint32_t function);

/// A module read from text; not yet verified. The error says the line.
[[nodiscard]] std::expected<Module, std::string> read_text(std::string_view text);

/// A type as people write it: "u8", "Buf[geo.Point]", "[u32; 4]".
[[nodiscard]] std::string type_name(const Module& module, std::uint32_t type);
/// A signature with types by name, as natives are declared: "(view u8, u64) -> i32".
[[nodiscard]] std::string signature_text(const Module& module, const Signature& signature);
/// The same as a host declares a native: a record is its fields at their offsets, "{f32@0, f32@4}", whatever its name.
[[nodiscard]] std::string native_signature_text(const Module& module, const Signature& signature);
[[nodiscard]] std::string_view scalar_name(ScalarKind kind);

}  // namespace cairn::bytecode
