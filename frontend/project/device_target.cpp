#include "frontend/project/device_target.hpp"

#include <algorithm>
#include <array>

#include "frontend/support/ascii.hpp"

namespace cairn {

namespace {

constexpr int kFirstArchitecture = 90;
constexpr int kFirstFamily = 100;

constexpr std::array kHopper = {90};
constexpr std::array kTensorMemory = {100, 103, 110};
constexpr std::array kNarrowFloats = {120, 121};

constexpr std::array kFeatures = {
    DeviceFeature{"device_lanes", "lanes and cooperative regions on the device", 75, TargetSuffix::None, {}, true},
    DeviceFeature{"wmma", "matrix fragments of a warp", 75, TargetSuffix::None, {}, true},
    DeviceFeature{"mma_sync", "matrix fragments of mma.sync", 80, TargetSuffix::None, {}, true},
    DeviceFeature{"bf16", "bf16 arithmetic of the tensor cores", 80, TargetSuffix::None, {}, true},
    DeviceFeature{"cp_async", "copies in flight to shared memory", 80, TargetSuffix::None, {}, true},
    DeviceFeature{"clusters", "clusters of blocks", 90, TargetSuffix::None, {}, false},
    DeviceFeature{"tma", "tensor memory copies", 90, TargetSuffix::None, {}, false},
    DeviceFeature{"wgmma", "matrix fragments of a warp group", 90, TargetSuffix::Architecture, kHopper, false},
    DeviceFeature{"tcgen05", "tensor memory", 100, TargetSuffix::Family, kTensorMemory, false},
    DeviceFeature{"mma_f8f6f4", "matrix fragments of narrow floats", 120, TargetSuffix::Family, kNarrowFloats, false},
};

}  // namespace

bool DeviceTarget::runs_on(int device_capability) const {
  if (suffix == TargetSuffix::Architecture) return device_capability == capability;
  return device_capability / 10 == capability / 10 && device_capability >= capability;
}

bool DeviceTarget::satisfies(const DeviceTarget& wanted) const {
  switch (wanted.suffix) {
    case TargetSuffix::Architecture:
      return *this == wanted;
    case TargetSuffix::Family:
      return suffix != TargetSuffix::None && capability / 10 == wanted.capability / 10 &&
             capability >= wanted.capability;
    case TargetSuffix::None:
      break;
  }
  return capability >= wanted.capability;
}

std::optional<DeviceTarget> device_target(std::string_view text) {
  if (!text.starts_with("sm_")) return std::nullopt;
  text.remove_prefix(3);
  DeviceTarget target;
  std::size_t digits = 0;
  for (; digits < text.size() && digits < 3 && is_digit(text[digits]); ++digits) {
    target.capability = target.capability * 10 + (text[digits] - '0');
  }
  if (digits < 2 || text.front() == '0') return std::nullopt;
  const std::string_view suffix = text.substr(digits);
  if (suffix.empty()) return target;
  if (suffix == "a" && target.capability >= kFirstArchitecture) {
    target.suffix = TargetSuffix::Architecture;
    return target;
  }
  if (suffix == "f" && target.capability >= kFirstFamily) {
    target.suffix = TargetSuffix::Family;
    return target;
  }
  return std::nullopt;
}

std::string text(const DeviceTarget& target) {
  constexpr std::string_view kSuffixes[] = {"", "f", "a"};
  return "sm_" + std::to_string(target.capability) + std::string(kSuffixes[static_cast<std::size_t>(target.suffix)]);
}

std::span<const DeviceFeature> device_features() { return kFeatures; }

const DeviceFeature* device_feature(std::string_view name) {
  const auto* found = std::ranges::find(kFeatures, name, &DeviceFeature::name);
  return found == kFeatures.end() ? nullptr : found;
}

DeviceLimits limits_of(const DeviceTarget& target) {
  struct Row {
    int capability;
    int warps;
    int shared_kib;
  };
  constexpr std::array kPublished = {Row{75, 32, 64},  Row{80, 64, 164}, Row{86, 48, 100},  Row{87, 48, 164},
                                     Row{89, 48, 100}, Row{90, 64, 228}, Row{100, 64, 228}, Row{120, 48, 100}};
  DeviceLimits limits;
  for (const Row& row : kPublished) {
    if (row.capability != target.capability) continue;
    limits.warps_per_sm = row.warps;
    limits.shared_bytes_per_sm = row.shared_kib << 10;
  }
  return limits;
}

bool provides(const DeviceTarget& target, const DeviceFeature& feature) {
  if (target.capability < feature.from || target.suffix < feature.suffix) return false;
  return feature.families.empty() || std::ranges::find(feature.families, target.capability) != feature.families.end();
}

std::string providers(const DeviceFeature& feature) {
  if (feature.families.empty()) return text({feature.from, feature.suffix}) + " or later";
  std::string list;
  for (const int capability : feature.families) {
    list += (list.empty() ? "" : ", ") + text({capability, feature.suffix});
  }
  return list;
}

}  // namespace cairn
