// Device targets (devices, 18): how they are written, which features a target provides, and which of them host threads
// can run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cairn {

/// The optional last letter of a target: code for every later device of the major version, for its family, or for that
/// capability alone.
enum class TargetSuffix : std::uint8_t { None, Family, Architecture };

struct DeviceTarget {
  int capability = 0;  // 90 is 9.0
  TargetSuffix suffix = TargetSuffix::None;

  /// Whether code written for `wanted` (typed PTX) may be part of code for this target.
  [[nodiscard]] bool satisfies(const DeviceTarget& wanted) const;
  /// Whether a device of that capability runs code for this target: without a suffix and with `f` devices of the major
  /// version at that minor one or later, with `a` that capability alone.
  [[nodiscard]] bool runs_on(int device_capability) const;
  friend bool operator==(const DeviceTarget&, const DeviceTarget&) = default;
};

/// `sm_` and a capability of two or three digits, with `a` from 90 or `f` from 100; none for other texts.
[[nodiscard]] std::optional<DeviceTarget> device_target(std::string_view text);
[[nodiscard]] std::string text(const DeviceTarget& target);

struct DeviceFeature {
  std::string_view name;
  std::string_view what;          // for messages
  int from = 0;                   // the least capability
  TargetSuffix suffix{};          // the least suffix
  std::span<const int> families;  // the only capabilities; empty: any
  bool emulated = false;          // host threads run it as the device would
};

/// Every feature, in the order of the table.
[[nodiscard]] std::span<const DeviceFeature> device_features();
/// Null when no feature has that name.
[[nodiscard]] const DeviceFeature* device_feature(std::string_view name);

[[nodiscard]] bool provides(const DeviceTarget& target, const DeviceFeature& feature);
/// What provides a feature: "sm_80 or later", "sm_90a".
[[nodiscard]] std::string providers(const DeviceFeature& feature);

/// Published limits (devices, 18). Where the table has no row for a target, 0.
struct DeviceLimits {
  int registers_per_thread = 255;
  int registers_per_sm = 65536;
  int threads_per_block = 1024;
  int shared_bytes_per_block = 48 << 10;  // static
  int warps_per_sm = 0;
  int shared_bytes_per_sm = 0;
};
[[nodiscard]] DeviceLimits limits_of(const DeviceTarget& target);

}  // namespace cairn
