#include "vm/natives/matrix_natives.hpp"

#include <string>

#include "runtime/matrices/multiply.hpp"

namespace cairn {

namespace {

using runtime::StorageFloat;

/// Whether a matrix of rows x columns is exactly as long as its view; the call traps when it is not.
bool holds(NativeCall& call, const char* name, std::uint64_t rows, std::uint64_t columns, std::uint64_t length) {
  std::uint64_t elements = 0;
  const std::string written = std::to_string(rows) + " * " + std::to_string(columns);
  if (__builtin_mul_overflow(rows, columns, &elements)) {
    call.trap(TrapKind::Overflow, written);
    return false;
  }
  if (elements == length) return true;
  call.trap(TrapKind::Matrix, std::string(name) + " holds " + std::to_string(length) + " elements, not " + written);
  return false;
}

/// (m, n, k, c, a, b).
template <StorageFloat format>
void native_multiply(NativeCall& call) {
  const auto m = call.get<std::uint64_t>(0);
  const auto n = call.get<std::uint64_t>(1);
  const auto k = call.get<std::uint64_t>(2);
  const std::span<float> c = call.view<float>(3);
  if (!holds(call, "c", m, n, c.size())) return;
  if (!holds(call, "a", m, k, call.slots()[6])) return;
  if (!holds(call, "b", k, n, call.slots()[8])) return;
  runtime::multiply_add(format, m, n, k, c.data(), call.pointer<const void>(5), call.pointer<const void>(7));
}

constexpr NativeEntry kNatives[] = {
    {"matrix.multiply.f16", "(u64, u64, u64, view mut f32, view f16, view f16)", Capability::None,
     native_multiply<StorageFloat::F16>},
    {"matrix.multiply.bf16", "(u64, u64, u64, view mut f32, view bf16, view bf16)", Capability::None,
     native_multiply<StorageFloat::BF16>},
    {"matrix.multiply.f8e4m3", "(u64, u64, u64, view mut f32, view f8e4m3, view f8e4m3)", Capability::None,
     native_multiply<StorageFloat::F8E4M3>},
    {"matrix.multiply.f8e5m2", "(u64, u64, u64, view mut f32, view f8e5m2, view f8e5m2)", Capability::None,
     native_multiply<StorageFloat::F8E5M2>},
    {"device.multiply.f16", "(u64, u64, u64, view mut f32, view f16, view f16)", Capability::None,
     native_multiply<StorageFloat::F16>},
    {"device.multiply.bf16", "(u64, u64, u64, view mut f32, view bf16, view bf16)", Capability::None,
     native_multiply<StorageFloat::BF16>},
    {"device.multiply.f8e4m3", "(u64, u64, u64, view mut f32, view f8e4m3, view f8e4m3)", Capability::None,
     native_multiply<StorageFloat::F8E4M3>},
    {"device.multiply.f8e5m2", "(u64, u64, u64, view mut f32, view f8e5m2, view f8e5m2)", Capability::None,
     native_multiply<StorageFloat::F8E5M2>},
};

}  // namespace

std::span<const NativeEntry> matrix_natives() { return kNatives; }

}  // namespace cairn
