#include "vm/natives/matrix_natives.hpp"

#include <string>

#include "cuda/device.hpp"
#include "runtime/matrices/multiply.hpp"
#include "vm/interpreter/telling_thread.hpp"
#include "vm/interpreter/thread.hpp"

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

constexpr bytecode::ScalarKind scalar_of(StorageFloat format) {
  switch (format) {
    case StorageFloat::F16:
      return bytecode::ScalarKind::F16;
    case StorageFloat::BF16:
      return bytecode::ScalarKind::BF16;
    case StorageFloat::F8E4M3:
      return bytecode::ScalarKind::F8E4M3;
    case StorageFloat::F8E5M2:
      break;
  }
  return bytecode::ScalarKind::F8E5M2;
}

/// On a device whose memory is not the host's. False: it is the host's.
bool multiplied_on_device(NativeCall& call, StorageFloat format, const cuda::Context::Product& product) {
  interpreter::TellingThread caller;
  cuda::Context* const context = call.thread().device_context(caller.why);
  if (context == nullptr) {
    call.trap(TrapKind::Device, caller.why);
    return true;
  }
  switch (context->multiply(caller, static_cast<std::uint32_t>(scalar_of(format)), product)) {
    case cuda::Failure::Missing:
      return false;
    case cuda::Failure::None:
      break;
    case cuda::Failure::Memory:
      call.trap(TrapKind::Allocation, "no memory");
      break;
    default:
      call.trap(TrapKind::Device, caller.why);
  }
  return true;
}

/// (m, n, k, c, a, b).
template <StorageFloat format, bool on_device>
void native_multiply(NativeCall& call) {
  const auto m = call.get<std::uint64_t>(0);
  const auto n = call.get<std::uint64_t>(1);
  const auto k = call.get<std::uint64_t>(2);
  const std::span<float> c = call.view<float>(3);
  if (!holds(call, "c", m, n, c.size())) return;
  if (!holds(call, "a", m, k, call.slots()[6])) return;
  if (!holds(call, "b", k, n, call.slots()[8])) return;
  if constexpr (on_device) {
    const cuda::Context::Product product{m, n, k, c.data(), call.pointer<const void>(5), call.pointer<const void>(7)};
    if (multiplied_on_device(call, format, product)) return;
  }
  runtime::multiply_add(format, m, n, k, c.data(), call.pointer<const void>(5), call.pointer<const void>(7));
}

constexpr NativeEntry kMatrixNatives[] = {
    {"matrix.multiply.f16", "(u64, u64, u64, view mut f32, view f16, view f16)", Capability::None,
     native_multiply<StorageFloat::F16, false>},
    {"matrix.multiply.bf16", "(u64, u64, u64, view mut f32, view bf16, view bf16)", Capability::None,
     native_multiply<StorageFloat::BF16, false>},
    {"matrix.multiply.f8e4m3", "(u64, u64, u64, view mut f32, view f8e4m3, view f8e4m3)", Capability::None,
     native_multiply<StorageFloat::F8E4M3, false>},
    {"matrix.multiply.f8e5m2", "(u64, u64, u64, view mut f32, view f8e5m2, view f8e5m2)", Capability::None,
     native_multiply<StorageFloat::F8E5M2, false>},
    {"device.multiply.f16", "(u64, u64, u64, view mut f32, view f16, view f16)", Capability::None,
     native_multiply<StorageFloat::F16, true>},
    {"device.multiply.bf16", "(u64, u64, u64, view mut f32, view bf16, view bf16)", Capability::None,
     native_multiply<StorageFloat::BF16, true>},
    {"device.multiply.f8e4m3", "(u64, u64, u64, view mut f32, view f8e4m3, view f8e4m3)", Capability::None,
     native_multiply<StorageFloat::F8E4M3, true>},
    {"device.multiply.f8e5m2", "(u64, u64, u64, view mut f32, view f8e5m2, view f8e5m2)", Capability::None,
     native_multiply<StorageFloat::F8E5M2, true>},
};

}  // namespace

std::span<const NativeEntry> matrix_natives() { return kMatrixNatives; }

}  // namespace cairn
