// The words of the text form, each list in the order of its enumeration. Only the writer and the reader use it.
#pragma once

#include <string_view>

namespace cairn::bytecode {

inline constexpr std::string_view kScalarNames[] = {"bool", "u8",  "u16", "u32", "u64",  "i8",     "i16",   "i32",
                                                    "i64",  "f32", "f64", "f16", "bf16", "f8e4m3", "f8e5m2"};
inline constexpr std::string_view kRegisterNames[] = {
    "none", "bool", "u8",     "u16",   "u32",  "u64",  "i8",  "i16",      "i32", "i64",    "f32",   "f64",
    "fn",   "ref",  "ticket", "group", "ring", "view", "buf", "callable", "dyn", "dynref", "second"};
/// From TypeKind::Buf to TypeKind::DynReference.
inline constexpr std::string_view kWordTypeNames[] = {"buf", "dyn", "fn", "ref", "view", "callable", "dynref"};
inline constexpr std::string_view kFunctionKindNames[] = {"plain", "closure", "lane", "device.lane", "kernel", "test"};
inline constexpr std::string_view kPrintNames[] = {"byte", "unsigned", "signed", "bool", "f32", "f64", "bytes"};

}  // namespace cairn::bytecode
