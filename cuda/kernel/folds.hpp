// What reductions, scans and warps fold with (bytecode's ReduceKind).
#pragma once

#include "cuda/kernel/guards.hpp"

namespace cairn::kernel {

enum class FoldKind { AddWrap, MulWrap, And, Or, Xor, Min, Max, Add, Mul };

template <FoldKind kind, class T>
struct Fold {
  using Type = T;
  static constexpr bool kFloat = static_cast<T>(0.5F) != static_cast<T>(0);

  static __forceinline__ T identity() {
    if constexpr (kind == FoldKind::Mul || kind == FoldKind::MulWrap) {
      return static_cast<T>(1);
    } else if constexpr (kind == FoldKind::And) {
      return static_cast<T>(~T{0});
    } else if constexpr (kind == FoldKind::Min) {
      return kMax<T>;
    } else if constexpr (kind == FoldKind::Max) {
      return kMin<T>;
    } else {
      return static_cast<T>(0);
    }
  }

  /// out = left OP right; false when a checked addition overflows.
  static __forceinline__ bool combine(T left, T right, T& out) {
    if constexpr (kFloat) {
      out = kind == FoldKind::Mul ? left * right : left + right;
      return true;
    } else if constexpr (kind == FoldKind::Add) {
      return sem::add(left, right, out);
    } else {
      if constexpr (kind == FoldKind::AddWrap) out = sem::add_wrap(left, right);
      if constexpr (kind == FoldKind::MulWrap) out = sem::mul_wrap(left, right);
      if constexpr (kind == FoldKind::And) out = static_cast<T>(left & right);
      if constexpr (kind == FoldKind::Or) out = static_cast<T>(left | right);
      if constexpr (kind == FoldKind::Xor) out = static_cast<T>(left ^ right);
      if constexpr (kind == FoldKind::Min) out = sem::min(left, right);
      if constexpr (kind == FoldKind::Max) out = sem::max(left, right);
      return true;
    }
  }
};

}  // namespace cairn::kernel
