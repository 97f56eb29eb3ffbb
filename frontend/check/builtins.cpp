#include "frontend/check/builtins.hpp"

namespace cairn {

namespace {

constexpr std::string_view kScalarNames[] = {"void", "bool", "u8",  "u16", "u32", "u64",  "usize",  "i8",    "i16",
                                             "i32",  "i64",  "f32", "f64", "f16", "bf16", "f8e4m3", "f8e5m2"};
constexpr std::string_view kIntrinsicNames[] = {"Buf",     "Array", "fn",    "dyn",    "Dyn",    "Ticket",
                                                "Atomic",  "Mutex", "Group", "IoRing", "WmmaA",  "WmmaB",
                                                "WmmaAcc", "MmaA",  "MmaB",  "MmaAcc", "TmemAcc"};
constexpr std::string_view kFunctionNames[] = {
    // Hard ones first.
    "len", "min", "max", "add_wrap", "sub_wrap", "mul_wrap", "shl_wrap", "shr",
    // Soft ones.
    "take", "swap", "transfer", "wait", "collect", "assert", "assert_eq", "print", "println", "eprint", "eprintln",
    "format", "sqrt", "floor", "ceil", "trunc", "abs", "to_bits", "from_bits", "quantize", "quantize_stochastic",
    "mmio_read", "mmio_write", "asm", "mma_unordered", "mma_load", "mma_store", "mma_get", "mma_set", "load_wide",
    "store_wide", "shuffle", "shuffle_xor", "shuffle_down", "shuffle_up", "warp_ballot", "warp_any", "warp_all",
    "warp_match", "atomic_add_wrap", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor", "atomic_cas",
    "atomic_add_unordered"};
constexpr std::size_t kHardCount = 8;

}  // namespace

BuiltinNames::BuiltinNames(NameTable& names) {
  const auto add = [&](std::string_view text, BuiltinClass builtin) {
    const Name name = names.intern(text);
    if (name.id >= classes_.size()) classes_.resize(name.id + 1);
    classes_[name.id] = builtin;
  };
  for (const auto text : kScalarNames) add(text, BuiltinClass::Scalar);
  for (const auto text : kIntrinsicNames) add(text, BuiltinClass::Intrinsic);
  for (std::size_t i = 0; i < std::size(kFunctionNames); ++i)
    add(kFunctionNames[i], i < kHardCount ? BuiltinClass::Hard : BuiltinClass::Soft);
}

std::span<const std::string_view> BuiltinNames::functions() { return kFunctionNames; }

}  // namespace cairn
