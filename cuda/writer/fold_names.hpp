// Bytecode's fold operand (a ReduceKind + 256 * a ScalarKind) as cuda/kernel/folds.hpp spells it.
#pragma once

#include <array>
#include <string>

#include "cuda/writer/function_writer.hpp"

namespace cairn::cuda::writer {

inline RegisterKind fold_kind(std::uint32_t fold) {
  return bytecode::register_kind(static_cast<bytecode::ScalarKind>(fold >> 8));
}

/// "Fold<FoldKind::Add, U64>"
inline std::string fold_type(std::uint32_t fold) {
  constexpr std::array<std::string_view, 9> kKinds{"AddWrap", "MulWrap", "And", "Or", "Xor",
                                                   "Min",     "Max",     "Add", "Mul"};
  return cat("Fold<FoldKind::", kKinds[(fold & 0xff) % kKinds.size()], ", ", type_of(fold_kind(fold)), ">");
}

}  // namespace cairn::cuda::writer
