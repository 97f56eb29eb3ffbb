#include "vm/interpreter/folds.hpp"

#include <cstring>
#include <type_traits>

#include "vm/interpreter/machine.hpp"

namespace cairn::interpreter {
namespace {

using bytecode::ReduceKind;
using bytecode::ScalarKind;

/// Calls `use` with a value of the fold's type.
template <class Use>
auto with_type(ScalarKind scalar, Use use) {
  switch (scalar) {
    case ScalarKind::U8:
      return use(std::uint8_t{});
    case ScalarKind::U16:
      return use(std::uint16_t{});
    case ScalarKind::U32:
      return use(std::uint32_t{});
    case ScalarKind::I8:
      return use(std::int8_t{});
    case ScalarKind::I16:
      return use(std::int16_t{});
    case ScalarKind::I32:
      return use(std::int32_t{});
    case ScalarKind::I64:
      return use(std::int64_t{});
    case ScalarKind::F32:
      return use(float{});
    case ScalarKind::F64:
      return use(double{});
    default:
      return use(std::uint64_t{});
  }
}

/// left OP right; false when a checked addition overflows.
template <class T>
bool apply(ReduceKind kind, T& left, T right) {
  if constexpr (std::is_floating_point_v<T>) {
    left = kind == ReduceKind::Mul ? left * right : left + right;
    return true;
  } else {
    switch (kind) {
      case ReduceKind::Min:
        left = semantics::min(left, right);
        return true;
      case ReduceKind::Max:
        left = semantics::max(left, right);
        return true;
      case ReduceKind::Add:
        return semantics::add(left, right, left);
      case ReduceKind::AddWrap:
        left = semantics::add_wrap(left, right);
        return true;
      case ReduceKind::MulWrap:
        left = semantics::mul_wrap(left, right);
        return true;
      case ReduceKind::And:
        left = static_cast<T>(left & right);
        return true;
      case ReduceKind::Or:
        left = static_cast<T>(left | right);
        return true;
      default:
        left = static_cast<T>(left ^ right);
        return true;
    }
  }
}

template <class T>
T identity_of(ReduceKind kind) {
  if constexpr (std::is_floating_point_v<T>) {
    return kind == ReduceKind::Mul ? T{1} : T{0};
  } else {
    switch (kind) {
      case ReduceKind::MulWrap:
      case ReduceKind::Mul:
        return T{1};
      case ReduceKind::And:
        return static_cast<T>(~T{0});
      case ReduceKind::Min:
        return semantics::kMax<T>;
      case ReduceKind::Max:
        return semantics::kMin<T>;
      default:
        return T{0};
    }
  }
}

}  // namespace

std::uint64_t identity(Fold fold) {
  return with_type(fold.scalar, [&](auto type) {
    std::uint64_t slot = 0;
    write(&slot, 0, identity_of<decltype(type)>(fold.kind));
    return slot;
  });
}

bool combine(Fold fold, std::uint64_t& left, std::uint64_t right) {
  return with_type(fold.scalar, [&](auto type) {
    using T = decltype(type);
    T value = read<T>(&left, 0);
    const bool exact = apply(fold.kind, value, read<T>(&right, 0));
    write(&left, 0, value);
    return exact;
  });
}

void combine_before(Fold fold, std::uint64_t before, std::uint8_t* elements, std::uint64_t count) {
  with_type(fold.scalar, [&](auto type) {
    using T = decltype(type);
    const T first = read<T>(&before, 0);
    for (std::uint64_t i = 0; i < count; ++i) {
      T value = first;
      static_cast<void>(apply(fold.kind, value, load<T>(elements + i * sizeof(T))));
      store(elements + i * sizeof(T), value);
    }
  });
}

}  // namespace cairn::interpreter
