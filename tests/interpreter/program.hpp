// A module built in a test, verified, and run by the interpreter.
#pragma once

#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cuda/device.hpp"
#include "tests/tier.hpp"
#include "vm/bytecode/builder.hpp"
#include "vm/bytecode/text.hpp"
#include "vm/bytecode/verifier.hpp"
#include "vm/interpreter/thread.hpp"

namespace cairn::tests {

using namespace bytecode;  // NOLINT: tests speak of little else

inline constexpr RegisterType kU8{RegisterKind::U8}, kU32{RegisterKind::U32}, kU64{RegisterKind::U64},
    kI32{RegisterKind::I32}, kI64{RegisterKind::I64}, kBool{RegisterKind::Bool}, kF32{RegisterKind::F32},
    kF64{RegisterKind::F64};

/// Keeps what is printed, one entry a write.
class KeptOutput final : public OutputSink {
 public:
  bool write(bool to_error, std::span<const char> bytes) override {
    writes.push_back({to_error, std::string(bytes.data(), bytes.size())});
    return !fails;
  }
  [[nodiscard]] std::string all() const {
    std::string text;
    for (const auto& [to_error, bytes] : writes) text += bytes;
    return text;
  }
  std::vector<std::pair<bool, std::string>> writes;
  bool fails = false;
};

struct Outcome {
  std::uint64_t value = 0;
  std::uint64_t second = 0;
  std::optional<TrapRecord> trap;
};

/// A verified module in an instance of its own.
class Running {
 public:
  explicit Running(Module module, const Limits& limits = {}, const NativeTable& natives = {})
      : image_(checked(std::move(module)), natives), instance_(image_, output, limits, tier_under_test()) {
    instance_.set_device(cuda::emulated_device());
  }

  Outcome call(std::uint32_t function, const std::vector<std::uint64_t>& arguments = {}) {
    if (!thread_) thread_.emplace(instance_);
    Outcome outcome;
    std::uint64_t result[2] = {0, 0};
    outcome.trap = thread_->call(function, arguments, result);
    outcome.value = result[0];
    outcome.second = result[1];
    return outcome;
  }
  Outcome call(std::string_view name, const std::vector<std::uint64_t>& arguments = {}) {
    return call(image_.find(name), arguments);
  }
  [[nodiscard]] Instance& instance() { return instance_; }

  KeptOutput output;

 private:
  static Module checked(Module module) {
    const auto fault = verify(module);
    if (fault) {
      const bool known = fault->function != kNone;
      FAIL(describe(*fault, module) << "\n" << (known ? write_function_text(module, fault->function) : std::string()));
    }
    return module;
  }

  Image image_;
  Instance instance_;
  std::optional<Thread> thread_;
};

/// A module in the text form.
inline Module from_text(std::string_view text) {
  auto module = read_text(text);
  if (!module) FAIL(module.error());
  return std::move(*module);
}

inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }
inline std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

}  // namespace cairn::tests
